//! The JSON Schema of systems has what we write, and refuses what we do not read.

use serde_json::{Value, json};

use crate::harness::{freeboard, freeboard_reads, models};

/// The keywords that [`Schema::fault`] knows, and those that say nothing about values.
const KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$ref",
    "title",
    "description",
    "default",
    "type",
    "const",
    "enum",
    "oneOf",
    "anyOf",
    "minimum",
    "maximum",
    "format",
    "pattern",
    "minItems",
    "uniqueItems",
    "items",
    "properties",
    "required",
    "additionalProperties",
];

/// A schema, of which some parts are asked.
pub struct Schema(Value);

impl Schema {
    /// The schema of systems, which refuses all keys that it does not name.
    fn of_systems() -> Self {
        Self::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/system.schema.json"))
    }

    /// The schema of SARIF 2.1.0.
    pub fn of_sarif() -> Self {
        Self::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/sarif-2.1.0.schema.json"))
    }

    fn read(path: &str) -> Self {
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    /// What is wrong with a value, by a part of the schema; `None` if nothing is.
    fn fault(&self, part: &Value, value: &Value) -> Option<String> {
        let unknown = part.as_object().unwrap().keys().find(|key| !KEYWORDS.contains(&key.as_str()));
        assert_eq!(unknown, None, "a keyword that this test does not look at");
        if let Some(name) = part["$ref"].as_str() {
            let there = self.0.pointer(name.strip_prefix('#').unwrap());
            return self.fault(there.unwrap_or_else(|| panic!("{name} is not there")), value);
        }
        let told = |what: &str| Some(format!("{what}: {value}"));
        if !is_of(&part["type"], value) {
            return told("another type");
        }
        if part.get("const").is_some_and(|only| only != value) {
            return told("another constant");
        }
        if part["enum"].as_array().is_some_and(|words| !words.contains(value)) {
            return told("none of the words");
        }
        let number = |key: &str| part[key].as_i64();
        if number("minimum").is_some_and(|least| value.as_i64() < Some(least))
            || number("maximum").is_some_and(|most| value.as_i64() > Some(most))
        {
            return told("out of range");
        }
        assert!(!value.is_string() || part.get("pattern").is_none(), "patterns are not looked at: {value}");
        let is_graphic =
            |text: &str| text.chars().all(|c| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c));
        let is_reference = value.as_str().is_none_or(is_graphic);
        match part["format"].as_str() {
            Some("uri-reference" | "uri") if !is_reference => return told("no URI"),
            None | Some("uri-reference" | "uri") => {}
            Some(other) => panic!("formats of this kind are not looked at: {other}"),
        }
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if number("minItems").is_some_and(|least| value.is_array() && (items.len() as i64) < least) {
            return told("too few items");
        }
        if part["uniqueItems"] == true && (1..items.len()).any(|at| items[..at].contains(&items[at])) {
            return told("an item that is there twice");
        }
        let fits = |part: &&Value| self.fault(part, value).is_none();
        if part["anyOf"].as_array().is_some_and(|parts| !parts.iter().any(|part| fits(&part))) {
            return told("none of several");
        }
        if let Some(parts) = part["oneOf"].as_array() {
            return if parts.iter().filter(fits).count() == 1 { None } else { told("not one of several") };
        }
        let inside = part.get("items").and_then(|part| items.iter().find_map(|item| self.fault(part, item)));
        inside.or_else(|| self.fault_of_keys(part, value))
    }

    /// The same for what an object has.
    fn fault_of_keys(&self, part: &Value, value: &Value) -> Option<String> {
        let object = value.as_object()?;
        let mut required = part["required"].as_array().into_iter().flatten().map(|key| key.as_str().unwrap());
        if let Some(key) = required.find(|key| !object.contains_key(*key)) {
            return Some(format!("`{key}` is missing: {value}"));
        }
        object.iter().find_map(|(key, inside)| match part["properties"].get(key) {
            Some(part) => self.fault(part, inside),
            None => match &part["additionalProperties"] {
                Value::Bool(false) => Some(format!("`{key}` is too much: {value}")),
                more @ Value::Object(_) => self.fault(more, inside),
                _ => None,
            },
        })
    }

    /// The first rule of the schema that a value breaks; `None` if it keeps all.
    pub fn refuses(&self, value: &Value) -> Option<String> {
        self.fault(&self.0, value)
    }
}

/// Whether a value is of a type, if one is asked for.
fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some(other) => panic!("{other}"),
    }
}

/// All parts of the schema of systems that are objects refuse other keys.
fn closed(part: &Value) -> bool {
    let inside = match part {
        Value::Object(keys) => keys.values().all(closed),
        Value::Array(parts) => parts.iter().all(closed),
        _ => true,
    };
    inside && (part["type"] != "object" || part["additionalProperties"] == false)
}

#[test]
fn the_schema_of_systems_is_closed() {
    assert!(closed(&Schema::of_systems().0));
}

#[test]
fn what_check_writes_is_of_the_schema() {
    let schema = Schema::of_systems();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("system.json");
    let mut seen = std::collections::BTreeSet::new();
    for model in std::fs::read_dir(models()).unwrap() {
        let model = model.unwrap().file_name().into_string().unwrap();
        let fair = ["--property", "all", "--fairness", "weak"];
        let arguments = ["check", "--no-search", "--system", path.to_str().unwrap(), &model];
        let run = freeboard(&[&arguments[..], &fair].concat());
        assert!(run.status < 3, "{model}: {run:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(schema.refuses(&serde_json::from_str(&text).unwrap()), None, "{model}");
        let keys = ["\"data\"", "\"always-ready\"", "\"creates\"", "\"origin\"", "\"order\"", "\"progress\""];
        seen.extend(keys.into_iter().filter(|key| text.contains(key)));
    }
    assert_eq!(seen.len(), 6, "some model has each key that may be left out: {seen:?}");
}

#[test]
fn what_is_not_read_is_not_of_the_schema() {
    let schema = Schema::of_systems();
    let state = json!({ "class": 0, "name": "0", "always-ready": true });
    let origin = json!({ "file": "", "line": 0, "text": "" });
    let change = json!([{ "place": 0, "change": -1 }]);
    let good = json!({
        "schema": "freeboard.system/1", "name": "s",
        "buffers": [{ "name": "q", "kind": "queue" }], "messages": [{ "buffer": 0, "name": "m" }],
        "classes": [{ "name": "P", "instances": 1, "initial": 0 }], "states": [state],
        "transitions": [{ "source": 0, "target": 0, "origin": origin, "data": change }],
        "data": [{ "name": "room", "initial": 1 }],
    });
    let read =
        |system: &Value| freeboard_reads(&["parse", "--input", "json", "-"], system.to_string().as_bytes());
    assert_eq!((schema.refuses(&good), read(&good).status), (None, 0), "{:?}", read(&good));
    for (place, value) in [
        ("/classes/0", json!(["P", 1, 0])),
        ("/transitions/0/origin/line", json!(-1)),
        ("/transitions/0/origin", json!(["", 0, ""])),
        ("/transitions/0/data/0", json!({ "place": 0 })),
        ("/transitions/0/data/0/change", json!(1_i64 << 53)),
        ("/data/0/initial", json!(-1)),
        ("/data/0", json!({ "name": "room", "initial": 1, "most": 2 })),
        ("/states/0/always-ready", json!("yes")),
        ("/buffers/0/kind", json!({ "queue": null })),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = value;
        assert!(schema.refuses(&bad).is_some(), "{place}");
        assert_eq!(read(&bad).status, 3, "{place}");
    }
}
