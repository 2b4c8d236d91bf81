//! Our own JSON.

use cfsm_core::formats::{Format, write};
use cfsm_core::system::{System, SystemBuilder};

use super::lines;

fn pair() -> System {
    let mut b = SystemBuilder::new("pair");
    let m = b.message("q", "m");
    b.class("P", 1).send("0", m, "1");
    b.class("Q", 1).receive("0", m, "1");
    b.build().unwrap()
}

#[test]
fn a_system_comes_back_as_it_was() {
    let text = write(Format::Json, &pair()).unwrap();
    assert_eq!(super::system(Format::Json, &text), pair());
}

#[test]
fn errors_have_a_place() {
    let text = write(Format::Json, &pair()).unwrap();
    let dangling =
        text.replace("\"message\": 0", "\"message\": 7").replace("\"name\": \"Q\"", "\"name\": \"P\"");
    let cases = [
        lines(Format::Json, &format!("\u{feff}{dangling}")),
        lines(Format::Json, &dangling),
        lines(Format::Json, &text.replace("\"target\": 1", "\"target\": 2")),
        lines(Format::Json, &text.replace("\"name\": \"Q\"", "\"name\": \"P\"")),
        lines(Format::Json, &text.replace("system/1", "system/9")),
        lines(Format::Json, &text.replace("\"instances\"", "\"instancez\"")),
        lines(Format::Json, &text[..text.len() / 2]),
        lines(Format::Json, "[1]"),
        lines(Format::Json, ""),
    ];
    insta::assert_snapshot!(cases.concat().join("\n"));
}

#[test]
fn a_byte_order_mark_and_any_line_ends_are_nothing() {
    let text = write(Format::Json, &pair()).unwrap();
    for same in [format!("\u{feff}{text}"), text.replace('\n', "\r"), text.replace('\n', "\r\n")] {
        assert_eq!(super::system(Format::Json, &same), pair());
    }
    // Places behind it are those of the text.
    let wrong = "\u{feff}{\"schema\": \"freeboard.system/9\"}";
    assert!(lines(Format::Json, wrong)[0].starts_with("m:1:13: error[M0402]"), "{wrong}");
    let wrong = "\u{feff}{\"schemas\": 1}";
    let reading = cfsm_core::formats::read(Format::Json, "m", wrong);
    assert_eq!(reading.sources.text(reading.diagnostics[0].span()), "\"");
}

/// JSON that only our own deserialiser would accept.
#[test]
fn fields_have_their_keys() {
    let text = write(Format::Json, &pair()).unwrap().replace("  ", "").replace('\n', " ");
    let changes = [
        (r#"{ "name": "P", "instances": 1, "initial": 0 }"#, r#"["P", 1, 0]"#),
        (r#""direction": "send""#, r#""direction": {"send": null}"#),
        (r#""kind": "queue""#, r#""kind": {"queue": null}"#),
        (r#"{ "direction": "send", "message": 0 }"#, r#"["send", 0]"#),
    ];
    let told: Vec<String> = changes
        .iter()
        .map(|(old, new)| {
            assert!(text.contains(old), "{old}: {text}");
            lines(Format::Json, &text.replace(old, new)).concat()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let whole = serde_json::Value::Array(whole.as_object().unwrap().values().cloned().collect());
    assert!(lines(Format::Json, &whole.to_string())[0].contains("error[M0401]"));
}
