//! Tests of matrix operations against the same operations on each point that the matrix represents.

use cfsm_core::program::Program;
use proptest::prelude::*;

use crate::widening::Widening;
use crate::zones::matrix::{Matrix, ZERO};

/// Number of variables of the matrices in these tests.
const VARIABLES: usize = 2;

/// All points that are compared.
fn points() -> impl Iterator<Item = Vec<i64>> {
    (-9..=9).flat_map(|x| (-9..=9).map(move |y| vec![x, y]))
}

fn inside(matrix: &Matrix) -> Vec<Vec<i64>> {
    points().filter(|point| matrix.holds(point)).collect()
}

/// A closed matrix whose points all lie among those that are compared; `None` if it is empty.
fn matrix() -> impl Strategy<Value = Option<Matrix>> {
    let bound = (0..=VARIABLES, 0..=VARIABLES, -4_i64..6);
    prop::collection::vec(bound, 0..4).prop_map(|bounds| {
        let mut matrix = Matrix::any(VARIABLES);
        (1..=VARIABLES).for_each(|x| matrix.within(x, -5, 5));
        for (x, y, bound) in bounds.into_iter().filter(|(x, y, _)| x != y) {
            matrix.tighten(x, y, bound);
        }
        matrix.close().then_some(matrix)
    })
}

proptest! {
    #[test]
    fn closing_leaves_the_points_and_says_all(
        bounds in prop::collection::vec((0..=VARIABLES, 0..=VARIABLES, -4_i64..6), 0..5),
    ) {
        let mut matrix = Matrix::any(VARIABLES);
        (1..=VARIABLES).for_each(|x| matrix.within(x, -5, 5));
        for (x, y, bound) in bounds.into_iter().filter(|(x, y, _)| x != y) {
            matrix.tighten(x, y, bound);
        }
        let before = inside(&matrix);
        let any = matrix.close();
        prop_assert_eq!(any, !before.is_empty());
        prop_assert_eq!(&inside(&matrix), &before);
        if any {
            for x in 1..=VARIABLES {
                let values = || before.iter().map(|point| point[x - 1]);
                prop_assert_eq!(matrix.ends(x), (values().min().unwrap(), values().max().unwrap()));
            }
            let difference = before.iter().map(|point| point[0] - point[1]).max();
            prop_assert_eq!(matrix.bound(1, 2), difference);
        }
    }

    #[test]
    fn writes_are_those_of_points(matrix in matrix(), x in 1..=VARIABLES, by in -3_i64..=3) {
        prop_assume!(matrix.is_some());
        let matrix = matrix.unwrap();
        let before = inside(&matrix);
        let mut shifted = matrix.clone();
        shifted.shift(x, by);
        let mut forgotten = matrix.clone();
        forgotten.forget(x);
        for mut point in before {
            point[x - 1] += by;
            prop_assert!(shifted.holds(&point));
            point[x - 1] = 9;
            prop_assert!(forgotten.holds(&point));
        }
        prop_assert_eq!(inside(&shifted).len(), inside(&matrix).len());
        let other = VARIABLES + 1 - x;
        prop_assert_eq!(forgotten.ends(other), matrix.ends(other));
    }

    #[test]
    fn what_has_grown_holds_both(one in matrix(), other in matrix(), patient: bool) {
        prop_assume!(one.is_some() && other.is_some());
        let (one, other) = (one.unwrap(), other.unwrap());
        let widening = Widening::of(&Program::default(), 4);
        let mut both = one.clone();
        let grown = both.grow(&other, &widening, patient);
        let holds_all = |points: &[Vec<i64>]| points.iter().all(|point| both.holds(point));
        prop_assert!(holds_all(&inside(&one)) && holds_all(&inside(&other)));
        prop_assert_eq!(grown, both != one);
        prop_assert!(!both.clone().grow(&other, &widening, patient));
        both.grow(&Matrix::any(VARIABLES), &widening, patient);
        prop_assert_eq!(both, Matrix::any(VARIABLES));
    }
}

#[test]
fn extremes_do_not_overflow() {
    let mut matrix = Matrix::any(VARIABLES);
    matrix.within(1, i64::MIN, i64::MAX);
    assert_eq!(matrix.ends(1), (i64::MIN, i64::MAX));
    matrix.within(2, i64::MIN + 2, i64::MAX - 1);
    assert!(matrix.close());
    assert_eq!(matrix.ends(2), (i64::MIN + 2, i64::MAX - 1));
    matrix.shift(2, i64::MAX);
    assert_eq!(matrix.bound(2, ZERO), None);
    assert!(matrix.close());
}

#[test]
fn bounds_rest_at_thresholds_of_either_sign() {
    let widening = Widening::of(&Program::default(), 4);
    let above = |bound| widening.above(bound);
    assert_eq!([-4, -2, 0, 1, 2, 200].map(above), [-3, -1, 0, 1, 3, 255]);
    assert_eq!([-256, i64::MIN, i64::MAX, 1 << 40].map(above), [-255, i64::MIN, i64::MAX, i64::MAX]);
}
