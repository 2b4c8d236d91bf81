//! Lowers `for` and `select` to loops and selections.
//!
//! `for (x : a .. b) { S }` is `x = a; do :: x <= b -> S; x++ :: else -> break od`. Over an array
//! it counts the indices; over a channel it counts up to the number of messages in a hidden
//! variable, and receives and sends back one message each time. `select (x : a .. b)` is a
//! selection of assignments if both ends are literals and close to each other, else
//! `x = a; do :: break :: x < b -> x++ od`. Labels before them denote the loop; only before a
//! `select` between literals, which Spin's lexer rewrites, they denote its first statement. The
//! lexer rewrites a `select` only if it is on one line, outside inlines, and its variable has a
//! name of letters and digits.

use cfsm_core::ids::Id;
use cfsm_core::program::{
    Action, Binary, Expression, Initializer, Pattern, Place, Type, Variable as Declared, VariableId,
    VariableRef,
};
use cfsm_core::source::Span;

use super::Lowering;
use super::graph::{NodeId, NodeKind, Sequence, Target};
use super::path::Reached;
use super::statement::plus_one;
use crate::ast::{self, Block, ExpressionKind, ForRange, Variable};
use crate::codes;
use crate::resolve::Entity;
use cfsm_core::diagnostic::Diagnostic;

/// Greatest number of values of a `select` that becomes a selection, not a loop.
const MAX_VALUES: i64 = 33;

/// The counter of a loop, its first value, and the condition to continue.
struct Counter {
    place: Place,
    from: Expression,
    while_true: Expression,
}

impl Lowering<'_> {
    /// Adds the assignment before the loop.
    pub(super) fn for_prelude(&mut self, range: &ForRange) {
        if let ForRange::In { variable, .. } = range {
            self.body.counters.remove(&variable.span);
        }
        if let ForRange::Values { variable, from, to } = range {
            self.check_range(variable, from, to);
        }
        if let Some(Counter { place, from, .. }) = self.counter(range) {
            self.action(Action::Assign { target: place, value: from }, header(range));
        }
    }

    /// Adds the loop; returns the node of its labels.
    pub(super) fn for_loop(&mut self, range: &ForRange, body: &Block, span: Span) -> NodeId {
        let counter = self.counter(range);
        self.repetition(span, |this| {
            this.body.graph.open();
            this.names.open();
            this.body.graph.labels.open();
            if let Some(Counter { while_true, .. }) = &counter {
                this.action(Action::Condition(while_true.clone()), header(range));
            }
            this.rotate(range);
            this.statements(&body.statements);
            if let Some(Counter { place, .. }) = counter {
                let value = plus_one(&place, Binary::Add);
                this.action(Action::Assign { target: place, value }, header(range));
            }
            this.body.graph.labels.close();
            this.names.close();
            let round = this.body.graph.close(span);
            this.body.graph.open();
            this.action(Action::Else, header(range));
            vec![round, this.leave(header(range))]
        })
    }

    /// Closes a sequence with a jump out of the innermost loop.
    fn leave(&mut self, span: Span) -> Sequence {
        let target = self.body.loops.last().map_or(Target::Unknown, |end| Target::Behind(*end));
        self.body.graph.append(NodeKind::Goto(target), span);
        self.body.graph.close(span)
    }

    fn counter(&mut self, range: &ForRange) -> Option<Counter> {
        match range {
            ForRange::Values { variable, from, to } => {
                let place = self.loop_variable(variable);
                let (from, to) = (self.expression(from), self.expression(to));
                let place = place?;
                let while_true = compare(Binary::LessEqual, &place, to);
                Some(Counter { place, from, while_true })
            }
            ForRange::In { variable, collection } if self.is_channel(collection) => {
                let channel = self.channel_read(collection);
                let place = Place::scalar(self.hidden_counter(variable, collection));
                let while_true = compare(Binary::Less, &place, Expression::Length(Box::new(channel)));
                Some(Counter { place, from: Expression::Constant(0), while_true })
            }
            ForRange::In { variable, collection } => {
                let place = self.loop_variable(variable);
                let last = i64::from(self.array_length(collection)?) - 1;
                let place = place?;
                let while_true = compare(Binary::LessEqual, &place, Expression::Constant(last));
                Some(Counter { place, from: Expression::Constant(0), while_true })
            }
        }
    }

    /// The counter of a loop, which must be a plain name, as in Spin.
    fn loop_variable(&mut self, variable: &Variable) -> Option<Place> {
        if variable.is_name() {
            return self.place(variable);
        }
        let message = "what a loop counts in must be a variable, no element and no field";
        self.error(codes::NOT_ASSIGNABLE, variable.span, message);
        None
    }

    /// Returns `true` if it is a channel, or an element of an array of channels.
    fn is_channel(&self, collection: &Variable) -> bool {
        let entity = self.names.find(&collection.name.text).map(|found| found.entity);
        let Some(Entity::Variable(id)) = entity.filter(|_| collection.fields.is_empty()) else {
            return false;
        };
        let is_one = self.variable(id).length.is_some() == collection.index.is_some();
        is_one && self.type_of(id) == Type::Channel
    }

    fn array_length(&mut self, collection: &Variable) -> Option<u32> {
        let length = match self.entity(&collection.name)? {
            Entity::Variable(id) => self.variable(id).length,
            Entity::Record(id) => self.records[id].length,
            Entity::Constant(..) => None,
            Entity::Opaque => return None,
        };
        if length.is_none() || !collection.is_name() {
            let message = format!("`{}` is neither an array nor a channel", collection.name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_COLLECTION, collection.span, message)
                    .with_hint("`for (x in a)` wants the name of an array, or of a channel of records"),
            );
            return None;
        }
        length
    }

    /// The hidden variable in which a loop over a channel counts.
    fn hidden_counter(&mut self, variable: &Variable, collection: &Variable) -> VariableRef {
        if let Some(id) = self.body.counters.get(&variable.span) {
            return *id;
        }
        let capacity = self.shape(collection).map_or(0, |(shape, _)| shape.capacity);
        let ty = if capacity > 255 { Type::Int } else { Type::Byte };
        let name = format!("for({})", collection.name.text);
        let counter = Declared::scalar(name, ty, Initializer::Zero, collection.span);
        let id = VariableRef::Local(self.body.locals.push(counter));
        self.body.counters.insert(variable.span, id);
        id
    }

    /// Adds the receive of a message of the channel that a loop runs over, and the send that puts
    /// it back.
    fn rotate(&mut self, range: &ForRange) {
        let ForRange::In { variable, collection } = range else { return };
        if !self.is_channel(collection) {
            return;
        }
        let span = header(range);
        let Some(Reached::Record(at)) = self.reach(variable) else {
            let message = format!("`{}` is no record, as a loop over a channel wants", variable.name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_COLLECTION, variable.span, message)
                    .with_hint("declare it with the `typedef` that the channel carries"),
            );
            return;
        };
        let declared = self.record_of_messages(collection);
        if declared != Some(at.ty) {
            let message = format!("the channel `{}` does not carry such records", collection.name.text);
            let hint = "its only field must be the `typedef` of the loop's variable";
            self.diagnostics
                .push(Diagnostic::error(codes::BAD_COLLECTION, collection.span, message).with_hint(hint));
        }
        let places = self.expand(&at, variable.span);
        let channel = self.channel_read(collection);
        let patterns = places.iter().cloned().map(Pattern::Store).collect();
        let receive = Action::Receive { channel: channel.clone(), patterns, random: false, peek: false };
        self.action(receive, span);
        let fields = places.into_iter().map(Expression::Read).collect();
        self.action(Action::Send { channel, fields, sorted: false }, span);
    }

    /// The record type of the messages of a channel, if each is one record.
    fn record_of_messages(&self, collection: &Variable) -> Option<usize> {
        let declared = self.names.find(&collection.name.text)?;
        self.channel_records.get(&declared.span).copied()
    }

    /// Reports a range that is certainly empty.
    fn check_range(&mut self, variable: &Variable, from: &ast::Expression, to: &ast::Expression) {
        let (Some(from), Some(to)) = (self.literal(from), self.literal(to)) else {
            return;
        };
        if from > to {
            let message = format!("the range {from} .. {to} is empty");
            self.error(codes::BAD_RANGE, variable.span, message);
        }
    }

    /// The value of a literal or a symbolic constant.
    fn literal(&self, expression: &ast::Expression) -> Option<i64> {
        match &*expression.kind {
            ExpressionKind::Number(value) => Some(*value),
            ExpressionKind::Variable(variable) if variable.is_name() => {
                match self.names.find(&variable.name.text)?.entity {
                    Entity::Constant(_, value) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Adds the assignment before the loop; returns its node if the labels denote that.
    pub(super) fn select_prelude(
        &mut self,
        variable: &Variable,
        from: &ast::Expression,
        to: &ast::Expression,
    ) -> Option<NodeId> {
        let rewritten = self.is_rewritten(variable, from, to);
        if rewritten && numbers(from, to).is_some() {
            return None;
        }
        let target = self.loop_variable(variable)?;
        let value = self.expression(from);
        let node = self.action(Action::Assign { target, value }, variable.span.to(to.span));
        rewritten.then_some(node)
    }

    /// Returns `true` if Spin's lexer rewrites a `select` before its parser sees it.
    pub(super) fn is_rewritten(
        &self,
        variable: &Variable,
        from: &ast::Expression,
        to: &ast::Expression,
    ) -> bool {
        let plain = || variable.name.text.chars().all(|c| c.is_ascii_alphanumeric());
        let in_one_line = || self.sources.line(variable.span) == self.sources.line(to.span);
        let numbers = is_number(from) && is_number(to);
        numbers && self.body.calls.is_empty() && variable.is_name() && plain() && in_one_line()
    }

    /// Adds a `select`; returns the node of its labels.
    pub(super) fn select(
        &mut self,
        variable: &Variable,
        from: &ast::Expression,
        to: &ast::Expression,
        span: Span,
    ) -> NodeId {
        // An error was reported, so no program is produced.
        let nowhere = || Place::scalar(VariableRef::Global(VariableId::new(0)));
        let place = self.loop_variable(variable).unwrap_or_else(nowhere);
        let header = variable.span.to(to.span);
        let rewritten = self.is_rewritten(variable, from, to);
        let Some((least, most)) = numbers(from, to).filter(|_| rewritten) else {
            self.check_range(variable, from, to);
            let until = to;
            let to = self.expression(until);
            return self.repetition(span, |this| {
                this.body.graph.open();
                let leave = this.leave(header);
                this.body.graph.open();
                this.action(Action::Condition(compare(Binary::Less, &place, to)), header);
                let value = plus_one(&place, Binary::Add);
                this.action(Action::Assign { target: place, value }, header);
                let round = this.body.graph.close(span);
                // The order that Spin's verifier shows.
                if rewritten { vec![round, leave] } else { vec![leave, round] }
            });
        };
        if least > most {
            let message = format!("the range {least} .. {most} is empty");
            self.error(codes::BAD_RANGE, variable.span, message);
        }
        let mut options = Vec::new();
        for value in least..=most {
            self.body.graph.open();
            let value = Expression::Constant(value);
            self.action(Action::Assign { target: place.clone(), value }, header);
            options.push(self.body.graph.close(span));
        }
        self.body.graph.selection(options, span)
    }
}

/// The ends of a range between two literals that are close to each other.
fn numbers(from: &ast::Expression, to: &ast::Expression) -> Option<(i64, i64)> {
    match (&*from.kind, &*to.kind) {
        (ExpressionKind::Number(from), ExpressionKind::Number(to)) if to - from < MAX_VALUES => {
            Some((*from, *to))
        }
        _ => None,
    }
}

fn is_number(expression: &ast::Expression) -> bool {
    matches!(*expression.kind, ExpressionKind::Number(_))
}

fn compare(operator: Binary, place: &Place, with: Expression) -> Expression {
    Expression::Binary(operator, Box::new(Expression::Read(place.clone())), Box::new(with))
}

/// The span of the header of a `for`, between its parentheses.
fn header(range: &ForRange) -> Span {
    match range {
        ForRange::Values { variable, to, .. } => variable.span.to(to.span),
        ForRange::In { variable, collection } => variable.span.to(collection.span),
    }
}
