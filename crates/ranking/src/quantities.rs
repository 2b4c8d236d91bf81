//! Data places as linear functions of variables, with all that a checker needs to see that they are
//! never negative.
//!
//! The blocks are the transitions of a class: each is one statement, and each state a cut point.
//! Invariants are those of loops; what of them is needed is found backwards, from the data places.
//! The amount of a distance of a variable from an end is known; that of another data place, as the
//! rounds of a loop, is found by one linear programme.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use certificate::{Amount, Changed, Invariant, Multiple, Quantity, Reason, Step, Sum, Values, Variable, Way};
use cfsm_core::deadline::Deadline;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Binary, Expression, Hold, LocationId, Place, ProcessTypeId, Program, VariableId, VariableRef,
};
use cfsm_core::system::{ClassId, DataId, State, StateId, System, Transition, TransitionId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;

use crate::affine::{Affine, Interval, Symbol};
use crate::analysis::Question;
use crate::blocks::{Block, BlockId, Blocks, Point, PointId};
use crate::execute::{Executor, Path, may_wait};
use crate::farkas::{Form, Search, Unknown};
use crate::invariants::Invariants;
use crate::limits::PATHS;
use crate::polyhedron::Region;
use crate::reasons::{Multipliers, contradiction, reason};
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

/// A data place that is to be proved.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The data place.
    pub place: DataId,
    /// The variable whose distance from an end it is; `None` if that is not known.
    pub distance: Option<Distance>,
}

/// The distance of a variable from an end.
#[derive(Clone, Debug)]
pub struct Distance {
    /// The variable.
    pub variable: VariableRef,
    /// `true` for the distance to a greatest value, `false` for that from a least one.
    pub falling: bool,
    /// The end, for each state with another one than at most states.
    pub ends: BTreeMap<StateId, i64>,
    /// The end at all other states.
    pub end: i64,
}

/// Proofs of as many of the wanted data places as can be found; `None` if that is none of them.
///
/// One linear programme for each bound on a variable at each state in each round of the fixpoint,
/// and one for each reason: polynomial in the transitions, whose number is limited.
#[must_use]
pub fn prove(machine: &Machine<'_>, wanted: &[Wanted]) -> Option<Values> {
    let ground = Ground::of(machine, wanted)?;
    let mut proved = Vec::new();
    for one in wanted {
        if machine.deadline.is_over() {
            return None;
        }
        proved.extend(ground.place(one));
    }
    if proved.is_empty() { None } else { ground.values(proved) }
}

/// The transitions of a class as blocks, and what holds at its states.
struct Ground<'a> {
    machine: &'a Machine<'a>,
    blocks: Blocks,
    /// The transition of each block.
    transitions: IdMap<BlockId, TransitionId>,
    /// The transitions of these, and others that are in the scope.
    listed: BTreeSet<TransitionId>,
    /// The state of each cut point; `None` where no process is at an exclusive state.
    states: IdMap<PointId, Option<StateId>>,
    /// The known sums at each cut point.
    invariants: IdMap<PointId, Vec<Affine>>,
    bounds: Invariants,
}

/// A data place with its amounts, and why it is one.
struct Proved {
    place: DataId,
    denominator: i128,
    amounts: BTreeMap<PointId, Shown>,
    /// The reason why each block changes it by no more than is allowed.
    changes: IdMap<BlockId, Multipliers>,
}

/// An amount, and why it is not negative.
struct Shown {
    amount: Affine,
    reason: Multipliers,
}

/// The amounts of a data place at cut points, times a denominator.
struct Amounts {
    denominator: i128,
    at: BTreeMap<PointId, Affine>,
}

/// An invariant: the cut point, and its position among the known sums there.
type Needed = (PointId, usize);

impl<'a> Ground<'a> {
    fn of(machine: &'a Machine<'a>, wanted: &[Wanted]) -> Option<Self> {
        let ownership = Ownership::of(machine.program);
        let seeds = wanted.iter().flat_map(|one| &one.distance).map(|distance| distance.variable);
        let seeds: BTreeSet<VariableRef> = seeds.collect();
        let every = wanted.iter().any(|one| one.distance.is_none());
        let variables = machine.variables(&ownership, &seeds, every);
        let exclusive = machine.exclusive();
        let own = |(id, state): &(StateId, &State)| match machine.class {
            Some(class) => state.class == class,
            None => exclusive.contains(id),
        };
        let of_states = machine.system.states.iter().filter(own).map(|(id, _)| Some(id));
        let elsewhere = if machine.class.is_none() { Some(None) } else { None };
        let states: IdMap<PointId, Option<StateId>> = elsewhere.into_iter().chain(of_states).collect();
        let points = Points::new(&states);
        let start = machine.class.map(|class| machine.system.classes[class].initial);
        // Nothing asks where a point is.
        let point = || Point { location: LocationId::new(0), conditions: Vec::new() };
        let mut blocks = Blocks {
            variables,
            points: states.values().map(|_| point()).collect(),
            starts: BTreeSet::from([start.map_or(PointId::new(0), |start| points.of(start))]),
            blocks: IdMap::new(),
        };
        let Steps { transitions, listed } = machine.steps(&ownership, &points, &mut blocks)?;
        let bounds = Invariants::of(&blocks, machine.deadline)?;
        let impossible = || vec![Affine::constant(-1)];
        let known = |point| if bounds.reaches(point) { bounds.rows(point) } else { impossible() };
        let invariants = states.ids().map(known).collect();
        Some(Self { machine, blocks, transitions, listed, states, invariants, bounds })
    }

    /// A data place with all reasons, if there are some.
    fn place(&self, wanted: &Wanted) -> Option<Proved> {
        let Amounts { denominator, at } = match &wanted.distance {
            Some(distance) => self.distance(distance)?,
            None => self.found(wanted.place)?,
        };
        let mut amounts = BTreeMap::new();
        for (point, amount) in at {
            let reason = reason(&amount, &self.known_at(point))?;
            amounts.insert(point, Shown { amount, reason });
        }
        let brought = self.brought(amounts.get(self.start()).map(|shown| &shown.amount));
        if !self.is_brought(wanted.place, denominator, brought)? {
            return None;
        }
        let mut changes = IdMap::new();
        for (id, block) in self.blocks.blocks.iter() {
            if self.machine.deadline.is_over() {
                return None;
            }
            let allowed = self.machine.allowed(self.transitions[id], wanted.place, denominator, brought)?;
            let amount = |point| amounts.get(&point).map(|shown| shown.amount.clone()).unwrap_or_default();
            let behind = amount(block.target).substitute(&|symbol| block.update[symbol.index()].clone())?;
            let left = Affine::constant(allowed).plus(&amount(block.source), 1)?.plus(&behind, -1)?;
            changes.push(self.reason(block, &left)?);
        }
        Some(Proved { place: wanted.place, denominator, amounts, changes })
    }

    /// Returns `true` if a data place has what instances bring at the start, and transitions out of
    /// the scope do not take of it.
    fn is_brought(&self, place: DataId, denominator: i128, brought: i128) -> Option<bool> {
        let Machine { system, class, .. } = *self.machine;
        let instances = class.map_or(1, |class| system.classes[class].instances);
        let initial = denominator.checked_mul(system.data[place].initial.into())?;
        let mut enough = initial >= brought.checked_mul(instances.into())?;
        for id in system.transitions.ids().filter(|id| !self.listed.contains(id)) {
            enough &= self.machine.allowed(id, place, denominator, brought)? >= 0;
        }
        Some(enough)
    }

    fn start(&self) -> &PointId {
        self.blocks.starts.first().expect("there is one start")
    }

    /// The greatest value of an amount where an instance begins.
    fn brought(&self, amount: Option<&Affine>) -> i128 {
        let first = |symbol: Symbol| self.blocks.variables[symbol.index()].initial;
        amount.map_or(0, |amount| amount.interval(&first).high)
    }

    /// The amounts of the distance of a variable from an end.
    fn distance(&self, distance: &Distance) -> Option<Amounts> {
        let tracked = |one: &Tracked| one.reference == distance.variable;
        let symbol = Symbol::new(self.blocks.variables.iter().position(tracked)?);
        let sign = if distance.falling { -1 } else { 1 };
        let amount = |(point, state): (PointId, &Option<StateId>)| {
            let end = state.and_then(|state| distance.ends.get(&state).copied()).unwrap_or(distance.end);
            let end = Affine::constant(i128::from(end) * -sign);
            Some((point, end.plus(&Affine::symbol(symbol), sign)?))
        };
        Some(Amounts { denominator: 1, at: self.states.iter().map(amount).collect::<Option<_>>()? })
    }

    /// Amounts that a data place is never below, with the changes and the initial value that it
    /// has.
    fn found(&self, place: DataId) -> Option<Amounts> {
        let mut search = Search::default();
        let count = self.blocks.variables.len();
        let functions: IdMap<PointId, Unknown> = self.states.ids().map(|_| search.function(count)).collect();
        let at_source: Vec<Affine> = (0..count).map(|at| Affine::symbol(Symbol::new(at))).collect();
        let first: IdMap<Symbol, Interval> =
            self.blocks.variables.iter().map(|variable| variable.initial).collect();
        let start = functions[*self.start()].of(&at_source);
        let most = Form::number(self.machine.most_brought(place)?).plus(&start, -1);
        search.non_negative(most, &Region { symbols: first, rows: Vec::new() });
        let ranges: IdMap<Symbol, Interval> =
            self.blocks.variables.iter().map(|variable| variable.range).collect();
        for (point, known) in self.invariants.iter().filter(|(point, _)| self.bounds.reaches(*point)) {
            let region = Region::new(&ranges, known.iter().cloned())?;
            search.non_negative(functions[point].of(&at_source), &region);
        }
        for (id, block) in self.blocks.blocks.iter() {
            let Some(region) = self.bounds.region(block) else { continue };
            let allowed = self.machine.allowed(self.transitions[id], place, 1, 0)?;
            let change =
                functions[block.target].of(&block.update).plus(&functions[block.source].of(&at_source), -1);
            search.non_negative(Form::number(allowed).plus(&change, -1), &region);
        }
        let point = search.candidate(&[])?;
        let columns = functions.values().flat_map(Unknown::columns);
        let factor = columns.fold(BigInt::one(), |all, column| all.lcm(point[column].denom()));
        let solved = |(at, function): (PointId, &Unknown)| Some((at, function.solved(&point, &factor)?));
        let at = functions.iter().map(solved).collect::<Option<_>>()?;
        Some(Amounts { denominator: i128::try_from(factor).ok()?, at })
    }

    /// The sums that are known at a cut point, those of ranges first.
    fn known_at(&self, point: PointId) -> Vec<Affine> {
        let ranges = self.blocks.variables.iter().map(|variable| variable.range);
        ends(ranges).chain(self.invariants[point].iter().cloned()).collect()
    }

    /// The sums that are known of a block, in the order of the certificate.
    fn known_of(&self, block: &Block) -> Vec<Affine> {
        let ranges = ends(block.symbols.values().copied());
        ranges
            .chain(block.rows.iter().cloned())
            .chain(self.invariants[block.source].iter().cloned())
            .collect()
    }

    fn reason(&self, block: &Block, goal: &Affine) -> Option<Multipliers> {
        let known = self.known_of(block);
        match self.bounds.polyhedron(block) {
            Some(_) => reason(goal, &known),
            None => contradiction(&known).or_else(|| reason(goal, &known)),
        }
    }

    /// The positions of invariants among the known sums of a block.
    fn first_invariant(block: &Block) -> usize {
        2 * block.symbols.len() + block.rows.len()
    }

    fn needed(
        &self,
        Multipliers { parts, .. }: &Multipliers,
        point: PointId,
        first: usize,
    ) -> BTreeSet<Needed> {
        let invariants = parts.keys().filter_map(|at| at.checked_sub(first));
        invariants.map(|at| (point, at)).collect()
    }

    /// All that a checker needs.
    fn values(&self, proved: Vec<Proved>) -> Option<Values> {
        let kept = self.kept(&proved)?;
        let named = Named::new(self, &kept);
        let Machine { system, class, .. } = *self.machine;
        let invariants = self.states.iter().filter_map(|(point, state)| {
            let sums: Vec<Sum> = kept.at(point).map(|at| named.sum(&self.invariants[point][at])).collect();
            (!sums.is_empty()).then(|| Invariant { state: state.map(|state| system.state_name(state)), sums })
        });
        let mut steps: BTreeMap<TransitionId, Vec<Way>> = BTreeMap::new();
        self.listed.iter().for_each(|id| _ = steps.entry(*id).or_default());
        for (id, block) in self.blocks.blocks.iter() {
            let of_invariants = kept.at(block.target).map(|at| &kept.reasons[&(id, at)]);
            let of_places = proved.iter().map(|place| &place.changes[id]);
            let reasons = of_invariants.chain(of_places).map(|one| named.reason(one, block)).collect();
            steps.entry(self.transitions[id]).or_default().push(named.way(block, reasons));
        }
        let places = proved.iter().map(|one| named.quantity(one)).collect();
        let step = |(id, ways): (TransitionId, Vec<Way>)| Step { transition: id.index(), ways };
        let exclusive = self.states.values().filter(|_| class.is_none()).flatten();
        Some(Values {
            class: class.map(|class| system.classes[class].name.clone()),
            exclusive: exclusive.map(|state| system.state_name(*state)).collect(),
            variables: named.variables(),
            invariants: invariants.collect(),
            steps: steps.into_iter().map(step).collect(),
            places,
        })
    }

    /// The invariants that proofs rest on, directly or by others.
    fn kept(&self, proved: &[Proved]) -> Option<Kept> {
        let mut kept = Kept::default();
        let mut open: BTreeSet<Needed> = BTreeSet::new();
        let of_ranges = 2 * self.blocks.variables.len();
        for place in proved {
            for (point, shown) in &place.amounts {
                open.extend(self.needed(&shown.reason, *point, of_ranges));
            }
            for (id, block) in self.blocks.blocks.iter() {
                open.extend(self.needed(&place.changes[id], block.source, Self::first_invariant(block)));
            }
        }
        while let Some(needed) = open.pop_first() {
            let (point, at) = needed;
            if self.machine.deadline.is_over() {
                return None;
            }
            kept.invariants.insert(needed);
            for (id, block) in self.blocks.blocks.iter().filter(|(_, block)| block.target == point) {
                let sum = &self.invariants[point][at];
                let behind = sum.substitute(&|symbol| block.update[symbol.index()].clone())?;
                let reason = self.reason(block, &behind)?;
                let further = self.needed(&reason, block.source, Self::first_invariant(block));
                open.extend(further.into_iter().filter(|needed| !kept.invariants.contains(needed)));
                kept.reasons.insert((id, at), reason);
            }
        }
        Some(kept)
    }
}

/// The invariants that are needed, and why each block keeps them.
#[derive(Default)]
struct Kept {
    invariants: BTreeSet<Needed>,
    /// By the block and the position of the invariant at its target.
    reasons: BTreeMap<(BlockId, usize), Multipliers>,
}

impl Kept {
    fn at(&self, point: PointId) -> impl Iterator<Item = usize> {
        self.invariants.range((point, 0)..=(point, usize::MAX)).map(|(_, at)| *at)
    }
}

/// The distances of symbols from the ends of their intervals.
fn ends(intervals: impl Iterator<Item = Interval>) -> impl Iterator<Item = Affine> {
    let of = |(at, Interval { low, high }): (usize, Interval)| {
        let symbol = Affine::symbol(Symbol::new(at));
        let end = |end: i128, factor| Affine::constant(end).plus(&symbol, factor).unwrap_or_default();
        [end(-low, 1), end(high, -1)]
    };
    intervals.enumerate().flat_map(of)
}

/// The cut point of each state.
struct Points {
    of: BTreeMap<StateId, PointId>,
}

impl Points {
    fn new(states: &IdMap<PointId, Option<StateId>>) -> Self {
        let of = states.iter().filter_map(|(point, state)| state.map(|state| (state, point)));
        Self { of: of.collect() }
    }

    /// The point of a state: that of no exclusive one, if it has none of its own.
    fn of(&self, state: StateId) -> PointId {
        self.of.get(&state).copied().unwrap_or(PointId::new(0))
    }

    fn has(&self, state: StateId) -> bool {
        self.of.contains_key(&state)
    }
}

/// The transitions of blocks, and all that are in the scope.
struct Steps {
    transitions: IdMap<BlockId, TransitionId>,
    listed: BTreeSet<TransitionId>,
}

impl Machine<'_> {
    fn variables(
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
    fn exclusive(&self) -> BTreeSet<StateId> {
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
    fn steps(&self, ownership: &Ownership<'_>, points: &Points, blocks: &mut Blocks) -> Option<Steps> {
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
    fn most_brought(&self, place: DataId) -> Option<i128> {
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
    fn allowed(&self, id: TransitionId, place: DataId, denominator: i128, brought: i128) -> Option<i128> {
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

/// Names for symbols and states.
struct Named<'a> {
    ground: &'a Ground<'a>,
    kept: &'a Kept,
    variables: Vec<String>,
}

impl<'a> Named<'a> {
    fn new(ground: &'a Ground<'a>, kept: &'a Kept) -> Self {
        let Machine { program, class, process_types, .. } = *ground.machine;
        let name = |one: &Tracked| match (one.reference, class) {
            (VariableRef::Local(_), Some(class)) => {
                program.variable(process_types[class], one.reference).name.clone()
            }
            (VariableRef::Global(id) | VariableRef::Local(id), _) => program.globals[id].name.clone(),
        };
        let mut variables: Vec<String> = Vec::new();
        for name in ground.blocks.variables.iter().map(name) {
            let again = variables.iter().filter(|other| other.split('#').next() == Some(&name)).count();
            variables.push(if again == 0 { name } else { format!("{name}#{}", again + 1) });
        }
        Self { ground, kept, variables }
    }

    fn name(&self, symbol: Symbol) -> String {
        let known = self.variables.get(symbol.index()).cloned();
        known.unwrap_or_else(|| format!("?{}", symbol.index() - self.variables.len() + 1))
    }

    fn variable(&self, symbol: Symbol, range: Interval, at_start: Option<Interval>) -> Variable {
        let range_of = |Interval { low, high }: Interval| certificate::Range {
            least: low.into(),
            greatest: high.into(),
        };
        let at_start = at_start.filter(|first| *first != range).map(range_of);
        Variable { name: self.name(symbol), range: range_of(range), at_start }
    }

    fn variables(&self) -> Vec<Variable> {
        let all = self.ground.blocks.variables.iter().enumerate();
        all.map(|(at, one)| self.variable(Symbol::new(at), one.range, Some(one.initial))).collect()
    }

    fn sum(&self, value: &Affine) -> Sum {
        let terms = value.terms.iter().map(|(symbol, factor)| (self.name(*symbol), (*factor).into()));
        Sum { terms: terms.collect(), constant: value.constant.into() }
    }

    fn way(&self, block: &Block, reasons: Vec<Reason>) -> Way {
        let count = self.variables.len();
        let unknown = block.symbols.iter().filter(|(symbol, _)| symbol.index() >= count);
        let changed = block.update.iter().enumerate();
        let changed = changed.filter(|(at, value)| **value != Affine::symbol(Symbol::new(*at)));
        Way {
            unknown: unknown.map(|(symbol, range)| self.variable(symbol, *range, None)).collect(),
            conditions: block.rows.iter().map(|row| self.sum(row)).collect(),
            changed: changed.map(|(at, value)| self.changed(at, value)).collect(),
            reasons,
        }
    }

    fn changed(&self, at: usize, value: &Affine) -> Changed {
        Changed { variable: self.variables[at].clone(), behind: self.sum(value) }
    }

    /// A reason about a block, with the positions that invariants have among those that are kept.
    fn reason(&self, reason: &Multipliers, block: &Block) -> Reason {
        self.renumbered(reason, block.source, Ground::first_invariant(block))
    }

    fn renumbered(
        &self,
        Multipliers { factor, parts }: &Multipliers,
        point: PointId,
        first: usize,
    ) -> Reason {
        let position = |at: usize| match at.checked_sub(first) {
            Some(invariant) => first + self.kept.at(point).take_while(|kept| *kept < invariant).count(),
            None => at,
        };
        let multiple = |(at, times): (&usize, &BigInt)| Multiple { of: position(*at), times: times.clone() };
        Reason { factor: factor.clone(), parts: parts.iter().map(multiple).collect() }
    }

    fn quantity(&self, proved: &Proved) -> Quantity {
        let system = self.ground.machine.system;
        let is_something = |(_, shown): &(&PointId, &Shown)| shown.amount != Affine::default();
        let amount = |(point, shown): (&PointId, &Shown)| {
            let reason = self.renumbered(&shown.reason, *point, 2 * self.variables.len());
            let state = self.ground.states[*point].map(|state| system.state_name(state));
            Amount { state, sum: self.sum(&shown.amount), reason }
        };
        Quantity {
            place: system.data[proved.place].name.clone(),
            denominator: proved.denominator.into(),
            amounts: proved.amounts.iter().filter(is_something).map(amount).collect(),
        }
    }
}
