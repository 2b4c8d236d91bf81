//! The capsule model of texts.

use std::collections::BTreeSet;

use umlrt_front::model::{CapsuleSystem, InstanceId, Step, Test, Value};
use umlrt_front::{Imports, Options, parse};

fn read(text: &str) -> CapsuleSystem {
    let outcome = parse("m.room", text, &Options::default());
    let lines: Vec<String> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    outcome.system.unwrap_or_else(|| panic!("{lines:?}"))
}

fn instance(system: &CapsuleSystem, path: &str) -> InstanceId {
    let mut all = system.instances.iter();
    all.find(|(_, known)| known.path == path).unwrap_or_else(|| panic!("no {path}")).0
}

/// The peers of a port, by path and port.
fn peers(system: &CapsuleSystem, path: &str, port: &str) -> Vec<String> {
    let known = &system.instances[instance(system, path)];
    let port = system.classes[known.classes[0]].port(port).expect("a port");
    let named = |peer: &umlrt_front::model::Peer| {
        let other = &system.instances[peer.instance];
        let class = &system.classes[other.classes[peer.class]];
        let doubt = if peer.certain { "" } else { "?" };
        format!("{}.{}{doubt}", other.path, class.ports[peer.port].name)
    };
    known.peers[0][port].iter().map(named).collect()
}

#[test]
fn wires_lead_through_relays_and_layers() {
    let system = read(include_str!("fixtures/valid/whole_language.room"));
    assert_eq!(peers(&system, "outer.client", "server"), ["store.inner.client"]);
    assert_eq!(peers(&system, "store.inner", "client"), ["outer.client.server"]);
    assert_eq!(peers(&system, "outer.client", "clock"), ["clock.timer"]);
    assert_eq!(
        peers(&system, "outer.hub", "spokes"),
        ["outer.spokes[0].hub", "outer.spokes[1].hub", "outer.spokes[2].hub"]
    );
    assert_eq!(peers(&system, "outer.spokes[1]", "hub"), ["outer.hub.spokes"]);
}

#[test]
fn inheritance_is_flattened() {
    let system = read(include_str!("fixtures/valid/machine.room"));
    let class = system.classes.values().find(|class| class.name == "ADerived").unwrap();
    let machine = class.machine.as_ref().unwrap();
    let mut paths: Vec<String> = machine.states.ids().map(|state| machine.path(state)).collect();
    paths.sort();
    assert_eq!(paths, ["busy", "busy.deep", "busy.deep.er", "busy.first", "busy.second", "idle"]);
    let idle = machine.states.values().find(|state| state.name == "idle").unwrap();
    let [Step::Choice(readings)] = idle.entry.as_slice() else { panic!("{:?}", idle.entry) };
    assert_eq!(readings.len(), 2, "base and derived, or derived alone");
}

#[test]
fn code_is_read_as_far_as_it_is_understood() {
    let outcome = parse("m.room", include_str!("fixtures/valid/code.room"), &Options::default());
    let system = outcome.system.expect("no error");
    let class = system.classes.values().find(|class| class.name == "ACode").unwrap();
    let machine = class.machine.as_ref().unwrap();
    let shown: Vec<String> = machine
        .transitions
        .values()
        .map(|transition| format!("{}: {}", transition.name, block(&system, &transition.action)))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    let lines: Vec<String> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    insta::assert_snapshot!("code_warnings", lines.join("\n"));
}

fn block(system: &CapsuleSystem, steps: &[Step]) -> String {
    let protocol = system.protocols.values().find(|protocol| protocol.name == "PTalk").expect("a protocol");
    let one = |step: &Step| match step {
        Step::Send(send) => format!("{} {:?}", protocol.messages[send.message].name, send.recipient),
        Step::Requeue => "again".into(),
        Step::Incarnate { part } => format!("new {part}"),
        Step::Choice(blocks) => {
            let all: Vec<String> = blocks.iter().map(|inner| block(system, inner)).collect();
            format!("({})", all.join(" | "))
        }
        Step::Repeat(inner) => format!("({})*", block(system, inner)),
        Step::Assign { variable, value } => format!("{variable:?} := {}", shown(value)),
        Step::If { condition, then, otherwise } => {
            format!("({} ? {} : {})", test(condition), block(system, then), block(system, otherwise))
        }
        Step::Loop(known) => {
            let condition = known.condition.as_ref().map_or_else(|| "?".to_owned(), test);
            let parts = [&known.before, &known.body, &known.update].map(|part| block(system, part));
            let [before, body, update] = parts;
            let first = if known.body_first { "do " } else { "" };
            format!("{first}({before} {condition}: {body}: {update})*")
        }
        Step::Switch(inner) => format!("{{{}}}", block(system, inner)),
        Step::Call(inner) => format!("[{}]", block(system, inner)),
        Step::Break => "break".into(),
        Step::Continue => "continue".into(),
        Step::Return => "return".into(),
    };
    steps.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn test(condition: &Test) -> String {
    assert_eq!(*condition, Test::exact(condition.holds.clone()), "no range is followed");
    shown(&condition.holds)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Constant(number) => number.to_string(),
        Value::Read(variable) => format!("{variable:?}"),
        Value::Unary(operator, one) => format!("{operator:?} {}", shown(one)),
        Value::Binary(operator, one, other) => format!("({} {operator:?} {})", shown(one), shown(other)),
        Value::Conditional(one, then, other) => {
            format!("({} ? {} : {})", shown(one), shown(then), shown(other))
        }
    }
}

/// The variables that are followed in a class with the given attributes, operations and code.
fn followed(attributes: &str, operations: &str, code: &str) -> Vec<String> {
    let text = format!(
        "RoomModel M {{
            ProtocolClass P {{ incoming {{ Message go() }} outgoing {{ Message a(data: int32) }} }}
            ActorClass A {{ Structure {{ {attributes} Port p: P Attribute n: int32 = \"3\" }}
                Behavior {{ {operations} StateMachine {{ State s Transition init: initial -> s
                    Transition t: s -> s {{ triggers {{ <go: p> }} action '''{code} if (n == 1) p.a(n);''' }}
                }} }} }} }}"
    );
    let system = read(&text);
    let class = system.classes.values().next().expect("a class");
    let mut all: Vec<String> = class.variables.values().map(|one| one.name.clone()).collect();
    all.sort();
    all
}

#[test]
fn variables_are_followed_as_long_as_all_changes_are_understood() {
    for code in [
        "n = 4;",
        "this.n++; n -= 2;",
        "self->n = n / 2 % 3;",
        "printf(\"%d\", n); other(n + 1); n = (int) 4;",
        "{ double n = sqrt(2); n = 3.5; } n = 2;",
        "switch (n) { case 1: n = 2; break; default: n = 1; }",
        "q->m = unknown();",
    ] {
        assert_eq!(followed("", "", code), ["n"], "{code}");
    }
    for code in [
        "n = unknown();",
        // It may be this capsule.
        "q->n = unknown();",
        "n = n / x;",
        "n = n << 2;",
        "n = 3u;",
        "n = data;",
        "other(n);",
        "other(&n);",
        "int* q = &n; *q = 3;",
        "int& q = n; q = 3;",
        "q = [&] { n = 4; };",
        "std::cin >> n;",
        "other(self);",
        "setN(5);",
        "op(&n);",
        "n = n++ + n;",
        "f(n = 1, n = 2);",
        "goto end; n = 2;",
        "for (auto& each : n) { each = 1; }",
    ] {
        assert_eq!(followed("", "Operation op() '''log();'''", code), [""; 0], "{code}");
    }
}

#[test]
fn declarations_decide_about_variables_too() {
    let n = ["n"];
    assert_eq!(followed("Attribute m: int32", "", "m++;"), n, "no condition depends on m");
    assert_eq!(followed("Attribute m: int32", "", "if (m > 2) n = 4;"), ["m", "n"]);
    assert_eq!(followed("Attribute m: uint32", "", "if (m > 2) n = 4;"), ["m", "n"]);
    assert_eq!(followed("Attribute m: uint32", "", "m = n; if (m > 2) n = 4;"), n, "n may be negative");
    assert_eq!(followed("Attribute m: uint64", "", "if (m > 2) n = 4;"), n);
    assert_eq!(followed("Attribute m: int32 = \"FOO\"", "", "if (m > 2) n = 4;"), n);
    assert_eq!(followed("Attribute m[2]: int32", "", "if (m[1] > 2) n = 4;"), n);
    assert_eq!(followed("Attribute data: int32", "", "if (data > 2) n = 4;"), n, "data of a message");
    assert_eq!(followed("Attribute m: boolean", "", "m = n; if (m) n = 4;"), n, "4 is true, too");
    assert_eq!(followed("Attribute m: boolean", "", "m = n > 2; if (m) n = 4;"), ["m", "n"]);
    assert_eq!(followed("", "Operation op() '''n = 2;'''", "op();"), n);
    assert_eq!(followed("", "Operation op(n: int32) '''n = f();'''", "op(2);"), n, "a parameter");
    let none = [""; 0];
    assert_eq!(followed("", "Operation op() '''n = f();'''", "op();"), none);
    assert_eq!(followed("", "Operation op() ''''''", "op();"), none, "the body is elsewhere");
    assert_eq!(followed("", "Operation op() '''n = 1; op();'''", "op();"), none, "recursion");
    assert_eq!(followed("usercode1 { \"void f() { n = 2; }\" }", "", "n = 1;"), none);
    assert_eq!(followed("", "", "int i; for (i = 0; i < 3; i++) { p.a(i); }"), ["i", "n"]);
    assert_eq!(followed("", "", "int i; while (i < 3) { p.a(i); i++; }"), n, "no initial value");
    assert_eq!(followed("", "", "static int i = 0; while (i < 3) { p.a(i); i++; }"), n);
}

/// The files of eTrice's library differ: in one, a start is a message of the protocol, in another
/// an operation of the port that sends a message with another name.
#[test]
fn timers_are_those_of_the_library_whatever_their_file_says() {
    let library = "RoomModel etrice.api.timer {
        ProtocolClass PTimer {
            incoming { Message kill() private Message internalStart(int32) }
            outgoing { Message timeout() }
            conjugated PortClass {
                Operation startTimer(time: int32) sends internalStart '''internalStart(time);'''
            }
        }
        ActorClass ATimerService {
            Interface { SPP timer: PTimer }
            Structure { ServiceImplementation of timer }
        }
    }";
    let text = "RoomModel Clock {
        import etrice.api.timer.PTimer
        import etrice.api.timer.ATimerService
        ActorClass AClient {
            Structure { SAP clock: PTimer }
            Behavior {
                StateMachine {
                    State waiting
                    Transition init: initial -> waiting { action '''clock.startTimer(300);''' }
                }
            }
        }
        SubSystemClass Main {
            ActorRef client: AClient
            ActorRef service: ATimerService
            LayerConnection ref client satisfied_by service.timer
        }
    }";
    let files = [("etrice/api/timer.room".to_owned(), library.to_owned())];
    let options = Options { imports: Imports::Given(files.into()), ..Options::default() };
    let outcome = parse("clock.room", text, &options);
    assert_eq!(outcome.diagnostics, []);
    let program = outcome.program().expect("no error");
    assert!(program.globals.values().any(|variable| variable.name == "client.clock.armed"));
}

/// The text of a mapping of `fixtures/given/house.room`.
fn mapping(subsystems: &str) -> CapsuleSystem {
    let fixture = |name| std::fs::read_to_string(format!("tests/fixtures/given/{name}")).expect("a text");
    let given = ["house.room", "board.etphys"].map(|name| (name.to_owned(), fixture(name)));
    let options = Options { imports: Imports::Given(given.into()), ..Options::default() };
    let imports = "import model \"house.room\" import model \"board.etphys\"";
    let text = format!("MappingModel M {{ {imports} Mapping House -> Boards {{ {subsystems} }} }}");
    let outcome = parse("m.etmap", &text, &options);
    let lines: Vec<String> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    outcome.system.unwrap_or_else(|| panic!("{lines:?}"))
}

#[test]
fn instances_are_on_the_threads_of_a_mapping() {
    let system = mapping(
        "SubSystemMapping left -> one { ThreadMapping quiet -> aside }
         SubSystemMapping right -> two { ThreadMapping defaultThread -> aside }",
    );
    let thread = |path: &str| {
        let thread = system.instances[instance(&system, path)].thread.expect("a thread");
        system.threads[thread].name.as_str()
    };
    assert_eq!(thread("left.rooms[0].lamp"), "one.main");
    assert_eq!(thread("left.rooms[1].lamp"), "one.aside");
    assert_eq!(thread("left.rooms[1].door"), "one.main");
    // What no mapping names is on the default thread of the node, whatever is mapped to its name.
    assert_eq!(thread("right.rooms[0].lamp"), "two.main");
    assert_eq!(thread("right.rooms[1].lamp"), "two.main");
    let one = system.threads.values().find(|thread| thread.name == "one.main").unwrap();
    assert_eq!((one.pool, one.polls), (Some(10), true));
    let aside = system.threads.values().find(|thread| thread.name == "one.aside").unwrap();
    assert_eq!((aside.pool, aside.polls), (Some(5), false));
}

#[test]
fn subsystems_on_a_node_have_threads_of_their_own() {
    let system = mapping(
        "SubSystemMapping left -> one { ThreadMapping quiet -> aside }
         SubSystemMapping right -> one { ThreadMapping quiet -> aside }",
    );
    let names: BTreeSet<&str> = system.threads.values().map(|thread| thread.name.as_str()).collect();
    let expected = ["left.one.aside", "left.one.main", "right.one.aside", "right.one.main"];
    assert_eq!(names, expected.into());
}

#[test]
fn instances_on_a_thread_share_one_queue() {
    let path = "../../examples/umlrt/alarm.etmap";
    let text = std::fs::read_to_string(path).expect("a text");
    let lowered = parse(path, &text, &Options::default()).lowered.expect("no error");
    let names: Vec<&str> = lowered.program.globals.values().map(|variable| variable.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "board.main",
            "top.panel.delay.armed",
            "board.doors",
            "top.doors[0].timer.armed",
            "top.doors[1].timer.armed"
        ]
    );
    assert!(lowered.inboxes.values().all(|inbox| inbox.shared));
    let declared = |name: &str| {
        let variable = lowered.program.globals.values().find(|variable| variable.name == name).unwrap();
        match &variable.init {
            cfsm_core::program::Initializer::NewChannel(shape) => shape.declared(),
            _ => None,
        }
    };
    // One block of a thread that polls is its own.
    assert_eq!(declared("board.main"), Some(15));
    assert_eq!(declared("board.doors"), Some(6));
}

/// A capsule that code creates may be a subclass in a file beside; what else words of code happen
/// to name is another application.
#[test]
fn subclasses_are_found_in_files_beside() {
    let text = "capsule Top {
        optional part some : Worker;
        behavior port frame : Frame;
        statemachine { state S; initial -> S `frame.incarnate(some, Special); Printer::print();`; };
    };
    capsule Worker { statemachine { state S; initial -> S; }; };";
    let machine = "{ statemachine { state S; initial -> S; }; };";
    let given = [
        ("special.art", "capsule Special : Worker { statemachine { state Extra; }; };".to_owned()),
        ("other.art", format!("capsule Top {machine} capsule Printer {machine}")),
    ];
    let given = given.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    let options = Options { imports: Imports::Given(given), ..Options::default() };
    let outcome = parse("top.art", text, &options);
    let system = outcome.system.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    let names =
        |id: InstanceId| system.instances[id].classes.iter().map(|&class| &system.classes[class].name);
    let some = instance(&system, "Top.some");
    assert_eq!(names(some).collect::<Vec<_>>(), ["Worker", "Special"]);
}
