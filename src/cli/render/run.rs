//! How commands and their runs are told.

use anstream::adapter::strip_str;

use crate::cli::render::text::{BAD, DIM, GOOD, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::domain::run::quoted;
use crate::protocol::objects::{Command, CommandLimits, Progress, Run, RunEnd};

/// The steps in which sizes are told.
const UNITS: [(u64, &str); 4] = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];

/// What begins that which a terminal obeys, what may end it, and how long it is at most: a colour, a title.
const ESCAPE: u8 = 0x1b;
const BELL: u8 = 7;
const SEQUENCE_BYTES_MAX: usize = 256;

/// Returns what is run, as it can be typed into a shell.
pub(crate) fn line(command: &Command) -> String {
    match (&command.shell, &command.arguments) {
        (Some(text), _) => text.clone(),
        (None, Some(arguments)) => quoted(arguments),
        (None, None) => String::new(),
    }
}

/// Returns all that is known of a command and its latest runs, each with the label that stands before it.
pub(crate) fn details(command: &Command, runs: &[Run], view: Viewpoint) -> Vec<(&'static str, Text)> {
    let mut told = Vec::new();
    for (index, line) in line(command).lines().enumerate() {
        told.push((if index == 0 { "runs" } else { "" }, Text::plain(line)));
    }
    let home = if command.directory.is_empty() { "the home directory" } else { command.directory.as_str() };
    told.push(("in", Text::plain(home)));
    if !command.env.is_empty() {
        told.push(("keeps", Text::plain(&command.env.join(", "))));
    }
    let bounds = bounds(command);
    if !bounds.is_empty() {
        told.push(("within", Text::plain(&bounds.join(", "))));
    }
    match command.overlap.as_str() {
        "queue" => told.push(("overlap", Text::plain("a time at which it still runs waits for its turn"))),
        "allow" => told.push(("overlap", Text::plain("it may run several times at once"))),
        _ => {}
    }
    if let Some(ping) = &command.ping {
        told.push(("pings", Text::plain(ping)));
    }
    for (index, run) in runs.iter().enumerate() {
        told.push((if index == 0 { "latest" } else { "before" }, run_line(run, view)));
    }
    told
}

/// Returns what bounds it.
fn bounds(command: &Command) -> Vec<String> {
    let timeout = command.timeout_s.and_then(|seconds| u64::try_from(seconds).ok());
    let mut told: Vec<String> = timeout.and_then(|seconds| length(seconds.saturating_mul(1000))).into_iter().collect();
    let CommandLimits { memory_bytes, cpu_s, processes, files } = command.limits;
    told.extend(memory_bytes.map(|bytes| format!("{} of memory", size(bytes))));
    told.extend(
        cpu_s.and_then(|seconds| length(seconds.saturating_mul(1000))).map(|time| format!("{time} of processor")),
    );
    told.extend(processes.map(|count| format!("{count} processes")));
    told.extend(files.map(|count| format!("{count} open files")));
    if command.nice > 0 {
        told.push(format!("nice {}", command.nice));
    }
    told
}

fn size(bytes: u64) -> String {
    match UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// Returns how far a command says that it is: `40 %, copying`.
pub(crate) fn progress(progress: &Progress) -> String {
    if progress.text.is_empty() {
        format!("{} %", progress.percent)
    } else {
        format!("{} %, {}", progress.percent, progress.text)
    }
}

/// Returns a run: `attempt 2, exit status 3, Thu 14 May 2026 15:00 EDT (in 23h), took 4s`.
pub(crate) fn run_line(run: &Run, view: Viewpoint) -> Text {
    let mut line = match run.attempt {
        0 => Text::plain("asked for, "),
        1 => Text::default(),
        attempt => Text::plain(&format!("attempt {attempt}, ")),
    };
    match (run.status.as_str(), &run.end) {
        (_, Some(end)) => line.push_styled(if end.is_success() { GOOD } else { BAD }, &end.text),
        ("queued", None) => line.push("waits for a free place"),
        ("starting", None) => line.push("is about to start"),
        ("ending", None) => line.push("is asked to end"),
        (_, None) => line.push("runs"),
    }
    if let (None, Some(pid)) = (&run.end, run.pid) {
        line.push(&format!(" as process {pid}"));
    }
    let at = run.ended_at.or(run.since).unwrap_or(run.created_at).instant();
    line.push(&format!("{} {}", if run.end.is_some() { "," } else { " since" }, view.full(at)));
    if let Some(took) = took(run) {
        line.push(&format!(", took {took}"));
    }
    if let Some(how_far) = run.progress.as_ref().filter(|_| run.end.is_none()) {
        line.push(&format!(", {}", progress(how_far)));
    }
    if let Some(checkpoint) = run.checkpoint.as_ref().filter(|_| !run.end.as_ref().is_some_and(RunEnd::is_success)) {
        line.push_styled(DIM, &format!(", came to {checkpoint:?}"));
    }
    line
}

/// Returns how long a run took.
pub(crate) fn took(run: &Run) -> Option<String> {
    let span = run.ended_at?.instant().since(run.since?.instant());
    let millis = u64::try_from(span.as_millis()).ok()?;
    Some(length(millis).unwrap_or_else(|| "less than a second".to_owned()))
}

/// Returns what a run has said as lines for a terminal: what would move its cursor or change its colours is gone.
pub(crate) fn said(bytes: &[u8]) -> Vec<Text> {
    let mut flow = Flow::default();
    let (mut lines, mut rest) = flow.next(bytes);
    if let Some(end) = flow.end() {
        rest.append(end);
        lines.push(rest);
    }
    lines
}

/// What a run says, piece by piece, on its way to a terminal.
#[derive(Default)]
pub(crate) struct Flow {
    /// The beginning of a character, or of what a terminal would obey, whose end has not come.
    cut: Vec<u8>,
    /// A return that may belong to the end of a line.
    is_returning: bool,
    is_within_line: bool,
}

impl Flow {
    /// Returns the lines that are whole now, and the beginning of the next. The first goes on with what was begun before.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> (Vec<Text>, Text) {
        let mut said = std::mem::take(&mut self.cut);
        said.extend_from_slice(bytes);
        self.cut = said.split_off(said.len() - cut_at_end(&said));
        let text = String::from_utf8_lossy(&said);
        let (mut lines, mut line) = (Vec::new(), String::new());
        for character in strip_str(&text).to_string().chars() {
            // What is written over itself, such as a bar, is told line by line.
            if std::mem::take(&mut self.is_returning) || character == '\n' {
                lines.push(Text::plain(&std::mem::take(&mut line)));
                self.is_within_line = false;
            }
            match character {
                '\n' => {}
                '\r' => self.is_returning = true,
                '\t' => line.push_str("    "),
                character => line.push(character),
            }
            self.is_within_line |= !matches!(character, '\n' | '\r');
        }
        (lines, Text::plain(&line))
    }

    /// Returns the end of a line that has begun and not ended, where no more comes.
    pub(crate) fn end(&mut self) -> Option<Text> {
        let cut = std::mem::take(&mut self.cut);
        let is_within_line = std::mem::take(&mut self.is_within_line) || !cut.is_empty();
        is_within_line.then(|| Text::plain(&strip_str(&String::from_utf8_lossy(&cut)).to_string()))
    }
}

/// Returns how many bytes at the end begin a character that is not whole, or what a terminal would obey.
fn cut_at_end(bytes: &[u8]) -> usize {
    let found = |place: usize| bytes.len() - place;
    if let Some(place) = bytes.iter().rposition(|byte| *byte == ESCAPE)
        && found(place) <= SEQUENCE_BYTES_MAX
    {
        let is_open = match &bytes[place + 1..] {
            [] => true,
            [b'[', rest @ ..] => !rest.iter().any(|byte| (0x40..=0x7e).contains(byte)),
            [b']', rest @ ..] => !rest.contains(&BELL),
            [..] => false,
        };
        if is_open {
            return found(place);
        }
    }
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xC0 != 0x80);
    let Some(place) = last.map(|behind| bytes.len() - 1 - behind) else { return 0 };
    let wanted = bytes[place].leading_ones() as usize;
    if (2..=4).contains(&wanted) && found(place) < wanted { found(place) } else { 0 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, shown};

    fn command(changes: &serde_json::Value) -> Command {
        let mut whole = json!({
            "arguments": ["tar", "czf", "my home.tgz", "."], "shell": null, "directory": "/home/me",
            "env": ["HOME", "PATH"], "timeout_s": null, "overlap": "skip", "nice": 0,
            "limits": { "memory_bytes": null, "cpu_s": null, "processes": null, "files": null },
        });
        for (key, value) in changes.as_object().expect("an object") {
            whole[key] = value.clone();
        }
        serde_json::from_value(whole).expect("a command of the test's own")
    }

    fn run(changes: &serde_json::Value) -> Run {
        let mut whole = json!({
            "id": "r", "attempt": 1, "occurrence": { "key": "once", "generation": 1 }, "status": "ended",
            "created_at": "2026-05-13T15:59:00-04:00", "since": "2026-05-13T15:59:00-04:00",
            "ended_at": "2026-05-13T15:59:04-04:00", "pid": null,
            "end": { "how": "exit", "code": 0, "error": null, "text": "exit status 0" },
            "checkpoint": null, "resumes_from": null, "progress": null,
        });
        for (key, value) in changes.as_object().expect("an object") {
            whole[key] = value.clone();
        }
        serde_json::from_value(whole).expect("a run of the test's own")
    }

    fn told(command: &Command, runs: &[Run]) -> String {
        let lines: Vec<Text> = details(command, runs, here())
            .into_iter()
            .map(|(label, text)| {
                let mut line = Text::plain(&format!("{label:<8}"));
                line.append(text);
                line
            })
            .collect();
        shown(&lines)
    }

    #[test]
    fn a_command_is_told_as_it_can_be_typed() {
        insta::assert_snapshot!(told(&command(&json!({})), &[run(&json!({}))]), @"
        runs    tar czf 'my home.tgz' .
        in      /home/me
        keeps   HOME, PATH
        latest  exit status 0, Wed 13 May 2026 15:59:04 EDT (56s ago), took 4s
        ");
        let limited = command(&json!({
            "arguments": null, "shell": "make &&\nnotify-send built", "timeout_s": 600, "nice": 5, "overlap": "queue",
            "ping": "https://hc-ping.com/…",
            "limits": { "memory_bytes": 536_870_912, "cpu_s": 60, "processes": 50, "files": 1000 },
        }));
        insta::assert_snapshot!(told(&limited, &[]), @"
        runs    make &&
                notify-send built
        in      /home/me
        keeps   HOME, PATH
        within  10m, 512M of memory, 1m of processor, 50 processes, 1000 open files, nice 5
        overlap a time at which it still runs waits for its turn
        pings   https://hc-ping.com/…
        ");
    }

    #[test]
    fn a_run_says_how_it_stands() {
        let failed = run(&json!({
            "attempt": 2, "end": { "how": "exit", "code": 3, "error": null, "text": "exit status 3" }, "checkpoint": "file 7",
        }));
        let runs = run(&json!({
            "status": "running", "ended_at": null, "end": null, "pid": 4711, "progress": { "percent": 40, "text": "copying" },
        }));
        let asked = run(&json!({ "attempt": 0, "status": "queued", "since": null, "ended_at": null, "end": null }));
        let lines = [failed, runs, asked].map(|run| run_line(&run, here()));
        insta::assert_snapshot!(shown(&lines), @r#"
        attempt 2, exit status 3, Wed 13 May 2026 15:59:04 EDT (56s ago), took 4s, came to "file 7"
        runs as process 4711 since Wed 13 May 2026 15:59 EDT (1m ago), 40 %, copying
        asked for, waits for a free place since Wed 13 May 2026 15:59 EDT (1m ago)
        "#);
    }

    #[test]
    fn what_comes_piece_by_piece_is_told_as_if_it_had_come_whole() {
        let whole = "家 eins\r\nzwei\rdrei\u{1b}[31mrot\u{1b}[0m\tvier\n\nEnde: é👩".as_bytes();
        let expected = shown(&said(whole));
        for at in 0..whole.len() {
            let mut flow = Flow::default();
            let mut told = String::new();
            for part in [&whole[..at], &whole[at..]] {
                let (lines, rest) = flow.next(part);
                told += &shown(&lines);
                told += shown(&[rest]).trim_end_matches('\n');
            }
            told += &shown(&[flow.end().expect("its last line has no end")]);
            assert_eq!(told, expected, "parted at {at}");
        }
    }

    #[test]
    fn what_a_command_says_moves_no_cursor() {
        let bytes = b"\x1b[31mred\x1b[0m\r\n10%\r20%\rdone\ntab\there\x07\n\xff";
        insta::assert_snapshot!(shown(&said(bytes)), @"
        red
        10%
        20%
        done
        tab    here
        �
        ");
    }
}
