//! Cycles of states, in programs with few states.

use cfsm_core::deadline::Deadline;
use std::collections::{HashMap, VecDeque};

use ::livelock::Fairness;
use explore::{Move, Run, RunError, Semantics, State, Step, Witness};

use crate::fair::{self, Steps};

/// What a search for a cycle came to.
#[derive(Debug)]
pub(crate) struct Lasso {
    /// A run to a cycle, and once round, replayed.
    pub witness: Option<Witness>,
    /// Whether there is a cycle that is not fair, where fair ones are asked for and none was found.
    pub unfair: bool,
    /// How many states were met.
    pub states: usize,
    /// Whether there are no others, so that there is no such cycle if there is no witness. Runs
    /// behind an error are left out.
    pub complete: bool,
    /// Whether no step goes wrong, so that nothing lies behind an error.
    pub clean: bool,
}

impl Lasso {
    /// Whether it is sure that there is no such cycle.
    pub(crate) const fn shows_that_there_is_none(&self) -> bool {
        self.complete && self.clean && self.witness.is_none()
    }
}

/// The states that were met, in the order of their distance from the start.
struct Graph<'a> {
    semantics: &'a Semantics,
    numbers: HashMap<State, usize>,
    states: Vec<State>,
    parents: Vec<usize>,
    /// Per state, where allowed steps lead.
    allowed: Vec<Vec<usize>>,
    /// Whether no step has gone wrong.
    clean: bool,
}

/// Looks for a cycle of steps that are allowed, fair ones if that is asked for, among the states
/// nearest to the start. Finds one if there is one among those. Time linear in the states and
/// steps; for a fair cycle, times the number of processes.
///
/// # Errors
/// What goes wrong at the start.
pub(crate) fn search(
    semantics: &Semantics,
    (allows, fairness): (&impl Fn(&[Move]) -> bool, Fairness),
    most_states: usize,
    deadline: Deadline,
) -> Result<Lasso, RunError> {
    let start = semantics.initial()?;
    let mut graph = Graph {
        semantics,
        numbers: HashMap::from([(start.clone(), 0)]),
        states: vec![start],
        parents: vec![0],
        allowed: Vec::new(),
        clean: true,
    };
    let complete = graph.grow(allows, most_states, deadline);
    let (witness, settled) = match fairness {
        Fairness::None => graph.any(allows),
        Fairness::Weak => graph.fair(allows),
    };
    let unfair = witness.is_none() && graph.on_way_to_cycle().contains(&true);
    let Graph { states, clean, .. } = graph;
    // A fair environment need not send: the runs in which it does not are not all looked at.
    let any_environment =
        !semantics.leaves_out_steps() && (fairness == Fairness::None || !semantics.is_open());
    let complete = complete && settled && any_environment;
    Ok(Lasso { witness, unfair, states: states.len(), complete, clean })
}

impl Graph<'_> {
    /// Meets states until there are no more, or too many. Whether there are no more.
    fn grow(&mut self, allows: &impl Fn(&[Move]) -> bool, most_states: usize, deadline: Deadline) -> bool {
        const OFTEN: usize = 64;
        let mut at = 0;
        while at < self.states.len() {
            let late = || deadline.is_over();
            if self.states.len() >= most_states || (at.is_multiple_of(OFTEN) && late()) {
                self.allowed.resize(self.states.len(), Vec::new());
                return false;
            }
            let mut targets = Vec::new();
            for step in self.semantics.successors(&self.states[at]) {
                self.clean &= step.errors.is_empty();
                let is_allowed = allows(&step.moves);
                let Some(after) = step.after.filter(|_| step.errors.is_empty()) else { continue };
                let number = self.meet(after, at);
                targets.extend(is_allowed.then_some(number));
            }
            self.allowed.push(targets);
            at += 1;
        }
        true
    }

    /// The steps of a state that do not go wrong.
    fn steps(&self, at: usize) -> impl Iterator<Item = Step> + use<> {
        let steps = self.semantics.successors(&self.states[at]);
        steps.into_iter().filter(|step| step.errors.is_empty() && step.after.is_some())
    }

    fn meet(&mut self, state: State, from: usize) -> usize {
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.parents.push(from);
        number
    }

    /// The states from which allowed steps can go on for ever: what is left when those without an
    /// allowed step are taken away again and again.
    fn on_way_to_cycle(&self) -> Vec<bool> {
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (source, targets) in self.allowed.iter().enumerate() {
            targets.iter().for_each(|&target| into[target].push(source));
        }
        let mut left: Vec<usize> = self.allowed.iter().map(Vec::len).collect();
        let mut gone: Vec<usize> = (0..left.len()).filter(|&at| left[at] == 0).collect();
        while let Some(at) = gone.pop() {
            for &source in &into[at] {
                left[source] -= 1;
                if left[source] == 0 {
                    gone.push(source);
                }
            }
        }
        left.into_iter().map(|left| left > 0).collect()
    }

    /// Any cycle; and whether it is known if there is one.
    fn any(&self, allows: &impl Fn(&[Move]) -> bool) -> (Option<Witness>, bool) {
        let on_way = self.on_way_to_cycle();
        let begin = on_way.iter().position(|on_way| *on_way);
        let witness = begin.and_then(|begin| self.witness(&on_way, begin, allows));
        let settled = begin.is_none() || witness.is_some();
        (witness, settled)
    }

    /// The same for fair cycles.
    fn fair(&self, allows: &impl Fn(&[Move]) -> bool) -> (Option<Witness>, bool) {
        let Self { semantics, states, allowed, .. } = self;
        let Some((begin, pump)) = fair::cycle(&Steps { semantics, states, allowed }, allows) else {
            return (None, true);
        };
        let prefix = self.way_to(begin);
        let witness = prefix.and_then(|prefix| semantics.confirm(&prefix, &pump).ok());
        let witness = witness.filter(|witness| semantics.is_weakly_fair(witness));
        let settled = witness.is_some();
        (witness, settled)
    }

    /// The shortest run to a state.
    fn way_to(&self, at: usize) -> Option<Run> {
        let mut way = vec![at];
        while way[way.len() - 1] != 0 {
            way.push(self.parents[way[way.len() - 1]]);
        }
        way.reverse();
        self.run(&way, |_| true)
    }

    /// The run to a cycle, and round it.
    fn witness(&self, on_way: &[bool], begin: usize, allows: &impl Fn(&[Move]) -> bool) -> Option<Witness> {
        let mut at = begin;
        let mut seen = vec![false; self.states.len()];
        while !std::mem::replace(&mut seen[at], true) {
            at = *self.allowed[at].iter().find(|&&next| on_way[next])?;
        }
        let prefix = self.way_to(at)?;
        let pump = self.run(&self.shortest_cycle(at)?, allows)?;
        self.semantics.confirm(&prefix, &pump).ok()
    }

    /// A shortest cycle of allowed steps through a state that lies on one.
    fn shortest_cycle(&self, start: usize) -> Option<Vec<usize>> {
        let mut from: Vec<Option<usize>> = vec![None; self.states.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for &next in &self.allowed[at] {
                if from[next].is_none() {
                    from[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        let mut way = vec![start];
        loop {
            let before = from[way[way.len() - 1]]?;
            way.push(before);
            if before == start {
                break;
            }
        }
        way.reverse();
        Some(way)
    }

    /// What moves on a way.
    fn run(&self, way: &[usize], allows: impl Fn(&[Move]) -> bool) -> Option<Run> {
        let step = |pair: &[usize]| {
            let next = &self.states[pair[1]];
            let leads = |step: &Step| step.after.as_ref() == Some(next) && allows(&step.moves);
            self.steps(pair[0]).find(leads).map(|step| step.moves)
        };
        let steps = way.windows(2).map(step).collect::<Option<_>>()?;
        Some(Run { steps })
    }
}
