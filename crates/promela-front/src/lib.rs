//! Front end for Promela: preprocessor, lexer, parser, name resolution, and lowering of a text to a
//! [`Program`], with diagnostics.
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
//! assert!(line.starts_with("model.pml:1:8: error[P0201]: `c` is not declared"));
//! ```
//!
//! The reference is Spin 6.5: it accepts what Spin accepts and rejects what Spin rejects;
//! docs/promela-support.md lists the known differences. Errors are values: all errors of a text are
//! found at once, and none is a panic. This crate knows nothing of analyses.

pub mod ast;
mod check;
pub mod codes;
mod dump;
mod inline;
mod lexer;
mod lower;
mod numbers;
mod options;
mod parser;
mod preprocess;
mod print;
mod recognise;
mod resolve;
mod splice;
mod stack;
mod token;

use std::collections::HashSet;

use cfsm_core::program::Program;
use cfsm_core::source::Sources;

pub use cfsm_core::diagnostic::{Diagnostic, Label, Line, Severity};
pub use cfsm_core::source::decode;
pub use dump::dump;
pub use numbers::{NotNumbered, Numbers, numbers};
pub use options::{Includes, Options};
pub use print::print;
pub use recognise::{Likeness, likeness};

use preprocess::{Index, Preprocessed, Uses, preprocess};
use token::{Kind, Token};

/// Result of reading a text.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The program; for [`parse`], `None` if and only if there is an error among the diagnostics.
    pub program: Option<Program>,
    /// The tree, as far as the text could be parsed.
    pub ast: ast::Model,
    /// The text, followed by the macros given as options, if there are any, the included files, and
    /// words that macros have formed.
    pub sources: Sources,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a text into a program; `name` is its name in diagnostics. Never panics. Time linear in
/// the text and in the expansion of macros and inlines, except for nested loops that begin one
/// another.
#[must_use]
pub fn parse(name: &str, text: &str, options: &Options) -> Outcome {
    let (mut outcome, provenance) = read(name, text, options);
    let clean = outcome.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    let (program, mut found) = lower::lower(&outcome.ast, &outcome.sources, clean);
    debug_assert_eq!(program.as_ref().map_or(Ok(()), Program::validate), Ok(()));
    outcome.diagnostics.append(&mut found);
    if program.is_some() {
        let mut found = check::check(&outcome.ast, &outcome.sources);
        // Only one warning is given for a message with too few fields.
        let said: HashSet<_> = outcome.diagnostics.iter().map(|found| (found.code, found.span())).collect();
        found.retain(|found| {
            found.code != codes::OTHER_SHAPE || !said.contains(&(codes::MESSAGE_TOO_SHORT, found.span()))
        });
        outcome.diagnostics.append(&mut found);
    }
    outcome.program = program;
    explained(outcome, &provenance)
}

/// Parses a text into a tree only, without resolving names: the first half of [`parse`], with no
/// program in the outcome.
#[must_use]
pub fn tree(name: &str, text: &str, options: &Options) -> Outcome {
    let (outcome, provenance) = read(name, text, options);
    explained(outcome, &provenance)
}

fn read(name: &str, text: &str, options: &Options) -> (Outcome, Provenance) {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let preprocessed = preprocess(&mut sources, file, options);
    let mut diagnostics = preprocessed.diagnostics;
    let incomplete = preprocessed.incomplete;
    let (tokens, mut found) = inline::expand(&sources, preprocessed.tokens, options.max_expansion);
    diagnostics.append(&mut found);
    let (ast, mut found) = parser::parse(&sources, &tokens, incomplete, options);
    diagnostics.append(&mut found);
    let Preprocessed { uses, .. } = preprocessed;
    // Only these tokens are queried later, and the others are many.
    let mut tokens: Vec<Token> = tokens.into_iter().filter(|token| token.through.is_some()).collect();
    tokens.shrink_to_fit();
    (Outcome { program: None, ast, sources, diagnostics }, Provenance { tokens, uses })
}

/// Origin of the tokens that went through macros.
struct Provenance {
    /// The tokens that went through macros.
    tokens: Vec<Token>,
    uses: Uses,
}

/// The diagnostics in source order, without duplicates, with the macros that they came through.
fn explained(mut outcome: Outcome, provenance: &Provenance) -> Outcome {
    let Provenance { tokens, uses } = provenance;
    explain_macros(&mut outcome.diagnostics, &outcome.sources, tokens, uses);
    outcome.diagnostics.sort_by_key(Diagnostic::span);
    outcome.diagnostics.dedup();
    outcome
}

/// Result of preprocessing a text.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The preprocessed text: the tokens that the parser reads, separated by blanks, on the lines
    /// on which Spin sees them.
    pub text: String,
    /// The text and its included files.
    pub sources: Sources,
    /// Errors and warnings of the preprocessor alone, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses a text: all macros are expanded, and directives and comments removed. Useful to
/// inspect the effect of a macro. Never panics.
///
/// ```
/// use promela_front::{Options, preprocessed};
///
/// let text = "#define inc(x, by) x = x + by /* no semicolon */\ninit { int i; inc(i,\n 2); skip }";
/// let expanded = preprocessed("model.pml", text, &Options::default());
/// assert_eq!(expanded.text, "init { int i ; i = i + 2\n; skip }\n");
/// ```
#[must_use]
pub fn preprocessed(name: &str, text: &str, options: &Options) -> Expanded {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let preprocessed = preprocess(&mut sources, file, options);
    let mut text = String::new();
    for token in preprocessed.tokens.iter().filter(|token| token.kind != Kind::End) {
        if !text.is_empty() {
            text.push(if token.first_on_line { '\n' } else { ' ' });
        }
        text.push_str(sources.text(token.text));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let mut diagnostics = preprocessed.diagnostics;
    explain_macros(&mut diagnostics, &sources, &preprocessed.tokens, &preprocessed.uses);
    diagnostics.sort_by_key(Diagnostic::span);
    diagnostics.dedup();
    Expanded { text, sources, diagnostics }
}

/// Greatest number of macros that a diagnostic names.
const MOST_MACROS: usize = 8;

fn explain_macros(diagnostics: &mut [Diagnostic], sources: &Sources, tokens: &[Token], uses: &Uses) {
    if uses.is_empty() || diagnostics.is_empty() {
        return;
    }
    let index = uses.index(tokens);
    for diagnostic in diagnostics {
        explain_macro(diagnostic, sources, &index);
    }
}

/// Adds the macros that the location of a diagnostic went through to the diagnostic.
fn explain_macro(diagnostic: &mut Diagnostic, sources: &Sources, index: &Index<'_>) {
    let spoken_of: Vec<&str> = diagnostic.message.split('`').skip(1).step_by(2).collect();
    let mut path = index.path(diagnostic.span(), |token| spoken_of.contains(&sources.text(token.text)));
    let more = path.len() > MOST_MACROS;
    path.truncate(MOST_MACROS);
    let Some(((outer, _), inner)) = path.split_first() else { return };
    let mut note = format!("in the expansion of macro `{outer}`");
    for (position, (name, _)) in inner.iter().enumerate() {
        note += &format!("{} `{name}`", if position == 0 { ", through" } else { "," });
    }
    if more {
        note += " and others";
    }
    diagnostic.notes.push(note);
    for (name, defined) in path {
        let Some(span) = defined else { continue };
        let text = format!("the macro `{name}` is defined here");
        if diagnostic.labels.iter().all(|label| label.span != span) {
            diagnostic.labels.push(Label { span, text });
        }
    }
}
