//! Is this process the one that it was? By its number, its start and the boot of the machine.
//!
//! Numbers come round again; all three together do not. Linux tells the start and the boot; elsewhere no process is ever
//! known again, and what a killed runner left is not waited for.

use std::fs;

use rustix::process::{Pid, Signal, kill_process_group};
use uuid::Uuid;

use crate::domain::run::{Process, RunId};

/// Where Linux names its boot.
const BOOT_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// The field of `/proc/PID/stat` that has the start (`proc_pid_stat(5)`), counted from 0 behind the name.
const START_FIELD: usize = 19;

/// The field that has the group, counted so.
const GROUP_FIELD: usize = 2;

/// The variable by which a command knows its run.
const RUN_VARIABLE: &str = "KEIKO_RUN";

/// Returns which process has a number now. For a child that is not reaped yet, so that no other can have it.
pub(super) fn of(pid: u32) -> Process {
    Process { pid, started: started(pid).unwrap_or_default(), boot: boot().unwrap_or_default() }
}

/// Returns whether a process is there still. One that has ended and whose parent did not look yet is not.
pub(super) fn is_there(process: &Process) -> bool {
    let is_known = process.started != 0 && !process.boot.is_nil();
    is_known && boot() == Some(process.boot) && started(process.pid) == Some(process.started) && !has_ended(process.pid)
}

/// Returns the process of a run whose number nobody wrote down in time: the leader of a group that has the run's name in its
/// environment.
pub(super) fn named(run: RunId) -> Option<Process> {
    let wanted = format!("{RUN_VARIABLE}={run}");
    let is_wanted = |pid: u32| {
        // Those of other users cannot be read.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) && is_leader(pid)
    };
    let processes = fs::read_dir("/proc").ok()?;
    let mut pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid| is_wanted(*pid)).map(of)
}

fn is_leader(pid: u32) -> bool {
    let fields = fields(pid);
    let group = fields.as_deref().and_then(|fields| fields.split_ascii_whitespace().nth(GROUP_FIELD));
    group.and_then(|group| group.parse().ok()) == Some(pid)
}

/// Sends a signal to all of a group.
///
/// The caller knows that the number is the group's still: its leader is not reaped.
pub(super) fn signal_group(leader: u32, signal: Signal) {
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // Who has ended meanwhile needs none.
        let _ = kill_process_group(group, signal);
    }
}

fn boot() -> Option<Uuid> {
    fs::read_to_string(BOOT_FILE).ok()?.trim().parse().ok()
}

fn started(pid: u32) -> Option<u64> {
    fields(pid)?.split_ascii_whitespace().nth(START_FIELD)?.parse().ok()
}

fn has_ended(pid: u32) -> bool {
    fields(pid).is_none_or(|fields| fields.starts_with(['Z', 'X']))
}

/// Returns what stands behind the name, which may hold anything, also `)`.
fn fields(pid: u32) -> Option<String> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    stat.rsplit_once(") ").map(|(_, fields)| fields.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_the_boot() {
        let own = of(std::process::id());
        assert!(own.started > 0);
        assert!(is_there(&own));
        assert!(!is_there(&Process { started: own.started + 1, ..own }), "another had the number before");
        assert!(!is_there(&Process { boot: Uuid::from_u128(7), ..own }), "the machine was started anew");
        assert!(!is_there(&Process { started: 0, boot: Uuid::nil(), ..own }), "nothing is known of it");
    }

    #[test]
    fn one_that_has_ended_is_not_there_although_nobody_looked() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let process = of(child.id());
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let ended = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(pid), ended).unwrap();
        assert!(!is_there(&process));
        child.wait().unwrap();
    }
}
