//! Where the value of a variable may still come to something that is looked at.
//!
//! Records are passed on as they are: a request has the status of some answer in it, and nobody looks at it. So a variable that is
//! *carried* is unfolded only where its value matters: where, by what is known when it is not unfolded, it may still decide a condition, choose an element, a
//! channel or a message, or become part of a process, in this process or, sent on, in another one. That is found out backwards, over the nodes
//! of a first analysis and over the messages that their statements exchange. To lie together is always sound, so nothing rests on this
//! module but precision.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Binary, Expression, LocationId, Pattern, Place, ProcessType, ProcessTypeId, Type, Unary,
    VariableId, VariableRef,
};

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::{ContextId, Move, Node, NodeId};
use crate::layout::{Cells, Frame};
use crate::private_queue::{PrivateQueue, filling};
use crate::step::{Deed, matches};
use crate::traffic::Patterns;
use crate::{Precision, Tracked};

/// What a process holds that is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its cell in the frame.
    pub(crate) cell: usize,
    what: What,
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A scalar.
    Variable(VariableRef),
    /// A field of the message in front of a private queue.
    Front(VariableId, u32),
    /// The element of an array that a selection of the frame stands for: its position there.
    Selected(usize),
}

impl Held {
    /// What is said to be tracked.
    pub(crate) fn tracked(self, frame: &Frame) -> Tracked {
        match self.what {
            What::Variable(variable) => Tracked { variable, element: None, selected: None },
            What::Front(queue, field) => {
                Tracked { variable: VariableRef::Local(queue), element: Some(field), selected: None }
            }
            What::Selected(position) => {
                let (variable, number) = (frame.selections[position].array, u32::try_from(position + 1).ok());
                Tracked { variable, element: None, selected: number }
            }
        }
    }
}

/// What processes of a type hold that is carried: scalars of their own, elements that their conditions select, and what waits in private queues to
/// be stored in such scalars.
pub(crate) fn held(
    process: &ProcessType,
    frame: &Frame,
    carried: Option<&BTreeSet<VariableRef>>,
) -> Vec<Held> {
    let Some(carried) = carried else { return Vec::new() };
    let is_number = |ty: Type| ty != Type::Channel;
    let scalars = carried.iter().filter_map(|variable| match variable {
        VariableRef::Local(id) if frame.locals[*id].length.is_none() && is_number(frame.locals[*id].ty) => {
            Some(Held { cell: frame.locals[*id].start, what: What::Variable(*variable) })
        }
        _ => None,
    });
    let selections = frame.selections.iter().enumerate();
    let selected = selections
        .filter(|(_, selection)| carried.contains(&selection.array))
        .map(|(position, selection)| Held { cell: selection.cell, what: What::Selected(position) });
    let fronts = frame.private.iter().flat_map(|queue| {
        let fields: BTreeSet<usize> =
            carried.iter().flat_map(|variable| filling(process, queue.variable, *variable)).collect();
        let fields = fields.into_iter().filter(|field| *field < queue.front.len());
        fields.filter_map(|field| {
            let number = u32::try_from(field).ok()?;
            Some(Held { cell: queue.front.start + field, what: What::Front(queue.variable, number) })
        })
    });
    scalars.chain(selected).chain(fronts).collect()
}

/// The places of a process type, each a location with values of variables that are followed there, and the cells that matter there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The cells of which it is known where they matter.
    covered: BTreeSet<usize>,
    by_location: BTreeMap<LocationId, BTreeMap<Known, BTreeSet<usize>>>,
}

/// Cells with the values that they have at a place.
type Known = Vec<(usize, i64)>;

impl Places {
    /// Whether it is known where a cell matters.
    pub(crate) fn covers(&self, cell: usize) -> bool {
        self.covered.contains(&cell)
    }

    /// Whether a cell matters in a state at a location: at one of the places there that it may be.
    pub(crate) fn matters(&self, cell: usize, location: LocationId, cells: &Cells) -> bool {
        let may_be = |known: &Known| known.iter().all(|(cell, value)| cells[*cell].numbers.contains(*value));
        let here = self.by_location.get(&location).into_iter().flatten();
        here.into_iter().any(|(known, mattering)| mattering.contains(&cell) && may_be(known))
    }
}

/// Where what is carried matters.
#[derive(Clone, Debug)]
pub(crate) struct Matter {
    /// For each type.
    pub(crate) of_type: IdMap<ProcessTypeId, Rc<Places>>,
}

/// A statement that receives, as it is executed at a node.
struct Receipt<'a> {
    context: ContextId,
    node: NodeId,
    step: &'a Move,
    patterns: &'a Patterns,
}

/// The search for what matters.
struct Search<'s, 'a> {
    analysis: &'s Analysis<'a>,
    held: IdMap<ProcessTypeId, Vec<Held>>,
    live: IdMap<ContextId, IdMap<NodeId, bool>>,
    /// What may be received from each object, unless it is a private queue.
    receipts: BTreeMap<ObjectId, Vec<Receipt<'s>>>,
    /// The cells that matter at each node.
    found: IdMap<ContextId, IdMap<NodeId, BTreeSet<usize>>>,
}

impl Matter {
    /// Finds out where what is carried matters, by an analysis in which it is not unfolded. Each round takes time linear in the moves, times the receives that
    /// may take what one sends; there are as many rounds as a value takes steps to where it is looked at.
    pub(crate) fn of(analysis: &Analysis<'_>) -> Self {
        let mut search = Search::new(analysis);
        while search.round() {}
        let covered = search.held.values().map(|held| held.iter().map(|held| held.cell).collect());
        let places = covered.map(|covered| Places { covered, by_location: BTreeMap::new() });
        let mut of_type: IdMap<ProcessTypeId, Places> = places.collect();
        for (id, context) in analysis.contexts.iter() {
            let unfolded = &analysis.unfolded[context.process_type];
            for (node, cells) in search.found[id].iter().filter(|(node, _)| search.live[id][*node]) {
                let Node { location, key, .. } = &context.nodes[node];
                let known = unfolded
                    .iter()
                    .zip(key)
                    .filter_map(|(unfolded, value)| Some((unfolded.position(), (*value)?)));
                let here = of_type[context.process_type].by_location.entry(*location).or_default();
                here.entry(known.collect()).or_default().extend(cells);
            }
        }
        Self { of_type: of_type.values().map(|places| Rc::new(places.clone())).collect() }
    }
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(analysis: &'s Analysis<'a>) -> Self {
        let Precision { carried, tracked, .. } = &analysis.options.precision;
        let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
            let all =
                [carried, tracked].into_iter().filter_map(|of| of.get(&id)).flatten().copied().collect();
            held(process, &analysis.layout.frames[id], Some(&all))
        };
        let live: IdMap<ContextId, _> = analysis.contexts.values().map(|context| context.live()).collect();
        let mut receipts: BTreeMap<ObjectId, Vec<Receipt<'s>>> = BTreeMap::new();
        for (context, of_context) in analysis.contexts.iter() {
            for (id, node) in of_context.nodes.iter().filter(|(node, _)| live[context][*node]) {
                for step in &node.moves {
                    if let Deed::Receive { from, patterns, .. } = &step.deed {
                        for object in from {
                            receipts.entry(*object).or_default().push(Receipt {
                                context,
                                node: id,
                                step,
                                patterns,
                            });
                        }
                    }
                }
            }
        }
        let found =
            analysis.contexts.values().map(|context| IdMap::filled(BTreeSet::new(), context.nodes.len()));
        Self {
            analysis,
            held: analysis.program.types.iter().map(of_type).collect(),
            found: found.collect(),
            live,
            receipts,
        }
    }

    /// Looks at every node again; whether anything new matters.
    fn round(&mut self) -> bool {
        let mut grown = false;
        for (context, of_context) in self.analysis.contexts.iter() {
            if self.held[of_context.process_type].is_empty() {
                continue;
            }
            // What comes last in a process mostly has the greatest number.
            let nodes: Vec<NodeId> = of_context.nodes.ids().collect();
            for node in nodes.into_iter().rev().filter(|node| self.live[context][*node]).collect::<Vec<_>>() {
                let mut cells = self.found[context][node].clone();
                let before = cells.len();
                for step in &of_context.nodes[node].moves {
                    Before { search: self, context, node, step }.note(&mut cells);
                }
                grown |= cells.len() > before;
                self.found[context][node] = cells;
            }
        }
        grown
    }
}

/// What matters before a step.
struct Before<'b, 's, 'a> {
    search: &'b Search<'s, 'a>,
    context: ContextId,
    node: NodeId,
    step: &'s Move,
}

impl<'s> Before<'_, 's, '_> {
    fn process_type(&self) -> ProcessTypeId {
        self.search.analysis.contexts[self.context].process_type
    }

    fn frame(&self) -> &'s Frame {
        &self.search.analysis.layout.frames[self.process_type()]
    }

    fn action(&self) -> &'s Action {
        &self.search.analysis.program.types[self.process_type()].edges[self.step.edge].action
    }

    fn held(&self) -> &[Held] {
        &self.search.held[self.process_type()]
    }

    /// Whether a cell matters behind the step.
    fn matters_behind(&self, cell: usize) -> bool {
        self.step.targets.iter().any(|target| self.search.found[self.context][*target].contains(&cell))
    }

    /// Adds what matters before the step.
    fn note(&self, cells: &mut BTreeSet<usize>) {
        let action = self.action();
        let kept =
            self.held().iter().filter(|held| self.matters_behind(held.cell) && !self.is_lost(held.what));
        cells.extend(kept.map(|held| held.cell));
        for place in action.targets() {
            place
                .index
                .iter()
                .filter(|_| self.is_wanted(place))
                .for_each(|index| self.note_read(index, cells));
        }
        match action {
            Action::Condition(condition) => self.note_condition(condition, cells),
            Action::Assign { target, value } => {
                if self.is_wanted(target) {
                    self.note_read(value, cells);
                }
            }
            Action::Send { channel, fields, .. } => {
                self.note_read(channel, cells);
                for (position, field) in fields.iter().enumerate() {
                    if self.is_wanted_of_message(channel, position) {
                        self.note_read(field, cells);
                    }
                }
            }
            Action::Receive { channel, patterns, .. } => {
                self.note_read(channel, cells);
                patterns
                    .iter()
                    .filter_map(Pattern::expression)
                    .for_each(|value| self.note_read(value, cells));
                self.note_fronts(channel, patterns, cells);
            }
            Action::Create { arguments, .. } => {
                arguments.iter().for_each(|value| self.note_read(value, cells))
            }
            Action::SetPriority { process, priority } => {
                self.note_read(process, cells);
                self.note_read(priority, cells);
            }
            Action::Opaque { .. } => cells.extend(self.held().iter().map(|held| held.cell)),
            Action::Else => self.note_alternatives(cells),
            Action::Assert(_) | Action::Print { .. } => {}
        }
    }

    /// Notes what a condition reads. What is compared with something that is not known does not matter.
    fn note_condition(&self, condition: &Expression, cells: &mut BTreeSet<usize>) {
        match condition {
            Expression::Binary(Binary::And | Binary::Or, one, other) => {
                [one, other].into_iter().for_each(|part| self.note_condition(part, cells));
            }
            Expression::Unary(Unary::Not, part) => self.note_condition(part, cells),
            Expression::Binary(_, one, other) => {
                for (part, other) in [(one, other), (other, one)] {
                    if self.is_known(other) {
                        self.note_read(part, cells);
                    }
                }
            }
            _ => self.note_read(condition, cells),
        }
    }

    /// Whether the value of an expression is known where all that is carried is.
    fn is_known(&self, expression: &Expression) -> bool {
        !expression.any(&mut |part| match part {
            Expression::Read(place) => !self.is_known_at(place),
            _ => false,
        })
    }

    fn is_known_at(&self, place: &Place) -> bool {
        let here = &self.search.analysis.contexts[self.context].nodes[self.node].cells;
        let is_one = |cell: usize| here[cell].numbers.values().is_some_and(|values| values.len() < 2);
        let frame = self.frame();
        let start = match place.variable {
            VariableRef::Local(id) => Some(frame.locals[id].start),
            VariableRef::Global(id) => frame.globals.get(&id).copied(),
        };
        match (&place.index, start) {
            // Nobody writes it.
            (_, None) => true,
            (None, Some(cell)) => {
                is_one(cell)
                    || self.held().iter().any(|held| held.cell == cell)
                    || self.is_followed(place.variable)
            }
            (Some(_), Some(_)) => {
                let selected = frame.selection(place).map(|selection| selection.cell);
                let held = self.held().iter().find(|held| Some(held.cell) == selected);
                self.is_followed(place.variable)
                    || held.is_some_and(|held| here[held.cell].numbers.values().is_some())
            }
        }
    }

    /// Notes what an expression reads.
    fn note_read(&self, expression: &Expression, cells: &mut BTreeSet<usize>) {
        match expression {
            Expression::Read(place) => {
                cells.extend(self.read(place));
                // Which element it is says nothing if nothing is known of them.
                let index = place.index.iter().filter(|_| self.tells_elements_apart(place.variable));
                index.for_each(|index| self.note_read(index, cells));
                return;
            }
            Expression::Poll { channel, patterns, .. } => self.note_fronts(channel, patterns, cells),
            _ => {}
        }
        expression.children().into_iter().for_each(|part| self.note_read(part, cells));
    }

    /// Whether elements of an array are known one by one: they are followed, or nobody writes them.
    fn tells_elements_apart(&self, array: VariableRef) -> bool {
        let is_settled = match array {
            VariableRef::Global(id) => !self.frame().globals.contains_key(&id),
            VariableRef::Local(_) => false,
        };
        is_settled || self.is_followed(array)
    }

    /// The cells of what is read where a place is.
    fn read(&self, place: &Place) -> impl Iterator<Item = usize> {
        let frame = self.frame();
        let selection = frame.selection(place).map(|selection| selection.cell);
        let is_read = move |held: &&Held| match held.what {
            What::Variable(variable) => variable == place.variable,
            What::Selected(_) => selection == Some(held.cell),
            What::Front(..) => false,
        };
        self.held().iter().filter(is_read).map(|held| held.cell)
    }

    /// Whether what is held does not outlive the step.
    fn is_lost(&self, what: What) -> bool {
        let frame = self.frame();
        self.action().targets().iter().any(|place| match what {
            What::Variable(variable) => place.variable == variable && place.index.is_none(),
            What::Selected(position) => {
                let selection = &frame.selections[position];
                selection.is(place) || (selection.names(place.variable) && selection.array != place.variable)
            }
            What::Front(..) => false,
        }) || self.changes_front(what)
    }

    /// Whether the step takes the message in front of a private queue away.
    fn changes_front(&self, what: What) -> bool {
        let What::Front(queue, _) = what else { return false };
        match self.action() {
            Action::Receive { channel, peek: false, .. } => {
                self.frame().private_queue(channel).is_some_and(|of| of.variable == queue)
            }
            _ => false,
        }
    }

    /// Whether what is stored in a place matters behind the step.
    fn is_wanted(&self, place: &Place) -> bool {
        let frame = self.frame();
        self.held().iter().any(|held| {
            let is_stored = match held.what {
                What::Variable(variable) => variable == place.variable,
                What::Selected(position) => frame.selections[position].array == place.variable,
                What::Front(..) => false,
            };
            is_stored && self.matters_behind(held.cell)
        }) || (place.index.is_some() && self.is_followed(place.variable))
    }

    /// Whether the elements of an array are followed everywhere.
    fn is_followed(&self, array: VariableRef) -> bool {
        let tracked = &self.search.analysis.options.precision.tracked;
        tracked.get(&self.process_type()).is_some_and(|tracked| tracked.contains(&array))
    }

    /// Notes what matters of the message in front of a private queue to who looks at it or takes it.
    fn note_fronts(&self, channel: &Expression, patterns: &[Pattern], cells: &mut BTreeSet<usize>) {
        let Some(queue) = self.frame().private_queue(channel) else { return };
        for held in self.held() {
            let What::Front(of, field) = held.what else { continue };
            let pattern = patterns.get(field as usize).filter(|_| of == queue.variable);
            let is_wanted = match pattern {
                Some(Pattern::Store(place)) => self.is_wanted(place),
                Some(Pattern::Match(_)) => true,
                Some(Pattern::Any) | None => false,
            };
            if is_wanted {
                cells.insert(held.cell);
            }
        }
    }

    /// Notes what the conditions read that `else` is the alternative to.
    fn note_alternatives(&self, cells: &mut BTreeSet<usize>) {
        let others = self.search.analysis.alternatives(self.process_type(), self.step.edge);
        others.into_iter().for_each(|condition| self.note_condition(condition, cells));
    }

    /// Whether a field of a message that the step sends matters to somebody who may receive it.
    fn is_wanted_of_message(&self, channel: &Expression, position: usize) -> bool {
        if let Some(queue) = self.frame().private_queue(channel) {
            return self.is_wanted_in_front(queue, position);
        }
        let Deed::Send(messages) = &self.step.deed else { return false };
        messages.iter().any(|(object, message)| {
            let receipts = self.search.receipts.get(object).into_iter().flatten();
            receipts.filter(|receipt| matches(message, receipt.patterns)).any(|receipt| {
                Before {
                    search: self.search,
                    context: receipt.context,
                    node: receipt.node,
                    step: receipt.step,
                }
                .wants(position)
            })
        })
    }

    fn is_wanted_in_front(&self, queue: &PrivateQueue, position: usize) -> bool {
        let is = |held: &&Held| {
            held.what == u32::try_from(position).map_or(held.what, |field| What::Front(queue.variable, field))
        };
        self.held().iter().find(is).is_some_and(|held| self.matters_behind(held.cell))
    }

    /// Whether a receive looks at a field of its message, or what it stores it in matters.
    fn wants(&self, position: usize) -> bool {
        let Action::Receive { patterns, .. } = self.action() else { return false };
        match patterns.get(position) {
            Some(Pattern::Store(place)) => self.is_wanted(place),
            Some(Pattern::Match(_)) => true,
            Some(Pattern::Any) | None => false,
        }
    }
}
