//! `keiko config`: what is configured, where it comes from, and how it is changed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::Text;
use crate::config::default_file;
use crate::config::file::Origin;
use crate::config::paths::Paths;
use crate::config::place::Place;
use crate::protocol::SCHEMA_VERSION;

mod check;
mod edit;
mod set;
mod show;

/// Shows, checks and changes the configuration
///
/// Without more it shows every key, as show does. It is one file, which need not be there; the daemon reads it whenever it changes. `keiko.toml`(5) explains every key.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko config show\n  \
    keiko config get snooze_default\n  \
    keiko config set quiet.hours 22:00-07:00\n  \
    keiko config set channels desktop,terminal\n  \
    keiko config unset quiet.hours\n  \
    keiko config check\n  \
    mkdir -p \"$(dirname \"$(keiko config path)\")\"\n  \
    keiko config default > \"$(keiko config path)\"")]
pub(crate) struct ConfigCommand {
    /// What is to be done; else what holds is shown.
    #[command(subcommand)]
    action: Option<Action>,
}

/// What is to be done with the configuration.
#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Show every key, what holds, and where it comes from; secrets are not shown
    Show {
        /// Only this key, or the keys of this table
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Print what holds of one key
    Get {
        /// Which, such as `day_parts.evening`
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Let a key say something else; comments and order of the file stay
    ///
    /// What the daemon would refuse is refused, and nothing is written. Lists are written with commas, or as TOML.
    Set {
        /// Which, such as `day_parts.evening`
        #[arg(value_name = "KEY")]
        key: String,
        /// What it is to say; - reads it from standard input
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
    /// Let a key say nothing, so that the default holds
    Unset {
        /// Which
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Open the file in the editor that VISUAL or EDITOR names
    ///
    /// What was written is checked before it takes the place of the file, all or nothing: where the daemon would refuse it, it says
    /// why and can be opened again. Where there is no file it begins with one that explains every key.
    Edit,
    /// Say all that is wrong with the file, and what is odd; exit code 1 where something is wrong or a key is unknown
    Check {
        /// Another file; - is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print a whole configuration that says what holds anyway, with every key explained
    Default,
    /// Print where the file is, or would be
    Path,
}

impl ConfigCommand {
    /// Does it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        match self.action.unwrap_or(Action::Show { key: None }) {
            Action::Show { key } => show::show(context, key.as_deref()),
            Action::Get { key } => show::get(context, &key),
            Action::Set { key, value } => set::set(context, &key, value),
            Action::Unset { key } => set::unset(context, &key),
            Action::Edit => edit::edit(context),
            Action::Check { file } => check::check(context, file.as_deref()),
            Action::Default => {
                let text = default_file::text();
                let lines = || text.lines().map(Text::plain).collect();
                context.answer(&json!({ "schema_version": SCHEMA_VERSION, "text": &text }), &[], |_| lines());
                Ok(Exit::Done)
            }
            Action::Path => {
                let paths = Paths::of_process()?;
                let path = paths.config_file();
                let answer = json!({
                    "schema_version": SCHEMA_VERSION,
                    "path": path.display().to_string(),
                    "exists": path.exists(),
                    "variable": (paths.config_origin() == Origin::Named).then_some("KEIKO_CONFIG"),
                });
                context.answer(&answer, &[], |_| vec![Text::plain(&path.display().to_string())]);
                Ok(Exit::Done)
            }
        }
    }
}

/// Returns the place that a key means.
fn place(key: &str) -> Result<Place, CliError> {
    Place::parse(key).map_err(|error| {
        let hint = match &error.nearest {
            Some(nearest) if *nearest != key => format!("did you mean {nearest}?"),
            Some(_) | None => {
                "keiko config show lists those that there are, keiko config default explains them".to_owned()
            }
        };
        CliError::usage(error.to_string(), hint)
    })
}
