//! Inheritance of capsules: ports, parts and machines with all that they inherit.

use std::collections::BTreeMap;

use super::code;
use crate::tree::Name;
use crate::tree::art::{Capsule, Graph, State, Terminal, Transition};

/// Adds a capsule with all that it inherits, and those that it inherits from. One that inherits
/// from itself stays as it is.
pub(crate) fn flatten(
    capsule: &Capsule,
    declared: &BTreeMap<&str, &Capsule>,
    below: &mut Vec<String>,
    flat: &mut BTreeMap<String, Capsule>,
) {
    let name = &capsule.name.text;
    if flat.contains_key(name) {
        return;
    }
    let mut whole = capsule.clone();
    let base =
        capsule.base.as_ref().map(|base| &base.text).filter(|base| !below.contains(base) && *base != name);
    if let Some(base) = base.and_then(|base| declared.get(base.as_str())) {
        below.push(name.clone());
        flatten(base, declared, below, flat);
        below.pop();
        if let Some(base) = flat.get(&base.name.text) {
            whole = merged(base, capsule);
        }
    }
    flat.insert(name.clone(), whole);
}

fn merged(base: &Capsule, own: &Capsule) -> Capsule {
    let mut whole = own.clone();
    let keeps = |name: &Name| !own.excluded.iter().any(|excluded| excluded.text == name.text);
    whole.ports = base.ports.iter().filter(|port| keeps(&port.port.name)).cloned().collect();
    for port in &own.ports {
        let mut known = whole.ports.iter_mut();
        match known.find(|known| port.port.redefines && known.port.name.text == port.port.name.text) {
            // Its kind stays.
            Some(known) => {
                let (behavior, service) = (known.behavior || port.behavior, known.service || port.service);
                *known = crate::tree::art::Port { behavior, service, ..port.clone() };
            }
            None => whole.ports.push(port.clone()),
        }
    }
    whole.parts = base.parts.iter().filter(|part| keeps(&part.part.name)).cloned().collect();
    for part in &own.parts {
        let mut known = whole.parts.iter_mut();
        match known.find(|known| part.part.redefines && known.part.name.text == part.part.name.text) {
            Some(known) => *known = part.clone(),
            None => whole.parts.push(part.clone()),
        }
    }
    let inherited = base.connectors.iter().filter(|binding| {
        [&binding.one, &binding.other].iter().all(|end| keeps(end.part.as_ref().unwrap_or(&end.port)))
    });
    whole.connectors = inherited.chain(&own.connectors).cloned().collect();
    whole.machine = match (&base.machine, &own.machine) {
        (Some(base), Some(own)) => Some(graph(base, own)),
        (base, own) => own.clone().or_else(|| base.clone()),
    };
    whole
}

fn graph(base: &Graph, own: &Graph) -> Graph {
    let mut whole = Graph { states: own.states.clone(), ..Graph::default() };
    let keeps = |name: &Name| !own.excluded.iter().any(|excluded| excluded.text == name.text);
    let names = |base: &[Name], own: &[Name]| {
        let mut all: Vec<Name> = base.iter().filter(|name| keeps(name)).cloned().collect();
        all.extend(own.iter().filter(|name| !base.iter().any(|known| known.text == name.text)).cloned());
        all
    };
    whole.choices = names(&base.choices, &own.choices);
    whole.junctions = names(&base.junctions, &own.junctions);
    whole.entries = names(&base.entries, &own.entries);
    whole.exits = names(&base.exits, &own.exits);
    let mut states: Vec<State> = base.states.iter().filter(|state| keeps(&state.name)).cloned().collect();
    for state in &own.states {
        match states.iter_mut().find(|known| known.name.text == state.name.text) {
            Some(known) if state.redefines => *known = redefined(known, state),
            _ => states.push(state.clone()),
        }
    }
    whole.states = states;
    let ends_there = |transition: &Transition| {
        transition.ends.as_ref().is_none_or(|ends| {
            [&ends.from, &ends.to].iter().all(|end| match end {
                Terminal::Node(name) => keeps(name),
                Terminal::Sub(sub) => keeps(&sub.state),
                Terminal::Initial(_) | Terminal::History(_) => true,
            })
        })
    };
    let is_kept =
        |transition: &&Transition| transition.name.as_ref().is_none_or(&keeps) && ends_there(transition);
    whole.transitions = base.transitions.iter().filter(is_kept).cloned().collect();
    for transition in &own.transitions {
        let name = transition.name.as_ref().map(|name| &name.text);
        let all = base.transitions.iter();
        let redefined = all
            .clone()
            .find(|known| transition.redefines && known.name.as_ref().map(|name| &name.text) == name);
        let Some(redefined) = redefined else {
            whole.transitions.push(transition.clone());
            continue;
        };
        let merged = changed(redefined, transition);
        let mut kept = whole.transitions.iter_mut();
        match kept.find(|known| known.span == redefined.span) {
            Some(known) => *known = merged,
            None => whole.transitions.push(merged),
        }
    }
    whole
}

fn redefined(base: &State, own: &State) -> State {
    State {
        redefines: base.redefines,
        name: own.name.clone(),
        entry: code::overriding(base.entry.as_ref(), own.entry.as_ref()),
        exit: code::overriding(base.exit.as_ref(), own.exit.as_ref()),
        graph: graph(&base.graph, &own.graph),
    }
}

/// A transition that takes the place of another one. Whether what it does not say is inherited
/// depends on the generator: both is taken as possible.
fn changed(base: &Transition, own: &Transition) -> Transition {
    let mut whole = own.clone();
    whole.redefines = base.redefines;
    if own.triggers.is_empty() {
        whole.triggers.clone_from(&base.triggers);
    }
    whole.guard = match (&base.guard, &own.guard) {
        (Some(base), None) => Some(code::perhaps_guarded(base)),
        (_, own) => own.clone(),
    };
    whole.action = code::overriding(base.action.as_ref(), own.action.as_ref());
    whole
}
