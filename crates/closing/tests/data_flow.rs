//! The taint analysis on small models: the example of paper 002, and each of its equations.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::program::{LocationId, ProcessTypeId, Program, VariableId, VariableRef};
use closing::{ConditionKind, DataFlow, HangingCondition, Interface, Reliability, close};

use Reliability::{Chaotic, Mixed, Reliable, Unreached};

/// The example of paper 002 (section 5, Figures 2 to 5) in our words, without its timers: a client
/// of the program and the environment send the same kind of request, and a server decides by what
/// is in it who gets the answer. The `else` is ours: the paper assumes that some guard holds.
const PAPER: &str = "
mtype = { ask, answer };
chan requests = [2] of { mtype, byte };
chan answers = [2] of { mtype };
chan outside = [2] of { mtype };

active proctype Server() {
  byte origin;
  idle:
    requests?ask(origin);
  decide:
    if
    :: origin == 0 -> inside: answers!answer; goto idle
    :: origin == 1 -> beyond: outside!answer; goto idle
    :: else -> dropped: skip; goto idle
    fi
}

active proctype Client() {
  byte quota = 1;
  wait:
    do
    :: quota > 0 -> requests!ask(0); quota = quota - 1
    :: answers?answer -> quota = 1
    od
}
";

fn program(text: &str) -> Program {
    let parsed = promela_front::parse("model.pml", text, &promela_front::Options::default());
    parsed.program.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

fn interface(program: &Program, open: &[&str]) -> Interface {
    Interface::named(program, open.iter().copied()).unwrap()
}

fn type_named(program: &Program, name: &str) -> ProcessTypeId {
    program.types.iter().find(|(_, process)| process.name == name).unwrap().0
}

fn label(program: &Program, process: ProcessTypeId, label: &str) -> LocationId {
    let mut locations = program.types[process].locations.iter();
    locations.find(|(_, location)| location.labels.iter().any(|own| own == label)).unwrap().0
}

fn variable(program: &Program, process: ProcessTypeId, name: &str) -> VariableRef {
    let local = program.types[process].locals.iter().find(|(_, variable)| variable.name == name);
    match local {
        Some((id, _)) => VariableRef::Local(id),
        None => VariableRef::Global(global(program, name)),
    }
}

fn global(program: &Program, name: &str) -> VariableId {
    program.globals.iter().find(|(_, variable)| variable.name == name).unwrap().0
}

/// The classification of a variable at a label of a process type, and the names of its sources.
fn at(program: &Program, open: &[&str], place: &str) -> (Reliability, Vec<String>) {
    let [process, location, name] = place.split(' ').collect::<Vec<_>>()[..] else { panic!("{place}") };
    let flow = DataFlow::of(program, &interface(program, open));
    let process = type_named(program, process);
    let flags = flow.flags(process, label(program, process, location), variable(program, process, name));
    let sources = flags.sources.iter().map(|source| program.globals[*source].name.clone());
    (flags.reliability(), sources.collect())
}

/// The classification alone, with the channel `in` open.
fn from_in(text: &str, place: &str) -> Reliability {
    at(&program(text), &["in"], place).0
}

fn conditions(program: &Program, open: &[&str]) -> Vec<HangingCondition> {
    DataFlow::of(program, &interface(program, open)).conditions()
}

/// The conditions in words: text, kind, variables, `always` or `sometimes`.
fn told(program: &Program, open: &[&str]) -> Vec<String> {
    let words = |condition: &HangingCondition| {
        let variables = condition.variables.iter().map(|cell| match cell.owner {
            Some(owner) => program.types[owner].locals[cell.variable].name.as_str(),
            None => program.globals[cell.variable].name.as_str(),
        });
        let variables = variables.collect::<Vec<_>>().join(" ");
        let when = if condition.always { "always" } else { "sometimes" };
        let text = program.sources.text(condition.span);
        format!("{text} | {:?} | {variables} | {when}", condition.kind)
    };
    conditions(program, open).iter().map(words).collect()
}

#[test]
fn the_example_of_the_paper() {
    let program = program(PAPER);
    let open = ["requests", "outside"];
    let requests = vec!["requests".to_owned()];
    let of = |place: &str| at(&program, &open, place);
    // Requests come from the client, with a constant, and from the environment, with anything: so
    // neither is sure. The paper's Table 2 takes the second source alone (2.2), and its Figure 1
    // can find nothing else (2.1).
    assert_eq!(of("Server decide origin"), (Mixed, requests.clone()));
    // Behind a comparison with a constant the value is one that the text names.
    assert_eq!(of("Server inside origin").0, Reliable);
    assert_eq!(of("Server beyond origin").0, Reliable);
    // The environment may have sent 2: the `else` is taken, and the value stays what it was (2.4).
    assert_eq!(of("Server dropped origin"), (Mixed, requests.clone()));
    // So it does at the next request, beside the initial value (2.3), and those of both answers.
    assert_eq!(of("Server idle origin"), (Mixed, requests));
    // Nothing of the client comes from outside: `answers` is not open, and has no data.
    assert_eq!(of("Client wait quota").0, Reliable);
    assert_eq!(
        told(&program, &open),
        [
            // The kind of a message is compared, and any may come from outside.
            "requests?ask(origin) | Match |  | sometimes",
            "origin == 0 | Guard | origin | sometimes",
            "origin == 1 | Guard | origin | sometimes",
            "else | Else | origin | sometimes",
        ]
    );
}

/// The same without the client: then all that the server decides by is from outside.
#[test]
fn a_server_without_its_client_decides_by_the_environment() {
    let text = PAPER.split_once("active proctype Client").unwrap().0;
    let program = program(text);
    let open = ["requests", "outside"];
    assert_eq!(at(&program, &open, "Server decide origin").0, Chaotic);
    assert!(conditions(&program, &open).iter().all(|condition| condition.always));
    // Without an interface no request comes, and the server never decides.
    assert_eq!(at(&program, &[], "Server decide origin").0, Unreached);
    assert_eq!(told(&program, &[]), [] as [String; 0]);
}

#[test]
fn expressions_are_strict() {
    let text = |value: &str| {
        format!(
            "chan in = [1] of {{ byte }}; active proctype P() {{ byte x, y, z; in?x; y = {value}; end: z = 0 }}"
        )
    };
    for (value, expected) in [
        ("1", Reliable),
        ("y + 1", Reliable),
        ("x", Chaotic),
        ("0 * x", Chaotic),
        ("(y -> x : 1)", Chaotic),
        ("len(in)", Chaotic),
        ("empty(in)", Chaotic),
        ("in?[1]", Chaotic),
        ("_pid", Reliable),
        ("timeout", Mixed),
    ] {
        assert_eq!(from_in(&text(value), "P end y"), expected, "{value}");
    }
}

#[test]
fn messages_carry_their_flags() {
    let text = "chan in = [1] of { byte }; chan q = [2] of { byte, byte }; chan r = [0] of { byte };
        active proctype P() { byte x; in?x; q!0,x; q!1,7; r!x }
        active proctype Q() { byte y, z; q?0,y; first: q?1,z; second: r?y; z = 1; third: skip }
        active proctype R() { byte y; q?_,y; any: y = 0; q?2,y; nobody: skip }";
    // By the constants that are sent and waited for, messages of one channel are told apart.
    assert_eq!(from_in(text, "Q first y"), Chaotic);
    assert_eq!(from_in(text, "Q first z"), Reliable);
    assert_eq!(from_in(text, "Q second z"), Reliable);
    assert_eq!(from_in(text, "Q third z"), Reliable);
    assert_eq!(from_in(text, "R any y"), Mixed);
    // No one sends what is waited for.
    assert_eq!(from_in(text, "R nobody y"), Unreached);
}

#[test]
fn provenance_names_each_source() {
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte }; chan q = [1] of { byte };
        active proctype P() { byte x, y; a?x; b?y; q!x + y }
        active proctype Q() { byte z; q?z; end: z > 3 }";
    let program = program(text);
    assert_eq!(at(&program, &["a", "b"], "Q end z"), (Chaotic, vec!["a".into(), "b".into()]));
    assert_eq!(at(&program, &["b"], "Q end z").0, Unreached);
    let found = conditions(&program, &["a", "b"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].sources, ["a", "b"].map(|name| global(&program, name)).into());
}

#[test]
fn arrays_and_globals_are_written_weakly() {
    let text = "chan in = [1] of { byte }; byte g; byte a[3];
        active proctype P() { byte x; byte own[3]; own[1] = 2; before: in?x; own[x] = 2; behind: own[0] = x; a[0] = 1; end: g = x }
        active proctype Q() { start: skip }";
    assert_eq!(from_in(text, "P before own"), Reliable);
    // Which element was written hangs on the environment, and so does what each of them holds.
    assert_eq!(from_in(text, "P behind own"), Chaotic);
    assert_eq!(from_in(text, "P end a"), Reliable);
    // Another process may read it before, and behind.
    assert_eq!(from_in(text, "Q start g"), Mixed);
    let program = program(text);
    assert_eq!(told(&program, &["in"]), ["own[x] = 2 | Index | x | always"]);
}

#[test]
fn arguments_and_references_are_followed() {
    let text = "chan in = [1] of { byte }; chan plain = [1] of { byte }; chan other = [1] of { byte };
        proctype Reader(chan from; byte limit) { byte x; from?x; got: x > limit }
        proctype Writer(chan to; byte what) { to!what }
        init { byte n; run Reader(plain, 3); run Writer(plain, 1); in?n; run Writer(other, n); run Reader(other, n) }";
    // Both channels are arguments of the same type.
    assert_eq!(from_in(text, "Reader got x"), Mixed);
    assert_eq!(from_in(text, "Reader got limit"), Mixed);
    let program = program(text);
    assert_eq!(
        told(&program, &["in"]),
        ["x > limit | Guard | limit x | sometimes", "run Reader(other, n) | Argument | n | always"]
    );
    let separate = text.replace("run Writer(other, n); run Reader(other, n)", "other!n");
    // What is in `other` is no matter to a process that knows `plain` only.
    assert_eq!(from_in(&separate, "Reader got x"), Reliable);
    // A channel that comes from outside may be any.
    let sent = "chan in = [1] of { chan }; chan q = [1] of { byte };
        active proctype P() { chan c; byte x; in?c; c!1; q?x; end: c!x }";
    let program = self::program(sent);
    assert_eq!(at(&program, &["in"], "P end x").0, Chaotic);
    assert_eq!(told(&program, &["in"]), ["c!1 | Channel | c | always", "c!x | Channel | c | always"]);
}

#[test]
fn an_else_hangs_on_what_is_beside_it() {
    let text = "chan in = [1] of { byte }; chan q = [1] of { byte }; bit b;
        active proctype P() { do :: in?_ -> b = 1 :: else -> b = 0 od }
        active proctype Q() { do :: q?_ -> q!1 :: else -> break od }";
    assert_eq!(told(&program(text), &["in"]), ["else | Else |  | always"]);
}

#[test]
fn other_conditions() {
    let text = "chan in = [1] of { byte }; byte g; chan c[2] = [1] of { byte };
        active proctype P() provided (g < 3) { byte x; in?x; c[x]!1; assert(x < 2); g = x; in?eval(g); timeout }
        active proctype Q() { P:x == 1 }";
    assert_eq!(
        told(&program(text), &["in"])
            .iter()
            .map(|line| line.split_once(" | ").unwrap().1)
            .collect::<Vec<_>>(),
        [
            "Provided | g | sometimes",
            "Channel | x | always",
            "Assertion | x | always",
            "Match | g | always",
            "Guard |  | sometimes",
            "Guard | x | sometimes",
        ]
    );
}

#[test]
fn of_code_in_another_language_nothing_is_claimed() {
    let text = "chan in = [1] of { byte }; chan q = [1] of { byte };
        active proctype P() { byte x; c_code { now.x = 1; }; end: q?x; got: skip }";
    assert_eq!(from_in(text, "P end x"), Mixed);
    assert_eq!(from_in(text, "P got x"), Mixed);
}

#[test]
fn the_environment_that_is_added_is_the_one_outside() {
    let program = program(PAPER);
    let open = ["requests", "outside"];
    let closed = close(&program, &interface(&program, &open));
    assert_eq!(conditions(&closed, &open), conditions(&program, &open));
    assert!(conditions(&program, &open).iter().any(|condition| condition.kind == ConditionKind::Else));
}
