//! What becomes of several things that are to be told at once: few are told singly, more in one digest.
//!
//! A digest has a cause, members and a line for each member. It never forgets one: what has no line is counted.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Target};
use crate::domain::message::{Message, Occasion, Reason, clock, digits};
use crate::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
use crate::domain::task::{Number, Priority, TaskId};
use crate::domain::time::Timestamp;

/// How many are told singly at most (SPEC 4): more popups than this are closed unread.
pub const SINGLES_MAX: usize = 3;

/// How many members have a line of their own: more than a screen shows of one popup.
pub const LINES_MAX: usize = 20;

/// How many characters of a title stand in its line.
const TITLE_CHARS_MAX: usize = 80;

/// The key in a digest's metadata that says why it was made.
const CAUSE: &str = "cause";

/// Why several are told at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The machine was off or asleep at their times.
    Waking,
    /// They were paused at their times.
    Pause,
    /// A screen appeared on which they are not shown yet.
    Screen,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 3] = [Self::Waking, Self::Pause, Self::Screen];

    /// Returns the word that SQL and programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waking => "waking",
            Self::Pause => "pause",
            Self::Screen => "screen",
        }
    }

    /// Returns the cause of a word; of another version's the commonest.
    fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word).unwrap_or(Self::Waking)
    }

    const fn while_words(self) -> &'static str {
        match self {
            Self::Waking => "while the machine was off or asleep",
            Self::Pause => "while they were paused",
            Self::Screen => "before this screen appeared",
        }
    }
}

/// When and where a digest is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Now.
    pub now: Timestamp,
    /// The zone in whose words it speaks.
    pub zone: Tz,
    /// This device.
    pub device: Uuid,
}

/// What becomes of what came late for one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Told singly, the most important first.
    pub singles: Vec<Delivery>,
    /// Told by the digest, in the order of its lines.
    pub members: Vec<Delivery>,
    /// The digest, where there are members.
    pub digest: Option<Delivery>,
}

/// Decides what is told singly of all that came late for `target`, and what in a digest.
///
/// The most important come first: the higher priority, then what was due last, then the lower number. What was skipped is
/// in the digest always.
#[must_use]
pub fn release(target: &Target, grouped: Vec<Delivery>, setting: &Setting) -> Release {
    let (skips, mut firings): (Vec<Delivery>, Vec<Delivery>) = grouped.into_iter().partition(is_skip);
    sort(&mut firings);
    let rest = if firings.len() > SINGLES_MAX { firings.split_off(SINGLES_MAX) } else { Vec::new() };
    let singles = firings.into_iter().map(|single| Delivery { status: DeliveryStatus::Queued, ..single }).collect();
    let members: Vec<Delivery> = rest.into_iter().chain(skips).collect();
    let is_paused = |delivery: &Delivery| delivery.occasion.reason == Reason::Pause;
    let cause = if members.iter().all(is_paused) { Cause::Pause } else { Cause::Waking };
    match digest(target, members, cause, setting) {
        None => Release { singles, members: Vec::new(), digest: None },
        Some((digest, members)) => Release { singles, members, digest: Some(digest) },
    }
}

/// Makes the digest of `members` for `target`, and binds them to it; `None` where there are no members.
#[must_use]
pub fn digest(
    target: &Target,
    mut members: Vec<Delivery>,
    cause: Cause,
    setting: &Setting,
) -> Option<(Delivery, Vec<Delivery>)> {
    sort(&mut members);
    let priority = members.iter().map(|member| member.message.priority).max()?;
    let task = task_of_digests(setting.device);
    let fire_id = fire_id(task, &members);
    for member in &mut members {
        member.digest = Some(fire_id);
    }
    let digest = Delivery {
        id: DeliveryId { fire_id, target: target.clone() },
        task,
        occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 },
        message: compose(&members, cause, priority, setting),
        occasion: Occasion {
            device: setting.device,
            reason: Reason::Digest,
            slot: Slot::DUE,
            nominal_at: setting.now,
            late: false,
            due: None,
            notes: String::new(),
            tags: Vec::new(),
            metadata: BTreeMap::from([(CAUSE.to_owned(), cause.as_str().to_owned())]),
        },
        status: DeliveryStatus::Queued,
        frozen: None,
        expires_at: None,
        attempts: 0,
        created_at: setting.now,
        last_error: None,
        digest: None,
    };
    Some((digest, members))
}

/// Returns the digest as it is once only `members` are left to be told: withdrawn without any, anew in its words while
/// nobody can have seen it.
#[must_use]
pub fn without_the_gone(digest: &Delivery, mut members: Vec<Delivery>, setting: &Setting) -> Delivery {
    members.retain(|member| !member.status.is_final());
    sort(&mut members);
    let Some(priority) = members.iter().map(|member| member.message.priority).max() else {
        return digest.withdrawn(setting.now);
    };
    // What was handed out may have been sent, whatever was heard of it.
    let is_unsent = match digest.status {
        DeliveryStatus::Waiting => digest.attempts == 0,
        DeliveryStatus::Held => digest.last_error.is_none(),
        DeliveryStatus::Queued
        | DeliveryStatus::Grouped
        | DeliveryStatus::Retrying(_)
        | DeliveryStatus::Delivered(_)
        | DeliveryStatus::Failed(_)
        | DeliveryStatus::Withdrawn(_) => false,
    };
    if !is_unsent {
        return digest.clone();
    }
    let cause = Cause::from_word(digest.occasion.metadata.get(CAUSE).map_or("", String::as_str));
    Delivery { message: compose(&members, cause, priority, setting), ..digest.clone() }
}

/// Returns what to show on a screen that appeared, of what is `due` and was shown elsewhere: few singly, more in one digest.
#[must_use]
pub fn shown_again(mut due: Vec<Delivery>, setting: &Setting) -> Vec<Delivery> {
    if due.len() > SINGLES_MAX {
        let digest = digest(&Target::desktop(), due, Cause::Screen, setting);
        return digest.map(|(digest, _)| digest).into_iter().collect();
    }
    sort(&mut due);
    due
}

/// Returns the id under which all digests of a device are shown, so that each takes the place of the one before.
#[must_use]
pub fn task_of_digests(device: Uuid) -> TaskId {
    TaskId(Uuid::new_v5(&device, b"digest"))
}

/// The same members make the same digest.
fn fire_id(task: TaskId, members: &[Delivery]) -> FireId {
    let mut ids: Vec<FireId> = members.iter().map(|member| member.id.fire_id).collect();
    ids.sort_unstable();
    let name: Vec<u8> = b"digest".iter().copied().chain(ids.iter().flat_map(|id| *id.0.as_bytes())).collect();
    FireId(Uuid::new_v5(&task.0, &name))
}

fn sort(deliveries: &mut [Delivery]) {
    deliveries.sort_by_key(|delivery| {
        let message = &delivery.message;
        (is_skip(delivery), Reverse(message.priority), Reverse(due_at(delivery)), message.number, delivery.id.fire_id)
    });
}

fn is_skip(delivery: &Delivery) -> bool {
    delivery.occasion.reason == Reason::Skipped
}

fn due_at(delivery: &Delivery) -> Timestamp {
    delivery.occasion.due.map_or(delivery.occasion.nominal_at, |due| due.at)
}

/// The members are in order already.
fn compose(members: &[Delivery], cause: Cause, priority: Priority, setting: &Setting) -> Message {
    let mut lines: Vec<String> = members.iter().take(LINES_MAX).map(|member| line(member, setting)).collect();
    let untold = members.len().saturating_sub(LINES_MAX);
    lines.extend((untold > 0).then(|| format!("and {} more", digits(untold as u64))));
    Message { number: Number(0), title: title(members, cause), body: lines.join("\n"), priority, link: None }
}

fn title(members: &[Delivery], cause: Cause) -> String {
    let skipped = members.iter().filter(|member| is_skip(member)).count();
    let came_due = members.len() - skipped;
    let (came_due_words, skipped_words) = (digits(came_due as u64), digits(skipped as u64));
    let was = if skipped == 1 { "was" } else { "were" };
    let why = cause.while_words();
    match (cause, came_due, skipped) {
        (Cause::Screen, _, _) => format!("{came_due_words} are due, told {why}"),
        (Cause::Waking | Cause::Pause, 0, _) => {
            let reminders = if skipped == 1 { "reminder" } else { "reminders" };
            format!("{skipped_words} {reminders} {was} skipped {why}")
        }
        (Cause::Waking | Cause::Pause, _, 0) => format!("{came_due_words} more came due {why}"),
        (Cause::Waking | Cause::Pause, _, _) => {
            format!("{came_due_words} more came due and {skipped_words} {was} skipped {why}")
        }
    }
}

fn line(member: &Delivery, setting: &Setting) -> String {
    let message = &member.message;
    let title = one_line(&message.title);
    if is_skip(member) {
        return format!("{} {title}: {}", message.number, message.body);
    }
    format!("{} {title}, due {}", message.number, clock(due_at(member), setting.now, setting.zone))
}

/// A title is a line of its own, whatever was typed.
fn one_line(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    let whole = words.join(" ");
    match whole.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}
