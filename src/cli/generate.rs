//! The files that are made from what the program itself says: completions, manual pages, and the units that a package brings.
//!
//! They are checked in, and a test fails when they are stale. Writes nothing itself.

use std::path::PathBuf;

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::args::Arguments;
use crate::cli::{time_page, week_page};
use crate::service::{Author, Service, Socket, systemd};

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
    let content = week_page::page(env!("CARGO_PKG_VERSION")).into_bytes();
    files.push(Generated { path: PathBuf::from("man/keiko.7"), content });
    files.extend(units());
    files
}

/// Returns the units for everybody who installs a package: with its programs, and the person's own files where they lie by default.
fn units() -> Vec<Generated> {
    let service = Service {
        name: "keikod".to_owned(),
        daemon: "/usr/bin/keikod".into(),
        keiko: "/usr/bin/keiko".into(),
        variables: Vec::new(),
        socket: Socket::InRuntimeDir("service.sock".to_owned()),
        log: PathBuf::new(),
        author: Author::Package,
    };
    let units = systemd::files(&service).expect("these paths are plain");
    let generated = |unit: crate::service::File| Generated {
        path: PathBuf::from("packaging").join(unit.name),
        content: unit.text.into_bytes(),
    };
    units.into_iter().map(generated).collect()
}

fn page(command: Command, section: char) -> Generated {
    let name = format!("{}.{section}", command.get_display_name().unwrap_or(command.get_name()));
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION")).to_owned();
    let man = Man::new(command).section(section.to_string()).source(format!("keiko {version}")).manual("Keiko");
    let mut content = Vec::new();
    man.render(&mut content).expect("writing to memory does not fail");
    Generated { path: PathBuf::from("man").join(name), content }
}
