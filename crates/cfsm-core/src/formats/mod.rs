//! Text formats of communicating machines: those of other tools, and our own.
//!
//! | format | files | channels |
//! |---|---|---|
//! | [`Format::Fsa`] | chorgram's and KMC's `.fsa`, `.fsm` | one queue per ordered pair of machines |
//! | [`Format::LocalTypes`] | KMC's local types | one queue per ordered pair of participants |
//! | [`Format::Scm`] | `McScM`'s `.scm` | numbered queues |
//! | [`Format::Json`] | our own | as the file says |
//!
//! [`read`] returns a system, or all errors of the text with their positions; it never panics.
//! [`write()`] writes what a format can express. `docs/machine-formats.md` describes each format,
//! the differences to its own tool, and all codes of diagnostics.
//!
//! ```
//! use cfsm_core::formats::{Format, read};
//!
//! let text = "C: rec x . S!ask; S?answer; x\nS: rec y . C?ask; C!answer; y\n";
//! let reading = read(Format::LocalTypes, "pair.txt", text);
//! let system = reading.system.expect("no errors");
//! let names: Vec<&str> = system.buffers.values().map(|buffer| buffer.name.as_str()).collect();
//! assert_eq!(names, ["C->S", "S->C"]);
//!
//! let reading = read(Format::LocalTypes, "pair.txt", "C: S!ask; x\nS: C!");
//! let lines: Vec<String> = reading.diagnostics.iter().map(|d| d.line(&reading.sources).to_string()).collect();
//! assert_eq!(lines, [
//!     "pair.txt:1:11: error[M0204]: `x` is not bound (`rec x .` binds it; `end` is where nothing goes on)",
//!     "pair.txt:2:6: error[M0201]: a message is expected, the text ends here",
//! ]);
//! ```

pub mod codes;
mod doubts;
mod fsa;
mod json;
mod local_types;
mod machine;
mod scan;
mod scm;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::diagnostic::{Diagnostic, Severity};
use crate::ids::Id;
use crate::source::{Sources, Span};
use crate::system::System;

pub use write::{Unwritable, write};

/// A text format of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Machines as lists of transitions, as chorgram and KMC write them.
    Fsa,
    /// A local type for each participant, as KMC writes them.
    LocalTypes,
    /// Machines with numbered channels, as `McScM` writes them.
    Scm,
    /// Our JSON format, `freeboard.system/1`.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Fsa, Self::LocalTypes, Self::Scm, Self::Json];

    /// The format that belongs to the extension of a file; `None` if there is none, or if there are
    /// several.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "fsa" | "fsm" => Some(Self::Fsa),
            "kmc" => Some(Self::LocalTypes),
            "scm" => Some(Self::Scm),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Returns `true` if a file of this extension contains machines in a format that must be
    /// determined from its content.
    #[must_use]
    pub fn is_by_content(path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(extension.to_ascii_lowercase().as_str(), "cfsm" | "txt" | "lt")
    }

    /// Guesses the format of a text from its first words, ignoring comments. Time linear in the
    /// text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let text = &*with_line_feeds(text);
        let (tokens, _) = scan::scan(text, Id::new(0));
        let words: Vec<&str> = tokens.iter().take(4).map(|token| token.text).collect();
        match words.as_slice() {
            ["{", ..] => Self::Json,
            ["scm" | "automaton", name, ":", ..] if *name != ":" => Self::Scm,
            ["nb_channels", ..] => Self::Scm,
            [".", ..] => Self::Fsa,
            [_, ":", ..] => Self::LocalTypes,
            // If the text resembles no format, diagnostics of this one locate the first foreign
            // token.
            _ if text.lines().any(|line| line.trim_start().starts_with(".state")) => Self::Fsa,
            _ => Self::LocalTypes,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fsa => "fsa",
            Self::LocalTypes => "local types",
            Self::Scm => "scm",
            Self::Json => "JSON",
        })
    }
}

/// Result of reading a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The system, valid; `None` if and only if there is an error among the diagnostics.
    pub system: Option<System>,
    /// Errors and warnings, in the order of their positions.
    pub diagnostics: Vec<Diagnostic>,
    /// The text to which they refer; carriage returns that end a line alone are replaced by line
    /// feeds.
    pub sources: Sources,
}

impl Reading {
    /// The errors and warnings, one per line, as `file:line:column: error[code]: message (hint)`.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.diagnostics.iter().map(|diagnostic| diagnostic.line(&self.sources).to_string())
    }
}

/// Greatest number of diagnostics of a text; a further one tells that there were more.
pub const MOST_DIAGNOSTICS: usize = 100;

/// Reads a system. `name` is the name of the text in diagnostics and origins, and the name of the
/// system.
///
/// All errors of a text are found at once. Time `O(n log n)` in the length of the text.
#[must_use]
pub fn read(format: Format, name: &str, text: &str) -> Reading {
    let text = &*with_line_feeds(text);
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let (system, mut diagnostics) = if u32::try_from(text.len()).is_err() {
        let span = Span { file, start: 0, end: 0 };
        let error = Diagnostic::error(codes::TOO_LARGE, span, "the text has more than 4 GiB");
        (None, vec![error])
    } else {
        match format {
            Format::Fsa => fsa::read(&sources, file, text),
            Format::LocalTypes => local_types::read(&sources, file, text),
            Format::Scm => scm::read(&sources, file, text),
            Format::Json => json::read(file, text),
        }
    };
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span().start, diagnostic.span().end));
    let wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let system = system.filter(|_| !wrong);
    shorten(&mut diagnostics);
    Reading { system, diagnostics, sources }
}

/// The text with stand-alone carriage returns, which end a line too, replaced by line feeds.
/// Offsets are preserved.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let ends = |(at, _): &(usize, &str)| !text[at + 1..].starts_with('\n');
    if !text.match_indices('\r').any(|end| ends(&end)) {
        return Cow::Borrowed(text);
    }
    let mut all = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices('\r').filter(ends) {
        all.push_str(&text[done..at]);
        all.push('\n');
        done = at + 1;
    }
    all.push_str(&text[done..]);
    Cow::Owned(all)
}

/// Limits the number of diagnostics; errors are kept before warnings.
fn shorten(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MOST_DIAGNOSTICS {
        return;
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    let rest = diagnostics.split_off(MOST_DIAGNOSTICS);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span().start, diagnostic.span().end));
    if let Some(first) = rest.first() {
        let message = format!("there are {} more errors and warnings", rest.len());
        let severity = first.severity;
        diagnostics
            .push(Diagnostic { severity, ..Diagnostic::error(codes::TOO_MANY, first.span(), message) });
    }
}
