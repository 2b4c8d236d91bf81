//! Converts a result about livelocks to the view.

use certify::Trusted;
use cfsm_core::program::Program;
use cfsm_core::system::System;
use livelock::Fairness::Weak;
use livelock::{Outcome, Reason, Verdict as Decision};
use refine::{Act, LivelockConfirmation};

use super::build::{in_vain, refinement, rejected, statistics, uppercase};
use super::counterexample::counterexample;
use super::trust::{self, Grounds, Searched};
use super::witness::witness;
use super::{Check, Fairness, Property, PropertyResult, SCHEMA, Seconds, Verdict, Witness};

/// The input of a view.
#[derive(Clone, Copy, Debug)]
pub struct LivelockSubject<'a> {
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
    pub runs: Option<LivelockRuns<'a>>,
    /// Wall-clock times.
    pub seconds: Seconds,
}

/// The results of searching runs of a program, with the program.
#[derive(Clone, Copy, Debug)]
pub struct LivelockRuns<'a> {
    /// The program.
    pub program: &'a Program,
    /// The results of the search.
    pub confirmation: &'a LivelockConfirmation,
}

/// The view of a check for livelocks. Time linear in the system and the counterexample.
#[must_use]
pub fn livelock(subject: &LivelockSubject<'_>) -> Check {
    let LivelockSubject { system, outcome, runs, .. } = *subject;
    let counterexample = outcome.combination.as_ref().map(|found| counterexample(system, found));
    let witness = runs.and_then(|LivelockRuns { program, confirmation }| {
        Some(witness(program, confirmation.semantics.as_ref()?, confirmation.witness.as_ref()?))
    });
    let exhausted = trust::searched(subject.refinement).is_some();
    let counterexample = counterexample.filter(|_| !exhausted);
    let (verdict, reason) = match &outcome.verdict {
        Decision::Proved(_) => (Verdict::Proved, None),
        // A run that contradicts a proof indicates a bug, not a livelock.
        Decision::Unknown(reason) if *reason != Reason::Contradicted && exhausted => (Verdict::Proved, None),
        Decision::Unknown(reason) if witness.is_none() || *reason == Reason::Contradicted => {
            (Verdict::Unknown, Some(explain(*reason, subject.runs) + &in_vain(subject.tried)))
        }
        Decision::Unknown(_) => (Verdict::Refuted, None),
        _ => (Verdict::Unknown, None),
    };
    // A proof may cover more runs than were asked for.
    let about_all = outcome.verdict.certificate().is_some_and(|certificate| certificate.is_livelock_free());
    let fairness = (outcome.fairness == Weak && !about_all).then_some(Fairness::Weak);
    let trust = trust(subject, verdict);
    let result = PropertyResult {
        property: Property::Livelock,
        fairness,
        verdict,
        buffers: Vec::new(),
        counterexample: counterexample.clone(),
        counterexamples: counterexample.into_iter().collect(),
        refinement: subject.refinement.iter().map(refinement).collect(),
        notes: notes(subject, fairness, witness.as_ref()),
        witness: witness.clone(),
        witnesses: witness.into_iter().collect(),
        contract: None,
        trust: trust.clone(),
        reason,
    };
    let assumptions = trust::assumptions(subject.assumptions, &trust);
    Check {
        schema: SCHEMA.into(),
        file: subject.file.into(),
        property_results: vec![result],
        assumptions,
        trust,
        approximations: subject.approximations.to_vec(),
        findings: Vec::new(),
        statistics: statistics(system, outcome.listed_cycles, subject.seconds),
    }
}

/// The parts of a verdict on livelocks that no checker repeats.
fn trust(subject: &LivelockSubject<'_>, verdict: Verdict) -> Vec<Trusted> {
    let LivelockSubject { system, outcome, refinement, .. } = *subject;
    let is_searched = verdict == Verdict::Proved && !outcome.verdict.is_proved();
    let search = is_searched.then_some(Searched { buffers: &[] });
    let certificate = outcome.verdict.certificate();
    Grounds { system, certificate, acts: refinement, search }.trust()
}

fn notes(
    subject: &LivelockSubject<'_>,
    fairness: Option<Fairness>,
    witness: Option<&Witness>,
) -> Vec<String> {
    let LivelockSubject { system, outcome, runs, .. } = *subject;
    let mut notes: Vec<String> = runs.map(|runs| unseen(runs.program)).unwrap_or_default();
    notes.extend(outcome.rejected.iter().map(rejected));
    if !system.transitions.values().any(|transition| transition.progress) {
        notes.push(
            "nothing that can be executed is marked as progress, so every infinite run is a livelock".into(),
        );
    }
    if runs.is_some_and(|runs| runs.confirmation.deadlock) {
        notes.push(
            "the model can come to a state in which no process can step and some process may not rest. That is the \
             end of a run, so it is no livelock; `freeboard explore` tells more"
                .into(),
        );
    }
    if witness.is_some_and(|witness| !witness.capacity.is_unbounded()) {
        notes.push(
            "the run is one with the declared capacities, with which a send may have to wait; with larger ones it may not be possible"
                .into(),
        );
    }
    notes.extend(runs.and_then(rests_at_progress));
    if outcome.fairness == Weak && outcome.verdict.is_proved() && fairness.is_none() {
        notes.push("the proof is for all runs: it does not need fairness".into());
    }
    if outcome.verdict.is_proved() && fairness.is_some() {
        notes.push(
            "a run is fair if each process that can step in every state, from some time on, steps again and again (weak \
             fairness, Spin's -f)"
                .into(),
        );
    }
    if runs.is_some_and(|runs| runs.confirmation.unfair) {
        notes.push(
            "some runs without progress go on for ever, but those that were seen are not fair: `--fairness none` shows one"
                .into(),
        );
    }
    notes
}

/// The labels that do not count as progress.
fn unseen(program: &Program) -> Vec<String> {
    let lines = program.sources.lines();
    let labels = program.unseen_progress().into_iter().map(|(ty, location)| {
        let location = &program.types[ty].locations[location];
        let label = location.labels.iter().find(|label| label.starts_with("progress"));
        let origin = lines.origin(location.span);
        format!(
            "the label `{}` ({}:{}) stands in the middle of `atomic` or `d_step`, or where a process may get to \
             while another one is in the middle of `atomic`. Spin does not see it there; so it is not taken for progress",
            label.map_or("", String::as_str),
            origin.file,
            origin.line
        )
    });
    labels.collect()
}

/// A note that Spin reports progress in a run without any: a process rests at a progress label in
/// it, and does not move.
fn rests_at_progress(runs: LivelockRuns<'_>) -> Option<String> {
    let LivelockRuns { program, confirmation } = runs;
    let (semantics, witness) = (confirmation.semantics.as_ref()?, confirmation.witness.as_ref()?);
    let (start, steps) = semantics.replay(witness.prefix()).ok()?;
    let begin = steps.into_iter().last().map_or(Some(start), |step| step.after)?;
    begin.processes().find_map(|process| {
        let ty = &program.types[process.process_type];
        let location = &ty.locations[process.location];
        let label = location.labels.iter().find(|label| label.starts_with("progress"))?;
        let moves = witness.pump().steps.iter().flatten().any(|moved| moved.process == process.number);
        let origin = program.sources.lines().origin(location.span);
        (!moves).then(|| {
            format!(
                "`{}[{}]` rests at the label `{label}` ({}:{}) all that time. Progress is what is executed, so this is none; for Spin's \
                 verifier (`pan -l`) it is progress to stand there, so it reports no such run",
                ty.name, process.number, origin.file, origin.line
            )
        })
    })
}

/// The reason for an unknown verdict, with advice.
fn explain(reason: Reason, runs: Option<LivelockRuns<'_>>) -> String {
    let help = match reason {
        Reason::CanRepeat => {
            "it counts messages by type, and knows of variables and of the order of messages no more than refinement has found; \
             and no process need be treated fairly, unless `--fairness weak` asks for it. If these loops cannot go on for ever, say so where that is seen: \
             a constant in a receive tells types of messages apart, and a counter counts where a guard keeps it within limits in the same step \
             (`atomic { n > 0 -> n-- }`). If they are meant to, a statement in them lacks a label that begins with `progress`"
        }
        Reason::Cases(_) => "that is a limit of the library's options",
        Reason::Rejected | Reason::Contradicted => "this is a bug; please report it with the model",
        Reason::Limit(_) => {
            "nothing was decided until then. Raise the limit; if it is the number of cycles, the flow encoding lists none"
        }
    };
    let searched = runs.and_then(searched);
    format!("{reason}: {help}{}", searched.map(|text| format!(". {text}")).unwrap_or_default())
}

/// The result of a search of runs that found no witness. Where labels were taken for progress that
/// do not count, there may be one.
fn searched(LivelockRuns { program, confirmation }: LivelockRuns<'_>) -> Option<String> {
    match confirmation {
        LivelockConfirmation { limit: Some(limit), .. } => Some(uppercase(limit)),
        LivelockConfirmation { complete: true, witness: None, .. } if program.unseen_progress().is_empty() => {
            Some(
                "All states of the model have been seen, and no run of it goes on for ever without progress, but there is \
                 no certificate that says so"
                    .into(),
            )
        }
        LivelockConfirmation { complete: true, witness: None, .. } => Some(
            "All states of the model have been seen, and each run that goes on for ever comes to labels that begin with \
             `progress` again and again, but not all of these count"
                .into(),
        ),
        LivelockConfirmation { states, witness: None, .. } if *states > 0 => Some(format!(
            "A search of {states} states of the model found no run that goes on for ever without progress; `--max-states` sets how far it goes"
        )),
        _ => None,
    }
}

impl Check {
    /// Combines the results of two checks of one model, in this order.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.property_results.extend(other.property_results);
        for text in other.assumptions {
            if !self.assumptions.contains(&text) {
                self.assumptions.push(text);
            }
        }
        for part in other.trust {
            if !self.trust.contains(&part) {
                self.trust.push(part);
            }
        }
        for text in other.approximations {
            if !self.approximations.contains(&text) {
                self.approximations.push(text);
            }
        }
        self = self.with_findings(other.findings).with_engines(other.statistics.engines);
        self.statistics.cycles = self.statistics.cycles.or(other.statistics.cycles);
        let (mine, others) = (&mut self.statistics.seconds, other.statistics.seconds);
        mine.solve += others.solve;
        mine.refine += others.refine;
        mine.search += others.search;
        mine.total += others.solve + others.refine + others.search;
        self
    }
}
