//! Families of graphs for the enumeration of cycles, the same in every run.

use std::fmt::Write;

use cfsm_core::splitmix::SplitMix;

/// A directed multigraph: its name, the number of its vertices, and its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// What tables call it.
    pub name: String,
    /// The number of vertices.
    pub vertices: usize,
    /// Sources and targets.
    pub edges: Vec<(usize, usize)>,
}

impl Graph {
    fn new(
        name: impl Into<String>,
        vertices: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        Self { name: name.into(), vertices, edges: edges.into_iter().collect() }
    }

    /// The graph as text: numbers of vertices and edges, then an edge per line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.vertices, self.edges.len());
        for (source, target) in &self.edges {
            let _ = writeln!(text, "{source} {target}");
        }
        text
    }
}

/// The graphs on which the enumeration is compared with others.
#[must_use]
pub fn compared() -> Vec<Graph> {
    let mut graphs = vec![complete(8), complete(9), complete(10), grid(11), ladder(17), doubled_ring(17)];
    graphs
        .extend([(200, 23), (200, 16), (300, 6), (400, 8), (400, 0)].map(|(n, seed)| control_flow(n, seed)));
    graphs.extend(
        [(22, 80, 5), (25, 90, 7), (16, 80, 4), (30, 100, 3), (40, 110, 1), (24, 110, 1)]
            .map(|(n, edges, seed)| random(n, edges, seed)),
    );
    graphs.push(ring_with_chords(2000, 30, 0));
    graphs.push(ring_with_chords(2000, 40, 1));
    graphs
}

/// Every vertex has an edge to every other.
#[must_use]
pub fn complete(n: usize) -> Graph {
    let edges = (0..n).flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (a, b)));
    Graph::new(format!("K{n}"), n, edges)
}

/// A square of n × n vertices, with edges to the right and down, and one from the last back to the
/// first.
#[must_use]
pub fn grid(n: usize) -> Graph {
    let right = (0..n).flat_map(|row| (1..n).map(move |column| (row * n + column - 1, row * n + column)));
    let down = (1..n).flat_map(|row| (0..n).map(move |column| (row * n + column - n, row * n + column)));
    Graph::new(format!("{n}-grid"), n * n, right.chain(down).chain([(n * n - 1, 0)]))
}

/// n diamonds in a ring: a choice between two vertices at each.
#[must_use]
pub fn ladder(n: usize) -> Graph {
    let edges = (0..n).flat_map(|i| {
        let (near, far) = (3 * i, 3 * (i + 1) % (3 * n));
        [(near, near + 1), (near, near + 2), (near + 1, far), (near + 2, far)]
    });
    Graph::new(format!("ladder, {n}"), 3 * n, edges)
}

/// A ring whose every edge is doubled: 2^n cycles along the same vertices.
#[must_use]
pub fn doubled_ring(n: usize) -> Graph {
    let edges = (0..n).flat_map(|a| [(a, (a + 1) % n); 2]);
    Graph::new(format!("ring of {n}, doubled edges"), n, edges)
}

/// A ring with chords over about a tenth of it, forth and back, from vertices that are far apart.
#[must_use]
pub fn ring_with_chords(n: usize, chords: usize, seed: u64) -> Graph {
    let mut numbers = SplitMix::new(seed);
    let ring = (0..n).map(|a| (a, (a + 1) % n));
    let chords: Vec<_> = (0..chords)
        .map(|_| {
            let from = numbers.below(n);
            let over = 2 + numbers.below(n / 10);
            (from, if numbers.below(3) == 0 { (from + n - over) % n } else { (from + over) % n })
        })
        .collect();
    let count = chords.len();
    Graph::new(format!("ring of {n}, {count} chords"), n, ring.chain(chords))
}

/// Edges between any vertices, parallel ones and loops among them.
#[must_use]
pub fn random(n: usize, edges: usize, seed: u64) -> Graph {
    let mut numbers = SplitMix::new(seed);
    let list: Vec<_> = (0..edges).map(|_| (numbers.below(n), numbers.below(n))).collect();
    Graph::new(format!("random, {n} vertices, {edges} edges"), n, list)
}

/// A graph like the control flow of a process: an endless loop over statements, which are single
/// steps, choices between sequences, and loops with a way out; now and then a jump to the start of
/// the loop around, or two messages between the same states.
#[must_use]
pub fn control_flow(statements: usize, seed: u64) -> Graph {
    let mut flow = Flow { numbers: SplitMix::new(seed), vertices: 1, edges: Vec::new(), left: statements };
    let mut end = 0;
    while flow.left > 0 {
        end = flow.sequence(end, 0, 0);
    }
    flow.edges.push((end, 0));
    Graph::new(format!("control flow, {statements}, no. {seed}"), flow.vertices, flow.edges)
}

/// A control-flow graph that is being built.
struct Flow {
    numbers: SplitMix,
    vertices: usize,
    edges: Vec<(usize, usize)>,
    left: usize,
}

impl Flow {
    fn vertex(&mut self) -> usize {
        self.vertices += 1;
        self.vertices - 1
    }

    /// A few statements from `start` on; where they end. A jump goes to `head`.
    fn sequence(&mut self, start: usize, head: usize, depth: usize) -> usize {
        let mut at = start;
        for _ in 0..=self.numbers.below(4) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            at = self.statement(at, head, depth);
        }
        at
    }

    fn statement(&mut self, start: usize, head: usize, depth: usize) -> usize {
        let end = self.vertex();
        match self.numbers.below(if depth < 4 { 10 } else { 4 }) {
            0..=3 if self.numbers.below(10) == 0 => self.edges.extend([(start, end); 2]),
            0..=3 => self.edges.push((start, end)),
            4..=7 => {
                for _ in 0..2 + self.numbers.below(2) {
                    let first = self.vertex();
                    self.edges.push((start, first));
                    let last = self.sequence(first, head, depth + 1);
                    self.edges.push((last, if self.numbers.below(12) == 0 { head } else { end }));
                }
            }
            _ => {
                for _ in 0..1 + self.numbers.below(2) {
                    let first = self.vertex();
                    self.edges.push((start, first));
                    let last = self.sequence(first, start, depth + 1);
                    self.edges.push((last, start));
                }
                self.edges.push((start, end));
            }
        }
        end
    }
}
