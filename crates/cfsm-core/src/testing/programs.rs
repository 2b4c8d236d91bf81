//! Random small programs.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::program::{Action, Binary, Expression, Pattern, Program, ProgramBuilder, Type, VariableRef};

/// Sizes of random programs. All ranges include both ends and must not be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramShape {
    /// Number of process types.
    pub types: RangeInclusive<usize>,
    /// Instances of a process type at the start.
    pub instances: RangeInclusive<u32>,
    /// Locations of a process type, its end not counted. Taken as at least 1.
    pub locations: RangeInclusive<usize>,
    /// Statements of a process type.
    pub edges: RangeInclusive<usize>,
    /// Number of channels, each of one byte.
    pub channels: RangeInclusive<usize>,
    /// Capacities of channels; 0 is a rendezvous.
    pub capacity: RangeInclusive<u32>,
    /// Global variables, and local ones of each process type; bytes all of them.
    pub variables: RangeInclusive<usize>,
}

impl ProgramShape {
    /// Up to 3 process types of up to 2 instances and 4 locations, up to 2 queues, up to 2
    /// variables.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            types: 1..=3,
            instances: 1..=2,
            locations: 1..=4,
            edges: 0..=6,
            channels: 1..=2,
            capacity: 1..=3,
            variables: 0..=2,
        }
    }

    /// Like [`plain`](Self::plain), with rendezvous.
    #[must_use]
    pub fn full() -> Self {
        Self { capacity: 0..=3, ..Self::plain() }
    }
}

/// Random valid programs of a shape: sends and receives of small numbers, assignments, conditions.
///
/// Channels are named `c0`, ..., global variables `g0`, ..., local ones `x0`, ..., process types
/// `P0`, ... and their locations `l0`, ... and `end`. As with systems, a program is drawn as a plan
/// of numbers, taken modulo the number of alternatives, so that it shrinks to few processes with
/// few statements, and stays valid.
///
/// ```
/// use cfsm_core::testing::{ProgramShape, programs};
/// use proptest::prelude::*;
///
/// proptest!(|(program in programs(ProgramShape::full()))| {
///     prop_assert_eq!(program.validate(), Ok(()));
/// });
/// ```
///
/// # Panics
/// When a case is drawn, if a range of the shape is empty.
pub fn programs(shape: ProgramShape) -> impl Strategy<Value = Program> {
    let process = (
        shape.instances.clone(),
        shape.locations.clone(),
        shape.variables.clone(),
        vec(statement(&shape), shape.edges.clone()),
    )
        .prop_map(|(instances, locations, locals, statements)| ProcessPlan {
            instances,
            locations: locations.max(1),
            locals,
            statements,
        });
    let channels = vec(shape.capacity.clone(), shape.channels.clone());
    (channels, shape.variables, vec(process, shape.types))
        .prop_map(|(channels, globals, processes)| build(&channels, globals, &processes))
}

#[derive(Clone, Debug)]
struct ProcessPlan {
    instances: u32,
    locations: usize,
    locals: usize,
    statements: Vec<StatementPlan>,
}

/// Choices are numbers taken modulo the number of alternatives.
#[derive(Clone, Debug)]
struct StatementPlan {
    source: usize,
    target: usize,
    deed: Deed,
    channel: usize,
    variable: usize,
    value: i64,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Skip,
    Send,
    Receive,
    Match,
    Store,
    Assign,
    Increase,
    Wait,
}

fn statement(shape: &ProgramShape) -> impl Strategy<Value = StatementPlan> + use<> {
    let location = 0..(*shape.locations.end()).max(1);
    let channel = 0..(*shape.channels.end()).max(1);
    let variable = 0..(2 * shape.variables.end()).max(1);
    let deed = prop_oneof![
        Just(Deed::Skip),
        Just(Deed::Send),
        Just(Deed::Receive),
        Just(Deed::Match),
        Just(Deed::Store),
        Just(Deed::Assign),
        Just(Deed::Increase),
        Just(Deed::Wait),
    ];
    // The last target is the end.
    let target = 0..=(*shape.locations.end()).max(1);
    (location, target, deed, channel, variable, 0..4_i64).prop_map(
        |(source, target, deed, channel, variable, value)| StatementPlan {
            source,
            target,
            deed,
            channel,
            variable,
            value,
        },
    )
}

fn build(channels: &[u32], globals: usize, processes: &[ProcessPlan]) -> Program {
    let mut b = ProgramBuilder::new("random");
    let channels: Vec<(String, Expression)> = channels
        .iter()
        .enumerate()
        .map(|(number, capacity)| {
            let name = format!("c{number}");
            let channel = b.channel(&name, *capacity, vec![Type::Byte]);
            (name, channel)
        })
        .collect();
    let globals: Vec<(String, VariableRef)> = (0..globals)
        .map(|number| {
            let name = format!("g{number}");
            let variable = b.global(&name, Type::Byte);
            (name, variable)
        })
        .collect();
    for (number, plan) in processes.iter().enumerate() {
        let id = b.process(&format!("P{number}"), plan.instances).id();
        let mut process = b.process_again(id);
        let mut variables = globals.clone();
        for number in 0..plan.locals {
            let name = format!("x{number}");
            let variable = process.local(&name, Type::Byte);
            variables.push((name, variable));
        }
        process.location("l0");
        for statement in &plan.statements {
            let (action, text) = statement.told(&channels, &variables);
            let source = format!("l{}", statement.source % plan.locations);
            let target = match statement.target % (plan.locations + 1) {
                end if end == plan.locations => "end".into(),
                number => format!("l{number}"),
            };
            process.edge(&source, action, &target, &text);
        }
    }
    b.build().expect("a plan gives a valid program")
}

impl StatementPlan {
    /// The action of a statement and its text; `None` if it needs a channel or a variable and there
    /// is none.
    fn told(
        &self,
        channels: &[(String, Expression)],
        variables: &[(String, VariableRef)],
    ) -> (Action, String) {
        let skip = (Action::Condition(Expression::Constant(1)), "skip".to_owned());
        let value = || Expression::Constant(self.value);
        let channel = (!channels.is_empty()).then(|| &channels[self.channel % channels.len()]);
        let variable = (!variables.is_empty()).then(|| &variables[self.variable % variables.len()]);
        let receive = |pattern: Pattern, text: &str| {
            let (name, channel) = channel?;
            let channel = channel.clone();
            let action = Action::Receive { channel, patterns: vec![pattern], random: false, peek: false };
            Some((action, format!("{name}?{text}")))
        };
        let told = match self.deed {
            Deed::Skip => None,
            Deed::Send => channel.map(|(name, channel)| {
                let action = Action::Send { channel: channel.clone(), fields: vec![value()], sorted: false };
                (action, format!("{name}!{}", self.value))
            }),
            Deed::Receive => receive(Pattern::Any, "_"),
            Deed::Match => receive(Pattern::Match(value()), &self.value.to_string()),
            Deed::Store => variable.and_then(|(name, variable)| {
                receive(Pattern::Store(crate::program::Place::scalar(*variable)), name)
            }),
            Deed::Assign => variable.map(|(name, variable)| {
                let target = crate::program::Place::scalar(*variable);
                (Action::Assign { target, value: value() }, format!("{name} = {}", self.value))
            }),
            Deed::Increase => variable.map(|(name, variable)| {
                let target = crate::program::Place::scalar(*variable);
                let old = Box::new(Expression::variable(*variable));
                let sum = Expression::Binary(Binary::Add, old, Box::new(Expression::Constant(1)));
                (Action::Assign { target, value: sum }, format!("{name}++"))
            }),
            Deed::Wait => variable.map(|(name, variable)| {
                let left = Box::new(Expression::variable(*variable));
                let condition = Expression::Binary(Binary::Less, left, Box::new(value()));
                (Action::Condition(condition), format!("{name} < {}", self.value))
            }),
        };
        told.unwrap_or(skip)
    }
}

#[cfg(test)]
mod tests {
    use proptest::test_runner::{TestError, TestRunner};

    use super::*;

    proptest! {
        #[test]
        fn programs_are_valid(program in programs(ProgramShape::full())) {
            prop_assert_eq!(program.validate(), Ok(()));
        }
    }

    #[test]
    fn what_does_not_matter_shrinks_away() {
        let stores = |program: &Program| {
            let edges = program.types.values().flat_map(|ty| ty.edges.values());
            edges.filter(|edge| program.sources.text(edge.span).contains("?x")).count()
        };
        let error = TestRunner::deterministic()
            .run(&programs(ProgramShape::full()), |program| {
                prop_assert_eq!(stores(&program), 0);
                Ok(())
            })
            .unwrap_err();
        let TestError::Fail(_, program) = error else { panic!("expected a counterexample, not {error}") };
        assert_eq!(program.types.len(), 1);
        let ty = program.types.values().next().unwrap();
        assert_eq!((ty.edges.len(), ty.locals.len(), program.globals.len()), (1, 1, 1));
    }
}
