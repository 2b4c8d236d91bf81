//! Type check beyond Spin's, over the tree of a text without errors: all findings are warnings.
//!
//! One traversal resolves names, checks assignments, comparisons and arithmetic, and connects the
//! places between which channels pass ([`network`]). The contents of channels are known only
//! afterwards, so sends, receives and polls are recorded and checked at the end ([`message`]), and
//! unused declarations are collected ([`unused`]).

pub(crate) mod constant;
mod expression;
mod fit;
mod message;
mod network;
mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod types;
mod unused;

use std::collections::{HashMap, HashSet};

use cfsm_core::source::{Sources, Span};

use crate::ast::{Declaration, Initial, Model, Name, Observer, ObserverKind, Process, TypeName, Unit};
use crate::codes;
use cfsm_core::diagnostic::{Diagnostic, Label};
use fit::{Misfit, Value};
use message::Message;
use network::{Network, NodeId, Step, Way};
use scope::{Entity, Scopes, Variable, VariableId};
use types::{ShapeId, Ty, Types};

/// All type warnings of a text without errors. Time almost linear in the tree with inlines
/// expanded.
pub(crate) fn check(model: &Model, sources: &Sources) -> Vec<Diagnostic> {
    let mut checker = Checker {
        types: Types::default(),
        scopes: Scopes::default(),
        network: Network::new(),
        processes: HashMap::new(),
        mentioned: HashSet::new(),
        messages: Vec::new(),
        calls: Vec::new(),
        in_trace: false,
        has_code: false,
        reported: HashSet::new(),
        diagnostics: Vec::new(),
    };
    checker.types.set(None);
    let globals = checker.declare(model);
    let mut globals = globals.into_iter();
    for unit in &model.units {
        match unit {
            Unit::Declaration(declaration) => {
                for (declarator, id) in declaration.declarators.iter().zip(globals.by_ref()) {
                    checker.initial(declarator, id);
                }
            }
            Unit::Process(process) => checker.process(process),
            Unit::Observer(observer) => checker.observer(observer),
            Unit::Ltl(ltl) => {
                checker.expression(&ltl.formula);
            }
            Unit::Embedded(embedded) => {
                checker.has_code = true;
                embedded.texts.iter().for_each(|text| checker.mention_words(&text.text));
            }
            Unit::Symbols(_) | Unit::Typedef(_) | Unit::Inline(_) => {}
        }
    }
    checker.judge();
    checker.find_unused(model, sources);
    checker.diagnostics
}

/// A place that can be read or written.
#[derive(Clone, Copy, Debug)]
struct Place<'m> {
    /// The name of its variable.
    name: &'m str,
    ty: Ty,
    node: NodeId,
    /// `true` for a channel that is created at the declaration of the variable.
    made_here: bool,
    /// Span of the declaration of the variable.
    declared: Span,
}

/// A call of an inline whose body is being checked.
#[derive(Clone, Copy, Debug)]
struct Frame<'m> {
    name: &'m str,
    span: Span,
    /// The place that receives the returned value.
    target: Option<Place<'m>>,
}

struct Checker<'m> {
    types: Types<'m>,
    scopes: Scopes<'m>,
    network: Network,
    /// Parameters of the process types.
    processes: HashMap<&'m str, Vec<VariableId>>,
    /// Names of process types, inlines and types that are used, and words in texts that are not
    /// parsed, such as C.
    mentioned: HashSet<&'m str>,
    messages: Vec<Message<'m>>,
    /// The open calls, innermost last.
    calls: Vec<Frame<'m>>,
    /// `true` inside a `trace`, whose sends and receives are not actions.
    in_trace: bool,
    /// `true` if the text contains C.
    has_code: bool,
    /// Reported warnings: a line of an inline is reported once, however often it is called.
    reported: HashSet<(&'static str, Span, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'m> Checker<'m> {
    /// Declares everything at the top level; returns the global variables.
    fn declare(&mut self, model: &'m Model) -> Vec<VariableId> {
        let mut globals = Vec::new();
        for unit in &model.units {
            match unit {
                Unit::Typedef(typedef) => {
                    typedef.fields.iter().for_each(|declaration| self.mention_types(declaration));
                    self.types.add_record(typedef);
                }
                Unit::Symbols(symbols) => {
                    let set = self.types.set(symbols.set.as_ref().map(|set| &*set.text));
                    for name in &symbols.names {
                        self.scopes.declare(&name.text, Entity::Symbol(set));
                    }
                }
                Unit::Declaration(declaration) => {
                    for (name, id) in self.variables(declaration, true, false) {
                        self.scopes.declare(&name.text, Entity::Variable(id));
                        globals.push(id);
                    }
                }
                Unit::Process(process) => {
                    let mut parameters = Vec::new();
                    for declaration in &process.parameters {
                        let declared = self.variables(declaration, false, true);
                        parameters.extend(declared.into_iter().map(|(_, id)| id));
                    }
                    self.processes.insert(&process.name.text, parameters);
                }
                Unit::Inline(_) | Unit::Observer(_) | Unit::Ltl(_) | Unit::Embedded(_) => {}
            }
        }
        globals
    }

    /// Creates the variables of a declaration; their names are not visible yet.
    fn variables(
        &mut self,
        declaration: &'m Declaration,
        global: bool,
        parameter: bool,
    ) -> Vec<(&'m Name, VariableId)> {
        self.mention_types(declaration);
        let mut declared = Vec::with_capacity(declaration.declarators.len());
        for declarator in &declaration.declarators {
            let ty = self.types.declared(&declaration.ty, declarator);
            let shape = self.types.shape_of(declarator);
            let id = self.scopes.add(Variable {
                name: &declarator.name,
                ty,
                shape,
                node: self.network.node(shape),
                global,
                parameter,
                array: declarator.length.is_some(),
                span: declarator.span,
                used: false,
            });
            declared.push((&declarator.name, id));
        }
        declared
    }

    fn mention_types(&mut self, declaration: &'m Declaration) {
        let fields = declaration.declarators.iter().filter_map(|declarator| match &declarator.init {
            Initial::Channel { fields, .. } => Some(fields.iter().map(|(ty, _)| ty)),
            _ => None,
        });
        for ty in std::iter::once(&declaration.ty).chain(fields.flatten()) {
            if let TypeName::Named(name) = ty {
                self.mentioned.insert(&name.text);
            }
        }
    }

    fn process(&mut self, process: &'m Process) {
        self.scopes.open();
        let parameters = self.processes.get(&*process.name.text).cloned().unwrap_or_default();
        for id in parameters {
            let name = self.scopes.variable(id).name;
            self.scopes.declare(&name.text, Entity::Variable(id));
        }
        if let Some(Some(count)) = &process.active {
            self.expression(count);
        }
        if let Some(provided) = &process.provided {
            self.expression(provided);
        }
        self.block(&process.body);
        self.scopes.close();
    }

    fn observer(&mut self, observer: &'m Observer) {
        self.in_trace = observer.kind != ObserverKind::Never;
        self.block(&observer.body);
        self.in_trace = false;
    }

    /// The place of a variable.
    fn place_of(&self, id: VariableId) -> Place<'m> {
        let variable = self.scopes.variable(id);
        Place {
            name: &variable.name.text,
            ty: variable.ty,
            node: variable.node,
            made_here: variable.shape.is_some(),
            declared: variable.span,
        }
    }

    /// The place of a field of a record.
    fn part(&mut self, record: Place<'m>, position: usize) -> Option<Place<'m>> {
        let Ty::Record(id) = record.ty else { return None };
        let (ty, shape): (Ty, Option<ShapeId>) = self.types.field_at(id, position)?;
        let node = self.network.part(record.node, position, shape);
        Some(Place { ty, node, made_here: false, ..record })
    }

    /// Checks the storing of a value in a place: an assignment, an initialiser, an argument.
    fn store(&mut self, value: Value<'m>, target: Place<'m>, span: Span) {
        if let (Value::Channel(from), Ty::Channel) = (value, target.ty) {
            self.network.step(Step { from, to: target.node, way: Way::Direct, span });
        }
        if let Some(misfit) = self.types.misfit(value, target.ty) {
            // Two variables of different types that are assigned to each other once are so
            // repeatedly.
            let pair = (codes::NARROWING, target.declared, misfit.message.clone());
            if matches!(value, Value::Variable(..)) && !self.reported.insert(pair) {
                return;
            }
            let text = format!("`{}` is declared here", target.name);
            self.report(
                span,
                misfit,
                vec![Label { span: target.declared, text }],
                self.calls.first().copied(),
            );
        }
    }

    /// Reports a warning, with the call if it is in the body of an inline.
    fn report(&mut self, span: Span, misfit: Misfit, labels: Vec<Label>, call: Option<Frame<'m>>) {
        let Misfit { code, message, hint } = misfit;
        if !self.reported.insert((code, span, message.clone())) {
            return;
        }
        let mut diagnostic = Diagnostic::warning(code, span, message).with_hint_if(hint);
        diagnostic.labels.extend(labels);
        if let Some(call) = call {
            let text = format!("in the expansion of inline `{}`, which is called here", call.name);
            diagnostic.labels.push(Label { span: call.span, text });
        }
        self.diagnostics.push(diagnostic);
    }

    /// Marks the words of a text as used.
    fn mention_words(&mut self, text: &'m str) {
        self.mentioned.extend(unused::words(text));
    }
}
