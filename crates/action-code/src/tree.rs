//! The syntax tree.

use std::ops::Range;

/// The statements of a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The statements.
    pub statements: Vec<Statement>,
    /// True if the whole text was read without an error of grammar. If not, it is doubtful what the
    /// statements mean.
    pub is_whole: bool,
    /// The bytes of each word outside comments, texts and characters: names and keywords, whether
    /// the statements say them or not.
    pub words: Vec<Range<usize>>,
}

/// A fragment that is one expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The expression; opaque if the fragment is none.
    pub expression: Expression,
    /// The bytes of each word, as in [`Code::words`].
    pub words: Vec<Range<usize>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its content.
    pub kind: StatementKind,
    /// Its bytes in the fragment.
    pub range: Range<usize>,
}

/// The content of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `{ ... }`, or a lone semicolon.
    Block(Vec<Statement>),
    /// An expression that is executed.
    Expression(Expression),
    /// A declaration of variables.
    Declaration(Vec<Declarator>),
    /// `if`.
    If {
        /// The condition.
        condition: Expression,
        /// The statement if it holds.
        then: Box<Statement>,
        /// The statement if it does not.
        otherwise: Option<Box<Statement>>,
    },
    /// `switch`.
    Switch {
        /// The value that decides.
        value: Expression,
        /// The labels with what follows them; control falls from one to the next.
        sections: Vec<Section>,
    },
    /// `while`.
    While {
        /// The condition.
        condition: Expression,
        /// The statement that is repeated.
        body: Box<Statement>,
    },
    /// `do ... while`.
    DoWhile {
        /// The statement that is repeated.
        body: Box<Statement>,
        /// The condition.
        condition: Expression,
    },
    /// `for (initial; condition; update)`.
    For {
        /// The first part.
        initial: Option<Box<Statement>>,
        /// The condition; none always holds.
        condition: Option<Expression>,
        /// The expressions that are evaluated after each round.
        update: Vec<Expression>,
        /// The statement that is repeated.
        body: Box<Statement>,
    },
    /// `for (element : collection)`.
    ForEach {
        /// The head, without the loop's body: a declaration of the element.
        element: Declarator,
        /// The collection.
        collection: Expression,
        /// The statement that is repeated.
        body: Box<Statement>,
    },
    /// `break` without a label.
    Break,
    /// `continue` without a label.
    Continue,
    /// `return`.
    Return(Option<Expression>),
    /// A statement that the tree cannot say, or an error.
    Opaque,
}

/// A label of a `switch`, with the statements up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The value; none for `default`.
    pub label: Option<Expression>,
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A variable that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// Its name; empty where the declaration has a form that the tree cannot say.
    pub name: String,
    /// The bytes of the name.
    pub name_range: Range<usize>,
    /// The name of its type, as written.
    pub type_name: String,
    /// True for a variable of just this type that lives as long as the block: no pointer,
    /// reference, array, function, and nothing `static`.
    pub is_plain: bool,
    /// The initial value.
    pub value: Option<Expression>,
    /// Its bytes in the fragment.
    pub range: Range<usize>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its content.
    pub kind: ExpressionKind,
    /// Its bytes in the fragment.
    pub range: Range<usize>,
}

/// The content of an expression. Parentheses leave no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// A literal.
    Literal(Literal),
    /// A name; `this` is one.
    Name(String),
    /// `object.member`, `object->member`, `object::member`.
    Member {
        /// The object, or the scope.
        object: Box<Expression>,
        /// The member's name.
        member: String,
    },
    /// `object[index]`.
    Index {
        /// The object.
        object: Box<Expression>,
        /// The index.
        index: Box<Expression>,
    },
    /// `callee(arguments)`.
    Call {
        /// The function: a name or a member, mostly.
        callee: Box<Expression>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// An operator with one operand.
    Unary(Unary, Box<Expression>),
    /// An operator with two operands.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `target = value`, `target += value` and the like.
    Assignment {
        /// The operator, if it is not `=` alone.
        operator: Option<Operator>,
        /// The target.
        target: Box<Expression>,
        /// The right side.
        value: Box<Expression>,
    },
    /// `++` and `--`.
    Increment {
        /// The target.
        target: Box<Expression>,
        /// True for `--`.
        is_decrement: bool,
        /// True if the value is the one afterwards.
        is_prefix: bool,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// The condition.
        condition: Box<Expression>,
        /// The value if it holds.
        then: Box<Expression>,
        /// The value if it does not.
        otherwise: Box<Expression>,
    },
    /// `left, right`.
    Sequence(Box<Expression>, Box<Expression>),
    /// `(type) operand`.
    Cast {
        /// The type, as written.
        type_name: String,
        /// The operand.
        operand: Box<Expression>,
    },
    /// An expression that the tree cannot say, or an error.
    Opaque,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A signed whole number.
    Integer(i64),
    /// `true` or `false`.
    Boolean(bool),
    /// Another one: a text, a character, a number with a point, an unsigned number.
    Other,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `&`
    AddressOf,
    /// `*`
    Dereference,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are named as everywhere
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    /// An operator that C has not.
    Other,
}

impl Operator {
    pub(crate) fn from_text(text: &str) -> Self {
        match text {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            "&" | "bitand" => Self::BitAnd,
            "|" | "bitor" => Self::BitOr,
            "^" | "xor" => Self::BitXor,
            "<<" => Self::ShiftLeft,
            ">>" => Self::ShiftRight,
            "==" => Self::Equal,
            "!=" | "not_eq" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            "&&" | "and" => Self::And,
            "||" | "or" => Self::Or,
            _ => Self::Other,
        }
    }
}

impl Expression {
    /// The immediate subexpressions. Those of an opaque one are not known.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExpressionKind::Literal(_) | ExpressionKind::Name(_) | ExpressionKind::Opaque => Vec::new(),
            ExpressionKind::Member { object: one, .. }
            | ExpressionKind::Unary(_, one)
            | ExpressionKind::Increment { target: one, .. }
            | ExpressionKind::Cast { operand: one, .. } => vec![one],
            ExpressionKind::Index { object: one, index: other }
            | ExpressionKind::Binary(_, one, other)
            | ExpressionKind::Assignment { target: one, value: other, .. }
            | ExpressionKind::Sequence(one, other) => vec![one, other],
            ExpressionKind::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            ExpressionKind::Call { callee, arguments } => {
                std::iter::once(&**callee).chain(arguments).collect()
            }
        }
    }
}
