//! Who leaves when all connections are taken? The one that has been idle longest, so that nobody can lock the others out
//! by keeping connections that do nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::api::waiting::WAITING_MAX;

/// What a connection is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Standing {
    /// It waits for its caller.
    Idle,
    /// It waits for events to tell: that is its use, so it leaves after all that are merely idle.
    Following,
    /// It does a request, or writes an answer.
    Busy,
}

/// All connections that are open.
#[derive(Debug, Default)]
pub(super) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    seats: BTreeMap<u64, Seat>,
    last_number: u64,
    /// Counts every change of standing: an order of idleness that needs no clock.
    turns: u64,
}

#[derive(Debug)]
struct Seat {
    standing: Standing,
    since: u64,
    /// Whether a call of it waits for something to happen: then it stays, since its answer is what it is there for.
    is_waiting: bool,
    leave: CancellationToken,
}

/// One connection's seat, given back with this value.
#[derive(Debug)]
pub(super) struct Place {
    seats: Arc<Seats>,
    number: u64,
    leave: CancellationToken,
}

impl Seats {
    /// Takes a seat for a new connection.
    pub(super) fn take(self: &Arc<Self>) -> Place {
        let leave = CancellationToken::new();
        let mut taken = self.lock();
        taken.last_number += 1;
        taken.turns += 1;
        let (number, since) = (taken.last_number, taken.turns);
        taken.seats.insert(number, Seat { standing: Standing::Idle, since, is_waiting: false, leave: leave.clone() });
        Place { seats: Arc::clone(self), number, leave }
    }

    /// Asks the connection to leave that has been idle longest; answers whether there is one.
    pub(super) fn free_one(&self) -> bool {
        let taken = self.lock();
        let may_leave =
            |seat: &&Seat| seat.standing != Standing::Busy && !seat.is_waiting && !seat.leave.is_cancelled();
        let idle = taken.seats.values().filter(may_leave);
        match idle.min_by_key(|seat| (seat.standing, seat.since)) {
            Some(seat) => {
                seat.leave.cancel();
                true
            }
            None => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // A panic elsewhere cannot leave it half changed in a way that matters.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Notes what the connection does from now on.
    pub(super) fn set(&self, standing: Standing) {
        let mut taken = self.seats.lock();
        taken.turns += 1;
        let since = taken.turns;
        if let Some(seat) = taken.seats.get_mut(&self.number) {
            seat.standing = standing;
            seat.since = since;
        }
    }

    /// Notes for how much the connection waits; answers whether it may, since not all connections may wait.
    pub(super) fn waits_for(&self, count: usize) -> bool {
        let mut taken = self.seats.lock();
        let waiting = taken.seats.values().filter(|seat| seat.is_waiting).count();
        let Some(seat) = taken.seats.get_mut(&self.number) else { return false };
        if count > 0 && !seat.is_waiting && waiting >= WAITING_MAX {
            return false;
        }
        seat.is_waiting = count > 0;
        true
    }

    /// Returns what is cancelled when the connection is to leave.
    pub(super) fn leave(&self) -> CancellationToken {
        self.leave.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.seats.lock().seats.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_idlest_leaves_first_then_those_that_follow_and_nobody_who_is_busy() {
        let seats = Arc::new(Seats::default());
        let places: Vec<Place> = (0..4).map(|_| seats.take()).collect();
        places[0].set(Standing::Following);
        places[1].set(Standing::Idle);
        places[2].set(Standing::Busy);
        let mut left = Vec::new();
        while seats.free_one() {
            left.extend((0..4).find(|index| places[*index].leave.is_cancelled() && !left.contains(index)));
        }
        assert_eq!(left, [3, 1, 0], "the third has said nothing since the others did");
    }

    #[test]
    fn a_seat_is_given_back() {
        let seats = Arc::new(Seats::default());
        drop(seats.take());
        assert!(!seats.free_one());
    }
}
