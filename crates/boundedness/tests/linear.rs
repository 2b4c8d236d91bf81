//! Linear forms never exceed what is proved, in all that small systems can do.

use boundedness::{Form, NotInvariant, Options, invariant};
use certify::{Certificate, Claim, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{StateId, SystemBuilder};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::small::{configurations, systems};

/// The least number that is proved of a form.
fn least(system: &cfsm_core::system::System, form: &Form) -> Option<BigInt> {
    match invariant(system, form, i64::MIN, &Options::default()) {
        Err(NotInvariant::Greater { least }) => Some(least),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_form_exceeds_what_is_proved(
        system in systems(),
        messages in [-2_i64..3, -2_i64..3],
        states in vec(-2_i64..3, 12),
    ) {
        let ids = system.messages.ids().zip(messages);
        let form = ids.fold(Form::default(), |form, (id, factor)| form.message(id, factor));
        let count = system.states.len();
        let ids = (0..count).map(StateId::new).zip(states.iter().copied());
        let form = ids.fold(form, |form, (id, factor)| form.state(id, factor));
        let of_states = |counts: &[u32]| -> i64 {
            counts.iter().zip(&states).map(|(count, factor)| i64::from(*count) * factor).sum()
        };
        let of_messages =
            |counts: &[i64]| -> i64 { counts.iter().zip(messages).map(|(count, factor)| count * factor).sum() };
        let seen = configurations(&system);
        let most = seen.iter().map(|one| of_states(&one.states) + of_messages(&one.messages)).max();
        let most = most.expect("the first one");
        if let Some(least) = least(&system, &form) {
            prop_assert!(BigInt::from(most) <= least, "{most}, not {least}");
            // The kernel accepts that, and nothing less with the same weights.
            let found = invariant(&system, &form, least.clone(), &Options::default()).expect("it is proved");
            let mut certificate: Certificate = (*found).clone();
            let Claim::Linear(claim) = &mut certificate.claims[0] else { panic!("another claim") };
            claim.bound -= 1;
            prop_assert!(check(&system, certificate).is_err());
        }
    }
}

#[test]
#[should_panic(expected = "64 bits")]
fn no_coefficient_wraps_around() {
    let message = cfsm_core::system::MessageId::new(0);
    let _ = Form::default().message(message, i64::MAX).message(message, 1);
}

/// Two processes exclude each other by a token, in three ways of saying it.
#[test]
fn mutual_exclusion_and_totals() {
    let mut b = SystemBuilder::new("mutual exclusion");
    let token = b.message("lock", "token");
    b.class("lock", 1).send("start", token, "given");
    let critical = ["P", "Q"].map(|name| {
        let mut class = b.class(name, 1);
        class.receive("out", token, "in").send("in", token, "out");
        class.state("in")
    });
    let system = b.build().unwrap();
    let options = Options::default();
    let in_critical = critical.iter().fold(Form::default(), |form, state| form.state(*state, 1));
    assert!(invariant(&system, &in_critical, 1, &options).is_ok());
    assert_eq!(invariant(&system, &in_critical, 0, &options), Err(NotInvariant::Greater { least: 1.into() }));
    let lock = system.messages[token].buffer;
    assert!(invariant(&system, &in_critical.clone().buffer(&system, lock, 1), 1, &options).is_ok());
    // There is no least number of what only grows.
    let mut b = SystemBuilder::new("flood");
    let m = b.message("q", "m");
    b.class("P", 1).send("0", m, "0");
    let flood = b.build().unwrap();
    assert_eq!(
        invariant(&flood, &Form::default().message(m, 1), 1_000_000, &options),
        Err(NotInvariant::Unknown)
    );
    assert!(invariant(&flood, &Form::default().message(m, -1), 0, &options).is_ok());
}
