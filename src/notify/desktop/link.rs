//! Is there a session bus, and a notification server on it? Follows both for as long as the channel lives.
//!
//! One task, which sleeps until the bus, the server or a delivery wakes it. It never sends a popup.

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;
use zbus::address::Transport;
use zbus::address::transport::{Unix, UnixSocket};
use zbus::names::OwnedUniqueName;
use zbus::{Address, Connection, MatchRule, MessageStream};

use crate::domain::retry::{Jitter, back_off};
use crate::notify::Presence;
use crate::notify::changes::{Changes, Watched};
use crate::notify::desktop::hearing::Hearing;
use crate::notify::desktop::server::{INTERFACE, PATH, Server};
use crate::notify::desktop::{Choices, Looked, SessionBus};
use crate::notify::responses::Response;

const NAME: &str = "org.freedesktop.Notifications";
const NO_SERVER: &str = "no notification server on the session bus";
const BUS: &str = "org.freedesktop.DBus";
const BUS_PATH: &str = "/org/freedesktop/DBus";

/// How often, and how long apart, a bus whose socket has just changed is tried again.
///
/// A socket appears a moment before its owner listens, and nothing tells of that second step.
const SETTLING_TRIES: u32 = 5;
const SETTLING_PAUSE: Duration = Duration::from_millis(200);

/// The state of the link, shared with the deliveries.
#[derive(Debug)]
pub(super) struct Link {
    bus: SessionBus,
    server: Mutex<Option<Arc<Server>>>,
    presence: watch::Sender<Presence>,
    knock: Notify,
    hearing: Arc<Hearing>,
}

impl Link {
    /// Returns a link that has not looked yet.
    pub(super) fn new(bus: SessionBus, choices: Choices) -> Self {
        let presence = watch::Sender::new(Presence::not_looked_yet());
        let hearing = Arc::new(Hearing::new(choices));
        Self { bus, server: Mutex::new(None), presence, knock: Notify::new(), hearing }
    }

    /// Returns the longest that a call may take.
    pub(super) fn answer_within(&self) -> Duration {
        self.bus.answer_within
    }

    /// Returns the server, if there is one now.
    pub(super) fn server(&self) -> Option<Arc<Server>> {
        self.server.lock().expect("no holder of the server panics").clone()
    }

    /// Returns why there is no server, and has it looked for anew, for what no watch can tell of.
    pub(super) fn ask(&self) -> String {
        self.knock.notify_one();
        match &*self.presence.borrow() {
            Presence::Away { reason } => reason.clone(),
            Presence::Present => "the notification server left the session bus".to_owned(),
        }
    }

    /// Tells of each change.
    pub(super) fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }

    /// Tells from now on of all that the person says on popups.
    pub(super) fn responses(&self) -> mpsc::Receiver<Response> {
        self.hearing.listen()
    }

    /// Forgets the server, and ends what is under way there.
    pub(super) fn drop_server(&self) {
        if let Some(before) = self.server.lock().expect("no holder of the server panics").take() {
            before.leave();
        }
    }

    /// Follows the bus and the server, for ever.
    pub(super) async fn follow(&self) {
        let mut tries_left = SETTLING_TRIES;
        loop {
            // Watched before it is tried, so that nothing is missed between the two.
            let socket = Changes::over(&self.sockets());
            match self.connect().await {
                Ok(connection) => {
                    let end = self.serve(&connection).await;
                    self.drop_server();
                    // A bus that breaks each connection at once is not tried for ever.
                    if end.is_ok() {
                        tries_left = SETTLING_TRIES;
                    }
                    let why = end.err().map(|error| format!(": {error}")).unwrap_or_default();
                    self.away(format!("the session bus went away{why}"));
                }
                Err(reason) => self.away(reason),
            }
            let woken = async {
                tokio::select! {
                    () = socket.next() => true,
                    () = self.knock.notified() => false,
                }
            };
            if tries_left == 0 {
                if woken.await {
                    tries_left = SETTLING_TRIES;
                }
            } else {
                tries_left = match timeout(SETTLING_PAUSE, woken).await {
                    Ok(true) => SETTLING_TRIES,
                    Ok(false) | Err(_) => tries_left - 1,
                };
            }
        }
    }

    /// Looks once whether there is a bus and a server, and has the bus start one that it knows.
    pub(super) async fn look(&self) -> Looked {
        let connection = match self.connect().await {
            Ok(connection) => connection,
            Err(reason) => return Looked::NoBus { reason },
        };
        match self.limited(name_owner(&connection)).await {
            Ok(Some(_)) => {}
            Ok(None) => {
                if let Err(missing) = self.start_server(&connection, 0).await {
                    return Looked::NoServer { reason: missing.reason };
                }
            }
            Err(error) => return Looked::NoServer { reason: error.to_string() },
        }
        let call = |method| connection.call_method(Some(NAME), PATH, Some(INTERFACE), method, &());
        let told = async {
            let reply = self.limited(call("GetServerInformation")).await?;
            let (name, vendor, version, _): (String, String, String, String) = reply.body().deserialize()?;
            let reply = self.limited(call("GetCapabilities")).await?;
            let name = format!("{name} {version} ({vendor})");
            Ok::<_, zbus::Error>(Looked::Server { name, capabilities: reply.body().deserialize()? })
        };
        told.await.unwrap_or_else(|error| Looked::NoServer {
            reason: format!("the notification server does not answer: {error}"),
        })
    }

    /// Connects to the first address that answers.
    async fn connect(&self) -> Result<Connection, String> {
        let addresses = self.addresses()?;
        let mut reason = String::new();
        for address in addresses {
            match self.limited(zbus::connection::Builder::address(address).build()).await {
                Ok(connection) => return Ok(connection),
                // The address stands in what is said anyway.
                Err(zbus::Error::Connection(error, ..)) => reason = error.to_string(),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(match &self.bus.address {
            Some(address) => format!("no session bus: cannot connect to {address}: {reason}"),
            None => format!(
                "no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and cannot connect to {}: {reason}",
                self.bus.runtime_dir.join("bus").display()
            ),
        })
    }

    fn addresses(&self) -> Result<Vec<Address>, String> {
        let Some(listed) = &self.bus.address else {
            let socket = UnixSocket::File(self.bus.runtime_dir.join("bus"));
            return Ok(vec![Address::new(Transport::Unix(Unix::new(socket)))]);
        };
        let read = |address: &str| {
            address.parse().map_err(|error| format!("no session bus: cannot read the address {address:?}: {error}"))
        };
        listed.split(';').filter(|address| !address.is_empty()).map(read).collect()
    }

    /// The sockets whose appearing can be watched; abstract ones and those of other machines cannot.
    fn sockets(&self) -> Vec<Watched> {
        let addresses = self.addresses().unwrap_or_default();
        let files = addresses.iter().filter_map(|address| match address.transport() {
            Transport::Unix(unix) => match unix.path() {
                UnixSocket::File(path) => Some(Watched::Entry(path.clone())),
                _ => None,
            },
            _ => None,
        });
        files.collect()
    }

    /// Follows the server on one connection until that ends.
    async fn serve(&self, connection: &Connection) -> zbus::Result<()> {
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender(BUS)
            .interface(BUS)
            .member("NameOwnerChanged")
            .arg(0, NAME)
            .build()?;
        let mut changes = self.limited(MessageStream::for_match_rule(rule, connection, None)).await?;
        // Whose word it is, the server itself looks at: the bus knows the name's owner only as it is now.
        let rule =
            MatchRule::builder().msg_type(zbus::message::Type::Signal).path(PATH).interface(INTERFACE).build()?;
        // One stream for all that it says, so that what came first is heard first.
        let mut words = self.limited(MessageStream::for_match_rule(rule, connection, None)).await?;
        // Asked after the subscription, so that no change is missed between the two.
        let mut search = match self.limited(name_owner(connection)).await? {
            Some(owner) => self.found(connection, owner),
            None => self.search(connection, 0),
        };
        loop {
            tokio::select! {
                () = connection.closed() => return Ok(()),
                change = changes.next() => {
                    let Some(change) = change.transpose()? else { return Ok(()) };
                    let (_, _, owner): (String, String, String) = change.body().deserialize()?;
                    search = match OwnedUniqueName::try_from(owner) {
                        Ok(owner) => self.found(connection, owner),
                        // The empty name: the owner left.
                        Err(_) => self.lost(connection),
                    };
                }
                word = words.next() => {
                    let Some(word) = word.transpose()? else { return Ok(()) };
                    if let Some(server) = self.server() {
                        server.heard(&word);
                    }
                }
                missing = &mut search => {
                    self.away(missing.reason);
                    search = self.search_again(connection, missing.attempts);
                }
            }
        }
    }

    /// Takes a server that appeared, and tells of it even if there was one before: what waits is to be tried anew.
    fn found(&self, connection: &Connection, owner: OwnedUniqueName) -> Search<'_> {
        tracing::info!(%owner, "the notification server is there");
        self.drop_server();
        let server = Server::new(connection.clone(), owner, Arc::clone(&self.hearing));
        *self.server.lock().expect("no holder of the server panics") = Some(server);
        self.presence.send_replace(Presence::Present);
        pending().boxed()
    }

    fn lost(&self, connection: &Connection) -> Search<'_> {
        self.drop_server();
        self.away(NO_SERVER.to_owned());
        self.search(connection, 0)
    }

    /// Asks the bus to start a server. One that starts is told of as a change of the name's owner.
    fn search(&self, connection: &Connection, attempts: u32) -> Search<'_> {
        let connection = connection.clone();
        async move {
            match self.start_server(&connection, attempts).await {
                Ok(()) => pending().await,
                Err(missing) => missing,
            }
        }
        .boxed()
    }

    async fn start_server(&self, connection: &Connection, attempts: u32) -> Result<(), Missing> {
        let start = connection.call_method(Some(BUS), BUS_PATH, Some(BUS), "StartServiceByName", &(NAME, 0_u32));
        match self.limited(start).await {
            Ok(_) => Ok(()),
            Err(error) if is_unknown(&error) => Err(Missing { reason: NO_SERVER.to_owned(), attempts: 0 }),
            Err(error) => {
                let reason = format!("the notification server could not be started: {error}");
                Err(Missing { reason, attempts: attempts + 1 })
            }
        }
    }

    /// Waits until it makes sense to ask again, and does.
    ///
    /// A server that the bus knows but cannot start mostly waits for a display, and nothing tells when that is
    /// there: it is asked for at the back-off of deliveries. One that the bus does not know comes by itself.
    fn search_again(&self, connection: &Connection, attempts: u32) -> Search<'_> {
        let connection = connection.clone();
        async move {
            if attempts > 0 {
                let (shortest, whole) = (back_off(1, Jitter::NONE), back_off(attempts, Jitter::NONE));
                // Deliveries ask at once whenever the reason is another; that must not become a loop.
                let _ = timeout(shortest.to_duration(), connection.closed()).await;
                let rest = whole.to_duration().saturating_sub(shortest.to_duration());
                // Whether the time is over or a delivery asked, what follows is the same.
                let _ = timeout(rest, self.knock.notified()).await;
            } else {
                self.knock.notified().await;
            }
            self.search(&connection, attempts).await
        }
        .boxed()
    }

    /// Says why nobody can be reached; told only when it is news, since deliveries that come of it ask again.
    fn away(&self, reason: String) {
        let now = Presence::Away { reason };
        self.presence.send_if_modified(|presence| {
            let is_news = *presence != now;
            if is_news {
                tracing::info!(presence = ?now, "the desktop cannot be reached");
                *presence = now;
            }
            is_news
        });
    }

    async fn limited<T>(&self, call: impl Future<Output = zbus::Result<T>>) -> zbus::Result<T> {
        let limit = self.bus.answer_within;
        timeout(limit, call)
            .await
            .unwrap_or_else(|_| Err(zbus::Error::Failure(format!("there was no answer within {limit:?}"))))
    }
}

/// A search for a server, which ends when there is none.
type Search<'a> = BoxFuture<'a, Missing>;

/// What a search says that found nothing.
#[derive(Debug)]
struct Missing {
    reason: String,
    /// How often in a row a server that the bus knows was not started.
    attempts: u32,
}

async fn name_owner(connection: &Connection) -> zbus::Result<Option<OwnedUniqueName>> {
    match connection.call_method(Some(BUS), BUS_PATH, Some(BUS), "GetNameOwner", &NAME).await {
        Ok(reply) => Ok(Some(reply.body().deserialize()?)),
        Err(error) if is_unknown(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether the bus knows no owner of the name and no way to start one.
fn is_unknown(error: &zbus::Error) -> bool {
    use zbus::fdo::Error::{NameHasNoOwner, ServiceUnknown};
    matches!(error, zbus::Error::FDO(error) if matches!(**error, ServiceUnknown(_) | NameHasNoOwner(_)))
}
