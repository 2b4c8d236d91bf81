//! Environments of open programs: what stands outside, and may use some channels at any time.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Action, ChannelDeclaration, Edge, Expression, Place, ProcessTypeId, Program, VariableRef};

/// The environment of an open program: a process that sends any message to the
/// [open channels](super::ChannelShape::is_open) and takes any message from them, at any time. It
/// may end.
/// `docs/soundness/open-systems.md` says which runs of a program with it are runs of the program
/// with every environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Environment {
    /// Its process type, which has one instance.
    pub process_type: ProcessTypeId,
    /// `true` if the states that are reached when it sends only to empty channels, and only
    /// messages that it names, include all that the other processes can reach in any environment.
    /// Otherwise a search of all states proves nothing.
    pub is_complete: bool,
    /// Assumptions on the values that it sends, to which it keeps, as the user wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

impl Environment {
    /// The action of an edge where runs are executed. An edge of the environment is never
    /// executable if it chooses values without naming them, or receives from a queue, which
    /// loses its messages anyway. The environment can end at any time, unless nobody could see it.
    #[must_use]
    pub fn executed<'a>(&self, program: &Program, owner: ProcessTypeId, edge: &'a Edge) -> Cow<'a, Action> {
        let is_unnamed = |field: &Expression| matches!(field, Expression::Opaque(_));
        let is_rendezvous = |channel: &Expression| {
            let Expression::Read(Place { variable: VariableRef::Global(variable), .. }) = channel else {
                return false;
            };
            program.declared_capacity(ChannelDeclaration { owner: None, variable: *variable }) == Some(0)
        };
        let condition = |holds: bool| Cow::Owned(Action::Condition(Expression::Constant(holds.into())));
        match &edge.action {
            _ if owner != self.process_type => Cow::Borrowed(&edge.action),
            Action::Send { fields, .. } if fields.iter().any(is_unnamed) => condition(false),
            Action::Assign { value, .. } if is_unnamed(value) => condition(false),
            Action::Receive { channel, .. } if !is_rendezvous(channel) => condition(false),
            Action::Condition(Expression::Opaque(_)) => condition(!self.is_complete),
            action => Cow::Borrowed(action),
        }
    }
}
