//! What becomes of a task when the clock is set: what moves with it, what is closed, and what comes back.

use insta::assert_snapshot;

use super::*;
use crate::domain::occurrence::Spent;
use crate::domain::schedule::{AfterDone, Every};
use crate::domain::task::{Deadline, DeadlineTime, Missed, Nag};

const DONE: Command = Command::Done { early: false };

/// Sets the clock from one time to another; `spent` is what the store knows to have ended.
fn set(story: &mut Story, from: &str, to: &str) -> Vec<Spent> {
    set_by(story, from, at(to))
}

fn set_by(story: &mut Story, from: &str, to: Timestamp) -> Vec<Spent> {
    let spent = spent(story);
    let command = Command::ClockSet { by: to.since(at(from)) };
    let known = Known { deliveries: &story.deliveries, spent: &spent, ..Known::from(&[]) };
    let followed = transition(&story.snapshot, known, &command, Expected::default(), &moment(to));
    let before = story.snapshot.clone();
    story.take(to, followed.expect("the clock is never refused"));
    assert_eq!(before.task.id, story.snapshot.task.id);
    spent
}

/// What the store would know: what has ended, and what a person passed over.
fn spent(story: &Story) -> Vec<Spent> {
    let is_over = |step: &Step| {
        let is_skipped = step.operation == Operation::Withdrawn && step.reason == crate::domain::event::SKIPPED;
        step.snapshot.occurrence.has_ended() || is_skipped
    };
    let over = story.steps.iter().filter(|(_, _, step)| is_over(step));
    over.filter_map(|(_, _, step)| step.snapshot.occurrence.instance())
        .map(|instance| Spent { key: instance.key, due: instance.due })
        .collect()
}

/// Wakes at each instant on the way to `until`, knowing what is spent as of now.
fn run_knowing(story: &mut Story, until: &str) {
    while let Some(next) = story.snapshot.next_wake().filter(|next| *next <= at(until)) {
        let spent = spent(story);
        let known = Known { deliveries: &story.deliveries, spent: &spent, ..Known::from(&[]) };
        let woken = transition(&story.snapshot, known, &Command::Wake, Expected::default(), &moment(next));
        story.take(next, woken.expect("a wake is never refused"));
    }
}

fn snooze(story: &mut Story, now: &str, until: &str, is_duration: bool) {
    story.ask(now, &Command::Snooze { until: at(until), is_duration, early: false }).expect("due");
}

/// Returns what was told since the clock was set for the last time.
fn told_since(story: &Story, steps: usize) -> String {
    Story { steps: story.steps[steps..].to_vec(), ..story.clone() }.told()
}

// --- what moves with the clock ---

#[test]
fn a_snooze_by_duration_moves_with_the_clock_and_one_until_a_time_does_not() {
    for (is_duration, to, expected) in [
        (true, "4 12:05", "4 12:15"),
        (true, "4 06:05", "4 06:15"),
        (false, "4 12:05", "4 09:15"),
        (false, "4 06:05", "4 09:15"),
    ] {
        let mut story = Story::new(once("4 09:00"), &[]);
        story.run("4 09:00");
        snooze(&mut story, "4 09:05", "4 09:15", is_duration);
        set(&mut story, "4 09:05", to);
        assert_eq!(story.snapshot.speaks_at(), Some(at(expected)), "by duration: {is_duration}, to {to}");
    }
}

#[test]
fn a_nag_counts_from_the_last_ring_whatever_the_clock_shows() {
    for (to, expected) in [("4 12:04", "4 12:10"), ("4 06:04", "4 06:10")] {
        let nag = Some(Nag { every: Span::from_minutes(10), max: 5 });
        let mut story = Story::with(once("4 09:00"), &[], |new| new.policy.nag = nag);
        story.run("4 09:00");
        set(&mut story, "4 09:04", to);
        assert_eq!(story.snapshot.speaks_at(), Some(at(expected)), "set to {to}");
        story.run(expected);
        assert_eq!(story.snapshot.occurrence.nags, 1);
    }
}

#[test]
fn a_countdown_and_a_one_shot_are_times_and_stay_and_a_pause_by_the_wrong_clock_moves() {
    for schedule in [countdown("4 09:00"), once("4 09:00")] {
        let mut story = Story::new(schedule, &[]);
        let steps = story.steps.len();
        for to in ["4 08:50", "4 06:00"] {
            set(&mut story, "4 08:10", to);
        }
        story.ask("4 06:00", &Command::Pause { until: Some(at("4 07:00")) }).expect("pending");
        assert_eq!(story.steps.len(), steps + 1, "the clock changed nothing");
        // It was asked for by the clock that was wrong.
        set(&mut story, "4 06:00", "4 05:00");
        assert_eq!(story.snapshot.next_wake(), Some(at("4 06:00")));
        // This one was not.
        set(&mut story, "4 05:30", "4 05:20");
        assert_eq!(story.snapshot.next_wake(), Some(at("4 06:00")));
    }
}

fn after_done(every: Every, at: Option<chrono::NaiveTime>) -> Schedule {
    let from = Nominal::Local(super::at("4 09:00").local(BERLIN));
    schedule(Rule::AfterDone(AfterDone { every, at, from, count: None, until: None }))
}

#[test]
fn what_counts_from_a_completion_moves_with_it() {
    let nine = chrono::NaiveTime::from_hms_opt(9, 0, 0);
    for (every, at_time, to, expected) in [
        (Every::Span(Span::from_minutes(60)), None, "6 10:30", "6 11:00"),
        (Every::Span(Span::from_minutes(60)), None, "2 10:30", "2 11:00"),
        (Every::Days(2), None, "8 10:30", "10 10:00"),
        (Every::Days(2), None, "1 10:30", "3 10:00"),
        (Every::Days(2), nine, "8 15:30", "10 09:00"),
        (Every::Days(2), nine, "4 12:30", "6 09:00"),
    ] {
        let mut story = Story::new(after_done(every, at_time), &[]);
        story.run("4 09:00");
        story.ask("4 10:00", &DONE).expect("due");
        set(&mut story, "4 10:30", to);
        assert_eq!(story.snapshot.occurrence.due_at(), Some(at(expected)), "{every:?} set to {to}");
    }
}

#[test]
fn what_counts_from_completions_and_rang_waits_for_the_person_after_a_step_back() {
    let mut story = Story::new(after_done(Every::Days(2), None), &[]);
    story.run("4 09:00");
    set(&mut story, "4 09:30", "3 09:30");
    assert!(matches!(story.snapshot.occurrence.state, State::Running(_)));
    story.ask("3 10:00", &DONE).expect("due");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 10:00")));
}

// --- a series after a step back ---

#[test]
fn one_that_fired_and_lies_ahead_is_closed_and_the_next_is_not_one_that_fired() {
    let mut story = Story::new(daily(9), &[]);
    story.run("6 09:00");
    story.deliver("6 09:00");
    let steps = story.steps.len();
    set(&mut story, "6 09:30", "5 08:00");
    assert_snapshot!(told_since(&story, steps), @"
    5 08:00 May 06     RUNNING   → RUNNING   moved
    5 08:00 May 06     RUNNING   → COMPLETED completed
    5 08:00 May 07     -         → CREATED   opened
    5 08:00 May 07     CREATED   → PENDING   armed
    ");
    run_knowing(&mut story, "8 12:00");
    assert_snapshot!(told_since(&story, steps + 3), @"
    5 08:00 May 07     CREATED   → PENDING   armed
    7 09:00 May 07     PENDING   → RUNNING   fired 0
    8 09:00 May 07     RUNNING   → FAILED    failed
    8 09:00 May 07     FAILED    → CANCELLED cancelled
    8 09:00 May 08     -         → CREATED   opened
    8 09:00 May 08     CREATED   → PENDING   armed
    8 09:00 May 08     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn one_that_reached_nobody_is_closed_as_such() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    let steps = story.steps.len();
    set(&mut story, "4 09:30", "4 08:00");
    assert_snapshot!(told_since(&story, steps), @"
    4 08:00 May 04     RUNNING   → RUNNING   moved
    4 08:00 May 04     RUNNING   → FAILED    failed
    4 08:00 May 04     FAILED    → CANCELLED cancelled
    4 08:00 May 05     -         → CREATED   opened
    4 08:00 May 05     CREATED   → PENDING   armed
    ");
}

#[test]
fn a_clock_that_is_corrected_by_seconds_takes_nothing_away() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    set_by(&mut story, "4 09:00", at("4 09:00").saturating_add(Span::from_secs(-10)));
    assert!(matches!(story.snapshot.occurrence.state, State::Running(_)));
    assert_eq!(story.snapshot.next_wake(), Some(at("5 09:00")));
}

#[test]
fn a_snooze_that_the_person_waits_for_outlives_a_step_back() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    snooze(&mut story, "4 09:05", "4 09:15", true);
    set(&mut story, "4 09:05", "4 08:05");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 08:15")));
    run_knowing(&mut story, "5 09:00");
    assert_eq!(story.snapshot.occurrence.key.to_string(), "2026-05-05");
}

#[test]
fn a_series_that_the_wrong_clock_led_far_ahead_comes_up_at_its_next_time_from_now() {
    let mut story = Story::new(daily(9), &[]);
    // Years away at once: the latest missed one rings late, done and all; the next is a day later there.
    let wrong = at("4 08:30").saturating_add(Span::from_minutes(730 * 24 * 60));
    story.ask_at(wrong, &Command::Wake).expect("due");
    story.ask_at(wrong, &DONE).expect("due");
    let far = story.snapshot.occurrence.due_at();
    assert!(far > Some(wrong));
    let steps = story.steps.len();
    let spent = spent(&story);
    let command = Command::ClockSet { by: at("4 08:31").since(wrong) };
    let known = Known { deliveries: &story.deliveries, spent: &spent, ..Known::from(&[]) };
    let followed = transition(&story.snapshot, known, &command, Expected::default(), &moment(at("4 08:31")));
    story.take(at("4 08:31"), followed.expect("the clock is never refused"));
    assert_snapshot!(told_since(&story, steps), @"
    4 08:31 2028-05-03 PENDING   → -         withdrawn
    4 08:31 May 04     -         → CREATED   opened
    4 08:31 May 04     CREATED   → PENDING   armed
    ");
}

#[test]
fn what_was_done_early_or_skipped_does_not_come_back() {
    for command in [Command::Done { early: true }, Command::Skip] {
        let mut story = Story::new(daily(9), &[]);
        story.ask("4 08:30", &command).expect("ahead");
        let steps = story.steps.len();
        set(&mut story, "4 08:40", "4 08:10");
        assert_eq!(story.steps.len(), steps, "{command:?} and a clock that was set back while it was ahead");
        set(&mut story, "4 12:00", "4 08:10");
        assert_eq!(story.steps.len(), steps, "{command:?} and a clock that had passed it");
        run_knowing(&mut story, "5 09:00");
        assert_eq!(story.snapshot.occurrence.key.to_string(), "2026-05-05");
    }
}

#[test]
fn times_that_a_wrong_clock_passed_over_come_up_and_those_that_fired_between_them_do_not() {
    let mut story = Story::new(interval(60, None), &[]);
    story.run("4 09:00");
    // From ten past nine to ten past eleven: eleven rings late, ten is passed over. Then back.
    story.wake(at("4 11:10"));
    story.deliver("4 11:10");
    let steps = story.steps.len();
    set(&mut story, "4 11:20", "4 09:20");
    run_knowing(&mut story, "4 12:00");
    assert_snapshot!(told_since(&story, steps), @"
    4 09:20 May 04T09:00:00Z RUNNING   → RUNNING   moved
    4 09:20 May 04T09:00:00Z RUNNING   → COMPLETED completed
    4 09:20 May 04T08:00:00Z -         → CREATED   opened
    4 09:20 May 04T08:00:00Z CREATED   → PENDING   armed
    4 10:00 May 04T08:00:00Z PENDING   → RUNNING   fired 0
    4 12:00 May 04T08:00:00Z RUNNING   → FAILED    failed
    4 12:00 May 04T08:00:00Z FAILED    → CANCELLED cancelled
    4 12:00 May 04T10:00:00Z -         → CREATED   opened
    4 12:00 May 04T10:00:00Z CREATED   → PENDING   armed
    4 12:00 May 04T10:00:00Z PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_paused_series_sleeps_on_before_its_next_time_from_now() {
    let mut story = Story::new(daily(9), &[]);
    story.ask("4 12:00", &Command::Wake).expect("due");
    story.ask("4 12:00", &DONE).expect("due");
    story.ask("4 12:01", &Command::Pause { until: None }).expect("pending");
    set(&mut story, "4 12:02", "2 12:02");
    assert!(matches!(story.snapshot.occurrence.state, State::Suspended(_)));
    assert_eq!(story.snapshot.occurrence.key.to_string(), "2026-05-03");
    story.ask("2 12:10", &Command::Resume { shift: false }).expect("paused");
    run_knowing(&mut story, "5 09:00");
    let fired = story.steps.iter().filter(|(_, _, step)| step.operation.firing().is_some());
    let days: Vec<String> = fired.map(|(now, _, _)| now.in_zone(BERLIN).format("%-d %H:%M").to_string()).collect();
    assert_eq!(days, ["4 12:00", "3 09:00", "5 09:00"], "the fourth was done");
}

#[test]
fn a_rule_that_was_given_to_a_wrong_clock_begins_where_it_would_have() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    story.ask("4 09:01", &DONE).expect("due");
    let steps = story.steps.len();
    let right = at("4 09:02").saturating_add(Span::from_minutes(-730 * 24 * 60));
    let spent = spent(&story);
    let known = Known { deliveries: &story.deliveries, spent: &spent, ..Known::from(&[]) };
    let command = Command::ClockSet { by: right.since(at("4 09:02")) };
    let followed = transition(&story.snapshot, known, &command, Expected::default(), &moment(right));
    story.take(right, followed.expect("the clock is never refused"));
    assert_eq!(story.snapshot.occurrence.key.to_string(), "2024-05-05");
    assert_snapshot!(told_since(&story, steps), @"
    4 09:02 May 05     PENDING   → PENDING   edited
    4 09:02 May 05     PENDING   → -         withdrawn
    4 09:02 2024-05-05 -         → CREATED   opened
    4 09:02 2024-05-05 CREATED   → PENDING   armed
    ");
}

// --- one-shots ---

#[test]
fn a_one_shot_that_rang_does_not_ring_again_when_its_time_comes_again() {
    let mut story = Story::new(once("4 09:00"), &[-30, 0, 60]);
    story.run("4 09:10");
    set(&mut story, "4 09:10", "4 08:00");
    let steps = story.steps.len();
    story.run("4 12:00");
    assert_snapshot!(told_since(&story, steps), @"4 10:00 once       RUNNING   → RUNNING   spoke +1h");
}

#[test]
fn a_one_shot_that_a_wrong_clock_missed_rings_at_its_time() {
    let mut story = Story::with(once("4 09:00"), &[-30, 0], |new| new.policy.missed = Missed::Skip);
    story.wake(at("7 09:00"));
    assert_eq!(story.snapshot.next_wake(), None, "missed, and not made up for");
    set(&mut story, "7 09:00", "4 08:10");
    let steps = story.steps.len();
    story.run("4 12:00");
    assert_snapshot!(told_since(&story, steps), @"4 09:00 once       PENDING   → RUNNING   fired 0");
}

#[test]
fn a_deadline_that_lies_ahead_again_has_not_passed() {
    let deadline = Deadline { time: DeadlineTime::At(Nominal::Instant(at("4 18:00"))), alerts: vec![Span::ZERO] };
    let mut story = Story::with(once("4 09:00"), &[], |new| new.deadline = Some(deadline));
    story.run("4 18:00");
    assert!(story.snapshot.occurrence.is_past_deadline);
    set(&mut story, "4 18:10", "4 10:00");
    assert!(!story.snapshot.occurrence.is_past_deadline);
    let firings = |story: &Story| story.steps.iter().filter(|(_, _, step)| step.operation.firing().is_some()).count();
    let before = firings(&story);
    story.run("4 20:00");
    assert!(story.snapshot.occurrence.is_past_deadline, "it passes again");
    assert_eq!(firings(&story), before, "and is not told again");
}
