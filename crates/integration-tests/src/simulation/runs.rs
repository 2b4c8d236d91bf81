//! Runs of a program beside its abstract system.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

use abstraction::Abstraction;
use cfsm_core::ids::Id;
use cfsm_core::program::{Action, EdgeId, ProcessTypeId, Program};
use cfsm_core::splitmix::SplitMix;
use cfsm_core::system::TransitionId;
use explore::{Move, Semantics, State, Step};

use super::image::{Image, Known};
use super::leaving::Leaving;

/// Runs in which more processes than this exist are not followed further.
const PROCESSES: usize = 40;

/// A step without an image.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub what: String,
    /// The run, step by step, the last one being the one without an image.
    pub run: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, after", self.what)?;
        self.run.iter().try_for_each(|step| writeln!(f, "  {step}"))
    }
}

/// How much was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs, or programs all of whose runs were followed.
    pub runs: usize,
    /// Steps of any kind.
    pub steps: usize,
    /// Sends into queues.
    pub sends: usize,
    /// Receives from queues.
    pub receives: usize,
    /// Messages handed over.
    pub rendezvous: usize,
    /// Processes created.
    pub creations: usize,
    /// Processes that ended.
    pub deaths: usize,
    /// Runs that ended with an error.
    pub errors: usize,
    /// Runs that came to an end where no step was possible.
    pub stuck: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.sends += other.sends;
        self.receives += other.receives;
        self.rendezvous += other.rendezvous;
        self.creations += other.creations;
        self.deaths += other.deaths;
        self.errors += other.errors;
        self.stuck += other.stuck;
    }
}

impl Tally {
    fn count(&mut self, step: &Step) {
        self.steps += 1;
        let mut handed_over = 0;
        for pair in step.moves.windows(2) {
            let [one, other] = pair else { continue };
            handed_over += usize::from(one.sent.is_some() && one.sent == other.received);
        }
        let all = |ask: fn(&Move) -> bool| step.moves.iter().filter(|one| ask(one)).count();
        self.rendezvous += handed_over;
        self.sends += all(|one| one.sent.is_some()) - handed_over;
        self.receives += all(|one| one.received.is_some()) - handed_over;
        self.creations += all(|one| one.created.is_some());
        self.deaths += all(|one| one.edge.is_none());
    }
}

/// Follows one random run of at most `length` steps, which prefers statements that it has not
/// executed yet. Those transitions come back that were the only image of a step.
///
/// # Errors
/// The first step without an image.
pub fn check_random_run(
    program: &Program,
    abstraction: &Abstraction,
    semantics: &Semantics,
    seed: u64,
    length: usize,
    tally: &mut Tally,
) -> Result<BTreeSet<TransitionId>, Box<Failure>> {
    let leaving = Leaving::new(abstraction);
    let Ok(mut state) = semantics.initial() else { return Ok(BTreeSet::new()) };
    tally.runs += 1;
    let mut run = Vec::new();
    let failed = |what: String, run: Vec<Vec<Move>>| Box::new(Failure { what, run: words(program, &run) });
    let image = Image::new(program, semantics, &leaving, &state);
    let mut image = image.map_err(|what| failed(what, Vec::new()))?;
    let mut dice = SplitMix::new(seed);
    let mut executed = BTreeSet::new();
    for _ in 0..length {
        let mut steps = semantics.successors(&state);
        if steps.is_empty() {
            tally.stuck += 1;
            break;
        }
        let step = steps.swap_remove(choose(&steps, &executed, &mut dice));
        executed.extend(edges(&step));
        run.push(step.moves.clone());
        let Some(after) = &step.after else {
            tally.errors += 1;
            break;
        };
        tally.count(&step);
        image.follow(&state, &step).map_err(|what| failed(what, run.clone()))?;
        state = after.clone();
        if state.process_count() > PROCESSES {
            break;
        }
    }
    image.finish().map_err(|what| failed(what, run.clone()))?;
    Ok(image.needed().clone())
}

/// The statements of a step.
fn edges(step: &Step) -> impl Iterator<Item = (ProcessTypeId, EdgeId)> + '_ {
    step.moves.iter().filter_map(|one| Some((one.process_type, one.edge?)))
}

/// A step: half of the time one with something new, if there is one.
fn choose(steps: &[Step], executed: &BTreeSet<(ProcessTypeId, EdgeId)>, dice: &mut SplitMix) -> usize {
    if dice.below(2) == 0 {
        let is_new = |step: &Step| step.after.is_some() && edges(step).any(|edge| !executed.contains(&edge));
        let new: Vec<usize> = (0..steps.len()).filter(|at| is_new(&steps[*at])).collect();
        if !new.is_empty() {
            return new[dice.below(new.len())];
        }
    }
    dice.below(steps.len())
}

/// Follows all runs, as long as there are at most so many pairs of a state and what its image may
/// be. Whether all of them were followed comes back.
///
/// # Errors
/// The first step found without an image.
pub fn check_all_runs(
    program: &Program,
    abstraction: &Abstraction,
    semantics: &Semantics,
    pairs: usize,
    tally: &mut Tally,
) -> Result<bool, Box<Failure>> {
    let leaving = Leaving::new(abstraction);
    let Ok(state) = semantics.initial() else { return Ok(true) };
    tally.runs += 1;
    let failed = |what: String, run: &[Vec<Move>]| Box::new(Failure { what, run: words(program, run) });
    let image = Image::new(program, semantics, &leaving, &state).map_err(|what| failed(what, &[]))?;
    let mut seen: BTreeSet<(Vec<u8>, Known)> = BTreeSet::new();
    seen.insert((key(semantics, &state), image.known().clone()));
    let mut waiting: Vec<(State, Image<'_>, Vec<Vec<Move>>)> = vec![(state, image, Vec::new())];
    while let Some((state, image, run)) = waiting.pop() {
        let steps = semantics.successors(&state);
        tally.stuck += usize::from(steps.is_empty());
        for step in steps {
            let Some(after) = &step.after else {
                tally.errors += 1;
                continue;
            };
            let mut image = image.clone();
            let mut run = run.clone();
            run.push(step.moves.clone());
            tally.count(&step);
            let followed = image.follow(&state, &step).and_then(|()| image.finish());
            followed.map_err(|what| failed(what, &run))?;
            if after.process_count() <= PROCESSES
                && seen.insert((key(semantics, after), image.known().clone()))
            {
                waiting.push((after.clone(), image, run));
            }
        }
        if seen.len() > pairs {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What tells states apart, in an order.
fn key(_: &Semantics, state: &State) -> Vec<u8> {
    format!("{state:?}").into_bytes()
}

/// A run in words, a line for each statement.
fn words(program: &Program, run: &[Vec<Move>]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, moves) in run.iter().enumerate() {
        for one in moves {
            let ty = &program.types[one.process_type];
            let what = match one.edge {
                None => "ends".to_owned(),
                Some(edge) => {
                    let edge = &ty.edges[edge];
                    let origin = program.sources.origin(edge.span);
                    let silent = matches!(edge.action, Action::Else);
                    format!(
                        "{}: {}{} ({} to {})",
                        origin.line,
                        if silent { "else of " } else { "" },
                        origin.text,
                        edge.source.index(),
                        edge.target.index()
                    )
                }
            };
            let mut line = format!("{at}. {}[{}] {what}", ty.name, one.process);
            for (word, message) in [("sent", &one.sent), ("received", &one.received)] {
                if let Some(message) = message {
                    line += &format!(", {word} {:?} of queue {}", message.fields, message.queue);
                }
            }
            if let Some(created) = one.created {
                line += &format!(", created process {created}");
            }
            lines.push(line);
        }
    }
    lines
}
