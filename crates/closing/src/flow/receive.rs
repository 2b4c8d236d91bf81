//! Messages that a receive may take, and what its patterns compare.

use cfsm_core::program::{Action, ChannelDeclaration, Expression, Pattern, Program, Type};

use super::evaluate::Scope;
use super::state::Statement;
use super::value::{Flags, Value};

impl Scope<'_> {
    /// The flags of the comparison of a message with patterns: it hangs on the fields that are
    /// compared, and on the values that they are compared with. Reliable if nothing is compared.
    pub(super) fn compared(&self, channel: &Expression, patterns: &[Pattern]) -> Flags {
        let fields = self.fields(channel, patterns.len(), &|_, _| true).unwrap_or_default();
        let compared = patterns.iter().zip(fields).filter_map(|(pattern, field)| match pattern {
            Pattern::Match(value) => Some(field.flags.combined(&self.flags(value))),
            Pattern::Store(_) | Pattern::Any => None,
        });
        compared.fold(Flags::reliable(), |all, flags| all.combined(&flags))
    }

    /// The fields of the messages that a receive may take; `None` if nobody sends one that matches.
    pub(super) fn received(&self, channel: &Expression, patterns: &[Pattern]) -> Option<Vec<Value>> {
        if self.state.has_code {
            return Some(vec![self.state.anything(); patterns.len()]);
        }
        let program = self.state.program;
        let matches = |channel, by| may_match(program, channel, by, patterns);
        let fields = self.fields(channel, patterns.len(), &matches)?;
        let by = self.flags(channel);
        Some(fields.into_iter().map(|field| field.combined(&by)).collect())
    }

    /// The fields of the messages in channels that may be meant, of senders that are `wanted`;
    /// `None` if there are no messages.
    fn fields(
        &self,
        channel: &Expression,
        count: usize,
        wanted: &dyn Fn(ChannelDeclaration, Statement) -> bool,
    ) -> Option<Vec<Value>> {
        let mut all: Option<Vec<Value>> = None;
        let mut add = |message: &dyn Fn(usize) -> Value| {
            let all = all.get_or_insert_with(|| vec![Value::default(); count]);
            for (position, field) in all.iter_mut().enumerate() {
                field.join(&message(position));
            }
        };
        for meant in self.state.channels(&self.value(channel)) {
            if let Some(flags) = self.of_environment(meant) {
                add(&|_| Value::with(flags.clone()));
            }
            for (_, fields) in self.state.sent(meant).filter(|(by, _)| wanted(meant, *by)) {
                // What a message lacks is 0.
                add(&|position| fields.get(position).cloned().unwrap_or_else(Value::zero));
            }
        }
        all
    }
}

/// Returns `true` unless a constant that a statement sends differs from the one that a receive
/// waits for in the same field.
fn may_match(program: &Program, channel: ChannelDeclaration, by: Statement, patterns: &[Pattern]) -> bool {
    let Action::Send { fields, .. } = &program.types[by.process_type].edges[by.edge].action else {
        return true;
    };
    let types = program.channel_shape(channel).map_or(&[][..], |shape| &shape.fields);
    let mut compared = fields.iter().zip(patterns).zip(types);
    compared.all(|((field, pattern), ty)| may_be_equal(field, pattern, *ty))
}

fn may_be_equal(field: &Expression, pattern: &Pattern, ty: Type) -> bool {
    let wanted = match pattern {
        Pattern::Match(value) => value.constant(),
        Pattern::Store(_) | Pattern::Any => None,
    };
    match (field.constant(), wanted) {
        (Some(sent), Some(wanted)) => ty.wrap(sent) == ty.wrap(wanted),
        _ => true,
    }
}
