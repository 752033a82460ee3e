//! Taskwarrior's JSON, as `task export` writes and `task import` reads it: which of it Keiko keeps, and how its tasks stand in it.
//!
//! The attributes are those of <https://taskwarrior.org/docs/design/task/>.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDateTime;
use serde_json::{Map, Value, json};

use crate::cli::exchange::ical::read::{Here, tag_of};
use crate::cli::exchange::{Draft, Entry, Found, left_out, length, without_form};
use crate::domain::time::Timestamp;
use crate::protocol::methods::Add;
use crate::protocol::objects::{Priority, Task, Time};

/// Under which name a task keeps what it was called in Taskwarrior.
pub(crate) const UUID: &str = "taskwarrior_uuid";

/// Under which name a task keeps its project.
const PROJECT: &str = "taskwarrior_project";

/// What says nothing that Keiko does not know by itself, or what follows from the rest.
const OWN: [&str; 12] = [
    "id",
    "uuid",
    "urgency",
    "status",
    "description",
    "entry",
    "modified",
    "mask",
    "imask",
    "rtype",
    "template",
    "last",
];

/// Reads a file: a list, or one object a line.
///
/// # Errors
/// It is no JSON of that form.
pub(crate) fn entries(text: &str, here: Here) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    let tasks: Vec<(String, Value)> = if text.starts_with('[') {
        let list: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        list.into_iter().enumerate().map(|(index, task)| (format!("task {}", index + 1), task)).collect()
    } else {
        let mut tasks = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim().trim_end_matches(',');
            if !line.is_empty() {
                let task = serde_json::from_str(line).unwrap_or_else(|error| json!(error.to_string()));
                tasks.push((format!("line {}", index + 1), task));
            }
        }
        tasks
    };
    let templates: BTreeSet<String> = tasks
        .iter()
        .filter(|(_, task)| task["status"] == "recurring")
        .filter_map(|(_, task)| task["uuid"].as_str().map(str::to_owned))
        .collect();
    Ok(tasks.into_iter().map(|(place, task)| entry(place, &task, &templates, here)).collect())
}

fn entry(place: String, task: &Value, templates: &BTreeSet<String>, here: Here) -> Entry {
    let Value::Object(task) = task else {
        let why = match task {
            Value::String(error) => error.clone(),
            _ => "expected a JSON object".to_owned(),
        };
        return Entry { uid: place.clone(), place, found: Found::Refused(why) };
    };
    let text = |name: &str| task.get(name).and_then(Value::as_str).map(str::to_owned);
    let (uid, title) = (text("uuid").unwrap_or_default(), text("description").unwrap_or_default());
    let short: String = title.chars().take(60).collect();
    let place = if short.is_empty() { place } else { format!("{place} ({short})") };
    let found = Reader { task, here, remarks: Vec::new() }.found(&uid, &title, templates);
    Entry { place, uid, found: found.unwrap_or_else(Found::Refused) }
}

struct Reader<'a> {
    task: &'a Map<String, Value>,
    here: Here,
    remarks: Vec<String>,
}

impl Reader<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.task.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn time(&self, name: &str) -> Result<Option<Timestamp>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let wrong = || format!("cannot read {name} {text:?}: expected a time such as 20261213T090000Z");
        let forms = ["%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%M:%SZ"];
        let read = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()).ok_or_else(wrong)?;
        Timestamp::from_utc(read.and_utc()).map(Some).ok_or_else(wrong)
    }

    fn found(mut self, uid: &str, title: &str, templates: &BTreeSet<String>) -> Result<Found, String> {
        if uuid::Uuid::parse_str(uid).is_err() {
            return Err(format!("expected a UUID in uuid, found {uid:?}"));
        }
        if title.trim().is_empty() {
            return Err("it has no description".to_owned());
        }
        match self.text("status").unwrap_or("pending") {
            "completed" => return Ok(Found::LeftOut("done")),
            "deleted" => return Ok(Found::LeftOut("deleted")),
            "pending" | "waiting" | "recurring" => {}
            other => return Err(format!("cannot read status {other:?}")),
        }
        if self.text("parent").is_some_and(|parent| templates.contains(parent)) {
            return Ok(Found::LeftOut("a time of a series that is in the file"));
        }
        let mut add = self.details(uid, title);
        let is_template = self.text("status") == Some("recurring");
        let due = match self.time("due")? {
            Some(due) => Some(due),
            None => self.time("scheduled")?,
        };
        match (self.text("recur"), due) {
            (Some(recur), Some(due)) if is_template => {
                let recur = recur.to_owned();
                self.repeat(&mut add, &recur, due)?;
            }
            (_, Some(due)) if due <= self.here.now => {
                let told = due.in_zone(self.here.zone).format("%Y-%m-%d %H:%M").to_string();
                let note = format!("was due {told}");
                add.notes = Some(add.notes.take().map_or_else(|| note.clone(), |notes| format!("{notes}\n{note}")));
                self.remarks.push(format!("it was due {told}, which has passed"));
            }
            (_, Some(due)) => add.at = Some(self.phrase(due)),
            (_, None) => {}
        }
        self.remark();
        let waits = depends(self.task.get("depends"));
        Ok(Found::Task(Box::new(Draft { add, waits, remarks: self.remarks })))
    }

    fn details(&self, uid: &str, title: &str) -> Add {
        let mut tags: Vec<String> = self.task.get("tags").and_then(Value::as_array).map_or_else(Vec::new, |tags| {
            tags.iter().filter_map(Value::as_str).map(tag_of).filter(|tag| !tag.is_empty()).collect()
        });
        let mut metadata = BTreeMap::from([(UUID.to_owned(), uid.to_owned())]);
        if let Some(project) = self.text("project") {
            metadata.insert(PROJECT.to_owned(), project.to_owned());
            tags.push(tag_of(project));
        }
        tags.retain(|tag| !tag.is_empty());
        let notes: Vec<String> =
            self.task.get("annotations").and_then(Value::as_array).map_or_else(Vec::new, |notes| {
                notes.iter().filter_map(|note| note["description"].as_str()).map(str::to_owned).collect()
            });
        Add {
            title: Some(title.replace(['\n', '\r'], " ")),
            notes: (!notes.is_empty()).then(|| notes.join("\n")),
            tags: (!tags.is_empty()).then_some(tags),
            priority: match self.text("priority") {
                Some("H") => Some(Priority::High),
                Some("L") => Some(Priority::Low),
                Some(_) | None => None,
            },
            metadata: Some(metadata),
            zone: Some(self.here.zone.name().to_owned()),
            ..Add::default()
        }
    }

    fn phrase(&self, at: Timestamp) -> String {
        at.in_zone(self.here.zone).format("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    fn repeat(&mut self, add: &mut Add, recur: &str, due: Timestamp) -> Result<(), String> {
        let rule =
            rule(recur).ok_or_else(|| format!("cannot keep recur {recur:?}: expected such as weekly, 3days or P1M"))?;
        let first = due.local(self.here.zone);
        match rule {
            Rule::Every(seconds) => {
                add.every = Some(format!("{seconds} seconds"));
                if due > self.here.now {
                    add.from = Some(self.phrase(due));
                }
            }
            Rule::Calendar(parts) => {
                let next = crate::cli::exchange::ical::read::next_of(&parts, first, self.here);
                let next = next.map_err(|error| format!("cannot keep recur {recur:?}: {error}"))?;
                add.rrule = Some(parts);
                add.from = Some(next.format("%Y-%m-%dT%H:%M:%S").to_string());
            }
        }
        if let Some(until) = self.time("until")? {
            if until <= self.here.now {
                return Err("its repetition ended (until)".to_owned());
            }
            add.until = Some(self.phrase(until));
        }
        Ok(())
    }

    /// Says what is not kept.
    fn remark(&mut self) {
        let is_template = self.text("status") == Some("recurring");
        let mut kept = vec!["due", "tags", "project", "annotations", "priority", "depends", "parent"];
        if self.text("due").is_none() {
            kept.push("scheduled");
        }
        if is_template {
            kept.extend(["recur", "until"]);
        }
        let is_lost = |name: &&String| !OWN.contains(&name.as_str()) && !kept.contains(&name.as_str());
        let lost: Vec<&str> = self.task.keys().filter(is_lost).map(String::as_str).collect();
        if !lost.is_empty() {
            self.remarks.push(format!("not kept: {}", lost.join(", ")));
        }
    }
}

/// Returns what a task depends on: a list, or names with commas between them.
fn depends(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// How a recurrence goes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Rule {
    /// By the calendar.
    Calendar(String),
    /// So many seconds apart.
    Every(i64),
}

/// Reads a recurrence (<https://taskwarrior.org/docs/durations/>).
fn rule(text: &str) -> Option<Rule> {
    let text = text.trim().to_ascii_lowercase();
    let calendar = |freq: &str, interval: u32| Rule::Calendar(format!("FREQ={freq};INTERVAL={interval}"));
    let named = match text.as_str() {
        "daily" | "day" => Some(calendar("DAILY", 1)),
        "weekdays" => Some(Rule::Calendar("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR".to_owned())),
        "weekly" | "week" | "sennight" => Some(calendar("WEEKLY", 1)),
        "biweekly" | "fortnight" => Some(calendar("WEEKLY", 2)),
        "monthly" | "month" => Some(calendar("MONTHLY", 1)),
        "bimonthly" => Some(calendar("MONTHLY", 2)),
        "quarterly" => Some(calendar("MONTHLY", 3)),
        "semiannual" => Some(calendar("MONTHLY", 6)),
        "annual" | "yearly" | "year" => Some(calendar("YEARLY", 1)),
        "biannual" | "biyearly" => Some(calendar("YEARLY", 2)),
        "hourly" => Some(Rule::Every(3600)),
        _ => None,
    };
    if named.is_some() {
        return named;
    }
    if let Some(period) = text.strip_prefix('p') {
        let digits = period.chars().take_while(char::is_ascii_digit).collect::<String>();
        let (count, unit) = (digits.parse::<u32>().ok(), &period[digits.len()..]);
        match (count.filter(|count| *count > 0), unit) {
            (Some(count), "d") => return Some(calendar("DAILY", count)),
            (Some(count), "w") => return Some(calendar("WEEKLY", count)),
            (Some(count), "m") => return Some(calendar("MONTHLY", count)),
            (Some(count), "y") => return Some(calendar("YEARLY", count)),
            (_, _) => return length::seconds(&text).filter(|seconds| *seconds > 0).map(Rule::Every),
        }
    }
    let digits = text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let count: u32 = if digits.is_empty() { 1 } else { digits.parse().ok().filter(|count| *count > 0)? };
    match text[digits.len()..].trim() {
        "d" | "day" | "days" => Some(calendar("DAILY", count)),
        "w" | "wk" | "wks" | "week" | "weeks" => Some(calendar("WEEKLY", count)),
        "mo" | "mos" | "mth" | "mths" | "mnths" | "month" | "months" => Some(calendar("MONTHLY", count)),
        "q" | "qtr" | "qtrs" | "quarter" | "quarters" => Some(calendar("MONTHLY", count.checked_mul(3)?)),
        "y" | "yr" | "yrs" | "year" | "years" => Some(calendar("YEARLY", count)),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(Rule::Every(3600 * i64::from(count))),
        "min" | "mins" | "minute" | "minutes" => Some(Rule::Every(60 * i64::from(count))),
        _ => None,
    }
}

/// Writes tasks, one a line, and what of which does not stand there.
pub(crate) fn written(tasks: &[Task]) -> (String, Vec<String>) {
    let names: BTreeMap<u64, String> = tasks.iter().map(|task| (task.number, uuid(task))).collect();
    let mut remarks = Vec::new();
    let lines: Vec<String> = tasks
        .iter()
        .map(|task| {
            let object = object(task, &names, &mut remarks).to_string();
            let mut without = without_form(task, &names);
            if task.link.is_some() {
                without.push("its link".to_owned());
            }
            if task.due_at.is_some() && task.alerts != ["0"] {
                without.push("when it speaks before or after".to_owned());
            }
            remarks.extend(left_out(task, &without, "Taskwarrior"));
            object
        })
        .collect();
    let text = if lines.is_empty() { "[\n]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) };
    (text, remarks)
}

/// Returns what a task is called there: as it was when it came from there, else its id.
fn uuid(task: &Task) -> String {
    task.metadata.get(UUID).cloned().unwrap_or_else(|| task.id.clone())
}

fn object(task: &Task, names: &BTreeMap<u64, String>, remarks: &mut Vec<String>) -> Value {
    let recur = recur(task);
    let is_series = !matches!(task.schedule.kind.as_str(), "none" | "once" | "countdown");
    let status = match task.state.as_str() {
        "COMPLETED" => "completed",
        "CANCELLED" => "deleted",
        _ if recur.is_some() => "recurring",
        _ => "pending",
    };
    if is_series && recur.is_none() {
        remarks.push(format!(
            "{} {}: its rule has no form in Taskwarrior, only its next time is there",
            task.number, task.title
        ));
    }
    let mut object = json!({
        "uuid": uuid(task), "description": task.title, "status": status,
        "entry": utc(task.created_at), "modified": utc(task.updated_at),
    });
    let mut put = |name: &str, value: Value| object[name] = value;
    if let Some(ended) = task.ended_at {
        put("end", json!(utc(ended)));
    }
    if let Some(due) = task.due_at {
        put("due", json!(utc(due)));
    }
    if let Some(recur) = recur {
        put("recur", json!(recur));
        if let Some(until) = task.schedule.until {
            put("until", json!(utc(until)));
        }
    }
    let project = task.metadata.get(PROJECT);
    let tags: Vec<&String> =
        task.tags.iter().filter(|tag| project.is_none_or(|project| tag_of(project) != **tag)).collect();
    if !tags.is_empty() {
        put("tags", json!(tags));
    }
    if let Some(project) = project {
        put("project", json!(project));
    }
    match task.priority {
        Priority::High => put("priority", json!("H")),
        Priority::Normal => {}
        Priority::Low => put("priority", json!("L")),
    }
    if !task.notes.is_empty() {
        put("annotations", json!([{ "entry": utc(task.created_at), "description": task.notes }]));
    }
    let parents: Vec<&String> = task.waits_for.iter().filter_map(|number| names.get(number)).collect();
    if !parents.is_empty() {
        put("depends", json!(parents));
    }
    object
}

/// Returns how it recurs, where Taskwarrior knows such.
fn recur(task: &Task) -> Option<String> {
    let schedule = &task.schedule;
    if schedule.count.is_some() {
        return None;
    }
    if schedule.kind == "interval" {
        let seconds = schedule.every_ms.filter(|every| every % 1000 == 0)? / 1000;
        return Some(length::duration(seconds));
    }
    let rule = schedule.rrule.as_deref().filter(|_| schedule.kind == "calendar")?;
    let (mut freq, mut interval) = (None, 1_u32);
    for part in rule.split(';') {
        match part.split_once('=')? {
            ("FREQ", word) => freq = Some(word.to_owned()),
            ("INTERVAL", count) => interval = count.parse().ok()?,
            // They say at what time of the day, which the due time says too.
            ("BYHOUR" | "BYMINUTE" | "BYSECOND", value) if !value.contains(',') => {}
            ("BYDAY", "MO,TU,WE,TH,FR") if freq.as_deref() == Some("WEEKLY") && interval == 1 => {
                return Some("weekdays".to_owned());
            }
            // The same day as the due time's.
            ("BYDAY", day) if freq.as_deref() == Some("WEEKLY") && day.len() == 2 => {}
            (_, _) => return None,
        }
    }
    let unit = match freq?.as_str() {
        "DAILY" => 'D',
        "WEEKLY" => 'W',
        "MONTHLY" => 'M',
        "YEARLY" => 'Y',
        _ => return None,
    };
    Some(format!("P{interval}{unit}"))
}

fn utc(at: Time) -> String {
    at.instant().to_utc().format("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests;
