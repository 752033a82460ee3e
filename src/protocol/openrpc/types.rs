//! Does the document tell the types that the code reads? A sample of each schema is read, and what the schema forbids is
//! refused.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::protocol::envelope::{RawText, read_params};
use crate::protocol::error_code::{Candidate, ErrorData};
use crate::protocol::methods::{self, Ask, EventPushed, Method};
use crate::protocol::objects;

/// One value of each type that JSON has, and of each that a number or a text may be besides.
fn strangers() -> [Value; 8] {
    [
        json!(null),
        json!(true),
        json!(7),
        json!(-7),
        json!(1.5),
        json!("stranger"),
        json!([7.5]),
        json!({"stranger": 7.5}),
    ]
}

fn document() -> Value {
    serde_json::from_str(super::document().get()).expect("JSON")
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).expect("it leads somewhere"),
        None => schema,
    }
}

/// Returns the schemas of which one, or of which all, must fit.
fn parts(schema: &Value) -> Option<&Vec<Value>> {
    ["oneOf", "allOf"].into_iter().find_map(|word| schema[word].as_array())
}

/// Returns the types of a schema, none where any will do.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a schema lets a value through.
fn admits(document: &Value, schema: &Value, value: &Value) -> bool {
    let schema = resolved(document, schema);
    if let Some(parts) = parts(schema) {
        return parts.iter().any(|part| admits(document, part, value));
    }
    let types = types(schema);
    if types.is_empty() {
        return true;
    }
    types.iter().any(|kind| match *kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || (value.is_i64() && schema["minimum"].is_null()),
        "number" => value.is_number(),
        "string" => value.is_string() && schema["format"].is_null() && schema["enum"].is_null(),
        "array" => {
            value.as_array().is_some_and(|list| list.iter().all(|each| admits(document, &schema["items"], each)))
        }
        "object" => value.as_object().is_some_and(|object| {
            // A reader passes over fields that it does not know.
            let has_fields = schema["properties"].is_object();
            has_fields || object.values().all(|each| admits(document, &schema["additionalProperties"], each))
        }),
        other => panic!("the document has a type {other:?} that this test does not know"),
    })
}

/// Returns a value for each type of a schema.
fn samples(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolved(document, schema);
    if let Some(parts) = parts(schema) {
        return parts.iter().flat_map(|part| samples(document, part)).collect();
    }
    let types = types(schema);
    if types.is_empty() {
        return strangers().to_vec();
    }
    types.iter().map(|kind| sample(document, schema, kind)).collect()
}

fn sample(document: &Value, schema: &Value, kind: &str) -> Value {
    let first = |schema: &Value| samples(document, schema).swap_remove(0);
    match kind {
        "null" => Value::Null,
        "boolean" => json!(true),
        "integer" if schema["minimum"].is_null() => json!(-7),
        "integer" => json!(7),
        "number" => json!(1.5),
        "string" if schema["format"] == "date-time" => json!("2026-05-13T16:00:00-04:00"),
        "string" if schema["enum"].is_array() => schema["enum"][0].clone(),
        "string" => json!("text"),
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(1);
            (0..count).map(|_| first(&schema["items"])).collect()
        }
        "object" => match schema["properties"].as_object() {
            Some(properties) => {
                properties.iter().map(|(name, schema)| (name.clone(), first(schema))).collect::<Map<_, _>>().into()
            }
            None => json!({"name": first(&schema["additionalProperties"])}),
        },
        other => panic!("the document has a type {other:?} that this test does not know"),
    }
}

fn read<P: Ask>(params: &Value) -> Result<(), String> {
    let text = params.to_string();
    let raw: &RawText = serde_json::from_str(&text).expect("JSON");
    read_params::<P>(Some(raw)).map(drop).map_err(|error| error.message)
}

fn check_params<P: Ask>(document: &Value, wrong: &mut Vec<String>) {
    let method = &document["methods"][Method::ALL.iter().position(|each| *each == P::METHOD).expect("it is one")];
    let params = method["params"].as_array().expect("an array");
    let name = |param: &Value| param["name"].as_str().expect("a name").to_owned();
    let full: Map<String, Value> =
        params.iter().map(|param| (name(param), samples(document, &param["schema"]).swap_remove(0))).collect();
    let with = |name: &str, value: Value| {
        let mut params = full.clone();
        params.insert(name.to_owned(), value);
        Value::Object(params)
    };
    read::<P>(&Value::Object(full.clone())).unwrap_or_else(|error| panic!("{}: {error}", method["name"]));
    for param in params {
        let (name, schema) = (name(param), &param["schema"]);
        for value in samples(document, schema) {
            if let Err(error) = read::<P>(&with(&name, value.clone())) {
                wrong.push(format!("{} takes no {value} as {name}: {error}", method["name"]));
            }
        }
        for value in strangers().into_iter().filter(|value| !admits(document, schema, value)) {
            // Null is how many languages say that there is nothing.
            let is_nothing = value.is_null() && param["required"] == false;
            if read::<P>(&with(&name, value.clone())).is_ok() && !is_nothing {
                wrong.push(format!("{} takes {value} as {name}", method["name"]));
            }
        }
    }
    if let Some(reference) = method["result"]["schema"]["$ref"].as_str() {
        let name = reference.rsplit('/').next().expect("a name");
        check_object::<P::Answer>(document, name, wrong);
    }
}

fn check_object<T: DeserializeOwned>(document: &Value, name: &str, wrong: &mut Vec<String>) {
    let schema = &document["components"]["schemas"][name];
    let full = sample(document, schema, "object");
    if let Err(error) = serde_json::from_value::<T>(full.clone()) {
        return wrong.push(format!("{name}: {error} in {full}"));
    }
    for (property, schema) in schema["properties"].as_object().expect("an object") {
        let with = |value: &Value| {
            let mut object = full.clone();
            object[property] = value.clone();
            serde_json::from_value::<T>(object)
        };
        for value in samples(document, schema) {
            if let Err(error) = with(&value) {
                wrong.push(format!("{name}.{property} is never {value}: {error}"));
            }
        }
        for value in strangers().into_iter().filter(|value| !admits(document, schema, value)) {
            if with(&value).is_ok() {
                wrong.push(format!("{name}.{property} may be {value}, which the document does not say"));
            }
        }
    }
}

#[test]
fn the_document_tells_the_types_that_the_code_reads() {
    let document = document();
    let wrong = &mut Vec::new();
    macro_rules! check {
        ($($params:ident)*) => { [$((methods::$params::METHOD, check_params::<methods::$params>(&document, wrong)),)*] };
    }
    let checked = check! {
        Hello Status Stop Reload Add Get List Rows Glance Update Done Ack Snooze Pause Resume Skip Cancel Delete Retry RunNow OutputGet
        Unblock Wait Choices Tags History Why
        OpBegin OpList OpGet Undo AgendaGet AwaySet AwayGet EventList
        EventSubscribe EventUnsubscribe DeliveryList ChannelList ChannelPause ChannelResume ChannelTest
        HookList HookAdd HookRemove Backup Export Import Parse Advance Discover
    };
    assert_eq!(checked.map(|(method, ())| method), Method::ALL);
    macro_rules! check {
        ($($object:ty: $name:literal),* $(,)?) => { $(check_object::<$object>(&document, $name, wrong);)* };
    }
    check! {
        objects::Task: "Task",
        objects::Schedule: "Schedule",
        objects::Occurrence: "Occurrence",
        objects::Event: "Event",
        objects::OccurrenceName: "OccurrenceName",
        objects::Delivery: "Delivery",
        objects::Op: "Op",
        objects::Sentence: "Sentence",
        objects::Reading: "Reading",
        objects::Next: "Next",
        objects::Counts: "Counts",
        methods::HookStatus: "HookStatus",
        methods::PingStatus: "PingStatus",
        objects::ChannelStatus: "ChannelStatus",
        objects::TargetStatus: "TargetStatus",
        objects::AgendaEntry: "AgendaEntry",
        objects::AgendaNote: "AgendaNote",
        objects::Choice: "Choice",
        objects::Row: "Row",
        objects::Command: "Command",
        objects::CommandLimits: "CommandLimits",
        objects::Run: "Run",
        objects::RunCounts: "RunCounts",
        objects::CommandFailed: "CommandFailed",
        objects::RunEnd: "RunEnd",
        objects::Progress: "Progress",
        objects::StorageTrouble: "StorageTrouble",
        objects::Skipped: "Skipped",
        EventPushed: "EventPushed",
        ErrorData: "ErrorData",
        Candidate: "Candidate",
    }
    assert_eq!(*wrong, Vec::<String>::new());
}
