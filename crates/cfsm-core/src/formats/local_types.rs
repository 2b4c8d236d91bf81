//! Parser for local types, the format of KMC: `A: rec x . {B!m; x, C?n; end}` for each participant.
//!
//! A type is translated to a machine in one pass: each position after a message is a state. A
//! branch of a choice that begins with `rec` is a state of its own, whose transitions the choice
//! has too; a branch that is a variable stands for the transitions at its `rec`; a branch `end`
//! adds nothing, since no participant has to continue.

use std::collections::{BTreeMap, BTreeSet};

use super::machine::{Exchange, Machine, Step, assemble, channel, unknown_peer};
use super::scan::{Cursor, Token, scan};
use super::{codes, doubts, scan};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};
use crate::system::{Direction, System};

/// Greatest nesting depth of choices.
const DEPTH: usize = 500;
/// Greatest number of transitions that choices copy from other states.
const COPIES: usize = 1 << 20;

pub(super) fn read(sources: &Sources, file: FileId, text: &str) -> (Option<System>, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = scan(text, file);
    let mut cursor = Cursor::new(tokens, file, text);
    let mut drafts: Vec<(Token<'_>, Draft)> = Vec::new();
    while cursor.peek().is_some() {
        if cursor.eat("|").is_some() {
            continue;
        }
        let mut reader = Reader {
            cursor: &mut cursor,
            text,
            draft: Draft::default(),
            bound: Vec::new(),
            unbound: Vec::new(),
        };
        let read = reader.participant();
        diagnostics.append(&mut reader.unbound);
        match read {
            Ok(name) => drafts.push((name, reader.draft)),
            Err(error) => {
                diagnostics.push(*error);
                skip(&mut cursor);
            }
        }
    }
    if drafts.is_empty() && diagnostics.is_empty() {
        let error = Diagnostic::error(codes::NO_MACHINE, scan::span(file, 0, 0), "there is no participant");
        diagnostics.push(error.with_hint("a participant is `A: rec x . B!ask; B?answer; x`"));
    }
    // After an error, a missing participant may be a consequence of it.
    let all = diagnostics.is_empty();
    let known: BTreeSet<&str> = drafts.iter().map(|(name, _)| name.text).collect();
    let machines: Vec<Machine> = drafts
        .iter()
        .map(|(name, draft)| {
            for (peer, direction) in &draft.peers {
                if all && !known.contains(peer.text) {
                    diagnostics.push(unknown_peer(peer.span, peer.text, *direction));
                }
            }
            let steps =
                draft.steps(name.text).unwrap_or_else(|| {
                    let error =
                        Diagnostic::error(codes::TOO_DEEP, name.span, "choices share too many transitions");
                    diagnostics.push(error.with_hint(
                        "variables that stand alone in a choice repeat all that is at their `rec`",
                    ));
                    Vec::new()
                });
            Machine {
                name: name.text.into(),
                span: name.span,
                initial: "0".into(),
                states: Vec::new(),
                steps,
            }
        })
        .collect();
    doubts::one_sided(&machines, &mut diagnostics);
    let name = &sources.files[file].name;
    (assemble(sources, name, &[], &machines, &mut diagnostics), diagnostics)
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Skips to the beginning of the next participant.
fn skip(cursor: &mut Cursor<'_>) {
    while cursor.text(1) != ":" && cursor.next().is_some() {}
}

/// Parser of one participant.
struct Reader<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    text: &'t str,
    draft: Draft<'t>,
    /// Bound variables and their states, innermost last.
    bound: Vec<(&'t str, usize)>,
    unbound: Vec<Diagnostic>,
}

impl<'t> Reader<'_, 't> {
    fn participant(&mut self) -> Result<Token<'t>> {
        let name = self.cursor.peek().filter(|name| name.is_word() && self.cursor.text(1) == ":");
        let Some(name) = name else {
            let error = self.cursor.expected("a participant");
            // Skipping starts behind the wrong token.
            self.cursor.next();
            return Err(Box::new(error.with_hint("`A: TYPE`")));
        };
        self.cursor.next();
        self.cursor.next();
        let state = self.draft.state();
        self.ty(state, false, 0)?;
        Ok(name)
    }

    /// Parses a type from a state on. `shared` is `true` if other types continue from this state,
    /// too.
    fn ty(&mut self, mut state: usize, mut shared: bool, depth: usize) -> Result<()> {
        let bound = self.bound.len();
        loop {
            if self.cursor.eat("rec").is_some() {
                let Some(variable) = self.cursor.word() else {
                    return Err(Box::new(self.cursor.expected("a variable")));
                };
                if self.cursor.eat(".").is_none() {
                    return Err(Box::new(self.cursor.expected("`.`").with_hint("`rec x . TYPE`")));
                }
                if shared {
                    let own = self.draft.state();
                    self.draft.copies.push((state, own));
                    (state, shared) = (own, false);
                }
                self.bound.push((variable.text, state));
            } else if self.cursor.eat("end").is_some() {
                break;
            } else if let Some(open) = self.cursor.eat("{") {
                self.choice(open, state, depth)?;
                break;
            } else if matches!(self.cursor.text(1), "!" | "?") {
                match self.message(state)? {
                    Some(next) => (state, shared) = (next, false),
                    None => break,
                }
            } else if self.cursor.peek().is_some_and(|token| token.is_word() && self.cursor.text(1) != ":") {
                if let Some(target) = self.variable() {
                    self.draft.copies.push((state, target));
                }
                break;
            } else {
                let hint = "`B!msg; TYPE`, `B?msg; TYPE`, `{TYPE, TYPE}`, `rec x . TYPE`, `x` or `end`";
                return Err(Box::new(self.cursor.expected("a type").with_hint(hint)));
            }
        }
        self.bound.truncate(bound);
        Ok(())
    }

    fn choice(&mut self, open: Token<'t>, state: usize, depth: usize) -> Result<()> {
        if depth >= DEPTH {
            let message = format!("there are more than {DEPTH} choices inside each other");
            return Err(Box::new(Diagnostic::error(codes::TOO_DEEP, open.span, message)));
        }
        loop {
            self.ty(state, true, depth + 1)?;
            if self.cursor.eat("}").is_some() {
                return Ok(());
            }
            if self.cursor.eat(",").is_none() {
                if self.cursor.peek().is_none() {
                    let error = Diagnostic::error(codes::OPEN_CHOICE, open.span, "the choice has no end");
                    return Err(Box::new(error.with_hint("`}` ends it")));
                }
                let error = self.cursor.expected("`,` or `}`");
                return Err(Box::new(error.with_label(open.span, "the choice begins here")));
            }
        }
    }

    /// Parses a message; returns its target, or `None` if the type ends there.
    fn message(&mut self, source: usize) -> Result<Option<usize>> {
        let Some(peer) = self.cursor.word() else {
            return Err(Box::new(self.cursor.expected("a participant")));
        };
        let direction = if self.cursor.eat("!").is_some() { Direction::Send } else { Direction::Receive };
        if direction == Direction::Receive {
            self.cursor.next();
        }
        let Some(label) = self.cursor.word() else {
            return Err(Box::new(self.cursor.expected("a message")));
        };
        let message = format!("{}{}", label.text, self.payload()?);
        let span = peer.span.to(self.cursor.before());
        self.draft.peer(peer, direction);
        let goes_on = self.cursor.eat(";").is_some();
        let variable =
            self.cursor.peek().is_some_and(|token| token.is_word() && !matches!(token.text, "rec" | "end"))
                && !matches!(self.cursor.text(1), "!" | "?" | ":");
        let (target, next) = if goes_on && variable {
            match self.variable() {
                Some(target) => (target, None),
                None => (self.draft.state(), None),
            }
        } else {
            let target = self.draft.state();
            (target, goes_on.then_some(target))
        };
        self.draft.edges.push(Edge { source, target, direction, peer: peer.text, message, span });
        Ok(next)
    }

    /// Parses a payload such as `<int>`; returns it without blanks, empty if there is none.
    fn payload(&mut self) -> Result<String> {
        let Some(open) = self.cursor.eat("<") else { return Ok(String::new()) };
        let mut depth = 1_usize;
        while depth > 0 {
            match self.cursor.next() {
                Some(token) if token.text == "<" => depth += 1,
                Some(token) if token.text == ">" => depth -= 1,
                Some(_) => {}
                None => {
                    let error = Diagnostic::error(codes::OPEN_PAYLOAD, open.span, "the payload has no end");
                    return Err(Box::new(error.with_hint("`>` ends it")));
                }
            }
        }
        let end = self.cursor.before().end as usize;
        let text = self.text.get(open.span.start as usize..end).unwrap_or_default();
        Ok(text.chars().filter(|c| !c.is_whitespace()).collect())
    }

    /// Parses a variable; returns the state at its `rec`, if it is bound.
    fn variable(&mut self) -> Option<usize> {
        let name = self.cursor.next()?;
        let state = self.bound.iter().rev().find(|(bound, _)| *bound == name.text).map(|(_, state)| *state);
        if state.is_none() {
            let error = Diagnostic::error(codes::UNBOUND, name.span, format!("`{}` is not bound", name.text));
            let hint = "`rec NAME .` binds it; `end` is where nothing goes on";
            self.unbound.push(error.with_hint(hint.replace("NAME", name.text)));
        }
        state
    }
}

/// A machine under construction; state 0 is the initial one.
#[derive(Clone, Debug, Default)]
struct Draft<'t> {
    states: usize,
    edges: Vec<Edge<'t>>,
    /// Pairs of states: the first one has all transitions of the second one, too.
    copies: Vec<(usize, usize)>,
    /// The first mention of each peer, in each direction.
    peers: Vec<(Token<'t>, Direction)>,
    seen: BTreeSet<(&'t str, Direction)>,
}

#[derive(Clone, Debug)]
struct Edge<'t> {
    source: usize,
    target: usize,
    direction: Direction,
    peer: &'t str,
    message: String,
    span: Span,
}

impl<'t> Draft<'t> {
    fn state(&mut self) -> usize {
        self.states += 1;
        self.states - 1
    }

    fn peer(&mut self, peer: Token<'t>, direction: Direction) {
        if self.seen.insert((peer.text, direction)) {
            self.peers.push((peer, direction));
        }
    }

    /// All transitions, including copies; `None` if these are too many.
    fn steps(&self, name: &str) -> Option<Vec<Step>> {
        let mut by_source: Vec<Vec<usize>> = vec![Vec::new(); self.states];
        for (at, edge) in self.edges.iter().enumerate() {
            by_source[edge.source].push(at);
        }
        let mut from: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (to, source) in &self.copies {
            from.entry(*to).or_default().push(*source);
        }
        let mut steps = Vec::new();
        for state in 0..self.states {
            for source in reached(&from, state) {
                let edges = by_source[source].iter().map(|at| &self.edges[*at]);
                steps.extend(edges.map(|edge| edge.step(name, state)));
                if steps.len() > self.edges.len() + COPIES {
                    return None;
                }
            }
        }
        Some(steps)
    }
}

/// The state and all states whose transitions it has, transitively.
fn reached(from: &BTreeMap<usize, Vec<usize>>, state: usize) -> Vec<usize> {
    let mut all = vec![state];
    let mut known = BTreeSet::from([state]);
    let mut at = 0;
    while at < all.len() {
        for source in from.get(&all[at]).into_iter().flatten() {
            if known.insert(*source) {
                all.push(*source);
            }
        }
        at += 1;
    }
    all
}

impl Edge<'_> {
    fn step(&self, name: &str, source: usize) -> Step {
        let buffer = match self.direction {
            Direction::Send => channel(name, self.peer),
            Direction::Receive => channel(self.peer, name),
        };
        Step {
            source: source.to_string(),
            target: self.target.to_string(),
            event: Some(Exchange { direction: self.direction, buffer, message: self.message.clone() }),
            span: self.span,
        }
    }
}
