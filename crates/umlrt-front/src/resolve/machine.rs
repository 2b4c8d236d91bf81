//! State graphs of a class and those it inherits from to one machine.

use cfsm_core::diagnostic::Diagnostic;

use super::Resolver;
use super::shape::Scoped;
use crate::action::{self, Scope};
use crate::codes;
use crate::fragment::Fragment;
use crate::model::{
    BOUND, Block, ChoicePoint, Class, Condition, Event, Machine, Message, Node, Point, PointKind, State,
    StateId, Step, Transition, TransitionId, Trigger, UNBOUND,
};
use crate::tree::Name;
use crate::tree::machine::{self as tree, Graph, Terminal};
use cfsm_core::suggest::closest;

impl<'t> Resolver<'t> {
    /// The machine of a class; nothing if neither it nor a class above has one.
    pub(crate) fn machine(
        &self,
        chain: &[Scoped<'t>],
        class: &Class,
        scope: &Scope<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Machine> {
        let graphs: Vec<&'t Graph> =
            Scoped::own(chain).iter().filter_map(|class| class.actor.machine.as_ref()).collect();
        if graphs.is_empty() {
            return None;
        }
        let protocols = &self.protocols.all;
        let mut builder =
            Builder { machine: Machine::default(), class, protocols, scope, diagnostics, missing: 0 };
        for graph in graphs {
            builder.nodes(graph, None);
            builder.links(graph, None);
        }
        Some(builder.machine)
    }
}

struct Builder<'b> {
    machine: Machine,
    class: &'b Class,
    protocols: &'b cfsm_core::ids::IdMap<crate::model::ProtocolId, crate::model::Protocol>,
    scope: &'b Scope<'b>,
    diagnostics: &'b mut Vec<Diagnostic>,
    /// The number of names that denoted nothing.
    missing: usize,
}

impl Builder<'_> {
    /// Declares the states and points of a graph, and of those inside.
    fn nodes(&mut self, graph: &Graph, parent: Option<StateId>) {
        for name in &graph.choices {
            let span = name.span;
            let taken = self.choice(parent, &name.text).is_some();
            self.once(taken, "choice point", name);
            self.machine.choices.push(ChoicePoint { name: name.text.clone(), parent, span });
        }
        for point in &graph.points {
            let kind = match point.kind {
                tree::PointKind::Entry => PointKind::Entry,
                tree::PointKind::Exit => PointKind::Exit,
                tree::PointKind::Transition { handler, inside } => PointKind::Transition { handler, inside },
            };
            let (name, span) = (point.name.text.clone(), point.name.span);
            let taken = self.point(parent, &name).is_some();
            self.once(taken, "point", &point.name);
            self.machine.points.push(Point { name, parent, kind, span });
        }
        for state in &graph.states {
            self.state_of(state, parent);
        }
    }

    fn once(&mut self, taken: bool, kind: &str, name: &Name) {
        if taken {
            let message = format!("there is a {kind} `{}` already", name.text);
            self.diagnostics.push(Diagnostic::error(codes::REDECLARED, name.span, message));
        }
    }

    fn state_of(&mut self, state: &tree::State, parent: Option<StateId>) {
        let entry = self.code(state.entry.as_ref());
        let exit = self.code(state.exit.as_ref());
        let activity = self.code(state.do_code.as_ref());
        let id = if state.refined {
            let found =
                self.state_at(parent, &state.name.text).or_else(|| self.state_at(None, &state.name.text));
            let Some(id) = found else { return self.unknown("state", &state.name, parent) };
            let known = &mut self.machine.states[id];
            refine(&mut known.entry, entry, state.entry.is_some());
            refine_exit(&mut known.exit, exit, state.exit.is_some());
            refine(&mut known.activity, activity, state.do_code.is_some());
            for code in [&mut known.entry, &mut known.exit, &mut known.activity] {
                self.scope.limit(code);
            }
            id
        } else {
            let taken = self.state(parent, &state.name.text).is_some();
            self.once(taken, "state", &state.name);
            let (name, span) = (state.name.text.clone(), state.name.span);
            let (composite, initial) = (false, None);
            if let Some(parent) = parent {
                self.machine.states[parent].composite = true;
            }
            self.machine.states.push(State { name, parent, composite, initial, entry, exit, activity, span })
        };
        if let Some(graph) = &state.graph {
            self.nodes(graph, Some(id));
        }
    }

    /// Declares the transitions of a graph, and of those inside.
    fn links(&mut self, graph: &Graph, parent: Option<StateId>) {
        for transition in &graph.transitions {
            self.transition(transition, parent);
        }
        for refined in &graph.refined {
            let Some(id) = self.transition_at(parent, &refined.target.text) else {
                self.unknown("transition", &refined.target, parent);
                continue;
            };
            let action = self.code(Some(&refined.action));
            let known = &mut self.machine.transitions[id].action;
            refine(known, action, true);
            self.scope.limit(known);
        }
        for state in &graph.states {
            let Some(inner) = &state.graph else { continue };
            let name = &state.name.text;
            let id = if state.refined {
                self.state_at(parent, name).or_else(|| self.state_at(None, name))
            } else {
                self.state(parent, name)
            };
            if let Some(id) = id {
                self.links(inner, Some(id));
            }
        }
    }

    fn transition(&mut self, transition: &tree::Transition, parent: Option<StateId>) {
        let source = self.terminal(&transition.from, parent);
        let target = self.terminal(&transition.to, parent);
        let trigger = self.trigger(&transition.condition);
        let action = self.code(transition.action.as_ref());
        let (Some(source), Some(target)) = (source, target) else { return };
        let name = transition.name.as_ref().map(|name| name.text.clone()).unwrap_or_default();
        let span = transition.span;
        let made = Transition { name, parent, source, target, trigger, action, span };
        let waits = matches!(made.trigger, Trigger::Messages(_) | Trigger::Poll(_));
        let may_wait = self.may_wait(source);
        if waits != may_wait {
            let message = if waits {
                "a transition from here waits for nothing"
            } else {
                "a transition from here waits for a message"
            };
            let hint = if waits { "leave out its triggers" } else { "give it `triggers`" };
            let found = Diagnostic::error(codes::MISPLACED_CONDITION, span, message).with_hint(hint);
            self.diagnostics.push(found);
            return;
        }
        let id = self.machine.transitions.push(made);
        if source == Node::Initial {
            let initial = match parent {
                Some(state) => &mut self.machine.states[state].initial,
                None => &mut self.machine.initial,
            };
            if initial.replace(id).is_some() {
                let message = "there is an initial transition already";
                self.diagnostics.push(Diagnostic::error(codes::REDECLARED, span, message));
            }
        }
    }

    /// True if transitions from a node wait for something.
    fn may_wait(&self, node: Node) -> bool {
        match node {
            Node::State(_) => true,
            Node::Point(point) => matches!(self.machine.points[point].kind, PointKind::Transition { .. }),
            Node::Initial | Node::Choice(_) => false,
        }
    }

    fn terminal(&mut self, terminal: &Terminal, parent: Option<StateId>) -> Option<Node> {
        match terminal {
            Terminal::Initial(_) => Some(Node::Initial),
            Terminal::State(name) => {
                self.found(self.state(parent, &name.text), "state", name, parent).map(Node::State)
            }
            Terminal::Own(name) => {
                self.found(self.point(parent, &name.text), "point", name, parent).map(Node::Point)
            }
            Terminal::Choice(name) => {
                self.found(self.choice(parent, &name.text), "choice point", name, parent).map(Node::Choice)
            }
            Terminal::Sub(sub) => {
                let state = self.state(parent, &sub.state.text);
                let state = self.found(state, "state", &sub.state, parent)?;
                let point = self.point(Some(state), &sub.point.text);
                self.found(point, "point", &sub.point, Some(state)).map(Node::Point)
            }
        }
    }

    fn found<I>(&mut self, found: Option<I>, kind: &str, name: &Name, parent: Option<StateId>) -> Option<I> {
        if found.is_none() {
            self.unknown(kind, name, parent);
        }
        found
    }

    fn unknown(&mut self, kind: &str, name: &Name, parent: Option<StateId>) {
        self.missing += 1;
        let place = match parent {
            Some(state) => format!("`{}`", self.machine.path(state)),
            None => format!("the machine of `{}`", self.class.name),
        };
        let known: Vec<&str> = match kind {
            "point" => self.machine.points.values().map(|point| point.name.as_str()).collect(),
            "choice point" => self.machine.choices.values().map(|choice| choice.name.as_str()).collect(),
            "transition" => self.machine.transitions.values().map(|t| t.name.as_str()).collect(),
            _ => self.machine.states.values().map(|state| state.name.as_str()).collect(),
        };
        let hint = closest(&name.text, known).map(|near| format!("did you mean `{near}`?"));
        let message = format!("{place} has no {kind} `{}`", name.text);
        self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_NODE, name.span, message).with_hint_if(hint));
    }

    fn state(&self, parent: Option<StateId>, name: &str) -> Option<StateId> {
        let mut all = self.machine.states.iter();
        all.find(|(_, state)| state.parent == parent && state.name == name).map(|(id, _)| id)
    }

    /// The state at the end of a path that begins in a graph.
    fn state_at(&self, parent: Option<StateId>, path: &str) -> Option<StateId> {
        path.split('.').try_fold(parent, |at, name| self.state(at, name).map(Some)).flatten()
    }

    fn transition_at(&self, parent: Option<StateId>, path: &str) -> Option<TransitionId> {
        let (state, name) = match path.rsplit_once('.') {
            Some((states, name)) => (Some(self.state_at(parent, states)?), name),
            None => (parent, path),
        };
        let mut all = self.machine.transitions.iter();
        all.find(|(_, transition)| transition.parent == state && transition.name == name).map(|(id, _)| id)
    }

    fn point(&self, parent: Option<StateId>, name: &str) -> Option<crate::model::PointId> {
        let mut all = self.machine.points.iter();
        all.find(|(_, point)| point.parent == parent && point.name == name).map(|(id, _)| id)
    }

    fn choice(&self, parent: Option<StateId>, name: &str) -> Option<crate::model::ChoiceId> {
        let mut all = self.machine.choices.iter();
        all.find(|(_, choice)| choice.parent == parent && choice.name == name).map(|(id, _)| id)
    }

    fn trigger(&mut self, condition: &tree::Condition) -> Trigger {
        match condition {
            tree::Condition::None => Trigger::None,
            tree::Condition::Guard(code) => Trigger::Poll(self.condition(code)),
            tree::Condition::Branch(code) => Trigger::Branch(self.condition(code)),
            tree::Condition::Early(code) => Trigger::Branch(match self.condition(code) {
                Condition::Free(asked) => {
                    self.scope.escape([asked]);
                    Condition::Free(Vec::new())
                }
                _ => Condition::Free(Vec::new()),
            }),
            tree::Condition::Triggers(triggers) => {
                let mut events = Vec::new();
                for trigger in triggers {
                    let asked = trigger.guards.iter().map(|code| match self.condition(code) {
                        // One that always holds may be asked before others or behind them.
                        Condition::True => Condition::Free(Vec::new()),
                        guard => guard,
                    });
                    let unknown = trigger.uncertain.then(|| Condition::Free(Vec::new()));
                    let guard = asked.chain(unknown).reduce(Condition::and).unwrap_or(Condition::True);
                    for event in &trigger.events {
                        events.extend(self.events(event, &guard));
                    }
                }
                Trigger::Messages(events)
            }
        }
    }

    /// The messages of a port that an event stands for: one, or with `*` all.
    fn events(&mut self, event: &tree::Event, guard: &Condition) -> Vec<Event> {
        let class = self.class;
        let Some(port) = class.port(&event.port.text) else {
            let near = closest(&event.port.text, class.ports.values().map(|port| port.name.as_str()));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("the machine of `{}` has no port `{}`", class.name, event.port.text);
            let found = Diagnostic::error(codes::UNKNOWN_PORT, event.port.span, message);
            self.diagnostics.push(found.with_hint_if(hint));
            return Vec::new();
        };
        let own = &class.ports[port];
        let protocol = &self.protocols[own.protocol];
        if event.message.text == "*" {
            let is_meant = |message: &Message| {
                message.incoming != own.conjugated
                    && (own.notified || ![BOUND, UNBOUND].contains(&message.name.as_str()))
            };
            let all = protocol.messages.iter().filter(|(_, message)| is_meant(message));
            return all.map(|(message, _)| Event { port, message, guard: guard.clone() }).collect();
        }
        let Some(message) = protocol.message(&event.message.text, !own.conjugated) else {
            let received = protocol.messages.values().filter(|message| message.incoming != own.conjugated);
            let near = closest(&event.message.text, received.map(|message| message.name.as_str()));
            let hint = if protocol.message(&event.message.text, own.conjugated).is_some() {
                Some("it sends this message; a conjugated port would receive it".to_owned())
            } else {
                near.map(|near| format!("did you mean `{near}`?"))
            };
            let message = format!("`{}` receives no message `{}`", own.name, event.message.text);
            let found = Diagnostic::error(codes::UNKNOWN_MESSAGE, event.message.span, message);
            self.diagnostics.push(found.with_hint_if(hint));
            return Vec::new();
        };
        vec![Event { port, message, guard: guard.clone() }]
    }

    fn condition(&mut self, code: &Fragment) -> Condition {
        action::condition(code, self.scope, self.diagnostics)
    }

    fn code(&mut self, code: Option<&Fragment>) -> Block {
        code.map(|code| action::block(code, self.scope, self.diagnostics)).unwrap_or_default()
    }
}

/// Adds the code of a derived class to that of its base. Whether the latter still runs depends on
/// the generator, so both are possible; and where it is copied, its `return` ends all.
fn refine(base: &mut Block, derived: Block, present: bool) {
    if !present {
        return;
    }
    if base.is_empty() {
        *base = derived;
    } else if derived.is_empty() {
        *base = vec![Step::Choice(vec![Vec::new(), std::mem::take(base)])];
    } else {
        let own = std::mem::take(base);
        let mut all = vec![in_order(&own, &derived)];
        all.extend(returns(&own).then(|| vec![Step::Call(own)]));
        all.push(vec![Step::Call(derived)]);
        *base = vec![Step::Choice(all)];
    }
}

/// The same for exit code: that of the derived class may run first.
fn refine_exit(base: &mut Block, derived: Block, present: bool) {
    let (own, other) = (base.clone(), derived.clone());
    refine(base, derived, present);
    if let [Step::Choice(all)] = base.as_mut_slice()
        && present
        && !own.is_empty()
        && !other.is_empty()
    {
        all.push(in_order(&other, &own));
    }
}

fn in_order(first: &Block, second: &Block) -> Block {
    vec![Step::Call(first.clone()), Step::Call(second.clone())]
}

/// True if code may end before its last statement.
fn returns(code: &Block) -> bool {
    code.iter().any(|step| step.any(&mut |step| *step == Step::Return))
}
