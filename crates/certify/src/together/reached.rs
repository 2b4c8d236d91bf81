//! Combinations of places that are reached, in rows of bits.

use super::MOST_TOGETHER;
use super::moves::{Leaving, Meetings, Moves};
use super::places::Places;

/// For each combination of places of some classes, those of one more, the *member*, as bits.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// How many words a row has.
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn none(rows: usize, places: usize) -> Self {
        let words = Places::none(places).words().len();
        Self { words, bits: vec![0; rows * words] }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }
}

/// The search for what is reached. What is new in a row is gone on from once, all of it at a time.
pub(super) struct Reached<'a> {
    /// What the member does.
    own: &'a Moves,
    meetings: Meetings,
    /// What the others do.
    others: &'a [Moves],
    /// By how much the number of a row grows from a place of each of them to the next.
    strides: Vec<usize>,
    rows: Rows,
    /// What is new in each row.
    news: Rows,
    /// The rows with something new.
    waiting: Vec<usize>,
    count: usize,
}

impl<'a> Reached<'a> {
    /// Nothing but where they begin.
    pub(super) fn new(own: &'a Moves, others: &'a [Moves]) -> Self {
        let mut strides = vec![1; others.len()];
        for other in (1..others.len()).rev() {
            strides[other - 1] = strides[other] * others[other].leaving.len();
        }
        let all = others.iter().map(|other| other.leaving.len()).product();
        let rows = Rows::none(all, own.leaving.len());
        let mut reached = Self {
            own,
            meetings: Meetings::of(own),
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

    /// All that is reached; `None` if that is too much.
    pub(super) fn run(mut self) -> Option<Rows> {
        while let Some(row) = self.waiting.pop() {
            let news = self.taken(row);
            self.go_on(row, &news);
            if self.count > MOST_TOGETHER {
                return None;
            }
        }
        Some(self.rows)
    }

    /// What is new in a row, with where the member goes alone from there. It is not new any more.
    fn taken(&mut self, row: usize) -> Places {
        let words = self.rows.words;
        let all = row * words..(row + 1) * words;
        let mut news = Places::none(self.own.leaving.len());
        news.join(&self.news.bits[all.clone()]);
        self.news.bits[all.clone()].fill(0);
        let known = &mut self.rows.bits[all];
        let mut open: Vec<usize> = news.numbers().collect();
        while let Some(place) = open.pop() {
            for step in self.own.leaving[place].iter().filter(|step| step.alone) {
                let (word, bit) = Places::position(step.to);
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

    /// Steps of others, alone or with whom they meet.
    fn go_on(&mut self, row: usize, news: &Places) {
        let others = self.others;
        let at: Vec<usize> = others
            .iter()
            .zip(&self.strides)
            .map(|(other, stride)| row / stride % other.leaving.len())
            .collect();
        let leaving: Vec<&[Leaving]> =
            others.iter().zip(&at).map(|(other, place)| &other.leaving[*place][..]).collect();
        let to =
            |row: usize, stride: usize, place: usize, step: &Leaving| row - place * stride + step.to * stride;
        for one in 0..others.len() {
            for step in leaving[one] {
                let behind = to(row, self.strides[one], at[one], step);
                if step.alone {
                    self.join(behind, news);
                }
                let met = self.meetings.with(step.meeting).filter(|(from, _)| news.contains(*from));
                let met: Vec<usize> = met.map(|(_, to)| *to).collect();
                met.into_iter().for_each(|place| self.add(behind, place));
            }
        }
        let [first, second] = leaving[..] else { return };
        for one in first {
            for other in second {
                let behind = to(to(row, self.strides[0], at[0], one), self.strides[1], at[1], other);
                if one.meeting.may_meet(other.meeting) {
                    self.join(behind, news);
                }
                let met = self.meetings.with_two(one.meeting, other.meeting);
                let met: Vec<usize> =
                    met.filter(|(from, _)| news.contains(*from)).map(|(_, to)| *to).collect();
                met.into_iter().for_each(|place| self.add(behind, place));
            }
        }
    }

    /// Adds a place to a row.
    fn add(&mut self, row: usize, place: usize) {
        let (word, bit) = Places::position(place);
        self.put(row, word, bit);
    }

    /// Adds places to a row.
    fn join(&mut self, row: usize, places: &Places) {
        for (word, bits) in places.words().iter().enumerate().filter(|(_, bits)| **bits != 0) {
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
