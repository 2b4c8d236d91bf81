//! Layout of a diagram by layout-rs, written as SVG.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::adt::dag::NodeHandle;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::{Point, Position};
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use super::{Diagram, Direction, Edge, Node, NodeKind};
use crate::markup::{escaped, shortened};

/// The measures of labels.
struct Measures {
    /// Width of a character in pixels, and half the height of a line.
    unit: usize,
    /// The largest number of characters in a line; the whole is in the element's title.
    columns: usize,
    /// The largest number of labels at an edge; the others are counted.
    labels: usize,
}

const MEASURES: Measures = Measures { unit: 8, columns: 36, labels: 5 };

/// The diagram as an SVG element, with `style` in it; `None` if the library panics, which nothing
/// that it is given should make it do.
pub(super) fn svg(diagram: &Diagram, prefix: &str, style: &str) -> Option<String> {
    let mut canvas = Canvas::new(diagram);
    let drawn = catch_unwind(AssertUnwindSafe(|| graph(diagram).do_it(false, false, false, &mut canvas)));
    drawn.ok().map(|()| canvas.finish(prefix, style))
}

fn look() -> StyleAttr {
    StyleAttr::new(Color::fast("black"), 1, None, 0, MEASURES.unit)
}

/// The graph for the library. Edges are given from lower to higher positions in a depth-first
/// order, lowest first, with those that lead back turned around: the library's own search for
/// cycles then ends at once, while it may take exponential time otherwise.
fn graph(diagram: &Diagram) -> VisualGraph {
    let orientation = match diagram.direction {
        Direction::Down => Orientation::TopToBottom,
        Direction::Right => Orientation::LeftToRight,
    };
    let mut graph = VisualGraph::new(orientation);
    graph.dag.set_validate(false);
    let handles: Vec<NodeHandle> = diagram
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| graph.add_node(element(at, node, orientation)))
        .collect();
    let rank = ranks(diagram);
    let mut edges: Vec<(usize, &Edge)> = diagram.edges.iter().enumerate().collect();
    edges.sort_by_key(|(_, edge)| rank[edge.source].min(rank[edge.target]));
    for (position, edge) in edges {
        let is_back = rank[edge.source] > rank[edge.target];
        let head = |is_here: bool| if is_here { LineEndKind::Arrow } else { LineEndKind::None };
        let mut arrow = Arrow::new(
            head(is_back),
            head(!is_back),
            LineStyleKind::Normal,
            &label_block(position, edge),
            &look(),
            &None,
            &None,
        );
        arrow.properties = Some(position.to_string());
        let (first, last) = if is_back { (edge.target, edge.source) } else { (edge.source, edge.target) };
        graph.add_edge(arrow, handles[first], handles[last]);
    }
    graph
}

/// The position of each node in the reverse post-order of a depth-first search, from initial states
/// and then from the others.
fn ranks(diagram: &Diagram) -> Vec<usize> {
    let count = diagram.nodes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in diagram.edges.iter().rev() {
        next[edge.source].push(edge.target);
    }
    let is_initial = |node: &usize| diagram.nodes[*node].kind == NodeKind::Initial;
    let roots = (0..count).filter(is_initial).chain((0..count).filter(|node| !is_initial(node)));
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    for root in roots {
        let mut path = if seen[root] { Vec::new() } else { vec![root] };
        while let Some(&node) = path.last() {
            seen[node] = true;
            match next[node].pop() {
                Some(target) if !seen[target] => path.push(target),
                Some(_) => {}
                None => {
                    order.push(node);
                    path.pop();
                }
            }
        }
    }
    let mut rank = vec![0; count];
    for (position, node) in order.into_iter().rev().enumerate() {
        rank[node] = position;
    }
    rank
}

fn shown(label: &str) -> Vec<String> {
    label.lines().map(|line| shortened(line, MEASURES.columns)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "labels are short")]
fn pixels(units: usize) -> f64 {
    (units * MEASURES.unit) as f64
}

fn element(position: usize, node: &Node, orientation: Orientation) -> Element {
    let lines = shown(&node.label);
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let size = Point::new(pixels(columns.max(1) + 3), pixels(2 * lines.len().max(1) + 2));
    let shape = ShapeKind::new_box("");
    let mut element = Element::create_with_properties(shape, look(), orientation, size, position.to_string());
    let halo = Point::splat(pixels(4));
    element.pos = Position::new(Point::zero(), size, Point::zero(), halo);
    element
}

/// The labels of an edge with the number of the edge in front, each on a line of double height, as
/// the library takes a line to be as high as a character is wide.
fn label_block(position: usize, edge: &Edge) -> String {
    if edge.labels.is_empty() {
        return String::new();
    }
    let mut lines: Vec<String> = edge
        .labels
        .iter()
        .take(MEASURES.labels)
        .map(|label| shortened(&label.replace('\n', " "), MEASURES.columns))
        .collect();
    if edge.labels.len() > MEASURES.labels {
        lines.push(format!("and {} more", edge.labels.len() - MEASURES.labels));
    }
    let heads = std::iter::once(position.to_string()).chain(std::iter::repeat(" ".into()));
    heads.zip(lines).flat_map(|(head, line)| [head, line]).collect::<Vec<_>>().join("\n")
}

/// An SVG document in the making.
struct Canvas<'a> {
    diagram: &'a Diagram,
    nodes: String,
    /// The shapes of each edge, and its labels.
    edges: Vec<String>,
    least: Point,
    most: Point,
}

impl<'a> Canvas<'a> {
    fn new(diagram: &'a Diagram) -> Self {
        let edges = vec![String::new(); diagram.edges.len()];
        Self {
            diagram,
            nodes: String::new(),
            edges,
            least: Point::splat(f64::MAX),
            most: Point::splat(f64::MIN),
        }
    }

    fn reach(&mut self, point: Point) {
        self.least = Point::new(self.least.x.min(point.x), self.least.y.min(point.y));
        self.most = Point::new(self.most.x.max(point.x), self.most.y.max(point.y));
    }

    fn finish(self, prefix: &str, style: &str) -> String {
        let margin = pixels(1);
        let (x, y) = (self.least.x - margin, self.least.y - margin);
        let (width, height) = (self.most.x - x + margin, self.most.y - y + margin);
        let (title, description) = (escaped(&self.diagram.title), escaped(&self.diagram.description));
        let mut out = format!(
            "<svg class=\"diagram\" role=\"img\" aria-labelledby=\"{prefix}-t {prefix}-d\" xmlns=\"http://www.w3.org/2000/svg\" \
             viewBox=\"{x:.0} {y:.0} {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
             <title id=\"{prefix}-t\">{title}</title><desc id=\"{prefix}-d\">{description}</desc>\n{style}\
             <rect class=\"paper\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n"
        );
        for (edge, shapes) in self.diagram.edges.iter().zip(&self.edges) {
            let transitions: Vec<String> = edge.transitions.iter().map(ToString::to_string).collect();
            let title = escaped(&edge.labels.join("\n"));
            let title = if title.is_empty() { title } else { format!("<title>{title}</title>") };
            let _ = writeln!(
                out,
                "<g class=\"edge\" data-target=\"{}\" data-transitions=\"{}\">{title}{shapes}</g>",
                edge.target,
                transitions.join(" ")
            );
        }
        out.push_str(&self.nodes);
        out.push_str("</svg>\n");
        out
    }

    /// Lines of text around a middle, as `tspan`s.
    fn text(&mut self, middle: Point, lines: &[String]) -> String {
        let height = pixels(2);
        #[expect(clippy::cast_precision_loss, reason = "labels have few lines")]
        let first = middle.y - height * (lines.len() as f64 - 1.) / 2. + pixels(1) / 2.;
        let mut out = format!("<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{first:.1}\">", middle.x);
        for (position, line) in lines.iter().enumerate() {
            let down = if position == 0 { 0. } else { height };
            let _ = write!(out, "<tspan x=\"{:.1}\" dy=\"{down:.0}\">{}</tspan>", middle.x, escaped(line));
            let half = pixels(line.chars().count()) / 2.;
            self.reach(Point::new(middle.x - half, first));
            self.reach(Point::new(middle.x + half, first));
        }
        out.push_str("</text>");
        out
    }
}

/// The head of an arrow that arrives at a point from a direction.
fn head(tip: Point, from: Point) -> String {
    let back = from.sub(tip);
    let length = back.length().max(f64::EPSILON);
    let (along, across) = (back.scale(pixels(1) / length), back.scale(pixels(1) / 2. / length));
    let side = Point::new(-across.y, across.x);
    let (one, other) = (tip.add(along).add(side), tip.add(along).sub(side));
    format!(
        "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        tip.x, tip.y, one.x, one.y, other.x, other.y
    )
}

impl RenderBackend for Canvas<'_> {
    fn draw_rect(
        &mut self,
        xy: Point,
        size: Point,
        _look: &StyleAttr,
        properties: Option<String>,
        _clip: Option<ClipHandle>,
    ) {
        let Some(position) = properties.and_then(|text| text.parse::<usize>().ok()) else { return };
        let node = &self.diagram.nodes[position];
        self.reach(xy);
        self.reach(xy.add(size));
        let round = match node.kind {
            NodeKind::State | NodeKind::Initial => pixels(1),
            NodeKind::Machine => pixels(1) / 4.,
            NodeKind::Channel | NodeKind::Judged(_) => size.y / 2.,
        };
        let text = self.text(xy.add(size.scale(0.5)), &shown(&node.label));
        let _ = writeln!(
            self.nodes,
            "<g class=\"{}\" data-node=\"{position}\"><title>{}</title>\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round:.0}\"/>{text}</g>",
            node.kind.class(),
            escaped(&node.label),
            xy.x,
            xy.y,
            size.x,
            size.y
        );
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    /// Labels of edges only: those of nodes are drawn with them.
    fn draw_text(&mut self, xy: Point, text: &str, _look: &StyleAttr) {
        let Some(position) = text.lines().next().and_then(|line| line.parse::<usize>().ok()) else { return };
        let lines: Vec<String> = text.lines().skip(1).step_by(2).map(str::to_owned).collect();
        let shapes = self.text(xy, &lines);
        self.edges[position].push_str(&shapes);
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _dashed: bool,
        heads: (bool, bool),
        _look: &StyleAttr,
        properties: Option<String>,
        _text: &str,
    ) {
        let Some(position) = properties.and_then(|text| text.parse::<usize>().ok()) else { return };
        let [first, second, rest @ ..] = path else { return };
        for (one, other) in path {
            self.reach(*one);
            self.reach(*other);
        }
        let mut curve = format!("M{:.1} {:.1}C", first.0.x, first.0.y);
        for point in [first.1, second.0, second.1] {
            let _ = write!(curve, " {:.1} {:.1}", point.x, point.y);
        }
        for (control, point) in rest {
            let _ = write!(curve, "S{:.1} {:.1} {:.1} {:.1}", control.x, control.y, point.x, point.y);
        }
        let mut shapes = format!("<path d=\"{curve}\"/>");
        if heads.0 {
            shapes.push_str(&head(first.0, first.1));
        }
        if let Some((control, tip)) = path.last().filter(|_| heads.1) {
            shapes.push_str(&head(*tip, *control));
        }
        // Below the labels.
        self.edges[position].insert_str(0, &shapes);
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}
