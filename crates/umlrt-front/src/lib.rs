//! Capsule systems to programs: readers of ROOM and Art, the capsule model, and what it means.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod action;
mod art;
pub mod codes;
mod files;
mod fragment;
mod lexer;
mod lower;
pub mod model;
mod options;
mod parser;
mod resolve;
mod tree;

use cfsm_core::program::Program;
use cfsm_core::source::Sources;

pub use cfsm_core::diagnostic::{Diagnostic, Label, Line, Severity};
pub use cfsm_core::source::decode;

pub use fragment::Fragment;
pub use lower::{Configuration, Inbox, Lowered, PortKey, Stable, lower};
pub use options::{Imports, Options};

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The capsule model; `None` if the text has an error.
    pub system: Option<model::CapsuleSystem>,
    /// The program, with the ways back to the capsule model; `None` if and only if there is an
    /// error among the diagnostics.
    pub lowered: Option<Lowered>,
    /// The text, and behind it the files that it imports.
    pub sources: Sources,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// True if a text is read without an error, and what is wrong with it if not: its grammar only, no
/// imports and no names.
#[must_use]
pub fn syntax(name: &str, text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let reading = parser::parse(&sources, file, &Options::default());
    (sources, reading.diagnostics)
}

/// Reads a text and what it imports, and makes a program of the system in it. Never panics.
#[must_use]
pub fn parse(name: &str, text: &str, options: &Options) -> Outcome {
    let files = files::load(name, text, options);
    let resolved = resolve::resolve(&files, options);
    let files::Files { sources, mut diagnostics, .. } = files;
    diagnostics.extend(resolved.diagnostics);
    let failed = |all: &[Diagnostic]| all.iter().any(|found| found.severity == Severity::Error);
    let system = resolved.system.filter(|_| !failed(&diagnostics));
    let mut lowered = system.as_ref().map(|system| lower(system, options));
    if let Some(lowered) = &mut lowered {
        diagnostics.append(&mut lowered.diagnostics);
        lowered.program.sources = sources.clone();
    }
    let lowered = lowered.filter(|_| !failed(&diagnostics));
    debug_assert_eq!(lowered.as_ref().map_or(Ok(()), |lowered| lowered.program.validate()), Ok(()));
    diagnostics.sort_by_key(Diagnostic::span);
    diagnostics.dedup();
    Outcome { system, lowered, sources, diagnostics }
}

impl Outcome {
    /// The program, if there is no error.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(|lowered| &lowered.program)
    }
}

/// True if a text begins as a model in ROOM or Art does.
#[must_use]
pub fn is_model(text: &str) -> bool {
    parser::begins_model(text)
}

/// The names of the systems of a text, of which [`Options::system`] may choose one.
#[must_use]
pub fn systems(name: &str, text: &str, options: &Options) -> Vec<String> {
    resolve::systems(&files::load(name, text, options))
}
