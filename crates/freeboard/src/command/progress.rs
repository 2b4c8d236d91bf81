//! The line on a terminal that tells what a long call does.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use freeboard::{Progress, Stage};

/// The line on standard error: what the call does, and the time since its start. It is there from
/// the first second on, until there is something else to read.
struct Line {
    /// The present activity of the call, in a few words.
    doing: &'static str,
    /// `true` while the line stands on the terminal.
    is_shown: bool,
}

/// The line of this call; `None` if nobody would see it, and behind its end.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins the line, if somebody would see it.
pub fn start(doing: &'static str) {
    if !io::stderr().is_terminal() || super::output::is_quiet() {
        return;
    }
    *line() = Some(Line { doing, is_shown: false });
    thread::spawn(|| {
        let start = Instant::now();
        loop {
            thread::sleep(Duration::from_secs(1));
            let mut line = line();
            let Some(line) = line.as_mut() else { break };
            line.is_shown = true;
            tell(&format!("{} ... {} s", line.doing, start.elapsed().as_secs()));
        }
    });
}

/// The function of the library's options that tells of stages.
pub fn stages() -> Option<Progress> {
    let is_there = line().is_some();
    is_there.then(|| Progress::new(|stage| line().iter_mut().for_each(|line| line.doing = word(stage))))
}

/// Takes the line away until it changes, for something else that is written now.
pub fn hide() {
    line().iter_mut().for_each(Line::hide);
}

/// Ends the line, for the result that is written now.
pub fn end() {
    if let Some(mut line) = line().take() {
        line.hide();
    }
}

impl Line {
    fn hide(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            tell("");
        }
    }
}

/// Replaces the line. If that fails there is no place left to say so.
fn tell(text: &str) {
    let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{text}").and_then(|()| io::stderr().flush());
}

const fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Reading => "reading",
        Stage::Abstracting => "making the abstract system",
        Stage::Deciding => "deciding about the system",
        Stage::Listing => "listing configurations",
        Stage::Searching => "searching runs",
        _ => "working",
    }
}
