//! Why a counterexample is spurious, in the words of the user's text.

use boundedness::{Behaviour, Combination};
use cfsm_core::system::{DataId, System, TransitionId};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// What a round of some loops takes from a data place of another abstraction of the same program, if it surely takes
/// something: a sentence without a full stop.
///
/// A step of the loops is found again by its statement; of several transitions of one statement, the one that takes least
/// counts.
pub(crate) fn used_up(system: &System, loops: &Combination, counted: &System) -> Option<String> {
    let round = |place: DataId| -> BigInt {
        let of_part = |(behaviour, times): &(Behaviour, BigInt)| {
            let (Behaviour::Cycle(steps) | Behaviour::Path(_, steps)) = behaviour;
            let sum: i64 = steps.iter().map(|&step| most(system, step, counted, place)).sum();
            times * BigInt::from(sum)
        };
        loops.parts.iter().map(of_part).sum()
    };
    let changes = counted.data.iter().map(|(id, place)| (place, round(id)));
    let (place, change) = changes.min_by(|one, other| one.1.cmp(&other.1))?;
    if change.is_zero() || change.is_positive() {
        return None;
    }
    let taken = -change;
    Some(format!("each round of these loops leaves {taken} less of `{}`", place.name))
}

/// By how much a data place grows at most with the statement of a step.
fn most(system: &System, step: TransitionId, counted: &System, place: DataId) -> i64 {
    let class = &system.classes[system.class_of(step)].name;
    let origin = &system.transitions[step].origin;
    let same = counted.transitions.iter().filter(|(id, transition)| {
        origin.is_some()
            && transition.origin == *origin
            && counted.classes[counted.class_of(*id)].name == *class
    });
    let change = |transition: &cfsm_core::system::Transition| {
        let mut changes = transition.data.iter().filter(|change| change.place == place);
        changes.next().map_or(0, |change| change.change)
    };
    same.map(|(_, transition)| change(transition)).max().unwrap_or(0)
}
