//! Numbers of statements, as Spin gives them: trails of its verifier refer to them.
//!
//! Spin numbers the elements of all process types in one sequence, in the order in which its parser
//! completes them: the statements of a block before the block, the options of a selection before
//! it. A selection has a second element, in which its options meet, and a loop a third one, to
//! which `break` leads; where these are steps, they have the span of the selection. Behind the body
//! of a process stands an element for its end.

use std::collections::BTreeMap;

use cfsm_core::source::Span;
use thiserror::Error;

use crate::ast::{Block, Model, Process, Statement, StatementKind, Unit};

/// The numbers of the statements of a process type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The number of each statement, by its span; `None` if there are several with this span, as in
    /// an inline that is called twice. Statements of a `d_step` have the number of the `d_step`.
    statements: BTreeMap<Span, Option<u32>>,
    /// The number of the end.
    end: u32,
}

impl Numbers {
    /// The number of the statement with a span; `None` if there is none, or are several.
    #[must_use]
    pub fn statement(&self, span: Span) -> Option<u32> {
        self.statements.get(&span).copied().flatten()
    }

    /// The number of the step in which a process ends.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.end
    }
}

/// A construct that Spin replaces by others before it counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("statements are not numbered in a model with {construct}")]
pub struct NotNumbered {
    /// Its name.
    pub construct: &'static str,
    /// Its place.
    pub span: Span,
}

/// The numbers of all statements, by the names of process types. Time linear in the model.
///
/// # Errors
/// If the model has claims, `for`, `select`, `unless`, values of inlines, or declarations behind
/// statements.
pub fn numbers(model: &Model) -> Result<BTreeMap<String, Numbers>, NotNumbered> {
    let mut counting = Counting { next: 0, numbers: Numbers::default(), has_statement: false };
    let mut all = BTreeMap::new();
    for unit in &model.units {
        match unit {
            Unit::Process(process) => {
                all.insert(process.name.text.to_string(), counting.process(process)?);
            }
            Unit::Observer(_) | Unit::Ltl(_) => {
                return Err(NotNumbered { construct: "a claim", span: unit.span() });
            }
            Unit::Symbols(_)
            | Unit::Declaration(_)
            | Unit::Typedef(_)
            | Unit::Inline(_)
            | Unit::Embedded(_) => {}
        }
    }
    Ok(all)
}

struct Counting {
    next: u32,
    /// Those of the process type at hand.
    numbers: Numbers,
    /// `true` behind its first statement.
    has_statement: bool,
}

impl Counting {
    fn process(&mut self, process: &Process) -> Result<Numbers, NotNumbered> {
        self.has_statement = false;
        self.block(&process.body, None)?;
        self.numbers.end = self.element();
        Ok(std::mem::take(&mut self.numbers))
    }

    fn element(&mut self) -> u32 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Counts the statements of a block. Those inside a `d_step` are collected.
    fn block(&mut self, block: &Block, mut inside: Option<&mut Vec<Span>>) -> Result<(), NotNumbered> {
        for statement in &block.statements {
            self.statement(statement, inside.as_deref_mut())?;
        }
        Ok(())
    }

    fn statement(
        &mut self,
        statement: &Statement,
        mut inside: Option<&mut Vec<Span>>,
    ) -> Result<(), NotNumbered> {
        let span = statement.span;
        let refused = |construct| Err(NotNumbered { construct, span });
        match &statement.kind {
            StatementKind::Declaration(_) if self.has_statement => {
                return refused("a declaration behind a statement");
            }
            StatementKind::Declaration(_) | StatementKind::Exclusive { .. } => {}
            StatementKind::If(options) | StatementKind::Do(options) => {
                for option in options {
                    self.block(option, inside.as_deref_mut())?;
                }
                self.element();
                let mut end = self.element();
                if matches!(statement.kind, StatementKind::Do(_)) {
                    end = self.element();
                }
                // The step behind the last statement of an option, where there is one.
                self.found(span, end, inside);
            }
            StatementKind::Block(block) | StatementKind::Atomic(block) => {
                self.block(block, inside)?;
                self.element();
            }
            StatementKind::DStep(block) => {
                let mut spans = Vec::new();
                self.block(block, Some(&mut spans))?;
                let number = self.element();
                match inside {
                    Some(outer) => outer.append(&mut spans),
                    None => spans.into_iter().for_each(|span| self.add(span, number)),
                }
            }
            StatementKind::Call(call) if call.target.is_none() => {
                self.has_statement = true;
                self.block(&call.body, inside)?;
                self.element();
            }
            StatementKind::Call(_) | StatementKind::Return(_) => {
                return refused("an inline that has a value");
            }
            StatementKind::For(..) => return refused("`for`"),
            StatementKind::Select { .. } => return refused("`select`"),
            StatementKind::Unless(..) => return refused("`unless`"),
            _ => {
                self.has_statement = true;
                let number = self.element();
                self.found(span, number, inside);
            }
        }
        Ok(())
    }

    fn found(&mut self, span: Span, number: u32, inside: Option<&mut Vec<Span>>) {
        match inside {
            Some(spans) => spans.push(span),
            None => self.add(span, number),
        }
    }

    fn add(&mut self, span: Span, number: u32) {
        let entry = self.numbers.statements.entry(span).or_insert(Some(number));
        if *entry != Some(number) {
            *entry = None;
        }
    }
}
