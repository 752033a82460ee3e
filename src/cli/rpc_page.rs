//! How do programs talk to the daemon? The manual page keiko-rpc(7), made from the document that `rpc.discover` answers with.
//!
//! Methods, objects and errors are that document's, hints those of the error table, limits those that the daemon keeps.

use serde_json::Value;

use crate::cli::roff::{Page, bold, italic};
use crate::protocol::error_code::{RpcError, TABLE};
use crate::protocol::openrpc;
use crate::protocol::{PROTOCOL_VERSION, SCHEMA_VERSION};

/// Returns the page as roff. `limits` says what is limited, and to what.
pub(super) fn page(version: &str, limits: &[(String, String)]) -> String {
    let document: Value =
        serde_json::from_str(openrpc::document().get()).expect("the document is JSON, which a test checks");
    let about = "how programs talk to the Keiko daemon";
    let mut page = Page::new("keiko-rpc", '7', version, about);
    introduction(&mut page);
    page.section("METHODS");
    for method in entries(&document["methods"]) {
        page.part(text(&method["name"]));
        page.paragraph(&marked(text(&method["summary"])));
        for param in entries(&method["params"]) {
            let needed = if param["required"] == true { "" } else { ", optional" };
            let lead =
                format!("{} {}", bold(text(&param["name"])), italic(&format!("{}{needed}", kind(&param["schema"]))));
            page.tagged(&lead, &marked(text(&param["description"])));
        }
        let schema = &method["result"]["schema"];
        let answer = if schema["$ref"].is_string() { kind(schema) } else { "a JSON value".to_owned() };
        page.request(".PP");
        page.request(&format!("Answer: {}", italic(&answer)));
    }
    page.section("NOTIFICATIONS");
    for each in entries(&document["x-notifications"]) {
        page.tagged(
            &bold(text(&each["name"])),
            &format!("{} Its parameters: {}.", marked(text(&each["summary"])), kind(&each["params"])),
        );
    }
    objects(&mut page, &document);
    errors(&mut page, &document);
    page.section("LIMITS");
    page.paragraph("What goes beyond is refused with error 429 or -32602, never dropped in silence; who keeps the daemon waiting is hung up on.");
    for (what, much) in limits {
        page.tagged(what_is_limited(what).as_str(), much);
    }
    page.see_also(&["keiko-rpc(1)", "keiko-events(1)", "keikod(8)"]);
    page.finish()
}

fn introduction(page: &mut Page) {
    page.section("DESCRIPTION");
    for paragraph in [
        "The daemon speaks JSON-RPC 2.0 over a local socket that only its owner may use, one JSON value a line, in UTF-8. All that \
         keiko does is done by these methods, and keiko rpc calls any of them. Batches and notifications are understood; calls of one \
         connection are answered in their order, save task.wait, which is answered when something has happened.",
        "The path of the socket stands in the file keikod.socket beside the database. Parameters are given by name, or by position in \
         the order below; one that is not known is refused. Results may gain fields, so pass over those that you do not know. Times \
         are RFC 3339 with an offset.",
    ] {
        page.paragraph(paragraph);
    }
    page.paragraph(&format!(
        "This is protocol {PROTOCOL_VERSION}, with objects of schema_version {SCHEMA_VERSION}. Who says its protocol with \
         daemon.hello first is told where the daemon speaks another one."
    ));
    page.section("EXAMPLES");
    page.paragraph("Of a shell:");
    page.verbatim(&[
        bold("keiko rpc task.add '{\"text\": \"pay rent tomorrow 3pm\"}'"),
        bold("keiko rpc daemon.status"),
        bold("keiko rpc rpc.discover"),
    ]);
    page.paragraph("On the wire, each on a line:");
    page.verbatim(&[
        bold("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\",\"params\":{\"protocol\":1}}"),
        bold("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"task.list\"}"),
        bold("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"event.subscribe\",\"params\":{\"since\":0}}"),
    ]);
}

fn objects(page: &mut Page, document: &Value) {
    page.section("OBJECTS");
    let Some(schemas) = document["components"]["schemas"].as_object() else { return };
    for (name, schema) in schemas {
        page.part(name);
        page.paragraph(&marked(text(&schema["description"])));
        for (field, of) in schema["properties"].as_object().into_iter().flatten() {
            page.tagged(&format!("{} {}", bold(field), italic(&kind(of))), &marked(text(&of["description"])));
        }
    }
}

fn errors(page: &mut Page, document: &Value) {
    page.section("ERRORS");
    page.paragraph(
        "data.kind names the kind, since several share a code; data.hint says what to do next, for people. The other fields of data \
         are those of ErrorData.",
    );
    for (kind, code, word) in TABLE {
        let meaning = text(&document["components"]["errors"][word]["message"]);
        let hint = RpcError::new(kind, "").hint().map(|hint| format!(" Hint: {hint}.")).unwrap_or_default();
        page.tagged(&format!("{} {}", bold(&code.to_string()), bold(word)), &format!("{meaning}{hint}"));
    }
}

fn what_is_limited(what: &str) -> String {
    crate::cli::roff::escaped(what)
}

/// Returns the type of a value in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or(reference).to_owned();
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(list) = schema[key].as_array() {
            return list.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(|word| word.as_str().unwrap_or("null")).collect::<Vec<_>>().join("|");
    }
    let words: Vec<&str> = match &schema["type"] {
        Value::Array(list) => list.iter().map(text).collect(),
        one => vec![text(one)],
    };
    let one = |word: &str| match (word, schema["format"].as_str()) {
        ("string", Some("date-time")) => "time".to_owned(),
        ("array", _) => format!("list of {}", kind(&schema["items"])),
        ("", _) => "value".to_owned(),
        (word, _) => word.to_owned(),
    };
    words.iter().map(|word| one(word)).collect::<Vec<_>>().join(" or ")
}

/// Returns a text without the marks that stand around words of a program.
fn marked(text: &str) -> String {
    text.replace('`', "")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
