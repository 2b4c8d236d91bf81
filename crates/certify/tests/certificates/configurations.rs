//! Claims that list configurations: what is accepted, and each condition broken by as little as
//! possible.

use certify::{Certificate, Claim, Configuration, ConfigurationsClaim, check};
use cfsm_core::system::{System, SystemBuilder};

use crate::machines::weights;

/// `P` sends a and b once each and waits for the answer to the first; `Q` takes them in this order
/// only. `R` floods a queue of its own, and a queue that `S` shares.
fn system() -> System {
    let mut b = SystemBuilder::new("pair");
    let (a, b_, c) = (b.message("PQ", "a"), b.message("PQ", "b"), b.message("QP", "c"));
    b.class("P", 1).send("0", a, "1").send("1", b_, "2").receive("2", c, "0");
    b.class("Q", 1).receive("0", a, "1").receive("1", b_, "2").send("2", c, "0");
    let (flood, shared) = (b.message("RR", "x"), b.message("RS", "x"));
    b.class("R", 2).send("0", flood, "0").send("0", shared, "0");
    b.class("S", 1).receive("0", shared, "0");
    b.build().expect("a valid system")
}

fn configuration(text: &str) -> Configuration {
    let (states, messages) = text.split_once(';').expect("states; messages");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Configuration { states: words(states), messages: words(messages) }
}

fn claim() -> ConfigurationsClaim {
    let all = [
        "P@0 Q@0;",
        "P@1 Q@0; PQ(a)",
        "P@2 Q@0; PQ(a) PQ(b)",
        "P@1 Q@1;",
        "Q@1 P@2; PQ(b)",
        "P@2 Q@2;",
        "P@2 Q@0; QP(c)",
    ];
    ConfigurationsClaim {
        classes: vec!["P".into(), "Q".into()],
        buffers: vec!["PQ".into(), "QP".into()],
        bounds: weights(&[("PQ", 2), ("QP", 1)]),
        configurations: all.map(configuration).into(),
    }
}

fn said(system: &System, claim: ConfigurationsClaim) -> String {
    let certificate = Certificate::new(system, [Claim::Configurations(claim)]);
    let again = Certificate::from_json(&certificate.to_json()).expect("it is a certificate");
    assert_eq!(again, certificate);
    match check(system, certificate) {
        Ok(checked) => {
            checked.bounds().map(|(buffer, bound)| format!("{buffer} {bound}")).collect::<Vec<_>>().join(", ")
        }
        Err(rejection) => rejection.to_string(),
    }
}

fn changed(change: impl FnOnce(&mut ConfigurationsClaim)) -> String {
    let mut claim = claim();
    change(&mut claim);
    said(&system(), claim)
}

#[test]
fn a_closed_set_is_accepted() {
    assert_eq!(said(&system(), claim()), "PQ 2, QP 1");
    assert_eq!(changed(|claim| claim.bounds = weights(&[("PQ", 2)])), "PQ 2");
    // What is never reached does no harm if it leads nowhere else.
    assert_eq!(changed(|claim| claim.configurations.push(configuration("Q@1;"))), "PQ 2, QP 1");
}

#[test]
fn each_configuration_is_needed() {
    assert_eq!(
        changed(|claim| drop(claim.configurations.remove(0))),
        "claim 1, on PQ, QP: the initial configuration is not in the list: P@0, Q@0; no message"
    );
    for missing in 1..7 {
        let said = changed(|claim| drop(claim.configurations.remove(missing)));
        assert!(said.contains("to one that is not in the list"), "{missing}: {said}");
    }
    assert_eq!(
        changed(|claim| drop(claim.configurations.remove(3))),
        "claim 1, on PQ, QP: transition3 leads from configuration 2 to one that is not in the list: P@1, Q@1; no message"
    );
}

#[test]
fn words_have_an_order() {
    let said = changed(|claim| claim.configurations[2].messages.reverse());
    assert!(said.contains("leads from configuration 2 to one that is not in the list"), "{said}");
    let mut system = system();
    system.order = None;
    let rejected = "claim 1, on PQ, QP: the system does not say that its queues are first in, first out (`\"order\": \"fifo\"`)";
    assert_eq!(said_of(&system), rejected);
}

fn said_of(system: &System) -> String {
    said(system, claim())
}

#[test]
fn bounds_are_those_of_the_list() {
    let full = "claim 1, on PQ: configuration 3: `PQ` holds 2 messages, more than 1";
    assert_eq!(changed(|claim| claim.bounds = weights(&[("PQ", 1)])), full);
    assert_eq!(
        changed(|claim| claim.bounds.clear()),
        "claim 1, on no buffer: no buffer is claimed to be bounded"
    );
    let negative = changed(|claim| claim.bounds = weights(&[("QP", -1)]));
    assert_eq!(negative, "claim 1, on QP: the bound is -1, less than 0");
    let other = changed(|claim| claim.bounds = weights(&[("RR", 9)]));
    assert_eq!(other, "claim 1, on RR: the buffer `RR` is not one of those that are followed");
    let unknown = changed(|claim| claim.bounds = weights(&[("XX", 9)]));
    assert_eq!(unknown, "claim 1, on XX: the system has no buffer `XX`");
}

#[test]
fn others_must_not_reach_into_the_part() {
    let shared = changed(|claim| claim.classes.truncate(1));
    assert_eq!(
        shared,
        "claim 1, on PQ, QP: the buffer `PQ` is followed, but the class `Q`, which is not, uses it"
    );
    let twice = changed(|claim| claim.classes.push("P".into()));
    assert_eq!(twice, "claim 1, on PQ, QP: the class `P` is named twice");
    let unknown = changed(|claim| claim.classes.push("X".into()));
    assert_eq!(unknown, "claim 1, on PQ, QP: the system has no class `X`");
    let foreign = changed(|claim| claim.configurations[0].states.push("R@0".into()));
    let expected =
        "claim 1, on PQ, QP: configuration 1: the state `R@0` is not one of the classes that are followed";
    assert_eq!(foreign, expected);
    let foreign = changed(|claim| claim.configurations[0].messages.push("RR(x)".into()));
    assert_eq!(foreign, "claim 1, on PQ, QP: the buffer `RR` is not one of those that are followed");

    let mut b = SystemBuilder::new("creator");
    let m = b.message("q", "m");
    let created = b.class("Created", 0).send("0", m, "1").id();
    b.class("Creator", 1).create("0", created, "0");
    let claim = ConfigurationsClaim {
        classes: vec!["Created".into()],
        buffers: vec!["q".into()],
        bounds: weights(&[("q", 0)]),
        configurations: vec![configuration(";")],
    };
    let expected = "claim 1, on q: the class `Created` is followed, but `Creator`, which is not, creates instances of it";
    assert_eq!(said(&b.build().unwrap(), claim), expected);
}

/// `S` alone, without the queue that `R` fills: it may take a message at any time.
#[test]
fn queues_that_are_not_followed_give_anything() {
    let mut b = SystemBuilder::new("relay");
    let (x, y) = (b.message("in", "x"), b.message("out", "y"));
    b.class("Source", 1).send("0", x, "0");
    b.class("Relay", 1).receive("0", x, "1").send("1", y, "2").receive("2", y, "0");
    let system = b.build().unwrap();
    let claim = |all: &[&str]| ConfigurationsClaim {
        classes: vec!["Relay".into()],
        buffers: vec!["out".into()],
        bounds: weights(&[("out", 1)]),
        configurations: all.iter().map(|text| configuration(text)).collect(),
    };
    let all = ["Relay@0;", "Relay@1;", "Relay@2; out(y)"];
    assert_eq!(said(&system, claim(&all)), "out 1");
    assert!(said(&system, claim(&all[..1])).contains("transition1 leads from configuration 1"));
}

#[test]
fn a_rendezvous_is_one_step_of_two_instances() {
    let mut b = SystemBuilder::new("meeting");
    let (hello, job) = (b.message("door", "hello"), b.message("jobs", "job"));
    let door = b.buffer("door");
    b.declare(door, 0);
    b.class("P", 2).send("0", hello, "1").receive("0", hello, "2").send("1", job, "3");
    let system = b.build().unwrap();
    let claim = |all: &[&str]| ConfigurationsClaim {
        classes: vec!["P".into()],
        buffers: vec!["door".into(), "jobs".into()],
        bounds: weights(&[("jobs", 1)]),
        configurations: all.iter().map(|text| configuration(text)).collect(),
    };
    let all = ["P@0 P@0;", "P@1 P@2;", "P@3 P@2; jobs(job)"];
    assert_eq!(said(&system, claim(&all)), "jobs 1");
    let expected = "claim 1, on jobs: transition0 with transition1 leads from configuration 1 to one that is not in the list: \
        P@1, P@2; no message";
    assert_eq!(said(&system, claim(&all[..1])), expected);
    // Followed alone, each half may come whenever it likes: two jobs.
    let alone = ConfigurationsClaim { buffers: vec!["jobs".into()], ..claim(&all) };
    assert!(said(&system, alone).contains("transition0 leads from configuration 1"));

    let mut b = SystemBuilder::new("company");
    let (hello, job) = (b.message("door", "hello"), b.message("jobs", "job"));
    let door = b.buffer("door");
    b.declare(door, 0);
    b.class("P", 1).step("0", &[(hello, 1), (job, 1)], "1");
    let said = said(&b.build().unwrap(), claim(&["P@0;"]));
    assert_eq!(said, "claim 1, on jobs: transition0 has a rendezvous and does something else besides");
}

#[test]
fn steps_have_a_limit() {
    let mut b = SystemBuilder::new("long");
    let m = b.message("q", "m");
    b.class("P", 1).step("0", &[(m, 10_001)], "1");
    let claim = ConfigurationsClaim {
        classes: vec!["P".into()],
        buffers: vec!["q".into()],
        bounds: weights(&[("q", 1)]),
        configurations: vec![configuration("P@0;")],
    };
    let said = said(&b.build().unwrap(), claim);
    assert_eq!(said, "claim 1, on q: transition0 has more than 10000 messages");
}
