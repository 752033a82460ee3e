//! The real engine on the programmable clock: seeded users, crashes, clock steps, a store that fails, channels that drop.
//!
//! After each step the invariants I3 to I6 of the architecture are checked. A failure prints its seed; run that one with
//! `KEIKO_SIM_SEED=<seed>`, more of them with `KEIKO_SIM_SEEDS=<count>`, and as many that begin elsewhere than at 0 with
//! `KEIKO_SIM_FROM=<seed>`.

use std::collections::BTreeSet;

use keiko::domain::command::{Command, Expected};
use keiko::domain::delivery::{ChannelKind, DeliveryStatus, Report};
use keiko::domain::event::Actor;
use keiko::domain::outbox::{DeliveryFilter, Statuses};
use keiko::domain::pause::Scope;
use keiko::domain::schedule::{Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Details, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::input::{AddRequest, Applied, Call, CallError, ManyCall};
use keiko::engine::request::RequestKey;
use keiko::notify::Presence;
use keiko::notify::recording::Answer;
use keiko::store::{Store, StoreError, Which};
use uuid::Uuid;

use crate::simulation::world::World;

mod commands;
mod programs;
mod quiet;
mod stories;
mod waits;
mod world;

/// How many seeds the suite plays, and how many steps each.
const SEEDS: u64 = 1000;
const STEPS: usize = 40;

#[test]
fn a_simulated_life_keeps_every_invariant() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let from = number("KEIKO_SIM_FROM").unwrap_or(0);
    let seeds = match number("KEIKO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => from..from + number("KEIKO_SIM_SEEDS").unwrap_or(SEEDS),
    };
    let (mut probes, mut held, count) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        match std::panic::catch_unwind(|| play(seed)) {
            Ok(seen) => (probes, held) = (probes + seen.0, held + seen.1),
            Err(cause) => {
                eprintln!("seed {seed} failed; play it alone with KEIKO_SIM_SEED={seed}");
                std::panic::resume_unwind(cause);
            }
        }
    }
    assert!(held > 0 || count < SEEDS, "nothing was ever held for quiet hours: nothing was tried");
    assert!(probes > 0 || count < SEEDS, "no target ever failed so often that it was left alone: nothing was tried");
}

/// As above, and most tasks run something: `KEIKO_SIM_SEED` and `KEIKO_SIM_SEEDS` hold for this too.
#[test]
fn a_simulated_life_with_commands_runs_each_once() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds = match number("KEIKO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("KEIKO_SIM_SEEDS").unwrap_or(SEEDS / 4),
    };
    for seed in seeds {
        let lived = std::panic::catch_unwind(|| {
            runtime().block_on(async {
                let mut world = World::with_commands(seed).await;
                for _ in 0..STEPS {
                    world.act().await;
                    world.check().await;
                }
                world.end().await;
            });
        });
        if let Err(cause) = lived {
            eprintln!("seed {seed} failed; play it alone with KEIKO_SIM_SEED={seed}");
            std::panic::resume_unwind(cause);
        }
    }
}

#[test]
fn nobody_is_answered_before_the_commit() {
    runtime().block_on(async {
        let mut world = World::new(1).await;
        world.store.pause();
        let mut waiting = world.store.waiting();
        let handle = world.handle();
        let added = tokio::spawn(async move { handle.add(request("tea", countdown(60))).await });
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        // The loop waits for the disk now: what is asked meanwhile is stepped after the result.
        let handle = world.handle();
        let refused = tokio::spawn(async move { handle.call(call(TaskId(Uuid::nil()), Command::Cancel)).await });
        tokio::task::yield_now().await;
        assert!(!added.is_finished() && !refused.is_finished(), "answered before the commit (I6)");
        world.store.release();
        assert!(added.await.expect("no panic").expect("added").changed);
        assert!(matches!(refused.await.expect("no panic"), Err(CallError::NotFound { .. })));
        world.check().await;
    });
}

#[test]
fn a_failed_commit_answers_all_with_the_error_and_leaves_no_trace() {
    runtime().block_on(async {
        let mut world = World::new(2).await;
        let full = || StoreError::Full { path: "keiko.db".into() };
        world.store.pause();
        let mut waiting = world.store.waiting();
        let first = spawn_add(&world, "first");
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        let rest: Vec<_> = ["second", "third"].into_iter().map(|title| spawn_add(&world, title)).collect();
        tokio::task::yield_now().await;
        world.store.step();
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        world.store.fail_next(full());
        world.store.release();
        assert!(first.await.expect("no panic").is_ok());
        for added in rest {
            assert!(matches!(added.await.expect("no panic"), Err(CallError::Store { .. })));
        }
        assert_eq!(world.store.list(Which::All).expect("readable").len(), 1);
        // Nothing of the failed batch is counted: the next number is the one that was not given.
        let next = spawn_add(&world, "fourth").await.expect("no panic").expect("added");
        assert_eq!(next.snapshot.task.number.0, 2);
        world.check().await;
    });
}

#[test]
fn a_store_that_can_be_neither_written_nor_read_for_a_while_loses_no_reminder() {
    runtime().block_on(async {
        for failing_reads in 0..12 {
            let mut world = World::new(7).await;
            let handle = world.handle();
            handle.add(request("tea", countdown(60))).await.expect("added");
            world.store.fail_next(StoreError::Full { path: "keiko.db".into() });
            world.store.fail_reads(failing_reads);
            handle.advance(handle.now().saturating_add(Span::from_minutes(600))).await.expect("forwards");
            assert_eq!(world.desktop.record().delivered.len(), 1, "after {failing_reads} failing reads");
            world.check().await;
        }
    });
}

#[test]
fn a_task_that_cannot_be_written_keeps_no_other_from_ringing() {
    runtime().block_on(async {
        let mut world = World::new(6).await;
        let handle = world.handle();
        let added = handle.add(request("at fault", countdown(60))).await.expect("added");
        for title in ["one", "two"] {
            handle.add(request(title, countdown(60))).await.expect("added");
        }
        // As a fault of the rules would: the batch of all three, and then the one at fault when it is alone.
        let conflict = || StoreError::Conflict { id: added.snapshot.task.id, expected: 1, found: Some(9) };
        world.store.fail_next(conflict());
        world.store.fail_next(conflict());
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        let shown: BTreeSet<_> = world.desktop.record().delivered.into_iter().map(|d| d.message.title).collect();
        assert_eq!(shown.len(), 2, "two of the three rang: {shown:?}");
        // A start looks at the one at fault anew.
        world.crash().await;
        let handle = world.handle();
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        world.check().await;
        assert_eq!(world.desktop.record().delivered.len(), 3);
    });
}

#[test]
fn once_the_disk_has_room_again_what_is_due_rings_within_the_grace() {
    runtime().block_on(async {
        let mut world = World::new(11).await;
        let handle = world.handle();
        handle.add(request("tea", countdown(60))).await.expect("added");
        // People try again and again while the disk is full, and the reminder comes due meanwhile.
        for _ in 0..8 {
            world.store.fail_next(StoreError::Full { path: "keiko.db".into() });
            assert!(matches!(handle.add(request("more", countdown(60))).await, Err(CallError::Store { .. })));
        }
        handle.advance(handle.now().saturating_add(Span::from_minutes(1))).await.expect("forwards");
        handle.advance(handle.now().saturating_add(Span::from_secs(30))).await.expect("forwards");
        assert_eq!(world.desktop.record().delivered.len(), 1, "the disk took writes for the last half minute");
        world.check().await;
    });
}

// B24: stored tasks fire from the reserve while people are refused.
#[test]
fn on_a_full_disk_what_is_due_rings_while_people_are_refused() {
    runtime().block_on(async {
        let mut world = World::new(12).await;
        let handle = world.handle();
        for title in ["one", "two"] {
            handle.add(request(title, countdown(60))).await.expect("added");
        }
        world.store.fill(100);
        for _ in 0..3 {
            let refused = handle.add(request("more", countdown(60))).await;
            assert!(matches!(refused, Err(CallError::Store { .. })), "{refused:?}");
        }
        let since = handle.trouble().await.expect("the disk is full").since;
        assert_eq!(since, first_instant());
        handle.advance(first_instant().saturating_add(Span::from_secs(60))).await.expect("forwards");
        assert_eq!(world.desktop.record().delivered.len(), 2, "on time, though people were refused just before");
        world.check().await;
        assert!(handle.trouble().await.is_some(), "what is due is no sign of room");
        world.store.empty();
        assert_eq!(handle.trouble().await, None);
        handle.add(request("more", countdown(600))).await.expect("there is room");
        world.check().await;
    });
}

// B24: the reserve too comes to its end; then what is due waits, and none of it twice.
#[test]
fn when_the_reserve_is_used_up_what_is_due_waits_for_room_and_rings_once() {
    runtime().block_on(async {
        let mut world = World::new(13).await;
        let handle = world.handle();
        for second in 0..20 {
            handle.add(request("tea", countdown(60 + second))).await.expect("added");
        }
        world.store.fill(7);
        handle.advance(first_instant().saturating_add(Span::from_minutes(10))).await.expect("forwards");
        let rang = world.desktop.record().delivered.len();
        assert!((1..20).contains(&rang), "{rang} of 20 rang from a reserve of seven commits");
        world.crash().await;
        world.store.empty();
        let handle = world.handle();
        handle.advance(handle.now().saturating_add(Span::from_minutes(1))).await.expect("forwards");
        world.check().await;
        assert_eq!(told_on_desktop(&world), 20, "all were told once there was room, singly or in a digest");
    });
}

/// Returns of how many tasks the person was told on the desktop.
fn told_on_desktop(world: &World) -> usize {
    let all = DeliveryFilter { kind: Some(ChannelKind::Desktop), statuses: Statuses::All, ..DeliveryFilter::default() };
    let all = world.store.deliveries_after(&all, 0, usize::MAX).expect("readable");
    let told = all.iter().filter(|(_, delivery)| matches!(delivery.status, DeliveryStatus::Delivered(_)));
    told.filter(|(_, delivery)| !delivery.is_digest()).map(|(_, delivery)| delivery.task).collect::<BTreeSet<_>>().len()
}

#[test]
fn a_key_sent_twice_adds_once() {
    runtime().block_on(async {
        let mut world = World::new(3).await;
        let keyed = || AddRequest {
            key: Some(RequestKey { key: "k1".into(), method: "task.add" }),
            ..request("tea", countdown(60))
        };
        let handle = world.handle();
        let (first, second) = tokio::join!(handle.add(keyed()), handle.add(keyed()));
        let (first, second) = (first.expect("added"), second.expect("seen"));
        assert_eq!(first.snapshot.task.id, second.snapshot.task.id);
        assert_eq!([first.changed, second.changed], [true, false]);
        assert!(!handle.add(keyed()).await.expect("seen").changed);
        world.check().await;
    });
}

#[test]
fn a_pause_of_many_takes_over_one_of_the_same_scope_and_few_stand_at_a_time() {
    runtime().block_on(async {
        let mut world = World::new(9).await;
        let handle = world.handle();
        let task = handle.add(request("tea", countdown(600))).await.expect("added").snapshot.task.id;
        let until = Some(first_instant().saturating_add(Span::from_secs(60)));
        for until in [until, None] {
            handle.call_many(ManyCall::Pause { scope: Scope::All, until }).await.expect("ahead");
        }
        handle.advance(first_instant().saturating_add(Span::from_secs(120))).await.expect("forwards");
        let asleep = handle.snapshot(task).await.expect("there").occurrence.state;
        assert!(matches!(asleep, State::Suspended(_)), "the later word holds: {asleep:?}");
        let resume = ManyCall::Resume { scope: Scope::All, shift: false };
        let resumed = handle.call_many(resume).await.expect("it stands");
        assert_eq!((resumed.is_done, resumed.numbers.len()), (true, 1));
        let pause = |n: u32| ManyCall::Pause { scope: Scope::Tag(format!("tag{n}")), until: None };
        for n in 0..100 {
            handle.call_many(pause(n)).await.expect("few stand");
        }
        let refused = handle.call_many(pause(100)).await.expect_err("too many stand");
        assert!(matches!(refused, CallError::TooManyPauses { limit: 100, .. }), "{refused}");
        handle.call_many(pause(7)).await.expect("it takes the place of another");
        world.check().await;
    });
}

#[test]
fn a_series_goes_on_awake_once_a_pause_of_many_into_which_it_fell_is_ended() {
    runtime().block_on(async {
        let mut world = World::new(10).await;
        let handle = world.handle();
        let after = |minutes| first_instant().saturating_add(Span::from_minutes(minutes));
        let (every, from) = (Span::from_minutes(60), after(60));
        let interval = Interval { every, from, count: None, until: None };
        let series = handle.add(request("series", schedule(Rule::Interval(interval)))).await.expect("added");
        handle.call_many(ManyCall::Pause { scope: Scope::All, until: None }).await.expect("none stands");
        handle.advance(after(90)).await.expect("forwards");
        let resumed = handle.call_many(ManyCall::Resume { scope: Scope::All, shift: false }).await.expect("it stands");
        assert_eq!((resumed.passed_over, resumed.numbers.len()), (1, 1));
        let now = handle.snapshot(series.snapshot.task.id).await.expect("there").occurrence;
        assert!(matches!(now.state, State::Pending(_)), "{:?}", now.state);
        handle.advance(after(120)).await.expect("forwards");
        world.check().await;
        assert_eq!(world.desktop.record().delivered.len(), 1, "what comes behind the pause rings");
    });
}

#[test]
fn a_delivery_waits_for_its_channel_and_is_sent_once_it_appears() {
    runtime().block_on(async {
        let mut world = World::new(4).await;
        world.go_away(true);
        let handle = world.handle();
        handle.add(request("tea", countdown(60))).await.expect("added");
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        assert_eq!(world.desktop.record().delivered.len(), 0);
        assert_eq!(world.terminal.record().delivered.len(), 1, "the terminal speaks while the desktop is away");
        world.go_away(false);
        let record = world.desktop.wait_until(|record| record.delivered.len() == 1).await;
        assert_eq!(record.delivered[0].message.title, "tea");
        handle.advance(handle.now()).await.expect("quiet");
        world.check().await;
        assert_eq!(world.desktop.record().delivered.len(), 1);
    });
}

#[test]
fn a_slow_target_holds_up_no_call_and_no_other_target() {
    runtime().block_on(async {
        let mut world = World::new(5).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::DELIVERED));
        let handle = world.handle();
        for title in ["one", "two", "three", "four"] {
            handle.add(request(title, countdown(0))).await.expect("added");
        }
        let record = world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        assert_eq!(record.attempts.len(), 2, "at most two are under way to one target");
        let mut details = Details { title: "five".into(), ..Details::default() };
        details.targets = vec![keiko::domain::delivery::Target::terminal()];
        let schedule = countdown_at(handle.now());
        handle.add(AddRequest { details, ..request("five", schedule) }).await.expect("added");
        world.terminal.wait_until(|record| record.delivered.len() == 1).await;
        for delivered in [2, 4] {
            world.desktop.release();
            world.desktop.wait_until(|record| record.delivered.len() >= delivered).await;
        }
        handle.advance(handle.now()).await.expect("quiet");
        world.check().await;
    });
}

#[test]
fn what_a_successor_withdrew_is_not_sent_any_more() {
    runtime().block_on(async {
        let world = World::new(6).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::DELIVERED));
        let handle = world.handle();
        // Two hang, so what follows waits in memory.
        for title in ["one", "two"] {
            handle.add(request(title, countdown(0))).await.expect("added");
        }
        world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        let (every, from) = (Span::from_minutes(1), first_instant());
        let interval = Interval { every, from, count: None, until: None };
        let added = handle.add(request("series", schedule(Rule::Interval(interval)))).await.expect("added");
        let series = added.snapshot.task.id;
        for minutes in 1..=3 {
            let mut seq = handle.last_seq();
            seq.mark_unchanged();
            world.clock.step_to(first_instant().saturating_add(Span::from_minutes(minutes)));
            seq.changed().await.expect("the engine runs");
        }
        world.desktop.answer(|_, _| Answer::Report(Report::DELIVERED));
        world.desktop.release();
        handle.advance(handle.now()).await.expect("quiet");
        let record = world.desktop.record();
        let of_series = record.delivered.iter().filter(|delivery| delivery.task == series).count();
        assert_eq!(of_series, 1, "only the latest is still wanted");
    });
}

#[test]
fn a_popup_that_follows_a_silence_is_not_taken_back_by_it() {
    runtime().block_on(async {
        let world = World::new(7).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::DELIVERED));
        let handle = world.handle();
        let task = handle.add(request("tea", countdown(0))).await.expect("added").snapshot.task.id;
        world.desktop.wait_until(|record| record.attempts.len() == 1).await;
        let until = first_instant().saturating_add(Span::from_secs(60));
        handle.call(call(task, Command::Snooze { until, is_duration: false, early: false })).await.expect("due");
        world.desktop.wait_until(|record| record.withdrawn_tasks() == [task]).await;
        world.clock.step_to(until);
        world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        world.desktop.release();
        handle.advance(until).await.expect("quiet");
        assert_eq!(world.desktop.record().withdrawn_tasks(), [task], "the new popup stays");
    });
}

#[test]
fn a_channel_that_appears_before_it_is_reported_away_is_tried_again() {
    runtime().block_on(async {
        let mut world = World::new(8).await;
        world.desktop.answer(|_, attempt| match attempt {
            0 => Answer::Hang(Report::Away { reason: "the server left".into() }),
            _ => Answer::Report(Report::DELIVERED),
        });
        let handle = world.handle();
        handle.add(request("tea", countdown(0))).await.expect("added");
        world.desktop.wait_until(|record| record.attempts.len() == 1).await;
        // Another server is there at once; the loop hears of it before the attempt at the first ends.
        world.desktop.set_presence(Presence::Present);
        handle.audit().await.expect("the engine runs");
        tokio::task::yield_now().await;
        handle.audit().await.expect("the engine runs");
        world.desktop.release();
        handle.advance(handle.now()).await.expect("quiet");
        assert_eq!(world.desktop.record().delivered.len(), 1);
        world.check().await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Plays one life, and returns how many probes failing targets saw, and how often something was held for quiet hours.
fn play(seed: u64) -> (usize, usize) {
    runtime().block_on(async {
        let mut world = World::with_nights(seed).await;
        for _ in 0..STEPS {
            world.act().await;
            world.check().await;
        }
        let outcome = (world.programs.probes(), world.heard.held);
        world.end().await;
        outcome
    })
}

fn request(title: &str, schedule: Schedule) -> AddRequest {
    let details = Details { title: title.into(), ..Details::default() };
    AddRequest {
        details,
        schedule,
        alerts: None,
        deadline: None,
        policy: Policy::default(),
        waits: SetWaits::default(),
        key: None,
    }
}

fn schedule(rule: Rule) -> Schedule {
    Schedule { text: String::new(), rule, zone: None }
}

fn countdown_at(at: Timestamp) -> Schedule {
    schedule(Rule::Countdown(at))
}

/// A countdown of so many seconds from the start of every world.
fn countdown(seconds: i64) -> Schedule {
    countdown_at(first_instant().saturating_add(Span::from_secs(seconds)))
}

fn first_instant() -> Timestamp {
    // 2026-03-07T12:00:00Z: gaps of New York and Havana, a fold of Lord Howe and a gap of Berlin lie in the next month.
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

fn call(task: TaskId, command: Command) -> Call {
    Call { task, command, expected: Expected::default(), actor: Actor::Person, key: None }
}

fn spawn_add(world: &World, title: &'static str) -> tokio::task::JoinHandle<Result<Applied, CallError>> {
    let handle = world.handle();
    tokio::spawn(async move { handle.add(request(title, countdown(600))).await })
}
