//! Refinement beside searches of runs: each may say more than the other, or nothing.

use std::sync::mpsc;
use std::thread::Scope;
use std::time::Duration;

use cfsm_core::ahead::Ahead;
use cfsm_core::deadline::{Deadline, Stop};
use cfsm_core::program::Program;
use refine::{AllStates, Carrier, Question, Refinement, Refiner, Wanted};

use crate::programs::settled::Settled;

/// How long runs are searched before values are followed beside that: most of these searches take
/// no longer.
const SEARCHED_SOON: Duration = Duration::from_millis(1);

/// Searches that go on while values are looked at: of runs near the start, and then of all states.
pub(super) struct Searching<'scope> {
    first: mpsc::Receiver<Settled>,
    all: Ahead<'scope, AllStates>,
}

impl<'scope> Searching<'scope> {
    /// Begins to search runs of a program of which something is known, as far as `first` says, and
    /// then all states, as far as `all` says. If the runs settle what is open, other work is
    /// stopped.
    pub(super) fn begin(
        scope: &'scope Scope<'scope, '_>,
        (program, mut known): (&'scope Program, Settled),
        (first, all): (refine::Options, refine::Options),
        others: Stop,
    ) -> Option<Self> {
        if first.search_states.max(all.exploration_states) == 0 {
            return None;
        }
        let (tell, told) = mpsc::channel();
        let work = move |deadline| {
            known.search(program, &refine::Options { deadline, ..first });
            let is_settled = known.is_settled();
            if is_settled {
                others.stop();
            }
            // Where some buffer grows for ever there is no end to states.
            let has_end = !is_settled && known.confirmation.witnesses.is_empty();
            // Who does not listen does not need it any more.
            let _ = tell.send(known);
            let looks = has_end && all.exploration_states > 0;
            if looks {
                AllStates::of(program, &refine::Options { deadline, ..all })
            } else {
                AllStates::default()
            }
        };
        Some(Self { first: told, all: Ahead::begin(scope, first.deadline, work)? })
    }

    /// Waits for what runs near the start show, and goes on with all states. Nothing if it has
    /// panicked.
    pub(super) fn first(self) -> Option<(Settled, Ahead<'scope, AllStates>)> {
        Some((self.first.recv().ok()?, self.all))
    }
}

/// What refinement finds that has been begun ahead.
pub(super) struct Tracking<'scope, O> {
    /// What it has found once kinds of messages are followed, if there are any.
    carried: Option<mpsc::Receiver<Refinement<O>>>,
    tracked: Ahead<'scope, Option<Refinement<O>>>,
}

impl<'scope, O: Send + 'scope> Tracking<'scope, O> {
    /// Whether kinds of messages are followed first.
    pub(super) const fn carries(&self) -> bool {
        self.carried.is_some()
    }

    /// Waits until kinds of messages are followed, if there are any; what is found by then.
    pub(super) fn carried(&mut self) -> Option<Refinement<O>> {
        self.carried.take()?.recv().ok()
    }

    /// Waits for what is found in the end.
    pub(super) fn wait(self) -> Option<Refinement<O>> {
        self.tracked.wait().flatten()
    }
}

/// Kinds of messages that are followed before it is known whether something simpler decides. When
/// this is dropped, that is stopped.
pub(super) struct Carrying<'scope, 'a, Q: Question> {
    wanted: Wanted,
    /// Who waits for it hears of it when it is gone, so it has to go first.
    go_on: mpsc::Sender<Refiner<'a, Q>>,
    tracking: Tracking<'scope, Q::Outcome>,
}

impl<'scope, 'a: 'scope, Q> Carrying<'scope, 'a, Q>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    /// Begins to carry what is wanted.
    pub(super) fn begin(
        scope: &'scope Scope<'scope, '_>,
        carrier: Carrier<'a, Q>,
        wanted: Wanted,
        deadline: Deadline,
    ) -> Option<Self> {
        let (go_on, goes_on) = mpsc::channel();
        let (carries, carried) = mpsc::channel();
        let what = wanted.clone();
        let work = move |deadline| {
            let found = carrier.carried_until(what, deadline);
            let refiner: Refiner<'a, Q> = goes_on.recv().ok()?;
            let refiner = refiner.with_carried(Some(found), deadline);
            // Who does not listen waits for the end.
            let _ = carries.send(refiner.best().clone());
            Some(refiner.tracked_until(deadline))
        };
        let tracked = Ahead::begin(scope, deadline, work)?;
        Some(Self { wanted, go_on, tracking: Tracking { carried: Some(carried), tracked } })
    }

    /// Goes on with what has been begun, if that is still what is wanted; else begins anew.
    pub(super) fn begin_again(
        begun: Option<Self>,
        scope: &'scope Scope<'scope, '_>,
        refiner: &Refiner<'a, Q>,
        deadline: Deadline,
    ) -> Option<Self> {
        let wanted = refiner.wants_carried();
        let begun = begun.filter(|begun| wanted.as_ref() == Some(&begun.wanted));
        begun.or_else(|| Self::begin(scope, refiner.carrier(), wanted?, deadline))
    }

    /// Follows all other values too, with what is known by now.
    pub(super) fn go_on(self, refiner: &Refiner<'a, Q>) -> Tracking<'scope, Q::Outcome> {
        // Who does not listen has panicked, and that is found out when it is waited for.
        let _ = self.go_on.send(refiner.clone());
        self.tracking
    }
}

/// A refiner, and what has been begun to carry.
pub(super) type Looked<'scope, 'a, Q> = (Refiner<'a, Q>, Option<Carrying<'scope, 'a, Q>>);

/// Looks at what takes little time, until a deadline; begins to follow kinds of messages in
/// between, if there are any.
pub(super) fn look<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    (refiner, mut carrying): Looked<'scope, 'a, Q>,
    until: Deadline,
    deadline: Deadline,
) -> Looked<'scope, 'a, Q>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    let begin_again = |refiner: &Refiner<'a, Q>| {
        if !until.is_over() {
            carrying = Carrying::begin_again(carrying.take(), scope, refiner, deadline);
        }
    };
    (refiner.looked_until(until, begin_again), carrying)
}

/// Begins to follow values, in case that the search that begins now does not say more; or goes on
/// with that.
pub(super) fn track_ahead<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    refiner: &Refiner<'a, Q>,
    carrying: Option<Carrying<'scope, 'a, Q>>,
    deadline: Deadline,
) -> Option<Tracking<'scope, Q::Outcome>>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    if let Some(carrying) = carrying {
        return Some(carrying.go_on(refiner));
    }
    let refiner = refiner.clone();
    let work = move |deadline| Some(refiner.tracked_until(deadline));
    let tracked = Ahead::begin_after(scope, deadline, SEARCHED_SOON, work)?;
    Some(Tracking { carried: None, tracked })
}
