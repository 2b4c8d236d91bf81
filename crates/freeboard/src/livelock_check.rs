//! One call from a system to what is known about its livelocks.

use cfsm_core::clock::Instant;
use std::time::Duration;

#[cfg(feature = "programs")]
use abstraction::Abstraction;
use cfsm_core::finding;
use cfsm_core::system::System;
use livelock::Outcome;
use refine::LivelockConfirmation;
#[cfg(feature = "programs")]
use refine::portfolio::EngineRun;
use report::view::{self, Check, LivelockSubject};

use crate::analysis::{Notes, SystemAnalysis, Timings};
use crate::options::Options;

/// What was found out about livelocks.
#[derive(Clone, Debug)]
pub struct LivelockAnalysis {
    /// The abstract system that the outcome is about, if it had to be another one than the first.
    #[cfg(feature = "programs")]
    pub refined: Option<Abstraction>,
    /// What was found out about the system.
    pub outcome: Outcome,
    /// What was done about counterexamples.
    pub refinement: Notes,
    /// The calls of engines, in order; none for a system that does not come from a program.
    #[cfg(feature = "programs")]
    pub engines: Vec<EngineRun>,
    /// What runs of the program have shown, buffers taken as unbounded; nothing, if there is no
    /// program.
    pub confirmation: LivelockConfirmation,
    /// How long deciding took, with the check of the certificate.
    pub solve: Duration,
    /// How long refining took.
    pub refine: Duration,
    /// How long searching runs took.
    pub search: Duration,
}

impl LivelockAnalysis {
    /// The result in plain data, for a system that does not come from a program.
    #[must_use]
    pub fn view_of_system(&self, file: &str, system: &System) -> Check {
        view::livelock(&LivelockSubject {
            file,
            system,
            outcome: &self.outcome,
            assumptions: &[],
            approximations: &[],
            refinement: &[],
            tried: &[],
            runs: None,
            seconds: self.timings(Timings::default()).seconds(),
        })
        .with_findings(view::findings(&finding::in_system::<()>(system), |()| Vec::new()))
    }

    /// The same together with the one of boundedness.
    #[must_use]
    pub fn view_after_system(&self, file: &str, analysis: &SystemAnalysis) -> Check {
        analysis.view(file).and(self.view_of_system(file, &analysis.system))
    }

    pub(crate) fn timings(&self, before: Timings) -> Timings {
        let Self { solve, refine, search, .. } = *self;
        Timings { solve, refine, search, total: before.total + solve + refine + search, ..before }
    }
}

/// Decides whether a system, in which transitions are marked as progress, is free of livelocks.
/// Exact up to the order of messages, of which it knows that a queue that is read for ever delivers
/// what is sent to it. The system must be [valid](System::validate).
#[must_use]
pub fn check_livelock_of_system(system: &System, options: &Options) -> LivelockAnalysis {
    let start = Instant::now();
    let outcome = decide(system, options, start);
    let confirmation = LivelockConfirmation::default();
    LivelockAnalysis {
        #[cfg(feature = "programs")]
        refined: None,
        outcome,
        refinement: Notes::default(),
        #[cfg(feature = "programs")]
        engines: Vec::new(),
        confirmation,
        solve: start.elapsed(),
        refine: Duration::ZERO,
        search: Duration::ZERO,
    }
}

pub(crate) fn decide(system: &System, options: &Options, start: Instant) -> Outcome {
    livelock::check(system, &livelock_options(options, start))
}

pub(crate) fn livelock_options(options: &Options, start: Instant) -> livelock::Options {
    let questions = options.questions(start);
    livelock::Options { questions, cases: options.cases(), fairness: options.fairness }
}
