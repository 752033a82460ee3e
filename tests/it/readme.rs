//! What README.md shows is what the programs say.
//!
//! Each ```` ```console ```` block is run, line for line, in one shell on an empty home, with a bus and a notification
//! server of the test's own. What follows a command must be its output, both streams together, to the letter; `…`
//! stands for any text within a line and is for what differs each time: ids, process numbers, the rest of a long line.
//! The `toml` block must be the settings' own defaults. Blocks of `sh` build or install, and are not run here.

#![cfg(feature = "desktop")]

use std::path::Path;

use keiko::config::Config;
use keiko::config::file::Origin;

use crate::support::console::{Shell, matches};
use crate::support::fake_server::{FakeServer, Manner};
use crate::support::person::Person;
use crate::support::private_bus::PrivateBus;

const README: &str = include_str!("../../README.md");

/// A command of a block, and what it says.
#[derive(PartialEq, Eq, Debug)]
struct Step<'a> {
    command: &'a str,
    output: Vec<&'a str>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tour_says_what_the_programs_say() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Markup).await;
    let mut person = Person::new();
    person.set("DBUS_SESSION_BUS_ADDRESS", bus.address());
    person.set("TMPDIR", person.home().to_owned());
    let built = Path::new(env!("CARGO_BIN_EXE_keiko")).parent().expect("a program lies in a directory");
    std::fs::create_dir(person.home().join("target")).expect("it is ours");
    std::os::unix::fs::symlink(built, person.home().join("target/release")).expect("it is ours");

    let mut shell = Shell::start(&person);
    let mut differences = Vec::new();
    for step in steps(README) {
        let found = if step.command.ends_with('&') {
            // It goes on, so it has said what it says when it has said as much as is shown.
            shell.begin(step.command, step.output.len())
        } else {
            shell.run(step.command)
        };
        let is_same = found.len() == step.output.len()
            && found.iter().zip(&step.output).all(|(found, expected)| matches(found, expected));
        if !is_same {
            differences.push(format!("$ {}\n{}", step.command, found.join("\n")));
        }
    }
    assert!(differences.is_empty(), "README.md shows something else than:\n{}", differences.join("\n"));
    assert_eq!(server.notified().len(), 2, "the reminder of the tour rings twice");
}

#[test]
fn the_exit_codes_are_those_of_the_help() {
    let help = Person::new().keiko("--help");
    let (_, codes) = help.fine().split_once("Exit codes: ").expect("the help tells them");
    let (codes, _) = codes.split_once("\n\n").expect("more is behind them");
    let codes = codes.replace('\n', " ");
    assert_eq!(codes.split(", ").count(), 12);
    for (code, meaning) in codes.split(", ").map(|one| one.trim().split_once(' ').expect("a code and its meaning")) {
        let row = format!("| {code} | {meaning}");
        assert!(README.lines().any(|line| line.starts_with(&row)), "no row {row:?}");
    }
}

#[test]
fn the_settings_are_what_holds_anyway() {
    let (_, block) = README.split_once("```toml\n").expect("there is a block");
    let (block, _) = block.split_once("```").expect("a block ends");
    let person = Person::new();
    let file = person.home().join("config.toml");
    std::fs::write(&file, block).expect("it is ours");
    let (config, warnings) = Config::load(&file, Origin::Named).expect("it can be read");
    assert_eq!((config, warnings), (Config::default(), Vec::new()));
}

#[test]
fn the_targets_that_are_shown_are_taken() {
    let (_, block) = README.split_once("```toml\n[feishu.team]").expect("there is a block");
    let (block, _) = block.split_once("```").expect("a block ends");
    let path = Path::new("config.toml");
    let (config, warnings) = Config::parse(path, &format!("[feishu.team]{block}")).expect("it can be read");
    assert_eq!((config.targets.len(), warnings), (4, Vec::new()));
}

#[test]
fn what_it_links_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for link in README.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
        assert!(link.starts_with("https://") || root.join(link).exists(), "{link} leads nowhere");
    }
}

#[test]
fn blocks_are_read_as_they_are_shown() {
    let text = "```sh\n$ not this\n```\n```console\n$ one\n$ two\na\n\nb\n```\nc\n```console\n$ three\n```\n";
    let step = |command, output: &[&'static str]| Step { command, output: output.to_vec() };
    assert_eq!(steps(text), [step("one", &[]), step("two", &["a", "", "b"]), step("three", &[])]);
}

fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").expect("a block ends");
        for line in block.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command, output: Vec::new() }),
                (None, Some(step)) => step.output.push(line),
                (None, None) => panic!("output without a command: {line:?}"),
            }
        }
    }
    steps
}
