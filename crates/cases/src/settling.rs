//! Where a process is in the long run: which of its cycles in a counterexample hang together.
//!
//! A process that exists once and runs two cycles for ever goes from one to the other for ever, so
//! what it does in the long run is strongly connected. Cycles that share a state are; so parts of a
//! counterexample inside one process are strongly connected as soon as they are connected. Where
//! they are not, the question is whether the process can go from one to another for ever: if so,
//! that is a part of the counterexample, and if not, it settles in one of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use certificate::{Proof, Ranking, SettledPart, Settling};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination, Gain, Stopped};

use crate::prover::{Case, CaseResult, Prover, sum};

/// Parts of a class that are left finitely often, and the potential that says so.
pub(crate) struct Settled {
    class: ClassId,
    parts: Vec<BTreeSet<StateId>>,
    ranking: Ranking,
}

impl Settled {
    /// How many parts there are.
    pub(crate) const fn parts(&self) -> usize {
        self.parts.len()
    }
}

impl Prover<'_> {
    /// A class with cycles that do not hang together and cannot, in a counterexample: one of those
    /// in which they fall into fewest groups, as that takes fewest cases, and there the one with
    /// most cycles. As long as they can, what connects them is added to it.
    pub(crate) fn settled(
        &mut self,
        case: &Case,
        combination: &mut Combination,
    ) -> Result<Option<Settled>, Stopped> {
        let mut classes = self.lonely();
        let mut steps = steps_by_class(self.system, combination);
        classes.sort_by_cached_key(|class| {
            let own = steps.get(class).map_or(0, Vec::len);
            (groups(self.system, &steps, *class).len(), Reverse(own))
        });
        let mut ways = None;
        for class in classes {
            loop {
                let groups = groups(self.system, &steps, class);
                if groups.len() < 2 {
                    break;
                }
                let parts = ways.get_or_insert_with(|| Ways::new(self.system, case)).parts(&groups);
                if let Some(settled) = self.left_finitely_often(case, class, parts, combination)? {
                    return Ok(Some(settled));
                }
                steps = steps_by_class(self.system, combination);
            }
        }
        while let Some((class, states)) = self.out_of_place(case, combination)? {
            if let Some(settled) = self.left_finitely_often(case, class, vec![states], combination)? {
                return Ok(Some(settled));
            }
        }
        Ok(None)
    }

    /// The classes that have one instance at most.
    pub(crate) fn lonely(&self) -> Vec<ClassId> {
        self.single.single.iter().filter(|(_, single)| **single).map(|(id, _)| id).collect()
    }

    /// Some parts of a class, if all of them are left finitely often; else what leaves them for
    /// ever is added to a counterexample.
    fn left_finitely_often(
        &mut self,
        case: &Case,
        class: ClassId,
        parts: Vec<BTreeSet<StateId>>,
        combination: &mut Combination,
    ) -> Result<Option<Settled>, Stopped> {
        let leaving = self.leaving_parts(case, class, &parts);
        if leaving.is_empty() {
            return Ok(Some(Settled { class, parts, ranking: Ranking::new(self.system, [], []) }));
        }
        match self.ask(case, Some(&leaving))? {
            Gain::Never(potential) => Ok(Some(Settled { class, parts, ranking: self.ranking(potential) })),
            Gain::Possible(other) => {
                let known = std::mem::replace(combination, sum(Vec::new()));
                *combination = sum(vec![other, known]);
                Ok(None)
            }
        }
    }

    /// What may fire and leaves one of the parts.
    fn leaving_parts(&self, case: &Case, class: ClassId, parts: &[BTreeSet<StateId>]) -> Vec<TransitionId> {
        let fires = self.system.transitions.iter().filter(|(id, _)| case.fires[*id]);
        let own = fires.filter(|(id, _)| self.system.class_of(*id) == class);
        let leaves =
            |part: &BTreeSet<StateId>, source, target| part.contains(&source) && !part.contains(&target);
        let leaving = own.filter(|(_, transition)| {
            parts.iter().any(|part| leaves(part, transition.source, transition.target))
        });
        leaving.map(|(id, _)| id).collect()
    }

    /// The process stays in one of the parts, or in none.
    pub(crate) fn settle(&mut self, case: &Case, settled: Settled) -> Result<CaseResult, Stopped> {
        let Settled { class, parts, ranking } = settled;
        let part_of = |state: StateId| parts.iter().position(|part| part.contains(&state));
        let mut ends = IdMap::filled((None, None), self.system.transitions.len());
        for (id, transition) in self.system.transitions.iter() {
            ends[id] = (part_of(transition.source), part_of(transition.target));
        }
        let system = self.system;
        let within = |part: Option<usize>| {
            let mut case = case.inside();
            for id in system.transitions.ids().filter(|id| system.class_of(*id) == class) {
                case.fires[id] &= ends[id] == (part, part);
            }
            case
        };
        let mut proved = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let mut case = within(Some(number));
            case.inhabited.push(part.clone());
            let inside = case.fires.iter().filter(|(id, fires)| **fires && system.class_of(*id) == class);
            case.moving.push(inside.map(|(id, _)| id).collect());
            match self.case(&case)? {
                CaseResult::Proof(proof) => proved.push(SettledPart {
                    states: part.iter().map(|state| self.system.state_name(*state)).collect(),
                    stays: Box::new(proof),
                }),
                other => return Ok(other),
            }
        }
        Ok(match self.case(&within(None))? {
            CaseResult::Proof(proof) => CaseResult::Proof(Proof::Settling(Settling {
                silent: Vec::new(),
                class: self.system.classes[class].name.clone(),
                messages: ranking.messages,
                data: ranking.data,
                states: ranking.states,
                parts: proved,
                elsewhere: Box::new(proof),
            })),
            other => other,
        })
    }
}

/// The steps of each part of a combination, by the class that takes them.
pub(crate) fn steps_by_class<'c>(
    system: &System,
    combination: &'c Combination,
) -> BTreeMap<ClassId, Vec<&'c [TransitionId]>> {
    let mut all: BTreeMap<ClassId, Vec<&[TransitionId]>> = BTreeMap::new();
    for (Behaviour::Cycle(steps) | Behaviour::Path(_, steps), _) in &combination.parts {
        if let Some(first) = steps.first() {
            all.entry(system.class_of(*first)).or_default().push(steps);
        }
    }
    all
}

/// The states of the cycles of a class, those of cycles that hang together in one set.
pub(crate) fn groups(
    system: &System,
    steps: &BTreeMap<ClassId, Vec<&[TransitionId]>>,
    class: ClassId,
) -> Vec<BTreeSet<StateId>> {
    let mut groups: Vec<BTreeSet<StateId>> = Vec::new();
    for steps in steps.get(&class).into_iter().flatten() {
        let mut states: BTreeSet<StateId> =
            steps.iter().map(|&step| system.transitions[step].source).collect();
        groups.retain(|group| {
            let apart = group.is_disjoint(&states);
            if !apart {
                states.extend(group);
            }
            apart
        });
        groups.push(states);
    }
    groups
}

/// The ways of classes in a case, from one state to the next.
pub(crate) struct Ways {
    next: BTreeMap<StateId, Vec<StateId>>,
    back: BTreeMap<StateId, Vec<StateId>>,
}

impl Ways {
    /// Time linear in the transitions.
    pub(crate) fn new(system: &System, case: &Case) -> Self {
        let mut ways = Self { next: BTreeMap::new(), back: BTreeMap::new() };
        for (_, transition) in system.transitions.iter().filter(|(id, _)| case.fires[*id]) {
            ways.next.entry(transition.source).or_default().push(transition.target);
            ways.back.entry(transition.target).or_default().push(transition.source);
        }
        ways
    }

    /// A part for each group: the group, and the states between states of it, as far as these are
    /// in no other one. So what leaves a part goes to another one or does not come back but through
    /// one.
    fn parts(&self, groups: &[BTreeSet<StateId>]) -> Vec<BTreeSet<StateId>> {
        let mut parts: Vec<BTreeSet<StateId>> = groups.to_vec();
        for number in 0..parts.len() {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != number);
            let others: BTreeSet<StateId> = others.flat_map(|(_, part)| part.clone()).collect();
            parts[number] = self.there_and_back(&groups[number], &others);
        }
        parts
    }

    /// The states between some, not by way of others.
    pub(crate) fn there_and_back(
        &self,
        from: &BTreeSet<StateId>,
        others: &BTreeSet<StateId>,
    ) -> BTreeSet<StateId> {
        let forwards = reachable(from, &self.next, others);
        let backwards = reachable(from, &self.back, others);
        forwards.intersection(&backwards).copied().collect()
    }
}

/// The states that some lead to, these included, not by way of others.
fn reachable(
    from: &BTreeSet<StateId>,
    ways: &BTreeMap<StateId, Vec<StateId>>,
    others: &BTreeSet<StateId>,
) -> BTreeSet<StateId> {
    let mut seen = from.clone();
    let mut stack: Vec<StateId> = from.iter().copied().collect();
    while let Some(source) = stack.pop() {
        for &target in ways.get(&source).into_iter().flatten() {
            if !others.contains(&target) && seen.insert(target) {
                stack.push(target);
            }
        }
    }
    seen
}
