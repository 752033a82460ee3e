//! Tasks and changes as no one would think of them, for property tests.

use std::collections::BTreeMap;
use std::future::Future;

use chrono::{NaiveDateTime, SubsecRound};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use uuid::Uuid;

use crate::domain::delivery::Target;
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Due, Instance, Nominal, Occurrence, OccurrenceKey, OccurrenceName, Outcome, Slot};
use crate::domain::run::{Limits, Line, Overlap, Program};
use crate::domain::schedule::{AfterDone, Calendar, Every, Interval, Rule, Schedule};
use crate::domain::secret::Secret;
use crate::domain::state::{Ended, Failed, Pending, Running, Snooze, State, Suspended};
use crate::domain::task::{
    Deadline, DeadlineTime, Details, Missed, Nag, Number, Policy, Priority, Task, TaskId, TaskLink,
};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::{Failure, HowFailed, Met, OnParentFail, Parent, Wait, Waits};
use crate::store::conformance::samples;
use crate::store::{Change, Store};

/// Runs a future to its end on a thread of its own, since the caller may be inside a runtime already.
pub(crate) fn block_on<T: Send>(future: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let run = || tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future);
        scope.spawn(run).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// New tasks with numbers from 1, each with one occurrence.
pub(crate) fn snapshots() -> impl Strategy<Value = Vec<Snapshot>> {
    vec((task(), occurrence()), 1..20).prop_map(|parts| {
        let number = |(number, (mut task, occurrence)): (u64, (Task, Occurrence))| {
            task.number = Number(number);
            Snapshot { task, occurrence }
        };
        (1..).zip(parts).map(number).collect()
    })
}

fn at() -> impl Strategy<Value = Timestamp> {
    let bounds = [Timestamp::MIN, Timestamp::MAX];
    let any = (Timestamp::MIN.as_millis()..=Timestamp::MAX.as_millis())
        .prop_map(|millis| Timestamp::from_millis(millis).expect("within range"));
    prop_oneof![1 => select(bounds.to_vec()), 9 => any]
}

fn local() -> impl Strategy<Value = NaiveDateTime> {
    at().prop_map(|at| at.to_utc().naive_utc())
}

fn span() -> impl Strategy<Value = Span> {
    any::<i64>().prop_map(Span::from_millis)
}

fn id() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..12).prop_map(String::from_iter)
}

fn slot() -> impl Strategy<Value = Slot> {
    prop_oneof![span().prop_map(Slot::Alert), any::<u32>().prop_map(Slot::Nag), span().prop_map(Slot::Deadline)]
}

fn nominal() -> impl Strategy<Value = Nominal> {
    prop_oneof![local().prop_map(Nominal::Local), at().prop_map(Nominal::Instant)]
}

/// Keys of local times are of whole seconds, as the rules make them.
fn key() -> impl Strategy<Value = OccurrenceKey> {
    prop_oneof![
        Just(OccurrenceKey::Once),
        local().prop_map(|local| OccurrenceKey::Date(local.date())),
        local().prop_map(|local| OccurrenceKey::DateTime(local.trunc_subsecs(0))),
        at().prop_map(OccurrenceKey::Instant),
        any::<u32>().prop_map(OccurrenceKey::Nth),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    select(Outcome::ALL.to_vec())
}

fn target() -> impl Strategy<Value = Target> {
    (select(vec![Target::desktop(), Target::terminal()]), text())
        .prop_map(|(target, address)| Target { address, ..target })
}

fn details() -> impl Strategy<Value = Details> {
    let priority = select(vec![Priority::Low, Priority::Normal, Priority::High]);
    let lists = (vec(text(), 0..3), btree_map(text(), text(), 0..3), vec(target(), 0..3));
    let patience = (any::<Option<u32>>(), of(span()), of(program()));
    (text(), text(), of(text()), priority, lists, patience).prop_map(
        |(title, notes, link, priority, (tags, metadata, targets), (max_retries, max_late, command))| Details {
            title,
            notes,
            link,
            priority,
            tags,
            metadata,
            targets,
            command: command.map(Box::new),
            max_retries,
            max_late,
        },
    )
}

fn program() -> impl Strategy<Value = Program> {
    let line = prop_oneof![vec(text(), 1..4).prop_map(Line::Arguments), text().prop_map(Line::Shell)];
    let limits = any::<(Option<u64>, Option<u64>, Option<u64>, Option<u64>)>()
        .prop_map(|(memory_bytes, cpu_s, processes, files)| Limits { memory_bytes, cpu_s, processes, files });
    let ping = of(text().prop_map(Secret::new));
    let rest = (text(), btree_map(text(), text(), 0..3), of(span()), select(Overlap::ALL.to_vec()), any::<u8>(), ping);
    (line, limits, rest).prop_map(|(line, limits, (directory, environment, timeout, overlap, nice, ping))| Program {
        line,
        directory,
        environment,
        timeout,
        overlap,
        nice,
        limits,
        ping,
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::None),
        local().prop_map(Rule::Once),
        at().prop_map(Rule::Countdown),
        (span(), at(), any::<Option<u32>>(), of(at()))
            .prop_map(|(every, from, count, until)| Rule::Interval(Interval { every, from, count, until })),
        (text(), local(), any::<Option<u32>>(), of(local()))
            .prop_map(|(rrule, from, count, until)| Rule::Calendar(Calendar { rrule, from, count, until })),
        after_done().prop_map(Rule::AfterDone),
    ]
}

fn after_done() -> impl Strategy<Value = AfterDone> {
    let every = prop_oneof![
        span().prop_map(Every::Span),
        any::<u32>().prop_map(Every::Days),
        any::<u32>().prop_map(Every::Months),
    ];
    let clock = of(local().prop_map(|local| local.time().trunc_subsecs(0)));
    (every, clock, nominal(), any::<Option<u32>>(), of(at())).prop_map(|(every, at, from, count, until)| AfterDone {
        every,
        at,
        from,
        count,
        until,
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let nag = of((span(), any::<u32>()).prop_map(|(every, max)| Nag { every, max }));
    (select(vec![Missed::Once, Missed::Skip]), nag, any::<bool>()).prop_map(|(missed, nag, auto_done)| Policy {
        missed,
        nag,
        auto_done,
    })
}

fn deadline() -> impl Strategy<Value = Deadline> {
    let time = prop_oneof![nominal().prop_map(DeadlineTime::At), span().prop_map(DeadlineTime::AfterDue)];
    (time, vec(span(), 0..3)).prop_map(|(time, alerts)| Deadline { time, alerts })
}

fn waits() -> impl Strategy<Value = Waits> {
    let name = (key(), any::<u32>()).prop_map(|(key, generation)| OccurrenceName { key, generation });
    let met = (name, at(), any::<bool>()).prop_map(|(occurrence, at, is_last)| Met { occurrence, at, is_last });
    let failed = (select(HowFailed::ALL.to_vec()), at()).prop_map(|(how, at)| Failure { how, at });
    let ended = prop_oneof![met.prop_map(Wait::Met), failed.prop_map(Wait::Failed)].boxed();
    let wait = prop_oneof![Just(Wait::Awaited), ended.clone()];
    let number = any::<u64>().prop_map(Number);
    let parent = (id(), number, wait, of(ended)).prop_map(|(id, number, wait, ahead)| {
        let id = TaskId(id);
        Parent { id, number, wait, ahead }
    });
    let on_fail = select(vec![OnParentFail::Hold, OnParentFail::Run, OnParentFail::Cancel]);
    (vec(parent, 0..3), of(span()), on_fail).prop_map(|(parents, delay, on_fail)| {
        // What waits for nothing has nothing to say of it.
        if parents.is_empty() { Waits::default() } else { Waits { parents, delay, on_fail } }
    })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let zone = of(select(chrono_tz::TZ_VARIANTS.to_vec()));
    (text(), rule(), zone).prop_map(|(text, rule, zone)| Schedule { text, rule, zone })
}

fn task() -> impl Strategy<Value = Task> {
    let instance = || of((key(), nominal(), at()).prop_map(|(key, nominal, due)| Instance { key, nominal, due }));
    let link = || of((id(), 1_u64..9).prop_map(|(id, number)| TaskLink { id: TaskId(id), number: Number(number) }));
    let life = (policy(), of(deadline()), (link(), link()), waits());
    (id(), details(), schedule(), vec(span(), 0..4), life, (at(), at()), (instance(), instance()), of(outcome()))
        .prop_map(|(id, details, schedule, alerts, life, (created_at, updated_at), (cursor, last_ended), previous)| {
            Task {
                id: TaskId(id),
                number: Number(1),
                details,
                schedule,
                alerts,
                policy: life.0,
                deadline: life.1,
                waits: life.3,
                version: 1,
                created_at,
                updated_at,
                cursor,
                last_ended,
                previous,
                follows: life.2.0,
                followed_by: life.2.1,
                deleted_at: None,
            }
        })
}

fn snooze() -> impl Strategy<Value = Snooze> {
    (id(), at(), slot(), any::<(bool, bool)>()).prop_map(|(id, until, slot, (is_chosen, is_duration))| Snooze {
        id,
        until,
        slot,
        is_chosen,
        is_duration,
    })
}

fn state() -> impl Strategy<Value = State> {
    let ended = || (at(), outcome()).prop_map(|(at, outcome)| Ended { at, outcome });
    let suspended = (id(), at(), of(at()), of(span()), of(snooze()), any::<bool>(), of(at())).prop_map(
        |(id, since, until, remaining, snooze, is_this_only, acked_at)| Suspended {
            id,
            since,
            until,
            remaining,
            snooze,
            is_this_only,
            acked_at,
        },
    );
    prop_oneof![
        Just(State::Created),
        (of(snooze()), any::<bool>(), of(at())).prop_map(|(snooze, is_missed, retry_at)| State::Pending(Pending {
            snooze,
            is_missed,
            retry_at
        })),
        (at(), of(at()), any::<(u32, bool, bool)>(), of(at()), of(snooze()), of(at())).prop_map(
            |(fired_at, rang_at, (nags, is_hushed, late), acked_at, snooze, held_until)| {
                State::Running(Running { fired_at, rang_at, nags, is_hushed, late, acked_at, snooze, held_until })
            }
        ),
        suspended.prop_map(State::Suspended),
        at().prop_map(|at| State::Failed(Failed { at })),
        ended().prop_map(State::Completed),
        ended().prop_map(State::Cancelled),
    ]
}

fn occurrence() -> impl Strategy<Value = Occurrence> {
    let due = || of((nominal(), at()).prop_map(|(nominal, at)| Due { nominal, at }));
    let deadline = (of((nominal(), at()).prop_map(|(nominal, at)| Due { nominal, at })), any::<(bool, u32)>());
    (key(), any::<u32>(), (due(), due()), of(at()), (vec(slot(), 0..4), of(slot())), deadline, of(id()), state())
        .prop_map(
            |(
                key,
                generation,
                (due, moved_from),
                successor_at,
                (spoken, last_spoken),
                (deadline, (is_past_deadline, nags)),
                moved_by,
                state,
            )| Occurrence {
                key,
                generation,
                due,
                moved_from,
                successor_at,
                spoken,
                last_spoken,
                deadline,
                is_past_deadline,
                nags,
                moved_by,
                state,
            },
        )
}

/// One event to be: of which task, of which day, which operation, how far from the stored version, which firing, and
/// the state after it.
pub(crate) type Step = (u64, u32, usize, u64, u128, State);

/// Batches of steps over few tasks, days and firings, so that many are stale, double or about the same occurrence.
pub(crate) fn batches() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let distance = prop_oneof![9 => Just(1_u64), 1 => Just(2_u64)];
    let step = (1_u64..4, 10_u32..13, 0..OPERATIONS, distance, 0_u128..40, select(samples::states()));
    vec(vec(step, 1..5), 1..25)
}

/// Makes a change of steps, on top of what `store` holds. `last_id` counts the events.
pub(crate) fn change_of(store: &impl Store, steps: Vec<Step>, last_id: &mut u128) -> Change {
    let mut versions = BTreeMap::new();
    samples::change(steps.into_iter().map(|(number, day, operation, distance, fire_id, state)| {
        let version = versions.entry(number).or_insert_with(|| {
            store.snapshot(samples::task_id(number)).expect("readable").map_or(0, |snapshot| snapshot.task.version)
        });
        *version += distance;
        *last_id += 1;
        let mut snapshot = samples::snapshot(number, day, state);
        snapshot.task.version = *version;
        samples::event(*last_id, operation_of(operation, fire_id, &snapshot), &snapshot)
    }))
}

const OPERATIONS: usize = 7;

fn operation_of(index: usize, fire_id: u128, snapshot: &Snapshot) -> Operation {
    let occurrence = Box::new(snapshot.occurrence.clone());
    match index {
        0 => Operation::Added(Box::new(snapshot.clone())),
        1 | 2 => Operation::Opened(occurrence),
        3 => Operation::Moved(occurrence),
        4 => Operation::Fired(samples::firing(fire_id, false)),
        5 => Operation::Withdrawn,
        _ => Operation::Edited(Box::default()),
    }
}
