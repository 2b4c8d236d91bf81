//! Text forms of a diagram: DOT and Mermaid.

use std::fmt::Write as _;

use super::{Diagram, Direction, NodeKind};
use crate::visible;

/// A graph in the language of Graphviz.
pub(super) fn dot(diagram: &Diagram) -> String {
    let direction = if diagram.direction == Direction::Right { "LR" } else { "TB" };
    let mut out =
        format!("digraph {} {{\n  rankdir={direction};\n  node [shape=box];\n", quoted(&diagram.title));
    for (position, node) in diagram.nodes.iter().enumerate() {
        let style = match node.kind {
            NodeKind::State => "rounded",
            NodeKind::Initial | NodeKind::Machine => "rounded,bold",
            NodeKind::Channel | NodeKind::Judged(_) => "dashed",
        };
        let _ = writeln!(out, "  n{position} [label={}, style={}];", quoted(&node.label), quoted(style));
    }
    for edge in &diagram.edges {
        let label = edge.labels.join("\n");
        let label = if label.is_empty() { String::new() } else { format!(" [label={}]", quoted(&label)) };
        let _ = writeln!(out, "  n{} -> n{}{label};", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}

/// A string of DOT; its line breaks are those of the diagram.
fn quoted(text: &str) -> String {
    let shown = visible::lines(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{shown}\"")
}

/// A flowchart in the language of Mermaid.
pub(super) fn mermaid(diagram: &Diagram) -> String {
    let direction = if diagram.direction == Direction::Right { "LR" } else { "TD" };
    let mut out = format!("flowchart {direction}\n");
    for (position, node) in diagram.nodes.iter().enumerate() {
        let label = entities(&node.label);
        let _ = match node.kind {
            NodeKind::State => writeln!(out, "  n{position}(\"{label}\")"),
            NodeKind::Initial => writeln!(out, "  n{position}((\"{label}\"))"),
            NodeKind::Machine => writeln!(out, "  n{position}[\"{label}\"]"),
            NodeKind::Channel | NodeKind::Judged(_) => writeln!(out, "  n{position}([\"{label}\"])"),
        };
    }
    for edge in &diagram.edges {
        let label = entities(&edge.labels.join("\n"));
        let label = if label.is_empty() { String::new() } else { format!("|\"{label}\"|") };
        let _ = writeln!(out, "  n{} -->{label} n{}", edge.source, edge.target);
    }
    out
}

/// A text in the quotes of Mermaid, where all that is not plain is an entity.
fn entities(text: &str) -> String {
    let mut out = String::new();
    for one in visible::lines(text).chars() {
        match one {
            '\n' => out.push_str("<br/>"),
            _ if one.is_alphanumeric() || " .,:-_=+!?/()[]".contains(one) => out.push(one),
            _ => {
                let _ = write!(out, "#{};", u32::from(one));
            }
        }
    }
    out
}
