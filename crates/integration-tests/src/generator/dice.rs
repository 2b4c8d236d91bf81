//! Choices out of a number: the same number, the same choices.

use cfsm_core::splitmix::SplitMix;

/// A source of choices. Of the number 0 all choices are the first, which by convention is the
/// plainest: so a plan whose numbers shrink to 0 becomes plain.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    random: SplitMix,
    plain: bool,
}

impl Dice {
    /// Choices out of `seed`.
    pub(super) fn new(seed: u32) -> Self {
        let random = SplitMix::new(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self { random, plain: seed == 0 }
    }

    /// A number below `count`, which is at least 1.
    pub(super) fn roll(&mut self, count: usize) -> usize {
        if self.plain || count < 2 {
            return 0;
        }
        let count = u64::try_from(count).expect("a small number");
        usize::try_from(self.random.draw() % count).expect("less than it was")
    }

    /// True once in `count` times.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.roll(count) + 1 == count.max(2)
    }

    /// One of some things, of which there is at least one.
    pub(super) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len())]
    }

    /// The position of one of the weights, whose sum is above 0.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = usize> + Clone) -> usize {
        let mut rest = self.roll(weights.clone().sum());
        for (position, weight) in weights.enumerate() {
            if rest < weight {
                return position;
            }
            rest -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_means_the_first() {
        let mut dice = Dice::new(0);
        assert!((1..20).all(|count| dice.roll(count) == 0 && !dice.once_in(count)));
        assert_eq!(dice.weighted([3, 5].into_iter()), 0);
    }

    #[test]
    fn everything_is_chosen_sometimes() {
        let mut dice = Dice::new(7);
        let mut seen = [0; 3];
        (0..900).for_each(|_| seen[dice.weighted([1, 6, 2].into_iter())] += 1);
        assert!(seen[0] > 50 && seen[1] > 500 && seen[2] > 100, "{seen:?}");
        assert!((0..100).any(|_| dice.once_in(9)) && (0..100).any(|_| !dice.once_in(2)));
    }
}
