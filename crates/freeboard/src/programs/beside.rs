//! Refinement beside a search of runs: each may say more than the other, or nothing.

use std::sync::mpsc;
use std::thread::Scope;
use std::time::Duration;

use cfsm_core::ahead::Ahead;
use cfsm_core::deadline::Deadline;
use refine::{Question, Refinement, Refiner, Wanted};

/// How long runs are searched before values are followed beside that: most of these searches take no longer.
const SEARCHED_SOON: Duration = Duration::from_millis(1);

/// What refinement finds that has been begun ahead.
pub(super) type Tracked<'scope, O> = Option<Ahead<'scope, Option<Refinement<O>>>>;

/// A refiner that has looked ahead, and what it has begun to carry.
pub(super) type Looked<'scope, 'a, Q> =
    Option<Ahead<'scope, (Refiner<'a, Q>, Option<Carrying<'scope, 'a, Q>>)>>;

/// Kinds of messages that are followed before it is known whether something simpler decides. When this is dropped, that is stopped.
pub(super) struct Carrying<'scope, 'a, Q: Question> {
    wanted: Wanted,
    /// Who waits for it hears of it when it is gone, so it has to go first.
    go_on: mpsc::Sender<Refiner<'a, Q>>,
    tracked: Ahead<'scope, Option<Refinement<Q::Outcome>>>,
}

impl<'scope, 'a: 'scope, Q> Carrying<'scope, 'a, Q>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    fn begin(scope: &'scope Scope<'scope, '_>, refiner: &Refiner<'a, Q>, deadline: Deadline) -> Option<Self> {
        let refiner = refiner.clone();
        let wanted = refiner.wants_carried()?;
        let (go_on, goes_on) = mpsc::channel();
        let carried = wanted.clone();
        let work = move |deadline| {
            let carried = refiner.carried_until(carried, deadline);
            let refiner: Refiner<'a, Q> = goes_on.recv().ok()?;
            Some(refiner.tracked_until(deadline, Some(carried)))
        };
        Some(Self { wanted, go_on, tracked: Ahead::begin(scope, deadline, work)? })
    }

    /// Goes on with what has been begun, if that is still what is wanted; else begins anew.
    fn begin_again(
        begun: Option<Self>,
        scope: &'scope Scope<'scope, '_>,
        refiner: &Refiner<'a, Q>,
        deadline: Deadline,
    ) -> Option<Self> {
        let wanted = refiner.wants_carried();
        let begun = begun.filter(|begun| wanted.as_ref() == Some(&begun.wanted));
        begun.or_else(|| Self::begin(scope, refiner, deadline))
    }

    /// Follows all other values too, with what is known by now.
    pub(super) fn go_on(self, refiner: &Refiner<'a, Q>) -> Tracked<'scope, Q::Outcome> {
        // Who does not listen has panicked, and that is found out when it is waited for.
        let _ = self.go_on.send(refiner.clone());
        Some(self.tracked)
    }
}

/// Begins to look at what refinement takes little time for, in case that the search that begins now does not settle all; and to follow kinds of
/// messages, if there are any; whether there are.
pub(super) fn look_ahead<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    refiner: &Refiner<'a, Q>,
    deadline: Deadline,
) -> (Looked<'scope, 'a, Q>, bool)
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    let mut carrying = Carrying::begin(scope, refiner, deadline);
    let carries = carrying.is_some();
    let refiner = refiner.clone();
    let looked = Ahead::begin(scope, deadline, move |until| {
        let begin = |refiner: &Refiner<'a, Q>| {
            carrying = Carrying::begin_again(carrying.take(), scope, refiner, deadline);
        };
        (refiner.looked_until(until, begin), carrying)
    });
    (looked, carries)
}

/// Begins to follow values, in case that the search that begins now does not say more; or goes on with that.
pub(super) fn track_ahead<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    refiner: &Refiner<'a, Q>,
    carrying: Option<Carrying<'scope, 'a, Q>>,
    deadline: Deadline,
) -> Tracked<'scope, Q::Outcome>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    if let Some(carrying) = carrying {
        return carrying.go_on(refiner);
    }
    let refiner = refiner.clone();
    let work = move |deadline| Some(refiner.tracked_until(deadline, None));
    Ahead::begin_after(scope, deadline, SEARCHED_SOON, work)
}
