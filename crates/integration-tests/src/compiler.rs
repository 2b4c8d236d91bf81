//! Compilers of the verifiers that Spin writes: C, a file of some ten thousand lines.
//!
//! Small models take longer to compile than to verify. The Tiny C Compiler, where it is installed,
//! takes a tenth of the time of gcc without optimisation; what it refuses is given to gcc.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use crate::program::limited;

/// For how long a compiler may run.
const LIMIT: Duration = Duration::from_secs(60);

/// Whether verifiers should take little time to compile or to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// They run for less time than gcc takes to compile them.
    Compile,
    /// They run for long.
    Run,
    /// They are in C++.
    Plus,
}

/// Whether the Tiny C Compiler is there.
static TINY: LazyLock<bool> = LazyLock::new(|| starts("tcc", "-v"));

/// Whether a program is there.
pub(crate) fn starts(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok()
}

/// Compiles `pan.c` in a directory to `pan` there.
///
/// # Errors
/// If the compiler cannot be started; as text, what it complains of.
pub(crate) fn compile(directory: &Path, haste: Haste, options: &[&str]) -> io::Result<Result<(), String>> {
    let tried: &[(&str, &str)] = match haste {
        Haste::Compile if *TINY => &[("tcc", "-w"), ("gcc", "-O0")],
        Haste::Compile => &[("gcc", "-O0")],
        Haste::Run => &[("gcc", "-O1")],
        Haste::Plus => &[("g++", "-xc++")],
    };
    let mut complaint = String::new();
    for (compiler, option) in tried {
        let arguments = [&[*option, "-w"], options, &["-o", "pan", "pan.c"]].concat();
        let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
        let ended = limited(directory, Path::new(compiler), &arguments, LIMIT)?;
        if ended.status.is_some_and(|status| status.success()) {
            return Ok(Ok(()));
        }
        let text = ended.text();
        let line = text.lines().find(|line| line.contains("error")).unwrap_or("no output");
        complaint = format!("the verifier does not compile: {}", line.trim());
    }
    Ok(Err(complaint))
}
