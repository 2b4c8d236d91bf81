//! Linear programmes in general form, solved exactly.
//!
//! A programme `max c·x` subject to rows `a·x ≤ b` and `a·x = b` becomes a homogeneous one for the
//! exact simplex: with one more column t, `a·x − b·t ≤ 0` and `t ≤ 1`. It is feasible if t gets to
//! 1, and then the slack of `t ≤ 1` stays out of the basis while other objectives are maximised.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::simplex::{Simplex, Status};

/// The values that a column may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Any rational number.
    Free,
    /// Any rational number that is not negative.
    NonNegative,
}

/// The relation of a row's sum to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The sum is at most the bound.
    AtMost,
    /// The sum is the bound.
    Equal,
}

/// A row: a sum of columns with coefficients, related to a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Pairs of column and coefficient; no column occurs twice.
    pub terms: Vec<(usize, BigInt)>,
    /// The relation of the sum to the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: BigInt,
}

/// The result of a maximisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maximum {
    /// No point satisfies all constraints.
    Infeasible,
    /// The objective exceeds any number.
    Unbounded,
    /// The greatest value of the objective.
    At(BigRational),
}

/// The columns of the simplex that stand for a column of the programme.
#[derive(Clone, Copy, Debug)]
struct Halves {
    positive: usize,
    /// For a free column: the column that is subtracted.
    negative: Option<usize>,
}

/// A linear programme. The constraints stay, objectives are maximised one after the other, each
/// from the basis where the last one ended.
///
/// ```
/// use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
///
/// // x + y ≤ 4 and x = 1
/// let row = |terms: &[(usize, i32)], relation, bound: i32| Constraint {
///     terms: terms.iter().map(|(column, value)| (*column, (*value).into())).collect(),
///     relation,
///     bound: bound.into(),
/// };
/// let rows = [row(&[(0, 1), (1, 1)], Relation::AtMost, 4), row(&[(0, 1)], Relation::Equal, 1)];
/// let mut programme = LinearProgramme::new(&[Domain::Free; 2], &rows);
/// let three = num_rational::BigRational::from_integer(3.into());
/// assert_eq!(programme.maximise(&[(1, 1.into())]), Maximum::At(three));
/// ```
#[derive(Debug)]
pub struct LinearProgramme {
    simplex: Simplex,
    columns: Vec<Halves>,
    feasible: bool,
    /// The row `t ≤ 1`.
    unit: usize,
    /// The first simplex row of each constraint; an equality has a second one behind it.
    rows: Vec<usize>,
}

impl LinearProgramme {
    /// A programme with these columns and constraints. Finds out whether it is feasible, in
    /// exponential time in the worst case, and in few pivots in practice.
    #[must_use]
    pub fn new(domains: &[Domain], constraints: &[Constraint]) -> Self {
        let mut rows = Vec::with_capacity(constraints.len());
        let mut unit = 0;
        for constraint in constraints {
            rows.push(unit);
            unit += if constraint.relation == Relation::Equal { 2 } else { 1 };
        }
        // Different perturbations break more ties.
        let mut bounds: Vec<(BigInt, BigInt)> = (1..=unit).map(|at| (BigInt::zero(), at.into())).collect();
        bounds.push((BigInt::one(), BigInt::one()));
        let mut simplex = Simplex::new(&bounds);
        let mut entries: Vec<Vec<(u32, BigInt)>> = vec![Vec::new(); domains.len()];
        let mut homogeneous: Vec<(u32, BigInt)> = Vec::new();
        for (constraint, &row) in constraints.iter().zip(&rows) {
            let row = to_u32(row);
            for (column, coefficient) in &constraint.terms {
                entries[*column].push((row, coefficient.clone()));
                if constraint.relation == Relation::Equal {
                    entries[*column].push((row + 1, -coefficient));
                }
            }
            if !constraint.bound.is_zero() {
                homogeneous.push((row, -&constraint.bound));
                if constraint.relation == Relation::Equal {
                    homogeneous.push((row + 1, constraint.bound.clone()));
                }
            }
        }
        homogeneous.push((to_u32(unit), BigInt::one()));
        simplex.add_column(&homogeneous, &BigInt::one());
        let mut columns = Vec::with_capacity(domains.len());
        let zero = BigInt::zero();
        for (entries, domain) in entries.into_iter().zip(domains) {
            let positive = simplex.columns();
            simplex.add_column(&entries, &zero);
            let negative = (*domain == Domain::Free).then(|| {
                let opposite: Vec<_> = entries.iter().map(|(row, value)| (*row, -value)).collect();
                simplex.add_column(&opposite, &zero);
                positive + 1
            });
            columns.push(Halves { positive, negative });
        }
        simplex.run(&|| false);
        let (multipliers, _) = simplex.multipliers();
        let feasible = !multipliers[unit].is_zero();
        if feasible {
            simplex.keep_tight(to_u32(unit));
        }
        Self { simplex, columns, feasible, unit, rows }
    }

    /// Returns `true` if some point satisfies all constraints.
    #[must_use]
    pub const fn is_feasible(&self) -> bool {
        self.feasible
    }

    /// Maximises an objective: pairs of column and coefficient.
    pub fn maximise(&mut self, objective: &[(usize, BigInt)]) -> Maximum {
        if !self.feasible {
            return Maximum::Infeasible;
        }
        let mut all = Vec::with_capacity(2 * objective.len());
        for (column, coefficient) in objective {
            let Halves { positive, negative } = self.columns[*column];
            all.push((positive, coefficient.clone()));
            all.extend(negative.map(|negative| (negative, -coefficient)));
        }
        self.simplex.aim(&all);
        match self.simplex.run(&|| false) {
            Status::Unbounded(_) => Maximum::Unbounded,
            Status::Optimal | Status::Stopped => {
                let (mut multipliers, scale) = self.simplex.multipliers();
                Maximum::At(BigRational::new(multipliers.swap_remove(self.unit), scale))
            }
        }
    }

    /// The point at which the last maximisation ended: the value of each column.
    #[must_use]
    pub fn point(&self) -> Vec<BigRational> {
        let values = self.simplex.values();
        let value = |halves: &Halves| match halves.negative {
            Some(negative) => &values[halves.positive] - &values[negative],
            None => values[halves.positive].clone(),
        };
        self.columns.iter().map(value).collect()
    }

    /// The multiplier of each constraint in the proof that the last maximum is none too small: the
    /// sum of the constraints with these multipliers (not negative for those with
    /// [`Relation::AtMost`]) is `objective ≤ maximum`, but for non-negative columns, of which the
    /// sum may have more.
    #[must_use]
    pub fn multipliers(&self, constraints: &[Constraint]) -> Vec<BigRational> {
        let (multipliers, scale) = self.simplex.multipliers();
        let multiplier = |(constraint, &row): (&Constraint, &usize)| {
            let value = match constraint.relation {
                Relation::AtMost => multipliers[row].clone(),
                Relation::Equal => &multipliers[row] - &multipliers[row + 1],
            };
            BigRational::new(value, scale.clone())
        };
        constraints.iter().zip(&self.rows).map(multiplier).collect()
    }
}

/// A point with about the greatest value of an objective, rounded to simple numbers: a candidate,
/// which may violate constraints. `None` if floats find none, or without the feature `float`.
#[must_use]
#[cfg_attr(not(feature = "float"), allow(unused_variables))]
pub fn approximate(
    domains: &[Domain],
    constraints: &[Constraint],
    objective: &[(usize, BigInt)],
) -> Option<Vec<BigRational>> {
    #[cfg(feature = "float")]
    {
        let values = crate::float::maximise(domains, constraints, objective)?;
        let (numerators, denominator) = crate::rounding::simplest(&values)?;
        let value = |numerator| BigRational::new(numerator, denominator.clone());
        Some(numerators.into_iter().map(value).collect())
    }
    #[cfg(not(feature = "float"))]
    None
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 rows")
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn constraint(terms: &[i64], relation: Relation, bound: i64) -> Constraint {
        let terms = terms.iter().enumerate().filter(|(_, value)| **value != 0);
        let terms = terms.map(|(column, value)| (column, (*value).into())).collect();
        Constraint { terms, relation, bound: bound.into() }
    }

    fn objective(values: &[i64]) -> Vec<(usize, BigInt)> {
        values.iter().enumerate().map(|(column, value)| (column, (*value).into())).collect()
    }

    fn number(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn a_triangle_has_its_maxima_at_its_corners() {
        // x ≥ -2, y ≥ 1, 2x + 3y ≤ 11
        let rows = [
            constraint(&[-1, 0], Relation::AtMost, 2),
            constraint(&[0, -1], Relation::AtMost, -1),
            constraint(&[2, 3], Relation::AtMost, 11),
        ];
        let mut triangle = LinearProgramme::new(&[Domain::Free; 2], &rows);
        assert_eq!(triangle.maximise(&objective(&[1, 0])), Maximum::At(number(4, 1)));
        assert_eq!(triangle.point(), [number(4, 1), number(1, 1)]);
        assert_eq!(triangle.maximise(&objective(&[0, 1])), Maximum::At(number(5, 1)));
        assert_eq!(triangle.maximise(&objective(&[-1, -1])), Maximum::At(number(1, 1)));
        assert_eq!(triangle.maximise(&objective(&[4, 5])), Maximum::At(number(21, 1)));
    }

    #[test]
    fn what_has_no_point_and_what_has_no_end_is_told() {
        let apart = [constraint(&[1], Relation::AtMost, 0), constraint(&[-1], Relation::AtMost, -1)];
        let mut none = LinearProgramme::new(&[Domain::Free], &apart);
        assert!(!none.is_feasible());
        assert_eq!(none.maximise(&objective(&[1])), Maximum::Infeasible);
        let mut ray = LinearProgramme::new(&[Domain::NonNegative], &[]);
        assert_eq!(ray.maximise(&objective(&[1])), Maximum::Unbounded);
        assert_eq!(ray.maximise(&objective(&[-1])), Maximum::At(number(0, 1)));
    }

    proptest! {
        /// A maximum is attained at the point, and the multipliers show that it is none too small.
        #[test]
        fn a_maximum_has_a_point_and_a_proof(
            rows in vec((vec(-3i64..=3, 3), any::<bool>(), -4i64..=6), 0..6),
            aim in vec(-3i64..=3, 3),
            free in vec(any::<bool>(), 3),
        ) {
            let relation = |equal| if equal { Relation::Equal } else { Relation::AtMost };
            let rows: Vec<Constraint> =
                rows.iter().map(|(terms, equal, bound)| constraint(terms, relation(*equal), *bound)).collect();
            let domain = |free: &bool| if *free { Domain::Free } else { Domain::NonNegative };
            let domains: Vec<Domain> = free.iter().map(domain).collect();
            let mut programme = LinearProgramme::new(&domains, &rows);
            let Maximum::At(most) = programme.maximise(&objective(&aim)) else { return Ok(()) };
            let point = programme.point();
            let sum = |terms: &[(usize, BigInt)]| -> BigRational {
                terms.iter().map(|(column, value)| &point[*column] * BigRational::from_integer(value.clone())).sum()
            };
            prop_assert_eq!(sum(&objective(&aim)), most.clone());
            for row in &rows {
                let (sum, bound) = (sum(&row.terms), BigRational::from_integer(row.bound.clone()));
                prop_assert!(sum == bound || (row.relation == Relation::AtMost && sum < bound));
            }
            prop_assert!(domains.iter().zip(&point).all(|(d, x)| *d == Domain::Free || *x >= number(0, 1)));
            let multipliers = programme.multipliers(&rows);
            let mut total = vec![number(0, 1); 3];
            let mut bound = number(0, 1);
            for (row, multiplier) in rows.iter().zip(&multipliers) {
                prop_assert!(row.relation == Relation::Equal || *multiplier >= number(0, 1));
                for (column, value) in &row.terms {
                    total[*column] += multiplier * BigRational::from_integer(value.clone());
                }
                bound += multiplier * BigRational::from_integer(row.bound.clone());
            }
            prop_assert_eq!(bound, most);
            for ((total, aim), domain) in total.iter().zip(&aim).zip(&domains) {
                let aim = number(*aim, 1);
                prop_assert!(*total == aim || (*domain == Domain::NonNegative && *total > aim));
            }
        }
    }
}
