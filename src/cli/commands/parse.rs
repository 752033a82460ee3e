//! tmp
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use clap::Args;
/// Parse
#[derive(Debug, Args)]
pub(crate) struct Parse {}
impl Parse {
    pub(crate) fn run(self, _context: &mut Context<'_>) -> Result<Exit, CliError> {
        Ok(Exit::Done)
    }
}
