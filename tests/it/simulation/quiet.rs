//! Lives with quiet hours and times away: what is held is held for as long as it is quiet, then told, and never lost.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveTime, Weekday};
use chrono_tz::Tz;
use keiko::clock::Clock;
use keiko::domain::command::Command;
use keiko::domain::delivery::{Delivery, DeliveryId, DeliveryStatus};
use keiko::domain::event::Snapshot;
use keiko::domain::outbox::{DeliveryFilter, Statuses};
use keiko::domain::quiet::{Quiet, QuietHours, QuietRange, Weekdays, rings};
use keiko::domain::schedule::{Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Nag, TaskId};
use keiko::domain::time::{Span, Timestamp, resolve};
use keiko::engine::input::{AddRequest, AwayCall, CallError};
use keiko::store::{Store, Which};

use crate::simulation::world::World;
use crate::simulation::{call, countdown_at, first_instant, request, runtime, schedule};
use crate::support::random::Random;

/// What the person had heard when it was last looked, and how it then was.
#[derive(Default)]
pub(super) struct Heard {
    /// What was delivered.
    delivered: BTreeSet<DeliveryId>,
    quiet: Quiet,
    zone: Option<Tz>,
    schedules: BTreeMap<TaskId, Schedule>,
    /// How many were found to be held, over the whole life.
    pub(super) held: usize,
    /// Whether the clock was set since then, so that what bears a time may bear one of the other clock.
    pub(super) clock_was_set: bool,
    /// Whether the disk was full since then, so that what was told before it became quiet may be noted only now.
    pub(super) disk_was_full: bool,
}

/// Returns the quiet hours of a life; one in three has none.
pub(super) fn any_hours(random: &mut Random) -> QuietHours {
    let at = |hour| NaiveTime::from_hms_opt(hour, 30, 0).expect("a time of day");
    let night = QuietRange { days: Weekdays::ALL, from: at(22), to: at(6) };
    let except = if random.chance(30) { vec!["home".to_owned()] } else { Vec::new() };
    let ranges = match random.below(3) {
        0 => Vec::new(),
        1 => vec![night],
        _ => {
            let weekend = Weekdays::between(Weekday::Sat, Weekday::Sun);
            vec![
                night,
                QuietRange { days: weekend, from: at(5), to: at(11) },
                QuietRange { from: at(13), to: at(14), ..night },
            ]
        }
    };
    QuietHours { ranges, except }
}

impl World {
    pub(super) async fn go_or_come_back(&mut self) {
        let call = if self.random.chance(40) {
            AwayCall::Off
        } else {
            let from = self.clock.now().saturating_add(self.random.minutes(-60, 600));
            let to = from.saturating_add(self.random.minutes(1, 3000));
            let except = if self.random.chance(30) { vec!["home".to_owned()] } else { Vec::new() };
            AwayCall::Until { from, to, except }
        };
        match self.handle().set_away(call).await {
            Ok(_) | Err(CallError::Store { .. } | CallError::AwayInPast { .. }) => {}
            Err(other) => panic!("an answer that nothing here explains: {other}"),
        }
        // What is let go is told before anything else is looked at.
        self.handle().advance(self.clock.now()).await.expect("quiet");
    }

    /// Nothing is held when nothing is to be, and nothing was told that was to be held.
    pub(super) fn check_quiet(&mut self, tasks: &[Snapshot]) {
        let (now, zone) = (self.clock.now(), self.clock.zone());
        let quiet = Quiet { hours: self.quiet_hours.clone(), away: self.store.identity().expect("readable").away };
        let by_id: BTreeMap<TaskId, &Snapshot> = tasks.iter().map(|task| (task.task.id, task)).collect();
        let all = DeliveryFilter { statuses: Statuses::All, ..DeliveryFilter::default() };
        let before = std::mem::take(&mut self.heard);
        let is_timely = !before.clock_was_set && !before.disk_was_full;
        let is_as_before = is_timely && before.zone == Some(zone) && before.quiet == quiet;
        let mut delivered = BTreeSet::new();
        let mut held = BTreeSet::new();
        for (_, delivery) in self.store.deliveries_after(&all, 0, usize::MAX).expect("readable") {
            let tags = &delivery.occasion.tags;
            match delivery.status {
                DeliveryStatus::Quiet => {
                    assert!(quiet.until(tags, now, zone).is_some(), "{} is held though it is not quiet", delivery.id);
                    assert!(delivery.id.target.kind.is_person(), "{} is for a program, and held", delivery.id);
                    held.insert((delivery.task, delivery.occurrence));
                }
                DeliveryStatus::Delivered(at) => {
                    let is_new = !before.delivered.contains(&delivery.id) && delivery.id.target.kind.is_person();
                    let task = by_id.get(&delivery.task).map(|task| &task.task);
                    let is_edited = task.is_some_and(|task| before.schedules.get(&task.id) != Some(&task.schedule));
                    // What was handed out before the crash may have arrived, and is sent again at once.
                    let is_explained = is_edited || self.was_in_flight(&delivery.id) || delivery.digest.is_some();
                    if is_new && is_as_before && !is_explained && quiet.until(tags, at, zone).is_some() {
                        let rings = task.is_some_and(|task| rings(task, &delivery.occasion));
                        assert!(rings, "{delivery:?} was told while it was quiet");
                    }
                    delivered.insert(delivery.id);
                }
                DeliveryStatus::Queued
                | DeliveryStatus::Waiting
                | DeliveryStatus::Held
                | DeliveryStatus::Grouped
                | DeliveryStatus::Retrying(_)
                | DeliveryStatus::Failed(_)
                | DeliveryStatus::Withdrawn(_) => {}
            }
        }
        for task in self.store.list(Which::Open).expect("readable") {
            if let State::Running(running) = task.occurrence.state
                && let Some(until) = running.held_until
            {
                let end = quiet.until(&task.task.details.tags, now, zone);
                assert_eq!(Some(until), end, "{} tells another end of its hold", task.task.number);
                let name = (task.task.id, task.occurrence.name());
                assert!(held.contains(&name), "{} is told to be held, and nothing of it is", task.task.number);
            }
        }
        let schedules = tasks.iter().map(|task| (task.task.id, task.task.schedule.clone())).collect();
        let held = before.held + held.len();
        self.heard = Heard { delivered, quiet, zone: Some(zone), schedules, held, ..Heard::default() };
    }
}

/// A device in UTC on which it is quiet from ten to seven.
async fn night() -> World {
    let at = |hour| NaiveTime::from_hms_opt(hour, 0, 0).expect("a time of day");
    let ranges = vec![QuietRange { days: Weekdays::ALL, from: at(22), to: at(7) }];
    let mut world = World::living(1, QuietHours { ranges, except: vec!["med".to_owned()] }).await;
    world.clock.set_zone(Tz::UTC);
    go_to(&mut world, 20, 0).await;
    world
}

/// Returns the instant of a time on the first day, hours beyond 24 on the days behind it.
fn at(hour: i64, minute: i64) -> Timestamp {
    let midnight = first_instant().local(Tz::UTC).date().and_time(NaiveTime::MIN);
    let midnight = resolve(midnight, Tz::UTC).expect("within range").0;
    midnight.saturating_add(Span::from_minutes(hour * 60 + minute))
}

async fn go_to(world: &mut World, hour: i64, minute: i64) {
    world.handle().advance(at(hour, minute)).await.expect("forwards");
    world.check().await;
}

fn every(minutes: i64, first: Timestamp) -> Schedule {
    schedule(Rule::Interval(Interval { every: Span::from_minutes(minutes), from: first, count: None, until: None }))
}

fn typed(at: Timestamp) -> Schedule {
    schedule(Rule::Once(at.local(Tz::UTC)))
}

async fn add(world: &World, title: &str, schedule: Schedule, change: impl FnOnce(&mut AddRequest)) -> TaskId {
    let mut request = request(title, schedule);
    change(&mut request);
    world.handle().add(request).await.expect("added").snapshot.task.id
}

/// Returns what the desktop showed, popup by popup.
fn shown(world: &World) -> Vec<String> {
    let told = |delivery: Delivery| match delivery.message.body.as_str() {
        body if delivery.is_digest() => format!("{}: {}", delivery.message.title, body.replace('\n', "; ")),
        body => format!("{}, {body}", delivery.message.title),
    };
    world.desktop.record().delivered.into_iter().map(told).collect()
}

fn held_until(world: &World, task: TaskId) -> Option<Timestamp> {
    match world.store.snapshot(task).expect("readable").expect("it is there").occurrence.state {
        State::Running(running) => running.held_until,
        _ => None,
    }
}

#[test]
fn at_night_typed_times_ring_and_all_else_is_told_in_one_digest_in_the_morning() {
    runtime().block_on(async {
        let mut world = night().await;
        let drink = add(&world, "drink", every(90, at(22, 15)), |_| {}).await;
        add(&world, "tea", typed(at(23, 0)), |new| {
            new.policy.nag = Some(Nag { every: Span::from_minutes(10), max: 20 });
        })
        .await;
        add(&world, "oven", countdown_at(at(26, 30)), |_| {}).await;
        add(&world, "stretch", every(600, at(25, 0)), |new| new.details.tags = vec!["med".to_owned()]).await;
        go_to(&mut world, 22, 20).await;
        assert_eq!(held_until(&world, drink), Some(at(31, 0)));
        go_to(&mut world, 30, 59).await;
        assert_eq!(shown(&world), ["tea, due 23:00", "stretch, due 01:00", "oven, due 02:30"]);
        go_to(&mut world, 31, 5).await;
        let digest = &shown(&world)[3..];
        insta::assert_debug_snapshot!(digest, @r#"
        [
            "7 came due while it was quiet: 1 drink, due 05:45, and 5 times before; 2 tea, due Sat 7 Mar 2026 23:00",
        ]
        "#);
        assert_eq!(held_until(&world, drink), None);
        // What nags goes on from when it was told.
        go_to(&mut world, 31, 10).await;
        assert_eq!(shown(&world)[4..], ["tea, due Sat 7 Mar 2026 23:00"], "at ten past");
    });
}

#[test]
fn one_that_was_held_is_told_as_itself_and_what_was_done_meanwhile_is_not() {
    runtime().block_on(async {
        let mut world = night().await;
        let done = add(&world, "done", every(6000, at(22, 15)), |_| {}).await;
        let late = Some(Span::from_minutes(5));
        add(&world, "left", every(6000, at(22, 30)), |new| new.details.max_late = late).await;
        go_to(&mut world, 23, 0).await;
        world.handle().call(call(done, Command::Done { early: false })).await.expect("done");
        // Of a series all that was held is answered, not only what is open.
        let series = add(&world, "series", every(60, at(23, 30)), |_| {}).await;
        let ended = add(&world, "ended", every(60, at(23, 30)), |_| {}).await;
        go_to(&mut world, 26, 0).await;
        world.handle().call(call(series, Command::Cancel)).await.expect("cancelled");
        world.handle().call(call(ended, Command::Skip)).await.expect("skipped");
        world.handle().call(call(ended, Command::Cancel)).await.expect("cancelled");
        go_to(&mut world, 32, 0).await;
        assert_eq!(shown(&world), ["left, due 22:30"], "however late that is");
    });
}

#[test]
fn what_is_held_outlives_a_crash_and_a_night_slept_through_ends_in_one_digest() {
    runtime().block_on(async {
        let mut world = night().await;
        add(&world, "one", every(6000, at(22, 15)), |_| {}).await;
        add(&world, "two", every(6000, at(22, 30)), |_| {}).await;
        add(&world, "asleep", typed(at(30, 0)), |_| {}).await;
        add(&world, "morning", every(6000, at(31, 30)), |_| {}).await;
        go_to(&mut world, 23, 0).await;
        world.restart().await;
        go_to(&mut world, 23, 30).await;
        assert_eq!(shown(&world), Vec::<String>::new());
        world.clock.suspend_to(at(32, 0));
        go_to(&mut world, 32, 0).await;
        insta::assert_debug_snapshot!(shown(&world), @r#"
        [
            "4 came due while it was quiet: 4 morning, due 07:30; 3 asleep, due 06:00; 2 two, due Sat 7 Mar 2026 22:30; 1 one, due Sat 7 Mar 2026 22:15",
        ]
        "#);
    });
}

#[test]
fn hours_that_are_no_more_after_a_start_and_a_zone_in_which_it_is_day_let_go_at_once() {
    runtime().block_on(async {
        for is_by_zone in [false, true] {
            let mut world = night().await;
            add(&world, "one", every(6000, at(22, 15)), |_| {}).await;
            go_to(&mut world, 23, 0).await;
            assert_eq!(shown(&world), Vec::<String>::new());
            if is_by_zone {
                world.clock.set_zone(Tz::Asia__Tokyo);
            } else {
                world.quiet_hours = QuietHours::default();
                world.restart().await;
            }
            go_to(&mut world, 23, 0).await;
            assert_eq!(shown(&world).len(), 1, "by the zone: {is_by_zone}");
        }
    });
}

#[test]
fn who_is_away_hears_of_it_all_at_the_end_or_on_coming_back() {
    runtime().block_on(async {
        for comes_back in [false, true] {
            let mut world = night().await;
            let one = add(&world, "one", every(6000, at(20, 15)), |_| {}).await;
            add(&world, "two", every(6000, at(20, 30)), |_| {}).await;
            let away = AwayCall::Until { from: at(20, 0), to: at(21, 0), except: Vec::new() };
            world.handle().set_away(away).await.expect("ahead");
            go_to(&mut world, 20, 40).await;
            assert_eq!((shown(&world), held_until(&world, one)), (Vec::new(), Some(at(21, 0))));
            // Longer than thought, into the night.
            let away = AwayCall::Until { from: at(20, 0), to: at(22, 30), except: Vec::new() };
            world.handle().set_away(away).await.expect("ahead");
            go_to(&mut world, 21, 30).await;
            assert_eq!((shown(&world), held_until(&world, one)), (Vec::new(), Some(at(31, 0))));
            let end = if comes_back {
                world.handle().set_away(AwayCall::Off).await.expect("never refused");
                at(21, 30)
            } else {
                at(31, 0)
            };
            world.handle().advance(end).await.expect("forwards");
            world.check().await;
            assert_eq!(shown(&world).len(), 1, "{:?}", shown(&world));
            let events = world.store.events_since(0, usize::MAX).expect("readable");
            let of_device = events.iter().filter(|stored| stored.event.of_task().is_none()).count();
            assert_eq!(of_device, if comes_back { 4 } else { 3 }, "a change of the zone, and each word");
        }
    });
}

#[test]
fn a_popup_that_could_not_be_shown_before_the_night_waits_for_the_morning() {
    runtime().block_on(async {
        let mut world = night().await;
        world.go_away(true);
        add(&world, "drink", every(6000, at(21, 50)), |_| {}).await;
        go_to(&mut world, 22, 10).await;
        world.go_away(false);
        go_to(&mut world, 23, 0).await;
        assert_eq!(shown(&world), Vec::<String>::new());
        go_to(&mut world, 31, 0).await;
        assert_eq!(shown(&world), ["drink, due 21:50"]);
    });
}
