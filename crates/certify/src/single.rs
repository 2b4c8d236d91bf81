//! Classes of which one instance at most is ever created.

use std::collections::BTreeSet;

use certificate::SingleClass;
use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId};

use crate::net::Net;
use crate::rejection::{Violation, ensure};

/// Per class, whether one instance at most is created in all of every run: one at the start at most
/// and nobody creates it; or by an entry of the list.
///
/// An entry is checked for closure, given the classes before it. The class has no instance at the
/// start. Every transition that creates it creates one, and all of them are of one class K that is
/// known to be single. The set `after` has the targets of these transitions, and with each state
/// those that transitions of K lead to, and none of the states in which the class is created. So
/// once the one instance of K has created it, that stays in `after` and never creates it again.
///
/// A class that creates itself, or is created by one that it creates, is never single: K has to be
/// known before.
pub fn single_classes(net: &Net<'_>, listed: &[SingleClass]) -> Result<IdMap<ClassId, bool>, Violation> {
    let classes = net.system.classes.iter();
    let never_created = classes.map(|(id, class)| class.instances <= 1 && net.creating.of(id).is_empty());
    let mut single: IdMap<ClassId, bool> = never_created.collect();
    for entry in listed {
        let class = net.class(&entry.class)?;
        created_once(net, &single, class, entry)?;
        single[class] = true;
    }
    Ok(single)
}

fn created_once(
    net: &Net<'_>,
    single: &IdMap<ClassId, bool>,
    class: ClassId,
    entry: &SingleClass,
) -> Result<(), Violation> {
    let (system, name) = (net.system, &entry.class);
    let told = |class: ClassId| &system.classes[class].name;
    ensure!(!single[class], "`{name}` is listed, but has one instance at most without that");
    ensure!(system.classes[class].instances == 0, "`{name}` is listed, but there at the start");
    let creating = net.creating.of(class);
    // Somebody creates it, or it would be single without the entry.
    let creator = system.class_of(creating[0]);
    let by = told(creator);
    ensure!(single[creator], "`{name}` is created by `{by}`, which may have several instances");
    for id in creating {
        let other = told(system.class_of(*id));
        ensure!(by == other, "`{name}` is created by both `{by}` and `{other}`");
    }
    for pair in creating.windows(2) {
        ensure!(pair[0] != pair[1], "{:?} creates several instances of `{name}`", pair[0]);
    }
    let after: BTreeSet<StateId> =
        entry.after.iter().map(|name| net.state_of(creator, name)).collect::<Result<_, _>>()?;
    for id in creating {
        let source = system.transitions[*id].source;
        let again = || system.state_name(source);
        ensure!(!after.contains(&source), "`{name}` may be created again: `{}` comes after that", again());
    }
    let leaving = after.iter().flat_map(|state| net.of_state.of(*state));
    let leaving = leaving.filter(|id| after.contains(&system.transitions[**id].source));
    for id in leaving.chain(creating) {
        let target = system.transitions[*id].target;
        let missing = || system.state_name(target);
        ensure!(after.contains(&target), "{id:?} leads to `{}`, which `after` of `{name}` lacks", missing());
    }
    Ok(())
}
