//! Which terminals of the person take a line now, and how is it written without ever waiting?
//!
//! A terminal is only touched if it is the person's own and has a session on it. Those that accept messages come first;
//! `mesg n` keeps other people out, and is what Debian sets for root, so where every terminal says so the person's own
//! reminder is written all the same: better there than nowhere.

use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::notify::terminal::Terminals;

/// How many terminals get a line at most (I9); a person with more looks at one of these.
const DEVICES_MAX: usize = 64;

/// What `mesg y` sets: the group, `tty`, may write.
const ACCEPTS_MESSAGES: u32 = 0o020;

/// Returns the terminals that take a line, but for those that are `panes` of tmux. Reads the process table.
pub(super) fn look(terminals: &Terminals, panes: &[PathBuf]) -> Vec<PathBuf> {
    let panes: BTreeSet<u64> = panes.iter().filter_map(|pane| pane.metadata().ok()).map(|found| found.rdev()).collect();
    let mut devices: Vec<PathBuf> = terminals
        .devices
        .iter()
        .flat_map(|(directory, prefix)| numbered(directory, prefix))
        .filter(|path| {
            path.metadata().is_ok_and(|found| is_own(&found, terminals.uid) && !panes.contains(&found.rdev()))
        })
        .collect();
    if devices.is_empty() {
        return devices;
    }
    // Without a process table nothing can be known of sessions, and the ownership has to do.
    if let Some(sessions) = sessions(terminals) {
        devices.retain(|path| path.metadata().is_ok_and(|found| sessions.contains(&found.rdev())));
    }
    let is_open = |path: &PathBuf| path.metadata().is_ok_and(|found| found.mode() & ACCEPTS_MESSAGES != 0);
    if devices.iter().any(is_open) {
        devices.retain(is_open);
    }
    devices.truncate(DEVICES_MAX);
    devices
}

/// Writes a line and a bell; returns whether the terminal took all of it. Never waits.
pub(super) fn write(terminals: &Terminals, device: &Path, line: &str) -> bool {
    // NOCTTY: a daemon without a terminal must not get this one. NONBLOCK: it may have been stopped (Ctrl-S).
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let flags = i32::try_from(flags.bits()).expect("the flags of open fit its argument");
    let opened = OpenOptions::new().write(true).custom_flags(flags).open(resolve(device));
    // Looked at again, since the device may have changed hands between the look and the opening.
    let ours = |file: &File| file.metadata().is_ok_and(|found| is_own(&found, terminals.uid));
    let bytes = format!("\r\n\x07{line}\r\n");
    opened.ok().filter(ours).is_some_and(|mut file| file.write(bytes.as_bytes()).is_ok_and(|took| took == bytes.len()))
}

fn resolve(device: &Path) -> PathBuf {
    device.canonicalize().unwrap_or_else(|_| device.to_owned())
}

fn is_own(found: &Metadata, uid: u32) -> bool {
    found.file_type().is_char_device() && found.uid() == uid
}

/// Returns the entries whose names are `prefix` and a number, in a fixed order.
fn numbered(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
            Some((number, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the terminals that control a process of the person, or `None` without a process table.
fn sessions(terminals: &Terminals) -> Option<BTreeSet<u64>> {
    let processes = std::fs::read_dir(&terminals.processes).ok()?;
    let found = processes
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
        .filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == terminals.uid))
        .filter_map(|entry| controlling_terminal(&std::fs::read_to_string(entry.path().join("stat")).ok()?));
    Some(found.collect())
}

/// Reads the device number of the terminal from `/proc/PID/stat` (proc(5), field 7, `tty_nr`).
///
/// The kernel writes it in the encoding that `stat` too gives for every major number below 4096.
fn controlling_terminal(stat: &str) -> Option<u64> {
    // The program's name, in parentheses, may hold anything, parentheses and spaces too.
    let (_, fields) = stat.rsplit_once(')')?;
    let device: u64 = fields.split_ascii_whitespace().nth(4)?.parse().ok()?;
    (device != 0).then_some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_of_a_process_is_read_whatever_its_name() {
        assert_eq!(controlling_terminal("42 (a) b (c) S 1 42 42 34819 42 4194304"), Some(34819));
        assert_eq!(controlling_terminal("42 (sh) S 1 42 42 1083461 42 0"), Some(1_083_461));
        assert_eq!(controlling_terminal("42 (kthreadd) S 0 0 0 0 -1 0"), None);
        assert_eq!(controlling_terminal("42 (odd"), None);
    }

    #[test]
    fn only_numbered_entries_are_terminals() {
        let place = tempfile::tempdir().unwrap();
        for name in ["tty2", "tty10", "ttyS0", "tty", "ptmx", "3"] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        let names = |prefix| {
            let found = numbered(place.path(), prefix);
            found.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("tty"), ["tty2", "tty10"]);
        assert_eq!(names(""), ["3"]);
    }

    #[test]
    fn a_plain_file_is_never_written_to() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("0");
        std::fs::write(&path, "").unwrap();
        let terminals = Terminals::of_environment(rustix::process::getuid().as_raw());
        assert!(!write(&terminals, &path, "line"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
    }
}
