//! Values that action code computes with.

use std::collections::BTreeSet;

use cfsm_core::define_id;
use cfsm_core::program::{Binary, Unary};
use cfsm_core::source::Span;

define_id!(
    /// A variable of a class: an attribute, or a local variable of its code.
    AttributeId, "attribute"
);

/// A variable of a class: one all of whose changes are understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ValueType,
    /// The value before the initial transition.
    pub initial: i64,
    /// True for a local variable of code: nothing reads its value behind the code.
    pub local: bool,
    /// The place of its declaration.
    pub span: Span,
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// 0 or 1.
    Boolean,
    /// 8 bits without a sign.
    Byte,
    /// 16 bits with a sign.
    Short,
    /// 16 bits without a sign.
    Word,
    /// 32 bits with a sign, which are taken not to overflow.
    Int,
    /// 32 bits without a sign. A number from 2^31 on is kept as the one with a sign that has the
    /// same bits.
    Unsigned,
}

impl ValueType {
    /// The least and the greatest value, as far as it is kept as itself.
    #[must_use]
    pub const fn range(self) -> (i64, i64) {
        match self {
            Self::Boolean => (0, 1),
            Self::Byte => (0, 0xff),
            Self::Short => (-0x8000, 0x7fff),
            Self::Word => (0, 0xffff),
            Self::Int => (-0x8000_0000, 0x7fff_ffff),
            Self::Unsigned => (0, 0x7fff_ffff),
        }
    }
}

/// A value without effects. Comparisons and connectives are 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Constant(i64),
    /// The content of a variable.
    Read(AttributeId),
    /// An operator with one operand.
    Unary(Unary, Box<Value>),
    /// An operator with two operands.
    Binary(Binary, Box<Value>, Box<Value>),
    /// The second value if the first one is not 0, else the third one.
    Conditional(Box<Value>, Box<Value>, Box<Value>),
}

/// A condition in code, as far as it is known. Where both values are not 0, it may hold or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Not 0 wherever the condition may hold.
    pub holds: Value,
    /// Not 0 wherever the condition may fail.
    pub fails: Value,
}

impl Test {
    /// The condition that holds exactly where a value is not 0.
    #[must_use]
    pub fn exact(value: Value) -> Self {
        Self { fails: Value::negated(value.clone()), holds: value }
    }

    /// Adds the variables that are read.
    pub fn collect_reads(&self, all: &mut BTreeSet<AttributeId>) {
        self.holds.collect_reads(all);
        self.fails.collect_reads(all);
    }
}

impl Value {
    /// 1 if a value is 0, else 0.
    #[must_use]
    pub fn negated(value: Self) -> Self {
        Self::Unary(Unary::Not, Box::new(value))
    }

    /// 1 if neither of two values is 0, else 0.
    #[must_use]
    pub fn and(one: Self, other: Self) -> Self {
        Self::Binary(Binary::And, Box::new(one), Box::new(other))
    }

    /// Adds the variables that are read.
    pub fn collect_reads(&self, all: &mut BTreeSet<AttributeId>) {
        match self {
            Self::Constant(_) => {}
            Self::Read(variable) => _ = all.insert(*variable),
            Self::Unary(_, one) => one.collect_reads(all),
            Self::Binary(_, one, other) => {
                one.collect_reads(all);
                other.collect_reads(all);
            }
            Self::Conditional(one, other, third) => {
                one.collect_reads(all);
                other.collect_reads(all);
                third.collect_reads(all);
            }
        }
    }
}
