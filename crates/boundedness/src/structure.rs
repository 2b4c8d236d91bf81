//! Whether all buffers are bounded, given where processes are in the long run (thesis 12.3; theory
//! 7).

use cases::{Found, Prover};
use certify::{AllBoundedClaim, Certificate, Claim, Fairness};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{DataId, MessageId, System, TransitionId};
use ilp_encode::{Cone, Pool, Property, Row, growing};

use crate::{BufferVerdict, Options, Outcome, Verdict};

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
/// nothing is gained. Up to [`cases`](Options::cases) questions, twice that if the system has data
/// places.
///
/// # Panics
/// If the system is not [valid](System::validate), the outcome is not about it, or `certify`
/// rejects what was found: a bug here, and never a wrong verdict.
#[must_use]
pub fn by_cases(system: &System, outcome: &Outcome, options: &Options) -> Option<Outcome> {
    let Verdict::Unknown { certificate: Some(known), .. } = &outcome.verdict else { return None };
    let all = IdMap::filled(true, system.data.len());
    // Where data places can be gained for ever, that takes many cases to rule out, and mostly
    // nothing rests on it.
    let mut attempts = without_growing_data(system, outcome, options).into_iter().chain([all]);
    let (proof, cases) = attempts.find_map(|counted| prove(system, counted, options))?;
    let claims = known.claims.iter().cloned().chain([Claim::AllBounded(AllBoundedClaim { proof })]);
    let certificate = certify::check(system, Certificate::new(system, claims))
        .unwrap_or_else(|rejection| panic!("the checker rejects a proof: {rejection}"));
    let settled = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown => BufferVerdict::Finite,
        known => known.clone(),
    };
    Some(Outcome {
        buffers: outcome.buffers.values().map(settled).collect(),
        combinations: Vec::new(),
        verdict: Verdict::Proved(certificate),
        cases,
        ..outcome.clone()
    })
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
fn prove(
    system: &System,
    counted: IdMap<DataId, bool>,
    options: &Options,
) -> Option<(certify::Proof, usize)> {
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
        Ok(Found::Proof(proof)) => Some((proof, prover.cases())),
        Ok(Found::Counterexample(_) | Found::TooManyCases(_)) | Err(_) => None,
    }
}
