//! Which part gets which value of the configuration? Parts receive values and never read it themselves.

use crate::config::paths::Paths;
use crate::config::{self, Config, LogFormat};
use crate::logging::{Format, Options, Output};
use crate::when::{self, Settings};

/// Returns how the daemon logs; `filter` stands above the configured level.
pub(super) fn logging(config: &Config, paths: &Paths, is_foreground: bool, filter: Option<String>) -> Options {
    Options {
        output: if is_foreground { Output::Stderr } else { Output::File(paths.log_file()) },
        format: match config.log.format {
            LogFormat::Text => Format::Text,
            LogFormat::Json => Format::Json,
        },
        filter: filter
            .filter(|filter| !filter.trim().is_empty())
            .unwrap_or_else(|| config.log.level.as_str().to_owned()),
    }
}

/// Returns how times are read.
pub(super) fn time(config: &Config) -> Settings {
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
