//! How does a running loop come to go by other settings? It is told so like anything else, and its handles with it.

use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::quiet::QuietHours;
use crate::engine::handle::Handle;
use crate::engine::input::{CallError, EngineSettings, Input};

impl Handle {
    /// Returns it with the hours in which the person is to be left alone each day.
    #[must_use]
    pub(super) fn with_quiet_hours(mut self, quiet_hours: QuietHours) -> Self {
        self.quiet_hours = Arc::new(RwLock::new(quiet_hours));
        self
    }

    /// Goes by other settings from now on; answers when they hold.
    ///
    /// # Errors
    /// Too many inputs wait, or the loop has ended.
    pub async fn configure(&self, settings: EngineSettings) -> Result<(), CallError> {
        let quiet_hours = settings.quiet_hours.clone();
        self.ask(|reply| Input::Configure { settings, reply }).await?;
        *self.quiet_hours.write().unwrap_or_else(PoisonError::into_inner) = quiet_hours;
        Ok(())
    }

    /// Returns when the person is to be left alone each day, as it is configured now.
    pub(super) fn quiet_hours(&self) -> QuietHours {
        self.quiet_hours.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
