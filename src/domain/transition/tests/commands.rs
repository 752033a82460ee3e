//! Commands: what their ends make of a task, and what becomes of a time at which one still runs (SPEC 4 and 7).

use std::collections::BTreeMap;

use super::*;
use crate::domain::op::Taken;
use crate::domain::run::{Limits, Line, Output, Overlap, Process, Program, RunEnd, RunId, RunReport, RunStatus};
use crate::domain::stage::stage;
use crate::domain::task::Missed;

fn program(overlap: Overlap) -> Program {
    Program {
        line: Line::Arguments(vec!["true".into()]),
        directory: String::new(),
        environment: BTreeMap::new(),
        timeout: None,
        overlap,
        nice: 0,
        limits: Limits::default(),
        ping: None,
    }
}

fn command(schedule: Schedule, overlap: Overlap, retries: u32) -> Story {
    Story::with(schedule, &[], |new| {
        new.details.command = Some(Box::new(program(overlap)));
        new.details.max_retries = Some(retries);
        new.policy.missed = Missed::Skip;
    })
}

fn report_on(story: &mut Story, now: &str, run: RunId, report: RunReport) {
    story.ask(now, &Command::RunReport { run, report, jitter: Jitter::NONE }).expect("a report is never refused");
}

/// Says that the earliest run that was not started is.
fn start(story: &mut Story, now: &str) -> RunId {
    let run = story.runs.iter().find(|run| run.status == RunStatus::Queued).expect("one waits").id;
    report_on(story, now, run, RunReport::Starting);
    let process = Process { pid: 7, started: 1, boot: Uuid::nil() };
    report_on(story, now, run, RunReport::Started { process });
    run
}

fn end(story: &mut Story, now: &str, run: RunId, end: RunEnd) {
    report_on(story, now, run, RunReport::Ended { end, output: Output::default() });
}

/// Runs what waits from its beginning to its end.
fn run(story: &mut Story, now: &str, how: RunEnd) {
    let run = start(story, now);
    end(story, now, run, how);
}

#[test]
fn a_command_that_succeeds_is_done() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 0);
    story.run("4 09:00");
    assert_eq!(stage(&story.snapshot, at("4 09:00"), BERLIN), "running");
    assert!(story.deliveries.is_empty(), "{:?}", story.deliveries);
    run(&mut story, "4 09:01", RunEnd::Exit(0));
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:01 once       RUNNING   → RUNNING   run_started
    4 09:01 once       RUNNING   → RUNNING   run_ended
    4 09:01 once       RUNNING   → COMPLETED completed
    ");
    assert_eq!(story.snapshot.next_wake(), None);
}

#[test]
fn one_that_fails_is_tried_again_at_the_back_off_and_then_no_more() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 1);
    story.run("4 09:00");
    run(&mut story, "4 09:00", RunEnd::Exit(3));
    assert_eq!(stage(&story.snapshot, at("4 09:00"), BERLIN), "retrying");
    assert_eq!(story.snapshot.next_wake(), Some(at("4 09:00").saturating_add(Span::from_secs(5))));
    story.run("4 09:01");
    let attempts: Vec<u32> = story.runs.iter().map(|run| run.attempt).collect();
    assert_eq!(attempts, [1, 2]);
    run(&mut story, "4 09:02", RunEnd::TimedOut);
    assert_snapshot!(story.told().lines().skip(2).collect::<Vec<_>>().join("\n"), @"
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:00 once       RUNNING   → RUNNING   run_started
    4 09:00 once       RUNNING   → RUNNING   run_ended
    4 09:00 once       RUNNING   → FAILED    failed
    4 09:00 once       FAILED    → PENDING   retried
    4 09:00 once       PENDING   → RUNNING   started
    4 09:02 once       RUNNING   → RUNNING   run_started
    4 09:02 once       RUNNING   → RUNNING   run_ended
    4 09:02 once       RUNNING   → FAILED    failed
    4 09:02 once       FAILED    → CANCELLED cancelled
    ");
    // The person is told once.
    let told: Vec<&str> = story.deliveries.iter().map(|delivery| delivery.message.title.as_str()).collect();
    assert_eq!(told, ["failed: tea"]);
    assert!(story.deliveries[0].message.body.starts_with("it ran longer than it may after 2 attempts"));
    // And may have it tried anew, as a generation of its own.
    story.ask("4 10:00", &Command::Retry).expect("what failed is tried anew");
    assert_eq!((story.snapshot.occurrence.generation, story.runs.last().map(|run| run.attempt)), (2, Some(1)));
    run(&mut story, "4 10:00", RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn the_next_attempt_of_one_cut_short_knows_how_far_it_was() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 3);
    story.run("4 09:00");
    let first = start(&mut story, "4 09:00");
    report_on(&mut story, "4 09:00", first, RunReport::Checkpoint("page 7".into()));
    report_on(&mut story, "4 09:00", first, RunReport::Checkpoint("page 9".into()));
    end(&mut story, "4 09:00", first, RunEnd::Interrupted);
    story.run("4 09:01");
    assert_eq!(story.runs[1].resumes_from.as_deref(), Some("page 9"));
    // One that reports nothing leaves what it was given.
    run(&mut story, "4 09:01", RunEnd::Signal(9));
    story.run("4 09:02");
    assert_eq!(story.runs[2].resumes_from.as_deref(), Some("page 9"));
    run(&mut story, "4 09:02", RunEnd::Exit(0));
    story.ask("4 09:03", &Command::Run).expect("it may be run again");
    assert_eq!(story.runs[3].resumes_from, None);
}

#[test]
fn a_time_at_which_it_still_runs_is_passed_over() {
    let mut story = command(interval(10, None), Overlap::Skip, 0);
    story.run("4 08:10");
    let first = start(&mut story, "4 08:10");
    story.run("4 08:35");
    assert_eq!(story.runs.len(), 1);
    end(&mut story, "4 08:36", first, RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 08:40")));
    assert_snapshot!(story.told().lines().skip(2).collect::<Vec<_>>().join("\n"), @"
    4 08:10 May 04T06:10:00Z PENDING   → RUNNING   fired 0
    4 08:10 May 04T06:10:00Z RUNNING   → RUNNING   run_started
    4 08:20 May 04T06:10:00Z RUNNING   → RUNNING   passed_over
    4 08:20 May 04T06:10:00Z RUNNING   → RUNNING   moved
    4 08:30 May 04T06:10:00Z RUNNING   → RUNNING   passed_over
    4 08:30 May 04T06:10:00Z RUNNING   → RUNNING   moved
    4 08:36 May 04T06:10:00Z RUNNING   → RUNNING   run_ended
    4 08:36 May 04T06:10:00Z RUNNING   → COMPLETED completed
    4 08:36 May 04T06:40:00Z -         → CREATED   opened
    4 08:36 May 04T06:40:00Z CREATED   → PENDING   armed
    ");
    assert!(story.deliveries.is_empty(), "an overlap is told to nobody: {:?}", story.deliveries);
}

#[test]
fn times_that_are_queued_run_one_after_another() {
    let mut story = command(interval(10, None), Overlap::Queue, 0);
    story.run("4 08:10");
    let first = start(&mut story, "4 08:10");
    story.run("4 08:35");
    assert_eq!(story.runs.len(), 1);
    end(&mut story, "4 08:36", first, RunEnd::Exit(0));
    let due = |story: &Story| story.snapshot.occurrence.due_at();
    assert_eq!((due(&story), story.runs.len()), (Some(at("4 08:20")), 2));
    run(&mut story, "4 08:37", RunEnd::Exit(1));
    assert_eq!((due(&story), story.runs.len()), (Some(at("4 08:30")), 3));
    run(&mut story, "4 08:38", RunEnd::Exit(0));
    assert_eq!((due(&story), story.runs.len()), (Some(at("4 08:40")), 3));
    assert_eq!(story.snapshot.next_wake(), Some(at("4 08:40")));
    assert!(!story.told().contains("passed_over"));
}

#[test]
fn times_that_are_allowed_run_at_once_and_each_ends_by_itself() {
    let mut story = command(interval(10, None), Overlap::Allow, 0);
    story.run("4 08:10");
    let first = start(&mut story, "4 08:10");
    story.run("4 08:20");
    let second = start(&mut story, "4 08:20");
    story.run("4 08:30");
    let third = start(&mut story, "4 08:30");
    end(&mut story, "4 08:31", second, RunEnd::Exit(2));
    end(&mut story, "4 08:32", third, RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 08:40")));
    end(&mut story, "4 08:33", first, RunEnd::Exit(0));
    let ends: Vec<String> = story.told().lines().filter(|line| line.contains("→ C")).map(str::to_owned).collect();
    assert_snapshot!(ends.join("\n"), @"
    4 08:00 May 04T06:10:00Z -         → CREATED   added
    4 08:20 May 04T06:20:00Z -         → CREATED   opened
    4 08:30 May 04T06:30:00Z -         → CREATED   opened
    4 08:31 May 04T06:20:00Z FAILED    → CANCELLED cancelled
    4 08:32 May 04T06:30:00Z RUNNING   → COMPLETED completed
    4 08:32 May 04T06:40:00Z -         → CREATED   opened
    4 08:33 May 04T06:10:00Z RUNNING   → COMPLETED completed
    ");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Pending);
}

#[test]
fn what_hangs_is_not_heaped_up_for_ever() {
    let mut story = command(interval(1, None), Overlap::Allow, 0);
    story.run("4 12:00");
    assert_eq!(story.runs.len(), 100);
    assert!(story.told().contains("passed_over"));
    story.ask("4 12:00", &Command::Run).expect_err("there is no room");
    let first = story.runs[0].id;
    start(&mut story, "4 12:00");
    end(&mut story, "4 12:00", first, RunEnd::Exit(0));
    story.ask("4 12:00", &Command::Run).expect("there is room for one");
}

#[test]
fn an_attempt_is_not_waited_for_past_the_next_time() {
    let mut story = command(interval(10, None), Overlap::Skip, 9);
    story.run("4 08:10");
    let mut now = "4 08:10";
    for next in ["4 08:11", "4 08:12", "4 08:15"] {
        run(&mut story, now, RunEnd::Exit(1));
        story.run(next);
        now = next;
    }
    run(&mut story, now, RunEnd::Exit(1));
    assert_eq!(story.runs.len(), 4);
    story.run("4 08:20");
    let last = story.told().lines().rev().take(4).map(str::to_owned).collect::<Vec<_>>();
    assert_snapshot!(last.into_iter().rev().collect::<Vec<_>>().join("\n"), @"
    4 08:20 May 04T06:10:00Z PENDING   → CANCELLED cancelled
    4 08:20 May 04T06:20:00Z -         → CREATED   opened
    4 08:20 May 04T06:20:00Z CREATED   → PENDING   armed
    4 08:20 May 04T06:20:00Z PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_cancelled_one_is_over_at_once_and_in_the_way_until_its_command_is_gone() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 5);
    story.run("4 09:00");
    let id = start(&mut story, "4 09:00");
    let cancelled = story.ask("4 09:01", &Command::Cancel).expect("a running one is cancelled");
    assert!(cancelled.effects.contains(&Effect::EndRun(id)));
    let states: Vec<_> = cancelled.steps.iter().filter_map(|step| step.to).collect();
    assert_eq!(states, [StateName::Failed, StateName::Cancelled]);
    let refused = story.ask("4 09:01", &Command::Run).expect_err("it is not gone yet");
    assert_snapshot!(refused, @"cannot run task 1: its command is running");
    end(&mut story, "4 09:02", id, RunEnd::Signal(15));
    assert!(matches!(&story.runs[0].status, RunStatus::Ended { end: RunEnd::Stopped, .. }));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Cancelled);
    story.ask("4 09:03", &Command::Run).expect("it is gone");
    run(&mut story, "4 09:03", RunEnd::Exit(1));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Cancelled);
}

#[test]
fn one_that_was_not_started_yet_is_withdrawn() {
    for command_given in [Command::Cancel, Command::Done { early: false }, Command::Delete] {
        let mut story = command(once("4 09:00"), Overlap::Skip, 0);
        story.run("4 09:00");
        let done = story.ask("4 09:01", &command_given).expect("never refused");
        assert!(matches!(&story.runs[0].status, RunStatus::Ended { end: RunEnd::Withdrawn, .. }), "{command_given:?}");
        assert!(!done.effects.iter().any(|effect| matches!(effect, Effect::Run(_))));
        // Whatever a runner says of it then changes nothing.
        let id = story.runs[0].id;
        let before = story.snapshot.clone();
        end(&mut story, "4 09:02", id, RunEnd::Exit(0));
        assert_eq!(story.snapshot, before);
    }
}

#[test]
fn what_ran_while_it_was_paused_has_run() {
    let mut story = command(interval(10, None), Overlap::Skip, 1);
    story.run("4 08:10");
    let first = start(&mut story, "4 08:10");
    story.ask("4 08:11", &Command::Pause { until: None }).expect("a running one pauses");
    end(&mut story, "4 08:12", first, RunEnd::Exit(0));
    assert_eq!(stage(&story.snapshot, at("4 08:12"), BERLIN), "paused");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 08:20")));
    assert_eq!(story.snapshot.task.previous, Some(Outcome::Done));
    // One that still runs when it goes on is not started again.
    story.ask("4 08:15", &Command::Resume { shift: false }).expect("a paused one resumes");
    story.run("4 08:20");
    start(&mut story, "4 08:20");
    story.ask("4 08:21", &Command::Pause { until: None }).expect("a running one pauses");
    story.ask("4 08:22", &Command::Resume { shift: false }).expect("a paused one resumes");
    assert_eq!((story.snapshot.occurrence.state.name(), story.runs.len()), (StateName::Running, 2));
    let second = story.runs[1].id;
    end(&mut story, "4 08:23", second, RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 08:30")));
}

#[test]
fn missed_times_are_skipped_or_each_is_run() {
    let mut skipped = command(daily(9), Overlap::Skip, 0);
    skipped.wake(at("7 12:00"));
    assert_eq!((skipped.snapshot.occurrence.due_at(), skipped.runs.len()), (Some(at("8 09:00")), 0));
    let mut each = command(daily(9), Overlap::Skip, 0);
    each.snapshot.task.policy.missed = Missed::All;
    each.wake(at("7 12:00"));
    let mut dues = Vec::new();
    while each.runs.iter().any(|run| !run.is_over()) {
        dues.push(each.snapshot.occurrence.due_at());
        while let Some(at) = each.snapshot.next_wake().filter(|next| *next <= at("7 12:00")) {
            each.wake(at.max(self::at("7 12:00")));
        }
        run(&mut each, "7 12:00", RunEnd::Exit(0));
    }
    let expected: Vec<_> = ["4 09:00", "5 09:00", "6 09:00", "7 09:00"].map(|due| Some(at(due))).into();
    assert_eq!(dues, expected);
    assert_eq!(each.snapshot.occurrence.due_at(), Some(at("8 09:00")));
}

#[test]
fn one_that_comes_up_once_is_missed_too() {
    let mut skipped = command(once("4 09:00"), Overlap::Skip, 0);
    skipped.wake(at("4 14:30"));
    assert_eq!(stage(&skipped.snapshot, at("4 14:30"), BERLIN), "missed");
    assert_eq!((skipped.snapshot.next_wake(), skipped.runs.len()), (None, 0));
    for (missed, max_late, runs) in [(Missed::Once, None, 1), (Missed::Once, Some(60), 0), (Missed::All, Some(60), 0)] {
        let mut story = command(once("4 09:00"), Overlap::Skip, 0);
        story.snapshot.task.policy.missed = missed;
        story.snapshot.task.details.max_late = max_late.map(Span::from_minutes);
        story.wake(at("4 14:30"));
        assert_eq!(story.runs.len(), runs, "{missed:?} {max_late:?}");
    }
}

#[test]
fn one_that_fails_each_time_is_told_once_until_it_has_succeeded() {
    let mut story = command(daily(9), Overlap::Skip, 0);
    let ends = [1, 1, 0, 1].map(RunEnd::Exit);
    let mut told = Vec::new();
    for (day, how) in (4..).zip(ends) {
        story.run(&format!("{day} 09:00"));
        run(&mut story, &format!("{day} 09:01"), how);
        told.push(story.deliveries.len());
    }
    assert_eq!(told, [1, 1, 1, 2]);
}

#[test]
fn early_alerts_are_told_to_persons_and_the_due_time_to_nobody() {
    let mut story = Story::with(once("4 09:00"), &[-10, 0], |new| {
        new.details.command = Some(Box::new(program(Overlap::Skip)));
    });
    story.run("4 09:00");
    let slots: Vec<Slot> = story.deliveries.iter().map(|delivery| delivery.occasion.slot).collect();
    assert_eq!(slots, [Slot::Alert(Span::from_minutes(-10))]);
    assert_eq!(story.runs.len(), 1);
    let mut silent = Story::with(once("4 09:00"), &[-10], |new| {
        new.details.command = Some(Box::new(program(Overlap::Skip)));
    });
    silent.run("4 09:00");
    assert_eq!(silent.runs.len(), 1, "it runs at due though no alert is there");
}

#[test]
fn what_is_run_besides_changes_no_state_and_no_time() {
    let mut story = command(daily(9), Overlap::Skip, 0);
    let before = story.snapshot.clone();
    story.ask("4 08:30", &Command::Run).expect("it is run now");
    let refused = story.ask("4 08:30", &Command::Run).expect_err("it runs already");
    assert_snapshot!(refused, @"cannot run task 1: its command is running");
    run(&mut story, "4 08:31", RunEnd::Exit(9));
    assert_eq!(story.snapshot.occurrence, before.occurrence);
    assert!(story.deliveries.is_empty());
    let mut other = Story::new(daily(9), &[]);
    assert_snapshot!(other.ask("4 08:30", &Command::Run).expect_err("a reminder"), @"cannot run task 1: it has no command");
}

#[test]
fn a_running_command_is_not_snoozed() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 0);
    story.run("4 09:00");
    let snooze = Command::Snooze { until: at("4 10:00"), is_duration: false, early: false };
    assert_snapshot!(story.ask("4 09:01", &snooze).expect_err("it runs"), @"cannot snooze task 1: its command is running");
}

#[test]
fn what_ended_with_its_command_comes_back_and_runs_only_when_it_is_asked_to() {
    for command_given in [Command::Cancel, Command::Done { early: false }] {
        let mut story = command(once("4 09:00"), Overlap::Skip, 0);
        story.run("4 09:00");
        start(&mut story, "4 09:00");
        let before = story.snapshot.clone();
        let done = story.ask("4 09:01", &command_given).expect("never refused");
        let taken = Taken {
            before: Some(before),
            after: done.after.clone(),
            is_asked: true,
            has_ended: true,
            has_rung: false,
            has_resent: false,
            pause: None,
            parents: Vec::new(),
        };
        story.ask("4 09:02", &Command::Undo(Box::new(taken))).expect("it is taken back");
        assert_eq!(stage(&story.snapshot, at("4 09:02"), BERLIN), "missed");
        assert_eq!((story.snapshot.occurrence.generation, story.snapshot.next_wake()), (2, None));
        story.ask("4 09:03", &Command::Run).expect_err("the old one is not gone yet");
    }
}

#[test]
fn a_time_given_to_a_running_one_has_an_attempt_of_its_own() {
    let mut story = command(once("4 09:00"), Overlap::Skip, 0);
    story.run("4 09:00");
    let first = start(&mut story, "4 09:00");
    let edit = Edit { schedule: Some(once("4 10:00")), ..Edit::default() };
    story.ask("4 09:01", &Command::Edit(Box::new(edit))).expect("it is given another time");
    story.run("4 10:00");
    assert_eq!(story.runs.len(), 2);
    end(&mut story, "4 10:01", first, RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
    run(&mut story, "4 10:02", RunEnd::Exit(0));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}
