//! Random loops over small types against enumeration: from every start, all ways to go round are
//! followed. A loop that is said to end must not come back to where it was, and must not turn more
//! often than is said for that start. `LOOPS=20000` runs that many, and ten times as many random
//! graphs, whose loops are nested, and entered and left anywhere.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::program::{
    Binary, EdgeId, Expression, Initializer, LocationId, Place, ProcessBuilder, Program, ProgramBuilder,
    Type, Unary, VariableRef,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use ranking::{Loop, Outcome, Question, loops};

/// An assignment or a condition of a random loop.
#[derive(Clone, Debug)]
struct Sum {
    /// The coefficient of each variable.
    coefficients: Vec<i64>,
    constant: i64,
}

impl Sum {
    fn at(&self, values: &[i64]) -> i64 {
        self.coefficients.iter().zip(values).map(|(factor, value)| factor * value).sum::<i64>()
            + self.constant
    }

    fn expression(&self, variables: &[VariableRef]) -> Expression {
        let constant = Expression::Constant(self.constant);
        self.coefficients.iter().zip(variables).fold(constant, |sum, (factor, variable)| {
            let read = Box::new(Expression::variable(*variable));
            let term = match factor {
                0 => return sum,
                1 => read,
                -1 => Box::new(Expression::Unary(Unary::Negate, read)),
                factor => Box::new(Expression::Binary(
                    Binary::Multiply,
                    Box::new(Expression::Constant(*factor)),
                    read,
                )),
            };
            Expression::Binary(Binary::Add, Box::new(sum), term)
        })
    }
}

/// Elements of the array that conditions of random loops look into, all of them 0.
const ELEMENTS: i64 = 4;

/// A condition of a random loop.
#[derive(Clone, Debug)]
enum Condition {
    /// The sum is not negative.
    NotNegative(Sum),
    /// The element at this index is 0. Where there is none, the run ends.
    Element(Sum),
}

impl Condition {
    fn holds(&self, values: &[i64]) -> bool {
        match self {
            Self::NotNegative(sum) => sum.at(values) >= 0,
            Self::Element(sum) => (0..ELEMENTS).contains(&sum.at(values)),
        }
    }

    fn expression(&self, variables: &[VariableRef], array: VariableRef) -> Expression {
        match self {
            Self::NotNegative(sum) => not_negative(sum.expression(variables)),
            Self::Element(sum) => {
                let index = Some(Box::new(sum.expression(variables)));
                let element = Expression::Read(Place { variable: array, index });
                Expression::Binary(Binary::Equal, Box::new(element), Box::new(Expression::Constant(0)))
            }
        }
    }
}

/// A way through the body: its conditions, and what it assigns, one after the other.
#[derive(Clone, Debug)]
struct Way {
    conditions: Vec<Condition>,
    assignments: Vec<Option<Sum>>,
}

/// A loop with several ways through its body.
#[derive(Clone, Debug)]
struct Random {
    types: Vec<Type>,
    ways: Vec<Way>,
}

fn random() -> impl Strategy<Value = Random> {
    let types = prop_oneof![
        vec(Just(Type::Unsigned(3)), 1..=3),
        vec(Just(Type::Byte), 1..=2),
        vec(prop_oneof![Just(Type::Unsigned(3)), Just(Type::Bit), Just(Type::Unsigned(4))], 1..=3),
    ];
    types.prop_flat_map(|types| {
        let count = types.len();
        let factor = prop_oneof![4 => Just(0i64), 4 => Just(1), 2 => Just(-1), 1 => -3i64..=3];
        let sum = (vec(factor, count), -6i64..=6)
            .prop_map(|(coefficients, constant)| Sum { coefficients, constant });
        let own = (0..count, sum.clone(), any::<bool>());
        let assignment = proptest::option::weighted(0.6, own);
        let condition = prop_oneof![
            4 => sum.clone().prop_map(Condition::NotNegative),
            1 => sum.prop_map(Condition::Element),
        ];
        let way =
            (vec(condition, 1..=2), vec(assignment, count)).prop_map(move |(conditions, assignments)| {
                let assigned = assignments.into_iter().enumerate().map(|(at, assignment)| {
                    assignment.map(|(_, mut sum, steps)| {
                        if steps {
                            // x = x + c, the commonest form.
                            sum.coefficients =
                                (0..sum.coefficients.len()).map(|other| i64::from(other == at)).collect();
                            sum.constant %= 3;
                        }
                        sum
                    })
                });
                Way { conditions, assignments: assigned.collect() }
            });
        let types = Just(types);
        (types, vec(way, 1..=3)).prop_map(|(types, ways)| Random { types, ways })
    })
}

fn not_negative(sum: Expression) -> Expression {
    Expression::Binary(Binary::GreaterEqual, Box::new(sum), Box::new(Expression::Constant(0)))
}

impl Random {
    fn program(&self) -> Program {
        let mut builder = ProgramBuilder::new("random.txt");
        let mut process = builder.process("P", 1);
        let variables: Vec<VariableRef> =
            self.types.iter().enumerate().map(|(at, ty)| process.local(&format!("v{at}"), *ty)).collect();
        let array = process.local("array", Type::Byte);
        process.location("head");
        for (number, way) in self.ways.iter().enumerate() {
            self.add(&mut process, number, way, &variables, array);
        }
        let id = process.id();
        let mut program = builder.build().expect("valid");
        // Any value at the start.
        program.types[id].parameters = variables.len();
        for (variable, local) in program.types[id].locals.iter_mut() {
            if VariableRef::Local(variable) == array {
                local.length = u32::try_from(ELEMENTS).ok();
            } else {
                local.init = Initializer::Parameter;
            }
        }
        program
    }

    fn add(
        &self,
        process: &mut ProcessBuilder<'_>,
        number: usize,
        way: &Way,
        variables: &[VariableRef],
        array: VariableRef,
    ) {
        let name = |step: usize| format!("w{number}s{step}");
        let condition = way.conditions.iter().map(|condition| condition.expression(variables, array));
        let condition =
            condition.reduce(|one, other| Expression::Binary(Binary::And, Box::new(one), Box::new(other)));
        process.wait("head", condition.expect("one at least"), &name(0), "condition");
        let mut step = 0;
        for (variable, sum) in variables.iter().zip(&way.assignments) {
            if let Some(sum) = sum {
                process.assign(
                    &name(step),
                    *variable,
                    sum.expression(variables),
                    &name(step + 1),
                    "assignment",
                );
                step += 1;
            }
        }
        process.wait(&name(step), Expression::Constant(1), "head", "true");
    }

    fn steps(&self, values: &[i64]) -> Vec<Vec<i64>> {
        let open =
            self.ways.iter().filter(|way| way.conditions.iter().all(|condition| condition.holds(values)));
        let step = |way: &Way| {
            let mut values = values.to_vec();
            for (at, sum) in way.assignments.iter().enumerate() {
                if let Some(sum) = sum {
                    values[at] = self.types[at].wrap(sum.at(&values));
                }
            }
            values
        };
        open.map(step).collect()
    }

    fn index(&self, values: &[i64]) -> usize {
        self.types.iter().zip(values).fold(0, |index, (ty, value)| {
            index * usize::try_from(ty.range().1 + 1).unwrap() + usize::try_from(*value).unwrap()
        })
    }

    fn starts(&self) -> Vec<Vec<i64>> {
        self.types.iter().fold(vec![Vec::new()], |starts, ty| {
            let with = |start: Vec<i64>| (0..=ty.range().1).map(move |value| [&start[..], &[value]].concat());
            starts.into_iter().flat_map(with).collect()
        })
    }

    /// The greatest number of rounds from each start; `None` where there is no greatest one.
    fn longest(&self) -> Vec<Option<i64>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done(Option<i64>),
        }
        let starts = self.starts();
        let next: Vec<Vec<usize>> = starts
            .iter()
            .map(|values| self.steps(values).iter().map(|to| self.index(to)).collect())
            .collect();
        let mut marks = vec![Mark::New; starts.len()];
        for start in 0..starts.len() {
            let mut stack = vec![(start, 0)];
            while let Some((at, child)) = stack.pop() {
                if child == 0 {
                    if marks[at] != Mark::New {
                        continue;
                    }
                    marks[at] = Mark::Open;
                }
                if let Some(&to) = next[at].get(child) {
                    stack.push((at, child + 1));
                    if marks[to] == Mark::New {
                        stack.push((to, 0));
                    }
                    continue;
                }
                let longest = next[at].iter().map(|to| match marks[*to] {
                    Mark::Done(longest) => longest.map(|longest| longest + 1),
                    _ => None,
                });
                let all: Option<Vec<i64>> = longest.collect();
                marks[at] = Mark::Done(all.map(|all| all.into_iter().max().unwrap_or(0)));
            }
        }
        marks.iter().map(|mark| if let Mark::Done(longest) = mark { *longest } else { None }).collect()
    }
}

/// Numbers of loops, by their results.
#[derive(Debug, Default)]
struct Tally {
    loops: usize,
    end: usize,
    proved: usize,
    tight: usize,
}

/// The results of a test over random values.
struct Drawn<V> {
    tally: Tally,
    outcome: Result<(), TestError<V>>,
}

/// Checks random values: as many as the environment wants, times a factor.
fn draw<S: Strategy>(
    factor: u32,
    strategy: &S,
    check: impl Fn(S::Value, &mut Tally) -> Result<(), TestCaseError>,
) -> Drawn<S::Value> {
    let wanted = std::env::var("LOOPS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let tally = std::cell::RefCell::new(Tally::default());
    let mut runner = TestRunner::new(ProptestConfig { cases: factor * wanted, ..Default::default() });
    let outcome = runner.run(strategy, |value| check(value, &mut tally.borrow_mut()));
    Drawn { tally: tally.into_inner(), outcome }
}

fn check(random: &Random, tally: &mut Tally) -> Result<(), TestCaseError> {
    let program = random.program();
    let found = loops(&program);
    let longest = random.longest();
    let ends = longest.iter().all(Option::is_some);
    let turns = longest.iter().flatten().any(|longest| *longest > 0);
    tally.loops += 1;
    tally.end += usize::from(ends && turns);
    for result in &found {
        if let Outcome::Ends(rounds) = &result.outcome {
            prop_assert!(ends, "it does not end: {random:?}");
            tally.proved += usize::from(turns);
            for (values, longest) in random.starts().iter().zip(&longest) {
                let tracked: Vec<i64> = result
                    .variables
                    .iter()
                    .map(|variable| match variable {
                        VariableRef::Local(id) => values[id.index()],
                        VariableRef::Global(_) => 0,
                    })
                    .collect();
                prop_assert!(
                    rounds.at(&tracked) >= longest.unwrap_or(0).into(),
                    "{longest:?} rounds from {values:?}, not {}: {random:?}",
                    rounds.at(&tracked)
                );
                prop_assert!(rounds.most() >= longest.unwrap_or(0).into(), "{random:?}");
            }
            let most = longest.iter().flatten().max().copied().unwrap_or(0);
            tally.tight += usize::from(turns && rounds.most() == most.into());
        }
        if let Outcome::Endless(_) = &result.outcome {
            prop_assert!(!ends, "it ends: {random:?}");
        }
    }
    Ok(())
}

#[test]
fn random_loops_turn_as_often_as_they_say() {
    let Drawn { tally, outcome } = draw(1, &random(), |random, tally| check(&random, tally));
    let Tally { loops, end, proved, tight } = tally;
    println!(
        "{loops} loops, {end} turn and end, {proved} of these are proved, {tight} with the exact number"
    );
    outcome.unwrap();
    assert!(proved * 2 > end, "{proved} of {end}");
}

/// A statement of a random graph.
#[derive(Clone, Debug)]
struct Arc {
    source: usize,
    target: usize,
    /// `None` for a condition: the sum is not negative.
    assigned: Option<usize>,
    sum: Sum,
}

/// A random control-flow graph, entered at location 0.
#[derive(Clone, Debug)]
struct Graph {
    types: Vec<Type>,
    locations: usize,
    arcs: Vec<Arc>,
    /// The values that another process writes into the first variable at any time, which is a
    /// global then and begins with 0.
    written: Vec<i64>,
}

fn graph() -> impl Strategy<Value = Graph> {
    let types = vec(prop_oneof![Just(Type::Unsigned(3)), Just(Type::Bit), Just(Type::Unsigned(4))], 1..=2);
    (types, 2usize..=5).prop_flat_map(|(types, locations)| {
        let count = types.len();
        let factor = prop_oneof![4 => Just(0i64), 4 => Just(1), 2 => Just(-1), 1 => -3i64..=3];
        let sum = (vec(factor, count), -6i64..=10);
        let sum = sum.prop_map(|(coefficients, constant)| Sum { coefficients, constant });
        let arc = (0..locations, 0..locations, proptest::option::of((0..count, any::<bool>())), sum);
        let arc = arc.prop_map(|(source, target, assigned, mut sum)| {
            if let Some((at, true)) = assigned {
                sum.coefficients = (0..sum.coefficients.len()).map(|other| i64::from(other == at)).collect();
                sum.constant %= 3;
            }
            Arc { source, target, assigned: assigned.map(|(at, _)| at), sum }
        });
        let types = Just(types);
        (types, vec(arc, 2..=9)).prop_map(move |(types, arcs)| Graph {
            types,
            locations,
            arcs,
            written: Vec::new(),
        })
    })
}

/// A location and what the variables hold there.
type Visit = (usize, Vec<i64>);

impl Graph {
    fn program(&self) -> Program {
        let mut builder = ProgramBuilder::new("graph.txt");
        let shared = (!self.written.is_empty()).then(|| builder.global("shared", self.types[0]));
        let mut process = builder.process("P", 1);
        let locals = self.types.iter().enumerate().skip(usize::from(shared.is_some()));
        let locals: Vec<VariableRef> = locals.map(|(at, ty)| process.local(&format!("v{at}"), *ty)).collect();
        let variables: Vec<VariableRef> = shared.into_iter().chain(locals).collect();
        let name = |location: usize| format!("l{location}");
        // The location with number 0 is the exit, which the builder makes.
        (0..self.locations).for_each(|location| _ = process.location(&name(location)));
        for Arc { source, target, assigned, sum } in &self.arcs {
            let value = sum.expression(&variables);
            match assigned {
                Some(at) => {
                    process.assign(&name(*source), variables[*at], value, &name(*target), "assignment")
                }
                None => process.wait(&name(*source), not_negative(value), &name(*target), "condition"),
            };
        }
        let id = process.id();
        if let Some(shared) = shared {
            let mut other = builder.process("Q", 1);
            for value in &self.written {
                other.assign("w", shared, Expression::Constant(*value), "w", "write");
            }
        }
        let mut program = builder.build().expect("valid");
        program.types[id].parameters = program.types[id].locals.len();
        for variable in program.types[id].locals.ids().collect::<Vec<_>>() {
            program.types[id].locals[variable].init = Initializer::Parameter;
        }
        program
    }

    /// The steps from a visit: numbers of arcs, with where they lead.
    fn steps(&self, (location, values): &Visit) -> Vec<(usize, Visit)> {
        let open = self.arcs.iter().enumerate().filter(|(_, arc)| arc.source == *location);
        let step = |(number, arc): (usize, &Arc)| {
            let sum = arc.sum.at(values);
            let mut values = values.clone();
            match arc.assigned {
                Some(at) => values[at] = self.types[at].wrap(sum),
                None if sum < 0 => return None,
                None => {}
            }
            Some((number, (arc.target, values)))
        };
        let others = self.written.iter().enumerate().map(|(number, value)| {
            let mut values = values.clone();
            values[0] = *value;
            (self.arcs.len() + number, (*location, values))
        });
        open.filter_map(step).chain(others).collect()
    }

    /// Returns `true` if the process may start with this visit: what others write is 0 at first.
    fn may_start(&self, (location, values): &Visit) -> bool {
        *location == 0 && (self.written.is_empty() || values[0] == 0)
    }

    /// All visits that runs get to.
    fn reached(&self) -> Vec<Visit> {
        let with = |starts: Vec<Vec<i64>>, ty: &Type| {
            let all = |start: Vec<i64>| (0..=ty.range().1).map(move |value| [&start[..], &[value]].concat());
            starts.into_iter().flat_map(all).collect()
        };
        let starts: Vec<Vec<i64>> = self.types.iter().fold(vec![Vec::new()], with);
        let starts = starts.into_iter().map(|values| (0, values));
        let mut open: Vec<Visit> = starts.filter(|visit| self.may_start(visit)).collect();
        let mut seen: BTreeSet<Visit> = open.iter().cloned().collect();
        while let Some(visit) = open.pop() {
            open.extend(
                self.steps(&visit).into_iter().map(|(_, to)| to).filter(|to| seen.insert(to.clone())),
            );
        }
        seen.into_iter().collect()
    }

    /// The most arrivals at a head along some arcs, from each visit; `None` for a cycle.
    fn most(
        &self,
        visit: &Visit,
        arcs: &[bool],
        head: usize,
        known: &mut BTreeMap<Visit, Option<Option<i64>>>,
    ) -> Option<i64> {
        if let Some(known) = known.get(visit) {
            // What is still open is on a cycle.
            return known.flatten();
        }
        known.insert(visit.clone(), None);
        let mut most = Some(0);
        for (number, to) in self.steps(visit).into_iter().filter(|(number, _)| arcs[*number]) {
            let arrival = i64::from(self.arcs[number].target == head);
            let behind = self.most(&to, arcs, head, known);
            most = most.zip(behind).map(|(most, behind)| most.max(behind + arrival));
        }
        known.insert(visit.clone(), Some(most));
        most
    }
}

#[test]
fn loops_of_random_graphs_turn_as_often_as_they_say() {
    // Most of them go round for ever, or never.
    let Drawn { tally, outcome } = draw(10, &graph(), |graph, tally| check_graph(&graph, tally));
    let Tally { loops, end, proved, tight } = tally;
    println!(
        "{loops} loops, {end} turn and end, {proved} of these are proved, {tight} with the exact number"
    );
    outcome.unwrap();
    assert!(proved * 2 > end, "{proved} of {end}");
}

fn check_graph(graph: &Graph, tally: &mut Tally) -> Result<(), TestCaseError> {
    let program = graph.program();
    let reached = graph.reached();
    for result in loops(&program) {
        // Locations are numbered behind the exit, and edges as arcs.
        let location = |visit: &Visit| LocationId::new(visit.0 + 1);
        let arcs: Vec<bool> = program.types[result.process_type]
            .edges
            .ids()
            .map(|edge| result.shape.edges.contains(&edge))
            .collect();
        let head = result.shape.head.index() - 1;
        let inside = |visit: &Visit| result.shape.locations.contains(&location(visit));
        let mut entries: BTreeMap<Visit, i64> = BTreeMap::new();
        let mut known = BTreeMap::new();
        let mut ends = true;
        for visit in &reached {
            if inside(visit) {
                ends &= graph.most(visit, &arcs, head, &mut known).is_some();
            }
            let entered = graph.steps(visit).into_iter().filter(|(number, to)| !arcs[*number] && inside(to));
            let at_start = (visit.0 == 0 && inside(visit)).then(|| visit.clone());
            for entry in entered.map(|(_, to)| to).chain(at_start) {
                let most = graph.most(&entry, &arcs, head, &mut known);
                entries.insert(entry, most.unwrap_or(0));
            }
        }
        let turns = entries.values().any(|most| *most > 0);
        tally.loops += 1;
        tally.end += usize::from(ends && turns);
        if let Outcome::Ends(rounds) = &result.outcome {
            prop_assert!(ends, "{:?} does not end: {graph:?}", result.shape);
            tally.proved += usize::from(turns);
            let greatest = entries.values().max().copied().unwrap_or(0);
            tally.tight += usize::from(turns && rounds.most() == greatest.into());
            for ((_, values), most) in &entries {
                let tracked: Vec<i64> = result
                    .variables
                    .iter()
                    .map(|variable| match variable {
                        VariableRef::Local(id) => values[id.index()],
                        VariableRef::Global(_) => 0,
                    })
                    .collect();
                prop_assert!(
                    rounds.at(&tracked) >= (*most).into(),
                    "{most} rounds from {values:?}, not {}: {:?} {graph:?}",
                    rounds.at(&tracked),
                    result.shape
                );
                prop_assert!(rounds.most() >= (*most).into(), "{graph:?}");
            }
        }
        // Endless once control is there: it may be that no run gets to the statements of the cycle.
        if let Outcome::Endless(cycle) = &result.outcome {
            let at_cycle =
                |visit: &&Visit| cycle.iter().any(|edge| graph.arcs[edge.index()].source == visit.0);
            let visited = reached.iter().any(|visit| at_cycle(&visit));
            prop_assert!(!ends || !visited, "{:?} ends: {graph:?}", result.shape);
        }
    }
    Ok(())
}

/// The budget of a loop as a graph has it: how much each statement adds or takes.
struct Spent<'a> {
    graph: &'a Graph,
    shape: &'a Loop,
    changes: BTreeMap<EdgeId, i64>,
    /// What each write of the other process adds.
    of_others: i64,
}

impl Spent<'_> {
    fn is_inside(&self, visit: &Visit) -> bool {
        self.shape.locations.contains(&LocationId::new(visit.0 + 1))
    }

    /// Whether no run takes more than `most` and what counted statements add.
    fn is_at_most(&self, reached: &[Visit], most: i64) -> bool {
        let of_loop = |number: usize| self.shape.edges.contains(&EdgeId::new(number));
        let mut taken: BTreeMap<Visit, i64> = BTreeMap::new();
        for visit in reached {
            let arcs = self.graph.arcs.len();
            let entered = self.graph.steps(visit).into_iter();
            let entered = entered.filter(|(number, _)| *number < arcs && !of_loop(*number));
            let start = self.graph.may_start(visit).then(|| visit.clone());
            let entered = entered.map(|(_, to)| to).chain(start).filter(|to| self.is_inside(to));
            taken.extend(entered.map(|to| (to, 0)));
        }
        let mut open: Vec<Visit> = taken.keys().cloned().collect();
        while let Some(visit) = open.pop() {
            let before = taken[&visit];
            if before > most {
                return false;
            }
            for (number, to) in self.graph.steps(&visit) {
                let change = match number < self.graph.arcs.len() {
                    true if !of_loop(number) => continue,
                    true => self.changes.get(&EdgeId::new(number)).copied().unwrap_or(0),
                    false => self.of_others,
                };
                let behind = before - change;
                if taken.get(&to).is_none_or(|known| *known < behind) {
                    taken.insert(to.clone(), behind);
                    open.push(to);
                }
            }
        }
        true
    }
}

fn check_counted(graph: &Graph, counted: &[bool], tally: &mut Tally) -> Result<(), TestCaseError> {
    let program = graph.program();
    let (process_type, process) = program.types.iter().next().unwrap();
    let others = program.types.iter().skip(1);
    let others = others.flat_map(|(ty, other)| other.edges.ids().map(move |edge| (ty, edge))).collect();
    let counted: BTreeSet<EdgeId> = process.edges.ids().filter(|edge| counted[edge.index()]).collect();
    let deadline = Deadline::default();
    let question = Question { program: &program, process_type, counted, others, deadline };
    for result in question.loops(|_| true) {
        tally.loops += 1;
        let Outcome::Ends(rounds) = &result.outcome else { continue };
        tally.proved += 1;
        let each = i64::try_from(rounds.per_counted().ceil().to_integer()).unwrap();
        let of_loop = result.shape.edges.intersection(&question.counted);
        let mut changes: BTreeMap<EdgeId, i64> = of_loop.map(|edge| (*edge, each)).collect();
        for edge in result.shape.turning(process, &question.counted) {
            *changes.entry(edge).or_default() -= 1;
        }
        tally.end += usize::from(each > 0);
        let reached = graph.reached();
        let spent = Spent { graph, shape: &result.shape, changes, of_others: each };
        let most = i64::try_from(rounds.most()).unwrap();
        prop_assert!(spent.is_at_most(&reached, most), "{:?}: {rounds:?} {graph:?}", result.shape);
        prop_assert!(rounds.most_beside_counted() >= rounds.most());
        tally.tight += usize::from(!spent.is_at_most(&reached, most - 1));
    }
    Ok(())
}

#[test]
fn counted_statements_of_random_graphs_raise_what_loops_may_turn() {
    let counted = vec(prop_oneof![3 => Just(false), 1 => Just(true)], 9);
    let written = prop_oneof![2 => Just(Vec::new()), 1 => vec(0i64..=1, 1..=2)];
    let strategy = (graph(), counted, written);
    let Drawn { tally, outcome } = draw(10, &strategy, |(graph, counted, written), tally| {
        check_counted(&Graph { written, ..graph }, &counted, tally)
    });
    let Tally { loops, proved, end, tight } = tally;
    println!("{loops} loops, {proved} proved, {end} with counted statements, {tight} with the exact number");
    outcome.unwrap();
    assert!(end > 0 && tight > 0, "{end} with counted statements, {tight} exact");
}
