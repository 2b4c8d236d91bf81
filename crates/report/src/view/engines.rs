//! The calls of engines in a check.

use serde::{Deserialize, Serialize};

use super::{Check, Property};

/// One call of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineCall {
    /// The property that was asked about.
    pub property: Property,
    /// The name of the engine.
    pub engine: String,
    /// States of the model that were looked at, or questions that were asked about abstractions.
    pub work: usize,
    /// What came of it.
    pub result: EngineResult,
}

/// The result of a call of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineResult {
    /// Everything that was asked is proved.
    Proved,
    /// Runs refute everything that is not proved.
    Refuted,
    /// Less is open than before, or more is known.
    Progress,
    /// Nothing was found.
    Exhausted,
}

impl Check {
    /// The same with calls of engines, after those that it has.
    #[must_use]
    pub fn with_engines(mut self, calls: impl IntoIterator<Item = EngineCall>) -> Self {
        self.statistics.engines.extend(calls);
        self
    }
}
