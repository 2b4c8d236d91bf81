//! Concrete runs without progress.

use std::collections::BTreeSet;

use ::livelock::{Fairness, Outcome};
use cfsm_core::program::{EdgeId, ProcessTypeId, Program};
use explore::{Aim, Budget, Buffers, Guide, Limits, Move, Quest, RunError, Semantics, Violation, Witness};

use crate::all_states::PASSED;
use crate::confirm::statements;
use crate::{Correspondence, Options, lasso, readings};

/// States among which cycles are looked for, at most: they are kept as they are, and with all their
/// steps.
const LASSO_STATES: usize = 30_000;
/// States among which deadlocks are looked for where freedom from livelocks is proved, at most.
const DEADLOCK_STATES: usize = 1_000;

/// States that are searched for a run that is against a proof: there is none, unless there is a
/// bug.
const STATES_BEHIND_A_PROOF: usize = 500;

/// What runs of the program show about livelocks.
#[derive(Clone, Debug, Default)]
pub struct LivelockConfirmation {
    /// What runs are, as it was searched, channels taken as unlimited, or as the witness needs it;
    /// `None` if none was.
    pub semantics: Option<Semantics>,
    /// A run that goes on for ever without progress, and is fair if that was asked for.
    pub witness: Option<Witness>,
    /// Whether a run that goes on for ever without progress was seen that does not count, as it is
    /// not known to be fair.
    pub unfair: bool,
    /// Whether all states have been seen, so that there is no livelock if there is no witness.
    pub complete: bool,
    /// Whether that is a proof, if there is no witness: no step goes wrong, so that nothing lies
    /// behind an error, each `progress` label counts, and it is so in every combination of
    /// unlimited and limited channels.
    pub exhausted: bool,
    /// Whether a run, with the capacities that are declared, was seen to come to a state where no
    /// process can step and some process may not rest. It is looked for only where livelock freedom
    /// is proved.
    pub deadlock: bool,
    /// How many states were looked at.
    pub states: usize,
    /// Why no run, or not all of them, could be looked at: a sentence without a full stop.
    pub limit: Option<String>,
    /// A run that goes on for ever without progress, for which a better one may be found: one that
    /// needs unlimited channels, or a long one. With what runs are.
    pub(crate) fallback: Option<(Semantics, Witness)>,
}

impl LivelockConfirmation {
    /// Returns `true` if a run is known that goes on for ever without progress and comes to the
    /// same state again and again.
    pub(crate) fn is_refuted(&self) -> bool {
        let is_lasso = |(_, witness): &(Semantics, Witness)| witness.growth().is_empty();
        self.witness.is_some() || self.fallback.as_ref().is_some_and(is_lasso)
    }

    /// The result of a search after another one. A run that makes queues grow is kept as the
    /// fallback, as there may be others that the declared capacities allow.
    pub(crate) fn after(mut self, before: Self) -> Self {
        self.states += before.states;
        self.fallback = before.fallback;
        if self.witness.as_ref().is_some_and(|witness| !witness.growth().is_empty()) {
            let found = self.semantics.clone().zip(self.witness.take());
            self.fallback = self.fallback.or(found);
        }
        self
    }

    /// The fallback as the witness, if there is no other.
    pub(crate) fn with_fallback(mut self) -> Self {
        if let (None, Some((semantics, witness))) = (&self.witness, self.fallback.take()) {
            (self.semantics, self.witness) = (Some(semantics), Some(witness));
        }
        self
    }

    /// Whether a run has been seen that is against a proof. That cannot be, unless there is a bug;
    /// then nothing should be called proved.
    #[must_use]
    pub const fn contradicts(&self, outcome: &Outcome) -> bool {
        outcome.verdict.is_proved() && (self.witness.is_some() || self.fallback.is_some())
    }
}

/// Looks for a run without progress; where there is a proof that there is none, for a deadlock, as
/// this is no livelock but may be what is wrong.
///
/// The outcome must be about the system that corresponds to the program. Claims of the program are
/// left out, as they are in the abstraction.
#[must_use]
pub fn confirm_livelock<C: Correspondence>(
    program: &Program,
    correspondence: &C,
    outcome: &Outcome,
    options: &Options,
) -> LivelockConfirmation {
    let mut found = LivelockConfirmation::default();
    if options.search_states.max(options.exploration_states) == 0 {
        return found;
    }
    let semantics = match readings::semantics(program, Buffers::Unbounded) {
        Ok(semantics) => semantics,
        Err(reason) => {
            found.limit = Some(format!("no run was searched: {reason}"));
            return found;
        }
    };
    let subject = Subject { program, correspondence, outcome, semantics: &semantics };
    if let Err(error) = search(&subject, options, &mut found) {
        found.limit = Some(format!("no run was searched: at the start, {error}"));
    }
    if outcome.verdict.is_proved() {
        found.deadlock = deadlock(program, options, &mut found.states);
    }
    let semantics = found.semantics.take().unwrap_or(semantics);
    LivelockConfirmation { semantics: Some(semantics), ..found }
}

/// Where every run ends, there is no livelock; looks for a deadlock, as this may be what is wrong.
/// `states` have been looked at.
#[must_use]
pub fn confirm_ending(program: &Program, states: usize, options: &Options) -> LivelockConfirmation {
    let mut found = LivelockConfirmation { states, ..LivelockConfirmation::default() };
    found.deadlock = deadlock(program, options, &mut found.states);
    found
}

/// Statements that may make progress: all that leave a location with a `progress` label.
pub(crate) fn statements_that_may_make_progress(program: &Program) -> BTreeSet<(ProcessTypeId, EdgeId)> {
    let types = program.types.iter();
    let edges =
        types.flat_map(|(id, ty)| ty.edges.iter().map(move |(edge, content)| (id, ty, edge, content)));
    let makes = edges.filter(|(_, ty, _, content)| ty.locations[content.source].is_progress());
    makes.map(|(id, _, edge, _)| (id, edge)).collect()
}

/// What runs are searched of, and for what.
struct Subject<'a, C> {
    program: &'a Program,
    correspondence: &'a C,
    outcome: &'a Outcome,
    semantics: &'a Semantics,
}

fn search<C: Correspondence>(
    subject: &Subject<'_, C>,
    options: &Options,
    found: &mut LivelockConfirmation,
) -> Result<(), RunError> {
    let Subject { program, correspondence, outcome, semantics } = *subject;
    let fairness = outcome.fairness;
    let progress = statements_that_may_make_progress(program);
    let makes = |moved: &Move| moved.edge.is_some_and(|edge| progress.contains(&(moved.process_type, edge)));
    let allows = |moves: &[Move]| !moves.iter().any(makes);
    // Where a proof rests on fairness, a run that is not fair says why it is needed.
    let is_certain = outcome.verdict.is_proved() && fairness == Fairness::None;
    let most = if is_certain { STATES_BEHIND_A_PROOF } else { LASSO_STATES };
    let states = options.exploration_states.min(most);
    let lasso = lasso::search(semantics, (&allows, fairness), states, options.deadline)?;
    found.states += lasso.states;
    found.complete = lasso.complete;
    found.witness.clone_from(&lasso.witness);
    found.unfair = lasso.unfair;
    // What may make progress was taken for progress; for a proof it has to be sure.
    if lasso.shows_that_there_is_none() && found.witness.is_none() && program.unseen_progress().is_empty() {
        of_every_combination(program, (&allows, fairness), states, options, found);
    }
    if found.witness.is_some() || found.complete || outcome.verdict.is_proved() || options.search_states == 0
    {
        return Ok(());
    }
    let loops = outcome.combination.as_ref();
    let guide = loops.map(|combination| statements(correspondence, combination)).unwrap_or_default();
    let guide = Guide::new(semantics, guide);
    let quest = Quest { aim: Aim::NoProgress { progress }, guide };
    let budget = Budget { states: options.search_states, deadline: options.deadline };
    let search = semantics.search(&quest, &budget)?;
    found.states += search.states;
    let counts = |witness: &Witness| fairness.is_none() || semantics.is_weakly_fair(witness);
    found.unfair |= search.witness.as_ref().is_some_and(|witness| !counts(witness));
    found.witness = search.witness.filter(counts);
    Ok(())
}

/// Looks at all states of every combination of limits, where a run may go on otherwise because a
/// send has to wait. Notes that they are a proof, or a run of some combination that goes on without
/// progress, or why neither is known.
fn of_every_combination(
    program: &Program,
    (allows, fairness): (&impl Fn(&[Move]) -> bool, Fairness),
    states: usize,
    options: &Options,
    found: &mut LivelockConfirmation,
) {
    if readings::sees_claims(program) {
        found.limit = Some(readings::CLAIMS.into());
        return;
    }
    let mut look = |semantics: &Semantics| {
        let lasso = lasso::search(semantics, (allows, fairness), states, options.deadline).ok()?;
        found.states += lasso.states;
        Some(lasso)
    };
    let every = match fairness {
        Fairness::None => readings::every_combination(program),
        Fairness::Weak => readings::every_combination_fairly(program),
    };
    let all = every.ok().and_then(|semantics| look(&semantics));
    if all.is_some_and(|lasso| lasso.shows_that_there_is_none()) {
        found.exhausted = true;
        return;
    }
    let limited = readings::Combinations::new(program).limited();
    for buffers in limited.into_iter().chain([Buffers::Declared]) {
        let Ok(semantics) = readings::semantics(program, buffers) else { continue };
        if let Some(witness) = look(&semantics).and_then(|lasso| lasso.witness) {
            (found.semantics, found.witness) = (Some(semantics), Some(witness));
            return;
        }
    }
    found.limit = Some(CAPACITIES.into());
}

/// Why all states with unlimited channels are no proof.
const CAPACITIES: &str = "all states were looked at with unlimited channels, and no run goes on for ever without progress; but where sends wait, as some channel is limited, that is not so, or not known";

/// Whether a run can come to its end where some process may not rest, with the capacities that are
/// declared.
fn deadlock(program: &Program, options: &Options, states: &mut usize) -> bool {
    let Ok(semantics) = readings::semantics(program, Buffers::Declared) else { return false };
    let limits = Limits {
        states: Some(options.exploration_states.min(DEADLOCK_STATES)),
        passed: Some(options.exploration_states.min(DEADLOCK_STATES) * PASSED),
        deadline: options.deadline,
        violations: usize::MAX,
        ..Limits::default()
    };
    let Ok(exploration) = semantics.explore(&limits) else { return false };
    *states += exploration.states + exploration.passed;
    let ends = |violation: &Violation| matches!(violation, Violation::Deadlock | Violation::InvalidEnd);
    exploration.violations.iter().any(|(violation, _)| ends(violation))
}
