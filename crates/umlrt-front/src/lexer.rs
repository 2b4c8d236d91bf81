//! Characters to tokens of ROOM and Art. Keywords are words here: the grammars have many, and most
//! of them are names in other places.

use logos::{Lexer, Logos};

use cfsm_core::source::{FileId, Span};

/// The reason why a token could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LexError {
    /// No token begins with this character.
    #[default]
    Stray,
    /// The text ends inside a string.
    OpenString,
    /// The text ends inside a comment.
    OpenComment,
}

/// The kind of a token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\x0b\x0c\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Kind {
    #[token("/*", comment)]
    Comment,
    #[regex(r"\^?[A-Za-z_][A-Za-z_0-9]*")]
    Word,
    #[regex(r"[0-9]+|0[xX][0-9a-fA-F]+")]
    Number,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Real,
    /// A text between quotes or apostrophes, in which a backslash escapes.
    #[token("\"", string)]
    #[token("'", apostrophes)]
    Text,
    /// A text between triple apostrophes, in which nothing escapes.
    #[token("'''", block)]
    Block,
    /// C++ between backticks, in Art.
    #[token("`", snippet)]
    Snippet,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("|")]
    Bar,
    #[token("->")]
    Arrow,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("=")]
    Equals,
    #[token("@")]
    At,
    #[token("/")]
    Slash,
    #[token("*")]
    Star,
    #[token("~")]
    Tilde,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    /// The end of the text.
    End,
    /// Text that is no token.
    Bad(LexError),
}

fn comment(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    upto(lexer, "*/", LexError::OpenComment)
}

fn block(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    upto(lexer, "'''", LexError::OpenString)
}

fn snippet(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    upto(lexer, "`", LexError::OpenString)
}

fn upto(lexer: &mut Lexer<'_, Kind>, end: &str, otherwise: LexError) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let (length, result) = match rest.find(end) {
        Some(position) => (position + end.len(), Ok(())),
        None => (rest.len(), Err(otherwise)),
    };
    lexer.bump(length);
    result
}

fn string(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    quoted(lexer, b'"')
}

fn apostrophes(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    quoted(lexer, b'\'')
}

fn quoted(lexer: &mut Lexer<'_, Kind>, quote: u8) -> Result<(), LexError> {
    let mut escaped = false;
    for (position, byte) in lexer.remainder().bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => {
                lexer.bump(position + 1);
                return Ok(());
            }
            _ => {}
        }
    }
    lexer.bump(lexer.remainder().len());
    Err(LexError::OpenString)
}

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// All tokens of a text without its comments; the last one is [`Kind::End`].
pub(crate) fn tokens(file: FileId, text: &str) -> Vec<Token> {
    let offset = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
    let place = |start: usize, end: usize| Span { file, start: offset(start), end: offset(end) };
    let mut all = Vec::new();
    let mut lexer = Kind::lexer(text);
    while let Some(found) = lexer.next() {
        let kind = match found {
            Ok(Kind::Comment) => continue,
            Ok(kind) => kind,
            Err(error) => Kind::Bad(error),
        };
        let range = lexer.span();
        all.push(Token { kind, span: place(range.start, range.end) });
    }
    all.push(Token { kind: Kind::End, span: place(text.len(), text.len()) });
    all
}
