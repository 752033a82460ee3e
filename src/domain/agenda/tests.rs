//! What the agenda says is what the rules do when nobody does anything: the property, and the shapes that people see.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::domain::command::{Command, Expected, GRACE_DEFAULT, Moment, NewTask};
use crate::domain::delivery::{Delivery, Report, Target};
use crate::domain::occurrence::Nominal;
use crate::domain::pause::{Scope, standing};
use crate::domain::retry::Jitter;
use crate::domain::routing::Routing;
use crate::domain::run::{Limits, Line, Overlap, Program};
use crate::domain::schedule::{AfterDone, Calendar, Cron, Every, Interval, Schedule};
use crate::domain::task::{Deadline, DeadlineTime, Details, Missed, Nag, Policy, TaskId};
use crate::domain::time::resolve;
use crate::domain::transition::{Transition, create, transition};
use crate::domain::waiting::SetWaits;

const BERLIN: Tz = Tz::Europe__Berlin;

/// Returns an instant of Berlin's clock in 2026: `at("03-29 09:30")`.
fn at(text: &str) -> Timestamp {
    let local = chrono::NaiveDateTime::parse_from_str(&format!("2026-{text}:00"), "%Y-%m-%d %H:%M:%S");
    resolve(local.expect("a time of the test's own"), BERLIN).expect("in range").0
}

fn stretch(now: &str, from: &str, to: &str) -> Stretch {
    Stretch { now: at(now), zone: BERLIN, days_of: BERLIN, from: at(from), to: at(to) }
}

const WHOLE: Part = Part { since: Timestamp::MIN, skip: 0, limit: usize::MAX / 2 };

/// A task that lives by the rules, and what it said.
#[derive(Clone, Debug)]
struct Life {
    snapshot: Snapshot,
    deliveries: Vec<Delivery>,
    around: Around,
    said: Vec<(Timestamp, Slot, OccurrenceKey)>,
}

impl Life {
    fn new(number: u64, schedule: Schedule, now: Timestamp, change: impl FnOnce(&mut NewTask)) -> Option<Self> {
        let mut new = NewTask {
            id: TaskId(Uuid::from_u128(number.into())),
            number: Number(number),
            details: Details { title: format!("task {number}"), ..Details::default() },
            schedule,
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
        };
        change(&mut new);
        let born = create(new, &moment(now, &[], &[])).ok()?;
        let mut life =
            Self { snapshot: born.after.clone(), deliveries: Vec::new(), around: Around::default(), said: Vec::new() };
        life.take(now, born);
        Some(life)
    }

    fn take(&mut self, now: Timestamp, done: Transition) {
        for step in &done.steps {
            if let Some(firing) = step.operation.firing() {
                self.said.push((now, firing.slot, step.snapshot.occurrence.key));
            }
        }
        for delivery in done.deliveries {
            self.deliveries.retain(|known| known.id != delivery.id);
            self.deliveries.push(delivery);
        }
        self.snapshot = done.after;
        let name = self.snapshot.occurrence.name();
        self.deliveries.retain(|delivery| delivery.occurrence == name);
    }

    fn ask(&mut self, now: Timestamp, command: &Command) {
        let moment = moment(now, &self.around.pauses, &self.snapshot.task.details.tags);
        let done = transition(&self.snapshot, &self.deliveries, command, Expected::default(), &moment);
        if let Ok(done) = done {
            self.take(now, done);
        }
    }

    /// Lets the clock run up to `to`, which is not reached; everything that is sent arrives.
    fn run(&mut self, from: Timestamp, to: Timestamp, answers: bool) {
        while let Some(next) = self.snapshot.next_wake().map(|next| next.max(from)).filter(|next| *next < to) {
            self.ask(next, &Command::Wake);
            for delivery in self.deliveries.iter().map(|each| each.id.clone()).collect::<Vec<_>>() {
                let report = Report::DELIVERED;
                self.ask(next, &Command::Report { delivery, report, jitter: Jitter::NONE, is_probe: false });
            }
            while answers && matches!(self.snapshot.occurrence.state, State::Running(_)) {
                self.ask(next, &Command::Done { early: false });
            }
        }
    }
}

fn moment(now: Timestamp, pauses: &[ManyPause], tags: &[String]) -> Moment<'static> {
    Moment {
        now,
        zone: BERLIN,
        device: Uuid::nil(),
        op_id: Uuid::from_u64_pair(7, now.as_millis().unsigned_abs()),
        grace: GRACE_DEFAULT,
        is_desktop_away: false,
        standing: standing(pauses, tags, now),
        quiet_until: None,
        routing: Routing::none(),
        is_away: false,
    }
}

/// What the agenda says, each time of what is several alone.
fn told(life: &Life, stretch: &Stretch, keeps: impl Fn(Condition) -> bool) -> BTreeSet<(Timestamp, String)> {
    let told = of_one(&life.snapshot, &life.around, stretch, Bounds { steps_max: 100_000, folds: false });
    assert_eq!(told.cut_at, None);
    let mut said = BTreeSet::new();
    for firing in told.firings.into_iter().filter(|firing| keeps(firing.only_if)) {
        for time in 0..firing.times {
            let behind = firing.every.map_or(0, |every| every.as_millis() * i64::try_from(time).unwrap());
            let at = firing.at.saturating_add(Span::from_millis(behind));
            assert!(said.insert((at, word(firing.slot))), "{firing:?} is told twice");
        }
    }
    said
}

/// The number of a nag is not compared: several in one are told under the first.
fn word(slot: Slot) -> String {
    if matches!(slot, Slot::Nag(_)) { "nag".to_owned() } else { slot.to_string() }
}

fn said(life: &Life, stretch: &Stretch) -> BTreeSet<(Timestamp, String)> {
    let within = |(at, _, _): &&(Timestamp, Slot, OccurrenceKey)| (stretch.from..stretch.to).contains(at);
    life.said.iter().filter(within).map(|(at, slot, _)| (*at, word(*slot))).collect()
}

fn rule(text: &str) -> Rule {
    let from = at("03-20 08:00").local(BERLIN);
    if let Some(rrule) = text.strip_prefix("rrule ") {
        return Rule::Calendar(Calendar { rrule: rrule.to_owned(), from, count: None, until: None });
    }
    Rule::Cron(Cron { expression: text.to_owned(), from, count: None, until: None })
}

fn schedule(rule: Rule) -> Schedule {
    Schedule { text: String::new(), rule, zone: None }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let from = at("03-20 08:00");
    prop_oneof![
        (1i64..4000)
            .prop_map(move |minutes| Rule::Once(from.saturating_add(Span::from_minutes(minutes)).local(BERLIN))),
        (1i64..4000).prop_map(move |minutes| Rule::Countdown(from.saturating_add(Span::from_minutes(minutes)))),
        (20i64..3000, prop::option::of(1u32..9), prop::option::of(1i64..20_000)).prop_map(
            move |(every, count, until)| {
                Rule::Interval(Interval {
                    every: Span::from_minutes(every),
                    from,
                    count,
                    until: until.map(|minutes| from.saturating_add(Span::from_minutes(minutes))),
                })
            }
        ),
        prop::sample::select(vec![
            "rrule FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
            "rrule FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0",
            "rrule FREQ=DAILY;BYHOUR=9,12,18;BYMINUTE=0;BYSECOND=0",
            "rrule FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7;BYMINUTE=15;BYSECOND=0",
            "rrule FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
            "0 */3 * * *",
            "30 1-3 * * *",
            "0 9 * * MON-FRI",
        ])
        .prop_map(rule),
        (1u32..4).prop_map(move |days| {
            Rule::AfterDone(AfterDone {
                every: Every::Days(days),
                at: None,
                from: Nominal::Instant(from.saturating_add(Span::from_minutes(90))),
                count: None,
                until: None,
            })
        }),
    ]
}

/// What happens to the task before the question.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    Done,
    Snooze(i64),
    Pause(Option<i64>),
    PauseAll(Option<i64>),
    Ack,
}

fn any_before() -> impl Strategy<Value = Before> {
    prop_oneof![
        3 => Just(Before::Nothing),
        1 => Just(Before::Done),
        1 => (1i64..3000).prop_map(Before::Snooze),
        1 => prop::option::of(1i64..6000).prop_map(Before::Pause),
        1 => prop::option::of(1i64..6000).prop_map(Before::PauseAll),
        1 => Just(Before::Ack),
    ]
}

fn any_life() -> impl Strategy<Value = (Life, Timestamp)> {
    let offsets = || prop::sample::select(vec![-2880i64, -90, -60, -15, 0, 15, 60, 200, 1440]);
    let alerts = prop_oneof![2 => Just(vec![0]), 3 => prop::collection::vec(offsets(), 0..4)];
    let deadline = prop::option::weighted(0.3, (0i64..2000, prop::collection::vec(offsets(), 0..3)));
    let nag = prop::option::weighted(0.3, (1i64..120, 1u32..6));
    let policy = (nag, prop::bool::weighted(0.2), prop::bool::weighted(0.2), prop::bool::weighted(0.2));
    (any_rule(), alerts, deadline, policy, any_before(), 1i64..9000).prop_filter_map(
        "a task that can be",
        |(rule, alerts, deadline, (nag, auto_done, for_programs, skips), before, minutes)| {
            let born = at("03-20 08:00");
            let minutes_of = |list: &[i64]| list.iter().map(|each| Span::from_minutes(*each)).collect::<Vec<_>>();
            let is_series = rule.is_series();
            let mut life = Life::new(1, schedule(rule), born, |new| {
                new.alerts = Some(minutes_of(&alerts));
                new.policy.nag = nag.map(|(every, max)| Nag { every: Span::from_minutes(every), max });
                new.policy.auto_done = auto_done;
                new.policy.missed = if skips { Missed::Skip } else { Missed::Once };
                if for_programs {
                    new.details.targets = vec![Target::parse("webhook:ci").expect("a target")];
                }
                new.deadline = deadline.map(|(behind, mut alerts)| {
                    alerts.sort_unstable();
                    alerts.dedup();
                    let time = if is_series {
                        DeadlineTime::AfterDue(Span::from_minutes(behind))
                    } else {
                        DeadlineTime::At(Nominal::Instant(born.saturating_add(Span::from_minutes(4000 + behind))))
                    };
                    Deadline { time, alerts: minutes_of(&alerts) }
                });
            })?;
            let now = born.saturating_add(Span::from_minutes(minutes));
            life.run(born, now.saturating_add(Span::from_millis(1)), false);
            let until = |minutes: i64| now.saturating_add(Span::from_minutes(minutes));
            match before {
                Before::Nothing => {}
                Before::Done => life.ask(now, &Command::Done { early: true }),
                Before::Ack => life.ask(now, &Command::Ack { early: true, is_dismissal: false }),
                Before::Snooze(for_) => {
                    life.ask(now, &Command::Snooze { until: until(for_), is_duration: false, early: true });
                }
                Before::Pause(for_) => life.ask(now, &Command::Pause { until: for_.map(until) }),
                Before::PauseAll(for_) => {
                    let until = for_.map(until);
                    let id = Uuid::from_u128(5);
                    life.around.pauses = vec![ManyPause { id, scope: Scope::All, since: now, until }];
                    life.ask(now, &Command::Pause { until });
                }
            }
            life.run(now, now.saturating_add(Span::from_millis(1)), false);
            Some((life, now))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(400), max_global_rejects: 1_000_000, ..ProptestConfig::default() })]

    #[test]
    fn the_agenda_is_what_the_rules_say_when_nobody_does_anything(
        (life, now) in any_life(), days in 1i64..40, later in prop_oneof![Just(0i64), 0i64..120],
    ) {
        let minute = Span::from_millis(1);
        let from = now.saturating_add(minute).saturating_add(Span::from_minutes(later * 24 * 60));
        let to = from.saturating_add(Span::from_minutes(days * 24 * 60));
        let stretch = Stretch { now, zone: BERLIN, days_of: BERLIN, from, to };
        let told = told(&life, &stretch, |only_if| only_if != Condition::Answered);
        let mut lived = life.clone();
        lived.said.clear();
        lived.run(now, to, false);
        prop_assert_eq!(told, said(&lived, &stretch));
    }

    #[test]
    fn the_agenda_is_what_the_rules_say_when_everything_is_answered_at_once(
        (life, now) in any_life(), days in 1i64..40,
    ) {
        let task = &life.snapshot.task;
        // What ends by itself is not answered; what counts from completions has no more than its open occurrence.
        prop_assume!(!task.policy.auto_done && !task.is_program_only());
        prop_assume!(!matches!(task.schedule.rule, Rule::AfterDone(_)));
        // Whoever answers does so at once.
        let mut lived = life.clone();
                prop_assume!(life.around.pauses.is_empty() && !matches!(life.snapshot.occurrence.state, State::Suspended(_)));
        let stretch = Stretch {
            now,
            zone: BERLIN,
            days_of: BERLIN,
            from: now.saturating_add(Span::from_millis(1)),
            to: now.saturating_add(Span::from_minutes(days * 24 * 60)),
        };
        let told = told(&life, &stretch, |only_if| only_if != Condition::Unanswered);
        lived.said.clear();
        if matches!(lived.snapshot.occurrence.state, State::Running(_)) {
            lived.ask(now, &Command::Done { early: false });
        }
        lived.run(now, stretch.to, true);
        prop_assert_eq!(told, said(&lived, &stretch));
    }

    #[test]
    fn what_is_folded_is_as_many_as_what_is_not((life, now) in any_life(), days in 1i64..40) {
        let to = now.saturating_add(Span::from_minutes(days * 24 * 60));
        let stretch = Stretch { now, zone: BERLIN, days_of: BERLIN, from: now, to };
        let times = |folds| -> u64 {
            let told = of_one(&life.snapshot, &life.around, &stretch, Bounds { steps_max: 100_000, folds });
            told.firings.iter().map(|firing| firing.times).sum()
        };
        prop_assert_eq!(times(true), times(false));
    }
}

// --- what people see ---

/// Tells an agenda as lines: when, which task, what.
fn shown(lives: &[Life], stretch: &Stretch) -> String {
    let tasks: Vec<Snapshot> = lives.iter().map(|life| life.snapshot.clone()).collect();
    let agenda = agenda(&tasks, &Around::default(), stretch, WHOLE);
    let mut told: Vec<String> = agenda
        .entries
        .iter()
        .map(|Entry { at, number, firing, runs, .. }| {
            let several = if firing.times > 1 {
                let every = firing.every.map_or_else(String::new, |every| format!(" every {every}"));
                format!("-{} x{}{every}", firing.last_at.in_zone(BERLIN).format("%H:%M"), firing.times)
            } else {
                String::new()
            };
            let only_if = match firing.only_if {
                Condition::Nothing => "",
                Condition::Unanswered => " unless answered",
                Condition::Answered => " if the one before is answered",
            };
            let runs = if *runs { " runs" } else { "" };
            format!("{}{several} #{number} {}{runs}{only_if}", at.in_zone(BERLIN).format("%m-%d %H:%M"), firing.slot)
        })
        .collect();
    told.extend(agenda.notes.iter().map(|note| format!("#{} {:?}", note.number, note.kind)));
    told.join("\n")
}

fn life(number: u64, rule: Rule, alerts: &[i64]) -> Life {
    let alerts = alerts.iter().map(|minutes| Span::from_minutes(*minutes)).collect();
    Life::new(number, schedule(rule), at("03-20 08:00"), |new| new.alerts = Some(alerts)).expect("a task")
}

#[test]
fn each_day_tells_its_alerts_and_what_they_depend_on() {
    let lives = [
        life(1, rule("rrule FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0"), &[-60, 0, 15]),
        life(2, Rule::Once(at("03-21 12:00").local(BERLIN)), &[0]),
    ];
    assert_snapshot!(shown(&lives, &stretch("03-20 08:30", "03-20 08:30", "03-22 00:00")), @"
    03-20 09:00 #1 0
    03-20 09:15 #1 +15m unless answered
    03-21 08:00 #1 -1h
    03-21 09:00 #1 0
    03-21 09:15 #1 +15m unless answered
    03-21 12:00 #2 0
    ");
}

/// A command says nothing when it is due, and stands in the agenda all the same; its early alerts do as those of others.
#[test]
fn what_a_task_runs_stands_among_what_rings() {
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
    let runs = |number: u64, rule: Rule, alerts: Option<Vec<Span>>| {
        Life::new(number, schedule(rule), at("03-20 08:00"), |new| {
            new.alerts = alerts;
            new.details.command = Some(Box::new(program.clone()));
        })
        .expect("a task")
    };
    let lives = [
        runs(1, rule("0 9 * * *"), Some(Vec::new())),
        runs(2, Rule::Once(at("03-21 12:00").local(BERLIN)), Some(vec![Span::from_minutes(-60)])),
        runs(3, rule("*/10 10-19 * * *"), Some(Vec::new())),
        life(4, rule("0 9 * * *"), &[0]),
    ];
    let stretch = stretch("03-20 08:30", "03-21 00:00", "03-22 00:00");
    assert_snapshot!(shown(&lives, &stretch), @"
    03-21 09:00 #1 0 runs
    03-21 09:00 #4 0
    03-21 10:00-19:50 x60 every 10m #3 0 runs
    03-21 11:00 #2 -1h
    03-21 12:00 #2 0 runs
    ");
}

#[test]
fn a_day_without_half_past_two_rings_at_three() {
    let lives = [life(1, rule("rrule FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0"), &[0])];
    assert_snapshot!(shown(&lives, &stretch("03-27 08:30", "03-28 00:00", "03-31 00:00")), @"
    03-28 02:30 #1 0
    03-29 03:00 #1 0
    03-30 02:30 #1 0
    ");
}

#[test]
fn what_is_many_a_day_is_one_line_and_short_and_long_days_have_their_own_number() {
    let every = Interval { every: Span::from_minutes(5), from: at("03-20 08:00"), count: None, until: None };
    let lives = [life(1, Rule::Interval(every), &[0]), life(2, rule("0 8-20 * * *"), &[0])];
    assert_snapshot!(shown(&lives, &stretch("03-28 12:00", "03-28 12:00", "03-31 00:00")), @"
    03-28 12:00-23:55 x144 every 5m #1 0
    03-28 12:00-20:00 x9 every 1h #2 0
    03-29 00:00-23:55 x276 every 5m #1 0
    03-29 08:00-20:00 x13 every 1h #2 0
    03-30 00:00-23:55 x288 every 5m #1 0
    03-30 08:00-20:00 x13 every 1h #2 0
    ");
    assert_snapshot!(shown(&lives, &stretch("10-24 12:00", "10-25 00:00", "10-26 00:00")), @"
    10-25 00:00-23:55 x300 every 5m #1 0
    10-25 08:00-20:00 x13 every 1h #2 0
    ");
}

#[test]
fn what_is_paused_or_counts_from_completions_is_noted() {
    let mut paused = life(1, rule("0 9 * * *"), &[0]);
    paused.ask(at("03-20 08:10"), &Command::Pause { until: None });
    let mut for_a_time = life(2, rule("0 9 * * *"), &[0]);
    for_a_time.ask(at("03-20 08:10"), &Command::Pause { until: Some(at("03-22 12:00")) });
    let after = AfterDone {
        every: Every::Days(7),
        at: None,
        from: Nominal::Local(at("03-21 10:00").local(BERLIN)),
        count: None,
        until: None,
    };
    let lives = [paused, for_a_time, life(3, Rule::AfterDone(after), &[0])];
    assert_snapshot!(shown(&lives, &stretch("03-20 08:30", "03-20 08:30", "03-25 00:00")), @"
    03-21 10:00 #3 0
    03-23 09:00 #2 0
    03-24 09:00 #2 0
    #1 Paused { until: None }
    #2 Paused { until: Some(2026-03-22T11:00:00Z) }
    #3 AfterDone
    ");
}

#[test]
fn a_nag_is_one_line_and_a_snooze_speaks_at_its_time() {
    let mut nagged = Life::new(1, schedule(Rule::Once(at("03-20 09:00").local(BERLIN))), at("03-20 08:00"), |new| {
        new.policy.nag = Some(Nag { every: Span::from_secs(1), max: u32::MAX });
    })
    .expect("a task");
    nagged.run(at("03-20 08:00"), at("03-20 08:30"), false);
    let mut snoozed = life(2, Rule::Once(at("03-20 08:10").local(BERLIN)), &[0]);
    snoozed.run(at("03-20 08:00"), at("03-20 08:30"), false);
    snoozed.ask(at("03-20 08:20"), &Command::Snooze { until: at("03-20 10:00"), is_duration: false, early: false });
    let asked = stretch("03-20 08:30", "03-20 08:30", "06-20 00:00");
    assert_snapshot!(shown(&[nagged, snoozed], &asked), @"
    03-20 09:00 #1 0
    03-20 09:00-23:59 x7912799 every 1s #1 nag#1 unless answered
    03-20 10:00 #2 0
    ");
}

#[test]
fn what_comes_up_each_minute_of_a_year_is_bounded_and_says_how_far_it_is_told() {
    let lives = [life(1, rule("* * * * *"), &[0])];
    let tasks: Vec<Snapshot> = lives.iter().map(|life| life.snapshot.clone()).collect();
    let asked = Stretch { to: at("12-31 00:00"), ..stretch("03-20 08:30", "03-20 08:30", "03-21 00:00") };
    let agenda = agenda(&tasks, &Around::default(), &asked, WHOLE);
    assert!(agenda.entries.len() <= 71, "{}", agenda.entries.len());
    assert!(matches!(agenda.notes.as_slice(), [Note { kind: NoteKind::CutAt { .. }, .. }]), "{:?}", agenda.notes);
}

#[test]
fn the_parts_of_an_agenda_are_the_whole() {
    let lives: Vec<Life> = (1..8).map(|number| life(number, rule("0 9,15 * * *"), &[-30, 0])).collect();
    let tasks: Vec<Snapshot> = lives.iter().map(|life| life.snapshot.clone()).collect();
    let asked = stretch("03-20 08:30", "03-20 08:30", "04-20 00:00");
    let whole = agenda(&tasks, &Around::default(), &asked, WHOLE);
    let mut parts: Vec<Entry> = Vec::new();
    loop {
        let since = parts.last().map_or(Timestamp::MIN, |last| last.at);
        let skip = parts.iter().rev().take_while(|entry| entry.at == since).count();
        let part = agenda(&tasks, &Around::default(), &asked, Part { since, skip, limit: 5 });
        assert_eq!(part.left_out + part.entries.len() + parts.len(), whole.entries.len());
        parts.extend(part.entries);
        if part.left_out == 0 {
            break;
        }
    }
    assert_eq!(parts, whole.entries);
}
