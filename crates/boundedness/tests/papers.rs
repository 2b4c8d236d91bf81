//! Systems of the papers, transcribed: verdicts and bounds.

use boundedness::{BufferVerdict, Encoding, Options, Outcome, Search, check};
use cfsm_core::system::{System, SystemBuilder};

/// Every way to work, which must agree.
fn check_all_ways(system: &System) -> Outcome {
    let ways = [Encoding::Flow, Encoding::Cycles]
        .into_iter()
        .flat_map(|encoding| [Search::Float, Search::Exact].map(|search| (encoding, search)));
    let mut outcomes = ways.map(|(encoding, search)| {
        check(system, &ilp_encode::Options { encoding, search, ..Default::default() }.into())
    });
    let first = outcomes.next().expect("four ways");
    for other in outcomes {
        assert_eq!(first.verdict.is_proved(), other.verdict.is_proved());
        for (buffer, verdict) in first.buffers.iter() {
            let other = &other.buffers[buffer];
            assert_eq!(verdict.to_string(), other.to_string(), "{}", system.buffers[buffer].name);
        }
    }
    first
}

fn bounds(system: &System, outcome: &Outcome) -> Vec<(String, String)> {
    let named = |(id, verdict): (_, &BufferVerdict)| (system.buffers[id].name.clone(), verdict.to_string());
    outcome.buffers.iter().map(named).collect()
}

/// Thesis, Fig. 5.2 (paper 000, Fig. 1), one transition per arc as drawn there.
#[test]
fn two_processes_whose_boundedness_is_not_easily_seen() {
    let mut s = SystemBuilder::new("two-processes");
    let [a, b] = ["a", "b"].map(|name| s.message("AB", name));
    let c = s.message("BA", "c");
    s.class("Left", 1)
        .step("s0", &[], "s1")
        .step("s1", &[(c, -1), (b, 2)], "s2")
        .step("s1", &[(c, -1), (b, 5)], "s3")
        .step("s2", &[(c, -1), (a, 2), (b, 1)], "s3")
        .step("s3", &[(c, -1), (a, 2)], "s2");
    s.class("Right", 1).step("t0", &[(c, 2)], "t1").receive("t1", a, "t2").step(
        "t2",
        &[(b, -1), (c, 1)],
        "t1",
    );
    let system = s.build().unwrap();
    let outcome = check_all_ways(&system);
    assert!(outcome.verdict.is_proved());
    let expected = [("AB", "bounded by 13"), ("BA", "bounded by 4")];
    assert_eq!(bounds(&system, &outcome), expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
}

/// Thesis, Example 5.3: System 1 of Fig. 5.1, each message in a buffer of its own.
#[test]
fn a_system_that_splits_one_message_into_two_grows() {
    let mut s = SystemBuilder::new("system-1");
    let [a, b, c] = ["a", "b", "c"].map(|name| s.message(name, ""));
    s.class("P1", 1).step("S1", &[(a, -1), (b, 1), (c, 1)], "S1");
    s.class("P2", 1).step("S2", &[(c, -1), (a, 1)], "S2").step("S2", &[(b, -1), (a, 1)], "S2");
    let outcome = check_all_ways(&s.build().unwrap());
    assert!(!outcome.verdict.is_proved());
    assert!(outcome.buffers.values().all(|buffer| matches!(buffer, BufferVerdict::CanGrow { .. })));
}

/// Thesis, Fig. 5.1: System 2 is bounded, System 3 has a loop that only sends.
#[test]
fn the_other_systems_of_the_figure() {
    let system = |spontaneous: bool| {
        let mut s = SystemBuilder::new("figure");
        let [a, b, c] = ["a", "b", "c"].map(|name| s.message(name, ""));
        s.class("P1", 1).step("S1", &[(a, -1), (b, 1)], "S1").step("S1", &[(a, -1), (c, 1)], "S1");
        let mut right = s.class("P2", 1);
        right.step("S2", &[(c, -1), (a, 1)], "S2").step("S2", &[(b, -1), (a, 1)], "S2");
        if spontaneous {
            right.send("S2", c, "S2");
        }
        s.build().unwrap()
    };
    assert!(check_all_ways(&system(false)).verdict.is_proved());
    assert!(!check_all_ways(&system(true)).verdict.is_proved());
}

/// Messages handed over in person are never stored, and tie the two sides' steps together.
#[test]
fn a_rendezvous_paces_a_sender() {
    let paced = |capacity: u32| {
        let mut s = SystemBuilder::new("paced");
        let tick = s.message("tick", "");
        let buffer = s.buffer("tick");
        s.declare(buffer, capacity);
        let work = s.message("work", "");
        s.class("Producer", 1).receive("0", tick, "1").send("1", work, "0");
        s.class("Clock", 1).send("0", tick, "1");
        s.class("Consumer", 1).receive("0", work, "0");
        s.build().unwrap()
    };
    for capacity in [0, 1] {
        let outcome = check_all_ways(&paced(capacity));
        let last = outcome.buffers.values().next_back().unwrap();
        assert_eq!(last.to_string(), "bounded by 1");
        assert!(outcome.verdict.is_proved());
    }
}

/// Creation for ever grows what instances send once (thesis 7.6); creation twice does not.
#[test]
fn instances_created_in_a_loop_flood_a_buffer() {
    let system = |looping: bool| {
        let mut s = SystemBuilder::new("creation");
        let m = s.message("q", "");
        let worker = s.class("Worker", 0).send("0", m, "1").id();
        let mut creator = s.class("Creator", 1);
        if looping {
            creator.create("0", worker, "0");
        } else {
            creator.create("0", worker, "1").create("1", worker, "2");
        }
        s.build().unwrap()
    };
    assert_eq!(bounds(&system(true), &check_all_ways(&system(true)))[0].1, "can grow");
    assert_eq!(bounds(&system(false), &check_all_ways(&system(false)))[0].1, "bounded by 2");
}

/// A limit leaves nothing decided wrongly.
#[test]
fn a_limit_on_cycles_is_a_reason() {
    let mut s = SystemBuilder::new("limited");
    let m = s.message("q", "");
    s.class("P", 1).send("0", m, "0").receive("0", m, "0");
    let questions =
        ilp_encode::Options { encoding: Encoding::Cycles, max_cycles: Some(1), ..Default::default() };
    let options = Options::from(questions);
    let outcome = check(&s.build().unwrap(), &options);
    let boundedness::Verdict::Unknown { reason, certificate: None } = outcome.verdict else { panic!() };
    assert_eq!(reason.to_string(), "there are more than 1 elementary cycles");
}
