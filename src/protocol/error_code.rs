//! Which number stands for which kind of error? One table, both ways, and the object that errors are on the wire.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::Task;

/// The kinds of error (SPEC 9).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The line is not JSON.
    Parse,
    /// The JSON is no request.
    Request,
    /// There is no such method.
    Method,
    /// The parameters do not fit the method.
    Params,
    /// The daemon is at fault.
    Internal,
    /// The daemon is about to stop.
    Stopping,
    /// A time was not understood, or has passed.
    Time,
    /// There is no such task.
    NotFound,
    /// Several tasks have the name.
    Ambiguous,
    /// Another change came first.
    Conflict,
    /// What is asked for was there once: a task that was purged, events of a store that is gone.
    Gone,
    /// The task's state does not allow it.
    Refused,
    /// The daemon does not speak this protocol.
    Version,
    /// A limit is reached.
    Limit,
    /// The store cannot write or read.
    Storage,
}

/// Every kind with its code and its word. -32768 to -32000 are JSON-RPC 2.0's (section 5.1), the others are HTTP's.
pub(crate) const TABLE: [(ErrorKind, i64, &str); 15] = [
    (ErrorKind::Parse, -32700, "parse"),
    (ErrorKind::Request, -32600, "request"),
    (ErrorKind::Method, -32601, "method"),
    (ErrorKind::Params, -32602, "params"),
    (ErrorKind::Internal, -32603, "internal"),
    (ErrorKind::Stopping, -32000, "stopping"),
    (ErrorKind::Time, 400, "time"),
    (ErrorKind::NotFound, 404, "not_found"),
    (ErrorKind::Ambiguous, 404, "ambiguous"),
    (ErrorKind::Conflict, 409, "conflict"),
    (ErrorKind::Gone, 410, "gone"),
    (ErrorKind::Refused, 422, "refused"),
    (ErrorKind::Version, 426, "version"),
    (ErrorKind::Limit, 429, "limit"),
    (ErrorKind::Storage, 507, "storage"),
];

impl ErrorKind {
    /// Returns the code on the wire.
    #[must_use]
    pub fn code(self) -> i64 {
        self.row().1
    }

    /// Returns the word of `data.kind`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().2
    }

    /// Returns the kind of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        TABLE.into_iter().find(|(_, _, each)| *each == word).map(|(kind, _, _)| kind)
    }

    /// Returns the first kind of a code, `None` for a code of another version.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        TABLE.into_iter().find(|(_, each, _)| *each == code).map(|(kind, _, _)| kind)
    }

    /// Returns what to do next where the error itself does not know better.
    const fn hint(self) -> &'static str {
        match self {
            Self::Parse => "send one JSON value a line, in UTF-8",
            Self::Request => "a request is {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"daemon.hello\"}",
            Self::Method => "rpc.discover tells the methods that there are",
            Self::Params => "keiko help tells what each command takes, rpc.discover what each method takes",
            Self::Internal => "the daemon's log tells more",
            Self::Stopping => "try again in a moment",
            Self::Time => "man keiko-time tells what can be said about time",
            Self::NotFound => "keiko list shows the open tasks, keiko list --all those that have ended too",
            Self::Ambiguous => "name one by its number",
            Self::Conflict => "look at it as it is now, then try again",
            Self::Gone => "begin anew from task.list",
            Self::Refused => "look at it as it is now",
            Self::Version => "run keiko daemon stop; the next command starts the daemon that is installed",
            Self::Limit => "ask for less, or try again in a moment",
            Self::Storage => "nothing was changed; keiko status tells what is wrong",
        }
    }

    fn row(self) -> (Self, i64, &'static str) {
        TABLE.into_iter().find(|(kind, _, _)| *kind == self).expect("every kind has a row, which a test checks")
    }
}

/// An error as it is on the wire (JSON-RPC 2.0, section 5.1).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RpcError {
    /// See [`ErrorKind::code`].
    pub code: i64,
    /// What was attempted with which value, and why it failed: lower case, no full stop.
    pub message: String,
    /// What programs and hints need besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<ErrorData>>,
}

/// What an error says besides its message.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorData {
    /// See [`ErrorKind::as_str`].
    pub kind: String,
    /// What to do next, for people.
    pub hint: Option<String>,
    /// Where in the text the words are that were not understood: bytes, from and behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<(usize, usize)>,
    /// The tasks that an ambiguous name may mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<Candidate>>,
    /// The state of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The verbs that its state allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// The task as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<Box<Task>>,
    /// The protocol that the daemon speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    /// The version of the daemon's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A task that an ambiguous name may mean.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
}

impl RpcError {
    /// Returns an error of `kind` that says `message`, with the hint that fits every error of the kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let hint = Some(kind.hint().to_owned());
        let data = ErrorData { kind: kind.as_str().to_owned(), hint, ..ErrorData::default() };
        Self { code: kind.code(), message: message.into(), data: Some(Box::new(data)) }
    }

    /// Returns the error with a hint at what to do next.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        self.with(|data| data.hint = Some(hint))
    }

    /// Returns the error with more in its data.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut ErrorData)) -> Self {
        change(self.data.get_or_insert_default());
        self
    }

    /// Returns the kind: by its word, else by the code, else [`ErrorKind::Internal`] for an error of another version.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.data
            .as_ref()
            .and_then(|data| ErrorKind::from_word(&data.kind))
            .or_else(|| ErrorKind::from_code(self.code))
            .unwrap_or(ErrorKind::Internal)
    }

    /// Returns the hint, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.hint.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_again_by_its_word() {
        for (kind, code, word) in TABLE {
            assert_eq!((kind.code(), kind.as_str()), (code, word));
            assert_eq!(ErrorKind::from_word(word), Some(kind));
        }
    }

    #[test]
    fn an_error_of_another_version_still_has_a_kind() {
        let read = |text: &str| serde_json::from_str::<RpcError>(text).expect("an error").kind();
        assert_eq!(read(r#"{"code":409,"message":"m"}"#), ErrorKind::Conflict);
        assert_eq!(read(r#"{"code":404,"message":"m","data":{"kind":"ambiguous","new":1}}"#), ErrorKind::Ambiguous);
        assert_eq!(read(r#"{"code":418,"message":"m","data":{"kind":"teapot"}}"#), ErrorKind::Internal);
    }
}
