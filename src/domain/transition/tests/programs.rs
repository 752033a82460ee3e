//! Tasks for programs: when they end, and what people's words do to what is on its way to a program.

use super::*;
use crate::domain::delivery::ChannelKind;

fn webhook(address: &str) -> Target {
    Target { kind: ChannelKind::Webhook, address: address.into() }
}

/// A task for these targets, of 4 May, 08:00.
fn story(schedule: Schedule, alerts: &[i64], targets: &[Target]) -> Story {
    let mut story = Story::new(schedule, alerts);
    story.snapshot.task.details.targets = targets.to_vec();
    story
}

fn failed(is_final: bool) -> Report {
    Report::Failed { error: "no".into(), is_final, retry_after: None }
}

/// Says what came of the latest firing to `target`.
fn report(story: &mut Story, now: &str, target: &Target, report: Report) {
    let latest = story.deliveries.iter().rev().find(|delivery| delivery.id.target == *target && !delivery.is_notice());
    let delivery = latest.expect("it was sent there").id.clone();
    let command = Command::Report { delivery, report, jitter: Jitter::NONE, is_probe: false };
    story.ask(now, &command).expect("a report is never refused");
}

fn stands(story: &Story) -> (StateName, Option<Outcome>) {
    let state = &story.snapshot.occurrence.state;
    let outcome = match state {
        State::Completed(ended) | State::Cancelled(ended) => Some(ended.outcome),
        State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => None,
    };
    (state.name(), outcome)
}

fn statuses(story: &Story) -> Vec<&'static str> {
    let word = |delivery: &Delivery| match delivery.status {
        DeliveryStatus::Queued => "queued",
        DeliveryStatus::Waiting => "waiting",
        DeliveryStatus::Held => "held",
        DeliveryStatus::Grouped => "grouped",
        DeliveryStatus::Quiet => "quiet",
        DeliveryStatus::Retrying(_) => "retrying",
        DeliveryStatus::Delivered(_) => "delivered",
        DeliveryStatus::Failed(_) => "failed",
        DeliveryStatus::Withdrawn(_) => "withdrawn",
    };
    let mut deliveries: Vec<&Delivery> = story.deliveries.iter().collect();
    deliveries.sort_by_key(|delivery| (delivery.created_at, delivery.id.target.clone()));
    deliveries.into_iter().map(word).collect()
}

const OPEN: (StateName, Option<Outcome>) = (StateName::Running, None);
const DONE: (StateName, Option<Outcome>) = (StateName::Completed, Some(Outcome::Done));
const EXHAUSTED: (StateName, Option<Outcome>) = (StateName::Cancelled, Some(Outcome::RetriesExhausted));

#[test]
fn a_task_for_programs_ends_when_each_has_answered() {
    let (a, b) = (webhook("a"), webhook("b"));
    let table = [
        (vec![(&a, Report::DELIVERED)], OPEN),
        (vec![(&a, Report::DELIVERED), (&b, Report::DELIVERED)], DONE),
        (vec![(&a, Report::DELIVERED), (&b, failed(true))], DONE),
        (vec![(&a, failed(true)), (&b, Report::DELIVERED)], DONE),
        (vec![(&a, failed(true)), (&b, failed(false))], OPEN),
        (vec![(&a, failed(true)), (&b, Report::Away { reason: "none".into() })], OPEN),
        (vec![(&a, failed(true)), (&b, failed(true))], EXHAUSTED),
        (vec![(&a, failed(true)), (&b, failed(false)), (&b, failed(false)), (&b, failed(false))], OPEN),
        ([vec![(&a, failed(true))], vec![(&b, failed(false)); 4]].concat(), EXHAUSTED),
    ];
    for (reports, expected) in table {
        let mut story = story(once("4 09:00"), &[], &[a.clone(), b.clone()]);
        story.run("4 09:00");
        for (target, answer) in reports.clone() {
            report(&mut story, "4 09:01", target, answer);
        }
        assert_eq!(stands(&story), expected, "{reports:?}");
    }
}

#[test]
fn a_failure_while_the_target_is_left_alone_spends_no_attempt() {
    let mut story = story(once("4 09:00"), &[], &[webhook("a")]);
    story.run("4 09:00");
    let delivery = story.deliveries[0].id.clone();
    for _ in 0..9 {
        let (delivery, jitter) = (delivery.clone(), Jitter::NONE);
        let probe = Command::Report { delivery, report: failed(false), jitter, is_probe: true };
        story.ask("4 09:01", &probe).expect("a report is never refused");
    }
    assert_eq!((stands(&story), story.deliveries[0].attempts), (OPEN, 0));
}

#[test]
fn a_reminder_that_a_program_takes_stays_due() {
    let mut story = story(once("4 09:00"), &[], &[Target::desktop(), webhook("a")]);
    story.run("4 09:00");
    story.deliver("4 09:00");
    assert_eq!(stands(&story), OPEN);
}

#[test]
fn a_reminder_is_tried_for_as_long_as_it_takes() {
    let mut story = story(once("4 09:00"), &[], &[Target::desktop(), webhook("a")]);
    story.run("4 09:00");
    for _ in 0..40 {
        report(&mut story, "4 09:01", &webhook("a"), failed(false));
        report(&mut story, "4 09:01", &Target::desktop(), failed(false));
    }
    assert_eq!(statuses(&story), ["retrying", "retrying"]);
}

#[test]
fn a_task_says_how_often_its_programs_are_tried() {
    for (retries, attempts) in [(Some(0), 1), (Some(6), 7), (None, 4)] {
        let mut story = story(once("4 09:00"), &[], &[webhook("a")]);
        story.snapshot.task.details.max_retries = retries;
        story.run("4 09:00");
        for _ in 1..attempts {
            report(&mut story, "4 09:01", &webhook("a"), failed(false));
            assert_eq!(stands(&story), OPEN);
        }
        report(&mut story, "4 09:01", &webhook("a"), failed(false));
        assert_eq!((stands(&story), story.deliveries[0].attempts), (EXHAUSTED, attempts));
    }
}

/// Returns a story of a reminder that is sent for an hour at most, and has rung.
fn with_max_late(targets: &[Target]) -> Story {
    let mut story = story(once("4 09:00"), &[], targets);
    story.snapshot.task.details.max_late = Some(Span::from_minutes(60));
    story.run("4 09:00");
    story
}

#[test]
fn the_last_attempt_is_made_at_the_end_of_its_time_and_none_behind_it() {
    let mut story = with_max_late(&[Target::desktop(), webhook("a")]);
    let busy = || Report::Failed { error: "no".into(), is_final: false, retry_after: Some(Span::from_minutes(600)) };
    report(&mut story, "4 09:30", &webhook("a"), busy());
    let of_a = |story: &Story| story.deliveries.iter().find(|one| one.id.target == webhook("a")).cloned().unwrap();
    assert_eq!(of_a(&story).status, DeliveryStatus::Retrying(at("4 10:00")));
    report(&mut story, "4 10:00", &webhook("a"), busy());
    assert_eq!(of_a(&story).status, DeliveryStatus::Failed(at("4 10:00")));
    assert_eq!(stands(&story), OPEN, "the person has not answered");
}

#[test]
fn what_is_too_late_is_given_up_with_an_event_and_ends_its_task_where_no_person_is_told() {
    for (targets, expected) in [(vec![webhook("a")], EXHAUSTED), (vec![Target::desktop(), webhook("a")], OPEN)] {
        let mut story = with_max_late(&targets);
        let delivery = story.deliveries.iter().find(|one| one.id.target == webhook("a")).unwrap().id.clone();
        story.ask("4 10:01", &Command::Expire { delivery: delivery.clone() }).expect("never refused");
        assert_eq!(stands(&story), expected);
        let (_, _, step) = story.steps.iter().find(|(_, _, step)| step.operation.name() == "expired").unwrap();
        assert_eq!(step.reason, "too late to be sent (--max-late)");
        let given_up = story.deliveries.iter().find(|one| one.id == delivery).unwrap();
        assert_eq!(given_up.last_error.as_deref(), Some("not sent: it would have been 1h1m late"));
        let steps = story.steps.len();
        story.ask("4 10:02", &Command::Expire { delivery }).expect("never refused");
        assert_eq!(story.steps.len(), steps, "once");
    }
}

#[test]
fn that_a_target_fails_is_told_however_late() {
    let mut story = with_max_late(&[webhook("a")]);
    let tell = Command::TellTargetFails { target: webhook("a"), failures: 11, error: "refused".into() };
    story.ask("4 09:01", &tell).expect("never refused");
    let notice = story.deliveries.iter().find(|delivery| delivery.is_notice()).unwrap();
    assert_eq!(notice.expires_at, None);
}

#[test]
fn a_retry_sends_what_failed_under_its_old_ids_and_nothing_else() {
    let mut story = with_max_late(&[Target::desktop(), webhook("a"), webhook("b"), webhook("c")]);
    story.ask("4 09:01", &Command::Retry).expect("due");
    let ids = |story: &Story| {
        let mut ids: Vec<_> = story.deliveries.iter().map(|delivery| delivery.id.clone()).collect();
        ids.sort();
        ids
    };
    let before = ids(&story);
    assert_eq!(story.steps.iter().filter(|(_, _, step)| step.operation.name() == "resent").count(), 0);
    report(&mut story, "4 09:01", &webhook("a"), failed(true));
    report(&mut story, "4 09:01", &webhook("b"), failed(false));
    report(&mut story, "4 09:01", &webhook("c"), Report::DELIVERED);
    report(&mut story, "4 09:01", &Target::desktop(), Report::Away { reason: "none".into() });
    let retried = story.ask("4 12:00", &Command::Retry).expect("due");
    assert_eq!((retried.effects.len(), ids(&story)), (2, before));
    assert_eq!(statuses(&story), ["waiting", "queued", "queued", "delivered"]);
    assert!(
        retried.deliveries.iter().all(|delivery| !delivery.is_expired(at("4 12:00"))),
        "a person's word is no late one"
    );
}

#[test]
fn early_alerts_end_nothing_and_later_ones_are_waited_for() {
    let mut story = story(once("4 09:00"), &[-30, 0, 15], &[webhook("a")]);
    story.run("4 08:30");
    story.deliver("4 08:30");
    assert_eq!(stands(&story).0, StateName::Pending);
    story.run("4 09:00");
    story.deliver("4 09:00");
    assert_eq!(stands(&story), OPEN, "a quarter of an hour later it speaks again");
    story.run("4 09:15");
    story.deliver("4 09:15");
    assert_eq!(stands(&story), DONE);
}

#[test]
fn a_series_for_programs_goes_on_with_its_next() {
    let mut story = story(daily(9), &[], &[webhook("a")]);
    story.run("4 09:00");
    report(&mut story, "4 09:00", &webhook("a"), failed(true));
    story.run("5 09:00");
    report(&mut story, "5 09:00", &webhook("a"), Report::DELIVERED);
    assert_snapshot!(story.told(), @r"
    4 08:00 May 04     -         → CREATED   added
    4 08:00 May 04     CREATED   → PENDING   armed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    4 09:00 May 04     RUNNING   → FAILED    failed
    4 09:00 May 04     FAILED    → CANCELLED cancelled
    4 09:00 May 05     -         → CREATED   opened
    4 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    5 09:00 May 05     RUNNING   → COMPLETED completed
    5 09:00 May 06     -         → CREATED   opened
    5 09:00 May 06     CREATED   → PENDING   armed
    ");
    assert_eq!(story.snapshot.task.previous, Some(Outcome::Done));
}

#[test]
fn a_successor_rings_in_time_and_what_is_on_its_way_to_a_program_goes_on() {
    let mut story = story(daily(9), &[], &[webhook("a")]);
    story.run("5 09:00");
    assert_eq!(story.snapshot.task.previous, Some(Outcome::RetriesExhausted));
    assert_eq!(statuses(&story), ["queued", "queued"]);
    let first = story.deliveries.iter().min_by_key(|delivery| delivery.created_at).expect("two").id.clone();
    let before = story.snapshot.clone();
    let command = Command::Report { delivery: first, report: Report::DELIVERED, jitter: Jitter::NONE, is_probe: false };
    story.ask("5 09:01", &command).expect("a late report is never refused");
    assert_eq!(story.snapshot, before, "it touches the delivery only");
    assert_eq!(statuses(&story), ["delivered", "queued"]);
}

#[test]
fn a_reminders_program_deliveries_outlive_its_successor_and_its_ack() {
    let targets = [Target::desktop(), webhook("a")];
    let mut story = story(daily(9), &[], &targets);
    story.run("4 09:00");
    story.ask("4 09:01", &Command::Ack { early: false, is_dismissal: false }).expect("due");
    assert_eq!(statuses(&story), ["withdrawn", "queued"]);
    story.run("5 09:00");
    assert_eq!(statuses(&story), ["withdrawn", "queued", "queued", "queued"]);
}

#[test]
fn whoever_closes_it_withdraws_what_programs_have_not_got() {
    let until = at("4 10:00");
    let words = [
        Command::Done { early: false },
        Command::Snooze { until, is_duration: false, early: false },
        Command::Pause { until: None },
        Command::Skip,
        Command::Cancel,
    ];
    for command in words {
        let mut story = story(daily(9), &[], &[Target::desktop(), webhook("a")]);
        story.run("4 09:00");
        story.ask("4 09:01", &command).expect("due");
        assert_eq!(statuses(&story), ["withdrawn", "withdrawn"], "{}", command.verb());
    }
}

#[test]
fn that_a_target_fails_is_told_by_another_channel_and_outlives_the_task() {
    let mut story = story(once("4 09:00"), &[], &[webhook("a")]);
    story.run("4 09:00");
    let tell = |target| Command::TellTargetFails { target, failures: 11, error: "refused".into() };
    story.ask("4 09:01", &tell(webhook("a"))).expect("never refused");
    story.ask("4 09:02", &Command::Cancel).expect("open");
    assert_eq!(statuses(&story), ["withdrawn", "queued"]);
    let notice = story.deliveries.iter().find(|delivery| delivery.is_notice()).expect("told");
    assert_eq!(notice.id.target, Target::desktop());
    assert_snapshot!(format!("{}\n{}", notice.message.title, notice.message.body), @"
    webhook:a fails (tea)
    11 failures in a row, the latest: refused
    what is for webhook:a is held, and one is tried now and then; `keiko channel resume webhook:a` sends at once
    ");
    story.ask("4 09:03", &tell(Target::desktop())).expect("never refused");
    let terminal = story.deliveries.iter().filter(|delivery| delivery.id.target == Target::terminal()).count();
    assert_eq!(terminal, 1, "the desktop does not tell of itself");
}

/// Fires at 09:00, has its clock set back, is snoozed until 08:30 and says it then, which is answered; what follows?
#[test]
fn a_repeat_before_due_decides_where_the_clock_was_set_back_behind_the_firing() {
    let taken = Some(Report::DELIVERED);
    // The schedule, the answer to the repeat before due and the one after it; where it stands at due and after the second.
    let table = [
        (once("4 09:00"), taken.clone(), None, DONE, DONE),
        (once("4 09:00"), Some(failed(true)), None, EXHAUSTED, EXHAUSTED),
        (once("4 09:00"), None, taken.clone(), OPEN, DONE),
        (once("4 09:00"), None, Some(failed(true)), OPEN, EXHAUSTED),
    ];
    for (schedule, before, after, at_due, at_last) in table {
        let mut story = story(schedule, &[], &[webhook("a")]);
        story.run("4 09:00");
        let until = at("4 08:30");
        story.ask("4 08:00", &Command::Snooze { until, is_duration: false, early: true }).expect("due");
        story.run("4 08:30");
        assert_eq!((stands(&story).0, statuses(&story)), (StateName::Pending, vec!["queued", "withdrawn"]));
        let case = format!("{before:?}, then {after:?}");
        if let Some(answer) = before {
            report(&mut story, "4 08:31", &webhook("a"), answer);
        }
        story.run("4 09:00");
        assert_eq!(stands(&story), at_due, "{case}");
        if let Some(answer) = after {
            report(&mut story, "4 09:01", &webhook("a"), answer);
        }
        assert_eq!(stands(&story), at_last, "{case}");
    }
}

#[test]
fn a_series_whose_clock_was_set_back_goes_on_once_a_repeat_before_due_was_taken() {
    let mut story = story(daily(9), &[], &[webhook("a")]);
    story.run("4 09:00");
    story.ask("4 08:00", &Command::Snooze { until: at("4 08:30"), is_duration: false, early: true }).expect("due");
    story.run("4 08:30");
    report(&mut story, "4 08:31", &webhook("a"), Report::DELIVERED);
    story.run("4 09:00");
    assert_eq!(story.snapshot.task.previous, Some(Outcome::Done));
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
}

#[test]
fn what_a_snooze_said_before_due_does_not_stand_for_what_is_said_at_due() {
    let mut story = story(once("4 09:00"), &[], &[webhook("a")]);
    story.ask("4 08:00", &Command::Snooze { until: at("4 08:30"), is_duration: false, early: true }).expect("ahead");
    story.run("4 08:30");
    report(&mut story, "4 08:31", &webhook("a"), Report::DELIVERED);
    story.run("4 09:00");
    assert_eq!(stands(&story), OPEN);
    let at_due = story.deliveries.iter().find(|one| one.created_at == at("4 09:00")).unwrap().id.clone();
    let command = Command::Report { delivery: at_due, report: failed(true), jitter: Jitter::NONE, is_probe: false };
    story.ask("4 09:01", &command).expect("a report is never refused");
    assert_eq!(stands(&story), EXHAUSTED);
}

#[test]
fn what_no_program_took_is_tried_anew_when_somebody_asks() {
    let a = webhook("a");
    let mut story = story(once("4 09:00"), &[], std::slice::from_ref(&a));
    story.run("4 09:00");
    report(&mut story, "4 09:01", &a, failed(true));
    assert_eq!(stands(&story), EXHAUSTED);
    let first = story.deliveries[0].id.fire_id;
    story.ask("6 12:00", &Command::Retry).expect("it ended for want of a taker");
    assert_eq!((stands(&story), story.snapshot.occurrence.generation), (OPEN, 2));
    let again = story.deliveries.last().expect("it was sent again");
    assert_eq!((again.status, again.id.fire_id == first), (DeliveryStatus::Queued, false));
    report(&mut story, "6 12:01", &a, Report::DELIVERED);
    assert_eq!(stands(&story), DONE);
    assert!(story.ask("6 12:02", &Command::Retry).is_err(), "it was taken");
}
