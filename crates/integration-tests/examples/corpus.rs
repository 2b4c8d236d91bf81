//! Compares the front end with Spin on many models, and prints the page
//! `docs/generated/promela-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example corpus -- [DIRECTORY] > docs/generated/promela-corpus.md
//! ```
//!
//! The directory holds a collection of models with a table `INDEX.tsv`; without one it is looked
//! for in `../shared/corpus/promela`, beside this repository. The exit status is 1 if a difference
//! has no reason in `differences.tsv`, or a reason no difference. With a file instead of a
//! directory, that one model is compared, and both graphs of each process type are shown.
#![allow(missing_docs)] // an example has no interface

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use integration_tests::comparison::corpus::{Model, models, own_models, place};
use integration_tests::comparison::differences::{Reasons, found, problems, reasons};
use integration_tests::comparison::page::section;
use integration_tests::comparison::pan::print_graphs;
use integration_tests::comparison::program::graph;
use integration_tests::comparison::regions::Regions;
use integration_tests::comparison::run::{Reading, compare_all};
use integration_tests::comparison::verdict::ask_spin;
use promela_front::{Options, Severity, parse};

const HEAD: &str = "\
# The front end beside Spin

What Spin 6.5.2 makes of models, and what freeboard's front end makes of them: whether they are accepted, and
whether their control-flow graphs are those that Spin's verifier prints (`spin -a -o3`, `pan -d`). This page is
the output of

```sh
cargo run --release -p integration-tests --example corpus > docs/generated/promela-corpus.md
```

How the comparison is made is said in `crates/integration-tests/src/comparison/`. In short: two graphs are walked through
together from their entries. The edges of two states must be the same statements, compared as expressions and
not as texts, with the same rank (`unless`) and the same atomicity; the states must have the same marks and
correspond one to one. A `d_step` is one edge, as Spin shows it. States that only jump are passed over. Of output
and of C code only the kind is compared. Lines do not count as differences: Spin gives those of an inline's body
or of its call, as the case may be, and sometimes that of what comes next.

Rejections by Spin count where the text itself is wrong: its syntax, names, types or control flow.
";

fn main() -> ExitCode {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let reasons = reasons(include_str!("../differences.tsv"));
    if let Some(file) = given.as_ref().filter(|path| path.is_file()) {
        return one(file);
    }
    let mut all = Vec::new();
    println!("{HEAD}");
    let own = compare_all(&own_models(), &read, &|_| true);
    println!("{}", section("Models of this repository", &own, &reasons));
    all.extend(own);
    if let Some(place) = place(given.as_deref()) {
        let results = compare_all(&models(&place), &read, &|_| true);
        println!("{}", section("Models of other people", &results, &reasons));
        all.extend(results);
    } else {
        eprintln!("there is no collection of models; only those of this repository were compared");
    }
    let problems = problems(&all, &reasons, true);
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    ExitCode::from(u8::from(!problems.is_empty()))
}

/// Compares one model.
fn one(file: &Path) -> ExitCode {
    let model = Model::alone(file);
    let results = compare_all(std::slice::from_ref(&model), &read, &|_| true);
    println!("{}", section(&model.name, &results, &Reasons::new()));
    let found = found(&results);
    found.iter().for_each(|found| println!("{:?}: {}", found.key.process, found.text));
    let Some(program) = read(&model).program else { return ExitCode::FAILURE };
    let regions = Regions::of(&program.sources);
    let printed = print_one(&model).unwrap_or_else(|error| panic!("{}: {error}", model.name));
    for id in program.types.ids() {
        println!("ours\n{}", graph(&program, id, &regions).outline());
    }
    println!("{printed}");
    ExitCode::from(u8::from(!found.is_empty()))
}

/// What Spin's verifier prints for a model, or why it does not.
fn print_one(model: &Model) -> std::io::Result<String> {
    let (verdict, directory) = ask_spin(model)?;
    if verdict.rejected.is_some() {
        return Ok(verdict.complaint);
    }
    let beside = model.file.parent().unwrap_or(Path::new("."));
    Ok(print_graphs(directory.path(), beside)?.unwrap_or_else(|reason| reason))
}

/// Reads a model as `freeboard` would.
fn read(model: &Model) -> Reading {
    let options = Options { defines: model.defines.clone(), ..Options::default() };
    let outcome = parse(&model.file.to_string_lossy(), &model.text(), &options);
    let error = outcome.diagnostics.iter().find(|found| found.severity == Severity::Error);
    let line = error.map(|error| error.line(&outcome.sources).to_string()).unwrap_or_default();
    let place = model.file.parent().map(|parent| format!("{}/", parent.display())).unwrap_or_default();
    Reading { program: outcome.program, error: line.replace(&place, ""), panics: false }
}
