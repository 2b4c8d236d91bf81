//! Values and taints of expressions.

use cfsm_core::program::{
    Binary, ChannelDeclaration, Expression, Pattern, Place, ProcessTypeId, Unary, VariableRef,
};

use super::{Data, Run, Taint};

/// Values that the scheduler answers with are below.
const ANSWERS: usize = 3;

impl Run<'_> {
    /// The value of an expression; `None` if there is none: an element beside an array, a division
    /// by 0, a channel that does not exist.
    pub(super) fn value(&self, process: Option<usize>, expression: &Expression) -> Option<i64> {
        let value = |part: &Expression| self.value(process, part);
        Some(match expression {
            Expression::Constant(value) => *value,
            Expression::Read(place) => self.element(process, place)?.value,
            Expression::Unary(operator, operand) => unary(*operator, value(operand)?),
            Expression::Binary(Binary::And, left, right) => (value(left)? != 0 && value(right)? != 0).into(),
            Expression::Binary(Binary::Or, left, right) => (value(left)? != 0 || value(right)? != 0).into(),
            Expression::Binary(operator, left, right) => binary(*operator, value(left)?, value(right)?)?,
            Expression::Conditional(condition, then, otherwise) => {
                value(if value(condition)? == 0 { otherwise } else { then })?
            }
            Expression::Length(channel) => self.queues[self.queue(value(channel)?)?].messages.len() as i64,
            Expression::Empty(channel) => {
                self.queues[self.queue(value(channel)?)?].messages.is_empty().into()
            }
            Expression::Full(channel) => {
                let queue = &self.queues[self.queue(value(channel)?)?];
                (queue.messages.len() >= queue.room).into()
            }
            Expression::Poll { channel, patterns, random } => {
                let queue = self.queue(value(channel)?)?;
                self.first_match(process, queue, patterns, *random).is_some().into()
            }
            Expression::Pid => process? as i64,
            Expression::RemoteRead { process_type, variable, index, .. } => {
                let other = self.some_process(*process_type)?;
                let index = index.as_deref().map_or(Some(0), value)?;
                self.processes[other].locals[*variable].get(usize::try_from(index).ok()?)?.value
            }
            _ => self.draw(ANSWERS) as i64,
        })
    }

    /// The taint of an expression.
    pub(super) fn taint(&self, process: Option<usize>, expression: &Expression) -> Taint {
        let mut taint = match expression {
            // Where there is no such element, each of them counts.
            Expression::Read(place) => match self.element(process, place) {
                Some(data) => data.taint.clone(),
                None => union(self.cells(process, place.variable).iter().map(|data| &data.taint)),
            },
            Expression::Length(channel) | Expression::Empty(channel) | Expression::Full(channel) => {
                self.contents(process, channel)
            }
            Expression::Poll { channel, patterns, random } => {
                let queue = self.value(process, channel).and_then(|channel| self.queue(channel));
                let seen = if *random { usize::MAX } else { 1 };
                let compared = queue.map(|queue| self.compared(queue, patterns, seen)).unwrap_or_default();
                &self.contents(process, channel) | &compared
            }
            Expression::RemoteRead { process_type, variable, .. } => {
                let other = self.some_process(*process_type).map(|other| &self.processes[other]);
                let cells = other.into_iter().flat_map(|other| &other.locals[*variable]);
                // Of one element at least; of which does not matter.
                cells.last().map(|data| data.taint.clone()).unwrap_or_default()
            }
            // Nothing is claimed of these.
            Expression::Timeout | Expression::Enabled(_) | Expression::Opaque(_) if self.draw(2) == 0 => {
                self.open.clone()
            }
            _ => Taint::new(),
        };
        for child in expression.children() {
            taint.extend(self.taint(process, child));
        }
        taint
    }

    /// The taint of the number of messages in a channel.
    fn contents(&self, process: Option<usize>, channel: &Expression) -> Taint {
        let asked: Vec<i64> = match (self.value(process, channel), channel) {
            (Some(channel), _) => vec![channel],
            (None, Expression::Read(place)) => {
                self.cells(process, place.variable).iter().map(|data| data.value).collect()
            }
            _ => Vec::new(),
        };
        let queues = asked.into_iter().filter_map(|channel| self.queue(channel));
        let sources: Vec<Taint> =
            queues.filter_map(|queue| self.source(self.queues[queue].declaration)).collect();
        union(sources.iter())
    }

    /// The taint of what comes from an open channel.
    pub(super) fn source(&self, declaration: ChannelDeclaration) -> Option<Taint> {
        let is_open = declaration.owner.is_none() && self.open.contains(&declaration.variable);
        is_open.then(|| Taint::from([declaration.variable]))
    }

    /// The taint of the fields that patterns compare, of the first messages.
    pub(super) fn compared(&self, queue: usize, patterns: &[Pattern], messages: usize) -> Taint {
        let seen = self.queues[queue].messages.iter().take(messages);
        let fields = seen.flat_map(|message| message.iter().zip(patterns));
        let compared = fields.filter(|(_, pattern)| matches!(pattern, Pattern::Match(_)));
        compared.flat_map(|(field, _)| field.taint.iter().copied()).collect()
    }

    /// The position of the message that a receive takes.
    pub(super) fn first_match(
        &self,
        process: Option<usize>,
        queue: usize,
        patterns: &[Pattern],
        random: bool,
    ) -> Option<usize> {
        let matches = |message: &Vec<Data>| {
            message.iter().zip(patterns).all(|(field, pattern)| match pattern {
                Pattern::Match(value) => self.value(process, value) == Some(field.value),
                Pattern::Store(_) | Pattern::Any => true,
            })
        };
        let seen = if random { usize::MAX } else { 1 };
        self.queues[queue].messages.iter().take(seen).position(matches)
    }

    /// The element that a place denotes, if there is one.
    fn element(&self, process: Option<usize>, place: &Place) -> Option<&Data> {
        let index = place.index.as_deref().map_or(Some(0), |index| self.value(process, index))?;
        self.cells(process, place.variable).get(usize::try_from(index).ok()?)
    }

    /// The elements of a variable.
    fn cells(&self, process: Option<usize>, variable: VariableRef) -> &[Data] {
        match (variable, process) {
            (VariableRef::Local(local), Some(process)) => &self.processes[process].locals[local],
            (VariableRef::Local(variable) | VariableRef::Global(variable), _) => &self.globals[variable],
        }
    }

    fn some_process(&self, process_type: ProcessTypeId) -> Option<usize> {
        self.processes.iter().position(|process| process.process_type == process_type)
    }
}

fn union<'t>(taints: impl Iterator<Item = &'t Taint>) -> Taint {
    taints.flatten().copied().collect()
}

fn unary(operator: Unary, value: i64) -> i64 {
    match operator {
        Unary::Negate => value.wrapping_neg(),
        Unary::Not => (value == 0).into(),
        Unary::Complement => !value,
    }
}

fn binary(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).ok().filter(|bits| *bits < 32);
    Some(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder => left.checked_rem(right)?,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => left.wrapping_shl(shift?),
        Binary::ShiftRight => left.wrapping_shr(shift?),
        Binary::Equal => (left == right).into(),
        Binary::NotEqual => (left != right).into(),
        Binary::Less => (left < right).into(),
        Binary::LessEqual => (left <= right).into(),
        Binary::Greater => (left > right).into(),
        Binary::GreaterEqual => (left >= right).into(),
        Binary::And => (left != 0 && right != 0).into(),
        Binary::Or => (left != 0 || right != 0).into(),
    })
}
