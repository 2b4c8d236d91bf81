//! Closed sets of configurations against the search of states, which shares no code with them.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeMap;

use certify::{Certificate, Claim, ConfigurationsClaim, check};
use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, BufferKind, System};
use cfsm_core::testing::{SystemShape, systems};
use explore::{
    Buffers, Completion, Configuration, ConfigurationLimits, Limits, Portion, Semantics, configurations,
};
use proptest::prelude::*;

const FEW: usize = 300;

fn shape() -> SystemShape {
    SystemShape { instances: 1..=2, events: 1..=2, count: 1..=1, ..SystemShape::full() }
}

fn whole(system: &System) -> Portion {
    Portion { classes: system.classes.ids().collect(), buffers: system.buffers.ids().collect() }
}

fn found(system: &System, portion: &Portion) -> Option<Vec<Configuration>> {
    configurations(
        system,
        portion,
        &ConfigurationLimits { configurations: FEW, size: 100 * FEW, deadline: Deadline::default() },
    )
    .ok()
}

/// The most that each queue holds.
fn maxima(system: &System, all: &[Configuration]) -> BTreeMap<BufferId, u32> {
    let queues = system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
    let most = |id: BufferId| {
        let length =
            |c: &Configuration| c.messages.iter().filter(|m| system.messages[**m].buffer == id).count();
        u32::try_from(all.iter().map(length).max().unwrap_or(0)).unwrap()
    };
    queues.map(|(id, _)| (id, most(id))).collect()
}

fn claim(system: &System, portion: &Portion, all: &[Configuration]) -> ConfigurationsClaim {
    let Portion { classes, buffers } = portion.clone();
    let followed = maxima(system, all).into_iter().filter(|(id, _)| buffers.contains(id));
    let bounds: Vec<_> = followed.map(|(id, most)| (id, most.into())).collect();
    let all = all.iter().map(|c| (c.states.clone(), c.messages.clone()));
    ConfigurationsClaim::new(system, classes, buffers, bounds, all)
}

fn accepted(system: &System, claim: ConfigurationsClaim) -> bool {
    check(system, Certificate::new(system, [Claim::Configurations(claim)])).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The list is closed, what is in it is what the search of states sees, and nothing of it is
    /// left over.
    #[test]
    fn lists_are_what_can_be_reached(system in systems(shape()), left_out in any::<prop::sample::Index>()) {
        let portion = whole(&system);
        let Some(all) = found(&system, &portion) else { return Ok(()) };
        let made = claim(&system, &portion, &all);
        if made.bounds.is_empty() {
            return Ok(());
        }
        prop_assert!(accepted(&system, made.clone()));
        // Each configuration is reached from others, or is the first.
        let mut less = made;
        less.configurations.remove(left_out.index(all.len()));
        prop_assert!(!accepted(&system, less));

        let Ok(translation) = system.to_program() else { return Ok(()) };
        let options = explore::Options { buffers: Buffers::Unbounded, ..explore::Options::default() };
        let semantics = Semantics::new(&translation.program, &options).unwrap();
        let limits = Limits { states: Some(40 * FEW), ..Limits::default() };
        let seen = semantics.explore(&limits).unwrap();
        if seen.completion == Completion::Complete && seen.errors == 0 {
            let seen: BTreeMap<BufferId, u32> =
                seen.maxima.iter().map(|(queue, most)| (BufferId::new(queue.variable.index()), *most)).collect();
            for (buffer, most) in maxima(&system, &all) {
                prop_assert_eq!(seen.get(&buffer).copied().unwrap_or(0), most, "{:?}", buffer);
            }
        }
    }

    /// A bound on a part of a system is one on the whole.
    #[test]
    fn parts_are_no_better_than_the_whole(system in systems(shape()), chosen in any::<[bool; 3]>()) {
        let all = whole(&system);
        let Some(reached) = found(&system, &all) else { return Ok(()) };
        let maxima = maxima(&system, &reached);
        let buffers = all.buffers.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(buffer, _)| *buffer);
        let portion = Portion { classes: all.classes.clone(), buffers: buffers.collect() };
        let Some(part) = found(&system, &portion) else { return Ok(()) };
        let made = claim(&system, &portion, &part);
        let bounds = made.bounds.clone();
        if bounds.is_empty() {
            return Ok(());
        }
        prop_assert!(accepted(&system, made));
        for (buffer, most) in maxima.iter().filter(|(buffer, _)| portion.buffers.contains(buffer)) {
            let name = &system.buffers[*buffer].name;
            prop_assert!(bounds[name] >= (*most).into(), "{}", name);
        }
    }
}
