//! `keiko parse`: what a sentence means, without a daemon.

use chrono::DateTime;
use chrono_tz::Tz;
use clap::{Args, ValueEnum};

use crate::cli::commands::input;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::reading::reading as told;
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::Form;
use crate::clock::Clock as _;
use crate::clock::system::SystemClock;
use crate::config::paths::Paths;
use crate::config::{self, Config};
use crate::domain::schedule::Schedule;
use crate::domain::time::Timestamp;
use crate::protocol::objects::Reading;
use crate::protocol::to_wire::{self, Understood};
use crate::when::{self, Settings, TimeError};

/// Shows what a sentence means, without storing anything
///
/// Needs no daemon. `-` reads a phrase a line and answers a line of JSON each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko parse remind me every other friday at 9 to water the plants\n  \
    keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York next friday")]
pub(crate) struct Parse {
    /// The sentence; - reads a phrase a line, as a pipe without one does
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    text: Vec<String>,
    /// What "now" is, as RFC 3339
    #[arg(long, value_name = "RFC3339", value_parser = instant)]
    now: Option<Timestamp>,
    /// The zone in which times are meant
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    tz: Option<Tz>,
    /// Whether 6/5 is in June (us) or in May (uk)
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<DialectFlag>,
}

/// The order of numeric dates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum DialectFlag {
    /// Month first
    Us,
    /// Day first
    Uk,
}

impl Parse {
    /// Reads the sentence, or each line, and shows what it means.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let settings = self.settings(context)?;
        let reader = when::Context {
            // The one command that looks at a clock: there is no answer of a daemon to carry the time.
            now: self.now.unwrap_or_else(|| SystemClock::new().now()),
            zone: self.tz.unwrap_or(context.zone),
            settings,
        };
        if self.text.is_empty() && context.ui.can_ask() {
            return Err(CliError::usage("cannot parse: nothing is said", "such as keiko parse tomorrow 3pm"));
        }
        if self.text.is_empty() || self.text == ["-"] {
            return Ok(run_lines(context, &reader));
        }
        let text = self.text.join(" ");
        let (reading, words, error) = read(&text, &reader);
        match (context.ui.form(), error) {
            (Form::Json, None) => context.ui.json(&reading),
            (Form::Json, Some(error)) => {
                context.ui.json(&reading);
                return Ok(CliError::Time(error).exit());
            }
            (Form::Human | Form::Quiet | Form::Id, Some(error)) => return Err(CliError::Time(error)),
            (Form::Human | Form::Quiet | Form::Id, None) => {
                let view = Viewpoint { now: reader.now, zone: reader.zone };
                context.ui.print(&told(&reading, words.as_deref(), view));
            }
        }
        Ok(Exit::Done)
    }

    fn settings(&self, context: &mut Context<'_>) -> Result<Settings, CliError> {
        // A sentence means something on a machine without a home, too.
        let config = match Paths::of_process() {
            Ok(paths) => {
                let (config, warnings) = Config::load(paths.config_file(), paths.config_origin())?;
                for warning in warnings {
                    context.ui.warning(&warning.to_string());
                }
                config
            }
            Err(_) => Config::default(),
        };
        let dialect = match (self.dialect, config.dialect) {
            (Some(DialectFlag::Us), _) | (None, config::Dialect::Us) => when::Dialect::Us,
            (Some(DialectFlag::Uk), _) | (None, config::Dialect::Uk) => when::Dialect::Uk,
        };
        let parts = config.day_parts;
        Ok(Settings {
            dialect,
            date_only: config.date_only,
            morning: parts.morning,
            afternoon: parts.afternoon,
            evening: parts.evening,
            tonight: parts.tonight,
            night: parts.night,
            end_of_day: parts.end_of_day,
        })
    }
}

/// Answers a line each, in the order of the lines.
fn run_lines(context: &mut Context<'_>, reader: &when::Context) -> Exit {
    let mut exit = Exit::Done;
    for line in input::lines() {
        if context.ui.is_closed() {
            break;
        }
        let answer = match line {
            Ok(text) => {
                let (reading, _, error) = read(&text, reader);
                exit = exit.or(error.map_or(Exit::Done, |error| CliError::Time(error).exit()));
                reading
            }
            Err(error) => {
                exit = exit.or(error.exit());
                to_wire::unread("", "", &error.to_string(), None, reader.zone)
            }
        };
        context.ui.json(&answer);
    }
    exit
}

/// Returns what a sentence means, which of its words say when, and why it means nothing.
fn read(text: &str, reader: &when::Context) -> (Reading, Option<String>, Option<TimeError>) {
    let failed = |error: TimeError| {
        let span = (error.span().start, error.span().end);
        let title = when::title_beside(text, error.span());
        (to_wire::unread(text, &title, &error.to_string(), Some(span), reader.zone), None, Some(error))
    };
    let sentence = match when::parse_sentence(text, reader) {
        Ok(sentence) => sentence,
        Err(error) => return failed(error),
    };
    let notes: Vec<String> = sentence.notes.iter().map(ToString::to_string).collect();
    let none = Schedule::none();
    let time = sentence.time.as_ref();
    let understood = Understood {
        schedule: time.map_or(&none, |time| &time.schedule),
        due: time.map(|time| time.due),
        alerts: time.map_or(&[], |time| &time.alerts),
        grain: time.map(|time| time.grain.name()),
        span: time.and_then(|time| Some((time.spans.first()?.start, time.spans.last()?.end))),
        title: &sentence.title,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    };
    let mut reading = to_wire::reading(text, &understood, reader.now, reader.zone);
    let words = time.map(|time| time.schedule.text.clone());
    // A sentence without any time is a title; one that says "later" means a time and does not say which.
    match sentence.into_time() {
        Err(error @ TimeError::Vague { .. }) => {
            reading.error = Some(error.to_string());
            (reading, words, Some(error))
        }
        Ok(_) | Err(_) => (reading, words, None),
    }
}

fn instant(text: &str) -> Result<Timestamp, String> {
    let parsed = DateTime::parse_from_rfc3339(text)
        .map_err(|error| format!("{error}, expected RFC 3339 such as 2026-05-13T16:00:00-04:00"))?;
    Timestamp::from_utc(parsed.to_utc()).ok_or_else(|| "expected a year from 1970 to 9999".to_owned())
}

fn zone(name: &str) -> Result<Tz, String> {
    name.parse().map_err(|_| "expected an IANA name such as Europe/Berlin".to_owned())
}
