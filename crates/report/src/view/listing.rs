//! View of elementary cycles: the JSON of `freeboard cycles`.

use serde::{Deserialize, Serialize};

use super::{Gain, Step};

/// The value of [`CycleListing::schema`].
pub const CYCLES_SCHEMA: &str = "freeboard.cycles/1";

/// The elementary cycles of a system's process classes; `L` is the representation of the cycles of
/// a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CycleListing<L = Vec<Vec<Step>>> {
    /// Version of the format: [`CYCLES_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// One entry per process class.
    pub processes: Vec<ProcessCycles<L>>,
    /// Number of cycles of all classes; saturates at `usize::MAX`, and then they are not all.
    pub total: usize,
    /// `true` if all cycles are counted; if not, there are more.
    pub complete: bool,
}

/// The elementary cycles of one process class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessCycles<L = Vec<Vec<Step>>> {
    /// Name of the class.
    pub name: String,
    /// Number of its states.
    pub states: usize,
    /// Number of its transitions.
    pub transitions: usize,
    /// Number of its elementary cycles that were counted.
    pub cycles: usize,
    /// `true` if these are all.
    pub complete: bool,
    /// The cycles, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<L>,
    /// The distinct effects of the cycles, if they were asked for: the changes of the number of
    /// messages of each type by one run of a cycle, without zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Vec<Gain>>>,
}
