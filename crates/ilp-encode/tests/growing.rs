//! The targets that can be gained do not depend on the rows given as known.

use cfsm_core::system::{DataId, MessageId, System};
use cfsm_core::testing::{SystemShape, systems};
use ilp_encode::{Cone, Options, Pool, Property, growing, growth};
use proptest::prelude::*;

struct Everything;

impl Property for Everything {
    fn is_target(&self, _: &System, _: MessageId) -> bool {
        true
    }

    fn is_data_target(&self, _: &System, _: DataId) -> bool {
        true
    }
}

proptest! {
    #[test]
    fn what_is_known_to_grow_changes_nothing(
        system in systems(SystemShape { instances: 1..=3, ..SystemShape::full() }),
        known in 0_usize..4,
    ) {
        let options = Options::default();
        let cone = Cone::new(&system, &Everything, &options).expect("no limit");
        let all = growth(&cone, &mut Pool::default(), &options).expect("no limit");
        let combinations = all.combinations.iter().take(known);
        let known = combinations.flat_map(|combination| &combination.gains).map(|(row, _)| *row).collect();
        let found = growing(&cone, &known, &mut Pool::default(), &options).expect("no limit");
        prop_assert_eq!(found, all.growing);
    }
}
