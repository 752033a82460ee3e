//! What does the person hear at the beginning of a day: what is due today, and what is due still?
//!
//! Told once for each local date, however the clock or the zone is set, and only where there is something to tell. Decides
//! and composes; sends nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Target};
use crate::domain::digest::{CAUSE, Cause, LINES_MAX, one_line};
use crate::domain::event::Snapshot;
use crate::domain::message::{Message, Occasion, Reason, digits};
use crate::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
use crate::domain::state::State;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp, resolve};

/// How late a day may be told that nobody could tell in its time: behind that it is half over.
const LATE_MAX: Span = Span::from_minutes(6 * 60);

/// When and where each day is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Daily {
    /// At which time of the local day.
    pub at: NaiveTime,
    /// Where; empty means where a task speaks that names no channel.
    pub targets: Vec<Target>,
}

/// What is to be done about the days now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// This date is to be told.
    Tell(NaiveDate),
    /// Nothing until then; `None`: never again.
    Wait(Option<Timestamp>),
}

impl Daily {
    /// Returns what is to be done now, where `told` is the latest date that is over with.
    #[must_use]
    pub fn turn(&self, told: Option<NaiveDate>, now: Timestamp, zone: Tz) -> Turn {
        let today = now.local(zone).date();
        let time_of = |date: NaiveDate| resolve(date.and_time(self.at), zone).map(|(at, _)| at);
        let is_over = told.is_some_and(|told| told >= today);
        match time_of(today) {
            Some(at) if !is_over && at <= now && now.since(at) <= LATE_MAX => Turn::Tell(today),
            Some(at) if !is_over && now < at => Turn::Wait(Some(at)),
            Some(_) | None => {
                // Where the clock was set back it waits for the first date that was not told.
                let first = told.filter(|told| *told > today).unwrap_or(today);
                Turn::Wait(first.checked_add_days(Days::new(1)).and_then(time_of))
            }
        }
    }
}

/// Composes what is told of a day; `None` where there is nothing.
#[must_use]
pub fn of_day(open: &[Snapshot], date: NaiveDate, now: Timestamp, zone: Tz) -> Option<Message> {
    let end = resolve(date.checked_add_days(Days::new(1))?.and_time(NaiveTime::MIN), zone)?.0;
    let mut ahead: Vec<(Timestamp, &Snapshot)> = Vec::new();
    let mut still: Vec<&Snapshot> = Vec::new();
    for snapshot in open {
        match &snapshot.occurrence.state {
            State::Running(_) => still.push(snapshot),
            State::Pending(pending) if !pending.is_missed => {
                let due = pending.snooze.map(|snooze| snooze.until).or(snapshot.occurrence.due_at());
                ahead.extend(due.filter(|due| *due < end).map(|due| (due, snapshot)));
            }
            State::Created
            | State::Pending(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_) => {}
        }
    }
    if ahead.is_empty() && still.is_empty() {
        return None;
    }
    ahead.sort_by_key(|(due, snapshot)| (*due, snapshot.task.number));
    still.sort_by_key(|snapshot| (Reverse(snapshot.task.details.priority), snapshot.task.number));
    let priority = open.iter().filter(|known| is_told(known, &ahead, &still)).map(|told| told.task.details.priority);
    let priority = priority.max().unwrap_or_default();
    let title = |snapshot: &Snapshot| one_line(&snapshot.task.details.title);
    let of_today = ahead.iter().map(|(due, snapshot)| {
        let time = due.max(&now).in_zone(zone).format("%H:%M");
        format!("{time} {} {}", snapshot.task.number, title(snapshot))
    });
    let of_before = still.iter().map(|snapshot| format!("still due: {} {}", snapshot.task.number, title(snapshot)));
    let all: Vec<String> = of_today.chain(of_before).collect();
    let untold = all.len().saturating_sub(LINES_MAX);
    let mut lines: Vec<String> = all.into_iter().take(LINES_MAX).collect();
    lines.extend((untold > 0).then(|| format!("and {} more", digits(untold as u64))));
    let title = match (ahead.len(), still.len()) {
        (today, 0) => format!("Today: {}", digits(today as u64)),
        (0, before) => format!("Today: nothing new, {} still due", digits(before as u64)),
        (today, before) => format!("Today: {}, and {} still due", digits(today as u64), digits(before as u64)),
    };
    Some(Message { number: Number(0), title, body: lines.join("\n"), priority, link: None })
}

fn is_told(known: &Snapshot, ahead: &[(Timestamp, &Snapshot)], still: &[&Snapshot]) -> bool {
    let id = known.task.id;
    ahead.iter().any(|(_, one)| one.task.id == id) || still.iter().any(|one| one.task.id == id)
}

/// Returns the delivery that tells a date to a target: the same on every attempt of that day, so that it is made once.
#[must_use]
pub fn delivery(target: Target, date: NaiveDate, message: Message, device: Uuid, now: Timestamp) -> Delivery {
    let task = TaskId(Uuid::new_v5(&device, b"day"));
    Delivery {
        id: DeliveryId { fire_id: fire_id(date, device), target },
        task,
        occurrence: OccurrenceName { key: OccurrenceKey::Date(date), generation: 1 },
        message,
        occasion: Occasion {
            device,
            reason: Reason::Digest,
            slot: Slot::DUE,
            nominal_at: now,
            late: false,
            due: None,
            notes: String::new(),
            tags: Vec::new(),
            metadata: BTreeMap::from([(CAUSE.to_owned(), Cause::Day.as_str().to_owned())]),
        },
        status: DeliveryStatus::Queued,
        frozen: None,
        // What is told of a day is of no use on the next.
        expires_at: Some(now.saturating_add(LATE_MAX)),
        attempts: 0,
        created_at: now,
        last_error: None,
        digest: None,
        receipt: None,
    }
}

/// Returns the name under which a date is told.
#[must_use]
pub fn fire_id(date: NaiveDate, device: Uuid) -> FireId {
    FireId(Uuid::new_v5(&device, format!("day|{date}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    use chrono_tz::America::New_York;

    fn at(text: &str) -> Timestamp {
        let local = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
        resolve(local, New_York).unwrap().0
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(told: Option<&str>, now: &str, expected: Turn) {
        let daily = Daily { at: NaiveTime::from_hms_opt(8, 0, 0).unwrap(), targets: Vec::new() };
        assert_eq!(daily.turn(told.map(date), at(now), New_York), expected);
    }

    #[test]
    fn a_day_is_told_once_at_its_time_or_late_in_the_morning() {
        check(None, "2026-05-13 07:59", Turn::Wait(Some(at("2026-05-13 08:00"))));
        check(None, "2026-05-13 08:00", Turn::Tell(date("2026-05-13")));
        check(Some("2026-05-12"), "2026-05-13 14:00", Turn::Tell(date("2026-05-13")));
        check(Some("2026-05-12"), "2026-05-13 14:01", Turn::Wait(Some(at("2026-05-14 08:00"))));
        check(Some("2026-05-13"), "2026-05-13 08:00", Turn::Wait(Some(at("2026-05-14 08:00"))));
    }

    #[test]
    fn a_clock_that_is_set_back_tells_no_date_twice() {
        check(Some("2026-05-13"), "2026-05-12 08:30", Turn::Wait(Some(at("2026-05-14 08:00"))));
        check(Some("2026-05-13"), "2026-05-11 07:00", Turn::Wait(Some(at("2026-05-14 08:00"))));
    }

    #[test]
    fn a_time_that_a_day_does_not_have_is_told_at_the_end_of_the_gap() {
        let daily = Daily { at: NaiveTime::from_hms_opt(2, 30, 0).unwrap(), targets: Vec::new() };
        let night = at("2026-03-08 01:59");
        assert_eq!(daily.turn(None, night, New_York), Turn::Wait(Some(at("2026-03-08 03:00"))));
    }
}
