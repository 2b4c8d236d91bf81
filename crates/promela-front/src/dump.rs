//! Prints the control-flow graph of a process type, one line per edge, for people and for tests.

use std::fmt::Write as _;

use cfsm_core::program::{Hold, LocationId, ProcessType, Program};

/// Writes `l0 -> l1: text of the statement` for every edge, with `@` before it inside `atomic` and
/// `!` inside `d_step`, the labels of a location before its first edge, and entry and exit. Time
/// linear in the edges, except that texts are copied.
#[must_use]
pub fn dump(program: &Program, process: &ProcessType) -> String {
    let number = |id: LocationId| format!("{id:?}").replace("loc", "l");
    let (entry, exit) = (number(process.entry), number(process.exit));
    let mut text = format!("{} {entry} .. {exit}\n", process.name);
    for (id, location) in process.locations.iter() {
        if !location.labels.is_empty() {
            let _ = writeln!(text, "  {}: {}", number(id), location.labels.join(" "));
        }
        for edge in process.edges.values().filter(|edge| edge.source == id) {
            let hold = match edge.hold {
                Hold::No => "",
                Hold::Atomic => "@ ",
                Hold::DStep => "! ",
            };
            let (source, target) = (number(edge.source), number(edge.target));
            let statement = program.sources.origin(edge.span).text;
            let _ = writeln!(text, "  {source} -> {target}: {hold}{statement}");
        }
    }
    text
}
