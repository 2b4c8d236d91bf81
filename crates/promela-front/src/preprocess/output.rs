//! Output of the preprocessor: tokens of Promela on the lines on which Spin sees them.
//!
//! Spin reads the text that `gcc -E` writes. Two rules of GCC decide what it sees there. A token
//! begins a new line if it does so in the text, outside of a macro's arguments; or if a blank or
//! the edge of a macro precedes it and its line differs from the current line of GCC's output,
//! which happens after comments, joined lines and arguments that span several lines. And two
//! operators become adjacent if GCC sees no danger in it: `!` and `!` become `!!`, `*` and `/` the
//! end of a comment, and `--` and `>` an arrow.

use cfsm_core::source::Span;

use super::Preprocessor;
use super::item::{Item, Pad};
use crate::lexer::{LexError, Raw};
use crate::token::{Kind, Token, UseId, Word};

/// The position of a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub span: Span,
    pub text: Span,
    pub through: Option<UseId>,
    pub line: u32,
    /// `true` if GCC writes a blank before it because the text has one.
    pub spaced: bool,
    /// `true` if a blank or an edge precedes it.
    pub edge: bool,
}

/// The tokens written so far.
#[derive(Debug)]
pub(super) struct Output {
    pub tokens: Vec<Token>,
    /// `true` if the next token is the first one on its line.
    first: bool,
    /// The current line of GCC's output.
    line: u32,
    /// The last token, if the next one may be joined with it.
    open: Option<Raw>,
}

impl Output {
    pub const fn new() -> Self {
        Self { tokens: Vec::new(), first: true, line: 0, open: None }
    }

    /// Starts a line of the text.
    pub const fn begin_line(&mut self, line: u32) {
        self.first = true;
        self.line = line;
    }

    /// Adds a token with its text. Returns the text of the last token if that is not in any file.
    pub fn put(&mut self, raw: Result<Raw, LexError>, letters: &str, place: &Place) -> Option<&'static str> {
        self.come_to(place);
        let kind = match raw {
            Ok(Raw::Identifier) => Word::of(letters).map_or(Kind::Name, Kind::Word),
            Ok(
                raw @ (Raw::Bang
                | Raw::Question
                | Raw::Star
                | Raw::Slash
                | Raw::Decrement
                | Raw::LessEqual
                | Raw::GreaterEqual
                | Raw::NotEqual
                | Raw::Less
                | Raw::Greater),
            ) => {
                return self.operator(raw, place);
            }
            Ok(Raw::CNumber) => {
                self.number(letters, place);
                return None;
            }
            Ok(Raw::Character) if !is_character(letters) => Kind::Bad(LexError::Character),
            Ok(raw) => Kind::Raw(raw),
            Err(error) => Kind::Bad(error),
        };
        self.push(kind, place.span, place.text, place.through);
        None
    }

    /// Adds a token of a known kind.
    pub fn put_kind(&mut self, kind: Kind, place: &Place) {
        self.come_to(place);
        self.push(kind, place.span, place.text, place.through);
    }

    const fn come_to(&mut self, place: &Place) {
        if place.edge && place.line != self.line {
            self.begin_line(place.line);
        }
    }

    fn push(&mut self, kind: Kind, span: Span, text: Span, through: Option<UseId>) {
        self.tokens.push(Token { kind, span, text, through, first_on_line: self.first });
        self.first = false;
        self.open = None;
    }

    /// Adds an operator that may be joined with the previous one.
    fn operator(&mut self, raw: Raw, place: &Place) -> Option<&'static str> {
        let open = self.open.filter(|_| !self.first && !place.spaced);
        let (double, letters) = match (open, raw) {
            (Some(Raw::Bang), Raw::Bang) => (Raw::SortedSend, "!!"),
            (Some(Raw::Question), Raw::Question) => (Raw::RandomReceive, "??"),
            // Spin checks for the second character of an operator, and then once more for another
            // one that it could have: it reads these as `->`, `<<`, `>>` and `!=`.
            (Some(Raw::Decrement), Raw::Greater) => (Raw::Arrow, "-->"),
            (Some(Raw::LessEqual), Raw::Less) => (Raw::ShiftLeft, "<=<"),
            (Some(Raw::GreaterEqual), Raw::Greater) => (Raw::ShiftRight, ">=>"),
            (Some(Raw::Bang), Raw::NotEqual) => (Raw::NotEqual, "!!="),
            // Spin skips `*/` outside a comment, since users nest comments.
            (Some(Raw::Star), Raw::Slash) => {
                self.first = self.tokens.pop().is_some_and(|star| star.first_on_line);
                self.open = None;
                return None;
            }
            _ => {
                self.push(Kind::Raw(raw), place.span, place.text, place.through);
                self.open = Some(raw);
                return None;
            }
        };
        self.open = None;
        let last = self.tokens.last_mut()?;
        last.kind = Kind::Raw(double);
        last.span = last.span.to(place.span);
        if last.text.file == place.text.file && last.text.end == place.text.start {
            last.text.end = place.text.end;
            return None;
        }
        Some(letters)
    }

    /// Adds a number token of C, split into tokens of Promela.
    fn number(&mut self, letters: &str, place: &Place) {
        let bytes = letters.as_bytes();
        let mut start = 0;
        while let Some(&byte) = bytes.get(start) {
            let until = |inside: fn(u8) -> bool| {
                bytes[start..].iter().position(|&byte| !inside(byte)).map_or(bytes.len(), |end| start + end)
            };
            let (kind, end) = match byte {
                b'0'..=b'9' => (Kind::Raw(Raw::Number), until(|byte| byte.is_ascii_digit())),
                b'.' if bytes.get(start + 1) == Some(&b'.') => (Kind::Raw(Raw::DotDot), start + 2),
                b'.' => (Kind::Raw(Raw::Dot), start + 1),
                b'+' => (Kind::Raw(Raw::Plus), start + 1),
                b'-' => (Kind::Raw(Raw::Minus), start + 1),
                _ => {
                    let end = until(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    (Word::of(&letters[start..end]).map_or(Kind::Name, Kind::Word), end)
                }
            };
            let part = |of: Span| sub_span(of, start, end, bytes.len());
            self.push(
                kind,
                if place.span == place.text { part(place.text) } else { place.span },
                part(place.text),
                place.through,
            );
            start = end;
        }
    }
}

/// A part of a span whose text is contiguous there.
fn sub_span(span: Span, start: usize, end: usize, length: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).ok().and_then(|at| span.start.checked_add(at));
    match (offset(start), offset(end)) {
        (Some(start), Some(end)) if (span.end - span.start) as usize == length => Span { start, end, ..span },
        _ => span,
    }
}

/// Returns `true` if a character constant of C is one of Promela: one character, or a backslash and
/// one.
fn is_character(letters: &str) -> bool {
    let mut inside = letters.chars().skip(1);
    let first = inside.next();
    if first == Some('\\') {
        inside.next();
    }
    first != Some('\'') && inside.next() == Some('\'') && inside.next().is_none()
}

impl Preprocessor<'_> {
    /// Writes a token of an expansion.
    pub(super) fn write(&mut self, item: &Item) {
        let place = Place {
            span: item.span,
            text: item.text,
            through: item.through,
            line: self.root_line,
            spaced: item.spaced(),
            edge: item.white || item.pad != Pad::None,
        };
        if item.reported {
            return self.output.put_kind(Kind::Unsupported, &place);
        }
        if item.raw == Ok(Raw::Identifier) {
            return self.output.put_kind(self.names.kind(item.symbol), &place);
        }
        let made_up = self.output.put(item.raw, self.letters.get(item.text), &place);
        self.spell_last(made_up);
    }

    /// Gives a text to the last token, if it has none of its own.
    pub(super) fn spell_last(&mut self, letters: Option<&str>) {
        if let (Some(letters), Some(last)) = (letters, self.output.tokens.last_mut()) {
            last.text = self.letters.spell(self.sources, letters);
        }
    }
}
