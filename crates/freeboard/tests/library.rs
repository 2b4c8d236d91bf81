//! The library: typed results, and failures as values.

use std::time::Duration;

use freeboard::boundedness::{BufferVerdict, Reason, Verdict};
use freeboard::cfsm_core::system::{System, SystemBuilder};
use freeboard::ilp_encode::{Encoding, Search};
use freeboard::refine::Strategy;
use freeboard::{
    BufferAnswer, Detail, Failure, Options, RunLimits, Strategies, abstraction, check_promela, check_system,
    list_cycles, list_cycles_lazily, report,
};

const FLOOD: &str = "chan c = [1] of { bit };\nactive proctype P() { do :: c!1 od }\n";

#[test]
fn all_errors_come_as_values() {
    let failure = check_promela("m.pml", "init { c!1; x = 2; y = 3 }", &Options::default()).unwrap_err();
    let shown = failure.to_string();
    assert!(shown.starts_with("m.pml:1:8: error[P0201]: `c` is not declared (declare it"), "{shown}");
    assert!(shown.ends_with("(and 2 more)"), "{shown}");
    let Failure::Input { diagnostics, sources } = failure else {
        panic!("{failure}");
    };
    assert_eq!(diagnostics.len(), 3);
    assert_eq!(sources.text(diagnostics[1].span()), "x");
}

#[test]
fn a_system_that_is_too_large_is_a_failure() {
    let options = Options {
        abstraction: abstraction::Options { transitions: 0, ..abstraction::Options::default() },
        ..Options::default()
    };
    assert!(matches!(
        check_promela("m.pml", FLOOD, &options),
        Err(Failure::Abstraction(abstraction::Error::TooManyTransitions { limit: 0 }))
    ));
}

#[test]
fn a_system_that_makes_no_sense_is_a_failure() {
    let mut b = SystemBuilder::new("s");
    b.class("P", 1).state("0");
    let mut system = b.build().unwrap();
    system.schema = "something else".into();
    assert!(matches!(check_system(system, &Options::default()), Err(Failure::System(_))));
}

#[test]
fn limits_give_unknown() {
    let limited = |options: &Options| check_promela("m.pml", FLOOD, options).unwrap().outcome;
    let time = Options { time_limit: Some(Duration::ZERO), ..Options::default() };
    // Of the plain test: what else there is would look for long.
    let cycles = Options {
        encoding: Encoding::Cycles,
        max_cycles: Some(0),
        refinement: Strategies::none(),
        runs: RunLimits { search_states: 0, exploration_states: 0 },
        ..Options::default()
    };
    for options in [time, cycles] {
        let outcome = limited(&options);
        assert!(
            matches!(outcome.verdict, Verdict::Unknown { reason: Reason::Limit(_), certificate: None }),
            "{outcome:?}"
        );
        assert!(outcome.buffers.values().all(|buffer| *buffer == BufferVerdict::Unknown));
    }
}

#[test]
fn a_time_limit_beyond_the_clock_is_none() {
    let options = Options { time_limit: Some(Duration::MAX), ..Options::default() };
    let outcome = check_promela("m.pml", FLOOD, &options).unwrap().outcome;
    assert_eq!(outcome.combinations.len(), 1);
}

#[test]
fn encodings_and_searches_agree() {
    let model = include_str!("../../../examples/models/two_processes.pml");
    for encoding in [Encoding::Flow, Encoding::Cycles] {
        for search in [Search::Float, Search::Exact] {
            let options = Options { encoding, search, ..Options::default() };
            let analysis = check_promela("m.pml", model, &options).unwrap();
            let bounds: Vec<String> = analysis.outcome.buffers.values().map(ToString::to_string).collect();
            assert_eq!(bounds, ["bounded by 13", "bounded by 4"], "{encoding:?}, {search:?}");
        }
    }
}

/// Every run ends, after many states; and what is agreed on at first says how many operands belong
/// to a result.
fn agreed() -> String {
    let (sent, received) = ("c!operand; ".repeat(30), "c?operand; ".repeat(30));
    let draw = "x != 0 -> x = (x * 5 + 3) % 512";
    format!(
        "mtype = {{ one, many, operand, result, again }}; chan c = [4] of {{ mtype }}; chan u = [4] of {{ mtype }}; int x = 1;
         active proctype User() {{
         choose: if :: {draw}; if :: c!one -> goto single :: c!many -> goto several fi :: else -> goto over fi;
         single: if :: c!operand -> u?result; goto single_again :: u?again -> goto choose fi;
         single_again: if :: {draw}; goto single :: else -> goto over fi;
         several: if :: {sent} u?result; goto several_again :: u?again -> goto choose fi;
         several_again: if :: {draw}; goto several :: else -> goto over fi;
         over: skip }}
         active proctype Calculator() {{
         ready: if :: c?one -> goto single :: c?many -> goto several fi;
         single: if :: c?operand -> u!result; goto single :: u!again -> goto ready fi;
         several: if :: {received} u!result; goto several :: u!again -> goto ready fi }}"
    )
}

#[test]
fn a_list_of_configurations_is_preferred_to_the_word_that_every_run_ends() {
    let found = |refinement: Strategies| {
        let options = Options { refinement, ..Options::default() };
        let analysis = check_promela("m.pml", &agreed(), &options).unwrap();
        let acts: Vec<Strategy> = analysis.refinement.acts.iter().map(|act| act.strategy).collect();
        (analysis.outcome.verdict.is_proved(), acts)
    };
    let all = Strategies::default();
    assert_eq!(found(all.clone()), (true, vec![Strategy::Order]));
    let mut without = all;
    without.0.remove(&Strategy::Order);
    let (is_proved, acts) = found(without);
    assert!(!is_proved && acts.ends_with(&[Strategy::Termination]), "{acts:?}");
}

#[test]
fn no_more_configurations_are_listed_than_may_be() {
    let refinement = Strategies([Strategy::Order].into());
    let limited = |max_configurations| {
        let options = Options {
            refinement: refinement.clone(),
            runs: RunLimits::NONE,
            max_configurations,
            ..Options::default()
        };
        check_promela("agreed.pml", &agreed(), &options).unwrap().outcome.verdict.is_proved()
    };
    assert!(limited(None));
    assert!(!limited(Some(20)));
}

#[test]
fn times_add_up() {
    let timings = check_promela("m.pml", FLOOD, &Options::default()).unwrap().timings;
    assert!(timings.parse + timings.abstraction + timings.solve <= timings.total);
    let seconds = timings.seconds();
    assert!(seconds.total > 0.0 && seconds.refine == 0.0);
}

/// Two relays that pass on what they get, each message as so many.
fn relays(tokens: u32, passed_on: i32) -> System {
    let mut b = SystemBuilder::new("relays");
    b.located();
    let (there, back) = (b.message("there", ""), b.message("back", ""));
    b.holds(there, tokens);
    b.class("P", 1).step("0", &[(there, -1), (back, 1)], "0");
    b.class("Q", 1).step("0", &[(back, -1), (there, passed_on)], "0");
    b.build().expect("it is valid")
}

#[test]
fn what_buffers_hold_at_the_start_counts() {
    for tokens in [0, 1, 5] {
        let analysis = check_system(relays(tokens, 1), &Options::default()).unwrap();
        for buffer in ["there", "back"] {
            let answer = analysis.buffer(buffer).expect("there is such a buffer");
            assert!(matches!(answer, BufferAnswer::Proved(_)), "{answer:?}");
            assert_eq!(answer.bound(), Some(tokens.into()));
        }
        // And no less: runs come to that.
        assert_eq!(analysis.confirmation.exact.values().max(), Some(&tokens));
    }
    let growing = check_system(relays(1, 2), &Options::default()).unwrap();
    assert!(matches!(growing.buffer("there"), Some(BufferAnswer::Unbounded(_))));
    let nothing = check_system(relays(0, 2), &Options::default()).unwrap();
    assert!(nothing.outcome.verdict.is_proved());
}

/// A counterexample names the lines of the test that built the system.
#[test]
fn built_systems_have_places() {
    let line = relays_line();
    let failed = std::panic::catch_unwind(|| freeboard::assert_bounded!(&relays(1, 2)));
    let message = *failed.expect_err("it grows").downcast::<String>().expect("it is formatted");
    assert!(message.contains(&format!("library.rs:{line}")), "{message}");
}

/// The line at which the second relay is built.
fn relays_line() -> u32 {
    let system = relays(1, 2);
    let of_relay = system.transitions.values().filter_map(|step| step.origin.as_ref());
    of_relay
        .filter(|origin| origin.text.contains("2 times"))
        .map(|origin| origin.line)
        .next()
        .expect("it is located")
}

#[test]
fn cycles_are_listed_up_to_a_limit() {
    let mut b = SystemBuilder::new("parallel");
    let (a, c) = (b.message("q", "a"), b.message("q", "c"));
    b.class("P", 2).send("0", a, "1").send("0", c, "1").receive("1", a, "0").receive("1", c, "0");
    b.class("Q", 1).send("0", a, "0");
    let system = b.build().unwrap();
    let list = |detail, limit| list_cycles(&system, "s", detail, limit);

    let all = list(Detail::Effects, None);
    assert_eq!((all.total, all.complete), (5, true));
    assert_eq!(all.processes[0].effects.as_ref().unwrap().len(), 3);
    let some = list(Detail::List, Some(4));
    assert_eq!((some.total, some.complete), (4, false));
    assert!(some.processes[0].complete && !some.processes[1].complete);
    assert_eq!(some.processes[0].list.as_ref().unwrap()[0][0].effect, ["+q(a)"]);
    assert!(list(Detail::Count, Some(5)).complete);
}

#[test]
fn what_is_listed_lazily_is_the_same_document() {
    let mut b = SystemBuilder::new("parallel");
    let (a, c) = (b.message("q", "a"), b.message("q\n", "\u{1b}[31m"));
    b.class("P", 2).send("0", a, "1").send("0", c, "1").receive("1", a, "0").receive("1", c, "0");
    b.class("Q", 1).send("0", a, "0");
    b.class("R", 1).send("0", a, "1");
    let system = b.build().unwrap();
    for limit in [None, Some(0), Some(1), Some(3), Some(4), Some(5), Some(9)] {
        let mut written = Vec::new();
        report::json::write(&list_cycles_lazily(&system, "s", limit), &mut written).unwrap();
        let kept = report::json::render(&list_cycles(&system, "s", Detail::List, limit));
        assert_eq!(String::from_utf8(written).unwrap(), kept, "{limit:?}");
    }
}

#[test]
fn counting_stops_where_numbers_end() {
    let mut b = SystemBuilder::new("doubled");
    let message = b.message("q", "m");
    let mut ring = b.class("Ring", 1);
    let states: Vec<_> = (0..70).map(|state| ring.state(&state.to_string())).collect();
    for (position, &state) in states.iter().enumerate() {
        let next = states[(position + 1) % states.len()];
        for _ in 0..2 {
            ring.transition(state, vec![], vec![], next, None);
        }
    }
    b.class("Loop", 1).send("0", message, "0");
    let counted = list_cycles(&b.build().unwrap(), "s", Detail::Count, None);
    assert_eq!((counted.total, counted.complete), (usize::MAX, false));
    let [ring, one] = &counted.processes[..] else { panic!("{counted:?}") };
    assert_eq!((ring.cycles, ring.complete), (usize::MAX, false));
    // Others are counted all the same.
    assert_eq!((one.cycles, one.complete), (1, true));
    let text = report::text::cycles(&counted, report::text::Style::default());
    assert!(
        text.ends_with("total: at least 18446744073709551615 elementary cycles, and no more are counted\n")
    );
}

/// With values followed, some class never begins; its first state stays, though nothing leaves it
/// any more.
#[test]
fn where_nobody_comes_nobody_is_always_ready() {
    let text = "bit i; chan c = [3] of { byte };
        active proctype P0() { byte a; do :: a = run P1(a); c!2 od }
        proctype P1(byte q) { byte x[3]; i = 1; do :: c?x[i+1] od }";
    let runs = RunLimits { search_states: 0, exploration_states: 0 };
    let found = check_promela("m.pml", text, &Options { runs, ..Options::default() }).unwrap();
    assert!(!found.outcome.verdict.is_proved());
}

/// A worker that asks for a number and sends its square before it asks again, so that `events`
/// holds little because of the order of messages; and others that do what nobody sees, so that
/// configurations are too many to be listed. All are created by one process.
fn squares() -> SystemBuilder {
    let mut b = SystemBuilder::new("squares");
    let (ready, square) = (b.message("events", "Ready"), b.message("events", "Square"));
    let number = b.message("jobs", "Number");
    let other = |at: usize| b.class(&format!("other {at}"), 0).step("0", &[], "1").step("1", &[], "2").id();
    let mut created: Vec<_> = (0..OTHERS).map(other).collect();
    let mut worker = b.class("worker", 0);
    worker.send("loop", ready, "asked").receive("asked", number, "busy").send("busy", square, "loop");
    created.push(worker.id());
    b.class("dispatcher", 1)
        .receive("loop", square, "loop")
        .receive("loop", ready, "answers")
        .send("answers", number, "loop");
    let starter = b.class("starter", 1).id();
    for (at, class) in created.into_iter().enumerate() {
        b.class_again(starter).create(&at.to_string(), class, &(at + 1).to_string());
    }
    b
}

const OTHERS: usize = 7;
/// Fewer than there are configurations, more than states that are not left out.
const STATES: usize = 2_000;

fn few_states() -> Options {
    Options { runs: RunLimits { search_states: 0, exploration_states: STATES }, ..Options::default() }
}

#[test]
fn all_states_of_a_system_are_a_proof_without_a_certificate() {
    let analysis = check_system(squares().build().unwrap(), &few_states()).unwrap();
    assert!(matches!(analysis.outcome.verdict, Verdict::Unknown { .. }));
    let view = analysis.view("squares");
    let [result] = &view.property_results[..] else { panic!("one property") };
    assert_eq!(result.verdict, report::view::Verdict::Proved);
    let told: Vec<_> = result.refinement.iter().map(|act| act.strategy.as_str()).collect();
    assert_eq!(told, ["exhaustion"]);
    let bounds = result.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.exact.clone().unwrap()));
    let bounds: Vec<_> = bounds.map(|(name, most)| (name, most.to_string())).collect();
    assert_eq!(bounds, [("events", "2".to_owned()), ("jobs", "1".to_owned())]);
    assert!(view.assumptions.iter().any(|assumption| assumption.starts_with("that all states of the model")));
    let events = analysis.buffer("events").unwrap();
    assert_eq!(events, BufferAnswer::Exhausted(Some(2.into())));
    assert_eq!((events.is_bounded(), events.bound()), (true, Some(2)));
    // That is not what is proved of the other one, if a certificate bounds it alone.
    let mut other = analysis;
    let jobs = other.outcome.buffers.ids().next_back().unwrap();
    other.outcome.buffers[jobs] = BufferVerdict::Finite;
    assert_eq!(other.buffer("jobs"), Some(BufferAnswer::Proved(None)));
    assert_eq!(other.buffer("events"), Some(events));
}

#[test]
fn there_is_one_answer_on_each_buffer() {
    let analysis = check_promela("m.pml", FLOOD, &Options::default()).unwrap();
    let Some(BufferAnswer::Unbounded(run)) = analysis.buffer("c") else { panic!("it grows") };
    assert_eq!((run.prefix.len(), run.pump.len(), run.grows[0].name.as_str()), (0, 1, "c"));
    assert_eq!(analysis.buffer("d"), None);
    let text = "chan c = [1] of { bit }; chan r = [0] of { bit };
        active proctype P() { do :: c!1; c?_; r!1 od }
        active proctype Q() { do :: r?_ od }";
    let analysis = check_promela("m.pml", text, &Options::default()).unwrap();
    assert_eq!(analysis.buffer("c"), Some(BufferAnswer::Proved(Some(1.into()))));
    assert_eq!(analysis.buffer("r"), None);
}

#[test]
fn runs_in_one_order_prove_nothing_of_others() {
    let mut unordered = squares();
    unordered.unordered();
    let unordered = check_system(unordered.build().unwrap(), &few_states()).unwrap();
    let strategies = Strategies(std::collections::BTreeSet::new());
    let unrefined = Options { refinement: strategies, ..few_states() };
    let unrefined = check_system(squares().build().unwrap(), &unrefined).unwrap();
    assert!(unordered.confirmation.exact.is_empty());
    for analysis in [unordered, unrefined] {
        let view = analysis.view("squares");
        assert_eq!(view.property_results[0].verdict, report::view::Verdict::Unknown);
        let Some(BufferAnswer::Unknown(why)) = analysis.buffer("events") else { panic!("it is left open") };
        assert!(why.starts_with("some combination of loops makes a buffer grow"), "{why}");
        assert!(analysis.refinement.acts.is_empty());
    }
}
