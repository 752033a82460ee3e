//! What can be said on the daemon's command line? All else is in the configuration.

use std::path::PathBuf;

use chrono::DateTime;
use clap::{Parser, ValueEnum};

use crate::domain::hook::Happening;
use crate::domain::time::Timestamp;

/// The Keiko daemon: keeps the schedule and the database, and reminds. `keiko` starts it by itself.
#[derive(Clone, PartialEq, Eq, Debug, Parser)]
#[command(name = "keikod", version, about, long_about = None, after_long_help = more())]
pub(super) struct Args {
    /// Stay in the terminal's session and log to standard error, for service managers and for looking.
    #[arg(long)]
    pub(super) foreground: bool,

    /// Begin with no tasks where the database was damaged and is set aside.
    #[arg(long)]
    pub(super) empty: bool,

    /// Put a copy that keiko backup made in the place of the database, and end; keiko restore asks for that.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) restore: Option<PathBuf>,

    /// Check such a copy, say what it holds, and end.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "restore")]
    pub(super) check_copy: Option<PathBuf>,

    /// Write log lines for people (text) or one JSON object a line, above the configuration; not to the journal then.
    #[arg(long, value_name = "FORMAT")]
    pub(super) log_format: Option<LogFormat>,

    /// Look at the database and the desktop, say in one line of JSON what is found, and end: for `keiko doctor`.
    #[arg(long, hide = true, conflicts_with_all = ["foreground", "empty", "clock"])]
    pub(super) examine: bool,
    /// Check a configuration (- is standard input), say what is wrong with it, and start nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["foreground", "empty", "clock"])]
    pub(super) check: Option<PathBuf>,

    /// Run on a programmable clock that shows TIME (RFC 3339) and stands still until clock.advance moves it.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub(super) clock: Option<Timestamp>,
}

/// Says what the daemon hears from a service manager, and what hooks can be told of.
fn more() -> String {
    format!(
        "A service manager may hand over the socket (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES=keikod), and is told when the daemon \
         is ready, reads its configuration anew, stops, and lives (NOTIFY_SOCKET, WATCHDOG_USEC). It ends with 0 when it was \
         stopped, 7 where the database is of a newer version, 8 where another daemon serves already, 9 where the database \
         cannot be used, else 1.\n\n{}",
        hooks()
    )
}

fn hooks() -> String {
    let events = Happening::ALL.iter().map(|each| format!("  {:<15} {}\n", each.as_str(), each.meaning()));
    format!(
        "Events of hooks, which [[hooks]] in the configuration and the method hook.add name; \"all\" stands for \
         everything:\n{}",
        events.collect::<String>()
    )
}

/// The form of a log line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

fn instant(text: &str) -> Result<Timestamp, String> {
    let time = DateTime::parse_from_rfc3339(text)
        .map_err(|error| format!("{error}, expected RFC 3339 such as 2026-05-13T16:00:00-04:00"))?;
    Timestamp::from_utc(time.to_utc()).ok_or_else(|| "expected a year from 1970 to 9999".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_clock_is_an_rfc_3339_time() {
        let parse = |time: &str| Args::try_parse_from(["keikod", "--clock", time]).map(|args| args.clock);
        let expected = Timestamp::from_millis(1_778_702_400_000);
        assert_eq!(parse("2026-05-13T16:00:00-04:00").expect("a time"), expected);
        assert!(parse("tomorrow").is_err());
        assert!(parse("1969-01-01T00:00:00Z").is_err());
    }
}
