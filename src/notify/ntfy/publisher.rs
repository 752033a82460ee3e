//! How does one configured topic get its notifications, and how are they cleared?
//!
//! Never publishes a part twice that the server has taken, as long as this process lives.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Certificate, Method};
use serde_json::Value;

use crate::domain::delivery::{Delivery, Report};
use crate::domain::effect::Told;
use crate::domain::secret::Secret;
use crate::domain::time::Span;
use crate::notify::Now;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{Answer, failed, judge};
use crate::notify::http::{Redirects, Scalar, Success, certificates};
use crate::notify::keys::Key;
use crate::notify::ntfy::Settings;
use crate::notify::ntfy::notification::{Notification, sequence};
use crate::notify::ntfy::subscriber::Subscriber;
use crate::notify::ntfy::topic::Topic;
use crate::notify::progress::Progress;
use crate::notify::targets::{Endpoint, Hearing};

/// How long a connection may take to be there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// One topic, ready for use.
pub(super) struct Publisher {
    /// Its name, as in `ntfy:NAME`.
    pub(super) name: String,
    /// Trusted beside the system's.
    pub(super) ca: Vec<Certificate>,
    url: Key,
    token: Option<Key>,
    answers: Option<Key>,
    snooze: Option<Span>,
    client: Client,
    now: Now,
}

/// Why a request came to nothing.
#[derive(Debug)]
pub(super) struct Trouble {
    /// In words for people.
    pub(super) error: String,
    /// How long to wait at least.
    pub(super) retry_after: Option<Span>,
}

impl Trouble {
    /// Returns that something failed without an answer.
    pub(super) const fn of(error: String) -> Self {
        Self { error, retry_after: None }
    }
}

impl Endpoint for Publisher {
    type Settings = Settings;

    fn name(settings: &Settings) -> &str {
        &settings.name
    }

    fn new(settings: Settings, now: &Now) -> Result<Self, (&'static str, String)> {
        let ca = settings.ca.as_deref().map(certificates).transpose().map_err(|why| ("ca_file", why))?;
        let ca = ca.unwrap_or_default();
        let client = Client::new(Options {
            ca: ca.clone(),
            redirects: Redirects::Refused,
            timeout: settings.timeout,
            connect_timeout: CONNECT_TIMEOUT.min(settings.timeout),
        });
        Ok(Self {
            name: settings.name,
            ca,
            url: settings.url,
            token: settings.token,
            answers: settings.answers_url,
            snooze: settings.snoozes.first().copied(),
            client,
            now: Arc::clone(now),
        })
    }

    fn has_answers(&self) -> bool {
        self.answers.is_some()
    }

    fn queue(&self) -> BoxFuture<'_, Result<Secret, String>> {
        async {
            let answers = self.answers.as_ref().ok_or_else(|| "there are no answers".to_owned())?;
            answers.reveal().await.map_err(|why| format!("ntfy:{}: {why}", self.name))
        }
        .boxed()
    }

    fn follow(first: &Arc<Self>, all: Vec<Arc<Self>>, hearing: Hearing) -> BoxFuture<'static, ()> {
        Subscriber::new(first, all, hearing).follow().boxed()
    }
}

impl Publisher {
    /// Publishes what is not published yet of a delivery.
    pub(super) async fn send(&self, delivery: &Delivery, progress: &Progress<usize>) -> Report {
        let notification = Notification::of(delivery);
        let all = notification.count();
        for index in progress.of(&delivery.id)..all {
            if let Err(Trouble { mut error, retry_after }) = self.publish(&notification, index).await {
                if index > 0 {
                    error = format!("{error}; {index} of {all} parts were sent before");
                }
                progress.note(&delivery.id, index);
                return failed(error, false, retry_after);
            }
        }
        progress.end(&delivery.id);
        Report::Delivered { receipt: Some(all.to_string()) }
    }

    async fn publish(&self, notification: &Notification<'_>, index: usize) -> Result<(), Trouble> {
        let topic = self.topic().await?;
        let answers = self.answers().await?;
        let answers = answers.as_ref().map(|answers| answers.below(&[]));
        let body = notification.part(index, &topic.name, answers.as_ref().map(reqwest::Url::as_str), self.snooze);
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let headers = self.headers(&topic).await?;
        let hidden = Hidden::of(&topic.below(&[]), &headers).and(&topic.name);
        let hidden = answers.iter().fold(hidden, |hidden, answers| hidden.and(answers.as_str()));
        let sent = self.client.post(topic.root.clone(), headers, body, Need::Body).await;
        // A hotel that asks to sign in answers 200 as well.
        let taken = Success { pointer: "/event".to_owned(), equals: Scalar::Text("message".to_owned()) };
        self.judged(&topic, sent, Some(&taken), &hidden).await
    }

    /// Clears the notifications of a firing (`docs.ntfy.sh/publish/`, "Clearing notifications"): read, and gone from the
    /// screen. An older server knows no such thing, and keeps them.
    pub(super) async fn clear(&self, told: &Told) -> Result<(), Trouble> {
        let topic = self.topic().await?;
        let count = told.receipt.as_deref().and_then(|count| count.parse().ok()).unwrap_or(1_usize);
        for index in 0..count {
            let headers = self.headers(&topic).await?;
            let name = sequence(told.id.fire_id, index);
            let url = topic.below(&[name.as_str(), "clear"]);
            let hidden = Hidden::of(&topic.below(&[]), &headers).and(&topic.name);
            let sent = self.client.send(Method::PUT, url, headers, String::new(), Need::Status).await;
            self.judged(&topic, sent, None, &hidden).await?;
        }
        Ok(())
    }

    async fn judged(
        &self,
        topic: &Topic,
        sent: Result<Answer, String>,
        success: Option<&Success>,
        hidden: &Hidden,
    ) -> Result<(), Trouble> {
        let host = topic.host();
        let answer = sent.map_err(|why| Trouble::of(format!("cannot reach {host}: {why}")))?;
        match judge(&host, &answer, success, hidden, (self.now)()) {
            Report::Delivered { .. } => Ok(()),
            Report::Failed { error, retry_after, .. } => {
                if matches!(answer.status.as_u16(), 401 | 403) {
                    self.forget().await;
                }
                Err(Trouble { error, retry_after })
            }
            Report::Away { reason } => Err(Trouble::of(reason)),
        }
    }

    /// Forgets the keys: the server does not take one of them.
    pub(super) async fn forget(&self) {
        for key in [Some(&self.url), self.token.as_ref(), self.answers.as_ref()].into_iter().flatten() {
            key.forget().await;
        }
    }

    async fn topic(&self) -> Result<Topic, Trouble> {
        self.read("url", &self.url).await
    }

    /// Returns the topic on which its buttons answer.
    pub(super) async fn answers(&self) -> Result<Option<Topic>, Trouble> {
        match &self.answers {
            Some(key) => self.read("answers_url", key).await.map(Some),
            None => Ok(None),
        }
    }

    async fn read(&self, key: &str, secret: &Key) -> Result<Topic, Trouble> {
        let text = secret.reveal().await.map_err(Trouble::of)?;
        Topic::read(text.reveal()).map_err(|why| Trouble::of(format!("cannot use {key} of ntfy:{}: {why}", self.name)))
    }

    /// Returns the headers of a request to the server of `topic`; another server than that of the topic gets no token.
    pub(super) async fn headers(&self, topic: &Topic) -> Result<HeaderMap, Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(token) = &self.token
            && self.topic().await?.is_beside(topic)
        {
            let token = token.reveal().await.map_err(Trouble::of)?;
            let bearer = HeaderValue::from_str(&format!("Bearer {}", token.reveal()));
            let why = |_| Trouble::of(format!("cannot use token of ntfy:{}: expected one word of ASCII", self.name));
            let mut bearer = bearer.map_err(why)?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        Ok(headers)
    }
}

/// Returns what of a subscription's message matters: its id, its text, and when it came in seconds.
pub(super) fn message(line: &Value) -> Option<(&str, &str, i64)> {
    let is_message = line["event"] == "message";
    let (id, text) = (line["id"].as_str()?, line["message"].as_str().unwrap_or_default());
    is_message.then(|| (id, text, line["time"].as_i64().unwrap_or_default()))
}
