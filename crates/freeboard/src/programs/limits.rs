//! How far each part of a call goes.

use std::time::{Duration, Instant};

use abstraction::Precision;
use refine::{BoundednessQuestion, RefinementOptions};

use crate::analysis::NICE_TO_KNOW;
use crate::options::{Options, RunLimits};

/// What is looked at before anything is refined, or beside that: many counterexamples are runs that
/// begin soon.
pub(super) const FIRST_LOOK: RunLimits = RunLimits { search_states: 300, exploration_states: 0 };

/// What is looked at once nothing more is to be refined, before it is searched far whether every
/// run ends.
pub(super) const SECOND_LOOK: RunLimits = RunLimits { search_states: 12_000, exploration_states: 0 };

/// States that may be explored before values are followed, to find out whether every run ends:
/// enough for what takes no time.
pub(super) const ENDS_SOON: usize = 80_000;

/// How much work that may take: 60 000 steps with states of 50 bytes. What has larger states takes
/// longer for each.
pub(super) const WORK_SOON: usize = 3_000_000;

/// How much work that may take at first where kinds of messages are followed beside it.
pub(super) const WORK_BESIDE: usize = 500_000;

/// How many configurations may be listed for each state that was stored to find out that every run
/// ends.
pub(super) const LISTED_FOR_A_STATE: usize = 4;

/// All states, where they are few enough to find true maxima in a moment.
pub(super) const FEW: RunLimits = RunLimits { search_states: 0, exploration_states: 50_000 };

/// All states, where everything is proved bounded and no more depends on them than true maxima, or
/// bounds where the proof has no numbers. `allowed` is how many were asked for.
pub(super) fn seen_for_maxima(has_all_bounds: bool, allowed: Option<usize>) -> RunLimits {
    let few = if has_all_bounds { NICE_TO_KNOW } else { FEW.exploration_states };
    RunLimits { search_states: 0, exploration_states: allowed.unwrap_or(few) }
}

/// All states, where they are so few that they have mostly been looked at by the time that
/// refinement ends.
pub(super) const AHEAD: RunLimits = RunLimits { search_states: 0, exploration_states: 5_000 };

/// How many bytes these may take: fewer states, where one takes more than fifty.
pub(super) const BYTES_AHEAD: usize = 250_000;

/// When to begin with that where something else is begun that takes longer, unless it is waited
/// for.
pub(super) const SEEN_LATER: Duration = Duration::from_millis(50);

/// What is known of a model once nothing more can be refined.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// How many buffers are not proved bounded.
    pub(super) open: usize,
    /// Whether a number is known for each buffer that is proved bounded.
    pub(super) has_all_bounds: bool,
    /// Whether these are at most the declared capacities. If not, a true maximum may say that a
    /// send never blocks.
    pub(super) fits: bool,
    /// Whether some buffer grows for ever.
    pub(super) grows: bool,
}

/// How far to look once nothing more can be refined, in turns: all states of what has few, then
/// runs, then all states of what has many. Where some buffer is known to grow for ever there is no
/// end to states, so only runs are looked for.
pub(super) fn budgets(known: Known, maxima_states: Option<usize>) -> Vec<RunLimits> {
    let (search_states, exploration_states) = (usize::MAX, usize::MAX);
    match known.open {
        _ if known.grows => vec![RunLimits { search_states, exploration_states: 0 }],
        0 if known.has_all_bounds && !known.fits && maxima_states.is_none() => vec![AHEAD],
        0 if known.has_all_bounds => vec![seen_for_maxima(true, maxima_states)],
        0 => vec![AHEAD, seen_for_maxima(false, maxima_states)],
        _ => vec![
            FEW,
            RunLimits { search_states, exploration_states: 0 },
            RunLimits { search_states: 0, exploration_states },
        ],
    }
}

/// What takes so long to abstract may take long to refine.
pub(super) const TAKES_TIME: Duration = Duration::from_millis(1);

/// How far to follow values where all states have been looked at already: so far as takes no time,
/// for the sake of a certificate.
fn brief(limits: &RefinementOptions) -> RefinementOptions {
    RefinementOptions {
        nodes: 500,
        transitions: 2_000,
        visits: 2_000,
        configurations: 300,
        rounds: 6,
        ..limits.clone()
    }
}

/// What refinement is about, and how far it goes.
pub(crate) struct Refining {
    /// What is asked.
    pub(super) question: BoundednessQuestion,
    /// How far it goes.
    pub(super) limits: RefinementOptions,
    /// How far where all states have been looked at already.
    pub(super) brief: RefinementOptions,
}

impl Refining {
    /// In a call that began at some time, for an abstraction of some precision.
    pub(crate) fn of(options: &Options, start: Instant, precision: &Precision) -> Self {
        let question = BoundednessQuestion { options: options.boundedness(start) };
        let limits = options.refinement(start, precision);
        Self { question, brief: brief(&limits), limits }
    }
}
