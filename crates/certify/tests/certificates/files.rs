//! Certificates and systems as files: read back as written, and nothing else read.

use certify::{Certificate, FileError, MOST_DIGITS, check, read_system, write_system};
use cfsm_core::testing::{SystemShape, systems};
use proptest::prelude::*;

use crate::machines::*;

const DOCUMENT: &str = include_str!("../../../../docs/reference/certificate-format.md");

/// The fenced JSON blocks of a page.
fn json_blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```json\n").skip(1);
    blocks.filter_map(|block| block.split("```").next()).collect()
}

#[test]
fn the_example_of_the_document_is_true() {
    let blocks = json_blocks(DOCUMENT);
    let [system, certificate] = blocks[..] else {
        panic!("expected two examples, found {}", blocks.len());
    };
    let system = read_system(system).unwrap();
    assert_eq!(system, two_processes());
    let certificate = Certificate::from_json(certificate).unwrap();
    assert_eq!(certificate, two_processes_certificate());
    assert!(check(&system, certificate).is_ok());
}

#[test]
fn files_survive_reading_and_writing() {
    let certificate = two_processes_certificate();
    let text = certificate.to_json();
    let again = Certificate::from_json(&text).unwrap();
    assert_eq!(again, certificate);
    assert_eq!(again.to_json(), text);
    let system = rendezvous();
    assert_eq!(read_system(&write_system(&system)).unwrap(), system);
}

/// A certificate with one claim, given by its fields.
fn with_claim(fields: &str) -> String {
    format!(r#"{{"schema":"freeboard.certificate/2","system":"s","claims":[{{{fields}}}]}}"#)
}

/// What is said about a certificate that cannot be read, without the line and column.
fn unreadable(text: &str) -> String {
    let message = Certificate::from_json(text).expect_err("unreadable").to_string();
    let message = message.strip_prefix("not a freeboard.certificate/2 file: ").unwrap_or(&message);
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

const GOOD: &str =
    r#""kind":"bounded","buffers":["q"],"bound":"1","denominator":"1","messages":{"q":"1"},"states":{}"#;

/// [`GOOD`] with one part replaced.
fn unreadable_with(part: &str, by: &str) -> String {
    assert!(GOOD.contains(part));
    unreadable(&with_claim(&GOOD.replacen(part, by, 1)))
}

#[test]
fn the_claim_that_the_following_tests_break_is_good() {
    assert!(Certificate::from_json(&with_claim(GOOD)).is_ok());
}

#[test]
fn garbage() {
    assert_eq!(unreadable(""), "EOF while parsing a value");
    assert_eq!(unreadable("certificate"), "expected value");
    assert_eq!(unreadable("[1]"), "invalid type: integer `1`, expected a string");
    assert_eq!(unreadable("{}"), "missing field `schema`");
    assert_eq!(unreadable(&(with_claim(GOOD) + "}")), "trailing characters");
    assert_eq!(unreadable(&"[".repeat(100_000)), "invalid type: sequence, expected a string");
}

#[test]
fn what_is_no_object() {
    for (text, found) in [("null", "null"), ("7", "integer `7`")] {
        let expected = format!("invalid type: {found}, expected a JSON object with the key `schema`");
        assert_eq!(unreadable(text), expected);
    }
}

/// Digits cost the square of their number; more than that no proof needs, and a file of them must
/// not take a minute.
#[test]
fn long_numbers() {
    let number = |digits: usize| format!("\"bound\":\"{}\"", "9".repeat(digits));
    let with = |digits| with_claim(&GOOD.replacen(r#""bound":"1""#, &number(digits), 1));
    assert!(Certificate::from_json(&with(MOST_DIGITS)).is_ok());
    let error = Certificate::from_json(&with(3_000_000)).unwrap_err();
    assert!(matches!(error, FileError::LongNumber { digits: 3_000_000 }), "{error}");
    assert_eq!(error.to_string(), "a number has 3000000 digits, more than 100000");
    // However they are written.
    let hidden = with_claim(&GOOD.replacen(
        r#""bound":"1""#,
        &format!("\"bound\":\"{}\"", r"\u0039".repeat(100_001)),
        1,
    ));
    assert_eq!(unreadable(&hidden), "a number of 100001 characters has too many digits");
    // Names are no numbers.
    assert!(
        Certificate::from_json(&with_claim(GOOD).replace("\"q\"", &format!("\"{}\"", "9".repeat(200_000))))
            .is_ok()
    );
}

#[test]
fn other_versions() {
    for other in [1, 3] {
        let other = format!("freeboard.certificate/{other}");
        let expected = format!(
            "this is a file of the format `{other}`, and this version reads `freeboard.certificate/2`: \
             make it again with `freeboard check --certificate`"
        );
        assert_eq!(unreadable(&format!(r#"{{"schema":"{other}","new":1}}"#)), expected);
    }
    assert_eq!(
        unreadable(&write_system(&rendezvous())),
        "schema is `freeboard.system/1`, expected `freeboard.certificate/2`"
    );
    let message = read_system(&two_processes_certificate().to_json()).unwrap_err().to_string();
    assert_eq!(message, "schema is `freeboard.certificate/2`, expected `freeboard.system/1`");
}

#[test]
fn unknown_kinds_and_keys() {
    assert_eq!(
        unreadable_with("bounded", "harmless"),
        "unknown variant `harmless`, expected one of `bounded`, `all-bounded`, `livelock-free`, `configurations`, `contract`, `linear`"
    );
    assert_eq!(unreadable_with(r#""kind":"bounded","#, ""), "missing field `kind`");
    assert_eq!(
        unreadable_with(r#""states""#, r#""colour":{},"states""#),
        "unknown field `colour`, expected one of `buffers`, `bound`, `denominator`, `messages`, `data`, `states`"
    );
    assert_eq!(unreadable_with(r#","states":{}"#, ""), "missing field `states`");
    let more = with_claim(GOOD).replacen(r#""system""#, r#""author":"me","system""#, 1);
    assert_eq!(
        unreadable_with(r#""states""#, r#""data":{"d":1},"states""#),
        unreadable_with(r#"{"q":"1"}"#, r#"{"q":1}"#)
    );
    assert_eq!(
        unreadable(&more),
        "unknown field `author`, expected one of `schema`, `system`, `system-sha256`, `trust`, `claims`, `values`"
    );
}

#[test]
fn keys_given_twice() {
    assert_eq!(unreadable_with(r#"{"q":"1"}"#, r#"{"q":"1","r":"0","q":"1"}"#), "the key `q` is given twice");
    // Written differently, and the same key all the same.
    assert_eq!(
        unreadable_with(r#""states":{}"#, r#""states":{"P@0":"1","P@\u0030":"2"}"#),
        "the key `P@0` is given twice"
    );
    assert_eq!(unreadable_with(r#""bound":"1""#, r#""bound":"1","bound":"9""#), "duplicate field `bound`");
    assert_eq!(unreadable_with(r#""states":{}"#, r#""states":{},"states":{}"#), "duplicate field `states`");
    assert_eq!(
        unreadable_with(r#""kind":"bounded""#, r#""kind":"bounded","kind":"bounded""#),
        "duplicate field `kind`"
    );
    let twice = with_claim(GOOD).replacen(r#""system""#, r#""system":"t","system""#, 1);
    assert_eq!(unreadable(&twice), "duplicate field `system`");
}

/// What is read into structs may be written in other ways, which the page does not have.
#[test]
fn fields_without_their_keys() {
    let list = "a list cannot stand here: fields have their keys";
    let claims = |claims: &str| {
        unreadable(&format!(r#"{{"schema":"freeboard.certificate/2","system":"s","claims":[{claims}]}}"#))
    };
    assert_eq!(claims(r#"["bounded",["q"],"1","1",{"q":"1"},{},{}]"#), list);
    assert_eq!(claims(r#"["livelock-free","none",[],[],["ranking",[],null,{},{},{}]]"#), list);
    assert_eq!(claims(r#"{"kind":"livelock-free","proof":["ranking",[],null,{},{},{}]}"#), list);
    let configurations = r#""kind":"configurations","classes":[],"buffers":["q"],"bounds":{"q":"1"}"#;
    assert_eq!(claims(&format!(r#"{{{configurations},"configurations":[[["P@0"],[]]]}}"#)), list);
    // At the top the schema is looked for first.
    assert_eq!(unreadable(r#"["freeboard.certificate/2","s",[]]"#), "trailing characters");
}

#[test]
fn words_that_are_none() {
    let word = "a word in a string is expected here";
    let ranking = |rule: &str, fairness: &str| {
        let proof = format!(r#"{{"rule":{rule},"messages":{{}},"states":{{}}}}"#);
        with_claim(&format!(r#""kind":"livelock-free","fairness":{fairness},"proof":{proof}"#))
    };
    assert!(Certificate::from_json(&ranking(r#""ranking""#, r#""weak""#)).is_ok());
    assert_eq!(unreadable(&ranking(r#""ranking""#, r#"{"none":null}"#)), word);
    assert!(Certificate::from_json(&ranking("0", r#""weak""#)).is_err());
    let system = write_system(&rendezvous());
    let text = system.replacen(r#""direction": "send""#, r#""direction": {"send": null}"#, 1);
    let message = read_system(&text).unwrap_err().to_string();
    let line = 1 + text[..text.find("{\"send\"").unwrap()].matches('\n').count();
    let expected = format!("not a freeboard.system/1 file: {word} at line {line} column ");
    assert!(message.starts_with(&expected), "{message}");
}

#[test]
fn a_byte_order_mark_is_nothing() {
    let certificate = two_processes_certificate();
    assert_eq!(Certificate::from_json(&format!("\u{feff}{}", certificate.to_json())).unwrap(), certificate);
    let system = rendezvous();
    assert_eq!(read_system(&format!("\u{feff}{}", write_system(&system))).unwrap(), system);
}

#[test]
fn numbers_that_are_none() {
    for number in [r#""1.0""#, r#""+1""#, r#""01""#, r#""""#, r#""-0""#, r#""1e9""#] {
        assert_eq!(
            unreadable_with(r#""bound":"1""#, &format!(r#""bound":{number}"#)),
            format!("`{}` is not a decimal integer", number.trim_matches('"'))
        );
    }
    // What serde_json calls a bare number depends on its features, which other crates may switch
    // on.
    for (good, bare) in [(r#""denominator":"1""#, r#""denominator":1"#), (r#"{"q":"1"}"#, r#"{"q":1.5}"#)] {
        let message = unreadable_with(good, bare);
        assert!(message.starts_with("invalid type: "), "{message}");
        assert!(message.ends_with(", expected a decimal integer in a string"), "{message}");
    }
    assert_eq!(
        unreadable_with(r#""states":{}"#, r#""states":["1"]"#),
        "invalid type: sequence, expected an object of weights by name"
    );
}

#[test]
fn systems_that_make_no_sense() {
    let good = write_system(&rendezvous());
    let message = |text: &str| read_system(text).unwrap_err().to_string();
    assert_eq!(
        message(&good.replacen(r#""initial": 0"#, r#""initial": 99"#, 1)),
        "the system is not valid: class0 refers to state99, which does not exist"
    );
    let twice = good.replacen(r#""instances": 2"#, r#""instances": 2, "instances": 1"#, 1);
    assert!(message(&twice).starts_with("not a freeboard.system/1 file: duplicate field `instances`"));
    let negative = good.replacen(r#""instances": 2"#, r#""instances": -2"#, 1);
    assert!(message(&negative).starts_with("not a freeboard.system/1 file: invalid value: integer `-2`"));
    let unknown = good.replacen(r#""kind": "queue""#, r#""kind": "stack""#, 1);
    assert!(message(&unknown).starts_with("not a freeboard.system/1 file: unknown variant `stack`"));
}

proptest! {
    #[test]
    fn random_systems_survive_reading_and_writing(system in systems(SystemShape::full())) {
        prop_assert_eq!(read_system(&write_system(&system)).unwrap(), system);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in r#"[\[\]{}:,"a-z0-9 \\-]*"#) {
        prop_assert!(Certificate::from_json(&text).is_err());
        prop_assert!(read_system(&text).is_err());
    }

    /// One character of a good file replaced: still readable only if it is a good file again.
    #[test]
    fn a_typing_error_does_no_harm(position in any::<prop::sample::Index>(), by in "[ -~]") {
        let mut text = two_processes_certificate().to_json();
        let position = position.index(text.len());
        text.replace_range(position..=position, &by);
        if let Ok(certificate) = Certificate::from_json(&text) {
            prop_assert_eq!(Certificate::from_json(&certificate.to_json()).unwrap(), certificate.clone());
            if let Ok(checked) = check(&two_processes(), certificate) {
                prop_assert!(checked.bound("AB").is_none_or(|bound| *bound >= 13.into()));
                prop_assert!(checked.bound("BA").is_none_or(|bound| *bound >= 4.into()));
            }
        }
    }
}
