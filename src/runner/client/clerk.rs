//! Who talks with the process that runs commands? One task: it passes on what the engine says, in that order, and tells the
//! engine what it hears; where the process is gone it finds out what became of the runs.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::pending;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::domain::run::{Output, Process, Progress, RunEnd, RunId, RunReport};
use crate::domain::time::Span;
use crate::runner::client::link::{Link, LinkError};
use crate::runner::client::orphan::Orphan;
use crate::runner::client::{Place, session};
use crate::runner::wire::{self, Ask, StartLine, Tell};
use crate::runner::{Left, News, Order, identity};

/// How many errands are taken at once.
const ERRANDS_MAX: usize = 256;

/// How many news may wait for the engine before the process is not listened to any more; it keeps the rest.
const WAITING_MAX: usize = 256;

/// How long to rest before a process that holds its lock and cannot be reached is called again. Only a daemon whose
/// commands are out of reach wakes up for it.
const CALL_REST: Duration = Duration::from_secs(5);

/// How often a process may go before it has told what it knows, until what is to be started is given up.
const TRIALS: usize = 3;

/// The name of a run that nobody has: whoever is asked what it said answers, and so says that it is there.
const NOBODY: Uuid = Uuid::nil();

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
    /// Ask what a run has said, at once or, behind so many bytes, as soon as it is more.
    Output(RunId, Option<u64>, oneshot::Sender<Option<Output>>),
    /// Say when all before is passed on.
    Flush(oneshot::Sender<()>),
    /// Say when the process answers; at once where none is needed.
    Ping(oneshot::Sender<()>),
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

/// How it stands with the process.
enum Bond {
    /// It is not needed, or there is none.
    Loose,
    /// It is called, and started where that is asked.
    Calling(Call, BoxFuture<'static, Result<Option<Link>, LinkError>>),
    /// It tells what it knows; of these it has told.
    Hearing(Link, HashSet<RunId>),
    /// All that it knew is told.
    Bound(Link),
}

/// For what the process is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    /// To find out what became of runs: where there is no process, that is an answer.
    Present,
    /// To start something.
    Any,
}

/// What the process does.
enum Deed {
    Called(Call, Result<Option<Link>, LinkError>),
    Told(Tell),
    Gone,
}

impl Bond {
    /// Waits for the next thing that the process does. Dropping the future loses nothing.
    async fn next(&mut self) -> Deed {
        match self {
            Self::Loose => pending().await,
            Self::Calling(call, called) => Deed::Called(*call, called.await),
            Self::Hearing(link, _) | Self::Bound(link) => link.hear().await.map_or(Deed::Gone, Deed::Told),
        }
    }
}

/// Who wants to know what a run has said.
struct Question {
    /// As soon as it is more than so many bytes; `None`: at once.
    since: Option<u64>,
    reply: oneshot::Sender<Option<Output>>,
}

/// See the module.
pub(super) struct Clerk {
    place: Place,
    bond: Bond,
    /// What is to be done once it is known how it stands.
    held: VecDeque<Errand>,
    /// Who waits until it is known what became of runs.
    known: Vec<oneshot::Sender<()>>,
    /// Who waits for a word of the process.
    pings: Vec<oneshot::Sender<()>>,
    /// Whether it was noted that the process does not answer.
    is_silent: bool,
    /// How often it went before it had told what it knows.
    trials: usize,
    listener: Option<mpsc::Sender<News>>,
    /// News that nobody took yet.
    waiting: VecDeque<News>,
    active: HashMap<RunId, Active>,
    orphans: JoinSet<(RunId, RunEnd)>,
    questions: HashMap<RunId, Vec<Question>>,
}

impl Clerk {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            bond: Bond::Loose,
            held: VecDeque::new(),
            known: Vec::new(),
            pings: Vec::new(),
            is_silent: false,
            trials: 0,
            listener: None,
            waiting: VecDeque::new(),
            active: HashMap::new(),
            orphans: JoinSet::new(),
            questions: HashMap::new(),
        }
    }

    /// Works until nobody can send errands any more. It waits for nothing else: a process that hangs keeps nobody waiting who
    /// does not need it.
    pub(super) async fn work(mut self, mut coming: mpsc::UnboundedReceiver<Errand>) {
        let mut errands = Vec::new();
        loop {
            tokio::select! {
                count = coming.recv_many(&mut errands, ERRANDS_MAX) => {
                    if count == 0 {
                        return;
                    }
                    errands.drain(..).for_each(|errand| self.take(errand));
                }
                deed = self.bond.next(), if self.waiting.len() < WAITING_MAX => self.see_to(deed),
                Some(ended) = self.orphans.join_next() => {
                    let (id, end) = ended.expect("it does not panic, and nobody aborts it");
                    self.ended(id, end, Output::default());
                }
                () = pass_on(&mut self.listener, &mut self.waiting), if !self.waiting.is_empty() => {}
            }
        }
    }

    fn take(&mut self, errand: Errand) {
        let is_settled = matches!(self.bond, Bond::Loose | Bond::Bound(_));
        match errand {
            Errand::Listen(listener) => self.listener = Some(listener),
            Errand::TakeUp(left, done) => {
                for Left { id, process, is_ending, ends_in } in left {
                    self.active.insert(id, Active { process, is_ending, ends_in, orphan: None });
                }
                self.known.push(done);
                if is_settled {
                    self.call(Call::Present);
                }
            }
            Errand::Output(id, since, reply) => self.ask_output(id, Question { since, reply }),
            Errand::Ping(reply) => self.ping(reply),
            errand if !is_settled => self.held.push_back(errand),
            Errand::Look => {
                if matches!(self.bond, Bond::Loose) {
                    self.call(Call::Present);
                }
            }
            Errand::Start(order) => self.start(order),
            Errand::End(id) => {
                let Some(active) = self.active.get_mut(&id) else { return };
                active.is_ending = true;
                match &active.orphan {
                    Some(end) => end.cancel(),
                    None => self.say(&Ask::End(id.0)),
                }
            }
            Errand::Forget(id) => self.say(&Ask::Forget(id.0)),
            Errand::Flush(done) => match &self.bond {
                Bond::Bound(link) => link.flush(done),
                Bond::Loose | Bond::Calling(..) | Bond::Hearing(..) => {
                    // Who waited may have gone.
                    let _ = done.send(());
                }
            },
        }
    }

    fn start(&mut self, order: Box<Order>) {
        let id = order.id;
        if self.active.contains_key(&id) {
            return;
        }
        if matches!(self.bond, Bond::Loose) {
            self.held.push_back(Errand::Start(order));
            return self.call(Call::Any);
        }
        let ends_in = order.program.timeout.map(Span::to_duration);
        let ask = Ask::Start(Box::new(line_of(*order, &self.place.variables)));
        if wire::is_too_long(&ask) {
            let error = "cannot start it: with its environment it is longer than any system takes".to_owned();
            return self.ended(id, RunEnd::NotStarted { error }, Output::default());
        }
        self.active.insert(id, Active { process: None, is_ending: false, ends_in, orphan: None });
        self.say(&ask);
    }

    /// Says something to a process that is known to be there; that it is gone is heard, and then seen to.
    fn say(&self, ask: &Ask) {
        if let Bond::Bound(link) = &self.bond {
            link.say(ask);
        }
    }

    /// Waits for a word of the process, which is asked for one.
    fn ping(&mut self, reply: oneshot::Sender<()>) {
        if matches!(self.bond, Bond::Loose) {
            // Who asked may have gone.
            let _ = reply.send(());
            return;
        }
        // One question is enough, however long it has no answer.
        if self.pings.is_empty() {
            self.say(&Ask::Output(NOBODY));
        }
        self.pings.retain(|waiting| !waiting.is_closed());
        self.pings.push(reply);
    }

    fn ask_output(&mut self, id: RunId, question: Question) {
        if !matches!(self.bond, Bond::Bound(_)) || !self.active.contains_key(&id) {
            return drop(question.reply.send(None));
        }
        let since = question.since;
        let asked = self.questions.entry(id).or_default();
        asked.retain(|asked| !asked.reply.is_closed());
        // What is asked already is not asked again, so that a process that hangs is not asked more and more.
        let is_asked = asked.iter().any(|asked| asked.since == since);
        asked.push(question);
        if !is_asked {
            self.say(&ask_for(id, since));
        }
    }

    /// Calls the process; what is to be started waits until it is known how it stands.
    fn call(&mut self, call: Call) {
        self.questions.clear();
        let (place, rest) = (self.place.clone(), self.is_silent.then_some(CALL_REST));
        let called = Box::pin(async move {
            if let Some(rest) = rest {
                let _ = timeout(rest, pending::<()>()).await;
            }
            match call {
                Call::Present => Link::to_present(&place).await,
                Call::Any => Link::to_any(&place).await.map(Some),
            }
        });
        self.bond = Bond::Calling(call, called);
    }

    fn see_to(&mut self, deed: Deed) {
        match deed {
            Deed::Called(_, Ok(Some(link))) => self.bond = Bond::Hearing(link, HashSet::new()),
            Deed::Called(_, Ok(None)) => self.settle(None, &HashSet::new()),
            Deed::Called(Call::Present, Err(error)) => {
                // Whoever has the lock may have the commands: they are neither lost nor to be started again.
                self.note_silence(&error);
                self.call(Call::Present);
            }
            Deed::Called(Call::Any, Err(error)) => {
                self.note_silence(&error);
                self.give_up(&error);
            }
            Deed::Told(tell) => {
                if std::mem::take(&mut self.is_silent) {
                    tracing::info!("the process that runs commands answers again");
                }
                self.answer_pings();
                self.hear(tell);
            }
            Deed::Gone => {
                tracing::warn!("the process that runs commands is gone");
                if matches!(self.bond, Bond::Hearing(..)) {
                    self.trials += 1;
                }
                if self.trials < TRIALS {
                    return self.call(Call::Present);
                }
                self.trials = 0;
                self.give_up(&LinkError::Silent);
                self.call(Call::Present);
            }
        }
    }

    fn hear(&mut self, tell: Tell) {
        if let Bond::Hearing(_, known) = &mut self.bond {
            if tell == Tell::Known {
                let Bond::Hearing(link, known) = std::mem::replace(&mut self.bond, Bond::Loose) else { return };
                return self.settle(Some(link), &known);
            }
            known.extend(run_of(&tell));
        }
        self.note(tell);
    }

    fn note_silence(&mut self, error: &LinkError) {
        if !std::mem::replace(&mut self.is_silent, true) {
            tracing::error!(%error, lock = %self.place.lock.display(), "what became of commands is not known");
        }
    }

    fn answer_pings(&mut self) {
        for reply in self.pings.drain(..) {
            // Who asked may have gone.
            let _ = reply.send(());
        }
    }

    /// Nothing can be started: whatever waits for that was not.
    fn give_up(&mut self, error: &LinkError) {
        self.bond = Bond::Loose;
        let (starts, others): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.held).into_iter().partition(|errand| matches!(errand, Errand::Start(_)));
        for errand in starts {
            if let Errand::Start(order) = errand {
                let end = RunEnd::NotStarted { error: error.to_string() };
                self.ended(order.id, end, Output::default());
            }
        }
        others.into_iter().for_each(|errand| self.take(errand));
    }

    /// Sees to the runs that the process does not know, and to those that are to end; then to what waited for that.
    fn settle(&mut self, link: Option<Link>, known: &HashSet<RunId>) {
        self.bond = link.map_or(Bond::Loose, Bond::Bound);
        self.trials = 0;
        self.is_silent = false;
        let is_open = |active: &Active| active.orphan.is_none();
        let open: Vec<RunId> = self.active.iter().filter(|(_, active)| is_open(active)).map(|(id, _)| *id).collect();
        for id in open {
            let Some(active) = self.active.get_mut(&id) else { continue };
            if known.contains(&id) {
                if active.is_ending {
                    self.say(&Ask::End(id.0));
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
        self.answer_pings();
        for done in self.known.drain(..) {
            // Who waited may have gone.
            let _ = done.send(());
        }
        std::mem::take(&mut self.held).into_iter().for_each(|errand| self.take(errand));
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
            Tell::Output { id, output } => self.answer(RunId(id), output.map(Output::from).as_ref()),
        }
    }

    /// Answers those who asked what a run said and can know more now; the others are asked for again.
    fn answer(&mut self, id: RunId, said: Option<&Output>) {
        let total = said.map(|output| output.dropped + output.tail.len() as u64);
        let has_news = |question: &Question| total.is_none_or(|total| question.since.is_none_or(|since| since < total));
        let asked = self.questions.remove(&id).unwrap_or_default();
        let (answered, waiting): (Vec<_>, Vec<_>) = asked.into_iter().partition(has_news);
        // Who asked may have gone.
        answered.into_iter().for_each(|question| drop(question.reply.send(said.cloned())));
        if let Some(least) = waiting.iter().filter_map(|question| question.since).min() {
            self.say(&ask_for(id, Some(least)));
            self.questions.insert(id, waiting);
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

/// Passes one of the news on, once there is room for it. Dropping the future loses nothing.
async fn pass_on(listener: &mut Option<mpsc::Sender<News>>, waiting: &mut VecDeque<News>) {
    let Some(present) = listener else { return pending().await };
    if let Ok(room) = present.reserve().await {
        if let Some(news) = waiting.pop_front() {
            room.send(news);
        }
        return;
    }
    // It listens no more; the next one is told.
    *listener = None;
}

fn ask_for(RunId(id): RunId, since: Option<u64>) -> Ask {
    since.map_or(Ask::Output(id), |since| Ask::Follow { id, since })
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
