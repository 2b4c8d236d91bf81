//! The control-flow graph of one process, as it grows.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Binary, Edge, EdgeId, Expression, Hold, Location, LocationId, Place, ProcessType, Unary,
    Variable, VariableId, VariableRef,
};
use cfsm_core::source::Span;

/// A control-flow graph. Between two stable locations a process runs to completion: each edge to
/// another location holds the processor, but for sends.
pub(crate) struct Graph {
    name: String,
    span: Span,
    locals: IdMap<VariableId, Variable>,
    locations: IdMap<LocationId, Location>,
    stable: IdMap<LocationId, bool>,
    edges: IdMap<EdgeId, Edge>,
}

/// An edge that is to be added.
pub(crate) struct Arc {
    pub(crate) source: LocationId,
    pub(crate) target: LocationId,
    pub(crate) action: Action,
    pub(crate) span: Span,
}

impl Graph {
    /// A graph with its exit, to which nothing leads.
    pub(crate) fn new(name: String, span: Span) -> Self {
        let (locals, locations, stable, edges) = Default::default();
        let mut graph = Self { name, span, locals, locations, stable, edges };
        graph.stable("end".to_owned(), span);
        graph
    }

    /// A new local variable.
    pub(crate) fn local(&mut self, variable: Variable) -> VariableRef {
        VariableRef::Local(self.locals.push(variable))
    }

    /// A new location where a process waits, with its label.
    pub(crate) fn stable(&mut self, label: String, span: Span) -> LocationId {
        // Waiting for messages is a valid end of a run.
        let labels = vec![label, "end".to_owned()];
        self.stable.push(true);
        self.locations.push(Location { labels, span })
    }

    /// A new location in the middle of a run to completion.
    pub(crate) fn passing(&mut self, span: Span) -> LocationId {
        self.stable.push(false);
        self.locations.push(Location { labels: Vec::new(), span })
    }

    pub(crate) fn add(&mut self, arc: Arc) {
        // Sends of others may come between two sends: threads run side by side.
        let sends = matches!(arc.action, Action::Send { .. });
        let hold = if self.stable[arc.target] || sends { Hold::No } else { Hold::Atomic };
        self.add_held(arc, hold);
    }

    fn add_held(&mut self, arc: Arc, hold: Hold) {
        let Arc { source, target, action, span } = arc;
        let (rank, d_step, alternatives) = (0, None, 0);
        self.edges.push(Edge { source, target, action, hold, rank, d_step, alternatives, span });
    }

    /// A step to a new location in the middle of a run.
    pub(crate) fn then(&mut self, source: LocationId, action: Action, span: Span) -> LocationId {
        let target = self.passing(span);
        self.add(Arc { source, target, action, span });
        target
    }

    /// A step that does nothing, behind which steps of others may come.
    pub(crate) fn pause(&mut self, source: LocationId, span: Span) -> LocationId {
        let target = self.passing(span);
        self.add_held(Arc { source, target, action: always(), span }, Hold::No);
        target
    }

    /// A step that does nothing.
    pub(crate) fn skip(&mut self, source: LocationId, target: LocationId, span: Span) {
        self.add(Arc { source, target, action: always(), span });
    }

    /// The process type, with the location where it starts.
    pub(crate) fn finish(self, entry: LocationId) -> ProcessType {
        ProcessType {
            name: self.name,
            parameters: 0,
            locals: self.locals,
            locations: self.locations,
            edges: self.edges,
            entry,
            exit: LocationId::new(0),
            provided: None,
            priority: None,
            deterministic: false,
            exclusive: Vec::new(),
            span: self.span,
        }
    }
}

/// A condition that always holds.
pub(crate) const fn always() -> Action {
    Action::Condition(Expression::Constant(1))
}

/// An assignment of a constant.
pub(crate) const fn assign(variable: VariableRef, value: i64) -> Action {
    Action::Assign { target: Place::scalar(variable), value: Expression::Constant(value) }
}

/// The condition that a variable has a value.
pub(crate) fn is(variable: VariableRef, value: i64) -> Action {
    Action::Condition(equal(Expression::variable(variable), value))
}

pub(crate) fn is_not(variable: VariableRef, value: i64) -> Action {
    let equal = equal(Expression::variable(variable), value);
    Action::Condition(Expression::Unary(Unary::Not, Box::new(equal)))
}

fn equal(one: Expression, value: i64) -> Expression {
    Expression::Binary(Binary::Equal, Box::new(one), Box::new(Expression::Constant(value)))
}

/// A location in the middle of a reaction, and the stable one before it.
#[derive(Clone, Copy)]
pub(crate) struct Fork {
    pub(crate) from: LocationId,
    pub(crate) back: LocationId,
}
