//! The scanner of the formats in which line ends have no meaning: characters to words and signs.

use super::codes;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// A token: a word or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// Its text: letters, digits, `_` and `'`; or one other character.
    pub text: &'t str,
    /// Span of the token.
    pub span: Span,
}

impl Token<'_> {
    /// Returns `true` if it is a word, not a sign.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(is_letter)
    }
}

/// Returns `true` if a character can be part of a word.
pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The tokens of a text. Comments are `-- ...`, `// ...` and `/* ... */`; a byte order mark is
/// skipped.
pub(super) fn scan(text: &str, file: FileId) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut diagnostics = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if c.is_whitespace() || c == '\u{feff}' {
            c.len_utf8()
        } else if let Some(comment) = comment(rest) {
            comment.unwrap_or_else(|| {
                let error =
                    Diagnostic::error(codes::OPEN_COMMENT, span(file, at, at + 2), "the comment has no end");
                diagnostics.push(error.with_hint("`*/` ends it"));
                rest.len()
            })
        } else {
            let word = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            let length = if word > 0 { word } else { c.len_utf8() };
            tokens.push(Token { text: &rest[..length], span: span(file, at, at + length) });
            length
        };
        at += length;
    }
    (tokens, diagnostics)
}

/// The length of a comment at the beginning of a text; `Some(None)` if it has no end.
fn comment(text: &str) -> Option<Option<usize>> {
    if text.starts_with("--") || text.starts_with("//") {
        return Some(Some(text.find('\n').unwrap_or(text.len())));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map(|end| end + 4))
}

/// The span between two offsets. The length of texts is limited such that they fit.
pub(super) fn span(file: FileId, start: usize, end: usize) -> Span {
    let offset = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
    Span { file, start: offset(start), end: offset(end) }
}

/// A cursor over the tokens of a text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    end: Span,
}

impl<'t> Cursor<'t> {
    /// A cursor at the first token.
    pub fn new(tokens: Vec<Token<'t>>, file: FileId, text: &str) -> Self {
        let length = text.trim_end().len();
        Self { tokens, at: 0, end: span(file, length, length) }
    }

    /// The next token, which is not consumed.
    pub fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    /// The text of the token `ahead` positions after the next one; empty behind the end.
    pub fn text(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text)
    }

    /// Consumes the next token.
    pub fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Consumes the next token if it has this text.
    pub fn eat(&mut self, text: &str) -> Option<Token<'t>> {
        (self.text(0) == text).then(|| self.next())?
    }

    /// Consumes the next token if it is a word.
    pub fn word(&mut self) -> Option<Token<'t>> {
        self.peek().filter(Token::is_word)?;
        self.next()
    }

    /// The span of the next token; the end of the text behind the last one.
    pub fn place(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    /// The span of the last consumed token.
    pub fn before(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.end, |token| token.span)
    }

    /// The error that something else is expected at the next token.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(token) => format!("found `{}`", token.text),
            None => "the text ends here".into(),
        };
        Diagnostic::error(codes::UNEXPECTED, self.place(), format!("{what} is expected, {found}"))
    }
}
