//! Reachability tables: computes the useful points of a place level by level, with bit sets.

use crate::bitset_graph::Graph;
use crate::mask::Mask;
use crate::search::Fuel;

/// Number of sets of eight points.
const SETS: usize = 256;

/// For each group of eight points, and each subset of it, a union.
type Unions<M> = Vec<[M; SETS]>;

/// The predecessors and successors of any set of points, by table look-up.
#[derive(Clone, Debug)]
pub(crate) struct ReachMasks<M> {
    /// The predecessors of the set, except those that end at the root.
    before: Unions<M>,
    /// The successors of the set.
    after: Unions<M>,
    /// The points that end at the root.
    last: M,
}

impl<M: Mask> ReachMasks<M> {
    /// The tables of a graph. Time and memory: O(V) words, with 64 of them for a point.
    pub(crate) fn new(graph: &Graph<M>) -> Self {
        let mut before = vec![M::EMPTY; graph.points.len()];
        let mut last = M::EMPTY;
        for (number, point) in (0..).zip(&graph.points) {
            if point.end == 0 {
                last |= M::of(number);
            } else {
                point.next.numbers().for_each(|to| before[to as usize] |= M::of(number));
            }
        }
        let after: Vec<M> = graph.points.iter().map(|point| point.next).collect();
        Self { before: unions(&before), after: unions(&after), last }
    }

    /// The points among `points` that are on a way within `points` from one of `next` to the root.
    /// The way may visit a point twice, so some may be on no path.
    #[inline(always)]
    pub(crate) fn useful(&self, next: M, points: M, fuel: &mut Fuel) -> M {
        match self.before.len() {
            2 => self.useful_of::<2>(next, points, fuel),
            3 => self.useful_of::<3>(next, points, fuel),
            4 => self.useful_of::<4>(next, points, fuel),
            5 => self.useful_of::<5>(next, points, fuel),
            8 => self.useful_of::<8>(next, points, fuel),
            _ => self.useful_of::<16>(next, points, fuel),
        }
    }

    /// The same for a constant number of groups: backwards from the root and forwards from `next`
    /// in lockstep, until there are no new points.
    #[inline(always)]
    fn useful_of<const N: usize>(&self, next: M, points: M, fuel: &mut Fuel) -> M {
        let (before, after) = (&self.before[..N], &self.after[..N]);
        let (mut to_root, mut reached) = (self.last & points, next & points);
        loop {
            fuel.spend();
            let (mut sources, mut targets) = (to_root, reached);
            for eight in 0..N {
                sources |= before[eight][usize::from(to_root.eight(eight))];
                targets |= after[eight][usize::from(reached.eight(eight))];
            }
            (sources, targets) = (sources & points, targets & points);
            if sources == to_root && targets == reached {
                return to_root & reached;
            }
            (to_root, reached) = (sources, targets);
        }
    }
}

/// For each group of eight sets, and each selection of them, their union. The number of groups is
/// one that [`ReachMasks::useful`] supports.
fn unions<M: Mask>(sets: &[M]) -> Unions<M> {
    let of_eight = |eight: &[M]| {
        let mut unions = [M::EMPTY; SETS];
        for choice in 1..SETS {
            let set = eight.get(choice.trailing_zeros() as usize).copied().unwrap_or(M::EMPTY);
            unions[choice] = unions[choice & (choice - 1)] | set;
        }
        unions
    };
    let mut unions: Unions<M> = sets.chunks(8).map(of_eight).collect();
    let count = match unions.len() {
        ..=2 => 2,
        count @ 3..=5 => count,
        6..=8 => 8,
        _ => 16,
    };
    unions.resize(count, [M::EMPTY; SETS]);
    unions
}
