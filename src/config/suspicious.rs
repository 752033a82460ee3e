//! What is odd about a configuration that can be used? For `config check`: what nobody means, and what does not work from here.
//!
//! Looks at files and the environment, opens and runs nothing, and never shows what may be a secret.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::config::file::{Position, position, without_mark};
use crate::config::keys::Hides;
use crate::config::literal::Literal;
use crate::config::place::Place;
use crate::domain::delivery::Target;
use crate::domain::routing::Rule;

/// Something odd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oddity {
    /// Where it stands.
    pub at: Position,
    /// The key in full.
    pub key: String,
    /// What is odd.
    pub what: String,
}

/// What is looked at beside the file.
pub struct Surroundings<'a> {
    /// Tells a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// Returns what is odd in the `text` of a file that can be used, in its order.
#[must_use]
pub fn all(path: &Path, text: &str, config: &Config, around: &Surroundings<'_>) -> Vec<Oddity> {
    let text = without_mark(text);
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let mut looking = Looking { path, text, config, around, has_secrets: false, odd: Vec::new() };
    looking.table("", document.get_ref());
    looking.order_of_day();
    looking.rules();
    looking.repeated("fallback", &config.routing.fallback, "channels", &config.routing.channels);
    looking.readable();
    looking.odd.sort_by(|one, other| one.at.cmp(&other.at).then_with(|| one.what.cmp(&other.what)));
    looking.odd
}

struct Looking<'a> {
    path: &'a Path,
    text: &'a str,
    config: &'a Config,
    around: &'a Surroundings<'a>,
    /// Whether the file itself holds a secret.
    has_secrets: bool,
    odd: Vec<Oddity>,
}

impl Looking<'_> {
    fn push(&mut self, at: Position, key: &str, what: impl Into<String>) {
        self.odd.push(Oddity { at, key: key.to_owned(), what: what.into() });
    }

    /// Looks at each value of a table, and of those in it.
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let at = position(self.text, value.span().start);
            if let Ok(place) = Place::parse(&name) {
                self.value(&place, value.get_ref(), at);
            } else if let Some(inner) = value.get_ref().as_table() {
                self.table(&format!("{name}."), inner);
            } else if let Some(list) = value.get_ref().as_array() {
                for (index, each) in list.iter().enumerate() {
                    if let Some(inner) = each.get_ref().as_table() {
                        self.table(&format!("{name}[{index}]."), inner);
                    }
                }
            }
        }
    }

    fn value(&mut self, place: &Place, value: &DeValue<'_>, at: Position) {
        self.has_secrets |= place.is_secret() || place.key.hides == Hides::Value && !place.is_command();
        let key = place.to_string();
        let words: Vec<&str> = match (value.as_str(), value.as_array()) {
            (Some(text), _) => vec![text],
            (None, Some(list)) => list.iter().filter_map(|each| each.get_ref().as_str()).collect(),
            (None, None) => Vec::new(),
        };
        if place.is_command() {
            let program = words.first().copied().unwrap_or_default();
            if !self.has_program(program) {
                self.push(at, &key, format!("there is no program {program} here"));
            }
        } else if place.name.ends_with("_env") {
            let name = words.first().copied().unwrap_or_default();
            if (self.around.variable)(name).is_none() {
                self.push(at, &key, format!("there is no variable {name} here; the daemon's environment may have it"));
            }
        } else if place.name.ends_with("_file") {
            self.file(place, &key, at, words.first().copied().unwrap_or_default());
        } else if place.name.ends_with("url") && words.iter().any(|url| is_open(url)) {
            self.push(at, &key, "what is sent there can be read on its way: it is http, not https");
        } else if place.name == "security" && words == ["none"] {
            let host = place.to_string().replace(".security", ".host");
            self.unprotected(&key, at, &host);
        }
        if let Literal::List(values) = Literal::of(value) {
            let mut seen: Vec<&Literal> = Vec::new();
            for value in &values {
                if seen.contains(&value) && !place.is_hidden() && !place.is_command() {
                    self.push(at, &key, format!("{value} stands there twice"));
                }
                seen.push(value);
            }
        }
    }

    fn file(&mut self, place: &Place, key: &str, at: Position, file: &str) {
        let path = self.beside(file);
        match std::fs::metadata(&path) {
            Err(error) => self.push(at, key, format!("cannot look at {}: {error}", path.display())),
            Ok(found) if place.key.hides == Hides::Secret && is_open_to_others(&found) => {
                self.push(at, key, format!("others can read {}; chmod 600 keeps it to you", path.display()));
            }
            Ok(_) => {}
        }
    }

    /// Where a mail server is spoken to in the open.
    fn unprotected(&mut self, key: &str, at: Position, host: &str) {
        let of = |target: &&crate::config::target::ConfiguredTarget| {
            host == format!("{}.{}.host", target.target.kind, target.target.address)
        };
        let target = self.config.targets.iter().find(of);
        let host = target.and_then(|target| match target.values.get("host") {
            Some((_, crate::config::target::Value::Text(host))) => Some(host.clone()),
            Some(_) | None => None,
        });
        if host.is_some_and(|host| !is_here(&host)) {
            self.push(at, key, "mails and the password can be read on their way");
        }
    }

    /// A day whose parts are in another order than the words for them.
    fn order_of_day(&mut self) {
        let parts = self.config.day_parts;
        let order = [
            ("day_parts.morning", parts.morning),
            ("day_parts.afternoon", parts.afternoon),
            ("day_parts.evening", parts.evening),
            ("day_parts.night", parts.night),
        ];
        for pair in order.windows(2) {
            if pair[0].1 >= pair[1].1 {
                let at = self.place_of(pair[1].0).or_else(|| self.place_of(pair[0].0));
                let Some(at) = at else { continue };
                let early = pair[0].0.rsplit('.').next().unwrap_or_default();
                self.push(
                    at,
                    pair[1].0,
                    format!("{} is not behind {early}, {}", pair[1].1.format("%H:%M"), pair[0].1.format("%H:%M")),
                );
            }
        }
    }

    /// Rules that no task comes to, since an earlier one takes all that they fit.
    fn rules(&mut self) {
        let rules = &self.config.routing.rules;
        let mut hidden = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if let Some(earlier) = rules[..index].iter().position(|earlier| takes_all_of(earlier, rule)) {
                hidden.push((index, earlier));
            }
        }
        for (index, earlier) in hidden {
            let key = format!("rules[{index}]");
            let at = self.place_of(&format!("{key}.channels")).unwrap_or(Position { line: 1, column: 1 });
            self.push(at, &key, format!("never holds: rules[{earlier}] stands before it and fits all that it fits"));
        }
    }

    /// A list that names what another one has told already.
    fn repeated(&mut self, key: &str, list: &[Target], other: &str, told: &[Target]) {
        let both: Vec<&Target> = list.iter().filter(|target| told.contains(target)).collect();
        if let (Some(target), Some(at)) = (both.first(), self.place_of(key)) {
            self.push(
                at,
                key,
                format!("{} is in {other} too, where it was told before", Literal::Text(target.to_string())),
            );
        }
    }

    /// A file that holds secrets and is open to others.
    fn readable(&mut self) {
        if self.has_secrets && std::fs::metadata(self.path).is_ok_and(|found| is_open_to_others(&found)) {
            let what = "it holds secrets and others can read it; chmod 600 keeps it to you";
            self.push(Position { line: 1, column: 1 }, "", what);
        }
    }

    fn place_of(&self, key: &str) -> Option<Position> {
        let shown = crate::config::shown::all(self.text, |_| None);
        shown.into_iter().find(|shown| shown.key == key).and_then(|shown| match shown.origin {
            crate::config::shown::Origin::File(at) => Some(at),
            crate::config::shown::Origin::Default | crate::config::shown::Origin::Environment(_) => None,
        })
    }

    fn beside(&self, file: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(file)
    }

    /// Returns whether a program is there: by its path, else in one of the folders of `PATH`.
    fn has_program(&self, program: &str) -> bool {
        if program.contains('/') {
            return self.beside(program).is_file();
        }
        let folders = (self.around.variable)("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
    }
}

/// Returns whether every task that the later rule fits is one that the earlier fits.
fn takes_all_of(earlier: &Rule, later: &Rule) -> bool {
    let (all, some): (BTreeSet<&String>, BTreeSet<&String>) =
        (earlier.tags.iter().collect(), later.tags.iter().collect());
    let has_tags = all.is_empty() || (!some.is_empty() && some.is_subset(&all));
    let has_priority = earlier.priority.is_none() || earlier.priority == later.priority;
    has_tags && has_priority
}

/// Returns whether an address is one to which anybody on the way can listen.
fn is_open(url: &str) -> bool {
    url.strip_prefix("http://").is_some_and(|rest| {
        let server = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let server = server.rsplit('@').next().unwrap_or_default();
        let host = if server.starts_with('[') { server.split(']').next() } else { server.split(':').next() };
        !is_here(host.unwrap_or_default().trim_start_matches('['))
    })
}

fn is_here(host: &str) -> bool {
    host == "localhost" || host == "::1" || host.starts_with("127.") || host.ends_with(".localhost")
}

#[cfg(unix)]
fn is_open_to_others(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_file: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn odd(text: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        for (name, mode) in [("open.key", 0o644), ("own.key", 0o600)] {
            fs::write(directory.path().join(name), "hunter2").unwrap();
            fs::set_permissions(directory.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let (config, _) = Config::parse(&path, text).unwrap();
        let variable = |name: &str| match name {
            "PATH" => Some("/bin:/usr/bin".to_owned()),
            "SET" => Some("hunter2".to_owned()),
            _ => None,
        };
        let odd = all(&path, text, &config, &Surroundings { variable: &variable });
        let lines = odd.iter().map(|Oddity { at, key, what }| format!("{at}: {key}: {what}\n"));
        lines.collect::<String>().replace(&directory.path().display().to_string(), "[home]")
    }

    #[test]
    fn nothing_is_odd_about_what_is_usual() {
        assert_eq!(odd(""), "");
        assert_eq!(odd(&crate::config::default_file::text()), "");
        let text = "fallback = ['ntfy:me']\n[ntfy.me]\nurl_file = 'own.key'\ntoken_env = 'SET'\n[exec.me]\ncommand = ['sh', 'x']\n\
                    [[rules]]\ntags = ['a']\npriority = 'high'\nchannels = ['ntfy:me']\n[[rules]]\ntags = ['a']\nchannels = ['exec:me']\n";
        assert_eq!(odd(text), "");
    }

    #[test]
    fn what_nobody_means_is_told_with_its_place_and_without_secrets() {
        let text = "channels = ['desktop', 'desktop']\nfallback = ['desktop', 'terminal']\n[day_parts]\nmorning = '20:00'\n\
                    [webhooks.ops]\nurl = 'http://example.org/hunter2'\nsecret_file = 'open.key'\n\
                    [webhooks.own]\nurl = 'http://127.0.0.1:8000/'\nca_file = 'gone.pem'\n\
                    [ntfy.me]\nurl_command = ['keiko-no-such-program', 'hunter2']\ntoken_env = 'UNSET'\n\
                    [mail.me]\nhost = 'mail.example.org'\nsecurity = 'none'\nfrom = 'a@x'\nto = 'b@x'\n\
                    [[rules]]\ntags = ['a', 'b']\nchannels = ['desktop']\n[[rules]]\ntags = ['b']\npriority = 'low'\nchannels = ['terminal']\n";
        let odd = odd(text);
        assert!(!odd.contains("hunter2"), "{odd}");
        insta::assert_snapshot!(odd, @r#"
        1:1: : it holds secrets and others can read it; chmod 600 keeps it to you
        1:12: channels: "desktop" stands there twice
        2:12: fallback: "desktop" is in channels too, where it was told before
        4:11: day_parts.afternoon: 15:00 is not behind morning, 20:00
        6:7: webhooks.ops.url: what is sent there can be read on its way: it is http, not https
        7:15: webhooks.ops.secret_file: others can read [home]/open.key; chmod 600 keeps it to you
        10:11: webhooks.own.ca_file: cannot look at [home]/gone.pem: No such file or directory (os error 2)
        12:15: ntfy.me.url_command: there is no program keiko-no-such-program here
        13:13: ntfy.me.token_env: there is no variable UNSET here; the daemon's environment may have it
        16:12: mail.me.security: mails and the password can be read on their way
        25:12: rules[1]: never holds: rules[0] stands before it and fits all that it fits
        "#);
    }
}
