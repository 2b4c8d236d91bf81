//! Writing: to standard output, to standard error, to files.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use freeboard::cfsm_core::source::Sources;
use freeboard::promela_front::Diagnostic;
use freeboard::report::{diagnostics, json, text::Style};
use serde::Serialize;

use super::arguments::Format;
use super::error::Error;

/// Writes data to standard output. If nobody reads on, that is no error.
pub fn data(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Write { name: "standard output".into(), error })
        }
        _ => Ok(()),
    }
}

/// Writes a view to standard output: as JSON, or by a renderer for people.
pub fn view<V: Serialize>(
    view: &V,
    format: Format,
    human: impl FnOnce(&V, Style) -> String,
) -> Result<(), Error> {
    data(&match format {
        Format::Json => json::render(view),
        Format::Human => human(view, Style { colour: colour(io::stdout().is_terminal()) }),
    })
}

/// Writes a line to standard error. If that fails there is no place left to say so.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a remark to standard error.
pub fn note(text: &str) {
    message(&format!("note: {text}"));
}

/// Writes diagnostics to standard error.
pub fn diagnostics(found: &[Diagnostic], sources: &Sources) {
    if !found.is_empty() {
        message(diagnostics::render(found, sources, colour_on_stderr()).trim_end());
    }
}

/// Writes a file.
pub fn file(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| Error::Write { name: path.display().to_string(), error })
}

pub fn colour_on_stderr() -> bool {
    colour(io::stderr().is_terminal())
}

/// Only on a terminal, and not if `NO_COLOR` is set to anything.
fn colour(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
