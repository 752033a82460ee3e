//! What happens when? One loop takes inputs one after another, so nothing guards the tasks but it.
//!
//! It steps each input with the rules, commits what came of them in one transaction, and only then answers, plans and
//! hands deliveries to workers. It holds no rule of its own and knows no socket, JSON, SQL or command line.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::domain::day::Daily;
use crate::domain::quiet::QuietHours;
use crate::domain::routing::Routing;
use crate::domain::time::Span;
use crate::engine::handle::{Handle, INPUTS_MAX};
use crate::engine::ids::Ids;
use crate::engine::run::Engine;
use crate::engine::storage::StoreHealth;
use crate::notify::Channel;
use crate::runner::Runner;
use crate::store::{Store, StoreError};

mod advance;
mod ahead;
pub mod archive;
mod call_error;
pub mod choices;
pub mod chronicle;
mod day;
mod digest_popup;
pub mod dispatch;
mod glance;
pub mod handle;
pub mod ids;
pub mod input;
mod late;
mod log_lines;
mod named;
mod ops;
mod purge;
mod recover;
pub mod request;
mod retry;
mod run;
pub mod runs;
mod runs_told;
mod settings;
pub mod status;
mod step;
mod steps_of_clock;
pub mod storage;
mod targets;
mod turn;
pub mod waits;

/// Everything the loop is made of.
pub struct EngineParts {
    /// Where tasks are kept.
    pub store: Arc<dyn Store>,
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// The ways to reach the person, at most one of each kind.
    pub channels: Vec<Arc<dyn Channel>>,
    /// Where ids and jitter come from.
    pub ids: Ids,
    /// Within it a firing is on time.
    pub grace: Span,
    /// When the person is to be left alone each day.
    pub quiet_hours: QuietHours,
    /// When and where each day is told; `None`: not at all.
    pub daily: Option<Daily>,
    /// Who is told by what.
    pub routing: Routing,
    /// What runs the commands of tasks.
    pub runner: Arc<dyn Runner>,
    /// How many of them run at once.
    pub commands_at_once: usize,
}

/// A running loop.
#[derive(Debug)]
pub struct Running {
    stop: oneshot::Sender<Duration>,
    ended: JoinHandle<()>,
}

impl Running {
    /// Ends the loop: what waits is finished, deliveries under way get `grace` to end, nothing new is begun.
    pub async fn stop(self, grace: Duration) {
        // A loop that has ended already has nothing left to stop.
        let _ = self.stop.send(grace);
        let _ = self.ended.await;
    }

    /// Ends the loop at once, wherever it is, as a crash would.
    pub async fn abort(self) {
        self.ended.abort();
        let _ = self.ended.await;
    }
}

/// Starts the loop from what the store knows; answers once the queue stands and the outbox is taken up again.
///
/// # Errors
/// The store cannot be read, or what the start itself changes cannot be written though the disk has room. On a full disk
/// it starts all the same, and writes that as soon as it can.
pub async fn start(parts: EngineParts) -> Result<(Handle, Running), Arc<StoreError>> {
    let (inputs_in, inputs) = mpsc::channel(INPUTS_MAX);
    let (stop, stopped) = oneshot::channel();
    let identity = parts.store.identity()?;
    let health = StoreHealth::default();
    let (seq_in, last_seq) = watch::channel(identity.last_seq);
    let handle = Handle::new(
        inputs_in.clone(),
        Arc::clone(&parts.store),
        Arc::clone(&parts.clock),
        identity.clone(),
        parts.channels.clone(),
        last_seq,
        health.clone(),
    )
    .with_quiet_hours(parts.quiet_hours.clone())
    .with_runner(Arc::clone(&parts.runner));
    let mut engine = Engine::new(parts, &identity, inputs, inputs_in.downgrade(), seq_in, health);
    engine.begin(&identity).await?;
    let ended = tokio::spawn(engine.run(stopped));
    Ok((handle, Running { stop, ended }))
}
