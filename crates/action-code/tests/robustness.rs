//! No text makes the reader panic, and all ranges are inside the text.

use std::ops::Range;

use action_code::{Expression, Statement, StatementKind, expression, statements};
use proptest::prelude::*;

/// Pieces of which many texts are code, or nearly so.
const PIECES: &[&str] = &[
    "if (",
    ")",
    "{",
    "}",
    "else ",
    "while (",
    "for (int i = 0; ",
    "; ",
    "i++",
    "x",
    " = ",
    "3",
    " + ",
    "(",
    "switch (",
    "case 1:",
    "default:",
    "break;",
    "return ",
    "p.m(",
    "p[i]",
    "->",
    "&",
    "int y = ",
    "\n",
    "// c\n",
    "/*",
    "*/",
    "\"",
    "é",
    "? a : b",
    ", ",
    "do ",
    "new A()",
    "[&] { ",
    "#define A\n",
    "final ",
];

fn inside(outer: &Range<usize>, inner: &Range<usize>) {
    assert!(outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end);
}

fn check(outer: &Range<usize>, found: &Expression) {
    inside(outer, &found.range);
    for child in found.children() {
        check(&found.range, child);
    }
}

fn check_statement(outer: &Range<usize>, found: &Statement) {
    inside(outer, &found.range);
    let range = &found.range;
    let each = |all: &[Statement]| all.iter().for_each(|inner| check_statement(range, inner));
    match &found.kind {
        StatementKind::Block(all) => each(all),
        StatementKind::Expression(one) | StatementKind::Return(Some(one)) => check(range, one),
        StatementKind::Declaration(all) => all.iter().for_each(|one| inside(range, &one.range)),
        StatementKind::If { condition, then, otherwise } => {
            check(range, condition);
            check_statement(range, then);
            otherwise.iter().for_each(|otherwise| check_statement(range, otherwise));
        }
        StatementKind::Switch { value, sections } => {
            check(range, value);
            sections.iter().for_each(|section| each(&section.statements));
        }
        StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
            check(range, condition);
            check_statement(range, body);
        }
        StatementKind::For { initial, condition, update, body } => {
            initial.iter().for_each(|initial| check_statement(range, initial));
            condition.iter().chain(update).for_each(|part| check(range, part));
            check_statement(range, body);
        }
        StatementKind::ForEach { collection, body, .. } => {
            check(range, collection);
            check_statement(range, body);
        }
        StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Return(None)
        | StatementKind::Opaque => {}
    }
}

proptest! {
    #[test]
    fn ranges_are_inside(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        let text = pieces.concat();
        let whole = 0..text.len();
        for statement in statements(&text, 40).statements {
            check_statement(&whole, &statement);
        }
        check(&whole, &expression(&text, 40).expression);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,60}") {
        let whole = 0..text.len();
        for statement in statements(&text, 40).statements {
            check_statement(&whole, &statement);
        }
    }
}
