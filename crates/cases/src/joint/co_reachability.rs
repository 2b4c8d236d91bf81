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
    single: IdMap<ClassId, bool>,
    /// Pairs of classes of which one sends by rendezvous what the other one receives.
    partners: BTreeSet<[ClassId; 2]>,
    known: RefCell<BTreeMap<Vec<ClassId>, Option<Rc<JointReach>>>>,
}

impl CoReachability {
    /// For a system of which these classes have one instance at most. Time linear in the system,
    /// and in the pairs of classes that have a rendezvous.
    #[must_use]
    pub fn new(system: &System, single: IdMap<ClassId, bool>) -> Self {
        let partners = partners(system).into_iter().filter(|pair| pair.iter().all(|id| single[*id]));
        Self {
            states: StateIndex::new(system),
            partners: partners.collect(),
            single,
            known: RefCell::default(),
        }
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
            let Some(beside) = self.beside(system, class, hub, confinement) else { continue };
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
        let mut known = confinement.clone();
        known.insert(hub, hub_states.clone());
        self.beside(system, hub, class, &known)
    }

    /// The states of a class while another one, and whoever goes between them, is confined.
    fn beside(
        &self,
        system: &System,
        other: ClassId,
        class: ClassId,
        confinement: &Confinement,
    ) -> Option<StateSet> {
        let joint = self.joint(system, [other, class])?;
        let all: Vec<StateSet> = joint
            .classes()
            .iter()
            .map(|id| confinement.get(id).cloned().unwrap_or_else(|| self.states.all(*id)))
            .collect();
        let asked = joint.classes().iter().position(|id| *id == class)?;
        Some(joint.beside(asked, &all.iter().collect::<Vec<_>>()))
    }

    /// Joint reachability of two classes: by themselves if they have a rendezvous with each other,
    /// or with a third one that has one with both. `None` if there is none, or that is too much to
    /// explore.
    pub(crate) fn joint(&self, system: &System, pair: [ClassId; 2]) -> Option<Rc<JointReach>> {
        let mut classes = pair.to_vec();
        if !self.partners.contains(&pair) {
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
        let joins = |third: ClassId| pair.iter().all(|one| self.partners.contains(&[*one, third]));
        let size = |third: ClassId| {
            let classes = pair.iter().chain([&third]);
            classes.map(|class| self.states.len(*class)).product::<usize>()
        };
        self.single.ids().find(|third| joins(*third) && size(*third) <= MOST_JOINT_STATES)
    }
}

/// The pairs of different classes of which one sends by rendezvous what the other one receives,
/// both ways round.
fn partners(system: &System) -> BTreeSet<[ClassId; 2]> {
    let mut halves: IdMap<MessageId, [BTreeSet<ClassId>; 2]> =
        IdMap::filled(Default::default(), system.messages.len());
    for (id, transition) in system.transitions.iter() {
        for event in transition.events.iter().filter(|event| system.is_rendezvous(event.message)) {
            let side = usize::from(event.direction == Direction::Send);
            halves[event.message][side].insert(system.class_of(id));
        }
    }
    let pairs = halves.values().flat_map(|[one, other]| {
        one.iter().flat_map(move |one| other.iter().flat_map(move |other| [[*one, *other], [*other, *one]]))
    });
    pairs.filter(|[one, other]| one != other).collect()
}
