//! How does a changed configuration come to hold? It is written, and the daemon goes by it; where it does not take it, the file
//! says again what it said.

use std::path::PathBuf;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::config::edit::ConfigFile;
use crate::config::paths::Paths;
use crate::protocol::methods::Reload;

/// A configuration that holds.
pub(super) struct Settled {
    /// The file.
    pub(super) path: PathBuf,
    /// What is odd in it.
    pub(super) warnings: Vec<String>,
}

/// Writes the text, and lets the daemon go by it.
pub(super) fn settle(context: &mut Context<'_>, file: &ConfigFile, text: &str) -> Result<Settled, CliError> {
    let path = Paths::of_process()?.config_file().to_owned();
    file.write(text)?;
    match context.ask(&Reload::default()) {
        Ok(answer) => Ok(Settled { path, warnings: answer.warnings }),
        Err(error) => {
            if let Err(stuck) = file.restore() {
                context.ui.warning(&format!("the configuration stays changed: {stuck}"));
            }
            Err(error)
        }
    }
}
