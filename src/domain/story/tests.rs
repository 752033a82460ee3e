//! Short lives that the rules themselves play, as a person reads them.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use uuid::Uuid;

use super::*;
use crate::domain::command::{Command, Expected, Moment, NewTask};
use crate::domain::delivery::{DeliveryId, Report};
use crate::domain::retry::Jitter;
use crate::domain::routing::Routing;
use crate::domain::run::{Limits, Line, Overlap, Program};
use crate::domain::schedule::{Calendar, Rule};
use crate::domain::story::words::{Listener, english};
use crate::domain::task::{Details, Missed, Number, Policy, TaskId};
use crate::domain::transition::{Transition, create, transition};
use crate::domain::waiting::SetWaits;

const ZONE: chrono_tz::Tz = chrono_tz::America::New_York;

/// A life that the rules themselves play, from a Monday, 4 May 2026, 09:02 on.
struct Life {
    present: Snapshot,
    entries: Vec<Entry>,
    deliveries: Vec<Delivery>,
    device: Vec<DeviceEntry>,
    seq: u64,
}

fn at(text: &str) -> Timestamp {
    let local: NaiveDateTime = text.parse().expect("a time of the test's own");
    crate::domain::time::resolve(local, ZONE).expect("in range").0
}

fn moment(now: Timestamp, op: u64) -> Moment<'static> {
    Moment {
        now,
        zone: ZONE,
        device: Uuid::nil(),
        op_id: Uuid::from_u64_pair(1, op),
        grace: Span::from_secs(30),
        is_desktop_away: false,
        standing: None,
        quiet_until: None,
        routing: Routing::none(),
        is_away: false,
    }
}

impl Life {
    fn of(schedule: Schedule, policy: Policy, alerts: Option<Vec<Span>>, targets: &[&str]) -> Self {
        let targets = targets.iter().map(|text| Target::parse(text).expect("a target of the test's own")).collect();
        Self::with(schedule, policy, alerts, Details { targets, ..Details::default() })
    }

    fn with(schedule: Schedule, policy: Policy, alerts: Option<Vec<Span>>, details: Details) -> Self {
        let new = NewTask {
            id: TaskId(Uuid::from_u128(7)),
            number: Number(12),
            details: Details { title: "water the plants".into(), ..details },
            schedule,
            alerts,
            deadline: None,
            policy,
            waits: SetWaits::default(),
        };
        let moment = moment(at("2026-05-04T09:02:00"), 1);
        let added = create(new, &moment).expect("a task of the test's own");
        let mut life = Self {
            present: added.after.clone(),
            entries: Vec::new(),
            deliveries: Vec::new(),
            device: Vec::new(),
            seq: 1,
        };
        life.take(added, &moment, Actor::Person);
        life
    }

    fn daily() -> Self {
        Self::of(every_day(), Policy::default(), None, &[])
    }

    fn take(&mut self, made: Transition, moment: &Moment, actor: Actor) {
        for step in made.steps {
            self.seq += 1;
            let event = Event {
                event_id: Uuid::from_u64_pair(2, self.seq),
                op_id: moment.op_id,
                device: Uuid::nil(),
                actor,
                at: moment.now,
                operation: step.operation,
                from: step.from,
                to: step.to,
                reason: step.reason.into(),
                snapshot: step.snapshot,
            };
            self.entries.push(Entry { seq: self.seq, event });
        }
        for changed in made.deliveries {
            self.deliveries.retain(|known| known.id != changed.id);
            self.deliveries.push(changed);
        }
        self.present = made.after;
    }

    fn ask(&mut self, now: &str, command: &Command) -> &mut Self {
        self.told(now, command, Actor::Person)
    }

    fn told(&mut self, now: &str, command: &Command, actor: Actor) -> &mut Self {
        let moment = moment(at(now), self.seq + 1);
        let name = self.present.occurrence.name();
        let present: Vec<Delivery> = self.deliveries.iter().filter(|one| one.occurrence == name).cloned().collect();
        let made = transition(&self.present, &present, command, Expected::default(), &moment).expect("it is allowed");
        self.take(made, &moment, actor);
        self
    }

    /// The clock reaches what it waits for, and what that sends is shown.
    fn wake(&mut self, now: &str) -> &mut Self {
        self.told(now, &Command::Wake, Actor::Clock);
        let queued: Vec<DeliveryId> =
            self.deliveries.iter().filter(|one| !one.status.is_final()).map(|one| one.id.clone()).collect();
        for id in queued.into_iter().filter(|id| id.target.kind.is_person()) {
            self.report(now, &id, Report::DELIVERED);
        }
        self
    }

    fn report(&mut self, now: &str, delivery: &DeliveryId, report: Report) {
        let (delivery, jitter) = (delivery.clone(), Jitter::NONE);
        let command = Command::Report { delivery, report, jitter, is_probe: false };
        self.told(now, &command, Actor::Daemon);
    }

    fn slept(&mut self, from: &str, to: &str) -> &mut Self {
        self.seq += 1;
        let operation = DeviceOperation::Slept { from: at(from), to: at(to) };
        let event = DeviceEvent {
            event_id: Uuid::from_u64_pair(3, self.seq),
            op_id: Uuid::nil(),
            device: Uuid::nil(),
            actor: Actor::Daemon,
            at: at(to),
            operation,
            reason: String::new(),
        };
        self.device.push(DeviceEntry { seq: self.seq, event });
        self
    }

    /// Returns the story as a person reads it at `now`.
    fn story(&self, now: &str) -> String {
        let account =
            Account { before: None, events: &self.entries, deliveries: &self.deliveries, device: &self.device };
        let now = at(now);
        let mut sentences = fold(story(&account));
        sentences.extend(present(&self.present, now));
        let listener = Listener { now, zone: ZONE };
        let line = |sentence: &Sentence| {
            let step = if sentence.is_detail { "  " } else { "" };
            let time = sentence.at.in_zone(ZONE).format("%a %e %H:%M");
            format!("{time}  {step}{}\n", english(sentence, listener))
        };
        sentences.iter().map(line).collect()
    }
}

fn every_day() -> Schedule {
    let rrule = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0".to_owned();
    let from = "2026-05-04T09:02:00".parse().expect("a time");
    let calendar = Calendar { rrule, from, count: None, until: None };
    Schedule { text: "every day at 9am".into(), rule: Rule::Calendar(calendar), zone: None }
}

fn once(text: &str) -> Schedule {
    Schedule { text: text.into(), rule: Rule::Once(text.parse().expect("a time of the test's own")), zone: None }
}

const DONE: Command = Command::Done { early: false };

#[test]
fn it_rang_in_the_morning_and_again_in_the_afternoon() {
    let mut life = Life::daily();
    life.wake("2026-05-05T09:00:00");
    let until = at("2026-05-05T14:10:00");
    life.ask("2026-05-05T13:40:00", &Command::Snooze { until, is_duration: true, early: false });
    life.wake("2026-05-05T14:10:00").ask("2026-05-05T14:12:00", &DONE);
    insta::assert_snapshot!(life.story("2026-05-05T15:00:00"), @r#"
    Mon  4 09:02  added by you, for "every day at 9am": first due Tue 5 May 09:00
    Tue  5 09:00  rang on time: the alert when due
    Tue  5 09:00    desktop: shown
    Tue  5 13:40  you snoozed it until 14:10, for 30m
    Tue  5 14:10  rang again: you had snoozed it at 13:40
    Tue  5 14:10    desktop: shown
    Tue  5 14:12  you did it
    Tue  5 15:00  now: scheduled, due Wed 6 May 09:00
    Wed  6 09:00  next: the alert when due
    "#);
}

#[test]
fn lateness_says_how_late_and_what_is_on_record_of_why() {
    let mut life = Life::daily();
    life.slept("2026-05-05T08:41:00", "2026-05-05T09:12:00")
        .wake("2026-05-05T09:12:00")
        .ask("2026-05-05T09:20:00", &DONE);
    life.wake("2026-05-06T10:00:00");
    insta::assert_snapshot!(life.story("2026-05-06T11:00:00"), @r#"
    Mon  4 09:02  added by you, for "every day at 9am": first due Tue 5 May 09:00
    Tue  5 09:12  rang late, 12m after its time (09:00): the alert when due; the machine slept from 08:41 to 09:12
    Tue  5 09:12    desktop: shown
    Tue  5 09:20  you did it
    Wed  6 10:00  rang late, 1h after its time (09:00): the alert when due; nothing on record says why: keikod did not run then, the machine was off or asleep, or its clock was set
    Wed  6 10:00    desktop: shown
    Wed  6 11:00  now: due since 09:00, not answered
    Thu  7 09:00  next: the one behind it is due
    "#);
}

#[test]
fn a_long_series_is_folded_but_for_what_did_not_go_as_it_should() {
    let mut life = Life::daily();
    for day in 5..25 {
        life.wake(&format!("2026-05-{day:02}T09:00:00"));
        if day != 15 {
            life.ask(&format!("2026-05-{day:02}T09:30:00"), &DONE);
        }
    }
    insta::assert_snapshot!(life.story("2026-05-24T12:00:00"), @r#"
    Mon  4 09:02  added by you, for "every day at 9am": first due Tue 5 May 09:00
    Tue  5 09:00  rang on time: the alert when due
    Tue  5 09:00    desktop: shown
    Tue  5 09:30  you did it
    Wed  6 09:00  rang on time: the alert when due
    Wed  6 09:00    desktop: shown
    Wed  6 09:30  you did it
    Thu  7 09:00  … 7 more times alike until Wed 13 May 09:30, done each time (7 rings)
    Thu 14 09:00  rang on time: the alert when due
    Thu 14 09:00    desktop: shown
    Thu 14 09:30  you did it
    Fri 15 09:00  rang on time: the alert when due
    Fri 15 09:00    desktop: shown
    Sat 16 09:00  closed unanswered, when the next one was due
    Sat 16 09:00  rang on time: the alert when due
    Sat 16 09:00    desktop: shown
    Sat 16 09:30  you did it
    Sun 17 09:00  … 7 more times alike until Sat 23 May 09:30, done each time (7 rings)
    Sun 24 09:00  rang on time: the alert when due
    Sun 24 09:00    desktop: shown
    Sun 24 09:30  you did it
    Sun 24 12:00  now: scheduled, due Mon 25 May 09:00
    Mon 25 09:00  next: the alert when due
    "#);
}

#[test]
fn a_pause_says_what_remained_and_what_fell_into_it() {
    let mut life = Life::daily();
    life.ask("2026-05-04T10:00:00", &Command::Pause { until: Some(at("2026-05-08T12:00:00")) });
    life.wake("2026-05-08T12:00:00");
    insta::assert_snapshot!(life.story("2026-05-08T13:00:00"), @r#"
    Mon  4 09:02  added by you, for "every day at 9am": first due Tue 5 May 09:00
    Mon  4 10:00  you paused it, until Fri 8 May 12:00; 23h remained until due
    Fri  8 12:00  the pause ended by itself
    Fri  8 12:00  skipped 4 times (Tue 5 May 09:00 to Fri 8 May 09:00): it was paused
    Fri  8 13:00  now: scheduled, due Sat 9 May 09:00
    Sat  9 09:00  next: the alert when due
    "#);
    life.ask("2026-05-08T14:00:00", &Command::Pause { until: None });
    insta::assert_snapshot!(life.story("2026-05-08T14:30:00").lines().last().unwrap_or_default(), @"Fri  8 14:30  next: nothing comes by itself");
}

#[test]
fn what_was_missed_and_not_made_up_for_is_told() {
    let policy = Policy { missed: Missed::Skip, ..Policy::default() };
    let mut life = Life::of(every_day(), policy, None, &[]);
    life.wake("2026-05-07T12:00:00");
    insta::assert_snapshot!(life.story("2026-05-07T13:00:00"), @r#"
    Mon  4 09:02  added by you, for "every day at 9am": first due Tue 5 May 09:00
    Thu  7 12:00  skipped 3 times (Tue 5 May 09:00 to Thu 7 May 09:00): missed, and it is not made up for
    Thu  7 13:00  now: scheduled, due Fri 8 May 09:00
    Fri  8 09:00  next: the alert when due
    "#);
    let mut one = Life::of(once("2026-05-05T09:00:00"), policy, Some(vec![Span::from_minutes(-60), Span::ZERO]), &[]);
    one.wake("2026-05-05T12:00:00");
    insta::assert_snapshot!(one.story("2026-05-05T13:00:00"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00; it rings 1h before due and when due
    Tue  5 12:00  did not say the alert 1h before due and the alert when due at 08:00: missed, and it is not made up for
    Tue  5 13:00  now: missed at 09:00, and not made up for: it rings no more by itself
    Tue  5 13:00  next: nothing comes by itself
    "#);
}

#[test]
fn a_program_that_failed_twice_is_told_with_its_attempts() {
    let mut life = Life::of(once("2026-05-05T09:00:00"), Policy::default(), None, &["desktop", "webhook:ops"]);
    life.wake("2026-05-05T09:00:00");
    let webhook = life.deliveries.iter().find(|one| !one.id.target.kind.is_person()).expect("it is sent").id.clone();
    let failed = || Report::Failed { error: "503".into(), is_final: false, retry_after: None };
    life.report("2026-05-05T09:00:00", &webhook, failed());
    life.report("2026-05-05T09:00:10", &webhook, failed());
    insta::assert_snapshot!(life.story("2026-05-05T09:00:11"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00
    Tue  5 09:00  rang on time: the alert when due
    Tue  5 09:00    desktop: shown
    Tue  5 09:00    webhook:ops: 2 attempts failed, the next is at 09:00:35: 503
    Tue  5 09:00  now: due since 09:00, not answered
    Tue  5 09:00  next: nothing comes by itself
    "#);
    life.report("2026-05-05T09:02:31", &webhook, Report::DELIVERED);
    life.ask("2026-05-05T09:03:00", &Command::Ack { early: false, is_dismissal: false });
    life.ask(
        "2026-05-05T10:00:00",
        &Command::Edit(Box::new(Edit { schedule: Some(once("2026-05-06T16:00:00")), ..Edit::default() })),
    );
    life.ask("2026-05-05T10:01:00", &Command::Cancel);
    insta::assert_snapshot!(life.story("2026-05-05T10:01:00"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00
    Tue  5 09:00  rang on time: the alert when due
    Tue  5 09:00    desktop: shown
    Tue  5 09:02    webhook:ops: delivered, after 2 attempts that failed
    Tue  5 09:03  you saw it: it keeps quiet, and is still to be done
    Tue  5 10:00  you changed it: for "2026-05-06T16:00:00"
    Tue  5 10:00  its time moved from 09:00 to Wed 6 May 16:00: you changed it
    Tue  5 10:01  you cancelled it, 1d5h before due
    Tue  5 10:01  now: cancelled, at 10:01
    Tue  5 10:01  next: nothing comes by itself
    "#);
}

#[test]
fn one_that_nags_is_told_by_its_first_and_last_ring() {
    let nag = Some(Nag { every: Span::from_minutes(10), max: 8 });
    let mut life = Life::of(once("2026-05-05T09:00:00"), Policy { nag, ..Policy::default() }, None, &[]);
    for minute in 0..6 {
        life.wake(&format!("2026-05-05T09:{minute}0:00"));
    }
    insta::assert_snapshot!(life.story("2026-05-05T09:55:00"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00; then every 10m until answered
    Tue  5 09:00  rang on time: the alert when due
    Tue  5 09:00    desktop: shown
    Tue  5 09:10  rang again: nag 1, since nobody had answered
    Tue  5 09:10    desktop: shown
    Tue  5 09:20  … 3 more such rings until 09:40
    Tue  5 09:50  rang again: nag 5, since nobody had answered
    Tue  5 09:50    desktop: shown
    Tue  5 09:55  now: due since 09:00, not answered
    Tue  5 10:00  next: nag 6, unless it is answered
    "#);
}

#[test]
fn what_runs_is_no_silence() {
    let program = Program {
        line: Line::Arguments(vec!["true".into()]),
        directory: String::new(),
        environment: BTreeMap::new(),
        timeout: None,
        overlap: Overlap::Skip,
        nice: 0,
        limits: Limits::default(),
        ping: None,
    };
    let details = Details { command: Some(Box::new(program)), ..Details::default() };
    let mut life = Life::with(once("2026-05-05T09:00:00"), Policy::default(), Some(Vec::new()), details);
    insta::assert_snapshot!(life.story("2026-05-04T10:00:00"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00; its command runs then
    Mon  4 10:00  now: scheduled, due Tue 5 May 09:00
    Tue  5 09:00  next: its command runs
    "#);
    life.wake("2026-05-05T09:00:00");
    insta::assert_snapshot!(life.story("2026-05-05T09:00:00"), @r#"
    Mon  4 09:02  added by you, for "2026-05-05T09:00:00": due Tue 5 May 09:00; its command runs then
    Tue  5 09:00  came due: its command runs
    Tue  5 09:00  now: its command runs, or is about to, since 09:00
    Tue  5 09:00  next: nothing comes by itself
    "#);
}
