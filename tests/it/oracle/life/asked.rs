//! What a person asks of a task, and what comes of it by SPEC 4.
//!
//! Must never use the core's rules.

use keiko::domain::command::{Edit, WAITED_MAX};
use keiko::domain::occurrence::{Nominal, Slot};
use keiko::domain::schedule::Rule;
use keiko::domain::time::{Span, Timestamp};
use uuid::Uuid;

use crate::oracle::Answer;
use crate::oracle::life::{Asleep, Due, Life, Now, Open, Repeat, Stage, is_possible, left};
use crate::oracle::rule::{Time, days_of};
use crate::oracle::wall::shown_at;

impl Life {
    /// Returns whether the open one is meant, though a series may not have spoken of it yet.
    fn is_meant(&self, early: bool) -> Result<(), Answer> {
        let Some(open) = &self.open else { return Err(Answer::Refused) };
        if matches!(open.stage, Stage::Due(_)) || !self.is_series() || open.last_said.is_some() || early {
            return Ok(());
        }
        Err(if self.was_done { Answer::Nothing } else { Answer::Refused })
    }

    fn is_awake(&self) -> Result<(), Answer> {
        match self.open.as_ref().map(|open| open.stage) {
            Some(Stage::Waiting { .. } | Stage::Due(_)) => Ok(()),
            Some(Stage::Unarmed | Stage::Asleep(_)) | None => Err(Answer::Refused),
        }
    }

    pub(in crate::oracle) fn done(&mut self, early: bool, now: Now) -> Result<(), Answer> {
        self.is_meant(early)?;
        let stage = self.open.as_ref().expect("it is meant").stage;
        let next = self.next(now);
        self.make_way_for(next, "done", now);
        // A pause means the series: what comes next sleeps on with it.
        if let (Stage::Asleep(asleep), Some(open)) = (stage, &mut self.open) {
            open.stage = Stage::Asleep(Asleep { left: left(open, now.at), is_seen: false, ..asleep });
        }
        self.look(now);
        Ok(())
    }

    pub(in crate::oracle) fn ack(&mut self, early: bool, is_dismissal: bool) -> Result<(), Answer> {
        self.is_awake()?;
        self.is_meant(early)?;
        let open = self.open.as_ref().expect("it is meant");
        match open.stage {
            Stage::Unarmed | Stage::Asleep(_) => Err(Answer::Refused),
            Stage::Waiting { .. } if open.last_said.is_none() => Err(Answer::Refused),
            Stage::Waiting { .. } => Ok(()),
            Stage::Due(due) => {
                let ends_nag = self.next_nag(open).is_some() && !is_dismissal;
                if due.is_seen && !ends_nag {
                    return Err(Answer::Nothing);
                }
                let is_hushed = due.is_hushed || !is_dismissal;
                let open = self.open.as_mut().expect("it is meant");
                open.stage = Stage::Due(Due { is_seen: true, is_hushed, ..due });
                // "In 20m tea" has said all that it had to say.
                let is_plain = matches!(self.plan.schedule.rule, Rule::Countdown(_)) && self.plan.policy.nag.is_none();
                if is_plain && self.next_moment().is_none() {
                    self.end = "done";
                    self.open = None;
                }
                Ok(())
            }
        }
    }

    pub(in crate::oracle) fn snooze(&mut self, until: Timestamp, early: bool, now: Now) -> Result<(), Answer> {
        self.is_awake()?;
        self.is_meant(early)?;
        let open = self.open.as_ref().expect("it is meant");
        if until <= now.at {
            return Err(Answer::Refused);
        }
        let unsaid = self.unsaid(open);
        let slot = open.last_said.or(unsaid.first().map(|(slot, _)| *slot)).unwrap_or(Slot::DUE);
        let is_behind_due = |slot: &Slot| matches!(slot, Slot::Alert(by) if *by > Span::ZERO);
        let swallowed = unsaid.iter().filter(|(own, at)| *at <= until && (*own == slot || is_behind_due(own)));
        let open = self.open.as_mut().expect("it is meant");
        open.said.extend(swallowed.map(|(slot, _)| *slot));
        open.repeat = Some(Repeat { at: until, slot, is_chosen: true });
        open.stage = Stage::Waiting { is_missed: false };
        Ok(())
    }

    pub(in crate::oracle) fn pause(&mut self, id: Uuid, until: Option<Timestamp>, now: Now) -> Result<(), Answer> {
        let Some(open) = &mut self.open else { return Err(Answer::Refused) };
        if matches!(open.stage, Stage::Unarmed | Stage::Asleep(_)) || until.is_some_and(|until| until <= now.at) {
            return Err(Answer::Refused);
        }
        let nags = self.plan.policy.nag.is_some();
        let is_seen = matches!(open.stage, Stage::Due(due) if due.is_seen && (due.is_hushed || !nags));
        open.stage = Stage::Asleep(Asleep { id, is_seen, since: now.at, until, left: left(open, now.at) });
        Ok(())
    }

    /// Returns with which pause it sleeps.
    pub(in crate::oracle) fn sleeps_with(&self) -> Option<Uuid> {
        match self.open.as_ref()?.stage {
            Stage::Asleep(asleep) => Some(asleep.id),
            Stage::Unarmed | Stage::Waiting { .. } | Stage::Due(_) => None,
        }
    }

    /// It sleeps on with another pause.
    pub(in crate::oracle) fn sleep_on(&mut self, id: Uuid, until: Option<Timestamp>) {
        if let Some(Open { stage: Stage::Asleep(asleep), .. }) = &mut self.open {
            (asleep.id, asleep.until) = (id, until);
        }
    }

    pub(in crate::oracle) fn resume(&mut self, shift: bool, now: Now) -> Result<(), Answer> {
        if self.sleeps_with().is_none() {
            return Err(Answer::Refused);
        }
        self.wake_up(now, shift);
        self.look(now);
        Ok(())
    }

    /// A countdown goes on with what was left, anything else too where that is asked for; a series passes over what fell
    /// into the pause; the rest is said at once if its time has passed.
    pub(super) fn wake_up(&mut self, now: Now, shift: bool) {
        let is_countdown = matches!(self.plan.schedule.rule, Rule::Countdown(_));
        let is_series = self.is_series();
        let speaks_at_due = self.alerts().contains(&Span::ZERO);
        let zone = self.plan.schedule.zone.unwrap_or(now.zone);
        let open = self.open.as_mut().expect("it sleeps");
        let Stage::Asleep(asleep) = open.stage else { return };
        if let Some(left) = asleep.left.filter(|_| shift || is_countdown) {
            let due = now.at.saturating_add(left);
            // A series keeps its beat.
            if open.successor.is_none_or(|successor| due < successor) {
                open.due = Some(due);
                open.nominal = Some(match open.nominal.expect("what has a time has its name") {
                    Nominal::Local(_) => Nominal::Local(shown_at(due, zone)),
                    Nominal::Instant(_) => Nominal::Instant(due),
                });
            }
        }
        open.stage = Stage::Waiting { is_missed: false };
        let has_passed = open.due.is_some_and(|due| due <= now.at);
        let fell_in = asleep.left.is_some() || open.last_said.is_none();
        let is_succeeded = open.successor.is_some_and(|at| at <= now.at);
        if is_series && has_passed && (fell_in || is_succeeded) {
            let end = if fell_in { "skipped" } else { "unanswered" };
            let next = self.next(now);
            return self.follow_by(next, end, now);
        }
        let had_rung = asleep.left.is_none() && open.last_said.is_some();
        if asleep.is_seen && has_passed && open.repeat.is_none() {
            // Nothing of what was seen is said again; what lies behind it is.
            let open = self.open.as_ref().expect("it sleeps");
            if self.unsaid(open).iter().all(|(_, at)| *at > now.at) {
                let seen = Due { is_seen: true, is_hushed: true, ..Due::default() };
                self.open.as_mut().expect("it sleeps").stage = Stage::Due(seen);
            }
            return;
        }
        open.repeat = match open.repeat {
            Some(repeat) if repeat.at > now.at => Some(repeat),
            Some(repeat) => Some(Repeat { at: now.at, is_chosen: false, ..repeat }),
            None if has_passed && (had_rung || speaks_at_due) => {
                let slot = if had_rung { open.last_said.unwrap_or(Slot::DUE) } else { Slot::DUE };
                Some(Repeat { at: now.at, slot, is_chosen: false })
            }
            None => None,
        };
    }

    pub(in crate::oracle) fn skip(&mut self, now: Now) -> Result<(), Answer> {
        let Some(open) = &self.open else { return Err(Answer::Refused) };
        if !self.is_series() || matches!(open.stage, Stage::Asleep(_)) {
            return Err(Answer::Refused);
        }
        // What counts from completions counts from the time that was passed over.
        let ahead = open.due.filter(|due| *due > now.at && matches!(self.plan.schedule.rule, Rule::AfterDone(_)));
        let next = self.next(Now { at: ahead.unwrap_or(now.at), ..now });
        self.make_way_for(next, "skipped", now);
        self.look(now);
        Ok(())
    }

    pub(in crate::oracle) fn cancel(&mut self) -> Result<(), Answer> {
        if self.open.take().is_none() {
            return Err(Answer::Refused);
        }
        self.end = "cancelled";
        Ok(())
    }

    /// Another rule; nothing else of an edit is known here.
    pub(in crate::oracle) fn edit(&mut self, edit: &Edit, now: Now) -> Result<(), Answer> {
        let (Some(before), Some(schedule)) = (self.open.clone(), &edit.schedule) else { return Err(Answer::Refused) };
        let (plan, days) = (self.plan.clone(), self.days.clone());
        let was_series = self.is_series();
        self.plan.schedule = schedule.clone();
        self.days = days_of(&schedule.rule);
        let answer = self.rescheduled(&before, was_series, now);
        if answer.is_err() {
            (self.plan, self.days, self.open) = (plan, days, Some(before));
            return answer;
        }
        self.look(now);
        Ok(())
    }

    fn rescheduled(&mut self, before: &Open, was_series: bool, now: Now) -> Result<(), Answer> {
        // What has no time may be told again that it has none.
        if matches!(self.plan.schedule.rule, Rule::None) && before.due.is_none() {
            return Ok(());
        }
        // One time would end a series.
        if was_series && !self.is_series() {
            return Err(Answer::Refused);
        }
        let has_come_up = before.last_said.is_some() || matches!(before.stage, Stage::Due(_));
        if self.is_series() != was_series && (has_come_up || self.ended.is_some()) {
            return Err(Answer::Refused);
        }
        let walk = self.walk(now);
        // One that was done long before its time may be followed by one that comes before that.
        let ended = self.ended.as_ref().filter(|ended| before.due.is_none_or(|due| ended.due <= due));
        let next = if matches!(self.plan.schedule.rule, Rule::AfterDone(_)) {
            walk.follower(ended, now.at)
        } else if self.is_series() {
            walk.ahead(ended, now.at)
        } else {
            walk.only()
        };
        let next = next.ok_or(Answer::Refused)?;
        if next.due.saturating_add(WAITED_MAX) < now.at {
            return Err(Answer::Refused);
        }
        let is_due = matches!(before.stage, Stage::Due(_));
        let is_ahead = !is_due && before.due.is_some_and(|due| due > now.at);
        let has_spoken = before.last_said.is_some();
        let is_same = before.time.is_some_and(|time| time.key == next.key);
        let any_series = self.is_series() || was_series;
        if !any_series || has_spoken && is_ahead && is_same {
            self.move_to(before, next, now);
        } else if !has_spoken && !is_due || is_ahead && before.due < Some(next.due) {
            self.replace_by(next, now);
        } else {
            let present =
                Time { due: before.due.expect("a series has times"), ..before.time.expect("a series has times") };
            // What counts from completions waits for that of the open one.
            let next = self.walk(now).ahead(Some(&present), now.at).map(|next| next.due);
            let deadline = before.deadline.map(|(_, at)| at);
            let successor = next.map(|next| self.end_by(present.due, deadline, next, now.at));
            self.open.as_mut().expect("it is open").successor = successor;
        }
        let open = self.open.as_ref().expect("it is open");
        if open.is_past_deadline || is_possible(open, now) { Ok(()) } else { Err(Answer::Refused) }
    }

    /// Another one comes up in place of the open one, and sleeps on where that sleeps.
    pub(super) fn replace_by(&mut self, next: Time, now: Now) {
        let stage = self.open.as_ref().expect("it is open").stage;
        let standing = now.standing.filter(|_| !matches!(stage, Stage::Asleep(_)));
        self.follow_by(Some(next), "skipped", Now { standing, ..now });
        if let (Stage::Asleep(asleep), Some(open)) = (stage, &mut self.open) {
            open.stage = Stage::Asleep(Asleep { left: left(open, now.at), is_seen: false, ..asleep });
        }
    }

    /// The due moves, and with it all that is said of it.
    fn move_to(&mut self, before: &Open, next: Time, now: Now) {
        let mut open = self.opened(Some(next), now);
        if open.deadline == before.deadline {
            open.is_past_deadline = before.is_past_deadline;
            open.said.extend(before.said.iter().filter(|slot| matches!(slot, Slot::Deadline(_))));
        }
        if let Stage::Asleep(asleep) = before.stage {
            open.stage = Stage::Asleep(Asleep { left: left(&open, now.at), is_seen: false, ..asleep });
        }
        let is_unarmed = matches!(before.stage, Stage::Unarmed);
        self.open = Some(open);
        if is_unarmed {
            self.fall_asleep(now);
        }
    }
}
