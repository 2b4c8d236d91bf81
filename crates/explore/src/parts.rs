//! Traversal of compiled code: subexpressions, and the expressions and targets of statements.

use cfsm_core::ids::Id;
use cfsm_core::program::LocationId;

use crate::code::{Code, EdgeCode, Init, Slot, Statement, Target, TypeCode};

impl Code {
    /// The immediate subexpressions.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_)
            | Self::Global(_)
            | Self::Local(_)
            | Self::Timeout
            | Self::NonProgress
            | Self::Pid
            | Self::ProcessCount
            | Self::Last => Vec::new(),
            Self::Element(element) => vec![&element.index],
            Self::Inside(inside) => vec![&inside.1],
            Self::Unary(_, operand) => vec![operand],
            Self::Binary(_, operands) => vec![&operands.0, &operands.1],
            Self::Conditional(parts) => vec![&parts.0, &parts.1, &parts.2],
            Self::Length(child)
            | Self::Empty(child)
            | Self::Full(child)
            | Self::Enabled(child)
            | Self::Priority(child) => {
                vec![child]
            }
            Self::Poll(poll) => {
                [&poll.channel].into_iter().chain(poll.patterns.iter().filter_map(in_slot)).collect()
            }
            Self::AtLocation(remote, _) => remote.process.as_deref().into_iter().collect(),
            Self::RemoteRead(remote, _, element) => {
                let index = element.as_deref().map(|(_, index)| index);
                remote.process.as_deref().into_iter().chain(index).collect()
            }
        }
    }

    /// Returns `true` if `is` holds for the expression or for one of its subexpressions.
    pub(crate) fn any(&self, is: &mut impl FnMut(&Self) -> bool) -> bool {
        is(self) || self.children().into_iter().any(|child| child.any(is))
    }
}

impl Statement {
    /// The expressions that the statement evaluates.
    pub(crate) fn codes(&self) -> Vec<&Code> {
        match self {
            Self::Condition(code) | Self::Assert(code) => vec![code],
            Self::Else => Vec::new(),
            Self::Assign(target, value) => indices([target]).chain([value]).collect(),
            Self::Send { channel, fields, .. } => [channel].into_iter().chain(fields).collect(),
            Self::Receive(receive) => {
                let slots = receive.patterns.iter().filter_map(in_slot);
                [&receive.channel].into_iter().chain(slots).collect()
            }
            Self::Create(create) => create.arguments.iter().chain(indices(&create.result)).collect(),
            Self::Print(arguments) => arguments.iter().collect(),
            Self::SetPriority(process, priority) => vec![process, priority],
        }
    }

    /// The variables that the statement writes.
    pub(crate) fn targets(&self) -> Vec<&Target> {
        match self {
            Self::Assign(target, _) => vec![target],
            Self::Receive(receive) => {
                let stored = receive.patterns.iter().filter_map(|pattern| match pattern {
                    Slot::Store(target) => Some(target),
                    Slot::Any | Slot::Match(_) => None,
                });
                stored.collect()
            }
            Self::Create(create) => create.result.iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl TypeCode {
    /// The edges that leave a location.
    pub(crate) fn edges_at(&self, location: LocationId) -> &[EdgeCode] {
        let (first, end) = self.ranges[location.index()];
        &self.edges[first as usize..end as usize]
    }

    /// The expressions that are evaluated when a process is created.
    pub(crate) fn initial_values(&self) -> Vec<&Code> {
        self.locals.iter().flat_map(|local| local.init.codes()).collect()
    }
}

impl Init {
    /// The expressions that the initialisation evaluates.
    pub(crate) fn codes(&self) -> &[Code] {
        match self {
            Self::Value(value) => std::slice::from_ref(value),
            Self::List(values) => values,
            Self::Zero | Self::Queues(_) | Self::Parameter => &[],
        }
    }
}

fn indices<'c>(targets: impl IntoIterator<Item = &'c Target>) -> impl Iterator<Item = &'c Code> {
    targets.into_iter().filter_map(|target| target.element.as_deref().map(|(_, index)| index))
}

fn in_slot(slot: &Slot) -> Option<&Code> {
    match slot {
        Slot::Store(target) => target.element.as_deref().map(|(_, index)| index),
        Slot::Match(code) => Some(code),
        Slot::Any => None,
    }
}
