//! Promela text to [`Program`]: preprocessor, lexer, parser, resolver, lowering, diagnostics.
//!
//! ```
//! use promela_front::{Options, parse};
//!
//! let text = "chan c = [2] of { byte };\nactive proctype P() { do :: c!1 :: c?_ od }";
//! let outcome = parse("model.pml", text, &Options::default());
//! let program = outcome.program.expect("no errors");
//! assert_eq!(program.types.len(), 1);
//!
//! let outcome = parse("model.pml", "init { c!1; x = 2 }", &Options::default());
//! assert_eq!(outcome.diagnostics.len(), 2);
//! let line = outcome.diagnostics[0].line(&outcome.sources).to_string();
//! assert_eq!(line, "model.pml:1:8: error[P0201]: `c` is not declared");
//! ```
//!
//! The reference is Spin 6.5: what it accepts, this accepts or names as not handled yet, and what it
//! rejects is rejected; docs/promela-support.md lists where the two are known to differ. Errors are values: all of a text are found at once, and none of them is a panic. This
//! crate knows nothing of analyses.

pub mod ast;
pub mod codes;
mod diagnostic;
mod dump;
mod lexer;
mod lower;
mod options;
mod parser;
mod preprocess;
mod resolve;
mod splice;
mod token;

use cfsm_core::program::Program;
use cfsm_core::source::Sources;

pub use diagnostic::{Diagnostic, Label, Line, Severity};
pub use dump::dump;
pub use options::Options;

use preprocess::{Expansion, preprocess};

/// What came out of a text.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The program; `None` if and only if there is an error among the diagnostics.
    pub program: Option<Program>,
    /// The tree, as far as the text could be read.
    pub ast: ast::Model,
    /// The text, and behind it the macros given as options, if there are any.
    pub sources: Sources,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text; `name` is what diagnostics call it. Never panics. Time linear in the text and in what
/// macros expand to, except for nested loops that begin one another.
#[must_use]
pub fn parse(name: &str, text: &str, options: &Options) -> Outcome {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let preprocessed = preprocess(&mut sources, file, options);
    let mut diagnostics = preprocessed.diagnostics;
    let incomplete = preprocessed.incomplete;
    let (ast, mut found) = parser::parse(&sources, &preprocessed.tokens, incomplete, options);
    diagnostics.append(&mut found);
    let clean = diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    let (program, mut found) = lower::lower(&ast, &sources, clean);
    diagnostics.append(&mut found);
    debug_assert_eq!(program.as_ref().map_or(Ok(()), Program::validate), Ok(()));
    for diagnostic in &mut diagnostics {
        explain_macro(diagnostic, &preprocessed.expansions);
    }
    diagnostics.sort_by_key(Diagnostic::span);
    diagnostics.dedup();
    Outcome { program, ast, sources, diagnostics }
}

/// Says so if the place of a diagnostic is the use of a macro.
fn explain_macro(diagnostic: &mut Diagnostic, expansions: &[Expansion]) {
    let span = diagnostic.span();
    let position = expansions.partition_point(|expansion| expansion.site < span);
    if let Some(expansion) = expansions.get(position).filter(|expansion| expansion.site == span) {
        diagnostic.notes.push(format!("in the expansion of macro `{}`", expansion.name));
        diagnostic.labels.push(Label {
            span: expansion.defined,
            text: format!("the macro `{}` is defined here", expansion.name),
        });
    }
}
