//! Converts combinations of cycles, of any property, to the view.

use std::fmt::Display;

use boundedness::{Behaviour, Combination};
use cfsm_core::system::{Direction, Event, System, TransitionId};

use super::{Counterexample, Cycle, CycleKind, Gain, Number, Step};

/// A combination in terms of the model.
pub(super) fn counterexample(system: &System, combination: &Combination) -> Counterexample {
    let cycles = combination.parts.iter().map(|(behaviour, times)| {
        let (kind, process, steps) = match behaviour {
            Behaviour::Cycle(steps) => {
                let class = steps.first().map(|&step| system.class_of(step));
                (CycleKind::Cycle, class, steps)
            }
            Behaviour::Path(class, steps) => (CycleKind::Path, Some(*class), steps),
        };
        Cycle {
            process: process.map(|class| system.classes[class].name.clone()).unwrap_or_default(),
            kind,
            times: number(times),
            steps: steps.iter().map(|&id| step(system, id)).collect(),
        }
    });
    let gains = combination
        .messages()
        .map(|(message, count)| Gain { message: system.message_name(message), count: number(count) });
    let grows = combination.grown(system).into_iter();
    Counterexample {
        cycles: cycles.collect(),
        gains: gains.collect(),
        grows: grows.map(|buffer| system.buffers[buffer].name.clone()).collect(),
    }
}

/// A transition as the statement in the model, with its effect on messages.
#[must_use]
pub fn step(system: &System, id: TransitionId) -> Step {
    let transition = &system.transitions[id];
    let events = transition.events.iter().map(|event| change(system, event));
    let creates = transition.creates.iter().map(|&class| format!("run {}", system.classes[class].name));
    let effect = events.chain(creates).collect();
    match &transition.origin {
        Some(origin) => {
            Step { file: origin.file.clone(), line: origin.line, text: origin.text.clone(), effect }
        }
        None => {
            let (source, target) = (&system.states[transition.source], &system.states[transition.target]);
            Step { file: String::new(), line: 0, text: format!("{} -> {}", source.name, target.name), effect }
        }
    }
}

/// `+AB(a)`, `-2 AB(a)`.
fn change(system: &System, event: &Event) -> String {
    let sign = match event.direction {
        Direction::Send => '+',
        Direction::Receive => '-',
    };
    let message = system.message_name(event.message);
    match event.count {
        1 => format!("{sign}{message}"),
        count => format!("{sign}{count} {message}"),
    }
}

/// An integer of any size.
pub(super) fn number(integer: &impl Display) -> Number {
    integer.to_string().parse().expect("decimal digits are a number")
}
