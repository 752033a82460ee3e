//! How an instant is told: the local date and time with weekday and zone, and how far away it is.
//!
//! Reads no clock: "now" is what the daemon says in its answer.

use chrono::{Datelike as _, Timelike as _};
use chrono_tz::Tz;

use crate::domain::time::Timestamp;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;
const YEAR: u64 = 365 * DAY;

/// From how far away on years are told rather than weeks.
const YEARS_FROM: u64 = 2 * YEAR;

/// Whether days of one digit line up with those of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pad {
    None,
    Space,
}

/// From where instants are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Viewpoint {
    /// The daemon's time.
    pub(crate) now: Timestamp,
    /// The zone of the person at this terminal.
    pub(crate) zone: Tz,
}

impl Viewpoint {
    /// Returns the whole of it: `Thu 14 May 2026 15:00 EDT (in 23h)`.
    pub(crate) fn full(self, at: Timestamp) -> String {
        format!("{} ({})", self.exact(at), self.distance(at))
    }

    /// Returns the whole of it for a thing that lives in `home`: where its clock shows another time, that too.
    pub(crate) fn full_with_home(self, at: Timestamp, home: Option<Tz>) -> String {
        match home {
            Some(home) if at.local(home) != at.local(self.zone) => {
                let there = at.in_zone(home);
                let time = format!("{} {}", there.format("%a"), clock(&there));
                format!("{} ({}; {time} in {home})", self.exact(at), self.distance(at))
            }
            Some(_) | None => self.full(at),
        }
    }

    /// Returns date, time and zone: `Thu 14 May 2026 15:00 EDT`.
    pub(crate) fn exact(self, at: Timestamp) -> String {
        let local = at.in_zone(self.zone);
        format!("{} {} {}", local.format("%a %-d %b %Y"), clock(&local), zone_name(&local))
    }

    /// Returns date and time within a sentence: `Thu 14 May 15:00`, with the year where it is another.
    pub(crate) fn row(self, at: Timestamp) -> String {
        let local = at.in_zone(self.zone);
        format!("{} {}", local.format(self.date_format(Pad::None, at)), clock(&local))
    }

    /// As [`Viewpoint::row`], for rows of what happened, which line up: `Mon  4 May 15:00`.
    pub(crate) fn log_row(self, at: Timestamp) -> String {
        let local = at.in_zone(self.zone);
        format!("{} {}", local.format(self.date_format(Pad::Space, at)), clock(&local))
    }

    /// Returns the day as people say it: `today`, `tomorrow`, `yesterday`, else `Fri 4 Dec`, with the year where it is
    /// another.
    pub(crate) fn day(self, at: Timestamp) -> String {
        match self.days_ahead(at) {
            0 => "today".to_owned(),
            1 => "tomorrow".to_owned(),
            -1 => "yesterday".to_owned(),
            _ => at.in_zone(self.zone).format(self.date_format(Pad::None, at)).to_string(),
        }
    }

    /// Returns the hour: `15:00`.
    pub(crate) fn hour(self, at: Timestamp) -> String {
        let local = at.in_zone(self.zone);
        format!("{:02}:{:02}", local.hour(), local.minute())
    }

    /// Returns how many days of the calendar lie between now and then.
    fn days_ahead(self, at: Timestamp) -> i64 {
        let (day, today) = (at.local(self.zone).date(), self.now.local(self.zone).date());
        day.signed_duration_since(today).num_days()
    }

    fn date_format(self, pad: Pad, at: Timestamp) -> &'static str {
        let is_this_year = at.in_zone(self.zone).year() == self.now.in_zone(self.zone).year();
        match (pad, is_this_year) {
            (Pad::Space, true) => "%a %e %b",
            (Pad::Space, false) => "%a %e %b %Y",
            (Pad::None, true) => "%a %-d %b",
            (Pad::None, false) => "%a %-d %b %Y",
        }
    }

    /// Returns date and time for a row of a narrow terminal: `15:00` of today, `Fri 15:00` within a week, else the date
    /// alone: `14 May`, `2 Jan 2027`.
    pub(crate) fn narrow_row(self, at: Timestamp) -> String {
        let local = at.in_zone(self.zone);
        match self.days_ahead(at) {
            0 => self.hour(at),
            1..=6 => format!("{} {}", local.format("%a"), self.hour(at)),
            _ if local.year() == self.now.in_zone(self.zone).year() => local.format("%-d %b").to_string(),
            _ => local.format("%-d %b %Y").to_string(),
        }
    }

    /// Returns roughly how far away it is, beside a time that says it exactly: `in 2h`, `5m ago`, `in 5w`, `now`.
    pub(crate) fn about(self, at: Timestamp) -> String {
        let millis = at.since(self.now).as_millis();
        let many = millis.unsigned_abs();
        let units = [(MINUTE, SECOND, "s"), (HOUR, MINUTE, "m"), (DAY, HOUR, "h"), (14 * DAY, DAY, "d")];
        let unit = units.into_iter().find(|(below, unit, _)| round(many, *unit) < *below);
        let (unit, name) = match unit {
            Some((_, unit, name)) => (unit, name),
            None if many < YEARS_FROM => (WEEK, "w"),
            None => (YEAR, "y"),
        };
        match round(many, unit) / unit {
            0 => "now".to_owned(),
            count if millis > 0 => format!("in {count}{name}"),
            count => format!("{count}{name} ago"),
        }
    }

    /// Returns how far away it is: `in 23h`, `5m ago`, `now`.
    pub(crate) fn distance(self, at: Timestamp) -> String {
        let millis = at.since(self.now).as_millis();
        let length = length(millis.unsigned_abs());
        match length {
            None => "now".to_owned(),
            Some(length) if millis > 0 => format!("in {length}"),
            Some(length) => format!("{length} ago"),
        }
    }
}

/// Returns a length of time for people: `23h`, `2d 3h`, `45s`; `None` for less than half a second.
///
/// Rounded to the smaller of its two units, so that a few milliseconds on the way do not turn 23h into 22h 59m.
pub(crate) fn length(millis: u64) -> Option<String> {
    let (grain, units) = match round(millis, SECOND) {
        0 => return None,
        rounded if rounded < HOUR => (SECOND, [(MINUTE, "m"), (SECOND, "s")]),
        rounded if rounded < DAY => (MINUTE, [(HOUR, "h"), (MINUTE, "m")]),
        _ => (HOUR, [(DAY, "d"), (HOUR, "h")]),
    };
    let rounded = round(millis, grain);
    let [(large, large_name), (small, small_name)] = units;
    let (many, rest) = (rounded / large, rounded % large / small);
    Some(match (many, rest) {
        // Rounding carried it over into the next unit.
        (24, 0) if large == HOUR => "1d".to_owned(),
        (60, 0) if large == MINUTE => "1h".to_owned(),
        (0, rest) => format!("{rest}{small_name}"),
        (many, 0) => format!("{many}{large_name}"),
        (many, rest) => format!("{many}{large_name} {rest}{small_name}"),
    })
}

const fn round(millis: u64, grain: u64) -> u64 {
    millis.saturating_add(grain / 2) / grain * grain
}

/// Returns `15:00`, with seconds only where there are any.
pub(crate) fn clock(local: &chrono::DateTime<Tz>) -> String {
    if local.second() == 0 { local.format("%H:%M").to_string() } else { local.format("%H:%M:%S").to_string() }
}

/// Returns the zone's own short name where it has one, else its distance from UTC.
fn zone_name(local: &chrono::DateTime<Tz>) -> String {
    let name = local.format("%Z").to_string();
    if name.starts_with(['+', '-']) { format!("UTC{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        let parsed = chrono::DateTime::parse_from_rfc3339(text).expect("a time of the test's own");
        Timestamp::from_utc(parsed.to_utc()).expect("within range")
    }

    fn viewpoint(zone: &str) -> Viewpoint {
        Viewpoint { now: at("2026-05-13T16:00:00-04:00"), zone: zone.parse().expect("a zone of the test's own") }
    }

    #[test]
    fn an_instant_is_told_with_weekday_zone_and_distance() {
        let here = viewpoint("America/New_York");
        assert_eq!(here.full(at("2026-05-14T15:00:00-04:00")), "Thu 14 May 2026 15:00 EDT (in 23h)");
        assert_eq!(here.full(at("2026-05-13T16:00:10-04:00")), "Wed 13 May 2026 16:00:10 EDT (in 10s)");
        assert_eq!(here.full(at("2026-05-13T15:55:00-04:00")), "Wed 13 May 2026 15:55 EDT (5m ago)");
        assert_eq!(here.full(here.now), "Wed 13 May 2026 16:00 EDT (now)");
        let far = viewpoint("America/Sao_Paulo");
        assert_eq!(far.full(at("2026-05-15T17:00:00-03:00")), "Fri 15 May 2026 17:00 UTC-03 (in 2d)");
    }

    #[test]
    fn a_thing_of_another_zone_shows_its_own_clock_too() {
        let here = viewpoint("America/New_York");
        let tokyo = Some("Asia/Tokyo".parse().expect("a zone"));
        let new_york = Some(here.zone);
        let due = at("2026-05-15T09:00:00+09:00");
        assert_eq!(here.full_with_home(due, tokyo), "Thu 14 May 2026 20:00 EDT (in 1d 4h; Fri 09:00 in Asia/Tokyo)");
        assert_eq!(here.full_with_home(due, new_york), "Thu 14 May 2026 20:00 EDT (in 1d 4h)");
    }

    #[test]
    fn a_row_names_the_year_only_where_it_is_another() {
        let here = viewpoint("America/New_York");
        assert_eq!(here.row(at("2026-06-03T14:00:00-04:00")), "Wed 3 Jun 14:00");
        assert_eq!(here.log_row(at("2026-06-03T14:00:00-04:00")), "Wed  3 Jun 14:00");
        assert_eq!(here.row(at("2027-05-03T09:00:00-04:00")), "Mon 3 May 2027 09:00");
        assert_eq!(here.narrow_row(at("2026-05-13T14:00:00-04:00")), "14:00");
        assert_eq!(here.narrow_row(at("2026-05-19T14:00:00-04:00")), "Tue 14:00");
        assert_eq!(here.narrow_row(at("2026-05-20T14:00:00-04:00")), "20 May");
        assert_eq!(here.narrow_row(at("2026-05-12T14:00:00-04:00")), "12 May");
        assert_eq!(here.narrow_row(at("2027-05-03T09:00:00-04:00")), "3 May 2027");
    }

    #[test]
    fn days_that_are_near_have_names() {
        let here = viewpoint("America/New_York");
        assert_eq!(here.day(at("2026-05-13T00:00:00-04:00")), "today");
        assert_eq!(here.day(at("2026-05-14T00:00:00-04:00")), "tomorrow");
        assert_eq!(here.day(at("2026-05-12T23:59:59-04:00")), "yesterday");
        assert_eq!(here.day(at("2026-05-15T00:00:00-04:00")), "Fri 15 May");
        assert_eq!(here.day(at("2027-01-02T09:00:00-05:00")), "Sat 2 Jan 2027");
    }

    #[test]
    fn a_rough_distance_has_one_unit() {
        let here = viewpoint("America/New_York");
        let check = |time: &str, told: &str| assert_eq!(here.about(at(time)), told, "{time}");
        check("2026-05-13T16:00:00.4-04:00", "now");
        check("2026-05-13T15:59:50-04:00", "10s ago");
        check("2026-05-13T16:00:59.9-04:00", "in 1m");
        check("2026-05-13T17:55:00-04:00", "in 2h");
        check("2026-05-14T15:00:00-04:00", "in 23h");
        check("2026-05-14T17:00:00-04:00", "in 1d");
        check("2026-05-15T15:45:00-04:00", "in 2d");
        check("2026-05-25T16:00:00-04:00", "in 12d");
        check("2027-01-02T09:00:00-05:00", "in 33w");
        check("2031-05-13T16:00:00-04:00", "in 5y");
        check("2026-03-13T16:00:00-04:00", "9w ago");
    }

    #[test]
    fn lengths_are_told_in_two_units_and_rounded() {
        let told = |millis| length(millis).unwrap_or_default();
        assert_eq!(told(0), "");
        assert_eq!(told(499), "");
        assert_eq!(told(9_600), "10s");
        assert_eq!(told(90_000), "1m 30s");
        assert_eq!(told(3_599_600), "1h");
        assert_eq!(told(HOUR + 29_000), "1h");
        assert_eq!(told(23 * HOUR - 4), "23h");
        assert_eq!(told(DAY - 4), "1d");
        assert_eq!(told(DAY - 29 * SECOND), "1d");
        assert_eq!(told(2 * DAY + 3 * HOUR), "2d 3h");
        assert_eq!(told(DAY + HOUR * 23 + 40 * MINUTE), "2d");
        assert_eq!(told(8000 * 365 * DAY), "2920000d");
    }
}
