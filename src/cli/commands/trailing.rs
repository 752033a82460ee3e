//! Which of the words behind a verb are names of tasks, and which say until when? `snooze 12 30m`, `pause 4 until friday`.

use chrono_tz::Tz;

use crate::cli::error::CliError;
use crate::cli::names::is_exact;
use crate::domain::time::Timestamp;
use crate::when::{self, Settings, TimeError, parse_span, parse_time};

/// What the words mean.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meant {
    /// The names of tasks.
    pub(crate) names: Vec<String>,
    /// For how long or until when, where that is said.
    pub(crate) time: Option<Time>,
}

/// For how long, or until when.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// So long.
    For(String),
    /// Until then.
    Until(String),
}

/// What words behind a number may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// A bare number may be minutes, so it is asked; other words are a time.
    IsAsked,
    /// A bare number is one more task; other words are a time only where they read as one.
    IsTask,
}

/// Parts the names of tasks from the time behind them.
///
/// A time needs a unit: a bare number behind a task could be minutes or another task, so that is asked, not guessed.
///
/// # Errors
/// A bare number could be either.
pub(crate) fn split(words: &[String], number: Number) -> Result<Meant, CliError> {
    let numbers = words.iter().take_while(|word| is_exact(word)).count();
    // `3 1 hour`: the last number belongs to the unit behind it.
    let in_unit = |at: usize| at < words.len() && is_length(&words[at - 1..].join(" "));
    let numbers = if numbers > 0 && in_unit(numbers) { numbers - 1 } else { numbers };
    let (names, rest) = words.split_at(numbers);
    if let Some(keyword) = rest.iter().position(|word| is_keyword(word))
        && rest.len() > keyword + 1
    {
        let names = [names, &rest[..keyword]].concat();
        let time = rest[keyword + 1..].join(" ");
        let time = if rest[keyword].eq_ignore_ascii_case("for") { Time::For(time) } else { Time::Until(time) };
        return Ok(Meant { names, time: Some(time) });
    }
    let whole = rest.join(" ");
    Ok(match rest {
        [] => match names {
            [.., _, last] if number == Number::IsAsked && is_bare(last) => return Err(ask_for_a_unit(last)),
            [..] => Meant { names: names.to_vec(), time: None },
        },
        _ if is_length(&whole) => Meant { names: names.to_vec(), time: Some(Time::For(whole)) },
        // Behind a number nothing but a time can stand.
        _ if !names.is_empty() && (number == Number::IsAsked || is_time(&whole)) => {
            Meant { names: names.to_vec(), time: Some(Time::Until(whole)) }
        }
        [title @ .., last] if is_length(last) => {
            Meant { names: [names, title].concat(), time: Some(Time::For(last.clone())) }
        }
        _ => Meant { names: words.to_vec(), time: None },
    })
}

fn is_bare(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn ask_for_a_unit(number: &str) -> CliError {
    CliError::usage(
        format!("cannot tell whether {number} is a time or a task: a time needs a unit"),
        format!("write {number}m for minutes; several tasks need a time behind them, such as `snooze 3 5 10m`"),
    )
}

fn is_keyword(word: &str) -> bool {
    ["for", "until", "till"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Returns whether words say a time; which one does not matter, so any day will do.
fn is_time(words: &str) -> bool {
    let context = when::Context { now: Timestamp::MIN, zone: Tz::UTC, settings: Settings::default() };
    match parse_time(words, &context) {
        Ok(_) => true,
        Err(error) => !matches!(error, TimeError::Missing { .. } | TimeError::Leftover { .. }),
    }
}

fn is_length(text: &str) -> bool {
    parse_span(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, names: &str, time: Option<Time>) {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(split(&words(line), Number::IsAsked).expect("clear"), Meant { names: words(names), time }, "{line}");
    }

    #[test]
    fn a_time_may_follow_the_names() {
        check("", "", None);
        check("12", "12", None);
        check("3 5-7", "3 5-7", None);
        check("10m", "", Some(Time::For("10m".into())));
        check("12 10m", "12", Some(Time::For("10m".into())));
        check("12 1 h", "12", Some(Time::For("1 h".into())));
        check("1 hour", "", Some(Time::For("1 hour".into())));
        check("3 5 10m", "3 5", Some(Time::For("10m".into())));
        check("12 tomorrow 9am", "12", Some(Time::Until("tomorrow 9am".into())));
        check("12 until tomorrow 9am", "12", Some(Time::Until("tomorrow 9am".into())));
        check("12 for 2 hours", "12", Some(Time::For("2 hours".into())));
    }

    #[test]
    fn a_title_may_stand_before_the_time() {
        check("pay rent", "pay rent", None);
        check("pay rent 1h", "pay rent", Some(Time::For("1h".into())));
        check("pay rent until friday", "pay rent", Some(Time::Until("friday".into())));
    }

    #[test]
    fn a_bare_number_behind_a_task_is_asked_about() {
        let error = split(&["3".to_owned(), "20".to_owned()], Number::IsAsked).expect_err("unclear");
        assert_eq!(error.to_string(), "cannot tell whether 20 is a time or a task: a time needs a unit");
    }

    #[test]
    fn where_a_number_is_a_task_words_behind_it_are_a_time_only_where_they_read_as_one() {
        let told = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let meant = split(&words, Number::IsTask).expect("clear");
            (meant.names.join(" "), meant.time)
        };
        assert_eq!(told("3 5"), ("3 5".into(), None));
        assert_eq!(told("3 tea"), ("3 tea".into(), None));
        assert_eq!(told("3 +work"), ("3 +work".into(), None));
        assert_eq!(told("4 2h"), ("4".into(), Some(Time::For("2h".into()))));
        assert_eq!(told("3 tea 2h"), ("3 tea".into(), Some(Time::For("2h".into()))));
        assert_eq!(told("2 until tomorrow"), ("2".into(), Some(Time::Until("tomorrow".into()))));
        assert_eq!(told("4 tomorrow 9am"), ("4".into(), Some(Time::Until("tomorrow 9am".into()))));
        assert_eq!(told("4 明天"), ("4".into(), Some(Time::Until("明天".into()))));
    }
}
