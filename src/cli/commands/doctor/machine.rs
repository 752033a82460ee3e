//! Does the machine know what time it is, and where it is?

use std::fs;
use std::path::Path;

use chrono_tz::Tz;

use crate::cli::commands::doctor::Known;
use crate::cli::commands::doctor::finding::Finding;
use crate::cli::service::system;

/// Where Linux tells of batteries, and of what kind of machine it is.
const POWER: &str = "/sys/class/power_supply";
const CHASSIS: &str = "/sys/class/dmi/id/chassis_type";

/// The kinds of machines that are carried about (SMBIOS 3, table 17: portable, laptop, notebook, sub notebook, tablet,
/// convertible, detachable).
const CARRIED: [&str; 7] = ["8", "9", "10", "14", "30", "31", "32"];

/// Looks whether the clock follows those of others.
pub(super) fn clock(found: &mut Vec<Finding>) {
    found.push(match system::is_synchronised() {
        Some(true) => Finding::fine("clock", "it is synchronised"),
        Some(false) => {
            let mend = "timedatectl set-ntp true".to_owned();
            Finding::note("clock", "it is not synchronised: reminders are as late as it is", Some(mend))
        }
        None => Finding::fine("clock", "nobody here tells whether it is synchronised"),
    });
}

/// Looks whether the zone is likely to be the person's.
pub(super) fn zone(here: Tz, known: &Known, found: &mut Vec<Finding>) {
    let area = "zone";
    if let Known::Answers { status, .. } = known
        && status.zone != here.name()
    {
        let text =
            format!("keikod is in {}, this terminal in {here}: times typed here are fixed to {here}", status.zone);
        return found.push(Finding::note(area, &text, Some("unset TZ, or keiko daemon restart".to_owned())));
    }
    let is_utc =
        matches!(here, Tz::UTC | Tz::Etc__UTC | Tz::Etc__UCT | Tz::Etc__Zulu | Tz::Universal | Tz::Zulu | Tz::UCT);
    if is_utc && is_carried() {
        let mend = "timedatectl set-timezone Area/City".to_owned();
        found.push(Finding::note(area, &format!("{here}, on a machine that is carried about"), Some(mend)));
    } else {
        found.push(Finding::fine(area, here.name()));
    }
}

/// Returns whether this is a laptop or its like.
fn is_carried() -> bool {
    let kind = fs::read_to_string(CHASSIS).unwrap_or_default();
    let has_battery = || {
        let names = fs::read_dir(Path::new(POWER)).into_iter().flatten().filter_map(Result::ok);
        names.into_iter().any(|name| name.file_name().to_string_lossy().starts_with("BAT"))
    };
    CARRIED.contains(&kind.trim()) || has_battery()
}
