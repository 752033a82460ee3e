//! How does a running daemon go by another configuration? All of it is read and looked at first; one that is refused leaves
//! everything as it was.
//!
//! Holds the channels whose targets are configured. Never decides what a value means.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex as State, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::api::{ConfigState, Configuration, Reloaded};
use crate::clock::Clock;
use crate::config::Config;
use crate::config::file::{ConfigError, Warning};
use crate::config::paths::Paths;
use crate::config::whole;
use crate::daemon::targets::Chats;
use crate::daemon::watch::Watched;
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
        let path = paths.config_file();
        let webhooks = webhooks::channel(path, config, Arc::clone(clock))?.heeding(network());
        let chats = Chats::new(clock, network, paths.moved_chats_file());
        chats.configure(path, config)?;
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

/// Says what is wrong with a configuration of which the form is right, or nothing. Starts nothing, and touches no channel that is
/// in use.
///
/// # Errors
/// What is wrong with its targets, with the places in the file.
pub(super) fn check(path: &Path, config: &Config, clock: &Arc<dyn Clock>) -> Result<(), ConfigError> {
    webhooks::channel(path, config, Arc::clone(clock))?;
    Chats::deaf(clock).configure(path, config)
}

/// What reads the configuration anew.
pub(super) struct Reloading {
    paths: Paths,
    configured: Configured,
    hooks: Arc<Hooks>,
    clock: Arc<dyn Clock>,
    at_start: Config,
    /// The one that holds; also lets nobody in while somebody else reloads.
    holds: Mutex<Config>,
    state: State<Seen>,
}

/// What was read last.
#[derive(Default)]
struct Seen {
    /// The text, `None` where there was no file or none that could be read.
    text: Option<String>,
    state: ConfigState,
}

impl Reloading {
    pub(super) fn new(
        paths: &Paths,
        configured: Configured,
        hooks: &Arc<Hooks>,
        clock: &Arc<dyn Clock>,
        config: &Config,
        warnings: &[Warning],
    ) -> Self {
        let text = whole::read(paths.config_file()).ok().flatten();
        let state = ConfigState { warnings: told(warnings), ..ConfigState::default() };
        Self {
            paths: paths.clone(),
            configured,
            hooks: Arc::clone(hooks),
            clock: Arc::clone(clock),
            at_start: config.clone(),
            holds: Mutex::new(config.clone()),
            state: State::new(Seen { text, state }),
        }
    }

    /// Returns what the file says where that is something else than when it was read last, right or wrong. The inner one is
    /// `None` where there is no file, or none that can be read.
    pub(super) async fn differs(&self) -> Option<Option<String>> {
        let path = self.paths.config_file().to_owned();
        // A file may lie on a disk that takes its time.
        let text = tokio::task::spawn_blocking(move || whole::read(&path).ok().flatten()).await.ok()?;
        let seen = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (text != seen.text).then_some(text)
    }

    async fn reloaded(&self, text: Option<String>) -> Result<Reloaded, String> {
        let mut holds = self.holds.lock().await;
        let read = if text.is_some() {
            Ok(text)
        } else {
            let path = self.paths.config_file().to_owned();
            let read = tokio::task::spawn_blocking(move || whole::read(&path)).await;
            read.map_err(|error| format!("the reading failed: {error}"))?
        };
        let text = read.as_ref().ok().and_then(Clone::clone);
        let reloaded = self.taken(&mut holds, read);
        let mut seen = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        seen.text = text;
        match &reloaded {
            Ok(reloaded) => {
                let at_next_start = reloaded.at_next_start.iter().map(|key| (*key).to_owned()).collect();
                seen.state = ConfigState { error: None, warnings: reloaded.warnings.clone(), at_next_start };
            }
            Err(reason) => seen.state.error = Some(reason.clone()),
        }
        reloaded
    }

    /// Goes by a text, or leaves all as it was.
    fn taken(&self, holds: &mut Config, read: Result<Option<String>, ConfigError>) -> Result<Reloaded, String> {
        let path = self.paths.config_file();
        let text = read.map_err(|error| error.to_string())?;
        // An editor that renames, or a disk that is not mounted: nobody meant to drop all that is configured.
        if text.is_none() && *holds != Config::default() {
            let path = path.display();
            return Err(format!(
                "cannot read the configuration {path}: it is not there; an empty file says that nothing is configured"
            ));
        }
        let (config, warnings) = match &text {
            Some(text) => Config::parse(path, text).map_err(|error| error.to_string())?,
            None => (Config::default(), Config::missing(path, self.paths.config_origin())),
        };
        if let Err(error) = self.configured.configure(path, &config) {
            // Those before the one that refuses go back to what they had; it was fit for them before.
            if let Err(stuck) = self.configured.configure(path, holds) {
                tracing::error!(error = %stuck, "cannot go back to the former targets");
            }
            return Err(error.to_string());
        }
        self.hooks.configure(settings::hooks(&config, &self.paths));
        for warning in &warnings {
            tracing::warn!(file = %path.display(), "{warning}");
        }
        tracing::info!(file = %path.display(), targets = config.named_targets().len(), "the configuration was read anew");
        let reloaded = self.of(&config, &warnings);
        *holds = config;
        Ok(reloaded)
    }

    /// Says of a text what would be said if it stood in the file, and changes nothing.
    fn checked(&self, text: &str) -> Result<Reloaded, String> {
        let path = self.paths.config_file();
        let (config, warnings) = Config::parse(path, text).map_err(|error| error.to_string())?;
        check(path, &config, &self.clock).map_err(|error| error.to_string())?;
        Ok(self.of(&config, &warnings))
    }

    /// Returns what a configuration makes, where it holds.
    fn of(&self, config: &Config, warnings: &[Warning]) -> Reloaded {
        let differs = at_next_start(&self.at_start, config);
        Reloaded {
            options: settings::api(config),
            engine: settings::engine(config),
            warnings: told(warnings),
            at_next_start: differs.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect(),
        }
    }
}

/// Returns each key whose value is that of the start still, whatever stands there now, and whether another does.
fn at_next_start(before: &Config, now: &Config) -> [(&'static str, bool); 3] {
    [
        ("snooze_choices", before.snooze_choices != now.snooze_choices),
        ("log.level", before.log.level != now.log.level),
        ("log.format", before.log.format != now.log.format),
    ]
}

fn told(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

impl Configuration for Reloading {
    fn reload(&self, text: Option<String>) -> BoxFuture<'_, Result<Reloaded, String>> {
        self.reloaded(text).boxed()
    }

    fn check(&self, text: &str) -> Result<Reloaded, String> {
        self.checked(text)
    }

    fn state(&self) -> ConfigState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).state.clone()
    }
}

/// Lets the daemon go by the configuration whenever that says something else.
pub(super) async fn follow(
    path: PathBuf,
    configuration: Arc<Reloading>,
    reload: impl Fn(Option<String>) -> BoxFuture<'static, ()>,
) {
    let mut watched = Watched::begin(&path);
    loop {
        // Once before the first wait: it may have changed since it was read. What was read while somebody wrote, empty perhaps
        // or half of it, is not believed.
        if let Some(text) = configuration.differs().await
            && watched.is_still().await
        {
            reload(text).await;
        }
        watched.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::keys::SECTIONS;

    #[test]
    fn the_keys_that_hold_from_the_next_start_on_are_those_that_are_told_as_such() {
        let config = Config::default();
        let looked_at: BTreeSet<String> =
            at_next_start(&config, &config).into_iter().map(|(key, _)| key.to_owned()).collect();
        let told = SECTIONS.iter().flat_map(|section| section.keys.iter().map(move |key| (section.name, key)));
        let told = told.filter(|(_, key)| key.at_next_start);
        let told: BTreeSet<String> =
            told.map(|(section, key)| format!("{section}.{}", key.name).trim_start_matches('.').to_owned()).collect();
        assert_eq!(looked_at, told);
    }
}
