//! How does a button name what it does? By a short text that holds the act, the task and the occurrence.
//!
//! The text outlives the daemon that wrote it: nothing is looked up, and it names exactly one occurrence. It proves nothing
//! of who pressed it; whoever reads one back decides whether to believe it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Datelike as _, NaiveDate};
use uuid::Uuid;

use crate::domain::occurrence::{OccurrenceKey, OccurrenceName};
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};
use crate::notify::responses::{Act, Ring};

/// The form below; a text of another one is not understood.
const FORM: u8 = 1;

/// How many bytes stand behind the form: act, snooze, task, kind of key, key, generation.
const BYTES: usize = 1 + 1 + 8 + 16 + 1 + 8 + 4;

/// Returns the text of a button: 52 characters of base64url, where Telegram takes 64 bytes.
#[must_use]
pub(in crate::notify) fn encode(act: Act, ring: Ring) -> String {
    let (act, by) = match act {
        Act::Dismiss => (0, Span::ZERO),
        Act::Ack => (1, Span::ZERO),
        Act::Done => (2, Span::ZERO),
        Act::Snooze(by) => (3, by),
    };
    let (kind, key) = match ring.occurrence.key {
        OccurrenceKey::Once => (0, 0),
        OccurrenceKey::Date(date) => (1, i64::from(date.num_days_from_ce())),
        OccurrenceKey::DateTime(local) => (2, local.and_utc().timestamp_millis()),
        OccurrenceKey::Instant(at) => (3, at.as_millis()),
        OccurrenceKey::Nth(n) => (4, i64::from(n)),
    };
    let mut bytes = Vec::with_capacity(BYTES);
    bytes.extend([FORM, act]);
    bytes.extend(by.as_millis().to_be_bytes());
    bytes.extend(ring.task.0.as_bytes());
    bytes.push(kind);
    bytes.extend(key.to_be_bytes());
    bytes.extend(ring.occurrence.generation.to_be_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads the text of a button; `None` where it is none of ours, or of another version.
#[must_use]
pub(in crate::notify) fn decode(text: &str) -> Option<(Act, Ring)> {
    let bytes: [u8; BYTES] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    let number = |at: usize| bytes[at..at + 8].try_into().map(i64::from_be_bytes).ok();
    let act = match (bytes[0], bytes[1]) {
        (FORM, 0) => Act::Dismiss,
        (FORM, 1) => Act::Ack,
        (FORM, 2) => Act::Done,
        // A snooze that ends before it begins was made by nobody.
        (FORM, 3) => Act::Snooze(Some(Span::from_millis(number(2)?)).filter(|by| by.is_positive())?),
        _ => return None,
    };
    let key = number(27)?;
    let key = match bytes[26] {
        0 => OccurrenceKey::Once,
        1 => OccurrenceKey::Date(NaiveDate::from_num_days_from_ce_opt(key.try_into().ok()?)?),
        2 => OccurrenceKey::DateTime(DateTime::from_timestamp_millis(key)?.naive_utc()),
        3 => OccurrenceKey::Instant(Timestamp::from_millis(key)?),
        4 => OccurrenceKey::Nth(key.try_into().ok()?),
        _ => return None,
    };
    let task = TaskId(Uuid::from_slice(&bytes[10..26]).ok()?);
    let generation = u32::from_be_bytes(bytes[35..].try_into().ok()?);
    Some((act, Ring { task, occurrence: OccurrenceName { key, generation } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[track_caller]
    fn check(key: &str, act: Act) {
        let ring = Ring { task: TaskId(Uuid::from_u128(u128::MAX - 7)), occurrence: key.parse().unwrap() };
        let text = encode(act, ring);
        assert!(text.len() <= 64, "{text}");
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
        assert_eq!(decode(&text), Some((act, ring)));
    }

    #[test]
    fn a_text_names_one_act_on_one_occurrence() {
        for key in [
            "once~1",
            "2026-05-13~4294967295",
            "2026-05-13T09:30:00~2",
            "1970-01-01T00:00:00~1",
            "9999-12-31T23:59:59~1",
            "2026-05-13T09:30:00.250Z~3",
            "#4294967295~1",
        ] {
            for act in [Act::Dismiss, Act::Ack, Act::Done, Act::Snooze(Span::from_minutes(10))] {
                check(key, act);
            }
        }
    }

    #[test]
    fn what_is_not_ours_is_not_understood() {
        let ring = Ring { task: TaskId(Uuid::nil()), occurrence: "#1~1".parse().unwrap() };
        let text = encode(Act::Done, ring);
        let with = |at: usize, byte: u8| {
            let mut bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
            bytes[at] = byte;
            URL_SAFE_NO_PAD.encode(bytes)
        };
        assert_eq!(decode(&with(34, 2)).map(|(_, ring)| ring.occurrence.to_string()).as_deref(), Some("#2~1"));
        // Another form, act, kind of key; a number that no key has; a snooze of no time or into the past.
        let strange = [with(0, 2), with(1, 9), with(26, 9), with(27, 0x80), with(1, 3)];
        let past = encode(Act::Snooze(Span::from_minutes(-1)), ring);
        for text in strange.iter().map(String::as_str).chain([past.as_str(), "", "done", "AQID", &text[1..]]) {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[A-Za-z0-9_-]{52}|.{0,80}") {
            if let Some((act, ring)) = decode(&text) {
                prop_assert_eq!(decode(&encode(act, ring)), Some((act, ring)));
            }
        }
    }
}
