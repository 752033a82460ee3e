//! What are programs told of that want to hear what happens to tasks, and which of them is told of what? Hooks: what they
//! are called by, and what they are kept to.
//!
//! Runs nothing, and knows nothing of how an event is told.

use std::fmt;

use uuid::Uuid;

use crate::domain::device_event::{AnyEvent, DeviceOperation};
use crate::domain::event::{Event, Operation, SKIPPED};
use crate::domain::occurrence::Outcome;
use crate::domain::state::StateName;
use crate::domain::task::{Number, Priority};
use crate::domain::time::Span;

/// How many hooks there may be (I9): each event is held against each of them.
pub const HOOKS_MAX: usize = 64;

/// How long a program may run that a hook starts, unless it is said.
pub const TIMEOUT_DEFAULT: Span = Span::from_secs(30);

/// The longest that may be said: what takes longer is a task of its own.
pub const TIMEOUT_MAX: Span = Span::from_secs(3600);

/// How long a command may be, all of its arguments together.
const COMMAND_BYTES_MAX: usize = 32 * 1024;

/// The longest name.
const NAME_CHARS_MAX: usize = 64;

/// How many tags or tasks one hook may be kept to.
const KEPT_TO_MAX: usize = 100;

/// What names are made of that nobody gave.
const NAMESPACE: Uuid = Uuid::from_u128(0x6b65_696b_6f68_4f6f_8b1d_6e61_6d65_7300);

/// Declares what hooks can be told of, in the order in which it is documented.
macro_rules! happenings {
    ($(#[doc = $doc:literal] $variant:ident $word:literal;)*) => {
        /// What hooks can be told of.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Happening {
            $(#[doc = $doc] $variant,)*
        }

        impl Happening {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the word that people type and programs are told.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns what it means, as a sentence for people.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc.trim_ascii(),)*
                }
            }

            /// Returns what is to be said of a word that none has and that is most like this one.
            #[must_use]
            pub const fn meant(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("names of events, did you mean \"", $word, "\"?"),)*
                }
            }
        }
    };
}

happenings! {
    /// A task was added.
    Created "created";
    /// The next occurrence of a series came up.
    Opened "opened";
    /// It has a time.
    Armed "armed";
    /// An alert spoke, early or after due.
    Reminded "reminded";
    /// It is due.
    Due "due";
    /// It came up with nothing said: it was done early, or brought back.
    CameUp "came_up";
    /// Its command was started.
    Started "started";
    /// Its command says how far it is.
    Progress "progress";
    /// Its command runs no more.
    RunEnded "run_ended";
    /// An attempt failed; what follows is an event of its own.
    AttemptFailed "attempt_failed";
    /// It is tried again.
    Retried "retried";
    /// It was done.
    Completed "completed";
    /// It was closed by its successor.
    Unanswered "unanswered";
    /// It failed for good.
    Failed "failed";
    /// A person cancelled it.
    Cancelled "cancelled";
    /// A person passed over it.
    Skipped "skipped";
    /// Times passed at which nothing was said or run.
    Missed "missed";
    /// An open occurrence was removed, since its schedule changed.
    Withdrawn "withdrawn";
    /// A person saw it.
    Acked "acked";
    /// It was put off.
    Snoozed "snoozed";
    /// It was paused.
    Paused "paused";
    /// It goes on.
    Resumed "resumed";
    /// It was changed.
    Edited "edited";
    /// It got another time.
    Moved "moved";
    /// Another task goes on with the series.
    Followed "followed";
    /// It was not done by its deadline.
    PastDeadline "past_deadline";
    /// A task that it waits for was done.
    ParentDone "parent_done";
    /// A task that it waits for never will be done.
    Blocked "blocked";
    /// It waits for nothing any more.
    Freed "freed";
    /// A person said that it waits for nothing any more.
    Unblocked "unblocked";
    /// What it said is held.
    Held "held";
    /// What was held is let go.
    Released "released";
    /// A delivery was handed out again.
    Resent "resent";
    /// A delivery was not sent, since its time was over.
    Expired "expired";
    /// It was removed from sight.
    Deleted "deleted";
    /// A change of it was taken back.
    Restored "restored";
    /// The device's clock was set.
    ClockStepped "clock_stepped";
    /// The device slept.
    Slept "slept";
    /// The device moved to another zone.
    ZoneChanged "zone_changed";
    /// The person is away.
    AwaySet "away_set";
    /// The person is away no more.
    AwayEnded "away_ended";
}

impl Happening {
    /// Returns what a word stands for, `None` where that is nothing.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|happening| happening.as_str() == word)
    }

    /// Returns what an event is to hooks; `None` where it is a mere step on the way to what `behind` tells, which are the
    /// events behind it.
    ///
    /// The machine's table asks for some detours: what is snoozed or cancelled while it is due is suspended first. Nobody
    /// paused it.
    pub fn of<'a>(event: &AnyEvent, mut behind: impl Iterator<Item = &'a AnyEvent>) -> Option<Self> {
        let event = match event {
            AnyEvent::Task(event) => event,
            AnyEvent::Device(event) => return Some(Self::of_device(&event.operation)),
        };
        let is_left_at_once = matches!(event.operation, Operation::Suspended(_))
            && behind.any(|next| {
                let goes_on = |next: &Event| {
                    next.op_id == event.op_id
                        && next.snapshot.task.id == event.snapshot.task.id
                        && next.from == Some(StateName::Suspended)
                        && next.to != next.from
                };
                next.of_task().is_some_and(goes_on)
            });
        (!is_left_at_once).then(|| Self::of_task(event))
    }

    fn of_task(event: &Event) -> Self {
        match &event.operation {
            Operation::Added(_) => Self::Created,
            Operation::Opened(_) => Self::Opened,
            Operation::Armed => Self::Armed,
            Operation::Spoke(_) => Self::Reminded,
            Operation::Fired(_) => Self::Due,
            Operation::Started => Self::CameUp,
            Operation::Acked { .. } => Self::Acked,
            Operation::Suspended(_) => Self::Paused,
            Operation::Snoozed { .. } => Self::Snoozed,
            Operation::Resumed { .. } => Self::Resumed,
            Operation::Edited(_) | Operation::WaitsSet(_) => Self::Edited,
            Operation::Moved(_) => Self::Moved,
            Operation::Followed { .. } => Self::Followed,
            Operation::Failed => Self::AttemptFailed,
            Operation::Retried { .. } => Self::Retried,
            Operation::RunStarted { .. } => Self::Started,
            Operation::Progressed(_) => Self::Progress,
            Operation::RunEnded { .. } => Self::RunEnded,
            Operation::Completed(outcome) | Operation::Cancelled(outcome) => Self::of_end(*outcome),
            Operation::Withdrawn if event.reason == SKIPPED => Self::Skipped,
            Operation::Withdrawn => Self::Withdrawn,
            Operation::PassedOver { .. } | Operation::Missed { .. } => Self::Missed,
            Operation::DeadlinePassed => Self::PastDeadline,
            Operation::ParentDone(_) => Self::ParentDone,
            Operation::ParentFailed(_) => Self::Blocked,
            Operation::Freed(_) => Self::Freed,
            Operation::Unblocked => Self::Unblocked,
            Operation::Deleted => Self::Deleted,
            Operation::Restored(_) => Self::Restored,
            Operation::Resent { .. } => Self::Resent,
            Operation::Held { until: Some(_) } => Self::Held,
            Operation::Held { until: None } => Self::Released,
            Operation::Expired { .. } => Self::Expired,
        }
    }

    const fn of_end(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Completed,
            Outcome::Unanswered => Self::Unanswered,
            Outcome::Undelivered | Outcome::RetriesExhausted => Self::Failed,
            Outcome::Cancelled => Self::Cancelled,
            Outcome::Skipped => Self::Skipped,
        }
    }

    const fn of_device(operation: &DeviceOperation) -> Self {
        match operation {
            DeviceOperation::ClockStepped { .. } => Self::ClockStepped,
            DeviceOperation::Slept { .. } => Self::Slept,
            DeviceOperation::ZoneChanged { .. } => Self::ZoneChanged,
            DeviceOperation::AwaySet { .. } => Self::AwaySet,
            DeviceOperation::AwayEnded => Self::AwayEnded,
        }
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A program that is run when something happens.
#[derive(Clone, PartialEq, Eq)]
pub struct Hook {
    /// What it is called by: letters, digits, `-` and `_`.
    pub name: String,
    /// What it is told of; empty means all.
    pub on: Vec<Happening>,
    /// Only of tasks with one of these tags, written without their `+`; empty means any.
    pub tags: Vec<String>,
    /// Only of these tasks; empty means any.
    pub tasks: Vec<Number>,
    /// Only of tasks of this priority; `None` means any.
    pub priority: Option<Priority>,
    /// Only of what came late.
    pub is_late_only: bool,
    /// The program and its arguments, never read by a shell. Not empty.
    pub command: Vec<String>,
    /// The directory that it runs in; empty: that of the daemon.
    pub directory: String,
    /// How long it may run.
    pub timeout: Span,
}

/// Why something cannot be a hook, said so that it can follow "expected".
pub type Unfit = &'static str;

impl Hook {
    /// Returns the hook that runs a command whatever happens.
    #[must_use]
    pub const fn new(command: Vec<String>) -> Self {
        Self {
            name: String::new(),
            on: Vec::new(),
            tags: Vec::new(),
            tasks: Vec::new(),
            priority: None,
            is_late_only: false,
            command,
            directory: String::new(),
            timeout: TIMEOUT_DEFAULT,
        }
    }

    /// Returns it with a name: its own, or one made of all that it says, so that it has the same one each time.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn ready(mut self) -> Result<Self, Unfit> {
        let bytes: usize = self.command.iter().map(|argument| argument.len() + 1).sum();
        if self.command.first().is_none_or(String::is_empty) {
            return Err("a command: a program with its arguments");
        }
        if bytes > COMMAND_BYTES_MAX || self.command.iter().any(|argument| argument.contains('\0')) {
            return Err("a command of at most 32768 bytes, none of them 0");
        }
        if !self.timeout.is_positive() || self.timeout > TIMEOUT_MAX {
            return Err("a timeout from 1s to 1h");
        }
        if self.tags.len() > KEPT_TO_MAX || self.tasks.len() > KEPT_TO_MAX {
            return Err("at most 100 tags and 100 tasks");
        }
        if self.name.is_empty() {
            self.name = self.made_name();
        } else if self.name.len() > NAME_CHARS_MAX || !self.name.bytes().all(is_of_name) {
            return Err("a name of letters, digits, - and _, at most 64");
        }
        Ok(self)
    }

    fn made_name(&self) -> String {
        let Self { name: _, on, tags, tasks, priority, is_late_only, command, directory, timeout } = self;
        let text = format!("{on:?}{tags:?}{tasks:?}{priority:?}{is_late_only}{command:?}{directory:?}{timeout:?}");
        let id = Uuid::new_v5(&NAMESPACE, text.as_bytes()).simple().to_string();
        format!("hook-{}", &id[..8])
    }

    /// Returns whether it is told of what happened.
    #[must_use]
    pub fn wants(&self, happening: Happening, event: &AnyEvent) -> bool {
        if !self.on.is_empty() && !self.on.contains(&happening) {
            return false;
        }
        let is_kept = !self.tags.is_empty() || !self.tasks.is_empty() || self.priority.is_some() || self.is_late_only;
        let Some(event) = event.of_task() else { return !is_kept };
        let task = &event.snapshot.task;
        (self.tags.is_empty() || self.tags.iter().any(|tag| task.details.tags.contains(tag)))
            && (self.tasks.is_empty() || self.tasks.contains(&task.number))
            && self.priority.is_none_or(|priority| priority == task.details.priority)
            && (!self.is_late_only || event.is_late())
    }
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Without its arguments, which may hold keys.
impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("name", &self.name).field("on", &self.on).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::actor::Actor;
    use crate::domain::device_event::DeviceEvent;
    use crate::domain::event::{Firing, Snapshot};
    use crate::domain::occurrence::{FireId, Occurrence, OccurrenceKey, Slot};
    use crate::domain::run::{Progress, RunEnd};
    use crate::domain::schedule::Schedule;
    use crate::domain::state::{Snooze, State, Suspended};
    use crate::domain::task::{Details, Policy, Task, TaskId};
    use crate::domain::time::Timestamp;
    use crate::domain::waiting::Waits;

    fn snapshot() -> Snapshot {
        let details = Details { tags: vec!["ci".to_owned()], priority: Priority::High, ..Details::default() };
        let task = Task {
            id: TaskId(Uuid::from_u128(1)),
            number: Number(7),
            details,
            schedule: Schedule::none(),
            alerts: Vec::new(),
            policy: Policy::default(),
            deadline: None,
            waits: Waits::default(),
            version: 1,
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MIN,
            cursor: None,
            last_ended: None,
            previous: None,
            follows: None,
            followed_by: None,
            deleted_at: None,
        };
        let occurrence = Occurrence {
            key: OccurrenceKey::Once,
            generation: 1,
            due: None,
            moved_from: None,
            successor_at: None,
            spoken: Vec::new(),
            last_spoken: None,
            deadline: None,
            is_past_deadline: false,
            nags: 0,
            moved_by: None,
            state: State::Created,
        };
        Snapshot { task, occurrence }
    }

    fn event(operation: Operation) -> Event {
        Event {
            event_id: Uuid::from_u128(2),
            op_id: Uuid::from_u128(3),
            device: Uuid::from_u128(4),
            actor: Actor::Person,
            at: Timestamp::MIN,
            operation,
            from: Some(StateName::Pending),
            to: Some(StateName::Pending),
            reason: String::new(),
            snapshot: snapshot(),
        }
    }

    fn of_task(event: Event) -> AnyEvent {
        AnyEvent::Task(Box::new(event))
    }

    fn firing(late: bool) -> Firing {
        let fire_id = FireId(Uuid::from_u128(5));
        Firing { fire_id, slot: Slot::DUE, nominal_at: Timestamp::MIN, late, swallowed: Vec::new() }
    }

    fn suspended() -> Operation {
        Operation::Suspended(Suspended {
            id: Uuid::from_u128(6),
            since: Timestamp::MIN,
            until: None,
            remaining: None,
            snooze: None,
            is_this_only: false,
            acked_at: None,
        })
    }

    #[track_caller]
    fn check(operation: Operation, expected: &str) {
        let name = operation.name();
        let happening = Happening::of(&of_task(event(operation)), std::iter::empty());
        assert_eq!(happening.map(Happening::as_str), Some(expected), "of {name}");
    }

    #[test]
    fn each_operation_has_its_word() {
        let (at, times) = (Timestamp::MIN, Vec::new());
        check(Operation::Added(Box::new(snapshot())), "created");
        check(Operation::Opened(Box::new(snapshot().occurrence)), "opened");
        check(Operation::Armed, "armed");
        check(Operation::Spoke(firing(false)), "reminded");
        check(Operation::Fired(firing(false)), "due");
        check(Operation::Started, "came_up");
        check(Operation::RunStarted { attempt: 1 }, "started");
        check(Operation::Progressed(Progress { percent: 1, text: String::new() }), "progress");
        check(Operation::RunEnded { attempt: 1, end: RunEnd::Exit(1) }, "run_ended");
        check(Operation::Failed, "attempt_failed");
        check(Operation::Retried { at: None }, "retried");
        check(Operation::Completed(Outcome::Done), "completed");
        check(Operation::Completed(Outcome::Unanswered), "unanswered");
        check(Operation::Cancelled(Outcome::RetriesExhausted), "failed");
        check(Operation::Cancelled(Outcome::Undelivered), "failed");
        check(Operation::Cancelled(Outcome::Cancelled), "cancelled");
        check(Operation::Cancelled(Outcome::Skipped), "skipped");
        check(Operation::Missed { slots: times, from: at, to: at }, "missed");
        check(Operation::PassedOver { instances: 1, from: at, to: at }, "missed");
        check(Operation::Withdrawn, "withdrawn");
        check(Operation::Acked { is_dismissal: true }, "acked");
        check(suspended(), "paused");
        check(Operation::Resumed { due: None, snooze: None }, "resumed");
        check(Operation::DeadlinePassed, "past_deadline");
        check(Operation::Held { until: Some(at) }, "held");
        check(Operation::Held { until: None }, "released");
        check(Operation::Deleted, "deleted");
        check(Operation::Unblocked, "unblocked");
        let skipped = Event { reason: SKIPPED.to_owned(), ..event(Operation::Withdrawn) };
        assert_eq!(Happening::of(&of_task(skipped), std::iter::empty()), Some(Happening::Skipped));
    }

    #[test]
    fn nobody_paused_what_only_passed_through_on_its_way() {
        let pause = Event { to: Some(StateName::Suspended), ..event(suspended()) };
        let snooze = Snooze {
            id: Uuid::from_u128(6),
            until: Timestamp::MIN,
            slot: Slot::DUE,
            is_chosen: true,
            is_duration: true,
        };
        let snoozed =
            Event { from: Some(StateName::Suspended), ..event(Operation::Snoozed { snooze, swallowed: Vec::new() }) };
        let of = |behind: Event| Happening::of(&of_task(pause.clone()), [of_task(behind)].iter());
        assert_eq!(of(snoozed.clone()), None);
        let later = Event { op_id: Uuid::from_u128(9), ..snoozed.clone() };
        assert_eq!(of(later), Some(Happening::Paused), "it was resumed later");
        let mut other = snoozed;
        other.snapshot.task.id = TaskId(Uuid::from_u128(9));
        assert_eq!(of(other), Some(Happening::Paused), "another task was snoozed");
    }

    #[test]
    fn a_hook_is_told_of_what_it_is_kept_to() {
        let hook = || Hook::new(vec!["true".to_owned()]);
        let kept = |change: fn(&mut Hook)| {
            let mut hook = hook();
            change(&mut hook);
            hook
        };
        let task = of_task(event(Operation::Fired(firing(false))));
        let late = of_task(event(Operation::Fired(firing(true))));
        let device = AnyEvent::Device(DeviceEvent {
            event_id: Uuid::from_u128(2),
            op_id: Uuid::from_u128(3),
            device: Uuid::from_u128(4),
            actor: Actor::Daemon,
            at: Timestamp::MIN,
            operation: DeviceOperation::AwayEnded,
            reason: String::new(),
        });
        let told = |hook: &Hook| {
            let all = [(Happening::Due, &task), (Happening::Due, &late), (Happening::AwayEnded, &device)];
            all.map(|(happening, event)| hook.wants(happening, event))
        };
        for (hook, expected) in [
            (hook(), [true, true, true]),
            (kept(|hook| hook.on = vec![Happening::Due]), [true, true, false]),
            (kept(|hook| hook.on = vec![Happening::Failed]), [false, false, false]),
            (kept(|hook| hook.tags = vec!["ci".to_owned(), "x".to_owned()]), [true, true, false]),
            (kept(|hook| hook.tags = vec!["x".to_owned()]), [false, false, false]),
            (kept(|hook| hook.tasks = vec![Number(7)]), [true, true, false]),
            (kept(|hook| hook.tasks = vec![Number(8)]), [false, false, false]),
            (kept(|hook| hook.priority = Some(Priority::High)), [true, true, false]),
            (kept(|hook| hook.priority = Some(Priority::Low)), [false, false, false]),
            (kept(|hook| hook.is_late_only = true), [false, true, false]),
        ] {
            assert_eq!(told(&hook), expected, "of {:?} {:?} {:?} {:?}", hook.on, hook.tags, hook.tasks, hook.priority);
        }
    }

    #[test]
    fn words_are_read_as_they_are_written_and_each_is_one() {
        for (index, happening) in Happening::ALL.iter().enumerate() {
            assert_eq!(Happening::from_word(happening.as_str()), Some(*happening));
            assert!(!Happening::ALL[..index].iter().any(|other| other.as_str() == happening.as_str()));
            assert!(happening.meant().contains(happening.as_str()));
        }
        assert_eq!(Happening::from_word("all"), None);
    }

    #[test]
    fn the_same_hook_has_the_same_name_and_no_debug_line_shows_its_arguments() {
        let hook = |argument: &str| Hook::new(vec!["tell".to_owned(), argument.to_owned()]).ready().unwrap();
        assert_eq!(hook("hunter2").name, hook("hunter2").name);
        assert_ne!(hook("hunter2").name, hook("hunter3").name);
        assert!(!format!("{:?}", hook("hunter2")).contains("hunter2"));
    }
}
