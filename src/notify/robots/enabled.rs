//! The robots' channels of a build with the feature `webhook`: joins deliveries with robots, parts of texts and the client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Report, Target};
use crate::domain::effect::Withdrawal;
use crate::domain::secret::Secret;
use crate::notify::chat::{parts, plain};
use crate::notify::fault::Fault;
use crate::notify::feishu::FEISHU;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{Answer, failed, untaken};
use crate::notify::http::{Redirects, certificates, host, read_url};
use crate::notify::keys::Key;
use crate::notify::named::Named;
use crate::notify::network::Network;
use crate::notify::progress::Progress;
use crate::notify::robots::Settings;
use crate::notify::robots::service::{Meaning, Service};
use crate::notify::webhook::CONNECT_TIMEOUT;
use crate::notify::wecom::WECOM;
use crate::notify::{Channel, Now, Presence};

/// How many groups are told at once: each has at most two deliveries under way.
const WORKERS: usize = 16;

/// The robots of groups of one service.
pub struct RobotChannel {
    kind: ChannelKind,
    service: Service,
    robots: Named<Robot>,
    /// How many parts of its text a group has.
    progress: Progress<usize>,
    now: Now,
}

/// The robot of one group.
struct Robot {
    url: Key,
    secret: Option<Key>,
    timeout: Duration,
    client: Client,
}

impl RobotChannel {
    /// Returns the channel of Feishu, with no robot yet.
    #[must_use]
    pub fn feishu(now: Now) -> Self {
        Self::new(ChannelKind::Feishu, FEISHU, now)
    }

    /// Returns the channel of `WeCom`, with no robot yet.
    #[must_use]
    pub fn wecom(now: Now) -> Self {
        Self::new(ChannelKind::Wecom, WECOM, now)
    }

    fn new(kind: ChannelKind, service: Service, now: Now) -> Self {
        Self { kind, service, robots: Named::none(kind), progress: Progress::none(), now }
    }

    /// Puts these robots in the place of all, and lets what waits for one be tried. Nothing is opened.
    ///
    /// # Errors
    /// Everything that is wrong with their settings; then all stays as it was.
    pub fn configure(&self, robots: Vec<Settings>) -> Result<(), Vec<Fault>> {
        let (mut named, mut faults) = (Vec::new(), Vec::new());
        for settings in robots {
            let name = settings.name.clone();
            match Robot::new(settings) {
                Ok(robot) => named.push((name, robot)),
                Err((key, reason)) => {
                    faults.push(Fault { target: Target { kind: self.kind, address: name }, key, reason });
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        self.robots.replace(named);
        Ok(())
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(self, network: Arc<dyn Network>) -> Self {
        Self { robots: self.robots.heeding(network), ..self }
    }

    /// Says all parts that the group does not have yet.
    async fn say(&self, delivery: &Delivery) -> Report {
        let id = &delivery.id;
        let robot = match self.robots.find(&id.target.address) {
            Ok(robot) => robot,
            Err(away) => return away,
        };
        let text = self.service.uncalled(&plain(&delivery.message));
        let parts = parts(&text, self.service.text_bytes_max, str::len);
        let before = self.progress.of(id);
        let saying = async {
            for (index, part) in parts.iter().enumerate().skip(before) {
                match self.post(&robot, id, part).await {
                    Report::Delivered { .. } => self.progress.note(id, index + 1),
                    failed => return failed,
                }
            }
            Report::DELIVERED
        };
        // Each request has its own limit; many slow ones together have that of two.
        let limit = robot.timeout * 2;
        let report = timeout(limit, saying).await.unwrap_or_else(|_| {
            let (done, all) = (self.progress.of(id), parts.len());
            failed(format!("{done} of {all} parts were taken within {limit:?}"), false, None)
        });
        if matches!(report, Report::Delivered { .. }) {
            self.progress.end(id);
        }
        report
    }

    /// Makes one request. No failure is final: all that a robot refuses for good are a wrong address, a wrong secret or rules
    /// of the group, which a person amends; the reminder waits for that.
    async fn post(&self, robot: &Robot, id: &DeliveryId, part: &str) -> Report {
        let (url, secret) = match robot.prepare(&id.target).await {
            Ok(prepared) => prepared,
            Err(why) => return failed(why, false, None),
        };
        let host = host(&url);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        let hidden = Hidden::of(&url, &headers);
        let body = (self.service.body)(part, secret.as_ref(), (self.now)());
        match robot.client.post(url, headers, body, Need::Body).await {
            Ok(answer) => self.judge(robot, &host, &answer, &hidden).await,
            Err(why) => failed(format!("cannot post to {host}: {why}"), false, None),
        }
    }

    async fn judge(&self, robot: &Robot, host: &str, answer: &Answer, hidden: &Hidden) -> Report {
        // Also another status than 200 may come with a code.
        let inside = serde_json::from_slice::<Value>(&answer.body).ok();
        let meaning = inside.as_ref().map_or(Meaning::Unknown, |body| (self.service.meaning)(body));
        if matches!(meaning, Meaning::Unwelcome { .. }) || matches!(answer.status.as_u16(), 401 | 403 | 404) {
            robot.forget_keys().await;
        }
        let (code, asked) = match meaning {
            Meaning::Taken if answer.status.is_success() => return Report::DELIVERED,
            Meaning::Taken | Meaning::Unknown => (None, None),
            Meaning::TooOften { code, retry_after } => (Some(code), retry_after),
            Meaning::Unwelcome { code } | Meaning::Refused { code } => (Some(code), None),
        };
        untaken(host, answer, code, asked, hidden, (self.now)())
    }
}

impl Robot {
    fn new(settings: Settings) -> Result<Self, (&'static str, String)> {
        let Settings { name: _, url, secret, ca, timeout } = settings;
        let ca = ca.as_deref().map(certificates).transpose().map_err(|why| ("ca_file", why))?;
        let options = Options {
            ca: ca.unwrap_or_default(),
            redirects: Redirects::Refused,
            timeout,
            connect_timeout: CONNECT_TIMEOUT,
        };
        Ok(Self { url, secret, timeout, client: Client::new(options) })
    }

    /// Returns where requests go, and what they are signed with.
    async fn prepare(&self, target: &Target) -> Result<(Url, Option<Secret>), String> {
        let told = |why: String| format!("cannot post to {target}: {why}");
        let url = self.url.reveal().await.map_err(told)?;
        let url = match read_url(url.reveal()) {
            Ok(url) => url,
            Err(why) => {
                self.forget_keys().await;
                return Err(told(format!("its url: {why}")));
            }
        };
        let secret = match &self.secret {
            Some(secret) => Some(secret.reveal().await.map_err(told)?),
            None => None,
        };
        Ok((url, secret))
    }

    async fn forget_keys(&self) {
        self.url.forget().await;
        if let Some(secret) = &self.secret {
            secret.forget().await;
        }
    }
}

/// Only what it is: the rest holds keys.
impl fmt::Debug for RobotChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotChannel").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Channel for RobotChannel {
    fn kind(&self) -> ChannelKind {
        self.kind
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.say(delivery).boxed()
    }

    /// A robot cannot take back what it said.
    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.robots.presence()
    }
}
