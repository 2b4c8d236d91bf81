//! What can go wrong, and the exit status for it.

use std::io;

use freeboard::certify::FileError;
use freeboard::promela_front::Diagnostic;
use freeboard::{Failure, OpenError, cfsm_core::source::Sources, report::diagnostics, report::visible};
use thiserror::Error;

use super::{output, status::Status};

#[derive(Debug, Error)]
pub enum Error {
    #[error("error: {name}: {error}")]
    Read { name: String, error: io::Error },
    #[error("error: {name}: is a directory")]
    Directory { name: String },
    #[error("error: {name}: cannot be written: {error}")]
    Write { name: String, error: io::Error },
    #[error("error: {name}: is not UTF-8 text: byte {position} begins no character")]
    Encoding { name: String, position: usize },
    #[error("error: {name}: is no text: byte {position} is 0")]
    Binary { name: String, position: usize },
    #[error(
        "error: {name}: is no model: it begins neither as Promela does nor as machines do\n\
         help: if it is one, say its language with --input"
    )]
    NoModel { name: String },
    #[error("error: {0}")]
    Usage(&'static str),
    #[error("error: {name}: {error}{}", help.map(|help| format!("\nhelp: {help}")).unwrap_or_default())]
    File { name: String, error: FileError, help: Option<&'static str> },
    #[error("error: {name}: is no witness: {error}")]
    Witness { name: String, error: String },
    #[error("{}", diagnostics::render(diagnostics, sources, output::colour_on_stderr()).trim_end())]
    Diagnostics { diagnostics: Vec<Diagnostic>, sources: Sources },
    #[error("error: {name}: {failure}")]
    Model { name: String, failure: Failure },
    #[error("error: {name}: {error}\nhelp: make the contract again with `freeboard contract --output`")]
    Contract { name: String, error: String },
    #[error("error: {name}: {reason}")]
    Defaults { name: String, reason: String },
    #[error("error: {name}: cannot be exported: {reason}")]
    NotExported { name: String, reason: String },
    #[error("error: {0}")]
    Composition(String),
    #[error("error: there is no process `{name}`; the processes are {}", known.join(", "))]
    NoProcess { name: String, known: Vec<String> },
    #[error(
        "error: {nodes} nodes are not laid out, {most} at most: `--format dot` is for programs that lay out more, and \
         `--process` draws one process"
    )]
    NotDrawn { nodes: usize, most: usize },
    #[error(
        "error: there is no diagnostic `{code}`: codes are a P, an M or a U and four digits, as in P0201"
    )]
    NoCode { code: String },
    #[error("error: the editor does not keep to the Language Server Protocol: {error}")]
    Protocol { error: String },
    /// Of a comment, with its place.
    #[error("error: {0}")]
    Comment(String),
}

impl Error {
    /// What a failure to read or abstract `name` means for the command.
    pub fn of_model(name: &str, failure: Failure) -> Self {
        match failure {
            Failure::Input { diagnostics, sources } => Self::Diagnostics { diagnostics, sources },
            // These say where in the text they are.
            Failure::CapacityComment(error) => Self::Comment(error.to_string()),
            Failure::Open(error) if matches!(*error, OpenError::Comment(_)) => {
                Self::Comment(error.to_string())
            }
            failure => Self::Model { name: name.into(), failure },
        }
    }

    /// The error as the user is told it. Diagnostics have been rendered for a terminal; whatever
    /// else comes from the input may not steer one.
    pub fn told(&self) -> String {
        let text = self.to_string();
        if matches!(self, Self::Diagnostics { .. }) { text } else { visible::lines(&text).into_owned() }
    }

    /// The error on one line, without the word that introduces it.
    pub fn reason(&self) -> String {
        let text = self.to_string();
        text.strip_prefix("error: ").unwrap_or(&text).replace('\n', "; ")
    }

    pub const fn status(&self) -> Status {
        match self {
            Self::Read { .. }
            | Self::Directory { .. }
            | Self::Write { .. }
            | Self::Defaults { .. }
            | Self::NoProcess { .. }
            | Self::NotDrawn { .. }
            | Self::Protocol { .. }
            | Self::NoCode { .. }
            | Self::Usage(_) => Status::Usage,
            Self::Encoding { .. }
            | Self::Binary { .. }
            | Self::NoModel { .. }
            | Self::File { .. }
            | Self::Witness { .. }
            | Self::Comment(_)
            | Self::Contract { .. }
            | Self::Composition(_)
            | Self::NotExported { .. }
            | Self::Diagnostics { .. } => Status::Input,
            Self::Model { failure: Failure::Capacity(_), .. } => Status::Usage,
            Self::Model { .. } => Status::Input,
        }
    }
}
