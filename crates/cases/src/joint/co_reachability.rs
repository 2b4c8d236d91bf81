//! Where processes may be in the long run while others are confined to known states.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, StateId, System};

use super::{JointReach, MOST_JOINT_STATES, StateIndex, StateSet};

/// Per class that is confined in the long run, the states that its instance stays at.
pub type Confinement = BTreeMap<ClassId, StateSet>;

/// Joint reachability of the classes of a system, of two at a time or, where these two have no
/// rendezvous with each other, of three. Computed when it is asked for, once.
#[derive(Clone, Debug)]
pub struct CoReachability {
    states: StateIndex,
    /// Per class, the others that have a rendezvous with it.
    partners: IdMap<ClassId, BTreeSet<ClassId>>,
    known: RefCell<BTreeMap<Vec<ClassId>, Option<Rc<JointReach>>>>,
}

impl CoReachability {
    /// For a system of which these classes have one instance at most. Time linear in the system,
    /// and in the pairs of classes that have a rendezvous.
    #[must_use]
    pub fn new(system: &System, single: &IdMap<ClassId, bool>) -> Self {
        let partners = partners(system, single);
        Self { states: StateIndex::new(system), partners, known: RefCell::default() }
    }

    /// The numbers of the states of each class.
    #[must_use]
    pub const fn states(&self) -> &StateIndex {
        &self.states
    }

    /// The confinement of classes that have an instance at some states all the time; of each set,
    /// all are of one class.
    #[must_use]
    pub fn confinement<'s, S>(
        &self,
        system: &System,
        inhabited: impl IntoIterator<Item = &'s S>,
    ) -> Confinement
    where
        &'s S: IntoIterator<Item = &'s StateId>,
        S: 's,
    {
        let mut confinement = Confinement::new();
        for states in inhabited {
            let states: Vec<StateId> = states.into_iter().copied().collect();
            let Some(first) = states.first() else { continue };
            let class = system.states[*first].class;
            let set = self.states.set(class, states.into_iter().map(Some));
            match confinement.get_mut(&class) {
                Some(known) => known.intersect(&set),
                None => {
                    confinement.insert(class, set);
                }
            }
        }
        confinement
    }

    /// The states of a hub while others are confined; `None` if nothing is known of it.
    #[must_use]
    pub fn hub(&self, system: &System, hub: ClassId, confinement: &Confinement) -> Option<StateSet> {
        let mut states = confinement.get(&hub).cloned();
        for &class in confinement.keys().filter(|class| **class != hub) {
            let known = |id| confinement.get(&id);
            let Some(beside) = self.beside(system, [class, hub], known) else { continue };
            match &mut states {
                Some(states) => states.intersect(&beside),
                None => states = Some(beside),
            }
        }
        states
    }

    /// The states of a class while a hub is at these states, and others are confined; `None` if
    /// nothing is known of it.
    #[must_use]
    pub fn beside_hub(
        &self,
        system: &System,
        hub: ClassId,
        hub_states: &StateSet,
        class: ClassId,
        confinement: &Confinement,
    ) -> Option<StateSet> {
        if hub == class {
            return Some(hub_states.clone());
        }
        let known = |id| if id == hub { Some(hub_states) } else { confinement.get(&id) };
        self.beside(system, [hub, class], known)
    }

    /// The states of the second class while the first one, and whoever goes between them, is
    /// confined.
    fn beside<'s>(
        &self,
        system: &System,
        pair: [ClassId; 2],
        confined: impl Fn(ClassId) -> Option<&'s StateSet>,
    ) -> Option<StateSet> {
        let joint = self.joint(system, pair)?;
        let set = |id: &ClassId| confined(*id).cloned().unwrap_or_else(|| self.states.all(*id));
        let all: Vec<StateSet> = joint.classes().iter().map(set).collect();
        let asked = joint.classes().iter().position(|id| *id == pair[1])?;
        Some(joint.beside(asked, &all.iter().collect::<Vec<_>>()))
    }

    /// Joint reachability of two classes: by themselves if they have a rendezvous with each other,
    /// or with a third one that has one with both. `None` if there is none, or that is too much to
    /// explore.
    pub(crate) fn joint(&self, system: &System, pair: [ClassId; 2]) -> Option<Rc<JointReach>> {
        let mut classes = pair.to_vec();
        if !self.partners[pair[0]].contains(&pair[1]) {
            classes.push(self.go_between(pair)?);
        }
        classes.sort_unstable();
        let mut known = self.known.borrow_mut();
        let found = known
            .entry(classes.clone())
            .or_insert_with(|| JointReach::new(system, &self.states, &classes).map(Rc::new));
        found.clone()
    }

    /// The first class that has a rendezvous with both of two.
    fn go_between(&self, pair: [ClassId; 2]) -> Option<ClassId> {
        let size = |third: ClassId| {
            let classes = pair.iter().chain([&third]);
            classes.map(|class| self.states.len(*class)).product::<usize>()
        };
        let mut both = self.partners[pair[0]].intersection(&self.partners[pair[1]]);
        both.find(|third| size(**third) <= MOST_JOINT_STATES).copied()
    }
}

/// Per class, the other ones that send by rendezvous what it receives, or receive what it sends;
/// of classes with one instance at most.
fn partners(system: &System, single: &IdMap<ClassId, bool>) -> IdMap<ClassId, BTreeSet<ClassId>> {
    let mut halves: IdMap<MessageId, [BTreeSet<ClassId>; 2]> =
        IdMap::filled(Default::default(), system.messages.len());
    for (id, transition) in system.transitions.iter().filter(|(id, _)| single[system.class_of(*id)]) {
        for event in transition.events.iter().filter(|event| system.is_rendezvous(event.message)) {
            let side = usize::from(event.direction == Direction::Send);
            halves[event.message][side].insert(system.class_of(id));
        }
    }
    let mut partners = IdMap::filled(BTreeSet::new(), system.classes.len());
    for [receivers, senders] in halves.values() {
        for (one, other) in receivers.iter().flat_map(|one| senders.iter().map(move |other| (*one, *other))) {
            if one != other {
                partners[one].insert(other);
                partners[other].insert(one);
            }
        }
    }
    partners
}
