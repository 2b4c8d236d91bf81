//! Nodes of the parser's trees, with the fragment that they belong to.

use std::ops::Range;

use tree_sitter::Node;

/// The fragment that nodes are read from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    /// The text that was parsed: the fragment with a function around it.
    pub(crate) wrapped: &'t str,
    /// The position of the fragment in it.
    pub(crate) start: usize,
    /// The number of bytes of the fragment.
    pub(crate) length: usize,
}

impl<'t> Source<'t> {
    pub(crate) fn range(&self, node: Node<'_>) -> Range<usize> {
        let inside = |offset: usize| offset.saturating_sub(self.start).min(self.length);
        inside(node.start_byte())..inside(node.end_byte())
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &'t str {
        self.wrapped.get(node.byte_range()).unwrap_or_default()
    }
}

/// The named children of a node, without comments.
pub(crate) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The children of a node with a field's name.
pub(crate) fn fields<'n>(node: Node<'n>, name: &str) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// True if a node or one of its immediate children is an error.
pub(crate) fn is_broken(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.has_error()
        && (node.is_error()
            || node.is_missing()
            || node.children(&mut cursor).any(|child| child.is_error() || child.is_missing()))
}
