//! Reasons why sums are not negative, as a checker of certificates repeats them: by Farkas' lemma,
//! with exact multipliers.

use std::collections::{BTreeMap, BTreeSet};

use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::affine::{Affine, Symbol};

/// A factor of a sum, and factors of known sums that make it up, but for a constant above minus the
/// factor. With factor 0: a contradiction between the known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Multipliers {
    /// The factor of the sum.
    pub(crate) factor: BigInt,
    /// The factors of known sums, by position, none of them 0.
    pub(crate) parts: BTreeMap<usize, BigInt>,
}

/// The reason why a sum is not negative where all known sums are not; `None` if there is none by
/// multipliers.
pub(crate) fn reason(goal: &Affine, known: &[Affine]) -> Option<Multipliers> {
    let one = |parts: &[usize]| Multipliers {
        factor: BigInt::one(),
        parts: parts.iter().map(|at| (*at, BigInt::one())).collect(),
    };
    if goal.terms.is_empty() && goal.constant >= 0 {
        return Some(one(&[]));
    }
    let is_weaker = |row: &Affine| row.terms == goal.terms && row.constant <= goal.constant;
    if let Some(at) = known.iter().position(is_weaker) {
        return Some(one(&[at]));
    }
    let connected = connected(goal, known);
    combined(goal, &connected, Aim::Goal).or_else(|| contradiction(known))
}

/// The reason why known sums are never all at least 0; `None` if there is none by multipliers.
pub(crate) fn contradiction(known: &[Affine]) -> Option<Multipliers> {
    let all: Vec<(usize, &Affine)> = known.iter().enumerate().collect();
    combined(&Affine::default(), &all, Aim::Contradiction)
}

/// The known sums that share symbols with a goal, directly or by others, with their positions.
fn connected<'a>(goal: &Affine, known: &'a [Affine]) -> Vec<(usize, &'a Affine)> {
    let mut symbols: BTreeSet<Symbol> = goal.terms.keys().copied().collect();
    let mut others: Vec<(usize, &Affine)> = known.iter().enumerate().collect();
    let mut found = Vec::new();
    loop {
        let before = found.len();
        others.retain(|(at, row)| {
            let meets = row.terms.keys().any(|symbol| symbols.contains(symbol));
            if meets {
                symbols.extend(row.terms.keys().copied());
                found.push((*at, *row));
            }
            !meets
        });
        if found.len() == before {
            found.sort_unstable_by_key(|(at, _)| *at);
            return found;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    Goal,
    Contradiction,
}

/// Factors of known sums such that the coefficients of the combination are those of the goal, and
/// the constant is as small as can be; or, for a contradiction, none are left and the constant is
/// -1.
fn combined(goal: &Affine, known: &[(usize, &Affine)], aim: Aim) -> Option<Multipliers> {
    let mut rows: BTreeMap<Symbol, Vec<(usize, BigInt)>> = BTreeMap::new();
    goal.terms.keys().for_each(|symbol| _ = rows.entry(*symbol).or_default());
    for (column, (_, row)) in known.iter().enumerate() {
        for (symbol, factor) in row.terms.iter() {
            rows.entry(*symbol).or_default().push((column, (*factor).into()));
        }
    }
    let wanted = |symbol: &Symbol| goal.terms.get(symbol).copied().unwrap_or(0).into();
    let equal = |terms, bound| Constraint { terms, relation: Relation::Equal, bound };
    let mut constraints: Vec<Constraint> =
        rows.into_iter().map(|(symbol, terms)| equal(terms, wanted(&symbol))).collect();
    let is_constant = |(column, (_, row)): (usize, &(usize, &Affine))| {
        (row.constant != 0).then(|| (column, BigInt::from(row.constant)))
    };
    let constants: Vec<(usize, BigInt)> = known.iter().enumerate().filter_map(is_constant).collect();
    let objective = match aim {
        Aim::Contradiction => {
            constraints.push(equal(constants, (-1).into()));
            Vec::new()
        }
        Aim::Goal => constants.into_iter().map(|(column, constant)| (column, -constant)).collect(),
    };
    let mut programme = LinearProgramme::new(&vec![Domain::NonNegative; known.len()], &constraints);
    let Maximum::At(most) = programme.maximise(&objective) else { return None };
    let reaches = most + BigRational::from(BigInt::from(goal.constant)) > -BigRational::one();
    if aim == Aim::Goal && !reaches {
        return None;
    }
    let point = programme.point();
    let common = point.iter().fold(BigInt::one(), |all, value| all.lcm(value.denom()));
    let whole = |value: &BigRational| (value * &common).to_integer();
    let parts = known.iter().zip(&point).filter(|(_, value)| !value.is_zero());
    let parts = parts.map(|((at, _), value)| (*at, whole(value))).collect();
    let factor = if aim == Aim::Goal { common } else { BigInt::ZERO };
    Some(Multipliers { factor, parts })
}

#[cfg(test)]
mod tests {
    use cfsm_core::ids::Id;

    use super::*;

    /// A sum of two symbols and a constant.
    fn sum(x: i128, y: i128, constant: i128) -> Affine {
        let symbol = |at| Affine::symbol(Symbol::new(at));
        let sum = Affine::constant(constant).plus(&symbol(0), x).and_then(|sum| sum.plus(&symbol(1), y));
        sum.expect("numbers are small")
    }

    fn holds(goal: &Affine, known: &[Affine], Multipliers { factor, parts }: &Multipliers) -> bool {
        let factor = i128::try_from(factor.clone()).expect("it is small");
        let mut rest = goal.times(factor).expect("numbers are small");
        for (at, times) in parts {
            let times = i128::try_from(times.clone()).expect("it is small");
            assert!(times > 0);
            rest = rest.plus(&known[*at], -times).expect("numbers are small");
        }
        rest.terms.is_empty() && rest.constant > -factor
    }

    #[test]
    fn sums_follow_from_others() {
        // 0 <= x <= 7, 2y <= x: so y <= 3, although 7/2 is more.
        let known = [sum(1, 0, 0), sum(-1, 0, 7), sum(1, -2, 0)];
        let three = sum(0, -1, 3);
        assert!(holds(&three, &known, &reason(&three, &known).expect("it follows")));
        assert_eq!(reason(&sum(0, -1, 2), &known), None);
        assert_eq!(contradiction(&known), None);
    }

    #[test]
    fn what_cannot_be_is_a_reason_for_anything() {
        let known = [sum(1, 0, -4), sum(-1, 0, 3)];
        let anything = sum(0, 1, -9);
        let found = reason(&anything, &known).expect("it cannot happen");
        assert_eq!(found.factor, BigInt::ZERO);
        assert!(holds(&anything, &known, &found));
    }
}
