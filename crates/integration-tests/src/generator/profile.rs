//! What random programs are made of, and how large they are.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::feature::Feature;

/// Which constructs programs have, and sizes. Ranges include both ends and must not be empty.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Constructs that do not occur.
    pub without: BTreeSet<Feature>,
    /// Process types besides `init`.
    pub types: RangeInclusive<usize>,
    /// Statements in a row, at the outermost level of a process.
    pub statements: RangeInclusive<usize>,
    /// Statements or branches inside a statement.
    pub inner: RangeInclusive<usize>,
    /// How deep statements are nested, at most.
    pub depth: u32,
    /// Global variables that are no channels.
    pub globals: RangeInclusive<usize>,
    /// Global channels, arrays counted once.
    pub channels: RangeInclusive<usize>,
    /// Kinds of messages.
    pub signatures: RangeInclusive<usize>,
    /// Local variables of a process type.
    pub locals: RangeInclusive<usize>,
    /// Parameters of a process type.
    pub parameters: RangeInclusive<usize>,
    /// The greatest capacity of a channel.
    pub capacity: usize,
    /// Instances at the start that `active [n]` makes of one type, at most.
    pub instances: usize,
    /// Rounds of a loop that counts, at most.
    pub rounds: usize,
}

impl Profile {
    /// The whole language, in programs of a screenful.
    #[must_use]
    pub fn whole() -> Self {
        Self {
            without: BTreeSet::new(),
            types: 1..=3,
            statements: 1..=5,
            inner: 0..=2,
            depth: 3,
            globals: 1..=4,
            channels: 1..=3,
            signatures: 1..=3,
            locals: 0..=3,
            parameters: 0..=3,
            capacity: 3,
            instances: 3,
            rounds: 3,
        }
    }

    /// The whole language, in programs with few states: for what looks at all of them.
    #[must_use]
    pub fn small() -> Self {
        Self {
            types: 1..=2,
            statements: 1..=3,
            inner: 0..=2,
            depth: 2,
            globals: 1..=2,
            channels: 1..=2,
            signatures: 1..=2,
            locals: 0..=1,
            parameters: 0..=2,
            capacity: 2,
            instances: 2,
            rounds: 2,
            ..Self::whole()
        }
        .without(&[Feature::RunForEver])
    }

    /// This one without some constructs.
    #[must_use]
    pub fn without(mut self, features: &[Feature]) -> Self {
        self.without.extend(features);
        self
    }

    /// Whether a construct may occur.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        !self.without.contains(&feature)
    }
}
