//! Whether what all states show, buffers taken as unbounded, is true of the program with its capacities too.
//!
//! Proofs of the abstraction hold for any capacities. A search does not look at runs in which a send waits, and there may be
//! some of which no image is among those that it sees: an `else` or a `timeout` that is executed because a send cannot be, a
//! queue that is full, an `atomic` that is interrupted. `docs/soundness/refinement.md` has the argument.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, ChannelShape, Claim, Edge, Expression, Hold, Initializer, Observer, ProcessType, ProcessTypeId,
    Program, Variable, VariableId,
};
use explore::{
    Buffers, Claims, Completion, Exhausted, Exhaustion, Limits, QueueOrigin, Reduction, RunError, Semantics,
    SymbolicExhaustion, Unsupported, Violation,
};

/// What runs of a program are, claims left out.
pub(crate) fn semantics(program: &Program, buffers: Buffers) -> Result<Semantics, Unsupported> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    Semantics::new(program, &options)
}

/// What all states of some runs show.
pub(crate) struct Found {
    /// How many there are.
    states: usize,
    /// Most messages that each queue holds.
    seen: BTreeMap<QueueOrigin, u32>,
    /// What goes wrong, each once.
    errors: Vec<RunError>,
    /// The proof, if buffers were unbounded.
    pub(crate) proof: Option<Exhausted>,
}

impl Found {
    /// Of a search with unbounded buffers, if it is a proof.
    pub(crate) fn one_by_one(found: Exhaustion) -> Option<Self> {
        found.proof.is_some().then(|| Self::of(found))
    }

    /// The same of one in sets of states.
    pub(crate) fn in_sets(found: SymbolicExhaustion) -> Option<Self> {
        let SymbolicExhaustion { errors, proof, .. } = found;
        let all = proof?;
        Some(Self { states: all.states(), seen: all.maxima().clone(), errors, proof: Some(all) })
    }

    fn of(found: Exhaustion) -> Self {
        let Exhaustion { states, passed, seen, errors, proof, .. } = found;
        Self { states: states + passed, seen, errors, proof }
    }
}

/// What is true of runs with unbounded buffers and of those with the declared capacities.
pub(crate) struct Examined {
    /// How many more states were looked at.
    pub(crate) states: usize,
    /// Most messages that each queue holds, in all of these runs, and where it has room while others have not. `None`: it cannot
    /// be said without saying, too, that a send never waits.
    pub(crate) seen: BTreeMap<QueueOrigin, Option<u32>>,
}

/// Looks for what speaks against taking all states for a proof about the program with its capacities.
///
/// Queues that hold more than they have room for make sends wait, so states are looked at in which these keep their
/// capacities; and once more as long as others turn out to hold more than they have room for then.
///
/// # Errors
/// Why it is none: a sentence without a full stop.
pub(crate) fn examine(program: &Program, all: &Found, limits: &Limits) -> Result<Examined, String> {
    if sees_claims(program) {
        return Err(CLAIMS.into());
    }
    // Where somebody floods a channel because a send waits, there is no end to it.
    let most = all.states.saturating_mul(MORE).saturating_add(MORE_AT_LEAST);
    let states = limits.states.map_or(most, |states| states.min(most));
    let limits = Limits { states: Some(states), ..limits.clone() };
    let mut rooms = Rooms { program, limits, seen: all.seen.clone(), kept: BTreeSet::new(), states: 0 };
    let mut doubtful = BTreeSet::new();
    if !sends_only_wait(program) && !is_never_full(program, all) {
        rooms.fill(all).ok_or_else(|| UNSURE.to_owned())?;
        doubtful = rooms.unsaid().ok_or_else(|| FLOODS.to_owned())?;
    }
    let said = |(origin, most)| (origin, (!doubtful.contains(&origin)).then_some(most));
    Ok(Examined { states: rooms.states, seen: rooms.seen.into_iter().map(said).collect() })
}

/// How many times as many states are looked at with capacities as there are without, and how many besides.
const MORE: usize = 10;
const MORE_AT_LEAST: usize = 10_000;

/// Which channels make sends wait.
struct Rooms<'a> {
    program: &'a Program,
    limits: Limits,
    /// Most messages that each queue held in all that was looked at.
    seen: BTreeMap<QueueOrigin, u32>,
    /// Channels for which sends wait; for others none does with the declared capacities.
    kept: BTreeSet<Declared>,
    /// How many states were looked at.
    states: usize,
}

impl Rooms<'_> {
    /// Finds the channels for which sends wait, and looks at all states in which they do. `None` if these are too many.
    fn fill(&mut self, all: &Found) -> Option<()> {
        if asks(self.program, sees_room) || has_priorities(self.program) {
            self.kept.extend(channels(self.program));
        }
        let mut small = self.too_small(all);
        loop {
            self.kept.append(&mut small);
            let found = self.look(&self.kept)?;
            self.note(&found);
            small = self.too_small(&found);
            if small.is_subset(&self.kept) {
                return Some(());
            }
        }
    }

    /// The channels that hold more than they have room for.
    fn too_small(&self, found: &Found) -> BTreeSet<Declared> {
        let spare = u32::from(may_fail_in_a_send(found));
        let is_small = |(origin, most): &(&QueueOrigin, &u32)| {
            capacity(self.program, origin).is_none_or(|room| **most + spare > room)
        };
        found.seen.iter().filter(is_small).map(|(origin, _)| variable(origin)).collect()
    }

    /// The queues of which no number can be said, since that would say that no send waits for them. `None` if somebody may flood
    /// one where sends wait for others.
    fn unsaid(&mut self) -> Option<BTreeSet<QueueOrigin>> {
        for (channel, _) in self.full() {
            let others: BTreeSet<_> = self.kept.iter().copied().filter(|other| *other != channel).collect();
            let found = self.look(&others)?;
            self.note(&found);
        }
        Some(self.full().into_iter().map(|(_, origin)| origin).collect())
    }

    /// Queues for which sends may wait, and which never held more than they have room for.
    fn full(&self) -> BTreeSet<(Declared, QueueOrigin)> {
        let kept = self.seen.iter().filter(|(origin, _)| self.kept.contains(&variable(origin)));
        let full =
            kept.filter(|(origin, most)| capacity(self.program, origin) == Some(**most) && **most != 0);
        full.map(|(origin, _)| (variable(origin), *origin)).collect()
    }

    /// All states, if they are few enough and say all: with the declared capacities of some channels, and room for any number
    /// in others.
    fn look(&self, kept: &BTreeSet<Declared>) -> Option<Found> {
        let mut roomy = self.program.clone();
        give_room(&mut roomy.globals, |id| !kept.contains(&(None, id)));
        for (ty, process) in roomy.types.iter_mut() {
            give_room(&mut process.locals, |id| !kept.contains(&(Some(ty), id)));
        }
        let found = semantics(&roomy, Buffers::Declared)
            .ok()?
            .exhaust(&self.limits, Reduction::WITHOUT_ASSERTIONS)
            .ok()?;
        let mut errors = found.errors.iter().cloned().map(Violation::Error);
        let says_all = found.completion == Completion::Complete
            && !errors.any(|error| error.is_limit() || error.is_open());
        says_all.then(|| Found::of(found))
    }

    fn note(&mut self, found: &Found) {
        self.states += found.states;
        for (origin, most) in &found.seen {
            let known = self.seen.entry(*origin).or_default();
            *known = (*most).max(*known);
        }
    }
}

/// Lets channels hold any number of messages, but those that are none without a partner.
fn give_room(variables: &mut IdMap<VariableId, Variable>, to: impl Fn(VariableId) -> bool) {
    for (_, variable) in variables.iter_mut().filter(|(id, _)| to(*id)) {
        if let Initializer::NewChannel(shape) = &mut variable.init
            && shape.capacity != 0
        {
            shape.capacity = ChannelShape::ANY;
        }
    }
}

/// Who has a variable, if it is not global, and which it is.
type Declared = (Option<ProcessTypeId>, VariableId);

/// All variables that a channel is made for.
fn channels(program: &Program) -> BTreeSet<Declared> {
    let made = |variable: &Variable| matches!(variable.init, Initializer::NewChannel(_));
    let globals = program.globals.iter().filter(|(_, variable)| made(variable)).map(|(id, _)| (None, id));
    let locals = program.types.iter().flat_map(|(ty, process)| {
        let all = process.locals.iter().filter(|(_, variable)| made(variable));
        all.map(move |(id, _)| (Some(ty), id))
    });
    globals.chain(locals).collect()
}

fn variable(origin: &QueueOrigin) -> Declared {
    (origin.process.map(|(_, ty)| ty), origin.variable)
}

const UNSURE: &str = "all states were looked at with unbounded buffers, but not with the declared capacities, with which an `else`, a `timeout` or another process may come first where a send has to wait";

const FLOODS: &str = "all states were looked at with unbounded buffers; but with the declared capacities, with which sends wait, a buffer may hold more than it does then";

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

/// Whether something goes wrong that may do so in a send: it does not where the send waits.
fn may_fail_in_a_send(found: &Found) -> bool {
    found.errors.iter().any(|error| *error != RunError::Assertion)
}

/// Whether somebody sees by it whether a queue has room.
const fn sees_room(expression: &Expression) -> bool {
    matches!(expression, Expression::Full(_) | Expression::Enabled(_))
}

/// Whether no queue ever has to make a send wait, nor anybody could see that it is full: then runs are the same with the
/// declared capacities.
pub(crate) fn is_never_full(program: &Program, all: &Found) -> bool {
    let spare = u32::from(asks(program, sees_room) || has_priorities(program) || may_fail_in_a_send(all));
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
