//! A runner that runs nothing and notes what it is told, for tests: what becomes of each run, the test says.

use std::sync::Mutex;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::domain::run::{Output, Process, RunEnd, RunId, RunReport};
use crate::runner::{Left, NEWS_MAX, News, Order, Runner};

/// What a runner was told, in the order in which it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// To start a run.
    Start(Box<Order>),
    /// To end one.
    End(RunId),
    /// That the end of one is on the disk.
    Forget(RunId),
    /// What an earlier daemon left.
    TakeUp(Vec<Left>),
}

/// See the module.
#[derive(Debug, Default)]
pub struct RecordingRunner {
    told: Mutex<Vec<Told>>,
    listener: Mutex<Option<mpsc::Sender<News>>>,
    /// Whether each run succeeds as soon as it is started.
    is_prompt: bool,
}

impl RecordingRunner {
    /// Returns one whose runs all succeed as soon as they are started.
    #[must_use]
    pub fn prompt() -> Self {
        Self { is_prompt: true, ..Self::default() }
    }

    /// Returns what it was told, and forgets that.
    #[must_use]
    pub fn take_told(&self) -> Vec<Told> {
        std::mem::take(&mut self.told.lock().expect("no holder panics"))
    }

    /// Tells what became of a run.
    ///
    /// # Panics
    /// Nobody listens, or too much was told that nobody heard yet.
    pub fn tell(&self, id: RunId, report: RunReport) {
        let listener = self.listener.lock().expect("no holder panics").clone();
        listener.expect("an engine listens").try_send(News { id, report }).expect("the engine hears");
    }

    /// Tells that a run was started, as the process of a number.
    pub fn tell_started(&self, id: RunId, pid: u32) {
        let process = Process { pid, started: u64::from(pid), boot: uuid::Uuid::nil() };
        self.tell(id, RunReport::Started { process });
    }

    /// Tells that a run has ended.
    pub fn tell_ended(&self, id: RunId, end: RunEnd) {
        self.tell(id, RunReport::Ended { end, output: Output::default() });
    }

    fn note(&self, told: Told) {
        self.told.lock().expect("no holder panics").push(told);
    }
}

impl Runner for RecordingRunner {
    fn start(&self, order: Order) {
        let id = order.id;
        self.note(Told::Start(Box::new(order)));
        if self.is_prompt {
            self.tell_started(id, 1);
            self.tell_ended(id, RunEnd::Exit(0));
        }
    }

    fn end(&self, run: RunId) {
        self.note(Told::End(run));
        if self.is_prompt {
            self.tell_ended(run, RunEnd::Signal(15));
        }
    }

    fn forget(&self, run: RunId) {
        self.note(Told::Forget(run));
    }

    fn take_up(&self, left: Vec<Left>) -> BoxFuture<'_, ()> {
        for left in &left {
            if self.is_prompt {
                self.tell_ended(left.id, RunEnd::Interrupted);
            }
        }
        self.note(Told::TakeUp(left));
        Box::pin(std::future::ready(()))
    }

    fn news(&self) -> mpsc::Receiver<News> {
        let (told, heard) = mpsc::channel(NEWS_MAX);
        *self.listener.lock().expect("no holder panics") = Some(told);
        heard
    }

    fn output_of(&self, _run: RunId) -> BoxFuture<'_, Option<Output>> {
        Box::pin(std::future::ready(None))
    }

    fn output_behind(&self, _run: RunId, _since: u64) -> BoxFuture<'_, Option<Output>> {
        Box::pin(std::future::ready(None))
    }
}
