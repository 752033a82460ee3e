//! What is around every call? JSON-RPC 2.0 requests, notifications, batches and responses, read and written.
//!
//! Written by hand, since the libraries that were tried answer wrong codes or know no batches; its tests are the
//! examples of the specification. Parameters and results stay raw text until the method is known, so that a long list
//! is written once and never held as a tree.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Ask, EventPushed, Method};

/// The most calls in one batch: each costs an answer, which may be much longer than the call.
pub const BATCH_MAX: usize = 1000;

/// JSON text that is known to be JSON.
pub type RawJson = Box<RawValue>;

/// JSON text that is known to be JSON, borrowed.
pub type RawText = RawValue;

/// What a caller tells its answers apart by: a string, a number or null, given back letter by letter.
#[derive(Clone, Debug)]
pub struct Id(Box<RawValue>);

/// A request; a notification where it has no id.
#[derive(Clone, Debug)]
pub struct Request {
    /// Absent: nobody waits for an answer, not even for an error (section 4.1).
    pub id: Option<Id>,
    /// The method's name.
    pub method: String,
    /// Its parameters, an object or an array.
    pub params: Option<RawJson>,
}

/// What one frame holds: each request, or the response that says why it is none.
#[derive(Debug)]
pub enum Message {
    /// One.
    Single(Result<Request, Response>),
    /// Several, never none.
    Batch(Vec<Result<Request, Response>>),
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The request's; null where that could not be told.
    pub id: Id,
    /// The result as JSON text, or why there is none.
    pub outcome: Result<Box<RawValue>, RpcError>,
}

/// What a daemon sends: an answer, or a notification of its own.
#[derive(Clone, Debug)]
pub enum Received {
    /// An answer.
    Answer {
        /// The number that the caller gave; `None` for an answer to what could not be read.
        id: Option<u64>,
        /// The result as JSON text, or why there is none.
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A notification.
    Notification {
        /// The method's name.
        method: String,
        /// Its parameters as JSON text, `null` where there are none.
        params: RawJson,
    },
}

/// Why bytes are no message of a daemon.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the daemon's message: {source}")]
pub struct NotAMessage {
    /// Why.
    #[from]
    pub source: serde_json::Error,
}

/// Reads the requests of one frame. Never fails: what is no request is the response that says so.
#[must_use]
pub fn read_requests(frame: &[u8]) -> Message {
    let value: &RawValue = match serde_json::from_slice(frame) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("cannot read the message as JSON: {error}");
            return Message::Single(Err(Response::error(Id::null(), RpcError::new(ErrorKind::Parse, message))));
        }
    };
    if !value.get().starts_with('[') {
        return Message::Single(read_request(value));
    }
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(values) if values.len() > BATCH_MAX => {
            let message = format!("cannot take the batch: expected at most {BATCH_MAX} calls, found {}", values.len());
            Message::Single(Err(Response::error(Id::null(), RpcError::new(ErrorKind::Limit, message))))
        }
        Ok(values) if !values.is_empty() => Message::Batch(values.into_iter().map(read_request).collect()),
        Ok(_) | Err(_) => Message::Single(Err(no_request(Id::null(), "expected at least one call, found none"))),
    }
}

/// Reads the parameters of a method; none at all are an empty object.
///
/// # Errors
/// A parameter is missing, unknown or of another type; the message names it.
pub fn read_params<P: Ask>(params: Option<&RawValue>) -> Result<P, RpcError> {
    let text = params.map_or("{}", RawValue::get);
    serde_json::from_str(text).map_err(|error| bad_params::<P>(text, &error))
}

/// Writes a result.
///
/// # Panics
/// Never: every result has string keys and serializes without failing.
#[must_use]
pub fn write_result<T: Serialize>(result: &T) -> RawJson {
    serde_json::value::to_raw_value(result).expect("results have string keys only")
}

/// Writes a result that is not needed any more, as the last step of a chain.
#[must_use]
pub fn write_answer<T: Serialize>(answer: T) -> RawJson {
    write_result(&answer)
}

/// Reads any JSON text.
///
/// # Errors
/// It is none.
pub fn read_json(text: &str) -> Result<RawJson, NotJson> {
    Ok(serde_json::from_str(text)?)
}

/// Why a text is no JSON.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the text as JSON: {source}")]
pub struct NotJson {
    /// Why.
    #[from]
    pub source: serde_json::Error,
}

/// Writes a request as a line, newline included.
///
/// # Panics
/// Never: parameters have string keys and serialize without failing.
#[must_use]
pub fn write_request(id: u64, method: &str, params: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Out<'a, P> {
        jsonrpc: &'static str,
        id: u64,
        method: &'a str,
        params: &'a P,
    }
    let mut line = serde_json::to_string(&Out { jsonrpc: "2.0", id, method, params }).expect("keys are strings");
    line.push('\n');
    line
}

/// Writes a notification as a line, newline included.
///
/// # Panics
/// Never: a method's name and JSON text serialize without failing.
#[must_use]
pub fn write_notification(method: &str, params: &RawText) -> String {
    #[derive(Serialize)]
    struct Out<'a> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a RawText,
    }
    let mut line = serde_json::to_string(&Out { jsonrpc: "2.0", method, params }).expect("keys are strings");
    line.push('\n');
    line
}

/// Reads what a daemon sent.
///
/// # Errors
/// The frame is no message, or one of a batch, which this program's client never asks for.
pub fn read_received(frame: &[u8]) -> Result<Received, NotAMessage> {
    #[derive(Deserialize)]
    struct In {
        #[serde(default)]
        id: Option<u64>,
        #[serde(default, deserialize_with = "present")]
        result: Option<RawJson>,
        #[serde(default)]
        error: Option<RpcError>,
        #[serde(default)]
        method: Option<String>,
        #[serde(default, deserialize_with = "present")]
        params: Option<RawJson>,
    }
    let message: In = serde_json::from_slice(frame)?;
    if let Some(method) = message.method {
        let params = message.params.unwrap_or_else(|| RawValue::NULL.to_owned());
        return Ok(Received::Notification { method, params });
    }
    let outcome = match (message.error, message.result) {
        (Some(error), _) => Err(error),
        (None, result) => Ok(result.unwrap_or_else(|| RawValue::NULL.to_owned())),
    };
    Ok(Received::Answer { id: message.id, outcome })
}

/// Reads the result of a method.
///
/// # Errors
/// It has another shape than this program knows.
pub fn read_result<P: Ask>(result: &RawValue) -> Result<P::Answer, NotAMessage> {
    Ok(serde_json::from_str(result.get())?)
}

/// Reads the parameters of an event's notification.
///
/// # Errors
/// They have another shape than this program knows.
pub fn read_pushed(params: &RawValue) -> Result<EventPushed, NotAMessage> {
    Ok(serde_json::from_str(params.get())?)
}

impl Id {
    /// Returns the id of an answer to what could not be read.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl Response {
    /// Returns a response that says why there is no result.
    #[must_use]
    pub const fn error(id: Id, error: RpcError) -> Self {
        Self { id, outcome: Err(error) }
    }

    /// Returns the response as JSON text without a newline.
    ///
    /// # Panics
    /// Never: a response has string keys and serializes without failing.
    #[must_use]
    pub fn to_text(&self) -> String {
        #[derive(Serialize)]
        struct Out<'a> {
            jsonrpc: &'static str,
            id: &'a RawValue,
            #[serde(skip_serializing_if = "Option::is_none")]
            result: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a RpcError>,
        }
        let (result, error) = match &self.outcome {
            Ok(result) => (Some(&**result), None),
            Err(error) => (None, Some(error)),
        };
        serde_json::to_string(&Out { jsonrpc: "2.0", id: &self.id.0, result, error }).expect("keys are strings")
    }
}

/// Returns the one of `known` that `word` is most likely a misspelling of, `None` where none is near.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = word.chars().count() / 3 + 1;
    let near = known.into_iter().map(|each| (distance(word, each), each)).min_by_key(|(distance, _)| *distance)?;
    (near.0 <= limit).then_some(near.1)
}

fn read_request(value: &RawValue) -> Result<Request, Response> {
    #[derive(Deserialize)]
    struct Parts<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        jsonrpc: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        id: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        method: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        params: Option<&'a RawValue>,
    }
    if !value.get().starts_with('{') {
        return Err(no_request(Id::null(), &format!("expected an object, found {}", kind_of(value))));
    }
    let parts: Parts<'_> =
        serde_json::from_str(value.get()).map_err(|error| no_request(Id::null(), &error.to_string()))?;
    let id = match parts.id {
        None => None,
        Some(id) if id.get().starts_with(['{', '[', 't', 'f']) => {
            let why = format!("expected a string, a number or null as id, found {}", kind_of(id));
            return Err(no_request(Id::null(), &why));
        }
        Some(id) => Some(Id(id.to_owned())),
    };
    let refuse = |why: &str| no_request(id.clone().unwrap_or_else(Id::null), why);
    if parts.jsonrpc.and_then(read_string).as_deref() != Some("2.0") {
        return Err(refuse("expected \"jsonrpc\": \"2.0\""));
    }
    let Some(method) = parts.method.and_then(read_string) else {
        return Err(refuse("expected a string as method"));
    };
    let params = match parts.params {
        None => None,
        // Null is not structured, but many libraries send it for none.
        Some(params) if params.get() == "null" => None,
        Some(params) if params.get().starts_with(['{', '[']) => Some(params.to_owned()),
        Some(params) => {
            return Err(refuse(&format!("expected an object or an array as params, found {}", kind_of(params))));
        }
    };
    Ok(Request { id, method, params })
}

fn no_request(id: Id, why: &str) -> Response {
    Response::error(id, RpcError::new(ErrorKind::Request, format!("cannot take the message as a request: {why}")))
}

fn read_string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

fn kind_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        Some(_) | None => "a number",
    }
}

fn bad_params<P: Ask>(text: &str, error: &serde_json::Error) -> RpcError {
    let method = P::METHOD.as_str();
    let reason = told(error);
    if let Some(rest) = reason.strip_prefix("unknown field ") {
        // Serde's words: unknown field `titel`, expected one of `text`, `title`
        let mut names = rest.split('`').skip(1).step_by(2);
        let unknown = names.next().unwrap_or_default();
        let known: Vec<&str> = names.collect();
        let expected = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!("cannot call {method}: unknown parameter {unknown:?}, expected {expected}");
        let refusal = RpcError::new(ErrorKind::Params, message);
        return match nearest(unknown, known.iter().copied()) {
            Some(near) => refusal.with_hint(format!("did you mean {near:?}?")),
            None => refusal,
        };
    }
    if let Some(rest) = reason.strip_prefix("missing field ") {
        let message = format!("cannot call {method}: parameter {} is missing", rest.replace('`', "\""));
        return RpcError::new(ErrorKind::Params, message);
    }
    if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let message = if reason.starts_with("invalid length") {
            let count = list.len();
            format!(
                "cannot call {method}: expected an object that names its parameters, or a list with each in its order, found a \
                 list of {count}"
            )
        } else {
            format!("cannot call {method}: cannot take its list of parameters: {reason}")
        };
        return RpcError::new(ErrorKind::Params, message);
    }
    let message = match culprit::<P>(text) {
        Some((name, reason)) => format!("cannot call {method}: cannot take parameter {name:?}: {reason}"),
        None => format!("cannot call {method}: {reason}"),
    };
    RpcError::new(ErrorKind::Params, message)
}

/// Finds the parameter that does not fit, by trying each alone; serde does not tell.
fn culprit<P: Ask>(text: &str) -> Option<(String, String)> {
    let each: std::collections::BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    each.into_iter().find_map(|(name, value)| {
        let alone = std::collections::BTreeMap::from([(&name, value)]);
        let alone = serde_json::to_string(&alone).expect("keys are strings");
        let reason = told(&serde_json::from_str::<P>(&alone).err()?);
        (!reason.starts_with("missing field")).then_some((name, reason))
    })
}

/// Tells an error without its place, which means nothing to somebody who sees only the parameter.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Counts the letters to change, add or remove (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..other.len() {
            let changed = diagonal + usize::from(letter != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Returns the error of a method that is not there.
#[must_use]
pub fn no_method(name: &str) -> RpcError {
    let error = RpcError::new(ErrorKind::Method, format!("cannot call {name:?}: there is no such method"));
    match nearest(name, Method::ALL.iter().map(|method| method.as_str())) {
        Some(near) => error.with_hint(format!("did you mean {near:?}?")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::methods::{Add, Get, Status};

    /// Serves the methods of the specification's examples.
    fn serve(frame: &str) -> String {
        let answer = |request: Result<Request, Response>| match request {
            Err(response) => Some(response.to_text()),
            Ok(Request { id, method, params }) => {
                let numbers = |params: &RawValue| serde_json::from_str::<Vec<i64>>(params.get());
                let outcome = match (method.as_str(), params.as_deref()) {
                    ("subtract", Some(params)) if params.get().starts_with('[') => {
                        Ok(write_result(&(numbers(params).expect("numbers")[0] - numbers(params).expect("numbers")[1])))
                    }
                    ("subtract", Some(params)) => {
                        let named: std::collections::BTreeMap<String, i64> =
                            serde_json::from_str(params.get()).expect("named numbers");
                        Ok(write_result(&(named["minuend"] - named["subtrahend"])))
                    }
                    ("sum", Some(params)) => Ok(write_result(&numbers(params).expect("numbers").iter().sum::<i64>())),
                    ("get_data", None) => Ok(write_result(&("hello", 5))),
                    ("update" | "notify_hello" | "notify_sum", _) => Ok(write_result(&())),
                    (other, _) => Err(no_method(other)),
                };
                id.map(|id| Response { id, outcome }.to_text())
            }
        };
        match read_requests(frame.as_bytes()) {
            Message::Single(request) => answer(request).unwrap_or_default(),
            Message::Batch(requests) => {
                let answers: Vec<String> = requests.into_iter().filter_map(answer).collect();
                if answers.is_empty() { String::new() } else { format!("[{}]", answers.join(",")) }
            }
        }
    }

    /// Compares as the specification shows it: with the code, without our words.
    #[track_caller]
    fn check(frame: &str, expected: &str) {
        let found = serve(frame);
        let read = |text: &str| -> serde_json::Value {
            if text.is_empty() { serde_json::Value::Null } else { serde_json::from_str(text).expect("JSON") }
        };
        let mut found = read(&found);
        let strip = |value: &mut serde_json::Value| {
            if let Some(error) = value.get_mut("error").and_then(serde_json::Value::as_object_mut) {
                error.retain(|name, _| name == "code");
            }
        };
        match &mut found {
            serde_json::Value::Array(each) => each.iter_mut().for_each(strip),
            other => strip(other),
        }
        assert_eq!(found, read(expected), "{frame}");
    }

    #[test]
    fn the_examples_of_the_specification_for_single_calls_hold() {
        check(
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
            r#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#,
        );
        check(
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
            r#"{"jsonrpc": "2.0", "result": -19, "id": 2}"#,
        );
        check(
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
            r#"{"jsonrpc": "2.0", "result": 19, "id": 3}"#,
        );
        check(
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
            r#"{"jsonrpc": "2.0", "result": 19, "id": 4}"#,
        );
        check(r#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, "");
        check(r#"{"jsonrpc": "2.0", "method": "foobar"}"#, "");
        check(
            r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
            r#"{"jsonrpc": "2.0", "error": {"code": -32601}, "id": "1"}"#,
        );
        check(
            r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            r#"{"jsonrpc": "2.0", "error": {"code": -32700}, "id": null}"#,
        );
        check(
            r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
            r#"{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}"#,
        );
    }

    #[test]
    fn the_examples_of_the_specification_for_batches_hold() {
        let invalid = r#"{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}"#;
        check(
            r#"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]"#,
            r#"{"jsonrpc": "2.0", "error": {"code": -32700}, "id": null}"#,
        );
        check("[]", invalid);
        check("[1]", &format!("[{invalid}]"));
        check("[1,2,3]", &format!("[{invalid},{invalid},{invalid}]"));
        check(
            r#"[
                {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                {"foo": "boo"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
            ]"#,
            r#"[
                {"jsonrpc": "2.0", "result": 7, "id": "1"},
                {"jsonrpc": "2.0", "result": 19, "id": "2"},
                {"jsonrpc": "2.0", "error": {"code": -32600}, "id": null},
                {"jsonrpc": "2.0", "error": {"code": -32601}, "id": "5"},
                {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}
            ]"#,
        );
        check(
            r#"[
                {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
            ]"#,
            "",
        );
    }

    #[test]
    fn an_id_comes_back_letter_by_letter() {
        for id in ["null", "0", "-1", "1.50", "123456789012345678901234567890", r#""a\u0020b""#] {
            let answer = serve(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"get_data"}}"#));
            assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":["hello",5]}}"#));
        }
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_id_where_it_can_be_told() {
        let invalid = |id: &str| format!(r#"{{"jsonrpc": "2.0", "error": {{"code": -32600}}, "id": {id}}}"#);
        check(r#"{"jsonrpc":"2.0","id":{"a":1},"method":"get_data"}"#, &invalid("null"));
        check(r#"{"jsonrpc":"2.0","id":true,"method":"get_data"}"#, &invalid("null"));
        check(r#"{"jsonrpc":"1.0","id":1,"method":"get_data"}"#, &invalid("1"));
        check(r#"{"id":1,"method":"get_data"}"#, &invalid("1"));
        check(r#"{"jsonrpc":"2.0","id":1}"#, &invalid("1"));
        check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"get_data"}"#, &invalid("null"));
        check(r#"{"jsonrpc":"2.0","id":1,"method":"get_data","params":7}"#, &invalid("1"));
        check("7", &invalid("null"));
        check("null", &invalid("null"));
        check("\"text\"", &invalid("null"));
    }

    #[test]
    fn bytes_that_are_no_json_are_a_parse_error() {
        let parse_error = |frame: &[u8]| match read_requests(frame) {
            Message::Single(Err(response)) => response.to_text().contains("-32700"),
            Message::Single(Ok(_)) | Message::Batch(_) => false,
        };
        assert!(parse_error(b"\xff\xfe"));
        assert!(parse_error(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"));
        assert!(parse_error(b"{} {}"));
        assert!(parse_error("[".repeat(500_000).as_bytes()));
    }

    #[test]
    fn deep_nesting_and_huge_batches_are_refused_without_harm() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        check(&deep, r#"[{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}]"#);
        let huge = format!("[{}1]", "1,".repeat(BATCH_MAX));
        check(&huge, r#"{"jsonrpc": "2.0", "error": {"code": 429}, "id": null}"#);
        let nested = RawValue::from_string(format!(r#"{{"task":{deep}}}"#)).expect("JSON");
        assert!(read_params::<Get>(Some(&nested)).is_err());
    }

    #[track_caller]
    fn check_params<P: Ask + std::fmt::Debug>(params: &str, message: &str, hint: Option<&str>) {
        let params = RawValue::from_string(params.to_owned()).expect("JSON");
        let error = read_params::<P>(Some(&params)).expect_err("refused");
        assert_eq!((error.message.as_str(), error.hint()), (message, hint));
    }

    const EVERY: &str = "keiko help tells what each command takes, rpc.discover what each method takes";

    #[test]
    fn a_wrong_parameter_is_named() {
        check_params::<Get>(
            r#"{"tsk":1}"#,
            r#"cannot call task.get: unknown parameter "tsk", expected task"#,
            Some(r#"did you mean "task"?"#),
        );
        check_params::<Status>(
            r#"{"x":1}"#,
            r#"cannot call daemon.status: unknown parameter "x", expected none"#,
            Some(EVERY),
        );
        check_params::<Get>("{}", r#"cannot call task.get: parameter "task" is missing"#, Some(EVERY));
        check_params::<Add>(
            r#"{"title":"tea","tags":"x"}"#,
            r#"cannot call task.add: cannot take parameter "tags": invalid type: string "x", expected a sequence"#,
            Some(EVERY),
        );
        check_params::<Get>(
            r#"{"task":[1]}"#,
            "cannot call task.get: cannot take parameter \"task\": expected a task's number, id or title, as a string \
             or a whole number",
            Some(EVERY),
        );
    }

    #[test]
    fn parameters_by_position_stand_in_the_order_of_the_fields() {
        let params = RawValue::from_string("[7]".to_owned()).expect("JSON");
        assert_eq!(read_params::<Get>(Some(&params)).expect("a task").task.0, "7");
    }

    #[test]
    fn a_misspelt_method_is_told_its_nearest() {
        assert_eq!(no_method("task.lst").hint(), Some(r#"did you mean "task.list"?"#));
        assert_eq!(no_method("xyzzy").hint(), Some("rpc.discover tells the methods that there are"));
    }

    #[test]
    fn a_client_reads_what_a_server_writes() {
        let response = Response { id: Id::null(), outcome: Err(RpcError::new(ErrorKind::Limit, "full")) };
        let received = read_received(response.to_text().as_bytes()).expect("a message");
        assert!(matches!(received, Received::Answer { id: None, outcome: Err(error) } if error.code == 429));
        let received = read_received(br#"{"jsonrpc":"2.0","method":"event","params":{"seq":1}}"#).expect("a message");
        assert!(matches!(received, Received::Notification { method, .. } if method == "event"));
    }
}
