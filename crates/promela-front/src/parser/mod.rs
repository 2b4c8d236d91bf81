//! Recursive descent from tokens to the tree.
//!
//! The grammar is that of Spin 6.5, with its rules about separators: the end of a line separates
//! statements if the last token could end one and no parenthesis is open; so do a closing brace and an
//! `else`. A function returns `Err(Failed)` when it has reported an error and cannot go on; the list of
//! statements or of units above it then skips to the next separator.

mod declaration;
mod expression;
mod message;
mod skip;
mod statement;

use std::collections::BTreeSet;

use cfsm_core::source::{Sources, Span};

use crate::ast::{Model, Name};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{LexError, Raw};
use crate::options::Options;
use crate::token::{Kind, Token, Word};

/// Parses tokens, the last one of which is [`Kind::End`]; `incomplete` says that text is missing. Time
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
        parentheses: 0,
        in_body: false,
        depth: 0,
        max_depth: options.max_nesting,
        gave_up: false,
        diagnostics: Vec::new(),
        model: Model { incomplete, ..Model::default() },
        processes: BTreeSet::new(),
    };
    parser.units();
    (parser.model, parser.diagnostics)
}

/// An error was reported; the caller should give up as well.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'t> {
    sources: &'t Sources,
    tokens: &'t [Token],
    position: usize,
    /// Whether the separator that is implied before the next token was read.
    separated: bool,
    /// Open parentheses and brackets: inside, the end of a line separates nothing.
    parentheses: usize,
    /// Whether we are in the body of a process.
    in_body: bool,
    depth: usize,
    max_depth: usize,
    /// Whether the rest of the text was given up: its end is no further error.
    gave_up: bool,
    diagnostics: Vec<Diagnostic>,
    model: Model,
    /// Names of process types so far: before `:` and `@` they are remote references.
    processes: BTreeSet<String>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    /// The last token that was read.
    fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|position| self.tokens[position])
    }

    /// What comes next; an implied separator is a semicolon.
    fn kind(&self) -> Kind {
        if !self.separated && self.separator_is_implied() {
            return Kind::Raw(Raw::Semicolon);
        }
        self.token().kind
    }

    fn separator_is_implied(&self) -> bool {
        let Some(last) = self.previous() else { return false };
        let next = self.token();
        if !self.in_body || self.parentheses > 0 {
            return false;
        }
        match last.kind {
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

    /// Reads a token (or an implied separator). At the end it stays.
    fn bump(&mut self) {
        if !self.separated && self.separator_is_implied() {
            self.separated = true;
            return;
        }
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        self.separated = false;
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

    /// `(` or `[`, behind which the ends of lines mean nothing.
    fn open(&mut self, raw: Raw, what: &str) -> Parsed<()> {
        if !self.at(raw) {
            return self.unexpected(what);
        }
        self.parentheses += 1;
        self.bump();
        Ok(())
    }

    /// The counterpart of [`open`](Self::open).
    fn close(&mut self, raw: Raw, what: &str) -> Parsed<()> {
        if !self.at(raw) {
            return self.unexpected(what);
        }
        self.bump();
        self.parentheses = self.parentheses.saturating_sub(1);
        Ok(())
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
    fn name_here(&self) -> Name {
        let token = self.token();
        Name { text: self.sources.text(token.text).to_owned(), span: token.span }
    }

    /// The span from a token that was read to the last one that was.
    fn since(&self, start: Span) -> Span {
        self.previous().map_or(start, |last| start.to(last.span))
    }

    fn here(&self) -> Span {
        self.token().span
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn not_handled<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        self.error(codes::NOT_HANDLED, span, format!("not handled yet: {what}"));
        Err(Failed)
    }

    /// Reports that the next token does not fit.
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
            Kind::Bad(LexError::Stray) => {
                let message = format!("no token begins with `{}`", text.escape_debug());
                Diagnostic::error(codes::STRAY_CHARACTER, token.span, message)
            }
            Kind::Bad(LexError::Joined) => {
                let message = "not handled yet: a word that goes on behind the end of a line";
                Diagnostic::error(codes::NOT_HANDLED, token.span, message).with_hint("write it on one line")
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

    /// Runs `parse` some levels deeper. Beyond the limit the rest of the text is given up, so that the
    /// error is reported once.
    fn nested<T>(&mut self, levels: usize, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth + levels > self.max_depth {
            return self.too_deep(self.here());
        }
        self.depth += levels;
        let result = parse(self);
        self.depth -= levels;
        result
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        let message = format!("nested deeper than {} levels", self.max_depth);
        self.error(codes::NESTING_LIMIT, span, message);
        self.gave_up = true;
        self.model.incomplete = true;
        self.position = self.tokens.len() - 1;
        Err(Failed)
    }
}

/// Whether a statement can end with such a token, so that the end of its line separates.
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
