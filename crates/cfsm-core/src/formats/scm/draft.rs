//! Parsed automata, and their translation to machines.

use std::collections::{BTreeMap, BTreeSet};

use super::super::machine::{Exchange, Machine, Step};
use super::super::{codes, scan::Token};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::system::Direction;

/// The declarations before the machines.
#[derive(Clone, Debug, Default)]
pub(super) struct Head<'t> {
    pub channels: Option<(usize, Span)>,
    /// The messages, if they are declared.
    pub messages: Option<BTreeSet<&'t str>>,
    pub lossy: Vec<(usize, Span)>,
}

#[derive(Clone, Debug)]
pub(super) struct Draft<'t> {
    pub name: Token<'t>,
    pub initial: Option<Token<'t>>,
    pub states: BTreeMap<&'t str, Span>,
    /// The states in their order.
    pub order: Vec<&'t str>,
    pub lines: Vec<Line<'t>>,
}

#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    pub source: &'t str,
    pub target: Token<'t>,
    /// Channel, direction, message.
    pub event: Option<(Token<'t>, Direction, Token<'t>)>,
    pub span: Span,
}

impl<'t> Draft<'t> {
    pub fn machine(&self, head: &Head<'t>, diagnostics: &mut Vec<Diagnostic>) -> Option<Machine> {
        for (channel, _, message) in self.lines.iter().filter_map(|line| line.event) {
            head.looked_up(channel, message, diagnostics);
        }
        let Some(initial) = self.initial else {
            let error = Diagnostic::error(
                codes::BAD_INITIAL,
                self.name.span,
                "it is not said where the automaton starts",
            );
            diagnostics.push(error.with_hint("`initial : 0`, say"));
            return None;
        };
        let targets = self.lines.iter().map(|line| line.target).chain([initial]);
        let mut told = BTreeSet::new();
        for target in targets.filter(|target| !self.states.contains_key(target.text)) {
            if told.insert(target.text) {
                let message = format!("there is no state {}", target.text);
                let warning = Diagnostic::warning(codes::UNKNOWN_STATE, target.span, message);
                diagnostics.push(warning.with_hint("it is taken as one that nothing leaves"));
            }
        }
        let steps = self.lines.iter().map(|line| Step {
            source: line.source.into(),
            target: line.target.text.into(),
            event: line.event.map(|(channel, direction, message)| Exchange {
                direction,
                buffer: buffer(channel.text),
                message: message.text.into(),
            }),
            span: line.span,
        });
        let steps = steps.collect();
        let states = self.order.iter().map(|state| (*state).to_owned()).collect();
        Some(Machine {
            name: self.name.text.into(),
            span: self.name.span,
            initial: initial.text.into(),
            states,
            steps,
        })
    }
}

/// The name of a channel: its number without leading zeros.
fn buffer(channel: &str) -> String {
    channel.parse::<usize>().map_or_else(|_| channel.to_owned(), |number| number.to_string())
}

impl Head<'_> {
    fn looked_up(&self, channel: Token<'_>, message: Token<'_>, diagnostics: &mut Vec<Diagnostic>) {
        match (channel.text.parse::<usize>(), self.channels) {
            (Err(_), _) => {
                let error =
                    Diagnostic::error(codes::UNEXPECTED, channel.span, "the number of a channel is expected");
                diagnostics.push(error.with_hint("channels are counted from 0"));
            }
            (Ok(number), _) => diagnostics.extend(self.no_such(number, channel.span)),
        }
        if self.messages.as_ref().is_some_and(|known| !known.contains(message.text)) {
            let text = format!("the message `{}` is not declared", message.text);
            diagnostics.push(Diagnostic::warning(codes::UNKNOWN_MESSAGE, message.span, text));
        }
    }

    /// The error for an undeclared channel, if it is one.
    fn no_such(&self, channel: usize, span: Span) -> Option<Diagnostic> {
        let (count, place) = self.channels.filter(|(count, _)| channel >= *count)?;
        let error = Diagnostic::error(codes::NO_SUCH_CHANNEL, span, format!("there is no channel {channel}"));
        Some(error.with_label(place, format!("channels are counted from 0, and there are {count}")))
    }

    /// Checks that the lossy channels are declared.
    pub fn checked(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.extend(self.lossy.iter().filter_map(|(channel, span)| self.no_such(*channel, *span)));
    }

    /// The warning for declared channels that are not represented: unused ones beyond the first
    /// `kept`.
    pub fn left_out(&self, machines: &[Machine], kept: usize) -> Option<Diagnostic> {
        let (count, place) = self.channels.filter(|(count, _)| *count > kept)?;
        let exchanges =
            machines.iter().flat_map(|machine| &machine.steps).filter_map(|step| step.event.as_ref());
        let used: BTreeSet<&str> = exchanges.map(|exchange| exchange.buffer.as_str()).collect();
        let beyond = |channel: &&&str| channel.parse::<usize>().is_ok_and(|channel| channel >= kept);
        let there = kept + used.iter().filter(beyond).count();
        (there < count).then(|| {
            let text = format!("of {count} channels {there} are kept");
            let warning = Diagnostic::warning(codes::MANY_CHANNELS, place, text);
            warning.with_hint(format!("behind the first {kept} those that are used"))
        })
    }

    /// The machines that model losses of lossy channels: one that receives any message of the
    /// channel. Losing a message anywhere in the queue, or when it has reached the head, leaves the
    /// machines the same runs.
    pub fn losses(&self, machines: &[Machine]) -> Vec<Machine> {
        let exchanges =
            || machines.iter().flat_map(|machine| &machine.steps).filter_map(|step| step.event.as_ref());
        let mut known = BTreeSet::new();
        let lossy = self.lossy.iter().filter(|(channel, _)| known.insert(*channel));
        let machine = |&(channel, span): &(usize, Span)| {
            let buffer = channel.to_string();
            let messages: BTreeSet<&str> =
                exchanges().filter(|e| e.buffer == buffer).map(|e| e.message.as_str()).collect();
            let steps = messages.into_iter().map(|message| Step {
                source: "loses".into(),
                target: "loses".into(),
                event: Some(Exchange {
                    direction: Direction::Receive,
                    buffer: buffer.clone(),
                    message: message.into(),
                }),
                span,
            });
            Machine {
                name: format!("loss of {channel}"),
                span,
                initial: "loses".into(),
                states: Vec::new(),
                steps: steps.collect(),
            }
        };
        lossy.map(machine).collect()
    }
}
