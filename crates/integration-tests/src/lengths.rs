//! The most messages that each queue of a model ever holds, from one run of Spin's verifier.
//!
//! The function `qsend` of the verifier is given a line that notes lengths. So there is no claim beside the model,
//! which would count as a process, and what is sent within a `d_step` is seen too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::compiler::{Haste, compile};
use crate::program::limited;

/// For how long Spin may write a verifier, and a verifier may run.
const LIMIT: Duration = Duration::from_secs(90);

/// The only complaint of Spin behind which its verifier is complete: `else` beside a send or a receive.
const HARMLESS: &str = "dubious use of 'else' combined with i/o";

/// Where the verifier comes to the end of a send, and what is done there.
const END_OF_SEND: &str = "#ifdef EVENT_TRACE\n\tif (in_s_scope(into+1))\n\t\trequire('s', into);";
const NOTE: &str = "if (((Q0 *)qptr(into))->Qlen > longest[into]) longest[into] = ((Q0 *)qptr(into))->Qlen;\n";

/// Where it prints what it has found.
const SUMMARY: &str = "void\nwrapup(void)\n{";
const TELL: &str = "int at; for (at = 0; at < 256; at++) if (longest[at]) printf(\"longest %d %d\\n\", at, longest[at]);\n";

/// What a run of Spin's verifier has seen of queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The most messages that each global queue held, by its name: `c`, or `c[1]` of an array. Those of rendezvous
    /// channels mean nothing.
    pub longest: BTreeMap<String, u32>,
    /// All states were looked at.
    pub is_exhaustive: bool,
}

/// Runs Spin's verifier over all states, past all errors, with this many megabytes.
///
/// # Errors
/// What Spin or the compiler complains of.
///
/// # Panics
/// If there is no room for temporary files.
pub fn lengths(model: &str, megabytes: u32) -> Result<Lengths, String> {
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let directory = directory.path();
    fs::write(directory.join("model.pml"), model).map_err(|error| error.to_string())?;
    let said = run(directory, Path::new("spin"), &["-a", "model.pml"])?;
    if said.lines().any(|line| line.contains("Error") && !line.contains(HARMLESS)) {
        return Err(said);
    }
    let verifier = fs::read_to_string(directory.join("pan.c")).map_err(|error| error.to_string())?;
    fs::write(directory.join("pan.c"), noting(&verifier)?).map_err(|error| error.to_string())?;
    let memory = format!("-DMEMLIM={megabytes}");
    let options = ["-DSAFETY", "-DNOREDUCE", &memory, "-DVECTORSZ=16384"];
    compile(directory, Haste::Compile, &options).map_err(|error| error.to_string())??;
    // Past errors and invalid ends; at most a minute.
    let output = run(directory, &directory.join("pan"), &["-c0", "-E", "-Q1", "-w18", "-m200000"])?;
    let cut_short = ["Search not completed", "max search depth too small", "reached -DMEMLIM", "time limit"];
    let is_exhaustive = output.contains("errors: ") && !cut_short.iter().any(|cut| output.contains(cut));
    Ok(Lengths { longest: read(&names(&verifier), &output), is_exhaustive })
}

/// The verifier with the lines that note and print lengths.
fn noting(verifier: &str) -> Result<String, String> {
    if !verifier.contains(END_OF_SEND) || !verifier.contains(SUMMARY) {
        return Err("this version of Spin writes another verifier than 6.5 does".into());
    }
    let noting = verifier.replacen(END_OF_SEND, &format!("{NOTE}{END_OF_SEND}"), 1);
    Ok(format!("static int longest[256];\n{}", noting.replacen(SUMMARY, &format!("{SUMMARY}{TELL}"), 1)))
}

/// The names of global queues, in the order of their numbers.
fn names(verifier: &str) -> Vec<String> {
    let made = verifier.lines().filter_map(|line| line.trim().strip_prefix("now.")?.split_once(" = addqueue("));
    made.map(|(name, _)| name.to_owned()).collect()
}

fn read(names: &[String], output: &str) -> BTreeMap<String, u32> {
    let mut longest: BTreeMap<String, u32> = names.iter().map(|name| (name.clone(), 0)).collect();
    for line in output.lines().filter_map(|line| line.strip_prefix("longest ")) {
        let mut numbers = line.split_whitespace().map(str::parse);
        let (Some(Ok(at)), Some(Ok(most))) = (numbers.next(), numbers.next()) else { continue };
        let at: u32 = at;
        if let Some(name) = names.get(at as usize) {
            longest.insert(name.clone(), most);
        }
    }
    longest
}

/// What a program prints, if it ends well and in time.
fn run(directory: &Path, program: &Path, arguments: &[&str]) -> Result<String, String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let ended = limited(directory, program, &arguments, LIMIT).map_err(|error| error.to_string())?;
    if ended.status.is_some_and(|status| status.success()) { Ok(ended.text()) } else { Err(ended.text()) }
}
