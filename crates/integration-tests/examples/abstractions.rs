//! Abstracts many models, and prints the page `docs/generated/abstraction-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example abstractions -- [DIRECTORY] > docs/generated/abstraction-corpus.md
//! ```
//!
//! The directory holds a collection of models with a table `INDEX.tsv`; without one it is looked
//! for in `../shared/corpus/promela`, beside this repository. The exit status is 1 if a model does
//! not get through and has no reason in `abstraction.tsv`, or has a reason and gets through. With
//! files instead of a directory, these models are measured; the figures are printed as they are,
//! unrounded.
#![allow(missing_docs)] // an example has no interface

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use freeboard::boundedness::{BufferVerdict, Verdict};
use freeboard::cfsm_core::system::{BufferKind, System};
use freeboard::{Failure, Options, check_system, promela_front, read_promela};
use integration_tests::comparison::corpus::{Model, models, own_models, place};
use integration_tests::measurement::figures::{Cost, Finding, Size};
use integration_tests::measurement::page::section;
use integration_tests::measurement::reasons::{problems, reasons};
use integration_tests::measurement::run::{Measured, measure};

const HEAD: &str = "\
# The abstraction on many models

What the abstraction makes of models: the size of the abstract system, the verdict of the plain test of boundedness
(`freeboard check`, with the macros that a model needs), and what both took. This page is the output of

```sh
cargo run --release -p integration-tests --example abstractions > docs/generated/abstraction-corpus.md
```

Each model goes through a process of its own, which is stopped after 20 s; one runs after the other. The time of the
abstraction is without reading the text, the time of the verdict without both. Memory is the peak of the process (on Linux,
`VmHWM`), first at the end of the abstraction, which includes reading the text, then at the end of all. All are rounded
to one digit; what takes less than 0.1 s or 20 MB is not told apart. The machine had two cores and other work.

A buffer that is named under unknown can grow in the abstraction; whether in the model too is not known. Instances are
those at the start. How the page is made is said in `crates/integration-tests/src/measurement/`.
";

/// The first argument of the process that measures one model.
const ONE: &str = "--one";

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match given.first().map(String::as_str) {
        Some(ONE) => {
            one(&given[1..]);
            ExitCode::SUCCESS
        }
        Some(path) if Path::new(path).is_file() => {
            given.iter().map(|path| run(&Model::alone(Path::new(path)))).for_each(|found| print(&found));
            ExitCode::SUCCESS
        }
        directory => page(directory.map(Path::new)),
    }
}

/// Measures all models and prints the page.
fn page(directory: Option<&Path>) -> ExitCode {
    let reasons = reasons(include_str!("../abstraction.tsv"));
    println!("{HEAD}");
    let mut results: Vec<Measured> = own_models().iter().map(run).collect();
    println!("{}", section("Models of this repository", &results, &reasons));
    if let Some(place) = place(directory) {
        let others: Vec<Measured> = models(&place).iter().map(run).collect();
        println!("{}", section("Models of other people", &others, &reasons).trim_end());
        results.extend(others);
    } else {
        eprintln!("there is no collection of models; only those of this repository were measured");
    }
    let problems = problems(&results, &reasons);
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    ExitCode::from(u8::from(!problems.is_empty()))
}

/// Measures a model in a process of its own: this program again.
fn run(model: &Model) -> Measured {
    let program: PathBuf = std::env::current_exe().expect("a program knows where it is");
    measure(&program, &[ONE], model).unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

/// Prints all that was found of a model.
fn print(found: &Measured) {
    println!("{}", found.name);
    found.findings.iter().for_each(|finding| println!("  {}", finding.line().replace('\t', " ")));
    println!(
        "  {:?}{}",
        found.end,
        found.trouble().map(|trouble| format!("; {trouble}")).unwrap_or_default()
    );
}

/// What the process does that measures one model: prints what it finds when it finds it.
fn one(arguments: &[String]) {
    let say = |finding: Finding| println!("{}", finding.line());
    let (file, macros) = arguments.split_first().expect("a file");
    let macros = macros.iter().filter_map(|text| text.strip_prefix("-D"));
    let defines = macros.map(|text| match text.split_once('=') {
        Some((name, body)) => (name.to_owned(), Some(body.to_owned())),
        None => (text.to_owned(), None),
    });
    let parse = promela_front::Options { defines: defines.collect(), ..promela_front::Options::default() };
    let options = Options { parse, ..Options::default() };
    let model = match read_promela(file, &Model::alone(Path::new(file)).text(), &options) {
        Ok(model) => model,
        Err(failure @ Failure::Input { .. }) => return say(Finding::Rejected(failure.to_string())),
        Err(failure) => return say(Finding::Failed(failure.to_string())),
    };
    say(Finding::System(size(&model.abstraction.system), Cost::until_now(model.timings.abstraction)));
    model.abstraction.approximations.into_iter().for_each(|limit| say(Finding::Coarse(limit)));
    let analysis = match check_system(model.abstraction.system, &options) {
        Ok(analysis) => analysis,
        Err(failure) => return say(Finding::Failed(failure.to_string())),
    };
    for (id, verdict) in analysis.outcome.buffers.iter() {
        if matches!(verdict, BufferVerdict::CanGrow { .. }) {
            say(Finding::Grows(analysis.system.buffers[id].name.clone()));
        }
    }
    let reason = match &analysis.outcome.verdict {
        Verdict::Proved(_) => None,
        Verdict::Unknown { reason, .. } => Some(reason.to_string()),
        other => Some(format!("{other:?}")),
    };
    say(Finding::Verdict(reason, Cost::until_now(analysis.timings.solve)));
}

fn size(system: &System) -> Size {
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let of_kind = |kind| system.buffers.values().filter(|buffer| buffer.kind == kind).count();
    Size {
        classes: count(system.classes.len()),
        instances: system.classes.values().map(|class| u64::from(class.instances)).sum(),
        states: count(system.states.len()),
        transitions: count(system.transitions.len()),
        messages: count(system.messages.len()),
        queues: count(of_kind(BufferKind::Queue)),
        rendezvous: count(of_kind(BufferKind::Rendezvous)),
    }
}
