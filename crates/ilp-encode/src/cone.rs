//! The cone of a system: its rows, and its columns in one of two forms.
//!
//! Rows are the places that couple the classes: one per message type, one per data place, and one
//! *entry* row per class, whose tokens are instances not yet started; the last row counts what the
//! property counts. A column is a closed piece of behaviour inside one class:
//!
//! - a *cycle* adds its effect to the message rows, its upper bound on the change of data to the
//!   data rows, and one token to the entry row of each class it creates;
//! - a *path* from the initial state also takes one token from its class's entry row.
//!
//! Every run of the counting net decomposes into paths, one per started instance, and cycles
//! (thesis, section 5.8; a flow with sources decomposes in the same way), and every non-negative
//! circulation into cycles. So `M0 + V·x ≥ 0` over these columns has the same solutions on its rows
//! as the state equation `M0 + C·f ≥ 0` over transitions (theory: flow form), with the control rows
//! eliminated.
//!
//! There may be exponentially many columns. The *flow form* never lists them: for given row weights
//! a longest-path computation finds a column that violates `weights·column ≤ 0`, or proves that
//! there is none and yields the potentials of the control states (module `flow`). The *cycle form*
//! (thesis 5.4) first lists every elementary cycle and decides over that list; only the paths,
//! which bounds need, come from the flow.

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{ClassId, DataId, MessageId, System, TransitionId};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::flow::{FlowGraph, Separation};
use crate::{Encoding, Options, Property, Stopped, cycle_form};

define_id!(
    /// A row of a cone.
    RowId, "row"
);

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// Messages of a type.
    Message(MessageId),
    /// A quantity of data, which cannot decrease for ever.
    Data(DataId),
    /// Instances of a class that have not started.
    Entry(ClassId),
    /// The quantity that the property counts: see [`Property::gain`].
    Gain,
}

/// The behaviour of a column, as transitions in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Behaviour {
    /// An elementary cycle of a class.
    Cycle(Vec<TransitionId>),
    /// A path from the initial state of a class.
    Path(ClassId, Vec<TransitionId>),
}

/// A column: the change of the rows by a piece of behaviour.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// Pairs of row and change, ascending by row, without zeros.
    pub entries: Vec<(RowId, i128)>,
    /// The behaviour.
    pub behaviour: Behaviour,
}

/// A potential: weights of all places, as integers over a common denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Potential {
    /// The common denominator, positive.
    pub denominator: BigInt,
    /// Weights of message types, without zeros.
    pub messages: Vec<(MessageId, BigInt)>,
    /// Weights of data places, without zeros.
    pub data: Vec<(DataId, BigInt)>,
    /// Weights of control states, without zeros.
    pub states: Vec<(cfsm_core::system::StateId, BigInt)>,
    /// The value of the potential in the initial marking, times the denominator.
    pub initial: BigInt,
}

impl Potential {
    /// The greatest integer not above the value in the initial marking: the bound that the
    /// potential proves for message types of weight at least 1.
    #[must_use]
    pub fn bound(&self) -> BigInt {
        num_integer::Integer::div_floor(&self.initial, &self.denominator)
    }
}

/// The cone of a system.
#[derive(Debug)]
pub struct Cone<'a> {
    system: &'a System,
    flow: FlowGraph<'a>,
    /// Maps each row to `true` if it must not be gained for ever.
    targets: IdMap<RowId, bool>,
    /// Every elementary cycle, in the cycle form.
    listed: Option<Vec<Column>>,
}

impl<'a> Cone<'a> {
    /// Builds the cone of a system for a property, in the form that the options name.
    ///
    /// Flow form: time and space linear in the system. Cycle form: plus the number of elementary
    /// cycles times their length.
    ///
    /// # Errors
    /// In the cycle form, [`Stopped`] if there are more elementary cycles than the options allow.
    pub fn new(system: &'a System, property: &dyn Property, options: &Options) -> Result<Self, Stopped> {
        let flow = FlowGraph::new(system, property);
        let listed = match options.encoding {
            Encoding::Flow => None,
            Encoding::Cycles => Some(cycle_form::columns(system, &flow, options)?),
        };
        let is_target = |row: &Row| match row {
            Row::Message(message) => !system.is_rendezvous(*message) && property.is_target(system, *message),
            Row::Data(data) => property.is_data_target(system, *data),
            Row::Entry(_) => false,
            Row::Gain => true,
        };
        let targets = rows(system).values().map(is_target).collect();
        Ok(Self { system, flow, targets, listed })
    }

    /// The system.
    #[must_use]
    pub const fn system(&self) -> &'a System {
        self.system
    }

    /// The elementary cycles with different effects, in the cycle form; `None` in the flow form,
    /// which lists none. With them, the questions can be put to any solver: see the rows for the
    /// meaning of entries.
    ///
    /// ```
    /// use cfsm_core::system::{MessageId, System, SystemBuilder};
    /// use ilp_encode::{Cone, Encoding, Options, Property};
    ///
    /// struct NoMessageGrows;
    /// impl Property for NoMessageGrows {
    ///     fn is_target(&self, _: &System, _: MessageId) -> bool {
    ///         true
    ///     }
    /// }
    ///
    /// let mut b = SystemBuilder::new("doubling");
    /// let (one, two) = (b.message("in", "one"), b.message("out", "two"));
    /// b.class("P", 1).receive("0", one, "1").send("1", two, "2").send("2", two, "0");
    /// let system = b.build()?;
    /// let options = Options { encoding: Encoding::Cycles, ..Options::default() };
    /// let cone = Cone::new(&system, &NoMessageGrows, &options)?;
    /// let [cycle] = cone.columns().unwrap() else { panic!("there is one cycle") };
    /// assert_eq!(cycle.entries, [(cone.message_row(one), -1), (cone.message_row(two), 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn columns(&self) -> Option<&[Column]> {
        self.listed.as_deref()
    }

    /// Every row: message types, data places, entries of classes, the property's own.
    #[must_use]
    pub fn rows(&self) -> IdMap<RowId, Row> {
        rows(self.system)
    }

    /// Returns `true` if the property forbids that a row is gained for ever.
    #[must_use]
    pub fn is_target(&self, row: RowId) -> bool {
        self.targets[row]
    }

    /// The row of a message type.
    #[must_use]
    pub fn message_row(&self, message: MessageId) -> RowId {
        message_row(message)
    }

    /// The row of a data place.
    #[must_use]
    pub fn data_row(&self, data: DataId) -> RowId {
        data_row(self.system, data)
    }

    /// The row of a class's entry.
    #[must_use]
    pub fn entry_row(&self, class: ClassId) -> RowId {
        entry_row(self.system, class)
    }

    /// The kind of a row.
    pub(crate) fn row(&self, row: RowId) -> Row {
        let System { messages, data, classes, .. } = self.system;
        let at = row.index();
        if at < messages.len() {
            Row::Message(MessageId::new(at))
        } else if at < messages.len() + data.len() {
            Row::Data(DataId::new(at - messages.len()))
        } else if at < messages.len() + data.len() + classes.len() {
            Row::Entry(ClassId::new(at - messages.len() - data.len()))
        } else {
            Row::Gain
        }
    }

    /// The changes of the rows by a transition, without zeros.
    pub(crate) fn changes(&self, transition: TransitionId) -> &[(RowId, i64)] {
        self.flow.changes(transition)
    }

    /// The classes with a transition that changes a row, ascending.
    pub(crate) fn touching(&self, row: RowId) -> &[ClassId] {
        self.flow.touching().of(row)
    }

    /// The rows that transitions of a class change, possibly with repetitions.
    pub(crate) fn rows_in(&self, class: ClassId) -> impl Iterator<Item = RowId> + '_ {
        self.flow.rows_in(class)
    }

    /// Columns of a class, in the flow form, that violate `weights·column ≤ 0`; `None` if the
    /// computation may overflow 128 bits.
    pub(crate) fn violated_in(
        &self,
        class: ClassId,
        weights: &[i128],
        free: &IdMap<ClassId, bool>,
    ) -> Option<Vec<Column>> {
        self.flow.violated_in(class, weights, free)
    }

    /// The change of the property's own row by a transition.
    pub(crate) fn gain(&self, transition: TransitionId) -> u32 {
        let changes = self.changes(transition).last();
        let gain = changes.filter(|(row, _)| *row == gain_row(self.system));
        gain.map_or(0, |&(_, gain)| u32::try_from(gain).unwrap_or(u32::MAX))
    }

    /// The transitions that the property does not exclude, ascending.
    pub(crate) fn taking_part(&self) -> Vec<TransitionId> {
        let mut all: Vec<_> = self.flow.transitions().collect();
        all.sort_unstable();
        all
    }

    /// The transitions that matter for growth: not excluded, and on a cycle, of a created class, or
    /// creating an instance.
    pub(crate) fn repeatable(&self) -> Vec<TransitionId> {
        let created = self.created();
        let mut all = self.taking_part();
        let creates = |step: TransitionId| !self.system.transitions[step].creates.is_empty();
        all.retain(|&step| self.flow.on_cycle(step) || created[self.system.class_of(step)] || creates(step));
        all
    }

    /// Maps each class to `true` if some transition creates an instance of it.
    pub(crate) fn created(&self) -> IdMap<ClassId, bool> {
        let mut created = IdMap::filled(false, self.system.classes.len());
        for class in self.system.transitions.values().flat_map(|transition| &transition.creates) {
            created[*class] = true;
        }
        created
    }

    /// Columns that violate `weights·column ≤ 0`, or the state weights that prove there is none.
    /// `weights` has one entry per row; paths of classes with `free` entries are ignored.
    pub(crate) fn separate(&self, weights: &[BigInt], free: &IdMap<ClassId, bool>) -> Separation {
        if let Some(listed) = &self.listed {
            let violated: Vec<_> =
                listed.iter().filter(|column| column.weigh(weights).is_positive()).cloned().collect();
            if !violated.is_empty() {
                return Separation::Violated(violated);
            }
        }
        self.flow.separate(weights, free)
    }
}

impl Column {
    /// A column from changes in any order; changes of the same row are added up.
    pub(crate) fn new(mut changes: Vec<(RowId, i128)>, behaviour: Behaviour) -> Self {
        changes.sort_unstable_by_key(|change| change.0);
        let mut entries: Vec<(RowId, i128)> = Vec::new();
        for (row, change) in changes {
            match entries.last_mut() {
                Some(last) if last.0 == row => last.1 += change,
                _ => entries.push((row, change)),
            }
        }
        entries.retain(|entry| entry.1 != 0);
        Self { entries, behaviour }
    }

    /// The scalar product `weights·column`. Most weights are 0.
    pub(crate) fn weigh(&self, weights: &[BigInt]) -> BigInt {
        let weighed = self.entries.iter().map(|(row, change)| (&weights[row.index()], change));
        weighed.filter(|(weight, _)| !weight.is_zero()).map(|(weight, change)| weight * change).sum()
    }
}

pub(crate) fn message_row(message: MessageId) -> RowId {
    RowId::new(message.index())
}

pub(crate) fn data_row(system: &System, data: DataId) -> RowId {
    RowId::new(system.messages.len() + data.index())
}

pub(crate) fn entry_row(system: &System, class: ClassId) -> RowId {
    RowId::new(system.messages.len() + system.data.len() + class.index())
}

/// The property's own row.
pub(crate) fn gain_row(system: &System) -> RowId {
    RowId::new(system.messages.len() + system.data.len() + system.classes.len())
}

fn rows(system: &System) -> IdMap<RowId, Row> {
    let messages = system.messages.ids().map(Row::Message);
    let data = system.data.ids().map(Row::Data);
    messages.chain(data).chain(system.classes.ids().map(Row::Entry)).chain([Row::Gain]).collect()
}
