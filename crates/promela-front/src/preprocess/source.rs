//! Input texts and their pieces.

use std::rc::Rc;

use cfsm_core::ids::Id as _;
use cfsm_core::source::{FileId, Sources, Span};

use super::Preprocessor;
use super::item::{Item, Pad};
use super::names::Symbol;
use crate::codes;
use crate::lexer::{LexError, Lexed, Piece, Raw, lex};
use cfsm_core::diagnostic::Diagnostic;

/// A piece that is split by a backslash-newline.
#[derive(Debug)]
pub(super) struct Cut {
    /// Offset of its first byte.
    pub start: u32,
    /// Span of its text in one piece.
    pub span: Span,
    /// Its text.
    pub letters: String,
}

/// An input text.
#[derive(Debug)]
pub(super) struct Text {
    pub file: FileId,
    pub name: Rc<str>,
    pub text: Rc<str>,
    pub pieces: Vec<Piece>,
    /// The pieces that are split by a backslash-newline, by their first bytes.
    pub cut: Vec<Cut>,
    pub last_line: u32,
}

impl Text {
    /// The span of a piece.
    pub const fn span(&self, piece: &Piece) -> Span {
        Span { file: self.file, start: piece.start, end: piece.end }
    }

    /// The data of a split piece.
    fn cut(&self, piece: &Piece) -> Option<&Cut> {
        let position = self.cut.binary_search_by_key(&piece.start, |cut| cut.start);
        position.ok().filter(|_| piece.cut).map(|position| &self.cut[position])
    }

    /// The span of the text of a piece.
    pub fn letters_span(&self, piece: &Piece) -> Span {
        if piece.cut { self.cut(piece).map_or(self.span(piece), |cut| cut.span) } else { self.span(piece) }
    }

    /// The text of a piece.
    pub fn letters(&self, piece: &Piece) -> &str {
        let cut = if piece.cut { self.cut(piece) } else { None };
        cut.map_or_else(|| self.slice(piece.start, piece.end), |cut| &cut.letters)
    }

    /// The text between two offsets.
    pub fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// A text that is being read.
#[derive(Debug)]
pub(super) struct Frame {
    pub source: Rc<Text>,
    /// Index of the next piece.
    pub next: usize,
    /// Number of conditions that were open at its start.
    pub conditions: usize,
    /// Number that `#line` adds to line numbers.
    pub shift: i64,
    /// The value of `__FILE__`.
    pub presumed: Rc<str>,
}

/// The pieces of a directive, after its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'s> {
    pub source: &'s Text,
    pub pieces: &'s [Piece],
}

impl<'s> Line<'s> {
    /// The token at a position; `None` beyond the last one and for a lexical error.
    pub fn raw(&self, position: usize) -> Option<Raw> {
        self.pieces.get(position).and_then(|piece| piece.raw.ok())
    }

    pub const fn span(&self, piece: &Piece) -> Span {
        self.source.span(piece)
    }

    /// The text of a piece.
    pub fn text(&self, piece: &Piece) -> &'s str {
        self.source.letters(piece)
    }
}

/// The texts of all files, and of words that are in none.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// The texts, by file number.
    texts: Vec<Rc<str>>,
    /// Words created by the preprocessor.
    made_up: String,
    made_up_file: Option<FileId>,
}

/// Name of the file that holds words created by the preprocessor.
const MADE_UP_FILE: &str = "<pasted>";

impl Letters {
    /// The text of a span; empty if there is none.
    pub fn get(&self, span: Span) -> &str {
        let text = if Some(span.file) == self.made_up_file {
            self.made_up.as_str()
        } else {
            self.texts.get(span.file.index()).map(|text| &**text).unwrap_or_default()
        };
        text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Adds the text of the next file.
    pub fn add(&mut self, text: Rc<str>) {
        self.texts.push(text);
    }

    /// Stores a word that is in no file and returns its span.
    pub fn spell(&mut self, sources: &mut Sources, word: &str) -> Span {
        let file = *self.made_up_file.get_or_insert_with(|| {
            self.texts.push(Rc::default());
            sources.add(MADE_UP_FILE, "")
        });
        let position = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let start = position(self.made_up.len());
        self.made_up.push_str(word);
        // One word per line, for readers of the text.
        let end = position(self.made_up.len());
        self.made_up.push('\n');
        Span { file, start, end }
    }

    /// Stores the created words in their file.
    pub fn finish(self, sources: &mut Sources) {
        if let Some(file) = self.made_up_file {
            sources.files[file].text = self.made_up;
        }
    }
}

impl Preprocessor<'_> {
    /// Loads a text, which is the last file of `sources`. An open comment at its end is reported.
    pub(super) fn load(&mut self, file: FileId) -> Rc<Text> {
        let source = &self.sources.files[file];
        let (name, text): (Rc<str>, Rc<str>) = (source.name.as_str().into(), source.text.as_str().into());
        self.letters.add(Rc::clone(&text));
        let Lexed { mut pieces, cut, last_line } = lex(&text);
        let spell = |(start, letters): (u32, String)| {
            let span = self.letters.spell(self.sources, &letters);
            Cut { start, span, letters }
        };
        let cut = cut.into_iter().map(spell).collect();
        if let Some(last) = pieces.pop_if(|last| last.raw == Err(LexError::OpenComment)) {
            let opening = Span { file, start: last.start, end: last.start + 2 };
            let error = Diagnostic::error(codes::OPEN_COMMENT, opening, "this comment has no end");
            self.diagnostics.push(error.with_hint("close it with `*/`"));
        }
        Rc::new(Text { file, name, text, pieces, cut, last_line })
    }

    /// A piece as a token for macro expansion.
    pub(super) fn item_of(&mut self, source: &Text, piece: &Piece) -> Item {
        let symbol = match piece.raw {
            Ok(Raw::Identifier) => self.names.symbol(source.letters(piece)),
            _ => Symbol::NONE,
        };
        Item {
            raw: piece.raw,
            white: piece.white,
            pad: Pad::None,
            painted: false,
            written: true,
            reported: false,
            symbol,
            line: piece.line,
            span: source.span(piece),
            text: source.letters_span(piece),
            through: None,
        }
    }
}
