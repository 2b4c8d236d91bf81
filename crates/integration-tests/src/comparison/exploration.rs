//! The concrete semantics beside Spin's verifier: numbers of states and steps, and verdicts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfsm_core::program::{Claim, Observer, Program};
use explore::{Claims, Completion, Exploration, Limits, Options, Progress, RunError, Semantics, Violation};

use super::corpus::Model;
use super::states::{Counts, Size, Verifier};

/// How much is compared.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Models with more states are passed over.
    pub states: usize,
    /// How Spin's verifier is built for that.
    pub size: Size,
    /// Whether cycles without progress are compared as well.
    pub cycles: bool,
}

/// So many states that a verifier is built for [`Size::Small`] in any case.
const FEW: usize = 5_000;

/// What came of a model.
#[derive(Debug)]
pub enum Outcome {
    /// Both have looked at all states.
    Both(Box<Exploration>, Counts, Cycles),
    /// The semantics does not take it, for this reason.
    Refused(String),
    /// Spin's verifier has no counts, for this reason.
    Uncounted(String),
    /// There are more states than are looked at.
    TooLarge,
    /// It is no model for this comparison.
    Passed(&'static str),
}

/// Whether there is a cycle without progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// It was not asked.
    NotAsked,
    /// What we say, and what Spin says.
    Both(bool, bool),
    /// There is no answer, for this reason.
    Unknown(String),
}

/// Whether Spin's verifier puts something into its states that is no part of the processes: where
/// an observer of messages is, and `_last` if a claim asks for it.
fn observed(program: &Program, text: &str) -> bool {
    let claims = || program.claims.iter();
    let of_messages =
        |claim: &Claim| matches!(claim, Claim::Observer { kind: Observer::Trace | Observer::NoTrace, .. });
    claims().any(of_messages) || (claims().next().is_some() && text.contains("_last"))
}

/// Explores a model, and has Spin explore it. `None` stands for a program that the front end
/// rejects.
///
/// # Panics
/// If a run that the exploration reports is none, or Spin or a compiler cannot be started.
#[must_use]
pub fn compare(model: &Model, program: Option<&Program>, extent: Extent) -> Outcome {
    if model.fragment {
        return Outcome::Passed("a fragment");
    }
    let Some(program) = program else { return Outcome::Passed("rejected") };
    if observed(program, &model.text()) {
        return Outcome::Passed("an observer is part of Spin's states");
    }
    let options = Options { claims: Claims::Ignored, ..Options::default() };
    let semantics = match Semantics::new(program, &options) {
        Ok(semantics) => semantics,
        Err(reason) => return Outcome::Refused(reason.to_string()),
    };
    let cycles = extent.cycles && program.claims.is_empty();
    let limits =
        Limits { states: Some(extent.states), violations: 100, progress: cycles, ..Limits::default() };
    let found = match semantics.explore(&limits) {
        Ok(found) => found,
        Err(error) => return Outcome::Refused(format!("the start fails: {error}")),
    };
    replay(&semantics, &found, &model.name);
    if found.completion != Completion::Complete {
        return Outcome::TooLarge;
    }
    let fatal = |kind: &Violation| matches!(kind, Violation::Error(error) if !error.can_go_on());
    if found.violations.iter().any(|(violation, _)| fatal(violation)) {
        return Outcome::Passed("an error behind which Spin goes on in its own way");
    }
    // What it takes to compile is more than what few states take.
    let size = if found.states + found.passed < FEW { Size::Small } else { extent.size };
    let verifier = match Verifier::of(model, size).expect("spin starts") {
        Ok(verifier) => verifier,
        Err(reason) => return Outcome::Uncounted(reason),
    };
    let counts = match verifier.counts().expect("gcc and the verifier start") {
        Ok(counts) => counts,
        Err(reason) => return Outcome::Uncounted(reason),
    };
    let cycles = if cycles { compare_cycles(&found, &verifier) } else { Cycles::NotAsked };
    Outcome::Both(Box::new(found), counts, cycles)
}

/// Every run that is reported is one, and a cycle comes back to where it begins.
fn replay(semantics: &Semantics, found: &Exploration, name: &str) {
    for (violation, run) in &found.violations {
        let replayed = semantics.replay(run);
        assert!(replayed.is_ok(), "{name}: {violation:?}: {replayed:?}");
    }
    if let Progress::Cycle(lasso) = &found.progress {
        let steps = [&lasso.prefix.steps[..], &lasso.cycle.steps].concat();
        let (start, steps) = semantics
            .replay(&explore::Run { steps })
            .unwrap_or_else(|error| panic!("{name}: the cycle is no run: {error}"));
        let first = lasso.prefix.steps.len().checked_sub(1);
        let first = first.map_or(Some(&start), |at| steps[at].after.as_ref());
        let last = steps.last().and_then(|step| step.after.as_ref());
        assert!(first == last && !lasso.cycle.steps.is_empty(), "{name}: the cycle does not come back");
    }
}

fn compare_cycles(found: &Exploration, verifier: &Verifier) -> Cycles {
    let ours = match found.progress {
        Progress::Unknown => return Cycles::Unknown("no answer of ours".into()),
        Progress::Always => false,
        Progress::Cycle(_) => true,
    };
    match verifier.has_cycle().expect("gcc and the verifier start") {
        Ok(spin) => Cycles::Both(ours, spin),
        Err(reason) => Cycles::Unknown(reason),
    }
}

/// What differs in a model that both have looked at.
#[must_use]
pub fn difference(ours: &Exploration, spin: &Counts, cycles: &Cycles) -> Option<String> {
    let both =
        |what: &str, ours: u64, spin: u64| (ours != spin).then(|| format!("{what}: {ours}, Spin {spin}"));
    let whether = |what: &str, ours: bool, spin: bool| both(what, ours.into(), spin.into());
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let states = both("states", number(ours.states), spin.states);
    let wrong = number(ours.errors + ours.invalid_ends);
    // Inside `atomic`, Spin's verifier may come the same way more than once, and we may from
    // different states.
    let (steps, errors) = if ours.passed == 0 {
        let steps = both("steps", number(ours.transitions) + 1, spin.arrivals);
        (steps, both("errors", wrong, spin.errors))
    } else {
        (None, whether("errors", wrong > 0, spin.errors > 0))
    };
    let assertion = Violation::Error(RunError::Assertion);
    let assertion = ours.violations.iter().any(|(violation, _)| *violation == assertion);
    let assertion = whether("a failed assertion", assertion, spin.assertion);
    let end = whether("an invalid end state", ours.invalid_ends > 0, spin.invalid_end);
    let cycle = match cycles {
        Cycles::Both(ours, spin) => whether("a cycle without progress", *ours, *spin),
        Cycles::NotAsked | Cycles::Unknown(_) => None,
    };
    states.or(steps).or(errors).or(assertion).or(end).or(cycle)
}

/// Does something with all items, two at a time: most of the time goes into other programs. Results
/// are in the order of the items.
///
/// # Panics
/// If `work` does.
pub fn two_at_a_time<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    done.lock().expect("nobody panics with it").push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panics with it");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
