//! Limits of the format: a checker may reject what exceeds them, and provers stay below.

/// Most digits of a number. Reading takes time quadratic in them, and no proof needs as many.
pub const MOST_DIGITS: usize = 100_000;

/// Most proofs inside each other, not counting the innermost one, so that recursive readers stop.
pub const MOST_NESTED: usize = 32;

/// Most combinations of places in one [`JointStates`](crate::JointStates).
pub const MOST_JOINT_STATES: usize = 1 << 18;

/// Most rows of one [`JointStates`](crate::JointStates), times the places of the last class: a bit
/// is kept for each.
pub const MOST_JOINT_BITS: usize = 1 << 26;

/// Most configurations of a [`ConfigurationsClaim`](crate::ConfigurationsClaim).
pub const MOST_CONFIGURATIONS: usize = 100_000;

/// Most messages and creations of one transition in a
/// [`ConfigurationsClaim`](crate::ConfigurationsClaim).
pub const MOST_MESSAGES: u64 = 10_000;
