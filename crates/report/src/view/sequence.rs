//! Converts recorded steps to the view.

use std::collections::BTreeMap;

use cfsm_core::program::{Action, Program};
use cfsm_core::source::{Lines, Origin};
use explore::{Move, Process, QueueOrigin, Semantics, State, Step};

use super::{
    BufferLength, End, Message, Participant, SIMULATE_SCHEMA, Simulation, Standing, WitnessStep, names,
};

/// The text for the termination of a process, and for the location before it: Spin's word.
const END: &str = "-end-";

/// Steps in terms of the model. `start` is the state before the first one, and each step must start
/// in the state after the previous one, as [`Semantics::simulate`] and [`Semantics::replay`] return
/// them.
///
/// Time linear in the texts and the steps.
#[must_use]
pub fn steps(program: &Program, semantics: &Semantics, start: &State, steps: &[Step]) -> Vec<WitnessStep> {
    let teller = Teller { program, semantics, lines: program.sources.lines() };
    let mut before = start;
    let mut told = Vec::with_capacity(steps.len());
    for step in steps {
        told.push(teller.step(before, step));
        before = step.after.as_ref().unwrap_or(before);
    }
    told
}

/// The positions of all processes in a state, in the order of their numbers.
#[must_use]
pub fn standing(program: &Program, state: &State) -> Vec<Standing> {
    let lines = program.sources.lines();
    state.processes().map(|process| stands(program, &lines, process)).collect()
}

fn stands(program: &Program, lines: &Lines<'_>, process: Process) -> Standing {
    let ty = &program.types[process.process_type];
    let location = &ty.locations[process.location];
    let ended = process.location == ty.exit;
    let next = ty.edges.values().filter(|edge| edge.source == process.location);
    let mut next: Vec<Origin> = next.map(|edge| lines.origin(edge.span)).collect();
    if ended || next.is_empty() {
        next = vec![Origin { text: END.into(), ..lines.origin(ty.span) }];
    }
    let mut texts: Vec<&str> = Vec::with_capacity(next.len());
    for Origin { text, .. } in &next {
        if !texts.contains(&text.as_str()) {
            texts.push(text);
        }
    }
    Standing {
        process: ty.name.clone(),
        pid: pid(process.number),
        file: next[0].file.clone(),
        line: next[0].line,
        text: texts.join(" | "),
        valid_end: ended || location.is_end(),
    }
}

/// The input of the view of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct SimulationSubject<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// Its semantics.
    pub semantics: &'a Semantics,
    /// The state at the start.
    pub start: &'a State,
    /// The steps from there.
    pub steps: &'a [Step],
    /// The seed.
    pub seed: u64,
}

/// The view of a random run.
#[must_use]
pub fn simulation(subject: &SimulationSubject<'_>) -> Simulation {
    let SimulationSubject { file, program, semantics, start, steps: recorded, seed } = *subject;
    let last = recorded.last().map_or(Some(start), |step| step.after.as_ref());
    let queues = last.into_iter().flat_map(|state| semantics.queues(state));
    let queues = queues.filter(|queue| !queue.rendezvous);
    let queues = queues.map(|queue| BufferLength {
        name: names::queue(program, &queue.origin),
        length: queue.messages.len(),
    });
    Simulation {
        schema: SIMULATE_SCHEMA.into(),
        file: file.into(),
        seed,
        steps: steps(program, semantics, start, recorded),
        end: last.map_or(End::Error, |state| end(semantics, state)),
        processes: last.map(|state| standing(program, state)).unwrap_or_default(),
        buffers: queues.collect(),
    }
}

/// The reason why a run ends in a state.
fn end(semantics: &Semantics, state: &State) -> End {
    if !semantics.successors(state).is_empty() {
        End::Steps
    } else if semantics.is_valid_end(state) {
        End::ValidEnd
    } else if semantics.is_deadlock(state) {
        End::Deadlock
    } else {
        End::InvalidEndState
    }
}

fn pid(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Converts steps to the view.
struct Teller<'a> {
    program: &'a Program,
    semantics: &'a Semantics,
    lines: Lines<'a>,
}

impl Teller<'_> {
    fn step(&self, before: &State, step: &Step) -> WitnessStep {
        // Channels that were created in the step are known only in the state after it.
        let states: Vec<&State> = [before].into_iter().chain(&step.after).collect();
        let mut lengths = Lengths { before, now: BTreeMap::new() };
        let mut moves = step.moves.iter().map(|moved| self.statement(&states, moved, &mut lengths));
        let mut first = moves.next().unwrap_or_default();
        first.then = moves.collect();
        first.errors = step.errors.iter().map(ToString::to_string).collect();
        first
    }

    fn statement(&self, states: &[&State], moved: &Move, lengths: &mut Lengths<'_>) -> WitnessStep {
        let ty = &self.program.types[moved.process_type];
        let edge = moved.edge.map(|edge| &ty.edges[edge]);
        let Origin { file, line, text } = self.lines.origin(edge.map_or(ty.span, |edge| edge.span));
        let created = match (moved.created, edge.map(|edge| &edge.action)) {
            (Some(number), Some(Action::Create { process_type, .. })) => Some(Participant {
                process: self.program.types[*process_type].name.clone(),
                pid: pid(number),
            }),
            _ => None,
        };
        let mut buffers = Vec::new();
        for (message, sent) in [(&moved.sent, true), (&moved.received, false)] {
            let Some(message) = message else { continue };
            if let Some(origin) = self.origin(states, message.queue)
                && names::shape(self.program, &origin).is_some_and(|shape| shape.capacity > 0)
            {
                let name = names::queue(self.program, &origin);
                buffers.push(BufferLength { name, length: lengths.change(message.queue, sent) });
            }
        }
        WitnessStep {
            process: ty.name.clone(),
            pid: pid(moved.process),
            file,
            line,
            text: if edge.is_some() { text } else { END.into() },
            sent: moved.sent.as_ref().map(|message| self.message(states, message)),
            received: moved.received.as_ref().map(|message| self.message(states, message)),
            created,
            ended: edge.is_none(),
            buffers,
            ..WitnessStep::default()
        }
    }

    fn origin(&self, states: &[&State], number: usize) -> Option<QueueOrigin> {
        states.iter().find_map(|state| self.semantics.queue_origin(state, number))
    }

    fn message(&self, states: &[&State], message: &explore::Message) -> Message {
        let Self { program, semantics, .. } = *self;
        let origin = self.origin(states, message.queue);
        let shape = origin.and_then(|origin| names::shape(self.program, &origin));
        let types = shape.map(|shape| shape.fields.as_slice()).unwrap_or_default();
        let fields = message.fields.iter().enumerate();
        Message {
            channel: names::channel(program, semantics, states, message.queue),
            fields: fields
                .map(|(at, value)| names::value(program, semantics, states, types.get(at).copied(), *value))
                .collect(),
        }
    }
}

/// The lengths of queues during a step.
struct Lengths<'a> {
    before: &'a State,
    /// The lengths of the queues that have changed.
    now: BTreeMap<usize, usize>,
}

impl Lengths<'_> {
    /// Adds a message to a queue, or removes one. Returns the new length.
    fn change(&mut self, queue: usize, sent: bool) -> usize {
        // A queue that was created in this step was empty.
        let start = || self.before.queue_length(queue).unwrap_or_default();
        let length = self.now.entry(queue).or_insert_with(start);
        *length = if sent { *length + 1 } else { length.saturating_sub(1) };
        *length
    }
}
