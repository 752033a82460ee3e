//! One notification server for as long as it owns its name: what it can do, and which popups it shows for us.
//!
//! All popups share the one connection of the bus: servers tell the sender alone what happens to a popup, let the
//! sender alone close it, and some close all when the sender leaves. notify-rust says what a popup is and how it is
//! encoded; its own sending opens a connection per popup, which would cost a descriptor each or end all that.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use notify_rust::Notification;
use tokio::sync::{OnceCell, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use zbus::Variant;
use zbus::message::Sequence;
use zbus::names::OwnedUniqueName;

use crate::domain::delivery::Delivery;
use crate::domain::task::TaskId;
use crate::notify::desktop::actions::{Buttons, Meaning};
use crate::notify::desktop::hearing::{Hearing, token_of, word_of};
use crate::notify::desktop::popup::{self, BodyText, Sound, compose};
use crate::notify::desktop::shown::{News, Popup, Said, Shown};

pub(super) const PATH: &str = "/org/freedesktop/Notifications";
pub(super) const INTERFACE: &str = "org.freedesktop.Notifications";

/// How many calls may wait for the server's answer, past the time limit too (I9). One that has stopped answers none;
/// what is more than this is then refused at once instead of piling up in the bus.
const UNANSWERED_MAX: usize = 16;

/// How many tasks' popups are remembered (I9): more than a screen holds. The longest untouched is forgotten, and
/// stays on the screen until the person closes it.
const POPUPS_MAX: usize = 1000;

/// A notification server.
#[derive(Debug)]
pub(super) struct Server {
    connection: zbus::Connection,
    /// Calls go to the owner, not to the name: another server knows nothing of this one's popup ids.
    owner: OwnedUniqueName,
    abilities: OnceCell<Abilities>,
    popups: Mutex<Popups>,
    shown: Mutex<Shown<Sequence>>,
    hearing: Arc<Hearing>,
    /// The token of the latest press that had one, with the popup that it was on.
    token: Mutex<Option<(u32, String)>>,
    /// The popup that said last why a button did nothing: the next takes its place.
    refusal: tokio::sync::Mutex<u32>,
    unanswered: Arc<Semaphore>,
    gone: CancellationToken,
}

/// What a server says that it can do, as far as it matters here.
#[derive(Clone, Copy, Debug)]
struct Abilities {
    body_text: BodyText,
    buttons: Buttons,
}

/// Why a popup was not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShowError {
    /// The server left, or its bus.
    #[error("the notification server left the session bus")]
    Gone,
    /// It owes too many answers.
    #[error("cannot show a popup: the notification server has not answered {count} earlier calls")]
    Busy {
        /// How many.
        count: usize,
    },
    /// What was to be shown is no longer wanted.
    #[error("cannot show a popup: it was withdrawn meanwhile")]
    Withdrawn,
    /// It said no.
    #[error("cannot show a popup: the notification server answered {reason}")]
    Refused {
        /// The error that it sent.
        reason: String,
    },
}

impl Server {
    /// Returns the server that is `owner` of the name on this connection. Nothing is sent yet.
    pub(super) fn new(connection: zbus::Connection, owner: OwnedUniqueName, hearing: Arc<Hearing>) -> Arc<Self> {
        Arc::new(Self {
            connection,
            owner,
            abilities: OnceCell::new(),
            popups: Mutex::new(Popups::default()),
            shown: Mutex::new(Shown::new()),
            hearing,
            token: Mutex::new(None),
            refusal: tokio::sync::Mutex::new(0),
            unanswered: Arc::new(Semaphore::new(UNANSWERED_MAX)),
            gone: CancellationToken::new(),
        })
    }

    /// Returns its name, which no other server has, on this bus or another.
    pub(super) fn identity(&self) -> String {
        format!("{}/{}", self.connection.server_guid(), self.owner)
    }

    /// Ends every call under way: the server has lost its name, or the bus is gone.
    pub(super) fn leave(&self) {
        self.gone.cancel();
    }

    /// Shows the popup of a task, in place of an earlier one. The caller limits the time.
    ///
    /// Dropping the future does not take the call back: the server has it already. Its answer is still waited for,
    /// so that the popup can be replaced and closed when a server that had stopped goes on.
    ///
    /// # Errors
    /// The server left, owes too many answers, or refused; or the task was withdrawn meanwhile.
    pub(super) async fn show(self: &Arc<Self>, delivery: &Delivery, sound: Sound) -> Result<(), ShowError> {
        let permit =
            Arc::clone(&self.unanswered).try_acquire_owned().map_err(|_| ShowError::Busy { count: UNANSWERED_MAX })?;
        let task = delivery.task;
        let slot = self.slot(task);
        let withdrawals = slot.withdrawals.load(Ordering::Relaxed);
        let shown = Arc::clone(&slot.shown).lock_owned().await;
        if slot.withdrawals.load(Ordering::Relaxed) != withdrawals {
            return Err(ShowError::Withdrawn);
        }
        let turn = Turn { _permit: permit, slot, task, withdrawals, shown };
        let call = Arc::clone(self).show_once(turn, delivery.clone(), sound);
        let gone = self.gone.clone();
        let call = tokio::spawn(async move { gone.run_until_cancelled(call).await.unwrap_or(Err(ShowError::Gone)) });
        call.await.unwrap_or(Err(ShowError::Gone))
    }

    /// Makes one call, and does what a withdrawal asked for meanwhile.
    async fn show_once(self: Arc<Self>, mut turn: Turn, delivery: Delivery, sound: Sound) -> Result<(), ShowError> {
        let able = *self.abilities.get_or_try_init(|| self.read_capabilities()).await?;
        let meaning = Meaning::of(&delivery, able.buttons, self.hearing.snoozes());
        let mut popup = compose(&delivery.message, delivery.occasion.reason, able.body_text, sound);
        if let Some(meaning) = &meaning {
            meaning.put_on(&mut popup);
        }
        self.remembered(|shown| shown.begin(turn.task));
        let answer = self.notify(&popup, turn.shown.unwrap_or(0)).await;
        let answered = answer.as_ref().ok().map(|(id, since)| Popup { id: *id, since: *since, meaning });
        let shown = answered.as_ref().map(|popup| popup.id);
        let said = self.remembered(|shown| shown.answered(turn.task, answered));
        for said in said {
            self.pass_on(said, shown);
        }
        let (id, _) = answer?;
        *turn.shown = Some(id);
        if turn.slot.withdrawals.load(Ordering::Relaxed) != turn.withdrawals {
            self.close(turn.task, &mut turn.shown).await;
        }
        Ok(())
    }

    /// Closes the popup of a task, if one is shown. The caller limits the time.
    ///
    /// One that is still on its way is closed as soon as the server has shown it.
    pub(super) async fn withdraw(&self, task: TaskId) {
        let Some(slot) = self.popups.lock().expect("no holder of the popups panics").known(task) else { return };
        slot.withdrawals.fetch_add(1, Ordering::Relaxed);
        // Turns are taken in order, so no popup that is asked for after this withdrawal is closed by it.
        self.close(task, &mut *slot.shown.lock().await).await;
    }

    /// Notes what the server of this name says of a popup, ours or not. What the person said by it is told.
    ///
    /// Popups of an earlier run or of other programs are not known, and mean nothing.
    pub(super) fn heard(self: &Arc<Self>, signal: &zbus::Message) {
        // Invariant: nobody but the server itself is believed.
        if signal.header().sender().is_none_or(|sender| *sender != *self.owner) {
            return;
        }
        if let Some(token) = token_of(signal) {
            *self.token.lock().expect("no holder of the token panics") = Some(token);
            return;
        }
        let Some(word) = word_of(signal) else { return };
        let (id, is_off_the_screen) = (word.id, matches!(word.news, News::Dismissed | News::TakenBack));
        let (task, said) = self.remembered(|shown| (shown.task_of(&word), shown.heard(word)));
        if is_off_the_screen && let Some(task) = task {
            self.is_gone(task, id);
        }
        if let Some(said) = said {
            self.pass_on(said, Some(id));
        }
    }

    /// Passes on what the person said by a popup, and tells them where nothing comes of it: they pressed a button, and would
    /// take it for done.
    fn pass_on(self: &Arc<Self>, said: Said, popup: Option<u32>) {
        let token = self.token.lock().expect("no holder of the token panics").take_if(|(id, _)| popup == Some(*id));
        let comes_of_it = self.hearing.pass_on(said, &self.connection, token.map(|(_, token)| token));
        let Some(comes_of_it) = comes_of_it else { return };
        let server = Arc::clone(self);
        tokio::spawn(async move {
            // Where it was not heard at all, that is logged.
            if let Ok(Err(why)) = comes_of_it.await
                && let Some(Err(error)) = server.gone.run_until_cancelled(server.refuse(&why)).await
            {
                tracing::debug!(%error, "nobody was told why a button did nothing");
            }
        });
    }

    async fn refuse(&self, why: &str) -> Result<(), ShowError> {
        let _permit = self.unanswered.try_acquire().map_err(|_| ShowError::Busy { count: UNANSWERED_MAX })?;
        let able = *self.abilities.get_or_try_init(|| self.read_capabilities()).await?;
        let mut last = self.refusal.lock().await;
        (*last, _) = self.notify(&popup::refused(why, able.body_text), *last).await?;
        Ok(())
    }

    /// Notes that nothing is left of a popup to be replaced or taken back; where a call is under way, that finds it so.
    fn is_gone(&self, task: TaskId, id: u32) {
        let slot = self.popups.lock().expect("no holder of the popups panics").known(task);
        if let Some(mut shown) = slot.as_ref().and_then(|slot| slot.shown.try_lock().ok())
            && *shown == Some(id)
        {
            *shown = None;
        }
    }

    fn remembered<T>(&self, what: impl FnOnce(&mut Shown<Sequence>) -> T) -> T {
        what(&mut self.shown.lock().expect("no holder of what is shown panics"))
    }

    /// Returns the place of a task's popup, and forgets the longest untouched where there are too many.
    fn slot(&self, task: TaskId) -> Arc<Slot> {
        let (slot, forgotten) = self.popups.lock().expect("no holder of the popups panics").slot(task);
        if let Some(task) = forgotten {
            self.remembered(|shown| shown.forget(task));
        }
        slot
    }

    async fn close(&self, task: TaskId, shown: &mut Option<u32>) {
        self.remembered(|shown| shown.closed(task));
        let Some(id) = shown.take() else { return };
        let reply =
            self.connection.call_method(Some(&self.owner), PATH, Some(INTERFACE), "CloseNotification", &id).await;
        if let Err(error) = answer(reply) {
            tracing::debug!(%error, id, "the notification server did not close a popup");
        }
    }

    async fn read_capabilities(&self) -> Result<Abilities, ShowError> {
        let reply = self.connection.call_method(Some(&self.owner), PATH, Some(INTERFACE), "GetCapabilities", &()).await;
        let capabilities: Vec<String> = answer(reply)?.body().deserialize().map_err(|error| refused(&error))?;
        tracing::debug!(owner = %self.owner, ?capabilities, "the notification server told what it can do");
        Ok(Abilities {
            body_text: BodyText::of_capabilities(&capabilities),
            buttons: Buttons::of_capabilities(&capabilities),
        })
    }

    async fn notify(&self, popup: &Notification, replaces: u32) -> Result<(u32, Sequence), ShowError> {
        let hints: HashMap<&str, Variant<'_>> = popup.hints.iter().map(Into::into).collect();
        let arguments = (
            &popup.appname,
            replaces,
            &popup.icon,
            &popup.summary,
            &popup.body,
            &popup.actions,
            hints,
            i32::from(popup.timeout),
        );
        let reply = self.connection.call_method(Some(&self.owner), PATH, Some(INTERFACE), "Notify", &arguments).await;
        let reply = answer(reply)?;
        let id = reply.body().deserialize().map_err(|error| refused(&error))?;
        Ok((id, reply.recv_position()))
    }
}

fn answer(reply: zbus::Result<zbus::Message>) -> Result<zbus::Message, ShowError> {
    reply.map_err(|error| if is_gone(&error) { ShowError::Gone } else { refused(&error) })
}

fn refused(error: &zbus::Error) -> ShowError {
    ShowError::Refused { reason: error.to_string() }
}

/// Returns whether the error says that nobody is there to answer, rather than being the answer.
pub(super) fn is_gone(error: &zbus::Error) -> bool {
    match error {
        zbus::Error::FDO(error) => matches!(
            **error,
            zbus::fdo::Error::ServiceUnknown(_)
                | zbus::fdo::Error::NameHasNoOwner(_)
                // The bus says so of a peer that left before it answered.
                | zbus::fdo::Error::NoReply(_)
                | zbus::fdo::Error::Disconnected(_)
        ),
        // Another crate's enum, with variants behind features: all else is the peer's own answer.
        zbus::Error::InputOutput(_) | zbus::Error::Connection(..) => true,
        _ => false,
    }
}

/// The popups that the server shows for us, one a task.
#[derive(Debug, Default)]
struct Popups {
    slots: HashMap<TaskId, Arc<Slot>>,
    /// Counts the uses, so that the longest untouched can be told.
    uses: u64,
    used_at: HashMap<TaskId, u64>,
}

/// The place of one task's popup.
#[derive(Debug, Default)]
struct Slot {
    /// The server's id of the popup; held while a call about it is under way.
    shown: Arc<tokio::sync::Mutex<Option<u32>>>,
    /// Counts the withdrawals: a popup that was asked for before the latest is not to stay.
    withdrawals: AtomicU64,
}

/// The right to call the server about one task; calls of one task follow each other.
#[derive(Debug)]
struct Turn {
    // Dropped first: whoever has the slot next finds the place of this call free.
    _permit: OwnedSemaphorePermit,
    slot: Arc<Slot>,
    task: TaskId,
    /// The withdrawals when the popup was asked for.
    withdrawals: u64,
    shown: OwnedMutexGuard<Option<u32>>,
}

impl Popups {
    /// Returns the place of a task's popup, and the task that was forgotten for it.
    fn slot(&mut self, task: TaskId) -> (Arc<Slot>, Option<TaskId>) {
        self.uses += 1;
        self.used_at.insert(task, self.uses);
        let slot = Arc::clone(self.slots.entry(task).or_default());
        let is_overfull = self.slots.len() > POPUPS_MAX;
        (slot, is_overfull.then(|| self.forget_longest_untouched()).flatten())
    }

    fn known(&self, task: TaskId) -> Option<Arc<Slot>> {
        self.slots.get(&task).cloned()
    }

    /// Invariant: a slot in use is never forgotten, or two calls of one task could overlap.
    fn forget_longest_untouched(&mut self) -> Option<TaskId> {
        let idle = self.slots.iter().filter(|(_, slot)| Arc::strong_count(slot) == 1).map(|(task, _)| *task);
        let task = idle.min_by_key(|task| self.used_at.get(task).copied())?;
        self.slots.remove(&task);
        self.used_at.remove(&task);
        Some(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    #[test]
    fn the_longest_untouched_popup_is_forgotten_and_one_in_use_is_not() {
        let task = |n: usize| TaskId(Uuid::from_u128(n as u128));
        let mut popups = Popups::default();
        let (in_use, _) = popups.slot(task(0));
        for n in 1..POPUPS_MAX {
            popups.slot(task(n));
        }
        popups.slot(task(1));
        assert_eq!(popups.slot(task(POPUPS_MAX)).1, Some(task(2)));
        assert_eq!((popups.slots.len(), popups.used_at.len()), (POPUPS_MAX, POPUPS_MAX));
        assert!(Arc::ptr_eq(&in_use, &popups.slot(task(0)).0));
        assert!(popups.known(task(1)).is_some());
        assert!(popups.known(task(2)).is_none());
    }
}
