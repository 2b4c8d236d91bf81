//! Classes of which there is one instance at most.

use std::collections::BTreeSet;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, Transition};

/// Per class, whether it certainly has one instance at most, in all of every run: such a class can
/// be [cut](crate::Cut).
///
/// It has one at the start at most, and nobody creates it. Or it has none at the start; what
/// creates it creates one, and belongs to one class of which there is one instance at most; and
/// once that has created it, no path in its graph leads to a transition that does so again. Time
/// linear in the system, for each class.
#[must_use]
pub fn single_classes(system: &System) -> IdMap<ClassId, bool> {
    let mut created = IdMap::filled(false, system.classes.len());
    for class in system.transitions.values().flat_map(|transition| &transition.creates) {
        created[*class] = true;
    }
    let never_created = |(id, instances): (ClassId, u32)| instances <= 1 && !created[id];
    let classes = system.classes.iter().map(|(id, class)| (id, class.instances));
    let mut single: IdMap<ClassId, bool> = classes.map(never_created).collect();
    let mut open: BTreeSet<ClassId> =
        system.classes.iter().filter(|(_, class)| class.instances == 0).map(|(id, _)| id).collect();
    loop {
        let found = open.iter().copied().find(|id| !single[*id] && is_created_once(system, *id, &single));
        let Some(class) = found else { return single };
        single[class] = true;
        open.remove(&class);
    }
}

/// Whether a class is created once at most, given some of which there is one instance at most.
fn is_created_once(system: &System, class: ClassId, single: &IdMap<ClassId, bool>) -> bool {
    let creators = system.transitions.values().filter(|transition| transition.creates.contains(&class));
    let creators: Vec<&Transition> = creators.collect();
    let Some(creator) = creators.first().map(|first| system.states[first.source].class) else { return false };
    let one_each = creators.iter().all(|transition| {
        let count = transition.creates.iter().filter(|created| **created == class).count();
        count == 1 && system.states[transition.source].class == creator
    });
    if !one_each || !single[creator] {
        return false;
    }
    let behind = reachable(system, creators.iter().map(|transition| transition.target));
    creators.iter().all(|transition| !behind[transition.source])
}

/// Per state, whether it can be reached from these in the graph of their class, themselves
/// included.
fn reachable(system: &System, from: impl Iterator<Item = StateId>) -> IdMap<StateId, bool> {
    let mut next: IdMap<StateId, Vec<StateId>> = IdMap::filled(Vec::new(), system.states.len());
    for transition in system.transitions.values() {
        next[transition.source].push(transition.target);
    }
    let mut seen = IdMap::filled(false, system.states.len());
    let mut stack: Vec<StateId> = from.collect();
    while let Some(state) = stack.pop() {
        if !std::mem::replace(&mut seen[state], true) {
            stack.extend(&next[state]);
        }
    }
    seen
}
