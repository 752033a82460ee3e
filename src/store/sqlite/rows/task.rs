//! How a task lies in its row. It never knows how occurrences do.

use std::collections::BTreeMap;

use chrono::NaiveTime;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::occurrence::{Instance, OccurrenceKey};
use crate::domain::schedule::{AfterDone, Calendar, Cron, Every, Interval, Rule, Schedule};
use crate::domain::task::{Deadline, DeadlineTime, Details, Missed, Nag, Number, Policy, Task, TaskId, TaskLink};
use crate::domain::time::{Span, Timestamp};
use crate::store::sqlite::rows::run::ProgramRow;
use crate::store::sqlite::rows::waits::WaitsRow;
use crate::store::sqlite::rows::{
    RowError, instant, local, local_text, nominal, nominal_text, outcome, outcome_word, priority, required, timestamp,
    zone,
};

/// A task, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct TaskRow {
    pub(crate) id: Uuid,
    pub(crate) number: u64,
    pub(crate) version: u64,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) notes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
    pub(crate) priority: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) metadata: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<TargetRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_retries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_late_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) alerts_ms: Vec<i64>,
    pub(crate) schedule: ScheduleRow,
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub(crate) missed: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nag: Option<NagRow>,
    #[serde(default)]
    pub(crate) auto_done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<DeadlineRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<WaitsRow>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<InstanceRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_ended: Option<InstanceRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous_outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) follows: Option<LinkRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) followed_by: Option<LinkRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<ProgramRow>,
}

impl TaskRow {
    pub(crate) fn from_task(task: &Task) -> Self {
        let details = &task.details;
        Self {
            id: task.id.0,
            number: task.number.0,
            version: task.version,
            title: details.title.clone(),
            notes: details.notes.clone(),
            link: details.link.clone(),
            priority: details.priority.as_str().to_owned(),
            tags: details.tags.clone(),
            metadata: details.metadata.clone(),
            targets: details.targets.iter().map(TargetRow::from_target).collect(),
            max_retries: details.max_retries,
            max_late_ms: details.max_late.map(Span::as_millis),
            alerts_ms: task.alerts.iter().map(|span| span.as_millis()).collect(),
            schedule: ScheduleRow::from_schedule(&task.schedule),
            missed: task.policy.missed.as_str().to_owned(),
            nag: task.policy.nag.map(NagRow::from_nag),
            auto_done: task.policy.auto_done,
            deadline: task.deadline.as_ref().map(DeadlineRow::from_deadline),
            waits: WaitsRow::from_waits(&task.waits),
            created_at: task.created_at.as_millis(),
            updated_at: task.updated_at.as_millis(),
            cursor: task.cursor.as_ref().map(InstanceRow::from_instance),
            last_ended: task.last_ended.as_ref().map(InstanceRow::from_instance),
            previous_outcome: task.previous.map(|outcome| outcome_word(outcome).to_owned()),
            follows: task.follows.map(LinkRow::from_link),
            followed_by: task.followed_by.map(LinkRow::from_link),
            deleted_at: task.deleted_at.map(Timestamp::as_millis),
            command: details.command.as_deref().map(ProgramRow::from_program),
        }
    }

    pub(crate) fn into_task(self) -> Result<Task, RowError> {
        Ok(Task {
            id: TaskId(self.id),
            number: Number(self.number),
            details: Details {
                title: self.title,
                notes: self.notes,
                link: self.link,
                priority: priority(&self.priority)?,
                tags: self.tags,
                metadata: self.metadata,
                targets: self.targets.into_iter().map(TargetRow::into_target).collect::<Result<_, _>>()?,
                command: self.command.map(ProgramRow::into_program).transpose()?.map(Box::new),
                max_retries: self.max_retries,
                max_late: self.max_late_ms.map(Span::from_millis),
            },
            schedule: self.schedule.into_schedule()?,
            alerts: self.alerts_ms.into_iter().map(Span::from_millis).collect(),
            policy: Policy {
                missed: missed(&self.missed)?,
                nag: self.nag.map(NagRow::into_nag),
                auto_done: self.auto_done,
            },
            deadline: self.deadline.map(DeadlineRow::into_deadline).transpose()?,
            waits: self.waits.map(WaitsRow::into_waits).transpose()?.unwrap_or_default(),
            version: self.version,
            created_at: timestamp("created_at", self.created_at)?,
            updated_at: timestamp("updated_at", self.updated_at)?,
            cursor: self.cursor.map(InstanceRow::into_instance).transpose()?,
            last_ended: self.last_ended.map(InstanceRow::into_instance).transpose()?,
            previous: self.previous_outcome.map(|word| outcome("previous_outcome", &word)).transpose()?,
            follows: self.follows.map(LinkRow::into_link),
            followed_by: self.followed_by.map(LinkRow::into_link),
            deleted_at: self.deleted_at.map(|at| timestamp("deleted_at", at)).transpose()?,
        })
    }
}

fn once() -> String {
    Missed::Once.as_str().to_owned()
}

fn is_once(word: &str) -> bool {
    word == Missed::Once.as_str()
}

fn time_of_day(text: &str) -> Result<NaiveTime, RowError> {
    text.parse().map_err(|_| RowError::unknown("schedule_after_done", text))
}

/// Returns the rule for missed times of a word.
pub(crate) fn missed(word: &str) -> Result<Missed, RowError> {
    Missed::from_word(word).ok_or_else(|| RowError::unknown("missed", word))
}

/// A nag, as columns and as JSON.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct NagRow {
    pub(crate) every_ms: i64,
    pub(crate) max: u32,
}

impl NagRow {
    pub(crate) fn from_nag(nag: Nag) -> Self {
        Self { every_ms: nag.every.as_millis(), max: nag.max }
    }

    pub(crate) fn into_nag(self) -> Nag {
        Nag { every: Span::from_millis(self.every_ms), max: self.max }
    }
}

/// Another task, as JSON.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct LinkRow {
    id: Uuid,
    number: u64,
}

impl LinkRow {
    pub(crate) fn from_link(link: TaskLink) -> Self {
        Self { id: link.id.0, number: link.number.0 }
    }

    pub(crate) fn into_link(self) -> TaskLink {
        TaskLink { id: TaskId(self.id), number: Number(self.number) }
    }
}

/// A deadline, as JSON: of one time, or so long after each due.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeadlineRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_due_ms: Option<i64>,
    alerts_ms: Vec<i64>,
}

impl DeadlineRow {
    pub(crate) fn from_deadline(deadline: &Deadline) -> Self {
        let (at, after_due_ms) = match deadline.time {
            DeadlineTime::At(nominal) => (Some(nominal_text(nominal)), None),
            DeadlineTime::AfterDue(span) => (None, Some(span.as_millis())),
        };
        Self { at, after_due_ms, alerts_ms: deadline.alerts.iter().map(|span| span.as_millis()).collect() }
    }

    pub(crate) fn into_deadline(self) -> Result<Deadline, RowError> {
        let time = match self.at {
            Some(at) => DeadlineTime::At(nominal("deadline", &at)?),
            None => DeadlineTime::AfterDue(Span::from_millis(required("deadline", self.after_due_ms)?)),
        };
        Ok(Deadline { time, alerts: self.alerts_ms.into_iter().map(Span::from_millis).collect() })
    }
}

/// A rule that counts from completions, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct AfterDoneRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    every_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    months: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

impl AfterDoneRow {
    fn from_rule(rule: &AfterDone) -> Self {
        let bare = Self { every_ms: None, days: None, months: None, at: rule.at.map(|at| at.to_string()) };
        match rule.every {
            Every::Span(span) => Self { every_ms: Some(span.as_millis()), ..bare },
            Every::Days(days) => Self { days: Some(days), ..bare },
            Every::Months(months) => Self { months: Some(months), ..bare },
        }
    }

    fn every(&self) -> Result<Every, RowError> {
        let span = self.every_ms.map(|every| Every::Span(Span::from_millis(every)));
        let every = span.or(self.days.map(Every::Days)).or(self.months.map(Every::Months));
        required("schedule_after_done", every)
    }
}

/// A target, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct TargetRow {
    pub(crate) channel: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) address: String,
}

impl TargetRow {
    pub(crate) fn from_target(target: &Target) -> Self {
        Self { channel: target.kind.as_str().to_owned(), address: target.address.clone() }
    }

    pub(crate) fn into_target(self) -> Result<Target, RowError> {
        let kind =
            ChannelKind::from_word(&self.channel).ok_or_else(|| RowError::unknown("channel", self.channel.clone()))?;
        Ok(Target { kind, address: self.address })
    }
}

/// A schedule, as columns and as JSON. What `from` and `until` are, a local time or an instant, depends on the kind.
#[derive(Serialize, Deserialize)]
pub(crate) struct ScheduleRow {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rrule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cron: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) every_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after_done: Option<AfterDoneRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<u32>,
}

impl ScheduleRow {
    pub(crate) fn from_schedule(schedule: &Schedule) -> Self {
        let bare = Self {
            text: schedule.text.clone(),
            kind: schedule.rule.kind().to_owned(),
            zone: schedule.zone.map(|zone| zone.name().to_owned()),
            rrule: None,
            cron: None,
            every_ms: None,
            after_done: None,
            from: None,
            until: None,
            count: None,
        };
        match &schedule.rule {
            Rule::None => bare,
            Rule::Once(local) => Self { from: Some(local_text(*local)), ..bare },
            Rule::Countdown(at) => Self { from: Some(at.to_string()), ..bare },
            Rule::Interval(interval) => Self {
                every_ms: Some(interval.every.as_millis()),
                from: Some(interval.from.to_string()),
                until: interval.until.map(|until| until.to_string()),
                count: interval.count,
                ..bare
            },
            Rule::Calendar(calendar) => Self {
                rrule: Some(calendar.rrule.clone()),
                from: Some(local_text(calendar.from)),
                until: calendar.until.map(local_text),
                count: calendar.count,
                ..bare
            },
            Rule::Cron(cron) => Self {
                cron: Some(cron.expression.clone()),
                from: Some(local_text(cron.from)),
                until: cron.until.map(local_text),
                count: cron.count,
                ..bare
            },
            Rule::AfterDone(rule) => Self {
                after_done: Some(AfterDoneRow::from_rule(rule)),
                from: Some(nominal_text(rule.from)),
                until: rule.until.map(|until| until.to_string()),
                count: rule.count,
                ..bare
            },
        }
    }

    pub(crate) fn into_schedule(self) -> Result<Schedule, RowError> {
        let zone = self.zone.as_deref().map(|name| zone("schedule_zone", name)).transpose()?;
        let from = || required("schedule_from", self.from.as_deref());
        let until = self.until.as_deref();
        let rule = match self.kind.as_str() {
            "none" => Rule::None,
            "once" => Rule::Once(local("schedule_from", from()?)?),
            "countdown" => Rule::Countdown(instant("schedule_from", from()?)?),
            "interval" => Rule::Interval(Interval {
                every: Span::from_millis(required("schedule_every_ms", self.every_ms)?),
                from: instant("schedule_from", from()?)?,
                count: self.count,
                until: until.map(|text| instant("schedule_until", text)).transpose()?,
            }),
            "calendar" => Rule::Calendar(Calendar {
                from: local("schedule_from", from()?)?,
                count: self.count,
                until: until.map(|text| local("schedule_until", text)).transpose()?,
                rrule: required("schedule_rrule", self.rrule)?,
            }),
            "cron" => Rule::Cron(Cron {
                from: local("schedule_from", from()?)?,
                count: self.count,
                until: until.map(|text| local("schedule_until", text)).transpose()?,
                expression: required("schedule_cron", self.cron)?,
            }),
            "after_done" => {
                let row = required("schedule_after_done", self.after_done.as_ref())?;
                Rule::AfterDone(AfterDone {
                    every: row.every()?,
                    at: row.at.as_deref().map(time_of_day).transpose()?,
                    from: nominal("schedule_from", from()?)?,
                    count: self.count,
                    until: until.map(|text| instant("schedule_until", text)).transpose()?,
                })
            }
            word => return Err(RowError::unknown("schedule_kind", word)),
        };
        Ok(Schedule { text: self.text, rule, zone })
    }
}

/// An instance of a rule, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct InstanceRow {
    pub(crate) key: String,
    pub(crate) nominal: String,
    pub(crate) due_at: i64,
}

impl InstanceRow {
    fn from_instance(instance: &Instance) -> Self {
        Self {
            key: instance.key.to_string(),
            nominal: nominal_text(instance.nominal),
            due_at: instance.due.as_millis(),
        }
    }

    fn into_instance(self) -> Result<Instance, RowError> {
        Ok(Instance {
            key: key("cursor_key", &self.key)?,
            nominal: nominal("cursor_nominal", &self.nominal)?,
            due: timestamp("cursor_due_at", self.due_at)?,
        })
    }
}

/// Returns the occurrence key of a text.
pub(crate) fn key(field: &'static str, text: &str) -> Result<OccurrenceKey, RowError> {
    text.parse().map_err(|_| RowError::unknown(field, text))
}
