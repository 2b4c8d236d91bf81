//! Text formats of machines: what is read, what is wrong, and what comes back when it is written.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

mod fsa;
mod json;
mod local_types;
mod random;
mod scm;

use cfsm_core::formats::{Format, Reading, codes, read};
use cfsm_core::system::{Direction, System};

/// The system of a text without errors.
fn system(format: Format, text: &str) -> System {
    let reading = read(format, "m", text);
    reading.system.clone().unwrap_or_else(|| panic!("{:#?}", reading.lines().collect::<Vec<_>>()))
}

/// Errors and warnings, one per line.
fn lines(format: Format, text: &str) -> Vec<String> {
    let reading: Reading = read(format, "m", text);
    let wrong = reading.lines().any(|line| line.contains("error["));
    assert_eq!(reading.system.is_none(), wrong);
    reading.lines().collect()
}

/// Each machine as `NAME: initial; source peer!msg target, ...`.
fn told(system: &System) -> Vec<String> {
    let machine = |(id, class): (_, &cfsm_core::system::Class)| {
        let transitions =
            system.transitions.iter().filter(|(transition, _)| system.class_of(*transition) == id);
        let steps = transitions.map(|(_, transition)| {
            let event = transition.events.iter().map(|event| {
                let message = &system.messages[event.message];
                let sign = if event.direction == Direction::Send { '!' } else { '?' };
                format!("{}{sign}{}", system.buffers[message.buffer].name, message.name)
            });
            let event = event.collect::<String>();
            let [source, target] =
                [transition.source, transition.target].map(|state| &system.states[state].name);
            format!("{source} {} {target}", if event.is_empty() { "tau" } else { &event })
        });
        let steps: Vec<String> = steps.collect();
        format!("{}: {}; {}", class.name, system.states[class.initial].name, steps.join(", "))
    };
    system.classes.iter().map(machine).collect()
}

#[test]
fn codes_are_given_once() {
    let mut sorted = codes::ALL.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted, codes::ALL);
}

#[test]
fn formats_are_told_by_content() {
    let cases = [
        ("\u{feff}-- two\n.outputs A\n.state graph", Format::Fsa),
        ("  .state graph\nq0 1 ! a q1", Format::Fsa),
        ("A: rec x . B!a; x", Format::LocalTypes),
        ("scm abp :\n", Format::Scm),
        ("/* no head */\nautomaton sender :\n", Format::Scm),
        ("nb_channels = 2 ;", Format::Scm),
        (" {\n \"schema\": \"freeboard.system/1\"", Format::Json),
        ("", Format::LocalTypes),
    ];
    for (text, format) in cases {
        assert_eq!(Format::of_text(text), format, "{text}");
    }
    assert_eq!(Format::of_path("a/b.FSM".as_ref()), Some(Format::Fsa));
    assert_eq!(Format::of_path("b.scm".as_ref()), Some(Format::Scm));
    assert_eq!(Format::of_path("b.pml".as_ref()), None);
    assert!(Format::is_by_content("b.cfsm".as_ref()) && !Format::is_by_content("b.pml".as_ref()));
}
