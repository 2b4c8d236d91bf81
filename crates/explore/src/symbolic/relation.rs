//! What steps of a process change, as far as it has been found out.

use hashbrown::HashMap;

use super::diagram::Set;

/// The steps of a process at locations at which they touch the same parts.
///
/// They are a relation of short words: those of the parts that are touched. It is found out for the
/// short words that are met, and kept for each number that these begin with.
pub(super) struct Group {
    /// The process.
    pub process: usize,
    /// The parts, by their levels, in order.
    pub levels: Vec<u32>,
    /// Which of them is the process.
    pub own: usize,
    /// Whether some of them wait for `timeout`.
    pub waits: bool,
    /// By the first number of short words.
    pub known: HashMap<u32, Known>,
}

/// What is known of short words that begin with a number.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Those that are known.
    pub words: Set,
    /// What these become. What the first number becomes, then the second number and what it
    /// becomes, and so on.
    pub steps: Set,
}

/// Nothing.
pub(super) const UNKNOWN: Known = Known { words: Set::EMPTY, steps: Set::EMPTY };
