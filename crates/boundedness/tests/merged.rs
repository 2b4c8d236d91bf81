//! What looks the same is merged before questions are posed: that must not make a difference.

use boundedness::{BoundSearch, BufferVerdict, Options, check};
use cfsm_core::families::large::Family;
use cfsm_core::ids::Id;
use cfsm_core::system::{
    BufferId, Class, ClassId, MessageId, State, StateId, System, SystemBuilder, Transition,
};
use cfsm_core::testing::{SystemShape, systems};
use proptest::prelude::*;

/// The verdicts on all buffers, without the numbers of counterexamples.
fn verdicts(system: &System, as_they_are: bool) -> Vec<String> {
    let questions = ilp_encode::Options { as_they_are, ..Default::default() };
    let outcome = check(system, &Options::from(questions));
    let described = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::CanGrow { .. } => "can grow".into(),
        other => other.to_string(),
    };
    outcome.buffers.values().map(described).collect()
}

/// The system with so many copies of each class, which share the buffers; every transition of a
/// copy twice if `parallel`.
fn copied(system: &System, copies: usize, parallel: bool) -> System {
    let mut result = system.clone();
    let (classes, states) = (system.classes.len(), system.states.len());
    for copy in 1..copies {
        for class in system.classes.values() {
            let Class { name, instances, initial } = class.clone();
            let initial = StateId::new(initial.index() + copy * states);
            result.classes.push(Class { name: format!("{name}.{copy}"), instances, initial });
        }
        for state in system.states.values() {
            let class = ClassId::new(state.class.index() + copy * classes);
            result.states.push(State { class, ..state.clone() });
        }
        for transition in system.transitions.values() {
            let moved = |state: StateId| StateId::new(state.index() + copy * states);
            let (source, target) = (moved(transition.source), moved(transition.target));
            let transition = Transition { source, target, ..transition.clone() };
            if parallel {
                result.transitions.push(transition.clone());
            }
            result.transitions.push(transition);
        }
    }
    result
}

/// The system so many times, each copy with buffers of its own but for the first one, which they
/// share.
fn beside(system: &System, copies: usize) -> System {
    let mut result = copied(system, copies, false);
    let (buffers, messages, transitions) =
        (system.buffers.len(), system.messages.len(), system.transitions.len());
    for _ in 1..copies {
        for buffer in system.buffers.values() {
            result.buffers.push(buffer.clone());
        }
        for message in system.messages.values() {
            result.messages.push(message.clone());
        }
    }
    let is_shared = |message: MessageId| system.messages[message].buffer.index() == 0;
    for (id, message) in result.messages.iter_mut() {
        let original = MessageId::new(id.index() % messages);
        if !is_shared(original) {
            let copy = id.index() / messages;
            message.buffer = BufferId::new(message.buffer.index() + copy * buffers);
        }
        message.name = format!("{}.{}", message.name, id.index());
    }
    for (id, buffer) in result.buffers.iter_mut() {
        buffer.name = format!("{}.{}", buffer.name, id.index());
    }
    for (id, transition) in result.transitions.iter_mut() {
        let copy = id.index() / transitions;
        for event in transition.events.iter_mut().filter(|event| !is_shared(event.message)) {
            event.message = MessageId::new(event.message.index() + copy * messages);
        }
    }
    result
}

proptest! {
    #[test]
    fn verdicts_and_bounds_are_the_same_without(
        system in systems(SystemShape::full()),
        copies in 1usize..4,
        parallel: bool,
    ) {
        let system = copied(&system, copies, parallel);
        prop_assert_eq!(system.validate(), Ok(()));
        prop_assert_eq!(verdicts(&system, false), verdicts(&system, true));
    }
}

proptest! {
    /// What floats find is as small as what the exact simplex finds, which needs none.
    #[test]
    fn bounds_are_the_least_ones(system in systems(SystemShape::full()), copies in 1usize..3) {
        let system = copied(&system, copies, false);
        let exact = ilp_encode::Options { search: ilp_encode::Search::Exact, ..Default::default() };
        let of = |questions: ilp_encode::Options| {
            let outcome = check(&system, &Options::from(questions));
            let bound = |verdict: &BufferVerdict| match verdict {
                BufferVerdict::Bounded { bound } => Some(bound.clone()),
                _ => None,
            };
            outcome.buffers.values().map(bound).collect::<Vec<_>>()
        };
        prop_assert_eq!(of(ilp_encode::Options::default()), of(exact));
    }
}

proptest! {
    /// The buffers of copies are alike: their bounds come from a system merged around one of them,
    /// and are those that the exact simplex finds without.
    #[test]
    fn bounds_of_buffers_that_are_alike_are_the_least_ones(
        system in systems(SystemShape::full()),
        copies in 2usize..7,
    ) {
        let system = beside(&system, copies);
        prop_assert_eq!(system.validate(), Ok(()));
        let bounds = |questions: ilp_encode::Options| -> Vec<_> {
            let outcome = check(&system, &Options::from(questions));
            let bound = |verdict: &BufferVerdict| match verdict {
                BufferVerdict::Bounded { bound } => Some(bound.clone()),
                _ => None,
            };
            outcome.buffers.values().map(bound).collect()
        };
        let least = bounds(ilp_encode::Options::default());
        let exact = ilp_encode::Options { search: ilp_encode::Search::Exact, ..Default::default() };
        prop_assert_eq!(&least, &bounds(exact));
        let fast = bounds(ilp_encode::Options { bounds: BoundSearch::Fast, ..Default::default() });
        for (fast, least) in fast.iter().zip(&least) {
            prop_assert_eq!(fast.is_some(), least.is_some());
            prop_assert!(fast >= least);
        }
    }
}

/// A server that answers each of many clients in a channel of its own holds one answer for each at
/// most, and as many questions as there are clients.
#[test]
fn each_of_many_clients_has_one_answer() {
    for clients in [2usize, 20, 200] {
        let mut b = SystemBuilder::new("clients");
        let names: Vec<[MessageId; 2]> = (0..clients)
            .map(|at| [b.message("server", &format!("ask {at}")), b.message(&format!("reply {at}"), "yes")])
            .collect();
        let mut server = b.class("Server", 1);
        for (at, [ask, yes]) in names.iter().enumerate() {
            let place = format!("answers {at}");
            server.receive("idle", *ask, &place).send(&place, *yes, "idle");
        }
        for (at, [ask, yes]) in names.iter().enumerate() {
            b.class(&format!("Client {at}"), 1).send("idle", *ask, "waits").receive("waits", *yes, "idle");
        }
        let system = b.build().unwrap();
        for bounds in [BoundSearch::Fast, BoundSearch::Least] {
            let questions = ilp_encode::Options { bounds, ..Default::default() };
            let outcome = check(&system, &Options::from(questions));
            for (buffer, verdict) in outcome.buffers.iter() {
                let most = if buffer.index() == 0 { clients } else { 1 };
                assert_eq!(*verdict, BufferVerdict::Bounded { bound: most.into() });
            }
        }
    }
}

#[test]
fn small_members_of_families_have_the_least_bounds() {
    for family in [Family::Multiparty, Family::Labels, Family::Clients, Family::Registrars] {
        let system = family.system(60);
        let bounds = |search| {
            let outcome = check(&system, &ilp_encode::Options { search, ..Default::default() }.into());
            outcome.buffers.values().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(bounds(ilp_encode::Search::Float), bounds(ilp_encode::Search::Exact), "{}", family.name());
    }
}

#[test]
fn large_systems_have_the_same_verdict_without() {
    for family in Family::ALL {
        let system = family.system(300);
        let is_proved = |as_they_are| {
            let questions =
                ilp_encode::Options { as_they_are, bounds: BoundSearch::None, ..Default::default() };
            check(&system, &questions.into()).verdict.is_proved()
        };
        assert_eq!(is_proved(false), is_proved(true), "{}", family.name());
    }
}

/// The number of threads makes no difference, and neither does what else they do.
#[test]
fn results_come_out_the_same_each_time() {
    for family in [Family::Random, Family::Labels, Family::Line] {
        let system = family.system(400);
        let once = || {
            let outcome = check(&system, &Options::default());
            (outcome.buffers, outcome.verdict.certificate().map(|checked| checked.clone().into_inner()))
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool(1).install(once) == pool(3).install(once), "{}", family.name());
    }
}
