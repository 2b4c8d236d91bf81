//! Readings of programs, for the exploration of their states.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Binary, ChannelShape, Expression, Initializer, Place, Program, Variable, VariableId, VariableRef,
};

use super::{Reading, Room};

/// The declared capacities of the global channels of a program, by name; rendezvous channels left
/// out.
#[must_use]
pub fn capacities_of(program: &Program) -> BTreeMap<String, u32> {
    let all =
        program.globals.values().filter_map(|variable| Some((variable.name.clone(), capacity(variable)?)));
    all.filter(|(_, capacity)| *capacity > 0).collect()
}

/// The program in a reading: to be run with capacities as declared. Channels of processes are
/// unlimited, unless `full` asks about a channel of which it is not known which one it is: `None`
/// then.
#[must_use]
pub fn in_reading(program: &Program, reading: &Reading) -> Option<Program> {
    let numbers = Numbers::new(program);
    let mut program = program.clone();
    for (_, ty) in program.types.iter_mut() {
        let edges = ty.edges.iter_mut().flat_map(|(_, edge)| edge.action.expressions_mut());
        for expression in edges.chain(ty.provided.as_mut()) {
            numbers.replace(expression)?;
        }
        ty.locals.iter_mut().for_each(|(_, variable)| give(variable, Room::Unlimited));
    }
    for (_, variable) in program.globals.iter_mut() {
        let room = reading.get(&variable.name).copied().unwrap_or(Room::Unlimited);
        give(variable, room);
    }
    Some(program)
}

fn capacity(variable: &Variable) -> Option<u32> {
    match &variable.init {
        Initializer::NewChannel(shape) => shape.declared(),
        _ => None,
    }
}

fn give(variable: &mut Variable, room: Room) {
    if let Initializer::NewChannel(shape) = &mut variable.init
        && shape.capacity > 0
    {
        shape.capacity = match room {
            Room::Declared => shape.capacity,
            Room::Raised(by) => shape.capacity.saturating_add(by),
            Room::Unlimited => ChannelShape::ANY,
        };
    }
}

/// A global variable that stands for the same channel, or the same array of them, in all runs.
struct Fixed {
    variable: VariableId,
    elements: Option<u32>,
    capacity: u32,
}

/// The numbers that `full` compares with.
struct Numbers {
    fixed: Vec<Fixed>,
    /// The capacity of all channels, if they have the same.
    common: Option<u32>,
    /// Every channel is one of [`fixed`](Self::fixed).
    all_fixed: bool,
}

impl Numbers {
    fn new(program: &Program) -> Self {
        let edges = program.types.values().flat_map(|ty| ty.edges.values());
        let written: BTreeSet<VariableRef> =
            edges.flat_map(|edge| edge.action.targets()).map(|place| place.variable).collect();
        let fixed = program.globals.iter().filter(|(id, _)| !written.contains(&VariableRef::Global(*id)));
        let fixed = fixed.filter_map(|(variable, declared)| {
            Some(Fixed { variable, elements: declared.length, capacity: capacity(declared)? })
        });
        let fixed: Vec<Fixed> = fixed.collect();
        let locals = program.types.values().flat_map(|ty| ty.locals.values());
        let capacities: Vec<u32> = program.globals.values().chain(locals).filter_map(capacity).collect();
        let first = capacities.first().copied();
        let common = first.filter(|first| *first > 0 && capacities.iter().all(|capacity| capacity == first));
        Self { all_fixed: fixed.len() == capacities.len(), fixed, common }
    }

    /// Writes comparisons for all parts of an expression that ask whether a channel is full.
    fn replace(&self, expression: &mut Expression) -> Option<()> {
        for part in expression.children_mut() {
            self.replace(part)?;
        }
        if let Expression::Full(channel) = expression {
            *expression = self.compared(channel)?;
        }
        Some(())
    }

    fn compared(&self, channel: &Expression) -> Option<Expression> {
        if let Expression::Read(Place { variable: VariableRef::Global(variable), .. }) = channel
            && let Some(fixed) = self.fixed.iter().find(|fixed| fixed.variable == *variable)
        {
            return Some(match fixed.capacity {
                0 => Expression::Full(Box::new(channel.clone())),
                capacity => holds(channel, capacity),
            });
        }
        if let Some(common) = self.common {
            return Some(holds(channel, common));
        }
        self.all_fixed.then(|| self.by_cases(channel))
    }

    /// The same with a case for each channel.
    fn by_cases(&self, channel: &Expression) -> Expression {
        let mut all = Expression::Full(Box::new(channel.clone()));
        for fixed in self.fixed.iter().filter(|fixed| fixed.capacity > 0) {
            for element in 0..fixed.elements.unwrap_or(1) {
                let index = fixed.elements.map(|_| Box::new(Expression::Constant(i64::from(element))));
                let queue = Expression::Read(Place { variable: VariableRef::Global(fixed.variable), index });
                let same = Expression::Binary(Binary::Equal, Box::new(channel.clone()), Box::new(queue));
                let then = holds(channel, fixed.capacity);
                all = Expression::Conditional(Box::new(same), Box::new(then), Box::new(all));
            }
        }
        all
    }
}

/// `len(channel) >= number`
fn holds(channel: &Expression, number: u32) -> Expression {
    let length = Expression::Length(Box::new(channel.clone()));
    Expression::Binary(Binary::GreaterEqual, Box::new(length), Box::new(Expression::Constant(number.into())))
}
