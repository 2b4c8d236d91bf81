//! Construction of the abstract system: buffers, message types, classes, states and transitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cfsm_core::finding::Ends;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, ProcessTypeId, Program};
use cfsm_core::source::{Lines, Origin};
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, Class, ClassId, DataChange, Direction, Event, MessageId, MessageType,
    State, StateId, Transition, TransitionId,
};

use crate::analysis::Analysis;
use crate::capacity_guards::{self, CapacityGuards, LengthBounds};
use crate::channels::ObjectId;
use crate::contexts::{Context, ContextId, Move, NodeId, NodeRef};
use crate::data::{self, Data, Ground, States};
use crate::grouping::Grouping;
use crate::message_types::{Limits, MessageTypes, identify};
use crate::naming::{Names, buffers_in_order, name_all, state_names};
use crate::numbers::ValueSet;
use crate::order;
use crate::registers::{Registers, Variant};
use crate::step::Effect;
use crate::traffic::Patterns;
use crate::unfolding::named;
use crate::values::Value;
use crate::{Abstraction, Declaration, Error, Made, Options, limits};

/// A buffer with its message types.
struct Queue {
    types: MessageTypes,
    /// The message types of the system, in the order of `types`.
    messages: Vec<MessageId>,
}

/// The key by which equal transitions are merged: source, target, messages, created classes,
/// changes of data places.
type Shape = (StateId, StateId, Vec<Event>, Vec<ClassId>, Vec<DataChange>);

/// The builder of the abstract system.
struct Maker<'a> {
    program: &'a Program,
    lines: Lines<'a>,
    grouping: &'a Grouping,
    queues: BTreeMap<ObjectId, Queue>,
    /// The channel objects that represent one queue each and preserve the message order.
    kept: BTreeSet<ObjectId>,
    origins: BTreeMap<(ProcessTypeId, EdgeId), Origin>,
    states: States,
    seen: HashMap<Shape, TransitionId>,
    /// `true` for each statement that makes progress.
    progress: IdMap<ProcessTypeId, IdMap<EdgeId, bool>>,
    data: Data,
    registers: Registers,
    /// The bounds on lengths of queues when each transition fires.
    fewer: IdMap<TransitionId, LengthBounds>,
    limit: usize,
    result: Abstraction,
}

/// Builds the abstract system. Time linear in its size, except for names and message types.
pub(crate) fn make(analysis: &Analysis<'_>, grouping: &Grouping, made: Made) -> Result<Abstraction, Error> {
    let Analysis { program, options, .. } = *analysis;
    let buffers = buffers_in_order(&analysis.objects, grouping);
    let names = name_all(program, &analysis.objects, grouping, &buffers);
    let mut maker = Maker {
        program,
        lines: program.sources.lines(),
        grouping,
        queues: BTreeMap::new(),
        kept: order::kept(program, analysis, grouping),
        origins: BTreeMap::new(),
        states: IdMap::new(),
        seen: HashMap::new(),
        progress: program.progress(),
        data: Data::default(),
        registers: Registers::default(),
        fewer: IdMap::new(),
        limit: options.transitions,
        result: Abstraction::empty(program),
    };
    let live: IdMap<ContextId, IdMap<NodeId, bool>> = analysis.contexts.values().map(Context::live).collect();
    let receives = receives(analysis, grouping, &live);
    let mut members: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
    for (object, standing) in analysis.objects.ids().zip(&grouping.representative) {
        members.entry(*standing).or_default().push(object);
    }
    for &object in &buffers {
        maker.add_buffer(options, analysis, &names, object, &members[&object], receives.get(&object));
    }
    for class in grouping.groups.ids() {
        maker.add_class(analysis, &names, class, &live);
    }
    let none = States::new();
    let base = Ground { program, analysis, grouping, live: &live, states: &none, names: &names.classes };
    if made.data_places {
        maker.add_data(base);
    }
    if !options.precision.registers.is_empty() {
        maker.registers =
            Registers::new(Ground { states: &maker.states, ..base }, &options.precision.registers);
        maker.registers.add_channels(Ground { states: &maker.states, ..base }, &mut maker.result);
    }
    for context in grouping.groups.values().flat_map(|group| &group.contexts) {
        analysis.in_time()?;
        for (node, step) in in_source_order(&analysis.contexts[*context], &live[*context]) {
            let at = NodeRef { context: *context, node };
            let variants = maker.registers.variants(Ground { states: &maker.states, ..base }, at, step);
            for variant in variants.unwrap_or_else(|| vec![Variant::plain(step)]) {
                maker.add_transitions(analysis, at, step.edge, &variant)?;
            }
        }
    }
    maker.add_limits(analysis, &buffers, &members);
    if made.data_places {
        maker.add_capacity_guards(base, &buffers);
    }
    maker.mark_ready();
    // Last, as their transitions have no statements.
    maker.registers.add_classes(Ground { states: &maker.states, ..base }, &mut maker.result);
    maker.result.system.validate().map_err(Error::System)?;
    Ok(maker.result)
}

/// The moves of all instances of a context, sorted by statement, then by unfolded values.
fn in_source_order<'c>(context: &'c Context, live: &IdMap<NodeId, bool>) -> Vec<(NodeId, &'c Move)> {
    let nodes = context.nodes.iter().filter(|(id, _)| live[*id]);
    let mut moves: Vec<(NodeId, &Move)> =
        nodes.flat_map(|(id, node)| node.moves.iter().map(move |step| (id, step))).collect();
    moves.sort_by_key(|(id, step)| (step.edge, &context.nodes[*id].key));
    moves
}

/// The patterns of all receives from each buffer. Receives that leave the message in the queue are
/// not included, as message types need not be distinguished for them.
fn receives(
    analysis: &Analysis<'_>,
    grouping: &Grouping,
    live: &IdMap<ContextId, IdMap<NodeId, bool>>,
) -> BTreeMap<ObjectId, BTreeSet<Patterns>> {
    let mut receives: BTreeMap<ObjectId, BTreeSet<Patterns>> = BTreeMap::new();
    let nodes = analysis.contexts.iter().flat_map(|(id, context)| {
        let nodes = context.nodes.iter();
        nodes.filter(move |(node, _)| live[id][*node]).map(|(_, node)| node)
    });
    for step in nodes.flat_map(|node| &node.moves) {
        if let Effect::Receive { from, patterns, peek: false } = &step.effect {
            for object in from {
                let object = grouping.representative[object.index()];
                receives.entry(object).or_default().insert(fitted(analysis, object, patterns));
            }
        }
    }
    receives
}

/// The patterns of a receive, extended or cut to the number of fields of the channel: fields
/// without a pattern are dropped.
fn fitted(analysis: &Analysis<'_>, object: ObjectId, patterns: &Patterns) -> Patterns {
    let mut patterns = patterns.clone();
    patterns.resize(analysis.objects[object].shape.fields.len(), None);
    patterns
}

/// The process numbers of the processes that own the channels.
fn owners(analysis: &Analysis<'_>, objects: &[ObjectId]) -> BTreeSet<i64> {
    // The largest `_pid`.
    const MOST: i64 = 255;
    let owners = objects.iter().filter_map(|&object| analysis.objects[object].owner);
    let numbers = owners.map(|context| &analysis.contexts[context].pid.numbers);
    let possible = |numbers: &ValueSet| (0..=MOST).filter(|number| numbers.contains(*number)).collect();
    numbers.flat_map(|numbers| -> Vec<i64> { possible(numbers) }).collect()
}

impl Maker<'_> {
    fn add_buffer(
        &mut self,
        options: &Options,
        analysis: &Analysis<'_>,
        names: &Names,
        id: ObjectId,
        members: &[ObjectId],
        receives: Option<&BTreeSet<Patterns>>,
    ) {
        let object = &analysis.objects[id];
        let none = BTreeSet::new();
        let sends: BTreeSet<&[Value]> =
            members.iter().flat_map(|&member| analysis.traffic.sent(member)).collect();
        let sends: Vec<&[Value]> = sends.into_iter().collect();
        let limits = Limits { constants: options.constants, vectors: options.vectors };
        let types = identify(object.shape.fields.len(), receives.unwrap_or(&none), &sends, limits);
        let name = &names.buffers[&id];
        if types.coarsened {
            self.result
                .approximations
                .push(format!("message types of {name}: a field with too many constants is not looked at"));
        }
        let system = &mut self.result.system;
        let buffer = system.buffers.push(Buffer {
            name: name.clone(),
            kind: match object.shape.capacity {
                _ if members.iter().all(|&member| analysis.objects[member].shape.is_open) => {
                    if options.open_events { BufferKind::Rendezvous } else { BufferKind::Environment }
                }
                0 => BufferKind::Rendezvous,
                _ => BufferKind::Queue,
            },
            declared: object.shape.declared(),
            in_order: self.kept.contains(&id),
        });
        self.result.declarations.push(Declaration {
            process_type: object.owner.map(|context| analysis.contexts[context].process_type),
            variable: object.variable,
            element: object.element,
            owners: owners(analysis, members),
            queues: limits::queues(analysis, members),
        });
        let ends = members.iter().map(|&member| analysis.traffic.ends(member));
        self.result.ends.push(ends.fold(Ends::default(), Ends::or));
        let message = |name| system.messages.push(MessageType { buffer, name });
        let messages = types.names(self.program, &object.shape).into_iter().map(message);
        let messages = messages.collect();
        self.queues.insert(id, Queue { types, messages });
    }

    fn add_data(&mut self, base: Ground<'_>) {
        self.data = data::find(Ground { states: &self.states, ..base });
        self.result.system.data.clone_from(&self.data.places);
        self.result.quantities.clone_from(&self.data.quantities);
        self.result.extents.clone_from(&self.data.extents);
    }

    /// Adds the capacity limits that are part of the question.
    fn add_limits(
        &mut self,
        analysis: &Analysis<'_>,
        buffers: &[ObjectId],
        members: &BTreeMap<ObjectId, Vec<ObjectId>>,
    ) {
        let system = &mut self.result.system;
        for (object, buffer) in buffers.iter().zip(system.buffers.ids()) {
            let is_queue = system.buffers[buffer].kind == BufferKind::Queue;
            if let Some(most) = limits::most(analysis, &members[object]).filter(|_| is_queue) {
                system.limit(buffer, most);
            }
        }
    }

    /// Adds the data places for room in queues that guards on their lengths imply.
    fn add_capacity_guards(&mut self, base: Ground<'_>, buffers: &[ObjectId]) {
        let numbers: BTreeMap<ObjectId, BufferId> =
            buffers.iter().copied().zip(self.result.system.buffers.ids()).collect();
        let named = |fewer: &LengthBounds| {
            fewer.iter().filter_map(|(queue, fewer)| Some((*numbers.get(queue)?, *fewer))).collect()
        };
        let fewer = self.fewer.values().map(named).collect();
        let ground = Ground { states: &self.states, ..base };
        CapacityGuards::new(ground, &self.result.system, fewer).add(&mut self.result.system);
    }

    fn add_class(
        &mut self,
        analysis: &Analysis<'_>,
        names: &Names,
        class: ClassId,
        live: &IdMap<ContextId, IdMap<NodeId, bool>>,
    ) {
        let group = &self.grouping.groups[class];
        let unfolded = &analysis.unfolded[group.process_type];
        let mut reachable = BTreeSet::new();
        let mut entry = None;
        for &context in &group.contexts {
            let nodes = analysis.contexts[context].nodes.iter();
            for (_, node) in nodes.filter(|(id, _)| live[context][*id]) {
                let state = (node.location, node.key.clone());
                entry.get_or_insert_with(|| state.clone());
                reachable.insert(state);
            }
        }
        let state_names = state_names(self.program, &self.lines, group.process_type, unfolded, &reachable);
        let first = self.result.system.states.len();
        let mut initial = StateId::new(first);
        let mut states = BTreeMap::new();
        for place in reachable {
            let name = state_names[&place].clone();
            let state = self.result.system.states.push(State { class, name, always_ready: false });
            self.result.locations.push((group.process_type, place.0));
            self.result.values.push(named(unfolded, &place.1));
            if Some(&place) == entry.as_ref() {
                initial = state;
            }
            states.insert(place, state);
        }
        self.states.push(states);
        self.result.process_types.push(group.process_type);
        self.result.system.classes.push(Class {
            name: names.classes[class].clone(),
            instances: group.instances,
            initial,
        });
    }

    fn add_transitions(
        &mut self,
        analysis: &Analysis<'_>,
        at: NodeRef,
        edge: EdgeId,
        variant: &Variant,
    ) -> Result<(), Error> {
        let NodeRef { context, node } = at;
        let process_type = analysis.contexts[context].process_type;
        let keeps = analysis.options.open_events && !self.is_environment(process_type);
        // An event on an open channel is none for the others: the environment may do its part.
        let is_dropped = |object: ObjectId| analysis.objects[object].shape.is_open && !keeps;
        let plain = (Vec::new(), Vec::new());
        let effects: Vec<(Vec<Event>, Vec<ClassId>)> = match &variant.effect {
            Effect::Nothing | Effect::Receive { peek: true, .. } => vec![plain],
            Effect::Send(messages) => {
                let kept = messages.iter().filter(|(object, _)| !is_dropped(*object));
                let all = kept.flat_map(|(object, fields)| {
                    self.events(*object, Direction::Send, |types| types.sent(fields))
                });
                let leaves_no_trace =
                    |object: ObjectId| is_dropped(object) || analysis.objects[object].shape.is_lossy();
                let lost = messages.iter().any(|(object, _)| leaves_no_trace(*object)).then_some(plain);
                all.map(|event| (vec![event], Vec::new())).chain(lost).collect()
            }
            Effect::Receive { from, patterns, .. } => {
                let kept = from.iter().filter(|object| !is_dropped(**object));
                let all = kept.flat_map(|object| {
                    let patterns = fitted(analysis, *object, patterns);
                    self.events(*object, Direction::Receive, |types| types.received(&patterns))
                });
                let dropped = from.iter().any(|object| is_dropped(*object)).then_some(plain);
                all.map(|event| (vec![event], Vec::new())).chain(dropped).collect()
            }
            Effect::Create { .. } => {
                let child = analysis.contexts[context].children.get(&(node, edge));
                let creates = child.map(|&child| self.grouping.class_of[child]);
                vec![(Vec::new(), creates.into_iter().collect())]
            }
        };
        let created = analysis.contexts[context].children.get(&(node, edge)).copied();
        let nodes = &analysis.contexts[context].nodes;
        let state = |id: NodeId| {
            self.states[self.grouping.class_of[context]][&(nodes[id].location, nodes[id].key.clone())]
        };
        let source = state(node);
        let targets = variant.targets.iter();
        let targets: Vec<(StateId, Vec<DataChange>)> = targets
            .map(|&target| (state(target), self.data.changes((context, node, edge, target), created)))
            .collect();
        let action = &self.program.types[process_type].edges[edge].action;
        let fewer = capacity_guards::length_bounds(analysis, self.grouping, at, action);
        let met: Vec<Event> = self.registers.events(variant).collect();
        for (mut events, creates) in effects {
            events.extend(met.iter().cloned());
            for (target, data) in &targets {
                let shape = (source, *target, events.clone(), creates.clone(), data.clone());
                self.add_transition(process_type, edge, &fewer, shape)?;
            }
        }
        Ok(())
    }

    fn events(
        &self,
        object: ObjectId,
        direction: Direction,
        types: impl Fn(&MessageTypes) -> Vec<usize>,
    ) -> Vec<Event> {
        let queue = &self.queues[&self.grouping.representative[object.index()]];
        let types = types(&queue.types).into_iter();
        types.map(|position| Event { direction, message: queue.messages[position], count: 1 }).collect()
    }
}

impl Maker<'_> {
    /// Marks the states at whose locations a process can always step. A state is not marked if the
    /// analysis has found that no such step can complete without an error.
    fn mark_ready(&mut self) {
        let ready = self.program.always_ready();
        let system = &mut self.result.system;
        for transition in system.transitions.values().filter(|transition| transition.events.is_empty()) {
            let (process_type, location) = self.result.locations[transition.source];
            system.states[transition.source].always_ready = ready[process_type][location];
        }
    }

    fn is_environment(&self, process_type: ProcessTypeId) -> bool {
        self.program.environment.as_ref().is_some_and(|environment| environment.process_type == process_type)
    }

    /// Adds a transition; if there is an equal one, only adds the statement to it.
    fn add_transition(
        &mut self,
        process_type: ProcessTypeId,
        edge: EdgeId,
        fewer: &LengthBounds,
        shape: Shape,
    ) -> Result<(), Error> {
        let statement = (process_type, edge);
        if let Some(&known) = self.seen.get(&shape) {
            self.fewer[known] = capacity_guards::of_both(&self.fewer[known], fewer);
            let statements = &mut self.result.statements[known];
            if let Err(position) = statements.binary_search(&statement) {
                statements.insert(position, statement);
            }
            return Ok(());
        }
        if self.result.system.transitions.len() >= self.limit {
            return Err(Error::TooManyTransitions { limit: self.limit });
        }
        let span = self.program.types[process_type].edges[edge].span;
        let origin = self.origins.entry(statement).or_insert_with(|| self.lines.origin(span));
        let (source, target, events, creates, data) = shape.clone();
        let origin = Some(origin.clone());
        // All statements of a merged transition leave the same location, so either all of them make
        // progress or none does.
        // The environment may go on for ever, whatever the program does.
        let progress = self.progress[process_type][edge] || self.is_environment(process_type);
        let transition = Transition { source, target, events, creates, data, progress, origin };
        let id = self.result.system.transitions.push(transition);
        self.seen.insert(shape, id);
        self.result.statements.push(vec![statement]);
        self.fewer.push(fewer.clone());
        Ok(())
    }
}
