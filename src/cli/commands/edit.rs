//! `keiko edit`: changes what a task says or when it comes up.

use clap::Args;

use crate::cli::commands::add::{Details, SAYS, SPEAKS, WHEN};
use crate::cli::commands::each::{Tally, called};
use crate::cli::commands::filter::{Care, Filter, Tags, Typed};
use crate::cli::commands::program::ProgramOptions;
use crate::cli::commands::times::{Said, Times};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit, NO_TIME};
use crate::cli::names;
use crate::cli::render::change::{Change, change};
use crate::cli::render::say;
use crate::client::ClientError;
use crate::protocol::error_code::ErrorKind;
use crate::protocol::methods::{self, Command, TaskRef, WriteResult};
use crate::protocol::objects::{Priority, Task};

mod in_editor;

/// Changes what a task says or when it comes up
///
/// Without a change it opens the task as text in the editor that VISUAL or EDITOR names, on a terminal: saved as it is,
/// nothing changes.
///
/// Words behind the task are its new time; words such as +home are tags to add. What is not named stays. Of a series
/// --this gives one time another hour or day, and --following goes on with a new task; on a terminal it is asked.
///
/// Several tasks are changed alike with numbers such as 3,5-7, with a tag in place of the task, or with a filter: their
/// tags, priority, note, link, channels, time, alerts and rules. A title, a repetition, --this and --following are for one
/// task.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko edit 7\n  \
    keiko edit 7 tomorrow 4pm\n  \
    keiko edit 7 --title \"pay the rent\" +home --untag money\n  \
    keiko edit 7 --every \"month on the 1st\"\n  \
    keiko edit 7 --this tomorrow 4pm\n  \
    keiko edit 7 --timeout 1h -- tar czf /srv/home.tgz .\n  \
    keiko edit 7 --following --every \"day at 10am\"\n  \
    keiko edit 3,5-7 tomorrow 4pm\n  \
    keiko edit +work --priority high\n  \
    keiko edit --due today monday 9am")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct Edit {
    /// Number, range (5-7), beginning of the id, or words of the title as one argument; or a tag: +home
    #[arg(value_name = "TASK", required_unless_present_any = [
        "stage", "text", "due", "before", "after", "series", "one_shot", "attention", "tag",
    ])]
    task: Option<String>,
    /// The new time, and +tags
    #[arg(value_name = "TIME", conflicts_with_all = ["at", "every", "cron", "rrule"])]
    words: Vec<String>,
    /// The new title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The new time: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    at: Option<String>,
    /// The new repetition: what would follow "every"
    #[arg(long, value_name = "RULE", help_heading = WHEN)]
    every: Option<String>,
    /// The new repetition: a cron expression of five to seven fields
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["at", "every"], help_heading = WHEN)]
    cron: Option<String>,
    /// The new repetition: a recurrence rule of RFC 5545
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "every", "cron"], help_heading = WHEN)]
    rrule: Option<String>,
    /// The new first time of a repetition: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    from: Option<String>,
    /// The new last time of a repetition, or the day of it: a time phrase
    #[arg(long, value_name = "TIME", help_heading = WHEN)]
    until: Option<String>,
    /// Keep the new time in this zone, wherever the device is
    #[arg(long, value_name = "ZONE", help_heading = WHEN)]
    tz: Option<String>,
    /// Which times of a series.
    #[command(flatten)]
    times: Times,
    /// Of a series: all its times
    #[arg(long, help_heading = "Which times of a series")]
    all: bool,
    /// Do not ask which times of a series are meant: all of them; nor before changing more than three tasks
    #[arg(long, short = 'y')]
    yes: bool,
    /// Show which tasks a filter means, and change nothing
    #[arg(long, help_heading = "Which tasks")]
    dry_run: bool,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// Their tags.
    #[command(flatten)]
    filter_tags: Tags,
    /// The options that `add` takes too.
    #[command(flatten)]
    details: Details,
    /// What it runs.
    #[command(flatten)]
    program: ProgramOptions,
    /// Run nothing any more: it is a reminder
    #[arg(long, conflicts_with_all = ["command", "sh"], help_heading = "Commands")]
    no_command: bool,
    /// It may run for as long as it takes
    #[arg(long, conflicts_with = "timeout", help_heading = "Commands")]
    no_timeout: bool,
    /// Tell a dead-man's switch, such as healthchecks.io, when its command starts, succeeds or fails
    #[arg(long, value_name = "URL", conflicts_with = "no_command", help_heading = "Commands")]
    ping: Option<String>,
    /// Tell no dead-man's switch any more
    #[arg(long, conflicts_with = "ping", help_heading = "Commands")]
    no_ping: bool,
    /// Nothing to open any more
    #[arg(long, conflicts_with = "link", help_heading = SAYS)]
    no_link: bool,
    /// Send it however late
    #[arg(long, conflicts_with = "max_late", help_heading = SPEAKS)]
    no_max_late: bool,
    /// No deadline any more
    #[arg(long, conflicts_with = "deadline", help_heading = WHEN)]
    no_deadline: bool,
    /// Ring once only
    #[arg(long, conflicts_with = "nag", help_heading = SPEAKS)]
    no_nag: bool,
    /// Wait for done, although somebody was told
    #[arg(long, conflicts_with = "auto_done", help_heading = SPEAKS)]
    no_auto_done: bool,
    /// Count the new repetition from each completion, not from fixed dates
    #[arg(long, help_heading = WHEN)]
    after_done: bool,
    /// A tag to remove
    #[arg(long, value_name = "TAG", value_delimiter = ',', help_heading = SAYS)]
    untag: Vec<String>,
}

/// What was typed behind `edit`, parted into which tasks and what is to become of them.
struct Parted {
    /// Names, or tags with a `+` before them; none where options say which tasks are meant.
    names: Vec<String>,
    /// Tags to add.
    tags: Vec<String>,
    /// The new time.
    words: Vec<String>,
}

impl Edit {
    /// Looks at each task and changes what it saw; a change that came in between is not overwritten.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        if let Some(task) = self.task.as_deref().filter(|task| names::is_exact(task))
            && self.filter.is_empty()
            && !self.filter_tags.tag.is_empty()
        {
            let tags: Vec<String> =
                self.filter_tags.tag.iter().map(|tag| format!("+{}", tag.trim_start_matches('+'))).collect();
            return Err(CliError::usage(
                format!("cannot take both task {task} and a tag: --tag means the tasks that have it"),
                format!("keiko edit {task} {} adds it", tags.join(" ")),
            ));
        }
        let parted = self.parted();
        if !self.dry_run && !self.is_change(&parted) {
            if let Some(name) = self.in_editor(context, &parted)? {
                let said = Said { all: self.all, yes: self.yes };
                return in_editor::run(context, &name, &self.times, said);
            }
            let name = parted.names.first().map_or("7", String::as_str);
            return Err(CliError::usage(
                format!("cannot edit {}: nothing to change was given", Self::told(&parted)),
                format!("say what is to change, such as: keiko edit {name} tomorrow 4pm"),
            ));
        }
        let care = Care { dry_run: self.dry_run, yes: self.yes };
        let typed = Typed { words: &parted.names, filter: &self.filter, tags: &self.filter_tags.tag, care };
        let (names, is_single) = match called(context, typed, Change::Edited)? {
            Ok(called) => called,
            Err(exit) => return Ok(exit),
        };
        if !is_single {
            self.check_fits_all()?;
        }
        let mut tally = Tally::new(is_single);
        context.begin_op(names.len());
        for name in names {
            let Some(result) = self.edit(context, &name, &parted, is_single).transpose() else {
                return Ok(Exit::Done);
            };
            tally.add(context, Some(&name), result, |answer, view, _| change(Change::Edited, answer, view));
        }
        Ok(tally.finish(context))
    }

    /// Returns the one task that is to be edited as text, where somebody is there to do so.
    fn in_editor(&self, context: &Context<'_>, parted: &Parted) -> Result<Option<String>, CliError> {
        let is_filtered = !(self.filter.is_empty() && self.filter_tags.tag.is_empty());
        let is_tag = parted.names.iter().any(|name| name.starts_with('+'));
        if is_filtered || is_tag || !context.ui.can_edit() {
            return Ok(None);
        }
        let mut names = names::names(&parted.names)?;
        Ok(names.pop().filter(|_| names.is_empty()))
    }

    /// Changes one task; `None` where the person thought better of it.
    fn edit(
        &self,
        context: &mut Context<'_>,
        name: &str,
        parted: &Parted,
        is_single: bool,
    ) -> Result<Option<WriteResult>, CliError> {
        let seen = context.ask(&methods::Get { task: TaskRef(name.to_owned()) })?.task;
        let question = self.question(context, &seen, parted)?;
        // By id, as the question: what is shown is what is changed. Of several nobody is asked times one by one.
        let said = Said { all: self.all, yes: self.yes || !is_single };
        let meant = self
            .times
            .meant(context, &seen.id, said, |context, scope| {
                context.ask(&methods::Update { scope: Some(scope), preview: true, ..question.clone() })
            })
            .map_err(|error| beside_title(error, &parted.words))?;
        let Some(meant) = meant else { return Ok(None) };
        let asked = context.ask(&methods::Update { scope: meant.scope, ..question });
        asked.map(Some).map_err(|error| beside_title(error, &parted.words))
    }

    fn parted(&self) -> Parted {
        let is_tag = |word: &str| word.len() > 1 && word.starts_with('+');
        let is_described = !(self.filter.is_empty() && self.filter_tags.tag.is_empty());
        // Beside a filter the first word is the time's already: edit --due today monday 9am.
        let (names, first) = match &self.task {
            Some(first) if is_described => (Vec::new(), Some(first)),
            task => (task.iter().cloned().collect(), None),
        };
        let (tags, words): (Vec<String>, Vec<String>) =
            first.into_iter().chain(&self.words).cloned().partition(|word| is_tag(word));
        Parted { names, tags: tags.iter().map(|tag| tag[1..].to_owned()).collect(), words }
    }

    fn told(parted: &Parted) -> String {
        say::those_meant(parted.names.first().map(String::as_str))
    }

    /// Refuses for several tasks what is one task's own.
    fn check_fits_all(&self) -> Result<(), CliError> {
        let scope = self.times.said(false).is_some();
        let of_one = [
            ("--title", self.title.is_some()),
            ("--this or --following", scope),
            ("--every", self.every.is_some()),
            ("--cron", self.cron.is_some()),
            ("--rrule", self.rrule.is_some()),
            ("--from", self.from.is_some()),
            ("--until", self.until.is_some()),
            ("--after-done", self.after_done),
            ("a command", self.program.has_line()),
        ];
        match of_one.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(CliError::usage(
                format!("cannot use {option} for several tasks: it is for one"),
                "name one task; tags, priority, note, link, channels, time and alerts are changed for several",
            )),
        }
    }

    fn is_change(&self, parted: &Parted) -> bool {
        let details = &self.details;
        !parted.words.is_empty()
            || !parted.tags.is_empty()
            || !self.untag.is_empty()
            || self.no_link
            || details.no_alert
            || details.priority.is_some()
            || details.via.is_some()
            || details.alert.is_some()
            || details.retries.is_some()
            || self.program.is_given()
            || self.no_command
            || self.no_timeout
            || self.ping.is_some()
            || self.no_ping
            || details.max_late.is_some()
            || self.no_max_late
            || self.has_policy()
            || self.has_time()
            || [&self.title, &details.note, &details.link].iter().any(|option| option.is_some())
    }

    fn has_policy(&self) -> bool {
        let details = &self.details;
        [&details.deadline, &details.nag, &details.missed].iter().any(|option| option.is_some())
            || [&details.delay, &details.on_parent_fail].iter().any(|option| option.is_some())
            || details.waits_for.is_some()
            || details.deadline_alert.is_some()
            || details.nag_max.is_some()
            || [details.auto_done, self.no_auto_done, self.no_deadline, self.no_nag, self.after_done].contains(&true)
    }

    fn has_time(&self) -> bool {
        let times = [&self.at, &self.every, &self.cron, &self.rrule, &self.from, &self.until, &self.tz];
        times.iter().any(|option| option.is_some())
    }

    fn question(&self, context: &Context<'_>, seen: &Task, parted: &Parted) -> Result<methods::Update, CliError> {
        let (details, words) = (&self.details, &parted.words);
        let has_time = !words.is_empty() || self.has_time();
        let zone = self.tz.clone().unwrap_or_else(|| context.zone.name().to_owned());
        Ok(methods::Update {
            // By id: a new title of another task must not change which one is meant.
            task: TaskRef(seen.id.clone()),
            version: Some(seen.version),
            key: None,
            scope: None,
            preview: false,
            title: self.title.clone(),
            notes: details.note.clone(),
            link: if self.no_link { Some(None) } else { details.link.clone().map(Some) },
            priority: details.priority.map(Priority::from),
            tags: self.tags(seen, &parted.tags),
            metadata: None,
            channels: details.via.clone(),
            command: if self.no_command { Some(None) } else { self.command()?.map(Some) },
            ping: if self.no_ping { Some(None) } else { self.ping.clone().map(Some) },
            max_retries: details.retries.map(Some),
            max_late: if self.no_max_late { Some(None) } else { details.max_late.clone().map(Some) },
            missed: details.missed.clone(),
            nag: if self.no_nag { Some(None) } else { details.nag.clone().map(Some) },
            nag_max: details.nag_max,
            auto_done: (details.auto_done || self.no_auto_done).then_some(details.auto_done),
            deadline: if self.no_deadline { Some(None) } else { details.deadline.clone().map(Some) },
            deadline_alerts: details.deadline_alert.clone(),
            after_done: self.after_done,
            text: (!words.is_empty()).then(|| words.join(" ")),
            at: self.at.clone(),
            every: self.every.clone(),
            cron: self.cron.clone(),
            rrule: self.rrule.clone(),
            from: self.from.clone(),
            until: self.until.clone(),
            zone: (has_time || details.deadline.is_some()).then_some(zone),
            fixed_zone: self.tz.is_some(),
            alerts: if details.no_alert { Some(Vec::new()) } else { details.alert.clone() },
            waits_for: details.parents()?,
            delay: details.delay.clone().map(Some),
            on_parent_fail: details.on_parent_fail.clone(),
        })
    }

    /// Returns what is asked of the command that it has, or is to have.
    fn command(&self) -> Result<Option<Command>, CliError> {
        let asked = self.program.asked()?;
        Ok(if self.no_timeout { Some(Command { timeout: Some(None), ..asked.unwrap_or_default() }) } else { asked })
    }

    fn tags(&self, seen: &Task, added: &[String]) -> Option<Vec<String>> {
        if added.is_empty() && self.untag.is_empty() {
            return None;
        }
        let removed = |tag: &str| self.untag.iter().any(|untag| untag.trim_start_matches('+') == tag);
        let mut tags: Vec<String> = seen.tags.iter().filter(|tag| !removed(tag)).cloned().collect();
        tags.extend(added.iter().filter(|tag| !seen.tags.contains(tag)).cloned());
        Some(tags)
    }
}

/// Returns the error with how a title is changed, where the words hold no time: so they may be meant for one.
fn beside_title(error: CliError, words: &[String]) -> CliError {
    match error {
        CliError::Client(ClientError::Refused { mut error })
            if !words.is_empty() && error.kind() == ErrorKind::Time && error.message.starts_with(NO_TIME) =>
        {
            if let Some(data) = error.data.as_mut() {
                data.hint = Some(say::or_a_title(data.hint.as_deref(), &words.join(" ")));
            }
            CliError::Client(ClientError::Refused { error })
        }
        other => other,
    }
}
