//! What must never be shown: a key, a password, an address that holds one.
//!
//! Never gives its text to `Debug`, a log line, an error or the wire: whoever needs it says so with [`Secret::reveal`].

use std::fmt;

/// A text that is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret of a text.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns what may be shown of an address: where it leads, and nothing of what stands behind or before that, which is often
    /// the key to it.
    #[must_use]
    pub fn shown_address(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return "…".to_owned() };
        let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}/…")
    }

    /// Returns the text, for the one use that it has.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("whsec_x".to_owned());
        assert_eq!((format!("{secret:?}").as_str(), secret.reveal()), ("Secret", "whsec_x"));
    }

    #[test]
    fn of_an_address_its_host_is_shown() {
        let check = |address: &str, shown: &str| {
            assert_eq!(Secret::new(address.to_owned()).shown_address(), shown, "{address}");
        };
        check("https://hc-ping.com/key", "https://hc-ping.com/…");
        check("https://me:key@example.org:8443?key#key", "https://example.org:8443/…");
        check(r"https://example.org\key", "https://example.org/…");
        check("https://example.org", "https://example.org/…");
        check("https:example.org/key", "…");
        check("key", "…");
    }
}
