//! What does the open occurrence say yet? The rules live it through, with nobody answering and every delivery arriving.

use uuid::Uuid;

use crate::domain::agenda::ahead::just_before;
use crate::domain::agenda::{Around, Condition, Firing, Start, Stretch, times_before};
use crate::domain::command::{Command, Expected, GRACE_DEFAULT, Moment};
use crate::domain::delivery::{Delivery, Report};
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::OccurrenceName;
use crate::domain::pause::standing;
use crate::domain::retry::Jitter;
use crate::domain::routing::Routing;
use crate::domain::run::{Output, Run, RunEnd, RunId, RunReport};
use crate::domain::schedule::Rule;
use crate::domain::state::{Running, State};
use crate::domain::task::Nag;
use crate::domain::time::Timestamp;
use crate::domain::transition::{Known, Transition, transition};

/// What became of the open occurrence.
pub(super) struct Lived {
    pub(super) firings: Vec<Firing>,
    /// The task when what is ahead begins.
    pub(super) snapshot: Snapshot,
    /// Where that is; `None` where nothing of the rule is ahead, or all of it was lived through.
    pub(super) start: Option<Start>,
    pub(super) cut_at: Option<Timestamp>,
}

/// Lives the open occurrence through, until its successor takes over or the stretch ends.
pub(super) fn live(snapshot: &Snapshot, around: &Around, stretch: &Stretch, steps_max: usize) -> Lived {
    let mut life = Life {
        around,
        stretch,
        open: snapshot.occurrence.name(),
        answered: None,
        deliveries: Vec::new(),
        runs: Vec::new(),
        lived: Lived { firings: Vec::new(), snapshot: snapshot.clone(), start: None, cut_at: None },
    };
    life.note_answer(stretch.now);
    for _ in 0..steps_max {
        let Some(at) = life.lived.snapshot.next_wake().map(|at| at.max(stretch.now)) else { return life.lived };
        if at >= stretch.to {
            life.begin_at_end();
            return life.lived;
        }
        if life.is_succeeded_at(at) {
            let cursor = life.lived.snapshot.occurrence.instance();
            let answered = life.answered.unwrap_or(at);
            let opened = just_before(at);
            life.lived.start = cursor.map(|cursor| Start { cursor, is_open: false, opened, answered });
            return life.lived;
        }
        if !life.nag(at) && life.wake(at) {
            return life.lived;
        }
    }
    life.lived.cut_at = life.lived.snapshot.next_wake();
    life.lived
}

struct Life<'a> {
    around: &'a Around,
    stretch: &'a Stretch,
    /// The occurrence that is open now.
    open: OccurrenceName,
    /// When somebody could have answered the present occurrence first.
    answered: Option<Timestamp>,
    deliveries: Vec<Delivery>,
    /// Those of the moment.
    runs: Vec<Run>,
    lived: Lived,
}

impl Life<'_> {
    /// Returns whether the successor takes over at `at`, awake, so that from there on the rule says it all.
    fn is_succeeded_at(&self, at: Timestamp) -> bool {
        let snapshot = &self.lived.snapshot;
        let is_awake = matches!(snapshot.occurrence.state, State::Pending(_) | State::Running(_));
        is_awake
            && snapshot.occurrence.successor_at == Some(at)
            && standing(&self.around.pauses, &snapshot.task.details.tags, at).is_none()
    }

    /// Nothing more of it is said within the stretch; but who answers it lets its successor speak early.
    fn begin_at_end(&mut self) {
        let snapshot = &self.lived.snapshot;
        if let Some(at) = snapshot.occurrence.successor_at.filter(|at| self.is_succeeded_at(*at)) {
            let opened = just_before(at);
            let answered = self.answered.unwrap_or(self.stretch.to);
            let cursor = snapshot.occurrence.instance();
            self.lived.start = cursor.map(|cursor| Start { cursor, is_open: false, opened, answered });
        }
    }

    /// Says the nags from `at` on up to the next other thing at once, where a nag is next; they may be very many.
    fn nag(&mut self, at: Timestamp) -> bool {
        let snapshot = &mut self.lived.snapshot;
        let Some((slot, first)) = snapshot.next_nag().filter(|(_, first)| *first == at) else { return false };
        let Some(Nag { every, max }) = snapshot.task.policy.nag else { return false };
        let State::Running(running) = snapshot.occurrence.state else { return false };
        let mut without = snapshot.clone();
        without.task.policy.nag = None;
        let end = without.next_wake().unwrap_or(self.stretch.to).min(self.stretch.to);
        let times = times_before(first, every, end).min(u64::from(max - running.nags));
        if times == 0 {
            return false;
        }
        let said = u32::try_from(times).unwrap_or(u32::MAX);
        let occurrence = &mut snapshot.occurrence;
        let once = Firing::once(first, slot, occurrence.key, occurrence.due_at());
        let is_predicted = occurrence.name() != self.open;
        let firing = Firing { only_if: Condition::Unanswered, is_predicted, ..once.repeated(times, every) };
        occurrence.nags += said;
        occurrence.state =
            State::Running(Running { nags: running.nags + said, rang_at: Some(firing.last_at), ..running });
        self.lived.firings.push(firing);
        true
    }

    /// Does what is due at `at`. Returns whether what is ahead begins there.
    fn wake(&mut self, at: Timestamp) -> bool {
        let mut has_opened = self.command(at, &Command::Wake);
        let task = &self.lived.snapshot.task;
        // Of other tasks it makes no difference to what is said.
        if task.policy.auto_done || task.is_program_only() {
            let ids: Vec<_> =
                self.deliveries.iter().filter(|each| !each.status.is_final()).map(|each| each.id.clone()).collect();
            for delivery in ids {
                let report = Report::DELIVERED;
                has_opened |=
                    self.command(at, &Command::Report { delivery, report, jitter: Jitter::NONE, is_probe: false });
            }
        }
        // What a command does is taken to be done at once.
        let open: Vec<RunId> = self.runs.iter().filter(|run| !run.is_over()).map(|run| run.id).collect();
        for run in open {
            let report = RunReport::Ended { end: RunEnd::Exit(0), output: Output::default() };
            has_opened |= self.command(at, &Command::RunReport { run, report, jitter: Jitter::NONE });
        }
        self.runs.clear();
        self.note_answer(at);
        let snapshot = &self.lived.snapshot;
        let is_fresh = matches!(snapshot.occurrence.state, State::Pending(pending) if pending.snooze.is_none())
            && snapshot.occurrence.due_at().is_some_and(|due| due > at);
        let counts = matches!(snapshot.task.schedule.rule, Rule::AfterDone(_));
        if !(has_opened && is_fresh) || counts {
            return false;
        }
        let cursor = snapshot.occurrence.instance();
        self.lived.start = cursor.map(|cursor| Start { cursor, is_open: true, opened: at, answered: at });
        true
    }

    /// Does a command, and returns whether it opened another occurrence.
    fn command(&mut self, now: Timestamp, command: &Command) -> bool {
        let moment = Moment {
            now,
            zone: self.stretch.zone,
            device: Uuid::nil(),
            op_id: Uuid::nil(),
            grace: GRACE_DEFAULT,
            is_desktop_away: false,
            standing: standing(&self.around.pauses, &self.lived.snapshot.task.details.tags, now),
            quiet_until: None,
            routing: Routing::none(),
            is_away: false,
        };
        let spent = self.around.spent_of(self.lived.snapshot.task.id);
        let known = Known { deliveries: &self.deliveries, spent, runs: &self.runs, earlier: None };
        let done = transition(&self.lived.snapshot, known, command, Expected::default(), &moment);
        // The clock and what comes back from a target are never refused.
        let Ok(done) = done else { return false };
        let mut state = self.lived.snapshot.occurrence.state.clone();
        for step in &done.steps {
            if let Some(firing) = step.operation.firing() {
                let occurrence = &step.snapshot.occurrence;
                let once = Firing::once(now, firing.slot, occurrence.key, occurrence.due_at());
                let only_if = if self.waits_for_answer(&state) { Condition::Unanswered } else { Condition::Nothing };
                let is_predicted = occurrence.name() != self.open;
                self.lived.firings.push(Firing { only_if, is_predicted, ..once });
            }
            state = step.snapshot.occurrence.state.clone();
        }
        let has_opened = done.steps.iter().any(|step| matches!(step.operation, Operation::Opened(_)));
        if has_opened {
            self.answered = None;
        }
        self.take(done);
        has_opened
    }

    fn waits_for_answer(&self, state: &State) -> bool {
        let task = &self.lived.snapshot.task;
        let ends_itself = task.policy.auto_done || task.is_program_only() || task.details.command.is_some();
        matches!(state, State::Running(_)) && !ends_itself
    }

    fn take(&mut self, done: Transition) {
        for delivery in done.deliveries {
            self.deliveries.retain(|known| known.id != delivery.id);
            self.deliveries.push(delivery);
        }
        for run in done.runs {
            self.runs.retain(|known| known.id != run.id);
            self.runs.push(run);
        }
        self.lived.snapshot = done.after;
        let name = self.lived.snapshot.occurrence.name();
        self.deliveries.retain(|delivery| delivery.occurrence == name);
    }

    fn note_answer(&mut self, at: Timestamp) {
        if self.answered.is_none() && matches!(self.lived.snapshot.occurrence.state, State::Running(_)) {
            self.answered = Some(at);
        }
    }
}
