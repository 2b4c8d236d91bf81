//! The line on a terminal that tells what a long call does.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use freeboard::{Progress, Stage};

/// A line on standard error with the stage of a call and the time since its start. It is there from
/// the first second on, and gone when this value is dropped.
pub struct Line {
    stages: Sender<Option<Stage>>,
    writer: Option<JoinHandle<()>>,
}

impl Line {
    /// A line for the call that begins now; none if nobody would see it.
    pub fn start() -> Option<Self> {
        if !io::stderr().is_terminal() || super::output::is_quiet() {
            return None;
        }
        let (stages, received) = mpsc::channel();
        let writer = thread::spawn(move || {
            let (start, mut stage, mut shown) = (Instant::now(), Stage::Reading, false);
            // Before the line appears, and between two changes of it.
            let interval = Duration::from_secs(1);
            let mut next = start + interval;
            loop {
                match received.recv_timeout(next.saturating_duration_since(Instant::now())) {
                    Ok(Some(begun)) => stage = begun,
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        shown = true;
                        next += interval;
                        tell(&format!("{} ... {} s", word(stage), start.elapsed().as_secs()));
                    }
                }
            }
            if shown {
                tell("");
            }
        });
        Some(Self { stages, writer: Some(writer) })
    }

    /// The function of the library's options that tells of stages.
    pub fn stages(&self) -> Progress {
        let stages = self.stages.clone();
        // If the line is gone, nobody is interested.
        Progress::new(move |stage| _ = stages.send(Some(stage)))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _ = self.stages.send(None);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
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
