//! Which run is started next? Those that wait for a place, in their turn, and never two of one task at once unless that
//! allows it. What a run makes of its task, the rules say.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::domain::event::Snapshot;
use crate::domain::occurrence::Due;
use crate::domain::run::{Output, Overlap, Run, RunId, RunReport, RunStatus};
use crate::domain::task::TaskId;
use crate::domain::time::Span;
use crate::engine::dispatch::report;
use crate::engine::handle::Handle;
use crate::engine::input::{CallError, Input};
use crate::engine::run::Engine;
use crate::runner::{Left, News, Order, Runner};
use crate::store::StoreError;

/// How many commands run at once, unless it is configured: what they compute they share, and most of them wait.
pub const AT_ONCE_DEFAULT: usize = 32;

/// How many runs are noted as about to start in one commit.
const STARTS_MAX: usize = 512;

/// The runs that are not over.
pub(super) struct Crew {
    runner: Arc<dyn Runner>,
    at_once: usize,
    /// In the order in which they were decided on, by a number of their own. As many as the store holds open ones, some words
    /// each.
    waiting: BTreeMap<u64, Waiting>,
    places: HashMap<RunId, u64>,
    next_place: u64,
    /// Those that the runner has.
    active: HashMap<RunId, TaskId>,
    /// How many of them each task has.
    busy: HashMap<TaskId, usize>,
    /// Those of them that a programmable clock waits for; none on the system's, which waits for nobody.
    holding: HashSet<RunId>,
    is_clock_programmable: bool,
    inputs: mpsc::WeakSender<Input>,
}

struct Waiting {
    id: RunId,
    task: TaskId,
    overlap: Overlap,
}

impl Crew {
    pub(super) fn new(
        runner: Arc<dyn Runner>,
        at_once: usize,
        is_clock_programmable: bool,
        inputs: mpsc::WeakSender<Input>,
    ) -> Self {
        let mut news = runner.news();
        let heard = inputs.clone();
        tokio::spawn(async move {
            while let Some(news) = news.recv().await {
                report(&heard, Input::Run { news }).await;
            }
        });
        Self {
            runner,
            at_once,
            waiting: BTreeMap::new(),
            places: HashMap::new(),
            next_place: 0,
            active: HashMap::new(),
            busy: HashMap::new(),
            holding: HashSet::new(),
            is_clock_programmable,
            inputs,
        }
    }

    /// Takes a run to be started as soon as there is a place for it.
    pub(super) fn order(&mut self, run: &Run) {
        if self.active.contains_key(&run.id) || self.places.contains_key(&run.id) {
            return;
        }
        self.places.insert(run.id, self.next_place);
        let waiting = Waiting { id: run.id, task: run.task, overlap: run.program.overlap };
        self.waiting.insert(self.next_place, waiting);
        self.next_place += 1;
    }

    /// Asks a run to end, or does not start it.
    pub(super) fn end(&mut self, run: RunId) {
        self.drop_waiting(run);
        if self.active.contains_key(&run) {
            self.runner.end(run);
        }
    }

    fn drop_waiting(&mut self, run: RunId) {
        if let Some(place) = self.places.remove(&run) {
            self.waiting.remove(&place);
        }
    }

    /// Notes that the runner has a run. Returns whether it had it not before.
    fn activate(&mut self, run: RunId, task: TaskId) -> bool {
        let is_new = self.active.insert(run, task).is_none();
        if is_new {
            *self.busy.entry(task).or_default() += 1;
        }
        is_new
    }

    /// A run is over, and that is on the disk.
    fn ended(&mut self, run: RunId) {
        if let Some(task) = self.active.remove(&run)
            && let Some(count) = self.busy.get_mut(&task)
        {
            *count -= 1;
            if *count == 0 {
                self.busy.remove(&task);
            }
        }
        self.holding.remove(&run);
        self.runner.forget(run);
    }

    /// Returns the runs that there is a place for, with their tasks.
    fn ready(&self) -> Vec<(RunId, TaskId)> {
        let places = self.at_once.saturating_sub(self.active.len()).min(STARTS_MAX);
        let mut taken = HashSet::new();
        let mut ready = Vec::new();
        for waiting in self.waiting.values() {
            if ready.len() == places {
                break;
            }
            let is_alone = !taken.contains(&waiting.task) && !self.busy.contains_key(&waiting.task);
            if waiting.overlap == Overlap::Allow || is_alone {
                taken.insert(waiting.task);
                ready.push((waiting.id, waiting.task));
            }
        }
        ready
    }

    fn start(&mut self, task: TaskId, order: Order) {
        self.drop_waiting(order.id);
        self.activate(order.id, task);
        self.hold_clock(order.id);
        self.runner.start(order);
    }

    /// Keeps a programmable clock where it is for a while, unless the run ends before.
    fn hold_clock(&mut self, run: RunId) {
        let held = self.runner.holds_clock();
        if !self.is_clock_programmable || held.is_zero() {
            return;
        }
        self.holding.insert(run);
        let inputs = self.inputs.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(held, std::future::pending::<()>()).await;
            report(&inputs, Input::RunsLong { run }).await;
        });
    }

    /// A run has kept the clock long enough.
    pub(super) fn let_clock_go(&mut self, run: RunId) {
        self.holding.remove(&run);
    }

    /// Changes how many run at once; what runs already goes on.
    pub(super) fn set_at_once(&mut self, at_once: usize) {
        self.at_once = at_once;
    }

    /// Returns whether a programmable clock may go on: what runs does so for long, and what waits, waits for that.
    pub(super) fn is_quiet(&self) -> bool {
        self.holding.is_empty() && (self.waiting.is_empty() || self.ready().is_empty())
    }
}

impl Engine {
    /// Starts what there is a place for. That it is about to be started is written first, so that no run is started twice.
    pub(super) async fn start_runs(&mut self) {
        if self.is_stopping || self.is_held_back(self.clock.now()) {
            return;
        }
        loop {
            let ready = self.crew.ready();
            if ready.is_empty() {
                return;
            }
            let started = self
                .commit(|batch| ready.iter().try_for_each(|(id, _)| batch.run_report(*id, &RunReport::Starting)))
                .await
                .and_then(|_| ready.iter().try_for_each(|(id, task)| self.start_run(*id, *task)).map_err(Arc::new));
            if let Err(error) = started {
                return self.hold_back(&error, self.clock.now());
            }
        }
    }

    fn start_run(&mut self, id: RunId, task: TaskId) -> Result<(), StoreError> {
        match (self.store.run(id)?, self.store.snapshot(task)?) {
            (Some(run), Some(snapshot)) if run.status == RunStatus::Starting => {
                let variables = variables(&run, &snapshot);
                self.crew.start(task, Order { id, program: run.program, variables });
            }
            // It was withdrawn meanwhile, or its task is gone.
            (_, _) => self.crew.drop_waiting(id),
        }
        Ok(())
    }

    /// What is on the disk of the runs is known to the crew.
    pub(super) fn note_news(&mut self, news: &[News]) {
        for News { id, report } in news {
            if matches!(report, RunReport::Ended { .. }) {
                self.crew.ended(*id);
            }
        }
    }

    /// Returns how much of its time a run has left; one of which nobody knows when it began has all of it.
    fn ends_in(&self, status: &RunStatus, timeout: Span) -> Duration {
        let since = match status {
            RunStatus::Running { since, .. } => Some(*since),
            RunStatus::Ending { since, .. } => *since,
            RunStatus::Queued | RunStatus::Starting | RunStatus::Ended { .. } => None,
        };
        let end = since.unwrap_or_else(|| self.clock.now()).saturating_add(timeout);
        end.since(self.clock.now()).max(Span::ZERO).to_duration()
    }

    /// Takes up the runs of an earlier daemon.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) async fn take_up_runs(&mut self) -> Result<(), Arc<StoreError>> {
        let mut left = Vec::new();
        for run in self.store.open_runs()? {
            let (process, is_ending) = match run.status {
                RunStatus::Queued => {
                    self.crew.order(&run);
                    continue;
                }
                RunStatus::Starting => (None, false),
                RunStatus::Running { process, .. } => (Some(process), false),
                RunStatus::Ending { process, .. } => (process, true),
                RunStatus::Ended { .. } => continue,
            };
            // Where a full disk cut an earlier start short, this one has it already.
            if self.crew.activate(run.id, run.task) {
                let ends_in = run.program.timeout.map(|timeout| self.ends_in(&run.status, timeout));
                left.push(Left { id: run.id, process, is_ending, ends_in });
            }
        }
        if !left.is_empty() {
            self.crew.runner.take_up(left).await;
        }
        Ok(())
    }
}

impl Handle {
    /// Returns what a run that is over had said, where that is kept.
    ///
    /// # Errors
    /// The store fails.
    pub async fn run_output(&self, id: RunId) -> Result<Option<Output>, CallError> {
        self.read(move |store| Ok(store.output(id)?)).await
    }
}

/// Returns what a command is told of what it is run for.
fn variables(run: &Run, snapshot: &Snapshot) -> BTreeMap<String, String> {
    let task = &snapshot.task;
    let due = snapshot.occurrence.due.filter(|_| snapshot.occurrence.name() == run.occurrence);
    let told = [
        ("KEIKO_TASK", Some(task.number.to_string())),
        ("KEIKO_TASK_ID", Some(task.id.to_string())),
        ("KEIKO_TITLE", Some(task.details.title.clone())),
        ("KEIKO_OCCURRENCE", Some(run.occurrence.to_string())),
        ("KEIKO_ATTEMPT", Some(run.attempt.to_string())),
        ("KEIKO_RUN", Some(run.id.to_string())),
        ("KEIKO_DUE_AT", due.map(|Due { at, .. }| at.to_string())),
        ("KEIKO_CHECKPOINT", run.resumes_from.clone()),
    ];
    let told = told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    // A title may hold what no variable can.
    told.map(|(name, value)| (name, value.replace('\0', ""))).collect()
}
