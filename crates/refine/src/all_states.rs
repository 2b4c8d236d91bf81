//! All states of a program, one by one or in sets.

use std::collections::BTreeMap;

use cfsm_core::program::Program;
use explore::{Buffers, Exhausted, Limits, QueueOrigin, Reduction, Semantics};

use crate::confirm::unsearched;
use crate::validity::Found;
use crate::{Options, validity};

/// Most bytes of states that are kept: queues may be long.
pub(crate) const MOST_BYTES: usize = 1 << 30;
/// States inside `atomic` are passed again and again: how many, for each state that may be kept.
pub(crate) const PASSED: usize = 10;
/// Where more states may be looked at than these, sets of them come first.
const ONE_BY_ONE: usize = 100_000;
/// How many bytes sets may take, for each state that may be looked at one by one.
const BYTES_FOR_A_STATE: usize = 1 << 8;
/// To find out what steps do, one state is looked at in sets for so many that may be looked at one by one.
const SHARE_OF_SETS: usize = 4;

/// What all states of a program show, buffers taken as unbounded. It is about the program alone, so that it can be looked for while
/// nothing is known yet of its abstraction.
#[derive(Clone, Debug, Default)]
pub struct AllStates {
    pub(crate) semantics: Option<Semantics>,
    /// Most messages that each queue holds, as far as that is known; only with a proof.
    pub(crate) seen: BTreeMap<QueueOrigin, Option<u32>>,
    pub(crate) proof: Option<Exhausted>,
    fills_no_buffer: bool,
    pub(crate) states: usize,
    pub(crate) limit: Option<String>,
}

impl AllStates {
    /// Whether all states have been seen, and no send ever has to wait with the declared capacities, nor could anybody see that a buffer
    /// is full: then runs are the same with these.
    #[must_use]
    pub const fn fills_no_buffer(&self) -> bool {
        self.fills_no_buffer
    }

    /// Whether all states have been seen, and prove something.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.proof.is_some()
    }

    /// Looks at all states of a program, if they are no more than [`Options::exploration_states`]. Claims are left out.
    #[must_use]
    pub fn of(program: &Program, options: &Options) -> Self {
        match validity::semantics(program, Buffers::Unbounded) {
            Ok(semantics) => {
                let all = Self::look(program, &semantics, options);
                Self { semantics: Some(semantics), ..all }
            }
            Err(unsupported) => Self { limit: Some(unsearched(&unsupported)), ..Self::default() },
        }
    }

    /// Looks at some states one by one, then at all in sets, and, if these take too much, at more one by one.
    pub(crate) fn look(program: &Program, semantics: &Semantics, options: &Options) -> Self {
        let reduction = Reduction::WITHOUT_ASSERTIONS;
        let states = options.exploration_states;
        let most = limits(states, options);
        let mut looked = 0;
        let mut one_by_one = |states: usize| {
            let found = semantics.exhaust(&limits(states, options), reduction).ok()?;
            looked += found.states + found.passed;
            Found::one_by_one(found)
        };
        let found = if states > ONE_BY_ONE && semantics.is_fit_for_sets(reduction) {
            let in_sets = || {
                let limits = Limits {
                    states: Some(states / SHARE_OF_SETS),
                    bytes: Some(states.saturating_mul(BYTES_FOR_A_STATE)),
                    deadline: options.deadline,
                    ..Limits::default()
                };
                Found::in_sets(semantics.exhaust_in_sets(&limits, reduction)?)
            };
            one_by_one(ONE_BY_ONE).or_else(in_sets).or_else(|| one_by_one(states))
        } else {
            one_by_one(states)
        };
        match found {
            Some(found) => Self::proved(program, found, &most, looked),
            None => Self { states: looked, ..Self::default() },
        }
    }

    /// What all states show, if that is true with the declared capacities too.
    fn proved(program: &Program, found: Found, limits: &Limits, states: usize) -> Self {
        let fills_no_buffer = validity::is_never_full(program, &found);
        let all = Self { fills_no_buffer, states, ..Self::default() };
        match validity::examine(program, &found, limits) {
            Ok(examined) => {
                Self { states: states + examined.states, seen: examined.seen, proof: found.proof, ..all }
            }
            Err(doubt) => Self { limit: Some(doubt), ..all },
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
