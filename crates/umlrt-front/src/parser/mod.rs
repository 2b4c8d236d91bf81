//! Recursive descent from tokens to the tree.
//!
//! The grammar is that of eTrice, with older forms beside today's, and with sections and items in
//! any order. A function returns `Err(Failed)` when it has reported an error and cannot go on; the
//! list of items above it then skips to the next item.

mod actor;
mod art;
mod art_machine;
mod code;
mod data;
mod machine;
mod physical;
mod protocol;
mod room;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::Id;
use cfsm_core::source::{FileId, Sources, Span};

use crate::codes;
use crate::lexer::{Kind, LexError, Token, tokens};
use crate::options::Options;
use crate::tree::{Model, Name};

/// An error was reported, and the rest of the item cannot be read.
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// A text as far as it could be read, with all that is wrong with it.
pub(crate) struct Reading {
    pub(crate) model: Option<Model>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses one file. Time linear in its text.
pub(crate) fn parse(sources: &Sources, file: FileId, options: &Options) -> Reading {
    let text = sources.files.get(file).map_or("", |file| file.text.as_str());
    let tokens = tokens(file, text);
    let mut parser = Parser {
        sources,
        tokens: &tokens,
        position: 0,
        depth: 0,
        max_depth: options.max_nesting,
        gave_up: false,
        diagnostics: Vec::new(),
    };
    parser.bad_tokens();
    let model = parser.model().ok();
    Reading { model, diagnostics: parser.diagnostics }
}

/// True if a text begins as a model in ROOM or Art does.
pub(crate) fn begins_model(text: &str) -> bool {
    let tokens = tokens(FileId::new(0), text);
    let words: Vec<&str> = tokens
        .iter()
        .take(3)
        .map(|token| text.get(token.span.start as usize..token.span.end as usize).unwrap_or_default())
        .collect();
    matches!(
        words.as_slice(),
        ["RoomModel" | "MappingModel", ..]
            | ["abstract", "capsule", _]
            | ["[", "[", "rt"]
            | ["capsule" | "protocol", _, "{" | ":" | "["]
    )
}

/// A name that an Art file declares.
pub(crate) struct Declaration {
    pub(crate) name: String,
    /// It inherits from something.
    pub(crate) is_derived: bool,
}

/// The names that an Art file declares.
pub(crate) fn declared(text: &str) -> Vec<Declaration> {
    let tokens = tokens(FileId::new(0), text);
    let text_of =
        |token: &Token| text.get(token.span.start as usize..token.span.end as usize).unwrap_or_default();
    let declares = |at: &usize| {
        tokens[at + 1].kind == Kind::Word && matches!(text_of(&tokens[*at]), "capsule" | "protocol" | "class")
    };
    let declaration = |at: usize| {
        let head = tokens[at + 2..].iter().take_while(|token| token.kind != Kind::OpenBrace);
        let is_derived = head.clone().any(|token| token.kind == Kind::Colon);
        Declaration { name: text_of(&tokens[at + 1]).to_owned(), is_derived }
    };
    (0..tokens.len().saturating_sub(2)).filter(declares).map(declaration).collect()
}

struct Parser<'t> {
    sources: &'t Sources,
    /// The tokens of the file; the last one is [`Kind::End`].
    tokens: &'t [Token],
    position: usize,
    depth: usize,
    max_depth: usize,
    /// Nesting went beyond the limit; nothing more is said.
    gave_up: bool,
    diagnostics: Vec<Diagnostic>,
}

/// Words that begin an item or a section, and that no name may be.
const RESERVED: &[&str] = &[
    "ActorClass",
    "ActorRef",
    "Attribute",
    "Behavior",
    "Binding",
    "ChoicePoint",
    "DataClass",
    "EntryPoint",
    "Enumeration",
    "ExitPoint",
    "ExternalType",
    "Interface",
    "LayerConnection",
    "LogicalSystem",
    "LogicalThread",
    "Message",
    "Operation",
    "Port",
    "PrimitiveType",
    "ProtocolClass",
    "RefinedState",
    "RefinedTransition",
    "RoomModel",
    "SAP",
    "SPP",
    "ServiceImplementation",
    "State",
    "StateMachine",
    "Structure",
    "SubSystemClass",
    "SubSystemRef",
    "Transition",
    "TransitionPoint",
];

impl<'t> Parser<'t> {
    fn model(&mut self) -> Parsed<Model> {
        let model = match self.word() {
            Some("RoomModel") => Model::Room(self.room()?),
            Some("PhysicalModel") => Model::Physical(self.physical()?),
            Some("MappingModel") => Model::Mapping(self.mapping_model()?),
            first if self.begins_art() || (first.is_none() && self.is_art()) => Model::Art(self.art()?),
            _ => {
                let span = self.here();
                let found = Diagnostic::error(codes::NO_MODEL, span, "this is no model").with_hint(
                    "a text begins with `RoomModel`, `PhysicalModel`, `MappingModel`, `capsule` or `protocol`",
                );
                self.diagnostics.push(found);
                return Err(Failed);
            }
        };
        if self.kind() != Kind::End {
            self.unexpected::<()>("the end of the text").ok();
        }
        Ok(model)
    }

    /// Reports what the lexer could not read, each once.
    fn bad_tokens(&mut self) {
        for token in self.tokens {
            let Kind::Bad(error) = token.kind else { continue };
            let text = self.sources.text(token.span);
            self.diagnostics.push(match error {
                LexError::Stray => {
                    let message = format!("no token begins with `{}`", text.escape_debug());
                    Diagnostic::error(codes::STRAY_CHARACTER, token.span, message)
                }
                LexError::OpenString => {
                    let quote = if text.starts_with("'''") { "'''" } else { text.get(..1).unwrap_or("\"") };
                    Diagnostic::error(codes::OPEN_STRING, start_of(token.span), "this string has no end")
                        .with_hint(format!("close it with `{quote}`"))
                }
                LexError::OpenComment => {
                    Diagnostic::error(codes::OPEN_COMMENT, start_of(token.span), "this comment has no end")
                        .with_hint("close it with `*/`")
                }
            });
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn here(&self) -> Span {
        self.token().span
    }

    /// The kind of a token further on.
    fn ahead(&self, distance: usize) -> Kind {
        self.tokens.get(self.position + distance).map_or(Kind::End, |token| token.kind)
    }

    /// The letters of the next token, if it is a word.
    fn word(&self) -> Option<&'t str> {
        (self.kind() == Kind::Word).then(|| self.text(self.here()))
    }

    fn text(&self, span: Span) -> &'t str {
        let sources: &'t Sources = self.sources;
        sources.text(span)
    }

    /// Reads a token. At the end it stays.
    fn bump(&mut self) -> Token {
        let token = self.token();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn at(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: Kind, wanted: &str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { self.unexpected(wanted) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    /// A name without dots.
    fn name(&mut self, wanted: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) if !RESERVED.contains(&word) => {
                let span = self.bump().span;
                Ok(Name { text: word.trim_start_matches('^').to_owned(), span })
            }
            _ => self.unexpected(wanted),
        }
    }

    /// A name that may lead through models: `a.b.C`.
    fn path(&mut self, wanted: &str) -> Parsed<Name> {
        let mut path = self.name(wanted)?;
        while self.at(Kind::Dot) && self.ahead(1) == Kind::Word {
            self.bump();
            let next = self.name(wanted)?;
            path.text = format!("{}.{}", path.text, next.text);
            path.span = path.span.to(next.span);
        }
        Ok(path)
    }

    /// A whole number, decimal or hexadecimal.
    fn number(&mut self, wanted: &str) -> Parsed<u32> {
        let token = self.expect(Kind::Number, wanted)?;
        let text = self.text(token.span);
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let value = hexadecimal.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
        Ok(value.unwrap_or(u32::MAX))
    }

    /// A quoted text, as it is written between its quotes.
    fn quoted(&mut self, wanted: &str) -> Parsed<Name> {
        let token = self.expect(Kind::Text, wanted)?;
        let text = self.text(token.span);
        Ok(Name { text: text.get(1..text.len() - 1).unwrap_or_default().to_owned(), span: token.span })
    }

    /// The span from a token that was read to the last one that was.
    fn since(&self, start: Span) -> Span {
        let last = self.position.checked_sub(1).map_or(start, |position| self.tokens[position].span);
        start.to(last)
    }

    /// Reports that the next token does not fit.
    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.token();
        let text = self.text(token.span);
        let said = |found: &Diagnostic| token.kind == Kind::End && found.span() == token.span;
        if self.gave_up || matches!(token.kind, Kind::Bad(_)) || self.diagnostics.iter().any(said) {
            return Err(Failed);
        }
        let diagnostic = match token.kind {
            Kind::End => Diagnostic::error(codes::UNEXPECTED, token.span, "the text ends too early")
                .with_hint(format!("{wanted} is missing")),
            Kind::Text | Kind::Block => {
                Diagnostic::error(codes::UNEXPECTED, token.span, "this text does not fit here")
                    .with_hint(format!("expected {wanted}"))
            }
            _ => Diagnostic::error(codes::UNEXPECTED, token.span, format!("`{text}` does not fit here"))
                .with_hint(format!("expected {wanted}")),
        };
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    /// One or more items between commas, up to a closing bracket.
    fn listed<T>(
        &mut self,
        close: Kind,
        wanted: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = vec![item(self)?];
        while self.eat(Kind::Comma) {
            all.push(item(self)?);
        }
        self.expect(close, wanted)?;
        Ok(all)
    }

    /// Runs `parse` a level deeper. Beyond the limit the rest of the text is given up.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.max_depth {
            if !self.gave_up {
                let message = format!("nested deeper than {} levels", self.max_depth);
                self.diagnostics.push(Diagnostic::error(codes::NESTING_LIMIT, self.here(), message));
            }
            self.gave_up = true;
            self.position = self.tokens.len() - 1;
            return Err(Failed);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Reads items up to the closing brace, which it reads too. Behind an error it goes on with the
    /// next token that begins an item, as `begins` has it.
    fn items(
        &mut self,
        wanted: &str,
        begins: fn(&str) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        loop {
            match self.kind() {
                Kind::CloseBrace => {
                    self.bump();
                    return Ok(());
                }
                Kind::End => return self.unexpected(&format!("{wanted} or `}}`")),
                _ => {}
            }
            let start = self.position;
            if item(self).is_err() {
                self.skip(start, begins);
            }
        }
    }

    /// Skips from where an item failed that began at a token: past all that it opened, to the next
    /// item or the brace that closes the list.
    fn skip(&mut self, start: usize, begins: fn(&str) -> bool) {
        let mut depth = 0_usize;
        for token in &self.tokens[start..self.position] {
            match token.kind {
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::CloseBrace if depth == 0 => return,
                Kind::Semicolon if depth == 0 => {
                    self.bump();
                    return;
                }
                Kind::CloseBrace => depth -= 1,
                Kind::OpenBrace => depth += 1,
                Kind::Word if depth == 0 && self.position > start && self.word().is_some_and(begins) => {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }
}

/// The first three characters of a place, for what has no end.
fn start_of(span: Span) -> Span {
    Span { end: span.end.min(span.start + 1), ..span }
}
