//! Expansion of inlines: textual substitution, as in Spin.
//!
//! The parameters of an inline are replaced by the tokens of its arguments before parsing; so an
//! argument may be a label, a channel, or half an expression. This pass leaves the name and the
//! arguments of each call in place ([`Kind::Call`]) and inserts the body, braces included, behind
//! them.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use cfsm_core::source::{Sources, Span};

use crate::codes;
use crate::lexer::Raw;
use crate::token::{Kind, Token, Word};
use cfsm_core::diagnostic::Diagnostic;

/// Inserts the bodies of inlines behind their calls. At most `budget` tokens are added. Time linear
/// in the text and in the added tokens.
pub(crate) fn expand(sources: &Sources, tokens: Vec<Token>, budget: usize) -> (Vec<Token>, Vec<Diagnostic>) {
    if !tokens.iter().any(|token| token.kind == Kind::Word(Word::Inline)) {
        return (tokens, Vec::new());
    }
    let mut expander = Expander {
        sources,
        inlines: HashMap::new(),
        done: Vec::with_capacity(tokens.len() * 2),
        diagnostics: Vec::new(),
        budget,
        broken: false,
    };
    expander.run(tokens.into());
    (expander.done, expander.diagnostics)
}

/// The definition of an inline.
struct Inline<'s> {
    parameters: Vec<&'s str>,
    /// The body, including its braces.
    body: Rc<[Token]>,
    defined: Span,
}

/// A token sequence that is being read: the whole text, or the body of a call.
struct Frame<'s> {
    /// The name of the inline; `None` for the whole text.
    name: Option<&'s str>,
    tokens: Rc<[Token]>,
    next: usize,
}

struct Expander<'s> {
    sources: &'s Sources,
    inlines: HashMap<&'s str, Inline<'s>>,
    done: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    /// Number of tokens that expansions may still add.
    budget: usize,
    /// `true` after a call without its end: no further calls are expanded, since each would search
    /// the whole text.
    broken: bool,
}

impl<'s> Expander<'s> {
    /// Expands iteratively with an explicit stack: its depth is bounded by the number of inlines,
    /// since none can contain itself.
    fn run(&mut self, tokens: Rc<[Token]>) {
        let mut stack = vec![Frame { name: None, tokens, next: 0 }];
        while let Some(frame) = stack.last_mut() {
            let (tokens, at) = (Rc::clone(&frame.tokens), frame.next);
            let Some(token) = tokens.get(at) else {
                stack.pop();
                continue;
            };
            frame.next += 1;
            let end = match token.kind {
                Kind::Word(Word::Inline) if frame.name.is_none() => self.definition(&tokens, at),
                // C is left unchanged.
                Kind::Word(Word::CCode | Word::CDecl | Word::CExpr) => embedded(&tokens, at),
                Kind::Name if !self.broken && is(&tokens, at + 1, Raw::OpenParen) => {
                    if let Some((end, body)) = self.call(&tokens, at, &stack) {
                        let last = stack.len() - 1;
                        stack[last].next = end;
                        stack.extend(body);
                        continue;
                    }
                    at + 1
                }
                _ => at + 1,
            };
            self.done.extend_from_slice(&tokens[at..end]);
            let last = stack.len() - 1;
            stack[last].next = end;
        }
    }

    /// `inline f(a, b) { ... }`: stores the definition if it is well-formed; otherwise the parser
    /// reports it. Returns the index of its end.
    fn definition(&mut self, tokens: &[Token], at: usize) -> usize {
        let Some(name) = tokens.get(at + 1).filter(|name| name.kind == Kind::Name) else {
            return at + 1;
        };
        let Some(list) = group(tokens, at + 2, Raw::OpenParen) else { return at + 1 };
        let Some(body) = group(tokens, list.end, Raw::OpenBrace) else { return at + 1 };
        let mut parameters = Vec::new();
        for part in parts(tokens, list.start + 1..list.end - 1) {
            match &tokens[part] {
                [parameter] if parameter.kind == Kind::Name => parameters.push(self.text(*parameter)),
                _ => return at + 1,
            }
        }
        let name = self.text(*name);
        let inline = Inline { parameters, body: tokens[body.clone()].into(), defined: tokens[at + 1].span };
        // A second definition of a name is reported by the parser; calls refer to the first one.
        self.inlines.entry(name).or_insert(inline);
        body.end
    }

    /// A call of a known inline: emits it and returns the index of its end, and the body if it can
    /// be inserted.
    fn call(
        &mut self,
        tokens: &[Token],
        at: usize,
        stack: &[Frame<'s>],
    ) -> Option<(usize, Option<Frame<'s>>)> {
        let name = self.text(tokens[at]);
        let inline = self.inlines.get(name)?;
        let Some(list) = group(tokens, at + 1, Raw::OpenParen) else {
            self.broken = true;
            return None;
        };
        let arguments: Vec<Range<usize>> = parts(tokens, list.start + 1..list.end - 1);
        let span = tokens[at].span.to(tokens[list.end - 1].span);
        if let Some(diagnostic) = self.wrong(inline, name, arguments.len(), span, stack) {
            self.diagnostics.extend(diagnostic);
            self.done.push(Token { kind: Kind::Unsupported, span, ..tokens[at] });
            return Some((list.end, None));
        }
        let body = substitute(self.sources, inline, tokens, &arguments);
        self.budget = self.budget.saturating_sub(body.len());
        self.done.push(Token { kind: Kind::Call, ..tokens[at] });
        self.done.extend_from_slice(&tokens[at + 1..list.end]);
        Some((list.end, Some(Frame { name: Some(name), tokens: body.into(), next: 0 })))
    }

    /// The error of a call; `Some(None)` if it was reported before.
    fn wrong(
        &self,
        inline: &Inline<'_>,
        name: &str,
        given: usize,
        span: Span,
        stack: &[Frame<'_>],
    ) -> Option<Option<Diagnostic>> {
        let error = |code, message: String| Diagnostic::error(code, span, message);
        let defined = |diagnostic: Diagnostic| diagnostic.with_label(inline.defined, "it is defined here");
        let wanted = inline.parameters.len();
        if given != wanted {
            let message = format!("{given} arguments for {wanted} parameters of inline `{name}`");
            return Some(Some(defined(error(codes::INLINE_ARITY, message))));
        }
        if stack.iter().any(|frame| frame.name == Some(name)) {
            let message = format!("the inline `{name}` calls itself");
            let hint = "an inline is text, not a procedure; use a loop, or a process type and `run`";
            return Some(Some(defined(error(codes::INLINE_CYCLE, message)).with_hint(hint)));
        }
        if self.budget < inline.body.len() {
            let reported = self.diagnostics.iter().any(|found| found.code == codes::EXPANSION_LIMIT);
            let message = String::from("inlines expand to more tokens than the limit allows");
            return Some((!reported).then(|| error(codes::EXPANSION_LIMIT, message)));
        }
        None
    }

    fn text(&self, token: Token) -> &'s str {
        self.sources.text(token.text)
    }
}

/// The body of an inline with its parameters replaced. Tokens of an argument get the span of the
/// parameter.
fn substitute(
    sources: &Sources,
    inline: &Inline<'_>,
    tokens: &[Token],
    arguments: &[Range<usize>],
) -> Vec<Token> {
    let mut body: Vec<Token> = Vec::with_capacity(inline.body.len());
    let mut code = 0;
    for (position, token) in inline.body.iter().enumerate() {
        if matches!(token.kind, Kind::Word(Word::CCode | Word::CDecl | Word::CExpr)) {
            code = embedded(&inline.body, position);
        }
        let word = if token.kind == Kind::Name && position >= code { sources.text(token.text) } else { "" };
        match inline.parameters.iter().position(|parameter| *parameter == word) {
            None => body.push(*token),
            Some(parameter) => {
                let argument = &tokens[arguments[parameter].clone()];
                body.extend(argument.iter().enumerate().map(|(place, found)| Token {
                    span: token.span,
                    first_on_line: place == 0 && token.first_on_line,
                    ..*found
                }));
            }
        }
    }
    if let Some(brace) = body.first_mut() {
        // The body follows the call on the same line.
        brace.first_on_line = false;
    }
    body
}

fn is(tokens: &[Token], at: usize, raw: Raw) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == Kind::Raw(raw))
}

/// The range of `( ... )`, `[ ... ]` or `{ ... }` with its delimiters, if it begins here and has an
/// end.
pub(crate) fn group(tokens: &[Token], at: usize, open: Raw) -> Option<Range<usize>> {
    if !is(tokens, at, open) {
        return None;
    }
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Raw(Raw::OpenParen | Raw::OpenBracket | Raw::OpenBrace) => depth += 1,
            Kind::Raw(Raw::CloseParen | Raw::CloseBracket | Raw::CloseBrace) => depth -= 1,
            Kind::End => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at..position + 1);
        }
    }
    None
}

/// The ranges between commas outside of parentheses; an empty list has no parts.
pub(crate) fn parts(tokens: &[Token], range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut depth) = (Vec::new(), range.start, 0_i32);
    for position in range.clone() {
        match tokens[position].kind {
            Kind::Raw(Raw::OpenParen | Raw::OpenBracket | Raw::OpenBrace) => depth += 1,
            Kind::Raw(Raw::CloseParen | Raw::CloseBracket | Raw::CloseBrace) => depth -= 1,
            Kind::Raw(Raw::Comma) if depth == 0 => {
                found.push(start..position);
                start = position + 1;
            }
            _ => {}
        }
    }
    if start < range.end || !found.is_empty() {
        found.push(start..range.end);
    }
    found
}

/// The index of the end of a piece of C that begins here with its keyword.
fn embedded(tokens: &[Token], at: usize) -> usize {
    let guard = group(tokens, at + 1, Raw::OpenBracket).map_or(at + 1, |guard| guard.end);
    group(tokens, guard, Raw::OpenBrace).map_or(at + 1, |code| code.end)
}
