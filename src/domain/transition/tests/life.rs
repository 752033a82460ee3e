//! What a task does beyond its schedule: nags, missed times, deadlines, completion by delivery, counting from
//! completions.

use insta::assert_snapshot;

use super::*;
use crate::domain::schedule::{AfterDone, Every};
use crate::domain::task::{Deadline, DeadlineTime, Missed, Nag};

fn with(schedule: Schedule, policy: Policy) -> Story {
    Story::with(schedule, &[], |new| new.policy = policy)
}

fn nag(minutes: i64, max: u32) -> Policy {
    Policy { nag: Some(Nag { every: Span::from_minutes(minutes), max }), ..Policy::default() }
}

fn skip() -> Policy {
    Policy { missed: Missed::Skip, ..Policy::default() }
}

fn by(text: &str, alerts: &[i64]) -> Deadline {
    let alerts = alerts.iter().map(|minutes| Span::from_minutes(*minutes)).collect();
    Deadline { time: DeadlineTime::At(Nominal::Local(at(text).local(BERLIN))), alerts }
}

const ACK: Command = Command::Ack { early: false, is_dismissal: false };
const DISMISS: Command = Command::Ack { early: false, is_dismissal: true };
const DONE: Command = Command::Done { early: false };

// FAULTS B1: marked late with both times, whatever it was that came late.
#[test]
fn what_comes_late_says_when_it_was_to_speak() {
    let said = |schedule: Schedule, alerts: &[i64], deadline: Option<Deadline>, snooze: Option<&str>, woken: &str| {
        let mut story = Story::with(schedule, alerts, |new| new.deadline = deadline);
        if let Some(until) = snooze {
            story.run("4 09:00");
            story.ask("4 09:00", &Command::Snooze { until: at(until), is_duration: false, early: false }).expect("due");
        }
        story.wake(at(woken));
        story.deliveries.last().expect("it spoke").message.body.clone()
    };
    let at_nine = || once("4 09:00");
    assert_eq!(said(at_nine(), &[], None, None, "4 09:00"), "due 09:00");
    assert_eq!(said(at_nine(), &[], None, None, "4 12:00"), "due 09:00, late 3h");
    assert_eq!(
        said(once("5 09:00"), &[-720, 0], None, None, "5 01:00"),
        "due 09:00, in 8h\nlate 4h, was to speak Mon 4 May 2026 21:00"
    );
    assert_eq!(said(at_nine(), &[0, 60], None, None, "4 12:00"), "due 09:00\nlate 2h, was to speak 10:00");
    assert_eq!(said(at_nine(), &[], None, Some("4 11:00"), "4 12:00"), "due 09:00\nlate 1h, was to speak 11:00");
    let deadline = || by("4 13:00", &[-90, 0]);
    let told = said(at_nine(), &[], Some(deadline()), Some("4 15:00"), "4 12:00");
    assert_eq!(told, "due 09:00\nlate 30m, was to speak 11:30\ndeadline 13:00, in 1h");
    let told = said(at_nine(), &[], Some(deadline()), None, "4 14:00");
    assert_eq!(told, "due 09:00\nlate 1h, was to speak 13:00\npast its deadline 13:00");
}

// --- nags ---

#[test]
fn a_nag_rings_again_until_its_number_is_full() {
    let mut story = with(once("4 09:00"), nag(10, 2));
    story.run("4 12:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:10 once       RUNNING   → RUNNING   spoke nag#1
    4 09:20 once       RUNNING   → RUNNING   spoke nag#2
    ");
}

#[test]
fn a_nag_ends_with_an_ack_and_not_with_a_dismissal() {
    let mut story = with(once("4 09:00"), nag(10, 20));
    story.run("4 09:00");
    story.ask("4 09:05", &DISMISS).expect("due");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 09:10")));
    story.run("4 09:10");
    story.ask("4 09:12", &DISMISS).expect("due");
    story.ask("4 09:13", &ACK).expect("an ack after a dismissal says more");
    assert_eq!(story.snapshot.speaks_at(), None);
    let events = story.steps.len();
    story.ask("4 09:14", &ACK).expect("due");
    assert_eq!(story.steps.len(), events, "said twice is said once");
}

#[test]
fn a_snooze_ends_a_nag_until_it_rings_again() {
    let mut story = with(once("4 09:00"), nag(10, 2));
    story.run("4 09:10");
    let snooze = Command::Snooze { until: at("4 10:00"), is_duration: false, early: false };
    story.ask("4 09:11", &snooze).expect("due");
    story.run("4 12:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:10 once       RUNNING   → RUNNING   spoke nag#1
    4 09:11 once       RUNNING   → SUSPENDED suspended
    4 09:11 once       SUSPENDED → PENDING   snoozed
    4 10:00 once       PENDING   → RUNNING   fired 0
    4 10:10 once       RUNNING   → RUNNING   spoke nag#2
    4 10:20 once       RUNNING   → RUNNING   spoke nag#3
    ");
}

#[test]
fn a_nag_that_a_sleep_swallowed_rings_once_and_goes_on_from_there() {
    let mut story = with(once("4 09:00"), nag(10, 20));
    story.run("4 09:00");
    story.ask("4 11:03", &Command::Wake).expect("a wake is never refused");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 11:13")));
}

#[test]
fn a_terminal_is_nagged_at_first_and_at_last() {
    let mut story = Story::with(once("4 09:00"), &[], |new| {
        new.policy = nag(10, 4);
        new.details.targets = vec![Target::desktop(), Target::terminal()];
    });
    story.run("4 12:00");
    let to = |kind| story.deliveries.iter().filter(|delivery| delivery.id.target == kind).count();
    assert_eq!((to(Target::desktop()), to(Target::terminal())), (5, 3));
}

#[test]
fn a_countdown_that_nags_does_not_end_when_it_is_seen() {
    let mut story = with(countdown("4 08:20"), nag(10, 20));
    story.run("4 08:20");
    story.ask("4 08:21", &DISMISS).expect("due");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
    story.ask("4 08:22", &ACK).expect("due");
    // Only one without repeat or nag does (SPEC 4, ack); this one is silent, and still to be done.
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
    assert_eq!(story.snapshot.next_wake(), None);
}

// --- missed times ---

#[test]
fn a_one_shot_that_is_not_made_up_for_waits_for_the_person() {
    let mut story = with(once("4 09:00"), skip());
    story.ask("4 10:00", &Command::Wake).expect("a wake is never refused");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 10:00 once       PENDING   → PENDING   missed
    ");
    assert_eq!(story.snapshot.next_wake(), None);
    assert_eq!(crate::domain::stage::stage(&story.snapshot, at("4 10:00"), chrono_tz::UTC), "missed");
    let edit = Command::Edit(Box::new(Edit { schedule: Some(once("4 11:00")), ..Edit::default() }));
    story.ask("4 10:05", &edit).expect("missed");
    story.run("4 11:00");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn a_series_that_is_not_made_up_for_goes_on_with_what_lies_ahead() {
    let mut story = with(daily(9), skip());
    story.ask("6 10:00", &Command::Wake).expect("a wake is never refused");
    assert_snapshot!(story.told(), @"
    4 08:00 May 04     -         → CREATED   added
    4 08:00 May 04     CREATED   → PENDING   armed
    6 10:00 May 04     PENDING   → PENDING   passed_over
    6 10:00 May 04     PENDING   → -         withdrawn
    6 10:00 May 07     -         → CREATED   opened
    6 10:00 May 07     CREATED   → PENDING   armed
    ");
}

#[test]
fn within_grace_nothing_is_missed() {
    let mut story = with(once("4 09:00"), skip());
    let now = at("4 09:00").saturating_add(GRACE_DEFAULT);
    story.ask_at(now, &Command::Wake).expect("a wake is never refused");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn how_late_it_may_be_decides_to_the_millisecond() {
    let late = |now: Timestamp| {
        let mut story = Story::with(daily(9), &[], |new| new.details.max_late = Some(Span::from_minutes(120)));
        story.ask_at(now, &Command::Wake).expect("a wake is never refused");
        story.snapshot.occurrence.state.name()
    };
    assert_eq!(late(at("6 11:00")), StateName::Running);
    assert_eq!(late(at("6 11:00").saturating_add(Span::from_millis(1))), StateName::Pending);
}

#[test]
fn a_missed_early_alert_leaves_the_one_at_due() {
    let mut story = Story::with(once("4 12:00"), &[-120, 0], |new| new.policy = skip());
    story.ask("4 11:00", &Command::Wake).expect("a wake is never refused");
    story.run("4 12:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 11:00 once       PENDING   → PENDING   missed
    4 12:00 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_snooze_that_was_missed_rings_all_the_same() {
    let mut story = with(once("4 09:00"), skip());
    story.run("4 09:00");
    let snooze = Command::Snooze { until: at("4 09:30"), is_duration: true, early: false };
    story.ask("4 09:10", &snooze).expect("due");
    story.ask("4 12:00", &Command::Wake).expect("a wake is never refused");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

// --- deadlines ---

#[test]
fn a_deadline_speaks_and_changes_no_state() {
    let mut story = Story::with(once("4 11:00"), &[], |new| new.deadline = Some(by("4 17:00", &[-60, 0])));
    story.run("4 18:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 11:00 once       PENDING   → RUNNING   fired 0
    4 16:00 once       RUNNING   → RUNNING   spoke deadline-1h
    4 17:00 once       RUNNING   → RUNNING   deadline_passed
    4 17:00 once       RUNNING   → RUNNING   spoke deadline
    ");
    assert_eq!(crate::domain::stage::stage(&story.snapshot, at("4 18:00"), chrono_tz::UTC), "past deadline");
}

#[test]
fn a_deadline_alone_arms_a_task() {
    let mut story = Story::with(Schedule::none(), &[], |new| new.deadline = Some(by("4 17:00", &[0])));
    story.run("4 18:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 17:00 once       PENDING   → PENDING   deadline_passed
    4 17:00 once       PENDING   → PENDING   spoke deadline
    ");
    story.ask("4 18:05", &DONE).expect("open");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn what_is_done_in_time_has_no_deadline_any_more() {
    let mut story = Story::with(once("4 11:00"), &[], |new| new.deadline = Some(by("4 17:00", &[0])));
    story.run("4 11:00");
    story.ask("4 16:00", &DONE).expect("due");
    assert_eq!(story.snapshot.next_wake(), None);
}

#[test]
fn a_deadline_passes_in_a_pause_and_is_told_at_its_end() {
    let mut story = Story::with(once("4 11:00"), &[], |new| new.deadline = Some(by("4 17:00", &[0])));
    story.ask("4 10:00", &Command::Pause { until: None }).expect("pending");
    story.run("4 18:00");
    story.ask("4 18:30", &Command::Resume { shift: false }).expect("paused");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 10:00 once       PENDING   → SUSPENDED suspended
    4 17:00 once       SUSPENDED → SUSPENDED deadline_passed
    4 18:30 once       SUSPENDED → PENDING   resumed
    4 18:30 once       PENDING   → RUNNING   fired 0 late
    ");
}

#[test]
fn each_occurrence_of_a_series_has_a_deadline_of_its_own() {
    let after_due = DeadlineTime::AfterDue(Span::from_minutes(180));
    let deadline = Deadline { time: after_due, alerts: vec![Span::ZERO] };
    let mut story = Story::with(daily(9), &[], |new| new.deadline = Some(deadline.clone()));
    story.run("5 09:00");
    let deadline = story.snapshot.occurrence.deadline.expect("a deadline");
    assert_eq!(deadline.at, at("5 12:00"));
    let told = story.steps.iter().filter(|(_, _, step)| step.operation == Operation::DeadlinePassed).count();
    assert_eq!(told, 1, "that of the 4th");
}

#[test]
fn a_deadline_before_due_or_in_the_past_is_refused() {
    let refused = |schedule: Schedule, text: &str| {
        let new = Story::new_task(schedule, &[], |new| new.deadline = Some(by(text, &[0])));
        create(new, &moment(at("4 08:00"))).expect_err("no such deadline").to_string()
    };
    assert_snapshot!(refused(once("4 11:00"), "4 10:00"), @"cannot add the task: the deadline 2026-05-04T08:00:00Z lies before the due time 2026-05-04T09:00:00Z");
    assert_snapshot!(refused(Schedule::none(), "4 07:00"), @"cannot add the task: the deadline 2026-05-04T05:00:00Z has passed");
}

#[test]
fn a_later_deadline_is_told_anew() {
    let mut story = Story::with(once("4 11:00"), &[], |new| new.deadline = Some(by("4 17:00", &[0])));
    story.run("4 17:00");
    let edit = Command::Edit(Box::new(Edit { deadline: Some(Some(by("4 19:00", &[0]))), ..Edit::default() }));
    story.ask("4 17:30", &edit).expect("due");
    assert_eq!(crate::domain::stage::stage(&story.snapshot, at("4 17:30"), chrono_tz::UTC), "due");
    story.run("4 20:00");
    let told = story.steps.iter().filter(|(_, _, step)| step.operation == Operation::DeadlinePassed).count();
    assert_eq!(told, 2);
}

#[test]
fn a_floating_deadline_follows_the_device_without_a_due_time_too() {
    for schedule in [Schedule::none(), countdown("4 10:00")] {
        let mut story = Story::with(schedule, &[], |new| new.deadline = Some(by("4 17:00", &[0])));
        let travelled = Moment { zone: Tz::America__New_York, ..moment(at("4 09:00")) };
        let next = transition(&story.snapshot, &[], &Command::Rezone, Expected::default(), &travelled).expect("open");
        story.take(travelled.now, next);
        assert_eq!(story.snapshot.occurrence.deadline.expect("a deadline").at, at("4 23:00"));
    }
}

// --- done by delivery ---

#[test]
fn what_is_done_by_delivery_ends_when_a_person_has_it() {
    let policy = Policy { auto_done: true, ..Policy::default() };
    let mut story = with(daily(9), policy);
    story.run("4 09:00");
    let id = story.deliveries[0].id.clone();
    let report = Command::Report { delivery: id, report: Report::DELIVERED, jitter: Jitter::NONE, is_probe: false };
    story.ask("4 09:01", &report).expect("a report is never refused");
    assert_eq!(story.snapshot.task.previous, Some(Outcome::Done));
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
}

// --- counted from completions ---

fn filter() -> Schedule {
    let from = Nominal::Local(at("4 09:00").local(BERLIN));
    schedule(Rule::AfterDone(AfterDone { every: Every::Days(3), at: None, from, count: None, until: None }))
}

#[test]
fn what_counts_from_completions_waits_for_each() {
    let mut story = Story::new(filter(), &[]);
    story.run("9 00:00");
    story.ask("9 10:30", &DONE).expect("due");
    story.run("30 00:00");
    assert_snapshot!(story.told(), @"
    4 08:00 #1         -         → CREATED   added
    4 08:00 #1         CREATED   → PENDING   armed
    4 09:00 #1         PENDING   → RUNNING   fired 0
    9 10:30 #1         RUNNING   → COMPLETED completed
    9 10:30 #2         -         → CREATED   opened
    9 10:30 #2         CREATED   → PENDING   armed
    12 10:30 #2         PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_skip_counts_like_a_completion() {
    let mut story = Story::new(filter(), &[]);
    story.run("4 09:00");
    story.ask("4 12:00", &Command::Skip).expect("due");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("7 12:00")));
    assert_eq!(story.snapshot.occurrence.key.to_string(), "#2");
}

// --- many tasks paused ---

#[test]
fn what_is_armed_while_many_are_paused_goes_to_sleep_too() {
    let pause = StandingPause { id: Uuid::from_u128(5), until: None };
    let paused = Moment { standing: Some(pause), ..moment(at("4 08:00")) };
    let new = Story::new_task(countdown("4 08:20"), &[], |_| {});
    let born = create(new, &paused).expect("the test's own task");
    let State::Suspended(suspended) = born.after.occurrence.state else { panic!("{:?}", born.after) };
    assert_eq!((suspended.id, suspended.remaining), (pause.id, Some(Span::from_minutes(20))));
}

// --- what came late ---

fn standings(story: &Story) -> Vec<(String, &'static str, &'static str)> {
    let standing = |delivery: &Delivery| {
        (delivery.id.target.to_string(), delivery.status.name().as_str(), delivery.occasion.reason.as_str())
    };
    story.deliveries.iter().map(standing).collect()
}

#[test]
fn what_comes_late_to_a_person_waits_until_all_that_is_late_is_known() {
    let webhook = Target::parse("webhook:a").expect("a target");
    let targets = vec![Target::desktop(), webhook];
    for (now, of_person) in [("4 09:00", "queued"), ("4 09:01", "grouped")] {
        let mut story = Story::with(once("4 09:00"), &[], |new| new.details.targets.clone_from(&targets));
        let transition = story.ask(now, &Command::Wake).expect("due");
        let expected = [("desktop".to_owned(), of_person, "alert"), ("webhook:a".to_owned(), "queued", "alert")];
        assert_eq!(standings(&story), expected);
        let handed_out = transition.effects.iter().filter(|effect| matches!(effect, Effect::Deliver(_))).count();
        assert_eq!(handed_out, if of_person == "queued" { 2 } else { 1 });
    }
}

#[test]
fn what_is_told_in_a_digest_is_dropped_like_all_that_is_unsent() {
    let mut story = with(once("4 09:00"), Policy::default());
    story.ask("4 10:00", &Command::Wake).expect("due");
    story.ask("4 10:01", &DONE).expect("due");
    assert_eq!(standings(&story), [("desktop".to_owned(), "withdrawn", "alert")]);
}

#[test]
fn what_a_digest_told_is_delivered_and_finishes_what_is_done_with_that() {
    let mut story = with(once("4 09:00"), Policy { auto_done: true, ..Policy::default() });
    story.ask("4 10:00", &Command::Wake).expect("due");
    let id = story.deliveries[0].id.clone();
    let report = |report| Command::Report { delivery: id.clone(), report, jitter: Jitter::NONE, is_probe: false };
    story.ask("4 10:00", &report(Report::Away { reason: "no server".into() })).expect("taken");
    assert_eq!(
        standings(&story),
        [("desktop".to_owned(), "grouped", "alert"), ("terminal".to_owned(), "grouped", "alert")]
    );
    story.ask("4 10:01", &report(Report::DELIVERED)).expect("taken");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn a_skip_is_told_once_and_what_rings_says_itself_how_much_was_missed() {
    let mut skipped = with(daily(9), skip());
    skipped.ask("7 10:00", &Command::Wake).expect("due");
    assert_eq!(standings(&skipped), [("desktop".to_owned(), "grouped", "skipped")]);
    assert_eq!(
        skipped.deliveries[0].message.body,
        "4 skipped, Mon 4 May 2026 09:00 to today 09:00: missed, and it is not made up for"
    );
    let mut made_up_for = with(interval(1, None), Policy::default());
    made_up_for.ask("7 08:00", &Command::Wake).expect("due");
    assert_eq!(standings(&made_up_for), [("desktop".to_owned(), "queued", "alert")]);
    assert_eq!(made_up_for.deliveries[0].message.body, "due 08:00\n4,319 before it missed");
}

#[test]
fn what_fell_into_a_pause_is_told_by_the_answer_to_its_resume_alone() {
    let mut story = with(daily(9), Policy::default());
    story.ask("4 08:30", &Command::Pause { until: Some(at("7 08:00")) }).expect("armed");
    story.ask("7 08:00", &Command::Wake).expect("due");
    assert_eq!(standings(&story), []);
}

#[test]
fn a_skip_of_a_task_for_programs_is_told_to_the_person() {
    let mut story = Story::with(daily(9), &[], |new| {
        new.policy = skip();
        new.details.targets = vec![Target::parse("webhook:a").expect("a target")];
    });
    story.ask("7 10:00", &Command::Wake).expect("due");
    assert_eq!(standings(&story), [("desktop".to_owned(), "grouped", "skipped")]);
}
