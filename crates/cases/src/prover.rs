//! The search for a proof.
//!
//! A case is about runs that fire certain transitions from some time on, and no others, and some of certain sets
//! of transitions again and again. All such demands are closed under addition of solutions, so each is put as a
//! question of its own: if one has no solution, its potential is the proof; otherwise the sum of all solutions is a
//! counterexample that meets all demands.

use std::collections::{BTreeMap, BTreeSet};

use certify::{Cut, Fairness, Proof, Ranking};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{DataId, MessageId, StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination, Cone, Growth, Pool, Property, Row, Stopped, growth};
use num_bigint::BigInt;

use crate::connection::{Connections, Part};

/// What a proof by cases came to.
#[derive(Clone, Debug)]
pub enum Found {
    /// There is no such run.
    Proof(Proof),
    /// There may be one.
    Counterexample(Combination),
    /// The limit on cases was hit; with what would have to be split.
    TooManyCases(Combination),
}

/// The runs that a case is about.
#[derive(Clone)]
pub(crate) struct Case {
    /// Per transition, whether it may fire again and again.
    pub fires: IdMap<TransitionId, bool>,
    /// Per cut or delivery, those transitions of which some fire again and again, if the case says so.
    pub crossed: Vec<Option<Vec<TransitionId>>>,
    /// Sets of states with an instance all the time.
    pub inhabited: Vec<BTreeSet<StateId>>,
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct Options {
    /// Encoding, search and limits of each question.
    pub questions: ilp_encode::Options,
    /// How many cases may be looked at; those that are split count too. 1: none is distinguished.
    pub cases: usize,
    /// Which runs the proof has to be about.
    pub fairness: Fairness,
}

/// One demand of a case as a property.
struct Demand<'a> {
    case: &'a Case,
    goal: &'a dyn Property,
    /// The transitions that are counted; `None`: what is not to be gained is what the goal says.
    counted: Option<IdMap<TransitionId, bool>>,
}

impl Property for Demand<'_> {
    fn is_target(&self, system: &System, message: MessageId) -> bool {
        self.counted.is_none() && self.goal.is_target(system, message)
    }

    fn is_data_target(&self, system: &System, data: DataId) -> bool {
        self.counted.is_none() && self.goal.is_data_target(system, data)
    }

    fn gain(&self, system: &System, transition: TransitionId) -> u32 {
        match &self.counted {
            Some(counted) => u32::from(counted[transition]),
            None => self.goal.gain(system, transition),
        }
    }

    fn excludes(&self, _: &System, transition: TransitionId) -> bool {
        !self.case.fires[transition]
    }
}

/// The search for a proof.
pub struct Prover<'a> {
    pub(crate) system: &'a System,
    goal: &'a dyn Property,
    options: &'a Options,
    connections: Connections<'a>,
    cases: usize,
    listed_cycles: Option<usize>,
}

impl<'a> Prover<'a> {
    /// For a system and what is not to be gained in it.
    #[must_use]
    pub fn new(system: &'a System, goal: &'a dyn Property, options: &'a Options) -> Self {
        Self { system, goal, options, connections: Connections::new(system), cases: 0, listed_cycles: None }
    }

    /// How many cases were looked at.
    #[must_use]
    pub const fn cases(&self) -> usize {
        self.cases
    }

    /// The number of elementary cycles of the first question, where they were listed.
    #[must_use]
    pub const fn listed_cycles(&self) -> Option<usize> {
        self.listed_cycles
    }

    /// Looks for a proof. What it finds has not been checked.
    ///
    /// One question, and three more for each answer in which the cycles of a process do not hang together, or in which a queue
    /// that [keeps order](System::keeps_order) is read and some of what is sent to it is not.
    ///
    /// # Errors
    /// [`Stopped`] if a limit of the questions is hit.
    pub fn prove(&mut self) -> Result<Found, Stopped> {
        let fires = self.system.transitions.ids().map(|id| !self.goal.excludes(self.system, id)).collect();
        self.case(&Case { fires, crossed: Vec::new(), inhabited: Vec::new() })
    }

    pub(crate) fn case(&mut self, case: &Case) -> Result<Found, Stopped> {
        self.cases += 1;
        let mut solutions = Vec::new();
        let crossed = case.crossed.iter().enumerate();
        let crossed = crossed.filter_map(|(at, counted)| Some((Some(at + 1), Some(counted.as_deref()?))));
        for (falls_at_cut, counted) in std::iter::once((None, None)).chain(crossed) {
            let Growth { growing, mut combinations, potential } = self.ask(case, counted)?;
            if growing.is_empty() {
                let ranking = Ranking::new(self.system, potential.messages, potential.states)
                    .with_data(self.system, potential.data);
                return Ok(Found::Proof(Proof::Ranking(Ranking { falls_at_cut, ..ranking })));
            }
            solutions.append(&mut combinations);
        }
        if self.options.fairness == Fairness::Weak
            && let Some(result) = self.departure(case)?
        {
            return Ok(result);
        }
        let combination = sum(solutions);
        let part = self.connections.broken(&combination, &case.fires);
        let backlog = if part.is_none() { self.backlog(&combination) } else { None };
        match (part, backlog) {
            (None, None) => Ok(Found::Counterexample(combination)),
            (Some(_), _) | (_, Some(_)) if self.cases + 3 > self.options.cases => {
                Ok(Found::TooManyCases(combination))
            }
            (Some(part), _) => self.split(case, &part),
            (None, Some(backlog)) => self.deliver(case, &backlog),
        }
    }

    /// What can go on for ever in a case, so that something of what is counted fires; `None`: so that something is gained
    /// that the goal forbids.
    pub(crate) fn ask(&mut self, case: &Case, counted: Option<&[TransitionId]>) -> Result<Growth, Stopped> {
        let options = &self.options.questions;
        let counted = counted.map(|counted| {
            let mut marks = IdMap::filled(false, self.system.transitions.len());
            counted.iter().for_each(|&id| marks[id] = true);
            marks
        });
        let cone = Cone::new(self.system, &Demand { case, goal: self.goal, counted }, options)?;
        if self.cases == 1 {
            self.listed_cycles = cone.listed_cycles();
        }
        growth(&cone, &mut Pool::default(), options)
    }

    /// A process stays at the states of a part, or away from them, or leaves them again and again.
    fn split(&mut self, case: &Case, part: &Part) -> Result<Found, Stopped> {
        let [mut stays, mut avoids, mut crosses] = [(); 3].map(|()| case.clone());
        let mut leaving = Vec::new();
        for (id, transition) in self.system.transitions.iter().filter(|(id, _)| case.fires[*id]) {
            if self.system.class_of(id) == part.class {
                let (from, to) = (part.contains(transition.source), part.contains(transition.target));
                stays.fires[id] = from && to;
                avoids.fires[id] = !from && !to;
                leaving.extend((from && !to).then_some(id));
            }
        }
        stays.crossed.push(None);
        avoids.crossed.push(None);
        crosses.crossed.push(Some(leaving));
        stays.inhabited.push(part.states.clone());
        let [stays, avoids, crosses] = match self.all([stays, avoids, crosses])? {
            Ok(proofs) => proofs,
            Err(other) => return Ok(other),
        };
        let state_name = |state: &StateId| self.system.state_name(*state);
        Ok(Found::Proof(Proof::Cut(Cut {
            class: self.system.classes[part.class].name.clone(),
            states: part.states.iter().map(state_name).collect(),
            stays,
            avoids,
            crosses,
        })))
    }
}

impl Prover<'_> {
    /// Proofs of three cases, or what the first without one came to.
    pub(crate) fn all(&mut self, cases: [Case; 3]) -> Result<Result<[Box<Proof>; 3], Found>, Stopped> {
        let mut proofs = Vec::new();
        for case in cases {
            match self.case(&case)? {
                Found::Proof(proof) => proofs.push(Box::new(proof)),
                other => return Ok(Err(other)),
            }
        }
        Ok(Ok(<[Box<Proof>; 3]>::try_from(proofs).expect("one proof per case")))
    }
}

/// All solutions one after the other. What they count is left out of the gains.
fn sum(solutions: Vec<Combination>) -> Combination {
    let mut parts: BTreeMap<Behaviour, BigInt> = BTreeMap::new();
    let mut gains: BTreeMap<Row, BigInt> = BTreeMap::new();
    for solution in solutions {
        for (behaviour, times) in solution.parts {
            *parts.entry(behaviour).or_default() += times;
        }
        for (row, gain) in solution.gains.into_iter().filter(|(row, _)| *row != Row::Gain) {
            *gains.entry(row).or_default() += gain;
        }
    }
    Combination { parts: parts.into_iter().collect(), gains: gains.into_iter().collect() }
}

/// The transitions of a combination.
pub(crate) fn combination_steps(combination: &Combination) -> impl Iterator<Item = TransitionId> + '_ {
    combination.parts.iter().flat_map(|(behaviour, _)| {
        let (Behaviour::Cycle(steps) | Behaviour::Path(_, steps)) = behaviour;
        steps.iter().copied()
    })
}
