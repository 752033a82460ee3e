//! `keiko snooze`: lets it speak again later.

use clap::Args;

use crate::cli::commands::each::change_each_or_due;
use crate::cli::commands::filter::{Care, Filter, Tags, Typed};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::names::is_exact;
use crate::cli::render::change::Change;
use crate::protocol::methods;
use crate::when::parse_span;

/// Lets tasks speak again later
///
/// By default in 10 minutes. A time may follow the tasks; it needs a unit (10m, 1h) or is a time phrase. Snoozing
/// never moves when a thing is due. Without a name the one that is due.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko snooze\n  \
    keiko snooze 1h\n  \
    keiko snooze 12 30m\n  \
    keiko snooze 12 until tomorrow 9am")]
pub(crate) struct Snooze {
    /// Which tasks, and for how long or until when
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// For how long, such as 30m
    #[arg(long = "for", value_name = "TIME", conflicts_with = "until")]
    for_: Option<String>,
    /// Until when, such as "tomorrow 9am"
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The zone in which the time is read
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
    /// Also an occurrence that has not spoken yet
    #[arg(long)]
    early: bool,
    /// The occurrence that is meant, as `show --json` names it: KEY~GENERATION
    #[arg(long, value_name = "KEY")]
    occurrence: Option<String>,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// Their tags.
    #[command(flatten)]
    tags: Tags,
    /// How the change is made.
    #[command(flatten)]
    care: Care,
}

impl Snooze {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let has_option = self.for_.is_some() || self.until.is_some();
        let meant = if has_option { Meant { names: self.words, time: None } } else { split(&self.words)? };
        let (length, until) = match (meant.time, self.for_, self.until) {
            (Some(Time::For(length)), _, _) | (None, Some(length), _) => (Some(length), None),
            (Some(Time::Until(until)), _, _) | (None, None, Some(until)) => (None, Some(until)),
            (None, None, None) => (None, None),
        };
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        let question = |task| methods::Snooze {
            task,
            r#for: length.clone(),
            until: until.clone(),
            early: self.early,
            occurrence: self.occurrence.clone(),
            zone: Some(zone.clone()),
            key: None,
        };
        let typed = Typed { words: &meant.names, filter: &self.filter, tags: &self.tags.tag, care: self.care };
        change_each_or_due(context, typed, Change::Snoozed, question)
    }
}

/// What the words of a snooze mean.
#[derive(Debug, PartialEq, Eq)]
struct Meant {
    names: Vec<String>,
    time: Option<Time>,
}

#[derive(Debug, PartialEq, Eq)]
enum Time {
    For(String),
    Until(String),
}

/// Parts the names of tasks from the time behind them.
///
/// A time needs a unit: a bare number behind a task could be minutes or another task, so that is asked, not guessed.
fn split(words: &[String]) -> Result<Meant, CliError> {
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
            [.., _, last] if is_bare(last) => return Err(ask_for_a_unit(last)),
            [..] => Meant { names: names.to_vec(), time: None },
        },
        _ if is_length(&whole) => Meant { names: names.to_vec(), time: Some(Time::For(whole)) },
        // Behind a number nothing but a time can stand.
        _ if !names.is_empty() => Meant { names: names.to_vec(), time: Some(Time::Until(whole)) },
        [title @ .., last] if is_length(last) => Meant { names: title.to_vec(), time: Some(Time::For(last.clone())) },
        _ => Meant { names: rest.to_vec(), time: None },
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

fn is_length(text: &str) -> bool {
    parse_span(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, names: &str, time: Option<Time>) {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(split(&words(line)).expect("clear"), Meant { names: words(names), time }, "{line}");
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
        let error = split(&["3".to_owned(), "20".to_owned()]).expect_err("unclear");
        assert_eq!(error.to_string(), "cannot tell whether 20 is a time or a task: a time needs a unit");
    }
}
