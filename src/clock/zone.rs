//! Which zone is this device in? `TZ` first, then what the system says, then UTC.
//!
//! Never guesses in silence: whenever something was passed over, the answer carries why.

use std::ffi::OsStr;
use std::path::Path;

use chrono_tz::Tz;

/// The directory below which zone files are named after their zones, wherever it lies.
const ZONEINFO: &str = "/zoneinfo/";

/// The file that stands for the system's own zone.
const SYSTEM_FILE: &str = "/etc/localtime";

/// The zone of the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Detected {
    /// The zone.
    pub zone: Tz,
    /// What was passed over on the way to it, in that order; empty when the first place to look had it.
    pub passed_over: Vec<ZoneError>,
}

/// Why a place that should name the zone did not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ZoneError {
    /// `TZ` holds something else than a zone's name.
    #[error("cannot use TZ={value:?}: expected the name of a zone, such as Europe/Berlin")]
    Variable {
        /// What it holds.
        value: String,
    },
    /// The system's zone is none that Keiko knows.
    #[error("cannot use the system's zone {name:?}: it is not in the zone database")]
    System {
        /// Its name.
        name: String,
    },
    /// The system does not say.
    #[error("cannot tell the system's zone: {reason}")]
    Silent {
        /// Why.
        reason: String,
    },
}

/// Returns the zone of this device.
#[must_use]
pub fn detect() -> Detected {
    detect_from(std::env::var_os("TZ").as_deref(), || iana_time_zone::get_timezone().map_err(|error| error.to_string()))
}

/// Returns the zone named by `variable`, else by `system`, else UTC.
fn detect_from(variable: Option<&OsStr>, system: impl FnOnce() -> Result<String, String>) -> Detected {
    let mut passed_over = Vec::new();
    match variable.map(named_by_variable) {
        Some(Ok(Named::Zone(zone))) => return Detected { zone, passed_over },
        Some(Err(error)) => passed_over.push(error),
        Some(Ok(Named::System)) | None => {}
    }
    let zone = match system() {
        Ok(name) => name.parse().map_err(|_| ZoneError::System { name }),
        Err(reason) => Err(ZoneError::Silent { reason }),
    };
    let zone = zone.unwrap_or_else(|error| {
        passed_over.push(error);
        Tz::UTC
    });
    Detected { zone, passed_over }
}

enum Named {
    Zone(Tz),
    System,
}

/// Reads `TZ` as the C library does: an optional colon, then a name or the path of a zone file; empty is UTC.
///
/// The third form, rules such as `CET-1CEST`, names no zone, and a reminder years ahead needs one.
fn named_by_variable(value: &OsStr) -> Result<Named, ZoneError> {
    let unknown = || ZoneError::Variable { value: value.to_string_lossy().into_owned() };
    let text = value.to_str().ok_or_else(unknown)?;
    let name = text.strip_prefix(':').unwrap_or(text);
    if name.is_empty() {
        return Ok(Named::Zone(Tz::UTC));
    }
    if !name.starts_with('/') {
        return name.parse().map(Named::Zone).map_err(|_| unknown());
    }
    if name == SYSTEM_FILE {
        return Ok(Named::System);
    }
    // A file elsewhere may still be a link to one that is named after its zone.
    let followed = || std::fs::canonicalize(name).ok().and_then(|path| zone_of_file(&path));
    zone_of_file(Path::new(name)).or_else(followed).map(Named::Zone).ok_or_else(unknown)
}

fn zone_of_file(path: &Path) -> Option<Tz> {
    let (_, name) = path.to_str()?.rsplit_once(ZONEINFO)?;
    // The two trees hold the same zones, without and with leap seconds.
    let name = name.strip_prefix("posix/").or_else(|| name.strip_prefix("right/")).unwrap_or(name);
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variable: Option<&str>, system: Result<&str, &str>, zone: Tz, passed_over: &[&str]) {
        let detected = detect_from(variable.map(OsStr::new), || system.map(str::to_owned).map_err(str::to_owned));
        let reasons: Vec<String> = detected.passed_over.iter().map(ToString::to_string).collect();
        assert_eq!((detected.zone, reasons), (zone, passed_over.iter().map(|text| (*text).to_owned()).collect()));
    }

    #[test]
    fn the_variable_comes_first() {
        let system = Ok("Asia/Shanghai");
        check(Some("Europe/Berlin"), system, Tz::Europe__Berlin, &[]);
        check(Some(":Europe/Berlin"), system, Tz::Europe__Berlin, &[]);
        check(Some("UTC"), system, Tz::UTC, &[]);
        check(Some(""), system, Tz::UTC, &[]);
        check(Some("EST5EDT"), system, Tz::EST5EDT, &[]);
    }

    #[test]
    fn a_zone_file_stands_for_its_zone() {
        let system = Ok("Asia/Shanghai");
        check(Some("/usr/share/zoneinfo/America/New_York"), system, Tz::America__New_York, &[]);
        check(Some(":/usr/share/zoneinfo/America/New_York"), system, Tz::America__New_York, &[]);
        check(Some("/usr/share/zoneinfo/posix/Europe/Berlin"), system, Tz::Europe__Berlin, &[]);
        check(Some("/usr/share/zoneinfo/right/Europe/Berlin"), system, Tz::Europe__Berlin, &[]);
        check(Some("/etc/localtime"), system, Tz::Asia__Shanghai, &[]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_zone_file_stands_for_its_zone() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("zoneinfo/Europe/Berlin");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        let link = directory.path().join("here");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        check(link.to_str(), Ok("Asia/Shanghai"), Tz::Europe__Berlin, &[]);
    }

    #[test]
    fn without_the_variable_the_system_is_asked() {
        check(None, Ok("Europe/Berlin"), Tz::Europe__Berlin, &[]);
        check(None, Ok("Etc/UTC"), Tz::Etc__UTC, &[]);
    }

    #[test]
    fn what_is_passed_over_is_told() {
        let variable =
            |value: &str| format!("cannot use TZ={value:?}: expected the name of a zone, such as Europe/Berlin");
        for value in ["CET-1CEST", "<+03>-3", "Mars/Olympus", "/no/such/file", "/usr/share/zoneinfo/", " "] {
            check(Some(value), Ok("Asia/Shanghai"), Tz::Asia__Shanghai, &[&variable(value)]);
        }
        let unknown = "cannot use the system's zone \"Mars/Olympus\": it is not in the zone database";
        check(None, Ok("Mars/Olympus"), Tz::UTC, &[unknown]);
        check(None, Err("no such file"), Tz::UTC, &["cannot tell the system's zone: no such file"]);
        check(Some("x"), Ok("Mars/Olympus"), Tz::UTC, &[&variable("x"), unknown]);
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_no_text_is_passed_over() {
        use std::os::unix::ffi::OsStrExt;

        let detected = detect_from(Some(OsStr::from_bytes(b"\xff")), || Ok("Europe/Berlin".to_owned()));
        assert_eq!((detected.zone, detected.passed_over.len()), (Tz::Europe__Berlin, 1));
    }
}
