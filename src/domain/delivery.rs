//! One firing to one target: its attempts and its result.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

use crate::domain::message::{Message, Occasion, Reason};
use crate::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
use crate::domain::retry::{Jitter, wait};
use crate::domain::task::{Number, Priority, TaskId};
use crate::domain::time::{Span, Timestamp};

/// A way to reach a person or a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChannelKind {
    /// A popup of the desktop's notification server.
    Desktop,
    /// The person's terminals: tmux clients, else a line and a bell.
    Terminal,
    /// A program that takes HTTP requests; the address is the name of a configured target, or a URL.
    Webhook,
    /// A chat of Telegram, told by a bot; the address of this and of all that follow is the name of a configured target.
    Telegram,
    /// A group of Feishu, told by its robot.
    Feishu,
    /// A group of `WeCom`, told by its robot.
    Wecom,
    /// A topic of ntfy.
    Ntfy,
    /// A mail address.
    Mail,
    /// A program of the person's own that passes it on.
    Exec,
}

impl ChannelKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Desktop,
        Self::Terminal,
        Self::Webhook,
        Self::Telegram,
        Self::Feishu,
        Self::Wecom,
        Self::Ntfy,
        Self::Mail,
        Self::Exec,
    ];

    /// Returns the word that people type and programs read.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Terminal => "terminal",
            Self::Webhook => "webhook",
            Self::Telegram => "telegram",
            Self::Feishu => "feishu",
            Self::Wecom => "wecom",
            Self::Ntfy => "ntfy",
            Self::Mail => "mail",
            Self::Exec => "exec",
        }
    }

    /// Returns whether it reaches a person; else it reaches a program, whose taking it says nothing of a person.
    #[must_use]
    pub const fn is_person(self) -> bool {
        match self {
            Self::Desktop | Self::Terminal | Self::Telegram | Self::Feishu | Self::Wecom | Self::Ntfy | Self::Mail => {
                true
            }
            Self::Webhook | Self::Exec => false,
        }
    }

    /// Returns whether a person can answer on the spot, so that being told again and again is no burden.
    #[must_use]
    pub const fn has_buttons(self) -> bool {
        match self {
            Self::Desktop | Self::Webhook | Self::Telegram | Self::Ntfy | Self::Exec => true,
            Self::Terminal | Self::Feishu | Self::Wecom | Self::Mail => false,
        }
    }

    /// Returns whether its targets have an address each; else it has one target, without an address.
    #[must_use]
    pub const fn has_addresses(self) -> bool {
        match self {
            Self::Desktop | Self::Terminal => false,
            Self::Webhook | Self::Telegram | Self::Feishu | Self::Wecom | Self::Ntfy | Self::Mail | Self::Exec => true,
        }
    }

    /// Returns the kind of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for ChannelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One address of a channel. The channels of this machine have one address, which is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The channel.
    pub kind: ChannelKind,
    /// A URL, the name of a configured target, a chat; empty for `desktop` and `terminal`.
    pub address: String,
}

impl Target {
    /// Reads `desktop`, `terminal`, or a kind and an address such as `webhook:ADDRESS`; `None` where there is no such channel, where one that has
    /// addresses comes without, or the other way round.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (word, address) = text.split_once(':').unwrap_or((text, ""));
        let kind = ChannelKind::from_word(word)?;
        let is_whole = kind.has_addresses() != address.is_empty() && (kind.has_addresses() || word == text);
        is_whole.then(|| Self { kind, address: address.to_owned() })
    }

    /// Returns its name without what may be a secret: of an address that is a URL only the host is told.
    #[must_use]
    pub fn public_name(&self) -> String {
        let Some((scheme, rest)) = self.address.split_once("://") else { return self.to_string() };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{}:{scheme}://{host}", self.kind)
    }

    /// The desktop of this machine.
    #[must_use]
    pub const fn desktop() -> Self {
        Self { kind: ChannelKind::Desktop, address: String::new() }
    }

    /// The person's terminals on this machine.
    #[must_use]
    pub const fn terminal() -> Self {
        Self { kind: ChannelKind::Terminal, address: String::new() }
    }
}

/// `desktop`, or `kind:address`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        if self.address.is_empty() { Ok(()) } else { write!(f, ":{}", self.address) }
    }
}

/// Names a delivery; the idempotency key of all attempts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DeliveryId {
    /// The firing.
    pub fire_id: FireId,
    /// The target.
    pub target: Target,
}

impl DeliveryId {
    /// Returns its name for others: the same on every attempt, and of no other delivery.
    ///
    /// The address is part of a delivery's own name, but may hold a key, and a full stop, which Standard Webhooks forbids.
    #[must_use]
    pub fn token(&self) -> Uuid {
        Uuid::new_v5(&self.fire_id.0, self.target.to_string().as_bytes())
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.fire_id, self.target)
    }
}

/// Where a delivery stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryStatus {
    /// Waits for a worker, or a worker has it.
    Queued,
    /// Its channel is away; it is sent when that appears, and no attempt is spent.
    Waiting,
    /// Its target fails or is paused: nothing is sent there, and no attempt is spent.
    Held,
    /// It came late, with others: it is let go, or told in a digest, once all that is late is known. No attempt is spent.
    Grouped,
    /// It is quiet, or the person is away: it is told when that is over. No attempt is spent.
    Quiet,
    /// An attempt failed; the next is made at this instant.
    Retrying(Timestamp),
    /// The target has it.
    Delivered(Timestamp),
    /// The target refused it for good, or no attempt is left.
    Failed(Timestamp),
    /// It was no longer wanted before it was sent.
    Withdrawn(Timestamp),
}

/// A status without its time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StatusName {
    /// See [`DeliveryStatus::Queued`].
    Queued,
    /// See [`DeliveryStatus::Waiting`].
    Waiting,
    /// See [`DeliveryStatus::Held`].
    Held,
    /// See [`DeliveryStatus::Grouped`].
    Grouped,
    /// See [`DeliveryStatus::Quiet`].
    Quiet,
    /// See [`DeliveryStatus::Retrying`].
    Retrying,
    /// See [`DeliveryStatus::Delivered`].
    Delivered,
    /// See [`DeliveryStatus::Failed`].
    Failed,
    /// See [`DeliveryStatus::Withdrawn`].
    Withdrawn,
}

impl StatusName {
    /// Every status.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Waiting,
        Self::Held,
        Self::Grouped,
        Self::Quiet,
        Self::Retrying,
        Self::Delivered,
        Self::Failed,
        Self::Withdrawn,
    ];

    /// Returns the word that SQL and programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Waiting => "waiting",
            Self::Held => "held",
            Self::Grouped => "grouped",
            Self::Quiet => "quiet",
            Self::Retrying => "retrying",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Returns the status of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether nothing more is to be sent.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Queued | Self::Waiting | Self::Held | Self::Grouped | Self::Quiet | Self::Retrying => false,
            Self::Delivered | Self::Failed | Self::Withdrawn => true,
        }
    }
}

impl DeliveryStatus {
    /// Returns it without its time.
    #[must_use]
    pub const fn name(&self) -> StatusName {
        match self {
            Self::Queued => StatusName::Queued,
            Self::Waiting => StatusName::Waiting,
            Self::Held => StatusName::Held,
            Self::Grouped => StatusName::Grouped,
            Self::Quiet => StatusName::Quiet,
            Self::Retrying(_) => StatusName::Retrying,
            Self::Delivered(_) => StatusName::Delivered,
            Self::Failed(_) => StatusName::Failed,
            Self::Withdrawn(_) => StatusName::Withdrawn,
        }
    }

    /// Returns when it is tried again, or when it came to its end.
    #[must_use]
    pub const fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Queued | Self::Waiting | Self::Held | Self::Grouped | Self::Quiet => None,
            Self::Retrying(at) | Self::Delivered(at) | Self::Failed(at) | Self::Withdrawn(at) => Some(*at),
        }
    }

    /// Returns whether nothing more is to be sent.
    #[must_use]
    pub const fn is_final(self) -> bool {
        self.name().is_final()
    }
}

/// One firing to one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Its name.
    pub id: DeliveryId,
    /// The task that fired.
    pub task: TaskId,
    /// The occurrence that fired.
    pub occurrence: OccurrenceName,
    /// What is said, the same on every attempt.
    pub message: Message,
    /// What a program is told besides, the same on every attempt.
    pub occasion: Occasion,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// What is sent to a program, once it was first handed out; nothing where the channel makes it anew each time, and
    /// nothing more once the program has it.
    pub frozen: Option<Arc<Frozen>>,
    /// Past this it is not sent any more.
    pub expires_at: Option<Timestamp>,
    /// How many attempts were made.
    pub attempts: u32,
    /// When the firing was committed.
    pub created_at: Timestamp,
    /// Why the latest attempt failed or had to wait.
    pub last_error: Option<String>,
    /// The firing of the digest that tells of it, to the same target, where one does.
    pub digest: Option<FireId>,
    /// What its channel needs to find again what the target has, where it gave something.
    pub receipt: Option<String>,
}

/// What a request says, the same bytes on every attempt, whatever becomes of its template meanwhile.
///
/// Neither keys nor signatures: they are those of the attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frozen {
    /// The headers that belong to the body or were made of the task, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// What a failed attempt costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    /// One attempt.
    Attempt,
    /// Nothing: it only looked whether a failing target answers again.
    Nothing,
}

/// What a worker says of one attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// The target has it.
    Delivered {
        /// What the channel needs to find it again, where it needs something.
        receipt: Option<String>,
    },
    /// The channel is away (no server, no terminal): nothing was sent.
    Away {
        /// Why, for people.
        reason: String,
    },
    /// The attempt failed.
    Failed {
        /// Why, for people.
        error: String,
        /// Whether no other attempt can succeed.
        is_final: bool,
        /// How long the target asked to be left alone.
        retry_after: Option<Span>,
    },
}

impl Report {
    /// The target has it, and it needs not be found again.
    pub const DELIVERED: Self = Self::Delivered { receipt: None };
}

impl Delivery {
    /// Returns a delivery to `target` that is no task's, for trying whether it can be reached. It is never stored.
    ///
    /// All trials of a device count as one task's, so that on a screen each takes the place of the one before.
    #[must_use]
    pub fn trial(target: Target, device: Uuid, now: Timestamp) -> Self {
        let task = TaskId(Uuid::new_v5(&device, b"trial"));
        let fire_id = FireId(Uuid::new_v5(&task.0, format!("{target}|{}", now.as_millis()).as_bytes()));
        Self {
            id: DeliveryId { fire_id, target },
            task,
            occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 },
            message: Message {
                number: Number(0),
                title: "Keiko can reach you here".to_owned(),
                body: "this is a trial, nothing is to be done".to_owned(),
                priority: Priority::Normal,
                link: None,
            },
            occasion: Occasion {
                device,
                reason: Reason::Trial,
                slot: Slot::DUE,
                nominal_at: now,
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
            created_at: now,
            last_error: None,
            digest: None,
            receipt: None,
        }
    }

    /// Returns the delivery after a worker's report.
    ///
    /// A report of what has ended meanwhile still counts: what was shown was shown. After `attempts_max` attempts it has
    /// failed; without that it is tried until it is delivered.
    #[must_use]
    pub fn reported(
        &self,
        report: &Report,
        spent: Spent,
        attempts_max: Option<u32>,
        jitter: Jitter,
        now: Timestamp,
    ) -> Self {
        let mut after = self.clone();
        if matches!(self.status, DeliveryStatus::Delivered(_)) {
            return after;
        }
        match report {
            Report::Delivered { receipt } => {
                after.attempts += 1;
                after.receipt.clone_from(receipt);
                after.last_error = None;
                after.status = DeliveryStatus::Delivered(now);
                after.frozen = None;
            }
            // Invariant: what was withdrawn or refused is never sent again.
            Report::Away { .. } | Report::Failed { .. } if self.status.is_final() => {}
            Report::Away { reason } => {
                after.last_error = Some(reason.clone());
                // What a digest tells of waits with that.
                if !matches!(self.status, DeliveryStatus::Grouped | DeliveryStatus::Quiet) {
                    after.status = DeliveryStatus::Waiting;
                }
            }
            Report::Failed { error, is_final, retry_after } => {
                let is_spent = spent == Spent::Attempt || *is_final;
                after.attempts += u32::from(is_spent);
                after.last_error = Some(error.clone());
                let is_last = is_spent && attempts_max.is_some_and(|max| after.attempts >= max);
                after.status = if *is_final || is_last || self.expires_at.is_some_and(|end| end <= now) {
                    DeliveryStatus::Failed(now)
                } else {
                    let next = now.saturating_add(wait(after.attempts, *retry_after, jitter));
                    // The last attempt is made at the end, not given up since the next would have come behind it.
                    DeliveryStatus::Retrying(self.expires_at.map_or(next, |end| next.min(end)))
                };
            }
        }
        after
    }

    /// Returns whether its time is over, so that it is not sent any more.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end < now)
    }

    /// Returns the delivery given up since its time is over.
    #[must_use]
    pub fn expired(&self, now: Timestamp) -> Self {
        let mut after = self.clone();
        let late = now.since(self.occasion.nominal_at);
        let why = self.last_error.as_ref().map_or(String::new(), |why| format!("; before: {why}"));
        after.last_error = Some(format!("not sent: it would have been {late} late{why}"));
        after.status = DeliveryStatus::Failed(now);
        after
    }

    /// Returns whether it answers for no firing: it says that another target fails, what was skipped or what blocks it, or tells of others.
    #[must_use]
    pub const fn is_notice(&self) -> bool {
        self.occasion.reason.is_notice()
    }

    /// Returns whether it is no task's own, but tells of several.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        self.occasion.reason == Reason::Digest
    }

    /// Returns whether it came late or was held, and nothing was decided of it yet.
    #[must_use]
    pub fn is_unreleased(&self) -> bool {
        self.status == DeliveryStatus::Quiet || (self.status == DeliveryStatus::Grouped && self.digest.is_none())
    }

    /// Returns whether it is held for quiet hours, or stands in a digest of what was: such a one never goes past its time.
    #[must_use]
    pub fn is_held_or_was(&self) -> bool {
        self.status == DeliveryStatus::Quiet
            || (self.status == DeliveryStatus::Grouped && self.digest.is_some() && !self.occasion.late)
    }

    /// Returns the delivery held until it is quiet no more, or as it is where nothing more was to be sent.
    #[must_use]
    pub fn held_for_quiet(&self) -> Self {
        let mut after = self.clone();
        if !self.status.is_final() {
            (after.status, after.expires_at) = (DeliveryStatus::Quiet, None);
        }
        after
    }

    /// Returns the delivery withdrawn, or as it is where nothing more was to be sent.
    #[must_use]
    pub fn withdrawn(&self, now: Timestamp) -> Self {
        let mut after = self.clone();
        if !self.status.is_final() {
            after.status = DeliveryStatus::Withdrawn(now);
            after.frozen = None;
        }
        after
    }
}
