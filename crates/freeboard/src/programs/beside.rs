//! Refinement beside a search of runs: each may say more than the other, or nothing.

use std::thread::Scope;
use std::time::Duration;

use cfsm_core::ahead::Ahead;
use cfsm_core::deadline::Deadline;
use refine::{Question, Refinement, Refiner};

/// How long runs are searched before values are followed beside that: most of these searches take no longer.
const SEARCHED_SOON: Duration = Duration::from_millis(1);

/// Begins to look at what refinement takes little time for, in case that the search that begins now does not settle all.
pub(super) fn look_ahead<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    refiner: &Refiner<'a, Q>,
    deadline: Deadline,
) -> Option<Ahead<'scope, Refiner<'a, Q>>>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    let refiner = refiner.clone();
    Ahead::begin(scope, deadline, move |deadline| refiner.looked_until(deadline))
}

/// What refinement finds that has been begun ahead.
pub(super) type Tracked<'scope, O> = Option<Ahead<'scope, Refinement<O>>>;

/// Begins to follow values, in case that the search that begins now does not say more.
pub(super) fn track_ahead<'scope, 'a: 'scope, Q>(
    scope: &'scope Scope<'scope, '_>,
    refiner: &Refiner<'a, Q>,
    deadline: Deadline,
) -> Tracked<'scope, Q::Outcome>
where
    Q: Question + Clone + Send + Sync,
    Q::Outcome: Send + 'scope,
{
    let refiner = refiner.clone();
    Ahead::begin_after(scope, deadline, SEARCHED_SOON, move |deadline| refiner.tracked_until(deadline))
}
