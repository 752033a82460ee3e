//! The terminal channel: how does a reminder reach somebody who only looks at terminals?
//!
//! By a message on the person's tmux clients, and where nobody is attached by a line and a bell on the person's
//! terminals, those that accept messages (`mesg y`) first. A terminal that has stopped must not hold up anything, and nothing that
//! a person wrote may steer a terminal or run in tmux.

use std::ffi::OsString;
use std::path::PathBuf;

#[cfg(unix)]
mod devices;
#[cfg(not(unix))]
mod disabled;
#[cfg(unix)]
mod enabled;
#[cfg(unix)]
mod tmux;

#[cfg(not(unix))]
pub use disabled::TerminalChannel;
#[cfg(unix)]
pub use enabled::TerminalChannel;

/// Where the person's terminals are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terminals {
    /// Whose terminals.
    pub uid: u32,
    /// The tmux program.
    pub tmux: OsString,
    /// The directory of the person's tmux sockets.
    pub tmux_sockets: PathBuf,
    /// Directories of devices, each with what stands before the number in their names.
    pub devices: Vec<(PathBuf, &'static str)>,
    /// The process table, which says on which terminal somebody has a session.
    pub processes: PathBuf,
}

impl Terminals {
    /// Returns the places that the environment of this process names.
    #[must_use]
    pub fn of_environment(uid: u32) -> Self {
        let parent = std::env::var_os("TMUX_TMPDIR").filter(|value| !value.is_empty());
        Self {
            uid,
            tmux: "tmux".into(),
            tmux_sockets: PathBuf::from(parent.unwrap_or_else(|| "/tmp".into())).join(format!("tmux-{uid}")),
            devices: vec![("/dev/pts".into(), ""), ("/dev".into(), "tty")],
            processes: "/proc".into(),
        }
    }
}
