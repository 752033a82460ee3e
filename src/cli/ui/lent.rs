//! Whose is Ctrl-C while another program has the terminal? That program's: it reaches both, and this process is to live on, so
//! that it takes back what it lent.

#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the terminal is lent.
#[cfg(unix)]
static IS_LENT: AtomicBool = AtomicBool::new(false);

/// A terminal that another program has, for as long as this value lives.
pub(super) struct Lent(());

impl Lent {
    /// Lends it.
    pub(super) fn begin() -> Self {
        #[cfg(unix)]
        {
            heed_interrupts();
            IS_LENT.store(true, Ordering::SeqCst);
        }
        Self(())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        #[cfg(unix)]
        IS_LENT.store(false, Ordering::SeqCst);
    }
}

/// Lets Ctrl-C end the process only while the terminal is its own.
#[cfg(unix)]
fn heed_interrupts() {
    use tokio::signal::unix::{SignalKind, signal};

    use crate::cli::error::Exit;

    static IS_HEEDED: AtomicBool = AtomicBool::new(false);
    if IS_HEEDED.swap(true, Ordering::SeqCst) {
        return;
    }
    let (ready, is_ready) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            let Ok(mut interrupts) = signal(SignalKind::interrupt()) else { return };
            drop(ready);
            while interrupts.recv().await.is_some() {
                if !IS_LENT.load(Ordering::SeqCst) {
                    std::process::exit(Exit::Interrupted.code().into());
                }
            }
        });
    });
    // Its end says that the signal is listened for.
    let _ = is_ready.recv();
}
