//! `keiko add`: stores a task, with or without a time.

use std::fs::File;
use std::io::ErrorKind;

use clap::{Args, ValueEnum};

use crate::cli::commands::each::Tally;
use crate::cli::commands::input;
use crate::cli::commands::program::ProgramOptions;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::names;
use crate::cli::render::change::{Change, change};
use crate::cli::render::say;
use crate::cli::service;
use crate::cli::ui::Form;
use crate::config::paths::Paths;
use crate::protocol::methods::{self, Command, TaskRef, WriteResult};
use crate::protocol::objects::Priority;
use crate::when::{Arguments, from_arguments};

/// Adds a task
///
/// The words are a sentence that says what and when. Of several arguments one with spaces is the title, word for word;
/// with --at, --every, --cron or --rrule all words are the title. Words such as +home are tags. Without a time the task is kept and
/// does not ring. Without words a line is asked for; `-` reads a sentence a line from standard input.
///
/// With -- and a command behind it, or with --sh, it runs that when it is due, in this directory and with this PATH, HOME, TZ
/// and locale. It is done when that exits with 0; you are told where it fails. `keiko show` shows how it went, with --output
/// what it said.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko add pay rent tomorrow 3pm\n  \
    keiko add \"pay rent\" --at \"tomorrow 3pm\" --alert 1d,1h,0\n  \
    keiko add standup --every \"weekday at 9:30\"\n  \
    keiko add cook tomorrow 10am --waits-for 7 --delay 30m\n  \
    keiko add backup --cron \"0 3 * * SUN\" --until \"june 30\"\n  \
    keiko add - < tasks.txt\n  \
    keiko add backup every night at 3am --timeout 2h -- tar czf /srv/home.tgz .\n  \
    keiko add --in 1h --sh 'make && notify-send built'\n  \
    keiko add tomorrow 3am --sh - < script.sh")]
pub(crate) struct Add {
    /// What is to be added.
    #[command(flatten)]
    pub(crate) task: NewTask,
    /// What it runs.
    #[command(flatten)]
    pub(crate) program: ProgramOptions,
}

impl Add {
    /// Adds the task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        if self.task.is_read_by_lines() && self.program.is_given() {
            return Err(CliError::usage(
                "cannot give several tasks one command",
                "add them one by one, or leave the command out",
            ));
        }
        let program = self.program.of_new()?;
        self.task.run(context, Verb::Add, program.as_ref())
    }
}

/// Above the options that say when it is due.
pub(crate) const WHEN: &str = "When";

/// Above those that say how it speaks, and what becomes of what is not answered.
pub(crate) const SPEAKS: &str = "How it speaks";

/// Above those that say what it is besides its title.
pub(crate) const SAYS: &str = "What it says";

/// Above those that say what it waits for.
const OTHERS: &str = "After other tasks";

/// Which command adds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    /// A time may be missing.
    Add,
    /// A time is needed, and the sentence may begin with "me".
    Remind,
}

/// What `add` and `remind` take.
#[derive(Debug, Args)]
pub(crate) struct NewTask {
    /// What is to be remembered, and when; - reads a sentence a line
    #[arg(value_name = "WORDS", allow_negative_numbers = true)]
    words: Vec<String>,
    /// When: a time phrase; all words are then the title
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    at: Option<String>,
    /// When: so long from now, such as 20m; all words are then the title
    #[arg(long = "in", value_name = "SPAN", conflicts_with = "at", help_heading = WHEN)]
    after: Option<String>,
    /// How often: what would follow "every"; all words are then the title
    #[arg(long, value_name = "RULE", help_heading = WHEN)]
    every: Option<String>,
    /// How often: a cron expression of five to seven fields; all words are then the title
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["at", "after", "every"], help_heading = WHEN)]
    cron: Option<String>,
    /// How often: a recurrence rule of RFC 5545; all words are then the title
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "after", "every", "cron"], help_heading = WHEN)]
    rrule: Option<String>,
    /// The first time of a repetition: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    from: Option<String>,
    /// The last time of a repetition, or the day of it: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    until: Option<String>,
    /// Keep the time in this zone, such as Europe/Paris, wherever the device is
    #[arg(long, value_name = "ZONE", help_heading = WHEN)]
    tz: Option<String>,
    /// The options that `edit` takes too.
    #[command(flatten)]
    details: Details,
    /// A tag; +TAG among the words says the same
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
    /// Count the repetition from each completion, not from fixed dates
    #[arg(long, help_heading = WHEN)]
    after_done: bool,
    /// An idempotency key: sent twice, added once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Tell a dead-man's switch, such as healthchecks.io, when its command starts, succeeds or fails
    #[arg(long, value_name = "URL")]
    ping: Option<String>,
}

/// What a task says besides its title and time.
#[derive(Clone, Debug, Args)]
pub(crate) struct Details {
    /// Free text
    #[arg(long, value_name = "TEXT", help_heading = SAYS)]
    pub(crate) note: Option<String>,
    /// Something to open, such as a URL
    #[arg(long, value_name = "URL", help_heading = SAYS)]
    pub(crate) link: Option<String>,
    /// How much it matters
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = SAYS)]
    pub(crate) priority: Option<Level>,
    /// Where it speaks: desktop, terminal, webhook:URL, or a target of yours such as telegram:phone
    #[arg(long, value_name = "CHANNEL", value_delimiter = ',', help_heading = SPEAKS)]
    pub(crate) via: Option<Vec<String>>,
    /// When it speaks, before due: 2d,1h,0; after due: +15m
    #[arg(long, value_name = "TIMES", value_delimiter = ',', allow_hyphen_values = true, help_heading = SPEAKS)]
    pub(crate) alert: Option<Vec<String>>,
    /// How many times a program that does not take it is tried again, where no person is told (3), or a command that fails (0)
    #[arg(long, value_name = "N", help_heading = SPEAKS)]
    pub(crate) retries: Option<u32>,
    /// How long past its time it is still sent, such as 2h; else until somebody has it or answers
    #[arg(long, value_name = "SPAN", help_heading = SPEAKS)]
    pub(crate) max_late: Option<String>,
    /// When it must be done at the latest, apart from due: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    pub(crate) deadline: Option<String>,
    /// When it speaks of its deadline: 1d,1h,0
    #[arg(long, value_name = "TIMES", value_delimiter = ',', allow_hyphen_values = true, help_heading = SPEAKS)]
    pub(crate) deadline_alert: Option<Vec<String>>,
    /// Ring again so long after each ring, until it is done, snoozed or acked, such as 10m
    #[arg(long, value_name = "SPAN", help_heading = SPEAKS)]
    pub(crate) nag: Option<String>,
    /// How often it rings again at most (20)
    #[arg(long, value_name = "N", help_heading = SPEAKS)]
    pub(crate) nag_max: Option<u32>,
    /// What becomes of a time at which the machine was off: once (the latest rings late) or skip; of a command (skip) also all
    #[arg(long, value_name = "RULE", help_heading = SPEAKS)]
    pub(crate) missed: Option<String>,
    /// It is done as soon as somebody was told
    #[arg(long, help_heading = SPEAKS)]
    pub(crate) auto_done: bool,
    /// Wait until these tasks are done, such as 7,8; it then comes up at its time, or at once
    #[arg(long, value_name = "TASKS", value_delimiter = ',', help_heading = OTHERS)]
    pub(crate) waits_for: Option<Vec<String>>,
    /// How long after the last of them was done it may come up, such as 30m
    #[arg(long, value_name = "SPAN", help_heading = OTHERS)]
    pub(crate) delay: Option<String>,
    /// What becomes of it where one of them never will be done: hold (it is blocked and says so), run or cancel
    #[arg(long, value_name = "RULE", help_heading = OTHERS)]
    pub(crate) on_parent_fail: Option<String>,
    /// Do not speak at all
    #[arg(long, conflicts_with = "alert", help_heading = SPEAKS)]
    pub(crate) no_alert: bool,
}

impl Details {
    /// Returns the tasks that are to be done first.
    ///
    /// # Errors
    /// A range is wrong.
    pub(crate) fn parents(&self) -> Result<Option<Vec<TaskRef>>, CliError> {
        let Some(typed) = &self.waits_for else { return Ok(None) };
        Ok(Some(names::names(typed)?.into_iter().map(TaskRef).collect()))
    }
}

/// How much a task matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Level {
    /// Shown last
    Low,
    /// The default
    Normal,
    /// Shown first
    High,
}

impl From<Level> for Priority {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => Self::Low,
            Level::Normal => Self::Normal,
            Level::High => Self::High,
        }
    }
}

impl NewTask {
    /// Adds the task, or one for each line of standard input.
    pub(crate) fn run(
        mut self,
        context: &mut Context<'_>,
        verb: Verb,
        program: Option<&Command>,
    ) -> Result<Exit, CliError> {
        if self.is_read_by_lines() {
            return self.run_lines(context, verb);
        }
        // What runs needs no title: it is called after its command.
        if self.words.is_empty() && program.is_none() {
            self.words = vec![ask(context, verb)?];
        }
        let question = methods::Add { command: program.cloned(), ..self.question(context, verb, &self.words)? };
        if question.title.is_none() && question.text.is_none() && !self.has_time() && program.is_none() {
            return Err(CliError::usage("cannot add a task of no words", "say what is to be remembered"));
        }
        let mut tally = Tally::new(true);
        let sentence = question.text.as_deref().filter(|_| question.title.is_none());
        let result = context.ask(&question).map_err(|error| match sentence {
            Some(sentence) => error.proposing(sentence),
            None => error,
        });
        let added = tally.add(context, None, result, |answer, view, _| change(Change::Added, answer, view));
        let exit = tally.finish(context);
        hints(context, added.as_slice());
        Ok(exit)
    }

    /// Returns whether a sentence a line is read from standard input.
    fn is_read_by_lines(&self) -> bool {
        self.words == ["-"]
    }

    /// Returns whether an option says when, so that all words are title.
    fn has_time(&self) -> bool {
        [&self.at, &self.after, &self.every, &self.cron, &self.rrule].iter().any(|option| option.is_some())
    }

    fn run_lines(&self, context: &mut Context<'_>, verb: Verb) -> Result<Exit, CliError> {
        if self.key.is_some() {
            return Err(CliError::usage(
                "cannot give several tasks one --key",
                "leave --key out, or add them one by one",
            ));
        }
        let mut tally = Tally::of_lines();
        let mut added = Vec::new();
        // However many lines there will be, they are one command.
        context.begin_op(usize::MAX);
        for (index, line) in input::lines().enumerate() {
            tally.at_line(index + 1);
            let sentence = match &line {
                Ok(sentence) if sentence.trim().is_empty() => continue,
                Ok(sentence) => Some(sentence.clone()),
                Err(_) => None,
            };
            let result =
                line.and_then(|line| self.question(context, verb, &[line])).and_then(|question| context.ask(&question));
            added.extend(
                tally.add(context, sentence.as_deref(), result, |answer, view, _| change(Change::Added, answer, view)),
            );
        }
        let exit = tally.finish(context);
        hints(context, &added);
        Ok(exit)
    }

    fn question(&self, context: &Context<'_>, verb: Verb, words: &[String]) -> Result<methods::Add, CliError> {
        let (mut tags, words) = split_tags(words);
        for tag in self.tag.iter().map(|tag| tag.trim_start_matches('+')) {
            if !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
        let (title, text) = compose(verb, &words, self.has_time());
        Ok(methods::Add {
            text,
            title,
            at: self.at.clone().or_else(|| self.after.as_ref().map(|span| format!("in {span}"))),
            every: self.every.clone(),
            cron: self.cron.clone(),
            rrule: self.rrule.clone(),
            from: self.from.clone(),
            until: self.until.clone(),
            zone: Some(self.tz.clone().unwrap_or_else(|| context.zone.name().to_owned())),
            fixed_zone: self.tz.is_some(),
            notes: self.details.note.clone(),
            link: self.details.link.clone(),
            priority: self.details.priority.map(Priority::from),
            tags: (!tags.is_empty()).then_some(tags),
            metadata: None,
            channels: self.details.via.clone(),
            alerts: self.details.alert.clone(),
            max_retries: self.details.retries,
            max_late: self.details.max_late.clone(),
            command: None,
            missed: self.details.missed.clone(),
            nag: self.details.nag.clone(),
            nag_max: self.details.nag_max,
            auto_done: self.details.auto_done.then_some(true),
            deadline: self.details.deadline.clone(),
            deadline_alerts: self.details.deadline_alert.clone(),
            after_done: self.after_done,
            no_alert: self.details.no_alert,
            time_required: verb == Verb::Remind,
            key: self.key.clone(),
            ping: self.ping.clone(),
            preview: false,
            waits_for: self.details.parents()?,
            delay: self.details.delay.clone(),
            on_parent_fail: self.details.on_parent_fail.clone(),
        })
    }
}

/// Asks a person for the sentence; a program has to give it.
fn ask(context: &mut Context<'_>, verb: Verb) -> Result<String, CliError> {
    let name = match verb {
        Verb::Add => "add",
        Verb::Remind => "remind",
    };
    let nothing = || {
        CliError::usage(
            format!("cannot {name} nothing"),
            format!("say what and when, such as: keiko {name} pay rent tomorrow 3pm"),
        )
    };
    let line = context.ui.ask(say::WHAT_AND_WHEN).map_err(|source| CliError::Input { source })?;
    line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).ok_or_else(nothing)
}

/// Returns the tags, without their `+`, and the words that are left.
///
/// A tag is a `+` with a letter behind it, standing alone: `+1` is a number, and `C++` a language. An argument with
/// spaces among others is a title, which is kept word for word.
fn split_tags(words: &[String]) -> (Vec<String>, Vec<String>) {
    let is_tag = |word: &str| word.strip_prefix('+').is_some_and(|tag| tag.starts_with(char::is_alphabetic));
    let mut tags = Vec::new();
    let mut left = Vec::new();
    for word in words {
        let pieces: Vec<&str> = word.split_whitespace().collect();
        if is_tag(word) && pieces.len() == 1 {
            tags.push(word.trim()[1..].to_owned());
        } else if words.len() == 1 && pieces.iter().any(|piece| is_tag(piece)) {
            let (tagged, rest): (Vec<&str>, Vec<&str>) = pieces.into_iter().partition(|piece| is_tag(piece));
            tags.extend(tagged.into_iter().map(|tag| tag[1..].to_owned()));
            left.push(rest.join(" "));
        } else {
            left.push(word.clone());
        }
    }
    left.retain(|word| !word.trim().is_empty());
    (tags, left)
}

/// Returns the title, where it is given word for word, and the sentence or time phrase.
fn compose(verb: Verb, words: &[String], is_title: bool) -> (Option<String>, Option<String>) {
    let text = |words: &[String]| (!words.is_empty()).then(|| words.join(" "));
    if is_title {
        return (text(without_address(verb, words)), None);
    }
    match from_arguments(without_address(verb, words)) {
        Arguments::Titled { title, phrase } => (Some(title), Some(phrase)),
        // "remind" is part of the sentence that the command line cut off.
        Arguments::Sentence(_) if is_addressed(verb, words) => (None, text(words).map(|text| format!("remind {text}"))),
        Arguments::Sentence(_) => (None, text(words)),
    }
}

fn is_addressed(verb: Verb, words: &[String]) -> bool {
    let first = words.first().and_then(|first| first.split_whitespace().next());
    verb == Verb::Remind && first.is_some_and(|first| first.eq_ignore_ascii_case("me"))
}

/// Returns the words without "me", "me to" in front, where they do not belong to a title.
fn without_address(verb: Verb, words: &[String]) -> &[String] {
    match words {
        [me, to, rest @ ..] if is_addressed(verb, words) && me.len() == 2 && to.eq_ignore_ascii_case("to") => rest,
        [me, rest @ ..] if is_addressed(verb, words) && me.len() == 2 => rest,
        _ => words,
    }
}

/// Says what the person should know besides, once for all that was added.
fn hints(context: &mut Context<'_>, added: &[WriteResult]) {
    if context.ui.form() != Form::Human {
        return;
    }
    if let Some(result) = added.iter().find(|result| result.task.due_at.is_none() && result.task.waits_for.is_empty()) {
        let number = result.task.number;
        context.ui.hint(&say::give_a_time(number));
    }
    let is_armed = |result: &WriteResult| {
        result.task.scheduled_at.is_some() || result.task.command.is_some() && result.task.due_at.is_some()
    };
    if added.iter().any(is_armed) && is_reboot_to_be_told(context) {
        context.ui.hint(say::GONE_AT_REBOOT);
    }
    // What was added is stored: that the hint cannot be given is no failure of the command.
    if !added.is_empty()
        && let Ok(status) = context.ask(&methods::Status {})
    {
        match status.counts.suspended {
            0 => {}
            paused => context.ui.hint(&say::paused(paused)),
        }
    }
}

/// Returns whether the person is to be told, once, that nothing starts the daemon after a reboot. Where its clock is a programmable
/// one, nothing is meant to.
fn is_reboot_to_be_told(context: &mut Context<'_>) -> bool {
    let Ok(paths) = Paths::of_process() else { return false };
    if service::installed(&paths).is_some() || context.has_programmable_clock() {
        return false;
    }
    // Made by whoever tells it: of several commands at once, one does. Where it cannot be made, it is told again.
    let made = File::create_new(paths.reboot_told_file());
    !made.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Vec<String> {
        // A vertical bar parts arguments, so that one may hold a space.
        line.split('|').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(verb: Verb, line: &str, is_title: bool, title: Option<&str>, text: Option<&str>) {
        let composed = compose(verb, &arguments(line), is_title);
        assert_eq!((composed.0.as_deref(), composed.1.as_deref()), (title, text));
    }

    #[test]
    fn words_are_a_sentence() {
        check(Verb::Add, "pay|rent|tomorrow|3pm", false, None, Some("pay rent tomorrow 3pm"));
        check(Verb::Add, "pay rent tomorrow", false, None, Some("pay rent tomorrow"));
        check(Verb::Remind, "明天下午三点提醒我交房租", false, None, Some("明天下午三点提醒我交房租"));
    }

    #[test]
    fn one_with_spaces_among_several_is_the_title() {
        check(Verb::Add, "pay rent|tomorrow|3pm", false, Some("pay rent"), Some("tomorrow 3pm"));
        check(Verb::Add, "tomorrow|pay rent", false, Some("pay rent"), Some("tomorrow"));
        check(Verb::Add, "call at 5|tomorrow 3pm", false, Some("call at 5"), Some("tomorrow 3pm"));
        check(Verb::Remind, "me|pay rent|tomorrow", false, Some("pay rent"), Some("tomorrow"));
    }

    #[test]
    fn with_a_rule_all_words_are_the_title() {
        check(Verb::Add, "read|1984|tomorrow", true, Some("read 1984 tomorrow"), None);
        check(Verb::Remind, "me|to|pay|rent", true, Some("pay rent"), None);
        check(Verb::Add, "me|to", true, Some("me to"), None);
        check(Verb::Add, "", true, None, None);
    }

    #[test]
    fn remind_me_is_put_together_again() {
        check(Verb::Remind, "me|tomorrow|3pm|to|pay|rent", false, None, Some("remind me tomorrow 3pm to pay rent"));
        check(Verb::Remind, "me tomorrow 3pm", false, None, Some("remind me tomorrow 3pm"));
        check(Verb::Remind, "tomorrow|3pm|pay|rent", false, None, Some("tomorrow 3pm pay rent"));
        check(Verb::Add, "me|tomorrow", false, None, Some("me tomorrow"));
    }

    #[test]
    fn tags_are_taken_out_of_sentences_and_left_in_titles() {
        let check = |line: &str, tags: &[&str], left: &[&str]| {
            let (found, rest) = split_tags(&arguments(line));
            assert_eq!(
                (found.iter().map(String::as_str).collect::<Vec<_>>(), rest),
                (tags.to_vec(), left.iter().map(|w| (*w).to_owned()).collect())
            );
        };
        check("pay|rent|+home|+money", &["home", "money"], &["pay", "rent"]);
        check("pay rent +home tomorrow", &["home"], &["pay rent tomorrow"]);
        check("买菜 +家", &["家"], &["买菜"]);
        check("call|+1|555", &[], &["call", "+1", "555"]);
        check("learn  C++ and +", &[], &["learn  C++ and +"]);
        check("a +b title|tomorrow", &[], &["a +b title", "tomorrow"]);
    }
}
