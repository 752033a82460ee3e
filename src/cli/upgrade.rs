//! What is done where the daemon is not of this version? It is said with the one command that mends it; an older one is replaced
//! where the person agrees, a newer one never.

use crate::protocol::{PROGRAM_VERSION, PROTOCOL_VERSION};

/// How a daemon stands to this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Age {
    /// It is of this version.
    Same,
    /// It was installed before.
    Older,
    /// It was installed later, or elsewhere.
    Newer,
}

/// Returns how a daemon of a version and a protocol stands to this program.
pub(crate) fn age(version: &str, protocol: u32) -> Age {
    age_beside((version, protocol), (PROGRAM_VERSION, PROTOCOL_VERSION))
}

fn age_beside(daemon: (&str, u32), own: (&str, u32)) -> Age {
    match daemon.1.cmp(&own.1).then_with(|| numbers(daemon.0).cmp(&numbers(own.0))) {
        std::cmp::Ordering::Less => Age::Older,
        std::cmp::Ordering::Equal => Age::Same,
        std::cmp::Ordering::Greater => Age::Newer,
    }
}

/// Returns the numbers of a version; what stands behind a hyphen or a plus says nothing of age here.
fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// Returns what to do about a daemon of another protocol.
pub(crate) fn hint(version: &str, protocol: u32) -> String {
    match age(version, protocol) {
        Age::Older | Age::Same => format!("keiko daemon restart stops it and starts version {PROGRAM_VERSION}"),
        Age::Newer => format!("install keiko {version}, or use the one that is installed beside that daemon"),
    }
}

/// Returns what to say of a daemon of another version that can be talked to; `None` where there is nothing to say.
pub(crate) fn remark(version: &str, protocol: u32) -> Option<String> {
    match age(version, protocol) {
        Age::Same => None,
        Age::Older => {
            Some(format!("keikod still runs version {version}: keiko daemon restart starts version {PROGRAM_VERSION}"))
        }
        Age::Newer => Some(format!("keikod is version {version}, newer than this keiko {PROGRAM_VERSION}")),
    }
}

/// Returns what a person is asked before an older daemon is replaced.
pub(crate) fn question(version: &str) -> String {
    format!(
        "keikod runs version {version}, which this keiko cannot talk to. Commands of tasks go on meanwhile.\nStop it and start \
         version {PROGRAM_VERSION}? [Y/n] "
    )
}

/// Returns whether an answer to that is a yes.
pub(crate) fn is_yes(answer: Option<&str>) -> bool {
    answer.is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes" | "是" | "好"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_counts_first_and_versions_are_numbers() {
        let check =
            |daemon: (&str, u32), expected| assert_eq!(age_beside(daemon, ("0.10.1", 2)), expected, "{daemon:?}");
        check(("0.10.1", 2), Age::Same);
        check(("0.9.9", 2), Age::Older);
        check(("0.10.2", 2), Age::Newer);
        check(("0.10.1+build", 2), Age::Same);
        check(("9.0.0", 1), Age::Older);
        check(("0.0.1", 3), Age::Newer);
        check(("odd", 2), Age::Older);
    }

    #[test]
    fn only_a_yes_replaces_a_daemon() {
        for yes in ["\n", "y\n", "Yes\n"] {
            assert!(is_yes(Some(yes)));
        }
        assert!(!is_yes(Some("n\n")) && !is_yes(Some("what?\n")) && !is_yes(None));
    }
}
