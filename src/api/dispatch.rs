//! Which function does a method? One match over all of them.

use std::sync::Arc;

use crate::api::handlers::awaiting::Awaiting;
use crate::api::{Api, handlers};
use crate::engine::archive::{Exporting, Importing};
use crate::protocol::envelope::{RawJson, RawText, no_method, read_params, write_answer};
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{Ask, Discover, Method};
use crate::protocol::openrpc;

/// What a connection remembers between its requests.
#[derive(Default)]
pub(super) struct Session {
    /// Set once the caller speaks another protocol: all that follows would be misunderstood, so all of it is refused.
    refusal: Option<RpcError>,
    stop: bool,
    /// What the caller wants to be told by itself. One is enough: it gives all events.
    pub(super) subscription: Option<Subscription>,
    subscriptions: u64,
    /// The export that its pages are asked of, and how many of them were.
    pub(super) export: Option<(Exporting, u64)>,
    /// The import whose lines are taken, and how many of them were.
    pub(super) import: Option<(Importing, u64)>,
    /// What serves the connection, where all that it changes is one operation.
    pub(super) within: Option<Arc<Api>>,
}

/// Who is told of each event behind a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Subscription {
    /// Names it, within the connection.
    pub(super) number: u64,
    /// The last event that was told.
    pub(super) cursor: u64,
}

impl Session {
    /// Begins to tell what is behind `cursor`, and returns the number of the subscription.
    pub(super) fn subscribe(&mut self, cursor: u64) -> u64 {
        self.subscriptions += 1;
        self.subscription = Some(Subscription { number: self.subscriptions, cursor });
        self.subscriptions
    }

    /// Returns whether something was begun that takes room while it goes on.
    pub(super) const fn is_amid_transfer(&self) -> bool {
        self.export.is_some() || self.import.is_some()
    }

    /// Returns whether the daemon is to stop once the answer is sent.
    pub(super) const fn has_asked_to_stop(&self) -> bool {
        self.stop
    }
}

/// What becomes of a request.
pub(super) enum Answered {
    /// Its result, as JSON text.
    Now(RawJson),
    /// It is answered when something has happened.
    Later(Awaiting),
}

/// Does a request.
pub(super) async fn dispatch(
    api: &Api,
    session: &mut Session,
    method: &str,
    params: Option<&RawText>,
) -> Result<Answered, RpcError> {
    if let Some(refusal) = &session.refusal {
        return Err(refusal.clone());
    }
    let within = session.within.clone();
    let api = within.as_deref().unwrap_or(api);
    let answer = match Method::from_word(method).ok_or_else(|| no_method(method))? {
        Method::DaemonHello => {
            let answer = handlers::daemon::hello(api, &read(params)?);
            session.refusal = answer.as_ref().err().cloned();
            answer.map(write_answer)
        }
        Method::DaemonStatus => handlers::daemon::status(api, read(params)?).await.map(write_answer),
        Method::DaemonStop => {
            let answer = handlers::daemon::stop(read(params)?);
            session.stop = true;
            Ok(write_answer(answer))
        }
        Method::DaemonReload => handlers::daemon::reload(api, read(params)?).await.map(write_answer),
        Method::TaskAdd => handlers::add::add(api, read(params)?).await.map(write_answer),
        Method::TaskGet => handlers::questions::get(api, read(params)?).await.map(write_answer),
        Method::TaskList => handlers::questions::list(api, read(params)?).await,
        Method::TaskRows => handlers::questions::rows(api, read(params)?).await,
        Method::TaskGlance => handlers::glance::glance(api, read(params)?).await.map(write_answer),
        Method::TaskUpdate => handlers::changes::update(api, read(params)?).await.map(write_answer),
        Method::TaskDone => handlers::changes::done(api, read(params)?).await.map(write_answer),
        Method::TaskAck => handlers::changes::ack(api, read(params)?).await.map(write_answer),
        Method::TaskSnooze => handlers::changes::snooze(api, read(params)?).await.map(write_answer),
        Method::TaskPause => handlers::pauses::pause(api, read(params)?).await.map(write_answer),
        Method::TaskResume => handlers::pauses::resume(api, read(params)?).await.map(write_answer),
        Method::TaskSkip => handlers::changes::skip(api, read(params)?).await.map(write_answer),
        Method::TaskCancel => handlers::changes::cancel(api, read(params)?).await.map(write_answer),
        Method::TaskDelete => handlers::ops::delete(api, read(params)?).await.map(write_answer),
        Method::TaskRetry => handlers::changes::retry(api, read(params)?).await.map(write_answer),
        Method::TaskRun => handlers::runs::run(api, read(params)?).await.map(write_answer),
        Method::TaskOutput => return handlers::runs::output(api, read(params)?).await,
        Method::TaskUnblock => handlers::waits::unblock(api, read(params)?).await.map(write_answer),
        Method::TaskWait => return handlers::awaiting::wait(api, read(params)?).await,
        Method::TaskChoices => handlers::choices::choices(api, read(params)?).await.map(write_answer),
        Method::TaskTags => handlers::choices::tags(api, read(params)?).await.map(write_answer),
        Method::TaskHistory => handlers::following::history(api, read(params)?).await,
        Method::OpBegin => Ok(write_answer(handlers::ops::begin(api, session, read(params)?))),
        Method::OpList => handlers::ops::list(api, read(params)?).await.map(write_answer),
        Method::OpGet => handlers::ops::get(api, read(params)?).await.map(write_answer),
        Method::OpUndo => handlers::ops::undo(api, read(params)?).await.map(write_answer),
        Method::AgendaGet => handlers::agenda::get(api, read(params)?).await,
        Method::AwaySet => handlers::away::set(api, read(params)?).await.map(write_answer),
        Method::AwayGet => handlers::away::get(api, read(params)?).await.map(write_answer),
        Method::TaskWhy => handlers::story::why(api, read(params)?).await.map(write_answer),
        Method::EventList => handlers::following::events(api, read(params)?).await,
        Method::EventSubscribe => handlers::following::subscribe(api, session, read(params)?).await.map(write_answer),
        Method::EventUnsubscribe => handlers::following::unsubscribe(api, session, read(params)?).map(write_answer),
        Method::DeliveryList => handlers::outgoing::deliveries(api, read(params)?).await.map(write_answer),
        Method::ChannelList => handlers::outgoing::list(api, read(params)?).await.map(write_answer),
        Method::ChannelPause => handlers::outgoing::pause(api, read(params)?).await.map(write_answer),
        Method::ChannelResume => handlers::outgoing::resume(api, read(params)?).await.map(write_answer),
        Method::ChannelTest => handlers::outgoing::test(api, read(params)?).await.map(write_answer),
        Method::HookList => Ok(write_answer(handlers::hooks::list(api, read(params)?))),
        Method::HookAdd => handlers::hooks::add(api, read(params)?).await.map(write_answer),
        Method::HookRemove => handlers::hooks::remove(api, read(params)?).await.map(write_answer),
        Method::StoreBackup => handlers::storage::backup(api, read(params)?).await.map(write_answer),
        Method::StoreExport => handlers::archive::export(api, session, read(params)?).await.map(write_answer),
        Method::StoreImport => handlers::archive::import(api, session, read(params)?).await.map(write_answer),
        Method::TimeParse => handlers::questions::parse(api, &read(params)?).map(write_answer),
        Method::RpcDiscover => read(params).map(|Discover {}| openrpc::document()),
        Method::ClockAdvance => handlers::daemon::advance(api, read(params)?).await.map(write_answer),
    };
    answer.map(Answered::Now)
}

fn read<P: Ask>(params: Option<&RawText>) -> Result<P, RpcError> {
    read_params(params)
}
