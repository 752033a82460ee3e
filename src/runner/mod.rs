//! How are the commands of tasks run, so that they outlive the daemon and none is run twice? One trait, with its adapters.
//!
//! A runner starts what it is told to start, once, and tells what becomes of it. It decides nothing: neither whether, when or
//! how often something is run.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::domain::run::{Output, Process, Program, RunId, RunReport};

pub mod client;
mod exit;
mod identity;
pub mod process;
pub mod recording;
mod wire;

/// How many news may wait for the listener (I9); a runner that finds no room waits, and so do the commands that speak.
pub const NEWS_MAX: usize = 1024;

/// How long a command may take to end once its group was asked to (TERM), before it is made to (KILL).
pub const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// How long passes at least between two that are told of what a run says of its progress, and of its checkpoints: each is
/// written to the disk.
pub const NEWS_REST: Duration = Duration::from_secs(1);

/// One run to be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// Which run.
    pub id: RunId,
    /// What is run.
    pub program: Program,
    /// Variables that say what it is run for (`KEIKO_…`).
    pub variables: BTreeMap<String, String>,
}

/// A run that an earlier daemon had started, or was about to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// Which run.
    pub id: RunId,
    /// Which process it was, where that is known.
    pub process: Option<Process>,
    /// Whether it is to end.
    pub is_ending: bool,
    /// How long it may run yet; `None`: for ever.
    pub ends_in: Option<Duration>,
}

/// What became of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct News {
    /// Which run.
    pub id: RunId,
    /// What is to be known.
    pub report: RunReport,
}

/// Runs commands.
pub trait Runner: Send + Sync + 'static {
    /// Starts a run. Returns at once; what becomes of it is news: it has started, or it ended without.
    ///
    /// A run that was ordered before is not started again.
    fn start(&self, order: Order);

    /// Asks a run to end: its whole group, and after a while it makes it. Returns at once; that it ended is news.
    fn end(&self, run: RunId);

    /// What became of a run is on the disk: it need not be kept any more.
    fn forget(&self, run: RunId);

    /// Takes up what an earlier daemon left: what still runs goes on and is told of as if this one had started it, what ended
    /// meanwhile is told now, and what is gone without a trace was interrupted.
    ///
    /// Returns once all is known; the news follow.
    fn take_up(&self, left: Vec<Left>) -> BoxFuture<'_, ()>;

    /// Returns the queue in which it tells from now on what becomes of runs, which ends an earlier one.
    fn news(&self) -> mpsc::Receiver<News>;

    /// Returns how long, in the time of the real world, a run that has not ended keeps a programmable clock from going on. Not
    /// at all where it is the clock, or a test, that says when a run ends.
    fn holds_clock(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns what a run has said until now, if it runs.
    fn output_of(&self, run: RunId) -> BoxFuture<'_, Option<Output>>;

    /// Waits until a run has said more than `since` bytes, and returns what it has said; `None` as soon as it does not run, or
    /// that is not known. Its end is news.
    fn output_behind(&self, run: RunId, since: u64) -> BoxFuture<'_, Option<Output>>;

    /// Returns what keeps it from running commands and telling of them now, for people; looks, which takes a second at most.
    fn trouble(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}
