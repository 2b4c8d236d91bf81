//! Machines of which an environment uses some channels.

use cfsm_core::clock::Instant;
use std::collections::BTreeSet;

use boundedness::{Component, Contract, OpenSystem};
use cfsm_core::suggest::closest;
use cfsm_core::system::{BufferId, BufferKind, Direction, System, Transition};

use crate::environment_assumption::{AssumptionError, EnvironmentAssumption};
use crate::open::{OpenChannels, OpenError};
use crate::options::Options;

/// The arrow between the ends of a channel in its name: `Client->Server`.
const ARROW: &str = "->";

/// A system some of whose channels an environment uses. It exchanges messages on these by
/// rendezvous, so nothing is said about their lengths.
#[derive(Clone, Debug)]
pub struct OpenMachines {
    system: System,
    open: BTreeSet<BufferId>,
}

impl OpenMachines {
    /// The system with these open channels. A name is that of a channel, or that of a peer that is
    /// no machine: all channels that end there. `auto` stands for those that are only sent to or
    /// only received from.
    ///
    /// # Errors
    /// If a name is none, or a transition exchanges several messages, some of them with the
    /// environment.
    pub fn new(system: &System, channels: &OpenChannels) -> Result<Self, OpenError> {
        let mut open = BTreeSet::new();
        for name in &channels.names {
            let found = named(system, name);
            if found.is_empty() {
                return Err(unknown(system, name));
            }
            open.extend(found);
        }
        if channels.half_used {
            open.extend(half_used(system));
        }
        if open.is_empty() {
            return Err(OpenError::Nothing);
        }
        let mut system = system.clone();
        let is_open =
            |event: &cfsm_core::system::Event| open.contains(&system.messages[event.message].buffer);
        let mixed = |transition: &&Transition| {
            let several =
                transition.events.len() > 1 || transition.events.iter().any(|event| event.count > 1);
            several && transition.events.iter().any(is_open)
        };
        if let Some(transition) = system.transitions.values().find(mixed) {
            let state = system.state_name(transition.source);
            return Err(OpenError::SeveralMessages { state });
        }
        for buffer in &open {
            system.buffers[*buffer].kind = BufferKind::Rendezvous;
            system.buffers[*buffer].in_order = false;
        }
        Ok(Self { system, open })
    }

    /// The system with the most general environment that keeps to assumptions, as one more machine.
    ///
    /// # Errors
    /// If an assumption cannot be made.
    pub fn closed(&self, assumptions: &[EnvironmentAssumption]) -> Result<System, AssumptionError> {
        let open = OpenSystem::new(&self.system, &self.open);
        let assumptions = assumptions.iter().map(|assumption| assumption.of(&self.system, &open));
        Ok(open.with_environment(&assumptions.collect::<Result<Vec<_>, _>>()?))
    }

    /// A contract with the environment under which every buffer is bounded, if one is found.
    #[must_use]
    pub fn contract(&self, options: &Options) -> Option<Contract> {
        OpenSystem::new(&self.system, &self.open).contract(&options.boundedness(Instant::now()))
    }

    /// The component of the system: its clauses, which hold in every environment.
    ///
    /// # Errors
    /// If the system rests on an assumption, or nothing is known at the time limit.
    pub fn component(&self, options: &Options) -> Result<Component, OpenError> {
        if let Some(place) = self.system.data.values().find(|place| place.is_assumed) {
            return Err(OpenError::Assumed { name: place.name.clone() });
        }
        let open = OpenSystem::new(&self.system, &self.open);
        Ok(open.component(&options.boundedness(Instant::now()))?)
    }
}

/// The channels of a name.
fn named(system: &System, name: &str) -> Vec<BufferId> {
    let is_machine = system.classes.values().any(|class| class.name == name);
    let is_meant = |buffer: &str| {
        let ends_there = !is_machine && buffer.split(ARROW).any(|end| end == name);
        buffer == name || ends_there
    };
    let found = system.buffers.iter().filter(|(_, buffer)| is_meant(&buffer.name));
    found.map(|(id, _)| id).collect()
}

fn unknown(system: &System, name: &str) -> OpenError {
    let known = || system.buffers.values().map(|buffer| buffer.name.as_str());
    let is_machine = system.classes.values().any(|class| class.name == name);
    OpenError::NoChannel {
        name: name.to_owned(),
        is_machine,
        closest: closest(name, known()).map(str::to_owned),
        known: known().map(str::to_owned).collect(),
    }
}

/// The queues that are only sent to, or only received from.
fn half_used(system: &System) -> BTreeSet<BufferId> {
    let used = |direction: Direction| -> BTreeSet<BufferId> {
        let events = system.transitions.values().flat_map(|transition| &transition.events);
        let events = events.filter(|event| event.direction == direction);
        events.map(|event| system.messages[event.message].buffer).collect()
    };
    let half: BTreeSet<BufferId> = &used(Direction::Send) ^ &used(Direction::Receive);
    half.into_iter().filter(|buffer| system.buffers[*buffer].kind == BufferKind::Queue).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::formats::{Format, read};

    fn machines() -> System {
        let text = "A: rec x . Env?ask; B!job; B?done; Env!answer; x\nB: rec y . A?job; A!done; y\n";
        read(Format::LocalTypes, "pair.txt", text).system.expect("no errors")
    }

    #[test]
    fn a_peer_that_is_no_machine_is_an_environment() {
        let system = machines();
        for text in ["Env", "auto", "Env->A,A->Env"] {
            let open = OpenMachines::new(&system, &text.parse().unwrap()).unwrap();
            assert_eq!(open.open.len(), 2, "{text}");
            let closed = open.closed(&[]).unwrap();
            assert_eq!(closed.classes.values().last().unwrap().name, "environment");
            assert!(boundedness::check(&closed, &boundedness::Options::default()).verdict.is_proved());
        }
    }

    #[test]
    fn machines_are_no_peers() {
        let error = OpenMachines::new(&machines(), &"A".parse().unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`A` is a machine: name channels of it, or a peer that is none; there are Env->A, A->B, B->A, A->Env"
        );
    }
}
