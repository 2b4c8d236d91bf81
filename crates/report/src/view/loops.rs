//! View of loops: the JSON of `freeboard loops`.

use serde::{Deserialize, Serialize};

/// The value of [`LoopListing::schema`].
pub const LOOPS_SCHEMA: &str = "freeboard.loops/1";

/// The loops of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoopListing {
    /// Version of the format: [`LOOPS_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// The loops; an outer one comes before those inside.
    pub loops: Vec<LoopRow>,
}

/// The answer to whether a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopVerdict {
    /// No process stays in it for ever, unless it receives messages for ever.
    Ends,
    /// A process can stay in it for ever.
    Endless,
    /// Neither is known.
    Unknown,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoopRow {
    /// Name of the process type.
    pub process: String,
    /// The line of its head.
    pub line: u32,
    /// The file of its head, if it is not the one that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Number of loops around it.
    pub depth: usize,
    /// `true` if some statement of it receives.
    pub receives: bool,
    /// The answer.
    pub verdict: LoopVerdict,
    /// The number of times that control comes back to the head at most, each time that the loop is
    /// entered: a number, or an expression over what variables hold then.
    pub rounds: Option<String>,
    /// The greatest value of `rounds`, if it is an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
    /// Further rounds for each message that is received in the loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_message: Option<String>,
    /// The lines of the statements that are repeated for ever, or of those that no function was
    /// found for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<u32>,
    /// For an endless loop: the number of steps of a run after which a process stays in it; absent
    /// if no run was found, and control may never get there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_after: Option<usize>,
    /// For a loop that ends: the number of states of the model with declared capacities, if that
    /// is known from looking at all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
}
