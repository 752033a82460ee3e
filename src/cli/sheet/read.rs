//! What was changed in the sheet of a task? Says of what cannot be read in which line it stands.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use toml_edit::{Document, Item};

use crate::cli::sheet::{Field, Kind, Value, field, fields};
use crate::domain::task::NAG_MAX_DEFAULT;
use crate::protocol::envelope::nearest;
use crate::protocol::methods::Update;
use crate::protocol::objects::Task;

/// What is new: each key with its value, or without one where that was taken away.
pub(crate) type Changes = BTreeMap<&'static str, Option<Value>>;

/// The keys that say when it comes up; a time among them is of a zone.
const TIMES: [&str; 7] = ["when", "every", "cron", "rrule", "from", "until", "deadline"];

/// The keys of the rule itself, of which one is enough.
const RULES: [&str; 4] = ["when", "every", "cron", "rrule"];

/// Why a sheet cannot be used, with the line to look at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SheetError {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) hint: Option<String>,
}

/// Returns what a person changed.
///
/// # Errors
/// It is no TOML, or holds what a task has not.
pub(crate) fn changes(sheet: &str, fields: &[Field]) -> Result<Changes, SheetError> {
    let document = Document::parse(sheet).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        SheetError {
            line: line_at(sheet, at),
            message: format!("cannot read this: {message}"),
            hint: Some(HINT_TOML.to_owned()),
        }
    })?;
    let table = document.as_table();
    let mut written: BTreeMap<&str, Value> = BTreeMap::new();
    for (key, item) in table {
        let at = table.key(key).and_then(toml_edit::Key::span).map_or(0, |span| span.start);
        let line = line_at(sheet, at);
        let Some((key, kind)) = known(key, fields) else {
            let all = fields.iter().map(|field| field.key).chain(EXTRA.map(|(key, _)| key));
            let hint = nearest(key, all).map(|near| format!("did you mean {near}?"));
            return Err(SheetError { line, message: format!("there is no value {key:?} here"), hint });
        };
        let value = value(item, kind).ok_or_else(|| SheetError {
            line,
            message: format!("cannot read {key}: expected {}", expected(kind)),
            hint: None,
        })?;
        let known = fields.iter().find(|field| field.key == key).and_then(|field| field.value.as_ref());
        let value = if Some(&value) == known { value } else { chosen(line, key, value)? };
        written.insert(key, value);
    }
    let mut changes = Changes::new();
    for (key, _) in EXTRA {
        if let Some(value) = written.get(key).filter(|_| !fields.iter().any(|field| field.key == key)) {
            changes.insert(key, Some(value.clone()));
        }
    }
    for field in fields {
        let value = written.get(field.key);
        if !is_alike(value, field.value.as_ref()) {
            changes.insert(field.key, value.cloned());
        }
    }
    check(sheet, fields, &changes)?;
    Ok(changes)
}

/// Keys that are not on every sheet, and may be written on any: another kind of rule.
const EXTRA: [(&str, Kind); 4] =
    [("when", Kind::Text), ("every", Kind::Text), ("cron", Kind::Text), ("rrule", Kind::Text)];

/// What is said of what is no TOML.
const HINT_TOML: &str = "a line is: key = \"text\", key = [\"one\", \"two\"], key = true or key = 3";

fn known(key: &str, fields: &[Field]) -> Option<(&'static str, Kind)> {
    let own = fields.iter().map(|field| (field.key, field.kind));
    own.chain(EXTRA).find(|(known, _)| *known == key)
}

/// Refuses what no task can be.
fn check(sheet: &str, fields: &[Field], changes: &Changes) -> Result<(), SheetError> {
    let new_rules: Vec<&str> = RULES.into_iter().filter(|rule| matches!(changes.get(rule), Some(Some(_)))).collect();
    if let [_, second, ..] = new_rules[..] {
        return Err(SheetError {
            line: line_of(sheet, second),
            message: format!("cannot take both {} and {second}", new_rules[0]),
            hint: Some("leave one of them".to_owned()),
        });
    }
    for field in fields.iter().filter(|field| field.is_needed) {
        let is_replaced = RULES.contains(&field.key) && !new_rules.is_empty();
        if matches!(changes.get(field.key), Some(None)) && !is_replaced {
            return Err(SheetError {
                line: line_of(sheet, field.key),
                message: format!("cannot take {} away: a task has one", field.key),
                hint: field.value.as_ref().map(|was| format!("it was: {} = {}", field.key, was.written())),
            });
        }
    }
    Ok(())
}

fn value(item: &Item, kind: Kind) -> Option<Value> {
    let text = |value: &toml_edit::Value| {
        let number = || value.as_integer().map(|number| number.to_string());
        value.as_str().map(str::to_owned).or_else(number)
    };
    match kind {
        Kind::Text => item.as_str().map(|text| Value::Text(text.trim_end_matches('\n').to_owned())),
        Kind::Flag => item.as_bool().map(Value::Flag),
        Kind::Number => item.as_integer().and_then(|number| u32::try_from(number).ok()).map(Value::Number),
        Kind::Pairs => {
            let pairs = item.as_table_like()?.iter();
            let pairs = pairs.map(|(name, item)| Some((name.to_owned(), text(item.as_value()?)?)));
            Some(Value::Pairs(pairs.collect::<Option<_>>()?))
        }
        Kind::Texts => Some(Value::Texts(item.as_array()?.iter().map(text).collect::<Option<_>>()?)),
    }
}

/// The words that a key takes, of one that takes no others; each list is that of the option of the same name.
const fn words(key: &str) -> &'static [&'static str] {
    match key.as_bytes() {
        b"priority" => &["low", "normal", "high"],
        b"on_parent_fail" => &["hold", "run", "cancel"],
        b"missed" => &["once", "skip", "all"],
        b"overlap" => &["skip", "queue", "allow"],
        _ => &[],
    }
}

/// Returns a value as the daemon knows it: of a key that takes certain words one of those, however its letters are written.
fn chosen(line: usize, key: &str, value: Value) -> Result<Value, SheetError> {
    let Value::Text(typed) = &value else { return Ok(value) };
    let words = words(key);
    if words.is_empty() {
        return Ok(value);
    }
    let lower = typed.trim().to_lowercase();
    if words.contains(&lower.as_str()) {
        return Ok(Value::Text(lower));
    }
    let (last, others) = words.split_last().map_or(("", String::new()), |(last, others)| (*last, others.join(", ")));
    Err(SheetError {
        line,
        message: format!("cannot read {key} {typed:?}: expected {others} or {last}"),
        hint: nearest(&lower, words.iter().copied()).map(|near| format!("did you mean {key} = \"{near}\"?")),
    })
}

const fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a text in quotes, such as \"tomorrow 3pm\"",
        Kind::Texts => "texts in brackets, such as [\"home\", \"work\"]",
        Kind::Flag => "true or false",
        Kind::Number => "a whole number from 0 on",
        Kind::Pairs => "names with texts in braces, such as { \"room\" = \"12\" }",
    }
}

fn is_alike(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(Value::Text(one)), Some(Value::Text(other))) => one == other.trim_end_matches('\n'),
        (Some(Value::Flag(false)) | None, None) | (None, Some(Value::Flag(false))) => true,
        (Some(Value::Texts(none)), None) | (None, Some(Value::Texts(none))) => none.is_empty(),
        (Some(Value::Pairs(none)), None) | (None, Some(Value::Pairs(none))) => none.is_empty(),
        (one, other) => one == other,
    }
}

/// Returns the line in which a key stands, as a comment too, else the first.
pub(crate) fn line_of(sheet: &str, key: &str) -> usize {
    let begins = |line: &str| {
        let behind = line.trim_start_matches(['#', ' ']).strip_prefix(key);
        behind.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let at = sheet.lines().position(|line| begins(line) && !line.starts_with('#'));
    at.or_else(|| sheet.lines().position(begins)).map_or(1, |at| at + 1)
}

fn line_at(sheet: &str, at: usize) -> usize {
    sheet.char_indices().take_while(|(place, _)| *place < at).filter(|(_, c)| *c == '\n').count() + 1
}

/// Returns the key that an error of the daemon is about: the one whose option or value it names, or the only one that was
/// changed.
pub(crate) fn blamed(changes: &Changes, message: &str) -> Option<&'static str> {
    let names = |key: &&&str| {
        let option = match **key {
            "alerts" => "--alert".to_owned(),
            "deadline_alerts" => "--deadline-alert".to_owned(),
            // Limits are called as they are, and what is said of none says so.
            "memory" | "cpu" | "processes" | "files" => (**key).to_owned(),
            "note" => "notes".to_owned(),
            "run" | "sh" => "command".to_owned(),
            other => format!("--{}", other.replace('_', "-")),
        };
        message.contains(&option)
    };
    let holds = |key: &&&'static str| match &changes[**key] {
        Some(Value::Text(text)) => !text.is_empty() && message.contains(text.as_str()),
        Some(Value::Texts(texts)) => texts.iter().any(|text| text.len() > 1 && message.contains(text.as_str())),
        Some(Value::Pairs(pairs)) => pairs.values().any(|text| text.len() > 1 && message.contains(text.as_str())),
        Some(Value::Flag(_) | Value::Number(_)) | None => false,
    };
    let only = || changes.keys().next().filter(|_| changes.len() == 1);
    changes.keys().find(names).or_else(|| changes.keys().find(holds)).or_else(only).copied()
}

/// Returns what is asked of the daemon; `zone` is the person's.
///
/// # Errors
/// A value is none that can be asked, such as a number beyond all limits.
pub(crate) fn question(sheet: &str, task: &Task, changes: &Changes, zone: &str) -> Result<Update, SheetError> {
    serde_json::from_value(asked(task, changes, zone)).map_err(|error| {
        // Each for itself tells which it is.
        let is_at_fault = |(key, value): &(&&'static str, &Option<Value>)| {
            let alone = Changes::from([(**key, (*value).clone())]);
            serde_json::from_value::<Update>(asked(task, &alone, zone)).is_err()
        };
        match changes.iter().find(is_at_fault) {
            Some((key, value)) => SheetError {
                line: line_of(sheet, key),
                message: format!(
                    "cannot use {key} {}: {error}",
                    value.as_ref().map_or_else(|| "none".to_owned(), Value::written)
                ),
                hint: None,
            },
            None => SheetError { line: 1, message: format!("cannot use what is written here: {error}"), hint: None },
        }
    })
}

fn asked(task: &Task, changes: &Changes, zone: &str) -> Json {
    let mut asked = Map::new();
    asked.insert("task".to_owned(), json!(task.id));
    asked.insert("version".to_owned(), json!(task.version));
    let mut command = Map::new();
    let is_gone = |key: &str| matches!(changes.get(key), Some(None));
    for (key, value) in changes {
        let given = value.as_ref().map_or(Json::Null, json_of);
        let none = |absent: Json| if value.is_none() { absent } else { given.clone() };
        let (name, given) = match *key {
            "note" => ("notes", none(json!(""))),
            "via" => ("channels", none(json!([]))),
            "tags" | "alerts" | "waits_for" => (*key, none(json!([]))),
            "metadata" => (*key, none(json!({}))),
            // Without the one that it goes with it is gone with that.
            "nag_max" if value.is_none() && is_gone("nag") => continue,
            "nag_max" => (*key, none(json!(NAG_MAX_DEFAULT))),
            "deadline_alerts" if value.is_none() && is_gone("deadline") => continue,
            "deadline_alerts" => (*key, none(json!(["0"]))),
            "auto_done" => (*key, none(json!(false))),
            "retries" => ("max_retries", given),
            "on_parent_fail" => (*key, none(json!("hold"))),
            "run" | "sh" | "timeout" | "dir" | "overlap" | "nice" => {
                let (name, given) = match *key {
                    "run" => ("arguments", given),
                    "sh" => ("shell", given),
                    "dir" => ("directory", none(json!(""))),
                    "nice" => ("nice", none(json!(0))),
                    other => (other, given),
                };
                if value.is_some() || !matches!(*key, "run" | "sh") {
                    command.insert(name.to_owned(), given);
                }
                continue;
            }
            "memory" | "cpu" | "processes" | "files" => {
                command.insert("limits".to_owned(), limits(task, changes));
                continue;
            }
            // A rule that is given again has no end of its own.
            "until" if value.is_none() => {
                asked.extend(rule_again(task, changes));
                continue;
            }
            // The rule that takes its place says it.
            "when" | "every" | "cron" | "rrule" | "from" if value.is_none() => continue,
            "when" => ("text", given),
            other => (other, given),
        };
        asked.insert(name.to_owned(), given);
    }
    if TIMES.iter().any(|key| changes.contains_key(key)) {
        let own = if task.schedule.floating { zone } else { task.schedule.zone.as_str() };
        asked.insert("zone".to_owned(), json!(own));
        asked.insert("fixed_zone".to_owned(), json!(!task.schedule.floating));
    }
    let nags = matches!(changes.get("nag"), Some(Some(_)));
    if let Some(max) = task.nag_max.filter(|_| nags && !changes.contains_key("nag_max")) {
        // Else a new one would have the most that is usual.
        asked.insert("nag_max".to_owned(), json!(max));
    }
    let has_program = command.contains_key("arguments") || command.contains_key("shell");
    if !has_program && (is_gone("run") || is_gone("sh")) {
        // It runs nothing any more.
        asked.insert("command".to_owned(), Json::Null);
    } else if !command.is_empty() {
        asked.insert("command".to_owned(), Json::Object(command));
    }
    Json::Object(asked)
}

/// Returns all limits of its command, which are given anew together.
fn limits(task: &Task, changes: &Changes) -> Json {
    // Its zone only names times, which are not asked for here.
    let fields = fields(task, chrono_tz::UTC);
    let limit = |key: &'static str| {
        let before = || fields.iter().find(|field| field.key == key).and_then(|field| field.value.clone());
        let now = changes.get(key).cloned().unwrap_or_else(before)?;
        Some((key.to_owned(), json_of(&now)))
    };
    Json::Object(["memory", "cpu", "processes", "files"].into_iter().filter_map(limit).collect())
}

/// Returns the rule that a task has, to be given again.
fn rule_again(task: &Task, changes: &Changes) -> Option<(String, Json)> {
    if RULES.iter().any(|rule| matches!(changes.get(rule), Some(Some(_)))) {
        return None;
    }
    // Its zone only names times, which are not asked for here.
    let fields = fields(task, chrono_tz::UTC);
    let rule = fields.iter().find(|field| RULES.contains(&field.key) && field.value.is_some())?;
    let name = if rule.key == "when" { "text" } else { rule.key };
    Some((name.to_owned(), rule.value.as_ref().map(json_of)?))
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Texts(texts) => json!(texts),
        Value::Flag(flag) => json!(flag),
        Value::Number(number) => json!(number),
        Value::Pairs(pairs) => json!(pairs),
    }
}

/// Returns the sheet's lines for a task that was changed meanwhile, with what the person wrote, and above each line that
/// either changed what that was.
pub(crate) fn merge(
    base: &[Field],
    latest: &[Field],
    changes: &Changes,
) -> (Vec<Field>, BTreeMap<&'static str, Vec<String>>) {
    let mut merged = latest.to_vec();
    let mut notes: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let told = |value: Option<&Value>| value.map_or("none".to_owned(), Value::written);
    for field in &mut merged {
        let was = base.iter().find(|each| each.key == field.key).and_then(|each| each.value.as_ref());
        let is_theirs = !is_alike(field.value.as_ref(), was);
        let theirs = told(field.value.as_ref());
        match changes.get(field.key) {
            Some(mine) => {
                if is_theirs {
                    let note = format!(
                        "changed meanwhile: was {}, became {theirs}; you wrote {}",
                        told(was),
                        told(mine.as_ref())
                    );
                    notes.entry(field.key).or_default().push(note);
                }
                field.value.clone_from(mine);
            }
            None if is_theirs => {
                notes
                    .entry(field.key)
                    .or_default()
                    .push(format!("changed meanwhile: was {}, became {theirs}", told(was)));
            }
            None => {}
        }
    }
    for (key, kind) in EXTRA {
        if let Some(mine) = changes.get(key).filter(|_| !merged.iter().any(|field| field.key == key)) {
            merged.push(field(key, kind, mine.clone(), "\"\""));
        }
    }
    (merged, notes)
}
