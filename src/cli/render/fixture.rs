//! Tasks and a viewpoint for the tests of what is told: fixed time, fixed zone.

use serde_json::{Map, json};

use crate::cli::render::text::Text;
use crate::cli::render::time::Viewpoint;
use crate::domain::time::Timestamp;
use crate::protocol::objects::{Json, Row, Task};

/// Returns the viewpoint of Wednesday 2026-05-13 16:00 in New York.
pub(crate) fn here() -> Viewpoint {
    let now = chrono::DateTime::parse_from_rfc3339("2026-05-13T16:00:00-04:00").expect("a time");
    Viewpoint { now: Timestamp::from_utc(now.to_utc()).expect("within range"), zone: chrono_tz::America::New_York }
}

/// Returns lines as a terminal without colours shows them, with é as one character, since a source file is to hold it so.
pub(crate) fn shown(lines: &[Text]) -> String {
    lines
        .iter()
        .map(|line| anstream::adapter::strip_str(&line.to_ansi()).to_string().replace("e\u{301}", "é") + "\n")
        .collect()
}

/// Returns lines as a terminal of `width` columns shows them, long ones folded as [`shown`] says.
pub(crate) fn shown_at(lines: &[Text], width: usize) -> String {
    shown(&lines.iter().flat_map(|line| line.fitted(Some(width))).collect::<Vec<_>>())
}

/// Returns task 12, "pay rent", due tomorrow at 15:00, with other values for some fields.
pub(crate) fn task(changes: &Json) -> Task {
    let mut whole = json!({
        "number": 12, "id": "0192a000-0000-7000-8000-000000000012", "key": null, "title": "pay rent", "notes": "",
        "link": null, "state": "PENDING", "stage": "scheduled", "version": 1,
        "created_at": "2026-05-13T16:00:00-04:00", "updated_at": "2026-05-13T16:00:00-04:00",
        "due_at": "2026-05-14T15:00:00-04:00", "scheduled_at": "2026-05-14T15:00:00-04:00", "started_at": null,
        "ended_at": null, "snoozed_until": null, "paused_until": null, "remaining_ms": null,
        "schedule": {
            "text": "tomorrow 3pm", "kind": "once", "rrule": null, "cron": null, "every_ms": null,
            "zone": "America/New_York", "floating": true, "from": null, "until": null, "count": null,
        },
        "occurrence": { "key": "once", "generation": 1, "acked_at": null },
        "next": ["2026-05-14T15:00:00-04:00"], "deadline_at": null, "alerts": ["0"], "waits_for": [],
        "blocked_by": [], "channels": [], "command": null, "timeout_s": null, "auto_done": false, "nag_ms": null,
        "missed": "once", "max_late_s": null, "attempts": 0, "max_retries": 0, "priority": "normal", "tags": [],
        "metadata": {}, "late": false, "outcome": null, "last_error": null, "device": "d",
    });
    merge(whole.as_object_mut().expect("an object"), changes);
    serde_json::from_value(whole).expect("a task of the test's own")
}

fn merge(whole: &mut Map<String, Json>, changes: &Json) {
    for (key, value) in changes.as_object().expect("an object") {
        match (whole.get_mut(key), value) {
            (Some(Json::Object(inner)), Json::Object(_)) if !inner.is_empty() => merge(inner, value),
            _ => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Returns the row of [`task`].
pub(crate) fn row(changes: &Json) -> Row {
    task(changes).into()
}

/// Returns the rows of [`tasks`].
pub(crate) fn rows() -> Vec<Row> {
    tasks().into_iter().map(Row::from).collect()
}

/// A title that is longer than any line.
pub(crate) const LONG: &str = "a very long title that goes on and on about the many things that one should really not put into a \
     title, such as the whole agenda of the meeting, the room, and who brings the coffee";

/// Returns a task of each sort, and of titles that are not easily shown.
pub(crate) fn tasks() -> Vec<Task> {
    [
        json!({ "number": 1, "title": "交房租" }),
        json!({ "number": 2, "title": "👨\u{200d}👩\u{200d}👧 party", "due_at": "2027-01-02T09:00:00-05:00" }),
        json!({
            "number": 3, "title": "e\u{301}tude", "state": "RUNNING", "stage": "late",
            "due_at": "2026-05-13T15:00:00-04:00", "late": true,
        }),
        json!({
            "number": 4, "title": "a plain title that is longer than a narrow terminal is wide", "state": "RUNNING",
            "stage": "due", "due_at": "2026-05-13T15:59:50-04:00", "tags": ["home"],
        }),
        json!({ "number": 14, "state": "SUSPENDED", "stage": "paused", "title": "paused one" }),
        json!({ "number": 15, "state": "CREATED", "stage": "no time", "title": "buy milk", "due_at": null }),
        json!({
            "number": 16, "state": "RUNNING", "stage": "due", "title": "seen one", "due_at": "2026-05-13T12:00:00-04:00",
            "occurrence": { "acked_at": "2026-05-13T12:01:00-04:00" },
        }),
        json!({
            "number": 170, "stage": "snoozed", "title": "snoozed one", "due_at": "2026-05-13T12:00:00-04:00",
            "snoozed_until": "2026-05-13T16:10:00-04:00",
        }),
        json!({
            "number": 171, "title": "standup", "due_at": "2026-05-14T09:30:00-04:00",
            "schedule": { "kind": "calendar", "rrule": "FREQ=WEEKLY" },
        }),
        json!({ "number": 172, "title": "פגישה עם דנה", "tags": ["עבודה"], "due_at": "2026-05-15T10:00:00-04:00" }),
        json!({ "number": 173, "title": "اجتماع الفريق", "due_at": "2026-05-13T18:00:00-04:00", "priority": "high" }),
        json!({
            "number": 174, "title": LONG, "due_at": "2026-05-17T14:00:00-04:00",
            "tags": ["one", "two", "three", "four", "five", "six", "seven"],
        }),
        json!({ "number": 175, "title": "喝水，提醒我每半小时站起来走一走，看看窗外，休息一下眼睛", "due_at": "2026-05-12T09:00:00-04:00" }),
        json!({
            "number": 176, "title": "cook", "state": "CREATED", "stage": "blocked: 24 cancelled", "due_at": null,
            "waits_for": [24], "blocked_by": [24],
        }),
        json!({
            "number": 177, "title": "🏳\u{fe0f}\u{200d}🌈 and 🇫🇷 and ❤\u{fe0f}", "state": "RUNNING", "stage": "running",
            "due_at": "2026-05-13T15:20:00-04:00", "progress": { "percent": 40, "text": "copying" },
        }),
    ]
    .iter()
    .map(task)
    .collect()
}
