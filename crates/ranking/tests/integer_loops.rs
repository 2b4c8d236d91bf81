//! Loops over integers in the shapes of the termination competition's sets: those that are shown to
//! end, and random runs of each, which turn no more often than is said.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeMap;

use cfsm_core::program::VariableRef;
use cfsm_core::splitmix::SplitMix;
use explore::{Buffers, Options, Semantics};
use ranking::{LoopResult, Outcome};
use shared::{IntegerLoop, integer_loops};

mod shared;

/// Loops of which nothing is known, by name; all others end.
const OPEN: [&str; 1] = ["maximum of two"];

#[test]
fn integer_loops_end_but_for_few() {
    let open: Vec<&str> = integer_loops()
        .iter()
        .filter(|one| !matches!(ranking::loops(&one.program([0; 4]))[0].outcome, Outcome::Ends(_)))
        .map(|one| one.name)
        .collect();
    assert_eq!(open, OPEN);
}

/// Random runs from random starts, against the bound for each start.
#[test]
fn integer_loops_turn_no_more_often_than_is_said() {
    let mut random = SplitMix::new(9);
    for one in integer_loops() {
        let (least, most) = one.ty.range();
        for _ in 0..12 {
            let values = [0; 4].map(|_: i64| {
                let small = random.draw().is_multiple_of(2);
                let (low, high) = if small { (least.max(-20), most.min(40)) } else { (least, most) };
                low + i64::try_from(random.draw() % u64::try_from(high - low + 1).unwrap()).unwrap()
            });
            let program = one.program(values);
            let found = ranking::loops(&program);
            let [outermost, ..] = &found[..] else { panic!("{} has no loop", one.name) };
            let Outcome::Ends(rounds) = &outermost.outcome else { continue };
            let turned = turns(&one, &program, outermost, random.draw());
            for (values, turned) in turned {
                let bound = rounds.at(&values);
                assert!(bound >= turned.into(), "{}: {turned} rounds from {values:?}, not {bound}", one.name);
            }
        }
    }
}

/// The values of tracked variables each time that a random run enters a loop, with the greatest
/// number of rounds from there.
fn turns(
    one: &IntegerLoop<'_>,
    program: &cfsm_core::program::Program,
    result: &LoopResult,
    seed: u64,
) -> BTreeMap<Vec<i64>, u64> {
    let options = Options { buffers: Buffers::Unbounded, ..Options::default() };
    let semantics = Semantics::new(program, &options).unwrap();
    let steps = semantics.simulate(seed, 3_000).unwrap();
    let process = &program.types[result.process_type];
    let mut entered: Option<(Vec<i64>, u64)> = None;
    let mut most: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for step in &steps {
        let (Some(after), [own]) = (&step.after, &step.moves[..]) else { continue };
        let Some(edge) = own.edge.filter(|_| own.process_type == result.process_type) else { continue };
        let target = process.edges[edge].target;
        if target == result.shape.head {
            if result.shape.edges.contains(&edge) {
                if let Some((_, count)) = &mut entered {
                    *count += 1;
                }
            } else {
                let value = |variable: &VariableRef| match variable {
                    VariableRef::Local(id) => semantics.local(after, own.process, *id, 0).unwrap(),
                    VariableRef::Global(_) => unreachable!("{} has locals only", one.name),
                };
                entered = Some((result.variables.iter().map(value).collect(), 0));
            }
        }
        if let Some((values, count)) = &entered {
            let held = most.entry(values.clone()).or_default();
            *held = (*held).max(*count);
        }
    }
    most
}
