//! Classes of which there is one instance at most.

use std::collections::BTreeSet;

use certificate::SingleClass;
use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, Transition, TransitionId};

/// Per class, whether it certainly has one instance at most, in all of every run.
///
/// It has one at the start at most, and nobody creates it. Or it has none at the start; what
/// creates it creates one, and belongs to one class of which there is one instance at most; and
/// once that has created it, no path in its graph leads to a transition that does so again. Time
/// linear in the system, for each class.
#[must_use]
pub fn single_classes(system: &System) -> IdMap<ClassId, bool> {
    SingleClasses::new(system).single
}

/// A class that is created once, by the one instance of another class.
struct Created {
    class: ClassId,
    creator: ClassId,
    /// The states that the creator may come to once it has created the class.
    after: BTreeSet<StateId>,
}

/// The classes of which there is one instance at most, with the reasons for those that are created.
pub(crate) struct SingleClasses {
    /// Per class, whether it has one instance at most.
    pub single: IdMap<ClassId, bool>,
    /// Those that are created, each behind its creator.
    created: Vec<Created>,
}

impl SingleClasses {
    pub(crate) fn new(system: &System) -> Self {
        let mut creators: IdMap<ClassId, Vec<TransitionId>> = IdMap::filled(Vec::new(), system.classes.len());
        let mut next: IdMap<StateId, Vec<StateId>> = IdMap::filled(Vec::new(), system.states.len());
        for (id, transition) in system.transitions.iter() {
            next[transition.source].push(transition.target);
            transition.creates.iter().for_each(|class| creators[*class].push(id));
        }
        let is_never_created =
            |(id, creators): (ClassId, &Vec<_>)| creators.is_empty() && system.classes[id].instances <= 1;
        let single = creators.iter().map(is_never_created).collect();
        let mut found = Self { single, created: Vec::new() };
        let mut open: BTreeSet<ClassId> =
            system.classes.iter().filter(|(_, class)| class.instances == 0).map(|(id, _)| id).collect();
        open.retain(|class| !found.single[*class]);
        loop {
            let created = open.iter().find_map(|class| found.created_once(system, *class, &creators, &next));
            let Some(created) = created else { return found };
            found.single[created.class] = true;
            open.remove(&created.class);
            found.created.push(created);
        }
    }

    /// The reason why a class is created once at most, given the classes that are known to have one
    /// instance at most.
    fn created_once(
        &self,
        system: &System,
        class: ClassId,
        creators: &IdMap<ClassId, Vec<TransitionId>>,
        next: &IdMap<StateId, Vec<StateId>>,
    ) -> Option<Created> {
        let creators: Vec<&Transition> = creators[class].iter().map(|id| &system.transitions[*id]).collect();
        let creator = system.states[creators.first()?.source].class;
        let is_one = |transition: &&Transition| {
            let created = transition.creates.iter().filter(|created| **created == class);
            created.count() == 1 && system.states[transition.source].class == creator
        };
        if !self.single[creator] || !creators.iter().all(is_one) {
            return None;
        }
        let mut after = BTreeSet::new();
        let mut stack: Vec<StateId> = creators.iter().map(|transition| transition.target).collect();
        while let Some(state) = stack.pop() {
            if after.insert(state) {
                stack.extend(&next[state]);
            }
        }
        let once = creators.iter().all(|transition| !after.contains(&transition.source));
        once.then_some(Created { class, creator, after })
    }

    /// The reasons for these classes, and for those that create them, as they stand in a claim.
    pub(crate) fn listed(&self, system: &System, mut needed: BTreeSet<ClassId>) -> Vec<SingleClass> {
        let mut listed = Vec::new();
        for created in self.created.iter().rev() {
            if needed.contains(&created.class) {
                needed.insert(created.creator);
                listed.push(SingleClass {
                    class: system.classes[created.class].name.clone(),
                    after: created.after.iter().map(|state| system.state_name(*state)).collect(),
                });
            }
        }
        listed.reverse();
        listed
    }
}
