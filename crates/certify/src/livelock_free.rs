//! The conditions of the [theorem on livelocks](crate#freedom-from-livelocks).

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, Transition, TransitionId};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::check::Names;
use crate::format::{Cut, LivelockFreeClaim, Proof, Ranking};
use crate::potential::Potential;
use crate::rejection::Broken;

/// How deep a proof may be; a reader that recurses has to stop somewhere.
const MOST_CUTS: usize = 32;

pub fn check(system: &System, names: &Names, claim: &LivelockFreeClaim) -> Result<(), Broken> {
    let fires = system.transitions.values().map(|transition| !transition.progress).collect();
    Case { system, names, fires, crossed: Vec::new() }.check(&claim.proof)
}

/// What is known of the runs that a part of the proof is about.
#[derive(Clone)]
struct Case<'a> {
    system: &'a System,
    names: &'a Names,
    /// Per transition, whether it may fire again and again; what may not does so finitely often.
    fires: IdMap<TransitionId, bool>,
    /// Per cut around this part, those transitions of which some fire again and again, if the case says so.
    crossed: Vec<Option<Vec<TransitionId>>>,
}

impl Case<'_> {
    fn check(&self, proof: &Proof) -> Result<(), Broken> {
        match proof {
            Proof::Ranking(ranking) => self.ranking(ranking),
            Proof::Cut(cut) => self.cut(cut),
        }
    }

    /// No transition that may fire again and again raises the potential, and enough of them lower it.
    fn ranking(&self, ranking: &Ranking) -> Result<(), Broken> {
        let mut falls = self.fires.clone();
        if let Some(number) = ranking.falls_at_cut {
            let crossed = number.checked_sub(1).and_then(|at| self.crossed.get(at)?.as_ref());
            let crossed = crossed.ok_or(Broken::NotCrossed(number))?;
            falls = IdMap::filled(false, self.fires.len());
            crossed.iter().for_each(|&id| falls[id] = true);
        }
        let potential =
            Potential::of(self.system, self.names, &ranking.messages, &ranking.data, &ranking.states)?;
        potential.messages_are_heavy_enough(self.system, |_| &BigInt::ZERO)?;
        potential.data_are_not_negative(self.system)?;
        potential.states_are_not_negative(self.system)?;
        for (id, transition) in self.system.transitions.iter().filter(|(id, _)| self.fires[*id]) {
            let change = potential.change(self.system, transition);
            if change.is_positive() {
                return Err(Broken::Rises(potential.rise(self.system, id)));
            }
            if falls[id] && !change.is_negative() {
                return Err(Broken::Stays(potential.rise(self.system, id)));
            }
        }
        Ok(())
    }

    fn cut(&self, cut: &Cut) -> Result<(), Broken> {
        if self.crossed.len() >= MOST_CUTS {
            return Err(Broken::TooManyCuts(MOST_CUTS));
        }
        let class = self.single(&cut.class)?;
        let inside = self.states(class, &cut.states)?;
        let of_class = |transition: &Transition| self.system.states[transition.source].class == class;
        let ends = |transition: &Transition| (inside[transition.source], inside[transition.target]);
        let limited = |both: bool| {
            let may = |(id, &fires): (TransitionId, &bool)| {
                let transition = &self.system.transitions[id];
                fires && (!of_class(transition) || ends(transition) == (both, both))
            };
            self.fires.iter().map(may).collect()
        };
        let leaving = self.fires.iter().filter(|(id, fires)| {
            **fires && {
                let transition = &self.system.transitions[*id];
                of_class(transition) && ends(transition) == (true, false)
            }
        });
        let leaving = leaving.map(|(id, _)| id).collect();
        self.with(limited(true), None).check(&cut.stays)?;
        self.with(limited(false), None).check(&cut.avoids)?;
        self.with(self.fires.clone(), Some(leaving)).check(&cut.crosses)
    }

    fn with(&self, fires: IdMap<TransitionId, bool>, crossed: Option<Vec<TransitionId>>) -> Self {
        let mut case = Self { fires, ..self.clone() };
        case.crossed.push(crossed);
        case
    }

    /// A class that has one instance at most, in every run.
    fn single(&self, name: &str) -> Result<ClassId, Broken> {
        let found = self.system.classes.iter().find(|(_, class)| class.name == name);
        let (id, class) = found.ok_or_else(|| Broken::UnknownClass(name.into()))?;
        let mut created = self.system.transitions.values().flat_map(|transition| &transition.creates);
        if class.instances > 1 || created.any(|created| *created == id) {
            return Err(Broken::SeveralInstances(name.into()));
        }
        Ok(id)
    }

    /// The states of a cut, all of one class.
    fn states(&self, class: ClassId, names: &[String]) -> Result<IdMap<StateId, bool>, Broken> {
        let mut inside = IdMap::filled(false, self.system.states.len());
        for name in names {
            let state = *self.names.states.get(name).ok_or_else(|| Broken::UnknownState(name.clone()))?;
            if self.system.states[state].class != class {
                return Err(Broken::OtherClass(name.clone()));
            }
            inside[state] = true;
        }
        Ok(inside)
    }
}
