//! Which tasks does a person mean who describes them? One question to a task, answered from what is known of it.

use std::collections::BTreeSet;
use std::ops::Range;

use chrono_tz::Tz;

use crate::domain::event::Snapshot;
use crate::domain::occurrence::Outcome;
use crate::domain::stage::stage;
use crate::domain::state::State;
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};

/// For how long something may be due and not answered before it asks for attention.
pub const OVERDUE_AFTER: Span = Span::from_minutes(60);

/// For how long something that failed and has ended asks for attention: who looks once a week misses none.
const FAILED_WITHIN: Span = Span::from_minutes(7 * 24 * 60);

/// What tasks are asked for; what is empty or `None` is not asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskFilter {
    /// One of these stages.
    pub stages: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// All of these words, in the title or the notes, in lower case.
    pub words: Vec<String>,
    /// When it is due.
    pub due: Option<Range<Timestamp>>,
    /// Whether it comes up more than once.
    pub is_series: Option<bool>,
    /// Whether it has ended.
    pub has_ended: Option<bool>,
    /// Whether something is wrong with it.
    pub needs_attention: bool,
}

impl TaskFilter {
    /// Returns whether a task is meant. `undelivered` are the tasks of which something could not be sent.
    #[must_use]
    pub fn matches(&self, snapshot: &Snapshot, undelivered: &BTreeSet<TaskId>, now: Timestamp) -> bool {
        let (task, occurrence) = (&snapshot.task, &snapshot.occurrence);
        let is_due = |range: &Range<Timestamp>| occurrence.due_at().is_some_and(|due| range.contains(&due));
        let has_words = || {
            let text = format!("{}\n{}", task.details.title, task.details.notes).to_lowercase();
            self.words.iter().all(|word| text.contains(word.as_str()))
        };
        self.has_ended.is_none_or(|ended| occurrence.has_ended() == ended)
            && self.is_series.is_none_or(|series| task.is_series() == series)
            && self.tags.iter().all(|tag| task.details.tags.contains(tag))
            && self.due.as_ref().is_none_or(is_due)
            && (self.stages.is_empty()
                || self.stages.iter().any(|wanted| is_stage(&stage(snapshot, now, Tz::UTC), wanted)))
            && (self.words.is_empty() || has_words())
            && (!self.needs_attention || needs_attention(snapshot, undelivered, now))
    }
}

/// Returns whether a stage is the wanted one; those that say for whom or why begin so: `waiting for 7`, `blocked: 7 failed`.
fn is_stage(stage: &str, wanted: &str) -> bool {
    let rest = stage.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
}

/// Returns whether a task asks for attention: it failed or could not be sent, was missed, is past its deadline, has been
/// due for long with no answer, or the occurrence before reached nobody.
#[must_use]
pub fn needs_attention(snapshot: &Snapshot, undelivered: &BTreeSet<TaskId>, now: Timestamp) -> bool {
    let occurrence = &snapshot.occurrence;
    let has_failed = |outcome: Outcome| match outcome {
        Outcome::Undelivered | Outcome::RetriesExhausted => true,
        Outcome::Done | Outcome::Unanswered | Outcome::Cancelled | Outcome::Skipped => false,
    };
    if undelivered.contains(&snapshot.task.id) {
        return true;
    }
    match &occurrence.state {
        // What has ended well or by a person's word is no trouble any more.
        State::Completed(ended) | State::Cancelled(ended) => {
            has_failed(ended.outcome) && now.since(ended.at) < FAILED_WITHIN
        }
        State::Failed(_) => true,
        State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) => {
            let is_overdue = match &occurrence.state {
                // It asks nobody for an answer.
                State::Running(_) if snapshot.task.details.command.is_some() => false,
                State::Running(running) => {
                    let is_held = running.held_until.is_some_and(|end| end > now);
                    // What runs is not waited for by anybody's word.
                    let is_run = snapshot.task.details.command.is_some();
                    !is_held && !is_run && running.acked_at.is_none() && now.since(running.fired_at) >= OVERDUE_AFTER
                }
                State::Created
                | State::Pending(_)
                | State::Suspended(_)
                | State::Failed(_)
                | State::Completed(_)
                | State::Cancelled(_) => false,
            };
            let is_wrong = ["missed", "past deadline", "blocked", "retrying"]
                .iter()
                .any(|wrong| is_stage(&stage(snapshot, now, Tz::UTC), wrong));
            is_overdue || is_wrong || snapshot.task.previous.is_some_and(has_failed)
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::command::{Command, Expected, GRACE_DEFAULT, Moment, NewTask};
    use crate::domain::routing::Routing;
    use crate::domain::schedule::{Cron, Rule, Schedule};
    use crate::domain::task::{Details, Number, Policy};
    use crate::domain::transition::{create, transition};
    use crate::domain::waiting::SetWaits;

    const HOUR: i64 = 3_600_000;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + hours * HOUR).expect("within range")
    }

    fn moment(now: Timestamp) -> Moment<'static> {
        Moment {
            now,
            zone: Tz::UTC,
            device: Uuid::nil(),
            op_id: Uuid::nil(),
            grace: GRACE_DEFAULT,
            is_desktop_away: false,
            standing: None,
            quiet_until: None,
            routing: Routing::none(),
            is_away: false,
        }
    }

    fn task(rule: Rule) -> Snapshot {
        let new = NewTask {
            id: TaskId(Uuid::from_u128(1)),
            number: Number(1),
            details: Details {
                title: "Pay the Rent".into(),
                notes: "to 房东".into(),
                tags: vec!["home".into(), "money".into()],
                ..Details::default()
            },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
        };
        create(new, &moment(at(0))).expect("a task of the test's own").after
    }

    fn after(snapshot: &Snapshot, hours: i64, command: &Command) -> Snapshot {
        transition(snapshot, &[], command, Expected::default(), &moment(at(hours))).expect("it is allowed").after
    }

    #[track_caller]
    fn check(snapshot: &Snapshot, hours: i64, filter: &TaskFilter, expected: bool) {
        assert_eq!(filter.matches(snapshot, &BTreeSet::new(), at(hours)), expected, "{filter:?}");
    }

    #[test]
    fn all_that_is_said_must_be_true() {
        let once = task(Rule::Countdown(at(5)));
        let words = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let none = TaskFilter::default;
        check(&once, 0, &none(), true);
        check(&once, 0, &TaskFilter { words: words(&["rent", "房东"]), ..none() }, true);
        check(&once, 0, &TaskFilter { words: words(&["rent", "car"]), ..none() }, false);
        check(&once, 0, &TaskFilter { tags: words(&["home", "money"]), ..none() }, true);
        check(&once, 0, &TaskFilter { tags: words(&["home", "work"]), ..none() }, false);
        check(&once, 0, &TaskFilter { stages: words(&["late", "scheduled"]), ..none() }, true);
        check(&once, 0, &TaskFilter { stages: words(&["late"]), ..none() }, false);
        check(&once, 0, &TaskFilter { due: Some(at(5)..at(6)), ..none() }, true);
        check(&once, 0, &TaskFilter { due: Some(at(0)..at(5)), ..none() }, false);
        check(&once, 0, &TaskFilter { is_series: Some(false), ..none() }, true);
        check(&once, 0, &TaskFilter { is_series: Some(true), ..none() }, false);
        let cron = Cron { expression: "0 9 * * *".into(), from: at(0).local(Tz::UTC), count: None, until: None };
        check(&task(Rule::Cron(cron)), 0, &TaskFilter { is_series: Some(true), ..none() }, true);
        check(&once, 0, &TaskFilter { has_ended: Some(true), ..none() }, false);
        check(&task(Rule::None), 0, &TaskFilter { due: Some(Timestamp::MIN..Timestamp::MAX), ..none() }, false);
    }

    #[test]
    fn what_is_due_for_long_and_not_answered_asks_for_attention() {
        let rang = after(&task(Rule::Countdown(at(1))), 1, &Command::Wake);
        let nothing = BTreeSet::new();
        assert!(!needs_attention(&rang, &nothing, at(1)));
        assert!(needs_attention(&rang, &nothing, at(2)));
        let seen = after(&rang, 1, &Command::Ack { early: false, is_dismissal: false });
        assert!(!needs_attention(&seen, &nothing, at(3)));
        let sleeps = after(&rang, 2, &Command::Pause { until: None });
        assert!(!needs_attention(&sleeps, &nothing, at(30)));
    }

    #[test]
    fn what_could_not_be_sent_asks_for_attention() {
        let once = task(Rule::Countdown(at(5)));
        assert!(needs_attention(&once, &BTreeSet::from([once.task.id]), at(0)));
        let done = after(&once, 0, &Command::Done { early: true });
        assert!(!needs_attention(&done, &BTreeSet::new(), at(0)));
    }
}
