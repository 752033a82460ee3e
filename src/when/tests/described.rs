//! Do the words for a rule say that rule?

use super::*;

#[test]
fn the_words_for_a_rule_are_read_as_that_rule() {
    let days = [
        "every day",
        "every weekday",
        "every monday",
        "every monday and friday",
        "every saturday and sunday",
        "every other tuesday",
        "every 3 days",
        "every other day",
        "every 3 weeks on sunday",
        "every week",
        "every month on the 1st",
        "every month on the 31st",
        "every month on the 1st and 15th",
        "every 3 months on the 15th",
        "last day of every month",
        "first monday of every month",
        "last friday of every month",
        "last weekday of every month",
        "every year on june 3",
        "every year on feb 29",
        "every 2 years on june 3",
    ];
    let times = ["", " at 9:30", " at 8am and 8pm", " at 00:00"];
    let ends = ["", " until june 20 2030", " 5 times"];
    let mut phrases = Vec::new();
    for day in days {
        for time in times {
            phrases.extend(ends.iter().map(|end| format!("{day}{time}{end}")));
        }
    }
    let others = ["every 2 hours", "every 90 minutes", "every hour", "every 45 seconds 3 times", "every minute"];
    let context = context();
    let mut wrong = Vec::new();
    for phrase in phrases.into_iter().chain(others.map(str::to_owned)) {
        let Ok(time) = parse_time(&phrase, &context) else {
            wrong.push(format!("{phrase} is not read"));
            continue;
        };
        let words = render::describe(&time.schedule, context.zone);
        // Times of day that are no square have no words, and the rule itself is shown.
        if words.starts_with("by the rule ") {
            continue;
        }
        // An end is told with its weekday, which `until` does not take beside a date.
        let words = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            .iter()
            .fold(words, |words, day| words.replace(&format!("until {day} "), "until "));
        let times_of = |time: &TimeReading| -> Vec<Timestamp> {
            time.schedule.instances(None, Timestamp::MIN, context.zone).take(30).map(|i| i.due).collect()
        };
        match parse_time(&words, &context) {
            Ok(again) if times_of(&again) == times_of(&time) => {}
            Ok(again) => wrong.push(format!("{phrase} → {words} → {:?}", again.schedule.rule)),
            Err(error) => wrong.push(format!("{phrase} → {words} → {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
