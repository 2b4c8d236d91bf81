//! Writing: to standard output, to standard error, to files.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use freeboard::cfsm_core::diagnostic::Severity;
use freeboard::cfsm_core::source::Sources;
use freeboard::promela_front::Diagnostic;
use freeboard::report::text::{self, Style};
use freeboard::report::{diagnostics, json, visible};
use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};

use super::arguments::Format;
use super::error::Error;
use super::progress;

/// Writes data to standard output. If nobody reads on, that is no error.
pub fn data(text: &str) -> Result<(), Error> {
    stream(|out| out.write_all(text.as_bytes())).map(|_| ())
}

/// Writes data to standard output piece by piece. If nobody reads on, that is no error: then there
/// is no result.
pub fn stream<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<Option<T>, Error> {
    progress::end();
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|result| out.flush().map(|()| result)) {
        Ok(result) => Ok(Some(result)),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
        Err(error) => Err(Error::Write { name: "standard output".into(), error }),
    }
}

/// How to render on standard output.
pub fn style() -> Style {
    let width = columns(terminal_size_of(io::stdout()));
    Style { colour: colour(io::stdout().is_terminal()), width, ..Style::default() }
}

/// Writes a view to standard output: as JSON, or by a renderer for people.
pub fn view<V: Serialize>(
    view: &V,
    format: Format,
    human: impl FnOnce(&V, Style) -> String,
) -> Result<(), Error> {
    match format {
        Format::Json => data(&json::render(view)),
        Format::Human => self::human(view, human),
    }
}

/// Writes a view to standard output by a renderer for people, unless they asked for quiet.
pub fn human<V>(view: &V, render: impl FnOnce(&V, Style) -> String) -> Result<(), Error> {
    if is_quiet() { Ok(()) } else { people(&render(view, style())) }
}

/// Writes text for people to standard output, with lines that fit the terminal if there is one.
pub fn people(text: &str) -> Result<(), Error> {
    data(&fitting(text, columns(terminal_size_of(io::stdout()))))
}

/// The number of columns of a terminal, if there is one.
fn columns(terminal: Option<(Width, Height)>) -> Option<usize> {
    terminal.map(|(width, _)| width.0.into())
}

fn fitting(text: &str, columns: Option<usize>) -> Cow<'_, str> {
    columns.map_or(Cow::Borrowed(text), |columns| text::broken(text, columns).into())
}

/// `true` from the moment on that the user is known to have asked for quiet.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out results for people, notes and warnings from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// `true` if the user asked for quiet.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes lines to standard error. If that fails there is no place left to say so.
pub fn message(text: &str) {
    progress::hide();
    let text = fitting(text, columns(terminal_size_of(io::stderr())));
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a remark to standard error.
pub fn note(text: &str) {
    if !is_quiet() {
        message(&format!("note: {}", visible::text(text)));
    }
}

/// Warns on standard error, of something that the user may have meant otherwise.
pub fn warning(text: &str) {
    if !is_quiet() {
        message(&format!("warning: {text}"));
    }
}

/// Writes diagnostics to standard error.
pub fn diagnostics(found: &[Diagnostic], sources: &Sources) {
    if !found.is_empty() && (!is_quiet() || found.iter().any(|one| one.severity == Severity::Error)) {
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

fn colour(terminal: bool) -> bool {
    let variable = |name| std::env::var_os(name).unwrap_or_default();
    terminal && is_wanted(&variable("TERM"), &variable("NO_COLOR"))
}

/// Not on a terminal that calls itself dumb, and not if `NO_COLOR` is set to anything.
fn is_wanted(term: &OsStr, no_color: &OsStr) -> bool {
    term != "dumb" && no_color.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_has_no_colour() {
        let wanted = |term: &str, no_color: &str| is_wanted(term.as_ref(), no_color.as_ref());
        assert!(wanted("xterm-256color", "") && wanted("", ""));
        assert!(!wanted("dumb", "") && !wanted("xterm", "1"));
    }
}
