//! States of the analysis: the abstract values of all variables, and of all messages that are sent.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, ChannelDeclaration, EdgeId, Initializer, LocationId, ProcessType, ProcessTypeId, Program,
    Variable, VariableId,
};

use super::value::{Flags, References, Value};

/// The abstract values of the local variables of a process.
pub(super) type Locals = IdMap<VariableId, Value>;

/// A statement: an edge of a process type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Statement {
    pub(super) process_type: ProcessTypeId,
    pub(super) edge: EdgeId,
}

/// Abstract values of a program: those of locals at each location, of globals and of messages
/// everywhere. All of them only grow.
#[derive(Clone, Debug)]
pub(super) struct State<'p> {
    pub(super) program: &'p Program,
    /// The open channels.
    pub(super) open: BTreeSet<VariableId>,
    /// All declarations of channels.
    declared: Vec<ChannelDeclaration>,
    /// `true` if code in another language may write any variable.
    pub(super) has_code: bool,
    pub(super) globals: IdMap<VariableId, Value>,
    /// The locals of a process at each location; `None` where no process arrives.
    pub(super) locals: IdMap<ProcessTypeId, IdMap<LocationId, Option<Locals>>>,
    /// The fields of the messages of each channel, by the statement that sends them.
    pub(super) messages: BTreeMap<ChannelDeclaration, BTreeMap<Statement, Vec<Value>>>,
}

impl<'p> State<'p> {
    /// The state in which nothing is reached.
    pub(super) fn new(program: &'p Program, open: &BTreeSet<VariableId>) -> Self {
        let unreached = |process: &ProcessType| IdMap::filled(None, process.locations.len());
        Self {
            program,
            open: open.clone(),
            declared: declarations(program),
            has_code: has_code(program),
            globals: IdMap::filled(Value::default(), program.globals.len()),
            locals: program.types.values().map(unreached).collect(),
            messages: BTreeMap::new(),
        }
    }

    /// A value of which nothing is known.
    pub(super) fn anything(&self) -> Value {
        Value::with(self.any_flags())
    }

    /// The flags of a value of which nothing is known.
    pub(super) fn any_flags(&self) -> Flags {
        Flags { may_be_reliable: true, sources: self.open.clone() }
    }

    /// The channels that a value may refer to, by their declarations.
    pub(super) fn channels<'a>(
        &'a self,
        value: &'a Value,
    ) -> Box<dyn Iterator<Item = ChannelDeclaration> + 'a> {
        match &value.channels {
            References::Of(known) => Box::new(known.iter().copied().flatten()),
            References::Any => Box::new(self.declared.iter().copied()),
        }
    }

    /// Returns `true` for an open channel.
    pub(super) fn is_open(&self, channel: ChannelDeclaration) -> bool {
        channel.owner.is_none() && self.open.contains(&channel.variable)
    }

    /// The statements that send to a channel, each with the fields of its messages.
    pub(super) fn sent(
        &self,
        channel: ChannelDeclaration,
    ) -> impl Iterator<Item = (Statement, &Vec<Value>)> + use<'_, 'p> {
        let by_statement = self.messages.get(&channel).into_iter().flatten();
        by_statement.map(|(statement, fields)| (*statement, fields))
    }

    /// Adds messages to a channel; returns `true` if some are new.
    pub(super) fn send(&mut self, channel: ChannelDeclaration, by: Statement, fields: &[Value]) -> bool {
        let of_channel = self.messages.entry(channel).or_default();
        let is_new = !of_channel.contains_key(&by);
        let known = of_channel.entry(by).or_insert_with(|| vec![Value::default(); fields.len()]);
        let mut grows = is_new;
        for (known, field) in known.iter_mut().zip(fields) {
            grows |= known.join(field);
        }
        grows
    }

    /// A process arrives at a location; returns `true` if it may have other values than others that
    /// did.
    pub(super) fn arrive(&mut self, process_type: ProcessTypeId, at: LocationId, with: &Locals) -> bool {
        let Some(known) = &mut self.locals[process_type][at] else {
            self.locals[process_type][at] = Some(with.clone());
            return true;
        };
        let mut grows = false;
        for (variable, value) in with.iter() {
            grows |= known[variable].join(value);
        }
        grows
    }

    /// The values of a local variable at all locations.
    pub(super) fn anywhere(&self, process_type: ProcessTypeId, variable: VariableId) -> Value {
        let reached = self.locals[process_type].values().flatten();
        reached.fold(Value::zero(), |all, locals| all.joined(&locals[variable]))
    }
}

/// All declarations of channels of a program.
fn declarations(program: &Program) -> Vec<ChannelDeclaration> {
    let made = |variable: &Variable| matches!(variable.init, Initializer::NewChannel(_));
    let of_program = program.globals.iter().filter(|(_, variable)| made(variable));
    let of_program = of_program.map(|(variable, _)| ChannelDeclaration { owner: None, variable });
    let of_types = program.types.iter().flat_map(|(owner, process)| {
        let own = process.locals.iter().filter(|(_, variable)| made(variable));
        own.map(move |(variable, _)| ChannelDeclaration { owner: Some(owner), variable })
    });
    of_program.chain(of_types).collect()
}

/// Returns `true` if there is a statement in another language.
fn has_code(program: &Program) -> bool {
    let mut edges = program.types.values().flat_map(|process| process.edges.values());
    edges.any(|edge| matches!(edge.action, Action::Opaque { .. }))
}

/// The parameters of a type.
pub(super) fn parameters(process: &ProcessType) -> impl Iterator<Item = VariableId> + use<> {
    (0..process.parameters).map(VariableId::new)
}
