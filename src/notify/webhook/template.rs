//! What does a target's request say? The body and headers, from templates that are tried out before anything is sent.
//!
//! In a JSON body every `{{ … }}` becomes a whole JSON value, quotes and all, so that no title can break out of its
//! place. A template never names a field that does not exist: that is found when it is loaded.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::domain::delivery::Frozen;
use crate::domain::secret::Secret;
use crate::notify::webhook::{Key, Preset, Scalar, Success};

/// The most steps that a template may take: a hundred tags in a loop are a few thousand.
const FUEL: u64 = 100_000;

/// The largest request, in bytes: the longest task with every character escaped fits.
pub(super) const REQUEST_BYTES_MAX: usize = 1024 * 1024;

/// The name of the body's template; no header has a space in its name.
const BODY: &str = "the body";

/// Headers that are not a template's to set: they frame the request, or its receivers rely on them.
const RESERVED: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "keiko-attempt",
];

/// Slack's `&`, `<` and `>` make links and mentions (<https://docs.slack.dev/messaging/formatting-message-text>), so
/// they are written as it says; a text may have 40,000 characters.
const SLACK: &str =
    r#"{"text": {{ text[:30000] | replace("&", "&amp;") | replace("<", "&lt;") | replace(">", "&gt;") }}}"#;

/// A message may have 2,000 characters, and nobody is to be called by an `@everyone` in a title
/// (<https://discord.com/developers/docs/resources/webhook#execute-webhook>). A character outside Unicode's first plane
/// may count twice.
const DISCORD: &str =
    r#"{"content": {{ text[:1000] if text | length > 1900 else text }}, "allowed_mentions": {"parse": []}}"#;

/// A message may have 20,000 bytes in all (<https://open.dingtalk.com/document/robots/custom-robot-access>); escaped as
/// JSON a character may take six.
const DINGTALK: &str = r#"{"msgtype": "text", "text": {"content": {{ text[:3000] }}}}"#;

/// What a target's requests are made of.
#[derive(Debug)]
pub(super) struct Templates {
    engine: Environment<'static>,
    /// Headers that are made of the task, or belong to the body.
    frozen: Vec<HeaderName>,
    /// Headers that are always the same, such as keys: those of the present configuration are sent, and never stored.
    constant: Vec<HeaderName>,
    has_body: bool,
}

/// What a request says.
#[derive(Debug)]
pub(super) struct Rendered {
    /// Its headers.
    pub(super) headers: HeaderMap,
    /// Its body.
    pub(super) body: String,
}

impl Templates {
    /// Reads the templates and tries them out.
    ///
    /// # Errors
    /// Which of them is wrong, and why.
    pub(super) fn new(
        preset: Preset,
        body: Option<String>,
        headers: &[(String, Secret)],
    ) -> Result<Self, (Key, String)> {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(FUEL));
        let (mut frozen, mut constant) = (Vec::new(), Vec::new());
        let mut is_json = true;
        for (name, template) in headers {
            let key = || Key::Header(name.clone());
            let header = header_name(name).map_err(|why| (key(), why))?;
            if header == CONTENT_TYPE {
                is_json = template.reveal().contains("json");
            }
            let added = engine.add_template_owned(header.as_str().to_owned(), template.reveal().to_owned());
            added.map_err(|error| (key(), told(&error)))?;
            let is_made = ["{{", "{%"].iter().any(|sign| template.reveal().contains(sign));
            if is_made || header == CONTENT_TYPE { frozen.push(header) } else { constant.push(header) }
        }
        engine.set_auto_escape_callback(
            move |name| {
                if name == BODY && is_json { AutoEscape::Json } else { AutoEscape::None }
            },
        );
        let body = body.or_else(|| preset_body(preset).map(str::to_owned));
        let has_body = body.is_some();
        if let Some(body) = body {
            engine.add_template_owned(BODY, body).map_err(|error| (Key::Body, told(&error)))?;
        }
        let templates = Self { engine, frozen, constant, has_body };
        templates.try_out(is_json)?;
        Ok(templates)
    }

    /// Returns what every request of a payload says.
    ///
    /// # Errors
    /// Which template could not be used for it, and why.
    pub(super) fn freeze(&self, payload: &Value) -> Result<Frozen, (Key, String)> {
        let body =
            if self.has_body { self.text(BODY, payload).map_err(|why| (Key::Body, why))? } else { payload.to_string() };
        if body.len() > REQUEST_BYTES_MAX {
            return Err((Key::Body, format!("it has {} bytes, more than {REQUEST_BYTES_MAX}", body.len())));
        }
        let mut headers = Vec::new();
        if !self.frozen.contains(&CONTENT_TYPE) {
            headers.push((CONTENT_TYPE.to_string(), "application/json".to_owned()));
        }
        for name in &self.frozen {
            headers.push((name.to_string(), self.header(name, payload)?));
        }
        Ok(Frozen { headers, body })
    }

    /// Returns the request of what was frozen, maybe with other templates: only keys are those of now.
    ///
    /// # Errors
    /// Which header could not be used, and why.
    pub(super) fn thaw(&self, frozen: &Frozen) -> Result<Rendered, (Key, String)> {
        let mut headers = HeaderMap::new();
        for name in &self.constant {
            headers.insert(name.clone(), header_value(name.as_str(), &self.header(name, &Value::Null)?)?);
        }
        for (name, text) in &frozen.headers {
            let value = header_value(name, text)?;
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|error| (Key::Header(name.clone()), error.to_string()))?;
            headers.insert(name, value);
        }
        Ok(Rendered { headers, body: frozen.body.clone() })
    }

    fn header(&self, name: &HeaderName, payload: &Value) -> Result<String, (Key, String)> {
        let text = self.text(name.as_str(), payload).map_err(|why| (Key::Header(name.to_string()), why))?;
        // A title may hold what no header can; a line break would make two headers of one.
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Ok(line.trim().to_owned())
    }

    fn text(&self, name: &str, payload: &Value) -> Result<String, String> {
        let template = self.engine.get_template(name).map_err(|error| told(&error))?;
        template.render(minijinja::Value::from(Serde(payload))).map_err(|error| told(&error))
    }

    /// Tries the templates with a task that has everything and one that has nothing.
    fn try_out(&self, is_json: bool) -> Result<(), (Key, String)> {
        for payload in [full(), bare()] {
            let rendered = self.freeze(&payload)?;
            self.thaw(&rendered)?;
            if is_json && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&rendered.body) {
                let why = format!("it makes no JSON: {error}; a value brings its own quotes");
                return Err((Key::Body, why));
            }
        }
        Ok(())
    }
}

const fn preset_body(preset: Preset) -> Option<&'static str> {
    match preset {
        Preset::Generic => None,
        Preset::Slack => Some(SLACK),
        Preset::Discord => Some(DISCORD),
        Preset::Dingtalk => Some(DINGTALK),
    }
}

/// Returns the rule for answers that a preset comes with.
pub(super) fn preset_success(preset: Preset) -> Option<Success> {
    match preset {
        Preset::Generic | Preset::Slack | Preset::Discord => None,
        // It answers 200 with the failure inside (the page of DINGTALK).
        Preset::Dingtalk => Some(Success { pointer: "/errcode".to_owned(), equals: Scalar::Number(0) }),
    }
}

fn header_name(name: &str) -> Result<HeaderName, String> {
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| "expected a header's name".to_owned())?;
    if RESERVED.contains(&header.as_str()) { Err("it is set by Keiko".to_owned()) } else { Ok(header) }
}

fn header_value(name: &str, text: &str) -> Result<HeaderValue, (Key, String)> {
    let mut value =
        HeaderValue::from_bytes(text.as_bytes()).map_err(|error| (Key::Header(name.to_owned()), error.to_string()))?;
    // Headers are where keys are put: nothing shows them.
    value.set_sensitive(true);
    Ok(value)
}

/// Returns what is wrong with a template, and where in it; never its text, which may hold a key.
fn told(error: &minijinja::Error) -> String {
    let kind = error.kind();
    let what = error.detail().map_or_else(|| kind.to_string(), |detail| format!("{kind}: {detail}"));
    error.line().map_or_else(|| what.clone(), |line| format!("{what}, in its line {line}"))
}

/// A payload with everything, in characters that break what is not escaped.
fn full() -> Value {
    let mut payload = bare();
    let nasty = "\"quoted\" \\ {{ 交房租 }} \u{7} 🏠\nsecond line";
    let all = json!({
        "number": 12, "id": "0199c1f2-0000-7000-8000-000000000000", "title": nasty, "notes": nasty,
        "link": "https://example.org/?a=1&b=2", "tags": ["home", "med"], "priority": "high", "metadata": {"key": nasty},
    });
    payload["task"] = all;
    payload["text"] = json!(nasty);
    payload["occurrence"]["due_at"] = json!("2026-05-13T16:00:00Z");
    payload
}

/// A payload of a task that has nothing but a title.
fn bare() -> Value {
    let at = "2026-05-13T16:00:00Z";
    let id = "0199c1f2-0000-7000-8000-000000000000";
    json!({
        "schema_version": 1, "type": "reminder.fired", "timestamp": at, "delivery_id": id,
        "task": {
            "number": 1, "id": id, "title": "x", "notes": "", "link": null, "tags": [], "priority": "normal", "metadata": {},
        },
        "occurrence": {"key": "once", "generation": 1, "due_at": null},
        "firing": {"fire_id": id, "slot": "0", "nominal": at, "at": at, "late": false},
        "device": id, "reason": "alert", "text": "x",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::notify::payload;

    fn header(name: &str, template: &str) -> (String, Secret) {
        (name.to_owned(), Secret::new(template.to_owned()))
    }

    fn body(preset: Preset, template: Option<&str>) -> Result<Rendered, (Key, String)> {
        let templates = Templates::new(preset, template.map(str::to_owned), &[])?;
        render(&templates, &payload::payload(&payload::tests::delivery()))
    }

    fn render(templates: &Templates, payload: &Value) -> Result<Rendered, (Key, String)> {
        templates.freeze(payload).and_then(|frozen| templates.thaw(&frozen))
    }

    #[track_caller]
    fn check_refused(template: &str, expected: &str) {
        assert_eq!(body(Preset::Generic, Some(template)).unwrap_err(), (Key::Body, expected.to_owned()));
    }

    fn keys(value: &Value) -> Vec<String> {
        let Some(object) = value.as_object() else { return Vec::new() };
        let below = |(key, value): (&String, &Value)| {
            let inner = if key == "metadata" { Vec::new() } else { keys(value) };
            std::iter::once(key.clone()).chain(inner.into_iter().map(move |inner| format!("{key}.{inner}"))).collect()
        };
        object.iter().flat_map::<Vec<String>, _>(below).collect()
    }

    #[test]
    fn what_templates_are_tried_with_has_the_fields_of_a_real_payload() {
        let real = keys(&payload::payload(&payload::tests::delivery()));
        assert_eq!(keys(&full()), real);
        assert_eq!(keys(&bare()), real);
    }

    #[test]
    fn every_preset_makes_json_of_any_title() {
        let told = |preset| serde_json::from_str::<Value>(&body(preset, None).unwrap().body).unwrap();
        let text = "say \"hi\" \\ </script>\ndue 12:00";
        assert_eq!(told(Preset::Slack), json!({"text": "say \"hi\" \\ &lt;/script&gt;\ndue 12:00"}));
        assert_eq!(told(Preset::Discord), json!({"content": text, "allowed_mentions": {"parse": []}}));
        assert_eq!(told(Preset::Dingtalk), json!({"msgtype": "text", "text": {"content": text}}));
        assert_eq!(told(Preset::Generic), payload::payload(&payload::tests::delivery()));
    }

    #[test]
    fn the_presets_keep_within_the_limits_of_their_services() {
        let mut long = full();
        long["text"] = json!("🏠".repeat(70_000));
        let length = |preset, pointer: &str| {
            let rendered = render(&Templates::new(preset, None, &[]).unwrap(), &long).unwrap();
            let text = serde_json::from_str::<Value>(&rendered.body).unwrap();
            (text.pointer(pointer).unwrap().as_str().unwrap().encode_utf16().count(), rendered.body.len())
        };
        assert!(length(Preset::Slack, "/text").0 <= 60_000);
        assert!(length(Preset::Discord, "/content").0 <= 2000);
        assert!(length(Preset::Dingtalk, "/text/content").1 <= 20_000);
    }

    #[test]
    fn a_value_in_a_json_body_comes_with_its_quotes() {
        let template = r#"{"what": {{ task.title }}, "tags": {{ task.tags }}, "link": {{ task.link }}, "n": {{ task.number }},
            "room": {{ task.metadata.room | default("none") }}, "all": {{ "due: " ~ task.title }}}"#;
        let told: Value = serde_json::from_str(&body(Preset::Generic, Some(template)).unwrap().body).unwrap();
        let title = "say \"hi\" \\ </script>";
        let expected = json!({
            "what": title, "tags": ["home"], "link": null, "n": 7, "room": "7", "all": format!("due: {title}"),
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn a_body_that_is_no_json_is_plain_text() {
        let headers = [header("Content-Type", "text/plain"), header("X-Title", "{{ task.title }}: {{ task.notes }}")];
        let templates = Templates::new(Preset::Generic, Some("{{ task.title }}!".to_owned()), &headers).unwrap();
        let rendered = render(&templates, &payload::payload(&payload::tests::delivery())).unwrap();
        assert_eq!(rendered.body, "say \"hi\" \\ </script>!");
        assert_eq!(rendered.headers[CONTENT_TYPE], "text/plain");
        assert_eq!(rendered.headers["x-title"].as_bytes(), "say \"hi\" \\ </script>: 交房租 🏠".as_bytes());
        assert!(!format!("{rendered:?}").contains("script>: "), "a header may hold a key");
    }

    #[test]
    fn what_was_frozen_is_sent_whatever_the_templates_are_now_with_the_keys_of_now() {
        let headers = |key: &str, title: &str| [header("X-Key", key), header("X-Title", title)];
        let payload = payload::payload(&payload::tests::delivery());
        let before = headers("old key", "{{ task.number }}");
        let before = Templates::new(Preset::Generic, Some("{{ task.title }}".to_owned()), &before).unwrap();
        let frozen = before.freeze(&payload).unwrap();
        assert!(!format!("{frozen:?}").contains("old key"), "a key is never stored");
        let after = headers("new key", "other {{ task.number }}");
        let after = Templates::new(Preset::Slack, None, &after).unwrap();
        let rendered = after.thaw(&frozen).unwrap();
        assert_eq!(rendered.body, frozen.body);
        assert_eq!(
            (rendered.headers["x-key"].as_bytes(), rendered.headers["x-title"].as_bytes()),
            (&b"new key"[..], &b"7"[..])
        );
    }

    #[test]
    fn a_template_that_cannot_work_is_refused_when_it_is_loaded() {
        check_refused("{{ task.titel }}", "undefined value, in its line 1");
        check_refused(
            "{\n{{ task.title",
            "syntax error: unexpected end of input, expected end of variable block, in its line 2",
        );
        check_refused("{{ task.title | shout }}", "unknown filter: filter shout is unknown, in its line 1");
        check_refused(
            "{\"a\": \"{{ task.title }}\"}",
            "it makes no JSON: expected `,` or `}` at line 1 column 9; a value brings its own quotes",
        );
        check_refused(
            "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
            "engine ran out of fuel, in its line 1",
        );
        let refused =
            |name: &str, template: &str| Templates::new(Preset::Slack, None, &[header(name, template)]).unwrap_err();
        assert_eq!(refused("X Y", "1"), (Key::Header("X Y".into()), "expected a header's name".into()));
        assert_eq!(refused("Webhook-Id", "1"), (Key::Header("Webhook-Id".into()), "it is set by Keiko".into()));
        assert_eq!(refused("X-Key", "{{ key }}").0, Key::Header("x-key".into()));
    }
}
