//! How is one mail handed to a server, and what does that say of each who is to read it?
//!
//! One connection an attempt, one transaction on it (RFC 5321, 3.3): that one address is refused keeps the others from
//! nothing. Nothing is said before the line is secure.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use crate::notify::mail::letter::Addresses;
use crate::notify::mail::{Security, Settings};

/// The ways to prove who sends, the first that the server knows; each only says the password, over a secure line.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// How long a good-bye may take.
const GOODBYE_WITHIN: Duration = Duration::from_secs(2);

/// Who has a mail, and who was refused.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// The addresses for which the server took it, in this attempt or one before.
    pub(super) by: Vec<String>,
    /// What it said of the others.
    pub(super) refused: Vec<(String, Error)>,
}

/// What the server, or the way to it, did not do.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no secure connection to it.
    Line(Error),
    /// It does not take the name and the password.
    Login(Error),
    /// It took nothing of the mail.
    Transaction(Error),
}

/// Hands a mail over for all who do not have it yet.
///
/// # Errors
/// Why nobody has it.
pub(super) async fn hand_over(
    settings: &Settings,
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
    mail: (&Addresses, &[u8]),
    before: Vec<String>,
) -> Result<Taken, Failure> {
    let mut connection = connect(settings, tls).await.map_err(Failure::Line)?;
    let handed = async {
        if let Some(credentials) = credentials {
            connection.auth(&MECHANISMS, &credentials).await.map_err(Failure::Login)?;
        }
        transact(&mut connection, mail, before).await.map_err(Failure::Transaction)
    }
    .await;
    // Says good-bye and closes. Whether that is heard changes nothing, so nothing waits for it.
    tokio::spawn(async move { timeout(GOODBYE_WITHIN, connection.abort()).await.is_ok() });
    handed
}

async fn connect(settings: &Settings, tls: Option<TlsParameters>) -> Result<AsyncSmtpConnection, Error> {
    let server = (settings.host.as_str(), settings.port.unwrap_or(settings.security.port()));
    // The machine's own name is nobody's business.
    let hello = ClientId::default();
    let from_the_start = tls.clone().filter(|_| settings.security == Security::Tls);
    let limit = Some(settings.timeout);
    let mut connection = AsyncSmtpConnection::connect_tokio1(server, limit, &hello, from_the_start, None).await?;
    if let (Security::StartTls, Some(tls)) = (settings.security, tls) {
        connection.starttls(tls, &hello).await?;
    }
    Ok(connection)
}

async fn transact(
    connection: &mut AsyncSmtpConnection,
    (addresses, letter): (&Addresses, &[u8]),
    before: Vec<String>,
) -> Result<Taken, Error> {
    let mut taken = Taken { by: before, refused: Vec::new() };
    connection.command(Mail::new(Some(addresses.from.email.clone()), Vec::new())).await?;
    let mut accepted = Vec::new();
    let remaining = |mailbox: &&Mailbox| taken.by.iter().all(|address| address != mailbox.email.as_ref() as &str);
    for mailbox in addresses.to.iter().filter(remaining).collect::<Vec<_>>() {
        let address = mailbox.email.to_string();
        match connection.command(Rcpt::new(mailbox.email.clone(), Vec::new())).await {
            Ok(_) => accepted.push(address),
            // Anything but an answer is the end of the line.
            Err(error) if error.status().is_none() => return Err(error),
            Err(error) => taken.refused.push((address, error)),
        }
    }
    if !accepted.is_empty() {
        connection.command(Data).await?;
        connection.message(letter).await?;
        taken.by.extend(accepted);
    }
    Ok(taken)
}
