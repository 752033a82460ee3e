//! What is left of a rule that is cut in two: what comes before a time, and what comes from then on.

use chrono::{NaiveDateTime, TimeDelta};
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::schedule::{Rule, Schedule};
use crate::domain::time::{Span, Timestamp, resolve};

/// Times of rules are whole seconds, so that an end lies this much before what is behind it.
const STEP: Span = Span::from_secs(1);

/// Where a rule ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct End {
    /// How many in all.
    count: Option<u32>,
    /// The last time that may be one.
    until: Option<Nominal>,
}

impl Schedule {
    /// Returns it with `last` as its last instance.
    #[must_use]
    pub fn ended_with(&self, last: &Instance, device: Tz) -> Self {
        let local = self.local_of(last, device);
        self.with_until(local, last.due)
    }

    /// Returns it without `first` and what comes behind.
    #[must_use]
    pub fn ended_before(&self, first: &Instance, device: Tz) -> Self {
        let local = self.local_of(first, device);
        let step = TimeDelta::milliseconds(STEP.as_millis());
        let at = Timestamp::from_millis(first.due.as_millis() - STEP.as_millis()).unwrap_or(Timestamp::MIN);
        self.with_until(local.checked_sub_signed(step).unwrap_or(local), at)
    }

    /// Returns it from its instance `first` on; a count is what is left of it.
    ///
    /// A rule without a count stays as it is, so that its cadence does: who goes on with it knows where.
    #[must_use]
    pub fn rest_from(&self, first: &Instance, device: Tz) -> Self {
        match (&self.rule, self.count_from(first, device)) {
            // Its instances are numbered from the first of all, and go on so.
            (Rule::AfterDone(_), _) | (_, None) => self.clone(),
            (_, Some(left)) => self.with_count(left).starting_at(first, device),
        }
    }

    /// Returns it with `first`, which is one of its instances, as the first that counts.
    fn starting_at(&self, first: &Instance, device: Tz) -> Self {
        let local = self.local_of(first, device);
        let mut rest = self.clone();
        match &mut rest.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => {}
            Rule::Interval(interval) => interval.from = first.due,
            Rule::Calendar(calendar) => calendar.from = local,
            Rule::Cron(cron) => cron.from = local,
            // As in `rest_from`.
            Rule::AfterDone(_) => {}
        }
        rest
    }

    /// Returns whether it says itself where it ends.
    #[must_use]
    pub fn has_end(&self) -> bool {
        self.end() != End { count: None, until: None }
    }

    /// Returns it with the last time that `other` may have.
    #[must_use]
    pub fn until_as(&self, other: &Self, device: Tz) -> Self {
        let until = other.end().until.and_then(|until| match until {
            Nominal::Local(local) => resolve(local, other.zone.unwrap_or(device)).map(|(at, _)| (local, at)),
            Nominal::Instant(at) => Some((at.local(self.zone.unwrap_or(device)), at)),
        });
        until.map_or_else(|| self.clone(), |(local, at)| self.with_until(local, at))
    }

    /// Returns it from its instance `first` on, with as many instances as are left of `other` from its instance `behind`
    /// on; `None` where none is left.
    #[must_use]
    pub fn counted_as(&self, first: &Instance, other: &Self, behind: Option<&Instance>, device: Tz) -> Option<Self> {
        let Some(all) = other.end().count else { return Some(self.clone()) };
        let left = other.count_from(behind?, device).filter(|left| *left > 0)?;
        let count = match (&self.rule, &other.rule) {
            // They are numbered on, from the first of all.
            (Rule::AfterDone(_), Rule::AfterDone(_)) => all,
            (_, _) => left,
        };
        Some(self.starting_at(first, device).with_count(count))
    }

    fn with_count(&self, count: u32) -> Self {
        let mut new = self.clone();
        let place = match &mut new.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => return new,
            Rule::Interval(interval) => &mut interval.count,
            Rule::Calendar(calendar) => &mut calendar.count,
            Rule::Cron(cron) => &mut cron.count,
            Rule::AfterDone(after) => &mut after.count,
        };
        *place = Some(count);
        new
    }

    /// Returns how many of a counted rule's instances there are from `first` on, `None` where it has no count.
    fn count_from(&self, first: &Instance, device: Tz) -> Option<u32> {
        let count = self.end().count?;
        let before = match (&self.rule, first.key) {
            (Rule::Interval(interval), _) => interval.index_by(first.due).unwrap_or(0),
            (Rule::AfterDone(_), OccurrenceKey::Nth(n)) => u64::from(n.saturating_sub(1)),
            (_, _) => {
                let before = self.instances(None, Timestamp::MIN, device).take_while(|each| each.due < first.due);
                u64::try_from(before.count()).unwrap_or(u64::MAX)
            }
        };
        Some(count.saturating_sub(u32::try_from(before).unwrap_or(u32::MAX)))
    }

    fn end(&self) -> End {
        match &self.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => End { count: None, until: None },
            Rule::Interval(interval) => End { count: interval.count, until: interval.until.map(Nominal::Instant) },
            Rule::Calendar(calendar) => End { count: calendar.count, until: calendar.until.map(Nominal::Local) },
            Rule::Cron(cron) => End { count: cron.count, until: cron.until.map(Nominal::Local) },
            Rule::AfterDone(after) => End { count: after.count, until: after.until.map(Nominal::Instant) },
        }
    }

    fn with_until(&self, local: NaiveDateTime, at: Timestamp) -> Self {
        let mut ended = self.clone();
        match &mut ended.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => {}
            Rule::Interval(interval) => interval.until = Some(at),
            Rule::Calendar(calendar) => calendar.until = Some(local),
            Rule::Cron(cron) => cron.until = Some(local),
            Rule::AfterDone(after) => after.until = Some(at),
        }
        ended
    }

    fn local_of(&self, instance: &Instance, device: Tz) -> NaiveDateTime {
        match instance.nominal {
            Nominal::Local(local) => local,
            Nominal::Instant(at) => at.local(self.zone.unwrap_or(device)),
        }
    }
}
