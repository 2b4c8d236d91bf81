//! Heuristic guidance of searches: distances to the statements of a counterexample.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cfsm_core::ids::Id;
use cfsm_core::program::{EdgeId, ProcessTypeId};

use crate::{Move, Semantics, State};

/// Distance of a process that cannot reach the statements of its type, or does not exist yet.
const FAR: u32 = 16;

/// The statements of a counterexample, with distances to them.
///
/// It steers a search and does not influence its verdicts.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    statements: BTreeSet<(ProcessTypeId, EdgeId)>,
    /// For each type, the distance from each location to the nearest one of its statements, in
    /// edges; empty if it has none.
    distances: Vec<Vec<u32>>,
    times: Times,
}

/// Numbers of executions of statements.
pub type Times = BTreeMap<(ProcessTypeId, EdgeId), usize>;

impl Guide {
    /// A guide to these statements, which are those of the loops that should be repeated. Time
    /// linear in the program for each type with statements.
    #[must_use]
    pub fn new(semantics: &Semantics, statements: BTreeSet<(ProcessTypeId, EdgeId)>) -> Self {
        let types: BTreeSet<ProcessTypeId> = statements.iter().map(|(ty, _)| *ty).collect();
        let mut all = vec![Vec::new(); semantics.types.len()];
        types.into_iter().for_each(|ty| all[ty.index()] = distances(semantics, ty, &statements));
        Self { statements, distances: all, times: Times::new() }
    }

    /// Adds the numbers of executions of the statements in one round of the loops.
    #[must_use]
    pub fn with_times(self, times: Times) -> Self {
        Self { times, ..self }
    }

    /// Numbers of executions of the statements in one round of the loops; empty if they are not
    /// known.
    pub(super) const fn times(&self) -> &Times {
        &self.times
    }

    /// Number of moves of a step that are none of the statements.
    pub(super) fn strays(&self, moves: &[Move]) -> u32 {
        let strange = moves.iter().filter(|moved| !self.is_statement(moved));
        u32::try_from(strange.count()).unwrap_or(u32::MAX)
    }

    /// Returns `true` if a move is one of the statements.
    pub(super) fn is_statement(&self, moved: &Move) -> bool {
        moved.edge.is_some_and(|edge| self.statements.contains(&(moved.process_type, edge)))
    }

    /// Sum of the distances of the types: for each type, that of the nearest process.
    pub(super) fn distance(&self, state: &State) -> u32 {
        let farthest = |distances: &Vec<u32>| if distances.is_empty() { 0 } else { FAR };
        let mut nearest: Vec<u32> = self.distances.iter().map(farthest).collect();
        for process in state.processes() {
            let ty = process.process_type.index();
            let distances = self.distances.get(ty);
            if let Some(distance) = distances.and_then(|all| all.get(process.location.index())) {
                nearest[ty] = nearest[ty].min(*distance);
            }
        }
        nearest.iter().sum()
    }
}

/// Distances to the statements, by backward breadth-first search over the edges of the type.
fn distances(
    semantics: &Semantics,
    ty: ProcessTypeId,
    statements: &BTreeSet<(ProcessTypeId, EdgeId)>,
) -> Vec<u32> {
    let code = &semantics.types[ty.index()];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); code.ranges.len()];
    let mut distances = vec![FAR; code.ranges.len()];
    let mut queue = VecDeque::new();
    for (location, &(first, end)) in code.ranges.iter().enumerate() {
        for edge in &code.edges[first as usize..end as usize] {
            into[edge.target.index()].push(location);
            if statements.contains(&(ty, edge.id)) && distances[location] > 0 {
                distances[location] = 0;
                queue.push_back(location);
            }
        }
    }
    while let Some(location) = queue.pop_front() {
        for &source in &into[location] {
            if distances[source] > distances[location] + 1 {
                distances[source] = distances[location] + 1;
                queue.push_back(source);
            }
        }
    }
    distances
}
