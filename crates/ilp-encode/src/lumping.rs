//! Lumping: equivalent places and transitions are merged before any programme is posed.
//!
//! Places and transitions of a system are partitioned so that all transitions of a part change each
//! part of the places by the same amounts, and all places of a part are changed by each part of the
//! transitions in the same ways (an [equitable partition](partition)). The *merged system* has a
//! place per part of the places, and a transition per part of the transitions with the change that
//! one of them makes to all places of a part together. Weights of merged places, given to each of
//! their places, give every transition the weight of the merged one. So a proof for the merged
//! system is a proof for the system; and nothing is lost, as the average of a gain of the system
//! over the parts is a gain of the merged one (`docs/soundness/boundedness.md`).
//!
//! Soundness does not depend on this: the resulting weights are checked on the system itself.

mod partition;

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{
    Buffer, BufferKind, Class, ClassId, DataChange, DataId, DataPlace, Direction, Event, MessageId,
    MessageType, SCHEMA, State, StateId, System, Transition, TransitionId,
};

use crate::cone::{Cone, Row, RowId, data_row, entry_row, gain_row, message_row};
use crate::csr::Csr;
use crate::property::Property;
use partition::{Element, Partition};

/// A system in which equivalent places and transitions are merged.
#[derive(Debug)]
pub struct Merged {
    system: System,
    facts: Facts,
    /// Maps each row of the original to its row of the merged system.
    rows: IdMap<RowId, RowId>,
}

/// The property on the merged system.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    message_targets: IdMap<MessageId, bool>,
    data_targets: IdMap<DataId, bool>,
    gains: IdMap<TransitionId, u32>,
}

impl Property for Facts {
    fn is_target(&self, _: &System, message: MessageId) -> bool {
        self.message_targets[message]
    }

    fn is_data_target(&self, _: &System, data: DataId) -> bool {
        self.data_targets[data]
    }

    fn gain(&self, _: &System, transition: TransitionId) -> u32 {
        self.gains[transition]
    }
}

/// Maximum size of a merged system that is used, in percent of the places and transitions.
const WORTHWHILE: usize = 80;

/// The label of an edge: its kind and its number.
type Label = (u8, i64);

impl Merged {
    /// Merges for questions about each buffer: message types of different buffers stay different.
    /// `None` if little would be merged.
    ///
    /// Time `O(m log m)` in the size of the system.
    #[must_use]
    pub fn within_buffers(cone: &Cone<'_>) -> Option<Self> {
        Self::new(cone, true)
    }

    /// Merges for questions about all targets at once: transitions that cannot be repeated for ever
    /// are left out.
    pub(crate) fn repeatable(cone: &Cone<'_>) -> Option<Self> {
        Self::new(cone, false)
    }

    fn new(cone: &Cone<'_>, within_buffers: bool) -> Option<Self> {
        let system = cone.system();
        let steps = if within_buffers { cone.taking_part() } else { cone.repeatable() };
        let lumping = Lumping::new(cone, steps, |message| {
            if within_buffers { system.messages[message].buffer.index() as u64 } else { 0 }
        });
        let parts = lumping.around(&[]);
        if lumping.percentage(&parts) > WORTHWHILE { None } else { lumping.merge(&parts) }
    }

    /// The merged system.
    pub(crate) const fn system(&self) -> &System {
        &self.system
    }

    /// The property on the merged system.
    pub(crate) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The row of the merged system that contains a row of the original.
    pub(crate) fn row(&self, row: RowId) -> RowId {
        self.rows[row]
    }

    /// A value per row of the original from one per row of the merged system.
    pub(crate) fn spread<T: Clone>(&self, values: &[T]) -> Vec<T> {
        self.rows.values().map(|row| values[row.index()].clone()).collect()
    }
}

/// The coarsest equitable partition of a system, and those that tell some message types apart from
/// all others besides.
#[derive(Debug)]
pub(crate) struct Lumping<'a> {
    cone: &'a Cone<'a>,
    layout: Layout<'a>,
    edges: Csr<Element, (Element, u32)>,
    coarsest: Partition,
}

/// A partition of a [`Lumping`].
#[derive(Debug)]
pub(crate) struct Parts(Partition);

impl<'a> Lumping<'a> {
    /// The partition of the places and of some transitions of a system; message types of different
    /// kinds stay in different parts. Time `O(m log m)` in the size of the system.
    pub fn new(cone: &'a Cone<'a>, steps: Vec<TransitionId>, kind: impl Fn(MessageId) -> u64) -> Self {
        let layout = Layout::new(cone.system(), steps);
        let edges = layout.edges(cone);
        let coarsest = Partition::coarsest(&layout.starts(cone, kind), &edges);
        Self { cone, layout, edges, coarsest }
    }

    /// The part of a message type.
    pub fn part_of(&self, message: MessageId) -> usize {
        self.coarsest.parts()[message.index()]
    }

    /// The partition that tells some message types apart from all others, too. Where a symmetry of
    /// the system maps one list of message types to another, it maps parts to parts of the same
    /// number. Time linear in the system, plus `O(log m)` for each edge of a part that is split.
    pub fn around(&self, messages: &[MessageId]) -> Parts {
        let elements: Vec<Element> = messages.iter().map(|message| Element::new(message.index())).collect();
        Parts(self.coarsest.with_apart(&elements, &self.edges))
    }

    /// The number of parts, in percent of the places and transitions.
    pub fn percentage(&self, Parts(parts): &Parts) -> usize {
        parts.len() * 100 / parts.parts().len().max(1)
    }

    /// The merged system; `None` if a number does not fit.
    pub fn merge(&self, Parts(parts): &Parts) -> Option<Merged> {
        Builder { cone: self.cone, layout: &self.layout, parts: parts.parts() }.build()
    }

    /// The part of a row; `None` for the row of gains.
    pub fn part_of_row(&self, Parts(parts): &Parts, row: RowId) -> Option<usize> {
        let at = match self.cone.row(row) {
            Row::Message(message) => message.index(),
            Row::Data(data) => self.layout.data + data.index(),
            Row::Entry(class) => self.layout.class(class),
            Row::Gain => return None,
        };
        Some(parts.parts()[at])
    }
}

/// Index ranges of the places, states, classes and transitions among the elements.
#[derive(Debug)]
struct Layout<'a> {
    system: &'a System,
    steps: Vec<TransitionId>,
    data: usize,
    states: usize,
    classes: usize,
    transitions: usize,
}

impl<'a> Layout<'a> {
    fn new(system: &'a System, steps: Vec<TransitionId>) -> Self {
        let data = system.messages.len();
        let states = data + system.data.len();
        let classes = states + system.states.len();
        let transitions = classes + system.classes.len();
        Self { system, steps, data, states, classes, transitions }
    }

    fn state(&self, state: StateId) -> usize {
        self.states + state.index()
    }

    fn class(&self, class: ClassId) -> usize {
        self.classes + class.index()
    }

    /// The initial partition: a number per element, equal for elements that may be equivalent.
    fn starts(&self, cone: &Cone<'_>, kind: impl Fn(MessageId) -> u64) -> Vec<u32> {
        let system = self.system;
        let mut starts: Vec<(u8, u64, u64)> = Vec::with_capacity(self.transitions + self.steps.len());
        starts.extend(system.messages.ids().map(|id| {
            let role =
                u64::from(system.is_rendezvous(id)) * 2 + u64::from(cone.is_target(cone.message_row(id)));
            (0, role, kind(id))
        }));
        starts.extend(
            system
                .data
                .iter()
                .map(|(id, place)| (1, u64::from(cone.is_target(cone.data_row(id))), place.initial)),
        );
        starts.extend(system.states.values().map(|_| (2, 0, 0)));
        starts.extend(system.classes.values().map(|class| (3, u64::from(class.instances), 0)));
        starts.extend(self.steps.iter().map(|&step| (4, u64::from(cone.gain(step)), 0)));
        numbered(starts)
    }

    /// The labelled edges between elements, in both directions.
    fn edges(&self, cone: &Cone<'_>) -> Csr<Element, (Element, u32)> {
        let system = self.system;
        let mut edges: Vec<(usize, usize, Label)> = Vec::new();
        for (id, state) in system.states.iter() {
            edges.push((self.state(id), self.class(state.class), (5, 0)));
        }
        for (id, class) in system.classes.iter() {
            edges.push((self.class(id), self.state(class.initial), (6, 0)));
        }
        for (at, &step) in (self.transitions..).zip(&self.steps) {
            let transition = &system.transitions[step];
            edges.push((at, self.state(transition.source), (2, 0)));
            edges.push((at, self.state(transition.target), (3, 0)));
            for &(row, change) in cone.changes(step) {
                match cone.row(row) {
                    Row::Message(message) => edges.push((at, message.index(), (0, change))),
                    Row::Data(data) => edges.push((at, self.data + data.index(), (1, change))),
                    Row::Entry(class) => edges.push((at, self.class(class), (4, change))),
                    Row::Gain => {}
                }
            }
        }
        let labels = numbered(edges.iter().map(|edge| edge.2).collect());
        let pairs: Vec<(Element, (Element, u32))> = edges
            .iter()
            .zip(labels)
            .flat_map(|(&(a, b, _), label)| {
                let (a, b) = (Element::new(a), Element::new(b));
                [(a, (b, label)), (b, (a, label))]
            })
            .collect();
        Csr::sorted(self.transitions + self.steps.len(), &pairs)
    }
}

/// The rank of each value among the distinct ones.
fn numbered<T: Ord + Copy>(values: Vec<T>) -> Vec<u32> {
    let mut different = values.clone();
    different.sort_unstable();
    different.dedup();
    let rank =
        |value: &T| different.binary_search(value).map_or(0, |at| u32::try_from(at).unwrap_or(u32::MAX));
    values.iter().map(rank).collect()
}

/// A merged transition: source, target, and changes of rows, gain included.
type Shape = (StateId, StateId, Vec<(RowId, i64)>);

/// Builds the merged system from the parts.
struct Builder<'a> {
    cone: &'a Cone<'a>,
    layout: &'a Layout<'a>,
    parts: &'a [usize],
}

/// Maps the things of one kind to merged ones, and each merged thing to an example.
struct Kind<I> {
    merged: IdMap<I, I>,
    examples: Vec<I>,
}

impl Builder<'_> {
    /// The parts of some elements, numbered in the order of their first elements.
    fn kind<I: Id>(&self, from: usize, len: usize) -> Kind<I> {
        let mut of_part: BTreeMap<usize, I> = BTreeMap::new();
        let mut examples = Vec::new();
        let merged = self.parts[from..from + len].iter().enumerate().map(|(at, part)| {
            *of_part.entry(*part).or_insert_with(|| {
                examples.push(I::new(at));
                I::new(examples.len() - 1)
            })
        });
        let merged = merged.collect();
        Kind { merged, examples }
    }

    /// The merged system; `None` if a number does not fit.
    fn build(&self) -> Option<Merged> {
        let (original, layout) = (self.cone.system(), self.layout);
        let messages: Kind<MessageId> = self.kind(0, original.messages.len());
        let data: Kind<DataId> = self.kind(layout.data, original.data.len());
        let states: Kind<StateId> = self.kind(layout.states, original.states.len());
        let classes: Kind<ClassId> = self.kind(layout.classes, original.classes.len());
        let mut system = empty(&original.name);
        let mut facts = Facts::default();
        for &message in &messages.examples {
            let kind =
                if original.is_rendezvous(message) { BufferKind::Rendezvous } else { BufferKind::Queue };
            let buffer =
                system.buffers.push(Buffer { name: String::new(), kind, declared: None, in_order: false });
            system.messages.push(MessageType { buffer, name: String::new() });
            facts.message_targets.push(self.cone.is_target(self.cone.message_row(message)));
        }
        for &place in &data.examples {
            system.data.push(DataPlace::new("", 0));
            facts.data_targets.push(self.cone.is_target(self.cone.data_row(place)));
        }
        for (id, place) in original.data.iter() {
            let sum = &mut system.data[data.merged[id]].initial;
            *sum = sum.checked_add(place.initial)?;
        }
        for &class in &classes.examples {
            let initial = states.merged[original.classes[class].initial];
            system.classes.push(Class { name: String::new(), instances: 0, initial });
        }
        for (id, class) in original.classes.iter() {
            let sum = &mut system.classes[classes.merged[id]].instances;
            *sum = sum.checked_add(class.instances)?;
        }
        for &state in &states.examples {
            let class = classes.merged[original.states[state].class];
            system.states.push(State { class, name: String::new(), always_ready: false });
        }
        let rows = |row: &Row| match *row {
            Row::Message(message) => message_row(messages.merged[message]),
            Row::Data(place) => data_row(&system, data.merged[place]),
            Row::Entry(class) => entry_row(&system, classes.merged[class]),
            Row::Gain => gain_row(&system),
        };
        let rows: IdMap<RowId, RowId> = self.cone.rows().values().map(rows).collect();
        for (source, target, changes) in self.shapes(&states, &rows)? {
            let mut transition = Transition {
                source,
                target,
                events: Vec::new(),
                creates: Vec::new(),
                data: Vec::new(),
                progress: false,
                origin: None,
            };
            facts.gains.push(fill(&system, &mut transition, &changes)?);
            system.transitions.push(transition);
        }
        Some(Merged { system, facts, rows })
    }

    /// The merged transitions, without duplicates.
    fn shapes(
        &self,
        states: &Kind<StateId>,
        rows: &IdMap<RowId, RowId>,
    ) -> Option<std::collections::BTreeSet<Shape>> {
        let shape = |step: &TransitionId| {
            let transition = &self.layout.system.transitions[*step];
            let mut changes: BTreeMap<RowId, i64> = BTreeMap::new();
            for &(row, change) in self.cone.changes(*step) {
                let sum = changes.entry(rows[row]).or_default();
                *sum = sum.checked_add(change)?;
            }
            let changes = changes.into_iter().filter(|(_, change)| *change != 0).collect();
            Some((states.merged[transition.source], states.merged[transition.target], changes))
        };
        self.layout.steps.iter().map(shape).collect()
    }
}

/// An empty system.
fn empty(name: &str) -> System {
    System {
        schema: SCHEMA.into(),
        name: name.into(),
        order: None,
        buffers: IdMap::new(),
        messages: IdMap::new(),
        classes: IdMap::new(),
        states: IdMap::new(),
        transitions: IdMap::new(),
        data: IdMap::new(),
        source: Vec::new(),
    }
}

/// Gives a transition the changes of a shape; returns its gain. `None` if a number does not fit.
fn fill(system: &System, transition: &mut Transition, changes: &[(RowId, i64)]) -> Option<u32> {
    let (messages, data, classes) = (system.messages.len(), system.data.len(), system.classes.len());
    let mut gain = 0;
    for &(row, change) in changes {
        let at = row.index();
        if at < messages {
            let direction = if change > 0 { Direction::Send } else { Direction::Receive };
            let count = u32::try_from(change.unsigned_abs()).ok()?;
            transition.events.push(Event { direction, message: MessageId::new(at), count });
        } else if at < messages + data {
            transition.data.push(DataChange { place: DataId::new(at - messages), change });
        } else if at < messages + data + classes {
            let class = ClassId::new(at - messages - data);
            // `creates` is a list and must stay short.
            let times = usize::try_from(change).ok().filter(|&times| times <= 1_000)?;
            transition.creates.extend(std::iter::repeat_n(class, times));
        } else {
            gain = u32::try_from(change).ok()?;
        }
    }
    Some(gain)
}
