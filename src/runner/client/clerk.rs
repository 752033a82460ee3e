//! Who talks with the process that runs commands? One task: it passes on what the engine says, in that order, and tells the
//! engine what it hears; where the process is gone it finds out what became of the runs.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::domain::run::{Output, Process, Progress, RunEnd, RunId, RunReport};
use crate::domain::time::Span;
use crate::runner::client::link::Link;
use crate::runner::client::orphan::Orphan;
use crate::runner::client::{Place, session};
use crate::runner::wire::{self, Ask, StartLine, Tell};
use crate::runner::{Left, News, Order, identity};

/// How many errands share one write.
const ERRANDS_MAX: usize = 256;

/// How many news may wait for the engine before the process is not listened to any more; it keeps the rest.
const WAITING_MAX: usize = 256;

/// How long to rest before a process that holds its lock and cannot be reached is called again. Only a daemon whose
/// commands are out of reach wakes up for it.
const CALL_REST: Duration = Duration::from_secs(5);

/// What the clerk is to do.
#[derive(Debug)]
pub(super) enum Errand {
    /// Start a run.
    Start(Box<Order>),
    /// Make one end.
    End(RunId),
    /// Forget how one ended.
    Forget(RunId),
    /// Find out what became of these.
    TakeUp(Vec<Left>, oneshot::Sender<()>),
    /// Find out whether there is a process, and what it keeps.
    Look,
    /// Tell this one the news from now on.
    Listen(mpsc::Sender<News>),
    /// Ask what a run has said.
    Output(RunId, oneshot::Sender<Option<Output>>),
    /// Say when all before is passed on.
    Flush(oneshot::Sender<()>),
}

/// A run that has not ended.
#[derive(Debug)]
struct Active {
    process: Option<Process>,
    is_ending: bool,
    /// How long it may run yet, where that has an end; counted anew where the process that saw to it is gone.
    ends_in: Option<Duration>,
    /// Makes it end, where it is waited for here.
    orphan: Option<CancellationToken>,
}

/// See the module.
pub(super) struct Clerk {
    place: Place,
    link: Option<Link>,
    listener: Option<mpsc::Sender<News>>,
    /// News that nobody took yet.
    waiting: VecDeque<News>,
    active: HashMap<RunId, Active>,
    orphans: JoinSet<(RunId, RunEnd)>,
    questions: HashMap<RunId, Vec<oneshot::Sender<Option<Output>>>>,
}

impl Clerk {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            link: None,
            listener: None,
            waiting: VecDeque::new(),
            active: HashMap::new(),
            orphans: JoinSet::new(),
            questions: HashMap::new(),
        }
    }

    /// Works until nobody can send errands any more.
    pub(super) async fn work(mut self, mut coming: mpsc::UnboundedReceiver<Errand>) {
        let mut errands = Vec::new();
        loop {
            tokio::select! {
                count = coming.recv_many(&mut errands, ERRANDS_MAX) => {
                    if count == 0 {
                        return;
                    }
                    for errand in errands.drain(..) {
                        self.run(errand).await;
                    }
                    self.flush().await;
                }
                heard = hear(&mut self.link), if self.waiting.len() < WAITING_MAX => {
                    if let Some(tell) = heard {
                        self.note(tell);
                    } else {
                        tracing::warn!("the process that runs commands is gone");
                        self.find_out().await;
                    }
                }
                Some(ended) = self.orphans.join_next() => {
                    let (id, end) = ended.expect("it does not panic, and nobody aborts it");
                    self.ended(id, end, Output::default());
                }
                () = pass_on(&mut self.listener, &mut self.waiting), if !self.waiting.is_empty() => {}
            }
        }
    }

    async fn run(&mut self, errand: Errand) {
        match errand {
            Errand::Start(order) => self.start(*order).await,
            Errand::End(id) => {
                let Some(active) = self.active.get_mut(&id) else { return };
                active.is_ending = true;
                match &active.orphan {
                    Some(end) => end.cancel(),
                    None => self.say(&Ask::End(id.0)).await,
                }
            }
            Errand::Forget(id) => self.say(&Ask::Forget(id.0)).await,
            Errand::TakeUp(left, done) => {
                for Left { id, process, is_ending, ends_in } in left {
                    self.active.insert(id, Active { process, is_ending, ends_in, orphan: None });
                }
                self.find_out().await;
                // Who waited may have gone.
                let _ = done.send(());
            }
            Errand::Look => {
                if self.link.is_none() {
                    self.find_out().await;
                }
            }
            Errand::Listen(listener) => self.listener = Some(listener),
            Errand::Output(id, reply) => {
                if self.link.is_none() || !self.active.contains_key(&id) {
                    let _ = reply.send(None);
                } else {
                    self.questions.entry(id).or_default().push(reply);
                    self.say(&Ask::Output(id.0)).await;
                }
            }
            Errand::Flush(done) => {
                self.flush().await;
                let _ = done.send(());
            }
        }
    }

    async fn start(&mut self, order: Order) {
        let id = order.id;
        if self.active.contains_key(&id) {
            return;
        }
        if self.link.is_none() {
            match Link::to_any(&self.place).await {
                Ok(link) => self.link = Some(link),
                Err(error) => {
                    let end = RunEnd::NotStarted { error: error.to_string() };
                    return self.ended(id, end, Output::default());
                }
            }
        }
        let ends_in = order.program.timeout.map(Span::to_duration);
        let ask = Ask::Start(Box::new(line_of(order, &self.place.variables)));
        if wire::is_too_long(&ask) {
            let error = "cannot start it: with its environment it is longer than any system takes".to_owned();
            return self.ended(id, RunEnd::NotStarted { error }, Output::default());
        }
        self.active.insert(id, Active { process: None, is_ending: false, ends_in, orphan: None });
        self.say(&ask).await;
    }

    async fn say(&mut self, ask: &Ask) {
        if let Some(link) = &mut self.link {
            // That it is gone is heard, and then seen to.
            let _ = link.say(ask).await;
        }
    }

    async fn flush(&mut self) {
        if let Some(link) = &mut self.link {
            // As above.
            let _ = link.flush().await;
        }
    }

    /// Finds out what became of the runs: from the process that has them, or where that is gone by looking at theirs.
    async fn find_out(&mut self) {
        self.link = None;
        self.questions.clear();
        let mut is_told = false;
        loop {
            match Link::to_present(&self.place).await {
                Ok(Some(mut link)) => {
                    if let Some(known) = self.hear_all(&mut link).await {
                        self.link = Some(link);
                        self.settle(&known).await;
                        return;
                    }
                }
                Ok(None) => {
                    self.settle(&HashSet::new()).await;
                    return;
                }
                Err(error) => {
                    // Whoever has the lock may have the commands: they are neither lost nor to be started again.
                    if !std::mem::replace(&mut is_told, true) {
                        tracing::error!(%error, lock = %self.place.lock.display(), "what became of commands is not known");
                    }
                    let _ = timeout(CALL_REST, std::future::pending::<()>()).await;
                }
            }
        }
    }

    /// Hears all that the process knew when it was called; returns the names of those runs, `None` where it is gone.
    async fn hear_all(&mut self, link: &mut Link) -> Option<HashSet<RunId>> {
        let mut known = HashSet::new();
        loop {
            match link.hear().await? {
                Tell::Known => return Some(known),
                tell => {
                    known.extend(run_of(&tell));
                    self.note(tell);
                }
            }
        }
    }

    /// Sees to the runs that the process does not know, and to those that are to end.
    async fn settle(&mut self, known: &HashSet<RunId>) {
        let is_open = |active: &Active| active.orphan.is_none();
        let open: Vec<RunId> = self.active.iter().filter(|(_, active)| is_open(active)).map(|(id, _)| *id).collect();
        for id in open {
            let Some(active) = self.active.get_mut(&id) else { continue };
            if known.contains(&id) {
                if active.is_ending {
                    self.say(&Ask::End(id.0)).await;
                }
                continue;
            }
            // One that was started just before all went was not written down.
            let process = active.process.or_else(|| identity::named(id));
            let Some(orphan) = process.and_then(Orphan::find) else {
                self.ended(id, RunEnd::Interrupted, Output::default());
                continue;
            };
            let end = CancellationToken::new();
            if active.is_ending {
                end.cancel();
            }
            active.orphan = Some(end.clone());
            let ends_in = active.ends_in;
            self.orphans.spawn(async move { (id, orphan.wait(end, ends_in).await) });
        }
        self.flush().await;
    }

    fn note(&mut self, tell: Tell) {
        match tell {
            Tell::Hello { .. } | Tell::Known | Tell::Taken { .. } => {}
            Tell::Started { id, process } => {
                let (id, process) = (RunId(id), Process::from(process));
                let active = self.active.get_mut(&id);
                // Told before, maybe to an earlier daemon.
                if active.as_ref().is_some_and(|active| active.process == Some(process)) {
                    return;
                }
                if let Some(active) = active {
                    active.process = Some(process);
                }
                self.tell(id, RunReport::Started { process });
            }
            Tell::Progress { id, percent, text } => {
                self.tell(RunId(id), RunReport::Progress(Progress { percent: percent.min(100), text }));
            }
            Tell::Checkpoint { id, text } => self.tell(RunId(id), RunReport::Checkpoint(text)),
            Tell::Ended { id, end, output } => self.ended(RunId(id), end.into(), output.into()),
            Tell::Output { id, output } => {
                for question in self.questions.remove(&RunId(id)).unwrap_or_default() {
                    // Who asked may have gone.
                    let _ = question.send(output.clone().map(Output::from));
                }
            }
        }
    }

    fn ended(&mut self, id: RunId, end: RunEnd, output: Output) {
        self.active.remove(&id);
        // Whoever asks what it says finds all of it on the disk.
        self.questions.remove(&id);
        self.tell(id, RunReport::Ended { end, output });
    }

    fn tell(&mut self, id: RunId, report: RunReport) {
        self.waiting.push_back(News { id, report });
    }
}

async fn hear(link: &mut Option<Link>) -> Option<Tell> {
    match link {
        Some(link) => link.hear().await,
        None => std::future::pending().await,
    }
}

/// Passes one of the news on, once there is room for it. Dropping the future loses nothing.
async fn pass_on(listener: &mut Option<mpsc::Sender<News>>, waiting: &mut VecDeque<News>) {
    let Some(present) = listener else { return std::future::pending().await };
    if let Ok(room) = present.reserve().await {
        if let Some(news) = waiting.pop_front() {
            room.send(news);
        }
        return;
    }
    // It listens no more; the next one is told.
    *listener = None;
}

fn run_of(tell: &Tell) -> Option<RunId> {
    match tell {
        Tell::Hello { .. } | Tell::Known => None,
        Tell::Taken { id }
        | Tell::Started { id, .. }
        | Tell::Progress { id, .. }
        | Tell::Checkpoint { id, .. }
        | Tell::Ended { id, .. }
        | Tell::Output { id, .. } => Some(RunId(*id)),
    }
}

fn line_of(order: Order, own: &BTreeMap<String, String>) -> StartLine {
    let Order { id: RunId(id), program, variables } = order;
    // What was kept on purpose is stronger than what the session has now.
    let mut environment = session::variables();
    environment.extend(program.environment);
    environment.extend(variables);
    environment.extend(own.clone());
    StartLine {
        id,
        arguments: program.line.arguments(),
        directory: program.directory,
        environment,
        timeout_ms: program.timeout.and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
        nice: program.nice,
        limits: program.limits.into(),
    }
}
