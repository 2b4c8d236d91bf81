//! Runs of a system, step by step.
//!
//! A configuration says how many instances are at each state and which messages are in each buffer.
//! A step is a transition, or, where a message passes by rendezvous, a sender's and a receiver's
//! transition at once. Configurations are looked at between steps only; so are bounds.

use std::collections::{HashSet, VecDeque};

use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, DataPlace, Direction, Event, MessageId, StateId, System, Transition};

/// How buffers hand out messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// First in, first out; a transition performs its events in order and waits at each receive.
    Fifo,
    /// In any order; a transition needs no more messages than it takes on balance. The counting
    /// reading, which allows all that message order allows, and more.
    Any,
}

/// Where all instances are, and what is in the buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// Instances at each state.
    instances: Vec<u32>,
    /// Messages in each buffer: first one first, or ascending where order does not matter.
    buffers: Vec<Vec<MessageId>>,
    /// What there is of each data place: as much as transitions say that there may be.
    data: Vec<i64>,
}

impl Configuration {
    /// All instances at their initial states, all buffers empty.
    #[must_use]
    pub fn initial(system: &System) -> Self {
        let mut instances = vec![0; system.states.len()];
        for class in system.classes.values() {
            instances[class.initial.index()] += class.instances;
        }
        let tokens = |place: &DataPlace| i64::try_from(place.initial).unwrap_or(i64::MAX);
        let data = system.data.values().map(tokens).collect();
        Self { instances, buffers: vec![Vec::new(); system.buffers.len()], data }
    }

    /// The number of messages in a buffer.
    #[must_use]
    pub fn load(&self, buffer: BufferId) -> usize {
        self.buffers[buffer.index()].len()
    }

    /// The number of messages in all buffers.
    #[must_use]
    pub fn total_load(&self) -> usize {
        self.buffers.iter().map(Vec::len).sum()
    }

    /// Every configuration that one step leads to.
    #[must_use]
    pub fn successors(&self, system: &System, order: Order) -> Vec<Self> {
        let all = || system.transitions.values();
        let mut successors = Vec::new();
        for first in all() {
            match handed_over(system, first) {
                None => successors.extend(self.fire(system, &[first], order)),
                Some(Event { direction: Direction::Receive, .. }) => {}
                Some(sent) => {
                    let fits = |second: &Transition| {
                        handed_over(system, second).is_some_and(|received| {
                            received.direction == Direction::Receive && received.message == sent.message
                        })
                    };
                    let partners = all().filter(|second| fits(second));
                    successors
                        .extend(partners.filter_map(|second| self.fire(system, &[first, second], order)));
                }
            }
        }
        successors
    }

    fn fire(&self, system: &System, transitions: &[&Transition], order: Order) -> Option<Self> {
        let mut next = self.clone();
        for transition in transitions {
            next.leave(transition.source)?;
        }
        for transition in transitions {
            let stored = transition.events.iter().filter(|event| !system.is_rendezvous(event.message));
            let mut events: Vec<Event> = stored.copied().collect();
            if order == Order::Any {
                events.sort_by_key(|event| event.direction == Direction::Receive);
            }
            for event in events {
                next.perform(system, event, order)?;
            }
            next.instances[transition.target.index()] += 1;
            for change in &transition.data {
                let tokens = &mut next.data[change.place.index()];
                *tokens = tokens.saturating_add(change.change);
            }
            for class in &transition.creates {
                next.instances[system.classes[*class].initial.index()] += 1;
            }
        }
        next.data.iter().all(|tokens| *tokens >= 0).then_some(next)
    }

    fn leave(&mut self, state: StateId) -> Option<()> {
        let instances = &mut self.instances[state.index()];
        *instances = instances.checked_sub(1)?;
        Some(())
    }

    fn perform(&mut self, system: &System, event: Event, order: Order) -> Option<()> {
        let buffer = &mut self.buffers[system.messages[event.message].buffer.index()];
        for _ in 0..event.count {
            match (event.direction, order) {
                (Direction::Send, Order::Fifo) => buffer.push(event.message),
                (Direction::Send, Order::Any) => {
                    let at = buffer.partition_point(|message| *message < event.message);
                    buffer.insert(at, event.message);
                }
                (Direction::Receive, Order::Fifo) if buffer.first() != Some(&event.message) => return None,
                (Direction::Receive, _) => {
                    let at = buffer.iter().position(|message| *message == event.message)?;
                    buffer.remove(at);
                }
            }
        }
        Some(())
    }
}

/// The rendezvous that a transition takes part in.
///
/// # Panics
/// If it does anything besides: what a step is then is not defined here.
fn handed_over(system: &System, transition: &Transition) -> Option<Event> {
    let event = transition.events.iter().find(|event| system.is_rendezvous(event.message))?;
    assert!(transition.events.len() == 1 && event.count == 1, "a rendezvous with company");
    Some(*event)
}

/// What a search has seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The most messages that each buffer held.
    pub most: Vec<usize>,
    /// Whether that was everything there is.
    pub complete: bool,
    /// How many configurations that were.
    pub configurations: usize,
}

/// Looks at up to `limit` configurations, breadth first.
#[must_use]
pub fn explore(system: &System, order: Order, limit: usize) -> Seen {
    let start = Configuration::initial(system);
    let mut most = vec![0; system.buffers.len()];
    let mut known = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut complete = true;
    while let Some(at) = open.pop_front() {
        for (most, buffer) in most.iter_mut().zip(&at.buffers) {
            *most = buffer.len().max(*most);
        }
        for next in at.successors(system, order) {
            if known.contains(&next) {
                continue;
            }
            if known.len() < limit {
                known.insert(next.clone());
                open.push_back(next);
            } else {
                complete = false;
            }
        }
    }
    Seen { most, complete, configurations: known.len() }
}
