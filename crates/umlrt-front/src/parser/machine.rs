//! State machines.

use super::{Parsed, Parser};
use crate::codes;
use crate::fragment::Fragment;
use crate::lexer::Kind;
use crate::tree::machine::{
    Condition, Event, Graph, Point, PointKind, RefinedTransition, State, SubPoint, Terminal, Transition,
    Trigger,
};
use cfsm_core::diagnostic::Diagnostic;

impl Parser<'_> {
    /// A state graph with its braces.
    pub(crate) fn graph(&mut self) -> Parsed<Graph> {
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut graph = Graph::default();
        self.items("a state, a point, a transition", begins_node, |parser| parser.node(&mut graph))?;
        Ok(graph)
    }

    fn node(&mut self, graph: &mut Graph) -> Parsed<()> {
        match self.word() {
            Some("State" | "RefinedState") => {
                let state = self.nested(Self::state)?;
                graph.states.push(state);
            }
            Some("handler" | "TransitionPoint" | "EntryPoint" | "ExitPoint") => {
                graph.points.push(self.point()?);
            }
            Some("ChoicePoint") => {
                self.bump();
                graph.choices.push(self.name("the name of the choice point")?);
                self.documentation()?;
            }
            Some("Transition") => graph.transitions.push(self.transition()?),
            Some("RefinedTransition") => graph.refined.push(self.refined_transition()?),
            _ => return self.unexpected("a state, a point, a transition or `}`"),
        }
        Ok(())
    }

    fn point(&mut self) -> Parsed<Point> {
        let handler = self.eat_word("handler");
        let kind = match self.word() {
            Some("TransitionPoint") => PointKind::Transition { handler, inside: false },
            Some("EntryPoint") if !handler => PointKind::Entry,
            Some("ExitPoint") if !handler => PointKind::Exit,
            _ => return self.unexpected("`TransitionPoint`"),
        };
        self.bump();
        Ok(Point { kind, name: self.name("the name of the point")? })
    }

    fn state(&mut self) -> Parsed<State> {
        let refined = self.at_word("RefinedState");
        self.bump();
        let name =
            if refined { self.path("the name of a state")? } else { self.name("the name of the state")? };
        self.documentation()?;
        let mut state = State { refined, name, entry: None, exit: None, do_code: None, graph: None };
        if !self.eat(Kind::OpenBrace) {
            return Ok(state);
        }
        let begins = |word: &str| matches!(word, "entry" | "exit" | "do" | "subgraph");
        self.items("`entry`, `exit`, `do`, `subgraph`", begins, |parser| {
            match parser.word() {
                Some("entry") => state.entry = Some(parser.code_behind_keyword()?),
                Some("exit") => state.exit = Some(parser.code_behind_keyword()?),
                Some("do") => state.do_code = Some(parser.code_behind_keyword()?),
                Some("subgraph") => {
                    parser.bump();
                    state.graph = Some(parser.nested(Self::graph)?);
                }
                _ => return parser.unexpected("`entry`, `exit`, `do`, `subgraph` or `}`"),
            }
            Ok(())
        })?;
        Ok(state)
    }

    fn code_behind_keyword(&mut self) -> Parsed<Fragment> {
        self.bump();
        self.code()
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.bump().span;
        let name = if self.at(Kind::Colon) { None } else { Some(self.name("a name or `:`")?) };
        self.expect(Kind::Colon, "`:` and the source")?;
        let from = if self.at_word("initial") {
            Terminal::Initial(self.bump().span)
        } else {
            self.terminal("the source: a state, `my point`, `point of state`, `cp choice` or `initial`")?
        };
        self.expect(Kind::Arrow, "`->` and the target")?;
        let to = self.terminal("the target: a state, `my point`, `point of state` or `cp choice`")?;
        let span = self.since(start);
        self.documentation()?;
        let mut transition = Transition { name, from, to, condition: Condition::None, action: None, span };
        if self.eat(Kind::OpenBrace) {
            let begins = |word: &str| matches!(word, "triggers" | "guard" | "cond" | "action");
            self.items("`triggers`, `guard`, `cond`, `action`", begins, |parser| {
                parser.part_of_transition(&mut transition)
            })?;
        }
        Ok(transition)
    }

    fn part_of_transition(&mut self, transition: &mut Transition) -> Parsed<()> {
        let place = self.here();
        let condition = match self.word() {
            Some("triggers") => Condition::Triggers(self.triggers()?),
            Some("guard") => Condition::Guard(self.code_behind_keyword()?),
            Some("cond") => Condition::Branch(self.code_behind_keyword()?),
            Some("action") => {
                transition.action = Some(self.code_behind_keyword()?);
                return Ok(());
            }
            _ => return self.unexpected("`triggers`, `guard`, `cond`, `action` or `}`"),
        };
        let initial = matches!(transition.from, Terminal::Initial(_));
        if initial || !matches!(transition.condition, Condition::None) {
            let message = if initial {
                "the initial transition waits for nothing"
            } else {
                "a transition has one of `triggers`, `guard` and `cond`"
            };
            self.diagnostics.push(Diagnostic::error(codes::MISPLACED_CONDITION, place, message));
            return Ok(());
        }
        transition.condition = condition;
        Ok(())
    }

    fn terminal(&mut self, wanted: &str) -> Parsed<Terminal> {
        if self.ahead(1) == Kind::Word {
            if self.at_word("my") {
                self.bump();
                return Ok(Terminal::Own(self.name("the name of a point")?));
            }
            if self.at_word("cp") {
                self.bump();
                return Ok(Terminal::Choice(self.name("the name of a choice point")?));
            }
        }
        let name = self.name(wanted)?;
        if self.at_word("of") {
            self.bump();
            let state = self.name("the name of a state")?;
            return Ok(Terminal::Sub(SubPoint { point: name, state }));
        }
        Ok(Terminal::State(name))
    }

    fn triggers(&mut self) -> Parsed<Vec<Trigger>> {
        self.bump();
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut triggers = Vec::new();
        loop {
            triggers.push(self.trigger()?);
            if !self.eat_word("or") {
                break;
            }
        }
        self.expect(Kind::CloseBrace, "`or` or `}`")?;
        Ok(triggers)
    }

    /// `<message: port | message: port guard code>`.
    fn trigger(&mut self) -> Parsed<Trigger> {
        self.expect(Kind::Less, "`<` and a message")?;
        let mut events = Vec::new();
        loop {
            let message = self.name("the name of a message")?;
            self.expect(Kind::Colon, "`:` and a port")?;
            events.push(Event { message, port: self.name("the name of a port")? });
            if !self.eat(Kind::Bar) {
                break;
            }
        }
        let guards = if self.eat_word("guard") { vec![self.code()?] } else { Vec::new() };
        self.expect(Kind::Greater, "`|`, `guard` or `>`")?;
        Ok(Trigger { events, guards, uncertain: false })
    }

    fn refined_transition(&mut self) -> Parsed<RefinedTransition> {
        self.bump();
        let target = self.path("the name of a transition")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.expect_word("action")?;
        let action = self.code()?;
        self.expect(Kind::CloseBrace, "`}`")?;
        Ok(RefinedTransition { target, action })
    }
}

fn begins_node(word: &str) -> bool {
    matches!(
        word,
        "State"
            | "RefinedState"
            | "handler"
            | "TransitionPoint"
            | "EntryPoint"
            | "ExitPoint"
            | "ChoicePoint"
            | "Transition"
            | "RefinedTransition"
    )
}
