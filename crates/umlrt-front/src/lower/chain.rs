//! Chains of transitions: from a stable location through exit codes, actions, choice points, entry
//! and exit points, initial transitions and histories to the next one.

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::Id;
use cfsm_core::program::{LocationId, VariableRef};
use cfsm_core::source::Span;

use super::graph::{assign, is};
use super::history::{Configuration, Relevance};
use super::process::Process;
use super::reaction::{Branch, Start};
use crate::codes;
use crate::model::{Condition, Machine, Node, PointId, PointKind, StateId, TransitionId, Trigger};

/// A condition that may hold or not, and asking it does nothing.
static FREE: Condition = Condition::Free(Vec::new());

/// The situation in the middle of a chain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Passage {
    /// The last active states of all composite states, those just left included.
    history: BTreeMap<StateId, StateId>,
    /// The last active state of the outermost level.
    top: Option<StateId>,
    /// No entry code runs.
    handler: bool,
}

/// A chain that is built.
struct Chain<'m> {
    machine: &'m Machine,
    relevance: &'m Relevance,
    /// The locations of choice points that were reached.
    choices: BTreeMap<ChoiceKey, LocationId>,
}

/// A choice point, reached in a certain situation.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ChoiceKey {
    node: Node,
    passage: Passage,
}

impl Process<'_> {
    /// The initial transition of the machine.
    pub(crate) fn start(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        initial: TransitionId,
        from: LocationId,
    ) {
        let mut chain = Chain { machine, relevance, choices: BTreeMap::new() };
        let passage = Passage { history: BTreeMap::new(), top: None, handler: false };
        self.follow(&mut chain, initial, passage, from);
    }

    /// A transition that is taken in a configuration.
    pub(crate) fn fire(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        configuration: &Configuration,
        transition: TransitionId,
        from: LocationId,
    ) {
        let Some(leaf) = configuration.leaf else { return };
        let head = &machine.transitions[transition];
        let handler = match head.source {
            Node::Point(point) => {
                matches!(machine.points[point].kind, PointKind::Transition { handler: true, .. })
            }
            _ => false,
        };
        let mut passage = Passage { history: configuration.history.clone(), top: None, handler };
        let mut at = from;
        for state in machine.around(leaf) {
            if head.parent == Some(state) {
                break;
            }
            if !handler {
                at = self.run(&machine.states[state].exit, at);
            }
            at = self.remember(machine, state, &mut passage, at);
        }
        let mut chain = Chain { machine, relevance, choices: BTreeMap::new() };
        self.follow(&mut chain, transition, passage, at);
    }

    /// The action of a transition, and what comes behind it.
    fn follow(&mut self, chain: &mut Chain<'_>, id: TransitionId, passage: Passage, from: LocationId) {
        let transition = &chain.machine.transitions[id];
        let at = self.run(&transition.action, from);
        match transition.target {
            Node::State(state) => self.enter(chain, state, false, passage, at),
            Node::Choice(_) => self.decide(chain, transition.target, passage, at),
            Node::Point(point) => self.pass(chain, point, passage, at),
            Node::Initial => {}
        }
    }

    /// A choice point: one of its branches, or the one without a condition if none holds.
    fn decide(&mut self, chain: &mut Chain<'_>, node: Node, passage: Passage, from: LocationId) {
        let span = self.span_of(chain.machine, node);
        let key = ChoiceKey { node, passage: passage.clone() };
        if let Some(&known) = chain.choices.get(&key) {
            return self.graph.skip(from, known, span);
        }
        let here = self.graph.passing(span);
        self.graph.skip(from, here, span);
        chain.choices.insert(key, here);
        let leaving: Vec<TransitionId> = chain.machine.leaving(node).collect();
        let condition = |id: &TransitionId| match &chain.machine.transitions[*id].trigger {
            Trigger::Branch(condition) => condition,
            // The branch without a condition.
            _ => &Condition::True,
        };
        let is_certain = |id: &TransitionId| {
            matches!(chain.machine.transitions[*id].trigger, Trigger::Branch(Condition::True))
        };
        let mut branches: Vec<Branch<'_>> =
            leaving.iter().map(|id| Branch { transition: *id, condition: condition(id) }).collect();
        if leaving.iter().any(is_certain) {
            branches.retain(|branch| is_certain(&branch.transition) || *branch.condition != Condition::True);
            // Whether one that always holds is asked before the others is not told.
            let certain = branches.iter().filter(|branch| *branch.condition == Condition::True);
            let early = certain.map(|branch| Branch { condition: &FREE, ..*branch }).collect::<Vec<_>>();
            branches.extend(early);
        } else if branches.iter().all(|branch| *branch.condition != Condition::True) {
            let message = "this choice point has no branch without a condition";
            let hint = "the branch that is taken if no condition holds is missing";
            self.report(Diagnostic::error(codes::NO_WAY_ON, span, message).with_hint(hint));
        }
        let mut end = here;
        for Start { transition, at } in self.ask(chain.machine, &branches, &mut end) {
            self.follow(chain, transition, passage.clone(), at);
        }
    }

    /// A point on the border of a state.
    fn pass(&mut self, chain: &mut Chain<'_>, point: PointId, passage: Passage, from: LocationId) {
        let known = &chain.machine.points[point];
        let on = chain.machine.leaving(Node::Point(point)).next();
        match known.kind {
            // The end of a chain: the state around it goes on where it was.
            PointKind::Transition { .. } => match known.parent {
                Some(state) => self.enter(chain, state, true, passage, from),
                None => {
                    // Behind an exit point generated code remembers an older state, whichever it
                    // is.
                    let tops = chain.machine.states.iter().filter(|(_, state)| state.parent.is_none());
                    let tops: Vec<StateId> = tops.map(|(id, _)| id).collect();
                    for state in passage.top.map_or(tops, |top| vec![top]) {
                        self.enter(chain, state, false, passage.clone(), from);
                    }
                }
            },
            PointKind::Entry => {
                let Some(state) = known.parent else {
                    return self.no_way_on(known.span, "it leads into no state");
                };
                let at = self.run(&chain.machine.states[state].entry, from);
                match on {
                    Some(on) => self.follow(chain, on, passage, at),
                    None => self.enter(chain, state, true, passage, at),
                }
            }
            PointKind::Exit => {
                let Some((state, on)) = known.parent.zip(on) else {
                    return self.no_way_on(known.span, "no transition leads on from it");
                };
                let at = self.run(&chain.machine.states[state].exit, from);
                // ROOM remembers the state that is left here, generated code does not.
                let mut set = passage.clone();
                let remembered = self.remember(chain.machine, state, &mut set, at);
                if set != passage || remembered != at {
                    self.follow(chain, on, set, remembered);
                }
                self.follow(chain, on, passage, at);
            }
        }
    }

    /// Enters a state: its entry code, then, inside, the last active state or the initial
    /// transition.
    fn enter(
        &mut self,
        chain: &mut Chain<'_>,
        state: StateId,
        entered: bool,
        passage: Passage,
        from: LocationId,
    ) {
        let known = &chain.machine.states[state];
        let at = if entered || passage.handler { from } else { self.run(&known.entry, from) };
        if !known.composite {
            let configuration = chain.relevance.stable(chain.machine, state, &passage.history);
            let stable = self.stable_at(chain.machine, configuration);
            return self.rest(at, stable, known.span);
        }
        if let Some(&variable) = self.histories.get(&state) {
            return self.enter_last(chain, state, variable, passage, at);
        }
        if let Some(&last) = passage.history.get(&state) {
            return self.enter(chain, last, false, passage, at);
        }
        self.enter_first(chain, state, passage, at);
    }

    /// Enters a composite state for the first time.
    fn enter_first(&mut self, chain: &mut Chain<'_>, state: StateId, passage: Passage, from: LocationId) {
        let known = &chain.machine.states[state];
        match known.initial {
            Some(initial) => self.follow(chain, initial, passage, from),
            None => {
                let message =
                    format!("`{}` is entered and has no initial transition", chain.machine.path(state));
                let hint = "begin its subgraph with `Transition init: initial -> ...`";
                self.report(Diagnostic::error(codes::NO_INITIAL, known.span, message).with_hint(hint));
            }
        }
    }

    /// Enters the state inside a composite one that a variable tells, or the first one.
    fn enter_last(
        &mut self,
        chain: &mut Chain<'_>,
        state: StateId,
        variable: VariableRef,
        passage: Passage,
        from: LocationId,
    ) {
        let span = chain.machine.states[state].span;
        let first = self.graph.then(from, is(variable, 0), span);
        self.enter_first(chain, state, passage.clone(), first);
        let inside = chain.machine.states.iter().filter(|(_, inner)| inner.parent == Some(state));
        for (inner, _) in inside {
            let here = self.graph.then(from, is(variable, numbered(inner)), span);
            self.enter(chain, inner, false, passage.clone(), here);
        }
    }

    /// Sets the history of the state around one that is left.
    fn remember(
        &mut self,
        machine: &Machine,
        state: StateId,
        passage: &mut Passage,
        at: LocationId,
    ) -> LocationId {
        let Some(parent) = machine.states[state].parent else {
            passage.top = Some(state);
            return at;
        };
        if let Some(&variable) = self.histories.get(&parent) {
            return self.graph.then(at, assign(variable, numbered(state)), machine.states[state].span);
        }
        passage.history.insert(parent, state);
        at
    }

    fn no_way_on(&mut self, span: Span, reason: &str) {
        let message = format!("the chain of transitions ends at this point: {reason}");
        self.report(Diagnostic::error(codes::NO_WAY_ON, span, message));
    }

    fn span_of(&self, machine: &Machine, node: Node) -> Span {
        match node {
            Node::State(state) => machine.states[state].span,
            Node::Choice(choice) => machine.choices[choice].span,
            Node::Point(point) => machine.points[point].span,
            Node::Initial => self.class().span,
        }
    }
}

/// The number of a state in a history.
fn numbered(state: StateId) -> i64 {
    i64::try_from(state.index()).unwrap_or(i64::MAX - 1) + 1
}
