//! Why are these words no time, and what could be said instead?

use std::ops::Range;

/// Why a text gives no time.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeError {
    /// No words of the text speak of time.
    #[error("cannot find a time in {words:?}")]
    Missing {
        /// The text.
        words: String,
        /// Its byte range.
        span: Range<usize>,
    },
    /// The words mean a time and do not say which.
    #[error("cannot set a time by {words:?}: it does not say when")]
    Vague {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// Words are left where only a time was expected.
    #[error("cannot read {words:?} as part of a time")]
    Leftover {
        /// The first words left over.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// The time has passed.
    #[error("cannot set {words:?}: {was} has passed")]
    Past {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
        /// The time that they name, such as `Wed 13 May 2026 09:00`.
        was: String,
        /// Words that name a time ahead.
        proposal: Option<String>,
    },
    /// Two statements about the day disagree.
    #[error("cannot set {words:?}: {date} is not the day that the other words name")]
    Mismatch {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
        /// The date with its weekday, such as `Sat 6 June 2026`.
        date: String,
        /// The date without the other words.
        proposal: String,
    },
    /// No clock or calendar shows it.
    #[error("cannot set {words:?}: {reason}")]
    Impossible {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
        /// What is impossible about it.
        reason: &'static str,
    },
    /// It lies outside the years that Keiko knows.
    #[error("cannot set {words:?}: expected a time within the years 1970 to 9999")]
    OutOfRange {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// A number without a unit.
    #[error("cannot read {words:?} as a length of time: it needs a unit")]
    NeedsUnit {
        /// The number.
        words: String,
        /// Its byte range.
        span: Range<usize>,
    },
    /// Several times where one is needed.
    #[error("cannot choose between the times in {words:?}")]
    Several {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// A repetition that no rule can say.
    #[error("cannot repeat {words:?}: {reason}")]
    NoRule {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
        /// What no rule can say.
        reason: &'static str,
    },
    /// The repetition has no time ahead.
    #[error("cannot repeat {words:?}: it has no time ahead")]
    NothingAhead {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
}

impl TimeError {
    /// Returns the byte range of the words in the text as typed.
    #[must_use]
    pub const fn span(&self) -> &Range<usize> {
        match self {
            Self::Missing { span, .. }
            | Self::Vague { span, .. }
            | Self::Leftover { span, .. }
            | Self::Past { span, .. }
            | Self::Mismatch { span, .. }
            | Self::Impossible { span, .. }
            | Self::OutOfRange { span, .. }
            | Self::NeedsUnit { span, .. }
            | Self::Several { span, .. }
            | Self::NoRule { span, .. }
            | Self::NothingAhead { span, .. } => span,
        }
    }

    /// Returns the error with its place moved `by` bytes to the front, within `text`.
    pub(super) fn shifted(mut self, by: usize, text: &str) -> Self {
        let (Self::Missing { words, span }
        | Self::Vague { words, span }
        | Self::Leftover { words, span }
        | Self::Past { words, span, .. }
        | Self::Mismatch { words, span, .. }
        | Self::Impossible { words, span, .. }
        | Self::OutOfRange { words, span }
        | Self::NeedsUnit { words, span }
        | Self::Several { words, span }
        | Self::NoRule { words, span, .. }
        | Self::NothingAhead { words, span }) = &mut self;
        *span = span.start.saturating_sub(by).min(text.len())..span.end.saturating_sub(by).min(text.len());
        if let Some(own) = text.get(span.clone()) {
            own.trim().clone_into(words);
        }
        self
    }

    /// Returns what to say instead.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => Some("say when, such as `tomorrow 3pm` or `in 20 minutes`".to_owned()),
            Self::Vague { .. } => Some("say a time, such as `in 1 hour` or `tonight`".to_owned()),
            Self::Leftover { .. } => Some("leave these words out, or put the title in quotes".to_owned()),
            Self::Past { proposal, .. } => proposal.as_ref().map(|words| format!("say `{words}`")),
            Self::Mismatch { proposal, .. } => Some(format!("say `{proposal}`, or the weekday alone")),
            Self::NeedsUnit { words, .. } => Some(format!("say `{words}m` for minutes or `{words}h` for hours")),
            Self::Several { .. } => Some("say one time, or `every` to repeat".to_owned()),
            Self::NoRule { .. } => Some("make one reminder for each part of it".to_owned()),
            Self::Impossible { .. } | Self::OutOfRange { .. } | Self::NothingAhead { .. } => None,
        }
    }
}
