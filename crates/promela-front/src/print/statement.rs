//! Printing of statements.

use cfsm_core::program::Binary;

use super::{Printer, RED_ZONE, STACK_PIECE};
use crate::ast::{Block, Call, Expression, ForRange, Name, Pattern, Statement, StatementKind, Variable};

impl Printer {
    /// `{ ... }`
    pub(super) fn block(&mut self, block: &Block) {
        self.push("{");
        self.statements(block);
        self.new_line();
        self.push("}");
    }

    fn statements(&mut self, block: &Block) {
        self.indent += 1;
        for statement in &block.statements {
            self.new_line();
            stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.statement(statement));
            self.push(";");
        }
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        self.labels(&statement.labels);
        match &statement.kind {
            StatementKind::If(options) => self.options("if", options, "fi"),
            StatementKind::Do(options) => self.options("do", options, "od"),
            StatementKind::For(range, body) => self.for_loop(range, body),
            StatementKind::Select { variable, from, to } => {
                self.push("select (");
                self.range(variable, from, to);
                self.push(")");
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Atomic(block) => {
                self.push("atomic ");
                self.block(block);
            }
            StatementKind::DStep(block) => {
                self.push("d_step ");
                self.block(block);
            }
            StatementKind::Unless(main, escape) => {
                self.statement(main);
                self.push(" unless ");
                stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.statement(escape));
            }
            kind => self.simple(kind),
        }
    }

    fn labels(&mut self, labels: &[Name]) {
        for label in labels {
            self.push(&label.text);
            self.push(": ");
        }
    }

    fn options(&mut self, begin: &str, options: &[Block], end: &str) {
        self.push(begin);
        for option in options {
            self.new_line();
            self.push(":: ");
            self.option(option);
        }
        self.new_line();
        self.push(end);
    }

    /// The first statement follows the colons.
    fn option(&mut self, option: &Block) {
        self.indent += 1;
        for (position, statement) in option.statements.iter().enumerate() {
            if position > 0 {
                self.new_line();
            }
            stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.statement(statement));
            self.push(";");
        }
        self.indent -= 1;
    }

    fn for_loop(&mut self, range: &ForRange, body: &Block) {
        self.push("for (");
        match range {
            ForRange::Values { variable, from, to } => self.range(variable, from, to),
            ForRange::In { variable, collection } => {
                self.variable(variable);
                self.push(" in ");
                self.variable(collection);
            }
        }
        self.push(") ");
        self.block(body);
    }

    fn range(&mut self, variable: &Variable, from: &Expression, to: &Expression) {
        self.variable(variable);
        self.push(" : ");
        self.expression(from);
        self.push(" .. ");
        self.expression(to);
    }

    fn simple(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { sending, channels } => {
                self.push(if *sending { "xs " } else { "xr " });
                self.list(channels, ", ", Self::variable);
            }
            StatementKind::Expression(expression) => self.expression(expression),
            StatementKind::Assign(target, value) => {
                self.variable(target);
                self.push(" = ");
                self.expression(value);
            }
            StatementKind::Step(target, operator) => {
                self.variable(target);
                self.push(if *operator == Binary::Add { "++" } else { "--" });
            }
            StatementKind::Send { channel, sorted, fields } => {
                self.variable(channel);
                self.push(if *sorted { "!!" } else { "!" });
                self.list(fields, ", ", Self::expression);
            }
            StatementKind::Receive { channel, random, peek, patterns } => {
                self.receive(channel, *random, *peek, patterns);
            }
            StatementKind::Goto(label) => {
                self.push("goto ");
                self.push(&label.text);
            }
            StatementKind::Break => self.push("break"),
            StatementKind::Else => self.push("else"),
            StatementKind::Call(call) => self.call(call),
            StatementKind::Return(value) => {
                self.push("return ");
                self.expression(value);
            }
            StatementKind::Code { guard, text } => self.code("c_code", guard.as_ref(), text),
            kind => self.call_like(kind),
        }
    }

    /// Prints a statement in the form of a function call.
    fn call_like(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Assert(expression) => {
                self.push("assert(");
                self.expression(expression);
                self.push(")");
            }
            StatementKind::Print(format, arguments) => {
                self.push("printf(");
                self.quoted(format);
                for argument in arguments {
                    self.push(", ");
                    self.expression(argument);
                }
                self.push(")");
            }
            StatementKind::PrintSymbol(value) => {
                self.push("printm(");
                self.expression(value);
                self.push(")");
            }
            StatementKind::SetPriority(process, priority) => {
                self.push("set_priority(");
                self.expression(process);
                self.push(", ");
                self.expression(priority);
                self.push(")");
            }
            StatementKind::Error => self.push("/* unreadable */"),
            // A label precedes it; all other kinds were handled before.
            _ => {}
        }
    }

    fn receive(&mut self, channel: &Variable, random: bool, peek: bool, patterns: &[Pattern]) {
        self.variable(channel);
        self.push(if random { "??" } else { "?" });
        self.push(if peek { "<" } else { "" });
        self.list(patterns, ", ", Self::pattern);
        self.push(if peek { ">" } else { "" });
    }

    fn call(&mut self, call: &Call) {
        if let Some(target) = &call.target {
            self.variable(target);
            self.push(" = ");
        }
        self.push(&call.name.text);
        self.push("(");
        self.list(&call.arguments, ", ", |printer, argument| printer.push(&argument.text));
        self.push(")");
    }
}
