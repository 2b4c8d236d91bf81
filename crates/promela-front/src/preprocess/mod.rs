//! The preprocessor: reproduces `gcc -std=gnu99 -E -x c`, with which Spin preprocesses a model, and
//! keeps the origin of each token.
//!
//! A token of a macro's body has the span of the use ([`Token::span`]), a token of an argument has
//! its own; the span of its text is kept separately ([`Token::text`]). [`Preprocessed::uses`] leads
//! from a token to the macros that it passed through.

mod builtin;
mod call;
mod condition;
mod constant;
mod definition;
mod directive;
mod expand;
mod include;
mod item;
mod names;
mod output;
mod source;
mod substitute;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use cfsm_core::ids::Id as _;
use cfsm_core::source::{FileId, Sources, Span};

use crate::lexer::Raw;
use crate::options::Options;
use crate::token::{Kind, Token};
use builtin::BUILTINS;
use call::Call;
use cfsm_core::diagnostic::Diagnostic;
use directive::Condition;
use expand::{Context, Level};
use item::{Item, Pad};
use names::{Meaning, Names, Symbol};
use output::{Output, Place};
use source::{Frame, Letters, Text};
pub(crate) use uses::{Index, Uses};

/// Result of preprocessing.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    /// The tokens; the last one is the end of the text.
    pub tokens: Vec<Token>,
    /// Uses of macros.
    pub uses: Uses,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// `true` if text is missing (a file that could not be included, a macro that could not be
    /// expanded), so that undeclared names are not errors.
    pub incomplete: bool,
}

/// Name of the text that holds the macros given as options.
const OPTIONS_FILE: &str = "<command line>";

/// Preprocesses a file, which must be the only one of `sources`. Time linear in the text, in the
/// expansions, and in the tokens scanned for them, which [`Options::max_expansion`] limits.
pub(crate) fn preprocess(sources: &mut Sources, file: FileId, options: &Options) -> Preprocessed {
    let mut run = Preprocessor::new(sources, options);
    let main = run.load(file);
    run.output.tokens.reserve(main.pieces.len() + 1);
    run.builtins();
    let prelude = prelude(options);
    if !prelude.is_empty() {
        let file = run.sources.add(OPTIONS_FILE, prelude);
        let prelude = run.load(file);
        run.open(prelude);
        run.texts();
    }
    for name in &options.undefines {
        let symbol = run.names.symbol(name);
        run.names.undefine(symbol);
    }
    let length = u32::try_from(main.text.len()).unwrap_or(u32::MAX);
    let last_line = main.last_line;
    run.open(main);
    run.texts();
    let span = Span { file, start: length, end: length };
    let place = Place { span, text: span, through: None, line: last_line, spaced: false, edge: false };
    run.output.put_kind(Kind::End, &place);
    run.letters.finish(run.sources);
    let Preprocessor { output, uses, diagnostics, incomplete, .. } = run;
    Preprocessed { tokens: output.tokens, uses, diagnostics, incomplete }
}

/// The macros given as options, as directives.
fn prelude(options: &Options) -> String {
    let kept = options.defines.iter().filter(|(name, _)| !options.undefines.contains(name));
    let one_line = |body: &str| body.replace(['\n', '\r'], " ");
    kept.map(|(name, body)| format!("#define {name} {}\n", one_line(body.as_deref().unwrap_or("1"))))
        .collect()
}

struct Preprocessor<'o> {
    sources: &'o mut Sources,
    options: &'o Options,
    letters: Letters,
    names: Names,
    uses: Uses,
    /// The numbers in `uses` of predefined macros that were used.
    builtin_numbers: BTreeMap<Symbol, u32>,
    output: Output,
    diagnostics: Vec<Diagnostic>,
    incomplete: bool,
    /// The open texts, the main one first.
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    included: BTreeMap<PathBuf, Rc<Text>>,
    /// Files that are not included again.
    once: BTreeSet<FileId>,
    contexts: Vec<Context>,
    levels: Vec<Level>,
    calls: Vec<Call>,
    /// A token that was read ahead.
    pushed_back: Option<Item>,
    /// Padding before the next token.
    pad: Pad,
    /// Line and span of the use of the outermost macro.
    root_line: u32,
    root_span: Span,
    /// `true` if that macro has no parameters.
    root_is_plain: bool,
    /// Number of tokens that expansions may still produce.
    budget: usize,
    /// `true` if the current expansion was aborted.
    spent: bool,
    limit_reported: bool,
    /// The next value of `__COUNTER__`.
    counter: u64,
    /// `true` while a condition is expanded; the next field is set after an error in its `defined`.
    in_condition: bool,
    bad_defined: bool,
}

/// Reason for which reading a text was interrupted.
enum Stop {
    End,
    Directive,
    Macro(Symbol),
}

impl<'o> Preprocessor<'o> {
    fn new(sources: &'o mut Sources, options: &'o Options) -> Self {
        Self {
            sources,
            options,
            letters: Letters::default(),
            names: Names::new(),
            uses: Uses::default(),
            builtin_numbers: BTreeMap::new(),
            output: Output::new(),
            diagnostics: Vec::new(),
            incomplete: false,
            frames: Vec::new(),
            conditions: Vec::new(),
            included: BTreeMap::new(),
            once: BTreeSet::new(),
            contexts: Vec::new(),
            levels: Vec::new(),
            calls: Vec::new(),
            pushed_back: None,
            pad: Pad::None,
            root_line: 0,
            root_span: Span { file: FileId::new(0), start: 0, end: 0 },
            root_is_plain: false,
            budget: options.max_expansion,
            spent: false,
            limit_reported: false,
            counter: 0,
            in_condition: false,
            bad_defined: false,
        }
    }

    fn builtins(&mut self) {
        for &(name, builtin) in BUILTINS {
            let symbol = self.names.symbol(name);
            self.names.define(symbol, Meaning::Builtin(builtin));
        }
    }

    /// The number of a predefined macro in `uses`.
    fn builtin_number(&mut self, symbol: Symbol) -> u32 {
        let new = || self.uses.definition(self.names.text(symbol), None);
        *self.builtin_numbers.entry(symbol).or_insert_with(new)
    }

    /// Reads the open texts to their ends, including their includes.
    fn texts(&mut self) {
        while let Some(frame) = self.frames.last() {
            let (source, start) = (Rc::clone(&frame.source), frame.next);
            let (next, stop) = self.plain(&source, start);
            if let Some(frame) = self.frames.last_mut() {
                frame.next = next;
            }
            match stop {
                Stop::Directive => self.directive(&source),
                Stop::Macro(symbol) => {
                    let piece = source.pieces[next];
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next += 1;
                    }
                    let pad = std::mem::take(&mut self.pad);
                    let item = Item { symbol, pad, ..self.item_of(&source, &piece) };
                    self.use_macro(item);
                }
                Stop::End => {
                    if let Some(frame) = self.frames.pop() {
                        self.end_conditions(frame.conditions);
                    }
                }
            }
        }
    }

    /// Reads tokens up to a directive or a macro. Most of a text is processed here.
    fn plain(&mut self, source: &Text, start: usize) -> (usize, Stop) {
        for (position, piece) in source.pieces.iter().enumerate().skip(start) {
            if piece.begins_line {
                if piece.raw == Ok(Raw::Hash) {
                    return (position, Stop::Directive);
                }
                self.pad = Pad::None;
                self.output.begin_line(piece.line);
            }
            let letters = source.letters(piece);
            if piece.raw == Ok(Raw::Identifier)
                && let Some(symbol) = self.names.macro_named(letters)
            {
                return (position, Stop::Macro(symbol));
            }
            let span = source.span(piece);
            let text = if piece.cut { source.letters_span(piece) } else { span };
            let pad = std::mem::take(&mut self.pad);
            let edge = piece.white || pad != Pad::None;
            let spaced = match pad {
                Pad::None | Pad::End => piece.white,
                Pad::White => true,
                Pad::Tight => false,
            };
            let place = Place { span, text, through: None, line: piece.line, spaced, edge };
            let made_up = self.output.put(piece.raw, letters, &place);
            self.spell_last(made_up);
        }
        (source.pieces.len(), Stop::End)
    }

    fn error(&mut self, code: &'static str, span: Span, message: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
}

#[cfg(test)]
mod tests;
