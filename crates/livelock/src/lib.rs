//! Livelock freedom: does every infinite run make progress for ever?
//!
//! Thesis, chapter 6; theory 3, 7 and 10. [`check`] takes a system in which some transitions are
//! marked as [progress](cfsm_core::system::Transition::progress). It gives
//! [`Proved`](Verdict::Proved), with a certificate that `certify` has accepted: a ranking function
//! over messages and control, or a tree of them; or [`Unknown`](Verdict::Unknown), with cycles
//! without progress that, as far as the abstraction can tell, can be repeated for ever.
//! `docs/soundness/livelock.md` says why.
//!
//! What this crate adds to `ilp-encode` is the question: the [`Property`] implementation
//! [`Livelock`], which counts transitions without progress. Where the answer is cycles of one
//! process that do not hang together, the question is split by where that process is in the long
//! run ([`Options::cases`]).
//!
//! ```
//! use cfsm_core::system::SystemBuilder;
//! use livelock::{Options, check};
//!
//! let mut b = SystemBuilder::new("client-server");
//! let request = b.message("toServer", "request");
//! let reply = b.message("toClient", "reply");
//! b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
//! b.progress();
//! b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
//! let mut system = b.build()?;
//! assert!(check(&system, &Options::default()).verdict.is_proved());
//!
//! // Nothing that the client does is progress: then the two loops can go on without any.
//! system.transitions.iter_mut().for_each(|(_, transition)| transition.progress = false);
//! let outcome = check(&system, &Options::default());
//! assert!(!outcome.verdict.is_proved());
//! assert_eq!(outcome.combination.unwrap().parts.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod verdict;

use cases::{Evidence, Found, Prover};
use certify::{Certificate, Claim, LivelockFreeClaim, Proof};
use cfsm_core::system::{System, TransitionId};
use ilp_encode::{Property, Stopped};

pub use certify::Fairness;
pub use ilp_encode::{Behaviour, Combination, Encoding, Search};
pub use verdict::{Outcome, Reason, Verdict};

/// The property: steps without progress cannot be gained for ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Livelock;

impl Property for Livelock {
    fn gain(&self, system: &System, transition: TransitionId) -> u32 {
        u32::from(!system.transitions[transition].progress)
    }

    fn excludes(&self, system: &System, transition: TransitionId) -> bool {
        system.transitions[transition].progress
    }
}

/// How to work, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Encoding, search and limits of each question.
    pub questions: ilp_encode::Options,
    /// How many cases may be looked at; those that are split count too. 1: none is distinguished,
    /// the plain test.
    pub cases: usize,
    /// Which runs have to make progress. A proof for all runs is looked for first, in each case.
    pub fairness: Fairness,
}

impl Default for Options {
    fn default() -> Self {
        Self { questions: ilp_encode::Options::default(), cases: 100, fairness: Fairness::None }
    }
}

/// Decides, as far as the abstraction allows, whether a system is free of livelocks.
///
/// One question, and three more for each counterexample in which the cycles of a process do not
/// hang together, or in which a queue that [keeps order](System::keeps_order) is read and some of
/// what is sent to it is not.
///
/// If the kernel rejects the proof that was found, which is a bug of the search, the verdict is
/// unknown with that [reason](Outcome::rejected).
///
/// # Panics
/// If the system is not [valid](System::validate).
#[must_use]
pub fn check(system: &System, options: &Options) -> Outcome {
    let Options { questions, cases, fairness } = options.clone();
    let limits = cases::Options { questions, cases, fairness };
    let mut prover = Prover::new(system, &Livelock, &limits);
    let found = prover.prove();
    let (cases, listed_cycles) = (prover.cases(), prover.listed_cycles());
    Outcome { cases, listed_cycles, ..outcome(system, options, found) }
}

/// The outcome of a search for a proof.
fn outcome(system: &System, options: &Options, found: Result<Found, Stopped>) -> Outcome {
    let mut rejected = None;
    let (verdict, combination) = match found {
        Ok(Found::Proof(Evidence { single, joint, proof })) => {
            let fairness = needed(&proof);
            let claim = Claim::LivelockFree(LivelockFreeClaim { fairness, single, joint, proof });
            let verdict = match certify::check(system, Certificate::new(system, [claim])) {
                Ok(certificate) => Verdict::Proved(certificate),
                Err(rejection) => {
                    rejected = Some(rejection);
                    Verdict::Unknown(Reason::Rejected)
                }
            };
            (verdict, None)
        }
        Ok(Found::Counterexample(combination)) => (Verdict::Unknown(Reason::CanRepeat), Some(combination)),
        Ok(Found::TooManyCases(combination)) => {
            (Verdict::Unknown(Reason::Cases(options.cases)), Some(combination))
        }
        Err(stopped) => (Verdict::Unknown(Reason::Limit(stopped)), None),
    };
    Outcome { fairness: options.fairness, verdict, combination, cases: 1, rejected, listed_cycles: None }
}

/// Which runs a proof is about: a departure rests on fairness.
fn needed(proof: &Proof) -> Fairness {
    let rests = proof.any(&|part| matches!(part, Proof::Departure(_)));
    if rests { Fairness::Weak } else { Fairness::None }
}

#[cfg(test)]
mod tests {
    use certify::Ranking;
    use cfsm_core::system::SystemBuilder;

    use super::*;

    #[test]
    fn a_proof_that_the_kernel_rejects_is_told_and_proves_nothing() {
        let mut b = SystemBuilder::new("idler");
        b.class("P", 1).step("0", &[], "0");
        let system = b.build().expect("names are given once");
        let proof = Proof::Ranking(Ranking::new(&system, [], []));
        let forged = Found::Proof(Evidence { single: Vec::new(), joint: Vec::new(), proof });
        let outcome = outcome(&system, &Options::default(), Ok(forged));
        assert!(matches!(outcome.verdict, Verdict::Unknown(Reason::Rejected)));
        let told = outcome.rejected.expect("the kernel says why").to_string();
        assert!(told.contains("does not lower the potential"), "{told}");
    }
}
