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

/// How many may come due for one target in one commit and are told singly; what is more becomes a digest with few singles.
pub const AT_ONCE_MAX: usize = 20;

/// How many members have a line of their own: more than a screen shows of one popup.
pub const LINES_MAX: usize = 20;

/// How many characters of a title stand in its line.
const TITLE_CHARS_MAX: usize = 80;

/// The key in a digest's metadata that says why it was made.
pub(in crate::domain) const CAUSE: &str = "cause";

/// Why several are told at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The machine was off or asleep at their times.
    Waking,
    /// They were paused at their times.
    Pause,
    /// Nobody could be reached at their times.
    Unreached,
    /// It was quiet, or the person was away.
    Quiet,
    /// A screen appeared on which they are not shown yet.
    Screen,
    /// Very many came due at one time.
    Together,
    /// A day begins: it tells of no firing, but of what is due.
    Day,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 7] =
        [Self::Waking, Self::Pause, Self::Unreached, Self::Quiet, Self::Screen, Self::Together, Self::Day];

    /// Returns the word that SQL and programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waking => "waking",
            Self::Pause => "pause",
            Self::Unreached => "unreached",
            Self::Quiet => "quiet",
            Self::Screen => "screen",
            Self::Together => "together",
            Self::Day => "day",
        }
    }

    /// Returns the cause of a word; of another version's the commonest.
    fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word).unwrap_or(Self::Waking)
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Waking => "while the machine was off or asleep",
            Self::Pause => "while they were paused",
            Self::Unreached => "while nobody could be reached",
            Self::Quiet => "while it was quiet",
            Self::Screen => "and not seen yet",
            Self::Together => "at the same time",
            Self::Day => "today",
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
/// Where something was held for quiet hours, all is told in one digest, and one alone as itself. A digest that was held is
/// told as it is.
///
/// The most important come first: the higher priority, then what was due last, then the lower number. What was skipped is
/// in the digest always.
#[must_use]
pub fn release(target: &Target, grouped: Vec<Delivery>, setting: &Setting) -> Release {
    let was_quiet = grouped.iter().any(|delivery| delivery.status == DeliveryStatus::Quiet);
    let (digests, grouped): (Vec<Delivery>, Vec<Delivery>) = grouped.into_iter().partition(Delivery::is_digest);
    let (skips, mut firings): (Vec<Delivery>, Vec<Delivery>) = grouped.into_iter().partition(is_skip);
    sort(&mut firings);
    let singles_max = match firings.len() + skips.len() {
        2.. if was_quiet => 0,
        _ => SINGLES_MAX,
    };
    let rest = if firings.len() > singles_max { firings.split_off(singles_max) } else { Vec::new() };
    let singles = digests.into_iter().chain(firings);
    let singles = singles.map(|single| Delivery { status: DeliveryStatus::Queued, ..single }).collect();
    let told = |delivery: Delivery| Delivery { status: DeliveryStatus::Grouped, ..delivery };
    let members: Vec<Delivery> = rest.into_iter().chain(skips).map(told).collect();
    let is_paused = |delivery: &Delivery| delivery.occasion.reason == Reason::Pause;
    let cause = if was_quiet {
        Cause::Quiet
    } else if members.iter().all(is_paused) {
        Cause::Pause
    } else if members.iter().any(|member| member.occasion.late || is_skip(member)) {
        Cause::Waking
    } else if members.iter().all(|member| member.last_error.is_none()) {
        Cause::Together
    } else {
        Cause::Unreached
    };
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
        receipt: None,
    };
    Some((digest, members))
}

/// Returns the digest as it is once only `members` are left to be told: withdrawn without any, anew in its words while
/// nobody can have seen it.
#[must_use]
pub fn without_the_gone(digest: &Delivery, mut members: Vec<Delivery>, setting: &Setting) -> Delivery {
    let cause = Cause::from_word(digest.occasion.metadata.get(CAUSE).map_or("", String::as_str));
    if cause == Cause::Day {
        return digest.clone();
    }
    members.retain(|member| !member.status.is_final());
    sort(&mut members);
    let Some(priority) = members.iter().map(|member| member.message.priority).max() else {
        return digest.withdrawn(setting.now);
    };
    // What was handed out may have been sent, whatever was heard of it.
    let is_unsent = match digest.status {
        DeliveryStatus::Waiting => digest.attempts == 0,
        DeliveryStatus::Held => digest.last_error.is_none(),
        DeliveryStatus::Quiet => digest.attempts == 0 && digest.last_error.is_none(),
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
    let told = by_task(members);
    let mut lines: Vec<String> =
        told.iter().take(LINES_MAX).map(|(member, before)| line(member, *before, setting)).collect();
    let untold = told.len().saturating_sub(LINES_MAX);
    lines.extend((untold > 0).then(|| format!("and {} more", digits(untold as u64))));
    Message { number: Number(0), title: title(members, cause), body: lines.join("\n"), priority, link: None }
}

fn title(members: &[Delivery], cause: Cause) -> String {
    let skipped = members.iter().filter(|member| is_skip(member)).count();
    let came_due = members.len() - skipped;
    let (came_due_words, skipped_words) = (digits(came_due as u64), digits(skipped as u64));
    let was = if skipped == 1 { "was" } else { "were" };
    let why = cause.words();
    match (cause, came_due, skipped) {
        (Cause::Screen | Cause::Day, _, _) => format!("{came_due_words} are due {why}"),
        (Cause::Quiet, _, 0) => format!("{came_due_words} came due {why}"),
        (Cause::Quiet, 1.., _) => format!("{came_due_words} came due and {skipped_words} {was} skipped {why}"),
        (Cause::Waking | Cause::Pause | Cause::Unreached | Cause::Quiet | Cause::Together, 0, _) => {
            let reminders = if skipped == 1 { "reminder" } else { "reminders" };
            format!("{skipped_words} {reminders} {was} skipped {why}")
        }
        (Cause::Waking | Cause::Pause | Cause::Unreached | Cause::Together, _, 0) => {
            format!("{came_due_words} more came due {why}")
        }
        (Cause::Waking | Cause::Pause | Cause::Unreached | Cause::Together, _, _) => {
            format!("{came_due_words} more came due and {skipped_words} {was} skipped {why}")
        }
    }
}

/// Returns the latest of each task, and how often the task spoke before that: one that comes up all night long has one
/// line. What was skipped or warned of has its own.
fn by_task(members: &[Delivery]) -> Vec<(&Delivery, u64)> {
    let mut told: Vec<(&Delivery, u64)> = Vec::new();
    let mut places: BTreeMap<TaskId, usize> = BTreeMap::new();
    for member in members {
        let place = (!member.is_notice()).then(|| *places.entry(member.task).or_insert(told.len()));
        if let Some((latest, before)) = place.and_then(|place| told.get_mut(place)) {
            if due_at(member) > due_at(latest) {
                *latest = member;
            }
            *before += 1;
        } else {
            told.push((member, 0));
        }
    }
    told
}

fn line(member: &Delivery, before: u64, setting: &Setting) -> String {
    let message = &member.message;
    let title = one_line(&message.title);
    if is_skip(member) {
        return format!("{} {title}: {}", message.number, message.body);
    }
    if member.is_notice() {
        return format!("{} {title}", message.number);
    }
    let due = clock(due_at(member), setting.now, setting.zone);
    let times = match before {
        0 => String::new(),
        1 => ", and once before".to_owned(),
        more => format!(", and {} times before", digits(more)),
    };
    format!("{} {title}, due {due}{times}", message.number)
}

/// A title is a line of its own, whatever was typed.
pub(in crate::domain) fn one_line(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    let whole = words.join(" ");
    match whole.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::domain::occurrence::{Due, Nominal};
    use crate::domain::time::Span;

    const NOW: i64 = 1_778_700_000_000;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(NOW).expect("in range").saturating_add(Span::from_minutes(minutes))
    }

    fn setting() -> Setting {
        Setting { now: at(0), zone: Tz::UTC, device: Uuid::from_u128(77) }
    }

    /// Returns what came due so many minutes ago and is told now.
    fn late(number: u64, priority: Priority, minutes: i64) -> Delivery {
        let mut delivery = Delivery::trial(Target::desktop(), Uuid::from_u128(77), at(0));
        delivery.id.fire_id = FireId(Uuid::from_u128(number.into()));
        delivery.task = TaskId(Uuid::from_u128(number.into()));
        let (title, body) = (format!("task {number}"), "due".to_owned());
        delivery.message = Message { number: Number(number), title, body, priority, link: None };
        let due = at(-minutes);
        let due = Due { nominal: Nominal::Instant(due), at: due };
        delivery.occasion = Occasion { reason: Reason::Alert, late: true, due: Some(due), ..delivery.occasion };
        delivery.status = DeliveryStatus::Grouped;
        delivery
    }

    fn skip(number: u64) -> Delivery {
        let mut delivery = late(number, Priority::Normal, 60);
        delivery.occasion.reason = Reason::Skipped;
        delivery.message.body = "3 skipped, 10:00 to 12:00: missed".to_owned();
        delivery
    }

    fn told(release: &Release) -> String {
        let numbers = |deliveries: &[Delivery]| {
            deliveries.iter().map(|delivery| delivery.message.number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let digest = release
            .digest
            .as_ref()
            .map_or("no digest".to_owned(), |digest| format!("{}\n{}", digest.message.title, digest.message.body));
        format!("singly {}; in the digest {}\n{digest}", numbers(&release.singles), numbers(&release.members))
    }

    fn released(grouped: Vec<Delivery>) -> Release {
        release(&Target::desktop(), grouped, &setting())
    }

    #[test]
    fn three_are_told_singly() {
        let three = (1..=3).map(|number| late(number, Priority::Normal, 5)).collect();
        let released = released(three);
        assert_snapshot!(told(&released), @"
        singly 1 2 3; in the digest 
        no digest
        ");
        assert!(released.singles.iter().all(|single| single.status == DeliveryStatus::Queued));
    }

    #[test]
    fn of_more_the_most_important_are_told_singly_and_the_rest_in_one_digest() {
        let grouped = vec![
            late(1, Priority::Normal, 5),
            late(2, Priority::Low, 1),
            late(3, Priority::Normal, 90),
            late(4, Priority::High, 2000),
            late(5, Priority::Normal, 5),
            late(6, Priority::Normal, 2),
        ];
        let released = released(grouped);
        assert_snapshot!(told(&released), @"
        singly 4 6 1; in the digest 5 3 2
        3 more came due while the machine was off or asleep
        5 task 5, due 19:15
        3 task 3, due 17:50
        2 task 2, due 19:19
        ");
        let digest = released.digest.expect("more than three");
        assert!(released.members.iter().all(|member| member.digest == Some(digest.id.fire_id)));
        assert!(released.members.iter().all(|member| member.status == DeliveryStatus::Grouped));
        assert_eq!(
            (digest.status, digest.is_notice(), digest.message.how().as_str()),
            (DeliveryStatus::Queued, true, "keiko list")
        );
    }

    /// As [`late`], of what was held for quiet hours.
    fn held(number: u64, fire: u128, minutes: i64) -> Delivery {
        let mut delivery = late(number, Priority::Normal, minutes);
        delivery.id.fire_id = FireId(Uuid::from_u128(fire));
        (delivery.status, delivery.occasion.late) = (DeliveryStatus::Quiet, false);
        delivery
    }

    #[test]
    fn what_was_held_is_told_in_one_digest_and_one_alone_as_itself() {
        assert_snapshot!(told(&released(vec![held(1, 1, 60)])), @"
        singly 1; in the digest 
        no digest
        ");
        // With what came late at the same moment, and a line for each task.
        let night =
            vec![held(1, 11, 300), held(1, 12, 200), held(1, 13, 90), held(2, 2, 400), late(3, Priority::High, 5)];
        let night = released(night);
        assert_snapshot!(told(&night), @"
        singly ; in the digest 3 1 1 1 2
        5 came due while it was quiet
        3 task 3, due 19:15
        1 task 1, due 17:50, and 2 times before
        2 task 2, due 12:40
        ");
        assert!(night.members.iter().all(|member| member.status == DeliveryStatus::Grouped));
        assert_snapshot!(told(&released(vec![held(1, 1, 60), skip(2)])), @"
        singly ; in the digest 1 2
        1 came due and 1 was skipped while it was quiet
        1 task 1, due 18:20
        2 task 2: 3 skipped, 10:00 to 12:00: missed
        ");
    }

    #[test]
    fn a_digest_that_was_held_is_told_as_it_is() {
        let four = (1..=4).map(|number| late(number, Priority::Normal, 5)).collect();
        let digest = released(four).digest.expect("more than three").held_for_quiet();
        let released = released(vec![digest.clone(), held(9, 9, 60), held(8, 8, 60)]);
        assert_eq!(released.singles, [Delivery { status: DeliveryStatus::Queued, ..digest }]);
        assert_eq!(released.members.len(), 2);
    }

    #[test]
    fn what_was_skipped_is_told_in_a_digest_however_few_there_are() {
        assert_snapshot!(told(&released(vec![skip(4), late(5, Priority::Normal, 1)])), @"
        singly 5; in the digest 4
        1 reminder was skipped while the machine was off or asleep
        4 task 4: 3 skipped, 10:00 to 12:00: missed
        ");
        let both = (1..=4).map(|number| late(number, Priority::Normal, 5)).chain([skip(9), skip(8)]).collect();
        assert_snapshot!(told(&released(both)), @"
        singly 1 2 3; in the digest 4 8 9
        1 more came due and 2 were skipped while the machine was off or asleep
        4 task 4, due 19:15
        8 task 8: 3 skipped, 10:00 to 12:00: missed
        9 task 9: 3 skipped, 10:00 to 12:00: missed
        ");
    }

    #[test]
    fn a_digest_has_as_many_lines_as_can_be_read_and_counts_the_rest() {
        let many = (1..=1300).map(|number| late(number, Priority::Normal, 5)).collect();
        let digest = released(many).digest.expect("more than three");
        assert_eq!(digest.message.body.lines().count(), LINES_MAX + 1);
        assert!(digest.message.body.ends_with("\nand 1,277 more"), "{}", digest.message.body);
        assert_eq!(digest.message.title, "1,297 more came due while the machine was off or asleep");
    }

    #[test]
    fn a_title_is_one_line_of_bounded_length() {
        let mut long = late(5, Priority::Low, 5);
        long.message.title = format!("a\n b{}", "交".repeat(500));
        let grouped = (1..=3).map(|number| late(number, Priority::Normal, 5)).chain([long]).collect();
        let digest = released(grouped).digest.expect("more than three");
        assert_eq!(digest.message.body.lines().count(), 1);
        assert!(digest.message.body.chars().count() < 120, "{}", digest.message.body);
    }

    #[test]
    fn the_same_members_make_the_same_digest_in_any_order() {
        let four: Vec<Delivery> = (1..=6).map(|number| late(number, Priority::Normal, 5)).collect();
        let reversed = four.iter().rev().cloned().collect();
        let id = |grouped| released(grouped).digest.expect("more than three").id;
        assert_eq!(id(four.clone()), id(reversed));
        assert_ne!(id(four), id((2..=9).map(|number| late(number, Priority::Normal, 5)).collect()));
    }

    #[test]
    fn a_digest_forgets_who_is_gone_until_it_may_have_been_seen() {
        let six = (1..=6).map(|number| late(number, Priority::Normal, 5)).collect();
        let Release { mut members, digest, .. } = released(six);
        let waiting = Delivery { status: DeliveryStatus::Waiting, ..digest.expect("more than three") };
        members[0] = members[0].withdrawn(at(0));
        let after = without_the_gone(&waiting, members.clone(), &setting());
        assert_eq!((after.message.body.lines().count(), after.id == waiting.id), (2, true));
        let queued = Delivery { status: DeliveryStatus::Queued, ..waiting.clone() };
        assert_eq!(without_the_gone(&queued, members.clone(), &setting()), queued);
        let gone = members.iter().map(|member| member.withdrawn(at(0))).collect();
        assert_eq!(without_the_gone(&queued, gone, &setting()).status, DeliveryStatus::Withdrawn(at(0)));
    }

    #[test]
    fn what_was_paused_says_so() {
        let paused = |number| {
            let mut delivery = late(number, Priority::Normal, 5);
            delivery.occasion.reason = Reason::Pause;
            delivery
        };
        let digest = released((1..=5).map(paused).collect()).digest.expect("more than three");
        assert_eq!(digest.message.title, "2 more came due while they were paused");
    }

    #[test]
    fn on_a_screen_that_appears_few_are_shown_again_and_more_in_one_digest() {
        let due = |count: u64| (1..=count).map(|number| late(number, Priority::Normal, 5)).collect::<Vec<_>>();
        assert_eq!(shown_again(due(3), &setting()), due(3));
        let [digest] = &shown_again(due(4), &setting())[..] else { panic!("one digest") };
        assert_eq!(digest.message.title, "4 are due and not seen yet");
        assert_eq!(digest.message.body.lines().count(), 4);
        assert_eq!(shown_again(Vec::new(), &setting()), []);
    }
}
