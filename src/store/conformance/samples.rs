//! Tasks, events and deliveries for the suite, each value different from the next so that a mix-up shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{NaiveDate, NaiveDateTime};
use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Frozen, Target};
use crate::domain::event::{Actor, Event, Firing, Operation, Snapshot};
use crate::domain::message::{Message, Occasion, Reason};
use crate::domain::occurrence::{
    Due, FireId, Instance, Nominal, Occurrence, OccurrenceKey, OccurrenceName, Outcome, Slot,
};
use crate::domain::run::{Limits, Line, Overlap, Program, Progress, Run, RunEnd, RunId, RunStatus};
use crate::domain::schedule::{Calendar, Cron, Interval, Rule, Schedule};
use crate::domain::secret::Secret;
use crate::domain::state::{Ended, Failed, Pending, Running, Snooze, State, StateName, Suspended};
use crate::domain::task::{
    Deadline, DeadlineTime, Details, Missed, Nag, Number, Policy, Priority, Task, TaskId, TaskLink,
};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::{Failure, HowFailed, Met, OnParentFail, Parent, SetWaits, Wait, Waits};
use crate::store::{Change, Store, Wake};

/// The installation of the stores under test.
pub(crate) const DEVICE: Uuid = Uuid::from_u128(0xdeed);

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).expect("samples lie within 1970 to 9999")
}

pub(crate) fn local(text: &str) -> NaiveDateTime {
    text.parse().expect("a local time of the suite's own")
}

/// The id of task `number`; such ids sort as their numbers do.
pub(crate) fn task_id(number: u64) -> TaskId {
    TaskId(Uuid::from_u128(0x0190_aaaa_0000_7000_8000_0000_0000_0000 + u128::from(number)))
}

pub(crate) fn key(day: u32) -> OccurrenceKey {
    OccurrenceKey::Date(NaiveDate::from_ymd_opt(2026, 5, day).expect("a day of May"))
}

pub(crate) fn task(number: u64, version: u64) -> Task {
    Task {
        id: task_id(number),
        number: Number(number),
        details: Details { title: format!("task {number}"), ..Details::default() },
        schedule: daily(),
        alerts: vec![Span::from_minutes(-60), Span::ZERO],
        policy: Policy { missed: Missed::Skip, nag: Some(nag()), auto_done: true },
        deadline: Some(deadline()),
        waits: waits(),
        version,
        created_at: at(1_000),
        updated_at: at(2_000 + i64::try_from(version).expect("small")),
        cursor: None,
        last_ended: None,
        previous: None,
        follows: Some(TaskLink { id: task_id(number + 100), number: Number(number + 100) }),
        followed_by: None,
        deleted_at: None,
    }
}

pub(crate) fn daily() -> Schedule {
    let calendar = Calendar {
        rrule: "FREQ=DAILY;BYHOUR=9".into(),
        from: local("2026-05-01T09:00:00"),
        count: Some(30),
        until: Some(local("2026-06-01T09:00:00.250")),
    };
    Schedule { text: "every day at 9".into(), rule: Rule::Calendar(calendar), zone: Some(chrono_tz::Asia::Shanghai) }
}

pub(crate) fn occurrence(day: u32, state: State) -> Occurrence {
    let nominal = local(&format!("2026-05-{day:02}T09:00:00"));
    Occurrence {
        key: key(day),
        generation: 1,
        due: Some(Due { nominal: Nominal::Local(nominal), at: at(1_778_000_000_000 + i64::from(day) * 86_400_000) }),
        moved_from: Some(Due { nominal: Nominal::Local(nominal), at: at(1_778_200_000_000) }),
        successor_at: Some(at(1_778_000_000_000 + i64::from(day + 1) * 86_400_000)),
        spoken: vec![Slot::Alert(Span::from_minutes(-60)), Slot::DEADLINE],
        last_spoken: Some(Slot::Alert(Span::from_minutes(-60))),
        deadline: Some(Due { nominal: Nominal::Local(nominal), at: at(1_778_100_000_000) }),
        is_past_deadline: true,
        nags: 3,
        moved_by: None,
        state,
    }
}

/// Task `number` in its first version, with an occurrence of `day`.
pub(crate) fn snapshot(number: u64, day: u32, state: State) -> Snapshot {
    Snapshot { task: task(number, 1), occurrence: occurrence(day, state) }
}

/// The snapshot as a later version has it.
pub(crate) fn later(snapshot: &Snapshot, version: u64) -> Snapshot {
    let mut after = snapshot.clone();
    after.task.version = version;
    after
}

pub(crate) fn with_occurrence(snapshot: &Snapshot, version: u64, occurrence: Occurrence) -> Snapshot {
    Snapshot { occurrence, ..later(snapshot, version) }
}

pub(crate) fn snooze() -> Snooze {
    let slot = Slot::Alert(Span::from_minutes(-15));
    Snooze { id: Uuid::from_u128(71), until: at(1_779_000_000_123), slot, is_chosen: true, is_duration: true }
}

pub(crate) fn suspended() -> Suspended {
    Suspended {
        id: Uuid::from_u128(72),
        since: at(1_779_000_000_001),
        until: Some(at(1_779_000_000_002)),
        remaining: Some(Span::from_millis(1_234)),
        snooze: Some(Snooze { is_chosen: false, ..snooze() }),
        is_this_only: true,
        acked_at: Some(at(1_778_999_999_999)),
    }
}

/// Every state with all its data and with none of what may be absent.
pub(crate) fn states() -> Vec<State> {
    StateName::ALL.into_iter().flat_map(states_named).collect()
}

fn states_named(name: StateName) -> Vec<State> {
    let ended = |outcome| Ended { at: at(1_779_000_000_003), outcome };
    let running = Running {
        fired_at: at(1_779_000_000_004),
        rang_at: Some(at(1_779_000_000_006)),
        nags: 2,
        is_hushed: true,
        late: true,
        acked_at: Some(at(1_779_000_000_005)),
        snooze: Some(snooze()),
        held_until: Some(at(1_779_000_000_007)),
    };
    match name {
        StateName::Created => vec![State::Created],
        StateName::Pending => {
            vec![
                State::Pending(Pending::default()),
                State::Pending(Pending {
                    snooze: Some(snooze()),
                    is_missed: true,
                    retry_at: Some(at(1_779_000_000_009)),
                }),
            ]
        }
        StateName::Running => {
            vec![
                State::Running(running),
                State::Running(Running { late: false, acked_at: None, snooze: None, ..running }),
            ]
        }
        StateName::Suspended => {
            let bare = Suspended {
                until: None,
                remaining: None,
                snooze: None,
                is_this_only: false,
                acked_at: None,
                ..suspended()
            };
            vec![State::Suspended(suspended()), State::Suspended(bare)]
        }
        StateName::Failed => vec![State::Failed(Failed { at: at(1_779_000_000_006) })],
        StateName::Completed => [Outcome::Done, Outcome::Unanswered].map(|o| State::Completed(ended(o))).into(),
        StateName::Cancelled => [Outcome::Undelivered, Outcome::RetriesExhausted, Outcome::Cancelled, Outcome::Skipped]
            .map(|outcome| State::Cancelled(ended(outcome)))
            .into(),
    }
}

/// Every kind of schedule with all its data and with none of what may be absent.
pub(crate) fn schedules() -> Vec<Schedule> {
    let interval = Interval { every: Span::from_minutes(45), from: at(1_001), count: Some(12), until: Some(at(9_007)) };
    let Rule::Calendar(calendar) = daily().rule else { unreachable!("daily is a calendar rule") };
    let cron = Cron {
        expression: "0 9 L * ?".into(),
        from: local("2026-05-01T09:00:00"),
        count: Some(4),
        until: Some(local("2027-06-01T09:00:00")),
    };
    let rules = [
        Rule::None,
        Rule::Once(local("2026-05-13T15:00:00")),
        Rule::Countdown(at(1_778_000_000_777)),
        Rule::Interval(Interval { count: None, until: None, ..interval }),
        Rule::Interval(interval),
        Rule::Calendar(Calendar { count: None, until: None, ..calendar.clone() }),
        Rule::Calendar(calendar),
        Rule::Cron(cron.clone()),
        Rule::Cron(Cron { count: None, until: None, ..cron }),
    ];
    let schedule = |rule| Schedule { text: String::new(), rule, zone: None };
    let mut schedules: Vec<Schedule> = rules.map(schedule).into();
    schedules.push(daily());
    schedules
}

/// Every operation, with all its data and, where something may be absent, without.
pub(crate) fn operations(snapshot: &Snapshot) -> Vec<Operation> {
    let first = Operation::Added(Box::new(snapshot.clone()));
    let mut all: Vec<Operation> =
        std::iter::successors(Some(first), |operation| operation_after(operation, snapshot)).collect();
    all.extend([
        Operation::Spoke(firing(902, false)),
        Operation::Suspended(Suspended { until: None, remaining: None, snooze: None, ..suspended() }),
        Operation::Snoozed { snooze: snooze(), swallowed: Vec::new() },
        Operation::Resumed { due: None, snooze: None },
        Operation::Edited(Box::default()),
        Operation::Edited(Box::new(Edit {
            link: Some(None),
            max_retries: Some(None),
            max_late: Some(None),
            deadline: Some(None),
            nag: Some(None),
            ..Edit::default()
        })),
        Operation::Resent { fire_id: FireId(Uuid::from_u128(900)), target: Target::desktop() },
        Operation::WaitsSet(Box::default()),
    ]);
    all
}

/// Returns a sample of the variant that follows, so that the compiler asks for a sample of each new one.
fn operation_after(operation: &Operation, snapshot: &Snapshot) -> Option<Operation> {
    let occurrence = || Box::new(snapshot.occurrence.clone());
    let swallowed = vec![Slot::DUE, Slot::Alert(Span::from_minutes(5))];
    Some(match operation {
        Operation::Added(_) => Operation::Opened(occurrence()),
        Operation::Opened(_) => Operation::Armed,
        Operation::Armed => Operation::Spoke(firing(900, false)),
        Operation::Spoke(_) => Operation::Fired(firing(901, true)),
        Operation::Fired(_) => Operation::Started,
        Operation::Started => Operation::Acked { is_dismissal: true },
        Operation::Acked { .. } => Operation::Suspended(suspended()),
        Operation::Suspended(_) => Operation::Snoozed { snooze: snooze(), swallowed },
        Operation::Snoozed { .. } => Operation::Resumed { due: snapshot.occurrence.due, snooze: Some(snooze()) },
        Operation::Resumed { .. } => Operation::Edited(Box::new(full_edit())),
        Operation::Edited(_) => Operation::Moved(occurrence()),
        Operation::Moved(_) => {
            Operation::Followed { by: TaskLink { id: task_id(99), number: Number(99) }, schedule: Box::new(daily()) }
        }
        Operation::Followed { .. } => Operation::Failed,
        Operation::Failed => Operation::Retried { at: Some(at(1_779_000_000_014)) },
        Operation::Retried { .. } => Operation::RunStarted { attempt: 2 },
        Operation::RunStarted { .. } => Operation::Progressed(Progress { percent: 40, text: "half 半".into() }),
        Operation::Progressed(_) => Operation::RunEnded { attempt: 2, end: RunEnd::Exit(3) },
        Operation::RunEnded { .. } => Operation::Completed(Outcome::Unanswered),
        Operation::Completed(_) => Operation::Cancelled(Outcome::Skipped),
        // Last, since it removes the occurrence of the ones before.
        Operation::Cancelled(_) => {
            let target = Target { address: "room 4".into(), ..Target::terminal() };
            Operation::Resent { fire_id: FireId(Uuid::from_u128(900)), target }
        }
        Operation::Resent { fire_id, target } => Operation::Expired { fire_id: *fire_id, target: target.clone() },
        Operation::Held { .. } => Operation::DeadlinePassed,
        Operation::Expired { .. } => {
            Operation::PassedOver { instances: u64::MAX, from: at(1_779_000_000_009), to: at(1_779_000_000_010) }
        }
        Operation::PassedOver { .. } => Operation::Missed {
            slots: vec![Slot::DUE, Slot::Nag(2)],
            from: at(1_779_000_000_011),
            to: at(1_779_000_000_012),
        },
        Operation::Missed { .. } => Operation::Held { until: Some(at(1_779_000_000_013)) },
        Operation::DeadlinePassed => Operation::WaitsSet(Box::new(waits())),
        Operation::WaitsSet(_) => Operation::ParentDone(waits().parents[1]),
        Operation::ParentDone(_) => Operation::ParentFailed(waits().parents[2]),
        Operation::ParentFailed(_) => Operation::Freed(occurrence()),
        Operation::Freed(_) => Operation::Unblocked,
        Operation::Unblocked => Operation::Deleted,
        Operation::Deleted => Operation::Restored(Box::new(snapshot.clone())),
        Operation::Restored(_) => Operation::Withdrawn,
        Operation::Withdrawn => return None,
    })
}

pub(crate) fn firing(id: u128, late: bool) -> Firing {
    let fire_id = FireId(Uuid::from_u128(id));
    Firing {
        fire_id,
        slot: Slot::Alert(Span::from_minutes(15)),
        nominal_at: at(1_779_000_000_008),
        late,
        swallowed: late.then_some(Slot::DUE).into_iter().collect(),
    }
}

pub(crate) fn program() -> Program {
    Program {
        line: Line::Arguments(vec!["echo".into(), "a  b".into(), String::new()]),
        directory: "/home/me/到".into(),
        environment: BTreeMap::from([("PATH".into(), "/bin".into())]),
        timeout: Some(Span::from_secs(90)),
        overlap: Overlap::Queue,
        nice: 10,
        limits: Limits { memory_bytes: Some(1 << 40), files: Some(64), ..Limits::default() },
        ping: Some(Secret::new("https://hc-ping.com/key".into())),
    }
}

pub(crate) fn run(attempt: u32, status: RunStatus) -> Run {
    let (task, occurrence) = (task_id(1), OccurrenceName { key: OccurrenceKey::Once, generation: 1 });
    Run {
        id: RunId::compute(task, occurrence, attempt),
        task,
        occurrence,
        attempt,
        program: program(),
        status,
        created_at: at(1_779_000_000_020),
        resumes_from: Some("page 7".into()),
        checkpoint: Some("page 9".into()),
        progress: Some(Progress { percent: 40, text: "half 半".into() }),
    }
}

pub(crate) fn full_details() -> Details {
    Details {
        command: Some(Box::new(program())),
        title: "交房租 🏠 pay rent".into(),
        notes: "two\nlines".into(),
        link: Some("https://example.org/?q=1".into()),
        priority: Priority::High,
        tags: vec!["home".into(), "money".into()],
        metadata: BTreeMap::from([("a".into(), "1".into()), ("b".into(), String::new())]),
        targets: vec![Target::desktop(), Target { address: "pts/3".into(), ..Target::terminal() }],
        max_retries: Some(7),
        max_late: Some(Span::from_minutes(120)),
    }
}

fn nag() -> Nag {
    Nag { every: Span::from_minutes(10), max: 5 }
}

fn deadline() -> Deadline {
    Deadline {
        time: DeadlineTime::AfterDue(Span::from_minutes(480)),
        alerts: vec![Span::from_minutes(-60), Span::ZERO],
    }
}

fn full_edit() -> Edit {
    let details = full_details();
    Edit {
        command: Some(Some(Box::new(program()))),
        title: Some(details.title),
        notes: Some(details.notes),
        link: Some(details.link),
        priority: Some(details.priority),
        tags: Some(details.tags),
        metadata: Some(details.metadata),
        targets: Some(details.targets),
        max_retries: Some(details.max_retries),
        max_late: Some(details.max_late),
        schedule: Some(daily()),
        alerts: Some(vec![Span::from_minutes(-5)]),
        deadline: Some(Some(deadline())),
        missed: Some(Missed::Skip),
        nag: Some(Some(nag())),
        auto_done: Some(true),
        waits: SetWaits::default(),
    }
}

/// Returns what a task waits for, with a parent in each standing.
pub(crate) fn waits() -> Waits {
    let occurrence = OccurrenceName { key: key(13), generation: 2 };
    let met = Wait::Met(Met { occurrence, at: at(1_779_000_000_020), is_last: true });
    let failed = Wait::Failed(Failure { how: HowFailed::Deleted, at: at(1_779_000_000_021) });
    let parent = |number, wait, ahead| Parent { id: task_id(number), number: Number(number), wait, ahead };
    Waits {
        parents: vec![parent(501, Wait::Awaited, Some(met)), parent(502, met, Some(failed)), parent(503, failed, None)],
        delay: Some(Span::from_minutes(30)),
        on_fail: OnParentFail::Cancel,
    }
}

pub(crate) fn full_task(number: u64) -> Task {
    Task {
        details: full_details(),
        cursor: Some(Instance { key: key(3), nominal: Nominal::Instant(at(1_234_567)), due: at(7_654_321) }),
        last_ended: Some(Instance { key: key(2), nominal: Nominal::Instant(at(1_234_566)), due: at(7_654_320) }),
        previous: Some(Outcome::Undelivered),
        ..task(number, 1)
    }
}

/// An event; its id is `seq` of the suite's own counting, so that each is another.
pub(crate) fn event(id: u128, operation: Operation, snapshot: &Snapshot) -> Event {
    Event {
        event_id: Uuid::from_u128(0xeeee_0000 + id),
        op_id: Uuid::from_u128(0x0b0b_0000 + id),
        device: DEVICE,
        actor: Actor::Person,
        at: at(1_778_500_000_000),
        operation,
        from: None,
        to: Some(snapshot.occurrence.state.name()),
        reason: String::new(),
        snapshot: snapshot.clone(),
    }
}

pub(crate) fn added(id: u128, snapshot: &Snapshot) -> Event {
    event(id, Operation::Added(Box::new(snapshot.clone())), snapshot)
}

pub(crate) fn opened(id: u128, snapshot: &Snapshot) -> Event {
    event(id, Operation::Opened(Box::new(snapshot.occurrence.clone())), snapshot)
}

pub(crate) fn change(events: impl IntoIterator<Item = Event>) -> Change {
    Change { events: events.into_iter().collect(), ..Change::default() }
}

/// Adds tasks 1 to `count`, PENDING, and returns their snapshots.
pub(crate) async fn add_tasks(store: &impl Store, count: u64) -> Vec<Snapshot> {
    let snapshots: Vec<Snapshot> =
        (1..=count).map(|number| snapshot(number, 13, State::Pending(Pending::default()))).collect();
    let events = snapshots.iter().map(|snapshot| added(snapshot.task.number.0.into(), snapshot));
    store.commit(change(events)).await.expect("new tasks are written");
    snapshots
}

pub(crate) fn delivery(fire_id: u128, task: &Task, status: DeliveryStatus) -> Delivery {
    Delivery {
        id: DeliveryId { fire_id: FireId(Uuid::from_u128(fire_id)), target: Target::desktop() },
        task: task.id,
        occurrence: OccurrenceName { key: key(13), generation: 1 },
        message: Message {
            number: task.number,
            title: "交房租".into(),
            body: "due 09:00\nnotes".into(),
            priority: Priority::High,
            link: Some("https://example.org".into()),
        },
        occasion: Occasion {
            device: Uuid::from_u128(5),
            reason: Reason::Alert,
            slot: Slot::Alert(Span::from_minutes(-60)),
            nominal_at: at(1_778_000_000_100),
            late: true,
            due: task.cursor.map(|cursor| Due { nominal: cursor.nominal, at: cursor.due }),
            notes: "notes".into(),
            tags: vec!["家".into()],
            metadata: [("a".into(), "b".into())].into(),
        },
        status,
        frozen: Some(Arc::new(Frozen {
            headers: vec![("content-type".into(), "text/plain".into())],
            body: "交房租 🏠".into(),
        })),
        expires_at: Some(at(1_778_000_000_999)),
        attempts: 3,
        created_at: at(1_778_000_000_111),
        last_error: Some("no server".into()),
        digest: Some(FireId(Uuid::from_u128(fire_id + 1_000))),
        receipt: Some("42".into()),
    }
}

/// All that a store answers of itself, to be compared as a whole.
pub(crate) fn everything(store: &impl Store) -> String {
    let mut wakes = store.wakes().expect("readable");
    wakes.sort_unstable();
    let list = store.list(crate::store::Which::All).expect("readable");
    let number_of = |wake: &Wake| store.snapshot(wake.id).expect("readable").expect("it is there").task.number;
    let earliest = wakes.iter().min_by_key(|wake| (wake.at, number_of(wake))).copied();
    assert_eq!(store.next_wake().expect("readable"), earliest);
    let has_come = |wake: &&Wake| {
        let snapshot = store.snapshot(wake.id).expect("readable").expect("it is there");
        snapshot.occurrence.state.name() == crate::domain::state::StateName::Running
    };
    let coming = wakes.iter().filter(|wake| !has_come(wake)).min_by_key(|wake| (wake.at, number_of(wake))).copied();
    assert_eq!(store.next_coming().expect("readable"), coming);
    let ids: Vec<TaskId> = list.iter().map(|snapshot| snapshot.task.id).collect();
    assert_eq!(store.snapshots(&ids).expect("readable"), list);
    let deliveries: Vec<_> =
        list.iter().map(|snapshot| store.deliveries(snapshot.task.id, None).expect("readable")).collect();
    let events = store.events_since(0, usize::MAX).expect("readable");
    let (identity, counts) = (store.identity().expect("readable"), store.counts().expect("readable"));
    let outbox = (store.outbox().expect("readable"), store.targets().expect("readable"));
    format!("{identity:#?}\n{list:#?}\n{wakes:#?}\n{events:#?}\n{deliveries:#?}\n{outbox:#?}\n{counts:#?}")
}
