//! Promela models with known verdicts.
//!
//! `$NAME` in a model stands for the capacity of channel NAME, which matters to Spin only.

mod language;
mod messages;

use std::collections::BTreeMap;

pub use language::*;
pub use messages::*;

/// A model.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What it is about.
    pub name: &'static str,
    /// Its text, with capacities left open.
    pub text: &'static str,
    /// For each buffer that stores something its expected bound, or `None` if it can grow.
    pub bounds: &'static [(&'static str, Option<u32>)],
}

impl Model {
    /// The text with capacities: those given, and 2 for all other channels.
    #[must_use]
    pub fn with_capacities(&self, capacities: &BTreeMap<String, u32>) -> String {
        fill(self.text, capacities)
    }
}

/// Replaces `$NAME` by the capacity of NAME, or by 2.
#[must_use]
pub fn fill(text: &str, capacities: &BTreeMap<String, u32>) -> String {
    let mut parts = text.split('$');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let capacity = capacities.get(&part[..end]).copied().unwrap_or(2);
        filled.push_str(&capacity.to_string());
        filled.push_str(&part[end..]);
    }
    filled
}

/// Models whose expected bounds follow from theory 4, worked out by hand.
pub const MODELS: &[Model] = &[
    TWO_PROCESSES,
    FREE_SENDER,
    KINDS_ASKED_FOR,
    KINDS_NOT_ASKED_FOR,
    DOUBLERS,
    ASSIGNED_BEFORE,
    ASSIGNED_BEHIND,
    ASSIGNED_INSIDE,
    KNOWN_INDEX,
    UNKNOWN_INDEX,
    PACED,
    WORKERS,
    CREATED_FOR_EVER,
    CREATED_FOR_TOKENS,
    ATOMIC_RELAY,
    MACROS,
    SYMBOLS_IN_VARIABLES,
    OWN_CHANNEL,
    WRAPPED,
    FRESH_LOCALS,
    ODD_RECEIVES,
    JUMPS,
    ELSE_AND_TIMEOUT,
    GLOBALS,
    SENDERS,
    NUMBERS_BY_INDEX,
    SIBLINGS,
    ESCAPES,
    COPIES,
    INLINES,
];
