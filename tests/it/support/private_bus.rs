//! A session bus of the test's own, on which only the test's servers are.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use futures_util::StreamExt;
use tempfile::TempDir;
use zbus::{Connection, MatchRule, Message, MessageStream};

use crate::support::{Killed, soon};

/// A running bus; killed when dropped.
pub(crate) struct PrivateBus {
    _daemon: Killed,
    address: String,
    /// Held for as long as the bus: the socket's directory, where it is not the test's.
    place: Option<TempDir>,
}

impl PrivateBus {
    /// Starts a bus in a directory of its own.
    pub(crate) fn start() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let mut bus = Self::start_in(place.path());
        bus.place = Some(place);
        bus
    }

    /// Starts a bus whose socket is `bus` in `directory`. It starts the services that stand in its `services`, with
    /// no environment but a PATH.
    pub(crate) fn start_in(directory: &Path) -> Self {
        let config = directory.join("bus.conf");
        std::fs::write(&config, config_text(directory)).expect("a file of the test's own");
        let mut daemon = Command::new("dbus-daemon")
            .arg("--nofork")
            .arg("--print-address=1")
            .arg(format!("--config-file={}", config.display()))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon is installed");
        let stdout = daemon.stdout.take().expect("its output is a pipe");
        let daemon = Killed(daemon);
        let mut address = String::new();
        // The address is printed once the bus listens.
        BufReader::new(stdout).read_line(&mut address).expect("the bus starts");
        Self { _daemon: daemon, address: address.trim().to_owned(), place: None }
    }

    /// Returns the address to connect to.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Connects.
    pub(crate) async fn connect(&self) -> Connection {
        zbus::connection::Builder::address(self.address.as_str()).build().await.expect("the bus takes connections")
    }

    /// Listens to all that others say to each other.
    pub(crate) async fn overhear(&self) -> Overheard {
        let connection = self.connect().await;
        let stream = MessageStream::from(&connection);
        let (bus, monitoring) = ("org.freedesktop.DBus", Some("org.freedesktop.DBus.Monitoring"));
        let everything = (Vec::<String>::new(), 0_u32);
        let asked =
            connection.call_method(Some(bus), "/org/freedesktop/DBus", monitoring, "BecomeMonitor", &everything);
        asked.await.expect("a private bus lets itself be watched");
        Overheard(stream)
    }

    /// Returns how many connections the bus has, that of the question among them.
    pub(crate) async fn connections(&self) -> usize {
        let names: Vec<String> = ask_bus(&self.connect().await, "ListNames").await;
        names.iter().filter(|name| name.starts_with(':')).count()
    }

    /// Waits until somebody owns `name`.
    pub(crate) async fn wait_for_owner(&self, name: &str) {
        let connection = self.connect().await;
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender("org.freedesktop.DBus")
            .member("NameOwnerChanged")
            .arg(0, name)
            .build()
            .expect("a rule");
        let mut changes = MessageStream::for_match_rule(rule, &connection, None).await.expect("a subscription");
        let names: Vec<String> = ask_bus(&connection, "ListNames").await;
        if !names.iter().any(|known| known == name) {
            soon("an owner of the name", changes.next()).await.expect("the bus lives").expect("a signal");
        }
    }
}

/// What is said on a bus from now on.
pub(crate) struct Overheard(MessageStream);

impl Overheard {
    /// Waits until somebody calls `member`, and returns the call.
    pub(crate) async fn call(&mut self, member: &str) -> Message {
        self.wait_for(zbus::message::Type::MethodCall, member).await
    }

    /// Waits until somebody tells of `member`, and returns the signal.
    pub(crate) async fn signal(&mut self, member: &str) -> Message {
        self.wait_for(zbus::message::Type::Signal, member).await
    }

    async fn wait_for(&mut self, kind: zbus::message::Type, member: &str) -> Message {
        let wanted = async {
            loop {
                let message = self.0.next().await.expect("the bus lives").expect("a message");
                if message.message_type() == kind
                    && message.header().member().is_some_and(|name| name.as_str() == member)
                {
                    return message;
                }
            }
        };
        soon(member, wanted).await
    }
}

async fn ask_bus(connection: &Connection, method: &str) -> Vec<String> {
    let bus = "org.freedesktop.DBus";
    let reply = connection.call_method(Some(bus), "/org/freedesktop/DBus", Some(bus), method, &()).await;
    reply.expect("the bus answers").body().deserialize().expect("a list of names")
}

fn config_text(directory: &Path) -> String {
    let (socket, services): (PathBuf, PathBuf) = (directory.join("bus"), directory.join("services"));
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#,
        socket.display(),
        services.display()
    )
}
