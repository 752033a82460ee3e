//! The files that are made from the arguments' own descriptions: completions and manual pages.
//!
//! They are checked in, and a test fails when they are stale. Writes nothing itself.

use std::path::PathBuf;

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::args::Arguments;
use crate::cli::{config_page, time_page, week_page};

/// A file that is generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Where it lies in the repository.
    pub path: PathBuf,
    /// What is in it.
    pub content: Vec<u8>,
}

/// Returns the completions and manual pages of both programs; `daemon` describes the arguments of `keikod`.
///
/// # Panics
/// Never: writing to memory does not fail.
#[must_use]
pub fn files(daemon: Command) -> Vec<Generated> {
    let mut keiko = Arguments::command();
    let mut files: Vec<Generated> = [(Shell::Bash, "keiko.bash"), (Shell::Zsh, "_keiko"), (Shell::Fish, "keiko.fish")]
        .into_iter()
        .map(|(shell, name)| {
            let mut content = Vec::new();
            clap_complete::generate(shell, &mut keiko, "keiko", &mut content);
            Generated { path: PathBuf::from("completions").join(name), content }
        })
        .collect();
    keiko.build();
    // Building gave each command its full name, such as keiko-add.
    files.extend(keiko.get_subcommands().map(|command| page(command.clone(), '1')));
    files.push(page(keiko, '1'));
    files.push(page(daemon, '8'));
    let content = time_page::page(env!("CARGO_PKG_VERSION")).into_bytes();
    files.push(Generated { path: PathBuf::from("man/keiko-time.7"), content });
    let content = config_page::page(env!("CARGO_PKG_VERSION")).into_bytes();
    files.push(Generated { path: PathBuf::from("man/keiko.toml.5"), content });
    let content = week_page::page(env!("CARGO_PKG_VERSION")).into_bytes();
    files.push(Generated { path: PathBuf::from("man/keiko.7"), content });
    files
}

fn page(command: Command, section: char) -> Generated {
    let name = format!("{}.{section}", command.get_display_name().unwrap_or(command.get_name()));
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION")).to_owned();
    let man = Man::new(command).section(section.to_string()).source(format!("keiko {version}")).manual("Keiko");
    let mut content = Vec::new();
    man.render(&mut content).expect("writing to memory does not fail");
    Generated { path: PathBuf::from("man").join(name), content }
}
