//! The float search: a linear programme in, a candidate out. Nothing here decides anything.
//!
//! The programmes have the dual shape: `min cost·z` subject to `Σ a_j·z_j ≤ 0` (or a little less)
//! per column of the cone and `z_j ≥ floor_j` (or z_j free). minilp gives no multipliers, so it is
//! the dual that is posed.

#[cfg(feature = "float")]
mod solvers;

#[cfg(feature = "float")]
pub use solvers::{interior_point, simplex};

/// A linear programme: minimise `Σ cost_j·z_j`.
#[derive(Debug, Default)]
pub struct Programme {
    /// Cost per variable.
    pub costs: Vec<f64>,
    /// Least value per variable; `None` if it is free.
    pub floors: Vec<Option<f64>>,
    /// Rows `Σ coefficient·z ≤ −slack`, sparse.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// How far below 0 rows have to be: 0, or a little, for room to round.
    pub slack: f64,
}

/// What a solver said.
#[derive(Debug)]
pub enum Candidate {
    /// Values of the variables that it takes for optimal.
    Optimal(Vec<f64>),
    /// It holds the programme for infeasible.
    Infeasible,
    /// It gave up, or crashed.
    Failed,
}

/// Solves a programme: with minilp, and with clarabel where that crashes.
///
/// On programmes of the shape posed here minilp is the faster one at every size measured
/// (docs/benchmarks.md), and its answers are vertices, which round well. Nobody should rely on one
/// solver, though.
///
/// Without the feature `float` there is no solver, and it always fails: then the exact simplex does
/// all the work.
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
