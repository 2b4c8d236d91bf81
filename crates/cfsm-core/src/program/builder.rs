//! Builders of programs by name, for front ends and tests.

use std::collections::BTreeMap;

use super::{
    Action, ChannelShape, Edge, EdgeId, Expression, Fault, Hold, Initial, Initializer, Location, LocationId,
    Place, ProcessType, ProcessTypeId, Program, Type, Variable, VariableId, VariableRef,
};
use crate::ids::{Id, IdMap};
use crate::source::{FileId, Sources, Span};

/// Builds a [`Program`]: channels and variables first, then process types, whose locations are
/// created when they are first named. The first one named is the entry, and `end` is the exit.
///
/// ```
/// use cfsm_core::program::{Action, Expression, Pattern, ProgramBuilder, Type};
///
/// let mut b = ProgramBuilder::new("relay.txt");
/// let queue = b.channel("queue", 4, vec![Type::Byte]);
/// let send = Action::Send { channel: queue.clone(), fields: vec![Expression::Constant(1)], sorted: false };
/// let receive = Action::Receive { channel: queue, patterns: vec![Pattern::Any], random: false, peek: false };
/// b.process("Producer", 1).edge("idle", send, "idle", "queue ! 1");
/// b.process("Consumer", 1).edge("idle", receive, "idle", "queue ? _");
/// let program = b.build()?;
/// assert_eq!(program.types.len(), 2);
/// # Ok::<(), cfsm_core::program::Fault>(())
/// ```
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    name: String,
    /// The text of the program, with one line for each statement.
    text: String,
    locations: BTreeMap<(ProcessTypeId, String), LocationId>,
    started: Vec<bool>,
}

impl ProgramBuilder {
    /// An empty program; `name` is the name of its text, in which each statement has a line.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let (text, locations, started) = Default::default();
        Self { program: Program::default(), name: name.into(), text, locations, started }
    }

    /// A global channel. Capacity 0 is a rendezvous, [`ChannelShape::ANY`] no limit.
    pub fn channel(&mut self, name: &str, capacity: u32, fields: Vec<Type>) -> Expression {
        let shape = ChannelShape::new(capacity, fields);
        let variable = self.declare(name, Type::Channel, Initializer::NewChannel(shape));
        Expression::variable(VariableRef::Global(variable))
    }

    /// A global variable, initially 0.
    pub fn global(&mut self, name: &str, ty: Type) -> VariableRef {
        VariableRef::Global(self.declare(name, ty, Initializer::Zero))
    }

    fn declare(&mut self, name: &str, ty: Type, init: Initializer) -> VariableId {
        let span = self.line(name);
        self.program.globals.push(Variable::scalar(name, ty, init, span))
    }

    /// A process type with this many initial instances.
    pub fn process(&mut self, name: &str, instances: u32) -> ProcessBuilder<'_> {
        let span = self.line(name);
        let end = Location { labels: Vec::new(), span };
        let id = self.program.types.push(ProcessType {
            name: name.into(),
            parameters: 0,
            locals: IdMap::new(),
            locations: std::iter::once(end).collect(),
            edges: IdMap::new(),
            entry: LocationId::new(0),
            exit: LocationId::new(0),
            provided: None,
            priority: None,
            deterministic: false,
            exclusive: Vec::new(),
            span,
        });
        self.locations.insert((id, "end".into()), LocationId::new(0));
        self.started.push(false);
        self.program.initial.push(Initial { process_type: id, count: instances });
        ProcessBuilder { builder: self, id }
    }

    /// Continues with a process type.
    pub fn process_again(&mut self, id: ProcessTypeId) -> ProcessBuilder<'_> {
        ProcessBuilder { builder: self, id }
    }

    /// Adds a line to the text.
    fn line(&mut self, text: &str) -> Span {
        let offset = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = offset(self.text.len());
        self.text.push_str(text);
        let end = offset(self.text.len());
        self.text.push('\n');
        Span { file: FileId::new(0), start, end }
    }

    /// Finishes the program.
    ///
    /// # Errors
    /// The first [`Fault`], e.g. a message with another number of fields than its channel.
    pub fn build(mut self) -> Result<Program, Fault> {
        let mut sources = Sources::default();
        sources.add(self.name, self.text);
        self.program.sources = sources;
        self.program.validate()?;
        Ok(self.program)
    }
}

/// Adds variables, locations and edges to one process type.
#[derive(Debug)]
pub struct ProcessBuilder<'a> {
    builder: &'a mut ProgramBuilder,
    id: ProcessTypeId,
}

impl ProcessBuilder<'_> {
    /// The process type.
    #[must_use]
    pub const fn id(&self) -> ProcessTypeId {
        self.id
    }

    /// A local variable, initially 0.
    pub fn local(&mut self, name: &str, ty: Type) -> VariableRef {
        let span = self.builder.line(name);
        let locals = &mut self.builder.program.types[self.id].locals;
        VariableRef::Local(locals.push(Variable::scalar(name, ty, Initializer::Zero, span)))
    }

    /// The location with this name, which is its label too: the prefixes `end` and `progress` have
    /// their meaning.
    pub fn location(&mut self, name: &str) -> LocationId {
        let key = (self.id, name.to_owned());
        let known = self.builder.locations.get(&key).copied();
        let ty = &mut self.builder.program.types[self.id];
        let id =
            known.unwrap_or_else(|| ty.locations.push(Location { labels: vec![name.into()], span: ty.span }));
        if !std::mem::replace(&mut self.builder.started[self.id.index()], true) {
            ty.entry = id;
        }
        self.builder.locations.insert(key, id);
        id
    }

    /// Adds a statement between two locations; `text` is its source text.
    pub fn edge(&mut self, source: &str, action: Action, target: &str, text: &str) -> &mut Self {
        self.step(source, action, target, text);
        self
    }

    /// As [`edge`](Self::edge), and returns the id of the edge.
    pub fn step(&mut self, source: &str, action: Action, target: &str, text: &str) -> EdgeId {
        let (source, target) = (self.location(source), self.location(target));
        let span = self.builder.line(text);
        let ty = &mut self.builder.program.types[self.id];
        ty.edges.push(Edge {
            source,
            target,
            action,
            hold: Hold::No,
            rank: 0,
            d_step: None,
            alternatives: 0,
            span,
        })
    }

    /// Adds an assignment.
    pub fn assign(
        &mut self,
        source: &str,
        variable: VariableRef,
        value: Expression,
        target: &str,
        text: &str,
    ) -> &mut Self {
        self.edge(source, Action::Assign { target: Place::scalar(variable), value }, target, text)
    }

    /// Adds a condition to wait for.
    pub fn wait(&mut self, source: &str, condition: Expression, target: &str, text: &str) -> &mut Self {
        self.edge(source, Action::Condition(condition), target, text)
    }
}
