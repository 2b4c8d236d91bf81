//! From the first answer to the last: runs, refinement, and more runs.

use std::thread::Scope;
use std::time::Instant;

use abstraction::Abstraction;
use boundedness::Outcome;
use cfsm_core::ahead::Ahead;
use cfsm_core::deadline::Stop;
use cfsm_core::program::Program;
use explore::Witness;
use refine::{
    Act, AllStates, BoundednessQuestion, Carrier, Confirmation, Question, Refiner, Strategy, Wanted,
};

use crate::analysis::{Notes, Timings, decide};
use crate::options::{Options, RunLimits, Stage};
use crate::programs::beside::{Carrying, Looked, Searching, Tracking, look, track_ahead};
use crate::programs::limits::{
    AHEAD, BYTES_AHEAD, ENDS_SOON, FIRST_LOOK, Known, LISTED_FOR_A_STATE, Refining, SECOND_LOOK, SEEN_LATER,
    TAKES_TIME, WORK_BESIDE, WORK_SOON, budgets, seen_for_maxima,
};
use crate::programs::settled::Settled;

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
    /// Begins to follow kinds of messages, if there are any, before it is known whether that will
    /// be needed: where it takes some time to make an abstraction, that takes longest.
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

    /// Looks at some runs, refines what they leave open, and looks at more runs; kinds of messages
    /// may be followed already.
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
            grows = !seen.is_empty() || !found.confirmation.witnesses.is_empty();
        } else {
            drop(carrying);
            if self.ends(&mut found, None, &self.options.limits_of_runs(self.start)) {
                return found;
            }
        }
        let known =
            Known { open: found.open(), has_all_bounds: found.has_all_bounds(), fits: found.fits(), grows };
        for limits in budgets(known, self.options.maxima_states) {
            let before = found.confirmation.states;
            self.confirm(&mut found, limits);
            found.confirmation.states += before;
            if !found.confirmation.witnesses.is_empty() || found.confirmation.exhausted.is_some() {
                break;
            }
        }
        self.exhausted(found)
    }

    /// How far to look at all states beside something else.
    fn limits_ahead(&self) -> refine::Options {
        refine::Options { exploration_bytes: BYTES_AHEAD, ..self.limits(AHEAD) }
    }

    /// Begins to look at all states after a pause, if they are few; looks at them now if there can
    /// be no other thread.
    fn begin_to_see_all(&mut self) {
        let limits = self.limits_ahead();
        if limits.exploration_states > 0 {
            let program = self.program;
            let look = move |deadline| AllStates::of(program, &refine::Options { deadline, ..limits });
            self.ahead = Ahead::begin_after(self.scope, limits.deadline, SEEN_LATER, look);
            self.all = self.ahead.is_none().then(|| look(limits.deadline));
        }
    }

    /// Begins to look at some runs, and then at all states, if they are few. If runs settle what is
    /// open, other work is stopped.
    fn begin_to_search(&self, found: &Settled, others: &Stop) -> Option<Searching<'scope>> {
        self.options.tell(Stage::Searching);
        let limits = (self.limits(FIRST_LOOK), self.limits_ahead());
        Searching::begin(self.scope, (self.program, found.clone()), limits, others.clone())
    }

    /// What the search of all states came to, if it has been begun. Waits for it.
    fn all_states(&mut self) -> &mut Option<AllStates> {
        if let Some(ahead) = self.ahead.take() {
            self.all = ahead.wait();
        }
        &mut self.all
    }

    /// Does without the search of all states.
    fn forget_all_states(&mut self) {
        (self.ahead, self.all) = (None, None);
    }

    /// Whether all states are few, have been seen, and may decide what is left open. Waits for the
    /// search of them.
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

    /// Looks at some runs, and refines what they leave open. Gives those that make buffers grow, or
    /// nothing if runs have settled all.
    fn refine(&mut self, found: &mut Settled, carrying: Begun<'scope, 'env>) -> Option<Vec<Witness>> {
        let Refining { question, limits, brief } = self.refining;
        let first = (found.abstraction.clone(), found.outcome.clone());
        let refiner = Refiner::new(self.program, question, first, limits);
        let carrying = Carrying::begin_again(carrying, self.scope, &refiner, limits.deadline);
        let (mut refiner, mut carrying) = self.look(found, (refiner, carrying));
        // What a run is against is never called proved again, whatever is asked later.
        if found.is_settled() {
            self.forget_all_states();
            return None;
        }
        let seen = std::mem::take(&mut found.confirmation.witnesses);
        if !seen.is_empty() {
            self.forget_all_states();
        }
        found.take(refiner.best());
        found.hold_against(&seen);
        if found.open() > 0 && self.all_states_decide() {
            refiner.keep_to(brief);
            carrying = None;
        }
        let ends = self.refine_in_turns(found, (refiner, carrying), &seen);
        (!ends).then_some(seen)
    }

    /// Looks at some runs, and at what refinement takes little time for, unless runs settle all:
    /// beside each other, or one after the other where kinds of messages are followed. That takes
    /// longest, so not too much is to be done beside it.
    fn look(
        &mut self,
        found: &mut Settled,
        looked: Looked<'scope, 'env, BoundednessQuestion>,
    ) -> Looked<'scope, 'env, BoundednessQuestion> {
        let (limits, stop) = (&self.refining.limits, Stop::new());
        let searching = if looked.1.is_some() { None } else { self.begin_to_search(found, &stop) };
        let Some(searching) = searching else {
            self.begin_to_see_all();
            self.confirm(found, FIRST_LOOK);
            let begin = Instant::now();
            let looked = if found.is_settled() {
                looked
            } else {
                look(self.scope, looked, limits.deadline, limits.deadline)
            };
            self.refined_since(begin);
            return looked;
        };
        let begin = Instant::now();
        let looked = look(self.scope, looked, limits.deadline.or_stopped(&stop), limits.deadline);
        let waits = Instant::now();
        match searching.first() {
            Some((first, all)) => (*found, self.ahead) = (first, Some(all)),
            None => found.search(self.program, &self.limits(FIRST_LOOK)),
        }
        if found.is_settled() {
            // What is beside it was of no use.
            self.searched_since(begin);
        } else {
            self.timings.refine += waits - begin;
            self.searched_since(waits);
        }
        looked
    }

    /// Refines what some runs leave open, and looks whether every run ends, in turns; whether that,
    /// or another look at runs, decides all that is open.
    fn refine_in_turns(
        &mut self,
        found: &mut Settled,
        (mut refiner, mut carrying): Looked<'scope, 'env, BoundednessQuestion>,
        seen: &[Witness],
    ) -> bool {
        let mut ahead = None;
        for (tracks, exploration_states) in self.options.turns(ENDS_SOON) {
            if found.open() == 0 {
                return false;
            }
            if !tracks && seen.is_empty() {
                let deadline = self.options.deadline(self.start);
                ahead = track_ahead(self.scope, &refiner, carrying.take(), deadline);
                if let Some(ahead) = ahead.as_mut().filter(|ahead| ahead.carries()) {
                    let brief = self.far(exploration_states, WORK_BESIDE);
                    if self.ends(found, Some(&mut refiner), &brief) {
                        return true;
                    }
                    self.wait_for_kinds(found, ahead);
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
            if tracks && seen.is_empty() && found.open() > 0 {
                // Where nothing is left to refine, a run may still be sooner found than all of them
                // looked at.
                self.confirm(found, SECOND_LOOK);
                if found.is_settled() {
                    return true;
                }
                self.goes_on |= !found.confirmation.witnesses.is_empty();
            }
            // Whoever follows values lists what is wanted.
            let lists = (!tracks).then_some(&mut refiner);
            if seen.is_empty() && self.ends(found, lists, &far) {
                return true;
            }
        }
        false
    }

    /// Waits until kinds of messages are followed: where there are some, that decides more often
    /// than a search that goes far, and by a certificate.
    fn wait_for_kinds(&mut self, found: &mut Settled, ahead: &mut Tracking<'scope, Outcome>) {
        let begin = Instant::now();
        if let Some(carried) = ahead.carried() {
            found.take(&carried);
        }
        self.refined_since(begin);
    }

    /// How far to look whether every run ends.
    fn far(&self, exploration_states: usize, ending_work: usize) -> refine::Options {
        refine::Options { exploration_states, ending_work, ..self.options.limits_of_runs(self.start) }
    }

    /// Looks whether every run ends, and notes it if that decides what is open. If so, looks for
    /// true maxima too.
    fn ends(
        &mut self,
        found: &mut Settled,
        refiner: Option<&mut Refiner<'_, BoundednessQuestion>>,
        limits: &refine::Options,
    ) -> bool {
        let allowed = self.options.refinement.0.contains(&Strategy::Termination);
        let open = found.open();
        if !allowed || self.goes_on || open == 0 || found.is_contradicted() {
            return false;
        }
        let begin = Instant::now();
        let program = self.program;
        let ending = refine::termination(program, limits);
        self.searched_since(begin);
        self.goes_on = ending.goes_on;
        if ending.ends {
            let is_listed = refiner.is_some_and(|refiner| self.is_listed(found, refiner, ending.states));
            if !is_listed {
                found.refinement.acts.push(Act::termination(found.spurious(), ending.states, open));
            }
            self.confirm(found, AHEAD);
            if found.confirmation.exhausted.is_none() && !is_listed {
                let before = found.confirmation.states;
                self.confirm(found, seen_for_maxima(false, self.options.maxima_states));
                found.confirmation.states += before;
            }
        }
        found.confirmation.states += ending.states;
        ending.ends
    }

    /// Whether configurations are so few that to list them takes hardly longer than it took to find
    /// out that every run ends: they are a certificate, which can be checked again. If so, takes
    /// over the answer.
    fn is_listed(
        &mut self,
        found: &mut Settled,
        refiner: &mut Refiner<'_, BoundednessQuestion>,
        states: usize,
    ) -> bool {
        let begin = Instant::now();
        refiner.list_further(states.saturating_mul(LISTED_FOR_A_STATE));
        self.refined_since(begin);
        let is_listed = self.refining.question.open(&refiner.best().outcome) == 0;
        if is_listed {
            found.take(refiner.best());
        }
        is_listed
    }

    /// Notes how long a part of refinement has taken.
    fn refined_since(&mut self, begin: Instant) {
        self.timings.refine += begin.elapsed();
        self.timings.total = self.start.elapsed();
    }

    /// Notes how long runs have been searched.
    fn searched_since(&mut self, begin: Instant) {
        self.timings.search += begin.elapsed();
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

    /// Searches runs, no further than the options and `limits` allow, and holds the outcome against
    /// them.
    fn confirm(&mut self, found: &mut Settled, limits: RunLimits) {
        let begin = Instant::now();
        self.options.tell(Stage::Searching);
        let all = match limits {
            AHEAD => self.all_states().take(),
            RunLimits { search_states: 0, .. } => self.all_states().take().filter(AllStates::is_complete),
            RunLimits { .. } => None,
        };
        match all {
            Some(all) => found.show(Confirmation::of(all, &found.abstraction)),
            None => found.search(self.program, &self.limits(limits)),
        }
        self.searched_since(begin);
    }
}
