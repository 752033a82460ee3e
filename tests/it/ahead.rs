//! Very many are due at once: is what is read ahead of its turn still true when its turn comes?

use std::collections::BTreeMap;

use keiko::domain::command::{Command, Expected};
use keiko::domain::delivery::ChannelKind;
use keiko::domain::device_event::AnyEvent;
use keiko::domain::event::Actor;
use keiko::domain::task::TaskId;
use keiko::engine::input::Call;
use keiko::notify::recording::RecordingChannel;
use keiko::store::Store as _;

use crate::support::desk::{Desk, after, once};
use crate::support::soon;

/// More than two commits take.
const TASKS: usize = 1_100;

/// How many due tasks one commit takes.
const BATCH: usize = 512;

/// The first batch is being written, and the second has been read, when a person is done with two tasks of it and of the
/// third: none of them rings, and each other one rings once.
#[tokio::test]
async fn what_changes_while_it_is_read_ahead_is_rung_as_it_then_is() {
    let desk = Desk::new(|_| RecordingChannel::new(ChannelKind::Desktop)).await;
    let mut ids = Vec::new();
    for number in 0..TASKS {
        ids.push(desk.add(&format!("task {number}"), "desktop", once(1)).await);
    }
    // They come up in this order, since all are due at the same time.
    ids.sort_unstable();
    let store = desk.store();
    store.pause();
    let mut waiting = store.waiting();
    let ((), ()) = tokio::join!(desk.to(1), async {
        soon("the first batch", waiting.wait_for(|waiting| *waiting == 1)).await.expect("the store lives");
        let changed = [ids[BATCH], ids[BATCH * 2 - 1], ids[TASKS - 1]];
        let done = changed.map(|task| {
            let command = Command::Done { early: true };
            let call = Call { task, command, expected: Expected::default(), actor: Actor::Person, key: None };
            desk.handle().call(call)
        });
        let release = async {
            // Once the calls wait behind the batch.
            tokio::task::yield_now().await;
            store.release();
        };
        let (done, ()) = tokio::join!(futures_util::future::join_all(done), release);
        assert!(done.iter().all(Result::is_ok), "{done:?}");
    });
    assert_eq!(desk.handle().advance(after(2)).await.expect("forwards"), after(2));
    let mut fired: BTreeMap<TaskId, usize> = ids.iter().map(|id| (*id, 0)).collect();
    for stored in store.events_since(0, usize::MAX).expect("readable") {
        if let AnyEvent::Task(event) = stored.event
            && event.operation.firing().is_some()
        {
            *fired.entry(event.snapshot.task.id).or_default() += 1;
        }
    }
    let silent: Vec<TaskId> = fired.iter().filter(|(_, times)| **times == 0).map(|(id, _)| *id).collect();
    assert_eq!(silent, [ids[BATCH], ids[BATCH * 2 - 1], ids[TASKS - 1]]);
    assert!(fired.values().all(|times| *times <= 1), "{fired:?}");
}
