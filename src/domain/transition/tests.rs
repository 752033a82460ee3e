//! One cell per state and command, the rules of SPEC 4 as short stories, and the properties that hold for all of them.

use chrono_tz::Tz;
use insta::assert_snapshot;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::domain::command::{Edit, GRACE_DEFAULT, NewTask, StandingPause, WAITED_MAX};
use crate::domain::delivery::{DeliveryStatus, Report, Target};
use crate::domain::effect::Standing;
use crate::domain::event::apply;
use crate::domain::occurrence::{Nominal, Occurrence, Outcome, Slot};
use crate::domain::retry::Jitter;
use crate::domain::routing::Routing;
use crate::domain::run::Run;
use crate::domain::schedule::{Calendar, Interval, Rule, Schedule};
use crate::domain::state::Failed;
use crate::domain::task::{Details, Number, Policy, TaskId};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::waiting::SetWaits;

mod agreed;
mod awaited;
mod commands;
mod life;
mod programs;
mod routing;
mod scope;
mod steps;
mod undo;
mod waits;

const BERLIN: Tz = Tz::Europe__Berlin;

/// Returns an instant of Berlin's clock on a day of May 2026: `at("4 09:30")`.
fn at(text: &str) -> Timestamp {
    let local = chrono::NaiveDateTime::parse_from_str(&format!("2026-05-{text}:00"), "%Y-%m-%d %H:%M:%S");
    resolve(local.expect("a time of the test's own"), BERLIN).expect("in range").0
}

fn moment(now: Timestamp) -> Moment<'static> {
    // Each moment is a request of its own.
    let op_id = Uuid::from_u64_pair(7, now.as_millis().unsigned_abs());
    Moment {
        now,
        zone: BERLIN,
        device: Uuid::from_u128(77),
        op_id,
        grace: GRACE_DEFAULT,
        is_desktop_away: false,
        standing: None,
        quiet_until: None,
        routing: Routing::none(),
        is_away: false,
    }
}

fn schedule(rule: Rule) -> Schedule {
    Schedule { text: String::new(), rule, zone: None }
}

fn once(text: &str) -> Schedule {
    schedule(Rule::Once(at(text).local(BERLIN)))
}

fn daily(hour: u32) -> Schedule {
    let rrule = format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE=0;BYSECOND=0");
    let from = at("4 08:00").local(BERLIN);
    schedule(Rule::Calendar(Calendar { rrule, from, count: None, until: None }))
}

fn interval(minutes: i64, count: Option<u32>) -> Schedule {
    let from = at("4 08:00").saturating_add(Span::from_minutes(minutes));
    schedule(Rule::Interval(Interval { every: Span::from_minutes(minutes), from, count, until: None }))
}

fn countdown(text: &str) -> Schedule {
    schedule(Rule::Countdown(at(text)))
}

/// A task with everything that the rules would be given, and every event so far.
#[derive(Clone, Debug)]
struct Story {
    snapshot: Snapshot,
    deliveries: Vec<Delivery>,
    runs: Vec<Run>,
    /// Every occurrence there was, as it was last.
    occurrences: Vec<Occurrence>,
    steps: Vec<(Timestamp, u64, Step)>,
    /// Until when persons are left alone.
    quiet_until: Option<Timestamp>,
}

impl Story {
    /// Begins on 4 May, 08:00.
    fn new(schedule: Schedule, alerts: &[i64]) -> Self {
        Self::with(schedule, alerts, |_| {})
    }

    fn new_task(schedule: Schedule, alerts: &[i64], change: impl FnOnce(&mut NewTask)) -> NewTask {
        let mut new = NewTask {
            id: TaskId(Uuid::from_u128(1)),
            number: Number(1),
            details: Details { title: "tea".into(), ..Details::default() },
            schedule,
            alerts: (!alerts.is_empty()).then(|| alerts.iter().map(|minutes| Span::from_minutes(*minutes)).collect()),
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
        };
        change(&mut new);
        new
    }

    fn with(schedule: Schedule, alerts: &[i64], change: impl FnOnce(&mut NewTask)) -> Self {
        let new = Self::new_task(schedule, alerts, change);
        let now = at("4 08:00");
        let born = create(new, &moment(now)).expect("the test's own task");
        let snapshot = born.after.clone();
        let (deliveries, runs, occurrences, steps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut story = Self { snapshot, deliveries, runs, occurrences, steps, quiet_until: None };
        story.take(now, born);
        story
    }

    fn take(&mut self, now: Timestamp, transition: Transition) {
        for step in transition.steps {
            let occurrence = step.snapshot.occurrence.clone();
            self.occurrences.retain(|known| known.name() != occurrence.name());
            self.occurrences.push(occurrence);
            self.steps.push((now, step.snapshot.task.version, step));
        }
        for delivery in transition.deliveries {
            self.deliveries.retain(|known| known.id != delivery.id);
            self.deliveries.push(delivery);
        }
        for run in transition.runs {
            match self.runs.iter_mut().find(|known| known.id == run.id) {
                Some(known) => known.clone_from(&run),
                None => self.runs.push(run),
            }
        }
        self.snapshot = transition.after;
    }

    fn ask(&mut self, now: &str, command: &Command) -> Result<Transition, Rejection> {
        self.ask_at(at(now), command)
    }

    fn ask_at(&mut self, now: Timestamp, command: &Command) -> Result<Transition, Rejection> {
        let moment = Moment { quiet_until: self.quiet_until, ..moment(now) };
        let of_run = match command {
            Command::RunReport { run, .. } => self.runs.iter().find(|known| known.id == *run).map(|run| run.occurrence),
            _ => None,
        };
        let earlier = of_run.filter(|name| *name != self.snapshot.occurrence.name());
        let earlier = earlier.and_then(|name| self.occurrences.iter().find(|known| known.name() == name));
        let known = Known { runs: &self.runs, earlier, ..Known::from(&self.deliveries) };
        let result = transition(&self.snapshot, known, command, Expected::default(), &moment);
        if let Ok(transition) = &result {
            self.take(now, transition.clone());
        }
        result
    }

    /// Wakes at each instant on the way to `until`, as the queue would.
    fn run(&mut self, until: &str) {
        while let Some(next) = self.snapshot.next_wake().filter(|next| *next <= at(until)) {
            self.wake(next);
        }
    }

    fn wake(&mut self, now: Timestamp) {
        let woken = self.ask_at(now, &Command::Wake).expect("a wake is never refused");
        assert!(woken.has_changed(), "woken at {now} for nothing: {:?}", self.snapshot);
    }

    /// Says that everything that is on its way has arrived.
    fn deliver(&mut self, now: &str) {
        let ids: Vec<_> = self.deliveries.iter().map(|delivery| delivery.id.clone()).collect();
        for delivery in ids {
            let command =
                Command::Report { delivery, report: Report::DELIVERED, jitter: Jitter::NONE, is_probe: false };
            self.ask(now, &command).expect("a report is never refused");
        }
    }

    /// Tells the events as a table: time, state before and after, what happened.
    fn told(&self) -> String {
        let mut lines = Vec::new();
        for (now, _, step) in &self.steps {
            let word = |state: Option<StateName>| state.map_or("-", StateName::as_str);
            let firing = step.operation.firing();
            let detail = match firing {
                Some(firing) => format!(" {}{}", firing.slot, if firing.late { " late" } else { "" }),
                None => String::new(),
            };
            lines.push(format!(
                "{} {:<10} {:<9} → {:<9} {}{detail}",
                now.in_zone(BERLIN).format("%-d %H:%M"),
                step.snapshot.occurrence.key.to_string().replace("2026-05-", "May "),
                word(step.from),
                word(step.to),
                step.operation.name(),
            ));
        }
        lines.join("\n")
    }
}

/// Returns a task in each state, with the words that the table uses.
fn in_each_state() -> Vec<(&'static str, Story)> {
    let created = Story::new(Schedule::none(), &[]);
    let pending = Story::new(once("4 09:00"), &[]);
    let mut running = pending.clone();
    running.run("4 09:00");
    let mut suspended = pending.clone();
    suspended.ask("4 08:30", &Command::Pause { until: None }).expect("a pending task pauses");
    let mut failed = running.clone();
    failed.snapshot.occurrence.state = State::Failed(Failed { at: at("4 09:00") });
    let mut completed = running.clone();
    completed.ask("4 09:00", &Command::Done { early: false }).expect("a due task is done");
    let mut cancelled = running.clone();
    cancelled.ask("4 09:00", &Command::Cancel).expect("a due task is cancelled");
    vec![
        ("CREATED", created),
        ("PENDING", pending),
        ("RUNNING", running),
        ("SUSPENDED", suspended),
        ("FAILED", failed),
        ("COMPLETED", completed),
        ("CANCELLED", cancelled),
    ]
}

fn every_command(story: &Story) -> Vec<Command> {
    let delivery = story.deliveries.first().map_or_else(
        || crate::domain::delivery::DeliveryId {
            fire_id: crate::domain::occurrence::FireId(Uuid::nil()),
            target: Target::desktop(),
        },
        |delivery| delivery.id.clone(),
    );
    vec![
        Command::Wake,
        Command::Rezone,
        Command::ClockSet { by: Span::from_minutes(-30) },
        Command::Edit(Box::new(Edit { title: Some("coffee".into()), ..Edit::default() })),
        Command::Edit(Box::new(Edit { schedule: Some(once("4 11:00")), ..Edit::default() })),
        Command::EditThis(Box::new(Edit { schedule: Some(once("4 11:00")), ..Edit::default() })),
        Command::Done { early: false },
        Command::Ack { early: false, is_dismissal: false },
        Command::Snooze { until: at("4 10:30"), is_duration: false, early: false },
        Command::Pause { until: None },
        Command::PauseThis { until: None },
        Command::Resume { shift: false },
        Command::Skip,
        Command::Cancel,
        Command::Unblock,
        Command::Delete,
        Command::CancelThis,
        Command::Retry,
        Command::Expire { delivery: delivery.clone() },
        Command::Hold { until: Some(at("4 12:00")) },
        Command::Report {
            delivery: delivery.clone(),
            report: Report::DELIVERED,
            jitter: Jitter::NONE,
            is_probe: false,
        },
        Command::Resend { delivery },
    ]
}

#[test]
#[expect(clippy::too_many_lines, reason = "one line a cell")]
fn every_state_meets_every_command() {
    let mut table = Vec::new();
    for (state, story) in in_each_state() {
        for command in every_command(&story) {
            let cell = match story.clone().ask("4 10:00", &command) {
                Err(rejection) => format!("refused: {rejection}"),
                Ok(transition) if transition.steps.is_empty() && transition.deliveries.is_empty() => "nothing".into(),
                Ok(transition) if transition.steps.is_empty() => "the delivery only".into(),
                Ok(transition) => {
                    let names: Vec<_> = transition.steps.iter().map(|step| step.operation.name()).collect();
                    format!("{} ({})", transition.after.occurrence.state.name(), names.join(", "))
                }
            };
            let verb = match &command {
                Command::Edit(edit) if edit.schedule.is_some() => "edit at",
                Command::EditThis(_) => "edit 1",
                Command::PauseThis { .. } => "pause 1",
                Command::CancelThis => "cancel 1",
                other => other.verb(),
            };
            table.push(format!("{state:<9} {verb:<8} {cell}"));
        }
    }
    assert_snapshot!(table.join("\n"), @"
    CREATED   wake     nothing
    CREATED   rezone   nothing
    CREATED   follow the clock of nothing
    CREATED   edit     CREATED (edited)
    CREATED   edit at  PENDING (edited, moved, armed)
    CREATED   edit 1   PENDING (edited, moved, armed)
    CREATED   complete COMPLETED (armed, started, completed)
    CREATED   ack      refused: cannot ack task 1: it is without a time
    CREATED   snooze   refused: cannot snooze task 1: it is without a time
    CREATED   pause    refused: cannot pause task 1: it is without a time
    CREATED   pause 1  refused: cannot pause task 1: it is without a time
    CREATED   resume   refused: cannot resume task 1: it is without a time
    CREATED   skip     refused: cannot skip task 1: it is without a time
    CREATED   cancel   CANCELLED (cancelled)
    CREATED   unblock  nothing
    CREATED   delete   CREATED (deleted)
    CREATED   cancel 1 CANCELLED (cancelled)
    CREATED   retry    refused: cannot retry task 1: it is without a time
    CREATED   expire   nothing
    CREATED   hold     nothing
    CREATED   report   nothing
    CREATED   resend   nothing
    PENDING   wake     RUNNING (fired)
    PENDING   rezone   nothing
    PENDING   follow the clock of nothing
    PENDING   edit     RUNNING (edited, fired)
    PENDING   edit at  PENDING (edited, moved)
    PENDING   edit 1   PENDING (edited, moved)
    PENDING   complete COMPLETED (started, completed)
    PENDING   ack      refused: cannot ack task 1: it is scheduled
    PENDING   snooze   PENDING (suspended, snoozed)
    PENDING   pause    SUSPENDED (suspended)
    PENDING   pause 1  SUSPENDED (suspended)
    PENDING   resume   refused: cannot resume task 1: it is scheduled
    PENDING   skip     refused: cannot skip task 1: it does not repeat
    PENDING   cancel   CANCELLED (cancelled)
    PENDING   unblock  nothing
    PENDING   delete   PENDING (deleted)
    PENDING   cancel 1 CANCELLED (cancelled)
    PENDING   retry    refused: cannot retry task 1: it is scheduled
    PENDING   expire   nothing
    PENDING   hold     nothing
    PENDING   report   nothing
    PENDING   resend   nothing
    RUNNING   wake     nothing
    RUNNING   rezone   nothing
    RUNNING   follow the clock of nothing
    RUNNING   edit     RUNNING (edited)
    RUNNING   edit at  PENDING (edited, suspended, moved, resumed)
    RUNNING   edit 1   PENDING (edited, suspended, moved, resumed)
    RUNNING   complete COMPLETED (completed)
    RUNNING   ack      RUNNING (acked)
    RUNNING   snooze   PENDING (suspended, snoozed)
    RUNNING   pause    SUSPENDED (suspended)
    RUNNING   pause 1  SUSPENDED (suspended)
    RUNNING   resume   refused: cannot resume task 1: it is due
    RUNNING   skip     refused: cannot skip task 1: it does not repeat
    RUNNING   cancel   CANCELLED (suspended, cancelled)
    RUNNING   unblock  nothing
    RUNNING   delete   RUNNING (deleted)
    RUNNING   cancel 1 CANCELLED (suspended, cancelled)
    RUNNING   retry    nothing
    RUNNING   expire   RUNNING (expired)
    RUNNING   hold     RUNNING (held)
    RUNNING   report   the delivery only
    RUNNING   resend   RUNNING (resent)
    SUSPENDED wake     nothing
    SUSPENDED rezone   nothing
    SUSPENDED follow the clock of nothing
    SUSPENDED edit     SUSPENDED (edited)
    SUSPENDED edit at  SUSPENDED (edited, moved)
    SUSPENDED edit 1   SUSPENDED (edited, moved)
    SUSPENDED complete COMPLETED (resumed, started, completed)
    SUSPENDED ack      refused: cannot ack task 1: it is paused
    SUSPENDED snooze   refused: cannot snooze task 1: it is paused
    SUSPENDED pause    refused: cannot pause task 1: it is paused
    SUSPENDED pause 1  refused: cannot pause task 1: it is paused
    SUSPENDED resume   RUNNING (resumed, fired)
    SUSPENDED skip     refused: cannot skip task 1: it is paused
    SUSPENDED cancel   CANCELLED (cancelled)
    SUSPENDED unblock  nothing
    SUSPENDED delete   SUSPENDED (deleted)
    SUSPENDED cancel 1 CANCELLED (cancelled)
    SUSPENDED retry    refused: cannot retry task 1: it is paused
    SUSPENDED expire   nothing
    SUSPENDED hold     nothing
    SUSPENDED report   nothing
    SUSPENDED resend   nothing
    FAILED    wake     nothing
    FAILED    rezone   nothing
    FAILED    follow the clock of nothing
    FAILED    edit     FAILED (edited)
    FAILED    edit at  PENDING (edited, retried, moved)
    FAILED    edit 1   PENDING (edited, retried, moved)
    FAILED    complete COMPLETED (retried, started, completed)
    FAILED    ack      refused: cannot ack task 1: it is failed
    FAILED    snooze   refused: cannot snooze task 1: it is failed
    FAILED    pause    SUSPENDED (retried, suspended)
    FAILED    pause 1  SUSPENDED (retried, suspended)
    FAILED    resume   refused: cannot resume task 1: it is failed
    FAILED    skip     refused: cannot skip task 1: it is failed
    FAILED    cancel   CANCELLED (cancelled)
    FAILED    unblock  nothing
    FAILED    delete   FAILED (deleted)
    FAILED    cancel 1 CANCELLED (cancelled)
    FAILED    retry    refused: cannot retry task 1: it is failed
    FAILED    expire   FAILED (expired)
    FAILED    hold     nothing
    FAILED    report   the delivery only
    FAILED    resend   FAILED (resent)
    COMPLETED wake     nothing
    COMPLETED rezone   nothing
    COMPLETED follow the clock of nothing
    COMPLETED edit     refused: cannot edit task 1: it is already done
    COMPLETED edit at  refused: cannot edit task 1: it is already done
    COMPLETED edit 1   refused: cannot edit task 1: it is already done
    COMPLETED complete refused: cannot complete task 1: it is already done
    COMPLETED ack      refused: cannot ack task 1: it is already done
    COMPLETED snooze   refused: cannot snooze task 1: it is already done
    COMPLETED pause    refused: cannot pause task 1: it is already done
    COMPLETED pause 1  refused: cannot pause task 1: it is already done
    COMPLETED resume   refused: cannot resume task 1: it is already done
    COMPLETED skip     refused: cannot skip task 1: it is already done
    COMPLETED cancel   refused: cannot cancel task 1: it is already done
    COMPLETED unblock  refused: cannot unblock task 1: it is already done
    COMPLETED delete   COMPLETED (deleted)
    COMPLETED cancel 1 refused: cannot cancel task 1: it is already done
    COMPLETED retry    refused: cannot retry task 1: it is already done
    COMPLETED expire   nothing
    COMPLETED hold     nothing
    COMPLETED report   the delivery only
    COMPLETED resend   nothing
    CANCELLED wake     nothing
    CANCELLED rezone   nothing
    CANCELLED follow the clock of nothing
    CANCELLED edit     refused: cannot edit task 1: it is already cancelled
    CANCELLED edit at  refused: cannot edit task 1: it is already cancelled
    CANCELLED edit 1   refused: cannot edit task 1: it is already cancelled
    CANCELLED complete refused: cannot complete task 1: it is already cancelled
    CANCELLED ack      refused: cannot ack task 1: it is already cancelled
    CANCELLED snooze   refused: cannot snooze task 1: it is already cancelled
    CANCELLED pause    refused: cannot pause task 1: it is already cancelled
    CANCELLED pause 1  refused: cannot pause task 1: it is already cancelled
    CANCELLED resume   refused: cannot resume task 1: it is already cancelled
    CANCELLED skip     refused: cannot skip task 1: it is already cancelled
    CANCELLED cancel   refused: cannot cancel task 1: it is already cancelled
    CANCELLED unblock  refused: cannot unblock task 1: it is already cancelled
    CANCELLED delete   CANCELLED (deleted)
    CANCELLED cancel 1 refused: cannot cancel task 1: it is already cancelled
    CANCELLED retry    refused: cannot retry task 1: it is already cancelled
    CANCELLED expire   nothing
    CANCELLED hold     nothing
    CANCELLED report   the delivery only
    CANCELLED resend   nothing
    ");
}

#[test]
fn a_reminder_rings_once_and_stays_due_until_it_is_done() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 12:00");
    story.ask("4 12:00", &Command::Done { early: false }).expect("a due task is done");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 12:00 once       RUNNING   → COMPLETED completed
    ");
}

#[test]
fn a_late_wake_marks_the_firing_late() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.wake(at("4 09:01"));
    assert!(matches!(story.snapshot.occurrence.state, State::Running(running) if running.late));
    let mut story = Story::new(once("4 09:00"), &[]);
    story.wake(at("4 09:00").saturating_add(GRACE_DEFAULT));
    assert!(matches!(story.snapshot.occurrence.state, State::Running(running) if !running.late));
}

#[test]
fn an_unanswered_daily_is_closed_by_its_successor_which_rings() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    story.deliver("4 09:00");
    story.run("5 09:00");
    story.run("6 09:00");
    assert_snapshot!(story.told(), @"
    4 08:00 May 04     -         → CREATED   added
    4 08:00 May 04     CREATED   → PENDING   armed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    5 09:00 May 04     RUNNING   → COMPLETED completed
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    6 09:00 May 05     RUNNING   → FAILED    failed
    6 09:00 May 05     FAILED    → CANCELLED cancelled
    6 09:00 May 06     -         → CREATED   opened
    6 09:00 May 06     CREATED   → PENDING   armed
    6 09:00 May 06     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_month_with_the_machine_off_rings_the_latest_once() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    story.wake(at("20 12:00"));
    assert_snapshot!(story.told(), @"
    4 08:00 May 04     -         → CREATED   added
    4 08:00 May 04     CREATED   → PENDING   armed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    20 12:00 May 04     RUNNING   → RUNNING   passed_over
    20 12:00 May 04     RUNNING   → FAILED    failed
    20 12:00 May 04     FAILED    → CANCELLED cancelled
    20 12:00 May 20     -         → CREATED   opened
    20 12:00 May 20     CREATED   → PENDING   armed
    20 12:00 May 20     PENDING   → RUNNING   fired 0 late
    ");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("20 09:00")));
}

#[test]
fn a_missed_series_that_never_rang_is_withdrawn_up_to_the_latest() {
    let mut story = Story::new(interval(60, None), &[]);
    let woken = story.ask("4 12:30", &Command::Wake).expect("a wake is never refused");
    assert_eq!(woken.passed_over, 3);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 12:00")));
    assert_snapshot!(story.told(), @"
    4 08:00 May 04T07:00:00Z -         → CREATED   added
    4 08:00 May 04T07:00:00Z CREATED   → PENDING   armed
    4 12:30 May 04T07:00:00Z PENDING   → PENDING   passed_over
    4 12:30 May 04T07:00:00Z PENDING   → -         withdrawn
    4 12:30 May 04T10:00:00Z -         → CREATED   opened
    4 12:30 May 04T10:00:00Z CREATED   → PENDING   armed
    4 12:30 May 04T10:00:00Z PENDING   → RUNNING   fired 0 late
    ");
}

#[test]
fn done_on_an_overdue_repeat_lands_in_the_future() {
    let mut story = Story::new(daily(8), &[]);
    story.run("9 07:45");
    story.ask("9 07:45", &Command::Done { early: false }).expect("due");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("9 08:00")));
}

#[test]
fn done_on_a_series_ahead_is_refused_or_already_done_unless_early() {
    let mut story = Story::new(daily(9), &[]);
    let refused = story.ask("4 08:10", &Command::Done { early: false }).expect_err("it is ahead");
    assert_eq!(refused.to_string(), "cannot complete task 1: it is not due before 2026-05-04T07:00:00Z");
    story.ask("4 08:10", &Command::Done { early: true }).expect("early");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
    let again = story.ask("4 08:11", &Command::Done { early: false }).expect("said twice, done once");
    assert!(!again.has_changed());
    story.ask("4 08:12", &Command::Skip).expect("a series skips");
    story.ask("4 08:13", &Command::Done { early: false }).expect_err("the one before was skipped");
}

#[test]
fn a_snooze_repeats_the_alert_and_keeps_the_due() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:05");
    story.ask("4 09:05", &Command::Snooze { until: at("4 09:15"), is_duration: false, early: false }).expect("due");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 09:00")));
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 09:15")));
    story.run("4 10:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:05 once       RUNNING   → SUSPENDED suspended
    4 09:05 once       SUSPENDED → PENDING   snoozed
    4 09:15 once       PENDING   → RUNNING   fired 0
    ");
    let ids: std::collections::BTreeSet<_> =
        story.steps.iter().filter_map(|(_, _, step)| step.operation.firing().map(|firing| firing.fire_id)).collect();
    assert_eq!(ids.len(), 2, "each ring has an id of its own");
}

#[test]
fn a_snooze_of_an_early_alert_leaves_the_due_alert_where_it_was() {
    let mut story = Story::new(once("6 15:00"), &[-2880, -60, 0]);
    story.run("6 14:05");
    story
        .ask("6 14:05", &Command::Snooze { until: at("6 14:25"), is_duration: false, early: false })
        .expect("an early alert spoke");
    story.run("6 15:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 15:00 once       PENDING   → PENDING   spoke -2d
    6 14:00 once       PENDING   → PENDING   spoke -1h
    6 14:05 once       PENDING   → SUSPENDED suspended
    6 14:05 once       SUSPENDED → PENDING   snoozed
    6 14:25 once       PENDING   → PENDING   spoke -1h
    6 15:00 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_snooze_past_due_still_speaks_after_the_due_alert() {
    let mut story = Story::new(once("4 10:00"), &[-30, 0]);
    story.run("4 09:30");
    story
        .ask("4 09:30", &Command::Snooze { until: at("4 10:15"), is_duration: false, early: false })
        .expect("an early alert spoke");
    story.run("4 11:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:30 once       PENDING   → PENDING   spoke -30m
    4 09:30 once       PENDING   → SUSPENDED suspended
    4 09:30 once       SUSPENDED → PENDING   snoozed
    4 10:00 once       PENDING   → RUNNING   fired 0
    4 10:15 once       RUNNING   → RUNNING   spoke -30m
    ");
}

#[test]
fn a_snooze_that_reaches_the_successor_is_closed_by_it() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    story.deliver("4 09:00");
    story.ask("4 09:05", &Command::Snooze { until: at("5 10:05"), is_duration: false, early: false }).expect("due");
    story.run("5 12:00");
    assert_snapshot!(story.told(), @"
    4 08:00 May 04     -         → CREATED   added
    4 08:00 May 04     CREATED   → PENDING   armed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    4 09:05 May 04     RUNNING   → SUSPENDED suspended
    4 09:05 May 04     SUSPENDED → PENDING   snoozed
    5 09:00 May 04     PENDING   → RUNNING   started
    5 09:00 May 04     RUNNING   → COMPLETED completed
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_snooze_into_the_past_is_refused() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let refused = story
        .ask("4 09:05", &Command::Snooze { until: at("4 09:05"), is_duration: false, early: false })
        .expect_err("past");
    assert_eq!(refused.to_string(), "cannot snooze task 1: 2026-05-04T07:05:00Z has passed");
}

#[test]
fn an_ack_silences_a_reminder_and_ends_a_countdown() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let acked = story.ask("4 09:01", &Command::Ack { early: false, is_dismissal: false }).expect("due");
    let [Effect::Silence { withdrawal, except }] = &acked.effects[..] else { panic!("{:?}", acked.effects) };
    assert_eq!(
        (withdrawal.task, withdrawal.standing, except.is_empty()),
        (story.snapshot.task.id, Standing::Seen, true)
    );
    assert!(matches!(story.snapshot.occurrence.state, State::Running(_)));
    assert!(story.deliveries.iter().all(|delivery| matches!(delivery.status, DeliveryStatus::Withdrawn(_))));
    let mut story = Story::new(countdown("4 08:20"), &[]);
    story.run("4 08:20");
    story.ask("4 08:21", &Command::Ack { early: false, is_dismissal: false }).expect("due");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn a_paused_countdown_goes_on_with_what_remained() {
    let mut story = Story::new(countdown("4 08:30"), &[]);
    story.ask("4 08:10", &Command::Pause { until: None }).expect("pending");
    let State::Suspended(suspended) = story.snapshot.occurrence.state else { panic!("it is paused") };
    assert_eq!(suspended.remaining, Some(Span::from_minutes(20)));
    story.ask("4 13:00", &Command::Resume { shift: false }).expect("paused");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 13:20")));
    story.run("4 14:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 08:10 once       PENDING   → SUSPENDED suspended
    4 13:00 once       SUSPENDED → PENDING   resumed
    4 13:20 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_paused_wall_clock_task_keeps_its_time_or_rings_at_once() {
    let mut ahead = Story::new(once("4 15:00"), &[]);
    ahead.ask("4 10:00", &Command::Pause { until: None }).expect("pending");
    ahead.ask("4 13:00", &Command::Resume { shift: false }).expect("paused");
    assert_eq!(ahead.snapshot.speaks_at(), Some(at("4 15:00")));
    let mut passed = Story::new(once("4 11:00"), &[]);
    passed.ask("4 10:00", &Command::Pause { until: None }).expect("pending");
    passed.ask("4 13:00", &Command::Resume { shift: false }).expect("paused");
    assert_eq!(passed.snapshot.occurrence.state.name(), StateName::Running);
    assert_eq!(passed.snapshot.occurrence.due_at(), Some(at("4 11:00")));
    let mut shifted = Story::new(once("4 11:30"), &[]);
    shifted.ask("4 10:10", &Command::Pause { until: None }).expect("pending");
    shifted.ask("4 13:00", &Command::Resume { shift: true }).expect("paused");
    assert_eq!(shifted.snapshot.speaks_at(), Some(at("4 14:20")));
}

#[test]
fn what_a_pause_silenced_before_the_clock_was_set_back_is_said_when_it_is_due_again() {
    let mut story = Story::new(once("4 15:00"), &[]);
    story.run("4 15:00");
    story.ask("4 13:00", &Command::Pause { until: None }).expect("due");
    story.ask("4 14:00", &Command::Resume { shift: false }).expect("paused");
    story.run("4 16:00");
    let rings: Vec<_> = story.steps.iter().filter_map(|(_, _, step)| step.operation.firing()).collect();
    assert_eq!(rings.len(), 2, "{}", story.told());
    assert_ne!(rings[0].fire_id, rings[1].fire_id);
}

#[test]
fn a_pause_with_an_end_resumes_by_itself() {
    let mut story = Story::new(countdown("4 09:00"), &[]);
    story.ask("4 08:10", &Command::Pause { until: Some(at("4 10:10")) }).expect("pending");
    story.run("4 10:30");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 11:00")));
}

#[test]
fn a_paused_series_skips_what_fell_into_its_pause() {
    let mut story = Story::new(daily(9), &[]);
    story.run("4 09:00");
    story.ask("4 09:10", &Command::Done { early: false }).expect("due");
    story.ask("4 09:10", &Command::Pause { until: None }).expect("pending");
    let resumed = story.ask("7 12:00", &Command::Resume { shift: false }).expect("paused");
    assert_eq!(resumed.passed_over, 3);
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("8 09:00")));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Pending);
}

#[test]
fn an_edit_moves_the_due_and_the_task_rings_anew() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    story
        .ask("4 09:10", &Command::Edit(Box::new(Edit { schedule: Some(once("4 16:00")), ..Edit::default() })))
        .expect("due");
    story.run("4 17:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   fired 0
    4 09:10 once       RUNNING   → RUNNING   edited
    4 09:10 once       RUNNING   → SUSPENDED suspended
    4 09:10 once       SUSPENDED → SUSPENDED moved
    4 09:10 once       SUSPENDED → PENDING   resumed
    4 16:00 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn an_edited_rule_may_use_the_date_that_had_not_rung() {
    let mut story = Story::new(daily(9), &[]);
    story
        .ask("4 08:10", &Command::Edit(Box::new(Edit { schedule: Some(daily(18)), ..Edit::default() })))
        .expect("pending");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 18:00")));
    story.run("4 18:00");
    story.ask("4 18:01", &Command::Done { early: false }).expect("due");
    story
        .ask("4 18:02", &Command::Edit(Box::new(Edit { schedule: Some(daily(20)), ..Edit::default() })))
        .expect("pending");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 20:00")), "what has ended is never used again");
}

#[test]
fn an_edit_moves_a_series_of_which_only_an_early_alert_spoke() {
    let mut story = Story::new(daily(18), &[-60, 0]);
    story.run("4 17:00");
    story
        .ask("4 17:10", &Command::Edit(Box::new(Edit { schedule: Some(daily(20)), ..Edit::default() })))
        .expect("pending");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 20:00")));
    story.run("4 19:00");
    story
        .ask("4 19:10", &Command::Edit(Box::new(Edit { schedule: Some(daily(9)), ..Edit::default() })))
        .expect("pending");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
    story.run("5 09:00");
    let rings: Vec<_> = story.steps.iter().filter(|(_, _, step)| step.operation.firing().is_some()).collect();
    assert_eq!(rings.len(), 4, "{}", story.told());
}

#[test]
fn an_edit_to_an_earlier_time_never_makes_one_that_ended_come_again() {
    let mut story = Story::new(daily(18), &[-720, 0]);
    story.run("4 18:00");
    story.ask("4 18:01", &Command::Done { early: false }).expect("due");
    story.run("5 06:00");
    // The clock is set back to the day before, and the rule changed: 4 May has ended, 5 May has spoken early.
    story
        .ask("4 17:00", &Command::Edit(Box::new(Edit { schedule: Some(interval(60, None)), ..Edit::default() })))
        .expect("ahead");
    let mut ended = std::collections::BTreeSet::new();
    story.run("6 12:00");
    for (_, _, step) in &story.steps {
        let name = step.snapshot.occurrence.name();
        assert!(!ended.contains(&name), "{name} came back to life\n{}", story.told());
        if step.snapshot.occurrence.has_ended() {
            ended.insert(name);
        }
    }
}

#[test]
fn a_task_that_rang_cannot_change_its_kind_and_one_time_never_ends_a_series() {
    let set = |schedule| Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }));
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let refused = story.ask("4 09:10", &set(daily(9))).expect_err("it rang");
    assert!(matches!(refused, Rejection::KindChange { .. }), "{refused}");
    let mut series = Story::new(daily(9), &[]);
    for time in ["4 08:00", "4 09:10"] {
        let refused = series.ask(time, &set(once("4 16:00"))).expect_err("it repeats");
        assert!(matches!(refused, Rejection::OneTime { .. }), "{refused}");
        series.run("4 09:00");
    }
}

#[test]
fn a_time_that_passed_while_the_request_waited_is_at_once() {
    let read_at = at("4 08:00");
    let done_at = read_at.saturating_add(WAITED_MAX);
    let new = |schedule| NewTask {
        id: TaskId(Uuid::from_u128(1)),
        number: Number(1),
        details: Details { title: "tea".into(), ..Details::default() },
        schedule,
        alerts: None,
        deadline: None,
        policy: Policy::default(),
        waits: SetWaits::default(),
    };
    let born = create(new(countdown("4 08:00")), &moment(done_at)).expect("it was no past when it was read");
    assert_eq!(born.after.occurrence.state.name(), StateName::Running);
    let too_late = done_at.saturating_add(Span::from_millis(1));
    assert_eq!(create(new(countdown("4 08:00")), &moment(too_late)), Err(CreateError::Past { at: read_at }));

    let edit = Command::Edit(Box::new(Edit { schedule: Some(countdown("4 08:00")), ..Edit::default() }));
    let mut story = Story::new(countdown("4 10:00"), &[]);
    assert!(story.clone().ask_at(too_late, &edit).is_err());
    story.ask_at(done_at, &edit).expect("it was no past when it was read");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn an_edit_into_the_past_changes_nothing() {
    let mut story = Story::new(once("4 09:00"), &[]);
    let edit =
        Command::Edit(Box::new(Edit { title: Some("x".into()), schedule: Some(once("4 07:00")), ..Edit::default() }));
    let before = story.snapshot.clone();
    story.ask("4 08:10", &edit).expect_err("past");
    assert_eq!(story.snapshot, before);
}

#[test]
fn what_the_caller_saw_must_be_what_is() {
    let story = Story::new(daily(9), &[]);
    let stale = Expected { version: Some(0), occurrence: None };
    let moment = moment(at("4 08:10"));
    let refused = transition(&story.snapshot, &[], &Command::Cancel, stale, &moment).expect_err("stale");
    assert!(refused.is_conflict());
    assert_eq!(refused.to_string(), "cannot cancel task 1: it has changed (expected version 0, found 1)");
    let other = Expected { version: None, occurrence: Some("2026-05-03~1".parse().expect("a name")) };
    let refused = transition(&story.snapshot, &[], &Command::Cancel, other, &moment).expect_err("another");
    assert_eq!(
        refused.to_string(),
        "cannot cancel task 1: occurrence 2026-05-03~1 is not the open one, that is 2026-05-04~1"
    );
    let named = Expected { version: None, occurrence: Some(story.snapshot.occurrence.name()) };
    let done = transition(&story.snapshot, &[], &Command::Done { early: false }, named, &moment).expect("named");
    assert!(done.has_changed());
}

#[test]
fn the_terminal_speaks_too_while_the_desktop_is_away() {
    let story = Story::new(once("4 09:00"), &[]);
    let away = Moment { is_desktop_away: true, ..moment(at("4 09:00")) };
    let rung = transition(&story.snapshot, &[], &Command::Wake, Expected::default(), &away).expect("a wake");
    let targets: Vec<_> = rung.deliveries.iter().map(|delivery| delivery.id.target.clone()).collect();
    assert_eq!(targets, [Target::desktop(), Target::terminal()]);
}

#[test]
fn a_desktop_found_away_by_trying_brings_in_the_terminal_once() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let delivery = story.deliveries[0].id.clone();
    let report = Report::Away { reason: "no server".into() };
    let command = Command::Report { delivery, report, jitter: Jitter::NONE, is_probe: false };
    let first = story.ask("4 09:00", &command).expect("a report is never refused");
    assert_eq!(first.deliveries.len(), 2);
    let again = story.ask("4 09:00", &command).expect("a report is never refused");
    assert!(again.deliveries.is_empty());
}

#[test]
fn a_floating_time_follows_the_device_and_a_countdown_does_not() {
    let new_york = Moment { zone: Tz::America__New_York, ..moment(at("4 08:30")) };
    let mut story = Story::new(once("4 09:00"), &[]);
    let moved = transition(&story.snapshot, &[], &Command::Rezone, Expected::default(), &new_york).expect("daemon's");
    assert_eq!(moved.after.occurrence.due_at(), Some(at("4 15:00")));
    story = Story::new(countdown("4 09:00"), &[]);
    let moved = transition(&story.snapshot, &[], &Command::Rezone, Expected::default(), &new_york).expect("daemon's");
    assert!(!moved.has_changed());
}

#[test]
fn a_counted_series_ends_after_its_last() {
    let mut story = Story::new(interval(60, Some(3)), &[]);
    story.run("4 20:00");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 11:00")));
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
    story.ask("4 20:00", &Command::Done { early: false }).expect("due");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Completed);
}

#[test]
fn an_alert_given_at_no_time_makes_the_task_due_in_silence() {
    let mut story = Story::new(once("4 09:00"), &[-600]);
    story.run("4 09:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 09:00 once       PENDING   → RUNNING   started
    ");
    assert!(story.deliveries.is_empty());
}

#[test]
fn a_successor_that_comes_due_before_the_word_still_rings() {
    // The person's word and the clock met in one batch: the task was not yet woken.
    for command in [Command::Done { early: false }, Command::Skip] {
        let mut story = Story::new(daily(9), &[]);
        story.run("4 09:00");
        let asked = story.ask("6 09:00", &command).expect("due");
        assert_eq!(asked.passed_over, 1, "{command:?}");
        assert_eq!(story.snapshot.occurrence.due_at(), Some(at("6 09:00")), "{command:?}");
        assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running, "{command:?}");
    }
    let mut paused = Story::new(daily(9), &[]);
    paused.ask("4 08:10", &Command::Pause { until: None }).expect("pending");
    paused.ask("6 12:00", &Command::Done { early: true }).expect("paused");
    assert_eq!(paused.snapshot.occurrence.due_at(), Some(at("7 09:00")), "what fell into a pause does not ring");
}

#[test]
fn a_snooze_to_before_an_alert_leaves_that_alert() {
    let mut story = Story::new(once("4 10:00"), &[]);
    story.ask("4 08:10", &Command::Snooze { until: at("4 08:20"), is_duration: false, early: false }).expect("pending");
    story.run("4 11:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 08:00 once       CREATED   → PENDING   armed
    4 08:10 once       PENDING   → SUSPENDED suspended
    4 08:10 once       SUSPENDED → PENDING   snoozed
    4 08:20 once       PENDING   → PENDING   spoke 0
    4 10:00 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn an_edit_of_alerts_silences_only_those_that_are_new() {
    let mut story = Story::new(once("4 09:00"), &[]);
    let alerts = Some(vec![Span::from_minutes(-30), Span::ZERO]);
    story.ask("4 09:00", &Command::Edit(Box::new(Edit { alerts, ..Edit::default() }))).expect("pending");
    let spoken: Vec<_> =
        story.steps.iter().filter_map(|(_, _, step)| step.operation.firing()).map(|f| f.slot).collect();
    assert_eq!(spoken, [Slot::DUE]);
}

#[test]
fn a_series_without_alerts_is_neither_missed_nor_undelivered() {
    let mut story = Story::new(daily(9), &[]);
    story
        .ask("4 08:10", &Command::Edit(Box::new(Edit { alerts: Some(Vec::new()), ..Edit::default() })))
        .expect("pending");
    story.run("4 09:00");
    let woken = story.ask("5 09:00", &Command::Wake).expect("a wake is never refused");
    assert_eq!(woken.passed_over, 0);
    assert_eq!(story.snapshot.task.previous, Some(Outcome::Unanswered));
}

#[test]
fn a_task_that_rang_rings_again_at_the_same_local_time_of_another_zone() {
    let mut story = Story::new(once("4 15:00"), &[-60, 0]);
    story.run("4 15:00");
    let travelled = |now: &str| Moment { zone: Tz::America__New_York, ..moment(at(now)) };
    let edit = Command::Edit(Box::new(Edit { schedule: Some(once("4 15:00")), ..Edit::default() }));
    for (now, command) in [("4 15:30", &edit), ("4 20:00", &Command::Wake), ("4 21:00", &Command::Wake)] {
        let moment = travelled(now);
        let next = transition(&story.snapshot, &story.deliveries, command, Expected::default(), &moment).expect("due");
        story.take(moment.now, next);
    }
    let ids: Vec<_> =
        story.steps.iter().filter_map(|(_, _, step)| step.operation.firing()).map(|f| f.fire_id).collect();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (4, 4), "each ring has an id of its own");
}

// --- properties ---

fn any_schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        Just(Schedule::none()),
        (1_i64..5000)
            .prop_map(|m| { schedule(Rule::Once(at("4 08:00").saturating_add(Span::from_minutes(m)).local(BERLIN))) }),
        (0_i64..5000).prop_map(|m| schedule(Rule::Countdown(at("4 08:00").saturating_add(Span::from_minutes(m))))),
        (0_u32..24).prop_map(daily),
        (1_i64..600, prop::option::of(1_u32..6)).prop_map(|(minutes, count)| interval(minutes, count)),
    ]
}

#[derive(Clone, Debug)]
enum Act {
    Ask(Box<Command>),
    WakeWhenDue,
    ReportAll(Report),
}

fn any_act() -> impl Strategy<Value = Act> {
    let soon = (-60_i64..4000).prop_map(|minutes| at("4 08:00").saturating_add(Span::from_minutes(minutes)));
    let command = prop_oneof![
        Just(Command::Wake),
        Just(Command::Rezone),
        any::<bool>().prop_map(|early| Command::Done { early }),
        any::<(bool, bool)>().prop_map(|(early, is_dismissal)| Command::Ack { early, is_dismissal }),
        (soon.clone(), any::<(bool, bool)>()).prop_map(|(until, (early, is_duration))| Command::Snooze {
            until,
            is_duration,
            early
        }),
        prop::option::of(soon.clone()).prop_map(|until| Command::Pause { until }),
        prop::option::of(soon.clone()).prop_map(|until| Command::PauseThis { until }),
        soon.prop_map(|at| {
            let schedule = Some(schedule(Rule::Once(at.local(BERLIN))));
            Command::EditThis(Box::new(Edit { schedule, ..Edit::default() }))
        }),
        any::<bool>().prop_map(|shift| Command::Resume { shift }),
        Just(Command::Skip),
        Just(Command::Cancel),
        Just(Command::Unblock),
        Just(Command::Delete),
        waits::any_parent_end().prop_map(Command::ParentEnded),
        waits::any_set().prop_map(|waits| Command::Edit(Box::new(Edit { waits, ..Edit::default() }))),
        Just(Command::CancelThis),
        any_schedule()
            .prop_map(|schedule| Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }))),
        prop::collection::vec(-300_i64..300, 0..3).prop_map(|minutes| Command::Edit(Box::new(Edit {
            alerts: Some(minutes.into_iter().map(Span::from_minutes).collect()),
            ..Edit::default()
        }))),
    ];
    let report = prop_oneof![
        Just(Report::DELIVERED),
        Just(Report::Away { reason: "away".into() }),
        any::<bool>().prop_map(|is_final| Report::Failed { error: "no".into(), is_final, retry_after: None }),
    ];
    prop_oneof![5 => command.prop_map(|command| Act::Ask(Box::new(command))), 4 => Just(Act::WakeWhenDue), 2 => report.prop_map(Act::ReportAll)]
}

/// Plays acts some minutes apart and returns the story.
fn play(schedule: Schedule, alerts: &[i64], acts: &[(i64, Act)]) -> Story {
    let mut story = Story::new(schedule, alerts);
    let mut now = at("4 08:00");
    for (minutes, act) in acts {
        now = now.saturating_add(Span::from_minutes(*minutes));
        match act {
            // A refusal is an answer; it changes nothing.
            Act::Ask(command) => {
                drop(story.ask_at(now, command));
                let is_stuck = story.snapshot.is_waiting() && story.snapshot.task.waits.is_met();
                assert!(!is_stuck, "nothing keeps it, and it is not free: {:?}", story.snapshot);
            }
            Act::WakeWhenDue => {
                if let Some(next) = story.snapshot.next_wake() {
                    now = now.max(next);
                    story.wake(now);
                }
            }
            Act::ReportAll(report) => {
                for id in story.deliveries.iter().map(|delivery| delivery.id.clone()).collect::<Vec<_>>() {
                    let command =
                        Command::Report { delivery: id, report: report.clone(), jitter: Jitter::NONE, is_probe: false };
                    story.ask_at(now, &command).expect("a report is never refused");
                }
            }
        }
    }
    story
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// No sequence of commands leaves the table, or revives what ended.
    #[test]
    fn every_step_is_legal_and_what_has_ended_stays_so(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((0_i64..700, any_act()), 0..40),
    ) {
        let story = play(schedule, &alerts, &acts);
        let mut ended = std::collections::BTreeSet::new();
        for (_, _, step) in &story.steps {
            let name = step.snapshot.occurrence.name();
            let is_ended = step.snapshot.occurrence.has_ended();
            prop_assert!(!ended.contains(&name) || is_ended, "{name} came back to life by {}", step.operation.name());
            if let (Some(from), Some(to)) = (step.from, step.to) {
                prop_assert!(from == to || from.successors().contains(&to), "{from} → {to} by {}", step.operation.name());
            }
            if step.snapshot.occurrence.has_ended() {
                ended.insert(name);
            }
        }
    }

    /// The events alone rebuild every task.
    #[test]
    fn operations_replayed_give_the_same_task(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((0_i64..700, any_act()), 0..40),
    ) {
        let story = play(schedule, &alerts, &acts);
        let mut rebuilt: Option<Snapshot> = None;
        for (now, version, step) in &story.steps {
            rebuilt = apply(rebuilt.as_ref(), &step.operation, *now, *version);
            prop_assert_eq!(rebuilt.as_ref(), Some(&step.snapshot));
        }
        prop_assert_eq!(rebuilt, Some(story.snapshot));
    }

    /// No alert fires twice: each firing has an id of its own.
    #[test]
    fn no_fire_id_is_made_twice(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((1_i64..700, any_act()), 0..40),
    ) {
        let story = play(schedule, &alerts, &acts);
        let ids: Vec<_> = story.steps.iter().filter_map(|(_, _, step)| step.operation.firing()).map(|f| f.fire_id).collect();
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        prop_assert_eq!(ids.len(), distinct.len(), "{}", story.told());
    }

    /// A wake does all that is due: the next one lies ahead. And I1: the same arguments give the same result.
    #[test]
    fn a_wake_leaves_nothing_due_and_is_a_function(
        schedule in any_schedule(),
        alerts in prop::collection::vec(-300_i64..120, 0..4),
        acts in prop::collection::vec((0_i64..700, any_act()), 0..30),
        later in 0_i64..10_000,
    ) {
        let mut story = play(schedule, &alerts, &acts);
        let last = story.steps.last().map_or(at("4 08:00"), |(now, _, _)| *now);
        let now = last.saturating_add(Span::from_minutes(later));
        let first = transition(&story.snapshot, &story.deliveries, &Command::Wake, Expected::default(), &moment(now));
        let second = transition(&story.snapshot, &story.deliveries, &Command::Wake, Expected::default(), &moment(now));
        prop_assert_eq!(&first, &second);
        story.ask_at(now, &Command::Wake).expect("a wake is never refused");
        prop_assert!(story.snapshot.next_wake().is_none_or(|next| next > now), "{:?} at {now}", story.snapshot);
    }
}

#[test]
fn the_slot_and_nominal_time_name_a_firing() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let due = story.snapshot.occurrence.due.expect("a time");
    assert_eq!(due.nominal, Nominal::Local(at("4 09:00").local(BERLIN)));
    let fired = story.steps.iter().find_map(|(_, _, step)| step.operation.firing()).expect("it fired");
    assert_eq!(fired.slot, Slot::DUE);
    assert_eq!(story.snapshot.task.previous, None::<Outcome>);
}
