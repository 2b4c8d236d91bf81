//! Process types that have at most one instance.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Action, Edge, LocationId, ProcessType, ProcessTypeId, Program};

/// Returns `true` if a run has at most one instance of a type: one at the start and no statement
/// creates another, or none at the start and one creator type that creates it at most once and has
/// at most one instance itself.
///
/// # Complexity
/// Linear in the types that create it, directly or not, for each of them.
pub(crate) fn has_one_instance(program: &Program, id: ProcessTypeId) -> bool {
    is_alone(program, id, &mut BTreeSet::new())
}

/// The same, with the set of types already under examination; a type that creates itself, directly
/// or not, is not alone.
fn is_alone(program: &Program, id: ProcessTypeId, asked: &mut BTreeSet<ProcessTypeId>) -> bool {
    if !asked.insert(id) {
        return false;
    }
    let initial = program.initial.iter().filter(|initial| initial.process_type == id);
    let initial = initial.map(|initial| initial.count).fold(0, u32::saturating_add);
    let creators: Vec<ProcessTypeId> = program
        .types
        .iter()
        .filter(|(_, process)| creations(process, id).next().is_some())
        .map(|(by, _)| by)
        .collect();
    match (initial, &creators[..]) {
        (0 | 1, []) => true,
        (0, [creator]) => creates_once(&program.types[*creator], id) && is_alone(program, *creator, asked),
        _ => false,
    }
}

/// The edges of a process type that create a process of the given type.
fn creations(process: &ProcessType, id: ProcessTypeId) -> impl Iterator<Item = &Edge> {
    let creates =
        move |edge: &&Edge| matches!(edge.action, Action::Create { process_type, .. } if process_type == id);
    process.edges.values().filter(creates)
}

/// Returns `true` if an instance creates at most one process of the given type: no creating
/// statement is reachable from another.
fn creates_once(process: &ProcessType, id: ProcessTypeId) -> bool {
    let mut behind = vec![false; process.locations.len()];
    let mut open: Vec<LocationId> = creations(process, id).map(|edge| edge.target).collect();
    while let Some(location) = open.pop() {
        if !std::mem::replace(&mut behind[location.index()], true) {
            let leaving = process.edges.values().filter(|edge| edge.source == location);
            open.extend(leaving.map(|edge| edge.target));
        }
    }
    creations(process, id).all(|edge| !behind[edge.source.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(text: &str) -> Vec<String> {
        let parsed = promela_front::parse("model.pml", text, &promela_front::Options::default());
        let program = parsed.program.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
        let names = program.types.iter().filter(|(id, _)| has_one_instance(&program, *id));
        names.map(|(_, process)| process.name.clone()).collect()
    }

    #[test]
    fn who_is_there_from_the_start() {
        assert_eq!(alone("active proctype A() { skip } active [2] proctype B() { skip }"), ["A"]);
    }

    #[test]
    fn who_is_created_once() {
        let text =
            "proctype A() { run B() } proctype B() { skip } init { if :: run A() :: run A(); skip fi }";
        assert_eq!(alone(text), ["A", "B", "init"]);
    }

    #[test]
    fn who_is_created_twice_or_in_a_loop_or_by_several() {
        assert_eq!(alone("proctype A() { skip } init { run A(); run A() }"), ["init"]);
        assert_eq!(alone("proctype A() { skip } init { do :: run A() od }"), ["init"]);
        assert_eq!(alone("proctype A() { skip } init { do :: run A(); skip; skip od }"), ["init"]);
        let text = "proctype A() { skip } init { if :: run A() :: again: run A(); skip; goto again fi }";
        assert_eq!(alone(text), ["init"]);
        assert_eq!(alone("proctype A() { skip } active [2] proctype B() { run A() }"), Vec::<String>::new());
        let text = "proctype A() { skip } active proctype B() { run A() } active proctype C() { run A() }";
        assert_eq!(alone(text), ["B", "C"]);
        assert_eq!(alone("active proctype A() { skip } active proctype B() { run A() }"), ["B"]);
    }

    #[test]
    fn who_creates_himself() {
        assert_eq!(alone("active proctype A() { run A() }"), Vec::<String>::new());
        assert_eq!(alone("proctype A() { run B() } proctype B() { run A() } init { run A() }"), ["init"]);
    }
}
