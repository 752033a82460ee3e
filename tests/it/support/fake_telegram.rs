//! A Bot API of the tests' own, built from its public description: <https://core.telegram.org/bots/api>.
//!
//! "Making requests": `/bot<token>/METHOD_NAME`, JSON, answers with `ok`, `result`, `error_code`, `description` and
//! `parameters`; `getUpdates`: `offset` confirms, a question without an answer is held; `sendMessage`: 1-4096 characters;
//! `InlineKeyboardButton`: `callback_data` of 1-64 bytes. The words of the errors are those that the service is known to
//! give: they are no part of its description.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::soon;

/// The token of the one bot.
pub(crate) const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

/// The one chat that the bot may write to.
pub(crate) const CHAT: i64 = -1001;

/// An answer that is given in place of the true one, once.
type Instead = (&'static str, Reply);

/// What the service knows.
#[derive(Default)]
struct State {
    /// Every message by its number, with its arguments and what was edited into it.
    messages: BTreeMap<i64, Value>,
    /// Presses that are not confirmed.
    updates: Vec<Value>,
    pressed: i64,
    /// The words that presses were answered with, by their queries.
    answers: Vec<(String, String)>,
    instead: Vec<Instead>,
}

/// The service; gone with this value.
pub(crate) struct FakeTelegram {
    server: HttpServer,
    state: Arc<Mutex<State>>,
    /// Tells of every change.
    changes: watch::Sender<u64>,
}

impl FakeTelegram {
    /// Starts it.
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let changes = watch::Sender::new(0);
        let (known, told) = (Arc::clone(&state), changes.clone());
        let server = HttpServer::start(move |request, _| {
            let reply = answer(&known, &told, request);
            told.send_modify(|count| *count += 1);
            reply
        })
        .await;
        Self { server, state, changes }
    }

    /// Returns its address.
    pub(crate) fn url(&self) -> String {
        self.server.url("")
    }

    /// Answers the next call of a method so.
    pub(crate) fn instead(&self, method: &'static str, reply: Reply) {
        self.state.lock().unwrap().instead.push((method, reply));
    }

    /// Returns the arguments of all calls of a method.
    pub(crate) fn calls(&self, method: &str) -> Vec<Value> {
        let requests = self.server.requests();
        let of_method = requests.iter().filter(|request| method_of(request) == method);
        of_method.map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    }

    /// Waits until a method was called so often.
    pub(crate) async fn called(&self, method: &str, count: usize) -> Vec<Value> {
        let mut changes = self.changes.subscribe();
        soon(method, changes.wait_for(|_| self.calls(method).len() >= count)).await.unwrap();
        self.calls(method)
    }

    /// Returns the messages as they stand in the chat.
    pub(crate) fn messages(&self) -> Vec<Value> {
        self.state.lock().unwrap().messages.values().cloned().collect()
    }

    /// Waits until the last message says something.
    pub(crate) async fn says(&self, text: &str) -> Value {
        let mut changes = self.changes.subscribe();
        let last = || self.messages().pop().unwrap_or_default();
        soon(text, changes.wait_for(|_| last()["text"].as_str().unwrap_or_default().contains(text))).await.unwrap();
        last()
    }

    /// Returns the data of the button of the last message with this label.
    pub(crate) fn data(&self, label: &str) -> String {
        let message = self.messages().pop().expect("a message");
        let rows = message["reply_markup"]["inline_keyboard"].as_array().cloned().unwrap_or_default();
        let buttons: Vec<Value> = rows.iter().flat_map(|row| row.as_array().unwrap().clone()).collect();
        let button = buttons.iter().find(|button| button["text"] == label);
        button.unwrap_or_else(|| panic!("no {label} among {buttons:?}"))["callback_data"].as_str().unwrap().to_owned()
    }

    /// Presses a button in the chat, and returns what is shown to the person.
    pub(crate) async fn press(&self, data: &str) -> String {
        self.press_in(CHAT, data).await
    }

    /// Presses a button in some chat, and returns what is shown to the person.
    pub(crate) async fn press_in(&self, chat: i64, data: &str) -> String {
        let query = self.pressed(chat, data);
        self.answered(&query).await
    }

    /// Presses a button, and returns the query's id.
    pub(crate) fn pressed(&self, chat: i64, data: &str) -> String {
        let query = format!("query-{}", self.state.lock().unwrap().pressed + 1);
        self.tell(chat, &query, data);
        query
    }

    fn tell(&self, chat: i64, query: &str, data: &str) {
        let mut state = self.state.lock().unwrap();
        state.pressed += 1;
        state.answers.retain(|(known, _)| known != query);
        let update = json!({
            "update_id": 1000 + state.pressed,
            "callback_query": {
                "id": query,
                "from": {"id": 7, "is_bot": false, "first_name": "A"},
                "message": {"message_id": 1, "date": 1, "chat": {"id": chat, "type": "group"}},
                "chat_instance": "1",
                "data": data,
            },
        });
        state.updates.push(update);
        drop(state);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Tells of a press once more, as where it was not confirmed before a daemon died, and returns what is shown.
    pub(crate) async fn tell_again(&self, query: &str, data: &str) -> String {
        self.tell(CHAT, query, data);
        self.answered(query).await
    }

    /// Waits for the answer to a query.
    pub(crate) async fn answered(&self, query: &str) -> String {
        let mut changes = self.changes.subscribe();
        let found = || {
            let state = self.state.lock().unwrap();
            state.answers.iter().find(|(id, _)| id == query).map(|(_, words)| words.clone())
        };
        soon("an answer to the button", changes.wait_for(|_| found().is_some())).await.unwrap();
        found().expect("it was waited for")
    }
}

/// Returns an answer that says no.
pub(crate) fn refusal(status: u16, code: u16, description: &str, parameters: &Value) -> Reply {
    let body = json!({"ok": false, "error_code": code, "description": description, "parameters": parameters});
    Reply::status(status, &body.to_string())
}

fn no(code: u16, description: &str) -> Reply {
    refusal(code, code, description, &json!({}))
}

fn yes(result: &Value) -> Reply {
    Reply::status(200, &json!({"ok": true, "result": result}).to_string())
}

fn method_of(request: &Request) -> &str {
    request.line.split(' ').nth(1).and_then(|path| path.rsplit('/').next()).unwrap_or_default()
}

fn answer(state: &Arc<Mutex<State>>, changes: &watch::Sender<u64>, request: &Request) -> Reply {
    let path = request.line.split(' ').nth(1).unwrap_or_default();
    let Some((token, method)) = path.strip_prefix("/bot").and_then(|rest| rest.split_once('/')) else {
        return no(404, "Not Found");
    };
    let arguments: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let mut known = state.lock().unwrap();
    if let Some(at) = known.instead.iter().position(|(of, _)| *of == method) {
        return known.instead.remove(at).1;
    }
    match (token, method) {
        (TOKEN, "sendMessage") => send(&mut known, arguments),
        (TOKEN, "editMessageText") => edit(&mut known, &arguments),
        (TOKEN, "answerCallbackQuery") => {
            let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
            known.answers.push((text("callback_query_id"), text("text")));
            yes(&json!(true))
        }
        (TOKEN, "getUpdates") => {
            drop(known);
            let (state, mut changes) = (Arc::clone(state), changes.subscribe());
            let offset = arguments["offset"].as_i64().unwrap_or_default();
            Reply::later(async move {
                let first = || {
                    let mut state = state.lock().unwrap();
                    state.updates.retain(|update| update["update_id"].as_i64() >= Some(offset));
                    state.updates.first().cloned()
                };
                // Held for as long as the test lives, which is less than fifty seconds.
                let _ = changes.wait_for(|_| first().is_some()).await;
                yes(&first().into_iter().collect())
            })
        }
        (TOKEN, _) => no(404, "Not Found: method not found"),
        _ => no(401, "Unauthorized"),
    }
}

fn send(state: &mut State, mut arguments: Value) -> Reply {
    let text = arguments["text"].as_str().unwrap_or_default().to_owned();
    if let Some(refusal) = check(&arguments, &text) {
        return refusal;
    }
    let id = i64::try_from(state.messages.len()).unwrap() + 1;
    arguments["message_id"] = id.into();
    state.messages.insert(id, arguments);
    yes(&json!({"message_id": id, "date": 1, "chat": {"id": CHAT, "type": "group"}, "text": text}))
}

fn edit(state: &mut State, arguments: &Value) -> Reply {
    let text = arguments["text"].as_str().unwrap_or_default();
    if let Some(refusal) = check(arguments, text) {
        return refusal;
    }
    let Some(message) = arguments["message_id"].as_i64().and_then(|id| state.messages.get_mut(&id)) else {
        return no(400, "Bad Request: message to edit not found");
    };
    if message["text"] == arguments["text"] && message["reply_markup"] == arguments["reply_markup"] {
        let why = "Bad Request: message is not modified: specified new message content and reply markup are exactly the \
                   same as a current content and reply markup of the message";
        return no(400, why);
    }
    message["text"] = arguments["text"].clone();
    message["reply_markup"] = arguments["reply_markup"].clone();
    yes(message)
}

fn check(arguments: &Value, text: &str) -> Option<Reply> {
    if arguments["chat_id"] != CHAT {
        return Some(no(400, "Bad Request: chat not found"));
    }
    assert!(arguments["parse_mode"].is_null(), "plain text, so that nothing is to be escaped");
    if text.trim().is_empty() {
        return Some(no(400, "Bad Request: message text is empty"));
    }
    if text.encode_utf16().count() > 4096 {
        return Some(no(400, "Bad Request: message is too long"));
    }
    let rows = arguments["reply_markup"]["inline_keyboard"].as_array().cloned().unwrap_or_default();
    let mut buttons = rows.iter().flat_map(|row| row.as_array().unwrap());
    buttons.find_map(|button| match (button["callback_data"].as_str(), button["url"].as_str()) {
        (Some(data), None) if (1..=64).contains(&data.len()) => None,
        (Some(_), None) => Some(no(400, "Bad Request: BUTTON_DATA_INVALID")),
        (None, Some(url)) if url.starts_with("http") && !url.contains("//localhost") => None,
        (None, Some(url)) => {
            Some(no(400, &format!("Bad Request: inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")))
        }
        _ => Some(no(400, "Bad Request: Text buttons are unallowed in the inline keyboard")),
    })
}
