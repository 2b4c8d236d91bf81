//! Directed multigraphs in compact form: one array with the out-edges of all vertices, sorted by
//! vertex.

use std::error::Error;
use std::fmt;

macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with the given position (counted from 0).
            #[must_use]
            pub const fn new(position: u32) -> Self {
                Self(position)
            }

            /// The position (counted from 0).
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

define_id! {
    /// A vertex of a [`Multigraph`]: a number below its vertex count.
    VertexId, "v"
}
define_id! {
    /// An edge of a [`Multigraph`]: its position in the list that the graph was built from.
    EdgeId, "e"
}

/// The reasons why a [`Multigraph`] cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// An edge starts or ends at a vertex that the graph does not have.
    NoSuchVertex {
        /// Position of the edge in the list.
        edge: usize,
        /// The vertex that is not below `vertex_count`.
        vertex: usize,
        /// The number of vertices of the graph.
        vertex_count: usize,
    },
    /// The graph has 2^32 - 1 or more vertices: its ids do not fit.
    TooManyVertices {
        /// The number of vertices asked for.
        vertex_count: usize,
    },
    /// The graph has 2^32 - 1 or more edges: its ids do not fit.
    TooManyEdges,
    /// Positions in a compressed form that do not ascend from 0 to the number of edges.
    NotCompressed,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchVertex { edge, vertex, vertex_count } => {
                write!(f, "edge {edge} touches vertex {vertex} of a graph with {vertex_count} vertices")
            }
            Self::TooManyVertices { vertex_count } => {
                write!(f, "{vertex_count} vertices are too many: the limit is 2^32 - 2")
            }
            Self::TooManyEdges => write!(f, "too many edges: the limit is 2^32 - 2"),
            Self::NotCompressed => {
                write!(f, "first positions have to ascend from 0 to the number of targets")
            }
        }
    }
}

impl Error for GraphError {}

/// Converts a position in a [`Multigraph`] to 32 bits; `u32::MAX` is reserved for "none".
pub(crate) fn narrow(position: usize) -> u32 {
    u32::try_from(position).expect("Multigraph::new has checked that positions are below 2^32 - 1")
}

/// An immutable directed multigraph: parallel edges and self-loops are edges like all others.
///
/// Memory: 12 bytes per edge and 4 per vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multigraph {
    /// Source and target of each edge, by edge id.
    ends: Vec<(VertexId, VertexId)>,
    /// Index of the first out-edge of each vertex in `out`; one more entry for the end of the last.
    first_out: Vec<u32>,
    /// The edges by source, and by ascending id for the same source.
    out: Vec<EdgeId>,
}

impl Multigraph {
    /// The graph with the vertices `0..vertex_count` and the given edges, as pairs of source and
    /// target.
    ///
    /// The id of an edge is its position in `edges`. Time and memory: O(V + E).
    ///
    /// # Errors
    /// If an end of an edge is not below `vertex_count`, or if vertices or edges number 2^32 - 1 or
    /// more.
    pub fn new(
        vertex_count: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, GraphError> {
        if u32::try_from(vertex_count).is_ok_and(|count| count < u32::MAX) {
            Self::with_ends(vertex_count, edges)
        } else {
            Err(GraphError::TooManyVertices { vertex_count })
        }
    }

    /// `new`, for a vertex count that is known to fit.
    fn with_ends(
        vertex_count: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, GraphError> {
        let vertex = |edge, vertex| {
            if vertex < vertex_count {
                Ok(VertexId(narrow(vertex)))
            } else {
                Err(GraphError::NoSuchVertex { edge, vertex, vertex_count })
            }
        };
        let mut ends = Vec::new();
        for (edge, (source, target)) in edges.into_iter().enumerate() {
            if edge >= u32::MAX as usize - 1 {
                return Err(GraphError::TooManyEdges);
            }
            ends.push((vertex(edge, source)?, vertex(edge, target)?));
        }
        ends.shrink_to_fit();

        // A counting sort by source. It is stable, hence ascending ids per vertex, hence the
        // documented order of the cycles.
        let mut first_out = vec![0u32; vertex_count + 1];
        for (source, _) in &ends {
            first_out[source.index() + 1] += 1;
        }
        for v in 0..vertex_count {
            first_out[v + 1] += first_out[v];
        }
        let mut next = first_out.clone();
        let mut out = vec![EdgeId(0); ends.len()];
        for (edge, (source, _)) in ends.iter().enumerate() {
            let slot = &mut next[source.index()];
            out[*slot as usize] = EdgeId(narrow(edge));
            *slot += 1;
        }
        Ok(Self { ends, first_out, out })
    }

    /// The graph in compressed form: the edges from vertex v lead to
    /// `targets[first[v]..first[v + 1]]`, and their ids are those positions. Time and memory: O(V +
    /// E).
    ///
    /// ```
    /// use cycles::{Multigraph, elementary_cycles};
    ///
    /// let graph = Multigraph::from_compressed(&[0, 2, 3], &[1, 1, 0])?;
    /// let cycles: Vec<Vec<usize>> =
    ///     elementary_cycles(&graph).map(|cycle| cycle.edges.iter().map(|edge| edge.index()).collect()).collect();
    /// assert_eq!(cycles, [[0, 2], [1, 2]]);
    /// # Ok::<(), cycles::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// If `first` does not ascend from 0 to the number of targets, and where [`Multigraph::new`]
    /// has errors.
    pub fn from_compressed(first: &[usize], targets: &[usize]) -> Result<Self, GraphError> {
        if first.first() != Some(&0) || first.last() != Some(&targets.len()) || !first.is_sorted() {
            return Err(GraphError::NotCompressed);
        }
        let vertices = first.windows(2).enumerate();
        let sources = vertices.flat_map(|(vertex, ends)| std::iter::repeat_n(vertex, ends[1] - ends[0]));
        Self::new(first.len() - 1, sources.zip(targets.iter().copied()))
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.first_out.len() - 1
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.ends.len()
    }

    /// The vertex that `edge` leaves.
    ///
    /// # Panics
    /// If the graph has no such edge.
    #[must_use]
    pub fn source(&self, edge: EdgeId) -> VertexId {
        self.ends[edge.index()].0
    }

    /// The vertex that `edge` enters.
    ///
    /// # Panics
    /// If the graph has no such edge.
    #[must_use]
    pub fn target(&self, edge: EdgeId) -> VertexId {
        self.ends[edge.index()].1
    }

    /// The edges that leave `vertex`, by ascending id.
    ///
    /// # Panics
    /// If the graph has no such vertex.
    #[must_use]
    pub fn out_edges(&self, vertex: VertexId) -> &[EdgeId] {
        let range = self.first_out[vertex.index()] as usize..self.first_out[vertex.index() + 1] as usize;
        &self.out[range]
    }

    /// Index of the first out-edge of `vertex` in the list of all vertices' out-edges.
    pub(crate) fn out_start(&self, vertex: VertexId) -> u32 {
        self.first_out[vertex.index()]
    }

    /// Source and target of every edge, in the order of the edge ids.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = (VertexId, VertexId)> + '_ {
        self.ends.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_edges_ascend_and_ends_are_kept() {
        let graph = Multigraph::new(3, [(2, 0), (0, 1), (2, 2), (0, 1), (2, 0)]).unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (3, 5));
        assert_eq!(graph.out_edges(VertexId(0)), [EdgeId(1), EdgeId(3)]);
        assert_eq!(graph.out_edges(VertexId(1)), []);
        assert_eq!(graph.out_edges(VertexId(2)), [EdgeId(0), EdgeId(2), EdgeId(4)]);
        assert_eq!((graph.source(EdgeId(4)), graph.target(EdgeId(4))), (VertexId(2), VertexId(0)));
        assert_eq!(graph.ends().len(), 5);
    }

    #[test]
    fn bad_edges_and_sizes_are_errors() {
        let error = Multigraph::new(2, [(0, 1), (1, 2)]).unwrap_err();
        assert_eq!(error, GraphError::NoSuchVertex { edge: 1, vertex: 2, vertex_count: 2 });
        assert_eq!(error.to_string(), "edge 1 touches vertex 2 of a graph with 2 vertices");
        assert!(matches!(Multigraph::new(0, [(0, 0)]), Err(GraphError::NoSuchVertex { .. })));
        let vertex_count = u32::MAX as usize;
        assert_eq!(Multigraph::new(vertex_count, []), Err(GraphError::TooManyVertices { vertex_count }));
    }
}
