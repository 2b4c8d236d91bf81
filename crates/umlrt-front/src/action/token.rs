//! Tokens of text that is not understood.
//!
//! Comments and texts in quotes are no tokens of their own: what is in them counts as code, so that
//! nothing is hidden by a quote or a comment that the languages see otherwise.

use logos::Logos;

/// The kind of a token of action code.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\x0b\x0c\r\n]+")]
pub(crate) enum Kind {
    #[regex(r"[A-Za-z_$][A-Za-z_0-9$]*")]
    Word,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("{")]
    OpenBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(".")]
    Dot,
    #[token("->")]
    Arrow,
    /// All other text.
    Bad,
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

/// The tokens of code.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut lexer = Kind::lexer(code);
    while let Some(found) = lexer.next() {
        let kind = found.unwrap_or(Kind::Bad);
        let range = lexer.span();
        all.push(Token { kind, text: lexer.slice(), start: range.start, end: range.end });
    }
    all
}

/// True if text may spell words in a way that its tokens do not show: over two lines, or by letters
/// that are written as their numbers.
pub(crate) fn hides_words(text: &str) -> bool {
    if continues_lines(text) {
        return true;
    }
    let mut rest = text;
    while let Some(position) = rest.find("\\u") {
        rest = rest[position + 1..].trim_start_matches('u');
        let digits = rest.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if digits.and_then(char::from_u32).is_some_and(|letter| letter.is_ascii()) {
            return true;
        }
    }
    false
}

/// True if text has code of an assembler in it, which names things otherwise.
pub(crate) fn assembles(text: &str) -> bool {
    tokens(text).iter().any(|token| ["asm", "__asm", "__asm__", "_asm"].iter().any(|word| token.is(word)))
}

/// True if some line goes on in the next one, for C.
pub(crate) fn continues_lines(text: &str) -> bool {
    // A line may end in other ways, and a backslash be written in another way, for some compilers.
    let ends = text.matches('\r').count() != text.matches("\r\n").count();
    ends || text.contains("??/") || text.contains("\\\n") || text.contains("\\\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_hidden() {
        let text = "3p -q 'r\" ->s /*t*/ //u\n1'000; v::w é-x -";
        let words: Vec<&str> =
            tokens(text).iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect();
        assert_eq!(words, ["p", "q", "r", "s", "t", "u", "v", "w", "x"]);
    }

    #[test]
    fn letters_may_be_written_as_numbers() {
        assert!(hides_words("\\u0070.a();"));
        assert!(hides_words("\\uu0070.a();"));
        assert!(hides_words("p\\\n.a();"));
        assert!(!hides_words("\"\\u00e4\""));
    }

    #[test]
    fn code_of_assemblers_is_told_by_its_word() {
        assert!(assembles("__asm__ volatile (\"call f\");"));
        assert!(!assembles("plasm(asmodeus);"));
    }
}
