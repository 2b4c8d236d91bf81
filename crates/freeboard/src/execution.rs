//! One call from a program to a run of it, or to all of its states.

#[cfg(feature = "promela")]
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{Action, Claim, Expression, Location, Program};
use cfsm_core::source::Origin;
use explore::{Buffers, Claims, Limits, Options, Semantics, Unsupported};
use report::view::{self, Exploration, ExplorationSubject, Simulation, SimulationSubject};

use crate::Failure;
#[cfg(feature = "promela")]
use crate::open::{OpenChannels, OpenError};

/// How many violations a search keeps. Of each kind the first one is shown; errors that differ in a
/// number are different violations, and few of them should not hide other kinds.
const VIOLATIONS: usize = 64;

/// Reads a Promela text, without the abstraction; `name` is what diagnostics call it. Warnings come
/// back with the program. Channels that the environment uses are those that comments name.
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Open`] if a comment names no channel.
#[cfg(feature = "promela")]
pub fn read_program(
    name: &str,
    text: &str,
    options: &promela_front::Options,
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    read_open_program(name, text, options, &OpenChannels::default())
}

/// The same, where the environment uses further channels.
///
/// # Errors
/// As [`read_program`].
#[cfg(feature = "promela")]
pub fn read_open_program(
    name: &str,
    text: &str,
    options: &promela_front::Options,
    open: &OpenChannels,
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let read = promela_front::parse(name, text, options);
    let Some(program) = read.program else {
        return Err(Failure::Input { diagnostics: read.diagnostics, sources: read.sources });
    };
    let of_text = OpenChannels::in_comments(name, text, &program).map_err(OpenError::from)?;
    let open = of_text.and(open.clone());
    Ok((open.close(&program, &abstraction::Options::default())?, read.diagnostics))
}

/// The concrete semantics of a program. Claims are left out: see [`claims`].
///
/// # Errors
/// [`Failure::Unsupported`] if the program has something that cannot be run.
pub fn semantics(program: &Program, buffers: Buffers) -> Result<Semantics, Failure> {
    let options = Options { buffers, claims: Claims::Ignored, ..Options::default() };
    Semantics::new(program, &options)
        .map_err(|reason| Failure::Unsupported { place: place(program, &reason).map(Box::new), reason })
}

/// The claims that came with a program, by name: those that its runs are not held against.
#[must_use]
pub fn claims(program: &Program) -> Vec<&str> {
    let name = |claim| match claim {
        &Claim::Observer { process_type, .. } => program.types[process_type].name.as_str(),
        Claim::Ltl { name, .. } => name.as_deref().unwrap_or("ltl"),
    };
    program.claims.iter().map(name).collect()
}

/// A random run of at most `steps` steps, the same for the same seed; `file` is what the user calls
/// the model.
///
/// # Errors
/// [`Failure::Unsupported`] if the program cannot be run, [`Failure::Start`] if it cannot even
/// start.
pub fn simulate_program(
    program: &Program,
    file: &str,
    buffers: Buffers,
    (seed, steps): (u64, usize),
) -> Result<Simulation, Failure> {
    let semantics = semantics(program, buffers)?;
    let start = semantics.initial().map_err(Failure::Start)?;
    let steps = semantics.simulate(seed, steps).map_err(Failure::Start)?;
    let (semantics, start, steps) = (&semantics, &start, &steps);
    Ok(view::simulation(&SimulationSubject { file, program, semantics, start, steps, seed }))
}

/// All states of a program, up to limits; `file` is what the user calls the model.
/// [`Limits::violations`] and [`Limits::progress`] do not matter: cycles without progress are
/// looked for if the program has progress labels.
///
/// # Errors
/// [`Failure::Unsupported`] if the program cannot be run, [`Failure::Start`] if it cannot even
/// start.
pub fn explore_program(
    program: &Program,
    file: &str,
    buffers: Buffers,
    limits: &Limits,
) -> Result<Exploration, Failure> {
    let semantics = semantics(program, buffers)?;
    let limits = Limits { violations: VIOLATIONS, progress: has_progress_labels(program), ..limits.clone() };
    let found = semantics.explore(&limits).map_err(Failure::Start)?;
    Ok(view::exploration(&ExplorationSubject { file, program, semantics: &semantics, found: &found }))
}

/// The first statement that cannot be run, if the reason is in a statement.
fn place(program: &Program, reason: &Unsupported) -> Option<Origin> {
    let wanted = |expression: &Expression| match reason {
        Unsupported::EmbeddedCode(_) => matches!(expression, Expression::Opaque(_)),
        Unsupported::ProgramCounter => matches!(expression, Expression::ProgramCounter(_)),
        _ => false,
    };
    let opaque = |action: &Action| {
        matches!(action, Action::Opaque { .. }) && matches!(reason, Unsupported::EmbeddedCode(_))
    };
    let mut edges = program.types.values().flat_map(|ty| ty.edges.values());
    let edge = edges.find(|edge| {
        opaque(&edge.action)
            || edge.action.expressions().iter().any(|expression| expression.any(&mut |inner| wanted(inner)))
    })?;
    Some(program.sources.origin(edge.span))
}

/// What the user can do about something that cannot be run.
pub(crate) const fn advice(reason: &Unsupported) -> &'static str {
    match reason {
        Unsupported::EmbeddedCode(_) => {
            "say in Promela what it does, or use `check`, which takes it as code that may do anything"
        }
        Unsupported::ProgramCounter => "ask for a label instead: `Type[pid]@label`",
        Unsupported::PriorityRendezvous => {
            "take out the priorities, or give the channels a capacity; Spin's verifier refuses it too"
        }
        Unsupported::Depth(_) | Unsupported::TooLarge => "a smaller model would help",
        Unsupported::Index(_) | Unsupported::Broken(_) => {
            "this is a fault of the front end: please report it"
        }
        Unsupported::Claim(_) => "take it out",
        Unsupported::Limit(_) => "ask for fewer",
    }
}

/// Whether a process of a program has a progress label, so that livelocks are a question.
#[must_use]
pub fn has_progress_labels(program: &Program) -> bool {
    let observer = |claim: &Claim| match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    };
    let observers: Vec<_> = program.claims.iter().filter_map(observer).collect();
    let types = program.types.iter().filter(|(id, _)| !observers.contains(id));
    types.flat_map(|(_, process)| process.locations.values()).any(Location::is_progress)
}
