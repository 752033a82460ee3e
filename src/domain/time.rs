//! Instants and spans, and the one place where a local time meets its zone.
//!
//! An instant is UTC and never carries a zone; a zone appears only where local time is turned into an instant
//! ([`resolve`]) or shown ([`Timestamp::in_zone`]).

use std::fmt;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// An instant of wall-clock time: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Always within [`Timestamp::MIN`]..=[`Timestamp::MAX`], so every value can be shown and none overflows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant that Keiko knows: 1970-01-01T00:00:00Z.
    pub const MIN: Self = Self(0);
    /// The last instant that Keiko knows: 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// Returns the instant `millis` milliseconds after 1970, or `None` outside the years 1970 to 9999.
    #[must_use]
    pub fn from_millis(millis: i64) -> Option<Self> {
        (Self::MIN.0..=Self::MAX.0).contains(&millis).then_some(Self(millis))
    }

    /// Returns the milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the instant of a UTC date and time, cut to the millisecond, or `None` outside 1970 to 9999.
    #[must_use]
    pub fn from_utc(utc: DateTime<Utc>) -> Option<Self> {
        Self::from_millis(utc.timestamp_millis())
    }

    /// Returns the instant as a UTC date and time.
    ///
    /// # Panics
    /// Never: the range of the type lies within chrono's.
    #[must_use]
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).expect("Timestamp is within chrono's range")
    }

    /// Returns the instant as local time of `zone`.
    #[must_use]
    pub fn in_zone(self, zone: Tz) -> DateTime<Tz> {
        self.to_utc().with_timezone(&zone)
    }

    /// Returns the wall-clock reading in `zone`.
    #[must_use]
    pub fn local(self, zone: Tz) -> NaiveDateTime {
        self.in_zone(zone).naive_local()
    }

    /// Returns the instant `span` later (earlier when negative), held within the type's range.
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0).clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Returns the instant `span` later (earlier when negative), or `None` outside 1970 to 9999.
    #[must_use]
    pub fn checked_add(self, span: Span) -> Option<Self> {
        self.0.checked_add(span.0).and_then(Self::from_millis)
    }

    /// Returns the span from `earlier` to this instant; negative when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

/// RFC 3339 in UTC with milliseconds only where there are any, such as `2026-05-13T20:00:00Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_utc().to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A signed length of time in whole milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Returns a span of `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns a span of `seconds` seconds.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Returns a span of `minutes` minutes.
    #[must_use]
    pub const fn from_minutes(minutes: i64) -> Self {
        Self(minutes.saturating_mul(60_000))
    }

    /// Returns the milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns whether the span is longer than nothing.
    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Returns the span as a standard duration, nothing when negative.
    #[must_use]
    pub fn to_duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(u64::try_from(self.0).unwrap_or(0))
    }
}

/// The two largest units that say it, such as `2d`, `12h30m`, `45s`, `250ms`, with a leading `-` when negative.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
        let total = self.0.unsigned_abs();
        if total == 0 {
            return f.write_str("0");
        }
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let first = UNITS.iter().position(|(unit, _)| total >= *unit).unwrap_or(UNITS.len() - 1);
        let (unit, name) = UNITS[first];
        write!(f, "{}{name}", total / unit)?;
        let rest = total % unit;
        // Milliseconds beside seconds would only be noise for people.
        if let Some((next, name)) = UNITS.get(first + 1).filter(|(next, _)| *next > 1 && rest >= *next) {
            write!(f, "{}{name}", rest / next)?;
        }
        Ok(())
    }
}

/// How a local time met its zone's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// The zone's clock shows it exactly once.
    Exact,
    /// The zone's clock jumps over it; it stands for the gap's end.
    Gap,
    /// The zone's clock shows it twice; it stands for the first time.
    Fold,
}

/// Returns the instant at which `zone`'s clock shows `local`, and how the two met.
///
/// A time inside a gap is the gap's end (02:30 becomes 03:00); one that occurs twice is the first of the two
/// (SPEC 5). `None` outside the years 1970 to 9999.
#[must_use]
pub fn resolve(local: NaiveDateTime, zone: Tz) -> Option<(Timestamp, Meeting)> {
    match zone.from_local_datetime(&local) {
        chrono::LocalResult::Single(at) => Some((Timestamp::from_utc(at.to_utc())?, Meeting::Exact)),
        chrono::LocalResult::Ambiguous(first, second) => {
            Some((Timestamp::from_utc(first.to_utc().min(second.to_utc()))?, Meeting::Fold))
        }
        chrono::LocalResult::None => Some((Timestamp::from_utc(gap_end(local, zone)?)?, Meeting::Gap)),
    }
}

/// Returns the instant at which `zone`'s clock shows `local` for the second time, where it does so twice.
///
/// Only what comes up in every hour asks for it: such a rule is not silent while the clock repeats itself.
#[must_use]
pub fn second_reading(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    match zone.from_local_datetime(&local) {
        chrono::LocalResult::Ambiguous(first, second) => Timestamp::from_utc(first.to_utc().max(second.to_utc())),
        chrono::LocalResult::Single(_) | chrono::LocalResult::None => None,
    }
}

/// Returns whether `zone`'s clock shows any time of `date` (Apia had no 30 December 2011).
#[must_use]
pub fn date_exists(date: NaiveDate, zone: Tz) -> bool {
    let midnight = date.and_time(NaiveTime::MIN);
    match resolve(midnight, zone) {
        Some((at, Meeting::Gap)) => at.local(zone).date() == date,
        Some((_, Meeting::Exact | Meeting::Fold)) => true,
        None => false,
    }
}

/// Returns `date` plus `days`, or `None` past chrono's range.
#[must_use]
pub fn add_days(date: NaiveDate, days: i64) -> Option<NaiveDate> {
    let count = Days::new(days.unsigned_abs());
    if days < 0 { date.checked_sub_days(count) } else { date.checked_add_days(count) }
}

/// Returns the instant at which the clock jumps over `local`: the first whose local reading is not before it.
///
/// Invariant: within the window the local reading only grows, since no zone has a gap and a fold within four days.
fn gap_end(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    let reading = |at: i64| {
        let utc = DateTime::from_timestamp(at, 0)?.naive_utc();
        utc.checked_add_signed(TimeDelta::seconds(zone.offset_from_utc_datetime(&utc).fix().local_minus_utc().into()))
    };
    let guess = local.and_utc().timestamp();
    let (mut before, mut after) = (guess - 2 * 86_400, guess + 2 * 86_400);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if reading(middle)? < local {
            before = middle;
        } else {
            after = middle;
        }
    }
    DateTime::from_timestamp(after, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(zone: &str, local: &str, expected: &str, meeting: Meeting) {
        let zone: Tz = zone.parse().expect("a zone of the test's own");
        let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%d %H:%M").expect("a local time");
        let (at, met) = resolve(local, zone).expect("within range");
        assert_eq!((at.in_zone(zone).to_rfc3339().as_str(), met), (expected, meeting));
    }

    #[test]
    fn a_local_time_in_a_gap_is_the_gaps_end() {
        check("America/New_York", "2026-03-08 02:30", "2026-03-08T03:00:00-04:00", Meeting::Gap);
        check("America/Havana", "2026-03-08 00:30", "2026-03-08T01:00:00-04:00", Meeting::Gap);
        check("Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-04T02:30:00+11:00", Meeting::Gap);
        check("Pacific/Apia", "2011-12-30 09:00", "2011-12-31T00:00:00+14:00", Meeting::Gap);
    }

    #[test]
    fn a_local_time_that_occurs_twice_is_the_first() {
        check("America/New_York", "2026-11-01 01:30", "2026-11-01T01:30:00-04:00", Meeting::Fold);
        check("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-05T01:45:00+11:00", Meeting::Fold);
    }

    #[test]
    fn other_local_times_are_themselves() {
        check("Europe/Berlin", "2026-06-01 12:00", "2026-06-01T12:00:00+02:00", Meeting::Exact);
        check("UTC", "9999-12-31 23:59", "9999-12-31T23:59:00+00:00", Meeting::Exact);
    }

    #[test]
    fn a_date_that_a_zone_skipped_does_not_exist() {
        let apia: Tz = "Pacific/Apia".parse().expect("a zone");
        let date = |text: &str| text.parse::<NaiveDate>().expect("a date");
        assert!(!date_exists(date("2011-12-30"), apia));
        assert!(date_exists(date("2011-12-31"), apia));
        assert!(date_exists(date("2026-03-08"), "America/Havana".parse().expect("a zone")));
    }

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        let told = |millis| Span::from_millis(millis).to_string();
        assert_eq!(told(0), "0");
        assert_eq!(told(45_000), "45s");
        assert_eq!(told(12 * 3_600_000 + 30 * 60_000), "12h30m");
        assert_eq!(told(-3_600_000), "-1h");
        assert_eq!(told(2 * 86_400_000 + 5_000), "2d");
        assert_eq!(told(250), "250ms");
        assert_eq!(told(1_250), "1s");
    }
}
