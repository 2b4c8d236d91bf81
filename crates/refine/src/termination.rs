//! Programs all runs of which end, or make progress again and again: no buffer of the former grows
//! for ever, and no run goes on without progress.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, ProcessTypeId, Program};
use explore::{Buffers, Lasso, Limits, Semantics, Termination, Witness};

use crate::all_states::MOST_BYTES;
use crate::livelock::statements_that_may_make_progress;
use crate::{Options, readings};

/// Of the states that may be looked at for true maxima, the search for a run without end stores one
/// in so many.
const SHARE: usize = 20;
/// The search for a run without end that makes no progress stores one in so many. Nothing else is
/// known against such runs.
const SHARE_BETWEEN: usize = 4;

/// Statements, as what must be executed again and again.
type Visible = IdMap<ProcessTypeId, IdMap<EdgeId, bool>>;

/// Whether every run of a program comes to an end, or every run without progress: in every
/// combination of unlimited and limited channels.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// How many states were stored to find out.
    pub states: usize,
    /// Whether every run ends (without progress). Runs end where a step goes wrong too.
    pub ends: bool,
    /// Whether the search has come to a run that goes on for ever (without progress), so that more
    /// states would not show that all end.
    pub goes_on: bool,
    /// Whether, besides, no run ends because a step goes wrong, so that nothing lies behind an
    /// error.
    pub clean: bool,
    /// A run that goes on for ever without progress, if that was asked for, replayed; and what runs
    /// are, channels taken as unlimited if it is one with these.
    pub witness: Option<(Semantics, Witness)>,
    /// Why what was seen is no proof: a sentence without a full stop.
    pub limit: Option<String>,
}

/// Looks whether every run of a program comes to an end, so that no buffer grows for ever. Claims
/// of it are left out.
///
/// Stops at the first run that comes to where it was before. At most a twentieth of
/// [`Options::exploration_states`] are stored.
#[must_use]
pub fn termination(program: &Program, options: &Options) -> Ending {
    let most = options.exploration_states / SHARE;
    Question { program, visible: &IdMap::default(), most, wants_run: false }.answer(options)
}

/// Looks whether every run of a program that goes on for ever certainly makes progress
/// ([`Program::progress`]) again and again. Claims of it are left out.
///
/// Stops at the first run that comes to where it was before without progress. At most a fourth of
/// [`Options::exploration_states`] are stored.
#[must_use]
pub fn recurrence(program: &Program, options: &Options) -> Ending {
    let most = options.exploration_states / SHARE_BETWEEN;
    Question { program, visible: &program.progress(), most, wants_run: true }.answer(options)
}

/// What is asked.
struct Question<'a> {
    program: &'a Program,
    /// What may be done again and again.
    visible: &'a Visible,
    /// How many states may be stored.
    most: usize,
    /// Whether a run that goes round is of use.
    wants_run: bool,
}

impl Question<'_> {
    /// Looks at the runs of all combinations of limits at once. A run of these that goes round may
    /// be of no single combination, so a run is looked for in single ones, if one is wanted.
    fn answer(&self, options: &Options) -> Ending {
        let Ok(all) = readings::every_combination(self.program) else { return Ending::default() };
        let Some(found) = self.search(&all, options) else { return Ending::default() };
        let mut ending = Ending { states: found.states, goes_on: found.goes_round, ..Ending::default() };
        if found.proof.is_some() {
            return self.conclude(ending, &found);
        }
        if !self.wants_run {
            return ending;
        }
        let limited = readings::Combinations::new(self.program).limited();
        let combinations: Vec<Semantics> = [Some(Buffers::Unbounded), limited, Some(Buffers::Declared)]
            .into_iter()
            .flatten()
            .filter_map(|buffers| readings::semantics(self.program, buffers).ok())
            .collect();
        let confirmed =
            |found: &Termination| combinations.iter().find_map(|semantics| self.witness(semantics, found));
        ending.witness = confirmed(&found);
        // A run that goes round in no single combination, or none within the limits, where queues
        // grow.
        for semantics in combinations.iter().rev() {
            if ending.witness.is_some() || (found.goes_round && !all.has_waiting_choices()) {
                break;
            }
            let Some(again) = self.search(semantics, options) else { continue };
            ending.states += again.states;
            ending.witness = confirmed(&again);
        }
        ending.goes_on |= ending.witness.is_some();
        ending
    }

    /// What a search proves.
    fn conclude(&self, ending: Ending, proof: &Termination) -> Ending {
        if readings::sees_claims(self.program) {
            return Ending { limit: Some(readings::CLAIMS.into()), ..ending };
        }
        Ending { ends: true, clean: proof.errors.iter().all(explore::RunError::can_go_on), ..ending }
    }

    fn search(&self, semantics: &Semantics, options: &Options) -> Option<Termination> {
        if self.most == 0 {
            return None;
        }
        let limits = Limits {
            states: Some(self.most),
            work: Some(options.ending_work),
            bytes: Some(MOST_BYTES),
            deadline: options.deadline,
            ..Limits::default()
        };
        semantics.recurrence(&limits, self.visible).ok()
    }

    /// The run that goes round, replayed, if nothing in it may make progress.
    fn witness(&self, semantics: &Semantics, found: &Termination) -> Option<(Semantics, Witness)> {
        let Lasso { prefix, cycle } = found.lasso.as_ref()?;
        let witness = semantics.confirm(prefix, cycle).ok()?;
        let avoids = witness.avoids(&statements_that_may_make_progress(self.program));
        avoids.then(|| (semantics.clone(), witness))
    }
}
