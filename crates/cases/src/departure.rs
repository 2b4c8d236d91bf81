//! What weak fairness adds: states where nobody is in the long run.
//!
//! An instance does not stay for ever at a state that is always ready. So where such a state is not
//! left again and again, nobody is there in the long run, and nobody comes to it either. All states
//! of which that can be shown are found at once, as potentials can be added.

use std::collections::BTreeSet;

use certificate::{Departure, Proof, Ranking};
use cfsm_core::system::{StateId, Transition, TransitionId};
use ilp_encode::{Gain, Stopped};

use crate::prover::{Case, CaseResult, Prover, combination_steps};

impl Prover<'_> {
    /// What a case comes to behind the departure from all states from which it can be shown; `None`
    /// if it is no other case then.
    pub(crate) fn departure(&mut self, case: &Case) -> Result<Option<CaseResult>, Stopped> {
        let (mut left, ranking) = self.departed(case)?;
        let touches =
            |transition: &Transition| left.contains(&transition.source) || self.enters(transition, &left);
        let mut rest = case.inside();
        let mut differs = false;
        for (id, transition) in self.system.transitions.iter().filter(|(id, _)| case.fires[*id]) {
            rest.fires[id] = !touches(transition);
            differs |= !rest.fires[id];
        }
        let contradicts = case.inhabited.iter().any(|states| states.is_subset(&left));
        let never_empty = if contradicts { BTreeSet::new() } else { self.never_empty(left.clone()) };
        let rest = if contradicts {
            None
        } else if !never_empty.is_empty() {
            left = never_empty;
            None
        } else if !differs {
            return Ok(None);
        } else {
            match self.case(&rest)? {
                CaseResult::Proof(proof) => Some(Box::new(proof)),
                other => return Ok(Some(other)),
            }
        };
        Ok(Some(CaseResult::Proof(Proof::Departure(Departure {
            silent: Vec::new(),
            left: left.iter().map(|state| self.system.state_name(*state)).collect(),
            messages: ranking.messages,
            data: ranking.data,
            states: ranking.states,
            rest,
        }))))
    }

    /// The states that are left finitely often and always ready, and a potential that shows it.
    fn departed(&mut self, case: &Case) -> Result<(BTreeSet<StateId>, Ranking), Stopped> {
        let states = self.system.states.iter().filter(|(_, state)| state.always_ready);
        let mut left: BTreeSet<StateId> = states.map(|(id, _)| id).collect();
        loop {
            let counted = self.leaving(case, &left);
            if counted.is_empty() {
                return Ok((left, Ranking::new(self.system, [], [])));
            }
            match self.ask(case, Some(&counted))? {
                Gain::Never(potential) => return Ok((left, self.ranking(potential))),
                Gain::Possible(combination) => {
                    for step in combination_steps(&combination) {
                        left.remove(&self.system.transitions[step].source);
                    }
                }
            }
        }
    }

    /// What may fire and leaves one of the states.
    fn leaving(&self, case: &Case, states: &BTreeSet<StateId>) -> Vec<TransitionId> {
        let fires = self.system.transitions.iter().filter(|(id, _)| case.fires[*id]);
        fires.filter(|(_, transition)| states.contains(&transition.source)).map(|(id, _)| id).collect()
    }

    /// Whether a transition puts an instance at one of the states.
    fn enters(&self, transition: &Transition, states: &BTreeSet<StateId>) -> bool {
        let mut created = transition.creates.iter().map(|class| self.system.classes[*class].initial);
        states.contains(&transition.target) || created.any(|initial| states.contains(&initial))
    }

    /// The largest set of these states that always has an instance in it, whatever fires; empty if
    /// there is none.
    fn never_empty(&self, mut states: BTreeSet<StateId>) -> BTreeSet<StateId> {
        loop {
            let transitions = self.system.transitions.values();
            let leaking = transitions.filter(|transition| {
                states.contains(&transition.source) && !self.enters(transition, &states)
            });
            let leaking: Vec<StateId> = leaking.map(|transition| transition.source).collect();
            if leaking.is_empty() {
                break;
            }
            leaking.iter().for_each(|state| {
                states.remove(state);
            });
        }
        let mut classes = self.system.classes.values();
        let starts = classes.any(|class| class.instances > 0 && states.contains(&class.initial));
        if starts { states } else { BTreeSet::new() }
    }
}
