//! What was ambiguous or moved, and must be said aloud?

use std::fmt;
use std::ops::Range;

use chrono::{NaiveDate, NaiveDateTime};

/// Something that the person should hear about how the words were read; shown as one sentence without full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// The words mean a time and do not say which.
    Vague {
        /// The words.
        words: String,
        /// Their byte range.
        span: Range<usize>,
    },
    /// "next friday" is the one of next week.
    NextWeekday {
        /// The date taken.
        taken: NaiveDate,
        /// The same weekday before it.
        nearer: NaiveDate,
    },
    /// "this monday" has passed, so the coming one is meant.
    ThisWeekday {
        /// The date of this week.
        passed: NaiveDate,
        /// The date taken.
        taken: NaiveDate,
    },
    /// The date has passed this year.
    OtherYear {
        /// The date taken.
        taken: NaiveDate,
    },
    /// The time of day has passed today.
    Tomorrow {
        /// The date taken.
        taken: NaiveDate,
    },
    /// "midnight friday" ends Friday.
    MidnightEnds {
        /// The local time taken.
        taken: NaiveDateTime,
    },
    /// The clock jumps over the time.
    Gap {
        /// The local time asked for.
        asked: NaiveDateTime,
        /// The local time at the gap's end.
        moved: NaiveDateTime,
    },
    /// The clock shows the time twice; the first counts.
    Fold {
        /// The local time.
        local: NaiveDateTime,
    },
    /// A cron expression names a day of the month and a weekday, and either is enough.
    EitherDay,
    /// Months without the day use their last.
    MonthEnd {
        /// The day of the month.
        day: u32,
    },
    /// An early alert would have been before now.
    AlertPassed {
        /// The local time at which it would have spoken.
        at: NaiveDateTime,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DATE: &str = "%a %-d %b %Y";
        const LOCAL: &str = "%a %-d %b %Y %H:%M";
        match self {
            Self::Vague { words, .. } => write!(f, "{words:?} does not say when"),
            Self::NextWeekday { taken, nearer } => {
                let bare = nearer.format("%A").to_string().to_lowercase();
                write!(f, "read as {}, not {}, which is `{bare}` alone", taken.format(DATE), nearer.format(DATE))
            }
            Self::ThisWeekday { passed, taken } => {
                write!(f, "{} has passed, read as {}", passed.format(DATE), taken.format(DATE))
            }
            Self::OtherYear { taken } | Self::Tomorrow { taken } => {
                write!(f, "next on {}", taken.format(DATE))
            }
            Self::MidnightEnds { taken } => write!(f, "midnight ends the day: {}", taken.format(LOCAL)),
            Self::Gap { asked, moved } => {
                write!(f, "the clock jumps over {} that day, so {}", asked.format("%H:%M"), moved.format(LOCAL))
            }
            Self::Fold { local } => {
                write!(f, "the clock shows {} twice, the first time counts", local.format(LOCAL))
            }
            Self::AlertPassed { at } => write!(f, "{} has passed, so that alert is left out", at.format(LOCAL)),
            Self::EitherDay => f.write_str("cron takes the day of the month or the weekday, either is enough"),
            Self::MonthEnd { day } => write!(f, "months without day {day} use their last day"),
        }
    }
}
