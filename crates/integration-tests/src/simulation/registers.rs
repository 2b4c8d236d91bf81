//! What a step does to what registers hold.

use abstraction::Register;
use cfsm_core::program::{Program, VariableRef};
use cfsm_core::system::{Direction, Event, System, TransitionId};
use explore::State;

use super::data::Measure;

/// The events of a transition that are not about registers.
pub fn others<'a>(
    registers: &'a [Register],
    system: &'a System,
    id: TransitionId,
) -> impl Iterator<Item = &'a Event> + 'a {
    system.transitions[id].events.iter().filter(move |event| {
        let buffer = system.messages[event.message].buffer;
        registers.iter().all(|register| register.buffer != buffer)
    })
}

impl Measure<'_> {
    /// Whether a transition says of each register what a process has done to it, and of no other
    /// one that it would have changed.
    #[must_use]
    pub fn tells_registers(&self, program: &Program, id: TransitionId, process: usize) -> bool {
        let abstraction = self.abstraction;
        let class = abstraction.system.class_of(id);
        abstraction.registers.iter().all(|register| {
            if register.owner.is_some_and(|owner| owner != class) {
                return !self.meets(id, register).any(|_| true);
            }
            let Some([before, behind]) = self.held(program, register, process) else { return true };
            let mut met = self.meets(id, register).peekable();
            if met.peek().is_none() {
                return before == behind;
            }
            met.all(|event| self.may(register, event, [&before, &behind]))
        })
    }

    /// The events by which a transition meets a register.
    fn meets<'s>(&'s self, id: TransitionId, register: &'s Register) -> impl Iterator<Item = &'s Event> + 's {
        let system = &self.abstraction.system;
        let events = system.transitions[id].events.iter();
        events.filter(|event| system.messages[event.message].buffer == register.buffer)
    }

    /// What the variable holds before and behind the step, as its register calls it.
    pub fn held(&self, program: &Program, register: &Register, process: usize) -> Option<[String; 2]> {
        let ty = match (register.variable, register.owner) {
            (VariableRef::Global(id), _) => program.globals[id].ty,
            (VariableRef::Local(id), owner) => {
                program.types[self.abstraction.process_types[owner?]].locals[id].ty
            }
        };
        let named = |value| program.constant_name(ty, value);
        let element = register.element.unwrap_or_default() as usize;
        let value = |state: &State| match register.variable {
            VariableRef::Global(id) => self.semantics.global(state, id, element),
            VariableRef::Local(id) => self.semantics.local(state, process, id, element),
        };
        Some([named(value(self.before)?), named(value(self.after)?)])
    }

    /// Whether the register has a transition for an event that leads from one value to another one.
    fn may(&self, register: &Register, event: &Event, [before, behind]: [&str; 2]) -> bool {
        let system = &self.abstraction.system;
        let mut own =
            system.transitions.values().filter(|own| system.states[own.source].class == register.class);
        event.direction == Direction::Send
            && event.count == 1
            && own.any(|own| {
                own.events
                    .iter()
                    .any(|other| other.message == event.message && other.direction == Direction::Receive)
                    && [own.source, own.target].map(|state| system.states[state].name.as_str())
                        == [before, behind]
            })
    }
}
