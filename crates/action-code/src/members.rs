//! Declarations inside a class in C++, and definitions of its functions outside.

use std::ops::Range;

use tree_sitter::Node;

use crate::cursor::{Source, named};
use crate::parse::Language;

/// The declarations in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Variables.
    pub fields: Vec<Field>,
    /// Functions.
    pub functions: Vec<Function>,
    /// The ranges of all else.
    pub others: Vec<Range<usize>>,
}

/// A variable of a class that each of its objects has, and that is no array and no reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The range of its type.
    pub ty: Range<usize>,
    /// The range of its name.
    pub name: Range<usize>,
    /// The range of the value that it begins with.
    pub initial: Option<Range<usize>>,
}

/// A function of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The range of its name, without that of its class.
    pub name: Range<usize>,
    /// Its parameters.
    pub parameters: Vec<Argument>,
    /// The range of its body without the braces; nothing if it is only declared.
    pub body: Option<Range<usize>>,
    /// True if code outside the class may call it by the name of a base.
    pub is_virtual: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The range of its type.
    pub ty: Range<usize>,
    /// The range of its name; empty if it has none.
    pub name: Range<usize>,
}

/// Reads the inside of a class; nothing if it does not parse. Time linear in the text.
#[must_use]
pub fn members(text: &str) -> Option<Members> {
    read(text, ["class C {", "\n};"])
}

/// Reads a text outside of classes; nothing if it does not parse. Time linear in the text.
#[must_use]
pub fn definitions(text: &str) -> Option<Members> {
    read(text, ["", ""])
}

/// Reads a text with what makes a class of it, or nothing, around it.
fn read(text: &str, [head, tail]: [&str; 2]) -> Option<Members> {
    let wrapped = [head, text, tail].concat();
    let tree = Language::Cpp.parser()?.parse(&wrapped, None)?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let source = Source { wrapped: &wrapped, start: head.len(), length: text.len() };
    let is_class = |node: &Node<'_>| node.kind() == "class_specifier";
    let inside = if head.is_empty() {
        root
    } else {
        named(root).into_iter().find(is_class)?.child_by_field_name("body")?
    };
    // A text that closes the class itself is no inside.
    if inside.start_byte() + 1 < head.len() || inside.end_byte() + tail.len() < wrapped.len() {
        return None;
    }
    let mut found = Members::default();
    for node in named(inside) {
        match node.kind() {
            "access_specifier" | "comment" | "preproc_include" | ";" => {}
            "field_declaration" => declaration(source, node, &mut found),
            "function_definition" => match function(source, node) {
                Some(function) => found.functions.push(function),
                None => found.others.push(source.range(node)),
            },
            _ => found.others.push(source.range(node)),
        }
    }
    Some(found)
}

/// Words before a declaration that change nothing of a variable.
const PLAIN: &[&str] = &["const", "constexpr", "inline", "mutable"];

fn declaration(source: Source<'_>, node: Node<'_>, found: &mut Members) {
    let Some(ty) = node.child_by_field_name("type") else { return found.others.push(source.range(node)) };
    let has_body = ty.child_by_field_name("body").is_some();
    let mut cursor = node.walk();
    let words = node
        .children(&mut cursor)
        .filter(|child| matches!(child.kind(), "storage_class_specifier" | "type_qualifier" | "virtual"));
    let words: Vec<&str> = words.into_iter().map(|word| source.text(word)).collect();
    // What never changes is the same in all objects of the class.
    let is_constant = words.iter().any(|word| matches!(*word, "const" | "constexpr"));
    let is_plain = words.iter().all(|word| PLAIN.contains(word) || (is_constant && *word == "static"));
    let (mut last, mut is_other) = (None::<Field>, has_body);
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        match (cursor.field_name(), child.kind()) {
            (Some("declarator"), "field_identifier") => {
                found.fields.extend(last.take());
                if is_plain && !has_body {
                    last = Some(Field { ty: source.range(ty), name: source.range(child), initial: None });
                }
            }
            (Some("declarator"), "function_declarator") => {
                found.fields.extend(last.take());
                match declared(source, child) {
                    Some(function) => {
                        let is_virtual = is_virtual(source.text(node));
                        found.functions.push(Function { is_virtual, ..function });
                    }
                    None => is_other = true,
                }
            }
            // A pointer or a reference leads to what its value names, an array may.
            (Some("declarator"), _) => {
                found.fields.extend(last.take());
                is_other = true;
            }
            (Some("default_value"), kind) => {
                // Other values may run code, or bind a reference.
                is_other |= !matches!(kind, "number_literal" | "true" | "false" | "unary_expression");
                if let Some(field) = &mut last {
                    field.initial = Some(source.range(child));
                }
            }
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    found.fields.extend(last);
    if is_other {
        found.others.push(source.range(node));
    }
}

/// True if a declaration says that its function takes the place of one of a base, or may be
/// replaced.
fn is_virtual(declaration: &str) -> bool {
    ["virtual", "override", "final"].iter().any(|word| declaration.contains(word))
}

/// A function that a declarator declares.
fn declared(source: Source<'_>, declarator: Node<'_>) -> Option<Function> {
    let name = declarator.child_by_field_name("declarator")?;
    let name = match name.kind() {
        "qualified_identifier" => {
            let mut at = name;
            while let Some(inner) =
                at.child_by_field_name("name").filter(|_| at.kind() == "qualified_identifier")
            {
                at = inner;
            }
            at
        }
        _ => name,
    };
    if !matches!(name.kind(), "field_identifier" | "identifier" | "destructor_name") {
        return None;
    }
    let mut parameters = Vec::new();
    for parameter in named(declarator.child_by_field_name("parameters")?) {
        if parameter.kind() == "comment" {
            continue;
        }
        let ty = source.range(parameter.child_by_field_name("type")?);
        let mut at = parameter.child_by_field_name("declarator");
        while let Some(inner) = at.and_then(|at| at.child_by_field_name("declarator")) {
            at = Some(inner);
        }
        let name = at.filter(|at| at.kind() == "identifier").map_or(ty.end..ty.end, |at| source.range(at));
        parameters.push(Argument { ty, name });
    }
    Some(Function { name: source.range(name), parameters, body: None, is_virtual: false })
}

fn function(source: Source<'_>, node: Node<'_>) -> Option<Function> {
    let mut declarator = node.child_by_field_name("declarator")?;
    while declarator.kind() != "function_declarator" {
        let mut inner = named(declarator).into_iter();
        declarator = inner.find(|inner| inner.kind().ends_with("declarator"))?;
    }
    let body = node.child_by_field_name("body").filter(|body| body.kind() == "compound_statement");
    let text = source.text(node);
    let before = &text[..body.map_or(text.len(), |body| body.start_byte() - node.start_byte())];
    let body = body.map(|body| {
        let whole = source.range(body);
        whole.start + 1..whole.end - 1
    });
    // An initialiser list of a constructor is code too.
    let has_list = named(node).iter().any(|child| child.kind() == "field_initializer_list");
    declared(source, declarator).filter(|_| !has_list).map(|function| Function {
        body,
        is_virtual: is_virtual(before),
        ..function
    })
}
