//! What happens on one connection? Frames are read under limits, done one after another, and answered.
//!
//! One request at a time, so that answers come in order and a caller that asks much holds up only itself. Only what waits
//! for something to happen is answered when it has, between others. It holds one frame and one answer at most; a caller
//! that does not read its answers is hung up on.

use std::future::{Pending, pending};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::{Timeout, timeout};
use tokio_util::sync::CancellationToken;

use crate::api::dispatch::{Answered, Session, Subscription, dispatch};
use crate::api::handlers::awaiting::{Awaiting, Over};
use crate::api::listen::{CONNECTIONS_MAX, Stream, turn_away};
use crate::api::seats::{Place, Standing};
use crate::api::waiting::{WAITING_MAX, WAITS_MAX, Waits};
use crate::api::{Api, handlers};
use crate::protocol::envelope::{Id, Message, Request, Response, read_requests, write_notification};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::framing::{FrameError, Frames};
use crate::protocol::methods::EVENT_NOTIFICATION;

/// How long a new connection may take to its first frame: whoever connects has something to ask.
pub(super) const FIRST_FRAME_WAIT: Duration = Duration::from_secs(10);

/// How long a frame may take once it has begun; a megabyte over a local socket takes milliseconds.
pub(super) const FRAME_WAIT: Duration = Duration::from_secs(30);

/// How long the next page of an export, or the next lines of an import, may take.
const TRANSFER_WAIT: Duration = Duration::from_mins(1);

/// How long a caller may take to read an answer, so that one who stopped reading does not hold its memory for ever.
pub(super) const WRITE_WAIT: Duration = Duration::from_secs(30);

/// How long a subscriber may take to read one event before it is cut off, and then to read why.
pub(super) const PUSH_WAIT: Duration = Duration::from_secs(10);

/// How much is read at once.
const READ_BYTES: usize = 8 * 1024;

/// Why a connection ended before its caller hung up.
#[derive(Debug, thiserror::Error)]
enum Ended {
    /// The connection failed.
    #[error("cannot go on with the connection: {source}")]
    Broken {
        /// Why.
        #[from]
        source: io::Error,
    },
    /// A frame did not come in time.
    #[error("cannot wait for the message: it did not come within {} s", limit.as_secs())]
    Silent {
        /// How long was waited.
        limit: Duration,
    },
    /// An answer was not read in time.
    #[error("cannot send the answer: it was not read within {} s", limit.as_secs())]
    Unread {
        /// How long was waited.
        limit: Duration,
    },
    /// Another caller needs the place.
    #[error("cannot keep the connection: {CONNECTIONS_MAX} are open, and this one was idle longest")]
    Displaced,
    /// A subscriber did not read its events in time.
    #[error(
        "cannot go on with subscription {}: its events were not read within {} s", subscription.number, limit.as_secs()
    )]
    Slow {
        /// The subscription, as far as it was told.
        subscription: Subscription,
        /// What is left of the event that was being told: the words must begin a line of their own.
        rest: Vec<u8>,
        /// How long was waited.
        limit: Duration,
    },
    /// The events of a subscription cannot be read, or there will be none.
    #[error("cannot go on with the subscription: {}", why.message)]
    Unfed {
        /// Why.
        why: RpcError,
    },
}

/// Serves a connection until its caller hangs up, breaks a limit, or the daemon stops.
pub(super) async fn serve(stream: Stream, api: Arc<Api>, place: Place, stop: CancellationToken) {
    let mut connection = Connection {
        stream,
        frames: Frames::default(),
        session: Session::default(),
        waits: Waits::default(),
        api,
        place,
        has_asked: false,
    };
    let ended = connection.run(&stop).await;
    let told = ended.as_ref().map_or_else(ToString::to_string, |()| String::new());
    match ended {
        Ok(()) => {}
        Err(Ended::Displaced) => {
            turn_away(&connection.stream, RpcError::new(ErrorKind::Limit, told).with_hint("connect anew"));
        }
        Err(Ended::Slow { subscription, mut rest, limit }) => {
            tracing::warn!(cursor = subscription.cursor, "a subscriber is cut off, since it does not read");
            let hint = format!("connect anew and subscribe since {}", subscription.cursor);
            rest.extend_from_slice(unasked(RpcError::new(ErrorKind::Limit, told).with_hint(hint)).as_bytes());
            // It has had its time; who still does not read learns it from the end of the connection.
            let _ = timeout(limit, connection.stream.write_all(&rest)).await;
        }
        // The caller may be gone; then nobody misses it.
        Err(Ended::Unfed { why }) => {
            drop(connection.write(unasked(RpcError { message: told, ..why }).as_bytes()).await);
        }
        Err(error @ Ended::Silent { .. }) => {
            let refusal = RpcError::new(ErrorKind::Limit, error.to_string());
            // The caller may be gone; then nobody misses it.
            let _ = connection.write(unasked(refusal).as_bytes()).await;
        }
        Err(error @ (Ended::Broken { .. } | Ended::Unread { .. })) => tracing::debug!(%error, "hangs up"),
    }
    if connection.session.has_asked_to_stop() {
        connection.api.leave(connection.stream);
    }
}

/// Returns the line that says `error` to a caller who asked nothing that could be read.
pub(super) fn unasked(error: RpcError) -> String {
    Response::error(Id::null(), error).to_text() + "\n"
}

/// Ends when what is waited for has not come in time. Kept while the frame grows, so that a caller who sends a byte now
/// and then gains no time by it.
struct Overdue {
    limit: Duration,
    ends: Pin<Box<Timeout<Pending<()>>>>,
}

impl Overdue {
    fn after(limit: Duration) -> Self {
        Self { limit, ends: Box::pin(timeout(limit, pending())) }
    }

    /// Waits until it is too late, and returns how long that was; for ever where there is no limit.
    async fn of(limit: Option<&mut Self>) -> Duration {
        let Some(Self { limit, ends }) = limit else { return pending().await };
        // It ends by its time only, since what it bounds never does.
        let _ = ends.await;
        *limit
    }
}

/// How a request came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Setting {
    /// On its own.
    Alone,
    /// With others, and all answers go together.
    InBatch,
}

struct Connection {
    stream: Stream,
    frames: Frames,
    session: Session,
    waits: Waits,
    api: Arc<Api>,
    place: Place,
    has_asked: bool,
}

impl Connection {
    async fn run(&mut self, stop: &CancellationToken) -> Result<(), Ended> {
        let leave = self.place.leave();
        let mut last_seq = self.api.handle.last_seq();
        let mut overdue = Some(Overdue::after(FIRST_FRAME_WAIT));
        loop {
            // What has come already is done even when the daemon stops; only what has not is no longer waited for.
            match self.frames.next_frame() {
                Ok(Some(frame)) => {
                    self.has_asked = true;
                    overdue = None;
                    self.place.set(Standing::Busy);
                    self.answer(&frame).await?;
                    if self.session.has_asked_to_stop() {
                        return Ok(());
                    }
                    continue;
                }
                Err(error) => {
                    self.place.set(Standing::Busy);
                    self.write(unasked(no_frame(error)).as_bytes()).await?;
                    continue;
                }
                Ok(None) => {}
            }
            let subscription = self.session.subscription;
            self.place.set(if subscription.is_some() { Standing::Following } else { Standing::Idle });
            match (self.has_asked, self.frames.is_empty()) {
                // An export keeps what has changed since from being tidied up, an import takes room.
                (true, true) if self.session.is_amid_transfer() => {
                    overdue.get_or_insert_with(|| Overdue::after(TRANSFER_WAIT));
                }
                // A caller may keep its connection for as long as it likes.
                (true, true) => overdue = None,
                (true, false) => {
                    overdue.get_or_insert_with(|| Overdue::after(FRAME_WAIT));
                }
                (false, _) => {}
            }
            let is_behind = subscription.is_some_and(|known| known.cursor < *last_seq.borrow_and_update());
            tokio::select! {
                // What is asked goes before what is told, so that a long backlog keeps nobody from ending it.
                biased;
                () = stop.cancelled() => return self.stopped().await,
                () = leave.cancelled() => return Err(Ended::Displaced),
                limit = Overdue::of(overdue.as_mut()) => return Err(Ended::Silent { limit }),
                read = read(&mut self.stream, &mut self.frames) => if !read? {
                    return self.finish().await;
                },
                (id, over) = self.waits.next(), if !self.waits.is_empty() => self.tell_end(id, over).await?,
                () = std::future::ready(()), if is_behind => self.push().await?,
                () = changed(&mut last_seq), if subscription.is_some() => {}
            }
        }
    }

    /// Tells the next page of events to the subscriber. It is read from the store only now: who reads slowly holds one
    /// page, misses nothing, and holds up nobody.
    async fn push(&mut self) -> Result<(), Ended> {
        let Some(mut subscription) = self.session.subscription else { return Ok(()) };
        self.place.set(Standing::Busy);
        let events = handlers::following::next(&self.api, subscription).await.map_err(|why| Ended::Unfed { why })?;
        for (cursor, params) in events {
            let line = write_notification(EVENT_NOTIFICATION, &params);
            let limit = PUSH_WAIT;
            let mut rest = line.as_bytes();
            let Ok(written) = timeout(limit, write_on(&mut self.stream, &mut rest)).await else {
                // With what is left of it the event is told.
                subscription.cursor = cursor;
                return Err(Ended::Slow { subscription, rest: rest.to_owned(), limit });
            };
            written?;
            subscription.cursor = cursor;
            self.session.subscription = Some(subscription);
        }
        Ok(())
    }

    /// Answers a call that waited.
    async fn tell_end(&mut self, id: Id, over: Over) -> Result<(), Ended> {
        self.place.set(Standing::Busy);
        self.place.waits_for(self.waits.len());
        let outcome = handlers::awaiting::tell(&self.api, over).await;
        let line = Response { id, outcome }.to_text() + "\n";
        self.write(line.as_bytes()).await
    }

    /// Ends the connection since the daemon stops; who waits for something is told so.
    async fn stopped(&mut self) -> Result<(), Ended> {
        let why = RpcError::new(ErrorKind::Stopping, "the daemon is about to stop").with_hint("connect anew");
        for id in self.waits.give_up() {
            let message = format!("cannot go on waiting: {}", why.message);
            let line = Response::error(id, RpcError { message, ..why.clone() }).to_text() + "\n";
            self.write(line.as_bytes()).await?;
        }
        if self.session.subscription.is_some() { Err(Ended::Unfed { why }) } else { Ok(()) }
    }

    async fn finish(&mut self) -> Result<(), Ended> {
        match self.frames.finish() {
            Ok(()) => Ok(()),
            // The caller may have closed only its own direction.
            Err(error) => self.write(unasked(no_frame(error)).as_bytes()).await,
        }
    }

    async fn answer(&mut self, frame: &[u8]) -> Result<(), Ended> {
        match read_requests(frame) {
            Message::Single(request) => {
                if let Some(response) = self.respond(request, Setting::Alone).await {
                    // Only the line is kept while it is written: a caller that does not read holds an answer once.
                    let line = response.to_text() + "\n";
                    drop(response);
                    self.write(line.as_bytes()).await?;
                }
            }
            Message::Batch(requests) => {
                // Each answer is sent as it is made, since together they may be long.
                let mut before = "[";
                for request in requests {
                    if let Some(response) = self.respond(request, Setting::InBatch).await {
                        let text = before.to_owned() + &response.to_text();
                        drop(response);
                        self.write(text.as_bytes()).await?;
                        before = ",";
                    }
                }
                if before == "," {
                    self.write(b"]\n").await?;
                }
            }
        }
        Ok(())
    }

    /// Does a request; `None` where nobody waits for an answer, or it comes later.
    async fn respond(&mut self, request: Result<Request, Response>, setting: Setting) -> Option<Response> {
        let Request { id, method, params } = match request {
            Ok(request) => request,
            Err(response) => return Some(response),
        };
        let outcome = match dispatch(&self.api, &mut self.session, &method, params.as_deref()).await {
            Ok(Answered::Now(result)) => Ok(result),
            // Without an id nobody would be told.
            Ok(Answered::Later(awaiting)) => match self.wait(id.clone()?, awaiting, setting) {
                Ok(()) => return None,
                Err(refusal) => Err(refusal),
            },
            Err(refusal) => Err(refusal),
        };
        Some(Response { id: id?, outcome })
    }

    /// Lets a call wait for what it waits for; where it may not, the wait ends with what is dropped here.
    fn wait(&mut self, id: Id, awaiting: Awaiting, setting: Setting) -> Result<(), RpcError> {
        let many = |why: String| RpcError::new(ErrorKind::Limit, format!("cannot wait: {why}"));
        match setting {
            Setting::Alone => {}
            Setting::InBatch => {
                let why = "cannot wait within a batch: all its answers come together";
                return Err(RpcError::new(ErrorKind::Request, why).with_hint("send it as a request of its own"));
            }
        }
        if self.waits.len() >= WAITS_MAX {
            return Err(many(format!("this connection waits for {WAITS_MAX} already")));
        }
        if !self.place.waits_for(self.waits.len() + 1) {
            return Err(many(format!("{WAITING_MAX} connections wait already")));
        }
        self.waits.push(id, awaiting);
        Ok(())
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        let limit = WRITE_WAIT;
        Ok(timeout(limit, self.stream.write_all(bytes)).await.map_err(|_| Ended::Unread { limit })??)
    }
}

/// Reads some bytes; answers whether there may be more.
async fn read(stream: &mut Stream, frames: &mut Frames) -> io::Result<bool> {
    let mut bytes = [0; READ_BYTES];
    let count = stream.read(&mut bytes).await?;
    frames.push(&bytes[..count]);
    Ok(count > 0)
}

/// Waits for the next commit; for ever once there will be none.
async fn changed(last_seq: &mut watch::Receiver<u64>) {
    if last_seq.changed().await.is_err() {
        pending::<()>().await;
    }
}

/// Writes, and keeps in `rest` what is not written yet, also when it is given up.
async fn write_on(stream: &mut Stream, rest: &mut &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match stream.write(rest).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => *rest = &rest[count..],
        }
    }
    Ok(())
}

fn no_frame(error: FrameError) -> RpcError {
    match error {
        FrameError::TooLong { .. } => RpcError::new(ErrorKind::Limit, error.to_string()),
        FrameError::CutOff { .. } => RpcError::new(ErrorKind::Parse, error.to_string()),
    }
}
