//! A pseudorandom generator that is the same on all platforms: for simulations, walks and generated
//! systems.

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014):
/// small and portable. Not for cryptography.
///
/// ```
/// use cfsm_core::splitmix::SplitMix;
///
/// let mut random = SplitMix::new(1_234_567);
/// assert_eq!(random.draw(), 6_457_827_717_110_365_317);
/// assert!(random.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The generator for a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number. Constant time, as all operations here.
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`: the next one modulo `count`; 0 if that is 0.
    pub const fn below(&mut self, count: usize) -> usize {
        match self.draw().checked_rem(count as u64) {
            Some(number) => number as usize,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix::new(1_234_567);
        let first = [random.draw(), random.draw(), random.draw()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
