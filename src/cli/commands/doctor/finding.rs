//! What was found: how serious it is, what it is about, and the command that mends it.

use serde_json::{Value, json};

/// How serious it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    /// It is as it must be.
    Fine,
    /// It is to be known, and may be meant so.
    Note,
    /// Something does not work, or will not.
    Wrong,
}

/// Something that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    /// What it is about.
    pub(crate) area: &'static str,
    /// How serious it is.
    pub(crate) level: Level,
    /// What was found.
    pub(crate) text: String,
    /// What to do about it.
    pub(crate) mend: Option<String>,
}

impl Finding {
    /// Returns that all is well.
    pub(crate) fn fine(area: &'static str, text: &str) -> Self {
        Self { area, level: Level::Fine, text: text.to_owned(), mend: None }
    }

    /// Returns what is to be known.
    pub(crate) fn note(area: &'static str, text: &str, mend: Option<String>) -> Self {
        Self { area, level: Level::Note, text: text.to_owned(), mend }
    }

    /// Returns what is wrong.
    pub(crate) fn wrong(area: &'static str, text: &str, mend: Option<String>) -> Self {
        Self { area, level: Level::Wrong, text: text.to_owned(), mend }
    }

    /// Returns it as programs read it.
    pub(super) fn to_json(&self) -> Value {
        let level = match self.level {
            Level::Fine => "ok",
            Level::Note => "note",
            Level::Wrong => "wrong",
        };
        json!({ "area": self.area, "level": level, "text": self.text, "mend": self.mend })
    }
}
