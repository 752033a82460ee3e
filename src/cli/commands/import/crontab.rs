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
use crate::cli::commands::import::table::{Job, Owner, SHELL_DEFAULT, Table, read};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::{Change, change};
use crate::cli::render::text::{DIM, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::Form;
use crate::domain::run::quoted;
use crate::domain::time::Timestamp;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{self, Command, Hello, WriteResult};
use crate::protocol::to_wire;
use crate::when::{self, Settings, parse_cron};

/// Within which namespace the keys of lines are made.
const LINES: Uuid = Uuid::from_u128(0x3b9a_5f1e_7c7d_4d52_9d0a_8f6e_2b41_c0de);

/// Adds a task for each line of a crontab
///
/// Each runs the same with the same variables at the same times, in the home directory. Doing it again adds nothing twice. The
/// crontab stays as it is: remove its lines, else both run. Without a file it is yours, as crontab -l shows it.
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
        let exit = if self.dry_run { dry_run(context, &table)? } else { add_all(context, &table) };
        let exit = table.faults.iter().fold(exit, |exit, (line, fault)| {
            context.ui.warning(&format!("line {line}: {fault}"));
            exit.or(Exit::Failure)
        });
        for job in &table.jobs {
            if let Some(remark) = remark(job, self.dry_run) {
                context.ui.warning(&format!("line {}: {remark}", job.line));
            }
        }
        if !table.jobs.is_empty() && !self.dry_run {
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

fn add_all(context: &mut Context<'_>, table: &Table) -> Exit {
    if table.jobs.is_empty() {
        context.ui.progress("nothing to add");
    }
    let (mut tally, mut exit) = (Tally::new(false), Exit::Done);
    context.begin_op(table.jobs.len());
    for job in &table.jobs {
        let name = format!("line {}", job.line);
        match question(context, job).and_then(|question| context.ask(&question)) {
            // Programs read the name beside each result.
            Err(error) if context.ui.form() != Form::Json => {
                context.ui.error(&format!("{name}: {error}"), error.hint().as_deref());
                exit = exit.or(error.exit());
            }
            result => drop(tally.add(context, Some(&name), result, |answer: &WriteResult, view, _| {
                change(Change::Added, answer, view)
            })),
        }
    }
    exit.or(tally.finish(context))
}

/// Tells what would be added.
fn dry_run(context: &mut Context<'_>, table: &Table) -> Result<Exit, CliError> {
    let now = context.ask(&Hello::default())?.now;
    let view = context.viewpoint(now);
    let (mut exit, mut told) = (Exit::Done, Vec::new());
    for job in &table.jobs {
        let zone = zone(context, job)?;
        let reader = when::Context { now: view.now, zone, settings: Settings::default() };
        match parse_cron(&job.schedule, &reader) {
            Ok(reading) if context.ui.form() == Form::Json => told.push(json!({
                "line": job.line,
                "title": job.title.as_ref().unwrap_or(&job.command),
                "cron": job.schedule,
                "zone": zone.name(),
                "next": to_wire::time(reading.due, zone),
                "command": command(job),
            })),
            Ok(reading) => context.ui.print(&would_add(job, reading.due, view)),
            Err(error) => {
                exit = exit.or(Exit::Time);
                context.ui.error(&format!("line {}: {error}", job.line), None);
            }
        }
    }
    if context.ui.form() == Form::Json {
        context.ui.json(&json!({ "schema_version": SCHEMA_VERSION, "now": now, "would_add": told }));
    } else if table.jobs.is_empty() {
        context.ui.print(&[Text::styled(DIM, "nothing to add")]);
    }
    Ok(exit)
}

fn would_add(job: &Job, due: Timestamp, view: Viewpoint) -> Vec<Text> {
    let mut line = Text::plain("would add ");
    line.push_styled(NUMBER, &format!("line {}", job.line));
    line.push(&format!("  {}  next {}", job.title.as_deref().unwrap_or(&job.command), view.full(due)));
    vec![line, Text::styled(DIM, &format!("  {}  runs {}", job.schedule, job.command))]
}

/// Returns what is asked for a line.
fn question(context: &Context<'_>, job: &Job) -> Result<methods::Add, CliError> {
    Ok(methods::Add {
        title: Some(job.title.clone().unwrap_or_else(|| title(&job.command))),
        cron: Some(job.schedule.clone()),
        zone: Some(zone(context, job)?.name().to_owned()),
        fixed_zone: job.zone.is_some(),
        notes: job.note.clone(),
        command: Some(command(job)),
        key: Some(key(job)),
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
        // cron ends what is read with a new line, where it has none.
        Some(input) => {
            let input = input.strip_suffix('\n').unwrap_or(input);
            (None, Some(format!("printf '%s\\n' {} | {}", quoted(&[input.to_owned()]), quoted(&with_shell))))
        }
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
fn remark(job: &Job, is_dry_run: bool) -> Option<&'static str> {
    if job.has_stepped_day() {
        Some("many crons run it where both days fit, since one begins with *; Keiko runs it where either does")
    } else if is_dry_run && job.has_either_day() {
        Some("it runs on the day of the month and on the day of the week, whichever comes, as cron does")
    } else {
        None
    }
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
    fn the_same_line_has_the_same_key_and_a_copy_of_it_another() {
        let once = job("0 3 * * * a");
        assert_eq!(key(&once), key(&job("# title\nPATH=/x\n0 3 * * * a")));
        assert_ne!(key(&once), key(&job("0 4 * * * a")));
        assert_ne!(key(&once), key(&Job { copy: 1, ..once.clone() }));
    }
}
