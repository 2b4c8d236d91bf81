//! Random walks in search of witnesses: deep and cheap.

use std::collections::HashMap;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::{EdgeId, ProcessTypeId};
use cfsm_core::splitmix::SplitMix;

use crate::run::below;
use crate::{Move, Run, State, Step};

use super::guide::Times;
use super::reduced_model::ReducedModel;
use super::repeat::compare;
use super::{Quest, Witness};

/// Number of steps of the first walks; later ones are longer.
const FIRST_LENGTH: usize = 200;
/// Number of walks after which the length is doubled.
const WALKS_PER_LENGTH: usize = 32;
const MOST_STEPS: usize = 20_000;
/// Greatest number of proposals of one walk that are replayed and refused.
const MOST_REFUSALS: usize = 20;
/// Greatest number of beginnings of pumps that are tried after one step, the latest ones first.
const MOST_BEGINNINGS: usize = 64;
/// Factor by which the effort for proposals may exceed the number of steps.
const PATIENCE: usize = 8;
/// Least effort, in steps, that is spent on proposals.
const FIRST_EFFORT: usize = 10_000;
/// Greatest number of bytes of the states of one walk.
const MOST_BYTES: usize = 16 << 20;

/// Bias of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkBias {
    /// No preference.
    Plain,
    /// Prefers the statements of the guide.
    Guided,
    /// Prefers the statements of the guide, almost exclusively where there is one.
    Devoted,
    /// Prefers the statements of the guide, and sends to receives.
    Sending,
    /// Continues with the same process for a while.
    Sticky,
    /// Executes the statements of the guide as often as it says, round after round, where it can.
    Counted,
}

const BIASES: [WalkBias; 5] =
    [WalkBias::Guided, WalkBias::Devoted, WalkBias::Sending, WalkBias::Sticky, WalkBias::Plain];

/// The walks from the initial state, one after another.
pub(super) struct Walks<'a> {
    model: &'a ReducedModel<'a>,
    quest: &'a Quest,
    start: &'a State,
    random: SplitMix,
    walks: usize,
    steps: usize,
    /// States whose storage is reused.
    room: Vec<State>,
}

/// One walk.
struct Walk {
    moves: Run,
    states: Vec<State>,
    /// Indices of the states, by control and data.
    frames: HashMap<Vec<u8>, Vec<usize>>,
    /// Pumps may begin at this index or later.
    barrier: usize,
    favourite: usize,
    /// Executions that are left of the guide's round.
    left: Times,
    refusals: usize,
    /// Effort spent on proposals, in steps.
    effort: usize,
    /// Approximate number of bytes of all states.
    bytes: usize,
}

impl<'a> Walks<'a> {
    pub fn new(model: &'a ReducedModel<'a>, quest: &'a Quest, start: &'a State) -> Self {
        Self { model, quest, start, random: SplitMix::new(1), walks: 0, steps: 0, room: Vec::new() }
    }

    /// Number of steps of all walks.
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// Takes up to this number of further steps, unless a witness is found before.
    pub fn go(&mut self, steps: usize, deadline: Deadline) -> Option<Witness> {
        let most = self.steps + steps;
        while self.steps < most {
            if deadline.is_over() {
                return None;
            }
            let doubled = u32::try_from(self.walks / WALKS_PER_LENGTH).unwrap_or(u32::MAX).min(16);
            let length = (FIRST_LENGTH << doubled).min(MOST_STEPS).min(most - self.steps);
            let bias = BIASES[self.walks % BIASES.len()];
            self.walks += 1;
            let found = self.walk(length, bias);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Takes some walks in which the loops of the guide are executed as often as it says, unless a
    /// witness is found before.
    pub fn count(&mut self, deadline: Deadline) -> Option<Witness> {
        let round: usize = self.quest.guide.times().values().fold(0, |sum, times| sum.saturating_add(*times));
        let length = round.saturating_mul(4).saturating_add(FIRST_LENGTH);
        if round == 0 || length > MOST_STEPS {
            return None;
        }
        let turns = (0..BIASES.len()).take_while(|_| !deadline.is_over());
        turns.filter_map(|_| self.walk(length, WalkBias::Counted)).next()
    }

    fn walk(&mut self, length: usize, bias: WalkBias) -> Option<Witness> {
        let mut walk = Walk {
            moves: Run::default(),
            states: vec![self.start.clone()],
            frames: HashMap::new(),
            barrier: 0,
            favourite: 0,
            left: self.quest.guide.times().clone(),
            refusals: 0,
            effort: 0,
            bytes: 0,
        };
        walk.frames.entry(self.frame(self.start)).or_default().push(0);
        let found = self.go_on(&mut walk, length, bias);
        self.room.append(&mut walk.states);
        found
    }

    /// Takes up to this number of steps of a walk, unless a witness is found before.
    fn go_on(&mut self, walk: &mut Walk, length: usize, bias: WalkBias) -> Option<Witness> {
        let mut steps = Vec::new();
        for _ in 0..length {
            self.steps += 1;
            self.model.expand(walk.states.last()?, &mut steps, &mut self.room);
            steps.retain(|step| step.errors.is_empty() && step.after.is_some());
            if steps.is_empty() {
                return None;
            }
            let chosen = self.choose(&steps, bias, walk);
            let step = steps.swap_remove(chosen);
            self.count_off(&step, &mut walk.left);
            self.room.extend(steps.drain(..).filter_map(|step| step.after));
            let found = self.take(walk, step);
            if found.is_some() {
                return found;
            }
            if walk.bytes > MOST_BYTES {
                break;
            }
        }
        None
    }

    fn frame(&self, state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.model.part().encode_frame(state, &mut bytes);
        bytes
    }

    fn choose(&mut self, steps: &[Step], bias: WalkBias, walk: &mut Walk) -> usize {
        const CHANGE: usize = 16;
        if below(&mut self.random, CHANGE) == 0 {
            walk.favourite =
                below(&mut self.random, walk.states.last().map_or(1, State::process_count).max(1));
        }
        let weights: Vec<usize> = steps.iter().map(|step| self.weight(step, bias, walk)).collect();
        let mut rest = below(&mut self.random, weights.iter().sum());
        for (at, weight) in weights.iter().enumerate() {
            match rest.checked_sub(*weight) {
                Some(less) => rest = less,
                None => return at,
            }
        }
        0
    }

    /// Takes a step from what is left of the guide's round. A round that is over, or has no such
    /// step, begins anew.
    fn count_off(&self, step: &Step, left: &mut Times) {
        if !is_left(step, left) || left.is_empty() {
            left.clone_from(self.quest.guide.times());
        }
        for statement in step.moves.iter().filter_map(statement) {
            if let Some(times) = left.get_mut(&statement) {
                *times -= 1;
                if *times == 0 {
                    left.remove(&statement);
                }
            }
        }
    }

    fn weight(&self, step: &Step, bias: WalkBias, walk: &Walk) -> usize {
        let is_guided = self.quest.guide.strays(&step.moves) == 0;
        let guided = if is_guided { 8 } else { 1 };
        let buffered = |sent: bool| {
            step.moves.len() == 1
                && step
                    .moves
                    .iter()
                    .any(|moved| if sent { moved.sent.is_some() } else { moved.received.is_some() })
        };
        match bias {
            WalkBias::Plain => 1,
            WalkBias::Guided => guided,
            WalkBias::Devoted if is_guided => 256,
            WalkBias::Devoted => 1,
            WalkBias::Sending if buffered(true) => 4 * guided,
            WalkBias::Sending if buffered(false) => guided,
            WalkBias::Sending => 2 * guided,
            WalkBias::Sticky if step.moves.iter().any(|moved| moved.process == walk.favourite) => 16,
            WalkBias::Counted if is_left(step, &walk.left) => 1 << 16,
            WalkBias::Sticky | WalkBias::Counted => 1,
        }
    }

    fn take(&self, walk: &mut Walk, step: Step) -> Option<Witness> {
        let after = step.after?;
        let at = walk.states.len();
        if !self.quest.aim.allows(&step.moves) {
            walk.barrier = at;
        }
        walk.moves.steps.push(step.moves);
        let earlier = walk.frames.entry(self.frame(&after)).or_default();
        let begins = earlier.iter().rev().copied().filter(|begin| *begin >= walk.barrier);
        let begins: Vec<usize> = begins.take(MOST_BEGINNINGS).collect();
        earlier.push(at);
        walk.bytes += size_of::<State>() + 4 * (after.cells.len() + after.messages.len());
        walk.states.push(after);
        for begin in begins {
            if walk.refusals >= MOST_REFUSALS || walk.effort > FIRST_EFFORT + PATIENCE * at {
                break;
            }
            walk.effort += 1;
            if self.is_promising(&walk.states[begin], &walk.states[at]) {
                let prefix = Run { steps: walk.moves.steps[..begin].to_vec() };
                let pump = Run { steps: walk.moves.steps[begin..].to_vec() };
                match self.model.confirm(&prefix, &pump, &mut walk.effort) {
                    Ok(witness) => return Some(witness),
                    Err(_) => walk.refusals += 1,
                }
            }
        }
        None
    }

    fn is_promising(&self, before: &State, after: &State) -> bool {
        let Ok(changes) = compare(before, after) else { return false };
        let growing = changes.iter().enumerate().filter(|(_, change)| **change > 0);
        let origins = growing.filter_map(|(queue, _)| self.model.part().queue_origin(after, queue + 1));
        self.quest.aim.is_met(origins)
    }
}

/// The statement of a move.
fn statement(moved: &Move) -> Option<(ProcessTypeId, EdgeId)> {
    Some((moved.process_type, moved.edge?))
}

/// Returns `true` if all statements of a step are left.
fn is_left(step: &Step, left: &Times) -> bool {
    step.moves.iter().filter_map(statement).all(|statement| left.contains_key(&statement))
}
