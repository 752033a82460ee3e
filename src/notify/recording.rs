//! The fake channel of tests and the simulator: writes down what it is given, and answers as it is told to.
//!
//! It keeps no time and fails only on demand.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::task::TaskId;
use crate::notify::responses::{Act, Response, Responses, Ring};
use crate::notify::{Channel, Presence};

/// What a recording channel does with a delivery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Reports this at once.
    Report(Report),
    /// Reports this once [`RecordingChannel::release`] is called.
    Hang(Report),
}

/// Decides the answer of a delivery; the number counts the attempts that the channel was given before, from 0.
pub type Script = Box<dyn Fn(&Delivery, usize) -> Answer + Send + Sync>;

/// A channel that records. Clones share one record.
#[derive(Clone)]
pub struct RecordingChannel {
    kind: ChannelKind,
    shared: Arc<Shared>,
}

struct Shared {
    script: Mutex<Script>,
    record: watch::Sender<Record>,
    presence: watch::Sender<Presence>,
    /// Counts the releases.
    releases: watch::Sender<u64>,
    /// What it says shows its deliveries.
    shown_by: Mutex<Option<String>>,
    responses: Responses,
}

/// What a channel was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Every attempt, in the order in which they began.
    pub attempts: Vec<Delivery>,
    /// Those that were reported as delivered, in that order.
    pub delivered: Vec<Delivery>,
    /// What was withdrawn, in that order.
    pub withdrawn: Vec<Withdrawal>,
    /// What was shown again, in that order.
    pub shown_again: Vec<Delivery>,
}

impl Record {
    /// Returns the tasks of which something was withdrawn, in that order.
    #[must_use]
    pub fn withdrawn_tasks(&self) -> Vec<TaskId> {
        self.withdrawn.iter().map(|withdrawal| withdrawal.task).collect()
    }
}

impl RecordingChannel {
    /// Returns a channel of `kind` that is present and takes everything.
    #[must_use]
    pub fn new(kind: ChannelKind) -> Self {
        let script: Script = Box::new(|_, _| Answer::Report(Report::DELIVERED));
        let shared = Shared {
            script: Mutex::new(script),
            record: watch::Sender::new(Record::default()),
            presence: watch::Sender::new(Presence::Present),
            releases: watch::Sender::new(0),
            shown_by: Mutex::new(None),
            responses: Responses::default(),
        };
        Self { kind, shared: Arc::new(shared) }
    }

    /// Answers the deliveries from now on as `script` says.
    pub fn answer(&self, script: impl Fn(&Delivery, usize) -> Answer + Send + Sync + 'static) {
        *self.shared.script.lock().expect("no holder of the script panics") = Box::new(script);
    }

    /// Sets whether somebody can be reached, and tells of it also when it is the same.
    ///
    /// It does not change the answers: a channel may be away before that is known.
    pub fn set_presence(&self, presence: Presence) {
        self.shared.presence.send_replace(presence);
    }

    /// Sets what shows its deliveries from now on; told of by [`RecordingChannel::set_presence`] only.
    pub fn set_shown_by(&self, server: &str) {
        *self.shared.shown_by.lock().expect("no holder of the name panics") = Some(server.to_owned());
    }

    /// Closes a delivery as the person would, and waits until that is heard. Nobody may listen.
    pub async fn dismiss(&self, delivery: &Delivery) {
        self.respond(delivery, Act::Dismiss).await;
    }

    /// Does with a delivery what the person would, and waits until that is heard. Nobody may listen.
    pub async fn respond(&self, delivery: &Delivery, act: Act) {
        let (Some(ring), Some(listener)) = (Ring::of(delivery), self.shared.responses.listener()) else {
            return;
        };
        self.shared.responses.tell(Response { act, ..Response::dismissed(ring) });
        // There is room for all once the last is taken; one who no longer listens takes none.
        let _ = listener.reserve_many(listener.max_capacity()).await;
    }

    /// Lets every delivery that hangs now go on.
    pub fn release(&self) {
        self.shared.releases.send_modify(|count| *count += 1);
    }

    /// Returns what the channel was given so far.
    #[must_use]
    pub fn record(&self) -> Record {
        self.shared.record.borrow().clone()
    }

    /// Waits until the record is as wanted, and returns it.
    pub async fn wait_until(&self, is_wanted: impl FnMut(&Record) -> bool) -> Record {
        let mut record = self.shared.record.subscribe();
        record.wait_for(is_wanted).await.expect("the sender lives as long as this channel").clone()
    }

    async fn attempt(&self, delivery: &Delivery) -> Report {
        // Subscribed before the attempt is seen, so that a release which answers it counts.
        let mut releases = self.shared.releases.subscribe();
        let before = self.shared.record.borrow().attempts.len();
        let answer = (self.shared.script.lock().expect("no holder of the script panics"))(delivery, before);
        self.shared.record.send_modify(|record| record.attempts.push(delivery.clone()));
        let report = match answer {
            Answer::Report(report) => report,
            Answer::Hang(report) => {
                releases.changed().await.expect("the sender lives as long as this channel");
                report
            }
        };
        if matches!(report, Report::Delivered { .. }) {
            self.shared.record.send_modify(|record| record.delivered.push(delivery.clone()));
        }
        report
    }
}

impl std::fmt::Debug for RecordingChannel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordingChannel").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Channel for RecordingChannel {
    fn kind(&self) -> ChannelKind {
        self.kind
    }

    /// As many as the simulator may ever have under way.
    fn workers(&self) -> usize {
        64
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.attempt(delivery).boxed()
    }

    fn shown_by(&self) -> Option<String> {
        self.shared.shown_by.lock().expect("no holder of the name panics").clone()
    }

    fn show_again<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, ()> {
        self.shared.record.send_modify(|record| record.shown_again.push(delivery.clone()));
        std::future::ready(()).boxed()
    }

    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        self.shared.record.send_modify(|record| record.withdrawn.push(withdrawal.clone()));
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.shared.presence.subscribe()
    }

    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        Some(self.shared.responses.listen())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use uuid::Uuid;

    use super::*;

    use crate::domain::effect::Standing;

    use crate::domain::delivery::{DeliveryId, DeliveryStatus, Target};
    use crate::domain::message::{Message, Occasion, Reason};
    use crate::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
    use crate::domain::task::{Number, Priority};
    use crate::domain::time::Timestamp;

    fn delivery() -> Delivery {
        let (title, body) = ("stretch".to_owned(), String::new());
        Delivery {
            id: DeliveryId { fire_id: FireId(Uuid::nil()), target: Target::desktop() },
            task: TaskId(Uuid::nil()),
            occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 },
            message: Message { number: Number(1), title, body, priority: Priority::Normal, link: None },
            occasion: Occasion {
                device: Uuid::nil(),
                reason: Reason::Alert,
                slot: Slot::DUE,
                nominal_at: Timestamp::MIN,
                late: false,
                due: None,
                notes: String::new(),
                tags: Vec::new(),
                metadata: BTreeMap::new(),
            },
            status: DeliveryStatus::Queued,
            frozen: None,
            expires_at: None,
            attempts: 0,
            created_at: Timestamp::MIN,
            last_error: None,
            digest: None,
            receipt: None,
        }
    }

    #[tokio::test]
    async fn it_answers_as_the_script_says_and_hangs_until_it_is_released() {
        let channel = RecordingChannel::new(ChannelKind::Desktop);
        channel.answer(|_, before| match before {
            0 => Answer::Report(Report::Failed { error: "full".into(), is_final: false, retry_after: None }),
            _ => Answer::Hang(Report::DELIVERED),
        });
        let stretch = delivery();
        assert!(matches!(channel.deliver(&stretch).await, Report::Failed { .. }));
        let (report, ()) = tokio::join!(channel.deliver(&stretch), async {
            let record = channel.wait_until(|record| record.attempts.len() == 2).await;
            assert!(record.delivered.is_empty());
            channel.release();
        });
        let withdrawal = Withdrawal {
            task: stretch.task,
            occurrence: stretch.occurrence,
            standing: Standing::Seen,
            told: Vec::new(),
        };
        channel.withdraw(&withdrawal).await;
        let record = channel.record();
        assert_eq!(report, Report::DELIVERED);
        assert_eq!((record.delivered.len(), record.withdrawn.len()), (1, 1));
    }
}
