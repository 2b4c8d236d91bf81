//! The conditions of an open program that hang on its environment, in the words of its text.

use std::collections::BTreeSet;

use cfsm_core::program::{Program, VariableId};
use cfsm_core::source::Lines;
use closing::{Cell, ConditionKind, DataFlow, HangingCondition, Interface};
use report::view::{ConditionListing, ConditionRow};

use crate::Failure;
use crate::open::{OpenChannels, OpenProgram};

/// The conditions of an open Promela text that hang on its environment; `name` is what diagnostics
/// call the text. The analysis is that of [`closing::DataFlow`].
///
/// ```
/// use freeboard::{OpenChannels, explain_promela, promela_front::Options};
///
/// let text = "chan in = [2] of { byte };\nactive proctype P() { byte x; in?x;\nx > 3 }";
/// let listing = explain_promela("m.pml", text, &Options::default(), &"in".parse::<OpenChannels>()?)?;
/// let row = &listing.conditions[0];
/// assert_eq!((row.line, row.text.as_str(), row.always), (3, "x > 3", true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Open`] if no channel is open.
pub fn explain_promela(
    name: &str,
    text: &str,
    options: &promela_front::Options,
    open: &OpenChannels,
) -> Result<ConditionListing, Failure> {
    let OpenProgram { program, interface } = OpenProgram::read(name, text, options, open)?;
    Ok(listing(&program, &interface))
}

fn listing(program: &Program, interface: &Interface) -> ConditionListing {
    let lines = program.sources.lines();
    let found = DataFlow::of(program, interface).conditions();
    // Statements that stand once in the text may be several edges.
    let rows: BTreeSet<ConditionRow> =
        found.iter().map(|condition| row(program, &lines, condition)).collect();
    let open = interface.names(program).map(str::to_owned).collect();
    ConditionListing { open, conditions: rows.into_iter().collect() }
}

fn row(program: &Program, lines: &Lines<'_>, condition: &HangingCondition) -> ConditionRow {
    let origin = lines.origin(condition.span);
    let name = |source: &VariableId| program.globals[*source].name.clone();
    let text = if condition.kind == ConditionKind::Provided { "provided".into() } else { origin.text };
    ConditionRow {
        file: origin.file,
        line: origin.line,
        process: program.types[condition.process_type].name.clone(),
        text,
        part: part(program, condition),
        sources: condition.sources.iter().map(name).collect(),
        always: condition.always,
    }
}

/// The part of the statement that hangs on the environment.
fn part(program: &Program, condition: &HangingCondition) -> String {
    let variables: Vec<&str> = condition.variables.iter().map(|cell| variable(program, cell)).collect();
    let variables = variables.join(", ");
    let told = |without: &str| if variables.is_empty() { without.to_owned() } else { variables.clone() };
    match condition.kind {
        ConditionKind::Match if variables.is_empty() => "message".into(),
        ConditionKind::Match => format!("message, {variables}"),
        ConditionKind::Else => told("others"),
        ConditionKind::Channel => format!("channel by {}", told("others")),
        ConditionKind::Index => format!("element by {}", told("others")),
        ConditionKind::Argument => format!("argument {}", told("")).trim_end().to_owned(),
        ConditionKind::Guard
        | ConditionKind::Assertion
        | ConditionKind::Priority
        | ConditionKind::Provided => told("messages"),
    }
}

fn variable<'p>(program: &'p Program, cell: &Cell) -> &'p str {
    match cell.owner {
        Some(owner) => &program.types[owner].locals[cell.variable].name,
        None => &program.globals[cell.variable].name,
    }
}
