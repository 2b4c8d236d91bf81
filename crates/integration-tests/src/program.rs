//! Other programs, run for a limited time.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// How a program ended, and what it printed.
pub(crate) struct Ended {
    /// `None` if it took too long and was stopped.
    pub(crate) status: Option<ExitStatus>,
    /// Its output.
    pub(crate) output: String,
    /// Its errors.
    pub(crate) errors: String,
}

impl Ended {
    /// All that was printed: the output, then the errors.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.output, self.errors)
    }
}

/// Runs a program in a directory, for a limited time. Its output goes through files there, so that
/// no amount of it makes the program wait.
pub(crate) fn limited(
    directory: &Path,
    program: &Path,
    arguments: &[String],
    limit: Duration,
) -> io::Result<Ended> {
    let (out, err) = (directory.join("stdout.txt"), directory.join("stderr.txt"));
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(10));
    };
    let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Ended { status, output: read(&out)?, errors: read(&err)? })
}
