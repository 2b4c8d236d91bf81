//! Code that is not read: the sends that its text names.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::source::{FileId, Span};

use super::token::{Kind, Token, tokens};
use super::{Outlet, Scope, any_number};
use crate::fragment::Fragment;
use crate::model::{Block, Recipient, Send, Step};

/// The sends of user code, at any time: all that its text names. Its words become known to the
/// scope.
pub(crate) fn background(code: &[&Fragment], scope: &mut Scope<'_>) -> Block {
    let all: Vec<Block> = code.iter().flat_map(|code| named(code, scope)).collect();
    for code in code {
        let tokens = tokens(&code.text);
        let words = tokens.iter().filter(|token| token.kind == Kind::Word);
        scope.user_words.extend(words.map(|word| word.text.to_owned()));
        let macros = tokens.windows(2).filter(|pair| pair[0].is("define"));
        scope.macros.extend(macros.map(|pair| pair[1].text.to_owned()));
        scope.pastes |= code.text.contains("##");
    }
    let block = any_number(all);
    scope.helped.clone_from(&block);
    block
}

/// The sends that the text of a fragment names, and those of the operations that it calls.
pub(crate) fn named(code: &Fragment, scope: &Scope<'_>) -> Vec<Block> {
    if scope.hides_words(&code.text) {
        let place = code.span().unwrap_or_else(start);
        let sends = scope.outlets.iter().flat_map(of_outlet);
        return sends.chain([scope.helped.clone()]).map(|send| at(send, place)).collect();
    }
    let mut all = Vec::new();
    collect(code, scope, &mut BTreeSet::new(), &mut all);
    all
}

/// The sends that the text of an operation names.
pub(crate) fn of_operation(name: &str, scope: &Scope<'_>) -> Vec<Block> {
    let bodies = scope.operations.get(name).into_iter().flat_map(|operation| &operation.bodies);
    bodies.flat_map(|code| named(code, scope)).collect()
}

/// True if a fragment that is not understood may keep what it names for later: in a function inside
/// it, or by handing a port on.
pub(crate) fn may_keep(code: &Fragment, scope: &Scope<'_>) -> bool {
    let tokens = tokens(&code.text);
    let hands_on = |position: usize| {
        let (token, next) = (tokens[position], tokens.get(position + 1).map(|next| next.kind));
        let port = scope.outlets.iter().any(|outlet| outlet.is_named_by(token.text));
        let owner = matches!(token.text, "self" | "this") || scope.is_item(token.text);
        (port && !matches!(next, Some(Kind::Dot | Kind::OpenBracket)))
            || (owner && !matches!(next, Some(Kind::Dot | Kind::Arrow)))
    };
    let functions = |pair: &[Token<'_>]| {
        let owner = matches!(pair[0].text, "self" | "this") || scope.is_item(pair[0].text);
        // `x -> ...`, a function in Java.
        pair[0].is("new")
            || (pair[1].kind == Kind::Arrow && !owner)
            || (pair[0].kind == Kind::Arrow && pair[1].kind == Kind::OpenBrace)
            || (pair[0].kind == Kind::CloseBracket
                && matches!(pair[1].kind, Kind::OpenParen | Kind::OpenBrace))
    };
    tokens.windows(2).any(functions) || (0..tokens.len()).any(hands_on)
}

fn collect(code: &Fragment, scope: &Scope<'_>, met: &mut BTreeSet<String>, all: &mut Vec<Block>) {
    let tokens = tokens(&code.text);
    for (position, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Word {
            continue;
        }
        let place = code.place(token.start, token.end).unwrap_or_else(start);
        let sends = of_word(&tokens, position, scope);
        all.extend(sends.into_iter().map(|send| at(send, place)));
        if scope.user_words.contains(token.text) && !scope.helped.is_empty() {
            all.push(at(scope.helped.clone(), place));
        }
        let Some(name) = scope.operation_named(token.text) else { continue };
        let Some(operation) = scope.operations.get(name) else { continue };
        if met.insert(name.to_owned()) {
            operation.bodies.iter().for_each(|code| collect(code, scope, met, all));
        }
    }
}

/// The sends that one word names.
fn of_word(tokens: &[Token<'_>], position: usize, scope: &Scope<'_>) -> Vec<Block> {
    let token = tokens[position];
    if scope.requeues(token.text) {
        return vec![vec![Step::Requeue]];
    }
    let next = tokens.get(position + 1).map(|next| next.kind);
    let then = tokens.get(position + 2).map(|token| token.kind);
    let alone = !matches!((next, then), (Some(Kind::Dot | Kind::Arrow), Some(Kind::Word)));
    if scope.is_item(token.text) || (matches!(token.text, "self" | "this") && alone) {
        return scope.outlets.iter().flat_map(of_outlet).collect();
    }
    let mut all = Vec::new();
    for outlet in &scope.outlets {
        if token.text == outlet.name {
            // `port.message(`; with an index or otherwise: any message.
            let message = tokens.get(position + 2).filter(|_| next == Some(Kind::Dot));
            let signal = message.and_then(|m| outlet.signals.iter().find(|signal| signal.name == m.text));
            match signal {
                Some(signal) => {
                    let (port, message, recipient) = (outlet.id, signal.id, Recipient::All);
                    all.push(vec![Step::Send(Send { port, message, recipient, span: start() })]);
                }
                None => all.extend(of_outlet(outlet)),
            }
        } else if outlet.is_named_by(token.text) {
            all.extend(of_outlet(outlet));
        }
    }
    all
}

/// Each message of a port, to any of its peers.
pub(crate) fn of_outlet(outlet: &Outlet) -> Vec<Block> {
    let send = |signal: &super::Signal| {
        let (port, message, recipient) = (outlet.id, signal.id, Recipient::Any);
        vec![Step::Send(Send { port, message, recipient, span: start() })]
    };
    outlet.signals.iter().map(send).collect()
}

/// A block with all of its sends at one place.
pub(crate) fn at(block: Block, span: Span) -> Block {
    let mut block = block;
    for step in &mut block {
        if let Step::Send(send) = step {
            send.span = span;
        }
        for inner in step.blocks_mut() {
            *inner = at(std::mem::take(inner), span);
        }
    }
    block
}

fn start() -> Span {
    Span { file: FileId::new(0), start: 0, end: 0 }
}
