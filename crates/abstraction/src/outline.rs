//! A compact text form of an abstract system, for tests and for debugging.

use std::fmt::Write;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, System, Transition};

/// One line per buffer with its message types, one per data place, then each class with its number
/// of initial instances and one line per transition: `source -> target: effect`.
pub(crate) fn outline(system: &System) -> String {
    let mut text = String::new();
    for (id, buffer) in system.buffers.iter() {
        let messages = system.messages_of(id).map(|message| format!("<{}>", system.messages[message].name));
        let messages: Vec<String> = messages.collect();
        let capacity = buffer.declared.map_or_else(|| "-".into(), |capacity| capacity.to_string());
        let line = format!("buffer {} [{capacity}] {}", buffer.name, messages.join(" "));
        add_line(&mut text, line.trim_end());
    }
    for place in system.data.values() {
        add_line(&mut text, &format!("data {} from {}", place.name, place.initial));
    }
    let mut transitions: IdMap<ClassId, Vec<&Transition>> = IdMap::filled(Vec::new(), system.classes.len());
    for transition in system.transitions.values() {
        transitions[system.states[transition.source].class].push(transition);
    }
    for (class, transitions) in system.classes.values().zip(transitions.values()) {
        let initial = &system.states[class.initial].name;
        add_line(&mut text, &format!("class {} x{} from {initial}", class.name, class.instances));
        for transition in transitions {
            let (source, target) = (&system.states[transition.source], &system.states[transition.target]);
            let line = format!("  {} -> {}:{}", source.name, target.name, effect(system, transition));
            add_line(&mut text, &line);
        }
    }
    text
}

fn effect(system: &System, transition: &Transition) -> String {
    let events = transition.events.iter().map(|event| {
        let sign = match event.direction {
            Direction::Send => '+',
            Direction::Receive => '-',
        };
        format!(" {sign}{}", system.message_name(event.message))
    });
    let creates = transition.creates.iter();
    let creates = creates.map(|class| format!(" run {}", system.classes[*class].name));
    let data = transition.data.iter();
    let data = data.map(|data| format!(" ({} {:+})", system.data[data.place].name, data.change));
    events.chain(creates).chain(data).collect()
}

fn add_line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
