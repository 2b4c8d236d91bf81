//! Completeness of environments: a search of states with a complete one is a search for all.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, ChannelDeclaration, Edge, Expression, Hold, Initializer, ProcessType, Program, Variable,
    VariableId,
};

use crate::uses::{Uses, channel_of, may_be_open};

/// Returns `true` if each process sees nothing of an open channel but whether a message that it
/// waits for has come. Then an environment that sends only right before a process receives shows
/// all that the processes can do in any environment (Theorem 2b of
/// `docs/soundness/open-systems.md`). Conservative. Time linear in the program, times the edges of
/// a location.
pub(crate) fn sees_only_messages(program: &Program, uses: &IdMap<VariableId, Uses>) -> bool {
    let passes_both_ways =
        |variable: VariableId| uses[variable].may_be_read() && uses[variable].may_be_sent_to();
    let open = program
        .globals
        .ids()
        .filter(|variable| program.is_open(ChannelDeclaration { owner: None, variable: *variable }));
    let shows_more = program.uses_priorities()
        || (creates(program) && sees_numbers(program))
        || open.into_iter().any(passes_both_ways)
        || program.any_expression(&|value| asks(program, uses, value));
    let is_plain = |process: &ProcessType| {
        let uses_open =
            |edge: &&Edge| channel_of(edge).is_some_and(|channel| may_be_open(program, uses, channel));
        process.edges.values().filter(uses_open).all(|edge| only_waits(process, edge))
    };
    !shows_more && program.types.values().all(is_plain)
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
        | Expression::AtLocation { .. }
        | Expression::ProgramCounter(_)
        | Expression::RemoteRead { .. }
        | Expression::Opaque(_) => true,
        _ => false,
    })
}

/// Returns `true` if processes are created.
fn creates(program: &Program) -> bool {
    let mut edges = program.types.values().flat_map(|process| process.edges.values());
    edges.any(|edge| matches!(edge.action, Action::Create { .. }))
}

/// Returns `true` if it may matter which numbers processes and channels get: that depends on
/// whether the environment has ended.
fn sees_numbers(program: &Program) -> bool {
    let keeps = |edge: &Edge| matches!(edge.action, Action::Create { result: Some(_), .. });
    let is_made = |local: &Variable| matches!(local.init, Initializer::NewChannel(_));
    program.any_expression(&|value| value.any(&mut |part| matches!(part, Expression::Pid)))
        || program
            .types
            .values()
            .any(|process| process.edges.values().any(keeps) || process.locals.values().any(is_made))
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
