//! Readings of a program: the capacities that channels have when a question is asked.
//!
//! A program declares capacities. A question about it refers to a *reading*, in which each channel
//! is unlimited or limited; a proof for [`Reading::every_combination`] holds in each of them.
//! `docs/soundness/capacities.md` defines the readings and tells which engine proves which.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{
    Action, ChannelShape, Edge, Expression, FixedLimit, Hold, Initializer, Place, ProcessType, ProcessTypeId,
    Program, Variable, VariableId, VariableRef,
};

/// A declaration of channels: a variable, with all elements if it is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChannelDeclaration {
    /// The type whose local the variable is; `None` if it is global.
    pub owner: Option<ProcessTypeId>,
    /// The variable.
    pub variable: VariableId,
}

/// The capacity of a channel in a reading. A rendezvous is one in every reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Unlimited: a send never waits.
    #[default]
    Unlimited,
    /// The declared capacity: a send waits as long as the channel is full.
    Declared,
    /// This capacity, whatever the program declares.
    Size(NonZeroU32),
    /// Unlimited, but a send may wait as soon as the channel holds the declared number of messages:
    /// each test of its executability may have either result. The runs include those in which the
    /// channel is unlimited and those in which it is limited.
    Either,
}

/// A limit for each channel of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The channels whose limits differ from the default.
    pub channels: BTreeMap<ChannelDeclaration, Limit>,
    /// The default limit.
    pub others: Limit,
}

impl Reading {
    /// All channels have the same limit.
    #[must_use]
    pub const fn uniform(limit: Limit) -> Self {
        Self { channels: BTreeMap::new(), others: limit }
    }

    /// A reading with the runs of every reading in which each channel is unlimited or limited as
    /// declared, and possibly more: the waiting of sends is chosen anew each time it matters.
    ///
    /// Only channels whose limit has effects besides waiting sends ([`Program::observable_limits`])
    /// may wait; for the others, a run in which a send waits is one in which the sender has not
    /// moved yet.
    #[must_use]
    pub fn every_combination(program: &Program) -> Self {
        let either = program.observable_limits().into_iter().map(|channel| (channel, Limit::Either));
        Self { channels: either.collect(), others: Limit::Unlimited }
    }

    /// The reading in which these channels are limited as declared, and the others unlimited.
    #[must_use]
    pub fn limited(channels: &BTreeSet<ChannelDeclaration>) -> Self {
        let declared = channels.iter().map(|channel| (*channel, Limit::Declared));
        Self { channels: declared.collect(), others: Limit::Unlimited }
    }

    /// The limit of a channel.
    #[must_use]
    pub fn limit(&self, channel: ChannelDeclaration) -> Limit {
        self.channels.get(&channel).copied().unwrap_or(self.others)
    }
}

impl Program {
    /// All declarations of channels that are not rendezvous.
    #[must_use]
    pub fn buffered_channels(&self) -> BTreeSet<ChannelDeclaration> {
        let globals = self.globals.iter().map(|(variable, content)| (None, variable, content));
        let locals = self.types.iter().flat_map(|(ty, process)| {
            process.locals.iter().map(move |(variable, content)| (Some(ty), variable, content))
        });
        let made = globals.chain(locals).filter(|(_, _, content)| is_buffered(content));
        made.map(|(owner, variable, _)| ChannelDeclaration { owner, variable }).collect()
    }

    /// The declared capacity of a channel; `None` if it is not a channel, or has none.
    #[must_use]
    pub fn declared_capacity(&self, channel: ChannelDeclaration) -> Option<u32> {
        self.channel_shape(channel)?.declared()
    }

    /// The capacity that a channel has in every reading, if there is one.
    #[must_use]
    pub fn fixed_limit(&self, channel: ChannelDeclaration) -> Option<FixedLimit> {
        self.channel_shape(channel)?.limit
    }

    /// Returns `true` for a channel that the environment uses.
    #[must_use]
    pub fn is_open(&self, channel: ChannelDeclaration) -> bool {
        self.channel_shape(channel).is_some_and(|shape| shape.is_open)
    }

    /// The shape of a declared channel; `None` if the declaration creates none.
    #[must_use]
    pub fn channel_shape(&self, channel: ChannelDeclaration) -> Option<&ChannelShape> {
        let variable = match channel.owner {
            None => self.globals.get(channel.variable),
            Some(owner) => self.types.get(owner).and_then(|ty| ty.locals.get(channel.variable)),
        };
        match &variable?.init {
            Initializer::NewChannel(shape) => Some(shape),
            _ => None,
        }
    }

    /// Mutable access to the shape of a declared channel.
    pub fn channel_shape_mut(&mut self, channel: ChannelDeclaration) -> Option<&mut ChannelShape> {
        let variable = match channel.owner {
            None => self.globals.get_mut(channel.variable),
            Some(owner) => self.types.get_mut(owner).and_then(|ty| ty.locals.get_mut(channel.variable)),
        };
        match &mut variable?.init {
            Initializer::NewChannel(shape) => Some(shape),
            _ => None,
        }
    }

    /// The program without fixed limits: its channels are as the text declares them.
    #[must_use]
    pub fn without_fixed_limits(&self) -> Self {
        let mut program = self.clone();
        for channel in self.buffered_channels() {
            if let Some(shape) = program.channel_shape_mut(channel) {
                shape.limit = None;
            }
        }
        program
    }

    /// Returns `true` if a channel expression certainly denotes a channel with the same limit in
    /// every reading: a rendezvous, an open one, or one with a fixed limit.
    fn has_one_limit(
        &self,
        ty: ProcessTypeId,
        channel: &Expression,
        assigned: &BTreeSet<ChannelDeclaration>,
    ) -> bool {
        let named = named(ty, channel).filter(|named| !assigned.contains(named));
        let shape = named.and_then(|named| self.channel_shape(named));
        shape.is_some_and(|shape| shape.capacity == 0 || shape.limit.is_some() || shape.is_open)
    }

    /// The channels whose limits have effects besides waiting sends: a send to them is beside an
    /// `else`, in an escape, or in the middle of an `atomic` or `d_step`. If some statement uses
    /// `timeout` or `enabled`, or priorities are used, these are all channels. Time linear in the
    /// program, apart from channel expressions that cannot be resolved.
    ///
    /// `full` has no such effect: it compares with the declared capacity in every reading.
    #[must_use]
    pub fn observable_limits(&self) -> BTreeSet<ChannelDeclaration> {
        let mut all = self.buffered_channels();
        // These have the same limit in every reading.
        all.retain(|channel| self.fixed_limit(*channel).is_none() && !self.is_open(*channel));
        // Steps of a system are all or nothing, and none depends on the executability of others.
        if self.whole_steps || all.is_empty() {
            return BTreeSet::new();
        }
        if self.asks_for_executability() || self.uses_priorities() {
            return all;
        }
        let assigned = self.assigned_channels();
        let mut observable = BTreeSet::new();
        for (id, ty) in self.types.iter() {
            for edge in ty.edges.values() {
                let Action::Send { channel, .. } = &edge.action else { continue };
                if only_waits(ty, edge) {
                    continue;
                }
                match named(id, channel).filter(|named| all.contains(named) && !assigned.contains(named)) {
                    Some(named) => _ = observable.insert(named),
                    None if self.has_one_limit(id, channel, &assigned) => {}
                    // The expression may denote any channel that was passed on.
                    None => return all,
                }
            }
        }
        observable
    }

    /// Returns `true` if some expression depends on the executability of other processes.
    fn asks_for_executability(&self) -> bool {
        let asks = |expression: &Expression| {
            expression
                .any(&mut |part: &Expression| matches!(part, Expression::Timeout | Expression::Enabled(_)))
        };
        self.any_expression(&asks)
    }

    /// Returns `true` if `is` holds for some expression of the processes or of initial values.
    #[must_use]
    pub fn any_expression(&self, is: &impl Fn(&Expression) -> bool) -> bool {
        let initial = |variable: &Variable| variable.init.expressions().iter().any(is);
        let in_type = |ty: &ProcessType| {
            ty.locals.values().any(initial)
                || ty.provided.as_ref().is_some_and(is)
                || ty.edges.values().any(|edge| edge.action.expressions().iter().any(|part| is(part)))
        };
        self.globals.values().any(initial) || self.types.values().any(in_type)
    }

    /// Channel variables that some statement writes, so that they may denote other queues.
    fn assigned_channels(&self) -> BTreeSet<ChannelDeclaration> {
        let targets = self.types.iter().flat_map(|(ty, process)| {
            let written = process.edges.values().flat_map(|edge| edge.action.targets());
            written.map(move |place| declaration(ty, place))
        });
        targets.collect()
    }
}

fn is_buffered(variable: &Variable) -> bool {
    matches!(&variable.init, Initializer::NewChannel(shape) if shape.capacity != 0)
}

fn declaration(ty: ProcessTypeId, place: &Place) -> ChannelDeclaration {
    match place.variable {
        VariableRef::Global(variable) => ChannelDeclaration { owner: None, variable },
        VariableRef::Local(variable) => ChannelDeclaration { owner: Some(ty), variable },
    }
}

/// The variable that a channel expression reads in a process of a type.
fn named(ty: ProcessTypeId, channel: &Expression) -> Option<ChannelDeclaration> {
    match channel {
        Expression::Read(place) => Some(declaration(ty, place)),
        _ => None,
    }
}

/// Returns `true` if a full channel has no effect at this send except that it waits.
fn only_waits(ty: &ProcessType, send: &Edge) -> bool {
    let beside_else = |edge: &Edge| edge.source == send.source && edge.action == Action::Else;
    let holds_before = |edge: &Edge| edge.target == send.source && edge.hold != Hold::No;
    send.rank == 0
        && send.d_step.is_none()
        && !ty.edges.values().any(|edge| beside_else(edge) || holds_before(edge))
}
