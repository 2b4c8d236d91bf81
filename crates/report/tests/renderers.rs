//! Every renderer on systems built by hand.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use boundedness::{Options, Outcome, Reason};
use cfsm_core::ids::Id;
use cfsm_core::source::Origin;
use cfsm_core::system::{Direction, Event, MessageId, System, SystemBuilder};
use report::text::{self, Style};
use report::view::{self, CYCLES_SCHEMA, Check, CycleListing, Gain, ProcessCycles, Seconds, Subject};
use report::{json, view::Verdict};

fn view_of(system: &System, options: &Options) -> Check {
    view_of_outcome(system, &boundedness::check(system, options))
}

fn view_of_outcome(system: &System, outcome: &Outcome) -> Check {
    let assumptions = ["each buffer is asked about as unbounded, beside others that are unbounded or limited as declared, in any combination".to_owned()];
    view::check(&Subject {
        file: "model.pml",
        system,
        outcome,
        assumptions: &assumptions,
        approximations: &[],
        refinement: &[],
        tried: &[],
        runs: None,
        as_declared: None,
        seconds: Seconds::default(),
    })
}

fn client_server() -> System {
    let mut b = SystemBuilder::new("client-server");
    let request = b.message("toServer", "request");
    let reply = b.message("toClient", "reply");
    let (to_server, hall) = (b.buffer("toServer"), b.message("hall", "bell"));
    let hall_buffer = b.buffer("hall");
    b.declare(to_server, 4).declare(hall_buffer, 0);
    b.class("client", 3).send("idle", request, "waiting").receive("waiting", reply, "idle");
    b.class("server", 1).receive("ready", request, "busy").step("busy", &[(reply, 1), (hall, 1)], "ready");
    b.class("porter", 1).receive("door", hall, "door");
    b.build().unwrap()
}

fn statement(line: u32, text: &str) -> Option<Origin> {
    Some(Origin { file: "model.pml".into(), line, text: text.into() })
}

fn send(message: MessageId, count: u32) -> Event {
    Event { direction: Direction::Send, message, count }
}

/// One class floods a buffer, another one is created for ever and floods a second, a third buffer
/// is bounded.
fn flood() -> System {
    let mut b = SystemBuilder::new("flood");
    let (a, log, ack) = (b.message("AB", "a"), b.message("log", ""), b.message("BA", "ack"));
    let buffer = b.buffer("AB");
    b.declare(buffer, 2);
    let mut visitor = b.class("Visitor", 0);
    let id = visitor.id();
    let (come, gone) = (visitor.state("come"), visitor.state("gone"));
    visitor.transition(come, vec![send(log, 2)], vec![], gone, statement(3, "log!1; log!2"));
    let mut talker = b.class("Talker", 1);
    let (start, said) = (talker.state("start"), talker.state("said"));
    talker.transition(start, vec![send(a, 1)], vec![], said, statement(9, "AB!a"));
    talker.transition(said, vec![], vec![], start, statement(10, "talked = true"));
    let mut host = b.class("Host", 1);
    let (idle, open) = (host.state("idle"), host.state("open"));
    host.transition(idle, vec![send(ack, 1)], vec![], open, statement(20, "BA!ack"));
    host.transition(open, vec![], vec![id], open, statement(21, "run Visitor()"));
    b.build().unwrap()
}

/// A proof that the checker rejects is told in text and JSON.
#[test]
fn what_is_rejected_is_told() {
    let system = client_server();
    let mut outcome = boundedness::check(&system, &Options::default());
    let mut forged = outcome.verdict.certificate().unwrap().clone().into_inner();
    forged.system = "other".into();
    outcome.rejected.push(certify::check(&system, forged).unwrap_err());
    outcome.verdict = boundedness::Verdict::Unknown { reason: Reason::Rejected, certificate: None };
    let view = view_of_outcome(&system, &outcome);
    let result = &view.property_results[0];
    assert_eq!(result.verdict, Verdict::Unknown);
    let (text, json) = (text::check(&view, Style::default()), json::render(&view));
    for told in [text.split_whitespace().collect::<Vec<_>>().join(" "), json] {
        assert!(told.contains("what was found as a proof is none: the checker rejects it"), "{told}");
        assert!(told.contains("the certificate is for the system `other`"), "{told}");
    }
}

/// Above the last line nothing depends on time.
#[test]
fn bounded_as_text() {
    insta::assert_snapshot!(text::check(&view_of(&client_server(), &Options::default()), Style::default()));
}

#[test]
fn unknown_as_text() {
    insta::assert_snapshot!(text::check(&view_of(&flood(), &Options::default()), Style::default()));
}

#[test]
fn unknown_as_json() {
    insta::assert_snapshot!(json::render(&view_of(&flood(), &Options::default())));
}

#[test]
fn bounded_as_json() {
    insta::assert_snapshot!(json::render(&view_of(&client_server(), &Options::default())));
}

#[test]
fn a_limit_as_text() {
    let mut options = Options::default();
    options.questions.encoding = boundedness::Encoding::Cycles;
    options.questions.max_cycles = Some(1);
    insta::assert_snapshot!(text::check(&view_of(&client_server(), &options), Style::default()));
}

#[test]
fn colour_is_the_only_difference_that_style_makes() {
    let view = view_of(&flood(), &Options::default());
    let coloured = text::check(&view, Style { colour: true, ..Style::default() });
    let plain = text::check(&view, Style::default());
    assert!(coloured.contains("\u{1b}[1;33mUNKNOWN\u{1b}[0m") && coloured.contains("\u{1b}[2m"));
    assert!(!plain.contains('\u{1b}'));
    let mut stripped = coloured;
    for code in ["1;33", "1", "2", "0"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(without_breaks(&stripped), without_breaks(&plain));
}

/// Escape codes count as letters when prose is broken.
fn without_breaks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_beyond_64_bits_are_numbers() {
    let mut b = SystemBuilder::new("huge");
    let up: Vec<_> = (0..9).map(|i| b.message(&format!("q{i}"), "m")).collect();
    for i in 0..8 {
        b.class(&format!("P{i}"), 1).step("0", &[(up[i], -1), (up[i + 1], 1000)], "0");
    }
    b.class("Start", 1).send("0", up[0], "1");
    let system = b.build().unwrap();
    let view = view_of(&system, &Options::default());
    assert_eq!(view.property_results[0].verdict, Verdict::Proved);
    let text = json::render(&view);
    assert!(text.contains("\"bound\": 1000000000000000000000000,"), "{text}");
    assert!(text::check(&view, Style::default()).contains("≤ 1000000000000000000000000\n"));
    assert_eq!(serde_json::from_str::<Check>(&text).unwrap(), view);
}

#[test]
fn a_view_survives_its_json() {
    for system in [flood(), client_server()] {
        let view = view_of(&system, &Options::default());
        assert_eq!(serde_json::from_str::<Check>(&json::render(&view)).unwrap(), view);
    }
}

#[test]
fn no_system_gives_unknown_without_buffers() {
    let view =
        view::undecided("m.pml", "the abstract system has more than 3 transitions", Seconds::default());
    insta::assert_snapshot!(text::check(&view, Style::default()));
}

#[test]
fn cycles_as_text() {
    let system = flood();
    let list = |ids: &[usize]| ids.iter().map(|&id| view::step(&system, Id::new(id))).collect::<Vec<_>>();
    let gain = |message: &str, count: i64| Gain { message: message.into(), count: count.into() };
    let listing = CycleListing {
        schema: CYCLES_SCHEMA.into(),
        file: "model.pml".into(),
        processes: vec![
            ProcessCycles {
                name: "Talker".into(),
                states: 2,
                transitions: 2,
                cycles: 1,
                complete: true,
                list: Some(vec![list(&[1, 2])]),
                effects: None,
            },
            ProcessCycles {
                name: "Host".into(),
                states: 2,
                transitions: 2,
                cycles: 2,
                complete: false,
                list: None,
                effects: Some(vec![vec![], vec![gain("AB(a)", 4), gain("BA(c)", -2)]]),
            },
        ],
        total: 3,
        complete: false,
    };
    insta::assert_snapshot!(text::cycles(&listing, Style::default()));
    assert_eq!(serde_json::from_str::<CycleListing>(&json::render(&listing)).unwrap(), listing);
    let mut written = Vec::new();
    json::write(&listing, &mut written).unwrap();
    assert_eq!(written, json::render(&listing).into_bytes());
}
