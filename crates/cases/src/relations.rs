//! The facts about all runs that a proof rests on: joint reachability of a few classes, by number,
//! and classes of which one instance at most is created.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use certificate::{Limit, Proof};
use cfsm_core::system::ClassId;

use crate::joint::JointReach;
use crate::prover::{Evidence, Prover};

/// The relations that limits name, in the order in which they were first used.
#[derive(Default)]
pub(crate) struct Relations(Vec<Rc<JointReach>>);

impl Relations {
    /// The number of a relation, counted from 1; a new one if it has not been used before.
    pub(crate) fn number(&mut self, joint: Rc<JointReach>) -> usize {
        let known = self.0.iter().position(|known| known.classes() == joint.classes());
        1 + known.unwrap_or_else(|| {
            self.0.push(joint);
            self.0.len() - 1
        })
    }
}

impl Prover<'_> {
    /// A proof with all that it rests on. Relations that it does not name are left out, so that
    /// numbers change.
    pub(crate) fn evidence(&self, mut proof: Proof) -> Evidence {
        let system = self.system;
        let mut used = BTreeSet::new();
        limits(&mut proof, &mut |limit| {
            used.insert(limit.relation);
        });
        let numbers: BTreeMap<usize, usize> = used.into_iter().zip(1..).collect();
        limits(&mut proof, &mut |limit| limit.relation = numbers[&limit.relation]);
        let joint: Vec<&JointReach> = numbers.keys().map(|number| &*self.relations.0[number - 1]).collect();
        let mut followed: BTreeSet<ClassId> =
            joint.iter().flat_map(|joint| joint.classes()).copied().collect();
        let names: BTreeMap<&str, ClassId> =
            system.classes.iter().map(|(id, class)| (class.name.as_str(), id)).collect();
        let mut open = vec![&proof];
        while let Some(part) = open.pop() {
            let class = match part {
                Proof::Cut(cut) => Some(&cut.class),
                Proof::Settling(settling) => Some(&settling.class),
                Proof::Ranking(_) | Proof::Departure(_) | Proof::Delivery(_) | Proof::Apart(_) => None,
            };
            followed.extend(class.map(|class| names[class.as_str()]));
            open.extend(part.parts());
        }
        Evidence {
            single: self.single.listed(system, followed),
            joint: joint.into_iter().map(|joint| joint.listed(system)).collect(),
            proof,
        }
    }
}

/// Shows all limits in a proof.
fn limits(proof: &mut Proof, show: &mut impl FnMut(&mut Limit)) {
    if let Proof::Apart(apart) = proof {
        apart.limits.iter_mut().for_each(&mut *show);
    }
    proof.parts_mut().into_iter().for_each(|part| limits(part, show));
}
