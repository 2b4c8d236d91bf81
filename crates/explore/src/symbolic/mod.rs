//! Symbolic reachability with unbounded buffers: the set of all states as a decision diagram, for
//! state spaces too large for explicit search.
//!
//! A state is a word of [`layout`] numbers, a set of states a [`diagram`]. The [`relation`] of a
//! process is computed on the fly by the explicit semantics, restricted to the parts that its steps
//! [`touch`], for each combination of their values that occurs. [`saturation`] computes the
//! reachable set. `docs/soundness/exploration.md` has the proof.

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

/// Result of a symbolic search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicExhaustion {
    /// Reason for which the search ended.
    pub completion: Completion,
    /// Number of distinct states after reductions; [`u128::MAX`] stands for any larger number. 0 if
    /// the search is incomplete.
    pub states: u128,
    /// Number of nodes of the diagrams, including those that are no longer needed.
    pub nodes: usize,
    /// The distinct errors of steps.
    pub errors: Vec<RunError>,
    /// The proof, if there is one: the search is complete, no error hides further states, and
    /// buffers are unbounded.
    pub proof: Option<Exhausted>,
}

/// Stack size of the search thread, in bytes: operations recurse as deep as words are long, and
/// deeper for wide diagrams.
const STACK: usize = 1 << 30;

impl Semantics {
    /// Returns `true` if [`exhaust_in_sets`](Self::exhaust_in_sets) supports the program. Time
    /// linear in the program, and in the steps until all processes exist.
    #[must_use]
    pub fn is_fit_for_sets(&self, reduction: Reduction) -> bool {
        let reduced = reduction.of_program(self);
        begin(reduced.as_ref().unwrap_or(self), reduction).is_some()
    }

    /// Visits all states as [`exhaust`](Self::exhaust) does, symbolically. `None` if the program is
    /// not supported: processes are created again and again, or observe more of each other than
    /// variables and queues.
    ///
    /// Sends are not taken early ([`Reduction::early_sends`]). Limits: [`Limits::bytes`],
    /// [`Limits::deadline`], and [`Limits::states`] for the number of value combinations for which
    /// steps are computed. The time depends on the correlation of parts of states: at best
    /// polynomial in the local states of processes and queues, at worst linear in the number of
    /// states.
    ///
    /// Source: G. Ciardo, R. Marmorstein, R. Siminiceanu: The Saturation Algorithm for Symbolic
    /// State-Space Exploration, STTT 8 (2006); relations are learned on the fly as in S. Blom, J.
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

/// The states from which a program is searched; `None` if the program is not supported.
fn begin(semantics: &Semantics, reduction: Reduction) -> Option<(Starts, Steps<'_>)> {
    // Sends to full channels are supported symbolically for the declared capacities only.
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
    /// For each level, the groups whose first touched level it is.
    tops: Vec<Vec<usize>>,
    /// For each level, the order in which its numbers are processed.
    flows: Vec<Flow>,
    /// Cache of saturation: maps a set to its closure under all steps that touch no earlier level.
    saturated: HashMap<Set, Set>,
    /// Number of short words for which steps were computed explicitly.
    looked_at: usize,
    /// Reason for which the search has to stop.
    stop: Option<Completion>,
}

impl<'a> Search<'a> {
    fn new(limits: &'a Limits, reduction: Reduction, first: State, steps: Steps<'a>) -> Self {
        let semantics = steps.semantics;
        let touches = Touches::new(semantics, &first, reduction == Reduction::NONE);
        let parts = touches.all();
        let (touched, group_of) = touched(semantics, &first, &touches, &parts);
        let sets: Vec<BTreeSet<usize>> = touched.iter().map(|(_, set)| set.clone()).collect();
        let order =
            order::order(&sample(semantics, &parts, &first, limits), parts.len(), &sets, limits.deadline);
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
            // It may have happened at the start, or after the last `timeout`.
            self.stop = Some(Completion::States);
        }
        #[cfg(debug_assertions)]
        self.assert_same_elsewhere();
        let errors: Vec<RunError> = self.steps.errors.clone();
        // Behind such an error there may be states that the search does not know.
        let open = errors.iter().cloned().map(Violation::Error);
        let open = open.into_iter().any(|violation| violation.is_limit() || violation.is_open());
        let states = if self.stop.is_none() { self.diagrams.count(all) } else { 0 };
        let completion = self.stop.unwrap_or(Completion::Complete);
        let completion = completion.in_any_environment(self.steps.semantics);
        let unbounded = self.steps.semantics.has_no_limit();
        let proof = (completion == Completion::Complete && !open && unbounded).then(|| {
            let maxima = self.steps.maxima.named(self.steps.semantics);
            Exhausted::new(usize::try_from(states).unwrap_or(usize::MAX), true, maxima)
        });
        SymbolicExhaustion { completion, states, nodes: self.diagrams.len(), errors, proof }
    }

    /// The set of the states after the local steps of some states.
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

/// A process, and the indices of the parts that its steps touch.
type Touched = (usize, BTreeSet<usize>);

/// The distinct footprints of steps, and for each process and location the index of its footprint.
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

/// Number of states that are visited explicitly to choose a variable order.
const SAMPLE: usize = 20_000;
/// Greatest number of calls with states, including repeated ones, in that search.
const MOST_CALLS: usize = 100_000;

/// The first states of an explicit search, as words of these parts.
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
    // An error of the initial state has been reported before.
    let _ = semantics.exhaust_watched(&limits, reduction, &mut watch);
    words.into_iter().collect()
}

/// A number as 32 bits, saturated.
fn to_number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
