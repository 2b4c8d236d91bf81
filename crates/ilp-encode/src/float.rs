//! The float search: solves a linear programme approximately. Its result is a candidate and decides
//! nothing.
//!
//! The programmes have the dual shape: `min cost·z` subject to `Σ a_j·z_j ≤ 0` (or slightly less)
//! per column of the cone and `z_j ≥ floor_j` (or z_j free). minilp returns no multipliers, so the
//! dual is posed directly.

#[cfg(feature = "float")]
mod solvers;

#[cfg(feature = "float")]
pub(crate) use solvers::maximise;
#[cfg(feature = "float")]
pub use solvers::{interior_point, simplex};

/// A linear programme: minimise `Σ cost_j·z_j`.
#[derive(Debug, Default)]
pub struct Programme {
    /// Cost per variable.
    pub costs: Vec<f64>,
    /// Lower bound per variable; `None` if it is free.
    pub floors: Vec<Option<f64>>,
    /// Rows `Σ coefficient·z ≤ −slack`, sparse.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// Required distance of rows below 0: 0, or a small margin for rounding.
    pub slack: f64,
}

/// The result of a solver.
#[derive(Debug)]
pub enum Candidate {
    /// Values of the variables that the solver reports as optimal.
    Optimal(Vec<f64>),
    /// The solver reports the programme as infeasible.
    Infeasible,
    /// The solver gave up or crashed.
    Failed,
}

/// Solves a programme with minilp, or with clarabel if minilp crashes.
///
/// On programmes of this shape minilp is the faster one at every size measured
/// (docs/benchmarks.md), and its results are vertices, which round well. The second solver avoids
/// the dependence on a single one.
///
/// Without the feature `float` there is no solver, and the function always fails: the exact simplex
/// then does all the work.
#[must_use]
#[cfg_attr(not(feature = "float"), allow(unused_variables))]
pub fn minimise(programme: &Programme) -> Candidate {
    #[cfg(feature = "float")]
    {
        match simplex(programme) {
            Candidate::Failed => interior_point(programme),
            answer => answer,
        }
    }
    #[cfg(not(feature = "float"))]
    Candidate::Failed
}
