//! Diagnostics as plain data. Callers render them; [`Diagnostic::line`] gives a one-line form.

use std::fmt;

use crate::ids::Id;
use crate::source::{Sources, Span};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text is invalid: it has no program.
    Error,
    /// The text is valid, but probably not what was intended.
    Warning,
}

/// A location in the text with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; empty for a bare pointer.
    pub text: String,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// A short code that is stable over versions; `P` and digits for Promela, `M` and digits for
    /// [machines](crate::formats).
    pub code: &'static str,
    /// The message, without a full stop.
    pub message: String,
    /// The locations; the first one is the primary one. Never empty.
    pub labels: Vec<Label>,
    /// A correction or advice.
    pub hint: Option<String>,
    /// Further remarks, e.g. that the location lies in the expansion of a macro.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            hint: None,
            notes: Vec::new(),
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a hint, if there is one.
    #[must_use]
    pub fn with_hint_if(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }

    /// The same with one more place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The primary place.
    ///
    /// # Panics
    /// If the labels were removed by hand.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// The one-line form `file:line:column: error[code]: message (hint)`, then one indented line
    /// per further label and note. Columns count characters from 1. Time linear in the file.
    #[must_use]
    pub fn line<'a>(&'a self, sources: &'a Sources) -> Line<'a> {
        Line { diagnostic: self, sources }
    }
}

/// The one-line form of a diagnostic; see [`Diagnostic::line`].
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    diagnostic: &'a Diagnostic,
    sources: &'a Sources,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { severity, code, message, labels, hint, notes } = self.diagnostic;
        let word = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}: {word}[{code}]: {message}", position(self.sources, self.diagnostic.span()))?;
        if let Some(hint) = hint {
            write!(f, " ({hint})")?;
        }
        for label in labels.iter().skip(1) {
            write!(f, "\n    {}: {}", position(self.sources, label.span), label.text)?;
        }
        for note in notes {
            write!(f, "\n    note: {note}")?;
        }
        Ok(())
    }
}

/// `file:line:column` of a span's first byte.
fn position(sources: &Sources, span: Span) -> String {
    let Some(file) = sources.files.get(span.file) else {
        return format!("{}", span.file.index());
    };
    let before = file.text.get(..span.start as usize).unwrap_or(&file.text);
    let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
    format!("{}:{}:{column}", file.name, sources.line(span))
}
