//! `keiko rpc`: asks the daemon as a program does.

use std::io::Read as _;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::protocol::envelope;
use crate::protocol::methods::Method;

/// Calls a method of the daemon and prints its result as JSON
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko rpc daemon.status\n  keiko rpc task.get '{\"task\":3}'")]
pub(crate) struct Rpc {
    /// The method, such as task.get
    #[arg(value_name = "METHOD")]
    method: String,
    /// Its parameters; - reads them from standard input
    #[arg(value_name = "JSON")]
    params: Option<String>,
}

impl Rpc {
    /// Calls the method.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let text = match self.params {
            Some(dash) if dash == "-" => {
                let mut text = String::new();
                std::io::stdin().lock().read_to_string(&mut text).map_err(|source| CliError::Input { source })?;
                Some(text)
            }
            other => other,
        };
        let params = envelope::read_json(text.as_deref().unwrap_or("{}"))
            .map_err(|source| CliError::Json { text: text.unwrap_or_default(), source })?;
        if matches!(Method::from_word(&self.method), Some(Method::DaemonStatus | Method::DaemonStop)) {
            context.connect()?;
        }
        let result = context.ask_by_name(&self.method, &params)?;
        context.ui.json(&result);
        Ok(Exit::Done)
    }
}
