//! Facts about all runs of a system that a proof rests on, checked before the proof is.

use certificate::{JointStates, SingleClass};
use cfsm_core::ids::IdMap;
use cfsm_core::system::ClassId;

use crate::joint::{Numbers, Relation};
use crate::net::Net;
use crate::rejection::{Violation, ensure, violation};
use crate::single::single_classes;

/// The facts that a claim lists, each of which has been checked.
pub struct Facts {
    /// Per class, whether one instance at most is ever created.
    pub single: IdMap<ClassId, bool>,
    pub numbers: Numbers,
    pub relations: Vec<Relation>,
}

impl Facts {
    pub fn check(net: &Net<'_>, single: &[SingleClass], joint: &[JointStates]) -> Result<Self, Violation> {
        let (single, numbers) = (single_classes(net, single)?, Numbers::new(net.system));
        let mut relations = Vec::new();
        for (number, listed) in (1..).zip(joint) {
            let found = relation(net, &numbers, &single, listed);
            relations.push(found.map_err(|violation| violation!("relation {number}: {violation}"))?);
        }
        Ok(Self { single, numbers, relations })
    }
}

/// A class of which one instance at most is ever created.
pub fn single_class(net: &Net<'_>, single: &IdMap<ClassId, bool>, name: &str) -> Result<ClassId, Violation> {
    let class = net.class(name)?;
    ensure!(single[class], "the class `{name}` may have several instances, and only one can be followed");
    Ok(class)
}

fn relation(
    net: &Net<'_>,
    numbers: &Numbers,
    single: &IdMap<ClassId, bool>,
    listed: &JointStates,
) -> Result<Relation, Violation> {
    let classes = listed.classes.iter().map(|name| single_class(net, single, name));
    let relation = Relation::new(numbers, classes.collect::<Result<_, _>>()?, listed)?;
    relation.is_closed(net, numbers)?;
    Ok(relation)
}
