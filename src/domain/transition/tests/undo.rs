//! What is taken back is as it was: cell by cell, and over whatever happened before.

use super::*;
use crate::domain::op::Taken;
use crate::domain::state::Running;
use crate::domain::task::Nag;
use crate::domain::waiting::{Met, Parent, ParentEnd, Wait};

impl Story {
    /// Asks something, and returns what it did.
    fn done(&mut self, now: &str, command: &Command) -> Taken {
        let before = self.snapshot.clone();
        let transition = self.ask(now, command).unwrap_or_else(|error| panic!("{error}"));
        taken(&before, &transition)
    }

    fn undo(&mut self, now: &str, taken: Taken) -> Result<Transition, Rejection> {
        self.ask(now, &Command::Undo(Box::new(taken)))
    }

    /// Takes something back, and returns what that did.
    fn undone(&mut self, now: &str, taken: Taken) -> Taken {
        let before = self.snapshot.clone();
        let transition = self.undo(now, taken).unwrap_or_else(|error| panic!("{error}\n{}", self.told()));
        assert!(transition.steps.iter().all(|step| step.operation.firing().is_none()), "nothing rings by it");
        super::undo::taken(&before, &transition)
    }

    fn state(&self) -> StateName {
        self.snapshot.occurrence.state.name()
    }
}

/// Returns what a transition did, as its events tell it.
fn taken(before: &Snapshot, transition: &Transition) -> Taken {
    let is_present = |step: &Step| step.snapshot.occurrence.name() == before.occurrence.name();
    let ends = |step: &Step| step.operation.outcome().is_some() && is_present(step);
    Taken {
        before: Some(before.clone()),
        after: transition.after.clone(),
        has_ended: transition.steps.iter().any(ends),
        has_rung: transition.steps.iter().any(|step| step.operation.firing().is_some()),
        has_resent: false,
        is_asked: true,
        pause: None,
        parents: Vec::new(),
    }
}

/// Returns what a person can see of a task: all but its generation and what counts its changes.
fn seen(snapshot: &Snapshot) -> Snapshot {
    let mut seen = snapshot.clone();
    (seen.task.version, seen.task.updated_at) = (0, at("4 00:00"));
    seen.occurrence.generation = 0;
    // A nag counts from when it came back, and what could be repeated by name has another one.
    if let State::Running(running) = &mut seen.occurrence.state {
        *running = Running { rang_at: running.rang_at.map(|_| at("4 00:00")), ..*running };
    }
    if let State::Suspended(suspended) = &mut seen.occurrence.state {
        suspended.id = Uuid::nil();
    }
    seen
}

const DONE: Command = Command::Done { early: true };

fn refused(story: &mut Story, now: &str, taken: Taken) -> String {
    let before = story.snapshot.clone();
    let refused = story.undo(now, taken).expect_err("it is refused");
    assert_eq!(story.snapshot, before);
    refused.to_string()
}

#[test]
fn done_is_taken_back_in_silence_by_a_new_generation() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:05");
    let before = story.snapshot.clone();
    let done = story.done("4 09:05", &DONE);
    story.undone("4 09:15", done);
    assert_eq!(seen(&story.snapshot), seen(&before));
    assert_eq!((story.state(), story.snapshot.occurrence.generation), (StateName::Running, 2));
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:05 once       RUNNING   → COMPLETED completed
    4 09:15 once       -         → CREATED   opened
    4 09:15 once       CREATED   → PENDING   armed
    4 09:15 once       PENDING   → RUNNING   started
    4 09:15 once       RUNNING   → RUNNING   restored
    ");
}

#[test]
fn what_is_still_ahead_rings_at_its_time() {
    for command in [DONE, Command::Cancel] {
        let mut story = Story::new(once("4 16:00"), &[]);
        let done = story.done("4 08:30", &command);
        story.undone("4 08:40", done);
        assert_eq!(story.state(), StateName::Pending);
        story.run("4 17:00");
        let rung: Vec<_> = story.steps.iter().filter(|(_, _, step)| step.operation.firing().is_some()).collect();
        assert_eq!(rung.len(), 1);
        assert_eq!(rung[0].0, at("4 16:00"));
    }
}

#[test]
fn a_series_gives_up_its_untouched_next() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:05");
    let before = story.snapshot.clone();
    let done = story.done("4 09:05", &DONE);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
    story.undone("4 09:15", done);
    assert_eq!(seen(&story.snapshot), seen(&before));
    story.run("5 10:00");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")), "and it comes again at its time");
    let closed = story.steps.iter().find_map(|(_, _, step)| match &step.operation {
        Operation::Completed(Outcome::Unanswered) => Some(step.snapshot.occurrence.generation),
        _ => None,
    });
    assert_eq!(closed, Some(2), "what rang once counts as unanswered, not as undelivered");
}

#[test]
fn a_next_that_came_up_or_bears_a_mark_keeps_done_as_it_is() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:05");
    let done = story.done("4 09:05", &DONE);
    let mut paused = story.clone();
    paused.done("4 10:00", &Command::Pause { until: None });
    paused.undone("4 10:05", done.clone());
    assert_eq!(paused.state(), StateName::Running, "a pause is no mark");
    let mut snoozed = story.clone();
    let until = at("5 10:00");
    snoozed.done("4 10:00", &Command::Snooze { until, is_duration: false, early: true });
    assert_snapshot!(refused(&mut snoozed, "4 10:05", done.clone()), @"cannot undo what was done to task 1: its next time has been changed since");
    story.run("5 09:00");
    assert_snapshot!(refused(&mut story, "5 09:10", done), @"cannot undo what was done to task 1: its next time has come up already");
}

#[test]
fn a_skip_that_left_nothing_behind_reopens_the_same_generation() {
    let mut story = Story::new(daily(9), &[]);
    let before = story.snapshot.clone();
    let skip = story.done("4 08:30", &Command::Skip);
    story.undone("4 08:40", skip);
    assert_eq!((seen(&story.snapshot), story.snapshot.occurrence.generation), (seen(&before), 1));
    let skip = story.done("4 08:45", &Command::Skip);
    let undo = story.undone("4 08:50", skip);
    story.undone("4 08:55", undo);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")), "it is skipped again");
    let skip = story.done("4 10:00", &Command::Skip);
    story.undone("5 20:00", skip);
    assert_eq!(story.state(), StateName::Running, "its time has passed: it is due in silence");
}

#[test]
fn snooze_pause_resume_and_ack_are_taken_back_in_place() {
    let pause = Command::Pause { until: None };
    let until = at("4 11:00");
    let ack = Command::Ack { early: false, is_dismissal: false };
    let snooze = Command::Snooze { until, is_duration: false, early: true };
    for (schedule, alerts) in [(once("4 09:00"), &[][..]), (once("4 12:00"), &[-200][..]), (daily(9), &[][..])] {
        let mut story = Story::new(schedule, alerts);
        story.run("4 09:05");
        for command in [&snooze, &pause, &ack] {
            let before = story.snapshot.clone();
            let done = story.done("4 09:05", command);
            let undo = story.undone("4 09:06", done.clone());
            assert_eq!(seen(&story.snapshot), seen(&before), "{command:?}");
            story.undone("4 09:07", undo);
            assert_eq!(seen(&story.snapshot), seen(&done.after), "done again: {command:?}");
            let undo = taken(&before, &story.clone().ask("4 09:07", &Command::Wake).expect("never refused"));
            let redone = Taken { before: Some(before.clone()), after: story.snapshot.clone(), ..undo };
            story.undone("4 09:08", redone);
        }
        story.done("4 09:10", &pause);
        let before = story.snapshot.clone();
        let resumed = story.done("4 09:20", &Command::Resume { shift: false });
        story.undone("4 09:21", resumed);
        assert_eq!(seen(&story.snapshot), seen(&before), "it sleeps on");
        story.done("4 09:30", &Command::Resume { shift: false });
    }
}

#[test]
fn what_rang_since_is_left_as_it_is() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:05");
    let snooze = Command::Snooze { until: at("4 09:30"), is_duration: true, early: false };
    let snooze = story.done("4 09:05", &snooze);
    story.run("4 09:30");
    assert_snapshot!(refused(&mut story, "4 09:31", snooze), @"cannot undo what was done to task 1: it has been changed since");
    let mut story = Story::new(once("4 09:00"), &[]);
    let paused = story.done("4 08:30", &Command::Pause { until: None });
    story.done("4 08:40", &Command::Resume { shift: false });
    assert_snapshot!(refused(&mut story, "4 08:45", paused), @"cannot undo what was done to task 1: it has been changed since");
}

#[test]
fn an_edit_goes_back_field_by_field() {
    let mut story = Story::new(once("4 09:00"), &[]);
    let before = story.snapshot.clone();
    let edit = |edit: Edit| Command::Edit(Box::new(edit));
    let title = |text: &str| edit(Edit { title: Some(text.into()), ..Edit::default() });
    let first = story.done("4 08:10", &title("coffee"));
    story.done("4 08:11", &edit(Edit { notes: Some("black".into()), ..Edit::default() }));
    story.undone("4 08:12", first);
    let details = &story.snapshot.task.details;
    assert_eq!((details.title.as_str(), details.notes.as_str()), ("tea", "black"));
    let second = story.done("4 08:13", &title("cocoa"));
    story.done("4 08:14", &title("milk"));
    assert_snapshot!(refused(&mut story, "4 08:15", second), @"cannot undo what was done to task 1: its title has been changed since");
    let moved = story.done("4 08:20", &edit(Edit { schedule: Some(once("4 12:00")), ..Edit::default() }));
    story.undone("4 08:21", moved);
    assert_eq!(story.snapshot.occurrence, before.occurrence);
    let moved = story.done("4 08:22", &edit(Edit { schedule: Some(once("4 12:00")), ..Edit::default() }));
    let back = story.undo("4 09:30", moved).expect("nobody changed it since");
    let rang: Vec<(Slot, bool)> =
        back.steps.iter().filter_map(|step| step.operation.firing()).map(|firing| (firing.slot, firing.late)).collect();
    assert_eq!((story.state(), rang), (StateName::Running, vec![(Slot::DUE, true)]), "the old time was never said");
}

#[test]
fn an_edit_of_the_rule_leaves_what_came_up_to_its_answer_and_is_taken_back() {
    let edit = Edit { schedule: Some(interval(1, None)), ..Edit::default() };
    for alerts in [&[-40][..], &[-40, 0][..], &[-40, -5, 10][..]] {
        let mut story = Story::new(daily(9), alerts);
        story.run("4 09:20");
        let before = story.snapshot.clone();
        assert_eq!(story.state(), StateName::Running);
        let edited = story.done("4 09:25", &Command::Edit(Box::new(edit.clone())));
        // Each next time would have spoken 40 minutes before it, and so before the rule was given.
        let is = &story.snapshot.occurrence;
        assert_eq!((is.name(), is.state.name()), (before.occurrence.name(), StateName::Running), "{}", story.told());
        assert_eq!(is.successor_at, Some(at("4 09:26")), "{alerts:?}");
        let mut lived = story.clone();
        story.undone("4 09:25", edited);
        assert_eq!(seen(&story.snapshot), seen(&before));
        lived.run("4 09:26");
        assert_eq!(lived.snapshot.occurrence.due_at(), Some(at("4 09:26")), "{}", lived.told());
    }
}

/// Returns the slots that speak until then, with whether they are late.
fn said(story: &mut Story, to: &str) -> Vec<(Slot, bool)> {
    let before = story.steps.len();
    story.run(to);
    let firings = story.steps[before..].iter().filter_map(|(_, _, step)| step.operation.firing());
    firings.map(|firing| (firing.slot, firing.late)).collect()
}

#[test]
fn what_was_not_said_for_a_pause_or_a_snooze_that_is_taken_back_is_said_late_once() {
    let snooze = Command::Snooze { until: at("4 12:00"), is_duration: false, early: true };
    for command in [Command::Pause { until: None }, snooze] {
        for schedule in [once("4 09:00"), daily(9)] {
            let mut story = Story::new(schedule, &[]);
            let taken = story.done("4 08:00", &command);
            story.run("4 09:30");
            let back = story.undo("4 09:30", taken).expect("nobody changed it since");
            let rang = back.steps.iter().filter(|step| step.operation.firing().is_some()).count();
            let said_before = story.snapshot.occurrence.nags;
            assert_eq!((story.state(), rang, said_before), (StateName::Running, 1, 0), "{command:?}");
            assert_eq!(said(&mut story, "4 20:00"), [], "{command:?}");
        }
    }
}

#[test]
fn what_a_resume_said_is_not_said_again_by_the_next_once_the_first_is_taken_back() {
    let resume = Command::Resume { shift: false };
    let mut story = Story::new(once("4 12:00"), &[-60, 0]);
    story.done("4 10:30", &Command::Pause { until: None });
    let resumed = story.done("4 11:30", &resume);
    assert!(resumed.has_rung, "the alert of 11:00, late");
    story.undone("4 11:31", resumed);
    assert!(!story.done("4 11:40", &resume).has_rung, "the same firing cannot be written twice");
    story.run("4 12:00");
    assert_eq!(story.state(), StateName::Running);
}

#[test]
fn what_was_held_for_quiet_hours_is_said_when_it_is_quiet_no_more_whatever_is_taken_back() {
    let ack = Command::Ack { early: false, is_dismissal: false };
    for command in [Command::Pause { until: None }, ack, DONE, Command::Cancel] {
        // A typed time would ring.
        let mut story = Story::new(interval(60, Some(1)), &[]);
        story.quiet_until = Some(at("4 10:00"));
        story.run("4 09:00");
        let taken = story.done("4 09:10", &command);
        story.undone("4 09:20", taken);
        story.quiet_until = None;
        assert_eq!(said(&mut story, "4 10:00"), [(Slot::DUE, true)], "{command:?}");
        assert_eq!(said(&mut story, "4 20:00"), [], "{command:?}");
    }
}

#[test]
fn a_nag_goes_on_when_what_was_done_before_its_time_is_done_no_more() {
    let nag = Some(Nag { every: Span::from_minutes(5), max: 3 });
    let mut story = Story::with(once("4 09:00"), &[], |new| new.policy.nag = nag);
    let done = story.done("4 08:30", &DONE);
    story.run("4 09:10");
    story.undone("4 09:10", done);
    assert_eq!(said(&mut story, "4 09:16"), [(Slot::Nag(1), false)]);
    // What it says is withdrawn with it, as of anything that spoke.
    story.ask("4 09:17", &Command::Cancel).expect("due");
    assert!(story.deliveries.iter().all(|delivery| delivery.status.is_final()), "{:?}", story.deliveries);
}

#[test]
fn what_was_seen_before_a_pause_is_not_said_again_behind_it() {
    for is_dismissal in [false, true] {
        let mut story = Story::new(once("4 09:00"), &[]);
        story.run("4 09:00");
        story.ask("4 09:01", &Command::Ack { early: false, is_dismissal }).expect("due");
        story.ask("4 09:10", &Command::Pause { until: None }).expect("due");
        let before = story.steps.len();
        story.ask("4 09:20", &Command::Resume { shift: false }).expect("paused");
        assert!(story.steps[before..].iter().all(|(_, _, step)| step.operation.firing().is_none()));
        let State::Running(running) = story.snapshot.occurrence.state else { panic!("{}", story.told()) };
        assert!(running.acked_at.is_some());
        assert_eq!(said(&mut story, "4 20:00"), []);
    }
}

#[test]
fn what_was_deleted_comes_back_and_says_nothing_of_what_it_missed() {
    for schedule in [once("4 09:00"), daily(9)] {
        let mut story = Story::new(schedule, &[]);
        let before = story.snapshot.clone();
        let deleted = story.done("4 08:30", &Command::Delete);
        assert_eq!((story.snapshot.next_wake(), story.snapshot.speaks_at()), (None, None));
        assert!(matches!(story.ask("4 08:31", &DONE), Err(Rejection::Deleted { .. })));
        let mut late = story.clone();
        story.undone("4 08:40", deleted.clone());
        assert_eq!(seen(&story.snapshot), seen(&before));
        late.undone("5 20:00", deleted);
        let due = late.snapshot.occurrence.due_at();
        if late.snapshot.task.is_series() {
            assert_eq!((late.state(), due), (StateName::Pending, Some(at("6 09:00"))));
        } else {
            assert_eq!((late.state(), due), (StateName::Running, Some(at("4 09:00"))));
        }
    }
}

#[test]
fn an_undo_is_undone() {
    for schedule in [once("4 09:00"), daily(9), once("4 16:00")] {
        for command in [DONE, Command::Cancel, Command::Delete] {
            let mut story = Story::new(schedule.clone(), &[]);
            story.run("4 09:05");
            let done = story.done("4 09:05", &command);
            let undo = story.undone("4 09:06", done.clone());
            let redo = story.undone("4 09:07", undo);
            let (now, then) = (&story.snapshot, &done.after);
            assert_eq!(now.occurrence.due_at(), then.occurrence.due_at(), "{command:?}");
            assert_eq!(now.occurrence.state.name(), then.occurrence.state.name(), "{command:?}");
            assert_eq!(now.task.deleted_at.is_some(), then.task.deleted_at.is_some());
            assert_eq!(now.task.previous, then.task.previous);
            story.undone("4 09:08", redo);
            assert_eq!(story.snapshot.task.deleted_at, None);
        }
    }
}

#[test]
fn a_series_that_went_on_once_its_end_was_undone_ends_again() {
    for command in [Command::Cancel, Command::Delete] {
        let mut story = Story::new(daily(9), &[]);
        let end = story.done("4 08:30", &command);
        // What was cancelled is reopened, and gives way at once to the time that is ahead.
        let undo = story.undone("5 10:00", end.clone());
        let back = (story.state(), story.snapshot.occurrence.due_at());
        assert_eq!(back, (StateName::Pending, Some(at("6 09:00"))));
        let redo = story.undone("5 10:05", undo.clone());
        let task = &story.snapshot.task;
        assert_eq!(
            (story.state(), task.deleted_at.is_some()),
            (end.after.occurrence.state.name(), end.after.task.deleted_at.is_some()),
            "{}",
            story.told()
        );
        assert_eq!(story.snapshot.next_wake(), None);
        story.undone("5 10:10", redo);
        assert_eq!((story.state(), story.snapshot.occurrence.due_at()), back, "{}", story.told());
    }
    // One whose times are over ends each time it is reopened, by its rule.
    let mut story = Story::new(interval(60, Some(3)), &[]);
    let snooze = Command::Snooze { until: at("4 08:02"), is_duration: false, early: true };
    let mut last = story.done("4 08:01", &snooze);
    for _ in 0..4 {
        last = story.undone("4 19:30", last);
        assert!(story.snapshot.occurrence.has_ended(), "{}", story.told());
    }
    let mut story = Story::new(daily(9), &[]);
    let end = story.done("4 08:30", &Command::Cancel);
    let undo = story.undone("5 10:00", end);
    story.run("6 09:00");
    assert_snapshot!(refused(&mut story, "6 09:01", undo), @"cannot undo what was done to task 1: its next time has come up already");
}

#[test]
fn what_an_undone_task_had_set_free_waits_again() {
    let parent = |wait| Parent { wait, ..Parent::new(TaskId(Uuid::from_u128(9)), Number(9)) };
    let name = crate::domain::occurrence::OccurrenceName {
        key: crate::domain::occurrence::OccurrenceKey::Once,
        generation: 1,
    };
    let met = Wait::Met(Met { occurrence: name, at: at("4 08:30"), is_last: true });
    let waits = SetWaits { parents: Some(vec![parent(Wait::Awaited)]), ..SetWaits::default() };
    let mut story = Story::with(once("4 09:00"), &[], |new| new.waits = waits);
    let before = story.snapshot.clone();
    let end = ParentEnd { parent: TaskId(Uuid::from_u128(9)), wait: met };
    let freed = Taken { is_asked: false, ..story.done("4 08:30", &Command::ParentEnded(end)) };
    assert_eq!(story.state(), StateName::Pending);
    let mut rung = story.clone();
    story.undone("4 08:40", freed.clone());
    assert_eq!(seen(&story.snapshot), seen(&before));
    rung.run("4 09:00");
    assert_snapshot!(refused(&mut rung, "4 09:01", freed), @"cannot undo what was done to task 1: its next time has come up already");
    let unblocked = story.done("4 08:45", &Command::Unblock);
    assert_eq!(story.state(), StateName::Pending);
    let parents = vec![(TaskId(Uuid::from_u128(9)), met)];
    let late = Taken { parents, ..unblocked.clone() };
    assert_snapshot!(refused(&mut story, "4 08:46", late), @"cannot undo what was done to task 1: what it waited for is done");
    story.undone("4 08:46", unblocked);
    assert_eq!(seen(&story.snapshot), seen(&before));
}

#[test]
fn a_series_that_is_brought_back_waits_in_vain_for_nothing_that_ended_meanwhile() {
    let parent = TaskId(Uuid::from_u128(9));
    let name = crate::domain::occurrence::OccurrenceName {
        key: crate::domain::occurrence::OccurrenceKey::Once,
        generation: 1,
    };
    let once = Wait::Met(Met { occurrence: name, at: at("4 08:30"), is_last: false });
    let ended = Wait::Met(Met { occurrence: name, at: at("4 08:50"), is_last: true });
    let waits = SetWaits { parents: Some(vec![Parent::new(parent, Number(9))]), ..SetWaits::default() };
    let mut story = Story::with(daily(9), &[], |new| new.waits = waits);
    story.ask("4 08:30", &Command::ParentEnded(ParentEnd { parent, wait: once })).expect("never refused");
    let deleted = story.done("4 08:40", &Command::Delete);
    let mut goes_on = story.clone();
    goes_on.undone("4 08:55", Taken { parents: vec![(parent, Wait::Awaited)], ..deleted.clone() });
    story.undone("4 08:55", Taken { parents: vec![(parent, ended)], ..deleted });
    for (story, next) in [(&mut goes_on, StateName::Created), (&mut story, StateName::Pending)] {
        assert_eq!(story.state(), StateName::Pending, "what was done for this time stays done");
        story.ask("4 08:56", &DONE).expect("early");
        assert_eq!(story.state(), next);
    }
}

#[test]
fn what_was_sent_again_cannot_be_called_back() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:05");
    let nothing = taken(&story.snapshot.clone(), &story.clone().ask("4 09:05", &Command::Wake).expect("never refused"));
    let retried = Taken { has_resent: true, ..nothing };
    assert_snapshot!(refused(&mut story, "4 09:06", retried), @"cannot undo what was done to task 1: what was sent again cannot be called back");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Do, undo: what can be seen of the task is as before. And undone again it is as after.
    #[test]
    fn what_is_done_and_undone_is_as_before(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((0_i64..700, any_act()), 0..20),
        (_, act) in (0_i64..700, any_act()),
    ) {
        let mut story = play(schedule, &alerts, &acts);
        let Act::Ask(command) = act else { return Ok(()) };
        let is_asked_by_nobody = matches!(
            *command,
            Command::Wake | Command::Rezone | Command::ClockSet { .. } | Command::SleepOn { .. } | Command::ParentEnded(_)
        );
        let now = story.steps.last().map_or(at("4 08:00"), |(now, _, _)| *now).saturating_add(Span::from_minutes(1));
        story.ask_at(now, &Command::Wake).expect("never refused");
        let before = story.snapshot.clone();
        let Ok(done) = story.ask_at(now, &command) else { return Ok(()) };
        if is_asked_by_nobody || !done.has_changed() {
            return Ok(());
        }
        let first = taken(&before, &done);
        // What rang in the very same moment is no more untouched.
        let later = now.saturating_add(Span::from_millis(1));
        match story.ask_at(later, &Command::Undo(Box::new(first.clone()))) {
            Ok(undone) => {
                prop_assert!(undone.steps.iter().all(|step| step.operation.firing().is_none()));
                let mut expected = seen(&before);
                // What it said of the same occurrence stays said.
                let has_opened = undone.steps.iter().any(|step| matches!(step.operation, Operation::Opened(_)));
                if done.after.occurrence.name() == before.occurrence.name() && !has_opened {
                    let is_said = |slot: Slot| slot != Slot::DUE && done.after.occurrence.spoken.contains(&slot);
                    let said = before.alerts_ahead().filter(|(slot, at)| *at <= later && is_said(*slot));
                    expected.occurrence.spoken.extend(said.map(|(slot, _)| slot));
                    expected.occurrence.spoken.sort_unstable();
                }
                prop_assert_eq!(seen(&undone.after), expected, "{:?}\n{}", command, story.told());
                let again = taken(&done.after, &undone);
                let last = later.saturating_add(Span::from_millis(1));
                if let Ok(redone) = story.ask_at(last, &Command::Undo(Box::new(again))) {
                    let (now, then) = (redone.after, done.after);
                    prop_assert_eq!(now.occurrence.state.name(), then.occurrence.state.name(), "{:?}\n{}", command, story.told());
                    prop_assert_eq!(now.occurrence.due, then.occurrence.due);
                }
            }
            Err(refused) => {
                // What came up by it, in silence too, is no more untouched.
                let has_come_up = first.after.occurrence.state.name() == StateName::Running;
                let is_reasoned = first.has_rung || has_come_up || before.task.waits != first.after.task.waits
                    || before.task.deleted_at.is_some();
                prop_assert!(is_reasoned, "{refused}: {command:?}\n{}", story.told());
            }
        }
    }

    /// However late something is taken back, and that again: each step is legal, and what has ended stays so.
    #[test]
    fn what_is_taken_back_late_is_done_by_legal_steps(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((0_i64..700, any_act()), 0..12),
        (_, act) in (0_i64..700, any_act()),
        waits in prop::collection::vec((0_i64..3000, any::<bool>()), 1..6),
    ) {
        let mut story = play(schedule, &alerts, &acts);
        let Act::Ask(command) = act else { return Ok(()) };
        let mut now = story.steps.last().map_or(at("4 08:00"), |(now, _, _)| *now).saturating_add(Span::from_minutes(1));
        let before = story.snapshot.clone();
        let Ok(done) = story.ask_at(now, &command) else { return Ok(()) };
        let mut last = taken(&before, &done);
        for (minutes, is_awake) in waits {
            let to = now.saturating_add(Span::from_minutes(minutes));
            // A machine that slept leaves all of it to the undo.
            while let Some(next) = story.snapshot.next_wake().filter(|next| is_awake && *next <= to) {
                now = now.max(next);
                story.wake(now);
            }
            now = to;
            let before = story.snapshot.clone();
            let Ok(undone) = story.ask_at(now, &Command::Undo(Box::new(last.clone()))) else { break };
            last = taken(&before, &undone);
        }
        // And it lives on.
        for _ in 0..5 {
            let Some(next) = story.snapshot.next_wake() else { break };
            now = now.max(next);
            story.wake(now);
        }
        let mut ended = std::collections::BTreeSet::new();
        for (_, _, step) in &story.steps {
            let name = step.snapshot.occurrence.name();
            let is_ended = step.snapshot.occurrence.has_ended();
            prop_assert!(!ended.contains(&name) || is_ended, "{name} came back to life:\n{}", story.told());
            if let (Some(from), Some(to)) = (step.from, step.to) {
                prop_assert!(from == to || from.successors().contains(&to), "{from} → {to}:\n{}", story.told());
            }
            if is_ended {
                ended.insert(name);
            }
        }
    }
}
