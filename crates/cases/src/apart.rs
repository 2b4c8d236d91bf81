//! Where a process cannot be, given where others are in the long run: all of them meet a hub by
//! rendezvous.

use std::collections::BTreeSet;

use certificate::{Apart, Limit, MOST_NESTED, Proof};
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, StateId};
use ilp_encode::{Combination, Stopped};

use crate::joint::{Confinement, StateSet};
use crate::prover::{Case, CaseResult, Prover};
use crate::settling::{Ways, groups, steps_by_class};

/// Where a process goes round in a counterexample.
#[derive(Clone)]
struct Round {
    class: ClassId,
    states: BTreeSet<StateId>,
    set: StateSet,
}

impl Prover<'_> {
    /// What a case comes to without what processes would do where they cannot be; `None` if that is
    /// no other case.
    pub(crate) fn limited(&mut self, case: &Case) -> Result<Option<CaseResult>, Stopped> {
        if case.told == case.inhabited.len() || case.depth >= MOST_NESTED {
            return Ok(None);
        }
        let (limited, limits) = self.limits(case)?;
        if limits.is_empty() {
            return Ok(None);
        }
        Ok(Some(match self.case(&limited)? {
            CaseResult::Proof(rest) => {
                CaseResult::Proof(Proof::Apart(Apart { silent: Vec::new(), limits, rest: Box::new(rest) }))
            }
            other => other,
        }))
    }

    /// A case without what processes would do where they cannot be, and the limits that say so.
    fn limits(&mut self, case: &Case) -> Result<(Case, Vec<Limit>), Stopped> {
        let system = self.system;
        let single = self.lonely();
        let confinement = self.co_reachability.confinement(system, &case.inhabited);
        let mut limited = Case { told: case.inhabited.len(), ..case.inside() };
        let mut limits = Vec::new();
        let mut sources = vec![BTreeSet::new(); system.classes.len()];
        for (id, transition) in system.transitions.iter().filter(|(id, _)| case.fires[*id]) {
            sources[system.class_of(id).index()].insert(transition.source);
        }
        let mut away = BTreeSet::new();
        for &hub in &single {
            self.options.questions.check_time()?;
            let Some(states) = self.kept(hub, &confinement) else { continue };
            for &class in single.iter().filter(|class| !sources[class.index()].is_empty()) {
                let co_reachability = &self.co_reachability;
                let Some(beside) = co_reachability.beside_hub(system, hub, &states, class, &confinement)
                else {
                    continue;
                };
                let is_away = |state: &&StateId| !co_reachability.states().contains(&beside, Some(**state));
                let before = away.len();
                away.extend(sources[class.index()].iter().filter(is_away).copied());
                if away.len() > before {
                    // What is known of the hub rests on the confinement alone, so once is enough.
                    for confined in confinement.keys().filter(|confined| **confined != hub) {
                        let limit = self.limit([*confined, hub]);
                        let is_new = |limit: &Limit| !limits.contains(limit);
                        limits.extend(limit.filter(is_new));
                    }
                    // What is known of the class rests on all that is known of the hub by now.
                    if class != hub {
                        limits.extend(self.limit([hub, class]));
                    }
                }
            }
        }
        for (id, transition) in system.transitions.iter() {
            limited.fires[id] &= !away.contains(&transition.source);
        }
        Ok((limited, limits))
    }

    /// The limit of a class by another one, if these two have something to do with each other.
    fn limit(&mut self, [other, class]: [ClassId; 2]) -> Option<Limit> {
        let joint = self.co_reachability.joint(self.system, [other, class])?;
        let relation = self.relations.number(joint);
        Some(Limit { relation, class: self.system.classes[class].name.clone() })
    }

    /// A class that goes round in a counterexample, and where, so that another one cannot go round
    /// where it does as long as this one and others stay there: wherever each can get from there
    /// and back, or else where the counterexample has them.
    pub(crate) fn out_of_place(
        &self,
        case: &Case,
        combination: &Combination,
    ) -> Result<Option<(ClassId, BTreeSet<StateId>)>, Stopped> {
        let steps = steps_by_class(self.system, combination);
        let connected = |class: ClassId| <[_; 1]>::try_from(groups(self.system, &steps, class)).ok();
        let rounds: Vec<Round> = self
            .lonely()
            .into_iter()
            .filter_map(|class| connected(class).map(|[states]| self.round(class, states)))
            .collect();
        let ways = Ways::new(self.system, case);
        let wider = rounds
            .iter()
            .map(|round| self.round(round.class, ways.there_and_back(&round.states, &BTreeSet::new())));
        let confinement = self.co_reachability.confinement(self.system, &case.inhabited);
        match self.contradicted(&confinement, &wider.collect::<Vec<_>>())? {
            None => self.contradicted(&confinement, &rounds),
            found => Ok(found),
        }
    }

    /// Where a hub may be while others are where they stay, if that is not everywhere.
    fn kept(&self, hub: ClassId, confinement: &Confinement) -> Option<StateSet> {
        let states = self.co_reachability.hub(self.system, hub, confinement)?;
        (states != self.co_reachability.states().all(hub)).then_some(states)
    }

    fn round(&self, class: ClassId, states: BTreeSet<StateId>) -> Round {
        let set = self.co_reachability.states().set(class, states.iter().copied().map(Some));
        Round { class, states, set }
    }

    /// One of few classes that have to go round where they do, so that another one cannot.
    fn contradicted(
        &self,
        confinement: &Confinement,
        rounds: &[Round],
    ) -> Result<Option<(ClassId, BTreeSet<StateId>)>, Stopped> {
        let mut chosen: Vec<&Round> = rounds.iter().collect();
        let Some((hub, class)) = self.contradiction(confinement, &chosen)? else { return Ok(None) };
        let contradicts = |chosen: &[&Round]| {
            let all = with(confinement, chosen);
            let there = &rounds.iter().find(|round| round.class == class)?.set;
            let states = self.co_reachability.hub(self.system, hub, &all)?;
            let met = self.co_reachability.beside_hub(self.system, hub, &states, class, &all)?;
            (!there.is_subset(&met)).then_some(())
        };
        for round in rounds {
            self.options.questions.check_time()?;
            let fewer: Vec<&Round> =
                chosen.iter().filter(|other| other.class != round.class).copied().collect();
            if contradicts(&fewer).is_some() {
                chosen = fewer;
            }
        }
        let is_new =
            |round: &&&Round| confinement.get(&round.class).is_none_or(|known| !known.is_subset(&round.set));
        Ok(chosen.iter().find(is_new).map(|round| (round.class, round.states.clone())))
    }

    /// A hub, and a class that goes round where it cannot be while the others do where they do.
    fn contradiction(
        &self,
        confinement: &Confinement,
        rounds: &[&Round],
    ) -> Result<Option<(ClassId, ClassId)>, Stopped> {
        let all = with(confinement, rounds);
        for hub in self.lonely() {
            self.options.questions.check_time()?;
            let Some(states) = self.kept(hub, &all) else { continue };
            let is_away = |round: &&&Round| {
                let met = self.co_reachability.beside_hub(self.system, hub, &states, round.class, &all);
                met.is_some_and(|met| !round.set.is_subset(&met))
            };
            if let Some(round) = rounds.iter().find(is_away) {
                return Ok(Some((hub, round.class)));
            }
        }
        Ok(None)
    }
}

/// Where processes stay, if some go round for ever.
fn with(confinement: &Confinement, rounds: &[&Round]) -> Confinement {
    let mut all = confinement.clone();
    for round in rounds {
        match all.get_mut(&round.class) {
            Some(known) => known.intersect(&round.set),
            None => {
                all.insert(round.class, round.set.clone());
            }
        }
    }
    all
}
