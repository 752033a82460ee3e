//! Where is the person at this terminal? Their zone may differ from the daemon's, over ssh or with `TZ` set.

use chrono_tz::Tz;

use crate::cli::ui::Ui;
use crate::clock::zone::{self, ZoneError};

/// Returns the person's zone, and warns where `TZ` asks for one that does not exist.
pub(crate) fn detect(ui: &mut Ui) -> Tz {
    let detected = zone::detect();
    for passed_over in &detected.passed_over {
        match passed_over {
            ZoneError::Variable { .. } => ui.warning(&passed_over.to_string()),
            // A machine without a zone is on UTC, as many containers are: nothing to say on every command.
            ZoneError::System { .. } | ZoneError::Silent { .. } => {}
        }
    }
    detected.zone
}

/// Returns the person's zone, and warns of nothing: for what is shown before each line of a shell.
pub(crate) fn silently() -> Tz {
    zone::detect().zone
}
