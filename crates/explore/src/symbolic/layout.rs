//! Encoding of states as words: one number for the value of each part of a state.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use super::touch::Part;
use crate::state::QueueState;
use crate::{Semantics, State};

/// The value of a queue whose process has ended, in place of a length.
const GONE: i32 = -1;
/// Approximate number of bytes of a value besides its cells.
const PER_VALUE: usize = 48;

/// The parts that words consist of, and the meaning of their numbers.
pub(super) struct Layout<'a> {
    semantics: &'a Semantics,
    /// The parts, in the order of the levels.
    parts: Vec<Part>,
    /// For each part, its known values, by number.
    values: Vec<IndexSet<Box<[i32]>, DefaultHashBuilder>>,
    /// A state with all processes and queues; it supplies the parts that steps do not touch.
    first: State,
    word: Vec<u32>,
    /// Approximate number of bytes of the values.
    size: usize,
}

impl<'a> Layout<'a> {
    pub fn new(semantics: &'a Semantics, parts: Vec<Part>, first: State) -> Self {
        let values = parts.iter().map(|_| IndexSet::default()).collect();
        let mut layout =
            Self { semantics, parts, values, first: State::default(), word: Vec::new(), size: 0 };
        layout.word = (0..layout.parts.len()).map(|level| layout.number(level, &first)).collect();
        Self { first, ..layout }
    }

    /// Number of levels, which is the length of words.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Number of known values of a part.
    #[cfg(debug_assertions)]
    pub fn count(&self, level: usize) -> usize {
        self.values[level].len()
    }

    /// The value of a part of a state.
    #[cfg(debug_assertions)]
    pub fn cells_at(&self, level: usize, state: &State) -> Vec<i32> {
        let mut cells = Vec::new();
        self.cells(self.parts[level], state, &mut cells);
        cells
    }

    /// Approximate number of bytes in use.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The part at a level.
    pub fn part(&self, level: usize) -> Part {
        self.parts[level]
    }

    /// The value with a number: see [`cells`](Self::cells).
    pub fn value(&self, level: usize, number: u32) -> &[i32] {
        &self.values[level][number as usize]
    }

    /// The number of the value of a part of a state.
    pub fn number(&mut self, level: usize, state: &State) -> u32 {
        let mut cells = Vec::new();
        self.cells(self.parts[level], state, &mut cells);
        let values = &mut self.values[level];
        let number = match values.get_index_of(&cells[..]) {
            Some(number) => number,
            None => {
                self.size += size_of_val(&cells[..]) + PER_VALUE;
                values.insert_full(cells.into()).0
            }
        };
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Returns `true` if a part has the same value in two states.
    pub fn is_same(&self, level: usize, one: &State, other: &State) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.cells(self.parts[level], one, &mut a);
        self.cells(self.parts[level], other, &mut b);
        a == b
    }

    /// Appends the value of a part of a state: the value of a global; header and variables of a
    /// process, nothing if it has ended; the length of a queue and its messages, or [`GONE`] if its
    /// process has ended.
    fn cells(&self, part: Part, state: &State, cells: &mut Vec<i32>) {
        match part {
            Part::Global(cell) => cells.push(state.cells[cell as usize]),
            Part::Process(process) => {
                if let Some(first) = state.frames.get(process) {
                    let end = state.frames.get(process + 1).map_or(state.cells.len(), |end| *end as usize);
                    cells.extend_from_slice(&state.cells[*first as usize..end]);
                }
            }
            Part::Queue(at) => {
                let Some(queue) = state.queues.get(at) else { return cells.push(GONE) };
                let first = queue.first as usize;
                let count = self.semantics.code_at(state, at).fields.len() * queue.length as usize;
                cells.push(i32::try_from(queue.length).unwrap_or(i32::MAX));
                cells.extend_from_slice(&state.messages[first..first + count]);
            }
        }
    }

    /// The state with these values at these levels, and those of the first state elsewhere. If a
    /// process has ended, those with greater numbers have, too.
    pub fn state(&self, levels: &[u32], numbers: &[u32]) -> State {
        self.state_among(&self.word, levels, numbers)
    }

    /// As [`state`](Self::state), with `others` as the values elsewhere.
    pub fn state_among(&self, others: &[u32], levels: &[u32], numbers: &[u32]) -> State {
        let mut given: Vec<Option<u32>> = vec![None; self.parts.len()];
        for (level, number) in levels.iter().zip(numbers) {
            given[*level as usize] = Some(*number);
        }
        let globals = self.semantics.global_cells as usize;
        let mut state = State { cells: self.first.cells[..globals].to_vec(), ..State::default() };
        let mut processes: Vec<&[i32]> = vec![&[]; self.first.process_count()];
        let mut queues: Vec<&[i32]> = vec![&[0]; self.first.queue_count()];
        for (level, part) in self.parts.iter().enumerate() {
            let value = self.value(level, given[level].unwrap_or(others[level]));
            match part {
                Part::Global(cell) => state.cells[*cell as usize] = value[0],
                Part::Process(process) => processes[*process] = value,
                Part::Queue(queue) => queues[*queue] = value,
            }
        }
        for cells in processes.into_iter().take_while(|cells| !cells.is_empty()) {
            state.frames.push(u32::try_from(state.cells.len()).unwrap_or(u32::MAX));
            state.cells.extend_from_slice(cells);
        }
        let ended = state.frames.len();
        let is_there = |queue: &QueueState| queue.owner().is_none_or(|owner| owner < ended);
        for (queue, held) in self.first.queues.iter().zip(queues).filter(|(queue, _)| is_there(queue)) {
            let first = u32::try_from(state.messages.len()).unwrap_or(u32::MAX);
            let length = u32::try_from(held[0]).unwrap_or_default();
            state.queues.push(QueueState { first, length, ..*queue });
            state.messages.extend_from_slice(&held[1..]);
        }
        state
    }
}
