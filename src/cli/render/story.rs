//! How a story is told: each sentence behind its time, in as many lines as the terminal's width asks for.

use crate::cli::render::task::title;
use crate::cli::render::text::{BAD, DIM, DUE, HEAD, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::methods::WhyResult;
use crate::protocol::objects::Sentence;

/// On a terminal narrower than this a time has a line of its own.
const WIDE: usize = 60;

/// What stands between the time and its sentence, and before a sentence whose time has a line of its own.
const GAP: usize = 2;

/// How much further a detail stands in.
const STEP: usize = 2;

/// Returns the story of a task, oldest first.
pub(crate) fn story(answer: &WhyResult, view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let mut first = Text::styled(NUMBER, &answer.task.number.to_string());
    first.push("  ");
    first.append(title(&answer.task));
    let mut lines = vec![width.map_or(first.clone(), |width| first.cut(width))];
    if let Some(next) = answer.next {
        let number = answer.task.number;
        let rest = Text::styled(DIM, &format!("what came before: keiko why {number} --before {next}"));
        lines.push(rest);
    }
    let times: Vec<Text> = answer.sentences.iter().map(|each| view.log_row(each.at.instant()).into()).collect();
    let widest = times.iter().map(Text::width).max().unwrap_or(0);
    let is_wide = width.is_none_or(|width| width >= WIDE);
    let (mut last, mut last_main): (Option<Text>, Option<Text>) = (None, None);
    for (sentence, time) in answer.sentences.iter().zip(times) {
        let step = if sentence.detail { STEP } else { 0 };
        // What happened in one moment has one time; a detail of another time takes it away.
        let is_new = last.as_ref() != Some(&time) || (!sentence.detail && last != last_main);
        if is_wide {
            let margin = widest + GAP + step;
            let shown = if is_new { time.clone() } else { Text::default() };
            lines.push(behind(shown.padded_right(margin), sentence, margin));
        } else {
            if is_new {
                lines.push(time.clone().in_style(DIM));
            }
            let margin = GAP + step;
            lines.push(behind(Text::default().padded_right(margin), sentence, margin));
        }
        if !sentence.detail {
            last_main = Some(time.clone());
        }
        last = Some(time);
    }
    lines
}

/// Returns a sentence behind what stands before it; where it is longer than a line it goes on as far in.
fn behind(mut before: Text, sentence: &Sentence, margin: usize) -> Text {
    before.append(text(sentence));
    before.hanging(margin)
}

fn text(sentence: &Sentence) -> Text {
    match sentence.kind.as_str() {
        "now" | "next" => Text::styled(HEAD, &sentence.text),
        "skipped" | "missed" | "failed" | "deadline_passed" | "expired" => Text::styled(BAD, &sentence.text),
        "rang" => Text::styled(DUE, &sentence.text),
        "sent" | "folded" => Text::styled(DIM, &sentence.text),
        _ => Text::plain(&sentence.text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, shown_at, task};

    fn answer() -> WhyResult {
        let sentence = |at: &str, kind: &str, text: &str, detail: bool| json!({ "at": at, "kind": kind, "text": text, "detail": detail, "occurrence": null, "events": [] });
        let answer = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "next": 4711,
            "task": task(&json!({ "title": "提醒我交房租并且把收据发给房东" })),
            "sentences": [
                sentence("2026-05-04T09:02:00-04:00", "added", "added by you, for \"每天早上九点交房租并且把收据发给房东\"", false),
                sentence("2026-05-05T09:12:00-04:00", "rang", "rang late, 12m after its time (09:00): the alert when due", false),
                sentence("2026-05-05T09:12:00-04:00", "sent", "desktop: shown", true),
                sentence("2026-05-05T09:13:00-04:00", "sent", "webhook:ops: delivered, after 2 attempts that failed", true),
                sentence("2026-05-05T09:13:00-04:00", "ended", "you did it", false),
                sentence("2026-05-13T16:00:00-04:00", "now", "now: scheduled, due Thu 14 May 09:00", false),
            ],
        });
        serde_json::from_value(answer).expect("an answer of the test's own")
    }

    #[test]
    fn a_story_is_as_wide_as_the_terminal() {
        insta::assert_snapshot!(shown_at(&story(&answer(), here(), Some(200)), 200), @r#"
        12  提醒我交房租并且把收据发给房东
        what came before: keiko why 12 --before 4711
        Mon  4 May 09:02  added by you, for "每天早上九点交房租并且把收据发给房东"
        Tue  5 May 09:12  rang late, 12m after its time (09:00): the alert when due
                            desktop: shown
        Tue  5 May 09:13    webhook:ops: delivered, after 2 attempts that failed
        Tue  5 May 09:13  you did it
        Wed 13 May 16:00  now: scheduled, due Thu 14 May 09:00
        "#);
        insta::assert_snapshot!(shown_at(&story(&answer(), here(), Some(80)), 80), @r#"
        12  提醒我交房租并且把收据发给房东
        what came before: keiko why 12 --before 4711
        Mon  4 May 09:02  added by you, for "每天早上九点交房租并且把收据发给房东"
        Tue  5 May 09:12  rang late, 12m after its time (09:00): the alert when due
                            desktop: shown
        Tue  5 May 09:13    webhook:ops: delivered, after 2 attempts that failed
        Tue  5 May 09:13  you did it
        Wed 13 May 16:00  now: scheduled, due Thu 14 May 09:00
        "#);
        insta::assert_snapshot!(shown_at(&story(&answer(), here(), Some(40)), 40), @r#"
        12  提醒我交房租并且把收据发给房东
        what came before: keiko why 12 --before
          4711
        Mon  4 May 09:02
          added by you, for
          "每天早上九点交房租并且把收据发给房东"
        Tue  5 May 09:12
          rang late, 12m after its time (09:00):
          the alert when due
            desktop: shown
        Tue  5 May 09:13
            webhook:ops: delivered, after 2
            attempts that failed
        Tue  5 May 09:13
          you did it
        Wed 13 May 16:00
          now: scheduled, due Thu 14 May 09:00
        "#);
        for width in 10..120 {
            for line in story(&answer(), here(), Some(width)).iter().flat_map(|line| line.fitted(Some(width))) {
                assert!(line.width() <= width.max(22), "{width}: {line:?}");
            }
        }
    }
}
