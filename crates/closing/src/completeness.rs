//! Whether a search of states with the environment is one for every environment.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, Edge, Expression, Hold, ProcessType, Program, VariableId};

use crate::uses::{Uses, channel_of, may_be_open};

/// Returns `true` if each process sees nothing of an open channel but whether a message that it
/// waits for has come. Then an environment that sends only right before a process receives shows
/// all that the processes can do in any environment (Theorem 2 of
/// `docs/soundness/open-systems.md`). Conservative. Time linear in the program, times the edges of a
/// location.
pub(crate) fn sees_only_messages(program: &Program, uses: &IdMap<VariableId, Uses>) -> bool {
    let passes_both_ways =
        |variable: VariableId| uses[variable].may_be_read() && uses[variable].may_be_sent_to();
    let open = program.globals.ids().filter(|variable| {
        program.is_open(cfsm_core::program::ChannelDeclaration { owner: None, variable: *variable })
    });
    !program.uses_priorities()
        && !open.into_iter().any(passes_both_ways)
        && !program.any_expression(&|value| asks(program, uses, value))
        && program.types.values().all(|process| {
            let uses_open =
                |edge: &&Edge| channel_of(edge).is_some_and(|channel| may_be_open(program, uses, channel));
            process.edges.values().filter(uses_open).all(|edge| only_waits(process, edge))
        })
}

/// Returns `true` for an expression about more than data: the state of an open channel, or the
/// steps of others.
fn asks(program: &Program, uses: &IdMap<VariableId, Uses>, value: &Expression) -> bool {
    value.any(&mut |part| match part {
        Expression::Length(channel)
        | Expression::Empty(channel)
        | Expression::Full(channel)
        | Expression::Poll { channel, .. } => may_be_open(program, uses, channel),
        Expression::Timeout
        | Expression::NonProgress
        | Expression::ProcessCount
        | Expression::Last
        | Expression::Enabled(_)
        | Expression::Opaque(_) => true,
        _ => false,
    })
}

/// Returns `true` if it has no effect but that the process waits when the statement cannot be
/// executed.
fn only_waits(process: &ProcessType, edge: &Edge) -> bool {
    let beside =
        |other: &Edge| other.source == edge.source && (other.action == Action::Else || other.rank > 0);
    let holds_before = |other: &Edge| other.target == edge.source && other.hold != Hold::No;
    let is_plain = match &edge.action {
        Action::Receive { random, peek, .. } => !random && !peek,
        Action::Send { sorted, .. } => !sorted,
        _ => true,
    };
    is_plain
        && edge.d_step.is_none()
        && !process.edges.values().any(|other| beside(other) || holds_before(other))
}
