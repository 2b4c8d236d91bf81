//! Sums of variables with integer coefficients, and combinations of them.

use std::collections::BTreeMap;

use certificate::{Multiple, Reason, Sum, Variable};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{Broken, ensure};

/// The positions of variables and unknown values.
pub struct Names<'v>(BTreeMap<&'v str, usize>);

impl<'v> Names<'v> {
    pub fn new(variables: &[&'v Variable]) -> Result<Self, Broken> {
        let mut names = Self(BTreeMap::new());
        variables.iter().try_for_each(|variable| names.add(variable))?;
        Ok(names)
    }

    /// The names of a way: those of the first variables, and of unknown values.
    pub fn with_unknown(&mut self, variables: usize, unknown: &'v [Variable]) -> Result<(), Broken> {
        self.0.retain(|_, at| *at < variables);
        unknown.iter().try_for_each(|variable| self.add(variable))
    }

    fn add(&mut self, variable: &'v Variable) -> Result<(), Broken> {
        let at = self.0.len();
        ensure!(self.0.insert(&variable.name, at).is_none(), "two values are called `{}`", variable.name);
        Ok(())
    }

    pub fn position(&self, name: &str) -> Result<usize, Broken> {
        self.0.get(name).copied().ok_or_else(|| Broken(format!("there is no variable `{name}`")))
    }

    pub fn row(&self, sum: &Sum) -> Result<Row, Broken> {
        let term = |(name, factor): (&String, &BigInt)| Ok((self.position(name)?, factor.clone()));
        let terms = sum.terms.iter().map(term).collect::<Result<_, Broken>>()?;
        Ok(Row { terms, constant: sum.constant.clone() })
    }
}

/// A sum by positions.
#[derive(Clone, Default)]
pub struct Row {
    pub terms: BTreeMap<usize, BigInt>,
    pub constant: BigInt,
}

impl Row {
    pub fn of(position: usize) -> Self {
        Self { terms: BTreeMap::from([(position, BigInt::one())]), constant: BigInt::ZERO }
    }

    pub fn plus(mut self, other: &Self, factor: &BigInt) -> Self {
        for (at, value) in &other.terms {
            *self.terms.entry(*at).or_default() += value * factor;
        }
        self.constant += &other.constant * factor;
        self
    }

    pub fn times(&self, factor: &BigInt) -> Self {
        Self::default().plus(self, factor)
    }

    /// The sum behind a step, with the value behind it of each variable.
    pub fn substitute(&self, update: &[Self]) -> Self {
        let start = Self { terms: BTreeMap::new(), constant: self.constant.clone() };
        self.terms.iter().fold(start, |sum, (at, factor)| sum.plus(&update[*at], factor))
    }

    /// Returns `true` if the reason shows that the sum is not negative where all that is known is
    /// not: the factor times it is a combination with factors that are not negative, and a constant
    /// above minus the factor.
    pub fn follows(&self, reason: &Reason, known: &[&Self]) -> bool {
        let mut rest = self.times(&reason.factor);
        for Multiple { of, times } in &reason.parts {
            match known.get(*of) {
                Some(row) if !times.is_negative() => rest = rest.plus(row, &-times),
                _ => return false,
            }
        }
        !reason.factor.is_negative()
            && rest.terms.values().all(BigInt::is_zero)
            && rest.constant > -&reason.factor
    }
}
