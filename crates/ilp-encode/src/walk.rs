//! A walk through the counting net: how many messages buffers hold on it, which no bound can be below.
//!
//! What is fired on a walk solves the state equation, so a bound that a walk reaches is the least one that the
//! equation proves, and no programme has to be solved to see that.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, StateId, TransitionId};
use num_bigint::BigInt;

use crate::cone::{Cone, Row};
use crate::lists::Lists;

/// Attempts to fire for each transition of the system, and at most.
const ATTEMPTS: (usize, usize) = (2_000, 3_000_000);

/// Where a walk is.
struct Walk<'a> {
    cone: &'a Cone<'a>,
    leaving: Lists<StateId, TransitionId>,
    tokens: IdMap<StateId, u64>,
    /// States that tokens came to in this round.
    entered: Vec<StateId>,
    /// Per row of a message type or data place, what it holds.
    held: Vec<i64>,
    contents: IdMap<BufferId, i64>,
    most: IdMap<BufferId, i64>,
}

/// The most messages that each buffer holds on a walk, the same in every run. It ends when buffers that count hold `enough`
/// all, or after a number of attempts that is linear in the system.
pub(crate) fn maxima(cone: &Cone<'_>, buffers: &[BufferId], enough: &BigInt) -> IdMap<BufferId, i64> {
    let system = cone.system();
    let leaving: Vec<_> =
        cone.taking_part().into_iter().map(|step| (system.transitions[step].source, step)).collect();
    let mut walk = Walk {
        cone,
        leaving: Lists::sorted(system.states.len(), &leaving),
        tokens: IdMap::filled(0, system.states.len()),
        entered: Vec::new(),
        held: vec![0; cone.rows().len()],
        contents: IdMap::filled(0, system.buffers.len()),
        most: IdMap::filled(0, system.buffers.len()),
    };
    for (data, place) in system.data.iter() {
        walk.held[cone.data_row(data).index()] = i64::try_from(place.initial).unwrap_or(i64::MAX / 2);
    }
    for class in system.classes.values().filter(|class| class.instances > 0) {
        walk.entered.push(class.initial);
        walk.tokens[class.initial] += u64::from(class.instances);
    }
    let (each, all) = ATTEMPTS;
    let mut left = all.min(each * leaving.len());
    let mut turn = 0u64;
    let mut states: Vec<StateId> = Vec::new();
    loop {
        states.append(&mut walk.entered);
        states.sort_unstable();
        states.dedup();
        states.retain(|&state| walk.tokens[state] > 0);
        let mut fired = false;
        for &state in &states {
            let steps = walk.leaving.of(state).len();
            turn = turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            left = left.saturating_sub(1 + steps);
            let first = usize::try_from(turn >> 40).unwrap_or(0) % steps.max(1);
            fired |= (0..steps).any(|next| walk.fire(walk.leaving.of(state)[(first + next) % steps]));
        }
        let reached = || buffers.iter().all(|&buffer| BigInt::from(walk.most[buffer]) >= *enough);
        if !fired || left == 0 || reached() {
            return walk.most;
        }
    }
}

impl Walk<'_> {
    /// Fires a transition, if it can.
    fn fire(&mut self, step: TransitionId) -> bool {
        let system = self.cone.system();
        let changes = self.cone.changes(step);
        let possible = changes.iter().all(|&(row, change)| match self.cone.row(row) {
            // Nobody fires two transitions at once here.
            Row::Message(message) if system.is_rendezvous(message) => false,
            Row::Message(_) | Row::Data(_) => {
                (0..i64::MAX / 4).contains(&self.held[row.index()].saturating_add(change))
            }
            Row::Entry(_) | Row::Gain => true,
        });
        if !possible {
            return false;
        }
        for &(row, change) in changes {
            self.held[row.index()] += change;
            match self.cone.row(row) {
                Row::Message(message) => {
                    let buffer = system.messages[message].buffer;
                    self.contents[buffer] += change;
                    self.most[buffer] = self.most[buffer].max(self.contents[buffer]);
                }
                Row::Entry(class) => self.enter(system.classes[class].initial, change.unsigned_abs()),
                Row::Data(_) | Row::Gain => {}
            }
        }
        let transition = &system.transitions[step];
        self.tokens[transition.source] -= 1;
        self.enter(transition.target, 1);
        true
    }

    fn enter(&mut self, state: StateId, tokens: u64) {
        self.tokens[state] += tokens;
        self.entered.push(state);
    }
}
