//! Which instant does a clock on the wall mean? Found by walking, a minute at a time.
//!
//! Must never use the core's own answer to the same question.

use chrono::{LocalResult, NaiveDate, NaiveDateTime, TimeDelta, TimeZone};
use chrono_tz::Tz;
use keiko::domain::time::Timestamp;

/// Returns the instant at which a wall clock in `zone` shows `local` for the first time; one that it jumps over is the
/// first minute that it shows after.
pub(super) fn first_reading(local: NaiveDateTime, zone: Tz) -> Timestamp {
    let mut shown = local;
    loop {
        match zone.from_local_datetime(&shown) {
            LocalResult::Single(at) => return instant(at.timestamp_millis()),
            LocalResult::Ambiguous(one, other) => {
                return instant(one.timestamp_millis().min(other.timestamp_millis()));
            }
            // The hands jump at whole minutes.
            LocalResult::None => shown = whole_minute(shown) + TimeDelta::minutes(1),
        }
    }
}

/// Returns the instant at which a wall clock shows `local` again, where it does.
pub(super) fn second_reading(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    match zone.from_local_datetime(&local) {
        LocalResult::Ambiguous(one, other) => Some(instant(one.timestamp_millis().max(other.timestamp_millis()))),
        LocalResult::Single(_) | LocalResult::None => None,
    }
}

/// Returns whether people in `zone` live through any of a date.
pub(super) fn has_date(date: NaiveDate, zone: Tz) -> bool {
    (0..24).any(|hour| {
        let local = date.and_hms_opt(hour, 0, 0).expect("an hour");
        !matches!(zone.from_local_datetime(&local), LocalResult::None)
    })
}

/// Returns what the wall clock in `zone` shows at an instant.
pub(super) fn shown_at(at: Timestamp, zone: Tz) -> NaiveDateTime {
    at.to_utc().with_timezone(&zone).naive_local()
}

fn whole_minute(local: NaiveDateTime) -> NaiveDateTime {
    local.date().and_time(chrono::NaiveTime::MIN)
        + TimeDelta::minutes(i64::from(chrono::Timelike::num_seconds_from_midnight(&local) / 60))
}

fn instant(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).expect("the tests live between 1970 and 9999")
}
