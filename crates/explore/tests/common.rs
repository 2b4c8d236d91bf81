//! Programs with unlimited channels, and searches for what grows in them.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;

use cfsm_core::deadline::Deadline;
use explore::{Aim, Budget, Buffers, Guide, Options, Quest, Semantics, Witness};

pub fn semantics(text: &str) -> Semantics {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{text}\n{:?}", read.diagnostics));
    Semantics::new(&program, &Options { buffers: Buffers::Unbounded, ..Options::default() }).unwrap()
}

/// The search for a run that makes any queue grow.
pub fn any_growth(semantics: &Semantics) -> Quest {
    let guide = Guide::new(semantics, BTreeSet::new());
    Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide }
}

/// A run that makes a queue grow, if a short search finds one.
pub fn growth(semantics: &Semantics) -> Option<Witness> {
    let budget = Budget { states: 4_000, deadline: Deadline::default() };
    semantics.search(&any_growth(semantics), &budget).unwrap().witness
}
