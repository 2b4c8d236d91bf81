//! Findings about a program: channels with one end, process types that never start, statements that
//! no run executes.
//!
//! All findings are facts that the abstraction proves: an end of a channel is in use if the text
//! names the channel there, or if a reference that may refer to it is used. So a channel that is
//! passed on, or stored, is not reported merely because of that; and a reference that a dead
//! statement might pass on counts as used at both ends.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::finding::{Ends, Finding, FindingKind, Step, dead_regions};
use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Claim, Edge, EdgeId, Expression, Initializer, LocationId, ProcessTypeId, Program, Type,
    VariableId, VariableRef,
};
use cfsm_core::source::{Lines, Span};
use cfsm_core::system::{Activation, BufferId, BufferKind, ClassId};

use crate::{Abstraction, Declaration};

/// The findings in a program, given its abstraction. Where refinement makes several abstractions,
/// it should be the first one: later ones exclude more steps, for reasons that are no defects of
/// the program. Empty if counters are [assumed](crate::Precision::counters) to stay in ranges.
///
/// Time linear in program and system, but for `O(edges * log edges)` and the closure of
/// [`Activation`].
#[must_use]
pub fn findings<R>(program: &Program, abstraction: &Abstraction) -> Vec<Finding<R>> {
    if !abstraction.precision.counters.is_empty() {
        return Vec::new();
    }
    let facts = Facts::new(program, abstraction);
    let mut findings = one_ended(&facts);
    findings.extend(never_started(&facts));
    findings.extend(never_executed(&facts));
    findings
}

/// The global channels of which one end only is in use, in all elements of an array: those that the
/// environment of an open program is likely to use. Time as that of [`findings`].
#[must_use]
pub fn half_used_channels(program: &Program, abstraction: &Abstraction) -> BTreeSet<VariableId> {
    let facts = Facts::new(program, abstraction);
    let found = one_ended::<()>(&facts);
    let is_found = |name: &str| found.iter().any(|finding| finding.name == name);
    let ends = ends(&facts);
    let (mut half_used, mut others) = (BTreeSet::new(), BTreeSet::new());
    let global = abstraction.declarations.iter().filter(|(_, from)| from.process_type.is_none());
    for (id, declaration) in global.filter(|(id, _)| ends[*id] != Ends::default()) {
        let is_half_used = is_found(&abstraction.system.buffers[id].name);
        let set = if is_half_used { &mut half_used } else { &mut others };
        set.insert(declaration.variable);
    }
    half_used.difference(&others).copied().collect()
}

/// The parts of a program that can run, according to the abstraction.
struct Facts<'a> {
    program: &'a Program,
    abstraction: &'a Abstraction,
    lines: Lines<'a>,
    /// Process types about which nothing is found: observers, and the environment.
    excluded: BTreeSet<ProcessTypeId>,
    /// Classes that may have instances, by process type.
    classes: BTreeMap<ProcessTypeId, Vec<ClassId>>,
    /// Statements that instances of a class may execute.
    live: BTreeSet<(ClassId, EdgeId)>,
    /// Locations that instances of a type may be at.
    reached: BTreeSet<(ProcessTypeId, LocationId)>,
}

impl<'a> Facts<'a> {
    fn new(program: &'a Program, abstraction: &'a Abstraction) -> Self {
        let system = &abstraction.system;
        let activation = Activation::new(system);
        let observers = program.claims.iter().filter_map(|claim| match claim {
            Claim::Observer { process_type, .. } => Some(*process_type),
            Claim::Ltl { .. } => None,
        });
        let environment = program.environment.iter().map(|environment| environment.process_type);
        let mut classes: BTreeMap<ProcessTypeId, Vec<ClassId>> = BTreeMap::new();
        for (class, process_type) in abstraction.process_types.iter() {
            if activation.reached()[system.classes[class].initial] {
                classes.entry(*process_type).or_default().push(class);
            }
        }
        // The last transitions and states belong to registers, and have no statements.
        let mut live = BTreeSet::new();
        for (id, statements) in abstraction.statements.iter() {
            if activation.can_fire(&system.transitions[id]) {
                let class = system.class_of(id);
                live.extend(statements.iter().map(|(_, edge)| (class, *edge)));
            }
        }
        let places = abstraction.locations.iter().filter(|(state, _)| activation.reached()[*state]);
        let reached = places.map(|(_, place)| *place).collect();
        Self {
            program,
            abstraction,
            lines: program.sources.lines(),
            excluded: observers.chain(environment).collect(),
            classes,
            live,
            reached,
        }
    }

    /// The classes of a type that may have instances.
    fn classes(&self, process_type: ProcessTypeId) -> &[ClassId] {
        self.classes.get(&process_type).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if some instance may execute the statement.
    fn is_live(&self, process_type: ProcessTypeId, edge: EdgeId) -> bool {
        self.classes(process_type).iter().any(|class| self.live.contains(&(*class, edge)))
    }

    /// Returns `true` if the instances of every class of the type may execute the statement: then
    /// the analysis knows all channels that it refers to.
    fn is_known(&self, process_type: ProcessTypeId, edge: EdgeId) -> bool {
        let classes = self.classes(process_type);
        !classes.is_empty() && classes.iter().all(|class| self.live.contains(&(*class, edge)))
    }

    /// All statements of the processes of the system, the environment left out.
    fn edges(&self) -> impl Iterator<Item = (ProcessTypeId, EdgeId, &'a Edge)> + '_ {
        let types = self.program.types.iter().filter(|(id, _)| !self.excluded.contains(id));
        types.flat_map(|(id, process)| process.edges.iter().map(move |(edge, step)| (id, edge, step)))
    }

    /// The variable that declares a channel, and the type whose local it is, if an expression names
    /// one.
    fn declared(&self, process_type: ProcessTypeId, channel: &Expression) -> Option<Named> {
        let Expression::Read(place) = channel else { return None };
        let variable = self.program.variable(process_type, place.variable);
        let Initializer::NewChannel(_) = variable.init else { return None };
        let element = match (&place.index, variable.length) {
            (_, None) => Element::Only,
            (Some(index), Some(_)) => index
                .constant()
                .and_then(|index| u32::try_from(index).ok())
                .map_or(Element::Some, Element::One),
            (None, Some(_)) => Element::Some,
        };
        let (owner, variable) = owned(process_type, place.variable);
        Some(Named { owner, variable, element })
    }
}

/// The owner and id of a variable: the owner is the type whose local it is, `None` for a global.
fn owned(process_type: ProcessTypeId, variable: VariableRef) -> (Option<ProcessTypeId>, VariableId) {
    match variable {
        VariableRef::Global(id) => (None, id),
        VariableRef::Local(id) => (Some(process_type), id),
    }
}

/// A channel as named by a statement: the variable that declares it, and its element.
#[derive(Clone, Copy, Debug)]
struct Named {
    owner: Option<ProcessTypeId>,
    variable: VariableId,
    element: Element,
}

/// The element of an array of channels that a statement names.
#[derive(Clone, Copy, Debug)]
enum Element {
    /// The variable is not an array.
    Only,
    /// A constant index.
    One(u32),
    /// A computed index.
    Some,
}

impl Named {
    fn covers(&self, declaration: &Declaration) -> bool {
        let same = declaration.process_type == self.owner && declaration.variable == self.variable;
        let element = match self.element {
            Element::One(element) => declaration.element == Some(element),
            Element::Only | Element::Some => true,
        };
        same && element
    }
}

/// A channel variable.
type Variable = (Option<ProcessTypeId>, VariableId);

/// The channels whose references are used other than to send, to receive or to query them, and
/// whether some references are unknown.
#[derive(Default)]
struct References {
    /// Variables that declare channels and are read as values.
    escaping: BTreeSet<Variable>,
    /// `true` if a statement that some class does not execute uses a reference that is not a
    /// declaration.
    unknown: bool,
}

impl References {
    fn new(facts: &Facts<'_>) -> Self {
        let mut found = Self::default();
        for (process_type, edge, step) in facts.edges() {
            let mut own = Self::default();
            let (channel, values) = operands(&step.action);
            if let Some(channel) = channel {
                own.asked(facts, process_type, channel);
            }
            values.into_iter().for_each(|value| own.read(facts, process_type, value));
            found.unknown |= !facts.is_known(process_type, edge)
                && (!own.escaping.is_empty() || mentions_reference(facts, process_type, &step.action));
            found.escaping.append(&mut own.escaping);
        }
        let types = facts.program.types.iter();
        let locals = types.flat_map(|(id, process)| process.locals.values().map(move |local| (id, local)));
        for (process_type, variable) in locals {
            for value in variable.init.expressions() {
                found.read(facts, process_type, value);
            }
        }
        for value in facts.program.globals.values().flat_map(|global| global.init.expressions()) {
            found.read_global(facts, value);
        }
        found
    }

    /// Records the channels whose value an expression reads. The operand of a channel query is not
    /// such a value.
    fn read(&mut self, facts: &Facts<'_>, process_type: ProcessTypeId, expression: &Expression) {
        match expression {
            Expression::Length(channel) | Expression::Empty(channel) | Expression::Full(channel) => {
                self.asked(facts, process_type, channel);
            }
            Expression::Poll { channel, patterns, .. } => {
                self.asked(facts, process_type, channel);
                let values = patterns.iter().filter_map(|pattern| pattern.expression());
                values.for_each(|value| self.read(facts, process_type, value));
            }
            Expression::Read(place) => {
                if facts.declared(process_type, expression).is_some() {
                    self.escaping.insert(owned(process_type, place.variable));
                }
                self.read_index(facts, process_type, expression);
            }
            Expression::RemoteRead { process_type: other, variable, .. } => {
                self.escaping.insert((Some(*other), *variable));
                expression.children().into_iter().for_each(|child| self.read(facts, process_type, child));
            }
            _ => expression.children().into_iter().for_each(|child| self.read(facts, process_type, child)),
        }
    }

    fn asked(&mut self, facts: &Facts<'_>, process_type: ProcessTypeId, channel: &Expression) {
        match facts.declared(process_type, channel) {
            Some(_) => self.read_index(facts, process_type, channel),
            None => self.read(facts, process_type, channel),
        }
    }

    fn read_index(&mut self, facts: &Facts<'_>, process_type: ProcessTypeId, channel: &Expression) {
        channel.children().into_iter().for_each(|index| self.read(facts, process_type, index));
    }

    /// The same for an initial value of a global, which reads no local.
    fn read_global(&mut self, facts: &Facts<'_>, expression: &Expression) {
        expression.any(&mut |part| {
            if let Expression::Read(place) = part
                && let VariableRef::Global(id) = place.variable
                && matches!(facts.program.globals[id].init, Initializer::NewChannel(_))
            {
                self.escaping.insert((None, id));
            }
            false
        });
    }
}

/// Returns `true` if a statement accesses a variable that refers to a channel but declares none.
fn mentions_reference(facts: &Facts<'_>, process_type: ProcessTypeId, action: &Action) -> bool {
    action.places().into_iter().any(|place| {
        let variable = facts.program.variable(process_type, place.variable);
        variable.ty == Type::Channel && !matches!(variable.init, Initializer::NewChannel(_))
    })
}

/// The channel that a statement sends to or receives from, and its other expressions.
fn operands(action: &Action) -> (Option<&Expression>, Vec<&Expression>) {
    match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => {
            let others = action.expressions().into_iter().filter(|value| !std::ptr::eq(*value, channel));
            (Some(channel), others.collect())
        }
        _ => (None, action.expressions()),
    }
}

/// Channels with an end that no process uses. Embedded code in another language may use all of
/// them, so nothing is reported then.
fn one_ended<R>(facts: &Facts<'_>) -> Vec<Finding<R>> {
    let foreign = |step: &Edge| {
        let is_opaque = |value: &Expression| value.any(&mut |part| matches!(part, Expression::Opaque(_)));
        matches!(step.action, Action::Opaque { .. }) || step.action.expressions().into_iter().any(is_opaque)
    };
    if facts.edges().any(|(_, _, step)| foreign(step)) {
        return Vec::new();
    }
    let ends = ends(facts);
    let references = References::new(facts);
    let abstraction = facts.abstraction;
    let mut findings = Vec::new();
    for (id, declaration) in abstraction.declarations.iter() {
        let variable = (declaration.process_type, declaration.variable);
        if references.unknown && references.escaping.contains(&variable) {
            continue;
        }
        // Some elements of an array may exist only so that others get their indices.
        let is_spare = ends[id] == Ends::default() && declaration.element.is_some();
        let is_open = abstraction.system.buffers[id].kind == BufferKind::Environment;
        let Some(said) = ends[id].missing().filter(|_| !is_spare && !is_open) else { continue };
        let span = match declaration.process_type {
            None => facts.program.globals[declaration.variable].span,
            Some(owner) => facts.program.types[owner].locals[declaration.variable].span,
        };
        let origin = Some(facts.lines.origin(span));
        let name = &abstraction.system.buffers[id].name;
        findings.push(Finding::new(FindingKind::OneEndedChannel, name, said, origin));
    }
    findings
}

/// The ends of each channel that are in use: those that executed statements use through references,
/// and those that the text names.
fn ends(facts: &Facts<'_>) -> IdMap<BufferId, Ends> {
    let mut ends = facts.abstraction.ends.clone();
    for (process_type, edge, step) in facts.edges() {
        let (channel, used) = match &step.action {
            Action::Send { channel, .. } => (channel, Ends { sent: true, received: false }),
            Action::Receive { channel, .. } => (channel, Ends { sent: false, received: true }),
            _ => continue,
        };
        let Some(named) = facts.declared(process_type, channel) else { continue };
        // The analysis knows the elements that an executed statement chooses.
        if matches!(named.element, Element::Some) && facts.is_known(process_type, edge) {
            continue;
        }
        for (id, declaration) in facts.abstraction.declarations.iter() {
            if named.covers(declaration) {
                ends[id] = ends[id].or(used);
            }
        }
    }
    ends
}

/// Process types that have no process in any run.
fn never_started<R>(facts: &Facts<'_>) -> Vec<Finding<R>> {
    let types = facts.program.types.iter().filter(|(id, _)| !facts.excluded.contains(id));
    let idle = types.filter(|(id, _)| facts.classes(*id).is_empty());
    idle.map(|(_, process)| {
        let origin = facts.lines.origin(process.span);
        Finding::new(FindingKind::NeverStarted, &process.name, "is never started", Some(origin))
    })
    .collect()
}

/// The first statement of each region of statements that no process executes, for the types that
/// are started, in source order. Statements that the author has switched off by a constant, or that
/// follow an assertion that never holds, are not reported; nor is text that stands for several
/// statements, like the body of an inline, if some of them are executed.
fn never_executed<R>(facts: &Facts<'_>) -> Vec<Finding<R>> {
    let live: BTreeSet<Span> = facts
        .edges()
        .filter(|(process_type, edge, _)| facts.is_live(*process_type, *edge))
        .map(|(_, _, step)| step.span)
        .collect();
    let mut first: Vec<Span> = Vec::new();
    for (id, process) in facts.program.types.iter() {
        if facts.excluded.contains(&id) || facts.classes(id).is_empty() {
            continue;
        }
        let mut dead: Vec<&Edge> = process
            .edges
            .iter()
            .filter(|(edge, _)| !facts.is_live(id, *edge))
            .map(|(_, step)| step)
            .collect();
        dead.sort_by_key(|step| (step.span.file, step.span.start));
        let steps: Vec<Step<LocationId>> =
            dead.iter().map(|step| Step { source: step.source, target: step.target }).collect();
        let regions = dead_regions(&steps, |location| facts.reached.contains(&(id, location)));
        let told = regions.into_iter().map(|position| dead[position]);
        let told = told.filter(|step| !is_meant(&step.action) && !live.contains(&step.span));
        first.extend(told.map(|step| step.span));
    }
    first.sort_by_key(|span| (span.file, span.start));
    first.dedup();
    first
        .into_iter()
        .map(|span| {
            let origin = facts.lines.origin(span);
            let said = "can never be executed";
            Finding::new(FindingKind::NeverExecuted, origin.text.clone(), said, Some(origin))
        })
        .collect()
}

/// Returns `true` if a statement is not executable, or fails, on purpose.
fn is_meant(action: &Action) -> bool {
    match action {
        Action::Assert(_) => true,
        Action::Condition(condition) => !condition.any(&mut |part| {
            !matches!(part, Expression::Constant(_) | Expression::Unary(..) | Expression::Binary(..))
        }),
        _ => false,
    }
}
