//! Growth of queues whose reader is never scheduled.
//!
//! While no process reads a queue, its content is invisible and need not be part of the state. A
//! cycle of the other processes that sends to it makes it grow. Such a cycle may have thousands of
//! steps (until some counter wraps), so it is searched in the state graph and not among the runs
//! that a tree or a walk happens to produce.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use cfsm_core::deadline::Deadline;
use petgraph::algo::{astar, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::store::Store;
use crate::{Run, State, Step};

use super::reduced_model::ReducedModel;
use super::{Aim, Quest, Witness};

/// Number of states that are visited to find the queues.
const FIRST_STATES: usize = 100;
/// Greatest number of queues that are tried.
const MOST_QUEUES: usize = 64;
/// Greatest number of cycles that are replayed and refused for one queue.
const MOST_REFUSALS: usize = 4;
/// Greatest number of bytes of the states of one search, and of those of a cycle that is replayed.
const MOST_BYTES: usize = 16 << 20;
/// Greatest number of steps of a cycle that is replayed.
const MOST_STEPS: usize = 20_000;

/// A queue: the indices of its declaration and of the process that created it.
type Queue = (u16, u16);

/// The searches, one for each queue.
pub(super) struct UnreadQueues<'a> {
    model: &'a ReducedModel<'a>,
    searches: Vec<Search>,
    looked: usize,
}

impl<'a> UnreadQueues<'a> {
    /// Prepares the searches for the queues whose growth meets the aim.
    pub fn new(model: &'a ReducedModel<'a>, quest: &Quest, start: &State) -> Self {
        let queues = match &quest.aim {
            Aim::Growth { .. } => queues(model, &quest.aim, start),
            _ => BTreeSet::new(),
        };
        let searches = queues.into_iter().take(MOST_QUEUES).map(|queue| Search::new(model, queue, start));
        Self { model, searches: searches.collect(), looked: 0 }
    }

    /// Number of states visited by all searches.
    pub const fn states(&self) -> usize {
        self.looked
    }

    /// Adds up to this number of states, unless a witness is found before.
    pub fn go(&mut self, states: usize, deadline: Deadline) -> Option<Witness> {
        let each = states.checked_div(self.searches.len())?;
        for search in &mut self.searches {
            let before = search.states.len();
            search.grow(self.model, each, deadline);
            self.looked += search.states.len() - before;
            let found = search.propose(self.model, deadline);
            if found.is_some() {
                return found;
            }
        }
        self.searches.retain(|search| !search.leaves.is_empty() && search.refusals < MOST_REFUSALS);
        None
    }
}

/// The queues in the first states whose growth meets the aim.
fn queues(model: &ReducedModel<'_>, aim: &Aim, start: &State) -> BTreeSet<Queue> {
    let part = model.part();
    let (mut met, mut open, mut queues) = (Store::default(), vec![start.clone()], BTreeSet::new());
    let mut at = 0;
    while at < open.len() && open.len() < FIRST_STATES {
        for (queue, number) in open[at].queues.iter().zip(1..) {
            let origin = part.queue_origin(&open[at], number);
            if !part.queue_code(queue).rendezvous && aim.is_met(origin.into_iter()) {
                queues.insert((queue.code, queue.owner));
            }
        }
        for after in model.successors(&open[at]).into_iter().filter_map(|step| step.after) {
            let mut bytes = Vec::new();
            part.encode(&after, &mut bytes);
            if matches!(met.insert(&bytes), Ok((_, true))) {
                open.push(after);
            }
        }
        at += 1;
    }
    queues
}

/// The search for one queue: the states in which the queue is not read, those with few messages in
/// the others first.
struct Search {
    queue: Queue,
    states: Store,
    /// The steps between states; `true` if they send to the queue.
    graph: DiGraph<(), bool>,
    /// Pending states, with the number of messages in the other queues; the latest one first among
    /// equals.
    leaves: BinaryHeap<(Reverse<u32>, u32)>,
    refusals: usize,
    buffer: Vec<u8>,
}

impl Search {
    fn new(model: &ReducedModel<'_>, queue: Queue, start: &State) -> Self {
        let mut search = Self {
            queue,
            states: Store::default(),
            graph: DiGraph::new(),
            leaves: BinaryHeap::new(),
            refusals: 0,
            buffer: Vec::new(),
        };
        search.insert(model, start);
        search
    }

    fn grow(&mut self, model: &ReducedModel<'_>, states: usize, deadline: Deadline) {
        const OFTEN: usize = 64;
        let most = self.states.len() + states;
        let (mut state, mut count) = (State::default(), 0_usize);
        let (mut steps, mut room) = (Vec::new(), Vec::new());
        while self.states.len() < most && self.states.size() < MOST_BYTES {
            count += 1;
            if count.is_multiple_of(OFTEN) && deadline.is_over() {
                return;
            }
            let Some((_, from)) = self.leaves.pop() else { return };
            model.part().decode(self.states.get(from as usize), &mut state);
            model.expand(&state, &mut steps, &mut room);
            for step in steps.drain(..) {
                let Some((after, sends)) = self.unread(model, step) else { continue };
                if let Some(to) = self.insert(model, &after) {
                    self.graph.add_edge(NodeIndex::new(from as usize), to, sends);
                }
                room.push(after);
            }
        }
        if self.states.size() >= MOST_BYTES {
            self.leaves.clear();
        }
    }

    /// The state after a step in which the queue is not represented, and `true` if the step sends
    /// to it; `None` if the step has an error.
    fn unread(&self, model: &ReducedModel<'_>, step: Step) -> Option<(State, bool)> {
        let mut after = step.after.filter(|_| step.errors.is_empty())?;
        let is_it = |at: &usize| (after.queues[*at].code, after.queues[*at].owner) == self.queue;
        let sends = match (0..after.queue_count()).find(is_it) {
            Some(at) => model.part().clear_queue(&mut after, at),
            None => false,
        };
        Some((after, sends))
    }

    /// The node of a state, which is added if necessary.
    fn insert(&mut self, model: &ReducedModel<'_>, state: &State) -> Option<NodeIndex> {
        self.buffer.clear();
        model.part().encode(state, &mut self.buffer);
        let (at, new) = self.states.insert(&self.buffer).ok()?;
        if new {
            let messages = state.queues.iter().map(|queue| queue.length).sum();
            self.leaves.push((Reverse(messages), u32::try_from(at).ok()?));
            self.graph.add_node(());
        }
        Some(NodeIndex::new(at))
    }

    /// A cycle that sends to the queue, if there is one that is a pump of the program.
    fn propose(&mut self, model: &ReducedModel<'_>, deadline: Deadline) -> Option<Witness> {
        if deadline.is_over() || !self.graph.edge_weights().any(|sends| *sends) {
            return None;
        }
        let mut component = vec![usize::MAX; self.graph.node_count()];
        for (number, members) in kosaraju_scc(&self.graph).into_iter().enumerate() {
            members.into_iter().for_each(|node| component[node.index()] = number);
        }
        let rounds: Vec<(NodeIndex, NodeIndex)> = self
            .graph
            .edge_indices()
            .filter(|edge| self.graph[*edge])
            .filter_map(|edge| self.graph.edge_endpoints(edge))
            .filter(|(from, to)| component[from.index()] == component[to.index()])
            .collect();
        let mut tried = BTreeSet::new();
        for (from, to) in rounds {
            if deadline.is_over() || self.refusals >= MOST_REFUSALS || !tried.insert(component[from.index()])
            {
                continue;
            }
            let found = self.confirm(model, from, to);
            self.refusals += usize::from(found.is_none());
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn confirm(&self, model: &ReducedModel<'_>, from: NodeIndex, to: NodeIndex) -> Option<Witness> {
        let way =
            |from, to| astar(&self.graph, from, |node| node == to, |_| 1_u32, |_| 0).map(|(_, nodes)| nodes);
        let (there, round) = (way(NodeIndex::new(0), from)?, way(to, from)?);
        if there.len() + round.len() > MOST_STEPS || self.bytes(model, &round) > MOST_BYTES {
            return None;
        }
        let prefix = self.along(model, &there)?;
        let mut pump = self.through(model, from, to, true)?;
        pump.steps.extend(self.along(model, &round)?.steps);
        model.confirm(&prefix, &pump, &mut 0).ok()
    }

    /// Approximate number of bytes of the states of a cycle while the queue is not read.
    fn bytes(&self, model: &ReducedModel<'_>, round: &[NodeIndex]) -> usize {
        let sends = round
            .windows(2)
            .filter(|pair| self.graph.edges_connecting(pair[0], pair[1]).any(|edge| *edge.weight()));
        let width = model.part().queues[usize::from(self.queue.0)].fields.len();
        let queue = (1 + sends.count()) * width * size_of::<i32>();
        round.len() * (queue + self.states.size() / self.states.len().max(1))
    }

    /// The moves along a path of nodes.
    fn along(&self, model: &ReducedModel<'_>, nodes: &[NodeIndex]) -> Option<Run> {
        let steps = nodes.windows(2).map(|pair| self.through(model, pair[0], pair[1], false));
        let steps: Option<Vec<Run>> = steps.collect();
        Some(Run { steps: steps?.into_iter().flat_map(|run| run.steps).collect() })
    }

    /// The step between two nodes, which has to send to the queue if `sends`.
    fn through(&self, model: &ReducedModel<'_>, from: NodeIndex, to: NodeIndex, sends: bool) -> Option<Run> {
        let (mut state, mut target) = (State::default(), State::default());
        model.part().decode(self.states.get(from.index()), &mut state);
        model.part().decode(self.states.get(to.index()), &mut target);
        model.successors(&state).into_iter().find_map(|step| {
            let moves = step.moves.clone();
            let (after, sent) = self.unread(model, step)?;
            (after == target && (sent || !sends)).then(|| Run { steps: vec![moves] })
        })
    }
}
