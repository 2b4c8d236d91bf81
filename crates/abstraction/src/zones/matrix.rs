//! Difference-bound matrices: upper bounds on the differences of a few variables.

use crate::widening::Widening;

/// The column of the constant 0: a bound on a single variable is a bound on its difference from 0.
pub(super) const ZERO: usize = 0;

/// No bound.
const NONE: i64 = i64::MAX;

/// A difference-bound matrix: for each pair of columns x and y, a bound c with x - y <= c, if there
/// is one. Column 0 is the constant 0.
///
/// It represents all assignments of integers to the columns that satisfy all bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    columns: usize,
    bounds: Vec<i64>,
}

/// The sum of two bounds. A sum beyond 64 bits becomes no bound, or a weaker one.
const fn sum(one: i64, other: i64) -> i64 {
    if one == NONE || other == NONE { NONE } else { one.saturating_add(other) }
}

impl Matrix {
    /// The matrix without constraints, for the given number of variables.
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

    /// Adds the constraint x - y <= bound.
    pub(super) fn tighten(&mut self, x: usize, y: usize, bound: i64) {
        self.set(x, y, self.get(x, y).min(bound));
    }

    /// Adds the constraint `least` <= x <= `most`.
    pub(super) fn within(&mut self, x: usize, least: i64, most: i64) {
        self.tighten(x, ZERO, most);
        if let Some(negated) = least.checked_neg() {
            self.tighten(ZERO, x, negated);
        }
    }

    /// The least and the greatest value of a variable according to its own two bounds; exact if the
    /// matrix is closed.
    pub(super) fn ends(&self, x: usize) -> (i64, i64) {
        let least = self.bound(ZERO, x).and_then(i64::checked_neg).unwrap_or(i64::MIN);
        (least, self.bound(x, ZERO).unwrap_or(i64::MAX))
    }

    /// Computes the closure: all bounds that follow from others. Returns `true` if the matrix is
    /// not empty. Time cubic in the columns.
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

    /// Removes all constraints on a variable. Constraints on the others are preserved if the matrix
    /// is closed.
    pub(super) fn forget(&mut self, x: usize) {
        for other in (0..self.columns).filter(|other| *other != x) {
            self.set(x, other, NONE);
            self.set(other, x, NONE);
        }
    }

    /// Adds a number to the value of a variable.
    pub(super) fn shift(&mut self, x: usize, by: i64) {
        for other in (0..self.columns).filter(|other| *other != x) {
            self.set(x, other, sum(self.get(x, other), by));
            self.set(other, x, sum(self.get(other, x), by.saturating_neg()));
        }
    }

    /// Widens the bounds until they hold for `other` too: to the next threshold, or, if not
    /// `patient`, to no bound. Returns `true` if a bound has changed. A widened matrix is never
    /// closed again, so each bound only goes up through the thresholds.
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

    /// Returns `true` if the values of the variables satisfy all bounds.
    #[cfg(test)]
    pub(super) fn holds(&self, values: &[i64]) -> bool {
        let value = |column: usize| if column == ZERO { 0 } else { i128::from(values[column - 1]) };
        let pairs = (0..self.columns).flat_map(|x| (0..self.columns).map(move |y| (x, y)));
        pairs
            .into_iter()
            .all(|(x, y)| self.bound(x, y).is_none_or(|bound| value(x) - value(y) <= i128::from(bound)))
    }
}
