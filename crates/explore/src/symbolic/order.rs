//! Choice of the variable order of decision diagrams: the order of the parts of states in words.
//!
//! The order determines the size of a diagram more than anything else. It is optimised by sifting
//! for a sample of states: their diagram is built, and each level is moved to its best position (R.
//! Rudell: Dynamic Variable Ordering for Ordered Binary Decision Diagrams, ICCAD 1993).

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::deadline::Deadline;
use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

/// Greatest number of sifting rounds.
const ROUNDS: usize = 8;
/// Limit of growth while a level is moved, in percent of the best size so far; beyond it the level
/// is not moved further.
const MOST: u64 = 200;

/// Greatest amount of work, in branches that are processed. When it is exceeded, the current order
/// is final.
const MOST_WORK: usize = 50_000_000;

/// Computes an order of the parts such that the diagram of the words is small and parts that steps
/// touch together are close: the indices of the parts, from the top level down. Words must be
/// sorted and without duplicates.
///
/// Time linear in the nodes, times the square of the length of words, limited to some seconds. When
/// the deadline has passed, the current order is final.
pub(super) fn order(
    words: &[Vec<u32>],
    length: usize,
    touched: &[BTreeSet<usize>],
    deadline: Deadline,
) -> Vec<usize> {
    let mut sifted = Sifted::new(levels(words, length), touched);
    for _ in 0..ROUNDS {
        let before = sifted.cost();
        for part in (0..length).take_while(|_| !deadline.is_over()) {
            sifted.sift(part);
        }
        if deadline.is_over() || sifted.cost() == before {
            break;
        }
    }
    sifted.order
}

/// The branches of a node: pairs of a number and the index of the successor node in the next level.
type Branches = Vec<(u32, u32)>;

/// A diagram of words under reordering, with one level for each part.
struct Sifted<'a> {
    levels: Vec<Vec<Branches>>,
    /// Number of branches of each level.
    sizes: Vec<usize>,
    order: Vec<usize>,
    touched: &'a [BTreeSet<usize>],
    work: usize,
}

/// The levels of the reduced diagram of these words.
fn levels(words: &[Vec<u32>], length: usize) -> Vec<Vec<Branches>> {
    let mut known: Vec<IndexSet<Branches, DefaultHashBuilder>> = vec![IndexSet::default(); length];
    let mut open: Vec<Branches> = vec![Vec::new(); length];
    let mut last: &[u32] = &[];
    for word in words.iter().map(Vec::as_slice).chain([&[][..]]) {
        let same = last.iter().zip(word).take_while(|(a, b)| a == b).count();
        for level in (same..last.len()).rev() {
            let branches = match open.get_mut(level + 1) {
                Some(below) => {
                    let below = std::mem::take(below);
                    number(known[level + 1].insert_full(below).0)
                }
                None => 0,
            };
            open[level].push((last[level], branches));
        }
        last = word;
    }
    if let (Some(top), Some(known)) = (open.first_mut(), known.first_mut()) {
        known.insert(std::mem::take(top));
    }
    known.into_iter().map(|level| level.into_iter().collect()).collect()
}

impl<'a> Sifted<'a> {
    fn new(levels: Vec<Vec<Branches>>, touched: &'a [BTreeSet<usize>]) -> Self {
        let sizes = levels.iter().map(|level| size(level)).collect();
        let order = (0..levels.len()).collect();
        Self { levels, sizes, order, touched, work: 0 }
    }

    /// Moves a part to its best position.
    fn sift(&mut self, part: usize) {
        let Some(mut at) = self.order.iter().position(|other| *other == part) else { return };
        let mut best = (self.cost(), at);
        for down in [true, false] {
            while self.work < MOST_WORK && if down { at + 1 < self.order.len() } else { at > 0 } {
                self.swap(if down { at } else { at - 1 });
                at = if down { at + 1 } else { at - 1 };
                let cost = self.cost();
                best = best.min((cost, at));
                if cost > best.0.saturating_mul(MOST) / 100 {
                    break;
                }
            }
        }
        while at != best.1 {
            let down = at < best.1;
            self.swap(if down { at } else { at - 1 });
            at = if down { at + 1 } else { at - 1 };
        }
    }

    /// Swaps two adjacent levels. Levels above and below are unchanged.
    fn swap(&mut self, upper: usize) {
        let (above, below) = (&self.levels[upper], &self.levels[upper + 1]);
        let mut places: IndexSet<Branches, DefaultHashBuilder> = IndexSet::default();
        let turned: Vec<Branches> = above
            .iter()
            .map(|branches| {
                let mut ends: BTreeMap<u32, Branches> = BTreeMap::new();
                for (first, place) in branches {
                    for (second, end) in &below[*place as usize] {
                        ends.entry(*second).or_default().push((*first, *end));
                    }
                }
                ends.into_iter().map(|(second, ends)| (second, number(places.insert_full(ends).0))).collect()
            })
            .collect();
        self.levels[upper] = turned;
        self.levels[upper + 1] = places.into_iter().collect();
        for level in [upper, upper + 1] {
            self.work += self.sizes[level];
            self.sizes[level] = size(&self.levels[level]);
        }
        self.work += self.touched.iter().map(BTreeSet::len).sum::<usize>();
        self.order.swap(upper, upper + 1);
    }

    /// Size of the diagram, weighted with up to twice its value by the distances of parts that are
    /// touched together.
    fn cost(&self) -> u64 {
        let mut positions = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(position, part)| positions[*part] = position);
        let span = |set: &BTreeSet<usize>| {
            let reached = set.iter().map(|part| positions[*part]);
            reached.clone().max().unwrap_or(0) - reached.min().unwrap_or(0)
        };
        let spans: usize = self.touched.iter().map(span).sum();
        let most = (self.touched.len() * self.order.len()).max(1);
        let size: usize = self.sizes.iter().sum();
        (size * (most + spans) / most) as u64
    }
}

fn size(level: &[Branches]) -> usize {
    level.iter().map(Vec::len).sum()
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words of a diagram, in the order of its levels.
    fn words_of(levels: &[Vec<Branches>], place: usize) -> Vec<Vec<u32>> {
        let Some((first, rest)) = levels.split_first() else { return vec![Vec::new()] };
        let branches = first.get(place).into_iter().flatten();
        let words = branches.flat_map(|(value, below)| {
            let ends = words_of(rest, *below as usize);
            ends.into_iter().map(|end| [vec![*value], end].concat()).collect::<Vec<_>>()
        });
        words.collect()
    }

    fn position(order: &[usize], part: usize) -> usize {
        order.iter().position(|other| *other == part).unwrap_or_else(|| panic!("{part} is in {order:?}"))
    }

    #[test]
    fn what_is_equal_comes_together() {
        let words = (0..64).map(|number: u32| {
            let bits = (0..6).map(|bit| number >> bit & 1);
            bits.clone().chain(bits).collect::<Vec<_>>()
        });
        let words: BTreeSet<Vec<u32>> = words.collect();
        let words: Vec<Vec<u32>> = words.into_iter().collect();
        let order = order(&words, 12, &[], Deadline::default());
        for part in 0..6 {
            assert_eq!(position(&order, part).abs_diff(position(&order, part + 6)), 1, "{order:?}");
        }
    }

    #[test]
    fn what_is_touched_together_comes_together() {
        let touched = [BTreeSet::from([0, 5]), BTreeSet::from([0, 5]), BTreeSet::from([2, 4])];
        let order = order(&[vec![0; 6]], 6, &touched, Deadline::default());
        assert!(position(&order, 0).abs_diff(position(&order, 5)) <= 2, "{order:?}");
    }

    #[test]
    fn there_may_be_nothing_to_order() {
        assert_eq!(order(&[], 0, &[], Deadline::default()), Vec::<usize>::new());
        assert_eq!(order(&[], 2, &[BTreeSet::new()], Deadline::default()).len(), 2);
        assert_eq!(order(&[Vec::new()], 0, &[], Deadline::default()), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn words_stay_the_same_words(
            words in prop::collection::btree_set(prop::collection::vec(0..3_u32, 5), 0..30),
            swaps in prop::collection::vec(0..4_usize, 0..6),
        ) {
            let mut wanted: Vec<Vec<u32>> = words.into_iter().collect();
            let levels = levels(&wanted, 5);
            let mut sifted = Sifted::new(levels, &[]);
            prop_assert_eq!(words_of(&sifted.levels, 0), wanted.clone());
            for upper in swaps {
                sifted.swap(upper);
                wanted.iter_mut().for_each(|word| word.swap(upper, upper + 1));
            }
            wanted.sort();
            prop_assert_eq!(words_of(&sifted.levels, 0), wanted);
        }
    }
}
