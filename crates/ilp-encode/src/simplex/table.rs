//! The tableau and its operations, over any type of [`Number`].

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::One;

use super::number::{Number, negated};
use super::row::Row;

/// Column of the objective's value Z, which is always basic.
pub(super) const OBJECTIVE: u32 = u32::MAX;

/// A tableau. The slack of constraint i is column i; structural columns follow.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    /// The constraint rows.
    pub rows: Vec<Row<T>>,
    /// Basic variable of each row.
    pub basis: Vec<u32>,
    /// `scale·Z + Σ r_j·x_j = …`: the objective row; its scale is the entry in column
    /// [`OBJECTIVE`].
    pub objective: Row<T>,
}

/// The next move of the simplex.
pub(super) enum Choice {
    Optimal,
    Unbounded(u32),
    Pivot { row: usize, column: u32, degenerate: bool },
}

impl<T: Number> Table<T> {
    /// The slack basis of constraints (b, e); `None` if a number does not fit.
    pub fn new(bounds: &[(BigInt, BigInt)]) -> Option<Self> {
        let rows = (0..).zip(bounds).map(|(column, (b, e))| Row::slack(column, b, e));
        Some(Self {
            rows: rows.collect::<Option<_>>()?,
            basis: (0..).take(bounds.len()).collect(),
            objective: Row::slack(OBJECTIVE, &BigInt::ZERO, &BigInt::ZERO)?,
        })
    }

    /// The next move by Dantzig's rule, or by Bland's. The `tight` column does not enter the basis.
    pub fn choose(&self, bland: bool, tight: Option<u32>) -> Choice {
        let improving = self.objective.entries.iter();
        let improving = improving.filter(|(column, r)| r.sign() == Ordering::Less && Some(*column) != tight);
        let entering = if bland {
            improving.min_by_key(|(column, _)| *column)
        } else {
            improving.min_by(|(_, a), (_, b)| a.compare(b))
        };
        let Some(&(column, _)) = entering else {
            return Choice::Optimal;
        };
        let mut best: Option<(usize, &T)> = None;
        for (i, row) in self.rows.iter().enumerate() {
            let Some(lead) = row.at(column).filter(|lead| lead.sign() == Ordering::Greater) else {
                continue;
            };
            if best.is_none_or(|(j, other)| self.leaves_before(i, lead, j, other)) {
                best = Some((i, lead));
            }
        }
        let Some((row, _)) = best else {
            return Choice::Unbounded(column);
        };
        let at = &self.rows[row];
        let degenerate = at.value.sign() == Ordering::Equal && at.shift.sign() == Ordering::Equal;
        Choice::Pivot { row, column, degenerate }
    }

    /// Returns `true` if row i allows a smaller step than row j: compares (value + ε·shift) / lead,
    /// then Bland's rule.
    fn leaves_before(&self, i: usize, lead_i: &T, j: usize, lead_j: &T) -> bool {
        let (a, b) = (&self.rows[i], &self.rows[j]);
        T::compare_products(&a.value, lead_j, &b.value, lead_i)
            .then_with(|| T::compare_products(&a.shift, lead_j, &b.shift, lead_i))
            .then_with(|| self.basis[i].cmp(&self.basis[j]))
            .is_lt()
    }

    /// Makes the variable of `column` basic in `row`. `None`, with nothing changed, if a number
    /// does not fit, or `stop` returns `true`.
    pub fn pivot(&mut self, row: usize, column: u32, stop: &dyn Fn() -> bool) -> Option<()> {
        let lead = &self.rows[row];
        let mut changed = Vec::new();
        for (i, other) in self.rows.iter().enumerate() {
            if i != row && other.at(column).is_some() {
                if changed.len() % 16 == 15 && stop() {
                    return None;
                }
                changed.push((i, other.eliminate(lead, column)?));
            }
        }
        self.objective = self.objective.eliminate(lead, column)?;
        for (i, other) in changed {
            self.rows[i] = other;
        }
        self.basis[row] = column;
        Some(())
    }

    /// Adds a column, priced through the slack columns; `None`, with nothing changed, if a number
    /// does not fit.
    pub fn insert(&mut self, column: u32, entries: &[(u32, BigInt)], objective: &BigInt) -> Option<()> {
        let entries: Vec<(u32, T)> = entries
            .iter()
            .map(|(constraint, coefficient)| Some((*constraint, T::from_big(coefficient)?)))
            .collect::<Option<_>>()?;
        let one = T::from_big(&BigInt::one())?;
        // The slack columns are scanned row by row, so the new column is expanded once.
        let mut spread: Vec<Option<&T>> = vec![None; self.rows.len()];
        for (constraint, coefficient) in &entries {
            spread[*constraint as usize] = Some(coefficient);
        }
        let price = |row: &Row<T>, start: T| {
            let slacks = row.entries.iter().take_while(|(slack, _)| (*slack as usize) < spread.len());
            let known = slacks.filter_map(|(slack, inverse)| Some((inverse, spread[*slack as usize]?)));
            let mut negative = start;
            for (inverse, coefficient) in known {
                negative = T::combine(&one, &negative, inverse, coefficient)?;
            }
            negated(&negative)
        };
        let prices: Vec<T> = self.rows.iter().map(|row| price(row, T::zero())).collect::<Option<_>>()?;
        let scale = self.objective.at(OBJECTIVE).cloned().unwrap_or(one.clone());
        let start = T::combine(&scale, &T::from_big(objective)?, &T::zero(), &one)?;
        let reduced = price(&self.objective, start)?;
        let rows = self.rows.iter_mut().chain([&mut self.objective]);
        for (row, coefficient) in rows.zip(prices.into_iter().chain([reduced])) {
            if coefficient.sign() != Ordering::Equal {
                let at = row.entries.partition_point(|entry| entry.0 < column);
                row.entries.insert(at, (column, coefficient));
            }
        }
        Some(())
    }

    /// The same tableau in another number type, which has room for all of this one.
    pub fn widen<W: Number>(&self) -> Table<W> {
        Table {
            rows: self.rows.iter().map(Row::widen).collect(),
            basis: self.basis.clone(),
            objective: self.objective.widen(),
        }
    }

    /// Replaces the objective by `Σ c_j·x_j` over pairs of column and c; the basis stays. `None` if
    /// a number does not fit.
    pub fn replace_objective(&mut self, objective: &[(u32, BigInt)]) -> Option<()> {
        let mut row: Row<T> = Row::slack(OBJECTIVE, &BigInt::ZERO, &BigInt::ZERO)?;
        for (column, coefficient) in objective {
            row.entries.push((*column, T::from_big(&-coefficient)?));
        }
        row.entries.sort_unstable_by_key(|entry| entry.0);
        for (basic, &column) in self.rows.iter().zip(&self.basis) {
            row = row.eliminate(basic, column)?;
        }
        self.objective = row;
        Some(())
    }
}
