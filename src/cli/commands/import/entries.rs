//! `keiko import` of a calendar or of Taskwarrior's tasks: each thing becomes a task, and one that cannot stops no other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::cli::commands::import::source::Source;
use crate::cli::commands::remarks::Remarks;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::exchange::ical::read::{Here, UID};
use crate::cli::exchange::taskwarrior::UUID;
use crate::cli::exchange::{Draft, Entry, Format, Found, ical, taskwarrior};
use crate::cli::render::change::{Change, change, due};
use crate::cli::render::text::{DIM, Text};
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::Form;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{Add, Hello, List, TaskRef, WriteResult};
use crate::protocol::objects::Time;

/// What is said of an event that rings nowhere.
const SILENT: &str = "an event without an alarm";

/// How many of those are named.
const SILENT_TOLD: usize = 20;

/// What became of the entries.
#[derive(Default)]
struct Summary {
    added: Vec<Value>,
    op_id: Option<String>,
    already_there: u64,
    left_out: BTreeMap<&'static str, u64>,
    /// The events that were left out for want of an alarm, by their places.
    silent: Vec<String>,
    refused: Vec<Value>,
    exit: Option<Exit>,
}

/// Imports all entries, or tells what that would be.
pub(super) fn import(
    context: &mut Context<'_>,
    mut source: Source,
    format: Format,
    (is_dry_run, with_silent): (bool, bool),
) -> Result<Exit, CliError> {
    let bytes = source.whole()?;
    let now = context.ask(&Hello::default())?.now;
    let here = Here { now: now.instant(), zone: context.zone, with_silent };
    let entries = if format == Format::Taskwarrior {
        taskwarrior::entries(&String::from_utf8_lossy(&bytes), here).map_err(|why| {
            CliError::usage(format!("cannot read {}: {why}", source.name), "task export writes such a file")
        })?
    } else {
        ical::read::entries(&ical::line::decoded(&bytes), here)
    };
    let mut summary = Summary::default();
    let view = Viewpoint { now: here.now, zone: here.zone };
    let mut import = Importing { is_dry_run, tasks: known(context)?, view, remarks: Remarks::default() };
    context.begin_op(if is_dry_run { 0 } else { entries.len() });
    let mut progress = context.ui.bar(entries.len() as u64, "importing");
    for entry in in_order(entries) {
        import.take(context, entry, &mut summary);
        progress.advance(1);
    }
    drop(progress);
    import.remarks.tell(context);
    tell(context, &summary, is_dry_run, now);
    Ok(summary.exit.unwrap_or(Exit::Done))
}

/// Returns the entries with what is waited for before what waits; what waits for itself comes last, and is refused there.
fn in_order(entries: Vec<Entry>) -> Vec<Entry> {
    let known: BTreeSet<String> = entries.iter().map(|entry| entry.uid.clone()).collect();
    let (mut done, mut ordered, mut rest) = (BTreeSet::new(), Vec::new(), entries);
    loop {
        let is_ready = |entry: &Entry| match &entry.found {
            Found::Task(draft) => draft.waits.iter().all(|uid| done.contains(uid) || !known.contains(uid)),
            Found::LeftOut(_) | Found::Silent | Found::Refused(_) => true,
        };
        let (ready, waiting): (Vec<Entry>, Vec<Entry>) = rest.into_iter().partition(is_ready);
        if ready.is_empty() {
            ordered.extend(waiting.into_iter().map(|entry| Entry {
                found: Found::Refused("it waits for itself, by way of others".to_owned()),
                ..entry
            }));
            return ordered;
        }
        done.extend(ready.iter().map(|entry| entry.uid.clone()));
        ordered.extend(ready);
        rest = waiting;
    }
}

struct Importing {
    is_dry_run: bool,
    /// The tasks that are here, by their names in files; of what is only looked at there is none to wait for.
    tasks: BTreeMap<String, Option<TaskRef>>,
    view: Viewpoint,
    remarks: Remarks,
}

impl Importing {
    fn take(&mut self, context: &mut Context<'_>, entry: Entry, summary: &mut Summary) {
        let draft = match entry.found {
            Found::LeftOut(why) => {
                *summary.left_out.entry(why).or_default() += 1;
                return;
            }
            Found::Silent => {
                *summary.left_out.entry(SILENT).or_default() += 1;
                summary.silent.push(entry.place);
                return;
            }
            Found::Refused(why) => {
                summary.refuse(&entry.place, &why, Exit::Failure);
                return context.ui.error(&format!("{}: {why}", entry.place), None);
            }
            Found::Task(draft) => *draft,
        };
        if self.tasks.contains_key(&entry.uid) {
            summary.already_there += 1;
            return;
        }
        let (question, remarks) = self.question(draft);
        match context.ask(&question) {
            Ok(answer) => {
                let task = (!answer.preview).then(|| TaskRef(answer.task.id.clone()));
                self.tasks.insert(entry.uid, task);
                self.tell(context, &answer);
                self.remarks.add(&entry.place, remarks.iter().chain(&answer.warnings).cloned());
                summary.op_id = Some(answer.op_id.clone()).filter(|_| !answer.preview).or(summary.op_id.take());
                summary.added.push(json!({ "place": entry.place, "task": answer.task, "remarks": remarks }));
            }
            Err(error) => {
                summary.refuse(&entry.place, &error.to_string(), error.exit());
                context.ui.error(&format!("{}: {error}", entry.place), error.hint().as_deref());
            }
        }
    }

    /// Returns what is asked, with what it waits for by number; what is not there is said.
    fn question(&self, draft: Draft) -> (Add, Vec<String>) {
        let Draft { mut add, waits, mut remarks } = draft;
        let mut parents = Vec::new();
        for uid in waits {
            match self.tasks.get(&uid) {
                Some(Some(task)) => parents.push(task.clone()),
                Some(None) => remarks.push("it would wait for another of the file".to_owned()),
                None => remarks.push("what it waits for is done or not in the file, so it does not wait".to_owned()),
            }
        }
        add.waits_for = (!parents.is_empty()).then_some(parents);
        add.preview = self.is_dry_run;
        (add, remarks)
    }

    fn tell(&self, context: &mut Context<'_>, answer: &WriteResult) {
        match context.ui.form() {
            Form::Json | Form::Quiet => {}
            Form::Id => context.ui.print(&[answer.task.id.as_str().into()]),
            Form::Human if self.is_dry_run => {
                let line = format!("would add {}  {}", answer.task.title, due(&answer.task, self.view));
                context.ui.print(&[Text::plain(line.trim_end())]);
            }
            Form::Human => context.ui.print(&change(Change::Added, answer, self.view)),
        }
    }
}

impl Summary {
    fn refuse(&mut self, place: &str, why: &str, exit: Exit) {
        self.refused.push(json!({ "id": null, "title": null, "place": place, "reason": why }));
        self.exit.get_or_insert(exit);
    }
}

/// Returns the tasks that are here, by the names that they had in files and by their own.
fn known(context: &mut Context<'_>) -> Result<BTreeMap<String, Option<TaskRef>>, CliError> {
    let here = context.list(List { all: true, ..List::default() })?;
    let mut known = BTreeMap::new();
    for task in here.tasks {
        let names = [UID, UUID].into_iter().filter_map(|name| task.metadata.get(name).cloned());
        for name in names.chain([task.id.clone()]) {
            known.insert(name, Some(TaskRef(task.id.clone())));
        }
    }
    Ok(known)
}

fn tell(context: &mut Context<'_>, summary: &Summary, is_dry_run: bool, now: Time) {
    let left_out: u64 = summary.left_out.values().sum();
    if context.ui.form() == Form::Json {
        return context.ui.json(&json!({
            "schema_version": SCHEMA_VERSION,
            "now": now,
            "lines": null,
            "finished": true,
            "dry_run": is_dry_run,
            "op_id": summary.op_id,
            "added": summary.added.len(),
            "already_there": summary.already_there,
            "deleted": 0,
            "refused_total": summary.refused.len(),
            "refused": summary.refused,
            "renumbered": 0,
            "events": null,
            "left_out": summary.left_out,
            "without_alarm": summary.silent,
            "tasks": summary.added,
        }));
    }
    if context.ui.form() != Form::Human {
        return;
    }
    let would = if is_dry_run { "would add" } else { "added" };
    let (added, there) = (summary.added.len(), summary.already_there);
    let mut line =
        format!("{would} {added}; {there} here already, {left_out} left out, {} refused", summary.refused.len());
    if left_out > 0 {
        let reasons: Vec<String> = summary.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let _ = write!(line, " (left out: {})", reasons.join(", "));
    }
    context.ui.print(&[Text::styled(DIM, &line)]);
    for place in summary.silent.iter().take(SILENT_TOLD) {
        context.ui.warning(&format!("{place}: left out, it is {SILENT}"));
    }
    let more = summary.silent.len().saturating_sub(SILENT_TOLD);
    if more > 0 {
        context.ui.warning(&format!("so it is with {more} more"));
    }
    if !summary.silent.is_empty() {
        context.ui.hint(
            "--without-alarm takes them too: they speak when they begin; what is here already is not added twice",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(uid: &str, waits: &[&str]) -> Entry {
        let waits = waits.iter().map(|wait| (*wait).to_owned()).collect();
        let draft = Draft { waits, ..Draft::default() };
        Entry { place: uid.to_owned(), uid: uid.to_owned(), found: Found::Task(Box::new(draft)) }
    }

    #[test]
    fn what_is_waited_for_comes_first_and_a_ring_is_refused() {
        let entries = vec![
            entry("c", &["b", "gone"]),
            entry("x", &["y"]),
            entry("b", &["a"]),
            entry("a", &[]),
            entry("y", &["x"]),
        ];
        let ordered = in_order(entries);
        let told: Vec<_> =
            ordered.iter().map(|entry| (entry.uid.as_str(), matches!(entry.found, Found::Task(_)))).collect();
        assert_eq!(told, [("a", true), ("b", true), ("c", true), ("x", false), ("y", false)]);
    }
}
