//! When does the network come back? Waits for it without a beat of its own.
//!
//! The answer is only a hint that another attempt may succeed; it never says who can be reached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;
use tokio::time::timeout;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod netlink;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub use netlink::SystemNetwork;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub use portable::SystemNetwork;

/// So long nothing more may change before it is told: a link, its address and its routes come one after the other.
const SETTLED_AFTER: Duration = Duration::from_secs(1);

/// It is told at the latest so long after the first change, however much goes on changing.
const TOLD_WITHIN: Duration = Duration::from_secs(5);

/// Where word of the network comes from.
pub trait Network: Send + Sync + 'static {
    /// Waits until a link, an address or a way out appears that was not there. Dropping the future loses nothing.
    fn came_back(&self) -> BoxFuture<'_, ()>;
}

/// A network of which nothing is heard, such as beside a programmable clock.
#[derive(Clone, Copy, Debug)]
pub struct SilentNetwork;

impl Network for SilentNetwork {
    fn came_back(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// Tells of a network as long as this value lives.
pub struct Heeding(JoinHandle<()>);

impl Heeding {
    /// Calls `tell` whenever `network` has come back and settled.
    #[must_use]
    pub fn of(network: Arc<dyn Network>, tell: impl Fn() + Send + 'static) -> Self {
        Self::with(network, SETTLED_AFTER, TOLD_WITHIN, tell)
    }

    fn with(
        network: Arc<dyn Network>,
        settled_after: Duration,
        told_within: Duration,
        tell: impl Fn() + Send + 'static,
    ) -> Self {
        Self(tokio::spawn(async move {
            loop {
                network.came_back().await;
                let settled = async { while timeout(settled_after, network.came_back()).await.is_ok() {} };
                // Past this it is told all the same; what changes later is told anew.
                let _ = timeout(told_within, settled).await;
                tell();
            }
        }))
    }
}

impl Drop for Heeding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl fmt::Debug for Heeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Heeding")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tokio::sync::mpsc;

    struct Fake(tokio::sync::Mutex<mpsc::UnboundedReceiver<()>>);

    impl Network for Fake {
        fn came_back(&self) -> BoxFuture<'_, ()> {
            Box::pin(async {
                let heard = self.0.lock().await.recv().await;
                if heard.is_none() {
                    std::future::pending::<()>().await;
                }
            })
        }
    }

    const SHORT: Duration = Duration::from_millis(20);

    fn heeding(told_within: Duration) -> (mpsc::UnboundedSender<()>, mpsc::UnboundedReceiver<()>, Heeding) {
        let (change, changes) = mpsc::unbounded_channel();
        let (told, telling) = mpsc::unbounded_channel();
        let network = Arc::new(Fake(changes.into()));
        (
            change,
            telling,
            Heeding::with(network, SHORT, told_within, move || {
                let _ = told.send(());
            }),
        )
    }

    #[tokio::test]
    async fn many_changes_at_once_are_told_once() {
        let (change, mut telling, _heeding) = heeding(Duration::from_mins(1));
        for _ in 0..20 {
            change.send(()).unwrap();
        }
        telling.recv().await.unwrap();
        assert!(timeout(SHORT * 5, telling.recv()).await.is_err(), "told twice");
        change.send(()).unwrap();
        telling.recv().await.unwrap();
    }

    #[tokio::test]
    async fn changes_without_end_are_told_now_and_then() {
        let (change, mut telling, _heeding) = heeding(SHORT * 3);
        let flapping = tokio::spawn(async move {
            // Faster than anything settles.
            while change.send(()).is_ok() {
                let _ = timeout(SHORT / 10, std::future::pending::<()>()).await;
            }
        });
        for _ in 0..3 {
            telling.recv().await.unwrap();
        }
        flapping.abort();
    }
}
