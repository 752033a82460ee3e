//! What does one connection wait for? Calls that are answered when something has happened, while others go on.

use std::collections::BTreeMap;
use std::future::pending;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::api::handlers::awaiting::{Awaiting, Over};
use crate::protocol::envelope::Id;

/// How many waits one connection may have: as many tasks as a person can name at once, `1-1000`.
pub(super) const WAITS_MAX: usize = 1000;

/// How many connections may wait. They stay for as long as it takes and are not hung up on for others, so half of all
/// places are left to those who ask.
pub(super) const WAITING_MAX: usize = crate::api::listen::CONNECTIONS_MAX / 2;

/// The waits of a connection. They end with this value.
#[derive(Default)]
pub(super) struct Waits {
    ends: FuturesUnordered<BoxFuture<'static, (u64, Over)>>,
    /// Who is answered.
    open: BTreeMap<u64, Id>,
    last_number: u64,
}

impl Waits {
    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes one more.
    pub(super) fn push(&mut self, id: Id, awaiting: Awaiting) {
        let Awaiting(end) = awaiting;
        self.last_number += 1;
        let number = self.last_number;
        self.open.insert(number, id);
        self.ends.push(Box::pin(async move { (number, end.await) }));
    }

    /// Waits for the next that is over, and returns who is answered; for ever where there is none.
    pub(super) async fn next(&mut self) -> (Id, Over) {
        loop {
            match self.ends.next().await {
                Some((number, over)) => {
                    if let Some(id) = self.open.remove(&number) {
                        return (id, over);
                    }
                }
                None => pending::<()>().await,
            }
        }
    }

    /// Ends all of them, since the daemon stops, and returns who is to be told so.
    pub(super) fn give_up(&mut self) -> Vec<Id> {
        self.ends.clear();
        std::mem::take(&mut self.open).into_values().collect()
    }
}
