//! Checks of JSON files for positional syntax: in systems and certificates, each item is an object
//! and each field has its key.
//!
//! The deserialiser accepts more: the fields of a struct in a list, without their keys, and a word
//! as an object with one key, `{"send": null}`. Other readers would not, so [`misplaced`] finds
//! these.

use std::borrow::Cow;

/// Keys whose values may be lists.
const LISTS: &[&str] = &[
    "buffers",
    "messages",
    "classes",
    "states",
    "transitions",
    "data",
    "events",
    "creates",
    "claims",
    "configurations",
    "left",
    "parts",
    "limits",
    "silent",
    "single",
    "after",
    "joint",
    "rows",
    "source",
    "trust",
    "about",
    "interface",
    "internal",
    "values",
    "variables",
    "invariants",
    "sums",
    "steps",
    "ways",
    "unknown",
    "conditions",
    "changed",
    "reasons",
    "places",
    "amounts",
    "exclusive",
];
/// Keys whose values may be objects, besides the top level and the elements of lists.
const OBJECTS: &[&str] = &[
    "messages",
    "data",
    "states",
    "bounds",
    "origin",
    "proof",
    "stays",
    "avoids",
    "crosses",
    "unread",
    "unsent",
    "delivered",
    "rest",
    "elsewhere",
    "claim",
    "system",
    "certificate",
    "range",
    "at-start",
    "terms",
    "behind",
    "sum",
    "reason",
];
/// Keys whose values are one of some words.
const WORDS: &[&str] = &["kind", "rule", "direction", "order", "fairness"];

/// A value of the wrong form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Its offset in bytes.
    pub at: usize,
    /// Description of the error.
    pub what: &'static str,
}

/// The first value in a file whose form deviates from `docs/certificate-format.md` although the
/// deserialiser accepts it. The text must be JSON with the right keys: nothing else is checked.
/// Time linear in the text.
#[must_use]
pub fn misplaced(text: &str) -> Option<Misplaced> {
    let bytes = text.as_bytes();
    let (mut at, mut string, mut key) = (0, "", None);
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        at += 1;
        let what = match byte {
            b'"' => {
                at = end_of_string(bytes, begin);
                string = &text[begin..at];
                None
            }
            b':' => word(key.insert(unescaped(string)), &text[at..]),
            b',' => {
                key = None;
                None
            }
            b'[' => list(key.take()),
            b'{' => object(key.take()),
            _ => None,
        };
        if let Some(what) = what {
            let blanks = text[begin..].find(|c: char| c != ':' && !c.is_ascii_whitespace()).unwrap_or(0);
            return Some(Misplaced { at: begin + blanks, what });
        }
    }
    None
}

/// The error of a list under a key, or in another list.
fn list(key: Option<Cow<'_, str>>) -> Option<&'static str> {
    let fits = key.is_some_and(|key| LISTS.contains(&&*key));
    (!fits).then_some("a list cannot stand here: fields have their keys")
}

/// The error of an object under a key, or in a list, or at the top level.
fn object(key: Option<Cow<'_, str>>) -> Option<&'static str> {
    let fits = key.is_none_or(|key| OBJECTS.contains(&&*key));
    (!fits).then_some("an object cannot stand here")
}

/// The error of the value behind a key that requires a word.
fn word(key: &str, behind: &str) -> Option<&'static str> {
    let fits = !WORDS.contains(&key) || behind.trim_ascii_start().starts_with(['"', 'n']);
    (!fits).then_some("a word in a string is expected here")
}

/// The offset behind the quote that ends a string.
fn end_of_string(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The content of a quoted string, unescaped.
fn unescaped(string: &str) -> Cow<'_, str> {
    if string.contains('\\') {
        return serde_json::from_str(string).unwrap_or_default();
    }
    Cow::Borrowed(string.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From where on, and what.
    fn told(text: &str) -> Option<(&str, &str)> {
        misplaced(text).map(|Misplaced { at, what }| (&text[at..], what))
    }

    #[test]
    fn what_has_its_keys_is_right() {
        for text in [
            r#"{"classes": [{"name": "A:[", "initial": 0}], "order": null, "order": "fifo"}"#,
            r#"{"claims": [{"proof": {"states": {"\"[": "1"}, "stays": {"left": ["a"]}}}]}"#,
            r#"{"stat\u0065s": [{"name": "\\"}, {"class": 1}]}"#,
            "",
            "\"\\",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn what_has_no_keys_is_not() {
        let list = "a list cannot stand here: fields have their keys";
        assert_eq!(told("[]"), Some(("[]", list)));
        assert_eq!(told(r#"{"classes": [["L"]]}"#), Some((r#"["L"]]}"#, list)));
        assert_eq!(told(r#"{"data": [{"a": 1}, [2]]}"#), Some(("[2]]}", list)));
        assert_eq!(told(r#"{"proof": []}"#), Some(("[]}", list)));
        assert_eq!(told(r#"{"origin": ["f", 1]}"#), Some((r#"["f", 1]}"#, list)));
    }

    #[test]
    fn a_word_is_a_string() {
        let word = "a word in a string is expected here";
        assert_eq!(told(r#"{"direction" : {"send": null}}"#), Some((r#"{"send": null}}"#, word)));
        assert_eq!(told(r#"{"rule":0}"#), Some(("0}", word)));
        assert_eq!(told(r#"{"name": {}}"#), Some(("{}}", "an object cannot stand here")));
    }
}
