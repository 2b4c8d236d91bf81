//! Walks through the counting net, which count the messages in buffers: lower limits for all
//! bounds.
//!
//! The firings of a walk solve the state equation, so a bound that a walk reaches is the least one
//! that the equation proves, and no programme has to be solved to show that.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, StateId, TransitionId};
use num_bigint::BigInt;

use crate::cone::{Cone, Row, RowId};
use crate::csr::Csr;

/// Number of firing attempts per transition of the system, and the maximum in total.
const ATTEMPTS: (usize, usize) = (2_000, 3_000_000);

/// The same for a walk for one buffer.
const FEW_ATTEMPTS: (usize, usize) = (200, 200_000);

/// A walk for one buffer ends when the maximum has not grown for this number of attempts per
/// transition, plus this multiple of the attempts until it last grew.
const PATIENCE: (usize, usize) = (1, 2);

/// The state of a walk.
struct Walk<'a> {
    cone: &'a Cone<'a>,
    leaving: Csr<StateId, TransitionId>,
    tokens: IdMap<StateId, u64>,
    /// States that tokens have entered in this round.
    entered: Vec<StateId>,
    /// States that had tokens before this round and from which a transition has fired.
    states: Vec<StateId>,
    /// Maps each row to the states from which no transition can fire (or only one that takes from
    /// the kept rows) for lack of its tokens.
    waiting: Vec<Vec<StateId>>,
    /// States from which only a transition that takes from the kept rows could fire.
    hesitant: Vec<StateId>,
    /// A pseudo-random number.
    turn: u64,
    /// Maps each row of a message type or data place to its tokens.
    held: Vec<i64>,
    contents: IdMap<BufferId, i64>,
    most: IdMap<BufferId, i64>,
    /// Maps each row to `true` if a transition that takes from it fires only when no other can.
    kept: IdMap<RowId, bool>,
    /// The total tokens of the kept rows, and their maximum so far.
    together: (i64, i64),
}

/// The maximum number of messages of each buffer on a walk, the same in every run. The walk ends
/// when all of `buffers` have reached `enough`, or after a number of attempts that is linear in the
/// system.
pub(crate) fn maxima(cone: &Cone<'_>, buffers: &[BufferId], enough: &BigInt) -> IdMap<BufferId, i64> {
    let mut walk = Walk::new(cone, IdMap::filled(false, cone.rows().len()));
    let (each, all) = ATTEMPTS;
    let mut left = all.min(each * walk.leaving.items().len());
    loop {
        let fired = walk.round(&mut left);
        let reached = || buffers.iter().all(|&buffer| BigInt::from(walk.most[buffer]) >= *enough);
        if !fired || left == 0 || reached() {
            return walk.most;
        }
    }
}

/// The maximum total of tokens in the kept `rows` of message types on a walk that takes from them
/// only if no other transition can fire. The walk ends when the total reaches `enough`, when the
/// maximum has not grown for long, or after a number of attempts that is linear in the system.
pub(crate) fn most(cone: &Cone<'_>, rows: IdMap<RowId, bool>, enough: i64) -> i64 {
    let mut walk = Walk::new(cone, rows);
    let (each, all) = FEW_ATTEMPTS;
    let start = all.min(each * walk.leaving.items().len());
    let mut left = start;
    // The maximum so far, and the number of attempts until then.
    let mut grown = (0, 0);
    loop {
        let fired = walk.round(&mut left) || walk.take(&mut left);
        let attempts = start - left;
        if walk.together.1 > grown.0 {
            grown = (walk.together.1, attempts);
        }
        let is_idle = attempts > PATIENCE.0 * walk.leaving.items().len() + (1 + PATIENCE.1) * grown.1;
        if !fired || left == 0 || is_idle || walk.together.1 >= enough {
            return walk.together.1;
        }
    }
}

impl<'a> Walk<'a> {
    /// A walk in the initial marking.
    fn new(cone: &'a Cone<'a>, kept: IdMap<RowId, bool>) -> Self {
        let system = cone.system();
        let leaving: Vec<_> =
            cone.taking_part().into_iter().map(|step| (system.transitions[step].source, step)).collect();
        let mut walk = Walk {
            cone,
            leaving: Csr::sorted(system.states.len(), &leaving),
            tokens: IdMap::filled(0, system.states.len()),
            entered: Vec::new(),
            states: Vec::new(),
            waiting: vec![Vec::new(); cone.rows().len()],
            hesitant: Vec::new(),
            turn: 0,
            held: vec![0; cone.rows().len()],
            contents: IdMap::filled(0, system.buffers.len()),
            most: IdMap::filled(0, system.buffers.len()),
            kept,
            together: (0, 0),
        };
        for (data, place) in system.data.iter() {
            walk.held[cone.data_row(data).index()] = i64::try_from(place.initial).unwrap_or(i64::MAX / 2);
        }
        for class in system.classes.values().filter(|class| class.instances > 0) {
            walk.entered.push(class.initial);
            walk.tokens[class.initial] += u64::from(class.instances);
        }
        walk
    }

    /// Fires one transition from each state with a token, if one can fire that takes nothing from
    /// the kept rows. Returns `true` if any fired. A state from which none can fire waits for the
    /// missing tokens.
    fn round(&mut self, left: &mut usize) -> bool {
        let mut states = std::mem::take(&mut self.states);
        states.append(&mut self.entered);
        states.sort_unstable();
        states.dedup();
        let mut fired = false;
        states.retain(|&state| {
            let moved = self.tokens[state] > 0 && self.leave(state, left);
            fired |= moved;
            moved && self.tokens[state] > 0
        });
        self.states = states;
        fired
    }

    /// Fires one transition from a state with a token, if one can fire that takes nothing from the
    /// kept rows; returns `true` if it did.
    fn leave(&mut self, state: StateId, left: &mut usize) -> bool {
        let steps = self.leaving.of(state).len();
        self.turn = self.turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let first = usize::try_from(self.turn >> 40).unwrap_or(0) % steps.max(1);
        *left = left.saturating_sub(1);
        let mut hesitates = false;
        for next in 0..steps {
            *left = left.saturating_sub(1);
            let step = self.leaving.of(state)[(first + next) % steps];
            if self.lacking(step).is_none() {
                if self.gain(step) >= 0 {
                    self.fire(step);
                    return true;
                }
                hesitates = true;
            }
        }
        if hesitates {
            self.hesitant.push(state);
        }
        for at in 0..steps {
            if let Some(row) = self.lacking(self.leaving.of(state)[at]) {
                let waiting = &mut self.waiting[row.index()];
                if waiting.last() != Some(&state) {
                    waiting.push(state);
                }
            }
        }
        false
    }

    /// Fires one transition that takes from the kept rows. Returns `true` if there was one.
    fn take(&mut self, left: &mut usize) -> bool {
        while let Some(state) = self.hesitant.pop() {
            let steps = self.leaving.of(state).len();
            *left = left.saturating_sub(1 + steps);
            let possible =
                (0..steps).map(|at| self.leaving.of(state)[at]).find(|&step| self.lacking(step).is_none());
            self.entered.push(state);
            if let Some(step) = possible.filter(|_| self.tokens[state] > 0) {
                self.fire(step);
                return true;
            }
        }
        false
    }

    /// The first row with too few tokens for a transition.
    fn lacking(&self, step: TransitionId) -> Option<RowId> {
        let system = self.cone.system();
        let has = |row: RowId, change: i64| match self.cone.row(row) {
            // A walk fires one transition at a time, so a rendezvous never fires.
            Row::Message(message) if system.is_rendezvous(message) => false,
            Row::Message(_) | Row::Data(_) => {
                (0..i64::MAX / 4).contains(&self.held[row.index()].saturating_add(change))
            }
            Row::Entry(_) | Row::Gain => true,
        };
        self.cone.changes(step).iter().find(|&&(row, change)| !has(row, change)).map(|&(row, _)| row)
    }

    /// The change of the total of the kept rows by a transition.
    fn gain(&self, step: TransitionId) -> i64 {
        let kept = self.cone.changes(step).iter().filter(|(row, _)| self.kept[*row]);
        kept.fold(0, |sum, (_, change)| sum.saturating_add(*change))
    }

    /// Fires an enabled transition.
    fn fire(&mut self, step: TransitionId) {
        let system = self.cone.system();
        self.together.0 = self.together.0.saturating_add(self.gain(step));
        self.together.1 = self.together.1.max(self.together.0);
        for &(row, change) in self.cone.changes(step) {
            self.held[row.index()] += change;
            if change > 0 {
                self.entered.append(&mut self.waiting[row.index()]);
            }
            match self.cone.row(row) {
                Row::Message(message) => {
                    let buffer = system.messages[message].buffer;
                    self.contents[buffer] = self.contents[buffer].saturating_add(change);
                }
                Row::Entry(class) => self.enter(system.classes[class].initial, change.unsigned_abs()),
                Row::Data(_) | Row::Gain => {}
            }
        }
        // After all changes: a transition that adds one message may take another from the same
        // buffer.
        for &(row, _) in self.cone.changes(step) {
            if let Row::Message(message) = self.cone.row(row) {
                let buffer = system.messages[message].buffer;
                self.most[buffer] = self.most[buffer].max(self.contents[buffer]);
            }
        }
        let transition = &system.transitions[step];
        self.tokens[transition.source] -= 1;
        self.enter(transition.target, 1);
    }

    fn enter(&mut self, state: StateId, tokens: u64) {
        self.tokens[state] += tokens;
        self.entered.push(state);
    }
}
