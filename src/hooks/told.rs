//! What is a hook's program told of an event, and what does its end mean?

use std::path::Path;

use serde::Serialize;

use crate::domain::device_event::AnyEvent;
use crate::domain::hook::{Happening, Hook};
use crate::domain::time::Span;
use crate::process::{End, Ended, Heard, Program, run};
use crate::protocol::to_wire::{View, any_event};
use crate::protocol::{SCHEMA_VERSION, objects};

/// How much of what a program says on standard error is cited, in characters.
const CITED_CHARS_MAX: usize = 200;

/// An event as programs get it from `event.list`, with the hook that it is told to.
#[derive(Serialize)]
struct Told<'a> {
    schema_version: u32,
    hook: ToldHook<'a>,
    #[serde(flatten)]
    event: objects::Event,
}

/// Which hook is told, and of what.
#[derive(Serialize)]
struct ToldHook<'a> {
    name: &'a str,
    event: &'static str,
}

/// Tells an event to a hook's program.
///
/// # Errors
/// Why that failed, for people, without the program's arguments.
pub(super) async fn tell(
    hook: &Hook,
    happening: Happening,
    seq: u64,
    event: &AnyEvent,
    view: View,
) -> Result<(), String> {
    let event = any_event(seq, event, view);
    let mut variables = vec![
        ("KEIKO_HOOK", hook.name.clone()),
        ("KEIKO_EVENT", happening.as_str().to_owned()),
        ("KEIKO_EVENT_ID", event.event_id.clone()),
        ("KEIKO_SEQ", seq.to_string()),
    ];
    variables.extend(event.task.map(|number| ("KEIKO_TASK", number.to_string())));
    let told_hook = ToldHook { name: &hook.name, event: happening.as_str() };
    let told = Told { schema_version: SCHEMA_VERSION, hook: told_hook, event };
    let input = serde_json::to_string(&told).map_err(|error| format!("it cannot be told as JSON: {error}"))?;
    let program = Program {
        command: &hook.command,
        directory: Path::new(&hook.directory),
        variables,
        input: format!("{input}\n"),
        timeout: hook.timeout.to_duration(),
        heard: Heard::Nothing,
    };
    match run(program).await {
        Ok(ended) => judge(&ended, hook.timeout),
        Err(error) => Err(format!("it cannot be run: {error}")),
    }
}

fn judge(ended: &Ended, limit: Span) -> Result<(), String> {
    let why = match &ended.end {
        End::Exit(status) if status.success() => return Ok(()),
        End::Exit(status) => format!("it ended with {status}"),
        End::TimedOut(_) => format!("it did not end within {} s", limit.as_millis() / 1000),
        End::TooMuch(bytes) => format!("it said more than {bytes} bytes"),
    };
    let complaint = String::from_utf8_lossy(&ended.complaint);
    let line = complaint.lines().map(plain).find(|line| !line.is_empty());
    Err(line.map_or(why.clone(), |line| format!("{why}: {line}")))
}

/// Returns a line without what moves a cursor, cut to what one reads.
fn plain(line: &str) -> String {
    let visible = line.chars().map(|each| if each.is_control() { ' ' } else { each });
    let cut: String = visible.take(CITED_CHARS_MAX).collect();
    cut.trim().to_owned()
}
