//! How findings of `keiko doctor` are told.

use crate::cli::commands::doctor::finding::{Finding, Level};
use crate::cli::render::text::{BAD, DIM, DUE, GOOD, HEAD, Text};

/// How wide the word for how serious it is, and the area, are.
const LEVEL_CELLS: usize = 6;
const AREA_CELLS: usize = 14;

/// Returns what was found, each with the command that mends it on a line of its own, and what it comes to.
pub(crate) fn findings(findings: &[Finding], width: Option<usize>) -> Vec<Text> {
    let mut lines = Vec::new();
    let margin = LEVEL_CELLS + AREA_CELLS;
    for finding in findings {
        let (style, word) = match finding.level {
            Level::Fine => (GOOD, "ok"),
            Level::Note => (DUE, "note"),
            Level::Wrong => (BAD, "wrong"),
        };
        let told = Text::plain(&finding.text).wrapped(width.map(|width| width.saturating_sub(margin).max(20)));
        for (index, part) in told.into_iter().enumerate() {
            let mut line = if index == 0 {
                let mut line = Text::styled(style, &format!("{word:<LEVEL_CELLS$}"));
                line.push_styled(HEAD, &format!("{:<AREA_CELLS$}", finding.area));
                line
            } else {
                Text::plain(&" ".repeat(margin))
            };
            line.append(part);
            lines.push(line);
        }
        if let Some(mend) = &finding.mend {
            // Not broken: it is to be copied as it stands.
            let mut line = Text::plain(&" ".repeat(margin));
            line.push_styled(DIM, "-> ");
            line.push(mend);
            lines.push(line);
        }
    }
    lines.push(verdict(findings));
    lines
}

fn verdict(findings: &[Finding]) -> Text {
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let notes = match count(Level::Note) {
        0 => String::new(),
        1 => ", 1 thing to know".to_owned(),
        notes => format!(", {notes} things to know"),
    };
    match count(Level::Wrong) {
        0 => Text::styled(GOOD, &format!("nothing is wrong{notes}")),
        1 => Text::styled(BAD, &format!("1 thing is wrong{notes}")),
        wrong => Text::styled(BAD, &format!("{wrong} things are wrong{notes}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::fixture::shown;

    #[test]
    fn each_finding_has_its_weight_and_what_mends_it() {
        let found = [
            Finding::fine("versions", "keiko 0.1.0, keikod 0.1.0"),
            Finding::note("service", "nothing starts keikod after a reboot", Some("keiko daemon install".to_owned())),
            Finding::wrong(
                "notifications",
                "no notification server on the session bus, so nobody sees a popup",
                Some("apt-get install dunst".to_owned()),
            ),
        ];
        insta::assert_snapshot!(shown(&findings(&found, Some(60))), @"");
        insta::assert_snapshot!(shown(&findings(&found[..1], None)), @"");
    }
}
