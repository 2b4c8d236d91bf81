//! What the state equation says (theory 1 to 4), by the simplex method of the textbooks over one
//! column per transition and one row per place: no flows, no cycles, no floats, no weights.
//!
//! ```text
//! maximise  Σ_targets (C·f)   subject to   M0 + C·f ≥ 0 (= 0 at rendezvous),   f ≥ 0
//! ```
//!
//! It takes cubic time and more; good for systems of some dozens of transitions.

use std::ops::Neg;

use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, Direction, MessageId, System};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Whether the number of messages of a type can grow for ever in the abstraction.
#[must_use]
pub fn can_grow(system: &System, message: MessageId) -> bool {
    Tableau::new(system, &[message], false).maximum().is_none()
}

/// The greatest number of messages that the state equation allows a buffer; `None` if there is
/// none.
#[must_use]
pub fn bound(system: &System, buffer: BufferId) -> Option<BigInt> {
    let targets: Vec<MessageId> = system.messages_of(buffer).collect();
    Tableau::new(system, &targets, true).maximum().map(|maximum| maximum.floor().to_integer())
}

/// Per place, what each transition adds to it: message types first, then states, then data places.
fn incidence(system: &System) -> Vec<Vec<i64>> {
    let messages = system.messages.len();
    let mut rows =
        vec![vec![0; system.transitions.len()]; messages + system.states.len() + system.data.len()];
    for (id, transition) in system.transitions.iter() {
        let at = id.index();
        for event in &transition.events {
            let sign = if event.direction == Direction::Send { 1 } else { -1 };
            rows[event.message.index()][at] += sign * i64::from(event.count);
        }
        rows[messages + transition.source.index()][at] -= 1;
        rows[messages + transition.target.index()][at] += 1;
        for data in &transition.data {
            rows[messages + system.states.len() + data.place.index()][at] += data.change;
        }
        for class in &transition.creates {
            rows[messages + system.classes[*class].initial.index()][at] += 1;
        }
    }
    rows
}

/// A simplex tableau in canonical form; the last column is the right-hand side, the last row the
/// objective with the opposite sign.
struct Tableau {
    rows: Vec<Vec<BigRational>>,
    /// The variable that each row but the last is solved for.
    basis: Vec<usize>,
}

impl Tableau {
    /// Without the initial marking the maximum is 0 or infinite: can it grow at all?
    fn new(system: &System, targets: &[MessageId], marked: bool) -> Self {
        let incidence = incidence(system);
        let messages = system.messages.len();
        let mut marking = vec![0; incidence.len()];
        if marked {
            for class in system.classes.values() {
                marking[messages + class.initial.index()] += i64::from(class.instances);
            }
            for (id, place) in system.data.iter() {
                let tokens = i64::try_from(place.initial).expect("a valid system has less than 2^52");
                marking[messages + system.states.len() + id.index()] = tokens;
            }
        }
        let negated = |row: &[i64]| row.iter().copied().map(Neg::neg).collect::<Vec<i64>>();
        let mut constraints: Vec<(Vec<i64>, i64)> =
            incidence.iter().zip(&marking).map(|(row, tokens)| (negated(row), *tokens)).collect();
        for message in system.messages.ids().filter(|message| system.is_rendezvous(*message)) {
            constraints.push((incidence[message.index()].clone(), 0));
        }
        let mut objective = vec![0; system.transitions.len()];
        for target in targets {
            for (sum, change) in objective.iter_mut().zip(&incidence[target.index()]) {
                *sum -= change;
            }
        }
        Self::with(constraints, objective)
    }

    fn with(constraints: Vec<(Vec<i64>, i64)>, objective: Vec<i64>) -> Self {
        let (variables, slacks) = (objective.len(), constraints.len());
        let number = |value: i64| BigRational::from_integer(value.into());
        let row = |(at, (entries, right)): (usize, (Vec<i64>, i64))| -> Vec<BigRational> {
            let slack = (0..slacks).map(|other| number(i64::from(at == other)));
            entries.into_iter().map(number).chain(slack).chain([number(right)]).collect()
        };
        let all = constraints.into_iter().chain([(objective, 0)]).enumerate();
        Self { rows: all.map(row).collect(), basis: (variables..variables + slacks).collect() }
    }

    /// The maximum; `None` if there is none. Bland's rule, so that it comes to an end.
    fn maximum(mut self) -> Option<BigRational> {
        let objective = self.basis.len();
        let right = self.rows[objective].len() - 1;
        while let Some(entering) = (0..right).find(|&at| self.rows[objective][at].is_negative()) {
            let positive = (0..objective).filter(|&row| self.rows[row][entering].is_positive());
            let ratio = |row: &usize| &self.rows[*row][right] / &self.rows[*row][entering];
            let leaving = positive.min_by_key(|row| (ratio(row), self.basis[*row]))?;
            self.pivot(leaving, entering);
        }
        Some(self.rows[objective][right].clone())
    }

    fn pivot(&mut self, leaving: usize, entering: usize) {
        self.basis[leaving] = entering;
        let scale = BigRational::one() / &self.rows[leaving][entering];
        self.rows[leaving].iter_mut().filter(|entry| !entry.is_zero()).for_each(|entry| *entry *= &scale);
        let pivot = self.rows[leaving].clone();
        for (at, row) in self.rows.iter_mut().enumerate() {
            let factor = row[entering].clone();
            if at == leaving || factor.is_zero() {
                continue;
            }
            for (entry, change) in row.iter_mut().zip(&pivot).filter(|(_, change)| !change.is_zero()) {
                *entry -= &factor * change;
            }
        }
    }
}
