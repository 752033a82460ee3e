//! The files that are made from what the program itself says: completions, manual pages, and the units that a package brings.
//!
//! They are checked in, and a test fails when they are stale. Writes nothing itself.

use std::path::PathBuf;

use clap::Command;

use crate::cli::complete::shells::Shell;
use crate::cli::{config_page, help, manual, rpc_page, time_page, week_page};
use crate::service::{Author, Service, Socket, systemd};

/// A file that is generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Where it lies in the repository.
    pub path: PathBuf,
    /// What is in it.
    pub content: Vec<u8>,
}

/// What the manual tells of the daemon, which the command line does not know of itself.
#[derive(Debug)]
pub struct Daemon {
    /// Its arguments.
    pub arguments: Command,
    /// What it limits, and to what.
    pub limits: Vec<(String, String)>,
}

/// Returns the completions and manual pages of both programs.
#[must_use]
pub fn files(daemon: &Daemon) -> Vec<Generated> {
    let version = env!("CARGO_PKG_VERSION");
    let mut files: Vec<Generated> = Shell::ALL
        .into_iter()
        .map(|(shell, _)| Generated {
            path: PathBuf::from("completions").join(shell.file()),
            content: shell.script().as_bytes().to_owned(),
        })
        .collect();
    let keiko = help::program();
    for command in keiko.get_subcommands().filter(|each| !each.is_hide_set()) {
        files.push(page(&format!("keiko-{}.1", command.get_name()), manual::command(command, version)));
    }
    files.push(page("keiko.1", manual::keiko(&keiko, version)));
    files.push(page("keikod.8", manual::daemon(&daemon.arguments, version)));
    files.push(page("keiko.toml.5", config_page::page(version)));
    files.push(page("keiko-time.7", time_page::page(version)));
    files.push(page("keiko.7", week_page::page(version)));
    files.push(page("keiko-rpc.7", rpc_page::page(version, &daemon.limits)));
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
        path: PathBuf::from("src/service/package").join(unit.name),
        content: unit.text.into_bytes(),
    };
    units.into_iter().map(generated).collect()
}

/// Returns the examples of every command's help, below the words of the command; none where a command has none.
#[must_use]
pub fn examples() -> Vec<(String, Vec<String>)> {
    fn collect(command: &Command, name: &str, all: &mut Vec<(String, Vec<String>)>) {
        all.push((name.to_owned(), manual::examples(command).0));
        for each in command.get_subcommands().filter(|each| !each.is_hide_set()) {
            collect(each, &format!("{name} {}", each.get_name()), all);
        }
    }
    let mut all = Vec::new();
    collect(&help::program(), "keiko", &mut all);
    all
}

fn page(name: &str, content: String) -> Generated {
    Generated { path: PathBuf::from("man").join(name), content: content.into_bytes() }
}
