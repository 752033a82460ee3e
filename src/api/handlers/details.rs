//! What may a caller write about a task? The limits on titles, notes, tags and the like, for adding and changing alike.

use std::collections::BTreeMap;

use crate::api::{refusal, time};
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::event::Snapshot;
use crate::domain::retry::RETRIES_MAX;
use crate::domain::state::State;
use crate::domain::time::Span;
use crate::engine::request::RequestKey;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::from_wire;
use crate::protocol::methods::Method;

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

/// The most channels of a task.
const TARGETS_MAX: usize = 20;

/// The longest address of a program to be told, in bytes: longer ones are refused by many servers.
const ADDRESS_BYTES_MAX: usize = 2048;

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

/// Returns targets, each of them one of this machine, one of the `configured`, or a mere URL.
pub(super) fn targets(texts: &[String], configured: &[Target]) -> Result<Vec<Target>, RpcError> {
    within("channels", texts.len(), TARGETS_MAX, "channels")?;
    let texts: Vec<String> = texts.iter().map(|text| whole_name(text, configured)).collect();
    let targets = from_wire::targets(&texts).map_err(refusal::unusable)?;
    for target in targets.iter().filter(|target| target.kind.has_addresses()) {
        within("target's address", target.address.len(), ADDRESS_BYTES_MAX, "bytes")?;
        match target.address.split_once("://") {
            Some((scheme, rest)) if target.kind == ChannelKind::Webhook => url(&target.address, scheme, rest)?,
            Some(_) | None => known(target, configured)?,
        }
    }
    Ok(targets)
}

/// Returns the name of a target whose kind alone was said, where one of that kind is configured and no other.
fn whole_name(text: &str, configured: &[Target]) -> String {
    let mut of_kind = configured.iter().filter(|target| target.kind.as_str() == text);
    match (of_kind.next(), of_kind.next()) {
        (Some(only), None) => only.to_string(),
        (Some(_) | None, _) => text.to_owned(),
    }
}

fn known(target: &Target, configured: &[Target]) -> Result<(), RpcError> {
    if configured.contains(target) {
        return Ok(());
    }
    let (kind, address) = (target.kind, &target.address);
    let names: Vec<&str> =
        configured.iter().filter(|other| other.kind == kind).map(|other| other.address.as_str()).collect();
    let hint = match names.as_slice() {
        [] => format!("`keiko channel add {kind} {address}` configures one"),
        names => format!("configured are {}", names.join(", ")),
    };
    let why = format!("cannot use channel \"{target}\": no {kind} of that name is configured");
    Err(RpcError::new(ErrorKind::Params, why).with_hint(hint))
}

fn url(address: &str, scheme: &str, rest: &str) -> Result<(), RpcError> {
    let refused =
        |why: &str| RpcError::new(ErrorKind::Params, format!("cannot use channel \"webhook:{address}\": {why}"));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        // Said without the address: it holds a password.
        let message = "cannot use a webhook's address with a password in it: tasks and their history show it";
        let hint = "write it into the configuration, as url under [webhooks.NAME], and use webhook:NAME";
        return Err(RpcError::new(ErrorKind::Params, message).with_hint(hint));
    }
    let is_plain = !address.chars().any(|c| c.is_control() || c.is_whitespace());
    if !matches!(scheme, "http" | "https") || authority.is_empty() || !is_plain {
        return Err(refused("expected a name, or a URL that begins with https:// or http://"));
    }
    Ok(())
}

/// Returns alerts, sorted, each once.
pub(super) fn alerts(texts: &[String]) -> Result<Vec<Span>, RpcError> {
    within("alerts", texts.len(), ALERTS_MAX, "alerts")?;
    let mut alerts = texts.iter().map(|text| time::alert(text)).collect::<Result<Vec<_>, _>>()?;
    alerts.sort_unstable();
    alerts.dedup();
    Ok(alerts)
}

/// Returns the warning that a task was given alerts and none of them lies ahead, so that it comes due in silence.
pub(super) fn mute_warning(snapshot: &Snapshot) -> Option<String> {
    let is_armed = matches!(snapshot.occurrence.state, State::Pending(pending) if pending.snooze.is_none());
    let is_mute = is_armed
        && snapshot.occurrence.due.is_some()
        && !snapshot.task.alerts.is_empty()
        && snapshot.occurrence.last_spoken.is_none()
        && !snapshot.says_more_of_due();
    let number = snapshot.task.number;
    is_mute.then(|| {
        format!("all its alerts lie in the past, so it comes due in silence; keiko edit {number} --alert 0 rings then")
    })
}

/// Returns the warning that a number of retries was `given` and counts for nothing, since a person is told and no command runs.
pub(super) fn retries_warning(given: Option<u32>, snapshot: &Snapshot) -> Option<String> {
    let task = &snapshot.task;
    let counts = task.details.command.is_some() || task.is_program_only();
    given.filter(|_| !counts).map(|_| {
        "the number of retries counts for nothing: it tells a person, and is sent until somebody has it or answers"
            .to_owned()
    })
}

/// Returns how many times a delivery to a program is tried again.
pub(super) fn max_retries(retries: u32) -> Result<u32, RpcError> {
    within("max_retries", retries as usize, RETRIES_MAX as usize, "retries").map(|()| retries)
}

/// Returns the idempotency key of a request.
pub(super) fn key(text: Option<String>, method: Method) -> Result<Option<RequestKey>, RpcError> {
    let Some(text) = text else { return Ok(None) };
    if text.is_empty() {
        return Err(RpcError::new(ErrorKind::Params, "cannot use key \"\": expected at least one character"));
    }
    within("key", text.len(), KEY_BYTES_MAX, "bytes").map(|()| Some(RequestKey { key: text, method: method.as_str() }))
}

pub(super) fn within(what: &'static str, found: usize, limit: usize, unit: &'static str) -> Result<(), RpcError> {
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

    #[track_caller]
    fn check_target(text: &str, known: &[&str], expected: &str) {
        let known: Vec<Target> = known.iter().map(|name| Target::parse(name).expect("a target")).collect();
        let told = match targets(&[text.to_owned()], &known) {
            Ok(targets) => targets.iter().map(ToString::to_string).collect::<String>(),
            Err(error) => format!("{}; {}", error.message, error.hint().unwrap_or_default()),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn a_target_is_one_that_is_configured_and_the_only_one_of_its_kind_needs_no_name() {
        check_target("ntfy:phone", &["ntfy:phone"], "ntfy:phone");
        check_target("ntfy", &["mail:me", "ntfy:phone"], "ntfy:phone");
        check_target(
            "ntfy:https://ntfy.sh/x",
            &["ntfy:phone"],
            "cannot use channel \"ntfy:https://ntfy.sh/x\": no ntfy of that name is configured; configured are phone",
        );
        check_target(
            "mail:me",
            &[],
            "cannot use channel \"mail:me\": no mail of that name is configured; `keiko channel add mail me` configures one",
        );
    }

    #[test]
    fn a_webhook_has_a_configured_name_or_a_url() {
        check_target("desktop", &[], "desktop");
        check_target("webhook:ops", &["webhook:chat", "webhook:ops"], "webhook:ops");
        check_target(
            "webhook:opps",
            &["webhook:chat", "webhook:ops"],
            "cannot use channel \"webhook:opps\": no webhook of that name is configured; configured are chat, ops",
        );
        check_target(
            "webhook:ops",
            &[],
            "cannot use channel \"webhook:ops\": no webhook of that name is configured; \
             `keiko channel add webhook ops` configures one",
        );
        let url = "webhook:https://example.org:8443/a?b=c";
        check_target(url, &[], url);
        for bad in ["webhook:ftp://x/", "webhook:https:///x", "webhook:http://a b/"] {
            let every = "keiko help tells what each command takes, rpc.discover what each method takes";
            let why = "expected a name, or a URL that begins with https:// or http://";
            check_target(bad, &[], &format!("cannot use channel \"{bad}\": {why}; {every}"));
        }
        check_target(
            "webhook:https://user:hunter2@x/",
            &[],
            "cannot use a webhook's address with a password in it: tasks and their history show it; \
             write it into the configuration, as url under [webhooks.NAME], and use webhook:NAME",
        );
    }

    #[test]
    fn an_empty_link_is_none_and_an_empty_key_is_refused() {
        assert_eq!(link(Some(" ".into())), Ok(None));
        assert_eq!(link(Some("https://example.org".into())), Ok(Some("https://example.org".into())));
        assert!(link(Some("a\u{7}b".into())).is_err());
        assert!(key(Some(String::new()), Method::TaskAdd).is_err());
        assert_eq!(key(None, Method::TaskAdd), Ok(None));
    }
}
