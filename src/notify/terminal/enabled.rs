//! The terminal channel of Unix: joins deliveries with what tmux and the devices say, and follows who is there.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::message::Message;
use crate::notify::changes::{Changes, Watched};
use crate::notify::terminal::{Terminals, devices, tmux};
use crate::notify::{Channel, Presence, text};

/// How many messages are shown at once. A later one hides an earlier one, so more would not be read.
const WORKERS: usize = 1;

/// The longest that a delivery may take.
const DELIVERED_WITHIN: Duration = Duration::from_secs(5);

/// How often, and how long apart, is looked again after a change.
///
/// A terminal appears a moment before its session starts there, and nothing tells of that second step.
const SETTLING_LOOKS: u32 = 3;
const SETTLING_PAUSE: Duration = Duration::from_millis(500);

/// Fits into the queue of any terminal at once, and no status line is longer.
const LINE_BYTES_MAX: usize = 1024;

/// The person's terminals.
#[derive(Debug)]
pub struct TerminalChannel {
    shared: Arc<Shared>,
    follower: AbortHandle,
}

#[derive(Debug)]
struct Shared {
    terminals: Terminals,
    presence: watch::Sender<Presence>,
    knock: Notify,
    /// Held while processes are started to look or to show: one round of them at a time (I9).
    looking: Mutex<()>,
}

/// Where a line can be shown now.
#[derive(Debug, Default)]
struct Reach {
    clients: Vec<tmux::Client>,
    devices: Vec<std::path::PathBuf>,
}

impl TerminalChannel {
    /// Starts to look for terminals, and follows them until the channel is dropped.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn start(terminals: Terminals) -> Self {
        let presence = watch::Sender::new(Presence::not_looked_yet());
        let shared = Arc::new(Shared { terminals, presence, knock: Notify::new(), looking: Mutex::new(()) });
        let shared_with_it = Arc::clone(&shared);
        let follower = tokio::spawn(async move { shared_with_it.follow().await }).abort_handle();
        Self { shared, follower }
    }
}

impl Drop for TerminalChannel {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Channel for TerminalChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Terminal
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.shared.deliver(delivery).boxed()
    }

    /// What was written cannot be taken back.
    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.shared.presence.subscribe()
    }
}

impl Shared {
    /// Follows who is there, for ever, without a beat.
    async fn follow(&self) {
        let mut looks_left = 0;
        loop {
            // Watched before it is looked, so that nothing is missed between the two.
            let changes = Changes::over(&self.watched());
            let reach = {
                let _turn = self.looking.lock().await;
                self.reach().await
            };
            self.tell(&reach);
            let woken = async {
                tokio::select! {
                    () = changes.next() => true,
                    () = self.knock.notified() => false,
                }
            };
            looks_left = if looks_left == 0 {
                if woken.await { SETTLING_LOOKS } else { 0 }
            } else {
                match timeout(SETTLING_PAUSE, woken).await {
                    Ok(true) => SETTLING_LOOKS,
                    Ok(false) | Err(_) => looks_left - 1,
                }
            };
        }
    }

    /// Terminals that appear, vanish or change their mode; tmux marks its socket when a client attaches or leaves.
    ///
    /// tmux's directory may not exist yet; its first server also opens a terminal, which tells.
    fn watched(&self) -> Vec<Watched> {
        let devices = self.terminals.devices.iter().filter(|(_, prefix)| prefix.is_empty());
        let devices = devices.map(|(directory, _)| Watched::Inside(directory.clone()));
        devices.chain([Watched::Inside(self.terminals.tmux_sockets.clone())]).collect()
    }

    async fn reach(&self) -> Reach {
        let tmux = tmux::look(&self.terminals).await;
        let terminals = self.terminals.clone();
        let devices = spawn_blocking(move || devices::look(&terminals, &tmux.panes)).await.unwrap_or_default();
        Reach { clients: tmux.clients, devices }
    }

    /// Tells a change; one terminal more is told too, since what waits may now be taken.
    fn tell(&self, reach: &Reach) {
        let now = if reach.clients.is_empty() && reach.devices.is_empty() {
            Presence::Away { reason: NOBODY.to_owned() }
        } else {
            Presence::Present
        };
        self.presence.send_if_modified(|presence| {
            let is_news = *presence != now;
            *presence = now;
            is_news
        });
    }

    async fn deliver(&self, delivery: &Delivery) -> Report {
        let show = async {
            let _turn = self.looking.lock().await;
            let reach = self.reach().await;
            self.show(reach, &line(&delivery.message)).await
        };
        timeout(DELIVERED_WITHIN, show).await.unwrap_or_else(|_| Report::Failed {
            error: format!("cannot write to a terminal: it took longer than {DELIVERED_WITHIN:?}"),
            is_final: false,
            retry_after: None,
        })
    }

    async fn show(&self, reach: Reach, line: &str) -> Report {
        let shown = join_all(reach.clients.iter().map(|client| tmux::show(&self.terminals, client, line))).await;
        if shown.contains(&true) {
            return Report::DELIVERED;
        }
        let count = reach.clients.len() + reach.devices.len();
        if count == 0 {
            self.knock.notify_one();
            return Report::Away { reason: NOBODY.to_owned() };
        }
        let (terminals, line) = (self.terminals.clone(), line.to_owned());
        let write = move || {
            let written = reach.devices.iter().filter(|device| devices::write(&terminals, device, &line));
            written.count()
        };
        match spawn_blocking(write).await {
            Ok(1..) => Report::DELIVERED,
            Ok(0) | Err(_) => Report::Failed {
                error: format!("cannot write to a terminal: none of {count} took the line"),
                is_final: false,
                retry_after: None,
            },
        }
    }
}

const NOBODY: &str = "no tmux client of yours is attached, and no terminal of yours has a session";

/// The message on one line that steers nothing.
fn line(message: &Message) -> String {
    let mut parts = vec![text::line(&message.title)];
    if parts[0].is_empty() {
        parts[0] = format!("Reminder {}", message.number);
    }
    let body = text::lines(&message.body);
    let body: Vec<&str> = body.lines().filter(|line| !line.is_empty()).collect();
    parts.extend((!body.is_empty()).then(|| format!("({})", body.join("; "))));
    parts.extend(message.link.as_deref().map(text::line).filter(|link| !link.is_empty()));
    let how = format!(" · {}", message.how());
    let what = format!("keiko: {}", parts.join(" "));
    text::cut(&what, LINE_BYTES_MAX - how.len()) + &how
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::domain::task::{Number, Priority};

    fn message(title: &str, body: &str) -> Message {
        let (title, body) = (title.to_owned(), body.to_owned());
        Message { number: Number(12), title, body, priority: Priority::Normal, link: None }
    }

    #[test]
    fn a_message_is_one_line_that_steers_nothing() {
        assert_eq!(
            line(&message("交房租 👨‍👩‍👧", "due 16:00\n\nbring\tmoney")),
            "keiko: 交房租 👨‍👩‍👧 (due 16:00; bring money) · keiko done 12"
        );
        assert_eq!(line(&message("a\u{1b}[2J\nb\u{9b}c\u{202e}", "")), "keiko: a [2J b c · keiko done 12");
        assert_eq!(line(&message("\u{7}", "\u{1b}")), "keiko: Reminder 12 · keiko done 12");
    }

    #[test]
    fn a_long_message_fits_and_still_says_what_to_type() {
        let long = line(&message(&"交".repeat(5000), "due 16:00"));
        assert!(long.len() <= LINE_BYTES_MAX && long.ends_with("… · keiko done 12"));
    }
}
