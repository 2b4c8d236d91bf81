//! The readings of capacities that a question is asked of, and what runs are in them.
//!
//! The default question is about every combination of unlimited and limited channels
//! (`docs/soundness/capacities.md`). Proofs by search are of [`Reading::every_combination`], whose
//! runs include those of each; runs that refute are of one combination.

use std::collections::BTreeSet;

use cfsm_core::program::{ChannelDeclaration, Claim, Expression, Limit, Observer, Program, Reading};
use explore::{Buffers, Claims, Semantics, Unsupported, Witness};

/// The runs of a program in a reading, claims left out.
pub(crate) fn semantics(program: &Program, buffers: Buffers) -> Result<Semantics, Unsupported> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    Semantics::new(program, &options)
}

/// The runs of all combinations of limits, and maybe more.
pub(crate) fn every_combination(program: &Program) -> Result<Semantics, Unsupported> {
    semantics(program, Buffers::Reading(Reading::every_combination(program)))
}

/// The same where it matters which processes *can* step, as for weak fairness: then sends to all
/// channels may wait.
pub(crate) fn every_combination_fairly(program: &Program) -> Result<Semantics, Unsupported> {
    semantics(program, Buffers::Reading(Reading::uniform(Limit::Either)))
}

/// Combinations in which runs are searched that refute.
pub(crate) struct Combinations {
    observable: BTreeSet<ChannelDeclaration>,
}

impl Combinations {
    /// Those of a program.
    pub(crate) fn new(program: &Program) -> Self {
        Self { observable: program.observable_limits() }
    }

    /// All channels whose limit is observable are limited. `None` if there are none: every run of
    /// another reading is one with unlimited channels.
    pub(crate) fn limited(&self) -> Option<Buffers> {
        let some = !self.observable.is_empty();
        some.then(|| Buffers::Reading(Reading::limited(&self.observable)))
    }

    /// For each channel whose limit is observable: it is unlimited, and the others of them are
    /// limited.
    pub(crate) fn all_but_one(&self) -> impl Iterator<Item = (ChannelDeclaration, Buffers)> {
        let several = self.observable.len() > 1;
        self.observable.iter().filter(move |_| several).map(|channel| {
            let mut others = self.observable.clone();
            others.remove(channel);
            (*channel, Buffers::Reading(Reading::limited(&others)))
        })
    }
}

/// The channels that a reading limits.
pub(crate) fn limited_channels(buffers: &Buffers) -> BTreeSet<ChannelDeclaration> {
    match buffers {
        Buffers::Reading(reading) => {
            let limited = reading.channels.iter().filter(|(_, limit)| **limit != Limit::Unlimited);
            limited.map(|(channel, _)| *channel).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The same run in a reading that limits no channel without need: without any one of them, the run
/// would be none.
pub(crate) fn with_fewest_limits(program: &Program, mut witness: Witness) -> Witness {
    for channel in limited_channels(witness.buffers()) {
        let mut fewer = limited_channels(witness.buffers());
        fewer.remove(&channel);
        let buffers =
            if fewer.is_empty() { Buffers::Unbounded } else { Buffers::Reading(Reading::limited(&fewer)) };
        let semantics = semantics(program, buffers).ok();
        let same = semantics.and_then(|semantics| semantics.confirm_again(&witness).ok());
        let grows = |found: &Witness| witness.growth().iter().all(|growth| found.growth().contains(growth));
        if let Some(found) = same.filter(grows) {
            witness = found;
        }
    }
    witness
}

/// Why a search that leaves out a claim is no proof.
pub(crate) const CLAIMS: &str = "all states were looked at, but without the claim, which counts as a process, and a statement asks how many of these there are";

/// Whether processes may see that there is a claim: Spin's verifier counts a `never` claim as a
/// process, and no run with it has been looked at.
pub(crate) fn sees_claims(program: &Program) -> bool {
    let counted =
        |claim: &Claim| matches!(claim, Claim::Ltl { .. } | Claim::Observer { kind: Observer::Never, .. });
    let counts = |expression: &Expression| {
        expression.any(&mut |part: &Expression| matches!(part, Expression::ProcessCount))
    };
    program.claims.iter().any(counted) && program.any_expression(&counts)
}
