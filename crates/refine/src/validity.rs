//! Whether what all states show, buffers taken as unbounded, is true of the program with its capacities too.
//!
//! Proofs of the abstraction hold for any capacities. A search does not look at runs in which a send waits, and there may be
//! some of which no image is among those that it sees: an `else` or a `timeout` that is executed because a send cannot be, a
//! queue that is full, an `atomic` that is interrupted. `docs/soundness/refinement.md` has the argument.

use cfsm_core::program::{
    Action, Claim, Edge, Expression, Hold, Initializer, Observer, ProcessType, Program,
};
use explore::{
    Buffers, Claims, Completion, Exhaustion, Limits, QueueOrigin, Reduction, Semantics, Unsupported,
    Violation,
};

/// What runs of a program are, claims left out.
pub(crate) fn semantics(program: &Program, buffers: Buffers) -> Result<Semantics, Unsupported> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    Semantics::new(program, &options)
}

/// Looks for what speaks against taking all states for a proof about the program with its capacities. How many more states were
/// looked at.
///
/// # Errors
/// Why it is none: a sentence without a full stop.
pub(crate) fn examine(program: &Program, all: &Exhaustion, limits: &Limits) -> Result<usize, String> {
    if sees_claims(program) {
        return Err(CLAIMS.into());
    }
    if sends_only_wait(program) || is_never_full(program, all) {
        return Ok(0);
    }
    let unsure = || {
        "all states were looked at with unbounded buffers, but not with the declared capacities, with which an `else`, a `timeout` or another process may come first where a send has to wait".to_owned()
    };
    let semantics = semantics(program, Buffers::Declared).map_err(|_| unsure())?;
    let found = semantics.exhaust(limits, Reduction::ALL).map_err(|_| unsure())?;
    let mut errors = found.errors.iter().cloned().map(Violation::Error);
    if found.completion != Completion::Complete || errors.any(|error| error.is_limit() || error.is_open()) {
        return Err(unsure());
    }
    let exceeds = |(origin, most): (&QueueOrigin, &u32)| {
        let known = all.seen.get(origin).copied().unwrap_or(0);
        let capacity = capacity(program, origin).unwrap_or(u32::MAX);
        // Where a queue fills up that is said to have room enough, a send may wait after all.
        *most > known || (known == capacity && *most == capacity)
    };
    if found.seen.iter().any(exceeds) {
        return Err(
            "all states were looked at with unbounded buffers; but with the declared capacities, with which sends wait, a buffer may hold more than it does then".into(),
        );
    }
    Ok(found.states + found.passed)
}

/// Why a search that leaves out a claim is no proof.
pub(crate) const CLAIMS: &str = "all states were looked at, but without the claim, which counts as a process, and a statement asks how many of these there are";

/// Whether processes may see that there is a claim: Spin's verifier counts a `never` claim as a process, and no run with it
/// has been looked at.
pub(crate) fn sees_claims(program: &Program) -> bool {
    let counted =
        |claim: &Claim| matches!(claim, Claim::Ltl { .. } | Claim::Observer { kind: Observer::Never, .. });
    program.claims.iter().any(counted)
        && asks(program, |expression| matches!(expression, Expression::ProcessCount))
}

/// Whether capacities do nothing but make sends wait, so that each run with them is one without.
pub(crate) fn sends_only_wait(program: &Program) -> bool {
    let sees = |expression: &Expression| {
        matches!(expression, Expression::Full(_) | Expression::Timeout | Expression::Enabled(_))
    };
    // What steps of a system are is all or nothing; in its program nothing depends on what others cannot do.
    program.whole_steps
        || (!asks(program, sees)
            && !has_priorities(program)
            && program.types.values().all(|ty| {
                let sends = |edge: &&Edge| matches!(edge.action, Action::Send { .. });
                ty.edges.values().filter(sends).all(|edge| only_waits(ty, edge))
            }))
}

/// Whether nothing else happens because a send waits.
fn only_waits(ty: &ProcessType, send: &Edge) -> bool {
    let beside_else = |edge: &Edge| edge.source == send.source && edge.action == Action::Else;
    let holds_before = |edge: &Edge| edge.target == send.source && edge.hold != Hold::No;
    send.rank == 0
        && send.d_step.is_none()
        && !ty.edges.values().any(|edge| beside_else(edge) || holds_before(edge))
}

fn has_priorities(program: &Program) -> bool {
    let sets = |edge: &Edge| {
        matches!(edge.action, Action::SetPriority { .. } | Action::Create { priority: Some(_), .. })
    };
    program.types.values().any(|ty| ty.priority.is_some() || ty.edges.values().any(sets))
}

/// Whether some expression of the processes has a part like this.
fn asks(program: &Program, is: impl Fn(&Expression) -> bool) -> bool {
    let has = |expression: &Expression| expression.any(&mut |part| is(part));
    let of_locals = |ty: &ProcessType| {
        ty.locals.values().any(|variable| variable.init.expressions().iter().any(has))
            || ty.provided.as_ref().is_some_and(has)
    };
    let of_edges =
        |ty: &ProcessType| ty.edges.values().any(|edge| edge.action.expressions().into_iter().any(has));
    program.globals.values().any(|variable| variable.init.expressions().iter().any(has))
        || program.types.values().any(|ty| of_locals(ty) || of_edges(ty))
}

/// Whether no queue ever has to make a send wait, nor anybody could see that it is full: then runs are the same with the
/// declared capacities.
pub(crate) fn is_never_full(program: &Program, all: &Exhaustion) -> bool {
    let sees = |expression: &Expression| matches!(expression, Expression::Full(_) | Expression::Enabled(_));
    // What goes wrong in a send does not where the send waits.
    let spare = u32::from(asks(program, sees) || has_priorities(program) || !all.errors.is_empty());
    all.seen.iter().all(|(origin, most)| {
        capacity(program, origin).is_some_and(|capacity| capacity == 0 || *most + spare <= capacity)
    })
}

/// The declared capacity of a queue.
fn capacity(program: &Program, origin: &QueueOrigin) -> Option<u32> {
    let variable = match origin.process {
        None => program.globals.get(origin.variable)?,
        Some((_, ty)) => program.types.get(ty)?.locals.get(origin.variable)?,
    };
    match &variable.init {
        Initializer::NewChannel(shape) => Some(shape.capacity),
        _ => None,
    }
}
