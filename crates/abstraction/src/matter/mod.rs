//! Where the value of a variable may still come to something that is looked at.
//!
//! Records are passed on as they are: a request has the status of some answer in it, and nobody
//! looks at it. So a variable that is *carried* is unfolded only where its value matters: where, by
//! what is known when it is not unfolded, it may still decide a condition, choose an element, a
//! channel or a message, or become part of a process, in this process or, sent on, in another one.
//! That is found out backwards, over the nodes of a first analysis and over the messages that their
//! statements exchange. To lie together is always sound, so nothing rests on this module but
//! precision.

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
use crate::step::Deed;
use crate::traffic::Patterns;

/// The places of a process type, each a location with values of variables that are followed there,
/// and the cells that matter there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The cells of which it is known where they matter.
    covered: BTreeSet<usize>,
    by_location: BTreeMap<LocationId, BTreeMap<Known, BTreeSet<usize>>>,
}

/// Cells with the values that they have at a place.
type Known = Vec<(usize, i64)>;

impl Places {
    /// Whether it is known where a cell matters.
    pub(crate) fn covers(&self, cell: usize) -> bool {
        self.covered.contains(&cell)
    }

    /// The cells by whose values places of one location are told apart.
    pub(crate) fn looks_at(&self) -> BTreeSet<usize> {
        let known = self.by_location.values().flat_map(BTreeMap::keys);
        known.flatten().map(|(cell, _)| *cell).collect()
    }

    /// Whether a cell matters in a state at a location: at one of the places there that it may be.
    pub(crate) fn matters(&self, cell: usize, location: LocationId, cells: &Cells) -> bool {
        let may_be = |known: &Known| known.iter().all(|(cell, value)| cells[*cell].numbers.contains(*value));
        let here = self.by_location.get(&location).into_iter().flatten();
        here.into_iter().any(|(known, mattering)| mattering.contains(&cell) && may_be(known))
    }
}

/// Where what is carried matters.
#[derive(Clone, Debug)]
pub(crate) struct Matter {
    /// For each type.
    pub(crate) of_type: IdMap<ProcessTypeId, Rc<Places>>,
}

/// A statement that receives, as it is executed at a node.
struct Receipt<'a> {
    context: ContextId,
    node: NodeId,
    step: &'a Move,
    patterns: &'a Patterns,
}

/// The search for what matters.
struct Search<'s, 'a> {
    analysis: &'s Analysis<'a>,
    held: IdMap<ProcessTypeId, Vec<Held>>,
    live: IdMap<ContextId, IdMap<NodeId, bool>>,
    /// What instances of each context start with.
    starts: IdMap<ContextId, Cells>,
    /// What may be received from each object, unless it is a private queue.
    receipts: BTreeMap<ObjectId, Vec<Receipt<'s>>>,
    /// The cells that matter at each node.
    found: IdMap<ContextId, IdMap<NodeId, BTreeSet<usize>>>,
}

impl Matter {
    /// Finds out where what is carried matters, by an analysis in which it is not unfolded. Each
    /// round takes time linear in the moves, times the receives that may take what one sends; there
    /// are as many rounds as a value takes steps to where it is looked at.
    pub(crate) fn of(analysis: &Analysis<'_>) -> Self {
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
                    if let Deed::Receive { from, patterns, .. } = &step.deed {
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

    /// Looks at every node again; whether anything new matters.
    fn round(&mut self) -> bool {
        let mut grown = false;
        for (context, of_context) in self.analysis.contexts.iter() {
            if self.held[of_context.process_type].is_empty() {
                continue;
            }
            // What comes last in a process mostly has the greatest number.
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
