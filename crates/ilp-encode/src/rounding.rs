//! Conversion of floats to exact rationals. The result is a candidate and must be verified.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{One, Signed, Zero};

/// Greatest denominator of a single rounded number.
const MAX_DENOMINATOR: i64 = 2_000;
/// Relative distance within which a float counts as the rational next to it.
const CLOSE: f64 = 1e-9;

/// Rationals as integers over a common positive denominator.
pub(crate) type Fractions = (Vec<BigInt>, BigInt);

/// The simplest rationals near the floats, over a common denominator; `None` if there is no
/// rational of small denominator near a float, or a float is not finite.
pub(crate) fn simplest(values: &[f64]) -> Option<Fractions> {
    let rationals: Vec<Ratio<i64>> =
        values.iter().map(|&value| continued_fraction(value)).collect::<Option<_>>()?;
    let mut denominator = BigInt::one();
    for rational in rationals.iter().filter(|rational| *rational.denom() != 1) {
        denominator = denominator.lcm(&BigInt::from(*rational.denom()));
        if denominator.bits() > 256 {
            return None;
        }
    }
    let numerator = |rational: &Ratio<i64>| {
        // Most values are 0.
        if rational.is_zero() { BigInt::ZERO } else { &denominator / rational.denom() * rational.numer() }
    };
    Some((rationals.iter().map(numerator).collect(), denominator))
}

/// The floats truncated to 40 binary places: precise enough to find violated columns.
pub(crate) fn dyadic(values: &[f64]) -> Option<Fractions> {
    let scale: BigInt = BigInt::one() << 40;
    let numerator = |value: &f64| {
        if value.to_bits() == 0 {
            return Some(BigInt::ZERO);
        }
        let exact = BigRational::from_float(*value)? * BigRational::from(scale.clone());
        Some(exact.round().to_integer())
    };
    Some((values.iter().map(numerator).collect::<Option<_>>()?, scale.clone()))
}

fn continued_fraction(value: f64) -> Option<Ratio<i64>> {
    if value.to_bits() == 0 {
        return Some(Ratio::zero());
    }
    if !value.is_finite() || value.abs() > 1e15 {
        return None;
    }
    let close = CLOSE * value.abs().max(1.0);
    let (mut last, mut now) = ((0i64, 1i64), (1i64, 0i64));
    let mut rest = value;
    for _ in 0..40 {
        let whole = rest.floor();
        if whole.abs() > 1e15 {
            return None;
        }
        #[allow(clippy::cast_possible_truncation)] // checked above
        let digit = whole as i64;
        let next =
            (digit.checked_mul(now.0)?.checked_add(last.0)?, digit.checked_mul(now.1)?.checked_add(last.1)?);
        if next.1 > MAX_DENOMINATOR {
            return None;
        }
        (last, now) = (now, next);
        #[allow(clippy::cast_precision_loss)] // a candidate only
        if (now.0 as f64 / now.1 as f64 - value).abs() <= close {
            return Some(Ratio::new(now.0, now.1));
        }
        rest = 1.0 / (rest - whole);
    }
    None
}

/// Divides numerators and denominator by their greatest common divisor.
pub(crate) fn reduce((mut numerators, mut denominator): Fractions) -> Fractions {
    let common = numerators.iter().fold(denominator.clone(), |all, value| all.gcd(value)).abs();
    if !common.is_zero() && !common.is_one() {
        numerators.iter_mut().for_each(|value| *value /= &common);
        denominator /= common;
    }
    (numerators, denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_rationals_are_recovered() {
        let (numerators, denominator) = simplest(&[1.0 / 3.0, 2.5, 0.0, -0.75, 1e-12]).unwrap();
        assert_eq!(denominator, BigInt::from(12));
        assert_eq!(numerators, [4, 30, 0, -9, 0].map(BigInt::from));
    }

    #[test]
    fn what_is_near_no_simple_rational_is_refused() {
        assert!(simplest(&[0.123_456_789_123_4]).is_none());
        assert!(simplest(&[f64::NAN]).is_none());
        assert!(dyadic(&[f64::INFINITY]).is_none());
    }
}
