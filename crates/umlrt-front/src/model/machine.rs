//! Hierarchical state machines.

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::source::Span;

use super::{Block, MessageId, PortId, Value};

define_id!(
    /// A state of a machine.
    StateId, "state"
);
define_id!(
    /// A choice point of a machine.
    ChoiceId, "choice"
);
define_id!(
    /// A point on the border of a state, or of the whole machine.
    PointId, "point"
);
define_id!(
    /// A transition of a machine.
    TransitionId, "transition"
);

/// A hierarchical state machine, with all that it inherits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The states, containers before what they contain.
    pub states: IdMap<StateId, State>,
    /// The choice points.
    pub choices: IdMap<ChoiceId, ChoicePoint>,
    /// The entry points, exit points and transition points.
    pub points: IdMap<PointId, Point>,
    /// The transitions.
    pub transitions: IdMap<TransitionId, Transition>,
    /// The initial transition of the whole machine.
    pub initial: Option<TransitionId>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// The composite state that it lies in.
    pub parent: Option<StateId>,
    /// True if it has states inside.
    pub composite: bool,
    /// The initial transition inside.
    pub initial: Option<TransitionId>,
    /// The code that runs whenever it is entered.
    pub entry: Block,
    /// The code that runs whenever it is left.
    pub exit: Block,
    /// The code that runs again and again while it is active, in a machine that polls.
    pub activity: Block,
    /// The place of its declaration.
    pub span: Span,
}

/// A choice point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoicePoint {
    /// Its name.
    pub name: String,
    /// The composite state that it lies in.
    pub parent: Option<StateId>,
    /// The place of its declaration.
    pub span: Span,
}

/// A point on the border of a state graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The composite state on whose border it lies.
    pub parent: Option<StateId>,
    /// Its purpose.
    pub kind: PointKind,
    /// The place of its declaration.
    pub span: Span,
}

/// The purpose of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A way into the state, to a certain place.
    Entry,
    /// A way out of the state.
    Exit,
    /// The source of transitions that leave any state inside.
    Transition {
        /// No entry code and no exit code runs along them.
        handler: bool,
        /// They are transitions of the state on whose border it lies, which they do not leave.
        inside: bool,
    },
}

/// One end of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// The initial point of the graph.
    Initial,
    /// A state.
    State(StateId),
    /// A choice point.
    Choice(ChoiceId),
    /// A point.
    Point(PointId),
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its name, if it has one.
    pub name: String,
    /// The composite state in whose graph it is drawn.
    pub parent: Option<StateId>,
    /// Its source.
    pub source: Node,
    /// Its target.
    pub target: Node,
    /// The condition under which it is taken.
    pub trigger: Trigger,
    /// The code that runs.
    pub action: Block,
    /// The place of its declaration.
    pub span: Span,
}

/// The condition under which a transition is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// As soon as its source is reached.
    None,
    /// One of these messages is received.
    Messages(Vec<Event>),
    /// At any time at which a condition holds.
    Poll(Condition),
    /// Its source, a choice point, is reached and a condition holds.
    Branch(Condition),
}

/// A message that is received at a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The port.
    pub port: PortId,
    /// The message.
    pub message: MessageId,
    /// The guard.
    pub guard: Condition,
}

/// A condition in action code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It holds if the value is not 0.
    When(Value),
    /// It may hold or not; messages that its code may send come first.
    Free(Block),
}

impl Condition {
    /// The condition that both hold, as far as it can be said.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, condition) | (condition, Self::True) => condition,
            (Self::When(one), Self::When(other)) => Self::When(Value::and(one, other)),
            (one, other) => {
                let asked = |condition| if let Self::Free(asked) = condition { asked } else { Vec::new() };
                let (one, other) = (asked(one), asked(other));
                Self::Free(if one.is_empty() {
                    other
                } else {
                    vec![super::Step::Call(one), super::Step::Call(other)]
                })
            }
        }
    }
}

impl Machine {
    /// All code of the machine, that of conditions included.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let states = self.states.values().flat_map(|state| [&state.entry, &state.exit, &state.activity]);
        let actions = self.transitions.values().map(|transition| &transition.action);
        let asked = self.conditions().filter_map(|condition| match condition {
            Condition::Free(block) => Some(block),
            Condition::True | Condition::False | Condition::When(_) => None,
        });
        states.chain(actions).chain(asked)
    }

    /// All conditions of the machine.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.transitions.values().flat_map(|transition| match &transition.trigger {
            Trigger::None => Vec::new(),
            Trigger::Messages(events) => events.iter().map(|event| &event.guard).collect(),
            Trigger::Poll(condition) | Trigger::Branch(condition) => vec![condition],
        })
    }

    /// The transitions that begin at a node, in their order.
    pub fn leaving(&self, node: Node) -> impl Iterator<Item = TransitionId> + '_ {
        let all = self.transitions.iter();
        all.filter(move |(_, transition)| transition.source == node).map(|(id, _)| id)
    }

    /// The state itself and those around it, from the inside to the outside.
    pub fn around(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        std::iter::successors(Some(state), |&state| self.states[state].parent)
    }

    /// The names of a state and of those around it, with dots between them.
    #[must_use]
    pub fn path(&self, state: StateId) -> String {
        let mut names: Vec<&str> = self.around(state).map(|at| self.states[at].name.as_str()).collect();
        names.reverse();
        names.join(".")
    }

    /// The name of a transition, or its number.
    #[must_use]
    pub fn called(&self, id: TransitionId) -> String {
        let transition = &self.transitions[id];
        if transition.name.is_empty() { format!("#{}", id.index()) } else { transition.name.clone() }
    }
}
