//! Looks for runs that make buffers grow for ever, in many models, and prints the page
//! `docs/generated/witnesses-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example witnesses > docs/generated/witnesses-corpus.md
//! ```
//!
//! The collection of models is looked for in `../shared/corpus/promela`, beside this repository; an
//! argument restricts the models to those with it in their names.
#![allow(missing_docs)] // an example has no interface

use std::time::Instant;

use freeboard::boundedness::BufferVerdict;
use freeboard::explore::{Buffers, Completion, Limits};
use freeboard::refine::Confirmation;
use freeboard::{Analysis, Options, check_promela, promela_front, semantics};
use integration_tests::comparison::corpus::{Model, models, own_models, place};

const HEAD: &str = "\
# Witnesses in many models

The models of which the plain test says that buffers can grow in the abstraction, and what runs of them show
(`freeboard check`, with the macros that a model needs and the limits that it has by default). This page is the output of

```sh
cargo run --release -p integration-tests --example witnesses > docs/generated/witnesses-corpus.md
```

- *open*: buffers that can grow in the abstraction;
- *grow*: those of them that grow for ever in a run, which has been found and replayed;
- *runs*: for each run, the steps that come first and those that are repeated;
- *search*: what it took to look for runs and maxima. The machine had two cores and other work;
- *what is right*, where the search does not say it: all states of the model have been seen, in this search or in one of up to
  4 million states for this page, so that nothing grows for ever; or it is not known.

";

/// States of the search that tells what is right.
const MANY: usize = 4_000_000;

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    println!("{HEAD}| model | open | grow | runs | search | what is right |\n|---|---|---|---|---|---|");
    let mut all = own_models();
    match place(None) {
        Some(place) => all.extend(models(&place)),
        None => eprintln!("there is no collection of models; only those of this repository are looked at"),
    }
    let mut total = Total::default();
    for model in all.iter().filter(|model| model.name.contains(&part)) {
        if let Some(analysis) = analysis_of(model) {
            row(model, &analysis, &mut total);
        }
    }
    println!(
        "\nOf {} models that the plain test leaves open, {} have a run in which a buffer grows for ever (the slowest search \
         took {:.1} s), {} have finitely many states, so that nothing grows for ever, and {} are not known to be one or the \
         other.",
        total.models,
        total.grow,
        total.slowest,
        total.finite,
        total.models - total.grow - total.finite
    );
}

#[derive(Default)]
struct Total {
    models: usize,
    grow: usize,
    finite: usize,
    /// The slowest search that found a run, in seconds.
    slowest: f64,
}

/// What `check` says of a model, if it can be read and the plain test leaves it open.
fn analysis_of(model: &Model) -> Option<Analysis> {
    let parse =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let options = Options { parse, ..Options::default() };
    let analysis = check_promela(&model.file.display().to_string(), &model.text(), &options).ok()?;
    (!analysis.outcome.verdict.is_proved()).then_some(analysis)
}

fn row(model: &Model, analysis: &Analysis, total: &mut Total) {
    let open =
        analysis.outcome.buffers.values().filter(|buffer| matches!(buffer, BufferVerdict::CanGrow { .. }));
    let Confirmation { witnesses, unbounded, .. } = &analysis.confirmation;
    let steps =
        witnesses.iter().map(|run| format!("{} + {}", run.prefix().steps.len(), run.pump().steps.len()));
    let seconds = analysis.timings.search.as_secs_f64();
    total.models += 1;
    let right = if witnesses.is_empty() {
        let finite = finite(analysis);
        total.finite += usize::from(finite.is_some());
        finite.unwrap_or_else(|| "not known".into())
    } else {
        total.grow += 1;
        total.slowest = total.slowest.max(seconds);
        String::new()
    };
    let seconds = if seconds < 0.1 { "< 0.1 s".into() } else { format!("{seconds:.1} s") };
    println!(
        "| {} | {} | {} | {} | {seconds} | {right} |",
        model.name,
        open.count(),
        unbounded.len(),
        steps.collect::<Vec<_>>().join(", ")
    );
}

/// That all states of a model have been seen, if there are not too many.
fn finite(analysis: &Analysis) -> Option<String> {
    let start = Instant::now();
    let semantics = semantics(&analysis.program, Buffers::Unbounded).ok()?;
    let limits =
        Limits { states: Some(MANY), passed: Some(4 * MANY), violations: usize::MAX, ..Limits::default() };
    let found = semantics.explore(&limits).ok()?;
    eprintln!("{} states in {:.1} s", found.states + found.passed, start.elapsed().as_secs_f64());
    let limited = found.violations.iter().any(|(violation, _)| violation.is_limit());
    let complete = found.completion == Completion::Complete && !limited;
    complete.then(|| format!("bounded: {} states", found.states))
}
