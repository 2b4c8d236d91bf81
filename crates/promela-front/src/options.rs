//! What the front end can be told.

/// Options of [`parse`](crate::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Macros that are defined before the text begins, with their bodies; without one the body is `1`.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros of [`defines`](Self::defines) that are not to be defined after all.
    pub undefines: Vec<String>,
    /// How deep statements and expressions may be nested; a statement counts as two levels.
    pub max_nesting: usize,
    /// How many tokens macros may expand to, all in all.
    pub max_expansion: usize,
}

impl Default for Options {
    /// No macros; 500 levels of nesting; 2^19 tokens (about 16 MiB) out of macros.
    fn default() -> Self {
        Self { defines: Vec::new(), undefines: Vec::new(), max_nesting: 500, max_expansion: 1 << 19 }
    }
}
