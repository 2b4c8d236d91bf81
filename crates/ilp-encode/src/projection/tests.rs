use cfsm_core::families::large::Family;
use cfsm_core::families::{Ratio, chain, ring};
use cfsm_core::system::{MessageId, System, SystemBuilder, TransitionId};
use cfsm_core::testing::{SystemShape, systems};
use num_traits::{Signed, Zero};
use proptest::prelude::*;

use super::*;
use crate::decide::{Answer, Pool, decide};
use crate::flow::Separation;
use crate::growth::question;
use crate::{Property, Search};

/// A property: either no message type grows, or (`counts`) no step can be repeated for ever.
struct Nothing {
    counts: bool,
}

impl Property for Nothing {
    fn is_target(&self, _: &System, _: MessageId) -> bool {
        !self.counts
    }

    fn gain(&self, _: &System, _: TransitionId) -> u32 {
        u32::from(self.counts)
    }
}

/// The sum of a ray on each row.
fn sums(rows: usize, ray: &[(Column, BigInt)]) -> Vec<BigInt> {
    let mut sums = vec![BigInt::ZERO; rows];
    for (column, times) in ray {
        column.entries.iter().for_each(|&(row, change)| sums[row.index()] += times * change);
    }
    sums
}

/// The answer of the projections to the question whether there are weights, with its evidence
/// checked; `None` if they have no result.
fn has_weights(system: &System, property: &Nothing) -> Option<bool> {
    let options = Options::default();
    let cone = Cone::new(system, property, &options).expect("no limit");
    let question = question(&cone);
    match project(&cone, &question, &options, || Ok(None)).expect("no limit") {
        Projected::Useless => None,
        Projected::Weights(weights) => {
            assert_eq!(question.clamp(weights.clone()), weights, "demands");
            assert!(matches!(cone.separate(&weights.0, &question.free), Separation::Holds(_)));
            Some(true)
        }
        Projected::Growth(ray) => {
            let sums = sums(cone.rows().len(), &ray);
            let holds = |row: RowId, sum: &BigInt| match question.demand[row] {
                Demand::Free => sum.is_zero(),
                Demand::Target | Demand::NonNegative | Demand::Dropped => !sum.is_negative(),
            };
            assert!(cone.rows().ids().all(|row| holds(row, &sums[row.index()])), "a loss");
            assert!(cone.rows().ids().any(|row| cone.is_target(row) && sums[row.index()].is_positive()));
            Some(false)
        }
    }
}

/// The answer of the exact simplex to the same question.
fn has_weights_exactly(system: &System, property: &Nothing) -> bool {
    let options = Options { search: Search::Exact, ..Options::default() };
    let cone = Cone::new(system, property, &options).expect("no limit");
    let answer = decide(&cone, &question(&cone), &mut Pool::default(), &options);
    matches!(answer, Ok(Answer::Weights(_)))
}

proptest! {
    #[test]
    fn it_agrees_with_the_exact_simplex(system in systems(SystemShape::full()), counts: bool) {
        let property = Nothing { counts };
        if let Some(found) = has_weights(&system, &property) {
            prop_assert_eq!(found, has_weights_exactly(&system, &property));
        }
    }
}

#[test]
fn large_random_systems_are_balanced() {
    let property = Nothing { counts: false };
    assert_eq!(has_weights(&Family::Random.system(5_000), &property), Some(true));
    // Projection alone cycles here.
    assert_eq!(has_weights(&Family::Random.system(64_000), &property), Some(true));
}

/// Exchange rates: 5 of x give 7 of y, 7 of y give 5 of x, and 11 of y give 3 of z and back. The
/// weights are determined up to one factor.
#[test]
fn a_region_without_an_inside_is_settled() {
    let mut b = SystemBuilder::new("exchange");
    let [x, y, z] = ["x", "y", "z"].map(|name| b.message(name, "m"));
    for (number, (from, take, to, give)) in
        [(x, 5, y, 7), (y, 7, x, 5), (y, 11, z, 3), (z, 3, y, 11)].into_iter().enumerate()
    {
        b.class(&format!("P{number}"), 1).step("0", &[(from, -take), (to, give)], "0");
    }
    let system = b.build().expect("names are numbered");
    assert_eq!(has_weights(&system, &Nothing { counts: false }), Some(true));
}

#[test]
fn what_grows_is_not_balanced() {
    let property = Nothing { counts: false };
    for system in [chain(25, 3, true), ring(84, Ratio::HALF, 53, Ratio::TRIPLE), Family::Leaky.system(5_000)]
    {
        assert_ne!(has_weights(&system, &property), Some(true), "{}", system.name);
    }
}
