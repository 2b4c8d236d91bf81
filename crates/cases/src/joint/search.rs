//! The search for all combinations of states that are reached, in rows of bits.

use super::MOST_JOINT_STATES;
use super::moves::{ClassMoves, Move, SyncIndex};
use super::state_set::StateSet;

/// For each combination of states of some classes, those of one more, the *member*, as bits.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// How many words a row has.
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn empty(rows: usize, states: usize) -> Self {
        let words = StateSet::empty(states).words().len();
        Self { words, bits: vec![0; rows * words] }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.bits.len() / self.words.max(1)
    }

    /// The states of the member in one row.
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }
}

/// A worklist of rows; all that is new in a row is explored at once.
pub(super) struct JointSearch<'a> {
    /// The moves of the member.
    own: &'a ClassMoves,
    syncs: SyncIndex,
    /// The moves of the others.
    others: &'a [ClassMoves],
    /// By how much the number of a row grows from a state of each of them to the next.
    strides: Vec<usize>,
    rows: Rows,
    /// What is new in each row.
    news: Rows,
    /// The rows with something new.
    waiting: Vec<usize>,
    count: usize,
}

impl<'a> JointSearch<'a> {
    /// The search from the combination in which all begin.
    pub(super) fn new(own: &'a ClassMoves, others: &'a [ClassMoves]) -> Self {
        let mut strides = vec![1; others.len()];
        for other in (1..others.len()).rev() {
            strides[other - 1] = strides[other] * others[other].leaving.len();
        }
        let all = others.iter().map(|other| other.leaving.len()).product();
        let rows = Rows::empty(all, own.leaving.len());
        let mut reached = Self {
            own,
            syncs: SyncIndex::new(own),
            others,
            news: rows.clone(),
            rows,
            waiting: Vec::new(),
            count: 0,
            strides,
        };
        let start = reached.others.iter().zip(&reached.strides).map(|(other, stride)| other.start * stride);
        let start = start.sum();
        reached.add(start, own.start);
        reached
    }

    /// All that is reached; `None` if that is more than [`MOST_JOINT_STATES`].
    pub(super) fn run(mut self) -> Option<Rows> {
        while let Some(row) = self.waiting.pop() {
            let news = self.take_news(row);
            self.explore(row, &news);
            if self.count > MOST_JOINT_STATES {
                return None;
            }
        }
        Some(self.rows)
    }

    /// Takes what is new in a row, and adds what the member reaches from there on its own.
    fn take_news(&mut self, row: usize) -> StateSet {
        let words = self.rows.words;
        let all = row * words..(row + 1) * words;
        let mut news = StateSet::empty(self.own.leaving.len());
        news.unite(&self.news.bits[all.clone()]);
        self.news.bits[all.clone()].fill(0);
        let known = &mut self.rows.bits[all];
        let mut open: Vec<usize> = news.numbers().collect();
        while let Some(state) = open.pop() {
            for step in self.own.leaving[state].iter().filter(|step| step.alone) {
                let (word, bit) = StateSet::position(step.to);
                if known[word] & bit == 0 {
                    known[word] |= bit;
                    self.count += 1;
                    news.insert(step.to);
                    open.push(step.to);
                }
            }
        }
        news
    }

    /// Adds what moves of the others lead to, alone or with partners.
    fn explore(&mut self, row: usize, news: &StateSet) {
        let others = self.others;
        let at: Vec<usize> = others
            .iter()
            .zip(&self.strides)
            .map(|(other, stride)| row / stride % other.leaving.len())
            .collect();
        let leaving: Vec<&[Move]> =
            others.iter().zip(&at).map(|(other, state)| &other.leaving[*state][..]).collect();
        let to =
            |row: usize, stride: usize, state: usize, step: &Move| row - state * stride + step.to * stride;
        for one in 0..others.len() {
            for step in leaving[one] {
                let behind = to(row, self.strides[one], at[one], step);
                if step.alone {
                    self.join(behind, news);
                }
                let met = self.syncs.with(step.sync).filter(|step| news.contains(step.from));
                let met: Vec<usize> = met.map(|step| step.to).collect();
                met.into_iter().for_each(|state| self.add(behind, state));
            }
        }
        let [first, second] = leaving[..] else { return };
        for one in first {
            for other in second {
                let behind = to(to(row, self.strides[0], at[0], one), self.strides[1], at[1], other);
                if one.sync.may_join(other.sync) {
                    self.join(behind, news);
                }
                let met = self.syncs.with_two(one.sync, other.sync);
                let met: Vec<usize> =
                    met.filter(|step| news.contains(step.from)).map(|step| step.to).collect();
                met.into_iter().for_each(|state| self.add(behind, state));
            }
        }
    }

    /// Adds a state to a row.
    fn add(&mut self, row: usize, state: usize) {
        let (word, bit) = StateSet::position(state);
        self.put(row, word, bit);
    }

    /// Adds states to a row.
    fn join(&mut self, row: usize, states: &StateSet) {
        for (word, bits) in states.words().iter().enumerate().filter(|(_, bits)| **bits != 0) {
            self.put(row, word, *bits);
        }
    }

    /// Adds some bits of one word.
    fn put(&mut self, row: usize, word: usize, bits: u64) {
        let at = row * self.rows.words + word;
        let new = bits & !self.rows.bits[at];
        if new != 0 {
            self.rows.bits[at] |= new;
            self.count += new.count_ones() as usize;
            if self.news.row(row).iter().all(|word| *word == 0) {
                self.waiting.push(row);
            }
            self.news.bits[at] |= new;
        }
    }
}
