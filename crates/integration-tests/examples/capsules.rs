//! Reads the files of a collection of capsule models, decides each system in them, and prints the
//! page `docs/generated/capsules-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example capsules > docs/generated/capsules-corpus.md
//! ```
//!
//! The collection is looked for in `../shared/corpus/umlrt`, beside this repository; an argument
//! restricts the files to those with it in their names.
#![allow(missing_docs)] // an example has no interface

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use freeboard::report::view::{PropertyResult, Verdict};
use freeboard::umlrt_front::{self, Imports, Severity};
use freeboard::{Failure, Options, check_room};
use integration_tests::capsules::{capsule_files, capsule_includes};
use integration_tests::comparison::corpus::place;

const HEAD: &str = "\
# Systems of capsules by others

For each system in the `.room` and `.art` files of a collection, what `freeboard check` says, with timers that fire at any time, and with
`--assume queues-drain-between-timeouts` where that makes a difference; with a limit of 20 s. Files that hold nothing but libraries have no row. Files in Art that are meant to fail are tests of the language's own checker: comments in
them name a rule whose severity is Error, with which nothing can be built; they are told apart, whether they are read or not. This page is the output of

```sh
cargo run --release -p integration-tests --example capsules > docs/generated/capsules-corpus.md
```

| file | system | processes | queues | verdict | bounds | if queues drain |
|---|---|---|---|---|---|---|";

const PATIENCE: Duration = Duration::from_secs(20);

/// The rules of Art's checker that report errors, by the numbers that comments in tests of them
/// name (`ART_0002`). What has an error cannot be built.
const ERRORS: &[&str] = &[
    "0001", "0002", "0006", "0007", "0008", "0009", "0010", "0012", "0013", "0015", "0016", "0017", "0018",
    "0019", "0023", "0024", "0025", "0026", "0027", "0028", "0030", "0031", "0032", "0033", "0036", "0037",
];

/// The time in which a system should be decided.
const SHORT: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Total {
    files: usize,
    refused: Vec<String>,
    systems: usize,
    unread: usize,
    /// Systems that are meant to fail: those that are read, and all.
    meant_read: usize,
    meant: usize,
    decided: usize,
    slow: usize,
    /// Systems with two or more capsules, which are read, or name parts.
    several: usize,
    decided_several: usize,
}

impl Total {
    /// The figures of one language.
    fn line(&self, language: &str) -> String {
        let Self { files, refused, systems, unread, meant_read, meant, .. } = self;
        let Self { decided, slow, several, decided_several, .. } = self;
        let share = (100 * decided_several).checked_div(*several).unwrap_or_default();
        format!(
            "\nOf {files} files in {language}, {} are read without an error of grammar. {meant} systems are meant to fail, of which \
             {meant_read} are read all the same. Of the other {systems}, {decided} are proved or refuted, {} are left open and {unread} \
             are not read; {slow} took longer than {} s. Of the {several} of them with two or more capsules, {decided_several} ({share} %) \
             are proved or refuted.",
            files - refused.len(),
            systems - decided - unread,
            SHORT.as_secs()
        )
    }
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    println!("{HEAD}");
    let Some(place) = place(None).map(|place| place.with_file_name("umlrt")) else {
        eprintln!("SKIPPED: there is no collection of models");
        return;
    };
    let files = capsule_files(&place);
    let (mut room, mut art) = (Total::default(), Total::default());
    for file in files.iter().filter(|file| text(file).contains(&part)) {
        let name = file.strip_prefix(&place).unwrap_or(file).display().to_string();
        let total = if name.ends_with(".art") { &mut art } else { &mut room };
        total.files += 1;
        rows(file, &name, &capsule_includes(&place, file), total);
    }
    println!("{}\n{}", room.line("ROOM"), art.line("Art"));
    room.refused.iter().chain(&art.refused).for_each(|refused| println!("\n- {refused}"));
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn rows(file: &Path, name: &str, includes: &[PathBuf], total: &mut Total) {
    let path = text(file);
    let text = umlrt_front::decode(std::fs::read(file).unwrap_or_default());
    let (_, diagnostics) = umlrt_front::syntax(&path, &text);
    if let Some(first) = diagnostics.iter().find(|found| found.severity == Severity::Error) {
        total.refused.push(format!("`{name}`: {}", first.message));
        return;
    }
    let imports = Imports::Files(includes.to_vec());
    let reading = umlrt_front::Options { imports, ..umlrt_front::Options::default() };
    for system in umlrt_front::systems(&path, &text, &reading) {
        let reading = umlrt_front::Options { system: Some(system.clone()), ..reading.clone() };
        let start = Instant::now();
        let free = look(&path, &text, &reading);
        let elapsed = start.elapsed();
        let drained = look(&path, &text, &umlrt_front::Options { drained: true, ..reading });
        if let Some(rule) = broken_rule(&text) {
            total.meant += 1;
            total.meant_read += usize::from(free.is_ok());
            let reason = free.map_or_else(|reason| format!("not read: {reason}"), |_| "read".to_owned());
            println!("| {name} | {system} | | | meant to fail (ART_{rule}); {reason} | | |");
            continue;
        }
        total.systems += 1;
        total.slow += usize::from(elapsed > SHORT);
        match free {
            Err(reason) => {
                total.unread += 1;
                total.several += usize::from(has_parts(&text));
                println!("| {name} | {system} | | | not read: {reason} | | |");
            }
            Ok(free) => {
                total.decided += usize::from(free.verdict != Verdict::Unknown);
                total.several += usize::from(free.capsules > 1);
                total.decided_several += usize::from(free.capsules > 1 && free.verdict != Verdict::Unknown);
                let other = drained.ok().filter(|other| other.verdict != free.verdict);
                let other = other.map(|other| word(other.verdict)).unwrap_or_default();
                println!(
                    "| {name} | {system} | {} | {} | {} | {} | {other} |",
                    free.processes,
                    free.queues,
                    word(free.verdict),
                    free.bounds
                );
            }
        }
        if elapsed > SHORT {
            eprintln!("{name} {system}: {:.1} s", elapsed.as_secs_f64());
        }
    }
}

/// The first rule of Art's checker of which a comment says that it is broken, with an error:
/// `// ART_0002`, unless it goes on with "should not be reported".
fn broken_rule(text: &str) -> Option<&'static str> {
    let comments = text.lines().filter_map(|line| line.split_once("//")).map(|(_, comment)| comment.trim());
    let mut named = comments.filter(|comment| !comment.contains("should not"));
    named.find_map(|comment| {
        let rule = comment.strip_prefix("ART_")?;
        ERRORS.iter().copied().find(|number| rule.starts_with(number))
    })
}

/// True if a text that is not read has parts in it.
fn has_parts(text: &str) -> bool {
    text.contains("ActorRef") || text.contains("part ")
}

struct Found {
    processes: usize,
    capsules: usize,
    queues: usize,
    verdict: Verdict,
    bounds: String,
}

fn look(path: &str, text: &str, reading: &umlrt_front::Options) -> Result<Found, String> {
    let options = Options { time_limit: Some(PATIENCE), ..Options::default() };
    let analysis = check_room(path, text, reading, &options).map_err(|failure| reason(&failure))?;
    let result = analysis.view(path).property_results.swap_remove(0);
    Ok(Found {
        processes: analysis.program.types.len(),
        capsules: analysis.program.types.values().filter(|ty| !ty.name.ends_with(" timer")).count(),
        queues: result.buffers.len(),
        verdict: result.verdict,
        bounds: bounds(&result),
    })
}

/// The first error.
fn reason(failure: &Failure) -> String {
    let Failure::Input { diagnostics, .. } = failure else { return failure.to_string() };
    let first = diagnostics.iter().find(|found| found.severity == Severity::Error);
    first.map(|found| found.message.clone()).unwrap_or_default()
}

/// The bounds of the queues, each with the number of queues that have it.
fn bounds(result: &PropertyResult) -> String {
    let mut all: Vec<String> =
        result.buffers.iter().filter_map(|buffer| buffer.bound.as_ref()).map(ToString::to_string).collect();
    all.sort_by_key(|bound| (bound.len(), bound.clone()));
    let mut counted: Vec<Counted> = Vec::new();
    for bound in all {
        match counted.last_mut().filter(|last| last.bound == bound) {
            Some(last) => last.count += 1,
            None => counted.push(Counted { bound, count: 1 }),
        }
    }
    let text = counted.iter().map(|Counted { bound, count }| format!("{count} × ≤ {bound}"));
    text.collect::<Vec<_>>().join(", ")
}

/// A bound, and how many queues have it.
struct Counted {
    bound: String,
    count: usize,
}

fn word(verdict: Verdict) -> String {
    format!("{verdict:?}").to_lowercase()
}
