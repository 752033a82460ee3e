//! The mail channel of a build with the feature `mail`: joins deliveries with servers, passwords and what they answer.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use tokio::sync::{OnceCell, watch};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Report, Target};
use crate::domain::effect::Withdrawal;
use crate::domain::secret::Secret;
use crate::notify::fault::Fault;
use crate::notify::mail::letter::{Addresses, letter};
use crate::notify::mail::session::{Failure, Taken, hand_over};
use crate::notify::mail::{RECIPIENTS_MAX, Security, Settings};
use crate::notify::named::Named;
use crate::notify::network::Network;
use crate::notify::progress::Progress;
use crate::notify::{Channel, Presence, text};

/// How many mails are handed over at once, each on a connection of its own.
const WORKERS: usize = 8;

/// How much of a server's answer an error cites, in bytes.
const CITED_BYTES_MAX: usize = 300;

/// Mail addresses.
pub struct MailChannel {
    targets: Named<Endpoint>,
    /// Who has a mail that not all have.
    progress: Progress<Vec<String>>,
}

/// One target, ready for use.
struct Endpoint {
    settings: Settings,
    addresses: Addresses,
    ca: Option<Certificate>,
    /// Made with the first attempt: the system's certificates are read for it.
    tls: OnceCell<TlsParameters>,
}

/// Why an attempt failed, and whether another will too.
struct Why {
    told: String,
    is_final: bool,
}

impl Why {
    const fn passing(told: String) -> Self {
        Self { told, is_final: false }
    }
}

impl MailChannel {
    /// Returns the channel, with no target yet.
    #[must_use]
    pub fn new() -> Self {
        Self { targets: Named::none(ChannelKind::Mail), progress: Progress::none() }
    }

    /// Puts these targets in the place of all, and lets what waits for one be tried. Nothing is opened.
    ///
    /// # Errors
    /// Everything that is wrong with their settings; then all stays as it was.
    pub fn configure(&self, targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        let (mut named, mut faults) = (Vec::new(), Vec::new());
        for settings in targets {
            let name = settings.name.clone();
            match Endpoint::new(settings) {
                Ok(endpoint) => named.push((name, endpoint)),
                Err((key, reason)) => {
                    faults.push(Fault { target: Target { kind: ChannelKind::Mail, address: name }, key, reason });
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        self.targets.replace(named);
        Ok(())
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(self, network: Arc<dyn Network>) -> Self {
        Self { targets: self.targets.heeding(network), ..self }
    }

    async fn send(&self, delivery: &Delivery) -> Report {
        let id = &delivery.id;
        let endpoint = match self.targets.find(&id.target.address) {
            Ok(endpoint) => endpoint,
            Err(away) => return away,
        };
        let limit = endpoint.settings.timeout;
        let taken = timeout(limit, endpoint.attempt(delivery, self.progress.of(id))).await;
        let taken = taken.unwrap_or_else(|_| Err(Why::passing(format!("it took longer than {limit:?}"))));
        let host = &endpoint.settings.host;
        match taken {
            Ok(taken) => self.judge(id, host, taken),
            Err(Why { told, is_final }) => {
                let error = format!("cannot send mail by {host}: {told}");
                Report::Failed { error, is_final, retry_after: None }
            }
        }
    }

    /// Says what became of a mail that the server took for some at least, or for none since all are refused.
    fn judge(&self, id: &DeliveryId, host: &str, taken: Taken) -> Report {
        if taken.refused.is_empty() {
            self.progress.end(id);
            return Report::DELIVERED;
        }
        // Refused for good is refused for good (RFC 5321, 4.2.1); while one of them may pass, that one is tried again.
        let is_final = taken.refused.iter().all(|(_, error)| error.is_permanent());
        let is_one = taken.refused.len() + taken.by.len() == 1;
        let tell = |(address, error): &(String, Error)| {
            if is_one { answered(error) } else { format!("{address}: {}", answered(error)) }
        };
        let told: Vec<String> = taken.refused.iter().map(tell).collect();
        let others = match taken.by.len() {
            0 => String::new(),
            1 => " (the other has it)".to_owned(),
            count => format!(" (the {count} others have it)"),
        };
        if is_final {
            self.progress.end(id);
        } else {
            self.progress.note(id, taken.by);
        }
        let error = format!("{host} does not take it: {}{others}", told.join(", "));
        Report::Failed { error, is_final, retry_after: None }
    }
}

impl Default for MailChannel {
    fn default() -> Self {
        Self::new()
    }
}

impl Endpoint {
    /// Looks at what can be seen without asking the server.
    fn new(settings: Settings) -> Result<Self, (&'static str, String)> {
        let Settings { host, user, to, .. } = &settings;
        let is_here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if settings.security == Security::None && !is_here {
            let why = format!("expected tls or starttls for {host}: only to this machine may the line be open");
            return Err(("security", why));
        }
        if user.is_some() != settings.password.is_some() {
            let key = if user.is_some() { "user" } else { "password" };
            return Err((key, "expected a user and a password, or neither".to_owned()));
        }
        if to.len() > RECIPIENTS_MAX {
            return Err(("to", format!("expected at most {RECIPIENTS_MAX} addresses, found {}", to.len())));
        }
        let addresses = Addresses::of(&settings)?;
        let ca = settings.ca.as_deref().map(Certificate::from_pem).transpose();
        let ca = ca.map_err(|_| ("ca_file", "expected certificates in PEM".to_owned()))?;
        Ok(Self { settings, addresses, ca, tls: OnceCell::new() })
    }

    async fn attempt(&self, delivery: &Delivery, before: Vec<String>) -> Result<Taken, Why> {
        let Settings { user, password, .. } = &self.settings;
        let letter = letter(delivery, &self.addresses).map_err(Why::passing)?;
        let secret = match password {
            Some(password) => Some(password.reveal().await.map_err(Why::passing)?),
            None => None,
        };
        let credentials =
            user.clone().zip(secret.as_ref()).map(|(user, secret)| Credentials::new(user, secret.reveal().to_owned()));
        let tls = match self.settings.security {
            Security::None => None,
            Security::Tls | Security::StartTls => {
                Some(self.tls.get_or_try_init(|| self.tls()).await.map_err(Why::passing)?.clone())
            }
        };
        let handed = hand_over(&self.settings, tls, credentials, (&self.addresses, &letter), before).await;
        match handed {
            Ok(taken) => Ok(taken),
            Err(failure) => Err(self.why(&failure, secret.as_ref()).await),
        }
    }

    /// Of the line and the password nothing is final: a person amends that, and the reminder waits for it.
    async fn why(&self, failure: &Failure, secret: Option<&Secret>) -> Why {
        let (error, is_final) = match failure {
            Failure::Line(error) => (error, false),
            Failure::Login(error) => {
                if let (Some(password), true) = (&self.settings.password, error.status().is_some()) {
                    password.forget().await;
                }
                (error, false)
            }
            Failure::Transaction(error) => (error, error.is_permanent()),
        };
        let told = answered(error);
        // Some servers say back what they were told.
        let told = secret.map_or_else(|| told.clone(), |secret| told.replace(secret.reveal(), "(not shown)"));
        let what = if matches!(failure, Failure::Login(_)) { "it does not take the user and password: " } else { "" };
        Why { told: format!("{what}{told}"), is_final }
    }

    async fn tls(&self) -> Result<TlsParameters, String> {
        let mut builder = TlsParameters::builder(self.settings.host.clone());
        if let Some(ca) = &self.ca {
            builder = builder.add_root_certificate(ca.clone());
        }
        // Reads the system's certificates.
        let built = tokio::task::spawn_blocking(move || builder.build_rustls()).await;
        built.map_err(|error| error.to_string())?.map_err(|error| answered(&error))
    }
}

/// Returns what a server or the way to it said, as one short line.
fn answered(error: &Error) -> String {
    if error.is_response() {
        return "it said something that is no answer".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    let said = text::line(&cause.to_string());
    let line = match error.status() {
        Some(code) if said.is_empty() => code.to_string(),
        Some(code) => format!("{code} {said}"),
        None => said,
    };
    text::cut(&line, CITED_BYTES_MAX)
}

/// Nothing of the targets: they hold keys.
impl fmt::Debug for MailChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailChannel").finish_non_exhaustive()
    }
}

impl Channel for MailChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Mail
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.send(delivery).boxed()
    }

    /// What is in a mailbox stays there.
    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.targets.presence()
    }
}
