//! `keiko import crontab`: each line of a crontab becomes a task that runs the same at the same times.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::process::Command as Process;

use chrono_tz::Tz;
use clap::Args;
use serde_json::json;
use uuid::Uuid;

use crate::cli::commands::each::Tally;
use crate::cli::commands::import::table::{Fault, Job, Owner, SHELL_DEFAULT, Table, read};
use crate::cli::commands::remarks::Remarks;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::{Change, change};
use crate::cli::render::text::{DIM, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::Form;
use crate::domain::run::quoted;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{self, Command, Hello, TaskRef, WriteResult};
use crate::protocol::objects::{self, Task};

/// The name in a task's metadata of what tells whether the variables of its line are the same still.
const VARIABLES: &str = "crontab_variables";

/// Within which namespace the keys of lines are made.
const LINES: Uuid = Uuid::from_u128(0x3b9a_5f1e_7c7d_4d52_9d0a_8f6e_2b41_c0de);

/// Adds a task for each line of a crontab
///
/// Each runs the same with the same variables at the same times, in the home directory. Doing it again adds nothing twice, and
/// gives what was added the variables that hold for its line now. The crontab stays as it is: remove its lines, else both run.
/// Without a file it is yours, as crontab -l shows it. The exit code is 1 where a line cannot be taken over; the others are.
///
/// What differs from cron: what a command says is kept (keiko show N --output) and not mailed, and you are told where it fails
/// for the first time; a time at which it still runs is passed over (keiko edit N --overlap allow runs both); times at which the
/// machine was off are passed over, as cron does (keiko edit N --missed once makes up for one). @reboot cannot be kept.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko import crontab --dry-run\n  \
    keiko import crontab\n  \
    ssh old crontab -l | keiko import crontab -\n  \
    keiko import crontab /etc/crontab")]
pub(crate) struct Crontab {
    /// The file, or - for standard input; without it crontab -l
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// Each line names for whom it is run, as those of /etc/crontab and /etc/cron.d do: only yours are taken
    #[arg(long)]
    system: bool,
    /// Say what would be added, and add nothing
    #[arg(long)]
    dry_run: bool,
}

impl Crontab {
    /// Reads the table and adds what can be kept; what cannot is named, and does not stop the others.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let text = self.text()?;
        let home = env::var("HOME").unwrap_or_else(|_| "/".to_owned());
        let user = user();
        let owner = if self.is_system() { Owner::System(&user) } else { Owner::Person };
        let table = read(&text, owner, &home);
        // The person's own table, as crontab -l lists it, names none.
        if !self.is_system() && self.file.is_some() && names_users(&table, &user) {
            return Err(CliError::usage(
                "cannot take over this crontab: its lines seem to name for whom they are run",
                "--system reads it so",
            ));
        }
        let (exit, has_added) = if self.dry_run { dry_run(context, &table)? } else { add_all(context, &table) };
        for job in &table.jobs {
            if let Some(remark) = remark(job) {
                context.ui.warning(&format!("line {}: {remark}", job.line));
            }
        }
        if has_added {
            self.tell_differences(context);
        }
        Ok(exit)
    }

    /// Returns whether its lines name users: so do the files that only the system reads.
    fn is_system(&self) -> bool {
        let is_systems = |file: &String| file == "/etc/crontab" || file.starts_with("/etc/cron.d/");
        self.system || self.file.as_ref().is_some_and(is_systems)
    }

    fn text(&self) -> Result<String, CliError> {
        let refuse = |what: &str, why: String| {
            CliError::usage(format!("cannot read {what}: {why}"), "name a file, or - for standard input")
        };
        match self.file.as_deref() {
            Some("-") => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes).map_err(|source| CliError::Input { source })?;
                Ok(text_of(&bytes))
            }
            Some(file) => fs::read(file).map(|bytes| text_of(&bytes)).map_err(|error| refuse(file, error.to_string())),
            None => {
                let listed = Process::new("crontab").arg("-l").output();
                let listed = listed.map_err(|error| refuse("your crontab (crontab -l)", error.to_string()))?;
                if !listed.status.success() {
                    let why = String::from_utf8_lossy(&listed.stderr).trim().to_owned();
                    return Err(refuse(
                        "your crontab (crontab -l)",
                        if why.is_empty() { listed.status.to_string() } else { why },
                    ));
                }
                Ok(text_of(&listed.stdout))
            }
        }
    }

    fn tell_differences(&self, context: &mut Context<'_>) {
        context.ui.hint(
            "nothing is mailed: keiko show N --output shows what a command said, and you are told where one fails",
        );
        context.ui.hint(
            "a time at which one still runs is passed over; keiko edit N --overlap allow runs both, as cron does",
        );
        let remove = match self.file.as_deref() {
            None => "the lines are in your crontab still, so both run: crontab -e removes them, crontab -r all of them"
                .to_owned(),
            Some("-") => "the lines are where they were, so both run: remove them there".to_owned(),
            Some(file) => format!("the lines are in {file} still, so both run: remove them there"),
        };
        context.ui.warning(&remove);
    }
}

/// A line that is run or that cannot be taken over, with its number.
type Found<'a> = (usize, Result<&'a Job, &'a Fault>);

/// Returns what a table has, line by line.
fn lines(table: &Table) -> Vec<Found<'_>> {
    let jobs = table.jobs.iter().map(|job| (job.line, Ok(job)));
    let mut lines: Vec<Found<'_>> = jobs.chain(table.faults.iter().map(|(line, fault)| (*line, Err(fault)))).collect();
    lines.sort_by_key(|(line, _)| *line);
    lines
}

/// Adds what can be added; returns how keiko ends, and whether any line is new.
fn add_all(context: &mut Context<'_>, table: &Table) -> (Exit, bool) {
    if table.jobs.is_empty() {
        context.ui.progress("nothing to add");
    }
    let (mut tally, mut exit, mut has_added) = (Tally::of_lines(), Exit::Done, false);
    context.begin_op(table.jobs.len());
    for (line, found) in lines(table) {
        let name = format!("line {line}");
        tally.at_line(line);
        let result = found.map_err(fault_error).and_then(|job| take_over(context, job));
        match result {
            Ok((what, answer)) => {
                has_added |= what == Change::Added && answer.changed;
                tally.add(context, Some(&name), Ok(answer), |answer: &WriteResult, view, _| change(what, answer, view));
            }
            Err(error) => {
                exit = exit.or(exit_of_line(&error));
                // Programs read the name beside each result.
                if context.ui.form() == Form::Json {
                    tally.add(context, Some(&name), Err::<WriteResult, _>(error), |_, _, _| Vec::new());
                } else {
                    context.ui.error(&format!("{name}: {error}"), hint_of(found, &error).as_deref());
                }
            }
        }
    }
    // That of the first that failed is that of any: what is wrong with a line is one thing.
    tally.finish(context);
    (exit, has_added)
}

/// Adds a task for a line; where that was done before and other variables hold for it now, the task gets those.
fn take_over(context: &mut Context<'_>, job: &Job) -> Result<(Change, WriteResult), CliError> {
    let question = question(context, job, false)?;
    let added = context.ask(&question)?;
    if added.changed || !has_other_variables(&added.task, job) {
        return Ok((Change::Added, added));
    }
    let mut metadata = added.task.metadata.clone();
    metadata.insert(VARIABLES.to_owned(), variables(job));
    let Command { arguments, shell, directory, env, .. } = command(job);
    // What the person runs in its place stays.
    let is_as_it_was = added.task.command.as_ref().is_some_and(|known| is_of(known, job));
    let (arguments, shell) = if is_as_it_was { (arguments, shell) } else { (None, None) };
    let update = methods::Update {
        task: TaskRef(added.task.id.clone()),
        version: Some(added.task.version),
        command: Some(Some(Command { arguments, shell, directory, env, ..Command::default() })),
        metadata: Some(metadata),
        ..methods::Update::default()
    };
    Ok((Change::Edited, context.ask(&update)?))
}

/// Returns whether a task that was added for a line before has other variables than the line has now.
fn has_other_variables(task: &Task, job: &Job) -> bool {
    let is_open = task.ended_at.is_none() && task.stage != "deleted";
    is_open && task.metadata.get(VARIABLES).is_some_and(|known| *known != variables(job))
}

/// Returns whether a command is that of a line, be it of another shell.
fn is_of(known: &objects::Command, job: &Job) -> bool {
    match (&known.arguments, &known.shell, &job.input) {
        (_, Some(text), None) => *text == job.command,
        (_, Some(text), Some(input)) => text.starts_with(&reading(input)),
        (Some(words), None, None) => words.len() == 3 && words[1] == "-c" && words[2] == job.command,
        (Some(_) | None, None, _) => false,
    }
}

/// Tells what would be added; returns how keiko ends, and that no line is new.
fn dry_run(context: &mut Context<'_>, table: &Table) -> Result<(Exit, bool), CliError> {
    let now = context.ask(&Hello::default())?.now;
    let view = context.viewpoint(now);
    let (mut exit, mut would_add, mut refused) = (Exit::Done, Vec::new(), Vec::new());
    let mut remarks = Remarks::default();
    for (line, found) in lines(table) {
        let result = found.map_err(fault_error).and_then(|job| {
            let question = question(context, job, true)?;
            Ok((job, context.ask(&question)?))
        });
        match result {
            Ok((job, answer)) if context.ui.form() == Form::Json => would_add.push(json!({
                "line": line,
                "title": answer.task.title,
                "cron": job.schedule,
                "zone": answer.task.schedule.zone,
                "next": answer.task.due_at,
                "command": answer.task.command,
                "known_as": (!answer.preview).then_some(answer.task.number),
                "warnings": answer.warnings,
            })),
            Ok((job, answer)) => {
                context.ui.print(&foreseen(job, &answer, view));
                remarks.add(&format!("line {line}"), answer.warnings);
            }
            Err(error) => {
                exit = exit.or(exit_of_line(&error));
                if context.ui.form() == Form::Json {
                    refused.push(json!({ "line": line, "error": error.to_json()["error"] }));
                } else {
                    context.ui.error(&format!("line {line}: {error}"), hint_of(found, &error).as_deref());
                }
            }
        }
    }
    remarks.tell(context);
    if context.ui.form() == Form::Json {
        context.ui.json(&json!({
            "schema_version": SCHEMA_VERSION, "now": now, "would_add": would_add, "refused": refused,
        }));
    } else if table.jobs.is_empty() {
        context.ui.print(&[Text::styled(DIM, "nothing to add")]);
    }
    Ok((exit, false))
}

fn fault_error(fault: &Fault) -> CliError {
    CliError::usage(fault.to_string(), "leave the line out, or change it")
}

/// Returns what to do about a line; what no task can do says so itself.
fn hint_of(found: Result<&Job, &Fault>, error: &CliError) -> Option<String> {
    found.ok().and_then(|_| error.hint())
}

/// Returns how keiko ends for a line that cannot be taken over: alike, whatever is wrong with it. What is wrong with the daemon
/// or its store is no fault of the line.
fn exit_of_line(error: &CliError) -> Exit {
    match error.exit() {
        Exit::Usage | Exit::Time | Exit::NotFound | Exit::Refused | Exit::Conflict => Exit::Failure,
        exit @ (Exit::Done
        | Exit::Failure
        | Exit::NoDaemon
        | Exit::Version
        | Exit::Storage
        | Exit::TimedOut
        | Exit::Interrupted
        | Exit::Terminated) => exit,
    }
}

/// Returns what would become of a line: `would add line 6  nightly backup  next …`, or that it is known.
fn foreseen(job: &Job, answer: &WriteResult, view: Viewpoint) -> Vec<Text> {
    let task = &answer.task;
    let is_known = !answer.preview;
    let mut line = Text::plain(match (is_known, is_known && has_other_variables(task, job)) {
        (false, _) => "would add ",
        (true, true) => "would change ",
        (true, false) => "has added ",
    });
    line.push_styled(NUMBER, &format!("line {}", job.line));
    if is_known {
        line.push(&format!(" as {}", task.number));
    }
    line.push(&format!("  {}", task.title));
    if let Some(due) = task.due_at {
        line.push(&format!("  next {}", view.full(due.instant())));
    }
    vec![line, Text::styled(DIM, &format!("  {}  runs {}", job.schedule, job.command))]
}

/// Returns what is asked for a line.
fn question(context: &Context<'_>, job: &Job, preview: bool) -> Result<methods::Add, CliError> {
    Ok(methods::Add {
        title: Some(job.title.clone().unwrap_or_else(|| title(&job.command))),
        cron: Some(job.schedule.clone()),
        zone: Some(zone(context, job)?.name().to_owned()),
        fixed_zone: job.zone.is_some(),
        notes: job.note.clone(),
        command: Some(command(job)),
        key: Some(key(job)),
        metadata: Some([(VARIABLES.to_owned(), variables(job))].into()),
        preview,
        ..methods::Add::default()
    })
}

fn zone(context: &Context<'_>, job: &Job) -> Result<Tz, CliError> {
    let Some(name) = &job.zone else { return Ok(context.zone) };
    let refuse = |_| {
        CliError::usage(
            format!("cannot use CRON_TZ {name:?}: there is no such zone"),
            "expected an IANA name such as Europe/Berlin",
        )
    };
    name.parse().map_err(refuse)
}

/// Returns a line's name for good: the same line is added once. Its variables are no part of it: who changes those and imports
/// anew does not want it twice.
fn key(job: &Job) -> String {
    let said = format!("{}|{}|{}", job.zone.as_deref().unwrap_or_default(), job.copy, job.text);
    format!("crontab {}", Uuid::new_v5(&LINES, said.as_bytes()))
}

/// Returns what tells whether other variables hold for a line than when it was added: nothing of them can be read from it.
fn variables(job: &Job) -> String {
    let said: Vec<String> = job.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Uuid::new_v5(&LINES, said.join("\n").as_bytes()).to_string()
}

/// Returns what gives a command what it reads. cron ends that with a new line, where it has none.
fn reading(input: &str) -> String {
    let input = input.strip_suffix('\n').unwrap_or(input);
    format!("printf '%s\\n' {} | ", quoted(&[input.to_owned()]))
}

/// Returns the beginning of a command, for a title.
fn title(command: &str) -> String {
    const CHARS_MAX: usize = 72;
    if command.chars().count() <= CHARS_MAX {
        return command.to_owned();
    }
    command.chars().take(CHARS_MAX - 1).chain(['…']).collect()
}

/// Returns what runs as cron would run it.
fn command(job: &Job) -> Command {
    let with_shell = [job.shell().to_owned(), "-c".to_owned(), job.command.clone()];
    let (arguments, shell) = match &job.input {
        Some(input) => (None, Some(reading(input) + &quoted(&with_shell))),
        None if job.shell() == SHELL_DEFAULT => (None, Some(job.command.clone())),
        None => (Some(with_shell.to_vec()), None),
    };
    Command {
        arguments,
        shell,
        directory: job.environment.get("HOME").cloned(),
        env: Some(job.environment.clone()),
        ..Command::default()
    }
}

/// Returns what is to be said of the days of a line, where both are named. That either is enough, the daemon says of what
/// it adds.
fn remark(job: &Job) -> Option<&'static str> {
    job.has_stepped_day()
        .then_some("many crons run it where both days fit, since one begins with *; Keiko runs it where either does")
}

/// Returns whether lines seem to name users, as those of the system's table do.
fn names_users(table: &Table, user: &str) -> bool {
    let is_user = |job: &Job| {
        let first = job.command.split_whitespace().next();
        first.is_some_and(|first| first == "root" || first == user) && job.command.split_whitespace().nth(1).is_some()
    };
    !table.jobs.is_empty() && table.jobs.iter().all(is_user)
}

/// Returns who is asking.
fn user() -> String {
    let listed = Process::new("id").arg("-un").output().ok().and_then(|told| String::from_utf8(told.stdout).ok());
    let named = listed.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    named.or_else(|| env::var("USER").ok()).unwrap_or_default()
}

/// Returns what a crontab says; a line with bytes that are no UTF-8 is refused by itself, unless it is a comment.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> Job {
        read(text, Owner::Person, "/home/me").jobs.remove(0)
    }

    #[test]
    fn a_line_runs_as_cron_runs_it() {
        let plain = command(&job("0 3 * * * a | b"));
        assert_eq!((plain.shell.as_deref(), plain.directory.as_deref()), (Some("a | b"), Some("/home/me")));
        let bash = command(&job("SHELL=/bin/bash\n0 3 * * * a <(b)"));
        assert_eq!(bash.arguments, Some(vec!["/bin/bash".to_owned(), "-c".to_owned(), "a <(b)".to_owned()]));
        let reads = command(&job("0 3 * * * mail joe%it's%100\\% done"));
        let expected = "printf '%s\\n' \"it's\n100% done\" | /bin/sh -c 'mail joe'";
        assert_eq!(reads.shell.as_deref(), Some(expected));
    }

    #[test]
    fn what_runs_a_line_is_known_whatever_shell_it_has_and_not_what_took_its_place() {
        let known = |command: &Command| objects::Command {
            arguments: command.arguments.clone(),
            shell: command.shell.clone(),
            ..serde_json::from_value(json!({
                "arguments": null, "shell": null, "directory": "", "env": [], "timeout_s": null, "overlap": "skip",
                "nice": 0, "limits": { "memory_bytes": null, "cpu_s": null, "processes": null, "files": null },
            }))
            .expect("a command of the test's own")
        };
        for line in ["0 3 * * * a | b", "0 3 * * * mail joe%it's%done"] {
            let (plain, bash) = (job(line), job(&format!("SHELL=/bin/bash\n{line}")));
            assert!(is_of(&known(&command(&plain)), &bash) && is_of(&known(&command(&bash)), &plain), "{line}");
            assert_ne!(variables(&plain), variables(&bash));
            assert!(!is_of(&known(&command(&job("0 3 * * * other"))), &plain), "{line}");
        }
    }

    #[test]
    fn the_same_line_has_the_same_key_and_a_copy_of_it_another() {
        let once = job("0 3 * * * a");
        assert_eq!(key(&once), key(&job("# title\nPATH=/x\n0 3 * * * a")));
        assert_ne!(key(&once), key(&job("0 4 * * * a")));
        assert_ne!(key(&once), key(&Job { copy: 1, ..once.clone() }));
    }
}
