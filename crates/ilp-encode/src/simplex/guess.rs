//! The simplex in floats, kept from one objective to the next. It only guesses.

use num_bigint::BigInt;

use super::number::Number;
use super::table::{Choice, Table};
use super::to_u32;

/// Pivots after which the tableau is made anew from the columns, to shed rounding errors.
const REFRESH: usize = 100;

/// How far a run came.
#[derive(Debug)]
pub(crate) enum Progress {
    /// To what looks like the optimum: multipliers of the constraints, and the value.
    Optimal { multipliers: Vec<f64>, value: f64 },
    /// To a feasible point of this value, when the budget was spent.
    Exhausted { value: f64 },
    /// To nothing of use: rounding errors have taken over.
    Failed,
}

/// A float simplex.
#[derive(Debug)]
pub(crate) struct Guess {
    bounds: Vec<(BigInt, BigInt)>,
    /// Entries of the structural columns.
    columns: Vec<Vec<(u32, BigInt)>>,
    /// The objective over structural columns, without zeros.
    objective: Vec<(u32, BigInt)>,
    table: Table<f64>,
    /// Pivots since the tableau was made from the columns.
    age: usize,
}

impl Guess {
    /// A problem with constraints (b, e) and no columns yet; `None` if a number is beyond floats.
    pub fn new(bounds: Vec<(BigInt, BigInt)>) -> Option<Self> {
        let table = Table::new(&bounds)?;
        Some(Self { bounds, columns: Vec::new(), objective: Vec::new(), table, age: 0 })
    }

    /// The number of structural columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Adds a structural column with its entries (constraint, coefficient) and its objective.
    pub fn add_column(&mut self, entries: Vec<(u32, BigInt)>, objective: &BigInt) -> Option<()> {
        let column = self.column(self.columns.len());
        self.table.insert(column, &entries, objective)?;
        self.columns.push(entries);
        if *objective != BigInt::ZERO {
            self.objective.push((column, objective.clone()));
        }
        Some(())
    }

    /// Puts an objective over structural columns in place.
    pub fn aim(&mut self, objective: &[(usize, BigInt)]) -> Option<()> {
        self.objective = objective.iter().map(|(at, c)| (self.column(*at), c.clone())).collect();
        self.table.replace_objective(&self.objective)
    }

    /// Pivots towards the optimum, at most as often as `budget` says and counting it down.
    pub fn run(&mut self, budget: &mut usize) -> Progress {
        loop {
            if self.age >= REFRESH && self.refresh().is_none() {
                return Progress::Failed;
            }
            match self.table.choose(false) {
                Choice::Unbounded(_) => return Progress::Failed,
                Choice::Optimal => {
                    let price = |column| self.table.objective.at(column).copied().unwrap_or(0.0);
                    let multipliers = (0..to_u32(self.bounds.len())).map(price).collect();
                    return Progress::Optimal { multipliers, value: self.value() };
                }
                Choice::Pivot { .. } if *budget == 0 => return Progress::Exhausted { value: self.value() },
                Choice::Pivot { row, column, .. } => {
                    *budget -= 1;
                    self.age += 1;
                    if self.table.pivot(row, column).is_none() {
                        return Progress::Failed;
                    }
                }
            }
        }
    }

    /// The value of the objective so far.
    fn value(&self) -> f64 {
        self.table.objective.value
    }

    /// Makes the tableau of the present basis anew; `None` if the basis turns out to be singular or
    /// infeasible.
    pub fn refresh(&mut self) -> Option<()> {
        let mut table: Table<f64> = Table::new(&self.bounds)?;
        let constraints = to_u32(self.bounds.len());
        for (column, entries) in (constraints..).zip(&self.columns) {
            table.insert(column, entries, &BigInt::ZERO)?;
        }
        // A slack that is basic keeps its own row; every other row takes the structural column that is
        // largest in it.
        let mut vacant = vec![true; self.bounds.len()];
        let (slack, structural): (Vec<u32>, Vec<u32>) =
            self.table.basis.iter().partition(|&&column| column < constraints);
        slack.iter().for_each(|&row| vacant[row as usize] = false);
        for column in structural {
            let sizes = table.rows.iter().enumerate().filter(|(row, _)| vacant[*row]);
            let sizes = sizes.filter_map(|(row, entries)| Some((row, entries.at(column)?.abs())));
            let (row, size) = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
            if size.sign().is_eq() {
                return None;
            }
            vacant[row] = false;
            table.orient(row, column);
            table.pivot(row, column)?;
        }
        if table.rows.iter().any(|row| row.value.sign().is_lt()) {
            return None;
        }
        table.replace_objective(&self.objective)?;
        self.table = table;
        self.age = 0;
        Some(())
    }

    fn column(&self, structural: usize) -> u32 {
        to_u32(self.bounds.len() + structural)
    }
}
