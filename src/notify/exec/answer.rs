//! Did the program take it, and if not, is there sense in another attempt?
//!
//! Pure: what a program said and how it ended in, a report out. It decides neither when the next attempt is nor whether
//! there is one.

use std::time::Duration;

use serde::Deserialize;

use crate::domain::delivery::Report;
use crate::domain::time::Span;
use crate::notify::text;
use crate::process::{End, Ended};

/// How much of what a program says an error cites, in bytes.
const CITED_BYTES_MAX: usize = 300;

/// The longest time that a program can ask for; the rules bound it further.
const RETRY_AFTER_S_MAX: u32 = 7 * 24 * 3600;

/// What a program says of a delivery.
#[derive(Deserialize)]
struct Answer {
    status: Status,
    error: Option<String>,
    #[serde(default, rename = "final")]
    is_final: bool,
    retry_after_s: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Delivered,
    Failed,
}

/// Returns what the end of the program of target `name` means.
///
/// What it says counts, whatever its exit status; where it says nothing, that counts.
pub(super) fn judge(name: &str, ended: &Ended) -> Report {
    let complaint = cited(&ended.complaint);
    let status = match &ended.end {
        End::TimedOut(limit) => {
            return failed(format!("{name} did not end within {limit:?}{complaint}"), false);
        }
        End::TooMuch(bytes) => {
            return failed(format!("{name} said more than {bytes} bytes on standard output{complaint}"), false);
        }
        End::Exit(status) => status,
    };
    let output = ended.output.trim_ascii();
    if let Ok(answer) = serde_json::from_slice::<Answer>(output) {
        return answer.report(name, &complaint);
    }
    if !status.success() {
        return failed(format!("{name} ended with {status}{complaint}"), false);
    }
    if output.is_empty() {
        return Report::DELIVERED;
    }
    // It may well have passed it on; another attempt would say the same, and repeat what it did.
    let told = "expected one JSON object with a status of delivered or failed, or nothing";
    failed(format!("cannot read what {name} said: {told}{}", cited(output)), true)
}

impl Answer {
    fn report(self, name: &str, complaint: &str) -> Report {
        match self.status {
            Status::Delivered => Report::DELIVERED,
            Status::Failed => {
                let error = self.error.as_deref().map(str::as_bytes).map(cited).filter(|error| !error.is_empty());
                let error = error.unwrap_or_else(|| complaint.to_owned());
                let retry_after = self.retry_after_s.and_then(span);
                Report::Failed { error: format!("{name} failed{error}"), is_final: self.is_final, retry_after }
            }
        }
    }
}

/// Returns a time in whole seconds, never less than it was; none of what is no time.
fn span(seconds: f64) -> Option<Span> {
    let asked = Duration::try_from_secs_f64(seconds.ceil().min(RETRY_AFTER_S_MAX.into())).ok()?;
    i64::try_from(asked.as_secs()).ok().map(Span::from_secs)
}

const fn failed(error: String, is_final: bool) -> Report {
    Report::Failed { error, is_final, retry_after: None }
}

/// Returns the first line of what was said that is not empty, as it may stand behind an error; nothing of an empty one.
fn cited(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let line = said.lines().map(text::line).find(|line| !line.is_empty()).unwrap_or_default();
    if line.is_empty() { line } else { format!(": {}", text::cut(&line, CITED_BYTES_MAX)) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    fn ended(output: &str, complaint: &str, code: i32) -> Report {
        let end = End::Exit(ExitStatus::from_raw(code << 8));
        judge("exec:x", &Ended { output: output.into(), complaint: complaint.into(), end })
    }

    #[track_caller]
    fn check(said: (&str, &str, i32), expected: Result<(), (&str, bool, Option<i64>)>) {
        let expected = expected.map_or_else(
            |(error, is_final, retry_after_s)| Report::Failed {
                error: error.to_owned(),
                is_final,
                retry_after: retry_after_s.map(Span::from_secs),
            },
            |()| Report::DELIVERED,
        );
        assert_eq!(ended(said.0, said.1, said.2), expected, "of {said:?}");
    }

    #[test]
    fn what_a_program_says_counts_and_where_it_says_nothing_its_end() {
        check(("", "", 0), Ok(()));
        check((" \n", "a warning", 0), Ok(()));
        check(("{\"status\": \"delivered\", \"more\": 1}\n", "", 0), Ok(()));
        check(("{\"status\":\"delivered\"}", "and then it fell", 1), Ok(()));
        check(("", "", 3), Err(("exec:x ended with exit status: 3", false, None)));
        check(
            ("", "\nno\u{1b}[31m way\nat all", 3),
            Err(("exec:x ended with exit status: 3: no [31m way", false, None)),
        );
        check(("{\"status\":\"failed\"}", "", 0), Err(("exec:x failed", false, None)));
        check(("{\"status\":\"failed\",\"error\":null}", "why", 1), Err(("exec:x failed: why", false, None)));
        let all = r#"{"status":"failed","error":"no\nroom","final":true,"retry_after_s":5}"#;
        check((all, "", 0), Err(("exec:x failed: no", true, Some(5))));
    }

    #[test]
    fn what_is_no_answer_is_final_since_it_may_have_been_passed_on() {
        let error =
            "cannot read what exec:x said: expected one JSON object with a status of delivered or failed, or nothing";
        check(("ok", "", 0), Err((&format!("{error}: ok"), true, None)));
        check(("{\"status\":\"done\"}", "", 0), Err((&format!("{error}: {{\"status\":\"done\"}}"), true, None)));
        check(
            ("{\"status\":\"delivered\"} {}", "", 0),
            Err((&format!("{error}: {{\"status\":\"delivered\"}} {{}}"), true, None)),
        );
        check(("ok", "", 1), Err(("exec:x ended with exit status: 1", false, None)));
    }

    #[test]
    fn a_time_to_wait_is_one_of_whole_seconds() {
        let asked = |text: &str| {
            let said = format!("{{\"status\":\"failed\",\"retry_after_s\":{text}}}");
            let Report::Failed { retry_after, .. } = ended(&said, "", 0) else { panic!("it failed") };
            retry_after
        };
        assert_eq!(asked("0.2"), Some(Span::from_secs(1)));
        assert_eq!(asked("1e300"), Some(Span::from_secs(RETRY_AFTER_S_MAX.into())));
        assert_eq!((asked("-7"), asked("null")), (None, None));
    }
}
