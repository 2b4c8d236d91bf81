//! The path of a search: its edges, and the positions at which parallel edges allow a choice.

use crate::classes::Variants;
use crate::graph::EdgeId;

/// Number of edges that are copied at once.
pub(crate) const BLOCK: usize = 8;

/// The edges from the root on. An edge with parallel edges represents its whole class, and is at
/// first the least of it.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// Allocated for the longest cycle and one more block; entries beyond `mark` are unused.
    edges: Vec<EdgeId>,
    /// Positions of edges that have parallel edges.
    choices: Vec<u32>,
    mark: Mark,
}

/// The end of a path: the number of edges in the lower half, that of choices in the upper. One
/// word, as searches restore marks all the time, and a load of one word that was just written as
/// two stalls the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark(u64);

impl Mark {
    /// Increment for one choice.
    const CHOICE: u64 = 1 << 32;

    /// The number of edges up to here.
    #[inline(always)]
    pub(crate) fn length(self) -> u32 {
        self.0 as u32
    }

    /// The number of choices up to here.
    #[inline(always)]
    fn choices(self) -> usize {
        (self.0 >> 32) as usize
    }
}

impl Path {
    /// The empty path of a component with the given number of vertices.
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            edges: vec![EdgeId::new(0); vertices + BLOCK],
            choices: vec![0; vertices],
            mark: Mark::default(),
        }
    }

    /// The current end of the path.
    #[inline(always)]
    pub(crate) fn mark(&self) -> Mark {
        self.mark
    }

    /// Shortens the path to an earlier end.
    #[inline(always)]
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.mark = mark;
    }

    /// Appends an edge without parallel edges.
    #[inline(always)]
    pub(crate) fn push(&mut self, edge: EdgeId) {
        self.edges[self.mark.length() as usize] = edge;
        self.mark.0 += 1;
    }

    /// The same at a mark, which is advanced; the end of the path itself is unchanged. A search
    /// that takes many steps between cycles keeps its mark in a register.
    #[inline(always)]
    pub(crate) fn push_at(&mut self, mark: &mut Mark, edge: EdgeId) {
        self.edges[mark.length() as usize] = edge;
        mark.0 += 1;
    }

    /// The same for several edges without parallel edges.
    #[inline(always)]
    pub(crate) fn push_all_at(&mut self, mark: &mut Mark, edges: &[EdgeId]) {
        let room = &mut self.edges[mark.length() as usize..][..edges.len()];
        for (place, &edge) in room.iter_mut().zip(edges) {
            *place = edge;
        }
        mark.0 += edges.len() as u64;
    }

    /// The same, block by block: there must be another block of arbitrary edges after them; the
    /// excess is overwritten later.
    #[inline(always)]
    pub(crate) fn push_blocks_at(&mut self, mark: &mut Mark, edges: &[EdgeId], start: usize, count: u32) {
        let (from, to) = (&edges[start..], &mut self.edges[mark.length() as usize..]);
        let mut at = 0;
        while at < count as usize {
            to[at..at + BLOCK].copy_from_slice(&from[at..at + BLOCK]);
            at += BLOCK;
        }
        mark.0 += u64::from(count);
    }

    /// Records at a mark, which is advanced, that some of the edges since an earlier mark have
    /// parallel edges.
    pub(crate) fn choose_at(&mut self, mark: &mut Mark, since: Mark, mut edges: u64) {
        while edges != 0 {
            self.choices[mark.choices()] = since.length() + edges.trailing_zeros();
            mark.0 += Mark::CHOICE;
            edges &= edges - 1;
        }
    }

    /// Set of the positions of edges with parallel edges; there are at most 64 edges.
    pub(crate) fn chosen(&self) -> u64 {
        self.choices[..self.mark.choices()].iter().fold(0, |all, &at| all | 1 << at)
    }

    /// Appends the least edge of a class.
    pub(crate) fn push_class(&mut self, edge: EdgeId, variants: &Variants) {
        if variants.size(edge) > 1 {
            self.choices[self.mark.choices()] = self.mark.length();
            self.mark.0 += Mark::CHOICE;
        }
        self.push(edge);
    }

    /// The edges.
    #[inline(always)]
    pub(crate) fn edges(&self) -> &[EdgeId] {
        &self.edges[..self.mark.length() as usize]
    }

    /// Returns `true` if the path has more than one way.
    #[inline(always)]
    pub(crate) fn has_choices(&self) -> bool {
        self.mark.0 >= Mark::CHOICE
    }

    /// Number of ways, if it is at most 2^128 - 1.
    pub(crate) fn ways(&self, variants: &Variants) -> Option<u128> {
        let positions = &self.choices[..self.mark.choices()];
        let sizes = positions.iter().map(|&at| variants.size(variants.leader(self.edges[at as usize])));
        sizes.map(u128::from).try_fold(1u128, u128::checked_mul)
    }

    /// Sets the way with the given number, counted from 0 in the order of [`Path::next_way`].
    #[cfg(feature = "rayon")]
    pub(crate) fn set_way(&mut self, mut number: u128, variants: &Variants) {
        for choice in (0..self.mark.choices()).rev() {
            let edge = &mut self.edges[self.choices[choice] as usize];
            *edge = variants.leader(*edge);
            let size = u128::from(variants.size(*edge));
            for _ in 0..number % size {
                *edge = variants.next(*edge).unwrap_or(*edge);
            }
            number /= size;
        }
    }

    /// Advances to the next way along the same vertices, in lexicographic order of the edge ids.
    /// Returns `false` after the last, when the first is restored.
    #[inline(always)]
    pub(crate) fn next_way(&mut self, variants: &Variants) -> bool {
        for choice in (0..self.mark.choices()).rev() {
            let edge = &mut self.edges[self.choices[choice] as usize];
            if let Some(next) = variants.next(*edge) {
                *edge = next;
                return true;
            }
            *edge = variants.leader(*edge);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;
    use crate::graph::Multigraph;

    #[test]
    fn ways_come_in_lexicographic_order_and_start_again() {
        let graph = Multigraph::new(3, [(0, 1), (2, 0), (1, 2), (0, 1), (2, 0), (2, 0)]).unwrap();
        let variants = Classes::of(&graph).variants;
        let mut path = Path::new(3);
        for edge in [0, 2, 1] {
            path.push_class(EdgeId::new(edge), &variants);
        }
        assert_eq!(path.ways(&variants), Some(6));
        let mut found = Vec::new();
        loop {
            found.push(path.edges().iter().map(|edge| edge.index()).collect::<Vec<_>>());
            if !path.next_way(&variants) {
                break;
            }
        }
        assert_eq!(found, [[0, 2, 1], [0, 2, 4], [0, 2, 5], [3, 2, 1], [3, 2, 4], [3, 2, 5]]);
        assert_eq!(path.edges().iter().map(|edge| edge.index()).collect::<Vec<_>>(), [0, 2, 1]);
    }
}
