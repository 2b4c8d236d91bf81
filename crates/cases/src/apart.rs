//! Where a process cannot be, given where others are in the long run: all of them meet a hub by
//! rendezvous.

use std::collections::BTreeSet;

use certify::{Apart, Limit, MOST_NESTED, Places, Proof, Stays};
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, StateId};
use ilp_encode::{Combination, Stopped};

use crate::prover::{Case, Found, Prover};
use crate::settling::{Ways, groups};

/// Where a process goes round in a counterexample.
#[derive(Clone)]
struct Round {
    class: ClassId,
    states: BTreeSet<StateId>,
    places: Places,
}

impl Prover<'_> {
    /// What a case comes to without what processes would do where they cannot be; `None` if that is
    /// no other case.
    pub(crate) fn limited(&mut self, case: &Case) -> Result<Option<Found>, Stopped> {
        if case.told == case.inhabited.len() || case.depth >= MOST_NESTED {
            return Ok(None);
        }
        let (limited, limits) = self.limits(case);
        if limits.is_empty() {
            return Ok(None);
        }
        Ok(Some(match self.case(&limited)? {
            Found::Proof(rest) => Found::Proof(Proof::Apart(Apart { limits, rest: Box::new(rest) })),
            other => other,
        }))
    }

    /// A case without what processes would do where they cannot be, and which these are.
    fn limits(&self, case: &Case) -> (Case, Vec<Limit>) {
        let system = self.system;
        let lonely = self.lonely();
        let stays = self.company.stays(system, &case.inhabited);
        let mut limited = Case { told: case.inhabited.len(), ..case.inside() };
        let mut limits = Vec::new();
        let mut sources = vec![BTreeSet::new(); system.classes.len()];
        for (id, transition) in system.transitions.iter().filter(|(id, _)| case.fires[*id]) {
            sources[system.class_of(id).index()].insert(transition.source);
        }
        let mut away = BTreeSet::new();
        for &hub in &lonely {
            let Some(places) = self.kept(hub, &stays) else { continue };
            for &class in lonely.iter().filter(|class| !sources[class.index()].is_empty()) {
                let Some(met) = self.company.met(system, (hub, &places), class, &stays) else { continue };
                let is_away = |state: &&StateId| !self.company.atlas().has(&met, Some(**state));
                let before = away.len();
                away.extend(sources[class.index()].iter().filter(is_away).copied());
                if away.len() > before {
                    let [hub, class] = [hub, class].map(|class| system.classes[class].name.clone());
                    limits.push(Limit { hub, class });
                }
            }
        }
        for (id, transition) in system.transitions.iter() {
            limited.fires[id] &= !away.contains(&transition.source);
        }
        (limited, limits)
    }

    /// A class that goes round in a counterexample, and where, so that another one cannot go round
    /// where it does as long as this one and others stay there: wherever each can get from there
    /// and back, or else where the counterexample has them.
    pub(crate) fn out_of_place(
        &self,
        case: &Case,
        combination: &Combination,
    ) -> Option<(ClassId, BTreeSet<StateId>)> {
        let connected = |class: ClassId| <[_; 1]>::try_from(groups(self.system, combination, class)).ok();
        let rounds: Vec<Round> = self
            .lonely()
            .into_iter()
            .filter_map(|class| connected(class).map(|[states]| self.round(class, states)))
            .collect();
        let wider = rounds.iter().map(|round| {
            let ways = Ways::of(self.system, case, round.class);
            self.round(round.class, ways.there_and_back(&round.states, &BTreeSet::new()))
        });
        let stays = self.company.stays(self.system, &case.inhabited);
        self.contradicted(&stays, &wider.collect::<Vec<_>>()).or_else(|| self.contradicted(&stays, &rounds))
    }

    /// Where a hub may be while others are where they stay, if that is not everywhere.
    fn kept(&self, hub: ClassId, stays: &Stays) -> Option<Places> {
        let places = self.company.hub(self.system, hub, stays)?;
        (places != self.company.atlas().anywhere(hub)).then_some(places)
    }

    fn round(&self, class: ClassId, states: BTreeSet<StateId>) -> Round {
        let places = self.company.atlas().places(class, states.iter().copied().map(Some));
        Round { class, states, places }
    }

    /// One of few classes that have to go round where they do, so that another one cannot.
    fn contradicted(&self, stays: &Stays, rounds: &[Round]) -> Option<(ClassId, BTreeSet<StateId>)> {
        let mut chosen: Vec<&Round> = rounds.iter().collect();
        let (hub, class) = self.contradiction(stays, &chosen)?;
        let contradicts = |chosen: &[&Round]| {
            let all = with(stays, chosen);
            let there = &rounds.iter().find(|round| round.class == class)?.places;
            let places = self.company.hub(self.system, hub, &all)?;
            let met = self.company.met(self.system, (hub, &places), class, &all)?;
            (!there.is_within(&met)).then_some(())
        };
        for round in rounds {
            let fewer: Vec<&Round> =
                chosen.iter().filter(|other| other.class != round.class).copied().collect();
            if contradicts(&fewer).is_some() {
                chosen = fewer;
            }
        }
        let is_new =
            |round: &&&Round| stays.get(&round.class).is_none_or(|known| !known.is_within(&round.places));
        chosen.iter().find(is_new).map(|round| (round.class, round.states.clone()))
    }

    /// A hub, and a class that goes round where it cannot be while the others do where they do.
    fn contradiction(&self, stays: &Stays, rounds: &[&Round]) -> Option<(ClassId, ClassId)> {
        let all = with(stays, rounds);
        self.lonely().into_iter().find_map(|hub| {
            let places = self.kept(hub, &all)?;
            let is_away = |round: &&&Round| {
                let met = self.company.met(self.system, (hub, &places), round.class, &all);
                met.is_some_and(|met| !round.places.is_within(&met))
            };
            rounds.iter().find(is_away).map(|round| (hub, round.class))
        })
    }
}

/// Where processes stay, if some go round for ever.
fn with(stays: &Stays, rounds: &[&Round]) -> Stays {
    let mut all = stays.clone();
    for round in rounds {
        match all.get_mut(&round.class) {
            Some(known) => known.meet(&round.places),
            None => {
                all.insert(round.class, round.places.clone());
            }
        }
    }
    all
}
