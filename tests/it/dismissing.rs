//! What a person closes on the screen they have seen: the real loop and channel on real buses, servers and a real dunst.
//!
//! That nothing follows is shown by what comes behind it: signals of one server are heard in order.

#![cfg(feature = "desktop")]

use std::path::PathBuf;
use std::sync::Arc;

use chrono_tz::Tz;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Expected, GRACE_DEFAULT};
use keiko::domain::delivery::{Report, Target};
use keiko::domain::event::{Actor, Operation, Snapshot};
use keiko::domain::message::Reason;
use keiko::domain::occurrence::Outcome;
use keiko::domain::quiet::QuietHours;
use keiko::domain::schedule::{Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Details, Nag, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Call};
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::desktop::{ANSWER_WITHIN, DesktopChannel, SessionBus};
use keiko::notify::responses::Ring;
use keiko::notify::{Channel, first_look};
use keiko::store::Store as _;
use keiko::store::memory::MemoryStore;
use uuid::Uuid;

use crate::support::fake_server::{FakeServer, Manner, tell_closed};
use crate::support::private_bus::PrivateBus;
use crate::support::xvfb::{Dunst, Screen};
use crate::support::{sample, soon};

/// Reasons of the signal by which a server tells that a popup is gone.
const EXPIRED: u32 = 1;
const DISMISSED: u32 = 2;

/// A loop that speaks on a desktop only.
struct Desk {
    clock: Arc<SimClock>,
    store: MemoryStore,
    handle: Handle,
    _running: Running,
}

impl Desk {
    async fn new(bus: &PrivateBus) -> Self {
        let clock = Arc::new(SimClock::starting_at(noon(), Tz::America__New_York));
        let store = MemoryStore::new(Uuid::nil());
        let channel = channel(bus);
        first_look(&channel, ANSWER_WITHIN).await;
        let parts = EngineParts {
            store: Arc::new(store.clone()),
            clock: Arc::clone(&clock) as _,
            channels: vec![Arc::new(channel)],
            ids: Ids::from_seed(1),
            grace: GRACE_DEFAULT,

            quiet_hours: QuietHours::default(),
            daily: None,
        };
        let (handle, running) = start(parts).await.expect("an empty store");
        Self { clock, store, handle, _running: running }
    }

    async fn add(&self, title: &str, rule: Rule, policy: Policy) -> TaskId {
        let request = AddRequest {
            details: Details { title: title.into(), targets: vec![Target::desktop()], ..Details::default() },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy,
            waits: SetWaits::default(),
            key: None,
        };
        self.handle.add(request).await.expect("ahead").snapshot.task.id
    }

    async fn to(&self, minutes: i64) {
        self.handle.advance(after(minutes)).await.expect("forwards");
    }

    fn task(&self, id: TaskId) -> Snapshot {
        self.store.snapshot(id).expect("readable").expect("it is there")
    }

    /// Waits until the person is noted to have closed a popup of a task for the `count`th time.
    async fn seen(&self, id: TaskId, count: usize) -> Snapshot {
        let mut seq = self.handle.last_seq();
        soon("the ack", seq.wait_for(|_| self.responses(id) == count)).await.expect("the loop lives");
        self.task(id)
    }

    /// Returns how often the person closed a popup of a task.
    fn responses(&self, id: TaskId) -> usize {
        let events = self.store.events_since(0, usize::MAX).expect("readable");
        let of_task =
            events.iter().filter_map(|stored| stored.event.of_task()).filter(|event| event.snapshot.task.id == id);
        let acks = of_task.filter(|event| matches!(event.operation, Operation::Acked { is_dismissal: true }));
        acks.inspect(|event| assert_eq!(event.actor, Actor::Person)).count()
    }
}

fn channel(bus: &PrivateBus) -> DesktopChannel {
    let address = Some(bus.address().to_owned());
    DesktopChannel::start(SessionBus {
        address,
        runtime_dir: PathBuf::from("/nonexistent"),
        answer_within: ANSWER_WITHIN,
    })
}

fn noon() -> Timestamp {
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

fn after(minutes: i64) -> Timestamp {
    noon().saturating_add(Span::from_minutes(minutes))
}

fn once(minutes: i64) -> Rule {
    Rule::Once(after(minutes).local(Tz::America__New_York))
}

fn hourly() -> Rule {
    Rule::Interval(Interval { every: Span::from_minutes(60), from: after(60), count: None, until: None })
}

fn nagging() -> Policy {
    Policy { nag: Some(Nag { every: Span::from_minutes(10), max: 5 }), ..Policy::default() }
}

#[track_caller]
fn is_seen(snapshot: &Snapshot) -> bool {
    let State::Running(running) = snapshot.occurrence.state else { panic!("{:?}", snapshot.occurrence.state) };
    running.acked_at.is_some()
}

#[tokio::test]
async fn what_is_dismissed_is_seen_and_a_plain_countdown_ends_with_it() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let desk = Desk::new(&bus).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    let tea = desk.add("tea", Rule::Countdown(after(1)), Policy::default()).await;
    desk.to(1).await;
    server.went(server.id_of("rent"), DISMISSED).await;
    assert!(is_seen(&desk.seen(rent, 1).await), "it stays due");
    server.went(server.id_of("tea"), DISMISSED).await;
    let tea = desk.seen(tea, 1).await.occurrence.state;
    assert!(matches!(tea, State::Completed(completed) if completed.outcome == Outcome::Done), "{tea:?}");
    // Both are gone already, so nobody is asked to close them.
    desk.to(2).await;
    assert_eq!(server.asked().len(), 4, "{:?}", server.asked());
}

#[tokio::test]
async fn what_nags_rings_again_after_a_dismissal() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let desk = Desk::new(&bus).await;
    let pills = desk.add("pills", Rule::Countdown(after(1)), nagging()).await;
    for round in 1..=3 {
        desk.to(i64::try_from(round).expect("few") * 10 - 9).await;
        assert_eq!(server.notified().len(), round);
        assert!(!is_seen(&desk.task(pills)));
        server.went(server.id_of("pills"), DISMISSED).await;
        assert!(is_seen(&desk.seen(pills, round).await));
    }
}

#[tokio::test]
async fn what_the_person_did_not_close_or_is_not_ours_is_not_seen() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let desk = Desk::new(&bus).await;
    let mut left = Vec::new();
    for title in ["one", "two", "three"] {
        left.push(desk.add(title, once(1), Policy::default()).await);
    }
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(1).await;
    // Somebody else on the bus, and none that keiko asked; the answer shows that the bus has passed on what was said.
    let stranger = bus.connect().await;
    tell_closed(&stranger, server.id_of("one"), DISMISSED).await;
    let bus_itself = Some("org.freedesktop.DBus");
    stranger.call_method(bus_itself, "/org/freedesktop/DBus", bus_itself, "GetId", &()).await.expect("an answer");
    for (title, reason) in [("one", EXPIRED), ("two", 3), ("three", 4)] {
        server.went(server.id_of(title), reason).await;
    }
    for unknown in [0, 4711, u32::MAX] {
        server.went(unknown, DISMISSED).await;
    }
    server.went(server.id_of("rent"), DISMISSED).await;
    desk.seen(rent, 1).await;
    desk.to(2).await;
    assert!(left.iter().all(|task| !is_seen(&desk.task(*task)) && desk.responses(*task) == 0));
}

#[tokio::test]
async fn the_popup_of_an_occurrence_that_is_over_acks_no_later_one() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let desk = Desk::new(&bus).await;
    let series = desk.add("water", hourly(), Policy::default()).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(60).await;
    // The second has fired, and its popup is on the way.
    server.hold();
    desk.clock.step_to(after(120));
    server.wait_until_owing(1).await;
    server.went(server.id_of("water"), DISMISSED).await;
    server.go_on().await;
    server.wait_until_notified(3).await;
    desk.to(121).await;
    // The third cannot be shown, so that the second stands on the screen.
    server.refuse();
    desk.to(180).await;
    server.went(server.id_of("water"), DISMISSED).await;
    server.went(server.id_of("rent"), DISMISSED).await;
    desk.seen(rent, 1).await;
    assert!(!is_seen(&desk.task(series)));
    assert_eq!(desk.responses(series), 0);
}

#[tokio::test]
async fn what_another_server_shows_again_can_be_dismissed_there() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let desk = Desk::new(&bus).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(1).await;
    server.quit().await;
    let server = FakeServer::start(&bus, Manner::Plain).await;
    server.wait_until_shown(1).await;
    desk.to(2).await;
    server.went(server.id_of("rent"), DISMISSED).await;
    assert!(is_seen(&desk.seen(rent, 1).await));
}

#[tokio::test]
async fn trials_notices_and_digests_mean_nothing_and_a_bus_that_comes_anew_is_heard() {
    let place = tempfile::tempdir().expect("a directory");
    let runtime_dir = place.path().to_owned();
    let channel = DesktopChannel::start(SessionBus { address: None, runtime_dir, answer_within: ANSWER_WITHIN });
    let mut responses = channel.responses().expect("a desktop tells");
    for _ in 0..2 {
        let bus = PrivateBus::start_in(place.path());
        let server = FakeServer::start(&bus, Manner::Plain).await;
        let mut presence = channel.presence();
        soon("a server", presence.wait_for(|now| now.reason().is_none())).await.expect("the channel lives");
        let ring = sample::delivery(Target::desktop(), 1, "ring", "");
        assert_eq!(channel.deliver(&ring).await, Report::DELIVERED);
        let reasons = [Reason::TargetFails, Reason::Blocked, Reason::Skipped, Reason::Digest, Reason::Trial];
        for (number, reason) in (2..).zip(reasons) {
            let mut other = sample::delivery(Target::desktop(), number, reason.as_str(), "");
            other.occasion.reason = reason;
            assert_eq!(channel.deliver(&other).await, Report::DELIVERED);
            server.went(server.id_of(reason.as_str()), DISMISSED).await;
        }
        server.went(server.id_of("ring"), DISMISSED).await;
        let heard = soon("the dismissal", responses.recv()).await;
        assert_eq!(heard.map(|heard| heard.ring), Some(Ring { task: ring.task, occurrence: ring.occurrence }));
        drop(bus);
        soon("its end", presence.wait_for(|now| now.reason().is_some())).await.expect("the channel lives");
    }
    assert!(responses.is_empty());
}

#[tokio::test]
async fn what_is_closed_on_dunst_is_seen() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let dunst = Dunst::start(&screen, &bus).await;
    let desk = Desk::new(&bus).await;
    let pills = desk.add("pills", once(1), nagging()).await;
    for round in 1..=2 {
        desk.to(i64::try_from(round).expect("few") * 10 - 9).await;
        assert_eq!(dunst.displayed(&bus).await, 1);
        dunst.close_one(&bus).await;
        assert!(is_seen(&desk.seen(pills, round).await));
        assert_eq!(dunst.displayed(&bus).await, 0);
    }
    // Closed since it is done: that is no ack.
    desk.to(21).await;
    assert_eq!(dunst.displayed(&bus).await, 1);
    let done = Call {
        task: pills,
        command: Command::Done { early: false },
        expected: Expected::default(),
        actor: Actor::Person,
        key: None,
    };
    desk.handle.call(done).await.expect("it is due");
    desk.to(22).await;
    assert_eq!((dunst.displayed(&bus).await, desk.responses(pills)), (0, 2));
}
