//! Characters to raw tokens: names are not told from keywords here, because macros may rename both.

use logos::{Lexer, Logos};

use crate::splice::splice;

/// What the lexer could not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LexError {
    /// No token begins with this character.
    #[default]
    Stray,
    /// The line ends inside a string.
    OpenString,
    /// The text ends inside a comment.
    OpenComment,
    /// A backslash at the end of a line inside a token.
    Joined,
}

/// A raw token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\x0b\x0c]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[allow(missing_docs, reason = "each is the token itself")]
pub(crate) enum Raw {
    #[token("\n")]
    Newline,
    #[token("/*", block_comment)]
    Comment,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Identifier,
    #[regex("[0-9]+")]
    Number,
    #[regex(r"'(\\[^\n]|[^'\\\n])'")]
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
    #[token("!!")]
    SortedSend,
    #[token("!")]
    Bang,
    #[token("??")]
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

/// Up to the closing quote; a backslash takes the next character with it.
fn string(lexer: &mut Lexer<'_, Raw>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let mut escaped = false;
    for (position, character) in rest.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                lexer.bump(position + 1);
                return Ok(());
            }
            '\n' => {
                lexer.bump(position);
                return Err(LexError::OpenString);
            }
            _ => {}
        }
    }
    lexer.bump(rest.len());
    Err(LexError::OpenString)
}

/// A raw token, or an error, with its place: `start..end` in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub raw: Result<Raw, LexError>,
    pub start: u32,
    pub end: u32,
}

/// All raw tokens of a text but comments; ends of lines are kept, unless a backslash stands before them.
/// Time linear in the text, but for a logarithmic search per token where lines are joined.
pub(crate) fn lex(text: &str) -> Vec<Piece> {
    let position = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let spliced = splice(text);
    let tokens = Raw::lexer(&spliced.text).spanned().filter(|(raw, _)| *raw != Ok(Raw::Comment));
    tokens
        .map(|(raw, range)| {
            let (start, end) = spliced.original(range.start, range.end);
            // The letters of a token are read from the text as it was, where this one is in two pieces. Of
            // a string they do not matter.
            let whole = end - start == range.len() || matches!(raw, Ok(Raw::String) | Err(_));
            let raw = if whole { raw } else { Err(LexError::Joined) };
            Piece { raw, start: position(start), end: position(end) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Result<Raw, LexError>> {
        lex(text).into_iter().map(|piece| piece.raw).collect()
    }

    #[test]
    fn the_longest_operator_wins() {
        use Raw::{Assign, Bang, Equal, SortedSend};
        assert_eq!(kinds("!!! == ="), [SortedSend, Bang, Equal, Assign].map(Ok));
    }

    #[test]
    fn comments_and_continuations_vanish_but_line_ends_stay() {
        use Raw::{Identifier, Newline};
        assert_eq!(kinds("a/*x\ny*/\\\nb//c\nd"), [Identifier, Identifier, Newline, Identifier].map(Ok));
    }

    #[test]
    fn lines_are_joined_before_comments_end() {
        use Raw::{Identifier, Newline, String};
        assert_eq!(kinds("a // b \\\nc\nd"), [Identifier, Newline, Identifier].map(Ok));
        assert_eq!(kinds("/\\\n/ b\n/* *\\ \n/ c"), [Newline, Identifier].map(Ok));
        assert_eq!(kinds("\"a\\\nb\""), [Ok(String)]);
        assert_eq!(kinds("a\\\nb c"), [Err(LexError::Joined), Ok(Identifier)]);
    }

    #[test]
    fn what_is_open_is_an_error() {
        assert_eq!(kinds("\"a\\\"\n"), [Err(LexError::OpenString), Ok(Raw::Newline)]);
        assert_eq!(kinds("/*/"), [Err(LexError::OpenComment)]);
        assert_eq!(kinds("$é"), [Err(LexError::Stray); 2]);
        assert_eq!(kinds("'a' '\\n'"), [Ok(Raw::Character); 2]);
    }
}
