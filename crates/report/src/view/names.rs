//! Names of channels and values in a run, as a user would write them.

use std::collections::BTreeMap;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    ChannelDeclaration, ChannelShape, Initializer, ProcessTypeId, Program, Type, Variable, VariableId,
};
use explore::{QueueOrigin, Semantics, State};

/// The variables of a scope: the globals, or the locals of a process type.
fn scope(program: &Program, owner: Option<ProcessTypeId>) -> &IdMap<VariableId, Variable> {
    owner.map_or(&program.globals, |owner| &program.types[owner].locals)
}

/// The declared capacity and message format of a queue.
pub(super) fn shape<'p>(program: &'p Program, origin: &QueueOrigin) -> Option<&'p ChannelShape> {
    match &scope(program, origin.process.map(|(_, ty)| ty))[origin.variable].init {
        Initializer::NewChannel(shape) => Some(shape),
        _ => None,
    }
}

/// The name of a queue: `AB`, `AB[2]`, `Client[3].reply`, `Client[3].reply[1]`, as in the
/// abstraction. (Channels are created at the beginning of a process, so no two of one process have
/// the same name.)
pub(super) fn queue(program: &Program, origin: &QueueOrigin) -> String {
    let variable = &scope(program, origin.process.map(|(_, ty)| ty))[origin.variable];
    let owner = origin.process.map(|(pid, ty)| format!("{}[{pid}].", program.types[ty].name));
    format!("{}{}", owner.unwrap_or_default(), variable.element_name(origin.element))
}

/// The name of a channel given by its number, according to the first of the states that has it;
/// otherwise the number.
pub(super) fn channel(program: &Program, semantics: &Semantics, states: &[&State], number: usize) -> String {
    let mut origins = states.iter().filter_map(|state| semantics.queue_origin(state, number));
    origins.next().map_or_else(|| number.to_string(), |origin| queue(program, &origin))
}

/// A value in a message.
pub(super) fn value(
    program: &Program,
    semantics: &Semantics,
    states: &[&State],
    ty: Option<Type>,
    value: i64,
) -> String {
    match (ty, usize::try_from(value)) {
        (Some(Type::Channel), Ok(number)) => channel(program, semantics, states, number),
        (Some(ty), _) => program.constant_name(ty, value),
        (None, _) => value.to_string(),
    }
}

/// The name of a declaration of channels: `data`, or `Client.reply` for a local of a process type.
#[must_use]
pub fn declared_channel(program: &Program, channel: ChannelDeclaration) -> String {
    let name = &scope(program, channel.owner)[channel.variable].name;
    match channel.owner {
        None => name.clone(),
        Some(owner) => format!("{}.{name}", program.types[owner].name),
    }
}

/// All channels of a program except rendezvous channels, by name.
#[must_use]
pub fn declared_channels(program: &Program) -> BTreeMap<String, ChannelDeclaration> {
    let channels = program.buffered_channels().into_iter();
    channels.map(|channel| (declared_channel(program, channel), channel)).collect()
}
