//! Tests of the simplex in all integer types.
use super::*;

fn big(value: i64) -> BigInt {
    BigInt::from(value)
}

fn simplex(bounds: &[i64], columns: &[(&[(u32, i64)], i64)]) -> Simplex {
    let bounds: Vec<_> = bounds.iter().enumerate().map(|(i, &b)| (big(b), big(1 + i as i64))).collect();
    let mut simplex = Simplex::new(&bounds);
    for (entries, objective) in columns {
        let entries: Vec<_> = entries.iter().map(|&(i, a)| (i, big(a))).collect();
        simplex.add_column(&entries, &big(*objective));
    }
    simplex
}

#[test]
fn a_textbook_problem_ends_with_its_multipliers() {
    // max 3x + 5y, x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18: optimum 36, multipliers (0, 3/2, 1)
    let mut problem = simplex(&[4, 12, 18], &[(&[(0, 1), (2, 3)], 3), (&[(1, 2), (2, 2)], 5)]);
    assert_eq!(problem.run(&|| false), Status::Optimal);
    let (multipliers, scale) = problem.multipliers();
    assert_eq!(multipliers.iter().map(|y| y * 2 / &scale).collect::<Vec<_>>(), [big(0), big(3), big(2)]);
}

#[test]
fn a_late_column_is_priced_against_the_basis() {
    let mut late = simplex(&[4, 12, 18], &[(&[(0, 1), (2, 3)], 3)]);
    assert_eq!(late.run(&|| false), Status::Optimal);
    late.add_column(&[(1, big(2)), (2, big(2))], &big(5));
    assert_eq!(late.run(&|| false), Status::Optimal);
    let (multipliers, scale) = late.multipliers();
    let value: BigInt = multipliers.iter().zip([4, 12, 18]).map(|(y, b)| y * b).sum();
    assert_eq!(value, scale * 36);
}

#[test]
fn an_unbounded_problem_gives_a_ray() {
    // max y subject to −x·2 + y·3 ≤ 0: the ray (3, 2)
    let mut problem = simplex(&[0], &[(&[(0, -2)], 0), (&[(0, 3)], 1)]);
    assert_eq!(problem.run(&|| false), Status::Unbounded(vec![(0, big(3)), (1, big(2))]));
}

#[test]
fn numbers_outgrow_128_bits_and_stay_exact() {
    // x_i ≤ 3·x_{i+1}, x_100 ≤ 1, max x_0 = 3^100
    let n = 100u32;
    let columns: Vec<Vec<(u32, i64)>> =
        (0..=n).map(|i| if i == 0 { vec![(0, 1)] } else { vec![(i - 1, -3), (i, 1)] }).collect();
    let mut bounds = vec![0; n as usize];
    bounds.push(1);
    let columns: Vec<(&[(u32, i64)], i64)> =
        columns.iter().enumerate().map(|(i, c)| (c.as_slice(), i64::from(i == 0))).collect();
    let mut problem = simplex(&bounds, &columns);
    assert_eq!(problem.run(&|| false), Status::Optimal);
    let (multipliers, scale) = problem.multipliers();
    assert_eq!(&multipliers[n as usize] / scale, big(3).pow(n));
}

#[test]
fn a_run_can_be_stopped() {
    let mut problem = simplex(&[1], &[(&[(0, 1)], 1)]);
    assert_eq!(problem.run(&|| true), Status::Stopped);
}

#[test]
fn a_run_can_be_stopped_inside_of_a_pivot() {
    // Every row has an entry in the column, so one pivot changes all of them.
    let all: Vec<(u32, i64)> = (0..100).map(|row| (row, 1)).collect();
    let mut problem = simplex(&[1; 100], &[(&all, 1)]);
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    assert_eq!(problem.run(&stop), Status::Stopped);
    assert!(problem.values().iter().all(BigRational::is_zero), "nothing is changed by half a pivot");
    assert_eq!(problem.run(&|| false), Status::Optimal);
}

#[test]
fn no_more_moves_are_made_than_there_are() {
    let mut problem = simplex(&[1], &[(&[(0, 1)], 1)]);
    problem.moves = 0;
    assert_eq!(problem.run(&|| false), Status::Stopped);
    problem.moves = 2;
    assert_eq!(problem.run(&|| false), Status::Optimal);
}

#[test]
fn the_exact_simplex_serves_one_objective_after_the_other() {
    let mut problem = simplex(&[4, 12, 18], &[(&[(0, 1), (2, 3)], 3), (&[(1, 2), (2, 2)], 5)]);
    let value = |problem: &mut Simplex| {
        assert_eq!(problem.run(&|| false), Status::Optimal);
        let (multipliers, scale) = problem.multipliers();
        multipliers.iter().zip([4, 12, 18]).map(|(y, b)| y * b).sum::<BigInt>() / scale
    };
    assert_eq!(value(&mut problem), big(36));
    problem.aim(&[(0, big(1))]);
    assert_eq!(value(&mut problem), big(4));
    problem.aim(&[(1, big(1))]);
    assert_eq!(value(&mut problem), big(6));
}
