//! Statements.

use tree_sitter::Node;

use crate::cursor::{Source, fields, is_broken, named};
use crate::expression::expression_of;
use crate::tree::{Declarator, Expression, Section, Statement, StatementKind as Kind};

/// The statement of a node.
pub(crate) fn statement_of(source: Source<'_>, node: Node<'_>, depth: usize) -> Statement {
    let kind = match depth.checked_sub(1) {
        Some(depth) if !is_broken(node) => Reader { source, depth }.kind(node),
        _ => None,
    };
    Statement { kind: kind.unwrap_or(Kind::Opaque), range: source.range(node) }
}

struct Reader<'t> {
    source: Source<'t>,
    depth: usize,
}

impl Reader<'_> {
    fn expression(&self, node: Node<'_>) -> Expression {
        expression_of(self.source, node, self.depth)
    }

    fn field(&self, node: Node<'_>, name: &str) -> Option<Expression> {
        node.child_by_field_name(name).map(|child| self.expression(child))
    }

    fn inner(&self, node: Node<'_>) -> Box<Statement> {
        Box::new(statement_of(self.source, node, self.depth))
    }

    fn body(&self, node: Node<'_>, name: &str) -> Option<Box<Statement>> {
        node.child_by_field_name(name).map(|child| self.inner(child))
    }

    fn all(&self, nodes: Vec<Node<'_>>) -> Vec<Statement> {
        nodes.into_iter().map(|node| statement_of(self.source, node, self.depth)).collect()
    }

    fn kind(&self, node: Node<'_>) -> Option<Kind> {
        let children = named(node);
        match node.kind() {
            "compound_statement" | "block" => Some(Kind::Block(self.all(children))),
            ";" => Some(Kind::Block(Vec::new())),
            "expression_statement" => match children.as_slice() {
                [] => Some(Kind::Block(Vec::new())),
                [only] => Some(Kind::Expression(self.expression(*only))),
                _ => None,
            },
            "declaration" => Some(Kind::Declaration(self.declaration(node)?)),
            "local_variable_declaration" => Some(Kind::Declaration(self.declaration(node)?)),
            "if_statement" => self.selection(node),
            "while_statement" => {
                let (condition, body) = (self.field(node, "condition")?, self.body(node, "body")?);
                Some(Kind::While { condition, body })
            }
            "do_statement" => {
                let (body, condition) = (self.body(node, "body")?, self.field(node, "condition")?);
                Some(Kind::DoWhile { body, condition })
            }
            "for_statement" => self.for_loop(node),
            "for_range_loop" | "enhanced_for_statement" => self.for_each(node),
            "switch_statement" | "switch_expression" => self.switch(node),
            "break_statement" if children.is_empty() => Some(Kind::Break),
            "continue_statement" if children.is_empty() => Some(Kind::Continue),
            "return_statement" => match children.as_slice() {
                [] => Some(Kind::Return(None)),
                [only] => Some(Kind::Return(Some(self.expression(*only)))),
                _ => None,
            },
            _ => None,
        }
    }

    fn selection(&self, node: Node<'_>) -> Option<Kind> {
        let condition = self.field(node, "condition")?;
        let then = self.body(node, "consequence")?;
        let otherwise = match node.child_by_field_name("alternative") {
            Some(clause) if clause.kind() == "else_clause" => match named(clause).as_slice() {
                [only] => Some(self.inner(*only)),
                _ => return None,
            },
            Some(statement) => Some(self.inner(statement)),
            None => None,
        };
        Some(Kind::If { condition, then, otherwise })
    }

    fn for_loop(&self, node: Node<'_>) -> Option<Kind> {
        let initial = match (fields(node, "initializer").as_slice(), fields(node, "init").as_slice()) {
            ([], []) => None,
            ([only], []) | ([], [only]) => Some(match only.kind() {
                "declaration" | "local_variable_declaration" => self.inner(*only),
                _ => {
                    let range = self.source.range(*only);
                    Box::new(Statement { kind: Kind::Expression(self.expression(*only)), range })
                }
            }),
            _ => return None,
        };
        let condition = self.field(node, "condition");
        let update = fields(node, "update").into_iter().map(|update| self.expression(update)).collect();
        Some(Kind::For { initial, condition, update, body: self.body(node, "body")? })
    }

    fn for_each(&self, node: Node<'_>) -> Option<Kind> {
        if node.child_by_field_name("initializer").is_some() {
            return None;
        }
        let type_name = self.type_name(node)?;
        let named = node.child_by_field_name("declarator").or_else(|| node.child_by_field_name("name"))?;
        let element = self.declarator(named, &type_name, true);
        let collection = self.field(node, "right").or_else(|| self.field(node, "value"))?;
        Some(Kind::ForEach { element, collection, body: self.body(node, "body")? })
    }

    fn switch(&self, node: Node<'_>) -> Option<Kind> {
        let value = self.field(node, "condition")?;
        let body = node.child_by_field_name("body")?;
        if is_broken(body) {
            return None;
        }
        let mut sections = Vec::new();
        for child in named(body) {
            if is_broken(child) {
                return None;
            }
            match child.kind() {
                "case_statement" => {
                    let label = child.child_by_field_name("value");
                    let rest = named(child).into_iter().filter(|inner| Some(*inner) != label).collect();
                    let label = label.map(|label| self.expression(label));
                    sections.push(Section { label, statements: self.all(rest) });
                }
                "switch_block_statement_group" => self.group(child, &mut sections)?,
                _ => return None,
            }
        }
        Some(Kind::Switch { value, sections })
    }

    /// Labels and statements in Java.
    fn group(&self, node: Node<'_>, sections: &mut Vec<Section>) -> Option<()> {
        let (labels, rest): (Vec<Node<'_>>, Vec<Node<'_>>) =
            named(node).into_iter().partition(|child| child.kind() == "switch_label");
        for label in labels {
            let values = named(label);
            let label = match values.as_slice() {
                [] => None,
                [only] => Some(self.expression(*only)),
                _ => return None,
            };
            sections.push(Section { label, statements: Vec::new() });
        }
        sections.last_mut()?.statements = self.all(rest);
        Some(())
    }

    fn type_name(&self, node: Node<'_>) -> Option<String> {
        Some(self.source.text(node.child_by_field_name("type")?).to_owned())
    }

    fn declaration(&self, node: Node<'_>) -> Option<Vec<Declarator>> {
        let type_name = self.type_name(node)?;
        let declarators = fields(node, "declarator");
        // What looks like a declaration of a function may be a call (`k && op();`), or an object
        // that is made from something.
        if declarators.iter().any(|declarator| has_function(*declarator)) {
            return None;
        }
        let others = named(node).into_iter().filter(|child| {
            !declarators.contains(child) && node.child_by_field_name("type").as_ref() != Some(child)
        });
        // `const` and `final` change nothing; `static`, `extern`, `volatile` and attributes do.
        let plain = others.into_iter().all(|other| matches!(self.source.text(other), "const" | "final"));
        Some(declarators.into_iter().map(|one| self.declarator(one, &type_name, plain)).collect())
    }

    fn declarator(&self, node: Node<'_>, type_name: &str, plain: bool) -> Declarator {
        let (mut at, mut value) = (node, None);
        if matches!(at.kind(), "init_declarator" | "variable_declarator") {
            value = self.field(at, "value");
            let name = at.child_by_field_name("declarator").or_else(|| at.child_by_field_name("name"));
            at = name.unwrap_or(at);
        }
        let is_plain = plain && at.kind() == "identifier" && node.child_by_field_name("dimensions").is_none();
        let name = innermost(at);
        let name_range = name.map_or(0..0, |name| self.source.range(name));
        let name = name.map(|name| self.source.text(name).to_owned()).unwrap_or_default();
        let range = self.source.range(node);
        Declarator { name, name_range, type_name: type_name.to_owned(), is_plain, value, range }
    }
}

/// True if a declarator is one of a function, under pointers and the like.
fn has_function(node: Node<'_>) -> bool {
    let inner = node.child_by_field_name("declarator").or_else(|| named(node).into_iter().next());
    node.kind() == "function_declarator"
        || inner.filter(|inner| inner.kind().ends_with("declarator")).is_some_and(has_function)
}

/// The name inside a declarator of a pointer, a reference, an array or a function.
fn innermost(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    while at.kind() != "identifier" {
        at = match at.child_by_field_name("declarator") {
            Some(inner) => inner,
            None => named(at).into_iter().next()?,
        };
    }
    Some(at)
}
