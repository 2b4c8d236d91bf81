//! How many states Spin's verifier finds in a model, without any reduction.

use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::corpus::Model;
use super::verdict::{LIMIT, ask_spin_with};
use crate::compiler::{Haste, compile};
use crate::program::limited;

/// What the verifier printed when it had looked at all states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// States that it stored: those between which no process has control to itself.
    pub states: u64,
    /// How often it came to such a state, the start included.
    pub arrivals: u64,
    /// Steps inside `atomic`.
    pub atomic_steps: u64,
    /// Errors: assertions that failed, invalid end states, and others.
    pub errors: u64,
    /// Whether an assertion is among them.
    pub assertion: bool,
    /// Whether an invalid end state is.
    pub invalid_end: bool,
}

/// How large a model may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Some thousand states: the verifier takes longer to compile than to run.
    Small,
    /// Some million states.
    Large,
}

impl Size {
    const fn haste(self) -> Haste {
        match self {
            Self::Small => Haste::Compile,
            Self::Large => Haste::Run,
        }
    }

    /// The depth of the search, and the logarithm of the size of its table.
    const fn of_verifier(self) -> [&'static str; 2] {
        match self {
            Self::Small => ["-m100000", "-w16"],
            Self::Large => ["-m4000000", "-w22"],
        }
    }
}

/// What a verifier is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    States,
    Cycles,
}

impl Purpose {
    const fn of_compiler(self) -> &'static [&'static str] {
        match self {
            Self::States => &["-DSAFETY", "-DNOCLAIM"],
            Self::Cycles => &["-DNP"],
        }
    }

    /// Past all errors. Where cycles are looked for, assertions and end states do not count.
    const fn of_verifier(self) -> &'static [&'static str] {
        match self {
            Self::States => &["-c0", "-n"],
            Self::Cycles => &["-l", "-A", "-E", "-c0", "-n"],
        }
    }
}

/// Spin's verifier of a model: without its never claims, without partial order reduction, and
/// without merging of statements, data flow or dead variables.
#[derive(Debug)]
pub struct Verifier {
    directory: TempDir,
    include: String,
    size: Size,
}

impl Verifier {
    /// Has Spin write it.
    ///
    /// # Errors
    /// If Spin cannot be started; as text, why there is none.
    pub fn of(model: &Model, size: Size) -> io::Result<Result<Self, String>> {
        let (verdict, directory) = ask_spin_with(model, &["-o1", "-o2", "-o3"])?;
        if let Some(class) = verdict.rejected {
            return Ok(Err(format!("{}: {}", class.words(), verdict.complaint)));
        }
        let include = format!("-I{}", model.file.parent().unwrap_or(Path::new(".")).display());
        Ok(Ok(Self { directory, include, size }))
    }

    /// Runs it on all states, past errors.
    ///
    /// # Errors
    /// If a program cannot be started; as text, why there are no counts.
    pub fn counts(&self) -> io::Result<Result<Counts, String>> {
        Ok(self.run(Purpose::States)?.and_then(|text| read(&text)))
    }

    /// Whether there is a cycle without progress, which makes sense of a model without claims.
    ///
    /// # Errors
    /// If a program cannot be started; as text, why there is no answer.
    pub fn has_cycle(&self) -> io::Result<Result<bool, String>> {
        let text = self.run(Purpose::Cycles)?;
        Ok(text.and_then(|text| match has_error(&text, "non-progress cycle") {
            true => Ok(true),
            false => errors(&text).map(|_| false),
        }))
    }

    fn run(&self, purpose: Purpose) -> io::Result<Result<String, String>> {
        let directory = self.directory.path();
        let options = ["-DNOREDUCE", "-DNOFAIR", "-DVECTORSZ=16384", "-DMEMLIM=4096", &self.include];
        let options = [&options, purpose.of_compiler()].concat();
        if let Err(complaint) = compile(directory, self.size.haste(), &options)? {
            return Ok(Err(complaint));
        }
        let arguments = [purpose.of_verifier(), &self.size.of_verifier()[..]].concat();
        let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
        let ended = limited(directory, &directory.join("pan"), &arguments, LIMIT)?;
        Ok(match ended.status {
            None => Err(String::from("the verifier does not come to an end")),
            Some(_) => Ok(ended.text()),
        })
    }
}

/// Whether an error was printed. The verifier prints each that is not the same as the one before.
fn has_error(text: &str, words: &str) -> bool {
    text.lines().any(|line| line.starts_with("pan:") && line.contains(words))
}

/// How many errors there are, if all was looked at.
fn errors(text: &str) -> Result<u64, String> {
    const CUT_SHORT: &[&str] = &[
        "Search not completed",
        "max search depth too small",
        "reached -DMEMLIM",
        "out of memory",
        "pan: error",
        "aborting",
        "was deleted",
    ];
    if let Some(line) = text.lines().find(|line| CUT_SHORT.iter().any(|words| line.contains(words))) {
        return Err(line.trim().to_owned());
    }
    let errors = text.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    errors.ok_or_else(|| text.lines().last().unwrap_or("no output").trim().to_owned())
}

fn read(text: &str) -> Result<Counts, String> {
    let errors = errors(text)?;
    let number = |words: &str| {
        let line = text.lines().find(|line| line.contains(words))?;
        let number: f64 = line.split_whitespace().next()?.parse().ok()?;
        // Counts beyond nine digits are rounded by what prints them.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        (number < 1e8).then_some(number as u64)
    };
    let counts = (|| {
        Some(Counts {
            states: number("states, stored")?,
            arrivals: number("transitions (= stored+matched)")?,
            atomic_steps: number("atomic steps")?,
            errors,
            assertion: has_error(text, "assertion violated"),
            invalid_end: has_error(text, "invalid end state"),
        })
    })();
    counts.ok_or_else(|| text.lines().last().unwrap_or("no output").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
pan:1: invalid end state (at depth 7)
State-vector 28 byte, depth reached 8, errors: 2
       12 states, stored
        3 states, matched
       15 transitions (= stored+matched)
        1 atomic steps
";

    #[test]
    fn a_report_is_read() {
        let (assertion, invalid_end) = (false, true);
        let counts = Counts { states: 12, arrivals: 15, atomic_steps: 1, errors: 2, assertion, invalid_end };
        assert_eq!(read(REPORT), Ok(counts));
        let cut = format!("error: max search depth too small\n{REPORT}");
        assert_eq!(read(&cut), Err("error: max search depth too small".into()));
        assert_eq!(read("Segmentation fault"), Err("Segmentation fault".into()));
    }
}
