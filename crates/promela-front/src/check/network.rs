//! Unification of channel types: the messages that channels carry.
//!
//! A *node* is a place that holds a channel: a variable, a field of a record, a field of a message.
//! Nodes between which a channel passes belong to one class, and a class carries messages of one
//! type, whose channel fields are nodes again. So types may be recursive (a channel may carry
//! itself) and are finite graphs; no algorithm here traverses them. Time almost linear in the
//! number of additions.
//!
//! Besides the classes, the steps of channels between nodes are stored, to report how a channel
//! reaches a place and to distinguish channels that reach the same place.

use std::collections::{HashMap, HashSet};

use cfsm_core::source::Span;
use petgraph::unionfind::UnionFind;

use super::types::ShapeId;

/// Greatest number of steps that a search visits.
const MAX_SEARCH: usize = 64;
/// Greatest number of message types that a class stores.
const MAX_SHAPES: usize = 8;

/// A place that holds a channel, or a record with such places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

impl NodeId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ways in which a channel passes from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By an assignment, an initialiser, or an argument of `run`.
    Direct,
    /// By a send or a receive.
    Message,
    /// It does not pass: both are the same field of messages whose types were unified.
    Same,
}

/// A step of a channel between two nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) way: Way,
    pub(super) span: Span,
}

/// The shape of a channel, and the steps that it takes, the last one first.
pub(super) type Source = (ShapeId, Vec<Step>);

#[derive(Debug, Default)]
struct Node {
    /// The shape of the channel that is created here, if there is one.
    shape: Option<ShapeId>,
    /// Indices of the steps to the node and from it.
    steps: Vec<usize>,
}

/// Unification data of a class.
#[derive(Debug, Default)]
struct Class {
    /// The shapes of the channels created in the class; several only if they are incompatible.
    shapes: Vec<ShapeId>,
    /// Nodes of the message fields, by ascending position.
    fields: Vec<(usize, NodeId)>,
}

/// All nodes of a model.
#[derive(Debug)]
pub(super) struct Network {
    nodes: Vec<Node>,
    union: UnionFind<u32>,
    /// The classes by node; valid for representatives only.
    classes: Vec<Class>,
    steps: Vec<Step>,
    /// Nodes of the fields of records.
    parts: HashMap<(NodeId, usize), NodeId>,
}

impl Network {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            union: UnionFind::new_empty(),
            classes: Vec::new(),
            steps: Vec::new(),
            parts: HashMap::new(),
        }
    }

    /// A new node, with the shape of the channel that is created there, if there is one.
    pub(super) fn node(&mut self, shape: Option<ShapeId>) -> NodeId {
        self.nodes.push(Node { shape, steps: Vec::new() });
        self.classes.push(Class { shapes: shape.into_iter().collect(), fields: Vec::new() });
        NodeId(self.union.new_set())
    }

    /// The node of a field of a record.
    pub(super) fn part(&mut self, record: NodeId, position: usize, shape: Option<ShapeId>) -> NodeId {
        if let Some(part) = self.parts.get(&(record, position)) {
            return *part;
        }
        let part = self.node(shape);
        self.parts.insert((record, position), part);
        part
    }

    /// The node of a field of the messages that a channel carries.
    pub(super) fn field(&mut self, channel: NodeId, position: usize) -> NodeId {
        let class = self.union.find_mut(channel.0) as usize;
        match self.classes[class].fields.binary_search_by_key(&position, |(position, _)| *position) {
            Ok(place) => self.classes[class].fields[place].1,
            Err(place) => {
                let field = self.node(None);
                self.classes[class].fields.insert(place, (position, field));
                field
            }
        }
    }

    /// Adds a step of a channel: unifies the classes of both nodes.
    pub(super) fn step(&mut self, step: Step) {
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            self.nodes[step.from.index()].steps.push(self.steps.len());
            self.nodes[step.to.index()].steps.push(self.steps.len());
            self.steps.push(step);
            let (left, right) = (self.union.find_mut(step.from.0), self.union.find_mut(step.to.0));
            if left == right {
                continue;
            }
            self.union.union(left, right);
            let left = std::mem::take(&mut self.classes[left as usize]);
            let right = std::mem::take(&mut self.classes[right as usize]);
            let (mut large, small) =
                if left.fields.len() < right.fields.len() { (right, left) } else { (left, right) };
            for shape in small.shapes {
                if large.shapes.len() < MAX_SHAPES && !large.shapes.contains(&shape) {
                    large.shapes.push(shape);
                }
            }
            for (position, from) in small.fields {
                match large.fields.binary_search_by_key(&position, |(position, _)| *position) {
                    Ok(place) => {
                        let to = large.fields[place].1;
                        open.push(Step { from, to, way: Way::Same, span: step.span });
                    }
                    Err(place) => large.fields.insert(place, (position, from)),
                }
            }
            let class = self.union.find_mut(step.from.0) as usize;
            self.classes[class] = large;
        }
    }

    /// The channels that are created in a node or may reach it by direct steps only, each with its
    /// steps, the last one first. The search is bounded.
    pub(super) fn sources(&self, node: NodeId) -> Vec<Source> {
        self.search(node, |step, at| step.way == Way::Direct && step.to == at).0
    }

    /// The channels that may reach a node by any steps; empty if there are too many to be known. If
    /// there are none, those of the whole class.
    pub(super) fn relatives(&self, node: NodeId) -> Vec<Source> {
        let (found, complete) = self.search(node, |step, at| step.way == Way::Same || step.to == at);
        if !complete {
            return Vec::new();
        }
        let class = &self.classes[self.union.find(node.0) as usize];
        if !found.is_empty() || class.shapes.len() == MAX_SHAPES {
            return found;
        }
        class.shapes.iter().map(|shape| (*shape, Vec::new())).collect()
    }

    /// Breadth-first search backwards along steps; the flag is `true` if it was complete.
    fn search(&self, start: NodeId, follow: impl Fn(&Step, NodeId) -> bool) -> (Vec<Source>, bool) {
        let mut seen = HashSet::from([start]);
        // The visited nodes, each with the step from there and the index of the node that it leads
        // to.
        let mut places: Vec<(NodeId, Option<(usize, usize)>)> = vec![(start, None)];
        let mut found = Vec::new();
        let (mut next, mut budget) = (0, MAX_SEARCH);
        while next < places.len() {
            let (node, _) = places[next];
            if let Some(shape) = self.nodes[node.index()].shape {
                if found.len() == MAX_SHAPES {
                    return (found, false);
                }
                found.push((shape, self.way_back(&places, next)));
            }
            let steps = &self.nodes[node.index()].steps;
            let looked_at = steps.len().min(budget);
            budget -= looked_at;
            for position in &steps[..looked_at] {
                let step = &self.steps[*position];
                let other = if step.to == node { step.from } else { step.to };
                if follow(step, node) && seen.insert(other) {
                    places.push((other, Some((*position, next))));
                }
            }
            next += 1;
        }
        (found, budget > 0)
    }

    /// The steps from a visited node to the start of the search, the last one first.
    fn way_back(&self, places: &[(NodeId, Option<(usize, usize)>)], mut place: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some((step, to)) = places[place].1 {
            steps.push(self.steps[step]);
            place = to;
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::ids::Id;

    use super::*;
    use crate::ast::{Declarator, Expression, ExpressionKind, Initial, Name, TypeName};
    use crate::check::types::Types;

    fn span() -> Span {
        Span { file: Id::new(0), start: 0, end: 0 }
    }

    fn declarator() -> Declarator {
        let capacity = Expression { kind: Box::new(ExpressionKind::Number(1)), span: span(), height: 1 };
        Declarator {
            name: Name { text: "c".into(), span: span() },
            width: None,
            length: None,
            init: Initial::Channel { capacity, fields: vec![(TypeName::Chan, span())], span: span() },
            span: span(),
        }
    }

    fn step(from: NodeId, to: NodeId) -> Step {
        Step { from, to, way: Way::Direct, span: span() }
    }

    #[test]
    fn a_channel_that_carries_itself_is_a_type_like_any_other() {
        let declarator = declarator();
        let mut types = Types::default();
        let shape = types.shape_of(&declarator).expect("a channel");
        let mut network = Network::new();
        let (one, other) = (network.node(Some(shape)), network.node(None));
        for node in [one, other] {
            let field = network.field(node, 0);
            network.step(Step { from: node, to: field, way: Way::Message, span: span() });
        }
        network.step(step(one, other));
        let field = network.field(other, 0);
        let deep = network.field(field, 0);
        assert_eq!(network.relatives(deep).len(), 1);
        assert!(network.sources(deep).is_empty());
        assert_eq!(network.sources(other).len(), 1);
    }

    #[test]
    fn fields_of_one_class_are_of_one_class() {
        let mut network = Network::new();
        let (a, b) = (network.node(None), network.node(None));
        let (x, y) = (network.field(a, 1), network.field(b, 1));
        assert_ne!(network.union.find(x.0), network.union.find(y.0));
        network.step(step(a, b));
        assert_eq!(network.union.find(x.0), network.union.find(y.0));
    }
}
