//! Which addresses has a channel now? They are those of the configuration, which may change while deliveries are under way.
//!
//! Never waits: what is replaced goes once the last attempt that uses it has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use crate::domain::delivery::{ChannelKind, Report};

/// The addresses of one channel by their names.
#[derive(Debug)]
pub(in crate::notify) struct Endpoints<T>(RwLock<Arc<BTreeMap<String, Arc<T>>>>);

impl<T> Endpoints<T> {
    /// Returns none.
    pub(in crate::notify) fn none() -> Self {
        Self(RwLock::default())
    }

    /// Puts others in the place of all.
    pub(in crate::notify) fn replace(&self, named: impl IntoIterator<Item = (String, T)>) {
        let named = named.into_iter().map(|(name, endpoint)| (name, Arc::new(endpoint))).collect();
        *self.0.write().expect("no holder of the endpoints panics") = Arc::new(named);
    }

    /// Returns the one of a name.
    ///
    /// # Errors
    /// That the channel is away where there is none: it may come back into the configuration, and nothing is lost meanwhile.
    pub(in crate::notify) fn find(&self, kind: ChannelKind, name: &str) -> Result<Arc<T>, Report> {
        let named = Arc::clone(&self.0.read().expect("no holder of the endpoints panics"));
        let found = named.get(name).map(Arc::clone);
        found.ok_or_else(|| Report::Away { reason: format!("no {kind} {name:?} is configured") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_configured_any_more_is_away_and_what_is_under_way_keeps_what_it_has() {
        let endpoints = Endpoints::none();
        endpoints.replace([("team".to_owned(), 1), ("me".to_owned(), 2)]);
        let old = endpoints.find(ChannelKind::Mail, "me").unwrap();
        endpoints.replace([("team".to_owned(), 3)]);
        let away = Report::Away { reason: "no mail \"me\" is configured".to_owned() };
        assert_eq!((*old, endpoints.find(ChannelKind::Mail, "me")), (2, Err(away)));
        assert_eq!(*endpoints.find(ChannelKind::Mail, "team").unwrap(), 3);
    }
}
