//! What does one connection wait for? Calls that are answered when something has happened, while others go on.

use std::collections::BTreeMap;
use std::future::pending;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::api::handlers::awaiting::{Awaiting, Wanted};
use crate::engine::input::CallError;
use crate::engine::waits::Waited;
use crate::protocol::envelope::Id;

/// How many waits one connection may have: as many tasks as a person can name at once, `1-1000`.
pub(super) const WAITS_MAX: usize = 1000;

/// How many connections may wait. They stay for as long as it takes and are not hung up on for others, so half of all
/// places are left to those who ask.
pub(super) const WAITING_MAX: usize = crate::api::listen::CONNECTIONS_MAX / 2;

/// A wait that is over.
pub(super) struct Over {
    /// Who is answered.
    pub(super) id: Id,
    /// What was waited for.
    pub(super) wanted: Wanted,
    /// What came of it.
    pub(super) waited: Result<Waited, CallError>,
}

/// The waits of a connection. They end with this value.
#[derive(Default)]
pub(super) struct Waits {
    ends: FuturesUnordered<BoxFuture<'static, (u64, Result<Waited, CallError>)>>,
    open: BTreeMap<u64, (Id, Wanted)>,
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
        let Awaiting { wanted, end } = awaiting;
        self.last_number += 1;
        let number = self.last_number;
        self.open.insert(number, (id, wanted));
        self.ends.push(Box::pin(async move { (number, end.await.unwrap_or(Err(CallError::Stopping))) }));
    }

    /// Waits for the next that is over; for ever where there is none.
    pub(super) async fn next(&mut self) -> Over {
        loop {
            match self.ends.next().await {
                Some((number, waited)) => {
                    if let Some((id, wanted)) = self.open.remove(&number) {
                        return Over { id, wanted, waited };
                    }
                }
                None => pending::<()>().await,
            }
        }
    }

    /// Ends all of them, since the daemon stops, and returns who is to be told so.
    pub(super) fn give_up(&mut self) -> Vec<Id> {
        self.ends.clear();
        std::mem::take(&mut self.open).into_values().map(|(id, _)| id).collect()
    }
}
