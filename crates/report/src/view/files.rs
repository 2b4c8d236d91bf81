//! View of a call about several files: the JSON of `freeboard check` with more than one of them,
//! and the input of renderers for other programs.

use cfsm_core::diagnostic::{Diagnostic, Severity};
use cfsm_core::source::Sources;
use serde::{Deserialize, Serialize};

use super::Check;

/// The value of [`Checks::schema`].
pub const CHECKS_SCHEMA: &str = "freeboard.checks/1";

/// The results for several files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Checks {
    /// Version of the format: [`CHECKS_SCHEMA`].
    pub schema: String,
    /// The exit status of the call.
    pub status: u8,
    /// The files, in the order in which they were checked.
    pub files: Vec<FileReport>,
}

/// The result for one file, or the reason why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileReport {
    /// The file, as the user named it.
    pub file: String,
    /// The exit status of a call about this file alone.
    pub status: u8,
    /// The result; `None` if the file could not be checked.
    pub check: Option<Check>,
    /// Errors and warnings of the front end.
    #[serde(default)]
    pub diagnostics: Vec<DiagnosticRow>,
    /// The reason why the file could not be checked, unless diagnostics state it.
    #[serde(default)]
    pub error: Option<String>,
}

/// A diagnostic with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DiagnosticRow {
    /// `error` or `warning`.
    pub severity: DiagnosticSeverity,
    /// Its code, such as `P0201`.
    pub code: String,
    /// The message.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, counted from 1; 0 if it is in no text.
    pub line: u32,
    /// A correction that may help.
    pub hint: Option<String>,
    /// Further remarks.
    pub notes: Vec<String>,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiagnosticSeverity {
    /// The text is not accepted.
    Error,
    /// The text is accepted.
    Warning,
}

/// The view of diagnostics. Time linear in the texts and the diagnostics.
#[must_use]
pub fn diagnostics(found: &[Diagnostic], sources: &Sources) -> Vec<DiagnosticRow> {
    let row = |diagnostic: &Diagnostic| {
        let origin = sources.origin(diagnostic.span());
        DiagnosticRow {
            severity: match diagnostic.severity {
                Severity::Error => DiagnosticSeverity::Error,
                Severity::Warning => DiagnosticSeverity::Warning,
            },
            code: diagnostic.code.into(),
            message: diagnostic.message.clone(),
            file: origin.file,
            line: origin.line,
            hint: diagnostic.hint.clone(),
            notes: diagnostic.notes.clone(),
        }
    };
    found.iter().map(row).collect()
}
