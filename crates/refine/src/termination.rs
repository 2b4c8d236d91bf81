//! Programs all runs of which end: no buffer of them grows for ever, and none of their runs goes on without progress.

use cfsm_core::program::Program;
use explore::{Buffers, Limits, Termination};

use crate::confirm::MOST_BYTES;
use crate::{Options, validity};

/// Of the states that may be looked at for true maxima, the search for a run without end stores one in so many.
const SHARE: usize = 20;

/// Whether every run of a program comes to an end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// How many states were stored to find out.
    pub states: usize,
    /// Whether every run ends, with unbounded buffers and with the declared capacities, so that no buffer grows for ever. Runs
    /// end where a step goes wrong too.
    pub ends: bool,
    /// Whether, besides, no run ends because a step goes wrong, so that nothing lies behind an error.
    pub clean: bool,
    /// Why what was seen is no proof: a sentence without a full stop.
    pub limit: Option<String>,
}

/// Looks whether every run of a program comes to an end. Claims of it are left out.
///
/// Stops at the first run that comes to where it was before. At most a twentieth of [`Options::exploration_states`] are stored.
#[must_use]
pub fn termination(program: &Program, options: &Options) -> Ending {
    let mut ending = Ending::default();
    let Some(unbounded) = search(program, Buffers::Unbounded, options, &mut ending) else { return ending };
    if validity::sees_claims(program) {
        ending.limit = Some(validity::CLAIMS.into());
        return ending;
    }
    // Where sends do nothing but wait, each run with the capacities is one without.
    let declared = if validity::sends_only_wait(program) {
        None
    } else {
        let found = search(program, Buffers::Declared, options, &mut ending);
        if found.is_none() {
            ending.limit = Some(CAPACITIES.into());
            return ending;
        }
        found
    };
    let errors = [Some(unbounded), declared].into_iter().flatten().flat_map(|found| found.errors);
    ending.clean = errors.into_iter().all(|error| error.can_go_on());
    ending.ends = true;
    ending
}

/// Why a search with unbounded buffers is no proof.
const CAPACITIES: &str = "every run ends with unbounded buffers; but with the declared capacities, with which sends wait, that is not so, or not known";

/// What is found, if it is a proof.
fn search(
    program: &Program,
    buffers: Buffers,
    options: &Options,
    ending: &mut Ending,
) -> Option<Termination> {
    let states = options.exploration_states / SHARE;
    if states == 0 {
        return None;
    }
    let semantics = validity::semantics(program, buffers).ok()?;
    let limits = Limits {
        states: Some(states),
        bytes: Some(MOST_BYTES),
        deadline: options.deadline,
        ..Limits::default()
    };
    let found = semantics.termination(&limits).ok()?;
    ending.states += found.states;
    found.proof.is_some().then_some(found)
}
