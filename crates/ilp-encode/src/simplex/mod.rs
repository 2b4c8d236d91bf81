//! An exact primal simplex with columns that may be added at any time.
//!
//! It solves `max c·x` subject to `A·x ≤ b + ε·e`, `x ≥ 0`, with `b ≥ 0`, `e > 0` and ε an
//! infinitesimal: the slack basis is feasible, so there is no first phase, and the perturbation e
//! breaks the ties of which homogeneous problems (b = 0) consist. Bland's rule decides the
//! remaining ties, so the method terminates. The final multipliers are optimal for ε = 0 too.
//!
//! A column that is added after some pivots is priced through the slack columns, which hold the
//! inverse of the basis; no work is repeated (column generation, as in Dantzig and Wolfe's
//! decomposition). The objective may be replaced while the basis stays.

mod number;
mod row;
mod table;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use number::Number;
use table::{Choice, OBJECTIVE, Table};

/// The result of a run of the simplex.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// No column of those present improves the objective.
    Optimal,
    /// The objective grows without bound along this ray: pairs of structural column and
    /// multiplicity, positive integers without common divisor.
    Unbounded(Vec<(usize, BigInt)>),
    /// The caller asked to stop.
    Stopped,
}

/// The tableau in the smallest integer type that suffices.
#[derive(Debug)]
enum Rows {
    Tiny(Table<i64>),
    Small(Table<i128>),
    Big(Table<BigInt>),
}

/// Evaluates an expression for the tableau in any integer type.
macro_rules! in_any {
    ($rows:expr, $table:ident => $what:expr) => {
        match $rows {
            Rows::Tiny($table) => $what,
            Rows::Small($table) => $what,
            Rows::Big($table) => $what,
        }
    };
}

impl Rows {
    /// The slack basis of constraints (b, e).
    fn new(bounds: &[(BigInt, BigInt)]) -> Self {
        let tiny = Table::new(bounds).map(Rows::Tiny);
        let small = tiny.or_else(|| Table::new(bounds).map(Rows::Small));
        small.or_else(|| Table::new(bounds).map(Rows::Big)).expect("big integers fit")
    }

    /// Converts to the next larger integer type, if there is one.
    fn widen(&mut self) {
        match self {
            Self::Tiny(table) => *self = Self::Small(table.widen()),
            Self::Small(table) => *self = Self::Big(table.widen()),
            Self::Big(_) => {}
        }
    }
}

/// The exact simplex.
#[derive(Debug)]
pub(crate) struct Simplex {
    constraints: u32,
    structural: u32,
    rows: Rows,
    /// A slack column that must not enter the basis: its constraint stays an equation.
    tight: Option<u32>,
    /// Number of moves that [`Simplex::run`] may still choose.
    pub moves: usize,
}

impl Simplex {
    /// A problem with constraints (b, e) and no columns.
    pub fn new(bounds: &[(BigInt, BigInt)]) -> Self {
        let rows = Rows::new(bounds);
        Self { constraints: to_u32(bounds.len()), structural: 0, rows, tight: None, moves: usize::MAX }
    }

    /// Adds a structural column with its entries (constraint, coefficient) and its objective.
    pub fn add_column(&mut self, entries: &[(u32, BigInt)], objective: &BigInt) {
        let column = self.constraints + self.structural;
        self.structural += 1;
        while in_any!(&mut self.rows, table => table.insert(column, entries, objective)).is_none() {
            self.rows.widen();
        }
    }

    /// The number of structural columns.
    pub fn columns(&self) -> usize {
        self.structural as usize
    }

    /// Sets the objective: pairs of structural column and coefficient. The basis stays.
    pub fn aim(&mut self, objective: &[(usize, BigInt)]) {
        let columns = objective.iter().map(|(at, c)| (self.constraints + to_u32(*at), c.clone()));
        let columns: Vec<_> = columns.collect();
        while in_any!(&mut self.rows, table => table.replace_objective(&columns)).is_none() {
            self.rows.widen();
        }
    }

    /// Keeps a constraint an equation from now on, if it is one at the present basis and its
    /// multiplier is not 0.
    pub fn keep_tight(&mut self, constraint: u32) {
        self.tight = Some(constraint);
    }

    /// The value of each structural column at the present basis.
    pub fn values(&self) -> Vec<BigRational> {
        let mut values = vec![BigRational::zero(); self.columns()];
        in_any!(&self.rows, table => {
            for (row, &basic) in table.rows.iter().zip(&table.basis) {
                if let (Some(column), Some(lead)) = (basic.checked_sub(self.constraints), row.at(basic)) {
                    values[column as usize] = BigRational::new(row.value.to_big(), lead.to_big());
                }
            }
        });
        values
    }

    /// Pivots until the objective is optimal or unbounded over the present columns, `stop` returns
    /// `true` (then it has to for ever), or there are no moves left. The number of pivots is finite
    /// (exponential in the worst case, small in practice).
    pub fn run(&mut self, stop: &dyn Fn() -> bool) -> Status {
        let mut stalled = false;
        loop {
            if self.moves == 0 || stop() {
                return Status::Stopped;
            }
            self.moves -= 1;
            match in_any!(&self.rows, table => table.choose(stalled, self.tight)) {
                Choice::Optimal => return Status::Optimal,
                Choice::Unbounded(column) => return Status::Unbounded(self.ray(column)),
                Choice::Pivot { row, column, degenerate } => {
                    // Dantzig's rule as long as every pivot makes progress, Bland's rule during
                    // ties.
                    stalled = degenerate;
                    while in_any!(&mut self.rows, table => table.pivot(row, column, stop)).is_none() {
                        if stop() {
                            return Status::Stopped;
                        }
                        self.rows.widen();
                    }
                }
            }
        }
    }

    /// The multiplier of each constraint, as numerators over the common positive denominator
    /// returned with them. Optimal after [`Status::Optimal`].
    pub fn multipliers(&self) -> (Vec<BigInt>, BigInt) {
        in_any!(&self.rows, table => {
            let price = |column| table.objective.at(column).map_or(BigInt::ZERO, Number::to_big);
            ((0..self.constraints).map(price).collect(), price(OBJECTIVE))
        })
    }

    /// The ray along which the variable of `column` grows: structural columns with multiplicities.
    fn ray(&self, column: u32) -> Vec<(usize, BigInt)> {
        let moves = in_any!(&self.rows, table => moves(table, column));
        let multiple = moves.iter().fold(<BigInt as One>::one(), |all, (_, _, divisor)| all.lcm(divisor));
        let structural = moves.into_iter().filter(|(variable, ..)| *variable >= self.constraints);
        let mut ray: Vec<_> = structural
            .map(|(variable, amount, divisor)| {
                ((variable - self.constraints) as usize, amount * &multiple / divisor)
            })
            .collect();
        ray.sort_unstable_by_key(|entry| entry.0);
        let common = ray.iter().fold(BigInt::ZERO, |all, (_, amount)| all.gcd(amount));
        ray.iter_mut().for_each(|(_, amount)| *amount /= &common);
        ray
    }
}

/// The changes when the variable of `column` grows by 1, as triples of variable, amount and
/// divisor.
fn moves<T: Number>(table: &Table<T>, column: u32) -> Vec<(u32, BigInt, BigInt)> {
    let basics = table.rows.iter().zip(&table.basis).filter_map(|(row, &basic)| {
        let change = -row.at(column)?.to_big();
        Some((basic, change, row.at(basic)?.to_big()))
    });
    basics.chain([(column, <BigInt as One>::one(), <BigInt as One>::one())]).collect()
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 rows and columns")
}

#[cfg(test)]
mod tests;
