//! Action code to the messages that it may send, and the variables that decide about them.
//!
//! Code in C, C++ or Java is read as far as it matters: statements, branches, loops, calls of the
//! class's own operations, sends, and changes of variables. What is not understood may send all
//! that its text names, any number of times, with a warning, and the variables that it names are
//! not followed; nothing that may be sent is ever left out, as long as code that is not in the
//! model sends and changes only what it is given. Without the feature `action-code`, no code is
//! understood.
#![cfg_attr(not(feature = "action-code"), allow(dead_code, reason = "what reading needs"))]

#[cfg(feature = "action-code")]
mod expression;
mod mentions;
#[cfg(feature = "action-code")]
mod range;
mod relevance;
#[cfg(feature = "action-code")]
mod statement;
pub(crate) mod token;
mod types;
#[cfg(feature = "action-code")]
mod value;
mod variables;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::source::{FileId, Span};

use crate::codes;
use crate::fragment::Fragment;
use crate::model::{Block, Condition, MessageId, PortId, Step, ValueType};
use crate::options::Options;
use cfsm_core::ids::Id;

pub(crate) use mentions::background;
pub(crate) use relevance::relevant;
#[cfg(feature = "action-code")]
use statement::Reader;
pub(crate) use types::{initial_of, is_of_language, type_of};
pub(crate) use variables::{Unfollowed, Variables};

/// The names that action code of a class may refer to.
pub(crate) struct Scope<'c> {
    /// The deepest nesting of statements.
    max_nesting: usize,
    /// The most steps of an operation that is copied to where it is called.
    max_steps: usize,
    pub(crate) outlets: Vec<Outlet>,
    /// Operations of the class by name.
    pub(crate) operations: BTreeMap<String, OperationCode<'c>>,
    /// The variables of the class.
    pub(crate) variables: Variables,
    /// The code is that of Art.
    is_art: bool,
    /// The words of user code: its functions are among them.
    user_words: BTreeSet<String>,
    /// The macros of user code.
    macros: BTreeSet<String>,
    /// True if macros of user code put words together.
    pastes: bool,
    /// The sends of user code.
    helped: Block,
    /// The operations that are being read, and what those that are read may do.
    known: RefCell<BTreeMap<String, Known>>,
    /// Sends of code that may run later: functions inside expressions, ports that are handed on.
    escaped: RefCell<Vec<Block>>,
    /// The number of conditions that decide about sends and are not read.
    conditions: Cell<usize>,
}

/// The code of an operation of the class.
#[derive(Default)]
pub(crate) struct OperationCode<'c> {
    /// The names of its parameters.
    pub(crate) parameters: Vec<String>,
    /// Its bodies: that of the class, and before it those that it overrides.
    pub(crate) bodies: Vec<&'c Fragment>,
    /// There are several of its name that do not override each other.
    pub(crate) overloaded: bool,
}

/// A port that code may send to.
pub(crate) struct Outlet {
    pub(crate) name: String,
    pub(crate) id: PortId,
    /// The messages that can be sent.
    pub(crate) signals: Vec<Signal>,
    /// The operations of the port.
    pub(crate) operations: Vec<String>,
    /// A call of a message makes it, and `send` sends it.
    pub(crate) makes_messages: bool,
    /// It is one of the port by which capsules are created, in Art.
    pub(crate) is_frame: bool,
}

impl Outlet {
    /// True if the port has a message or an operation with a name.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.signals.iter().any(|signal| signal.name == name) || self.operations.iter().any(|own| own == name)
    }

    /// True if a word is the port's name, a part of it, or begins with it as functions that are
    /// generated for the port do.
    pub(crate) fn is_named_by(&self, word: &str) -> bool {
        self.name
            .split('.')
            .any(|part| word.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
    }
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
        operations: BTreeMap<String, OperationCode<'c>>,
        variables: Variables,
        is_art: bool,
        options: &Options,
    ) -> Self {
        let Options { max_nesting, max_steps, .. } = *options;
        let (user_words, macros, helped, known) = Default::default();
        let (escaped, conditions) = Default::default();
        Self {
            max_nesting,
            max_steps,
            outlets,
            operations,
            variables,
            is_art,
            user_words,
            macros,
            pastes: false,
            helped,
            known,
            escaped,
            conditions,
        }
    }

    /// The type that a name denotes. Where code may declare types, that of words of the language
    /// alone is known.
    pub(crate) fn type_of(&self, name: &str) -> Option<ValueType> {
        let renamed = self.is_art && ["typedef", "using"].iter().any(|word| self.user_words.contains(*word));
        let is_known = !renamed || is_of_language(name);
        type_of(name).filter(|_| is_known && !self.macros.contains(name))
    }

    /// The sends that code which was read may do later, at any time.
    pub(crate) fn escaped(&self) -> Block {
        any_number(self.escaped.borrow().clone())
    }

    /// The number of conditions that decide about behaviour and were not read.
    pub(crate) fn conditions(&self) -> usize {
        self.conditions.get()
    }

    pub(crate) fn escape(&self, blocks: impl IntoIterator<Item = Block>) {
        self.escaped.borrow_mut().extend(blocks);
    }

    /// True if a word names a port that something can be sent to.
    pub(crate) fn names_port(&self, word: &str) -> bool {
        let sends = |outlet: &&Outlet| !outlet.signals.is_empty() || !outlet.operations.is_empty();
        self.outlets.iter().filter(sends).any(|outlet| outlet.is_named_by(word))
    }

    /// True if a word names the port at hand, or the message, which leads to it.
    fn is_item(&self, word: &str) -> bool {
        word == "ifitem" || (self.is_art && matches!(word, "msg" | "rtport"))
    }

    /// The operation that a word names, as it is or as the end of a function's name.
    pub(crate) fn operation_named(&self, word: &str) -> Option<&str> {
        let fits = |name: &str| {
            word.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('_'))
        };
        self.operations.keys().map(String::as_str).find(|name| fits(name))
    }

    /// True if a word in code may reach what code can send or change, other than by a variable.
    fn reaches(&self, word: &str) -> bool {
        matches!(word, "self" | "this" | "super")
            || self.is_item(word)
            || self.names_port(word)
            || self.operation_named(word).is_some()
            || self.macros.contains(word)
            || self.requeues(word)
    }

    /// True for the functions of Art that put a message into a queue again.
    fn requeues(&self, word: &str) -> bool {
        self.is_art && matches!(word, "defer" | "sendCopyToMe")
    }

    /// True if text may name what its words do not show.
    fn hides_words(&self, text: &str) -> bool {
        let pasted = || token::tokens(text).iter().any(|token| self.macros.contains(token.text));
        token::hides_words(text) || token::assembles(text) || (self.pastes && pasted())
    }

    /// Code that gets the port by which capsules are created may create them in any part.
    fn lose_created(&self, outlet: &Outlet) {
        if outlet.is_frame {
            self.variables.lose_parts(|_| true);
        }
    }

    /// Code that is not understood may change all that its text names.
    pub(crate) fn lose_named(&self, code: &str) {
        if self.hides_words(code) {
            self.variables.lose_parts(|_| true);
            return self.variables.lose_if(|_, _| true);
        }
        let tokens = token::tokens(code);
        let is_handed_on = |outlet: &&Outlet| {
            let is_asked = |at: usize| tokens.get(at + 1).is_some_and(|next| next.kind == token::Kind::Dot);
            (0..tokens.len()).any(|at| tokens[at].is(&outlet.name) && !is_asked(at))
        };
        self.outlets.iter().filter(is_handed_on).for_each(|outlet| self.lose_created(outlet));
        let reaches_all =
            |name: &str| matches!(name, "self" | "this" | "super") || self.operation_named(name).is_some();
        self.variables.lose_named(code, reaches_all);
    }

    /// Code that has become too long through refinement: any of its sends, any number of times, and
    /// what it changes is not followed.
    pub(crate) fn limit(&self, code: &mut Block) {
        if size(code) <= self.max_steps {
            return;
        }
        let (mut sends, mut changed) = (Vec::<Block>::new(), BTreeSet::new());
        let mut note = |step: &Step| {
            match step {
                Step::Send(_) | Step::Requeue | Step::Incarnate { .. }
                    if !sends.contains(&vec![step.clone()]) =>
                {
                    sends.push(vec![step.clone()])
                }
                Step::Assign { variable, .. } => _ = changed.insert(*variable),
                _ => {}
            }
            false
        };
        code.iter().for_each(|step| _ = step.any(&mut note));
        self.variables.lose_if(|_, variable| changed.contains(&variable));
        *code = any_number(sends);
    }

    fn count_condition(&self) {
        self.conditions.set(self.conditions.get() + 1);
    }

    /// The steps of an operation; nothing if it calls itself.
    fn operation(&self, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Block> {
        let operation = self.operations.get(name)?;
        let code = operation.bodies.last()?;
        let known = self.known.borrow().get(name).cloned();
        match known {
            Some(Known::Open) => None,
            Some(Known::Read(block)) => Some(block),
            None => {
                self.known.borrow_mut().insert(name.to_owned(), Known::Open);
                let block = block_with(code, &operation.parameters, self, diagnostics);
                self.known.borrow_mut().insert(name.to_owned(), Known::Read(block.clone()));
                Some(block)
            }
        }
    }
}

/// The steps of a fragment.
pub(crate) fn block(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    block_with(code, &[], scope, diagnostics)
}

/// The steps of a fragment with parameters, whose values are not known.
#[cfg(feature = "action-code")]
fn block_with(
    code: &Fragment,
    parameters: &[String],
    scope: &Scope<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Block {
    let locals = vec![parameters.iter().map(|name| (name.clone(), None)).collect()];
    match Reader::new(code, scope, diagnostics, locals).all() {
        Ok(block) => block,
        Err(Opaque) => opaque(code, scope, diagnostics),
    }
}

#[cfg(not(feature = "action-code"))]
fn block_with(code: &Fragment, _: &[String], scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    opaque(code, scope, diagnostics)
}

/// A fragment that is a condition.
pub(crate) fn condition(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Condition {
    let constant = code.text.trim().trim_end_matches(';');
    match constant {
        _ if scope.macros.contains(constant) => {}
        "true" | "TRUE" | "ET_TRUE" | "1" => return Condition::True,
        "false" | "FALSE" | "ET_FALSE" | "0" => return Condition::False,
        _ => {}
    }
    #[cfg(feature = "action-code")]
    {
        let locals = vec![BTreeMap::new()];
        match Reader::new(code, scope, diagnostics, locals).condition() {
            Ok(Condition::Free(block)) => {
                scope.count_condition();
                return Condition::Free(block);
            }
            Ok(condition) => return condition,
            Err(Opaque) => {}
        }
    }
    scope.count_condition();
    Condition::Free(opaque(code, scope, diagnostics))
}

/// The steps of a fragment that is not understood: all sends that its text names, any number of
/// times.
fn opaque(code: &Fragment, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    scope.lose_named(&code.text);
    diagnostics.extend(requeued_elsewhere(code, scope));
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

/// The error that code which is not understood defers or copies a message: it may be any.
pub(crate) fn requeued_elsewhere(code: &Fragment, scope: &Scope<'_>) -> Option<Diagnostic> {
    let token = token::tokens(&code.text).into_iter().find(|token| scope.requeues(token.text))?;
    let place = code.place(token.start, token.end).or_else(|| code.span())?;
    let message = "messages that are deferred or copied by code that is not understood are not read yet";
    let hint = "`msg->defer();` and `sendCopyToMe(msg);` are understood";
    Some(Diagnostic::error(codes::NOT_READ, place, message).with_hint(hint))
}

/// Any of some blocks, any number of times.
fn any_number(blocks: Vec<Block>) -> Block {
    if blocks.is_empty() { Vec::new() } else { vec![Step::Repeat(vec![Step::Choice(blocks)])] }
}

/// The number of steps in a block.
fn size(block: &Block) -> usize {
    let inner = |step: &Step| step.blocks().into_iter().map(size).sum::<usize>();
    block.iter().map(|step| 1 + inner(step)).sum()
}

/// True if a block sends anything, or creates capsules.
#[cfg(feature = "action-code")]
fn sends(block: &Block) -> bool {
    let acts = |step: &Step| matches!(step, Step::Send(_) | Step::Requeue | Step::Incarnate { .. });
    block.iter().any(|step| step.any(&mut |step| acts(step)))
}

/// True if a block changes a variable.
#[cfg(feature = "action-code")]
fn changes(block: &Block) -> bool {
    block.iter().any(|step| step.any(&mut |step| matches!(step, Step::Assign { .. })))
}
