//! From a replayed witness to the view.

use cfsm_core::program::Program;
use explore::{Buffers, Run, Semantics};
use refine::Confirmation;

use super::{BufferGrowth, Capacity, Supply, Witness, names, sequence};

/// What runs of a program have shown, and the program.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// The program.
    pub program: &'a Program,
    /// What runs of it have shown.
    pub confirmation: &'a Confirmation,
}

impl Runs<'_> {
    /// All witnesses, in order.
    pub(super) fn witnesses(&self) -> Vec<Witness> {
        let Some(semantics) = &self.confirmation.semantics else { return Vec::new() };
        self.confirmation.witnesses.iter().map(|found| witness(self.program, semantics, found)).collect()
    }
}

/// A witness in the words of the user. The semantics must be the one that confirmed it.
#[must_use]
pub fn witness(program: &Program, semantics: &Semantics, witness: &explore::Witness) -> Witness {
    let (first, pump) = (&witness.prefix().steps, &witness.pump().steps);
    let run = Run { steps: first.iter().chain(pump).cloned().collect() };
    let mut prefix = match semantics.replay(&run) {
        Ok((start, steps)) => sequence::steps(program, semantics, &start, &steps),
        // A witness has been replayed.
        Err(_) => Vec::new(),
    };
    let pump = prefix.split_off(first.len().min(prefix.len()));
    let grows = witness
        .growth()
        .iter()
        .map(|(origin, count)| BufferGrowth { name: names::queue(program, origin), count: *count });
    let capacity = match semantics.options().buffers {
        Buffers::Unbounded => Capacity::Unbounded,
        Buffers::Declared | Buffers::Size(_) => Capacity::Declared,
    };
    let up_to_idle_data = witness.is_up_to_idle_data();
    let supply =
        witness.supply().map(|explore::Supply { first, steps, times }| Supply { first, steps, times });
    Witness { prefix, pump, grows: grows.collect(), capacity, up_to_idle_data, supply }
}
