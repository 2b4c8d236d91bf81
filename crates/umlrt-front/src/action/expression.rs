//! Expressions: the sends and calls in them.

use super::statement::Reader;
use super::token::{Kind, Token};
use super::{Opaque, Outlet, any_number, mentions, sends, size};
use crate::model::{Block, Recipient, Send, Step};

/// A send or a call that stands in an expression.
struct Effect {
    block: Block,
    /// The position behind it.
    end: usize,
}

impl Reader<'_, '_> {
    /// The effects of the tokens of an expression or a declaration.
    pub(crate) fn effects(&mut self, start: usize, end: usize) -> Result<Block, Opaque> {
        let mut all: Vec<Block> = Vec::new();
        let mut position = start;
        while position < end {
            let token = self.tokens[position];
            let effect = if token.kind == Kind::Word { self.effect(position, end)? } else { None };
            match effect {
                Some(effect) => {
                    if !effect.block.is_empty() {
                        all.push(effect.block);
                    }
                    position = effect.end;
                }
                None => position += 1,
            }
        }
        if !all.iter().any(sends) {
            return Ok(Vec::new());
        }
        let tokens = &self.tokens[start..end];
        // Functions inside an expression run at another time, if at all.
        if tokens.iter().any(|token| token.kind == Kind::OpenBrace) {
            self.scope.escape(all);
            return Err(Opaque);
        }
        let lazy = tokens.iter().any(|token| token.kind == Kind::Lazy);
        if all.len() == 1 && !lazy {
            return Ok(all.pop().unwrap_or_default());
        }
        let hint = "each message in it is taken as sent any number of times";
        self.warn(start, "it is not told in which order this sends, or whether it does", hint);
        Ok(any_number(all))
    }

    /// The send or call that begins with a word.
    fn effect(&mut self, position: usize, end: usize) -> Result<Option<Effect>, Opaque> {
        let token = self.tokens[position];
        if self.is_member(position) {
            return Ok(None);
        }
        let scope = self.scope;
        if let Some(outlet) = scope.outlets.iter().find(|outlet| outlet.name == token.text) {
            return self.port(outlet, position, end).map(Some);
        }
        let called = self.kind_at(position + 1, end) == Some(Kind::OpenParen);
        if let Some(send) = self.joined(token, position, end, called)? {
            return Ok(Some(send));
        }
        if matches!(token.text, "ifitem" | "self" | "this") && self.is_argument(position, end) {
            if self.is_own_call(position) {
                return Ok(None);
            }
            let hint = "each message of its ports is taken as sent any number of times";
            self.warn(position, "the capsule is handed to a function that is not known", hint);
            let sends: Vec<Block> = scope.outlets.iter().flat_map(mentions::of_outlet).collect();
            scope.escape(self.all_placed(&sends, position));
            let block = any_number(sends);
            return Ok(Some(Effect { block: self.placed(block, position), end: position + 1 }));
        }
        if called && scope.operations.contains_key(token.text) {
            return self.call(token.text, position, end).map(Some);
        }
        if scope.helpers.contains(token.text) {
            let block = self.placed(scope.helped.clone(), position);
            return Ok(Some(Effect { block, end: position + 1 }));
        }
        Ok(None)
    }

    fn kind_at(&self, position: usize, end: usize) -> Option<Kind> {
        self.tokens[..end].get(position).map(|token| token.kind)
    }

    /// True if a word names a member of something else than the capsule.
    fn is_member(&self, position: usize) -> bool {
        let before = |distance: usize| position.checked_sub(distance).map(|before| self.tokens[before]);
        let Some(dot) =
            before(1).filter(|token| matches!(token.kind, Kind::Dot | Kind::Arrow | Kind::Colons))
        else {
            return false;
        };
        !(dot.kind != Kind::Colons && before(2).is_some_and(|owner| owner.is("this") || owner.is("self")))
    }

    /// True if a word is an argument by itself.
    fn is_argument(&self, position: usize, end: usize) -> bool {
        let before = position.checked_sub(1).map(|before| self.tokens[before].kind);
        // `(*self).x` and casts lead to members.
        let after = self.kind_at(position + 1, end);
        let opened = !matches!(before, Some(Kind::Dot | Kind::Arrow));
        opened && !matches!(after, Some(Kind::Dot | Kind::Arrow | Kind::OpenParen | Kind::OpenBracket))
    }

    /// True if a word stands among the arguments of an operation of the class.
    fn is_own_call(&self, position: usize) -> bool {
        let mut depth = 0_usize;
        for index in (0..position).rev() {
            match self.tokens[index].kind {
                Kind::CloseParen => depth += 1,
                Kind::OpenParen if depth == 0 => {
                    let Some(name) = index.checked_sub(1) else { return false };
                    return self.scope.operations.contains_key(self.tokens[name].text);
                }
                Kind::OpenParen => depth -= 1,
                Kind::Semicolon => return false,
                _ => {}
            }
        }
        false
    }

    /// `port.message(...)`, `port[index].message(...)`, or another use of a port.
    fn port(&mut self, outlet: &Outlet, position: usize, end: usize) -> Result<Effect, Opaque> {
        let (mut at, mut recipient) = (position + 1, Recipient::All);
        let mut before = Vec::new();
        if self.kind_at(at, end) == Some(Kind::OpenBracket) {
            let close = self.closing(at, end)?;
            recipient = match &self.tokens[at + 1..close] {
                [only] if only.kind == Kind::Number => {
                    only.text.parse().map_or(Recipient::Any, Recipient::Index)
                }
                // The peer from which the message at hand came, or another one.
                _ => Recipient::Any,
            };
            before = self.without_port(at + 1, close)?;
            at = close + 1;
        }
        let dotted = matches!(self.kind_at(at, end), Some(Kind::Dot | Kind::Arrow));
        let name = self.tokens[..end].get(at + 1).filter(|token| dotted && token.kind == Kind::Word).copied();
        let Some(name) = name else {
            return self.any_of(outlet, position, "a port is handed on", position + 1);
        };
        let called = self.kind_at(at + 2, end) == Some(Kind::OpenParen);
        if !called {
            // A value that the port has.
            return Ok(Effect { block: before, end: at + 2 });
        }
        let close = self.closing(at + 2, end)?;
        if let Some(signal) = outlet.signals.iter().find(|signal| signal.name == name.text) {
            let mut block = before;
            block.extend(self.effects(at + 3, close)?);
            let Some(span) = self.place(position, close + 1) else { return Err(Opaque) };
            let (port, message) = (outlet.id, signal.id);
            block.push(Step::Send(Send { port, message, recipient, span }));
            return Ok(Effect { block, end: close + 1 });
        }
        let asks = ["get", "is", "has", "size", "length", "count"];
        let harmless = asks.iter().any(|prefix| name.text.starts_with(prefix));
        if harmless && !outlet.operations.iter().any(|operation| operation == name.text) {
            return Ok(Effect { block: before, end: at + 3 });
        }
        self.any_of(outlet, position, "a call of a port that is no message of it", at + 3)
    }

    /// An index, in which `ifitem` is only asked for the number of a peer.
    fn without_port(&mut self, start: usize, end: usize) -> Result<Block, Opaque> {
        if self.tokens[start..end].iter().any(|token| token.is("ifitem")) {
            return Ok(Vec::new());
        }
        self.effects(start, end)
    }

    /// `port_message(...)`, as generated code has it.
    fn joined(
        &mut self,
        token: Token<'_>,
        position: usize,
        end: usize,
        called: bool,
    ) -> Result<Option<Effect>, Opaque> {
        let scope = self.scope;
        for outlet in &scope.outlets {
            let rest = token.text.strip_prefix(outlet.name.as_str()).and_then(|rest| rest.strip_prefix('_'));
            let Some(rest) = rest else { continue };
            let signal = outlet.signals.iter().find(|signal| signal.name == rest);
            let operation = outlet.operations.iter().any(|operation| operation == rest);
            if signal.is_none() && !operation {
                continue;
            }
            let Some(signal) = signal.filter(|_| called) else {
                let message = "a call of a port that is no message of it";
                return self.any_of(outlet, position, message, position + 1).map(Some);
            };
            let close = self.closing(position + 1, end)?;
            let mut block = self.effects(position + 2, close)?;
            let Some(span) = self.place(position, close + 1) else { return Err(Opaque) };
            let (port, message, recipient) = (outlet.id, signal.id, Recipient::All);
            block.push(Step::Send(Send { port, message, recipient, span }));
            return Ok(Some(Effect { block, end: close + 1 }));
        }
        Ok(None)
    }

    /// All messages of a port, any number of times.
    fn any_of(&mut self, outlet: &Outlet, position: usize, what: &str, end: usize) -> Result<Effect, Opaque> {
        let sends = mentions::of_outlet(outlet);
        if sends.is_empty() {
            return Ok(Effect { block: Vec::new(), end });
        }
        let hint = "each message of the port is taken as sent any number of times";
        self.warn(position, what, hint);
        self.scope.escape(self.all_placed(&sends, position));
        Ok(Effect { block: self.placed(any_number(sends), position), end })
    }

    /// A call of an operation of the class.
    fn call(&mut self, name: &str, position: usize, end: usize) -> Result<Effect, Opaque> {
        let close = self.closing(position + 1, end)?;
        let mut block = self.effects(position + 2, close)?;
        let scope = self.scope;
        let called = match scope.operation(name, self.diagnostics) {
            Some(called) if size(&called) <= scope.max_steps => vec![Step::Call(called)],
            _ => {
                let sends = mentions::of_operation(name, scope);
                if !sends.is_empty() {
                    let hint = "each message that it may send is taken as sent any number of times";
                    self.warn(position, "a call that leads back to itself, or to too much", hint);
                }
                any_number(sends)
            }
        };
        if sends(&called) {
            block.extend(called);
        }
        Ok(Effect { block, end: close + 1 })
    }

    /// The position of the bracket that closes the one at a position.
    fn closing(&self, open: usize, end: usize) -> Result<usize, Opaque> {
        let mut depth = 0_usize;
        for (position, token) in self.tokens[..end].iter().enumerate().skip(open) {
            match token.kind {
                Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace => depth += 1,
                Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(position);
                    }
                }
                _ => {}
            }
        }
        Err(Opaque)
    }

    /// A block whose sends stand where a token does.
    fn placed(&self, block: Block, position: usize) -> Block {
        let Some(span) = self.place(position, position + 1) else { return block };
        mentions::at(block, span)
    }

    fn all_placed(&self, blocks: &[Block], position: usize) -> Vec<Block> {
        blocks.iter().map(|block| self.placed(block.clone(), position)).collect()
    }
}
