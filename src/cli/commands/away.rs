//! `keiko away`: what comes by itself is held while the person is away, and told in one digest at the end.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::away::away;
use crate::protocol::methods::{AwayGet, AwaySet};

/// Holds back what comes by itself while you are away
///
/// Intervals, nags and what comes late are held, and one digest at the end tells of all of it; clock times and snoozes
/// that you chose still ring. Without words it shows what holds. The hours of each night are configured: [quiet] hours.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko away until monday 9am\n  keiko away for 2h\n  \
    keiko away tomorrow..friday --except +med\n  keiko away\n  keiko away off")]
pub(crate) struct Away {
    /// When: until TIME, for TIME, FROM..TO, or off
    #[arg(value_name = "WHEN")]
    words: Vec<String>,
    /// Tasks with this tag ring all the same, such as +med
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    except: Vec<String>,
    /// The zone in which the words are read
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
}

impl Away {
    /// Says so, or asks what holds.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let words = self.words.join(" ");
        let words = words.trim();
        if words.is_empty() {
            if !self.except.is_empty() {
                return Err(CliError::usage(
                    "cannot except a tag without a time",
                    "such as: keiko away until monday 9am --except +med",
                ));
            }
            let answer = context.ask(&AwayGet {})?;
            let view = context.viewpoint(answer.now);
            context.answer(&answer, &answer.warnings, |_| away(&answer, view));
            return Ok(Exit::Done);
        }
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        let mut question = AwaySet { except: self.except, zone: Some(zone), ..AwaySet::default() };
        let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
        match first.to_ascii_lowercase().as_str() {
            "off" if rest.is_empty() && !question.except.is_empty() => {
                return Err(CliError::usage(
                    "cannot use --except with off: nothing is held then",
                    "leave it out; keiko away until monday 9am --except +med sets it anew",
                ));
            }
            "off" if rest.is_empty() => question.off = true,
            "until" | "till" => question.until = Some(rest.to_owned()),
            "for" => question.r#for = Some(rest.to_owned()),
            _ => question.range = Some(words.to_owned()),
        }
        let answer = context.ask(&question)?;
        let view = context.viewpoint(answer.now);
        context.confirm(&answer, &answer.warnings, |_| away(&answer, view));
        Ok(Exit::Done)
    }
}
