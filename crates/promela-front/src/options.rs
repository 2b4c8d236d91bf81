//! Options of the front end.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of [`parse`](crate::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Macros that are defined before the text, with their bodies; without one the body is `1`. A
    /// name may have parameters: `max(a,b)`.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros of [`defines`](Self::defines) to be left undefined, and predefined macros to be
    /// undefined, such as `linux`.
    pub undefines: Vec<String>,
    /// Source of included files.
    pub includes: Includes,
    /// Greatest nesting depth of statements and expressions.
    pub max_nesting: usize,
    /// Greatest number of tokens that macros may expand to in total. A token counts once for each
    /// macro that it passes, and the tokens of repeated includes count too.
    pub max_expansion: usize,
}

/// Source of included files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Includes {
    /// Includes are errors.
    Refused,
    /// The file system: the directory of the including file (not for `<...>`), then these
    /// directories.
    Files(Vec<PathBuf>),
    /// Memory: texts by name.
    Given(BTreeMap<String, String>),
}

impl Default for Options {
    /// No macros; includes from the directory of the file; 2 000 levels of nesting; 2^22 tokens
    /// from macros (some 20 MB of text, for which the tokens alone take 128 MiB).
    fn default() -> Self {
        Self {
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Includes::Files(Vec::new()),
            max_nesting: 2000,
            max_expansion: 1 << 22,
        }
    }
}
