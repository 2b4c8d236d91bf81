//! State machines of Art to those of ROOM.
//!
//! - A *junction* is a choice point. Its guards are asked before the state is left, where nothing
//!   is known yet of what the code on the way does: each of its ways is taken as possible, and
//!   where none need be, so is that the message is not taken. So are guards behind entry and exit
//!   points.
//! - An *internal transition* begins and ends at a point inside of its state, along which no code
//!   of states runs. A *local transition*, from an entry point with a trigger, begins at another
//!   one.
//! - `history*`, and an exit point from which nothing leads on, is the end of a chain that goes on
//!   where the state around it was.

use super::code;
use crate::tree::Name;
use crate::tree::art::{Graph, Port, State, Terminal, Transition};
use crate::tree::machine::{self as room, Condition, Event, Point, PointKind};

/// The names of points that stand for something else.
const INTERNAL: &str = "internal transitions";
const LOCAL: &str = "local transitions";
const HISTORY: &str = "history*";

/// A whole machine, of a capsule with some ports.
pub(crate) fn machine(graph: &Graph, ports: &[Port]) -> room::Graph {
    let (around, longest) = (None, transitions(graph));
    Level { graph, ports, longest, around }.made()
}

/// A graph with those around it.
#[derive(Clone, Copy)]
struct Level<'g> {
    graph: &'g Graph,
    ports: &'g [Port],
    /// The most transitions that a chain may have.
    longest: usize,
    around: Option<Around<'g>>,
}

/// The graph around another one, with the state between them.
#[derive(Clone, Copy)]
struct Around<'g> {
    level: &'g Level<'g>,
    state: &'g str,
}

impl<'g> Level<'g> {
    fn made(&self) -> room::Graph {
        let graph = self.graph;
        let mut made = room::Graph { choices: graph.choices.clone(), ..room::Graph::default() };
        made.choices.extend(graph.junctions.iter().cloned());
        let point = |kind| move |name: &Name| Point { kind, name: name.clone() };
        made.points.extend(graph.entries.iter().map(point(PointKind::Entry)));
        made.points.extend(graph.exits.iter().map(point(PointKind::Exit)));
        made.states = graph.states.iter().map(|state| self.state(state)).collect();
        for transition in &graph.transitions {
            self.transition(transition, &mut made);
        }
        for junction in &graph.junctions {
            let from = room::Terminal::Choice(junction.clone());
            self.ways(
                &from,
                |end| matches!(end, Terminal::Node(name) if name.text == junction.text),
                &mut made,
            );
        }
        for entry in &graph.entries {
            let is_here = |end: &Terminal| matches!(end, Terminal::Node(name) if name.text == entry.text);
            self.ways(&room::Terminal::Own(entry.clone()), is_here, &mut made);
        }
        for state in &graph.states {
            for exit in &state.graph.exits {
                let is_here = |end: &Terminal| {
                    matches!(end, Terminal::Sub(sub)
                        if sub.state.text == state.name.text && sub.point.text == exit.text)
                };
                let from = room::SubPoint { point: exit.clone(), state: state.name.clone() };
                self.ways(&room::Terminal::Sub(from), is_here, &mut made);
            }
        }
        made
    }

    fn state(&self, state: &State) -> room::State {
        let inside = Level {
            graph: &state.graph,
            ports: self.ports,
            longest: self.longest,
            around: Some(Around { level: self, state: &state.name.text }),
        };
        let graph = inside.made();
        let is_empty = graph.states.is_empty() && graph.points.is_empty() && graph.transitions.is_empty();
        room::State {
            refined: false,
            name: state.name.clone(),
            entry: state.entry.clone(),
            exit: state.exit.clone(),
            do_code: None,
            graph: (!is_empty).then_some(graph),
        }
    }

    /// A transition that begins elsewhere than at a point or a junction.
    fn transition(&self, transition: &Transition, made: &mut room::Graph) {
        let triggers = self.triggers(transition);
        let Some(ends) = &transition.ends else {
            let at = point(made, INTERNAL, transition, true);
            return self.add(
                made,
                transition,
                Made { from: at.clone(), to: at, condition: Condition::Triggers(triggers) },
            );
        };
        let (from, condition) = match &ends.from {
            Terminal::Initial(span) => (room::Terminal::Initial(*span), Condition::None),
            Terminal::Node(name) if is_in(&self.graph.choices, name) => {
                let condition = match &transition.guard {
                    _ if !triggers.is_empty() => Condition::Triggers(triggers),
                    Some(guard) if !code::is_else(guard) => Condition::Branch(code::condition(guard)),
                    _ => Condition::None,
                };
                (room::Terminal::Choice(name.clone()), condition)
            }
            Terminal::Node(name) if is_in(&self.graph.junctions, name) => {
                if transition.triggers.is_empty() {
                    return;
                }
                (room::Terminal::Choice(name.clone()), Condition::Triggers(triggers))
            }
            Terminal::Node(name) if is_in(&self.graph.entries, name) => {
                if transition.triggers.is_empty() {
                    return;
                }
                (point(made, LOCAL, transition, false), Condition::Triggers(triggers))
            }
            Terminal::Node(name) => (room::Terminal::State(name.clone()), Condition::Triggers(triggers)),
            Terminal::Sub(sub) => {
                let known = self.graph.states.iter().find(|state| state.name.text == sub.state.text);
                let is_exit = known.is_some_and(|state| is_in(&state.graph.exits, &sub.point));
                match (is_exit, transition.triggers.is_empty()) {
                    (true, true) => return,
                    // It leaves the state from wherever it is.
                    (true, false) => {
                        (room::Terminal::State(sub.state.clone()), Condition::Triggers(triggers))
                    }
                    (false, _) => (room::Terminal::Sub(sub.clone()), Condition::None),
                }
            }
            Terminal::History(span) => {
                (room::Terminal::Own(Name { text: "history".to_owned(), span: *span }), Condition::None)
            }
        };
        let mut to = self.target(&ends.to, transition, made);
        if matches!(condition, Condition::None | Condition::Branch(_))
            && self.may_fail(&ends.to, self.longest)
        {
            // Nothing is left to go back to if no guard behind it holds: that is told as of a
            // choice point without a branch.
            let name = Name { text: "guards that may all fail".to_owned(), span: transition.span };
            if !is_in(&made.choices, &name) {
                made.choices.push(name.clone());
            }
            to = room::Terminal::Choice(name);
        }
        self.add(made, transition, Made { from, to, condition });
    }

    /// The transitions that lead on from a point or a junction.
    fn ways(&self, from: &room::Terminal, is_here: impl Fn(&Terminal) -> bool, made: &mut room::Graph) {
        let ways = self.leaving(is_here);
        let Some(first) = ways.first() else { return };
        let is_junction = matches!(from, room::Terminal::Choice(_));
        let mut at = from.clone();
        if !is_junction && (ways.len() > 1 || is_guarded(first)) {
            let name = Name { text: format!("ways from {}", name_of(from)), span: first.span };
            made.choices.push(name.clone());
            at = room::Terminal::Choice(name);
            let span = first.span;
            let (from, to, condition) = (from.clone(), at.clone(), Condition::None);
            made.transitions.push(room::Transition { name: None, from, to, condition, action: None, span });
        }
        for way in &ways {
            let Some(ends) = &way.ends else { continue };
            let to = self.target(&ends.to, way, made);
            let condition = match &way.guard {
                Some(guard) if is_guarded(way) => Condition::Early(code::condition(guard)),
                _ => Condition::None,
            };
            self.add(made, way, Made { from: at.clone(), to, condition });
        }
        // Some way is taken once there is one.
        if let (true, Some(last)) = (ways.iter().all(|way| is_guarded(way)), ways.last())
            && let Some(ends) = &last.ends
        {
            let to = self.target(&ends.to, last, made);
            self.add(made, last, Made { from: at, to, condition: Condition::None });
        }
    }

    fn add(&self, made: &mut room::Graph, transition: &Transition, ends: Made) {
        let Made { from, to, condition } = ends;
        let (name, action, span) = (transition.name.clone(), transition.action.clone(), transition.span);
        made.transitions.push(room::Transition { name, from, to, condition, action, span });
    }

    fn target(&self, end: &Terminal, transition: &Transition, made: &mut room::Graph) -> room::Terminal {
        match end {
            Terminal::Initial(span) => room::Terminal::Initial(*span),
            Terminal::Node(name) => {
                if is_in(&self.graph.choices, name) || is_in(&self.graph.junctions, name) {
                    room::Terminal::Choice(name.clone())
                } else if is_in(&self.graph.exits, name) {
                    if self.leads_out(name) {
                        room::Terminal::Own(name.clone())
                    } else {
                        history(made, transition)
                    }
                } else {
                    room::Terminal::State(name.clone())
                }
            }
            Terminal::Sub(sub) => room::Terminal::Sub(sub.clone()),
            Terminal::History(_) => history(made, transition),
        }
    }

    /// The messages that trigger a transition, with all conditions under which they do.
    fn triggers(&self, transition: &Transition) -> Vec<room::Trigger> {
        let guard = transition.guard.as_ref().filter(|guard| !code::is_else(guard));
        let uncertain = transition.ends.as_ref().is_some_and(|ends| self.may_fail(&ends.to, self.longest));
        let trigger = |trigger: &crate::tree::art::Trigger| {
            let event = Event { message: trigger.event.clone(), port: trigger.port.clone() };
            let guards = trigger.guard.iter().chain(guard).map(code::condition).collect();
            room::Trigger { events: vec![event], guards, uncertain }
        };
        // A port that only passes on never gives a message to the machine.
        let passes_on = |trigger: &&crate::tree::art::Trigger| {
            let known = self.ports.iter().find(|port| port.port.name.text == trigger.port.text);
            known.is_some_and(|port| !port.behavior)
        };
        transition.triggers.iter().filter(|found| !passes_on(found)).map(trigger).collect()
    }

    /// True if from an exit point of this graph a transition leads on.
    fn leads_out(&self, exit: &Name) -> bool {
        self.around.is_some_and(|Around { level, state }| !level.leaving_exit(state, &exit.text).is_empty())
    }

    fn leaving_exit(&self, state: &str, exit: &str) -> Vec<&'g Transition> {
        self.leaving(
            |end| matches!(end, Terminal::Sub(sub) if sub.state.text == state && sub.point.text == exit),
        )
    }

    /// The transitions without triggers that begin where it is said.
    fn leaving(&self, is_here: impl Fn(&Terminal) -> bool) -> Vec<&'g Transition> {
        let all = self.graph.transitions.iter();
        all.filter(|transition| transition.triggers.is_empty())
            .filter(|transition| transition.ends.as_ref().is_some_and(|ends| is_here(&ends.from)))
            .collect()
    }

    /// True if there may be no way on from the end of a transition, so that it is not taken.
    fn may_fail(&self, end: &Terminal, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return true };
        let is_here = |name: &Name| {
            let name = name.text.clone();
            move |end: &Terminal| matches!(end, Terminal::Node(other) if other.text == name)
        };
        match end {
            Terminal::Node(name) if is_in(&self.graph.junctions, name) => {
                self.all_may_fail(&self.leaving(is_here(name)), steps)
            }
            Terminal::Node(name) if is_in(&self.graph.exits, name) => {
                let Some(Around { level, state }) = self.around else { return false };
                let ways = level.leaving_exit(state, &name.text);
                !ways.is_empty() && level.all_may_fail(&ways, steps)
            }
            Terminal::Sub(sub) => {
                let known = self.graph.states.iter().find(|state| state.name.text == sub.state.text);
                let Some(known) = known else { return false };
                let around = Some(Around { level: self, state: &known.name.text });
                let inside = Level { graph: &known.graph, around, ..*self };
                let ways = inside.leaving(is_here(&sub.point));
                let ways: Vec<&Transition> = if ways.is_empty() {
                    self.leaving_exit(&sub.state.text, &sub.point.text)
                } else {
                    return inside.all_may_fail(&ways, steps);
                };
                !ways.is_empty() && self.all_may_fail(&ways, steps)
            }
            Terminal::Node(_) | Terminal::Initial(_) | Terminal::History(_) => false,
        }
    }

    fn all_may_fail(&self, ways: &[&Transition], steps: usize) -> bool {
        let fails = |way: &&Transition| {
            is_guarded(way) || way.ends.as_ref().is_none_or(|ends| self.may_fail(&ends.to, steps))
        };
        ways.iter().all(fails)
    }
}

/// The number of transitions of a graph and of those inside, which no chain without a circle
/// exceeds.
fn transitions(graph: &Graph) -> usize {
    graph.transitions.len() + graph.states.iter().map(|state| transitions(&state.graph)).sum::<usize>()
}

/// The source, the target and the condition of a transition that is made.
struct Made {
    from: room::Terminal,
    to: room::Terminal,
    condition: Condition,
}

fn is_guarded(transition: &Transition) -> bool {
    transition.guard.as_ref().is_some_and(|guard| !code::is_else(guard))
}

fn is_in(names: &[Name], name: &Name) -> bool {
    names.iter().any(|known| known.text == name.text)
}

fn name_of(end: &room::Terminal) -> String {
    match end {
        room::Terminal::Initial(_) => String::new(),
        room::Terminal::State(name) | room::Terminal::Own(name) | room::Terminal::Choice(name) => {
            name.text.clone()
        }
        room::Terminal::Sub(sub) => format!("{}.{}", sub.state.text, sub.point.text),
    }
}

/// A point of the graph itself from which transitions of the state around it begin.
fn point(made: &mut room::Graph, name: &str, transition: &Transition, handler: bool) -> room::Terminal {
    let name = Name { text: name.to_owned(), span: transition.span };
    if !made.points.iter().any(|point| point.name.text == name.text) {
        let kind = PointKind::Transition { handler, inside: true };
        made.points.push(Point { kind, name: name.clone() });
    }
    room::Terminal::Own(name)
}

fn history(made: &mut room::Graph, transition: &Transition) -> room::Terminal {
    point(made, HISTORY, transition, false)
}
