//! Findings in a system of machines.

use super::{Ends, Finding, FindingKind, Step, dead_regions};
use crate::ids::IdMap;
use crate::source::Origin;
use crate::system::{Activation, Direction, Event, MessageId, System, TransitionId};

/// The findings in a system: buffers and message types with one end, classes without instances,
/// transitions that can never fire. The system must be [valid](System::validate).
///
/// Time linear in the system, for each round in which the [closure](Activation) reaches something
/// new.
#[must_use]
pub fn in_system<R>(system: &System) -> Vec<Finding<R>> {
    let activation = Activation::new(system);
    let mut findings = one_ended(system);
    findings.extend(never_started(system, &activation));
    findings.extend(never_executed(system, &activation));
    findings
}

/// Buffers with one end; for the other buffers, message types with one end.
fn one_ended<R>(system: &System) -> Vec<Finding<R>> {
    let mut ends: IdMap<MessageId, Ends> = IdMap::filled(Ends::default(), system.messages.len());
    let mut origins: IdMap<MessageId, Option<Origin>> = IdMap::filled(None, system.messages.len());
    for step in system.transitions.values() {
        for Event { direction, message, .. } in &step.events {
            match direction {
                Direction::Send => ends[*message].sent = true,
                Direction::Receive => ends[*message].received = true,
            }
            if origins[*message].is_none() {
                origins[*message].clone_from(&step.origin);
            }
        }
    }
    let mut findings = Vec::new();
    for (id, buffer) in system.buffers.iter() {
        let messages: Vec<MessageId> = system.messages_of(id).collect();
        let all = messages.iter().fold(Ends::default(), |all, message| all.or(ends[*message]));
        let kind = FindingKind::OneEndedChannel;
        if let Some(said) = all.missing() {
            let origin = messages.iter().find_map(|message| origins[*message].clone());
            findings.push(Finding::new(kind, &buffer.name, said, origin));
            continue;
        }
        for message in messages {
            let said = match ends[message] {
                Ends { sent: true, received: false } => "is sent and never received",
                Ends { sent: false, received: true } => "is received and never sent",
                _ => continue,
            };
            let origin = origins[message].clone();
            findings.push(Finding::new(kind, system.message_name(message), said, origin));
        }
    }
    findings
}

fn never_started<R>(system: &System, activation: &Activation<'_>) -> Vec<Finding<R>> {
    let idle = system.classes.values().filter(|class| !activation.reached()[class.initial]);
    idle.map(|class| Finding::new(FindingKind::NeverStarted, &class.name, "is never started", None)).collect()
}

/// The first transition of each region of transitions that never fire, in classes that have
/// instances.
fn never_executed<R>(system: &System, activation: &Activation<'_>) -> Vec<Finding<R>> {
    let started = |id: &TransitionId| {
        let class = system.class_of(*id);
        activation.reached()[system.classes[class].initial]
    };
    let dead: Vec<TransitionId> = system
        .transitions
        .iter()
        .filter(|(id, step)| started(id) && !activation.can_fire(step))
        .map(|(id, _)| id)
        .collect();
    let step = |id: &TransitionId| {
        let transition = &system.transitions[*id];
        Step { source: transition.source, target: transition.target }
    };
    let steps: Vec<Step<_>> = dead.iter().map(step).collect();
    let first = dead_regions(&steps, |state| activation.reached()[state]);
    first
        .into_iter()
        .map(|position| {
            let transition = &system.transitions[dead[position]];
            let origin = transition.origin.clone();
            let name = match &origin {
                Some(origin) if !origin.text.is_empty() => origin.text.clone(),
                _ => format!(
                    "{} -> {}",
                    system.state_name(transition.source),
                    system.states[transition.target].name
                ),
            };
            Finding::new(FindingKind::NeverExecuted, name, "can never be executed", origin)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemBuilder;

    fn told(system: &System) -> Vec<String> {
        in_system::<()>(system).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn a_closed_system_has_none() {
        let mut b = SystemBuilder::new("closed");
        let (ask, answer) = (b.message("there", "ask"), b.message("back", "answer"));
        b.class("P", 1).send("0", ask, "1").receive("1", answer, "0");
        b.class("Q", 1).receive("0", ask, "1").send("1", answer, "0");
        assert_eq!(told(&b.build().expect("valid")), [""; 0]);
    }

    #[test]
    fn an_open_one_is_told_end_by_end() {
        let mut b = SystemBuilder::new("open");
        let (ask, answer) = (b.message("in", "ask"), b.message("out", "answer"));
        b.class("F", 1).receive("0", ask, "1").send("1", answer, "0");
        assert_eq!(
            told(&b.build().expect("valid")),
            ["`in` is never sent to", "`out` is never received from", "`F@0 -> 1` can never be executed"]
        );
    }

    #[test]
    fn of_a_buffer_with_both_ends_the_message_types_are_told() {
        let mut b = SystemBuilder::new("misspelt");
        let (ask, asks, stop) = (b.message("A", "ask"), b.message("A", "asks"), b.message("A", "stop"));
        b.class("P", 1).send("0", ask, "0").send("0", stop, "1");
        b.class("Q", 1).receive("0", asks, "0").receive("0", stop, "1");
        assert_eq!(
            told(&b.build().expect("valid")),
            [
                "`A(ask)` is sent and never received",
                "`A(asks)` is received and never sent",
                "`Q@0 -> 0` can never be executed"
            ]
        );
    }

    #[test]
    fn a_machine_that_nobody_starts_is_told_and_its_transitions_are_not() {
        let mut b = SystemBuilder::new("idle");
        let ask = b.message("A", "ask");
        b.class("P", 0).send("0", ask, "0");
        b.class("Q", 1).receive("0", ask, "0");
        assert_eq!(
            told(&b.build().expect("valid")),
            ["`P` is never started", "`Q@0 -> 0` can never be executed"]
        );
    }
}
