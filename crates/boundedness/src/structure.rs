//! Whether all buffers are bounded, given where processes are in the long run (thesis 12.3; theory
//! 7).

use cases::{Evidence, Found, Prover};
use certify::{AllBoundedClaim, Certificate, Checked, Claim, Fairness};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{DataId, MessageId, System, TransitionId};
use ilp_encode::{Cone, Pool, Property, Row, growing};

use crate::{BufferVerdict, Options, Outcome, Reason, Verdict};

/// The property of systems that can be in finitely many configurations: neither messages nor
/// instances nor quantities of data can be gained for ever.
struct NothingGrows {
    /// The data places that are part of configurations.
    counted: IdMap<DataId, bool>,
}

impl Property for NothingGrows {
    fn is_target(&self, _: &System, _: MessageId) -> bool {
        true
    }

    fn is_data_target(&self, _: &System, data: DataId) -> bool {
        self.counted[data]
    }

    fn gain(&self, system: &System, transition: TransitionId) -> u32 {
        u32::try_from(system.transitions[transition].creates.len()).unwrap_or(u32::MAX)
    }
}

/// Asks about all buffers together what [`check`](crate::check) has left open, by cases: `None` if
/// that does not help.
///
/// Either every buffer is proved bounded then, those that were open by no number that is known; or
/// nothing is gained. If the kernel rejects the proof that was found, which is a bug of the search,
/// the outcome is as before, and [says so](Outcome::rejected). Up to [`cases`](Options::cases)
/// questions, twice that if the system has data places.
///
/// # Panics
/// If the system is not [valid](System::validate), or the outcome is not about it.
#[must_use]
pub fn by_cases(system: &System, outcome: &Outcome, options: &Options) -> Option<Outcome> {
    let Verdict::Unknown { certificate: Some(known), .. } = &outcome.verdict else { return None };
    let all = IdMap::filled(true, system.data.len());
    // Where data places can be gained for ever, that takes many cases to rule out, and mostly
    // nothing rests on it.
    let mut attempts = without_growing_data(system, outcome, options).into_iter().chain([all]);
    let (evidence, cases) = attempts.find_map(|counted| prove(system, counted, options))?;
    Some(Outcome { cases, ..with_evidence(system, outcome, known, evidence) })
}

/// An outcome that leaves buffers open, with a proof that all are bounded.
fn with_evidence(
    system: &System,
    outcome: &Outcome,
    known: &Checked<Certificate>,
    evidence: Evidence,
) -> Outcome {
    let Evidence { single, joint, proof } = evidence;
    let claim = Claim::AllBounded(AllBoundedClaim { single, joint, proof });
    let claims = known.claims.iter().cloned().chain([claim]);
    let certificate = match certify::check(system, Certificate::new(system, claims)) {
        Ok(certificate) => certificate,
        Err(rejection) => {
            let certificate = Some(known.clone());
            let verdict = Verdict::Unknown { reason: Reason::Rejected, certificate };
            let mut outcome = Outcome { verdict, ..outcome.clone() };
            outcome.rejected.push(rejection);
            return outcome;
        }
    };
    let settled = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown => BufferVerdict::Finite,
        known => known.clone(),
    };
    Outcome {
        buffers: outcome.buffers.values().map(settled).collect(),
        combinations: Vec::new(),
        verdict: Verdict::Proved(certificate),
        ..outcome.clone()
    }
}

/// The data places that cannot be gained for ever, if some can.
fn without_growing_data(
    system: &System,
    outcome: &Outcome,
    options: &Options,
) -> Option<IdMap<DataId, bool>> {
    let mut counted = IdMap::filled(true, system.data.len());
    let property = NothingGrows { counted: counted.clone() };
    if system.data.is_empty() {
        return None;
    }
    let cone = Cone::new(system, &property, &options.questions).ok()?;
    let gains = outcome.combinations.iter().flat_map(|combination| &combination.gains);
    let known = gains.map(|(row, _)| *row).collect();
    let mut some = false;
    for row in growing(&cone, &known, &mut Pool::default(), &options.questions).ok()? {
        if let Row::Data(data) = row {
            counted[data] = false;
            some = true;
        }
    }
    some.then_some(counted)
}

/// A proof in which the other data places have no weight, and the number of cases.
fn prove(system: &System, counted: IdMap<DataId, bool>, options: &Options) -> Option<(Evidence, usize)> {
    // What nobody changes needs no weight to balance anything.
    let mut part = system.clone();
    part.transitions
        .iter_mut()
        .for_each(|(_, transition)| transition.data.retain(|data| counted[data.place]));
    let Options { questions, cases, .. } = options.clone();
    let limits = cases::Options { questions, cases, fairness: Fairness::None };
    let goal = NothingGrows { counted };
    let mut prover = Prover::new(&part, &goal, &limits);
    match prover.prove() {
        Ok(Found::Proof(evidence)) => Some((evidence, prover.cases())),
        Ok(Found::Counterexample(_) | Found::TooManyCases(_)) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use certify::{Proof, Ranking};
    use cfsm_core::system::SystemBuilder;

    use super::*;

    /// A process that sends for ever.
    fn open() -> (System, Outcome) {
        let mut b = SystemBuilder::new("sender");
        let (x, y) = (b.message("x", "m"), b.message("y", "m"));
        b.class("P", 1).send("0", x, "0");
        b.class("Q", 1).send("0", y, "1");
        let system = b.build().expect("names are given once");
        let outcome = crate::check(&system, &Options::default());
        (system, outcome)
    }

    #[test]
    fn a_proof_that_the_kernel_rejects_is_told_and_proves_nothing() {
        let (system, outcome) = open();
        let known = outcome.verdict.certificate().expect("one buffer is bounded");
        let proof = Proof::Ranking(Ranking::new(&system, [], []));
        let forged = Evidence { single: Vec::new(), joint: Vec::new(), proof };
        let found = with_evidence(&system, &outcome, known, forged);
        assert!(matches!(found.verdict, Verdict::Unknown { reason: Reason::Rejected, .. }));
        assert_eq!((&found.buffers, found.verdict.certificate()), (&outcome.buffers, Some(known)));
        assert!(found.rejected[0].to_string().contains("`x(m)` weighs 0, less than 1"));
    }

    #[test]
    fn bounds_that_the_kernel_rejects_are_none() {
        let (system, outcome) = open();
        let mut claims = outcome.verdict.certificate().expect("one buffer is bounded").claims.clone();
        let Claim::Bounded(claim) = &mut claims[0] else { panic!("it is a bound") };
        claim.bound = 0.into();
        let found = outcome.certified(&system, claims, true);
        assert!(matches!(found.verdict, Verdict::Unknown { reason: Reason::Rejected, certificate: None }));
        assert!(!found.buffers.values().any(|buffer| matches!(buffer, BufferVerdict::Bounded { .. })));
        assert!(found.rejected[0].to_string().contains("the initial potential is 1"));
    }
}
