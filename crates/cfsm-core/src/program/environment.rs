//! Environments of open programs: what stands outside, and may use some channels at any time.

use serde::{Deserialize, Serialize};

use super::{Action, ChannelDeclaration, Edge, Expression, Place, ProcessTypeId, Program, VariableRef};

/// The environment of an open program: a process that sends any message to the
/// [open channels](super::ChannelShape::is_open) and takes any message from them, at any time.
/// `docs/soundness/open-systems.md` says which runs of a program with it are runs of the program
/// with every environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Environment {
    /// Its process type, which has one instance.
    pub process_type: ProcessTypeId,
    /// `true` if the states that are reached when it sends only to empty channels, and only
    /// messages that it names, include all that the other processes can reach in any environment.
    /// Otherwise a search of all states proves nothing.
    pub is_complete: bool,
}

impl Environment {
    /// Returns `true` for an edge of the environment that a search of states leaves out: a send
    /// without values, or a receive from a queue, which loses its messages anyway.
    #[must_use]
    pub fn is_left_out(&self, program: &Program, owner: ProcessTypeId, edge: &Edge) -> bool {
        let is_unnamed = |field: &Expression| matches!(field, Expression::Opaque(_));
        let is_rendezvous = |channel: &Expression| {
            let Expression::Read(Place { variable: VariableRef::Global(variable), .. }) = channel else {
                return false;
            };
            program.declared_capacity(ChannelDeclaration { owner: None, variable: *variable }) == Some(0)
        };
        owner == self.process_type
            && match &edge.action {
                Action::Send { fields, .. } => fields.iter().any(is_unnamed),
                Action::Receive { channel, .. } => !is_rendezvous(channel),
                _ => false,
            }
    }
}
