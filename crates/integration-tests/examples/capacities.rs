//! Asks both questions about each buffer of many models, and prints the page
//! `docs/generated/capacities-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example capacities > docs/generated/capacities-corpus.md
//! ```
//!
//! The collection of models is looked for in `../shared/corpus/promela` and
//! `../shared/corpus/cases`, beside this repository; an argument restricts the models to those with
//! it in their names.
#![allow(missing_docs)] // an example has no interface

use std::path::{Path, PathBuf};
use std::time::Duration;

use freeboard::report::view::{AsDeclared, Buffer, BufferVerdict, Number};
use freeboard::{Options, check_promela, promela_front};
use integration_tests::comparison::corpus::{Model, models, own_models, place};

const HEAD: &str = "\
# Capacities in many models

For each buffer, what `freeboard check` says of both questions ([what they are](../soundness/capacities.md#readings)), in at most 20 s for a model. Models without a buffer
are left out. This page is the output of

```sh
cargo run --release -p integration-tests --example capacities > docs/generated/capacities-corpus.md
```

- *unlimited*: the buffer unlimited, each other channel unlimited or limited as declared: the proved bound, and the maximum where that is known; or that it grows for ever,
  with the channels that have to be limited for that;
- *as declared*: whether a send ever blocks, and the most messages that the buffer holds, with all channels as declared.

| model | buffer | declared | unlimited | as declared |
|---|---|---|---|---|";

const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Total {
    buffers: usize,
    bounded: usize,
    unbounded: usize,
    never_block: usize,
    block: usize,
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    println!("{HEAD}");
    let mut all = own_models();
    match place(None) {
        Some(place) => {
            all.extend(models(&place));
            all.extend(cases(&place.with_file_name("cases")));
        }
        None => eprintln!("there is no collection of models; only those of this repository are looked at"),
    }
    let mut total = Total::default();
    for model in all.iter().filter(|model| model.name.contains(&part)) {
        rows(model, &mut total);
    }
    let Total { buffers, bounded, unbounded, never_block, block } = total;
    println!(
        "\nOf {buffers} buffers, {bounded} are bounded and {unbounded} grow for ever, and {} are left open. As declared, no send to {never_block} ever \
         blocks, some to {block} does, and {} are left open.",
        buffers - bounded - unbounded,
        buffers - never_block - block
    );
}

/// Questions of users, one file each.
fn cases(place: &Path) -> Vec<Model> {
    let files = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "pml")).collect();
    files.sort();
    let case = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        Model { name: format!("cases/{name}"), ..Model::alone(file) }
    };
    files.iter().map(case).collect()
}

fn rows(model: &Model, total: &mut Total) {
    let parse =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let options = Options { parse, time_limit: Some(PATIENCE), ..Options::default() };
    let Ok(analysis) = check_promela(&model.file.display().to_string(), &model.text(), &options) else {
        return;
    };
    let result = analysis.view(&model.name).property_results.swap_remove(0);
    for buffer in &result.buffers {
        let limited: Vec<String> = buffer
            .witness
            .and_then(|witness| result.witnesses.get(witness))
            .map(|witness| witness.limited.iter().map(|channel| channel.name.clone()).collect())
            .unwrap_or_default();
        total.buffers += 1;
        total.bounded += usize::from(buffer.verdict == BufferVerdict::Bounded);
        total.unbounded += usize::from(buffer.verdict == BufferVerdict::Unbounded);
        let blocks = buffer.as_declared.as_ref().and_then(|found| found.blocks);
        total.never_block += usize::from(blocks == Some(false));
        total.block += usize::from(blocks == Some(true));
        let declared = buffer.declared.map_or_else(|| "-".into(), |size| size.to_string());
        println!(
            "| {} | `{}` | {declared} | {} | {} |",
            model.name,
            buffer.name,
            unlimited(buffer, &limited),
            buffer.as_declared.as_ref().map_or_else(|| "-".into(), as_declared)
        );
    }
}

fn unlimited(buffer: &Buffer, limited: &[String]) -> String {
    let exact = buffer.exact.as_ref().map(|exact| format!("maximum {exact}"));
    match (buffer.verdict, &buffer.bound) {
        (BufferVerdict::Bounded, Some(bound)) => {
            let exact = exact.map(|exact| format!(", {exact}")).unwrap_or_default();
            format!("≤ {bound}{exact}")
        }
        (BufferVerdict::Bounded, None) => exact.unwrap_or_else(|| "bounded".into()),
        (BufferVerdict::Unbounded, _) if limited.is_empty() => "grows".into(),
        (BufferVerdict::Unbounded, _) => format!("grows, with {} limited", limited.join(", ")),
        _ => "not known".into(),
    }
}

fn as_declared(found: &AsDeclared) -> String {
    let most = |most: &Option<Number>, word: &str| most.as_ref().map(|most| format!(", {word}{most}"));
    let most = most(&found.exact, "maximum ").or_else(|| most(&found.bound, "≤ ")).unwrap_or_default();
    let word = match found.blocks {
        Some(true) => "blocks",
        Some(false) => "never blocks",
        None => "not known",
    };
    format!("{word}{most}")
}
