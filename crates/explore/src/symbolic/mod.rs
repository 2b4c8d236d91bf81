//! All states with unbounded buffers, as a decision diagram: many more than could be looked at one
//! by one.
//!
//! A state is a word of [`layout`] numbers, a set of states a [`diagram`]. What the steps of a
//! process change is found out for what its steps [`touch`], for each combination of these parts
//! that is met, with the semantics itself ([`relation`]). The states come to by these are found by
//! [`saturation`]. `docs/soundness/exploration.md` has the argument.

mod diagram;
#[cfg(debug_assertions)]
mod elsewhere;
mod flow;
mod layout;
mod order;
mod relation;
mod saturation;
mod start;
mod steps;
mod timeout;
mod touch;

use std::collections::BTreeSet;

use hashbrown::HashMap;
use indexmap::IndexSet;

use diagram::{Diagrams, Set};
use flow::Flow;
use layout::Layout;
use relation::Group;
use start::Starts;
use steps::Steps;
use touch::{Part, Touches};

use crate::reduce::{Tables, looks_at_processes};
use crate::search::Clock;
use crate::{Completion, Exhausted, Limits, Reduction, RunError, Semantics, State, Violation};

/// What a search in sets of states found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicExhaustion {
    /// Whether it has seen all.
    pub completion: Completion,
    /// How many states there are, of those that are told apart; [`u128::MAX`] stands for more. 0 if
    /// not all were seen.
    pub states: u128,
    /// How many nodes the diagrams had, those that were not needed any more too.
    pub nodes: usize,
    /// The errors of steps, each once.
    pub errors: Vec<RunError>,
    /// What is proved: there are no other states, nothing is left open, and buffers are unbounded.
    pub proof: Option<Exhausted>,
}

/// How large the stack is of the thread that searches: operations on diagrams go as deep as these
/// are wide.
const STACK: usize = 1 << 30;

impl Semantics {
    /// Whether [`exhaust_in_sets`](Self::exhaust_in_sets) can look at the program. Time linear in
    /// the program, and in the steps until all processes are there.
    #[must_use]
    pub fn is_fit_for_sets(&self, reduction: Reduction) -> bool {
        let reduced = reduction.of_program(self);
        begin(reduced.as_ref().unwrap_or(self), reduction).is_some()
    }

    /// Looks at all states as [`exhaust`](Self::exhaust) does, in sets. `None` if the program is
    /// not fit for it: where processes are created all the time, or see more of each other than
    /// variables and queues.
    ///
    /// Sends do not come first ([`Reduction::early_sends`]). Of the limits, [`Limits::bytes`] and
    /// [`Limits::deadline`] count, and [`Limits::states`] for the combinations of parts of states
    /// for which it is found out what steps do. The time depends on how parts of states go
    /// together: at best it is polynomial in what single processes and queues can be, at worst as
    /// large as the number of states.
    ///
    /// Source: G. Ciardo, R. Marmorstein, R. Siminiceanu: The Saturation Algorithm for Symbolic
    /// State-Space Exploration, STTT 8 (2006); relations are found out on the way as in S. Blom, J.
    /// van de Pol, M. Weber: LTSmin, CAV 2010.
    #[must_use]
    pub fn exhaust_in_sets(&self, limits: &Limits, reduction: Reduction) -> Option<SymbolicExhaustion> {
        let search = || {
            let reduced = reduction.of_program(self);
            let (starts, steps) = begin(reduced.as_ref().unwrap_or(self), reduction)?;
            Some(Search::new(limits, reduction, starts.first, steps).run(starts.all))
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, search).ok()?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// From where on a program is searched, if it is fit for it.
fn begin(semantics: &Semantics, reduction: Reduction) -> Option<(Starts, Steps<'_>)> {
    // What a send does where its channel is full has been looked at in sets for the declared
    // capacities only.
    let has_fixed_limits = semantics.queues.iter().any(|queue| queue.is_fixed);
    if looks_at_processes(semantics) || semantics.has_waiting_choices() || has_fixed_limits {
        return None;
    }
    let tables = Tables::new(semantics, Reduction { early_sends: false, ..reduction });
    let mut steps = Steps::new(semantics, tables);
    let starts = start::starts(&mut steps)?;
    Some((starts, steps))
}

struct Search<'a> {
    limits: &'a Limits,
    clock: Clock,
    steps: Steps<'a>,
    layout: Layout<'a>,
    diagrams: Diagrams,
    groups: Vec<Group>,
    /// For each process and location, the group of its steps.
    group_of: Vec<Vec<usize>>,
    /// For each level, the groups that touch it and none before.
    tops: Vec<Vec<usize>>,
    /// For each level, in which order its numbers are looked at.
    flows: Vec<Flow>,
    /// What sets become by all steps that do not touch what comes before them.
    saturated: HashMap<Set, Set>,
    /// How many states were looked at one by one, to find out what steps do.
    looked_at: usize,
    /// Why the search has to end.
    stop: Option<Completion>,
}

impl<'a> Search<'a> {
    fn new(limits: &'a Limits, reduction: Reduction, first: State, steps: Steps<'a>) -> Self {
        let semantics = steps.semantics;
        let touches = Touches::new(semantics, &first, reduction == Reduction::NONE);
        let parts = touches.all();
        let (touched, group_of) = touched(semantics, &first, &touches, &parts);
        let sets: Vec<BTreeSet<usize>> = touched.iter().map(|(_, set)| set.clone()).collect();
        let order = order::order(&sample(semantics, &parts, &first, limits), parts.len(), &sets);
        let mut levels = vec![0; parts.len()];
        order.iter().enumerate().for_each(|(level, part)| levels[*part] = to_number(level));
        let groups: Vec<Group> = touched
            .into_iter()
            .map(|(process, set)| {
                let mut touched: Vec<u32> = set.into_iter().map(|part| levels[part]).collect();
                touched.sort_unstable();
                let is_own = |level: &u32| parts[order[*level as usize]] == Part::Process(process);
                let own = touched.iter().position(is_own).unwrap_or_default();
                Group { process, levels: touched, own, waits: semantics.has_timeout, known: HashMap::new() }
            })
            .collect();
        let mut tops = vec![Vec::new(); parts.len()];
        for (number, group) in groups.iter().enumerate() {
            tops[group.levels[0] as usize].push(number);
        }
        let first = steps.forgotten(first);
        let ordered = order.iter().map(|part| parts[*part]).collect();
        Self {
            limits,
            clock: Clock::new(limits),
            steps,
            layout: Layout::new(semantics, ordered, first),
            diagrams: Diagrams::new(),
            groups,
            group_of,
            flows: tops.iter().map(|_| Flow::default()).collect(),
            tops,
            saturated: HashMap::new(),
            looked_at: 0,
            stop: None,
        }
    }

    fn run(mut self, starts: Vec<State>) -> SymbolicExhaustion {
        let starts = self.starts(starts);
        let mut all = self.saturate(starts, 0);
        if self.steps.semantics.has_timeout {
            all = self.with_timeouts(all);
        }
        if self.steps.too_many {
            // It may have been at the start, or behind the last `timeout`.
            self.stop = Some(Completion::States);
        }
        #[cfg(debug_assertions)]
        self.assert_same_elsewhere();
        let errors: Vec<RunError> = self.steps.errors.clone();
        // Behind these there may be more than is known here.
        let open = errors.iter().cloned().map(Violation::Error);
        let open = open.into_iter().any(|violation| violation.is_limit() || violation.is_open());
        let states = if self.stop.is_none() { self.diagrams.count(all) } else { 0 };
        let unbounded = self.steps.semantics.has_no_limit();
        let proof = (self.stop.is_none() && !open && unbounded).then(|| {
            let maxima = self.steps.maxima.named(self.steps.semantics);
            Exhausted::new(usize::try_from(states).unwrap_or(usize::MAX), true, maxima)
        });
        let completion = self.stop.unwrap_or(Completion::Complete);
        SymbolicExhaustion { completion, states, nodes: self.diagrams.len(), errors, proof }
    }

    /// The states behind local steps of some.
    fn starts(&mut self, starts: Vec<State>) -> Set {
        let processes: Vec<usize> = (0..starts.iter().map(State::process_count).max().unwrap_or(0)).collect();
        let mut words: Vec<Vec<u32>> = Vec::new();
        for state in self.steps.settle(starts, &processes) {
            words.push((0..self.layout.len()).map(|level| self.layout.number(level, &state)).collect());
        }
        words.sort();
        words.dedup();
        self.diagrams.of(&words)
    }
}

/// A process, and positions of parts that its steps touch.
type Touched = (usize, BTreeSet<usize>);

/// What is touched by steps, each once, and which of these by those of each process at each
/// location.
fn touched(
    semantics: &Semantics,
    first: &State,
    touches: &Touches,
    parts: &[Part],
) -> (Vec<Touched>, Vec<Vec<usize>>) {
    let mut touched: IndexSet<Touched> = IndexSet::new();
    let of_process = |process: usize| {
        let locations = 0..semantics.type_at(first, process).ranges.len();
        let of_location = |location| {
            let set = touches.of(process, location);
            let positions = set.iter().filter_map(|part| parts.binary_search(part).ok()).collect();
            touched.insert_full((process, positions)).0
        };
        locations.map(of_location).collect()
    };
    let group_of = (0..first.process_count()).map(of_process).collect();
    (touched.into_iter().collect(), group_of)
}

/// How many states are looked at one by one, to find a good order.
const SAMPLE: usize = 20_000;
/// How often these may be come to.
const MOST_CALLS: usize = 100_000;

/// The first states that a search comes to, as words of these parts.
fn sample(semantics: &Semantics, parts: &[Part], first: &State, limits: &Limits) -> Vec<Vec<u32>> {
    let mut layout = Layout::new(semantics, parts.to_vec(), State::clone(first));
    let mut words = BTreeSet::new();
    let (processes, queues) = (first.process_count(), first.queue_count());
    let mut calls = 0;
    let mut watch = |state: &State| {
        calls += 1;
        if calls <= MOST_CALLS && state.process_count() <= processes && state.queue_count() == queues {
            words.insert((0..parts.len()).map(|level| layout.number(level, state)).collect());
        }
    };
    let limits = Limits { states: Some(SAMPLE), passed: Some(SAMPLE), ..limits.clone() };
    let reduction = Reduction { early_sends: false, idle_data: false, ..Reduction::ALL };
    // What goes wrong at the start went wrong before.
    let _ = semantics.exhaust_watched(&limits, reduction, &mut watch);
    words.into_iter().collect()
}

/// A small number.
fn to_number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
