//! View of the conditions of an open program that hang on its environment.

use serde::{Deserialize, Serialize};

/// The conditions that hang on the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConditionListing {
    /// The open channels.
    pub open: Vec<String>,
    /// The conditions, by their lines.
    pub conditions: Vec<ConditionRow>,
}

/// A condition that hangs on the environment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConditionRow {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Name of the process type.
    pub process: String,
    /// The statement.
    pub text: String,
    /// The part of the statement that hangs on the environment: variables, or the message.
    pub part: String,
    /// The open channels that it hangs on.
    pub sources: Vec<String>,
    /// `true` if it hangs on the environment whenever a process is there; `false` if in some runs.
    pub always: bool,
}
