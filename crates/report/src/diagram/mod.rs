//! Renderer of state diagrams and networks: SVG, DOT and Mermaid.
//!
//! A [`Diagram`] is a graph of labels made from a [`Network`]. Its [layout](Diagram::svg) is that
//! of the library layout-rs; the text forms leave the layout to others.

mod layout;
mod notation;

use std::collections::BTreeMap;

use cfsm_core::system::BufferKind;

use crate::view::{Buffer, BufferVerdict, Channel, Machine, Network};

/// The largest number of nodes that are laid out; a larger diagram says nothing to a reader.
pub const MOST_NODES: usize = 60;

/// Style sheet of a diagram, for light and dark backgrounds, on screen and paper.
pub const STYLE: &str = include_str!("diagram.css");

/// A directed graph with labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// Short title.
    pub title: String,
    /// The content in words, for those who do not see it.
    pub description: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges, at most one from a node to another.
    pub edges: Vec<Edge>,
    /// The direction of the layout.
    pub direction: Direction,
}

/// The direction in which most edges of a layout lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Downwards.
    Down,
    /// To the right.
    Right,
}

/// A node of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its label, one line or several.
    pub label: String,
    /// Its kind.
    pub kind: NodeKind,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A control state.
    State,
    /// An initial control state.
    Initial,
    /// A machine.
    Machine,
    /// A channel about which nothing is said.
    Channel,
    /// A channel with a verdict.
    Judged(BufferVerdict),
}

impl NodeKind {
    /// The class names of its element in SVG.
    const fn class(self) -> &'static str {
        match self {
            Self::State => "node state",
            Self::Initial => "node state initial",
            Self::Machine => "node machine",
            Self::Channel => "node channel",
            Self::Judged(BufferVerdict::Bounded) => "node channel proved",
            Self::Judged(BufferVerdict::Unbounded) => "node channel refuted",
            Self::Judged(BufferVerdict::Unknown) => "node channel unknown",
        }
    }
}

/// An edge of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Position of its source.
    pub source: usize,
    /// Position of its target.
    pub target: usize,
    /// Its labels, one per line.
    pub labels: Vec<String>,
    /// Positions of the transitions that it stands for.
    pub transitions: Vec<usize>,
}

impl Diagram {
    /// The state diagram of a machine: transitions between the same two states share an edge.
    #[must_use]
    pub fn of_machine(machine: &Machine) -> Self {
        let kind = |state| if state == machine.initial { NodeKind::Initial } else { NodeKind::State };
        let nodes = machine.states.iter().enumerate();
        let nodes = nodes.map(|(state, name)| Node { label: name.clone(), kind: kind(state) }).collect();
        let mut edges: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
        for (position, transition) in machine.transitions.iter().enumerate() {
            let (source, target) = (transition.source, transition.target);
            let fresh = || Edge { source, target, labels: Vec::new(), transitions: Vec::new() };
            let edge = edges.entry((source, target)).or_insert_with(fresh);
            edge.transitions.push(position);
            if !edge.labels.contains(&transition.label) {
                edge.labels.push(transition.label.clone());
            }
        }
        let states = machine.states.len();
        let initial = machine.states.get(machine.initial).map_or("", String::as_str);
        Self {
            title: format!("State diagram of {}", machine.name),
            description: format!(
                "{states} states, {} transitions, initial state {initial}. The table of transitions has the same content.",
                machine.transitions.len()
            ),
            nodes,
            edges: edges.into_values().collect(),
            direction: Direction::Down,
        }
    }

    /// The network of a system: machines and channels are nodes, and edges lead from senders to
    /// channels and from channels to receivers. Channels are marked with the verdicts on `buffers`.
    #[must_use]
    pub fn of_network(network: &Network, buffers: &[Buffer]) -> Self {
        let machines = network.machines.iter().map(|machine| Node {
            label: match machine.instances {
                1 => machine.name.clone(),
                0 => format!("{} (created)", machine.name),
                some => format!("{} × {some}", machine.name),
            },
            kind: NodeKind::Machine,
        });
        let channels = network.channels.iter().map(|channel| channel_node(channel, buffers));
        let nodes = machines.chain(channels).collect();
        let edge = |source, target| Edge { source, target, labels: Vec::new(), transitions: Vec::new() };
        let mut edges = Vec::new();
        let mut words = Vec::new();
        for (position, channel) in network.channels.iter().enumerate() {
            let node = network.machines.len() + position;
            edges.extend(channel.senders.iter().map(|&sender| edge(sender, node)));
            edges.extend(channel.receivers.iter().map(|&receiver| edge(node, receiver)));
            let (from, to) = (names(network, &channel.senders), names(network, &channel.receivers));
            words.push(format!("{} from {from} to {to}", channel.name));
        }
        for (creator, machine) in network.machines.iter().enumerate() {
            let created = machine.creates.iter();
            let created =
                created.filter_map(|name| network.machines.iter().position(|other| other.name == *name));
            edges.extend(
                created.map(|created| Edge { labels: vec!["creates".into()], ..edge(creator, created) }),
            );
        }
        Self {
            title: format!("Channels of {}", network.name),
            description: if words.is_empty() { "No channels.".into() } else { words.join("; ") + "." },
            nodes,
            edges,
            direction: Direction::Right,
        }
    }

    /// An SVG element, laid out; `None` if the diagram has no nodes or more than [`MOST_NODES`], or
    /// if the library fails. `prefix` begins the ids in it, so that several can be in a document.
    #[must_use]
    pub fn svg(&self, prefix: &str) -> Option<String> {
        if self.nodes.is_empty() || self.nodes.len() > MOST_NODES {
            return None;
        }
        layout::svg(self, prefix, "")
    }

    /// The same as a document of its own, with its style sheet.
    #[must_use]
    pub fn document(&self) -> Option<String> {
        if self.nodes.is_empty() || self.nodes.len() > MOST_NODES {
            return None;
        }
        layout::svg(self, "diagram", &format!("<style>\n{STYLE}</style>\n"))
    }

    /// A graph in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        notation::dot(self)
    }

    /// A flowchart in the language of Mermaid.
    #[must_use]
    pub fn mermaid(&self) -> String {
        notation::mermaid(self)
    }
}

fn names(network: &Network, machines: &[usize]) -> String {
    let names: Vec<&str> = machines.iter().map(|&machine| network.machines[machine].name.as_str()).collect();
    if names.is_empty() { "nobody".into() } else { names.join(", ") }
}

fn channel_node(channel: &Channel, buffers: &[Buffer]) -> Node {
    let judged = buffers.iter().find(|buffer| buffer.name == channel.name);
    let bound = judged.and_then(|buffer| buffer.bound.as_ref().or(buffer.exact.as_ref()));
    let remark = match (channel.kind, judged.map(|buffer| buffer.verdict)) {
        (BufferKind::Rendezvous, _) => "rendezvous".into(),
        (BufferKind::Environment, _) => "environment".into(),
        (BufferKind::Queue, None) => String::new(),
        (BufferKind::Queue, Some(BufferVerdict::Bounded)) => {
            bound.map_or_else(|| "bounded".into(), |bound| format!("≤ {bound}"))
        }
        (BufferKind::Queue, Some(BufferVerdict::Unbounded)) => "grows".into(),
        (BufferKind::Queue, Some(BufferVerdict::Unknown)) => "unknown".into(),
    };
    let label = if remark.is_empty() { channel.name.clone() } else { format!("{}\n{remark}", channel.name) };
    let kind = judged.map_or(NodeKind::Channel, |buffer| NodeKind::Judged(buffer.verdict));
    Node { label, kind }
}
