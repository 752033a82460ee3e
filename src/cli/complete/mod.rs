//! What fits where a word is completed? Answered to the scripts that `keiko completions` gives, one a shell.
//!
//! It must never hold up a shell, so it says nothing rather than an error, starts no daemon, and gives up one that does not
//! answer in time. What people wrote is shown cleaned, and nothing of it is ever put on a command line.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use crate::cli::complete::place::{Place, place};
use crate::cli::complete::shells::Request;
use crate::cli::complete::values::Offer;
use crate::cli::help;
use crate::cli::ui::give;

mod line;
mod live;
mod place;
pub(crate) mod shells;
mod values;

/// What the scripts say first. No name of a command begins so, and no person types it.
pub(crate) const ASKED: &str = "__complete";

/// How long the daemon may take, unless the variable says otherwise: all of it is to be over in a tenth of a second.
const WAIT: Duration = Duration::from_millis(80);

/// The variable that gives a slow machine more time, in milliseconds.
const WAIT_VARIABLE: &str = "KEIKO_COMPLETION_WAIT";

/// The longest that a shell is held up, whatever the variable says.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// Answers a shell. `words` is what its script says behind [`ASKED`].
pub(crate) fn run(words: Vec<OsString>) -> ExitCode {
    let (answered, answer) = mpsc::channel();
    // A thread, since a daemon that hangs may hold up even who connects to it. It ends with the process.
    std::thread::spawn(move || answered.send(answer_to(&words)));
    if let Ok(Some(text)) = answer.recv_timeout(wait()) {
        give(&text);
    }
    ExitCode::SUCCESS
}

fn wait() -> Duration {
    let given = std::env::var(WAIT_VARIABLE).ok().and_then(|text| text.parse().ok()).map(Duration::from_millis);
    given.unwrap_or(WAIT).min(WAIT_MAX)
}

fn answer_to(words: &[OsString]) -> Option<String> {
    let request = Request::read(words)?;
    let offer = offer(&request.words);
    Some(request.answer(&offer))
}

/// Returns what fits in place of the last of the words, which begin with the program.
fn offer(words: &[String]) -> Offer {
    let keiko = help::program();
    let Some((current, before)) = words.split_last() else { return Offer::default() };
    match place(&keiko, before.get(1..).unwrap_or_default(), current) {
        Place::Command { of, or: None } => values::commands(of, current),
        Place::Command { of, or: Some(wanted) } => {
            let mut offer = values::values(&wanted);
            offer.candidates.extend(values::commands(of, current).candidates);
            offer
        }
        Place::Option { of } => values::options(&of, current),
        Place::Value(wanted) => values::values(&wanted),
        Place::Nothing => Offer::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is offered where the line ends, without a daemon.
    #[track_caller]
    fn offered(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let offer = offer(&words);
        let mut values: Vec<String> = offer.candidates.into_iter().map(|each| each.value).collect();
        if offer.is_open {
            values.push("(open)".to_owned());
        }
        if offer.rest != values::Rest::Nothing {
            values.push(format!("({:?})", offer.rest));
        }
        values.join(" ")
    }

    #[test]
    fn commands_and_their_parts_are_offered() {
        assert_eq!(offered("keiko sn"), "snooze");
        assert_eq!(offered("keiko se"), "seen");
        assert_eq!(offered("keiko ch"), "channel");
        assert_eq!(offered("keiko channel re"), "remove resume");
        assert_eq!(offered("keiko --json daemon st"), "status start stop");
        assert_eq!(offered("keiko __"), "");
        assert_eq!(offered("keiko nonsense "), "");
    }

    #[test]
    fn options_are_offered_where_a_minus_is_typed_and_only_once() {
        assert_eq!(offered("keiko add --deadline-"), "--deadline-alert");
        assert_eq!(offered("keiko done --js"), "--json");
        assert_eq!(offered("keiko done --json --js"), "");
        assert_eq!(offered("keiko list --tag home --ta"), "--tag");
        assert_eq!(offered("keiko add -- --js"), "(Commands)");
        assert!(offered("keiko add -").contains("--via"));
    }

    #[test]
    fn values_that_are_known_are_offered() {
        assert_eq!(offered("keiko add --priority "), "low normal high");
        assert_eq!(offered("keiko add --priority=n"), "--priority=normal");
        assert_eq!(offered("keiko --color "), "auto always never");
        assert_eq!(offered("keiko list --stage due,la"), "due,late");
        assert_eq!(offered("keiko list --stage=due,la"), "--stage=due,late");
        assert_eq!(offered("keiko add --overlap q"), "queue");
        assert_eq!(offered("keiko add --missed "), "once skip all");
        assert_eq!(offered("keiko add --on-parent-fail h"), "hold");
        assert_eq!(offered("keiko wait --for d"), "done");
        assert_eq!(offered("keiko rpc task.ch"), "task.choices");
        assert_eq!(offered("keiko channel add ntf"), "ntfy");
        assert_eq!(offered("keiko help channel te"), "test");
        assert_eq!(offered("keiko help exi"), "exit-codes");
        assert_eq!(offered("keiko completions b"), "bash");
    }

    /// Every argument that is a file or a directory, of every command: what the shell completes.
    #[test]
    fn every_argument_that_is_a_file_is_completed_as_one() {
        fn all(command: &clap::Command, name: &str, found: &mut Vec<String>) {
            for argument in command.get_arguments().filter(|each| !each.is_hide_set()) {
                let names = argument.get_value_names().unwrap_or_default();
                let is_file = |name: &str| ["FILE", "PATH", "DIR", "FOLDER"].iter().any(|part| name.contains(part));
                // What stands behind the name of a target.
                if names.iter().any(|name| is_file(name)) {
                    found.push(match argument.get_long() {
                        Some(long) => format!("{name} --{long} x"),
                        None => format!("{name} x"),
                    });
                }
            }
            for each in command.get_subcommands() {
                all(each, &format!("{name} {}", each.get_name()), found);
            }
        }
        let mut lines = Vec::new();
        all(&help::program(), "keiko", &mut lines);
        assert!(lines.len() > 5, "{lines:?}");
        for line in lines {
            let offered = offered(&line);
            assert!(offered.ends_with("(Files)") || offered.ends_with("(Directories)"), "{line}: {offered}");
        }
    }

    #[test]
    fn zones_are_offered_part_by_part_however_they_are_typed() {
        assert_eq!(offered("keiko add --tz Europe/Ber"), "Europe/Berlin");
        assert_eq!(offered("keiko add --tz eur"), "Europe/ (open)");
        assert_eq!(
            offered("keiko parse --tz=America/Argentina/Sa"),
            "--tz=America/Argentina/Salta --tz=America/Argentina/San_Juan --tz=America/Argentina/San_Luis"
        );
    }

    #[test]
    fn files_are_left_to_the_shell() {
        assert_eq!(offered("keiko backup /m"), "(Files)");
        assert_eq!(offered("keiko add tea --dir s"), "(Directories)");
        // Where a command may stand as well, both are offered.
        assert_eq!(offered("keiko import cal"), "(Files)");
        assert_eq!(offered("keiko import "), "crontab (Files)");
        assert_eq!(offered("keiko import calendar.ics --dry"), "--dry-run");
        assert_eq!(offered("keiko import --format ics cal"), "(Files)");
        assert_eq!(offered("keiko add tea -- t"), "(Commands)");
        // Where a task, a time or a text is expected, no file is.
        assert_eq!(offered("keiko add milk"), "");
        assert_eq!(offered("keiko add --note "), "");
        assert_eq!(offered("keiko snooze --until "), "");
    }
}
