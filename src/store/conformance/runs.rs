//! Runs of commands, and what they said.

use crate::domain::event::Operation;
use crate::domain::occurrence::Outcome;
use crate::domain::run::{Output, Process, Run, RunEnd, RunStatus};
use crate::domain::state::{Ended, State};
use crate::store::conformance::Fixture;
use crate::store::conformance::samples::{add_tasks, at, change, event, later, program, run};
use crate::store::{Change, RUNS_KEPT, Store};

const PROCESS: Process = Process { pid: u32::MAX, started: 1 << 60, boot: uuid::Uuid::from_u128(5) };

async fn write(store: &impl Store, runs: impl IntoIterator<Item = Run>) {
    let runs = runs.into_iter().collect();
    store.commit(Change { runs, ..Change::default() }).await.expect("written");
}

fn ended(end: RunEnd) -> RunStatus {
    RunStatus::Ended { since: Some(at(1_779_000_000_030)), at: at(1_779_000_000_040), end }
}

pub(crate) async fn a_run_reads_back_in_every_status<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    add_tasks(store, 1).await;
    let since = at(1_779_000_000_030);
    let statuses = [
        RunStatus::Queued,
        RunStatus::Starting,
        RunStatus::Running { since, process: PROCESS },
        RunStatus::Ending { since: Some(since), process: Some(PROCESS) },
        RunStatus::Ending { since: None, process: None },
        RunStatus::Ended { since: None, at: since, end: RunEnd::Withdrawn },
        ended(RunEnd::Exit(-1)),
        ended(RunEnd::Signal(9)),
        ended(RunEnd::TimedOut),
        ended(RunEnd::NotStarted { error: "no such file".into() }),
        ended(RunEnd::Interrupted),
        ended(RunEnd::Stopped),
    ];
    let runs: Vec<Run> = (1..).zip(statuses).map(|(attempt, status)| run(attempt, status)).collect();
    write(store, runs.clone()).await;
    assert_eq!(store.runs(runs[0].task).unwrap(), runs);
    assert_eq!(store.run(runs[3].id).unwrap().as_ref(), Some(&runs[3]));
    let open: Vec<Run> = runs.iter().filter(|run| !run.is_over()).cloned().collect();
    assert_eq!(store.open_runs().unwrap(), open);
    // A change keeps its place, and what may be absent is.
    let bare = Run { resumes_from: None, checkpoint: None, progress: None, ..run(1, ended(RunEnd::Exit(0))) };
    write(store, [bare.clone()]).await;
    assert_eq!(store.runs(bare.task).unwrap().first(), Some(&bare));
    assert_eq!(store.open_runs().unwrap(), open[1..]);
}

pub(crate) async fn of_runs_that_are_over_the_latest_are_kept_with_what_they_said<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    add_tasks(store, 1).await;
    let of = |number: u32, status: RunStatus| {
        let mut run = run(number, status);
        run.occurrence.generation = number;
        run
    };
    let running = of(1, RunStatus::Running { since: at(5), process: PROCESS });
    write(store, [running.clone()]).await;
    let count = u32::try_from(RUNS_KEPT).unwrap() + 5;
    for number in 2..=count {
        let over = of(number, ended(RunEnd::Exit(0)));
        let output = Output { tail: vec![0, 255, b'a'], dropped: 1 << 40 };
        let change = Change { runs: vec![over.clone()], outputs: vec![(over.id, output)], ..Change::default() };
        store.commit(change).await.unwrap();
    }
    let kept: Vec<u32> = store.runs(running.task).unwrap().iter().map(|run| run.attempt).collect();
    let first = count - u32::try_from(RUNS_KEPT).unwrap() + 1;
    assert_eq!(kept, [1].into_iter().chain(first..=count).collect::<Vec<_>>());
    let output = |number| store.output(of(number, RunStatus::Queued).id).unwrap();
    assert_eq!(output(count), Some(Output { tail: vec![0, 255, b'a'], dropped: 1 << 40 }));
    assert_eq!((output(2), output(1)), (None, None));
    // Of the occurrence that is at it every attempt is kept.
    for attempt in 1..=count {
        let mut over = run(attempt, ended(RunEnd::Exit(1)));
        over.occurrence.generation = 99;
        over.id = crate::domain::run::RunId::compute(over.task, over.occurrence, attempt);
        write(store, [over]).await;
    }
    let runs = store.runs(running.task).unwrap();
    assert_eq!(runs.iter().filter(|run| run.occurrence.generation == 99).count(), count as usize);
}

pub(crate) async fn an_occurrence_is_found_by_its_name<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0);
    let (id, name) = (task.task.id, task.occurrence.name());
    assert_eq!(store.occurrence(id, name).unwrap(), Some(task.occurrence));
    let other = crate::domain::occurrence::OccurrenceName { generation: 9, ..name };
    assert_eq!(store.occurrence(id, other).unwrap(), None);
}

pub(crate) async fn commands_that_failed_for_good_are_found_latest_first<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let tasks = add_tasks(store, 3).await;
    let failed = |task: usize, version: u64, generation: u32, outcome: Outcome| {
        let at = at(1_779_000_000_000 + i64::from(generation));
        let mut ended = later(&tasks[task], version);
        ended.task.details.command = (task != 2).then(|| Box::new(program()));
        ended.occurrence.generation = generation;
        ended.occurrence.state = State::Cancelled(Ended { at, outcome });
        ended
    };
    let ends = [
        failed(0, 2, 2, Outcome::RetriesExhausted),
        failed(1, 2, 3, Outcome::RetriesExhausted),
        failed(0, 3, 4, Outcome::RetriesExhausted),
        failed(0, 4, 5, Outcome::Cancelled),
        // What has no command failed otherwise.
        failed(2, 2, 6, Outcome::RetriesExhausted),
    ];
    for (id, ended) in (60..).zip(&ends) {
        let opened = event(id, Operation::Opened(Box::new(ended.occurrence.clone())), ended);
        store.commit(change([opened])).await.expect("written");
    }
    let found = |since: i64, limit: usize| {
        let (count, failed) = store.commands_failed_since(at(1_779_000_000_000 + since), limit).expect("readable");
        (count, failed.iter().map(|each| (each.task.number.0, each.occurrence.generation)).collect::<Vec<_>>())
    };
    assert_eq!(found(0, 9), (3, vec![(1, 4), (2, 3), (1, 2)]));
    assert_eq!(found(3, 1), (2, vec![(1, 4)]));
    assert_eq!(found(5, 9), (0, Vec::new()));
}

pub(crate) async fn the_runs_of_a_purged_task_go_with_it<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let tasks = add_tasks(store, 1).await;
    let over = run(1, ended(RunEnd::Exit(0)));
    let outputs = vec![(over.id, Output { tail: b"said".to_vec(), dropped: 0 })];
    store.commit(Change { runs: vec![over.clone()], outputs, ..Change::default() }).await.unwrap();
    let mut gone = later(&tasks[0], 2);
    gone.task.deleted_at = Some(at(1_779_000_000_500));
    store.commit(change([event(50, Operation::Deleted, &gone)])).await.unwrap();
    store.commit(Change { purged: vec![over.task], ..Change::default() }).await.unwrap();
    assert_eq!((store.run(over.id).unwrap(), store.output(over.id).unwrap()), (None, None));
}
