//! Which addresses has a channel now, where nobody can answer? They are those of the configuration, which may change while
//! deliveries are under way.
//!
//! Never waits: what is replaced goes once the last attempt that uses it has ended.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, RwLock};

use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Report};
use crate::notify::Presence;
use crate::notify::network::{Heeding, Network};

/// The addresses of one channel by their names.
pub(in crate::notify) struct Named<T> {
    kind: ChannelKind,
    by_name: RwLock<Arc<BTreeMap<String, Arc<T>>>>,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

impl<T> Named<T> {
    /// Returns none.
    pub(in crate::notify) fn none(kind: ChannelKind) -> Self {
        Self { kind, by_name: RwLock::default(), presence: watch::Sender::new(Presence::Present), heeding: None }
    }

    /// Returns them with what waits for one tried anew whenever `network` comes back.
    pub(in crate::notify) fn heeding(mut self, network: Arc<dyn Network>) -> Self {
        let presence = self.presence.clone();
        self.heeding = Some(Heeding::of(network, move || drop(presence.send_replace(Presence::Present))));
        self
    }

    /// Puts others in the place of all, and lets what waits for one be tried.
    pub(in crate::notify) fn replace(&self, named: impl IntoIterator<Item = (String, T)>) {
        let named = named.into_iter().map(|(name, address)| (name, Arc::new(address))).collect();
        *self.by_name.write().expect("no holder of the addresses panics") = Arc::new(named);
        self.presence.send_replace(Presence::Present);
    }

    /// Returns the one of a name.
    ///
    /// # Errors
    /// That the channel is away where there is none: it may come back into the configuration, and nothing is lost meanwhile.
    pub(in crate::notify) fn find(&self, name: &str) -> Result<Arc<T>, Report> {
        let by_name = Arc::clone(&self.by_name.read().expect("no holder of the addresses panics"));
        let found = by_name.get(name).map(Arc::clone);
        found.ok_or_else(|| Report::Away { reason: format!("no {}:{name} is configured", self.kind) })
    }

    /// Returns the presence of the channel: it is there, and tells when to look again.
    pub(in crate::notify) fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }
}

/// Only the kind: the addresses hold keys.
impl<T> fmt::Debug for Named<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Named").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_configured_any_more_is_away_and_what_is_under_way_keeps_what_it_has() {
        let named = Named::none(ChannelKind::Mail);
        named.replace([("team".to_owned(), 1), ("me".to_owned(), 2)]);
        let old = named.find("me").unwrap();
        let mut presence = named.presence();
        presence.mark_unchanged();
        named.replace([("team".to_owned(), 3)]);
        assert!(presence.has_changed().unwrap());
        let away = Report::Away { reason: "no mail:me is configured".to_owned() };
        assert_eq!((*old, named.find("me")), (2, Err(away)));
        assert_eq!(*named.find("team").unwrap(), 3);
    }
}
