//! Lowers regions: `atomic`, `d_step`, and the sides of `unless`.

use cfsm_core::source::Span;

use super::Lowering;
use super::graph::{NodeId, NodeKind, Sequence, Unless};
use crate::ast::{Block, Name, Statement, StatementKind};
use crate::codes;
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    pub(super) fn atomic(&mut self, block: &Block, span: Span) -> NodeId {
        let around = self.body.graph.context;
        self.body.graph.context.atomic |= around.d_step.is_none();
        let body = self.braces(block);
        self.body.graph.context = around;
        let node = self.body.graph.append(NodeKind::Block { body, d_step: None }, span);
        if !around.atomic && around.d_step.is_none() {
            self.body.graph.release(body);
        }
        node
    }

    pub(super) fn d_step(&mut self, block: &Block, span: Span) -> NodeId {
        let around = self.body.graph.context;
        if around.d_step.is_some() {
            let body = self.braces(block);
            return self.body.graph.append(NodeKind::Block { body, d_step: None }, span);
        }
        let number = self.body.graph.d_steps.len();
        self.body.graph.d_steps.push(None);
        self.body.graph.context.d_step = Some(number);
        // Escapes are tried before its first step only.
        self.body.graph.context.guard = None;
        let body = self.braces(block);
        self.body.graph.context = around;
        let node = self.body.graph.append(NodeKind::Block { body, d_step: Some(number) }, span);
        self.body.graph.d_steps[number] = Some(node);
        node
    }

    pub(super) fn unless(&mut self, labels: &[Name], main: &Statement, escape: &Statement, span: Span) {
        let all: Vec<&Name> = labels.iter().chain(&main.labels).collect();
        if self.body.graph.context.d_step.is_some() {
            self.error(codes::MISPLACED_STATEMENT, span, "`unless` cannot stand inside `d_step`");
        }
        let is_block = |kind: &StatementKind| {
            matches!(
                kind,
                StatementKind::Block(_)
                    | StatementKind::Call(_)
                    | StatementKind::Atomic(_)
                    | StatementKind::DStep(_)
            )
        };
        if let Some(label) = all.first()
            && !is_block(&main.kind)
        {
            let message = format!("the label `{}` stands before one side of `unless`", label.text);
            self.diagnostics.push(
                Diagnostic::error(codes::MISPLACED_LABEL, label.span, message)
                    .with_hint("put braces around the whole, and the label before them"),
            );
        }
        self.prelude(&main.kind);
        self.prelude(&escape.kind);
        if all.is_empty() {
            self.unlabelled_unless(main, escape, span);
            return;
        }
        // Spin attaches the labels to a block around the whole.
        self.body.graph.open();
        self.unlabelled_unless(main, escape, span);
        let body = self.body.graph.close(span);
        let node = self.body.graph.append(NodeKind::Block { body, d_step: None }, span);
        let all: Vec<Name> = all.into_iter().cloned().collect();
        self.labels(&all, node);
    }

    fn unlabelled_unless(&mut self, main: &Statement, escape: &Statement, span: Span) {
        let graph = &mut self.body.graph;
        let parent = graph.context.guard;
        graph.unlesses.push(Unless { parent, escape: None });
        let number = graph.unlesses.len() - 1;
        graph.context.guard = Some(number);
        let (main, main_nodes) = self.side(main);
        self.body.graph.context.guard = parent;
        let (escape, escape_nodes) = self.side(escape);
        let graph = &mut self.body.graph;
        graph.unlesses[number].escape = Some(escape.first);
        // Spin numbers the escape first if a side is a single statement.
        graph.renumber(escape_nodes.into_iter().chain(main_nodes));
        let node = graph.push(NodeKind::Unless(main), span);
        let behind = graph.push(NodeKind::Dot, span);
        graph.nodes[main.last].next = Some(behind);
        graph.nodes[escape.last].next = Some(behind);
        graph.add(node);
        graph.add(behind);
    }

    /// One side of an `unless`, and its outermost nodes if it is not a block.
    fn side(&mut self, side: &Statement) -> (Sequence, Vec<NodeId>) {
        if let StatementKind::Block(block) = &side.kind {
            return (self.braces(block), Vec::new());
        }
        self.body.graph.open();
        deep(|| match &side.kind {
            StatementKind::Unless(main, escape) => {
                self.unless(&side.labels, main, escape, side.span);
            }
            kind => {
                self.unlabelled(kind, side.span);
            }
        });
        let sequence = self.body.graph.close(side.span);
        let nodes = std::iter::successors(Some(sequence.first), |node| {
            self.body.graph.nodes[*node].next.filter(|_| *node != sequence.last)
        });
        (sequence, nodes.collect())
    }
}
