//! The rows: how domain values lie in columns and in JSON. Conversions only, they never touch a database.
//!
//! A field that is not known is passed over, since a newer minor version may have added it. A word that is not known
//! (a state, an operation, a kind of rule) is an error that names it: a guess would be written back by the next change.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::occurrence::{Nominal, Outcome};
use crate::domain::task::Priority;
use crate::domain::time::Timestamp;

pub(crate) mod away;
pub(crate) mod delivery;
pub(crate) mod occurrence;
pub(crate) mod operation;
pub(crate) mod run;
pub(crate) mod task;
pub(crate) mod waits;

/// Why a row says nothing that this program knows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    /// A word of another version, or damage.
    #[error("expected a known word in {field}, found {word:?}")]
    UnknownWord {
        /// Where.
        field: &'static str,
        /// The word.
        word: String,
    },
    /// A value that must be there.
    #[error("expected a value in {field}, found nothing")]
    Missing {
        /// Where.
        field: &'static str,
    },
    /// A number that is no such value.
    #[error("expected {field} within its range, found {value}")]
    OutOfRange {
        /// Where.
        field: &'static str,
        /// The number.
        value: i128,
    },
    /// Text that is not the JSON that it must be.
    #[error("cannot read {field}: {source}")]
    Json {
        /// Where.
        field: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

impl RowError {
    pub(crate) fn unknown(field: &'static str, word: impl Into<String>) -> Self {
        Self::UnknownWord { field, word: word.into() }
    }
}

/// Returns a value that the row must carry.
pub(crate) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, RowError> {
    value.ok_or(RowError::Missing { field })
}

/// Returns a counter as SQL holds it.
pub(crate) fn to_sql_integer(field: &'static str, value: u64) -> Result<i64, RowError> {
    i64::try_from(value).map_err(|_| RowError::OutOfRange { field, value: value.into() })
}

/// Returns the counter of a column.
pub(crate) fn from_sql_integer(field: &'static str, value: i64) -> Result<u64, RowError> {
    u64::try_from(value).map_err(|_| RowError::OutOfRange { field, value: value.into() })
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows have text keys and no values that JSON lacks")
}

pub(crate) fn from_json<T: DeserializeOwned>(field: &'static str, text: &str) -> Result<T, RowError> {
    serde_json::from_str(text).map_err(|source| RowError::Json { field, source })
}

fn millis(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::as_millis)
}

/// Returns the instant of a column.
pub(crate) fn timestamp(field: &'static str, millis: i64) -> Result<Timestamp, RowError> {
    Timestamp::from_millis(millis).ok_or(RowError::OutOfRange { field, value: millis.into() })
}

fn maybe_timestamp(field: &'static str, millis: Option<i64>) -> Result<Option<Timestamp>, RowError> {
    millis.map(|millis| timestamp(field, millis)).transpose()
}

/// Writes a local time whole, with a fraction only where it has one.
fn local_text(local: NaiveDateTime) -> String {
    // As `%Y-%m-%dT%H:%M:%S%.f`, which would be read anew for each.
    format!("{local:?}")
}

fn local(field: &'static str, text: &str) -> Result<NaiveDateTime, RowError> {
    plain_local(text).or_else(|| text.parse().ok()).ok_or_else(|| RowError::unknown(field, text))
}

/// Reads `2026-05-13T09:00:00`, as most are; `None` of all else.
fn plain_local(text: &str) -> Option<NaiveDateTime> {
    let bytes: &[u8; 19] = text.as_bytes().try_into().ok()?;
    let is_shaped = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().all(|(at, c)| bytes[*at] == *c);
    let number = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .try_fold(0, |number: u32, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
    };
    let year = i32::try_from(number(0..4)?).ok().filter(|_| is_shaped)?;
    NaiveDate::from_ymd_opt(year, number(5..7)?, number(8..10)?)?.and_hms_opt(
        number(11..13)?,
        number(14..16)?,
        number(17..19)?,
    )
}

fn instant(field: &'static str, text: &str) -> Result<Timestamp, RowError> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .and_then(|at| Timestamp::from_utc(at.to_utc()))
        .ok_or_else(|| RowError::unknown(field, text))
}

fn nominal_text(nominal: Nominal) -> String {
    match nominal {
        Nominal::Local(time) => local_text(time),
        Nominal::Instant(at) => at.to_string(),
    }
}

fn nominal(field: &'static str, text: &str) -> Result<Nominal, RowError> {
    if text.ends_with('Z') {
        instant(field, text).map(Nominal::Instant)
    } else {
        local(field, text).map(Nominal::Local)
    }
}

fn zone(field: &'static str, name: &str) -> Result<Tz, RowError> {
    name.parse().map_err(|_| RowError::unknown(field, name))
}

pub(crate) fn priority(word: &str) -> Result<Priority, RowError> {
    Priority::ALL
        .into_iter()
        .find(|priority| priority.as_str() == word)
        .ok_or_else(|| RowError::unknown("priority", word))
}

const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Unanswered => "unanswered",
        Outcome::Undelivered => "undelivered",
        Outcome::RetriesExhausted => "retries_exhausted",
        Outcome::Cancelled => "cancelled",
        Outcome::Skipped => "skipped",
    }
}

fn outcome(field: &'static str, word: &str) -> Result<Outcome, RowError> {
    Outcome::ALL
        .into_iter()
        .find(|outcome| outcome_word(*outcome) == word)
        .ok_or_else(|| RowError::unknown(field, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_time_is_written_and_read_alike_the_quick_way_and_the_long_way() {
        let day = NaiveDate::from_ymd_opt(2026, 5, 3).unwrap();
        let times = [
            day.and_hms_opt(9, 0, 0),
            day.and_hms_opt(23, 59, 59),
            day.and_hms_milli_opt(9, 0, 0, 5),
            day.and_hms_milli_opt(23, 59, 59, 1_000),
            NaiveDate::from_ymd_opt(12_026, 1, 2).unwrap().and_hms_opt(0, 0, 1),
            NaiveDate::from_ymd_opt(26, 1, 2).unwrap().and_hms_opt(0, 0, 1),
        ];
        for time in times.into_iter().flatten() {
            let text = local_text(time);
            assert_eq!(text, time.format("%Y-%m-%dT%H:%M:%S%.f").to_string());
            assert_eq!(local("due", &text).unwrap(), time);
        }
        for text in ["2026-02-30T09:00:00", "2026-05-13 09:00:00x", "2026-05-13T0a:00:00", "2026-05-13T25:00:00", ""] {
            assert!(local("due", text).is_err(), "{text:?}");
        }
    }
}
