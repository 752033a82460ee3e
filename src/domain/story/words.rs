//! In which words is a sentence said? English, and the only place of a story that knows a language.

use chrono::Datelike as _;
use chrono_tz::Tz;

use crate::domain::command::Edit;
use crate::domain::delivery::{ChannelKind, DeliveryStatus};
use crate::domain::device_event::DeviceOperation;
use crate::domain::event::{Actor, SKIPPED};
use crate::domain::occurrence::{Outcome, Slot};
use crate::domain::run::{Progress, RunEnd};
use crate::domain::schedule::Rule;
use crate::domain::story::{Addition, Cause, Fold, Folded, Mark, News, Next, Ring, Said, Sentence, Standing, Why};
use crate::domain::task::Number;
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::HowFailed;

/// The most characters of a title or the like that a sentence quotes.
const QUOTED_MAX: usize = 60;

/// The reason of the steps of an undo.
const TAKEN_BACK: &str = "taken back";

/// To whom a sentence is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listener {
    /// Now; another year than this one's is named.
    pub now: Timestamp,
    /// Where the listener's clock hangs.
    pub zone: Tz,
}

/// Returns a sentence in English, without its own time.
#[must_use]
pub fn english(sentence: &Sentence, listener: Listener) -> String {
    Speaker { listener, at: sentence.at }.say(&sentence.said)
}

#[derive(Clone, Copy)]
struct Speaker {
    listener: Listener,
    /// When the sentence is set.
    at: Timestamp,
}

impl Speaker {
    fn say(self, said: &Said) -> String {
        match said {
            Said::Added(addition) => self.added(addition),
            Said::Reopened { due } => format!("brought back after it had ended{}", self.opt(", due ", *due)),
            Said::Rang(ring) => self.rang(ring),
            Said::Sent(news) => self.sent(news),
            Said::CameUp { why, is_run: true } => format!("came due{}", because(why)),
            Said::CameUp { why, is_run: false } => format!("came due in silence{}", because(why)),
            Said::Seen { is_dismissal: true, .. } => "you closed what was shown".to_owned(),
            Said::Seen { ends_nag: true, .. } => "you saw it: it nags no more, and is still to be done".to_owned(),
            Said::Seen { .. } => "you saw it: it keeps quiet, and is still to be done".to_owned(),
            Said::Snoozed { by, until, moves, repeats, swallowed, why } => {
                self.snoozed(*by, *until, (*moves, *repeats), swallowed, why)
            }
            Said::Paused { by, until, remaining, why } => self.paused(*by, *until, *remaining, why),
            Said::Resumed { by, due } => {
                let who = match by {
                    Actor::Person => "you resumed it",
                    Actor::Clock => "the pause ended by itself",
                    Actor::Daemon => "it was resumed",
                };
                format!("{who}{}", self.opt(": due moved to ", *due))
            }
            Said::Edited { by, edit, why } => {
                let who = if *by == Actor::Person { "you changed it" } else { "it was changed" };
                format!("{who}: {}{}", edited(edit), because(why))
            }
            Said::Moved { what, from, to, by, zones, why } => self.moved(*what, (*from, *to), *by, zones.as_ref(), why),
            Said::TooLateToSay { slots } => {
                format!("{} will not be said: the time had passed when it was set", alerts(slots))
            }
            Said::Altered { why } => format!("it followed: {why}"),
            Said::Failed { why } => format!("an attempt failed{}", because(why)),
            Said::Retried { by: Actor::Person } => "you had it tried again".to_owned(),
            Said::Retried { by: Actor::Clock | Actor::Daemon } => "tried again".to_owned(),
            Said::RetriedAt { at } => format!("to be tried again at {}", self.time(*at)),
            Said::RunStarted { attempt } => run_started(*attempt),
            Said::Progressed(progress) => progressed(progress),
            Said::RunEnded { end, .. } => run_ended(end),
            Said::Ended { outcome, by, early, why } => ended(*outcome, *by, *early, why),
            Said::Withdrawn { by, due, why } => self.withdrawn(*by, *due, why),
            Said::Skipped { instances, from, to, why, cause } => self.skipped(*instances, (*from, *to), why, *cause),
            Said::Missed { slots, from, why, cause, .. } => {
                format!("did not say {} at {}: {}", alerts(slots), self.time(*from), self.missed(why, *cause))
            }
            Said::DeadlinePassed { deadline } => format!("not done by its deadline{}", self.opt(", ", *deadline)),
            Said::Resent { target, why } => format!("sent to {} again{}", target.public_name(), because(why)),
            Said::Expired { target, why } => format!("not sent to {}{}", target.public_name(), because(why)),
            Said::Held { until: Some(until), why } => format!("held until {}{}", self.time(*until), because(why)),
            Said::Held { until: None, .. } => "it was held no more, and told with all that had been".to_owned(),
            Said::Followed { by } => format!("from here on {by} goes on with its series"),
            Said::WaitsSet { by, parents, delay, why } => waits_set(*by, parents, *delay, why),
            Said::ParentDone { parent } => format!("{parent}, which it waits for, was done"),
            Said::ParentFailed { parent, how } => {
                format!("{parent}, which it waits for, {}", how.map_or("will not be done", HowFailed::told))
            }
            Said::Freed { due } => format!("it waits for nothing any more{}", self.opt(": due ", *due)),
            Said::Unblocked => "you had it wait for no other task any more".to_owned(),
            Said::Deleted { by } => format!("deleted{}", by_whom(*by)),
            Said::Restored { by, was_deleted: true, .. } => {
                format!("brought back{} after it was deleted", by_whom(*by))
            }
            Said::Restored { by, edit, .. } => {
                format!("a change was taken back{}{}", by_whom(*by), because(&edited(edit)))
            }
            Said::Device(change) => self.device(change),
            Said::Folded(fold) => self.folded(fold),
            Said::Now(standing) => format!("now: {}", self.standing(standing)),
            Said::Next(next) => coming(*next),
        }
    }

    fn added(self, addition: &Addition) -> String {
        let Addition { by, schedule, due, alerts, deadline, nag, parents, runs } = addition;
        let mut text = vec![format!("added{}", by_whom(*by))];
        if matches!(schedule.rule, Rule::None) {
            text.push(", without a time".to_owned());
        } else if schedule.text.is_empty() {
            text.push(format!(", {}", kind(&schedule.rule)));
        } else {
            text.push(format!(", for {}", quoted(&schedule.text)));
        }
        text.push(self.opt(if schedule.rule.is_series() { ": first due " } else { ": due " }, *due));
        text.push(self.opt("; to be done by ", *deadline));
        let slots: Vec<Slot> = alerts.iter().map(|offset| Slot::Alert(*offset)).collect();
        if !parents.is_empty() {
            text.push(format!("; it waits for {}", list(parents.iter().map(ToString::to_string))));
        } else if due.is_none() && deadline.is_none() {
            text.push("; it does not ring".to_owned());
        } else if due.is_some() && slots.is_empty() {
            text.push(if *runs { "; its command runs then" } else { "; it has no alert" }.to_owned());
        } else if due.is_some() && slots != [Slot::DUE] {
            text.push(format!("; it rings {}", list(slots.iter().map(|slot| place(*slot)))));
        }
        if let Some(nag) = nag {
            text.push(format!("; then every {} until answered", nag.every));
        }
        text.concat()
    }

    fn skipped(self, instances: u64, (from, to): (Timestamp, Timestamp), why: &str, cause: Option<Cause>) -> String {
        let count = if instances == 1 { "once".to_owned() } else { format!("{instances} times") };
        let range = if from == to { self.time(from) } else { self.range(from, to) };
        format!("skipped {count} ({range}): {}", self.missed(why, cause))
    }

    fn rang(self, ring: &Ring) -> String {
        let what = match (ring.is_held, ring.is_again) {
            (false, false) if ring.is_run => "came up",
            (false, true) if ring.is_run => "came up again",
            (false, false) => "rang",
            (false, true) => "rang again",
            (true, _) if ring.slot == Slot::DUE && ring.why == Why::OwnTime => "came due",
            (true, _) => "its time came",
        };
        let mut text = vec![what.to_owned()];
        match ring.late_by {
            Some(late) => text.push(format!(" late, {late} after its time ({})", self.time(ring.nominal_at))),
            None if ring.why == Why::OwnTime && !ring.is_held => text.push(" on time".to_owned()),
            None => {}
        }
        let alert = alert(ring.slot);
        text.push(match ring.why {
            Why::OwnTime if ring.is_run => ", for its command".to_owned(),
            Why::OwnTime => format!(": {alert}"),
            Why::Snoozed { asked_at } => format!(": you had snoozed it{}", self.opt(" at ", asked_at)),
            Why::Paused { since: Some(since) } => format!(": {alert} fell into the pause since {}", self.time(since)),
            Why::Paused { since: None } => format!(": {alert} had not been told in its time"),
            Why::Unanswered => format!(": {alert}, since nobody had answered"),
        });
        if ring.late_by.is_some() {
            match (ring.cause, ring.why) {
                (Some(cause), _) => text.push(format!("; {}", self.cause(cause))),
                (None, Why::Paused { .. }) => {}
                (None, Why::OwnTime | Why::Snoozed { .. } | Why::Unanswered) => text.push(UNKNOWN_CAUSE.to_owned()),
            }
        }
        if !ring.swallowed.is_empty() {
            text.push(format!("; it stands for {} too", alerts(&ring.swallowed)));
        }
        text.concat()
    }

    fn sent(self, news: &News) -> String {
        let News { target, status, is_in_digest, is_late, attempts, error } = news;
        let name = target.public_name();
        let why = error.as_ref().map_or(String::new(), |error| format!(": {error}"));
        let tries = |count: u32| if count == 1 { "1 attempt".to_owned() } else { format!("{count} attempts") };
        match status {
            DeliveryStatus::Queued => format!("{name}: about to be sent"),
            DeliveryStatus::Quiet => format!("{name}: held, not told yet"),
            DeliveryStatus::Grouped if *is_late => format!("{name}: came late with others, not told yet"),
            DeliveryStatus::Grouped => format!("{name}: to be told with others, not told yet"),
            DeliveryStatus::Waiting => format!("{name}: waits until it is there{why}"),
            DeliveryStatus::Held => format!("{name}: held, since that target fails or is paused{why}"),
            DeliveryStatus::Retrying(at) => {
                format!("{name}: {} failed, the next is at {}{why}", tries(*attempts), self.time(*at))
            }
            DeliveryStatus::Delivered(_) => {
                let done = match target.kind {
                    ChannelKind::Desktop | ChannelKind::Terminal => "shown",
                    ChannelKind::Webhook
                    | ChannelKind::Telegram
                    | ChannelKind::Feishu
                    | ChannelKind::Wecom
                    | ChannelKind::Ntfy
                    | ChannelKind::Mail
                    | ChannelKind::Exec => "delivered",
                };
                let done = if *is_in_digest { format!("{done} in a digest") } else { done.to_owned() };
                match attempts.saturating_sub(1) {
                    0 => format!("{name}: {done}"),
                    failed => format!("{name}: {done}, after {} that failed", tries(failed)),
                }
            }
            DeliveryStatus::Failed(_) if *attempts == 0 => format!("{name}: given up{why}"),
            DeliveryStatus::Failed(_) => format!("{name}: given up after {}{why}", tries(*attempts)),
            DeliveryStatus::Withdrawn(_) => format!("{name}: not sent, it was wanted no more{why}"),
        }
    }

    fn snoozed(
        self,
        by: Actor,
        until: Timestamp,
        (moves, repeats): (Option<Slot>, Option<Slot>),
        swallowed: &[Slot],
        why: &str,
    ) -> String {
        let length = until.since(self.at);
        let mut text = vec![match by {
            Actor::Person => format!("you snoozed it until {}", self.time(until)),
            Actor::Clock | Actor::Daemon => format!("its snooze goes until {}", self.time(until)),
        }];
        if length.is_positive() {
            text.push(format!(", for {length}"));
        }
        if let Some(slot) = moves {
            text.push(format!(", before it had rung: that moves {}", alert(slot)));
        }
        if let Some(slot) = repeats {
            text.push(format!(", before it had rung: it rings then, and {} at its own time as well", alert(slot)));
        }
        let others: Vec<Slot> = swallowed.iter().filter(|slot| Some(**slot) != moves).copied().collect();
        if !others.is_empty() {
            text.push(format!("; {} will not be said", alerts(&others)));
        }
        text.push(because(why));
        text.concat()
    }

    fn paused(self, by: Actor, until: Option<Timestamp>, remaining: Option<Span>, why: &str) -> String {
        let mut text = vec![match by {
            Actor::Person if why.is_empty() => "you paused it".to_owned(),
            Actor::Person | Actor::Clock | Actor::Daemon => "it went to sleep".to_owned(),
        }];
        text.push(because(why));
        text.push(until.map_or(", until it is resumed".to_owned(), |until| format!(", until {}", self.time(until))));
        text.extend(remaining.map(|left| format!("; {left} remained until due")));
        text.concat()
    }

    fn moved(
        self,
        what: Mark,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        by: Actor,
        zones: Option<&(String, String)>,
        why: &str,
    ) -> String {
        let what = match what {
            Mark::Due => "its time",
            Mark::Deadline => "its deadline",
        };
        let why = match (zones, by) {
            (Some((from, to)), _) => format!(": the zone changed from {from} to {to}"),
            (None, Actor::Person) if why.is_empty() => ": you changed it".to_owned(),
            (None, Actor::Person | Actor::Clock | Actor::Daemon) => because(why),
        };
        match (from, to) {
            (Some(from), Some(to)) => format!("{what} moved from {}{why}", self.range(from, to)),
            (None, Some(to)) => format!("{what} is {} now{why}", self.time(to)),
            (Some(from), None) => format!("{what}, {}, was taken away{why}", self.time(from)),
            (None, None) => format!("{what} changed{why}"),
        }
    }

    fn withdrawn(self, by: Actor, due: Option<Timestamp>, why: &str) -> String {
        let one = due.map_or("the open one".to_owned(), |due| format!("the one of {}", self.time(due)));
        match by {
            Actor::Person if why == SKIPPED => format!("you skipped {one}"),
            Actor::Person if why == TAKEN_BACK => format!("{one} was taken back by you"),
            Actor::Person | Actor::Clock | Actor::Daemon => format!("{one} was taken back{}", because(why)),
        }
    }

    fn missed(self, why: &str, cause: Option<Cause>) -> String {
        let missed = if why == "missed" { "missed, only the latest rings" } else { why };
        match cause {
            Some(cause) => format!("{missed}; {}", self.cause(cause)),
            None => missed.to_owned(),
        }
    }

    fn cause(self, cause: Cause) -> String {
        match cause {
            Cause::Slept { from, to } => format!("the machine slept from {}", self.range(from, to)),
            Cause::Stepped { from, to } => {
                format!("the clock was set forward from {}", self.range(from, to))
            }
        }
    }

    fn device(self, change: &DeviceOperation) -> String {
        match change {
            DeviceOperation::ClockStepped { from, to } => {
                let way = if from < to { "forward" } else { "back" };
                format!("the clock was set {way} from {}", self.range(*from, *to))
            }
            DeviceOperation::Slept { from, to } => {
                format!("the machine slept from {}", self.range(*from, *to))
            }
            DeviceOperation::ZoneChanged { from, to } => format!("the zone changed from {from} to {to}"),
            DeviceOperation::AwaySet { from, to, .. } => format!("you said to be away from {}", self.range(*from, *to)),
            DeviceOperation::AwayEnded => "you said to be away no more".to_owned(),
        }
    }

    fn folded(self, fold: &Fold) -> String {
        let Fold { count, rings, to, of } = fold;
        let until = self.time(*to);
        match of {
            Folded::Rings => format!("… {count} more such rings until {until}"),
            Folded::Occurrences { outcome } => {
                let each = match outcome {
                    Some(Outcome::Done) => ", done each time",
                    Some(Outcome::Unanswered) => ", unanswered each time",
                    Some(Outcome::Undelivered | Outcome::RetriesExhausted | Outcome::Cancelled | Outcome::Skipped)
                    | None => "",
                };
                let plural = if *rings == 1 { "ring" } else { "rings" };
                format!("… {count} more times alike until {until}{each} ({rings} {plural})")
            }
        }
    }

    fn standing(self, standing: &Standing) -> String {
        match standing {
            Standing::Waiting { told } => told.clone(),
            Standing::NoTime => "it has no time, and does not ring".to_owned(),
            Standing::Ahead { due: Some(due) } if *due <= self.at => format!("due since {}", self.time(*due)),
            Standing::Ahead { due } => format!("scheduled{}", self.opt(", due ", *due)),
            Standing::Snoozed { until } => format!("snoozed until {}", self.time(*until)),
            Standing::Missed { due } => {
                format!("missed{}, and not made up for: it rings no more by itself", self.opt(" at ", *due))
            }
            Standing::Runs { since } => format!("its command runs, or is about to, since {}", self.time(*since)),
            Standing::Due { since, seen_at: None } => format!("due since {}, not answered", self.time(*since)),
            Standing::Due { since, seen_at: Some(seen) } => {
                format!("due since {}; it keeps quiet since you saw it at {}", self.time(*since), self.time(*seen))
            }
            Standing::Paused { since, until, remaining } => {
                let left = remaining.map_or(String::new(), |left| format!("; {left} remained until due"));
                let until =
                    until.map_or(", until it is resumed".to_owned(), |until| format!(" until {}", self.time(until)));
                format!("paused since {}{until}{left}", self.time(*since))
            }
            Standing::Failed { at } => format!("failed at {}", self.time(*at)),
            Standing::Ended { at, outcome } => format!("{}, at {}", end(*outcome), self.time(*at)),
        }
    }

    fn opt(self, before: &str, at: Option<Timestamp>) -> String {
        at.map_or(String::new(), |at| format!("{before}{}", self.time(at)))
    }

    /// Returns two times; the second names its day where the first is of another, or it would be taken for that one's.
    fn range(self, from: Timestamp, to: Timestamp) -> String {
        format!("{} to {}", self.time(from), Self { at: from, ..self }.time(to))
    }

    /// Returns `09:00` of the sentence's own day, else `Tue 5 May 09:00`, with the year where it is another.
    fn time(self, at: Timestamp) -> String {
        let Listener { now, zone } = self.listener;
        let local = at.in_zone(zone);
        let clock = if at.as_millis() % 60_000 == 0 { "%H:%M" } else { "%H:%M:%S" };
        let day = if local.date_naive() == self.at.in_zone(zone).date_naive() {
            ""
        } else if local.year() == now.in_zone(zone).year() {
            "%a %-d %b "
        } else {
            "%a %-d %b %Y "
        };
        local.format(&format!("{day}{clock}")).to_string()
    }
}

/// What is said of lateness of which nothing is on record.
const UNKNOWN_CAUSE: &str =
    "; nothing on record says why: keikod did not run then, the machine was off or asleep, or its clock was set";

const fn by_whom(by: Actor) -> &'static str {
    match by {
        Actor::Person => " by you",
        Actor::Clock => " by the clock",
        Actor::Daemon => "",
    }
}

fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

fn waits_set(by: Actor, parents: &[Number], delay: Option<Span>, why: &str) -> String {
    let parents = list(parents.iter().map(ToString::to_string));
    let who = match by {
        Actor::Person => "you set what it waits for",
        Actor::Clock | Actor::Daemon => "it waits anew",
    };
    let delay = delay.map_or(String::new(), |delay| format!(", and {delay} more"));
    format!("{who}: {parents}{delay}{}", because(why))
}

const fn kind(rule: &Rule) -> &'static str {
    match rule {
        Rule::None => "without a time",
        Rule::Once(_) => "for one time",
        Rule::Countdown(_) => "as a countdown",
        Rule::Interval(_) => "at an interval",
        Rule::Calendar(_) => "as a repetition",
        Rule::Cron(_) => "as cron has it",
        Rule::AfterDone(_) => "to repeat after each completion",
    }
}

/// Returns an alert as a thing: `the alert 1h before due`.
fn alert(slot: Slot) -> String {
    match slot {
        Slot::Nag(n) => format!("nag {n}"),
        Slot::Alert(_) | Slot::Deadline(_) => format!("the alert {}", place(slot)),
    }
}

fn alerts(slots: &[Slot]) -> String {
    list(slots.iter().map(|slot| alert(*slot)))
}

fn place(slot: Slot) -> String {
    let relative = |offset: Span, mark: &str| {
        let length = Span::from_millis(offset.as_millis().abs());
        match offset {
            Span::ZERO => format!("at {mark}"),
            _ if offset.is_positive() => format!("{length} after {mark}"),
            _ => format!("{length} before {mark}"),
        }
    };
    match slot {
        Slot::Alert(Span::ZERO) => "when due".to_owned(),
        Slot::Alert(offset) => relative(offset, "due"),
        Slot::Deadline(offset) => relative(offset, "the deadline"),
        Slot::Nag(n) => format!("as nag {n}"),
    }
}

fn list(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    match words.pop() {
        None => "nothing".to_owned(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} and {last}", words.join(", ")),
    }
}

fn edited(edit: &Edit) -> String {
    let mut changes = Vec::new();
    let mut note = |what: Option<String>| changes.extend(what);
    note(edit.title.as_ref().map(|title| format!("the title is {}", quoted(title))));
    note(edit.schedule.as_ref().map(|schedule| {
        if schedule.text.is_empty() { "when it comes up".to_owned() } else { format!("for {}", quoted(&schedule.text)) }
    }));
    note(edit.alerts.as_ref().map(|alerts| {
        if alerts.is_empty() {
            "no alert".to_owned()
        } else {
            format!("it rings {}", list(alerts.iter().map(|offset| place(Slot::Alert(*offset)))))
        }
    }));
    let named = [
        (edit.notes.is_some(), "the notes"),
        (edit.link.is_some(), "the link"),
        (edit.priority.is_some(), "the priority"),
        (edit.tags.is_some(), "the tags"),
        (edit.metadata.is_some(), "the metadata"),
        (edit.targets.is_some(), "where it is said"),
        (edit.max_retries.is_some(), "how often it is tried again"),
        (edit.max_late.is_some(), "how late it may be"),
        (edit.missed.is_some(), "what becomes of missed times"),
        (edit.nag.is_some(), "whether it nags"),
        (edit.auto_done.is_some(), "whether it is done once delivered"),
        (edit.deadline.is_some(), "the deadline"),
    ];
    changes.extend(named.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name.to_owned()));
    list(changes.into_iter())
}

fn ended(outcome: Outcome, by: Actor, early: Option<Span>, why: &str) -> String {
    let early = early.map_or(String::new(), |left| format!(", {left} before due"));
    match (outcome, by) {
        (Outcome::Done, Actor::Person) if why.is_empty() => format!("you did it{early}"),
        (Outcome::Done, Actor::Person | Actor::Clock | Actor::Daemon) => format!("done{early}{}", because(why)),
        (Outcome::Unanswered, _) => "closed unanswered, when the next one was due".to_owned(),
        (Outcome::Undelivered, _) => format!("closed undelivered{}", because(why)),
        (Outcome::RetriesExhausted, _) => format!("ended as failed{}", because(why)),
        (Outcome::Cancelled, Actor::Person) => format!("you cancelled it{early}{}", because(why)),
        (Outcome::Cancelled, Actor::Clock | Actor::Daemon) => format!("cancelled{early}{}", because(why)),
        (Outcome::Skipped, Actor::Person) => format!("you skipped it{early}{}", because(why)),
        (Outcome::Skipped, Actor::Clock | Actor::Daemon) => format!("passed over{early}{}", because(why)),
    }
}

const fn end(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Unanswered => "closed unanswered",
        Outcome::Undelivered => "ended, and reached nobody",
        Outcome::RetriesExhausted => "ended as failed",
        Outcome::Cancelled => "cancelled",
        Outcome::Skipped => "passed over",
    }
}

fn coming(next: Next) -> String {
    match next {
        Next::Alert(slot @ Slot::Nag(_)) => format!("next: {}, unless it is answered", alert(slot)),
        Next::Alert(slot @ (Slot::Alert(_) | Slot::Deadline(_))) => format!("next: {}", alert(slot)),
        Next::Snoozed(slot) => format!("next: {} again, as snoozed", alert(slot)),
        Next::Successor { speaks_early: false } => "next: the one behind it is due".to_owned(),
        Next::Successor { speaks_early: true } => "next: the one behind it speaks early".to_owned(),
        Next::Silence => "next: due, in silence".to_owned(),
        Next::Runs => "next: its command runs".to_owned(),
        Next::Resumes => "next: the pause ends by itself".to_owned(),
        Next::Freed => "next: it comes up once what it waits for is done".to_owned(),
        Next::Nothing => "next: nothing comes by itself".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED_MAX).collect();
    if text.chars().nth(QUOTED_MAX).is_some() {
        short.push('…');
    }
    format!("\"{short}\"")
}

fn run_started(attempt: u32) -> String {
    match attempt {
        0 => "its command was started, since you asked for it".to_owned(),
        1 => "its command was started".to_owned(),
        attempt => format!("its command was started, attempt {attempt}"),
    }
}

fn progressed(Progress { percent, text }: &Progress) -> String {
    let what = if text.is_empty() { String::new() } else { format!(": {text}") };
    format!("its command was at {percent} %{what}")
}

fn run_ended(end: &RunEnd) -> String {
    match end {
        end if end.is_success() => "its command succeeded".to_owned(),
        end @ (RunEnd::Stopped | RunEnd::Withdrawn) => format!("its command was {end}"),
        end => format!("its command failed: {end}"),
    }
}
