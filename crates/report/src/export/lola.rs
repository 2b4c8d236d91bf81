//! LoLA renderer: the low-level nets of the model checker LoLA 2.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Net;
use crate::visible;

/// Renders a net for LoLA, with the names of the model in comments. Time linear in the net.
#[must_use]
pub fn lola(net: &Net) -> String {
    let mut out = format!("{{ {} }}\nPLACE\n", comment(&net.name));
    for (position, place) in net.places.iter().enumerate() {
        let end = if position + 1 == net.places.len() { ';' } else { ',' };
        let _ = writeln!(out, "  {}{end} {{ {} }}", place.id, comment(&place.name));
    }
    let marked = net.places.iter().filter(|place| place.tokens > 0);
    let marked: Vec<String> = marked.map(|place| format!("{}: {}", place.id, place.tokens)).collect();
    let _ = writeln!(out, "\nMARKING\n  {};", marked.join(", "));
    for transition in &net.transitions {
        let arcs = |arcs: &BTreeMap<usize, u64>| {
            let arcs = arcs.iter().map(|(place, weight)| format!("{}: {weight}", net.places[*place].id));
            arcs.collect::<Vec<_>>().join(", ")
        };
        let _ = write!(out, "\nTRANSITION {} {{ {} }}\n", transition.id, comment(&transition.name));
        let _ =
            writeln!(out, "  CONSUME {};\n  PRODUCE {};", arcs(&transition.takes), arcs(&transition.puts));
    }
    out
}

/// A text inside braces.
fn comment(text: &str) -> String {
    visible::text(text).replace('{', "(").replace('}', ")")
}
