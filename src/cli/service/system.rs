//! What do the programs of the system say that know of services: `systemctl`, `loginctl`, `journalctl`, `launchctl`?
//!
//! Each call has a time limit: whoever asks may wait for a person.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::cli::service::{Manager, ServiceError};

/// How long a question may take.
const ASK_WITHIN: Duration = Duration::from_secs(5);

/// How long a service may take to start or to stop: as long as its unit allows.
pub(crate) const CHANGE_WITHIN: Duration = Duration::from_secs(150);

/// How much of what a program says is read.
const SAID_BYTES_MAX: u64 = 64 * 1024;

/// What a program came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ran {
    /// Whether it went well.
    pub(crate) is_fine: bool,
    /// What it said on standard output.
    pub(crate) out: String,
    /// What it said on standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Returns in a line why it did not go well.
    fn why(&self) -> String {
        let lines: Vec<&str> = [self.err.trim(), self.out.trim()].into_iter().filter(|said| !said.is_empty()).collect();
        let why = lines.first().map_or("it failed without a word", |said| said);
        why.lines().next().unwrap_or(why).to_owned()
    }
}

/// Runs a program to its end, which it must come to within the limit.
///
/// # Errors
/// In words: it cannot be started, or does not end in time.
pub(crate) fn run(mut command: Command, limit: Duration) -> Result<Ran, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("cannot run {name}: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (told, telling) = mpsc::channel();
    // A thread, since the system's wait knows no time limit. It ends with the program, or with this process.
    let pid = child.id();
    std::thread::spawn(move || {
        let mut err_text = Vec::new();
        let errors = std::thread::spawn(move || {
            let _ = err.map(|err| err.take(SAID_BYTES_MAX).read_to_end(&mut err_text));
            err_text
        });
        let mut out_text = Vec::new();
        let _ = out.map(|out| out.take(SAID_BYTES_MAX).read_to_end(&mut out_text));
        let err_text = errors.join().unwrap_or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let is_fine = child.wait().is_ok_and(|status| status.success());
        let _ = told.send(Ran { is_fine, out: text(&out_text), err: text(&err_text) });
    });
    telling.recv_timeout(limit).map_err(|_| {
        end(pid);
        format!("{name} did not end within {} s", limit.as_secs())
    })
}

#[cfg(unix)]
fn end(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // Our child, which nobody has waited for: the number is still its own.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
const fn end(_pid: u32) {}

/// Returns the command that asks the person's own manager.
fn systemctl(arguments: &[&str]) -> Command {
    let mut command = Command::new("systemctl");
    command.arg("--user").args(arguments);
    with_runtime_dir(&mut command);
    command
}

/// Under cron and sudo nothing says where the manager is, though it runs.
fn with_runtime_dir(command: &mut Command) {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none_or(|path| path.is_empty()) {
        command.env("XDG_RUNTIME_DIR", default_runtime_dir());
    }
}

#[cfg(unix)]
fn default_runtime_dir() -> PathBuf {
    PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()))
}

#[cfg(not(unix))]
fn default_runtime_dir() -> PathBuf {
    PathBuf::new()
}

/// Returns whether the person's manager answers.
///
/// # Errors
/// It does not: why.
pub(crate) fn systemd_answers() -> Result<(), ServiceError> {
    let refuse = |why| Err(ServiceError::NoManager { manager: Manager::Systemd, why });
    match run(systemctl(&["show-environment"]), ASK_WITHIN) {
        Ok(ran) if ran.is_fine => Ok(()),
        Ok(ran) => refuse(ran.why()),
        Err(why) => refuse(why),
    }
}

/// Has the person's manager do something.
///
/// # Errors
/// It refuses or does not answer.
pub(crate) fn systemd_do(arguments: &[&str]) -> Result<(), ServiceError> {
    let refused = |why| ServiceError::Refused { what: format!("systemctl --user {}", arguments.join(" ")), why };
    match run(systemctl(arguments), CHANGE_WITHIN) {
        Ok(ran) if ran.is_fine => Ok(()),
        Ok(ran) => Err(refused(ran.why())),
        Err(why) => Err(refused(why)),
    }
}

/// Returns the process that a unit runs in; `None` where it does not run.
pub(crate) fn systemd_pid(unit: &str) -> Option<u32> {
    let ran = run(systemctl(&["show", "--property=MainPID", "--value", "--", unit]), ASK_WITHIN).ok()?;
    ran.out.trim().parse().ok().filter(|pid| ran.is_fine && *pid != 0)
}

/// Returns how a unit is, in systemd's own words, such as `failed (start-limit-hit)`.
pub(crate) fn systemd_state(unit: &str) -> Option<String> {
    let command = systemctl(&["show", "--property=ActiveState,Result", "--", unit]);
    let ran = run(command, ASK_WITHIN).ok().filter(|ran| ran.is_fine)?;
    let of = |key: &str| ran.out.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().to_owned();
    let (state, result) = (of("ActiveState="), of("Result="));
    Some(if result.is_empty() || result == "success" { state } else { format!("{state} ({result})") })
}

/// Returns the command that shows the lines of a unit.
pub(crate) fn journalctl(unit: &str, arguments: &[String]) -> Command {
    let mut command = Command::new("journalctl");
    command.args(["--user", "--unit", unit]).args(arguments);
    with_runtime_dir(&mut command);
    command
}

/// Returns whether the person's services run while nobody is logged in; `None` where that cannot be told.
pub(crate) fn lingers() -> Option<bool> {
    let user = user()?;
    let folder = Path::new("/var/lib/systemd/linger");
    if folder.is_dir() {
        return Some(folder.join(&user).exists());
    }
    let mut command = Command::new("loginctl");
    command.args(["show-user", "--property=Linger", "--value", "--", &user]);
    let ran = run(command, ASK_WITHIN).ok().filter(|ran| ran.is_fine)?;
    match ran.out.trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Returns the name of the person, for a folder's file: never one with a slash.
fn user() -> Option<String> {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty() && !name.contains('/') && !name.starts_with('.'))
}

/// Returns whether the clock follows those of others; `None` where that cannot be told.
pub(crate) fn is_synchronised() -> Option<bool> {
    let mut command = Command::new("timedatectl");
    command.args(["show", "--property=NTPSynchronized", "--value"]);
    let ran = run(command, ASK_WITHIN).ok().filter(|ran| ran.is_fine)?;
    match ran.out.trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Returns whether there is a launchd at all.
///
/// # Errors
/// There is none.
pub(crate) fn launchd_answers() -> Result<(), ServiceError> {
    if cfg!(target_os = "macos") {
        return Ok(());
    }
    Err(ServiceError::NoManager { manager: Manager::Launchd, why: "it is a part of macOS".to_owned() })
}

/// Has launchd do something.
///
/// # Errors
/// It refuses or does not answer.
pub(crate) fn launchctl(arguments: &[&str]) -> Result<(), ServiceError> {
    let mut command = Command::new("launchctl");
    command.args(arguments);
    let refused = |why| ServiceError::Refused { what: format!("launchctl {}", arguments.join(" ")), why };
    match run(command, CHANGE_WITHIN) {
        Ok(ran) if ran.is_fine => Ok(()),
        Ok(ran) => Err(refused(ran.why())),
        Err(why) => Err(refused(why)),
    }
}

/// Returns what launchd calls the session of the person.
#[cfg(unix)]
pub(crate) fn launchd_domain() -> String {
    format!("gui/{}", rustix::process::geteuid().as_raw())
}

/// Nothing: there is no launchd.
#[cfg(not(unix))]
pub(crate) fn launchd_domain() -> String {
    String::new()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_says_is_heard_and_one_that_hangs_is_ended() {
        let ran = run(shell("echo out; echo err >&2; echo more >&2; exit 3"), ASK_WITHIN).unwrap();
        assert_eq!((ran.is_fine, ran.out.as_str(), ran.why().as_str()), (false, "out\n", "err"));
        let told = run(shell("exec sleep 600"), Duration::from_millis(50)).unwrap_err();
        assert_eq!(told, "sh did not end within 0 s");
        let absent = run(Command::new("/absent/program"), ASK_WITHIN).unwrap_err();
        assert_eq!(absent, "cannot run /absent/program: No such file or directory (os error 2)");
    }
}
