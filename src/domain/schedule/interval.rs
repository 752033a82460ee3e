//! Which instant of "every 45 minutes" is next?

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{Span, Timestamp};

/// Every so often: the first at `from`, then each `every` later. Absolute: clock changes do not move it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// How often; at least [`INTERVAL_MIN`].
    pub every: Span,
    /// The first instance.
    pub from: Timestamp,
    /// How many in all.
    pub count: Option<u32>,
    /// The last instant that may be one.
    pub until: Option<Timestamp>,
}

impl Interval {
    /// Returns instance `index`, counted from 0, or `None` past the end.
    pub(in crate::domain) fn at(&self, index: u64) -> Option<Instance> {
        if self.count.is_some_and(|count| index >= u64::from(count)) {
            return None;
        }
        let offset = self.every.as_millis().checked_mul(i64::try_from(index).ok()?)?;
        let due = self.from.checked_add(Span::from_millis(offset))?;
        let is_within = self.until.is_none_or(|until| due <= until);
        is_within.then_some(Instance { key: OccurrenceKey::Instant(due), nominal: Nominal::Instant(due), due })
    }

    /// Returns the index of the last instance due by `now`, `None` before the first.
    pub(in crate::domain) fn index_by(&self, now: Timestamp) -> Option<u64> {
        let last_due = self.until.map_or(now, |until| until.min(now));
        let index = u64::try_from(last_due.since(self.from).as_millis()).ok()?
            / u64::try_from(self.every.as_millis().max(1)).ok()?;
        match self.count {
            Some(count) => Some(index.min(u64::from(count).checked_sub(1)?)),
            None => Some(index),
        }
    }

    pub(super) fn instances(
        &self,
        cursor: Option<&Instance>,
        floor: Timestamp,
    ) -> impl Iterator<Item = Instance> + use<> {
        let after_cursor = cursor.and_then(|cursor| self.index_by(cursor.due)).map_or(0, |index| index + 1);
        let at_floor = self.index_by(floor).unwrap_or(0);
        let interval = *self;
        (after_cursor.max(at_floor)..).map_while(move |index| interval.at(index))
    }
}
