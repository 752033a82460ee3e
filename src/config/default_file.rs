//! What would a configuration say that says nothing new? Every key with what holds anyway, explained, ready to be changed.
//!
//! Made from the table of keys alone.

use std::fmt::Write as _;

use crate::config::keys::{Hides, Key, SECTIONS, Section, Tables};
use crate::config::literal::Literal;

/// How wide its lines are.
const WIDTH: usize = 100;

/// What stands at the top.
const HEAD: &str = "The configuration of Keiko: every key with what holds where nothing is said. A line that begins with # and no \
    space is a key: take the # away and say something else. The daemon reads the file when it starts and whenever it changes; keiko \
    config check says what is wrong with it, keiko config show what holds and where it comes from. See keiko.toml(5).";

/// Returns the text.
#[must_use]
pub fn text() -> String {
    let mut text = String::new();
    comment(&mut text, HEAD);
    for section in SECTIONS {
        text.push('\n');
        if !section.about.is_empty() {
            comment(&mut text, section.about);
        }
        let header = match section.tables {
            Tables::One if section.name.is_empty() => String::new(),
            // Of the file's own tables the header is there, so that one line is enough to change a key.
            Tables::One => format!("[{}]\n", section.name),
            Tables::Named => format!("#[{}]\n", section.name),
            Tables::Listed => format!("#[[{}]]\n", section.name),
        };
        text.push_str(&header);
        for key in section.keys {
            of_key(&mut text, section, key);
        }
    }
    text
}

fn of_key(text: &mut String, section: &Section, key: &Key) {
    comment(text, &format!("{} Expected: {}.", key.about, key.takes));
    if key.hides == Hides::Secret {
        let name = key.name;
        comment(
            text,
            &format!("Or where it is: {name}_file = PATH, {name}_env = VARIABLE, {name}_command = [PROGRAM, …]."),
        );
    }
    if key.at_next_start {
        comment(text, "Holds from the daemon's next start on.");
    }
    let is_own = section.tables == Tables::One;
    let value = if is_own && !key.default.is_empty() { key.default } else { key.example };
    let value = Literal::parse(value).map_or_else(String::new, |value| value.to_string());
    // Writing to a String cannot fail.
    let _ = writeln!(text, "#{} = {value}", key.name);
}

/// Appends prose, in lines.
fn comment(text: &mut String, prose: &str) {
    let mut line = "#".to_owned();
    for word in prose.split(' ') {
        if line.chars().count() + word.chars().count() >= WIDTH && line.len() > 1 {
            text.push_str(&line);
            text.push('\n');
            "#".clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::config::place::kind;
    use crate::config::target::{KINDS, keys};
    use crate::config::{Config, file, hooks, routing, webhook};

    fn parse(text: &str) -> Config {
        let (config, warnings) =
            Config::parse(Path::new("config.toml"), text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(warnings, [], "in {text}");
        config
    }

    /// Returns the text of a table with some of its keys, and of what its values name.
    fn table(section: &Section, keys: &[&Key]) -> String {
        let header = match section.tables {
            Tables::One if section.name.is_empty() => String::new(),
            Tables::One => format!("[{}]\n", section.name),
            Tables::Named => format!("[{}.x]\n", kind(section)),
            Tables::Listed => format!("[[{}]]\n", section.name),
        };
        let line = |key: &&Key| format!("{} = {}\n", key.name, key.example);
        header + &keys.iter().map(line).collect::<String>()
    }

    /// Returns the keys beside `but` without which a table cannot be; a rule needs one of two besides.
    fn needed<'a>(section: &'a Section, but: &str) -> Vec<&'a Key> {
        let one_of_two = if but == "tags" { "priority" } else { "tags" };
        let is_needed = |key: &&Key| key.is_required || (section.name == "rules" && key.name == one_of_two);
        section.keys.iter().filter(is_needed).filter(|key| key.name != but).collect()
    }

    /// Returns what a table says, without where it stands.
    fn meaning(section: &Section, keys: &[&Key]) -> Config {
        let mut config = parse(&table(section, keys));
        config.webhooks.iter_mut().for_each(|webhook| webhook.positions.clear());
        config
    }

    #[test]
    fn the_file_changes_nothing_and_knows_every_key() {
        let text = text();
        assert_eq!(parse(&text), Config::default());
        let plain = text.split("\n#[[rules]]").next().expect("there are rules");
        let uncommented = plain.lines().map(|line| match line.strip_prefix('#') {
            Some(key) if !key.starts_with(' ') => key,
            Some(_) | None => line,
        });
        let mut config = parse(&uncommented.collect::<Vec<_>>().join("\n"));
        // Without its keys there is none, so an example stands there.
        assert!(config.daily.take().is_some());
        assert_eq!(config, Config::default(), "what is said to hold anyway does");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn the_examples_are_taken_as_they_stand() {
        for section in SECTIONS.iter().filter(|section| section.tables != Tables::One) {
            let text = text();
            let header = table(section, &[]).replace(".x]", ".NAME]");
            let (_, rest) = text.split_once(&format!("#{header}")).expect("each table has a header");
            let keys = rest.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix('#'));
            let lines: Vec<&str> = keys.filter(|line| !line.starts_with(' ')).collect();
            parse(&format!("{header}{}\n", lines.join("\n")));
        }
    }

    #[test]
    fn the_table_and_the_readers_know_the_same_keys() {
        let known: BTreeSet<String> = SECTIONS
            .iter()
            .filter(|section| section.tables == Tables::One)
            .flat_map(|section| section.keys.iter().map(|key| format!("{}.{}", section.name, key.name)))
            .map(|key| key.trim_start_matches('.').to_owned())
            .collect();
        assert_eq!(known, file::SETTINGS.iter().map(|(key, _)| (*key).to_owned()).collect());
        let of = |name: &str| -> BTreeSet<&str> {
            let section = SECTIONS.iter().find(|section| kind(section) == name).expect("a section");
            section.keys.iter().map(|key| key.name).collect()
        };
        assert_eq!(of("rules"), routing::KEYS.into_iter().collect());
        assert_eq!(of("hooks"), hooks::KEYS.into_iter().collect());
        let sources = ["url_file", "url_env", "url_command", "secret_file", "secret_env", "secret_command"];
        let webhooks = webhook::SETTINGS.iter().map(|(key, _)| *key).filter(|key| !sources.contains(key));
        assert_eq!(of("webhooks"), webhooks.collect());
        assert_eq!(webhook::SETTINGS.len(), of("webhooks").len() + sources.len());
        for kind in KINDS {
            assert_eq!(of(kind.as_str()), keys(kind).iter().map(|key| key.name).collect(), "of {kind}");
        }
        for (kind, key) in KINDS.into_iter().flat_map(|kind| keys(kind).iter().map(move |key| (kind, key))) {
            let section = SECTIONS.iter().find(|section| super::super::place::kind(section) == kind.as_str());
            let told =
                section.and_then(|section| section.keys.iter().find(|told| told.name == key.name)).expect("told");
            let is_secret = matches!(key.shape, crate::config::target::Shape::Secret);
            assert_eq!(
                (told.is_required, told.hides == Hides::Secret),
                (key.is_required, is_secret),
                "{kind}.{}",
                key.name
            );
        }
    }

    #[test]
    fn each_key_has_an_effect_and_refuses_what_it_does_not_take() {
        for section in SECTIONS {
            for key in section.keys {
                let name = format!("{}.{}", section.name, key.name);
                let others = needed(section, key.name);
                let with: Vec<&Key> = others.iter().copied().chain([key]).collect();
                let told = meaning(section, &with);
                if !key.is_required {
                    assert_ne!(told, meaning(section, &others), "{name} has no effect");
                }
                // No key takes a date, whatever else it takes.
                let good = format!("{} = {}\n", key.name, key.example);
                let bad = table(section, &with).replace(&good, &format!("{} = 1979-05-27\n", key.name));
                let refused = Config::parse(Path::new("config.toml"), &bad).map_err(|error| error.to_string());
                assert!(refused.as_ref().is_err_and(|error| error.contains(key.name)), "{name}: {refused:?}");
            }
        }
    }

    #[test]
    fn the_defaults_that_are_told_of_tables_are_those_that_hold() {
        let default = |name: &str| crate::config::place::Place::parse(name).expect("a key").default();
        let ops = parse("[webhooks.ops]\nurl = 'https://x'\n").webhooks.remove(0);
        assert_eq!((default("webhooks.x.allow_redirects"), ops.allow_redirects), ("false", false));
        assert_eq!((default("webhooks.x.preset"), ops.preset), ("'generic'", webhook::Preset::Generic));
        let hook = parse("[[hooks]]\non = 'all'\ncommand = 'x'\n").hooks.remove(0);
        assert_eq!((default("hooks[0].timeout"), default("hooks[0].late")), ("'30s'", "false"));
        assert_eq!((hook.timeout, hook.is_late_only), (crate::domain::hook::TIMEOUT_DEFAULT, false));
    }

    #[test]
    fn it_reads_as_it_looks() {
        let head: Vec<String> = text().lines().take(12).map(str::to_owned).collect();
        insta::assert_snapshot!(head.join("\n"), @r#"
        # The configuration of Keiko: every key with what holds where nothing is said. A line that begins
        # with # and no space is a key: take the # away and say something else. The daemon reads the file
        # when it starts and whenever it changes; keiko config check says what is wrong with it, keiko
        # config show what holds and where it comes from. See keiko.toml(5).

        # After so many seconds a reminder is late. Expected: a whole number of seconds from 0 to 86400.
        #grace_s = 30
        # Whether 6/7 is 7 June (us) or 6 July (uk). Expected: "us" or "uk".
        #dialect = "us"
        # What a day means that is named without a time. Expected: a time from "00:00" to "23:59".
        #date_only_hour = "09:00"
        # How long a snooze is when nobody says. Expected: a length of time with its unit, such as "10m" or
        "#);
    }
}
