//! Upper bounds on the differences of a few variables.

use crate::widening::Widening;

/// The column of the number 0: a bound on a single variable is one on its difference from 0.
pub(super) const ZERO: usize = 0;

/// No bound.
const NONE: i64 = i64::MAX;

/// For each pair of columns x and y, a bound c with x - y <= c, if there is one. Column 0 is the
/// number 0.
///
/// It stands for all assignments of integers to the columns that keep all the bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    columns: usize,
    bounds: Vec<i64>,
}

/// A sum of bounds. What would leave 64 bits is no bound, or one that is not as strict.
const fn sum(one: i64, other: i64) -> i64 {
    if one == NONE || other == NONE { NONE } else { one.saturating_add(other) }
}

impl Matrix {
    /// Anything, for so many variables.
    pub(super) fn any(variables: usize) -> Self {
        let columns = variables + 1;
        let mut matrix = Self { columns, bounds: vec![NONE; columns * columns] };
        for column in 0..columns {
            matrix.set(column, column, 0);
        }
        matrix
    }

    const fn at(&self, x: usize, y: usize) -> usize {
        x * self.columns + y
    }

    fn get(&self, x: usize, y: usize) -> i64 {
        self.bounds[self.at(x, y)]
    }

    fn set(&mut self, x: usize, y: usize, bound: i64) {
        let at = self.at(x, y);
        self.bounds[at] = bound;
    }

    /// The bound on x - y, if there is one.
    pub(super) fn bound(&self, x: usize, y: usize) -> Option<i64> {
        Some(self.get(x, y)).filter(|bound| *bound != NONE)
    }

    /// Asks for x - y <= bound too.
    pub(super) fn tighten(&mut self, x: usize, y: usize, bound: i64) {
        self.set(x, y, self.get(x, y).min(bound));
    }

    /// Asks for `least` <= x <= `most` too.
    pub(super) fn within(&mut self, x: usize, (least, most): (i64, i64)) {
        self.tighten(x, ZERO, most);
        if let Some(negated) = least.checked_neg() {
            self.tighten(ZERO, x, negated);
        }
    }

    /// The least and the greatest value of a variable, as far as is said right away.
    pub(super) fn ends(&self, x: usize) -> (i64, i64) {
        let least = self.bound(ZERO, x).and_then(i64::checked_neg).unwrap_or(i64::MIN);
        (least, self.bound(x, ZERO).unwrap_or(i64::MAX))
    }

    /// Adds all bounds that follow from others; whether any assignment is left. Time cubic in the
    /// columns.
    pub(super) fn close(&mut self) -> bool {
        for by in 0..self.columns {
            for x in 0..self.columns {
                for y in 0..self.columns {
                    let around = sum(self.get(x, by), self.get(by, y));
                    self.tighten(x, y, around);
                }
            }
        }
        (0..self.columns).all(|column| self.get(column, column) >= 0)
    }

    /// Leaves open what a variable holds. What is said of the others stays, if this is closed.
    pub(super) fn forget(&mut self, x: usize) {
        for other in (0..self.columns).filter(|other| *other != x) {
            self.set(x, other, NONE);
            self.set(other, x, NONE);
        }
    }

    /// Adds a number to what a variable holds.
    pub(super) fn shift(&mut self, x: usize, by: i64) {
        for other in (0..self.columns).filter(|other| *other != x) {
            self.set(x, other, sum(self.get(x, other), by));
            self.set(other, x, sum(self.get(other, x), by.saturating_neg()));
        }
    }

    /// Loosens bounds until they hold for `other` too: to the next threshold, or, if not `patient`,
    /// to none. Whether any had to be. What is loosened is never closed again, so each bound only
    /// goes up through the thresholds.
    pub(super) fn grow(&mut self, other: &Self, widening: &Widening, patient: bool) -> bool {
        let mut grown = false;
        for (bound, new) in self.bounds.iter_mut().zip(&other.bounds) {
            if new > bound {
                *bound = if patient && *new != NONE { widening.above(*new) } else { NONE };
                grown = true;
            }
        }
        grown
    }

    /// Whether these values of the variables keep all bounds.
    #[cfg(test)]
    pub(super) fn holds(&self, values: &[i64]) -> bool {
        let value = |column: usize| if column == ZERO { 0 } else { i128::from(values[column - 1]) };
        let pairs = (0..self.columns).flat_map(|x| (0..self.columns).map(move |y| (x, y)));
        pairs
            .into_iter()
            .all(|(x, y)| self.bound(x, y).is_none_or(|bound| value(x) - value(y) <= i128::from(bound)))
    }
}
