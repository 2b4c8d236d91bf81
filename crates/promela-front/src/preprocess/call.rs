//! Uses of macros with parameters: their arguments are read, expanded, and substituted in the body.

use std::rc::Rc;

use cfsm_core::source::Span;

use super::Preprocessor;
use super::definition::Macro;
use super::expand::{Context, Items};
use super::item::{Item, Pad, Stamp};
use super::names::Symbol;
use crate::codes;
use crate::lexer::Raw;
use cfsm_core::diagnostic::Diagnostic;

/// A use of a macro whose arguments are being expanded.
#[derive(Debug)]
pub(super) struct Call {
    symbol: Symbol,
    body: Rc<Macro>,
    /// The arguments as written.
    arguments: Vec<Vec<Item>>,
    /// The expanded arguments; `None` for one that is used as written.
    expanded: Vec<Option<Vec<Item>>>,
    /// `true` if the variadic argument was left out with its comma.
    rest_missing: bool,
    stamp: Stamp,
    /// Padding before the first token of the expansion.
    pad: Pad,
}

/// Arguments as written, up to the closing parenthesis.
struct Arguments {
    list: Vec<Vec<Item>>,
    close: Item,
}

impl Preprocessor<'_> {
    /// Expands a macro with parameters at its name, if a parenthesis follows.
    pub(super) fn call(&mut self, name: Item, body: Rc<Macro>) {
        if !self.open_parenthesis() {
            return self.emit(name);
        }
        let Some(parameters) = &body.parameters else { return };
        let (count, variadic) = (parameters.names.len(), parameters.variadic);
        let mut read = Vec::new();
        let Ok(Arguments { mut list, close }) = self.arguments(count, variadic, &mut read) else {
            if !self.spent {
                self.without_end(name, &body, read);
            }
            return;
        };
        let site = if name.written && close.written { name.span.to(close.span) } else { name.span };
        let given = list.len();
        if count == 0 && given == 1 && list[0].is_empty() {
            list.clear();
        }
        let rest_missing = variadic && (given < count || (given == 1 && list[0].is_empty()));
        if list.len() != count && !(rest_missing && given + 1 == count) {
            self.wrong_number(name, &body, site, given);
            return self.emit_reported(Item { span: site, ..name });
        }
        list.resize_with(count, Vec::new);
        let through = self.uses.push(site, body.number, name.through);
        for item in list.iter_mut().flatten() {
            if item.through == name.through {
                item.through = through;
            }
            // As in GCC, `__LINE__` is the line of the outermost macro if that has no parameters of
            // its own.
            if self.root_is_plain && item.written {
                item.line = self.root_line;
            }
        }
        let stamp = Stamp { span: site, line: name.line, through };
        let pad = name.pad.then(Pad::begin(name.white));
        let expanded = Vec::with_capacity(count);
        let symbol = name.symbol;
        self.calls.push(Call { symbol, body, arguments: list, expanded, rest_missing, stamp, pad });
        self.expand_arguments();
    }

    /// Reads a parenthesis, if one comes next.
    fn open_parenthesis(&mut self) -> bool {
        if let Some(item) = self.next_item() {
            let found = item.raw == Ok(Raw::OpenParen);
            if !found {
                self.pushed_back = Some(item);
            }
            self.pad = Pad::None;
            return found;
        }
        // Line ends are skipped, but not the end of a text.
        let Some(frame) = self.frames.last_mut().filter(|_| self.levels.is_empty() && !self.spent) else {
            return false;
        };
        let found = frame.source.pieces.get(frame.next).is_some_and(|next| next.raw == Ok(Raw::OpenParen));
        if found {
            frame.next += 1;
            self.pad = Pad::None;
        }
        found
    }

    /// Reads arguments up to `)`; if there is none, the tokens are left in `read`. Directives
    /// between them are obeyed, as in GCC.
    fn arguments(&mut self, count: usize, variadic: bool, read: &mut Vec<Item>) -> Result<Arguments, ()> {
        let (mut ends, mut depth) = (Vec::new(), 0_usize);
        let close = loop {
            let next = match self.next_item() {
                Some(item) => Some(item),
                None if self.levels.is_empty() && !self.spent => self.next_written(),
                None => None,
            };
            let Some(mut item) = next else { return Err(()) };
            // The enclosing expansion may have ended by the time the argument is expanded.
            item.painted |= self.is_inside(item.symbol);
            match item.raw {
                Ok(Raw::OpenParen) => depth += 1,
                Ok(Raw::CloseParen) if depth == 0 => break item,
                Ok(Raw::CloseParen) => depth -= 1,
                Ok(Raw::Comma) if depth == 0 && !(variadic && ends.len() + 1 >= count) => {
                    ends.push(read.len());
                }
                _ => {}
            }
            read.push(item);
        };
        self.pad = Pad::None;
        let mut list = Vec::with_capacity(ends.len() + 1);
        let mut start = 0;
        ends.push(read.len());
        for end in ends {
            let mut argument = read[start.min(end)..end].to_vec();
            if let Some(first) = argument.first_mut() {
                first.pad = Pad::None;
            }
            list.push(argument);
            start = end + 1;
        }
        Ok(Arguments { list, close })
    }

    /// The next token of the text, as part of an argument.
    fn next_written(&mut self) -> Option<Item> {
        loop {
            let frame = self.frames.last_mut()?;
            let source = Rc::clone(&frame.source);
            let piece = source.pieces.get(frame.next)?;
            if !(piece.begins_line && piece.raw == Ok(Raw::Hash)) {
                frame.next += 1;
                return Some(self.item_of(&source, piece));
            }
            let (pad, line, span) = (self.pad, self.root_line, self.root_span);
            self.directive(&source);
            (self.pad, self.root_line, self.root_span) = (pad, line, span);
        }
    }

    fn wrong_number(&mut self, name: Item, body: &Macro, site: Span, given: usize) {
        let wanted = body.parameters.as_ref().map_or(0, |found| found.names.len());
        let least =
            if body.parameters.as_ref().is_some_and(|found| found.variadic) { "at least " } else { "" };
        let least = if least.is_empty() { String::new() } else { format!("{least}{} ", wanted - 1) };
        let wanted = if least.is_empty() { format!("{wanted} ") } else { least };
        let text = self.names.text(name.symbol);
        let message = format!("the macro `{text}` takes {wanted}arguments, but is given {given}");
        self.diagnostics.push(
            Diagnostic::error(codes::MACRO_ARGUMENTS, site, message)
                .with_label(body.defined, format!("the macro `{text}` is defined here")),
        );
    }

    /// Reports a missing `)`. In the text, tokens after the statement are read unchanged, so that
    /// one error does not hide all others.
    fn without_end(&mut self, name: Item, body: &Macro, mut read: Vec<Item>) {
        let text = self.names.text(name.symbol);
        let message = format!("this use of the macro `{text}` has no end");
        self.diagnostics.push(
            Diagnostic::error(codes::OPEN_MACRO_CALL, name.span, message)
                .with_label(body.defined, format!("the macro `{text}` is defined here"))
                .with_hint("close it with `)`"),
        );
        self.emit_reported(name);
        if self.levels.is_empty() {
            let ends = |item: &Item| {
                matches!(item.raw, Ok(Raw::Semicolon | Raw::Arrow | Raw::OpenBrace | Raw::CloseBrace))
            };
            let rest = read.iter().position(|item| item.line != name.line || ends(item));
            read.drain(..rest.unwrap_or(read.len()));
            for item in &mut read {
                item.painted = true;
            }
            let items = Items::List(read);
            self.contexts.push(Context { items, next: 0, active: None, tail: Pad::None });
        }
    }

    /// Stores an expanded argument and continues.
    pub(super) fn take_argument(&mut self, items: Vec<Item>) {
        if let Some(call) = self.calls.last_mut() {
            call.expanded.push(Some(items));
        }
        self.expand_arguments();
    }

    /// Starts the expansion of the next argument of the innermost call, or the reading of the body
    /// after the last one.
    fn expand_arguments(&mut self) {
        let Some(call) = self.calls.last_mut() else { return };
        let wanted = call.body.parameters.as_ref().map(|found| found.expanded.as_slice()).unwrap_or_default();
        while let Some(argument) = call.arguments.get(call.expanded.len()) {
            let names = &self.names;
            let is_macro = |item: &Item| item.symbol != Symbol::NONE && names.is_macro(item.symbol);
            let wanted = wanted.get(call.expanded.len()).is_some_and(|&wanted| wanted);
            if wanted && argument.iter().any(is_macro) {
                let argument = argument.clone();
                return self.open_level(argument);
            }
            call.expanded.push(None);
        }
        let Some(call) = self.calls.pop() else { return };
        let (items, tail) =
            self.substitute(&call.body, &call.arguments, &call.expanded, call.rest_missing, call.stamp);
        self.names.set_active(call.symbol, true);
        self.contexts.push(Context { items: Items::List(items), next: 0, active: Some(call.symbol), tail });
        self.pad = call.pad;
    }
}
