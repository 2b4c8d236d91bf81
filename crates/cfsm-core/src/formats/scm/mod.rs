//! Parser for machines with numbered channels, the format of `McScM`.
//!
//! `scm NAME :`, `nb_channels = N ;`, `parameters : real a ; ...`, then for each machine
//! `automaton NAME :`, `initial : 0`, and states with their transitions,
//! `state 0 : to 1 : when true , 0 ! a ;`. The text after `bad_states :` is a query to `McScM` and
//! is ignored. Machines have no data: guards other than `true` are errors.

mod draft;

use std::collections::BTreeMap;

use draft::{Draft, Head, Line};

use super::machine::{Machine, assemble};
use super::scan::{Cursor, Token, scan};
use super::{codes, doubts, scan};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};
use crate::system::{Direction, System};

/// Greatest number of a channel that is represented although it is unused.
const UNUSED: usize = 1000;

pub(super) fn read(sources: &Sources, file: FileId, text: &str) -> (Option<System>, Vec<Diagnostic>) {
    let (tokens, diagnostics) = scan(text, file);
    let cursor = Cursor::new(tokens, file, text);
    let mut reader = Reader { cursor, head: Head::default(), drafts: Vec::new(), diagnostics };
    reader.text();
    let Reader { head, drafts, mut diagnostics, .. } = reader;
    if drafts.is_empty() && diagnostics.is_empty() {
        let error = Diagnostic::error(codes::NO_MACHINE, scan::span(file, 0, 0), "there is no automaton");
        diagnostics.push(error.with_hint("an automaton begins with `automaton NAME :`"));
    }
    let mut machines: Vec<Machine> =
        drafts.iter().filter_map(|draft| draft.machine(&head, &mut diagnostics)).collect();
    head.checked(&mut diagnostics);
    doubts::one_sided(&machines, &mut diagnostics);
    doubts::unreached(&machines, &mut diagnostics);
    machines.extend(head.losses(&machines));
    let declared = head.channels.map_or(0, |(count, _)| count).min(UNUSED);
    diagnostics.extend(head.left_out(&machines, declared));
    let buffers: Vec<String> = (0..declared).map(|channel| channel.to_string()).collect();
    let name = &sources.files[file].name;
    (assemble(sources, name, &buffers, &machines, &mut diagnostics), diagnostics)
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

struct Reader<'t> {
    cursor: Cursor<'t>,
    head: Head<'t>,
    drafts: Vec<Draft<'t>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn text(&mut self) {
        while self.cursor.peek().is_some() && self.cursor.text(0) != "bad_states" {
            let before = self.cursor.place();
            let Err(error) = self.piece() else { continue };
            self.diagnostics.push(*error);
            if self.cursor.place() == before {
                self.cursor.next();
            }
            self.skip();
        }
    }

    /// Skips to the beginning of the next construct.
    fn skip(&mut self) {
        while self.cursor.peek().is_some() {
            let word = self.cursor.text(0);
            let begins = matches!(
                word,
                "automaton" | "state" | "to" | "initial" | "parameters" | "lossy" | "nb_channels"
            );
            if begins || word == "bad_states" {
                return;
            }
            let end = word == ";";
            self.cursor.next();
            if end {
                return;
            }
        }
    }

    fn piece(&mut self) -> Result<()> {
        match self.cursor.text(0) {
            ";" => {
                self.cursor.next();
                Ok(())
            }
            "scm" => {
                self.cursor.next();
                self.word("a name")?;
                self.sign(":")
            }
            "nb_channels" => self.channels(),
            "parameters" => self.parameters(),
            "lossy" => self.lossy(),
            "automaton" => self.automaton(),
            "initial" => self.initial(),
            "state" => self.state(),
            _ => {
                let hint = "`scm`, `nb_channels`, `lossy`, `parameters`, `automaton`, `initial`, `state` and `bad_states` begin one";
                Err(Box::new(self.cursor.expected("a declaration").with_hint(hint)))
            }
        }
    }

    fn word(&mut self, what: &str) -> Result<Token<'t>> {
        self.cursor.word().ok_or_else(|| Box::new(self.cursor.expected(what)))
    }

    fn sign(&mut self, sign: &str) -> Result<()> {
        match self.cursor.eat(sign) {
            Some(_) => Ok(()),
            None => Err(Box::new(self.cursor.expected(&format!("`{sign}`")))),
        }
    }

    fn number(&mut self, what: &str) -> Result<(usize, Span)> {
        let place = self.cursor.clone();
        let word = self.word(what)?;
        match word.text.parse() {
            Ok(number) => Ok((number, word.span)),
            Err(_) => {
                self.cursor = place;
                Err(Box::new(self.cursor.expected(what)))
            }
        }
    }

    fn channels(&mut self) -> Result<()> {
        self.cursor.next();
        self.sign("=")?;
        self.head.channels = Some(self.number("a number of channels")?);
        self.cursor.eat(";");
        Ok(())
    }

    /// `real a ; real b, c ;`: types have no meaning for machines without data.
    fn parameters(&mut self) -> Result<()> {
        self.cursor.next();
        self.sign(":")?;
        let messages = self.head.messages.get_or_insert_default();
        while matches!(self.cursor.text(0), "real" | "int" | "bool") {
            self.cursor.next();
            loop {
                let Some(message) = self.cursor.word() else {
                    return Err(Box::new(self.cursor.expected("a message")));
                };
                messages.insert(message.text);
                if self.cursor.eat(",").is_none() {
                    break;
                }
            }
            if self.cursor.eat(";").is_none() {
                return Err(Box::new(self.cursor.expected("`;`")));
            }
        }
        Ok(())
    }

    /// `lossy : 0, 1 ;`
    fn lossy(&mut self) -> Result<()> {
        self.cursor.next();
        self.sign(":")?;
        loop {
            let channel = self.number("the number of a channel")?;
            self.head.lossy.push(channel);
            if self.cursor.eat(",").is_none() {
                self.cursor.eat(";");
                return Ok(());
            }
        }
    }

    fn automaton(&mut self) -> Result<()> {
        self.cursor.next();
        let name = self.word("the automaton's name")?;
        self.drafts.push(Draft {
            name,
            initial: None,
            states: BTreeMap::new(),
            order: Vec::new(),
            lines: Vec::new(),
        });
        self.sign(":")
    }

    /// The automaton that is being read.
    fn open(&mut self) -> Result<&mut Draft<'t>> {
        let place = self.cursor.place();
        self.drafts.last_mut().ok_or_else(|| {
            let error = Diagnostic::error(codes::OUTSIDE, place, "this stands in no automaton");
            Box::new(error.with_hint("an automaton begins with `automaton NAME :`"))
        })
    }

    fn initial(&mut self) -> Result<()> {
        self.open()?;
        self.cursor.next();
        self.sign(":")?;
        let state = self.word("a state")?;
        self.cursor.eat(";");
        let draft = self.open()?;
        match draft.initial {
            Some(first) if first.text != state.text => {
                let error =
                    Diagnostic::error(codes::BAD_INITIAL, state.span, "the automaton starts in two states");
                return Err(Box::new(error.with_label(first.span, "the first one is here")));
            }
            _ => draft.initial = Some(state),
        }
        Ok(())
    }

    fn state(&mut self) -> Result<()> {
        self.open()?;
        self.cursor.next();
        let state = self.word("a state")?;
        self.sign(":")?;
        let draft = self.open()?;
        if let Some(first) = draft.states.insert(state.text, state.span) {
            let warning = Diagnostic::warning(
                codes::STATE_TWICE,
                state.span,
                format!("state {} is there twice", state.text),
            );
            let warning = warning
                .with_label(first, "the first one is here")
                .with_hint("it has the transitions of both");
            self.diagnostics.push(warning);
        }
        self.open()?.order.push(state.text);
        while self.cursor.text(0) == "to" {
            match self.transition(state.text) {
                Ok(line) => self.open()?.lines.push(line),
                Err(error) => {
                    self.diagnostics.push(*error);
                    self.skip();
                }
            }
        }
        Ok(())
    }

    /// `to 1 : when true , 0 ! a ;`; without a channel it is internal.
    fn transition(&mut self, source: &'t str) -> Result<Line<'t>> {
        let begin = self.cursor.place();
        self.cursor.next();
        let target = self.word("a state")?;
        self.sign(":")?;
        if self.cursor.eat("when").is_some() && self.cursor.eat("true").is_none() {
            return Err(Box::new(self.data("the guard")));
        }
        let event = if self.cursor.eat(",").is_some() { Some(self.event()?) } else { None };
        let end = self.cursor.place();
        if self.cursor.eat(";").is_none() {
            let error = if event.is_some() && matches!(self.cursor.text(0), "with" | "," | ":") {
                self.data("the assignment")
            } else {
                self.cursor.expected("`;`")
            };
            return Err(Box::new(error));
        }
        Ok(Line { source, target, event, span: begin.to(end) })
    }

    fn event(&mut self) -> Result<(Token<'t>, Direction, Token<'t>)> {
        let channel = self.word("the number of a channel")?;
        let direction = match self.cursor.text(0) {
            "!" => Direction::Send,
            "?" => Direction::Receive,
            _ => return Err(Box::new(self.cursor.expected("`!` or `?`"))),
        };
        self.cursor.next();
        Ok((channel, direction, self.word("a message")?))
    }

    fn data(&self, what: &str) -> Diagnostic {
        let message = format!("{what} is about data");
        Diagnostic::error(codes::DATA, self.cursor.place(), message)
            .with_hint("only machines without data are read: `when true`")
    }
}
