//! Reading a document: its language, diagnostics, and definitions.

use std::path::Path;

use freeboard::cfsm_core::formats::{self, Format};
use freeboard::cfsm_core::ids::Id as _;
use freeboard::cfsm_core::source::{FileId, Sources, Span};
use freeboard::promela_front::{self, Diagnostic, Severity, codes};
use freeboard::{Failure, OpenError, umlrt_front};
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString, Range, Uri,
};

use super::address;
use super::outline::{self, Outline};
use super::text::Text;
use crate::command::arguments::Language;
use crate::command::input::{self, Content};

/// The name of the server in diagnostics.
const SOURCE: &str = "freeboard";

/// The language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Promela,
    Room,
    Machines(Format),
}

impl Kind {
    /// The language of a document: by its path, else as the editor says, else by its content.
    pub fn new(path: &str, editor: &str, text: &str) -> Self {
        let path = Path::new(path);
        let said = match editor {
            "promela" => Some(Language::Promela),
            "room" | "art" => Some(Language::Room),
            "fsa" => Some(Language::Fsa),
            _ => None,
        };
        let known = input::by_name(path).or(said);
        let language = known.or_else(|| match input::by_content(path, text.as_bytes()) {
            Content::Language(language) => Some(language),
            Content::Machines => None,
            Content::Unknown => Some(Language::Promela),
        });
        match language {
            Some(Language::Promela) => Self::Promela,
            Some(Language::Room) => Self::Room,
            Some(Language::Fsa) => Self::Machines(Format::Fsa),
            Some(Language::Scm) => Self::Machines(Format::Scm),
            Some(Language::Json) => Self::Machines(Format::Json),
            Some(Language::Kmc) | None => Self::Machines(Format::of_text(text)),
        }
    }

    /// The language whose words make definitions.
    const fn language(self) -> Language {
        match self {
            Self::Promela => Language::Promela,
            Self::Room => Language::Room,
            Self::Machines(Format::Fsa) => Language::Fsa,
            Self::Machines(Format::LocalTypes) => Language::Kmc,
            Self::Machines(Format::Scm) => Language::Scm,
            Self::Machines(_) => Language::Json,
        }
    }
}

/// A version of a document.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub uri: Uri,
    /// The name of the text in diagnostics, beside which included files are looked for.
    pub path: String,
    pub kind: Kind,
    pub text: Text,
}

/// The result of reading a document.
#[derive(Debug)]
pub struct Reading {
    pub diagnostics: Vec<lsp_types::Diagnostic>,
    /// `true` if there is no error, so that it can be checked.
    pub is_valid: bool,
    pub outline: Outline,
    /// The document and the files that it includes.
    sources: Sources,
}

/// The document itself, among the files of a model.
pub fn document() -> FileId {
    FileId::new(0)
}

impl Snapshot {
    /// Reads the document. Time linear in the text and in what it includes.
    pub fn read(&self) -> Reading {
        let content = &self.text.content;
        let words = || Outline::of_words(self.kind.language(), document(), content);
        let (diagnostics, sources, outline) = match self.kind {
            Kind::Promela => {
                let read = promela_front::parse(&self.path, content, &promela_front::Options::default());
                let outline = Outline::of_promela(&read.ast, &read.sources);
                (read.diagnostics, read.sources, outline)
            }
            Kind::Room => {
                let read = umlrt_front::parse(&self.path, content, &umlrt_front::Options::default());
                (read.diagnostics, read.sources, words())
            }
            Kind::Machines(format) => {
                let read = formats::read(format, &self.path, content);
                (read.diagnostics, read.sources, words())
            }
        };
        let is_valid = diagnostics.iter().all(|found| found.severity != Severity::Error);
        let diagnostics = diagnostics.iter().map(|found| self.diagnostic(found, &sources)).collect();
        Reading { diagnostics, is_valid, outline, sources }
    }

    /// The location of a span; `None` if it is in no file.
    fn location(&self, span: Span, sources: &Sources) -> Option<Location> {
        if span.file == document() {
            return Some(Location { uri: self.uri.clone(), range: self.text.range(outline::bytes(span)) });
        }
        let source = sources.files.get(span.file)?;
        let range = Text::new(source.text.as_str()).range(outline::bytes(span));
        let path = std::path::absolute(&source.name).ok()?;
        Some(Location { uri: address::of_path(path.to_str()?)?, range })
    }

    /// The location at which a name is defined that is used at an offset.
    pub fn definition(&self, reading: &Reading, offset: usize) -> Option<Location> {
        let name = &self.text.content[self.text.word(offset)?];
        let span = reading.outline.find(name, document(), offset)?;
        self.location(span, &reading.sources)
    }

    fn diagnostic(&self, found: &Diagnostic, sources: &Sources) -> lsp_types::Diagnostic {
        let is_here = found.span().file == document();
        let remarks = found.labels.iter().skip(usize::from(is_here));
        let remark = |label: &promela_front::Label| {
            let text = if label.text.is_empty() { &found.message } else { &label.text };
            let location = self.location(label.span, sources)?;
            Some(DiagnosticRelatedInformation { location, message: text.clone() })
        };
        let hint = found.hint.iter().map(|hint| format!("help: {hint}"));
        let notes = found.notes.iter().map(|note| format!("note: {note}"));
        let message: Vec<String> = [found.message.clone()].into_iter().chain(hint).chain(notes).collect();
        // What is wrong in an included file stands at the top.
        let bytes = if is_here { outline::bytes(found.span()) } else { 0..0 };
        lsp_types::Diagnostic {
            code: Some(NumberOrString::String(found.code.into())),
            related_information: Some(remarks.filter_map(remark).collect()),
            tags: (found.code == codes::NEVER_USED).then(|| vec![DiagnosticTag::UNNECESSARY]),
            ..diagnostic(self.text.range(bytes), severity(found.severity), message.join("\n"))
        }
    }

    /// The diagnostic of a text that is read and cannot be checked.
    pub fn failure(&self, failure: &Failure) -> lsp_types::Diagnostic {
        let line = match failure {
            Failure::CapacityComment(comment) => comment.line,
            Failure::Open(error) => match &**error {
                OpenError::Comment(comment) => comment.line,
                _ => 1,
            },
            _ => 1,
        };
        let bytes = self.text.line_without_blanks(u32::try_from(line).unwrap_or(u32::MAX));
        diagnostic(self.text.range(bytes), DiagnosticSeverity::ERROR, failure.to_string())
    }
}

const fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    }
}

/// A diagnostic of this server.
pub fn diagnostic(range: Range, severity: DiagnosticSeverity, message: String) -> lsp_types::Diagnostic {
    lsp_types::Diagnostic {
        range,
        severity: Some(severity),
        source: Some(SOURCE.into()),
        message,
        ..lsp_types::Diagnostic::default()
    }
}

impl Reading {
    /// The offset at which a name is defined in the document that is used at another offset.
    pub fn defined_at(&self, name: &str, offset: usize) -> Option<usize> {
        let span = self.outline.find(name, document(), offset)?;
        (span.file == document()).then(|| outline::bytes(span).start)
    }
}
