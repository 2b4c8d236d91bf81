//! The interface between a property and the engines that decide it.
//!
//! An engine asks a property about a system, or about runs of a program, and compares the answers.
//! It knows nothing else of it, so every engine works for every property:
//! [`Boundedness`] and [`LivelockFreedom`] are the two that there are.

mod boundedness;
mod livelock;

use ::boundedness::Combination;
use certify::{Certificate, Checked, Rejection};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::System;

pub use self::boundedness::Boundedness;
pub use self::livelock::LivelockFreedom;
use crate::{AllStates, Correspondence, Ending, Options, Strategy};

/// A property of systems, and of the programs that they are abstractions of.
pub trait Property: Clone + Send + Sync {
    /// The answer about a system.
    type Outcome: Clone + Send + Sync;

    /// The facts that runs of a program have shown.
    type Runs: Clone + Default + Send + Sync;

    /// The same property, to be decided until another deadline.
    #[must_use]
    fn until(&self, deadline: Deadline) -> Self;

    /// Decides about a system, as far as its counting net allows.
    fn ask(&self, system: &System) -> Self::Outcome;

    /// Decides about a system of which `plain` leaves something open, by cases of where processes
    /// are in the long run. Returns the answer and the number of cases; `None` if that does not
    /// help, or if [`ask`](Self::ask) does so already.
    fn ask_by_cases(&self, _system: &System, _plain: &Self::Outcome) -> Option<(Self::Outcome, usize)> {
        None
    }

    /// Decides about a system of which `plain` leaves something open, given that queues keep the
    /// order of messages, by listing at most `most` configurations. Returns the answer and the
    /// number of configurations that were listed; `None` if that does not help, or is no question
    /// of this property.
    fn ask_in_order(
        &self,
        _system: &System,
        _plain: &Self::Outcome,
        _most: usize,
    ) -> Option<(Self::Outcome, usize)> {
        None
    }

    /// The greatest number of rounds of a loop that an answer may rest on. A loop that only the
    /// end of the type `int` limits makes a buffer grow beyond all that matters, so that it is
    /// taken for one without a limit (thesis, Figure 5.5).
    #[must_use]
    fn most_rounds(&self) -> i64 {
        1 << 16
    }

    /// Number of questions that the answer leaves open; 0 if everything is proved.
    fn open(&self, outcome: &Self::Outcome) -> usize;

    /// The certificate of the answer, if there is one.
    fn certificate<'a>(&self, outcome: &'a mut Self::Outcome) -> Option<&'a mut Checked<Certificate>>;

    /// The reasons why the kernel rejects proofs that were found: bugs of the search.
    fn rejected<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Rejection];

    /// The counterexamples in the abstraction.
    fn counterexamples<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Combination];

    /// The answer after a run has been seen that is against it. That takes a bug; then nothing is
    /// called proved.
    #[must_use]
    fn contradicted(&self, outcome: Self::Outcome) -> Self::Outcome;

    /// The detail in which a proof is known: runs can add to it.
    fn detail(&self, system: &System, outcome: &Self::Outcome) -> Detail;

    /// Returns `true` if [`search`](Self::search) looks at any run within these limits, given
    /// whether all states may be looked at.
    fn can_search(&self, limits: &Options, allows_exhaustion: bool) -> bool;

    /// Searches runs of the program that refute what `outcome` leaves open, and adds what they show
    /// to `runs`. The outcome must be about the system that corresponds to the program.
    fn search<C: Correspondence>(
        &self,
        program: &Program,
        correspondence: &C,
        outcome: &Self::Outcome,
        limits: &Options,
        runs: &mut Self::Runs,
    );

    /// Checks all runs at once for a reason why nothing that is open can happen: with strategy
    /// [`Termination`](Strategy::Termination) that each of them ends, with
    /// [`Recurrence`](Strategy::Recurrence) that each makes progress again and again. `None` if
    /// none of the strategies that the caller allows applies.
    fn check_every_run(
        &self,
        program: &Program,
        is_allowed: &dyn Fn(Strategy) -> bool,
        limits: &Options,
        runs: &mut Self::Runs,
    ) -> Option<EveryRun>;

    /// Adds what all states of the program show to `runs`.
    fn note_all_states<C: Correspondence>(&self, all: AllStates, correspondence: &C, runs: &mut Self::Runs);

    /// Relates the runs to another system that corresponds to the same program.
    fn relate<C: Correspondence>(&self, correspondence: &C, runs: &mut Self::Runs);

    /// Returns `true` if a run refutes part of the property.
    fn is_refuted(&self, runs: &Self::Runs) -> bool;

    /// Returns `true` if runs refute everything that the answer leaves open.
    fn is_settled(&self, outcome: &Self::Outcome, runs: &Self::Runs) -> bool;

    /// Returns `true` if a run is against a proof of the answer.
    fn is_against(&self, outcome: &Self::Outcome, runs: &Self::Runs) -> bool;

    /// Returns how all states of the program have been seen, if they have, and if that is a proof.
    fn seen_all_states(&self, runs: &Self::Runs) -> Option<SeenStates>;

    /// The runs at the end of the analysis.
    #[must_use]
    fn finished(&self, runs: Self::Runs) -> Self::Runs {
        runs
    }

    /// Number of states that were looked at to find these runs.
    fn states(&self, runs: &Self::Runs) -> usize;
}

/// The detail in which a proof is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Numbers for all buffers, none above a declared capacity; or the property has no numbers.
    WithinCapacities,
    /// Numbers for all buffers, some above a declared capacity.
    AboveCapacities,
    /// Some buffer is bounded by a number that is not known.
    WithoutNumber,
}

/// The result of checking all runs at once.
#[derive(Clone, Debug)]
pub struct EveryRun {
    /// The strategy that was followed.
    pub strategy: Strategy,
    /// What was found.
    pub ending: Ending,
    /// `true` if this proves everything that is open.
    pub is_proof: bool,
}

/// How all states of a program have been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenStates {
    /// Number of states.
    pub states: usize,
    /// `true` if they were looked at in sets.
    pub in_sets: bool,
}
