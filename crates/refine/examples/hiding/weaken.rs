//! Conditions of which only a part is known.

use std::collections::BTreeSet;

use cfsm_core::program::{
    Binary, Expression, Initializer, Pattern, Place, ProcessTypeId, Program, Unary, VariableId, VariableRef,
};

use super::{Kept, owner};

/// What is known of expressions in a process type: what they ask of variables that are kept, and of
/// queues.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) kept: &'a Kept,
    /// Buffers that are global, no arrays, and never written: to look at them does not go wrong.
    pub(super) buffers: &'a BTreeSet<VariableId>,
    pub(super) process_type: ProcessTypeId,
}

impl Known<'_> {
    /// Whether the value is that in the program, or the expression goes wrong as it does there.
    pub(super) fn is_known(self, expression: &Expression) -> bool {
        !expression.any(&mut |part| match part {
            Expression::Read(place) => !self.keeps(place),
            Expression::Timeout => true,
            _ => false,
        })
    }

    /// Whether the variable of a place is kept.
    pub(super) fn keeps(self, place: &Place) -> bool {
        self.kept.contains(&owner(self.process_type, place.variable))
    }

    /// A condition that holds, and does not go wrong, whenever this one holds.
    pub(super) fn weaker(self, condition: &Expression) -> Expression {
        self.bound(condition, true)
    }

    /// A condition that does not go wrong and holds whenever this one does (`above`), or only when
    /// this one does.
    fn bound(self, condition: &Expression, above: bool) -> Expression {
        let nothing = Expression::Constant(i64::from(above));
        match condition {
            known if self.is_known(known) => {
                if self.may_fail(known) {
                    nothing
                } else {
                    known.clone()
                }
            }
            Expression::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                join(*operator, self.bound(left, above), self.bound(right, above))
            }
            Expression::Unary(Unary::Not, inner) => match self.bound(inner, !above) {
                Expression::Constant(value) => Expression::Constant(i64::from(value == 0)),
                inner => Expression::Unary(Unary::Not, Box::new(inner)),
            },
            // Nobody asks for what is not known: then some message of more may be there.
            Expression::Poll { channel, patterns, random }
                if above && self.is_known(channel) && !self.may_fail_in(channel) =>
            {
                let patterns = patterns.iter().map(|pattern| self.weaker_pattern(pattern)).collect();
                Expression::Poll { channel: channel.clone(), patterns, random: *random }
            }
            _ => nothing,
        }
    }

    /// A pattern of a poll that matches whatever this one does.
    fn weaker_pattern(self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Match(value) if self.is_known(value) && !self.may_fail(value) => pattern.clone(),
            Pattern::Store(_) | Pattern::Any | Pattern::Match(_) => Pattern::Any,
        }
    }

    /// Whether an expression may go wrong, as far as is seen at once.
    fn may_fail(self, expression: &Expression) -> bool {
        expression.any(&mut |part| match part {
            Expression::Constant(_)
            | Expression::Pid
            | Expression::ProcessCount
            | Expression::Unary(..)
            | Expression::Conditional(..) => false,
            Expression::Read(place) => place.index.is_some(),
            Expression::Binary(operator, ..) => {
                matches!(
                    operator,
                    Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight
                )
            }
            Expression::Length(channel) | Expression::Empty(channel) | Expression::Full(channel) => {
                self.may_fail_in(channel)
            }
            Expression::Poll { channel, .. } => self.may_fail_in(channel),
            _ => true,
        })
    }

    /// Whether to look at a channel may go wrong.
    fn may_fail_in(self, channel: &Expression) -> bool {
        let is_sure = |place: &Place| match place.variable {
            VariableRef::Global(id) => place.index.is_none() && self.buffers.contains(&id),
            VariableRef::Local(_) => false,
        };
        !matches!(channel, Expression::Read(place) if is_sure(place))
    }
}

/// Both conditions, or one of them.
fn join(operator: Binary, left: Expression, right: Expression) -> Expression {
    let decides = i64::from(operator == Binary::Or);
    match (
        left.constant().map(|value| i64::from(value != 0)),
        right.constant().map(|value| i64::from(value != 0)),
    ) {
        (Some(one), _) if one == decides => Expression::Constant(decides),
        (_, Some(other)) if other == decides => Expression::Constant(decides),
        (Some(_), _) => right,
        (_, Some(_)) => left,
        _ => Expression::Binary(operator, Box::new(left), Box::new(right)),
    }
}

/// Global channels with room that are no arrays and that no statement writes.
pub fn buffers(program: &Program) -> BTreeSet<VariableId> {
    let mut all: BTreeSet<VariableId> = program
        .globals
        .iter()
        .filter(|(_, variable)| {
            variable.length.is_none()
                && matches!(&variable.init, Initializer::NewChannel(shape) if shape.capacity != 0)
        })
        .map(|(id, _)| id)
        .collect();
    for (ty, process) in program.types.iter() {
        for edge in process.edges.values() {
            for target in edge.action.targets() {
                if let (None, id) = owner(ty, target.variable) {
                    all.remove(&id);
                }
            }
        }
    }
    all
}
