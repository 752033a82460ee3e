//! What a command works with: the two streams, the person's zone, and the daemon, which is started when first needed.

use chrono_tz::Tz;

use crate::cli::error::{CliError, Exit};
use crate::cli::render::time::Viewpoint;
use crate::cli::start;
use crate::cli::ui::{Form, Ui};
use crate::client::Client;
use crate::config::Paths;
use crate::protocol::methods::Ask;
use crate::protocol::objects::{Json, Time};

/// What a command works with.
pub(crate) struct Context {
    /// The two streams.
    pub(crate) ui: Ui,
    /// The person's zone.
    pub(crate) zone: Tz,
    /// Where the daemon's files are.
    pub(crate) paths: Paths,
    client: Option<Client>,
    has_started: bool,
}

impl Context {
    /// Returns a context that has not spoken to the daemon yet.
    pub(crate) const fn new(ui: Ui, zone: Tz, paths: Paths) -> Self {
        Self { ui, zone, paths, client: None, has_started: false }
    }

    /// Returns from where `now` of an answer looks at instants.
    pub(crate) fn viewpoint(&self, now: Time) -> Viewpoint {
        Viewpoint { now: now.instant(), zone: self.zone }
    }

    /// Returns whether this process started the daemon.
    pub(crate) const fn has_started(&self) -> bool {
        self.has_started
    }

    /// Asks the daemon, and starts it where none answers.
    ///
    /// # Errors
    /// There is no daemon and none can be started, or it refuses.
    pub(crate) fn ask<A: Ask>(&mut self, question: &A) -> Result<A::Answer, CliError> {
        self.client()?.ask(question).map_err(CliError::from)
    }

    /// Asks the daemon by the name of a method, and starts it where none answers.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn call(&mut self, method: &str, params: Option<Json>) -> Result<Json, CliError> {
        self.client()?.call(method, params).map_err(CliError::from)
    }

    /// Asks a daemon that is there already.
    ///
    /// # Errors
    /// There is none, or it refuses.
    pub(crate) fn ask_running<A: Ask>(&mut self, question: &A) -> Result<A::Answer, CliError> {
        if self.client.is_none() {
            self.client = start::connect(&self.paths)?;
        }
        match &mut self.client {
            Some(client) => client.ask(question).map_err(CliError::from),
            None => Err(CliError::NoDaemon { socket: self.paths.socket.clone() }),
        }
    }

    /// Tells an error in the form that is wanted, and returns how keiko ends.
    pub(crate) fn fail(&mut self, error: &CliError) -> Exit {
        fail(&mut self.ui, error)
    }

    /// Gives an answer: as JSON to programs, else its warnings and what `lines` makes of it.
    pub(crate) fn answer<T: serde::Serialize>(
        &mut self,
        answer: &T,
        warnings: &[String],
        lines: impl FnOnce(Option<usize>) -> Vec<crate::cli::render::text::Text>,
    ) {
        match self.ui.form() {
            Form::Json => self.ui.json(answer),
            Form::Human => {
                let lines = lines(self.ui.width());
                self.ui.say(&lines);
                self.warn(warnings);
            }
            Form::Quiet | Form::Id => self.warn(warnings),
        }
    }

    fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.ui.warning(warning);
        }
    }

    fn client(&mut self) -> Result<&mut Client, CliError> {
        if self.client.is_none() {
            let client = match start::connect(&self.paths)? {
                Some(client) => client,
                None => {
                    let started = start::start(&self.paths)?;
                    if started.is_ours {
                        self.ui.progress("started keikod");
                        self.has_started = true;
                    }
                    started.client
                }
            };
            self.client = Some(client);
        }
        Ok(self.client.as_mut().expect("connected above"))
    }
}

/// Tells an error in the form that is wanted, and returns how keiko ends.
pub(crate) fn fail(ui: &mut Ui, error: &CliError) -> Exit {
    match ui.form() {
        Form::Json => ui.json(&error.to_json()),
        Form::Human | Form::Quiet | Form::Id => ui.error(&error.to_string(), error.hint().as_deref()),
    }
    error.exit()
}
