//! Where processes are beside each other in the long run, by way of a hub.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, StateId, System};

use super::{Atlas, MOST_TOGETHER, Places, Together};

/// Where the instances of some classes stay in the long run.
pub type Stays = BTreeMap<ClassId, Places>;

/// Which processes are at which states at the same time, as far as that has been asked: classes are
/// looked at together once.
#[derive(Clone, Debug)]
pub struct Company {
    atlas: Atlas,
    single: IdMap<ClassId, bool>,
    /// Classes of which one sends by rendezvous what the other one receives.
    partners: BTreeSet<[ClassId; 2]>,
    known: RefCell<BTreeMap<Vec<ClassId>, Option<Rc<Together>>>>,
}

impl Company {
    /// Of a system. Time linear in it, and in the couples that meet.
    #[must_use]
    pub fn new(system: &System) -> Self {
        let single = crate::single_classes(system);
        let partners = partners(system).into_iter().filter(|couple| couple.iter().all(|id| single[*id]));
        Self { atlas: Atlas::of(system), partners: partners.collect(), single, known: RefCell::default() }
    }

    /// Per class, whether it has one instance at most in every run.
    #[must_use]
    pub const fn single(&self) -> &IdMap<ClassId, bool> {
        &self.single
    }

    /// The places of classes.
    #[must_use]
    pub const fn atlas(&self) -> &Atlas {
        &self.atlas
    }

    /// Where classes stay that have an instance at some states all the time; of each set, all are
    /// of one class.
    #[must_use]
    pub fn stays<'s, S>(&self, system: &System, inhabited: impl IntoIterator<Item = &'s S>) -> Stays
    where
        &'s S: IntoIterator<Item = &'s StateId>,
        S: 's,
    {
        let mut stays = Stays::new();
        for states in inhabited {
            let states: Vec<StateId> = states.into_iter().copied().collect();
            let Some(first) = states.first() else { continue };
            let class = system.states[*first].class;
            let places = self.atlas.places(class, states.into_iter().map(Some));
            match stays.get_mut(&class) {
                Some(known) => known.meet(&places),
                None => {
                    stays.insert(class, places);
                }
            }
        }
        stays
    }

    /// Where a hub may be while others are where they stay; `None` if that is not said.
    #[must_use]
    pub fn hub(&self, system: &System, hub: ClassId, stays: &Stays) -> Option<Places> {
        let mut places = stays.get(&hub).cloned();
        for &class in stays.keys().filter(|class| **class != hub) {
            let Some(beside) = self.beside(system, (class, None), hub, stays) else { continue };
            match &mut places {
                Some(places) => places.meet(&beside),
                None => places = Some(beside),
            }
        }
        places
    }

    /// Where a process may be while a hub is at some places, and others where they stay; `None` if
    /// that is not said.
    #[must_use]
    pub fn met(
        &self,
        system: &System,
        (hub, places): (ClassId, &Places),
        class: ClassId,
        stays: &Stays,
    ) -> Option<Places> {
        if hub == class {
            return Some(places.clone());
        }
        self.beside(system, (hub, Some(places)), class, stays)
    }

    /// Where a process may be while another one is at some places, or where it stays: the two meet,
    /// or both meet a third one.
    fn beside(
        &self,
        system: &System,
        (other, places): (ClassId, Option<&Places>),
        class: ClassId,
        stays: &Stays,
    ) -> Option<Places> {
        let mut classes = vec![other, class];
        classes.extend(self.go_between([other, class])?);
        classes.sort_unstable();
        let together = self.of(system, &classes)?;
        let all: Vec<Places> = classes
            .iter()
            .map(|id| match places {
                Some(places) if *id == other => places.clone(),
                _ => stays.get(id).cloned().unwrap_or_else(|| self.atlas.anywhere(*id)),
            })
            .collect();
        let member = classes.iter().position(|id| *id == class)?;
        Some(together.beside(member, &all.iter().collect::<Vec<_>>()))
    }

    /// Who both of two classes meet, if they do not meet each other; `None` if there is nobody.
    fn go_between(&self, couple: [ClassId; 2]) -> Option<Option<ClassId>> {
        if self.partners.contains(&couple) {
            return Some(None);
        }
        let meets = |third: ClassId| couple.iter().all(|one| self.partners.contains(&[*one, third]));
        let size = |third: ClassId| {
            let classes = couple.iter().chain([&third]);
            classes.map(|class| self.atlas.len(*class)).product::<usize>()
        };
        self.single.ids().find(|third| meets(*third) && size(*third) <= MOST_TOGETHER).map(Some)
    }

    /// Who is beside whom; `None` if that is too much to find out.
    fn of(&self, system: &System, classes: &[ClassId]) -> Option<Rc<Together>> {
        let mut known = self.known.borrow_mut();
        if let Some(known) = known.get(classes) {
            return known.clone();
        }
        let found = Together::of(system, &self.atlas, classes).map(Rc::new);
        known.insert(classes.to_vec(), found.clone());
        found
    }
}

/// The couples of different classes of which one sends by rendezvous what the other one receives,
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
    let couples = halves.values().flat_map(|[one, other]| {
        one.iter().flat_map(move |one| other.iter().flat_map(move |other| [[*one, *other], [*other, *one]]))
    });
    couples.filter(|[one, other]| one != other).collect()
}
