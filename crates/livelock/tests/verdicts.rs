//! Verdicts on systems whose livelocks are known, in both encodings and both searches.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::families::Ratio;
use cfsm_core::system::{System, SystemBuilder};
use livelock::{Behaviour, Encoding, Fairness, Options, Outcome, Search};

/// The outcome. The kernel has to accept what is found.
fn check(system: &System, options: &Options) -> Outcome {
    let outcome = livelock::check(system, options);
    assert!(outcome.rejected.is_none(), "{:?} of {system:#?}", outcome.rejected);
    outcome
}

/// The outcome, the same in both encodings, with both searches, and whether or not what looks the
/// same is merged.
fn check_all_ways(system: &System) -> Outcome {
    under(system, Fairness::None)
}

fn under(system: &System, fairness: Fairness) -> Outcome {
    let mut outcomes = Vec::new();
    for encoding in [Encoding::Flow, Encoding::Cycles] {
        for search in [Search::Float, Search::Exact] {
            for as_they_are in [false, true] {
                let questions =
                    ilp_encode::Options { encoding, search, as_they_are, ..ilp_encode::Options::default() };
                outcomes.push(check(system, &Options { questions, fairness, ..Options::default() }));
            }
        }
    }
    let first = outcomes[0].verdict.is_proved();
    assert!(outcomes.iter().all(|outcome| outcome.verdict.is_proved() == first), "{}", system.name);
    outcomes.swap_remove(0)
}

fn is_proved(system: &System) -> bool {
    let outcome = check_all_ways(system);
    if let Some(certificate) = outcome.verdict.certificate() {
        assert!(certificate.is_livelock_free());
        // It survives its file.
        let read = certify::Certificate::from_json(&certificate.to_json()).unwrap();
        assert_eq!(certify::check(system, read).as_ref(), Ok(certificate));
    }
    outcome.verdict.is_proved()
}

/// Whether it is proved for fair runs, and only for these.
fn is_proved_if_fair(system: &System) -> bool {
    assert!(!is_proved(system), "{} needs no fairness", system.name);
    let outcome = under(system, Fairness::Weak);
    if let Some(certificate) = outcome.verdict.certificate() {
        assert!(!certificate.is_livelock_free() && certificate.is_livelock_free_under(Fairness::Weak));
        let read = certify::Certificate::from_json(&certificate.to_json()).unwrap();
        assert_eq!(certify::check(system, read).as_ref(), Ok(certificate));
    }
    outcome.verdict.is_proved()
}

/// Two clients and a server that serves them as it likes (thesis, Fig. 6.1), or in turns (Fig.
/// 6.2); progress is what the first client waits for.
fn clients(in_turns: bool) -> System {
    let mut b = SystemBuilder::new("clients");
    let kinds = ["1", "2"]
        .map(|client| ["req", "ack", "rel"].map(|kind| b.message(&format!("{kind}{client}"), kind)));
    for (client, [req, ack, rel]) in kinds.iter().enumerate() {
        let mut class = b.class(&format!("client{client}"), 1);
        class.send("1", *req, "2").receive("2", *ack, "3");
        if client == 0 {
            b.progress();
        }
        let class = cfsm_core::ids::Id::new(client);
        b.class_again(class).send("3", *rel, "1");
    }
    let [[req1, ack1, rel1], [req2, ack2, rel2]] = kinds;
    let mut server = b.class("server", 1);
    server.receive("1", req1, "2").send("2", ack1, "3");
    let second = if in_turns { "4" } else { "1" };
    server.receive("3", rel1, second).receive(second, req2, "5").send("5", ack2, "6").receive("6", rel2, "1");
    b.build().unwrap()
}

#[test]
fn a_server_may_starve_a_client() {
    let outcome = check_all_ways(&clients(false));
    assert!(!outcome.verdict.is_proved());
    let combination = outcome.combination.unwrap();
    // The second client and the loop of the server that serves it, once each.
    assert_eq!(combination.parts.len(), 2);
    assert!(combination.parts.iter().all(|(part, times)| {
        matches!(part, Behaviour::Cycle(steps) if steps.len() == 3) && *times == 1.into()
    }));
}

#[test]
fn a_server_that_takes_turns_starves_nobody() {
    assert!(is_proved(&clients(true)));
}

#[test]
fn without_marks_the_question_is_whether_every_run_ends() {
    let mut b = SystemBuilder::new("consumer");
    let m = b.message("q", "m");
    b.class("Producer", 3).send("0", m, "1");
    b.class("P", 1).receive("0", m, "0");
    assert!(is_proved(&b.build().unwrap()));
    let mut b = SystemBuilder::new("flood");
    let m = b.message("q", "m");
    b.class("P", 1).send("0", m, "0");
    assert!(!is_proved(&b.build().unwrap()));
}

#[test]
fn what_creates_for_ever_is_an_infinite_run() {
    for marked in [false, true] {
        let mut b = SystemBuilder::new("creation");
        let child = b.class("Child", 0).id();
        b.class_again(child).step("born", &[], "gone");
        b.class("Parent", 1).create("0", child, "0");
        if marked {
            b.progress();
        }
        assert_eq!(is_proved(&b.build().unwrap()), marked);
    }
    // Each creates another one.
    let mut b = SystemBuilder::new("letter");
    let child = b.class("Letter", 1).id();
    b.class_again(child).create("0", child, "1");
    assert!(!is_proved(&b.build().unwrap()));
}

#[test]
fn a_rendezvous_makes_progress_if_one_side_does() {
    for marked in [false, true] {
        let mut b = SystemBuilder::new("meeting");
        let c = b.buffer("c");
        b.declare(c, 0);
        let m = b.message_in(c, "m");
        b.class("P", 1).send("0", m, "0");
        b.class("Q", 1).receive("0", m, "0");
        if marked {
            b.progress();
        }
        assert_eq!(is_proved(&b.build().unwrap()), marked);
    }
}

/// A process that first feeds itself the one kind and takes the other, then the other way round;
/// each loop alone runs dry, both together would feed each other.
fn two_phases(instances: u32, back: bool) -> System {
    let mut b = SystemBuilder::new("phases");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let mut class = b.class("P", instances);
    class.step("1", &[(x, -1), (y, 1)], "1").step("1", &[], "2").step("2", &[(y, -1), (x, 1)], "2");
    if back {
        class.step("2", &[], "1");
        b.progress();
    }
    b.build().unwrap()
}

#[test]
fn loops_of_one_process_that_do_not_hang_together_are_no_livelock() {
    let system = two_phases(1, false);
    let plain = check(&system, &Options { cases: 1, ..Options::default() });
    assert!(!plain.verdict.is_proved());
    assert!(is_proved(&system));
    assert!(is_proved(&two_phases(1, true)));
    // Of two processes each can be in a phase of its own.
    assert!(!is_proved(&two_phases(2, false)));
}

/// Both loops lie in one strongly connected component, and to go from one to the other takes a
/// message that is not there any more some time.
#[test]
fn a_way_between_loops_that_runs_dry_is_no_way() {
    for refilled in [false, true] {
        let mut b = SystemBuilder::new("bridge");
        let (x, y, toll) = (b.message("x", "m"), b.message("y", "m"), b.message("toll", "m"));
        let mut class = b.class("P", 1);
        class.step("1", &[(x, -1), (y, 1)], "1").step("2", &[(y, -1), (x, 1)], "2");
        class.step("1", &[(toll, -1)], "2").step("2", &[(toll, i32::from(refilled))], "1");
        assert_eq!(is_proved(&b.build().unwrap()), !refilled);
    }
}

#[test]
fn a_limit_on_cases_gives_unknown() {
    let outcome = check(&two_phases(1, false), &Options { cases: 2, ..Options::default() });
    assert!(!outcome.verdict.is_proved() && outcome.combination.is_some());
}

/// A ring in which a token goes round, with progress in one place.
fn ring(length: usize, marked: bool) -> System {
    let mut system = cfsm_core::families::ring(length, Ratio::ONE, 0, Ratio::ONE);
    let first = system.transitions.ids().next().unwrap();
    system.transitions[first].progress = marked;
    system
}

#[test]
fn a_ring_with_progress_in_one_place_has_no_livelock() {
    assert!(is_proved(&ring(20, true)));
    assert!(!is_proved(&ring(20, false)));
}

/// Line 4 of what is asked for; `cargo test --release -p livelock -- --ignored --nocapture` says
/// how long it takes.
#[test]
#[ignore = "a measurement"]
fn a_ring_of_a_thousand() {
    for length in [1_000, 2_000, 4_000] {
        let system = ring(length, true);
        let start = std::time::Instant::now();
        assert!(check(&system, &Options::default()).verdict.is_proved());
        println!("{length} processes: {:.3} s", start.elapsed().as_secs_f64());
    }
}

/// A process that goes round without progress, and one that does something before each step with
/// progress.
fn beside(ready: &[&str]) -> System {
    let mut b = SystemBuilder::new("beside");
    b.class("Idle", 1).step("0", &[], "0");
    let worker = b.class("Worker", 1).id();
    b.class_again(worker).step("0", &[], "1").step("1", &[], "0");
    b.progress();
    for state in ready {
        b.class_again(worker).always_ready(state);
    }
    b.build().unwrap()
}

#[test]
fn fairness_helps_where_a_process_can_always_step() {
    assert!(is_proved_if_fair(&beside(&["0", "1"])));
    assert!(!is_proved_if_fair(&beside(&["0"])));
    assert!(!is_proved_if_fair(&beside(&["1"])));
    // What is proved for all runs is, under fairness too, proved for all.
    let outcome = under(&clients(true), Fairness::Weak);
    assert!(outcome.verdict.certificate().unwrap().is_livelock_free());
}

#[test]
fn who_is_created_in_time_is_there() {
    let creation = |ready: bool| {
        let mut b = SystemBuilder::new("creation");
        let worker = b.class("Worker", 0).id();
        b.class_again(worker).step("0", &[], "1").step("1", &[], "0").always_ready("0").always_ready("1");
        b.progress();
        b.class("Idle", 1).step("0", &[], "0");
        let mut init = b.class("init", 1);
        init.create("0", worker, "1");
        if ready {
            init.always_ready("0");
        }
        b.build().unwrap()
    };
    assert!(is_proved_if_fair(&creation(true)));
    assert!(!is_proved_if_fair(&creation(false)));
}

/// A process cannot go back to a place that it leaves with progress only, if it does not stay
/// there.
#[test]
fn nobody_comes_to_where_nobody_stays() {
    let mut b = SystemBuilder::new("detour");
    let m = b.message("q", "m");
    b.class("Source", 1).send("0", m, "0");
    let mut taker = b.class("Taker", 1);
    // It may wait at 0 for ever: the messages come, but that is not seen. It does not go round.
    taker.receive("0", m, "1").always_ready("1").step("1", &[], "0");
    b.progress();
    assert!(!is_proved_if_fair(&b.build().unwrap()));
    // With a finite source, each round of the taker is proved to be the last one, or to make
    // progress.
    let mut b = SystemBuilder::new("detour");
    let mut process = b.class("P", 2);
    process.step("0", &[], "1").always_ready("1").step("1", &[], "1");
    b.progress();
    process = b.class_again(cfsm_core::ids::Id::new(0));
    process.step("1", &[], "0");
    assert!(!is_proved_if_fair(&b.build().unwrap()));
}

/// Fairness is of no use where the process that goes round is the one that would have to make
/// progress.
#[test]
fn who_has_the_choice_may_always_choose_the_other() {
    let mut b = SystemBuilder::new("choice");
    b.class("P", 1).step("0", &[], "0").always_ready("0").step("0", &[], "0");
    b.progress();
    assert!(!is_proved_if_fair(&b.build().unwrap()));
}
