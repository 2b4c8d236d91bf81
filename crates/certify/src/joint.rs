//! Relations: combinations of places that a few classes may be at together.
//!
//! The places of a class are numbered: 0 for an instance that has not been created, and n for the
//! nth state of the class.

use std::collections::{BTreeMap, BTreeSet};

use certificate::{JointStates, MOST_JOINT_BITS, MOST_JOINT_STATES};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, StateId, System, Transition};

use crate::net::Net;
use crate::rejection::{Violation, ensure, violation};

/// The numbers of the places of all classes.
pub struct Numbers {
    /// Per state, its number within its class, from 1.
    pub of: IdMap<StateId, usize>,
    /// Per class, its states in the order of their numbers.
    states: IdMap<ClassId, Vec<StateId>>,
}

impl Numbers {
    pub fn new(system: &System) -> Self {
        let mut states = IdMap::filled(Vec::new(), system.classes.len());
        let mut of = IdMap::new();
        for (id, state) in system.states.iter() {
            let own: &mut Vec<StateId> = &mut states[state.class];
            own.push(id);
            of.push(own.len());
        }
        Self { of, states }
    }
}

/// A set of places of one class.
pub type Places = BTreeSet<usize>;

/// The part of a transition in a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// It has no rendezvous event.
    None,
    /// It has one rendezvous event, of one message.
    Half(MessageId, Direction),
    /// It has several.
    Several,
}

impl Part {
    fn new(system: &System, transition: &Transition) -> Self {
        let mut events = transition.events.iter().filter(|event| system.is_rendezvous(event.message));
        match (events.next(), events.next()) {
            (None, _) => Self::None,
            (Some(event), None) if event.count == 1 => Self::Half(event.message, event.direction),
            _ => Self::Several,
        }
    }
}

/// A move of one class: its part in a rendezvous, and the place that it leads to.
#[derive(Clone, Copy)]
struct Move {
    part: Part,
    to: usize,
}

/// A set of combinations of places that is closed: it has all that runs come to.
pub struct Relation {
    pub classes: Vec<ClassId>,
    /// By the places of all classes but the last, those of the last one.
    rows: BTreeMap<Vec<usize>, Places>,
}

impl Relation {
    /// The combinations of a list, as far as they are of these classes. Time linear in the list.
    pub fn new(numbers: &Numbers, classes: Vec<ClassId>, listed: &JointStates) -> Result<Self, Violation> {
        let twice = (1..classes.len()).any(|at| classes[..at].contains(&classes[at]));
        let fits = !twice && (2..=3).contains(&classes.len());
        ensure!(fits, "it is not about two or three different classes");
        let lens: Vec<usize> = classes.iter().map(|class| numbers.states[*class].len() + 1).collect();
        let (last, others) = lens.split_last().expect("there are two or three");
        let runs = listed.rows.iter().flat_map(|row| &row.last);
        let count = runs.map(|run| run.end().saturating_sub(*run.start()).saturating_add(1));
        let most = count.fold(listed.rows.len(), usize::saturating_add) > 2 * MOST_JOINT_STATES;
        let too_many = most || listed.rows.len().saturating_mul(*last) > MOST_JOINT_BITS;
        ensure!(!too_many, "there are more than {MOST_JOINT_STATES} combinations, or too many rows");
        let mut rows: BTreeMap<Vec<usize>, Places> = BTreeMap::new();
        for row in &listed.rows {
            let fits = row.others.len() == others.len()
                && row.others.iter().zip(others).all(|(place, len)| place < len)
                && row.last.iter().all(|run| !run.is_empty() && run.end() < last);
            ensure!(fits, "the row `{row}` does not fit the places of the classes");
            let places = rows.entry(row.others.clone()).or_default();
            places.extend(row.last.iter().flat_map(Clone::clone));
        }
        Ok(Self { classes, rows })
    }

    /// Whether the relation has what the classes begin with, and is closed under all that one, two
    /// or three of them do in a step. Other classes may do anything.
    ///
    /// Time, for each row, in the product of the moves of all classes from there.
    pub fn is_closed(&self, net: &Net<'_>, numbers: &Numbers) -> Result<(), Violation> {
        let system = net.system;
        let start = self.classes.iter().map(|class| {
            let class = &system.classes[*class];
            if class.instances > 0 { numbers.of[class.initial] } else { 0 }
        });
        let start: Vec<usize> = start.collect();
        let (last, others) = start.split_last().expect("there are two or three");
        let has_start = self.rows.get(others).is_some_and(|places| places.contains(last));
        ensure!(has_start, "the start is not in it: {}", self.told(net, numbers, &start));
        let steps = Steps::new(system, numbers, &self.classes);
        for (others, places) in &self.rows {
            let moved = steps.moved_last(places);
            for (step, to) in steps.choices(others) {
                // The last class stays, or moves too.
                let stays = Some(places).filter(|_| steps.may_fire(&step));
                let mut all = [&step[..], &[Part::None]].concat();
                let moves = moved.iter().filter(|(part, _)| {
                    all[step.len()] = **part;
                    steps.may_fire(&all)
                });
                let mut reached = stays.into_iter().chain(moves.map(|(_, places)| places)).peekable();
                let row = reached.peek().and_then(|_| self.rows.get(&to));
                if let Some(outside) = reached.find_map(|places| outside(places, row)) {
                    let from = self.told(net, numbers, others);
                    let to = self.told(net, numbers, &[&to[..], &[outside]].concat());
                    return Err(violation!("a step leads from {from} out of it: to {to}"));
                }
            }
        }
        Ok(())
    }

    /// The places of one class that go with known places of the others.
    pub fn places(&self, class: ClassId, known: &BTreeMap<ClassId, Places>) -> Places {
        let (last, others) = self.classes.split_last().expect("there are two or three");
        let mut found = Places::default();
        for (row, places) in &self.rows {
            let fits = others.iter().zip(row).all(|(other, place)| {
                *other == class || known.get(other).is_none_or(|known| known.contains(place))
            });
            if !fits {
                continue;
            }
            if *last == class {
                found.extend(places);
            } else if known.get(last).is_none_or(|known| !known.is_disjoint(places)) {
                let own = others.iter().zip(row).filter(|(other, _)| **other == class);
                found.extend(own.map(|(_, place)| place));
            }
        }
        found
    }

    /// `A@0, no B`
    fn told(&self, net: &Net<'_>, numbers: &Numbers, places: &[usize]) -> String {
        let name = |(class, place): (&ClassId, &usize)| match place.checked_sub(1) {
            None => format!("no {}", net.system.classes[*class].name),
            Some(at) => net.system.state_name(numbers.states[*class][at]),
        };
        self.classes.iter().zip(places).map(name).collect::<Vec<_>>().join(", ")
    }
}

/// The first place that a row lacks.
fn outside(places: &Places, row: Option<&Places>) -> Option<usize> {
    places.iter().find(|place| !row.is_some_and(|row| row.contains(place))).copied()
}

/// What a few classes do, alone or with each other.
struct Steps {
    /// Per class and place, the moves from there. Who has not been created may be at any time.
    moves: Vec<Vec<Vec<Move>>>,
    /// Per message type, whether another class may receive it, and send it.
    outside: IdMap<MessageId, [bool; 2]>,
}

impl Steps {
    fn new(system: &System, numbers: &Numbers, classes: &[ClassId]) -> Self {
        let of_class = |class: &ClassId| {
            let mut moves = vec![Vec::new(); numbers.states[*class].len() + 1];
            moves[0].push(Move { part: Part::None, to: numbers.of[system.classes[*class].initial] });
            moves
        };
        let mut moves: Vec<Vec<Vec<Move>>> = classes.iter().map(of_class).collect();
        let mut outside = IdMap::filled([false; 2], system.messages.len());
        for (id, transition) in system.transitions.iter() {
            if let Some(at) = classes.iter().position(|class| *class == system.class_of(id)) {
                let part = Part::new(system, transition);
                moves[at][numbers.of[transition.source]]
                    .push(Move { part, to: numbers.of[transition.target] });
            } else {
                for event in &transition.events {
                    outside[event.message][usize::from(event.direction == Direction::Send)] = true;
                }
            }
        }
        Self { moves, outside }
    }

    /// The places that moves of the last class lead to from these, by their part in a rendezvous.
    fn moved_last(&self, places: &Places) -> BTreeMap<Part, Places> {
        let mut moved: BTreeMap<Part, Places> = BTreeMap::new();
        let own = self.moves.last().into_iter();
        for one in own.flat_map(|moves| places.iter().flat_map(|place| &moves[*place])) {
            moved.entry(one.part).or_default().insert(one.to);
        }
        moved
    }

    /// The steps of all classes but the last from these places: each stays, or makes a move. With
    /// the places that they lead to. Two moves of which one has no part in a rendezvous are left
    /// out, as they are no step together.
    fn choices(&self, places: &[usize]) -> Vec<(Vec<Part>, Vec<usize>)> {
        let mut choices = vec![(Vec::new(), Vec::new())];
        for (moves, place) in self.moves.iter().zip(places) {
            let with = |(step, to): &(Vec<Part>, Vec<usize>)| {
                let stays = (step.clone(), [&to[..], &[*place]].concat());
                let moved = moves[*place]
                    .iter()
                    .map(|one| ([&step[..], &[one.part]].concat(), [&to[..], &[one.to]].concat()));
                moved.chain([stays]).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
            choices.retain(|(step, _)| step.len() < 2 || !step.contains(&Part::None));
        }
        choices
    }

    /// Whether transitions of different classes of the relation, with these parts, may fire in one
    /// step in which no further class of it takes part.
    fn may_fire(&self, step: &[Part]) -> bool {
        match step {
            [] => false,
            [Part::Half(message, direction)] => {
                self.outside[*message][usize::from(*direction == Direction::Receive)]
            }
            [_] => true,
            [Part::Half(one, direction), Part::Half(other, opposite)] => {
                one == other && direction != opposite
            }
            _ => !step.contains(&Part::None) && step.contains(&Part::Several),
        }
    }
}
