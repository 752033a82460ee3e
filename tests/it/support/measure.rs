//! How long did it take, and how much does a process use? What figures are made of.

#![expect(clippy::print_stderr, reason = "figures are for whoever asked for them")]

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Returns how long it took.
pub(crate) fn micros(what: impl FnOnce()) -> f64 {
    let begun = instant();
    what();
    begun.elapsed().as_secs_f64() * 1e6
}

/// Returns an instant, for figures only.
#[expect(clippy::disallowed_methods, reason = "the clock knows milliseconds, and these are figures in microseconds")]
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// Waits in real time.
pub(crate) fn wait(duration: Duration) {
    let (_sender, receiver) = channel::<()>();
    assert_eq!(receiver.recv_timeout(duration), Err(RecvTimeoutError::Timeout));
}

/// Returns the figure below which that part of them lies, and sorts them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a short list")]
pub(crate) fn quantile(figures: &mut [f64], part: f64) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[(to_f64(figures.len() as u64 - 1) * part) as usize]
}

/// Returns how long it has run on any core, in hundredths of a second.
pub(crate) fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let (_, behind_name) = stat.rsplit_once(')').expect("the name stands in parentheses");
    let of = |index: usize| behind_name.split_whitespace().nth(index).and_then(|ticks| ticks.parse().ok());
    // utime and stime, fields 14 and 15 of proc_pid_stat(5); the first behind the name is 3.
    of(11).unwrap_or(0) + of(12).unwrap_or(0)
}

/// Returns a field of `/proc/PID/status`, in the unit that stands there (KiB for memory).
pub(crate) fn status_field(pid: u32, name: &str) -> u64 {
    field(&Path::new("/proc").join(pid.to_string()).join("status"), name)
}

/// Returns a field of such a file.
pub(crate) fn field(status: &Path, name: &str) -> u64 {
    let text = std::fs::read_to_string(status).expect("a process");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the field");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Returns a count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts and times of a test are far below 2^52")]
pub(crate) fn to_f64(number: u64) -> f64 {
    number as f64
}

/// Prints a figure.
pub(crate) fn tell(what: &str, figure: f64, remark: &str) {
    eprintln!("{what:<70} {figure:>12.2}  {remark}");
}
