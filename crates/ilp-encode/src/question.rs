//! A question to a cone: the conditions on weights and their cost.
//!
//! ```text
//! minimise  marking·z
//! subject   z·column ≤ 0  for every column of the cone
//! to        z ≥ 1 on target rows, z ≥ 0 elsewhere, z free on rendezvous rows, z = 0 on dropped rows
//! ```
//!
//! This is the linear-programming dual of the greatest number of tokens in the target rows at the
//! same time (theory 4):
//!
//! ```text
//! maximise  Σ_targets (marking + V·x)   subject to   marking + V·x ≥ 0,  x ≥ 0
//! ```
//!
//! with equality on rendezvous rows and no condition on dropped ones. For the question whether
//! targets can be gained at all, the marking is a generic one (theory 2).

use cfsm_core::ids::IdMap;
use cfsm_core::system::ClassId;
use num_bigint::BigInt;

use crate::cone::{Column, Cone, Row, RowId};
use crate::rounding::{self, Fractions};

/// A question, see the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Maps each row to the condition on its weight.
    pub demand: IdMap<RowId, Demand>,
    /// Maps each row to its tokens at the start. Generic where only the existence of weights is
    /// asked.
    pub marking: IdMap<RowId, u64>,
    /// Maps each class to `true` if its entry costs nothing, so that its paths do not matter.
    pub free: IdMap<ClassId, bool>,
}

/// The condition on a row's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// At least 1.
    Target,
    /// At least 0.
    NonNegative,
    /// No condition.
    Free,
    /// Exactly 0.
    Dropped,
}

impl Question {
    /// A question about a cone with no targets and an empty marking.
    pub fn new(cone: &Cone<'_>) -> Self {
        let system = cone.system();
        let demand_of = |row: &Row| match row {
            Row::Message(message) if system.is_rendezvous(*message) => Demand::Free,
            Row::Message(_) | Row::Data(_) | Row::Entry(_) | Row::Gain => Demand::NonNegative,
        };
        let demand: IdMap<RowId, Demand> = cone.rows().values().map(demand_of).collect();
        let marking = IdMap::filled(0, demand.len());
        Self { demand, marking, free: IdMap::filled(false, system.classes.len()) }
    }

    /// The sum of a column's changes of the target rows.
    pub fn objective(&self, column: &Column) -> BigInt {
        let targets = column.entries.iter().filter(|(row, _)| self.demand[*row] == Demand::Target);
        targets.map(|(_, change)| BigInt::from(*change)).sum()
    }

    /// The weights nearest to the given ones that satisfy the conditions.
    pub fn clamp(&self, (mut weights, denominator): Fractions) -> Fractions {
        for (weight, demand) in weights.iter_mut().zip(self.demand.values()) {
            match demand {
                Demand::Target if *weight < denominator => weight.clone_from(&denominator),
                Demand::NonNegative if *weight < BigInt::ZERO => *weight = BigInt::ZERO,
                Demand::Dropped => *weight = BigInt::ZERO,
                Demand::Target | Demand::NonNegative | Demand::Free => {}
            }
        }
        (weights, denominator)
    }
}

/// The constraints of the maximisation: `−row·x ≤ marking` for each row that is not dropped, and
/// also `row·x ≤ 0` for free rows.
#[derive(Debug)]
pub(crate) struct Constraints {
    /// Maps each row to its constraint and, if it is free, the opposite one.
    of: IdMap<RowId, Option<(u32, Option<u32>)>>,
    len: u32,
}

impl Constraints {
    /// The constraints of a question. They do not depend on the targets.
    pub fn new(question: &Question) -> Self {
        let mut len = 0;
        let mut next = || {
            len += 1;
            len - 1
        };
        let of = question.demand.values().map(|demand| match demand {
            Demand::Dropped => None,
            Demand::Free => Some((next(), Some(next()))),
            Demand::Target | Demand::NonNegative => Some((next(), None)),
        });
        let of = of.collect();
        Self { of, len }
    }

    /// The right-hand sides with their perturbations.
    pub fn bounds(&self, question: &Question) -> Vec<(BigInt, BigInt)> {
        let mut bounds: Vec<(BigInt, BigInt)> =
            (0..self.len).map(|at| (BigInt::ZERO, generic(at as usize).into())).collect();
        for (row, constraints) in self.of.iter() {
            if let Some((lower, _)) = constraints {
                bounds[*lower as usize].0 = question.marking[row].into();
            }
        }
        bounds
    }

    /// The entries of a column in the constraints.
    pub fn entries(&self, column: &Column) -> Vec<(u32, BigInt)> {
        let mut entries = Vec::with_capacity(column.entries.len());
        for &(row, change) in &column.entries {
            if let Some((lower, upper)) = self.of[row] {
                entries.push((lower, BigInt::from(-change)));
                entries.extend(upper.map(|upper| (upper, BigInt::from(change))));
            }
        }
        entries
    }

    /// The weights of all rows from exact multipliers.
    pub fn weights(&self, question: &Question, (multipliers, scale): Fractions) -> Fractions {
        let weight = |(row, constraints): (RowId, &Option<(u32, Option<u32>)>)| {
            let Some((lower, upper)) = constraints else {
                return BigInt::ZERO;
            };
            let base = if question.demand[row] == Demand::Target { &scale } else { &BigInt::ZERO };
            let opposite = upper.map_or(&BigInt::ZERO, |upper| &multipliers[upper as usize]);
            base + &multipliers[*lower as usize] - opposite
        };
        let weights = self.of.iter().map(weight).collect();
        rounding::reduce((weights, scale))
    }
}

/// A pseudo-random number from 1 to 1024, which makes a right-hand side generic.
pub(crate) fn generic(at: usize) -> u64 {
    // The top bits of Knuth's multiplicative hash.
    1 + (((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 54)
}
