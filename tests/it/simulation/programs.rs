//! The programs that the simulated device sends to: they fail, hang, ask for patience, and watch what they are sent.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use keiko::clock::Clock;
use keiko::clock::sim::SimClock;
use keiko::domain::breaker::{Breaker, RELEASE_EVERY};
use keiko::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, Report, Target};
use keiko::domain::event::Snapshot;
use keiko::domain::state::State;
use keiko::domain::time::{Span, Timestamp};
use keiko::engine::dispatch::PER_TARGET_MAX;
use keiko::engine::input::TargetCall;
use keiko::notify::Presence;
use keiko::notify::recording::{Answer, RecordingChannel};
use keiko::store::Store;
use keiko::store::memory::MemoryStore;

use crate::simulation::world::World;
use crate::simulation::{countdown, first_instant, request, runtime};
use crate::support::random::Random;

/// Returns a program's target.
pub(super) fn webhook(address: &str) -> Target {
    Target { kind: ChannelKind::Webhook, address: address.into() }
}

/// How the programs answer.
#[derive(Clone, Copy, Debug)]
enum Mood {
    Takes,
    /// Fails so many of a hundred, some of them for good, some with a wish to be left alone.
    Fails(u64),
    /// Fails all until then.
    DownUntil(Timestamp),
}

/// The programs, and what they have seen.
pub(super) struct Programs {
    pub(super) channel: RecordingChannel,
    watch: Arc<Mutex<Watch>>,
    is_hanging: Arc<AtomicBool>,
}

struct Watch {
    salt: u64,
    mood: Mood,
    /// When each request came.
    requests: Vec<(Timestamp, DeliveryId)>,
    /// What should not have happened; a panic in a channel would be a failed attempt only.
    breaches: Vec<String>,
    /// How many requests came while a breaker was open, by its opening and the probes so far.
    while_open: BTreeMap<(Target, Timestamp, u32), usize>,
    while_paused: BTreeMap<(Target, Timestamp), usize>,
    held: BTreeSet<DeliveryId>,
    last_release: BTreeMap<Target, Timestamp>,
    probes: usize,
}

impl Programs {
    pub(super) fn new(salt: u64) -> Self {
        let watch = Watch {
            salt,
            mood: Mood::Takes,
            requests: Vec::new(),
            breaches: Vec::new(),
            while_open: BTreeMap::new(),
            while_paused: BTreeMap::new(),
            held: BTreeSet::new(),
            last_release: BTreeMap::new(),
            probes: 0,
        };
        let channel = RecordingChannel::new(ChannelKind::Webhook);
        let is_hanging = Arc::new(AtomicBool::new(false));
        tokio::spawn(release_by_and_by(channel.clone(), Arc::clone(&is_hanging)));
        Self { channel, watch: Arc::new(Mutex::new(watch)), is_hanging }
    }

    /// Compares every request from now on with what the store says at that moment.
    pub(super) fn watch(&self, store: &MemoryStore, clock: &Arc<SimClock>) {
        let (watch, store, clock) = (Arc::clone(&self.watch), store.clone(), Arc::clone(clock));
        let is_hanging = Arc::clone(&self.is_hanging);
        self.channel.answer(move |delivery, attempt| {
            let mut watch = watch.lock().expect("no holder panics");
            watch.note(&store, clock.now(), delivery);
            watch.answer(delivery, attempt, clock.now(), is_hanging.load(Ordering::SeqCst))
        });
    }

    pub(super) fn change_mood(&self, random: &mut Random) {
        let mut watch = self.locked();
        watch.salt = random.next();
        watch.mood = match random.below(4) {
            0 => Mood::Takes,
            1 => Mood::Fails(30),
            2 => Mood::Fails(95),
            _ => Mood::Fails(100),
        };
    }

    /// Makes every request hang, or answers those that do.
    pub(super) fn hang(&self, is_hanging: bool) {
        self.is_hanging.store(is_hanging, Ordering::SeqCst);
        if !is_hanging {
            self.channel.release();
        }
    }

    /// The rate of releases is that of the clock as it goes by itself, and of one release without a person's word.
    pub(super) fn forget_releases(&self) {
        self.locked().last_release.clear();
    }

    /// Returns how many probes were sent.
    pub(super) fn probes(&self) -> usize {
        self.locked().probes
    }

    fn locked(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().expect("no holder panics")
    }

    /// What must hold whenever all is quiet.
    pub(super) fn check(&self, store: &MemoryStore, tasks: &[Snapshot]) {
        let mut watch = self.locked();
        assert_eq!(watch.breaches, Vec::<String>::new());
        for delivery in store.outbox().expect("readable") {
            if delivery.status == DeliveryStatus::Held {
                let targets = store.targets().expect("readable");
                let health = targets.iter().find(|health| health.target == delivery.id.target);
                let is_closed = health.is_none_or(|health| health.breaker == Breaker::Closed);
                assert!(!is_closed, "{} is held for a target that is sent to", delivery.id);
                watch.held.insert(delivery.id);
            }
        }
        for snapshot in tasks.iter().filter(|snapshot| snapshot.task.is_program_only()) {
            check_program_task(store, snapshot);
        }
    }
}

/// A task for programs has bounded attempts, and is open only while one is on its way or something is to be said yet.
fn check_program_task(store: &MemoryStore, snapshot: &Snapshot) {
    let deliveries = store.deliveries(snapshot.task.id, None).expect("readable");
    for delivery in deliveries.iter().filter(|delivery| !delivery.is_notice()) {
        let attempts_max = snapshot.task.attempts_max().expect("only a reminder has no limit");
        assert!(delivery.attempts <= attempts_max, "{} was tried too often", delivery.id);
    }
    let State::Running(running) = &snapshot.occurrence.state else { return };
    // What was withdrawn and comes back is due in silence, until a person answers or it is succeeded.
    let events = store.history(snapshot.task.id).expect("readable");
    let is_back = events.iter().any(|stored| ["taken back", "nothing sent"].contains(&stored.event.reason.as_str()));
    if is_back || snapshot.task.deleted_at.is_some() {
        return;
    }
    let name = snapshot.occurrence.name();
    // Early alerts end nothing; one that was moved after it spoke has not said anything of its new time.
    let mut of_due = deliveries.iter().filter(|delivery| {
        let is_of_due = snapshot.occurrence.last_spoken.is_some() && delivery.occasion.slot.is_of_due();
        is_of_due && delivery.occurrence == name && !delivery.is_notice()
    });
    let speaks_again = running.snooze.is_some() || snapshot.says_more_of_due();
    let has_sent = of_due.clone().next().is_some();
    let is_over = of_due.all(|delivery| delivery.status.is_final());
    assert!(speaks_again || !has_sent || !is_over, "{} has nothing left to wait for", snapshot.task.number);
}

impl Watch {
    fn note(&mut self, store: &MemoryStore, now: Timestamp, delivery: &Delivery) {
        let id = &delivery.id;
        // One that was made too late already was missed, which is the task's rule to judge, not the delivery's.
        if delivery.is_expired(now) && !delivery.is_expired(delivery.created_at) {
            self.breaches.push(format!("{id} was sent at {now} though its time is over"));
        }
        self.requests.push((now, id.clone()));
        let Ok(stored) = store.delivery(id) else { return };
        match stored.map(|stored| stored.status) {
            // Withdrawn between the hand-out and the request: too late to stop it.
            Some(DeliveryStatus::Queued | DeliveryStatus::Withdrawn(_)) => {}
            other => self.breaches.push(format!("{id} was sent at {now} though it is {other:?}")),
        }
        let targets = store.targets().expect("readable");
        let Some(health) = targets.into_iter().find(|health| health.target == id.target) else { return };
        let was_held = self.held.remove(id);
        match health.breaker {
            Breaker::Closed => {}
            Breaker::Releasing { .. } if was_held => {
                let last = self.last_release.insert(id.target.clone(), now);
                if last.is_some_and(|last| now.since(last) < RELEASE_EVERY) {
                    self.breaches.push(format!("{id} was released too soon behind {last:?}, at {now}"));
                }
            }
            Breaker::Releasing { .. } => {}
            Breaker::Paused { since } => {
                let count = self.while_paused.entry((id.target.clone(), since)).or_default();
                *count += 1;
                // What a worker had at that moment is not called back.
                if *count > PER_TARGET_MAX {
                    self.breaches.push(format!("{id} was sent at {now} while its target is paused"));
                }
            }
            Breaker::Open { since, probes, .. } => {
                let count = self.while_open.entry((id.target.clone(), since, probes)).or_default();
                *count += 1;
                self.probes += usize::from(probes > 0);
                if *count > 1 {
                    self.breaches.push(format!("{id} was sent at {now} beside probe {probes}"));
                }
            }
        }
    }

    fn answer(&self, delivery: &Delivery, attempt: usize, now: Timestamp, is_hanging: bool) -> Answer {
        let mut hasher = DefaultHasher::new();
        (self.salt, &delivery.id, attempt).hash(&mut hasher);
        let drawn = hasher.finish();
        let failed = |is_final, retry_after| Report::Failed { error: "no".into(), is_final, retry_after };
        let report = match self.mood {
            Mood::DownUntil(up_at) if now < up_at => failed(false, None),
            Mood::Fails(percent) if drawn % 100 < percent => match drawn / 100 % 10 {
                0 => failed(true, None),
                1 => failed(false, Some(Span::from_minutes(30))),
                _ => failed(false, None),
            },
            Mood::Takes | Mood::Fails(_) | Mood::DownUntil(_) => Report::DELIVERED,
        };
        let hangs = is_hanging || (drawn / 1000).is_multiple_of(5) && !matches!(self.mood, Mood::DownUntil(_));
        if hangs { Answer::Hang(report) } else { Answer::Report(report) }
    }
}

/// Answers what hangs, some turns later, unless everything is to hang.
async fn release_by_and_by(channel: RecordingChannel, is_hanging: Arc<AtomicBool>) {
    let mut seen = 0;
    loop {
        seen = channel.wait_until(|record| record.attempts.len() > seen).await.attempts.len();
        for _ in 0..seen % 7 {
            tokio::task::yield_now().await;
        }
        if !is_hanging.load(Ordering::SeqCst) {
            channel.release();
        }
    }
}

/// Adds one-shots for the program `a`, all due at the start of the world.
async fn add_due(world: &World, count: usize) {
    let handle = world.handle();
    for number in 0..count {
        let mut request = request(&format!("task {number}"), countdown(0));
        request.details.targets = vec![webhook("a")];
        handle.add(request).await.expect("added");
    }
}

fn down_for(world: &World, span: Span) {
    world.programs.locked().mood = Mood::DownUntil(first_instant().saturating_add(span));
}

fn requests(world: &World) -> Vec<(i64, DeliveryId)> {
    let seconds = |at: Timestamp| at.since(first_instant()).as_millis() / 1000;
    world.programs.locked().requests.iter().map(|(at, id)| (seconds(*at), id.clone())).collect()
}

#[test]
fn a_target_that_is_down_for_an_hour_sees_few_requests_and_then_everything_once_a_second() {
    runtime().block_on(async {
        let mut world = World::new(9).await;
        let count = 5000;
        down_for(&world, Span::from_minutes(60));
        add_due(&world, count).await;
        let handle = world.handle();
        handle.advance(first_instant().saturating_add(Span::from_minutes(60))).await.expect("forwards");
        let seen: Vec<i64> = requests(&world).iter().map(|(second, _)| *second).collect();
        let at_once = seen.iter().filter(|second| **second == 0).count();
        assert!((11..=12).contains(&at_once), "eleven failures open it, one more may be under way: {at_once}");
        assert_eq!(seen[at_once..], [30, 90, 210, 450, 930, 1890]);
        assert_eq!(world.store.held(&webhook("a"), usize::MAX).expect("readable").len(), count);
        assert_eq!(world.desktop.record().delivered.len(), 1, "the person is told once");
        handle.advance(first_instant().saturating_add(Span::from_minutes(180))).await.expect("forwards");
        let after = requests(&world).split_off(seen.len());
        assert_eq!(after.len(), count, "each is sent once more");
        let seconds: Vec<i64> = after.iter().map(|(second, _)| *second).collect();
        assert_eq!(seconds[0], 3810, "the next probe finds it up");
        assert!(seconds.windows(2).all(|pair| pair[1] - pair[0] >= 1), "one a second");
        assert!(seconds[count - 1] <= 3810 + 5000, "and not slower");
        let distinct: BTreeSet<&DeliveryId> = after.iter().map(|(_, id)| id).collect();
        assert_eq!((distinct.len(), world.programs.channel.record().delivered.len()), (count, count));
        world.check().await;
    });
}

#[test]
fn a_person_resumes_a_failing_target_at_once_and_a_paused_one_is_sent_nothing() {
    runtime().block_on(async {
        let mut world = World::new(10).await;
        down_for(&world, Span::from_secs(5));
        add_due(&world, 20).await;
        let handle = world.handle();
        handle.advance(first_instant().saturating_add(Span::from_secs(6))).await.expect("forwards");
        let before = requests(&world).len();
        handle.call_target(TargetCall::Pause(webhook("a"))).await.expect("paused");
        handle.advance(first_instant().saturating_add(Span::from_minutes(600))).await.expect("forwards");
        assert_eq!(requests(&world).len(), before);
        let resumed = handle.call_target(TargetCall::Resume(webhook("a"))).await.expect("resumed");
        assert!(resumed.admits());
        handle.advance(handle.now().saturating_add(Span::from_secs(30))).await.expect("forwards");
        assert_eq!(world.programs.channel.record().delivered.len(), 20);
        assert_eq!(handle.targets().await.expect("readable")[0].breaker, Breaker::Closed);
        world.check().await;
    });
}

#[test]
fn a_network_that_comes_back_tries_at_once_what_waits_and_a_target_that_failed() {
    runtime().block_on(async {
        let mut world = World::new(12).await;
        down_for(&world, Span::from_minutes(10));
        add_due(&world, 20).await;
        let handle = world.handle();
        let back = first_instant().saturating_add(Span::from_minutes(12));
        handle.advance(back).await.expect("forwards");
        let before = requests(&world).len();
        assert!(before < 20, "it is left alone");
        world.programs.channel.set_presence(Presence::Present);
        world.programs.channel.wait_until(|record| record.attempts.len() > before).await;
        handle.advance(back.saturating_add(Span::from_secs(30))).await.expect("forwards");
        assert_eq!(world.programs.channel.record().delivered.len(), 20);
        world.check().await;
    });
}

#[test]
fn what_is_retried_goes_out_at_once_when_the_network_comes_back() {
    runtime().block_on(async {
        let mut world = World::new(13).await;
        down_for(&world, Span::from_secs(1));
        add_due(&world, 3).await;
        let handle = world.handle();
        let back = first_instant().saturating_add(Span::from_secs(2));
        handle.advance(back).await.expect("forwards");
        assert_eq!(world.programs.channel.record().delivered.len(), 0, "each waits for its back-off");
        world.programs.channel.set_presence(Presence::Present);
        world.programs.channel.wait_until(|record| record.delivered.len() == 3).await;
        handle.advance(back).await.expect("quiet");
        world.check().await;
    });
}

#[test]
fn a_wake_from_suspend_tries_at_once_what_waits_and_a_target_that_failed() {
    runtime().block_on(async {
        let mut world = World::new(11).await;
        down_for(&world, Span::from_minutes(10));
        add_due(&world, 20).await;
        let handle = world.handle();
        handle.advance(first_instant().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        let before = requests(&world).len();
        let woken = first_instant().saturating_add(Span::from_minutes(15));
        world.clock.step_to(woken);
        handle.advance(woken).await.expect("quiet");
        assert!(requests(&world).len() > before, "nothing waits for its back-off");
        handle.advance(woken.saturating_add(Span::from_secs(30))).await.expect("forwards");
        assert_eq!(world.programs.channel.record().delivered.len(), 20);
        world.check().await;
    });
}
