//! What of a task is edited as text, and how is it written? One line a value, as TOML, with comments that explain.
//!
//! Values in, text out: never opens a file, and decides nothing about what was written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono_tz::Tz;

use crate::cli::render::task::{home, is_behind_every};
use crate::cli::render::text::{clean, is_unsafe};
use crate::domain::time::{Span, Timestamp};
use crate::protocol::from_wire;
use crate::protocol::objects::{Task, Time};

pub(crate) mod read;

/// What begins a line that explains an error, in a text that is opened again.
const ERROR: &str = "# error: ";

/// What begins a line that says what to do about it.
const HINT: &str = "# hint: ";

/// A value that can be edited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// `"pay rent"`.
    Text(String),
    /// `["home", "work"]`.
    Texts(Vec<String>),
    /// `true`.
    Flag(bool),
    /// `3`.
    Number(u32),
    /// `{ "room" = "12" }`.
    Pairs(BTreeMap<String, String>),
}

/// What kind of value a line takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// Several, in brackets.
    Texts,
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// Names with their texts, in braces.
    Pairs,
}

/// One line of a sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// What stands before the sign.
    pub(crate) key: &'static str,
    /// What kind of value it takes.
    pub(crate) kind: Kind,
    /// Its value; `None`: the line stands there with an example, as a comment.
    pub(crate) value: Option<Value>,
    /// Whether the task must have it.
    pub(crate) is_needed: bool,
    /// The line above, empty where there is none.
    above: &'static str,
    /// An example, as it is written.
    example: &'static str,
    /// What stands behind it, empty where nothing does.
    behind: &'static str,
}

/// Returns what of a task can be edited, in order; `zone` is the person's.
pub(crate) fn fields(task: &Task, zone: Tz) -> Vec<Field> {
    let mut fields = vec![
        field("title", Kind::Text, Some(text(&task.title)), "\"\"").needed(),
        field("note", Kind::Text, some_text(&task.notes), "\"what to remember\""),
        field("link", Kind::Text, task.link.as_deref().map(text), "\"https://example.org\"")
            .behind("something to open"),
        field("tags", Kind::Texts, some_texts(&task.tags), "[\"home\"]"),
        field("priority", Kind::Text, Some(text(from_wire::priority(task.priority).as_str())), "\"normal\"")
            .needed()
            .behind("low, normal or high"),
    ];
    fields.extend(times(task, zone));
    let local = |at: Time| text(&local_time(at.instant(), home(task).unwrap_or(zone)));
    let before = |alerts: &[String]| alerts.iter().map(|alert| alert.trim_start_matches('-').to_owned()).collect();
    let of_deadline = task.deadline_at.map(|_| Value::Texts(before(&task.deadline_alerts)));
    let waits: Vec<String> = task.waits_for.iter().map(ToString::to_string).collect();
    fields.extend([
        field("alerts", Kind::Texts, Some(Value::Texts(before(&task.alerts))), "[\"1h\", \"0\"]")
            .above("When it speaks: \"1h\" is before, \"0\" when it is due, \"+15m\" after; none is []"),
        field("nag", Kind::Text, span(task.nag_ms), "\"10m\"").behind("rings again until it is answered"),
        field("nag_max", Kind::Number, task.nag_max.map(Value::Number), "20").behind("and so often at most"),
        field("via", Kind::Texts, some_texts(&task.channels), "[\"desktop\"]")
            .behind("where it speaks; else as configured"),
        field("auto_done", Kind::Flag, task.auto_done.then_some(Value::Flag(true)), "true")
            .behind("done as soon as it was delivered"),
        field("deadline", Kind::Text, task.deadline_at.map(local), "\"friday 6pm\"")
            .above("When it must be done at the latest, and what it waits for"),
        field("deadline_alerts", Kind::Texts, of_deadline, "[\"1d\", \"0\"]").behind("when it speaks of that"),
        field("waits_for", Kind::Texts, some_texts(&waits), "[7, 8]").behind("the tasks that are to be done first"),
        field("delay", Kind::Text, span(task.delay_ms), "\"30m\"").behind("so long after they were done"),
        field("on_parent_fail", Kind::Text, task.on_parent_fail.as_deref().map(text), "\"hold\"")
            .behind("hold, run or cancel where one of them never will be done"),
        field("missed", Kind::Text, Some(text(&task.missed)), "\"once\"")
            .needed()
            .above("What becomes of times that were missed, and of what fails")
            .behind("once, skip, or all of a command"),
        field("max_late", Kind::Text, span(task.max_late_s.map(|seconds| seconds.saturating_mul(1000))), "\"2h\"")
            .behind("what is later is passed over"),
        field("retries", Kind::Number, (task.max_retries > 0).then_some(Value::Number(task.max_retries)), "3")
            .behind("how often a command, or what is for programs only, is tried again"),
        field("metadata", Kind::Pairs, some_pairs(&task.metadata), "{ \"name\" = \"value\" }")
            .above("What programs keep beside it"),
    ]);
    fields.extend(command(task));
    fields
}

/// Above a time.
const WHEN: &str = "When it is due: a time phrase, such as \"tomorrow 3pm\" or \"2026-12-24 18:00\"";

/// Above a rule.
const EVERY: &str = "How it repeats: what would follow \"every\", such as \"weekday at 9:30\"";

/// Returns the lines that say when it comes up: of a series its rule, else its time.
fn times(task: &Task, zone: Tz) -> Vec<Field> {
    let home = home(task).unwrap_or(zone);
    let local = |at: Time| text(&local_time(at.instant(), home));
    let when = |value| field("when", Kind::Text, value, "\"tomorrow 3pm\"");
    if !task.is_series() {
        let due = task.due_at.map(local);
        let is_needed = due.is_some();
        let when = when(due).above(WHEN);
        let every = field("every", Kind::Text, None, "\"month on the 1st\"").behind("in place of when: to repeat it");
        return vec![if is_needed { when.needed() } else { when }, every];
    }
    let typed = &task.schedule.text;
    let rule = match (&task.schedule.cron, typed.strip_prefix("every ")) {
        (Some(cron), _) => field("cron", Kind::Text, Some(text(cron)), "").above("When it is due: a cron expression"),
        (None, Some(rule)) => field("every", Kind::Text, Some(text(rule)), "").above(EVERY),
        (None, None) if is_behind_every(typed) => field("every", Kind::Text, Some(text(typed)), "").above(EVERY),
        (None, None) if typed.is_empty() || task.schedule.rrule.as_ref() == Some(typed) => {
            let rule = task.schedule.rrule.as_deref().map(text);
            field("rrule", Kind::Text, rule, "").above("When it is due: a recurrence rule of RFC 5545")
        }
        (None, None) => when(Some(text(typed))).above(WHEN),
    };
    vec![
        rule.needed(),
        field("from", Kind::Text, task.schedule.from.map(local), "\"2026-12-24 18:00\"").behind("the first time"),
        field("until", Kind::Text, task.schedule.until.map(local), "\"31 december\"")
            .behind("the last time, or the day of it"),
    ]
}

/// Returns the lines that say what it runs; of a reminder none.
fn command(task: &Task) -> Vec<Field> {
    let Some(command) = &task.command else { return Vec::new() };
    let arguments = command.arguments.clone().map(Value::Texts);
    vec![
        field("run", Kind::Texts, arguments, "[\"tar\", \"czf\", \"home.tgz\", \".\"]")
            .above("What it runs: a program with its arguments, or in place of it a line for the shell"),
        field("sh", Kind::Text, command.shell.as_deref().map(text), "\"make && ./deploy\""),
        field("timeout", Kind::Text, span(command.timeout_s.map(|seconds| seconds.saturating_mul(1000))), "\"2h\"")
            .behind("how long it may take"),
        field("dir", Kind::Text, some_text(&command.directory), "\"/srv\"")
            .behind("where it runs; else in the home directory"),
        field("overlap", Kind::Text, Some(text(&command.overlap)), "\"skip\"")
            .needed()
            .behind("of a time at which it still runs: skip, queue or allow"),
        field("nice", Kind::Number, (command.nice > 0).then_some(Value::Number(command.nice.into())), "10")
            .behind("how much it gives way to others, up to 19"),
        field("memory", Kind::Text, command.limits.memory_bytes.map(size), "\"512M\"").above("What it may use at most"),
        field("cpu", Kind::Text, cpu(command.limits.cpu_s), "\"10m\"").behind("time of a processor"),
        field("processes", Kind::Number, number(command.limits.processes), "50").behind("with threads"),
        field("files", Kind::Number, number(command.limits.files), "100").behind("that are open"),
    ]
}

/// Returns a number of bytes as it would be typed.
fn size(bytes: u64) -> Value {
    let steps = [(1_u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let whole = steps.into_iter().find(|(step, _)| bytes > 0 && bytes.is_multiple_of(*step));
    Value::Text(whole.map_or_else(|| bytes.to_string(), |(step, unit)| format!("{}{unit}", bytes / step)))
}

fn cpu(seconds: Option<u64>) -> Option<Value> {
    span(i64::try_from(seconds?).ok()?.checked_mul(1000))
}

/// Returns a limit; one that no number here reaches is as good as that.
fn number(limit: Option<u64>) -> Option<Value> {
    limit.map(|limit| Value::Number(u32::try_from(limit).unwrap_or(u32::MAX)))
}

/// Returns the sheet; `notes` are lines to stand above a key, on one line each.
pub(crate) fn write(number: u64, fields: &[Field], notes: &BTreeMap<&'static str, Vec<String>>) -> String {
    let mut sheet = format!(
        "# Task {number}. Save it and close the editor to change the task; as it is, nothing changes.\n\
         # A line that is taken away, or begins with #, takes its value away.\n\n"
    );
    for field in fields {
        if !field.above.is_empty() {
            sheet.push_str("\n# ");
            sheet.push_str(field.above);
            sheet.push('\n');
        }
        for note in notes.get(field.key).into_iter().flatten() {
            sheet.push_str(&comment("# ", note));
        }
        let line = match &field.value {
            // Numbers of tasks are no texts to people.
            Some(value) if field.key == "waits_for" => format!("{} = {}", field.key, value.written().replace('"', "")),
            Some(value) => format!("{} = {}", field.key, value.written()),
            None => format!("# {} = {}", field.key, field.example),
        };
        sheet.push_str(&line);
        if !field.behind.is_empty() {
            sheet.push_str("  # ");
            sheet.push_str(field.behind);
        }
        sheet.push('\n');
    }
    sheet
}

/// Returns a sheet as a person left it, with an error explained above its line; what explained another one is gone.
pub(crate) fn explain(sheet: &str, line: usize, message: &str, hint: Option<&str>) -> String {
    let is_old = |line: &str| line.starts_with(ERROR) || line.starts_with(HINT);
    let mut explained = String::new();
    let said = comment(ERROR, message) + &hint.map_or(String::new(), |hint| comment(HINT, hint));
    let mut is_said = false;
    for (index, text) in sheet.lines().enumerate() {
        if index + 1 >= line && !is_said && !is_old(text) {
            explained.push_str(&said);
            is_said = true;
        }
        if !is_old(text) {
            explained.push_str(text);
            explained.push('\n');
        }
    }
    if !is_said {
        explained.push_str(&said);
    }
    explained
}

impl Value {
    /// Returns it as TOML; a text of several lines in as many.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Text(text) => written(text),
            Self::Texts(texts) => {
                let each: Vec<String> = texts.iter().map(|text| written(text)).collect();
                format!("[{}]", each.join(", "))
            }
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Pairs(pairs) => {
                let each: Vec<String> =
                    pairs.iter().map(|(name, text)| format!("{} = {}", on_a_line(name), on_a_line(text))).collect();
                format!("{{ {} }}", each.join(", "))
            }
        }
    }
}

/// Returns a text as TOML writes it, with nothing in it that a terminal would obey.
fn written(text: &str) -> String {
    let is_tame = |c: char| !is_unsafe(c) || c == '\n' || c == '\t';
    if text.contains('\n') && text.chars().all(is_tame) && !text.contains("\"\"\"") && !text.ends_with('"') {
        return format!("\"\"\"\n{}\"\"\"", text.replace('\\', "\\\\"));
    }
    on_a_line(text)
}

/// As [`written`], on one line.
fn on_a_line(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_unsafe(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out + "\""
}

/// Returns a comment, of as many lines as the text.
fn comment(start: &str, text: &str) -> String {
    text.lines().fold(String::new(), |comment, line| comment + start + &clean(line) + "\n")
}

pub(crate) fn field(key: &'static str, kind: Kind, value: Option<Value>, example: &'static str) -> Field {
    Field { key, kind, value, is_needed: false, above: "", example, behind: "" }
}

impl Field {
    const fn above(mut self, above: &'static str) -> Self {
        self.above = above;
        self
    }

    const fn behind(mut self, behind: &'static str) -> Self {
        self.behind = behind;
        self
    }

    const fn needed(mut self) -> Self {
        self.is_needed = true;
        self
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn some_text(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::Text(text.to_owned()))
}

fn some_texts(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| Value::Texts(texts.to_vec()))
}

fn some_pairs(pairs: &BTreeMap<String, String>) -> Option<Value> {
    (!pairs.is_empty()).then(|| Value::Pairs(pairs.clone()))
}

fn span(millis: Option<i64>) -> Option<Value> {
    Some(Value::Text(Span::from_millis(millis?).to_string()))
}

fn local_time(at: Timestamp, zone: Tz) -> String {
    let local = at.in_zone(zone);
    let seconds = if local.format("%S").to_string() == "00" { "" } else { ":%S" };
    local.format(&format!("%Y-%m-%d %H:%M{seconds}")).to_string()
}

#[cfg(test)]
mod tests;
