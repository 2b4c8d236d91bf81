//! Variables that get values which are not known, such as those of messages: their ranges.
//!
//! Such a variable is followed as two: its least and its greatest possible value. A value that is
//! not known sets them to the ends of its type; a condition that compares the variable with a
//! number narrows them on both of its ways. A condition over the variable is one over its range:
//! it may hold wherever it holds for some value in the range.

use std::collections::BTreeSet;

use action_code::{Expression, ExpressionKind, Operator, Unary};
use cfsm_core::program::Binary;

use super::Opaque;
use super::statement::Reader;
use crate::model::{AttributeId, Block, Step, Test, Value, ValueType};

/// A condition of a statement.
pub(crate) struct Judgement {
    /// The condition; nothing if it may hold or not.
    pub(crate) test: Option<Test>,
    /// The changes of ranges where it holds.
    pub(crate) if_holds: Block,
    /// The changes of ranges where it fails.
    pub(crate) if_fails: Block,
}

impl Judgement {
    /// A condition of which no range says anything.
    const fn plain(test: Option<Test>) -> Self {
        Self { test, if_holds: Vec::new(), if_fails: Vec::new() }
    }

    fn negated(self) -> Self {
        let test = self.test.map(|Test { holds, fails }| Test { holds: fails, fails: holds });
        Self { test, if_holds: self.if_fails, if_fails: self.if_holds }
    }
}

/// The values that an expression may have.
#[derive(Clone)]
struct Range {
    least: Value,
    greatest: Value,
    /// The variable, if the expression is one that has a range.
    variable: Option<Ranged>,
}

/// The two variables that stand for one.
#[derive(Clone, Copy)]
struct Ranged {
    least: AttributeId,
    greatest: AttributeId,
}

impl Reader<'_, '_> {
    /// The condition of a statement.
    pub(crate) fn judge(&mut self, found: &Expression, block: &mut Block) -> Result<Judgement, Opaque> {
        let before = block.len();
        if let Some(value) = self.value(found, block)? {
            return Ok(Judgement::plain(Some(Test::exact(value))));
        }
        // What changes something is not evaluated twice.
        let judged = if block.len() == before { self.range_test(found) } else { Judgement::plain(None) };
        if judged.test.is_some() {
            self.scope.count_condition();
        }
        Ok(judged)
    }

    /// The condition of a loop.
    pub(crate) fn judge_loop(
        &mut self,
        found: &Expression,
        block: &mut Block,
    ) -> Result<Option<Test>, Opaque> {
        self.names_in(found).into_iter().for_each(|variable| self.scope.variables.note_loop(variable));
        Ok(self.judge(found, block)?.test)
    }

    /// The variables in an expression that are followed, by their ranges or otherwise.
    fn names_in(&self, found: &Expression) -> BTreeSet<AttributeId> {
        let own = self.place_of(found).flatten();
        found.children().into_iter().flat_map(|child| self.names_in(child)).chain(own).collect()
    }

    /// A variable with a range becomes one more or less, unless its range ends there.
    pub(crate) fn shift(&mut self, variable: AttributeId, by: i64, block: &mut Block) {
        let variables = &self.scope.variables;
        let (low, high) = variables.ty(variable).range();
        let Some(greatest) =
            variables.greatest(variable).filter(|_| variables.ty(variable) == ValueType::Int)
        else {
            self.assign(variable, None, block);
            return;
        };
        for (end, limit) in [(variable, low), (greatest, high)] {
            let next = binary(Binary::Add, Value::Read(end), Value::Constant(by));
            let stays = binary(Binary::Equal, Value::Read(end), Value::Constant(limit));
            let value = Value::Conditional(Box::new(stays), Box::new(Value::Constant(limit)), Box::new(next));
            block.push(Step::Assign { variable: end, value });
        }
    }

    /// A condition without effects over ranges.
    fn range_test(&self, found: &Expression) -> Judgement {
        match &found.kind {
            ExpressionKind::Unary(Unary::Not, inner) => self.range_test(inner).negated(),
            ExpressionKind::Binary(Operator::And, left, right) => {
                both(self.range_test(left), self.range_test(right))
            }
            ExpressionKind::Binary(Operator::Or, left, right) => {
                both(self.range_test(left).negated(), self.range_test(right).negated()).negated()
            }
            ExpressionKind::Binary(operator, left, right) => {
                let Some((left, right)) = self.range(left).zip(self.range(right)) else {
                    return Judgement::plain(None);
                };
                match operator {
                    Operator::Less => self.less(&left, &right),
                    Operator::Greater => self.less(&right, &left),
                    Operator::LessEqual => self.less(&right, &left).negated(),
                    Operator::GreaterEqual => self.less(&left, &right).negated(),
                    _ => Judgement::plain(None),
                }
            }
            _ => Judgement::plain(None),
        }
    }

    /// The values of a number or a variable.
    fn range(&self, found: &Expression) -> Option<Range> {
        let exact = |value: Value| Range { least: value.clone(), greatest: value, variable: None };
        if let ExpressionKind::Literal(action_code::Literal::Integer(number)) = found.kind {
            return Some(exact(Value::Constant(number)));
        }
        // With an operand that has no sign, C compares numbers that have none.
        let least = self.place_of(found)??;
        if self.scope.variables.ty(least) == ValueType::Unsigned {
            return None;
        }
        Some(match self.scope.variables.greatest(least) {
            None => exact(Value::Read(least)),
            Some(greatest) => Range {
                least: Value::Read(least),
                greatest: Value::Read(greatest),
                variable: Some(Ranged { least, greatest }),
            },
        })
    }

    /// `left < right`; a comparison with a number narrows a range on both ways.
    fn less(&self, left: &Range, right: &Range) -> Judgement {
        let holds = binary(Binary::Less, left.least.clone(), right.greatest.clone());
        let fails = binary(Binary::GreaterEqual, left.greatest.clone(), right.least.clone());
        let mut judged = Judgement::plain(Some(Test { holds, fails }));
        if let (Some(variable), Value::Constant(number)) = (left.variable, &right.least) {
            self.scope.variables.note_limit(variable.least);
            judged.if_holds.push(at_most(variable, number.saturating_sub(1)));
            judged.if_fails.push(at_least(variable, *number));
        }
        if let (Value::Constant(number), Some(variable)) = (&left.least, right.variable) {
            self.scope.variables.note_limit(variable.least);
            judged.if_holds.push(at_least(variable, number.saturating_add(1)));
            judged.if_fails.push(at_most(variable, *number));
        }
        judged
    }
}

/// The condition that both hold. Where it fails, nothing is known of either.
fn both(left: Judgement, right: Judgement) -> Judgement {
    let unknown = || Test { holds: Value::Constant(1), fails: Value::Constant(1) };
    let is_known = left.test.is_some() || right.test.is_some();
    let (one, other) = (left.test.unwrap_or_else(unknown), right.test.unwrap_or_else(unknown));
    let test = Test {
        holds: binary(Binary::And, one.holds, other.holds),
        fails: binary(Binary::Or, one.fails, other.fails),
    };
    let if_holds = left.if_holds.into_iter().chain(right.if_holds).collect();
    Judgement { test: is_known.then_some(test), if_holds, if_fails: Vec::new() }
}

/// The greatest value of a variable becomes a number at most.
fn at_most(variable: Ranged, number: i64) -> Step {
    narrowed(variable.greatest, Binary::Greater, number)
}

/// The least value of a variable becomes a number at least.
fn at_least(variable: Ranged, number: i64) -> Step {
    narrowed(variable.least, Binary::Less, number)
}

/// One end of a range becomes a number where it is beyond it.
fn narrowed(end: AttributeId, beyond: Binary, number: i64) -> Step {
    let condition = binary(beyond, Value::Read(end), Value::Constant(number));
    let (number, stays) = (Box::new(Value::Constant(number)), Box::new(Value::Read(end)));
    Step::Assign { variable: end, value: Value::Conditional(Box::new(condition), number, stays) }
}

fn binary(operator: Binary, one: Value, other: Value) -> Value {
    Value::Binary(operator, Box::new(one), Box::new(other))
}
