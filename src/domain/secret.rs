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
}
