//! The second story of a check: channels as declared.

use cfsm_core::clock::Instant;

use boundedness::{BufferVerdict, Outcome};
use cfsm_core::ids::IdMap;
use cfsm_core::program::Program;
use cfsm_core::system::{BufferId, System};
use num_bigint::BigInt;
use refine::{AsDeclared, Confirmation, Correspondence, DefaultAnswer};

use crate::options::Options;

/// States with the declared capacities that are looked at by default: as many as take no time.
const STATES: usize = 20_000;
/// How much work they may take by default: 80 000 steps with states of 50 bytes. What has larger
/// states takes longer for each.
const WORK: usize = 4_000_000;
/// Bytes that these may take.
const BYTES: usize = 64 << 20;

/// What the default question has shown of a model.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub system: &'a System,
    pub outcome: &'a Outcome,
    pub confirmation: &'a Confirmation,
    /// How many queues each buffer stands for in all of a run, if that is known.
    pub queues: &'a IdMap<BufferId, Option<u64>>,
}

/// Looks at a model as declared, in a call that began at some time.
pub(crate) fn look<C: Correspondence>(
    program: &Program,
    correspondence: &C,
    shown: Shown<'_>,
    options: &Options,
    start: Instant,
) -> AsDeclared {
    let limits = options.limits_of_runs(start);
    let (states, ending_work) = options.maxima_states.map_or((STATES, WORK), |states| (states, usize::MAX));
    let limits = refine::Options {
        exploration_states: states.min(limits.exploration_states),
        exploration_bytes: BYTES,
        ending_work,
        ..limits
    };
    let Shown { system, outcome, confirmation, queues } = shown;
    let bounds = outcome.buffers.iter().map(|(id, verdict)| match verdict {
        BufferVerdict::Bounded { bound } => Some(bound.clone()),
        BufferVerdict::Rendezvous => Some(BigInt::ZERO),
        _ => confirmation.most.get(&id).map(|most| BigInt::from(*most)),
    });
    let bounds: IdMap<BufferId, Option<BigInt>> = bounds.collect();
    let questions = &options.boundedness(start);
    AsDeclared::of(
        program,
        correspondence,
        DefaultAnswer { system, bounds: &bounds, queues, questions },
        &limits,
    )
}
