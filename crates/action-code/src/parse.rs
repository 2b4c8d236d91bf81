//! Fragments to trees: a function is put around each, so that it parses as a body.

use std::ops::Range;

use tree_sitter::{Node, Parser};

use crate::cursor::{Source, named};
use crate::statement::statement_of;
use crate::tree::{Code, Expression, ExpressionKind, Statement, StatementKind, Whole};

/// A language that fragments are read as.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Cpp,
    Java,
}

impl Language {
    pub(crate) fn parser(self) -> Option<Parser> {
        let language = match self {
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
        };
        let mut parser = Parser::new();
        parser.set_language(&language.into()).ok()?;
        Some(parser)
    }

    /// The texts before and behind a body.
    const fn around(self) -> [&'static str; 2] {
        match self {
            Self::Cpp => ["void f() {", "\n}"],
            Self::Java => ["class C { void f() {", "\n}}"],
        }
    }

    /// The body of the function, if it is the only thing in the text.
    fn body<'n>(self, root: Node<'n>) -> Option<Node<'n>> {
        let mut at = only(root)?;
        if matches!(self, Self::Java) {
            at = only(at.child_by_field_name("body")?)?;
        }
        at.child_by_field_name("body")
    }
}

/// The only child of a node.
fn only(node: Node<'_>) -> Option<Node<'_>> {
    match named(node).as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// A fragment and the text around it that makes it statements.
#[derive(Clone, Copy)]
struct Wrapped<'t> {
    before: &'t str,
    text: &'t str,
    behind: &'t str,
}

/// Reads the statements of a fragment. Statements and expressions that are nested deeper than
/// `depth` are opaque. Time linear in the text, for texts without errors.
#[must_use]
pub fn statements(text: &str, depth: usize) -> Code {
    wrapped(Wrapped { before: "", text, behind: "" }, depth)
}

/// Reads a fragment that is one expression; opaque if it is none.
#[must_use]
pub fn expression(text: &str, depth: usize) -> Whole {
    let Code { statements, is_whole, words } =
        wrapped(Wrapped { before: "return (", text, behind: "\n);" }, depth);
    let alone = is_whole && statements.len() == 1;
    let expression = match statements.into_iter().next().map(|statement| statement.kind) {
        Some(StatementKind::Return(Some(found))) if alone => found,
        _ => Expression { kind: ExpressionKind::Opaque, range: 0..text.len() },
    };
    Whole { expression, words }
}

fn wrapped(code: Wrapped<'_>, depth: usize) -> Code {
    let read = |language| read(code, language, depth).unwrap_or_else(|| opaque(code.text));
    let cpp = read(Language::Cpp);
    if cpp.is_whole {
        return cpp;
    }
    Some(read(Language::Java)).filter(|java| java.is_whole).unwrap_or(cpp)
}

fn opaque(text: &str) -> Code {
    let range = 0..text.len();
    let statements = vec![Statement { kind: StatementKind::Opaque, range }];
    Code { statements, is_whole: false, words: Vec::new() }
}

fn read(code: Wrapped<'_>, language: Language, depth: usize) -> Option<Code> {
    let Wrapped { before, text, behind } = code;
    let [head, tail] = language.around();
    let wrapped = [head, before, text, behind, tail].concat();
    let tree = language.parser()?.parse(&wrapped, None)?;
    let source = Source { wrapped: &wrapped, start: head.len() + before.len(), length: text.len() };
    let root = tree.root_node();
    let body = language.body(root)?;
    // Text that closes the function itself is no body.
    if body.start_byte() + 1 != head.len() || body.end_byte() + tail.len() < wrapped.len() {
        return None;
    }
    let statements = named(body).into_iter().map(|node| statement_of(source, node, depth)).collect();
    let mut words = Vec::new();
    collect_words(source, body, &mut words);
    Some(Code { statements, is_whole: !root.has_error(), words })
}

/// Nodes whose text is no code.
const TEXTS: &[&str] = &[
    "comment",
    "line_comment",
    "block_comment",
    "string_literal",
    "raw_string_literal",
    "char_literal",
    "character_literal",
    "system_lib_string",
];

fn collect_words(source: Source<'_>, node: Node<'_>, words: &mut Vec<Range<usize>>) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        let inner: Vec<Node<'_>> = node.children(&mut cursor).collect();
        // A text in Java may have expressions in it.
        let has_code = inner.iter().any(|inner| inner.kind() == "string_interpolation");
        if TEXTS.contains(&node.kind()) && !has_code {
            continue;
        }
        let begins = |first: char| first.is_alphabetic() || matches!(first, '_' | '$');
        let is_inside = node.start_byte() >= source.start;
        if inner.is_empty() && is_inside && source.text(node).starts_with(begins) {
            words.push(source.range(node));
        }
        open.extend(inner);
    }
    words.sort_by_key(|word| word.start);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Literal, Operator};

    fn kinds(text: &str) -> Vec<StatementKind> {
        statements(text, 50).statements.into_iter().map(|statement| statement.kind).collect()
    }

    #[test]
    fn offsets_lead_back_into_the_fragment() {
        let text = "  x = 1; // one\n  if (y > 2) go(3);";
        let code = statements(text, 50);
        assert!(code.is_whole);
        let texts: Vec<&str> =
            code.statements.iter().map(|statement| &text[statement.range.clone()]).collect();
        assert_eq!(texts, ["x = 1;", "if (y > 2) go(3);"]);
    }

    #[test]
    fn java_is_read_where_it_fits_better() {
        let text = "final int n = 3; String s = new String[] {\"a\"}.length > 0 ? a.b : null;";
        assert!(statements(text, 50).is_whole);
        let java = kinds("for (Integer each : all) { sum += each; } boolean done = x instanceof Y;");
        assert!(matches!(java[0], StatementKind::ForEach { .. }), "{java:?}");
    }

    #[test]
    fn a_text_that_closes_the_function_is_opaque() {
        for text in ["} void g() {", "}", "x = 1; } y = 2;", "{", "int = ;"] {
            assert!(!statements(text, 50).is_whole, "{text}");
        }
        assert!(matches!(kinds("#if A\nx = 1;\n#endif").as_slice(), [StatementKind::Opaque]));
        assert!(matches!(kinds("try { x(); } catch (E e) {}").as_slice(), [StatementKind::Opaque]));
        assert!(matches!(kinds("goto end;").as_slice(), [StatementKind::Opaque]));
    }

    #[test]
    fn expressions_have_their_own_offsets() {
        let text = "a && b < 0x1F";
        let found = expression(text, 50).expression;
        let ExpressionKind::Binary(Operator::And, left, right) = found.kind else { panic!("{found:?}") };
        assert_eq!((&text[left.range.clone()], &text[right.range.clone()]), ("a", "b < 0x1F"));
        let ExpressionKind::Binary(Operator::Less, _, number) = right.kind else { panic!() };
        assert_eq!(number.kind, ExpressionKind::Literal(Literal::Integer(31)));
        assert_eq!(expression("a; b", 50).expression.kind, ExpressionKind::Opaque);
        assert_eq!(
            expression("a) + (b", 50).expression.kind,
            ExpressionKind::Binary(
                Operator::Add,
                Box::new(Expression { kind: ExpressionKind::Name("a".into()), range: 0..1 }),
                Box::new(Expression { kind: ExpressionKind::Name("b".into()), range: 6..7 }),
            )
        );
    }

    #[test]
    fn what_is_nested_too_deep_is_opaque() {
        let text = format!("{}x{}", "(".repeat(60), ")".repeat(60));
        assert_eq!(expression(&text, 50).expression.kind, ExpressionKind::Opaque);
    }

    #[test]
    fn words_are_those_of_the_text_whatever_the_statements_say() {
        let text = "k && op(); /* no */ say(\"no\", 'n');";
        let code = statements(text, 50);
        let words: Vec<&str> = code.words.iter().map(|word| &text[word.clone()]).collect();
        assert_eq!(words, ["k", "op", "say"]);
        assert_eq!(code.statements[0].kind, StatementKind::Opaque, "it looks like a declaration");
        let text = "n == 3";
        let words: Vec<&str> = expression(text, 50).words.into_iter().map(|word| &text[word]).collect();
        assert_eq!(words, ["n"]);
    }
}
