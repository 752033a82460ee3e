//! What becomes of what is on its way and of what is shown, once nobody is to hear more of it?

use crate::domain::delivery::Delivery;
use crate::domain::effect::{Effect, Standing, Told, Withdrawal};
use crate::domain::transition::steps::Steps;

impl Steps<'_> {
    /// Withdraws what was not sent, but to targets that are always told, and takes back what is shown.
    pub(super) fn silence(&mut self) {
        self.withdraw_where(|_| true);
    }

    /// As [`Steps::silence`], but what is for programs goes on.
    pub(super) fn silence_persons(&mut self) {
        self.withdraw_where(|delivery| delivery.id.target.kind.is_person());
    }

    /// As [`Steps::silence`], and nothing goes on to anybody.
    pub(super) fn silence_for_ever(&mut self) {
        self.drop_unsent(|_| true);
        self.take_back();
    }

    pub(super) fn withdraw_where(&mut self, is_meant: impl Fn(&Delivery) -> bool) {
        let always = &self.moment.routing.always;
        self.drop_unsent(|delivery| is_meant(delivery) && !always.contains(&delivery.id.target));
        self.take_back();
    }

    /// Takes back what is shown of the present occurrence.
    fn take_back(&mut self) {
        if self.has_spoken() {
            let withdrawal = Withdrawal {
                task: self.task().id,
                occurrence: self.occurrence().name(),
                standing: Standing::of(self.occurrence()),
                told: self.told_to_persons(),
            };
            self.effects.push(Effect::Silence { withdrawal, except: Vec::new() });
        }
    }

    /// Returns what persons were told of the present occurrence.
    fn told_to_persons(&self) -> Vec<Told> {
        let is_meant = |delivery: &&Delivery| delivery.id.target.kind.is_person() && !delivery.is_notice();
        self.deliveries_of_present().filter(is_meant).filter_map(Told::by).collect()
    }

    /// Withdraws what was not sent to persons; what is shown stays.
    pub(super) fn drop_unsent_to_persons(&mut self) {
        let always = &self.moment.routing.always;
        self.drop_unsent(|delivery| delivery.id.target.kind.is_person() && !always.contains(&delivery.id.target));
    }

    fn drop_unsent(&mut self, is_meant: impl Fn(&Delivery) -> bool) {
        let now = self.now();
        // A notice is to be known, whatever becomes of the task.
        let is_meant = |delivery: &Delivery| is_meant(delivery) && !delivery.is_notice();
        let unsent = self.deliveries.iter().filter(|delivery| is_meant(delivery) && !delivery.status.is_final());
        for delivery in unsent.cloned().collect::<Vec<_>>() {
            self.change(delivery.withdrawn(now));
        }
        // What was handed out in this very transition is withdrawn before any worker sees it.
        self.effects.retain(|effect| match effect {
            Effect::Deliver(delivery) => !is_meant(delivery),
            Effect::Silence { .. } | Effect::Run(_) | Effect::EndRun(_) => true,
        });
    }
}
