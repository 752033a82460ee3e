//! What does a server's signal say, and what becomes of what the person said by it?
//!
//! It tells whoever listens, and opens what is to be seen. Whether a popup is ours it does not know.

use tokio::sync::{mpsc, oneshot};
use zbus::message::Sequence;

use crate::domain::time::Span;
use crate::notify::desktop::Choices;
use crate::notify::desktop::actions::Offer;
use crate::notify::desktop::opener::Opener;
use crate::notify::desktop::shown::{Deed, News, Said, Word};
use crate::notify::responses::{Act, Response, Responses};

/// The signal by which a server tells that a popup is gone (Desktop Notifications Specification, Signals).
const CLOSED: &str = "NotificationClosed";

/// Its reason where the person closed the popup; the others are no word of theirs.
const DISMISSED: u32 = 2;

/// Its reason where a program closed the popup.
const TAKEN_BACK: u32 = 3;

/// The signal by which a server tells that a button was pressed.
const PRESSED: &str = "ActionInvoked";

/// The signal by which a server tells, just before that, what lets a program that is started for it come to the front.
const TOKEN: &str = "ActivationToken";

/// The longest such token that is passed on, in bytes: those of compositors and window managers are far shorter.
const TOKEN_BYTES_MAX: usize = 1024;

/// The longest key of a button that is looked at, in bytes: ours are far shorter.
const KEY_BYTES_MAX: usize = 64;

/// What persons may say on popups, and who hears of it.
#[derive(Debug)]
pub(super) struct Hearing {
    snoozes: Vec<Span>,
    opener: Opener,
    responses: Responses,
}

impl Hearing {
    /// Returns one that nobody listens to yet.
    pub(super) fn new(choices: Choices) -> Self {
        let Choices { snoozes, opener } = choices;
        Self { snoozes, opener: Opener::new(opener), responses: Responses::default() }
    }

    /// Returns for how long the person may put something off by a button.
    pub(super) fn snoozes(&self) -> &[Span] {
        &self.snoozes
    }

    /// Tells from now on of all that the person says on popups.
    pub(super) fn listen(&self) -> mpsc::Receiver<Response> {
        self.responses.listen()
    }

    /// Tells what the person said on a popup of this bus, and opens what they want to see. Never waits.
    ///
    /// Returns what comes of it where they asked for something to be done, in words for them where it was refused. Who closed
    /// a popup or opened a link has got that.
    pub(super) fn pass_on(
        &self,
        said: Said,
        bus: &zbus::Connection,
        token: Option<String>,
    ) -> Option<oneshot::Receiver<Result<(), String>>> {
        let Said { ring, deed } = said;
        let (act, is_asked) = match deed {
            Deed::Dismissed => (Act::Dismiss, false),
            Deed::Chose(Offer::Done) => (Act::Done, true),
            Deed::Chose(Offer::Snooze(by)) => (Act::Snooze(by), true),
            Deed::Chose(Offer::Open { link }) => {
                self.opener.open(link, bus.clone(), token);
                (Act::Ack, false)
            }
        };
        let (outcome, comes_of_it) = oneshot::channel();
        let outcome = is_asked.then_some(outcome);
        self.responses.tell(Response { act, outcome, ..Response::dismissed(ring) });
        is_asked.then_some(comes_of_it)
    }
}

/// Returns the popup and the token of a signal that lets what is opened next come to the front (Desktop Notifications
/// Specification 1.2, Signals, `org.freedesktop.Notifications.ActivationToken`); nothing where it says something else.
pub(super) fn token_of(signal: &zbus::Message) -> Option<(u32, String)> {
    if signal.header().member()?.as_str() != TOKEN {
        return None;
    }
    let body = signal.body();
    let (id, token) = body.deserialize::<(u32, &str)>().ok()?;
    // It becomes a variable of a program: no more than what such a token is made of.
    let is_plain = (1..=TOKEN_BYTES_MAX).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| (id, token.to_owned()))
}

/// Returns what a signal says of a popup; nothing where it says something else, or in words of its own.
pub(super) fn word_of(signal: &zbus::Message) -> Option<Word<Sequence>> {
    let header = signal.header();
    let body = signal.body();
    let (id, news) = match header.member()?.as_str() {
        CLOSED => {
            let (id, reason) = body.deserialize::<(u32, u32)>().ok()?;
            (id, gone_for(reason))
        }
        PRESSED => {
            let (id, key) = body.deserialize::<(u32, &str)>().ok().filter(|(_, key)| key.len() <= KEY_BYTES_MAX)?;
            (id, News::Pressed(key.to_owned()))
        }
        _ => return None,
    };
    Some(Word { id, at: signal.recv_position(), news })
}

const fn gone_for(reason: u32) -> News {
    match reason {
        DISMISSED => News::Dismissed,
        TAKEN_BACK => News::TakenBack,
        _ => News::Left,
    }
}
