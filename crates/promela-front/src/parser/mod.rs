//! The parser: recursive descent from tokens to the tree.
//!
//! The grammar is that of Spin 6.5, with its rules about separators: a line end separates
//! statements if the last token could end one and no parenthesis is open; so do a closing brace and
//! an `else`. A function returns `Err(Failed)` when it has reported an error and cannot continue;
//! the enclosing list of statements or of units then skips to the next separator.

mod control;
mod declaration;
mod embedded;
mod expression;
mod formula;
mod message;
mod operand;
mod skip;
mod statement;
mod unit;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use cfsm_core::source::{Sources, Span};

use crate::ast::{Model, Name};
use crate::codes;
use crate::lexer::{LexError, Raw};
use crate::options::Options;
use crate::token::{Kind, Token, Word};
use cfsm_core::diagnostic::Diagnostic;

pub(crate) use expression::{LONG_CHAIN, Operator, is_associative, precedence};

/// Number of bytes of free stack below which a new segment is allocated.
const RED_ZONE: usize = 64 << 10;
/// Size of a new stack segment, in bytes.
const STACK_PIECE: usize = 1 << 20;

/// Parses tokens, the last of which is [`Kind::End`]; `incomplete` tells that text is missing. Time
/// linear in their number.
pub(crate) fn parse(
    sources: &Sources,
    tokens: &[Token],
    incomplete: bool,
    options: &Options,
) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser {
        sources,
        tokens,
        position: 0,
        separated: false,
        current: tokens.first().map_or(Kind::End, |first| first.kind),
        last: None,
        parentheses: 0,
        in_body: false,
        in_formula: false,
        depth: 0,
        max_depth: options.max_nesting,
        gave_up: false,
        diagnostics: Vec::new(),
        model: Model { incomplete, ..Model::default() },
        names: HashMap::new(),
        processes: HashSet::new(),
        all_processes: HashSet::new(),
        types: HashSet::new(),
        inlines: BTreeSet::new(),
        behind_code: 0,
        calls: 0,
    };
    parser.units();
    (parser.model, parser.diagnostics)
}

/// An error was reported; the caller should return as well.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'t> {
    sources: &'t Sources,
    tokens: &'t [Token],
    position: usize,
    /// `true` if the implied separator before the next token was read.
    separated: bool,
    /// Kind of the next token; an implied separator is a semicolon.
    current: Kind,
    /// Span of the last token that was read, apart from bodies of calls.
    last: Option<Span>,
    /// Number of open parentheses and brackets, inside which line ends are no separators.
    parentheses: usize,
    /// `true` where line ends are separators: in a body, or in a typedef.
    in_body: bool,
    /// `true` inside a temporal formula.
    in_formula: bool,
    depth: usize,
    max_depth: usize,
    /// `true` if the rest of the text was given up: its end is not reported.
    gave_up: bool,
    diagnostics: Vec<Diagnostic>,
    model: Model,
    /// Names so far; equal ones share their text.
    names: HashMap<&'t str, Arc<str>>,
    /// Names of process types so far: before `:` and `@` they begin remote references.
    processes: HashSet<Arc<str>>,
    /// Names of all process types, since a formula may refer to later ones. Filled at the first
    /// formula.
    all_processes: HashSet<&'t str>,
    /// Names of typedefs so far.
    types: HashSet<Arc<str>>,
    /// Names of inlines so far.
    inlines: BTreeSet<Arc<str>>,
    /// Position after the last piece of C, whose closing brace ends no block.
    behind_code: usize,
    /// Nesting depth of bodies of calls.
    calls: usize,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    /// The last token that was read.
    fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|position| self.tokens[position])
    }

    /// Kind of the next token; an implied separator is a semicolon.
    const fn kind(&self) -> Kind {
        self.current
    }

    /// Recomputes [`kind`](Self::kind) after a change of the state that it depends on.
    fn refresh(&mut self) {
        self.current = if !self.separated && self.separator_is_implied() {
            Kind::Raw(Raw::Semicolon)
        } else {
            self.token().kind
        };
    }

    fn separator_is_implied(&self) -> bool {
        if !self.in_body || self.parentheses > 0 {
            return false;
        }
        let Some(last) = self.previous() else { return false };
        let next = self.token();
        match last.kind {
            Kind::Raw(Raw::CloseBrace) if self.position == self.behind_code => {
                next.first_on_line && next.kind != Kind::End
            }
            Kind::Raw(Raw::CloseBrace) => !matches!(
                next.kind,
                Kind::Raw(
                    Raw::Option
                        | Raw::CloseBrace
                        | Raw::Semicolon
                        | Raw::Arrow
                        | Raw::Comma
                        | Raw::CloseParen
                ) | Kind::Word(
                    Word::Fi | Word::Od | Word::Unless | Word::Proctype | Word::Init | Word::Never
                ) | Kind::End
            ),
            Kind::Word(Word::Else) => {
                next.first_on_line
                    || !matches!(
                        next.kind,
                        Kind::Raw(Raw::Semicolon | Raw::Arrow) | Kind::Word(Word::Fi) | Kind::End
                    )
            }
            kind => next.first_on_line && next.kind != Kind::End && can_end_statement(kind),
        }
    }

    fn at(&self, raw: Raw) -> bool {
        self.kind() == Kind::Raw(raw)
    }

    fn at_word(&self, word: Word) -> bool {
        self.kind() == Kind::Word(word)
    }

    fn at_separator(&self) -> bool {
        matches!(self.kind(), Kind::Raw(Raw::Semicolon | Raw::Arrow))
    }

    /// The token after the next one.
    fn second(&self) -> Option<Token> {
        self.tokens.get(self.position + 1).copied()
    }

    fn next_is(&self, raw: Raw) -> bool {
        self.second().is_some_and(|token| token.kind == Kind::Raw(raw))
    }

    /// Reads a token (or an implied separator). At the end of the text it does nothing.
    fn bump(&mut self) {
        if !self.separated && self.separator_is_implied() {
            self.separated = true;
            self.current = self.token().kind;
            return;
        }
        self.last = Some(self.token().span);
        self.go_to((self.position + 1).min(self.tokens.len() - 1));
    }

    /// Continues with the token at a position.
    fn go_to(&mut self, position: usize) {
        self.position = position;
        self.separated = false;
        self.refresh();
    }

    fn eat(&mut self, raw: Raw) -> bool {
        let found = self.at(raw);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, raw: Raw, what: &str) -> Parsed<()> {
        if self.eat(raw) { Ok(()) } else { self.unexpected(what) }
    }

    /// Reads `(` or `[`, inside which line ends are ignored.
    fn open(&mut self, raw: Raw, what: &str) -> Parsed<()> {
        if !self.at(raw) {
            return self.unexpected(what);
        }
        self.parentheses += 1;
        self.bump();
        Ok(())
    }

    /// Reads the closing counterpart of [`open`](Self::open).
    fn close(&mut self, raw: Raw, what: &str) -> Parsed<()> {
        if !self.at(raw) {
            return self.unexpected(what);
        }
        self.parentheses = self.parentheses.saturating_sub(1);
        self.separated = true;
        self.bump();
        Ok(())
    }

    /// Sets whether line ends are separators, and returns the previous setting.
    fn set_in_body(&mut self, in_body: bool) -> bool {
        let before = std::mem::replace(&mut self.in_body, in_body);
        self.refresh();
        before
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.kind() != Kind::Name {
            return self.unexpected(what);
        }
        let name = self.name_here();
        self.bump();
        Ok(name)
    }

    /// The next token as a name.
    fn name_here(&mut self) -> Name {
        let token = self.token();
        let sources: &'t Sources = self.sources;
        let text = self.names.entry(sources.text(token.text)).or_insert_with_key(|text| Arc::from(*text));
        Name { text: Arc::clone(text), span: token.span }
    }

    /// The text of the next token.
    fn text_here(&self) -> &'t str {
        self.sources.text(self.token().text)
    }

    /// The span from an earlier token to the last one that was read.
    fn since(&self, start: Span) -> Span {
        self.last.map_or(start, |last| start.to(last))
    }

    fn here(&self) -> Span {
        self.token().span
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// Reports an unexpected token.
    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.token();
        let text = self.sources.text(token.text);
        let diagnostic = match token.kind {
            Kind::Unsupported => return Err(Failed),
            _ if self.gave_up => return Err(Failed),
            Kind::Bad(LexError::OpenComment) => return Err(Failed),
            Kind::Bad(LexError::OpenString) => {
                Diagnostic::error(codes::OPEN_STRING, token.span, "this string has no end on its line")
                    .with_hint("close it with `\"`")
            }
            Kind::Bad(LexError::Stray) | Kind::Raw(Raw::Backslash) => {
                let message = format!("no token begins with `{}`", text.escape_debug());
                Diagnostic::error(codes::STRAY_CHARACTER, token.span, message)
            }
            Kind::Bad(LexError::Character) => {
                let message = "a character constant is one character between apostrophes";
                Diagnostic::error(codes::OPEN_STRING, token.span, message)
            }
            Kind::Call => {
                let message = format!("the inline `{text}` stands for statements, which do not fit here");
                Diagnostic::error(codes::UNEXPECTED, token.span, message)
                    .with_hint(format!("expected {wanted}"))
            }
            Kind::End => Diagnostic::error(codes::UNEXPECTED, token.span, "the text ends too early")
                .with_hint(format!("{wanted} is missing")),
            _ if self.kind() != token.kind => {
                let message = format!("the statement ends with the line before `{text}`");
                Diagnostic::error(codes::UNEXPECTED, token.span, message)
                    .with_hint(format!("expected {wanted} before the end of the line"))
            }
            _ => Diagnostic::error(codes::UNEXPECTED, token.span, format!("`{text}` does not fit here"))
                .with_hint(format!("expected {wanted}")),
        };
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    /// Runs `parse` one level deeper. Beyond the limit the rest of the text is given up, so that
    /// the error is reported once. The stack is extended as needed.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.max_depth {
            return self.too_deep(self.here());
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, STACK_PIECE, || parse(self));
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        if !self.gave_up {
            let message = format!("nested deeper than {} levels", self.max_depth);
            self.error(codes::NESTING_LIMIT, span, message);
        }
        self.gave_up = true;
        self.model.incomplete = true;
        self.go_to(self.tokens.len() - 1);
        Err(Failed)
    }
}

/// Returns `true` if a statement can end with this token, so that a following line end is a
/// separator.
const fn can_end_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name
            | Kind::Unsupported
            | Kind::Raw(
                Raw::CloseParen
                    | Raw::CloseBracket
                    | Raw::Number
                    | Raw::Character
                    | Raw::Increment
                    | Raw::Decrement
            )
            | Kind::Word(
                Word::Od | Word::Fi | Word::Break | Word::True | Word::False | Word::Skip | Word::Timeout
            )
    )
}
