//! How is a method of the Bot API called, and what does its answer say?
//!
//! One call, one answer (Bot API, "Making requests"). Never shows the token: it is part of the address, and some answers
//! say the address back.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Certificate, Url};
use serde_json::Value;

use crate::domain::delivery::Report;
use crate::domain::time::Span;
use crate::notify::Now;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{Answer, judge};
use crate::notify::http::{Redirects, Scalar, Success, host};
use crate::notify::keys::Key;
use crate::notify::text;

/// How long a connection may take to be there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How much of a description an error cites, in bytes.
const CITED_BYTES_MAX: usize = 200;

/// A bot, called by its token.
pub(super) struct Bot {
    base: Url,
    token: Arc<Key>,
    client: Client,
    now: Now,
}

/// Why a call came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    /// In words for people.
    pub(super) error: String,
    /// The service's own code, as of HTTP; `None` where nothing of the service answered.
    pub(super) code: Option<i64>,
    /// How long to wait at least (`ResponseParameters`).
    pub(super) retry_after: Option<Span>,
    /// Where the chat is now (`ResponseParameters`).
    pub(super) migrated_to: Option<i64>,
}

impl Bot {
    /// Returns a bot of the service at `base`; nothing is opened.
    pub(super) fn new(base: Url, token: Arc<Key>, ca: Vec<Certificate>, timeout: Duration, now: Now) -> Self {
        let client = Client::new(Options {
            ca,
            redirects: Redirects::Refused,
            timeout,
            connect_timeout: CONNECT_TIMEOUT.min(timeout),
        });
        Self { base, token, client, now }
    }

    /// Returns what of the service's address may be shown.
    pub(super) fn host(&self) -> String {
        host(&self.base)
    }

    /// Calls a method, and returns its result.
    ///
    /// # Errors
    /// It was refused, or nobody answered; in words that hold nothing of the token.
    pub(super) async fn call(&self, method: &'static str, arguments: &Value) -> Result<Value, Refusal> {
        let host = self.host();
        let token = self.token.reveal().await.map_err(unanswered)?;
        let mut url = self.base.clone();
        // As one part of the path, whatever stands in it: a token must not lead to another address.
        let path = url.path_segments_mut().map(|mut path| {
            path.pop_if_empty().push(&format!("bot{}", token.reveal())).push(method);
        });
        path.map_err(|()| unanswered(format!("cannot call {method}: {host} has no path")))?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let hidden = token.reveal().split(':').fold(Hidden::of(&url, &headers), Hidden::and).and(token.reveal());
        let sent = self.client.post(url, headers, arguments.to_string(), Need::Body).await;
        let answer = sent.map_err(|why| unanswered(format!("cannot call {method} of {host}: {why}")))?;
        let read = self.read(method, &answer, &hidden);
        // 404 is the answer to what does not look like a token.
        if matches!(&read, Err(refusal) if matches!(refusal.code, Some(401 | 404))) {
            self.token.forget().await;
        }
        read
    }

    fn read(&self, method: &str, answer: &Answer, hidden: &Hidden) -> Result<Value, Refusal> {
        let host = self.host();
        let mut body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match body["ok"].as_bool() {
            Some(true) => Ok(body["result"].take()),
            Some(false) => {
                let code = body["error_code"].as_i64().unwrap_or_else(|| answer.status.as_u16().into());
                let why = text::line(&hidden.strip(body["description"].as_str().unwrap_or_default()));
                let why = text::cut(&why, CITED_BYTES_MAX);
                let parameters = &body["parameters"];
                Err(Refusal {
                    error: format!("{host} refused {method} with {code}: {why}"),
                    code: Some(code),
                    retry_after: parameters["retry_after"].as_i64().map(Span::from_secs),
                    migrated_to: parameters["migrate_to_chat_id"].as_i64(),
                })
            }
            // Something on the way, not the service.
            None => {
                let rule = Success { pointer: "/ok".to_owned(), equals: Scalar::Bool(true) };
                match judge(&host, answer, Some(&rule), hidden, (self.now)()) {
                    Report::Failed { error, retry_after, .. } => Err(Refusal { retry_after, ..unanswered(error) }),
                    Report::Delivered { .. } | Report::Away { .. } => {
                        Err(unanswered(format!("{host} answered {method} with something else")))
                    }
                }
            }
        }
    }
}

fn unanswered(error: String) -> Refusal {
    Refusal { error, code: None, retry_after: None, migrated_to: None }
}
