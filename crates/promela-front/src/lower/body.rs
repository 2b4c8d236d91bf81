//! Lowers the bodies of processes and observers.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Claim, Exclusive, Expression, Initial, LocationId, ProcessType, ProcessTypeId, Variable, VariableId,
    VariableRef,
};
use cfsm_core::source::Span;

use super::flow::{Flow, TooManyEscapes};
use super::graph::{Graph, LoopId, NodeId, NodeKind};
use super::labels::Labels;
use super::{Lowering, claim, remote};
use crate::ast::{self, Block, Observer, ObserverKind};
use crate::codes;

/// State of the lowering for the current process.
#[derive(Default)]
pub(super) struct Body {
    pub locals: IdMap<VariableId, Variable>,
    pub graph: Graph,
    /// The enclosing loops, innermost last.
    pub loops: Vec<LoopId>,
    /// The variables to which the enclosing calls of inlines are assigned.
    pub calls: Vec<Option<ast::Variable>>,
    /// The counters of loops over channels, by the spans of their variables.
    pub counters: BTreeMap<Span, VariableRef>,
    pub exclusive: Vec<Exclusive>,
    /// The variable that replaces `_pid`, if something is received into that.
    pub number: Option<VariableRef>,
    /// The kind of the observer, if it is not a process.
    pub observer: Option<ObserverKind>,
    /// `true` as long as only declarations have occurred: their initialisers are part of the
    /// creation.
    pub initializing: bool,
    /// `true` if a statement could not be parsed, so that labels may be missing.
    pub damaged: bool,
}

/// A process type before its control-flow graph is built.
pub(super) struct Part {
    pub id: ProcessTypeId,
    pub process: ProcessType,
    pub graph: Graph,
    /// `true` if labels may be missing.
    pub damaged: bool,
    first: NodeId,
    exit: NodeId,
    count: u32,
    observer: Option<ObserverKind>,
}

/// Builds all control-flow graphs and completes the program.
pub(super) fn finish(lowering: &mut Lowering<'_>, parts: Vec<Part>) {
    // The labels of a graph are kept after it is built, for remote references.
    let mut built: Vec<(Labels, Vec<Option<LocationId>>)> = Vec::new();
    for mut part in parts {
        let Flow { locations, edges, entry, exit, location_of } = match part.graph.flow(part.first, part.exit)
        {
            Ok(flow) => flow,
            Err(TooManyEscapes(node)) => {
                let message = "more than 255 escapes of `unless` are possible here";
                lowering.error(codes::NESTING_LIMIT, part.graph.nodes[node].span, message);
                return;
            }
        };
        built.push((std::mem::take(&mut part.graph.labels), location_of));
        part.graph = Graph::default();
        let process = &mut part.process;
        (process.locations, process.edges, process.entry, process.exit) = (locations, edges, entry, exit);
        let process_type = lowering.program.types.push(part.process);
        debug_assert_eq!(process_type, part.id, "ids are given in this order");
        if part.count > 0 {
            lowering.program.initial.push(Initial { process_type, count: part.count });
        }
        if let Some(observer) = part.observer {
            let kind = claim::kind(observer);
            lowering.program.claims.push(Claim::Observer { process_type, kind });
        }
    }
    let location = |process: ProcessTypeId, label: &str| {
        let (labels, location_of) = &built[process.index()];
        location_of[labels.outside_label(label)?]
    };
    let answers = remote::answers(&lowering.questions, location, &lowering.program);
    remote::fill(&mut lowering.program, &answers);
}

impl Lowering<'_> {
    pub(super) fn process(&mut self, id: ProcessTypeId, process: &ast::Process) -> Part {
        self.open_body(None);
        for declaration in &process.parameters {
            self.parameters(declaration);
        }
        let parameters = self.body.locals.len();
        self.own_number(&process.body, process.name.span);
        let provided = process.provided.as_ref().map(|provided| self.full_expression(provided));
        let priority = process.priority.and_then(|priority| self.priority(priority, 1));
        let count = match &process.active {
            None => u32::from(process.init),
            Some(None) => 1,
            Some(Some(count)) => self.count(count),
        };
        let mut part = self.body_of(id, &process.body, process.name.text.to_string(), process.span);
        let found = &mut part.process;
        (found.parameters, found.provided, found.priority) = (parameters, provided, priority);
        found.deterministic = process.deterministic;
        part.count = count;
        part
    }

    pub(super) fn observer(&mut self, id: ProcessTypeId, observer: &Observer, number: usize) -> Part {
        self.open_body(Some(observer.kind));
        self.body_of(id, &observer.body, claim::name(observer, number), observer.span)
    }

    fn open_body(&mut self, observer: Option<ObserverKind>) {
        self.body = Body { initializing: true, observer, ..Body::default() };
        self.in_body = true;
        self.names.open();
    }

    fn body_of(&mut self, id: ProcessTypeId, block: &Block, name: String, span: Span) -> Part {
        let end = block.span;
        let end = Span { start: end.end.saturating_sub(1).max(end.start), ..end };
        self.body.graph.open();
        self.statements(&block.statements);
        let exit = self.body.graph.append(NodeKind::Exit, end);
        let first = self.body.graph.close(end).first;
        self.names.close();
        self.in_body = false;
        let damaged = self.body.damaged || self.model.incomplete;
        self.body.graph.tie_ends();
        let linked = self.body.graph.link().into_iter();
        self.diagnostics.extend(linked.filter(|found| !damaged || found.code != codes::UNKNOWN_LABEL));
        let body = std::mem::take(&mut self.body);
        let process = ProcessType {
            name,
            parameters: 0,
            locals: body.locals,
            locations: IdMap::new(),
            edges: IdMap::new(),
            entry: Id::new(0),
            exit: Id::new(0),
            provided: None::<Expression>,
            priority: None,
            deterministic: false,
            exclusive: body.exclusive,
            span,
        };
        let (mut graph, observer) = (body.graph, body.observer);
        graph.nodes.shrink_to_fit();
        Part { id, process, graph, damaged, first, exit, count: 0, observer }
    }
}
