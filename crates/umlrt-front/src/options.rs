//! The options of the front end.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of [`parse`](crate::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The origin of imported files.
    pub imports: Imports,
    /// The system to be looked at, where a model has several: a logical system, a subsystem class
    /// or an actor class.
    pub system: Option<String>,
    /// The assumption that a timer fires only when nothing else can happen.
    pub drained: bool,
    /// The most pairs of a leaf and a history of one machine that become locations. Beyond,
    /// histories become variables.
    pub max_configurations: usize,
    /// The deepest nesting of states, rules and statements.
    pub max_nesting: usize,
    /// The most instances of a system.
    pub max_instances: usize,
    /// The most steps of an operation that is copied to where it is called.
    pub max_steps: usize,
    /// The most files beside a file of Art in which its names are looked for.
    pub max_files: usize,
}

/// The origin of imported files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imports {
    /// Every import is an error, but those of the library.
    Refused,
    /// The file system: beside the importing file and above it, then these directories.
    Files(Vec<PathBuf>),
    /// Memory, by name.
    Given(BTreeMap<String, String>),
}

impl Default for Options {
    /// Imports from beside the file; the only system of the model; timers that may fire at any
    /// time; limits far beyond what people write.
    fn default() -> Self {
        Self {
            imports: Imports::Files(Vec::new()),
            system: None,
            drained: false,
            max_configurations: 1000,
            max_nesting: 200,
            max_instances: 10_000,
            max_steps: 2000,
            max_files: 2000,
        }
    }
}
