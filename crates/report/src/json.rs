//! The renderer for programs: one JSON object with a line break at the end.

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
