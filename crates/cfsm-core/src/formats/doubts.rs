//! Warnings about machines that are valid, but probably not as intended: a misspelt name is another
//! name.

use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use super::machine::{Exchange, Machine, Step};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::system::Direction;

/// Reports transitions that a machine cannot reach, whatever the others do.
pub(super) fn unreached(machines: &[Machine], diagnostics: &mut Vec<Diagnostic>) {
    if !is_wrong(diagnostics) {
        diagnostics.extend(machines.iter().filter_map(unreached_in));
    }
}

/// Returns `true` if there is an error: such warnings are suppressed then, since they may be
/// consequences of it.
fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The spans of the first send and of the first receive of a message.
type Ends = [Option<Span>; 2];

/// Reports messages that are sent and never received, or received and never sent.
pub(super) fn one_sided(machines: &[Machine], diagnostics: &mut Vec<Diagnostic>) {
    if is_wrong(diagnostics) {
        return;
    }
    let names: BTreeSet<&str> = machines.iter().map(|machine| machine.name.as_str()).collect();
    // An unknown peer has been reported. Channel numbers have no peers.
    let known = |buffer: &str| {
        buffer.split_once("->").is_none_or(|(from, to)| names.contains(from) && names.contains(to))
    };
    let mut buffers: BTreeMap<&str, BTreeMap<&str, Ends>> = BTreeMap::new();
    for Step { event, span, .. } in machines.iter().flat_map(|machine| &machine.steps) {
        let Some(Exchange { direction, buffer, message }) = event else { continue };
        if known(buffer) {
            let ends = buffers.entry(buffer).or_default().entry(message).or_default();
            ends[usize::from(*direction == Direction::Receive)].get_or_insert(*span);
        }
    }
    for (buffer, messages) in &buffers {
        tell(buffer, messages, diagnostics);
    }
}

/// Reports the messages of a buffer with one end; among the messages with the opposite end may be
/// the intended one.
fn tell(buffer: &str, messages: &BTreeMap<&str, Ends>, diagnostics: &mut Vec<Diagnostic>) {
    let only = |end: usize| {
        messages.iter().filter_map(move |(message, ends)| match ends[1 - end] {
            None => ends[end].map(|span| (*message, span)),
            Some(_) => None,
        })
    };
    let said = [("sent to", "received"), ("received from", "sent")];
    for (end, (done, missing)) in said.into_iter().enumerate() {
        let hint = match only(1 - end).next() {
            Some((other, _)) => format!("`{other}` is {missing} and never {}", said[1 - end].1),
            None => "is the name misspelt?".into(),
        };
        for (message, span) in only(end) {
            let text = format!("`{message}` is {done} `{buffer}` and never {missing}");
            diagnostics.push(Diagnostic::warning(codes::ONE_SIDED, span, text).with_hint(hint.clone()));
        }
    }
}

/// The first unreachable transition of a machine.
fn unreached_in(machine: &Machine) -> Option<Diagnostic> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for step in &machine.steps {
        next.entry(&step.source).or_default().push(&step.target);
    }
    let mut reached = BTreeSet::from([machine.initial.as_str()]);
    let mut open = vec![machine.initial.as_str()];
    while let Some(state) = open.pop() {
        open.extend(next.get(state).into_iter().flatten().filter(|target| reached.insert(target)));
    }
    // An initial state without transitions reaches nothing; one that no transition mentions has
    // been reported.
    if !machine.mentions(&machine.initial) {
        return None;
    }
    let step = machine.steps.iter().find(|step| !reached.contains(step.source.as_str()))?;
    let others = next.keys().filter(|state| !reached.contains(*state)).count() - 1;
    let more = match others {
        0 => String::new(),
        1 => ", and to one state more".into(),
        _ => format!(", and to {others} states more"),
    };
    let text = format!("no transitions lead from `{}` to `{}`{more}", machine.initial, step.source);
    let like = reached.iter().find(|state| state.trim_end_matches([';', ',', '.']) == step.source);
    let hint = match like {
        Some(like) => format!("`{like}` is another state"),
        None => "the machine starts in the one and never comes to what leaves the other".into(),
    };
    Some(Diagnostic::warning(codes::UNREACHED, step.span, text).with_hint(hint))
}
