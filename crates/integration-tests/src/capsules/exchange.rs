//! A system of capsules of the size of a telephone exchange: replicated devices and proxies,
//! dialled digits that are answered one by one, and a controller that admits calls.

use std::fmt::Write;

/// Lines between a device and its proxy.
const LINES: usize = 3;
/// Digits that a line has.
const DIGITS: usize = 4;
/// States inside each of the composite states of a device.
const GROUP: usize = 7;

/// An exchange with this many devices, each with that many states.
#[must_use]
pub fn exchange_text(devices: usize, states: usize) -> String {
    let mut text = String::from("RoomModel Exchange {\n");
    for line in 0..LINES {
        let digits =
            |word: &str| (0..DIGITS).map(|digit| format!("Message {word}{digit}() ")).collect::<String>();
        let (answers, dialled) = (digits("ack"), digits("dig"));
        let _ = writeln!(
            text,
            "ProtocolClass PLine{line} {{ incoming {{ {answers} Message hangup() Message ring() }} outgoing {{ {dialled} }} }}"
        );
    }
    text += "ProtocolClass PControl { incoming { Message request() } outgoing { Message grant() } }\n";
    text += &device(states);
    text += &proxy(states);
    text += "ActorClass AController { Interface { Port calls[*]: PControl } Structure { external Port calls }
        Behavior { StateMachine { State ready Transition init: initial -> ready
            Transition admit: ready -> ready { triggers { <request: calls> }
                action '''calls[ifitem->index].grant();''' } } } }\n";
    let _ = writeln!(
        text,
        "ActorClass ADevice extends ADeviceBase {{ Behavior {{ StateMachine {{
            RefinedTransition init {{ action '''''' }} }} }} }}
         SubSystemClass Main {{
            ActorRef devices[{devices}]: ADevice
            ActorRef proxies[{devices}]: AProxy
            ActorRef controller: AController"
    );
    for line in 0..LINES {
        let _ = writeln!(text, "Binding devices.line{line} and proxies.line{line}");
    }
    text += "Binding proxies.control and controller.calls\n}\n}\n";
    text
}

/// The ports of a device or a proxy.
fn ports(conjugated: &str) -> String {
    let one = |line| format!("{conjugated}Port line{line}: PLine{line} ");
    (0..LINES).map(one).collect()
}

fn external() -> String {
    (0..LINES).map(|line| format!("external Port line{line} ")).collect()
}

fn device(states: usize) -> String {
    let groups = states.div_ceil(GROUP);
    let mut text = format!(
        "abstract ActorClass ADeviceBase {{ Interface {{ {} }} Structure {{ {} }} Behavior {{ StateMachine {{\n",
        ports(""),
        external()
    );
    text += "State idle Transition init: initial -> first of g0\n";
    for group in 0..groups {
        let _ = writeln!(text, "State g{group} {{ subgraph {{ EntryPoint first ExitPoint last");
        let inside = group * GROUP..((group + 1) * GROUP).min(states);
        let _ = writeln!(text, "Transition init: initial -> d{}", inside.start);
        let _ = writeln!(text, "Transition enter: my first -> d{}", inside.start);
        for state in inside.clone() {
            let (line, digit) = (state % LINES, state % DIGITS);
            let next = if state + 1 == inside.end { "my last".into() } else { format!("d{}", state + 1) };
            let _ = writeln!(
                text,
                "State d{state} {{ entry '''line{line}.dig{digit}();''' }}
                 Transition t{state}: d{state} -> {next} {{ triggers {{ <ack{digit}: line{line}> }} }}"
            );
        }
        let _ = writeln!(
            text,
            "}} }}
             Transition next{group}: last of g{group} -> first of g{}
             Transition down{group}: g{group} -> idle {{ triggers {{ <hangup: line0> }} }}
             Transition up{group}: idle -> g{group} {{ triggers {{ <ring: line{}> }} }}",
            (group + 1) % groups,
            group % LINES
        );
    }
    text + "} } }\n"
}

fn proxy(states: usize) -> String {
    let mut text = format!(
        "ActorClass AProxy {{ Interface {{ {} conjugated Port control: PControl }}
         Structure {{ {} external Port control }} Behavior {{ StateMachine {{\n",
        ports("conjugated "),
        external()
    );
    text += "Transition init: initial -> p0\n";
    text += "State asking { entry '''control.request();''' }\n";
    text += "Transition granted: asking -> p0 { triggers { <grant: control> } }\n";
    for state in 0..states {
        let (line, digit) = (state % LINES, state % DIGITS);
        let next = if state + 1 == states { "asking".into() } else { format!("p{}", state + 1) };
        let _ = writeln!(
            text,
            "State p{state} Transition t{state}: p{state} -> {next} {{
                triggers {{ <dig{digit}: line{line}> }} action '''line{line}.ack{digit}();''' }}"
        );
    }
    text + "} } }\n"
}
