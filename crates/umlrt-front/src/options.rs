//! What the front end can be told.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of [`parse`](crate::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The origin of imported files.
    pub imports: Imports,
    /// The system to be looked at, where a model has several: a logical system, a subsystem class or
    /// an actor class.
    pub system: Option<String>,
    /// The assumption that a timer fires only when nothing else can happen.
    pub drained: bool,
    /// The most pairs of a leaf and a history of one machine that become locations. Beyond, histories
    /// become variables.
    pub max_configurations: usize,
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
    /// Imports from beside the file; the only system of the model; timers that may fire at any time.
    fn default() -> Self {
        Self { imports: Imports::Files(Vec::new()), system: None, drained: false, max_configurations: 1000 }
    }
}
