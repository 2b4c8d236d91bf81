//! Programs built by hand, for the unit tests.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Binary, ChannelShape, Edge, Expression, Hold, Initial, Initializer, Location, LocationId,
    Pattern, Place, ProcessType, ProcessTypeId, Program, SymbolSet, SymbolSetId, Type, Variable, VariableRef,
};
use cfsm_core::source::{FileId, Span};

use crate::{Abstraction, Options, abstract_program};

/// Lines of the source text, which is empty but for line ends: position n is in line n + 1.
const LINES: usize = 100;

fn at_line(line: usize) -> Span {
    let start = u32::try_from(line.saturating_sub(1)).unwrap();
    Span { file: FileId::new(0), start, end: start }
}

fn variable(name: &str, ty: Type, length: Option<u32>, init: Initializer) -> Variable {
    Variable { length, ..Variable::scalar(name, ty, init, at_line(1)) }
}

pub(crate) struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    pub(crate) fn new() -> Self {
        let mut program = Program::default();
        program.sources.add("test.pml", "\n".repeat(LINES));
        Self { program }
    }

    pub(crate) fn global(&mut self, name: &str, ty: Type) -> VariableRef {
        self.global_init(variable(name, ty, None, Initializer::Zero))
    }

    pub(crate) fn global_array(&mut self, name: &str, ty: Type, length: u32) -> VariableRef {
        self.global_init(variable(name, ty, Some(length), Initializer::Zero))
    }

    pub(crate) fn channel(&mut self, name: &str, capacity: u32, fields: &[Type]) -> VariableRef {
        self.global_init(variable(name, Type::Channel, None, new_channel(capacity, fields)))
    }

    pub(crate) fn channels(&mut self, name: &str, length: u32, fields: &[Type]) -> VariableRef {
        self.global_init(variable(name, Type::Channel, Some(length), new_channel(1, fields)))
    }

    fn global_init(&mut self, variable: Variable) -> VariableRef {
        VariableRef::Global(self.program.globals.push(variable))
    }

    /// Symbolic constants, numbered from 1.
    pub(crate) fn symbols(&mut self, names: &[&str]) -> Type {
        let constants = names.iter().zip(1..).map(|(name, n)| ((*name).into(), n));
        let set = SymbolSet { name: None, constants: constants.collect() };
        let id: SymbolSetId = self.program.symbols.push(set);
        Type::Symbol(id)
    }

    pub(crate) fn add(&mut self, process: ProcessBuilder) -> ProcessTypeId {
        self.program.types.push(process.process)
    }

    /// The id that the next process type added will have.
    pub(crate) fn next(&self) -> ProcessTypeId {
        ProcessTypeId::new(self.program.types.len())
    }

    pub(crate) fn active(&mut self, process: ProcessBuilder, count: u32) -> ProcessTypeId {
        let process_type = self.add(process);
        self.program.initial.push(Initial { process_type, count });
        process_type
    }

    pub(crate) fn finish(self) -> Program {
        self.program.validate().unwrap();
        self.program
    }

    pub(crate) fn abstracted(self) -> Abstraction {
        abstract_program(&self.finish(), &Options::default()).unwrap()
    }

    pub(crate) fn outline(self) -> String {
        self.abstracted().outline()
    }
}

/// A process type. Location 0 is the exit, location n > 0 stands in line n; instances start at 1.
pub(crate) struct ProcessBuilder {
    process: ProcessType,
}

pub(crate) fn process(name: &str) -> ProcessBuilder {
    let mut builder = ProcessBuilder {
        process: ProcessType {
            name: name.into(),
            parameters: 0,
            locals: IdMap::new(),
            locations: IdMap::new(),
            edges: IdMap::new(),
            entry: LocationId::new(1),
            exit: LocationId::new(0),
            provided: None,
            priority: None,
            deterministic: false,
            exclusive: Vec::new(),
            span: at_line(1),
        },
    };
    builder.location(1);
    builder
}

impl ProcessBuilder {
    /// A parameter; to be added before other locals.
    pub(crate) fn parameter(&mut self, name: &str, ty: Type) -> VariableRef {
        self.process.parameters += 1;
        self.local_init(variable(name, ty, None, Initializer::Parameter))
    }

    pub(crate) fn local(&mut self, name: &str, ty: Type) -> VariableRef {
        self.local_init(variable(name, ty, None, Initializer::Zero))
    }

    pub(crate) fn local_channel(&mut self, name: &str, fields: &[Type]) -> VariableRef {
        self.local_init(variable(name, Type::Channel, None, new_channel(1, fields)))
    }

    fn local_init(&mut self, variable: Variable) -> VariableRef {
        VariableRef::Local(self.process.locals.push(variable))
    }

    fn location(&mut self, line: usize) -> LocationId {
        while self.process.locations.len() <= line {
            let span = at_line(self.process.locations.len());
            self.process.locations.push(Location { labels: Vec::new(), span });
        }
        LocationId::new(line)
    }

    pub(crate) fn edge(&mut self, source: usize, action: Action, target: usize) -> &mut Self {
        let before = self.process.edges.values().filter(|edge| edge.source.index() == source).count();
        let edge = Edge {
            alternatives: if action == Action::Else { u32::try_from(before).unwrap() } else { 0 },
            source: self.location(source),
            target: self.location(target),
            action,
            hold: Hold::No,
            rank: 0,
            d_step: None,
            span: at_line(source),
        };
        self.process.edges.push(edge);
        self
    }
}

pub(crate) fn new_channel(capacity: u32, fields: &[Type]) -> Initializer {
    Initializer::NewChannel(ChannelShape::new(capacity, fields.to_vec()))
}

pub(crate) fn constant(value: i64) -> Expression {
    Expression::Constant(value)
}

pub(crate) fn global(variable: VariableRef) -> Expression {
    Expression::variable(variable)
}

pub(crate) fn element(variable: VariableRef, index: Expression) -> Place {
    Place { variable, index: Some(Box::new(index)) }
}

pub(crate) fn plus(left: Expression, right: i64) -> Expression {
    Expression::Binary(Binary::Add, Box::new(left), Box::new(constant(right)))
}

pub(crate) fn skip() -> Action {
    Action::Condition(constant(1))
}

pub(crate) fn assign(target: VariableRef, value: Expression) -> Action {
    let target = Place::scalar(target);
    Action::Assign { target, value }
}

pub(crate) fn send_to(channel: Expression, fields: Vec<Expression>) -> Action {
    Action::Send { channel, fields, sorted: false }
}

pub(crate) fn send(channel: VariableRef, fields: Vec<Expression>) -> Action {
    send_to(global(channel), fields)
}

pub(crate) fn receive_from(channel: Expression, patterns: Vec<Pattern>) -> Action {
    Action::Receive { channel, patterns, random: false, peek: false }
}

pub(crate) fn receive(channel: VariableRef, patterns: Vec<Pattern>) -> Action {
    receive_from(global(channel), patterns)
}

pub(crate) fn is(value: i64) -> Pattern {
    Pattern::Match(constant(value))
}

pub(crate) fn into(variable: VariableRef) -> Pattern {
    Pattern::Store(Place::scalar(variable))
}

pub(crate) fn run(process_type: ProcessTypeId, arguments: Vec<Expression>) -> Action {
    Action::Create { process_type, arguments, priority: None, result: None }
}
