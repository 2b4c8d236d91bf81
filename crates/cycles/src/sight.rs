//! What is of use from a place on: all of it at once, level by level, with sets of points as words.

use crate::mask::Mask;
use crate::points::Graph;
use crate::search::Fuel;

/// Sets of eight points.
const SETS: usize = 256;

/// For each eight points, and each set of these, some union.
type Unions<M> = Vec<[M; SETS]>;

/// For all sets of points what comes before them and after them.
#[derive(Clone, Debug)]
pub(crate) struct Sight<M> {
    /// The points, but for those that end at the root, that lead to one of the set.
    before: Unions<M>,
    /// The points that one of the set leads to.
    after: Unions<M>,
    /// The points that end at the root.
    last: M,
}

impl<M: Mask> Sight<M> {
    /// The sight in a graph. Time and memory: O(V) words, with 64 of them for a point.
    pub(crate) fn of(graph: &Graph<M>) -> Self {
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

    /// Of some points those that are on a way through these points from one of `next` to the root.
    /// A way may come back to where it was, so some may be on no path.
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

    /// The same for so many times eight points: backwards from the root and forward from `next` in
    /// step, until nothing is new.
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

/// For each eight of some sets, and each choice of these, their union. As many times eight as
/// [`Sight::useful`] knows.
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
