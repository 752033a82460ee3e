//! What a command works with: the two streams, the person's zone, and the daemon, which is started when first needed.

use std::time::Duration;

use chrono_tz::Tz;

use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::render::text::Text;
use crate::cli::render::time::Viewpoint;
use crate::cli::service::{self, Manager, system};
use crate::cli::start::{self, Process};
use crate::cli::ui::{Form, Ui};
use crate::cli::upgrade::{self, Age};
use crate::client::{Client, ClientError};
use crate::config::paths::Paths;
use crate::domain::time::Timestamp;
use crate::protocol::envelope::{self, RawJson};
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{
    AGENDA_DEFAULT, AGENDA_MAX, AgendaGet, AgendaResult, Ask, EVENT_NOTIFICATION, EventSubscribe, Hello, HelloResult,
    History, HistoryResult, List, ListResult, OpBegin, Rows, RowsResult, Stop,
};
use crate::protocol::objects::{Event, Time};
use crate::service::systemd;

#[cfg(unix)]
mod picking;

/// What a command works with.
pub(crate) struct Context<'a> {
    /// The two streams.
    pub(crate) ui: &'a mut Ui,
    /// The person's zone.
    pub(crate) zone: Tz,
    client: Option<Client>,
    has_started: bool,
    may_start: bool,
    /// Whether the person knows by now of which version the daemon is.
    is_version_told: bool,
    /// What a daemon is started with.
    arguments: &'static [&'static str],
    /// What was picked where a name means several tasks: the name, empty where none was given, and the number.
    #[cfg(unix)]
    picked: std::collections::BTreeMap<String, u64>,
}

impl<'a> Context<'a> {
    /// Returns a context that has not spoken to the daemon yet.
    pub(crate) const fn new(ui: &'a mut Ui, zone: Tz) -> Self {
        Self {
            ui,
            zone,
            client: None,
            has_started: false,
            may_start: true,
            is_version_told: false,
            arguments: &[],
            #[cfg(unix)]
            picked: std::collections::BTreeMap::new(),
        }
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
        let answer = self.call(|client| client.call(question)).map_err(CliError::into_typed);
        #[cfg(unix)]
        if let Err(error) = &answer
            && let Some(candidates) = error.candidates()
            && self.ui.can_take_over()
            && let Some(question) = picking::ask_again(self, question, candidates)?
        {
            return self.call(|client| client.call(&question)).map_err(CliError::into_typed);
        }
        answer
    }

    /// Asks the daemon what may take long, and waits for as long as it takes.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn ask_patiently<A: Ask>(&mut self, question: &A) -> Result<A::Answer, CliError> {
        self.call(|client| {
            client.wait_for_ever()?;
            client.call(question)
        })
    }

    /// Makes what is asked from now on one operation, where it is asked of several tasks: it is then taken back as one. A
    /// daemon that cannot do so does each on its own.
    pub(crate) fn begin_op(&mut self, tasks: usize) {
        if tasks > 1 {
            // Whatever is wrong with the daemon is told by what is asked of it next.
            let _ = self.ask(&OpBegin {});
        }
    }

    /// Lets a daemon that is started begin with no tasks, where its database was damaged and is set aside.
    pub(crate) const fn begin_empty(&mut self) {
        self.arguments = &["--empty"];
    }

    /// Asks for tasks, page after page.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn list(&mut self, mut question: List) -> Result<ListResult, CliError> {
        let limit = question.limit;
        let mut whole = self.ask(&question)?;
        while whole.next.is_some() {
            let left = limit.map(|limit| limit.saturating_sub(whole.tasks.len()));
            if left == Some(0) {
                break;
            }
            (question.limit, question.after) = (left, whole.next);
            let page = self.ask(&question)?;
            whole.tasks.extend(page.tasks);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Asks for rows of tasks, page after page.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn rows(&mut self, question: List) -> Result<RowsResult, CliError> {
        let mut question = Rows(question);
        let limit = question.0.limit;
        let mut whole = self.ask(&question)?;
        while whole.next.is_some() {
            let left = limit.map(|limit| limit.saturating_sub(whole.rows.len()));
            if left == Some(0) {
                break;
            }
            (question.0.limit, question.0.after) = (left, whole.next);
            let page = self.ask(&question)?;
            whole.rows.extend(page.rows);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Asks what will be said, page after page.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn agenda(&mut self, mut question: AgendaGet) -> Result<AgendaResult, CliError> {
        let limit = question.limit.unwrap_or(AGENDA_DEFAULT);
        question.limit = Some(limit.min(AGENDA_MAX));
        let mut whole = self.ask(&question)?;
        while whole.next.is_some() && whole.entries.len() < limit {
            question.after = whole.next;
            question.limit = Some((limit - whole.entries.len()).min(AGENDA_MAX));
            let page = self.ask(&question)?;
            whole.entries.extend(page.entries);
            (whole.next, whole.left_out) = (page.next, page.left_out);
        }
        Ok(whole)
    }

    /// Asks for the history of a task, page after page.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn history(&mut self, mut question: History) -> Result<HistoryResult, CliError> {
        let mut whole = self.ask(&question)?;
        while whole.next.is_some() {
            question.since = whole.next;
            let page = self.ask(&question)?;
            whole.events.extend(page.events);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Begins a call that is answered when something has happened, and returns its number.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn begin<A: Ask>(&mut self, question: &A) -> Result<u64, CliError> {
        Ok(self.client()?.begin(question)?)
    }

    /// Returns the next answer to a call that was begun; waits for as long as it takes.
    ///
    /// # Errors
    /// The daemon is gone, or takes nothing from this connection.
    pub(crate) fn next_answer(&mut self) -> Result<(u64, Result<RawJson, RpcError>), CliError> {
        let client = self.client()?;
        client.wait_for_ever()?;
        Ok(client.next_answer()?)
    }

    /// Starts no daemon any more: one that goes away is waited for, and whoever stopped it is not thwarted.
    pub(crate) const fn stay(&mut self) {
        self.may_start = false;
    }

    /// Returns the daemon's time.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn now(&mut self) -> Result<Timestamp, CliError> {
        Ok(self.ask(&Hello::default())?.now.instant())
    }

    /// Returns whether the daemon that was asked runs on a programmable clock.
    pub(crate) fn has_programmable_clock(&self) -> bool {
        self.client.as_ref().and_then(Client::known).is_some_and(|hello| hello.programmable_clock)
    }

    /// Gives up the connection, for a new one with what is asked next.
    pub(crate) fn hang_up(&mut self) {
        self.client = None;
    }

    /// Waits until a daemon that went away is there again, and says on standard error what is waited for.
    ///
    /// # Errors
    /// It does not come back in time.
    pub(crate) fn come_back(&mut self) -> Result<(), CliError> {
        self.client = None;
        self.ui.progress(say::GONE);
        self.client = Some(start::connect_again(&Paths::of_process()?)?);
        self.ui.progress(say::BACK);
        Ok(())
    }

    /// Tells `tell` each event behind a cursor, and each that happens from then on, until it wants no more. Without a cursor
    /// only what happens from now on. Where the daemon goes away it goes on with the next one, behind the last event.
    ///
    /// # Errors
    /// As [`Context::ask`]; the daemon does not come back, or ends the subscription for good.
    pub(crate) fn follow(
        &mut self,
        mut since: Option<u64>,
        mut tell: impl FnMut(&mut Ui, &Event, Viewpoint) -> bool,
    ) -> Result<(), CliError> {
        loop {
            let before = since;
            match self.follow_on(&mut since, &mut tell) {
                Err(error) if error.is_loss() => {
                    self.stay();
                    self.come_back()?;
                }
                // Whoever reads slowly is hung up on, and goes on where it was; who gets nowhere is not to try for ever.
                Err(error) if error.is_limit() && before.is_some() && since != before => self.client = None,
                ended => return ended,
            }
        }
    }

    fn follow_on(
        &mut self,
        since: &mut Option<u64>,
        tell: &mut impl FnMut(&mut Ui, &Event, Viewpoint) -> bool,
    ) -> Result<(), CliError> {
        *since = Some(self.ask(&EventSubscribe { since: *since })?.cursor);
        self.client()?.wait_for_ever()?;
        loop {
            let (method, params) = self.client()?.notification()?;
            if method != EVENT_NOTIFICATION {
                continue;
            }
            let pushed = envelope::read_pushed(&params).map_err(ClientError::from)?;
            *since = Some(pushed.cursor);
            let view = self.viewpoint(pushed.event.at);
            if !tell(self.ui, &pushed.event, view) {
                return Ok(());
            }
        }
    }

    /// Asks the daemon by the name of a method, and starts it where none answers; waits for as long as it takes.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn ask_by_name(&mut self, method: &str, params: &RawJson) -> Result<RawJson, CliError> {
        self.call(|client| {
            client.wait_for_ever()?;
            client.call_by_name(method, params)
        })
    }

    /// Connects to a daemon that is there already, so that none is started for what follows.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn connect(&mut self) -> Result<(), CliError> {
        self.may_start = false;
        if self.client.is_none() {
            self.client = Some(start::connect(&Paths::of_process()?)?);
        }
        Ok(())
    }

    /// Asks the daemon to stop, waits until it is gone, and returns the number of its process.
    ///
    /// A daemon of another version stops too: that is how a mismatch is mended.
    ///
    /// # Errors
    /// There is none, or it refuses.
    pub(crate) fn stop(&mut self) -> Result<u32, CliError> {
        let may_start = self.may_start;
        self.connect()?;
        self.may_start = may_start;
        let client = self.client()?;
        let pid = client.call_any_version(&Hello::default())?.pid;
        let process = Process::open(pid);
        client.call_any_version(&Stop {})?;
        start::wait_for_end(client, &process);
        Ok(pid)
    }

    /// Leaves the daemon that was stopped: what is asked next is asked of another, which is started where none is there.
    pub(crate) fn leave(&mut self) {
        self.client = None;
        self.may_start = true;
    }

    /// Tells an error in the form that is wanted, and returns how keiko ends.
    pub(crate) fn fail(&mut self, error: &CliError) -> Exit {
        fail(self.ui, error)
    }

    /// Gives the answer to a question: as JSON to programs, else its warnings and what `lines` makes of it.
    pub(crate) fn answer<T: serde::Serialize>(
        &mut self,
        answer: &T,
        warnings: &[String],
        lines: impl FnOnce(Option<usize>) -> Vec<Text>,
    ) {
        match self.ui.form() {
            Form::Json => self.ui.json(answer),
            Form::Human | Form::Quiet => {
                let lines = lines(self.ui.width());
                self.ui.print(&lines);
                self.warn(warnings);
            }
            Form::Id => self.warn(warnings),
        }
    }

    /// As [`Context::answer`]; what is longer than the screen is read in a pager.
    pub(crate) fn answer_at_length<T: serde::Serialize>(
        &mut self,
        answer: &T,
        warnings: &[String],
        lines: impl FnOnce(Option<usize>) -> Vec<Text>,
    ) {
        if self.ui.form() != Form::Human {
            return self.answer(answer, warnings, lines);
        }
        let lines = lines(self.ui.width());
        if self.ui.is_beyond_screen(&lines) {
            self.ui.expect_long();
        }
        self.ui.print(&lines);
        self.warn(warnings);
    }

    /// Says what was done, as [`Context::answer`] does, and nothing to people who want no confirmations.
    pub(crate) fn confirm<T: serde::Serialize>(
        &mut self,
        answer: &T,
        warnings: &[String],
        lines: impl FnOnce(Option<usize>) -> Vec<Text>,
    ) {
        match self.ui.form() {
            Form::Quiet => self.warn(warnings),
            Form::Human | Form::Json | Form::Id => self.answer(answer, warnings, lines),
        }
    }

    fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.ui.warning(warning);
        }
    }

    fn call<T>(&mut self, ask: impl Fn(&mut Client) -> Result<T, ClientError>) -> Result<T, CliError> {
        let answer = match ask(self.client()?) {
            // It was about to stop and did nothing: the next one is asked.
            Err(ClientError::NotTaken { .. }) if self.may_start => {
                self.client = None;
                ask(self.client()?)
            }
            Err(error) if self.may_start && self.may_replace(&error)? => {
                self.restart()?;
                ask(self.client()?)
            }
            answer => answer,
        };
        self.remark_on_version();
        Ok(answer?)
    }

    /// Returns whether the person lets a daemon of an earlier version be replaced; asks only where somebody is there.
    fn may_replace(&mut self, error: &ClientError) -> Result<bool, CliError> {
        let Some((version, protocol)) = error.version() else { return Ok(false) };
        let is_asked = self.ui.form() == Form::Human && self.ui.can_ask();
        if !is_asked || upgrade::age(version, protocol) != Age::Older {
            return Ok(false);
        }
        let answer = self.ui.ask(&upgrade::question(version)).map_err(|source| CliError::Input { source })?;
        Ok(upgrade::is_yes(answer.as_deref()))
    }

    /// Says once that the daemon is of another version, where it can be talked to all the same.
    fn remark_on_version(&mut self) {
        if let Some(hello) = self.client.as_ref().and_then(Client::known).filter(|_| !self.is_version_told) {
            self.is_version_told = true;
            if let Some(remark) = upgrade::remark(&hello.version, hello.protocol) {
                self.ui.hint(&remark);
            }
        }
    }

    /// Asks a daemon that is there, and waits no longer than `limit` for the answer. Starts none.
    ///
    /// # Errors
    /// There is none, it refuses, or does not answer in time.
    pub(crate) fn ask_within<A: Ask>(&mut self, question: &A, limit: Duration) -> Result<A::Answer, CliError> {
        let may_start = std::mem::replace(&mut self.may_start, false);
        let asked = self.connect().and_then(|()| {
            let client = self.client()?;
            client.wait_at_most(limit)?;
            Ok(client.call(question)?)
        });
        self.may_start = may_start;
        asked
    }

    /// Returns the process of the daemon that runs, of whatever version; `None` where none does. Starts none.
    ///
    /// # Errors
    /// It does not answer.
    pub(crate) fn running(&mut self) -> Result<Option<HelloResult>, CliError> {
        let may_start = std::mem::replace(&mut self.may_start, false);
        let asked = self.connect().and_then(|()| Ok(self.client()?.call_any_version(&Hello::default())?));
        self.may_start = may_start;
        match asked {
            Ok(hello) => Ok(Some(hello)),
            Err(error) if error.is_loss() => {
                self.client = None;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Stops the daemon, where one runs, and starts the one of this version: as the service that it is, where it is one.
    ///
    /// # Errors
    /// The daemon is of a later version, does not stop, or does not come up.
    pub(crate) fn restart(&mut self) -> Result<(), CliError> {
        let paths = Paths::of_process()?;
        let running = self.running()?;
        if let Some(hello) = running.as_ref().filter(|hello| upgrade::age(&hello.version, hello.protocol) == Age::Newer)
        {
            let (version, found) = (hello.version.clone(), hello.protocol);
            return Err(ClientError::Version { version, found }.into());
        }
        let service = service::installed(&paths);
        let unit = service.as_ref().filter(|service| service.manager == Manager::Systemd);
        let unit =
            unit.map(|service| systemd::service_unit(&service.name)).filter(|_| system::systemd_answers().is_ok());
        let is_of_unit = |pid| unit.as_ref().is_some_and(|unit| system::systemd_pid(unit) == Some(pid));
        // The service manager stops its own.
        if running.is_some_and(|hello| !is_of_unit(hello.pid)) {
            self.stop()?;
        }
        self.client = None;
        if let Some(unit) = &unit {
            // What failed too often before may be tried again.
            let _ = system::systemd_do(&["reset-failed", "--", unit]);
            if let Err(error) = system::systemd_do(&["restart", "--", unit]) {
                // Whoever starts it below says why, or it rings all the same.
                self.ui.warning(&error.to_string());
            }
        }
        self.may_start = true;
        self.client()?;
        Ok(())
    }

    fn client(&mut self) -> Result<&mut Client, CliError> {
        if self.client.is_none() {
            let paths = Paths::of_process()?;
            let reached = if self.may_start {
                start::connect_or_start(&paths, self.arguments)?
            } else {
                start::Reached { client: start::connect(&paths)?, is_new: false }
            };
            if reached.is_new {
                self.ui.progress(say::STARTED);
                self.has_started = true;
            }
            self.client = Some(reached.client);
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
