//! How many states Spin's verifier finds in a model, without any reduction.

use std::io;
use std::path::Path;

use super::corpus::Model;
use super::verdict::{LIMIT, ask_spin_with};
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
}

/// How large a model may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Some thousand states: compiled without optimisation, as that takes longest.
    Small,
    /// Some million states.
    Large,
}

impl Size {
    const fn of_compiler(self) -> &'static str {
        match self {
            Self::Small => "-O0",
            Self::Large => "-O1",
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

/// Runs Spin's verifier on all states of a model, past errors, without its never claims, without partial
/// order reduction, and without merging of statements, data flow or dead variables.
///
/// # Errors
/// If a program cannot be started; as text, why there are no counts.
pub fn spin_states(model: &Model, size: Size) -> io::Result<Result<Counts, String>> {
    let (verdict, directory) = ask_spin_with(model, &["-o1", "-o2", "-o3"])?;
    if let Some(class) = verdict.rejected {
        return Ok(Err(format!("{}: {}", class.words(), verdict.complaint)));
    }
    let directory = directory.path();
    let include = format!("-I{}", model.file.parent().unwrap_or(Path::new(".")).display());
    let options = [
        size.of_compiler(),
        "-w",
        "-DSAFETY",
        "-DNOREDUCE",
        "-DNOCLAIM",
        "-DVECTORSZ=16384",
        "-DMEMLIM=4096",
    ];
    let arguments = [&options[..], &[&include, "-o", "pan", "pan.c"]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
    let compiled = limited(directory, Path::new("gcc"), &arguments, LIMIT)?;
    if !compiled.status.is_some_and(|status| status.success()) {
        let text = compiled.text();
        let line = text.lines().find(|line| line.contains("error")).unwrap_or("no output");
        return Ok(Err(format!("the verifier does not compile: {}", line.trim())));
    }
    let arguments = [&["-c0", "-n"], &size.of_verifier()[..]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
    let ended = limited(directory, &directory.join("pan"), &arguments, LIMIT)?;
    Ok(match ended.status {
        None => Err(String::from("the verifier does not come to an end")),
        Some(_) => read(&ended.text()),
    })
}

fn read(text: &str) -> Result<Counts, String> {
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
    let number = |words: &str| {
        let line = text.lines().find(|line| line.contains(words))?;
        let number: f64 = line.split_whitespace().next()?.parse().ok()?;
        // Counts beyond nine digits are rounded by what prints them.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        (number < 1e8).then_some(number as u64)
    };
    let errors = text.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let counts = (|| {
        Some(Counts {
            states: number("states, stored")?,
            arrivals: number("transitions (= stored+matched)")?,
            atomic_steps: number("atomic steps")?,
            errors: errors?,
        })
    })();
    counts.ok_or_else(|| text.lines().last().unwrap_or("no output").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
State-vector 28 byte, depth reached 8, errors: 2
       12 states, stored
        3 states, matched
       15 transitions (= stored+matched)
        1 atomic steps
";

    #[test]
    fn a_report_is_read() {
        let counts = Counts { states: 12, arrivals: 15, atomic_steps: 1, errors: 2 };
        assert_eq!(read(REPORT), Ok(counts));
        let cut = format!("error: max search depth too small\n{REPORT}");
        assert_eq!(read(&cut), Err("error: max search depth too small".into()));
        assert_eq!(read("Segmentation fault"), Err("Segmentation fault".into()));
    }
}
