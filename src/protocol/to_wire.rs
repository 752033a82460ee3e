//! What does a program see of the domain? Domain values to wire values.

use std::fmt::Write as _;

use chrono::{FixedOffset, NaiveDateTime, Offset};
use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::Delivery;
use crate::domain::event::{Event, Snapshot};
use crate::domain::occurrence::{Nominal, Occurrence, OccurrenceName, Outcome};
use crate::domain::schedule::{Every, Rule, Schedule};
use crate::domain::stage::stage;
use crate::domain::state::{State, StateName};
use crate::domain::task::{Priority, Task};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::protocol::{SCHEMA_VERSION, objects};

pub mod agenda;
mod device;
pub mod ops;
pub mod outgoing;
pub mod run;
pub mod story;
mod values;

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
        number: task.number.typed(),
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
        waits_for: task.waits.parents.iter().map(|parent| parent.number.typed()).collect(),
        blocked_by: if snapshot.is_waiting() {
            task.waits.failed().map(|(number, _)| number.typed()).collect()
        } else {
            Vec::new()
        },
        channels: task.details.targets.iter().map(ToString::to_string).collect(),
        command: task.details.command.as_deref().map(run::command),
        timeout_s: timeout_s(task),
        auto_done: task.policy.auto_done,
        nag_ms: task.policy.nag.map(|nag| nag.every.as_millis()),
        missed: task.policy.missed.as_str().to_owned(),
        max_late_s: task.details.max_late.map(|late| late.as_millis() / 1000),
        attempts: deliveries.iter().map(|delivery| delivery.attempts).max().unwrap_or(0),
        max_retries: match &task.details.command {
            Some(_) => task.runs_max() - 1,
            None => task.attempts_max().map_or(0, |attempts| attempts - 1),
        },
        priority: priority(task.details.priority),
        tags: task.details.tags.clone(),
        metadata: task.details.metadata.clone(),
        late: standing.is_late,
        outcome: standing.outcome.map(|outcome| outcome_word(outcome).to_owned()),
        last_error: deliveries.iter().rev().find_map(|delivery| delivery.last_error.clone()),
        device: view.device.to_string(),
        delay_ms: task.waits.delay.map(Span::as_millis),
        on_parent_fail: (!task.waits.is_none()).then(|| task.waits.on_fail.as_str().to_owned()),
        follows: task.follows.map(|other| other.number.typed()),
        followed_by: task.followed_by.map(|other| other.number.typed()),
        progress: None,
        deadline_alerts: deadline_alerts(task),
        nag_max: task.policy.nag.map(|nag| nag.max),
    }
}

fn timeout_s(task: &Task) -> Option<i64> {
    task.details.command.as_ref()?.timeout.map(|limit| limit.as_millis() / 1000)
}

fn deadline_alerts(task: &Task) -> Vec<String> {
    task.deadline.iter().flat_map(|deadline| &deadline.alerts).map(|offset| span(*offset)).collect()
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
        task: Some(event.snapshot.task.number.typed()),
        task_id: Some(event.snapshot.task.id.to_string()),
        occurrence: Some(name(event.snapshot.occurrence.name())),
        device: event.device.to_string(),
        actor: event.actor.as_str().to_owned(),
        at: time(event.at, view.zone),
        operation: event.operation.name().to_owned(),
        values: values::values(&event.operation, view.zone),
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
