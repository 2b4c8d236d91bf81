//! Models, each read by Spin and by the front end, and their graphs compared.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cfsm_core::ids::Id as _;
use cfsm_core::program::{Claim, Observer, ProcessTypeId, Program};

use super::corpus::Model;
use super::pairing::{Aspect, Difference, Walk, compare};
use super::pan::{print_graphs, read_graphs};
use super::program::graph;
use super::regions::Regions;
use super::verdict::{Verdict, ask_spin};

/// What the front end makes of a model.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The program, if there is no error.
    pub program: Option<Program>,
    /// The first error's first line.
    pub error: String,
    /// Whether it panics.
    pub panics: bool,
}

/// How to read a model: what is under test is not a part of this machinery.
pub type Reader<'a> = &'a (dyn Fn(&Model) -> Reading + Sync);

/// The graph of one process type beside Spin's.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// What the walk through both shows.
    pub walk: Walk,
}

/// What is known of the graphs of a model.
#[derive(Clone, Debug)]
pub enum Graphs {
    /// Not both accept it, or nobody asked.
    None,
    /// The verifier could not say, for this reason.
    Unavailable(String),
    /// They were compared, and so many claims were not, since only Spin makes graphs of formulas.
    Compared(Vec<Process>, usize),
}

/// A model, and all that was found out.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The model.
    pub model: Model,
    /// What Spin says.
    pub spin: Verdict,
    /// Whether the front end accepts it.
    pub accepted: bool,
    /// The front end's first error, if any.
    pub error: String,
    /// Whether the front end panics.
    pub panics: bool,
    /// The graphs.
    pub graphs: Graphs,
}

/// Compares all models, those at the positions for which `with_graphs` holds with their graphs. Two
/// models at a time: most of the time goes into other programs.
///
/// # Panics
/// If Spin or a compiler cannot be started.
#[must_use]
pub fn compare_all(
    models: &[Model],
    read: Reader,
    with_graphs: &(dyn Fn(&Model) -> bool + Sync),
) -> Vec<Compared> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(models.len()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compared = compare_one(model, read, with_graphs(model));
                    let compared = compared.unwrap_or_else(|error| panic!("{}: {error}", model.name));
                    found.lock().expect("nobody panics with it").push(compared);
                }
            });
        }
    });
    let mut found = found.into_inner().expect("nobody panics with it");
    found.sort_by(|a, b| a.model.name.cmp(&b.model.name));
    found
}

fn compare_one(model: &Model, read: Reader, with_graphs: bool) -> io::Result<Compared> {
    let (spin, directory) = ask_spin(model)?;
    let reading = catch_unwind(AssertUnwindSafe(|| read(model)))
        .unwrap_or_else(|_| Reading { panics: true, ..Reading::default() });
    let graphs = match &reading.program {
        Some(program) if with_graphs && spin.rejected.is_none() && !model.fragment => {
            let beside = model.file.parent().unwrap_or(Path::new("."));
            match print_graphs(directory.path(), beside)? {
                Ok(printed) => compare_graphs(program, &printed),
                Err(reason) => Graphs::Unavailable(reason),
            }
        }
        _ => Graphs::None,
    };
    let accepted = reading.program.is_some();
    Ok(Compared {
        model: model.clone(),
        spin,
        accepted,
        error: reading.error,
        panics: reading.panics,
        graphs,
    })
}

/// Each process type of a program beside the graph that the verifier prints under its name.
#[must_use]
pub fn compare_graphs(program: &Program, printed: &str) -> Graphs {
    let regions = Regions::of(&program.sources);
    let mut spins = read_graphs(printed, program);
    let mut found = Vec::new();
    for id in program.types.ids() {
        let names = names(program, id);
        let Some(position) = spins.iter().position(|graph| names.contains(&graph.name)) else {
            found.push(missing(&names[0], "Spin shows no graph"));
            continue;
        };
        let walk = compare(&graph(program, id, &regions), &spins.remove(position));
        found.push(Process { name: names[0].clone(), walk });
    }
    let observers = program.claims.iter().filter(|claim| matches!(claim, Claim::Ltl { .. })).count();
    let left = spins.len();
    if left > observers {
        found.extend(spins.iter().skip(observers).map(|graph| missing(&graph.name, "ours has no graph")));
    }
    Graphs::Compared(found, left.min(observers))
}

fn missing(name: &str, text: &str) -> Process {
    let difference = Difference { aspect: Aspect::Structure, text: text.to_owned() };
    Process { name: name.to_owned(), walk: Walk { difference: Some(difference), ..Walk::default() } }
}

/// How Spin may call a process type: claims without a name are numbered.
fn names(program: &Program, id: ProcessTypeId) -> Vec<String> {
    let own = program.types[id].name.clone();
    let kind = program.claims.iter().find_map(|claim| match claim {
        Claim::Observer { process_type, kind } if *process_type == id => Some(*kind),
        _ => None,
    });
    let other = match kind {
        None => return vec![own],
        Some(Observer::Trace) => String::from("trace"),
        Some(Observer::NoTrace) => String::from("notrace"),
        Some(Observer::Never) => {
            let before = program.claims.iter().filter(|claim| {
                let earlier = |process: &ProcessTypeId| process.index() < id.index();
                matches!(claim, Claim::Observer { process_type, .. } if earlier(process_type))
            });
            format!("never_{}", before.count())
        }
    };
    vec![own, other]
}
