//! What of the daemon's environment does a command get? What lets it reach the person's session as it is now: a session that
//! was there when the command was typed may be over.

use std::collections::BTreeMap;

/// The variables of a session.
const SESSION: [&str; 12] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
];

/// Returns those that are set.
pub(super) fn variables() -> BTreeMap<String, String> {
    SESSION.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect()
}
