//! The limits of the analysis. Beyond them a loop is unknown, or its description coarser.

/// Most ways to execute the statements between two cut points, over all pairs of them.
pub(crate) const PATHS: usize = 160;

/// Most variables of a loop that are related to each other; further ones may hold anything.
pub(crate) const VARIABLES: usize = 12;

/// Most pairs of variables whose sums and differences are bounded at each cut point.
pub(crate) const PAIRS: usize = 12;

/// Visits of a cut point after which its bounds jump to thresholds.
pub(crate) const VISITS: usize = 3;

/// Rounds in which bounds at cut points are tightened again.
pub(crate) const TIGHTENINGS: usize = 2;

/// Most conditions by whose truth cut points are split.
pub(crate) const ATOMS: usize = 6;

/// Most blocks of a loop after splitting or composing.
pub(crate) const BLOCKS: usize = 64;

/// Most blocks for which exact arithmetic looks for a function where floats find none.
pub(crate) const EXACT_BLOCKS: usize = 6;

/// Most columns of a linear programme that looks for functions.
pub(crate) const COLUMNS: usize = 2_000;
