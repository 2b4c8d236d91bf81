//! Unfolding: the choice of variables whose values become part of the control states.
//!
//! If a process creates others in a loop, the values of the variables that control the loop
//! distinguish its iterations, and with them the processes that are created: `i < 3 -> run P(i);
//! i++` creates P(0), P(1) and P(2), each of them once. This is the value tracking of thesis 12 for
//! its most important purpose; callers may request more with [`Precision`].

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Expression, LocationId, ProcessType, ProcessTypeId, Program, Type, VariableRef,
};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::analysis::Coarseness;
use crate::contexts::Key;
use crate::instances::has_one_instance;
use crate::layout::{Cells, Frame, Layout, Uses};
use crate::liveness::live;
use crate::numbers::ValueSet;
use crate::private_queue::filling;
use crate::value_relevance::{Places, ValueRelevance, held};
use crate::{Precision, Tracked};

/// A variable, or an element of an array, that is unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Unfolded {
    /// The position of its cell in the frame.
    position: usize,
    /// The tracked variable or element.
    tracked: Tracked,
    /// The places at which its values are distinguished.
    within: Within,
}

/// The places at which values are distinguished.
#[derive(Clone, Debug)]
enum Within {
    /// A set of locations.
    Locations(Rc<BTreeSet<LocationId>>),
    /// The places at which the value is relevant.
    ValueRelevance(Rc<Places>),
}

impl Unfolded {
    /// Returns `true` if its values are distinguished in a state at a location.
    fn is_told_apart_at(&self, location: LocationId, cells: &Cells) -> bool {
        match &self.within {
            Within::Locations(locations) => locations.contains(&location),
            Within::ValueRelevance(places) => places.is_relevant(self.position, location, cells),
        }
    }

    /// Returns `true` if messages that are stored in it are distinguished by their values, in a
    /// state after the receive.
    pub(crate) fn tells_messages_apart(&self, location: LocationId, cells: &Cells) -> bool {
        match &self.within {
            Within::Locations(_) => true,
            Within::ValueRelevance(places) => places.is_relevant(self.position, location, cells),
        }
    }

    /// The cells that determine whether its values are distinguished, and the cell of the value.
    pub(crate) fn looks_at(&self) -> BTreeSet<usize> {
        let mut cells = match &self.within {
            Within::Locations(_) => BTreeSet::new(),
            Within::ValueRelevance(places) => places.looks_at(),
        };
        cells.insert(self.position);
        cells
    }

    /// The position of its cell in the frame.
    pub(crate) const fn position(&self) -> usize {
        self.position
    }
}

/// The unfolded variables of each type.
pub(crate) fn unfolded(
    program: &Program,
    layout: &Layout,
    uses: &IdMap<ProcessTypeId, Uses>,
    precision: &Precision,
    value_relevance: Option<&ValueRelevance>,
    coarseness: &Coarseness,
) -> IdMap<ProcessTypeId, Vec<Unfolded>> {
    let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
        if coarseness.folded.contains(&id) {
            return Vec::new();
        }
        let asked: BTreeSet<VariableRef> =
            precision.tracked.get(&id).into_iter().flatten().copied().collect();
        let (control, within) = match coarseness.endless.contains(&id) {
            true => (BTreeSet::new(), BTreeSet::new()),
            false => in_control_of_creation(process),
        };
        let within = Rc::new(within);
        let own = |variable: &VariableRef| match variable {
            VariableRef::Local(_) => true,
            VariableRef::Global(_) => nobody_else_writes(program, uses, id, *variable),
        };
        let wanted = control.union(&asked).copied().filter(own);
        let places = wanted.flat_map(|variable| {
            let within = match asked.contains(&variable) {
                true => Rc::new(live(process, variable)),
                false => Rc::clone(&within),
            };
            cells_of(layout, id, variable, &within)
        });
        let mut unfolded: Vec<Unfolded> = places.collect();
        unfolded.extend(waiting_for(process, &layout.frames[id], &asked));
        if let Some(value_relevance) = value_relevance {
            confine(
                process,
                &layout.frames[id],
                &mut unfolded,
                precision.carried.get(&id),
                &value_relevance.of_type[id],
            );
        }
        unfolded
    };
    program.types.iter().map(of_type).collect()
}

/// Restricts scalars to the places at which they are relevant; adds lazily tracked variables.
fn confine(
    process: &ProcessType,
    frame: &Frame,
    unfolded: &mut Vec<Unfolded>,
    carried: Option<&BTreeSet<VariableRef>>,
    places: &Rc<Places>,
) {
    for unfolded in unfolded.iter_mut().filter(|unfolded| places.covers(unfolded.position)) {
        unfolded.within = Within::ValueRelevance(Rc::clone(places));
    }
    for held in held(process, frame, carried) {
        if !is_unfolded(unfolded, held.cell) {
            let (position, tracked) = (held.cell, held.tracked(frame));
            unfolded.push(Unfolded { position, tracked, within: Within::ValueRelevance(Rc::clone(places)) });
        }
    }
}

/// The fields of messages in private queues that are later stored in tracked variables.
fn waiting_for(process: &ProcessType, frame: &Frame, asked: &BTreeSet<VariableRef>) -> Vec<Unfolded> {
    let within = Rc::new(process.locations.ids().collect::<BTreeSet<_>>());
    let mut waiting = Vec::new();
    for queue in &frame.private {
        let fields: BTreeSet<usize> =
            asked.iter().flat_map(|variable| filling(process, queue.variable, *variable)).collect();
        let front = fields.iter().filter(|field| **field < queue.front.len());
        let front = front.map(|&field| (queue.front.start + field, u32::try_from(field).ok()));
        let length = (!fields.is_empty()).then_some((queue.length, None));
        waiting.extend(length.into_iter().chain(front).map(|(position, element)| Unfolded {
            position,
            tracked: Tracked { variable: VariableRef::Local(queue.variable), element, selected: None },
            within: Within::Locations(Rc::clone(&within)),
        }));
    }
    waiting
}

/// The unfolded cells of a variable: one for a scalar, or one for each element.
fn cells_of(
    layout: &Layout,
    id: ProcessTypeId,
    variable: VariableRef,
    within: &Rc<BTreeSet<LocationId>>,
) -> Vec<Unfolded> {
    let frame = &layout.frames[id];
    let (block, first) = match variable {
        VariableRef::Global(id) => match frame.globals.get(&id) {
            Some(first) => (&layout.globals[id], *first),
            None => return Vec::new(),
        },
        VariableRef::Local(id) => (&frame.locals[id], frame.locals[id].start),
    };
    if block.ty == Type::Channel || !block.is_exact() {
        return Vec::new();
    }
    let elements = match block.length {
        None => vec![None],
        Some(length) => (0..length).map(Some).collect(),
    };
    let cells = elements.into_iter().zip(first..);
    let cells = cells.map(|(element, position)| Unfolded {
        position,
        tracked: Tracked { variable, element, selected: None },
        within: Within::Locations(Rc::clone(within)),
    });
    cells.collect()
}

/// Returns `true` if a run has at most one instance of the type, and no other type writes the
/// global.
pub(crate) fn nobody_else_writes(
    program: &Program,
    uses: &IdMap<ProcessTypeId, Uses>,
    id: ProcessTypeId,
    global: VariableRef,
) -> bool {
    let others = uses.iter().any(|(other, uses)| other != id && uses.writes(global));
    has_one_instance(program, id) && !others
}

/// The variables that are named by conditions and arguments in the loops in which processes are
/// created, if they are written there; and the locations from which these loops are reachable.
fn in_control_of_creation(process: &ProcessType) -> (BTreeSet<VariableRef>, BTreeSet<LocationId>) {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = process.locations.ids().map(|_| graph.add_node(())).collect();
    for edge in process.edges.values() {
        graph.add_edge(nodes[edge.source.index()], nodes[edge.target.index()], ());
    }
    let mut component = vec![0; nodes.len()];
    for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
        for node in members {
            component[node.index()] = number;
        }
    }
    let mut creating = BTreeSet::new();
    for edge in process.edges.values() {
        let (source, target) = (component[edge.source.index()], component[edge.target.index()]);
        if source == target && matches!(edge.action, Action::Create { .. }) {
            creating.insert(source);
        }
    }
    let (mut guarding, mut passed, mut written) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for edge in process.edges.values().filter(|edge| creating.contains(&component[edge.source.index()])) {
        match &edge.action {
            Action::Condition(condition) => note(condition, &mut guarding),
            Action::Create { arguments, .. } => arguments.iter().for_each(|value| note(value, &mut passed)),
            Action::Assign { target, .. } if target.index.is_none() => {
                written.insert(target.variable);
            }
            _ => {}
        }
    }
    // Without a guard the loop does not terminate.
    if guarding.is_disjoint(&written) {
        return (BTreeSet::new(), BTreeSet::new());
    }
    let control = guarding.union(&passed).filter(|variable| written.contains(variable)).copied().collect();
    let ahead = |location: &LocationId| creating.contains(&component[location.index()]);
    let mut before: BTreeSet<LocationId> = process.locations.ids().filter(ahead).collect();
    let reversed = petgraph::visit::Reversed(&graph);
    let mut search = petgraph::visit::Dfs::empty(reversed);
    search.stack = before.iter().map(|location| nodes[location.index()]).collect();
    while let Some(node) = search.next(reversed) {
        before.insert(LocationId::new(node.index()));
    }
    (control, before)
}

fn note(expression: &Expression, named: &mut BTreeSet<VariableRef>) {
    expression.any(&mut |inner| {
        if let Expression::Read(place) = inner {
            named.insert(place.variable);
        }
        false
    });
}

/// Splits a state at a location so that each unfolded variable has a single value in each part, up
/// to a number of combinations of values. A variable with too many values is left as it is.
pub(crate) fn split(
    cells: Cells,
    unfolded: &[Unfolded],
    location: LocationId,
    limit: usize,
) -> Vec<(Key, Cells)> {
    let mut parts = vec![(Key::with_capacity(unfolded.len()), cells)];
    for variable in unfolded {
        let mut finer = Vec::with_capacity(parts.len());
        for (mut key, cells) in parts {
            let value = Rc::clone(&cells[variable.position]);
            let few = |values: &&[i64]| values.len() <= limit;
            let values = value.numbers.values().filter(|_| value.channels.is_empty()).filter(few);
            match values.filter(|_| variable.is_told_apart_at(location, &cells)) {
                None => {
                    key.push(None);
                    finer.push((key, cells));
                }
                Some([value]) => {
                    key.push(Some(*value));
                    finer.push((key, cells));
                }
                Some(values) => finer.extend(values.iter().map(|value| {
                    let (mut key, mut part) = (key.clone(), cells.clone());
                    key.push(Some(*value));
                    part[variable.position] = Rc::new(ValueSet::of(*value).into());
                    (key, part)
                })),
            }
        }
        parts = if finer.len() > limit { together(finer) } else { finer };
    }
    parts
}

/// Merges all parts into one, with no value distinguished.
fn together(parts: Vec<(Key, Cells)>) -> Vec<(Key, Cells)> {
    let mut parts = parts.into_iter();
    let Some((key, mut cells)) = parts.next() else {
        return Vec::new();
    };
    for (_, other) in parts {
        for (cell, other) in cells.iter_mut().zip(&other) {
            if !cell.includes(other) {
                *cell = cell.join(other, usize::MAX).into();
            }
        }
    }
    vec![(key.iter().map(|_| None).collect(), cells)]
}

/// The values of the unfolded variables, for a key.
pub(crate) fn named(unfolded: &[Unfolded], key: &Key) -> BTreeMap<Tracked, i64> {
    unfolded.iter().zip(key).filter_map(|(unfolded, value)| Some((unfolded.tracked, (*value)?))).collect()
}

/// Returns `true` if the values of a cell are distinguished at some location.
pub(crate) fn is_unfolded(unfolded: &[Unfolded], position: usize) -> bool {
    unfolded.iter().any(|unfolded| unfolded.position == position)
}
