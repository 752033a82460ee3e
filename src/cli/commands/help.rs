//! `keiko help`: what there is to type, what each command takes, and what belongs to no command; needs no daemon.

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::help::{self, TOPICS, Topic};
use crate::cli::render::text::Text;
use crate::cli::ui::Form;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::nearest;

/// Tells what a command takes, which commands there are, or more of a topic
///
/// Topics are time (what can be said about time), channels (where Keiko speaks), exit-codes, environment and files. Each command
/// has a page in the manual too, such as man keiko-snooze.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko help\n  \
    keiko help snooze\n  \
    keiko help channel test\n  \
    keiko help time\n  \
    keiko help exit-codes")]
pub(crate) struct Help {
    /// The command or the topic; without it all commands are listed
    #[arg(value_name = "COMMAND|TOPIC")]
    command: Vec<String>,
}

impl Help {
    /// Shows the page that `keiko COMMAND --help` shows, or that of a topic.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        context.ui.expect_long();
        // Typed as in "keiko help keiko done", or with a dash for the space, as the manual has it.
        let words = self.command.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase);
        let mut words: Vec<String> = words.skip_while(|word| word == "keiko").collect();
        if let Some(topic) = topic(&words.concat()) {
            show_topic(context, topic);
            return Ok(Exit::Done);
        }
        if let Some(page) = words.first().and_then(|word| word.strip_prefix("keiko-")) {
            words = std::iter::once(page.to_owned()).chain(words.iter().skip(1).cloned()).collect();
        }
        let mut at = &help::program();
        let mut path: Vec<String> = Vec::new();
        for word in &words {
            let Some(next) = at.find_subcommand(word) else { return Err(unknown(at, &path, word)) };
            at = next;
            path.push(word.clone());
        }
        let page = help::page(&path, context.ui.width());
        match context.ui.form() {
            Form::Json => give_json(context, &page.to_string()),
            Form::Human | Form::Quiet | Form::Id => context.ui.page(&page.ansi().to_string()),
        }
        Ok(Exit::Done)
    }
}

/// Returns a topic by its name, however that is written: `exit codes`, `exitcodes`, `exit_codes`.
fn topic(word: &str) -> Option<&'static Topic> {
    let bare = |text: &str| text.replace(['-', '_', ' '], "");
    help::topic(word).or_else(|| TOPICS.iter().find(|topic| bare(topic.name) == bare(word)))
}

fn show_topic(context: &mut Context<'_>, topic: &Topic) {
    match context.ui.form() {
        Form::Json => {
            let lines: Vec<String> = topic.page(None).iter().map(Text::to_plain).collect();
            give_json(context, &lines.join("\n"));
        }
        Form::Human | Form::Quiet | Form::Id => {
            let width = context.ui.width();
            context.ui.print(&topic.page(width));
        }
    }
}

fn give_json(context: &mut Context<'_>, text: &str) {
    context.ui.json(&json!({ "schema_version": SCHEMA_VERSION, "text": text }));
}

fn unknown(at: &clap::Command, path: &[String], word: &str) -> CliError {
    let commands = at.get_subcommands().filter(|each| !each.is_hide_set()).map(clap::Command::get_name);
    let topics = TOPICS.iter().map(|topic| topic.name).filter(|_| path.is_empty());
    let known: Vec<&str> = commands.chain(topics).collect();
    let asked = std::iter::once("keiko help").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let hint = match nearest(word, known.iter().copied()) {
        _ if word == "man" && path.is_empty() => "man keiko is the manual; keiko help lists the commands".to_owned(),
        Some(near) => format!("did you mean {asked} {near}?"),
        None if path.is_empty() => {
            let topics = TOPICS.map(|topic| topic.name).join(", ");
            format!("{asked} lists the commands; topics are {topics}")
        }
        None => format!("{asked} tells what there is"),
    };
    let message = format!("cannot help with {word:?}: there is no such command or topic");
    CliError::usage(message, hint)
}
