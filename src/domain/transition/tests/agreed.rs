//! Corners in which an oracle that was written from SPEC alone disagreed: pauses, zones, rules that change.

use super::*;
use crate::domain::schedule::{AfterDone, Cron, Every};

const NEW_YORK: Tz = Tz::America__New_York;
const DONE_EARLY: Command = Command::Done { early: true };
const PAUSE: Command = Command::Pause { until: None };
const RESUME: Command = Command::Resume { shift: false };

/// Returns the times and alerts of all that rang.
fn rang(story: &Story) -> Vec<String> {
    let firings = story.steps.iter().filter_map(|(now, _, step)| Some((now, step.operation.firing()?)));
    firings.map(|(now, firing)| format!("{} {}", now.in_zone(BERLIN).format("%-d %H:%M"), firing.slot)).collect()
}

fn edit(schedule: Schedule) -> Command {
    Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }))
}

/// The device is in another zone from then on.
fn travel(story: &mut Story, now: &str, zone: Tz) {
    for command in [Command::Rezone, Command::Wake] {
        let moment = Moment { zone, ..moment(at(now)) };
        let next = transition(&story.snapshot, &story.deliveries, &command, Expected::default(), &moment);
        story.take(moment.now, next.expect("the daemon's"));
    }
}

#[test]
fn an_early_alert_does_not_take_a_series_out_of_the_pause_into_which_its_due_fell() {
    let mut story = Story::new(daily(9), &[-30, 0]);
    story.run("4 08:30");
    story.ask("4 08:40", &PAUSE).expect("pending");
    let resumed = story.ask("4 11:00", &RESUME).expect("paused");
    assert_eq!(resumed.passed_over, 1);
    story.run("5 09:00");
    assert_eq!(rang(&story), ["4 08:30 -30m", "5 08:30 -30m", "5 09:00 0"], "{}", story.told());
}

#[test]
fn what_rang_before_its_pause_is_said_again_and_is_not_passed_over() {
    let mut story = Story::new(daily(9), &[-30, 0]);
    story.run("4 09:00");
    story.ask("4 09:10", &PAUSE).expect("due");
    let resumed = story.ask("4 11:00", &RESUME).expect("paused");
    assert_eq!(resumed.passed_over, 0);
    assert_eq!(rang(&story), ["4 08:30 -30m", "4 09:00 0", "4 11:00 0"], "{}", story.told());
}

#[test]
fn a_task_without_an_alert_at_due_comes_out_of_a_pause_in_silence() {
    let mut story = Story::with(once("4 09:00"), &[], |new| new.alerts = Some(Vec::new()));
    story.ask("4 08:10", &PAUSE).expect("pending");
    story.ask("4 10:00", &RESUME).expect("paused");
    story.run("4 11:00");
    assert_eq!(rang(&story), [""; 0]);
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn what_is_done_in_a_pause_is_followed_by_one_that_sleeps_on_with_it() {
    let mut story = Story::new(daily(9), &[]);
    story.ask("4 08:10", &Command::Pause { until: Some(at("7 12:00")) }).expect("pending");
    story.ask("4 18:00", &DONE_EARLY).expect("paused");
    let State::Suspended(asleep) = story.snapshot.occurrence.state else { panic!("{}", story.told()) };
    assert_eq!((asleep.until, asleep.remaining), (Some(at("7 12:00")), Some(Span::from_minutes(15 * 60))));
    story.run("8 09:00");
    assert_eq!(rang(&story), ["8 09:00 0"], "{}", story.told());
}

#[test]
fn what_wakes_by_itself_while_many_are_paused_goes_to_sleep_again() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.ask("4 08:10", &Command::Pause { until: Some(at("4 10:00")) }).expect("pending");
    let pause = StandingPause { id: Uuid::from_u128(5), until: None };
    let paused = Moment { standing: Some(pause), ..moment(at("4 10:00")) };
    let woken = transition(&story.snapshot, &[], &Command::Wake, Expected::default(), &paused).expect("the clock's");
    let State::Suspended(asleep) = woken.after.occurrence.state else { panic!("{:?}", woken.after) };
    assert_eq!((asleep.id, asleep.until), (pause.id, None));
}

#[test]
fn an_early_alert_does_not_nail_a_floating_time_to_the_zone_in_which_it_spoke() {
    let mut story = Story::new(once("4 15:00"), &[-60, 0]);
    story.run("4 14:00");
    travel(&mut story, "4 14:30", NEW_YORK);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 21:00")));
    story.run("4 21:00");
    assert_eq!(rang(&story), ["4 14:00 -1h", "4 21:00 0"], "{}", story.told());
    travel(&mut story, "4 21:10", BERLIN);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 21:00")), "what has become due stays");
}

#[test]
fn a_rule_of_every_hour_follows_the_minutes_of_another_zone() {
    let from = at("4 08:00").local(BERLIN);
    let cron = Cron { expression: "0 * * * *".into(), from, count: None, until: None };
    let mut story = Story::new(schedule(Rule::Cron(cron)), &[]);
    story.run("4 09:00");
    story.ask("4 09:10", &Command::Done { early: false }).expect("due");
    // Nepal's hours begin at a quarter past Berlin's.
    travel(&mut story, "4 09:20", Tz::Asia__Kathmandu);
    let moment = Moment { zone: Tz::Asia__Kathmandu, ..moment(at("4 10:15")) };
    let woken = transition(&story.snapshot, &[], &Command::Wake, Expected::default(), &moment).expect("the clock's");
    story.take(moment.now, woken);
    assert_eq!(rang(&story), ["4 09:00 0", "4 10:15 0"], "{}", story.told());
    assert_eq!(story.snapshot.occurrence.successor_at, Some(at("4 11:15")));
}

#[test]
fn a_rule_that_counts_from_completions_waits_for_the_open_one_though_it_was_changed() {
    let counted = |days, from| {
        let from = Nominal::Local(at(from).local(BERLIN));
        schedule(Rule::AfterDone(AfterDone { every: Every::Days(days), at: None, from, count: None, until: None }))
    };
    let mut story = Story::new(counted(3, "4 09:00"), &[]);
    story.run("4 09:00");
    story.ask("4 10:00", &edit(counted(1, "5 09:00"))).expect("due");
    assert_eq!(story.snapshot.occurrence.successor_at, None);
    story.run("9 12:00");
    story.ask("9 12:00", &Command::Done { early: false }).expect("due");
    story.run("10 12:00");
    assert_eq!(rang(&story), ["4 09:00 0", "10 12:00 0"], "{}", story.told());
}

#[test]
fn a_new_zone_takes_no_successor_from_a_counted_one_whose_rule_was_changed() {
    let from = Nominal::Local(at("4 09:00").local(BERLIN));
    let counted = AfterDone { every: Every::Days(3), at: None, from, count: None, until: None };
    let mut story = Story::new(schedule(Rule::AfterDone(counted)), &[]);
    story.run("4 09:00");
    story.ask("4 10:00", &edit(daily(12))).expect("due");
    assert_eq!(story.snapshot.occurrence.successor_at, Some(at("4 12:00")));
    travel(&mut story, "4 10:30", NEW_YORK);
    assert_eq!(story.snapshot.occurrence.successor_at, Some(at("4 18:00")));
}

#[test]
fn what_came_up_in_silence_is_kept_by_an_edit_of_its_rule() {
    let mut story = Story::with(daily(9), &[], |new| new.alerts = Some(Vec::new()));
    story.run("4 09:00");
    story.ask("4 09:30", &edit(daily(18))).expect("due");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 09:00")), "it is due, and not done");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn what_is_done_by_delivery_ends_though_only_its_deadline_told_of_it() {
    let deadline = crate::domain::task::Deadline {
        time: crate::domain::task::DeadlineTime::At(Nominal::Local(at("4 10:00").local(BERLIN))),
        alerts: vec![Span::ZERO],
    };
    let mut story = Story::with(once("4 09:00"), &[], |new| {
        new.deadline = Some(deadline);
        new.policy.auto_done = true;
    });
    // The machine slept over both. Its report comes before the next look.
    story.wake(at("4 11:00"));
    story.deliver("4 11:00");
    story.run("4 11:00");
    assert_eq!(rang(&story), ["4 11:00 deadline"]);
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn what_a_pause_kept_back_for_longer_than_it_may_be_late_is_not_lost_on_the_way() {
    let mut story = Story::with(once("4 09:00"), &[], |new| new.details.max_late = Some(Span::from_minutes(60)));
    story.ask("4 08:10", &PAUSE).expect("pending");
    story.ask("4 12:00", &RESUME).expect("paused");
    assert_eq!(rang(&story), ["4 12:00 0"]);
    assert!(story.deliveries.iter().all(|delivery| !delivery.is_expired(at("4 13:00"))), "{:?}", story.deliveries);
}
