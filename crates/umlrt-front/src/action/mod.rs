//! Action code to the messages that it may send.
//!
//! Code in C, C++ or Java is read as far as it matters: statements, branches, loops, calls of the
//! class's own operations, and sends. What is not understood may send all that its text names, any
//! number of times, with a warning; nothing that may be sent is ever left out, as long as code that
//! is not in the model sends only through what it is given.

mod expression;
mod mentions;
mod statement;
mod token;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::source::{FileId, Span};

use crate::codes;
use crate::fragment::Fragment;
use crate::model::{Block, Condition, MessageId, PortId, Step};
use crate::options::Options;
use cfsm_core::ids::Id;

pub(crate) use mentions::background;
use statement::Reader;

/// The names that action code of a class may refer to.
pub(crate) struct Scope<'c> {
    /// The deepest nesting of statements.
    max_nesting: usize,
    /// The most steps of an operation that is copied to where it is called.
    max_steps: usize,
    pub(crate) outlets: Vec<Outlet>,
    /// Operations of the class by name.
    operations: BTreeMap<String, &'c Fragment>,
    /// Words that user code declares as functions or macros, if user code names ports.
    helpers: BTreeSet<String>,
    /// The sends of user code.
    helped: Block,
    /// The operations that are being read, and what those that are read may do.
    known: RefCell<BTreeMap<String, Known>>,
    /// Sends of code that may run later: functions inside expressions, ports that are handed on.
    escaped: RefCell<Vec<Block>>,
    /// The number of conditions that decide about sends and are not read.
    conditions: Cell<usize>,
}

/// A port that code may send to.
pub(crate) struct Outlet {
    pub(crate) name: String,
    pub(crate) id: PortId,
    /// The messages that can be sent.
    pub(crate) signals: Vec<Signal>,
    /// The operations of the port.
    pub(crate) operations: Vec<String>,
}

/// A message that can be sent.
pub(crate) struct Signal {
    pub(crate) name: String,
    pub(crate) id: MessageId,
}

/// An operation of the class.
#[derive(Clone)]
enum Known {
    /// It is being read: a call of it is recursion.
    Open,
    Read(Block),
}

/// Code that is not understood.
struct Opaque;

impl<'c> Scope<'c> {
    pub(crate) fn new(
        outlets: Vec<Outlet>,
        operations: BTreeMap<String, &'c Fragment>,
        options: &Options,
    ) -> Self {
        let Options { max_nesting, max_steps, .. } = *options;
        let (helpers, helped, known) = Default::default();
        let (escaped, conditions) = Default::default();
        Self { max_nesting, max_steps, outlets, operations, helpers, helped, known, escaped, conditions }
    }

    /// The sends that code which was read may do later, at any time.
    pub(crate) fn escaped(&self) -> Block {
        any_number(self.escaped.borrow().clone())
    }

    /// The number of conditions that decide about behaviour and were not read.
    pub(crate) fn conditions(&self) -> usize {
        self.conditions.get()
    }

    fn escape(&self, blocks: impl IntoIterator<Item = Block>) {
        self.escaped.borrow_mut().extend(blocks);
    }

    fn count_condition(&self) {
        self.conditions.set(self.conditions.get() + 1);
    }

    /// The steps of an operation; nothing if it calls itself.
    fn operation(&self, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Block> {
        let code = self.operations.get(name)?;
        let known = self.known.borrow().get(name).cloned();
        match known {
            Some(Known::Open) => None,
            Some(Known::Read(block)) => Some(block),
            None => {
                self.known.borrow_mut().insert(name.to_owned(), Known::Open);
                let block = block(code, self, diagnostics);
                self.known.borrow_mut().insert(name.to_owned(), Known::Read(block.clone()));
                Some(block)
            }
        }
    }
}

/// The steps of a fragment.
pub(crate) fn block(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    let mut reader = Reader::new(code, scope, diagnostics);
    match reader.all() {
        Ok(block) => block,
        Err(Opaque) => opaque(code, scope, diagnostics),
    }
}

/// A fragment that is a condition.
pub(crate) fn condition(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Condition {
    match code.text.trim().trim_end_matches(';') {
        "true" | "TRUE" | "ET_TRUE" | "1" => return Condition::True,
        "false" | "FALSE" | "ET_FALSE" | "0" => return Condition::False,
        _ => {}
    }
    scope.count_condition();
    let mut reader = Reader::new(code, scope, diagnostics);
    Condition::Free(match reader.whole_expression() {
        Ok(block) => block,
        Err(Opaque) => opaque(code, scope, diagnostics),
    })
}

/// The steps of a fragment that is not understood: all sends that its text names, any number of
/// times.
fn opaque(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    let sends = mentions::named(code, scope);
    if sends.is_empty() {
        return Vec::new();
    }
    let start = Span { file: FileId::new(0), start: 0, end: 0 };
    let message = "this code is not understood";
    let hint = "each message that it names is taken as sent any number of times";
    let place = code.span().unwrap_or(start);
    diagnostics.push(Diagnostic::warning(codes::OPAQUE_CODE, place, message).with_hint(hint));
    if mentions::may_keep(code, scope) {
        scope.escape(sends.clone());
    }
    any_number(sends)
}

/// Any of some blocks, any number of times.
fn any_number(blocks: Vec<Block>) -> Block {
    if blocks.is_empty() { Vec::new() } else { vec![Step::Repeat(vec![Step::Choice(blocks)])] }
}

/// The number of steps in a block.
fn size(block: &Block) -> usize {
    let inner = |step: &Step| match step {
        Step::Choice(blocks) => blocks.iter().map(size).sum(),
        Step::Repeat(block) | Step::Call(block) => size(block),
        Step::Send(_) | Step::Break | Step::Continue | Step::Return => 0,
    };
    block.iter().map(|step| 1 + inner(step)).sum()
}

/// True if a block sends anything.
fn sends(block: &Block) -> bool {
    block.iter().any(|step| match step {
        Step::Send(_) => true,
        Step::Choice(blocks) => blocks.iter().any(sends),
        Step::Repeat(block) | Step::Call(block) => sends(block),
        Step::Break | Step::Continue | Step::Return => false,
    })
}
