//! A screen of the test's own, and on it dunst, which many people use.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::Killed;
use crate::support::private_bus::PrivateBus;

/// A screen that nobody sees; gone when dropped.
pub(crate) struct Screen {
    _server: Killed,
    display: String,
}

impl Screen {
    /// Starts an X server that takes connections when this returns.
    pub(crate) fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1024x600x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed");
        let stdout = server.stdout.take().expect("its output is a pipe");
        let server = Killed(server);
        let mut number = String::new();
        // The number is written once the server takes connections.
        BufReader::new(stdout).read_line(&mut number).expect("the X server starts");
        Self { _server: server, display: format!(":{}", number.trim()) }
    }

    /// Writes what the screen shows to a PNG file.
    pub(crate) fn shoot(&self, picture: &Path) {
        let status = Command::new("import")
            .args(["-display", &self.display, "-window", "root"])
            .arg(picture)
            .status()
            .expect("imagemagick is installed");
        assert!(status.success(), "no picture of the screen");
    }
}

/// Returns in how many pixels two pictures differ.
pub(crate) fn differing_pixels(one: &Path, other: &Path) -> u64 {
    let compared =
        Command::new("compare").args(["-metric", "AE"]).arg(one).arg(other).arg("null:").output().expect("imagemagick");
    let told = String::from_utf8(compared.stderr).expect("a number");
    told.trim().parse().unwrap_or_else(|_| panic!("compare said {told:?}"))
}

/// dunst on a screen and a bus; gone when dropped.
pub(crate) struct Dunst {
    _server: Killed,
    _home: TempDir,
}

impl Dunst {
    /// Starts dunst, which owns the name of notification servers when this returns.
    pub(crate) async fn start(screen: &Screen, bus: &PrivateBus) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let config = home.path().join("dunstrc");
        std::fs::write(&config, CONFIG).expect("a file of the test's own");
        let server = Command::new("dunst")
            .arg("-config")
            .arg(&config)
            .env("DISPLAY", &screen.display)
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("HOME", home.path())
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("dunst is installed");
        let dunst = Self { _server: Killed(server), _home: home };
        bus.wait_for_owner("org.freedesktop.Notifications").await;
        dunst
    }

    /// Closes the topmost popup, as the key of the person would.
    pub(crate) async fn close_one(&self, bus: &PrivateBus) {
        let (name, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications");
        let cmd = Some("org.dunstproject.cmd0");
        let closed = bus.connect().await.call_method(Some(name), path, cmd, "NotificationCloseLast", &()).await;
        closed.expect("dunst answers");
    }

    /// Returns how many popups are on the screen, drawn: dunst draws before it answers the next call.
    pub(crate) async fn displayed(&self, bus: &PrivateBus) -> u32 {
        let reply = bus
            .connect()
            .await
            .call_method(
                Some("org.freedesktop.Notifications"),
                "/org/freedesktop/Notifications",
                Some("org.freedesktop.DBus.Properties"),
                "Get",
                &("org.dunstproject.cmd0", "displayedLength"),
            )
            .await
            .expect("dunst answers");
        let value: zbus::OwnedVariant = reply.body().deserialize().expect("a value");
        value.try_into().expect("a number")
    }
}

const CONFIG: &str = r#"
[global]
    monitor = 0
    follow = none
    width = 460
    height = 300
    offset = 20x20
    notification_limit = 10
    font = Noto Sans CJK SC 14
    markup = full
    format = "<b>%s</b>\n%b"
    frame_width = 2
    idle_threshold = 0
"#;
