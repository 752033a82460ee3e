//! Does each refusal point at its words, and does what it proposes work?

use super::*;

/// Reads at `now`, and returns the words that the error points at and what it proposes between backquotes.
fn refused(error: &TimeError, text: &str) -> (String, Vec<String>) {
    let pointed = text.get(error.span().clone()).unwrap_or_else(|| panic!("{text}: {error:?}")).to_owned();
    let hint = error.hint().unwrap_or_default();
    let proposals = hint.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    (pointed, proposals)
}

#[test]
fn what_a_refusal_proposes_can_be_said() {
    let table = [
        // Past.
        ("today at 9am", "today at 9am"),
        ("call Ann yesterday 3pm", "yesterday 3pm"),
        ("this morning", "this morning"),
        ("2020-01-01", "2020-01-01"),
        ("本周一交房租", "本周一"),
        ("今天上午九点开会", "今天上午九点"),
        // Vague.
        ("remind me later to stretch", "later"),
        ("asap", "asap"),
        ("提醒我改天看书", "改天"),
        // A weekday that is not its date's.
        ("friday june 6", "friday june 6"),
        ("thursday june 5 dentist", "thursday june 5"),
        ("6月6日星期五", "6月6日星期五"),
        // Impossible.
        ("31 april", "31 april"),
        ("30 feb 2027 party", "30 feb 2027"),
        ("at 25:00", "at 25:00"),
        ("晚上13点", "晚上13点"),
        ("中午十点", "中午十点"),
        ("2月30日聚会", "2月30日"),
        ("每年农历八月十五", "农历"),
        // Outside the years.
        ("10000-01-01 09:00", "10000-01-01 09:00"),
        ("in 999999999 years", "in 999999999 years"),
        ("九千九百九十九万年后", "九千九百九十九万年后"),
        // Rules as programs write them.
        ("61 9 * * *", "61"),
        ("0 24 * * *", "24"),
        ("0 9 32 * *", "32"),
        ("0 9 * 13 *", "13"),
        ("0 9 * * 8", "8"),
        ("99 0 9 * * *", "99"),
        ("0 9 * * MON#6", "MON#6"),
        ("FREQ=SOMETIMES", "FREQ=SOMETIMES"),
        ("FREQ=DAILY;BYHOUR=24", "BYHOUR=24"),
        ("FREQ=WEEKLY;BYDAY=XX;BYHOUR=9", "BYDAY=XX"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0"),
        ("FREQ=DAILY;INTERVAL=99999999999", "INTERVAL=99999999999"),
        ("FREQ=DAILY;COUNT=0", "COUNT=0"),
        ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL=tomorrow"),
        ("FREQ=DAILY;FREQ=WEEKLY", "FREQ=WEEKLY"),
        ("FREQ=DAILY;BYEASTER=1", "BYEASTER=1"),
    ];
    let mut wrong = Vec::new();
    for now in ["2026-05-13 16:00", "2026-05-13 23:59", "2026-05-17 00:00"] {
        let context = context_at(now, "America/New_York");
        for (text, words) in table {
            let error = match parse_sentence(text, &context).and_then(Reading::into_time) {
                Err(error) => error,
                // What has passed at four may lie ahead at midnight.
                Ok(_) if now != "2026-05-13 16:00" => continue,
                Ok(time) => {
                    wrong.push(format!("{text}: read as {}", rule(&time, &context)));
                    continue;
                }
            };
            let (pointed, proposals) = refused(&error, text);
            if now == "2026-05-13 16:00" && pointed != words {
                wrong.push(format!("{text}: points at {pointed:?}"));
            }
            if proposals.is_empty() {
                wrong.push(format!("{text}: {error} proposes nothing"));
            }
            for proposal in proposals {
                let read = parse_sentence(&proposal, &context);
                let is_time = read.as_ref().is_ok_and(|read| read.title.is_empty() && read.time.is_some());
                if !is_time {
                    wrong.push(format!("{text} at {now}: proposes {proposal:?}, which is {read:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_length_without_a_unit_proposes_ones_that_can_be_said() {
    for text in ["10", "ten", "十", "2 months"] {
        let error = parse_span(text).expect_err("refused");
        let (_, proposals) = refused(&error, text);
        assert!(!proposals.is_empty(), "{error:?}");
        for proposal in proposals {
            assert!(parse_span(&proposal).is_ok(), "{text}: {proposal}");
        }
    }
}

#[test]
fn a_text_longer_than_any_sentence_is_refused_at_once() {
    let long = "friday, ".repeat(10_000);
    let error = parse_sentence(&long, &context()).expect_err("too long");
    assert_eq!(error.to_string(), "cannot read a sentence of 80000 bytes: expected at most 8192");
    assert_eq!(error.span(), &(0..long.len()));
    assert!(parse_time(&long, &context()).is_err() && parse_every(&long, &context()).is_err());
    assert!(parse_span(&long).is_err() && parse_cron(&long, &context()).is_err());
    assert_eq!(title_beside(&long, error.span()), long.trim());
}
