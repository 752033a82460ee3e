//! How far is it? A bar on a person's terminal for what takes more than a second, and nothing else for anybody.

use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What takes less is over before anybody would read it.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// How often what cannot be counted moves, so that it is seen to go on.
const MOVES_EVERY: Duration = Duration::from_millis(120);

/// A bar that shows itself once it takes long. It goes when it is dropped.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    is_shown: bool,
}

impl Progress {
    /// Returns one that never shows itself.
    pub(crate) const fn hidden() -> Self {
        Self { bar: None, is_shown: false }
    }

    /// Returns one for `total` steps of `what`.
    pub(crate) fn counted(total: u64, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {bar:30} {percent}%  {eta} left");
        bar.set_style(style.expect("the template is fixed"));
        bar.set_message(what);
        Self { bar: Some(bar), is_shown: false }
    }

    /// Notes that some steps are done.
    pub(crate) fn advance(&mut self, steps: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(steps);
        if !self.is_shown && bar.elapsed() > SHOWN_AFTER {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What goes on without anybody knowing how far it is, said once it takes long. It goes when it is dropped.
pub(crate) struct Patience {
    /// Dropped first: the thread ends with it.
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Patience {
    /// Returns one that never shows itself.
    pub(crate) const fn hidden() -> Self {
        Self { over: None, thread: None }
    }

    /// Returns one that says `what`.
    pub(crate) fn with(what: &'static str) -> Self {
        let (over, is_over) = channel::<()>();
        let thread = thread::spawn(move || {
            // It ends early where the other side is dropped.
            if is_over.recv_timeout(SHOWN_AFTER) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(what);
            bar.enable_steady_tick(MOVES_EVERY);
            let _ = is_over.recv();
            bar.finish_and_clear();
        });
        Self { over: Some(over), thread: Some(thread) }
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // Whatever it drew is gone when this returns.
            let _ = thread.join();
        }
    }
}
