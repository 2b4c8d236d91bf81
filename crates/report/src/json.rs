//! JSON renderer: one object with a line break at the end.

use std::io::{self, Write};

use serde::Serialize;

/// Renders a view, e.g. a [`Check`](crate::view::Check), as indented JSON. Keys are in the order of
/// the struct's fields; integers of any size are plain numbers.
///
/// # Panics
/// If the view has a map whose keys are not strings; those of this crate have none.
#[must_use]
pub fn render(view: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(view).expect("all keys are strings");
    text.push('\n');
    text
}

/// Writes the same text as [`render`] incrementally, without holding it in memory as a whole.
///
/// If the writer fails.
pub fn write(view: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, view)?;
    out.write_all(b"\n")
}
