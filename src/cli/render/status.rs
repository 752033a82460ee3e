//! How the daemon is told to be.

use crate::cli::render::away::span;
use crate::cli::render::text::{BAD, DIM, DUE, GOOD, HEAD, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::domain::message::digits;
use crate::protocol::methods::StatusResult;
use crate::protocol::objects::{ConfigStatus, RunCounts, Skipped};

/// How wide the labels are.
const LABEL_WIDTH: usize = 10;

/// Returns the state of the daemon, a line for each thing.
pub(crate) fn status(answer: &StatusResult, view: Viewpoint, _width: Option<usize>) -> Vec<Text> {
    let mut first = Text::styled(GOOD, "keikod runs");
    let uptime = length(answer.uptime_s.saturating_mul(1000)).unwrap_or_else(|| "0s".to_owned());
    first.push(&format!(", version {}, pid {}, up {uptime}", answer.version, answer.pid));
    let mut lines = vec![first];
    let mut say = |label: &str, value: Text| {
        let mut line = Text::styled(HEAD, &format!("  {label:<LABEL_WIDTH$}"));
        line.append(value);
        lines.push(line.hanging(LABEL_WIDTH + 2));
    };
    let counts = &answer.counts;
    // Those whose commands run are RUNNING too.
    let has_runs = answer.runs != RunCounts::default();
    let named = [
        (counts.running, if has_runs { "due or running" } else { "due" }),
        (counts.failed, "failed"),
        (counts.pending, "scheduled"),
        (counts.suspended, "paused"),
        (counts.created, "with no time or waiting for others"),
        (counts.ended, "ended"),
    ];
    let told: Vec<String> =
        named.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    say("tasks", Text::plain(if told.is_empty() { "none".to_owned() } else { told.join(", ") }.as_str()));
    if counts.outbox > 0 {
        let held = if counts.held > 0 { format!(", {} of them held", counts.held) } else { String::new() };
        say("to send", Text::plain(&format!("{}{held}", counts.outbox)));
    }
    for text in commands(answer) {
        say("commands", text);
    }
    for (label, text) in unsent_and_skipped(answer, view).into_iter().chain(config(&answer.config)) {
        say(label, text);
    }
    if let Some(trouble) = &answer.storage {
        let mut text = Text::styled(BAD, &trouble.reason);
        text.push(&format!(", since {}; {}", view.exact(trouble.since.instant()), trouble.hint));
        say("storage", text);
    }
    say(
        "next",
        match &answer.next {
            Some(next) => Text::plain(&format!("{}  {}  {}", next.number, next.title, view.full(next.at.instant()))),
            None => Text::styled(DIM, "nothing"),
        },
    );
    if let Some(away) = &answer.away {
        say("away", Text::plain(&span(away, view)));
    }
    if let Some(end) = answer.quiet_until {
        say("quiet", Text::plain(&format!("until {}", view.exact(end.instant()))));
    }
    for text in channels(answer) {
        say("channel", text);
    }
    for (label, text) in hooks(answer) {
        say(label, text);
    }
    say("time", Text::plain(&format!("{} ({})", view.exact(answer.now.instant()), answer.zone)));
    say("data", Text::plain(&answer.data_dir));
    say("socket", Text::plain(&answer.socket));
    lines
}

/// Returns which channels reach the person, which do not and why, and, in one line, which are there for what is configured.
fn channels(answer: &StatusResult) -> Vec<Text> {
    let is_own = |kind: &str| ["desktop", "terminal"].contains(&kind);
    let mut told = Vec::new();
    let mut ready = Vec::new();
    for channel in &answer.channels {
        let mut text = Text::plain(&channel.kind);
        match (channel.present, is_own(&channel.kind)) {
            (true, true) => text.push(" reaches you"),
            (true, false) => {
                ready.push(channel.kind.as_str());
                continue;
            }
            (false, _) => {
                text.push_styled(BAD, " is away");
                if let Some(reason) = &channel.reason {
                    text.push(&format!(": {reason}"));
                }
            }
        }
        told.push(text);
    }
    if !ready.is_empty() {
        told.push(Text::plain(&format!("ready: {}", ready.join(", "))));
    }
    told
}

/// Returns how many commands run, and what keeps them from it.
fn commands(answer: &StatusResult) -> Vec<Text> {
    let mut told = Vec::new();
    if answer.runs != RunCounts::default() {
        told.push(Text::plain(&runs(answer.runs)));
    }
    if let Some(trouble) = &answer.runner {
        let mut text = Text::styled(BAD, trouble);
        text.push("; what runs goes on, and nothing more is started before it answers");
        told.push(text);
    }
    told
}

/// Returns what there is to say of the configuration, nothing where it holds as it stands.
fn config(config: &ConfigStatus) -> Vec<(&'static str, Text)> {
    let mut told = Vec::new();
    if let Some(error) = &config.error {
        let mut faults = error.lines();
        let mut text = Text::styled(BAD, faults.next().unwrap_or_default());
        let more = faults.count();
        let more = if more > 0 { format!(" and {more} more,") } else { String::new() };
        text.push(&format!(";{more} what held before holds: keiko config check"));
        told.push(text);
    }
    told.extend(config.warnings.iter().map(|warning| Text::styled(DUE, warning)));
    if !config.at_next_start.is_empty() {
        told.push(Text::plain(&format!("from the next start on: {}", config.at_next_start.join(", "))));
    }
    told.into_iter().map(|text| ("config", text)).collect()
}

fn runs(RunCounts { running, waiting }: RunCounts) -> String {
    let waiting = if waiting > 0 { format!(", {waiting} wait for a free place") } else { String::new() };
    format!("{running} running{waiting}")
}

/// Returns what could not be sent lately, which commands failed, and what was missed and not made up for.
fn unsent_and_skipped(answer: &StatusResult, view: Viewpoint) -> Vec<(&'static str, Text)> {
    let mut told = Vec::new();
    for delivery in &answer.failed {
        let mut text = Text::plain(&format!("{}  {}  ", delivery.task, delivery.target));
        if let Some(at) = delivery.at {
            text.push(&format!("{}  ", view.row(at.instant())));
        }
        text.push_styled(BAD, delivery.last_error.as_deref().unwrap_or("no attempt succeeded"));
        told.push(("not sent", text));
    }
    let untold = answer.failed_total.saturating_sub(answer.failed.len() as u64);
    if untold > 0 {
        let more = format!("and {untold} more: keiko rpc delivery.list '{{\"status\":\"failed\"}}'");
        told.push(("not sent", Text::styled(DIM, &more)));
    }
    for command in &answer.commands_failed {
        let mut text = Text::plain(&format!("{}  {}  ", command.number, command.title));
        text.push(&format!("{}  ", view.row(command.at.instant())));
        text.push_styled(BAD, command.error.as_deref().unwrap_or("no attempt succeeded"));
        told.push(("failed", text));
    }
    let untold = answer.commands_failed_total.saturating_sub(answer.commands_failed.len() as u64);
    if untold > 0 {
        told.push(("failed", Text::styled(DIM, &format!("and {untold} more within the last seven days"))));
    }
    told.extend(answer.skipped.iter().map(|skip| ("skipped", skipped(skip, view))));
    let untold = answer.skipped_total.saturating_sub(answer.skipped.len() as u64);
    if untold > 0 {
        told.push(("skipped", Text::styled(DIM, &format!("and {untold} more within the last seven days"))));
    }
    told
}

/// Returns how it goes with the programs that are run when something happens, and with the pings of commands, where there are
/// any.
fn hooks(answer: &StatusResult) -> Vec<(&'static str, Text)> {
    let mut told = Vec::new();
    for hook in &answer.hooks {
        let mut text = Text::plain(&hook.name);
        if hook.waiting > 0 {
            text.push(&format!(", {} to be told", digits(hook.waiting as u64)));
        }
        if hook.dropped > 0 {
            text.push_styled(BAD, &format!(", {} found no room and are not told", digits(hook.dropped)));
        }
        if let Some(error) = hook.last_error.as_deref().filter(|_| hook.failures_in_a_row > 0) {
            text.push_styled(BAD, &format!(", failed {} times in a row: {error}", digits(hook.failures_in_a_row)));
        } else {
            text.push(&format!(", run {} times, {} failures", digits(hook.runs), digits(hook.failures)));
        }
        told.push(("hook", text));
    }
    let pings = &answer.pings;
    if pings.waiting > 0 || pings.failures > 0 || pings.dropped > 0 {
        let mut text =
            Text::plain(&format!("{} sent, {} to be sent", digits(pings.taken), digits(pings.waiting as u64)));
        if pings.dropped > 0 {
            text.push_styled(BAD, &format!(", {} not sent", digits(pings.dropped)));
        }
        if let Some(error) = &pings.last_error {
            text.push_styled(BAD, &format!(", {} given up: {error}", digits(pings.failures)));
        }
        told.push(("ping", text));
    }
    told
}

/// Returns which times of a task were skipped, and why.
fn skipped(skip: &Skipped, view: Viewpoint) -> Text {
    let mut text = Text::plain(&format!("{}  {}  ", skip.number, skip.title));
    let (from, to) = (view.row(skip.from.instant()), view.row(skip.to.instant()));
    if skip.instances == 1 {
        text.push(&from);
    } else {
        text.push(&format!("{} times, {from} to {to}", digits(skip.instances)));
    }
    text.push(": ");
    text.push(&skip.reason);
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, shown_at};

    fn answer() -> StatusResult {
        let answer = json!({
            "schema_version": 1, "version": "0.1.0", "protocol": 1, "schema": 1, "pid": 4711, "uptime_s": 3725,
            "now": "2026-05-13T16:00:00-04:00", "zone": "America/New_York", "data_dir": "/data", "socket": "/run/s",
            "counts": { "created": 0, "pending": 12, "running": 1, "suspended": 2, "failed": 0, "ended": 40, "outbox": 3, "held": 2 },
            "next": { "number": 12, "title": "pay rent", "at": "2026-05-14T15:00:00-04:00" },
            "channels": [
                { "kind": "desktop", "present": false, "reason": "no notification server" },
                { "kind": "terminal", "present": true, "reason": null },
                { "kind": "webhook", "present": true, "reason": null },
                { "kind": "mail", "present": true, "reason": null },
            ],
            "failed_total": 3,
            "failed": [{
                "fire_id": "f", "task": 7, "target": "webhook:ops", "status": "failed", "attempts": 4,
                "created_at": "2026-05-13T15:00:00-04:00", "at": "2026-05-13T15:03:00-04:00",
                "last_error": "https://example.org answered 404", "occurrence": { "key": "once", "generation": 1 },
            }],
            "commands_failed_total": 5,
            "commands_failed": [{
                "number": 4, "title": "backup", "occurrence": { "key": "2026-05-13", "generation": 1 },
                "at": "2026-05-13T03:00:00-04:00", "error": "exit status 3",
            }],
            "skipped_total": 9,
            "skipped": [
                {
                    "number": 3, "title": "water the plants", "instances": 4319, "from": "2026-05-10T03:00:00-04:00",
                    "to": "2026-05-13T03:00:00-04:00", "at": "2026-05-13T08:00:00-04:00", "reason": "missed",
                },
                {
                    "number": 8, "title": "stretch", "instances": 1, "from": "2026-05-13T03:00:00-04:00",
                    "to": "2026-05-13T03:00:00-04:00", "at": "2026-05-13T08:00:00-04:00",
                    "reason": "missed, and it is not made up for",
                },
            ],
            "hooks": [
                {
                    "name": "ci", "origin": "rpc", "on": ["failed"], "tags": [], "tasks": [], "priority": null, "late": false,
                    "program": "/bin/tell", "timeout_s": 30, "waiting": 3, "running": true, "runs": 12, "failures": 5,
                    "failures_in_a_row": 2, "dropped": 0, "last_error": "it ended with exit status: 3", "last_run_at": null,
                },
                {
                    "name": "lamp", "origin": "configuration", "on": ["due"], "tags": [], "tasks": [], "priority": null,
                    "late": false, "program": "lamp", "timeout_s": 30, "waiting": 0, "running": false, "runs": 1200,
                    "failures": 0, "failures_in_a_row": 0, "dropped": 7, "last_error": null, "last_run_at": null,
                },
            ],
            "pings": { "waiting": 1, "taken": 8, "failures": 1, "dropped": 0, "last_error": "https://hc-ping.com answered 404" },
        });
        serde_json::from_value(answer).expect("an answer of the test's own")
    }

    #[test]
    fn the_daemon_is_told_of_line_by_line() {
        let answer = answer();
        insta::assert_snapshot!(shown_at(&status(&answer, here(), Some(40)), 40), @r#"
        keikod runs, version 0.1.0, pid 4711, up
          1h 2m
          tasks     1 due, 12 scheduled, 2
                    paused, 40 ended
          to send   3, 2 of them held
          not sent  7  webhook:ops
                    Wed 13 May 15:03
                    https://example.org answered
                    404
          not sent  and 2 more: keiko rpc
                    delivery.list
                    '{"status":"failed"}'
          failed    4  backup  Wed 13 May 03:00
                    exit status 3
          failed    and 4 more within the last
                    seven days
          skipped   3  water the plants
                    4,319 times, Sun 10 May
                    03:00 to Wed 13 May 03:00:
                    missed
          skipped   8  stretch  Wed 13 May
                    03:00: missed, and it is not
                    made up for
          skipped   and 7 more within the last
                    seven days
          next      12  pay rent
                    Thu 14 May 2026 15:00 EDT
                    (in 23h)
          channel   desktop is away: no
                    notification server
          channel   terminal reaches you
          channel   ready: webhook, mail
          hook      ci, 3 to be told, failed 2
                    times in a row: it ended
                    with exit status: 3
          hook      lamp, 7 found no room and
                    are not told, run 1,200
                    times, 0 failures
          ping      8 sent, 1 to be sent, 1
                    given up:
                    https://hc-ping.com answered
                    404
          time      Wed 13 May 2026 16:00 EDT
                    (America/New_York)
          data      /data
          socket    /run/s
        "#);
    }

    #[test]
    fn a_wide_terminal_shows_each_whole() {
        let answer = answer();
        insta::assert_snapshot!(shown_at(&status(&answer, here(), Some(200)), 200), @r#"
        keikod runs, version 0.1.0, pid 4711, up 1h 2m
          tasks     1 due, 12 scheduled, 2 paused, 40 ended
          to send   3, 2 of them held
          not sent  7  webhook:ops  Wed 13 May 15:03  https://example.org answered 404
          not sent  and 2 more: keiko rpc delivery.list '{"status":"failed"}'
          failed    4  backup  Wed 13 May 03:00  exit status 3
          failed    and 4 more within the last seven days
          skipped   3  water the plants  4,319 times, Sun 10 May 03:00 to Wed 13 May 03:00: missed
          skipped   8  stretch  Wed 13 May 03:00: missed, and it is not made up for
          skipped   and 7 more within the last seven days
          next      12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          channel   desktop is away: no notification server
          channel   terminal reaches you
          channel   ready: webhook, mail
          hook      ci, 3 to be told, failed 2 times in a row: it ended with exit status: 3
          hook      lamp, 7 found no room and are not told, run 1,200 times, 0 failures
          ping      8 sent, 1 to be sent, 1 given up: https://hc-ping.com answered 404
          time      Wed 13 May 2026 16:00 EDT (America/New_York)
          data      /data
          socket    /run/s
        "#);
        insta::assert_snapshot!(shown_at(&status(&answer, here(), Some(80)), 80), @r#"
        keikod runs, version 0.1.0, pid 4711, up 1h 2m
          tasks     1 due, 12 scheduled, 2 paused, 40 ended
          to send   3, 2 of them held
          not sent  7  webhook:ops  Wed 13 May 15:03  https://example.org answered 404
          not sent  and 2 more: keiko rpc delivery.list '{"status":"failed"}'
          failed    4  backup  Wed 13 May 03:00  exit status 3
          failed    and 4 more within the last seven days
          skipped   3  water the plants
                    4,319 times, Sun 10 May 03:00 to Wed 13 May 03:00: missed
          skipped   8  stretch  Wed 13 May 03:00: missed, and it is not made up for
          skipped   and 7 more within the last seven days
          next      12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          channel   desktop is away: no notification server
          channel   terminal reaches you
          channel   ready: webhook, mail
          hook      ci, 3 to be told, failed 2 times in a row: it ended with exit
                    status: 3
          hook      lamp, 7 found no room and are not told, run 1,200 times, 0 failures
          ping      8 sent, 1 to be sent, 1 given up: https://hc-ping.com answered 404
          time      Wed 13 May 2026 16:00 EDT (America/New_York)
          data      /data
          socket    /run/s
        "#);
    }
}
