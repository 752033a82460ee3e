//! `keiko completions`: what makes a shell complete the words of `keiko`; needs no daemon.

use clap::Args;
use serde_json::json;

use crate::cli::complete::shells::Shell;
use crate::cli::context::Context;
use crate::cli::error::Exit;
use crate::cli::ui::Form;
use crate::protocol::SCHEMA_VERSION;

/// Prints what makes a shell complete commands, tasks, tags and channels
///
/// The script asks keiko itself each time: it offers open tasks with their titles, and only those of which the command may be
/// said, such as paused ones for resume. It starts no daemon; without one, tasks are not offered. Put its output where your
/// shell looks for such files, or read it when the shell starts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mkdir -p ~/.local/share/bash-completion/completions\n  \
    keiko completions bash > ~/.local/share/bash-completion/completions/keiko\n  \
    mkdir -p ~/.zfunc\n  \
    keiko completions zsh > ~/.zfunc/_keiko\n  \
    mkdir -p ~/.config/fish/completions\n  \
    keiko completions fish > ~/.config/fish/completions/keiko.fish\n  \
    mkdir -p ~/.config/elvish\n  \
    keiko completions elvish >> ~/.config/elvish/rc.elv\n\n\
    Or for one shell, while it runs: source <(keiko completions bash). Of zsh, ~/.zfunc must be in fpath before compinit.")]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Exit {
        let script = self.shell.script();
        match context.ui.form() {
            Form::Json => context.ui.json(&json!({ "schema_version": SCHEMA_VERSION, "script": script })),
            Form::Human | Form::Quiet | Form::Id => context.ui.page(script),
        }
        Exit::Done
    }
}
