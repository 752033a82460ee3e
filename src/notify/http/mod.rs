//! How does a request get to a service, and what does its answer say? What all channels share that speak HTTP.
//!
//! Never shows a secret: an address is named in an error by its host alone, since the rest of it is often the key.

#[cfg(feature = "webhook")]
use reqwest::{Certificate, Url};

#[cfg(feature = "webhook")]
pub(in crate::notify) mod client;
#[cfg(feature = "webhook")]
pub(in crate::notify) mod hidden;
#[cfg(feature = "webhook")]
pub(in crate::notify) mod lines;
#[cfg(feature = "webhook")]
pub(in crate::notify) mod outcome;

/// Whether to go where an answer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Redirects {
    /// No: a target could point at this machine's own services.
    #[default]
    Refused,
    /// Yes, where the request stays what it is.
    Followed,
}

/// What the body of an answer must hold, for a target that reports failures with status 200 (FAULTS B29).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Success {
    /// Where: a JSON pointer (RFC 6901), such as `/errcode`.
    pub pointer: String,
    /// What.
    pub equals: Scalar,
}

/// A plain value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// True or false.
    Bool(bool),
}

/// Reads an address.
#[cfg(feature = "webhook")]
pub(in crate::notify) fn read_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("expected a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        scheme => Err(format!("expected a URL of http or https, found {scheme}")),
    }
}

/// Returns what of an address may be shown: the rest is often the key to it.
#[cfg(feature = "webhook")]
pub(in crate::notify) fn host(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Reads certificates.
#[cfg(feature = "webhook")]
pub(in crate::notify) fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, String> {
    match Certificate::from_pem_bundle(pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) | Err(_) => Err("expected certificates in PEM".to_owned()),
    }
}
