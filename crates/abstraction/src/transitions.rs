//! The abstract system: buffers, message types, classes, states and transitions.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, LocationId, ProcessTypeId, Program};
use cfsm_core::source::Origin;
use cfsm_core::system::{
    Buffer, BufferKind, Class, ClassId, Direction, Event, MessageId, MessageType, SCHEMA, State, StateId,
    System, Transition,
};

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::ContextId;
use crate::grouping::Grouping;
use crate::message_types::{MessageTypes, identify};
use crate::naming::{Names, buffers_in_order, name_all, state_names};
use crate::step::{Deed, Patterns};
use crate::values::Value;
use crate::{Abstraction, Declaration, Error, Options};

/// What each context may do: its statements with their deeds.
type Deeds = IdMap<ContextId, Vec<(EdgeId, Deed)>>;

/// A buffer to be.
struct Queue {
    types: MessageTypes,
    /// The message types of the system, in the order of `types`.
    messages: Vec<MessageId>,
}

/// What transitions are made from.
struct Maker<'a> {
    program: &'a Program,
    grouping: &'a Grouping,
    queues: BTreeMap<ObjectId, Queue>,
    origins: BTreeMap<(ProcessTypeId, EdgeId), Origin>,
    states: BTreeMap<(ClassId, LocationId), StateId>,
    seen: BTreeSet<(StateId, StateId, Vec<Event>, Vec<ClassId>)>,
    limit: usize,
    result: Abstraction,
}

/// Makes the abstract system. Time linear in its size, but for names and message types.
pub(crate) fn make(
    program: &Program,
    options: &Options,
    analysis: &Analysis<'_>,
    grouping: &Grouping,
) -> Result<Abstraction, Error> {
    let deeds: Deeds = analysis.contexts.ids().map(|id| analysis.steps(id)).collect();
    let buffers = buffers_in_order(&analysis.objects, grouping);
    let names = name_all(program, &analysis.objects, grouping, &buffers);
    let mut maker = Maker {
        program,
        grouping,
        queues: BTreeMap::new(),
        origins: BTreeMap::new(),
        states: BTreeMap::new(),
        seen: BTreeSet::new(),
        limit: options.transitions,
        result: empty(program),
    };
    let receives = receives(analysis, grouping, &deeds);
    let mut members: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
    for (object, standing) in analysis.objects.ids().zip(&grouping.representative) {
        members.entry(*standing).or_default().push(object);
    }
    for object in buffers {
        let id = (object, members[&object].as_slice());
        maker.add_buffer(options, analysis, &names, id, receives.get(&object));
    }
    for class in grouping.groups.ids() {
        maker.add_class(analysis, &names, class);
    }
    for class in grouping.groups.ids() {
        for context in &grouping.groups[class].contexts {
            for (edge, deed) in &deeds[*context] {
                maker.add_transitions(analysis, *context, *edge, deed)?;
            }
        }
    }
    maker.result.system.validate().map_err(Error::System)?;
    Ok(maker.result)
}

fn empty(program: &Program) -> Abstraction {
    let file = program.sources.files.values().next();
    Abstraction {
        system: System {
            schema: SCHEMA.into(),
            name: file.map(|file| file.name.clone()).unwrap_or_default(),
            buffers: IdMap::new(),
            messages: IdMap::new(),
            classes: IdMap::new(),
            states: IdMap::new(),
            transitions: IdMap::new(),
        },
        statements: IdMap::new(),
        locations: IdMap::new(),
        process_types: IdMap::new(),
        declarations: IdMap::new(),
        assumptions: Vec::new(),
        approximations: Vec::new(),
    }
}

/// What receives ask for, per buffer. What leaves the message where it is need not tell types apart.
fn receives(
    analysis: &Analysis<'_>,
    grouping: &Grouping,
    deeds: &Deeds,
) -> BTreeMap<ObjectId, BTreeSet<Patterns>> {
    let mut receives: BTreeMap<ObjectId, BTreeSet<Patterns>> = BTreeMap::new();
    for (_, deed) in deeds.values().flatten() {
        if let Deed::Receive { from, patterns, peek: false } = deed {
            for object in from {
                let object = grouping.representative[object.index()];
                receives.entry(object).or_default().insert(fitted(analysis, object, patterns));
            }
        }
    }
    receives
}

/// The patterns of a receive for the fields that a channel has: it drops those that it does not name.
fn fitted(analysis: &Analysis<'_>, object: ObjectId, patterns: &Patterns) -> Patterns {
    let mut patterns = patterns.clone();
    patterns.resize(analysis.objects[object].shape.fields.len(), None);
    patterns
}

impl Maker<'_> {
    fn add_buffer(
        &mut self,
        options: &Options,
        analysis: &Analysis<'_>,
        names: &Names,
        (id, members): (ObjectId, &[ObjectId]),
        receives: Option<&BTreeSet<Patterns>>,
    ) {
        let object = &analysis.objects[id];
        let none = BTreeSet::new();
        let sends: Vec<&[Value]> =
            members.iter().flat_map(|&member| analysis.sends[member].values().map(Vec::as_slice)).collect();
        let limits = (options.constants, options.vectors);
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
                0 => BufferKind::Rendezvous,
                _ => BufferKind::Queue,
            },
            declared: Some(object.shape.capacity),
        });
        self.result.declarations.push(Declaration {
            process_type: object.owner.map(|context| analysis.contexts[context].process_type),
            variable: object.variable,
            element: object.element,
        });
        let message = |name| system.messages.push(MessageType { buffer, name });
        let messages = types.names(self.program, &object.shape).into_iter().map(message);
        let messages = messages.collect();
        self.queues.insert(id, Queue { types, messages });
    }

    fn add_class(&mut self, analysis: &Analysis<'_>, names: &Names, class: ClassId) {
        let group = &self.grouping.groups[class];
        let process = &self.program.types[group.process_type];
        let mut reachable = BTreeSet::from([process.entry]);
        for context in &group.contexts {
            let states = analysis.contexts[*context].states.iter();
            reachable.extend(states.filter(|(_, state)| state.is_some()).map(|(id, _)| id));
        }
        let state_names = state_names(self.program, process, &reachable);
        let first = self.result.system.states.len();
        let mut initial = StateId::new(first);
        for location in reachable {
            let name = state_names[&location].clone();
            let state = self.result.system.states.push(State { class, name });
            self.result.locations.push((group.process_type, location));
            self.states.insert((class, location), state);
            if location == process.entry {
                initial = state;
            }
        }
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
        context: ContextId,
        edge: EdgeId,
        deed: &Deed,
    ) -> Result<(), Error> {
        let plain = (Vec::new(), Vec::new());
        let effects: Vec<(Vec<Event>, Vec<ClassId>)> = match deed {
            Deed::Nothing | Deed::Receive { peek: true, .. } => vec![plain],
            Deed::Send(messages) => {
                let all = messages.iter().flat_map(|(object, fields)| {
                    self.events(*object, Direction::Send, |types| types.sent(fields))
                });
                all.map(|event| (vec![event], Vec::new())).collect()
            }
            Deed::Receive { from, patterns, .. } => {
                let all = from.iter().flat_map(|object| {
                    let patterns = fitted(analysis, *object, patterns);
                    self.events(*object, Direction::Receive, |types| types.received(&patterns))
                });
                all.map(|event| (vec![event], Vec::new())).collect()
            }
            Deed::Create { .. } => {
                let child = analysis.contexts[context].children.get(&edge);
                let creates = child.map(|&child| self.grouping.class_of[child]);
                vec![(Vec::new(), creates.into_iter().collect())]
            }
        };
        effects
            .into_iter()
            .try_for_each(|(events, creates)| self.add_transition(context, edge, events, creates))
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
    /// Adds a transition, unless there is an equal one.
    fn add_transition(
        &mut self,
        context: ContextId,
        edge: EdgeId,
        events: Vec<Event>,
        creates: Vec<ClassId>,
    ) -> Result<(), Error> {
        let class = self.grouping.class_of[context];
        let process_type = self.grouping.groups[class].process_type;
        let statement = &self.program.types[process_type].edges[edge];
        let state = |location| self.states.get(&(class, location)).copied();
        // Both ends of a statement that can be executed are reachable.
        let (Some(source), Some(target)) = (state(statement.source), state(statement.target)) else {
            return Ok(());
        };
        if !self.seen.insert((source, target, events.clone(), creates.clone())) {
            return Ok(());
        }
        if self.result.system.transitions.len() >= self.limit {
            return Err(Error::TooManyTransitions { limit: self.limit });
        }
        let origin = self
            .origins
            .entry((process_type, edge))
            .or_insert_with(|| self.program.sources.origin(statement.span));
        self.result.system.transitions.push(Transition {
            source,
            target,
            events,
            creates,
            origin: Some(origin.clone()),
        });
        self.result.statements.push((process_type, edge));
        Ok(())
    }
}
