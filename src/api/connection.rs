//! What happens on one connection? Frames are read under limits, done one after another, and answered.
//!
//! One request at a time, so that answers come in order and a caller that asks much holds up only itself. It holds one
//! frame and one answer at most; a caller that does not read its answers is hung up on.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use crate::api::Api;
use crate::api::dispatch::{Session, dispatch};
use crate::api::listen::Stream;
use crate::protocol::envelope::{Id, Message, Request, Response, read_requests};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::framing::{FrameError, Frames};

/// How long a new connection may take to its first frame: whoever connects has something to ask.
const FIRST_FRAME_WAIT: Duration = Duration::from_secs(10);

/// How long a frame may take once it has begun; a megabyte over a local socket takes milliseconds.
const FRAME_WAIT: Duration = Duration::from_secs(30);

/// How long a caller may take to read an answer, so that one who stopped reading does not hold its memory for ever.
const WRITE_WAIT: Duration = Duration::from_secs(30);

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
}

/// Serves a connection until its caller hangs up, breaks a limit, or the daemon stops.
pub(super) async fn serve(stream: Stream, api: Arc<Api>, stop: CancellationToken) {
    let mut connection =
        Connection { stream, frames: Frames::default(), session: Session::default(), api, has_asked: false };
    match connection.run(&stop).await {
        Ok(()) => {}
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

struct Connection {
    stream: Stream,
    frames: Frames,
    session: Session,
    api: Arc<Api>,
    has_asked: bool,
}

impl Connection {
    async fn run(&mut self, stop: &CancellationToken) -> Result<(), Ended> {
        loop {
            // What has come already is done even when the daemon stops; only what has not is no longer waited for.
            match self.frames.next_frame() {
                Ok(Some(frame)) => {
                    self.has_asked = true;
                    self.answer(&frame).await?;
                    if self.session.has_asked_to_stop() {
                        return Ok(());
                    }
                }
                Err(error) => self.write(unasked(no_frame(error)).as_bytes()).await?,
                Ok(None) => {
                    let is_open = tokio::select! {
                        () = stop.cancelled() => return Ok(()),
                        read = self.read() => read?,
                    };
                    if !is_open {
                        return self.finish().await;
                    }
                }
            }
        }
    }

    /// Reads some bytes; answers whether there may be more.
    async fn read(&mut self) -> Result<bool, Ended> {
        let mut bytes = [0; READ_BYTES];
        let read = self.stream.read(&mut bytes);
        let limit = match (self.has_asked, self.frames.is_empty()) {
            (false, _) => Some(FIRST_FRAME_WAIT),
            (true, false) => Some(FRAME_WAIT),
            // A caller may keep its connection for as long as it likes.
            (true, true) => None,
        };
        let count = match limit {
            Some(limit) => tokio::time::timeout(limit, read).await.map_err(|_| Ended::Silent { limit })??,
            None => read.await?,
        };
        self.frames.push(&bytes[..count]);
        Ok(count > 0)
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
                if let Some(response) = self.respond(request).await {
                    self.write((response.to_text() + "\n").as_bytes()).await?;
                }
            }
            Message::Batch(requests) => {
                // Each answer is sent as it is made, since together they may be long.
                let mut before = "[";
                for request in requests {
                    if let Some(response) = self.respond(request).await {
                        self.write((before.to_owned() + &response.to_text()).as_bytes()).await?;
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

    /// Does a request; `None` where nobody waits for an answer.
    async fn respond(&mut self, request: Result<Request, Response>) -> Option<Response> {
        let Request { id, method, params } = match request {
            Ok(request) => request,
            Err(response) => return Some(response),
        };
        let outcome = dispatch(&self.api, &mut self.session, &method, params.as_deref()).await;
        Some(Response { id: id?, outcome })
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        let limit = WRITE_WAIT;
        Ok(tokio::time::timeout(limit, self.stream.write_all(bytes)).await.map_err(|_| Ended::Unread { limit })??)
    }
}

fn no_frame(error: FrameError) -> RpcError {
    match error {
        FrameError::TooLong { .. } => RpcError::new(ErrorKind::Limit, error.to_string()),
        FrameError::CutOff { .. } => RpcError::new(ErrorKind::Parse, error.to_string()),
    }
}
