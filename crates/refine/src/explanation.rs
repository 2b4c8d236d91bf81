//! Why a counterexample is spurious, in the words of the user's text.

use std::collections::BTreeMap;

use boundedness::{Behaviour, Combination};
use cfsm_core::source::Origin;
use cfsm_core::system::{DataId, System, TransitionId};
use num_bigint::BigInt;
use num_traits::Signed;

/// A statement of a class, as it is found again in another abstraction.
type Statement<'a> = (&'a str, &'a Origin);

/// What the transitions of a statement do to data places.
#[derive(Default)]
struct Taken {
    transitions: usize,
    /// For each place that some of them change: how many do, and by how much it grows at most.
    changes: BTreeMap<DataId, (usize, i64)>,
}

/// What a round of some loops takes from a data place of another abstraction of the same program,
/// if it surely takes something: a sentence without a full stop.
///
/// A step of the loops is found again by its statement; of several transitions of one statement,
/// the one that takes least counts. Time linear in the loops and the system, but for logarithms.
pub(crate) fn used_up(system: &System, loops: &Combination, counted: &System) -> Option<String> {
    let mut times: BTreeMap<Statement<'_>, BigInt> = BTreeMap::new();
    for (Behaviour::Cycle(steps) | Behaviour::Path(_, steps), how_often) in &loops.parts {
        for statement in steps.iter().filter_map(|step| statement(system, *step)) {
            *times.entry(statement).or_default() += how_often;
        }
    }
    let mut taken: BTreeMap<Statement<'_>, Taken> = BTreeMap::new();
    for (id, transition) in counted.transitions.iter() {
        let Some(statement) = statement(counted, id).filter(|statement| times.contains_key(statement)) else {
            continue;
        };
        let taken = taken.entry(statement).or_default();
        taken.transitions += 1;
        for change in &transition.data {
            let (transitions, most) = taken.changes.entry(change.place).or_insert((0, change.change));
            *transitions += 1;
            *most = change.change.max(*most);
        }
    }
    let mut rounds: BTreeMap<DataId, BigInt> = BTreeMap::new();
    for (statement, Taken { transitions, changes }) in &taken {
        for (place, (changing, most)) in changes {
            let most = if changing < transitions { (*most).max(0) } else { *most };
            *rounds.entry(*place).or_default() += &times[statement] * most;
        }
    }
    let (place, change) = rounds.into_iter().min_by(|one, other| one.1.cmp(&other.1))?;
    let taken = -change;
    taken
        .is_positive()
        .then(|| format!("each round of these loops leaves {taken} less of `{}`", counted.data[place].name))
}

/// The statement of a transition, if it is known.
fn statement(system: &System, id: TransitionId) -> Option<Statement<'_>> {
    let origin = system.transitions[id].origin.as_ref()?;
    Some((system.classes[system.class_of(id)].name.as_str(), origin))
}
