//! The search for a proof.
//!
//! A case is about runs that fire certain transitions from some time on, and no others, and some of
//! certain sets of transitions again and again. All such demands are closed under addition of
//! solutions, so each is put as a question of its own: if one has no solution, its potential is the
//! proof; otherwise the sum of all solutions is a counterexample that meets all demands.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use certificate::{Fairness, JointStates, MOST_NESTED, Proof, Ranking, SingleClass};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{DataId, MessageId, StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination, Cone, Gain, Pool, Potential, Property, Row, Stopped, gain};
use num_bigint::BigInt;

use crate::joint::CoReachability;
use crate::recurring::{Recurring, recurring};
use crate::relations::Relations;
use crate::single::SingleClasses;

/// The result of the search for a proof by cases.
#[derive(Clone, Debug)]
pub enum Found {
    /// There is no such run.
    Proof(Evidence),
    /// There may be one.
    Counterexample(Combination),
    /// The limit on cases was hit; with what would have to be split.
    TooManyCases(Combination),
}

/// A proof with the facts about all runs that it rests on, as they stand in a claim.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The classes of which one instance at most is created.
    pub single: Vec<SingleClass>,
    /// The combinations of places that a few classes may be at together.
    pub joint: Vec<JointStates>,
    /// The proof.
    pub proof: Proof,
}

/// The result of one case.
pub(crate) enum CaseResult {
    /// There is no such run.
    Proof(Proof),
    /// There may be one.
    Counterexample(Combination),
    /// The limit on cases was hit; with what would have to be split.
    TooManyCases(Combination),
}

/// The runs that a case is about.
#[derive(Clone, Default)]
pub(crate) struct Case {
    /// Per transition, whether it may fire again and again.
    pub fires: IdMap<TransitionId, bool>,
    /// Per delivery, those transitions of which some fire again and again, if the case says so.
    pub crossed: Vec<Option<Vec<TransitionId>>>,
    /// Per part of a settling, the transitions inside of it, of which some fire again and again.
    pub moving: Vec<Vec<TransitionId>>,
    /// Sets of states with an instance all the time.
    pub inhabited: Vec<BTreeSet<StateId>>,
    /// How many of these it has been made use of to say where others cannot be.
    pub told: usize,
    /// How many proofs that of the case will be inside of.
    pub depth: usize,
    /// What could go on for ever in the case that this one is inside of: some of it still may.
    pub known: Vec<Rc<Combination>>,
}

/// What has to go on for ever in a case.
#[derive(Clone, Copy)]
enum Wanted<'c> {
    /// Something is gained that the goal forbids.
    Goal,
    /// Some of these fire: what receives, in the case of a delivery; the number of that in the
    /// case.
    Crossed(usize, &'c [TransitionId]),
    /// Some of these fire: the steps inside of a part.
    Moving(usize, &'c [TransitionId]),
}

impl Case {
    /// One of the cases of a proof.
    pub(crate) fn inside(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}

impl Case {
    /// All that has to go on: what has been told last first, as that is most likely not to.
    fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let moving = self.moving.iter().enumerate().map(|(at, steps)| Wanted::Moving(at + 1, steps));
        let crossed = self.crossed.iter().enumerate();
        let crossed = crossed.filter_map(|(at, steps)| Some(Wanted::Crossed(at + 1, steps.as_deref()?)));
        moving.rev().chain(crossed.rev()).chain([Wanted::Goal])
    }

    /// Whether all of a combination may go on.
    fn allows(&self, combination: &Combination) -> bool {
        combination_steps(combination).all(|step| self.fires[step])
    }
}

impl<'c> Wanted<'c> {
    /// The transitions of which some have to fire; `None`: see the goal.
    const fn counted(self) -> Option<&'c [TransitionId]> {
        match self {
            Self::Goal => None,
            Self::Crossed(_, steps) | Self::Moving(_, steps) => Some(steps),
        }
    }

    /// A ranking that says what it is that does not go on.
    fn named(self, ranking: Ranking) -> Ranking {
        match self {
            Self::Goal => ranking,
            Self::Crossed(number, _) => Ranking { falls_at_cut: Some(number), ..ranking },
            Self::Moving(number, _) => Ranking { falls_in_part: Some(number), ..ranking },
        }
    }
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
    pub(crate) options: &'a Options,
    pub(crate) single: SingleClasses,
    pub(crate) co_reachability: CoReachability,
    pub(crate) relations: Relations,
    cases: usize,
    listed_cycles: Option<usize>,
}

impl<'a> Prover<'a> {
    /// For a system and what is not to be gained in it.
    #[must_use]
    pub fn new(system: &'a System, goal: &'a dyn Property, options: &'a Options) -> Self {
        let single = SingleClasses::new(system);
        let co_reachability = CoReachability::new(system, &single.single);
        let relations = Relations::default();
        Self { system, goal, options, single, co_reachability, relations, cases: 0, listed_cycles: None }
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
    /// One question, and some more for each answer in which the cycles of a process do not hang
    /// together, or in which a queue that [keeps order](System::keeps_order) is read and some of
    /// what is sent to it is not.
    ///
    /// # Errors
    /// [`Stopped`] if a limit of the questions is hit.
    pub fn prove(&mut self) -> Result<Found, Stopped> {
        let fires = self.system.transitions.ids().map(|id| !self.goal.excludes(self.system, id)).collect();
        Ok(match self.case(&Case { fires, ..Case::default() })? {
            CaseResult::Proof(proof) => Found::Proof(self.evidence(proof)),
            CaseResult::Counterexample(combination) => Found::Counterexample(combination),
            CaseResult::TooManyCases(combination) => Found::TooManyCases(combination),
        })
    }

    /// What a case comes to, without the transitions that wait for partners in vain.
    pub(crate) fn case(&mut self, case: &Case) -> Result<CaseResult, Stopped> {
        let Recurring { fires, silent } = recurring(self.system, case.fires.clone());
        Ok(match self.recurring_case(&Case { fires, ..case.clone() })? {
            CaseResult::Proof(proof) => {
                let names = silent.into_iter().map(|message| self.system.message_name(message));
                CaseResult::Proof(proof.with_silent(names.collect()))
            }
            other => other,
        })
    }

    fn recurring_case(&mut self, case: &Case) -> Result<CaseResult, Stopped> {
        if let Some(result) = self.limited(case)? {
            return Ok(result);
        }
        self.cases += 1;
        let mut solutions: Vec<Rc<Combination>> = Vec::new();
        for wanted in case.wanted() {
            if solutions.iter().any(|known| self.intersects(wanted, known)) {
                continue;
            }
            let known = case.known.iter().find(|known| case.allows(known) && self.intersects(wanted, known));
            if let Some(known) = known {
                solutions.push(Rc::clone(known));
                continue;
            }
            match self.ask(case, wanted.counted())? {
                Gain::Possible(combination) => solutions.push(Rc::new(combination)),
                Gain::Never(potential) => {
                    let ranking = wanted.named(self.ranking(potential));
                    return Ok(CaseResult::Proof(Proof::Ranking(ranking)));
                }
            }
        }
        let case = &Case { known: solutions.clone(), ..case.clone() };
        if self.options.fairness == Fairness::Weak
            && case.depth < MOST_NESTED
            && let Some(result) = self.departure(case)?
        {
            return Ok(result);
        }
        self.told_apart(case, sum(solutions.iter().map(|known| known.as_ref().clone()).collect()))
    }

    /// What a case comes to in which all demands are met by a combination. What queues deliver is
    /// looked at first: that takes fewer cases.
    fn told_apart(&mut self, case: &Case, mut combination: Combination) -> Result<CaseResult, Stopped> {
        loop {
            if let Some(backlog) = self.backlog(&combination) {
                let fits = self.fits(case, 3);
                return if fits {
                    self.deliver(case, &backlog)
                } else {
                    Ok(CaseResult::TooManyCases(combination))
                };
            }
            let before = combination.parts.len();
            if let Some(settled) = self.settled(case, &mut combination)? {
                let fits = self.fits(case, settled.parts() + 1);
                return if fits {
                    self.settle(case, settled)
                } else {
                    Ok(CaseResult::TooManyCases(combination))
                };
            }
            // Solutions may have been added, and these may have a backlog.
            if combination.parts.len() == before {
                return Ok(CaseResult::Counterexample(combination));
            }
        }
    }

    /// Whether a combination does what has to go on.
    fn intersects(&self, wanted: Wanted<'_>, combination: &Combination) -> bool {
        let mut steps = combination_steps(combination);
        match wanted.counted() {
            Some(counted) => steps.any(|step| counted.contains(&step)),
            None => {
                let grows = |message| self.goal.is_target(self.system, message);
                steps.any(|step| self.goal.gain(self.system, step) > 0)
                    || combination.messages().any(|(message, _)| grows(message))
            }
        }
    }

    /// Whether so many more cases may be looked at inside of one.
    const fn fits(&self, case: &Case, more: usize) -> bool {
        self.cases + more <= self.options.cases && case.depth < MOST_NESTED
    }

    /// A potential as it stands in a certificate.
    pub(crate) fn ranking(&self, potential: Potential) -> Ranking {
        Ranking::new(self.system, potential.messages, potential.states).with_data(self.system, potential.data)
    }

    /// What can go on for ever in a case, so that something of what is counted fires; `None`: so
    /// that something is gained that the goal forbids.
    pub(crate) fn ask(&mut self, case: &Case, counted: Option<&[TransitionId]>) -> Result<Gain, Stopped> {
        // Cases have little in them that looks the same.
        let as_they_are = self.options.questions.as_they_are || self.cases > 1;
        let options = &ilp_encode::Options { as_they_are, ..self.options.questions.clone() };
        let counted = counted.map(|counted| {
            let mut marks = IdMap::filled(false, self.system.transitions.len());
            counted.iter().for_each(|&id| marks[id] = true);
            marks
        });
        let cone = Cone::new(self.system, &Demand { case, goal: self.goal, counted }, options)?;
        if self.cases == 1 {
            self.listed_cycles = cone.columns().map(<[_]>::len);
        }
        gain(&cone, &mut Pool::default(), options)
    }
}

impl Prover<'_> {
    /// Proofs of three cases, or what the first without one came to.
    pub(crate) fn all(&mut self, cases: [Case; 3]) -> Result<Result<[Box<Proof>; 3], CaseResult>, Stopped> {
        let mut proofs = Vec::new();
        for case in cases {
            match self.case(&case)? {
                CaseResult::Proof(proof) => proofs.push(Box::new(proof)),
                other => return Ok(Err(other)),
            }
        }
        Ok(Ok(<[Box<Proof>; 3]>::try_from(proofs).expect("one proof per case")))
    }
}

/// All solutions one after the other. What they count is left out of the gains.
pub(crate) fn sum(solutions: Vec<Combination>) -> Combination {
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
