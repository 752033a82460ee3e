//! Which buttons were pressed? Reads the topic on which they answer, as long as it lives.
//!
//! The stream is one line of JSON each (`docs.ntfy.sh/subscribe/api/`, "Subscribe as JSON stream"): `open`, `keepalive`
//! every 45 s, `message`. What was missed while nobody read is asked for by the id of the last message ("Fetch cached
//! messages"), and at the beginning for as long as servers keep it; a message's id makes that it counts once.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::domain::delivery::Report;
use crate::domain::time::{Span, Timestamp};
use crate::notify::answers::{pause, tell};
use crate::notify::http::Redirects;
use crate::notify::http::client::{Client, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::judge;
use crate::notify::ntfy::publisher::{Publisher, Trouble, message};
use crate::notify::press::decode;
use crate::notify::responses::Act;
use crate::notify::targets::Hearing;

/// How far back it is asked at the beginning: so long servers keep messages, where nothing else is configured.
const KEPT: &str = "12h";

/// How long a connection may take to be there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the server may take to begin its answer.
const OPENED_WITHIN: Duration = Duration::from_secs(15);

/// How long a stream may be silent: several times what is between two signs of life.
const SILENT_AT_MOST: Duration = Duration::from_mins(3);

/// How long one stream lasts; then another is opened.
const STREAM_AT_MOST: Duration = Duration::from_hours(24);

/// The answers on one topic.
pub(super) struct Subscriber {
    /// Whose buttons answer there.
    targets: Vec<Arc<Publisher>>,
    /// One of them, by whose keys the topic is read.
    first: Arc<Publisher>,
    client: Client,
    hearing: Hearing,
}

impl Subscriber {
    /// Returns the subscriber of the topic on which the buttons of these targets answer.
    pub(super) fn new(first: &Arc<Publisher>, targets: Vec<Arc<Publisher>>, hearing: Hearing) -> Self {
        let client = Client::new(Options {
            ca: first.ca.clone(),
            redirects: Redirects::Refused,
            timeout: STREAM_AT_MOST,
            connect_timeout: CONNECT_TIMEOUT,
        });
        Self { targets, first: Arc::clone(first), client, hearing }
    }

    /// Hears answers, for ever.
    pub(super) async fn follow(self) {
        let (mut since, mut failures) = (KEPT.to_owned(), 0);
        loop {
            let mut is_heard = false;
            let ended = self.listen(&mut since, &mut is_heard, failures).await;
            failures = if is_heard { 1 } else { failures + 1 };
            let Trouble { error, retry_after } = ended.err().unwrap_or_else(|| Trouble::of("it ended".to_owned()));
            let targets = self.names();
            if failures > 1 || is_heard {
                tracing::debug!(targets, error, failures, "buttons are not heard for now");
            } else {
                tracing::warn!(targets, error, "buttons are not heard");
            }
            pause(failures, retry_after, &self.hearing.knock).await;
        }
    }

    async fn listen(&self, since: &mut String, is_heard: &mut bool, failures: u32) -> Result<(), Trouble> {
        let first = &self.first;
        let Some(topic) = first.answers().await? else { return Ok(()) };
        let headers = first.headers(&topic).await?;
        let mut url = topic.below(&["json"]);
        url.query_pairs_mut().append_pair("since", since);
        let (host, hidden) = (topic.host(), Hidden::of(&topic.below(&[]), &headers).and(&topic.name));
        let opened = self.client.open(url, headers, OPENED_WITHIN).await;
        let mut lines = match opened.map_err(|why| Trouble::of(format!("cannot reach {host}: {why}")))? {
            Ok(lines) => lines,
            Err(answer) => {
                if matches!(answer.status.as_u16(), 401 | 403) {
                    first.forget().await;
                }
                return Err(match judge(&host, &answer, None, &hidden, (self.hearing.now)()) {
                    Report::Failed { error, retry_after, .. } => Trouble { error, retry_after },
                    Report::Delivered { .. } | Report::Away { .. } => Trouble::of(format!("{host} hung up")),
                });
            }
        };
        let broke = |why| Trouble::of(format!("the stream of {host} broke: {why}"));
        loop {
            let line = tokio::select! {
                line = lines.next(SILENT_AT_MOST) => line.map_err(broke)?,
                // Whatever this stream hangs on, the network is another one.
                () = self.hearing.knock.notified() => None,
            };
            let Some(line) = line else { return Ok(()) };
            let Ok(line) = serde_json::from_str::<Value>(&line) else {
                return Err(Trouble::of(format!("{host} answered with something else than messages")));
            };
            if failures > 0 && !*is_heard {
                tracing::info!(targets = self.names(), "buttons are heard again");
            }
            *is_heard = true;
            if let Some((id, text, sent_at)) = message(&line) {
                self.hear(id, text, sent_at).await.map_err(Trouble::of)?;
                id.clone_into(since);
            }
        }
    }

    async fn hear(&self, id: &str, text: &str, sent_at: i64) -> Result<(), String> {
        // Whoever can write to the topic can write anything.
        let Some((act, ring)) = decode(text.trim()) else {
            tracing::debug!(targets = self.names(), id, "a message on the topic of answers is no answer");
            return Ok(());
        };
        let Some(act) = self.still(act, sent_at) else { return Ok(()) };
        if let Err(why) = tell(&self.hearing.responses, ring, act, id).await? {
            tracing::info!(targets = self.names(), task = %ring.task, why, "nothing follows of a button");
        }
        Ok(())
    }

    /// Returns what is left of an act that was read late; nothing of a snooze that would be over.
    fn still(&self, act: Act, sent_at: i64) -> Option<Act> {
        match act {
            Act::Dismiss | Act::Ack | Act::Done => Some(act),
            Act::Snooze(by) => {
                let sent_at = Timestamp::from_millis(sent_at.checked_mul(1000)?)?;
                let age = (self.hearing.now)().since(sent_at).as_millis();
                // Within a minute it is the way, and clocks that differ.
                let age = if age < 60_000 { 0 } else { age };
                let left = Span::from_millis(by.as_millis() - age);
                left.is_positive().then_some(Act::Snooze(left))
            }
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.targets.iter().map(|target| format!("ntfy:{}", target.name)).collect();
        names.join(", ")
    }
}
