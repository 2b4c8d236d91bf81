//! The syntax tree of Art texts: capsules, protocols and state machines as they are written, before
//! inheritance.

use cfsm_core::source::Span;

use super::machine::SubPoint;
use super::structure::{self, Binding, DataType, Protocol};
use super::{Name, UserCode};
use crate::fragment::Fragment;

/// An Art file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) capsules: Vec<Capsule>,
    /// Classes with a machine of their own, which is their user code.
    pub(crate) classes: Vec<DataType>,
    /// The code of the file itself.
    pub(crate) code: UserCode,
    /// The whole file.
    pub(crate) span: Span,
}

/// A capsule.
#[derive(Clone, Debug)]
pub(crate) struct Capsule {
    pub(crate) is_abstract: bool,
    pub(crate) name: Name,
    pub(crate) base: Option<Name>,
    /// It inherits from classes in C++ too.
    pub(crate) has_other_bases: bool,
    pub(crate) snippets: Vec<Snippet>,
    pub(crate) ports: Vec<Port>,
    pub(crate) parts: Vec<Part>,
    /// Inherited ports and parts that it does not have.
    pub(crate) excluded: Vec<Name>,
    pub(crate) connectors: Vec<Binding>,
    pub(crate) machine: Option<Graph>,
}

/// Code with the place that it goes to: `[[rt::decl]]` and the like.
#[derive(Clone, Debug)]
pub(crate) struct Snippet {
    pub(crate) place: Name,
    pub(crate) code: Fragment,
}

/// A port.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// The machine sends to it and receives from it.
    pub(crate) behavior: bool,
    /// It can be seen from outside.
    pub(crate) service: bool,
    /// It is told when its wires come and go.
    pub(crate) notify: bool,
    /// It is wired by code while the system runs.
    pub(crate) unwired: bool,
    pub(crate) port: structure::Port,
}

/// A part.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Instances are moved into it from other parts.
    pub(crate) plugin: bool,
    /// The code that makes and destroys its instances.
    pub(crate) snippets: Vec<Snippet>,
    pub(crate) part: structure::Part,
}

/// A state machine, or the inside of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) states: Vec<State>,
    pub(crate) choices: Vec<Name>,
    pub(crate) junctions: Vec<Name>,
    pub(crate) entries: Vec<Name>,
    pub(crate) exits: Vec<Name>,
    pub(crate) transitions: Vec<Transition>,
    /// Inherited states and transitions that are left out.
    pub(crate) excluded: Vec<Name>,
}

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) redefines: bool,
    pub(crate) name: Name,
    pub(crate) entry: Option<Fragment>,
    pub(crate) exit: Option<Fragment>,
    pub(crate) graph: Graph,
}

/// One end of a transition.
#[derive(Clone, Debug)]
pub(crate) enum Terminal {
    /// The initial point.
    Initial(Span),
    /// A state, a choice, a junction or a point of the graph.
    Node(Name),
    /// A point of a state of the graph.
    Sub(SubPoint),
    /// `history*`.
    History(Span),
}

/// A transition.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) redefines: bool,
    pub(crate) name: Option<Name>,
    /// Its source and target; nothing for an internal transition.
    pub(crate) ends: Option<Ends>,
    pub(crate) triggers: Vec<Trigger>,
    pub(crate) guard: Option<Fragment>,
    pub(crate) action: Option<Fragment>,
    pub(crate) span: Span,
}

/// The source and the target of a transition.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    pub(crate) from: Terminal,
    pub(crate) to: Terminal,
}

/// A message that triggers a transition, with a guard of its own.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    pub(crate) port: Name,
    /// The message, or `*` for any.
    pub(crate) event: Name,
    pub(crate) guard: Option<Fragment>,
}
