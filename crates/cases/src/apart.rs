//! Where a process cannot be, given where others are in the long run: all of them meet a hub by rendezvous.

use std::collections::BTreeSet;

use certify::{Apart, Limit, MOST_NESTED, Proof, Whereabouts};
use cfsm_core::system::{ClassId, StateId};
use ilp_encode::{Combination, Stopped};

use crate::prover::{Case, Found, Prover};
use crate::settling::groups;

impl Prover<'_> {
    /// What a case comes to without what processes would do where they cannot be; `None` if that is no other case.
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
        let mut limited = Case { told: case.inhabited.len(), ..case.inside() };
        let mut limits = Vec::new();
        for &hub in &lonely {
            let Some(places) = self.places(hub, case) else { continue };
            for &class in &lonely {
                let Some(met) = self.met(hub, class, &places) else { continue };
                let mut less = false;
                for (id, transition) in system.transitions.iter() {
                    if system.class_of(id) == class && limited.fires[id] && !met.contains(&transition.source)
                    {
                        limited.fires[id] = false;
                        less = true;
                    }
                }
                if less {
                    let [hub, class] = [hub, class].map(|class| system.classes[class].name.clone());
                    limits.push(Limit { hub, class });
                }
            }
        }
        (limited, limits)
    }

    /// A class whose cycles in a counterexample hang together, and their states, if another one cannot be where its cycles are as long as this
    /// one stays there.
    pub(crate) fn out_of_place(
        &self,
        case: &Case,
        combination: &Combination,
    ) -> Option<(ClassId, BTreeSet<StateId>)> {
        let groups = |class| groups(self.system, combination, class);
        let moving: Vec<(ClassId, BTreeSet<StateId>)> = self
            .lonely()
            .into_iter()
            .filter_map(|class| <[_; 1]>::try_from(groups(class)).ok().map(|[states]| (class, states)))
            .collect();
        for (settling, states) in &moving {
            let inhabited = case.inhabited.iter().chain([states]).cloned().collect();
            let stays = Case { inhabited, ..case.clone() };
            for hub in self.lonely() {
                let Some(places) = self.places(hub, &stays) else { continue };
                for (class, there) in moving.iter().filter(|(class, _)| class != settling) {
                    if self.met(hub, *class, &places).is_some_and(|met| !there.is_subset(&met)) {
                        return Some((*settling, states.clone()));
                    }
                }
            }
        }
        None
    }

    /// Where a hub may be in a case; `None` if that is not said.
    fn places(&self, hub: ClassId, case: &Case) -> Option<BTreeSet<Whereabouts>> {
        let mut places: Option<BTreeSet<Whereabouts>> = None;
        for inhabited in &case.inhabited {
            let class = self.system.states[*inhabited.first()?].class;
            let beside = if class == hub {
                inhabited.iter().copied().map(Some).collect()
            } else {
                let Some(together) = self.company.of(self.system, [hub, class]) else { continue };
                together.beside(&|state| inhabited.contains(&state))
            };
            places = Some(match places {
                Some(places) => places.intersection(&beside).copied().collect(),
                None => beside,
            });
        }
        places
    }

    /// Where a process may be while a hub is at some places; `None` if that is not said.
    fn met(&self, hub: ClassId, class: ClassId, places: &BTreeSet<Whereabouts>) -> Option<BTreeSet<StateId>> {
        if hub == class {
            return Some(places.iter().filter_map(|place| *place).collect());
        }
        Some(self.company.of(self.system, [hub, class])?.met(places))
    }
}
