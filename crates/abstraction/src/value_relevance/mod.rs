//! Value relevance: the places at which the value of a variable may still influence an observation.
//!
//! Records are often passed on unexamined: a request contains the status of some answer, and no
//! process reads it. So a *carried* (lazily tracked) variable is unfolded only where its value is
//! relevant: where, according to an analysis without unfolding it, it may still decide a condition,
//! choose an element, a channel or a message, or become part of a new process, in this process or,
//! after being sent, in another one. This is computed by a backward analysis over the nodes of a
//! first analysis and over the messages that their statements exchange. Merging values is always
//! sound, so this module affects only precision.

mod before;
mod held;
mod slot;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{LocationId, ProcessType, ProcessTypeId};

use self::before::Before;
use self::held::Held;
pub(crate) use self::held::held;
use crate::Precision;
use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::{ContextId, Move, Node, NodeId};
use crate::layout::Cells;
use crate::step::Effect;
use crate::traffic::Patterns;

/// The relevant cells of a process type, for each place: a location with the values of the tracked
/// variables there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The cells whose relevance is known.
    covered: BTreeSet<usize>,
    by_location: BTreeMap<LocationId, BTreeMap<Known, BTreeSet<usize>>>,
}

/// Cells with the values that they have at a place.
type Known = Vec<(usize, i64)>;

impl Places {
    /// Returns `true` if the relevance of the cell is known.
    pub(crate) fn covers(&self, cell: usize) -> bool {
        self.covered.contains(&cell)
    }

    /// The cells by whose values places of one location are distinguished.
    pub(crate) fn looks_at(&self) -> BTreeSet<usize> {
        let known = self.by_location.values().flat_map(BTreeMap::keys);
        known.flatten().map(|(cell, _)| *cell).collect()
    }

    /// Returns `true` if a cell is relevant in a state at a location: at one of the places that the
    /// state may be at.
    pub(crate) fn is_relevant(&self, cell: usize, location: LocationId, cells: &Cells) -> bool {
        let may_be = |known: &Known| known.iter().all(|(cell, value)| cells[*cell].numbers.contains(*value));
        let here = self.by_location.get(&location).into_iter().flatten();
        here.into_iter().any(|(known, relevant)| relevant.contains(&cell) && may_be(known))
    }
}

/// Value relevance of the lazily tracked variables.
#[derive(Clone, Debug)]
pub(crate) struct ValueRelevance {
    /// The relevant cells of each process type.
    pub(crate) of_type: IdMap<ProcessTypeId, Rc<Places>>,
}

/// A receive statement, as executed at a node.
struct Receipt<'a> {
    context: ContextId,
    node: NodeId,
    step: &'a Move,
    patterns: &'a Patterns,
}

/// The backward fixpoint iteration that computes relevance.
struct Search<'s, 'a> {
    analysis: &'s Analysis<'a>,
    held: IdMap<ProcessTypeId, Vec<Held>>,
    live: IdMap<ContextId, IdMap<NodeId, bool>>,
    /// The initial state of each context's instances.
    starts: IdMap<ContextId, Cells>,
    /// The receives from each channel object, except private queues.
    receipts: BTreeMap<ObjectId, Vec<Receipt<'s>>>,
    /// The relevant cells at each node.
    found: IdMap<ContextId, IdMap<NodeId, BTreeSet<usize>>>,
}

impl ValueRelevance {
    /// Computes the relevance of lazily tracked variables from an analysis in which they are not
    /// unfolded. Each round takes time linear in the moves, times the receives that may take one
    /// sent message; the number of rounds is the largest number of steps from a value to its
    /// observation.
    pub(crate) fn new(analysis: &Analysis<'_>) -> Self {
        let mut search = Search::new(analysis);
        while search.round() {}
        let covered = search.held.values().map(|held| held.iter().map(|held| held.cell).collect());
        let places = covered.map(|covered| Places { covered, by_location: BTreeMap::new() });
        let mut of_type: IdMap<ProcessTypeId, Places> = places.collect();
        for (id, context) in analysis.contexts.iter() {
            let unfolded = &analysis.unfolded[context.process_type];
            for (node, cells) in search.found[id].iter().filter(|(node, _)| search.live[id][*node]) {
                let Node { location, key, .. } = &context.nodes[node];
                let known = unfolded
                    .iter()
                    .zip(key)
                    .filter_map(|(unfolded, value)| Some((unfolded.position(), (*value)?)));
                let here = of_type[context.process_type].by_location.entry(*location).or_default();
                here.entry(known.collect()).or_default().extend(cells);
            }
        }
        Self { of_type: of_type.values().map(|places| Rc::new(places.clone())).collect() }
    }
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(analysis: &'s Analysis<'a>) -> Self {
        let Precision { carried, tracked, .. } = &analysis.options.precision;
        let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
            let all =
                [carried, tracked].into_iter().filter_map(|of| of.get(&id)).flatten().copied().collect();
            held(process, &analysis.layout.frames[id], Some(&all))
        };
        let live: IdMap<ContextId, _> = analysis.contexts.values().map(|context| context.live()).collect();
        let mut receipts: BTreeMap<ObjectId, Vec<Receipt<'s>>> = BTreeMap::new();
        for (context, of_context) in analysis.contexts.iter() {
            for (id, node) in of_context.nodes.iter().filter(|(node, _)| live[context][*node]) {
                for step in &node.moves {
                    if let Effect::Receive { from, patterns, .. } = &step.effect {
                        for object in from {
                            receipts.entry(*object).or_default().push(Receipt {
                                context,
                                node: id,
                                step,
                                patterns,
                            });
                        }
                    }
                }
            }
        }
        let found =
            analysis.contexts.values().map(|context| IdMap::filled(BTreeSet::new(), context.nodes.len()));
        Self {
            analysis,
            held: analysis.program.types.iter().map(of_type).collect(),
            found: found.collect(),
            starts: analysis.contexts.ids().map(|id| analysis.entry(id, &analysis.around(id))).collect(),
            live,
            receipts,
        }
    }

    /// Visits every node once more. Returns `true` if a new cell has become relevant.
    fn round(&mut self) -> bool {
        let mut grown = false;
        for (context, of_context) in self.analysis.contexts.iter() {
            if self.held[of_context.process_type].is_empty() {
                continue;
            }
            // Backwards: locations at the end of a process mostly have the largest ids.
            let nodes: Vec<NodeId> = of_context.nodes.ids().collect();
            for node in nodes.into_iter().rev().filter(|node| self.live[context][*node]).collect::<Vec<_>>() {
                let mut cells = self.found[context][node].clone();
                let before = cells.len();
                for step in &of_context.nodes[node].moves {
                    Before { search: self, context, node, step }.note(&mut cells);
                }
                grown |= cells.len() > before;
                self.found[context][node] = cells;
            }
        }
        grown
    }
}
