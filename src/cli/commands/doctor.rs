//! `keiko doctor`: is all as it must be, and if not, what mends it?
//!
//! Works without a daemon, with a wrong configuration and with a damaged database; starts nothing unless a test message is asked
//! for, and changes nothing.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::commands::doctor::finding::{Finding, Level};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::doctor::findings;
use crate::cli::service::system;
use crate::cli::start;
use crate::client::ClientError;
use crate::config::paths::Paths;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::examination::{EXAMINE, Examination};
use crate::protocol::methods::{ChannelList, ChannelListResult, ChannelTest, Get, Status, StatusResult};
use crate::protocol::objects::Task;

mod daemon;
pub(crate) mod finding;
mod machine;
mod places;
mod reach;

/// How long the daemon may take to answer: a commit on a slow disk takes seconds, one that hangs for ever.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// How long it may take to look through the database: a gigabyte takes some seconds, a slow disk ten times as long.
const EXAMINED_WITHIN: Duration = Duration::from_mins(2);

/// The target that a test message goes to.
const DESKTOP: &str = "desktop";

/// Finds what is wrong, and names the command that mends it
///
/// Looks at the programs, the service, the daemon, the configuration, the database, the disk, who may read the files, the
/// notification server, the targets, the clock and the zone. Changes nothing, and needs no daemon. Exit code 1 where something is
/// wrong, 0 where there are only things to know.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko doctor\n  keiko doctor --notify\n  keiko doctor --json")]
pub(crate) struct Doctor {
    /// Also show a test message on the desktop
    #[arg(long)]
    notify: bool,
}

/// What is known of the daemon that runs.
pub(crate) enum Known {
    /// It answered.
    Answers {
        /// How it is.
        status: Box<StatusResult>,
        /// How its targets are.
        channels: Box<ChannelListResult>,
        /// The task of which something could not be sent last, where there is one.
        unsent: Option<Box<Task>>,
    },
    /// There is none.
    Absent,
    /// There is one, and it cannot be asked.
    Unasked {
        /// Why.
        error: CliError,
    },
}

impl Doctor {
    /// Looks, and tells.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let paths = Paths::of_process()?;
        let mut found = Vec::new();
        let examination = examine(&mut found);
        let known = ask(context);
        daemon::versions(&known, examination.as_ref(), &mut found);
        daemon::service(&paths, &mut found);
        daemon::process(&paths, &known, &mut found);
        places::configuration(&paths, &mut found);
        if places::data(&paths, &mut found) {
            places::database(&known, examination.as_ref(), &mut found);
            places::disk(&paths, &mut found);
            places::rights(&paths, &mut found);
        }
        reach::desktop(&known, examination.as_ref(), &mut found);
        reach::targets(&known, &mut found);
        reach::failures(&known, &mut found);
        machine::clock(&mut found);
        machine::zone(context.zone, &known, &mut found);
        if self.notify {
            found.push(test(context));
        }
        let is_well = found.iter().all(|finding| finding.level != Level::Wrong);
        let told: Vec<_> = found.iter().map(Finding::to_json).collect();
        let answer = json!({ "schema_version": SCHEMA_VERSION, "well": is_well, "findings": told });
        context.answer(&answer, &[], |width| findings(&found, width));
        Ok(if is_well { Exit::Done } else { Exit::Failure })
    }
}

/// Has the daemon's program look at what only it can look at.
fn examine(found: &mut Vec<Finding>) -> Option<Examination> {
    let program = start::program();
    let mut command = std::process::Command::new(&program);
    command.arg(EXAMINE);
    let wrong = |why: &str, mend: &str| {
        let text = format!("{} cannot look at the database and the desktop: {why}", program.display());
        Finding::wrong("versions", &text, Some(mend.to_owned()))
    };
    match system::run(command, EXAMINED_WITHIN) {
        Ok(ran) => {
            let examination = ran.out.lines().next().and_then(Examination::of_line);
            if examination.is_none() {
                let said = ran.out.lines().chain(ran.err.lines()).next().unwrap_or("it ended without a word");
                found.push(wrong(said, "install keiko and keikod of one version side by side"));
            }
            examination
        }
        Err(why) => {
            found.push(wrong(&why, "install keikod beside keiko"));
            None
        }
    }
}

/// Asks the daemon that runs, and starts none.
fn ask(context: &mut Context<'_>) -> Known {
    let status = match context.ask_within(&Status {}, ANSWERED_WITHIN) {
        Ok(status) => status,
        Err(CliError::Client(ClientError::NoDaemon { .. })) => return Known::Absent,
        Err(error) => return Known::Unasked { error },
    };
    match context.ask_within(&ChannelList {}, ANSWERED_WITHIN) {
        Ok(channels) => {
            let last = status.failed.first().map(|delivery| Get { task: delivery.task.into() });
            // Without it all is told but what to do about that one.
            let unsent = last.and_then(|question| context.ask_within(&question, ANSWERED_WITHIN).ok());
            let unsent = unsent.map(|found| Box::new(found.task));
            Known::Answers { status: Box::new(status), channels: Box::new(channels), unsent }
        }
        Err(error) => Known::Unasked { error },
    }
}

/// Shows a message, by the daemon itself, which is started where none runs.
fn test(context: &mut Context<'_>) -> Finding {
    let mend = Some("keiko channel list".to_owned());
    match context.ask(&ChannelTest { target: DESKTOP.to_owned() }) {
        Ok(answer) => match answer.error {
            None => Finding::fine("test message", "the notification server took it: look at your screen"),
            Some(error) => Finding::wrong("test message", &error, mend),
        },
        Err(error) => Finding::wrong("test message", &error.to_string(), error.hint().or(mend)),
    }
}
