//! Diagrams and reports of systems that are built here.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::fmt::Write as _;

use cfsm_core::source::Sources;
use cfsm_core::system::{System, SystemBuilder};
use report::diagram::{Diagram, MOST_NODES};
use report::html;
use report::view::{self, Argument, Report, Seconds, Subject, arguments, network};

/// A client and a server, with names that try to be markup.
fn talk(name: &str) -> System {
    let mut b = SystemBuilder::new(name);
    let request = b.message("toServer", name);
    let reply = b.message("toClient", "reply");
    b.class(name, 2).send("idle", request, "waiting").receive("waiting", reply, "idle");
    b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
    b.build().unwrap()
}

fn report_of(system: &System) -> Report {
    let outcome = boundedness::check(system, &boundedness::Options::default());
    let check = view::check(&Subject {
        file: &system.name,
        system,
        outcome: &outcome,
        assumptions: &[],
        approximations: &[],
        refinement: &[],
        tried: &[],
        runs: None,
        as_declared: None,
        seconds: Seconds::default(),
    });
    let proof = outcome.verdict.certificate().map(|found| arguments(system, found)).unwrap_or_default();
    Report::new(check, network(system), proof, &Sources::default())
}

#[test]
fn a_network_has_machines_and_channels() {
    let network = network(&talk("client"));
    let users: Vec<String> = network
        .channels
        .iter()
        .map(|channel| format!("{} {:?} {:?}", channel.name, channel.senders, channel.receivers))
        .collect();
    assert_eq!(users, ["toServer [0] [1]", "toClient [1] [0]"]);
    assert_eq!(
        (network.machines[0].states.as_slice(), network.machines[0].initial),
        (&["idle".to_owned(), "waiting".into()][..], 0)
    );
    let diagram = Diagram::of_network(&network, &[]);
    assert_eq!((diagram.nodes.len(), diagram.edges.len()), (4, 4));
}

#[test]
fn transitions_between_two_states_share_an_edge() {
    let mut b = SystemBuilder::new("double");
    let (one, other) = (b.message("c", "one"), b.message("c", "other"));
    b.class("P", 1).send("s", one, "t").send("s", other, "t").receive("t", one, "s").send("s", one, "s");
    let system = b.build().unwrap();
    let diagram = Diagram::of_machine(&network(&system).machines[0]);
    let labels: Vec<&[String]> = diagram.edges.iter().map(|edge| edge.labels.as_slice()).collect();
    assert_eq!(labels, [&["c!one"][..], &["c!one", "c!other"], &["c?one"]]);
    let svg = diagram.svg("p").unwrap();
    assert_eq!((svg.matches("<polygon").count(), svg.matches("<rect").count()), (3, 3));
    assert!(diagram.dot().contains("n0 -> n1 [label=\"c!one\\nc!other\"];"), "{}", diagram.dot());
}

#[test]
fn the_start_of_a_sum_counts_every_instance() {
    let report = report_of(&talk("client"));
    let starts: Vec<String> = report
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Weights(weights) => Some(format!("{} {}", weights.start, weights.bound)),
            _ => None,
        })
        .collect();
    assert!(!starts.is_empty() && starts.iter().all(|start| start == "2 2"), "{starts:?}");
}

/// The search of the library for cycles takes exponential time on such a graph, unless it is given
/// the edges in a good order.
#[test]
fn many_ways_take_no_time() {
    let mut text = String::new();
    let count = (MOST_NODES - 1) / 3;
    for part in 0..count {
        let (begin, end) = (3 * part, 3 * part + 3);
        for way in [begin + 1, begin + 2] {
            let _ = writeln!(text, "{begin} {way}\n{way} {end}");
        }
    }
    let _ = writeln!(text, "{} 0", 3 * count);
    let mut b = SystemBuilder::new("ways");
    let message = b.message("c", "m");
    let mut class = b.class("P", 1);
    for line in text.lines() {
        let (from, to) = line.split_once(' ').unwrap();
        class.send(from, message, to);
    }
    let system = b.build().unwrap();
    let diagram = Diagram::of_machine(&network(&system).machines[0]);
    assert!(diagram.nodes.len() <= MOST_NODES && diagram.svg("p").is_some());
}

#[test]
fn names_are_no_markup() {
    let name = "</script><script>alert(1)</script>\"'&\u{202e}";
    let page = html::report(&report_of(&talk(name)));
    assert!(!page.contains("<script>alert") && !page.contains('\u{202e}'));
    assert_eq!(page.matches("</script>").count(), 2);
    let network = network(&talk(name));
    let diagram = Diagram::of_network(&network, &[]);
    for text in [diagram.document().unwrap(), diagram.mermaid()] {
        assert!(!text.contains("<script") && !text.contains("</script"), "{text}");
    }
    assert!(
        diagram.dot().lines().all(|line| line.matches('"').count() % 2 == line.matches("\\\"").count() % 2)
    );
}

#[test]
fn the_same_report_is_the_same_text() {
    let system = talk("client");
    assert_eq!(html::report(&report_of(&system)), html::report(&report_of(&system)));
}
