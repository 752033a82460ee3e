//! What is said when the person presses Ctrl-C? A last word, and then the process ends as it would have without: by the signal,
//! so that a shell knows it (130) and a loop in a script ends too.

use std::thread;

use nix::sys::signal::{SigSet, Signal, raise};

/// Runs `farewell` where an interrupt comes from now on, before it ends the process.
///
/// Where it cannot be listened for, it ends the process as ever.
pub(super) fn say(farewell: impl FnOnce() + Send + 'static) {
    let mut interrupt = SigSet::empty();
    interrupt.add(Signal::SIGINT);
    // Threads begin with what is blocked in the one that starts them, so that the signal waits for the one below.
    if interrupt.thread_block().is_err() {
        return;
    }
    let listening = thread::Builder::new().spawn(move || {
        if interrupt.wait().is_ok() {
            farewell();
        }
        // Not caught any more, it ends the process.
        let _ = interrupt.thread_unblock().and_then(|()| raise(Signal::SIGINT));
    });
    if listening.is_err() {
        let _ = interrupt.thread_unblock();
    }
}
