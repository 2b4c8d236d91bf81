//! Machines: the transitions of a class, or those that have to do with shared variables, as blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use cfsm_core::deadline::Deadline;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Binary, Expression, Hold, LocationId, Place, ProcessTypeId, Program, VariableId, VariableRef,
};
use cfsm_core::system::{ClassId, DataId, StateId, System, Transition, TransitionId};

use crate::affine::{Affine, Interval, Symbol};
use crate::analysis::Question;
use crate::blocks::{Block, BlockId, Blocks, PointId};
use crate::execute::{Executor, Path, may_wait};
use crate::limits::PATHS;
use crate::variables::{INT, Ownership, Statement, Tracked, is_opaque, number};

/// A system that is an abstraction of a program, and whose variables to look at.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// The program.
    pub program: &'a Program,
    /// The system.
    pub system: &'a System,
    /// The process type of each class. Classes behind the last one are of no process.
    pub process_types: &'a IdMap<ClassId, ProcessTypeId>,
    /// The location of each state. States behind the last one are of no process.
    pub locations: &'a IdMap<StateId, (ProcessTypeId, LocationId)>,
    /// The class, with the variables that nobody else writes; `None` for globals, whoever writes
    /// them.
    pub class: Option<ClassId>,
    /// The statements of each transition; it is what one of them does. Transitions behind the last
    /// one are of no process.
    pub statements: &'a IdMap<TransitionId, Vec<Statement>>,
    /// The values of variables that a state stands for.
    pub values: &'a dyn Fn(StateId) -> Vec<Valuation>,
    /// Variables that are assumed to hold nothing outside of a range.
    pub counters: &'a BTreeMap<VariableRef, Range<i64>>,
    /// The deadline after which nothing is found.
    pub deadline: Deadline,
}

/// A variable and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Valuation {
    /// The variable.
    pub variable: VariableRef,
    /// The value.
    pub value: i64,
}

/// The cut point of each state.
pub(super) struct Points {
    of: BTreeMap<StateId, PointId>,
}

impl Points {
    pub(super) fn new(states: &IdMap<PointId, Option<StateId>>) -> Self {
        let of = states.iter().filter_map(|(point, state)| state.map(|state| (state, point)));
        Self { of: of.collect() }
    }

    /// The point of a state: that of no exclusive one, if it has none of its own.
    pub(super) fn of(&self, state: StateId) -> PointId {
        self.of.get(&state).copied().unwrap_or(PointId::new(0))
    }

    fn has(&self, state: StateId) -> bool {
        self.of.contains_key(&state)
    }
}

/// The transitions of blocks, and all that are in the scope.
pub(super) struct Steps {
    pub(super) transitions: IdMap<BlockId, TransitionId>,
    pub(super) listed: BTreeSet<TransitionId>,
}

impl Machine<'_> {
    pub(super) fn variables(
        &self,
        ownership: &Ownership<'_>,
        seeds: &BTreeSet<VariableRef>,
        every: bool,
    ) -> Vec<Tracked> {
        let Some(class) = self.class else { return ownership.shared(seeds) };
        let process_type = self.process_types[class];
        let is_only_class = self.is_only_class(class);
        let mut variables = ownership.related(process_type, seeds, every);
        variables.retain(|one| is_only_class || matches!(one.reference, VariableRef::Local(_)));
        for one in &mut variables {
            if let VariableRef::Local(local) = one.reference
                && local.index() < self.program.types[process_type].parameters
                && let Some(arguments) = self.arguments(class, local)
                && one.range.covers(arguments)
            {
                one.initial = arguments;
            }
        }
        variables
    }

    /// Returns `true` if no other class is of the process type, so that globals which only this
    /// type writes are written by this class alone.
    fn is_only_class(&self, class: ClassId) -> bool {
        let types = self.process_types.values();
        types.filter(|ty| **ty == self.process_types[class]).count() == 1
    }

    /// The exclusive states, for shared variables: while a process is there, it is inside of
    /// something atomic and does not have to wait, so that no other one takes a step. No class
    /// begins at one, and no transition of a rendezvous has one as its end.
    pub(super) fn exclusive(&self) -> BTreeSet<StateId> {
        if self.class.is_some() {
            return BTreeSet::new();
        }
        let is_inside = |(_, (ty, location)): &(StateId, &(ProcessTypeId, LocationId))| {
            is_uninterrupted(self.program, *ty, *location)
        };
        let mut found: BTreeSet<StateId> =
            self.locations.iter().filter(is_inside).map(|(state, _)| state).collect();
        for class in self.system.classes.values() {
            found.remove(&class.initial);
        }
        for transition in self.system.transitions.values() {
            if transition.events.iter().any(|event| self.system.is_rendezvous(event.message)) {
                found.remove(&transition.source);
                found.remove(&transition.target);
            }
        }
        found
    }

    /// Adds the blocks of all transitions in the scope; `None` if there are too many.
    pub(super) fn steps(
        &self,
        ownership: &Ownership<'_>,
        points: &Points,
        blocks: &mut Blocks,
    ) -> Option<Steps> {
        let variables = blocks.variables.clone();
        let mut steps = Steps { transitions: IdMap::new(), listed: BTreeSet::new() };
        let own = self.in_ranges(&variables);
        for (id, transition) in self.system.transitions.iter() {
            let [source, target] = [transition.source, transition.target];
            let is_known = id.index() < self.statements.len();
            let in_scope = match self.class {
                Some(class) => self.system.states[source].class == class,
                None => points.has(source) || points.has(target) || is_known && self.writes(id, &variables),
            };
            if !in_scope {
                continue;
            }
            if !is_known || self.statements[id].is_empty() || self.deadline.is_over() {
                return None;
            }
            steps.listed.insert(id);
            let values = (self.values)(target);
            for path in self.paths(ownership, id, &variables) {
                let Path { edges, symbols, mut rows, values: update, counted, .. } = path;
                rows.extend(at_values(&variables, &update, &values));
                rows.extend(own.iter().cloned());
                let behind = |row: &Affine| row.substitute(&|symbol| update[symbol.index()].clone());
                rows.extend(own.iter().filter_map(behind));
                rows.sort_unstable();
                rows.dedup();
                let [source, target] = [source, target].map(|state| points.of(state));
                blocks.blocks.push(Block { source, target, edges, symbols, rows, update, counted });
                steps.transitions.push(id);
            }
            if blocks.blocks.len() > 4 * PATHS {
                return None;
            }
        }
        Some(steps)
    }

    /// All ways of the statements of a transition.
    fn paths(&self, ownership: &Ownership<'_>, id: TransitionId, variables: &[Tracked]) -> Vec<Path> {
        let Self { program, deadline, .. } = *self;
        let mut paths: Vec<Path> = Vec::new();
        for &(process_type, edge) in &self.statements[id] {
            let (counted, others) = (BTreeSet::new(), BTreeSet::new());
            let question = Question { program, process_type, counted, others, deadline };
            let executor = Executor {
                ownership,
                process_type,
                process: &program.types[process_type],
                variables,
                counted: &question.counted,
                may_be_held_up: question.may_be_held_up(),
                others: &question.others,
                deadline,
            };
            let mut behind = executor.step(Path::new(variables), edge);
            if behind.len() > PATHS {
                behind = vec![executor.step_blindly(Path::new(variables), edge)];
            }
            for mut path in behind {
                path.simplify(variables.len());
                if !paths.iter().any(|other| other.does_as(&path)) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    /// Returns `true` if a statement of a transition may write one of the variables.
    fn writes(&self, id: TransitionId, variables: &[Tracked]) -> bool {
        let is_one = |place: &&Place| variables.iter().any(|one| one.reference == place.variable);
        self.statements[id].iter().any(|(ty, edge)| {
            let action = &self.program.types[*ty].edges[*edge].action;
            is_opaque(action) || action.targets().iter().any(is_one)
        })
    }

    /// The conditions that counters are within their ranges.
    fn in_ranges(&self, variables: &[Tracked]) -> Vec<Affine> {
        let mut rows = Vec::new();
        for (at, tracked) in variables.iter().enumerate() {
            if let Some(Range { start, end }) = self.counters.get(&tracked.reference) {
                let counter = Affine::symbol(Symbol::new(at));
                rows.extend(counter.plus(&Affine::constant((*start).into()), -1));
                rows.extend(Affine::constant(i128::from(*end) - 1).plus(&counter, -1));
            }
        }
        rows
    }

    /// The values that a parameter has where instances begin; `None` if that is not known.
    fn arguments(&self, class: ClassId, parameter: VariableId) -> Option<Interval> {
        // Processes that are there from the start have 0.
        let none = self.system.classes[class].instances == 0;
        let mut all = if none { None } else { Some(Interval::of(0)) };
        for (id, transition) in self.system.transitions.iter() {
            if !transition.creates.contains(&class) {
                continue;
            }
            if id.index() >= self.statements.len() {
                return None;
            }
            for (ty, edge) in &self.statements[id] {
                let Action::Create { process_type, arguments, .. } =
                    &self.program.types[*ty].edges[*edge].action
                else {
                    return None;
                };
                let argument = arguments.get(parameter.index())?;
                let value = Interval::of(value(argument, &(self.values)(transition.source))?);
                if *process_type != self.process_types[class] {
                    return None;
                }
                all = Some(all.map_or(value, |all| all.hull(value)));
            }
        }
        all
    }

    /// The most that each new instance can bring of a data place, or that there can be of it at the
    /// start; `None` if there is never an instance.
    pub(super) fn most_brought(&self, place: DataId) -> Option<i128> {
        let initial = i128::from(self.system.data[place].initial);
        let Some(class) = self.class else { return Some(initial) };
        let of_class = |transition: &Transition| -> Option<i128> {
            let created = transition.creates.iter().filter(|created| **created == class).count();
            let change = transition.data.iter().find(|change| change.place == place);
            i128::from(change.map_or(0, |change| change.change)).checked_div(i128::try_from(created).ok()?)
        };
        let at_start = initial.checked_div(i128::from(self.system.classes[class].instances));
        self.system.transitions.values().filter_map(of_class).chain(at_start).min()
    }

    /// By how much a transition may change an amount, times the denominator.
    pub(super) fn allowed(
        &self,
        id: TransitionId,
        place: DataId,
        denominator: i128,
        brought: i128,
    ) -> Option<i128> {
        let transition = &self.system.transitions[id];
        let change = transition.data.iter().find(|change| change.place == place);
        let created = transition.creates.iter().filter(|created| Some(**created) == self.class).count();
        let change = i128::from(change.map_or(0, |change| change.change));
        denominator.checked_mul(change)?.checked_sub(brought.checked_mul(i128::try_from(created).ok()?)?)
    }
}

/// The value of an argument, where some variables have known values; `None` if it depends on
/// others.
fn value(argument: &Expression, known: &[Valuation]) -> Option<i128> {
    match argument {
        Expression::Read(Place { variable, index: None }) => {
            let found = known.iter().find(|valuation| valuation.variable == *variable);
            found.map(|valuation| valuation.value.into())
        }
        Expression::Binary(operator, left, right) => {
            let (left, right) = (value(left, known)?, value(right, known)?);
            let found = match operator {
                Binary::Add => left + right,
                Binary::Subtract => left - right,
                _ => return None,
            };
            INT.covers(Interval::of(found)).then_some(found)
        }
        constant => number(constant),
    }
}

/// Returns `true` if a process that is at a location is inside of something atomic and can always
/// go on, so that no other one steps: each way there keeps control, and no statement behind it
/// waits.
fn is_uninterrupted(program: &Program, ty: ProcessTypeId, location: LocationId) -> bool {
    let process = &program.types[ty];
    let mut before = process.edges.values().filter(|edge| edge.target == location).peekable();
    let mut behind = process.edges.values().filter(|edge| edge.source == location).peekable();
    let is_free = process.provided.is_none() && !program.uses_priorities();
    is_free
        && location != process.entry
        && before.peek().is_some()
        && before.all(|edge| edge.hold != Hold::No && !matches!(edge.action, Action::Send { .. }))
        && behind.peek().is_some()
        && behind.all(|edge| !may_wait(&edge.action))
}

/// The conditions that variables have certain values behind a step.
fn at_values(variables: &[Tracked], update: &[Affine], values: &[Valuation]) -> Vec<Affine> {
    let mut rows = Vec::new();
    for Valuation { variable, value } in values {
        let at = variables.iter().position(|tracked| tracked.reference == *variable);
        let Some(behind) = at.map(|at| &update[at]) else { continue };
        let value = Affine::constant((*value).into());
        rows.extend(behind.plus(&value, -1));
        rows.extend(value.plus(behind, -1));
    }
    rows
}
