//! Which part gets which value of the configuration? Parts receive values and never read it themselves.

use crate::config::paths::Paths;
use crate::config::{Config, LogFormat};
use crate::logging::{Format, Options, Output};
use crate::when;

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
pub(super) fn time(config: &Config) -> when::Settings {
    when::Settings {
        dialect: match config.dialect {
            crate::config::Dialect::Us => when::Dialect::Us,
            crate::config::Dialect::Uk => when::Dialect::Uk,
        },
    }
}
