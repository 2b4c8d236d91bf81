//! Data places (theory: guards as buffers): quantities of variables that are never below 0, and by how much
//! each move changes them at most.
//!
//! The quantities are `x - least` and `most - x`, for scalars x and the least and the most that x holds in any
//! run. That the values of x have such ends, and what x holds before a move, is what the fixpoint knows at each
//! node; a guard counts because it takes values away there. So nothing is said about x beyond the invariant
//! that dead code rests on. A quantity takes part if some move that may happen again and again lowers it.
//!
//! The variables of a class with several instances add up: what an instance starts with is part of the start,
//! or of the move that creates it. Those that end take theirs with them, which is not below 0.

mod change;

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, EdgeId, Program, Type, VariableId, VariableRef};
use cfsm_core::system::{ClassId, DataChange, DataId, DataPlace};

use crate::analysis::Analysis;
use crate::contexts::{Birth, Context, ContextId, Move, NodeId};
use crate::grouping::Grouping;
use crate::layout::{Block, Cells, written};
use crate::naming::unique;

/// Variables that range over more values than this have no quantities.
const WIDEST: i64 = 1 << 40;

/// What a data place measures: a variable above its least value, or below its greatest one. The variables of
/// all instances of a class add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The class whose local the variable is; `None` for a global.
    pub class: Option<ClassId>,
    /// The variable, a scalar.
    pub variable: VariableRef,
    /// Whether it is what is left below the greatest value, not what there is above the least one.
    pub falling: bool,
    /// The least value that the variable ever holds; of a falling quantity, the greatest one.
    pub end: i64,
}

impl Quantity {
    /// How much of it there is where the variable holds a value: never below 0.
    #[must_use]
    pub const fn of(&self, value: i64) -> i64 {
        if self.falling { self.end.saturating_sub(value) } else { value.saturating_sub(self.end) }
    }

    /// As a user would write it.
    fn name(&self, variable: &str) -> String {
        match (self.falling, self.end) {
            (false, 0) => variable.to_owned(),
            (false, end @ ..0) => format!("{variable} + {}", end.unsigned_abs()),
            (false, end) => format!("{variable} - {end}"),
            (true, 0) => format!("-{variable}"),
            (true, end) => format!("{end} - {variable}"),
        }
    }

    /// The most that the quantity grows by, where the variable does by `least` to `most`.
    const fn growth(&self, (least, most): Ends) -> i64 {
        if self.falling { least.saturating_neg() } else { most }
    }

    /// The most there is of it, where the variable holds `least` to `most`.
    const fn most(&self, (least, most): Ends) -> i64 {
        self.of(if self.falling { least } else { most })
    }
}

/// The least and the greatest of some integers.
type Ends = (i64, i64);

/// A variable of a class, or a global.
type Owned = (Option<ClassId>, VariableId);

/// A move of a context and one of the nodes that it leads to; the edge tells the moves of a node apart.
type Way = (ContextId, NodeId, EdgeId, NodeId);

/// The data places of a system.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// The places.
    pub(crate) places: IdMap<DataId, DataPlace>,
    /// What they measure.
    pub(crate) quantities: IdMap<DataId, Quantity>,
    /// What moves do to them.
    changes: BTreeMap<Way, Vec<DataChange>>,
    /// What a new instance of a context brings with it.
    brought: BTreeMap<ContextId, Vec<DataChange>>,
}

impl Data {
    /// What a move does to data places where it leads to one of its nodes; `created` is the context of the
    /// process that it creates.
    pub(crate) fn changes(&self, way: Way, created: Option<ContextId>) -> Vec<DataChange> {
        let mut sum: BTreeMap<DataId, i64> = BTreeMap::new();
        let brought = created.and_then(|created| self.brought.get(&created));
        for &DataChange { place, change } in self.changes.get(&way).into_iter().chain(brought).flatten() {
            *sum.entry(place).or_default() += change;
        }
        let changes = sum.into_iter().filter(|(_, change)| *change != 0);
        changes.map(|(place, change)| DataChange { place, change }).collect()
    }
}

/// Finds the data places. `live` says which nodes are reached. Time linear in the nodes and moves, times the
/// variables that a context names, but for the moves that write, which are looked at once for each value.
pub(crate) fn find(
    program: &Program,
    analysis: &Analysis<'_>,
    grouping: &Grouping,
    live: &IdMap<ContextId, IdMap<NodeId, bool>>,
    classes: &IdMap<ClassId, String>,
) -> Data {
    let components = analysis.contexts.values().map(Context::components).collect();
    let finder = Finder { program, analysis, grouping, live, components };
    let changes = finder.changes();
    let mut ends = finder.ends(&changes.keys().copied().collect());
    ends.retain(|_, (least, most)| most.checked_sub(*least).is_some_and(|width| width <= WIDEST));
    let reached = analysis.contexts.ids().filter(|id| live[*id].values().into_iter().any(|live| *live));
    let entries: Entries = reached.map(|id| (id, analysis.entry(id, &analysis.around(id)))).collect();
    let mut data = Data::default();
    let mut taken = BTreeSet::new();
    for (&owned, &(least, most)) in &ends {
        let (class, id) = owned;
        let variable = if class.is_some() { VariableRef::Local(id) } else { VariableRef::Global(id) };
        for (falling, end) in [(false, least), (true, most)] {
            let quantity = Quantity { class, variable, falling, end };
            let falls = |(way, change): &(Way, Ends)| quantity.growth(*change) < 0 && finder.again(way);
            let start = finder.at_start(&quantity, &entries);
            let (true, Some(initial)) = (changes[&owned].iter().any(falls), start) else { continue };
            let name = unique(quantity.name(&finder.name(owned, classes)), &mut taken);
            let place = data.places.push(DataPlace { name, initial });
            data.quantities.push(quantity);
            for &(way, change) in &changes[&owned] {
                let change = quantity.growth(change);
                data.changes.entry(way).or_default().push(DataChange { place, change });
            }
            for (&context, cells) in entries.iter().filter(|(id, _)| Some(grouping.class_of[**id]) == class) {
                if let Some(ends) = finder.held(context, owned, cells) {
                    let change = quantity.most(ends);
                    data.brought.entry(context).or_default().push(DataChange { place, change });
                }
            }
        }
    }
    data
}

/// The states in which instances of contexts start.
type Entries = BTreeMap<ContextId, Cells>;

/// What data places are found in.
struct Finder<'a> {
    program: &'a Program,
    analysis: &'a Analysis<'a>,
    grouping: &'a Grouping,
    live: &'a IdMap<ContextId, IdMap<NodeId, bool>>,
    /// Per context and node, the strongly connected component.
    components: IdMap<ContextId, Vec<usize>>,
}

impl<'a> Finder<'a> {
    /// The moves of instances of a context.
    fn moves(&self, id: ContextId) -> impl Iterator<Item = (NodeId, &'a Move)> + '_ {
        let nodes = self.analysis.contexts[id].nodes.iter().filter(move |(node, _)| self.live[id][*node]);
        nodes.flat_map(|(id, node)| node.moves.iter().map(move |step| (id, step)))
    }

    /// By how much moves change what variables hold; of a move that writes a variable there is an entry for each of
    /// its nodes that it can lead to.
    fn changes(&self) -> BTreeMap<Owned, Vec<(Way, Ends)>> {
        let mut changes: BTreeMap<Owned, Vec<(Way, Ends)>> = BTreeMap::new();
        for id in self.analysis.contexts.ids() {
            let process_type = self.analysis.contexts[id].process_type;
            for (node, step) in self.moves(id) {
                let action = &self.program.types[process_type].edges[step.edge].action;
                for variable in self.written(id, action) {
                    for (target, change) in self.analysis.change((id, node), step, variable) {
                        let way = (id, node, step.edge, target);
                        changes.entry(self.owned(id, variable)).or_default().push((way, change));
                    }
                }
            }
        }
        changes
    }

    /// The scalars that hold numbers and that an action may write.
    fn written(&self, id: ContextId, action: &Action) -> BTreeSet<VariableRef> {
        let frame = &self.analysis.layout.frames[self.analysis.contexts[id].process_type];
        let variables: Vec<VariableRef> = match action {
            Action::Opaque { .. } => {
                let globals = frame.globals.keys().map(|id| VariableRef::Global(*id));
                globals.chain(frame.locals.ids().map(VariableRef::Local)).collect()
            }
            _ => written(action).into_iter().map(|place| place.variable).collect(),
        };
        let counts = |block: &Block| block.length.is_none() && block.ty != Type::Channel;
        let kept = variables.into_iter().filter(|variable| match variable {
            VariableRef::Global(id) => counts(&self.analysis.layout.globals[*id]),
            VariableRef::Local(id) => counts(&frame.locals[*id]),
        });
        kept.collect()
    }

    fn owned(&self, context: ContextId, variable: VariableRef) -> Owned {
        match variable {
            VariableRef::Global(id) => (None, id),
            VariableRef::Local(id) => (Some(self.grouping.class_of[context]), id),
        }
    }

    /// The least and the greatest value that variables ever hold; none, if they may hold something that is no
    /// number. A variable holds what it starts with until a process writes it, and then what it holds behind that.
    fn ends(&self, variables: &BTreeSet<Owned>) -> BTreeMap<Owned, Ends> {
        let mut all: BTreeMap<Owned, Option<Ends>> = BTreeMap::new();
        let mut join = |variable: Owned, ends: Option<Ends>| {
            let known = all.entry(variable).or_insert(ends);
            *known = known.zip(ends).map(|(known, ends)| (known.0.min(ends.0), known.1.max(ends.1)));
        };
        for &(class, id) in variables.iter().filter(|(class, _)| class.is_none()) {
            let block = &self.analysis.layout.globals[id];
            join((class, id), change::ends(&self.analysis.start[block.start]));
        }
        for (id, context) in self.analysis.contexts.iter() {
            let here: Vec<Owned> = variables.iter().copied().filter(|v| self.sees(id, *v)).collect();
            for (_, node) in context.nodes.iter().filter(|(node, _)| self.live[id][*node]) {
                here.iter().for_each(|&variable| join(variable, self.held(id, variable, &node.cells)));
            }
        }
        all.into_iter().filter_map(|(variable, ends)| Some((variable, ends?))).collect()
    }

    /// Whether the states of a context have a cell for a variable.
    fn sees(&self, context: ContextId, (class, id): Owned) -> bool {
        let process_type = self.analysis.contexts[context].process_type;
        match class {
            None => self.analysis.layout.frames[process_type].globals.contains_key(&id),
            Some(class) => self.grouping.class_of[context] == class,
        }
    }

    /// What a variable may hold in a state of a context that sees it.
    fn held(&self, context: ContextId, (class, id): Owned, cells: &Cells) -> Option<Ends> {
        let frame = &self.analysis.layout.frames[self.analysis.contexts[context].process_type];
        let position = if class.is_some() { frame.locals[id].start } else { *frame.globals.get(&id)? };
        change::ends(&cells[position])
    }

    /// Whether a move may happen again and again: it is part of a loop, or of a process that is created.
    fn again(&self, (context, node, _, target): &Way) -> bool {
        let Context { birth, shared, .. } = &self.analysis.contexts[*context];
        *shared || matches!(birth, Birth::Created { .. }) || {
            let component = &self.components[*context];
            component[node.index()] == component[target.index()]
        }
    }

    /// How much there is of a quantity at the start, at most; `None` if that is too much.
    fn at_start(&self, quantity: &Quantity, entries: &Entries) -> Option<u64> {
        let (VariableRef::Global(id) | VariableRef::Local(id)) = quantity.variable;
        let Some(class) = quantity.class else {
            let block = &self.analysis.layout.globals[id];
            return u64::try_from(quantity.most(change::ends(&self.analysis.start[block.start])?)).ok();
        };
        let mut sum: i64 = 0;
        for &context in &self.grouping.groups[class].contexts {
            let ends = self.held(context, (Some(class), id), entries.get(&context)?)?;
            if let Birth::Initial(count) = self.analysis.contexts[context].birth {
                sum = sum.checked_add(quantity.most(ends).checked_mul(count.into())?)?;
            }
        }
        u64::try_from(sum).ok().filter(|sum| *sum <= 1 << 52)
    }

    /// A variable's name, with that of its class.
    fn name(&self, (class, id): Owned, classes: &IdMap<ClassId, String>) -> String {
        match class {
            None => self.program.globals[id].name.clone(),
            Some(class) => {
                let process_type = self.grouping.groups[class].process_type;
                format!("{}.{}", classes[class], self.program.types[process_type].locals[id].name)
            }
        }
    }
}
