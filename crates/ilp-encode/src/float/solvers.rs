//! The two float solvers, with panics caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use num_bigint::BigInt;

use super::{Candidate, Programme};
use crate::linear::{Constraint, Domain, Relation};

/// The dual simplex of minilp. It panics on some inputs (a singular basis, for one); the panic is
/// caught and reported as a failure.
#[must_use]
pub fn simplex(programme: &Programme) -> Candidate {
    use minilp::{ComparisonOp, Error, OptimizationDirection, Problem};

    quietly(|| {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<_> = programme
            .costs
            .iter()
            .zip(&programme.floors)
            .map(|(&cost, floor)| problem.add_var(cost, (floor.unwrap_or(f64::NEG_INFINITY), f64::INFINITY)))
            .collect();
        for row in &programme.rows {
            let row: minilp::LinearExpr =
                row.iter().fold(minilp::LinearExpr::empty(), |mut sum, &(variable, coefficient)| {
                    sum.add(variables[variable], coefficient);
                    sum
                });
            problem.add_constraint(row, ComparisonOp::Le, -programme.slack);
        }
        match problem.solve() {
            Ok(solution) => {
                Candidate::Optimal(variables.iter().map(|&variable| solution[variable]).collect())
            }
            Err(Error::Infeasible) => Candidate::Infeasible,
            Err(Error::Unbounded) => Candidate::Failed,
        }
    })
    .unwrap_or(Candidate::Failed)
}

/// A linear programme in general form, by the dual simplex of minilp; `None` if it has no optimum,
/// or the solver fails.
pub(crate) fn maximise(
    domains: &[Domain],
    constraints: &[Constraint],
    objective: &[(usize, BigInt)],
) -> Option<Vec<f64>> {
    use minilp::{ComparisonOp, OptimizationDirection, Problem};
    use num_traits::ToPrimitive;

    quietly(|| {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let mut costs = vec![0.0; domains.len()];
        for (column, coefficient) in objective {
            costs[*column] = coefficient.to_f64()?;
        }
        let range = |domain: &Domain| match domain {
            Domain::Free => (f64::NEG_INFINITY, f64::INFINITY),
            Domain::NonNegative => (0.0, f64::INFINITY),
        };
        let columns: Vec<_> =
            domains.iter().zip(costs).map(|(domain, cost)| problem.add_var(cost, range(domain))).collect();
        for Constraint { terms, relation, bound } in constraints {
            let mut sum = minilp::LinearExpr::empty();
            for (column, coefficient) in terms {
                sum.add(columns[*column], coefficient.to_f64()?);
            }
            let relation = match relation {
                Relation::AtMost => ComparisonOp::Le,
                Relation::Equal => ComparisonOp::Eq,
            };
            problem.add_constraint(sum, relation, bound.to_f64()?);
        }
        let solution = problem.solve().ok()?;
        Some(columns.iter().map(|column| solution[*column]).collect())
    })
    .flatten()
}

/// The interior-point method of clarabel, which takes `min q·x` with `A·x + s = b`, s ≥ 0. Its
/// results lie inside the optimal set rather than at a vertex, so they round less well.
#[must_use]
pub fn interior_point(programme: &Programme) -> Candidate {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

    let variables = programme.costs.len();
    let floors = programme.floors.iter().enumerate().filter_map(|(j, floor)| Some((j, (*floor)?)));
    let (mut is, mut js, mut values, mut bounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in &programme.rows {
        for &(variable, coefficient) in row {
            is.push(bounds.len());
            js.push(variable);
            values.push(coefficient);
        }
        bounds.push(-programme.slack);
    }
    for (variable, floor) in floors {
        is.push(bounds.len());
        js.push(variable);
        values.push(-1.0);
        bounds.push(-floor);
    }
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let answer = quietly(|| {
        let matrix = CscMatrix::new_from_triplets(bounds.len(), variables, is, js, values);
        let quadratic = CscMatrix::zeros((variables, variables));
        let cones = [SupportedConeT::NonnegativeConeT(bounds.len())];
        let mut solver =
            DefaultSolver::new(&quadratic, &programme.costs, &matrix, &bounds, &cones, settings).ok()?;
        solver.solve();
        Some((solver.solution.status, solver.solution.x.clone()))
    });
    match answer.flatten() {
        Some((SolverStatus::Solved | SolverStatus::AlmostSolved, values)) => Candidate::Optimal(values),
        Some((SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible, _)) => {
            Candidate::Infeasible
        }
        _ => Candidate::Failed,
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic in it gives `None` and is not printed.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // The hook of the embedding program still gets every panic except those of a running
        // solver.
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                previous(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    QUIET.set(before);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min x + y, x ≥ 1, y ≥ 0, 2x ≤ y.
    fn small() -> Programme {
        Programme {
            costs: vec![1.0, 1.0],
            floors: vec![Some(1.0), Some(0.0)],
            rows: vec![vec![(0, 2.0), (1, -1.0)]],
            slack: 0.0,
        }
    }

    #[test]
    fn both_solvers_find_the_optimum() {
        for solve in [simplex, interior_point] {
            let Candidate::Optimal(values) = solve(&small()) else { panic!("not solved") };
            assert!((values[0] - 1.0).abs() < 1e-6 && (values[1] - 2.0).abs() < 1e-6);
        }
    }

    #[test]
    fn both_solvers_see_infeasibility() {
        let mut programme = small();
        programme.rows.push(vec![(0, 1.0)]);
        for solve in [simplex, interior_point] {
            assert!(matches!(solve(&programme), Candidate::Infeasible));
        }
    }

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(quietly(|| -> u8 { panic!("singular") }), None);
    }
}
