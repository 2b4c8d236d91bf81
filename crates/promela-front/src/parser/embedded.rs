//! Parses token sequences that are kept as text: C, the bodies of inlines, their arguments.

use std::ops::Range;

use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::ast::{Embedded, EmbeddedKind, Text};
use crate::inline::group;
use crate::lexer::{LexError, Raw};
use crate::token::{Kind, Token, Word};

impl Parser<'_> {
    /// `c_decl { ... }`, `c_code { ... }`, `c_state "..." "..."`, `c_track "..." "..."`
    pub(super) fn embedded(&mut self, word: Word) -> Parsed<Embedded> {
        let start = self.here();
        let kind = match word {
            Word::CDecl => EmbeddedKind::Declaration,
            Word::CState => EmbeddedKind::State,
            Word::CTrack => EmbeddedKind::Track,
            _ => EmbeddedKind::Code,
        };
        self.bump();
        let texts = match kind {
            EmbeddedKind::State | EmbeddedKind::Track => self.strings()?,
            EmbeddedKind::Declaration | EmbeddedKind::Code => vec![self.braced_text()?],
        };
        Ok(Embedded { kind, texts, span: self.since(start) })
    }

    /// Parses two or three strings.
    fn strings(&mut self) -> Parsed<Vec<Text>> {
        let mut texts = Vec::new();
        while texts.len() < 2 || (texts.len() == 2 && self.at(Raw::String)) {
            if !self.at(Raw::String) {
                return self.unexpected("a string");
            }
            texts.push(Text { text: self.string_here(), span: self.here() });
            self.bump();
        }
        Ok(texts)
    }

    /// The content of the next string token, with its escapes as written.
    pub(super) fn string_here(&self) -> String {
        let text = self.text_here();
        let inner = text.strip_prefix('"').unwrap_or(text);
        inner.strip_suffix('"').unwrap_or(inner).to_owned()
    }

    /// Parses an optional `[guard]`, and `{ code }`.
    pub(super) fn code(&mut self) -> Parsed<(Option<Text>, Text)> {
        let guard = if self.at(Raw::OpenBracket) { Some(self.enclosed(Raw::OpenBracket)?) } else { None };
        let text = self.braced_text()?;
        self.behind_code = self.position;
        self.refresh();
        Ok((guard, text))
    }

    /// Parses a text between braces.
    pub(super) fn braced_text(&mut self) -> Parsed<Text> {
        if self.at(Raw::OpenBrace) { self.enclosed(Raw::OpenBrace) } else { self.unexpected("`{`") }
    }

    fn enclosed(&mut self, open: Raw) -> Parsed<Text> {
        let Some(range) = group(self.tokens, self.position, open) else {
            self.go_to(self.tokens.len() - 1);
            return self.unexpected("the other brace of a pair");
        };
        let (first, last) = (self.here(), self.tokens[range.end - 1].span);
        self.last = Some(last);
        self.go_to(range.end);
        Ok(Text { text: self.spelled(range.start + 1..range.end - 1, '\n'), span: first.to(last) })
    }

    /// An argument of a call, on one line.
    pub(super) fn argument(&self, range: Range<usize>) -> Text {
        let span = match (self.tokens.get(range.start), self.tokens.get(range.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if !range.is_empty() => first.span.to(last.span),
            (Some(next), _) => Span { end: next.span.start, ..next.span },
            _ => self.here(),
        };
        Text { text: self.spelled(range, ' '), span }
    }

    /// Renders tokens as text: `line_end` before the first token of a line, and a blank where
    /// tokens were separated.
    fn spelled(&self, range: Range<usize>, line_end: char) -> String {
        let mut text = String::new();
        let mut last: Option<Token> = None;
        for token in &self.tokens[range] {
            if token.first_on_line {
                text.push(line_end);
            } else if last.is_some_and(|last| !adjacent(last, *token)) {
                text.push(' ');
            }
            text.push_str(self.sources.text(token.text));
            last = Some(*token);
        }
        text.trim_start_matches(' ').to_owned()
    }
}

/// Returns `true` if two tokens were adjacent and need no blank between them.
fn adjacent(left: Token, right: Token) -> bool {
    let is_word =
        |token: Token| matches!(token.kind, Kind::Name | Kind::Word(_) | Kind::Call | Kind::Raw(Raw::Number));
    left.text.file == right.text.file
        && left.text.end == right.text.start
        && !(is_word(left) && is_word(right))
        && !matches!(left.kind, Kind::Bad(LexError::OpenString))
}
