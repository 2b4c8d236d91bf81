//! Expansion of macros.

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::source::{FileId, Span};

use super::Expansion;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Piece, Raw};
use crate::token::{Kind, Token, Word};

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Where its name stands in the definition.
    pub defined: Span,
    /// Whether it has parameters, which are not handled yet.
    pub parameters: bool,
    /// What it stands for.
    pub body: Rc<Vec<(Piece, Span)>>,
    /// The body's letters.
    pub spelling: Rc<Vec<String>>,
    /// Whether it is being expanded: inside its own expansion it is no macro.
    pub active: bool,
}

/// A macro that is being expanded.
struct Frame {
    name: String,
    body: Rc<Vec<(Piece, Span)>>,
    spelling: Rc<Vec<String>>,
    next: usize,
}

/// Macros so far and tokens so far.
pub(super) struct Expander {
    pub macros: BTreeMap<String, Macro>,
    pub tokens: Vec<Token>,
    pub expansions: Vec<Expansion>,
    pub diagnostics: Vec<Diagnostic>,
    /// How many more steps macros may take; a step is a use of a macro or a token out of one.
    budget: usize,
    /// Whether the next token begins a line.
    first: bool,
    /// Open parentheses of a macro's arguments, which are left out.
    arguments: usize,
}

impl Expander {
    pub fn new(budget: usize) -> Self {
        Self {
            macros: BTreeMap::new(),
            tokens: Vec::new(),
            expansions: Vec::new(),
            diagnostics: Vec::new(),
            budget,
            first: true,
            arguments: 0,
        }
    }

    /// Expands one line.
    pub fn line(&mut self, line: &[Piece], file: FileId, text: &str) {
        self.first = true;
        let mut pieces = line.iter().peekable();
        if self.arguments > 0 {
            self.arguments = skip_arguments(&mut pieces, self.arguments);
        }
        while let Some(piece) = pieces.next() {
            let span = Span { file, start: piece.start, end: piece.end };
            let word = text.get(piece.start as usize..piece.end as usize).unwrap_or_default();
            let found = if piece.raw == Ok(Raw::Identifier) { self.macros.get(word) } else { None };
            match found {
                None => self.emit(*piece, span, span, word),
                Some(found) if found.parameters => {
                    if pieces.peek().is_some_and(|next| next.raw == Ok(Raw::OpenParen)) {
                        self.arguments = skip_arguments(&mut pieces, 0);
                        self.push(Kind::Unsupported, span, span);
                    } else {
                        self.emit(*piece, span, span, word);
                    }
                }
                Some(found) => {
                    let expansion = Expansion { site: span, name: word.to_owned(), defined: found.defined };
                    self.expansions.push(expansion);
                    self.expand(word, span);
                }
            }
        }
    }

    /// Ends the text.
    pub fn end(&mut self, file: FileId, text: &str) {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let span = Span { file, start: end, end };
        self.push(Kind::End, span, span);
    }

    /// Nested uses are frames on a stack of our own: their depth is limited by the number of macros only.
    fn expand(&mut self, name: &str, site: Span) {
        let mut stack: Vec<Frame> = Vec::new();
        self.enter(name, &mut stack);
        while let Some(frame) = stack.last_mut() {
            let Some(&(piece, text)) = frame.body.get(frame.next) else {
                let name = std::mem::take(&mut frame.name);
                stack.pop();
                if let Some(done) = self.macros.get_mut(&name) {
                    done.active = false;
                }
                continue;
            };
            let word = frame.spelling[frame.next].clone();
            frame.next += 1;
            if self.budget == 0 {
                return self.exhausted(site, &stack);
            }
            self.budget -= 1;
            let usable = |found: &Macro| !found.active;
            match self.macros.get(&word).filter(|found| piece.raw == Ok(Raw::Identifier) && usable(found)) {
                None => self.emit(piece, site, text, &word),
                Some(found) if found.parameters => {
                    if frame.body.get(frame.next).is_some_and(|(next, _)| next.raw == Ok(Raw::OpenParen)) {
                        let rest = frame.body[frame.next..].iter().map(|(piece, _)| piece);
                        let mut rest = rest.peekable();
                        skip_arguments(&mut rest, 0);
                        frame.next = frame.body.len() - rest.count();
                    }
                    self.push(Kind::Unsupported, site, text);
                }
                Some(_) => self.enter(&word, &mut stack),
            }
        }
    }

    fn enter(&mut self, name: &str, stack: &mut Vec<Frame>) {
        if let Some(found) = self.macros.get_mut(name) {
            found.active = true;
            let (body, spelling) = (Rc::clone(&found.body), Rc::clone(&found.spelling));
            stack.push(Frame { name: name.to_owned(), body, spelling, next: 0 });
        }
    }

    fn exhausted(&mut self, site: Span, stack: &[Frame]) {
        for frame in stack {
            if let Some(found) = self.macros.get_mut(&frame.name) {
                found.active = false;
            }
        }
        if self.diagnostics.iter().all(|diagnostic| diagnostic.code != codes::EXPANSION_LIMIT) {
            let message = "macros expand to more tokens than the limit allows";
            self.diagnostics.push(Diagnostic::error(codes::EXPANSION_LIMIT, site, message));
        }
        self.push(Kind::Unsupported, site, site);
    }

    fn emit(&mut self, piece: Piece, span: Span, text: Span, word: &str) {
        let kind = match piece.raw {
            Ok(Raw::Identifier) => Word::of(word).map_or(Kind::Name, Kind::Word),
            Ok(raw) => Kind::Raw(raw),
            Err(error) => Kind::Bad(error),
        };
        self.push(kind, span, text);
    }

    fn push(&mut self, kind: Kind, span: Span, text: Span) {
        self.tokens.push(Token { kind, span, text, first_on_line: self.first });
        self.first = false;
    }
}

/// Leaves out the rest of `( ... )`, of which `depth` parentheses are open; gives how many still are at
/// the end of the line.
fn skip_arguments<'a>(pieces: &mut impl Iterator<Item = &'a Piece>, mut depth: usize) -> usize {
    for piece in pieces {
        match piece.raw {
            Ok(Raw::OpenParen) => depth += 1,
            Ok(Raw::CloseParen) => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            break;
        }
    }
    depth
}
