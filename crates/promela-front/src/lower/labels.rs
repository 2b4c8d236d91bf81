//! Labels of a body, and resolution of jumps. Blocks in braces have scopes of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::program::{Action, Expression};

use super::graph::{Graph, NodeId, NodeKind, Target};
use crate::ast::Name;
use crate::codes;
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::suggest::closest;

/// Index of a block in braces; 0 is the body itself.
pub(super) type LabelScope = usize;

/// A label and its node.
#[derive(Clone, Debug)]
struct LabelAt {
    name: Name,
    node: NodeId,
}

/// The labels of a body.
#[derive(Debug)]
pub(super) struct Labels {
    /// The enclosing block of each block.
    parents: Vec<LabelScope>,
    /// The current scope.
    scope: LabelScope,
    /// All labels, by name and scope.
    all: BTreeMap<Arc<str>, BTreeMap<LabelScope, LabelAt>>,
    /// The last label of each name.
    last: BTreeMap<Arc<str>, NodeId>,
}

impl Default for Labels {
    fn default() -> Self {
        Self { parents: vec![0], scope: 0, all: BTreeMap::new(), last: BTreeMap::new() }
    }
}

impl Labels {
    pub const fn scope(&self) -> LabelScope {
        self.scope
    }

    pub fn open(&mut self) {
        self.parents.push(self.scope);
        self.scope = self.parents.len() - 1;
    }

    pub fn close(&mut self) {
        self.scope = self.parents[self.scope];
    }

    /// The label that is visible from a scope: in it, or in the innermost enclosing one.
    fn around(&self, name: &str, mut scope: LabelScope) -> Option<&LabelAt> {
        let labels = self.all.get(name)?;
        loop {
            if let Some(label) = labels.get(&scope) {
                return Some(label);
            }
            if scope == 0 {
                return None;
            }
            scope = self.parents[scope];
        }
    }

    /// The target of a jump: a visible label, else the last one anywhere.
    fn find(&self, name: &str, scope: LabelScope) -> Option<NodeId> {
        self.around(name, scope).map(|label| label.node).or_else(|| self.last.get(name).copied())
    }

    /// The node of a label in a remote reference.
    pub fn outside_label(&self, name: &str) -> Option<NodeId> {
        self.find(name, 0)
    }

    /// A label of the body with a similar name.
    pub fn like(&self, name: &str) -> Option<&str> {
        closest(name, self.all.keys().map(|known| &**known))
    }
}

impl Graph {
    /// Attaches a label to a node; a visible one of the same name is an error.
    pub fn label(&mut self, name: &Name, node: NodeId) -> Option<Diagnostic> {
        let scope = self.labels.scope;
        let diagnostic = self.labels.around(&name.text, scope).map(|earlier| {
            let message = format!("the label `{}` exists already", name.text);
            Diagnostic::error(codes::DUPLICATE_LABEL, name.span, message)
                .with_label(earlier.name.span, "it is here")
        });
        let here = LabelAt { name: name.clone(), node };
        self.labels.all.entry(Arc::clone(&name.text)).or_default().insert(scope, here);
        self.labels.last.insert(Arc::clone(&name.text), node);
        self.nodes[node].labels.push(name.text.to_string());
        diagnostic
    }

    /// Resolves the targets of all jumps.
    pub fn link(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for id in 0..self.nodes.len() {
            let NodeKind::Goto(target) = &self.nodes[id].kind else {
                continue;
            };
            let found = match target {
                Target::Unknown => continue,
                Target::Node(node) => Some(*node),
                Target::Behind(number) => self.loops[*number],
                Target::Label(name, scope) => {
                    let found = self.labels.find(&name.text, *scope);
                    if found.is_none() {
                        let hint = self.labels.like(&name.text);
                        let hint = hint.map(|name| format!("did you mean `{name}`?"));
                        let message = format!("there is no label `{}` in this process", name.text);
                        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_LABEL, name.span, message);
                        let calls = self.calls.iter().filter(|(nodes, _)| nodes.contains(&id));
                        diagnostic.labels.extend(calls.map(|(_, label)| label.clone()));
                        diagnostics.push(diagnostic.with_hint_if(hint));
                    }
                    found
                }
            };
            if let Some(target) = found {
                if self.nodes[id].d_step != self.nodes[target].d_step {
                    let message = "a jump cannot lead into or out of `d_step`";
                    diagnostics.push(Diagnostic::error(codes::D_STEP_JUMP, self.nodes[id].span, message));
                }
                // A jump from one `atomic` to another keeps control.
                self.nodes[id].holds = self.nodes[id].atomic && self.nodes[target].atomic;
            }
            self.nodes[id].kind = NodeKind::Goto(found.map_or(Target::Unknown, Target::Node));
        }
        diagnostics.extend(self.goto_loops());
        diagnostics
    }

    /// Errors for jumps from which only jumps are reachable: one for each cycle of them.
    fn goto_loops(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut seen_from = vec![usize::MAX; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut at = start;
            while seen_from[at] == usize::MAX {
                seen_from[at] = start;
                let Some(next) = self.passed(at) else { break };
                at = next;
                if seen_from[at] == start {
                    let message = "this jump leads back to itself without a statement on the way";
                    diagnostics.push(Diagnostic::error(codes::GOTO_LOOP, self.nodes[at].span, message));
                }
            }
        }
        diagnostics
    }

    /// Makes a jump whose label is used in a remote reference a location of its own, by a `skip`
    /// before it.
    pub fn keep_label(&mut self, label: &str) {
        let Some(node) = self.labels.outside_label(label) else { return };
        if matches!(self.nodes[node].kind, NodeKind::Goto(_)) {
            let skip = NodeKind::Action(Action::Condition(Expression::Constant(1)));
            let jump = std::mem::replace(&mut self.nodes[node].kind, skip);
            let next = self.nodes[node].next;
            let span = self.nodes[node].span;
            let guard = self.nodes[node].guard;
            let jump = self.push(jump, span);
            self.nodes[jump].next = next;
            self.nodes[jump].guard = guard;
            self.nodes[node].next = Some(jump);
        }
    }
}
