//! Zones: a relational analysis with bounds on differences of two variables, which narrows the
//! value sets of the fixpoint.
//!
//! The value sets of the fixpoint do not express relations between variables. Here a few scalars
//! are analysed again, with bounds on their differences (0 is one of the variables), at each node
//! that the fixpoint has found. It is a fixpoint of its own, over the same nodes, moves and rules
//! of interference; the value sets are taken as facts, and the result is used to narrow them, for
//! data places only.
//!
//! The matrices only grow, and each bound goes up through finitely many thresholds. If the analysis
//! needs too many visits all the same, it has no result. One visit takes time cubic in the number
//! of chosen variables, which are few.

mod births;
mod choice;
mod matrix;
#[cfg(test)]
mod tests;
mod transfer;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Edge, VariableId, VariableRef};

use crate::analysis::Analysis;
use crate::contexts::{ContextId, Node, NodeId, NodeRef};
use crate::interference::Interference;
use crate::layout::Cells;
use crate::numbers::ValueSet;
use crate::range::Range;
use crate::step::{Step, TransferCtx, transfer};
use crate::traffic::Party;
use crate::values::Value;
use crate::widening::Widening;
use births::Births;
use choice::{Column, Columns, choose};
use matrix::Matrix;
use transfer::Here;

/// Largest number of node visits; beyond it there is no result.
const VISITS: usize = 1 << 14;

/// Number of times that the bounds of a node, or of the values that a context writes to a global,
/// are widened to thresholds before they are dropped.
const PATIENCE: usize = 16;

/// Largest number of listed integers in the interference; larger sets become ranges.
const LISTED: usize = 4;

/// An interval of integers: the least and the greatest.
type Ends = (i64, i64);

/// Removes the values that bounds on differences exclude from the value sets of an analysis.
pub(crate) fn narrow(analysis: &mut Analysis<'_>) {
    for (context, node, cells) in narrowed(analysis) {
        analysis.contexts[context].nodes[node].cells = cells;
    }
}

/// The nodes at which the matrices say something about variables, with the narrowed states.
fn narrowed(analysis: &Analysis<'_>) -> Vec<(ContextId, NodeId, Cells)> {
    let Some(zones) = choose(analysis).and_then(|columns| Zones::find(analysis, columns)) else {
        return Vec::new();
    };
    let nodes =
        zones.found.iter().flat_map(|(context, nodes)| nodes.keys().map(move |node| (context, *node)));
    nodes.filter_map(|(context, node)| Some((context, node, zones.state(context, node)?.cells))).collect()
}

/// The facts at a node.
struct Found {
    /// Bounds on differences; not closed.
    matrix: Matrix,
    /// Number of times that they have been widened.
    growths: usize,
}

/// The state in which a statement is executed.
struct State {
    /// Bounds on differences, including those from the value sets; closed.
    matrix: Matrix,
    /// The value sets, narrowed by the differences.
    cells: Cells,
}

/// The fixpoint iteration.
struct Zones<'a> {
    analysis: &'a Analysis<'a>,
    widening: Widening,
    columns: Columns,
    /// The globals among the chosen variables.
    shared: BTreeSet<VariableId>,
    /// The facts at the reached nodes of each context.
    found: IdMap<ContextId, BTreeMap<NodeId, Found>>,
    /// For each context that may have an instance, the intervals of globals at its creation,
    /// without the interference of other contexts.
    births: BTreeMap<ContextId, Births>,
    /// The values that contexts write to globals while other processes exist.
    interference: Interference,
    /// Number of times that a context has written a new value to a cell.
    news: BTreeMap<(ContextId, usize), usize>,
    dirty: BTreeSet<ContextId>,
    visits: usize,
}

/// Error: the analysis needs too many visits.
struct TooLong;

/// The convex hull of two intervals.
const fn hull(one: Ends, other: Ends) -> Ends {
    (if one.0 < other.0 { one.0 } else { other.0 }, if one.1 > other.1 { one.1 } else { other.1 })
}

impl<'a> Zones<'a> {
    /// Computes the fixpoint for these variables; `None` if it takes too long.
    fn find(analysis: &'a Analysis<'a>, columns: Columns) -> Option<Self> {
        let globals = columns.values().flatten().filter_map(|column| match column.variable {
            VariableRef::Global(id) => Some(id),
            VariableRef::Local(_) => None,
        });
        let shared: BTreeSet<VariableId> = globals.collect();
        let mut interference = Interference::new(analysis.layout.global_cells);
        for (id, context) in analysis.contexts.iter() {
            for column in &columns[context.process_type] {
                if let VariableRef::Global(global) = column.variable {
                    interference.add_reader(analysis.layout.globals[global].start, id);
                }
            }
        }
        let mut zones = Self {
            analysis,
            widening: analysis.widening.with_limit(LISTED),
            columns,
            shared,
            found: analysis.contexts.values().map(|_| BTreeMap::new()).collect(),
            births: BTreeMap::new(),
            interference,
            news: BTreeMap::new(),
            dirty: BTreeSet::new(),
            visits: 0,
        };
        zones.add_initial();
        while !zones.dirty.is_empty() {
            // In rounds, so that a context takes in the changes of many others at once.
            for context in std::mem::take(&mut zones.dirty) {
                zones.follow(context).ok()?;
            }
        }
        Some(zones)
    }

    /// Visits the nodes of a context until nothing changes.
    fn follow(&mut self, id: ContextId) -> Result<(), TooLong> {
        let Some(births) = self.births.get(&id).cloned() else { return Ok(()) };
        let context = &self.analysis.contexts[id];
        if self.columns[context.process_type].is_empty() {
            // It neither names nor writes any of the globals.
            for child in context.children.values() {
                self.give_birth(*child, &births);
            }
            return Ok(());
        }
        let around = self.around(id);
        // All instances of a context start at its first node.
        let entry = NodeId::new(0);
        if let Some(matrix) = self.entry(id, &births) {
            self.arrive(NodeRef { context: id, node: entry }, &matrix, &around);
        }
        let mut open: BTreeSet<NodeId> = self.found[id].keys().copied().collect();
        for node in open.clone() {
            self.disturb(NodeRef { context: id, node }, &around);
        }
        while let Some(node) = open.pop_first() {
            self.visits += 1;
            if self.visits > VISITS {
                return Err(TooLong);
            }
            self.visit(NodeRef { context: id, node }, &around, &mut open);
        }
        Ok(())
    }

    /// The intervals that other contexts may write to each variable of the matrix.
    fn around(&self, id: ContextId) -> Vec<Option<Ends>> {
        let several = self.analysis.several(id);
        let written = |column: &Column| match column.variable {
            VariableRef::Global(global) => {
                let cell = self.analysis.layout.globals[global].start;
                self.interference.of_others(cell, id, several, LISTED).numbers.bounds()
            }
            VariableRef::Local(_) => None,
        };
        self.columns[self.analysis.contexts[id].process_type].iter().map(written).collect()
    }

    fn node(&self, at: NodeRef) -> &'a Node {
        &self.analysis.contexts[at.context].nodes[at.node]
    }

    /// Adds the bounds from value sets, and closes the matrix. Returns `true` if it is not empty.
    fn meet(&self, context: ContextId, matrix: &mut Matrix, cells: &Cells) -> bool {
        let columns = &self.columns[self.analysis.contexts[context].process_type];
        for (at, column) in columns.iter().enumerate() {
            let Some(ends) = cells[column.position].numbers.bounds() else { return false };
            let (least, most) = ends;
            matrix.within(at + 1, least, most);
        }
        matrix.close()
    }

    /// The state at a node; `None` if no instance reaches it.
    fn state(&self, context: ContextId, node: NodeId) -> Option<State> {
        let mut matrix = self.found[context].get(&node)?.matrix.clone();
        let mut cells = self.node(NodeRef { context, node }).cells.clone();
        if !self.meet(context, &mut matrix, &cells) {
            return None;
        }
        let columns = &self.columns[self.analysis.contexts[context].process_type];
        for (at, column) in columns.iter().enumerate() {
            let (least, most) = matrix.ends(at + 1);
            let left = ValueSet::Range(Range::new(least, most, 1)?);
            let cell = &mut cells[column.position];
            if !left.includes(&cell.numbers) {
                let numbers = cell.numbers.meet(&left, self.analysis.options.values);
                if numbers.is_empty() {
                    return None;
                }
                *cell = Rc::new(numbers.into());
            }
        }
        Some(State { matrix, cells })
    }

    /// Executes the statements of a node.
    fn visit(&mut self, at: NodeRef, around: &[Option<Ends>], open: &mut BTreeSet<NodeId>) {
        let NodeRef { context: id, node } = at;
        let analysis = self.analysis;
        let context = &analysis.contexts[id];
        let Some(State { matrix, cells }) = self.state(id, node) else { return };
        let process_type = context.process_type;
        let view = analysis.view(context, &cells);
        let (program, objects, traffic, reuse) =
            (analysis.program, &analysis.objects, &analysis.traffic, &analysis.reuse);
        let unfolded = &analysis.unfolded[process_type];
        let party = Party { context: id, several: analysis.several(id) };
        for &edge in analysis.leaving[process_type][self.node(at).location].iter() {
            let moves = self.node(at).moves.iter().filter(|step| step.edge == edge);
            let targets: BTreeSet<NodeId> = moves.flat_map(|step| step.targets.iter().copied()).collect();
            let Edge { action, target, .. } = &program.types[process_type].edges[edge];
            let ctx = TransferCtx { program, objects, traffic, reuse, unfolded, target: *target };
            let others = analysis.alternatives(process_type, edge);
            for step in transfer(&ctx, &view, party, action, &others).steps {
                let mut behind = matrix.clone();
                Here { columns: &self.columns[process_type], view }.execute(&mut behind, action, &others);
                if !self.meet(id, &mut behind, &step.cells) {
                    continue;
                }
                self.publish(at, &step, &behind);
                self.create(at, edge, &step, &behind);
                for &target in &targets {
                    if self.arrive(NodeRef { context: id, node: target }, &behind, around) {
                        open.insert(target);
                    }
                }
            }
        }
    }

    /// Records the values that a step writes to globals while other processes exist.
    fn publish(&mut self, at: NodeRef, step: &Step, behind: &Matrix) {
        if !self.node(at).accompanied {
            return;
        }
        let (id, analysis) = (at.context, self.analysis);
        for (place, column) in self.columns[analysis.contexts[id].process_type].iter().enumerate() {
            let VariableRef::Global(global) = column.variable else { continue };
            if !step.written.iter().any(|(cell, _)| *cell == column.position) {
                continue;
            }
            let cell = analysis.layout.globals[global].start;
            let news = self.news.entry((id, cell)).or_default();
            let (least, most) = if *news < PATIENCE { behind.ends(place + 1) } else { column.ends };
            let value: Value = ValueSet::between(least, most, LISTED).into();
            if self.interference.write(id, cell, &value, &self.widening) {
                *news += 1;
                let readers = self.interference.readers(cell).iter().copied();
                self.dirty.extend(readers.filter(|reader| *reader != id || analysis.several(id)));
            }
        }
    }

    /// Joins a matrix into that of a node. Returns `true` if that has changed it.
    fn arrive(&mut self, at: NodeRef, matrix: &Matrix, around: &[Option<Ends>]) -> bool {
        let NodeRef { context: id, node } = at;
        let mut matrix = matrix.clone();
        if !self.meet(id, &mut matrix, &self.node(at).cells) {
            return false;
        }
        match self.found[id].get_mut(&node) {
            None => {
                self.found[id].insert(node, Found { matrix, growths: 0 });
            }
            Some(known) => {
                if !known.grow(&matrix, &self.widening) {
                    return false;
                }
            }
        }
        self.disturb(at, around);
        true
    }

    /// Joins the interference of other contexts into the matrix of a node.
    fn disturb(&mut self, at: NodeRef, around: &[Option<Ends>]) {
        let NodeRef { context: id, node } = at;
        if !self.node(at).interrupted {
            return;
        }
        loop {
            let mut grown = false;
            for (place, written) in around.iter().enumerate() {
                let Some((least, most)) = *written else { continue };
                let Some(State { mut matrix, .. }) = self.state(id, node) else { return };
                matrix.forget(place + 1);
                matrix.within(place + 1, least, most);
                if self.meet(id, &mut matrix, &self.node(at).cells)
                    && let Some(known) = self.found[id].get_mut(&node)
                {
                    grown |= known.grow(&matrix, &self.widening);
                }
            }
            if !grown {
                return;
            }
        }
    }
}

impl Found {
    fn grow(&mut self, matrix: &Matrix, widening: &Widening) -> bool {
        let grown = self.matrix.grow(matrix, widening, self.growths < PATIENCE);
        self.growths += usize::from(grown);
        grown
    }
}
