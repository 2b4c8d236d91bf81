//! Atomic macro-steps: from a state in which control is free, through states inside `atomic`, to
//! the next free states.
//!
//! As in Spin, only free states are stored for the whole search. States inside are visited again in
//! each macro-step.

use crate::store::{Full, Store};
use crate::{Move, Semantics, State};

/// Capacity in states that is kept from one macro-step to the next.
const USUAL: usize = 1024;

/// A breadth-first search of one macro-step after another.
///
/// Its places are numbered in the order of discovery: 0 is the free state at which the macro-step
/// begins, the others are the distinct states inside `atomic`, stored in full until the next
/// macro-step.
#[derive(Default)]
pub(crate) struct MacroStep {
    /// The states of the places from 1 on.
    inside: Store,
    /// For each place from 1 on, the one from which it was reached first.
    parents: Vec<u32>,
    /// The next place to be expanded.
    next: usize,
    /// The state of the place that is being expanded.
    pub state: State,
    buffer: Vec<u8>,
}

impl MacroStep {
    /// Starts a new macro-step and discards the previous one.
    pub fn begin(&mut self) {
        self.inside.clear();
        self.parents.clear();
        self.parents.shrink_to(USUAL);
        self.next = 0;
    }

    /// Moves on to the next place and decodes its state; `None` at the end. `start` is the free
    /// state, encoded.
    pub fn advance(&mut self, semantics: &Semantics, start: &[u8]) -> Option<usize> {
        let place = self.next;
        if place > self.inside.len() {
            return None;
        }
        let bytes = if place == 0 { start } else { self.inside.get(place - 1) };
        semantics.decode(bytes, &mut self.state);
        self.next += 1;
        Some(place)
    }

    /// The place of a state inside `atomic` that a step reaches, and `true` if it is new.
    pub fn enter(
        &mut self,
        semantics: &Semantics,
        state: &State,
        from: usize,
    ) -> Result<(usize, bool), Full> {
        self.buffer.clear();
        semantics.encode(state, &mut self.buffer);
        let (number, new) = self.inside.insert(&self.buffer)?;
        if new {
            self.parents.push(u32::try_from(from).map_err(|_| Full)?);
        }
        Ok((number + 1, new))
    }

    /// Number of states inside `atomic` reached so far.
    pub fn len(&self) -> usize {
        self.inside.len()
    }

    /// Approximate number of bytes in use.
    pub fn size(&self) -> usize {
        self.inside.size() + self.parents.capacity() * size_of::<u32>()
    }

    /// The places on a shortest path to a place, both ends included.
    pub fn way_to(&self, place: usize) -> Vec<usize> {
        let mut way = vec![place];
        while let Some(before) = way.last().and_then(|last| last.checked_sub(1)) {
            way.push(self.parents[before] as usize);
        }
        way.reverse();
        way
    }

    /// The moves of steps along a path of places.
    pub fn along(&self, semantics: &Semantics, start: &[u8], places: &[usize]) -> Vec<Vec<Move>> {
        let pairs = places.windows(2).filter_map(|pair| {
            let [state, next] = [pair[0], pair[1]].map(|place| self.state_at(semantics, start, place));
            let mut steps = semantics.successors(&state).into_iter();
            steps.find(|step| step.after.as_ref() == Some(&next)).map(|step| step.moves)
        });
        pairs.collect()
    }

    /// The moves on a shortest path to a place, followed by those of the step with index `step`
    /// there.
    pub fn moves(
        &self,
        semantics: &Semantics,
        start: &[u8],
        place: usize,
        step: Option<usize>,
    ) -> Vec<Vec<Move>> {
        let mut moves = self.along(semantics, start, &self.way_to(place));
        if let Some(position) = step {
            let mut steps = semantics.successors(&self.state_at(semantics, start, place)).into_iter();
            moves.extend(steps.nth(position).map(|step| step.moves));
        }
        moves
    }

    fn state_at(&self, semantics: &Semantics, start: &[u8], place: usize) -> State {
        let mut state = State::default();
        let bytes = place.checked_sub(1).map_or(start, |number| self.inside.get(number));
        semantics.decode(bytes, &mut state);
        state
    }
}
