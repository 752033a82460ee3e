//! Which calendar date is "3 june 2026", "friday" or "3 days" from a given one?
//!
//! The one door to chrono-english. It takes no words of the user: each question is written here in one of four shapes
//! (ASCII, lower case, bounded numbers) with a UTC noon as reference, so that no clock time, zone or doubtful word
//! reaches it, and each answer is checked. Zones, gaps, "next" and roll-forward are the callers'.

use std::panic::catch_unwind;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc, Weekday};
use chrono_english::{Dialect, parse_date_string};

/// The most days or weeks that one question counts; chrono-english multiplies in 32 bits.
const COUNT_MAX: i64 = 10_000;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns the date, or `None` where the calendar has none such or the year is not of four digits.
pub(super) fn date(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    let name = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if !(1000..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let found = ask(&format!("{day} {name} {year}"), NaiveDate::default())?;
    // The 31st of April must not become another day.
    (found.year() == year && found.month() == month && found.day() == day).then_some(found)
}

/// Returns the first `weekday` after `date`.
pub(super) fn weekday_after(date: NaiveDate, weekday: Weekday) -> Option<NaiveDate> {
    let name = match weekday {
        Weekday::Mon => "monday",
        Weekday::Tue => "tuesday",
        Weekday::Wed => "wednesday",
        Weekday::Thu => "thursday",
        Weekday::Fri => "friday",
        Weekday::Sat => "saturday",
        Weekday::Sun => "sunday",
    };
    let found = ask(name, date)?;
    let days = found.signed_duration_since(date).num_days();
    (found.weekday() == weekday && (1..=7).contains(&days)).then_some(found)
}

/// Returns the date so many days later.
pub(super) fn days_after(date: NaiveDate, days: i64) -> Option<NaiveDate> {
    if (1..=COUNT_MAX).contains(&days) {
        let found = ask(&format!("{days} days"), date)?;
        return (found.signed_duration_since(date).num_days() == days).then_some(found);
    }
    let count = Days::new(days.unsigned_abs());
    if days < 0 { date.checked_sub_days(count) } else { date.checked_add_days(count) }
}

fn ask(words: &str, reference: NaiveDate) -> Option<NaiveDate> {
    // Noon: no day is lost by a shift of hours.
    let noon: DateTime<Utc> = reference.and_time(NaiveTime::from_hms_opt(12, 0, 0)?).and_utc();
    catch_unwind(|| parse_date_string(words, noon, Dialect::Uk).ok()).ok().flatten().map(|found| found.date_naive())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date of the test's own")
    }

    #[test]
    fn dates_are_those_of_the_calendar_and_no_others() {
        for year in [1970, 2026, 2028, 2038, 2045, 9999] {
            for month in 0..=13 {
                for day in 0..=32 {
                    assert_eq!(
                        date(year, month, day),
                        NaiveDate::from_ymd_opt(year, month, day),
                        "{year}-{month}-{day}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_weekday_is_the_next_one_strictly_after() {
        for start in ["2026-05-13", "2026-12-28", "2028-02-27"] {
            let mut weekday = Weekday::Mon;
            for _ in 0..7 {
                let found = weekday_after(day(start), weekday).expect("there always is one");
                assert!(found > day(start) && found.weekday() == weekday, "{start} {weekday}");
                weekday = weekday.succ();
            }
        }
    }

    #[test]
    fn days_are_calendar_days_at_any_distance() {
        assert_eq!(days_after(day("2026-03-07"), 1), Some(day("2026-03-08")));
        assert_eq!(days_after(day("2026-05-13"), 10_000), Some(day("2053-09-28")));
        assert_eq!(days_after(day("2026-05-13"), 10_001), Some(day("2053-09-29")));
        assert_eq!(days_after(day("2026-05-13"), -1), Some(day("2026-05-12")));
        assert_eq!(days_after(day("2026-05-13"), i64::MAX), None);
    }
}
