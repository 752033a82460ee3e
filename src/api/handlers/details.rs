//! What may a caller write about a task? The limits on titles, notes, tags and the like, for adding and changing alike.

use std::collections::BTreeMap;

use crate::api::{refusal, time};
use crate::domain::delivery::Target;
use crate::domain::time::Span;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::from_wire;

/// The longest title, in bytes: events carry their task whole, so each change would write it again.
const TITLE_BYTES_MAX: usize = 4 * 1024;

/// The longest notes, in bytes.
const NOTES_BYTES_MAX: usize = 64 * 1024;

/// The longest link, in bytes.
const LINK_BYTES_MAX: usize = 8 * 1024;

/// The most metadata, in bytes of keys and values.
const METADATA_BYTES_MAX: usize = 64 * 1024;

/// The most tags.
const TAGS_MAX: usize = 100;

/// The most alerts.
const ALERTS_MAX: usize = 50;

/// The longest idempotency key, in bytes.
const KEY_BYTES_MAX: usize = 256;

/// Returns a title as one line: what would break it becomes a space.
pub(super) fn title(text: &str) -> Result<String, RpcError> {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    within("title", line.len(), TITLE_BYTES_MAX, "bytes").map(|()| line)
}

/// Returns notes.
pub(super) fn notes(text: String) -> Result<String, RpcError> {
    within("notes", text.len(), NOTES_BYTES_MAX, "bytes").map(|()| text)
}

/// Returns a link; an empty one is none.
pub(super) fn link(text: Option<String>) -> Result<Option<String>, RpcError> {
    let Some(text) = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().any(char::is_control) {
        let message = format!("cannot use link {text:?}: expected one line without control characters");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    within("link", text.len(), LINK_BYTES_MAX, "bytes").map(|()| Some(text))
}

/// Returns tags.
pub(super) fn tags(texts: &[String]) -> Result<Vec<String>, RpcError> {
    within("tags", texts.len(), TAGS_MAX, "tags")?;
    from_wire::tags(texts).map_err(refusal::unusable)
}

/// Returns metadata.
pub(super) fn metadata(metadata: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, RpcError> {
    let bytes = metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    within("metadata", bytes, METADATA_BYTES_MAX, "bytes").map(|()| metadata)
}

/// Returns targets.
pub(super) fn targets(texts: &[String]) -> Result<Vec<Target>, RpcError> {
    from_wire::targets(texts).map_err(refusal::unusable)
}

/// Returns alerts, sorted, each once.
pub(super) fn alerts(texts: &[String]) -> Result<Vec<Span>, RpcError> {
    within("alerts", texts.len(), ALERTS_MAX, "alerts")?;
    let mut alerts = texts.iter().map(|text| time::alert(text)).collect::<Result<Vec<_>, _>>()?;
    alerts.sort_unstable();
    alerts.dedup();
    Ok(alerts)
}

/// Returns an idempotency key.
pub(super) fn key(text: Option<String>) -> Result<Option<String>, RpcError> {
    let Some(text) = text else { return Ok(None) };
    if text.is_empty() {
        return Err(RpcError::new(ErrorKind::Params, "cannot use key \"\": expected at least one character"));
    }
    within("key", text.len(), KEY_BYTES_MAX, "bytes").map(|()| Some(text))
}

fn within(what: &'static str, found: usize, limit: usize, unit: &'static str) -> Result<(), RpcError> {
    if found <= limit {
        return Ok(());
    }
    Err(RpcError::new(
        ErrorKind::Params,
        format!("cannot take the {what}: expected at most {limit} {unit}, found {found}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(title("  pay\n\trent\u{1b}[31m ").expect("a title"), "pay rent [31m");
        assert_eq!(title("交房租").expect("a title"), "交房租");
        assert_eq!(
            title(&"x".repeat(5000)).expect_err("too long").message,
            "cannot take the title: expected at most 4096 bytes, found 5000"
        );
    }

    #[test]
    fn an_empty_link_is_none_and_an_empty_key_is_refused() {
        assert_eq!(link(Some(" ".into())), Ok(None));
        assert_eq!(link(Some("https://example.org".into())), Ok(Some("https://example.org".into())));
        assert!(link(Some("a\u{7}b".into())).is_err());
        assert!(key(Some(String::new())).is_err());
        assert_eq!(key(None), Ok(None));
    }
}
