//! How channels and their targets are told.

use crate::cli::render::table::{Column, table};
use crate::cli::render::text::{BAD, DIM, GOOD, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::methods::{ChannelListResult, ChannelTestResult};
use crate::protocol::objects::TargetStatus;

/// How much room the last column has at least; reasons are long.
const REST_MIN: usize = 28;

/// Returns a table of the targets: how each does, how much waits for it, and why.
pub(crate) fn channels(answer: &ChannelListResult, view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let columns =
        [Column::words("TARGET"), Column::words("STATE"), Column::numbers("TO SEND"), Column::rest("", REST_MIN)];
    let row = |target: &TargetStatus| {
        let away = answer.channels.iter().find(|channel| is_of(target, &channel.kind) && !channel.present);
        let reason = away.and_then(|channel| channel.reason.as_deref());
        let unsent = target.held + target.retrying + target.waiting + target.queued + target.grouped;
        let unsent = if unsent == 0 { Text::default() } else { Text::plain(&unsent.to_string()) };
        vec![target.target.as_str().into(), state(target, away.is_some()), unsent, rest(target, reason, view)]
    };
    let rows: Vec<Vec<Text>> = answer.targets.iter().map(row).collect();
    if rows.is_empty() {
        return vec![Text::styled(DIM, "there is no such target")];
    }
    table(&columns, &rows, width)
}

/// Returns what was done to a target and how much waits for it.
pub(crate) fn target(done: &str, target: &TargetStatus, view: Viewpoint) -> Text {
    let mut line = Text::styled(GOOD, done);
    line.push(&format!("  {}", target.target));
    let rest = rest(target, None, view);
    if rest.width() > 0 {
        line.push("  ");
        line.append(rest);
    }
    line
}

/// Returns what came of a trial.
pub(crate) fn trial(answer: &ChannelTestResult) -> Text {
    match &answer.error {
        None => {
            let mut line = Text::styled(GOOD, "reached");
            line.push(&format!("  {}", answer.target));
            line
        }
        Some(error) => {
            let mut line = Text::styled(BAD, "not reached");
            line.push(&format!("  {}: {error}", answer.target));
            line
        }
    }
}

fn is_of(target: &TargetStatus, kind: &str) -> bool {
    target.target.split(':').next() == Some(kind)
}

fn state(target: &TargetStatus, is_away: bool) -> Text {
    match target.breaker.as_str() {
        "open" => Text::styled(BAD, "fails"),
        "paused" => Text::styled(BAD, "paused"),
        "releasing" => Text::plain("recovers"),
        _ if !target.configured => Text::styled(BAD, "not configured"),
        _ if is_away => Text::styled(BAD, "away"),
        _ => Text::styled(GOOD, "ready"),
    }
}

fn rest(target: &TargetStatus, away: Option<&str>, view: Viewpoint) -> Text {
    let mut parts = Vec::new();
    if let Some(since) = target.since {
        parts.push(format!("since {}", view.row(since.instant())));
    }
    parts.extend(target.last_error.clone());
    if let Some(next) = target.next_at.filter(|_| target.held > 0) {
        parts.push(format!("next try {}", view.distance(next.instant())));
    }
    if target.failures > 0 {
        parts.push(format!("{} failed in a row", target.failures));
    }
    if target.held > 0 {
        parts.push(format!("{} held", target.held));
    }
    parts.extend(away.map(str::to_owned));
    Text::plain(&parts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::render::fixture::{here, shown, shown_at};

    fn target_of(name: &str, breaker: &str, more: &Value) -> Value {
        let mut target = json!({
            "target": name, "configured": true, "breaker": breaker, "failures": 0, "since": null, "next_at": null, "last_error": null,
            "held": 0, "retrying": 0, "waiting": 0, "queued": 0,
        });
        for (key, value) in more.as_object().expect("an object of the test's own") {
            target[key] = value.clone();
        }
        target
    }

    #[test]
    fn every_target_is_told_with_what_waits_and_why() {
        let answer = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00",
            "channels": [
                { "kind": "desktop", "present": false, "reason": "no notification server" },
                { "kind": "terminal", "present": true, "reason": null },
                { "kind": "webhook", "present": true, "reason": null },
            ],
            "targets": [
                target_of("desktop", "closed", &json!({ "waiting": 2 })),
                target_of("terminal", "closed", &json!({})),
                target_of("webhook:ops", "open", &json!({
                    "failures": 14, "since": "2026-05-13T15:20:00-04:00", "next_at": "2026-05-13T16:05:00-04:00",
                    "held": 40, "last_error": "https://ops.example answered 503",
                })),
                target_of("webhook:chat", "paused", &json!({ "since": "2026-05-13T12:00:00-04:00" })),
            ],
        });
        let answer = serde_json::from_value(answer).expect("an answer of the test's own");
        insta::assert_snapshot!(shown_at(&channels(&answer, here(), Some(120)), 120), @"
        TARGET        STATE   TO SEND
        desktop       away          2  no notification server
        terminal      ready
        webhook:ops   fails        40  since Wed 13 May 15:20, https://ops.example answered 503, next try in 5m, 14 failed in a
                                       row, 40 held
        webhook:chat  paused           since Wed 13 May 12:00
        ");
        insta::assert_snapshot!(shown_at(&channels(&answer, here(), Some(40)), 40), @"
        TARGET        STATE   TO SEND
        desktop       away          2
            no notification server
        terminal      ready
        webhook:ops   fails        40
            since Wed 13 May 15:20,
            https://ops.example answered 503,
            next try in 5m, 14 failed in a row,
            40 held
        webhook:chat  paused
            since Wed 13 May 12:00
        ");
        insta::assert_snapshot!(shown_at(&channels(&answer, here(), Some(80)), 80), @"
        TARGET        STATE   TO SEND
        desktop       away          2  no notification server
        terminal      ready
        webhook:ops   fails        40  since Wed 13 May 15:20, https://ops.example
                                       answered 503, next try in 5m, 14 failed in a row,
                                       40 held
        webhook:chat  paused           since Wed 13 May 12:00
        ");
        insta::assert_snapshot!(shown_at(&channels(&answer, here(), Some(60)), 60), @"
        TARGET        STATE   TO SEND
        desktop       away          2  no notification server
        terminal      ready
        webhook:ops   fails        40  since Wed 13 May 15:20,
                                       https://ops.example answered
                                       503, next try in 5m, 14
                                       failed in a row, 40 held
        webhook:chat  paused           since Wed 13 May 12:00
        ");
    }

    #[test]
    fn a_trial_says_what_came_of_it() {
        let answer = |error: Option<&str>| {
            let answer = json!({
                "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "target": "webhook:ops",
                "delivered": error.is_none(), "error": error,
            });
            shown(&[trial(&serde_json::from_value(answer).expect("an answer of the test's own"))])
        };
        insta::assert_snapshot!(answer(None), @"reached  webhook:ops");
        insta::assert_snapshot!(answer(Some("https://ops.example answered 404")), @"not reached  webhook:ops: https://ops.example answered 404");
    }
}
