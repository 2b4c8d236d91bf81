//! Connected regions of dead steps, of which only the first one is reported.

use std::collections::BTreeMap;

/// A step of a machine between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<P> {
    /// The source.
    pub source: P,
    /// The target.
    pub target: P,
}

/// The first step of each region of dead steps, ascending. Two dead steps are in one region if one
/// leads to the source of the other and that place is not reached otherwise, or if both leave the
/// same unreached place. The first step is one that leaves a reached place, if there is such a
/// step; otherwise the order of the list decides.
///
/// Time `O(n log n)` in the number of steps.
#[must_use]
pub fn dead_regions<P: Copy + Ord>(steps: &[Step<P>], reached: impl Fn(P) -> bool) -> Vec<usize> {
    let mut region: Vec<usize> = (0..steps.len()).collect();
    let mut at: BTreeMap<P, usize> = BTreeMap::new();
    for (position, step) in steps.iter().enumerate() {
        for place in [step.source, step.target].into_iter().filter(|place| !reached(*place)) {
            let other = *at.entry(place).or_insert(position);
            let (one, other) = (root(&mut region, position), root(&mut region, other));
            region[one.max(other)] = one.min(other);
        }
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for position in 0..steps.len() {
        let begins = |step: usize| reached(steps[step].source);
        let known = first.entry(root(&mut region, position)).or_insert(position);
        if begins(position) && !begins(*known) {
            *known = position;
        }
    }
    let mut found: Vec<usize> = first.into_values().collect();
    found.sort_unstable();
    found
}

/// The representative of a region, with path compression.
fn root(region: &mut [usize], mut position: usize) -> usize {
    while region[position] != position {
        region[position] = region[region[position]];
        position = region[position];
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(steps: &[[u32; 2]], reached: &[u32]) -> Vec<usize> {
        let steps: Vec<Step<u32>> = steps.iter().map(|&[source, target]| Step { source, target }).collect();
        dead_regions(&steps, |place| reached.contains(&place))
    }

    #[test]
    fn of_what_hangs_together_the_entry_is_told() {
        // 0 is reached: 0 -> 1 -> 2 -> 0.
        assert_eq!(regions(&[[1, 2], [2, 0], [0, 1]], &[0]), [2]);
    }

    #[test]
    fn two_ways_into_what_is_reached_are_two_regions() {
        assert_eq!(regions(&[[0, 1], [0, 1], [1, 0]], &[0, 1]), [0, 1, 2]);
        assert_eq!(regions(&[[0, 1], [0, 2], [1, 0], [2, 0]], &[0]), [0, 1]);
    }

    #[test]
    fn two_ways_into_one_dead_place_are_one_region() {
        assert_eq!(regions(&[[0, 1], [0, 1], [1, 0]], &[0]), [0]);
    }

    #[test]
    fn what_nothing_leads_to_is_a_region_too() {
        assert_eq!(regions(&[[5, 6], [6, 0]], &[0]), [0]);
    }
}
