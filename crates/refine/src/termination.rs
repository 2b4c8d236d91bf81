//! Programs all runs of which end, or make progress again and again: no buffer of the former grows for ever, and no run goes on without
//! progress.

use std::thread;

use cfsm_core::ahead::Ahead;
use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, ProcessTypeId, Program};
use explore::{Buffers, Lasso, Limits, Semantics, Termination, Witness};

use crate::all_states::MOST_BYTES;
use crate::livelock::statements_that_may_make_progress;
use crate::{Options, validity};

/// Of the states that may be looked at for true maxima, the search for a run without end stores one in so many.
const SHARE: usize = 20;
/// The search for a run without end that makes no progress stores one in so many. Nothing else is known against such runs.
const SHARE_BETWEEN: usize = 4;

/// Statements, as what must be executed again and again.
type Visible = IdMap<ProcessTypeId, IdMap<EdgeId, bool>>;

/// Whether every run of a program comes to an end, or every run without progress.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// How many states were stored to find out.
    pub states: usize,
    /// Whether every run ends (without progress), with unbounded buffers and with the declared capacities. Runs end where a step goes
    /// wrong too.
    pub ends: bool,
    /// Whether some run goes on for ever (without progress), with unbounded buffers, so that more states would not show that all end.
    pub goes_on: bool,
    /// Whether, besides, no run ends because a step goes wrong, so that nothing lies behind an error.
    pub clean: bool,
    /// A run that goes on for ever without progress, if that was asked for, replayed; and what runs are, buffers taken as unbounded, or with
    /// the declared capacities if it is none otherwise.
    pub witness: Option<(Semantics, Witness)>,
    /// Why what was seen is no proof: a sentence without a full stop.
    pub limit: Option<String>,
}

/// Looks whether every run of a program comes to an end, so that no buffer grows for ever. Claims of it are left out.
///
/// Stops at the first run that comes to where it was before. At most a twentieth of [`Options::exploration_states`] are stored.
#[must_use]
pub fn termination(program: &Program, options: &Options) -> Ending {
    let most = options.exploration_states / SHARE;
    Question { program, visible: &IdMap::default(), most, wants_run: false, capacities: ENDS_WITHOUT }
        .answer(options, None)
}

/// As [`termination`], where all states are being looked at: `fills_no_buffer` waits for that, and says whether
/// [no buffer ever fills](crate::AllStates::fills_no_buffer), so that capacities change nothing.
#[must_use]
pub fn termination_beside(
    program: &Program,
    options: &Options,
    fills_no_buffer: &mut dyn FnMut() -> bool,
) -> Ending {
    let most = options.exploration_states / SHARE;
    Question { program, visible: &IdMap::default(), most, wants_run: false, capacities: ENDS_WITHOUT }
        .answer(options, Some(fills_no_buffer))
}

/// Looks whether every run of a program that goes on for ever certainly makes progress
/// ([`Program::progress`]) again and again. Claims of it are left out.
///
/// Stops at the first run that comes to where it was before without progress. At most a fourth of [`Options::exploration_states`] are
/// stored.
#[must_use]
pub fn recurrence(program: &Program, options: &Options) -> Ending {
    let most = options.exploration_states / SHARE_BETWEEN;
    Question { program, visible: &program.progress(), most, wants_run: true, capacities: RECURS_WITHOUT }
        .answer(options, None)
}

/// Why a search with unbounded buffers is no proof.
const ENDS_WITHOUT: &str = "every run ends with unbounded buffers; but with the declared capacities, with which sends wait, that is not so, or not known";
/// The same for progress.
const RECURS_WITHOUT: &str = "no run goes on for ever without progress with unbounded buffers; but with the declared capacities, with which sends wait, that is not so, or not known";

/// What runs are, and what was found.
type Searched = (Semantics, Termination);

/// What is asked.
struct Question<'a> {
    program: &'a Program,
    /// What may be done again and again.
    visible: &'a Visible,
    /// How many states may be stored.
    most: usize,
    /// Whether a run that goes round is of use.
    wants_run: bool,
    /// Why it would be no proof.
    capacities: &'static str,
}

impl Question<'_> {
    /// Looks at runs with unbounded buffers, and at those with the declared capacities, unless these are known to be among the former:
    /// where sends do nothing but wait, and where no buffer ever fills. Beside each other, unless that is still to be found out.
    fn answer(&self, options: &Options, fills_no_buffer: Option<&mut dyn FnMut() -> bool>) -> Ending {
        let only_wait = validity::sends_only_wait(self.program);
        let search = |buffers, deadline| self.search(buffers, &Options { deadline, ..*options });
        thread::scope(|scope| {
            let look = |deadline| search(Buffers::Declared, deadline);
            let begin = || Ahead::begin(scope, options.deadline, look);
            let at_once = if only_wait || fills_no_buffer.is_some() { None } else { begin() };
            let Some(unbounded) = search(Buffers::Unbounded, options.deadline) else {
                return Ending::default();
            };
            let proved = unbounded.1.proof.is_some();
            let ahead = if proved && !only_wait { at_once.or_else(begin) } else { at_once };
            let same = proved && (only_wait || fills_no_buffer.is_some_and(|known| known()));
            let declared = || match ahead {
                Some(ahead) => ahead.wait().flatten(),
                None => look(options.deadline),
            };
            self.judge(unbounded, same, declared)
        })
    }

    /// What is known from what runs do with unbounded buffers and, unless that is a proof for both, with the declared capacities.
    fn judge(
        &self,
        (semantics, unbounded): Searched,
        same: bool,
        declared: impl FnOnce() -> Option<Searched>,
    ) -> Ending {
        let witness = self.witness(&semantics, &unbounded);
        let goes_on = unbounded.goes_round;
        let mut ending = Ending { states: unbounded.states, goes_on, witness, ..Ending::default() };
        let proved = unbounded.proof.is_some();
        if same {
            return self.conclude(ending, &[&unbounded]);
        }
        if !proved && (goes_on || !self.wants_run) {
            return ending;
        }
        let declared = declared();
        ending.states += declared.as_ref().map_or(0, |(_, found)| found.states);
        ending.witness = declared.as_ref().and_then(|(semantics, found)| self.witness(semantics, found));
        match declared {
            Some((_, declared)) if proved && declared.proof.is_some() => {
                self.conclude(ending, &[&unbounded, &declared])
            }
            _ => Ending { limit: proved.then(|| self.capacities.into()), ..ending },
        }
    }

    /// What searches prove.
    fn conclude(&self, ending: Ending, proofs: &[&Termination]) -> Ending {
        if validity::sees_claims(self.program) {
            return Ending { limit: Some(validity::CLAIMS.into()), ..ending };
        }
        let mut errors = proofs.iter().flat_map(|found| &found.errors);
        Ending { ends: true, clean: errors.all(explore::RunError::can_go_on), ..ending }
    }

    fn search(&self, buffers: Buffers, options: &Options) -> Option<Searched> {
        if self.most == 0 {
            return None;
        }
        let semantics = validity::semantics(self.program, buffers).ok()?;
        let limits = Limits {
            states: Some(self.most),
            work: Some(options.ending_work),
            bytes: Some(MOST_BYTES),
            deadline: options.deadline,
            ..Limits::default()
        };
        let found = semantics.recurrence(&limits, self.visible).ok()?;
        Some((semantics, found))
    }

    /// The run that goes round, if one is wanted, replayed, with unbounded buffers if it is a run with these too, if nothing in it may make progress.
    fn witness(&self, semantics: &Semantics, found: &Termination) -> Option<(Semantics, Witness)> {
        let Lasso { prefix, cycle } = found.lasso.as_ref().filter(|_| self.wants_run)?;
        let confirm = |semantics: &Semantics| semantics.confirm(prefix, cycle).ok();
        let unbounded = validity::semantics(self.program, Buffers::Unbounded).ok()?;
        let witness = match confirm(&unbounded) {
            Some(witness) => (unbounded, witness),
            None => (semantics.clone(), confirm(semantics)?),
        };
        witness.1.avoids(&statements_that_may_make_progress(self.program)).then_some(witness)
    }
}
