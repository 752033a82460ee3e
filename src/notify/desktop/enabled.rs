//! The desktop channel of a build with the feature `desktop`: joins deliveries with the link to the server.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::task::TaskId;
use crate::notify::desktop::link::Link;
use crate::notify::desktop::popup::Sound;
use crate::notify::desktop::server::ShowError;
use crate::notify::desktop::{Choices, Looked, SessionBus};
use crate::notify::responses::Response;
use crate::notify::{Channel, Presence};

/// How many popups are sent at once: enough to hide the way to the server and back, and few for it to draw.
const WORKERS: usize = 4;

/// Popups of the desktop's notification server.
#[derive(Debug)]
pub struct DesktopChannel {
    link: Arc<Link>,
    follower: AbortHandle,
}

impl DesktopChannel {
    /// Starts to look for the bus and its server, and follows them until the channel is dropped.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn start(bus: SessionBus, choices: Choices) -> Self {
        let link = Arc::new(Link::new(bus, choices));
        let shared_with_it = Arc::clone(&link);
        let follower = tokio::spawn(async move { shared_with_it.follow().await }).abort_handle();
        Self { link, follower }
    }

    /// Looks once whether there is a bus, and a notification server on it, which it starts where the bus knows one.
    pub async fn look(bus: SessionBus) -> Looked {
        Link::new(bus, Choices::of(Vec::new())).look().await
    }

    async fn show(&self, delivery: &Delivery) -> Report {
        let Some(server) = self.link.server() else { return Report::Away { reason: self.link.ask() } };
        let limit = self.link.answer_within();
        match timeout(limit, server.show(delivery, Sound::Usual)).await {
            Ok(Ok(())) => Report::DELIVERED,
            Ok(Err(error @ ShowError::Gone)) => Report::Away { reason: error.to_string() },
            Ok(Err(error @ (ShowError::Busy { .. } | ShowError::Withdrawn | ShowError::Refused { .. }))) => {
                Report::Failed { error: error.to_string(), is_final: false, retry_after: None }
            }
            Err(_) => Report::Failed {
                error: format!("cannot show a popup: the notification server did not answer within {limit:?}"),
                is_final: false,
                retry_after: None,
            },
        }
    }

    async fn show_quietly(&self, delivery: &Delivery) {
        let Some(server) = self.link.server() else { return };
        let shown = timeout(self.link.answer_within(), server.show(delivery, Sound::None)).await;
        if let Ok(Err(error)) = shown {
            tracing::debug!(%error, "a popup was not shown again");
        }
    }

    async fn close(&self, task: TaskId) {
        if let Some(server) = self.link.server() {
            // Past the limit the server closes it when it goes on: the call is noted in the popup's slot.
            let _ = timeout(self.link.answer_within(), server.withdraw(task)).await;
        }
    }
}

impl Drop for DesktopChannel {
    fn drop(&mut self) {
        self.follower.abort();
        self.link.drop_server();
    }
}

impl Channel for DesktopChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Desktop
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.show(delivery).boxed()
    }

    fn shown_by(&self) -> Option<String> {
        self.link.server().map(|server| server.identity())
    }

    fn show_again<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, ()> {
        self.show_quietly(delivery).boxed()
    }

    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        self.close(withdrawal.task).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.link.presence()
    }

    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        Some(self.link.responses())
    }
}
