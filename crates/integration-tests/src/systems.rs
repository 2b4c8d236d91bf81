//! Random systems in which buffers fill and do not grow.
//!
//! Most systems drawn at random grow everywhere, or do nothing. Here each place is given a weight,
//! and every transition has to balance its account: what raises the weighted sum of all tokens is
//! paid for by messages received, and what is left over is mostly spent on messages sent. So
//! buffers have bounds, and the bounds are not 0. A few transitions are left as they are, so that
//! some buffers grow after all.

use cfsm_core::ids::Id;
use cfsm_core::system::{DataChange, DataPlace, Direction, Event, MessageId, System, Transition};
use cfsm_core::testing::{SystemShape, systems};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// What is done about a transition.
#[derive(Clone, Debug)]
struct Plan {
    /// Nothing.
    wild: bool,
    /// Whether what is left over is spent.
    spends: bool,
    /// The messages to pay with, and to spend on.
    messages: [Index; 2],
}

/// What places weigh.
#[derive(Clone, Debug)]
struct Weights {
    /// Of stored messages: positive.
    queues: Vec<i64>,
    /// Of messages handed over: any sign.
    rendezvous: Vec<i64>,
    /// Of states; most in initial ones.
    states: Vec<i64>,
}

/// The same systems with up to three data places, which up to eight transitions change.
pub fn with_data(systems: impl Strategy<Value = System>) -> impl Strategy<Value = System> {
    let changes = vec((any::<Index>(), any::<Index>(), -3..=3_i64), 0..8);
    (systems, vec(0..6_u64, 1..=3), changes).prop_map(|(mut system, places, changes)| {
        for (number, initial) in places.iter().enumerate() {
            system.data.push(DataPlace::new(format!("d{number}"), *initial));
        }
        for (transition, place, change) in changes {
            if system.transitions.is_empty() {
                continue;
            }
            let transition = Id::new(transition.index(system.transitions.len()));
            let place = Id::new(place.index(places.len()));
            let data = &mut system.transitions[transition].data;
            if data.iter().all(|known| known.place != place) {
                data.push(DataChange { place, change });
            }
        }
        system
    })
}

/// Random systems of a shape, tamed.
///
/// # Panics
/// When a case is drawn, if the shape allows more than 8 message types, 16 states or 24
/// transitions.
pub fn tamed(shape: SystemShape) -> impl Strategy<Value = System> {
    let weights = (vec(1..=3_i64, 8), vec(-2..=2_i64, 8), vec(0..=6_i64, 16));
    let weights = weights.prop_map(|(queues, rendezvous, states)| Weights { queues, rendezvous, states });
    let chance = prop::bool::weighted;
    let plan = (chance(0.04), chance(0.8), any::<[Index; 2]>());
    let plan = plan.prop_map(|(wild, spends, messages)| Plan { wild, spends, messages });
    (systems(shape), weights, vec(plan, 24)).prop_map(|(mut system, mut weights, plans)| {
        let original = system.clone();
        for class in system.classes.values() {
            weights.states[class.initial.index()] += 6;
        }
        for (id, transition) in system.transitions.iter_mut() {
            let plan = &plans[id.index()];
            if !plan.wild {
                weights.balance(&original, plan, transition);
            }
        }
        system
    })
}

impl Weights {
    /// What an event adds.
    fn of_event(&self, system: &System, event: &Event) -> i64 {
        let at = event.message.index();
        let weight = if system.is_rendezvous(event.message) { self.rendezvous[at] } else { self.queues[at] };
        let sign = if event.direction == Direction::Send { 1 } else { -1 };
        sign * weight * i64::from(event.count)
    }

    fn rise(&self, system: &System, transition: &Transition) -> i64 {
        let messages: i64 = transition.events.iter().map(|event| self.of_event(system, event)).sum();
        let created = transition.creates.iter().map(|class| system.classes[*class].initial.index());
        let created: i64 = created.map(|state| self.states[state]).sum();
        messages + created + self.states[transition.target.index()] - self.states[transition.source.index()]
    }

    fn balance(&self, system: &System, plan: &Plan, transition: &mut Transition) {
        let stored: Vec<MessageId> = system.messages.ids().filter(|id| !system.is_rendezvous(*id)).collect();
        let hands_over = |transition: &Transition| {
            transition.events.iter().any(|event| system.is_rendezvous(event.message))
        };
        if hands_over(transition) && self.rise(system, transition) > 0 {
            // A rendezvous has no company that could pay.
            transition.events.clear();
        }
        let rise = self.rise(system, transition);
        if rise > 0 && stored.is_empty() {
            transition.creates.clear();
            transition.target = transition.source;
        } else if rise > 0 {
            let message = *plan.messages[0].get(&stored);
            let count = rise.unsigned_abs().div_ceil(self.queues[message.index()].unsigned_abs());
            let count = u32::try_from(count).expect("weights are small");
            transition.events.insert(0, Event { direction: Direction::Receive, message, count });
        }
        if plan.spends && !stored.is_empty() && !hands_over(transition) {
            let message = *plan.messages[1].get(&stored);
            let count = -self.rise(system, transition) / self.queues[message.index()];
            let count = u32::try_from(count).expect("what rises has been paid for");
            transition.events.extend((count > 0).then_some(Event {
                direction: Direction::Send,
                message,
                count,
            }));
        }
    }
}
