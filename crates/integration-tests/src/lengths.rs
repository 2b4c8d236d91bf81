//! The most messages that each queue of a model ever holds, from one run of Spin's verifier.
//!
//! The function `qsend` of the verifier is given a line that notes lengths. So there is no claim
//! beside the model, which would count as a process, and what is sent within a `d_step` is seen
//! too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::compiler::{Haste, compile};
use crate::program::limited;

/// For how long Spin may write a verifier, and a verifier may run.
const LIMIT: Duration = Duration::from_secs(90);

/// The only complaint of Spin behind which its verifier is complete: `else` beside a send or a
/// receive.
const HARMLESS: &str = "dubious use of 'else' combined with i/o";

/// A line that the verifier is given.
struct Insertion {
    /// The text of Spin's verifier before which the line stands.
    before: &'static str,
    /// The line.
    line: &'static str,
}

/// The lines that note and print lengths, and end a run at an error of a step, such as an index out
/// of range or a rendezvous channel that is polled. Spin's verifier goes on there, with an index of
/// 0 or a channel that holds nothing, if it is to go past errors. A failed assertion ends no run.
const INSERTIONS: [Insertion; 6] = [
    // Behind a send.
    Insertion {
        before: "#ifdef EVENT_TRACE\n\tif (in_s_scope(into+1))\n\t\trequire('s', into);",
        line: "if (!gone_wrong && ((Q0 *)qptr(into))->Qlen > longest[into]) longest[into] = ((Q0 *)qptr(into))->Qlen;\n",
    },
    // At the end of all.
    Insertion {
        before: "\tprintf(\"\\n(%s)\\n\", SpinVersion);\n\tif (!done)",
        line: "\t{ int at; for (at = 0; at < 256; at++) if (longest[at]) printf(\"longest %d %d\\n\", at, longest[at]); }\n",
    },
    // Before each step.
    Insertion { before: "#ifdef INLINE\n#include FORWARD_MOVES", line: "gone_wrong = 0;\n" },
    // Behind each step.
    Insertion {
        before: "\tif (depth >= maxdepth)\n\t{\tif (!warned)",
        line: "#if SYNC\n\tif (gone_wrong) (trpt+1)->o_n = 1;\n#endif\n\tif (gone_wrong) { gone_wrong = 0; goto Up; }\n\tif (boq == -1) wrong_at = -1;\n",
    },
    // Where no process can step, a run ends if one has gone wrong: `timeout` does not hold. A
    // rendezvous that is tried and fails comes between, and does not count.
    Insertion {
        before: "\t\t/* ok if no procs or we're at maxdepth */",
        line: "\t\tif (wrong_at == depth) goto Done;\n",
    },
    // At each error.
    Insertion {
        before: "\tif (unwinding) return; /* 1.4.2 */",
        line: "\tif ((strncmp(str, \"assertion violated\", 18) || strstr(str, \"invalid array index\")) && strncmp(str, \"invalid end state\", 17))\n\t{ gone_wrong = 1; if (boq == -1) wrong_at = depth; }\n",
    },
];

/// What a run of Spin's verifier has seen of queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The most messages that each global queue held, by its name: `c`, or `c[1]` of an array.
    /// Those of rendezvous channels mean nothing.
    pub longest: BTreeMap<String, u32>,
    /// All states were looked at.
    pub is_exhaustive: bool,
}

/// Runs Spin's verifier over all states, with this many megabytes. Runs go on behind failed
/// assertions, and end at errors of steps.
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

/// The verifier with all [`INSERTIONS`].
fn noting(verifier: &str) -> Result<String, String> {
    let mut noting = format!("static int longest[256], gone_wrong; static long wrong_at = -1;\n{verifier}");
    for Insertion { before, line } in INSERTIONS {
        if !noting.contains(before) {
            return Err(format!("this version of Spin writes another verifier than 6.5 does: {before}"));
        }
        noting = noting.replacen(before, &format!("{line}{before}"), 1);
    }
    Ok(noting)
}

/// The names of global queues, in the order of their numbers.
fn names(verifier: &str) -> Vec<String> {
    let made =
        verifier.lines().filter_map(|line| line.trim().strip_prefix("now.")?.split_once(" = addqueue("));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::is_here;

    /// The most messages in `c`.
    fn longest(model: &str) -> u32 {
        lengths(model, 64).expect("Spin takes the model").longest["c"]
    }

    #[test]
    fn lengths_behind_an_error_of_a_step_do_not_count() {
        if !is_here("lengths_behind_an_error_of_a_step_do_not_count") {
            return;
        }
        let polled = "chan g = [0] of { byte }; chan c = [4] of { byte };
            active proctype S() { c!1; g!1 } active proctype R() { g?<_> } active proctype T() { timeout -> c!1 }";
        assert_eq!(longest(polled), 1);
        let outside = "chan c = [4] of { byte }; byte a[2]; byte i;
            active proctype P() { i = 2; if :: a[i] = 1; c!1; c!1 :: i = 1; a[i] = 1; c!1 fi }";
        assert_eq!(longest(outside), 1);
        // A condition that goes wrong takes nothing from another statement.
        let beside = "chan c = [4] of { byte }; byte a[2]; byte i = 2;
            active proctype P() { if :: a[i] == 1 -> c!1; c!1; c!1 :: c!1; c!1 fi }";
        assert_eq!(longest(beside), 2);
        // What goes wrong inside `atomic` lets nobody else step.
        let inside = "chan c = [4] of { byte }; byte a[2]; byte i = 2; bit b;
            active proctype P() { atomic { b = 1; a[i] == 1 } } active proctype Q() { b == 1; c!1 }";
        assert_eq!(longest(inside), 0);
    }

    #[test]
    fn lengths_behind_a_failed_assertion_count() {
        if !is_here("lengths_behind_a_failed_assertion_count") {
            return;
        }
        let failed = "chan c = [4] of { byte }; active proctype P() { assert(false); c!1; c!1 }";
        assert_eq!(longest(failed), 2);
    }
}
