//! Common representation of machines for all formats, and its translation to a system.

use std::collections::BTreeMap;

use super::codes;
use crate::diagnostic::Diagnostic;
use crate::source::{Sources, Span};
use crate::system::{Direction, Event, System, SystemBuilder};

/// A machine with resolved channels.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub name: String,
    /// Span of its name, or of its beginning.
    pub span: Span,
    pub initial: String,
    /// Declared states, in order; others exist when they are mentioned.
    pub states: Vec<String>,
    pub steps: Vec<Step>,
}

impl Machine {
    /// Returns `true` if some transition leaves a state or leads to it.
    pub fn mentions(&self, state: &str) -> bool {
        self.steps.iter().any(|step| step.source == state || step.target == state)
    }
}

/// A transition.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub source: String,
    pub target: String,
    /// The message that it sends or receives; `None` if it is internal.
    pub event: Option<Exchange>,
    /// Span of the transition.
    pub span: Span,
}

/// One message sent or received.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub direction: Direction,
    /// Name of the buffer.
    pub buffer: String,
    pub message: String,
}

/// The name of the buffer between two machines: one queue for each direction.
pub(super) fn channel(sender: &str, receiver: &str) -> String {
    format!("{sender}->{receiver}")
}

/// Builds the system of some machines; `None` if there are errors. The given buffers come first,
/// then the others in the order of their first use.
pub(super) fn assemble(
    sources: &Sources,
    name: &str,
    buffers: &[String],
    machines: &[Machine],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<System> {
    unique(machines, diagnostics);
    if machines.is_empty() || diagnostics.iter().any(|d| d.severity == crate::diagnostic::Severity::Error) {
        return None;
    }
    let lines = sources.lines();
    let mut builder = SystemBuilder::new(name);
    for buffer in buffers {
        builder.buffer(buffer);
    }
    for machine in machines {
        let class = builder.class(&machine.name, 1).id();
        builder.class_again(class).state(&machine.initial);
        for state in &machine.states {
            builder.class_again(class).state(state);
        }
        for step in &machine.steps {
            let event = step.event.as_ref().map(|exchange| Event {
                direction: exchange.direction,
                message: builder.message(&exchange.buffer, &exchange.message),
                count: 1,
            });
            let mut class = builder.class_again(class);
            let (source, target) = (class.state(&step.source), class.state(&step.target));
            class.transition(
                source,
                event.into_iter().collect(),
                Vec::new(),
                target,
                Some(lines.origin(step.span)),
            );
        }
    }
    match builder.build() {
        Ok(system) => Some(system),
        Err(defect) => {
            // E.g. the machines `A` and `A->B`, whose buffers would have the same name.
            let span = machines.first().map(|machine| machine.span)?;
            let error =
                Diagnostic::error(codes::DEFECT, span, format!("the machines are no system: {defect}"));
            diagnostics.push(error.with_hint("other names would help"));
            None
        }
    }
}

/// Checks that no two machines have the same name.
fn unique(machines: &[Machine], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for machine in machines {
        if let Some(first) = seen.insert(&machine.name, machine.span) {
            let message = format!("there are two machines `{}`", machine.name);
            let error = Diagnostic::error(codes::MACHINE_TWICE, machine.span, message);
            diagnostics.push(error.with_label(first, "the first one is here"));
        }
    }
}

/// The warning for a peer that is not a machine.
pub(super) fn unknown_peer(span: Span, peer: &str, direction: Direction) -> Diagnostic {
    let what = match direction {
        Direction::Send => "nobody takes what is sent to it",
        Direction::Receive => "nothing ever comes from it",
    };
    Diagnostic::warning(codes::UNKNOWN_PEER, span, format!("there is no machine `{peer}`")).with_hint(what)
}
