//! Weights of a region, by the exact simplex.
//!
//! The unknowns are the weights of some rows, the *region*, and a factor of at least 1 for the
//! weights of all other rows: inequalities over other rows only hold for any factor. Only classes
//! that change a row of the region can then have violated columns, so the linear programme is as
//! large as the region. If there are no such weights, the dual gives columns with multiplicities;
//! the rows of these columns join the region. If the region contains them all already, the sum of
//! the columns is a growth.

use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::ClassId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::{Halt, Projection, Ray, concerned, rows_of};
use crate::Options;
use crate::cone::{Behaviour, Column, RowId};
use crate::question::{Constraints, Demand, Question, generic};
use crate::rounding::Fractions;
use crate::simplex::{Simplex, Status};

/// Maximum number of rows of a region.
const ROWS: usize = 300;

/// Maximum number of pivots of one linear programme.
const PIVOTS: usize = 5_000;

/// Cost of the factor: so high that the factor is 1 whenever it can be.
const FACTOR: u64 = 1 << 24;

impl Projection<'_> {
    /// Determines the weights of a region around a class with violated columns.
    pub(super) fn settle_region(
        &mut self,
        class: ClassId,
        mut columns: Vec<Column>,
        options: &Options,
    ) -> Result<(), Halt> {
        let mut rows = rows_of(self.cone, class);
        loop {
            rows.retain(|row| self.counts(*row));
            if rows.len() > ROWS {
                return Err(Halt::Lost);
            }
            let region: Vec<RowId> = rows.iter().copied().collect();
            let Some(ray) = self.solve(&region, &mut columns, options)? else { return Ok(()) };
            let before = rows.len();
            let beyond = ray.iter().flat_map(|(column, _)| &column.entries).map(|entry| entry.0);
            rows.extend(beyond.filter(|row| self.counts(*row)));
            if rows.len() == before {
                return Err(Halt::Growth(ray));
            }
        }
    }

    /// Solves the linear programme of a region and adopts its weights, or returns the ray that
    /// shows that there are none.
    fn solve(
        &mut self,
        region: &[RowId],
        columns: &mut Vec<Column>,
        options: &Options,
    ) -> Result<Option<Ray>, Halt> {
        let around: BTreeSet<ClassId> = region.iter().flat_map(|&row| concerned(self.cone, row)).collect();
        let nearby: BTreeSet<RowId> = around.iter().flat_map(|&class| rows_of(self.cone, class)).collect();
        let question = self.question_of(region);
        let constraints = Constraints::new(&question);
        let mut simplex = Simplex::new(&constraints.bounds(&question));
        let mut trial = self.weights.clone();
        simplex.moves = PIVOTS;
        loop {
            for column in &columns[simplex.columns()..] {
                let column = self.within(region, column)?;
                simplex.add_column(&constraints.entries(&column), &question.objective(&column));
            }
            match simplex.run(&|| options.check_time().is_err()) {
                Status::Stopped => {
                    options.check_time()?;
                    return Err(Halt::Lost);
                }
                Status::Unbounded(ray) => {
                    return Ok(Some(
                        ray.into_iter().map(|(at, times)| (columns[at].clone(), times)).collect(),
                    ));
                }
                Status::Optimal => {}
            }
            let solution =
                Solution::from_fractions(constraints.weights(&question, simplex.multipliers()), self.scale)
                    .ok_or(Halt::Lost)?;
            for &row in &nearby {
                trial[row.index()] =
                    solution.weight(region, row, self.weights[row.index()]).ok_or(Halt::Lost)?;
            }
            let before = columns.len();
            for &class in &around {
                columns.append(&mut self.violated(class, &trial)?);
            }
            if columns.len() == before {
                self.take(region, &solution)?;
                self.open.retain(|class| !around.contains(class));
                return Ok(None);
            }
        }
    }

    /// The question about the rows of a region and, last, the factor.
    fn question_of(&self, region: &[RowId]) -> Question {
        let demand = region.iter().map(|&row| self.question.demand[row]).chain([Demand::Target]);
        let marking = region.iter().map(|row| generic(row.index())).chain([FACTOR]);
        Question { demand: demand.collect(), marking: marking.collect(), free: IdMap::new() }
    }

    /// The projection of a column to the programme of a region, times the denominator.
    fn within(&self, region: &[RowId], column: &Column) -> Result<Column, Halt> {
        let mut entries = Vec::new();
        let mut others = 0i128;
        let times = |change: i128, factor: i128| change.checked_mul(factor).ok_or(Halt::Lost);
        for &(row, change) in &column.entries {
            match region.binary_search(&row) {
                Ok(at) => entries.push((RowId::new(at), times(change, self.scale)?)),
                Err(_) => {
                    let product = times(change, self.weights[row.index()])?;
                    others = others.checked_add(product).ok_or(Halt::Lost)?;
                }
            }
        }
        if others != 0 {
            entries.push((RowId::new(region.len()), others));
        }
        Ok(Column { entries, behaviour: Behaviour::Cycle(Vec::new()) })
    }

    /// Adopts the weights of a region and multiplies all others by the factor.
    fn take(&mut self, region: &[RowId], solution: &Solution) -> Result<(), Halt> {
        if solution.factor != 1 {
            for weight in &mut self.weights {
                *weight = weight.checked_mul(solution.factor).ok_or(Halt::Lost)?;
            }
        }
        for (row, weight) in region.iter().zip(&solution.weights) {
            self.weights[row.index()] = *weight;
        }
        self.scale = solution.scale;
        Ok(())
    }
}

/// Weights of a region.
struct Solution {
    /// Maps each row of the region to its weight times the denominator.
    weights: Vec<i128>,
    /// Factor for the weights of all other rows.
    factor: i128,
    /// The denominator of all weights after the factor is applied.
    scale: i128,
}

impl Solution {
    /// Converts the solution (weights and, last, the factor), given the denominator of the other
    /// weights. `None` if numbers are too large.
    fn from_fractions((weights, denominator): Fractions, scale: i128) -> Option<Self> {
        let mut all: Vec<BigInt> = weights;
        let factor = all.pop()?;
        all.iter_mut().for_each(|weight| *weight *= scale);
        let scale = denominator * scale;
        let common = all.iter().fold(factor.gcd(&scale), |common, weight| common.gcd(weight));
        let small = |value: &BigInt| (value / &common).to_i128();
        Some(Self {
            weights: all.iter().map(small).collect::<Option<_>>()?,
            factor: small(&factor)?,
            scale: small(&scale)?,
        })
    }

    /// The new weight of a row whose weight was `before`.
    fn weight(&self, region: &[RowId], row: RowId, before: i128) -> Option<i128> {
        match region.binary_search(&row) {
            Ok(at) => Some(self.weights[at]),
            Err(_) => before.checked_mul(self.factor),
        }
    }
}
