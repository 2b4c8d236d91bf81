//! Holds random runs of systems in Art against what their own texts tell about messages, and prints
//! the page `docs/generated/art-runs.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example art_runs > docs/generated/art-runs.md
//! ```
//!
//! The collection is looked for in `../shared/corpus/umlrt`, beside this repository.
#![allow(missing_docs)] // an example has no interface

use std::collections::BTreeMap;
use std::path::Path;

use explore::Buffers;
use freeboard::simulate_program;
use freeboard::umlrt_front::{self, Imports};
use integration_tests::capsules::capsule_includes;
use integration_tests::comparison::corpus::place;

const HEAD: &str = "\
# Messages in runs of systems in Art

For each system of a collection whose own text tells which messages a run receives (in comments, log texts, checks, or plain code; `crates/integration-tests/data/art_messages.tsv`),
random runs as `freeboard simulate` makes them, seeds 0 to 99 with at most 8 000 steps: the first that receives just these. Conditions on data that is not followed are decided at random there, so that another seed may give another run. `*` is any number
of at least 1. This page is the output of

```sh
cargo run --release -p integration-tests --example art_runs > docs/generated/art-runs.md
```

| file | root | a run receives | told by | seed |
|---|---|---|---|---|";

const SEEDS: u64 = 100;
const STEPS: usize = 8_000;

/// A system, and the messages that its text tells about.
struct Row<'a> {
    file: &'a str,
    root: &'a str,
    messages: &'a str,
    told_by: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut parts = line.split('\t');
        let mut next = || parts.next();
        Some(Self { file: next()?, root: next()?, messages: next()?, told_by: next()? })
    }

    /// Returns `true` if these are the messages that a run has received.
    fn allows(&self, received: &BTreeMap<String, usize>) -> bool {
        self.messages.split(',').all(|item| {
            let (name, count) = item.split_once('*').unwrap_or((item, ""));
            let found = received.get(name).copied().unwrap_or(0);
            count.parse::<usize>().map_or(found > 0, |count| found == count)
        })
    }
}

fn main() {
    println!("{HEAD}");
    let Some(place) = place(None).map(|place| place.with_file_name("umlrt")) else {
        eprintln!("SKIPPED: there is no collection of models");
        return;
    };
    let table = include_str!("../data/art_messages.tsv");
    let rows: Vec<Row<'_>> =
        table.lines().filter(|line| !line.starts_with('#')).filter_map(Row::read).collect();
    let mut shown = 0;
    for row in &rows {
        let seed = (0..SEEDS).find(|seed| received(&place, row, *seed).is_some_and(|run| row.allows(&run)));
        shown += usize::from(seed.is_some());
        let seed = seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
        println!("| {} | {} | {} | {} | {seed} |", row.file, row.root, row.messages, row.told_by);
    }
    println!("\nOf {} systems, {shown} have such a run.", rows.len());
}

/// The messages that a random run of a system receives, with their numbers; `None` if it cannot be
/// run.
fn received(place: &Path, row: &Row<'_>, seed: u64) -> Option<BTreeMap<String, usize>> {
    let file = place.join(row.file);
    let text = umlrt_front::decode(std::fs::read(&file).ok()?);
    let options = umlrt_front::Options {
        imports: Imports::Files(capsule_includes(place, &file)),
        system: (row.root != "-").then(|| row.root.to_owned()),
        ..umlrt_front::Options::default()
    };
    let lowered = umlrt_front::parse(&file.display().to_string(), &text, &options).lowered?;
    let run = simulate_program(&lowered.program, row.file, Buffers::Declared, (seed, STEPS)).ok()?;
    let mut received = BTreeMap::new();
    for statement in run.steps.iter().flat_map(|step| step.statements()) {
        if let Some(name) = statement.received.as_ref().and_then(|message| message.fields.first()) {
            *received.entry(name.clone()).or_default() += 1;
        }
    }
    Some(received)
}
