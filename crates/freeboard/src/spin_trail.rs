//! Runs as trails for Spin's simulator.

use std::fmt::Write as _;

use cfsm_core::program::Program;
use cfsm_core::source::Origin;
use promela_front::{NotNumbered, ast};
use report::export::{NoClaim, has_room};
use report::view::WitnessFile;
use thiserror::Error;

use crate::replay::{ReplayFailure, run_of};

/// The reason for which a run has no trail.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NoTrail {
    /// It is no run of the model.
    #[error(transparent)]
    Replay(#[from] ReplayFailure),
    /// It is no run with the declared capacities, or that is not known.
    #[error(transparent)]
    Capacity(#[from] NoClaim),
    /// Spin's numbers of statements are not known.
    #[error("{reason} (line {line}); a never claim (--to never) leads Spin there, too")]
    NotNumbered {
        /// The reason.
        reason: NotNumbered,
        /// The line of the construct; 0 if it is in no file.
        line: u32,
    },
    /// Several statements of a process have the same place.
    #[error(
        "step {step}, `{}` ({}:{}), may be any of several statements, as in an inline or a macro that is used twice; \
         a never claim (--to never) leads Spin there, too",
        place.text, place.file, place.line
    )]
    Ambiguous {
        /// Its number, counted from 1.
        step: usize,
        /// Its place.
        place: Box<Origin>,
    },
}

/// Writes the prefix and the first round of a record as a trail: beside the model, as
/// `MODEL.trail`, it is replayed by `spin -t`. The tree is that of the text that the program was
/// made from. Time linear in the model, beside the time of a replay.
///
/// # Errors
/// If the record is no run of the program with its declared capacities, or if it is not known
/// which numbers Spin gives to its statements.
pub fn spin_trail(program: &Program, model: &ast::Model, record: &WitnessFile) -> Result<String, NoTrail> {
    has_room(&record.witness)?;
    let numbers = promela_front::numbers(model).map_err(|reason| {
        let line = program.sources.line(reason.span);
        NoTrail::NotNumbered { reason, line }
    })?;
    let mut depth = 0;
    let mut trail = String::new();
    let run = run_of(program, record)?;
    for (at, moves) in run.steps.iter().enumerate() {
        // A `d_step` is one step.
        let mut last = None;
        for one in moves {
            let process = &program.types[one.process_type];
            let of_process = numbers.get(&process.name);
            let span = one.edge.map(|edge| process.edges[edge].span);
            let number = of_process.and_then(|numbers| match span {
                Some(span) => numbers.statement(span),
                None => Some(numbers.end()),
            });
            let Some(number) = number else {
                let place = Box::new(program.sources.origin(span.unwrap_or(process.span)));
                return Err(NoTrail::Ambiguous { step: at + 1, place });
            };
            if last.replace((one.process, number)) != Some((one.process, number)) {
                depth += 1;
                let _ = writeln!(trail, "{depth}:{}:{number}", one.process);
            }
        }
    }
    Ok(trail)
}
