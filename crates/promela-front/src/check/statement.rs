//! Type check of statements. Recursion is as deep as the nesting of the text.

use super::fit::{Misfit, Value};
use super::message::{Direction, Part};
use super::scope::{Entity, VariableId};
use super::types::Ty;
use super::{Checker, Frame, Place};
use crate::ast::{Block, Call, Declarator, ForRange, Initial, Statement, StatementKind};
use crate::codes;

impl<'m> Checker<'m> {
    /// Checks a block, which has a scope of its own.
    pub(super) fn block(&mut self, block: &'m Block) {
        self.scopes.open();
        self.statements(&block.statements);
        self.scopes.close();
    }

    fn statements(&mut self, statements: &'m [Statement]) {
        for statement in statements {
            stacker::maybe_grow(64 << 10, 1 << 20, || self.statement(statement));
        }
    }

    fn statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|option| self.statements(&option.statements));
            }
            StatementKind::Block(block) | StatementKind::Atomic(block) | StatementKind::DStep(block) => {
                self.block(block);
            }
            StatementKind::Unless(first, second) => {
                self.statements(std::slice::from_ref(first));
                self.statements(std::slice::from_ref(second));
            }
            StatementKind::For(range, body) => {
                self.range(range, statement);
                self.block(body);
            }
            StatementKind::Call(call) => self.call(call, statement),
            StatementKind::Declaration(declaration) => {
                for (declarator, (name, id)) in
                    declaration.declarators.iter().zip(self.variables(declaration, false, false))
                {
                    self.initial(declarator, id);
                    self.scopes.declare(&name.text, Entity::Variable(id));
                }
            }
            _ => self.action(statement),
        }
    }

    /// Checks a statement without nested statements.
    fn action(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Expression(value)
            | StatementKind::Assert(value)
            | StatementKind::PrintSymbol(value) => {
                self.expression(value);
            }
            StatementKind::Assign(target, value) => {
                let (target, given) = (self.place(target), self.expression(value));
                self.store_in(target, given, value.span);
            }
            StatementKind::Step(target, _) => {
                if let Some(Place { ty: Ty::Symbols(_), .. }) = self.place(target) {
                    let misfit =
                        Misfit::new(codes::SYMBOL_AS_NUMBER, String::from("arithmetic with a symbol"));
                    self.report(target.span, misfit, Vec::new(), self.calls.first().copied());
                }
            }
            StatementKind::Send { channel, fields, .. } => {
                let parts = fields.iter().map(|field| (Part::Value(self.expression(field)), field.span));
                let parts = parts.collect();
                self.message(channel, parts, Direction::Send, statement.span);
            }
            StatementKind::Receive { channel, patterns, .. } => {
                let parts = self.patterns(patterns);
                self.message(channel, parts, Direction::Receive, statement.span);
            }
            StatementKind::Select { variable, from, to } => {
                let target = self.place(variable);
                self.bounds(target, [from, to]);
            }
            StatementKind::Exclusive { channels, .. } => {
                for channel in channels {
                    self.place(channel);
                }
            }
            StatementKind::Print(_, values) => values.iter().for_each(|value| {
                self.expression(value);
            }),
            StatementKind::SetPriority(process, priority) => {
                self.expression(process);
                self.expression(priority);
            }
            StatementKind::Return(value) => {
                let given = self.expression(value);
                let target = self.calls.last().and_then(|call| call.target);
                self.store_in(target, given, value.span);
            }
            StatementKind::Code { guard, text } => {
                self.has_code = true;
                guard.iter().chain([text]).for_each(|text| self.mention_words(&text.text));
            }
            _ => {}
        }
    }

    fn store_in(&mut self, target: Option<Place<'m>>, value: Value<'m>, span: cfsm_core::source::Span) {
        if let Some(target) = target {
            self.store(value, target, span);
        }
    }

    /// Checks the bounds of a range: literals must fit the loop variable. Variables are not
    /// checked, since a range is the usual way to keep a small number below a large one.
    fn bounds(&mut self, target: Option<Place<'m>>, bounds: [&'m crate::ast::Expression; 2]) {
        for bound in bounds {
            let value = self.expression(bound);
            if matches!(value, Value::Constant(_)) {
                self.store_in(target, value, bound.span);
            }
        }
    }

    fn range(&mut self, range: &'m ForRange, statement: &'m Statement) {
        match range {
            ForRange::Values { variable, from, to } => {
                let target = self.place(variable);
                self.bounds(target, [from, to]);
            }
            ForRange::In { variable, collection } => {
                let target = self.place(variable);
                let messages = self.place(collection).is_some_and(|place| place.ty == Ty::Channel)
                    && (collection.index.is_some() || !self.is_array(collection));
                if let Some(target) = target.filter(|_| messages && collection.fields.is_empty()) {
                    let parts = vec![(Part::Store(target), variable.span)];
                    self.message(collection, parts, Direction::Receive, statement.span);
                }
            }
        }
    }

    fn is_array(&self, variable: &'m crate::ast::Variable) -> bool {
        match self.scopes.find(&variable.name.text) {
            Some(Entity::Variable(id)) => self.scopes.variable(id).array,
            _ => false,
        }
    }

    fn call(&mut self, call: &'m Call, statement: &'m Statement) {
        self.mentioned.insert(&call.name.text);
        call.arguments.iter().for_each(|argument| self.mention_words(&argument.text));
        let target = call.target.as_ref().and_then(|target| self.place(target));
        self.calls.push(Frame { name: &call.name.text, span: statement.span, target });
        self.block(&call.body);
        self.calls.pop();
    }

    /// Checks the declarator of a variable: its width, length and initial value.
    pub(super) fn initial(&mut self, declarator: &'m Declarator, id: VariableId) {
        for size in declarator.width.iter().chain(&declarator.length) {
            self.expression(size);
        }
        let target = self.place_of(id);
        match &declarator.init {
            Initial::None => {}
            Initial::Value(value) => {
                let given = self.expression(value);
                self.store(given, target, value.span);
            }
            Initial::List(values) => {
                for value in values {
                    let given = self.expression(value);
                    self.store(given, target, value.span);
                }
            }
            Initial::Channel { capacity, .. } => {
                self.expression(capacity);
            }
        }
    }
}
