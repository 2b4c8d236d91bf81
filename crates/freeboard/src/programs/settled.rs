//! What is known of a program, from the first answer to the last.

use std::sync::Arc;

use abstraction::Abstraction;
use boundedness::{BufferVerdict, Combination, Outcome, Reason, Verdict};
use cfsm_core::program::Program;
use cfsm_core::system::{BufferId, System};
use explore::Witness;
use refine::{BoundednessQuestion, Confirmation, Correspondence, Refinement, Refiner};

use crate::analysis::Notes;
use crate::programs::beside::Tracking;

/// What is known at the end of a call.
#[derive(Clone)]
pub(crate) struct Settled {
    /// The abstract system that is known most about.
    pub(crate) abstraction: Abstraction,
    /// What was found out about it.
    pub(crate) outcome: Outcome,
    /// What was done about counterexamples.
    pub(crate) refinement: Notes,
    /// What runs have shown.
    pub(crate) confirmation: Confirmation,
}

impl Settled {
    /// Follows values, unless that has been begun ahead.
    pub(super) fn track(
        &mut self,
        refiner: &mut Refiner<'_, BoundednessQuestion>,
        ahead: Option<Tracking<'_, Outcome>>,
    ) {
        match ahead.and_then(Tracking::wait) {
            Some(found) => self.take(&found),
            None => {
                refiner.track();
                self.take(refiner.best());
            }
        }
    }

    /// Searches runs of the program, and holds the outcome against them.
    pub(super) fn search(&mut self, program: &Program, limits: &refine::Options) {
        self.show(refine::confirm(program, &self.abstraction, &self.outcome, limits));
    }

    /// Holds the outcome against what runs have shown.
    pub(super) fn show(&mut self, confirmation: Confirmation) {
        self.confirmation = confirmation;
        if self.confirmation.contradicts(&self.outcome) {
            self.outcome = self.outcome.clone().contradicted();
        }
    }

    /// Takes over what refinement has found.
    pub(super) fn take(&mut self, found: &Refinement<Outcome>) {
        let Refinement { abstraction, outcome, acts, tried } = found.clone();
        self.abstraction = abstraction;
        self.outcome = outcome;
        self.refinement = Notes { acts, tried };
    }

    /// Takes all proofs back if some run that has been seen is against one. That cannot be, unless
    /// there is a bug.
    pub(super) fn hold_against(&mut self, seen: &[Witness]) {
        let grows = seen.iter().flat_map(|witness| witness.growth());
        let mut grown = grows.filter_map(|(origin, _)| match self.abstraction.buffers(origin)[..] {
            [buffer] => Some(buffer),
            _ => None,
        });
        let is_proved = |id: BufferId| {
            matches!(self.outcome.buffers[id], BufferVerdict::Bounded { .. } | BufferVerdict::Finite)
        };
        if grown.any(is_proved) {
            self.outcome = self.outcome.clone().contradicted();
        }
    }

    /// The first counterexample, with the system that it is one of.
    pub(super) fn spurious(&self) -> Option<(Arc<System>, Combination)> {
        let first = self.outcome.combinations.first().cloned();
        first.map(|loops| (Arc::new(self.abstraction.system.clone()), loops))
    }

    /// Whether a run that was seen is against a proof, so that nothing is to be called proved.
    pub(super) fn is_contradicted(&self) -> bool {
        matches!(self.outcome.verdict, Verdict::Unknown { reason: Reason::Contradicted, .. })
    }

    /// How many buffers are not proved bounded.
    pub(super) fn open(&self) -> usize {
        self.outcome.buffers.values().filter(|verdict| is_open(verdict)).count()
    }

    /// Whether a number is known for each buffer that is proved bounded.
    pub(super) fn has_all_bounds(&self) -> bool {
        self.outcome.buffers.values().all(|verdict| *verdict != BufferVerdict::Finite)
    }

    /// Whether each proved bound is at most the declared capacity, so that true maxima say no more
    /// of sends.
    pub(super) fn fits(&self) -> bool {
        let buffers = &self.abstraction.system.buffers;
        self.outcome.buffers.iter().all(|(id, verdict)| match (verdict, buffers[id].declared) {
            (BufferVerdict::Bounded { bound }, Some(declared)) => *bound <= declared.into(),
            _ => true,
        })
    }

    /// Whether nothing is to be refined any more: runs leave nothing open, or one of them is
    /// against a proof.
    pub(super) fn is_settled(&self) -> bool {
        let grows = |id: BufferId| self.confirmation.unbounded.contains_key(&id);
        let mut open = self.outcome.buffers.iter().filter(|(_, verdict)| is_open(verdict));
        open.all(|(id, _)| grows(id)) || self.is_contradicted()
    }
}

const fn is_open(verdict: &BufferVerdict) -> bool {
    matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown)
}
