//! From the tree to the program. Names are resolved on the way, since their visibility follows the text.

mod constant;
mod declaration;
mod expression;
mod graph;
mod message;
mod statement;

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Initial, ProcessType, ProcessTypeId, Program, SymbolSetId, Type, Variable, VariableId, VariableRef,
};
use cfsm_core::source::{Sources, Span};

use crate::ast::{self, Model, Unit};
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::resolve::{Names, Signature};
use graph::{BlockId, Graph, NodeId, NodeKind};

/// The program, unless there is an error, and all diagnostics. `clean` says that there was no error
/// before; with one, graphs are checked but not built.
pub(crate) fn lower(model: &Model, sources: &Sources, clean: bool) -> (Option<Program>, Vec<Diagnostic>) {
    let mut lowering = Lowering {
        model,
        program: Program::default(),
        names: Names::of(model),
        sets: BTreeMap::new(),
        diagnostics: Vec::new(),
        body: Body::default(),
        assigning: false,
        probes: false,
    };
    lowering.signatures();
    let mut parts = Vec::new();
    for (position, unit) in model.units.iter().enumerate() {
        match unit {
            Unit::Symbols(symbols) => lowering.symbols(symbols),
            Unit::Declaration(declaration) => lowering.globals(declaration),
            Unit::Process(process) => parts.push(lowering.process(position, process)),
        }
    }
    let failed = lowering.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if failed || !clean {
        return (None, lowering.diagnostics);
    }
    let mut program = lowering.program;
    for part in parts {
        part.finish(&mut program);
    }
    if program.initial.is_empty() {
        let start = Span { file: Id::new(0), start: 0, end: 0 };
        let span = program.types.values().next().map_or(start, |process| process.span);
        let diagnostic = Diagnostic::error(codes::NO_PROCESS, span, "no process is ever started")
            .with_hint("a program needs an `init` or an `active proctype`");
        lowering.diagnostics.push(diagnostic);
        return (None, lowering.diagnostics);
    }
    program.sources = sources.clone();
    (Some(program), lowering.diagnostics)
}

struct Lowering<'m> {
    model: &'m Model,
    program: Program,
    names: Names,
    /// Sets of symbolic constants by name, `None` being the set without one.
    sets: BTreeMap<Option<String>, SymbolSetId>,
    diagnostics: Vec<Diagnostic>,
    body: Body,
    /// Whether an assigned value is being lowered.
    assigning: bool,
    /// Whether `full` and its kin may stand here.
    probes: bool,
}

/// The process at hand.
#[derive(Default)]
struct Body {
    locals: IdMap<VariableId, Variable>,
    graph: Graph,
    /// Numbers of the blocks in braces we are in.
    scope: Vec<u32>,
    /// How many blocks in braces there were.
    scopes: u32,
    /// The innermost `atomic` or `d_step`.
    block: Option<BlockId>,
    /// Where `break` leads, innermost loop last.
    loops: Vec<NodeId>,
    /// Whether only declarations have come so far: their initialisers are part of the creation.
    initializing: bool,
    /// Whether a statement could not be read: labels may be missing.
    damaged: bool,
}

/// A process type before its graph is built.
struct Part {
    position: usize,
    process: ProcessType,
    graph: Graph,
    first: NodeId,
    exit: NodeId,
    count: u32,
}

impl Part {
    fn finish(mut self, program: &mut Program) {
        let flow = self.graph.flow(self.first, self.exit);
        self.process.locations = flow.locations;
        self.process.edges = flow.edges;
        self.process.entry = flow.entry;
        self.process.exit = flow.exit;
        let process_type = program.types.push(self.process);
        if self.count > 0 {
            program.initial.push(Initial { process_type, count: self.count });
        }
        debug_assert!(process_type.index() <= self.position);
    }
}

impl Lowering<'_> {
    /// Makes all process types known, in source order.
    fn signatures(&mut self) {
        let processes = self.model.units.iter().filter_map(|unit| match unit {
            Unit::Process(process) => Some(process),
            _ => None,
        });
        for (position, process) in processes.enumerate() {
            let parameters = process.parameters.iter().map(|list| list.declarators.len()).sum();
            let (id, span) = (ProcessTypeId::new(position), process.name.span);
            let signature = Signature { id, parameters, span };
            if let Some(earlier) = self.names.processes.get(&process.name.text) {
                let message = format!("the process type `{}` exists already", process.name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::REDECLARED, span, message)
                        .with_label(earlier.span, "it is here"),
                );
                continue;
            }
            self.names.processes.insert(process.name.text.clone(), signature);
        }
    }

    fn process(&mut self, position: usize, process: &ast::Process) -> Part {
        self.body = Body { initializing: true, ..Body::default() };
        self.names.open();
        for declaration in &process.parameters {
            self.parameters(declaration);
        }
        let parameters = self.body.locals.len();
        let end = process.body.span;
        let end = Span { start: end.end.saturating_sub(1).max(end.start), ..end };
        let exit = self.body.graph.push(NodeKind::Exit, end, None);
        let first = self.sequence(&process.body.statements, exit);
        self.names.close();
        let damaged = self.body.damaged || self.model.incomplete;
        let linked = self.body.graph.link().into_iter();
        self.diagnostics.extend(linked.filter(|found| !damaged || found.code != codes::UNKNOWN_LABEL));
        let count = match &process.active {
            None => 0,
            Some(None) => 1,
            Some(Some(count)) => self.count(count),
        };
        let body = std::mem::take(&mut self.body);
        let process = ProcessType {
            name: process.name.text.clone(),
            parameters,
            locals: body.locals,
            locations: IdMap::new(),
            edges: IdMap::new(),
            entry: Id::new(0),
            exit: Id::new(0),
            provided: None,
            priority: None,
            deterministic: process.deterministic,
            exclusive: Vec::new(),
            span: process.span,
        };
        Part { position, process, graph: body.graph, first, exit, count }
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// A variable that was declared.
    fn variable(&self, variable: VariableRef) -> &Variable {
        match variable {
            VariableRef::Global(id) => &self.program.globals[id],
            VariableRef::Local(id) => &self.body.locals[id],
        }
    }

    fn type_of(&self, variable: VariableRef) -> Type {
        self.variable(variable).ty
    }
}
