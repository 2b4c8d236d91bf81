//! Machines: systems that do not come from programs.

use cfsm_core::clock::Instant;
use std::collections::BTreeMap;
use std::sync::Arc;

use boundedness::{BufferVerdict, Outcome, Reason, Verdict};
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::formats::{self, Format, Reading};
use cfsm_core::ids::IdMap;
use cfsm_core::program::Program;
use cfsm_core::system::System;
use refine::{Act, AsDeclared, Confirmation, SeenStates, Strategy, prove_by_configurations};

use crate::analysis::{Failure, NICE_TO_KNOW, Notes, SystemAnalysis, Timings, check_system};
use crate::as_declared::{self, Shown};
use crate::options::{Options, RunLimits, Stage};

/// Configurations that are looked at before witnesses are.
const FEW_CONFIGURATIONS: usize = 1000;
/// Of the states that may be looked at for witnesses, the part that is used to find others once
/// there is one: what is unbounded is so whatever else is.
const FURTHER: usize = 40;

/// Reads machines in a text format; `name` is what diagnostics call the text. Warnings come back
/// with the system.
///
/// # Errors
/// [`Failure::Input`] with all that is wrong with the text.
pub fn read_machines(name: &str, text: &str, format: Format) -> Result<(System, Vec<Diagnostic>), Failure> {
    let Reading { system, diagnostics, sources } = formats::read(format, name, text);
    match system {
        Some(system) => Ok((system, diagnostics)),
        None => Err(Failure::Input { diagnostics, sources }),
    }
}

/// Reads machines in a text format and [checks](check_system) them.
///
/// # Errors
/// [`Failure::Input`] with all that is wrong with the text.
pub fn check_machines(
    name: &str,
    text: &str,
    format: Format,
    options: &Options,
) -> Result<SystemAnalysis, Failure> {
    options.tell(Stage::Reading);
    let (system, _) = read_machines(name, text, format)?;
    check_system(system, options)
}

/// Whether everything is proved, with a number for each buffer: then true maxima are only nice to
/// know.
fn is_known(outcome: &Outcome) -> bool {
    let is_known =
        |buffer: &BufferVerdict| matches!(buffer, BufferVerdict::Bounded { .. } | BufferVerdict::Rendezvous);
    outcome.verdict.is_proved() && outcome.buffers.values().all(is_known)
}

/// Looks at configurations and runs of a system, for what the plain test leaves open. First at few
/// configurations, for most systems have few or no end of them; then for witnesses; then at many.
/// What has no certificate then may have few states.
pub(crate) fn look(
    system: &System,
    outcome: &mut Outcome,
    options: &Options,
    start: Instant,
    timings: &mut Timings,
) -> (Program, Confirmation, Notes) {
    if options.runs == RunLimits::NONE {
        return Default::default();
    }
    let begin = Instant::now();
    let limits = options.limits_of_runs(start);
    let limits = refine::Options { further_states: limits.search_states / FURTHER, ..limits };
    let few = limits.exploration_states.min(FEW_CONFIGURATIONS);
    let few = refine::Options { exploration_states: few, ..limits };
    options.tell(Stage::Listing);
    let mut kept = prove_by_configurations(system, outcome, &BTreeMap::new(), &few);
    let limits = if is_known(outcome) {
        refine::Options {
            exploration_states: limits.exploration_states.min(options.maxima_states.unwrap_or(NICE_TO_KNOW)),
            ..limits
        }
    } else {
        limits
    };
    let (program, mut confirmation) = match system.to_program() {
        Ok(translation) => {
            options.tell(Stage::Searching);
            let confirmation = refine::confirm(&translation.program, &translation, outcome, &limits);
            (translation.program, confirmation)
        }
        Err(reason) => {
            let limit = Some(format!("no run was searched: {reason}"));
            (Program::default(), Confirmation { limit, ..Confirmation::default() })
        }
    };
    kept += prove_by_configurations(system, outcome, &confirmation.unbounded, &limits);
    if system.order.is_none() {
        // Runs take messages in their order: what all of these show need not be so in others.
        confirmation.exhausted = None;
        confirmation.exact.clear();
    }
    if confirmation.contradicts(outcome) {
        *outcome = outcome.clone().contradicted();
    }
    let acts = exhausted(system, outcome, &confirmation, options).into_iter().collect();
    confirmation.states += kept;
    timings.search = begin.elapsed();
    timings.total = start.elapsed();
    (program, confirmation, Notes { acts, tried: Vec::new() })
}

/// Looks at the runs of a system with the declared capacities.
pub(crate) fn look_as_declared(
    system: &System,
    (outcome, confirmation): (&Outcome, &Confirmation),
    options: &Options,
    start: Instant,
) -> AsDeclared {
    // Without an order, runs are some of those that there may be.
    if options.runs == RunLimits::NONE || system.order.is_none() {
        return AsDeclared::default();
    }
    let Ok(translation) = system.to_program() else { return AsDeclared::default() };
    let queues = &IdMap::filled(Some(1), system.buffers.len());
    let shown = Shown { system, outcome, confirmation, queues };
    as_declared::look(&translation.program, &translation, shown, options, start)
}

/// What it is called that all states have been seen, if that decides what certificates leave open.
fn exhausted(
    system: &System,
    outcome: &Outcome,
    confirmation: &Confirmation,
    options: &Options,
) -> Option<Act> {
    let all = confirmation.exhausted.as_ref()?;
    let contradicted = matches!(outcome.verdict, Verdict::Unknown { reason: Reason::Contradicted, .. });
    if outcome.verdict.is_proved() || contradicted || !options.refinement.0.contains(&Strategy::Exhaustion) {
        return None;
    }
    let open = outcome.buffers.values();
    let open =
        open.filter(|verdict| matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown));
    let spurious = outcome.combinations.first().cloned().map(|loops| (Arc::new(system.clone()), loops));
    let seen = SeenStates { states: all.states(), in_sets: all.in_sets() };
    Some(Act::exhaustion(spurious, seen, open.count()))
}
