//! The robots' channels of a build with the feature `webhook`: joins deliveries with robots, parts of texts and the client.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value;
use tokio::sync::{OnceCell, watch};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Report, Target};
use crate::domain::effect::Withdrawal;
use crate::domain::secret::Secret;
use crate::notify::chat::{parts, plain};
use crate::notify::endpoints::Endpoints;
use crate::notify::feishu::FEISHU;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{Answer, failed, untaken};
use crate::notify::http::{Redirects, host, read_url};
use crate::notify::keys::Key;
use crate::notify::network::{Heeding, Network};
use crate::notify::progress::Progress;
use crate::notify::robots::Settings;
use crate::notify::robots::service::{Meaning, Service};
use crate::notify::webhook::{CONNECT_TIMEOUT, Now};
use crate::notify::wecom::WECOM;
use crate::notify::{Channel, Presence, certificates, http};

/// How many groups are told at once: each has at most two deliveries under way.
const WORKERS: usize = 16;

/// The robots of groups of one service.
pub struct RobotChannel {
    kind: ChannelKind,
    service: Service,
    robots: Endpoints<Robot>,
    /// How many parts of its text a group has.
    progress: Progress<usize>,
    now: Now,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

/// The robot of one group.
struct Robot {
    url: Key,
    secret: Option<Key>,
    ca_file: Option<PathBuf>,
    timeout: Duration,
    /// Made with the first request: the certificates are read for it.
    client: OnceCell<Client>,
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
        let presence = watch::Sender::new(Presence::Present);
        let (robots, progress) = (Endpoints::none(), Progress::none());
        Self { kind, service, robots, progress, now, presence, heeding: None }
    }

    /// Puts these robots in the place of all, and lets what waits for one be tried. Nothing is opened or read.
    pub fn configure(&self, robots: Vec<Settings>) {
        self.robots.replace(robots.into_iter().map(|settings| {
            let Settings { name, url, secret, ca_file, timeout } = settings;
            (name, Robot { url, secret, ca_file, timeout, client: OnceCell::new() })
        }));
        self.presence.send_replace(Presence::Present);
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(mut self, network: Arc<dyn Network>) -> Self {
        let presence = self.presence.clone();
        self.heeding = Some(Heeding::of(network, move || drop(presence.send_replace(Presence::Present))));
        self
    }

    /// Says all parts that the group does not have yet.
    async fn say(&self, delivery: &Delivery) -> Report {
        let id = &delivery.id;
        let robot = match self.robots.find(self.kind, &id.target.address) {
            Ok(robot) => robot,
            Err(away) => return away,
        };
        let text = self.service.uncalled(&plain(&delivery.message));
        let parts = parts(&text, self.service.text_bytes_max, str::len);
        let before = self.progress.of(id).min(parts.len());
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
        let (url, secret, client) = match robot.prepare(&id.target).await {
            Ok(prepared) => prepared,
            Err(why) => return failed(why, false, None),
        };
        let host = host(&url);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        let hidden = Hidden::of(&url, &headers);
        let body = (self.service.body)(part, secret.as_ref(), (self.now)());
        match client.post(url, headers, body, Need::Body).await {
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
    /// Returns where requests go, what they are signed with and what sends them.
    async fn prepare(&self, target: &Target) -> Result<(Url, Option<Secret>, &Client), String> {
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
        let client = self.client.get_or_try_init(|| self.client()).await.map_err(told)?;
        Ok((url, secret, client))
    }

    async fn client(&self) -> Result<Client, String> {
        let ca = match &self.ca_file {
            Some(path) => {
                let pem = certificates::read(path).await?;
                http::certificates(&pem).map_err(|why| format!("its ca_file: {why}"))?
            }
            None => Vec::new(),
        };
        let (timeout, connect_timeout) = (self.timeout, CONNECT_TIMEOUT);
        Ok(Client::new(Options { ca, redirects: Redirects::Refused, timeout, connect_timeout }))
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
        self.presence.subscribe()
    }
}
