//! Proof by cases: what can be repeated for ever, given where some processes are in the long run.
//!
//! A case is about runs that fire certain transitions from some time on, and no others, and some of certain sets
//! of transitions again and again. All such demands are closed under addition of solutions, so each is put as a
//! question of its own: if one has no solution, its potential is the proof; otherwise the sum of all solutions is a
//! counterexample that meets all demands.

use std::collections::{BTreeMap, BTreeSet};

use certify::{Cut, Fairness, Proof, Ranking};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination, Cone, Growth, Pool, Property, Row, Stopped, growth};
use num_bigint::BigInt;

use crate::connection::{Connections, Part};
use crate::{Livelock, Options};

/// What a case came to.
pub enum Result {
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
    /// Per cut, those transitions of which some fire again and again, if the case says so.
    pub crossed: Vec<Option<Vec<TransitionId>>>,
    /// Sets of states with an instance all the time.
    pub inhabited: Vec<BTreeSet<StateId>>,
}

/// One demand of a case as a property.
struct Demand<'a> {
    case: &'a Case,
    /// The transitions that are counted; `None`: all that may fire.
    counted: Option<IdMap<TransitionId, bool>>,
}

impl Property for Demand<'_> {
    fn gain(&self, _: &System, transition: TransitionId) -> u32 {
        u32::from(self.counted.as_ref().is_none_or(|counted| counted[transition]))
    }

    fn excludes(&self, _: &System, transition: TransitionId) -> bool {
        !self.case.fires[transition]
    }
}

/// The search for a proof.
pub struct Prover<'a> {
    pub(crate) system: &'a System,
    options: &'a Options,
    connections: Connections<'a>,
    cases: usize,
    listed_cycles: Option<usize>,
}

impl<'a> Prover<'a> {
    pub fn new(system: &'a System, options: &'a Options) -> Self {
        Self { system, options, connections: Connections::new(system), cases: 0, listed_cycles: None }
    }

    pub const fn cases(&self) -> usize {
        self.cases
    }

    pub const fn listed_cycles(&self) -> Option<usize> {
        self.listed_cycles
    }

    pub fn prove(&mut self) -> std::result::Result<Result, Stopped> {
        let fires = self.system.transitions.ids().map(|id| !Livelock.excludes(self.system, id)).collect();
        self.case(&Case { fires, crossed: Vec::new(), inhabited: Vec::new() })
    }

    pub(crate) fn case(&mut self, case: &Case) -> std::result::Result<Result, Stopped> {
        self.cases += 1;
        let mut solutions = Vec::new();
        let crossed = case.crossed.iter().enumerate();
        let crossed = crossed.filter_map(|(at, counted)| Some((Some(at + 1), Some(counted.as_deref()?))));
        for (falls_at_cut, counted) in std::iter::once((None, None)).chain(crossed) {
            let Growth { growing, mut combinations, potential } = self.ask(case, counted)?;
            if growing.is_empty() {
                let ranking = Ranking::new(self.system, potential.messages, potential.states)
                    .with_data(self.system, potential.data);
                return Ok(Result::Proof(Proof::Ranking(Ranking { falls_at_cut, ..ranking })));
            }
            solutions.append(&mut combinations);
        }
        if self.options.fairness == Fairness::Weak
            && let Some(result) = self.departure(case)?
        {
            return Ok(result);
        }
        let combination = sum(solutions);
        match self.connections.broken(&combination, &case.fires) {
            None => Ok(Result::Counterexample(combination)),
            Some(_) if self.cases + 3 > self.options.cases => Ok(Result::TooManyCases(combination)),
            Some(part) => self.split(case, &part),
        }
    }

    /// What can go on for ever in a case, so that something of what is counted fires; `None`: of all that may fire.
    pub(crate) fn ask(
        &mut self,
        case: &Case,
        counted: Option<&[TransitionId]>,
    ) -> std::result::Result<Growth, Stopped> {
        let options = &self.options.questions;
        let counted = counted.map(|counted| {
            let mut marks = IdMap::filled(false, self.system.transitions.len());
            counted.iter().for_each(|&id| marks[id] = true);
            marks
        });
        let cone = Cone::new(self.system, &Demand { case, counted }, options)?;
        if self.cases == 1 {
            self.listed_cycles = cone.listed_cycles();
        }
        growth(&cone, &mut Pool::default(), options)
    }

    /// A process stays at the states of a part, or away from them, or leaves them again and again.
    fn split(&mut self, case: &Case, part: &Part) -> std::result::Result<Result, Stopped> {
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
        let mut proofs = Vec::new();
        for case in [stays, avoids, crosses] {
            match self.case(&case)? {
                Result::Proof(proof) => proofs.push(Box::new(proof)),
                other => return Ok(other),
            }
        }
        let [stays, avoids, crosses] = <[Box<Proof>; 3]>::try_from(proofs).expect("one proof per case");
        let state_name = |state: &StateId| self.system.state_name(*state);
        Ok(Result::Proof(Proof::Cut(Cut {
            class: self.system.classes[part.class].name.clone(),
            states: part.states.iter().map(state_name).collect(),
            stays,
            avoids,
            crosses,
        })))
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
