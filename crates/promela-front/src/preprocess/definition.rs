//! Macros and `#define`.

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::source::Span;

use super::Preprocessor;
use super::item::Item;
use super::names::{Meaning, Symbol};
use super::source::Line;
use crate::codes;
use crate::lexer::Raw;
use cfsm_core::diagnostic::Diagnostic;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    /// Its number in [`Uses`](super::Uses).
    pub number: u32,
    /// Span of the name in the definition.
    pub defined: Span,
    /// Its parameters, if it has a list of them.
    pub parameters: Option<Parameters>,
    /// The tokens of the body.
    pub body: Vec<Part>,
    /// `true` if the body is copied without substitution.
    pub plain: bool,
}

/// Parameters of a macro.
#[derive(Debug)]
pub(super) struct Parameters {
    pub names: Vec<Symbol>,
    /// `true` if the last one takes all remaining arguments.
    pub variadic: bool,
    /// For each parameter, `true` if it occurs in the body other than beside `#` and `##`, so that
    /// its argument is expanded.
    pub expanded: Vec<bool>,
}

/// A token of a macro's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub item: Item,
    /// The index of the parameter, if the token is one.
    pub parameter: Option<usize>,
    /// `true` if `#` precedes it.
    pub stringify: bool,
    /// `true` if `##` follows it.
    pub paste: bool,
}

impl Preprocessor<'_> {
    /// Processes `#define`; the line starts after that word.
    pub(super) fn define(&mut self, span: Span, line: &Line<'_>) {
        let Some(name) = self.macro_name(span, line) else { return };
        let mut next = 1;
        let mut parameters = None;
        if line.raw(1) == Some(Raw::OpenParen) && !line.pieces[1].white {
            match self.parameters(line) {
                Ok((found, behind)) => (parameters, next) = (Some(found), behind),
                Err((at, message)) => {
                    let place = line.pieces.get(at).map_or(span, |piece| line.span(piece));
                    return self.error(codes::BAD_DIRECTIVE, place, message);
                }
            }
        }
        let Some(body) = self.body(line, next, parameters.as_ref()) else { return };
        if let Some(parameters) = &mut parameters {
            for (at, part) in body.iter().enumerate() {
                let pasted = part.paste || at.checked_sub(1).is_some_and(|before| body[before].paste);
                if let Some(parameter) = part.parameter.filter(|_| !pasted && !part.stringify) {
                    parameters.expanded[parameter] = true;
                }
            }
        }
        let defined = line.span(&line.pieces[0]);
        let number = self.uses.definition(self.names.text(name), Some(defined));
        let plain = parameters.is_none() && body.iter().all(|part| !part.paste);
        let new = Macro { number, defined, parameters, body, plain };
        self.warn_of_second_body(name, &new);
        self.names.define(name, Meaning::Defined(Rc::new(new)));
    }

    /// Reads the name after `#define`, `#undef`, `#ifdef` or `#ifndef`.
    pub(super) fn macro_name(&mut self, span: Span, line: &Line<'_>) -> Option<Symbol> {
        let symbol = match line.raw(0) {
            Some(Raw::Identifier) => {
                let (names, text) = (&mut self.names, line.text(&line.pieces[0]));
                names.symbol(text)
            }
            _ => Symbol::NONE,
        };
        if symbol == Symbol::NONE {
            self.error(codes::BAD_DIRECTIVE, span, "this directive needs the name of a macro");
            return None;
        }
        if symbol == Symbol::DEFINED || symbol == Symbol::REST {
            let message = format!("`{}` cannot be the name of a macro", self.names.text(symbol));
            self.error(codes::BAD_DIRECTIVE, line.span(&line.pieces[0]), &message);
            return None;
        }
        Some(symbol)
    }

    /// Reads the list of parameters; returns it with the position after it, or the position of an
    /// error with a message.
    fn parameters(&mut self, line: &Line<'_>) -> Result<(Parameters, usize), (usize, &'static str)> {
        let (mut names, mut variadic, mut next) = (Vec::new(), false, 2);
        let mut seen = BTreeSet::new();
        let dots = |next: usize| {
            let adjacent = line.pieces.get(next + 1).is_some_and(|piece| !piece.white);
            line.raw(next) == Some(Raw::DotDot) && line.raw(next + 1) == Some(Raw::Dot) && adjacent
        };
        if line.raw(next) == Some(Raw::CloseParen) {
            return Ok((Parameters { names, variadic, expanded: Vec::new() }, next + 1));
        }
        loop {
            if dots(next) {
                (variadic, next) = (true, next + 2);
                names.push(Symbol::REST);
            } else if line.raw(next) == Some(Raw::Identifier) {
                let name = self.names.symbol(line.text(&line.pieces[next]));
                if !seen.insert(name) {
                    return Err((next, "two parameters of one name"));
                }
                if name == Symbol::REST {
                    return Err((next, "`__VA_ARGS__` cannot be the name of a parameter"));
                }
                names.push(name);
                next += 1;
                if dots(next) {
                    (variadic, next) = (true, next + 2);
                }
            } else {
                return Err((next, "the name of a parameter should stand here"));
            }
            match line.raw(next) {
                Some(Raw::CloseParen) => break,
                Some(Raw::Comma) if !variadic => next += 1,
                _ => return Err((next, "`,` or `)` should stand behind a parameter")),
            }
        }
        let expanded = vec![false; names.len()];
        Ok((Parameters { names, variadic, expanded }, next + 1))
    }

    /// Reads the body, which begins at a position of the line; `None` after an error.
    fn body(&mut self, line: &Line<'_>, start: usize, parameters: Option<&Parameters>) -> Option<Vec<Part>> {
        let mut body: Vec<Part> = Vec::with_capacity(line.pieces.len().saturating_sub(start));
        let names = parameters.map(|found| found.names.as_slice()).unwrap_or_default();
        let mut known: Vec<(Symbol, usize)> = names.iter().copied().zip(0..).collect();
        known.sort_unstable();
        let (mut next, mut hash) = (start, None);
        while let Some(piece) = line.pieces.get(next) {
            let is_hash = line.raw(next) == Some(Raw::Hash);
            if is_hash && line.raw(next + 1) == Some(Raw::Hash) && !line.pieces[next + 1].white {
                next += 2;
                match body.last_mut() {
                    Some(last) if next < line.pieces.len() && hash.is_none() => last.paste = true,
                    _ => return self.bad_body(line.span(piece), "`##` needs a word on either side"),
                }
                continue;
            }
            next += 1;
            if is_hash && parameters.is_some() && hash.is_none() {
                hash = Some(piece);
                continue;
            }
            let mut item = self.item_of(line.source, piece);
            let found = known.binary_search_by_key(&item.symbol, |(name, _)| *name);
            let parameter = found.ok().map(|position| known[position].1);
            if let Some(hash) = hash.filter(|_| parameter.is_none()) {
                return self.bad_body(line.span(hash), "`#` needs a parameter behind it");
            }
            item.white = hash.map_or(item.white, |hash| hash.white);
            body.push(Part { item, parameter, stringify: hash.take().is_some(), paste: false });
        }
        match hash {
            Some(hash) => self.bad_body(line.span(hash), "`#` needs a parameter behind it"),
            None => Some(body),
        }
    }

    fn bad_body(&mut self, span: Span, message: &str) -> Option<Vec<Part>> {
        self.error(codes::BAD_DIRECTIVE, span, message);
        None
    }

    fn warn_of_second_body(&mut self, name: Symbol, new: &Macro) {
        let Some(Meaning::Defined(old)) = self.names.meaning(name) else { return };
        let old = Rc::clone(old);
        if self.same(&old, new) {
            return;
        }
        let message = format!("the macro `{}` gets a second body", self.names.text(name));
        self.diagnostics.push(
            Diagnostic::warning(codes::MACRO_REDEFINED, new.defined, message)
                .with_label(old.defined, "the first one is here")
                .with_hint("write `#undef` before it if that is meant"),
        );
    }

    /// Returns `true` if two macros have the same parameters and bodies, up to the amount of white
    /// space.
    fn same(&self, old: &Macro, new: &Macro) -> bool {
        let parameters = match (&old.parameters, &new.parameters) {
            (None, None) => true,
            (Some(old), Some(new)) => old.names == new.names && old.variadic == new.variadic,
            _ => false,
        };
        parameters
            && old.body.len() == new.body.len()
            && old.body.iter().zip(&new.body).enumerate().all(|(at, (old, new))| {
                (old.stringify, old.paste) == (new.stringify, new.paste)
                    && (at == 0 || old.item.white == new.item.white)
                    && self.letters.get(old.item.text) == self.letters.get(new.item.text)
            })
    }
}
