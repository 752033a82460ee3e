//! The pings of a build with the feature `webhook`: one request, judged by its status.

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::domain::delivery::Report;
use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;
use crate::notify::http::client::{Client, Need, Options};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::outcome::{failed, judge};
use crate::notify::http::{Redirects, host, read_url};
use crate::notify::ping::{PingRequest, TIMEOUT};
use crate::notify::webhook::CONNECT_TIMEOUT;

/// Sends pings.
#[derive(Debug)]
pub struct PingClient {
    client: Client,
}

impl PingClient {
    /// Returns the client; nothing is opened yet.
    #[must_use]
    pub fn new() -> Self {
        let options = Options {
            ca: Vec::new(),
            redirects: Redirects::Refused,
            timeout: TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
        };
        Self { client: Client::new(options) }
    }

    /// Looks whether an address can be pinged, and returns what may be shown of it.
    ///
    /// # Errors
    /// It is no address, or none of a web server.
    pub fn check(url: &Secret) -> Result<String, String> {
        read_url(url.reveal()).map(|url| host(&url))
    }

    /// Makes one attempt.
    pub async fn send(&self, request: &PingRequest, now: Timestamp) -> Report {
        let url = match read_url(request.url.reveal()) {
            Ok(url) => with_signal(url, request),
            Err(why) => return failed(format!("cannot ping: {why}"), true, None),
        };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        let (host, hidden) = (host(&url), Hidden::of(&url, &headers));
        match self.client.post(url, headers, request.body.clone(), Need::Status).await {
            Ok(answer) => judge(&host, &answer, None, &hidden, now),
            Err(why) => failed(format!("cannot ping {host}: {why}"), false, None),
        }
    }
}

impl Default for PingClient {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns where a signal goes: the address with a word behind its path and the run behind its query.
fn with_signal(mut url: Url, request: &PingRequest) -> Url {
    let path = format!("{}{}", url.path().trim_end_matches('/'), request.signal.suffix());
    url.set_path(&path);
    if let Some(run) = request.run {
        url.query_pairs_mut().append_pair("rid", &run.to_string());
    }
    url
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::notify::ping::Signal;

    #[track_caller]
    fn check(url: &str, signal: Signal, run: Option<Uuid>, expected: &str) {
        let request = PingRequest { url: Secret::new(url.to_owned()), signal, run, body: String::new() };
        assert_eq!(with_signal(Url::parse(url).unwrap(), &request).as_str(), expected);
    }

    #[test]
    fn a_signal_stands_behind_the_path_and_a_run_behind_the_query() {
        let run = Some(Uuid::from_u128(7));
        let rid = "rid=00000000-0000-0000-0000-000000000007";
        check("https://hc-ping.com/key", Signal::Start, run, &format!("https://hc-ping.com/key/start?{rid}"));
        check("https://hc-ping.com/key/", Signal::Failure, None, "https://hc-ping.com/key/fail");
        check("https://hc-ping.com/key", Signal::Success, None, "https://hc-ping.com/key");
        check("http://x/p?create=1", Signal::Success, run, &format!("http://x/p?create=1&{rid}"));
        check("http://x", Signal::Success, None, "http://x/");
    }
}
