//! Lowers records: one variable of the program for each scalar in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::ids::Id;
use cfsm_core::program::{Initializer, Place, Type, Variable, VariableId, VariableRef};
use cfsm_core::source::Span;

use super::Lowering;
use super::declaration::MAX_LENGTH;
use super::path::RecordAt;
use crate::ast::{self, Name, Typedef};
use crate::codes;
use crate::resolve::{Declared, Entity, foreign};
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::suggest::closest;

/// Index of a record type.
pub(super) type RecordTypeId = usize;

/// Greatest number of scalars in a record, and of message fields that come from one.
pub(super) const MAX_SCALARS: usize = 1 << 12;
/// A record type.
#[derive(Debug)]
pub(super) struct RecordType {
    pub name: Name,
    pub fields: Vec<FieldType>,
    /// Number of scalars and arrays of scalars.
    pub scalars: usize,
    pub by_name: BTreeMap<Arc<str>, usize>,
}

/// A field.
#[derive(Debug)]
pub(super) struct FieldType {
    pub name: Name,
    pub length: Option<u32>,
    pub kind: FieldKind,
    /// Index of its first scalar among those of the record.
    pub first: usize,
}

/// Type of a field.
#[derive(Debug)]
pub(super) enum FieldKind {
    Scalar(Type, Initializer),
    Record(RecordTypeId),
    /// Unknown: an error was reported.
    Opaque,
}

/// A variable of a record type.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordVariable {
    pub ty: RecordTypeId,
    pub length: Option<u32>,
    /// Its first scalar; the others follow.
    pub first: VariableRef,
}

impl Lowering<'_> {
    /// Declares a record type; its fields must be of types that are declared before.
    pub(super) fn typedef(&mut self, typedef: &Typedef) {
        let mut record = RecordType {
            name: typedef.name.clone(),
            fields: Vec::new(),
            scalars: 0,
            by_name: BTreeMap::new(),
        };
        for declaration in &typedef.fields {
            self.check_hidden(declaration, false);
            for declarator in &declaration.declarators {
                let (kind, length) = self.field(declaration, declarator);
                let first = record.scalars;
                record.scalars += match kind {
                    FieldKind::Record(ty) => self.record_types[ty].scalars,
                    FieldKind::Scalar(..) | FieldKind::Opaque => 1,
                };
                let name = declarator.name.clone();
                let earlier = record.by_name.insert(Arc::clone(&name.text), record.fields.len());
                if let Some(earlier) = earlier {
                    let message = format!("the field `{}` exists already", name.text);
                    self.diagnostics.push(
                        Diagnostic::error(codes::REDECLARED, name.span, message)
                            .with_label(record.fields[earlier].name.span, "it is here"),
                    );
                }
                record.fields.push(FieldType { name, length, kind, first });
            }
        }
        if record.scalars > MAX_SCALARS {
            let message = format!("a record has at most {MAX_SCALARS} scalars");
            self.error(codes::BAD_SIZE, typedef.span, message);
            record.scalars = 0;
            record.fields.clear();
            record.by_name.clear();
        }
        if let Some(earlier) = self.declared_as_other(&typedef.name) {
            let message = format!("`{}` is declared already", typedef.name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::REDECLARED, typedef.name.span, message)
                    .with_label(earlier, "it is declared here"),
            );
            return;
        }
        self.type_names.insert(Arc::clone(&typedef.name.text), self.record_types.len());
        self.record_types.push(record);
    }

    /// The span of another declaration with the name of a type, if there is one.
    fn declared_as_other(&self, name: &Name) -> Option<Span> {
        let ty = self.type_names.get(&name.text).map(|earlier| self.record_types[*earlier].name.span);
        let process = || self.names.processes.get(&name.text).map(|process| process.span);
        let variable = || self.names.find(&name.text).map(|variable| variable.span);
        ty.or_else(variable).or_else(process)
    }

    fn field(
        &mut self,
        declaration: &ast::Declaration,
        declarator: &ast::Declarator,
    ) -> (FieldKind, Option<u32>) {
        if let ast::TypeName::Named(name) = &declaration.ty {
            let length = self.length(declarator);
            let kind = self.record_type(name).map_or(FieldKind::Opaque, FieldKind::Record);
            return (kind, length);
        }
        let length = self.length(declarator);
        if let ast::Initial::Value(value) = &declarator.init {
            self.constant(value, i64::MIN..=i64::MAX, "what a field holds at first");
        }
        let init = self.initializer(declarator, &declaration.ty);
        let Some(ty) = self.scalar_type(&declaration.ty, declarator) else {
            return (FieldKind::Opaque, length);
        };
        let init = self.fitted(init, ty, length, declarator);
        (FieldKind::Scalar(ty, init), length)
    }

    /// A record type by its name.
    pub(super) fn record_type(&mut self, name: &Name) -> Option<RecordTypeId> {
        if let Some(id) = self.type_names.get(&name.text) {
            return Some(*id);
        }
        if self.model.incomplete || self.model.opaque_names.contains(&name.text) {
            return None;
        }
        let message = format!("there is no type `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message);
        let later = self.model.units.iter().find_map(|unit| match unit {
            ast::Unit::Typedef(typedef) if typedef.name.text == name.text => Some(typedef.name.span),
            _ => None,
        });
        let diagnostic = if let Some(later) = later {
            diagnostic.with_label(later, "it is declared here, and can be used only behind that")
        } else {
            let known = self.type_names.keys().map(|known| &**known);
            let close = closest(&name.text, known).map(|name| format!("did you mean `{name}`?"));
            diagnostic.with_hint_if(foreign::instead_of(&name.text).map(str::to_owned).or(close))
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// Declares a record variable: one variable for each scalar, named by the path to it.
    pub(super) fn record_variable(
        &mut self,
        declaration: &ast::Declaration,
        declarator: &ast::Declarator,
        parameter: bool,
    ) {
        let ast::TypeName::Named(name) = &declaration.ty else { return };
        let length = self.length(declarator);
        if let Some(width) = &declarator.width {
            self.error(codes::BAD_SIZE, width.span, "only an `unsigned` has a width");
        }
        match &declarator.init {
            ast::Initial::None => {}
            ast::Initial::Value(_) => {
                let message = "a record is not initialised as a whole; this says nothing";
                self.diagnostics.push(Diagnostic::warning(codes::BAD_INITIALIZER, declarator.span, message));
            }
            ast::Initial::List(_) | ast::Initial::Channel { .. } => {
                let message = format!("`{}` is a record", declarator.name.text);
                self.error(codes::BAD_INITIALIZER, declarator.span, message);
            }
        }
        let Some(ty) = self.record_type(name) else {
            self.declare(&declarator.name, Entity::Opaque);
            return;
        };
        let mut scalars = Vec::new();
        let hidden = declaration.visibility == Some(ast::Visibility::Hidden);
        let elements = length.map(i64::from);
        self.scalars(ty, &declarator.name.text, declarator.span, elements, &[length], &mut scalars);
        let local = self.in_body;
        let position = if local { self.body.locals.len() } else { self.program.globals.len() };
        if parameter && scalars.iter().any(|scalar| scalar.length.is_some()) {
            let message = "a parameter can neither be an array nor have one in it";
            self.error(codes::MISPLACED_DECLARATION, declarator.span, message);
        }
        for mut variable in scalars {
            // The verifier limits an `unsigned` to its width inside a record.
            variable.hidden = hidden && !matches!(variable.ty, Type::Unsigned(_));
            if parameter {
                variable.init = Initializer::Parameter;
            }
            if local {
                self.body.locals.push(variable);
            } else {
                self.program.globals.push(variable);
            }
        }
        let first = VariableId::new(position);
        let first = if local { VariableRef::Local(first) } else { VariableRef::Global(first) };
        self.records.push(RecordVariable { ty, length, first });
        self.declare(&declarator.name, Entity::Record(self.records.len() - 1));
    }

    /// Appends the scalar variables of a record named `path`, which is declared at `span`.
    /// `elements` is the product of the array lengths of the record and the records around it, if
    /// there is an array; `lengths` holds these lengths one by one.
    fn scalars(
        &mut self,
        ty: RecordTypeId,
        path: &str,
        span: Span,
        elements: Option<i64>,
        lengths: &[Option<u32>],
        found: &mut Vec<Variable>,
    ) {
        for position in 0..self.record_types[ty].fields.len() {
            let field = &self.record_types[ty].fields[position];
            let name = format!("{path}.{}", field.name.text);
            let total = match (elements, field.length) {
                (Some(outer), Some(inner)) => Some(outer.saturating_mul(i64::from(inner))),
                (outer, inner) => outer.or(inner.map(i64::from)),
            };
            if total.is_some_and(|total| total > MAX_LENGTH) {
                let message = format!("`{name}` has more than {MAX_LENGTH} elements");
                self.error(codes::BAD_SIZE, span, message);
                return;
            }
            let total = total.map(|total| u32::try_from(total).unwrap_or(1));
            let lengths: Vec<_> = lengths.iter().copied().chain([field.length]).collect();
            let field = &self.record_types[ty].fields[position];
            let (ty, init) = match &field.kind {
                FieldKind::Record(inner) => {
                    let inner = *inner;
                    let elements = total.map(i64::from);
                    deep(|| self.scalars(inner, &name, span, elements, &lengths, found));
                    continue;
                }
                FieldKind::Scalar(ty, init) => (*ty, repeated(init, total)),
                FieldKind::Opaque => (Type::Byte, Initializer::Zero),
            };
            found.push(Variable { name, ty, length: total, init, hidden: false, lengths, span });
        }
    }

    /// The types of a record's scalars, in the order in which a message has them.
    pub(super) fn scalar_types(&mut self, ty: RecordTypeId, span: Span) -> Vec<Type> {
        let first = VariableRef::Global(VariableId::new(0));
        let length = self.record_types[ty].scalars;
        let places = self.expand(&RecordAt { ty, first, indices: Vec::new() }, span);
        let mut all = Vec::with_capacity(length);
        self.scalars(ty, "", span, None, &[None], &mut all);
        let position = |place: &Place| match place.variable {
            VariableRef::Global(id) | VariableRef::Local(id) => id.index(),
        };
        places.iter().filter_map(|place| all.get(position(place)).map(|found| found.ty)).collect()
    }

    pub(super) fn declare(&mut self, name: &Name, entity: Entity) {
        let declared = match self.type_names.get(&name.text) {
            Some(ty) => Err(self.record_types[*ty].name.span),
            None => self.names.declare(&name.text, Declared { entity, span: name.span }),
        };
        if let Err(earlier) = declared
            && !self.model.incomplete
        {
            let message = format!("`{}` is declared already", name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::REDECLARED, name.span, message)
                    .with_label(earlier, "it is declared here, and visible"),
            );
        }
    }
}

/// The initialiser of a field, repeated for all elements.
fn repeated(init: &Initializer, total: Option<u32>) -> Initializer {
    match (init, total) {
        (Initializer::List(values), Some(total)) => {
            Initializer::List(values.iter().cycle().take(total as usize).cloned().collect())
        }
        (init, _) => init.clone(),
    }
}

pub(super) fn nth(first: VariableRef, count: usize) -> VariableRef {
    match first {
        VariableRef::Global(id) => VariableRef::Global(VariableId::new(id.index() + count)),
        VariableRef::Local(id) => VariableRef::Local(VariableId::new(id.index() + count)),
    }
}
