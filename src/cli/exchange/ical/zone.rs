//! Which zone does a TZID mean, and how is a zone told to others (VTIMEZONE, RFC 5545 §3.6.5)?

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, NaiveDateTime, Offset as _, TimeZone as _, Utc};
use chrono_tz::Tz;

use crate::cli::exchange::ical::line::{Component, Property, push};
use crate::domain::time::Timestamp;

/// How far ahead of the latest time the changes of a zone are told: who reads it takes the last for good.
const YEARS_AHEAD: i64 = 10;

/// Returns the zones that a file names, by TZID; those that are none of IANA's have a word against them.
pub(super) fn zones(components: &[Component]) -> BTreeMap<String, Result<Tz, String>> {
    let zones = components.iter().filter(|component| component.name == "VTIMEZONE");
    let named = zones.filter_map(|zone| {
        let tzid = zone.property("TZID")?.text();
        let location = zone.property("X-LIC-LOCATION").map(Property::text);
        let known = location.and_then(|location| location.parse().ok()).map_or_else(|| zone_of(&tzid), Ok);
        Some((tzid, known))
    });
    named.collect()
}

/// Returns the zone that a name means: IANA's, also behind a prefix as some programs write it.
pub(super) fn zone_of(tzid: &str) -> Result<Tz, String> {
    let name = tzid.trim_matches('/');
    let mut tails = std::iter::successors(Some(name), |rest| rest.split_once('/').map(|(_, tail)| tail));
    if let Some(zone) = tails.find_map(|tail| tail.parse().ok()) {
        return Ok(zone);
    }
    let is_windows = tzid.ends_with("Standard Time") || tzid.ends_with("Daylight Time");
    let kind = if is_windows { " (it is one of Windows)" } else { "" };
    Err(format!("its zone {tzid:?} is none of IANA's{kind}: expected a name such as Europe/Berlin"))
}

/// Writes a zone with its changes around the times of `span`.
pub(super) fn push_zone(out: &mut String, zone: Tz, span: (Timestamp, Timestamp)) {
    push(out, "BEGIN", "VTIMEZONE");
    push(out, "TZID", zone.name());
    push(out, "X-LIC-LOCATION", zone.name());
    let from = span.0.to_utc() - Duration::days(366);
    // From midnight, since nobody needs the seconds.
    let from = from.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
    let to = span.1.to_utc() + Duration::days(366 * YEARS_AHEAD);
    let first = Change { at: from, before: offset(zone, from), after: offset(zone, from) };
    for change in std::iter::once(first).chain(changes(zone, from, to)) {
        push_change(out, zone, &change);
    }
    push(out, "END", "VTIMEZONE");
}

/// A change of a zone's offset, in seconds.
struct Change {
    at: DateTime<Utc>,
    before: i32,
    after: i32,
}

fn push_change(out: &mut String, zone: Tz, change: &Change) {
    let local = zone.from_utc_datetime(&change.at.naive_utc());
    let is_daylight = chrono_tz::OffsetComponents::dst_offset(local.offset()) > Duration::zero();
    let kind = if is_daylight { "DAYLIGHT" } else { "STANDARD" };
    let start: NaiveDateTime = change.at.naive_utc() + Duration::seconds(i64::from(change.before));
    push(out, "BEGIN", kind);
    push(out, "DTSTART", &start.format("%Y%m%dT%H%M%S").to_string());
    push(out, "TZOFFSETFROM", &told(change.before));
    push(out, "TZOFFSETTO", &told(change.after));
    push(out, "TZNAME", &local.format("%Z").to_string());
    push(out, "END", kind);
}

fn told(seconds: i32) -> String {
    let (sign, length) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
    let (hours, minutes, seconds) = (length / 3600, length / 60 % 60, length % 60);
    if seconds == 0 {
        format!("{sign}{hours:02}{minutes:02}")
    } else {
        format!("{sign}{hours:02}{minutes:02}{seconds:02}")
    }
}

fn offset(zone: Tz, at: DateTime<Utc>) -> i32 {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

/// Returns the changes in order; none are closer than a day.
fn changes(zone: Tz, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<Change> {
    let mut found = Vec::new();
    let (mut at, mut known) = (from, offset(zone, from));
    while at < to {
        let Some(next) = at.checked_add_signed(Duration::days(1)) else { break };
        let then = offset(zone, next);
        if then != known {
            let (mut low, mut high) = (at.timestamp(), next.timestamp());
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let is_before = DateTime::from_timestamp(middle, 0).is_some_and(|middle| offset(zone, middle) == known);
                if is_before { low = middle } else { high = middle }
            }
            if let Some(at) = DateTime::from_timestamp(high, 0) {
                found.push(Change { at, before: known, after: then });
            }
            known = then;
        }
        at = next;
    }
    found
}
