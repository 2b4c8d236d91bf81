//! The body of a process while it is built: nodes, in the way of Spin's parser.
//!
//! A node is an element in Spin's sense: a statement, a selection, a block, an `unless`, a jump, or
//! the place behind a selection. Elements of a sequence are linked; what lies between two states is
//! decided in [`super::flow`] when all is known. Elements carry the number that Spin would give
//! them, since the order in which escapes are put to states depends on it.

use std::ops::Range;

use cfsm_core::program::{Action, Expression};
use cfsm_core::source::Span;

use super::labels::{LabelScope, Labels};
use crate::ast::Name;
use cfsm_core::diagnostic::Label;

/// Position of a node.
pub(super) type NodeId = usize;
/// Position of a `d_step`.
pub(super) type DStepId = usize;
/// Position of an `unless`.
pub(super) type UnlessId = usize;
/// Position of a loop.
pub(super) type LoopId = usize;

/// Where a jump leads.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// To a label that is looked up at the end; with the scope of the jump.
    Label(Name, LabelScope),
    /// Behind a loop.
    Behind(LoopId),
    /// To a node.
    Node(NodeId),
    /// Nowhere: it was reported.
    Unknown,
}

/// A chain of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    pub first: NodeId,
    pub last: NodeId,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// A statement.
    Action(Action),
    /// `goto` or `break`.
    Goto(Target),
    /// `if` or `do`: its options.
    Choice(Vec<Sequence>),
    /// The place behind an `if` or an `unless`, and the one before a `do`.
    Dot,
    /// The place behind a `do`.
    Behind,
    /// A block in braces, `atomic`, or `d_step`.
    Block {
        /// What is in it.
        body: Sequence,
        /// Which one it is, if it is a `d_step`.
        d_step: Option<DStepId>,
    },
    /// `unless`: its main part.
    Unless(Sequence),
    /// The end of the body.
    Exit,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: NodeKind,
    /// What comes behind it.
    pub next: Option<NodeId>,
    /// Its number in Spin.
    pub order: u32,
    /// Its number in the order of the text: what stands around others comes before them.
    pub place: usize,
    pub labels: Vec<String>,
    pub span: Span,
    /// Whether it lies in an `atomic`.
    pub atomic: bool,
    /// Whether the process steps next after it: it lies in an `atomic` and is not the last of it.
    pub holds: bool,
    /// The outermost `d_step` it lies in.
    pub d_step: Option<DStepId>,
    /// The innermost `unless` in whose main part it lies.
    pub guard: Option<UnlessId>,
}

/// An `unless`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unless {
    /// The one in whose main part it lies.
    pub parent: Option<UnlessId>,
    /// The first node of its escape.
    pub escape: Option<NodeId>,
}

/// Where a new node lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub atomic: bool,
    pub d_step: Option<DStepId>,
    pub guard: Option<UnlessId>,
}

/// The body of a process while it is built.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub context: Context,
    pub unlesses: Vec<Unless>,
    /// The block that each `d_step` is.
    pub d_steps: Vec<Option<NodeId>>,
    /// Where a `break` of each loop leads.
    pub loops: Vec<Option<NodeId>>,
    pub labels: Labels,
    /// The nodes of each call of an inline, inner calls first, and what to say of what is wrong in
    /// them.
    pub calls: Vec<(Range<NodeId>, Label)>,
    /// The sequences that are being built, innermost last.
    open: Vec<Option<Sequence>>,
    orders: u32,
    places: usize,
}

impl Graph {
    /// A node that is no part of a sequence yet.
    pub fn push(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let Context { atomic, d_step, guard } = self.context;
        let order = self.next_order();
        let place = self.reserve();
        let holds = atomic;
        self.nodes.push(Node {
            kind,
            next: None,
            order,
            place,
            labels: Vec::new(),
            span,
            atomic,
            holds,
            d_step,
            guard,
        });
        self.nodes.len() - 1
    }

    /// A number for a node that is made behind what stands in it.
    pub const fn reserve(&mut self) -> usize {
        self.places += 1;
        self.places
    }

    fn next_order(&mut self) -> u32 {
        self.orders += 1;
        self.orders
    }

    /// Gives nodes new numbers, as if they had been made only now.
    pub fn renumber(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        for node in nodes {
            self.nodes[node].order = self.next_order();
        }
    }

    /// Puts a node behind the last one of the sequence that is being built.
    pub fn add(&mut self, node: NodeId) {
        let Some(open) = self.open.last_mut() else { return };
        let first = match open {
            Some(Sequence { first, last }) => {
                self.nodes[*last].next = Some(node);
                *first
            }
            None => node,
        };
        *open = Some(Sequence { first, last: node });
    }

    /// A new node at the end of the sequence that is being built.
    pub fn append(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let node = self.push(kind, span);
        self.add(node);
        node
    }

    /// Begins a sequence.
    pub fn open(&mut self) {
        self.open.push(None);
    }

    /// The last node of the sequence that is being built.
    pub fn last(&self) -> Option<NodeId> {
        self.open.last().copied().flatten().map(|sequence| sequence.last)
    }

    /// Ends a sequence; one without a statement gets a `skip`, since an error was reported.
    pub fn close(&mut self, span: Span) -> Sequence {
        if let Some(Some(sequence)) = self.open.pop() {
            return sequence;
        }
        let skip = self.push(NodeKind::Action(Action::Condition(Expression::Constant(1))), span);
        Sequence { first: skip, last: skip }
    }

    /// `if`: its options lead to the place behind it. `else` comes last, as in Spin.
    pub fn selection(&mut self, options: Vec<Sequence>, span: Span) -> NodeId {
        let choice = self.push(NodeKind::Choice(Vec::new()), span);
        let behind = self.push(NodeKind::Dot, span);
        self.options(choice, options, behind);
        self.add(choice);
        self.add(behind);
        choice
    }

    /// `do`: its options lead back to it.
    pub fn repetition(&mut self, options: Vec<Sequence>, number: LoopId, span: Span) -> NodeId {
        let choice = self.push(NodeKind::Choice(Vec::new()), span);
        let before = self.push(NodeKind::Dot, span);
        self.options(choice, options, before);
        self.add(before);
        self.add(choice);
        let behind = self.append(NodeKind::Behind, span);
        self.loops[number] = Some(behind);
        choice
    }

    fn options(&mut self, choice: NodeId, mut options: Vec<Sequence>, end: NodeId) {
        let is_else =
            |option: &Sequence| matches!(self.nodes[option.first].kind, NodeKind::Action(Action::Else));
        options.sort_by_key(is_else);
        for option in &options {
            self.drop_skips(*option);
            self.nodes[option.last].next = Some(end);
        }
        self.nodes[choice].kind = NodeKind::Choice(options);
    }

    /// Of several steps without effect in a row, Spin keeps the first one in an option, unless
    /// others have labels or are the last of the option. Output counts as such a step, and stays.
    fn drop_skips(&mut self, option: Sequence) {
        let (mut before, mut row) = (option.first, 0);
        let mut at = Some(option.first);
        while let Some(id) = at {
            let node = &self.nodes[id];
            at = node.next.filter(|_| id != option.last);
            let skip = matches!(node.kind, NodeKind::Action(Action::Condition(Expression::Constant(1))));
            let silent = skip || matches!(node.kind, NodeKind::Action(Action::Print { .. }));
            row = if silent && node.labels.is_empty() { row + 1 } else { 0 };
            if skip && row > 1 && id != option.last {
                self.nodes[before].next = self.nodes[id].next;
            } else {
                before = id;
            }
        }
    }

    /// The last step of an `atomic` lets go.
    pub fn release(&mut self, body: Sequence) {
        let mut last = body.last;
        loop {
            let node = &mut self.nodes[last];
            match node.kind {
                NodeKind::Block { body, d_step: None } => last = body.last,
                _ => {
                    node.holds = false;
                    return;
                }
            }
        }
    }

    /// Leads the ends of blocks to what comes behind the blocks, from the outermost on.
    pub fn tie_ends(&mut self) {
        for id in (0..self.nodes.len()).rev() {
            if let NodeKind::Block { body, .. } = self.nodes[id].kind {
                self.nodes[body.last].next = self.nodes[id].next;
            }
        }
    }
}
