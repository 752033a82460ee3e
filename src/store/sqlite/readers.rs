//! The connections that answer questions. They see the last committed state and never wait for the writer, unless a
//! full disk leaves room for one connection only.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::store::StoreError;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::schema;

/// The most questions answered at once; each connection costs a file descriptor and a page cache.
const READERS_MAX: usize = 4;

/// A small pool of connections, opened when they are first needed.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    pool: Mutex<Pool>,
    /// Told when a connection comes back or the pool closes.
    returned: Condvar,
}

#[derive(Debug)]
struct Pool {
    /// The writer's connection, where there can be no other.
    only: Option<Arc<Mutex<Connection>>>,
    idle: Vec<Connection>,
    lent: usize,
    is_closed: bool,
}

impl Readers {
    /// Returns a pool of its own connections, or one that asks `only`.
    pub(crate) const fn new(path: PathBuf, only: Option<Arc<Mutex<Connection>>>) -> Self {
        let pool = Pool { only, idle: Vec::new(), lent: 0, is_closed: false };
        Self { path, pool: Mutex::new(pool), returned: Condvar::new() }
    }

    /// Answers a question, when all are busy after another one.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut loan = self.lend()?;
        if let Some(only) = &loan.only {
            return question(&only.lock().unwrap_or_else(PoisonError::into_inner));
        }
        if loan.connection.is_none() {
            loan.connection = Some(schema::open_reader(&self.path)?);
        }
        question(loan.connection.as_ref().expect("it was opened just above"))
    }

    /// Closes the idle connections; a busy one is closed when it has answered. Later questions are refused.
    pub(crate) fn close(&self) {
        let mut pool = self.lock();
        pool.is_closed = true;
        pool.idle.clear();
        pool.only = None;
        self.returned.notify_all();
    }

    fn lend(&self) -> Result<Loan<'_>, Fault> {
        let mut pool = self
            .returned
            .wait_while(self.lock(), |pool| !pool.is_closed && pool.lent == READERS_MAX)
            .unwrap_or_else(PoisonError::into_inner);
        if pool.is_closed {
            return Err(Fault::Refused(StoreError::Closed));
        }
        pool.lent += 1;
        Ok(Loan { readers: self, only: pool.only.clone(), connection: pool.idle.pop() })
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        // A panic elsewhere cannot leave the pool half changed: each change is one statement.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the pool, given back also when a question panics.
struct Loan<'a> {
    readers: &'a Readers,
    only: Option<Arc<Mutex<Connection>>>,
    connection: Option<Connection>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.lock();
        pool.lent -= 1;
        if !pool.is_closed {
            pool.idle.extend(self.connection.take());
        }
        self.readers.returned.notify_one();
    }
}
