//! Parser for the JSON format `freeboard.system/1`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{codes, scan};
use crate::diagnostic::Diagnostic;
use crate::named::{Misplaced, misplaced};
use crate::source::{FileId, Span};
use crate::system::{Part, SCHEMA, System};

pub(super) fn read(file: FileId, text: &str) -> (Option<System>, Vec<Diagnostic>) {
    match system(file, text) {
        Ok(system) => {
            let defects = defects(file, text, &system);
            (defects.is_empty().then_some(system), defects)
        }
        Err(error) => (None, vec![*error]),
    }
}

/// Deserialises the text, without checks for consistency.
fn system(file: FileId, text: &str) -> Result<System, Box<Diagnostic>> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let before = text.len() - json.len();
    let wrong = |error: serde_json::Error| Box::new(form(file, text, before, &error));
    // The schema is checked first: a file of another version may differ in other ways, too.
    let header: Header<'_> = serde_json::from_str(json).map_err(wrong)?;
    if let Some(found) = header.schema.filter(|found| found.get() != format!("{SCHEMA:?}")) {
        let error = Diagnostic::error(
            codes::OTHER_SCHEMA,
            place(file, text, found),
            format!("the schema is {}", found.get()),
        );
        return Err(Box::new(error.with_hint(format!("what is read is `{SCHEMA}`"))));
    }
    let system = serde_json::from_str(json).map_err(wrong)?;
    match misplaced(json) {
        None => Ok(system),
        Some(Misplaced { at, what }) => Err(Box::new(bad(file, text, before + at, what))),
    }
}

/// The inconsistencies of a system, with their spans in the text.
fn defects(file: FileId, text: &str, system: &System) -> Vec<Diagnostic> {
    let defects = system.defects();
    if defects.is_empty() {
        return Vec::new();
    }
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lists: Lists<'_> = serde_json::from_str(json).unwrap_or_default();
    let whole = scan::span(file, 0, text.len());
    let diagnostics = defects.into_iter().map(|(part, defect)| {
        let piece = lists.piece(part).map_or(whole, |piece| place(file, text, piece));
        Diagnostic::error(codes::DEFECT, piece, defect.to_string())
    });
    diagnostics.collect()
}

/// The one field that all versions have.
#[derive(Deserialize)]
struct Header<'t> {
    #[serde(borrow)]
    schema: Option<&'t RawValue>,
}

/// The fragments of the text for the parts of a system.
#[derive(Default, Deserialize)]
struct Lists<'t> {
    #[serde(borrow, default)]
    buffers: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    messages: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    classes: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    states: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    data: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    transitions: Vec<&'t RawValue>,
}

impl<'t> Lists<'t> {
    fn piece(&self, part: Part) -> Option<&'t RawValue> {
        let (list, position) = match part {
            Part::Buffer(at) => (&self.buffers, at),
            Part::Message(at) => (&self.messages, at),
            Part::Data(at) => (&self.data, at),
            Part::Class(at) => (&self.classes, at),
            Part::State(at) => (&self.states, at),
            Part::Transition(at) => (&self.transitions, at),
            Part::Whole => return None,
        };
        list.get(position).copied()
    }
}

/// The span of a fragment of the text.
fn place(file: FileId, text: &str, piece: &RawValue) -> Span {
    let start = piece.get().as_ptr() as usize - text.as_ptr() as usize;
    scan::span(file, start, start + piece.get().len())
}

/// The diagnostic for an error of the JSON parser; `skipped` bytes precede its input.
fn form(file: FileId, text: &str, skipped: usize, error: &serde_json::Error) -> Diagnostic {
    let before = error.line().saturating_sub(1);
    let line: usize = text[skipped..].split_inclusive('\n').take(before).map(str::len).sum();
    let told = error.to_string();
    let told = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told);
    bad(file, text, skipped + line + error.column().saturating_sub(1), told)
}

/// The diagnostic for malformed text, at the character at an offset.
fn bad(file: FileId, text: &str, at: usize, told: &str) -> Diagnostic {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let length = text[at..].chars().next().map_or(0, char::len_utf8);
    let error = Diagnostic::error(codes::BAD_JSON, scan::span(file, at, at + length), told);
    error.with_hint(format!("the form of {SCHEMA} is in docs/system.schema.json"))
}
