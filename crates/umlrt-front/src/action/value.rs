//! Values of expressions, and changes of variables.

use std::collections::BTreeSet;
use std::ops::Range;

use action_code::{Expression, ExpressionKind, Literal, Operator, Unary, statements};
use cfsm_core::program::{Binary, Unary as UnaryOperator};

use super::statement::Reader;
use super::types::type_of;
use super::{Opaque, any_number, changes, sends};
use crate::model::{AttributeId, Block, Condition, Step, Test, Value, ValueType};

impl Reader<'_, '_> {
    /// The fragment as a condition.
    pub(crate) fn condition(&mut self) -> Result<Condition, Opaque> {
        let text = self.code.text.as_str();
        let code = statements(text, self.scope.max_nesting);
        if self.scope.hides_words(text) {
            return Err(Opaque);
        }
        let mut block = Vec::new();
        // A guard of older texts is a statement: `return x;`.
        let value = match code.statements.as_slice() {
            [only] if code.is_whole => match &only.kind {
                action_code::StatementKind::Return(Some(value)) => {
                    let value = self.value(value, &mut block)?;
                    self.check_words(&code.words)?;
                    value
                }
                _ => self.whole_expression(&mut block)?,
            },
            _ => self.whole_expression(&mut block)?,
        };
        match value {
            Some(Value::Constant(0)) if block.is_empty() => Ok(Condition::False),
            Some(Value::Constant(_)) if block.is_empty() => Ok(Condition::True),
            Some(value) if block.is_empty() => Ok(Condition::When(value)),
            _ => {
                // In which order conditions are asked is not told.
                self.lose_assigned(&block);
                Ok(Condition::Free(block))
            }
        }
    }

    fn whole_expression(&mut self, block: &mut Block) -> Result<Option<Value>, Opaque> {
        let text = self.code.text.trim_end().trim_end_matches(';');
        let action_code::Whole { expression, words } = action_code::expression(text, self.scope.max_nesting);
        if expression.kind == ExpressionKind::Opaque {
            block.push(Step::Call(self.all()?));
            return Ok(None);
        }
        let value = self.value(&expression, block)?;
        self.check_words(&words)?;
        Ok(value)
    }

    /// The value of an expression, if it is understood; its effects are added to a block.
    pub(crate) fn value(&mut self, found: &Expression, block: &mut Block) -> Result<Option<Value>, Opaque> {
        match &found.kind {
            ExpressionKind::Literal(Literal::Integer(number)) => Ok(Some(Value::Constant(*number))),
            ExpressionKind::Literal(Literal::Boolean(holds)) => {
                // In C it may be a macro.
                let text = self.code.text.get(found.range.clone()).unwrap_or_default();
                let known = !self.scope.macros.contains(text);
                Ok(known.then(|| Value::Constant(i64::from(*holds))))
            }
            ExpressionKind::Literal(Literal::Other) => Ok(None),
            ExpressionKind::Name(_) | ExpressionKind::Member { .. } => self.named(found, block),
            ExpressionKind::Index { object, index } => {
                self.indexed(object, index, found, block)?;
                Ok(None)
            }
            ExpressionKind::Call { callee, arguments } => {
                self.call(callee, arguments, found, block)?;
                Ok(None)
            }
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand, block),
            ExpressionKind::Binary(Operator::And, left, right) => self.lazy(true, left, right, block),
            ExpressionKind::Binary(Operator::Or, left, right) => self.lazy(false, left, right, block),
            ExpressionKind::Binary(operator, left, right) => {
                if matches!(operator, Operator::ShiftRight | Operator::Other) {
                    // `cin >> x`
                    self.lose_referred(right);
                }
                let values = self.operands(&[left, right], found, block)?;
                let [left, right] = values.as_slice() else { return Ok(None) };
                Ok(left
                    .clone()
                    .zip(right.clone())
                    .and_then(|(left, right)| self.combined(*operator, left, right)))
            }
            ExpressionKind::Assignment { operator, target, value } => {
                self.assignment(*operator, target, value, found, block)
            }
            ExpressionKind::Increment { target, is_decrement, is_prefix } => {
                self.increment(target, *is_decrement, *is_prefix, block)
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, block)
            }
            ExpressionKind::Sequence(left, right) => {
                self.value(left, block)?;
                self.value(right, block)
            }
            ExpressionKind::Cast { type_name, operand } => {
                let value = self.value(operand, block)?;
                if type_of(type_name).is_none() {
                    // The type may be that of an object that is made from a reference.
                    self.lose_referred(operand);
                }
                let is_kept =
                    |value: &Value| type_of(type_name) == Some(ValueType::Int) && !self.is_unsigned(value);
                Ok(value.filter(is_kept))
            }
            // Its words are not understood.
            ExpressionKind::Opaque => Ok(None),
        }
    }

    fn named(&mut self, found: &Expression, block: &mut Block) -> Result<Option<Value>, Opaque> {
        if let Some(known) = self.place_of(found) {
            self.understand_place(found);
            let known = known.filter(|&variable| self.scope.variables.greatest(variable).is_none());
            return Ok(known.map(Value::Read));
        }
        match &found.kind {
            ExpressionKind::Name(name) => {
                self.bare_name(name, found, block)?;
                if self.scope.macros.contains(name) {
                    return Ok(None);
                }
                let is_of_library = self.scope.is_art && !self.scope.user_words.contains(name);
                Ok(match name.as_str() {
                    "RTTrue" if is_of_library => Some(Value::Constant(1)),
                    "RTFalse" if is_of_library => Some(Value::Constant(0)),
                    "TRUE" | "ET_TRUE" => Some(Value::Constant(1)),
                    "FALSE" | "ET_FALSE" => Some(Value::Constant(0)),
                    _ => None,
                })
            }
            ExpressionKind::Member { object, member } => {
                self.member(found, object, member, block).map(|()| None)
            }
            _ => Ok(None),
        }
    }

    fn increment(
        &mut self,
        target: &Expression,
        is_decrement: bool,
        is_prefix: bool,
        block: &mut Block,
    ) -> Result<Option<Value>, Opaque> {
        let Some(Some(variable)) = self.place_of(target) else {
            self.lose_referred(target);
            return self.value(target, block).map(|_| None);
        };
        self.understand_place(target);
        let (operator, back) = if is_decrement {
            (Operator::Subtract, Operator::Add)
        } else {
            (Operator::Add, Operator::Subtract)
        };
        if self.scope.variables.greatest(variable).is_some() {
            self.shift(variable, if is_decrement { -1 } else { 1 }, block);
            return Ok(None);
        }
        let read = Value::Read(variable);
        if self.scope.variables.ty(variable) == ValueType::Unsigned {
            self.change_unsigned(variable, operator, Some(Value::Constant(1)), block);
            return Ok(None);
        }
        self.assign(variable, arithmetic(operator, read.clone(), Value::Constant(1)), block);
        Ok(match self.scope.variables.ty(variable) {
            ValueType::Int if is_prefix => Some(read),
            ValueType::Int => arithmetic(back, read, Value::Constant(1)),
            _ => None,
        })
    }

    fn conditional(
        &mut self,
        condition: &Expression,
        then: &Expression,
        otherwise: &Expression,
        block: &mut Block,
    ) -> Result<Option<Value>, Opaque> {
        let condition = self.value(condition, block)?;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let then = self.value(then, &mut first)?;
        let otherwise = self.value(otherwise, &mut second)?;
        if first.is_empty() && second.is_empty() {
            let both = then.zip(otherwise).filter(|(then, otherwise)| self.have_one_type(then, otherwise));
            return Ok(condition.zip(both).map(|(condition, (then, otherwise))| {
                Value::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
            }));
        }
        self.branch(condition.map(Test::exact), first, second, block);
        Ok(None)
    }

    /// The variable that an expression denotes: nothing if it denotes none, nothing inside if it is
    /// not followed.
    pub(crate) fn place_of(&self, found: &Expression) -> Option<Option<AttributeId>> {
        match &found.kind {
            ExpressionKind::Name(name) => {
                let local = self.locals.iter().rev().find_map(|names| names.get(name)).copied();
                local.or_else(|| self.scope.variables.attribute(name).map(Some))
            }
            ExpressionKind::Member { object, member } => {
                self.is_own(object).then(|| self.scope.variables.attribute(member).map(Some)).flatten()
            }
            _ => None,
        }
    }

    /// The words of an expression that denotes a variable.
    fn understand_place(&mut self, found: &Expression) {
        match &found.kind {
            ExpressionKind::Member { object, member } => {
                self.understand(&object.range.clone());
                self.understand(&member_range(found, member));
            }
            _ => self.understand(&found.range.clone()),
        }
    }

    /// True for `this` and `self`.
    pub(crate) fn is_own(&self, object: &Expression) -> bool {
        let ExpressionKind::Name(name) = &object.kind else { return false };
        matches!(name.as_str(), "this" | "self") && !self.is_local(name)
    }

    /// True for the name of a local variable or of a parameter.
    pub(crate) fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|names| names.contains_key(name))
    }

    /// Gives up the variables that an expression may refer to: who gets it as a reference may
    /// change them.
    pub(crate) fn lose_referred(&mut self, found: &Expression) {
        if let Some(known) = self.place_of(found) {
            known.into_iter().for_each(|variable| self.scope.variables.lose(variable));
            return;
        }
        match &found.kind {
            ExpressionKind::Assignment { target: inner, .. }
            | ExpressionKind::Increment { target: inner, .. }
            | ExpressionKind::Sequence(_, inner)
            | ExpressionKind::Cast { operand: inner, .. } => self.lose_referred(inner),
            ExpressionKind::Conditional { then, otherwise, .. } => {
                self.lose_referred(then);
                self.lose_referred(otherwise);
            }
            // A number or a truth value: a new value in all languages.
            ExpressionKind::Literal(_) | ExpressionKind::Binary(..) => {}
            ExpressionKind::Unary(operator, inner) => {
                if matches!(operator, Unary::AddressOf | Unary::Dereference) {
                    self.lose_places(inner);
                }
            }
            // A function, an index or a member may hand on a reference that it got.
            _ => found.children().into_iter().for_each(|child| self.lose_referred(child)),
        }
    }

    /// All variables in an expression to which a reference may be made.
    pub(crate) fn lose_places(&mut self, found: &Expression) {
        self.lose_referred(found);
        for child in found.children() {
            self.lose_places(child);
        }
    }

    pub(crate) fn lose_assigned(&mut self, block: &Block) {
        for variable in assigned(block) {
            self.scope.variables.lose(variable);
        }
    }

    /// A variable gets a value; without one, no more than its range is followed. True if its value
    /// is known then.
    pub(crate) fn assign(&mut self, variable: AttributeId, value: Option<Value>, block: &mut Block) -> bool {
        let variables = &self.scope.variables;
        let ty = variables.ty(variable);
        let value = value.filter(|value| match ty {
            ValueType::Boolean => self.is_boolean(value),
            ValueType::Unsigned => self.is_natural(value),
            _ => !self.is_unsigned(value),
        });
        if let Some(greatest) = variables.greatest(variable) {
            let (low, high) = ty.range();
            let [low, high] = [low, high].map(|end| value.clone().unwrap_or(Value::Constant(end)));
            block.push(Step::Assign { variable, value: low });
            block.push(Step::Assign { variable: greatest, value: high });
            return false;
        }
        match value {
            Some(value) => block.push(Step::Assign { variable, value }),
            None => {
                variables.blur(variable);
                return false;
            }
        }
        true
    }

    /// True if a value is certainly 0 or 1.
    fn is_boolean(&self, value: &Value) -> bool {
        match value {
            Value::Constant(number) => matches!(number, 0 | 1),
            Value::Read(variable) => self.scope.variables.ty(*variable) == ValueType::Boolean,
            Value::Unary(operator, _) => *operator == UnaryOperator::Not,
            Value::Binary(operator, ..) => !operator.is_arithmetic(),
            Value::Conditional(_, then, otherwise) => self.is_boolean(then) && self.is_boolean(otherwise),
        }
    }

    /// True if the type of a value is one of 32 bits without a sign.
    fn is_unsigned(&self, value: &Value) -> bool {
        match value {
            Value::Read(variable) => self.scope.variables.ty(*variable) == ValueType::Unsigned,
            Value::Conditional(_, then, otherwise) => self.is_unsigned(then) || self.is_unsigned(otherwise),
            _ => false,
        }
    }

    /// True if a value is certainly not negative, and so the same number without a sign.
    fn is_natural(&self, value: &Value) -> bool {
        match value {
            Value::Constant(number) => (0..=0x7fff_ffff).contains(number),
            Value::Read(variable) => self.scope.variables.ty(*variable).range().0 >= 0,
            Value::Conditional(_, then, otherwise) => self.is_natural(then) && self.is_natural(otherwise),
            _ => self.is_boolean(value),
        }
    }

    /// True if no conversion changes one of two values where both become values of one type.
    pub(crate) fn have_one_type(&self, one: &Value, other: &Value) -> bool {
        !(self.is_unsigned(one) || self.is_unsigned(other))
            || (self.is_natural(one) && self.is_natural(other))
    }

    /// An operator with two operands. Of operands without a sign, only comparisons are understood.
    fn combined(&self, operator: Operator, left: Value, right: Value) -> Option<Value> {
        if !self.is_unsigned(&left) && !self.is_unsigned(&right) {
            return arithmetic(operator, left, right);
        }
        if !self.have_one_type(&left, &right) {
            return None;
        }
        match operator {
            Operator::Equal | Operator::NotEqual => arithmetic(operator, left, right),
            Operator::Less => Some(less_unsigned(left, right)),
            Operator::Greater => Some(less_unsigned(right, left)),
            Operator::LessEqual => Some(Value::negated(less_unsigned(right, left))),
            Operator::GreaterEqual => Some(Value::negated(less_unsigned(left, right))),
            _ => None,
        }
    }

    /// A variable without a sign gets more or less; beyond its ends it goes on at the other one.
    fn change_unsigned(
        &mut self,
        variable: AttributeId,
        operator: Operator,
        by: Option<Value>,
        block: &mut Block,
    ) {
        let adds = matches!(operator, Operator::Add | Operator::Subtract);
        let by = by.filter(|by| adds && (self.is_natural(by) || !self.is_unsigned(by)));
        match by.and_then(|by| arithmetic(operator, Value::Read(variable), by)) {
            Some(value) => block.push(Step::Assign { variable, value }),
            None => self.scope.variables.lose(variable),
        }
    }

    fn unary(
        &mut self,
        operator: Unary,
        operand: &Expression,
        block: &mut Block,
    ) -> Result<Option<Value>, Opaque> {
        if operator == Unary::AddressOf {
            self.lose_places(operand);
        }
        let value = self.value(operand, block)?;
        let made = |operator| move |value| Value::Unary(operator, Box::new(value));
        let value = value.filter(|value| operator == Unary::Not || !self.is_unsigned(value));
        Ok(match operator {
            Unary::Negate => value.map(made(UnaryOperator::Negate)),
            Unary::Not => value.map(made(UnaryOperator::Not)),
            Unary::Complement => value.map(made(UnaryOperator::Complement)),
            Unary::Plus => value,
            Unary::AddressOf | Unary::Dereference => None,
        })
    }

    /// `&&` and `||`: the right side is only evaluated where the left one does not decide.
    fn lazy(
        &mut self,
        is_and: bool,
        left: &Expression,
        right: &Expression,
        block: &mut Block,
    ) -> Result<Option<Value>, Opaque> {
        let left = self.value(left, block)?;
        let mut steps = Vec::new();
        let right = self.value(right, &mut steps)?;
        if steps.is_empty() {
            let operator = if is_and { Binary::And } else { Binary::Or };
            return Ok(left
                .zip(right)
                .map(|(left, right)| Value::Binary(operator, Box::new(left), Box::new(right))));
        }
        let (then, otherwise) = if is_and { (steps, Vec::new()) } else { (Vec::new(), steps) };
        self.branch(left.map(Test::exact), then, otherwise, block);
        Ok(None)
    }

    fn assignment(
        &mut self,
        operator: Option<Operator>,
        target: &Expression,
        value: &Expression,
        whole: &Expression,
        block: &mut Block,
    ) -> Result<Option<Value>, Opaque> {
        let Some(known) = self.place_of(target) else {
            self.lose_referred(target);
            self.operands(&[target, value], whole, block)?;
            return Ok(None);
        };
        self.understand_place(target);
        let mut steps = Vec::new();
        let value = self.value(value, &mut steps)?;
        let Some(variable) = known else {
            block.append(&mut steps);
            return Ok(None);
        };
        if let (Some(operator), ValueType::Unsigned) = (operator, self.scope.variables.ty(variable)) {
            let value = value.filter(|_| !assigned(&steps).contains(&variable));
            block.append(&mut steps);
            self.change_unsigned(variable, operator, value, block);
            return Ok(None);
        }
        let value = match operator {
            None => value,
            Some(_) if self.scope.variables.greatest(variable).is_some() => None,
            // The order of the sides is not told.
            Some(_) if assigned(&steps).contains(&variable) => None,
            Some(operator) => value.and_then(|value| arithmetic(operator, Value::Read(variable), value)),
        };
        block.append(&mut steps);
        let value = self.assign(variable, value, block);
        Ok((value && self.scope.variables.ty(variable) == ValueType::Int).then_some(Value::Read(variable)))
    }

    /// Expressions that are evaluated in an order that is not told.
    pub(crate) fn operands(
        &mut self,
        all: &[&Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<Vec<Option<Value>>, Opaque> {
        let (mut values, mut blocks): (Vec<Option<Value>>, Vec<Block>) = (Vec::new(), Vec::new());
        for expression in all {
            let mut steps = Vec::new();
            values.push(self.value(expression, &mut steps)?);
            blocks.push(steps);
        }
        for (index, value) in values.iter_mut().enumerate() {
            let mut reads = BTreeSet::new();
            value.iter().for_each(|value| value.collect_reads(&mut reads));
            let others = blocks.iter().enumerate().filter(|(other, _)| *other != index);
            if others.flat_map(|(_, steps)| assigned(steps)).any(|variable| reads.contains(&variable)) {
                *value = None;
            }
        }
        blocks.retain(|steps| !steps.is_empty());
        if blocks.len() > 1 {
            if blocks.iter().any(changes) {
                blocks.iter().for_each(|steps| self.lose_assigned(steps));
            }
            if blocks.iter().filter(|steps| sends(steps)).count() > 1 {
                let hint = "each message in it is taken as sent any number of times";
                self.warn(&whole.range, "it is not told in which order this sends", hint);
                blocks = vec![any_number(blocks)];
            }
        }
        block.extend(blocks.into_iter().flatten());
        Ok(values)
    }
}

/// `left < right` of numbers without a sign, of which those from 2^31 on are kept as negative ones.
fn less_unsigned(left: Value, right: Value) -> Value {
    let less = |one: Value, other: Value| Value::Binary(Binary::Less, Box::new(one), Box::new(other));
    let is_great = |value: &Value| less(value.clone(), Value::Constant(0));
    let usual = less(left.clone(), right.clone());
    match (&left, &right) {
        (_, Value::Constant(_)) => Value::and(Value::negated(is_great(&left)), usual),
        (Value::Constant(_), _) => Value::Binary(Binary::Or, Box::new(is_great(&right)), Box::new(usual)),
        _ => {
            let (one, other) = (is_great(&left), is_great(&right));
            let alike = Value::Binary(Binary::Equal, Box::new(one), Box::new(other.clone()));
            Value::Conditional(Box::new(alike), Box::new(usual), Box::new(other))
        }
    }
}

/// The variables that a block changes.
fn assigned(block: &Block) -> BTreeSet<AttributeId> {
    let mut all = BTreeSet::new();
    for step in block {
        step.any(&mut |step| {
            if let Step::Assign { variable, .. } = step {
                all.insert(*variable);
            }
            false
        });
    }
    all
}

/// An operator with two operands, where it means the same in all languages and in programs.
fn arithmetic(operator: Operator, left: Value, right: Value) -> Option<Value> {
    let operator = match operator {
        Operator::Add => Binary::Add,
        Operator::Subtract => Binary::Subtract,
        Operator::Multiply => Binary::Multiply,
        Operator::Divide if matches!(right, Value::Constant(1..)) => Binary::Divide,
        Operator::Remainder if matches!(right, Value::Constant(1..)) => Binary::Remainder,
        Operator::BitAnd => Binary::BitAnd,
        Operator::BitOr => Binary::BitOr,
        Operator::BitXor => Binary::BitXor,
        Operator::Equal => Binary::Equal,
        Operator::NotEqual => Binary::NotEqual,
        Operator::Less => Binary::Less,
        Operator::LessEqual => Binary::LessEqual,
        Operator::Greater => Binary::Greater,
        Operator::GreaterEqual => Binary::GreaterEqual,
        Operator::And => Binary::And,
        Operator::Or => Binary::Or,
        Operator::Divide
        | Operator::Remainder
        | Operator::ShiftLeft
        | Operator::ShiftRight
        | Operator::Other => return None,
    };
    Some(Value::Binary(operator, Box::new(left), Box::new(right)))
}

/// The bytes of the member's name in an expression that ends with it.
pub(crate) fn member_range(found: &Expression, member: &str) -> Range<usize> {
    found.range.end.saturating_sub(member.len())..found.range.end
}
