//! Declarations of variables, and their initial values.

use serde::{Deserialize, Serialize};

use super::{ChannelShape, Expression, Type};
use crate::source::Span;

/// A declared variable or parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name, as the user wrote it; a typedef's field has the whole path (`msg.header.kind`).
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// `Some(n)` if it is an array of n elements.
    pub length: Option<u32>,
    /// The initial value of its elements.
    pub init: Initializer,
    /// `true` if it is not part of the state (Promela: `hidden`). A hidden [`Type::Unsigned`] is
    /// not truncated to its width, but to that of a [`Type::Byte`].
    #[serde(default)]
    pub hidden: bool,
    /// For a field of records: the length of each part of its name that is an array. (`a[2].b.c[3]`
    /// is a variable `a.b.c` of 6 elements, with the lengths 2, none, and 3.) Empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<Option<u32>>,
    /// Span of the declaration.
    pub span: Span,
}

/// The initial value of a variable; for an array, of each element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Initializer {
    /// 0; for a channel variable, no channel.
    Zero,
    /// A value, computed when the variable is created.
    Value(Expression),
    /// One value per element.
    List(Vec<Expression>),
    /// New channels, one per element, created with the variable.
    NewChannel(ChannelShape),
    /// A parameter: its value is given when the process is created.
    Parameter,
}

impl Variable {
    /// A variable that is neither an array nor a field, and part of the state.
    #[must_use]
    pub fn scalar(name: impl Into<String>, ty: Type, init: Initializer, span: Span) -> Self {
        Self { name: name.into(), ty, length: None, init, hidden: false, lengths: Vec::new(), span }
    }

    /// Returns `true` if it is an array only because the enclosing records are: a [`Type::Bit`] is
    /// then one bit, and not a byte as in other arrays.
    #[must_use]
    pub fn of_records(&self) -> bool {
        self.length.is_some() && self.lengths.last() == Some(&None)
    }

    /// An element as the user would write it: `a`, `a[2]`, `a[1].b.c[2]`.
    #[must_use]
    pub fn element_name(&self, element: usize) -> String {
        if self.length.is_none() {
            return self.name.clone();
        }
        if self.lengths.is_empty() {
            return format!("{}[{element}]", self.name);
        }
        let mut rest = element;
        let mut parts: Vec<String> = Vec::new();
        for (part, length) in self.name.split('.').zip(&self.lengths).collect::<Vec<_>>().into_iter().rev() {
            let Some(length) = length.map(|length| length.max(1) as usize) else {
                parts.push(part.to_owned());
                continue;
            };
            parts.push(format!("{part}[{}]", rest % length));
            rest /= length;
        }
        parts.reverse();
        parts.join(".")
    }

    /// The type to which its content is truncated.
    #[must_use]
    pub const fn stored_type(&self) -> Type {
        match self.ty {
            Type::Unsigned(_) if self.hidden => Type::Byte,
            ty => ty,
        }
    }
}

impl Initializer {
    /// Mutable access to the expressions that the initialiser evaluates.
    pub fn expressions_mut(&mut self) -> &mut [Expression] {
        match self {
            Self::Zero | Self::NewChannel(_) | Self::Parameter => &mut [],
            Self::Value(value) => std::slice::from_mut(value),
            Self::List(values) => values,
        }
    }

    /// The expressions that the initialiser evaluates.
    #[must_use]
    pub fn expressions(&self) -> &[Expression] {
        match self {
            Self::Zero | Self::NewChannel(_) | Self::Parameter => &[],
            Self::Value(value) => std::slice::from_ref(value),
            Self::List(values) => values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_as_they_are_written() {
        let span = Span { file: crate::ids::Id::new(0), start: 0, end: 0 };
        let variable = |name: &str, lengths: &[Option<u32>]| {
            let length = lengths.iter().flatten().copied().reduce(|one, other| one * other);
            let lengths = if name.contains('.') { lengths.to_vec() } else { Vec::new() };
            let scalar = Variable::scalar(name, Type::Byte, Initializer::Zero, span);
            Variable { length, lengths, ..scalar }
        };
        let named =
            |name: &str, lengths: &[Option<u32>], element| variable(name, lengths).element_name(element);
        assert_eq!(named("a", &[None], 0), "a");
        assert_eq!(named("a", &[Some(3)], 2), "a[2]");
        assert_eq!(named("a.b", &[None, None], 0), "a.b");
        assert_eq!(named("a.b", &[Some(2), None], 1), "a[1].b");
        assert_eq!(named("a.b.c", &[Some(2), None, Some(3)], 5), "a[1].b.c[2]");
        assert_eq!(named("a.b.c", &[Some(2), None, Some(3)], 3), "a[1].b.c[0]");
        let of_records = |name: &str, lengths: &[Option<u32>]| variable(name, lengths).of_records();
        assert!(of_records("a.b", &[Some(2), None]));
        assert!(!of_records("a.b", &[Some(2), Some(3)]) && !of_records("a.b", &[None, None]));
        assert!(!of_records("a", &[Some(3)]) && !of_records("a", &[None]));
    }
}
