//! When is many told as one? What a task says more often than a few times a day is one entry for each alert and day.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;

use crate::domain::agenda::{Condition, Firing, Stretch, times_before};
use crate::domain::occurrence::Slot;
use crate::domain::time::{Span, Timestamp, add_days, resolve};

/// How many entries a task has on a day at most, before they are folded.
pub(super) const SINGLE_MAX: u64 = 6;

/// Folds the days of a task on which it says much.
pub(super) fn by_day(mut firings: Vec<Firing>, zone: Tz) -> Vec<Firing> {
    firings.sort_by_key(|firing| firing.at);
    let mut folded = Vec::with_capacity(firings.len());
    let mut rest = firings.as_slice();
    while let Some(first) = rest.first() {
        let end = end_of_day(first.at, zone);
        let (today, behind) = rest.split_at(rest.partition_point(|firing| firing.at < end));
        let times: u64 = today.iter().map(|firing| firing.times).sum();
        if times > SINGLE_MAX {
            folded.extend(fold(today));
        } else {
            folded.extend_from_slice(today);
        }
        rest = behind;
    }
    folded
}

/// Folds what is said on one day: each alert of the task becomes one.
fn fold(today: &[Firing]) -> impl Iterator<Item = Firing> {
    let mut sorts: BTreeMap<(Slot, Condition), Vec<&Firing>> = BTreeMap::new();
    for firing in today {
        // One nag is like another.
        let sort = if matches!(firing.slot, Slot::Nag(_)) { Slot::Nag(0) } else { firing.slot };
        sorts.entry((sort, firing.only_if)).or_default().push(firing);
    }
    sorts.into_values().map(|same| {
        let last_at = same.iter().map(|firing| firing.last_at).max().unwrap_or(same[0].last_at);
        let times = same.iter().map(|firing| firing.times).sum();
        // Several in one count where they are as far apart as they are from the others.
        let apart = same.windows(2).map(|pair| Some(pair[1].at.since(pair[0].last_at)));
        let within = same.iter().filter(|firing| firing.times > 1).map(|firing| firing.every);
        let mut steps = apart.chain(within);
        let step = steps.next().flatten();
        let every = step.filter(|_| steps.all(|other| other == step));
        Firing { last_at, times, every, ..*same[0] }
    })
}

/// Returns a firing of an interval that is said `times` times, `every` apart; `one` is what a single instance says.
pub(super) fn together(first: Firing, one: &Firing, times: u64, every: Span) -> Firing {
    let all = Firing { last_at: first.at, ..first }.repeated(times, every);
    let last_at = all.last_at.saturating_add(one.last_at.since(one.at));
    if one.times == 1 { all } else { Firing { last_at, times: times * one.times, every: None, ..all } }
}

/// Leaves of several times in one only those within the stretch. Returns whether there are any.
pub(super) fn clip(firing: &mut Firing, stretch: &Stretch) -> bool {
    let Some(every) = firing.every.filter(|_| firing.times > 1) else {
        return (stretch.from..stretch.to).contains(&firing.at) || firing.times > 1;
    };
    let millis = every.as_millis().max(1);
    let before = stretch.from.since(firing.at).as_millis().max(0);
    let passed = (before + millis - 1) / millis;
    let left = i64::try_from(firing.times).unwrap_or(i64::MAX) - passed;
    let at = firing.at.saturating_add(Span::from_millis(passed.saturating_mul(millis)));
    let within = times_before(at, every, stretch.to).min(u64::try_from(left).unwrap_or(0));
    if within == 0 {
        return false;
    }
    if let Slot::Nag(n) = firing.slot {
        firing.slot = Slot::Nag(n.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX)));
    }
    *firing = Firing { at, ..*firing }.repeated(within, every);
    true
}

/// Returns the local days of a stretch, the first and the last cut to it.
pub(super) fn days(stretch: &Stretch) -> impl Iterator<Item = Range<Timestamp>> {
    let (zone, to) = (stretch.days_of, stretch.to);
    let mut start = stretch.from.max(stretch.now);
    std::iter::from_fn(move || {
        let day = start..end_of_day(start, zone).min(to);
        start = day.end;
        (day.start < day.end).then_some(day)
    })
}

/// Returns the first instant of the local day behind that of `at`, whatever that day's length.
fn end_of_day(at: Timestamp, zone: Tz) -> Timestamp {
    let mut date = at.local(zone).date();
    loop {
        let next = add_days(date, 1).and_then(|next| Some((next, start_of(next, zone)?)));
        match next {
            // Where the clock is set back over midnight, a day begins twice.
            Some((next, start)) if start <= at => date = next,
            Some((_, start)) => return start,
            None => return Timestamp::MAX,
        }
    }
}

fn start_of(date: NaiveDate, zone: Tz) -> Option<Timestamp> {
    resolve(date.and_time(NaiveTime::MIN), zone).map(|(at, _)| at)
}
