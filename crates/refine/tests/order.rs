//! When configurations are listed, and how many.
#![cfg(feature = "programs")]
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use abstraction::{Options, abstract_program};
use boundedness::check;
use refine::{Boundedness, FirstAnswer, Property as _, RefinementOptions, Refiner, Strategy};

/// What is agreed on at first says whether one operand is sent for each result, or so many.
fn agreed(operands: usize) -> String {
    let sent = "toCalculator!operand; ".repeat(operands);
    let received = "toCalculator?operand; ".repeat(operands);
    format!(
        "mtype = {{ one, many, operand, result, again }};
         chan toCalculator = [4] of {{ mtype }}; chan toUser = [4] of {{ mtype }};
         active proctype User() {{
         choose: if :: toCalculator!one -> goto single :: toCalculator!many -> goto several fi;
         single: if :: toCalculator!operand -> toUser?result; goto single :: toUser?again -> goto choose fi;
         several: if :: {sent} toUser?result; goto several :: toUser?again -> goto choose fi }}
         active proctype Calculator() {{
         ready: if :: toCalculator?one -> goto single :: toCalculator?many -> goto several fi;
         single: if :: toCalculator?operand -> toUser!result; goto single :: toUser!again -> goto ready fi;
         several: if :: {received} toUser!result; goto several :: toUser!again -> goto ready fi }}"
    )
}

/// How much is open after a look and in the end, and by what something was decided.
fn refined(operands: usize, strategies: &[Strategy], configurations: usize) -> (usize, usize, Vec<Strategy>) {
    let read = promela_front::parse("agreed.pml", &agreed(operands), &promela_front::Options::default());
    let program = read.program.unwrap();
    let question = Boundedness { options: boundedness::Options::default() };
    let abstraction = abstract_program(&program, &Options::default()).unwrap();
    let outcome = check(&abstraction.system, &question.options);
    let strategies = strategies.iter().copied().collect();
    let options = RefinementOptions { strategies, configurations, ..RefinementOptions::default() };
    let mut refiner = Refiner::new(&program, &question, FirstAnswer { abstraction, outcome }, &options);
    refiner.look();
    let looked = question.open(&refiner.best().outcome);
    refiner.track();
    let best = refiner.best();
    (looked, question.open(&best.outcome), best.acts.iter().map(|act| act.strategy).collect())
}

#[test]
fn few_configurations_are_listed_at_the_first_look_and_many_after_what_takes_less() {
    for strategies in [&[Strategy::Order][..], &[Strategy::Order, Strategy::Tracking]] {
        assert_eq!(refined(2, strategies, 10_000), (0, 0, vec![Strategy::Order]));
        assert_eq!(refined(30, strategies, 10_000), (2, 0, vec![Strategy::Order]));
    }
}

#[test]
fn no_more_are_listed_than_may_be() {
    assert_eq!(refined(2, &[Strategy::Order], 20), (2, 2, vec![]));
    assert_eq!(refined(30, &[Strategy::Order], 300), (2, 2, vec![]));
}
