//! The parts of a verdict that no checker repeats.

use certify::{Certificate, Checked, Trusted};
use cfsm_core::system::System;
use refine::{Act, Strategy};

/// The grounds of a result.
#[derive(Clone, Copy)]
pub(super) struct Grounds<'a> {
    /// The abstract system.
    pub(super) system: &'a System,
    /// The claims about it that were checked.
    pub(super) certificate: Option<&'a Checked<Certificate>>,
    /// The refinement that led to it.
    pub(super) acts: &'a [Act],
    /// The search that decides what the claims leave open, if one does.
    pub(super) search: Option<Searched<'a>>,
}

/// A search that stands in for a proof.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    /// The buffers that no claim is about; none if the verdict is not about buffers.
    pub(super) buffers: &'a [String],
}

impl Grounds<'_> {
    /// All that is trusted, the parts that the checker [derives](certify::trusted) first. Time
    /// linear in the certificate, but for `O(n log n)` in the names that are listed.
    pub(super) fn trust(self) -> Vec<Trusted> {
        let claims = self.certificate.filter(|certificate| !certificate.claims.is_empty());
        let mut trust = claims.map(|found| certify::trusted(self.system, found)).unwrap_or_default();
        let analyses = self.acts.iter().filter(|act| claims.is_some() && is_analysis(act.strategy));
        for Act { strategy, what, .. } in analyses {
            let why = format!("{what}, by the analysis of the program (no certificate checks that)");
            let part = Trusted { part: strategy.name().into(), why, about: Vec::new() };
            if !trust.contains(&part) {
                trust.push(part);
            }
        }
        if let Some((act, Searched { buffers })) = searched(self.acts).zip(self.search) {
            trust.push(Trusted {
                part: act.strategy.name().into(),
                why: unrepeated(act.strategy).unwrap_or_default().into(),
                about: buffers.to_vec(),
            });
        }
        trust
    }
}

/// The search that decides what certificates leave open, if one does.
pub(super) fn searched(acts: &[Act]) -> Option<&Act> {
    acts.iter().find(|act| unrepeated(act.strategy).is_some())
}

/// Whether a strategy puts into the system what an analysis of the program says.
const fn is_analysis(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::Activation | Strategy::Counters | Strategy::Pairs | Strategy::Tracking)
}

/// The sentence about a search that a verdict rests on and that is not in a certificate.
const fn unrepeated(strategy: Strategy) -> Option<&'static str> {
    match strategy {
        Strategy::Exhaustion => Some(
            "that all states of the model were looked at is taken from the search: the checker of certificates does not repeat it",
        ),
        Strategy::Termination => Some(
            "that every run of the model comes to an end, whichever channels are limited, is taken from the search: the checker of certificates does not repeat it",
        ),
        Strategy::Recurrence => Some(
            "that every run of the model that goes on for ever makes progress again and again, whichever channels are limited, is taken from the search: the checker of certificates does not repeat it",
        ),
        _ => None,
    }
}

/// Whether a part is the abstraction of a text, or an analysis that is part of it: taken for
/// granted wherever a model is a text.
pub(crate) fn is_of_abstraction(part: &Trusted) -> bool {
    let analysis =
        Strategy::ALL.into_iter().any(|strategy| is_analysis(strategy) && strategy.name() == part.part);
    analysis || part.part == certify::TrustedPart::Abstraction.name()
}

/// Whether a part needs no line of its own: the abstraction of a text, told by the verdict line, or
/// a limit that the question sets, told among the assumptions.
pub(crate) fn is_told_elsewhere(part: &Trusted) -> bool {
    is_of_abstraction(part) || part.part == certify::TrustedPart::Limits.name()
}

/// Whether a part is a search that stands in for a certificate.
pub(crate) fn is_search(part: &Trusted) -> bool {
    let search = |strategy: &Strategy| unrepeated(*strategy).is_some() && strategy.name() == part.part;
    Strategy::ALL.iter().any(search)
}

/// The assumptions, with the parts that are trusted beyond the abstraction of a text, which every
/// result about one is.
pub(super) fn assumptions(assumptions: &[String], trust: &[Trusted]) -> Vec<String> {
    let further = trust.iter().filter(|part| !is_told_elsewhere(part)).map(|part| part.why.clone());
    assumptions.iter().cloned().chain(further).collect()
}
