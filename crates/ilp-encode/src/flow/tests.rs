//! Tests of the longest paths in all integer types.

use cfsm_core::testing::{SystemShape, systems};
use proptest::prelude::*;

use super::*;

/// Every message type is a target.
struct AnyGrowth;

impl Property for AnyGrowth {
    fn is_target(&self, _: &System, _: cfsm_core::system::MessageId) -> bool {
        true
    }
}

/// The result of checking the weights times a power of two, with the heights divided by it again.
fn scaled(graph: &FlowGraph<'_>, weights: &[i8], free: &IdMap<ClassId, bool>, power: usize) -> String {
    let scale = BigInt::from(1) << power;
    let weights: Vec<BigInt> = weights.iter().map(|&weight| &scale * weight).collect();
    match graph.separate(&weights, free) {
        Separation::Violated(columns) => format!("{columns:?}"),
        Separation::Holds(heights) => {
            let heights = heights.into_iter().map(|(state, height)| (state, height / &scale));
            format!("{:?}", heights.collect::<Vec<_>>())
        }
    }
}

proptest! {
    /// All integer types give the same result.
    #[test]
    fn all_kinds_of_integers_agree(
        system in systems(SystemShape::full()),
        weights in proptest::collection::vec(-3i8..4, 64),
    ) {
        let graph = FlowGraph::new(&system, &AnyGrowth);
        let rows = gain_row(&system).index() + 1;
        let weights: Vec<i8> = weights.into_iter().cycle().take(rows).collect();
        let free = IdMap::filled(false, system.classes.len());
        let tiny = scaled(&graph, &weights, &free, 0);
        for power in [58, 61, 70, 122, 130] {
            prop_assert_eq!(&tiny, &scaled(&graph, &weights, &free, power));
        }
    }
}
