//! The lexer: characters to raw tokens. Names and keywords are not distinguished here, because
//! macros may rename both.
//!
//! Two languages meet here. The preprocessor must see the tokens of C (`0..N` is one "number"
//! there, in which no macro is expanded), the parser those of Promela. Where they differ, the lexer
//! emits those of C, and [`output`](crate::preprocess) converts them to Promela.

use logos::{Lexer, Logos};

use crate::splice::splice;

/// Lexical errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LexError {
    /// No token begins with this character.
    #[default]
    Stray,
    /// The line ends inside a string.
    OpenString,
    /// The text ends inside a comment.
    OpenComment,
    /// No closing apostrophe, or not exactly one character before it.
    Character,
}

/// A raw token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\x0b\x0c\x00]+")]
#[logos(skip(r"//[^\n\r]*", allow_greedy = true))]
#[allow(missing_docs, reason = "each is the token itself")]
pub(crate) enum Raw {
    #[regex(r"\r?\n|\r")]
    Newline,
    #[token("/*", block_comment)]
    Comment,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Identifier,
    #[regex("[0-9]+")]
    Number,
    /// A number token of C that is several tokens of Promela: `0..N`, `3x`. The parser never sees
    /// it.
    #[regex(r"\.?[0-9]([eEpP][+-]|[0-9A-Za-z_.])*", priority = 1)]
    CNumber,
    #[token("'", character)]
    Character,
    #[token("\"", string)]
    String,
    #[token("#")]
    Hash,
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
    #[token(";")]
    Semicolon,
    #[token("->")]
    Arrow,
    #[token("::")]
    Option,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token("@")]
    At,
    #[token("=")]
    Assign,
    #[token("++")]
    Increment,
    #[token("--")]
    Decrement,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    /// Two [`Bang`](Self::Bang) tokens, joined after preprocessing.
    SortedSend,
    #[token("!")]
    Bang,
    /// Two [`Question`](Self::Question) tokens, joined after preprocessing.
    RandomReceive,
    #[token("?")]
    Question,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("\\")]
    Backslash,
}

fn block_comment(lexer: &mut Lexer<'_, Raw>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let (length, result) = match rest.find("*/") {
        Some(end) => (end + 2, Ok(())),
        None => (rest.len(), Err(LexError::OpenComment)),
    };
    lexer.bump(length);
    result
}

/// Consumes up to the closing quote; a backslash escapes the next character.
fn quoted(lexer: &mut Lexer<'_, Raw>, quote: u8, open: LexError) -> Result<(), LexError> {
    let rest = lexer.remainder().as_bytes();
    let mut position = 0;
    while let Some(&byte) = rest.get(position) {
        match byte {
            b'\n' | b'\r' => break,
            b'\\' if rest.get(position + 1).is_some_and(|next| !b"\r\n".contains(next)) => position += 2,
            _ if byte == quote => {
                lexer.bump(position + 1);
                return Ok(());
            }
            _ => position += 1,
        }
    }
    // A backslash may have consumed the first byte of a multi-byte character.
    let rest = lexer.remainder();
    lexer.bump((position..rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len()));
    Err(open)
}

fn string(lexer: &mut Lexer<'_, Raw>) -> Result<(), LexError> {
    quoted(lexer, b'"', LexError::OpenString)
}

fn character(lexer: &mut Lexer<'_, Raw>) -> Result<(), LexError> {
    quoted(lexer, b'\'', LexError::Character)
}

/// A raw token, or an error, with its byte range `start..end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The token or the error.
    pub raw: Result<Raw, LexError>,
    /// `true` if white space or comments precede it.
    pub white: bool,
    /// `true` if it is the first token of a line (for lines joined by backslashes: of the first
    /// one).
    pub begins_line: bool,
    /// `true` if a backslash-newline splits it, so that its text is not that between `start` and
    /// `end`; see [`Lexed::cut`].
    pub cut: bool,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
    /// Line on which it begins, counted from 1.
    pub line: u32,
}

/// All raw tokens of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens in order, without comments and line ends.
    pub pieces: Vec<Piece>,
    /// The texts of split tokens, with the offsets of their first bytes; ascending.
    pub cut: Vec<(u32, String)>,
    /// Number of the last line.
    pub last_line: u32,
}

/// All raw tokens of a text. Time linear in the text.
pub(crate) fn lex(text: &str) -> Lexed {
    let position = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let spliced = splice(text);
    let joined: &str = &spliced.text;
    let mut places = spliced.places();
    let mut lexed = Lexed { pieces: Vec::with_capacity(text.len() / 5), cut: Vec::new(), last_line: 1 };
    let (mut line, mut behind, mut begins_line) = (1_u32, 0, true);
    let mut tokens = Raw::lexer(joined);
    while let Some(raw) = tokens.next() {
        let range = tokens.span();
        match raw {
            Ok(Raw::Newline) => {
                line += 1;
                begins_line = true;
                behind = range.end;
                continue;
            }
            Ok(Raw::Comment) => {
                line = line.saturating_add(position(line_ends(&joined[range.clone()])));
                continue;
            }
            _ => {}
        }
        let (start, end, joints) = places.original(range.start, range.end);
        let cut = end - start != range.len();
        if cut {
            lexed.cut.push((position(start), joined[range.clone()].to_owned()));
        }
        let white = behind != range.start || begins_line;
        let (start, end, line) = (position(start), position(end), line.saturating_add(position(joints)));
        lexed.pieces.push(Piece { raw, white, begins_line, cut, start, end, line });
        begins_line = false;
        behind = range.end;
    }
    lexed.last_line = line.saturating_add(position(spliced.joints()));
    lexed
}

/// Number of line ends in a text. A carriage return counts too, unless a line feed follows.
fn line_ends(text: &str) -> usize {
    let feeds = text.bytes().filter(|&byte| byte == b'\n').count();
    let returns = text.bytes().filter(|&byte| byte == b'\r').count();
    if returns == 0 { feeds } else { feeds + returns - text.matches("\r\n").count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Result<Raw, LexError>> {
        lex(text).pieces.into_iter().map(|piece| piece.raw).collect()
    }

    #[test]
    fn the_longest_operator_wins_but_where_c_knows_a_shorter_one_only() {
        use Raw::{Assign, Bang, Equal, Option};
        assert_eq!(kinds("!! == = ::"), [Bang, Bang, Equal, Assign, Option].map(Ok));
    }

    #[test]
    fn numbers_are_those_of_c() {
        use Raw::{CNumber, DotDot, Identifier, Number};
        assert_eq!(
            kinds("1 0..N 3x N..2 1e+x"),
            [Ok(Number), Ok(CNumber), Ok(CNumber), Ok(Identifier), Ok(DotDot), Ok(Number), Ok(CNumber)]
        );
    }

    #[test]
    fn comments_and_continuations_vanish_but_line_ends_stay() {
        let lexed = lex("a/*x\ny*/\\\nb//c\nd");
        let seen: Vec<_> =
            lexed.pieces.iter().map(|piece| (piece.line, piece.white, piece.begins_line)).collect();
        assert_eq!(seen, [(1, true, true), (3, true, false), (4, true, true)]);
        assert_eq!(lexed.last_line, 4);
    }

    #[test]
    fn a_carriage_return_ends_a_line() {
        let lexed = lex("a\rb\r\nc // d\re /* \r\n\r */ f\\\r\ng");
        let lines: Vec<_> = lexed.pieces.iter().map(|piece| (piece.line, piece.begins_line)).collect();
        assert_eq!(lines, [(1, true), (2, true), (3, true), (4, true), (6, false)]);
    }

    #[test]
    fn lines_are_joined_before_comments_end() {
        use Raw::{Identifier, String};
        assert_eq!(kinds("a // b \\\nc\nd"), [Identifier, Identifier].map(Ok));
        assert_eq!(kinds("/\\\n/ b\n/* *\\ \n/ c"), [Identifier].map(Ok));
        let lexed = lex("\"a\\\nb\" a\\\nb c");
        let raws: Vec<_> = lexed.pieces.iter().map(|piece| piece.raw).collect();
        assert_eq!(raws, [String, Identifier, Identifier].map(Ok));
        assert_eq!(lexed.cut, [(0, "\"ab\"".to_owned()), (7, "ab".to_owned())]);
    }

    #[test]
    fn what_is_open_is_an_error() {
        assert_eq!(kinds("\"a\\\"\nx"), [Err(LexError::OpenString), Ok(Raw::Identifier)]);
        assert_eq!(kinds("it's é\\é\nx").len(), 3);
        assert_eq!(kinds("'a\\é"), [Err(LexError::Character)]);
        assert_eq!(kinds("/*/"), [Err(LexError::OpenComment)]);
        assert_eq!(kinds("$é"), [Err(LexError::Stray); 2]);
        assert_eq!(kinds("'a' '\\n' '\\'' '\\x41' ''"), [Ok(Raw::Character); 5]);
        assert_eq!(kinds("/\\ \\/"), [Raw::Slash, Raw::Backslash, Raw::Backslash, Raw::Slash].map(Ok));
    }
}
