//! Tighter bounds: a bound above the capacity of a buffer is a counterexample like any other.
//!
//! A server that answers on `toClient[i]` sends one answer for each request of client i. If the
//! abstraction does not know i, any answer may go to any client, and the bound of each reply
//! channel is the number of clients. So the variables that choose channels of an array are followed
//! where they matter, and the question is asked again. Whatever is proved of an abstraction holds
//! for the program, so this needs no argument of its own (`docs/soundness/refinement.md`).

use std::collections::{BTreeMap, BTreeSet};

use abstraction::{Precision, abstract_program};
use boundedness::{BufferVerdict, Outcome};
use cfsm_core::program::{Action, Expression, ProcessTypeId, Program, VariableRef};
use cfsm_core::system::System;
use num_bigint::BigInt;

use crate::following::list;
use crate::property::{Boundedness, Property};
use crate::refinement::{Refinement, RefinementOptions};
use crate::strategy::{Act, Strategy};

/// Local variables of each process type.
type Variables = BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>;

impl Refinement<Outcome> {
    /// Returns `true` if all is proved and a bound is above the capacity of its buffer.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        let is_above = |id, verdict: &BufferVerdict| {
            let declared = self.abstraction.system.buffers[id].declared;
            bound(verdict).zip(declared).is_some_and(|(bound, declared)| *bound > declared.into())
        };
        self.outcome.verdict.is_proved()
            && self.outcome.buffers.iter().any(|(id, verdict)| is_above(id, verdict))
    }

    /// The answer with tighter bounds, where a bound is above the capacity of its buffer; the same
    /// answer if none becomes tighter, or something is open in the new one. One abstraction and one
    /// question, within the limits.
    #[must_use]
    pub fn tightened(self, program: &Program, property: &Boundedness, options: &RefinementOptions) -> Self {
        let may_act = options.strategies.contains(&Strategy::Tracking) && !options.deadline.is_over();
        if !may_act || !self.is_loose() {
            return self;
        }
        let mut chosen = choosing(program);
        let precision = &self.abstraction.precision;
        for known in [&precision.carried, &precision.tracked] {
            for (process_type, variables) in known {
                chosen.entry(*process_type).and_modify(|found| found.retain(|one| !variables.contains(one)));
            }
        }
        chosen.retain(|_, variables| !variables.is_empty());
        if chosen.is_empty() {
            return self;
        }
        self.with_chosen(program, property, options, &chosen)
    }

    fn with_chosen(
        mut self,
        program: &Program,
        property: &Boundedness,
        options: &RefinementOptions,
        chosen: &Variables,
    ) -> Self {
        let mut precision: Precision = self.abstraction.precision.clone();
        for (process_type, variables) in chosen {
            precision.carried.entry(*process_type).or_default().extend(variables);
        }
        let limits = options.abstraction(precision);
        // As many values as there may be channels to choose from.
        let channels = self.abstraction.system.buffers.len();
        let limits = abstraction::Options {
            transitions: options.transitions,
            values: limits.values.max(channels),
            constants: limits.constants.max(channels),
            ..limits
        };
        let Ok(abstraction) = abstract_program(program, &limits) else { return self };
        // Variables with too many values are not followed.
        let is_finer = abstraction.system != self.abstraction.system;
        if !is_finer || !has_same_buffers(&abstraction.system, &self.abstraction.system) {
            return self;
        }
        let outcome = property.ask(&abstraction.system);
        let pairs = || outcome.buffers.values().zip(self.outcome.buffers.values());
        let is_tighter =
            pairs().any(|(new, old)| bound(new).zip(bound(old)).is_some_and(|(new, old)| new < old));
        let is_looser =
            pairs().any(|(new, old)| bound(old).is_some_and(|old| bound(new).is_none_or(|new| new > old)));
        if !outcome.verdict.is_proved() || !is_tighter || is_looser {
            return self;
        }
        self.acts.push(Act {
            strategy: Strategy::Tracking,
            spurious: None,
            because: "a bound was above the capacity of its buffer".into(),
            what: format!(
                "the values of {} are followed, which choose channels, for tighter bounds",
                names(program, chosen)
            ),
            before: 0,
            after: 0,
        });
        Self { abstraction, outcome, ..self }
    }
}

/// The proved bound.
const fn bound(verdict: &BufferVerdict) -> Option<&BigInt> {
    match verdict {
        BufferVerdict::Bounded { bound } => Some(bound),
        _ => None,
    }
}

/// Returns `true` if two systems have buffers of the same names, in the same order.
fn has_same_buffers(one: &System, other: &System) -> bool {
    let names = |system: &System| -> Vec<String> {
        system.buffers.values().map(|buffer| buffer.name.clone()).collect()
    };
    names(one) == names(other)
}

/// The local variables that choose a channel of an array for a send or a receive.
fn choosing(program: &Program) -> Variables {
    let mut found = Variables::new();
    for (process_type, process) in program.types.iter() {
        for edge in process.edges.values() {
            let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = &edge.action else {
                continue;
            };
            let Expression::Read(place) = channel else { continue };
            let Some(index) = &place.index else { continue };
            index.any(&mut |part| {
                if let Expression::Read(read) = part
                    && matches!(read.variable, VariableRef::Local(_))
                    && read.index.is_none()
                {
                    found.entry(process_type).or_default().insert(read.variable);
                }
                false
            });
        }
    }
    found
}

/// `c of Server and i of Relay`
fn names(program: &Program, chosen: &Variables) -> String {
    let each = chosen.iter().flat_map(|(ty, variables)| variables.iter().map(move |one| (*ty, *one)));
    let names: Vec<String> = each
        .map(|(ty, variable)| {
            format!("`{}` of {}", program.variable(ty, variable).name, program.types[ty].name)
        })
        .collect();
    list(&names)
}
