//! Fragments of C, C++ and Java to syntax trees that do not depend on the language.
//!
//! A fragment is the code of a model: the statements of a function's body, or an expression. It is
//! read as C++, which reads C too, and as Java if that fits better. Text that does not parse, or
//! that the trees cannot say, is an opaque node with its range. The crate knows nothing of models,
//! ports or messages.
//!
//! ```
//! use action_code::{StatementKind, statements};
//!
//! let code = statements("if (n < 3) { n++; }", 100);
//! assert!(code.is_whole);
//! assert!(matches!(code.statements[0].kind, StatementKind::If { .. }));
//! assert_eq!(code.statements[0].range, 0..19);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cursor;
mod expression;
mod members;
mod parse;
mod statement;
mod tree;

pub use members::{Argument, Field, Function, Members, definitions, members};
pub use parse::{expression, statements};
pub use tree::{
    Code, Declarator, Expression, ExpressionKind, Literal, Operator, Section, Statement, StatementKind,
    Unary, Whole,
};
