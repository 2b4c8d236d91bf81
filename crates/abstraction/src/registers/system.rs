//! Classes and channels of a system that represent registers.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::program::{ProcessTypeId, Variable, VariableRef};
use cfsm_core::system::{
    Buffer, BufferKind, Class, ClassId, Direction, Event, MessageType, State, StateId, Transition,
};

use super::{Holder, Register, Registers, Variant};
use crate::counters::declared;
use crate::data::Ground;
use crate::naming::constant_name;
use crate::{Abstraction, Declaration};

impl Registers {
    /// Adds the channels of registers: a rendezvous channel for each, with a message type for each
    /// change.
    pub(crate) fn add_channels(&mut self, ground: Ground<'_>, result: &mut Abstraction) {
        for (number, register) in self.all.iter().enumerate() {
            let (variable, owner) = register.declared(ground);
            let system = &mut result.system;
            let name = register.name(ground);
            let kind = BufferKind::Rendezvous;
            let buffer = system.buffers.push(Buffer { name, kind, declared: None, in_order: false });
            self.buffers.push(buffer);
            result.declarations.push(Declaration {
                process_type: owner,
                variable: register.variable,
                element: register.element,
                owners: BTreeSet::new(),
                queues: None,
            });
            for &change in &register.changes {
                let value = |value| constant_name(ground.program, variable.ty, value);
                let name = match change.before {
                    Some(before) if before == change.behind => format!("== {}", value(before)),
                    Some(before) => format!("{} -> {}", value(before), value(change.behind)),
                    None => format!("= {}", value(change.behind)),
                };
                let message = system.messages.push(MessageType { buffer, name });
                self.messages.insert((number, change), message);
            }
        }
    }

    /// The events by which a variant reads and writes registers.
    pub(crate) fn events<'s>(&'s self, variant: &'s Variant) -> impl Iterator<Item = Event> + 's {
        let messages = variant.changes.iter().map(|change| self.messages[change]);
        messages.map(|message| Event { direction: Direction::Send, message, count: 1 })
    }

    /// Adds the classes of the registers, after all other classes.
    pub(crate) fn add_classes(&self, ground: Ground<'_>, result: &mut Abstraction) {
        let system = &mut result.system;
        for (number, register) in self.all.iter().enumerate() {
            let (variable, _) = register.declared(ground);
            let class = ClassId::new(system.classes.len());
            let state = |value: &i64| {
                let name = constant_name(ground.program, variable.ty, *value);
                let id = system.states.push(State { class, name, always_ready: false });
                (*value, id)
            };
            let states: BTreeMap<i64, StateId> = register.values.iter().map(state).collect();
            let (name, initial) = (register.name(ground), states[&register.initial]);
            result.registers.push(Register {
                class,
                buffer: self.buffers[number],
                owner: register.class,
                variable: match register.class {
                    None => VariableRef::Global(register.variable),
                    Some(_) => VariableRef::Local(register.variable),
                },
                element: register.element,
            });
            system.classes.push(Class { name, instances: 1, initial });
            for (value, &source) in &states {
                let possible =
                    register.changes.iter().filter(|change| change.before.is_none_or(|held| held == *value));
                for change in possible {
                    let message = self.messages[&(number, *change)];
                    system.transitions.push(Transition {
                        source,
                        target: states[&change.behind],
                        events: vec![Event { direction: Direction::Receive, message, count: 1 }],
                        creates: Vec::new(),
                        data: Vec::new(),
                        progress: false,
                        origin: None,
                    });
                    result.statements.push(Vec::new());
                }
            }
        }
    }
}

impl Holder {
    /// The declaration of the variable, and the process type that owns it.
    fn declared<'a>(&self, ground: Ground<'a>) -> (&'a Variable, Option<ProcessTypeId>) {
        let owner = self.class.map(|class| ground.grouping.groups[class].process_type);
        (declared(ground.program, (owner, self.variable)), owner)
    }

    /// The variable's name, with that of its class.
    fn name(&self, ground: Ground<'_>) -> String {
        let (variable, _) = self.declared(ground);
        let name = match self.element {
            Some(element) => variable.element_name(element as usize),
            None => variable.name.clone(),
        };
        self.class.map_or_else(|| name.clone(), |class| format!("{}.{name}", ground.names[class]))
    }
}
