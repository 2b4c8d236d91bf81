//! What looks the same is merged before questions are posed: that must not make a difference.

use boundedness::{BufferVerdict, Options, check};
use cfsm_core::families::large::Family;
use cfsm_core::ids::Id;
use cfsm_core::system::{Class, ClassId, State, StateId, System, Transition};
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
            let questions = ilp_encode::Options { as_they_are, ..Default::default() };
            check(&system, &Options { one_bound: true, ..questions.into() }).verdict.is_proved()
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
            (outcome.buffers, outcome.verdict.certificate().map(|checked| checked.get().clone()))
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool(1).install(once) == pool(3).install(once), "{}", family.name());
    }
}
