//! What the front end can be told.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of [`parse`](crate::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Macros that are defined before the text begins, with their bodies; without one the body is
    /// `1`. A name may have parameters: `max(a,b)`.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros of [`defines`](Self::defines) that are not to be defined after all, and macros that
    /// are predefined, such as `linux`.
    pub undefines: Vec<String>,
    /// Where files come from that the text includes.
    pub includes: Includes,
    /// How deep statements and expressions may be nested in one another.
    pub max_nesting: usize,
    /// How many tokens macros may expand to, all in all. A token counts once for each macro that it
    /// goes through, and what a text includes for the second time counts too.
    pub max_expansion: usize,
}

/// Where included files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Includes {
    /// Every include is an error.
    Refused,
    /// From the file system: beside the including file (not for `<...>`), then in these
    /// directories.
    Files(Vec<PathBuf>),
    /// From memory, by name.
    Given(BTreeMap<String, String>),
}

impl Default for Options {
    /// No macros; includes from beside the file; 2 000 levels of nesting; 2^22 tokens (some 20 MB
    /// of text, for which the tokens alone take 128 MiB) out of macros.
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
