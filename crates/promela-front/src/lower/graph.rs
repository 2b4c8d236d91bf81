//! The body of a process under construction, as a graph of nodes like that of Spin's parser.
//!
//! A node is an element in Spin's sense: a statement, a selection, a block, an `unless`, a jump, or
//! the end of a selection. Elements of a sequence are linked; [`super::flow`] derives locations and
//! edges when the body is complete. Elements carry the number that Spin would give them, since the
//! order in which escapes are attached to states depends on it.

use std::ops::Range;

use cfsm_core::program::{Action, Expression};
use cfsm_core::source::Span;

use super::labels::{LabelScope, Labels};
use crate::ast::Name;
use cfsm_core::diagnostic::Label;

/// Index of a node.
pub(super) type NodeId = usize;
/// Index of a `d_step`.
pub(super) type DStepId = usize;
/// Index of an `unless`.
pub(super) type UnlessId = usize;
/// Index of a loop.
pub(super) type LoopId = usize;

/// Target of a jump.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A label that is resolved at the end; with the scope of the jump.
    Label(Name, LabelScope),
    /// The end of a loop.
    Behind(LoopId),
    /// A node.
    Node(NodeId),
    /// Unknown: an error was reported.
    Unknown,
}

/// A chain of linked nodes.
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
    /// The end of an `if` or an `unless`, or the place before a `do`.
    Dot,
    /// The end of a `do`.
    Behind,
    /// A block in braces, `atomic`, or `d_step`.
    Block {
        /// The contents.
        body: Sequence,
        /// The index of the `d_step`, if it is one.
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
    /// The next node of the sequence.
    pub next: Option<NodeId>,
    /// Its number in Spin.
    pub order: u32,
    /// Its number in the order of the text: an enclosing node precedes the nodes inside.
    pub place: usize,
    pub labels: Vec<String>,
    pub span: Span,
    /// `true` if it lies in an `atomic`.
    pub atomic: bool,
    /// `true` if the process keeps control after it: it lies in an `atomic` and is not its last
    /// statement.
    pub holds: bool,
    /// The outermost `d_step` it lies in.
    pub d_step: Option<DStepId>,
    /// The innermost `unless` in whose main part it lies.
    pub guard: Option<UnlessId>,
}

/// An `unless`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unless {
    /// The innermost enclosing one, in whose main part it lies.
    pub parent: Option<UnlessId>,
    /// The first node of its escape.
    pub escape: Option<NodeId>,
}

/// The regions that enclose a new node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub atomic: bool,
    pub d_step: Option<DStepId>,
    pub guard: Option<UnlessId>,
}

/// The body of a process under construction.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub context: Context,
    pub unlesses: Vec<Unless>,
    /// The block of each `d_step`.
    pub d_steps: Vec<Option<NodeId>>,
    /// The end of each loop, which is the target of its `break`.
    pub loops: Vec<Option<NodeId>>,
    pub labels: Labels,
    /// The nodes of each call of an inline, inner calls first, with the label for errors in them.
    pub calls: Vec<(Range<NodeId>, Label)>,
    /// The open sequences, innermost last.
    open: Vec<Option<Sequence>>,
    orders: u32,
    places: usize,
}

impl Graph {
    /// Creates a node outside of any sequence.
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

    /// Reserves a number for a node that is created after the nodes inside it.
    pub const fn reserve(&mut self) -> usize {
        self.places += 1;
        self.places
    }

    fn next_order(&mut self) -> u32 {
        self.orders += 1;
        self.orders
    }

    /// Gives nodes new numbers, as if they were created now.
    pub fn renumber(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        for node in nodes {
            self.nodes[node].order = self.next_order();
        }
    }

    /// Appends a node to the open sequence.
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

    /// Creates a node at the end of the open sequence.
    pub fn append(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let node = self.push(kind, span);
        self.add(node);
        node
    }

    /// Opens a sequence.
    pub fn open(&mut self) {
        self.open.push(None);
    }

    /// The last node of the open sequence.
    pub fn last(&self) -> Option<NodeId> {
        self.open.last().copied().flatten().map(|sequence| sequence.last)
    }

    /// Closes the open sequence; an empty one gets a `skip`, since an error was reported.
    pub fn close(&mut self, span: Span) -> Sequence {
        if let Some(Some(sequence)) = self.open.pop() {
            return sequence;
        }
        let skip = self.push(NodeKind::Action(Action::Condition(Expression::Constant(1))), span);
        Sequence { first: skip, last: skip }
    }

    /// `if`: its options lead to its end. `else` comes last, as in Spin.
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

    /// Removes redundant `skip`s: of several steps without effect in a row, Spin keeps the first
    /// one in an option, unless others have labels or are the last of the option. Output counts as
    /// such a step, and stays.
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

    /// Marks the last step of an `atomic` as releasing control.
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

    /// Links the ends of blocks to the nodes after the blocks, from the outermost on.
    pub fn tie_ends(&mut self) {
        for id in (0..self.nodes.len()).rev() {
            if let NodeKind::Block { body, .. } = self.nodes[id].kind {
                self.nodes[body.last].next = self.nodes[id].next;
            }
        }
    }
}
