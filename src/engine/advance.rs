//! How does a programmable clock go on? One instant after another, and never while something is under way: deliveries, and
//! commands that have not run for long yet.

use tokio::sync::oneshot;

use crate::clock::{Jump, Woken};
use crate::domain::time::Timestamp;
use crate::engine::input::CallError;
use crate::engine::run::Engine;

/// An advance that was asked for.
pub(super) struct Advance {
    /// Where to.
    pub(super) to: Timestamp,
    /// How it gets there at once; `None`: by passing through every instant, or by having jumped.
    pub(super) jump: Option<Jump>,
    /// Where the answer goes, once everything is quiet there.
    pub(super) reply: oneshot::Sender<Result<Timestamp, CallError>>,
}

impl Engine {
    /// Takes an advance; a clock that cannot be moved is refused at once, not when everything is quiet.
    pub(super) fn take_advance(&mut self, advance: Advance) {
        match self.clock.advance_to(self.clock.now()) {
            Ok(()) => self.advances.push_back(advance),
            // Who asked may have gone.
            Err(error) => drop(advance.reply.send(Err(CallError::from(error)))),
        }
    }

    /// Moves the programmable clock one instant on, once everything is quiet. Returns whether there is a turn to take.
    pub(super) async fn advance(&mut self) -> bool {
        let Some(to) = self.advances.front().map(|advance| advance.to) else { return false };
        if !self.dispatcher.is_quiet() || !self.crew.is_quiet() || !self.inputs.is_empty() {
            return false;
        }
        let now = self.clock.now();
        // Already reached, so this answers at once: it only tells of a step that nobody has looked at yet.
        if self.clock.sleep_until(Some(now)).await == Woken::Stepped {
            self.look_again().await;
            return true;
        }
        // Something is due already: it goes first.
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            return true;
        }
        if let Some(jump) = self.advances.front_mut().and_then(|advance| advance.jump.take()) {
            return match self.clock.jump_to(to, jump) {
                // The next look finds the step.
                Ok(()) => true,
                Err(error) => self.answer_advance(Err(CallError::from(error))),
            };
        }
        let next = self.deadline().filter(|deadline| *deadline <= to);
        match self.clock.advance_to(next.unwrap_or(to)) {
            Ok(()) if next.is_some() => true,
            Ok(()) => self.answer_advance(Ok(to)),
            Err(error) => self.answer_advance(Err(CallError::from(error))),
        }
    }

    fn answer_advance(&mut self, result: Result<Timestamp, CallError>) -> bool {
        if let Some(advance) = self.advances.pop_front() {
            // Who asked may have gone; the clock has moved all the same.
            let _ = advance.reply.send(result);
        }
        // The next advance, if any, is looked at in a turn of its own.
        !self.advances.is_empty()
    }
}
