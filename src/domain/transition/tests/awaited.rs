//! What "fired" and "done" mean to somebody who waits: of each kind of task, when the wait ends and how.

use super::*;
use crate::domain::actor::Actor;
use crate::domain::awaiting::{Awaited, Standing, Verdict, Watch, recall};
use crate::domain::event::Event;
use crate::domain::task::Missed;

impl Story {
    fn events(&self) -> Vec<(u64, Event)> {
        let event = |(now, _, step): &(Timestamp, u64, Step)| Event {
            event_id: Uuid::nil(),
            op_id: moment(*now).op_id,
            device: Uuid::nil(),
            actor: Actor::Person,
            at: *now,
            operation: step.operation.clone(),
            from: step.from,
            to: step.to,
            reason: step.reason.to_owned(),
            snapshot: step.snapshot.clone(),
        };
        self.steps.iter().map(event).zip(1..).map(|(event, seq)| (seq, event)).collect()
    }

    /// Waits for the present occurrence from here on, lets things happen, and tells how the wait ends.
    fn awaited(&mut self, awaited: Awaited, happen: impl FnOnce(&mut Self)) -> String {
        let mut watch = Watch::new(awaited, self.snapshot.occurrence.name());
        let told = |verdict, at: Option<Timestamp>| {
            let how = match verdict {
                Verdict::Happened => "happened".to_owned(),
                Verdict::Ended(ending) => format!("ended {ending:?}"),
            };
            let at = at.map(|at| at.in_zone(BERLIN).format(" %-d %H:%M").to_string());
            format!("{how}{}", at.unwrap_or_else(|| " at once".to_owned()))
        };
        match watch.look(&self.snapshot.occurrence) {
            Standing::Over(verdict) => return told(verdict, None),
            Standing::Past => {
                let recalled = recall(watch, &self.events());
                return told(recalled.verdict.expect("it has ended").0, None);
            }
            Standing::Open => {}
        }
        let before = self.steps.len();
        happen(self);
        let events = self.events().split_off(before);
        for (index, (_, event)) in events.iter().enumerate() {
            let is_last = events.get(index + 1).is_none_or(|(_, next)| next.op_id != event.op_id);
            if let Some(verdict) = watch.see(event).or_else(|| if is_last { watch.settle() } else { None }) {
                return told(verdict, Some(event.at));
            }
        }
        "still waits".to_owned()
    }

    fn after(mut self, happened: impl FnOnce(&mut Self)) -> Self {
        happened(&mut self);
        self
    }

    fn finished(&mut self, now: &str) {
        self.ask(now, &Command::Done { early: true }).expect("it is done");
    }

    fn snoozed(&mut self, now: &str, until: &str) {
        let snooze = Command::Snooze { until: at(until), is_duration: false, early: true };
        self.ask(now, &snooze).expect("it is snoozed");
    }
}

const FIRED: Awaited = Awaited::Fired;
const DONE: Awaited = Awaited::Done;

#[test]
fn a_wait_for_the_firing_of_a_one_shot_ends_when_it_is_due() {
    let tea = || Story::new(once("4 09:00"), &[]);
    assert_eq!(tea().awaited(FIRED, |story| story.run("4 08:59")), "still waits");
    assert_eq!(tea().awaited(FIRED, |story| story.run("4 09:00")), "happened 4 09:00");
    assert_eq!(tea().after(|story| story.run("4 09:00")).awaited(FIRED, |_| {}), "happened at once");
    let early = || Story::new(once("4 09:00"), &[-60, 0]);
    assert_eq!(early().awaited(FIRED, |story| story.run("4 08:30")), "still waits", "it is not due yet");
    assert_eq!(early().awaited(FIRED, |story| story.run("4 09:00")), "happened 4 09:00");
    let silent = || Story::new(once("4 09:00"), &[-60]);
    assert_eq!(silent().awaited(FIRED, |story| story.run("4 09:00")), "happened 4 09:00", "it is due, without a word");
}

#[test]
fn what_ended_had_fired_where_it_rang_before() {
    let rang = || Story::new(once("4 09:00"), &[]).after(|story| story.run("4 09:00"));
    assert_eq!(rang().after(|story| story.finished("4 09:05")).awaited(FIRED, |_| {}), "happened at once");
    assert_eq!(rang().after(|story| story.finished("4 09:05")).awaited(DONE, |_| {}), "happened at once");
    let early = || Story::new(once("4 09:00"), &[]).after(|story| story.finished("4 08:05"));
    assert_eq!(early().awaited(FIRED, |_| {}), "ended Outcome(Done) at once", "it was done before it was due");
    assert_eq!(early().awaited(DONE, |_| {}), "happened at once");
}

#[test]
fn a_snooze_is_waited_for() {
    let snoozed = || {
        Story::new(once("4 09:00"), &[]).after(|story| {
            story.run("4 09:00");
            story.snoozed("4 09:01", "4 09:30");
        })
    };
    assert_eq!(snoozed().awaited(FIRED, |story| story.run("4 09:30")), "happened 4 09:30");
    assert_eq!(snoozed().awaited(FIRED, |story| story.finished("4 09:10")), "ended Outcome(Done) 4 09:10");
}

#[test]
fn who_waits_for_it_to_be_done_learns_of_every_end() {
    let tea = || Story::new(once("4 09:00"), &[]).after(|story| story.run("4 09:00"));
    assert_eq!(tea().awaited(DONE, |story| story.finished("4 09:05")), "happened 4 09:05");
    let ask = |story: &mut Story, command: &Command| drop(story.ask("4 09:05", command).expect("it may"));
    assert_eq!(tea().awaited(DONE, |story| ask(story, &Command::Cancel)), "ended Outcome(Cancelled) 4 09:05");
    assert_eq!(tea().awaited(DONE, |story| ask(story, &Command::Delete)), "ended Deleted 4 09:05");
}

#[test]
fn of_a_series_the_open_time_is_meant() {
    let series = || Story::new(daily(9), &[]);
    assert_eq!(series().awaited(FIRED, |story| story.run("4 09:00")), "happened 4 09:00");
    let done = || {
        series().after(|story| {
            story.run("4 09:00");
            story.finished("4 09:05");
        })
    };
    assert_eq!(done().awaited(FIRED, |story| story.run("5 09:00")), "happened 5 09:00", "its next firing");
    let unanswered = series().after(|story| story.run("4 09:00")).awaited(DONE, |story| {
        story.deliver("4 09:00");
        story.run("5 09:00");
    });
    assert_eq!(unanswered, "ended Outcome(Unanswered) 5 09:00");
    let skip = |story: &mut Story| drop(story.ask("4 08:30", &Command::Skip).expect("it may"));
    assert_eq!(series().awaited(FIRED, skip), "ended Outcome(Skipped) 4 08:30");
}

#[test]
fn a_series_that_is_given_another_time_is_waited_for_at_that() {
    let moved = Story::new(daily(9), &[]).awaited(FIRED, |story| {
        let edit = Edit { schedule: Some(daily(11)), ..Edit::default() };
        story.ask("4 08:30", &Command::Edit(Box::new(edit))).expect("it may");
        story.run("4 11:00");
    });
    assert_eq!(moved, "happened 4 11:00");
    let other = Story::new(daily(9), &[]).awaited(FIRED, |story| {
        let edit = Edit { schedule: Some(interval(90, None)), ..Edit::default() };
        // Of another kind its times have other names.
        if story.ask("4 08:30", &Command::Edit(Box::new(edit))).is_ok() {
            story.run("4 23:00");
        }
    });
    assert!(other.starts_with("happened 4") || other == "still waits", "{other}");
}

#[test]
fn a_one_shot_that_was_missed_ends_the_wait_for_its_firing_and_not_that_for_the_person() {
    let tea = || Story::with(once("4 09:00"), &[], |new| new.policy.missed = Missed::Skip);
    let miss = |story: &mut Story| story.wake(at("4 12:00"));
    assert_eq!(tea().awaited(FIRED, miss), "ended Missed 4 12:00");
    assert_eq!(tea().awaited(DONE, miss), "still waits");
    assert_eq!(tea().after(miss).awaited(FIRED, |_| {}), "ended Missed at once");
}
