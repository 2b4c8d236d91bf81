//! Where two processes may be at the same time.
//!
//! A send and a receive of a rendezvous are one step of both. So what one of them has done by rendezvous with the other says where
//! that one may be.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, StateId, System, Transition};

/// Pairs of states that are looked at, at most.
pub const MOST_PAIRS: usize = 1 << 18;

/// Where an instance is; `None`: it has not been created.
pub type Whereabouts = Option<StateId>;

/// At which states the instances of two classes may be at the same time, in any run, if there is
/// [one of each at most](crate::single_classes).
///
/// Others may do anything: they are there for each rendezvous that one of them can take part in, at any time. A transition with several rendezvous events
/// may fire alone, or with any of the other class that has some.
#[derive(Clone, Debug)]
pub struct Together {
    /// For each place of the second one, the places of the first one beside it.
    beside: BTreeMap<Whereabouts, BTreeSet<Whereabouts>>,
    /// For each place of the first one, the states of the second one that it may be at.
    met: BTreeMap<Whereabouts, BTreeSet<StateId>>,
}

/// With whom a transition has to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// It fires alone.
    Nobody,
    /// With one that has the other half of its only rendezvous event.
    Half(MessageId, Direction),
    /// It has several rendezvous events.
    Several,
}

impl Meeting {
    fn of(system: &System, transition: &Transition) -> Self {
        let mut events = transition.events.iter().filter(|event| system.is_rendezvous(event.message));
        match (events.next(), events.next()) {
            (None, _) => Self::Nobody,
            (Some(event), None) if event.count == 1 => Self::Half(event.message, event.direction),
            _ => Self::Several,
        }
    }

    /// Whether a transition may fire in one step with another one.
    fn may_meet(self, other: Self) -> bool {
        match (self, other) {
            (Self::Nobody, _) | (_, Self::Nobody) => false,
            (Self::Several, _) | (_, Self::Several) => true,
            (Self::Half(one, direction), Self::Half(other, opposite)) => {
                one == other && direction != opposite
            }
        }
    }
}

/// The transitions of two classes.
struct Moves<'a> {
    system: &'a System,
    classes: [ClassId; 2],
    /// Per state of one of the classes, where it may get, and with whom; and whether that may be somebody else.
    leaving: IdMap<StateId, Vec<(StateId, Meeting, bool)>>,
}

impl<'a> Moves<'a> {
    fn new(system: &'a System, classes: [ClassId; 2]) -> Self {
        let mut others: BTreeSet<(MessageId, bool)> = BTreeSet::new();
        for (id, transition) in system.transitions.iter() {
            if !classes.contains(&system.class_of(id)) {
                let events = transition.events.iter();
                others.extend(events.map(|event| (event.message, event.direction == Direction::Send)));
            }
        }
        let mut leaving = IdMap::filled(Vec::new(), system.states.len());
        let own = system.transitions.iter().filter(|(id, _)| classes.contains(&system.class_of(*id)));
        for (_, transition) in own {
            let meeting = Meeting::of(system, transition);
            let alone = match meeting {
                Meeting::Nobody | Meeting::Several => true,
                Meeting::Half(message, direction) => {
                    others.contains(&(message, direction != Direction::Send))
                }
            };
            leaving[transition.source].push((transition.target, meeting, alone));
        }
        Self { system, classes, leaving }
    }

    fn start(&self) -> [Whereabouts; 2] {
        self.classes.map(|class| {
            let class = &self.system.classes[class];
            (class.instances > 0).then_some(class.initial)
        })
    }

    /// Where the two may be after a step.
    fn after(&self, pair: [Whereabouts; 2], next: &mut Vec<[Whereabouts; 2]>) {
        for side in [0, 1] {
            let Some(state) = pair[side] else {
                next.push(at(pair, side, self.system.classes[self.classes[side]].initial));
                continue;
            };
            let alone = self.leaving[state].iter().filter(|(_, _, alone)| *alone);
            next.extend(alone.map(|(to, _, _)| at(pair, side, *to)));
        }
        if let [Some(one), Some(other)] = pair {
            for (to, meeting, _) in &self.leaving[one] {
                let meets = self.leaving[other].iter().filter(|(_, other, _)| meeting.may_meet(*other));
                next.extend(meets.map(|(beside, _, _)| [Some(*to), Some(*beside)]));
            }
        }
    }
}

/// Whether one of two classes sends by rendezvous what the other one receives.
fn meet(system: &System, [one, other]: [ClassId; 2]) -> bool {
    let halves = |class: ClassId, direction: Direction| -> BTreeSet<MessageId> {
        let own = system.transitions.iter().filter(|(id, _)| system.class_of(*id) == class);
        let events = own.flat_map(|(_, transition)| &transition.events);
        let halves =
            events.filter(|event| event.direction == direction && system.is_rendezvous(event.message));
        halves.map(|event| event.message).collect()
    };
    let (send, receive) = (Direction::Send, Direction::Receive);
    !halves(one, send).is_disjoint(&halves(other, receive))
        || !halves(one, receive).is_disjoint(&halves(other, send))
}

/// The same pair with one of the two elsewhere.
fn at(mut pair: [Whereabouts; 2], side: usize, state: StateId) -> [Whereabouts; 2] {
    pair[side] = Some(state);
    pair
}

impl Together {
    /// Looks at all pairs; `None` if these are more than [`MOST_PAIRS`], or the two never meet, so that each is anywhere beside the other one.
    ///
    /// Time linear in the pairs and the transitions from each, and in the system.
    #[must_use]
    pub fn of(system: &System, classes: [ClassId; 2]) -> Option<Self> {
        if !meet(system, classes) {
            return None;
        }
        let moves = Moves::new(system, classes);
        let mut pairs = BTreeSet::from([moves.start()]);
        let mut open = vec![moves.start()];
        let mut next = Vec::new();
        while let Some(pair) = open.pop() {
            moves.after(pair, &mut next);
            for pair in next.drain(..) {
                if pairs.insert(pair) {
                    open.push(pair);
                }
            }
            if pairs.len() > MOST_PAIRS {
                return None;
            }
        }
        let (mut beside, mut met) = (BTreeMap::new(), BTreeMap::new());
        for [one, other] in pairs {
            beside.entry(other).or_insert_with(BTreeSet::new).insert(one);
            met.entry(one).or_insert_with(BTreeSet::new).extend(other);
        }
        Some(Self { beside, met })
    }

    /// Where the first one may be while the second one is at one of these states.
    #[must_use]
    pub fn beside(&self, states: &dyn Fn(StateId) -> bool) -> BTreeSet<Whereabouts> {
        let of_states = self.beside.iter().filter(|(at, _)| at.is_some_and(states));
        all(of_states.map(|(_, beside)| beside))
    }

    /// The states of the second one at which it may be while the first one is at one of these.
    #[must_use]
    pub fn met(&self, places: &BTreeSet<Whereabouts>) -> BTreeSet<StateId> {
        all(self.met.iter().filter(|(at, _)| places.contains(at)).map(|(_, met)| met))
    }
}

/// The elements of all of these sets.
fn all<'s, T: Copy + Ord + 's>(sets: impl Iterator<Item = &'s BTreeSet<T>>) -> BTreeSet<T> {
    let mut elements: Vec<T> = sets.flatten().copied().collect();
    elements.sort_unstable();
    elements.dedup();
    elements.into_iter().collect()
}

/// Which processes are at which states at the same time, as far as that has been asked: each couple is looked at once.
#[derive(Debug, Default)]
pub struct Company(RefCell<BTreeMap<[ClassId; 2], Option<Rc<Together>>>>);

impl Company {
    /// What [`Together::of`] says, of the same system each time.
    pub fn of(&self, system: &System, classes: [ClassId; 2]) -> Option<Rc<Together>> {
        let mut known = self.0.borrow_mut();
        known.entry(classes).or_insert_with(|| Together::of(system, classes).map(Rc::new)).clone()
    }
}
