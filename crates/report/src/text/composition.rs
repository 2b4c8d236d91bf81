//! Components and their composition, for people.

use comfy_table::{Table, presets};

use super::{Ink, Style};
use crate::view::{ClauseListing, ComposedBuffer, Composition, Verdict};
use crate::visible;

/// Renders the clauses of a component, one on a line.
#[must_use]
pub fn clauses(listing: &ClauseListing, _: Style) -> String {
    let listing = visible::view(listing);
    let mut lines =
        vec![format!("{}: at any time, whatever is done at {},", listing.file, listing.open.join(", "))];
    lines.extend(listing.clauses.iter().map(|clause| format!("  {clause}")));
    if listing.clauses.is_empty() {
        lines.push("  nothing is known".into());
    }
    lines.push(
        "Kinds of messages on these channels stand for how many the component has received or sent so \
         far, other channels for how many messages they hold."
            .into(),
    );
    if !listing.is_complete {
        lines.push("There are more clauses: a limit was reached.".into());
    }
    lines.join("\n") + "\n"
}

/// Renders a composition: the verdict, a table of buffers, what is assumed, and what is not
/// checked.
#[must_use]
pub fn composition(view: &Composition, style: Style) -> String {
    let view = visible::view(view);
    let parts = view.parts.join(", ");
    let open = view.buffers.iter().filter(|buffer| buffer.bound.is_none()).count();
    let is_assumed = view.buffers.iter().all(|buffer| buffer.bound.is_some() || buffer.assumption.is_some());
    let verdict = match view.verdict {
        Verdict::Proved => {
            let bounded = style.paint(Ink::Good, "BOUNDED for every environment");
            format!("{bounded}: every buffer of {parts}")
        }
        _ if is_assumed => {
            let bounded =
                style.paint(Ink::Open, "BOUNDED in environments that keep to the assumptions below");
            format!("{bounded}: every buffer of {parts}")
        }
        _ => {
            let unknown = style.paint(Ink::Open, "UNKNOWN");
            format!("{unknown}: {open} of the {} buffers of {parts}", view.buffers.len())
        }
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["buffer", "declared", "bound"]);
    for buffer in &view.buffers {
        let declared = buffer.declared.map(|size| size.to_string()).unwrap_or_default();
        table.add_row([buffer.name.clone(), declared, bound(buffer)]);
    }
    let mut lines = vec![verdict];
    lines.extend(table.lines().map(|line| line.trim_end().to_owned()));
    if !view.open.is_empty() {
        lines.push(format!("Open still: {} (numbers of messages so far).", view.open.join(", ")));
    }
    if view.verdict != Verdict::Proved && !is_assumed {
        lines.push(if view.is_complete {
            "The plain test proves no more of the whole: check all of it as one model, where refinement and runs can tell more.".into()
        } else {
            "Some contracts do not say all that is known of their parts: a limit was reached.".to_owned()
        });
    }
    lines.push("Trusted, not checked here:".into());
    lines.extend(view.trust.iter().map(|trusted| format!("  - {}: {}", trusted.part, trusted.why)));
    lines.join("\n") + "\n"
}

fn bound(buffer: &ComposedBuffer) -> String {
    match (&buffer.bound, &buffer.assumption, &buffer.bound_for_k) {
        (Some(bound), ..) => format!("≤ {bound}"),
        (None, Some(assumption), Some(bound)) => format!("≤ {bound} where {assumption}, for every k"),
        _ => "unknown".into(),
    }
}
