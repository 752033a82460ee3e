//! Hands deliveries to workers: one pool per channel, with a limit per target, so that a slow target delays no other.
//!
//! Workers only report; what follows is decided by the loop. A delivery is under way at most once at a time.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Report, Target};
use crate::domain::task::TaskId;
use crate::engine::input::Input;
use crate::notify::{Channel, Presence};

/// How many deliveries may be under way to one target (SPEC 7).
pub const PER_TARGET_MAX: usize = 2;

/// How many deliveries wait in memory for one channel; the rest stay in the store until these are sent (I9).
pub const WAITING_MAX: usize = 4096;

/// The workers of every channel.
pub(super) struct Dispatcher {
    pools: HashMap<ChannelKind, Pool>,
    inputs: mpsc::WeakSender<Input>,
    /// Handed out, and not yet reported to the loop.
    under_way: HashMap<DeliveryId, UnderWay>,
    /// Tasks to be silenced once what is under way for them on a channel has ended, since it may show something yet.
    silence_after: HashSet<(ChannelKind, TaskId)>,
    /// Silences that have not ended.
    silencing: usize,
    /// Whether nothing new is begun.
    is_stopping: bool,
}

/// A delivery that a worker has.
struct UnderWay {
    task: TaskId,
    /// How often its channel had changed its presence when it was handed out.
    changes_before: u64,
}

/// The deliveries of one channel.
struct Pool {
    channel: Arc<dyn Channel>,
    lanes: Vec<Lane>,
    /// The lane whose turn it is, so that each target gets its share.
    turn: usize,
    running: usize,
    /// Whether deliveries were left in the store since too many wait.
    is_overfull: bool,
    /// How often the channel has changed its presence.
    changes: u64,
}

/// The deliveries of one target.
struct Lane {
    target: Target,
    waiting: VecDeque<Delivery>,
    running: usize,
}

impl Dispatcher {
    pub(super) fn new(channels: Vec<Arc<dyn Channel>>, inputs: mpsc::WeakSender<Input>) -> Self {
        for channel in &channels {
            tell_of_presence(&**channel, inputs.clone());
        }
        let pools = channels
            .into_iter()
            .map(|channel| {
                let kind = channel.kind();
                (kind, Pool { channel, lanes: Vec::new(), turn: 0, running: 0, is_overfull: false, changes: 0 })
            })
            .collect();
        Self {
            pools,
            inputs,
            under_way: HashMap::new(),
            silence_after: HashSet::new(),
            silencing: 0,
            is_stopping: false,
        }
    }

    /// Returns whether the channel cannot reach anybody now; a channel that does not exist cannot ever.
    pub(super) fn is_away(&self, kind: ChannelKind) -> bool {
        self.pools.get(&kind).is_none_or(|pool| *pool.channel.presence().borrow() != Presence::Present)
    }

    /// Returns whether nothing is under way and nothing waits for a worker.
    pub(super) fn is_quiet(&self) -> bool {
        self.is_idle() && self.pools.values().all(Pool::is_empty)
    }

    /// Returns whether nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.silencing == 0
    }

    /// Begins nothing new from now on; what waits stays in the store for the next start.
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// Takes a delivery to be sent as soon as its channel and target have room.
    pub(super) fn deliver(&mut self, delivery: Delivery) {
        if self.under_way.contains_key(&delivery.id) {
            return;
        }
        let kind = delivery.id.target.kind;
        // The new one takes the place of what is shown; a silence that is still to come would take it back.
        self.silence_after.remove(&(kind, delivery.task));
        if let Some(pool) = self.pools.get_mut(&kind) {
            pool.push(delivery);
        } else {
            self.under_way.insert(delivery.id.clone(), UnderWay { task: delivery.task, changes_before: 0 });
            let report = Report::Away { reason: format!("there is no channel {kind}") };
            self.send(Input::Report { delivery: delivery.id, report });
        }
        self.pump(kind);
    }

    /// Returns whether a worker has it.
    pub(super) fn is_under_way(&self, id: &DeliveryId) -> bool {
        self.under_way.contains_key(id)
    }

    /// Returns how many deliveries to a target are under way or wait for a worker.
    pub(super) fn load(&self, target: &Target) -> usize {
        let lane = self.pools.get(&target.kind).and_then(|pool| pool.lanes.iter().find(|lane| lane.target == *target));
        lane.map_or(0, |lane| lane.running + lane.waiting.len())
    }

    /// Takes back what is shown of a task.
    pub(super) fn silence(&mut self, task: TaskId) {
        let busy = self.under_way.iter().filter(|(_, busy)| busy.task == task);
        self.silence_after.extend(busy.map(|(id, _)| (id.target.kind, task)));
        self.withdraw(task, None);
    }

    /// Forgets deliveries that are no longer wanted before a worker has them.
    pub(super) fn forget(&mut self, ids: &HashSet<&DeliveryId>) {
        if !ids.is_empty() {
            self.pools.values_mut().for_each(|pool| pool.forget_if(|delivery| ids.contains(&delivery.id)));
        }
    }

    /// Notes that a channel's presence changed.
    pub(super) fn presence_changed(&mut self, kind: ChannelKind) {
        if let Some(pool) = self.pools.get_mut(&kind) {
            pool.changes += 1;
        }
    }

    /// Notes that a worker has reported. Returns whether its channel's presence changed while it was under way, so
    /// that what it says of the channel may be old.
    pub(super) fn reported(&mut self, id: &DeliveryId) -> bool {
        let Some(UnderWay { task, changes_before }) = self.under_way.remove(id) else { return false };
        let kind = id.target.kind;
        let changes = self.pools.get_mut(&kind).map_or(0, |pool| {
            pool.ended(&id.target);
            pool.changes
        });
        let is_busy = self.under_way.iter().any(|(id, busy)| busy.task == task && id.target.kind == kind);
        if !is_busy && self.silence_after.remove(&(kind, task)) {
            self.withdraw(task, Some(kind));
        }
        self.pump(kind);
        changes != changes_before
    }

    /// Notes that a silence has ended.
    pub(super) fn silenced(&mut self) {
        self.silencing = self.silencing.saturating_sub(1);
    }

    /// Returns the channels with room again for what was left in the store, once each.
    pub(super) fn take_overfull(&mut self) -> Vec<ChannelKind> {
        let drained = self.pools.iter_mut().filter(|(_, pool)| pool.is_overfull && pool.waiting() == 0);
        drained
            .map(|(kind, pool)| {
                pool.is_overfull = false;
                *kind
            })
            .collect()
    }

    /// Takes back what one channel, or every channel, shows of a task.
    fn withdraw(&mut self, task: TaskId, only: Option<ChannelKind>) {
        for (_, pool) in self.pools.iter().filter(|(kind, _)| only.is_none_or(|only| only == **kind)) {
            self.silencing += 1;
            let (channel, inputs) = (Arc::clone(&pool.channel), self.inputs.clone());
            tokio::spawn(async move {
                channel.withdraw(task).await;
                report(&inputs, Input::Silenced).await;
            });
        }
    }

    fn pump(&mut self, kind: ChannelKind) {
        if self.is_stopping {
            return;
        }
        let Some(pool) = self.pools.get_mut(&kind) else { return };
        while let Some(delivery) = pool.start_next() {
            let busy = UnderWay { task: delivery.task, changes_before: pool.changes };
            self.under_way.insert(delivery.id.clone(), busy);
            let (channel, inputs) = (Arc::clone(&pool.channel), self.inputs.clone());
            tokio::spawn(async move {
                // A channel that panics is a broken one, not a reason to wait for its report for ever.
                let id = delivery.id.clone();
                let attempt = tokio::spawn(async move { channel.deliver(&delivery).await }).await;
                let report_of = attempt.unwrap_or_else(|error| Report::Failed {
                    error: format!("the channel failed: {error}"),
                    is_final: false,
                    retry_after: None,
                });
                report(&inputs, Input::Report { delivery: id, report: report_of }).await;
            });
        }
    }

    fn send(&self, input: Input) {
        let inputs = self.inputs.clone();
        tokio::spawn(async move { report(&inputs, input).await });
    }
}

/// Waits for room in the loop's queue: reports are never dropped. A loop that has ended needs none.
async fn report(inputs: &mpsc::WeakSender<Input>, input: Input) {
    if let Some(inputs) = inputs.upgrade() {
        let _ = inputs.send(input).await;
    }
}

fn tell_of_presence(channel: &dyn Channel, inputs: mpsc::WeakSender<Input>) {
    let (kind, mut presence) = (channel.kind(), channel.presence());
    tokio::spawn(async move {
        while presence.changed().await.is_ok() {
            report(&inputs, Input::Presence { kind }).await;
        }
    });
}

impl Pool {
    fn push(&mut self, delivery: Delivery) {
        if self.waiting() >= WAITING_MAX {
            self.is_overfull = true;
            return;
        }
        let known = self.lanes.iter().position(|lane| lane.target == delivery.id.target);
        let at = known.unwrap_or_else(|| {
            let target = delivery.id.target.clone();
            self.lanes.push(Lane { target, waiting: VecDeque::new(), running: 0 });
            self.lanes.len() - 1
        });
        let lane = &mut self.lanes[at];
        if !lane.waiting.iter().any(|waiting| waiting.id == delivery.id) {
            lane.waiting.push_back(delivery);
        }
    }

    fn start_next(&mut self) -> Option<Delivery> {
        if self.running >= self.channel.workers() {
            return None;
        }
        let count = self.lanes.len();
        let ready = |lane: &Lane| lane.running < PER_TARGET_MAX && !lane.waiting.is_empty();
        let at = (0..count).map(|offset| (self.turn + offset) % count).find(|at| ready(&self.lanes[*at]))?;
        self.turn = (at + 1) % count;
        self.running += 1;
        let lane = &mut self.lanes[at];
        lane.running += 1;
        lane.waiting.pop_front()
    }

    fn ended(&mut self, target: &Target) {
        self.running = self.running.saturating_sub(1);
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.target == *target) {
            lane.running = lane.running.saturating_sub(1);
        }
        self.lanes.retain(|lane| lane.running > 0 || !lane.waiting.is_empty());
        self.turn = 0;
    }

    fn forget_if(&mut self, is_unwanted: impl Fn(&Delivery) -> bool) {
        for lane in &mut self.lanes {
            lane.waiting.retain(|delivery| !is_unwanted(delivery));
        }
    }

    fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    fn is_empty(&self) -> bool {
        self.running == 0 && self.waiting() == 0 && !self.is_overfull
    }
}
