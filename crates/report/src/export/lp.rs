//! LP renderer: the question of boundedness as a linear programme in the CPLEX LP format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Net, PlaceKind};
use crate::visible;

/// A column with its factor in a row.
#[derive(Clone, Copy)]
struct Term<'a> {
    factor: i128,
    column: &'a str,
}

/// Renders the question whether something can be gained for ever: a column for each transition, a
/// row for each place, which must not lose, and a row by which messages are gained. The system is
/// structurally bounded in all its message types if and only if there is no solution.
///
/// Time linear in the net.
#[must_use]
pub fn lp(net: &Net) -> String {
    let mut rows: Vec<Vec<Term<'_>>> = vec![Vec::new(); net.places.len()];
    let mut gain: Vec<Term<'_>> = Vec::new();
    for transition in &net.transitions {
        let mut total = 0;
        let changed: BTreeSet<usize> =
            transition.takes.keys().chain(transition.puts.keys()).copied().collect();
        for place in changed {
            let of = |arcs: &BTreeMap<usize, u64>| i128::from(arcs.get(&place).copied().unwrap_or_default());
            let change = of(&transition.puts) - of(&transition.takes);
            if change != 0 {
                rows[place].push(Term { factor: change, column: &transition.id });
            }
            if net.places[place].kind == PlaceKind::Message {
                total += change;
            }
        }
        if total != 0 {
            gain.push(Term { factor: total, column: &transition.id });
        }
    }
    let mut all: Vec<Term<'_>> =
        net.transitions.iter().map(|transition| Term { factor: 1, column: &transition.id }).collect();
    if all.is_empty() {
        // A sum has at least one column.
        all.push(Term { factor: 0, column: "none" });
    }
    let mut out = format!("\\ {}: can messages be gained for ever?\n", visible::text(&net.name));
    out.push_str("\\ No solution: no message type grows without bound.\n");
    for transition in &net.transitions {
        let _ = writeln!(out, "\\ {} is {}", transition.id, visible::text(&transition.name));
    }
    let _ = write!(out, "Minimize\n steps:{}\nSubject To\n", sum(&all));
    for (place, row) in net.places.iter().zip(&rows).filter(|(_, row)| !row.is_empty()) {
        let _ = writeln!(out, " {}:{} >= 0", place.id, sum(row));
    }
    let gain =
        if gain.is_empty() { all.iter().map(|term| Term { factor: 0, ..*term }).collect() } else { gain };
    let _ = writeln!(out, " growth:{} >= 1\nEnd", sum(&gain));
    out
}

/// ` + 2 x - y`, with a line for each term beyond the first.
fn sum(terms: &[Term<'_>]) -> String {
    let term = |&Term { factor, column }: &Term<'_>| {
        let sign = if factor < 0 { '-' } else { '+' };
        format!(" {sign} {} {column}", factor.unsigned_abs())
    };
    terms.iter().map(term).collect::<Vec<_>>().join("\n   ")
}
