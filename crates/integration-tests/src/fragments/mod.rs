//! Random fragments of action code in C: what they send when they are compiled and executed, beside
//! what is read of them.

mod generator;
mod matching;

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Duration;

pub use generator::{Fragment, Language, fragment};
pub use matching::allows;

use crate::compiler::{self, Haste};
use crate::program::limited;

/// For how long all fragments of one program may run.
const LIMIT: Duration = Duration::from_secs(60);

/// The messages that an execution sent, each as a letter, and whether it was stopped there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The messages in their order.
    pub sent: String,
    /// True if the execution was stopped before its end.
    pub cut: bool,
}

/// What fragments need: ports whose operations note what is sent, and a stop for those that do not
/// end.
const HEAD: &str = r#"
#include <setjmp.h>
#include <stdio.h>
typedef int int32; typedef short int16; typedef unsigned char uint8; typedef unsigned uint32; typedef int boolean;
#ifndef __cplusplus
#define true 1
#define false 0
#endif
static jmp_buf stop;
static char sent[64];
static int count, ticks;
static void tick(void) { if (++ticks > 300) longjmp(stop, 1); }
static void say(char name) { sent[count++] = name; if (count == 25) longjmp(stop, 1); }
static void say_a(void) { say('a'); }
static void say_b(void) { say('b'); }
static void say_c(void) { say('c'); }
static struct { void (*a)(void), (*b)(void), (*c)(void); } p = { say_a, say_b, say_c };
static void use(int number) { (void)number; }
static void change(int *number) { *number = (*number + 1) % 50; }
static int id(int number) { return number; }
static int three[] = { 1, 2, 3 };
static int n, k; static short s; static unsigned char u; static unsigned w; static int f;
"#;

/// Executes fragments of a language, compiled all together in a directory.
///
/// # Errors
/// If a program cannot be started; as text, what the compiler complains of.
pub fn execute(
    fragments: &[Fragment],
    language: Language,
    directory: &Path,
) -> io::Result<Result<Vec<Trace>, String>> {
    let mut text = HEAD.to_owned();
    for (number, fragment) in fragments.iter().enumerate() {
        text += &fragment.c_text(number);
    }
    text += "int main(void) {\n";
    for number in 0..fragments.len() {
        writeln!(
            text,
            "count = ticks = 0; if (!setjmp(stop)) {{ go_{number}(); printf(\"%.*s.\\n\", count, sent); }} \
             else printf(\"%.*s!\\n\", count, sent);"
        )
        .expect("a string takes all");
    }
    text += "return 0; }\n";
    std::fs::write(directory.join("pan.c"), text)?;
    let haste = match language {
        Language::C => Haste::Compile,
        Language::CPlusPlus => Haste::Plus,
    };
    if let Err(complaint) = compiler::compile(directory, haste, &[])? {
        return Ok(Err(complaint));
    }
    let ended = limited(directory, &directory.join("pan"), &[], LIMIT)?;
    if ended.status.is_some_and(|status| status.success()) {
        return Ok(Ok(traces(&ended.output)));
    }
    Ok(Err(format!("the fragments end with {:?}", ended.status)))
}

fn traces(output: &str) -> Vec<Trace> {
    let trace = |line: &str| Trace { sent: line[..line.len() - 1].to_owned(), cut: line.ends_with('!') };
    output.lines().map(trace).collect()
}

/// True if a compiler of a language is there; otherwise it tells that tests are skipped.
#[must_use]
pub fn compiler_is_here(language: Language, test: &str) -> bool {
    use std::io::Write;
    let name = match language {
        Language::C => "gcc",
        Language::CPlusPlus => "g++",
    };
    let here = compiler::starts(name, "--version");
    if !here {
        writeln!(io::stderr(), "SKIPPED {test}: `{name}` is not on the path").expect("a terminal");
    }
    here
}
