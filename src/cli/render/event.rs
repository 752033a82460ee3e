//! How changes and deliveries are told.

use crate::cli::render::table::{Column, table};
use crate::cli::render::task::title;
use crate::cli::render::text::{BAD, DIM, GOOD, HEAD, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::domain::time::{Span, Timestamp};
use crate::protocol::methods::HistoryResult;
use crate::protocol::objects::{Delivery, Event, Json};

/// On a terminal narrower than this the states are left out: what happened says as much.
const WIDE: usize = 72;

/// How wide the numbers of events are at least.
const SEQ_WIDTH: usize = 4;

/// How much of a title is shown beside what happened, at least.
const TITLE_MIN: usize = 24;

/// How much room the last column has at least; reasons are long.
const REST_MIN: usize = 28;

/// Returns the history of a task: what happened, then what was sent.
pub(crate) fn history(answer: &HistoryResult, view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let mut first = Text::styled(NUMBER, &answer.task.number.to_string());
    first.push("  ");
    first.append(title(&answer.task));
    let mut lines = vec![first];
    let mut columns =
        vec![Column::words("WHEN"), Column::words("WHAT"), Column::words("STAGE"), Column::rest("", REST_MIN)];
    let is_command = answer.task.command.is_some();
    let mut rows: Vec<Vec<Text>> = answer.events.iter().map(|event| event_row(event, is_command, view)).collect();
    if width.is_some_and(|width| width < WIDE) {
        columns.remove(STAGE);
        for row in &mut rows {
            drop(row.remove(STAGE));
        }
    }
    lines.extend(table(&columns, &rows, width));
    if !answer.deliveries.is_empty() {
        lines.push(Text::default());
        lines.push(Text::styled(HEAD, "sent"));
        let columns = [Column::words("WHEN"), Column::words("TO"), Column::words("STATUS"), Column::rest("", REST_MIN)];
        let rows: Vec<Vec<Text>> = answer.deliveries.iter().map(|delivery| delivery_row(delivery, view)).collect();
        lines.extend(table(&columns, &rows, width));
    }
    lines
}

/// Returns one change on one line, of whichever task.
pub(crate) fn event_line(event: &Event, view: Viewpoint, width: Option<usize>) -> Text {
    let mut line = Text::styled(DIM, &format!("{:>SEQ_WIDTH$}", event.seq)).hanging(SEQ_WIDTH + 2);
    line.push("  ");
    line.push(&view.log_row(event.at.instant()));
    line.push("  ");
    match event.task {
        Some(number) => line.push_styled(NUMBER, &number.to_string()),
        None => return device_line(line, event, view),
    }
    if let Some(task) = &event.snapshot {
        line.push(" ");
        let title = Text::plain(&task.title);
        line.append(width.map_or(title.clone(), |width| title.cut((width / 3).max(TITLE_MIN))));
    }
    line.push("  ");
    line.append(what(event));
    let is_command = event.snapshot.as_ref().is_some_and(|task| task.command.is_some());
    let [states, rest] = [states(event, is_command), rest(event, view)];
    for part in [states, rest] {
        if part.width() > 0 {
            line.push("  ");
            line.append(part);
        }
    }
    line
}

/// Says what happened to the device, in words: it is rare, and concerns no task.
fn device_line(mut line: Text, event: &Event, view: Viewpoint) -> Text {
    let value = |name: &str| event.values.get(name);
    let shown = |name: &str| value(name).and_then(time).map_or_else(String::new, |at| view.row(at));
    let by = value("by_ms").and_then(Json::as_i64).map_or(Span::ZERO, Span::from_millis);
    let zone = |name: &str| value(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let sign = if by > Span::ZERO { "+" } else { "" };
    line.push(&match event.operation.as_str() {
        "clock_stepped" => format!("the clock was set by {sign}{by}, from {} to {}", shown("from"), shown("to")),
        "slept" => format!("the machine slept for {by}, from {} to {}", shown("from"), shown("to")),
        "zone_changed" => format!("the zone changed from {} to {}", zone("from"), zone("to")),
        // Of a newer daemon.
        other => other.to_owned(),
    });
    if !event.reason.is_empty() {
        line.push(", ");
        line.push(&event.reason);
    }
    line
}

/// Which column of a history says from which stage to which it went.
const STAGE: usize = 2;

fn event_row(event: &Event, is_command: bool, view: Viewpoint) -> Vec<Text> {
    vec![view.log_row(event.at.instant()).into(), what(event), states(event, is_command), rest(event, view)]
}

/// Returns what happened; of what spoke also which alert, where it is not the one at due.
fn what(event: &Event) -> Text {
    let slot = match event.operation.as_str() {
        "spoke" | "fired" => event.values.get("slot").and_then(Json::as_str).filter(|slot| *slot != "0"),
        _ => None,
    };
    let operation = event.operation.replace('_', " ");
    Text::plain(&slot.map_or_else(|| operation.clone(), |slot| format!("{operation} {slot}")))
}

/// Returns the change of state, where it is one, in words for people.
fn states(event: &Event, is_command: bool) -> Text {
    let word = |state: &str| {
        let word = match state {
            "CREATED" => "created",
            "PENDING" => "scheduled",
            "RUNNING" if is_command => "running",
            "RUNNING" => "due",
            "SUSPENDED" => "paused",
            "FAILED" => "failed",
            "COMPLETED" => "done",
            "CANCELLED" => "cancelled",
            // Of a newer daemon.
            other => other,
        };
        word.to_owned()
    };
    match (event.from.as_deref(), event.to.as_deref()) {
        (Some(from), Some(to)) if from != to => Text::plain(&format!("{} → {}", word(from), word(to))),
        (None, Some(to)) => Text::plain(&format!("→ {}", word(to))),
        (Some(from), None) => Text::plain(&format!("{} →", word(from))),
        (Some(_), Some(_)) | (None, None) => Text::default(),
    }
}

/// Returns what else there is to say: lateness, the values that people care for, the reason, who asked.
fn rest(event: &Event, view: Viewpoint) -> Text {
    let mut parts = Vec::new();
    if event.late {
        let nominal = event.values.get("nominal_at").and_then(time);
        parts.push(Text::styled(
            BAD,
            &nominal.map_or("late".to_owned(), |at| format!("late, was to speak {}", view.row(at))),
        ));
    }
    parts.extend(of_run(event));
    if let Some(until) = event.values.get("until").and_then(time) {
        parts.push(Text::plain(&format!("until {}", view.row(until))));
    }
    if let Some(instances) = event.values.get("instances").and_then(Json::as_u64) {
        parts.push(Text::plain(&format!("{instances} {}", if instances == 1 { "time" } else { "times" })));
    }
    if let Some(parent) = event.values.get("parent").and_then(Json::as_u64) {
        let how = event.values.get("how").and_then(Json::as_str).unwrap_or("done");
        parts.push(Text::plain(&format!("task {parent} {}", how.replace('_', " "))));
    }
    if let Some(parents) = event.values.get("waits_for").and_then(Json::as_array) {
        let numbers: Vec<String> = parents.iter().map(ToString::to_string).collect();
        parts.push(Text::plain(&format!("for {}", numbers.join(", "))));
    }
    if let Some(outcome) = event.values.get("outcome").and_then(Json::as_str) {
        parts.push(Text::plain(outcome));
    }
    // That it came late has been said above, with its time.
    let is_said = event.late && event.reason == "late";
    if !event.reason.is_empty() && !is_said {
        parts.push(Text::plain(&event.reason));
    }
    if event.actor != "person" {
        parts.push(Text::styled(DIM, &format!("by the {}", event.actor)));
    }
    join(parts)
}

/// Returns which attempt at a command it was, and how that ended or how far it is.
fn of_run(event: &Event) -> Option<Text> {
    let value = |name: &str| event.values.get(name);
    let text = |name: &str| value(name).and_then(Json::as_str).unwrap_or_default();
    let code = value("code").and_then(Json::as_i64).unwrap_or_default();
    let attempt = match value("attempt").and_then(Json::as_u64) {
        None => String::new(),
        Some(0) => "asked for".to_owned(),
        Some(attempt) => format!("attempt {attempt}"),
    };
    match event.operation.as_str() {
        "run_started" => Some(Text::plain(&attempt)),
        "progressed" => {
            let percent = value("percent").and_then(Json::as_u64)?;
            let what = text("text");
            Some(Text::plain(&if what.is_empty() { format!("{percent} %") } else { format!("{percent} %, {what}") }))
        }
        "run_ended" => {
            let how = match text("how") {
                "exit" => format!("exit status {code}"),
                "signal" => format!("ended by signal {code}"),
                "not_started" => format!("not started: {}", text("error")),
                how => how.replace('_', " "),
            };
            let mut told = Text::plain(&format!("{attempt}, "));
            let is_success = text("how") == "exit" && code == 0;
            told.push_styled(if is_success { GOOD } else { BAD }, &how);
            Some(told)
        }
        _ => None,
    }
}

fn delivery_row(delivery: &Delivery, view: Viewpoint) -> Vec<Text> {
    let mut parts = Vec::new();
    if delivery.attempts > 1 {
        parts.push(Text::plain(&format!("{} attempts", delivery.attempts)));
    }
    if delivery.status == "retrying"
        && let Some(at) = delivery.at
    {
        parts.push(Text::plain(&format!("again {}", view.distance(at.instant()))));
    }
    if delivery.digest.is_some() {
        parts.push(Text::plain("in a digest"));
    }
    if let Some(error) = &delivery.last_error {
        parts.push(Text::styled(BAD, error));
    }
    vec![
        view.log_row(delivery.created_at.instant()).into(),
        delivery.target.as_str().into(),
        delivery.status.as_str().into(),
        join(parts),
    ]
}

fn time(value: &Json) -> Option<Timestamp> {
    let parsed = chrono::DateTime::parse_from_rfc3339(value.as_str()?).ok()?;
    Timestamp::from_utc(parsed.to_utc())
}

fn join(parts: Vec<Text>) -> Text {
    let mut whole = Text::default();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            whole.push(", ");
        }
        whole.append(part);
    }
    whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{LONG, here, shown, shown_at, task};

    fn event(seq: u64, changes: &Json) -> Json {
        let mut event = json!({
            "event_id": "e", "seq": seq, "op_id": "o", "task": 12, "task_id": "t",
            "occurrence": { "key": "once", "generation": 1 }, "device": "d", "actor": "person",
            "at": "2026-05-13T16:00:00-04:00", "operation": "added", "values": {}, "from": null, "to": null,
            "late": false, "reason": "", "snapshot": null,
        });
        for (key, value) in changes.as_object().expect("an object") {
            event[key] = value.clone();
        }
        event
    }

    fn lived() -> HistoryResult {
        let answer = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "task": task(&json!({})),
            "events": [
                event(1, &json!({ "to": "CREATED" })),
                event(2, &json!({
                    "operation": "fired", "from": "PENDING", "to": "RUNNING", "late": true, "actor": "clock",
                    "values": { "slot": "0", "nominal_at": "2026-05-13T15:00:00-04:00" }, "reason": "late",
                })),
                event(3, &json!({
                    "operation": "snoozed", "from": "SUSPENDED", "to": "PENDING",
                    "values": { "until": "2026-05-13T16:10:00-04:00" },
                })),
                event(4, &json!({ "operation": "acked", "from": "RUNNING", "to": "RUNNING", "reason": "popup closed" })),
                event(5, &json!({
                    "operation": "passed_over", "from": "RUNNING", "to": "RUNNING", "reason": "missed", "actor": "clock",
                    "values": { "instances": 4319, "by": "2026-05-13T16:00:00-04:00" },
                })),
                event(6, &json!({
                    "operation": "spoke", "from": "RUNNING", "to": "RUNNING", "actor": "clock",
                    "values": { "slot": "nag#1", "nominal_at": "2026-05-13T16:00:00-04:00" },
                })),
                event(8, &json!({
                    "operation": "run_started", "from": "RUNNING", "to": "RUNNING", "actor": "daemon",
                    "values": { "attempt": 2 },
                })),
                event(9, &json!({
                    "operation": "progressed", "from": "RUNNING", "to": "RUNNING", "actor": "daemon",
                    "values": { "percent": 40, "text": "copying" },
                })),
                event(10, &json!({
                    "operation": "run_ended", "from": "RUNNING", "to": "RUNNING", "actor": "daemon",
                    "values": { "attempt": 2, "how": "exit", "code": 3, "error": null },
                })),
                event(7, &json!({
                    "operation": "completed", "from": "RUNNING", "to": "COMPLETED", "values": { "outcome": "done" },
                })),
            ],
            "deliveries": [{
                "fire_id": "f", "target": "desktop", "status": "retrying", "attempts": 2,
                "created_at": "2026-05-13T16:00:00-04:00", "at": "2026-05-13T16:00:25-04:00",
                "last_error": "no server", "occurrence": { "key": "once", "generation": 1 },
            }, {
                "fire_id": "g", "target": "desktop", "status": "grouped", "attempts": 0,
                "created_at": "2026-05-13T16:00:00-04:00", "at": null, "last_error": null,
                "occurrence": { "key": "once", "generation": 1 }, "digest": "d",
            }],
        });
        serde_json::from_value(answer).expect("an answer of the test's own")
    }

    #[test]
    fn a_history_says_what_happened_and_what_was_sent() {
        let answer = lived();
        insta::assert_snapshot!(shown_at(&history(&answer, here(), Some(40)), 40), @"
        12  pay rent
        WHEN              WHAT
        Wed 13 May 16:00  added
        Wed 13 May 16:00  fired
            late, was to speak Wed 13 May 15:00,
            by the clock
        Wed 13 May 16:00  snoozed
            until Wed 13 May 16:10
        Wed 13 May 16:00  acked
            popup closed
        Wed 13 May 16:00  passed over
            4319 times, missed, by the clock
        Wed 13 May 16:00  spoke nag#1
            by the clock
        Wed 13 May 16:00  run started
            attempt 2, by the daemon
        Wed 13 May 16:00  progressed
            40 %, copying, by the daemon
        Wed 13 May 16:00  run ended
            attempt 2, exit status 3, by the
            daemon
        Wed 13 May 16:00  completed    done

        sent
        WHEN              TO       STATUS
        Wed 13 May 16:00  desktop  retrying
            2 attempts, again in 25s, no server
        Wed 13 May 16:00  desktop  grouped
            in a digest
        ");
        insta::assert_snapshot!(shown_at(&history(&answer, here(), Some(80)), 80), @"
        12  pay rent
        WHEN              WHAT         STAGE
        Wed 13 May 16:00  added        → created
        Wed 13 May 16:00  fired        scheduled → due     late, was to speak Wed 13 May
                                                           15:00, by the clock
        Wed 13 May 16:00  snoozed      paused → scheduled  until Wed 13 May 16:10
        Wed 13 May 16:00  acked                            popup closed
        Wed 13 May 16:00  passed over                      4319 times, missed, by the
                                                           clock
        Wed 13 May 16:00  spoke nag#1                      by the clock
        Wed 13 May 16:00  run started                      attempt 2, by the daemon
        Wed 13 May 16:00  progressed                       40 %, copying, by the daemon
        Wed 13 May 16:00  run ended                        attempt 2, exit status 3, by
                                                           the daemon
        Wed 13 May 16:00  completed    due → done          done

        sent
        WHEN              TO       STATUS
        Wed 13 May 16:00  desktop  retrying  2 attempts, again in 25s, no server
        Wed 13 May 16:00  desktop  grouped   in a digest
        ");
        insta::assert_snapshot!(shown_at(&history(&answer, here(), Some(110)), 110), @"
        12  pay rent
        WHEN              WHAT         STAGE
        Wed 13 May 16:00  added        → created
        Wed 13 May 16:00  fired        scheduled → due     late, was to speak Wed 13 May 15:00, by the clock
        Wed 13 May 16:00  snoozed      paused → scheduled  until Wed 13 May 16:10
        Wed 13 May 16:00  acked                            popup closed
        Wed 13 May 16:00  passed over                      4319 times, missed, by the clock
        Wed 13 May 16:00  spoke nag#1                      by the clock
        Wed 13 May 16:00  run started                      attempt 2, by the daemon
        Wed 13 May 16:00  progressed                       40 %, copying, by the daemon
        Wed 13 May 16:00  run ended                        attempt 2, exit status 3, by the daemon
        Wed 13 May 16:00  completed    due → done          done

        sent
        WHEN              TO       STATUS
        Wed 13 May 16:00  desktop  retrying  2 attempts, again in 25s, no server
        Wed 13 May 16:00  desktop  grouped   in a digest
        ");
    }

    #[test]
    fn events_fit_any_terminal() {
        let titles = [
            LONG,
            "喝水，提醒我每半小时站起来走一走，看看窗外，休息一下眼睛",
            "פגישה עם דנה",
            "e\u{301}tude 👨\u{200d}👩\u{200d}👧",
        ];
        let events = titles.iter().zip([9, 10, 999, 12345]).map(|(title, seq)| {
            let changes = json!({
                "snapshot": task(&json!({ "title": title })), "operation": "fired", "from": "PENDING", "to": "RUNNING",
                "late": true, "actor": "clock", "values": { "slot": "-10m", "nominal_at": "2026-05-13T15:00:00-04:00" },
                "reason": "late",
            });
            serde_json::from_value(event(seq, &changes)).expect("an event of the test's own")
        });
        let events: Vec<Event> = events.collect();
        let told = |width| {
            let lines: Vec<Text> = events.iter().map(|event| event_line(event, here(), Some(width))).collect();
            shown_at(&lines, width)
        };
        insta::assert_snapshot!(told(40), @"
           9  Wed 13 May 16:00
              12 a very long title that …
              fired -10m  scheduled → due
              late, was to speak Wed 13 May
              15:00, by the clock
          10  Wed 13 May 16:00
              12 喝水，提醒我每半小时站…
              fired -10m  scheduled → due
              late, was to speak Wed 13 May
              15:00, by the clock
         999  Wed 13 May 16:00  12 פגישה עם דנה
              fired -10m  scheduled → due
              late, was to speak Wed 13 May
              15:00, by the clock
        12345  Wed 13 May 16:00  12 étude 👨‍👩‍👧
              fired -10m  scheduled → due
              late, was to speak Wed 13 May
              15:00, by the clock
        ");
        insta::assert_snapshot!(told(80), @"
           9  Wed 13 May 16:00  12 a very long title that go…  fired -10m
              scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
          10  Wed 13 May 16:00  12 喝水，提醒我每半小时站起…  fired -10m
              scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
         999  Wed 13 May 16:00  12 פגישה עם דנה  fired -10m  scheduled → due
              late, was to speak Wed 13 May 15:00, by the clock
        12345  Wed 13 May 16:00  12 étude 👨‍👩‍👧  fired -10m  scheduled → due
              late, was to speak Wed 13 May 15:00, by the clock
        ");
        insta::assert_snapshot!(told(200), @"
           9  Wed 13 May 16:00  12 a very long title that goes on and on about the many things that …  fired -10m  scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
          10  Wed 13 May 16:00  12 喝水，提醒我每半小时站起来走一走，看看窗外，休息一下眼睛  fired -10m  scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
         999  Wed 13 May 16:00  12 פגישה עם דנה  fired -10m  scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
        12345  Wed 13 May 16:00  12 étude 👨‍👩‍👧  fired -10m  scheduled → due  late, was to speak Wed 13 May 15:00, by the clock
        ");
    }

    #[test]
    fn what_happened_to_the_device_is_told_in_words() {
        let told = |operation: &str, values: Json| {
            let changes = json!({
                "task": null, "task_id": null, "occurrence": null, "actor": "daemon", "operation": operation,
                "values": values,
            });
            let event = serde_json::from_value(event(9, &changes)).expect("an event of the test's own");
            shown(&[event_line(&event, here(), None)])
        };
        let times =
            |by: i64| json!({ "from": "2026-05-13T18:00:00-04:00", "to": "2026-05-13T16:00:00-04:00", "by_ms": by });
        insta::assert_snapshot!(told("clock_stepped", times(-7_200_000)), @"9  Wed 13 May 16:00  the clock was set by -2h, from Wed 13 May 18:00 to Wed 13 May 16:00");
        insta::assert_snapshot!(told("clock_stepped", times(7_200_000)), @"9  Wed 13 May 16:00  the clock was set by +2h, from Wed 13 May 18:00 to Wed 13 May 16:00");
        insta::assert_snapshot!(told("slept", times(7_200_000)), @"9  Wed 13 May 16:00  the machine slept for 2h, from Wed 13 May 18:00 to Wed 13 May 16:00");
        let zones = json!({ "from": "Europe/Berlin", "to": "Asia/Shanghai" });
        insta::assert_snapshot!(told("zone_changed", zones), @"9  Wed 13 May 16:00  the zone changed from Europe/Berlin to Asia/Shanghai");
    }

    #[test]
    fn an_event_of_any_task_is_one_line() {
        let event = event(9, &json!({ "snapshot": task(&json!({})), "to": "CREATED" }));
        let event = serde_json::from_value(event).expect("an event of the test's own");
        insta::assert_snapshot!(shown(&[event_line(&event, here(), None)]), @"   9  Wed 13 May 16:00  12 pay rent  added  → created");
    }
}
