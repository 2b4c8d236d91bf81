//! Art: state machines.

use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::codes;
use crate::lexer::Kind;
use crate::tree::art::{Ends, Graph, State, Terminal, Transition, Trigger};
use crate::tree::machine::SubPoint;
use cfsm_core::diagnostic::Diagnostic;

fn begins_node(word: &str) -> bool {
    matches!(
        word,
        "state"
            | "choice"
            | "junction"
            | "entrypoint"
            | "exitpoint"
            | "entry"
            | "exit"
            | "exclude"
            | "redefine"
    )
}

impl Parser<'_> {
    /// A state machine, from its keyword on.
    pub(crate) fn statemachine(&mut self) -> Parsed<Graph> {
        self.bump();
        self.properties()?;
        let (entry, exit) = (None, None);
        let span = self.here();
        let name = crate::tree::Name { text: String::new(), span };
        let mut whole = State { redefines: false, name, entry, exit, graph: Graph::default() };
        self.inside(&mut whole)?;
        self.eat(Kind::Semicolon);
        let internal = whole.graph.transitions.iter().filter(|found| found.ends.is_none());
        let outside: Vec<Span> = internal.map(|found| found.span).collect();
        let code = [whole.entry, whole.exit].into_iter().flatten().filter_map(|code| code.span());
        for span in outside.into_iter().chain(code) {
            let message = "this belongs into a state";
            self.diagnostics.push(Diagnostic::error(codes::MISPLACED_CONDITION, span, message));
        }
        Ok(whole.graph)
    }

    /// The inside of a state, in braces.
    fn inside(&mut self, state: &mut State) -> Parsed<()> {
        self.expect(Kind::OpenBrace, "`{`")?;
        self.items("a state, a point, a transition", begins_node, |parser| parser.part_of_state(state))
    }

    fn part_of_state(&mut self, state: &mut State) -> Parsed<()> {
        let graph = &mut state.graph;
        let names = match self.word() {
            Some("choice") => &mut graph.choices,
            Some("junction") => &mut graph.junctions,
            Some("entrypoint") => &mut graph.entries,
            Some("exitpoint") => &mut graph.exits,
            Some("exclude") => &mut graph.excluded,
            Some("state") => return self.states(graph),
            Some(word @ ("entry" | "exit")) => {
                self.bump();
                let code = self.snippet("code between backticks")?;
                let (span, place) =
                    (code.span(), if word == "entry" { &mut state.entry } else { &mut state.exit });
                if place.replace(code).is_some() {
                    let message = format!("there is `{word}` code already");
                    let span = span.unwrap_or_else(|| self.here());
                    self.diagnostics.push(Diagnostic::error(codes::REDECLARED, span, message));
                }
                self.eat(Kind::Semicolon);
                return Ok(());
            }
            _ => {
                graph.transitions.push(self.art_transition()?);
                return Ok(());
            }
        };
        let excluded = self.at_word("exclude");
        self.bump();
        loop {
            // A choice, a junction or a point that is redefined stays what it is.
            self.eat_word("redefine");
            let name = if excluded && self.at_word("initial") {
                let span = self.bump().span;
                crate::tree::Name { text: "initial".to_owned(), span }
            } else {
                self.art_name("a name")?
            };
            names.push(name);
            self.properties()?;
            if !self.eat(Kind::Comma) {
                return self.expect(Kind::Semicolon, "`,` or `;`").map(|_| ());
            }
        }
    }

    fn states(&mut self, graph: &mut Graph) -> Parsed<()> {
        self.bump();
        loop {
            let excluded = self.eat_word("exclude");
            let redefines = self.eat_word("redefine");
            let name = self.art_name("the name of the state")?;
            self.properties()?;
            if excluded {
                graph.excluded.push(name);
            } else {
                let mut state = State { redefines, name, entry: None, exit: None, graph: Graph::default() };
                if self.at(Kind::OpenBrace) {
                    self.nested(|parser| parser.inside(&mut state))?;
                }
                graph.states.push(state);
            }
            if !self.eat(Kind::Comma) {
                return self.expect(Kind::Semicolon, "`,` or `;`").map(|_| ());
            }
        }
    }

    fn art_transition(&mut self) -> Parsed<Transition> {
        self.properties()?;
        let start = self.here();
        let redefines = self.eat_word("redefine");
        let named = self.ahead(1) == Kind::Colon;
        let mut name = None;
        if named {
            // Here a name may be a keyword.
            let span = self.expect(Kind::Word, "the name of the transition")?.span;
            name = Some(crate::tree::Name { text: self.text(span).to_owned(), span });
            self.bump();
        }
        self.properties()?;
        let ends = if self.at_word("on") {
            None
        } else {
            let from = if self.at_word("initial") {
                Terminal::Initial(self.bump().span)
            } else {
                self.art_terminal("a state, a point, a transition or `}`")?
            };
            self.expect(Kind::Arrow, "`->` and the target")?;
            Some(Ends { from, to: self.art_terminal("the target")? })
        };
        let span = self.since(start);
        self.properties()?;
        let mut triggers = Vec::new();
        if self.eat_word("on") {
            loop {
                triggers.extend(self.art_trigger()?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        let guard = if self.eat_word("when") { Some(self.snippet("a condition")?) } else { None };
        let action = self.maybe_snippet()?;
        self.expect(Kind::Semicolon, "`;`")?;
        Ok(Transition { redefines, name, ends, triggers, guard, action, span })
    }

    fn art_terminal(&mut self, wanted: &str) -> Parsed<Terminal> {
        if self.at_word("history") {
            let span: Span = self.bump().span;
            self.eat(Kind::Star);
            return Ok(Terminal::History(span));
        }
        let name = self.art_name(wanted)?;
        if !self.eat(Kind::Dot) {
            return Ok(Terminal::Node(name));
        }
        let point = self.art_name("the name of a point")?;
        Ok(Terminal::Sub(SubPoint { point, state: name }))
    }

    /// `port.event`, `port.*`, or an operation of a class, which is nothing here.
    fn art_trigger(&mut self) -> Parsed<Option<Trigger>> {
        self.properties()?;
        let port = self.art_name("the name of a port")?;
        let mut found = None;
        if self.eat(Kind::OpenParen) {
            while !self.eat(Kind::CloseParen) {
                if !matches!(self.kind(), Kind::Snippet | Kind::Comma | Kind::Word) {
                    return self.unexpected("a type between backticks, `,` or `)`");
                }
                self.bump();
            }
        } else {
            self.expect(Kind::Dot, "`.` and an event")?;
            let event = if self.at(Kind::Star) {
                let span = self.bump().span;
                crate::tree::Name { text: "*".to_owned(), span }
            } else {
                self.art_name("the name of an event, or `*`")?
            };
            found = Some(Trigger { port, event, guard: None });
        }
        self.properties()?;
        if self.eat(Kind::OpenBracket) {
            let guard = self.snippet("a condition")?;
            self.expect(Kind::CloseBracket, "`]`")?;
            if let Some(found) = &mut found {
                found.guard = Some(guard);
            }
        }
        Ok(found)
    }
}
