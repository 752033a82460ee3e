//! The webhook channel of a build with the feature `webhook`: joins deliveries with targets, templates and the client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Frozen, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{failed, judge};
use crate::notify::http::{certificates, host, read_url};
use crate::notify::network::{Heeding, Network};
use crate::notify::payload::{self, payload};

use crate::notify::webhook::signature::{Signer, dingtalk, seconds};
use crate::notify::webhook::template::{Rendered, Templates, preset_success};
use crate::notify::webhook::{Fault, Key, Now, Preset, Settings, Success};
use crate::notify::{Channel, Presence};

/// How many requests are under way at once, to all targets together: each has at most two.
const WORKERS: usize = 64;

/// Programs that take HTTP requests.
pub struct WebhookChannel {
    named: BTreeMap<String, Endpoint>,
    /// What serves a target that is a mere URL.
    unnamed: Endpoint,
    now: Now,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

/// One target, ready for use.
#[derive(Clone)]
struct Endpoint {
    url: Url,
    client: Arc<Client>,
    templates: Arc<Templates>,
    signing: Arc<Signing>,
    success: Option<Success>,
}

/// How a receiver knows that a request is ours.
enum Signing {
    /// By the headers of Standard Webhooks.
    Headers(Signer),
    /// By the query that `DingTalk` asks for.
    Query(Secret),
}

impl WebhookChannel {
    /// Makes the targets ready; nothing is opened.
    ///
    /// # Errors
    /// Everything that is wrong with their settings, in their order.
    pub fn new(targets: Vec<Settings>, now: Now) -> Result<Self, Vec<Fault>> {
        let mut named = BTreeMap::new();
        let mut faults = Vec::new();
        for settings in targets {
            let name = settings.name.clone();
            match Endpoint::new(settings) {
                Ok(endpoint) => {
                    named.insert(name, endpoint);
                }
                Err((key, reason)) => faults.push(Fault { name, key, reason }),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        // Its address is replaced by that of each delivery.
        let settings = Settings::new(String::new(), Secret::new("http://localhost".to_owned()));
        let unnamed = Endpoint::new(settings).expect("nothing of the defaults is refused");
        Ok(Self { named, unnamed, now, presence: watch::Sender::new(Presence::Present), heeding: None })
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

    /// Returns the templates of a target; `None` where it is no longer configured.
    fn templates(&self, address: &str) -> Option<&Templates> {
        let endpoint = if is_url(address) { Some(&self.unnamed) } else { self.named.get(address) };
        endpoint.map(|endpoint| &*endpoint.templates)
    }

    async fn post(&self, delivery: &Delivery) -> Report {
        let address = &delivery.id.target.address;
        if !is_url(address) {
            return match self.named.get(address) {
                Some(endpoint) => endpoint.post(delivery, &self.now).await,
                // It may come back into the configuration: nothing is lost meanwhile.
                None => Report::Away { reason: format!("no webhook {address:?} is configured") },
            };
        }
        match read_url(address) {
            Ok(url) => Endpoint { url, ..self.unnamed.clone() }.post(delivery, &self.now).await,
            Err(why) => failed(format!("cannot post to the webhook's address: {why}"), true, None),
        }
    }
}

impl Endpoint {
    fn new(settings: Settings) -> Result<Self, (Key, String)> {
        let url = read_url(settings.url.reveal()).map_err(|why| (Key::Url, why))?;
        let ca = settings.ca.as_deref().map(certificates).transpose().map_err(|why| (Key::Ca, why))?;
        let success = settings.success.or_else(|| preset_success(settings.preset));
        if let Some(rule) = &success
            && !(rule.pointer.is_empty() || rule.pointer.starts_with('/'))
        {
            return Err((Key::Success, "expected a pointer that begins with /, such as /errcode".to_owned()));
        }
        Ok(Self {
            url,
            client: Arc::new(Client::new(Options {
                ca: ca.unwrap_or_default(),
                redirects: settings.redirects,
                timeout: settings.timeout,
                connect_timeout: settings.connect_timeout,
            })),
            templates: Arc::new(Templates::new(settings.preset, settings.body, &settings.headers)?),
            signing: Arc::new(signing(settings.preset, settings.secrets).map_err(|why| (Key::Secret, why))?),
            success,
        })
    }

    async fn post(&self, delivery: &Delivery, now: &Now) -> Report {
        let host = host(&self.url);
        let rendered = match &delivery.frozen {
            Some(frozen) => self.templates.thaw(frozen),
            None => self.templates.freeze(&payload(delivery)).and_then(|frozen| self.templates.thaw(&frozen)),
        };
        let Rendered { mut headers, body } = match rendered {
            Ok(rendered) => rendered,
            Err((key, why)) => return failed(format!("cannot post to {host}: {key}: {why}"), true, None),
        };
        let url = self.sign(delivery, now(), &mut headers, &body);
        let need = if self.success.is_some() { Need::Body } else { Need::Status };
        let hidden = Hidden::of(&url, &headers);
        match self.client.post(url, headers, body, need).await {
            Ok(answer) => judge(&host, &answer, self.success.as_ref(), &hidden, now()),
            Err(why) => failed(format!("cannot post to {host}: {why}"), false, None),
        }
    }

    /// Puts the headers of this attempt beside those of the target, and returns where it goes.
    fn sign(&self, delivery: &Delivery, at: Timestamp, headers: &mut HeaderMap, body: &str) -> Url {
        let id = payload::id(&delivery.id).to_string();
        let mut put = |name: &'static str, value: String| {
            let value = HeaderValue::from_str(&value).expect("ids, numbers and base64 are ASCII");
            headers.insert(HeaderName::from_static(name), value);
        };
        let mut url = self.url.clone();
        match &*self.signing {
            Signing::Headers(signer) => {
                if let Some(signature) = signer.sign(&id, at, body) {
                    put("webhook-signature", signature);
                }
            }
            Signing::Query(secret) => {
                let (time, signature) = dingtalk(secret, at);
                url.query_pairs_mut().append_pair("timestamp", &time).append_pair("sign", &signature);
            }
        }
        put("webhook-id", id);
        put("webhook-timestamp", seconds(at).to_string());
        // Beside the body, which stays the same on every attempt.
        put("keiko-attempt", (u64::from(delivery.attempts) + 1).to_string());
        url
    }
}

/// Returns whether a target is an address itself, not the name of a configured one.
fn is_url(address: &str) -> bool {
    address.contains("://")
}

fn signing(preset: Preset, mut secrets: Vec<Secret>) -> Result<Signing, String> {
    match preset {
        Preset::Generic | Preset::Slack | Preset::Discord => Signer::new(&secrets).map(Signing::Headers),
        Preset::Dingtalk if secrets.len() > 1 => {
            Err("expected one secret: dingtalk knows no other beside it".to_owned())
        }
        Preset::Dingtalk => match secrets.pop() {
            Some(secret) => Ok(Signing::Query(secret)),
            None => Signer::new(&[]).map(Signing::Headers),
        },
    }
}

/// Only the names: the rest holds keys.
impl fmt::Debug for WebhookChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookChannel").field("named", &self.named.keys()).finish_non_exhaustive()
    }
}

impl Channel for WebhookChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Webhook
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    /// What cannot be made is told by the attempt itself.
    fn freeze(&self, delivery: &Delivery) -> Option<Frozen> {
        self.templates(&delivery.id.target.address)?.freeze(&payload(delivery)).ok()
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.post(delivery).boxed()
    }

    /// What a program was told stays told.
    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> Settings {
        Settings::new("ops".to_owned(), Secret::new(url.to_owned()))
    }

    #[track_caller]
    fn check_refused(settings: Settings, expected: &str) {
        let now: Now = Arc::new(|| Timestamp::MIN);
        let faults = WebhookChannel::new(vec![settings], now).unwrap_err();
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_target_that_cannot_work_is_refused_when_it_is_loaded() {
        check_refused(
            settings("ftp://user:hunter2@x/"),
            "cannot use url of webhook \"ops\": expected a URL of http or https, found ftp",
        );
        check_refused(
            settings("hunter2"),
            "cannot use url of webhook \"ops\": expected a URL: relative URL without a base",
        );
        let with = |change: fn(&mut Settings)| {
            let mut settings = settings("http://x");
            change(&mut settings);
            settings
        };
        check_refused(
            with(|settings| settings.ca = Some(b"no certificate".to_vec())),
            "cannot use ca_file of webhook \"ops\": expected certificates in PEM",
        );
        check_refused(
            with(|settings| settings.body = Some("{{ nobody }}".to_owned())),
            "cannot use body of webhook \"ops\": undefined value, in its line 1",
        );
        check_refused(
            with(|settings| settings.secrets = vec![Secret::new("hunter2".to_owned())]),
            "cannot use secret of webhook \"ops\": expected a secret that begins with whsec_",
        );
    }

    #[test]
    fn an_address_is_shown_by_its_host_alone() {
        let url = read_url("https://user:hunter2@hooks.example.org:8443/services/KEY?token=KEY").unwrap();
        assert_eq!(host(&url), "https://hooks.example.org:8443");
    }
}
