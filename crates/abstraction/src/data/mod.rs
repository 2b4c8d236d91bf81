//! Data places (theory: guards as buffers): quantities of variables that are never below 0, and by
//! how much each move changes them at most.
//!
//! The quantities of a scalar x, or of an element of a short array, are its distances from the
//! least and from the greatest value that it can have: of a global, in any run; of a local, in the
//! state of its process. The fixpoint knows these ends, and the value of x before a move, at each
//! node; a guard has an effect because it removes values there. So nothing is claimed about x
//! beyond the invariant on which the removal of dead code rests. A quantity becomes a data place if
//! some move that may happen more than once lowers x, or raises it.
//!
//! The quantities of all instances of a class are added: the initial value of an instance is part
//! of the start, or of the move that creates it. An instance that ends takes its amount with it,
//! which is not negative.

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

/// The part of a variable that a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The value of one element; 0 for a scalar.
    Element(u32),
    /// The sum of all elements of an array.
    Sum,
    /// Number of elements of an array that hold the value.
    Holding(i64),
    /// Number of slots of a table, of which the array is a part, that hold two given values.
    Slots(Slots),
}

impl Part {
    /// The value of the part, given the numbers in all elements. `None` if there is no such
    /// element, and for slots, which depend on another array too.
    #[must_use]
    pub fn of(self, held: &[i64]) -> Option<i64> {
        match self {
            Self::Element(element) => held.get(element as usize).copied(),
            Self::Sum => Some(held.iter().sum()),
            Self::Holding(value) => i64::try_from(held.iter().filter(|held| **held == value).count()).ok(),
            Self::Slots(_) => None,
        }
    }

    /// The least and the greatest contribution of a cell; `None` if the cell is empty or may hold
    /// something other than a number.
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

/// The quantity that a data place measures: the distance of a variable from the least value, or to
/// the greatest one, that it can have in the state of its process. The quantities of all instances
/// of a class are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The class whose local the variable is; `None` for a global.
    pub class: Option<ClassId>,
    /// The variable.
    pub variable: VariableRef,
    /// The part of the variable that is measured.
    pub part: Part,
    /// `true` for the distance to the greatest value, `false` for the distance from the least one.
    pub falling: bool,
    /// The least value that the variable ever holds; of a falling quantity, the greatest one.
    pub end: i64,
    /// The same for each state of the class, since a local may have narrower ends there; empty for
    /// a global.
    pub ends: BTreeMap<StateId, i64>,
    /// Only for [`Part::Slots`]: the locations of the process between two writes of a slot, with
    /// the index of that slot, which is *open* and is not counted there.
    pub open: BTreeMap<LocationId, Expression>,
}

impl Quantity {
    /// The amount of the quantity, where the measured part has the given value and its process is
    /// in the given state (which is irrelevant for a global): never negative.
    #[must_use]
    pub fn of(&self, value: i64, state: StateId) -> i64 {
        self.distance(value, self.ends.get(&state).copied().unwrap_or(self.end))
    }

    const fn distance(&self, value: i64, end: i64) -> i64 {
        if self.falling { end.saturating_sub(value) } else { value.saturating_sub(end) }
    }

    /// The largest amount, where the variable lies within the interval.
    const fn most(&self, (least, most): Ends, end: i64) -> i64 {
        self.distance(if self.falling { least } else { most }, end)
    }

    /// The most that the quantity grows by, where the change of the variable lies within the
    /// interval, and its end changes between the two given values.
    fn growth(&self, (least, most): Ends, from: i64, to: i64) -> i64 {
        self.distance(if self.falling { least } else { most }, 0).saturating_add(self.distance(from, to))
    }

    /// The name of the quantity, as a user would write it.
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

/// An interval of integers: the least and the greatest.
type Ends = (i64, i64);

/// A part of a variable of a class, or of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owned {
    class: Option<ClassId>,
    variable: VariableId,
    part: Part,
}

/// A move of a context to one of its target nodes. The edge distinguishes the statements of a node.
type Way = (ContextId, NodeId, EdgeId, NodeId);

/// The states of classes.
pub(crate) type States = IdMap<ClassId, BTreeMap<(LocationId, Key), StateId>>;

/// The data places of a system.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// The places.
    pub(crate) places: IdMap<DataId, DataPlace>,
    /// The quantities that they measure.
    pub(crate) quantities: IdMap<DataId, Quantity>,
    /// The changes of data places by each move.
    changes: BTreeMap<Way, Vec<DataChange>>,
    /// The amounts that a new instance of each context adds.
    brought: BTreeMap<ContextId, Vec<DataChange>>,
    /// The extents of counters.
    pub(crate) extents: Vec<Extent>,
}

impl Data {
    /// The changes of data places by a move; `created` is the context of the process that the move
    /// creates.
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
        // A receive that has been split may lead to the same node in several ways.
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

/// A data place, before it gets an id.
struct Found {
    name: String,
    initial: u64,
    quantity: Quantity,
    changes: Vec<(Way, i64)>,
}

/// The inputs of the search for data places.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// The result of its value analysis.
    pub(crate) analysis: &'a Analysis<'a>,
    /// The grouping of its contexts into classes.
    pub(crate) grouping: &'a Grouping,
    /// `true` for each node that is reached.
    pub(crate) live: &'a IdMap<ContextId, IdMap<NodeId, bool>>,
    /// The states of each class.
    pub(crate) states: &'a States,
    /// The name of each class.
    pub(crate) names: &'a IdMap<ClassId, String>,
}

impl<'a> Ground<'a> {
    /// The moves of all reached nodes of a context.
    pub(crate) fn moves(self, id: ContextId) -> impl Iterator<Item = (NodeId, &'a Move)> {
        let nodes = self.analysis.contexts[id].nodes.iter().filter(move |(node, _)| self.live[id][*node]);
        nodes.flat_map(|(id, node)| node.moves.iter().map(move |step| (id, step)))
    }

    /// The state of a node.
    fn state(self, context: ContextId, node: NodeId) -> StateId {
        let known = &self.analysis.contexts[context].nodes[node];
        self.states[self.grouping.class_of[context]][&(known.location, known.key.clone())]
    }

    /// The locations at which slots of a table of a class are open.
    fn open(self, class: ClassId, table: [VariableId; 2]) -> Open {
        let process_type = self.grouping.groups[class].process_type;
        open(&self.program.types[process_type], &self.analysis.layout.frames[process_type], table)
    }

    /// The elements of all counters, in each class that has them.
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

    /// The declared variable of a part.
    fn declared(self, Owned { class, variable, .. }: Owned) -> Declared {
        (class.map(|class| self.grouping.groups[class].process_type), variable)
    }

    /// The name of a part, qualified by its class.
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

/// Finds the data places. Time linear in the nodes and moves, times the number of cells of a frame,
/// except for moves that write, which are executed once for each value.
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
            // No falling quantity is needed: elements that do not hold the value hold others, which
            // are counted themselves.
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
