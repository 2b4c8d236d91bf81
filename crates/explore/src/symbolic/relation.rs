//! The transition relation of a process, as far as it has been computed.

use hashbrown::HashMap;

use super::diagram::Set;

/// The steps of a process at locations with the same footprint.
///
/// They are a relation on short words, which consist of the touched parts only. It is computed for
/// the short words that occur, and stored for each first number.
pub(super) struct Group {
    /// The process.
    pub process: usize,
    /// The levels of the touched parts, in ascending order.
    pub levels: Vec<u32>,
    /// Index in `levels` of the part of the process itself.
    pub own: usize,
    /// `true` if some of the steps wait for `timeout`.
    pub waits: bool,
    /// The known part of the relation, by the first number of short words.
    pub known: HashMap<u32, Known>,
}

/// The known part of the relation for short words that begin with one number.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// The short words (without their first number) whose steps are known.
    pub words: Set,
    /// Their steps, as words: the new first number, then for each further part its old and its new
    /// number.
    pub steps: Set,
}

/// The empty relation.
pub(super) const UNKNOWN: Known = Known { words: Set::EMPTY, steps: Set::EMPTY };
