//! The capsule model of texts.

use umlrt_front::model::{CapsuleSystem, InstanceId, Step};
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
        Step::Choice(blocks) => {
            let all: Vec<String> = blocks.iter().map(|inner| block(system, inner)).collect();
            format!("({})", all.join(" | "))
        }
        Step::Repeat(inner) => format!("({})*", block(system, inner)),
        Step::Call(inner) => format!("[{}]", block(system, inner)),
        Step::Break => "break".into(),
        Step::Continue => "continue".into(),
        Step::Return => "return".into(),
    };
    steps.iter().map(one).collect::<Vec<_>>().join("; ")
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
