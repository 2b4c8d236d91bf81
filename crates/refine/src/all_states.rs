//! All states of a program, one by one or in sets.

use std::collections::BTreeMap;

use cfsm_core::program::Program;
use explore::{
    Buffers, Exhausted, Exhaustion, Limits, QueueOrigin, Reduction, Semantics, SymbolicExhaustion,
    Unsupported,
};

use crate::confirm::unsearched;
use crate::{Options, readings};

/// Most bytes of states that are kept: queues may be long.
pub(crate) const MOST_BYTES: usize = 1 << 30;
/// States inside `atomic` are passed again and again: how many, for each state that may be kept.
pub(crate) const PASSED: usize = 10;
/// Where more states may be looked at than these, sets of them come first.
const ONE_BY_ONE: usize = 100_000;
/// How many bytes sets may take, for each state that may be looked at one by one.
const BYTES_FOR_A_STATE: usize = 1 << 8;
/// To find out what steps do, one state is looked at in sets for so many that may be looked at one
/// by one.
const SHARE_OF_SETS: usize = 4;
/// Combinations of limits in which true maxima are looked for, at most.
const MOST_COMBINATIONS: usize = 8;

/// The most messages that a queue holds, as far as all states show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maximum {
    /// No run of any combination of limits holds more.
    pub(crate) bound: u32,
    /// A run of some combination in which the queue itself is unlimited holds so many.
    pub(crate) attained: bool,
}

/// What all states of a program show, in every combination of unlimited and limited channels. It is
/// about the program alone, so that it can be looked for while nothing is known yet of its
/// abstraction.
#[derive(Clone, Debug, Default)]
pub struct AllStates {
    /// What runs are with unlimited channels.
    pub(crate) semantics: Option<Semantics>,
    /// Most messages that each queue holds; only with a proof.
    pub(crate) seen: BTreeMap<QueueOrigin, Maximum>,
    pub(crate) proof: Option<Exhausted>,
    pub(crate) states: usize,
    pub(crate) limit: Option<String>,
}

impl AllStates {
    /// Whether all states have been seen, and prove something.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.proof.is_some()
    }

    /// Looks at all states of a program, if they are no more than [`Options::exploration_states`].
    /// Claims are left out.
    #[must_use]
    pub fn of(program: &Program, options: &Options) -> Self {
        match Self::look(program, options) {
            Ok(all) => Self { semantics: readings::semantics(program, Buffers::Unbounded).ok(), ..all },
            Err(unsupported) => Self { limit: Some(unsearched(&unsupported)), ..Self::default() },
        }
    }

    /// Looks at some states one by one, then at all in sets, and, if these take too much, at more
    /// one by one.
    pub(crate) fn look(program: &Program, options: &Options) -> Result<Self, Unsupported> {
        if options.deadline.is_over() {
            return Ok(Self::default());
        }
        let semantics = &readings::every_combination(program)?;
        let reduction = Reduction::WITHOUT_ASSERTIONS;
        let states = options.exploration_states;
        let mut looked = 0;
        let mut one_by_one = |states: usize| {
            let found = semantics.exhaust(&limits(states, options), reduction).ok()?;
            looked += found.states + found.passed;
            let Exhaustion { proof, .. } = found;
            proof
        };
        let proof = if states > ONE_BY_ONE && semantics.is_fit_for_sets(reduction) {
            let in_sets = || {
                let limits = Limits {
                    states: Some(states / SHARE_OF_SETS),
                    bytes: Some(states.saturating_mul(BYTES_FOR_A_STATE)),
                    deadline: options.deadline,
                    ..Limits::default()
                };
                let SymbolicExhaustion { proof, .. } = semantics.exhaust_in_sets(&limits, reduction)?;
                proof
            };
            one_by_one(ONE_BY_ONE)
                .or_else(|| if options.deadline.is_over() { None } else { in_sets() })
                .or_else(|| one_by_one(states))
        } else {
            one_by_one(states)
        };
        let Some(proof) = proof else { return Ok(Self { states: looked, ..Self::default() }) };
        if readings::sees_claims(program) {
            return Ok(Self { states: looked, limit: Some(readings::CLAIMS.into()), ..Self::default() });
        }
        let mut all = Self { states: looked, ..Self::default() };
        all.note(program, semantics, &proof, options);
        Ok(Self { proof: Some(proof), ..all })
    }

    /// Notes the maxima of a search of all combinations. Where sends were let wait, it is looked
    /// for whether some combination attains them.
    fn note(&mut self, program: &Program, semantics: &Semantics, proof: &Exhausted, options: &Options) {
        let certain = !semantics.may_have_waited(proof.maxima());
        let maxima = proof.maxima().iter();
        self.seen =
            maxima.map(|(origin, bound)| (*origin, Maximum { bound: *bound, attained: certain })).collect();
        if certain {
            return;
        }
        let combinations = readings::Combinations::new(program);
        let others =
            combinations.limited().into_iter().chain(combinations.all_but_one().map(|(_, buffers)| buffers));
        for buffers in std::iter::once(Buffers::Unbounded).chain(others).take(MOST_COMBINATIONS) {
            if self.seen.values().all(|maximum| maximum.attained) {
                return;
            }
            self.note_attained(program, buffers, proof.states(), options);
        }
    }

    /// Notes which maxima some run of a combination attains, of queues that are unlimited in it.
    fn note_attained(&mut self, program: &Program, buffers: Buffers, states: usize, options: &Options) {
        let limited = readings::limited_channels(&buffers);
        let Ok(semantics) = readings::semantics(program, buffers) else { return };
        let limits = limits(states.min(options.exploration_states), options);
        let Ok(found) = semantics.exhaust(&limits, Reduction::WITHOUT_ASSERTIONS) else { return };
        self.states += found.states + found.passed;
        for (origin, most) in found.seen {
            if let Some(maximum) = self.seen.get_mut(&origin)
                && !limited.contains(&origin.declaration())
            {
                maximum.attained |= most >= maximum.bound;
            }
        }
    }
}

/// How far so many states are looked at one by one.
fn limits(states: usize, options: &Options) -> Limits {
    Limits {
        states: Some(states),
        bytes: Some(options.exploration_bytes),
        passed: Some(states.saturating_mul(PASSED)),
        deadline: options.deadline,
        ..Limits::default()
    }
}
