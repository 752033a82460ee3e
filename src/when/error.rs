//! Why are these words no time, and what could be said instead?

use std::ops::Range;

use crate::domain::time::Timestamp;
use crate::when::limits::TEXT_MAX;
use crate::when::token::is_ideograph;

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
        /// The instant that they name, where it is one that Keiko knows.
        at: Option<Timestamp>,
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
        /// Words for something near that exists.
        proposal: Option<String>,
    },
    /// No clock shows its time of day.
    #[error("cannot set {words:?}: no clock shows that time")]
    NoSuchClock {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
        /// Words for a time that exists, where nothing but the time of day was said.
        proposal: Option<String>,
    },
    /// It lies outside the years that Keiko knows.
    #[error("cannot set {words:?}: expected a time within the years 1970 to 9999")]
    OutOfRange {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// A rule as programs write it has a part that cannot be read.
    #[error("cannot read {words:?} in a rule: {reason}")]
    Unreadable {
        /// The part.
        words: String,
        /// Its byte range.
        span: Range<usize>,
        /// What would do.
        reason: &'static str,
        /// A rule that can be read.
        example: &'static str,
    },
    /// More text than any sentence has.
    #[error("cannot read a sentence of {} bytes: expected at most {TEXT_MAX}", span.end)]
    TooLong {
        /// Its byte range.
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
            | Self::NoSuchClock { span, .. }
            | Self::OutOfRange { span, .. }
            | Self::Unreadable { span, .. }
            | Self::TooLong { span }
            | Self::NeedsUnit { span, .. }
            | Self::Several { span, .. }
            | Self::NoRule { span, .. }
            | Self::NothingAhead { span, .. } => span,
        }
    }

    /// Returns the error with its place moved `by` bytes to the front, within `text`.
    pub(super) fn shifted(mut self, by: usize, text: &str) -> Self {
        if let Self::TooLong { span } = &mut self {
            span.end = span.end.saturating_sub(by);
            return self;
        }
        let (Self::Missing { words, span }
        | Self::Vague { words, span }
        | Self::Leftover { words, span }
        | Self::Past { words, span, .. }
        | Self::Mismatch { words, span, .. }
        | Self::Impossible { words, span, .. }
        | Self::NoSuchClock { words, span, .. }
        | Self::OutOfRange { words, span }
        | Self::NeedsUnit { words, span }
        | Self::Several { words, span }
        | Self::NoRule { words, span, .. }
        | Self::Unreadable { words, span, .. }
        | Self::NothingAhead { words, span }) = &mut self
        else {
            return self;
        };
        *span = span.start.saturating_sub(by).min(text.len())..span.end.saturating_sub(by).min(text.len());
        if let Some(own) = text.get(span.clone()) {
            own.trim().clone_into(words);
        }
        self
    }

    /// Returns what to say instead, in the language of the words. What stands between backquotes can be said so.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing { words, .. } => {
                format!(
                    "say when, such as {}",
                    either(words, ["tomorrow 3pm", "in 20 minutes"], ["明天下午三点", "20分钟后"])
                )
            }
            Self::Vague { words, .. } => {
                format!(
                    "say a time, such as {}",
                    either(words, ["in 1 hour", "tomorrow 9am"], ["一小时后", "明天上午九点"])
                )
            }
            Self::Leftover { .. } => "leave these words out, or put the title in quotes".to_owned(),
            Self::Past { proposal, .. } => format!("say `{}`", proposal.as_ref()?),
            Self::Mismatch { proposal, .. } => format!("say `{proposal}`, or the weekday alone"),
            Self::Impossible { proposal, .. } => format!("say `{}`", proposal.as_ref()?),
            Self::NoSuchClock { proposal: Some(proposal), .. } => format!("say `{proposal}`"),
            // The day is theirs, so that nothing is proposed in place of all the words.
            Self::NoSuchClock { proposal: None, .. } => {
                "the time of day is the fault: it goes from 0:00 to 23:59, or from 12am to 11:59pm".to_owned()
            }
            Self::OutOfRange { words, .. } => {
                format!(
                    "say a nearer time, such as {}",
                    either(words, ["in 1 year", "tomorrow 9am"], ["一年后", "明天上午九点"])
                )
            }
            Self::Unreadable { example, .. } => format!("a rule that can be read is `{example}`"),
            Self::TooLong { .. } => "say what and when in a sentence, and put the rest into --note".to_owned(),
            Self::NeedsUnit { words, .. } if is_chinese(words) => {
                format!("say `{words}分钟` for minutes or `{words}小时` for hours")
            }
            Self::NeedsUnit { words, .. } if words.chars().all(|c| c.is_ascii_digit()) => {
                format!("say `{words}m` for minutes or `{words}h` for hours")
            }
            Self::NeedsUnit { words, .. } => format!("say `{words} minutes` or `{words} hours`"),
            Self::Several { .. } => "say one time, or repeat it with every".to_owned(),
            // The reason says already what would do.
            Self::NoRule { reason, .. } if reason.contains("expected") => return None,
            Self::NoRule { .. } => "make one reminder for each part of it".to_owned(),
            Self::NothingAhead { .. } => "none of its times lies ahead: look at its days and its end".to_owned(),
        })
    }
}

/// Returns whether the words are Chinese, and a proposal is therefore to be, too.
pub(super) fn is_chinese(words: &str) -> bool {
    words.chars().any(is_ideograph)
}

fn either(words: &str, english: [&str; 2], chinese: [&str; 2]) -> String {
    let [first, second] = if is_chinese(words) { chinese } else { english };
    format!("`{first}` or `{second}`")
}
