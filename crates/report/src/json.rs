//! The renderer for programs: one JSON object with a line break at the end.

use std::io::{self, Write};

use serde::Serialize;

/// A view, e.g. a [`Check`](crate::view::Check), as indented JSON. Keys stand in the order of the
/// struct's fields; integers of any size are plain numbers.
///
/// # Panics
/// If the view has a map whose keys are not strings; those of this crate have none.
#[must_use]
pub fn render(view: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(view).expect("all keys are strings");
    text.push('\n');
    text
}

/// The same text as that of [`render`], written as it comes: it is never in memory as a whole.
///
/// # Errors
/// Those of the writer.
pub fn write(view: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, view)?;
    out.write_all(b"\n")
}
