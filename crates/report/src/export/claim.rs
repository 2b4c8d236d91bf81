//! Renderer of never claims: a run as a claim that only this run violates, for Spin.

use std::fmt::Write as _;

use thiserror::Error;

use crate::view::{Witness, WitnessStep};
use crate::visible;

/// The reason why there is no claim for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoClaim {
    /// The run needs more room than the channels have.
    #[error("the run needs more room than the channels of the model are declared with")]
    Room,
    /// The possibility of the run with the declared capacities is not known.
    #[error("whether the run is possible with the declared capacities is not known")]
    Unknown,
    /// A run-time error ends the run.
    #[error("the run has a step without a process")]
    NoProcess,
}

/// Returns no error if the prefix and the first round of a witness are a run of the model with its
/// declared capacities.
///
/// # Errors
/// If they are none, or that is not known.
pub const fn has_room(witness: &Witness) -> Result<(), NoClaim> {
    match (witness.as_declared, witness.capacity.is_unbounded()) {
        (Some(true), _) | (_, false) => Ok(()),
        (Some(false), true) => Err(NoClaim::Room),
        (None, true) => Err(NoClaim::Unknown),
    }
}

/// Renders a never claim that is violated by the prefix and the first round of a witness: after
/// each step it asks which process moved last, and for the lengths of the global channels that the
/// step changed. A run that violates it takes the same processes in the same order. Time linear in
/// the witness.
///
/// # Errors
/// If the run is not one of the model with its declared capacities.
pub fn claim(witness: &Witness) -> Result<String, NoClaim> {
    has_room(witness)?;
    let mut out = String::from(
        "/* To be put behind the model. Violated by one run; each statement has to be a step of its own:\n   \
         spin -o3 -run -DNOREDUCE GUIDED.pml, then spin -t -p GUIDED.pml */\n\
         never {\n\ttrue;\n",
    );
    for (number, step) in (1..).zip(witness.prefix.iter().chain(&witness.pump)) {
        if step.process.is_empty() {
            return Err(NoClaim::NoProcess);
        }
        if number == witness.prefix.len() + 1 {
            out.push_str("\t/* for ever: */\n");
        }
        let text = visible::text(&step.text).replace("*/", "* /");
        let _ = writeln!(out, "\t{}; /* {number}: {}[{}] {text} */", condition(step), step.process, step.pid);
    }
    out.push_str("}\n");
    Ok(out)
}

/// The condition on the state after a step.
fn condition(step: &WitnessStep) -> String {
    // In a rendezvous the receiver moves last; in a `d_step` all statements are of one process.
    let last = step.statements().last().unwrap_or(step);
    let mut condition = format!("(_last == {}", last.pid);
    let mut lengths: Vec<(&str, usize)> = Vec::new();
    for buffer in step.statements().flat_map(|statement| &statement.buffers) {
        // A local channel has no name outside of its process.
        if !buffer.name.contains('.') {
            lengths.retain(|(name, _)| *name != buffer.name);
            lengths.push((&buffer.name, buffer.length));
        }
    }
    for (name, length) in lengths {
        let _ = write!(condition, " && len({name}) == {length}");
    }
    condition + ")"
}
