//! Readings of texts, for Spin.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{FAR, Reading, Room};

/// A channel that is declared with a capacity written as a number.
struct Declared {
    name: String,
    /// How many elements the array has that it is.
    elements: Option<u32>,
    capacity: u32,
    /// Where the capacity stands.
    from: usize,
    to: usize,
}

/// The capacities of the channels of a text, by name; rendezvous channels left out.
#[must_use]
pub fn declared_in(text: &str) -> BTreeMap<String, u32> {
    let all = declarations(text).into_iter().filter(|declared| declared.capacity > 0);
    all.map(|declared| (declared.name, declared.capacity)).collect()
}

/// The text in a reading; `far` is the capacity of channels that are unlimited. Every argument of
/// `full` must be the name of a channel that is declared in the text, perhaps with an index, or one
/// of a parameter, which is compared with all declared channels then.
#[must_use]
pub fn text_in_reading(text: &str, reading: &Reading, far: Option<u32>) -> String {
    let text = without_full(text);
    let (mut out, mut behind) = (String::new(), 0);
    for declared in declarations(&text).iter().filter(|declared| declared.capacity > 0) {
        let capacity = match reading.get(&declared.name).copied().unwrap_or(Room::Unlimited) {
            Room::Declared => declared.capacity,
            Room::Raised(by) => declared.capacity + by,
            Room::Unlimited => declared.capacity.max(far.unwrap_or(FAR)),
        };
        out.push_str(&text[behind..declared.from]);
        write!(out, "{capacity}").expect("a string takes all");
        behind = declared.to;
    }
    out + &text[behind..]
}

/// Finds `name = [3] of` and `name[2] = [3] of`.
fn declarations(text: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("] of") {
        let Some(from) = text[..at].rfind('[').map(|open| open + 1) else { continue };
        let Ok(capacity) = text[from..at].trim().parse() else { continue };
        let before = text[..from - 1].trim_end();
        let Some(before) = before.strip_suffix('=').map(str::trim_end) else { continue };
        let (named, elements) = match before.strip_suffix(']').and_then(|array| array.rsplit_once('[')) {
            Some((named, length)) => (named.trim_end(), length.trim().parse().ok()),
            None => (before, None),
        };
        let start = named.rfind(|c: char| !is_of_names(c)).map_or(0, |end| end + 1);
        let name = named[start..].to_owned();
        found.push(Declared { name, elements, capacity, from, to: at });
    }
    found
}

const fn is_of_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The text with comparisons of lengths instead of `full(...)` and `nfull(...)`.
fn without_full(text: &str) -> String {
    let declared = declarations(text);
    let (mut out, mut rest) = (String::new(), text);
    while let Some((at, word, operator)) = next_question(rest) {
        let argument = &rest[at + word.len()..];
        let Some(end) = closing(argument) else { break };
        out.push_str(&rest[..at]);
        out.push_str(&comparison(&declared, argument[..end].trim(), operator));
        rest = &argument[end + 1..];
    }
    out + rest
}

/// Where the next `full(` or `nfull(` stands, and the operator that it stands for.
fn next_question(text: &str) -> Option<(usize, &'static str, &'static str)> {
    let is_word = |at: usize| !text[..at].ends_with(is_of_names);
    let found = |word: &'static str, operator: &'static str| {
        text.match_indices(word).find(|(at, _)| is_word(*at)).map(|(at, _)| (at, word, operator))
    };
    found("full(", ">=").into_iter().chain(found("nfull(", "<")).min_by_key(|(at, ..)| *at)
}

/// Where the parenthesis ends that has been opened before.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        open += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (open == 0).then_some(at)
    })
}

fn comparison(declared: &[Declared], argument: &str, operator: &str) -> String {
    let name = argument.split('[').next().unwrap_or_default().trim_end();
    if let Some(known) = declared.iter().find(|declared| declared.name == name) {
        return match known.capacity {
            0 if operator == ">=" => format!("full({argument})"),
            0 => format!("nfull({argument})"),
            capacity => format!("(len({argument}) {operator} {capacity})"),
        };
    }
    let queues = declared.iter().filter(|declared| declared.capacity > 0).flat_map(|declared| {
        let element = |element: u32| format!("{}[{element}]", declared.name);
        let names: Vec<String> = match declared.elements {
            Some(elements) => (0..elements).map(element).collect(),
            None => vec![declared.name.clone()],
        };
        names.into_iter().map(|name| (name, declared.capacity))
    });
    let cases: Vec<String> = queues
        .map(|(queue, capacity)| format!("({argument} == {queue} && len({argument}) {operator} {capacity})"))
        .collect();
    format!("({})", cases.join(" || "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "chan a = [2] of { bit }; chan b[2] = [1] of { bit }; chan r = [0] of { bit };
        proctype P(chan p) { full(a) -> nfull(b[0]); nfull(p) }";

    #[test]
    fn capacities_change_and_questions_do_not() {
        assert_eq!(declared_in(TEXT), [("a".to_owned(), 2), ("b".to_owned(), 1)].into());
        let reading = [("a".to_owned(), Room::Raised(1)), ("b".to_owned(), Room::Declared)].into();
        let text = text_in_reading(TEXT, &reading, None);
        assert!(text.contains("a = [3] of") && text.contains("b[2] = [1] of") && text.contains("r = [0] of"));
        assert!(text.contains("(len(a) >= 2) -> (len(b[0]) < 1);"), "{text}");
        assert!(
            text.contains("((p == a && len(p) < 2) || (p == b[0] && len(p) < 1) || (p == b[1]"),
            "{text}"
        );
        let all = text_in_reading(TEXT, &Reading::new(), Some(20));
        assert!(all.contains("a = [20] of") && all.contains("b[2] = [20] of"), "{all}");
    }
}
