//! How do tasks stand in an iCalendar file? Each is a to-do with an alarm for each time that it speaks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chrono_tz::Tz;

use crate::cli::exchange::ical::line::{escaped, push};
use crate::cli::exchange::ical::read::{ALERTS, UID};
use crate::cli::exchange::ical::zone::push_zone;
use crate::cli::exchange::{left_out, length, without_form};
use crate::domain::time::Timestamp;
use crate::protocol::PROGRAM_VERSION;
use crate::protocol::objects::{Priority, Task, Time};

/// A file, and what of which tasks does not stand in it.
pub(crate) struct Written {
    /// The file.
    pub(crate) text: String,
    /// A remark for each task of which something is left out.
    pub(crate) remarks: Vec<String>,
}

/// Writes tasks.
pub(crate) fn calendar(tasks: &[Task], now: Timestamp) -> Written {
    let mut out = String::new();
    push(&mut out, "BEGIN", "VCALENDAR");
    push(&mut out, "VERSION", "2.0");
    push(&mut out, "PRODID", &format!("-//Keiko//Keiko {PROGRAM_VERSION}//EN"));
    for (zone, span) in zones(tasks, now) {
        push_zone(&mut out, zone, span);
    }
    let names: BTreeMap<u64, String> = tasks.iter().map(|task| (task.number, uid(task))).collect();
    let mut remarks = Vec::new();
    for task in tasks {
        push_task(&mut out, task, &names, &mut remarks);
        remarks.extend(left_out(task, &without_form(task, &names), "iCalendar"));
    }
    push(&mut out, "END", "VCALENDAR");
    Written { text: out, remarks }
}

/// Returns what a task is called in calendars: as it was when it came from one, else its id.
fn uid(task: &Task) -> String {
    task.metadata.get(UID).cloned().unwrap_or_else(|| task.id.clone())
}

/// Returns the zones that tasks are bound to, each with its earliest and latest time.
fn zones(tasks: &[Task], now: Timestamp) -> Vec<(Tz, (Timestamp, Timestamp))> {
    let names: BTreeSet<&str> =
        tasks.iter().filter(|task| is_zoned(task)).map(|task| task.schedule.zone.as_str()).collect();
    let zones = names.into_iter().filter_map(|name| name.parse::<Tz>().ok());
    zones
        .map(|zone| {
            let of_zone = tasks.iter().filter(|task| task.schedule.zone == zone.name());
            let times = of_zone.filter_map(due).map(Time::instant).chain([now]);
            let times: Vec<Timestamp> = times.collect();
            let first = times.iter().min().copied().unwrap_or(now);
            (zone, (first, times.into_iter().max().unwrap_or(now)))
        })
        .collect()
}

/// Returns when the open time of a task is due; of a series by its rule, wherever a person moved it.
fn due(task: &Task) -> Option<Time> {
    task.occurrence.moved_from.filter(|_| rule(task).is_some()).or(task.due_at)
}

/// Returns whether its times are those of a clock in one zone.
fn is_zoned(task: &Task) -> bool {
    is_local(task) && !task.schedule.floating && task.schedule.zone != "UTC"
}

/// Returns whether its times are what a clock shows, rather than instants.
fn is_local(task: &Task) -> bool {
    matches!(task.schedule.kind.as_str(), "once" | "calendar" | "cron" | "after_done")
}

/// Pushes a time as the task has it: floating, of a zone, or an instant.
fn push_time(out: &mut String, name: &str, task: &Task, at: Time) {
    match task.schedule.zone.parse::<Tz>() {
        Ok(zone) if is_zoned(task) => {
            let local = at.instant().local(zone).format("%Y%m%dT%H%M%S").to_string();
            push(out, &format!("{name};TZID={}", zone.name()), &local);
        }
        Ok(zone) if is_local(task) && task.schedule.floating => {
            push(out, name, &at.instant().local(zone).format("%Y%m%dT%H%M%S").to_string());
        }
        Ok(_) | Err(_) => push(out, name, &utc(at)),
    }
}

fn utc(at: Time) -> String {
    at.instant().to_utc().format("%Y%m%dT%H%M%SZ").to_string()
}

fn push_task(out: &mut String, task: &Task, names: &BTreeMap<u64, String>, remarks: &mut Vec<String>) {
    push(out, "BEGIN", "VTODO");
    push(out, "UID", &escaped(&uid(task)));
    push(out, "DTSTAMP", &utc(task.updated_at));
    push(out, "CREATED", &utc(task.created_at));
    push(out, "LAST-MODIFIED", &utc(task.updated_at));
    push(out, "SUMMARY", &escaped(&task.title));
    if !task.notes.is_empty() {
        push(out, "DESCRIPTION", &escaped(&task.notes));
    }
    if let Some(link) = &task.link {
        // A URI has no line breaks, whatever was typed.
        push(out, "URL", &link.replace(char::is_control, ""));
    }
    if !task.tags.is_empty() {
        let tags: Vec<String> = task.tags.iter().map(|tag| escaped(tag)).collect();
        push(out, "CATEGORIES", &tags.join(","));
    }
    match task.priority {
        Priority::High => push(out, "PRIORITY", "1"),
        Priority::Normal => {}
        Priority::Low => push(out, "PRIORITY", "9"),
    }
    push(out, "STATUS", status(task));
    if let Some(ended) = task.ended_at.filter(|_| task.state == "COMPLETED") {
        push(out, "COMPLETED", &utc(ended));
    }
    let has_start = push_times(out, task, remarks);
    for parent in task.waits_for.iter().filter_map(|number| names.get(number)) {
        push(out, "RELATED-TO;RELTYPE=DEPENDS-ON", &escaped(parent));
    }
    push_alarms(out, task, has_start);
    push(out, "END", "VTODO");
}

fn status(task: &Task) -> &'static str {
    match task.state.as_str() {
        "COMPLETED" => "COMPLETED",
        "CANCELLED" => "CANCELLED",
        _ => "NEEDS-ACTION",
    }
}

/// Pushes when it comes up; returns whether alarms count from a beginning, as those of a series do.
fn push_times(out: &mut String, task: &Task, remarks: &mut Vec<String>) -> bool {
    let Some(due) = due(task) else { return false };
    let Some(rule) = rule(task) else {
        if task.is_series() {
            let what = if task.schedule.cron.is_some() { "a cron rule" } else { "a rule that counts from completions" };
            remarks.push(format!(
                "{} {}: {what} has no form in iCalendar, only its next time is there",
                task.number, task.title
            ));
        }
        push_time(out, "DUE", task, due);
        return false;
    };
    // A rule with a count counts from its first time, any other goes on from the next.
    let start = if task.schedule.count.is_some() { task.schedule.from.unwrap_or(due) } else { due };
    push_time(out, "DTSTART", task, start);
    push(out, "RRULE", &rule);
    true
}

/// Returns the rule of a series, where iCalendar knows such.
fn rule(task: &Task) -> Option<String> {
    let schedule = &task.schedule;
    let mut rule = match schedule.kind.as_str() {
        "calendar" => schedule.rrule.clone()?,
        "interval" => {
            let seconds = schedule.every_ms.filter(|every| every % 1000 == 0)? / 1000;
            let units = [(3600, "HOURLY"), (60, "MINUTELY"), (1, "SECONDLY")];
            let (size, unit) = units.into_iter().find(|(size, _)| seconds % size == 0)?;
            format!("FREQ={unit};INTERVAL={}", seconds / size)
        }
        _ => return None,
    };
    if let Some(count) = schedule.count {
        let _ = write!(rule, ";COUNT={count}");
    } else if let Some(until) = schedule.until {
        let zone = schedule.zone.parse::<Tz>().ok().filter(|_| is_local(task) && schedule.floating);
        // As DTSTART is: local where that floats, else in UTC (RFC 5545 §3.3.10).
        let until = match zone {
            Some(zone) => until.instant().local(zone).format("%Y%m%dT%H%M%S").to_string(),
            None => utc(until),
        };
        let _ = write!(rule, ";UNTIL={until}");
    }
    Some(rule)
}

fn push_alarms(out: &mut String, task: &Task, has_start: bool) {
    if task.due_at.is_none() {
        return;
    }
    let told = if task.alerts.is_empty() { "none".to_owned() } else { task.alerts.join(" ") };
    push(out, ALERTS, &told);
    // Without a beginning an alarm can count only from the end (RFC 5545 §3.8.6.3).
    let name = if has_start { "TRIGGER" } else { "TRIGGER;RELATED=END" };
    for seconds in task.alerts.iter().filter_map(|alert| length::of_alert(alert)) {
        push(out, "BEGIN", "VALARM");
        push(out, "ACTION", "DISPLAY");
        push(out, "DESCRIPTION", &escaped(&task.title));
        push(out, name, &length::duration(seconds));
        push(out, "END", "VALARM");
    }
}
