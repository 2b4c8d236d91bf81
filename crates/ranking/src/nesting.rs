//! The loops of a control-flow graph, and how they are nested.
//!
//! A strongly connected part of the graph with a cycle is a loop. Its *head* is the location at
//! which it is entered; the strongly connected parts that are left without the steps to the head
//! are the loops inside it (Steensgaard's forest, which is that of natural loops where the graph is
//! reducible).

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{Action, Binary, Edge, EdgeId, Expression, LocationId, Place, ProcessType};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

/// A loop of a process type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The location at which it is entered.
    pub head: LocationId,
    /// Its locations.
    pub locations: BTreeSet<LocationId>,
    /// Its statements.
    pub edges: BTreeSet<EdgeId>,
    /// The index of the innermost loop around it.
    pub parent: Option<usize>,
}

impl Loop {
    /// Its statements that lead to its head.
    pub fn to_head<'a>(&'a self, process: &'a ProcessType) -> impl Iterator<Item = EdgeId> + 'a {
        self.edges.iter().copied().filter(|edge| process.edges[*edge].target == self.head)
    }

    /// The first statements behind which control comes to the head without any further condition
    /// or choice, by statements of which none is counted: they are executed as often as the loop
    /// turns. Time `O(edges)` for each statement on these ways.
    #[must_use]
    pub fn turning(&self, process: &ProcessType, counted: &BTreeSet<EdgeId>) -> BTreeSet<EdgeId> {
        let mut turning = BTreeSet::new();
        let mut seen: BTreeSet<LocationId> = [self.head].into();
        let mut open: Vec<EdgeId> = self.to_head(process).collect();
        while let Some(id) = open.pop() {
            let Edge { source, action, .. } = &process.edges[id];
            let is_only = process.edges.values().filter(|edge| edge.source == *source).count() == 1;
            if is_only && never_waits(action) && !counted.contains(&id) && seen.insert(*source) {
                let before = self.edges.iter().filter(|edge| process.edges[**edge].target == *source);
                open.extend(before);
            } else {
                turning.insert(id);
            }
        }
        turning
    }
}

/// The loops of a process type that can be reached, outer ones before those inside. Time
/// `O(edges * depth of nesting)`.
pub(crate) fn loops(process: &ProcessType) -> Vec<Loop> {
    let mut reached = BTreeSet::new();
    let mut open = vec![process.entry];
    while let Some(location) = open.pop() {
        if reached.insert(location) {
            let next = process.edges.values().filter(|edge| edge.source == location);
            open.extend(next.map(|edge| edge.target));
        }
    }
    let mut found = Vec::new();
    nested(process, &Part { locations: reached, without: None, parent: None }, &mut found);
    found
}

/// Returns `true` for statements that can always be executed, where sends never wait.
pub(crate) fn never_waits(action: &Action) -> bool {
    let is_sure = |expression: &Expression| !expression.any(&mut |part| may_be_an_error(part));
    match action {
        Action::Condition(condition) => condition.constant().is_some_and(|value| value != 0),
        Action::Send { channel, fields, .. } => is_sure(channel) && fields.iter().all(is_sure),
        Action::Assign { target, value } => target.index.is_none() && is_sure(value),
        Action::Print { arguments, .. } => arguments.iter().all(is_sure),
        _ => false,
    }
}

/// The locations from which control can come to one of these, and these. Time `O(edges)` for each.
pub(crate) fn before(process: &ProcessType, locations: &BTreeSet<LocationId>) -> BTreeSet<LocationId> {
    let mut before = locations.clone();
    let mut open: Vec<LocationId> = locations.iter().copied().collect();
    while let Some(location) = open.pop() {
        let sources = process.edges.values().filter(|edge| edge.target == location).map(|edge| edge.source);
        open.extend(sources.filter(|source| before.insert(*source)));
    }
    before
}

/// Returns `true` for expressions that may end a run with an error.
const fn may_be_an_error(expression: &Expression) -> bool {
    use Binary::{Divide, Remainder, ShiftLeft, ShiftRight};
    !matches!(
        expression,
        Expression::Constant(_)
            | Expression::Read(Place { index: None, .. })
            | Expression::Unary(..)
            | Expression::Conditional(..)
            | Expression::Binary(..)
    ) || matches!(expression, Expression::Binary(Divide | Remainder | ShiftLeft | ShiftRight, ..))
}

/// A part of a graph in which loops are looked for.
struct Part {
    locations: BTreeSet<LocationId>,
    /// The head of the loop around it, steps to which do not count.
    without: Option<LocationId>,
    parent: Option<usize>,
}

fn nested(process: &ProcessType, part: &Part, found: &mut Vec<Loop>) {
    let mut graph = DiGraphMap::<LocationId, ()>::new();
    let inside = |location: &LocationId| part.locations.contains(location);
    part.locations.iter().for_each(|location| _ = graph.add_node(*location));
    for edge in process.edges.values() {
        if inside(&edge.source) && inside(&edge.target) && Some(edge.target) != part.without {
            graph.add_edge(edge.source, edge.target, ());
        }
    }
    let mut components: Vec<BTreeSet<LocationId>> =
        kosaraju_scc(&graph).into_iter().map(|members| members.into_iter().collect()).collect();
    components.sort_unstable();
    for locations in components {
        let own = |(_, edge): &(EdgeId, &Edge)| {
            locations.contains(&edge.source)
                && locations.contains(&edge.target)
                && Some(edge.target) != part.without
        };
        let edges: BTreeSet<EdgeId> = process.edges.iter().filter(own).map(|(id, _)| id).collect();
        if edges.is_empty() {
            continue;
        }
        let head = head(process, &locations);
        let at = found.len();
        found.push(Loop { head, locations: locations.clone(), edges, parent: part.parent });
        nested(process, &Part { locations, without: Some(head), parent: Some(at) }, found);
    }
}

/// The location with most steps into the loop, where the process starts counting as one.
fn head(process: &ProcessType, locations: &BTreeSet<LocationId>) -> LocationId {
    let mut entries: BTreeMap<LocationId, usize> = locations.iter().map(|location| (*location, 0)).collect();
    let from_outside = process.edges.values().filter(|edge| !locations.contains(&edge.source));
    for entered in from_outside.map(|edge| edge.target).chain([process.entry]) {
        if let Some(count) = entries.get_mut(&entered) {
            *count += 1;
        }
    }
    let most = entries.into_iter().max_by_key(|(location, count)| (*count, std::cmp::Reverse(*location)));
    most.map_or(process.entry, |(location, _)| location)
}
