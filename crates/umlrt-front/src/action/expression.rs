//! Expressions: the sends and calls in them.

use action_code::{Expression, ExpressionKind, Unary};

use super::statement::Reader;
use super::value::member_range;
use super::{Opaque, Outlet, any_number, mentions, sends, size};
use crate::model::{Block, Recipient, Send, Step};

/// Functions that only print their arguments.
const PRINTS: &[&str] = &[
    "printf",
    "println",
    "print",
    "etLogger_logInfo",
    "etLogger_logInfoF",
    "etLogger_logError",
    "etLogger_logErrorF",
    "etLogger_logWarning",
    "etLogger_logWarningF",
    "etLogger_logDebug",
    "etLogger_logDebugF",
    "logInfo",
    "logError",
];

/// Functions and parts of ports that only tell something about them.
const TELLS: &[&str] = &[
    "getReplication",
    "getReplicationFactor",
    "getIdx",
    "getLocalId",
    "getData",
    "getName",
    "getType",
    "idx",
    "index",
    "isBound",
    "isValid",
    "localId",
    "sapIndex",
    "sapIndex0",
    "size",
];

/// Functions of ports in Art that wire the port, or let its deferred messages be received.
const MANAGES: &[&str] =
    &["registerSAP", "registerSPP", "deregister", "recall", "recallAll", "recallFront", "recallAllFront"];

/// Functions of the port by which capsules are created that only tell something about a part, or
/// destroy what is in it.
const KEEPS: &[&str] = &["destroy", "incarnationAt", "incarnationsOf"];

impl<'r> Reader<'r, '_> {
    /// A name that is no variable: a port, the capsule, code of the user.
    pub(crate) fn bare_name(
        &mut self,
        name: &str,
        found: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let scope = self.scope;
        scope.variables.lose_parts(|part| part == name);
        if let Some(outlet) = scope.outlets.iter().find(|outlet| outlet.name == name) {
            self.understand(&found.range);
            scope.lose_created(outlet);
            self.any_of(outlet, found, "a port is handed on", block);
        } else if let Some(Joined { outlet, .. }) = self.joined(name) {
            self.understand(&found.range);
            self.any_of(outlet, found, "a call of a port that is no message of it", block);
        } else if scope.is_item(name) || matches!(name, "self" | "this") {
            self.understand(&found.range);
            if !scope.is_item(name) {
                scope.variables.lose_attributes();
            }
            self.any_of_all(found, block);
        } else if scope.operations.contains_key(name) {
            // A reference to an operation, which may be called by whoever gets it.
            return Err(Opaque);
        } else if !scope.reaches(name) {
            // No local variable that can be seen here, and no attribute that is followed.
            self.understand(&found.range);
        }
        Ok(())
    }

    /// A member of an object that is no attribute.
    pub(crate) fn member(
        &mut self,
        found: &Expression,
        object: &Expression,
        member: &str,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        self.scope.variables.lose_parts(|part| part == member);
        if let Some(outlet) = self.outlet(found) {
            self.understand_path(found);
            self.scope.lose_created(outlet);
            self.any_of(outlet, found, "a port is handed on", block);
            return Ok(());
        }
        if self.is_own(object) {
            self.understand(&object.range);
            return Ok(());
        }
        let offered = self.scope.outlets.iter().any(|outlet| outlet.offers(member));
        let tells = TELLS.contains(&member) && !offered;
        // The port at hand.
        if self.names_item(object) {
            self.understand(&object.range);
            if !tells {
                self.any_of_all(found, block);
            }
            return Ok(());
        }
        let (port, index) = match &object.kind {
            ExpressionKind::Index { object: inner, index } => (&**inner, Some(index)),
            _ => (object, None),
        };
        if let Some(outlet) = self.outlet(port) {
            self.understand_path(port);
            if !tells || outlet.offers(member) {
                self.any_of(outlet, found, "a part of a port that is not known", block);
            }
            return index.map_or(Ok(()), |index| self.peer(index, block));
        }
        self.value(object, block).map(|_| ())
    }

    pub(crate) fn indexed(
        &mut self,
        object: &Expression,
        index: &Expression,
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        self.operands(&[object, index], whole, block).map(|_| ())
    }

    /// The port that an expression denotes.
    fn outlet(&self, found: &Expression) -> Option<&'r Outlet> {
        let path = self.path(found)?;
        let scope = self.scope;
        scope.outlets.iter().find(|outlet| outlet.name == path)
    }

    /// Names with dots between them, without `this`.
    fn path(&self, found: &Expression) -> Option<String> {
        match &found.kind {
            ExpressionKind::Name(name) if self.is_local(name) => None,
            ExpressionKind::Name(name) => Some(name.clone()),
            ExpressionKind::Member { object, member } if self.is_own(object) => Some(member.clone()),
            ExpressionKind::Member { object, member } => Some(format!("{}.{member}", self.path(object)?)),
            _ => None,
        }
    }

    /// True for the name of the port at hand, or of the message.
    fn names_item(&self, found: &Expression) -> bool {
        matches!(&found.kind, ExpressionKind::Name(name) if self.scope.is_item(name) && !self.is_local(name))
    }

    /// The words of a path of names.
    fn understand_path(&mut self, found: &Expression) {
        match &found.kind {
            ExpressionKind::Member { object, member } => {
                self.understand(&member_range(found, member));
                self.understand_path(object);
            }
            _ => self.understand(&found.range),
        }
    }

    /// The index of a peer; `ifitem` in it is only asked for its number.
    fn peer(&mut self, index: &Expression, block: &mut Block) -> Result<(), Opaque> {
        if self.asks_item(index) {
            return Ok(());
        }
        self.value(index, block).map(|_| ())
    }

    /// True for `ifitem` and its members, under casts and the like.
    fn asks_item(&mut self, found: &Expression) -> bool {
        match &found.kind {
            ExpressionKind::Name(_) if self.names_item(found) => {
                self.understand(&found.range);
                true
            }
            ExpressionKind::Member { object: inner, .. } | ExpressionKind::Cast { operand: inner, .. } => {
                self.asks_item(inner)
            }
            ExpressionKind::Unary(Unary::Dereference, inner) => self.asks_item(inner),
            _ => false,
        }
    }

    pub(crate) fn call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let scope = self.scope;
        let path = self.path(callee);
        if let Some(name) = path.as_deref().filter(|name| scope.operations.contains_key(*name)) {
            self.understand_path(callee);
            return self.own_call(name, arguments, whole, block);
        }
        if let Some(Joined { outlet, message, recipient }) =
            path.as_deref().and_then(|name| self.joined(name))
        {
            self.understand_path(callee);
            return match message {
                Some(message) => {
                    self.arguments(arguments, whole, block)?;
                    self.send(outlet, message, recipient, whole, block)
                }
                None => {
                    self.any_of(outlet, callee, "a call of a port that is no message of it", block);
                    self.arguments(arguments, whole, block)
                }
            };
        }
        if self.requeues(callee, arguments) {
            block.push(Step::Requeue);
            return Ok(());
        }
        if let ExpressionKind::Member { object, member } = &callee.kind {
            if scope.macros.contains(member) {
                return Err(Opaque);
            }
            if let Some(made) = self.made(object) {
                self.understand(&member_range(callee, member));
                return self.send_made(&made, member, arguments, whole, block);
            }
            let (port, index) = match &object.kind {
                ExpressionKind::Index { object, index } => (object, Some(index)),
                _ => (object, None),
            };
            if let Some(outlet) = self.outlet(port) {
                self.understand_path(port);
                self.understand(&member_range(callee, member));
                let recipient = match index {
                    None => Recipient::All,
                    Some(index) => {
                        self.peer(index, block)?;
                        recipient(index)
                    }
                };
                return self.port_call(&PortCall { outlet, member, recipient }, arguments, whole, block);
            }
            // The operation of a base class, or of whatever this is.
            if scope.operations.contains_key(member) {
                return Err(Opaque);
            }
        }
        self.unknown_call(callee, arguments, whole, block)
    }

    /// True for `msg->defer()` and `sendCopyToMe(msg)`, in Art: the message at hand will be handled
    /// again.
    fn requeues(&mut self, callee: &Expression, arguments: &[Expression]) -> bool {
        let message = match (&callee.kind, arguments) {
            (ExpressionKind::Member { object, member }, []) if member == "defer" => &**object,
            (ExpressionKind::Name(name), [message]) if name == "sendCopyToMe" => message,
            _ => return false,
        };
        let is_meant = self.scope.is_art && !self.is_local("msg");
        let known = is_meant && message.kind == ExpressionKind::Name("msg".to_owned());
        if known {
            self.understand(&message.range);
            match &callee.kind {
                ExpressionKind::Member { member, .. } => self.understand(&member_range(callee, member)),
                _ => self.understand(&callee.range),
            }
        }
        known
    }

    /// The message that `port.message(...)` makes, in Art.
    fn made<'e>(&self, found: &'e Expression) -> Option<Made<'r, 'e>> {
        let ExpressionKind::Call { callee, arguments } = &found.kind else { return None };
        let ExpressionKind::Member { object: port, member } = &callee.kind else { return None };
        let is_meant = |outlet: &&Outlet| outlet.makes_messages && !self.scope.macros.contains(member);
        let outlet = self.outlet(port).filter(is_meant)?;
        let message = outlet.signals.iter().find(|signal| signal.name == *member)?.id;
        Some(Made { outlet, message, port, callee, member, arguments })
    }

    /// A message is made and sent to all peers or to one; or something else is done with it.
    fn send_made(
        &mut self,
        made: &Made<'r, '_>,
        how: &str,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        self.understand_path(made.port);
        self.understand(&member_range(made.callee, made.member));
        self.arguments(made.arguments, whole, block)?;
        self.arguments(arguments, whole, block)?;
        let recipient = match (how, arguments) {
            ("send", []) => Recipient::All,
            // There may be no such peer.
            ("sendAt", [index] | [index, _]) if recipient(index) != Recipient::Index(0) => {
                let mut sent = Vec::new();
                self.send(made.outlet, made.message, recipient(index), whole, &mut sent)?;
                block.push(Step::Choice(vec![Vec::new(), sent]));
                return Ok(());
            }
            ("sendAt", [_] | [_, _]) => Recipient::Index(0),
            // With a priority, which lets it overtake others.
            ("send", [_]) => Recipient::All,
            // The message is handled at once, which is one way of overtaking others, if its
            // receiver is ready for that.
            ("invoke", _) => Recipient::Some,
            // The answer comes at once too, or as a message if nobody waits for it.
            ("invokeAt" | "reply", _) => {
                let mut sent = Vec::new();
                self.send(made.outlet, made.message, Recipient::Any, whole, &mut sent)?;
                block.push(Step::Choice(vec![Vec::new(), sent]));
                return Ok(());
            }
            _ => {
                self.any_of(made.outlet, whole, "a message that is neither sent nor dropped here", block);
                return Ok(());
            }
        };
        self.send(made.outlet, made.message, recipient, whole, block)
    }

    /// A call of a function that is not in the model.
    fn unknown_call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let name = match &callee.kind {
            ExpressionKind::Name(name) | ExpressionKind::Member { member: name, .. } => name.as_str(),
            _ => "",
        };
        let is_own = self.scope.user_words.contains(name);
        if is_own && (self.scope.macros.contains(name) || self.scope.pastes) {
            return Err(Opaque);
        }
        if is_own && !self.scope.helped.is_empty() {
            block.extend(any_number(vec![self.placed(self.scope.helped.clone(), whole)]));
        }
        let prints = match &callee.kind {
            ExpressionKind::Member { object, .. } => is_standard_stream(object),
            _ => true,
        };
        if is_own || !(prints && PRINTS.contains(&name)) {
            // It may get references.
            arguments.iter().for_each(|argument| self.lose_referred(argument));
        }
        if let Some(attribute) = name.strip_prefix("set").map(str::to_ascii_lowercase) {
            // Generated code has such functions.
            let variables = scope_names(self, &attribute);
            variables.into_iter().for_each(|variable| self.scope.variables.lose(variable));
        }
        self.value(callee, block)?;
        let mut steps = Vec::new();
        self.arguments(arguments, whole, &mut steps)?;
        if !steps.is_empty() {
            // It may be a macro, or get a function: what is in it may happen in any number.
            self.lose_assigned(&steps);
            if sends(&steps) {
                if self.code.text.get(whole.range.clone()).is_some_and(|text| text.contains("->")) {
                    self.scope.escape([steps.clone()]);
                }
                if steps.iter().any(|step| !matches!(step, Step::Repeat(_))) {
                    let hint = "each message in its arguments is taken as sent any number of times";
                    self.warn(&whole.range, "a call of what is not known", hint);
                    steps = any_number(vec![steps]);
                }
            }
        }
        block.append(&mut steps);
        Ok(())
    }

    fn arguments(
        &mut self,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let all: Vec<&Expression> = arguments.iter().collect();
        self.operands(&all, whole, block).map(|_| ())
    }

    /// `port.message(...)`, or another call of a port.
    fn port_call(
        &mut self,
        called: &PortCall<'_>,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let PortCall { outlet, member, recipient } = called;
        let signal = outlet.signals.iter().find(|signal| signal.name == **member);
        if let Some(signal) = signal.filter(|_| !outlet.makes_messages) {
            self.arguments(arguments, whole, block)?;
            return self.send(outlet, signal.id, *recipient, whole, block);
        }
        if let Some(part) = self.created(called, arguments) {
            let rest = &arguments[1..];
            rest.iter().for_each(|argument| self.lose_referred(argument));
            self.arguments(rest, whole, block)?;
            if !KEEPS.contains(member) {
                block.push(Step::Incarnate { part });
            }
            return Ok(());
        }
        arguments.iter().for_each(|argument| self.lose_referred(argument));
        self.arguments(arguments, whole, block)?;
        let manages = self.scope.is_art && MANAGES.contains(member);
        if !(TELLS.contains(member) || manages) || outlet.offers(member) {
            self.any_of(outlet, whole, "a call of a port that is no message of it", block);
        }
        Ok(())
    }

    /// The part in which a call creates capsules, or only looks after those in it.
    fn created(&mut self, called: &PortCall<'_>, arguments: &[Expression]) -> Option<String> {
        let PortCall { outlet, member, .. } = called;
        let is_known = member.starts_with("incarnate") || KEEPS.contains(member);
        let part = arguments.first().filter(|_| outlet.is_frame && is_known)?;
        let name = self.path(part).filter(|name| self.scope.variables.is_part(name))?;
        self.understand_path(part);
        Some(name)
    }

    fn send(
        &mut self,
        outlet: &Outlet,
        message: crate::model::MessageId,
        recipient: Recipient,
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let Some(span) = self.place(&whole.range) else { return Err(Opaque) };
        block.push(Step::Send(Send { port: outlet.id, message, recipient, span }));
        Ok(())
    }

    /// `port_message`, as generated code has it.
    fn joined(&self, name: &str) -> Option<Joined<'r>> {
        let scope = self.scope;
        scope.outlets.iter().find_map(|outlet| {
            let rest = name.strip_prefix(outlet.name.as_str())?.strip_prefix('_')?;
            let broadcast = rest.strip_suffix("_broadcast");
            let recipient = if broadcast.is_some() { Recipient::All } else { Recipient::Any };
            let rest = broadcast.unwrap_or(rest);
            let message = outlet.signals.iter().find(|signal| signal.name == rest).map(|signal| signal.id);
            let operation = outlet.operations.iter().any(|operation| operation == rest);
            (message.is_some() || operation).then_some(Joined { outlet, message, recipient })
        })
    }

    /// All messages of all ports, any number of times: the capsule or the port at hand goes to code
    /// that is not known.
    fn any_of_all(&mut self, found: &Expression, block: &mut Block) {
        let hint = "each message of its ports is taken as sent any number of times";
        self.warn(&found.range, "the capsule is handed to a function that is not known", hint);
        let sends: Vec<Block> = self.scope.outlets.iter().flat_map(mentions::of_outlet).collect();
        self.sent_any(sends, found, block);
    }

    fn sent_any(&self, sends: Vec<Block>, found: &Expression, block: &mut Block) {
        let placed: Vec<Block> = sends.iter().map(|send| self.placed(send.clone(), found)).collect();
        self.scope.escape(placed);
        block.extend(self.placed(any_number(sends), found));
    }

    /// All messages of a port, any number of times.
    fn any_of(&mut self, outlet: &Outlet, found: &Expression, message: &str, block: &mut Block) {
        let sends = mentions::of_outlet(outlet);
        if sends.is_empty() {
            return;
        }
        let hint = "each message of the port is taken as sent any number of times";
        self.warn(&found.range, message, hint);
        self.sent_any(sends, found, block);
    }

    /// A call of an operation of the class. That it gets the capsule itself is nothing special.
    fn own_call(
        &mut self,
        name: &str,
        arguments: &[Expression],
        whole: &Expression,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        let scope = self.scope;
        arguments.iter().for_each(|argument| self.lose_referred(argument));
        let own = |argument: &&Expression| self.is_own(argument) || self.names_item(argument);
        let (own, all): (Vec<&Expression>, Vec<&Expression>) = arguments.iter().partition(own);
        own.into_iter().for_each(|argument| self.understand(&argument.range));
        self.operands(&all, whole, block)?;
        let empty = scope
            .operations
            .get(name)
            .and_then(|found| found.bodies.last())
            .is_none_or(|code| code.is_empty());
        if empty {
            // Its body may be elsewhere.
            scope.variables.lose_attributes();
        }
        match scope.operation(name, self.diagnostics) {
            Some(called) if size(&called) <= scope.max_steps && !scope.operations[name].overloaded => {
                if !called.is_empty() {
                    block.push(Step::Call(called));
                }
            }
            _ => {
                scope.variables.lose_attributes();
                let sends = mentions::of_operation(name, scope);
                if !sends.is_empty() {
                    let hint = "each message that it may send is taken as sent any number of times";
                    self.warn(&whole.range, "a call that leads back to itself, or to too much", hint);
                }
                block.extend(any_number(sends));
            }
        }
        Ok(())
    }

    /// A block whose sends stand where an expression does.
    fn placed(&self, block: Block, found: &Expression) -> Block {
        match self.place(&found.range) {
            Some(span) if sends(&block) => mentions::at(block, span),
            _ => block,
        }
    }
}

/// A message of a port, as `port_message`; nothing inside for an operation of the port.
struct Joined<'o> {
    outlet: &'o Outlet,
    message: Option<crate::model::MessageId>,
    recipient: Recipient,
}

/// A message that is made.
struct Made<'o, 'e> {
    outlet: &'o Outlet,
    message: crate::model::MessageId,
    port: &'e Expression,
    callee: &'e Expression,
    member: &'e str,
    arguments: &'e [Expression],
}

/// A call of a member of a port.
struct PortCall<'o> {
    outlet: &'o Outlet,
    member: &'o str,
    recipient: Recipient,
}

/// True for `System.out` and the like.
fn is_standard_stream(object: &Expression) -> bool {
    let ExpressionKind::Member { object, .. } = &object.kind else { return false };
    matches!(&object.kind, ExpressionKind::Name(name) if name == "System")
}

/// The peers that an index denotes.
fn recipient(index: &Expression) -> Recipient {
    match &index.kind {
        ExpressionKind::Literal(action_code::Literal::Integer(number)) => {
            usize::try_from(*number).map_or(Recipient::Any, Recipient::Index)
        }
        // The peer from which the message at hand came, or another one.
        _ => Recipient::Any,
    }
}

/// The attributes whose names differ from a word in capitals only.
fn scope_names(reader: &Reader<'_, '_>, word: &str) -> Vec<crate::model::AttributeId> {
    let all = reader.scope.variables.all();
    let named = all.iter().filter(|(_, attribute)| attribute.name.to_ascii_lowercase() == word);
    named.map(|(id, _)| id).collect()
}
