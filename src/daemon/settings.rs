//! Which part gets which value of the configuration? Parts receive values and never read it themselves.

use std::path::Path;

use crate::api;
use crate::config::paths::Paths;
use crate::config::{self, Config};
use crate::daemon::args::{self, Args};
use crate::domain::hook::Hook;
use crate::engine::input::EngineSettings;
use crate::logging::{self, Format, Options, Output};
use crate::when::{self, Settings};

/// Returns how the daemon logs; `filter` stands above the configured level.
pub(super) fn logging(config: &Config, paths: &Paths, args: &Args, filter: Option<String>) -> Options {
    Options {
        output: match (args.foreground, args.log_format) {
            (false, _) => Output::File(paths.log_file()),
            // Who names a form wants lines.
            (true, None) if logging::is_journal() => Output::Journal,
            (true, _) => Output::Stderr,
        },
        format: match (args.log_format, config.log.format) {
            (Some(args::LogFormat::Text), _) | (None, config::LogFormat::Text) => Format::Text,
            (Some(args::LogFormat::Json), _) | (None, config::LogFormat::Json) => Format::Json,
        },
        filter: filter
            .filter(|filter| !filter.trim().is_empty())
            .unwrap_or_else(|| config.log.level.as_str().to_owned()),
    }
}

/// Returns what requests are answered by.
pub(super) fn api(config: &Config) -> api::Options {
    api::Options {
        settings: time(config),
        snooze_default: config.snooze_default,
        routing: config.routing.clone(),
        targets: config.named_targets(),
    }
}

/// Returns what the loop goes by.
pub(super) fn engine(config: &Config) -> EngineSettings {
    EngineSettings {
        grace: config.grace,
        quiet_hours: config.quiet.clone(),
        daily: config.daily.clone(),
        routing: config.routing.clone(),
        commands_at_once: config.commands_at_once,
    }
}

/// Returns the programs that are run when something happens. Relative paths are meant from where the configuration lies.
pub(super) fn hooks(config: &Config, paths: &Paths) -> Vec<Hook> {
    let base = paths.config_file().parent().unwrap_or(Path::new("/"));
    let beside = |hook: &Hook| Hook { directory: base.join(&hook.directory).display().to_string(), ..hook.clone() };
    config.hooks.iter().map(beside).collect()
}

/// Returns how times are read.
fn time(config: &Config) -> Settings {
    let parts = config.day_parts;
    Settings {
        dialect: match config.dialect {
            config::Dialect::Us => when::Dialect::Us,
            config::Dialect::Uk => when::Dialect::Uk,
        },
        date_only: config.date_only,
        morning: parts.morning,
        afternoon: parts.afternoon,
        evening: parts.evening,
        tonight: parts.tonight,
        night: parts.night,
        end_of_day: parts.end_of_day,
    }
}
