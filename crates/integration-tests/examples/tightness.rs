//! Compares proved bounds with true maxima, and prints the page `docs/generated/tightness.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example tightness > docs/generated/tightness.md
//! ```
//!
//! The collections of models are looked for in `../shared/corpus`, beside this repository; an
//! argument restricts the models to those with it in their names.
#![allow(missing_docs)] // an example has no interface

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::{BufferId, System};
use explore::{Buffers, Completion, Limits, Semantics};
use freeboard::report::view::{Check, Number};
use freeboard::{Options, check_machines, check_promela, promela_front};
use integration_tests::comparison::corpus::{Model, models, own_models, place};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::machines::{MachineFile, collection, machine_files};
use refine::Correspondence;

const HEAD: &str = "\
# Bounds beside maxima

How often the proved bound of a buffer is the most that it ever holds. All states of each model are looked at with unlimited channels; the models with no more
than 200 000 states in 10 s count, and all their channels but rendezvous. Proofs had 30 s for each model. This page is the output of

```sh
cargo run --release -p integration-tests --example tightness > docs/generated/tightness.md
```

- *bound*: the proved bound; *none* where what is proved says no number, or nothing is;
- *told*: the maximum that `freeboard check` tells beside the bound, if it has looked at all states by itself.

| model | buffer | maximum | bound | told |
|---|---|--:|--:|--:|";

const STATES: usize = 200_000;
const PATIENCE: Duration = Duration::from_secs(10);

/// A buffer whose maximum is known.
struct Row {
    model: String,
    buffer: String,
    maximum: u32,
    bound: Option<String>,
    told: Option<String>,
}

#[derive(Default)]
struct Total {
    models: usize,
    buffers: usize,
    tight: usize,
    told: usize,
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    println!("{HEAD}");
    let is_asked = |name: &str| name.contains(&part);
    let own = own_models().into_iter().filter(|model| model.name.starts_with("examples/"));
    let own: Vec<Model> = own.filter(|model| is_asked(&model.name)).collect();
    let others = place(None).map(|place| models(&place)).unwrap_or_default();
    let others: Vec<Model> =
        others.into_iter().filter(|model| !model.fragment && is_asked(&model.name)).collect();
    let machines = collection(None).map(|place| machine_files(&place)).unwrap_or_default();
    let machines: Vec<MachineFile> = machines.into_iter().filter(|file| is_asked(&file.name)).collect();
    let totals = [
        ("this repository", show(two_at_a_time(&own, of_model))),
        ("Promela of others", show(two_at_a_time(&others, of_model))),
        ("machines of others", show(two_at_a_time(&machines, of_machines))),
    ];
    println!(
        "\n| models | with known maxima | buffers | bound is the maximum | bound or told |\n|---|--:|--:|--:|--:|"
    );
    for (name, Total { models, buffers, tight, told }) in totals {
        println!("| {name} | {models} | {buffers} | {tight} ({} %) | {told} |", 100 * tight / buffers.max(1));
    }
}

/// Prints the buffers whose bound is above the maximum.
fn show(found: Vec<Vec<Row>>) -> Total {
    let mut total = Total::default();
    for rows in found.into_iter().filter(|rows| !rows.is_empty()) {
        total.models += 1;
        for Row { model, buffer, maximum, bound, told } in rows {
            let most = maximum.to_string();
            let is_tight = bound.as_ref() == Some(&most);
            total.buffers += 1;
            total.tight += usize::from(is_tight);
            total.told += usize::from(is_tight || told.as_ref() == Some(&most));
            if !is_tight {
                let bound = bound.unwrap_or_else(|| "none".into());
                let told = told.unwrap_or_default();
                println!("| {model} | `{buffer}` | {maximum} | {bound} | {told} |");
            }
        }
    }
    total
}

fn options() -> Options {
    Options { time_limit: Some(3 * PATIENCE), ..Options::default() }
}

fn of_model(model: &Model) -> Vec<Row> {
    let parse =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let options = Options { parse, ..options() };
    // What has too many states need not be proved.
    let program = promela_front::parse(&model.name, &model.text(), &options.parse).program;
    if program.is_none_or(|program| maxima(&program).is_none()) {
        return Vec::new();
    }
    let Ok(analysis) = check_promela(&model.name, &model.text(), &options) else { return Vec::new() };
    let abstraction = &analysis.abstraction;
    rows(&analysis.program, abstraction, &abstraction.system, &analysis.view(&model.name))
}

fn of_machines(file: &MachineFile) -> Vec<Row> {
    let Ok(analysis) = check_machines(&file.name, &file.text, file.format, &options()) else {
        return Vec::new();
    };
    let system = &analysis.system;
    let Ok(translation) = system.to_program() else { return Vec::new() };
    // Runs take messages in their order.
    if system.order.is_none() {
        return Vec::new();
    }
    rows(&translation.program, &translation, system, &analysis.view(&file.name))
}

/// The buffers whose maxima are known, with what is proved of them.
fn rows(program: &Program, correspondence: &impl Correspondence, system: &System, view: &Check) -> Vec<Row> {
    let mut most: BTreeMap<BufferId, u32> = BTreeMap::new();
    for (origin, maximum) in maxima(program).unwrap_or_default() {
        if let [buffer] = correspondence.buffers(&origin)[..] {
            let most = most.entry(buffer).or_default();
            *most = maximum.max(*most);
        }
    }
    let row = |(buffer, maximum): (BufferId, u32)| {
        let name = &system.buffers[buffer].name;
        let mut known = view.property_results.iter().flat_map(|result| &result.buffers);
        let known = known.find(|known| known.name == *name)?;
        let number = |number: &Option<Number>| number.as_ref().map(ToString::to_string);
        let (bound, told) = (number(&known.bound), number(&known.exact));
        Some(Row { model: view.file.clone(), buffer: name.clone(), maximum, bound, told })
    };
    let queues = most.into_iter().filter(|(buffer, _)| system.buffers[*buffer].declared != Some(0));
    queues.filter_map(row).collect()
}

/// The most messages of each queue with unlimited channels; `None` if there are too many states.
fn maxima(program: &Program) -> Option<BTreeMap<explore::QueueOrigin, u32>> {
    let options = explore::Options { buffers: Buffers::Unbounded, ..explore::Options::default() };
    let semantics = Semantics::new(program, &options).ok()?;
    let limits = Limits {
        states: Some(STATES),
        deadline: Deadline::at(Some(Instant::now() + PATIENCE)),
        ..Limits::default()
    };
    let found = semantics.explore(&limits).ok()?;
    (found.completion == Completion::Complete).then(|| found.maxima.into_iter().collect())
}
