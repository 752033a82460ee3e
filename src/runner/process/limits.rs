//! How is a command kept within what it may use? By the person's service manager where there is one (`systemd-run --user
//! --scope`), which counts all that the command starts; else, and for what no scope counts, by the limits that the system
//! has for each process (`setrlimit(2)`).
//!
//! The latter a process can only set for itself: this program is started in the command's place, limits itself, and becomes
//! the command. Nothing more is started where nothing is limited.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use crate::domain::run::Limits;
use crate::runner::process::command::{Argv, find, path_of, why_not_run};
use crate::runner::wire::{LimitsLine, StartLine};

/// The argument that makes this program limit itself and become another.
pub(in crate::runner) const ROLE: &str = "--limited";

/// What starts programs in a scope.
const SYSTEMD_RUN: &str = "systemd-run";

/// What is said to it, before the limits.
const SCOPE: [&str; 4] = ["--user", "--scope", "--quiet", "--collect"];

/// How long it may take to show that it works: it asks the service manager, which may be starting itself.
const TRIAL_WITHIN: Duration = Duration::from_secs(5);

/// How many seconds of processor time one gets beyond its limit, to end by itself: SIGXCPU comes at the limit, KILL after.
const CPU_GRACE_S: u64 = 5;

/// How a shell says that a program could not be started, and that it was not found.
const EXIT_NOT_STARTED: u8 = 126;

/// Limits commands.
#[derive(Debug)]
pub(super) struct Limiter {
    /// This program.
    own: PathBuf,
    /// What starts programs in a scope, once it has shown that it does.
    scopes: OnceCell<Option<PathBuf>>,
}

/// What a program sets for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Own {
    limits: LimitsLine,
    nice: u8,
}

impl Limiter {
    /// Returns one that starts `own`, this program.
    pub(super) fn new(own: PathBuf) -> Self {
        Self { own, scopes: OnceCell::new() }
    }

    /// Returns what is to be started so that a program is kept within the limits of its order.
    pub(super) async fn limited(&self, argv: Argv, order: &StartLine) -> Argv {
        let limits = Limits::from(order.limits);
        if limits.is_none() && order.nice == 0 {
            return argv;
        }
        let is_for_scope = limits.memory_bytes.is_some() || limits.processes.is_some();
        let scope = if is_for_scope { self.scopes(order).await } else { None };
        match scope {
            Some(systemd_run) => {
                let rest = Limits { memory_bytes: None, processes: None, ..limits };
                self.by_itself(in_scope(argv, systemd_run, &limits), rest, order.nice)
            }
            None => self.by_itself(argv, limits, order.nice),
        }
    }

    fn by_itself(&self, argv: Argv, limits: Limits, nice: u8) -> Argv {
        if limits.is_none() && nice == 0 {
            return argv;
        }
        let own = Own { limits: limits.into(), nice };
        let told = serde_json::to_string(&own).expect("numbers have a form in JSON");
        let mut arguments = vec![ROLE.to_owned(), told, argv.program.display().to_string(), argv.name];
        arguments.extend(argv.arguments);
        Argv { program: self.own.clone(), name: "keikod".to_owned(), arguments }
    }

    /// Returns what starts programs in a scope, if it works here. Tried once: what fails would look as if a command did.
    async fn scopes(&self, order: &StartLine) -> Option<&Path> {
        let tried = self.scopes.get_or_init(|| async {
            let runtime_dir = order.environment.get("XDG_RUNTIME_DIR")?;
            Path::new(runtime_dir).join("systemd/private").exists().then_some(())?;
            let systemd_run = find(SYSTEMD_RUN, Path::new("/"), path_of(order))?;
            let mut trial = tokio::process::Command::new(&systemd_run);
            trial.args(SCOPE).args(["--", "true"]).env_clear().envs(&order.environment).kill_on_drop(true);
            trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let ended = tokio::time::timeout(TRIAL_WITHIN, trial.status()).await.ok()?.ok()?;
            ended.success().then_some(systemd_run)
        });
        tried.await.as_deref()
    }
}

fn in_scope(argv: Argv, systemd_run: &Path, limits: &Limits) -> Argv {
    let mut arguments: Vec<String> = SCOPE.map(str::to_owned).to_vec();
    let memory = limits.memory_bytes.map(|bytes| format!("--property=MemoryMax={bytes}"));
    let processes = limits.processes.map(|count| format!("--property=TasksMax={count}"));
    arguments.extend(memory.into_iter().chain(processes));
    arguments.extend(["--".to_owned(), argv.program.display().to_string()]);
    arguments.extend(argv.arguments);
    Argv { program: systemd_run.to_owned(), name: SYSTEMD_RUN.to_owned(), arguments }
}

/// Limits this process as its arguments say, and becomes the program that they name. Returns only if that fails.
pub(super) fn become_limited(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let own = arguments.next().and_then(|told| serde_json::from_str::<Own>(told.to_str()?).ok());
    let (Some(own), Some(program), Some(name)) = (own, arguments.next(), arguments.next()) else {
        return ExitCode::from(EXIT_NOT_STARTED);
    };
    let what = PathBuf::from(&program);
    let error = match own.set() {
        Ok(()) => Command::new(program).arg0(name).args(arguments).exec(),
        Err(error) => error.into(),
    };
    // Standard error is the command's own output by now.
    let why = why_not_run(&what, &error);
    complain(&format!("keikod: cannot start {} within its limits: {why}", what.display()));
    ExitCode::from(EXIT_NOT_STARTED)
}

fn complain(text: &str) {
    use std::io::Write as _;

    let _ = writeln!(std::io::stderr(), "{text}");
}

impl Own {
    fn set(self) -> rustix::io::Result<()> {
        let Limits { memory_bytes, cpu_s, processes, files } = self.limits.into();
        limit(Resource::As, memory_bytes, 0)?;
        limit(Resource::Cpu, cpu_s, CPU_GRACE_S)?;
        limit(Resource::Nofile, files, 0)?;
        // The system counts all of the user's: the command may add so many.
        limit(Resource::Nproc, processes.map(|count| count.saturating_add(processes_of_user())), 0)?;
        if self.nice > 0 {
            nice(i32::from(self.nice))?;
        }
        Ok(())
    }
}

/// Lowers a limit; one that is lower already stays.
fn limit(resource: Resource, value: Option<u64>, grace: u64) -> rustix::io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let before = getrlimit(resource);
    let lower = |value: u64, before: Option<u64>| Some(before.map_or(value, |before| before.min(value)));
    let maximum = lower(value.saturating_add(grace), before.maximum);
    setrlimit(resource, Rlimit { current: lower(value, maximum), maximum })
}

/// Returns how many processes and threads the user of this process has, none where the system does not tell.
fn processes_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::getuid().as_raw();
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    processes
        .flatten()
        .filter(|process| process.metadata().is_ok_and(|found| found.uid() == user))
        .filter_map(|process| std::fs::read_dir(process.path().join("task")).ok())
        .map(|threads| threads.count() as u64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv() -> Argv {
        Argv { program: "/bin/tool".into(), name: "tool".into(), arguments: vec!["a  b".into()] }
    }

    fn order(limits: Limits, nice: u8) -> StartLine {
        StartLine {
            id: uuid::Uuid::nil(),
            arguments: vec!["tool".into()],
            directory: String::new(),
            environment: std::collections::BTreeMap::new(),
            timeout_ms: None,
            nice,
            limits: limits.into(),
        }
    }

    #[tokio::test]
    async fn without_limits_nothing_stands_between() {
        let limiter = Limiter::new("/bin/keikod".into());
        let same = limiter.limited(argv(), &order(Limits::default(), 0)).await;
        assert_eq!((same.program, same.arguments), (argv().program, argv().arguments));
    }

    #[tokio::test]
    async fn a_limited_program_is_started_by_this_one() {
        let limiter = Limiter::new("/bin/keikod".into());
        let limits = Limits { files: Some(9), ..Limits::default() };
        let started = limiter.limited(argv(), &order(limits, 5)).await;
        let told = r#"{"limits":{"memory_bytes":null,"cpu_s":null,"processes":null,"files":9},"nice":5}"#;
        assert_eq!(started.program, Path::new("/bin/keikod"));
        assert_eq!(started.arguments, [ROLE, told, "/bin/tool", "tool", "a  b"]);
    }

    #[test]
    fn a_scope_counts_memory_and_processes() {
        let limits = Limits { memory_bytes: Some(1024), processes: Some(3), cpu_s: Some(1), files: None };
        let scoped = in_scope(argv(), Path::new("/bin/systemd-run"), &limits);
        let mut expected: Vec<&str> = SCOPE.to_vec();
        expected.extend(["--property=MemoryMax=1024", "--property=TasksMax=3", "--", "/bin/tool", "a  b"]);
        assert_eq!(
            (scoped.program.as_path(), scoped.arguments),
            (Path::new("/bin/systemd-run"), expected.iter().map(ToString::to_string).collect())
        );
    }
}
