//! Lives with quiet hours and times away: what is held is held for as long as it is quiet, then told, and never lost.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveTime, Weekday};
use chrono_tz::Tz;
use keiko::clock::Clock;
use keiko::domain::delivery::{DeliveryId, DeliveryStatus};
use keiko::domain::event::Snapshot;
use keiko::domain::outbox::{DeliveryFilter, Statuses};
use keiko::domain::quiet::{Quiet, QuietHours, QuietRange, Weekdays, rings};
use keiko::domain::schedule::Schedule;
use keiko::domain::state::State;
use keiko::domain::task::TaskId;
use keiko::engine::input::{AwayCall, CallError};
use keiko::store::{Store, Which};

use crate::simulation::world::World;
use crate::support::random::Random;

/// What the person had heard when it was last looked, and how it then was.
#[derive(Default)]
pub(super) struct Heard {
    /// What was delivered.
    delivered: BTreeSet<DeliveryId>,
    quiet: Quiet,
    zone: Option<Tz>,
    schedules: BTreeMap<TaskId, Schedule>,
    /// Whether the clock was set since then, so that what bears a time may bear one of the other clock.
    pub(super) clock_was_set: bool,
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
            vec![night, QuietRange { days: weekend, from: at(5), to: at(11) }, QuietRange { from: at(13), to: at(14), ..night }]
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
        let is_as_before = !before.clock_was_set && before.zone == Some(zone) && before.quiet == quiet;
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
        self.heard = Heard { delivered, quiet, zone: Some(zone), schedules, clock_was_set: false };
    }
}
