//! Did the target take it, and if not, is there sense in another attempt?
//!
//! Pure: an answer in, a report out. It decides neither when the next attempt is nor whether there is one.

use chrono::DateTime;
use reqwest::StatusCode;
use serde_json::Value;

use crate::domain::delivery::Report;
use crate::domain::time::{Span, Timestamp};
use crate::notify::http::hidden::Hidden;
use crate::notify::http::{Scalar, Success};

/// How much of an answer is read, in bytes; the rest is dropped with the connection.
pub(in crate::notify) const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// How much of an answer an error cites, in characters.
const CITED_CHARS_MAX: usize = 200;

/// What came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::notify) struct Answer {
    /// The status.
    pub(in crate::notify) status: StatusCode,
    /// The header `Retry-After`.
    pub(in crate::notify) retry_after: Option<String>,
    /// The body, at most [`ANSWER_BYTES_MAX`] of it.
    pub(in crate::notify) body: Vec<u8>,
    /// Why the body is not whole, where it is not.
    pub(in crate::notify) broken: Option<String>,
}

/// Returns what an answer of `host` means, when it came `now`; what is cited of it says nothing of what is hidden.
pub(in crate::notify) fn judge(
    host: &str,
    answer: &Answer,
    success: Option<&Success>,
    hidden: &Hidden,
    now: Timestamp,
) -> Report {
    let status = answer.status;
    let is_final = match status.as_u16() {
        200..=299 => {
            return success.map_or(Report::DELIVERED, |rule| judge_body(host, answer, rule, hidden, now));
        }
        408 | 425 | 429 | 500.. => false,
        // A redirect that is not followed will be the same next time, and so will a refusal.
        _ => true,
    };
    let why = if status.is_redirection() { "; it points elsewhere, which is not followed" } else { "" };
    let error = format!("{host} answered {}{why}{}", status.as_u16(), cited(&answer.body, hidden));
    failed(error, is_final, retry_after(answer, now))
}

fn judge_body(host: &str, answer: &Answer, rule: &Success, hidden: &Hidden, now: Timestamp) -> Report {
    let Success { pointer, equals } = rule;
    let what = if let Ok(body) = serde_json::from_slice::<Value>(&answer.body) {
        match body.pointer(pointer) {
            Some(found) if is_equal(found, equals) => return Report::DELIVERED,
            Some(found) => format!("{} at {pointer}", short(&hidden.strip(&found.to_string()))),
            None => format!("nothing at {pointer}"),
        }
    } else {
        answer.broken.as_ref().map_or_else(|| "no JSON".to_owned(), |why| format!("no JSON ({why})"))
    };
    let error = format!("{host} answered {} with {what}{}", answer.status.as_u16(), cited(&answer.body, hidden));
    // Which of its codes are final is the service's own secret: another attempt is the safe reading.
    failed(error, false, retry_after(answer, now))
}

/// Returns the report of an answer by which nothing was taken, with the service's `code` for that where there is one; another
/// attempt may be, after `asked` where the service does not say itself when.
pub(in crate::notify) fn untaken(
    host: &str,
    answer: &Answer,
    code: Option<i64>,
    asked: Option<Span>,
    hidden: &Hidden,
    now: Timestamp,
) -> Report {
    let code = code.map_or_else(|| "no code of success".to_owned(), |code| format!("code {code}"));
    let error = format!("{host} answered {} with {code}{}", answer.status.as_u16(), cited(&answer.body, hidden));
    failed(error, false, retry_after(answer, now).or(asked))
}

/// Returns the report of an attempt that had no answer.
pub(in crate::notify) const fn failed(error: String, is_final: bool, retry_after: Option<Span>) -> Report {
    Report::Failed { error, is_final, retry_after }
}

fn is_equal(found: &Value, expected: &Scalar) -> bool {
    match expected {
        Scalar::Number(number) => found.as_i64() == Some(*number),
        Scalar::Text(text) => found.as_str() == Some(text),
        Scalar::Bool(truth) => found.as_bool() == Some(*truth),
    }
}

/// Reads `Retry-After`: seconds or a date (RFC 9110, 10.2.3). Discord gives fractions of seconds.
fn retry_after(answer: &Answer, now: Timestamp) -> Option<Span> {
    let text = answer.retry_after.as_deref()?.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(whole) && is_number(fraction) {
        // More than the number holds is for ever; the rules bound it.
        let seconds = whole.parse::<i64>().unwrap_or(i64::MAX / 2000).min(i64::MAX / 2000);
        let more = i64::from(fraction.bytes().any(|digit| digit != b'0'));
        return Some(Span::from_secs(seconds + more));
    }
    let date = Timestamp::from_utc(DateTime::parse_from_rfc2822(text).ok()?.to_utc())?;
    Some(date.since(now)).filter(|span| span.is_positive())
}

/// Returns the beginning of an answer, as it may stand behind an error; nothing of an empty one.
fn cited(body: &[u8], hidden: &Hidden) -> String {
    // All of it, so that no secret is cut before it is known as one.
    let line = short(&hidden.strip(&String::from_utf8_lossy(body)));
    if line.is_empty() { line } else { format!(": {line}") }
}

/// Returns a text as one short line that does nothing to a terminal.
fn short(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(CITED_CHARS_MAX).collect();
    if cut.len() < line.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    use reqwest::Url;
    use reqwest::header::HeaderMap;

    fn answer(status: u16, retry_after: Option<&str>, body: &str) -> Answer {
        Answer {
            status: StatusCode::from_u16(status).unwrap(),
            retry_after: retry_after.map(str::to_owned),
            body: body.into(),
            broken: None,
        }
    }

    fn judged(answer: &Answer, success: Option<&Success>) -> Report {
        // 2026-05-13T16:00:00Z
        let url = Url::parse("http://x/hooks/KEY").unwrap();
        let hidden = Hidden::of(&url, &HeaderMap::new());
        judge("http://x", answer, success, &hidden, Timestamp::from_millis(1_778_688_000_000).unwrap())
    }

    #[track_caller]
    fn check_final(status: u16, expected: Option<bool>) {
        match judged(&answer(status, None, ""), None) {
            Report::Delivered { .. } => assert_eq!(expected, None, "of {status}"),
            Report::Failed { is_final, .. } => assert_eq!(expected, Some(is_final), "of {status}"),
            Report::Away { .. } => panic!("{status} is an answer"),
        }
    }

    #[track_caller]
    fn check_retry_after(text: &str, expected_s: Option<i64>) {
        let Report::Failed { retry_after, .. } = judged(&answer(503, Some(text), ""), None) else { panic!("503") };
        assert_eq!(retry_after, expected_s.map(Span::from_secs), "of {text:?}");
    }

    #[track_caller]
    fn check_body(rule: (&str, Scalar), body: &str, expected: Option<&str>) {
        let rule = Success { pointer: rule.0.to_owned(), equals: rule.1 };
        let report = judged(&answer(200, None, body), Some(&rule));
        match expected {
            None => assert_eq!(report, Report::DELIVERED),
            Some(error) => assert_eq!(report, failed(error.to_owned(), false, None)),
        }
    }

    #[test]
    fn what_a_status_means() {
        for status in [200, 201, 202, 204, 299] {
            check_final(status, None);
        }
        for status in [408, 425, 429, 500, 502, 503, 504, 599, 999] {
            check_final(status, Some(false));
        }
        for status in [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 413, 422, 451] {
            check_final(status, Some(true));
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        check_retry_after("120", Some(120));
        check_retry_after(" 0 ", Some(0));
        check_retry_after("0.25", Some(1));
        check_retry_after("1.000", Some(1));
        check_retry_after("99999999999999999999999", Some(i64::MAX / 2000));
        check_retry_after("Wed, 13 May 2026 16:02:00 GMT", Some(120));
        check_retry_after("Wed, 13 May 2026 15:59:00 GMT", None);
        for text in ["", "-1", "soon", "1e9", ".", "1.", "Xyz, 99 May 2026 16:02:00 GMT"] {
            check_retry_after(text, None);
        }
    }

    #[test]
    fn a_failure_inside_of_a_200_is_a_failure() {
        let code = || ("/errcode", Scalar::Number(0));
        check_body(code(), r#"{"errcode":0,"errmsg":"ok"}"#, None);
        check_body(
            code(),
            r#"{"errcode":45002,"errmsg":"content exceed max length"}"#,
            Some(
                r#"http://x answered 200 with 45002 at /errcode: {"errcode":45002,"errmsg":"content exceed max length"}"#,
            ),
        );
        check_body(code(), r#"{"ok":true}"#, Some(r#"http://x answered 200 with nothing at /errcode: {"ok":true}"#));
        check_body(code(), "", Some("http://x answered 200 with no JSON"));
        check_body(code(), "<html>\n\u{1b}[31m", Some("http://x answered 200 with no JSON: <html> [31m"));
        check_body(("/data/ok", Scalar::Bool(true)), r#"{"data":{"ok":true}}"#, None);
        check_body(("/s", Scalar::Text("ok".into())), r#"{"s":"ok"}"#, None);
        check_body(
            ("/s", Scalar::Text("0".into())),
            r#"{"s":0}"#,
            Some(r#"http://x answered 200 with 0 at /s: {"s":0}"#),
        );
    }

    #[test]
    fn an_error_cites_a_short_line_of_the_answer() {
        let Report::Failed { error, .. } = judged(&answer(500, None, &"é\r\n".repeat(5000)), None) else {
            panic!("500")
        };
        assert!(error.starts_with("http://x answered 500: é é") && error.ends_with('…'), "{error}");
        assert!(error.chars().count() < 250);
    }

    #[test]
    fn an_error_cites_nothing_of_an_address_that_the_answer_says_back() {
        let body = format!("{}Cannot POST /hooks/KEY", " ".repeat(1590));
        let expected = "http://x answered 404: Cannot POST (not shown)";
        assert_eq!(judged(&answer(404, None, &body), None), failed(expected.to_owned(), true, None));
        let code = ("/path", Scalar::Number(0));
        let expected = r#"http://x answered 200 with "(not shown)" at /path: {"path":"(not shown)"}"#;
        check_body(code, r#"{"path":"/hooks/KEY"}"#, Some(expected));
    }
}
