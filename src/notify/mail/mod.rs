//! The channel `mail`: how does a firing become a mail, and did the server take it for all who are to read it?
//!
//! Every attempt of a delivery is the same message with the same id, so that a mailbox can tell a repeat. It never tries
//! again by itself, never sends a password over an open line to another machine, and never shows one.

use std::path::PathBuf;
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
    /// A file of certificates (PEM) that are trusted beside the system's.
    pub ca_file: Option<PathBuf>,
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

/// A setting of a target that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its key in the configuration.
    pub key: &'static str,
    /// Why, without the value where that may be a secret.
    pub reason: String,
}

impl Settings {
    /// Looks at what can be seen without asking the server.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn check(&self) -> Result<(), Fault> {
        let is_here = matches!(self.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if self.security == Security::None && !is_here {
            let reason =
                format!("expected tls or starttls for {}: only to this machine may the line be open", self.host);
            return Err(Fault { key: "security", reason });
        }
        if self.user.is_some() != self.password.is_some() {
            let key = if self.user.is_some() { "user" } else { "password" };
            return Err(Fault { key, reason: "expected a user and a password, or neither".to_owned() });
        }
        if self.to.len() > RECIPIENTS_MAX {
            let reason = format!("expected at most {RECIPIENTS_MAX} addresses, found {}", self.to.len());
            return Err(Fault { key: "to", reason });
        }
        #[cfg(feature = "mail")]
        letter::Addresses::of(self)?;
        Ok(())
    }
}
