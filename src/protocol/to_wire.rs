//! What does a program see of the domain? Domain values to wire values.

use std::fmt::Write as _;

use chrono::{FixedOffset, NaiveDateTime, Offset};
use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::delivery::Delivery;
use crate::domain::event::{Event, Firing, Operation, Snapshot};
use crate::domain::occurrence::{Due, Nominal, Occurrence, OccurrenceName, Outcome, Slot};
use crate::domain::run::RunEnd;
use crate::domain::schedule::{Every, Rule, Schedule};
use crate::domain::stage::stage;
use crate::domain::state::{Snooze, State, StateName};
use crate::domain::task::{DeadlineTime, Priority};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::waiting::{Parent, Wait};
use crate::protocol::{SCHEMA_VERSION, objects};

pub mod agenda;
mod device;
pub mod ops;
pub mod outgoing;
pub mod story;

pub use crate::protocol::to_wire::device::any_event;

/// How many next times a task and a reading tell.
pub const NEXT_MAX: usize = 3;

/// How a device shows what it tells: its time, its zone, its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// The device's time.
    pub now: Timestamp,
    /// The device's zone: all times carry its offset.
    pub zone: Tz,
    /// The device.
    pub device: Uuid,
}

/// What a phrase was found to mean, in the domain's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Understood<'a> {
    /// When it comes up; [`Rule::None`] where no time was found.
    pub schedule: &'a Schedule,
    /// When it is first due.
    pub due: Option<Timestamp>,
    /// When it speaks, relative to due.
    pub alerts: &'a [Span],
    /// How fine the time is.
    pub grain: Option<&'a str>,
    /// Where in the text the time's words are.
    pub span: Option<(usize, usize)>,
    /// What is left of the sentence.
    pub title: &'a str,
    /// What was assumed.
    pub note: Option<String>,
}

/// Returns an instant with the offset of `zone`.
///
/// RFC 3339 knows whole minutes of offset and years of four digits; where a zone has seconds, or its year is the
/// 10000th, the offset gives way and the instant stays.
#[must_use]
pub fn time(at: Timestamp, zone: Tz) -> objects::Time {
    let utc = at.to_utc();
    let offset = utc.with_timezone(&zone).offset().fix();
    let minutes = FixedOffset::east_opt(offset.local_minus_utc() / 60 * 60).unwrap_or(offset);
    let shown = utc.with_timezone(&minutes);
    let is_within = chrono::Datelike::year(&shown) <= 9999;
    let utc_offset = FixedOffset::east_opt(0).unwrap_or(minutes);
    objects::Time(if is_within { shown } else { utc.with_timezone(&utc_offset) })
}

/// How much is told, where the whole would cost too much in a long list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// A task without the times behind its open occurrence, an event without its task.
    Brief,
    /// All of it.
    Full,
}

/// Returns a task with its present occurrence. `deliveries` are that occurrence's, as far as they are at hand.
#[must_use]
pub fn task(snapshot: &Snapshot, deliveries: &[Delivery], detail: Detail, view: View) -> objects::Task {
    let (task, occurrence) = (&snapshot.task, &snapshot.occurrence);
    let told = |at: Timestamp| time(at, view.zone);
    let standing = Standing::of(occurrence);
    objects::Task {
        number: task.number.0,
        id: task.id.to_string(),
        key: None,
        title: task.details.title.clone(),
        notes: task.details.notes.clone(),
        link: task.details.link.clone(),
        state: occurrence.state.name().as_str().to_owned(),
        stage: stage(snapshot, view.now, view.zone).into_owned(),
        version: task.version,
        created_at: told(task.created_at),
        updated_at: told(task.updated_at),
        due_at: occurrence.due_at().map(told),
        scheduled_at: snapshot.speaks_at().map(told),
        started_at: standing.started_at.map(told),
        ended_at: standing.ended_at.map(told),
        snoozed_until: standing.snoozed_until.map(told),
        paused_until: standing.paused_until.map(told),
        remaining_ms: standing.remaining.map(Span::as_millis),
        schedule: schedule(&task.schedule, view.zone),
        occurrence: objects::Occurrence {
            key: occurrence.key.to_string(),
            generation: occurrence.generation,
            acked_at: standing.acked_at.map(told),
            moved_from: occurrence.moved_from.map(|by_rule| told(by_rule.at)),
        },
        next: next(snapshot, detail, view).into_iter().map(told).collect(),
        deadline_at: occurrence.deadline.map(|deadline| told(deadline.at)),
        alerts: task.alerts.iter().map(|offset| span(*offset)).collect(),
        waits_for: task.waits.parents.iter().map(|parent| parent.number.0).collect(),
        blocked_by: if snapshot.is_waiting() {
            task.waits.failed().map(|(number, _)| number.0).collect()
        } else {
            Vec::new()
        },
        channels: task.details.targets.iter().map(ToString::to_string).collect(),
        command: None,
        timeout_s: None,
        auto_done: task.policy.auto_done,
        nag_ms: task.policy.nag.map(|nag| nag.every.as_millis()),
        missed: task.policy.missed.as_str().to_owned(),
        max_late_s: task.details.max_late.map(|late| late.as_millis() / 1000),
        attempts: deliveries.iter().map(|delivery| delivery.attempts).max().unwrap_or(0),
        max_retries: task.attempts_max().map_or(0, |attempts| attempts - 1),
        priority: priority(task.details.priority),
        tags: task.details.tags.clone(),
        metadata: task.details.metadata.clone(),
        late: standing.is_late,
        outcome: standing.outcome.map(|outcome| outcome_word(outcome).to_owned()),
        last_error: deliveries.iter().rev().find_map(|delivery| delivery.last_error.clone()),
        device: view.device.to_string(),
        delay_ms: task.waits.delay.map(Span::as_millis),
        on_parent_fail: (!task.waits.is_none()).then(|| task.waits.on_fail.as_str().to_owned()),
        follows: task.follows.map(|other| other.number.0),
        followed_by: task.followed_by.map(|other| other.number.0),
    }
}

/// Returns an event; in full with the task as it then was.
#[must_use]
pub fn event(seq: u64, event: &Event, detail: Detail, view: View) -> objects::Event {
    let snapshot = match detail {
        Detail::Brief => None,
        // The task is told as of the event, so its stage is that of then.
        Detail::Full => Some(Box::new(task(&event.snapshot, &[], Detail::Brief, View { now: event.at, ..view }))),
    };
    objects::Event {
        event_id: event.event_id.to_string(),
        seq,
        op_id: event.op_id.to_string(),
        task: Some(event.snapshot.task.number.0),
        task_id: Some(event.snapshot.task.id.to_string()),
        occurrence: Some(name(event.snapshot.occurrence.name())),
        device: event.device.to_string(),
        actor: event.actor.as_str().to_owned(),
        at: time(event.at, view.zone),
        operation: event.operation.name().to_owned(),
        values: values(&event.operation, view.zone),
        from: event.from.map(state_word),
        to: event.to.map(state_word),
        late: event.is_late(),
        reason: event.reason.clone(),
        snapshot,
    }
}

/// Returns what a phrase means. `text` is what was read, at `now`, in `zone`.
#[must_use]
pub fn reading(text: &str, understood: &Understood<'_>, now: Timestamp, zone: Tz) -> objects::Reading {
    let told = |at: Timestamp| time(at, zone);
    let wire = schedule(understood.schedule, zone);
    let first_alert = understood.alerts.iter().copied().min().unwrap_or(Span::ZERO);
    let mut next: Vec<Timestamp> = understood.due.into_iter().collect();
    let behind = next.first().copied().unwrap_or(now).max(now);
    next.extend(following(understood.schedule, None, behind, zone));
    objects::Reading {
        schema_version: SCHEMA_VERSION,
        text: text.to_owned(),
        at: understood.due.map(|due| told(due.saturating_add(first_alert).max(now.min(due)))),
        due: understood.due.map(told),
        until: wire.until,
        rrule: rule(understood.schedule),
        cron: wire.cron,
        every_ms: wire.every_ms,
        next: next.into_iter().take(NEXT_MAX).map(told).collect(),
        alerts: understood.alerts.iter().map(|offset| span(*offset)).collect(),
        title: understood.title.to_owned(),
        grain: understood.grain.map(str::to_owned),
        zone: wire.zone,
        span: understood.span,
        note: understood.note.clone(),
        error: None,
    }
}

/// Returns a repetition whole, as RFC 5545 writes it: with its COUNT and UNTIL (a local time), intervals too.
fn rule(schedule: &Schedule) -> Option<String> {
    const UNITS: [(i64, &str); 3] = [(3_600_000, "HOURLY"), (60_000, "MINUTELY"), (1000, "SECONDLY")];
    let (rrule, count, until) = match &schedule.rule {
        Rule::None | Rule::Once(_) | Rule::Countdown(_) => return None,
        Rule::Interval(interval) => {
            let every = interval.every.as_millis();
            // Intervals shorter than a second cannot be made.
            let (unit, frequency) = UNITS.into_iter().find(|(unit, _)| every % unit == 0)?;
            let until = interval.until.map(|until| until.to_utc().format("%Y%m%dT%H%M%SZ").to_string());
            (format!("FREQ={frequency};INTERVAL={}", every / unit), interval.count, until)
        }
        Rule::Calendar(calendar) => {
            let until = calendar.until.map(|until| until.format("%Y%m%dT%H%M%S").to_string());
            (brief(&calendar.rrule), calendar.count, until)
        }
        // Cron is said in its own field, and what counts from completions in no rule of RFC 5545.
        Rule::Cron(_) | Rule::AfterDone(_) => return None,
    };
    let count = count.map_or(String::new(), |count| format!(";COUNT={count}"));
    let until = until.map_or(String::new(), |until| format!(";UNTIL={until}"));
    Some(rrule + &count + &until)
}

/// Returns a rule without the parts that a time on the full hour or minute does not need; its `from` has them.
fn brief(rrule: &str) -> String {
    let without_seconds = rrule.strip_suffix(";BYSECOND=0").unwrap_or(rrule);
    without_seconds.strip_suffix(";BYMINUTE=0").unwrap_or(without_seconds).to_owned()
}

/// Returns the reading of a text in which no time was found, and why.
#[must_use]
pub fn unread(text: &str, title: &str, error: &str, span: Option<(usize, usize)>, zone: Tz) -> objects::Reading {
    objects::Reading {
        schema_version: SCHEMA_VERSION,
        text: text.to_owned(),
        at: None,
        due: None,
        until: None,
        rrule: None,
        cron: None,
        every_ms: None,
        next: Vec::new(),
        alerts: Vec::new(),
        title: title.to_owned(),
        grain: None,
        zone: zone.name().to_owned(),
        span,
        note: None,
        error: Some(error.to_owned()),
    }
}

/// Returns when a task comes up. `device` is where it floats.
#[must_use]
pub fn schedule(schedule: &Schedule, device: Tz) -> objects::Schedule {
    let zone = schedule.zone.unwrap_or(device);
    let local = |local: NaiveDateTime| resolve(local, zone).map(|(at, _)| time(at, device));
    let told = |at: Timestamp| time(at, device);
    let mut wire = objects::Schedule {
        text: schedule.text.clone(),
        kind: schedule.rule.kind().to_owned(),
        rrule: None,
        cron: None,
        every_ms: None,
        zone: zone.name().to_owned(),
        floating: schedule.zone.is_none(),
        from: None,
        until: None,
        count: None,
    };
    match &schedule.rule {
        Rule::None | Rule::Once(_) => {}
        // An instant follows no zone.
        Rule::Countdown(_) => wire.floating = false,
        Rule::Interval(interval) => {
            wire.floating = false;
            wire.every_ms = Some(interval.every.as_millis());
            wire.from = Some(told(interval.from));
            wire.until = interval.until.map(told);
            wire.count = interval.count;
        }
        Rule::Calendar(calendar) => {
            wire.rrule = Some(brief(&calendar.rrule));
            wire.from = local(calendar.from);
            wire.until = calendar.until.and_then(local);
            wire.count = calendar.count;
        }
        Rule::Cron(cron) => {
            wire.cron = Some(cron.expression.clone());
            wire.from = local(cron.from);
            wire.until = cron.until.and_then(local);
            wire.count = cron.count;
        }
        Rule::AfterDone(rule) => {
            let (every_ms, repeat) = match rule.every {
                Every::Span(span) => (Some(span.as_millis()), None),
                Every::Days(days) => (None, Some(format!("FREQ=DAILY;INTERVAL={days}"))),
                Every::Months(months) => (None, Some(format!("FREQ=MONTHLY;INTERVAL={months}"))),
            };
            wire.every_ms = every_ms;
            wire.rrule = repeat;
            wire.from = match rule.from {
                Nominal::Local(from) => local(from),
                Nominal::Instant(from) => Some(told(from)),
            };
            wire.until = rule.until.map(told);
            wire.count = rule.count;
        }
    }
    wire
}

/// Returns a span with each of its units, so that nothing is lost: `0`, `-1h`, `+1d2h30m`.
#[must_use]
pub fn span(span: Span) -> String {
    const UNITS: [(u64, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let mut rest = span.as_millis().unsigned_abs();
    if rest == 0 {
        return "0".to_owned();
    }
    let mut text = if span.is_positive() { "+" } else { "-" }.to_owned();
    for (unit, name) in UNITS {
        if rest >= unit {
            write!(text, "{}{name}", rest / unit).expect("writing to a string does not fail");
            rest %= unit;
        }
    }
    text
}

/// Returns the word of a priority.
#[must_use]
pub const fn priority(priority: Priority) -> objects::Priority {
    match priority {
        Priority::Low => objects::Priority::Low,
        Priority::Normal => objects::Priority::Normal,
        Priority::High => objects::Priority::High,
    }
}

/// Returns the word of an outcome.
#[must_use]
pub const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Unanswered => "unanswered",
        Outcome::Undelivered => "undelivered",
        Outcome::RetriesExhausted => "retries_exhausted",
        Outcome::Cancelled => "cancelled",
        Outcome::Skipped => "skipped",
    }
}

/// What each state says for the task's fields.
#[derive(Default)]
struct Standing {
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    snoozed_until: Option<Timestamp>,
    paused_until: Option<Timestamp>,
    remaining: Option<Span>,
    acked_at: Option<Timestamp>,
    is_late: bool,
    outcome: Option<Outcome>,
}

impl Standing {
    fn of(occurrence: &Occurrence) -> Self {
        match &occurrence.state {
            State::Created | State::Failed(_) => Self::default(),
            State::Pending(pending) => Self {
                // What a pause left over is not what a person calls a snooze.
                snoozed_until: pending.snooze.filter(|snooze| snooze.is_chosen).map(|snooze| snooze.until),
                ..Self::default()
            },
            State::Running(running) => Self {
                started_at: Some(running.fired_at),
                acked_at: running.acked_at,
                snoozed_until: running.snooze.filter(|snooze| snooze.is_chosen).map(|snooze| snooze.until),
                is_late: running.late,
                ..Self::default()
            },
            State::Suspended(suspended) => {
                let successor_at = occurrence.successor_at.filter(|_| suspended.is_this_only);
                let paused_until = suspended.until.into_iter().chain(successor_at).min();
                Self { paused_until, remaining: suspended.remaining, ..Self::default() }
            }
            State::Completed(ended) | State::Cancelled(ended) => {
                Self { ended_at: Some(ended.at), outcome: Some(ended.outcome), ..Self::default() }
            }
        }
    }
}

/// Returns the next times: the open occurrence while it is ahead, then what the rule gives behind it.
fn next(snapshot: &Snapshot, detail: Detail, view: View) -> Vec<Timestamp> {
    let occurrence = &snapshot.occurrence;
    if occurrence.has_ended() {
        return Vec::new();
    }
    let open = occurrence.due_at().filter(|due| *due > view.now);
    let behind = open.unwrap_or(view.now);
    let later = match detail {
        Detail::Brief => Vec::new(),
        Detail::Full => following(&snapshot.task.schedule, snapshot.task.cursor.as_ref(), behind, view.zone),
    };
    open.into_iter().chain(later).take(NEXT_MAX).collect()
}

/// Returns the instances of a series after `behind`.
fn following(
    schedule: &Schedule,
    cursor: Option<&crate::domain::occurrence::Instance>,
    behind: Timestamp,
    zone: Tz,
) -> Vec<Timestamp> {
    if !schedule.rule.is_series() {
        return Vec::new();
    }
    let instances = schedule.instances(cursor, behind, zone);
    instances.map(|instance| instance.due).filter(|due| *due > behind).take(NEXT_MAX).collect()
}

fn name(name: OccurrenceName) -> objects::OccurrenceName {
    objects::OccurrenceName { key: name.key.to_string(), generation: name.generation }
}

fn state_word(state: StateName) -> String {
    state.as_str().to_owned()
}

/// Returns the operation's own values, so that a program can follow without comparing snapshots.
fn values(operation: &Operation, zone: Tz) -> objects::Json {
    use serde_json::json;
    let told = |at: Timestamp| time(at, zone);
    match operation {
        Operation::Added(snapshot) | Operation::Restored(snapshot) => json!({
            "title": snapshot.task.details.title,
            "schedule": schedule(&snapshot.task.schedule, zone),
            "due_at": snapshot.occurrence.due_at().map(told),
        }),
        Operation::Opened(occurrence) | Operation::Moved(occurrence) | Operation::Freed(occurrence) => {
            opened(occurrence, zone)
        }
        Operation::WaitsSet(waits) => json!({
            "waits_for": waits.parents.iter().map(|parent| parent.number.0).collect::<Vec<_>>(),
            "delay_ms": waits.delay.map(Span::as_millis),
            "on_parent_fail": waits.on_fail.as_str(),
        }),
        Operation::ParentDone(parent) | Operation::ParentFailed(parent) => came_to(parent, zone),
        Operation::Spoke(firing) | Operation::Fired(firing) => fired(firing, zone),
        Operation::Suspended(suspended) => json!({
            "pause_id": suspended.id,
            "until": suspended.until.map(told),
            "remaining_ms": suspended.remaining.map(Span::as_millis),
            "snooze": suspended.snooze.map(|snooze| snoozed(&snooze, zone)),
            "this_only": suspended.is_this_only,
        }),
        Operation::Snoozed { snooze, swallowed } => {
            let mut values = snoozed(snooze, zone);
            values["swallowed"] = slots(swallowed).into();
            values
        }
        Operation::Resumed { due, snooze } => json!({
            "due_at": due.map(|due: Due| told(due.at)),
            "snooze": snooze.map(|snooze| snoozed(&snooze, zone)),
        }),
        Operation::Edited(edit) => edited(edit, zone),
        Operation::Followed { by, schedule: left } => json!({
            "followed_by": by.number.0,
            "schedule": schedule(left, zone),
        }),
        Operation::Completed(outcome) | Operation::Cancelled(outcome) => json!({ "outcome": outcome_word(*outcome) }),
        Operation::PassedOver { instances, from, to } => {
            json!({ "instances": instances, "from": told(*from), "to": told(*to) })
        }
        Operation::Missed { slots: missed, from, to } => {
            json!({ "slots": slots(missed), "from": told(*from), "to": told(*to) })
        }
        Operation::Acked { is_dismissal } => json!({ "dismissal": is_dismissal }),
        Operation::Held { until } => json!({ "until": until.map(told) }),
        Operation::Resent { fire_id, target } | Operation::Expired { fire_id, target } => {
            json!({ "fire_id": fire_id.to_string(), "target": target.to_string() })
        }
        Operation::Armed
        | Operation::Started
        | Operation::Unblocked
        | Operation::Deleted
        | Operation::DeadlinePassed
        | Operation::Failed
        | Operation::Withdrawn => json!({}),
        Operation::Retried { at } => json!({ "at": at.map(told) }),
        Operation::RunStarted { attempt } => json!({ "attempt": attempt }),
        Operation::Progressed(progress) => json!({ "percent": progress.percent, "text": progress.text }),
        Operation::RunEnded { attempt, end } => run_ended(*attempt, end),
    }
}

fn run_ended(attempt: u32, end: &RunEnd) -> objects::Json {
    let (how, code, error) = run_end(end);
    serde_json::json!({ "attempt": attempt, "how": how, "code": code, "error": error })
}

/// Returns the word for how a run ended, its exit status or signal, and why it was not started.
pub(crate) fn run_end(end: &RunEnd) -> (&'static str, Option<i32>, Option<&str>) {
    match end {
        RunEnd::Exit(status) => ("exit", Some(*status), None),
        RunEnd::Signal(signal) => ("signal", Some(*signal), None),
        RunEnd::TimedOut => ("timed_out", None, None),
        RunEnd::NotStarted { error } => ("not_started", None, Some(error)),
        RunEnd::Interrupted => ("interrupted", None, None),
        RunEnd::Stopped => ("stopped", None, None),
        RunEnd::Withdrawn => ("withdrawn", None, None),
    }
}

/// Returns what became of a task that another waits for: of its next time, where the open one is free already.
fn came_to(parent: &Parent, zone: Tz) -> objects::Json {
    let (occurrence, how, at) = match parent.ahead.unwrap_or(parent.wait) {
        Wait::Awaited => (None, None, None),
        Wait::Met(met) => (Some(met.occurrence.to_string()), None, Some(met.at)),
        Wait::Failed(failure) => (None, Some(failure.how.as_str()), Some(failure.at)),
    };
    serde_json::json!({
        "parent": parent.number.0,
        "parent_id": parent.id.to_string(),
        "occurrence": occurrence,
        "how": how,
        "at": at.map(|at| time(at, zone)),
        "for_next": parent.ahead.is_some(),
    })
}

fn opened(occurrence: &Occurrence, zone: Tz) -> objects::Json {
    serde_json::json!({
        "key": occurrence.key.to_string(),
        "generation": occurrence.generation,
        "due_at": occurrence.due_at().map(|at| time(at, zone)),
        "moved_from": occurrence.moved_from.map(|by_rule| time(by_rule.at, zone)),
        "successor_at": occurrence.successor_at.map(|at| time(at, zone)),
    })
}

fn fired(firing: &Firing, zone: Tz) -> objects::Json {
    serde_json::json!({
        "fire_id": firing.fire_id.to_string(),
        "slot": slot(firing.slot),
        "nominal_at": time(firing.nominal_at, zone),
        "late": firing.late,
        "swallowed": slots(&firing.swallowed),
    })
}

fn snoozed(snooze: &Snooze, zone: Tz) -> objects::Json {
    serde_json::json!({
        "snooze_id": snooze.id,
        "until": time(snooze.until, zone),
        "slot": slot(snooze.slot),
        "chosen": snooze.is_chosen,
    })
}

fn slots(slots: &[Slot]) -> Vec<String> {
    slots.iter().map(|each| slot(*each)).collect()
}

fn slot(slot: Slot) -> String {
    match slot {
        Slot::Alert(offset) => span(offset),
        Slot::Deadline(Span::ZERO) | Slot::Nag(_) => slot.to_string(),
        Slot::Deadline(offset) => format!("deadline{}", span(offset)),
    }
}

fn deadline_word(deadline: DeadlineTime, zone: Tz) -> String {
    match deadline {
        DeadlineTime::At(Nominal::Local(local)) => local.format("%Y-%m-%dT%H:%M:%S").to_string(),
        DeadlineTime::At(Nominal::Instant(at)) => time(at, zone).to_string(),
        DeadlineTime::AfterDue(after) => span(after),
    }
}

fn edited(edit: &Edit, zone: Tz) -> objects::Json {
    let mut values = serde_json::Map::new();
    let mut set = |name: &str, value: Option<objects::Json>| {
        if let Some(value) = value {
            values.insert(name.to_owned(), value);
        }
    };
    set("title", edit.title.clone().map(Into::into));
    set("notes", edit.notes.clone().map(Into::into));
    set("link", edit.link.clone().map(Into::into));
    set("priority", edit.priority.map(|each| serde_json::json!(priority(each))));
    set("tags", edit.tags.clone().map(Into::into));
    set("metadata", edit.metadata.as_ref().map(|metadata| serde_json::json!(metadata)));
    set("channels", edit.targets.as_ref().map(|targets| targets.iter().map(ToString::to_string).collect()));
    set("max_retries", edit.max_retries.map(Into::into));
    set("max_late_s", edit.max_late.map(|late| late.map(|late| late.as_millis() / 1000).into()));
    set("schedule", edit.schedule.as_ref().map(|each| serde_json::json!(schedule(each, zone))));
    set("missed", edit.missed.map(|missed| missed.as_str().into()));
    set("nag_ms", edit.nag.map(|nag| nag.map(|nag| nag.every.as_millis()).into()));
    set("auto_done", edit.auto_done.map(Into::into));
    set("deadline", edit.deadline.as_ref().map(|new| new.as_ref().map(|new| deadline_word(new.time, zone)).into()));
    set("alerts", edit.alerts.as_ref().map(|alerts| alerts.iter().map(|offset| span(*offset)).collect()));
    objects::Json::Object(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(millis: i64, zone: &str, expected: &str) {
        let zone: Tz = zone.parse().expect("a zone of the test's own");
        let at = Timestamp::from_millis(millis).expect("in range");
        let told = time(at, zone);
        assert_eq!((told.to_string().as_str(), told.instant()), (expected, at));
    }

    #[test]
    fn a_time_carries_the_offset_of_the_zone_and_keeps_its_instant() {
        check(1_778_702_400_000, "America/New_York", "2026-05-13T16:00:00-04:00");
        check(1_778_702_400_250, "UTC", "2026-05-13T20:00:00.250+00:00");
        check(0, "America/New_York", "1969-12-31T19:00:00-05:00");
        // Monrovia was 44 minutes and 30 seconds behind.
        check(0, "Africa/Monrovia", "1969-12-31T23:16:00-00:44");
        check(Timestamp::MAX.as_millis(), "Asia/Tokyo", "9999-12-31T23:59:59.999+00:00");
    }

    #[test]
    fn a_span_keeps_every_unit() {
        assert_eq!(span(Span::ZERO), "0");
        assert_eq!(span(Span::from_minutes(-60)), "-1h");
        assert_eq!(span(Span::from_millis(93_784_005)), "+1d2h3m4s5ms");
    }
}
