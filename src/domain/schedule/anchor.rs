//! Where does a rule begin that was given while the clock was wrong?

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, TimeDelta};
use chrono_tz::Tz;

use crate::domain::occurrence::Nominal;
use crate::domain::schedule::{AfterDone, Cron, Interval, Rule, Schedule};
use crate::domain::time::{Span, Timestamp, add_days, resolve};

/// One day. What was off by less is not moved: the rule then begins a day late at most, and as it was told.
const DAY: Span = Span::from_secs(24 * 60 * 60);

impl Schedule {
    /// Returns the schedule as if it had been given by a clock that was set back by `by` (negative); `None` where it
    /// begins by `now`, or has no beginning.
    ///
    /// It moves by whole days, weeks or months, as the rule counts, so that its times of day and its days stay: a little
    /// more than the step, since what comes before now does not count. One that counts its times moves by as near as it
    /// can.
    #[must_use]
    pub fn anchored_anew(&self, by: Span, now: Timestamp, device: Tz) -> Option<Self> {
        let back = Span::from_millis(by.as_millis().checked_neg()?);
        if back < DAY {
            return None;
        }
        let zone = self.zone.unwrap_or(device);
        let is_ahead = |from: NaiveDateTime| resolve(from, zone).is_some_and(|(at, _)| now < at);
        let rule = match &self.rule {
            Rule::Interval(interval) if now < interval.from => {
                Rule::Interval(Interval { from: earlier(interval.from, back, interval.count), ..*interval })
            }
            Rule::Calendar(calendar) if is_ahead(calendar.from) => Rule::Calendar(calendar.anchored(back)?),
            Rule::Cron(cron) if is_ahead(cron.from) => {
                let date = add_days(cron.from.date(), -whole(back, DAY, cron.count))?;
                Rule::Cron(Cron { from: date.and_time(cron.from.time()), ..cron.clone() })
            }
            Rule::AfterDone(after) => {
                Rule::AfterDone(AfterDone { from: first_completion(after, back, now, zone)?, ..*after })
            }
            Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) => return None,
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => return None,
        };
        Some(Self { rule, ..self.clone() })
    }
}

/// Returns a local time moved by `by`, or by as many whole days as are nearest to that; `None` outside of chrono's range.
#[must_use]
pub fn move_local(local: NaiveDateTime, by: Span, keeps_clock: bool) -> Option<NaiveDateTime> {
    let millis = by.as_millis();
    let day = DAY.as_millis();
    let millis = if keeps_clock { (millis + day / 2).div_euclid(day) * day } else { millis };
    local.checked_add_signed(TimeDelta::try_milliseconds(millis)?)
}

/// The first of a rule that counts completions has a time of its own, which comes once: it moves by the nearest whole days.
fn first_completion(after: &AfterDone, back: Span, now: Timestamp, zone: Tz) -> Option<Nominal> {
    let days = Span::from_millis(-whole(back, DAY, Some(1)) * DAY.as_millis());
    match after.from {
        Nominal::Instant(at) if now < at => Some(Nominal::Instant(at.saturating_add(days).max(now))),
        Nominal::Local(local) if resolve(local, zone).is_some_and(|(at, _)| now < at) => {
            let moved = move_local(local, days, true)?;
            let is_ahead = resolve(moved, zone).is_some_and(|(at, _)| now < at);
            // Nothing is told of what is past: the next day at that time.
            Some(Nominal::Local(if is_ahead { moved } else { moved.checked_add_days(chrono::Days::new(1))? }))
        }
        Nominal::Instant(_) | Nominal::Local(_) => None,
    }
}

fn earlier(from: Timestamp, back: Span, count: Option<u32>) -> Timestamp {
    // So many times from the first: they begin where they would have, whatever the clock shows then.
    let back = if count.is_some() { back.as_millis() } else { whole(back, DAY, None) * DAY.as_millis() };
    from.saturating_add(Span::from_millis(-back))
}

/// Returns how many whole `units` go back by `back`: as near as can be for what is counted, else not less.
pub(super) fn whole(back: Span, unit: Span, count: Option<u32>) -> i64 {
    let (back, unit) = (back.as_millis(), unit.as_millis());
    let more = if count.is_some() { unit / 2 } else { unit - 1 };
    (back + more).div_euclid(unit)
}

/// Returns the date at least `months` earlier, by whole `period`s of months, that has the same day of the month.
pub(super) fn months_before(date: NaiveDate, months: i64, period: i64) -> Option<NaiveDate> {
    // A leap day comes back within eight years.
    (0..=8 * 12).map(|more| months + more).filter(|months| months % period == 0).find_map(|months| {
        let earlier = date.checked_sub_months(Months::new(u32::try_from(months).ok()?))?;
        (earlier.day() == date.day()).then_some(earlier)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::schedule::Calendar;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a time of the test's own")
    }

    fn utc(text: &str) -> Timestamp {
        resolve(local(text), Tz::UTC).expect("in range").0
    }

    fn first_after(rule: Rule, now: &str, back_days: i64) -> String {
        let schedule = Schedule { text: String::new(), rule, zone: None };
        let by = Span::from_secs(-back_days * 86_400);
        let moved = schedule.anchored_anew(by, utc(now), Tz::UTC).unwrap_or(schedule);
        moved.next_after(None, utc(now), Tz::UTC).map_or_else(|| "never".to_owned(), |next| next.due.to_string())
    }

    fn calendar(rrule: &str, from: &str) -> Rule {
        Rule::Calendar(Calendar { rrule: rrule.into(), from: local(from), count: None, until: None })
    }

    #[test]
    fn a_rule_of_the_wrong_years_comes_up_at_its_next_time_from_now() {
        let now = "2026-05-13 12:00";
        let daily = calendar("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2028-05-12 08:00");
        assert_eq!(first_after(daily.clone(), now, 730), "2026-05-14T09:00:00Z");
        assert_eq!(first_after(daily, now, 0), "2028-05-12T09:00:00Z", "a clock that was right");
        let weekly = calendar("FREQ=WEEKLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2028-05-12 08:00");
        assert_eq!(first_after(weekly, now, 731), "2026-05-15T09:00:00Z");
        let month_end = calendar("FREQ=MONTHLY", "2028-05-31 09:00");
        assert_eq!(first_after(month_end, now, 731), "2026-05-31T09:00:00Z");
        let leap_day = calendar("FREQ=YEARLY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2028-02-29 00:00");
        assert_eq!(first_after(leap_day, now, 731), "2028-02-29T09:00:00Z");
        let every = Span::from_minutes(45);
        let interval = Interval { every, from: utc("2028-05-12 08:45"), count: None, until: None };
        assert_eq!(first_after(Rule::Interval(interval), now, 730), "2026-05-13T12:30:00Z");
        let counted = Interval { count: Some(3), from: utc("2028-05-12 12:45"), ..interval };
        assert_eq!(first_after(Rule::Interval(counted), now, 729), "2026-05-14T12:45:00Z");
        let cron = Cron { expression: "0 9 * * *".into(), from: local("2028-05-12 08:00"), count: None, until: None };
        assert_eq!(first_after(Rule::Cron(cron), now, 730), "2026-05-14T09:00:00Z");
    }

    #[test]
    fn a_local_time_moves_by_the_step_or_by_the_nearest_days() {
        let from = local("2028-05-12 09:00");
        let by = Span::from_minutes(-(2 * 24 + 13) * 60);
        assert_eq!(move_local(from, by, false), Some(local("2028-05-09 20:00")));
        assert_eq!(move_local(from, by, true), Some(local("2028-05-09 09:00")));
        assert_eq!(move_local(from, Span::from_minutes(60), true), Some(from));
    }
}
