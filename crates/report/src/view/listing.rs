//! What `freeboard cycles` has to say.

use serde::{Deserialize, Serialize};

use super::{Gain, Step};

/// The value of [`CycleListing::schema`].
pub const CYCLES_SCHEMA: &str = "freeboard.cycles/1";

/// The elementary cycles of a system's process classes; `L` is how the cycles of a class are
/// listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CycleListing<L = Vec<Vec<Step>>> {
    /// Version of the format: [`CYCLES_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// One entry per process class.
    pub processes: Vec<ProcessCycles<L>>,
    /// The number of cycles of all classes. It says no more than `usize::MAX`, and then they are
    /// not all.
    pub total: usize,
    /// Whether that is all of them; if not, counting stopped there and there are more.
    pub complete: bool,
}

/// The elementary cycles of one process class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessCycles<L = Vec<Vec<Step>>> {
    /// Name of the class.
    pub name: String,
    /// Its states.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// The number of its elementary cycles, as far as they were counted.
    pub cycles: usize,
    /// Whether that is all of them.
    pub complete: bool,
    /// The cycles, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<L>,
    /// The different effects of the cycles, if they were asked for: what one run of a cycle adds to
    /// the number of messages of each type, without zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Vec<Gain>>>,
}
