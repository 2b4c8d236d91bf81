//! Converts a replayed witness to the view.

use std::collections::BTreeMap;

use cfsm_core::program::{Limit, Program, Reading};
use explore::{Buffers, Run, Semantics, Step};
use refine::Confirmation;

use super::{BufferGrowth, BufferLength, Capacity, LimitedChannel, Supply, Witness, names, sequence};

/// The results of searching runs of a program, with the program.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// The program.
    pub program: &'a Program,
    /// The results of the search.
    pub confirmation: &'a Confirmation,
}

impl Runs<'_> {
    /// All witnesses, in order.
    pub(super) fn witnesses(&self) -> Vec<Witness> {
        let Some(semantics) = &self.confirmation.semantics else { return Vec::new() };
        self.confirmation.witnesses.iter().map(|found| witness(self.program, semantics, found)).collect()
    }
}

/// A witness in terms of the model. The semantics must be of the same program; the reading of
/// capacities is taken from the witness.
#[must_use]
pub fn witness(program: &Program, semantics: &Semantics, witness: &explore::Witness) -> Witness {
    let of_reading = |buffers: &Buffers| {
        let options = explore::Options { buffers: buffers.clone(), ..semantics.options().clone() };
        Semantics::new(program, &options).ok()
    };
    let own = of_reading(witness.buffers());
    let semantics = own.as_ref().unwrap_or(semantics);
    let (first, pump) = (&witness.prefix().steps, &witness.pump().steps);
    let run = Run { steps: first.iter().chain(pump).cloned().collect() };
    let (mut prefix, needs) = match semantics.replay(&run) {
        Ok((start, steps)) => {
            (sequence::steps(program, semantics, &start, &steps), needs(program, semantics, &steps))
        }
        // Cannot happen: a witness has been replayed.
        Err(_) => Default::default(),
    };
    let pump = prefix.split_off(first.len().min(prefix.len()));
    let grows = witness
        .growth()
        .iter()
        .map(|(origin, count)| BufferGrowth { name: names::queue(program, origin), count: *count });
    let capacity = match witness.buffers() {
        Buffers::Declared | Buffers::Size(_) => Capacity::Declared,
        Buffers::Unbounded | Buffers::Reading(_) => Capacity::Unbounded,
    };
    let limited = match witness.buffers() {
        Buffers::Reading(reading) => limited(program, reading),
        _ => Vec::new(),
    };
    let as_declared = of_reading(&Buffers::Declared).map(|declared| declared.replay(&run).is_ok());
    let up_to_idle_data = witness.is_up_to_idle_data();
    let supply =
        witness.supply().map(|explore::Supply { first, steps, times }| Supply { first, steps, times });
    let grows = grows.collect();
    let left_behind = witness.left_behind();
    let counter = witness.counter().map(|(owner, variable)| match owner {
        None => program.globals[variable].name.clone(),
        Some(owner) => {
            let ty = &program.types[owner];
            format!("{}.{}", ty.name, ty.locals[variable].name)
        }
    });
    Witness {
        prefix,
        pump,
        grows,
        capacity,
        limited,
        as_declared,
        needs,
        up_to_idle_data,
        supply,
        counter,
        left_behind,
    }
}

/// The queues that hold more than is declared in some state behind these steps, with the most.
fn needs(program: &Program, semantics: &Semantics, steps: &[Step]) -> Vec<BufferLength> {
    let mut most: BTreeMap<String, usize> = BTreeMap::new();
    for queue in steps.iter().filter_map(|step| step.after.as_ref()).flat_map(|state| semantics.queues(state))
    {
        let declared = names::shape(program, &queue.origin).map(|shape| shape.capacity as usize);
        if !queue.rendezvous && declared.is_some_and(|declared| declared < queue.messages.len()) {
            let length = most.entry(names::queue(program, &queue.origin)).or_default();
            *length = queue.messages.len().max(*length);
        }
    }
    most.into_iter().map(|(name, length)| BufferLength { name, length }).collect()
}

/// The channels that a reading limits as declared.
fn limited(program: &Program, reading: &Reading) -> Vec<LimitedChannel> {
    let declared = reading.channels.iter().filter(|(_, limit)| **limit == Limit::Declared);
    let named = declared.filter_map(|(channel, _)| {
        let capacity = program.declared_capacity(*channel)?;
        Some(LimitedChannel { name: names::declared_channel(program, *channel), capacity })
    });
    named.collect()
}
