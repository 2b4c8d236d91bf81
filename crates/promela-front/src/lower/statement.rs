//! Statements to nodes of the graph.

use cfsm_core::program::{Action, Binary, Expression, Type};
use cfsm_core::source::Span;

use super::Lowering;
use super::graph::{NodeId, NodeKind, Region, Target};
use crate::ast::{self, Block, ExpressionKind, Name, Statement, StatementKind, Variable};
use crate::codes;
use crate::diagnostic::Diagnostic;

impl Lowering<'_> {
    /// The first node of a sequence that leads on to `next`; `next` itself if there is nothing to do.
    pub(super) fn sequence(&mut self, statements: &[Statement], next: NodeId) -> NodeId {
        let mut first = None;
        // The place behind the last node, which leads to the end until another statement comes.
        let mut end: Option<NodeId> = None;
        for statement in statements {
            let after = self.push(NodeKind::Join(next), statement.span);
            let Some(node) = self.statement(statement, after) else {
                continue;
            };
            if let Some(end) = end {
                self.body.graph.nodes[end].kind = NodeKind::Join(node);
            }
            first = first.or(Some(node));
            end = Some(after);
        }
        first.unwrap_or(next)
    }

    fn push(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let block = self.body.block;
        self.body.graph.push(kind, span, block)
    }

    pub(super) fn action(&mut self, action: Action, next: NodeId, span: Span) -> NodeId {
        self.push(NodeKind::Action(action, next), span)
    }

    /// Makes an action lead elsewhere.
    pub(super) fn redirect(&mut self, node: NodeId, to: NodeId) {
        if let NodeKind::Action(_, next) = &mut self.body.graph.nodes[node].kind {
            *next = to;
        }
    }

    /// The first node of a statement, if it has one.
    fn statement(&mut self, statement: &Statement, next: NodeId) -> Option<NodeId> {
        let span = statement.span;
        if let StatementKind::Declaration(declaration) = &statement.kind {
            return self.locals(declaration, next);
        }
        // What could not be read may have been a declaration.
        let unread = matches!(statement.kind, StatementKind::Error);
        self.body.initializing &= unread;
        self.body.damaged |= unread;
        let node = match &statement.kind {
            StatementKind::If(options) => self.selection(options, next, span),
            StatementKind::Do(options) => self.repetition(options, next, span),
            StatementKind::Block(block) => self.braces(block, next),
            StatementKind::Atomic(block) => self.region(block, false, next, span),
            StatementKind::DStep(block) => self.region(block, true, next, span),
            StatementKind::Goto(label) => {
                let target = Target::Label(label.clone(), self.body.scope.clone());
                self.push(NodeKind::Goto(target), span)
            }
            StatementKind::Break => {
                let target = self.body.loops.last().map_or(Target::Unknown, |end| Target::Node(*end));
                if matches!(target, Target::Unknown) {
                    self.error(codes::MISPLACED_BREAK, span, "`break` outside a loop");
                }
                self.push(NodeKind::Goto(target), span)
            }
            kind => {
                let action = self.simple(kind, span);
                self.action(action, next, span)
            }
        };
        let scope = self.body.scope.clone();
        for label in &statement.labels {
            self.check_label_name(label);
            let diagnostic = self.body.graph.label(label, &scope, node);
            // Of a text with directives that are not handled, alternatives stand side by side.
            self.diagnostics.extend(diagnostic.filter(|_| !self.model.incomplete));
        }
        Some(node)
    }

    fn check_label_name(&mut self, label: &Name) {
        let Some(earlier) = self.names.find(&label.text) else {
            return;
        };
        let message = format!("`{}` is declared already and cannot be a label", label.text);
        self.diagnostics.push(
            Diagnostic::error(codes::REDECLARED, label.span, message)
                .with_label(earlier.span, "it is declared here, and visible"),
        );
    }

    /// A statement that is one action.
    fn simple(&mut self, kind: &StatementKind, span: Span) -> Action {
        let skip = Action::Condition(Expression::Constant(1));
        match kind {
            StatementKind::Expression(expression) => match &*expression.kind {
                ExpressionKind::Run(process, arguments) => self.create(process, arguments, None, span),
                _ => Action::Condition(self.full_expression(expression)),
            },
            StatementKind::Assign(target, value) => self.assignment(target, value, span).unwrap_or(skip),
            StatementKind::Step(target, operator) => self.step(target, *operator).unwrap_or(skip),
            StatementKind::Send { channel, sorted, fields } => self.send(channel, *sorted, fields, span),
            StatementKind::Receive { channel, random, patterns } => {
                self.receive(channel, *random, patterns, span)
            }
            StatementKind::Else => Action::Else,
            StatementKind::Assert(expression) => Action::Assert(self.full_expression(expression)),
            StatementKind::Print(format, arguments) => {
                let arguments = arguments.iter().map(|argument| self.expression(argument)).collect();
                Action::Print { format: format.clone(), arguments }
            }
            StatementKind::PrintSymbol(value) => {
                let arguments = vec![self.expression(value)];
                Action::Print { format: String::from("%e"), arguments }
            }
            StatementKind::Nothing
            | StatementKind::Error
            | StatementKind::Declaration(_)
            | StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::Block(_)
            | StatementKind::Atomic(_)
            | StatementKind::DStep(_)
            | StatementKind::Goto(_)
            | StatementKind::Break => skip,
        }
    }

    fn assignment(&mut self, target: &Variable, value: &ast::Expression, span: Span) -> Option<Action> {
        let place = self.place(target);
        if let ExpressionKind::Run(process, arguments) = &*value.kind {
            return Some(self.create(process, arguments, place, span));
        }
        let ty = place.as_ref().map(|place| self.type_of(place.variable));
        if let Some(ty) = ty {
            self.check_symbols(ty, value);
        }
        if ty == Some(Type::Channel) && matches!(*value.kind, ExpressionKind::Number(_)) {
            let message = format!("a number is assigned to the channel `{}`", target.name.text);
            self.error(codes::NOT_A_CHANNEL, value.span, message);
        }
        self.assigning = true;
        let value = self.full_expression(value);
        self.assigning = false;
        Some(Action::Assign { target: place?, value })
    }

    /// `x++` or `x--`.
    fn step(&mut self, target: &Variable, operator: Binary) -> Option<Action> {
        let place = self.place(target)?;
        if self.type_of(place.variable) == Type::Channel {
            self.error(codes::CHANNEL_AS_NUMBER, target.span, "a channel is used as a number");
        }
        let old = Box::new(Expression::Read(place.clone()));
        let value = Expression::Binary(operator, old, Box::new(Expression::Constant(1)));
        Some(Action::Assign { target: place, value })
    }

    fn selection(&mut self, options: &[Block], next: NodeId, span: Span) -> NodeId {
        let node = self.push(NodeKind::Choice(Vec::new()), span);
        self.options(options, node, next);
        node
    }

    fn repetition(&mut self, options: &[Block], next: NodeId, span: Span) -> NodeId {
        let node = self.push(NodeKind::Choice(Vec::new()), span);
        self.body.loops.push(next);
        self.options(options, node, node);
        self.body.loops.pop();
        node
    }

    fn options(&mut self, options: &[Block], node: NodeId, next: NodeId) {
        let mut found: Option<Span> = None;
        let mut firsts = Vec::with_capacity(options.len());
        for option in options {
            if let Some(Statement { kind: StatementKind::Else, span, .. }) = option.statements.first() {
                if let Some(earlier) = found {
                    self.diagnostics.push(
                        Diagnostic::error(codes::DUPLICATE_ELSE, *span, "a second `else`")
                            .with_label(earlier, "the first one is here"),
                    );
                }
                found = Some(*span);
            }
            self.check_first_label(option, false);
            firsts.push(self.sequence(&option.statements, next));
        }
        self.body.graph.nodes[node].kind = NodeKind::Choice(firsts);
    }

    /// A label on the first statement of a sequence is no place of its own: control comes there by the
    /// location before.
    fn check_first_label(&mut self, block: &Block, braces: bool) {
        let Some(label) = block.statements.first().and_then(|first| first.labels.first()) else {
            return;
        };
        let what = if braces { "block" } else { "selection" };
        let message = format!("the label `{}` stands inside, at the beginning", label.text);
        let diagnostic = if braces {
            Diagnostic::error(codes::MISPLACED_LABEL, label.span, message)
        } else {
            Diagnostic::warning(codes::MISPLACED_LABEL, label.span, message)
        };
        self.diagnostics.push(diagnostic.with_hint(format!("put it before the whole {what}")));
    }

    fn braces(&mut self, block: &Block, next: NodeId) -> NodeId {
        self.check_first_label(block, true);
        self.body.scopes += 1;
        self.body.scope.push(self.body.scopes);
        self.names.open();
        let first = self.sequence(&block.statements, next);
        self.names.close();
        self.body.scope.pop();
        first
    }

    /// `atomic` or `d_step`: a node outside, from which its first statement leaves.
    fn region(&mut self, block: &Block, deterministic: bool, next: NodeId, span: Span) -> NodeId {
        let enter = self.push(NodeKind::Enter(next), span);
        let parent = self.body.block;
        self.body.graph.regions.push(Region { parent, deterministic });
        self.body.block = Some(self.body.graph.regions.len() - 1);
        let first = self.braces(block, next);
        self.body.block = parent;
        self.body.graph.nodes[enter].kind = NodeKind::Enter(first);
        enter
    }
}
