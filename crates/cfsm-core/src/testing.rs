//! Strategies for [proptest](https://docs.rs/proptest): random small [systems()] and [programs()].
//!
//! Every system is valid by construction, so that no case is rejected. It is drawn as a plan in
//! which a target, a message or a created class is a number, taken modulo the number of
//! alternatives: a plan stays valid when proptest removes a class, a state or a buffer from it, and
//! therefore shrinks to few classes with few states and short transitions.
//!
//! ```
//! use cfsm_core::testing::{SystemShape, systems};
//! use proptest::prelude::*;
//!
//! proptest!(|(system in systems(SystemShape::full()))| {
//!     prop_assert_eq!(system.validate(), Ok(()));
//! });
//! ```

mod programs;

use std::ops::RangeInclusive;

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;

pub use programs::{ProgramShape, programs};

use crate::system::{ClassId, Direction, Event, MessageId, StateId, System, SystemBuilder};

/// Sizes of random systems. All ranges include both ends and must not be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemShape {
    /// Number of process classes.
    pub classes: RangeInclusive<usize>,
    /// Instances of a class at the start.
    pub instances: RangeInclusive<u32>,
    /// States per class; the first is the initial one. Taken as at least 1.
    pub states: RangeInclusive<usize>,
    /// Transitions per class.
    pub transitions: RangeInclusive<usize>,
    /// Number of buffers.
    pub buffers: RangeInclusive<usize>,
    /// Message types per buffer.
    pub message_types: RangeInclusive<usize>,
    /// Events per transition. Without message types there are none.
    pub events: RangeInclusive<usize>,
    /// Messages per event. Taken as at least 1.
    pub count: RangeInclusive<u32>,
    /// Probability that a transition creates an instance (of any class, its own included).
    pub creates: f64,
    /// Probability that a buffer is a rendezvous.
    pub rendezvous: f64,
}

impl SystemShape {
    /// Up to 3 classes of up to 2 instances and 4 states, up to 3 queues; no creation, no
    /// rendezvous.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            classes: 1..=3,
            instances: 0..=2,
            states: 1..=4,
            transitions: 0..=6,
            buffers: 1..=3,
            message_types: 1..=2,
            events: 0..=2,
            count: 1..=3,
            creates: 0.0,
            rendezvous: 0.0,
        }
    }

    /// Like [`plain`](Self::plain), with creation (a transition in 10) and rendezvous (a buffer in
    /// 4).
    #[must_use]
    pub fn full() -> Self {
        Self { creates: 0.1, rendezvous: 0.25, ..Self::plain() }
    }
}

/// Random valid systems of a shape.
///
/// Buffers are named `b0`, `b1`, ..., their message types `m0`, ..., classes `P0`, ... and their
/// states `s0`, ...; transitions have no origin, queues no declared capacity. A transition that
/// takes part in a rendezvous has this one event of one message and no other, because that is what
/// one step of two processes can mean without further rules.
///
/// # Panics
/// When a case is drawn, if a range of the shape is empty or a probability is not within 0 to 1.
pub fn systems(shape: SystemShape) -> impl Strategy<Value = System> {
    let buffer = (shape.message_types.clone(), weighted(shape.rendezvous))
        .prop_map(|(message_types, is_rendezvous)| BufferPlan { message_types, is_rendezvous });
    let class =
        (shape.instances.clone(), shape.states.clone(), vec(transition(&shape), shape.transitions.clone()))
            .prop_map(|(instances, states, transitions)| ClassPlan {
                instances,
                states: states.max(1),
                transitions,
            });
    (vec(buffer, shape.buffers), vec(class, shape.classes))
        .prop_map(|(buffers, classes)| build(&buffers, &classes))
}

#[derive(Clone, Debug)]
struct BufferPlan {
    message_types: usize,
    is_rendezvous: bool,
}

#[derive(Clone, Debug)]
struct ClassPlan {
    instances: u32,
    states: usize,
    transitions: Vec<TransitionPlan>,
}

/// Choices are numbers taken modulo the number of alternatives.
#[derive(Clone, Debug)]
struct TransitionPlan {
    source: usize,
    target: usize,
    events: Vec<EventPlan>,
    creates: Option<usize>,
}

#[derive(Clone, Debug)]
struct EventPlan {
    sends: bool,
    message: usize,
    count: u32,
}

fn transition(shape: &SystemShape) -> impl Strategy<Value = TransitionPlan> + use<> {
    let state = 0..(*shape.states.end()).max(1);
    let message = 0..(shape.buffers.end() * shape.message_types.end()).max(1);
    let class = 0..(*shape.classes.end()).max(1);
    let event = (any::<bool>(), message, shape.count.clone()).prop_map(|(sends, message, count)| EventPlan {
        sends,
        message,
        count: count.max(1),
    });
    (state.clone(), state, vec(event, shape.events.clone()), weighted(shape.creates), class).prop_map(
        |(source, target, events, creates, class)| TransitionPlan {
            source,
            target,
            events,
            creates: creates.then_some(class),
        },
    )
}

fn build(buffers: &[BufferPlan], classes: &[ClassPlan]) -> System {
    let mut builder = SystemBuilder::new("random");
    let messages = add_buffers(&mut builder, buffers);
    // A transition may create a class that comes later, so all of them are there first.
    let ids: Vec<ClassId> = classes
        .iter()
        .enumerate()
        .map(|(number, plan)| builder.class(&format!("P{number}"), plan.instances).id())
        .collect();
    for (class, plan) in ids.iter().zip(classes) {
        let mut class = builder.class_again(*class);
        let states: Vec<StateId> = (0..plan.states).map(|state| class.state(&format!("s{state}"))).collect();
        for plan in &plan.transitions {
            class.transition(
                states[plan.source % states.len()],
                events(&plan.events, &messages),
                plan.creates.iter().map(|class| ids[class % ids.len()]).collect(),
                states[plan.target % states.len()],
                None,
            );
        }
    }
    builder.build().expect("a plan gives a valid system")
}

/// The message types, and whether they are exchanged by rendezvous.
fn add_buffers(builder: &mut SystemBuilder, buffers: &[BufferPlan]) -> Vec<(MessageId, bool)> {
    let mut messages = Vec::new();
    for (number, plan) in buffers.iter().enumerate() {
        let buffer = builder.buffer(&format!("b{number}"));
        if plan.is_rendezvous {
            builder.declare(buffer, 0);
        }
        for name in 0..plan.message_types {
            let message = builder.message_in(buffer, &format!("m{name}"));
            messages.push((message, plan.is_rendezvous));
        }
    }
    messages
}

fn events(plans: &[EventPlan], messages: &[(MessageId, bool)]) -> Vec<Event> {
    if messages.is_empty() {
        return Vec::new();
    }
    let all = plans.iter().map(|plan| {
        let (message, is_rendezvous) = messages[plan.message % messages.len()];
        let direction = if plan.sends { Direction::Send } else { Direction::Receive };
        let count = if is_rendezvous { 1 } else { plan.count };
        let event = Event { direction, message, count };
        (event, is_rendezvous)
    });
    let all: Vec<(Event, bool)> = all.collect();
    match all.iter().find(|(_, is_rendezvous)| *is_rendezvous) {
        Some((event, _)) => vec![*event],
        None => all.into_iter().map(|(event, _)| event).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::system::BufferKind;

    proptest! {
        #[test]
        fn full_systems_are_valid(system in systems(SystemShape::full())) {
            prop_assert_eq!(system.validate(), Ok(()));
            for transition in system.transitions.values() {
                let meets = transition.events.iter().any(|event| system.is_rendezvous(event.message));
                prop_assert!(!meets || (transition.events.len() == 1 && transition.events[0].count == 1));
            }
        }

        #[test]
        fn plain_systems_have_neither_creation_nor_rendezvous(system in systems(SystemShape::plain())) {
            prop_assert!(system.transitions.values().all(|transition| transition.creates.is_empty()));
            prop_assert!(system.buffers.values().all(|buffer| buffer.kind == BufferKind::Queue));
            prop_assert!((1..=3).contains(&system.classes.len()));
            prop_assert!(system.states.len() <= 4 * system.classes.len());
        }
    }

    fn draw(shape: SystemShape) -> impl Iterator<Item = System> {
        let strategy = systems(shape);
        let mut runner = TestRunner::deterministic();
        (0..200).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
    }

    #[test]
    fn every_feature_turns_up() {
        let all: Vec<System> = draw(SystemShape::full()).collect();
        let transitions = || all.iter().flat_map(|system| system.transitions.values());
        assert!(transitions().any(|transition| !transition.creates.is_empty()));
        assert!(transitions().any(|transition| transition.events.len() == 2));
        let meets = |system: &System| system.messages.ids().any(|message| system.is_rendezvous(message));
        assert!(all.iter().any(meets));
    }

    #[test]
    fn a_shape_without_messages_or_classes_is_a_shape() {
        let no_messages = SystemShape { message_types: 0..=0, ..SystemShape::full() };
        assert!(draw(no_messages).all(|system| system.messages.is_empty()));
        let no_classes = SystemShape { classes: 0..=0, ..SystemShape::full() };
        assert!(draw(no_classes).all(|system| system.states.is_empty()));
    }

    #[test]
    fn what_does_not_matter_shrinks_away() {
        let strategy = systems(SystemShape::full());
        let mut runner = TestRunner::deterministic();
        let sends = |system: &System| {
            let mut events = system.transitions.values().flat_map(|t| &t.events);
            events.any(|event| event.direction == Direction::Send && event.count >= 2)
        };
        let error = runner
            .run(&strategy, |system| {
                prop_assert!(!sends(&system));
                Ok(())
            })
            .unwrap_err();
        let proptest::test_runner::TestError::Fail(_, system) = error else {
            panic!("expected a counterexample, not {error}");
        };
        let sizes = (system.classes.len(), system.states.len(), system.transitions.len());
        assert_eq!(sizes, (1, 1, 1));
        assert_eq!((system.buffers.len(), system.messages.len()), (1, 1));
    }
}
