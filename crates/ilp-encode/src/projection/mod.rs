//! Row weights by successive projection: fast on sparse systems of any size.
//!
//! Starts with all weights at their lower bounds. Class by class, as long as the weights violate a
//! column, the rows from which the column takes get a larger weight and the rows to which it adds a
//! smaller one: the weights are projected onto the half-space of the column (the relaxation method
//! of Agmon and Motzkin for linear inequalities). Only classes with a changed row are visited
//! again. Where the projections cycle, mostly in few places, the [exact simplex](region) determines
//! the weights of that region, with all other weights in proportion.
//!
//! All weights are integers over one common denominator. The result is not a proof: the caller
//! checks the weights on the whole system. Nor does the method minimise the cost, so it serves only
//! for the question whether there are weights at all.

mod region;

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::system::ClassId;
use num_bigint::BigInt;

use crate::cone::{Column, Cone, Row, RowId};
use crate::question::{Demand, Question};
use crate::rounding::{self, Fractions};
use crate::{Options, Stopped};

/// The initial denominator.
const SCALE: i128 = 16;

/// Maximum number of sweeps over the open classes.
const SWEEPS: usize = 100;

/// Limit on the number of visits to classes, as `VISITS.0 * classes + VISITS.1`.
const VISITS: (usize, usize) = (64, 10_000);

/// Maximum number of projection rounds of one class in a row, before the other classes follow.
const IN_TURN: usize = 8;

/// Columns with multiplicities.
pub(crate) type Ray = Vec<(Column, BigInt)>;

/// The result of the projections.
#[derive(Debug)]
pub(crate) enum Projected {
    /// Weights that satisfy the question as far as it was checked.
    Weights(Fractions),
    /// Columns with multiplicities whose sum is a growth: see
    /// [`Answer::Growth`](crate::decide::Answer::Growth).
    Growth(Ray),
    /// No result.
    Useless,
}

/// Searches for weights that satisfy a question about a large cone. Where some are left for
/// regions, a growth that the caller finds comes first.
///
/// # Errors
/// [`Stopped`] if the deadline of the options has passed.
pub(crate) fn project(
    cone: &Cone<'_>,
    question: &Question,
    options: &Options,
    growth: impl FnOnce() -> Result<Option<Ray>, Stopped>,
) -> Result<Projected, Stopped> {
    let mut projection = Projection::new(cone, question);
    match projection.settle(options, growth) {
        Ok(()) => {
            let weights = projection.weights.into_iter().map(BigInt::from).collect();
            Ok(Projected::Weights(rounding::reduce((weights, projection.scale.into()))))
        }
        Err(Halt::Stopped(stopped)) => Err(stopped),
        Err(Halt::Growth(ray)) => Ok(Projected::Growth(ray)),
        Err(Halt::Lost) => Ok(Projected::Useless),
    }
}

/// The reason for which the computation ended early.
enum Halt {
    /// A limit of the options was hit.
    Stopped(Stopped),
    /// The sum of these columns is a growth.
    Growth(Ray),
    /// Numbers or regions became too large.
    Lost,
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// State of the computation: the current weights and the classes still to visit.
struct Projection<'a> {
    cone: &'a Cone<'a>,
    question: &'a Question,
    /// Maps each row to its weight times the denominator.
    weights: Vec<i128>,
    /// The common denominator.
    scale: i128,
    /// Classes that may have violated columns.
    open: BTreeSet<ClassId>,
    /// Remaining number of visits to classes.
    visits: usize,
}

impl<'a> Projection<'a> {
    /// Starts with all weights at their lower bounds.
    fn new(cone: &'a Cone<'a>, question: &'a Question) -> Self {
        let floor = |demand: &Demand| if *demand == Demand::Target { SCALE } else { 0 };
        let weights = question.demand.values().map(floor).collect();
        let open: BTreeSet<ClassId> = cone.system().classes.ids().collect();
        let visits = VISITS.0 * open.len() + VISITS.1;
        Self { cone, question, weights, scale: SCALE, open, visits }
    }

    /// Computes until no class has violated columns.
    fn settle(
        &mut self,
        options: &Options,
        growth: impl FnOnce() -> Result<Option<Ray>, Stopped>,
    ) -> Result<(), Halt> {
        for _ in 0..SWEEPS {
            if self.open.is_empty() || self.visits == 0 {
                break;
            }
            options.check_time()?;
            for class in std::mem::take(&mut self.open) {
                self.visit(class)?;
            }
        }
        if !self.open.is_empty()
            && let Some(ray) = growth()?
        {
            return Err(Halt::Growth(ray));
        }
        while let Some(class) = self.open.pop_first() {
            let violated = self.violated(class, &self.weights)?;
            if !violated.is_empty() {
                self.settle_region(class, violated, options)?;
            }
        }
        Ok(())
    }

    /// Projects onto the violated columns of one class, at most [`IN_TURN`] times.
    fn visit(&mut self, class: ClassId) -> Result<(), Halt> {
        self.open.remove(&class);
        for _ in 0..IN_TURN {
            self.visits = self.visits.saturating_sub(1);
            let violated = self.violated(class, &self.weights)?;
            if violated.is_empty() {
                return Ok(());
            }
            for column in &violated {
                self.project(column)?;
            }
        }
        self.open.insert(class);
        Ok(())
    }

    /// Columns of a class that `weights` violate.
    fn violated(&self, class: ClassId, weights: &[i128]) -> Result<Vec<Column>, Halt> {
        self.cone.violated_in(class, weights, &self.question.free).ok_or(Halt::Lost)
    }

    /// Projects the weights onto the half-space of a column, except where lower bounds prevent it.
    fn project(&mut self, column: &Column) -> Result<(), Halt> {
        let (mut weight, mut square) = (0i128, 0i128);
        for &(row, change) in column.entries.iter().filter(|(row, _)| self.counts(*row)) {
            let term = self.weights[row.index()].checked_mul(change);
            weight = term.and_then(|term| weight.checked_add(term)).ok_or(Halt::Lost)?;
            square =
                change.checked_mul(change).and_then(|more| square.checked_add(more)).ok_or(Halt::Lost)?;
        }
        if weight <= 0 {
            return Ok(());
        }
        let step = num_integer::Integer::div_ceil(&weight, &square);
        for &(row, change) in &column.entries {
            let before = self.weights[row.index()];
            let after =
                step.checked_mul(change).and_then(|less| before.checked_sub(less)).ok_or(Halt::Lost)?;
            let after = self.clamp(row, after);
            if after != before {
                self.weights[row.index()] = after;
                let concerned = concerned(self.cone, row);
                self.open.extend(concerned);
            }
        }
        Ok(())
    }

    /// The weight nearest to `weight` that satisfies the demand on its row.
    fn clamp(&self, row: RowId, weight: i128) -> i128 {
        match self.question.demand[row] {
            Demand::Target => weight.max(self.scale),
            Demand::NonNegative => weight.max(0),
            Demand::Free => weight,
            Demand::Dropped => 0,
        }
    }

    /// Returns `true` if a row may have a weight other than 0.
    fn counts(&self, row: RowId) -> bool {
        self.question.demand[row] != Demand::Dropped
    }
}

/// The classes with a column that has an entry in `row`.
fn concerned<'a>(cone: &'a Cone<'_>, row: RowId) -> impl Iterator<Item = ClassId> + 'a {
    let own = match cone.row(row) {
        Row::Entry(class) => Some(class),
        Row::Message(_) | Row::Data(_) | Row::Gain => None,
    };
    cone.touching(row).iter().copied().chain(own)
}

/// The rows in which the columns of a class may have entries.
fn rows_of(cone: &Cone<'_>, class: ClassId) -> BTreeSet<RowId> {
    let mut rows: BTreeSet<RowId> = cone.rows_in(class).collect();
    rows.insert(cone.entry_row(class));
    rows
}

#[cfg(test)]
mod tests;
