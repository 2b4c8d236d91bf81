//! The model checker Spin as an oracle: its verifier looks at all states of a model.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::compiler::{Haste, compile, starts};

/// What Spin's verifier says about a model.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Errors found: 0 or 1 where the verifier stops at the first.
    pub errors: u32,
    /// Whether it has looked at everything, or stopped at an error or a limit.
    pub exhaustive: bool,
    /// What it printed.
    pub output: String,
}

/// What Spin's verifier looks for, and where it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Every state, until an assertion fails.
    ToFirstError,
    /// Every state, past all assertions that fail.
    PastErrors,
    /// State by state in the order of their distance from the start, until an assertion fails.
    Nearest,
    /// Infinite runs that a never claim accepts; what stops is no infinite run.
    Accepted,
    /// Every state, each statement a step of its own, until an assertion fails or a claim comes to
    /// its end.
    Unmerged,
    /// Cycles of states in which no process is at a `progress` label.
    WithoutProgress,
    /// The same, weakly fair ones only.
    FairWithoutProgress,
}

impl Way {
    fn of_spin(self) -> &'static [&'static str] {
        match self {
            Self::Unmerged => &["-o1", "-o2", "-o3"],
            Self::ToFirstError
            | Self::PastErrors
            | Self::Nearest
            | Self::Accepted
            | Self::WithoutProgress
            | Self::FairWithoutProgress => &[],
        }
    }

    fn of_compiler(self) -> &'static [&'static str] {
        match self {
            Self::ToFirstError | Self::PastErrors | Self::Unmerged => &["-DSAFETY"],
            Self::Nearest => &["-DSAFETY", "-DBFS"],
            Self::Accepted => &["-DNOSTUTTER"],
            Self::WithoutProgress => &["-DNOSTUTTER", "-DNP"],
            // Room for as many processes as there may be.
            Self::FairWithoutProgress => &["-DNOSTUTTER", "-DNP", "-DNFAIR=8"],
        }
    }

    fn of_verifier(self) -> &'static [&'static str] {
        match self {
            Self::ToFirstError | Self::Nearest | Self::Unmerged => &[],
            Self::PastErrors => &["-c0"],
            Self::Accepted => &["-a"],
            // Past errors of other kinds, but not past a first cycle.
            Self::WithoutProgress => &["-l"],
            Self::FairWithoutProgress => &["-l", "-f", "-A"],
        }
    }
}

/// Whether Spin and a C compiler are there. If not, it says so.
#[must_use]
pub fn is_here(test: &str) -> bool {
    let both = starts("spin", "-V") && starts("gcc", "--version");
    if !both {
        // Not with a macro: what those print is not shown of tests that pass.
        writeln!(std::io::stderr(), "SKIPPED {test}: `spin` and `gcc` are not both on the path")
            .expect("a terminal");
    }
    both
}

/// A claim to put behind a model, which Spin steps through along with every step, those within
/// atomic sequences too: no channel ever holds more than its bound.
#[must_use]
pub fn never_more_than(bounds: &BTreeMap<String, u32>) -> String {
    let mut claim = String::from("never { do :: assert(1");
    for (channel, bound) in bounds {
        write!(claim, " && len({channel}) <= {bound}").expect("a string takes all");
    }
    claim + ") od }\n"
}

/// Runs Spin's verifier until an assertion fails. Invalid end states are not looked at.
///
/// # Panics
/// If Spin does not take the model, or the verifier says nothing that can be understood: the test
/// is wrong then.
#[must_use]
pub fn verify(model: &str) -> Answer {
    verify_by(Way::ToFirstError, model)
}

/// Runs Spin's verifier. Invalid end states are not looked at.
///
/// # Panics
/// As [`verify`].
#[must_use]
pub fn verify_by(way: Way, model: &str) -> Answer {
    attempt(way, model).unwrap_or_else(|complaint| panic!("{complaint}\n{model}"))
}

/// Memory of a verifier, in megabytes.
const MEMORY: u32 = 512;

/// The same for a model that Spin may not take, or make a verifier of that cannot be compiled.
///
/// # Errors
/// What Spin, the compiler or the verifier complains of.
pub fn attempt(way: Way, model: &str) -> Result<Answer, String> {
    attempt_within(MEMORY, way, model)
}

/// The same with less memory: of many models, few of which are large, these take most of the time.
///
/// # Errors
/// As [`attempt`].
pub fn attempt_within(megabytes: u32, way: Way, model: &str) -> Result<Answer, String> {
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let file = directory.path().join("model.pml");
    std::fs::write(&file, model).expect("room for a model");
    run(directory.path(), "spin", &[way.of_spin(), &["-a", "model.pml"]].concat())?;
    let memory = format!("-DMEMLIM={megabytes}");
    let options = [way.of_compiler(), &["-DNOREDUCE", &memory, "-DVECTORSZ=65536"]].concat();
    compile(directory.path(), Haste::Compile, &options).expect("gcc starts")?;
    // At most a minute; a hash table of 2^18 slots, and a stack that no test should fill.
    let verifier = directory.path().join("pan");
    let options = [way.of_verifier(), &["-E", "-Q1", "-w18", "-m200000"]].concat();
    let output = run(directory.path(), &verifier.to_string_lossy(), &options)?;
    let errors = output.split("errors: ").nth(1).and_then(|rest| rest.lines().next());
    let errors = errors.and_then(|errors| errors.trim().parse().ok());
    let errors = errors.ok_or_else(|| format!("no verdict:\n{output}"))?;
    let cut_short = ["Search not completed", "max search depth too small", "reached -DMEMLIM", "time limit"];
    let exhaustive =
        output.contains("Full statespace search for") && !cut_short.iter().any(|cut| output.contains(cut));
    Ok(Answer { errors, exhaustive, output })
}

/// What a program prints, if it ends well.
fn run(directory: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    let output = output.unwrap_or_else(|error| panic!("{program} does not start: {error}"));
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let ends_well = output.status.success() && !text.contains("Error:");
    if ends_well { Ok(text) } else { Err(format!("{program}:\n{text}")) }
}
