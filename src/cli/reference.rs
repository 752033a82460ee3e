//! What holds for all commands: exit codes, variables, files. Told by `--help`, `keiko help` and the manual alike.
//!
//! Tables and nothing else, so that no two places can say different things.

use crate::cli::error::Exit;

/// An exit code: what it is called in a list, and when a command ends so.
pub(crate) struct ExitCode {
    /// The code.
    pub(crate) exit: Exit,
    /// In a word or two.
    pub(crate) name: &'static str,
    /// In full.
    pub(crate) meaning: &'static str,
}

/// The exit codes, in their order.
pub(crate) const EXIT_CODES: [ExitCode; 13] = [
    ExitCode {
        exit: Exit::Done,
        name: "done",
        meaning: "It was done; or there was nothing to do, as for ack of what was seen already.",
    },
    ExitCode {
        exit: Exit::Failure,
        name: "failure",
        meaning: "Something failed. Of keiko run: the command did; of keiko wait: a task ended otherwise.",
    },
    ExitCode {
        exit: Exit::Usage,
        name: "usage",
        meaning: "A command, an option or a value is wrong. Nothing was done.",
    },
    ExitCode {
        exit: Exit::Time,
        name: "time not understood",
        meaning: "A time is vague, has passed, or contradicts itself. Nothing was stored.",
    },
    ExitCode {
        exit: Exit::NotFound,
        name: "not found or ambiguous",
        meaning: "No task has the name, or several have.",
    },
    ExitCode {
        exit: Exit::Refused,
        name: "refused",
        meaning: "Where the task stands does not allow it, such as done of one that has ended.",
    },
    ExitCode { exit: Exit::NoDaemon, name: "no daemon", meaning: "The daemon does not run, or does not come up." },
    ExitCode {
        exit: Exit::Version,
        name: "version mismatch",
        meaning: "The daemon, or the database, is of another version.",
    },
    ExitCode {
        exit: Exit::Conflict,
        name: "conflict",
        meaning: "Somebody else changed the task meanwhile. Look at it, then try again.",
    },
    ExitCode {
        exit: Exit::Storage,
        name: "storage",
        meaning: "The disk is full, or the database cannot be read or written.",
    },
    ExitCode { exit: Exit::TimedOut, name: "timed out", meaning: "What keiko wait waits for did not happen in time." },
    ExitCode { exit: Exit::Interrupted, name: "interrupted", meaning: "Ctrl-C was pressed." },
    ExitCode { exit: Exit::Terminated, name: "terminated", meaning: "It was asked to end." },
];

/// The variables that keiko and keikod read: the name, and what it says.
pub(crate) const ENVIRONMENT: [(&str, &str); 15] = [
    ("KEIKO_CONFIG", "The configuration file, instead of the one below."),
    ("KEIKO_DATA_DIR", "The directory of the database, and then of the log too. Each has a daemon of its own."),
    ("KEIKO_SOCKET", "The socket of the daemon."),
    ("KEIKO_LOG", "How much the daemon logs, above the configuration: error, warn, info, debug or trace."),
    (
        "KEIKO_COMPLETION_WAIT",
        "How many milliseconds a shell waits for the daemon when a word is completed; 80 unless set.",
    ),
    ("VISUAL, EDITOR", "The editor in which keiko edit opens a task."),
    ("KEIKO_PAGER, PAGER", "What shows on a terminal what is longer than the screen, less unless set."),
    ("TZ", "The zone in which times are read and shown, instead of the system's."),
    ("NO_COLOR", "Set to anything, nothing is coloured."),
    ("CLICOLOR_FORCE", "Set to 1, pipes and files get colours too."),
    ("TERM", "Of a dumb terminal nothing is coloured and nothing drawn anew."),
    ("COLUMNS", "How wide the terminal is, where it does not tell."),
    ("XDG_CONFIG_HOME", "Instead of ~/.config."),
    ("XDG_DATA_HOME, XDG_STATE_HOME", "Instead of ~/.local/share and ~/.local/state."),
    ("XDG_RUNTIME_DIR", "Where the socket is made, where the directory is yours alone."),
];

/// The files: where, and what is in it.
pub(crate) const FILES: [(&str, &str); 6] = [
    ("~/.config/keiko/config.toml", "The configuration, where you want one; see keiko.toml(5)."),
    ("~/.config/keiko/secrets/", "The secrets of targets, for your eyes only."),
    ("~/.local/share/keiko/keiko.db", "The database: tasks, their history, and what is to be sent."),
    ("~/.local/share/keiko/backups/", "What keiko backup writes."),
    ("~/.local/state/keiko/keikod.log", "The log of the daemon, unless systemd runs it."),
    (
        "$XDG_RUNTIME_DIR/keiko/",
        "The socket of the daemon; without that directory one below /tmp. Which one stands in keikod.socket beside the \
         database.",
    ),
];

/// Returns the exit codes as the end of a help page has them.
pub(crate) fn exit_codes_in_short() -> String {
    let listed = EXIT_CODES.iter().take_while(|code| code.exit != Exit::Terminated);
    let all: Vec<String> = listed.map(|code| format!("{} {}", code.exit.code(), code.name)).collect();
    let lines: Vec<String> = [&all[..5], &all[5..10], &all[10..]].map(|line| line.join(", ")).into();
    format!("Exit codes: {}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_lists_every_exit_code() {
        let readme = include_str!("../../README.md");
        for code in &EXIT_CODES {
            let row = format!("| {} | {}", code.exit.code(), code.name);
            assert!(readme.lines().any(|line| line.starts_with(&row)), "no row {row:?}");
        }
    }
}
