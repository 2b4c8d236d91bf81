//! The headline of a result: the verdict and its grounds.

use crate::view::{
    BufferVerdict, Contract, Counterexample, Cycle, Property, PropertyResult, Verdict, is_of_abstraction,
    is_search, is_told_elsewhere,
};

use super::{Ink, plural};

/// The grounds of a verdict: a certificate, or a search; and the parts that no checker has
/// repeated. "certificate checked" without an addition is printed only if nothing is trusted.
fn rests_on(result: &PropertyResult) -> String {
    if let Some(search) = result.trust.iter().find(|part| is_search(part)) {
        let seen = match search.part.as_str() {
            "exhaustion" => "all states were looked at",
            "termination" => "every run comes to an end",
            _ => "no run goes on without progress",
        };
        let (open, total) = (search.about.len(), result.buffers.len());
        let part = if open < total { format!("{open} of {total} buffers ") } else { String::new() };
        return format!("{seen}; {part}not certified");
    }
    let certificate = match result.trust.iter().any(is_of_abstraction) {
        true => "certificate of the abstraction checked",
        false => "certificate checked",
    };
    let further = result.trust.iter().filter(|part| !is_told_elsewhere(part));
    let further: Vec<&str> = further.map(|part| part.part.as_str()).collect();
    match further.as_slice() {
        [] => certificate.into(),
        further => format!("{certificate}; trusted: {}", further.join(", ")),
    }
}

/// The refinements that excluded spurious counterexamples, one sentence each.
pub(crate) fn refinements(result: &PropertyResult) -> impl Iterator<Item = String> + '_ {
    result.refinement.iter().map(|refinement| {
        let loops = refinement.spurious.as_ref().map(places).unwrap_or_default();
        format!("by {}: {}; {}{loops}", refinement.strategy, refinement.excluded_by, refinement.because)
    })
}

/// ` (the loops are those of P in lines 4 to 7 and Q in line 9)`; empty for loops that do not come
/// from a text.
fn places(example: &Counterexample) -> String {
    let place = |cycle: &Cycle| {
        let lines = cycle.steps.iter().map(|step| step.line).filter(|line| *line > 0);
        let (first, last) = (lines.clone().min()?, lines.max()?);
        let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        Some(format!("{} in {lines}", cycle.process))
    };
    let mut places: Vec<String> = example.cycles.iter().filter_map(place).collect();
    places.dedup();
    match places.as_slice() {
        [] => String::new(),
        [one] => format!(" (the loop is that of {one})"),
        [first @ .., last] => format!(" (the loops are those of {} and {last})", first.join(", ")),
    }
}

/// Of an open model, the environments that a verdict is about.
pub(crate) fn environments(result: &PropertyResult) -> String {
    match (&result.contract, result.verdict) {
        (Some(Contract { every_environment: true, .. }), Verdict::Proved) => " for every environment".into(),
        (Some(Contract { assumption: Some(assumption), .. }), Verdict::Proved) => {
            format!(" for environments that keep to {assumption}")
        }
        (Some(_), Verdict::Refuted) => " in some environment".into(),
        _ => String::new(),
    }
}

/// The contract of an open model with its environment, if one has been found: a clause.
pub(crate) fn contract(result: &PropertyResult) -> Option<String> {
    let Contract { assumption, bounds, .. } = result.contract.as_ref()?;
    let assumption = assumption.as_ref().filter(|_| result.verdict != Verdict::Proved)?;
    let bounds: Vec<String> =
        bounds.iter().map(|bound| format!("{} ≤ {}", bound.buffer, bound.bound)).collect();
    let bounds = if bounds.is_empty() { return None } else { bounds.join(", ") };
    Some(format!(
        "bounded in environments that keep to {assumption}, in numbers of messages so far (of those that it takes, those that the model has sent): {bounds}, \
         for every k (certificate of the abstraction checked; `--assume` takes such an inequality with a number)"
    ))
}

/// The verdict in one word, with its colour, and its meaning.
pub(crate) fn verdict_line(result: &PropertyResult) -> (Ink, &'static str, String) {
    let total = result.buffers.len();
    let checked = rests_on(result);
    let of = |verdict| result.buffers.iter().filter(|buffer| buffer.verdict == verdict).count();
    let bounded = of(BufferVerdict::Bounded);
    match (result.property, result.verdict) {
        (Property::Boundedness, Verdict::Proved) => {
            let what = match total {
                0 => "there is no buffer that could overflow".into(),
                _ => format!("every buffer is proved bounded ({checked})"),
            };
            (Ink::Good, "BOUNDED", what)
        }
        (Property::Boundedness, Verdict::Refuted) => {
            let some = of(BufferVerdict::Unbounded);
            // A buffer of the model may be one of several in the abstraction.
            let what = if result.witnesses.iter().any(|witness| witness.supply.is_some()) {
                let what = plural(some.max(1), "buffer", "buffers");
                format!("{what} can exceed any capacity, in runs that were replayed")
            } else {
                let what = plural(some.max(1), "buffer grows", "buffers grow");
                format!("{what} for ever in a run that was replayed")
            };
            (Ink::Bad, "UNBOUNDED", what)
        }
        (Property::Boundedness, Verdict::Unknown) if total == 0 => {
            (Ink::Open, "UNKNOWN", "nothing was decided".into())
        }
        (Property::Boundedness, Verdict::Unknown) => {
            let open = plural(total - bounded, "buffer is", "buffers are");
            let what = format!("{open} not proved bounded, {bounded} of {total} proved ({checked})");
            let nothing = format!("{open} not proved bounded");
            (Ink::Open, "UNKNOWN", if bounded == 0 { nothing } else { what })
        }
        (Property::Livelock, Verdict::Proved) => {
            let run = if result.fairness.is_some() { "fair infinite run" } else { "infinite run" };
            (Ink::Good, "LIVELOCK-FREE", format!("every {run} makes progress ({checked})"))
        }
        (Property::Livelock, Verdict::Refuted) => {
            let run = if result.fairness.is_some() { "fair run" } else { "run" };
            (Ink::Bad, "LIVELOCK", format!("a {run} without progress was replayed"))
        }
        (Property::Livelock, Verdict::Unknown) => {
            (Ink::Open, "UNKNOWN", "freedom from livelocks is not proved".into())
        }
    }
}
