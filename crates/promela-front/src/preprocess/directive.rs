//! Preprocessor directives, and conditional sections.

use std::rc::Rc;

use cfsm_core::source::Span;

use super::Preprocessor;
use super::item::Item;
use super::names::Symbol;
use super::source::{Line, Text};
use crate::codes;
use crate::lexer::Raw;
use cfsm_core::diagnostic::Diagnostic;

/// An open condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// Span of the directive that opened it.
    place: Span,
    /// `true` if one of its groups was taken.
    taken: bool,
    /// `true` if its `#else` was read.
    in_else: bool,
}

/// Returns `true` if a directive begins at a position.
fn is_directive(source: &Text, position: usize) -> bool {
    let piece = source.pieces.get(position);
    piece.is_some_and(|piece| piece.begins_line && piece.raw == Ok(Raw::Hash))
}

/// The position of the first piece after a line.
fn behind_line(source: &Text, position: usize) -> usize {
    let rest = source.pieces.get(position + 1..).unwrap_or_default();
    let length = rest.iter().position(|piece| piece.begins_line).unwrap_or(rest.len());
    position + 1 + length
}

impl Preprocessor<'_> {
    /// Reads the next directive: its word, the rest of the line, its span.
    fn read_directive<'s>(&mut self, source: &'s Text) -> Option<(&'s str, Line<'s>, Span)> {
        let frame = self.frames.last_mut()?;
        let start = frame.next;
        frame.next = behind_line(source, start);
        let pieces = source.pieces.get(start..frame.next)?;
        let (hash, rest) = pieces.split_first()?;
        let span = source.span(hash).to(source.span(pieces.last()?));
        let word = rest.first().filter(|word| word.raw == Ok(Raw::Identifier));
        let line = Line { source, pieces: rest.get(usize::from(word.is_some())..).unwrap_or_default() };
        Some((word.map_or("", |word| source.letters(word)), line, span))
    }

    /// Executes the next directive.
    pub(super) fn directive(&mut self, source: &Text) {
        let Some((word, line, span)) = self.read_directive(source) else { return };
        match word {
            "define" => self.define(span, &line),
            "undef" => {
                if let Some(name) = self.macro_name(span, &line) {
                    self.names.undefine(name);
                }
            }
            "include" | "import" => self.include(span, &line, word == "import"),
            "if" => {
                let taken = self.condition(span, &line);
                self.open_condition(source, span, taken);
            }
            "ifdef" | "ifndef" => {
                let name = self.macro_name(span, &line);
                let defined = name.is_some_and(|name| self.names.is_macro(name));
                self.open_condition(source, span, name.is_some() && defined == (word == "ifdef"));
            }
            "elif" | "else" => {
                if self.continue_condition(word, span) {
                    self.skip(source);
                }
            }
            "endif" => {
                if !self.close_condition() {
                    self.unbalanced(span, "`#endif` without `#if`");
                }
            }
            "error" | "warning" => self.message(word, span),
            "line" => self.line_directive(span, &line),
            "pragma" => self.pragma(source, span, &line),
            // Meant for other compilers.
            "ident" | "sccs" | "assert" | "unassert" => {}
            // `#` alone, and `# 3 "file"`, which is the origin of a text.
            "" if line.pieces.is_empty() => {}
            "" if line.raw(0) == Some(Raw::Number) => self.line_directive(span, &line),
            _ => {
                let word = if word.is_empty() { line.text(&line.pieces[0]) } else { word };
                self.error(codes::BAD_DIRECTIVE, span, &format!("`#{word}` is no directive"));
            }
        }
    }

    /// Processes `#pragma`. GCC handles some pragmas itself and passes on all others, which Spin
    /// cannot read.
    fn pragma(&mut self, source: &Text, span: Span, line: &Line<'_>) {
        let word = |position: usize| line.pieces.get(position).map_or("", |piece| line.text(piece));
        match (word(0), word(1)) {
            // No effect in the main file.
            ("once", _) => {
                self.once.insert(source.file);
            }
            ("GCC", "poison" | "system_header" | "dependency" | "warning" | "error") => {}
            _ => self.error(codes::BAD_DIRECTIVE, span, "Spin cannot read a `#pragma`: leave it out"),
        }
    }

    /// The rest of a line as tokens for macro expansion.
    pub(super) fn items_of(&mut self, line: &Line<'_>) -> Vec<Item> {
        line.pieces.iter().map(|piece| self.item_of(line.source, piece)).collect()
    }

    /// The value of the condition of an `#if` or `#elif`; false after an error.
    fn condition(&mut self, span: Span, line: &Line<'_>) -> bool {
        let items = self.items_of(line);
        self.evaluate(items).unwrap_or_else(|reason| {
            self.incomplete = true;
            let message = format!("this condition has no value: {reason}");
            self.error(codes::BAD_CONDITION, span, &message);
            false
        })
    }

    fn open_condition(&mut self, source: &Text, place: Span, taken: bool) {
        self.conditions.push(Condition { place, taken, in_else: false });
        if !taken {
            self.skip(source);
        }
    }

    /// The innermost open condition of the current text.
    fn innermost(&mut self) -> Option<&mut Condition> {
        let outside = self.frames.last().map_or(0, |frame| frame.conditions);
        self.conditions.get_mut(outside..).and_then(<[Condition]>::last_mut)
    }

    /// Processes `#elif` or `#else` after a group. Returns `true` if a condition is open.
    fn continue_condition(&mut self, word: &str, span: Span) -> bool {
        let Some(condition) = self.innermost() else {
            self.unbalanced(span, &format!("`#{word}` without `#if`"));
            return false;
        };
        let place = condition.place;
        let again = condition.in_else;
        condition.in_else |= word == "else";
        if again {
            self.behind_else(word, span, place);
        }
        true
    }

    fn behind_else(&mut self, word: &str, span: Span, place: Span) {
        let error = Diagnostic::error(codes::UNBALANCED_CONDITION, span, format!("`#{word}` behind `#else`"));
        self.diagnostics.push(error.with_label(place, "the condition begins here"));
    }

    /// Processes `#endif`; returns `true` if a condition was open.
    fn close_condition(&mut self) -> bool {
        let fits = self.innermost().is_some();
        if fits {
            self.conditions.pop();
        }
        fits
    }

    /// Skips to the next group of the innermost condition that is taken, or past its `#endif`.
    /// Linear time.
    fn skip(&mut self, source: &Text) {
        // Nested conditions that are skipped: their spans, and `true` after their `#else`.
        let mut inner: Vec<(Span, bool)> = Vec::new();
        loop {
            let Some(frame) = self.frames.last_mut() else { return };
            while frame.next < source.pieces.len() && !is_directive(source, frame.next) {
                frame.next = behind_line(source, frame.next);
            }
            let Some((word, line, span)) = self.read_directive(source) else { return };
            match (word, inner.last_mut()) {
                ("if" | "ifdef" | "ifndef", _) => inner.push((span, false)),
                ("endif", Some(_)) => drop(inner.pop()),
                ("endif", None) => {
                    self.close_condition();
                    return;
                }
                ("elif" | "else", Some((place, in_else))) => {
                    let (place, again) = (*place, *in_else);
                    *in_else |= word == "else";
                    if again {
                        self.behind_else(word, span, place);
                    }
                }
                ("elif" | "else", None) => {
                    self.continue_condition(word, span);
                    let open = self.innermost().is_some_and(|condition| !condition.taken);
                    let taken = open && (word == "else" || self.condition(span, &line));
                    if let Some(condition) = self.innermost().filter(|_| taken) {
                        condition.taken = true;
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports the conditions that are open at the end of a text.
    pub(super) fn end_conditions(&mut self, outside: usize) {
        for condition in self.conditions.drain(outside.min(self.conditions.len())..) {
            let message = "this condition has no end";
            self.diagnostics.push(
                Diagnostic::error(codes::UNBALANCED_CONDITION, condition.place, message)
                    .with_hint("close it with `#endif`"),
            );
            self.incomplete = true;
        }
    }

    fn unbalanced(&mut self, span: Span, message: &str) {
        self.error(codes::UNBALANCED_CONDITION, span, message);
    }

    /// Processes `#error` or `#warning`.
    fn message(&mut self, word: &str, span: Span) {
        let text = self.letters.get(span);
        let text = text.split_once(word).map_or("", |(_, text)| text.trim());
        let (what, code) = match word {
            "error" => ("rejects itself", codes::USER_ERROR),
            _ => ("warns", codes::BAD_DIRECTIVE),
        };
        let message =
            if text.is_empty() { format!("the text {what}") } else { format!("the text {what}: {text}") };
        let diagnostic = match word {
            "error" => Diagnostic::error(code, span, message),
            _ => Diagnostic::warning(code, span, message),
        };
        self.diagnostics.push(diagnostic);
    }

    /// Processes `#line 3 "file"` or `# 3 "file"`, which set `__LINE__` and `__FILE__` from the
    /// next line on. Diagnostics still use the actual positions.
    fn line_directive(&mut self, span: Span, line: &Line<'_>) {
        let mut items = self.items_of(line);
        if items.iter().any(|item| item.symbol != Symbol::NONE) {
            items = self.expand_list(items);
        }
        let number = items.first().filter(|item| item.raw == Ok(Raw::Number));
        let number = number.and_then(|item| self.letters.get(item.text).parse::<u32>().ok());
        let Some(number) = number else {
            return self.error(codes::BAD_DIRECTIVE, span, "`#line` needs a number");
        };
        let name = items.get(1).filter(|item| item.raw == Ok(Raw::String)).map(|item| {
            let letters = self.letters.get(item.text);
            Rc::from(letters.get(1..letters.len().saturating_sub(1)).unwrap_or_default())
        });
        let last = line.pieces.last().map_or(0, |piece| piece.line);
        if let Some(frame) = self.frames.last_mut() {
            frame.shift = i64::from(number) - i64::from(last) - 1;
            frame.presumed = name.unwrap_or_else(|| Rc::clone(&frame.presumed));
        }
    }
}
