//! What may a caller have run? Commands as they are asked for, within limits, and what goes with them and what does not.

use std::collections::BTreeMap;

use crate::api::Api;
use crate::api::handlers::details::{self, within};
use crate::api::handlers::hooks;
use crate::api::time;
use crate::domain::command::Edit;
use crate::domain::run::{Limits, Line, Overlap, Program};
use crate::domain::secret::Secret;
use crate::domain::task::{Missed, TaskId};
use crate::domain::time::Span;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods;

/// The longest command, in bytes of its arguments: events carry their task whole, so each change would write it again. A
/// longer script belongs into a file.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// The most arguments.
const ARGUMENTS_MAX: usize = 1024;

/// The most that is kept of an environment, in bytes of names and values; the line's limit holds for it too.
const ENV_BYTES_MAX: usize = 32 * 1024;

/// The most variables.
const ENV_MAX: usize = 200;

/// The longest directory, in bytes: that of Linux (`PATH_MAX`).
const DIRECTORY_BYTES_MAX: usize = 4096;

/// How much a command may give way to others (`nice(1)`); whom to give way to it, nobody may decide for others.
const NICE_MAX: u8 = 19;

/// The shortest time that a command may be given, of the clock or of a processor: the system counts the latter in seconds.
const SECOND: Span = Span::from_secs(1);

/// The least memory that a command can be kept to: no program starts with less.
const MEMORY_BYTES_MIN: u64 = 4 * 1024 * 1024;

/// The longest title that is made of a command, in characters.
const TITLE_CHARS_MAX: usize = 72;

/// Returns the command that is asked for; `before` is what the task has, of which stays what is not said anew.
pub(super) fn program(asked: methods::Command, before: Option<&Program>) -> Result<Program, RpcError> {
    let line = match (asked.arguments, asked.shell) {
        (Some(_), Some(_)) => {
            return Err(refuse("cannot use both parameters \"arguments\" and \"shell\": expected one of them"));
        }
        (Some(arguments), None) => arguments_line(arguments)?,
        (None, Some(text)) => shell_line(text)?,
        (None, None) => match before {
            Some(before) => before.line.clone(),
            None => return Err(refuse("cannot run nothing: expected parameter \"arguments\" or \"shell\"")),
        },
    };
    let before = before.cloned();
    let kept = |of: fn(Program) -> Option<Span>| before.clone().and_then(of);
    Ok(Program {
        line,
        directory: match asked.directory {
            Some(directory) => self::directory(directory)?,
            None => before.as_ref().map(|before| before.directory.clone()).unwrap_or_default(),
        },
        environment: match asked.env {
            Some(env) => environment(env)?,
            None => before.as_ref().map(|before| before.environment.clone()).unwrap_or_default(),
        },
        timeout: match asked.timeout {
            Some(timeout) => timeout.as_deref().map(|text| seconds("timeout", text)).transpose()?,
            None => kept(|before| before.timeout),
        },
        overlap: match asked.overlap {
            Some(word) => overlap(&word)?,
            None => before.as_ref().map(|before| before.overlap).unwrap_or_default(),
        },
        nice: match asked.nice {
            Some(nice) if nice <= NICE_MAX => nice,
            Some(nice) => return Err(refuse(format!("cannot use nice {nice}: expected 0 to {NICE_MAX}"))),
            None => before.as_ref().map(|before| before.nice).unwrap_or_default(),
        },
        limits: match asked.limits {
            Some(limits) => self::limits(limits)?,
            None => before.as_ref().map(|before| before.limits).unwrap_or_default(),
        },
        ping: before.and_then(|before| before.ping),
    })
}

/// What a request says of a task besides its command that a command may not go with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// Whether the task has a command once the request is done.
    pub(super) has_command: bool,
    /// Whether it nags once the request is done.
    pub(super) nags: bool,
    /// Whether it is then done as soon as it was delivered.
    pub(super) auto_done: bool,
    /// What then becomes of times that are missed.
    pub(super) missed: Missed,
}

impl Beside {
    /// Refuses what makes no sense together.
    pub(super) fn check(self) -> Result<(), RpcError> {
        if !self.has_command {
            return match self.missed {
                Missed::All => Err(refuse("cannot use missed \"all\" without a command: expected once or skip")
                    .with_hint("a reminder that was missed several times rings once")),
                Missed::Once | Missed::Skip => Ok(()),
            };
        }
        if self.nags {
            return Err(refuse("cannot nag about a command: nobody is asked to do it")
                .with_hint("leave out --nag; you are told where it fails, and --retries has it tried again"));
        }
        if self.auto_done {
            return Err(refuse("cannot use auto_done with a command: it is done when its command succeeded")
                .with_hint("leave out --auto-done"));
        }
        Ok(())
    }
}

/// What a change asks of the command of a task.
pub(super) enum Asked {
    /// That it is this.
    Command(Box<methods::Command>),
    /// That there is none any more.
    Nothing,
}

impl From<Option<methods::Command>> for Asked {
    fn from(asked: Option<methods::Command>) -> Self {
        asked.map_or(Self::Nothing, |command| Self::Command(Box::new(command)))
    }
}

/// Returns the new values of a task with its new command, where one is asked for.
///
/// A reminder that gains a command, and a command that loses it, take the defaults of what they become, unless they had
/// others or are given others.
pub(super) async fn edited(
    api: &Api,
    id: TaskId,
    asked: Option<Asked>,
    ping: Option<Option<Secret>>,
    mut edit: Edit,
) -> Result<Edit, RpcError> {
    let is_concerned = asked.is_some()
        || ping.is_some()
        || edit.missed.is_some()
        || edit.auto_done == Some(true)
        || matches!(edit.nag, Some(Some(_)));
    if !is_concerned {
        return Ok(edit);
    }
    let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?.task;
    let was_reminder = seen.details.command.is_none();
    let is_reminder = match asked {
        None => was_reminder,
        Some(Asked::Nothing) => {
            edit.command = Some(None);
            true
        }
        Some(Asked::Command(asked)) => {
            let program = program(*asked, seen.details.command.as_deref())?;
            edit.command = Some(Some(Box::new(program)));
            false
        }
    };
    if let Some(ping) = ping {
        if is_reminder && ping.is_some() {
            return Err(hooks::no_command_to_ping());
        }
        let before = seen.details.command.clone().filter(|_| !is_reminder);
        if let Some(program) = edit.command.get_or_insert(before) {
            program.ping = ping;
        }
    }
    let (is_reminder_now, is_command_now) = (is_reminder && !was_reminder, was_reminder && !is_reminder);
    if is_command_now {
        edit.missed = edit.missed.or((seen.policy.missed == Missed::Once).then_some(Missed::Skip));
        edit.alerts = edit.alerts.or((seen.alerts == [Span::ZERO]).then(Vec::new));
    }
    if is_reminder_now {
        edit.missed = edit.missed.or((seen.policy.missed != Missed::Once).then_some(Missed::Once));
        edit.alerts = edit.alerts.or(seen.alerts.is_empty().then(|| vec![Span::ZERO]));
    }
    Beside {
        has_command: !is_reminder,
        nags: edit.nag.unwrap_or(seen.policy.nag).is_some(),
        auto_done: edit.auto_done.unwrap_or(seen.policy.auto_done),
        missed: edit.missed.unwrap_or(seen.policy.missed),
    }
    .check()?;
    Ok(edit)
}

/// Returns the title of a command that was given none: the beginning of what is run.
pub(super) fn title(line: &Line) -> Result<String, RpcError> {
    let whole = details::title(&line.to_string().chars().take(4 * TITLE_CHARS_MAX).collect::<String>())?;
    if whole.chars().count() <= TITLE_CHARS_MAX {
        return Ok(whole);
    }
    Ok(whole.chars().take(TITLE_CHARS_MAX - 1).chain(['…']).collect())
}

fn refuse(message: impl Into<String>) -> RpcError {
    RpcError::new(ErrorKind::Params, message)
}

fn arguments_line(arguments: Vec<String>) -> Result<Line, RpcError> {
    within("command", arguments.len(), ARGUMENTS_MAX, "arguments")?;
    within("command", arguments.iter().map(|argument| argument.len() + 1).sum(), LINE_BYTES_MAX, "bytes")?;
    if arguments.first().is_none_or(String::is_empty) {
        return Err(refuse("cannot run nothing: expected the name of a program"));
    }
    if arguments.iter().any(|argument| argument.contains('\0')) {
        return Err(refuse("cannot run the command: expected arguments without NUL characters"));
    }
    Ok(Line::Arguments(arguments))
}

fn shell_line(text: String) -> Result<Line, RpcError> {
    within("command", text.len(), LINE_BYTES_MAX, "bytes")?;
    if text.trim().is_empty() {
        return Err(refuse("cannot run nothing: expected a text for sh"));
    }
    if text.contains('\0') {
        return Err(refuse("cannot run the command: expected a text without NUL characters"));
    }
    Ok(Line::Shell(text))
}

fn directory(path: String) -> Result<String, RpcError> {
    within("directory", path.len(), DIRECTORY_BYTES_MAX, "bytes")?;
    if path.is_empty() || path.starts_with('/') && !path.contains('\0') {
        return Ok(path);
    }
    Err(refuse(format!("cannot run the command in {path:?}: expected an absolute path")))
}

fn environment(env: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, RpcError> {
    within("environment", env.len(), ENV_MAX, "variables")?;
    within("environment", env.iter().map(|(name, value)| name.len() + value.len()).sum(), ENV_BYTES_MAX, "bytes")?;
    for (name, value) in &env {
        if name.is_empty() || name.contains(|letter: char| letter == '=' || letter.is_control()) {
            let message =
                format!("cannot set variable {name:?}: expected a name without =, line breaks or the like in it");
            return Err(refuse(message));
        }
        if name.starts_with("KEIKO_") {
            return Err(refuse(format!("cannot set variable {name}: Keiko sets those that begin with KEIKO_ itself")));
        }
        if value.contains('\0') {
            // Said without the value: it may be secret.
            return Err(refuse(format!("cannot set variable {name}: expected a value without NUL characters")));
        }
    }
    Ok(env)
}

fn seconds(what: &str, text: &str) -> Result<Span, RpcError> {
    let span = time::length(text)?;
    if span < SECOND {
        return Err(refuse(format!("cannot use {what} {text:?}: expected a second at least")));
    }
    Ok(span)
}

fn overlap(word: &str) -> Result<Overlap, RpcError> {
    Overlap::from_word(word)
        .ok_or_else(|| refuse(format!("cannot use overlap {word:?}: expected skip, queue or allow")))
}

fn limits(limits: methods::Limits) -> Result<Limits, RpcError> {
    let none = |what: &str| refuse(format!("cannot limit {what} to 0: nothing would run"));
    let positive = |what: &str, number: Option<u64>| match number {
        Some(0) => Err(none(what)),
        number => Ok(number),
    };
    let memory = limits.memory.map(|methods::Size(text)| bytes(&text)).transpose()?;
    if let Some(few) = memory.filter(|bytes| (1..MEMORY_BYTES_MIN).contains(bytes)) {
        let message = format!("cannot limit memory to {few} bytes: no program starts with less than 4M");
        return Err(refuse(message).with_hint("a number alone counts bytes: memory=512M is half a gigabyte"));
    }
    let cpu = limits.cpu.map(|text| seconds("limit of cpu", &text)).transpose()?;
    Ok(Limits {
        memory_bytes: positive("memory", memory)?,
        cpu_s: cpu.and_then(|cpu| u64::try_from(cpu.as_millis() / 1000).ok()),
        processes: positive("processes", limits.processes)?,
        files: positive("files", limits.files)?,
    })
}

/// Reads a size: `512M`, `2GiB`, `1048576`. The letters count in steps of 1024, as those of systemd do.
fn bytes(text: &str) -> Result<u64, RpcError> {
    let typed = text.trim();
    let digits = typed.len() - typed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = typed.split_at(digits);
    let unit = unit.trim().to_ascii_uppercase();
    let power = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => Some(0),
        "K" => Some(1),
        "M" => Some(2),
        "G" => Some(3),
        "T" => Some(4),
        _ => None,
    };
    let size = |number: u64, power: u32| number.checked_mul(1024_u64.checked_pow(power)?);
    number.parse().ok().zip(power).and_then(|(number, power)| size(number, power)).ok_or_else(|| {
        refuse(format!("cannot read {text:?} as a size of memory: expected a number of bytes, such as 512M or 2G"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> methods::Command {
        methods::Command { shell: Some(line.to_owned()), ..methods::Command::default() }
    }

    #[track_caller]
    fn check_refused(asked: methods::Command, expected: &str) {
        assert_eq!(program(asked, None).expect_err("refused").message, expected);
    }

    #[test]
    fn a_size_of_memory_counts_in_steps_of_1024() {
        let read = |text: &str| bytes(text).ok();
        assert_eq!(read("1048576"), Some(1 << 20));
        assert_eq!(read("512M"), Some(512 << 20));
        assert_eq!(read("512 mb"), Some(512 << 20));
        assert_eq!(read("2GiB"), Some(2 << 30));
        for wrong in ["", "M", "-1", "1.5G", "1X", "99999999999999999999", "99999999T"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_command_is_an_argument_list_or_a_text_for_sh_and_not_both() {
        check_refused(
            methods::Command { arguments: Some(vec!["a".into()]), ..asked("a") },
            "cannot use both parameters \"arguments\" and \"shell\": expected one of them",
        );
        check_refused(methods::Command::default(), "cannot run nothing: expected parameter \"arguments\" or \"shell\"");
        check_refused(asked(" "), "cannot run nothing: expected a text for sh");
        let empty = methods::Command { arguments: Some(Vec::new()), ..methods::Command::default() };
        check_refused(empty, "cannot run nothing: expected the name of a program");
    }

    #[test]
    fn what_cannot_be_run_so_is_refused_with_words_and_without_values() {
        let env = |name: &str, value: &str| Some(BTreeMap::from([(name.to_owned(), value.to_owned())]));
        check_refused(
            methods::Command { directory: Some("work".into()), ..asked("x") },
            "cannot run the command in \"work\": expected an absolute path",
        );
        check_refused(
            methods::Command { env: env("TOKEN", "hunter2\0"), ..asked("x") },
            "cannot set variable TOKEN: expected a value without NUL characters",
        );
        check_refused(
            methods::Command { env: env("KEIKO_TASK", "1"), ..asked("x") },
            "cannot set variable KEIKO_TASK: Keiko sets those that begin with KEIKO_ itself",
        );
        check_refused(methods::Command { nice: Some(20), ..asked("x") }, "cannot use nice 20: expected 0 to 19");
        check_refused(
            methods::Command { overlap: Some("kill".into()), ..asked("x") },
            "cannot use overlap \"kill\": expected skip, queue or allow",
        );
        check_refused(
            methods::Command { timeout: Some(Some("0.5s".into())), ..asked("x") },
            "cannot use timeout \"0.5s\": expected a second at least",
        );
        let limits = Some(methods::Limits { processes: Some(0), ..methods::Limits::default() });
        check_refused(methods::Command { limits, ..asked("x") }, "cannot limit processes to 0: nothing would run");
    }

    #[test]
    fn what_is_not_said_anew_stays() {
        let before = program(
            methods::Command {
                directory: Some("/srv".into()),
                timeout: Some(Some("1h".into())),
                overlap: Some("queue".into()),
                nice: Some(5),
                ..asked("true")
            },
            None,
        )
        .expect("a command");
        let none = methods::Command { timeout: Some(None), ..methods::Command::default() };
        let after = program(none, Some(&before)).expect("a command");
        assert_eq!(after, Program { timeout: None, ..before });
    }

    #[test]
    fn a_command_without_a_title_is_called_after_what_it_runs() {
        let told = |arguments: &[&str]| {
            title(&Line::Arguments(arguments.iter().map(|each| (*each).to_owned()).collect())).expect("a title")
        };
        assert_eq!(told(&["tar", "czf", "my home.tgz", "src"]), "tar czf 'my home.tgz' src");
        let long = told(&["echo", &"x".repeat(100)]);
        assert_eq!((long.chars().count(), long.ends_with('…')), (TITLE_CHARS_MAX, true));
    }
}
