//! Abstract evaluation of expressions: a value is as reliable as all that it is computed from.

use std::collections::BTreeSet;

use cfsm_core::program::{
    ChannelDeclaration, Expression, Pattern, Place, ProcessTypeId, Type, Variable, VariableRef,
};

use super::state::{Locals, State};
use super::value::{Flags, Value};

/// The variables in reach of an expression: the globals, and the locals of a process.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) state: &'a State<'a>,
    /// The process type, and its locals; `None` for initial values of globals.
    pub(super) process: Option<Process<'a>>,
}

/// A process at a location.
#[derive(Clone, Copy)]
pub(super) struct Process<'a> {
    pub(super) process_type: ProcessTypeId,
    pub(super) locals: &'a Locals,
}

impl Scope<'_> {
    /// The values of an expression. Strict: each variable in it counts, whatever is evaluated.
    pub(super) fn value(&self, expression: &Expression) -> Value {
        match expression {
            _ if self.state.has_code => self.state.anything(),
            Expression::Constant(0) => Value::zero(),
            Expression::Read(place) => self.read(place),
            Expression::Conditional(condition, then, otherwise) => {
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                let flags = then.flags.clone().combined(&otherwise.flags);
                let channels = then.joined(&otherwise).channels;
                Value { flags, channels }.combined(&self.flags(condition))
            }
            Expression::Length(channel) | Expression::Empty(channel) | Expression::Full(channel) => {
                Value::with(self.contents(channel))
            }
            Expression::Poll { channel, patterns, .. } => Value::with(self.poll(channel, patterns)),
            Expression::Timeout | Expression::Opaque(_) => self.state.anything(),
            Expression::Enabled(process) => self.state.anything().combined(&self.flags(process)),
            Expression::RemoteRead { process_type, variable, .. } => {
                let declared = &self.state.program.types[*process_type].locals[*variable];
                let value = content(self.state.anywhere(*process_type, *variable), declared);
                self.with_children(value, expression)
            }
            _ => self.with_children(Value::number(), expression),
        }
    }

    /// The flags of an expression.
    pub(super) fn flags(&self, expression: &Expression) -> Flags {
        self.value(expression).flags
    }

    /// A value that hangs on the immediate subexpressions, too.
    fn with_children(&self, value: Value, expression: &Expression) -> Value {
        expression.children().into_iter().fold(value, |value, child| value.combined(&self.flags(child)))
    }

    /// The content of a variable or of an element.
    fn read(&self, place: &Place) -> Value {
        let value = content(self.cell(place.variable).clone(), self.declared(place.variable));
        place.index.iter().fold(value, |value, index| value.combined(&self.flags(index)))
    }

    /// The flags of a variable, with all elements of an array.
    pub(super) fn cell(&self, variable: VariableRef) -> &Value {
        match (variable, self.process) {
            (VariableRef::Local(local), Some(process)) => &process.locals[local],
            (VariableRef::Global(variable) | VariableRef::Local(variable), _) => {
                &self.state.globals[variable]
            }
        }
    }

    /// The declaration of a variable.
    pub(super) fn declared(&self, variable: VariableRef) -> &Variable {
        match (variable, self.process) {
            (VariableRef::Local(local), Some(process)) => {
                &self.state.program.types[process.process_type].locals[local]
            }
            (VariableRef::Global(variable) | VariableRef::Local(variable), _) => {
                &self.state.program.globals[variable]
            }
        }
    }

    /// The flags of a question for the number of messages in a channel: it hangs on the environment
    /// if the channel is open. Of what is no channel the answer is none of the environment.
    pub(super) fn contents(&self, channel: &Expression) -> Flags {
        let channel = self.value(channel);
        let is_question = !channel.channels.may_be_none();
        let mut flags = if is_question { Flags::default() } else { Flags::reliable() };
        for meant in self.state.channels(&channel) {
            flags.join(&self.of_environment(meant).unwrap_or_else(Flags::reliable));
        }
        flags.combined(&channel.flags)
    }

    /// The flags of a question for a message: as for their number, and on the fields that are
    /// compared, if there is a message.
    pub(super) fn poll(&self, channel: &Expression, patterns: &[Pattern]) -> Flags {
        let mut flags = self.contents(channel);
        let compared = self.compared(channel, patterns);
        flags.sources.extend(compared.sources);
        for pattern in patterns {
            flags =
                pattern.expression().iter().fold(flags, |flags, value| flags.combined(&self.flags(value)));
        }
        flags
    }

    /// The flags of the values that the environment sends to a channel, if it is open.
    pub(super) fn of_environment(&self, channel: ChannelDeclaration) -> Option<Flags> {
        self.state.is_open(channel).then(|| Flags::chaotic(BTreeSet::from([channel.variable])))
    }
}

/// The value of a variable: a number that is not stored as a channel may be that of any channel.
fn content(value: Value, declared: &Variable) -> Value {
    match declared.ty {
        Type::Channel => value,
        _ => Value::with(value.flags),
    }
}
