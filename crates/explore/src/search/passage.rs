//! Passages: from a state in which control is free, through states inside `atomic`, to the free
//! states next to it.
//!
//! Only free states are stored for the whole search, as by Spin. What is inside is met again in
//! each passage.

use crate::store::{Full, Store};
use crate::{Move, Semantics, State};

/// Room for so many states is kept from one passage to the next.
const USUAL: usize = 1024;

/// A walk through one passage after another, breadth first.
///
/// Its places are numbered in the order in which they are met: 0 is the free state in which the
/// passage begins, the others are states inside `atomic`, each different from all others and kept
/// whole until the next passage.
#[derive(Default)]
pub(crate) struct Passage {
    /// The states of the places from 1 on.
    inside: Store,
    /// From which place each of them was met first.
    parents: Vec<u32>,
    /// The place whose turn comes next.
    next: usize,
    /// The state of the place whose turn it is.
    pub state: State,
    buffer: Vec<u8>,
}

impl Passage {
    /// Forgets the passage before.
    pub fn begin(&mut self) {
        self.inside.clear();
        self.parents.clear();
        self.parents.shrink_to(USUAL);
        self.next = 0;
    }

    /// The next place in turn, whose state is read; `None` at the end. `start` is the free state,
    /// as bytes.
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

    /// The place of a state inside `atomic` to which a step leads, and whether it is new.
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

    /// How many states inside `atomic` it has met.
    pub fn len(&self) -> usize {
        self.inside.len()
    }

    /// How many bytes they take, roughly.
    pub fn size(&self) -> usize {
        self.inside.size() + self.parents.capacity() * size_of::<u32>()
    }

    /// The places on a shortest way to a place, both ends included.
    pub fn way_to(&self, place: usize) -> Vec<usize> {
        let mut way = vec![place];
        while let Some(before) = way.last().and_then(|last| last.checked_sub(1)) {
            way.push(self.parents[before] as usize);
        }
        way.reverse();
        way
    }

    /// What moves in steps from place to place.
    pub fn along(&self, semantics: &Semantics, start: &[u8], places: &[usize]) -> Vec<Vec<Move>> {
        let pairs = places.windows(2).filter_map(|pair| {
            let [state, next] = [pair[0], pair[1]].map(|place| self.state_at(semantics, start, place));
            let mut steps = semantics.successors(&state).into_iter();
            steps.find(|step| step.after.as_ref() == Some(&next)).map(|step| step.moves)
        });
        pairs.collect()
    }

    /// What moves on a shortest way to a place, and then in one of the steps there, by its
    /// position.
    pub fn moves(
        &self,
        semantics: &Semantics,
        start: &[u8],
        (place, step): (usize, Option<usize>),
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
