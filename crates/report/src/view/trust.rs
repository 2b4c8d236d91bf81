//! The trusted parts of a verdict: those that no checker repeats.

use certify::{Certificate, Checked, Trusted};
use cfsm_core::system::System;
use refine::{Act, Strategy};

/// The grounds of a result.
#[derive(Clone, Copy)]
pub(super) struct Grounds<'a> {
    /// The abstract system.
    pub(super) system: &'a System,
    /// The checked claims about it.
    pub(super) certificate: Option<&'a Checked<Certificate>>,
    /// The refinements that led to it.
    pub(super) acts: &'a [Act],
    /// The search that decides the parts that the claims leave open, if there is one.
    pub(super) search: Option<Searched<'a>>,
}

/// A search that replaces a proof.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    /// The buffers without a claim; empty if the verdict is not about buffers.
    pub(super) buffers: &'a [String],
}

impl Grounds<'_> {
    /// All trusted parts, those that the checker [derives](certify::trusted) first. Time linear in
    /// the certificate, plus `O(n log n)` in the names that are listed.
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

/// The search that decides the parts that certificates leave open, if there is one.
pub(super) fn searched(acts: &[Act]) -> Option<&Act> {
    acts.iter().find(|act| unrepeated(act.strategy).is_some())
}

/// Returns `true` if a strategy adds results of an analysis of the program to the system.
const fn is_analysis(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::Activation | Strategy::Counters | Strategy::Pairs | Strategy::Tracking)
}

/// The sentence about a search on which a verdict rests and that no certificate covers.
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

/// Returns `true` if a part is the abstraction of a text, or an analysis that belongs to it:
/// trusted for every model that is a text.
pub(crate) fn is_of_abstraction(part: &Trusted) -> bool {
    let analysis =
        Strategy::ALL.into_iter().any(|strategy| is_analysis(strategy) && strategy.name() == part.part);
    analysis || part.part == certify::TrustedPart::Abstraction.name()
}

/// Returns `true` if a part needs no line of its own: the abstraction of a text, mentioned in the
/// verdict line, or a limit that the question sets, listed among the assumptions.
pub(crate) fn is_told_elsewhere(part: &Trusted) -> bool {
    is_of_abstraction(part) || part.part == certify::TrustedPart::Limits.name()
}

/// Returns `true` if a part is a search that replaces a certificate.
pub(crate) fn is_search(part: &Trusted) -> bool {
    let search = |strategy: &Strategy| unrepeated(*strategy).is_some() && strategy.name() == part.part;
    Strategy::ALL.iter().any(search)
}

/// The assumptions, and the trusted parts except the abstraction of a text, which every result
/// about one includes.
pub(super) fn assumptions(assumptions: &[String], trust: &[Trusted]) -> Vec<String> {
    let further = trust.iter().filter(|part| !is_told_elsewhere(part)).map(|part| part.why.clone());
    assumptions.iter().cloned().chain(further).collect()
}
