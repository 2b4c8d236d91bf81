//! Systems as programs, which is what their runs are.
//!
//! Each class is a process type, each buffer a global channel of one field, each transition a statement for
//! each message, one after another, and one for each creation. All statements of a transition are one step,
//! and that step is possible only as a whole ([`Program::whole_steps`]): what the counting reading, and with
//! it a certificate, takes a transition for. `docs/semantics.md` says what follows from that.

use thiserror::Error;

use super::excerpts::Excerpts;
use super::{
    BufferId, BufferKind, Class, ClassId, Direction, Event, MessageId, MessageType, StateId, System,
    Transition, TransitionId,
};
use crate::ids::{Id, IdMap};
use crate::program::{
    Action, ChannelShape, Edge, EdgeId, Expression, Hold, Initial, Initializer, Location, LocationId,
    Pattern, ProcessType, ProcessTypeId, Program, SymbolSet, SymbolSetId, Type, Variable, VariableId,
    VariableRef,
};
use crate::source::Span;

/// Most statements of one transition: more are a step that nobody wants to look at.
const STEP: u64 = 10_000;
/// Most statements of all transitions.
const STATEMENTS: u64 = 1_000_000;
/// Most message types of a buffer whose messages are symbols, which are kept in a byte and are not 0.
const SYMBOLS: usize = 255;

/// A program that does what a system does, and the ways between them.
///
/// Process types are the classes, and global variables the buffers, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The program. A transition with an origin stands there; others stand in no file, and have their states
    /// as text.
    pub program: Program,
    /// The statements of each transition, in order.
    pub statements: IdMap<TransitionId, Vec<(ProcessTypeId, EdgeId)>>,
}

/// Why a system has no runs that could be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRunnable {
    /// A rendezvous with other messages in the same transition.
    #[error(
        "`{transition}` sends or receives other messages in the same step as a rendezvous, and what a step of \
         two processes is then is not defined"
    )]
    Company {
        /// The transition.
        transition: String,
    },
    /// One transition is too long.
    #[error("`{transition}` sends, receives and creates more than {STEP} times in one step")]
    LongStep {
        /// The transition.
        transition: String,
    },
    /// The system is too large.
    #[error("the transitions send, receive and create more than {STATEMENTS} times")]
    TooLarge,
}

impl System {
    /// The program whose runs are those of this system. The system must be [valid](System::validate). Time
    /// and space linear in the system, each event taken as often as it counts.
    ///
    /// # Errors
    /// Why there is none.
    pub fn to_program(&self) -> Result<Translation, NotRunnable> {
        check(self)?;
        let numbers = numbers(self);
        let mut excerpts = Excerpts::default();
        let actions: Vec<Vec<Action>> = self
            .transitions
            .values()
            .map(|transition| {
                let statements = statements(transition);
                let texts = texts(self, transition, &statements);
                texts.iter().for_each(|text| excerpts.add(transition.origin.as_ref(), text));
                statements.into_iter().map(|statement| action(self, &numbers, statement)).collect()
            })
            .collect();
        let (sources, spans, nowhere) = excerpts.finish();
        let (mut types, places) = classes(self, nowhere);
        let mut spans = spans.into_iter();
        let mut statements = IdMap::new();
        for ((id, transition), actions) in self.transitions.iter().zip(actions) {
            let class = ProcessTypeId::new(self.class_of(id).index());
            let way = Way {
                from: places[transition.source],
                to: places[transition.target],
                // A rendezvous send ends its step; creations behind it are steps of their own.
                step: (actions.len() > 1 && !offers(self, transition)).then_some(id),
            };
            let actions = actions.into_iter().zip(spans.by_ref());
            let edges = connect(&mut types[class], &way, actions.collect());
            statements.push(edges.into_iter().map(|edge| (class, edge)).collect());
        }
        let initial = self.classes.iter().map(|(id, class)| Initial {
            process_type: ProcessTypeId::new(id.index()),
            count: class.instances,
        });
        let (symbols, globals) = channels(self, nowhere);
        let initial = initial.collect();
        let program =
            Program { sources, symbols, globals, types, initial, claims: Vec::new(), whole_steps: true };
        Ok(Translation { program, statements })
    }
}

/// Whether the system can be translated.
fn check(system: &System) -> Result<(), NotRunnable> {
    let mut all = 0;
    for transition in system.transitions.values() {
        let name = || {
            let target = &system.states[transition.target].name;
            format!("{} -> {target}", system.state_name(transition.source))
        };
        let messages: u64 = transition.events.iter().map(|event| u64::from(event.count)).sum();
        let meets = transition.events.iter().any(|event| system.is_rendezvous(event.message));
        if meets && messages > 1 {
            return Err(NotRunnable::Company { transition: name() });
        }
        let count = messages + transition.creates.len() as u64;
        if count > STEP {
            return Err(NotRunnable::LongStep { transition: name() });
        }
        all += count.max(1);
    }
    if all > STATEMENTS { Err(NotRunnable::TooLarge) } else { Ok(()) }
}

/// Whether a transition sends by rendezvous.
fn offers(system: &System, transition: &Transition) -> bool {
    let sends = |event: &Event| event.direction == Direction::Send && system.is_rendezvous(event.message);
    transition.events.iter().any(sends)
}

/// What one statement does.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Pass,
    Send(MessageId),
    Receive(MessageId),
    Create(ClassId),
}

/// The statements of a transition, in order; at least one.
fn statements(transition: &Transition) -> Vec<Statement> {
    let events = transition.events.iter().flat_map(|event| {
        let statement = match event.direction {
            Direction::Send => Statement::Send(event.message),
            Direction::Receive => Statement::Receive(event.message),
        };
        std::iter::repeat_n(statement, event.count as usize)
    });
    let all: Vec<_> =
        events.chain(transition.creates.iter().map(|class| Statement::Create(*class))).collect();
    if all.is_empty() { vec![Statement::Pass] } else { all }
}

/// The text of each statement of a transition: of the first one the user's text, or the states; behind the
/// states, and of all others, what they do.
fn texts(system: &System, transition: &Transition, statements: &[Statement]) -> Vec<String> {
    let state = |id: StateId| &system.states[id].name;
    let mut texts: Vec<String> = statements.iter().map(|statement| deed(system, *statement)).collect();
    texts[0] = match &transition.origin {
        Some(origin) => origin.text.clone(),
        None => {
            let colon = if texts[0].is_empty() { "" } else { ": " };
            format!("{} -> {}{colon}{}", state(transition.source), state(transition.target), texts[0])
        }
    };
    texts
}

/// `AB!ask`, `AB?ask`, `run P`
fn deed(system: &System, statement: Statement) -> String {
    let passed = |message: MessageId, sign: char| {
        let buffer = &system.buffers[system.messages[message].buffer].name;
        format!("{buffer}{sign}{}", symbol(system, message))
    };
    match statement {
        Statement::Pass => String::new(),
        Statement::Send(message) => passed(message, '!'),
        Statement::Receive(message) => passed(message, '?'),
        Statement::Create(class) => format!("run {}", system.classes[class].name),
    }
}

/// A message type's name; `_` if it has none.
fn symbol(system: &System, message: MessageId) -> &str {
    match system.messages[message].name.as_str() {
        "" => "_",
        name => name,
    }
}

/// The numbers of message types: from 1 in each buffer.
fn numbers(system: &System) -> IdMap<MessageId, i64> {
    let mut last: IdMap<BufferId, i64> = IdMap::filled(0, system.buffers.len());
    let next = |message: &MessageType| {
        last[message.buffer] += 1;
        last[message.buffer]
    };
    system.messages.values().map(next).collect()
}

fn action(system: &System, numbers: &IdMap<MessageId, i64>, statement: Statement) -> Action {
    let channel = |message: MessageId| {
        let variable = VariableId::new(system.messages[message].buffer.index());
        Expression::variable(VariableRef::Global(variable))
    };
    let number = |message: MessageId| Expression::Constant(numbers[message]);
    match statement {
        Statement::Pass => Action::Condition(Expression::Constant(1)),
        Statement::Send(message) => {
            Action::Send { channel: channel(message), fields: vec![number(message)], sorted: false }
        }
        Statement::Receive(message) => Action::Receive {
            channel: channel(message),
            patterns: vec![Pattern::Match(number(message))],
            random: false,
            peek: false,
        },
        Statement::Create(class) => Action::Create {
            process_type: ProcessTypeId::new(class.index()),
            arguments: Vec::new(),
            priority: None,
            result: None,
        },
    }
}

/// The buffers as channels, each with symbols of its own.
fn channels(system: &System, span: Span) -> (IdMap<SymbolSetId, SymbolSet>, IdMap<VariableId, Variable>) {
    let mut symbols: IdMap<SymbolSetId, SymbolSet> = IdMap::new();
    let mut globals = IdMap::new();
    for buffer in system.buffers.values() {
        let set = symbols.push(SymbolSet { name: Some(buffer.name.clone()), constants: Vec::new() });
        let capacity = match buffer.kind {
            BufferKind::Rendezvous => 0,
            BufferKind::Queue => buffer.declared.filter(|room| *room > 0).unwrap_or(ChannelShape::ANY),
        };
        let shape = ChannelShape { capacity, fields: vec![Type::Symbol(set)] };
        globals.push(Variable {
            name: buffer.name.clone(),
            ty: Type::Channel,
            length: None,
            init: Initializer::NewChannel(shape),
            hidden: false,
            of_records: false,
            span,
        });
    }
    for (id, message) in system.messages.iter() {
        let constants = &mut symbols[SymbolSetId::new(message.buffer.index())].constants;
        constants.push((symbol(system, id).to_owned(), constants.len() as i64 + 1));
        if constants.len() > SYMBOLS
            && let Initializer::NewChannel(shape) = &mut globals[VariableId::new(message.buffer.index())].init
        {
            shape.fields = vec![Type::Int];
        }
    }
    (symbols, globals)
}

/// The classes as process types without edges, and the location of each state. A state that nothing leaves is
/// the end of its instances.
fn classes(system: &System, span: Span) -> (IdMap<ProcessTypeId, ProcessType>, IdMap<StateId, LocationId>) {
    let mut left = IdMap::filled(false, system.states.len());
    system.transitions.values().for_each(|transition| left[transition.source] = true);
    let exit = LocationId::new(0);
    let place = || Location { labels: Vec::new(), span };
    let empty = |class: &Class| ProcessType {
        name: class.name.clone(),
        parameters: 0,
        locals: IdMap::new(),
        locations: std::iter::once(place()).collect(),
        edges: IdMap::new(),
        entry: exit,
        exit,
        provided: None,
        priority: None,
        deterministic: false,
        exclusive: Vec::new(),
        span,
    };
    let mut types: IdMap<ProcessTypeId, ProcessType> = system.classes.values().map(empty).collect();
    let mut places = IdMap::filled(exit, system.states.len());
    for (id, state) in system.states.iter().filter(|(id, _)| left[*id]) {
        places[id] = types[ProcessTypeId::new(state.class.index())].locations.push(place());
    }
    for (id, class) in system.classes.iter() {
        types[ProcessTypeId::new(id.index())].entry = places[class.initial];
    }
    (types, places)
}

/// Where a transition leads.
struct Way {
    from: LocationId,
    to: LocationId,
    /// If its statements are one step: the transition.
    step: Option<TransitionId>,
}

/// Adds the statements of a transition to a process type, one behind another.
fn connect(ty: &mut ProcessType, way: &Way, actions: Vec<(Action, Span)>) -> Vec<EdgeId> {
    let mut rest = actions.len();
    let mut source = way.from;
    let mut edges = Vec::with_capacity(rest);
    for (action, span) in actions {
        rest -= 1;
        let last = rest == 0;
        let target = if last { way.to } else { ty.locations.push(Location { labels: Vec::new(), span }) };
        edges.push(ty.edges.push(Edge {
            source,
            target,
            action,
            hold: if way.step.is_some() && !last { Hold::DStep } else { Hold::No },
            rank: 0,
            d_step: way.step.and_then(|transition| u32::try_from(transition.index()).ok()),
            alternatives: 0,
            span,
        }));
        if ty.locations[source].span == ty.span {
            ty.locations[source].span = span;
        }
        source = target;
    }
    edges
}
