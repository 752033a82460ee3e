//! The real runner of commands with a process of its own, and gates by which a test holds and hears commands.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use keiko::domain::run::{Limits, Line, Output, Overlap, Program, RunEnd, RunId, RunReport};
use keiko::domain::time::Span;
use keiko::runner::client::{Place, ProcessRunner};
use keiko::runner::{News, Order, Runner as _};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::support::soon;

/// A runner with files of its own; what is left of its process goes with it.
pub(crate) struct Office {
    root: TempDir,
    /// Names its runs, so that no other test's process is taken for one of them.
    series: u128,
    runner: ProcessRunner,
    news: mpsc::Receiver<News>,
}

impl Office {
    /// Returns one; no process is started yet.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let (runner, news) = runner_in(root.path());
        Self { root, series: Uuid::new_v4().as_u128(), runner, news }
    }

    /// Leaves as a daemon that is killed does, and comes back as another.
    pub(crate) async fn come_back(&mut self) {
        // What was said is on its way; after that nothing is.
        self.runner.flush().await;
        (self.runner, self.news) = runner_in(self.root.path());
    }

    /// Returns the runner.
    pub(crate) fn runner(&self) -> &ProcessRunner {
        &self.runner
    }

    /// Returns a path among its files.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Starts a script, which finds its files in `$0`.
    pub(crate) fn script(&self, number: u128, script: &str) -> RunId {
        self.program(number, self.sh(script))
    }

    /// Returns the program of a script.
    pub(crate) fn sh(&self, script: &str) -> Program {
        program(&["sh", "-c", script, self.root.path().to_str().unwrap()])
    }

    /// Returns the name of the run of a number.
    pub(crate) fn name(&self, number: u128) -> RunId {
        RunId(Uuid::from_u128(self.series ^ number))
    }

    /// Starts a program.
    pub(crate) fn program(&self, number: u128, program: Program) -> RunId {
        let id = self.name(number);
        self.runner.start(Order { id, program, variables: BTreeMap::from([("KEIKO_RUN".into(), id.to_string())]) });
        id
    }

    /// Returns the next of the news.
    pub(crate) async fn hear(&mut self) -> News {
        soon("news", self.news.recv()).await.expect("the runner lives")
    }

    /// Returns the next news of a run; of others there are none.
    pub(crate) async fn hear_of(&mut self, id: RunId) -> RunReport {
        let news = self.hear().await;
        assert_eq!(news.id, id, "{news:?}");
        news.report
    }

    /// Waits for the end of a run, and returns what was told of it before.
    pub(crate) async fn end_of(&mut self, id: RunId) -> (Vec<RunReport>, RunEnd, Output) {
        let mut before = Vec::new();
        loop {
            match self.hear_of(id).await {
                RunReport::Ended { end, output } => {
                    self.runner.forget(id);
                    return (before, end, output);
                }
                report @ (RunReport::Starting
                | RunReport::Started { .. }
                | RunReport::Progress(_)
                | RunReport::Checkpoint(_)) => before.push(report),
            }
        }
    }

    /// Runs a script to its end.
    pub(crate) async fn result_of(&mut self, script: &str) -> (RunEnd, String) {
        let id = self.script(1, script);
        let (_, end, output) = self.end_of(id).await;
        (end, String::from_utf8(output.tail).unwrap())
    }

    /// Returns the process that runs the commands, while it is there.
    pub(crate) fn process(&self) -> Option<Pid> {
        let lock = File::open(self.path("runner.lock")).ok()?;
        if lock.try_lock_shared().is_ok() {
            return None;
        }
        let text = fs::read_to_string(self.path("runner.lock")).unwrap();
        Pid::from_raw(text.trim().parse().ok()?)
    }

    /// Kills that process, and waits until it is gone.
    pub(crate) fn kill_process(&self) {
        let pid = self.process().expect("it is there");
        let lock = File::open(self.path("runner.lock")).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        // Its lock ends with it.
        lock.lock_shared().unwrap();
    }

    /// Waits until that process has ended by itself.
    pub(crate) async fn wait_for_end(&self) {
        let lock = File::open(self.path("runner.lock")).unwrap();
        soon("the end of the runner", tokio::task::spawn_blocking(move || lock.lock_shared().unwrap())).await.unwrap();
    }

    /// Makes a gate of a name: a script passes it with `read x < $0/NAME` or speaks through it with `echo y > $0/NAME`.
    pub(crate) fn gate(&self, name: &str) -> Gate {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Gate { path }
    }
}

/// Stops a process, and waits until each of its threads is.
pub(crate) fn stop(pid: Pid) {
    kill_process(pid, Signal::STOP).unwrap();
    let state_of = |thread: fs::DirEntry| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // Behind the name, which may hold anything.
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next().map(str::to_owned))
    };
    let threads = || fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).unwrap().flatten();
    while !threads().filter_map(state_of).all(|state| state == "T") {
        std::thread::yield_now();
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        if let Some(pid) = self.process() {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn runner_in(root: &Path) -> (ProcessRunner, mpsc::Receiver<News>) {
    let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_keikod")));
    let place = Place {
        lock: root.join("runner.lock"),
        sockets: vec![root.join("runner.sock")],
        program,
        variables: std::collections::BTreeMap::new(),
    };
    let runner = ProcessRunner::at(place);
    let news = runner.news();
    (runner, news)
}

/// Returns a program with nothing but a `PATH`.
pub(crate) fn program(arguments: &[&str]) -> Program {
    Program {
        line: Line::Arguments(arguments.iter().map(ToString::to_string).collect()),
        directory: "/".to_owned(),
        environment: BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]),
        timeout: Some(Span::from_secs(60)),
        overlap: Overlap::Skip,
        nice: 0,
        limits: Limits::default(),
        ping: None,
    }
}

/// A named pipe: whoever opens one side waits for the other.
pub(crate) struct Gate {
    path: PathBuf,
}

impl Gate {
    /// Lets one through, once it is there.
    pub(crate) async fn open(&self) {
        let path = self.path.clone();
        let opened = tokio::task::spawn_blocking(move || {
            File::options().write(true).open(path).unwrap().write_all(b"go\n").unwrap();
        });
        soon("somebody at the gate", opened).await.unwrap();
    }

    /// Waits until somebody speaks through it, and returns that.
    pub(crate) async fn hear(&self) -> String {
        let path = self.path.clone();
        let heard = tokio::task::spawn_blocking(move || {
            let mut text = String::new();
            File::open(path).unwrap().read_to_string(&mut text).unwrap();
            text
        });
        soon("somebody to speak", heard).await.unwrap()
    }
}
