//! From the first answer to the last: runs, refinement, and more runs.

use std::thread::Scope;
use std::time::{Duration, Instant};

use abstraction::{Abstraction, Precision};
use boundedness::Outcome;
use cfsm_core::ahead::Ahead;
use cfsm_core::program::Program;
use explore::Witness;
use refine::{
    Act, AllStates, BoundednessQuestion, Carrier, Confirmation, RefinementOptions, Refiner, Strategy, Wanted,
};

use crate::analysis::{NICE_TO_KNOW, Notes, Timings, decide};
use crate::options::{Options, RunLimits, Stage};
use crate::programs::beside::{Carrying, Looked, Looking, Tracking, track_ahead};
use crate::programs::settled::Settled;

/// States that are looked at before anything is refined: many counterexamples are runs that begin soon.
const FIRST_LOOK: usize = 300;

/// States that may be explored before values are followed, to find out whether every run ends: enough for what takes no time.
const ENDS_SOON: usize = 80_000;

/// How much work that may take: 60 000 steps with states of 50 bytes. What has larger states takes longer for each.
const WORK_SOON: usize = 3_000_000;

/// How much work that may take at first where kinds of messages are followed beside it.
const WORK_BESIDE: usize = 500_000;

/// All states, where they are few enough to find true maxima in a moment.
const FEW: RunLimits = RunLimits { search_states: 0, exploration_states: 50_000 };

/// All states, where no more depends on them than true maxima.
const NICE: RunLimits = RunLimits { search_states: 0, exploration_states: NICE_TO_KNOW };

/// All states, where they are so few that they have been looked at by the time that refinement ends: nobody waits for more
/// where it is known without them that all buffers are bounded.
const AHEAD: RunLimits = RunLimits { search_states: 0, exploration_states: 5_000 };

/// The same as bytes: fewer states, where they are larger than a hundred.
const BYTES_AHEAD: usize = 250_000;

/// When to begin with that where something else is begun that takes longer, unless it is waited for.
const SEEN_LATER: Duration = Duration::from_millis(50);

/// How far to look once nothing more can be refined, in turns: all states of what has few, then runs, then all states of
/// what has many. Where some buffer is known to grow for ever there is no end to states, so only runs are looked for.
fn budgets(open: usize, has_all_bounds: bool, grows: bool) -> Vec<RunLimits> {
    let (search_states, exploration_states) = (usize::MAX, usize::MAX);
    match open {
        _ if grows => vec![RunLimits { search_states, exploration_states: 0 }],
        0 if has_all_bounds => vec![NICE],
        0 => vec![AHEAD],
        _ => vec![
            FEW,
            RunLimits { search_states, exploration_states: 0 },
            RunLimits { search_states: 0, exploration_states },
        ],
    }
}

/// What takes so long to abstract may take long to refine.
const TAKES_TIME: Duration = Duration::from_millis(1);

/// How far to follow values where all states have been looked at already: so far as takes no time, for the sake of a certificate.
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
    question: BoundednessQuestion,
    limits: RefinementOptions,
    /// How far where all states have been looked at already.
    brief: RefinementOptions,
}

impl Refining {
    /// In a call that began at some time, for an abstraction of some precision.
    pub(crate) fn of(options: &Options, start: Instant, precision: &Precision) -> Self {
        let question = BoundednessQuestion { options: options.boundedness(start) };
        let limits = options.refinement(start, precision);
        Self { question, brief: brief(&limits), limits }
    }
}

/// A call that is going on.
pub(crate) struct Call<'scope, 'env> {
    /// The program.
    pub(crate) program: &'env Program,
    /// The options of the call.
    pub(crate) options: &'env Options,
    /// What they say about refinement.
    pub(crate) refining: &'env Refining,
    /// When it began.
    pub(crate) start: Instant,
    /// Wall-clock times so far.
    pub(crate) timings: &'env mut Timings,
    /// Where other threads may work until it ends.
    pub(crate) scope: &'scope Scope<'scope, 'env>,
    /// The search of [`AHEAD`] states that has been begun.
    pub(crate) ahead: Option<Ahead<'scope, AllStates>>,
    /// What it came to, until that is made use of.
    pub(crate) all: Option<AllStates>,
    /// Whether some run is known to go on for ever.
    pub(crate) goes_on: bool,
}

/// Kinds of messages that are followed ahead.
pub(crate) type Begun<'scope, 'env> = Option<Carrying<'scope, 'env, BoundednessQuestion>>;

impl<'scope, 'env> Call<'scope, 'env> {
    /// Begins to follow kinds of messages, if there are any, before it is known whether that will be needed: where it takes some time to make an
    /// abstraction, that takes longest.
    pub(crate) fn begin_to_carry(&self, abstraction: &Abstraction) -> Begun<'scope, 'env> {
        let Refining { question, limits, .. } = self.refining;
        let tracks = limits.strategies.contains(&Strategy::Tracking);
        if !tracks || self.timings.abstraction < TAKES_TIME {
            return None;
        }
        let wanted = Wanted::ahead(self.program, abstraction)?;
        Carrying::begin(self.scope, Carrier::new(self.program, question, limits), wanted, limits.deadline)
    }

    /// Decides about an abstraction.
    pub(crate) fn decide(&mut self, abstraction: &Abstraction) -> Outcome {
        let plain = self.options.questions(self.start).into();
        decide(&abstraction.system, (self.options, &plain), self.start, self.timings)
    }

    /// Looks at some runs, refines what they leave open, and looks at more runs; kinds of messages may be followed already.
    pub(crate) fn settle(
        &mut self,
        (abstraction, outcome): (Abstraction, Outcome),
        carrying: Begun<'scope, 'env>,
    ) -> Settled {
        let refinement = Notes::default();
        let confirmation = Confirmation::default();
        let mut found = Settled { abstraction, outcome, refinement, confirmation };
        let strategies = &self.options.refinement.0;
        let mut grows = false;
        if !found.outcome.verdict.is_proved() && strategies.iter().any(|one| one.refines()) {
            let Some(seen) = self.refine(&mut found, carrying) else { return found };
            grows = !seen.is_empty();
        } else {
            drop(carrying);
            if self.ends(&mut found, &self.options.limits_of_runs(self.start)) {
                return found;
            }
        }
        for limits in budgets(found.open(), found.has_all_bounds(), grows) {
            let before = found.confirmation.states;
            self.confirm(&mut found, limits);
            found.confirmation.states += before;
            if !found.confirmation.witnesses.is_empty() || found.confirmation.exhausted.is_some() {
                break;
            }
        }
        self.exhausted(found)
    }

    /// Begins to look at all states after a pause, if they are few. That is of use wherever refinement does not give a bound to each buffer.
    fn begin_to_see_all(&mut self, pause: Duration) {
        let limits = self.limits(AHEAD);
        if limits.exploration_states > 0 {
            let program = self.program;
            let limits = refine::Options { exploration_bytes: BYTES_AHEAD, ..limits };
            let look = move |deadline| AllStates::of(program, &refine::Options { deadline, ..limits });
            self.ahead = Ahead::begin_after(self.scope, limits.deadline, pause, look);
        }
    }

    /// What the search of all states came to, if it has been begun. Waits for it.
    fn all_states(&mut self) -> &mut Option<AllStates> {
        if let Some(ahead) = self.ahead.take() {
            self.all = ahead.wait();
        }
        &mut self.all
    }

    /// Whether all states are few, have been seen, and may decide what is left open. Waits for the search of them.
    fn all_states_decide(&mut self) -> bool {
        let allowed = self.options.refinement.0.contains(&Strategy::Exhaustion);
        allowed && self.all_states().as_ref().is_some_and(AllStates::is_complete)
    }

    /// Notes that all states have been seen, if that decides what is open.
    fn exhausted(&self, mut found: Settled) -> Settled {
        let open = found.open();
        let allowed = self.options.refinement.0.contains(&Strategy::Exhaustion);
        let states = found.confirmation.exhausted.as_ref().map(|all| (all.states(), all.in_sets()));
        if let Some(states) = states.filter(|_| open > 0 && allowed) {
            found.refinement.acts.push(Act::exhaustion(found.spurious(), states, open));
        }
        found
    }

    /// Looks at some runs, and refines what they leave open. Gives those that make buffers grow, or nothing if runs have settled all.
    fn refine(&mut self, found: &mut Settled, carrying: Begun<'scope, 'env>) -> Option<Vec<Witness>> {
        let Refining { question, limits, brief } = self.refining;
        let first = (found.abstraction.clone(), found.outcome.clone());
        let refiner = Refiner::new(self.program, question, first, limits);
        let looking = Looking::begin(self.scope, &refiner, carrying, limits.deadline);
        // Where kinds of messages are followed, that takes longest: not too much is to be done beside it.
        self.begin_to_see_all(if looking.carries() { SEEN_LATER } else { Duration::ZERO });
        self.confirm(found, RunLimits { search_states: FIRST_LOOK, exploration_states: 0 });
        // What a run is against is never called proved again, whatever is asked later.
        if found.is_settled() || found.is_contradicted() {
            self.ahead = None;
            return None;
        }
        let seen = std::mem::take(&mut found.confirmation.witnesses);
        self.ahead = self.ahead.take().filter(|_| seen.is_empty());
        let begin = Instant::now();
        let (mut refiner, mut carrying) = looking.wait(self.scope, refiner, limits.deadline);
        self.refined_since(begin);
        found.take(refiner.best());
        found.hold_against(&seen);
        if found.open() > 0 && self.all_states_decide() {
            refiner.keep_to(brief);
            carrying = None;
        }
        let ends = self.refine_in_turns(found, (refiner, carrying), &seen);
        (!ends).then_some(seen)
    }

    /// Refines what some runs leave open, and looks whether every run ends, in turns; whether it turns out that they do.
    fn refine_in_turns(
        &mut self,
        found: &mut Settled,
        (mut refiner, mut carrying): Looked<'scope, 'env, BoundednessQuestion>,
        seen: &[Witness],
    ) -> bool {
        let mut ahead = None;
        for (tracks, exploration_states) in self.options.turns(ENDS_SOON) {
            if found.open() == 0 {
                break;
            }
            if !tracks && seen.is_empty() {
                let deadline = self.options.deadline(self.start);
                ahead = track_ahead(self.scope, &refiner, carrying.take(), deadline);
                if let Some(ahead) = ahead.as_mut().filter(|ahead| ahead.carries())
                    && self.ends_or_is_carried(found, ahead, exploration_states)
                {
                    break;
                }
            } else if tracks {
                let carried = carrying.take().map(|carrying| carrying.go_on(&refiner));
                let begin = Instant::now();
                found.track(&mut refiner, ahead.take().or(carried));
                self.refined_since(begin);
                found.hold_against(seen);
            }
            let ending_work = if tracks { usize::MAX } else { WORK_SOON };
            let far = self.far(exploration_states, ending_work);
            if found.open() > 0 && seen.is_empty() && self.ends(found, &far) {
                break;
            }
        }
        found.refinement.acts.iter().any(|act| act.strategy == Strategy::Termination)
    }

    /// Looks for a moment whether every run ends, and waits until kinds of messages are followed: where there are some, that decides
    /// more often, by a certificate. Whether nothing is open then.
    fn ends_or_is_carried(
        &mut self,
        found: &mut Settled,
        ahead: &mut Tracking<'scope, Outcome>,
        exploration_states: usize,
    ) -> bool {
        let brief = self.far(exploration_states, WORK_BESIDE);
        if self.ends(found, &brief) {
            return true;
        }
        let begin = Instant::now();
        if let Some(carried) = ahead.carried() {
            found.take(&carried);
        }
        self.refined_since(begin);
        found.open() == 0
    }

    /// How far to look whether every run ends.
    fn far(&self, exploration_states: usize, ending_work: usize) -> refine::Options {
        refine::Options { exploration_states, ending_work, ..self.options.limits_of_runs(self.start) }
    }

    /// Looks whether every run ends, and notes it if that decides what is open. If so, looks for true maxima too.
    fn ends(&mut self, found: &mut Settled, limits: &refine::Options) -> bool {
        let allowed = self.options.refinement.0.contains(&Strategy::Termination);
        let open = found.open();
        if !allowed || self.goes_on || open == 0 || found.is_contradicted() {
            return false;
        }
        let begin = Instant::now();
        let program = self.program;
        let ending = if self.ahead.is_some() || self.all.is_some() {
            let mut fills_no_buffer = || self.all_states().as_ref().is_some_and(AllStates::fills_no_buffer);
            refine::termination_beside(program, limits, &mut fills_no_buffer)
        } else {
            refine::termination(program, limits)
        };
        self.timings.search += begin.elapsed();
        self.timings.total = self.start.elapsed();
        self.goes_on = ending.goes_on;
        if ending.ends {
            found.refinement.acts.push(Act::termination(found.spurious(), ending.states, open));
            self.confirm(found, AHEAD);
        }
        found.confirmation.states += ending.states;
        ending.ends
    }

    /// Notes how long a part of refinement has taken.
    fn refined_since(&mut self, begin: Instant) {
        self.timings.refine += begin.elapsed();
        self.timings.total = self.start.elapsed();
    }

    /// How far to go, no further than the options and `limits` allow.
    fn limits(&self, limits: RunLimits) -> refine::Options {
        let most = self.options.limits_of_runs(self.start);
        refine::Options {
            search_states: most.search_states.min(limits.search_states),
            exploration_states: most.exploration_states.min(limits.exploration_states),
            ..most
        }
    }

    /// Searches runs, no further than the options and `limits` allow, and holds the outcome against them.
    fn confirm(&mut self, found: &mut Settled, limits: RunLimits) {
        let begin = Instant::now();
        self.options.tell(Stage::Searching);
        let all = match limits {
            AHEAD => self.all_states().take(),
            FEW | NICE => self.all_states().take().filter(AllStates::is_complete),
            _ => None,
        };
        let Settled { abstraction, outcome, confirmation, .. } = found;
        *confirmation = match all {
            Some(all) => Confirmation::of(all, abstraction),
            None => refine::confirm(self.program, abstraction, outcome, &self.limits(limits)),
        };
        if confirmation.contradicts(outcome) {
            *outcome = outcome.clone().contradicted();
        }
        self.timings.search += begin.elapsed();
        self.timings.total = self.start.elapsed();
    }
}
