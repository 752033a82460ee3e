//! Is the person to be left alone now, until when, and what rings all the same? (SPEC 4, quiet hours and away)
//!
//! One rule for both: what the person gave a clock time or chose by a snooze rings; what comes by itself (intervals, nags)
//! and what comes late is held and told when it is over. Decides nothing of a task: a held firing fires at its own time.

use chrono::{Datelike, NaiveDate, NaiveTime, Weekday};
use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::message::{Occasion, Reason};
use crate::domain::occurrence::Slot;
use crate::domain::schedule::{Cron, Rule};
use crate::domain::task::{DeadlineTime, Task};
use crate::domain::time::{Span, Timestamp, add_days, resolve};

/// How many stretches that touch are followed to their end: more than a week has of any sensible setting. Behind that the
/// end of what was followed is looked at anew, so that nothing waits for ever.
const CHAIN_MAX: usize = 64;

/// Past this the time alone does not say which day is meant.
const DAY: Span = Span::from_minutes(24 * 60);

/// Why something is held while the person is away.
pub const AWAY: &str = "you were away";

/// Why something is held at night.
pub const QUIET_HOURS: &str = "it was in the quiet hours";

/// When the person is to be left alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Quiet {
    /// Each day anew.
    pub hours: QuietHours,
    /// Once.
    pub away: Option<Away>,
}

/// The quiet hours of a week, by the clock of the device's zone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QuietHours {
    /// The stretches; none of them covers a whole day.
    pub ranges: Vec<QuietRange>,
    /// Tasks with one of these tags ring all the same; written without their `+`.
    pub except: Vec<String>,
}

/// A stretch of a day, which may reach into the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietRange {
    /// The days on which it begins.
    pub days: Weekdays,
    /// When it begins.
    pub from: NaiveTime,
    /// When it ends: on the next day, where that is not after `from`.
    pub to: NaiveTime,
}

/// Some days of the week.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weekdays(u8);

impl Weekdays {
    /// All seven.
    pub const ALL: Self = Self(0b111_1111);

    /// Returns the days from one to another, both included, over the end of the week where the second comes first.
    #[must_use]
    pub fn between(first: Weekday, last: Weekday) -> Self {
        let mut days = Self(0);
        let mut day = first;
        loop {
            days = days.and(Self(1 << day.num_days_from_monday()));
            if day == last {
                return days;
            }
            day = day.succ();
        }
    }

    /// Returns both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, day: Weekday) -> bool {
        self.0 & (1 << day.num_days_from_monday()) != 0
    }
}

/// A time for which the person said to be away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Away {
    /// The request that set it.
    pub id: Uuid,
    /// Since when.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// Tasks with one of these tags ring all the same; written without their `+`.
    pub except: Vec<String>,
}

impl Away {
    /// Returns whether it has ended.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.to <= now
    }
}

impl Quiet {
    /// Returns until when tasks of these tags are held at `now`; `None` where they are not. What touches or overlaps counts
    /// as one: nothing is told in between.
    #[must_use]
    pub fn until(&self, tags: &[String], now: Timestamp, zone: Tz) -> Option<Timestamp> {
        let is_excepted = |except: &[String]| except.iter().any(|tag| tags.contains(tag));
        let hours = Some(&self.hours).filter(|hours| !is_excepted(&hours.except));
        let away = self.away.as_ref().filter(|away| !is_excepted(&away.except));
        let mut end = None;
        for _ in 0..CHAIN_MAX {
            let at = end.unwrap_or(now);
            let of_hours = hours.and_then(|hours| hours.end_at(at, zone));
            let of_away = away.filter(|away| away.from <= at && at < away.to).map(|away| away.to);
            let Some(later) = of_hours.max(of_away) else { break };
            end = Some(later);
        }
        end
    }

    /// Returns whether tasks of these tags are held since the person is away.
    #[must_use]
    pub fn is_away(&self, tags: &[String], now: Timestamp) -> bool {
        let away = self.away.as_ref().filter(|away| away.from <= now && now < away.to);
        away.is_some_and(|away| !away.except.iter().any(|tag| tags.contains(tag)))
    }

    /// Returns the away that holds or is ahead.
    #[must_use]
    pub fn away_ahead(&self, now: Timestamp) -> Option<&Away> {
        self.away.as_ref().filter(|away| !away.is_over(now))
    }
}

impl QuietHours {
    /// Returns the end of the latest stretch that holds at `now`.
    fn end_at(&self, now: Timestamp, zone: Tz) -> Option<Timestamp> {
        let today = now.local(zone).date();
        let days = [add_days(today, -1), Some(today)].into_iter().flatten();
        let of_day = |day: NaiveDate| self.ranges.iter().filter_map(move |range| range.on(day, zone));
        days.flat_map(of_day).filter(|(from, to)| (*from..*to).contains(&now)).map(|(_, to)| to).max()
    }

    /// Returns whether something rings at some time of the week; else nothing that is held would ever be told.
    #[must_use]
    pub fn leaves_room(&self) -> bool {
        // A week without a change of the clock stands for all.
        let Some(monday) =
            NaiveDate::from_ymd_opt(2026, 5, 4).and_then(|day| resolve(day.and_time(NaiveTime::MIN), Tz::UTC))
        else {
            return true;
        };
        let ends = Self { except: Vec::new(), ..self.clone() };
        let quiet = Quiet { hours: ends, away: None };
        let end = quiet.until(&[], monday.0, Tz::UTC);
        end.is_none_or(|end| end.since(monday.0) < Span::from_minutes(7 * 24 * 60))
    }
}

impl QuietRange {
    /// Returns its beginning and end where it begins on `day`, as the zone's clock shows them.
    fn on(&self, day: NaiveDate, zone: Tz) -> Option<(Timestamp, Timestamp)> {
        if !self.days.has(day.weekday()) {
            return None;
        }
        let last = if self.to <= self.from { add_days(day, 1)? } else { day };
        let (from, _) = resolve(day.and_time(self.from), zone)?;
        let (to, _) = resolve(last.and_time(self.to), zone)?;
        Some((from, to))
    }
}

/// Returns whether something that a task says to a person rings though it is quiet.
#[must_use]
pub fn rings(task: &Task, occasion: &Occasion) -> bool {
    !occasion.late && rings_at(task, occasion.reason, occasion.slot)
}

/// As [`rings`], of what is said on time.
#[must_use]
pub fn rings_at(task: &Task, reason: Reason, slot: Slot) -> bool {
    match (reason, slot) {
        (Reason::Snooze | Reason::Trial, _) => true,
        (Reason::TargetFails | Reason::Blocked | Reason::Skipped | Reason::CommandFailed | Reason::Digest, _)
        | (Reason::Alert | Reason::Pause, Slot::Nag(_)) => false,
        (Reason::Alert | Reason::Pause, Slot::Alert(_)) => has_typed_time(&task.schedule.rule),
        (Reason::Alert | Reason::Pause, Slot::Deadline(_)) => {
            task.deadline.as_ref().is_some_and(|deadline| match deadline.time {
                DeadlineTime::At(_) => true,
                DeadlineTime::AfterDue(_) => has_typed_time(&task.schedule.rule),
            })
        }
    }
}

/// Returns whether the person named the time: a clock time, or so long from then. An early alert of such a time is meant
/// as that time is: who has a flight at six wants to hear of it at four.
#[must_use]
pub fn has_typed_time(rule: &Rule) -> bool {
    match rule {
        Rule::Once(_) | Rule::Countdown(_) | Rule::Calendar(_) => true,
        Rule::Cron(cron) => names_hours(cron),
        Rule::AfterDone(after) => after.at.is_some(),
        Rule::None | Rule::Interval(_) => false,
    }
}

/// A cron expression that goes by any hour is an interval in other words.
fn names_hours(cron: &Cron) -> bool {
    let fields: Vec<&str> = cron.expression.split_whitespace().collect();
    let hour = match fields.len() {
        5 => fields[1],
        6 | 7 => fields[2],
        _ => return cron.expression.trim() != "@hourly",
    };
    !hour.contains(['*', '/', '?'])
}

/// Returns the end of a hold as people read it: `07:00`, with its day where that is more than a day ahead.
#[must_use]
pub fn end_in_words(end: Timestamp, now: Timestamp, zone: Tz) -> String {
    let is_near = end.since(now) < DAY;
    end.in_zone(zone).format(if is_near { "%H:%M" } else { "%a %-d %b %Y %H:%M" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::command::{GRACE_DEFAULT, Moment, NewTask};
    use crate::domain::delivery::{Delivery, Target};
    use crate::domain::occurrence::Nominal;
    use crate::domain::routing::Routing;
    use crate::domain::schedule::{AfterDone, Calendar, Every, Interval, Schedule};
    use crate::domain::task::{Deadline, Details, Number, Policy, TaskId};
    use crate::domain::transition::create;
    use crate::domain::waiting::SetWaits;

    fn task(rule: Rule) -> Task {
        let new = NewTask {
            id: TaskId(Uuid::nil()),
            number: Number(1),
            details: Details { title: "tea".into(), ..Details::default() },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
        };
        let moment = Moment {
            now: at("2026-05-04 08:00", Tz::UTC),
            zone: Tz::UTC,
            device: Uuid::nil(),
            op_id: Uuid::nil(),
            grace: GRACE_DEFAULT,
            is_desktop_away: false,
            standing: None,
            quiet_until: None,
            routing: Routing::none(),
            is_away: false,
        };
        create(new, &moment).expect("the test's own task").after.task
    }

    fn time(text: &str) -> NaiveTime {
        NaiveTime::parse_from_str(text, "%H:%M").expect("a time")
    }

    fn at(text: &str, zone: Tz) -> Timestamp {
        let local = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a local time");
        resolve(local, zone).expect("within range").0
    }

    fn nightly(from: &str, to: &str) -> QuietRange {
        QuietRange { days: Weekdays::ALL, from: time(from), to: time(to) }
    }

    fn hours(ranges: &[QuietRange]) -> Quiet {
        Quiet { hours: QuietHours { ranges: ranges.to_vec(), except: vec!["med".into()] }, away: None }
    }

    fn until(quiet: &Quiet, tags: &[&str], now: &str, zone: Tz) -> String {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        let end = quiet.until(&tags, at(now, zone), zone);
        end.map_or("-".to_owned(), |end| end.in_zone(zone).format("%a %H:%M %z").to_string())
    }

    #[test]
    fn a_night_holds_from_its_first_instant_to_its_end_without_that() {
        let (quiet, zone) = (hours(&[nightly("22:00", "07:00")]), Tz::Europe__Berlin);
        for (now, end) in [
            ("2026-05-04 21:59", "-"),
            ("2026-05-04 22:00", "Tue 07:00 +0200"),
            ("2026-05-05 03:00", "Tue 07:00 +0200"),
            ("2026-05-05 06:59", "Tue 07:00 +0200"),
            ("2026-05-05 07:00", "-"),
            // The nights in which the clock is set.
            ("2026-03-28 23:00", "Sun 07:00 +0200"),
            ("2026-10-24 23:00", "Sun 07:00 +0100"),
        ] {
            assert_eq!(until(&quiet, &[], now, zone), end, "at {now}");
        }
        assert_eq!(until(&quiet, &["med"], "2026-05-05 03:00", zone), "-");
    }

    #[test]
    fn an_end_in_a_gap_is_the_gaps_end() {
        let quiet = hours(&[nightly("23:00", "02:30")]);
        assert_eq!(until(&quiet, &[], "2026-03-08 00:10", Tz::America__New_York), "Sun 03:00 -0400");
    }

    #[test]
    fn a_range_holds_on_its_days_only() {
        let weekend = QuietRange { days: Weekdays::between(Weekday::Sat, Weekday::Sun), ..nightly("22:00", "10:00") };
        let quiet = hours(&[weekend]);
        for (now, end) in [
            ("2026-05-08 23:00", "-"),
            ("2026-05-09 23:00", "Sun 10:00 +0000"),
            ("2026-05-11 09:00", "Mon 10:00 +0000"),
            ("2026-05-11 23:00", "-"),
        ] {
            assert_eq!(until(&quiet, &[], now, Tz::UTC), end, "at {now}");
        }
        assert_eq!(Weekdays::between(Weekday::Sun, Weekday::Mon), Weekdays(0b100_0001));
    }

    #[test]
    fn what_touches_or_overlaps_is_one_stretch() {
        let mut quiet = hours(&[nightly("22:00", "07:00"), nightly("07:00", "07:30")]);
        assert_eq!(until(&quiet, &[], "2026-05-04 23:00", Tz::UTC), "Tue 07:30 +0000");
        let (from, to) = (at("2026-05-05 07:15", Tz::UTC), at("2026-05-05 23:00", Tz::UTC));
        quiet.away = Some(Away { id: Uuid::nil(), from, to, except: vec!["work".into()] });
        assert_eq!(until(&quiet, &[], "2026-05-04 23:00", Tz::UTC), "Wed 07:30 +0000", "into the next night");
        assert_eq!(until(&quiet, &["work"], "2026-05-04 23:00", Tz::UTC), "Tue 07:30 +0000");
        assert_eq!(
            until(&quiet, &["med"], "2026-05-05 08:00", Tz::UTC),
            "Tue 23:00 +0000",
            "each has its own exceptions"
        );
        assert_eq!(until(&quiet, &["med", "work"], "2026-05-05 08:00", Tz::UTC), "-");
    }

    #[test]
    fn hours_without_an_end_are_found() {
        assert!(hours(&[nightly("22:00", "07:00")]).hours.leaves_room());
        assert!(QuietHours::default().leaves_room());
        assert!(!hours(&[nightly("00:00", "12:00"), nightly("12:00", "00:00")]).hours.leaves_room());
        assert!(!hours(&[nightly("08:00", "08:00")]).hours.leaves_room());
    }

    #[test]
    fn a_cron_rule_that_names_its_hours_has_a_typed_time() {
        let cron = |expression: &str| {
            let from = NaiveDate::from_ymd_opt(2026, 5, 4).expect("a date").and_time(NaiveTime::MIN);
            names_hours(&Cron { expression: expression.into(), from, count: None, until: None })
        };
        for typed in ["0 9 * * *", "0 9,23 * * 1-5", "0 30 23 * * *", "@daily"] {
            assert!(cron(typed), "{typed}");
        }
        for any in ["*/30 * * * *", "0 */2 * * *", "0 0 * * * *", "@hourly"] {
            assert!(!cron(any), "{any}");
        }
    }

    #[test]
    fn what_the_person_gave_a_time_rings_and_what_comes_by_itself_is_held() {
        let now = at("2026-05-04 22:30", Tz::UTC);
        let local = now.local(Tz::UTC);
        let interval = Interval { every: Span::from_minutes(90), from: now, count: None, until: None };
        let daily = Calendar { rrule: "FREQ=DAILY".into(), from: local, count: None, until: None };
        let after = |at| AfterDone { every: Every::Days(3), at, from: Nominal::Instant(now), count: None, until: None };
        for (rule, is_typed) in [
            (Rule::Once(local), true),
            (Rule::Countdown(now), true),
            (Rule::Calendar(daily), true),
            (Rule::AfterDone(after(Some(time("19:00")))), true),
            (Rule::AfterDone(after(None)), false),
            (Rule::Interval(interval), false),
            (Rule::None, false),
        ] {
            assert_eq!(has_typed_time(&rule), is_typed, "{rule:?}");
            let mut task = task(rule);
            let before = Slot::Alert(Span::from_minutes(-60));
            for (reason, slot, expected) in [
                (Reason::Alert, Slot::DUE, is_typed),
                (Reason::Alert, before, is_typed),
                (Reason::Pause, Slot::DUE, is_typed),
                (Reason::Alert, Slot::Nag(1), false),
                (Reason::Snooze, Slot::DUE, true),
                (Reason::Snooze, Slot::Nag(1), true),
                (Reason::TargetFails, Slot::DUE, false),
                (Reason::Blocked, Slot::DUE, false),
                (Reason::Skipped, Slot::DUE, false),
                (Reason::Digest, Slot::DUE, false),
            ] {
                assert_eq!(rings_at(&task, reason, slot), expected, "{reason:?} {slot} of {:?}", task.schedule.rule);
            }
            for (time, expected) in
                [(DeadlineTime::At(Nominal::Local(local)), true), (DeadlineTime::AfterDue(Span::ZERO), is_typed)]
            {
                task.deadline = Some(Deadline { time, alerts: Vec::new() });
                assert_eq!(rings_at(&task, Reason::Alert, Slot::DEADLINE), expected, "{:?}", task.deadline);
            }
        }
    }

    #[test]
    fn what_comes_late_is_held_whatever_it_is() {
        let trial = Delivery::trial(Target::desktop(), Uuid::nil(), at("2026-05-04 22:30", Tz::UTC));
        let task = task(Rule::Countdown(trial.created_at));
        for reason in [Reason::Alert, Reason::Snooze] {
            for late in [false, true] {
                let occasion = Occasion { reason, late, ..trial.occasion.clone() };
                assert_eq!(rings(&task, &occasion), !late, "{reason:?}");
            }
        }
    }

    #[test]
    fn the_end_has_its_day_where_the_time_alone_would_mislead() {
        let now = at("2026-05-04 22:30", Tz::UTC);
        assert_eq!(end_in_words(at("2026-05-05 07:00", Tz::UTC), now, Tz::UTC), "07:00");
        assert_eq!(end_in_words(at("2026-05-11 09:00", Tz::UTC), now, Tz::UTC), "Mon 11 May 2026 09:00");
    }
}
