//! Joint reachability: the states that a few processes may be at, at the same time.
//!
//! A send and a receive of a rendezvous are one step of two processes. So how far one of them has
//! come, in meeting the other one, says where that one may be.

mod co_reachability;
mod moves;
mod search;
mod state_set;

use certificate::{JointRow, JointStates, MOST_JOINT_BITS};
use cfsm_core::system::{ClassId, System};

pub use self::co_reachability::{CoReachability, Confinement};
use self::moves::ClassMoves;
use self::search::{JointSearch, Rows};
pub use self::state_set::{StateIndex, StateSet, Whereabouts};

/// Most combinations of states that are kept.
pub use certificate::MOST_JOINT_STATES;

/// Most classes that are looked at together: steps of more of them at once are not explored.
const MOST_CLASSES: usize = 3;

/// The set of all combinations of states that two or three classes, of
/// [one instance each](crate::single_classes), may be at together in any run.
///
/// Other classes may do anything: they are there for each rendezvous that one of these can take
/// part in, at any time. A transition with several rendezvous events may fire alone, or with any of
/// the other classes that have some.
#[derive(Clone, Debug)]
pub struct JointReach {
    classes: Vec<ClassId>,
    /// The class with most states, by its position: the *member* of a row.
    member: usize,
    /// How many numbers the states of each class have.
    sizes: Vec<usize>,
    /// For each combination of states of the others, the states of the member beside these.
    rows: Rows,
}

impl JointReach {
    /// Explores all combinations; `None` if more than [`MOST_JOINT_STATES`] are reached, or there
    /// are too many of any kind, or more than three classes.
    ///
    /// Time linear in the combinations and the moves of one class from each, in words of bits for
    /// the moves of others, and in the system.
    #[must_use]
    pub fn new(system: &System, states: &StateIndex, classes: &[ClassId]) -> Option<Self> {
        let sizes: Vec<usize> = classes.iter().map(|class| states.len(*class)).collect();
        let bits = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size))?;
        if bits > MOST_JOINT_BITS || classes.len() > MOST_CLASSES {
            return None;
        }
        let member = (0..classes.len()).max_by_key(|member| sizes[*member])?;
        let mut moves = ClassMoves::all(system, states, classes);
        let own = moves.remove(member);
        let rows = JointSearch::new(&own, &moves).run()?;
        Some(Self { classes: classes.to_vec(), member, sizes, rows })
    }

    /// The classes that it is about.
    pub(crate) fn classes(&self) -> &[ClassId] {
        &self.classes
    }

    /// The states that one of the classes may be at while each of the others is at one of these
    /// states; the set that is given for itself does not count.
    ///
    /// Time linear in the combinations of states of all but the member with most, times the words
    /// that hold its states.
    #[must_use]
    pub fn beside(&self, asked: usize, sets: &[&StateSet]) -> StateSet {
        let all = StateSet::full(self.sizes[asked]);
        // The number of a row, and the state in it of the class that is asked about.
        let mut rows = vec![(0, 0)];
        for (other, size) in self.sizes.iter().enumerate().filter(|(other, _)| *other != self.member) {
            let set = if other == asked { &all } else { sets[other] };
            let add = |&(row, state): &(usize, usize)| {
                let state = move |number| if other == asked { number } else { state };
                set.numbers().map(move |number| (row * size + number, state(number)))
            };
            rows = rows.iter().flat_map(add).collect();
        }
        let mut beside = StateSet::empty(self.sizes[asked]);
        for (row, state) in rows {
            let row = self.rows.row(row);
            if asked == self.member {
                beside.unite(row);
            } else if sets[self.member].intersects(row) {
                beside.insert(state);
            }
        }
        beside
    }

    /// The list of all combinations, as it stands in a certificate.
    #[must_use]
    pub fn listed(&self, system: &System) -> JointStates {
        let mut order: Vec<usize> = (0..self.classes.len()).filter(|at| *at != self.member).collect();
        let sizes: Vec<usize> = order.iter().map(|at| self.sizes[*at]).collect();
        let row = |number: usize| {
            let mut rest = number;
            let mut others: Vec<usize> = sizes
                .iter()
                .rev()
                .map(|size| {
                    let state = rest % size;
                    rest /= size;
                    state
                })
                .collect();
            others.reverse();
            JointRow::new(others, state_set::numbers(self.rows.row(number)))
        };
        let rows = (0..self.rows.len()).map(row).filter(|row| !row.last.is_empty()).collect();
        order.push(self.member);
        let classes = order.into_iter().map(|at| system.classes[self.classes[at]].name.clone());
        JointStates { classes: classes.collect(), rows }
    }
}
