//! What is done while a batch is being written? Whatever costs time and waits for nothing: the log, and a look at what comes
//! next. It decides nothing.

use crate::engine::log_lines::LogLine;
use crate::engine::run::{DUE_MAX, Engine};

/// How many are due at least when they are read ahead: fewer are read as fast one by one.
const READ_AHEAD_MIN: usize = 8;

impl Engine {
    /// Writes the lines of what was committed last.
    pub(super) fn write_log(&mut self) {
        self.unlogged.drain(..).for_each(|line: LogLine| line.write());
    }

    /// Reads the tasks whose turn comes next, where many are due. What the batch that is being written makes of them is
    /// not known yet: so each counts only as long as its version is the one that is due.
    pub(super) fn read_ahead(&mut self) {
        let now = self.clock.now();
        if self.is_stopping || self.wakes.next_deadline().is_none_or(|next| next > now) {
            return;
        }
        let next = self.wakes.peek_due(now, DUE_MAX);
        if next.len() >= READ_AHEAD_MIN {
            // Where it cannot be read now, it is when its turn comes, and that then says so.
            let read = self.store.snapshots(&next).unwrap_or_default();
            self.ahead = read.into_iter().map(|snapshot| (snapshot.task.id, snapshot)).collect();
        }
    }
}
