//! Bounds of data places, against all that small systems can do.

use boundedness::{Options, data_bounds};
use cfsm_core::ids::Id;
use cfsm_core::system::DataId;
use proptest::prelude::*;

use crate::small::{configurations, systems};

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn there_is_never_more_than_the_bound(system in systems()) {
        let places: Vec<DataId> = system.data.ids().collect();
        let bounds = data_bounds(&system, &places, &Options::default());
        let seen = configurations(&system);
        for (place, bound) in places.iter().zip(bounds) {
            let bound = bound.map(|bound| i64::try_from(bound).expect("a small number"));
            let most = seen.iter().map(|one| one.data[place.index()]).max().expect("the first one");
            prop_assert!(bound.is_none_or(|bound| most <= bound), "{place:?}: {most}, not {bound:?}");
        }
    }
}
