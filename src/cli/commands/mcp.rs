//! `keiko mcp`: lets assistants set reminders, by the Model Context Protocol.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};

/// Serves assistants on standard input and output (Model Context Protocol)
///
/// It is started by the assistant's program, not by hand, and ends with it. The tools are add, list, done, snooze, agenda, parse, why and
/// undo; times are read as everywhere in Keiko. The daemon is started where none runs. Nothing but the protocol is on standard
/// output.
#[derive(Debug, Args)]
#[command(after_help = "How to register it, in the JSON configuration of most assistants:\n  \
    { \"mcpServers\": { \"keiko\": { \"command\": \"keiko\", \"args\": [\"mcp\"] } } }\n\
    Where the assistant does not find keiko, write its whole path; KEIKO_DATA_DIR in \"env\" names other tasks.\n\n\
    Examples:\n  keiko mcp < /dev/null")]
pub(crate) struct Mcp {}

impl Mcp {
    /// Serves until the input ends.
    #[cfg(feature = "mcp")]
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let Self {} = self;
        crate::cli::mcp::serve(context)
    }

    /// Says that it cannot.
    #[cfg(not(feature = "mcp"))]
    pub(crate) fn run(self, _context: &mut Context<'_>) -> Result<Exit, CliError> {
        let Self {} = self;
        Err(CliError::refusal("this keiko was built without mcp", "install one with the feature mcp"))
    }
}
