//! Who asked for a change: a person, the clock, or the daemon by itself.

/// Who asked for a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// A person, through the command line or another client.
    Person,
    /// The clock.
    Clock,
    /// The daemon itself: a start, a zone change, a worker's report.
    Daemon,
}

impl Actor {
    /// Returns the word that SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Clock => "clock",
            Self::Daemon => "daemon",
        }
    }

    /// Returns the actor of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Person, Self::Clock, Self::Daemon].into_iter().find(|actor| actor.as_str() == word)
    }
}
