//! What does the daemon's program find where it only looks, and serves nobody? Told to `keiko doctor`, also where no daemon can
//! come up.

use serde::{Deserialize, Serialize};

/// The argument that makes the daemon's program only look.
pub const EXAMINE: &str = "--examine";

/// What it finds. It is of the version of that program, and read by the same one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Examination {
    /// The version of the program.
    pub version: String,
    /// The newest schema of a database that it knows.
    pub schema: u32,
    /// The database.
    pub database: DatabaseFound,
    /// The desktop of whoever asks.
    pub desktop: DesktopFound,
}

/// How the database is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DatabaseFound {
    /// There is none yet.
    Absent,
    /// Nothing is wrong with it.
    Fine {
        /// The version of its schema.
        schema: u32,
        /// How long it is.
        bytes: u64,
    },
    /// It was damaged, and is out of the way.
    SetAside {
        /// What happened, in words.
        reason: String,
        /// The commands to go on with.
        mend: String,
    },
    /// It cannot be used.
    Wrong {
        /// Whether its content is damaged, rather than out of reach.
        damaged: bool,
        /// Why, in words.
        reason: String,
    },
}

/// Whether popups can be shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DesktopFound {
    /// There is a notification server.
    Server {
        /// What it calls itself, with its version.
        name: String,
        /// What it says that it can do.
        capabilities: Vec<String>,
    },
    /// There is a session bus, and no notification server on it that answers.
    NoServer {
        /// Why, in words.
        reason: String,
    },
    /// There is no session bus.
    NoBus {
        /// Why, in words.
        reason: String,
    },
    /// The program shows no popups.
    NotBuilt,
}

impl Examination {
    /// Returns it in one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("its keys are text, and no value fails to be written")
    }

    /// Reads it; `None` where it is something else.
    #[must_use]
    pub fn of_line(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let examination = Examination {
            version: "0.1.0".to_owned(),
            schema: 11,
            database: DatabaseFound::Wrong { damaged: true, reason: "row 3\nmissing".to_owned() },
            desktop: DesktopFound::Server { name: "dunst 1.9".to_owned(), capabilities: vec!["actions".to_owned()] },
        };
        let line = examination.to_line();
        assert_eq!(line.lines().count(), 1);
        assert_eq!(Examination::of_line(&line), Some(examination));
        assert_eq!(Examination::of_line("error: unknown argument"), None);
    }
}
