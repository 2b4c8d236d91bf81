//! The preprocessor: directives, and macros without parameters.
//!
//! A token that comes out of a macro stands where the macro is used ([`Token::span`]); where its letters
//! stand is kept beside ([`Token::text`]). [`Preprocessed::expansions`] leads from a use to the macro.

mod expand;

use std::rc::Rc;

use cfsm_core::source::{FileId, Sources, Span};

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{LexError, Piece, Raw, lex};
use crate::options::Options;
use crate::token::Token;
use expand::{Expander, Macro};

/// One use of a macro in the text.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    /// Where it is used.
    pub site: Span,
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub defined: Span,
}

/// What the preprocessor leaves.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    /// The tokens, the last one being the end of the text.
    pub tokens: Vec<Token>,
    /// Uses of macros, in source order.
    pub expansions: Vec<Expansion>,
    /// What was wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether text is missing or doubled (by a directive that is not handled), so that a name that is
    /// not declared proves nothing.
    pub incomplete: bool,
}

/// Name of the text that holds the macros given as options.
const OPTIONS_FILE: &str = "<command line>";

/// Runs over a file that `sources` holds. Time linear in the text and in what macros expand to.
pub(crate) fn preprocess(sources: &mut Sources, file: FileId, options: &Options) -> Preprocessed {
    let text = sources.files[file].text.clone();
    let mut run = Run {
        expander: Expander::new(options.max_expansion),
        diagnostics: Vec::new(),
        incomplete: false,
        text: &text,
        file,
    };
    let prelude = prelude(options);
    if !prelude.is_empty() {
        let file = sources.add(OPTIONS_FILE, prelude.clone());
        let mut first = Run { text: &prelude, file, ..run };
        first.whole_text();
        run = Run { text: &text, file: run.file, ..first };
    }
    run.whole_text();
    run.expander.end(file, &text);
    let Expander { tokens, expansions, mut diagnostics, .. } = run.expander;
    diagnostics.append(&mut run.diagnostics);
    Preprocessed { tokens, expansions, diagnostics, incomplete: run.incomplete }
}

/// The macros given as options, as directives.
fn prelude(options: &Options) -> String {
    let kept = options.defines.iter().filter(|(name, _)| !options.undefines.contains(name));
    let one_line = |body: &str| body.replace(['\n', '\r'], " ");
    kept.map(|(name, body)| format!("#define {name} {}\n", one_line(body.as_deref().unwrap_or("1"))))
        .collect()
}

struct Run<'t> {
    expander: Expander,
    diagnostics: Vec<Diagnostic>,
    incomplete: bool,
    text: &'t str,
    file: FileId,
}

impl Run<'_> {
    fn whole_text(&mut self) {
        let mut line: Vec<Piece> = Vec::new();
        for piece in lex(self.text) {
            match piece.raw {
                Ok(Raw::Newline) => {
                    self.line(&line);
                    line.clear();
                }
                Err(LexError::OpenComment) => {
                    let span = self.span_of(piece);
                    let opening = Span { end: span.start + 2, ..span };
                    let message = "this comment has no end";
                    self.diagnostics.push(
                        Diagnostic::error(codes::OPEN_COMMENT, opening, message)
                            .with_hint("close it with `*/`"),
                    );
                }
                // Spin reads `*/` outside a comment as nothing: people nest comments.
                Ok(Raw::Slash) if line.last().is_some_and(|last| closes_nothing(*last, piece)) => {
                    line.pop();
                }
                _ => line.push(piece),
            }
        }
        self.line(&line);
    }

    fn line(&mut self, line: &[Piece]) {
        match line.split_first() {
            Some((Piece { raw: Ok(Raw::Hash), .. }, rest)) => self.directive(line[0], rest),
            _ => self.expander.line(line, self.file, self.text),
        }
    }

    fn directive(&mut self, hash: Piece, rest: &[Piece]) {
        let Some(word) = rest.first() else { return };
        let span = self.span_of(hash).to(self.span_of(rest[rest.len() - 1]));
        match (word.raw, self.text_of(*word)) {
            (Ok(Raw::Identifier), "define") => self.define(span, &rest[1..]),
            (Ok(Raw::Identifier), "undef") => match rest.get(1) {
                Some(name) if name.raw == Ok(Raw::Identifier) => {
                    let name = self.text_of(*name).to_owned();
                    self.expander.macros.remove(&name);
                }
                _ => self.bad_directive(span, "`#undef` needs the name of a macro"),
            },
            // `#` alone and `# 3 "file"` tell where a text came from; `pragma` and `ident` are for others.
            (Ok(Raw::Identifier), "pragma" | "ident" | "line") | (Ok(Raw::Number), _) => {}
            (Ok(Raw::Identifier), "warning") => {
                let message = format!("the text warns: {}", self.source_text(span));
                self.diagnostics.push(Diagnostic::warning(codes::BAD_DIRECTIVE, span, message));
            }
            (Ok(Raw::Identifier), name @ ("include" | "if" | "ifdef" | "ifndef")) => {
                let message = format!("not handled yet: `#{name}`");
                self.incomplete = true;
                self.diagnostics.push(Diagnostic::error(codes::NOT_HANDLED, span, message));
            }
            // Their `#if` was reported.
            (Ok(Raw::Identifier), "elif" | "else" | "endif") if self.incomplete => {}
            (Ok(Raw::Identifier), name @ ("elif" | "else" | "endif")) => {
                let message = format!("`#{name}` without `#if`");
                self.bad_directive(span, &message);
            }
            (_, name) => {
                let message = format!("`#{name}` is no directive");
                self.bad_directive(span, &message);
            }
        }
    }

    fn define(&mut self, span: Span, rest: &[Piece]) {
        let name = match rest.first() {
            Some(name) if name.raw == Ok(Raw::Identifier) => *name,
            _ => return self.bad_directive(span, "`#define` needs the name of a macro"),
        };
        let text = self.text_of(name).to_owned();
        let parameters =
            rest.get(1).is_some_and(|next| next.raw == Ok(Raw::OpenParen) && next.start == name.end);
        if parameters {
            let message = format!("not handled yet: the macro `{text}` has parameters");
            self.diagnostics.push(Diagnostic::error(codes::NOT_HANDLED, span, message));
        }
        if let Some(hash) = rest.iter().find(|piece| piece.raw == Ok(Raw::Hash)).filter(|_| !parameters) {
            let span = self.span_of(*hash);
            let message = "not handled yet: `#` in the body of a macro";
            self.diagnostics.push(Diagnostic::error(codes::NOT_HANDLED, span, message));
        }
        let body: Vec<(Piece, Span)> = rest[1..].iter().map(|piece| (*piece, self.span_of(*piece))).collect();
        let spelling = Rc::new(body.iter().map(|(_, span)| self.source_text(*span).to_owned()).collect());
        let new =
            Macro { defined: self.span_of(name), parameters, body: Rc::new(body), spelling, active: false };
        if let Some(old) = self.expander.macros.get(&text).filter(|old| old.spelling != new.spelling) {
            let message = format!("the macro `{text}` gets a second body");
            self.diagnostics.push(
                Diagnostic::warning(codes::MACRO_REDEFINED, new.defined, message)
                    .with_label(old.defined, "the first one is here")
                    .with_hint("write `#undef` before it if that is meant"),
            );
        }
        self.expander.macros.insert(text, new);
    }

    fn bad_directive(&mut self, span: Span, message: &str) {
        self.diagnostics.push(Diagnostic::error(codes::BAD_DIRECTIVE, span, message));
    }

    const fn span_of(&self, piece: Piece) -> Span {
        Span { file: self.file, start: piece.start, end: piece.end }
    }

    fn text_of(&self, piece: Piece) -> &str {
        self.text.get(piece.start as usize..piece.end as usize).unwrap_or_default()
    }

    fn source_text(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

fn closes_nothing(last: Piece, slash: Piece) -> bool {
    last.raw == Ok(Raw::Star) && last.end == slash.start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str, options: &Options) -> (Vec<String>, Preprocessed) {
        let mut sources = Sources::default();
        let file = sources.add("test.pml", text);
        let preprocessed = preprocess(&mut sources, file, options);
        let words = preprocessed.tokens.iter().map(|token| sources.text(token.text).to_owned());
        (words.filter(|word| !word.is_empty()).collect(), preprocessed)
    }

    fn expanded(text: &str) -> Vec<String> {
        spelled(text, &Options::default()).0
    }

    #[test]
    fn macros_expand_macros_but_never_themselves() {
        assert_eq!(expanded("#define A B + A\n#define B A * B\nA"), ["A", "*", "B", "+", "A"]);
    }

    #[test]
    fn an_undefined_macro_is_a_name() {
        assert_eq!(expanded("#define N 3\nN\n#undef N\nN"), ["3", "N"]);
    }

    #[test]
    fn options_define_macros() {
        let defines = vec![("N".into(), Some("7".into())), ("D".into(), None), ("U".into(), None)];
        let options = Options { defines, undefines: vec!["U".into()], ..Options::default() };
        assert_eq!(spelled("N D U", &options).0, ["7", "1", "U"]);
    }

    #[test]
    fn a_use_is_where_its_tokens_stand() {
        let (_, preprocessed) = spelled("#define N 1 + 2\nx N;", &Options::default());
        let sites: Vec<u32> = preprocessed.tokens.iter().map(|token| token.span.start).collect();
        assert_eq!(sites, [16, 18, 18, 18, 19, 20]);
        assert_eq!(preprocessed.expansions[0].name, "N");
    }

    #[test]
    fn an_explosion_hits_the_limit() {
        let mut text = String::from("#define M0 x x\n");
        for level in 1..40 {
            text += &format!("#define M{level} M{0} M{0}\n", level - 1);
        }
        let (_, preprocessed) = spelled(&(text + "M39"), &Options::default());
        assert_eq!(preprocessed.diagnostics[0].code, codes::EXPANSION_LIMIT);
    }

    #[test]
    fn a_first_token_on_a_line_stays_first_through_macros() {
        let (_, preprocessed) = spelled("#define E\n#define N x y\na\nE N", &Options::default());
        let first: Vec<bool> = preprocessed.tokens.iter().map(|token| token.first_on_line).collect();
        assert_eq!(first, [true, true, false, false]);
    }
}
