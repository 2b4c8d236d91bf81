//! In which order parts of states are put into words.
//!
//! How many nodes a diagram has depends on that more than on anything else. So the order is made
//! for states that have been looked at one by one: they are put into a diagram, and each of its
//! levels is moved to where that is smallest (R. Rudell: Dynamic Variable Ordering for Ordered
//! Binary Decision Diagrams, ICCAD 1993).

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

/// How often all levels are moved at most.
const ROUNDS: usize = 8;
/// How much larger the diagram may get while a level is moved, in percent of what it was at best:
/// it is not moved further.
const MOST: u64 = 200;

/// How much is done at most, in branches that are looked at. Beyond, the order is as it is then.
const MOST_WORK: usize = 50_000_000;

/// An order of the numbers of words, such that a diagram of them is small, and what steps touch
/// together, as these sets say, comes together: the positions, first one first. Words are in order,
/// each once.
///
/// Time linear in the nodes, times the square of the length of words, but not beyond some seconds.
pub(super) fn order(words: &[Vec<u32>], length: usize, touched: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut sifted = Sifted::new(levels(words, length), touched);
    for _ in 0..ROUNDS {
        let before = sifted.cost();
        for part in 0..length {
            sifted.sift(part);
        }
        if sifted.cost() == before {
            break;
        }
    }
    sifted.order
}

/// With what numbers words go on at a place, and at which place of the next level they are then.
type Branches = Vec<(u32, u32)>;

/// A diagram of words in some order, one level for each of their numbers.
struct Sifted<'a> {
    levels: Vec<Vec<Branches>>,
    /// How many branches each level has.
    sizes: Vec<usize>,
    order: Vec<usize>,
    touched: &'a [BTreeSet<usize>],
    work: usize,
}

/// The levels of a diagram of words, the same places put together.
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

    /// Moves a part to where it is best.
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

    /// Swaps two levels that are next to each other. Levels above and below do not notice.
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

    /// The size of the diagram, and more where what is touched together is far from each other: up
    /// to twice as much.
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
        let order = order(&words, 12, &[]);
        for part in 0..6 {
            assert_eq!(position(&order, part).abs_diff(position(&order, part + 6)), 1, "{order:?}");
        }
    }

    #[test]
    fn what_is_touched_together_comes_together() {
        let touched = [BTreeSet::from([0, 5]), BTreeSet::from([0, 5]), BTreeSet::from([2, 4])];
        let order = order(&[vec![0; 6]], 6, &touched);
        assert!(position(&order, 0).abs_diff(position(&order, 5)) <= 2, "{order:?}");
    }

    #[test]
    fn there_may_be_nothing_to_order() {
        assert_eq!(order(&[], 0, &[]), Vec::<usize>::new());
        assert_eq!(order(&[], 2, &[BTreeSet::new()]).len(), 2);
        assert_eq!(order(&[Vec::new()], 0, &[]), Vec::<usize>::new());
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
