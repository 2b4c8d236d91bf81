//! Weights of a region, exactly.
//!
//! The weights of some rows are looked for, and a factor, at least 1, for those of all others: what
//! holds elsewhere holds for any factor. Only classes that change a row of the region can then have
//! violated columns, so that the programme is as large as the region. If there are no such weights,
//! columns with multiplicities say so; their rows join the region. If they are in it already, the
//! columns add up to growth.

use std::cell::Cell;
use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::ClassId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::{Balance, Halt, concerned, rows_of};
use crate::Options;
use crate::cone::{Behaviour, Column, RowId};
use crate::question::{Constraints, Demand, Question, generic};
use crate::rounding::Fractions;
use crate::simplex::{Simplex, Status};

/// Rows that a region may have.
const ROWS: usize = 300;

/// Pivots that one programme may take.
const PIVOTS: usize = 5_000;

/// What the factor costs: so much that it is 1 where it can be.
const FACTOR: u64 = 1 << 24;

/// Columns with multiplicities.
type Ray = Vec<(Column, BigInt)>;

impl Balance<'_> {
    /// Settles a region around a class with violated columns.
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

    /// Solves the programme of a region, and takes its weights; if there are none, what rules them
    /// out.
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
        let pivots = Cell::new(0);
        let is_long = || {
            pivots.set(pivots.get() + 1);
            pivots.get() > PIVOTS
        };
        loop {
            for column in &columns[simplex.columns()..] {
                let column = self.within(region, column)?;
                simplex.add_column(&constraints.entries(&column), &question.objective(&column));
            }
            match simplex.run(&|| is_long() || options.check_time().is_err()) {
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
            let solution = Solution::of(constraints.weights(&question, simplex.multipliers()), self.scale)
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

    /// A column as the programme of a region sees it, times the denominator.
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

    /// Takes the weights of a region, and all others times the factor.
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
    /// Per row of it, its weight times the denominator.
    weights: Vec<i128>,
    /// What the weights of other rows are multiplied with.
    factor: i128,
    /// The denominator that goes with that.
    scale: i128,
}

impl Solution {
    /// From the weights and, last, the factor, given the denominator of other weights. `None` if
    /// numbers are too large.
    fn of((weights, denominator): Fractions, scale: i128) -> Option<Self> {
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

    /// The weight of a row that had one before.
    fn weight(&self, region: &[RowId], row: RowId, before: i128) -> Option<i128> {
        match region.binary_search(&row) {
            Ok(at) => Some(self.weights[at]),
            Err(_) => before.checked_mul(self.factor),
        }
    }
}
