//! Resolves paths such as `a.b[i].c` to variables of the program, and expands records to the fields
//! of a message.

use cfsm_core::program::{Binary, Expression, Place, VariableRef};
use cfsm_core::source::Span;

use super::Lowering;
use super::record::{FieldKind, MAX_SCALARS, RecordTypeId, RecordVariable, nth};
use crate::ast::{self, Name};
use crate::codes;
use crate::resolve::Entity;
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::suggest::closest;

/// Greatest nesting depth of indices that need a bounds guard: each level multiplies the size of
/// the expression.
const MAX_GUARDED: u32 = 4;

/// A record inside a variable.
#[derive(Clone, Debug)]
pub(super) struct RecordAt {
    pub ty: RecordTypeId,
    pub first: VariableRef,
    /// The indices on the path to it, with the lengths of their arrays.
    pub indices: Vec<(Expression, u32)>,
}

/// The kind of entity at the end of a path, without indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Scalar(VariableRef),
    Record,
}

/// The entity at the end of a path.
#[derive(Clone, Debug)]
pub(super) enum Reached {
    Place(Place),
    Record(RecordAt),
}

impl Lowering<'_> {
    /// Resolves a path without reporting errors.
    pub(super) fn end_of(&self, variable: &ast::Variable) -> Option<End> {
        let id = match self.names.find(&variable.name.text)?.entity {
            Entity::Variable(id) => return variable.fields.is_empty().then_some(End::Scalar(id)),
            Entity::Record(id) => id,
            Entity::Constant(..) | Entity::Opaque => return None,
        };
        let RecordVariable { mut ty, mut first, .. } = self.records[id];
        for (position, wanted) in variable.fields.iter().enumerate() {
            let record = &self.record_types[ty];
            let field = &record.fields[*record.by_name.get(&wanted.name.text)?];
            first = nth(first, field.first);
            match field.kind {
                FieldKind::Record(inner) => ty = inner,
                FieldKind::Scalar(..) => {
                    return (position + 1 == variable.fields.len()).then_some(End::Scalar(first));
                }
                FieldKind::Opaque => return None,
            }
        }
        Some(End::Record)
    }

    pub(super) fn is_record(&self, variable: &ast::Variable) -> bool {
        matches!(self.end_of(variable), Some(End::Record))
    }

    pub(super) fn scalar_of(&self, variable: &ast::Variable) -> Option<VariableRef> {
        match self.end_of(variable)? {
            End::Scalar(id) => Some(id),
            End::Record => None,
        }
    }

    /// Resolves a path; `None` after an error, which is reported.
    pub(super) fn reach(&mut self, variable: &ast::Variable) -> Option<Reached> {
        match self.entity(&variable.name)? {
            Entity::Variable(id) => {
                let place = self.indexed(id, variable);
                let Some(field) = variable.fields.first() else {
                    return Some(Reached::Place(place));
                };
                let message = format!("`{}` is no record and has no fields", variable.name.text);
                self.error(codes::UNKNOWN_FIELD, field.name.span, message);
                None
            }
            Entity::Record(id) => {
                let record = self.records[id];
                let mut at = RecordAt { ty: record.ty, first: record.first, indices: Vec::new() };
                self.step_into(&mut at, record.length, &variable.name, variable.index.as_deref())?;
                self.follow(at, &variable.fields)
            }
            Entity::Constant(..) => {
                let message = format!("`{}` is a constant", variable.name.text);
                self.error(codes::INDEX_MISMATCH, variable.span, message);
                None
            }
            Entity::Opaque => None,
        }
    }

    fn follow(&mut self, mut at: RecordAt, fields: &[ast::Field]) -> Option<Reached> {
        for (position, wanted) in fields.iter().enumerate() {
            let record = &self.record_types[at.ty];
            let Some(found) = record.by_name.get(&wanted.name.text).copied() else {
                self.unknown_field(at.ty, &wanted.name);
                return None;
            };
            let field = &record.fields[found];
            let length = field.length;
            at.first = nth(at.first, field.first);
            let inner = match &field.kind {
                FieldKind::Record(ty) => Some(*ty),
                FieldKind::Scalar(..) => None,
                FieldKind::Opaque => return None,
            };
            self.step_into(&mut at, length, &wanted.name, wanted.index.as_deref())?;
            match (inner, fields.get(position + 1)) {
                (Some(ty), _) => at.ty = ty,
                (None, None) => {
                    let index = self.flat(at.indices, wanted.name.span);
                    return Some(Reached::Place(Place { variable: at.first, index }));
                }
                (None, Some(next)) => {
                    let message = format!("`{}` is no record and has no fields", wanted.name.text);
                    self.error(codes::UNKNOWN_FIELD, next.name.span, message);
                    return None;
                }
            }
        }
        Some(Reached::Record(at))
    }

    /// Applies an index, which must be given if and only if there is an array.
    fn step_into(
        &mut self,
        at: &mut RecordAt,
        length: Option<u32>,
        name: &Name,
        index: Option<&ast::Expression>,
    ) -> Option<()> {
        let lowered = index.map(|index| self.expression(index));
        match (length, lowered) {
            (Some(length), Some(index)) => at.indices.push((index, length)),
            (None, None) => {}
            (length, _) => {
                let name_text = &name.text;
                let message = if length.is_some() {
                    format!("`{name_text}` needs an index")
                } else {
                    format!("`{name_text}` is no array")
                };
                self.error(codes::INDEX_MISMATCH, name.span, message);
                return None;
            }
        }
        Some(())
    }

    fn unknown_field(&mut self, ty: RecordTypeId, wanted: &Name) {
        let record = &self.record_types[ty];
        let message = format!("the type `{}` has no field `{}`", record.name.text, wanted.text);
        let known = record.by_name.keys().map(|known| &**known);
        let hint = closest(&wanted.text, known).map(|name| format!("did you mean `{name}`?"));
        let declared = record.name.span;
        self.diagnostics.push(
            Diagnostic::error(codes::UNKNOWN_FIELD, wanted.span, message)
                .with_label(declared, "the type is declared here")
                .with_hint_if(hint),
        );
    }

    /// Combines several indices into one. An index out of the bounds of its own array must not
    /// reach another element.
    fn flat(&mut self, indices: Vec<(Expression, u32)>, span: Span) -> Option<Box<Expression>> {
        if indices.len() < 2 {
            return indices.into_iter().next().map(|(index, _)| Box::new(index));
        }
        let depth = indices.iter().map(|(index, _)| guards_in(index)).max().unwrap_or(0);
        if depth > MAX_GUARDED {
            self.error(codes::NESTING_LIMIT, span, "indices stand too deep in one another");
            return None;
        }
        let mut condition: Option<Expression> = None;
        let mut flat: Option<Expression> = None;
        for (index, length) in indices {
            match index.constant() {
                Some(value) if value < 0 || value >= i64::from(length) => {
                    return Some(Box::new(Expression::Constant(-1)));
                }
                Some(_) => {}
                None => {
                    let inside = inside(&index, length);
                    condition = Some(match condition {
                        Some(condition) => binary(Binary::And, condition, inside),
                        None => inside,
                    });
                }
            }
            flat = Some(match flat {
                None => index,
                Some(outer) => sum(times(outer, length), index),
            });
        }
        let flat = Box::new(flat?);
        Some(match condition {
            None => flat,
            Some(condition) => {
                let outside = Box::new(Expression::Constant(-1));
                Box::new(Expression::Conditional(Box::new(condition), flat, outside))
            }
        })
    }

    /// The scalars of a record, in the order in which a message has them.
    pub(super) fn expand(&mut self, at: &RecordAt, span: Span) -> Vec<Place> {
        let mut places = Vec::new();
        self.expand_into(at, span, &mut places);
        places
    }

    fn expand_into(&mut self, at: &RecordAt, span: Span, places: &mut Vec<Place>) {
        for position in 0..self.record_types[at.ty].fields.len() {
            let field = &self.record_types[at.ty].fields[position];
            let first = nth(at.first, field.first);
            let length = field.length;
            match field.kind {
                FieldKind::Opaque => {}
                FieldKind::Record(ty) => {
                    if length.is_some() {
                        let message =
                            format!("the array of records `{}` cannot be in a message", field.name.text);
                        self.error(codes::NOT_A_VALUE, span, message);
                        return;
                    }
                    let inner = RecordAt { ty, first, indices: at.indices.clone() };
                    deep(|| self.expand_into(&inner, span, places));
                }
                FieldKind::Scalar(..) => {
                    for element in 0..length.unwrap_or(1) {
                        if places.len() >= MAX_SCALARS {
                            let message = format!("a message has at most {MAX_SCALARS} fields");
                            self.error(codes::BAD_SIZE, span, message);
                            return;
                        }
                        let mut indices = at.indices.clone();
                        indices.extend(length.map(|length| (Expression::Constant(element.into()), length)));
                        let index = self.flat(indices, span);
                        places.push(Place { variable: first, index });
                    }
                }
            }
        }
    }
}

fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

fn inside(index: &Expression, length: u32) -> Expression {
    let not_less = binary(Binary::GreaterEqual, index.clone(), Expression::Constant(0));
    let less = binary(Binary::Less, index.clone(), Expression::Constant(length.into()));
    binary(Binary::And, not_less, less)
}

fn times(index: Expression, length: u32) -> Expression {
    match index {
        Expression::Constant(value) => Expression::Constant(value * i64::from(length)),
        index if length == 1 => index,
        index => binary(Binary::Multiply, index, Expression::Constant(length.into())),
    }
}

fn sum(left: Expression, right: Expression) -> Expression {
    match (left, right) {
        (Expression::Constant(left), Expression::Constant(right)) => Expression::Constant(left + right),
        (Expression::Constant(0), other) | (other, Expression::Constant(0)) => other,
        (left, right) => binary(Binary::Add, left, right),
    }
}

/// Nesting depth of guarded indices.
fn guards_in(expression: &Expression) -> u32 {
    deep(|| {
        let inner = expression.children().into_iter().map(guards_in).max().unwrap_or(0);
        inner + u32::from(matches!(expression, Expression::Conditional(..)))
    })
}

#[cfg(test)]
mod tests {
    use cfsm_core::source::Sources;

    use super::*;

    const INDEX: Expression = Expression::Pid;

    fn value(expression: &Expression, pid: i64) -> i64 {
        match expression {
            Expression::Constant(value) => *value,
            Expression::Pid => pid,
            Expression::Conditional(condition, then, otherwise) => {
                value(if value(condition, pid) != 0 { then } else { otherwise }, pid)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (value(left, pid), value(right, pid));
                match operator {
                    Binary::Add => left + right,
                    Binary::Multiply => left * right,
                    Binary::GreaterEqual => i64::from(left >= right),
                    Binary::Less => i64::from(left < right),
                    Binary::And => i64::from(left != 0 && right != 0),
                    _ => panic!("{operator:?} does not occur"),
                }
            }
            _ => panic!("{expression:?} does not occur"),
        }
    }

    fn flat(indices: Vec<(Expression, u32)>) -> Expression {
        let model = ast::Model::default();
        let span = Span { file: cfsm_core::ids::Id::new(0), start: 0, end: 0 };
        *Lowering::of(&model, &Sources::default(), true).flat(indices, span).expect("an index")
    }

    #[test]
    fn an_index_outside_of_its_own_array_is_outside_of_the_whole() {
        for pid in -1..9 {
            let inner = flat(vec![(Expression::Constant(1), 3), (INDEX, 4)]);
            let expected = if (0..4).contains(&pid) { 4 + pid } else { -1 };
            assert_eq!(value(&inner, pid), expected);
            let outer = flat(vec![(INDEX, 3), (Expression::Constant(2), 4)]);
            let expected = if (0..3).contains(&pid) { 4 * pid + 2 } else { -1 };
            assert_eq!(value(&outer, pid), expected);
            let both = flat(vec![(INDEX, 3), (INDEX, 4), (Expression::Constant(0), 2)]);
            let expected = if (0..3).contains(&pid) { (4 * pid + pid) * 2 } else { -1 };
            assert_eq!(value(&both, pid), expected);
        }
        assert_eq!(flat(vec![(INDEX, 3), (Expression::Constant(4), 4)]), Expression::Constant(-1));
        assert_eq!(flat(vec![(INDEX, 3)]), INDEX);
    }
}
