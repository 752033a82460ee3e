//! What does the daemon say of its own methods? The `OpenRPC` document that `rpc.discover` answers with.
//!
//! It is written by hand where it explains; its tests hold every name in it against the types that are read and written.

use crate::protocol::envelope::{RawJson, read_json};

/// The document, as it is checked in.
const DOCUMENT: &str = include_str!("openrpc.json");

/// Returns the document.
///
/// # Panics
/// Never: a test reads it.
#[must_use]
pub fn document() -> RawJson {
    // On one line, since a line is a message.
    let compact: String = DOCUMENT.lines().map(str::trim_start).collect();
    read_json(&compact).expect("the document is JSON, which a test checks")
}

#[cfg(test)]
mod types;

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::fmt;

    use serde::de::{DeserializeOwned, Deserializer, Visitor};
    use serde::forward_to_deserialize_any;
    use serde_json::{Value, json};

    use crate::protocol::envelope::{RawText, read_params};
    use crate::protocol::error_code::{Candidate, ErrorData, TABLE};
    use crate::protocol::methods::{self, Ask, EVENT_NOTIFICATION, EventPushed, Method, shapes};
    use crate::protocol::{PROGRAM_VERSION, objects};

    /// Says which fields a type asks for, by way of an error.
    struct Asked;

    #[derive(Debug)]
    struct Fields(&'static [&'static str]);

    impl fmt::Display for Fields {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:?}", self.0)
        }
    }

    impl std::error::Error for Fields {}

    impl serde::de::Error for Fields {
        fn custom<T: fmt::Display>(_: T) -> Self {
            Self(&[])
        }
    }

    impl<'de> Deserializer<'de> for Asked {
        type Error = Fields;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fields> {
            Err(Fields(&[]))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Fields> {
            Err(Fields(fields))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    /// Returns the names of a struct's fields on the wire, in order; none of what is no struct.
    pub(crate) fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
        T::deserialize(Asked).err().map_or(&[], |Fields(fields)| fields)
    }

    fn read() -> Value {
        serde_json::from_str(super::document().get()).expect("JSON")
    }

    fn names(list: &Value) -> Vec<&str> {
        let list = list.as_array().expect("an array");
        list.iter().map(|each| each["name"].as_str().expect("a name")).collect()
    }

    #[track_caller]
    fn check_schema(schema: &Value, expected: &[&str]) {
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("no properties in {schema}"));
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let mut found: Vec<&str> = properties.keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, expected);
        for property in properties.values() {
            assert!(property.is_object(), "{property}");
        }
    }

    #[test]
    fn the_document_tells_every_method_with_the_names_that_the_code_has() {
        let document = read();
        assert_eq!(names(&document["methods"]), Method::ALL.iter().map(|each| each.as_str()).collect::<Vec<_>>());
        for (method, (_, params, result)) in document["methods"].as_array().expect("an array").iter().zip(shapes()) {
            assert_eq!(names(&method["params"]), params, "{}", method["name"]);
            assert!(method["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{}", method["name"]);
            let schema = &method["result"]["schema"];
            match schema["$ref"].as_str() {
                Some(reference) => {
                    let name = reference.strip_prefix("#/components/schemas/").expect("a schema of the document");
                    check_schema(&document["components"]["schemas"][name], result);
                }
                None => assert!(result.is_empty(), "{} answers with a struct", method["name"]),
            }
        }
    }

    /// Checks that the required parameters are needed, each of them, and that they are enough.
    fn check_required<P: Ask>(document: &Value) {
        let method = &document["methods"][Method::ALL.iter().position(|each| *each == P::METHOD).expect("it is one")];
        let params = method["params"].as_array().expect("an array");
        let required: Vec<&str> =
            params.iter().filter(|each| each["required"] == true).map(|each| each["name"].as_str().unwrap()).collect();
        let ask = |names: &[&str], value: &Value| {
            let params: BTreeMap<&str, &Value> = names.iter().map(|name| (*name, value)).collect();
            let text = serde_json::to_string(&params).unwrap();
            read_params::<P>(Some(serde_json::from_str::<&RawText>(&text).unwrap()))
        };
        let values = [json!("tea"), json!(1), json!("2026-05-13T12:00:00Z"), json!(["tea"])];
        let enough = values.iter().find(|value| ask(&required, value).is_ok());
        let value = enough.unwrap_or_else(|| panic!("{required:?} are not enough for {}", method["name"]));
        for left_out in &required {
            let others: Vec<&str> = required.iter().filter(|name| *name != left_out).copied().collect();
            let error = ask(&others, value).err().unwrap_or_else(|| panic!("{left_out} is not needed"));
            assert!(error.message.contains(&format!("{left_out:?} is missing")), "{}", error.message);
        }
    }

    #[test]
    fn the_document_says_which_parameters_are_required() {
        let document = read();
        macro_rules! check {
            ($($params:ident)*) => { [$((methods::$params::METHOD, check_required::<methods::$params>(&document)),)*] };
        }
        let checked = check! {
            Hello Status Stop Reload Add Get List Rows Glance Update Done Ack Snooze Pause Resume Skip Cancel Delete Retry RunNow OutputGet
            Unblock Wait Choices Tags History Why
            OpBegin OpList OpGet Undo AgendaGet AwaySet AwayGet EventList
            EventSubscribe EventUnsubscribe DeliveryList ChannelList ChannelPause ChannelResume ChannelTest
            HookList HookAdd HookRemove Backup Export Import Parse Advance
            Discover
        };
        assert_eq!(checked.map(|(method, ())| method), Method::ALL);
    }

    #[test]
    fn the_document_tells_every_object_with_the_fields_that_the_code_has() {
        let document = read();
        let schemas = &document["components"]["schemas"];
        macro_rules! check {
            ($($object:ty: $name:literal),* $(,)?) => { $(check_schema(&schemas[$name], fields::<$object>());)* };
        }
        check! {
            objects::Task: "Task",
            objects::Schedule: "Schedule",
            objects::Occurrence: "Occurrence",
            objects::Event: "Event",
            objects::OccurrenceName: "OccurrenceName",
            objects::Sentence: "Sentence",
            objects::Delivery: "Delivery",
            objects::Reading: "Reading",
            objects::Next: "Next",
            objects::Counts: "Counts",
            objects::ConfigStatus: "ConfigStatus",
            objects::StorageTrouble: "StorageTrouble",
            objects::Skipped: "Skipped",
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
            methods::Command: "CommandParams",
            methods::Limits: "LimitsParams",
            methods::Untaken: "Untaken",
            EventPushed: "EventPushed",
            ErrorData: "ErrorData",
            Candidate: "Candidate",
        }
        assert_eq!(document["x-notifications"][0]["name"], EVENT_NOTIFICATION);
    }

    #[test]
    fn the_document_tells_every_error_and_its_own_version() {
        let document = read();
        let errors = document["components"]["errors"].as_object().expect("an object");
        let found: BTreeMap<&str, i64> =
            errors.iter().map(|(kind, error)| (kind.as_str(), error["code"].as_i64().expect("a number"))).collect();
        assert_eq!(found, TABLE.iter().map(|(_, code, kind)| (*kind, *code)).collect());
        assert_eq!(document["info"]["version"], PROGRAM_VERSION);
        assert_eq!(document["openrpc"], "1.3.2");
    }

    #[test]
    fn every_reference_of_the_document_leads_somewhere() {
        fn check(document: &Value, part: &Value) {
            if let Some(reference) = part["$ref"].as_str() {
                let pointer = reference.strip_prefix('#').expect("within the document");
                assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
            }
            let parts: Vec<&Value> = match part {
                Value::Object(object) => object.values().collect(),
                Value::Array(list) => list.iter().collect(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
            };
            for each in parts {
                check(document, each);
            }
        }
        let document = read();
        check(&document, &document);
    }
}
