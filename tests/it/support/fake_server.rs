//! A notification server of the test's own: a real one to the bus, that writes down what it is asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use zbus::OwnedVariant;
use zbus::{Connection, Message, MessageStream};

use crate::support::private_bus::PrivateBus;
use crate::support::soon;

/// What a server was asked.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Asked {
    /// To show a popup.
    Notify(Notify),
    /// To close one.
    Close(u32),
    /// Nothing: one went, and it told so.
    Went(u32),
}

/// The arguments of `Notify`, and the id that was given.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Notify {
    pub(crate) id: u32,
    pub(crate) app_name: String,
    pub(crate) replaces: u32,
    pub(crate) icon: String,
    pub(crate) summary: String,
    pub(crate) body: String,
    pub(crate) urgency: u8,
    /// Whether it is to make no sound.
    pub(crate) is_quiet: bool,
    pub(crate) expire_timeout: i32,
    /// Its buttons, each a key and a label.
    pub(crate) buttons: Vec<(String, String)>,
    pub(crate) category: String,
}

/// How a server behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// It answers, and reads markup.
    Markup,
    /// It answers, reads markup and shows buttons.
    Buttons,
    /// It answers, and shows the body as it is.
    Plain,
    /// It answers nothing but what it can do, until it is told to go on.
    Silent,
    /// It answers nothing at all, until it is told to go on.
    Stopped,
    /// It refuses to show anything.
    Refusing,
}

/// A running server; gone when dropped.
pub(crate) struct FakeServer {
    connection: Connection,
    state: Arc<State>,
    worker: JoinHandle<()>,
}

struct State {
    manner: Mutex<Manner>,
    held: Mutex<Vec<Message>>,
    asked: watch::Sender<Vec<Asked>>,
}

impl FakeServer {
    /// Starts a server that owns the name when this returns.
    pub(crate) async fn start(bus: &PrivateBus, manner: Manner) -> Self {
        let connection = bus.connect().await;
        let state = Arc::new(State {
            manner: Mutex::new(manner),
            held: Mutex::new(Vec::new()),
            asked: watch::Sender::new(Vec::new()),
        });
        let mut messages = MessageStream::from(&connection);
        let (worker_connection, worker_state) = (connection.clone(), Arc::clone(&state));
        let worker = tokio::spawn(async move {
            while let Some(Ok(message)) = messages.next().await {
                worker_state.take(&worker_connection, message).await;
            }
        });
        connection.request_name("org.freedesktop.Notifications").await.expect("nobody else owns the name");
        Self { connection, state, worker }
    }

    /// Answers no more calls to show something, until it is told to go on.
    pub(crate) fn hold(&self) {
        *self.state.manner.lock().unwrap() = Manner::Silent;
    }

    /// Shows nothing more, and says so.
    pub(crate) fn refuse(&self) {
        *self.state.manner.lock().unwrap() = Manner::Refusing;
    }

    /// Tells that a popup is gone: 1 says that it expired, 2 that the person closed it.
    pub(crate) async fn went(&self, id: u32, reason: u32) {
        self.state.asked.send_modify(|asked| asked.push(Asked::Went(id)));
        tell_closed(&self.connection, id, reason).await;
    }

    /// Tells what lets a program come to the front that is started for the next press on a popup.
    pub(crate) async fn gave_token(&self, id: u32, token: &str) {
        tell_token(&self.connection, id, token).await;
    }

    /// Tells that the person pressed a button.
    pub(crate) async fn pressed(&self, id: u32, key: &str) {
        tell_pressed(&self.connection, id, key).await;
    }

    /// Returns the id of the one popup with this heading that it shows.
    pub(crate) fn id_of(&self, summary: &str) -> u32 {
        let ids: Vec<u32> =
            self.shown().into_iter().filter(|(_, popup)| popup.summary == summary).map(|(id, _)| id).collect();
        let [id] = ids[..] else { panic!("not one popup {summary:?}: {:?}", self.shown()) };
        id
    }

    /// Answers all that it owes, and from now on everything.
    pub(crate) async fn go_on(&self) {
        *self.state.manner.lock().unwrap() = Manner::Plain;
        let held = std::mem::take(&mut *self.state.held.lock().unwrap());
        for message in held {
            self.state.take(&self.connection, message).await;
        }
    }

    /// Leaves the bus.
    pub(crate) async fn quit(self) {
        self.worker.abort();
        self.connection.clone().close().await.expect("a connection that lives");
    }

    /// Returns what it was asked, in that order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.asked.borrow().clone()
    }

    /// Returns what it was asked to show, in that order.
    pub(crate) fn notified(&self) -> Vec<Notify> {
        self.asked()
            .into_iter()
            .filter_map(|asked| match asked {
                Asked::Notify(notify) => Some(notify),
                Asked::Close(_) | Asked::Went(_) => None,
            })
            .collect()
    }

    /// Returns what it shows now, by id.
    pub(crate) fn shown(&self) -> BTreeMap<u32, Notify> {
        shown(&self.state.asked.borrow())
    }

    /// Waits until it shows `count` popups.
    pub(crate) async fn wait_until_shown(&self, count: usize) {
        let mut asked = self.state.asked.subscribe();
        soon("popups", asked.wait_for(|asked| shown(asked).len() == count)).await.expect("the state lives");
    }

    /// Waits until it was asked to show something `count` times.
    pub(crate) async fn wait_until_notified(&self, count: usize) {
        let mut asked = self.state.asked.subscribe();
        let is_notify = |one: &&Asked| matches!(one, Asked::Notify(_));
        let enough = asked.wait_for(|asked| asked.iter().filter(is_notify).count() >= count);
        soon("calls to show something", enough).await.expect("the state lives");
    }

    /// Waits until it owes `count` answers.
    pub(crate) async fn wait_until_owing(&self, count: usize) {
        let mut asked = self.state.asked.subscribe();
        soon("calls", asked.wait_for(|_| self.state.held.lock().unwrap().len() >= count)).await.expect("it lives");
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

/// Tells on a connection, whoever has it, that a popup is gone.
pub(crate) async fn tell_closed(connection: &Connection, id: u32, reason: u32) {
    let (path, interface) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
    let body = (id, reason);
    let told = connection.emit_signal(None::<&str>, path, interface, "NotificationClosed", &body);
    told.await.expect("a connection that lives");
}

/// Tells on a connection, whoever has it, what lets a program come to the front that is started for the next press.
pub(crate) async fn tell_token(connection: &Connection, id: u32, token: &str) {
    let (path, interface) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
    let body = (id, token);
    let told = connection.emit_signal(None::<&str>, path, interface, "ActivationToken", &body);
    told.await.expect("a connection that lives");
}

/// Tells on a connection, whoever has it, that a button was pressed.
pub(crate) async fn tell_pressed(connection: &Connection, id: u32, key: &str) {
    let (path, interface) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
    let body = (id, key);
    let told = connection.emit_signal(None::<&str>, path, interface, "ActionInvoked", &body);
    told.await.expect("a connection that lives");
}

fn shown(asked: &[Asked]) -> BTreeMap<u32, Notify> {
    let mut shown = BTreeMap::new();
    for one in asked {
        match one {
            Asked::Notify(notify) => {
                shown.insert(notify.id, notify.clone());
            }
            Asked::Close(id) | Asked::Went(id) => {
                shown.remove(id);
            }
        }
    }
    shown
}

impl State {
    async fn take(&self, connection: &Connection, message: Message) {
        let header = message.header();
        if message.message_type() != zbus::message::Type::MethodCall {
            return;
        }
        let manner = *self.manner.lock().unwrap();
        let method = header.member().expect("a call names its method").as_str().to_owned();
        let is_held = manner == Manner::Stopped || (manner == Manner::Silent && method != "GetCapabilities");
        if is_held {
            self.held.lock().unwrap().push(message.clone());
            // The record is the same, but whoever waits for held calls looks again.
            self.asked.send_modify(|_| {});
            return;
        }
        let answered = match method.as_str() {
            "GetCapabilities" if manner == Manner::Markup => {
                connection.reply(&header, &vec!["body", "body-markup"]).await
            }
            "GetCapabilities" if manner == Manner::Buttons => {
                connection.reply(&header, &vec!["body", "body-markup", "actions"]).await
            }
            "GetCapabilities" => connection.reply(&header, &vec!["body"]).await,
            "GetServerInformation" => connection.reply(&header, &("fake", "the tests", "1.0", "1.2")).await,
            "Notify" if manner == Manner::Refusing => {
                connection.reply_error(&header, "org.example.Full", &"the screen is full").await
            }
            "Notify" => connection.reply(&header, &self.show(&message)).await,
            "CloseNotification" => {
                let id = message.body().deserialize().expect("an id");
                self.asked.send_modify(|asked| asked.push(Asked::Close(id)));
                connection.reply(&header, &()).await
            }
            _ => connection.reply_error(&header, "org.freedesktop.DBus.Error.UnknownMethod", &method).await,
        };
        // A caller that has left gets no answer.
        drop(answered);
    }

    fn show(&self, message: &Message) -> u32 {
        type Arguments = (String, u32, String, String, String, Vec<String>, HashMap<String, OwnedVariant>, i32);
        let body = message.body();
        let (app_name, replaces, icon, summary, body, actions, hints, expire_timeout): Arguments =
            body.deserialize().expect("the arguments of the specification");
        let urgency = hints["urgency"].try_clone().expect("no descriptor").try_into().expect("a byte");
        let is_quiet = hints.contains_key("suppress-sound");
        let category = hints["category"].try_clone().expect("no descriptor").try_into().expect("text");
        let buttons = actions.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        let mut given = 0;
        self.asked.send_modify(|asked| {
            given = if replaces > 0 { replaces } else { u32::try_from(asked.len()).expect("few calls") + 1 };
            let notify = Notify {
                id: given,
                app_name,
                replaces,
                icon,
                summary,
                body,
                urgency,
                is_quiet,
                expire_timeout,
                buttons,
                category,
            };
            asked.push(Asked::Notify(notify));
        });
        given
    }
}
