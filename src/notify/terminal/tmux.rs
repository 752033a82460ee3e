//! Which tmux clients does the person have, and how is a message shown on them?
//!
//! tmux is only asked: no server is started, no shell is used, and no text of a person is read as a tmux format, which
//! could run a command.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::process::Command;
use tokio::time::timeout;

use crate::notify::terminal::Terminals;

/// The longest that one tmux command may take: a server that has stopped answers nothing.
const COMMAND_WITHIN: Duration = Duration::from_secs(1);

/// How many servers and clients are asked at most (I9); a person with more looks at one of these.
const SERVERS_MAX: usize = 8;
const CLIENTS_MAX: usize = 16;

/// How long a message stands; a key ends it sooner. tmux shows no output meanwhile, so it is not for ever.
const SHOWN_FOR_MS: &str = "10000";

/// What the person has of tmux now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Tmux {
    /// The attached clients, by server.
    pub(super) clients: Vec<Client>,
    /// The devices of all panes: what tmux shows of them, somebody attached sees.
    pub(super) panes: Vec<PathBuf>,
}

/// An attached client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Client {
    socket: PathBuf,
    /// What tmux calls it: the path of its terminal.
    name: Vec<u8>,
}

/// Returns the clients and panes of every server of the person.
pub(super) async fn look(terminals: &Terminals) -> Tmux {
    let sockets = sockets(terminals);
    // At once: those that have stopped then cost their time only once.
    let listed = join_all(
        sockets
            .iter()
            .map(|socket| async { run(&terminals.tmux, socket, &LIST.map(OsStr::new)).await.unwrap_or_default() }),
    );
    let mut found = Tmux::default();
    for (socket, listed) in sockets.iter().zip(listed.await) {
        for line in listed.split(|byte| *byte == b'\n') {
            match line.split_at_checked(2) {
                Some((b"c0", name)) if found.clients.len() < CLIENTS_MAX => {
                    found.clients.push(Client { socket: socket.clone(), name: name.to_vec() });
                }
                Some((b"p ", device)) => found.panes.push(PathBuf::from(OsStr::from_bytes(device))),
                // A client in control mode has no screen to show a message on.
                Some(_) | None => {}
            }
        }
    }
    found
}

/// One command for both, so a server is asked once.
const LIST: [&str; 7] =
    ["list-clients", "-F", "c#{client_control_mode}#{client_name}", ";", "list-panes", "-aF", "p #{pane_tty}"];

/// Shows `line` on a client; returns whether tmux took it.
pub(super) async fn show(terminals: &Terminals, client: &Client, line: &str) -> bool {
    let text = plain(line);
    let arguments = ["display-message", "-d", SHOWN_FOR_MS, "-c"].map(OsStr::new).into_iter();
    let arguments: Vec<_> = arguments.chain([OsStr::from_bytes(&client.name), OsStr::new(&text)]).collect();
    run(&terminals.tmux, &client.socket, &arguments).await.is_some()
}

/// Returns the text that tmux shows as `line`: it reads a message as a format and passes it to strftime.
fn plain(line: &str) -> String {
    // A `;` at the end of an argument would end the command.
    let text = line.replace('#', "##").replace('%', "%%");
    text.strip_suffix(';').map(|start| format!("{start}\\;")).unwrap_or(text)
}

/// Returns the sockets of the person's servers, in a fixed order; not those that somebody else put there.
fn sockets(terminals: &Terminals) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket() && found.uid() == terminals.uid)
    };
    let Ok(entries) = std::fs::read_dir(&terminals.tmux_sockets) else { return Vec::new() };
    let mut sockets: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_ours).collect();
    sockets.sort();
    sockets.truncate(SERVERS_MAX);
    sockets
}

/// Runs one tmux command; returns its output if it succeeded in time.
async fn run(tmux: &OsStr, socket: &Path, arguments: &[&OsStr]) -> Option<Vec<u8>> {
    // `-u`: whatever the daemon's locale, the text is UTF-8. `-N`: no server is started.
    let mut command = Command::new(tmux);
    command.args(["-u", "-N", "-S"]).arg(socket).args(arguments);
    command.env_remove("TMUX").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(COMMAND_WITHIN, command.output()).await.ok()?.ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_never_read_as_a_format() {
        assert_eq!(plain("#(touch x) 100% #{pane} 交"), "##(touch x) 100%% ##{pane} 交");
        assert_eq!(plain("a;"), "a\\;");
        assert_eq!(plain("a; b"), "a; b");
    }
}
