//! Sends, receives and polls: whether their fields are those of the channels that may come there.
//!
//! A channel that is made in a variable, or comes there by assignments and arguments of `run`, must
//! fit what is sent and received through that variable. Of one that came in a message less is
//! known: a server may be sent channels of several kinds and tell them apart by the other fields.
//! So there a message is wrong only if it fits none of the channels that may come.

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

/// So many steps of a channel are shown.
const STEPS_SHOWN: usize = 3;

/// What a statement does with a message.
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
    /// What gets the value.
    Store(Place<'m>),
    /// Anything will do.
    Any,
}

/// A message, to be judged when all of the text is known.
#[derive(Debug)]
pub(super) struct Message<'m> {
    channel: Place<'m>,
    parts: Vec<(Part<'m>, Span)>,
    direction: Direction,
    span: Span,
    call: Option<Frame<'m>>,
}

/// Channels that may come to a place.
#[derive(Debug)]
struct Candidates {
    found: Vec<Source>,
    /// Whether a message must fit all of them, or one of them.
    all: bool,
}

/// What is wrong with a message.
#[derive(Debug)]
struct Problem<'m> {
    misfit: Misfit,
    span: Span,
    /// The field; `None` for the message as a whole.
    field: Option<usize>,
    /// What gets the field.
    place: Option<Place<'m>>,
}

impl<'m> Checker<'m> {
    /// Notes a message, and joins the places between which it carries channels.
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

    /// The fields of a message with records spread out; `None` if they are too many.
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

    /// Judges all messages.
    pub(super) fn judge(&mut self) {
        let mut known: HashMap<NodeId, Rc<Candidates>> = HashMap::new();
        // Who sends a channel in a field for numbers, or takes it from there, does so all over the
        // text.
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
                    // One is enough to know.
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

    /// What is wrong with a message for a channel; `made_here` says that the channel is made in the
    /// variable.
    fn problems(&self, message: &Message<'m>, shape: ShapeId, made_here: bool) -> Vec<Problem<'m>> {
        let (given, fields) = (message.parts.len(), &self.types.shape(shape).fields);
        let wanted = fields.len();
        // Of a channel that is made in the variable, the lowering says this.
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
        // From where it is made to where it is used; the last steps tell most.
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

/// What a field of a message holds.
fn carried<'m>(field: Ty, node: NodeId) -> Value<'m> {
    match field {
        // That it may be too large is the sender's business.
        Ty::Number(_) => Value::Computed,
        Ty::Symbols(set) => Value::Symbol(set, None),
        Ty::Channel => Value::Channel(node),
        Ty::Record(_) | Ty::Unknown => Value::Unknown,
    }
}

/// A number of fields, in words.
fn many(fields: usize) -> String {
    if fields == 1 { String::from("1 field") } else { format!("{fields} fields") }
}
