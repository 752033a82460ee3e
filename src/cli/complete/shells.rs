//! How does each shell ask, and in which form does it take the answer?
//!
//! The first line of an answer says what else the script is to do, `:` with letters; each other line is a word that fits.
//! Nothing that a person wrote is a line of its own or stands where a shell would look into it.

use std::ffi::OsString;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::cli::complete::line;
use crate::cli::complete::values::{Candidate, Offer, Rest};
use crate::cli::render::text::Text;

/// The widest terminal that is believed.
const COLUMNS_MAX: usize = 1000;

/// A shell whose words are completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Shell {
    /// bash, from 3.2 on
    Bash,
    /// zsh
    Zsh,
    /// fish, from 3.0 on
    Fish,
    /// elvish
    Elvish,
    /// `PowerShell`
    #[value(help = "PowerShell")]
    Powershell,
}

impl Shell {
    /// Every shell with its word.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Bash, "bash"),
        (Self::Zsh, "zsh"),
        (Self::Fish, "fish"),
        (Self::Elvish, "elvish"),
        (Self::Powershell, "powershell"),
    ];

    /// Returns the script that completes in this shell.
    pub(crate) const fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("scripts/keiko.bash"),
            Self::Zsh => include_str!("scripts/_keiko"),
            Self::Fish => include_str!("scripts/keiko.fish"),
            Self::Elvish => include_str!("scripts/keiko.elv"),
            Self::Powershell => include_str!("scripts/keiko.ps1"),
        }
    }

    /// Returns the name of the file that the shell looks for.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Bash => "keiko.bash",
            Self::Zsh => "_keiko",
            Self::Fish => "keiko.fish",
            Self::Elvish => "keiko.elv",
            Self::Powershell => "keiko.ps1",
        }
    }
}

/// What a script asks.
pub(super) struct Request {
    /// The words up to the cursor, the program first, the one that is completed last.
    pub(super) words: Vec<String>,
    form: Form,
}

/// In which form the answer is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Whole words, for a line; or, where bash lists what fits, words with what they stand for.
    Bash { lists: bool, columns: usize, word: String, line: String },
    /// `word:about`, with colons of the word behind a backslash.
    Zsh,
    /// Word, tabulator, about.
    Tabbed,
}

impl Request {
    /// Reads what a script says: the name of the shell, and the words. bash says what it is about to do, how wide the
    /// terminal is, the line up to the cursor, and the part of it that it will replace.
    pub(super) fn read(words: &[OsString]) -> Option<Self> {
        let mut words = words.iter().map(|word| word.to_string_lossy().into_owned());
        let shell = words.next()?;
        let (shell, _) = Shell::ALL.into_iter().find(|(_, word)| *word == shell)?;
        match shell {
            Shell::Bash => {
                let kind = words.next()?;
                let columns = words.next()?.parse().unwrap_or(80).clamp(20, COLUMNS_MAX);
                let (line, word) = (words.next()?, words.next()?);
                // `?`, `!` and `@`: what fits is shown.
                let lists = matches!(kind.as_str(), "63" | "33" | "64");
                Some(Self { words: line::words(&line), form: Form::Bash { lists, columns, word, line } })
            }
            Shell::Zsh => Some(Self { words: words.collect(), form: Form::Zsh }),
            Shell::Fish | Shell::Elvish | Shell::Powershell => {
                Some(Self { words: words.collect(), form: Form::Tabbed })
            }
        }
    }

    /// Returns the answer.
    pub(super) fn answer(&self, offer: &Offer) -> String {
        let mut answer = directive(offer);
        match &self.form {
            Form::Bash { lists, columns, word, line } => {
                let current = self.words.last().map_or("", String::as_str);
                let cut = kept_by_bash(line, current, word);
                for each in in_bash(&offer.candidates, *lists, *columns, cut) {
                    answer.push_str(&each);
                    answer.push('\n');
                }
            }
            Form::Zsh => {
                for each in &offer.candidates {
                    let escaped = |text: &str| text.replace('\\', "\\\\").replace(':', "\\:");
                    // Writing to a string does not fail.
                    let _ = match each.about.as_str() {
                        "" => writeln!(answer, "{}", escaped(&each.value)),
                        about => writeln!(answer, "{}:{}", escaped(&each.value), about.replace('\\', "\\\\")),
                    };
                }
            }
            Form::Tabbed => {
                for each in &offer.candidates {
                    let _ = match each.about.as_str() {
                        "" => writeln!(answer, "{}", each.value),
                        about => writeln!(answer, "{}\t{about}", each.value),
                    };
                }
            }
        }
        answer
    }
}

/// Returns the first line: `:`, a letter for what the shell is to add of its own, and `+` where no space follows.
fn directive(offer: &Offer) -> String {
    let rest = match offer.rest {
        Rest::Nothing => "",
        Rest::Files => "f",
        Rest::Directories => "d",
        Rest::Commands => "c",
    };
    format!(":{rest}{}\n", if offer.is_open { "+" } else { "" })
}

/// Returns how much of the current word bash keeps: it replaces only what stands behind a colon or an equals sign.
fn kept_by_bash(line: &str, current: &str, word: &str) -> usize {
    let is_quoted = !line.ends_with(current);
    if is_quoted || !current.ends_with(word) { 0 } else { current.len() - word.len() }
}

/// Returns the words for bash, which shows nothing beside them: so it is given words with what they stand for, but only to
/// be shown. Those are no more alike at their beginning than the words themselves.
fn in_bash(candidates: &[Candidate], lists: bool, columns: usize, cut: usize) -> Vec<String> {
    let rest = |each: &Candidate| each.value.get(cut..).unwrap_or_default().to_owned();
    let has_about = candidates.iter().any(|each| !each.about.is_empty());
    if !lists || !has_about || candidates.len() < 2 {
        return candidates.iter().map(|each| quoted(&rest(each))).collect();
    }
    let widest = candidates.iter().map(|each| each.value.width()).max().unwrap_or_default();
    let mut lines: Vec<String> = candidates
        .iter()
        .map(|each| {
            let value = rest(each);
            let gap = widest.saturating_sub(each.value.width()) + 2;
            let line = format!("{value}{:gap$}{}", "", each.about);
            Text::plain(line.trim_end()).cut(columns.saturating_sub(2)).to_plain()
        })
        .collect();
    // One a line: more than half a line wide, no two fit beside each other.
    if let Some(first) = lines.first_mut() {
        let half = columns / 2 + 1;
        let _ = write!(first, "{:1$}", "", half.saturating_sub(first.width()));
    }
    lines
}

/// Returns a word so that bash takes it as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=+,@%~".contains(c);
    word.chars().map(|c| if is_plain(c) { c.to_string() } else { format!("\\{c}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Offer {
        let task = |value: &str, about: &str| Candidate::new(value.to_owned(), about);
        Offer { candidates: vec![task("3", "pay: \"rent\" $(id)\n\\n"), task("12", "交房租")], ..Offer::default() }
    }

    #[track_caller]
    fn answer(asked: &[&str], offer: &Offer) -> String {
        let words: Vec<OsString> = asked.iter().map(OsString::from).collect();
        Request::read(&words).expect("a shell").answer(offer)
    }

    #[test]
    fn bash_gets_words_and_shows_what_they_stand_for() {
        insta::assert_snapshot!(answer(&["bash", "9", "80", "keiko done ", ""], &tasks()), @"
        :
        3
        12
        ");
        insta::assert_snapshot!(answer(&["bash", "63", "40", "keiko done ", ""], &tasks()).replace(' ', "."), @r#"
        :
        3...pay:."rent".$(id).\n
        12..交房租
        "#);
        let mut one = tasks();
        one.candidates.truncate(1);
        assert_eq!(answer(&["bash", "63", "80", "keiko done ", ""], &one), ":\n3\n");
    }

    #[test]
    fn bash_replaces_only_what_stands_behind_a_colon() {
        let offer = Offer { candidates: vec![Candidate::new("webhook:ops".to_owned(), "")], ..Offer::default() };
        assert_eq!(answer(&["bash", "9", "80", "keiko add --via webhook:o", "o"], &offer), ":\nops\n");
        assert_eq!(answer(&["bash", "9", "80", "keiko add --via web", "web"], &offer), ":\nwebhook:ops\n");
        assert_eq!(
            answer(&["bash", "9", "80", "keiko add --via \"webhook:o", "webhook:o"], &offer),
            ":\nwebhook:ops\n"
        );
    }

    #[test]
    fn a_word_that_a_shell_would_look_into_is_quoted() {
        let offer = Offer { candidates: vec![Candidate::new("+a$(id)'b".to_owned(), "")], ..Offer::default() };
        assert_eq!(answer(&["bash", "9", "80", "keiko add +", "+"], &offer), ":\n+a\\$\\(id\\)\\'b\n");
    }

    #[test]
    fn zsh_and_fish_get_both() {
        insta::assert_snapshot!(answer(&["zsh", "keiko", "done", ""], &tasks()), @r#"
        :
        3:pay: "rent" $(id) \\n
        12:交房租
        "#);
        insta::assert_snapshot!(answer(&["fish", "keiko", "done", ""], &tasks()).replace('\t', "<tab>"), @r#"
        :
        3<tab>pay: "rent" $(id) \n
        12<tab>交房租
        "#);
    }

    #[test]
    fn what_the_shell_knows_better_is_said_first() {
        let offer = Offer { rest: Rest::Files, is_open: true, ..Offer::default() };
        assert_eq!(answer(&["fish", "keiko", "backup", ""], &offer), ":f+\n");
    }

    #[test]
    fn who_is_no_shell_gets_no_answer() {
        for asked in [&[][..], &["ksh", "keiko", ""], &["bash", "9"]] {
            let words: Vec<OsString> = asked.iter().map(OsString::from).collect();
            assert!(Request::read(&words).is_none(), "{asked:?}");
        }
    }
}
