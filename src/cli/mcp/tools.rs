//! What can assistants do, and what does each tool take? The parameters' doc comments are what assistants read.
//!
//! Holds no rule: each asks the daemon as the command of its name does.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::render::agenda::agenda;
use crate::cli::render::change::{Change, change};
use crate::cli::render::list::{cut_tasks, list};
use crate::cli::render::op::undone;
use crate::cli::render::reading::reading;
use crate::cli::render::story::story;
use crate::cli::render::text::Text;
use crate::protocol::methods::{self, TaskRef, WriteResult};
use crate::protocol::objects::{Priority, Row, Task};

/// How many tasks are listed unless it is said: a list is to fit into what an assistant reads.
const LISTED: usize = 50;

/// How many lines of an agenda are told unless it is said.
const AGENDA_LINES: usize = 100;

/// What came of a tool.
pub(super) struct Said {
    /// For people.
    pub(super) text: String,
    /// For programs.
    pub(super) value: Value,
}

/// A tool.
pub(super) struct Described {
    pub(super) name: &'static str,
    title: &'static str,
    about: &'static str,
    effect: Effect,
    schema: fn() -> Arc<JsonObject>,
}

/// What a tool does to the tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Reads,
    /// Something new is there, each time.
    Adds,
    /// Something changes, and a second time nothing does.
    ChangesOnce,
    /// Something changes, each time.
    Changes,
}

/// Every tool.
pub(super) const TOOLS: &[Described] = &[
    Described {
        name: "add",
        title: "Add a reminder or task",
        about: "Adds a reminder or task from a sentence that says what and when, such as \"pay rent tomorrow 3pm\" or \"water the \
                plants every saturday at 10\". Answers with the exact time. Without a time it is kept and does not ring.",
        effect: Effect::Adds,
        schema: schema::<Add>,
    },
    Described {
        name: "list",
        title: "List tasks",
        about: "Lists open tasks by number, or those that fit what is said of them.",
        effect: Effect::Reads,
        schema: schema::<List>,
    },
    Described {
        name: "done",
        title: "Complete a task",
        about: "Says that a task is done. Of a repeating one the occurrence that is due; the next comes at its time.",
        effect: Effect::ChangesOnce,
        schema: schema::<Done>,
    },
    Described {
        name: "snooze",
        title: "Snooze a reminder",
        about: "Lets a reminder that is due ring again later: after a length of time, or at a time. When it is due stays as it was.",
        effect: Effect::Changes,
        schema: schema::<Snooze>,
    },
    Described {
        name: "agenda",
        title: "Show the agenda",
        about: "Tells what will ring within a stretch of time, repetitions worked out; the next seven days unless it is said.",
        effect: Effect::Reads,
        schema: schema::<Agenda>,
    },
    Described {
        name: "parse",
        title: "Read a time",
        about: "Tells what a sentence means, with its exact time and repetition, and stores nothing.",
        effect: Effect::Reads,
        schema: schema::<Parse>,
    },
    Described {
        name: "why",
        title: "Explain a task",
        about: "Tells the story of a task: when it rang and why, who answered, what was sent where.",
        effect: Effect::Reads,
        schema: schema::<Why>,
    },
    Described {
        name: "undo",
        title: "Undo a change",
        about: "Takes back the latest change, or the one that is named; again takes back the change before it. To do again what \
                was taken back, name the op_id of the undo.",
        effect: Effect::Changes,
        schema: schema::<Undo>,
    },
];

/// What is to be remembered.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    /// What and when, in one sentence in the person's words, English or Chinese: "call mum tomorrow 9am". Not with title.
    text: Option<String>,
    /// What, word for word; nothing in it is read as a time. With at or every.
    title: Option<String>,
    /// When: "tomorrow 3pm", "in 20 minutes", "june 3rd 2pm".
    at: Option<String>,
    /// How often: what would follow "every", such as "weekday at 9:30".
    every: Option<String>,
    /// A note.
    note: Option<String>,
    /// Something to open, such as a URL.
    link: Option<String>,
    /// Tags, without a leading +.
    tags: Option<Vec<String>>,
    /// How much it matters.
    priority: Option<Matters>,
    /// When it speaks: "1h" before due, "0" at due, "+15m" after; at due unless it is said.
    alerts: Option<Vec<String>>,
    /// When it must be done at the latest, as a time phrase.
    deadline: Option<String>,
    /// How long after each ring it rings again until it is answered, such as "10m".
    nag: Option<String>,
    /// An idempotency key: a call that is sent again with it adds nothing.
    key: Option<String>,
}

/// How much a task matters.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Matters {
    Low,
    Normal,
    High,
}

/// Which tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// Words that stand in title or note, all of them.
    text: Option<String>,
    /// All of these tags.
    tags: Option<Vec<String>>,
    /// Due within these days: "today", "this week", "2026-06-01..2026-06-30".
    due: Option<String>,
    /// In one of these stages: scheduled, due, late, running, retrying, held, snoozed, paused, waiting, blocked, no time, past deadline,
    /// missed, failed, done, unanswered, cancelled.
    stages: Option<Vec<String>>,
    /// Only those with which something is wrong.
    #[serde(default)]
    attention: bool,
    /// Also those that have ended.
    #[serde(default)]
    all: bool,
    /// At most so many; 50 unless it is said.
    limit: Option<usize>,
}

/// Which task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Done {
    /// The task's number, or unique words of its title.
    task: Name,
    /// Also an occurrence of a repeating task that has not rung yet.
    #[serde(default)]
    early: bool,
}

/// Which task, and for how long.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Snooze {
    /// The task's number, or unique words of its title.
    task: Name,
    /// For how long, with its unit, such as "10m"; the person's default unless this or until is said.
    r#for: Option<String>,
    /// Until when, as a time phrase, such as "tomorrow 9am".
    until: Option<String>,
    /// Also an occurrence of a repeating task that has not rung yet.
    #[serde(default)]
    early: bool,
}

/// Which days.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Agenda {
    /// Which days: "today", "next week", "june", "2 weeks", "2026-06-01..2026-06-30".
    range: Option<String>,
    /// At most so many lines; 100 unless it is said.
    limit: Option<usize>,
}

/// Which sentence.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parse {
    /// The sentence, in English or Chinese.
    text: String,
}

/// Which task, and from when on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Why {
    /// The task's number, or unique words of its title.
    task: Name,
    /// From when on: "yesterday 9am", or how long back, "2h".
    since: Option<String>,
}

/// Which change.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// The change, as `op_id` of its answer names it; the latest unless it is said.
    op: Option<String>,
}

/// How a task is named.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a task's number or words of its title")]
enum Name {
    /// Its number.
    Number(u64),
    /// Words of its title.
    Words(String),
}

impl From<Name> for TaskRef {
    fn from(name: Name) -> Self {
        match name {
            Name::Number(number) => number.into(),
            Name::Words(words) => Self(words),
        }
    }
}

fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let generator =
        schemars::generate::SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = generator.into_generator().into_root_schema_for::<T>();
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Returns a tool as assistants read it.
pub(super) fn described(tool: &Described) -> Tool {
    let effect = tool.effect;
    let annotations = ToolAnnotations::from_raw(
        Some(tool.title.to_owned()),
        Some(effect == Effect::Reads),
        // All of it can be taken back.
        Some(false),
        Some(matches!(effect, Effect::Reads | Effect::ChangesOnce)),
        // It is about the person's own tasks and nothing else.
        Some(false),
    );
    let mut described = Tool::new(tool.name, tool.about, (tool.schema)());
    described.title = Some(tool.title.to_owned());
    described.annotations = Some(annotations);
    described
}

/// Does a tool.
pub(super) fn call(context: &mut Context<'_>, name: &str, arguments: Map<String, Value>) -> Result<Said, CliError> {
    let arguments = Value::Object(arguments);
    match name {
        "add" => add(context, read(name, arguments)?),
        "list" => tasks(context, read(name, arguments)?),
        "done" => {
            let Done { task, early } = read(name, arguments)?;
            let question = methods::Done { task: Some(task.into()), early, occurrence: None, version: None, key: None };
            let answer = context.ask(&question)?;
            Ok(written(context, Change::Done, &answer))
        }
        "snooze" => {
            let Snooze { task, r#for, until, early } = read(name, arguments)?;
            let zone = Some(context.zone.name().to_owned());
            let task = Some(task.into());
            let answer =
                context.ask(&methods::Snooze { task, r#for, until, early, occurrence: None, zone, key: None })?;
            Ok(written(context, Change::Snoozed, &answer))
        }
        "agenda" => {
            let Agenda { range, limit } = read(name, arguments)?;
            let (zone, limit) = (Some(context.zone.name().to_owned()), Some(limit.unwrap_or(AGENDA_LINES)));
            let answer =
                context.agenda(methods::AgendaGet { range, from: None, to: None, zone, limit, after: None })?;
            let view = context.viewpoint(answer.now);
            Ok(said(&agenda(&answer, view, None), &answer.warnings, &answer))
        }
        "parse" => {
            let Parse { text } = read(name, arguments)?;
            let zone = Some(context.zone.name().to_owned());
            let answer = context.ask(&methods::Parse { text, now: None, zone, dialect: None })?;
            if let Some(error) = &answer.error {
                return Err(CliError::usage(error.clone(), "say it with a date or a time, such as tomorrow 3pm"));
            }
            let now = context.now()?;
            let view = crate::cli::render::time::Viewpoint { now, zone: context.zone };
            Ok(said(&reading(&answer, None, view), &[], &answer))
        }
        "why" => {
            let Why { task, since } = read(name, arguments)?;
            let zone = Some(context.zone.name().to_owned());
            let question =
                methods::Why { task: task.into(), since, until: None, zone, all: false, before: None, limit: None };
            let answer = context.ask(&question)?;
            let view = context.viewpoint(answer.now);
            Ok(said(&story(&answer, view, None), &[], &answer))
        }
        _ => {
            let Undo { op } = read(name, arguments)?;
            let answer = context.ask(&methods::Undo { op, key: None })?;
            let view = context.viewpoint(answer.now);
            Ok(said(&undone(&answer, view), &answer.warnings, &answer))
        }
    }
}

fn read<T: for<'de> Deserialize<'de>>(name: &str, arguments: Value) -> Result<T, CliError> {
    serde_json::from_value(arguments).map_err(|error| {
        CliError::usage(format!("cannot do {name}: {error}"), "the tool's inputSchema says what it takes")
    })
}

fn add(context: &mut Context<'_>, params: Add) -> Result<Said, CliError> {
    if params.text.is_none() && params.title.is_none() {
        return Err(CliError::usage(
            "cannot add nothing",
            "say what and when in text, or what in title and when in at",
        ));
    }
    let answer = context.ask(&methods::Add {
        text: params.text,
        title: params.title,
        at: params.at,
        every: params.every,
        zone: Some(context.zone.name().to_owned()),
        notes: params.note,
        link: params.link,
        tags: params.tags,
        priority: params.priority.map(|priority| match priority {
            Matters::Low => Priority::Low,
            Matters::Normal => Priority::Normal,
            Matters::High => Priority::High,
        }),
        alerts: params.alerts,
        deadline: params.deadline,
        nag: params.nag,
        key: params.key,
        ..methods::Add::default()
    })?;
    Ok(written(context, Change::Added, &answer))
}

fn tasks(context: &mut Context<'_>, params: List) -> Result<Said, CliError> {
    let limit = params.limit.unwrap_or(LISTED);
    let mut answer = context.list(methods::List {
        all: params.all,
        text: params.text,
        tags: params.tags,
        due: params.due,
        stages: params.stages,
        attention: params.attention,
        zone: Some(context.zone.name().to_owned()),
        ..methods::List::default()
    })?;
    let view = context.viewpoint(answer.now);
    // Those that are due first, of all.
    let more = cut_tasks(&mut answer.tasks, limit);
    let shown = &answer.tasks;
    let mut warnings = answer.warnings.clone();
    let has_more = more > 0;
    if has_more {
        warnings.push(format!(
            "there are {more} more than these {limit}: say what is true of those that are wanted, or a higher limit"
        ));
    }
    let value =
        json!({ "now": answer.now, "tasks": shown.iter().map(brief).collect::<Vec<_>>(), "has_more": has_more });
    let rows: Vec<Row> = shown.iter().cloned().map(Row::from).collect();
    Ok(said(&list(&rows, view, None), &warnings, &value))
}

/// Returns of a task what an assistant needs to speak of it.
fn brief(task: &Task) -> Value {
    json!({
        "number": task.number,
        "title": task.title,
        "stage": task.stage,
        "due_at": task.due_at,
        "scheduled_at": task.scheduled_at,
        "deadline_at": task.deadline_at,
        "schedule": task.schedule.text,
        "tags": task.tags,
        "priority": task.priority,
        "notes": task.notes,
        "link": task.link,
    })
}

fn written(context: &Context<'_>, what: Change, answer: &WriteResult) -> Said {
    let lines = change(what, answer, context.viewpoint(answer.now));
    said(&lines, &answer.warnings, answer)
}

/// Returns lines and warnings as text, and the answer as an object.
fn said(lines: &[Text], warnings: &[String], answer: &impl Serialize) -> Said {
    let warnings = warnings.iter().map(|warning| format!("warning: {warning}"));
    let text: Vec<String> = lines.iter().map(Text::to_plain).chain(warnings).collect();
    let value = serde_json::to_value(answer).expect("answers have text for keys and no failing serializer");
    Said { text: text.join("\n"), value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_says_what_it_takes_and_what_it_does() {
        for tool in TOOLS {
            let described = serde_json::to_value(super::described(tool)).expect("JSON");
            let schema = &described["inputSchema"];
            assert_eq!(
                (&schema["type"], &schema["additionalProperties"]),
                (&json!("object"), &json!(false)),
                "{}",
                tool.name
            );
            for (name, property) in schema["properties"].as_object().expect("it takes something") {
                assert!(property["description"].is_string(), "{}.{name}: {property}", tool.name);
            }
            assert!(!schema.to_string().contains("$ref"), "{schema}");
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(described["annotations"][hint].is_boolean(), "{}.{hint}", tool.name);
            }
        }
        let required = |name: &str| {
            let tool = TOOLS.iter().find(|tool| tool.name == name).expect("a tool");
            serde_json::to_value(super::described(tool)).expect("JSON")["inputSchema"]["required"].clone()
        };
        assert_eq!(
            (required("add"), required("done"), required("parse")),
            (Value::Null, json!(["task"]), json!(["text"]))
        );
    }
}
