//! One time that a task comes up, and the names that every device gives it alike.

use std::fmt;

use chrono::{NaiveDate, NaiveDateTime};
use uuid::Uuid;

use crate::domain::state::State;
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};

/// Names an occurrence of its task (SPEC 2); computed from the rule, never random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OccurrenceKey {
    /// The only one of a one-shot.
    Once,
    /// Of a rule that comes up at most daily: a change of the hour does not reopen a day that is done.
    Date(NaiveDate),
    /// Of a rule with several times a day.
    DateTime(NaiveDateTime),
    /// Of an interval.
    Instant(Timestamp),
    /// Of a rule that counts from completions: which one it is, from 1.
    Nth(u32),
}

/// `once`, `2026-05-13`, `2026-05-13T09:00:00`, `2026-05-13T09:00:00Z` or `#3`.
impl fmt::Display for OccurrenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("once"),
            Self::Date(date) => write!(f, "{date}"),
            Self::DateTime(local) => write!(f, "{}", local.format("%Y-%m-%dT%H:%M:%S")),
            Self::Instant(at) => write!(f, "{at}"),
            Self::Nth(n) => write!(f, "#{n}"),
        }
    }
}

impl std::str::FromStr for OccurrenceKey {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let unknown = || UnknownKey { text: text.to_owned() };
        if text == "once" {
            Ok(Self::Once)
        } else if let Some(n) = text.strip_prefix('#') {
            n.parse().map(Self::Nth).map_err(|_| unknown())
        } else if let Ok(date) = text.parse::<NaiveDate>() {
            Ok(Self::Date(date))
        } else if text.ends_with('Z') {
            let utc = chrono::DateTime::parse_from_rfc3339(text).map_err(|_| unknown())?;
            Timestamp::from_utc(utc.to_utc()).map(Self::Instant).ok_or_else(unknown)
        } else {
            text.parse::<NaiveDateTime>().map(Self::DateTime).map_err(|_| unknown())
        }
    }
}

/// A text that names no occurrence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "cannot read occurrence key {text:?}: expected `once`, a local date, a local date and time, a UTC instant, or `#n`"
)]
pub struct UnknownKey {
    /// The text.
    pub text: String,
}

/// One instance of a rule: which occurrence it would be, and when it would be due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its name.
    pub key: OccurrenceKey,
    /// Its time as the rule says it.
    pub nominal: Nominal,
    /// The instant that this is, in the zone of the schedule.
    pub due: Timestamp,
}

/// An instance of a rule that does not come up again, although its time may lie ahead: it ended early, it fired before the
/// clock was set back, or a person passed over it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spent {
    /// Its name.
    pub key: OccurrenceKey,
    /// When it was due.
    pub due: Timestamp,
}

impl Spent {
    /// Returns whether it comes up behind an instance of its rule, wherever the device was when it was due: a wall clock's
    /// times keep their order in every zone, and instants of two zones do not.
    #[must_use]
    pub fn is_behind(&self, instance: &Instance) -> bool {
        use OccurrenceKey::{Date, DateTime};
        match (self.key, instance.key) {
            (Date(_), Date(_)) | (DateTime(_), DateTime(_)) => self.key > instance.key,
            _ => self.due > instance.due,
        }
    }
}

/// A time as the rule says it, apart from any zone where the rule speaks of local time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Nominal {
    /// The reading of a wall clock.
    Local(NaiveDateTime),
    /// An instant (countdowns, intervals).
    Instant(Timestamp),
}

/// `2026-05-13T09:00:00` or `2026-05-13T09:00:00Z`.
impl fmt::Display for Nominal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(local) => write!(f, "{}", local.format("%Y-%m-%dT%H:%M:%S")),
            Self::Instant(at) => write!(f, "{at}"),
        }
    }
}

/// One occurrence with its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Its name within the task.
    pub key: OccurrenceKey,
    /// 1 + number of undone closings.
    pub generation: u32,
    /// When it is due; `None` where the task has no time.
    pub due: Option<Due>,
    /// When the rule has it due, where a person gave this one another time; `None` where it is due by the rule.
    pub moved_from: Option<Due>,
    /// When the next one of the series first speaks, if there is one: that closes this one (see
    /// [`crate::domain::task::Task::takeover`]).
    pub successor_at: Option<Timestamp>,
    /// The alerts that have spoken or were passed over, sorted: they do not speak by themselves again.
    pub spoken: Vec<Slot>,
    /// The alert that spoke last: a snooze repeats it.
    pub last_spoken: Option<Slot>,
    /// When it must be done at the latest, apart from due.
    pub deadline: Option<Due>,
    /// Whether that passed while it was open.
    pub is_past_deadline: bool,
    /// How often it has nagged, over all its snoozes.
    pub nags: u32,
    /// The edit that gave it another time after it had spoken: part of the id of each firing since, so that a time that
    /// comes again rings again.
    pub moved_by: Option<Uuid>,
    /// Where it stands.
    pub state: State,
}

/// The due time of an occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Due {
    /// As the schedule says it.
    pub nominal: Nominal,
    /// The instant that this is.
    pub at: Timestamp,
}

impl Occurrence {
    /// Returns the instant at which it is due, `None` where the task has no time.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        self.due.map(|due| due.at)
    }

    /// Returns whether the clock has something to do for it.
    #[must_use]
    pub const fn has_time(&self) -> bool {
        self.due.is_some() || self.deadline.is_some()
    }

    /// Returns when an alert speaks by itself, `None` for a nag, which counts from the ring before.
    #[must_use]
    pub fn time_of(&self, slot: Slot) -> Option<Timestamp> {
        match slot {
            Slot::Alert(offset) => Some(self.due?.at.saturating_add(offset)),
            Slot::Deadline(offset) => Some(self.deadline?.at.saturating_add(offset)),
            Slot::Nag(_) => None,
        }
    }

    /// Returns the instance of the rule that it is, `None` where the task has no time.
    ///
    /// Where a person gave this one another time it is still the rule's, so that the series goes on as if nothing was.
    #[must_use]
    pub fn instance(&self) -> Option<Instance> {
        self.moved_from.or(self.due).map(|due| Instance { key: self.key, nominal: due.nominal, due: due.at })
    }

    /// Returns its name with its generation, such as `2026-05-13~1`.
    #[must_use]
    pub fn name(&self) -> OccurrenceName {
        OccurrenceName { key: self.key, generation: self.generation }
    }

    /// Returns whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.state, State::Completed(_) | State::Cancelled(_))
    }
}

/// An occurrence's key with its generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OccurrenceName {
    /// Its key.
    pub key: OccurrenceKey,
    /// Its generation, from 1.
    pub generation: u32,
}

impl fmt::Display for OccurrenceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}", self.key, self.generation)
    }
}

impl std::str::FromStr for OccurrenceName {
    type Err = UnknownKey;

    /// Reads `KEY~GENERATION`; a key alone is its first generation.
    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let (key, generation) = text.rsplit_once('~').unwrap_or((text, "1"));
        let generation = generation.parse().map_err(|_| UnknownKey { text: text.to_owned() })?;
        Ok(Self { key: key.parse()?, generation })
    }
}

/// How an occurrence ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The person did it.
    Done,
    /// It rang, was delivered, and its successor came before an answer.
    Unanswered,
    /// It rang, reached nobody, and its successor came.
    Undelivered,
    /// No program took it, and no attempt is left.
    RetriesExhausted,
    /// The person cancelled the task.
    Cancelled,
    /// The person passed over this one.
    Skipped,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 6] =
        [Self::Done, Self::Unanswered, Self::Undelivered, Self::RetriesExhausted, Self::Cancelled, Self::Skipped];
}

/// Which alert of an occurrence a firing is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// An alert, by its place relative to due.
    Alert(Span),
    /// A repetition of what rang and was not answered, from 1.
    Nag(u32),
    /// An alert of the deadline, by its place relative to that.
    Deadline(Span),
}

impl Slot {
    /// The alert at due.
    pub const DUE: Self = Self::Alert(Span::ZERO);

    /// The alert at the deadline.
    pub const DEADLINE: Self = Self::Deadline(Span::ZERO);

    /// Returns whether it says that the thing is due, as early alerts, nags and those of a deadline do not.
    #[must_use]
    pub fn is_of_due(self) -> bool {
        match self {
            Self::Alert(offset) => offset >= Span::ZERO,
            Self::Nag(_) | Self::Deadline(_) => false,
        }
    }

    /// Returns whether it speaks behind due.
    #[must_use]
    pub const fn is_behind_due(self) -> bool {
        match self {
            Self::Alert(offset) => offset.is_positive(),
            Self::Nag(_) => true,
            Self::Deadline(_) => false,
        }
    }

    /// Returns its name in whole milliseconds, as the ids of firings and the store have it: `0`, `-3600000`, `nag#3`,
    /// `deadline0`.
    #[must_use]
    pub fn exact(self) -> String {
        match self {
            Self::Alert(offset) => offset.as_millis().to_string(),
            Self::Nag(n) => format!("nag#{n}"),
            Self::Deadline(offset) => format!("deadline{}", offset.as_millis()),
        }
    }

    /// Reads what [`Slot::exact`] writes, `None` for a text of another version.
    #[must_use]
    pub fn from_exact(text: &str) -> Option<Self> {
        let span = |text: &str| text.parse().ok().map(Span::from_millis);
        if let Some(n) = text.strip_prefix("nag#") {
            n.parse().ok().map(Self::Nag)
        } else if let Some(offset) = text.strip_prefix("deadline") {
            span(offset).map(Self::Deadline)
        } else {
            span(text).map(Self::Alert)
        }
    }
}

/// `0` at due, `-1h` an hour before, `+15m` a quarter of an hour after, `nag#3`, `deadline`, `deadline-1h`.
impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |offset: &Span| if offset.is_positive() { "+" } else { "" };
        match self {
            Self::Alert(offset) => write!(f, "{}{offset}", sign(offset)),
            Self::Nag(n) => write!(f, "nag#{n}"),
            Self::Deadline(Span::ZERO) => f.write_str("deadline"),
            Self::Deadline(offset) => write!(f, "deadline{}{offset}", sign(offset)),
        }
    }
}

/// Names one firing on every device alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FireId(pub Uuid);

impl FireId {
    /// Computes the id of a firing (SPEC 2).
    ///
    /// `repeat` is the id of the snooze or pause that this firing repeats, if any; without one an alert has exactly one
    /// id, so that it can be committed only once.
    #[must_use]
    pub fn compute(task: TaskId, name: OccurrenceName, slot: Slot, nominal: Nominal, repeat: Option<Uuid>) -> Self {
        let repeat = repeat.map(|id| id.to_string()).unwrap_or_default();
        // Milliseconds, not the text for people, since that may round.
        let text = format!("{name}|{}|{nominal}|{repeat}", slot.exact());
        Self(Uuid::new_v5(&task.0, text.as_bytes()))
    }
}

impl fmt::Display for FireId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_back_as_itself() {
        for text in ["once~1", "#7~2", "2026-05-13~2", "2026-05-13T09:30:00~1", "2026-05-13T09:30:00Z~3"] {
            let name: OccurrenceName = text.parse().expect("a name");
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn a_text_that_names_nothing_is_refused() {
        for text in ["", "#", "twice", "2026-13-01~1", "once~x", "once~-1"] {
            assert!(text.parse::<OccurrenceName>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_slot_reads_back_as_itself() {
        for slot in [Slot::DUE, Slot::Alert(Span::from_minutes(-60)), Slot::Nag(3), Slot::DEADLINE] {
            assert_eq!(Slot::from_exact(&slot.exact()), Some(slot));
        }
        assert_eq!(Slot::from_exact("later"), None);
    }

    #[test]
    fn a_fire_id_depends_on_each_of_its_parts() {
        let task = TaskId(Uuid::from_u128(1));
        let name = OccurrenceName { key: OccurrenceKey::Once, generation: 1 };
        let nominal = Nominal::Instant(Timestamp::MIN);
        let first = FireId::compute(task, name, Slot::DUE, nominal, None);
        assert_eq!(first, FireId::compute(task, name, Slot::DUE, nominal, None));
        let others = [
            FireId::compute(TaskId(Uuid::from_u128(2)), name, Slot::DUE, nominal, None),
            FireId::compute(task, OccurrenceName { generation: 2, ..name }, Slot::DUE, nominal, None),
            FireId::compute(task, name, Slot::Alert(Span::from_millis(1)), nominal, None),
            FireId::compute(task, name, Slot::Nag(1), nominal, None),
            FireId::compute(task, name, Slot::DEADLINE, nominal, None),
            FireId::compute(task, name, Slot::DUE, Nominal::Instant(Timestamp::MAX), None),
            FireId::compute(task, name, Slot::DUE, nominal, Some(Uuid::from_u128(3))),
        ];
        for other in others {
            assert_ne!(first, other);
        }
    }
}
