//! Our own JSON, `freeboard.system/1`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{codes, scan};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::system::{Part, SCHEMA, System};

pub(super) fn read(file: FileId, text: &str) -> (Option<System>, Vec<Diagnostic>) {
    // First the schema: what a file of another version has too much or too little is not its fault.
    let header: Header<'_> = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) => return (None, vec![form(file, text, &error)]),
    };
    if let Some(found) = header.schema.filter(|found| found.get() != format!("{SCHEMA:?}")) {
        let error = Diagnostic::error(
            codes::OTHER_SCHEMA,
            place(file, text, found),
            format!("the schema is {}", found.get()),
        );
        return (None, vec![error.with_hint(format!("what is read is `{SCHEMA}`"))]);
    }
    let system: System = match serde_json::from_str(text) {
        Ok(system) => system,
        Err(error) => return (None, vec![form(file, text, &error)]),
    };
    let defects = system.defects();
    let lists =
        if defects.is_empty() { Lists::default() } else { serde_json::from_str(text).unwrap_or_default() };
    let whole = scan::span(file, 0, text.len());
    let diagnostics = defects.into_iter().map(|(part, defect)| {
        let piece = lists.piece(part).map_or(whole, |piece| place(file, text, piece));
        Diagnostic::error(codes::DEFECT, piece, defect.to_string())
    });
    let diagnostics: Vec<Diagnostic> = diagnostics.collect();
    (diagnostics.is_empty().then_some(system), diagnostics)
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Header<'t> {
    #[serde(borrow)]
    schema: Option<&'t RawValue>,
}

/// The pieces of text that parts of a system are written in.
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

/// Where a piece of the text stands in it.
fn place(file: FileId, text: &str, piece: &RawValue) -> Span {
    let start = piece.get().as_ptr() as usize - text.as_ptr() as usize;
    scan::span(file, start, start + piece.get().len())
}

fn form(file: FileId, text: &str, error: &serde_json::Error) -> Diagnostic {
    let before = error.line().saturating_sub(1);
    let line: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let mut at = (line + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let length = text[at..].chars().next().map_or(0, char::len_utf8);
    let told = error.to_string();
    let told = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told);
    let error = Diagnostic::error(codes::BAD_JSON, scan::span(file, at, at + length), told);
    error.with_hint(format!("the form of {SCHEMA} is in docs/system.schema.json"))
}
