//! How does the daemon have its commands run? It tells a process that outlives it ([`crate::runner::process`]), starts that
//! one when the first command is ordered, and hears from it.
//!
//! One task, the clerk, does all the talking, so that nothing overtakes anything else.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::domain::run::{Output, RunId};
use crate::runner::client::clerk::{Clerk, Errand};
use crate::runner::{Left, NEWS_MAX, News, Order, Runner};

mod clerk;
mod link;
mod orphan;
mod session;

/// How long the start of a daemon waits for word of what an earlier one left: the answer is there within milliseconds.
const KNOWN_WITHIN: Duration = Duration::from_secs(5);

/// How long a command keeps a programmable clock where it is: what a person tries out ends well within it, and one that
/// waits for something may do so for ever.
const HOLDS_CLOCK: Duration = Duration::from_secs(2);

/// How long whoever asks what a run has said is kept waiting.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// How long the process may take to say that it is there: it does so within milliseconds, unless it hangs or was stopped.
const THERE_WITHIN: Duration = Duration::from_secs(1);

/// Where the process that runs commands is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file whose lock it holds.
    pub lock: PathBuf,
    /// The sockets that it may listen on, best first.
    pub sockets: Vec<PathBuf>,
    /// The daemon's program, which is that process in another role; `None`: this one.
    pub program: Option<PathBuf>,
    /// Variables that each command gets, so that `keiko` in it speaks to the daemon that runs it.
    pub variables: BTreeMap<String, String>,
}

/// Runs commands by a process of their own.
#[derive(Debug)]
pub struct ProcessRunner {
    /// Not bounded here: there are at most as many orders as runs may be active, with their ends, and as many questions as
    /// requests may be under way.
    errands: mpsc::UnboundedSender<Errand>,
    lock: PathBuf,
}

impl ProcessRunner {
    /// Returns one for a place; nothing is started yet. Must be called within the runtime.
    #[must_use]
    pub fn at(place: Place) -> Self {
        let (errands, coming) = mpsc::unbounded_channel();
        let lock = place.lock.clone();
        tokio::spawn(Clerk::new(place).work(coming));
        Self { errands, lock }
    }

    /// Hears what a process of an earlier daemon still keeps, where there is one: how runs ended that nothing is left of but that
    /// it was not told so. It would wait for ever else.
    pub fn look(&self) {
        self.send(Errand::Look);
    }

    /// Waits until all that it was told has been passed on.
    pub async fn flush(&self) {
        let (done, doing) = oneshot::channel();
        self.send(Errand::Flush(done));
        // The clerk is gone only with the runtime.
        let _ = doing.await;
    }

    fn send(&self, errand: Errand) {
        // As above.
        let _ = self.errands.send(errand);
    }
}

impl Runner for ProcessRunner {
    fn start(&self, order: Order) {
        self.send(Errand::Start(Box::new(order)));
    }

    fn end(&self, run: RunId) {
        self.send(Errand::End(run));
    }

    fn forget(&self, run: RunId) {
        self.send(Errand::Forget(run));
    }

    fn take_up(&self, left: Vec<Left>) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let (done, doing) = oneshot::channel();
            self.send(Errand::TakeUp(left, done));
            // What is not known by then becomes known later.
            if timeout(KNOWN_WITHIN, doing).await.is_err() {
                tracing::warn!("the process that runs commands does not answer yet");
            }
        })
    }

    fn news(&self) -> mpsc::Receiver<News> {
        let (told, heard) = mpsc::channel(NEWS_MAX);
        self.send(Errand::Listen(told));
        heard
    }

    fn holds_clock(&self) -> Duration {
        HOLDS_CLOCK
    }

    fn output_of(&self, run: RunId) -> BoxFuture<'_, Option<Output>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            self.send(Errand::Output(run, None, reply));
            timeout(ANSWERED_WITHIN, answer).await.ok()?.ok().flatten()
        })
    }

    fn output_behind(&self, run: RunId, since: u64) -> BoxFuture<'_, Option<Output>> {
        let (reply, answer) = oneshot::channel();
        self.send(Errand::Output(run, Some(since), reply));
        Box::pin(async { answer.await.ok().flatten() })
    }

    fn trouble(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            let (reply, answer) = oneshot::channel();
            self.send(Errand::Ping(reply));
            if timeout(THERE_WITHIN, answer).await.is_ok() {
                return None;
            }
            let pid = link::pid(&self.lock).map_or_else(String::new, |pid| format!(" (pid {pid})"));
            Some(format!("the process that runs commands{pid} does not answer"))
        })
    }
}
