//! Substitution of arguments in macro bodies: `#`, `##`, and expanded arguments.

use super::Preprocessor;
use super::definition::{Macro, Part};
use super::item::{Item, Pad, Stamp};
use crate::codes;
use crate::lexer::Raw;
use cfsm_core::diagnostic::Diagnostic;

/// A body under construction.
struct Body {
    items: Vec<Item>,
    /// Padding after the last token.
    pad: Pad,
    /// `true` if `##` precedes the next part.
    pasting: bool,
    /// `true` if the left operand of that `##` is empty.
    left_is_empty: bool,
}

impl Preprocessor<'_> {
    /// Substitutes arguments in a body; returns the tokens, and the padding after the last one.
    /// `expanded` holds those arguments that are not inserted as written. Time linear in the
    /// result.
    pub(super) fn substitute(
        &mut self,
        from: &Macro,
        arguments: &[Vec<Item>],
        expanded: &[Option<Vec<Item>>],
        rest_missing: bool,
        stamp: Stamp,
    ) -> (Vec<Item>, Pad) {
        let mut body = Body {
            items: Vec::with_capacity(from.body.len()),
            pad: Pad::None,
            pasting: false,
            left_is_empty: false,
        };
        let rest = from.parameters.as_ref().filter(|found| found.variadic).map(|found| found.names.len() - 1);
        let mut parts = from.body.iter().enumerate().peekable();
        while let Some((at, part)) = parts.next() {
            let next = parts.peek().map(|(_, next)| *next);
            let before_rest =
                next.is_some_and(|next| rest.is_some() && next.parameter == rest && !next.stringify);
            if part.paste && part.item.raw == Ok(Raw::Comma) && before_rest && part.parameter.is_none() {
                // GNU C: `, ## rest` is nothing if the rest was left out, and pastes nothing if it
                // was not.
                if rest_missing {
                    body.pasting = parts.next().is_some_and(|(_, rest)| rest.paste);
                    body.left_is_empty = true;
                } else {
                    let item = part.item.stamped(stamp);
                    self.add(&mut body, &[item], false, stamp);
                    body.left_is_empty = true;
                    body.pasting = true;
                }
                continue;
            }
            self.part(&mut body, at, part, arguments, expanded, stamp);
            body.pasting = part.paste;
        }
        (body.items, body.pad)
    }

    /// Adds one part of a body; `at` is its index.
    fn part(
        &mut self,
        body: &mut Body,
        at: usize,
        part: &Part,
        arguments: &[Vec<Item>],
        expanded: &[Option<Vec<Item>>],
        stamp: Stamp,
    ) {
        let Some(parameter) = part.parameter else {
            return self.add(body, &[part.item.stamped(stamp)], body.pasting, stamp);
        };
        let argument = arguments.get(parameter).map(Vec::as_slice).unwrap_or_default();
        if part.stringify {
            let string = self.stringified(argument);
            let mut items = self.make_up(&string, stamp);
            if let Some(first) = items.first_mut() {
                first.white = part.item.white;
            }
            return self.add(body, &items, body.pasting, stamp);
        }
        if at > 0 && !body.pasting {
            body.pad = body.pad.then(Pad::begin(part.item.white));
        }
        if part.paste || body.pasting {
            // Tokens expanded later are expanded at the use of the macro, which `__LINE__` shows.
            let items: Vec<Item> = argument.iter().map(|item| Item { line: stamp.line, ..*item }).collect();
            self.add(body, &items, body.pasting, stamp);
        } else {
            let expanded = expanded.get(parameter).and_then(|found| found.as_deref());
            self.add(body, expanded.unwrap_or(argument), false, stamp);
        }
        if !part.paste {
            body.pad = body.pad.then(Pad::End);
        }
    }

    /// Adds tokens; the first one is pasted to the last one if `paste`.
    fn add(&mut self, body: &mut Body, mut items: &[Item], paste: bool, stamp: Stamp) {
        let was_empty = items.is_empty();
        if let (true, false, Some((right, others))) = (paste, body.left_is_empty, items.split_first())
            && let Some(left) = body.items.pop()
        {
            let pasted = self.pasted_dots(left, *right, stamp);
            body.items.extend(pasted);
            body.pad = Pad::End;
            items = others;
        }
        if let Some((first, others)) = items.split_first() {
            let pad = std::mem::take(&mut body.pad).then(first.pad);
            body.items.push(Item { pad, ..*first });
            body.items.extend_from_slice(others);
        }
        body.left_is_empty = was_empty && (!paste || body.left_is_empty);
    }

    /// Pastes two tokens. In C, `..` is two tokens: only the dot beside `##` is joined, and GCC
    /// puts a blank before the other one.
    fn pasted_dots(&mut self, left: Item, right: Item, stamp: Stamp) -> Vec<Item> {
        let is_dots = |item: &Item| item.raw == Ok(Raw::DotDot);
        if !is_dots(&left) && !is_dots(&right) {
            return self.pasted(left, right, stamp);
        }
        let Some(dot) = self.make_up(".", stamp).pop() else { return Vec::new() };
        let apart = |item: Item| Item { white: true, pad: Pad::None, ..item };
        let (before, left) = if is_dots(&left) {
            (Some(Item { white: left.white, pad: left.pad, ..dot }), dot)
        } else {
            (None, left)
        };
        let (right, behind) = if is_dots(&right) { (dot, Some(apart(dot))) } else { (right, None) };
        let mut items = self.pasted(left, right, stamp);
        if let (Some(_), Some(first)) = (before, items.first_mut()) {
            *first = apart(*first);
        }
        before.into_iter().chain(items).chain(behind).collect()
    }

    /// Pastes two tokens; returns both, with an error, if the result is not a token.
    fn pasted(&mut self, left: Item, right: Item, stamp: Stamp) -> Vec<Item> {
        let (one, other) = (self.letters.get(left.text), self.letters.get(right.text));
        let letters = format!("{one}{other}");
        let mut items = self.make_up(&letters, stamp);
        if (items.len() != 1 && !is_operator(&letters)) || letters == ".." {
            if !self.spent {
                let message = format!(
                    "`{one}` and `{other}` make no word",
                    one = self.letters.get(left.text),
                    other = self.letters.get(right.text)
                );
                let error = Diagnostic::error(codes::BAD_PASTE, stamp.span, message);
                self.diagnostics.push(error.with_label(right.text, "joined with `##`"));
            }
            return vec![left, right];
        }
        if let Some(first) = items.first_mut() {
            (first.white, first.pad) = (left.white, left.pad);
        }
        items
    }

    /// The text of an argument as a string literal.
    fn stringified(&self, argument: &[Item]) -> String {
        let mut string = String::from("\"");
        for (position, item) in argument.iter().enumerate() {
            if position > 0 && item.spaced() {
                string.push(' ');
            }
            let letters = self.letters.get(item.text);
            let quoted = letters.contains(['"', '\'']);
            for letter in letters.chars() {
                if quoted && (letter == '"' || letter == '\\') {
                    string.push('\\');
                }
                string.push(letter);
            }
        }
        // A backslash at the end would escape the closing quote; GCC drops it as well.
        let backslashes = string.len() - string.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            string.pop();
        }
        string.push('"');
        string
    }
}

/// Returns `true` for an operator of C that is several tokens of Promela.
fn is_operator(letters: &str) -> bool {
    const OPERATORS: [&str; 17] = [
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "...", "##", "<:", ":>", "<%", "%>",
        "%:",
    ];
    OPERATORS.contains(&letters)
}
