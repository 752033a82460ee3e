//! How does a program ask the daemon something? The calling side of the socket, blocking and small: a command that asks
//! one question must not pay for a runtime.
//!
//! It knows the wire and nothing of the daemon's insides, and never repeats a call by itself: whether a write may be
//! sent twice only its caller knows.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{GenericFilePath, Stream, ToFsName as _};

use crate::protocol::envelope::{self, NotAMessage, RawJson, Received};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::framing::{ANSWER_BYTES_MAX, FrameError, Frames};
use crate::protocol::methods::{Ask, Hello, HelloResult, Method};
use crate::protocol::{PROGRAM_VERSION, PROTOCOL_VERSION};

pub mod start;

/// How long an answer may take: a commit on a slow disk behind a full queue takes seconds, a daemon that hangs for ever.
pub const ANSWER_WAIT: Duration = Duration::from_secs(30);

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// The methods that change nothing: whoever gets no answer has nothing to look after.
const QUESTIONS: [Method; 20] = [
    Method::DaemonHello,
    Method::DaemonStatus,
    Method::TaskGet,
    Method::TaskList,
    Method::TaskRows,
    Method::TaskGlance,
    Method::TaskOutput,
    Method::TaskChoices,
    Method::TaskTags,
    Method::TaskHistory,
    Method::TaskWhy,
    Method::OpList,
    Method::OpGet,
    Method::AgendaGet,
    Method::AwayGet,
    Method::EventList,
    Method::DeliveryList,
    Method::ChannelList,
    Method::HookList,
    Method::TimeParse,
];

/// A connection to the daemon.
#[derive(Debug)]
pub struct Client {
    stream: Stream,
    socket: PathBuf,
    frames: Frames,
    last_id: u64,
    /// What the daemon said of itself; the first call asks for it in the same round trip.
    hello: Option<HelloResult>,
    notifications: VecDeque<(String, RawJson)>,
    /// How long an answer may take.
    patience: Duration,
}

/// Why the daemon gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens.
    #[error("cannot reach the daemon at {}: it is not running", socket.display())]
    NoDaemon {
        /// Where it was looked for.
        socket: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The socket cannot be used.
    #[error("cannot reach the daemon at {}: {source}", socket.display())]
    Connect {
        /// Where it was looked for.
        socket: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The daemon refused the call.
    #[error("{}", error.message)]
    Refused {
        /// Why.
        error: RpcError,
    },
    /// The daemon speaks another protocol.
    #[error(
        "cannot talk to the daemon: it is version {version} with protocol {found}, and this is version {PROGRAM_VERSION} with \
         protocol {PROTOCOL_VERSION}"
    )]
    Version {
        /// The version of the daemon's program.
        version: String,
        /// The protocol that it speaks.
        found: u32,
    },
    /// The answer did not come in time; whether the call was done is not known.
    #[error("cannot {}: the daemon at {} did not answer within {} s", unknown(method), socket.display(), wait.as_secs())]
    TimedOut {
        /// The method.
        method: String,
        /// Where it listens.
        socket: PathBuf,
        /// How long was waited.
        wait: Duration,
    },
    /// The daemon ended before it greeted, and so before it took the call that followed: nothing was done.
    #[error("cannot reach the daemon at {}: it ended before it took the call", socket.display())]
    NotTaken {
        /// Where it listened.
        socket: PathBuf,
    },
    /// The connection ended before the answer; whether the call was done is not known.
    #[error("cannot {}: the daemon at {} closed the connection", unknown(method), socket.display())]
    Closed {
        /// The method.
        method: String,
        /// Where it listened.
        socket: PathBuf,
    },
    /// The connection failed.
    #[error("cannot talk to the daemon at {}: {source}", socket.display())]
    Broken {
        /// Where it listens.
        socket: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The answer is no message.
    #[error(transparent)]
    NotAMessage {
        /// Why.
        #[from]
        source: NotAMessage,
    },
    /// The answer is too long.
    #[error(transparent)]
    Frame {
        /// Why.
        #[from]
        source: FrameError,
    },
}

impl ClientError {
    /// Returns the version of a daemon that speaks another protocol, and that.
    #[must_use]
    pub fn version(&self) -> Option<(&str, u32)> {
        match self {
            Self::Version { version, found } => Some((version, *found)),
            Self::Refused { .. }
            | Self::NoDaemon { .. }
            | Self::Connect { .. }
            | Self::TimedOut { .. }
            | Self::NotTaken { .. }
            | Self::Closed { .. }
            | Self::Broken { .. }
            | Self::NotAMessage { .. }
            | Self::Frame { .. } => None,
        }
    }

    /// Returns the kind of error, where the daemon gave one; a protocol that does not fit counts as given.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Refused { error } => Some(error.kind()),
            Self::Version { .. } => Some(ErrorKind::Version),
            Self::NoDaemon { .. }
            | Self::Connect { .. }
            | Self::TimedOut { .. }
            | Self::NotTaken { .. }
            | Self::Closed { .. }
            | Self::Broken { .. }
            | Self::NotAMessage { .. }
            | Self::Frame { .. } => None,
        }
    }
}

/// Returns whether a method changes nothing.
#[must_use]
pub fn is_question(method: &str) -> bool {
    QUESTIONS.iter().any(|question| question.as_str() == method)
}

fn unknown(method: &str) -> String {
    if is_question(method) { format!("ask {method}") } else { format!("tell whether {method} was done") }
}

/// Reads from the refusal of a greeting what refuses; one of which nothing is told stays what it is.
fn of_version(error: ClientError) -> ClientError {
    match error {
        ClientError::Refused { error } if error.kind() == ErrorKind::Version => {
            let told = error.data.as_ref().and_then(|data| Some((data.version.clone()?, data.protocol?)));
            match told {
                Some((version, found)) => ClientError::Version { version, found },
                None => ClientError::Refused { error },
            }
        }
        error => error,
    }
}

impl Client {
    /// Connects. Nothing is sent yet: the greeting travels with the first call.
    ///
    /// # Errors
    /// Nobody listens there, or the socket cannot be used.
    pub fn connect(socket: &Path) -> Result<Self, ClientError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                ClientError::NoDaemon { socket: socket.to_owned(), source }
            }
            _ => ClientError::Connect { socket: socket.to_owned(), source },
        };
        let name = socket.to_fs_name::<GenericFilePath>().map_err(failed)?;
        let stream = Stream::connect(name).map_err(failed)?;
        stream.set_recv_timeout(Some(ANSWER_WAIT)).map_err(failed)?;
        stream.set_send_timeout(Some(ANSWER_WAIT)).map_err(failed)?;
        Ok(Self {
            stream,
            socket: socket.to_owned(),
            frames: Frames::new(ANSWER_BYTES_MAX),
            last_id: 0,
            hello: None,
            notifications: VecDeque::new(),
            patience: ANSWER_WAIT,
        })
    }

    /// Waits for each answer no longer than this, from now on.
    ///
    /// # Errors
    /// The socket cannot be used.
    pub fn wait_at_most(&mut self, limit: Duration) -> Result<(), ClientError> {
        self.patience = limit;
        self.stream.set_recv_timeout(Some(limit)).map_err(|source| self.broken(source))
    }

    /// Returns what the daemon said of itself with an earlier call.
    #[must_use]
    pub const fn known(&self) -> Option<&HelloResult> {
        self.hello.as_ref()
    }

    /// Waits for answers as long as they take, for calls that take their time by nature (`clock.advance`).
    ///
    /// # Errors
    /// The socket cannot be used.
    pub fn wait_for_ever(&mut self) -> Result<(), ClientError> {
        self.stream.set_recv_timeout(None).map_err(|source| self.broken(source))
    }

    /// Asks the daemon who it is, unless it said so already.
    ///
    /// # Errors
    /// It speaks another protocol, or gave no answer.
    pub fn hello(&mut self) -> Result<HelloResult, ClientError> {
        if let Some(hello) = &self.hello {
            return Ok(hello.clone());
        }
        let (line, id) = self.greeting();
        self.send(line.as_bytes(), Method::DaemonHello.as_str())?;
        self.take_greeting(id)
    }

    /// Calls a method.
    ///
    /// # Errors
    /// The daemon refused, speaks another protocol, or gave no answer.
    pub fn call<P: Ask>(&mut self, params: &P) -> Result<P::Answer, ClientError> {
        let id = self.next_id();
        let line = envelope::write_request(id, P::METHOD.as_str(), params);
        let result = self.exchange(id, P::METHOD.as_str(), &line)?;
        Ok(envelope::read_result::<P>(&result)?)
    }

    /// Asks without a greeting, so that a daemon of another protocol answers too: for what every version understands, to
    /// say who it is and to stop.
    ///
    /// # Errors
    /// As [`Self::call`], without the one about versions.
    pub fn call_any_version<P: Ask>(&mut self, params: &P) -> Result<P::Answer, ClientError> {
        let id = self.next_id();
        let method = P::METHOD.as_str();
        self.send(envelope::write_request(id, method, params).as_bytes(), method)?;
        Ok(envelope::read_result::<P>(&self.answer(id, method)?)?)
    }

    /// Sends a call whose answer is to be taken later, with [`Self::next_answer`], and returns its number.
    ///
    /// For calls that wait for something to happen. Few at a time: who sends without reading is not read either.
    ///
    /// # Errors
    /// It cannot be sent, or the daemon speaks another protocol.
    pub fn begin<P: Ask>(&mut self, params: &P) -> Result<u64, ClientError> {
        self.hello()?;
        let id = self.next_id();
        let method = P::METHOD.as_str();
        self.send(envelope::write_request(id, method, params).as_bytes(), method)?;
        Ok(id)
    }

    /// Returns the next answer to a call that was begun, with the number of the call; waits for it.
    ///
    /// # Errors
    /// The connection ended or failed, nothing came in time, or the daemon takes nothing from this connection.
    pub fn next_answer(&mut self) -> Result<(u64, Result<RawJson, RpcError>), ClientError> {
        loop {
            match self.receive("a call that waits")? {
                Received::Notification { method, params } => self.notifications.push_back((method, params)),
                Received::Answer { id: Some(id), outcome } => return Ok((id, outcome)),
                Received::Answer { id: None, outcome: Err(error) } => return Err(ClientError::Refused { error }),
                Received::Answer { id: None, outcome: Ok(_) } => {}
            }
        }
    }

    /// Calls a method by name and returns the result as it came.
    ///
    /// # Errors
    /// The daemon refused, speaks another protocol, or gave no answer.
    pub fn call_by_name(&mut self, method: &str, params: &RawJson) -> Result<RawJson, ClientError> {
        let id = self.next_id();
        let line = envelope::write_request(id, method, params);
        self.exchange(id, method, &line)
    }

    /// Returns the next notification of the daemon, its method and parameters; waits for it.
    ///
    /// # Errors
    /// The connection ended, failed, or nothing came in time.
    pub fn notification(&mut self) -> Result<(String, RawJson), ClientError> {
        loop {
            if let Some(notification) = self.notifications.pop_front() {
                return Ok(notification);
            }
            match self.receive("a notification")? {
                Received::Notification { method, params } => return Ok((method, params)),
                // Nobody waits for an answer now; one to a line that could not be read says why.
                Received::Answer { outcome: Err(error), .. } => return Err(ClientError::Refused { error }),
                Received::Answer { outcome: Ok(_), .. } => {}
            }
        }
    }

    fn exchange(&mut self, id: u64, method: &str, line: &str) -> Result<RawJson, ClientError> {
        if self.hello.is_some() {
            self.send(line.as_bytes(), method)?;
        } else {
            // One round trip for both. A daemon that does not speak our protocol refuses all that follows its refusal.
            let (greeting, greeting_id) = self.greeting();
            self.send((greeting + line).as_bytes(), method)
                .and_then(|()| self.take_greeting(greeting_id))
                // Requests are taken in order: without an answer to the greeting, the one behind it was not begun.
                .map_err(|error| match error {
                    ClientError::Closed { socket, .. } => ClientError::NotTaken { socket },
                    // The call went out with the greeting: of that one nothing is known.
                    ClientError::TimedOut { socket, wait, .. } => {
                        ClientError::TimedOut { method: method.to_owned(), socket, wait }
                    }
                    error => error,
                })?;
        }
        self.answer(id, method)
    }

    fn greeting(&mut self) -> (String, u64) {
        let id = self.next_id();
        let hello = Hello { client_version: Some(PROGRAM_VERSION.to_owned()), protocol: Some(PROTOCOL_VERSION) };
        (envelope::write_request(id, Method::DaemonHello.as_str(), &hello), id)
    }

    fn take_greeting(&mut self, id: u64) -> Result<HelloResult, ClientError> {
        let result = self.answer(id, Method::DaemonHello.as_str()).map_err(of_version)?;
        let hello = envelope::read_result::<Hello>(&result)?;
        if hello.protocol != PROTOCOL_VERSION {
            return Err(ClientError::Version { version: hello.version, found: hello.protocol });
        }
        self.hello = Some(hello.clone());
        Ok(hello)
    }

    fn answer(&mut self, wanted: u64, method: &str) -> Result<RawJson, ClientError> {
        loop {
            match self.receive(method)? {
                Received::Notification { method, params } => self.notifications.push_back((method, params)),
                // Without an id the daemon says that it takes nothing from this connection.
                Received::Answer { id, outcome } if id.is_none() || id == Some(wanted) => {
                    return outcome.map_err(|error| ClientError::Refused { error });
                }
                // An answer to an earlier call that was given up.
                Received::Answer { .. } => {}
            }
        }
    }

    fn receive(&mut self, method: &str) -> Result<Received, ClientError> {
        let mut bytes = vec![0; READ_BYTES];
        loop {
            if let Some(frame) = self.frames.next_frame()? {
                return Ok(envelope::read_received(&frame)?);
            }
            match (&self.stream).read(&mut bytes) {
                Ok(0) => return Err(self.closed(method)),
                Ok(count) => self.frames.push(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error, method)),
            }
        }
    }

    fn send(&mut self, bytes: &[u8], method: &str) -> Result<(), ClientError> {
        match (&self.stream).write_all(bytes) {
            Ok(()) => Ok(()),
            // The daemon may have said why before it closed: what it said is read first.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => match self.receive(method)? {
                Received::Answer { outcome: Err(error), .. } => Err(ClientError::Refused { error }),
                Received::Answer { outcome: Ok(_), .. } | Received::Notification { .. } => Err(self.closed(method)),
            },
            Err(error) => Err(self.failed(error, method)),
        }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn failed(&self, error: io::Error, method: &str) -> ClientError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                ClientError::TimedOut { method: method.to_owned(), socket: self.socket.clone(), wait: self.patience }
            }
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => self.closed(method),
            _ => self.broken(error),
        }
    }

    fn closed(&self, method: &str) -> ClientError {
        ClientError::Closed { method: method.to_owned(), socket: self.socket.clone() }
    }

    fn broken(&self, source: io::Error) -> ClientError {
        ClientError::Broken { socket: self.socket.clone(), source }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::protocol::methods::{Done, List};

    #[test]
    fn a_silent_daemon_is_told_by_what_was_asked_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let _silent = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let client = || {
            let mut client = Client::connect(&socket).unwrap();
            client.wait_at_most(Duration::from_millis(10)).unwrap();
            client
        };
        let question = client().call(&List::default()).unwrap_err().to_string();
        assert!(question.starts_with("cannot ask task.list: the daemon at "), "{question}");
        let change = client().call(&Done::default()).unwrap_err().to_string();
        assert!(change.starts_with("cannot tell whether task.done was done: the daemon at "), "{change}");
    }
}
