//! The channel `mail`: how does a firing become a mail, and did the server take it for all who are to read it?
//!
//! Every attempt of a delivery is the same message with the same id, so that a mailbox can tell a repeat. It never tries
//! again by itself, never sends a password over an open line to another machine, and never shows one.

use std::time::Duration;

use crate::notify::keys::Key;

#[cfg(not(feature = "mail"))]
mod disabled;
#[cfg(feature = "mail")]
mod enabled;
#[cfg(feature = "mail")]
mod letter;
#[cfg(feature = "mail")]
mod session;

#[cfg(not(feature = "mail"))]
pub use disabled::MailChannel;
#[cfg(feature = "mail")]
pub use enabled::MailChannel;

/// The most people that one target reaches: a list of more is the mail server's matter.
pub const RECIPIENTS_MAX: usize = 16;

/// One target as it is configured.
#[derive(Debug)]
pub struct Settings {
    /// Its name, as in `mail:NAME`.
    pub name: String,
    /// The server that takes mail in.
    pub host: String,
    /// Its port, where that is not the usual one.
    pub port: Option<u16>,
    /// How the line to it is kept from being read.
    pub security: Security,
    /// Who sends, as the server knows them; nobody is named where that is missing.
    pub user: Option<String>,
    /// What proves it.
    pub password: Option<Key>,
    /// Who it is from: an address, or a name with one.
    pub from: String,
    /// Who is to read it.
    pub to: Vec<String>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<Vec<u8>>,
    /// How long an attempt may take in all.
    pub timeout: Duration,
}

/// How the line to a server is kept from being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Security {
    /// From the first byte (RFC 8314, 3.3).
    #[default]
    Tls,
    /// From a command on (RFC 3207); nothing is sent where the server does not know that.
    StartTls,
    /// Not at all: only to this machine.
    None,
}

impl Security {
    /// Returns the usual port: of submission over TLS, of submission, and of handing over.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::Tls => 465,
            Self::StartTls => 587,
            Self::None => 25,
        }
    }
}
