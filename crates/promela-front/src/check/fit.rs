//! Compatibility of values with the types of their destinations.

use super::network::NodeId;
use super::types::{Kind, RecordId, SetId, Ty, Types};
use crate::codes;

/// Abstract value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'m> {
    /// Nothing is known.
    Unknown,
    /// A literal number.
    Constant(i64),
    /// The content of a numeric variable, with its name.
    Variable(Kind, &'m str),
    /// A numeric field of a record that is sent as a whole.
    Field(Kind),
    /// A number computed by arithmetic.
    Computed,
    /// A symbol, with its name, or the content of a variable that holds one.
    Symbol(SetId, Option<&'m str>),
    /// A channel.
    Channel(NodeId),
    /// A whole record.
    Record(RecordId, NodeId),
}

/// A mismatch between a value and the type of its destination.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Misfit {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Misfit {
    pub(super) fn new(code: &'static str, message: String) -> Self {
        Self { code, message, hint: None }
    }
}

impl<'m> Types<'m> {
    /// Checks a value against the type of its destination; `None` if it fits.
    ///
    /// Symbols are numbers from 1 up, and models store them in a `byte` as often as in an `mtype`;
    /// neither direction is reported. A number other than 0 for a symbol is reported, since its
    /// meaning changes with the declaration of the symbols. A variable that holds more than its
    /// destination is reported; an expression is not, since its range is seldom known.
    pub(super) fn misfit(&self, value: Value<'m>, wanted: Ty) -> Option<Misfit> {
        match (wanted, value) {
            (Ty::Unknown | Ty::Record(_), _) | (_, Value::Unknown | Value::Record(..)) => None,
            (Ty::Channel, Value::Channel(_) | Value::Constant(0)) => None,
            (Ty::Channel, _) | (_, Value::Channel(_)) => {
                Some(self.goes_where(codes::CHANNEL_MISMATCH, value, wanted))
            }
            (Ty::Symbols(set), Value::Symbol(given, _)) => {
                (set != given).then(|| self.goes_where(codes::OTHER_SYMBOLS, value, wanted))
            }
            (Ty::Symbols(_), Value::Constant(0)) => None,
            (Ty::Symbols(_), Value::Constant(_)) | (Ty::Number(Kind::Bit), Value::Symbol(..)) => {
                Some(self.goes_where(codes::SYMBOL_AS_NUMBER, value, wanted))
            }
            (Ty::Number(_), Value::Symbol(..)) | (_, Value::Computed) => None,
            (Ty::Number(kind), Value::Constant(value)) => out_of_range(kind, value),
            (Ty::Number(_) | Ty::Symbols(_), Value::Variable(given, _) | Value::Field(given)) => {
                let kind = if let Ty::Number(kind) = wanted { kind } else { Kind::Byte };
                (!kind.holds(given)).then(|| {
                    let (given, name) = (self.describe(value), self.type_name(wanted));
                    let message = format!("{given} goes into {name}, which holds less");
                    Misfit::new(codes::NARROWING, message)
                })
            }
        }
    }

    fn goes_where(&self, code: &'static str, value: Value<'_>, wanted: Ty) -> Misfit {
        let value = self.describe(value);
        let message = match wanted {
            Ty::Channel => format!("{value} goes where a channel is wanted"),
            Ty::Symbols(set) => format!("{value} goes where a symbol of `{}` is wanted", self.set_name(set)),
            Ty::Number(Kind::Bit) => format!("{value} goes into a `bit`, which holds 0 and 1 only"),
            _ => format!("{value} goes where a number is wanted"),
        };
        Misfit::new(code, message)
    }

    /// The name of a numeric or symbol type, with an article.
    fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Number(kind @ (Kind::Unsigned(_) | Kind::Int)) => format!("an `{}`", kind.name()),
            Ty::Number(kind) => format!("a `{}`", kind.name()),
            Ty::Symbols(set) => format!("an `{}`", self.set_name(set)),
            _ => String::from("a number"),
        }
    }

    /// A description of a value, with an article.
    pub(super) fn describe(&self, value: Value<'_>) -> String {
        match value {
            Value::Constant(value) => format!("the number {value}"),
            Value::Variable(kind, name) => format!("`{name}` of type `{}`", kind.name()),
            Value::Field(kind) => format!("a field of type `{}`", kind.name()),
            Value::Symbol(set, Some(name)) => format!("the symbol `{name}` of `{}`", self.set_name(set)),
            Value::Symbol(set, None) => format!("a symbol of `{}`", self.set_name(set)),
            Value::Channel(_) => String::from("a channel"),
            Value::Computed | Value::Unknown | Value::Record(..) => String::from("a number"),
        }
    }
}

fn out_of_range(kind: Kind, value: i64) -> Option<Misfit> {
    let (least, greatest) = kind.range();
    (value < least || value > greatest).then(|| {
        let message = format!("the number {value} does not fit into `{}`", kind.name());
        let hint = Some(format!("its values are {least} to {greatest}"));
        Misfit { code: codes::NARROWING, message, hint }
    })
}
