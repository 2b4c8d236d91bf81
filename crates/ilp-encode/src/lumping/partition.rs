//! The coarsest equitable partition (colour refinement).
//!
//! Elements are joined by labelled edges. A partition is equitable if any two elements of one part
//! have, for each part and each label, equally many edges with this label to that part. Parts are
//! split by the labels of their edges to a splitter part; all fragments of a split part but the
//! largest become splitters. This finds the coarsest equitable refinement of a given partition in
//! `O(m log n)` steps, plus sorting.

use std::collections::{BTreeMap, VecDeque};

use cfsm_core::define_id;
use cfsm_core::ids::Id;

use crate::csr::Csr;

define_id!(
    /// An element.
    Element, "element"
);

/// A partition: elements in an order in which parts are ranges. Parts are numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    order: Vec<Element>,
    position: Vec<usize>,
    /// Maps each element to its part.
    part: Vec<usize>,
    /// Maps each part to its range, start and end.
    ranges: Vec<(usize, usize)>,
}

/// The parts that still have to split others.
struct Splitters {
    queue: VecDeque<usize>,
    /// Maps each part to `true` if it is in the queue.
    waits: Vec<bool>,
}

impl Splitters {
    /// Puts the pieces of a part into the queue, all but the largest unless the part itself is in
    /// it.
    fn add(&mut self, pieces: &[usize], partition: &Partition) {
        self.waits.resize(partition.len(), false);
        let size = |piece: &usize| (partition.size(*piece), usize::MAX - piece);
        let largest = pieces.iter().copied().max_by_key(size);
        let spared = if self.waits[pieces[0]] { None } else { largest };
        for &piece in pieces.iter().filter(|&&piece| Some(piece) != spared) {
            if !std::mem::replace(&mut self.waits[piece], true) {
                self.queue.push_back(piece);
            }
        }
    }
}

impl Partition {
    /// The coarsest equitable partition that refines the one given by a number per element.
    pub fn coarsest(start: &[u32], edges: &Csr<Element, (Element, u32)>) -> Self {
        let mut partition = Self::new(start);
        let all = 0..partition.len();
        partition.refine(Splitters { waits: vec![true; all.len()], queue: all.collect() }, edges);
        partition
    }

    /// The coarsest equitable partition that refines this one, which is equitable, and in which no
    /// part has some of these elements and others.
    ///
    /// Parts get numbers in an order that depends only on the edges and on the parts of these
    /// elements: where a symmetry of the edges maps one set of elements to another, it maps each
    /// part of one answer to the part of the other that has the same number.
    pub fn with_apart(&self, elements: &[Element], edges: &Csr<Element, (Element, u32)>) -> Self {
        let mut partition = self.clone();
        let mut by_part: BTreeMap<usize, Vec<Element>> = BTreeMap::new();
        for &element in elements {
            by_part.entry(partition.part[element.index()]).or_default().push(element);
        }
        let mut splitters = Splitters { queue: VecDeque::new(), waits: vec![false; partition.len()] };
        for (part, elements) in by_part {
            if elements.len() < partition.size(part) {
                let new = partition.move_out(part, elements.into_iter());
                splitters.add(&[part, new], &partition);
            }
        }
        partition.refine(splitters, edges);
        partition
    }

    /// Builds the parts from a number per element: elements with equal numbers form one part.
    fn new(start: &[u32]) -> Self {
        let mut order: Vec<Element> = (0..start.len()).map(Element::new).collect();
        order.sort_by_key(|element| start[element.index()]);
        let mut parts =
            Self { position: vec![0; order.len()], part: vec![0; order.len()], order, ranges: Vec::new() };
        for at in 0..parts.order.len() {
            let element = parts.order[at].index();
            if at == 0 || start[element] != start[parts.order[at - 1].index()] {
                parts.ranges.push((at, at));
            }
            let part = parts.ranges.len() - 1;
            parts.ranges[part].1 = at + 1;
            parts.position[element] = at;
            parts.part[element] = part;
        }
        parts
    }

    /// Number of parts.
    pub const fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The part of each element.
    pub fn parts(&self) -> &[usize] {
        &self.part
    }

    fn size(&self, part: usize) -> usize {
        self.ranges[part].1 - self.ranges[part].0
    }

    fn members(&self, part: usize) -> &[Element] {
        &self.order[self.ranges[part].0..self.ranges[part].1]
    }

    /// Moves some elements of a part to a new one, whose number is returned.
    fn move_out(&mut self, part: usize, elements: impl Iterator<Item = Element>) -> usize {
        let new = self.ranges.len();
        let end = self.ranges[part].1;
        for element in elements {
            self.ranges[part].1 -= 1;
            let (from, to) = (self.position[element.index()], self.ranges[part].1);
            let other = self.order[to];
            self.order.swap(from, to);
            self.position[other.index()] = from;
            self.position[element.index()] = to;
            self.part[element.index()] = new;
        }
        self.ranges.push((self.ranges[part].1, end));
        new
    }

    /// Splits parts until the partition is equitable, if it is so but for these splitters.
    fn refine(&mut self, mut splitters: Splitters, edges: &Csr<Element, (Element, u32)>) {
        let mut seen: Vec<(Element, u32)> = Vec::new();
        while let Some(splitter) = splitters.queue.pop_front() {
            splitters.waits[splitter] = false;
            seen.clear();
            for &member in self.members(splitter) {
                seen.extend_from_slice(edges.of(member));
            }
            seen.sort_unstable();
            // For each element adjacent to the splitter, its part and the range of its edges; the
            // labels of the edges count.
            let mut sights: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
            let mut at = 0;
            while at < seen.len() {
                let end = at + seen[at..].iter().take_while(|(element, _)| *element == seen[at].0).count();
                sights.push((self.part[seen[at].0.index()], at..end));
                at = end;
            }
            let labels = |range: &std::ops::Range<usize>| seen[range.clone()].iter().map(|sight| sight.1);
            sights.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| labels(&a.1).cmp(labels(&b.1))));
            for of_part in sights.chunk_by(|a, b| a.0 == b.0) {
                let part = of_part[0].0;
                let mut groups: Vec<_> = of_part.chunk_by(|a, b| labels(&a.1).eq(labels(&b.1))).collect();
                if of_part.len() == self.size(part) {
                    // All elements of the part are adjacent to the splitter, so the first group
                    // keeps the part.
                    groups.remove(0);
                }
                let mut pieces = vec![part];
                for group in groups {
                    pieces.push(self.move_out(part, group.iter().map(|(_, range)| seen[range.start].0)));
                }
                splitters.add(&pieces, self);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(start: &[u32], edges: &[(usize, usize, u32)]) -> Vec<usize> {
        let both = edges.iter().flat_map(|&(a, b, label)| [(a, b, label), (b, a, label)]);
        let pairs: Vec<_> = both.map(|(a, b, label)| (Element::new(a), (Element::new(b), label))).collect();
        Partition::coarsest(start, &Csr::sorted(start.len(), &pairs)).part
    }

    #[test]
    fn a_circle_is_one_part_and_a_line_falls_into_pairs() {
        let circle = parts(&[0; 4], &[(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)]);
        assert_eq!(circle, [0; 4]);
        let line = parts(&[0; 5], &[(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 4, 7)]);
        assert!(line[0] == line[4] && line[1] == line[3] && line[2] != line[1] && line[1] != line[0]);
    }

    #[test]
    fn what_is_told_apart_is_numbered_alike_from_each_element() {
        let both = [(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 4, 7), (4, 0, 7)];
        let both = both.into_iter().flat_map(|(a, b, label)| [(a, b, label), (b, a, label)]);
        let pairs: Vec<_> = both.map(|(a, b, label)| (Element::new(a), (Element::new(b), label))).collect();
        let edges = Csr::sorted(5, &pairs);
        let all = Partition::coarsest(&[0; 5], &edges);
        assert_eq!(all.len(), 1);
        let around = |at: usize| all.with_apart(&[Element::new(at)], &edges).part;
        let first = around(0);
        assert!(first[1] == first[4] && first[2] == first[3]);
        assert!(first[0] != first[1] && first[1] != first[2] && first[2] != first[0]);
        for turn in 1..5 {
            let turned: Vec<usize> = (0..5).map(|at| first[(at + 5 - turn) % 5]).collect();
            assert_eq!(around(turn), turned);
        }
        assert_eq!(all.with_apart(&[], &edges).part, all.part);
    }

    #[test]
    fn labels_and_starts_tell_apart() {
        assert_eq!(parts(&[0, 0, 0, 0], &[(0, 1, 1), (2, 3, 1)]), [0; 4]);
        let labelled = parts(&[0, 0, 0, 0], &[(0, 1, 1), (2, 3, 2)]);
        assert!(labelled[0] == labelled[1] && labelled[2] == labelled[3] && labelled[0] != labelled[2]);
        let started = parts(&[0, 0, 0, 1], &[(0, 1, 1), (2, 3, 1)]);
        assert!(started[0] == started[1] && started[2] != started[0] && started[3] != started[2]);
    }
}
