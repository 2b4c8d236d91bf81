//! Compiles process types and their statements.

use std::borrow::Cow;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Edge, EdgeId, ProcessType, ProcessTypeId};

use super::Compiler;
use crate::Unsupported;
use crate::code::{Choice, Create, EdgeCode, Receive, Statement, TypeCode};

impl Compiler<'_> {
    /// Compiles a process type. An observer (a claim) gets no edges, since it is not executed.
    pub(super) fn process(
        &mut self,
        id: ProcessTypeId,
        ty: &ProcessType,
        cells: u32,
        observer: bool,
    ) -> Result<TypeCode, Unsupported> {
        let mut by_location: Vec<Vec<(EdgeId, &Edge)>> = vec![Vec::new(); ty.locations.len()];
        if !observer {
            for (edge_id, edge) in ty.edges.iter() {
                by_location[edge.source.index()].push((edge_id, edge));
            }
        }
        let count = |edges: &[EdgeCode]| u32::try_from(edges.len()).map_err(|_| Unsupported::TooLarge);
        let mut edges = Vec::with_capacity(ty.edges.len());
        let (mut choices, mut ranges) = (Vec::new(), Vec::new());
        for all in by_location {
            let first = count(&edges)?;
            for (edge_id, edge) in &all {
                edges.push(self.edge(id, *edge_id, edge)?);
            }
            ranges.push((first, count(&edges)?));
            choices.push(choices_of(&edges[first as usize..], first));
        }
        let (locals, provided) = if observer {
            (Vec::new(), None)
        } else {
            let provided = ty.provided.as_ref().map(|provided| self.expression(Some(id), provided));
            (self.variables(Some(id), &ty.locals)?, provided.transpose()?)
        };
        let progress = marks(&ty.locations, cfsm_core::program::Location::is_progress);
        let ends = marks(&ty.locations, cfsm_core::program::Location::is_end);
        let (entry, exit) = (ty.entry, ty.exit);
        let priority = ty.priority.map_or(1, i32::from);
        Ok(TypeCode {
            locals,
            cells,
            edges,
            choices,
            ranges,
            ends,
            progress,
            entry,
            exit,
            provided,
            priority,
        })
    }

    fn edge(&mut self, owner: ProcessTypeId, id: EdgeId, edge: &Edge) -> Result<EdgeCode, Unsupported> {
        let action = match &self.program.environment {
            Some(environment) => environment.executed(self.program, owner, edge),
            None => Cow::Borrowed(&edge.action),
        };
        self.in_statement = true;
        let statement = self.statement(Some(owner), &action)?;
        self.in_statement = false;
        let Edge { target, hold, rank, d_step, .. } = *edge;
        Ok(EdgeCode { id, statement, target, hold, rank, d_step })
    }

    fn statement(&mut self, owner: Option<ProcessTypeId>, action: &Action) -> Result<Statement, Unsupported> {
        Ok(match action {
            Action::Condition(condition) => Statement::Condition(self.expression(owner, condition)?),
            Action::Else => Statement::Else,
            Action::Assign { target, value } => {
                Statement::Assign(self.target(owner, target)?, self.expression(owner, value)?)
            }
            Action::Send { channel, fields, sorted } => Statement::Send {
                channel: self.expression(owner, channel)?,
                fields: self.expressions(owner, fields)?,
                sorted: *sorted,
            },
            Action::Receive { channel, patterns, random, peek } => Statement::Receive(Receive {
                channel: self.expression(owner, channel)?,
                patterns: self.patterns(owner, patterns)?,
                random: *random,
                peek: *peek,
            }),
            Action::Create { process_type, arguments, priority, result } => Statement::Create(Create {
                process_type: *process_type,
                arguments: self.expressions(owner, arguments)?,
                priority: priority.map_or(1, i32::from),
                result: result.as_ref().map(|result| self.target(owner, result)).transpose()?,
            }),
            Action::Assert(condition) => Statement::Assert(self.expression(owner, condition)?),
            Action::Print { arguments, .. } => Statement::Print(self.expressions(owner, arguments)?),
            Action::SetPriority { process, priority } => {
                Statement::SetPriority(self.expression(owner, process)?, self.expression(owner, priority)?)
            }
            Action::Opaque { text, .. } => return Err(Unsupported::EmbeddedCode(text.clone())),
        })
    }
}

fn marks(
    locations: &IdMap<cfsm_core::program::LocationId, cfsm_core::program::Location>,
    ask: impl Fn(&cfsm_core::program::Location) -> bool,
) -> Vec<bool> {
    locations.values().map(ask).collect()
}

/// Groups the edges of a location into choices: consecutive edges that begin the same `d_step` are
/// one.
fn choices_of(edges: &[EdgeCode], first: u32) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    let mut before: Option<&EdgeCode> = None;
    for (edge, at) in edges.iter().zip(first..) {
        let same = before.is_some_and(|before| {
            edge.d_step.is_some() && before.d_step == edge.d_step && before.rank == edge.rank
        });
        match choices.last_mut() {
            Some(choice) if same => choice.count += 1,
            _ => choices.push(Choice { first: at, count: 1, d_step: edge.d_step.is_some(), rank: edge.rank }),
        }
        before = Some(edge);
    }
    choices
}
