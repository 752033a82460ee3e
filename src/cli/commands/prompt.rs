//! `keiko prompt`: what is due and what comes next, in a few cells, for prompts and status bars.
//!
//! Never starts the daemon, never waits long, and never fails: a prompt has nobody to tell.

use std::sync::mpsc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::prompt::{Looked, Template, bar, text};
use crate::cli::start;
use crate::cli::ui::Form;
use crate::client::ClientError;
use crate::config::paths::Paths;
use crate::protocol::error_code::ErrorKind;
use crate::protocol::methods::Glance;

/// How long the daemon may take: ten times what it needs, and less than a person notices.
const WAIT: Duration = Duration::from_millis(50);

/// How many cells of a title are shown, unless it is said.
const TITLE_CELLS: usize = 20;

/// Shows what is due and what comes next in a few cells, for prompts and status bars
///
/// Where no daemon runs it shows "keiko off" and starts none; where one does not answer within 50 ms, "keiko busy". It exits with
/// 0 either way. There are no colours without --color always, and no control characters.
///
/// A template has {text} (what is shown without one), {due}, {late}, {failing}, {running}, {seen}, {held} and {paused} (how many), {first}
/// and `{first_number}` (the most important that is due), {next}, `{next_number}`, {in} and {at} (what comes next, how far away, and
/// when), {away} and {quiet} (until when) and {state}. What stands in [ ] is left out where all that is in it is nothing or 0; {{, }}, [[ and ]]
/// are the characters themselves.
#[derive(Debug, Args)]
#[command(after_help = RECIPES)]
pub(crate) struct Prompt {
    /// What is shown, such as '[{due} due ][{next} {in}]'
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "json")]
    format: Option<String>,
    /// How many cells of a title are shown at most
    #[arg(long, value_name = "CELLS", default_value_t = TITLE_CELLS)]
    width: usize,
    /// Double what that program takes for its own: % for zsh, # for tmux
    #[arg(long, value_enum, value_name = "FOR")]
    escape: Option<Escape>,
}

/// How it is put into a shell or a bar.
const RECIPES: &str = "\
Recipes:
  bash (~/.bashrc):
    PS1='$(keiko prompt --format \"[{text} ]\")\\$ '
  zsh (~/.zshrc):
    setopt prompt_subst
    PROMPT='$(keiko prompt --escape zsh --format \"[{text} ]\")%# '
  fish (config.fish):
    function fish_right_prompt; echo -n (keiko prompt); end
  starship (starship.toml):
    [custom.keiko]
    command = \"keiko prompt\"
    when = true
    format = \"($output )\"
  tmux (~/.tmux.conf):
    set -g status-right '#(keiko prompt --escape tmux)'
  waybar (config):
    \"custom/keiko\": { \"exec\": \"keiko prompt --json\",
      \"return-type\": \"json\", \"interval\": 30, \"escape\": true,
      \"on-click\": \"keiko ack\" }
In bash and zsh keep the single quotes, so that a title is shown and never run.\n\nExamples:\n  keiko prompt\n  keiko prompt --format '[{due} due]'";

/// Which program reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Escape {
    /// A prompt of zsh, in which % means something
    Zsh,
    /// A status line of tmux, in which # means something
    Tmux,
}

impl Prompt {
    /// Looks, and shows it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let template = self.format.as_deref().map(Template::parse).transpose().map_err(|error| {
            let hint = "keiko prompt --help lists what a template may have";
            CliError::usage(format!("cannot use the template: {error}"), hint)
        })?;
        let looked = look();
        let zone = context.zone;
        if context.ui.form() == Form::Json {
            context.ui.json(&bar(&looked, zone, self.width));
        } else {
            let escaped = match self.escape {
                Some(Escape::Zsh) => Some('%'),
                Some(Escape::Tmux) => Some('#'),
                None => None,
            };
            let line = text(&looked, template.as_ref(), zone, self.width);
            let line = match escaped {
                Some(special) => line.doubling(special),
                None => line,
            };
            context.ui.print(&[line]);
        }
        Ok(Exit::Done)
    }
}

/// Asks the daemon, within [`WAIT`]: a hung one, or a hung disk, holds up no prompt.
fn look() -> Looked {
    let (told, telling) = mpsc::channel();
    // It ends with the process, whatever it waits for.
    std::thread::spawn(move || told.send(ask()));
    telling.recv_timeout(WAIT).unwrap_or(Looked::Busy)
}

fn ask() -> Looked {
    let Ok(paths) = Paths::of_process() else { return Looked::Off };
    let answer = start::connect(&paths).and_then(|mut client| Ok(client.call(&Glance {})?));
    match answer {
        Ok(glance) => Looked::Told(Box::new(glance)),
        Err(CliError::Client(error)) => match error {
            ClientError::Version { .. } => Looked::OtherVersion,
            ClientError::Refused { error } => match error.kind() {
                // One that does not know the question is older.
                ErrorKind::Version | ErrorKind::Method => Looked::OtherVersion,
                ErrorKind::Stopping => Looked::Off,
                ErrorKind::Parse
                | ErrorKind::Request
                | ErrorKind::Params
                | ErrorKind::Internal
                | ErrorKind::Time
                | ErrorKind::NotFound
                | ErrorKind::Ambiguous
                | ErrorKind::Conflict
                | ErrorKind::Gone
                | ErrorKind::Refused
                | ErrorKind::Limit
                | ErrorKind::Storage => Looked::Busy,
            },
            ClientError::NoDaemon { .. } | ClientError::NotTaken { .. } => Looked::Off,
            ClientError::Connect { .. }
            | ClientError::TimedOut { .. }
            | ClientError::Closed { .. }
            | ClientError::Broken { .. }
            | ClientError::NotAMessage { .. }
            | ClientError::Frame { .. } => Looked::Busy,
        },
        Err(_) => Looked::Off,
    }
}
