//! Weights by balancing: what makes a sparse system of any size quick.
//!
//! It begins with all weights at their floors. Class by class, as long as a column is violated,
//! what it takes from weighs a little more, and what it adds to a little less: the weights are
//! projected onto those that the column does not violate (as Agmon and Motzkin do for inequalities
//! in general). Only classes that a changed row concerns are looked at again. Where that goes round
//! in circles, mostly in few places, the [exact simplex](region) settles the weights of that
//! region, with all others in proportion.
//!
//! All numbers are integers over one denominator. It is no proof: whoever asked tries the weights
//! on the whole system. Nor does it look for cheap weights, so it is only for the question whether
//! there are any.

mod region;

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::system::ClassId;
use num_bigint::BigInt;

use crate::cone::{Column, Cone, Row, RowId};
use crate::question::{Demand, Question};
use crate::rounding::{self, Fractions};
use crate::{Options, Stopped};

/// The denominator to begin with.
const SCALE: i128 = 16;

/// Times that all classes are looked at which what happened since may concern.
const SWEEPS: usize = 100;

/// Times that a class is looked at, on an average, and for all together.
const VISITS: (usize, usize) = (64, 10_000);

/// Times that a class is looked at before the others have their turn.
const IN_TURN: usize = 8;

/// What came of it.
#[derive(Debug)]
pub(crate) enum Balanced {
    /// Weights that satisfy the question, as far as that was looked at.
    Weights(Fractions),
    /// Columns with multiplicities that add up to growth: see
    /// [`Answer::Growth`](crate::decide::Answer::Growth).
    Growth(Vec<(Column, BigInt)>),
    /// Nothing.
    Useless,
}

/// Looks for weights that satisfy a question about a large cone.
///
/// # Errors
/// [`Stopped`] if the deadline of the options has passed.
pub(crate) fn balance(cone: &Cone<'_>, question: &Question, options: &Options) -> Result<Balanced, Stopped> {
    let mut balance = Balance::new(cone, question);
    match balance.settle(options) {
        Ok(()) => {
            let weights = balance.weights.into_iter().map(BigInt::from).collect();
            Ok(Balanced::Weights(rounding::reduce((weights, balance.scale.into()))))
        }
        Err(Halt::Stopped(stopped)) => Err(stopped),
        Err(Halt::Growth(ray)) => Ok(Balanced::Growth(ray)),
        Err(Halt::Lost) => Ok(Balanced::Useless),
    }
}

/// Why it goes no further.
enum Halt {
    /// A limit of the options.
    Stopped(Stopped),
    /// These columns add up to growth.
    Growth(Vec<(Column, BigInt)>),
    /// Numbers or regions grow too large.
    Lost,
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// Weights on the way.
struct Balance<'a> {
    cone: &'a Cone<'a>,
    question: &'a Question,
    /// Per row, its weight times the denominator.
    weights: Vec<i128>,
    /// The denominator.
    scale: i128,
    /// Classes that may have violated columns.
    open: BTreeSet<ClassId>,
    /// How often classes may still be looked at.
    visits: usize,
}

impl<'a> Balance<'a> {
    /// All weights at their floors.
    fn new(cone: &'a Cone<'a>, question: &'a Question) -> Self {
        let floor = |demand: &Demand| if *demand == Demand::Target { SCALE } else { 0 };
        let weights = question.demand.values().map(floor).collect();
        let open: BTreeSet<ClassId> = cone.system().classes.ids().collect();
        let visits = VISITS.0 * open.len() + VISITS.1;
        Self { cone, question, weights, scale: SCALE, open, visits }
    }

    /// Until no class has violated columns.
    fn settle(&mut self, options: &Options) -> Result<(), Halt> {
        for _ in 0..SWEEPS {
            if self.open.is_empty() || self.visits == 0 {
                break;
            }
            options.check_time()?;
            for class in std::mem::take(&mut self.open) {
                self.visit(class)?;
            }
        }
        while let Some(class) = self.open.pop_first() {
            let violated = self.violated(class, &self.weights)?;
            if !violated.is_empty() {
                self.settle_region(class, violated, options)?;
            }
        }
        Ok(())
    }

    /// Looks at one class.
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

    /// Columns of a class that some weights violate.
    fn violated(&self, class: ClassId, weights: &[i128]) -> Result<Vec<Column>, Halt> {
        self.cone.violated_in(class, weights, &self.question.free).ok_or(Halt::Lost)
    }

    /// Moves on to weights that a column does not violate, unless floors are in the way.
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

    /// A weight brought to what is demanded of it.
    fn clamp(&self, row: RowId, weight: i128) -> i128 {
        match self.question.demand[row] {
            Demand::Target => weight.max(self.scale),
            Demand::NonNegative => weight.max(0),
            Demand::Free => weight,
            Demand::Dropped => 0,
        }
    }

    /// Whether a row may have a weight.
    fn counts(&self, row: RowId) -> bool {
        self.question.demand[row] != Demand::Dropped
    }
}

/// The classes with a column that has an entry in a row.
fn concerned<'a>(cone: &'a Cone<'_>, row: RowId) -> impl Iterator<Item = ClassId> + 'a {
    let own = match cone.row(row) {
        Row::Entry(class) => Some(class),
        Row::Message(_) | Row::Data(_) | Row::Gain => None,
    };
    cone.touching(row).iter().copied().chain(own)
}

/// Per class of some, its rows, as columns have them.
fn rows_of(cone: &Cone<'_>, class: ClassId) -> BTreeSet<RowId> {
    let mut rows: BTreeSet<RowId> = cone.rows_in(class).collect();
    rows.insert(cone.entry_row(class));
    rows
}

#[cfg(test)]
mod tests;
