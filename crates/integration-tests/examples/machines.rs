//! Checks a collection of machines that other people wrote, and prints the page
//! `docs/generated/cfsm-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example machines > docs/generated/cfsm-corpus.md
//! ```
//!
//! The collection is looked for in `../shared/corpus/cfsm`, beside this repository, or where an
//! argument says.
#![allow(missing_docs)] // an example has no interface

use std::path::PathBuf;
use std::time::{Duration, Instant};

use freeboard::certify::Claim;
use freeboard::{Options, SystemAnalysis, check_machines};
use integration_tests::machines::{MachineFile, collection, machine_files};

const HEAD: &str = "\
# Machines of others

What `freeboard check` says of communicating machines that others wrote: the test set of KMC, in its two syntaxes, with the limits that
the command has by default. This page is the output of

```sh
cargo run --release -p integration-tests --example machines > docs/generated/cfsm-corpus.md
```

- *bounded*: every buffer has a bound in a certificate that the checker has accepted; the largest of them;
- *by*: `potential`, the plain test; `configurations`, a closed set of them, where the plain test leaves buffers open and the order of
  messages bounds them ([why](../soundness/certificates.md#closed-sets-of-configurations));
- *unbounded*: some buffer grows for ever in a run that was found and replayed: the steps that come first, and those that are repeated.

";

fn main() {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let Some(place) = collection(given.as_deref()) else {
        eprintln!("there is no collection of machines");
        std::process::exit(4);
    };
    let mut total = Total::default();
    print!(
        "{HEAD}| file | format | machines | states | transitions | verdict | by |\n|---|---|---|---|---|---|---|\n"
    );
    for file in machine_files(&place) {
        row(&file, &mut total);
    }
    let Total { files, read, bounded, configurations, unbounded, open, time, slowest } = total;
    println!(
        "\nOf {files} files {read} are read. {bounded} systems are proved bounded, {configurations} of them by configurations; \
         {unbounded} are unbounded; {open} are open. Reading and checking took {:.1} s for all together, {:.2} s for the slowest. The \
         machine had two cores and other work.",
        time.as_secs_f64(),
        slowest.as_secs_f64()
    );
}

#[derive(Default)]
struct Total {
    files: usize,
    read: usize,
    bounded: usize,
    configurations: usize,
    unbounded: usize,
    open: usize,
    time: Duration,
    slowest: Duration,
}

fn row(file: &MachineFile, total: &mut Total) {
    let begin = Instant::now();
    let analysis = check_machines(&file.name, &file.text, file.format, &Options::default());
    let time = begin.elapsed();
    total.files += 1;
    total.time += time;
    total.slowest = total.slowest.max(time);
    let MachineFile { name, format, .. } = file;
    let analysis = match analysis {
        Ok(analysis) => analysis,
        Err(failure) => {
            println!("| {name} | {format} | | | | {failure} | |");
            return;
        }
    };
    total.read += 1;
    let (verdict, by) = verdict(&analysis, total);
    let system = &analysis.system;
    let sizes = [system.classes.len(), system.states.len(), system.transitions.len()];
    let [machines, states, transitions] = sizes;
    println!("| {name} | {format} | {machines} | {states} | {transitions} | {verdict} | {by} |");
}

fn verdict(analysis: &SystemAnalysis, total: &mut Total) -> (String, String) {
    if let Some(witness) = analysis.confirmation.witnesses.first() {
        total.unbounded += 1;
        let (prefix, pump) = (witness.prefix().steps.len(), witness.pump().steps.len());
        return (format!("unbounded: {prefix} + {pump} steps"), "run".into());
    }
    let verdict = &analysis.outcome.verdict;
    let Some(certificate) = verdict.certificate().filter(|_| verdict.is_proved()) else {
        total.open += 1;
        return ("open".into(), String::new());
    };
    total.bounded += 1;
    let largest = certificate.bounds().map(|(_, bound)| bound).max();
    let largest = largest.map_or(String::from("no buffer"), |bound| format!("≤ {bound}"));
    let listed = certificate.claims.iter().find_map(|claim| match claim {
        Claim::Configurations(claim) => Some(claim.configurations.len()),
        _ => None,
    });
    let by = listed.map_or(String::from("potential"), |number| format!("{number} configurations"));
    total.configurations += usize::from(listed.is_some());
    (format!("bounded: {largest}"), by)
}
