//! The sequence of roots, with the component in which the cycles through each are searched for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::classes::{Classes, NONE};
use crate::component::Component;
use crate::graph::Multigraph;
use crate::scc::Scc;
use crate::search::{Choice, Search};

/// The searches of a whole graph, by ascending root.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    classes: Arc<Classes>,
    /// Disjoint sets of vertices, by the least vertex of each: the components, of the graph without
    /// the earlier roots, whose cycles have not been found yet. Each contains a cycle.
    pending: BTreeMap<u32, Vec<u32>>,
    /// Scratch space: [`NONE`] for each vertex.
    scratch: Vec<u32>,
    scc: Scc,
    choice: Choice,
}

/// The input of a search. Where a root has few cycles, preparing the search takes most of the time,
/// so each thread prepares its own.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    component: Component,
    /// See [`Component::split`].
    part_of: Vec<u32>,
    choice: Choice,
}

impl Root {
    /// The search. Time: O(V + E) of the component.
    pub(crate) fn search(self, classes: &Classes) -> Search {
        Search::new(classes, self.component, self.part_of, self.choice)
    }
}

impl Roots {
    /// The searches of a graph. Time and memory: O(V + E).
    pub(crate) fn new(graph: &Multigraph, choice: Choice) -> Self {
        let classes = Classes::of(graph);
        let mut scc = Scc::default();
        let parts = scc.components(classes.compact(), 0, |vertex| classes.self_loop(vertex).is_some());
        let mut roots = Self {
            scratch: vec![NONE; classes.vertex_count()],
            classes: Arc::new(classes),
            pending: BTreeMap::new(),
            scc,
            choice,
        };
        roots.add(parts);
        roots
    }

    /// The classes that the paths of the searches are made of.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The same, shared with other threads.
    #[cfg(feature = "rayon")]
    pub(crate) fn shared_classes(&self) -> Arc<Classes> {
        Arc::clone(&self.classes)
    }

    /// The next search. Time: O(V + E).
    pub(crate) fn next_search(&mut self) -> Option<Search> {
        self.next_root().map(|root| root.search(&self.classes))
    }

    /// The component of the next search. Time: O(V + E).
    pub(crate) fn next_root(&mut self) -> Option<Root> {
        let (_, vertices) = self.pending.pop_first()?;
        let component = Component::induced(&self.classes, vertices, &mut self.scratch);
        let classes = &self.classes;
        let (parts, part_of) = component.split(&mut self.scc, |vertex| classes.self_loop(vertex).is_some());
        self.add(parts);
        Some(Root { component, part_of, choice: self.choice })
    }

    fn add(&mut self, parts: Vec<Vec<u32>>) {
        self.pending.extend(parts.into_iter().map(|vertices| (vertices[0], vertices)));
    }
}
