//! How does a running daemon go by another configuration? All of it is read and looked at first; one that is refused leaves
//! everything as it was.
//!
//! Holds the channels whose targets are configured. Never decides what a value means.

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::api::{Configuration, Reloaded};
use crate::clock::Clock;
use crate::config::Config;
use crate::config::file::ConfigError;
use crate::config::paths::Paths;
use crate::daemon::targets::Chats;
use crate::daemon::{settings, webhooks};
use crate::hooks::Hooks;
use crate::notify::Channel;
use crate::notify::network::Network;
use crate::notify::webhook::WebhookChannel;

/// The channels whose targets stand in the configuration.
pub(super) struct Configured {
    webhooks: Arc<WebhookChannel>,
    chats: Chats,
}

impl Configured {
    /// Makes them ready for their targets.
    ///
    /// # Errors
    /// What is wrong with the targets, with the places in the file.
    pub(super) fn new(
        paths: &Paths,
        config: &Config,
        clock: &Arc<dyn Clock>,
        network: impl Fn() -> Arc<dyn Network>,
    ) -> Result<Self, ConfigError> {
        let webhooks = webhooks::channel(paths.config_file(), config, Arc::clone(clock))?.heeding(network());
        let chats = Chats::new(clock, network, paths.moved_chats_file());
        chats.configure(paths.config_file(), config)?;
        Ok(Self { webhooks: Arc::new(webhooks), chats })
    }

    /// Returns them, for the loop.
    pub(super) fn channels(&self) -> Vec<Arc<dyn Channel>> {
        let webhooks = Arc::clone(&self.webhooks) as Arc<dyn Channel>;
        [webhooks].into_iter().chain(self.chats.channels()).collect()
    }

    /// Lets each go by the targets of a configuration, one after another; what comes behind one that refuses stays as it was.
    fn configure(&self, path: &Path, config: &Config) -> Result<(), ConfigError> {
        webhooks::configure(path, config, &self.webhooks)?;
        self.chats.configure(path, config)
    }
}

/// What reads the configuration anew.
pub(super) struct Reloading {
    paths: Paths,
    configured: Configured,
    hooks: Arc<Hooks>,
    at_start: Config,
    /// The one that holds; also lets nobody in while somebody else reloads.
    holds: Mutex<Config>,
}

impl Reloading {
    pub(super) fn new(paths: Paths, configured: Configured, hooks: Arc<Hooks>, config: Config) -> Self {
        Self { paths, configured, hooks, at_start: config.clone(), holds: Mutex::new(config) }
    }

    async fn reloaded(&self) -> Result<Reloaded, String> {
        let mut holds = self.holds.lock().await;
        let (path, origin) = (self.paths.config_file().to_owned(), self.paths.config_origin());
        // A file may lie on a disk that takes its time.
        let read = tokio::task::spawn_blocking(move || Config::load(&path, origin)).await;
        let read = read.map_err(|error| format!("the reading failed: {error}"))?;
        let (config, warnings) = read.map_err(|error| error.to_string())?;
        let path = self.paths.config_file();
        // An editor that renames, or a disk that is not mounted: nobody meant to drop all that is configured.
        if !path.exists() && *holds != Config::default() {
            let path = path.display();
            return Err(format!(
                "cannot read the configuration {path}: it is not there; an empty file says that nothing is configured"
            ));
        }
        if let Err(error) = self.configured.configure(path, &config) {
            // Those before the one that refuses go back to what they had; it was fit for them before.
            if let Err(stuck) = self.configured.configure(path, &holds) {
                tracing::error!(error = %stuck, "cannot go back to the former targets");
            }
            return Err(error.to_string());
        }
        self.hooks.configure(settings::hooks(&config, &self.paths));
        for warning in &warnings {
            tracing::warn!(file = %path.display(), "{warning}");
        }
        tracing::info!(file = %path.display(), targets = config.named_targets().len(), "the configuration was read anew");
        let reloaded = Reloaded {
            options: settings::api(&config),
            engine: settings::engine(&config),
            warnings: warnings.iter().map(ToString::to_string).collect(),
            at_next_start: self.at_next_start(&config),
        };
        *holds = config;
        Ok(reloaded)
    }

    /// Returns the keys whose values are those of the start still, though others stand there now.
    fn at_next_start(&self, config: &Config) -> Vec<&'static str> {
        let Config { log: before, snooze_choices, .. } = &self.at_start;
        let differs = [
            ("snooze_choices", *snooze_choices != config.snooze_choices),
            ("log.level", before.level != config.log.level),
            ("log.format", before.format != config.log.format),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}

impl Configuration for Reloading {
    fn reload(&self) -> BoxFuture<'_, Result<Reloaded, String>> {
        self.reloaded().boxed()
    }
}
