//! Affine expressions over symbols.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::define_id;
use num_integer::Integer;

define_id!(
    /// An integer that an affine expression is about: the value of a variable at the start of a
    /// block, or a value that is not known.
    Symbol, "symbol"
);

/// An interval of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// The least one.
    pub(crate) low: i128,
    /// The greatest one.
    pub(crate) high: i128,
}

impl Interval {
    /// All values from `low` to `high`.
    pub(crate) const fn new(low: i128, high: i128) -> Self {
        Self { low, high }
    }

    /// The interval of one value.
    pub(crate) const fn of(value: i128) -> Self {
        Self::new(value, value)
    }

    /// Returns `true` if all values of the other interval are in this one.
    pub(crate) const fn covers(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval with both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The values in both; `None` if there are none.
    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Self { low, high })
    }

    /// The number of its values.
    pub(crate) const fn size(self) -> i128 {
        self.high - self.low + 1
    }
}

/// A number, if it has no more than 80 bits: coefficients and constants are as small as that, so
/// that sums of many products with values of symbols fit into 128 bits.
fn small(value: i128) -> Option<i128> {
    (value.unsigned_abs() >> 80 == 0).then_some(value)
}

/// A sum of symbols with coefficients, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Affine {
    /// The coefficient of each symbol, none of them 0. Copies of the expression share them.
    pub terms: Arc<BTreeMap<Symbol, i128>>,
    /// The constant.
    pub constant: i128,
}

impl Affine {
    /// A constant.
    pub(crate) fn constant(constant: i128) -> Self {
        Self { terms: Arc::default(), constant }
    }

    /// A symbol.
    pub(crate) fn symbol(symbol: Symbol) -> Self {
        Self { terms: Arc::new([(symbol, 1)].into()), constant: 0 }
    }

    /// The constant, if there is no symbol.
    pub(crate) fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The expression times a factor; `None` if a number
    /// has more than 80 bits.
    pub(crate) fn times(&self, factor: i128) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    /// The sum of this expression and another one times a factor; `None` if a
    /// number has more than 80 bits.
    pub(crate) fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = small(sum.constant.checked_add(other.constant.checked_mul(factor)?)?)?;
        for (symbol, coefficient) in other.terms.iter() {
            let terms = Arc::make_mut(&mut sum.terms);
            let held = terms.entry(*symbol).or_default();
            *held = small(held.checked_add(coefficient.checked_mul(factor)?)?)?;
            if *held == 0 {
                terms.remove(symbol);
            }
        }
        Some(sum)
    }

    /// The expression with another one in place of each symbol; `None` if a
    /// number has more than 80 bits.
    pub(crate) fn substitute(&self, values: &dyn Fn(Symbol) -> Self) -> Option<Self> {
        let start = Self::constant(self.constant);
        self.terms.iter().try_fold(start, |sum, (symbol, factor)| sum.plus(&values(*symbol), *factor))
    }

    /// The interval of its values, where each symbol is in an interval of no more than 34 bits:
    /// nothing leaves 128 bits then.
    pub(crate) fn interval(&self, of: &dyn Fn(Symbol) -> Interval) -> Interval {
        let mut sum = Interval::of(self.constant);
        for (symbol, factor) in self.terms.iter() {
            let Interval { low, high } = of(*symbol);
            sum.low += (low * factor).min(high * factor);
            sum.high += (low * factor).max(high * factor);
        }
        sum
    }

    /// Returns `true` if the sum of both expressions is a negative constant: not both of them are
    /// at least 0 then.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        let opposite = |((symbol, factor), (other, by)): ((&Symbol, &i128), (&Symbol, &i128))| {
            symbol == other && *factor == -by
        };
        self.constant + other.constant < 0
            && self.terms.len() == other.terms.len()
            && self.terms.iter().zip(other.terms.iter()).all(opposite)
    }

    /// For an expression that is known not to be negative: the strongest such expression with the
    /// same integer solutions and coprime coefficients.
    pub(crate) fn tightened(mut self) -> Self {
        let common = self.terms.values().fold(0i128, |all, coefficient| all.gcd(coefficient));
        if common > 1 {
            Arc::make_mut(&mut self.terms).values_mut().for_each(|coefficient| *coefficient /= common);
            self.constant = Integer::div_floor(&self.constant, &common);
        }
        self
    }
}
