//! Expressions over variables and channels. They have no side effects: what Promela writes as one
//! with an effect (`run`, `x++`) is an [`Action`](super::Action).

use serde::{Deserialize, Serialize};

use super::{LocationId, Pattern, ProcessTypeId, VariableId};

/// A variable, seen from inside a process type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum VariableRef {
    /// A global variable of the program.
    Global(VariableId),
    /// A local variable of the current process type.
    Local(VariableId),
}

/// A place that can be written: a variable, or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The variable.
    pub variable: VariableRef,
    /// The index, for an array.
    pub index: Option<Box<Expression>>,
}

impl Place {
    /// A variable that is not an array.
    #[must_use]
    pub const fn scalar(variable: VariableRef) -> Self {
        Self { variable, index: None }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    /// `-x`
    Negate,
    /// `!x`, 0 or 1
    Not,
    /// `~x`
    Complement,
}

/// Operators with two operands. Comparisons and connectives give 0 or 1; connectives do not
/// evaluate their right side where the left one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards 0; by 0 is an error of the run
    Divide,
    /// `%`, with the sign of the left side; by 0 is an error of the run
    Remainder,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Binary {
    /// Returns `true` for operators on numbers: those that neither compare nor are logical.
    #[must_use]
    pub const fn is_arithmetic(self) -> bool {
        use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
        !matches!(self, And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}

/// An expression. Values are integers; channels are numbers too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expression {
    /// A number; a symbolic constant is its number.
    Constant(i64),
    /// The content of a variable.
    Read(Place),
    /// A unary operator.
    Unary(Unary, Box<Expression>),
    /// A binary operator.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `(condition -> then : otherwise)`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Number of messages in a channel.
    Length(Box<Expression>),
    /// 1 if a channel is empty (`empty`; Promela's operator `nempty` is its negation here).
    Empty(Box<Expression>),
    /// 1 if a channel is full (`full`, `nfull`).
    Full(Box<Expression>),
    /// 1 if a receive is executable; the message is not received (`c?[...]`, `c??[...]`).
    Poll {
        /// The channel.
        channel: Box<Expression>,
        /// One pattern for each field; nothing is stored.
        patterns: Vec<Pattern>,
        /// `true` for any message (`??`), `false` for the first one only (`?`).
        random: bool,
    },
    /// 1 if no edge of any process is executable.
    Timeout,
    /// 1 if no process is at a progress location (`np_`).
    NonProgress,
    /// Number of the process itself (`_pid`).
    Pid,
    /// Number of processes (`_nr_pr`).
    ProcessCount,
    /// Number of the process that stepped last (`_last`).
    Last,
    /// 1 if a process has an executable edge.
    Enabled(Box<Expression>),
    /// Number of the control location of a process (`pc_value`).
    ProgramCounter(Box<Expression>),
    /// Priority of a process (`get_priority`).
    Priority(Box<Expression>),
    /// 1 if a process is at a location (`Type[pid]@label`).
    AtLocation {
        /// The type of the process.
        process_type: ProcessTypeId,
        /// The number of the process; `None` if the type has one instance only.
        process: Option<Box<Expression>>,
        /// The location.
        location: LocationId,
    },
    /// A local variable of another process (`Type[pid]:variable`).
    RemoteRead {
        /// The type of the process.
        process_type: ProcessTypeId,
        /// The number of the process; `None` if the type has one instance only.
        process: Option<Box<Expression>>,
        /// The variable, an id of that type's locals.
        variable: VariableId,
        /// The index, for an array.
        index: Option<Box<Expression>>,
    },
    /// Code in another language: any value.
    Opaque(String),
}

/// The immediate subexpressions of an expression, by reference or by mutable reference.
macro_rules! children {
    ($whole:expr, $boxed:ident, $each:ident, $pattern:path, $reference:ty) => {
        match $whole {
            Self::Constant(_)
            | Self::Timeout
            | Self::NonProgress
            | Self::Pid
            | Self::ProcessCount
            | Self::Last
            | Self::Opaque(_) => Vec::new(),
            Self::Read(place) => place.index.$boxed().into_iter().collect(),
            Self::Unary(_, operand)
            | Self::Length(operand)
            | Self::Empty(operand)
            | Self::Full(operand)
            | Self::Enabled(operand)
            | Self::ProgramCounter(operand)
            | Self::Priority(operand) => vec![operand],
            Self::Binary(_, left, right) => vec![left, right],
            Self::Conditional(condition, then, otherwise) => vec![condition, then, otherwise],
            Self::Poll { channel, patterns, .. } => {
                let mut all: Vec<$reference> = vec![channel];
                all.extend(patterns.$each().filter_map($pattern));
                all
            }
            Self::AtLocation { process, .. } => process.$boxed().into_iter().collect(),
            Self::RemoteRead { process, index, .. } => {
                process.$boxed().into_iter().chain(index.$boxed()).collect()
            }
        }
    };
}

impl Expression {
    /// The content of a variable that is not an array.
    #[must_use]
    pub const fn variable(variable: VariableRef) -> Self {
        Self::Read(Place::scalar(variable))
    }

    /// The value, if it is a constant.
    #[must_use]
    pub const fn constant(&self) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns `true` if `ask` holds for this expression or one of its subexpressions. Time linear
    /// in the expression.
    pub fn any(&self, ask: &mut dyn FnMut(&Self) -> bool) -> bool {
        ask(self) || self.children().into_iter().any(|child| child.any(ask))
    }

    /// Mutable access to the immediate subexpressions.
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        children!(self, as_deref_mut, iter_mut, Pattern::expression_mut, &mut Self)
    }

    /// The immediate subexpressions.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        children!(self, as_deref, iter, Pattern::expression, &Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_found() {
        let one = || Box::new(Expression::Constant(1));
        let quotient = Expression::Binary(Binary::Divide, one(), one());
        let outer = Expression::Poll {
            channel: one(),
            patterns: vec![Pattern::Any, Pattern::Match(quotient)],
            random: false,
        };
        let mut divides = |e: &Expression| matches!(e, Expression::Binary(Binary::Divide, ..));
        assert!(outer.any(&mut divides));
        assert!(!one().any(&mut divides));
    }
}
