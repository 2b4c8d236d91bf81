//! Our exhaustive search beside Spin's verifier, in turn and on the same models, both without
//! reductions:
//!
//! ```sh
//! cargo run --release -p benches --example beside_spin [-- FILE.pml ...]
//! ```
//!
//! Each search is a process of its own. Times are those of the processor, of the whole process,
//! since other programs may have a share of the machine: medians of several runs. Needs Linux,
//! which says how much that was.
#![allow(missing_docs)] // an example has no interface

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use benches::concrete::Kind;
use explore::{Claims, Completion, Limits, Options, Semantics};
use integration_tests::comparison::corpus::{Model, models, place};

/// How often each search is run.
const RUNS: usize = 3;
/// A model with more states than this has no figures.
const MOST: usize = 8_000_000;
/// Models of the collection, if it is there: some with 100 000 states or more, and not more than
/// [`MOST`].
const OF_COLLECTION: &[&str] = &[
    "motib+erigone/psmc-erigone/ch07/listing-7-6.pml",
    "olegdayo+formal-methods/homework/system.pml",
    "utwente-fmt+spins/tests/case_studies/giop/giop1.nomig.pr",
    "utwente-fmt+spins/tests/case_studies/giop/giop2.nomig.pr",
    "utwente-fmt+spins/tests/case_studies/giop/giop3.nomig.pr",
];

/// Why there are no figures.
type Failure = String;

/// What one search found, and what it cost.
#[derive(Clone, Debug, Default)]
struct Found {
    states: usize,
    /// States inside `atomic` that were passed, which neither keeps.
    passed: usize,
    /// Seconds of the processor.
    seconds: f64,
    /// Bytes that states take: for Spin what it says; for us what the peak of the process's memory
    /// grew by.
    bytes: f64,
    /// Spin: all its memory, table and stack included. Ours: what the search says of itself.
    other_bytes: f64,
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file, defines @ ..] = &given[..]
        && flag == "--ours"
    {
        return match search(Path::new(file), defines) {
            Ok(line) => {
                println!("{line}");
                ExitCode::SUCCESS
            }
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        };
    }
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let all = if given.is_empty() { usual(directory.path()) } else { files(&given) };
    println!("{}", HEAD.trim());
    for (number, model) in all.iter().enumerate() {
        let place = directory.path().join(number.to_string());
        match fs::create_dir(&place).map_err(|error| error.to_string()).and_then(|()| compare(model, &place))
        {
            Ok(row) => println!("{row}"),
            Err(reason) => println!("| {} | no figures: {reason} |", model.name),
        }
    }
    ExitCode::SUCCESS
}

const HEAD: &str = "
| model | states | passed inside atomic | Spin: s | ours: s | Spin: states/s | ours: states/s | ours/Spin | Spin: bytes per state | ours | ours/Spin | ours, as the search says | all of Spin's |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn files(given: &[String]) -> Vec<Model> {
    given.iter().map(|file| Model::alone(Path::new(file))).collect()
}

/// A model of each kind, and some of the collection.
fn usual(directory: &Path) -> Vec<Model> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let name = format!("{} {}", kind.name(), kind.usual_size());
        let file = directory.join(format!("{}.pml", kind.name()));
        fs::write(&file, kind.text(kind.usual_size())).expect("room for a model");
        all.push(Model { name, ..Model::alone(&file) });
    }
    match place(None) {
        None => eprintln!("SKIPPED: the models of other people, there is no collection"),
        Some(place) => {
            all.extend(models(&place).into_iter().filter(|model| OF_COLLECTION.contains(&&*model.name)));
        }
    }
    all
}

/// Both searches in turn, as a row of the table.
fn compare(model: &Model, directory: &Path) -> Result<String, Failure> {
    let first = ours(model)?;
    let verifier = compile(model, directory)?;
    let (mut by_spin, mut by_us) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        by_spin.push(spin(&verifier, &first)?);
        by_us.push(ours(model)?);
    }
    let (spin, ours) = (median(by_spin), median(by_us));
    if spin.states != ours.states {
        return Err(format!("{} states, Spin has {}", ours.states, spin.states));
    }
    let states = count(ours.states);
    let rate = |found: &Found| states / found.seconds;
    let memory = ours.bytes / spin.bytes;
    Ok(format!(
        "| {} | {} | {} | {:.2} | {:.2} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} |",
        model.name,
        ours.states,
        ours.passed,
        spin.seconds,
        ours.seconds,
        rate(&spin),
        rate(&ours),
        rate(&ours) / rate(&spin),
        spin.bytes / states,
        ours.bytes / states,
        memory,
        ours.other_bytes / states,
        spin.other_bytes / states,
    ))
}

/// The run in the middle, by time.
fn median(mut runs: Vec<Found>) -> Found {
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let middle = runs.len() / 2;
    runs.swap_remove(middle)
}

/// A number that is small enough to be exact.
#[allow(clippy::cast_precision_loss)]
fn count(number: usize) -> f64 {
    number as f64
}

/// Our search, in a process of its own.
fn ours(model: &Model) -> Result<Found, Failure> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.arg("--ours").arg(&model.file).args(macros(model));
    let (text, seconds) = run(&mut command)?;
    let numbers: Vec<usize> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [states, passed, bytes, grown] = numbers[..] else { return Err(text.trim().to_owned()) };
    Ok(Found { states, passed, seconds, bytes: count(grown), other_bytes: count(bytes) })
}

fn macros(model: &Model) -> impl Iterator<Item = String> {
    model.defines.iter().map(|(name, body)| match body {
        Some(body) => format!("-D{name}={body}"),
        None => format!("-D{name}"),
    })
}

/// What the process of our search does.
fn search(file: &Path, defines: &[String]) -> Result<String, Failure> {
    let defines = defines.iter().filter_map(|define| define.strip_prefix("-D"));
    let defines = defines.map(|define| match define.split_once('=') {
        Some((name, body)) => (name.to_owned(), Some(body.to_owned())),
        None => (define.to_owned(), None),
    });
    let options = promela_front::Options { defines: defines.collect(), ..promela_front::Options::default() };
    let model = Model::alone(file);
    let program = promela_front::parse(&file.to_string_lossy(), &model.text(), &options).program;
    let program = program.ok_or("rejected")?;
    let options = Options { claims: Claims::Ignored, ..Options::default() };
    let semantics = Semantics::new(&program, &options).map_err(|reason| reason.to_string())?;
    let before = peak().ok_or("the system does not say how much memory there is")?;
    let limits = Limits { states: Some(MOST), ..Limits::default() };
    let found = semantics.explore(&limits).map_err(|error| error.to_string())?;
    let grown = peak().unwrap_or_default() - before;
    if found.completion != Completion::Complete {
        return Err(format!("more than {MOST} states"));
    }
    Ok(format!("{} {} {} {grown}", found.states, found.passed, found.bytes))
}

/// The peak of this process's memory, in bytes.
fn peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<usize>().ok()?)
}

/// Spin's verifier of a model.
fn compile(model: &Model, directory: &Path) -> Result<PathBuf, Failure> {
    let mut spin = Command::new("spin");
    run(spin.args(["-a", "-o1", "-o2", "-o3"]).args(macros(model)).arg(&model.file).current_dir(directory))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-O2", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=8000"]);
    let include = format!("-I{}", model.file.parent().unwrap_or(Path::new(".")).display());
    run(gcc.args([&include, "-o", "pan", "pan.c"]).current_dir(directory))?;
    Ok(directory.join("pan"))
}

/// Spin's search. Its table has at least as many places as there are states, its stack room for all
/// of them.
fn spin(verifier: &Path, expected: &Found) -> Result<Found, Failure> {
    let table = format!("-w{}", expected.states.next_power_of_two().ilog2().max(16));
    let depth = format!("-m{}", expected.states + expected.passed + 1000);
    let directory = verifier.parent().unwrap_or(Path::new("."));
    let mut command = Command::new(verifier);
    let (text, seconds) = run(command.args(["-c0", "-n", &table, &depth]).current_dir(directory))?;
    let cut_short = ["Search not completed", "max search depth too small", "reached -DMEMLIM"];
    if let Some(words) = cut_short.iter().find(|words| text.contains(*words)) {
        return Err(format!("Spin: {words}"));
    }
    let number = |words: &str| -> Result<f64, Failure> {
        let line = text.lines().find(|line| line.contains(words));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| format!("Spin does not say: {words}"))
    };
    let megabyte = 1024.0 * 1024.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Ok(Found {
        states: number("states, stored")? as usize,
        passed: 0,
        seconds,
        bytes: number("actual memory usage for states")? * megabyte,
        other_bytes: number("total actual memory usage")? * megabyte,
    })
}

/// What a program prints, and the time of the processor that it took.
fn run(command: &mut Command) -> Result<(String, f64), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let before = seconds_of_children().ok_or("the system does not say what programs cost")?;
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let after = seconds_of_children().unwrap_or_default();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let line = errors.lines().chain(text.lines()).next().unwrap_or_default();
        return Err(format!("{name}: {line}"));
    }
    Ok((text, after - before))
}

/// Seconds of the processor that went into programs that were started here and have ended.
fn seconds_of_children() -> Option<f64> {
    // Fields 16 and 17; the second, the name, is in parentheses and may hold spaces. 100 ticks are
    // a second.
    let status = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = status.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}
