//! The part of a batch that is about a series that another task goes on with, and about changes that are only looked at.

use tokio::sync::oneshot;

use crate::domain::command::Moment;
use crate::domain::delivery::Delivery;
use crate::domain::pause::standing;
use crate::domain::task::{Number, TaskId, TaskLink};
use crate::domain::transition::{Follower, Succession, edit_following};
use crate::engine::input::{AddRequest, Applied, CallError, FollowCall, PreviewCall};
use crate::engine::request::RequestKey;
use crate::engine::step::{Answer, Batch};

impl<'a> Batch<'a> {
    /// Changes a series from a time on: both tasks, or neither.
    pub(in crate::engine) fn follow(&mut self, call: &FollowCall, reply: oneshot::Sender<Result<Applied, CallError>>) {
        let result = self.followed(call);
        self.answers.push(Answer { reply, result });
    }

    /// Answers what would follow from a change, on top of what this batch does; nothing of it is taken.
    pub(in crate::engine) fn preview(
        &mut self,
        call: &PreviewCall,
        reply: oneshot::Sender<Result<Applied, CallError>>,
    ) {
        let result = match call {
            PreviewCall::Add(request) => self
                .planned_new(AddRequest::clone(request))
                .map(|(transition, moment)| Applied::of(&transition, &moment)),
            PreviewCall::One(call) => self
                .resolved(call.task, &call.command)
                .and_then(|command| self.planned(None, call.task, &command, call.expected))
                .map(|(transition, moment)| Applied::of(&transition, &moment)),
            PreviewCall::Follow(call) => self.plan_follower(call, None).map(|(succession, moment)| Applied {
                follower: Some(Box::new(succession.follower.after)),
                ..Applied::of(&succession.ended, &moment)
            }),
        };
        self.answers.push(Answer { reply, result });
    }

    fn followed(&mut self, call: &FollowCall) -> Result<Applied, CallError> {
        if let Some(key) = &call.key
            && let Some(seen) = self.seen(key)?
        {
            return Ok(seen);
        }
        let (Succession { ended, follower }, moment) = self.plan_follower(call, call.key.as_ref())?;
        self.next_number = Number(self.next_number.0 + 1);
        self.note(call.key.clone(), call.task);
        let applied = self.take(ended, call.actor, &moment);
        let follower = self.take(follower, call.actor, &moment);
        // The one that was typed, and the one that it became.
        self.note_verb(applied.op_id, "edit", &applied.snapshot);
        self.note_verb(applied.op_id, "edit", &follower.snapshot);
        Ok(Applied { follower: Some(Box::new(follower.snapshot)), ..applied })
    }

    /// Returns what follows for both tasks; the new one has the next number, which is not used up.
    fn plan_follower(
        &mut self,
        call: &FollowCall,
        key: Option<&RequestKey>,
    ) -> Result<(Succession, Moment<'a>), CallError> {
        let before = self.snapshot(call.task)?;
        let name = before.occurrence.name();
        let deliveries: Vec<Delivery> = self.deliveries_of(call.task, name)?;
        let tags = &before.task.details.tags;
        let moment = self.moment_of(key, tags);
        let id = TaskId(self.ids.next(moment.now));
        let follower = Follower {
            link: TaskLink { id, number: self.next_number },
            edit: &call.edit,
            standing: standing(&self.pauses, call.edit.tags.as_ref().unwrap_or(tags), moment.now),
        };
        let runs = self.runs_of(&before)?;
        let known = self.world.known(call.task, &deliveries, &runs);
        let succession = edit_following(&before, known, &follower, call.expected, &moment)?;
        Ok((succession, moment))
    }
}
