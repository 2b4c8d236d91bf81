//! Texts that are read, piece by piece.

use std::rc::Rc;

use cfsm_core::ids::Id as _;
use cfsm_core::source::{FileId, Sources, Span};

use super::Preprocessor;
use super::item::{Item, Pad};
use super::names::Symbol;
use crate::codes;
use crate::lexer::{LexError, Lexed, Piece, Raw, lex};
use cfsm_core::diagnostic::Diagnostic;

/// A piece that the end of a line cuts in two.
#[derive(Debug)]
pub(super) struct Cut {
    /// Its first byte.
    pub start: u32,
    /// Where its letters stand in one piece.
    pub span: Span,
    /// Its letters.
    pub letters: String,
}

/// A text.
#[derive(Debug)]
pub(super) struct Text {
    pub file: FileId,
    pub name: Rc<str>,
    pub text: Rc<str>,
    pub pieces: Vec<Piece>,
    /// Where the letters of pieces stand that the end of a line cuts in two, by their first bytes.
    pub cut: Vec<Cut>,
    pub last_line: u32,
}

impl Text {
    /// Where a piece stands.
    pub const fn span(&self, piece: &Piece) -> Span {
        Span { file: self.file, start: piece.start, end: piece.end }
    }

    /// What is known of a piece that is cut in two.
    fn cut(&self, piece: &Piece) -> Option<&Cut> {
        let position = self.cut.binary_search_by_key(&piece.start, |cut| cut.start);
        position.ok().filter(|_| piece.cut).map(|position| &self.cut[position])
    }

    /// Where the letters of a piece stand.
    pub fn letters_span(&self, piece: &Piece) -> Span {
        if piece.cut { self.cut(piece).map_or(self.span(piece), |cut| cut.span) } else { self.span(piece) }
    }

    /// The letters of a piece.
    pub fn letters(&self, piece: &Piece) -> &str {
        let cut = if piece.cut { self.cut(piece) } else { None };
        cut.map_or_else(|| self.slice(piece.start, piece.end), |cut| &cut.letters)
    }

    /// The letters between two bytes.
    pub fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// A text that is being read.
#[derive(Debug)]
pub(super) struct Frame {
    pub source: Rc<Text>,
    /// The next piece.
    pub next: usize,
    /// How many conditions were open when it began.
    pub conditions: usize,
    /// What `#line` adds to the numbers of lines.
    pub shift: i64,
    /// What `__FILE__` is.
    pub presumed: Rc<str>,
}

/// The pieces of a directive, behind its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'s> {
    pub source: &'s Text,
    pub pieces: &'s [Piece],
}

impl<'s> Line<'s> {
    /// What the piece at a position is; `None` behind the last one and for what is no token.
    pub fn raw(&self, position: usize) -> Option<Raw> {
        self.pieces.get(position).and_then(|piece| piece.raw.ok())
    }

    pub const fn span(&self, piece: &Piece) -> Span {
        self.source.span(piece)
    }

    /// The letters of a piece.
    pub fn text(&self, piece: &Piece) -> &'s str {
        self.source.letters(piece)
    }
}

/// Letters of all texts, and of words that stand in none.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// By the numbers of files.
    texts: Vec<Rc<str>>,
    /// Words made by the preprocessor.
    made_up: String,
    made_up_file: Option<FileId>,
}

/// Name of the text that holds words made by the preprocessor.
const MADE_UP_FILE: &str = "<pasted>";

impl Letters {
    /// The letters under a span; empty if there are none.
    pub fn get(&self, span: Span) -> &str {
        let text = if Some(span.file) == self.made_up_file {
            self.made_up.as_str()
        } else {
            self.texts.get(span.file.index()).map(|text| &**text).unwrap_or_default()
        };
        text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Makes the text of the next file known.
    pub fn add(&mut self, text: Rc<str>) {
        self.texts.push(text);
    }

    /// A place for a word that stands in no text.
    pub fn spell(&mut self, sources: &mut Sources, word: &str) -> Span {
        let file = *self.made_up_file.get_or_insert_with(|| {
            self.texts.push(Rc::default());
            sources.add(MADE_UP_FILE, "")
        });
        let position = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let start = position(self.made_up.len());
        self.made_up.push_str(word);
        // One word per line, for those who look at the text.
        let end = position(self.made_up.len());
        self.made_up.push('\n');
        Span { file, start, end }
    }

    /// Gives the made-up words to their file.
    pub fn finish(self, sources: &mut Sources) {
        if let Some(file) = self.made_up_file {
            sources.files[file].text = self.made_up;
        }
    }
}

impl Preprocessor<'_> {
    /// Reads a text that `sources` holds as its last file. An open comment at its end is reported.
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

    /// A piece as a token that macros can take.
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
