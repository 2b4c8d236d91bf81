//! Lowering: the tree to the program. Names are resolved on the way, since their visibility follows
//! the text.

mod assignment;
mod body;
mod claim;
mod constant;
mod declaration;
mod expression;
mod flow;
mod graph;
mod labels;
mod lengths;
mod loops;
mod marks;
mod message;
mod own_number;
mod path;
mod record;
mod region;
mod remote;
mod spin;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::ids::Id;
use cfsm_core::program::{ProcessTypeId, Program, SymbolSetId, Type, Variable, VariableRef};
use cfsm_core::source::{Sources, Span};

use crate::ast::{Model, ObserverKind, Unit};
use crate::codes;
use crate::resolve::{Names, Signature};
use body::{Body, Part};
use cfsm_core::diagnostic::{Diagnostic, Severity};
use record::{RecordType, RecordTypeId, RecordVariable};
use remote::Question;

/// The program, unless there is an error, and all diagnostics. `clean` is `true` if there was no
/// error before; otherwise graphs are checked but not built.
pub(crate) fn lower(model: &Model, sources: &Sources, clean: bool) -> (Option<Program>, Vec<Diagnostic>) {
    let mut lowering = Lowering::of(model, sources, clean);
    lowering.signatures();
    let mut parts = lowering.units();
    lowering.check_claims();
    lowering.formulas();
    lowering.check_lengths();
    lowering.check_runs(&parts);
    lowering.check_questions(&mut parts);
    if lowering.failed() || !clean {
        return (None, lowering.diagnostics);
    }
    body::finish(&mut lowering, parts);
    if lowering.failed() {
        return (None, lowering.diagnostics);
    }
    let mut program = lowering.program;
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
    sources: &'m Sources,
    /// `true` if there was no error before.
    clean: bool,
    program: Program,
    names: Names,
    /// Sets of symbolic constants by name, `None` being the set without one.
    sets: BTreeMap<Option<Arc<str>>, SymbolSetId>,
    record_types: Vec<RecordType>,
    /// Record types by name.
    type_names: BTreeMap<Arc<str>, RecordTypeId>,
    /// All variables of record types.
    records: Vec<RecordVariable>,
    /// The record type of the messages of a channel, by the span of its declaration.
    channel_records: BTreeMap<Span, RecordTypeId>,
    runs: Vec<Run>,
    questions: Vec<Question>,
    diagnostics: Vec<Diagnostic>,
    body: Body,
    /// `true` if declarations are those of a process.
    in_body: bool,
    /// `true` while the fields of a poll are lowered.
    polling: bool,
    /// State of the checks that reproduce Spin's.
    minded: spin::Minded,
    lengths: lengths::Lengths,
    /// `true` where `full` and the like are allowed.
    probes: bool,
    /// `true` while a temporal formula is lowered.
    in_formula: bool,
}

/// A `run`, checked when all process types are known.
struct Run {
    callee: String,
    id: ProcessTypeId,
    /// Span of the declaration of the process type.
    declared: Span,
    /// Number of arguments.
    given: usize,
    /// The sets of the arguments that are symbolic constants.
    symbols: Vec<Option<(SymbolSetId, Span)>>,
    span: Span,
}

impl<'m> Lowering<'m> {
    fn of(model: &'m Model, sources: &'m Sources, clean: bool) -> Self {
        Self {
            model,
            sources,
            clean,
            program: Program::default(),
            names: Names::of(model),
            sets: BTreeMap::new(),
            record_types: Vec::new(),
            type_names: BTreeMap::new(),
            records: Vec::new(),
            channel_records: BTreeMap::new(),
            runs: Vec::new(),
            questions: Vec::new(),
            diagnostics: Vec::new(),
            body: Body::default(),
            in_body: false,
            polling: false,
            minded: spin::Minded::default(),
            lengths: lengths::Lengths::default(),
            probes: false,
            in_formula: false,
        }
    }

    /// Declares all process types, in source order.
    fn signatures(&mut self) {
        let model = self.model;
        let processes = model.units.iter().filter_map(|unit| match unit {
            Unit::Process(process) => Some(process),
            _ => None,
        });
        for (position, process) in processes.enumerate() {
            let (id, span) = (ProcessTypeId::new(position), process.name.span);
            let signature = Signature { id, span };
            if let Some(earlier) = self.names.processes.get(&process.name.text) {
                let message = format!("the process type `{}` exists already", process.name.text);
                let diagnostic = if process.init {
                    Diagnostic::warning(codes::REDECLARED, span, "a second `init`: both run")
                } else {
                    Diagnostic::error(codes::REDECLARED, span, message)
                };
                self.diagnostics.push(diagnostic.with_label(earlier.span, "it is here"));
                continue;
            }
            self.names.processes.insert(Arc::clone(&process.name.text), signature);
        }
    }

    /// Lowers everything but formulas, which may precede the declarations that they use.
    fn units(&mut self) -> Vec<Part> {
        let model = self.model;
        let mut parts = Vec::new();
        let mut observers = Vec::new();
        let processes = model.units.iter().filter(|unit| matches!(unit, Unit::Process(_))).count();
        let mut claims = 0;
        for unit in &model.units {
            match unit {
                Unit::Symbols(symbols) => self.symbols(symbols),
                Unit::Declaration(declaration) => self.globals(declaration),
                Unit::Typedef(typedef) => self.typedef(typedef),
                Unit::Process(process) => parts.push(self.process(ProcessTypeId::new(parts.len()), process)),
                Unit::Observer(observer) => {
                    let id = ProcessTypeId::new(processes + observers.len());
                    observers.push(self.observer(id, observer, claims));
                    claims += usize::from(observer.kind == ObserverKind::Never);
                }
                // Its statements were inserted at its calls.
                Unit::Inline(inline) => self.check_parameters(&inline.parameters),
                // C at the top level declares names of its own, which statements in C may use;
                // those may have any effect.
                Unit::Embedded(_) | Unit::Ltl(_) => {}
            }
        }
        parts.append(&mut observers);
        parts
    }

    fn formulas(&mut self) {
        let model = self.model;
        let formulas = model.units.iter().filter_map(|unit| match unit {
            Unit::Ltl(ltl) => Some(ltl),
            _ => None,
        });
        for (number, ltl) in formulas.enumerate() {
            self.ltl(ltl, number);
        }
    }

    fn failed(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// The declaration of a variable.
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
