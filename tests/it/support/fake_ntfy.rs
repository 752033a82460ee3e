//! An ntfy server of the tests' own, built from its public description: <https://docs.ntfy.sh/publish/> ("Publish as JSON",
//! "Action buttons", "Updating + deleting notifications", "Access tokens", "Limitations") and
//! <https://docs.ntfy.sh/subscribe/api/> ("Subscribe as JSON stream", "Fetch cached messages", "JSON message format").
//!
//! Errors are JSON with `code`, `http` and `error`; their numbers and words are those of the server's public source.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::soon;

/// The topic that persons read.
pub(crate) const TOPIC: &str = "my-reminders-8f3a";

/// The topic that buttons post to.
pub(crate) const ANSWERS: &str = "my-answers-77c1";

/// What gets in, where the server asks for it.
pub(crate) const TOKEN: &str = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2";

/// What the server knows.
#[derive(Default)]
struct State {
    /// What stands on the screen of somebody who reads the topic, by its sequence id, in order.
    shown: Vec<(String, Value)>,
    instead: Vec<Reply>,
    asks_for_token: bool,
    posted: usize,
}

/// The server; gone with this value.
pub(crate) struct FakeNtfy {
    server: HttpServer,
    state: Arc<Mutex<State>>,
    /// What stands on the topic of answers.
    answers: watch::Sender<Vec<String>>,
    /// Tells of every request.
    changes: watch::Sender<u64>,
}

impl FakeNtfy {
    /// Starts it, open to everybody.
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (answers, changes) = (watch::Sender::new(Vec::new()), watch::Sender::new(0));
        let (known, stream, told) = (Arc::clone(&state), answers.clone(), changes.clone());
        let server = HttpServer::start(move |request, _| {
            let reply = answer(&mut known.lock().unwrap(), &stream, request);
            told.send_modify(|count| *count += 1);
            reply
        })
        .await;
        Self { server, state, answers, changes }
    }

    /// Asks everybody for the token from now on.
    pub(crate) fn lock(&self) {
        self.state.lock().unwrap().asks_for_token = true;
    }

    /// Returns the address of the server.
    pub(crate) fn host(&self) -> String {
        self.server.url("")
    }

    /// Returns the address of a topic.
    pub(crate) fn url(&self, topic: &str) -> String {
        self.server.url(&format!("/{topic}"))
    }

    /// Answers the next request so.
    pub(crate) fn instead(&self, reply: Reply) {
        self.state.lock().unwrap().instead.push(reply);
    }

    /// Returns the requests whose first line begins so.
    pub(crate) fn asked(&self, begin: &str) -> Vec<Request> {
        let requests = self.server.requests();
        requests.into_iter().filter(|request| request.line.starts_with(begin)).collect()
    }

    /// Waits until there were so many requests whose first line begins so.
    pub(crate) async fn was_asked(&self, begin: &str, count: usize) -> Vec<Request> {
        let mut changes = self.changes.subscribe();
        soon(begin, changes.wait_for(|_| self.asked(begin).len() >= count)).await.unwrap();
        self.asked(begin)
    }

    /// Returns what stands on the screen.
    pub(crate) fn shown(&self) -> Vec<Value> {
        self.state.lock().unwrap().shown.iter().map(|(_, message)| message.clone()).collect()
    }

    /// Waits until so much stands on the screen.
    pub(crate) async fn shows(&self, count: usize) -> Vec<Value> {
        let mut changes = self.changes.subscribe();
        soon("the screen", changes.wait_for(|_| self.shown().len() == count)).await.unwrap();
        self.shown()
    }

    /// Presses a button of the last notification at a time in seconds, as the phone does: it posts the body.
    pub(crate) fn press(&self, label: &str, at: i64) {
        let body = self.body(label);
        self.post(&body, at);
    }

    /// Returns what a button of the last notification posts.
    pub(crate) fn body(&self, label: &str) -> String {
        let message = self.shown().pop().expect("a notification");
        let actions = message["actions"].as_array().cloned().unwrap_or_default();
        let action = actions.iter().find(|action| action["label"] == label);
        let action = action.unwrap_or_else(|| panic!("no {label} among {actions:?}"));
        assert_eq!(action["url"], self.url(ANSWERS));
        action["body"].as_str().unwrap().to_owned()
    }

    /// Writes to the topic of answers.
    pub(crate) fn post(&self, body: &str, at: i64) {
        let mut state = self.state.lock().unwrap();
        state.posted += 1;
        let line = json!({
            "id": format!("answer{:04}", state.posted), "time": at, "event": "message", "topic": ANSWERS, "message": body,
        });
        self.answers.send_modify(|lines| lines.push(line.to_string()));
    }
}

fn no(http: u16, code: u32, error: &str) -> Reply {
    Reply::status(http, &json!({"code": code, "http": http, "error": error}).to_string())
}

fn answer(state: &mut State, answers: &watch::Sender<Vec<String>>, request: &Request) -> Reply {
    if !state.instead.is_empty() {
        return state.instead.remove(0);
    }
    if state.asks_for_token && request.header("authorization") != format!("Bearer {TOKEN}") {
        return if request.header("authorization").is_empty() {
            no(403, 40301, "forbidden")
        } else {
            no(401, 40101, "unauthorized")
        };
    }
    let words: Vec<&str> = request.line.split(' ').collect();
    let (path, query) = words[1].split_once('?').unwrap_or((words[1], ""));
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (words[0], parts.as_slice()) {
        ("POST", [""]) => publish(state, &request.body),
        ("PUT", [TOPIC, sequence, "clear"]) => {
            state.shown.retain(|(known, _)| known != sequence);
            Reply::status(200, &json!({"event": "message_clear", "sequence_id": sequence}).to_string())
        }
        ("GET", [ANSWERS, "json"]) => {
            let since = query.strip_prefix("since=").expect("what was missed is asked for");
            let known = answers.borrow().iter().position(|line| line.contains(&format!("\"{since}\"")));
            let open = json!({"id": "open", "time": 1, "event": "open", "topic": ANSWERS});
            Reply::Lines(open.to_string(), known.map_or(0, |at| at + 1), answers.subscribe())
        }
        _ => no(404, 40401, "page not found"),
    }
}

fn publish(state: &mut State, body: &[u8]) -> Reply {
    if body.len() > 2 * 4096 {
        return no(413, 41303, "JSON body too large");
    }
    let Ok(mut message) = serde_json::from_slice::<Value>(body) else {
        return no(400, 40024, "invalid request: request body must be valid JSON");
    };
    if message["topic"] != TOPIC {
        return no(400, 40009, "invalid request: topic invalid");
    }
    let text = message["message"].as_str().unwrap_or_default();
    assert!(text.len() <= 4096, "it would become a file");
    assert!(!text.is_empty(), "it would read \"triggered\"");
    if message["actions"].as_array().is_some_and(|actions| actions.len() > 3) {
        return no(400, 40018, "invalid request: actions invalid, only 3 actions allowed");
    }
    let sequence = message["sequence_id"].as_str().unwrap_or_default().to_owned();
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if sequence.is_empty() || sequence.len() > 64 || !sequence.bytes().all(is_one) {
        return no(400, 40049, "invalid request: sequence ID invalid");
    }
    state.posted += 1;
    message["id"] = format!("message{:04}", state.posted).into();
    message["event"] = "message".into();
    match state.shown.iter_mut().find(|(known, _)| *known == sequence) {
        Some((_, shown)) => *shown = message.clone(),
        None => state.shown.push((sequence, message.clone())),
    }
    Reply::status(200, &message.to_string())
}
