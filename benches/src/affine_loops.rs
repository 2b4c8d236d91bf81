//! Loops of class G*P* of the thesis (Definition 9.1): a conjunction of linear guards, and several
//! paths with linear conditions and affine updates, over unbounded integers.

use num_bigint::BigInt;

/// An affine function `a·x + c`; as a condition, the set where it is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    /// The coefficient of each variable.
    pub coefficients: Vec<BigInt>,
    /// The constant.
    pub constant: BigInt,
}

impl Affine {
    /// The function with these coefficients and this constant.
    #[must_use]
    pub fn new(coefficients: &[i64], constant: i64) -> Self {
        let coefficients = coefficients.iter().map(|value| BigInt::from(*value)).collect();
        Self { coefficients, constant: constant.into() }
    }

    /// A variable, of so many.
    #[must_use]
    pub fn variable(at: usize, variables: usize) -> Self {
        let coefficients = (0..variables).map(|other| BigInt::from(u8::from(other == at))).collect();
        Self { coefficients, constant: BigInt::ZERO }
    }

    /// The value at a point.
    #[must_use]
    pub fn value(&self, point: &[i64]) -> BigInt {
        let terms = self.coefficients.iter().zip(point).map(|(factor, value)| factor * value);
        terms.sum::<BigInt>() + &self.constant
    }

    pub(crate) fn plus(&self, factor: &BigInt, other: &Self) -> Self {
        let sums = self.coefficients.iter().zip(&other.coefficients).map(|(one, two)| one + factor * two);
        Self { coefficients: sums.collect(), constant: &self.constant + factor * &other.constant }
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&BigInt::from(-1), other)
    }

    pub(crate) fn negated(&self) -> Self {
        let coefficients = self.coefficients.iter().map(|value| -value).collect();
        Self { coefficients, constant: -&self.constant }
    }

    /// The function with something added to its constant.
    #[must_use]
    pub fn shifted(mut self, constant: i64) -> Self {
        self.constant += constant;
        self
    }

    /// The condition that the function is `most` at most.
    #[must_use]
    pub fn at_most(&self, most: i64) -> Self {
        self.negated().shifted(most)
    }

    /// The function of what the coordinates of the point are functions of.
    pub(crate) fn at(&self, point: &[Self]) -> Self {
        let columns = point.first().map_or(0, |first| first.coefficients.len());
        let constant = Self { coefficients: vec![BigInt::ZERO; columns], constant: self.constant.clone() };
        self.coefficients.iter().zip(point).fold(constant, |sum, (factor, value)| sum.plus(factor, value))
    }
}

/// A path through the body of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The path is taken where none of these is negative.
    pub conditions: Vec<Affine>,
    /// The new value of each variable.
    pub updates: Vec<Affine>,
}

impl Path {
    pub(crate) fn image(&self, point: &[Affine]) -> Vec<Affine> {
        self.updates.iter().map(|update| update.at(point)).collect()
    }
}

/// A loop of class G*P* (Definition 9.1). Conditions of paths exclude each other; where none holds,
/// the loop is left, as where a guard is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop goes on where none of these is negative.
    pub guards: Vec<Affine>,
    /// The paths.
    pub paths: Vec<Path>,
}

impl Loop {
    /// The point after one round; `None` where the loop is left, or numbers are too large.
    #[must_use]
    pub fn step(&self, point: &[i64]) -> Option<Vec<i64>> {
        let hold = |rows: &[Affine]| rows.iter().all(|row| row.value(point) >= BigInt::ZERO);
        let path = self.paths.iter().find(|path| hold(&self.guards) && hold(&path.conditions))?;
        path.updates.iter().map(|update| i64::try_from(update.value(point)).ok()).collect()
    }

    /// The number of variables; 0 if there is no guard.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.guards.first().map_or(0, |guard| guard.coefficients.len())
    }
}
