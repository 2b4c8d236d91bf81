//! Tokens of C, C++ and Java, as far as they matter.

use logos::{Lexer, Logos};

/// The kind of a token of action code.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\x0b\x0c\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Kind {
    #[token("/*", comment)]
    Comment,
    #[regex(r"[A-Za-z_$][A-Za-z_0-9$]*")]
    Word,
    #[regex(r"\.?[0-9][0-9A-Za-z_.]*")]
    Number,
    #[token("\"", string)]
    #[token("'", character)]
    Text,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("->")]
    Arrow,
    #[token(":")]
    Colon,
    #[token("::")]
    Colons,
    #[token("&&")]
    #[token("||")]
    #[token("?")]
    Lazy,
    #[token("#")]
    Hash,
    #[regex(r"[+\-*/%&|^!~<>=@\\]", priority = 1)]
    Operator,
    /// Text that begins no token of any of the languages.
    Bad,
}

fn comment(lexer: &mut Lexer<'_, Kind>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find("*/");
    lexer.bump(end.map_or(rest.len(), |end| end + 2));
    end.is_some()
}

fn string(lexer: &mut Lexer<'_, Kind>) -> bool {
    quoted(lexer, b'"')
}

fn character(lexer: &mut Lexer<'_, Kind>) -> bool {
    quoted(lexer, b'\'')
}

fn quoted(lexer: &mut Lexer<'_, Kind>, quote: u8) -> bool {
    let mut escaped = false;
    for (position, byte) in lexer.remainder().bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => {
                lexer.bump(position + 1);
                return true;
            }
            _ => {}
        }
    }
    lexer.bump(lexer.remainder().len());
    false
}

/// A token of action code with its place in the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'c> {
    pub(crate) kind: Kind,
    pub(crate) text: &'c str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// The tokens of code, without its comments.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut lexer = Kind::lexer(code);
    while let Some(found) = lexer.next() {
        let kind = found.unwrap_or(Kind::Bad);
        let range = lexer.span();
        if kind != Kind::Comment {
            all.push(Token { kind, text: lexer.slice(), start: range.start, end: range.end });
        }
    }
    all
}
