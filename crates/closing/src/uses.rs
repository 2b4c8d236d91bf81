//! Uses of global channels by the processes of a program.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, ChannelDeclaration, Edge, Expression, Place, Program, VariableId, VariableRef,
};

/// The uses of one global channel, or array of channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// A statement names it as the channel of a send.
    pub(crate) is_sent_to: bool,
    /// A statement names it as the channel of a receive, or asks for its contents.
    pub(crate) is_read: bool,
    /// It is used as a value, so that other statements may use it through a reference; or it is
    /// written, so that its name may stand for another channel.
    pub(crate) escapes: bool,
}

impl Uses {
    /// Returns `true` if a process may receive from it.
    pub(crate) const fn may_be_read(self) -> bool {
        self.is_read || self.escapes
    }

    /// Returns `true` if a process may send to it.
    pub(crate) const fn may_be_sent_to(self) -> bool {
        self.is_sent_to || self.escapes
    }
}

/// The uses of each global of a program. Time linear in the program.
pub(crate) fn of_globals(program: &Program) -> IdMap<VariableId, Uses> {
    let mut uses = IdMap::filled(Uses::default(), program.globals.len());
    for variable in program.globals.values() {
        variable.init.expressions().iter().for_each(|value| in_value(value, &mut uses));
    }
    for process in program.types.values() {
        for local in process.locals.values() {
            local.init.expressions().iter().for_each(|value| in_value(value, &mut uses));
        }
        process.provided.iter().for_each(|condition| in_value(condition, &mut uses));
        process.edges.values().for_each(|edge| in_action(&edge.action, &mut uses));
    }
    uses
}

fn in_action(action: &Action, uses: &mut IdMap<VariableId, Uses>) {
    for place in action.targets() {
        if let VariableRef::Global(variable) = place.variable {
            uses[variable].escapes = true;
        }
    }
    let channel = match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => named(channel),
        _ => None,
    };
    if let Some(place) = channel {
        if let VariableRef::Global(variable) = place.variable {
            match action {
                Action::Send { .. } => uses[variable].is_sent_to = true,
                _ => uses[variable].is_read = true,
            }
        }
        place.index.iter().for_each(|index| in_value(index, uses));
    }
    // The channel comes first.
    let skipped = usize::from(channel.is_some());
    action.expressions().into_iter().skip(skipped).for_each(|value| in_value(value, uses));
}

fn in_value(value: &Expression, uses: &mut IdMap<VariableId, Uses>) {
    match value {
        Expression::Read(Place { variable: VariableRef::Global(variable), .. }) => {
            uses[*variable].escapes = true;
        }
        Expression::Length(channel)
        | Expression::Empty(channel)
        | Expression::Full(channel)
        | Expression::Poll { channel, .. } => {
            if let Some(Place { variable: VariableRef::Global(variable), index }) = named(channel) {
                uses[*variable].is_read = true;
                index.iter().for_each(|index| in_value(index, uses));
                if let Expression::Poll { patterns, .. } = value {
                    let asked = patterns.iter().filter_map(|pattern| pattern.expression());
                    asked.for_each(|value| in_value(value, uses));
                }
                return;
            }
        }
        _ => {}
    }
    value.children().into_iter().for_each(|child| in_value(child, uses));
}

/// The variable that a channel expression reads.
const fn named(channel: &Expression) -> Option<&Place> {
    match channel {
        Expression::Read(place) => Some(place),
        _ => None,
    }
}

/// Returns `true` if the channel of a statement may be open: it is, or it is not known.
pub(crate) fn may_be_open(program: &Program, uses: &IdMap<VariableId, Uses>, channel: &Expression) -> bool {
    match named(channel).map(|place| place.variable) {
        Some(VariableRef::Global(variable)) if !uses[variable].escapes => {
            program.is_open(ChannelDeclaration { owner: None, variable })
        }
        _ => true,
    }
}

/// The channel that a statement sends to or receives from.
pub(crate) const fn channel_of(edge: &Edge) -> Option<&Expression> {
    match &edge.action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => Some(channel),
        _ => None,
    }
}
