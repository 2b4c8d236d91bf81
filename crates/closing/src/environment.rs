//! The most general environment, as a process of the program.

use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Binary, ChannelDeclaration, ChannelShape, Edge, Environment, Expression, Hold, Initial,
    Initializer, Location, LocationId, Pattern, Place, ProcessType, Program, Type, Variable, VariableId,
    VariableRef,
};
use cfsm_core::source::{FileId, Span};

use crate::Interface;
use crate::completeness::sees_only_messages;
use crate::messages::{Field, MOST_MESSAGES, Messages, constants, of_fields};
use crate::uses::{Uses, of_globals};

/// The name of the environment's process type, if no other type has it.
const NAME: &str = "environment";
/// The label of the location at which the environment rests; it need not do anything.
const RESTS: &str = "end";
/// The text of the step with which it ends.
const ENDS: &str = "ends";
/// The text of a field that may have any value.
const ANY: &str = "any";

/// The program with the most general environment that keeps to the ranges of the interface: one
/// more process, started behind the initial ones, which sends any message to the open channels and
/// takes any message from them, at any time, and may end.
/// If the interface is empty, nothing is added.
///
/// The abstraction of the program covers its runs with every environment. Where states are
/// searched, the environment sends to empty channels only, and a message for each of the values
/// that matter to it; [`Environment::is_complete`] says whether that shows everything. Time linear
/// in the program and the messages.
#[must_use]
pub fn close(program: &Program, interface: &Interface) -> Program {
    let mut closed = program.clone();
    if interface.is_empty() {
        return closed;
    }
    for variable in &interface.channels {
        if let Some(shape) = closed.channel_shape_mut(ChannelDeclaration { owner: None, variable: *variable })
        {
            shape.is_open = true;
        }
    }
    let uses = of_globals(program);
    let Builder { process, text, names_all, .. } = Builder::new(&closed, interface, &uses);
    let is_complete = names_all && sees_only_messages(&closed, &uses);
    closed.sources.add("", text);
    let process_type = closed.types.push(process);
    closed.initial.push(Initial { process_type, count: 1 });
    let assumptions = interface.ranges.iter().map(|range| range.text.clone()).collect();
    closed.environment = Some(Environment { process_type, is_complete, assumptions });
    closed.assumptions.push(assumption(&closed, interface));
    closed
}

/// The assumption on the environment, as a sentence without a full stop.
fn assumption(program: &Program, interface: &Interface) -> String {
    let names: Vec<String> = interface.names(program).map(|name| format!("`{name}`")).collect();
    let ranges: Vec<String> = interface.ranges.iter().map(|range| format!("`{}`", range.text)).collect();
    let keeps = if ranges.is_empty() { String::new() } else { format!(" with {}", ranges.join(" and ")) };
    format!(
        "the environment may send any message of the declared types{keeps} to {} and take any from there, at any time, and touches nothing else",
        names.join(", ")
    )
}

/// The environment while it is built.
struct Builder<'p> {
    program: &'p Program,
    process: ProcessType,
    file: FileId,
    /// A line for each statement.
    text: String,
    constants: BTreeSet<i64>,
    /// `true` if every message that fits an open channel is named.
    names_all: bool,
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, interface: &Interface, uses: &IdMap<VariableId, Uses>) -> Self {
        let file = FileId::new(program.sources.files.len());
        let mut builder = Self {
            program,
            process: idle(program, Span { file, start: 0, end: 0 }),
            file,
            text: String::new(),
            constants: constants(program),
            names_all: true,
        };
        for variable in &interface.channels {
            let declaration = ChannelDeclaration { owner: None, variable: *variable };
            let Some(shape) = program.channel_shape(declaration) else { continue };
            let fields = interface.fields(*variable, shape);
            let messages = of_fields(program, &fields, &builder.constants);
            let length = program.globals[*variable].length;
            for element in 0..length.unwrap_or(1) {
                let element = length.map(|_| element);
                if uses[*variable].may_be_read() {
                    builder.sends(*variable, element, shape, &fields, &messages);
                }
                if uses[*variable].may_be_sent_to() {
                    builder.takes(*variable, element, shape);
                }
            }
        }
        let ends = Action::Condition(Expression::Opaque(ENDS.into()));
        let (rests, exit) = (builder.process.entry, builder.process.exit);
        builder.edge(rests, ends, exit, Hold::No, ENDS);
        builder
    }

    /// Sends of messages to a channel. A queue is filled when it is empty.
    fn sends(
        &mut self,
        variable: VariableId,
        element: Option<u32>,
        shape: &ChannelShape,
        fields: &[Field],
        messages: &Messages,
    ) {
        let (channel, name) = self.channel(variable, element);
        let rests = self.process.entry;
        let source = if shape.capacity == 0 {
            rests
        } else {
            let ready = self.location(&[]);
            let is_empty = Action::Condition(Expression::Empty(Box::new(channel.clone())));
            self.edge(rests, is_empty, ready, Hold::Atomic, &format!("empty({name})"));
            ready
        };
        for message in &messages.named {
            let words = message.iter().zip(&shape.fields);
            let words: Vec<String> =
                words.map(|(value, ty)| self.program.constant_name(*ty, *value)).collect();
            let fields = message.iter().map(|value| Expression::Constant(*value)).collect();
            let send = Action::Send { channel: channel.clone(), fields, sorted: false };
            self.edge(source, send, rests, Hold::No, &format!("{name}!{}", words.join(",")));
        }
        if !messages.are_all {
            self.names_all = false;
            let mut source = source;
            let values = fields.iter().map(|field| self.any_value(field, &mut source)).collect();
            let send = Action::Send { channel, fields: values, sorted: false };
            let words = vec![ANY; shape.fields.len()].join(",");
            self.edge(source, send, rests, Hold::No, &format!("{name}!{words}"));
        }
    }

    /// Any value of a field. If a range limits it, it is chosen and compared on the way from a
    /// source, in one `atomic`, to another one.
    fn any_value(&mut self, field: &Field, source: &mut LocationId) -> Expression {
        let any = Expression::Opaque(ANY.into());
        if !field.is_limited {
            return any;
        }
        let number = self.process.locals.len();
        let variable =
            Variable::scalar(format!("field_{number}"), field.ty, Initializer::Zero, self.process.span);
        let place = Place::scalar(VariableRef::Local(self.process.locals.push(variable)));
        let value = || Box::new(Expression::Read(place.clone()));
        let end = |end: i64| Box::new(Expression::Constant(end));
        let at_least = Expression::Binary(Binary::GreaterEqual, value(), end(field.least));
        let at_most = Expression::Binary(Binary::LessEqual, value(), end(field.most));
        let choice = Action::Assign { target: place.clone(), value: any };
        for action in [choice, Action::Condition(at_least), Action::Condition(at_most)] {
            let target = self.location(&[]);
            self.edge(*source, action, target, Hold::Atomic, &format!("{} .. {}", field.least, field.most));
            *source = target;
        }
        *value()
    }

    /// Receives of messages from a channel: one for each symbol of the first field that has
    /// symbols, which mostly says of which kind a message is, so that contracts can tell them
    /// apart; and one for any message.
    fn takes(&mut self, variable: VariableId, element: Option<u32>, shape: &ChannelShape) {
        let kind = shape.fields.iter().enumerate().find_map(|(field, ty)| match ty {
            Type::Symbol(set) => Some((field, *set)),
            _ => None,
        });
        let symbols = kind.iter().flat_map(|(field, set)| {
            self.program.symbols[*set].constants.iter().map(|constant| (*field, constant.clone()))
        });
        let wanted: Vec<Option<(usize, (String, i64))>> =
            symbols.take(MOST_MESSAGES).map(Some).chain([None]).collect();
        for wanted in wanted {
            let (channel, name) = self.channel(variable, element);
            let mut patterns = vec![Pattern::Any; shape.fields.len()];
            let mut words = vec!["_".to_owned(); shape.fields.len()];
            if let Some((field, (word, value))) = wanted {
                patterns[field] = Pattern::Match(Expression::Constant(value));
                words[field] = word;
            }
            let receive = Action::Receive { channel, patterns, random: false, peek: false };
            let rests = self.process.entry;
            self.edge(rests, receive, rests, Hold::No, &format!("{name}?{}", words.join(",")));
        }
    }

    /// A channel, and its name.
    fn channel(&self, variable: VariableId, element: Option<u32>) -> (Expression, String) {
        let index = element.map(|element| Box::new(Expression::Constant(i64::from(element))));
        let name = self.program.globals[variable].element_name(element.unwrap_or(0) as usize);
        (Expression::Read(Place { variable: VariableRef::Global(variable), index }), name)
    }

    fn location(&mut self, labels: &[&str]) -> LocationId {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        self.process.locations.push(Location { labels, span: self.process.span })
    }

    fn edge(&mut self, source: LocationId, action: Action, target: LocationId, hold: Hold, text: &str) {
        let offset = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = offset(self.text.len());
        self.text.push_str(text);
        let span = Span { file: self.file, start, end: offset(self.text.len()) };
        self.text.push('\n');
        self.process.edges.push(Edge {
            source,
            target,
            action,
            hold,
            rank: 0,
            d_step: None,
            alternatives: 0,
            span,
        });
    }
}

/// A name for the environment that no process type has, and no global variable.
pub(crate) fn free_name(program: &Program) -> String {
    let is_taken = |name: &str| {
        program.types.values().any(|process| process.name == name)
            || program.globals.values().any(|variable| variable.name == name)
    };
    let numbered = (2..).map(|number| format!("{NAME}_{number}"));
    let mut names = std::iter::once(NAME.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// A process that does nothing, with a name of its own.
fn idle(program: &Program, span: Span) -> ProcessType {
    let location = |label: &[&str]| Location { labels: label.iter().map(|&l| l.to_owned()).collect(), span };
    ProcessType {
        name: free_name(program),
        parameters: 0,
        locals: IdMap::new(),
        locations: [location(&[]), location(&[RESTS])].into_iter().collect(),
        edges: IdMap::new(),
        entry: LocationId::new(1),
        exit: LocationId::new(0),
        provided: None,
        priority: None,
        deterministic: false,
        exclusive: Vec::new(),
        span,
    }
}
