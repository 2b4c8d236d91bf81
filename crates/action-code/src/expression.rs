//! Expressions.

use tree_sitter::Node;

use crate::cursor::{Source, is_broken, named};
use crate::tree::{Expression, ExpressionKind as Kind, Literal, Operator, Unary};

/// The expression of a node.
pub(crate) fn expression_of(source: Source<'_>, node: Node<'_>, depth: usize) -> Expression {
    let kind = match depth.checked_sub(1) {
        Some(depth) if !is_broken(node) => Reader { source, depth }.kind(node),
        _ => None,
    };
    match kind {
        Some(Inner::Kind(kind)) => Expression { kind, range: source.range(node) },
        Some(Inner::Whole(inner)) => inner,
        None => Expression { kind: Kind::Opaque, range: source.range(node) },
    }
}

/// A kind of expression, or an expression inside parentheses.
enum Inner {
    Kind(Kind),
    Whole(Expression),
}

struct Reader<'t> {
    source: Source<'t>,
    depth: usize,
}

impl Reader<'_> {
    fn one(&self, node: Node<'_>) -> Expression {
        expression_of(self.source, node, self.depth)
    }

    fn boxed(&self, node: Node<'_>, field: &str) -> Option<Box<Expression>> {
        node.child_by_field_name(field).map(|child| Box::new(self.one(child)))
    }

    fn text(&self, node: Node<'_>) -> String {
        self.source.text(node).to_owned()
    }

    fn operator<'n>(&self, node: Node<'n>) -> Option<&str> {
        node.child_by_field_name("operator").map(|operator| self.source.text(operator))
    }

    fn kind(&self, node: Node<'_>) -> Option<Inner> {
        if matches!(node.kind(), "parenthesized_expression" | "condition_clause") {
            return match named(node).as_slice() {
                [only] => Some(Inner::Whole(self.one(*only))),
                _ => None,
            };
        }
        let literal = |literal| Some(Kind::Literal(literal));
        let kind = match node.kind() {
            "number_literal"
            | "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal" => {
                literal(integer(self.source.text(node)).map_or(Literal::Other, Literal::Integer))
            }
            "true" => literal(Literal::Boolean(true)),
            "false" => literal(Literal::Boolean(false)),
            "string_literal"
            | "char_literal"
            | "character_literal"
            | "null"
            | "null_literal"
            | "decimal_floating_point_literal"
            | "concatenated_string" => literal(Literal::Other),
            "identifier" | "this" | "field_identifier" => Some(Kind::Name(self.text(node))),
            "field_expression" => self.member(node, "argument", "field"),
            "field_access" => self.member(node, "object", "field"),
            "qualified_identifier" => self.member(node, "scope", "name"),
            "namespace_identifier" => Some(Kind::Name(self.text(node))),
            "subscript_expression" => self.subscript(node),
            "array_access" => {
                let (object, index) = (self.boxed(node, "array")?, self.boxed(node, "index")?);
                Some(Kind::Index { object, index })
            }
            "call_expression" => {
                Some(Kind::Call { callee: self.boxed(node, "function")?, arguments: self.arguments(node)? })
            }
            "method_invocation" => self.invocation(node),
            "unary_expression" | "pointer_expression" => self.unary(node),
            "binary_expression" => {
                let operator = Operator::from_text(self.operator(node)?);
                Some(Kind::Binary(operator, self.boxed(node, "left")?, self.boxed(node, "right")?))
            }
            "assignment_expression" => self.assignment(node),
            "update_expression" => self.update(node),
            "conditional_expression" | "ternary_expression" => Some(Kind::Conditional {
                condition: self.boxed(node, "condition")?,
                then: self.boxed(node, "consequence")?,
                otherwise: self.boxed(node, "alternative")?,
            }),
            "comma_expression" => Some(Kind::Sequence(self.boxed(node, "left")?, self.boxed(node, "right")?)),
            "cast_expression" => Some(Kind::Cast {
                type_name: self.text(node.child_by_field_name("type")?),
                operand: self.boxed(node, "value")?,
            }),
            _ => None,
        };
        kind.map(Inner::Kind)
    }

    fn member(&self, node: Node<'_>, object: &str, member: &str) -> Option<Kind> {
        let member = node.child_by_field_name(member)?;
        let plain = matches!(member.kind(), "field_identifier" | "identifier");
        let object = self.boxed(node, object)?;
        plain.then(|| Kind::Member { object, member: self.text(member) })
    }

    fn subscript(&self, node: Node<'_>) -> Option<Kind> {
        let indices = named(node.child_by_field_name("indices")?);
        let [index] = indices.as_slice() else { return None };
        Some(Kind::Index { object: self.boxed(node, "argument")?, index: Box::new(self.one(*index)) })
    }

    fn arguments(&self, node: Node<'_>) -> Option<Vec<Expression>> {
        let list = node.child_by_field_name("arguments")?;
        if is_broken(list) {
            return None;
        }
        Some(named(list).into_iter().map(|argument| self.one(argument)).collect())
    }

    /// A call in Java.
    fn invocation(&self, node: Node<'_>) -> Option<Kind> {
        let name = node.child_by_field_name("name")?;
        let (member, range) = (self.text(name), self.source.range(name));
        let callee = match self.boxed(node, "object") {
            Some(object) => {
                let range = object.range.start..range.end;
                Expression { kind: Kind::Member { object, member }, range }
            }
            None => Expression { kind: Kind::Name(member), range },
        };
        Some(Kind::Call { callee: Box::new(callee), arguments: self.arguments(node)? })
    }

    fn unary(&self, node: Node<'_>) -> Option<Kind> {
        let operator = match self.operator(node)? {
            "-" => Unary::Negate,
            "+" => Unary::Plus,
            "!" | "not" => Unary::Not,
            "~" | "compl" => Unary::Complement,
            "&" => Unary::AddressOf,
            "*" => Unary::Dereference,
            _ => return None,
        };
        let operand = self.boxed(node, "argument").or_else(|| self.boxed(node, "operand"))?;
        Some(Kind::Unary(operator, operand))
    }

    fn assignment(&self, node: Node<'_>) -> Option<Kind> {
        let operator = self.operator(node)?.strip_suffix('=')?;
        let operator = (!operator.is_empty()).then(|| Operator::from_text(operator));
        Some(Kind::Assignment {
            operator,
            target: self.boxed(node, "left")?,
            value: self.boxed(node, "right")?,
        })
    }

    /// `++` and `--`. Java has no fields here.
    fn update(&self, node: Node<'_>) -> Option<Kind> {
        let children = named(node);
        let [target] = children.as_slice() else { return None };
        let text = self.source.text(node);
        let is_prefix = text.starts_with("++") || text.starts_with("--");
        let is_decrement = if is_prefix { text.starts_with("--") } else { text.ends_with("--") };
        Some(Kind::Increment { target: Box::new(self.one(*target)), is_decrement, is_prefix })
    }
}

/// The value of a signed whole number.
fn integer(text: &str) -> Option<i64> {
    // With a suffix the type is another one than `int`.
    let text = text.replace(['_', '\''], "");
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return fitting(i64::from_str_radix(digits, 16).ok()?);
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return fitting(i64::from_str_radix(digits, 2).ok()?);
    }
    if lower.len() > 1 && lower.starts_with('0') {
        return fitting(i64::from_str_radix(&lower, 8).ok()?);
    }
    fitting(lower.parse().ok()?)
}

/// A number that an `int` has in each of the languages: with other numbers the type is another one.
fn fitting(number: i64) -> Option<i64> {
    i32::try_from(number).is_ok().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        let all = [("0", Some(0)), ("42", Some(42)), ("0x1f", Some(31)), ("010", Some(8)), ("08", None)];
        for (text, value) in all {
            assert_eq!(integer(text), value, "{text}");
        }
        for text in ["3u", "42L", "1.5", "0xffffffff", "99999999999"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }
}
