//! The system drawn: its network, its machines, and the loops of counterexamples in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::place::Places;
use super::{LIMITS, long_table, place, table};
use crate::diagram::Diagram;
use crate::markup::escaped;
use crate::text;
use crate::view::{Buffer, Channel, Counterexample, Cycle, CycleKind, Machine, Network, Property, Report};

/// The network and the state diagram of each machine.
pub(super) fn system(report: &Report) -> String {
    let Network { machines, channels, .. } = &report.network;
    if machines.is_empty() {
        return String::new();
    }
    let results = &report.check.property_results;
    let buffers: &[Buffer] = results.first().map(|result| result.buffers.as_slice()).unwrap_or_default();
    let mut out = format!(
        "<figure><figcaption>Machines and the channels between them</figcaption>\n{}</figure>\n",
        picture(&Diagram::of_network(&report.network, buffers), "network")
    );
    let names = |members: &[usize]| {
        let names: Vec<&str> = members.iter().map(|&machine| machines[machine].name.as_str()).collect();
        names.join(", ")
    };
    let row = |channel: &Channel| {
        let declared = channel.declared.map_or_else(|| "–".into(), |declared| declared.to_string());
        [channel.name.clone(), names(&channel.senders), names(&channel.receivers), declared]
    };
    let headings = ["Channel", "Senders", "Receivers", "Declared capacity"];
    let rows = table("Channels", headings, channels.iter().map(row));
    let _ = writeln!(out, "<details><summary>Channels as a table</summary>\n{rows}</details>");
    for (number, found) in machines.iter().enumerate() {
        out.push_str(&machine(number, found));
    }
    out
}

/// A diagram that is as wide as it has to be; a sentence if it is too large.
fn picture(diagram: &Diagram, prefix: &str) -> String {
    match diagram.svg(prefix) {
        Some(svg) => format!(
            "<div class=\"picture\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{svg}</div>\n",
            escaped(&diagram.title)
        ),
        None => format!("<p>Not drawn, as it is too large: {} nodes.</p>\n", diagram.nodes.len()),
    }
}

fn machine(number: usize, machine: &Machine) -> String {
    let diagram = Diagram::of_machine(machine);
    let state = |state: usize| machine.states.get(state).cloned().unwrap_or_default();
    let rows = machine.transitions.iter().map(|transition| {
        let step = &transition.step;
        let place = place(&step.file, step.line);
        [
            state(transition.source),
            transition.label.clone(),
            state(transition.target),
            place,
            step.text.clone(),
        ]
    });
    let headings = ["From", "Messages", "To", "Place", "Statement"];
    let rows = long_table(&format!("Transitions of {}", machine.name), headings, rows);
    let open = if number < LIMITS.open { " open" } else { "" };
    let instances = match machine.instances {
        0 => "created by others".to_owned(),
        1 => "1 process".to_owned(),
        some => format!("{some} processes"),
    };
    format!(
        "<details class=\"machine\"{open}><summary>{}: {instances}, {}, {}</summary>\n\
         <figure id=\"machine-{number}\">{}</figure>\n\
         <details><summary>Transitions as a table</summary>\n{rows}</details></details>\n",
        escaped(&machine.name),
        text::plural(machine.states.len(), "state", "states"),
        text::plural(machine.transitions.len(), "transition", "transitions"),
        picture(&diagram, &format!("m{number}"))
    )
}

/// The loops of all counterexamples that no run confirms or replaces, and of those that one does.
pub(super) fn counterexamples(report: &Report, places: &Places<'_>) -> String {
    let mut out = String::new();
    for result in &report.check.property_results {
        for (number, example) in result.counterexamples.iter().enumerate() {
            let confirmed = text::is_confirmed(result, number);
            out.push_str(&counterexample(result.property, number, example, confirmed, places));
        }
    }
    out
}

fn counterexample(
    property: Property,
    number: usize,
    example: &Counterexample,
    confirmed: bool,
    places: &Places<'_>,
) -> String {
    let what = match (property, example.grows.as_slice()) {
        (Property::Livelock, _) => "can be repeated for ever without progress".into(),
        (Property::Boundedness, []) => "can be repeated for ever".into(),
        (Property::Boundedness, grows) => format!("floods {}", grows.join(", ")),
    };
    let gains: Vec<String> =
        example.gains.iter().map(|gain| format!("{} {}", gain.count, gain.message)).collect();
    let gains = if gains.is_empty() {
        String::new()
    } else {
        format!(" Each round adds {} and takes nothing away.", gains.join(", "))
    };
    let status = if confirmed {
        "A run above confirms it."
    } else {
        "In the abstraction; no run is known that does it."
    };
    let mut out = format!(
        "<article class=\"loops\"><h3>{}: {}</h3>\n<p>{status}{}</p>\n",
        number + 1,
        escaped(&what),
        escaped(&gains)
    );
    let mut lit: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for cycle in &example.cycles {
        out.push_str(&steps(cycle));
        let Some(machine) = places.machine(&cycle.process) else { continue };
        let transitions = cycle.steps.iter().flat_map(|step| places.transitions(machine, step)).copied();
        lit.entry(machine).or_default().extend(transitions);
    }
    for (machine, transitions) in lit {
        let transitions: Vec<String> = transitions.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            out,
            "<figure class=\"picture lit\" data-machine=\"{machine}\" data-transitions=\"{}\"></figure>",
            transitions.join(" ")
        );
    }
    out.push_str("</article>\n");
    out
}

/// The statements of a loop as a list.
fn steps(cycle: &Cycle) -> String {
    let times = match cycle.times.as_u64() {
        Some(1) => "once".into(),
        _ => format!("{} times", cycle.times),
    };
    let kind = if cycle.kind == CycleKind::Path { ", a new process each time" } else { "" };
    let mut out = format!("<h4>{}{kind}, {times}</h4>\n<ol>\n", escaped(&cycle.process));
    for step in &cycle.steps {
        let effect = if step.effect.is_empty() {
            String::new()
        } else {
            format!(" <em>{}</em>", escaped(&step.effect.join(" ")))
        };
        let _ = writeln!(
            out,
            "<li><code>{}</code> <span class=\"place\">{}</span>{effect}</li>",
            escaped(&step.text),
            escaped(&place(&step.file, step.line))
        );
    }
    out.push_str("</ol>\n");
    out
}
