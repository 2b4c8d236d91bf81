//! Conditions that hang on the environment.

use std::collections::BTreeSet;

use cfsm_core::program::{
    Action, Edge, EdgeId, Expression, Place, ProcessType, ProcessTypeId, VariableId, VariableRef,
};
use cfsm_core::source::Span;

use super::evaluate::{Process, Scope};
use super::state::{State, parameters};
use super::value::{Flags, Reliability};

/// A variable, with all elements if it is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The type whose local the variable is; `None` if it is global.
    pub owner: Option<ProcessTypeId>,
    /// The variable.
    pub variable: VariableId,
}

/// The effect of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    /// The statement is a condition: it can be executed or not.
    Guard,
    /// The statement is an `else`: it can be executed if others cannot, which hang on the
    /// environment.
    Else,
    /// A receive compares fields of a message: it takes the message or not.
    Match,
    /// The channel of a send or of a receive is chosen.
    Channel,
    /// An element of an array is chosen, or there is none and the run ends.
    Index,
    /// An argument of a new process decides one of its conditions.
    Argument,
    /// An assertion holds or not.
    Assertion,
    /// The priority of a process is chosen.
    Priority,
    /// A process may step or not (`provided`).
    Provided,
}

/// A condition that hangs on the environment in some run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HangingCondition {
    /// The type of the process.
    pub process_type: ProcessTypeId,
    /// The edge of the statement; `None` for the `provided` of a process type.
    pub edge: Option<EdgeId>,
    /// The place in the text.
    pub span: Span,
    /// Its effect.
    pub kind: ConditionKind,
    /// The variables in it that may be chaotic.
    pub variables: BTreeSet<Cell>,
    /// The open channels that it hangs on.
    pub sources: BTreeSet<VariableId>,
    /// `true` if it hangs on the environment whenever the process is there; `false` if in some runs
    /// only.
    pub always: bool,
}

/// All conditions that hang on the environment.
pub(super) fn conditions(state: &State<'_>) -> Vec<HangingCondition> {
    let mut found = Vec::new();
    for (process_type, process) in state.program.types.iter() {
        found.extend(provided(state, process_type, process));
        for (edge, content) in process.edges.iter() {
            let Some(locals) = &state.locals[process_type][content.source] else { continue };
            let scope = Scope { state, process: Some(Process { process_type, locals }) };
            let mut asked = Asked { scope, found: Vec::new() };
            asked.ask(process, content);
            found.extend(asked.found.into_iter().map(|part| part.at(process_type, Some(edge), content.span)));
        }
    }
    found.extend(arguments(state, &found));
    found.sort_by_key(|condition| (condition.process_type, condition.edge, condition.kind));
    found
}

/// The condition under which processes of a type step, wherever they are.
fn provided(
    state: &State<'_>,
    process_type: ProcessTypeId,
    process: &ProcessType,
) -> Option<HangingCondition> {
    let condition = process.provided.as_ref()?;
    let mut whole = Part::new(ConditionKind::Provided, Flags::default());
    for locals in state.locals[process_type].values().flatten() {
        let scope = Scope { state, process: Some(Process { process_type, locals }) };
        whole.flags.join(&scope.flags(condition));
        scope.chaotic_variables(condition, &mut whole.variables);
    }
    whole.flags.may_be_chaotic().then(|| whole.at(process_type, None, process.span))
}

/// The arguments that decide conditions of the processes that are created with them.
fn arguments(state: &State<'_>, known: &[HangingCondition]) -> Vec<HangingCondition> {
    let decides = |owner: ProcessTypeId, variable: VariableId| {
        let cell = Cell { owner: Some(owner), variable };
        known.iter().any(|condition| condition.variables.contains(&cell))
    };
    let mut found = Vec::new();
    for (process_type, process) in state.program.types.iter() {
        for (edge, content) in process.edges.iter() {
            let Action::Create { process_type: created, arguments, .. } = &content.action else { continue };
            let Some(locals) = &state.locals[process_type][content.source] else { continue };
            let scope = Scope { state, process: Some(Process { process_type, locals }) };
            let mut asked = Asked { scope, found: Vec::new() };
            let deciding = arguments.iter().zip(parameters(&state.program.types[*created]));
            let deciding: Vec<&Expression> = deciding
                .filter(|(_, parameter)| decides(*created, *parameter))
                .map(|(value, _)| value)
                .collect();
            asked.values(ConditionKind::Argument, &deciding);
            found.extend(asked.found.into_iter().map(|part| part.at(process_type, Some(edge), content.span)));
        }
    }
    found
}

/// A condition without its place.
struct Part {
    kind: ConditionKind,
    flags: Flags,
    variables: BTreeSet<Cell>,
}

impl Part {
    const fn new(kind: ConditionKind, flags: Flags) -> Self {
        Self { kind, flags, variables: BTreeSet::new() }
    }

    fn at(self, process_type: ProcessTypeId, edge: Option<EdgeId>, span: Span) -> HangingCondition {
        HangingCondition {
            process_type,
            edge,
            span,
            kind: self.kind,
            variables: self.variables,
            always: self.flags.reliability() == Reliability::Chaotic,
            sources: self.flags.sources,
        }
    }
}

/// The conditions of a statement.
struct Asked<'a> {
    scope: Scope<'a>,
    found: Vec<Part>,
}

impl Asked<'_> {
    fn ask(&mut self, process: &ProcessType, edge: &Edge) {
        match &edge.action {
            Action::Condition(condition) => return self.values(ConditionKind::Guard, &[condition]),
            Action::Assert(condition) => return self.values(ConditionKind::Assertion, &[condition]),
            Action::Else => self.others(process, edge),
            Action::Opaque { guard: true, .. } => {
                self.add(ConditionKind::Guard, self.scope.state.any_flags(), &[]);
            }
            Action::Send { channel, .. } => self.values(ConditionKind::Channel, &[channel]),
            Action::Receive { channel, patterns, .. } => {
                self.values(ConditionKind::Channel, &[channel]);
                let compared = self.scope.compared(channel, patterns);
                let values: Vec<&Expression> = patterns.iter().filter_map(|p| p.expression()).collect();
                self.add(ConditionKind::Match, compared, &values);
            }
            Action::SetPriority { process, priority } => {
                self.values(ConditionKind::Priority, &[process, priority]);
            }
            Action::Assign { .. } | Action::Create { .. } | Action::Print { .. } | Action::Opaque { .. } => {}
        }
        if !self.found.is_empty() {
            return;
        }
        let places = edge.action.places();
        let indices: Vec<&Expression> =
            places.into_iter().filter_map(|place| place.index.as_deref()).collect();
        self.values(ConditionKind::Index, &indices);
    }

    /// Adds a condition that several values decide together, if one of them may be chaotic.
    fn values(&mut self, kind: ConditionKind, values: &[&Expression]) {
        let flags =
            values.iter().fold(Flags::reliable(), |flags, value| flags.combined(&self.scope.flags(value)));
        self.add(kind, flags, values);
    }

    fn add(&mut self, kind: ConditionKind, flags: Flags, values: &[&Expression]) {
        if flags.may_be_chaotic() {
            let mut part = Part::new(kind, flags);
            values.iter().for_each(|value| self.scope.chaotic_variables(value, &mut part.variables));
            self.found.push(part);
        }
    }

    /// Adds an `else` beside statements that hang on the environment.
    fn others(&mut self, process: &ProcessType, edge: &Edge) {
        let beside = |other: &&Edge| other.source == edge.source && other.action != Action::Else;
        let mut part = Part::new(ConditionKind::Else, Flags::reliable());
        for other in process.edges.values().filter(beside) {
            part.flags = part.flags.combined(&self.scope.executability(&other.action));
            let values = match &other.action {
                Action::Condition(condition) => vec![condition],
                Action::Receive { patterns, .. } => patterns.iter().filter_map(|p| p.expression()).collect(),
                _ => Vec::new(),
            };
            values.iter().for_each(|value| self.scope.chaotic_variables(value, &mut part.variables));
        }
        if part.flags.may_be_chaotic() {
            self.found.push(part);
        }
    }
}

impl Scope<'_> {
    /// The flags of the question whether a statement can be executed.
    fn executability(&self, action: &Action) -> Flags {
        match action {
            Action::Condition(condition) => self.flags(condition),
            Action::Send { channel, .. } => self.contents(channel),
            Action::Receive { channel, patterns, .. } => self.poll(channel, patterns),
            Action::Opaque { guard: true, .. } => self.state.any_flags(),
            _ => Flags::reliable(),
        }
    }

    /// Adds the variables of an expression that may be chaotic.
    fn chaotic_variables(&self, expression: &Expression, found: &mut BTreeSet<Cell>) {
        match expression {
            Expression::Read(place) if self.cell(place.variable).flags.may_be_chaotic() => {
                found.insert(self.named(place));
            }
            Expression::RemoteRead { process_type, variable, .. }
                if self.state.anywhere(*process_type, *variable).flags.may_be_chaotic() =>
            {
                found.insert(Cell { owner: Some(*process_type), variable: *variable });
            }
            _ => {}
        }
        expression.children().into_iter().for_each(|child| self.chaotic_variables(child, found));
    }

    fn named(&self, place: &Place) -> Cell {
        match (place.variable, self.process) {
            (VariableRef::Local(variable), Some(process)) => {
                Cell { owner: Some(process.process_type), variable }
            }
            (VariableRef::Local(variable) | VariableRef::Global(variable), _) => {
                Cell { owner: None, variable }
            }
        }
    }
}
