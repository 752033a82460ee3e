//! The only test binary: one program to link, and one place to see what is tested from outside.
//!
//! A file that is not listed here would never run, so that is a failure too.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test says by failing what it did not find")]

use std::fs;
use std::path::{Path, PathBuf};

#[cfg(feature = "webhook")]
mod ahead;
mod architecture;
mod awaiting;
mod cli;
mod clock_steps;
mod commands;
mod commands_killed;
mod commands_left;
mod completion;
mod crash;
mod crew;
mod desktop;
mod dismissing;
#[cfg(unix)]
mod exec;
mod faults_calendar;
mod faults_life;
mod faults_popups;
mod following;
#[path = "../fuzz/bodies/mod.rs"]
mod fuzz_bodies;
mod generated;
mod hooks;
mod lifecycle;
mod load;
#[cfg(feature = "mail")]
mod mail;
#[cfg(feature = "webhook")]
mod manual;
mod newcomer;
#[cfg(feature = "webhook")]
mod ntfy;
mod oracle;
mod outgoing;
#[cfg(feature = "webhook")]
mod pings;
mod popup;
mod pressing;
mod pressing_servers;
mod protocol;
mod python;
mod quiet;
mod reach;
mod readme;
#[cfg(feature = "webhook")]
mod robots;
#[cfg(feature = "webhook")]
mod routing;
#[cfg(feature = "webhook")]
mod secrets;
mod service;
mod service_manager;
mod simulation;
mod storage;
mod support;
#[cfg(feature = "webhook")]
mod telegram;
mod terminal;
mod waking;
#[cfg(feature = "webhook")]
mod webhook;
#[cfg(feature = "webhook")]
mod webhook_faults;
#[cfg(feature = "webhook")]
mod webhook_many;
mod week;
mod wire_connections;
mod wire_frames;
mod wire_log;
mod wire_socket;
mod wording;

#[test]
fn every_file_is_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut missing = unlisted(&here, "main", &listed(&here, "main.rs"));
    let cli = here.join("cli");
    if cli.is_dir() {
        let modules = [listed(&here, "main.rs"), listed(&here, "cli.rs"), listed(&cli, "mod.rs")].concat();
        missing.extend(unlisted(&cli, "mod", &modules));
    }
    assert!(missing.is_empty(), "these files are in no module and would never run: {missing:#?}");
}

#[test]
fn a_file_that_is_not_listed_is_found() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, text) in [("main.rs", "mod listed;\n#[cfg(unix)]\npub mod also { }"), ("listed.rs", ""), ("also.rs", "")]
    {
        fs::write(directory.path().join(name), text).expect("a temporary file can be written");
    }
    fs::write(directory.path().join("stray.rs"), "// mod stray;").expect("a temporary file can be written");
    let found = unlisted(directory.path(), "main", &listed(directory.path(), "main.rs"));
    assert_eq!(found, [directory.path().join("stray.rs")]);
}

/// Returns the modules that a file declares, nested ones too; none where there is no such file.
fn listed(directory: &Path, name: &str) -> Vec<String> {
    let Ok(text) = fs::read_to_string(directory.join(name)) else { return Vec::new() };
    let mut modules = Vec::new();
    architecture::for_each_module(text.parse().expect("a test is valid Rust"), &mut |name| modules.push(name));
    modules
}

/// Returns the Rust files directly in `directory` that are neither `root` nor among `modules`.
fn unlisted(directory: &Path, root: &str, modules: &[String]) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            stem != root && !modules.iter().any(|module| *module == stem)
        })
        .collect();
    found.sort();
    found
}
