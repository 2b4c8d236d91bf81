//! What a tableau can hold: `i128` while it fits, and [`BigInt`] after.

use std::cmp::Ordering;
use std::fmt::Debug;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// A number in which linear combinations can be formed, or the attempt reports that it does not fit.
pub(crate) trait Number: Clone + Debug {
    /// 0.
    fn zero() -> Self;
    /// The number, or `None` if it does not fit.
    fn from_big(value: &BigInt) -> Option<Self>;
    /// How it compares with 0.
    fn sign(&self) -> Ordering;
    /// How it compares with another.
    fn compare(&self, other: &Self) -> Ordering;
    /// How `a·b` compares with `c·d`.
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;
    /// `x·a − y·b`, or `None` if it does not fit.
    fn combine(x: &Self, a: &Self, y: &Self, b: &Self) -> Option<Self>;
    /// Factors (k, t) with `k·own = t·lead`, k > 0, for a positive `lead`.
    fn factors(own: &Self, lead: &Self) -> (Self, Self);
    /// Divides a row by what its numbers have in common, as far as that keeps them small.
    fn reduce(row: &mut [&mut Self]);
}

impl Number for i128 {
    fn zero() -> Self {
        0
    }

    fn from_big(value: &BigInt) -> Option<Self> {
        value.to_i128().filter(has_absolute_value)
    }

    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        match (a.checked_mul(*b), c.checked_mul(*d)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => (BigInt::from(*a) * b).cmp(&(BigInt::from(*c) * d)),
        }
    }

    fn combine(x: &Self, a: &Self, y: &Self, b: &Self) -> Option<Self> {
        x.checked_mul(*a)?.checked_sub(y.checked_mul(*b)?).filter(has_absolute_value)
    }

    fn factors(own: &Self, lead: &Self) -> (Self, Self) {
        let common = own.gcd(lead);
        (lead / common, own / common)
    }

    fn reduce(row: &mut [&mut Self]) {
        let mut common = 0;
        for value in row.iter() {
            common = Integer::gcd(&common, &**value);
            if common == 1 {
                return;
            }
        }
        if common != 0 {
            row.iter_mut().for_each(|value| **value /= common);
        }
    }
}

/// The least i128 has none; leaving it out keeps `gcd` and negation total.
#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that `filter` asks for
const fn has_absolute_value(value: &i128) -> bool {
    *value != i128::MIN
}

impl Number for BigInt {
    fn zero() -> Self {
        Self::ZERO
    }

    fn from_big(value: &BigInt) -> Option<Self> {
        Some(value.clone())
    }

    fn sign(&self) -> Ordering {
        self.cmp(&Self::ZERO)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (a * b).cmp(&(c * d))
    }

    fn combine(x: &Self, a: &Self, y: &Self, b: &Self) -> Option<Self> {
        Some(x * a - y * b)
    }

    fn factors(own: &Self, lead: &Self) -> (Self, Self) {
        let common = own.gcd(lead);
        (lead / &common, own / common)
    }

    fn reduce(row: &mut [&mut Self]) {
        let mut common = Self::ZERO;
        for value in row.iter() {
            common = Integer::gcd(&common, &**value);
            if common.is_one() {
                return;
            }
        }
        if !Zero::is_zero(&common) {
            row.iter_mut().for_each(|value| **value /= &common);
        }
    }
}

/// `-value`, as a linear combination.
pub(super) fn negated<T: Number>(value: &T) -> Option<T> {
    let one = T::from_big(&BigInt::one())?;
    T::combine(&T::zero(), value, &one, value)
}

#[cfg(test)]
mod tests {
    use num_traits::Signed;

    use super::*;

    #[test]
    fn both_kinds_agree_on_small_numbers() {
        fn combine<T: Number>() -> Ordering {
            let number = |value: i64| T::from_big(&BigInt::from(value)).unwrap();
            let value = T::combine(&number(3), &number(5), &number(2), &number(7)).unwrap();
            value.compare(&number(1))
        }
        assert_eq!([combine::<i128>(), combine::<BigInt>()], [Ordering::Equal; 2]);
    }

    #[test]
    fn products_compare_beyond_128_bits() {
        let big = i128::MAX;
        assert_eq!(i128::compare_products(&big, &3, &big, &2), Ordering::Greater);
    }

    #[test]
    fn negation() {
        assert_eq!(negated(&5i128), Some(-5));
        assert!(Signed::is_negative(&negated(&BigInt::from(5)).unwrap()));
    }
}
