//! State machines.

use cfsm_core::source::Span;

use super::Name;
use crate::fragment::Fragment;

/// A state graph: the content of a machine, or of a composite state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) states: Vec<State>,
    pub(crate) points: Vec<Point>,
    pub(crate) choices: Vec<Name>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) refined: Vec<RefinedTransition>,
}

/// A state, or the refinement of an inherited one.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Refinement of an inherited state, whose name may be a path.
    pub(crate) refined: bool,
    pub(crate) name: Name,
    pub(crate) entry: Option<Fragment>,
    pub(crate) exit: Option<Fragment>,
    pub(crate) do_code: Option<Fragment>,
    pub(crate) graph: Option<Graph>,
}

/// The kind of a point on the border of a state graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    /// Transitions from it leave any state of the graph.
    Transition {
        /// No entry and exit code runs.
        handler: bool,
        /// They are transitions of the state around the graph, and do not leave it.
        inside: bool,
    },
    Entry,
    Exit,
}

/// A point on the border of a state graph.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) kind: PointKind,
    pub(crate) name: Name,
}

/// One end of a transition.
#[derive(Clone, Debug)]
pub(crate) enum Terminal {
    /// The initial point.
    Initial(Span),
    State(Name),
    /// `my point`: a point of the graph itself.
    Own(Name),
    /// `point of state`.
    Sub(SubPoint),
    /// `cp name`.
    Choice(Name),
}

/// A point of a state of the graph.
#[derive(Clone, Debug)]
pub(crate) struct SubPoint {
    pub(crate) point: Name,
    pub(crate) state: Name,
}

/// The condition under which a transition is taken.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// As soon as its source is reached.
    None,
    /// A message arrives.
    Triggers(Vec<Trigger>),
    /// The code says so, in a machine that polls.
    Guard(Fragment),
    /// The code says so, at a choice point.
    Branch(Fragment),
    /// The code said so when the chain of transitions began that led to the choice point.
    Early(Fragment),
}

/// Messages that trigger a transition, and the guard that must hold then.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    pub(crate) events: Vec<Event>,
    /// Conditions all of which must hold.
    pub(crate) guards: Vec<Fragment>,
    /// There is a further condition of which nothing is known.
    pub(crate) uncertain: bool,
}

/// A message that arrives at a port.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) message: Name,
    pub(crate) port: Name,
}

/// A transition.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) name: Option<Name>,
    pub(crate) from: Terminal,
    pub(crate) to: Terminal,
    pub(crate) condition: Condition,
    pub(crate) action: Option<Fragment>,
    pub(crate) span: Span,
}

/// The action code that an inherited transition gets in a derived class.
#[derive(Clone, Debug)]
pub(crate) struct RefinedTransition {
    pub(crate) target: Name,
    pub(crate) action: Fragment,
}

/// A rule of a protocol's `semantics`: a message, and those that may follow.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) incoming: bool,
    pub(crate) message: Name,
    pub(crate) then: Vec<Rule>,
}
