//! Expansion of macros, as in C: an expansion is rescanned together with the tokens that follow,
//! and a macro is not expanded inside its own expansion; names met there are never expanded again.
//!
//! Nothing here is recursive. The input is a stack of [`Context`]s, bodies and arguments; an
//! argument is expanded separately before its substitution, as a [`Level`] with contexts of its own
//! above those of the level below. The calls that wait for their arguments are a third stack.

use std::rc::Rc;

use cfsm_core::source::Span;

use super::Preprocessor;
use super::builtin::Builtin;
use super::definition::Macro;
use super::item::{Item, Pad, Stamp};
use super::names::{Meaning, Symbol};
use super::output::Place;
use crate::codes;
use crate::lexer::{Piece, Raw, lex};
use crate::token::Kind;

/// A token sequence that is being read.
#[derive(Debug)]
pub(super) struct Context {
    pub items: Items,
    /// Index of the next token.
    pub next: usize,
    /// The macro whose expansion ends with the sequence.
    pub active: Option<Symbol>,
    /// Padding after the last token.
    pub tail: Pad,
}

/// Source of the tokens of a context.
#[derive(Debug)]
pub(super) enum Items {
    /// The body of a macro without substitution.
    Body(Rc<Macro>, Stamp),
    /// Any other tokens.
    List(Vec<Item>),
}

/// Tokens that are expanded separately.
#[derive(Debug)]
pub(super) struct Level {
    /// Number of contexts that belong to the levels below.
    base: usize,
    /// The expanded tokens so far.
    items: Vec<Item>,
}

impl Preprocessor<'_> {
    /// Expands a use of a macro in the text and writes the result.
    pub(super) fn use_macro(&mut self, name: Item) {
        (self.root_line, self.root_span) = (name.line, name.span);
        self.root_is_plain = matches!(
            self.names.meaning(name.symbol),
            Some(Meaning::Defined(found)) if found.parameters.is_none()
        );
        self.step(name);
        self.drive(0);
        self.spent = false;
    }

    /// Expands tokens separately.
    pub(super) fn expand_list(&mut self, items: Vec<Item>) -> Vec<Item> {
        let pad = std::mem::take(&mut self.pad);
        if let Some(first) = items.first() {
            (self.root_line, self.root_span) = (first.line, first.span);
        }
        self.open_level(items);
        self.drive(self.levels.len());
        self.pad = pad;
        self.spent = false;
        self.levels.pop().map(|level| level.items).unwrap_or_default()
    }

    /// Starts the separate expansion of tokens.
    pub(super) fn open_level(&mut self, items: Vec<Item>) {
        self.levels.push(Level { base: self.contexts.len(), items: Vec::with_capacity(items.len()) });
        self.contexts.push(Context { items: Items::List(items), next: 0, active: None, tail: Pad::None });
        self.pad = Pad::None;
    }

    /// Expands until `levels` levels are left and the last of them is exhausted.
    fn drive(&mut self, levels: usize) {
        loop {
            match self.next_item() {
                Some(item) => self.step(item),
                None if self.levels.len() > levels => {
                    self.pad = Pad::None;
                    if let Some(level) = self.levels.pop() {
                        self.take_argument(level.items);
                    }
                }
                None => return,
            }
        }
    }

    /// The next token of the current level; `None` at its end.
    pub(super) fn next_item(&mut self) -> Option<Item> {
        if let Some(item) = self.pushed_back.take() {
            return Some(item);
        }
        let base = self.levels.last().map_or(0, |level| level.base);
        while self.contexts.len() > base {
            let context = self.contexts.last_mut()?;
            let found = match &context.items {
                Items::Body(body, stamp) => body.body.get(context.next).map(|part| part.item.stamped(*stamp)),
                Items::List(items) => items.get(context.next).copied(),
            };
            if let Some(mut item) = found {
                context.next += 1;
                item.pad = std::mem::take(&mut self.pad).then(item.pad);
                return self.spend(1).then_some(item);
            }
            let context = self.contexts.pop()?;
            if let Some(symbol) = context.active {
                self.names.set_active(symbol, false);
            }
            self.pad = self.pad.then(context.tail).then(Pad::End);
        }
        None
    }

    /// Returns `true` if a name is that of a macro that is being expanded.
    pub(super) fn is_inside(&self, symbol: Symbol) -> bool {
        symbol != Symbol::NONE && self.names.is_active(symbol) && self.names.is_macro(symbol)
    }

    /// Processes one token: a macro is expanded, anything else is emitted.
    fn step(&mut self, mut item: Item) {
        if item.symbol == Symbol::NONE || item.painted {
            return self.emit(item);
        }
        // As in GCC, not in an argument.
        if self.in_condition && item.symbol == Symbol::DEFINED && self.levels.len() == 1 {
            return self.defined(item);
        }
        match self.names.meaning(item.symbol) {
            None => self.emit(item),
            Some(_) if self.names.is_active(item.symbol) => {
                item.painted = true;
                self.emit(item);
            }
            Some(&Meaning::Builtin(builtin)) => self.expand_builtin(item, builtin),
            Some(Meaning::Defined(found)) => {
                let found = Rc::clone(found);
                if found.parameters.is_some() {
                    return self.call(item, found);
                }
                let through = self.uses.push(item.span, found.number, item.through);
                let stamp = Stamp { span: item.span, line: item.line, through };
                self.enter(item, found, stamp);
            }
        }
    }

    /// Starts reading the body of a macro without parameters.
    fn enter(&mut self, name: Item, body: Rc<Macro>, stamp: Stamp) {
        self.names.set_active(name.symbol, true);
        self.pad = name.pad.then(Pad::begin(name.white));
        let active = Some(name.symbol);
        if body.plain {
            self.contexts.push(Context { items: Items::Body(body, stamp), next: 0, active, tail: Pad::None });
        } else {
            let (items, tail) = self.substitute(&body, &[], &[], false, stamp);
            self.contexts.push(Context { items: Items::List(items), next: 0, active, tail });
        }
    }

    /// Emits a token from the current level.
    pub(super) fn emit(&mut self, item: Item) {
        match self.levels.last_mut() {
            Some(level) => level.items.push(item),
            None => self.write(&item),
        }
    }

    /// Emits a placeholder for a reported error.
    pub(super) fn emit_reported(&mut self, name: Item) {
        self.incomplete = true;
        self.emit(Item { reported: true, symbol: Symbol::NONE, ..name });
    }

    fn expand_builtin(&mut self, name: Item, builtin: Builtin) {
        let frame = self.frames.last();
        let letters = match builtin {
            Builtin::Line => {
                let shift = frame.map_or(0, |frame| frame.shift);
                (i64::from(name.line) + shift).to_string()
            }
            Builtin::File => quoted(frame.map_or("", |frame| &frame.presumed)),
            Builtin::BaseFile => quoted(self.frames.first().map_or("", |frame| &frame.presumed)),
            Builtin::Counter => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            Builtin::IncludeLevel => self.frames.len().saturating_sub(1).to_string(),
            Builtin::Text(text) => text.to_owned(),
        };
        let number = self.builtin_number(name.symbol);
        let through = self.uses.push(name.span, number, name.through);
        let stamp = Stamp { span: name.span, line: name.line, through };
        self.pad = name.pad.then(Pad::begin(name.white));
        let items = self.make_up(&letters, stamp);
        self.contexts.push(Context { items: Items::List(items), next: 0, active: None, tail: Pad::None });
    }

    /// Creates tokens that are not in any text.
    pub(super) fn make_up(&mut self, letters: &str, stamp: Stamp) -> Vec<Item> {
        if !self.spend(1 + letters.len() / 8) {
            return Vec::new();
        }
        let whole = self.letters.spell(self.sources, letters);
        let pieces = lex(letters).pieces;
        let item = |piece: &Piece| {
            let text = Span { start: whole.start + piece.start, end: whole.start + piece.end, ..whole };
            let symbol = match piece.raw {
                Ok(Raw::Identifier) => self.names.symbol(&letters[piece.start as usize..piece.end as usize]),
                _ => Symbol::NONE,
            };
            Item {
                raw: piece.raw,
                white: piece.white && piece.start > 0,
                pad: Pad::None,
                painted: false,
                written: false,
                reported: false,
                symbol,
                line: stamp.line,
                span: stamp.span,
                text,
                through: stamp.through,
            }
        };
        pieces.iter().map(item).collect()
    }

    /// Charges tokens to the budget; when it is exhausted, all expansion ends, with one error.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        if let Some(rest) = self.budget.checked_sub(count) {
            self.budget = rest;
            return !self.spent;
        }
        self.budget = 0;
        for context in self.contexts.drain(..) {
            if let Some(symbol) = context.active {
                self.names.set_active(symbol, false);
            }
        }
        self.levels.clear();
        self.calls.clear();
        self.pushed_back = None;
        self.incomplete = true;
        if !std::mem::replace(&mut self.spent, true) {
            self.out_of_budget();
        }
        false
    }

    fn out_of_budget(&mut self) {
        if !std::mem::replace(&mut self.limit_reported, true) {
            let message = "macros expand to more tokens than the limit allows";
            self.error(codes::EXPANSION_LIMIT, self.root_span, message);
        }
        let (span, line) = (self.root_span, self.root_line);
        let place = Place { span, text: span, through: None, line, spaced: true, edge: true };
        self.output.put_kind(Kind::Unsupported, &place);
    }
}

/// A string literal with this content.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
