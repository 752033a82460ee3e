//! Hands deliveries to workers: one pool per channel, with a limit per target, so that a slow target delays no other.
//!
//! Workers only report; what follows is decided by the loop. A delivery is under way at most once at a time.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Frozen, Report, Target};
use crate::domain::digest;
use crate::domain::effect::{Told, Withdrawal};
use crate::domain::event::Snapshot;
use crate::domain::occurrence::FireId;
use crate::domain::task::TaskId;
use crate::engine::digest_popup::DigestPopup;
use crate::engine::input::{CallError, Input, ResponseCall};
use crate::engine::request::RequestKey;
use crate::notify::responses::Response;
use crate::notify::{Channel, Presence};

/// How many deliveries may be under way to one target (SPEC 7).
pub const PER_TARGET_MAX: usize = 2;

/// How many silences may be under way on one channel: each is a call to a server that may not answer.
pub const SILENCING_MAX: usize = 4;

/// How many deliveries wait in memory for one channel; the rest stay in the store until these are sent (I9).
pub const WAITING_MAX: usize = 4096;

/// What is asked where a person responds to what a channel showed; no method of a client.
const RESPONSE: &str = "channel.response";

/// The workers of every channel.
pub(super) struct Dispatcher {
    pools: HashMap<ChannelKind, Pool>,
    inputs: mpsc::WeakSender<Input>,
    /// Handed out, and not yet reported to the loop.
    under_way: HashMap<DeliveryId, UnderWay>,
    /// Tasks to be silenced once what is under way for them on a channel has ended, since it may show something yet.
    silence_after: HashMap<(ChannelKind, TaskId), Withdrawal>,
    digest: DigestPopup,
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
    /// What is to be taken back, of each occurrence once, so never more than there are.
    to_silence: VecDeque<Withdrawal>,
    /// Silences, and popups that are shown again, that have not ended.
    silencing: usize,
}

/// The deliveries of one target.
struct Lane {
    target: Target,
    waiting: VecDeque<Delivery>,
    /// The firings that wait: thousands may come up at once, and each is looked for among them.
    known: HashSet<FireId>,
    running: usize,
}

impl Dispatcher {
    pub(super) fn new(channels: Vec<Arc<dyn Channel>>, inputs: mpsc::WeakSender<Input>) -> Self {
        for channel in &channels {
            tell_of_presence(&**channel, inputs.clone());
            tell_of_responses(&**channel, inputs.clone());
        }
        let pools = channels
            .into_iter()
            .map(|channel| {
                let kind = channel.kind();
                (
                    kind,
                    Pool {
                        channel,
                        lanes: Vec::new(),
                        turn: 0,
                        running: 0,
                        is_overfull: false,
                        changes: 0,
                        to_silence: VecDeque::new(),
                        silencing: 0,
                    },
                )
            })
            .collect();
        Self {
            pools,
            inputs,
            under_way: HashMap::new(),
            silence_after: HashMap::new(),
            digest: DigestPopup::default(),
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
        self.under_way.is_empty() && self.pools.values().all(Pool::is_silent)
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
        if kind == ChannelKind::Desktop && delivery.is_digest() {
            self.digest.is_replaced();
        }
        // The new one takes the place of what is shown; a silence that is still to come would take it back. In a chat
        // both stand.
        let is_replaced = !kind.has_addresses();
        if is_replaced {
            self.silence_after.remove(&(kind, delivery.task));
        }
        if let Some(pool) = self.pools.get_mut(&kind) {
            pool.to_silence.retain(|withdrawal| !is_replaced || withdrawal.task != delivery.task);
            pool.push(delivery);
        } else {
            self.under_way.insert(delivery.id.clone(), UnderWay { task: delivery.task, changes_before: 0 });
            let report = Report::Away { reason: format!("there is no channel {kind}") };
            self.send(Input::Report { delivery: delivery.id, report });
        }
        self.pump(kind);
    }

    /// Returns what shows the popups of `kind` now, where that is to be told from another.
    pub(super) fn shown_by(&self, kind: ChannelKind) -> Option<String> {
        self.pools.get(&kind)?.channel.shown_by()
    }

    /// Takes back the digest on the desktop once nothing of what it tells waits for the person, after a commit that left
    /// these.
    pub(super) fn settle_digest(
        &mut self,
        deliveries: &[Delivery],
        snapshots: &HashMap<TaskId, Snapshot>,
        device: Uuid,
    ) {
        if self.digest.ends_with(deliveries, snapshots) {
            let elsewhere: Vec<ChannelKind> =
                ChannelKind::ALL.into_iter().filter(|kind| *kind != ChannelKind::Desktop).collect();
            self.silence(&digest::over(device), &elsewhere);
        }
    }

    /// Shows again, quietly, what a server that is gone had shown: the `due`, or a digest of them. Few at once: there is no
    /// limit of its own.
    pub(super) fn show_again(&mut self, kind: ChannelKind, deliveries: Vec<Delivery>, due: &[Delivery]) {
        if deliveries.iter().any(Delivery::is_digest) {
            self.digest.shows(due.iter());
        }
        let Some(pool) = self.pools.get_mut(&kind) else { return };
        for delivery in deliveries {
            pool.silencing += 1;
            let (channel, inputs) = (Arc::clone(&pool.channel), self.inputs.clone());
            tokio::spawn(async move {
                channel.show_again(&delivery).await;
                report(&inputs, Input::Silenced { kind }).await;
            });
        }
    }

    /// Returns what every attempt of a delivery is to say, where its channel wants that kept.
    pub(super) fn freeze(&self, delivery: &Delivery) -> Option<Frozen> {
        self.pools.get(&delivery.id.target.kind)?.channel.freeze(delivery)
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

    /// Takes back what is shown of a task, but on the channels of `except`.
    pub(super) fn silence(&mut self, withdrawal: &Withdrawal, except: &[ChannelKind]) {
        let kinds: Vec<ChannelKind> = self.pools.keys().filter(|kind| !except.contains(kind)).copied().collect();
        for kind in kinds {
            let told = withdrawal.told.iter().filter(|told| told.id.target.kind == kind).cloned().collect();
            let withdrawal = Withdrawal { told, ..withdrawal.clone() };
            if self.is_busy(withdrawal.task, kind) {
                self.silence_after.insert((kind, withdrawal.task), withdrawal.clone());
            }
            self.withdraw(withdrawal, kind);
        }
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
    pub(super) fn reported(&mut self, id: &DeliveryId, report: &Report) -> bool {
        let Some(UnderWay { task, changes_before }) = self.under_way.remove(id) else { return false };
        let kind = id.target.kind;
        let changes = self.pools.get_mut(&kind).map_or(0, |pool| {
            pool.ended(&id.target);
            pool.changes
        });
        if let (Some(withdrawal), Report::Delivered { receipt }) = (self.silence_after.get_mut(&(kind, task)), report) {
            withdrawal.told.push(Told { id: id.clone(), receipt: receipt.clone() });
        }
        if !self.is_busy(task, kind)
            && let Some(withdrawal) = self.silence_after.remove(&(kind, task))
        {
            self.withdraw(withdrawal, kind);
        }
        self.pump(kind);
        changes != changes_before
    }

    /// Notes that a silence has ended.
    pub(super) fn silenced(&mut self, kind: ChannelKind) {
        if let Some(pool) = self.pools.get_mut(&kind) {
            pool.silencing = pool.silencing.saturating_sub(1);
        }
        self.pump_silences(kind);
    }

    fn is_busy(&self, task: TaskId, kind: ChannelKind) -> bool {
        self.under_way.iter().any(|(id, busy)| busy.task == task && id.target.kind == kind)
    }

    /// Returns whether deliveries by `kind` are left in the store since too many wait; nothing waits without a channel.
    pub(super) fn is_overfull(&self, kind: ChannelKind) -> bool {
        self.pools.get(&kind).is_none_or(|pool| pool.is_overfull)
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

    /// Takes back what a channel shows of a task, as soon as it has room.
    fn withdraw(&mut self, withdrawal: Withdrawal, kind: ChannelKind) {
        // Where each has an address of its own, nothing is shown of what was told nobody there.
        let is_shown = !kind.has_addresses() || !withdrawal.told.is_empty();
        if let Some(pool) = self.pools.get_mut(&kind).filter(|_| is_shown) {
            let is_same = |known: &Withdrawal| {
                known.task == withdrawal.task && (!kind.has_addresses() || known.occurrence == withdrawal.occurrence)
            };
            pool.to_silence.retain(|known| !is_same(known));
            pool.to_silence.push_back(withdrawal);
        }
        self.pump_silences(kind);
    }

    fn pump_silences(&mut self, kind: ChannelKind) {
        let Some(pool) = self.pools.get_mut(&kind) else { return };
        while pool.silencing < SILENCING_MAX
            && let Some(withdrawal) = pool.to_silence.pop_front()
        {
            pool.silencing += 1;
            let (channel, inputs) = (Arc::clone(&pool.channel), self.inputs.clone());
            tokio::spawn(async move {
                channel.withdraw(&withdrawal).await;
                report(&inputs, Input::Silenced { kind }).await;
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
pub(super) async fn report(inputs: &mpsc::WeakSender<Input>, input: Input) {
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

fn tell_of_responses(channel: &dyn Channel, inputs: mpsc::WeakSender<Input>) {
    let (kind, Some(mut responses)) = (channel.kind(), channel.responses()) else { return };
    tokio::spawn(async move {
        while let Some(Response { ring, act, key, outcome }) = responses.recv().await {
            let key = key.map(|key| RequestKey { key: format!("{kind}|{key}"), method: RESPONSE });
            let (reply, answer) = oneshot::channel();
            report(&inputs, Input::Responded { response: ResponseCall { ring, act, key }, reply }).await;
            tokio::spawn(async move {
                // A loop that ended before it answered has committed nothing of it.
                let answered = answer.await.unwrap_or(Err(CallError::Stopping));
                let told = answered.map(drop).map_err(|error| error.to_string());
                if let Err(error) = &told {
                    tracing::debug!(error, task = %ring.task, "nothing follows of what the person did");
                }
                if let Some(outcome) = outcome {
                    // A channel that has gone meanwhile needs none.
                    let _ = outcome.send(told);
                }
            });
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
            self.lanes.push(Lane { target, waiting: VecDeque::new(), known: HashSet::new(), running: 0 });
            self.lanes.len() - 1
        });
        let lane = &mut self.lanes[at];
        if lane.known.insert(delivery.id.fire_id) {
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
        let lane = &mut self.lanes[at];
        let next = lane.waiting.pop_front()?;
        lane.running += 1;
        lane.known.remove(&next.id.fire_id);
        self.running += 1;
        Some(next)
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
            let Lane { waiting, known, .. } = lane;
            waiting.retain(|delivery| {
                let is_wanted = !is_unwanted(delivery);
                if !is_wanted {
                    known.remove(&delivery.id.fire_id);
                }
                is_wanted
            });
        }
    }

    fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    fn is_silent(&self) -> bool {
        self.silencing == 0 && self.to_silence.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.running == 0 && self.waiting() == 0 && !self.is_overfull
    }
}
