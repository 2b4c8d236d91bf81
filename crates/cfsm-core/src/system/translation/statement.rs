//! The statements of a transition: their actions and texts.

use super::super::{BufferId, ClassId, Direction, MessageId, MessageType, StateId, System, Transition};
use crate::ids::{Id, IdMap};
use crate::program::{Action, Expression, Pattern, ProcessTypeId, VariableId, VariableRef};

/// One statement of a transition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Statement {
    Pass,
    Send(MessageId),
    Receive(MessageId),
    Create(ClassId),
}

/// The statements of a transition, in order; at least one.
pub(super) fn statements(transition: &Transition) -> Vec<Statement> {
    let events = transition.events.iter().flat_map(|event| {
        let statement = match event.direction {
            Direction::Send => Statement::Send(event.message),
            Direction::Receive => Statement::Receive(event.message),
        };
        std::iter::repeat_n(statement, event.count as usize)
    });
    let all: Vec<_> =
        events.chain(transition.creates.iter().map(|class| Statement::Create(*class))).collect();
    if all.is_empty() { vec![Statement::Pass] } else { all }
}

/// The text of each statement of a transition: for the first one the user's text, or the states
/// followed by its description; for the others their descriptions.
pub(super) fn texts(system: &System, transition: &Transition, statements: &[Statement]) -> Vec<String> {
    let state = |id: StateId| &system.states[id].name;
    let mut texts: Vec<String> = statements.iter().map(|statement| deed(system, *statement)).collect();
    texts[0] = match &transition.origin {
        Some(origin) => origin.text.clone(),
        None => {
            let colon = if texts[0].is_empty() { "" } else { ": " };
            format!("{} -> {}{colon}{}", state(transition.source), state(transition.target), texts[0])
        }
    };
    texts
}

/// The description of a statement: `AB!ask`, `AB?ask`, `run P`.
fn deed(system: &System, statement: Statement) -> String {
    let passed = |message: MessageId, sign: char| {
        let buffer = &system.buffers[system.messages[message].buffer].name;
        format!("{buffer}{sign}{}", symbol(system, message))
    };
    match statement {
        Statement::Pass => String::new(),
        Statement::Send(message) => passed(message, '!'),
        Statement::Receive(message) => passed(message, '?'),
        Statement::Create(class) => format!("run {}", system.classes[class].name),
    }
}

/// The name of a message type; `_` if it has none.
pub(super) fn symbol(system: &System, message: MessageId) -> &str {
    match system.messages[message].name.as_str() {
        "" => "_",
        name => name,
    }
}

/// The numbers of message types: from 1 in each buffer.
pub(super) fn numbers(system: &System) -> IdMap<MessageId, i64> {
    let mut last: IdMap<BufferId, i64> = IdMap::filled(0, system.buffers.len());
    let next = |message: &MessageType| {
        last[message.buffer] += 1;
        last[message.buffer]
    };
    system.messages.values().map(next).collect()
}

pub(super) fn action(system: &System, numbers: &IdMap<MessageId, i64>, statement: Statement) -> Action {
    let channel = |message: MessageId| {
        let variable = VariableId::new(system.messages[message].buffer.index());
        Expression::variable(VariableRef::Global(variable))
    };
    let number = |message: MessageId| Expression::Constant(numbers[message]);
    match statement {
        Statement::Pass => Action::Condition(Expression::Constant(1)),
        Statement::Send(message) => {
            Action::Send { channel: channel(message), fields: vec![number(message)], sorted: false }
        }
        Statement::Receive(message) => Action::Receive {
            channel: channel(message),
            patterns: vec![Pattern::Match(number(message))],
            random: false,
            peek: false,
        },
        Statement::Create(class) => Action::Create {
            process_type: ProcessTypeId::new(class.index()),
            arguments: Vec::new(),
            priority: None,
            result: None,
        },
    }
}
