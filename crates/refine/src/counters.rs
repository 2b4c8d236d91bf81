//! Which variables never leave a range: counters that sums could make leave their types, and do
//! not.
//!
//! An abstraction takes it for granted of all candidates at once that sums do not leave C's `int`.
//! Whatever there is of their data places then is bounded by linear programming. Candidates of
//! which that does not show that they keep to their types are none, and it is asked again without
//! them. `docs/soundness/abstraction.md` has the argument.

use std::collections::BTreeSet;

use abstraction::{
    Abstraction, Counters, Declared, Extent, Options, UNKNOWN_RANGE, abstract_program, keeps_its_type,
};
use boundedness::data_bounds;
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::DataId;

/// How often it is asked.
const ROUNDS: usize = 4;

/// An abstraction of a program that also knows which variables never leave a range, though sums in
/// them could as far as `known` goes, an abstraction with data places that was made with these
/// options. What is found is put there; nothing is given back if nothing is found.
///
/// # Complexity
/// Up to four abstractions, each with two questions about its data places, and one more.
pub fn with_counters(
    program: &Program,
    known: &Abstraction,
    options: &mut Options,
    deadline: Deadline,
) -> Option<Abstraction> {
    let counters = &options.precision.counters;
    let candidates =
        known.wrapping.iter().filter(|counter| !counters.contains_key(counter)).copied().collect();
    let found = proved(program, &candidates, options, deadline);
    if found.is_empty() {
        return None;
    }
    options.precision.counters.extend(found);
    abstract_program(program, options).ok()
}

/// The range of each of some variables that never leaves it, as far as it can be shown; of others
/// there is nothing.
fn proved(
    program: &Program,
    candidates: &BTreeSet<Declared>,
    options: &Options,
    deadline: Deadline,
) -> Counters {
    let mut left = candidates.clone();
    for _ in 0..ROUNDS {
        if left.is_empty() {
            break;
        }
        let Some(ranges) = ranges(program, &left, options, deadline) else { break };
        let kept: Counters = ranges
            .into_iter()
            .filter(|(counter, (least, most))| keeps_its_type(program, *counter, *least, *most))
            .collect();
        if kept.len() == left.len() {
            return kept;
        }
        left = kept.into_keys().collect();
    }
    Counters::new()
}

/// The least range that holds what each of these counters is shown to hold, if they all keep to C's
/// `int`.
fn ranges(
    program: &Program,
    counters: &BTreeSet<Declared>,
    options: &Options,
    deadline: Deadline,
) -> Option<Counters> {
    let mut options = options.clone();
    options.precision.data_places = true;
    // That takes longest, and hardly says more of sums.
    options.precision.pairs = false;
    options.precision.counters.extend(counters.iter().map(|counter| (*counter, UNKNOWN_RANGE)));
    let (abstraction, _) = abstract_program(program, &options).ok()?.activated();
    let places: Vec<DataId> =
        abstraction.extents.iter().flat_map(|extent| [extent.rising, extent.falling]).flatten().collect();
    let mut limits = boundedness::Options::default();
    limits.questions.deadline = deadline;
    let bounds = data_bounds(&abstraction.system, &places, &limits);
    let bound = |place: DataId| bounds[places.iter().position(|known| *known == place)?];
    let mut ranges = Counters::new();
    for extent in abstraction.extents.iter().filter(|extent| counters.contains(&extent.counter)) {
        let (least, most) = narrowed(extent, bound);
        let range = ranges.entry(extent.counter).or_insert((least, most));
        *range = (range.0.min(least), range.1.max(most));
    }
    Some(ranges)
}

/// The range of a counter in one class, given how much there may be of its places.
fn narrowed(extent: &Extent, bound: impl Fn(DataId) -> Option<u64>) -> (i64, i64) {
    let (least, most) = extent.ends;
    let bound = |place: Option<DataId>| bound(place?).and_then(|bound| i64::try_from(bound).ok());
    let above = bound(extent.falling).map_or(least, |bound| most.saturating_sub(bound));
    let below = bound(extent.rising).map_or(most, |bound| least.saturating_add(bound));
    (least.max(above), most.min(below))
}

/// What is known of counters, for people: `a` stays between 0 and 4.
pub(crate) fn described(program: &Program, counters: &Counters) -> Vec<String> {
    let name = |&(owner, variable): &Declared| match owner {
        None => format!("`{}`", program.globals[variable].name),
        Some(owner) => {
            let process = &program.types[owner];
            format!("`{}` of {}", process.locals[variable].name, process.name)
        }
    };
    let one = |(counter, (least, most)): (&Declared, &(i64, i64))| {
        format!("{} stays between {least} and {most}", name(counter))
    };
    counters.iter().map(one).collect()
}
