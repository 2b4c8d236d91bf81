//! Loops that end, and how often they turn.
//!
//! [`loops`] finds the loops of each process type of a [`Program`](cfsm_core::program::Program) and
//! asks of each whether control can stay in it for ever, and how often it comes back to its head:
//! thesis chapter 9 and sections 8.3 and 12.2. The answer is a proof by lexicographic ranking
//! functions, which linear programmes find and exact arithmetic decides; cut points are split by
//! conditions, and blocks composed, where no function is found at first.
//! `docs/soundness/ranking.md` has the argument.
//!
//! ```
//! use cfsm_core::program::{Binary, Expression, ProgramBuilder, Type};
//! use ranking::{Outcome, loops};
//!
//! let mut b = ProgramBuilder::new("countdown.txt");
//! let mut process = b.process("P", 1);
//! let x = process.local("x", Type::Byte);
//! let (read, one) = (|| Box::new(Expression::variable(x)), Box::new(Expression::Constant(1)));
//! let zero = Box::new(Expression::Constant(0));
//! process.wait("head", Expression::Binary(Binary::Greater, read(), zero), "body", "x > 0");
//! process.assign("body", x, Expression::Binary(Binary::Subtract, read(), one), "head", "x--");
//! let program = b.build()?;
//! let found = loops(&program);
//! assert!(matches!(&found[0].outcome, Outcome::Ends(rounds) if rounds.most() == 0.into()));
//! # Ok::<(), cfsm_core::program::Fault>(())
//! ```
//!
//! # Complexity
//! Linear programmes over the ways through each outermost loop, whose number, and that of the
//! variables, is limited: polynomial in these limits, and linear in the number of loops.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod affine;
mod analysis;
mod blocks;
mod execute;
mod farkas;
mod invariants;
mod limits;
mod nesting;
mod polyhedron;
mod quantities;
mod rank;
mod reasons;
mod rounds;
mod split;
mod variables;

pub use affine::{Affine, Symbol};
pub use analysis::{LoopResult, Outcome, Question, loops};
pub use nesting::Loop;
pub use quantities::{Distance, Machine, Valuation, Wanted, prove};
pub use rounds::{Part, Rounds, Sum};
pub use variables::Statement;
