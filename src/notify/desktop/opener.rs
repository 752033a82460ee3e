//! How is a link of a task opened? By the program with which the person's desktop opens things, and by no shell.
//!
//! It never waits for that program, and never starts it for a link that could do more than show something.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use zbus::OwnedVariant;

use crate::process::MANAGER_VARIABLES;

/// The links that are opened: what a browser, a mail program or a viewer shows. Others may run something.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "file"];

/// How many may be open at once (I9). Some openers live as long as what they opened, so this is more than a person has.
const OPEN_MAX: usize = 64;

/// The longest that the person's service manager may take to say where the screen is.
const SESSION_WITHIN: Duration = Duration::from_secs(1);

/// What tells a program of the screen.
const SCREEN: [&str; 6] =
    ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "DESKTOP_SESSION"];

/// What tells a program that the person asked for it, under Wayland (xdg-activation protocol) and under X11 (startup
/// notification protocol).
const ACTIVATION: [&str; 2] = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"];

/// Opens links.
#[derive(Debug)]
pub(super) struct Opener {
    program: PathBuf,
    room: Arc<Semaphore>,
}

/// Returns whether a link is one that is opened.
pub(super) fn is_opened(link: &str) -> bool {
    let Some((scheme, rest)) = link.split_once(':') else { return false };
    let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    is_known && !rest.is_empty() && !link.contains(|c: char| c.is_control() || c.is_whitespace())
}

impl Opener {
    /// Returns one that starts `program` with the link as its only argument.
    pub(super) fn new(program: PathBuf) -> Self {
        Self { program, room: Arc::new(Semaphore::new(OPEN_MAX)) }
    }

    /// Opens a link for the person at the screen of a bus, and looks after the program until it ends. Never waits; what fails
    /// is logged. With the token of the press its window may come to the front.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(super) fn open(&self, link: String, bus: zbus::Connection, token: Option<String>) {
        // Invariant: whatever is offered was looked at, but it is this that starts a program.
        if !is_opened(&link) {
            tracing::warn!("did not open a link of a kind that is not opened");
            return;
        }
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!("did not open a link: {OPEN_MAX} are open already");
            return;
        };
        let program = self.program.clone();
        tokio::spawn(async move {
            let mut screen = if has_screen() { Vec::new() } else { screen_of_session(&bus).await };
            drop(bus);
            screen.extend(token.iter().flat_map(|token| ACTIVATION.map(|name| (name.to_owned(), token.clone()))));
            match start(&program, &link, screen) {
                Ok(mut child) => match child.wait().await {
                    Ok(status) if status.success() => {}
                    Ok(status) => tracing::warn!(program = %program.display(), %status, "a link was not opened"),
                    Err(error) => {
                        tracing::warn!(program = %program.display(), %error, "cannot tell whether a link was opened");
                    }
                },
                Err(error) => tracing::warn!(program = %program.display(), %error, "cannot open a link"),
            }
            drop(permit);
        });
    }
}

fn start(program: &Path, link: &str, screen: Vec<(String, String)>) -> io::Result<Child> {
    let mut command = Command::new(program);
    // In a group of its own: what ends the daemon in its terminal is not to end a browser.
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).envs(screen);
    for variable in MANAGER_VARIABLES {
        command.env_remove(variable);
    }
    if let Some(home) = std::env::home_dir().filter(|home| home.is_dir()) {
        command.current_dir(home);
    }
    command.spawn()
}

/// Returns whether the daemon was started where there was a screen already.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("WAYLAND_DISPLAY") || is_set("DISPLAY")
}

/// Returns what tells programs of the person's screen, which a service that started before the desktop was not told.
///
/// Desktops tell it to the user's service manager; nothing where there is none
/// (org.freedesktop.systemd1(5), Manager, property `Environment`).
async fn screen_of_session(bus: &zbus::Connection) -> Vec<(String, String)> {
    let (manager, path) = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1");
    let property = ("org.freedesktop.systemd1.Manager", "Environment");
    let call = bus.call_method(Some(manager), path, Some("org.freedesktop.DBus.Properties"), "Get", &property);
    let read = |reply: zbus::Message| {
        let value: OwnedVariant = reply.body().deserialize().ok()?;
        Vec::<String>::try_from(value).ok()
    };
    let told = timeout(SESSION_WITHIN, call).await.ok().and_then(Result::ok).and_then(read).unwrap_or_default();
    let of_screen = told.iter().filter_map(|entry| entry.split_once('=')).filter(|(name, _)| SCREEN.contains(name));
    of_screen.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_that_show_something_are_opened() {
        for link in ["https://example.org/?a=b&c", "HTTP://x", "mailto:a@example.org", "file:///home/me/a%20b.pdf"] {
            assert!(is_opened(link), "{link}");
        }
        for link in [
            "",
            "example.org",
            "https:",
            "javascript:alert(1)",
            "data:text/html,x",
            "--help",
            "-x:https://x",
            "ssh://host",
            "vscode://x",
            "https://a b",
            "https://x\n--y",
            "/etc/passwd",
        ] {
            assert!(!is_opened(link), "{link}");
        }
    }
}
