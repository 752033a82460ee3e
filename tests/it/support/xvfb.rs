//! A screen of the test's own, and on it the servers that many people use: dunst, and that of MATE.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::private_bus::PrivateBus;
use crate::support::{Killed, PATIENCE, measure};

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

    /// Waits until what the screen shows differs from a picture in this many pixels and stands still, and writes it to another.
    ///
    /// Nothing tells when a server has drawn; each look takes as long as a picture takes.
    pub(crate) fn shoot_once_drawn(&self, before: &Path, pixels: u64, picture: &Path) {
        let begun = measure::instant();
        let last = picture.with_extension("last.png");
        self.shoot(&last);
        loop {
            self.shoot(picture);
            if differing_pixels(before, picture) >= pixels && differing_pixels(&last, picture) == 0 {
                std::fs::remove_file(&last).expect("it was written");
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "nothing was drawn: {}", picture.display());
            std::fs::copy(picture, &last).expect("both are the test's own");
        }
    }

    /// Waits until the screen looks as it did in a picture.
    pub(crate) fn shoot_until_gone(&self, before: &Path) {
        let begun = measure::instant();
        let now = before.with_extension("now.png");
        self.shoot(&now);
        while differing_pixels(before, &now) > 0 {
            assert!(begun.elapsed() < PATIENCE, "a popup stays on the screen: {}", now.display());
            self.shoot(&now);
        }
    }

    /// Presses the first button of the mouse in the window of this name, so far from its upper left corner. Waits for the
    /// window.
    pub(crate) fn click(&self, window: &str, x: u32, y: u32) {
        let status = Command::new("xdotool")
            .args(["search", "--sync", "--onlyvisible", "--name", window])
            .args(["mousemove", "--window", "%1", &x.to_string(), &y.to_string(), "click", "1"])
            .env("DISPLAY", &self.display)
            .stdout(Stdio::null())
            .status()
            .expect("xdotool is installed");
        assert!(status.success(), "no window {window} was clicked");
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
    home: TempDir,
}

impl Dunst {
    /// Starts dunst, which owns the name of notification servers when this returns.
    pub(crate) async fn start(screen: &Screen, bus: &PrivateBus) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let config = home.path().join("dunstrc");
        // Of several actions dunst lets a menu choose; here that is a program which takes what the test wants.
        let menu = home.path().join("menu");
        let text = format!("{CONFIG}    dmenu = {}\n[urgency_low]\n    timeout = 1\n", menu.display());
        std::fs::write(&config, text).expect("a file of the test's own");
        std::fs::write(&menu, format!("#!/bin/sh\ngrep -Fe \"$(cat '{}')\"\n", wanted(home.path()).display()))
            .expect("a file of the test's own");
        std::fs::set_permissions(&menu, std::fs::Permissions::from_mode(0o700)).expect("it is ours");
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
        let dunst = Self { _server: Killed(server), home };
        bus.wait_for_owner("org.freedesktop.Notifications").await;
        dunst
    }

    /// Closes the topmost popup, as the key of the person would.
    pub(crate) async fn close_one(&self, bus: &PrivateBus) {
        command(bus, "NotificationCloseLast", &()).await;
    }

    /// Chooses an action of the topmost popup from its menu.
    pub(crate) async fn press(&self, bus: &PrivateBus, label: &str) {
        std::fs::write(wanted(self.home.path()), label).expect("a file of the test's own");
        command(bus, "NotificationAction", &0_u32).await;
    }

    /// Shows again what went last.
    pub(crate) async fn show_history(&self, bus: &PrivateBus) {
        command(bus, "NotificationShow", &()).await;
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

/// Asks dunst for what its keys do.
async fn command<B: serde::Serialize + zbus::zvariant::DynamicType>(bus: &PrivateBus, method: &str, body: &B) {
    let (name, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications");
    let cmd = Some("org.dunstproject.cmd0");
    bus.connect().await.call_method(Some(name), path, cmd, method, body).await.expect("dunst answers");
}

fn wanted(home: &Path) -> PathBuf {
    home.join("wanted")
}

/// MATE's notification daemon, on a screen and a bus; gone when dropped.
pub(crate) struct MateDaemon {
    _server: Killed,
    _home: TempDir,
}

impl MateDaemon {
    /// The name of the windows that are its popups.
    pub(crate) const WINDOW: &str = "^Notification$";

    /// Starts it; it owns the name of notification servers when this returns.
    pub(crate) async fn start(screen: &Screen, bus: &PrivateBus) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let server = Command::new("/usr/lib/mate-notification-daemon/mate-notification-daemon")
            .env("DISPLAY", &screen.display)
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("HOME", home.path())
            .envs([
                ("GDK_BACKEND", "x11"),
                ("NO_AT_BRIDGE", "1"),
                ("GSETTINGS_BACKEND", "memory"),
                ("LC_ALL", "C.UTF-8"),
            ])
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("mate-notification-daemon is installed");
        let daemon = Self { _server: Killed(server), _home: home };
        bus.wait_for_owner("org.freedesktop.Notifications").await;
        daemon
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
