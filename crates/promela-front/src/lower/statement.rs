//! Lowers statements to nodes of the graph.

use cfsm_core::program::{Action, Binary, Expression, Place};
use cfsm_core::source::Span;

use super::Lowering;
use super::graph::{NodeId, NodeKind, Sequence, Target};
use crate::ast::{self, Block, Call, ExpressionKind, Name, Statement, StatementKind, Variable};
use crate::codes;
use crate::stack::deep;
use cfsm_core::diagnostic::{Diagnostic, Label};

/// `skip`
pub(super) const SKIP: Action = Action::Condition(Expression::Constant(1));

impl Lowering<'_> {
    /// Lowers statements in sequence.
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            deep(|| self.statement(statement));
        }
    }

    /// Lowers statements into a sequence of their own.
    pub(super) fn sequence(&mut self, statements: &[Statement], span: Span) -> Sequence {
        self.body.graph.open();
        self.statements(statements);
        let claims_only = |statement: &Statement| matches!(statement.kind, StatementKind::Exclusive { .. });
        if self.body.graph.last().is_none() && statements.iter().any(claims_only) {
            self.error(codes::EMPTY_SEQUENCE, span, "a sequence needs a statement");
        }
        self.body.graph.close(span)
    }

    /// Adds a statement that is one step.
    pub(super) fn action(&mut self, action: Action, span: Span) -> NodeId {
        self.body.graph.append(NodeKind::Action(action), span)
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => return self.locals(declaration),
            StatementKind::Exclusive { sending, channels } => {
                self.check_unlabelled(&statement.labels);
                return self.exclusive(*sending, channels);
            }
            _ => {}
        }
        // A statement that could not be parsed may have been a declaration.
        let unread = matches!(statement.kind, StatementKind::Error);
        self.body.initializing &= unread;
        self.body.damaged |= unread;
        if let StatementKind::Unless(main, escape) = &statement.kind {
            return self.unless(&statement.labels, main, escape, statement.span);
        }
        let labelled = self.prelude(&statement.kind);
        if matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Break)
            && statement.labels.iter().any(|label| is_special(&label.text))
        {
            // A jump is skipped, and with it the effect of its label.
            let skip = self.action(SKIP, statement.span);
            self.labels(&statement.labels, skip);
            self.unlabelled(&statement.kind, statement.span);
            return;
        }
        let node = self.unlabelled(&statement.kind, statement.span);
        self.labels(&statement.labels, labelled.unwrap_or(node));
    }

    /// Returns `true` if a statement begins with a step that its label does not denote.
    fn has_prelude(&self, kind: &StatementKind) -> bool {
        match kind {
            StatementKind::For(..) => true,
            StatementKind::Select { variable, from, to } => !self.is_rewritten(variable, from, to),
            _ => false,
        }
    }

    /// Adds the step that Spin puts before a statement: `unless` does not cover it, and labels only
    /// if it is the returned node.
    pub(super) fn prelude(&mut self, kind: &StatementKind) -> Option<NodeId> {
        match kind {
            StatementKind::For(range, _) => {
                self.for_prelude(range);
                None
            }
            StatementKind::Select { variable, from, to } => self.select_prelude(variable, from, to),
            _ => None,
        }
    }

    /// Lowers a statement without its prelude; returns the node of its labels.
    pub(super) fn unlabelled(&mut self, kind: &StatementKind, span: Span) -> NodeId {
        let place = self.body.graph.reserve();
        let node = self.node(kind, span);
        self.body.graph.nodes[node].place = place;
        node
    }

    fn node(&mut self, kind: &StatementKind, span: Span) -> NodeId {
        match kind {
            StatementKind::If(options) => {
                let options = self.options(options);
                self.body.graph.selection(options, span)
            }
            StatementKind::Do(options) => self.repetition(span, |this| this.options(options)),
            StatementKind::For(range, body) => self.for_loop(range, body, span),
            StatementKind::Select { variable, from, to } => self.select(variable, from, to, span),
            StatementKind::Block(block) => {
                let body = self.braces(block);
                self.body.graph.append(NodeKind::Block { body, d_step: None }, span)
            }
            StatementKind::Call(call) => {
                let body = self.call(call);
                self.body.graph.append(NodeKind::Block { body, d_step: None }, span)
            }
            StatementKind::Atomic(block) => self.atomic(block, span),
            StatementKind::DStep(block) => self.d_step(block, span),
            StatementKind::Goto(label) => {
                let target = Target::Label(label.clone(), self.body.graph.labels.scope());
                self.body.graph.append(NodeKind::Goto(target), span)
            }
            StatementKind::Break => {
                let target = self.body.loops.last().map_or(Target::Unknown, |end| Target::Behind(*end));
                if matches!(target, Target::Unknown) {
                    self.error(codes::MISPLACED_BREAK, span, "`break` outside a loop");
                }
                self.body.graph.append(NodeKind::Goto(target), span)
            }
            kind => {
                let action = self.simple(kind, span);
                self.action(action, span)
            }
        }
    }

    pub(super) fn labels(&mut self, labels: &[Name], node: NodeId) {
        for label in labels {
            self.check_label_name(label);
            let diagnostic = self.body.graph.label(label, node);
            // In a text with missing parts, alternative declarations may stand side by side.
            self.diagnostics.extend(diagnostic.filter(|_| !self.model.incomplete));
        }
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

    fn check_unlabelled(&mut self, labels: &[Name]) {
        if let Some(label) = labels.first() {
            let message = format!("the label `{}` stands before `xr` or `xs`", label.text);
            self.error(codes::MISPLACED_LABEL, label.span, message);
        }
    }

    /// Lowers a statement that is one action.
    fn simple(&mut self, kind: &StatementKind, span: Span) -> Action {
        self.check_event(kind, span);
        match kind {
            StatementKind::Expression(expression) => self.condition(expression, span),
            StatementKind::Assign(target, value) => {
                if target.fields.is_empty() {
                    self.check_channels(value);
                }
                self.assignment(target, value, span).unwrap_or(SKIP)
            }
            StatementKind::Step(target, operator) => self.step(target, *operator).unwrap_or(SKIP),
            StatementKind::Send { channel, sorted, fields } => self.send(channel, *sorted, fields, span),
            StatementKind::Receive { channel, random, peek, patterns } => {
                self.receive(channel, *random, *peek, patterns, span)
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
            StatementKind::SetPriority(process, priority) => {
                let process = self.expression(process);
                Action::SetPriority { process, priority: self.expression(priority) }
            }
            StatementKind::Code { guard, text } => {
                let guard = guard.as_ref().map_or_else(String::new, |guard| format!("[{}] ", guard.text));
                Action::Opaque { text: format!("{guard}{}", text.text), guard: false }
            }
            StatementKind::Return(value) => self.return_value(value, span).unwrap_or(SKIP),
            StatementKind::Exclusive { .. }
            | StatementKind::For(..)
            | StatementKind::Select { .. }
            | StatementKind::Unless(..)
            | StatementKind::Call(_)
            | StatementKind::Nothing
            | StatementKind::Error
            | StatementKind::Declaration(_)
            | StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::Block(_)
            | StatementKind::Atomic(_)
            | StatementKind::DStep(_)
            | StatementKind::Goto(_)
            | StatementKind::Break => SKIP,
        }
    }

    fn condition(&mut self, expression: &ast::Expression, span: Span) -> Action {
        match &*expression.kind {
            ExpressionKind::Run { process, arguments, priority } => {
                self.create(process, arguments, *priority, None, span)
            }
            // Its effect on variables is unknown.
            ExpressionKind::Code { .. } => match self.expression(expression) {
                Expression::Opaque(text) => Action::Opaque { text, guard: true },
                value => Action::Condition(value),
            },
            _ => Action::Condition(self.full_expression(expression)),
        }
    }

    /// Lowers `x++` or `x--`.
    fn step(&mut self, target: &Variable, operator: Binary) -> Option<Action> {
        let place = self.place(target)?;
        if self.type_of(place.variable) == cfsm_core::program::Type::Channel && target.fields.is_empty() {
            self.error(codes::CHANNEL_AS_NUMBER, target.span, "a channel is used as a number");
        }
        let value = plus_one(&place, operator);
        Some(Action::Assign { target: place, value })
    }

    /// Adds a loop whose options are created by `options`.
    pub(super) fn repetition(
        &mut self,
        span: Span,
        options: impl FnOnce(&mut Self) -> Vec<Sequence>,
    ) -> NodeId {
        self.body.graph.loops.push(None);
        let number = self.body.graph.loops.len() - 1;
        self.body.loops.push(number);
        let options = options(self);
        self.body.loops.pop();
        self.body.graph.repetition(options, number, span)
    }

    fn options(&mut self, options: &[Block]) -> Vec<Sequence> {
        let mut found: Option<Span> = None;
        let mut sequences = Vec::with_capacity(options.len());
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
            sequences.push(self.sequence(&option.statements, option.span));
        }
        self.check_else(options);
        sequences
    }

    /// Checks the label on the first statement of a sequence. It has no location of its own:
    /// control reaches the statement from the location of the enclosing one. Spin gives a meaning
    /// to such marks all the same, see [`super::marks`].
    fn check_first_label(&mut self, block: &Block, braces: bool) {
        let Some(first) = block.statements.first().filter(|first| !self.has_prelude(&first.kind)) else {
            return;
        };
        let Some(label) = first.labels.first() else { return };
        let special = first.labels.iter().find(|label| is_special(&label.text));
        // A loop has a location of its own, to which its options return.
        let is_loop = matches!(first.kind, StatementKind::Do(_));
        if braces && is_loop && special.is_none() {
            return;
        }
        let mut message =
            format!("the label `{}` stands inside, at the beginning", special.unwrap_or(label).text);
        let mut hint = format!("put it before the whole {}", if braces { "block" } else { "selection" });
        let span = special.unwrap_or(label).span;
        if braces && !is_loop {
            let diagnostic = Diagnostic::error(codes::MISPLACED_LABEL, span, message);
            return self.diagnostics.push(diagnostic.with_hint(hint));
        }
        if special.is_some() {
            message += also_marked(&first.kind);
            if is_loop {
                hint = String::from("with `skip;` before it, it marks the loop alone");
            }
        }
        self.diagnostics.push(Diagnostic::warning(codes::MISPLACED_LABEL, span, message).with_hint(hint));
    }

    /// Lowers a block, which has a scope of its own.
    pub(super) fn braces(&mut self, block: &Block) -> Sequence {
        self.check_first_label(block, true);
        self.body.graph.labels.open();
        self.names.open();
        let sequence = self.sequence(&block.statements, block.span);
        self.names.close();
        self.body.graph.labels.close();
        sequence
    }

    /// Lowers the body of a call of an inline.
    fn call(&mut self, call: &Call) -> Sequence {
        self.check_arguments(&call.values);
        let (reported, asked) = (self.diagnostics.len(), self.questions.len());
        let first = self.body.graph.nodes.len();
        self.body.calls.push(call.target.clone());
        let sequence = self.braces(&call.body);
        self.body.calls.pop();
        let span = call.target.as_ref().map_or(call.name.span, |target| target.span.to(call.name.span));
        let text = format!("in the expansion of inline `{}`, which is called here", call.name.text);
        let label = Label { span, text };
        for diagnostic in &mut self.diagnostics[reported..] {
            diagnostic.labels.push(label.clone());
        }
        self.explain_questions(asked, &label);
        let nodes = first..self.body.graph.nodes.len();
        self.body.graph.calls.push((nodes, label));
        sequence
    }

    /// Lowers `return e`: an assignment to the variable that the call is assigned to.
    fn return_value(&mut self, value: &ast::Expression, span: Span) -> Option<Action> {
        let Some(Some(target)) = self.body.calls.last().cloned() else {
            self.diagnostics.push(
                Diagnostic::error(codes::MISPLACED_STATEMENT, span, "`return` where no value is wanted")
                    .with_hint("a value can be returned from an inline that is called as `x = f(...)`"),
            );
            return None;
        };
        self.assignment(&target, value, span)
    }

    /// Lowers `xr` and `xs`: an assertion about channels, which is not a step.
    fn exclusive(&mut self, sending: bool, channels: &[Variable]) {
        self.minded.exclusive = true;
        for channel in channels {
            if channel.index.is_some() {
                let message = "`xr` and `xs` take no element of an array";
                self.error(codes::NOT_A_CHANNEL, channel.span, message);
            }
            let channel = self.channel_read(channel);
            self.body.exclusive.push(cfsm_core::program::Exclusive { channel, sending });
        }
    }
}

/// The value of a variable plus or minus 1.
pub(super) fn plus_one(place: &Place, operator: Binary) -> Expression {
    let old = Box::new(Expression::Read(place.clone()));
    Expression::Binary(operator, old, Box::new(Expression::Constant(1)))
}

/// The part of a warning that tells what a label on the first statement of an option marks.
const fn also_marked(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::Do(_) => {
            ", where it marks the loop and, as in Spin, what is behind the first step of each option"
        }
        StatementKind::If(_) => ", where it marks, as in Spin, what is behind the first step of each option",
        _ => ", where it marks, as in Spin, what is behind the first step",
    }
}

/// Returns `true` if a label has a meaning besides being the target of jumps.
pub(super) fn is_special(label: &str) -> bool {
    ["accept", "end", "progress"].iter().any(|prefix| label.starts_with(prefix))
}
