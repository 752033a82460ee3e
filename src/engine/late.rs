//! When is what came late told? Once nothing more is due, so that all of it is known; and what was told already, when
//! another screen appears.

use std::sync::Arc;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryStatus, StatusName};
use crate::domain::digest::{Setting, shown_again};
use crate::domain::event::Snapshot;
use crate::domain::message::Message;
use crate::domain::outbox::DeliveryFilter;
use crate::domain::state::State;
use crate::engine::run::Engine;
use crate::store::{StoreError, Which};

impl Engine {
    /// Lets go what came late, once nothing more is due. A crash before leaves it to the next start.
    pub(super) async fn release_late(&mut self) {
        let now = self.clock.now();
        self.has_unreleased |= self.let_go_at.is_some_and(|at| at <= now);
        let is_more_due = self.wakes.next_deadline().is_some_and(|next| next <= now);
        if !self.has_unreleased || self.is_stopping || is_more_due || self.is_held_back(now) {
            return;
        }
        if let Err(error) = self.try_release_late().await {
            self.hold_back(&error, now);
        }
    }

    pub(super) async fn try_release_late(&mut self) -> Result<(), Arc<StoreError>> {
        let mut unreleased = Vec::new();
        for status in [StatusName::Grouped, StatusName::Quiet] {
            let all = self.store.deliveries_after(&DeliveryFilter::in_status(status), 0, usize::MAX)?;
            unreleased.extend(all.into_iter().map(|(_, delivery)| delivery).filter(Delivery::is_unreleased));
        }
        self.has_unreleased = false;
        self.let_go_at = None;
        // What is held on is planned though nothing of it changes.
        for delivery in &unreleased {
            self.plan_release(delivery);
        }
        self.has_unreleased = false;
        self.commit(|batch| batch.look_at_held(unreleased)).await?;
        self.show_again().await;
        Ok(())
    }

    /// Plans when something that is held, or came late, is looked at: at the end of its hold, or at once.
    pub(super) fn plan_release(&mut self, delivery: &Delivery) {
        if !delivery.is_unreleased() {
            return;
        }
        // The zone is asked of the system: not for each of thousands that are not held.
        if delivery.status != DeliveryStatus::Quiet {
            self.has_unreleased = true;
            return;
        }
        match self.quiet.until(&delivery.occasion.tags, self.clock.now(), self.clock.zone()) {
            Some(end) => self.let_go_at = Some(self.let_go_at.map_or(end, |planned| planned.min(end))),
            None => self.has_unreleased = true,
        }
    }

    /// Shows again, quietly, what is due and was not seen, where another server shows popups than did.
    ///
    /// It is noted behind the showing: a crash between shows it once more, rather than never.
    pub(super) async fn show_again(&mut self) {
        let Some(server) = self.dispatcher.shown_by(ChannelKind::Desktop) else { return };
        if self.shown_by.as_ref() == Some(&server) || self.is_stopping {
            return;
        }
        let now = self.clock.now();
        // Not while it is quiet; at its end it is looked at again.
        if let Some(end) = self.quiet.until(&[], now, self.clock.zone()) {
            self.let_go_at = Some(self.let_go_at.map_or(end, |planned| planned.min(end)));
            return;
        }
        // Before the first server nothing was shown.
        let due = if self.shown_by.is_some() { self.shown_and_unseen() } else { Ok(Vec::new()) };
        let due = match due {
            Ok(due) => due,
            Err(error) => return self.hold_back(&error, now),
        };
        let setting = Setting { now, zone: self.clock.zone(), device: self.device };
        self.dispatcher.show_again(ChannelKind::Desktop, shown_again(due.clone(), &setting), &due);
        self.shown_by = Some(server.clone());
        let noted = self.commit(|batch| {
            batch.set_shown_by(server);
            Ok(())
        });
        if let Err(error) = noted.await {
            self.hold_back(&error, now);
        }
    }

    /// Returns the latest popup of each task that is due and not seen, in the words of now.
    fn shown_and_unseen(&self) -> Result<Vec<Delivery>, StoreError> {
        let mut due = Vec::new();
        for snapshot in self.store.list(Which::Open)? {
            let is_unseen = matches!(snapshot.occurrence.state, State::Running(running) if running.acked_at.is_none());
            if is_unseen && snapshot.occurrence.last_spoken.is_some() {
                due.extend(self.popup_of(&snapshot)?);
            }
        }
        Ok(due)
    }

    /// Returns the latest popup of a task; `None` where it had none, or another is on its way.
    fn popup_of(&self, snapshot: &Snapshot) -> Result<Option<Delivery>, StoreError> {
        let mut popups = self.store.deliveries(snapshot.task.id, Some(snapshot.occurrence.name()))?;
        popups.retain(|delivery| delivery.id.target.kind == ChannelKind::Desktop && !delivery.is_notice());
        if popups.iter().any(|popup| !popup.status.is_final()) {
            return Ok(None);
        }
        let is_shown = |popup: &Delivery| matches!(popup.status, DeliveryStatus::Delivered(_));
        let latest = popups.into_iter().filter(is_shown).max_by_key(|popup| popup.status.at());
        let now = self.clock.now();
        Ok(latest.map(|popup| {
            let late = snapshot.occurrence.due_at().filter(|due| now.since(*due) > self.grace);
            Delivery { message: Message::compose(snapshot, late, 0, now, self.clock.zone()), ..popup }
        }))
    }
}
