//! Concrete runs: witnesses for counterexamples, and true maxima.

use cfsm_core::deadline::Deadline;
use std::collections::{BTreeMap, BTreeSet};

use boundedness::{Behaviour, BufferVerdict, Combination, Outcome};
use cfsm_core::program::{ChannelDeclaration, EdgeId, ProcessTypeId, Program};
use cfsm_core::system::BufferId;
use explore::{
    Aim, Budget, Buffers, Exhausted, Guide, Quest, QueueOrigin, Searcher, Semantics, Unsupported, Witness,
};

use crate::all_states::{AllStates, MOST_BYTES};
use crate::correspondence::maxima;
use crate::{Correspondence, readings};

/// States that are looked at for each of several counterexamples before more are for one of them.
const TURN: usize = 5_000;
/// The same behind the pump of a witness, and which part of all states that may be looked at these
/// are together.
const TURN_BEHIND: usize = 5_000;
const BEHIND: usize = 4;
/// Readings in which runs are searched, at most.
const MOST_READINGS: usize = 8;

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Most states that are looked at to find witnesses, for all counterexamples together. 0: none
    /// is looked for.
    pub search_states: usize,
    /// Most states that are looked at once there is a witness, to find another one for other
    /// buffers. If it is less than for the first one, it is so many for each, however many there
    /// have been.
    pub further_states: usize,
    /// Most states in which control is free that are looked at to find true maxima, and a tenth of
    /// the states inside `atomic` that are passed between them. If it is more than 100 000, and
    /// there are more, they are looked at in sets, which may take 256 bytes for each state that is
    /// allowed; only then at more one by one. 0: they are not looked for.
    pub exploration_states: usize,
    /// Most bytes that are used for them, roughly.
    pub exploration_bytes: usize,
    /// Most work to find out whether every run ends, or makes progress again and again, and what is
    /// so as declared: [`Limits::work`](explore::Limits::work).
    pub ending_work: usize,
    /// When to stop.
    pub deadline: Deadline,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search_states: 400_000,
            further_states: usize::MAX,
            exploration_states: 1_000_000,
            exploration_bytes: MOST_BYTES,
            ending_work: usize::MAX,
            deadline: Deadline::default(),
        }
    }
}

/// What runs of the program show, buffers taken as unbounded.
#[derive(Clone, Debug, Default)]
pub struct Confirmation {
    /// What runs are, as it was searched; `None` if none was.
    pub semantics: Option<Semantics>,
    /// Runs that make buffers grow for ever, each one that those before it do not.
    pub witnesses: Vec<Witness>,
    /// The buffers that grow, with the position of a witness.
    pub unbounded: BTreeMap<BufferId, usize>,
    /// The true maximum of buffers, where all states have been seen: in no combination of unlimited
    /// and limited channels they hold more, and in one in which they are unlimited they hold so
    /// many.
    pub exact: BTreeMap<BufferId, u32>,
    /// The most that buffers hold in any of these combinations, where all states have been seen: at
    /// least the true maximum.
    pub most: BTreeMap<BufferId, u32>,
    /// A proof that all states have been seen: they are finitely many, and no buffer grows for
    /// ever. Only if that is true of the program with its capacities too.
    pub exhausted: Option<Exhausted>,
    /// How many states were looked at.
    pub states: usize,
    /// Why no run, or not all of them, could be looked at: a sentence without a full stop.
    pub limit: Option<String>,
}

impl Confirmation {
    /// What all states show, if nothing else has been looked at.
    #[must_use]
    pub fn of<C: Correspondence>(all: AllStates, correspondence: &C) -> Self {
        let mut confirmation = Self::default();
        confirmation.note(all, correspondence);
        confirmation
    }

    /// Relates the witnesses to the buffers of another system that corresponds to the program.
    pub(crate) fn relate<C: Correspondence>(&mut self, correspondence: &C) {
        self.unbounded.clear();
        for (position, witness) in self.witnesses.iter().enumerate() {
            for (origin, _) in witness.growth() {
                if let [buffer] = correspondence.buffers(origin)[..] {
                    self.unbounded.entry(buffer).or_insert(position);
                }
            }
        }
    }

    /// Adds what all states show.
    pub(crate) fn note<C: Correspondence>(&mut self, all: AllStates, correspondence: &C) {
        self.semantics = all.semantics.or(self.semantics.take());
        self.states += all.states;
        self.limit = all.limit.or(self.limit.take());
        if all.proof.is_some() {
            (self.most, self.exact) = maxima(correspondence, &all.seen);
            self.exhausted = all.proof;
        }
    }

    /// Whether a run has been seen that is against a proof of the outcome. That cannot be, unless
    /// there is a bug; then nothing should be called proved.
    #[must_use]
    pub fn contradicts(&self, outcome: &Outcome) -> bool {
        outcome.buffers.iter().any(|(id, verdict)| match verdict {
            BufferVerdict::Bounded { bound } => {
                self.unbounded.contains_key(&id)
                    || self.exact.get(&id).is_some_and(|most| *bound < (*most).into())
            }
            BufferVerdict::Finite => self.unbounded.contains_key(&id),
            _ => false,
        })
    }
}

pub(crate) fn unsearched(unsupported: &Unsupported) -> String {
    format!("no run was searched: {unsupported}")
}

/// Looks for runs that confirm the counterexamples of an outcome, and for true maxima.
///
/// The outcome must be about the system that corresponds to the program: its abstraction, or the
/// system that it is the translation of. Claims of the program are left out, as they are in the
/// abstraction.
#[must_use]
pub fn confirm<C: Correspondence>(
    program: &Program,
    correspondence: &C,
    outcome: &Outcome,
    options: &Options,
) -> Confirmation {
    let mut confirmation = Confirmation::default();
    if options.search_states.max(options.exploration_states) == 0 {
        return confirmation;
    }
    let semantics = match readings::semantics(program, Buffers::Unbounded) {
        Ok(semantics) => semantics,
        Err(unsupported) => {
            confirmation.limit = Some(unsearched(&unsupported));
            return confirmation;
        }
    };
    let semantics = &semantics;
    let limit = options.search_states;
    let mut runs = Runs { program, semantics, correspondence, outcome, options, limit, confirmation };
    if let Some(states) = runs.witnesses() {
        runs.maxima(states);
    }
    Confirmation { semantics: Some(semantics.clone()), ..runs.confirmation }
}

struct Runs<'a, C> {
    program: &'a Program,
    semantics: &'a Semantics,
    correspondence: &'a C,
    outcome: &'a Outcome,
    options: &'a Options,
    /// Most states that are looked at for witnesses.
    limit: usize,
    confirmation: Confirmation,
}

impl<C: Correspondence> Runs<'_, C> {
    /// Looks for a witness for each buffer that can grow in the abstraction; at how many states it
    /// is worth while to look for maxima, if at any.
    fn witnesses(&mut self) -> Option<usize> {
        let growing = self.outcome.buffers.iter().filter_map(|(id, verdict)| match verdict {
            BufferVerdict::CanGrow { combination } => Some((id, *combination)),
            _ => None,
        });
        let growing: Vec<(BufferId, usize)> = growing.collect();
        let mut known = BTreeSet::new();
        let combinations: BTreeSet<usize> = growing.iter().map(|(_, combination)| *combination).collect();
        // Where there are several, each has its turn before one is looked for as far as that is
        // allowed.
        let readings = self.readings(&growing);
        let mut readings: Vec<Searched<'_>> = readings.iter().map(Searched::new).collect();
        let several = combinations.len().max(readings.len()) > 1;
        let turns: &[Turn] =
            if several { &[Turn::First, Turn::Share, Turn::Rest] } else { &[Turn::First, Turn::Rest] };
        let mut searched = false;
        for turn in turns {
            let open = combinations.iter().filter(|combination| {
                growing.iter().any(|(buffer, of)| of == *combination && !self.grows(*buffer))
            });
            let turn = self.states_of(*turn, open.count() * readings.len());
            for reading in &mut readings {
                if !reading.exhausted {
                    self.search_reading(reading, &growing, &mut known, turn);
                }
            }
            searched = readings.iter().all(|reading| reading.exhausted);
            if searched {
                break;
            }
            // The first reading is the one without limits.
            self.search_behind_witnesses(&mut readings[0], &growing, &mut known);
            if turn == TURN && self.options.search_states > TURN {
                self.search_counted(&growing, &mut known);
            }
        }
        // The same states again, and inside of `atomic`.
        let states = if searched { usize::MAX } else { self.options.exploration_states };
        self.confirmation.witnesses.is_empty().then_some(states)
    }

    /// How many states may be looked at for each of so many counterexamples: in equal shares first,
    /// so that one that is hard leaves something for the others. If none is found at all, as many
    /// states again for one after the other.
    fn states_of(&mut self, turn: Turn, open: usize) -> usize {
        match turn {
            Turn::First => TURN,
            Turn::Share => self.limit / open.max(1),
            Turn::Rest => {
                if self.confirmation.witnesses.is_empty() {
                    self.limit = self.limit.saturating_add(self.confirmation.states);
                }
                usize::MAX
            }
        }
    }

    /// The readings in which runs are searched: channels unlimited; where it can be observed that
    /// sends wait, limited as declared; and each of these channels unlimited with the others
    /// limited, where it may grow.
    fn readings(&self, growing: &[(BufferId, usize)]) -> Vec<Semantics> {
        let combinations = readings::Combinations::new(self.program);
        let may_grow = |channel: ChannelDeclaration| {
            let Ok(start) = self.semantics.initial() else { return true };
            let mut queues =
                (1..=start.queue_count()).filter_map(|queue| self.semantics.queue_origin(&start, queue));
            channel.owner.is_some()
                || queues.any(|origin| {
                    let buffers = self.correspondence.buffers(&origin);
                    origin.declaration() == channel
                        && growing.iter().any(|(buffer, _)| buffers.contains(buffer))
                })
        };
        let others = combinations.all_but_one().filter(|(channel, _)| may_grow(*channel));
        let limited = combinations.limited().into_iter().chain(others.map(|(_, buffers)| buffers));
        let limited = limited.filter_map(|buffers| readings::semantics(self.program, buffers).ok());
        let all = std::iter::once(self.semantics.clone()).chain(limited);
        all.take(MOST_READINGS).collect()
    }

    /// Looks for runs of one reading, so far.
    fn search_reading(
        &mut self,
        reading: &mut Searched<'_>,
        growing: &[(BufferId, usize)],
        known: &mut BTreeSet<QueueOrigin>,
        turn: usize,
    ) {
        let mut tried = BTreeSet::new();
        for &(buffer, combination) in growing {
            if self.grows(buffer) || !tried.insert(combination) {
                continue;
            }
            while !self.grows(buffer) {
                let attempt = Attempt { filling: None, combination, known: known.len() };
                match self.search(reading, attempt, known, self.left(self.limit, turn)) {
                    Found::Witness(witness) => self.record(*witness, known),
                    Found::Everything => {
                        reading.exhausted = true;
                        return;
                    }
                    Found::Nothing => break,
                }
            }
        }
    }

    /// Returns `true` if a witness makes a buffer grow.
    fn grows(&self, buffer: BufferId) -> bool {
        self.confirmation.unbounded.contains_key(&buffer)
    }

    /// Looks for runs of one reading that make buffers grow with what the pumps of witnesses have
    /// left in others.
    fn search_behind_witnesses(
        &mut self,
        reading: &mut Searched<'_>,
        growing: &[(BufferId, usize)],
        known: &mut BTreeSet<QueueOrigin>,
    ) {
        let limit = self.confirmation.states.saturating_add(self.options.search_states / BEHIND);
        let mut first = 0;
        while let Some(filling) = self.confirmation.witnesses.get(first) {
            if filling.supply().is_none() && *filling.buffers() == Buffers::Unbounded {
                for &(buffer, combination) in growing {
                    while !self.grows(buffer) {
                        let attempt = Attempt { filling: Some(first), combination, known: known.len() };
                        let states = self.left(limit, TURN_BEHIND);
                        match self.search(reading, attempt, known, states) {
                            Found::Witness(witness) => self.record(*witness, known),
                            Found::Everything | Found::Nothing => break,
                        }
                    }
                }
            }
            first += 1;
        }
    }

    /// Looks for runs that make buffers grow as far as a number has been counted up. An `int` has
    /// an end, so what is proved comes before: not in a short look.
    fn search_counted(&mut self, growing: &[(BufferId, usize)], known: &mut BTreeSet<QueueOrigin>) {
        let mut tried = BTreeSet::new();
        for &(buffer, combination) in growing {
            while !self.grows(buffer) && tried.insert((combination, known.len())) {
                let quest = self.quest(self.semantics, combination, known);
                let budget = Budget { states: TURN_BEHIND, deadline: self.options.deadline };
                let Ok(search) = self.semantics.search_counted(&quest, &budget) else { return };
                self.confirmation.states += search.states;
                if let Some(witness) = search.witness {
                    self.record(witness, known);
                }
            }
        }
    }

    /// The search for a run that makes some queue grow that is not known to, led by the loops of a
    /// counterexample.
    fn quest(&self, semantics: &Semantics, combination: usize, known: &BTreeSet<QueueOrigin>) -> Quest {
        let combination = &self.outcome.combinations[combination];
        Quest {
            aim: Aim::Growth { known: known.clone() },
            guide: Guide::new(semantics, statements(self.correspondence, combination))
                .with_times(times(self.correspondence, combination)),
        }
    }

    /// Number of states, up to `most`, that may be looked at before `limit` is reached.
    fn left(&self, limit: usize, most: usize) -> usize {
        limit.saturating_sub(self.confirmation.states).min(most)
    }

    /// A run of a reading that makes some queue grow that is not known to, unless an attempt with
    /// as many states was in vain.
    fn search(
        &mut self,
        reading: &mut Searched<'_>,
        attempt: Attempt,
        known: &BTreeSet<QueueOrigin>,
        states: usize,
    ) -> Found {
        let tried = reading.tried.entry(attempt).or_default();
        if states <= *tried || self.options.deadline.is_over() {
            return Found::Nothing;
        }
        *tried = states;
        let searcher = &reading.searcher;
        let quest = self.quest(searcher.semantics(), attempt.combination, known);
        let budget = Budget { states, deadline: self.options.deadline };
        let search = match attempt.filling {
            Some(filling) => searcher.search_supplied(&self.confirmation.witnesses[filling], &quest, &budget),
            None => searcher.search(&quest, &budget),
        };
        match search {
            Ok(search) => {
                self.confirmation.states += search.states;
                match search.witness {
                    // One that shows nothing new would be found again and again.
                    Some(witness) if !witness.growth().iter().any(|(origin, _)| !known.contains(origin)) => {
                        Found::Nothing
                    }
                    Some(witness) => Found::Witness(Box::new(witness)),
                    None if search.exhausted => Found::Everything,
                    None => Found::Nothing,
                }
            }
            Err(error) => {
                self.confirmation.limit = Some(format!("no run was searched: at the start, {error}"));
                Found::Nothing
            }
        }
    }

    fn record(&mut self, witness: Witness, known: &mut BTreeSet<QueueOrigin>) {
        let witness = readings::with_fewest_limits(self.program, witness);
        let position = self.confirmation.witnesses.len();
        for (origin, _) in witness.growth() {
            known.insert(*origin);
            if let [buffer] = self.correspondence.buffers(origin)[..] {
                self.confirmation.unbounded.entry(buffer).or_insert(position);
            }
        }
        self.confirmation.witnesses.push(witness);
        // Each one that is found gives the next buffer as much.
        let further = self.options.further_states;
        if further < self.options.search_states {
            self.limit = self.confirmation.states.saturating_add(further);
        }
    }

    /// Looks at all states, if there are not too many.
    fn maxima(&mut self, states: usize) {
        if self.options.exploration_states > 0 {
            let options = Options { exploration_states: states, ..*self.options };
            match AllStates::look(self.program, &options) {
                Ok(all) => self.confirmation.note(all, self.correspondence),
                Err(unsupported) => self.confirmation.limit = Some(unsearched(&unsupported)),
            }
        }
    }
}

/// How far each of several counterexamples is looked for before the next one.
#[derive(Clone, Copy)]
enum Turn {
    /// As far as takes no time.
    First,
    /// To an equal share of what is allowed.
    Share,
    /// As far as is allowed.
    Rest,
}

/// A reading in which runs are searched.
struct Searched<'a> {
    searcher: Searcher<'a>,
    /// The attempts so far, with the number of states that could be looked at.
    tried: BTreeMap<Attempt, usize>,
    /// Whether there are no other states in it, so that nothing grows.
    exhausted: bool,
}

impl<'a> Searched<'a> {
    const fn new(semantics: &'a Semantics) -> Self {
        Self { searcher: Searcher::new(semantics), tried: BTreeMap::new(), exhausted: false }
    }
}

/// The beginning of a search in a reading. It finds the same each time, if it may look at as many
/// states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Attempt {
    /// The position of the witness whose pump has filled buffers before, if there is one.
    filling: Option<usize>,
    /// The counterexample whose loops lead the search.
    combination: usize,
    /// Number of queues that are known to grow.
    known: usize,
}

enum Found {
    Witness(Box<Witness>),
    /// There are no other states.
    Everything,
    Nothing,
}

/// The statements of the loops of a combination.
pub(crate) fn statements<C: Correspondence>(
    correspondence: &C,
    combination: &Combination,
) -> BTreeSet<(ProcessTypeId, EdgeId)> {
    let transitions = combination.parts.iter().flat_map(|(behaviour, _)| match behaviour {
        Behaviour::Cycle(transitions) | Behaviour::Path(_, transitions) => transitions,
    });
    transitions.flat_map(|transition| correspondence.statements(*transition).iter().copied()).collect()
}

/// Numbers of executions of the statements in one round of a combination, as far as they are
/// numbers that can be counted to.
fn times<C: Correspondence>(
    correspondence: &C,
    combination: &Combination,
) -> BTreeMap<(ProcessTypeId, EdgeId), usize> {
    let mut all = BTreeMap::new();
    for (behaviour, count) in &combination.parts {
        let (Behaviour::Cycle(transitions) | Behaviour::Path(_, transitions)) = behaviour;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        for statement in transitions.iter().flat_map(|transition| correspondence.statements(*transition)) {
            let times: &mut usize = all.entry(*statement).or_default();
            *times = times.saturating_add(count);
        }
    }
    all
}
