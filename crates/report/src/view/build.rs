//! Converts a typed result to the view.

use std::collections::BTreeSet;
use std::fmt::Display;

use boundedness::{Outcome, Reason, Verdict as Decision};
use certify::{Rejection, Trusted};
use cfsm_core::system::{BufferId, BufferKind, System};

use refine::{Act, Confirmation};

use super::counterexample::{counterexample, number};
use super::trust::{self, Grounds, Searched};
use super::{
    AsDeclaredRuns, Buffer, BufferVerdict, Check, Counterexample, Number, Property, PropertyResult,
    Refinement, Runs, SCHEMA, Seconds, Statistics, Verdict, Witness,
};

/// The input of a view.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// The abstract system.
    pub system: &'a System,
    /// The result of the analysis. Must be about this system.
    pub outcome: &'a Outcome,
    /// The assumptions.
    pub assumptions: &'a [String],
    /// The places at which a limit made the system coarser.
    pub approximations: &'a [String],
    /// The refinements that excluded counterexamples.
    pub refinement: &'a [Act],
    /// Other refinements that were tried without success.
    pub tried: &'a [String],
    /// The results of searching runs, if any were searched.
    pub runs: Option<Runs<'a>>,
    /// The results about runs with the declared capacities, if there are any.
    pub as_declared: Option<AsDeclaredRuns<'a>>,
    /// Wall-clock times.
    pub seconds: Seconds,
}

/// The view of a check for boundedness. Time linear in the system and the counterexamples.
///
/// A buffer that can grow in the abstraction is unknown, unless there is a witness.
#[must_use]
pub fn check(subject: &Subject<'_>) -> Check {
    let Subject { system, outcome, runs, .. } = *subject;
    let combinations = outcome.combinations.iter();
    let counterexamples: Vec<Counterexample> =
        combinations.map(|combination| counterexample(system, combination)).collect();
    let counterexamples = if is_exhausted(subject) { Vec::new() } else { counterexamples };
    let witnesses = runs.map(|runs| runs.witnesses()).unwrap_or_default();
    let rows = buffers(subject);
    let (verdict, reason) = match &outcome.verdict {
        Decision::Proved(_) => (Verdict::Proved, None),
        Decision::Unknown { .. } if !witnesses.is_empty() => (Verdict::Refuted, left_open(&rows, runs)),
        Decision::Unknown { reason, .. } if *reason != Reason::Contradicted && is_exhausted(subject) => {
            (Verdict::Proved, None)
        }
        Decision::Unknown { reason, .. } => {
            (Verdict::Unknown, Some(explain(*reason, runs) + &in_vain(subject.tried)))
        }
        _ => (Verdict::Unknown, None),
    };
    let trust = trust(subject, verdict);
    let result = PropertyResult {
        property: Property::Boundedness,
        fairness: None,
        verdict,
        buffers: rows,
        counterexample: counterexamples.first().cloned(),
        counterexamples,
        witness: witnesses.first().cloned(),
        witnesses,
        refinement: subject.refinement.iter().map(refinement).collect(),
        notes: outcome.rejected.iter().map(rejected).collect(),
        contract: None,
        trust: trust.clone(),
        reason,
    };
    let mut assumptions = trust::assumptions(subject.assumptions, &trust);
    assumptions.extend(counters(&result.witnesses));
    let mut approximations = subject.approximations.to_vec();
    approximations.extend(
        outcome
            .coarse_bounds
            .map(|limit| format!("{limit} while bounds were computed: some are larger than need be")),
    );
    Check {
        schema: SCHEMA.into(),
        file: subject.file.into(),
        property_results: vec![result],
        assumptions,
        trust,
        approximations,
        findings: subject.as_declared.map(AsDeclaredRuns::findings).unwrap_or_default(),
        statistics: statistics(system, outcome.listed_cycles, subject.seconds),
    }
}

/// The parts of a verdict on bounds that no checker repeats.
fn trust(subject: &Subject<'_>, verdict: Verdict) -> Vec<Trusted> {
    let Subject { system, outcome, refinement, .. } = *subject;
    let open = |id: &BufferId| {
        use boundedness::BufferVerdict::{CanGrow, Unknown};
        matches!(outcome.buffers[*id], CanGrow { .. } | Unknown)
    };
    let open: Vec<String> =
        system.buffers.ids().filter(open).map(|id| system.buffers[id].name.clone()).collect();
    let is_searched = verdict == Verdict::Proved && !outcome.verdict.is_proved();
    let search = is_searched.then_some(Searched { buffers: &open });
    let certificate = outcome.verdict.certificate();
    Grounds { system, certificate, acts: refinement, search }.trust()
}

/// The assumptions of runs that count up a number.
fn counters(witnesses: &[Witness]) -> Vec<String> {
    let counters: BTreeSet<&String> =
        witnesses.iter().filter_map(|witness| witness.counter.as_ref()).collect();
    let all = counters.into_iter().map(|counter| format!("`{counter}`, an `int`, may be any number"));
    all.collect()
}

/// Returns `true` if a search decides the parts that certificates leave open.
fn is_exhausted(subject: &Subject<'_>) -> bool {
    trust::searched(subject.refinement).is_some()
}

/// The view of a refinement.
pub(super) fn refinement(act: &Act) -> Refinement {
    Refinement {
        strategy: act.strategy.name().into(),
        spurious: act.spurious.as_ref().map(|(system, found)| counterexample(system, found)),
        because: act.because.clone(),
        excluded_by: act.what.clone(),
    }
}

/// The sentence about refinements that were tried without success.
pub(super) fn in_vain(tried: &[String]) -> String {
    let told: Vec<&str> = tried.iter().map(String::as_str).filter(|what| !what.is_empty()).collect();
    if told.is_empty() { String::new() } else { format!(". Tried in vain: {}", told.join("; ")) }
}

/// The view of a check that stopped before there was an abstract system, with the reason.
#[must_use]
pub fn undecided(file: &str, reason: impl Display, seconds: Seconds) -> Check {
    let result = PropertyResult {
        property: Property::Boundedness,
        fairness: None,
        verdict: Verdict::Unknown,
        buffers: Vec::new(),
        counterexample: None,
        counterexamples: Vec::new(),
        witness: None,
        witnesses: Vec::new(),
        refinement: Vec::new(),
        notes: Vec::new(),
        contract: None,
        trust: Vec::new(),
        reason: Some(format!("{reason}; a smaller model would help")),
    };
    Check {
        schema: SCHEMA.into(),
        file: file.into(),
        property_results: vec![result],
        assumptions: Vec::new(),
        trust: Vec::new(),
        approximations: Vec::new(),
        findings: Vec::new(),
        statistics: Statistics { seconds, ..Statistics::default() },
    }
}

/// Largest number of buffers that are named in a sentence.
const NAMED: usize = 6;

/// The reason why buffers are left open beside others that grow for ever, if some are, with advice.
fn left_open(rows: &[Buffer], runs: Option<Runs<'_>>) -> Option<String> {
    let open = rows.iter().filter(|buffer| buffer.verdict == BufferVerdict::Unknown);
    let names: Vec<&str> = open.map(|buffer| buffer.name.as_str()).collect();
    let (is, it) = match names[..] {
        [] => return None,
        [one] => (format!("`{one}` is"), "it"),
        _ => {
            let first =
                names.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            (format!("{first}{more} are"), "them")
        }
    };
    let states = runs.map_or(0, |runs| runs.confirmation.states);
    Some(format!(
        "{is} left open: no run that was looked at ({states} states; `--max-states` sets how many) makes {it} grow \
         for ever, and where another buffer does there is no end of states. What is left open may be decided once that \
         one is bounded"
    ))
}

/// The note on a proof that the kernel rejects.
pub(super) fn rejected(rejection: &Rejection) -> String {
    format!("a proof that was found is rejected by the checker, and nothing rests on it: {rejection}")
}

/// The reason for an unknown verdict, with advice.
fn explain(reason: Reason, runs: Option<Runs<'_>>) -> String {
    let help = match reason {
        Reason::CanGrow => {
            "it counts messages by type, and knows of variables and of the order of messages no more than \
             refinement has found. If the counterexample can happen, let its loop wait for something, e.g. \
             for an acknowledgement; if it cannot, say so where that is seen: a constant in a receive tells \
             types of messages apart, and a counter counts where a guard keeps it within limits in the same \
             step (`atomic { n > 0 -> n-- }`)"
        }
        Reason::Rejected | Reason::Contradicted => "this is a bug; please report it with the model",
        Reason::Limit(_) => {
            "nothing was decided until then. Raise the limit; if it is the number of cycles, the flow \
             encoding lists none"
        }
    };
    let searched = runs.and_then(|runs| searched(runs.confirmation));
    format!("{reason}: {help}{}", searched.map(|text| format!(". {text}")).unwrap_or_default())
}

/// The result of a search of runs that found no witness.
fn searched(confirmation: &Confirmation) -> Option<String> {
    let Confirmation { most, states, limit, .. } = confirmation;
    match limit {
        Some(limit) => Some(uppercase(limit)),
        None if !most.is_empty() => Some(
            "All states of the model have been seen: no buffer holds more than its true maximum above, but \
             there is no certificate that says so"
                .into(),
        ),
        None if *states > 0 => Some(format!(
            "A search of {states} states of the model found no run that makes a buffer grow for ever; `--max-states` sets how far it goes"
        )),
        None => None,
    }
}

/// The text with its first letter in upper case.
pub(super) fn uppercase(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn buffers(subject: &Subject<'_>) -> Vec<Buffer> {
    let confirmation = subject.runs.map(|runs| runs.confirmation);
    let contradicted =
        matches!(subject.outcome.verdict, Decision::Unknown { reason: Reason::Contradicted, .. });
    let exhausted = is_exhausted(subject) && !contradicted;
    let mut rows = Vec::new();
    for (id, buffer) in subject.system.buffers.iter() {
        let witness = confirmation.and_then(|found| found.unbounded.get(&id).copied());
        let exact = confirmation.and_then(|found| found.exact.get(&id));
        let most = confirmation.and_then(|found| found.most.get(&id));
        let (verdict, bound, counterexample) = match &subject.outcome.buffers[id] {
            boundedness::BufferVerdict::Bounded { bound } => {
                (BufferVerdict::Bounded, Some(number(bound)), None)
            }
            boundedness::BufferVerdict::Finite => (BufferVerdict::Bounded, None, None),
            boundedness::BufferVerdict::CanGrow { combination } if witness.is_some() => {
                (BufferVerdict::Unbounded, None, Some(*combination))
            }
            boundedness::BufferVerdict::CanGrow { .. } | boundedness::BufferVerdict::Unknown if exhausted => {
                (BufferVerdict::Bounded, most.map(number), None)
            }
            boundedness::BufferVerdict::CanGrow { combination } => {
                (BufferVerdict::Unknown, None, Some(*combination))
            }
            boundedness::BufferVerdict::Rendezvous => continue,
            _ => (BufferVerdict::Unknown, None, None),
        };
        rows.push(Buffer {
            name: buffer.name.clone(),
            declared: buffer.declared,
            verdict,
            bound,
            exact: exact.map(number),
            limit: subject.system.limit_of(id).map(Number::from),
            as_declared: subject.as_declared.and_then(|runs| Some(runs.buffer(runs.found.buffers.get(&id)?))),
            counterexample,
            witness,
        });
    }
    rows
}

/// Sizes of a system; `cycles` is the number of listed cycles.
pub(super) fn statistics(system: &System, cycles: Option<usize>, seconds: Seconds) -> Statistics {
    let queues = system.buffers.values().filter(|buffer| buffer.kind == BufferKind::Queue);
    Statistics {
        processes: system.classes.len(),
        states: system.states.len(),
        transitions: system.transitions.len(),
        message_types: system.messages.len(),
        buffers: queues.count(),
        cycles,
        engines: Vec::new(),
        seconds,
    }
}
