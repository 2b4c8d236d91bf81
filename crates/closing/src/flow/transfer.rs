//! Transfer functions: the effect of statements on abstract values, up to the least fixpoint.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Binary, ChannelDeclaration, Claim, Edge, Expression, Initializer, Pattern, Place, ProcessTypeId,
    Type, Unary, Variable, VariableId, VariableRef,
};

use super::evaluate::{Process, Scope};
use super::state::{Locals, State, Statement, parameters};
use super::value::Value;

impl State<'_> {
    /// The least fixpoint: the initial processes start, and statements are executed for as long as
    /// anything is new.
    pub(super) fn saturate(&mut self) {
        self.initialize_globals();
        let program = self.program;
        let environment = program.environment.as_ref().map(|environment| environment.process_type);
        let initial = program.initial.iter().filter(|initial| initial.count > 0);
        for process_type in initial.map(|initial| initial.process_type).chain(self.started_by_code()) {
            if Some(process_type) != environment {
                let arguments = vec![Value::zero(); program.types[process_type].parameters];
                self.start(process_type, &arguments);
            }
        }
        while self.round() {}
    }

    /// The types whose processes code in another language may create: all that are no observers.
    fn started_by_code(&self) -> Vec<ProcessTypeId> {
        let is_observer = |id: ProcessTypeId| {
            let claims = self.program.claims.iter();
            claims
                .into_iter()
                .any(|claim| matches!(claim, Claim::Observer { process_type, .. } if *process_type == id))
        };
        self.program.types.ids().filter(|id| self.has_code && !is_observer(*id)).collect()
    }

    fn initialize_globals(&mut self) {
        let program = self.program;
        for (variable, declared) in program.globals.iter() {
            let scope = Scope { state: self, process: None };
            let value = scope.initial(declared, ChannelDeclaration { owner: None, variable });
            self.globals[variable].join(&value);
        }
    }

    /// A process is created. Initial values may depend on parameters, and on locals declared
    /// before.
    fn start(&mut self, process_type: ProcessTypeId, arguments: &[Value]) -> bool {
        let process = &self.program.types[process_type];
        let mut locals: Locals = IdMap::filled(Value::zero(), process.locals.len());
        for (parameter, argument) in parameters(process).zip(arguments) {
            locals[parameter] = argument.clone();
        }
        for (variable, declared) in process.locals.iter().skip(process.parameters) {
            let scope = Scope { state: self, process: Some(Process { process_type, locals: &locals }) };
            let value = scope.initial(declared, ChannelDeclaration { owner: Some(process_type), variable });
            locals[variable] = value;
        }
        self.arrive(process_type, process.entry, &locals)
    }

    /// Executes each statement that is reached once; returns `true` if anything is new.
    fn round(&mut self) -> bool {
        let program = self.program;
        let mut grows = false;
        for (process_type, process) in program.types.iter() {
            for (edge, content) in process.edges.iter() {
                if let Some(locals) = self.locals[process_type][content.source].clone() {
                    let statement = Statement { process_type, edge };
                    grows |= Step { state: self, statement, locals }.execute(content);
                }
            }
        }
        grows
    }
}

impl Scope<'_> {
    /// The initial value of a variable.
    fn initial(&self, declared: &Variable, declaration: ChannelDeclaration) -> Value {
        match &declared.init {
            Initializer::Zero | Initializer::Parameter => Value::zero(),
            Initializer::Value(value) => self.value(value),
            Initializer::List(values) => {
                values.iter().fold(Value::zero(), |all, value| all.joined(&self.value(value)))
            }
            Initializer::NewChannel(_) => Value::reference(declaration),
        }
    }
}

/// One statement that is executed.
struct Step<'s, 'p> {
    state: &'s mut State<'p>,
    statement: Statement,
    /// The locals, before and then behind the statement.
    locals: Locals,
}

impl Step<'_, '_> {
    fn scope(&self) -> Scope<'_> {
        let process = Process { process_type: self.statement.process_type, locals: &self.locals };
        Scope { state: self.state, process: Some(process) }
    }

    /// Executes the statement; returns `true` if anything is new.
    fn execute(mut self, edge: &Edge) -> bool {
        let grows = match &edge.action {
            // It is never executed.
            Action::Condition(Expression::Constant(0)) => return false,
            Action::Condition(condition) => {
                self.select(condition);
                false
            }
            Action::Assign { target, value } => {
                let value = self.scope().value(value);
                self.store(target, &value)
            }
            Action::Send { channel, fields, .. } => self.send(channel, fields),
            Action::Receive { channel, patterns, .. } => {
                let Some(fields) = self.scope().received(channel, patterns) else { return false };
                self.take(patterns, &fields)
            }
            Action::Create { process_type, arguments, result, .. } => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|argument| self.scope().value(argument)).collect();
                let starts = self.state.start(*process_type, &arguments);
                result.iter().fold(starts, |grows, target| self.store(target, &Value::number()) || grows)
            }
            Action::Else
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority { .. }
            | Action::Opaque { .. } => false,
        };
        self.state.arrive(self.statement.process_type, edge.target, &self.locals) || grows
    }

    /// Behind a condition `x == k` the local variable x has a value that the program names.
    fn select(&mut self, condition: &Expression) {
        for variable in selected(condition) {
            if self.scope().declared(VariableRef::Local(variable)).length.is_none() && !self.state.has_code {
                self.locals[variable] = Value::number();
            }
        }
    }

    /// Stores a value. In an array it may be that of any element; if the index is chaotic, so are
    /// all elements behind it.
    fn store(&mut self, target: &Place, value: &Value) -> bool {
        let scope = self.scope();
        let declared = scope.declared(target.variable);
        let is_array = declared.length.is_some();
        let mut stored = value.clone();
        if is_array {
            stored.join(scope.cell(target.variable));
        }
        if let Some(index) = &target.index {
            stored = stored.combined(&scope.flags(index));
        }
        if declared.ty != Type::Channel {
            stored = Value::with(stored.flags);
        }
        match target.variable {
            VariableRef::Global(variable) => self.state.globals[variable].join(&stored),
            VariableRef::Local(variable) => {
                self.locals[variable] = stored;
                false
            }
        }
    }

    /// Sends to all channels that may be meant.
    fn send(&mut self, channel: &Expression, fields: &[Expression]) -> bool {
        let channel = self.scope().value(channel);
        let value = |field: &Expression| self.scope().value(field).combined(&channel.flags);
        let fields: Vec<Value> = fields.iter().map(value).collect();
        let meant: Vec<ChannelDeclaration> = self.state.channels(&channel).collect();
        meant.into_iter().fold(false, |grows, meant| {
            let stored = self.stored_fields(meant, &fields);
            self.state.send(meant, self.statement, &stored) || grows
        })
    }

    /// The fields as a channel stores them: what is no channel in a message may be any number.
    fn stored_fields(&self, channel: ChannelDeclaration, fields: &[Value]) -> Vec<Value> {
        let types = self.state.program.channel_shape(channel).map_or(&[][..], |shape| &shape.fields);
        let stored = |(position, field): (usize, &Value)| match types.get(position) {
            Some(Type::Channel) => field.clone(),
            _ => Value::with(field.flags.clone()),
        };
        fields.iter().enumerate().map(stored).collect()
    }

    /// Stores the fields of a message, one after the other.
    fn take(&mut self, patterns: &[Pattern], fields: &[Value]) -> bool {
        patterns.iter().zip(fields).fold(false, |grows, (pattern, field)| match pattern {
            Pattern::Store(place) => self.store(place, field) || grows,
            Pattern::Any | Pattern::Match(_) => grows,
        })
    }
}

/// The local variables whose values a condition names: `x == k`, alone or in a conjunction.
fn selected(condition: &Expression) -> Vec<VariableId> {
    let local = |value: &Expression| match value {
        Expression::Read(Place { variable: VariableRef::Local(variable), index: None }) => Some(*variable),
        _ => None,
    };
    match condition {
        Expression::Binary(Binary::And, left, right) => [selected(left), selected(right)].concat(),
        Expression::Binary(Binary::Equal, left, right) => match (left.constant(), right.constant()) {
            (None, Some(_)) => local(left).into_iter().collect(),
            (Some(_), None) => local(right).into_iter().collect(),
            _ => Vec::new(),
        },
        Expression::Unary(Unary::Not, operand) => local(operand).into_iter().collect(),
        _ => Vec::new(),
    }
}
