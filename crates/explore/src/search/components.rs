//! Cycle detection in implicit graphs: strongly connected components by Tarjan's algorithm, with an
//! explicit stack.

use std::collections::{HashMap, VecDeque};

/// A graph whose nodes are numbers.
pub(super) trait Graph {
    /// Appends the successors of a node to `into`. Returns `false`, and appends nothing, if cycles
    /// through the node do not count.
    fn successors(&mut self, node: u32, into: &mut Vec<u32>) -> bool;

    /// Returns `true` if the search is to be abandoned.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Order of a node that the traversal has not reached, or that does not count.
const UNMET: u32 = u32::MAX;
/// Order of a node whose component is complete, or that has none.
const CLOSED: u32 = u32::MAX - 1;

/// The nodes of the first component with a cycle, searching from the smallest node on.
pub(super) fn cyclic_component(graph: &mut impl Graph, nodes: usize) -> Option<Vec<u32>> {
    let mut search = Traversal { graph, order: vec![UNMET; nodes], next: 0, stacks: Stacks::default() };
    (0..u32::try_from(nodes).unwrap_or(UNMET)).find_map(|root| search.component_from(root))
}

/// A shortest cycle through a node of a component; the node is its first and its last element.
/// `None` if the graph stops the search.
pub(super) fn round(graph: &mut impl Graph, component: &[u32], first: u32) -> Option<Vec<usize>> {
    let mut members = component.to_vec();
    members.sort_unstable();
    let mut parents: HashMap<u32, u32> = HashMap::new();
    let (mut open, mut successors) = (VecDeque::from([first]), Vec::new());
    while let Some(node) = open.pop_front() {
        graph.successors(node, &mut successors);
        for successor in successors.drain(..) {
            // A path that leaves the component does not return to it.
            if members.binary_search(&successor).is_ok() && !parents.contains_key(&successor) {
                parents.insert(successor, node);
                open.push_back(successor);
            }
        }
        if parents.contains_key(&first) {
            break;
        }
    }
    let mut round = vec![first as usize];
    let mut last = Some(*parents.get(&first)?);
    while let Some(node) = last {
        round.push(node as usize);
        last = if node == first { None } else { parents.get(&node).copied() };
    }
    round.reverse();
    Some(round)
}

/// Stack frame of the depth-first search.
struct Frame {
    node: u32,
    /// The least order of an open node that is reachable from here (Tarjan's lowlink).
    low: u32,
    /// Index of the first pending successor in the shared stack; they end where those of the next
    /// frame begin.
    first: usize,
    /// `true` if the node is its own successor.
    looped: bool,
}

struct Traversal<'g, G> {
    graph: &'g mut G,
    /// For each node, its order of discovery.
    order: Vec<u32>,
    next: u32,
    stacks: Stacks,
}

#[derive(Default)]
struct Stacks {
    frames: Vec<Frame>,
    /// Nodes whose component is not complete.
    open: Vec<u32>,
    /// The pending successors of all frames.
    successors: Vec<u32>,
}

impl<G: Graph> Traversal<'_, G> {
    /// Tarjan's algorithm from one node.
    fn component_from(&mut self, root: u32) -> Option<Vec<u32>> {
        if !self.graph.is_stopped() {
            self.enter(root);
        }
        while !self.graph.is_stopped() {
            let frame = self.stacks.frames.last_mut()?;
            if self.stacks.successors.len() > frame.first {
                let target = self.stacks.successors.pop().unwrap_or_default();
                match self.order[target as usize] {
                    UNMET => self.enter(target),
                    CLOSED => {}
                    number => frame.low = frame.low.min(number),
                }
                continue;
            }
            let (node, low, looped) = (frame.node, frame.low, frame.looped);
            self.stacks.frames.pop();
            if let Some(before) = self.stacks.frames.last_mut() {
                before.low = before.low.min(low);
            }
            if low == self.order[node as usize] {
                let component = self.close(node);
                if looped || component.len() > 1 {
                    return Some(component);
                }
            }
        }
        None
    }

    fn enter(&mut self, node: u32) {
        if self.order[node as usize] != UNMET {
            return;
        }
        let successors = &mut self.stacks.successors;
        let first = successors.len();
        if !self.graph.successors(node, successors) {
            self.order[node as usize] = CLOSED;
            return;
        }
        let looped = successors[first..].contains(&node);
        self.order[node as usize] = self.next;
        self.stacks.frames.push(Frame { node, low: self.next, first, looped });
        self.stacks.open.push(node);
        self.next += 1;
    }

    /// Completes the component whose first node is given.
    fn close(&mut self, first: u32) -> Vec<u32> {
        let open = &mut self.stacks.open;
        let from = open.iter().rposition(|node| *node == first).unwrap_or_default();
        let component = open.split_off(from);
        component.iter().for_each(|node| self.order[*node as usize] = CLOSED);
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The successors of each node; a node without a list does not count for cycles.
    struct Lists(Vec<Option<Vec<u32>>>);

    impl Graph for Lists {
        fn successors(&mut self, node: u32, into: &mut Vec<u32>) -> bool {
            let list = &self.0[node as usize];
            into.extend(list.iter().flatten());
            list.is_some()
        }
    }

    fn found(lists: &[Option<&[u32]>]) -> Option<(Vec<u32>, Vec<usize>)> {
        let mut graph = Lists(lists.iter().map(|list| list.map(<[u32]>::to_vec)).collect());
        let mut component = cyclic_component(&mut graph, lists.len())?;
        component.sort_unstable();
        let round = round(&mut graph, &component, component[0])?;
        Some((component, round))
    }

    #[test]
    fn a_component_with_a_cycle_is_found() {
        let branches: [Option<&[u32]>; 4] = [Some(&[1, 2]), Some(&[3]), Some(&[3]), Some(&[])];
        assert_eq!(found(&branches), None);
        let ring: [Option<&[u32]>; 5] = [Some(&[1, 2]), Some(&[2, 4]), Some(&[3]), Some(&[1]), Some(&[])];
        assert_eq!(found(&ring), Some((vec![1, 2, 3], vec![1, 2, 3, 1])));
        let itself: [Option<&[u32]>; 2] = [Some(&[1]), Some(&[1])];
        assert_eq!(found(&itself), Some((vec![1], vec![1, 1])));
    }

    #[test]
    fn no_cycle_comes_through_what_lies_outside() {
        let cut: [Option<&[u32]>; 4] = [Some(&[1, 2]), None, Some(&[3]), Some(&[1])];
        assert_eq!(found(&cut), None);
        let around: [Option<&[u32]>; 4] = [Some(&[1, 2]), None, Some(&[1, 3]), Some(&[2])];
        assert_eq!(found(&around), Some((vec![2, 3], vec![2, 3, 2])));
    }
}
