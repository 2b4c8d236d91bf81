//! Pumps fed by a counter: a counter is increased arbitrarily often, and then one message is sent
//! for each unit.
//!
//! While the counter exceeds all constants with which it is compared, the behaviour does not depend
//! on its value: it is that of the specialised program [`Large`]. There the pump can be repeated
//! for ever, so the program itself can execute any number of rounds if the counter was increased
//! often enough before: `docs/soundness/witnesses.md`.

use std::collections::BTreeSet;

use super::confined_pump::statements;
use super::reduced_model::{ReducedModel, ReducedProgram};
use super::{Aim, Budget, Quest, Refusal, Search, Supply, Witness, repeat, search};
use crate::reduce::{Counter, Large};
use crate::{Move, ReplayError, Run, RunError, Semantics, State};

/// Greatest number of states that are visited to find a round that increases a counter.
const MOST_STATES: usize = 1_000;
/// Greatest number of steps of such a round.
const LONGEST: usize = 64;
/// Greatest number of such rounds that are tried.
const MOST_TRIES: usize = 8;
/// Greatest number of steps of all repetitions of such a round.
const MOST_STEPS: usize = 20_000;

/// A round that increases a counter and leaves everything else unchanged.
pub(super) struct Counted<'a> {
    semantics: &'a Semantics,
    counter: Counter,
    prefix: Run,
    round: Run,
    /// The state after the prefix.
    state: State,
}

impl<'a> Counted<'a> {
    /// Checks a round after a prefix.
    ///
    /// # Errors
    /// The reason for which the round is not of this kind.
    pub fn new(semantics: &'a Semantics, prefix: &Run, round: &Run) -> Result<Self, Refusal> {
        if semantics.has_waiting_choices() {
            return Err(Refusal::ManyReadings);
        }
        let start = semantics.initial().map_err(ReplayError::Start)?;
        let state = semantics.follow(&start, &prefix.steps, 0)?.pop().unwrap_or(start);
        let after = semantics.follow(&state, &round.steps, prefix.steps.len())?.pop();
        let after = after.ok_or(Refusal::Empty)?;
        let counter = Counter::between(semantics, &state, &after).ok_or(Refusal::Differs)?;
        let (prefix, round) = (prefix.clone(), round.clone());
        Ok(Self { semantics, counter, prefix, round, state })
    }

    /// The program specialised to large values of the counter, with all statements whose effect
    /// does not depend on the value then.
    pub fn model(&self) -> Option<Large> {
        self.counter.large(self.semantics, &self.counter.indifferent(self.semantics))
    }

    /// The initial state of the specialised program, which never reads the counter.
    pub fn begin(&self) -> State {
        let mut state = self.state.clone();
        state.cells[self.counter.position] = 0;
        state
    }

    /// Confirms that a pump, after a run `middle` that starts when the counter was increased often
    /// enough, can be executed any number of times. Both are runs of the specialised program.
    ///
    /// # Errors
    /// The reason for which it cannot be executed.
    pub fn confirm(&self, middle: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        let all = [&self.round, middle, pump].into_iter().flat_map(statements).collect();
        let large = self.counter.large(self.semantics, &all).ok_or(Refusal::Sensitive)?;
        let part = &large.semantics;
        let begin = self.begin();
        let back = part.follow(&begin, &self.round.steps, 0)?.pop();
        if back.as_ref() != Some(&begin) {
            return Err(Refusal::Differs);
        }
        let before = part.follow(&begin, &middle.steps, 0)?.pop().unwrap_or_else(|| begin.clone());
        let (growth, rounds) = repeat::confirm(part, &before, pump, middle.steps.len(), effort)?;
        if growth.is_empty() {
            return Err(Refusal::Shrinks);
        }
        let times = self.times(large.compared, middle, pump, rounds)?;
        *effort += times * self.round.steps.len() + middle.steps.len() + rounds * pump.steps.len();
        self.executed(middle, pump, times, growth, rounds)
    }

    /// Number of repetitions of the round after which the counter exceeds all constants with which
    /// it is compared, during this number of rounds of the pump.
    fn times(&self, compared: i32, middle: &Run, pump: &Run, rounds: usize) -> Result<usize, Refusal> {
        let added = |run: &Run| -> Vec<i64> {
            let moves = run.steps.iter().flatten();
            let edges = moves.filter_map(|moved| Some((moved.process_type, moved.edge?)));
            edges.map(|(ty, edge)| self.counter.added(self.semantics, ty, edge)).collect()
        };
        let taken =
            |run: &Run| -> i64 { added(run).into_iter().filter(|added| *added < 0).map(i64::abs).sum() };
        let up: i64 = added(&self.round).into_iter().sum();
        let rounds = i64::try_from(rounds).unwrap_or(i64::MAX);
        let fall = taken(pump).saturating_mul(rounds) + taken(middle) + taken(&self.round);
        let held = i64::from(self.state.cells[self.counter.position]);
        let wanted = (i64::from(compared) + 1 + fall - held).max(up);
        let times = usize::try_from(wanted.checked_div(up).ok_or(Refusal::Differs)? + 1).ok();
        let times =
            times.filter(|times| up > 0 && times.saturating_mul(self.round.steps.len()) <= MOST_STEPS);
        times.ok_or(Refusal::TooManyRounds(MOST_STEPS / self.round.steps.len().max(1)))
    }

    /// Executes `times` repetitions of the round, `middle` and `rounds` rounds of `pump` in the
    /// program itself, and builds the witness.
    fn executed(
        &self,
        middle: &Run,
        pump: &Run,
        times: usize,
        growth: repeat::Growth,
        rounds: usize,
    ) -> Result<Witness, Refusal> {
        let semantics = self.semantics;
        let mut prefix = self.prefix.clone();
        let supply = Supply { first: prefix.steps.len(), steps: self.round.steps.len(), times };
        let mut state = self.state.clone();
        for _ in 0..times {
            state = semantics.follow(&state, &self.round.steps, prefix.steps.len())?.pop().unwrap_or(state);
            prefix.steps.extend_from_slice(&self.round.steps);
        }
        let go = |run: &Run, state: &mut State| -> Result<Vec<Vec<Move>>, Refusal> {
            let mut steps = Vec::new();
            let none = || Refusal::Replay(ReplayError::NoSuchStep(0));
            semantics.repeated(state.clone(), run, &mut steps, &mut |_| {}).ok_or_else(none)?;
            // The steps must not have errors.
            *state = semantics.follow(state, &steps, 0)?.pop().unwrap_or_else(|| state.clone());
            Ok(steps)
        };
        prefix.steps.extend(go(middle, &mut state)?);
        let first = go(pump, &mut state)?;
        for _ in 1..rounds {
            go(pump, &mut state)?;
        }
        Ok(Witness {
            prefix,
            pump: Run { steps: first },
            growth,
            rounds,
            up_to_idle_data: false,
            supply: Some(supply),
            counter: Some((self.counter.owner, self.counter.variable)),
            left_behind: 0,
            buffers: semantics.options.buffers.clone(),
        })
    }
}

impl Semantics {
    /// Searches for a run that makes a queue grow as far as a counter was increased before. A
    /// witness has a [supply](Witness::supply) and a [counter](Witness::counter). The search is
    /// never exhausted.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn search_counted(&self, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
        let mut looked = 0;
        if matches!(quest.aim, Aim::Growth { .. }) {
            let (rounds, states) = self.counting(budget)?;
            looked += states;
            for (prefix, round) in rounds {
                let Ok(counted) = Counted::new(self, &prefix, &round) else { continue };
                let Some(large) = counted.model() else { continue };
                let reduced = ReducedProgram::none(&large.semantics);
                let model = ReducedModel::new(&large.semantics, &reduced, &quest.aim).counted(&counted);
                let states = budget.states.saturating_sub(looked) / MOST_TRIES;
                let found = search::look(&model, quest, &Budget { states, ..*budget })?;
                looked += found.states;
                if found.witness.is_some() {
                    return Ok(Search { witness: found.witness, states: looked, exhausted: false });
                }
            }
        }
        Ok(Search { witness: None, states: looked, exhausted: false })
    }

    /// Rounds near the initial state that increase a counter and leave everything else unchanged,
    /// each with its prefix, and the number of visited states.
    fn counting(&self, budget: &Budget) -> Result<(Vec<(Run, Run)>, usize), RunError> {
        /// A state, its predecessor, and the moves between them.
        struct Node {
            state: State,
            parent: usize,
            moves: Vec<Move>,
        }
        let way = |nodes: &[Node], from: usize, to: usize| {
            let mut steps = Vec::new();
            let mut at = to;
            while at != from {
                steps.push(nodes[at].moves.clone());
                at = nodes[at].parent;
            }
            steps.reverse();
            Run { steps }
        };
        let mut nodes = vec![Node { state: self.initial()?, parent: 0, moves: Vec::new() }];
        let mut met: std::collections::HashSet<State> = [nodes[0].state.clone()].into();
        let mut tried: BTreeSet<(Counter, Vec<u8>)> = BTreeSet::new();
        let mut found = Vec::new();
        let mut at = 0;
        while at < nodes.len() && nodes.len() < MOST_STATES.min(budget.states) && !budget.deadline.is_over() {
            for step in self.successors(&nodes[at].state) {
                let Some(state) = step.after.filter(|_| step.errors.is_empty()) else { continue };
                if !met.insert(state.clone()) {
                    continue;
                }
                nodes.push(Node { state, parent: at, moves: step.moves });
                let last = nodes.len() - 1;
                let mut begin = at;
                for _ in 0..LONGEST {
                    let counter = Counter::between(self, &nodes[begin].state, &nodes[last].state);
                    if let Some(counter) = counter {
                        let mut control = Vec::new();
                        self.encode_control(&nodes[begin].state, &mut control);
                        if tried.insert((counter, control)) {
                            found.push((way(&nodes, 0, begin), way(&nodes, begin, last)));
                        }
                    }
                    if nodes[begin].parent == begin || found.len() >= MOST_TRIES {
                        break;
                    }
                    begin = nodes[begin].parent;
                }
            }
            at += 1;
        }
        found.truncate(MOST_TRIES);
        Ok((found, nodes.len()))
    }
}
