//! Bit sets of small numbers in one machine word.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of the numbers below [`Mask::BITS`]. All operations take constant time.
pub(crate) trait Mask:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
{
    /// Number of possible elements.
    const BITS: usize;
    /// The empty set.
    const EMPTY: Self;

    /// The set of one number.
    fn of(number: u32) -> Self;

    /// The least number of a set that is not empty.
    fn least(self) -> u32;

    /// The set without its least number, if it has one.
    fn without_least(self) -> Self;

    /// Number of elements.
    fn count(self) -> u32;

    /// The eight elements from `8 * place` on, as a set of eight.
    fn eight(self, place: usize) -> u8;

    /// A hash: equal for equal sets, and mostly different for different ones.
    fn folded(self) -> u64;

    /// Returns `true` if the set is empty.
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Returns `true` if the sets have a common element.
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// The numbers, ascending.
    fn numbers(self) -> Numbers<Self> {
        Numbers { left: self }
    }
}

/// The numbers of a set, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Numbers<M> {
    left: M,
}

impl<M: Mask> Iterator for Numbers<M> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.left.is_empty() {
            return None;
        }
        let number = self.left.least();
        self.left = self.left.without_least();
        Some(number)
    }
}

macro_rules! mask {
    ($word:ty) => {
        impl Mask for $word {
            const BITS: usize = <$word>::BITS as usize;
            const EMPTY: Self = 0;

            #[inline(always)]
            fn of(number: u32) -> Self {
                1 << number
            }

            #[inline(always)]
            fn least(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn without_least(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn eight(self, place: usize) -> u8 {
                self.to_le_bytes().get(place).copied().unwrap_or(0)
            }

            #[inline(always)]
            fn folded(self) -> u64 {
                (self as u64) ^ (u128::from(self) >> 64) as u64
            }
        }
    };
}

mask!(u64);
mask!(u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets() {
        let set = u128::of(3) | u128::of(100) | u128::of(0);
        assert_eq!(set.numbers().collect::<Vec<_>>(), [0, 3, 100]);
        assert!(set.meets(u128::of(100)) && !set.meets(u128::of(99)));
        assert!(u64::EMPTY.is_empty() && u64::EMPTY.without_least().is_empty());
    }
}
