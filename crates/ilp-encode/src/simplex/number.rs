//! The number types of a tableau: `i64` while it fits, then `i128`, then [`BigInt`].

use std::cmp::Ordering;
use std::fmt::Debug;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

/// A number type with linear combinations that report an overflow.
pub(crate) trait Number: Clone + Debug {
    /// The number 0.
    fn zero() -> Self;
    /// Converts from a big integer; `None` if it does not fit.
    fn from_big(value: &BigInt) -> Option<Self>;
    /// Converts to a big integer.
    fn to_big(&self) -> BigInt;
    /// Compares with 0.
    fn sign(&self) -> Ordering;
    /// Compares with another number.
    fn compare(&self, other: &Self) -> Ordering;
    /// Compares `a·b` with `c·d`.
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;
    /// `x·a − y·b`; `None` if it does not fit.
    fn combine(x: &Self, a: &Self, y: &Self, b: &Self) -> Option<Self>;
    /// Returns `true` if the number is 1.
    fn is_one(&self) -> bool;
    /// The greatest common divisor, non-negative.
    fn common(&self, other: &Self) -> Self;
    /// The quotient by a divisor.
    fn over(&self, divisor: &Self) -> Self;
}

impl Number for i64 {
    fn zero() -> Self {
        0
    }

    fn from_big(value: &BigInt) -> Option<Self> {
        value.to_i64().filter(|value| *value != Self::MIN)
    }

    fn to_big(&self) -> BigInt {
        (*self).into()
    }

    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (i128::from(*a) * i128::from(*b)).cmp(&(i128::from(*c) * i128::from(*d)))
    }

    fn combine(x: &Self, a: &Self, y: &Self, b: &Self) -> Option<Self> {
        // No product exceeds 2^126, as none of the factors is the least i64.
        let value = i128::from(*x) * i128::from(*a) - i128::from(*y) * i128::from(*b);
        Self::try_from(value).ok().filter(|value| *value != Self::MIN)
    }

    fn is_one(&self) -> bool {
        *self == 1
    }

    fn common(&self, other: &Self) -> Self {
        self.gcd(other)
    }

    fn over(&self, divisor: &Self) -> Self {
        self / divisor
    }
}

impl Number for i128 {
    fn zero() -> Self {
        0
    }

    fn from_big(value: &BigInt) -> Option<Self> {
        value.to_i128().filter(has_absolute_value)
    }

    fn to_big(&self) -> BigInt {
        (*self).into()
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

    fn is_one(&self) -> bool {
        *self == 1
    }

    fn common(&self, other: &Self) -> Self {
        self.gcd(other)
    }

    fn over(&self, divisor: &Self) -> Self {
        self / divisor
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

    fn to_big(&self) -> BigInt {
        self.clone()
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

    fn is_one(&self) -> bool {
        One::is_one(self)
    }

    fn common(&self, other: &Self) -> Self {
        self.gcd(other)
    }

    fn over(&self, divisor: &Self) -> Self {
        self / divisor
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
    fn all_kinds_agree_on_small_numbers() {
        fn combine<T: Number>() -> Ordering {
            let number = |value: i64| T::from_big(&BigInt::from(value)).unwrap();
            let value = T::combine(&number(3), &number(5), &number(2), &number(7)).unwrap();
            value.compare(&number(1))
        }
        let of_kinds = [combine::<i64>(), combine::<i128>(), combine::<BigInt>()];
        assert_eq!(of_kinds, [Ordering::Equal; 3]);
    }

    #[test]
    fn what_does_not_fit_is_reported() {
        let most = i64::MAX;
        assert_eq!(i64::combine(&most, &most, &most, &most), Some(0));
        assert_eq!(i64::combine(&most, &1, &-1, &1), None);
        assert_eq!(i64::combine(&-most, &most, &most, &most), None);
        // The least number of a type has no absolute value in it.
        assert_eq!(i64::combine(&-most, &1, &1, &1), None);
        assert_eq!(i64::from_big(&i64::MIN.into()), None);
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
