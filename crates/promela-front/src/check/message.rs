//! Checks that the fields of sends, receives and polls match those of the channels that may occur
//! there.
//!
//! A channel that is created in a variable, or reaches it by assignments and arguments of `run`,
//! must match all messages through that variable. Less is known of one that was received in a
//! message: a server may receive channels of several shapes and distinguish them by the other
//! fields. There, a message is reported only if it matches none of the possible channels.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use cfsm_core::source::Span;

use super::fit::{Misfit, Value};
use super::network::{NodeId, Source, Step, Way};
use super::types::{ShapeId, Ty};
use super::{Checker, Frame, Place};
use crate::ast::Variable;
use crate::codes;
use cfsm_core::diagnostic::Label;

/// Greatest number of steps of a channel that are shown.
const STEPS_SHOWN: usize = 3;

/// Kind of a message operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
    Poll,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'m> {
    /// A value, sent or matched.
    Value(Value<'m>),
    /// The place that stores the value.
    Store(Place<'m>),
    /// Any value (`_`).
    Any,
}

/// A message operation, checked when the whole text is known.
#[derive(Debug)]
pub(super) struct Message<'m> {
    channel: Place<'m>,
    parts: Vec<(Part<'m>, Span)>,
    direction: Direction,
    span: Span,
    call: Option<Frame<'m>>,
}

/// The channels that may occur at a place.
#[derive(Debug)]
struct Candidates {
    found: Vec<Source>,
    /// `true` if a message must match all of them, `false` if one suffices.
    all: bool,
}

/// A mismatch in a message.
#[derive(Debug)]
struct Problem<'m> {
    misfit: Misfit,
    span: Span,
    /// Index of the field; `None` for the message as a whole.
    field: Option<usize>,
    /// The place that stores the field.
    place: Option<Place<'m>>,
}

impl<'m> Checker<'m> {
    /// Records a message operation, and connects the places between which it transports channels.
    pub(super) fn message(
        &mut self,
        channel: &'m Variable,
        parts: Vec<(Part<'m>, Span)>,
        direction: Direction,
        span: Span,
    ) {
        let Some(channel) = self.place(channel).filter(|channel| channel.ty == Ty::Channel) else { return };
        if self.in_trace {
            return;
        }
        let Some(parts) = self.spread(parts) else { return };
        for (position, (part, span)) in parts.iter().enumerate() {
            let (node, is_sent) = match part {
                Part::Value(Value::Channel(node)) => (*node, true),
                Part::Store(Place { ty: Ty::Channel, node, .. }) => (*node, false),
                _ => continue,
            };
            let field = self.network.field(channel.node, position);
            let (from, to) = if is_sent { (node, field) } else { (field, node) };
            self.network.step(Step { from, to, way: Way::Message, span: *span });
        }
        self.messages.push(Message { channel, parts, direction, span, call: self.calls.first().copied() });
    }

    /// The fields of a message with records flattened; `None` if there are too many.
    fn spread(&mut self, parts: Vec<(Part<'m>, Span)>) -> Option<Vec<(Part<'m>, Span)>> {
        let is_record = |part: &Part<'m>| {
            matches!(part, Part::Value(Value::Record(..)) | Part::Store(Place { ty: Ty::Record(_), .. }))
        };
        if !parts.iter().any(|(part, _)| is_record(part)) {
            return Some(parts);
        }
        let mut spread = Vec::with_capacity(parts.len());
        for (part, span) in parts {
            let whole = match part {
                Part::Value(Value::Record(record, node)) => {
                    Place { name: "", ty: Ty::Record(record), node, made_here: false, declared: span }
                }
                Part::Store(place @ Place { ty: Ty::Record(_), .. }) => place,
                part => {
                    spread.push((part, span));
                    continue;
                }
            };
            let Ty::Record(record) = whole.ty else { continue };
            for leaf in self.types.leaves(record)?.iter() {
                let mut place = whole;
                for position in &leaf.path {
                    place = self.part(place, *position)?;
                }
                let is_stored = matches!(part, Part::Store(_));
                // A part of a record has no name of its own here.
                let content = match Self::content(place) {
                    Value::Variable(kind, _) => Value::Field(kind),
                    content => content,
                };
                spread.push((if is_stored { Part::Store(place) } else { Part::Value(content) }, span));
            }
        }
        Some(spread)
    }

    /// Checks all recorded messages.
    pub(super) fn judge(&mut self) {
        let mut known: HashMap<NodeId, Rc<Candidates>> = HashMap::new();
        // A program that sends a channel in a numeric field, or receives it from there, usually
        // does so everywhere: it is reported once.
        let mut said = HashSet::new();
        for message in std::mem::take(&mut self.messages) {
            let node = message.channel.node;
            let candidates = Rc::clone(known.entry(node).or_insert_with(|| Rc::new(self.candidates(node))));
            let mut wrong = None;
            for (shape, steps) in &candidates.found {
                let problems = self.problems(&message, *shape, steps.is_empty());
                let fits = problems.is_empty();
                if !fits && wrong.is_none() {
                    wrong = Some((*shape, steps, problems));
                }
                if fits != candidates.all {
                    // The result is known.
                    wrong = wrong.filter(|_| candidates.all);
                    break;
                }
            }
            if let Some((shape, steps, problems)) = wrong {
                for problem in problems {
                    let repeated = problem.misfit.code == codes::CHANNEL_MISMATCH
                        && !said.insert((shape, problem.field, message.direction == Direction::Send));
                    if repeated {
                        continue;
                    }
                    self.report_problem(&message, shape, steps, problem);
                }
            }
        }
    }

    fn candidates(&self, node: NodeId) -> Candidates {
        let found = self.network.sources(node);
        if found.is_empty() {
            return Candidates { found: self.network.relatives(node), all: false };
        }
        Candidates { found, all: true }
    }

    /// The mismatches of a message with a channel; `made_here` tells that the channel is created in
    /// the variable itself.
    fn problems(&self, message: &Message<'m>, shape: ShapeId, made_here: bool) -> Vec<Problem<'m>> {
        let (given, fields) = (message.parts.len(), &self.types.shape(shape).fields);
        let wanted = fields.len();
        // The lowering reports this for a channel that is created in the variable.
        if given != wanted && !(made_here && message.channel.made_here) {
            let verb = match message.direction {
                Direction::Send => "this sends",
                Direction::Receive => "this receives",
                Direction::Poll => "this asks for",
            };
            let name = message.channel.name;
            let message_text = format!(
                "{verb} {} through `{name}`, a channel that comes there carries {wanted}",
                many(given)
            );
            let misfit = Misfit::new(codes::OTHER_SHAPE, message_text);
            return vec![Problem { misfit, span: message.span, field: None, place: None }];
        }
        let pairs = message.parts.iter().zip(fields).enumerate();
        pairs
            .filter_map(|(position, ((part, span), field))| {
                let (misfit, place) = match part {
                    Part::Any => None,
                    Part::Value(value) => self.types.misfit(*value, *field).map(|misfit| (misfit, None)),
                    Part::Store(place) => {
                        let carried = carried(*field, place.node);
                        self.types.misfit(carried, place.ty).map(|misfit| (misfit, Some(*place)))
                    }
                }?;
                Some(Problem { misfit, span: *span, field: Some(position), place })
            })
            .collect()
    }

    fn report_problem(
        &mut self,
        message: &Message<'m>,
        shape: ShapeId,
        steps: &[Step],
        Problem { misfit, span, place, .. }: Problem<'m>,
    ) {
        let shape = self.types.shape(shape);
        let text = format!("the channel `{}` is made here, with {}", shape.name, many(shape.fields.len()));
        let mut labels = vec![Label { span: shape.span, text }];
        // From the creation to the use; the last steps are the most informative.
        let last = steps.first().map(|step| step.span);
        let steps = steps.iter().filter(|step| step.way != Way::Same).take(STEPS_SHOWN);
        for step in steps.collect::<Vec<_>>().into_iter().rev() {
            let text = match step.way {
                _ if Some(step.span) == last => format!("`{}` gets it here", message.channel.name),
                Way::Message => String::from("it is sent on here"),
                Way::Direct | Way::Same => String::from("it is handed on here"),
            };
            if labels.iter().all(|label| label.span != step.span) {
                labels.push(Label { span: step.span, text });
            }
        }
        if let Some(place) = place {
            let text = format!("`{}` is declared here", place.name);
            labels.push(Label { span: place.declared, text });
        }
        self.report(span, misfit, labels, message.call);
    }
}

/// The abstract value of a message field.
fn carried<'m>(field: Ty, node: NodeId) -> Value<'m> {
    match field {
        // Values that are too large are reported at the send.
        Ty::Number(_) => Value::Computed,
        Ty::Symbols(set) => Value::Symbol(set, None),
        Ty::Channel => Value::Channel(node),
        Ty::Record(_) | Ty::Unknown => Value::Unknown,
    }
}

/// A number of fields, as text.
fn many(fields: usize) -> String {
    if fields == 1 { String::from("1 field") } else { format!("{fields} fields") }
}
