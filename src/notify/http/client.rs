//! How does a request get to a target and its answer back, within limits of time and size?
//!
//! Never goes where an answer points unless that is allowed, and never puts an address into an error: its host at most.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Certificate, Method, Response, Url};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::notify::http::Redirects;
use crate::notify::http::lines::Lines;
use crate::notify::http::outcome::{ANSWER_BYTES_MAX, Answer};

/// Who asks.
const USER_AGENT: &str = concat!("keiko/", env!("CARGO_PKG_VERSION"));

/// The most redirects in a row.
const REDIRECTS_MAX: usize = 5;

/// How many connections wait for the next request: as many as a target has under way.
const IDLE_MAX: usize = 2;

/// How long a connection waits for the next request. Shorter than the usual 60 s of servers, which would cut it off.
const IDLE_FOR: Duration = Duration::from_secs(30);

/// How long an answer may take to end whose status said all: only for the connection's sake.
const DRAINED_WITHIN: Duration = Duration::from_millis(500);

/// What a client is built with.
#[derive(Clone, Debug)]
pub(in crate::notify) struct Options {
    /// Trusted beside the system's certificates.
    pub(in crate::notify) ca: Vec<Certificate>,
    /// Whether to go where an answer points.
    pub(in crate::notify) redirects: Redirects,
    /// How long an attempt may take in all.
    pub(in crate::notify) timeout: Duration,
    /// How long a connection may take to be there.
    pub(in crate::notify) connect_timeout: Duration,
}

/// Sends requests, and keeps connections for the next.
#[derive(Debug)]
pub(in crate::notify) struct Client {
    options: Options,
    /// Built with the first request: reading the system's certificates takes time, and fails where there are none.
    built: OnceCell<reqwest::Client>,
}

/// Whether the body of an answer is needed to judge it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::notify) enum Need {
    /// Its status is enough where that is a success.
    Status,
    /// The body decides.
    Body,
}

impl Client {
    /// Returns a client; nothing is opened yet.
    pub(in crate::notify) fn new(options: Options) -> Self {
        Self { options, built: OnceCell::new() }
    }

    /// Posts a request and reads its answer.
    ///
    /// # Errors
    /// As of [`Client::send`].
    pub(in crate::notify) async fn post(
        &self,
        url: Url,
        headers: HeaderMap,
        body: String,
        need: Need,
    ) -> Result<Answer, String> {
        self.send(Method::POST, url, headers, body, need).await
    }

    /// Sends a request and reads its answer.
    ///
    /// # Errors
    /// Why there is no answer, in words that hold no part of the address.
    pub(in crate::notify) async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: String,
        need: Need,
    ) -> Result<Answer, String> {
        let client = self.client(&url).await?;
        let sent = client.request(method, url).headers(headers).body(body).send().await;
        let response = sent.map_err(|error| self.told(error))?;
        let is_enough = need == Need::Status && response.status().is_success();
        Ok(self.answer(response, if is_enough { DRAINED_WITHIN } else { self.options.timeout }).await)
    }

    /// Opens an answer that goes on, as long as this client's time limit. What is no success is read to its end.
    ///
    /// # Errors
    /// As of [`Client::send`].
    pub(in crate::notify) async fn open(
        &self,
        url: Url,
        headers: HeaderMap,
        within: Duration,
    ) -> Result<Result<Lines, Answer>, String> {
        let client = self.client(&url).await?;
        let sent = timeout(within, client.get(url).headers(headers).send()).await;
        let response = sent.map_err(|_| format!("no answer within {within:?}"))?.map_err(|error| self.told(error))?;
        if response.status().is_success() {
            return Ok(Ok(Lines::of(response)));
        }
        Ok(Err(self.answer(response, within).await))
    }

    async fn answer(&self, mut response: Response, limit: Duration) -> Answer {
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let mut answer = Answer { status, retry_after, body: Vec::new(), broken: None };
        // The client's own limit ends it earlier; what was read until then is kept.
        let read = timeout(limit, read(&mut response, &mut answer.body)).await;
        answer.broken =
            read.map_or_else(|_| Some("it did not end".to_owned()), |end| end.map_err(|e| self.told(e)).err());
        answer
    }

    async fn client(&self, url: &Url) -> Result<reqwest::Client, String> {
        let (options, is_plain) = (self.options.clone(), url.scheme() == "http");
        let first = async || {
            let built = tokio::task::spawn_blocking(move || build(&options, is_plain)).await;
            built.map_err(|error| error.to_string())?.map_err(|error| deepest(&error.without_url()))
        };
        match timeout(self.options.timeout, self.built.get_or_try_init(first)).await {
            Ok(Ok(client)) => Ok(client.clone()),
            Ok(Err(why)) => Err(format!("no connection can be made secure: {why}")),
            Err(_) => Err("it took too long to read the system's certificates".to_owned()),
        }
    }

    fn told(&self, error: reqwest::Error) -> String {
        let Options { timeout, connect_timeout, .. } = &self.options;
        let error = error.without_url();
        if error.is_timeout() && error.is_connect() {
            format!("no connection within {:?}", connect_timeout.min(timeout))
        } else if error.is_timeout() {
            format!("no whole answer within {timeout:?}")
        } else {
            deepest(&error)
        }
    }
}

/// Reads an answer up to the limit; what is behind it is never read.
async fn read(response: &mut Response, body: &mut Vec<u8>) -> reqwest::Result<()> {
    while body.len() < ANSWER_BYTES_MAX {
        let Some(chunk) = response.chunk().await? else { return Ok(()) };
        body.extend_from_slice(&chunk[..chunk.len().min(ANSWER_BYTES_MAX - body.len())]);
    }
    Ok(())
}

fn build(options: &Options, is_plain: bool) -> reqwest::Result<reqwest::Client> {
    // Whoever comes second finds the same one installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || {
        reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .referer(false)
            .redirect(policy(options.redirects))
            .timeout(options.timeout)
            .connect_timeout(options.connect_timeout)
            .pool_max_idle_per_host(IDLE_MAX)
            .pool_idle_timeout(IDLE_FOR)
    };
    match builder().tls_certs_merge(options.ca.iter().cloned()).build() {
        // A machine without certificates can still speak without them.
        Err(_) if is_plain => builder().tls_certs_only(options.ca.iter().cloned()).build(),
        built => built,
    }
}

fn policy(redirects: Redirects) -> Policy {
    match redirects {
        Redirects::Refused => Policy::none(),
        Redirects::Followed => Policy::custom(follow),
    }
}

/// Follows only where the request stays a POST with its body (307 and 308), and never from a secure address to an open one.
fn follow(attempt: Attempt<'_>) -> Action {
    let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
    let is_weaker = attempt.url().scheme() != "https" && attempt.previous().iter().any(|url| url.scheme() == "https");
    if keeps_body && !is_weaker && attempt.previous().len() <= REDIRECTS_MAX {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// Returns the cause that lies deepest: those above it only say that something failed.
pub(super) fn deepest(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(below) = cause.and_then(std::error::Error::source) {
        cause = Some(below);
    }
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
