//! How an agenda is told: a heading for each day, and a line for each thing that rings or runs on it.

use chrono::Datelike as _;

use crate::cli::render::table::{Column, table};
use crate::cli::render::text::{BAD, DIM, HEAD, NUMBER, Text};
use crate::cli::render::time::{Viewpoint, clock, length};
use crate::domain::quiet::end_in_words;
use crate::domain::time::{Timestamp, add_days};
use crate::protocol::methods::AgendaResult;
use crate::protocol::objects::{AgendaEntry, AgendaNote, Priority};

/// The narrowest that a title becomes before what is said of it goes on below.
const TITLE_MIN: usize = 16;

/// What stands between two columns.
const GAP: usize = 2;

/// How many numbers a line names that tells of several tasks.
const NUMBERS_MAX: usize = 12;

/// Returns the lines of an agenda.
pub(crate) fn agenda(answer: &AgendaResult, view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let mut lines = Vec::new();
    if answer.entries.is_empty() {
        let until = view.exact(answer.to.instant());
        lines.push(Text::styled(DIM, &format!("nothing rings or runs before {until}")));
    }
    let columns = [Column::numbers(""), Column::numbers(""), Column::rest("", TITLE_MIN)];
    let widest = |cell: &dyn Fn(&AgendaEntry) -> Text| {
        answer.entries.iter().map(|entry| cell(entry).width()).max().unwrap_or(0) + GAP
    };
    let taken = widest(&number) + widest(&|entry| time(entry, view));
    let room = width.map(|width| width.saturating_sub(taken));
    let rows: Vec<Vec<Text>> =
        answer.entries.iter().map(|entry| vec![number(entry), time(entry, view), title(entry, view, room)]).collect();
    let mut last_day = None;
    // Without the heading, which is empty here.
    for (entry, row) in answer.entries.iter().zip(table(&columns, &rows, width).into_iter().skip(1)) {
        let day = entry.at.instant().local(view.zone).date();
        if last_day.replace(day) != Some(day) {
            if !lines.is_empty() {
                lines.push(Text::default());
            }
            lines.push(heading(entry.at.instant(), view));
        }
        lines.push(row);
    }
    let notes = notes(answer, view);
    if !notes.is_empty() {
        lines.push(Text::default());
        lines.extend(notes);
    }
    lines
}

/// `Thu 14 May  tomorrow`, with the year where it is another.
fn heading(at: Timestamp, view: Viewpoint) -> Text {
    let (day, today) = (at.local(view.zone).date(), view.now.local(view.zone).date());
    let format = if day.year() == today.year() { "%a %-d %b" } else { "%a %-d %b %Y" };
    let mut text = Text::styled(HEAD, &day.format(format).to_string());
    if day == today {
        text.push_styled(DIM, "  today");
    } else if Some(day) == add_days(today, 1) {
        text.push_styled(DIM, "  tomorrow");
    }
    text
}

/// `09:00`, or `09:00-17:30` where it is said several times within the day.
fn time(entry: &AgendaEntry, view: Viewpoint) -> Text {
    let (first, last) = (entry.at.instant().in_zone(view.zone), entry.last_at.instant().in_zone(view.zone));
    let is_within = entry.times > 1 && first.date_naive() == last.date_naive();
    let last = if is_within { format!("-{}", clock(&last)) } else { String::new() };
    Text::plain(&format!("{}{last}", clock(&first)))
}

fn number(entry: &AgendaEntry) -> Text {
    Text::styled(NUMBER, &format!("  {}", entry.task))
}

/// Returns the title, cut so that what is said of it fits behind it, as far as that makes sense.
fn title(entry: &AgendaEntry, view: Viewpoint, room: Option<usize>) -> Text {
    let mut title = match entry.priority {
        Priority::High => Text::styled(BAD, "! "),
        Priority::Normal | Priority::Low => Text::default(),
    };
    title.push(&entry.title);
    for tag in &entry.tags {
        title.push_styled(DIM, &format!(" +{tag}"));
    }
    let said = said(entry, view);
    if said.is_empty() {
        return room.map_or(title.clone(), |room| title.cut(room));
    }
    let said = Text::styled(DIM, &format!("  {said}"));
    let mut text = room.map_or(title.clone(), |room| title.cut(room.saturating_sub(said.width()).max(TITLE_MIN)));
    text.append(said);
    text
}

/// Returns what there is to say of an entry: which alert it is, how often it is said, what it depends on.
fn said(entry: &AgendaEntry, view: Viewpoint) -> String {
    let mut said = Vec::new();
    said.extend(slot(&entry.slot));
    said.extend(entry.runs.then(|| "runs its command".to_owned()));
    if entry.times > 1 {
        let every = entry.every_ms.and_then(|millis| u64::try_from(millis).ok()).and_then(length);
        said.extend(every.map(|every| format!("every {every}")));
        let most = if entry.slot.starts_with("nag") { "up to " } else { "" };
        said.push(format!("{most}{} times", entry.times));
    }
    match entry.only_if.as_deref() {
        Some("unanswered") => said.push("unless answered".to_owned()),
        Some("answered") => said.push("if the one before is done".to_owned()),
        Some(_) | None => {}
    }
    said.extend(entry.held_until.map(|end| held(entry, end.instant(), view)));
    said.join(", ")
}

/// Says until when it is held, or, of several, the first of them.
fn held(entry: &AgendaEntry, end: Timestamp, view: Viewpoint) -> String {
    let of_several = if entry.last_at.instant() < end { "" } else { "the first " };
    format!("{of_several}held until {}", end_in_words(end, entry.at.instant(), view.zone))
}

fn slot(slot: &str) -> Option<String> {
    let relative = |offset: &str| match (offset.strip_prefix('-'), offset.strip_prefix('+')) {
        (Some(before), _) => format!("{before} before"),
        (None, after) => format!("{} after", after.unwrap_or(offset)),
    };
    match slot.strip_prefix("deadline") {
        Some("") => Some("deadline".to_owned()),
        Some(offset) => Some(format!("{} the deadline", relative(offset))),
        None if slot.starts_with("nag") => Some("nag".to_owned()),
        None if slot == "0" => None,
        None => Some(relative(slot)),
    }
}

/// Returns what is not among the lines, and why.
fn notes(answer: &AgendaResult, view: Viewpoint) -> Vec<Text> {
    let mut lines = Vec::new();
    if answer.left_out > 0 {
        let more = answer.left_out;
        lines.push(Text::styled(DIM, &format!("and {more} more: name fewer days, or a higher --limit")));
    }
    let of = |kind: &str| answer.notes.iter().filter(|note| note.kind == kind).collect::<Vec<_>>();
    let (timed, open): (Vec<_>, Vec<_>) = of("paused").into_iter().partition(|note| note.until.is_some());
    lines.extend(several("paused until resumed", &open));
    match timed.as_slice() {
        [] => {}
        [one] => {
            let until = one.until.map(|until| view.exact(until.instant())).unwrap_or_default();
            lines.extend(several(&format!("paused until {until}"), &timed));
        }
        [..] => lines.extend(several("paused for a time", &timed)),
    }
    lines.extend(of("after_done").into_iter().map(|note| of_one(note, &note.text)));
    for note in of("cut") {
        let until = note.until.map(|until| format!("; told up to {}", view.exact(until.instant())));
        lines.push(of_one(note, &format!("{}{}", note.text, until.unwrap_or_default())));
    }
    lines
}

fn several(what: &str, notes: &[&AgendaNote]) -> Option<Text> {
    let numbers: Vec<String> = notes.iter().take(NUMBERS_MAX).map(|note| note.task.to_string()).collect();
    let mut line = Text::styled(HEAD, what);
    line.push(": ");
    line.push_styled(NUMBER, &numbers.join(", "));
    if notes.len() > NUMBERS_MAX {
        line.push_styled(DIM, &format!(" and {} more", notes.len() - NUMBERS_MAX));
    }
    (!notes.is_empty()).then_some(line)
}

fn of_one(note: &AgendaNote, text: &str) -> Text {
    let mut line = Text::styled(NUMBER, &note.task.to_string());
    line.push(&format!("  {}: ", note.title));
    line.push_styled(DIM, text);
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{LONG, here, shown, shown_at};
    use crate::protocol::objects::Json;

    fn entry(changes: &Json) -> Json {
        let mut whole = json!({
            "at": "2026-05-13T19:00:00-04:00", "last_at": "2026-05-13T19:00:00-04:00", "times": 1, "every_ms": null,
            "task": 12, "task_id": "0192a000-0000-7000-8000-000000000012", "title": "pay rent", "priority": "normal",
            "tags": [], "slot": "0", "occurrence": "once", "due_at": null, "only_if": null, "predicted": false,
        });
        for (key, value) in changes.as_object().expect("an object") {
            whole[key] = value.clone();
        }
        if changes.get("last_at").is_none() {
            whole["last_at"] = whole["at"].clone();
        }
        whole
    }

    fn answer(entries: &[Json], notes: &Json, left_out: u64) -> AgendaResult {
        let entries: Vec<Json> = entries.iter().map(entry).collect();
        serde_json::from_value(json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "from": "2026-05-13T16:00:00-04:00",
            "to": "2026-05-20T16:00:00-04:00", "entries": entries, "left_out": left_out, "notes": notes,
            "warnings": [], "next": null,
        }))
        .expect("an answer of the test's own")
    }

    fn week() -> AgendaResult {
        let entries = [
            json!({ "at": "2026-05-13T18:00:00-04:00", "slot": "-1h", "tags": ["home"] }),
            json!({ "tags": ["home"], "priority": "high" }),
            json!({
                "at": "2026-05-13T19:10:00-04:00", "last_at": "2026-05-13T22:20:00-04:00", "times": 20,
                "every_ms": 600_000, "slot": "nag#1", "only_if": "unanswered",
            }),
            json!({
                "at": "2026-05-14T00:00:00-04:00", "last_at": "2026-05-14T23:55:00-04:00", "times": 288,
                "every_ms": 300_000, "task": 7, "title": "喝水喝水喝水喝水喝水",
            }),
            json!({ "at": "2026-05-14T08:00:00-04:00", "task": 171, "title": "standup", "slot": "-30m", "only_if": "answered" }),
            json!({ "at": "2026-05-14T08:30:00-04:00", "task": 171, "title": "standup" }),
            json!({ "at": "2026-05-14T10:00:00-04:00", "task": 172, "title": "פגישה עם דנה", "slot": "-10m" }),
            json!({ "at": "2026-05-14T14:00:00-04:00", "task": 174, "title": LONG, "slot": "-10m" }),
            json!({ "at": "2026-05-14T14:10:00-04:00", "task": 174, "title": LONG }),
            json!({ "at": "2027-01-02T12:00:00-05:00", "task": 171, "title": "taxes", "slot": "deadline-1d" }),
        ];
        let notes = json!([
            { "task": 3, "title": "gym", "kind": "paused", "until": null, "text": "" },
            { "task": 4, "title": "run", "kind": "paused", "until": null, "text": "" },
            { "task": 5, "title": "swim", "kind": "paused", "until": "2026-05-18T09:00:00-04:00", "text": "" },
            { "task": 9, "title": "filter", "kind": "after_done", "until": null, "text": "then every 7 days after it is done" },
        ]);
        answer(&entries, &notes, 12)
    }

    #[test]
    fn an_agenda_has_a_heading_for_each_day() {
        insta::assert_snapshot!(shown_at(&agenda(&week(), here(), Some(80)), 80), @"
        Wed 13 May  today
           12        18:00  pay rent +home  1h before
           12        19:00  ! pay rent +home
           12  19:10-22:20  pay rent  nag, every 10m, up to 20 times, unless answered

        Thu 14 May  tomorrow
            7  00:00-23:55  喝水喝水喝水喝水喝水  every 5m, 288 times
          171        08:00  standup  30m before, if the one before is done
          171        08:30  standup
          172        10:00  פגישה עם דנה  10m before
          174        14:00  a very long title that goes on and on about the…  10m before
          174        14:10  a very long title that goes on and on about the many things…

        Sat 2 Jan 2027
          171        12:00  taxes  1d before the deadline

        and 12 more: name fewer days, or a higher --limit
        paused until resumed: 3, 4
        paused until Mon 18 May 2026 09:00 EDT: 5
        9  filter: then every 7 days after it is done
        ");
    }

    #[test]
    fn an_agenda_uses_a_wide_terminal() {
        insta::assert_snapshot!(shown_at(&agenda(&week(), here(), Some(200)), 200), @"
        Wed 13 May  today
           12        18:00  pay rent +home  1h before
           12        19:00  ! pay rent +home
           12  19:10-22:20  pay rent  nag, every 10m, up to 20 times, unless answered

        Thu 14 May  tomorrow
            7  00:00-23:55  喝水喝水喝水喝水喝水  every 5m, 288 times
          171        08:00  standup  30m before, if the one before is done
          171        08:30  standup
          172        10:00  פגישה עם דנה  10m before
          174        14:00  a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the meeting, the room, and who bri…  10m before
          174        14:10  a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the meeting, the room, and who brings the coff…

        Sat 2 Jan 2027
          171        12:00  taxes  1d before the deadline

        and 12 more: name fewer days, or a higher --limit
        paused until resumed: 3, 4
        paused until Mon 18 May 2026 09:00 EDT: 5
        9  filter: then every 7 days after it is done
        ");
    }

    #[test]
    fn an_agenda_fits_a_narrow_terminal() {
        insta::assert_snapshot!(shown_at(&agenda(&week(), here(), Some(40)), 40), @"
        Wed 13 May  today
           12        18:00  pay rent +home
                            1h before
           12        19:00  ! pay rent +home
           12  19:10-22:20  pay rent
                            nag, every 10m, up
                            to 20 times, unless
                            answered

        Thu 14 May  tomorrow
            7  00:00-23:55  喝水喝水喝水喝…
                            every 5m, 288 times
          171        08:00  standup
                            30m before, if the
                            one before is done
          171        08:30  standup
          172        10:00  פגישה עם דנה
                            10m before
          174        14:00  a very long tit…
                            10m before
          174        14:10  a very long title t…

        Sat 2 Jan 2027
          171        12:00  taxes
                            1d before the
                            deadline

        and 12 more: name fewer days, or a
          higher --limit
        paused until resumed: 3, 4
        paused until Mon 18 May 2026 09:00 EDT:
          5
        9  filter: then every 7 days after it is
          done
        ");
        for width in [20, 40, 80, 200] {
            for line in agenda(&week(), here(), Some(width)).iter().flat_map(|line| line.fitted(Some(width))) {
                assert!(line.width() <= width, "{line:?} is wider than {width}");
            }
        }
    }

    #[test]
    fn an_empty_agenda_says_so() {
        insta::assert_snapshot!(shown(&agenda(&answer(&[], &json!([]), 0), here(), Some(80))), @"nothing rings or runs before Wed 20 May 2026 16:00 EDT");
    }
}
