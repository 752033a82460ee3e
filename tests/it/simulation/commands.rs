//! Lives with commands: a runner that outlives every crash of the daemon, and what must hold of its runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use keiko::domain::command::{Command, Edit};
use keiko::domain::event::Snapshot;
use keiko::domain::run::{
    Limits, Line, Output, Overlap, Process, Program, Progress, Run, RunEnd, RunId, RunReport, RunStatus,
};
use keiko::domain::state::State;
use keiko::domain::task::{Missed, TaskId};
use keiko::engine::input::AddRequest;
use keiko::runner::{Left, NEWS_MAX, News, Order, Runner};
use keiko::store::Store;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::simulation::call;
use crate::simulation::world::World;
use crate::support::random::Random;

/// A runner of which the test says what its runs do. It goes on while the daemon is down.
#[derive(Default)]
pub(super) struct Jobs {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    listener: Option<mpsc::Sender<News>>,
    /// Every run that was ever started.
    started: BTreeSet<RunId>,
    alive: BTreeMap<RunId, (TaskId, Overlap)>,
    /// Asked to end.
    ending: BTreeSet<RunId>,
    /// How runs ended that nobody has noted yet.
    ended: BTreeMap<RunId, RunEnd>,
}

impl Inner {
    fn tell(&self, id: RunId, report: RunReport) {
        if let Some(listener) = &self.listener {
            // What nobody hears is told again to the next daemon.
            let _ = listener.try_send(News { id, report });
        }
    }

    fn finish(&mut self, id: RunId, end: RunEnd) {
        if self.alive.remove(&id).is_some() {
            self.ended.insert(id, end.clone());
            self.tell(id, RunReport::Ended { end, output: Output::default() });
        }
    }
}

fn process(id: RunId) -> Process {
    Process { pid: 1 + u32::from(id.0.as_bytes()[0]), started: 7, boot: Uuid::nil() }
}

impl Runner for Jobs {
    fn output_behind(&self, _run: RunId, _since: u64) -> BoxFuture<'_, Option<Output>> {
        Box::pin(std::future::ready(None))
    }

    fn start(&self, order: Order) {
        let mut inner = self.inner.lock().expect("no holder panics");
        assert!(inner.started.insert(order.id), "{} is started twice", order.id);
        let task: Uuid = order.variables["KEIKO_TASK_ID"].parse().expect("an id");
        let (task, overlap) = (TaskId(task), order.program.overlap);
        let is_alone = inner.alive.values().all(|(other, _)| *other != task);
        assert!(is_alone || overlap == Overlap::Allow, "two runs of {task} at once");
        inner.alive.insert(order.id, (task, overlap));
        inner.tell(order.id, RunReport::Started { process: process(order.id) });
    }

    fn end(&self, run: RunId) {
        self.inner.lock().expect("no holder panics").ending.insert(run);
    }

    fn forget(&self, run: RunId) {
        self.inner.lock().expect("no holder panics").ended.remove(&run);
    }

    fn take_up(&self, left: Vec<Left>) -> BoxFuture<'_, ()> {
        let mut inner = self.inner.lock().expect("no holder panics");
        for Left { id, is_ending, .. } in left {
            if is_ending {
                inner.ending.insert(id);
            }
            if let Some(end) = inner.ended.get(&id).cloned() {
                inner.tell(id, RunReport::Ended { end, output: Output::default() });
            } else if inner.alive.contains_key(&id) {
                inner.tell(id, RunReport::Started { process: process(id) });
            } else {
                inner.tell(id, RunReport::Ended { end: RunEnd::Interrupted, output: Output::default() });
            }
        }
        Box::pin(std::future::ready(()))
    }

    fn news(&self) -> mpsc::Receiver<News> {
        let (told, heard) = mpsc::channel(NEWS_MAX);
        self.inner.lock().expect("no holder panics").listener = Some(told);
        heard
    }

    fn holds_clock(&self) -> Duration {
        // Here a run ends by an act of the test alone, for which nobody need wait.
        Duration::ZERO
    }

    fn output_of(&self, _run: RunId) -> BoxFuture<'_, Option<Output>> {
        Box::pin(std::future::ready(None))
    }
}

impl Jobs {
    /// Something happens to one of those that run, or to the whole runner.
    fn act(&self, random: &mut Random) {
        let mut inner = self.inner.lock().expect("no holder panics");
        let alive: Vec<RunId> = inner.alive.keys().copied().collect();
        if alive.is_empty() {
            return;
        }
        let id = alive[usize::try_from(random.below(alive.len() as u64)).expect("small")];
        match random.below(10) {
            0 => inner.tell(id, RunReport::Progress(Progress { percent: 40, text: "half".into() })),
            1 => inner.tell(id, RunReport::Checkpoint("page 7".into())),
            // Whoever was asked to end may take its time.
            2 => alive.into_iter().filter(|id| random.chance(50) || inner.ending.contains(id)).for_each(drop),
            3 => {
                // The runner is killed, and all that it ran.
                inner.alive.clear();
                inner.ended.clear();
                for id in alive {
                    inner.tell(id, RunReport::Ended { end: RunEnd::Interrupted, output: Output::default() });
                }
            }
            4..6 => inner.finish(id, RunEnd::Exit(1)),
            6 => inner.finish(id, RunEnd::TimedOut),
            _ => inner.finish(id, RunEnd::Exit(0)),
        }
        for id in inner.ending.clone() {
            if random.chance(50) {
                inner.ending.remove(&id);
                inner.finish(id, RunEnd::Signal(15));
            }
        }
    }

    fn finish_all(&self) {
        let mut inner = self.inner.lock().expect("no holder panics");
        for id in inner.alive.keys().copied().collect::<Vec<_>>() {
            inner.finish(id, RunEnd::Exit(0));
        }
    }

    fn alive(&self) -> BTreeSet<RunId> {
        self.inner.lock().expect("no holder panics").alive.keys().copied().collect()
    }
}

pub(super) fn any_program(random: &mut Random) -> Program {
    let overlap = Overlap::ALL[usize::try_from(random.below(3)).expect("small")];
    Program {
        line: Line::Arguments(vec!["true".into()]),
        directory: String::new(),
        environment: BTreeMap::new(),
        timeout: None,
        overlap,
        nice: 0,
        limits: Limits::default(),
        ping: None,
    }
}

/// Makes a task one with a command, most times.
pub(super) fn give_command(random: &mut Random, request: &mut AddRequest) {
    if random.chance(70) {
        request.details.command = Some(Box::new(any_program(random)));
        request.details.targets.clear();
        request.details.max_retries = Some(u32::try_from(random.below(3)).expect("small"));
        (request.policy.nag, request.policy.auto_done) = (None, false);
        request.policy.missed =
            [Missed::Skip, Missed::Once, Missed::All][usize::try_from(random.below(3)).expect("small")];
    }
}

impl World {
    /// A life in which most tasks run something.
    pub(super) async fn with_commands(seed: u64) -> Self {
        Self::beginning(seed, keiko::domain::quiet::QuietHours::default(), Some(Arc::new(Jobs::default()))).await
    }

    /// Something happens that has to do with commands.
    pub(super) async fn act_on_jobs(&mut self, jobs: &Jobs) {
        if self.random.chance(75) {
            return jobs.act(&mut self.random);
        }
        let tasks = self.store.list(keiko::store::Which::All).expect("readable");
        if tasks.is_empty() {
            return;
        }
        let chosen = usize::try_from(self.random.below(tasks.len() as u64)).expect("small");
        let command = match self.random.below(4) {
            0 => Command::Retry,
            1 => {
                let command = Some(Some(Box::new(any_program(&mut self.random))));
                Command::Edit(Box::new(Edit { command, ..Edit::default() }))
            }
            _ => Command::Run,
        };
        // Only what has a command is given another one here: what has none may be due already.
        let is_edit = matches!(command, Command::Edit(_));
        if is_edit && tasks[chosen].task.details.command.is_none() {
            return;
        }
        let result = self.handle().call(call(tasks[chosen].task.id, command)).await;
        self.note(result);
    }

    /// What must hold of runs whenever all is quiet.
    pub(super) fn check_runs(&self, jobs: &Jobs, tasks: &[Snapshot]) {
        let alive = jobs.alive();
        let open = self.store.open_runs().expect("readable");
        let known: BTreeSet<RunId> = open.iter().map(|run| run.id).collect();
        let lost: Vec<&RunId> = alive.difference(&known).collect();
        assert!(lost.is_empty(), "these run, and nobody knows it: {lost:?}");
        for run in &open {
            match run.status {
                RunStatus::Running { .. } | RunStatus::Ending { .. } => {
                    assert!(alive.contains(&run.id), "{run:?} does not run");
                }
                RunStatus::Queued => assert!(is_blocked(run, &open), "{run:?} waits for nothing"),
                RunStatus::Starting => panic!("{run:?} is neither started nor not, though all is quiet"),
                RunStatus::Ended { .. } => panic!("{run:?} is over"),
            }
        }
        for task in tasks.iter().filter(|task| task.task.details.command.is_some()) {
            self.check_task_with_command(task);
        }
    }

    fn check_task_with_command(&self, task: &Snapshot) {
        let runs = self.store.runs(task.task.id).expect("readable");
        let name = task.occurrence.name();
        let of_present = || runs.iter().filter(|run| run.occurrence == name && run.attempt > 0);
        let is_on = |run: &&Run| !run.is_over() && !matches!(run.status, RunStatus::Ending { .. });
        if matches!(task.occurrence.state, State::Running(_)) && task.task.deleted_at.is_none() {
            assert!(of_present().any(|run| is_on(&run)), "nothing runs for {task:#?}{}", self.story_of_task(task));
        }
        if task.occurrence.has_ended() {
            assert!(!of_present().any(|run| is_on(&run)), "{name} has ended and runs on{}", self.story_of_task(task));
        }
        for run in of_present().filter(|run| matches!(run.status, RunStatus::Queued | RunStatus::Running { .. })) {
            let is_last = of_present().all(|other| other.attempt <= run.attempt);
            assert!(is_last || matches!(run.status, RunStatus::Running { .. }), "{run:?} is overtaken");
        }
    }

    /// Everything that runs comes to its end.
    pub(super) async fn end_jobs(&mut self, jobs: &Jobs) {
        for round in 0..60 {
            jobs.finish_all();
            self.check().await;
            let open = self.store.open_runs().expect("readable");
            if open.is_empty() {
                return;
            }
            // Who runs each of the times of days on which it was off has very many before it.
            if round == 30 {
                for run in open {
                    let result = self.handle().call(call(run.task, Command::Cancel)).await;
                    self.note(result);
                }
            }
        }
        panic!("runs go on for ever: {:?}", self.store.open_runs());
    }
}

/// Returns whether another run of its task keeps one from starting.
fn is_blocked(run: &Run, open: &[Run]) -> bool {
    open.iter().any(|other| other.task == run.task && other.id != run.id)
}
