//! Data places (theory: guards as buffers): quantities of variables that are never below 0, and by
//! how much each move changes them at most.
//!
//! The quantities of a scalar x, or of an element of a short array, are what it holds above the
//! least and below the greatest value that it can hold: of a global, in any run; of a local, where
//! its process is. That x has such ends, and what it holds before a move, is what the fixpoint
//! knows at each node; a guard counts because it takes values away there. So nothing is said about
//! x beyond the invariant that dead code rests on. A quantity takes part if some move that may
//! happen again and again lowers x, or raises it.
//!
//! The variables of a class with several instances add up: what an instance starts with is part of
//! the start, or of the move that creates it. Those that end take theirs with them, which is not
//! below 0.

mod change;
mod extent;
mod held;
mod slots;

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, Expression, LocationId, Program, VariableId, VariableRef};
use cfsm_core::system::{ClassId, DataChange, DataId, DataPlace, StateId};

pub use self::slots::Slots;
pub(crate) use self::slots::{Open, open};
use crate::analysis::Analysis;
use crate::contexts::{Context, ContextId, Key, Move, NodeId};
use crate::counters::{Declared, Extent};
use crate::data::extent::Extents;
use crate::grouping::Grouping;
use crate::naming::unique;
use crate::values::Value;

/// What of a variable a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What an element holds; 0 of a scalar.
    Element(u32),
    /// What all elements of an array hold together.
    Sum,
    /// How many elements of an array hold a value.
    Holding(i64),
    /// How many slots of a table, of which the array is a part, hold two values.
    Slots(Slots),
}

impl Part {
    /// What it comes to where these are the numbers that all elements hold. None where there is no
    /// such element, and of slots, for which one has to know another array.
    #[must_use]
    pub fn of(self, held: &[i64]) -> Option<i64> {
        match self {
            Self::Element(element) => held.get(element as usize).copied(),
            Self::Sum => Some(held.iter().sum()),
            Self::Holding(value) => i64::try_from(held.iter().filter(|held| **held == value).count()).ok(),
            Self::Slots(_) => None,
        }
    }

    /// The least and the greatest that a cell adds to it; `None` if the cell may hold something
    /// that is no number, or nothing.
    fn ends(self, cell: &Value) -> Option<Ends> {
        let (low, high) = extent::ends(cell)?;
        Some(match self {
            Self::Element(_) | Self::Sum => (low, high),
            Self::Holding(value) if (low, high) == (value, value) => (1, 1),
            Self::Holding(value) => (0, i64::from(cell.numbers.contains(value))),
            Self::Slots(_) => return None,
        })
    }
}

/// What a data place measures: how far a variable is above the least value, or below the greatest
/// one, that it can hold where its process is. The variables of all instances of a class add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The class whose local the variable is; `None` for a global.
    pub class: Option<ClassId>,
    /// The variable.
    pub variable: VariableRef,
    /// What of it is measured.
    pub part: Part,
    /// Whether it is what is left below the greatest value, not what there is above the least one.
    pub falling: bool,
    /// The least value that the variable ever holds; of a falling quantity, the greatest one.
    pub end: i64,
    /// The same for each state of the class; empty for a global.
    pub ends: BTreeMap<StateId, i64>,
    /// Of slots: at these locations of the process, between two writes of a slot, that one is
    /// *open*, and does not count; its index.
    pub open: BTreeMap<LocationId, Expression>,
}

impl Quantity {
    /// How much of it there is where the part of the variable that is measured comes to a value,
    /// and its process is at a state (which makes no difference to a global): never below 0.
    #[must_use]
    pub fn of(&self, value: i64, state: StateId) -> i64 {
        self.distance(value, self.ends.get(&state).copied().unwrap_or(self.end))
    }

    const fn distance(&self, value: i64, end: i64) -> i64 {
        if self.falling { end.saturating_sub(value) } else { value.saturating_sub(end) }
    }

    /// The most there is of it, where the variable holds `least` to `most`.
    const fn most(&self, (least, most): Ends, end: i64) -> i64 {
        self.distance(if self.falling { least } else { most }, end)
    }

    /// The most that it grows by, where the variable does by `least` to `most`, and its end goes
    /// from one value to another.
    fn growth(&self, (least, most): Ends, from: i64, to: i64) -> i64 {
        self.distance(if self.falling { least } else { most }, 0).saturating_add(self.distance(from, to))
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
}

/// The least and the greatest of some integers.
type Ends = (i64, i64);

/// A part of a variable of a class, or of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owned {
    class: Option<ClassId>,
    variable: VariableId,
    part: Part,
}

/// A move of a context and one of the nodes that it leads to; the edge tells the statements of a
/// node apart.
type Way = (ContextId, NodeId, EdgeId, NodeId);

/// The states of classes.
pub(crate) type States = IdMap<ClassId, BTreeMap<(LocationId, Key), StateId>>;

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
    /// What is known of counters.
    pub(crate) extents: Vec<Extent>,
}

impl Data {
    /// What a move does to data places where it leads to one of its nodes; `created` is the context
    /// of the process that it creates.
    pub(crate) fn changes(&self, way: Way, created: Option<ContextId>) -> Vec<DataChange> {
        let mut sum: BTreeMap<DataId, i64> = BTreeMap::new();
        let brought = created.and_then(|created| self.brought.get(&created));
        for &DataChange { place, change } in self.changes.get(&way).into_iter().chain(brought).flatten() {
            *sum.entry(place).or_default() += change;
        }
        let changes = sum.into_iter().filter(|(_, change)| *change != 0);
        changes.map(|(place, change)| DataChange { place, change }).collect()
    }

    fn add(&mut self, extents: &Extents<'_>, found: Found) -> DataId {
        let Found { name, initial, quantity, changes } = found;
        let place = self.places.push(DataPlace::new(name, initial));
        // A receive that is taken apart may lead to one node in several ways.
        let mut most: BTreeMap<Way, i64> = BTreeMap::new();
        for (way, change) in changes {
            let known = most.entry(way).or_insert(change);
            *known = change.max(*known);
        }
        for (way, change) in most.into_iter().filter(|(_, change)| *change != 0) {
            self.changes.entry(way).or_default().push(DataChange { place, change });
        }
        for (context, ends, state) in extents.births(&quantity) {
            let change = quantity.most(ends, quantity.ends.get(&state).copied().unwrap_or(quantity.end));
            self.brought.entry(context).or_default().push(DataChange { place, change });
        }
        self.quantities.push(quantity);
        place
    }
}

/// A data place to be.
struct Found {
    name: String,
    initial: u64,
    quantity: Quantity,
    changes: Vec<(Way, i64)>,
}

/// What data places are found in.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// What is known of it.
    pub(crate) analysis: &'a Analysis<'a>,
    /// Its classes.
    pub(crate) grouping: &'a Grouping,
    /// The nodes that are reached.
    pub(crate) live: &'a IdMap<ContextId, IdMap<NodeId, bool>>,
    /// The states of classes.
    pub(crate) states: &'a States,
    /// The names of classes.
    pub(crate) names: &'a IdMap<ClassId, String>,
}

impl<'a> Ground<'a> {
    /// The moves of instances of a context.
    pub(crate) fn moves(self, id: ContextId) -> impl Iterator<Item = (NodeId, &'a Move)> {
        let nodes = self.analysis.contexts[id].nodes.iter().filter(move |(node, _)| self.live[id][*node]);
        nodes.flat_map(|(id, node)| node.moves.iter().map(move |step| (id, step)))
    }

    /// The state of a node.
    fn state(self, context: ContextId, node: NodeId) -> StateId {
        let known = &self.analysis.contexts[context].nodes[node];
        self.states[self.grouping.class_of[context]][&(known.location, known.key.clone())]
    }

    /// Where slots of a table of a class are open.
    fn open(self, class: ClassId, table: [VariableId; 2]) -> Open {
        let process_type = self.grouping.groups[class].process_type;
        open(&self.program.types[process_type], &self.analysis.layout.frames[process_type], table)
    }

    /// The counters, in each class that has some.
    fn counters(self) -> impl Iterator<Item = Owned> + 'a {
        let counters = self.analysis.options.precision.counters.keys();
        counters.flat_map(move |&(owner, variable)| {
            let layout = &self.analysis.layout;
            let block = match owner {
                None => &layout.globals[variable],
                Some(owner) => &layout.frames[owner].locals[variable],
            };
            let length = block.counted().unwrap_or(0);
            let of_owner = move |class: &ClassId| Some(self.grouping.groups[*class].process_type) == owner;
            let classes: Vec<Option<ClassId>> = match owner {
                None => vec![None],
                Some(_) => self.grouping.groups.ids().filter(of_owner).map(Some).collect(),
            };
            let elements = move |class| {
                (0..length).map(move |element| Owned { class, variable, part: Part::Element(element) })
            };
            classes.into_iter().flat_map(elements)
        })
    }

    /// What a variable is declared as.
    fn declared(self, Owned { class, variable, .. }: Owned) -> Declared {
        (class.map(|class| self.grouping.groups[class].process_type), variable)
    }

    /// A variable's name, with that of its class.
    fn name(self, Owned { class, variable, part }: Owned) -> String {
        let (owner, variable) = match class {
            None => (String::new(), &self.program.globals[variable]),
            Some(class) => {
                let process_type = self.grouping.groups[class].process_type;
                (format!("{}.", self.names[class]), &self.program.types[process_type].locals[variable])
            }
        };
        match part {
            Part::Element(element) => format!("{owner}{}", variable.element_name(element as usize)),
            Part::Sum => format!("{owner}{}[*]", variable.name),
            Part::Holding(value) => format!("({owner}{}[*] == {value})", variable.name),
            Part::Slots(Slots { holds, beside, value, first, length }) => {
                let beside = match class {
                    Some(class) => {
                        let process_type = self.grouping.groups[class].process_type;
                        self.program.types[process_type].locals[beside].name.as_str()
                    }
                    None => "",
                };
                let last = first + length - 1;
                format!("({owner}{}[{first}..{last}] == {holds} && {beside}[..] == {value})", variable.name)
            }
        }
    }
}

/// Finds the data places. Time linear in the nodes and moves, times the cells that a context names,
/// but for the moves that write, which are looked at once for each value.
pub(crate) fn find(ground: Ground<'_>) -> Data {
    let components: IdMap<ContextId, Vec<usize>> =
        ground.analysis.contexts.values().map(Context::components).collect();
    let again = |way: &Way| change::again(ground.analysis, &components, way);
    let changes = change::changes(ground);
    let moved =
        changes.iter().filter(|(_, ways)| ways.iter().any(|(way, ends)| *ends != (0, 0) && again(way)));
    let counters: BTreeSet<Owned> = ground.counters().collect();
    let moved: BTreeSet<Owned> = moved.map(|(owned, _)| *owned).chain(counters.iter().copied()).collect();
    let extents = Extents::new(ground, &moved);
    let mut data = Data::default();
    let mut taken = BTreeSet::new();
    for owned in moved {
        let place = |falling: bool| {
            // As many elements as do not hold a value hold others, each of which is counted.
            if falling && matches!(owned.part, Part::Holding(_) | Part::Slots(_)) {
                return None;
            }
            let quantity = extents.quantity(owned, falling)?;
            let changes = changes.get(&owned)?;
            let falls = |(way, ends): &(Way, Ends)| quantity.growth(*ends, 0, 0) < 0 && again(way);
            if !changes.iter().any(falls) {
                return None;
            }
            let initial = extents.at_start(&quantity)?;
            let changes = change::growths(ground, &quantity, changes)?;
            let name = unique(quantity.name(&ground.name(owned)), &mut taken);
            Some(data.add(&extents, Found { name, initial, quantity, changes }))
        };
        let [rising, falling] = [false, true].map(place);
        if counters.contains(&owned) {
            let counter = ground.declared(owned);
            data.extents.push(Extent { counter, ends: extents.ends(owned), rising, falling });
        }
    }
    data
}
