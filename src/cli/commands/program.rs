//! What is typed of a command that a task runs, and what is kept of where it is typed.

use std::collections::BTreeMap;
use std::env;
use std::io::Read as _;
use std::path::Path;

use clap::Args;

use crate::cli::error::CliError;
use crate::protocol::methods::{Command, Limits, Size};

/// The variables that are kept of where a command is typed: where programs are found, the home directory, and how times and
/// texts are told. Those of the session (the screen, the agent, the bus) are read when it runs: they change.
const KEPT: [&str; 5] = ["PATH", "HOME", "LANG", "LANGUAGE", "TZ"];

/// Those that are kept besides, by how they begin.
const KEPT_PREFIX: &str = "LC_";

/// The longest command, and the longest script that is read from standard input: the daemon takes no longer ones.
const SCRIPT_BYTES_MAX: u64 = 64 * 1024;

/// The programs that are shells, so that a script of theirs can be given to them as sh is given one.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "yash"];

/// The options of a command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Commands")]
pub(crate) struct ProgramOptions {
    /// Run what stands behind -- when it is due; -- alone says so too
    #[arg(long, requires = "command")]
    run: bool,
    /// Run this text with sh when it is due; - reads it from standard input, as at does
    #[arg(long, value_name = "TEXT", conflicts_with = "command")]
    sh: Option<String>,
    /// A variable to keep besides PATH, HOME, TZ and the locale, or to set
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// Where it runs, unless here
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,
    /// How long it may run; then it is ended with all that it started
    #[arg(long, value_name = "SPAN")]
    timeout: Option<String>,
    /// What becomes of a time at which it still runs: skip, queue or allow (skip)
    #[arg(long, value_name = "RULE")]
    overlap: Option<String>,
    /// How much it gives way to others, from 0 to 19 (0)
    #[arg(long, value_name = "N", value_parser = nice, allow_negative_numbers = true)]
    nice: Option<u8>,
    /// What it may use at most: memory=512M,cpu=10m,processes=50,files=64
    #[arg(long, value_name = "WHAT=HOW MUCH", value_delimiter = ',')]
    limit: Vec<String>,
    /// What is run when it is due: a program and its arguments, word for word
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl ProgramOptions {
    /// Returns whether it is said what is run.
    pub(crate) fn has_line(&self) -> bool {
        !self.command.is_empty() || self.sh.is_some()
    }

    /// Returns whether anything is said of a command.
    pub(crate) fn is_given(&self) -> bool {
        self.has_line()
            || !self.env.is_empty()
            || !self.limit.is_empty()
            || [&self.dir, &self.timeout, &self.overlap].iter().any(|option| option.is_some())
            || self.nice.is_some()
    }

    /// Returns the command of a task that is added, `None` where it is a reminder.
    ///
    /// # Errors
    /// An option is wrong or stands without a command, or standard input cannot be read.
    pub(crate) fn of_new(&self) -> Result<Option<Command>, CliError> {
        self.check_line()?;
        if self.is_given() && !self.has_line() {
            return Err(CliError::usage(
                "cannot use options of a command without one",
                "say what is run behind --, such as: keiko add backup every night at 3am -- tar czf home.tgz .",
            ));
        }
        self.asked()
    }

    /// Returns what is asked of the command of a task that is there: what is not said stays.
    ///
    /// # Errors
    /// As [`ProgramOptions::of_new`].
    pub(crate) fn asked(&self) -> Result<Option<Command>, CliError> {
        self.check_line()?;
        if !self.is_given() {
            return Ok(None);
        }
        let has_line = self.has_line();
        let (arguments, shell) = match self.sh.as_deref().map(script).transpose()? {
            Some(script) => by_first_line(script)?,
            None => ((!self.command.is_empty()).then(|| self.command.clone()), None),
        };
        Ok(Some(Command {
            arguments,
            shell,
            directory: if has_line || self.dir.is_some() { Some(directory(self.dir.as_deref())?) } else { None },
            env: if has_line || !self.env.is_empty() { Some(environment(&self.env)?) } else { None },
            timeout: self.timeout.clone().map(Some),
            overlap: self.overlap.clone(),
            nice: self.nice,
            limits: if self.limit.is_empty() { None } else { Some(limits(&self.limit)?) },
        }))
    }
}

impl ProgramOptions {
    /// Refuses a command of nothing, and one that no daemon takes.
    fn check_line(&self) -> Result<(), CliError> {
        // clap does not tell -- with nothing behind it from none at all.
        if self.command.is_empty() && env::args_os().next_back().is_some_and(|last| last == "--") {
            return Err(CliError::usage(
                "cannot run nothing: expected a command behind --",
                "leave -- out for a reminder, or name a program behind it",
            ));
        }
        let bytes: usize = self.command.iter().map(|argument| argument.len() + 1).sum();
        if bytes as u64 > SCRIPT_BYTES_MAX {
            return Err(CliError::usage(
                format!("cannot keep the command: it has {bytes} bytes, expected {SCRIPT_BYTES_MAX} at most"),
                "put it into a script, or what it works on into a file, and run that",
            ));
        }
        Ok(())
    }
}

fn nice(text: &str) -> Result<u8, String> {
    let refused = || "expected 0 to 19: a command can give way to others, and nothing else".to_owned();
    text.parse().ok().filter(|nice| *nice <= 19).ok_or_else(refused)
}

/// Returns what runs a script as its first line says: a list of arguments where it names another shell, else a text for sh.
fn by_first_line(script: String) -> Result<(Option<Vec<String>>, Option<String>), CliError> {
    let first = script.strip_prefix("#!").and_then(|rest| rest.lines().next()).map(str::to_owned);
    let words: Vec<String> = first.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect();
    let Some(interpreter) = words.first() else { return Ok((None, Some(script))) };
    let base = |word: &str| Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    let program = if base(interpreter).is_some_and(|name| name == "env") {
        words[1..].iter().find(|word| !word.starts_with('-')).and_then(|word| base(word))
    } else {
        base(interpreter)
    };
    if !program.as_deref().is_some_and(|program| SHELLS.contains(&program)) {
        let line = words.join(" ");
        return Err(CliError::usage(
            format!("cannot run the script with sh: its first line asks for {line}"),
            "put it into a file that may be executed, and run that behind --",
        ));
    }
    if words.len() == 1 && program.as_deref() == Some("sh") {
        return Ok((None, Some(script)));
    }
    Ok((Some(words.into_iter().chain(["-c".to_owned(), script]).collect()), None))
}

fn script(text: &str) -> Result<String, CliError> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut script = Vec::new();
    let read = std::io::stdin().lock().take(SCRIPT_BYTES_MAX + 1).read_to_end(&mut script);
    let read = read.map_err(|source| CliError::Input { source })?;
    let refuse =
        |why: &str| CliError::usage(format!("cannot keep the script: {why}"), "put it into a file, and run that");
    if read as u64 > SCRIPT_BYTES_MAX {
        return Err(refuse(&format!("it has more than {SCRIPT_BYTES_MAX} bytes")));
    }
    String::from_utf8(script).map_err(|_| refuse("it is not UTF-8"))
}

/// Returns the directory as an absolute path: the present one, unless another is named.
fn directory(named: Option<&str>) -> Result<String, CliError> {
    let unusable =
        |why: String| CliError::usage(format!("cannot tell where it is to run: {why}"), "name a directory with --dir");
    let here = || env::current_dir().map_err(|error| unusable(error.to_string()));
    let path = match named {
        Some(named) if Path::new(named).is_absolute() => named.into(),
        Some(named) => here()?.join(named),
        None => here()?,
    };
    if let Some(named) = named.filter(|_| !path.is_dir()) {
        let why = if path.exists() { "it is no directory" } else { "there is no such directory" };
        return Err(CliError::usage(
            format!("cannot run the command in {named}: {why}"),
            "make it first, or let the command go there itself: --sh 'cd DIR && …'",
        ));
    }
    path.into_os_string().into_string().map_err(|path| unusable(format!("{} is not UTF-8", path.display())))
}

/// Returns the variables that are kept, and those that are named or set besides.
fn environment(named: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let is_kept = |name: &str| KEPT.contains(&name) || name.starts_with(KEPT_PREFIX);
    let here = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut kept: BTreeMap<String, String> = here.filter(|(name, _)| is_kept(name)).collect();
    for name in named {
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (name.as_str(), env::var(name).map_err(|_| unset(name))?),
        };
        if name.is_empty() || name.contains(char::is_control) {
            return Err(CliError::usage(
                format!("cannot set variable {name:?}: expected a name without line breaks or the like"),
                "such as: --env TOKEN, or --env GREETING=hello",
            ));
        }
        kept.insert(name.to_owned(), value);
    }
    Ok(kept)
}

fn unset(name: &str) -> CliError {
    CliError::usage(
        format!("cannot keep variable {name}: it is not set here, or not UTF-8"),
        format!("set it for the command with --env {name}=VALUE"),
    )
}

fn limits(typed: &[String]) -> Result<Limits, CliError> {
    let mut limits = Limits::default();
    for limit in typed {
        let refuse = || {
            CliError::usage(
                format!("cannot read limit {limit:?}: expected memory, cpu, processes or files, with = and how much"),
                "such as: --limit memory=512M,cpu=10m,processes=50,files=64",
            )
        };
        let (what, much) = limit.split_once('=').ok_or_else(refuse)?;
        let number = || much.trim().parse().map(Some).map_err(|_| refuse());
        match what.trim() {
            "memory" => limits.memory = Some(Size(much.to_owned())),
            "cpu" => limits.cpu = Some(much.to_owned()),
            "processes" => limits.processes = number()?,
            "files" => limits.files = number()?,
            _ => return Err(refuse()),
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(texts: &[&str]) -> Result<Limits, String> {
        let typed: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        limits(&typed).map_err(|error| error.to_string())
    }

    #[test]
    fn limits_are_names_with_how_much() {
        let all = limit(&["memory=512M", "cpu=10m", "processes=50", "files=64"]).expect("limits");
        let expected = Limits {
            memory: Some(Size("512M".to_owned())),
            cpu: Some("10m".to_owned()),
            processes: Some(50),
            files: Some(64),
        };
        assert_eq!(all, expected);
        assert_eq!(
            limit(&["disk=1G"]).expect_err("no such limit"),
            "cannot read limit \"disk=1G\": expected memory, cpu, processes or files, with = and how much"
        );
        assert!(limit(&["files=many"]).is_err());
        assert!(limit(&["memory"]).is_err());
    }

    #[test]
    fn a_variable_is_kept_by_its_name_or_set() {
        let kept = environment(&["KEIKO_TEST_SET=a=b".to_owned()]).expect("variables");
        assert_eq!(kept.get("KEIKO_TEST_SET").map(String::as_str), Some("a=b"));
        assert!(
            kept.keys()
                .all(|name| KEPT.contains(&name.as_str()) || name.starts_with("LC_") || name == "KEIKO_TEST_SET")
        );
        let unset = environment(&["KEIKO_TEST_UNSET".to_owned()]).expect_err("not set");
        assert_eq!(unset.to_string(), "cannot keep variable KEIKO_TEST_UNSET: it is not set here, or not UTF-8");
    }

    #[test]
    fn a_directory_is_kept_as_an_absolute_path() {
        assert_eq!(directory(Some("/")).expect("a path"), "/");
        let here = env::current_dir().expect("a directory").join("src");
        assert_eq!(directory(Some("src")).expect("a path"), here.to_str().expect("UTF-8"));
        let check = |named: &str, told: &str| {
            assert_eq!(directory(Some(named)).expect_err("no directory").to_string(), told);
        };
        check("/absent", "cannot run the command in /absent: there is no such directory");
        check("Cargo.toml", "cannot run the command in Cargo.toml: it is no directory");
    }

    #[test]
    fn a_script_is_run_as_its_first_line_says() {
        let by = |script: &str| by_first_line(script.to_owned()).map_err(|error| error.to_string());
        let text = |script: &str| Ok((None, Some(script.to_owned())));
        let list = |words: &[&str]| Ok((Some(words.iter().map(|word| (*word).to_owned()).collect()), None));
        assert_eq!(by("make\n"), text("make\n"));
        assert_eq!(by("#!/bin/sh\nmake\n"), text("#!/bin/sh\nmake\n"));
        assert_eq!(by("#!\nmake"), text("#!\nmake"));
        assert_eq!(by("#! /bin/bash -eu\nx"), list(&["/bin/bash", "-eu", "-c", "#! /bin/bash -eu\nx"]));
        assert_eq!(by("#!/usr/bin/env zsh\nx"), list(&["/usr/bin/env", "zsh", "-c", "#!/usr/bin/env zsh\nx"]));
        assert_eq!(
            by("#!/usr/bin/env python3\nprint()"),
            Err("cannot run the script with sh: its first line asks for /usr/bin/env python3".to_owned())
        );
    }

    #[test]
    fn a_variable_has_a_name_that_can_be_one() {
        for named in ["=x", "A\nB=x", "A\tB=x"] {
            let error = environment(&[named.to_owned()]).expect_err("no name");
            assert!(error.to_string().starts_with("cannot set variable"), "{error}");
        }
        assert!(environment(&["A=b\nc".to_owned()]).is_ok(), "a value may have lines");
    }
}
