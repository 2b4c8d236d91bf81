//! Translation of systems to programs, which defines their runs.
//!
//! Each class becomes a process type, each buffer a global channel with one field, each transition
//! a sequence of statements, one for each message and each creation. All statements of a transition
//! are one step, which is possible only as a whole ([`Program::whole_steps`]): this agrees with the
//! counting interpretation, and so with certificates. `docs/semantics.md` describes the
//! consequences.

mod excerpts;
mod statement;

use std::num::NonZeroU32;

use thiserror::Error;

use excerpts::Excerpts;
use statement::{action, numbers, statements, symbol, texts};

use super::{BufferId, BufferKind, Class, Direction, Event, StateId, System, Transition, TransitionId};
use crate::ids::{Id, IdMap};
use crate::program::{
    Action, ChannelShape, Edge, EdgeId, FixedLimit, Hold, Initial, Initializer, Location, LocationId,
    ProcessType, ProcessTypeId, Program, SymbolSet, SymbolSetId, Type, Variable, VariableId, WhenFull,
};
use crate::source::Span;

/// Greatest number of statements of one transition.
const STEP: u64 = 10_000;
/// Greatest number of statements of all transitions.
const STATEMENTS: u64 = 1_000_000;
/// Greatest number of message types of a buffer whose messages are symbols, which are stored in a
/// byte and are not 0.
const SYMBOLS: usize = 255;

/// A program with the runs of a system, and the correspondence of their parts.
///
/// Process types correspond to classes, and global variables to buffers, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The program. A transition with an origin has its position; others are in no file, and are
    /// named by their states.
    pub program: Program,
    /// The statements of each transition, in order.
    pub statements: IdMap<TransitionId, Vec<(ProcessTypeId, EdgeId)>>,
}

/// Reasons for which a system cannot be translated to a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRunnable {
    /// A rendezvous is combined with other messages in one transition.
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
    /// Data places: their changes by steps are known only as upper bounds.
    #[error(
        "the system has data places, and not all of its own runs are runs of the model that it was made from"
    )]
    Data,
    /// The system is too large.
    #[error("the transitions send, receive and create more than {STATEMENTS} times")]
    TooLarge,
}

impl System {
    /// The program whose runs are those of this system. The system must be
    /// [valid](System::validate). Time and space linear in the system, counting each event as often
    /// as its messages.
    ///
    /// # Errors
    /// The reason for which there is none.
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
                // A rendezvous send ends its step; subsequent creations are steps of their own.
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
            Program { sources, symbols, globals, types, initial, whole_steps: true, ..Program::default() };
        Ok(Translation { program, statements })
    }
}

/// Checks that the system can be translated.
fn check(system: &System) -> Result<(), NotRunnable> {
    if !system.data.is_empty() {
        return Err(NotRunnable::Data);
    }
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

/// Returns `true` if a transition sends by rendezvous.
fn offers(system: &System, transition: &Transition) -> bool {
    let sends = |event: &Event| event.direction == Direction::Send && system.is_rendezvous(event.message);
    transition.events.iter().any(sends)
}

/// The channels for the buffers, each with a symbol set of its own.
fn channels(system: &System, span: Span) -> (IdMap<SymbolSetId, SymbolSet>, IdMap<VariableId, Variable>) {
    let mut symbols: IdMap<SymbolSetId, SymbolSet> = IdMap::new();
    let mut globals = IdMap::new();
    for (id, buffer) in system.buffers.iter() {
        let set = symbols.push(SymbolSet { name: Some(buffer.name.clone()), constants: Vec::new() });
        let capacity = match buffer.kind {
            BufferKind::Rendezvous => 0,
            BufferKind::Queue | BufferKind::Environment => {
                buffer.declared.filter(|room| *room > 0).unwrap_or(ChannelShape::ANY)
            }
        };
        let mut shape = ChannelShape::new(capacity, vec![Type::Symbol(set)]);
        shape.limit = fixed_limit(system, id);
        let init = Initializer::NewChannel(shape);
        globals.push(Variable::scalar(&buffer.name, Type::Channel, init, span));
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

/// The fixed limit of a buffer, if it has one; a limit of 0 cannot be that of a queue.
fn fixed_limit(system: &System, buffer: BufferId) -> Option<FixedLimit> {
    let size = u32::try_from(system.limit_of(buffer)?).ok().and_then(NonZeroU32::new)?;
    Some(FixedLimit { size, when_full: WhenFull::Wait })
}

/// The process types for the classes, without edges, and the location of each state. A state
/// without outgoing transitions is the exit.
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

/// The locations between which a transition leads.
struct Way {
    from: LocationId,
    to: LocationId,
    /// The transition, if its statements form one step.
    step: Option<TransitionId>,
}

/// Adds the statements of a transition to a process type, in sequence.
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

#[cfg(test)]
mod tests {
    use super::super::SystemBuilder;
    use super::*;
    use crate::source::Origin;

    /// A class with a step of several statements and an end, and one that stays.
    fn system() -> System {
        let mut b = SystemBuilder::new("s");
        let (ask, nameless) = (b.message("A", "ask"), b.message("B", ""));
        let stays = b.class("endless", 2).id();
        b.class_again(stays).receive("end", ask, "end");
        let mut class = b.class("P", 1);
        class.step("q0", &[(ask, 2), (nameless, -1)], "q1").create("q1", stays, "done").step(
            "q1",
            &[],
            "end",
        );
        b.build().unwrap()
    }

    fn texts(program: &Program) -> Vec<&str> {
        let edges = program.types.values().flat_map(|ty| ty.edges.values());
        edges.map(|edge| program.sources.text(edge.span)).collect()
    }

    #[test]
    fn statements_are_told_by_states_and_messages() {
        let Translation { program, statements } = system().to_program().unwrap();
        assert_eq!(program.validate(), Ok(()));
        let expected =
            ["end -> end: A?ask", "q0 -> q1: A!ask", "A!ask", "B?_", "q1 -> done: run endless", "q1 -> end"];
        assert_eq!(texts(&program), expected);
        assert!(
            program
                .types
                .values()
                .flat_map(|ty| ty.edges.values())
                .all(|e| program.sources.line(e.span) == 0)
        );
        let lengths: Vec<usize> = statements.values().map(Vec::len).collect();
        assert_eq!(lengths, [1, 3, 1, 1]);
    }

    #[test]
    fn a_step_is_one_and_ends_are_where_nothing_goes_on() {
        let Translation { program, .. } = system().to_program().unwrap();
        let p = &program.types[ProcessTypeId::new(1)];
        let holds: Vec<(Hold, Option<u32>)> = p.edges.values().map(|edge| (edge.hold, edge.d_step)).collect();
        let (inside, last, alone) = ((Hold::DStep, Some(1)), (Hold::No, Some(1)), (Hold::No, None));
        assert_eq!(holds, [inside, inside, last, alone, alone]);
        // Both `done` and `end` of the one, and nothing of the other; names of states are no
        // labels.
        let into = |ty: &ProcessType| ty.edges.values().filter(|edge| edge.target == ty.exit).count();
        assert_eq!(program.types.values().map(into).collect::<Vec<_>>(), [0, 2]);
        assert!(!program.types.values().flat_map(|ty| ty.locations.values()).any(Location::is_end));
        assert_eq!(program.initial.iter().map(|initial| initial.count).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn transitions_with_an_origin_stand_there() {
        let mut system = system();
        let origin = Origin { file: "m.pml".into(), line: 7, text: "A!ask; A!ask".into() };
        system.transitions[TransitionId::new(1)].origin = Some(origin);
        let Translation { program, .. } = system.to_program().unwrap();
        let edges = program.types[ProcessTypeId::new(1)].edges.values();
        let told = edges.map(|edge| program.sources.origin(edge.span));
        let told: Vec<String> = told.map(|at| format!("{}:{} {}", at.file, at.line, at.text)).collect();
        assert_eq!(
            told[..4],
            ["m.pml:7 A!ask; A!ask", "m.pml:7 A!ask", "m.pml:7 B?_", ":0 q1 -> done: run endless"]
        );
    }

    #[test]
    fn whole_steps_are_of_nothing_else() {
        let Translation { mut program, .. } = system().to_program().unwrap();
        program.types[ProcessTypeId::new(0)].edges[EdgeId::new(0)].action = Action::Else;
        let fault = program.validate().unwrap_err().to_string();
        assert_eq!(fault, "endless: what is not all or nothing in a program of whole steps");
        program.whole_steps = false;
        assert_eq!(program.validate(), Ok(()));
    }
}
